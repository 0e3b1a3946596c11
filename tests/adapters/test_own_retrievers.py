"""LangChain's own retrievers as lists of the lab: the same order, the passages found again, faults in words."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from lab.algebra import Corpus, Document, Runner
from lab.corpus import samples
from lab.errors import ModelError, ParameterError
from lab.fuse import RRF
from lab.refine.diversity import MMR
from lab.retrieve.chroma_server import connect
from lab.retrieve.external import Answered, External
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

STAFF = samples.load("staff").corpus
QUESTIONS = ("how long does a refund take", "jobs that cannot be done from home", "P-55")
DOCUMENTS = STAFF.documents[:60]


@pytest.fixture(scope="module")
def langchain() -> Any:
    """Imported where it is needed: LangChain takes seconds, and every process of the suite reads this file."""
    from lab.adapters import langchain

    return langchain


def bm25(metadata: str = "", *, n: int = 60, k: int = 8) -> Any:
    """LangChain's BM25 over passages of the sample, whose ids are in this field of the metadata, if in any."""
    from langchain_community.retrievers import BM25Retriever

    documents = DOCUMENTS[:n]
    metadatas = [{metadata: document.id} for document in documents] if metadata else None
    return BM25Retriever.from_texts([document.text for document in documents], metadatas=metadatas, k=k)


def check(corpus: Corpus, retriever: Any, raw: Any, question: str) -> None:
    """The list has the passages of the retriever's own answer, in its order."""
    texts = list(dict.fromkeys(document.page_content for document in raw.invoke(question)))
    ranking = Runner(corpus, models={"mine": retriever})(External("mine"), question)
    assert [hit.document.text for hit in ranking] == texts
    assert texts


@pytest.mark.parametrize("question", QUESTIONS)
def test_bm25_of_langchain_is_found_again_by_id_key_or_text(langchain: Any, question: str) -> None:
    for metadata, key in (("id", ""), ("source", "source"), ("", "")):
        raw = bm25(metadata)
        check(STAFF, langchain.LangChain(raw, id_key=key), raw, question)
    check(STAFF, bm25(), bm25(), question)  # as it is, without the wrapper
    plain = Runner(STAFF, models={"mine": langchain.LangChain(bm25("id"))})(External("mine"), question)
    assert not plain.evidence_as(Answered).by_text
    by_text = Runner(STAFF, models={"mine": langchain.LangChain(bm25("source"))})(External("mine"), question)
    assert by_text.evidence_as(Answered).by_text == len(by_text)


def test_an_ensemble_of_two_retrievers_is_one_list(langchain: Any) -> None:
    from langchain_classic.retrievers import EnsembleRetriever

    raw = EnsembleRetriever(retrievers=[bm25("id"), bm25("id", n=30, k=5)], weights=[0.5, 0.5])
    for question in QUESTIONS:
        check(STAFF, langchain.LangChain(raw), raw, question)


class Letters:
    """Embeddings by the letters of a text, as LangChain wants them."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [1.0 + text.casefold().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"]


@pytest.fixture
def chroma() -> Iterator[Any]:
    from langchain_community.vectorstores import Chroma

    name, client = f"own-{uuid.uuid4().hex}", connect()  # Chroma takes one kind of settings in a process
    store = Chroma(collection_name=name, embedding_function=Letters(), client=client)  # type: ignore[arg-type]
    ids = [document.id for document in DOCUMENTS]
    store.add_texts([document.text for document in DOCUMENTS], metadatas=[{"of": i} for i in ids], ids=ids)
    yield store
    store.delete(ids)
    store.delete_collection()


@pytest.mark.filterwarnings("ignore:The class `Chroma` was deprecated")
def test_a_vector_store_is_a_list_with_its_number_of_results(langchain: Any, chroma: Any) -> None:
    raw = chroma.as_retriever(search_kwargs={"k": 7})
    for question in QUESTIONS:
        check(STAFF, langchain.LangChain(raw, id_key="of"), raw, question)
        ranking = Runner(STAFF, models={"mine": langchain.LangChain(raw, id_key="of")})(External("mine"), question)
        assert len(ranking) == 7


@pytest.mark.filterwarnings("ignore:The class `Chroma` was deprecated")
def test_distances_of_a_vector_store_are_scores(chroma: Any) -> None:
    def nearest(question: str) -> list[Any]:
        found: list[Any] = chroma.similarity_search_with_score(question, k=5)
        return found

    ranking = Runner(STAFF, models={"mine": nearest})(External("mine", lower=True), QUESTIONS[0])
    assert [hit.score for hit in ranking] == [-distance for _, distance in nearest(QUESTIONS[0])]
    wrong = Runner(STAFF, models={"mine": nearest})(External("mine"), QUESTIONS[0])
    assert "lower is better" in wrong.evidence_as(Answered).note


def test_a_retriever_is_fused_reranked_and_measured_as_a_list_of_the_lab(langchain: Any) -> None:
    runner = Runner(STAFF, models={"mine": langchain.LangChain(bm25("id", k=20))})
    search = RRF()(External("mine"), BM25(), Vector()) >> MMR(k=8)
    ranking = runner(search, QUESTIONS[1])
    assert len(ranking) == 8
    assert {r.made_by for r in ranking.lineage()} >= {External("mine"), BM25(), Vector()}
    again = langchain.LabRetriever(search, STAFF, k=8, models=runner.models).invoke(QUESTIONS[1])
    assert [document.id for document in again] == ranking.ids
    there_and_back = langchain.LangChain(langchain.LabRetriever(BM25(), STAFF, k=100), score_key="score")
    ours = Runner(STAFF, models={"mine": there_and_back})(External("mine"), QUESTIONS[1])
    lab = Runner(STAFF)(BM25(), QUESTIONS[1])
    assert [(h.document.id, h.score) for h in ours] == [(h.document.id, h.score) for h in lab]


def test_passages_that_are_not_in_the_corpus_are_counted_and_named(langchain: Any) -> None:
    few = Corpus("few", (*DOCUMENTS[:3], Document("own", "a passage of our own")))
    ranking = Runner(few, models={"mine": langchain.LangChain(bm25("id"))})(External("mine"), QUESTIONS[0])
    found = ranking.evidence_as(Answered)
    assert (found.returned, found.used + len(found.unknown)) == (8, 8)
    assert set(found.unknown) == {d.metadata["id"] for d in bm25("id").invoke(QUESTIONS[0])} - {*few.positions}


def test_wrong_things_are_refused_in_words(langchain: Any) -> None:
    with pytest.raises(ParameterError, match="“retriever” cannot hold function"):
        langchain.LangChain(lambda question: [])
    scored = langchain.LangChain(bm25("id"), score_key="score")
    with pytest.raises(ModelError, match="Result 1 has no score at “score”. It has: id."):
        Runner(STAFF, models={"mine": scored})(External("mine"), "refund")
