#!/usr/bin/env bash
# LlamaIndex: AutoMergingRetriever counts the chunk between two that are neighbours in the list as found, with the mean of
# their scores, so a parent is merged although half of its chunks were found; in the other order of the list it is not.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q llama-index-core==0.14.25
"$folder/venv/bin/python" - <<'PYTHON' 2>/dev/null
from importlib.metadata import version

from llama_index.core import StorageContext
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import NodeRelationship, NodeWithScore, TextNode


class Given(BaseRetriever):
    def __init__(self, nodes):
        super().__init__()
        self.nodes = nodes

    def _retrieve(self, query_bundle):
        return self.nodes


def merged(scores):
    chunks, parent = [TextNode(id_=f"chunk {i}", text=str(i)) for i in range(4)], TextNode(id_="parent", text="parent")
    parent.relationships[NodeRelationship.CHILD] = [chunk.as_related_node_info() for chunk in chunks]
    for i, chunk in enumerate(chunks):
        chunk.relationships[NodeRelationship.PARENT] = parent.as_related_node_info()
        if i:
            chunk.relationships[NodeRelationship.PREVIOUS] = chunks[i - 1].as_related_node_info()
            chunks[i - 1].relationships[NodeRelationship.NEXT] = chunk.as_related_node_info()
    storage = StorageContext.from_defaults()
    storage.docstore.add_documents([parent, *chunks])
    nodes = [NodeWithScore(node=chunks[i], score=score) for i, score in scores]
    return [(n.node.node_id, round(n.score, 3)) for n in AutoMergingRetriever(Given(nodes), storage).retrieve("q")]


print("llama-index-core", version("llama-index-core"))
forward, backward = merged([(0, 0.9), (2, 0.8)]), merged([(2, 0.9), (0, 0.8)])
print("Chunks 0 and 2 of four are found, threshold: more than half of the chunks.")
print("chunk 0 before chunk 2:", forward)
print("chunk 2 before chunk 0:", backward)
raise SystemExit(forward != [("parent", 0.85)] or backward != [("chunk 2", 0.9), ("chunk 0", 0.8)])
PYTHON
