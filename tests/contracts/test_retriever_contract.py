"""What every retriever keeps to, those to come included."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import nightly
from packed import MISSING
from specimens import TINY, all_of, corpora, queries, texts

from lab import catalog
from lab.algebra import (
    NONE,
    Contribution,
    Corpus,
    Document,
    Hit,
    Index,
    Models,
    Progress,
    Query,
    Ranking,
    Retriever,
    in_order,
)
from lab.contracts import checks, laws
from lab.contracts.specimens import Case
from lab.models.mixed import MixedModels
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector


def engine_once(param: Any) -> Any:
    """An engine is slow: the suite has each of its retrievers once, with every knob at night."""
    (op,) = param.values
    return nightly(param) if "milvus" in op.settings and op != type(op)() else param


@pytest.fixture(params=map(engine_once, all_of(catalog.retrievers(), working=True, varied=3)))
def retriever(request: pytest.FixtureRequest) -> Retriever:
    op: Retriever = request.param
    if "milvus" in op.settings and MISSING:
        pytest.skip(f"{' and '.join(MISSING)} (extra scale) is not installed")
    return op


@given(corpus=corpora(), query=queries(), k=st.integers(1, 9))
def test_a_search_gives_a_proper_ranking(retriever: Retriever, corpus: Corpus, query: str, k: int) -> None:
    checks.check_search(retriever, Case(corpus, query), (k,))


@given(corpus=corpora(), query=queries())
def test_two_runs_are_equal_whatever_time_they_took(retriever: Retriever, corpus: Corpus, query: str) -> None:
    checks.check_search_repeats(retriever, Case(corpus, query))
    first = retriever.index(corpus).search(query, k=5)
    assert dataclasses.replace(first, seconds=first.seconds + 1) == first


@given(corpus=corpora(), query=queries())
def test_explaining_changes_nothing_but_why(retriever: Retriever, corpus: Corpus, query: str) -> None:
    checks.check_unexplained(retriever, Case(corpus, query))


@given(corpus=corpora(), query=queries())
def test_a_shorter_list_is_the_beginning_of_a_longer_one(retriever: Retriever, corpus: Corpus, query: str) -> None:
    checks.check_prefix(retriever, Case(corpus, query))


@given(text=texts(), other=texts(), query=queries(), copies=st.integers(2, 6))
def test_equal_documents_tie_in_corpus_order(
    retriever: Retriever, text: str, other: str, query: str, copies: int
) -> None:
    checks.check_ties(retriever, text, other, query, copies)


@given(corpus=corpora(), query=queries())
def test_an_empty_query_and_an_empty_corpus_find_nothing(retriever: Retriever, corpus: Corpus, query: str) -> None:
    checks.check_nothing_found(retriever, Case(corpus, query))


@given(text=texts(), query=queries())
def test_one_document_is_a_corpus(retriever: Retriever, text: str, query: str) -> None:
    checks.check_one_document(retriever, Case(Corpus("any", (Document("a", text),)), query))


def test_k_is_a_whole_number_from_one(retriever: Retriever) -> None:
    checks.check_k(retriever, Case(TINY, ""))
    assert len(retriever.index(TINY).search("battery", k=np.int64(1))) <= 1


def test_a_word_of_one_document_finds_that_document_first(retriever: Retriever) -> None:
    if isinstance(getattr(retriever, "embedder", None), MixedModels):
        return  # it does not find passages of the other model: that is what it shows
    checks.check_word(retriever, Case(TINY, ""))


@given(query=st.text(max_size=20), text=st.text(max_size=20))
def test_any_text_can_be_indexed_and_asked(retriever: Retriever, query: str, text: str) -> None:
    ranking = retriever.index(Corpus("any", (Document("a", text), Document("b", "battery 电池")))).search(query)
    laws.check_scores(ranking.hits)
    laws.check_addends(ranking.hits)


# ------------------------------------------------------------------ the laws themselves catch what they are for


@dataclasses.dataclass(frozen=True)
class Wrong(Retriever):
    """Returns what it is told to, right or wrong."""

    hits: tuple[tuple[str, float, float], ...]  # (document, score, the only addend)

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> Index:
        op = self

        class Told(Index):
            def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
                hits = tuple(Hit(corpus.get(i) or Document(i, ""), s, (Contribution("x", w),)) for i, s, w in op.hits)
                return Ranking(Query.of(query), hits, op, corpus=corpus)

        return Told()


def test_the_laws_catch_what_breaks_them() -> None:
    def found(*hits: tuple[str, float, float]) -> tuple[Hit, ...]:
        return Wrong(hits).index(TINY).search("").hits

    with pytest.raises(AssertionError):
        laws.check_addends(found(("a", 1.0, 1.0 + 1e-8)))
    laws.check_addends(found(("a", 1.0, 1.0 + 1e-10)))
    with pytest.raises(AssertionError):  # "a" has no word of the question
        laws.check_match(BM25().index(TINY), "年假", Wrong((("a", 1.0, 1.0),)).index(TINY).search("年假"))
    with pytest.raises(AssertionError):  # "b" has one, and is not there
        laws.check_match(BM25().index(TINY), "年假", Wrong(()).index(TINY).search("年假"))
    with pytest.raises(AssertionError):
        laws.check_match(Vector().index(TINY), "x", Wrong((("a", 0.0, 0.0),)).index(TINY).search("x"))
    equal = found(("b", 1.0, 1.0), ("a", 1.0, 1.0))
    laws.check_order(in_order(equal))
    with pytest.raises(AssertionError):
        laws.check_order(in_order(equal)[::-1])
    with pytest.raises(AssertionError):
        laws.check_unique(found(("b", 1.0, 1.0), ("b", 1.0, 1.0)))
    with pytest.raises(AssertionError):
        laws.check_documents(found(("x", 1.0, 1.0)), TINY)
    with pytest.raises(AssertionError):
        laws.check_scores(found(("a", float("nan"), 1.0)))
