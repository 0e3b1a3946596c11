#!/usr/bin/env bash
# LangChain: once simsimd is installed, the MMR of langchain-core compares by it, unasked.  Two vectors of zeros,
# as texts without a known word get from averaged word vectors, have the cosine 0 without it and 1 with it, so that MMR
# picks other passages.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q langchain-core==1.8.3 numpy==2.4.6 &>/dev/null
cat > "$folder/mmr.py" <<'PYTHON'
import json

import numpy as np
from langchain_core.vectorstores.utils import maximal_marginal_relevance

question = np.array([1.0, 0.2])
passages = [[1.0, 0.2], [0.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]
print(json.dumps([int(i) for i in maximal_marginal_relevance(question, passages, lambda_mult=0.5, k=3)]))
PYTHON
before=$("$folder/venv/bin/python" "$folder/mmr.py")
"$folder/venv/bin/pip" install -q simsimd==6.5.16 &>/dev/null
after=$("$folder/venv/bin/python" "$folder/mmr.py")
"$folder/venv/bin/pip" list 2>/dev/null | grep -E '^(langchain-core|numpy|simsimd) '
echo "MMR picks three of four passages, 1 and 2 of which are vectors of zeros, lambda 0.5:"
echo "without simsimd: $before"
echo "with simsimd: $after"
[ "$before / $after" = "[0, 1, 2] / [0, 1, 3]" ]
