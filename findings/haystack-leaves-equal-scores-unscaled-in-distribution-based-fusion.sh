#!/usr/bin/env bash
# Haystack: DocumentJoiner's distribution-based fusion scales every list to 0 to 1, except a list with one result or with
# equal scores, which keeps its raw scores and wins or loses by its unit.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q haystack-ai==3.4.1
HAYSTACK_TELEMETRY_ENABLED=False "$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from haystack import Document
from haystack.components.joiners import DocumentJoiner


def fused(*lists):
    documents = [[Document(id=name, content=name, score=score) for name, score in scored] for scored in lists]
    joined = DocumentJoiner(join_mode="distribution_based_rank_fusion").run(documents=documents)
    return {document.id: round(document.score, 3) for document in joined["documents"]}


print("haystack-ai", version("haystack-ai"))
cosines = [("y", 0.5), ("z", 0.3)]
one, equal, two = (fused(words, cosines) for words in ([("x", 7.0)], [("x", 7.0), ("w", 7.0)], [("x", 7.0), ("w", 5.0)]))
print("Words find one passage, two with the same score, two with different scores; vectors find two others:")
for name, scores in (("one", one), ("equal", equal), ("different", two)):
    print(f"{name}: {scores}")
raise SystemExit((one["x"], equal["x"], equal["w"]) != (7.0, 7.0, 7.0) or not max(*two.values(), one["y"]) < 1)
PYTHON
