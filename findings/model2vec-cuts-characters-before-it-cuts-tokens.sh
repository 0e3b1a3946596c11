#!/usr/bin/env bash
# model2vec: encode shortens a text to max_length times the median length of its tokens, in characters, before it counts
# tokens.  A text of longer words loses words that are far within max_length; tokenize still lists them.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q model2vec==0.10.0 tokenizers==0.23.3 numpy==2.4.6 &>/dev/null
"$folder/venv/bin/python" - <<'PYTHON' 2>/dev/null
from importlib.metadata import version

import numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer, models, pre_tokenizers

WORDS = ["[UNK]", "a", "of", "to", "battery", "refund"]
tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
model = StaticModel(np.eye(len(WORDS), dtype="float32"), tokenizer, config={"normalize": False})


def share(batteries):
    """Returns the share of “refund” in the mean vector of a text that ends with it, cut at 100 tokens."""
    return float(model.encode([" ".join(["battery"] * batteries + ["refund"])], max_length=100)[0][WORDS.index("refund")])


print("model2vec", version("model2vec"), "tokenizers", version("tokenizers"))
shares = {n: share(n) for n in (10, 20, 50, 80)}
print("At most 100 tokens are read.  Share of the last word, “refund”, in the vector of n times “battery” and “refund”:")
for n, value in shares.items():
    print(f"{n + 1} tokens, {8 * n + 6} characters: {value:.4f} (expected {1 / (n + 1):.4f})")
listed = model.tokenize([" ".join(["battery"] * 80 + ["refund"])])[0]
print("tokenize of the longest text:", len(listed), "tokens")
print("median length of a token in characters:", model.median_token_length)
raise SystemExit(not (shares[10] > 0 and shares[80] == 0 and len(listed) == 81))
PYTHON
