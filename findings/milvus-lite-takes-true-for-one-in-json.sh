#!/usr/bin/env bash
# In a JSON field of Milvus Lite a truth value is a number: a filter for 1 finds true, "< 1" finds false, and a filter for
# true finds 1. So a field that is a number in some rows and a truth value in others cannot be filtered apart.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pymilvus==3.0.2 milvus-lite==3.2.2
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON' 2>/dev/null
from importlib.metadata import version

from pymilvus import DataType, MilvusClient

client = MilvusClient("lite.db")
schema = client.create_schema()
schema.add_field("id", DataType.INT64, is_primary=True)
schema.add_field("vector", DataType.FLOAT_VECTOR, dim=2)
schema.add_field("data", DataType.JSON)
indexes = client.prepare_index_params()
indexes.add_index("vector", index_type="FLAT", metric_type="L2")
client.create_collection("rows", schema=schema, index_params=indexes)
VALUES = [1, True, 0, False, 2]
client.insert("rows", [{"id": i, "vector": [1.0, 0.0], "data": {"x": value}} for i, value in enumerate(VALUES)])
client.load_collection("rows")
found = {}
for test in ("== 1", "== true", "< 1", "== false"):
    rows = client.query("rows", filter=f'data["x"] {test}', output_fields=["id"])
    found[test] = [VALUES[i] for i in sorted(row["id"] for row in rows)]
print(f"milvus-lite {version('milvus-lite')}, pymilvus {version('pymilvus')}: x is 1, true, 0, false or 2")
for test, values in found.items():
    print(f'data["x"] {test}: {values}')
wanted = {"== 1": [1, True], "== true": [1, True], "< 1": [0, False], "== false": [0, False]}
raise SystemExit({test: list(map(repr, v)) for test, v in found.items()} != {t: list(map(repr, v)) for t, v in wanted.items()})
PYTHON
