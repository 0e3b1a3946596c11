#!/usr/bin/env bash
# Chroma compares a stored whole number with a filter's number cut to a whole number: "$lt 4.5" does not find a 4 and
# "$gte 3.5" finds a 3, "$ne 4.5" loses every 4, while the same filters are right for stored fractions (4.0).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q chromadb==1.5.9
ANONYMIZED_TELEMETRY=False "$folder/venv/bin/python" - <<'PYTHON' 2>/dev/null
from importlib.metadata import version

import chromadb

client = chromadb.EphemeralClient()
FILTERS = [("$lt", 4.5), ("$gte", 3.5), ("$ne", 4.5), ("$eq", 4.5), ("$gt", -0.5), ("$lte", -0.5)]
found = {}
for kind in (int, float):
    ratings = [kind(n) for n in (-1, 0, 3, 4, 5)]
    collection = client.create_collection(f"ratings-{kind.__name__}", embedding_function=None)
    metadata = [{"rating": rating} for rating in ratings]
    collection.add(ids=[str(i) for i in range(5)], embeddings=[[1.0, 0.0]] * 5, metadatas=metadata)
    for sign, limit in FILTERS:
        ids = collection.get(where={"rating": {sign: limit}})["ids"]
        found[kind.__name__, sign, limit] = sorted(int(ratings[int(i)]) for i in ids)
print(f"chromadb {version('chromadb')}: ratings -1, 0, 3, 4, 5, and which of them pass a filter")
for sign, limit in FILTERS:
    whole, fraction = found["int", sign, limit], found["float", sign, limit]
    print(f"{sign:>4} {limit:4}: stored as whole numbers {whole}, as floats {fraction}")
different = [pair for pair in FILTERS if found["int", *pair] != found["float", *pair]]
raise SystemExit(different != FILTERS)
PYTHON
