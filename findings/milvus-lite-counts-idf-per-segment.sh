#!/usr/bin/env bash
# Milvus Lite: its BM25 function counts documents and their words per segment.  Flushed after each batch, two passages of
# the same text have different scores, and the same passages in one batch have one; the scores are negative.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q milvus-lite==3.2.2 pymilvus==3.0.2 &>/dev/null
"$folder/venv/bin/python" - "$folder" <<'PYTHON' 2>/dev/null
import math
import sys
from importlib.metadata import version

from pymilvus import DataType, Function, FunctionType, MilvusClient

FIRST = ["red fox", "blue fox", "green fox", "white fox"]
SECOND = ["red fox", "cold snow", "cold ice", "cold rain"]


def scores(name, batches):
    client = MilvusClient(f"{sys.argv[1]}/{name}.db")
    schema = client.create_schema()
    schema.add_field("id", DataType.INT64, is_primary=True)
    schema.add_field("text", DataType.VARCHAR, max_length=100, enable_analyzer=True)
    schema.add_field("words", DataType.SPARSE_FLOAT_VECTOR)
    schema.add_function(Function("bm25", FunctionType.BM25, ["text"], ["words"]))
    index = client.prepare_index_params()
    index.add_index("words", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25")
    client.create_collection("passages", schema=schema, index_params=index)
    number = 0
    for batch in batches:
        client.insert("passages", [{"id": number + i, "text": text} for i, text in enumerate(batch)])
        client.flush("passages")
        number += len(batch)
    client.load_collection("passages")
    (hits,) = client.search("passages", data=["fox"], anns_field="words", limit=8)
    client.close()
    return {hit["id"]: round(hit["distance"], 4) for hit in hits}


def idf(documents, found):
    return round(math.log(1 + (documents - found + 0.5) / (found + 0.5)), 4)


together, apart = scores("together", [FIRST + SECOND]), scores("apart", [FIRST, SECOND])
print("milvus-lite", version("milvus-lite"), "pymilvus", version("pymilvus"))
print("Passages 0 and 4 are both “red fox”; all passages have two words, so a score is the idf of “fox”.")
print("one flush:", {i: together[i] for i in (0, 4)}, "idf of 5 in 8 passages:", idf(8, 5))
print("two flushes:", {i: apart[i] for i in (0, 4)}, "idf of 4 in 4 and of 1 in 4:", idf(4, 4), idf(4, 1))
same = (together[0], together[4]) == (-idf(8, 5),) * 2
raise SystemExit(not (same and (apart[0], apart[4]) == (-idf(4, 4), -idf(4, 1))))
PYTHON
