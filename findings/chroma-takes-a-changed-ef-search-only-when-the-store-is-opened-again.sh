#!/usr/bin/env bash
# Chroma: after `modify` the collection says that its ef_search is 400, and the search finds as few neighbours as with 10,
# also for a collection fetched anew.  The wider search begins when another process opens the folder.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q chromadb==1.5.9 numpy==2.4.6 &>/dev/null
cat > "$folder/measure.py" <<'PYTHON'
import sys

import chromadb
import numpy as np

rng = np.random.default_rng(0)
vectors, queries = rng.normal(size=(4000, 64)).astype("f"), rng.normal(size=(40, 64)).astype("f")
client = chromadb.PersistentClient(sys.argv[1])


def recall():
    found = 0
    collection = client.get_collection("vectors")
    for query in queries:
        nearest = {str(i) for i in np.argsort(((vectors - query) ** 2).sum(axis=1))[:10]}
        found += len(nearest & set(collection.query(query_embeddings=[query.tolist()], n_results=10)["ids"][0]))
    width = collection.configuration["hnsw"]["ef_search"]
    print(f"ef_search {width}: recall@10 {found / 400:.2f}")
    return found / 400


if sys.argv[2] == "first":
    print("chromadb", chromadb.__version__)
    collection = client.create_collection("vectors", configuration={"hnsw": {"ef_search": 10}})
    for i in range(0, 4000, 1000):
        collection.add(ids=[str(j) for j in range(i, i + 1000)], embeddings=vectors[i : i + 1000].tolist())
    narrow = recall()
    collection.modify(configuration={"hnsw": {"ef_search": 400}})
    print("modified, the same process:")
    if not (narrow < 0.8 and abs(recall() - narrow) < 0.05):
        sys.exit("The behaviour has changed: the search follows the change.")
else:
    print("opened by another process:")
    if recall() < 0.95:
        sys.exit("The behaviour has changed: the search stays narrow.")
PYTHON
export ANONYMIZED_TELEMETRY=False
"$folder/venv/bin/python" "$folder/measure.py" "$folder/store" first
"$folder/venv/bin/python" "$folder/measure.py" "$folder/store" second
