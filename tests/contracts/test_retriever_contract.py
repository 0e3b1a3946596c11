"""What every retriever keeps to, those to come included."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import laws
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from milvus_at_hand import MISSING
from night import nightly
from specimens import TINY, all_of, corpora, queries, texts

from lab import catalog
from lab.algebra import NONE, Contribution, Corpus, Document, Hit, Index, Models, Progress, Query, Ranking, Retriever
from lab.errors import ParameterError
from lab.retrieve.explaining import Explains
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector


def engine_once(param: Any) -> Any:
    """An engine is slow: the suite has each of its retrievers once, with every knob at night."""
    (op,) = param.values
    return nightly(param) if "milvus" in op.settings and op != type(op)() else param


@pytest.fixture(params=map(engine_once, all_of(catalog.retrievers(), working=True, varied=5)))
def retriever(request: pytest.FixtureRequest) -> Retriever:
    op: Retriever = request.param
    if "milvus" in op.settings and MISSING:
        pytest.skip(f"{' and '.join(MISSING)} (extra scale) is not installed")
    return op


def plain(corpus: Corpus) -> list[tuple[str, str, str, dict[str, Any]]]:
    return [(d.id, d.text, d.title, dict(d.metadata)) for d in corpus]


@given(corpus=corpora(), query=queries(), k=st.integers(1, 9))
def test_a_search_gives_a_proper_ranking(retriever: Retriever, corpus: Corpus, query: str, k: int) -> None:
    before = plain(corpus)
    index = retriever.index(corpus)
    ranking = index.search(query, k=k)
    assert plain(corpus) == before
    assert ranking.query == Query(query)
    assert ranking.made_by == retriever
    assert ranking.parents == ()
    assert ranking.dropped == ()
    assert ranking.corpus is corpus
    assert ranking.seconds >= 0
    assert list(ranking.lineage()) == [ranking]
    assert len(ranking) <= min(k, len(corpus))
    laws.ranks_from_one(ranking)
    laws.scores_are_numbers(ranking.hits)
    laws.something_in_common(index, query, ranking)
    laws.each_document_once(ranking.hits)
    laws.documents_of_the_corpus(ranking.hits, corpus)
    laws.best_first_ties_in_corpus_order(ranking.hits, corpus)
    laws.addends_sum_to_the_score(ranking.hits)
    if isinstance(index, Explains):
        laws.explains_itself(index, Query(query), ranking)


@given(corpus=corpora(), query=queries())
def test_two_runs_are_equal_whatever_time_they_took(retriever: Retriever, corpus: Corpus, query: str) -> None:
    index = retriever.index(corpus)
    first = index.search(query, k=5)
    assert index.search(query, k=5) == first
    again = Corpus(corpus.name, corpus.documents)  # nothing remembered
    assert retriever.index(again).search(query, k=5) == first
    assert dataclasses.replace(first, seconds=first.seconds + 1) == first


@given(corpus=corpora(), query=queries())
def test_explaining_changes_nothing_but_why(retriever: Retriever, corpus: Corpus, query: str) -> None:
    index = retriever.index(corpus)
    told, untold = index.search(query), index.search(query, explain=False)
    assert [(h.document, h.score) for h in told] == [(h.document, h.score) for h in untold]
    assert all(h.why == () for h in untold)


@given(corpus=corpora(), query=queries())
def test_a_shorter_list_is_the_beginning_of_a_longer_one(retriever: Retriever, corpus: Corpus, query: str) -> None:
    index = retriever.index(corpus)
    longest = index.search(query, k=1000)
    assert len(longest) <= len(corpus)
    if retriever.approximate:
        return
    for k in range(1, len(corpus) + 2):
        assert index.search(query, k=k).hits == longest.hits[:k]


@given(text=texts(), other=texts(), query=queries(), copies=st.integers(2, 6))
def test_equal_documents_tie_in_corpus_order(
    retriever: Retriever, text: str, other: str, query: str, copies: int
) -> None:
    # between the copies stands another document, so that corpus order is not the order of anything else
    documents = [Document(f"z{9 - i}", text) if i % 2 == 0 else Document(f"a{i}", other) for i in range(2 * copies)]
    ranking = retriever.index(Corpus("copies", tuple(documents))).search(f"{text} {query}")
    found = [h for h in ranking if h.document.text == text]
    if text != other:
        assert len(found) in (0, copies)
    assert len({h.score for h in found}) <= 1
    places = [documents.index(h.document) for h in found]
    assert places == sorted(places)


@given(corpus=corpora())
def test_an_empty_query_finds_nothing(retriever: Retriever, corpus: Corpus) -> None:
    index = retriever.index(corpus)
    for query in ("", " ", "\t\n　"):
        assert index.search(query).hits == ()


@given(query=queries())
def test_an_empty_corpus_has_nothing_to_find(retriever: Retriever, query: str) -> None:
    assert retriever.index(Corpus("empty", ())).search(query).hits == ()


@given(text=texts(), query=queries())
def test_one_document_is_a_corpus(retriever: Retriever, text: str, query: str) -> None:
    index = retriever.index(Corpus("one", (Document("only", text),)))
    ranking = index.search(query)
    assert [h.document.id for h in ranking] in ([], ["only"])
    laws.scores_are_numbers(ranking.hits)
    laws.something_in_common(index, query, ranking)
    laws.addends_sum_to_the_score(ranking.hits)


def test_k_is_a_whole_number_from_one(retriever: Retriever) -> None:
    index = retriever.index(TINY)
    for k in (0, -1, 1.5, 2.0, "3", None, math.inf, math.nan, True):
        with pytest.raises(ParameterError, match="k is"):
            index.search("battery", k=k)  # type: ignore[arg-type]
    assert len(index.search("battery", k=np.int64(1))) <= 1


def test_a_word_of_one_document_finds_that_document_first(retriever: Retriever) -> None:
    words = ("退货", "battery", "报销")
    corpus = Corpus("topics", tuple(Document(w, f"{w} {w} {i}") for i, w in enumerate(words)))
    for word in words:
        assert retriever.index(corpus).search(word).hits[0].document.id == word


@given(query=st.text(max_size=20), text=st.text(max_size=20))
def test_any_text_can_be_indexed_and_asked(retriever: Retriever, query: str, text: str) -> None:
    ranking = retriever.index(Corpus("any", (Document("a", text), Document("b", "battery 电池")))).search(query)
    laws.scores_are_numbers(ranking.hits)
    laws.addends_sum_to_the_score(ranking.hits)


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
        laws.addends_sum_to_the_score(found(("a", 1.0, 1.0 + 1e-8)))
    laws.addends_sum_to_the_score(found(("a", 1.0, 1.0 + 1e-10)))
    with pytest.raises(AssertionError):  # "a" has no word of the question
        laws.something_in_common(BM25().index(TINY), "年假", Wrong((("a", 1.0, 1.0),)).index(TINY).search("年假"))
    with pytest.raises(AssertionError):  # "b" has one, and is not there
        laws.something_in_common(BM25().index(TINY), "年假", Wrong(()).index(TINY).search("年假"))
    with pytest.raises(AssertionError):
        laws.something_in_common(Vector().index(TINY), "x", Wrong((("a", 0.0, 0.0),)).index(TINY).search("x"))
    with pytest.raises(AssertionError):
        laws.best_first_ties_in_corpus_order(found(("b", 1.0, 1.0), ("a", 1.0, 1.0)), TINY)
    with pytest.raises(AssertionError):
        laws.each_document_once(found(("b", 1.0, 1.0), ("b", 1.0, 1.0)))
    with pytest.raises(AssertionError):
        laws.documents_of_the_corpus(found(("x", 1.0, 1.0)), TINY)
    with pytest.raises(AssertionError):
        laws.scores_are_numbers(found(("a", float("nan"), 1.0)))
