#!/usr/bin/env bash
# A float in the metadata of a document is not always the float that Chroma returns: of random floats about one in nine
# comes back with another last digit, and the float below 4 comes back as 4.0, so that it passes "$gte 4". Numbers with
# at most 15 digits come back as they were.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q chromadb==1.5.9
ANONYMIZED_TELEMETRY=False "$folder/venv/bin/python" - <<'PYTHON' 2>/dev/null
import math
import random
from importlib.metadata import version

import chromadb

N = 4000
random.seed(1)
client = chromadb.EphemeralClient()


def changed(name, values):
    collection = client.create_collection(name, embedding_function=None)
    ids = [str(i) for i in range(len(values))]
    collection.add(ids=ids, embeddings=[[1.0, 0.0]] * len(ids), metadatas=[{"n": value} for value in values])
    got = collection.get(include=["metadatas"])
    back = {int(i): metadata["n"] for i, metadata in zip(got["ids"], got["metadatas"])}
    return [(value, back[i]) for i, value in enumerate(values) if back[i] != value]


floats = [random.random() for _ in range(N)]
random_ones = changed("random", floats)
rounded_ones = changed("rounded", [float(f"{value:.15g}") for value in floats])
below = changed("below-four", [math.nextafter(4, 0)])
print(f"chromadb {version('chromadb')}: of {N} random floats {len(random_ones)} come back changed, such as")
for value, back in random_ones[:3]:
    print(f"  {value!r} as {back!r}")
print(f"of the same with 15 digits: {len(rounded_ones)}; the float below 4: {below}")
raise SystemExit(not (0.05 < len(random_ones) / N < 0.2 and not rounded_ones and below))
PYTHON
