#!/usr/bin/env bash
# ir-measures: of several measures of pyndeval with different parameters, asked for in one call, all but the first are
# computed on an empty list: their value is 0.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q ir-measures==0.4.3 pyndeval==0.0.8
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import ir_measures
from ir_measures import Qrel, alpha_nDCG

for name in ("ir-measures", "pyndeval"):
    print(name, version(name))
qrels = [Qrel("q", "a", 1, "s1"), Qrel("q", "b", 1, "s1"), Qrel("q", "c", 1, "s2")]
run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
measures = [alpha_nDCG @ 2, alpha_nDCG(alpha=0.9) @ 2]
together = {str(m.measure): round(m.value, 4) for m in ir_measures.pyndeval.iter_calc(measures, qrels, run)}
alone = {str(m): round(next(iter(ir_measures.pyndeval.iter_calc([m], qrels, run))).value, 4) for m in measures}
print("The same measures, asked for one by one and in one call:")
print("one by one:", alone)
print("in one call:", together)
expected = {"alpha_nDCG@2": 0.8066, "alpha_nDCG(alpha=0.9)@2": 0.6518}
raise SystemExit(alone != expected or together != {**expected, "alpha_nDCG(alpha=0.9)@2": 0.0})
PYTHON
