#!/usr/bin/env bash
# tantivy: the length of a passage is stored in one byte, exactly up to 40 words and then rounded down, so BM25 gives 40
# and 41 words, and 96 to 103, the same score.  A library with exact lengths ranks the shorter one first.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q tantivy==0.27.0 bm25s==0.3.16 numpy==2.4.6 &>/dev/null
"$folder/venv/bin/python" - <<'PYTHON' 2>/dev/null
from importlib.metadata import version

import bm25s
import tantivy

LENGTHS = [39, 40, 41, 42, 95, 96, 103, 104]
texts = [["fox", *["snow"] * (n - 1)] for n in LENGTHS]
builder = tantivy.SchemaBuilder()
builder.add_text_field("text")
builder.add_integer_field("length", stored=True)
index = tantivy.Index(builder.build())
writer = index.writer()
for n, words in zip(LENGTHS, texts):
    writer.add_document(tantivy.Document(text=" ".join(words), length=n))
writer.commit()
index.reload()
searcher = index.searcher()
hits = searcher.search(index.parse_query("fox", ["text"]), len(LENGTHS)).hits
coarse = {searcher.doc(address)["length"][0]: score for score, address in hits}
exact = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
exact.index(texts, show_progress=False)
fine = dict(zip(LENGTHS, exact.get_scores(["fox"]).tolist()))
print("tantivy", version("tantivy"), "bm25s", version("bm25s"))
print("Words in the passage: score in tantivy, in bm25s")
for n in LENGTHS:
    print(f"{n}: {coarse[n]:.5f}, {fine[n]:.5f}")
equal = coarse[40] == coarse[41] and coarse[96] == coarse[103]
different = len({coarse[n] for n in (39, 40, 42, 95, 96, 104)}) == 6
raise SystemExit(not (equal and different and len(set(fine.values())) == len(LENGTHS)))
PYTHON
