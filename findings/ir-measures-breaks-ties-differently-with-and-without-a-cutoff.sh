#!/usr/bin/env bash
# ir-measures: RR sorts equal scores by falling ids (trec_eval's rule) and RR@10 by rising ids, since another program
# computes it.  So RR@10 can be larger than RR, which no single order of the documents allows.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q ir_measures==0.4.3 pytrec_eval-terrier==0.5.11 numpy==2.4.6 &>/dev/null
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import ir_measures
from ir_measures import RR, P

for package in ("ir_measures", "pytrec_eval-terrier"):
    print(package, version(package))
seen = []
for order in ("ab", "ba"):
    for relevant in "ab":
        run = {"q": dict.fromkeys(order, 1.0)}
        values = ir_measures.calc_aggregate([RR, RR @ 10, P @ 1], {"q": {relevant: 1}}, run)
        figures = ", ".join(f"{name} {value:.1f}" for name, value in sorted(values.items(), key=str))
        print(f"{order[0]} and {order[1]} have one score, {relevant} is relevant: {figures}")
        seen.append(tuple(values[x] for x in (RR, RR @ 10, P @ 1)))
raise SystemExit(seen != [(0.5, 1.0, 0.0), (1.0, 0.5, 1.0)] * 2)
PYTHON
