#!/usr/bin/env bash
# Two nDCG in one call of ir-measures, one with gains and one without: if the one with gains is listed first, the plain
# one gets its value, and its own value is 0.  Listed the other way round, or in two calls, both are right.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q ir-measures==0.4.3 pytrec-eval-terrier==0.5.11
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import ir_measures
from ir_measures import nDCG

judged = {"q": {"a": 3, "b": 1, "c": 2}}
found = {"q": {"b": 3.0, "x": 2.5, "a": 2.0, "c": 1.0}}
with_gains = nDCG(gains={1: 1, 2: 3, 3: 7})


def values(*measures):
    got = ir_measures.pytrec_eval.calc_aggregate(list(measures), judged, found)
    return [round(got[measure], 4) for measure in (nDCG, with_gains) if measure in got]


(plain,), (exponential,) = values(nDCG), values(with_gains)
print("ir-measures", version("ir-measures"), "pytrec-eval-terrier", version("pytrec-eval-terrier"))
print("each in a call of its own: plain", plain, "with gains", exponential)
print("plain listed first:       ", *values(nDCG, with_gains))
print("with gains listed first:  ", *values(with_gains, nDCG))
right, wrong = values(nDCG, with_gains), values(with_gains, nDCG)
raise SystemExit(right != [plain, exponential] or wrong != [exponential, 0.0] or plain == exponential)
PYTHON
