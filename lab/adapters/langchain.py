"""Makes any search of the lab a LangChain retriever, and any LangChain retriever a list of the lab.

    retriever = LabRetriever(RRF()(BM25(), Vector()) >> MMR(k=8), corpus, k=5)
    retriever.invoke("how long does a refund take")[0].metadata["why"]

    mine = LangChain(ensemble_retriever, id_key="source")
    Runner(corpus, models={"mine": mine})(RRF()(External("mine"), BM25()), "how long does a refund take")

Raises `MissingExtra` when it is imported without langchain-core.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from lab.algebra import NONE, Corpus, Hit, Models, Runner, Searcher, at_least
from lab.errors import MissingExtra, ModelError, ParameterError
from lab.formats import expression
from lab.retrieve.foreign import Result, ids_in
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
    corpus, and for k < 1.  It can be copied and, unless a model holds a key, pickled.
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
            searcher=searcher,
            corpus=corpus,
            k=k,
            models=dict(models),
            explain=explain,
            others=dict(others),
            **langchain,
        )

    def __repr__(self) -> str:
        return f"LabRetriever({expression(self.searcher)}, {self.corpus.name!r}, k={self.k})"

    __str__ = __repr__

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> LabRetriever:
        """Returns a copy with the same search, corpus and models: they never change."""
        return self.model_copy()

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        runner = Runner(self.corpus, others=self.others, models=self.models, explain=self.explain)
        ranking = runner(self.searcher, query, self.k if k is None else k)
        return [_document(rank, hit) for rank, hit in enumerate(ranking.hits, 1)]


@dataclass(frozen=True, eq=False)
class LangChain:
    """A LangChain retriever for `lab.retrieve.external.External`: a function of the question.

    A passage is found in the corpus by the document's id, else by the field ``id_key`` of its metadata or one of the
    usual names of an id, else by the same text.  ``score_key`` is the field of the metadata with the score, if there is
    one; otherwise the rank counts.  ``lower`` tells that these scores are distances.  Each question is passed on with
    the retriever's own number of results.  Raises `ParameterError` if ``retriever`` is not a retriever.
    """

    retriever: BaseRetriever
    id_key: str = ""
    score_key: str = ""
    lower: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.retriever, BaseRetriever):
            kind = type(self.retriever).__name__
            message = Said("“{name}” cannot hold {part}.", name="retriever", part=kind)
            raise ParameterError(message, Said("Accepted: {kind}.", kind=BaseRetriever.__name__))

    def __call__(self, question: str) -> list[Result]:
        """Returns the results of a question.  Raises `ModelError` for a document without the score."""
        return [self._result(at, document) for at, document in enumerate(self.retriever.invoke(question), 1)]

    def _result(self, at: int, document: Document) -> Result:
        ids = ids_in({"id": document.id, "metadata": document.metadata}, *filter(None, [self.id_key]))
        if not self.score_key:
            return Result(tuple(ids), document.page_content)
        score = document.metadata.get(self.score_key)
        if not isinstance(score, Real) or isinstance(score, bool):
            values = {
                "at": at,
                "path": self.score_key,
                "fields": ", ".join(map(str, document.metadata)) or Said("nothing"),
            }
            message = Said("Result {at} has no score at “{path}”. It has: {fields}.", **values)
            raise ModelError(message, Said("Name another field, or none: then the rank counts."))
        return Result(tuple(ids), document.page_content, float(score))


def _document(rank: int, hit: Hit) -> Document:
    metadata = {
        name: list(value) if isinstance(value, list) else value for name, value in hit.document.metadata.items()
    }
    why = [{"source": str(part.source), "value": float(part.value)} for part in hit.why]
    ranked = {"title": hit.document.title, "score": float(hit.score), "rank": rank, "why": why}
    return Document(id=hit.document.id, page_content=hit.document.text, metadata=metadata | ranked)
