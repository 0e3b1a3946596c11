#!/usr/bin/env bash
# LangChain: EmbeddingsFilter removes a passage whose similarity equals similarity_threshold, and the search of a vector
# store with score_threshold keeps it.  With k = 1, the filter keeps the last of equal passages.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q langchain-classic==1.0.8 langchain-community==0.4.2 langchain-core==1.8.3 numpy==2.4.6 &>/dev/null
"$folder/venv/bin/python" - <<'PYTHON' 2>/dev/null
from importlib.metadata import version

from langchain_classic.retrievers.document_compressors import EmbeddingsFilter
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore


class Cardinal(Embeddings):
    """A text about the north is [1, 0], every other one [0, 1]."""

    def embed_query(self, text):
        return [1.0, 0.0] if "north" in text else [0.0, 1.0]

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]


class Store(InMemoryVectorStore):
    def _select_relevance_score_fn(self):
        return lambda cosine: cosine


documents = [Document("north, first"), Document("north, second"), Document("south")]
store = Store(Cardinal())
store.add_documents(documents)
kept = [d.page_content for d, _ in store.similarity_search_with_relevance_scores("north", score_threshold=1.0)]
left = EmbeddingsFilter(embeddings=Cardinal(), k=None, similarity_threshold=1.0).compress_documents(documents, "north")
(one,) = EmbeddingsFilter(embeddings=Cardinal(), k=1).compress_documents(documents[:2], "north")
print("langchain-classic", version("langchain-classic"), "langchain-core", version("langchain-core"))
print("Two passages have exactly the cosine 1.0, and so has the threshold.")
print("score_threshold of a store keeps:", kept)
print("similarity_threshold of EmbeddingsFilter keeps:", [d.page_content for d in left])
print("EmbeddingsFilter with k = 1 keeps:", one.page_content)
raise SystemExit((len(kept), len(left), one.page_content) != (2, 0, "north, second"))
PYTHON
