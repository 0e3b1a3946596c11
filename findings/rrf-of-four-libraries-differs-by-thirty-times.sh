#!/usr/bin/env bash
# Reciprocal rank fusion with default settings: the first place of a list is worth 1/61, 1/60, 1/2 or a share of 1 in four
# libraries, so a threshold on a fused score, or a weight for a third list, cannot be carried from one to the other.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q llama-index-core==0.14.25 haystack-ai==3.4.1 qdrant-client==1.20.0 ranx==0.3.21
HAYSTACK_TELEMETRY_ENABLED=False NUMBA_DISABLE_JIT=1 "$folder/venv/bin/python" - <<'PYTHON' 2>/dev/null
from importlib.metadata import version

from haystack import Document
from haystack.components.joiners import DocumentJoiner
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from qdrant_client.hybrid.fusion import reciprocal_rank_fusion
from qdrant_client.http.models import ScoredPoint
from ranx import Run, fuse

LISTS = [[("x", 7.0), ("y", 5.0)], [("z", 0.5), ("y", 0.3)]]


class Given(BaseRetriever):
    def __init__(self, scored):
        super().__init__()
        self.scored = scored

    def _retrieve(self, query_bundle):
        return [NodeWithScore(node=TextNode(id_=name, text=name), score=score) for name, score in self.scored]


joined = DocumentJoiner(join_mode="reciprocal_rank_fusion").run(
    documents=[[Document(id=name, content=name, score=score) for name, score in scored] for scored in LISTS]
)
retriever = QueryFusionRetriever([Given(s) for s in LISTS], mode="reciprocal_rerank", num_queries=1, use_async=False, llm=MockLLM())
points = [[ScoredPoint(id=ord(name), version=0, score=score) for name, score in scored] for scored in LISTS]
first = {
    "ranx": fuse(runs=[Run({"q": dict(scored)}) for scored in LISTS], method="rrf").run["q"]["x"],
    "llama-index-core": next(n.score for n in retriever.retrieve("q") if n.node.node_id == "x"),
    "qdrant-client": next(p.score for p in reciprocal_rank_fusion(points) if p.id == ord("x")),
    "haystack-ai": next(d.score for d in joined["documents"] if d.id == "x"),
}
print("The first passage of one of two lists, fused by RRF with the defaults:")
for name, score in first.items():
    print(f"{name} {version(name)}: {score:.4f} = 1/{1 / score:.2f}")
raise SystemExit([round(1 / score, 2) for score in first.values()] != [61.0, 60.0, 2.0, 2.0])
PYTHON
