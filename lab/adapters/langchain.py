"""Makes any search of the lab a LangChain retriever.

    retriever = LabRetriever(RRF()(BM25(), Vector()) >> MMR(k=8), corpus, k=5)
    retriever.invoke("how long does a refund take")[0].metadata["why"]

Raises `MissingExtra` when it is imported without langchain-core.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.algebra import NONE, Corpus, Hit, Models, Runner, Searcher, at_least
from lab.errors import MissingExtra, ParameterError
from lab.words import Said

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise MissingExtra("langchain", "langchain-core") from error


class LabRetriever(BaseRetriever):
    """Returns the best ``k`` documents of a search on a corpus; ``invoke(question, k=3)`` sets another number for once.

    A document has the passage's text, id and metadata, to which ``title``, ``score``, ``rank`` (from 1) and ``why`` are
    added: the components of the score as ``{"source", "value"}``, empty if the score is not a sum, and with
    ``explain=False``, which is faster.  ``models`` are language models by the names in the search, ``others`` further
    corpora by the names in its routes.  Raises `ParameterError` if ``searcher`` is not a search or ``corpus`` not a
    corpus, and for k < 1.
    """

    searcher: Any
    corpus: Any
    k: int = 10
    models: Any = NONE
    others: Any = NONE
    explain: bool = True

    def __init__(
        self,
        searcher: Searcher,
        corpus: Corpus,
        k: int = 10,
        *,
        models: Models = NONE,
        others: Mapping[str, Corpus] = NONE,
        explain: bool = True,
        **langchain: Any,
    ) -> None:
        for name, value, kind in (("searcher", searcher, Searcher), ("corpus", corpus, Corpus)):
            if not isinstance(value, kind):
                message = Said("“{name}” cannot hold {part}.", name=name, part=type(value).__name__)
                raise ParameterError(message, Said("Accepted: {kind}.", kind=kind.__name__))
        at_least("k", k, 1)
        super().__init__(  # type: ignore[call-arg]  # fields of this class, which pydantic reads
            searcher=searcher, corpus=corpus, k=k, models=models, explain=explain, others=others, **langchain
        )

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        runner = Runner(self.corpus, others=self.others, models=self.models, explain=self.explain)
        ranking = runner(self.searcher, query, self.k if k is None else k)
        return [_document(rank, hit) for rank, hit in enumerate(ranking.hits, 1)]


def _document(rank: int, hit: Hit) -> Document:
    metadata = {
        name: list(value) if isinstance(value, list) else value for name, value in hit.document.metadata.items()
    }
    why = [{"source": str(part.source), "value": float(part.value)} for part in hit.why]
    ranked = {"title": hit.document.title, "score": float(hit.score), "rank": rank, "why": why}
    return Document(id=hit.document.id, page_content=hit.document.text, metadata=metadata | ranked)
