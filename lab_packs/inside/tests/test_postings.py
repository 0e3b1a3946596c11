"""The walk along the postings: nothing is lost by skipping, and every step is true."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples

from lab.algebra import Corpus, Document, tie_key
from lab.errors import ParameterError
from lab.numeric import added
from lab.retrieve.lexical import BM25, TFIDF, LexicalIndex
from lab_packs.inside import postings
from lab_packs.inside.postings import coded_bytes, conjunction, disjunction, gaps, lists_of, size_of, walk

WORDS = ("kiln", "clay", "glaze", "ferry", "the", "the", "the", "of", "of", "年假", "几天", "报销")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), min_size=1, max_size=40)
QUESTIONS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
SEARCHES = st.sampled_from(
    [BM25(), BM25(variant="okapi"), BM25(variant="l"), BM25(variant="plus"), BM25(variant="no-log-idf"), TFIDF()]
)


def corpus_of(texts: list[str]) -> Corpus:
    return Corpus("drawn", tuple(Document(f"d{i}", text) for i, text in enumerate(texts)))


def index_of(*texts: str, **how: Any) -> LexicalIndex:
    return BM25(**how).index(corpus_of(list(texts)))


@examples(60)
@given(SEARCHES, TEXTS, QUESTIONS, st.integers(1, 12))
def test_the_best_of_the_walk_are_those_of_the_search_to_the_last_digit(
    search: BM25 | TFIDF, texts: list[str], question: str, k: int
) -> None:
    index = search.index(corpus_of(texts))
    walked, found = walk(index, question, k=k), index.search(question, k=k)
    assert [index.corpus.documents[d].id for d, _ in walked.best()] == found.ids
    assert [score for _, score in walked.best()] == [hit.score for hit in found.hits]


@examples(60)
@given(SEARCHES, TEXTS, QUESTIONS, st.integers(1, 12))
def test_every_step_says_what_is_so(search: BM25 | TFIDF, texts: list[str], question: str, k: int) -> None:
    index = search.index(corpus_of(texts))
    walked = walk(index, question, k=k)
    where = [dict(zip(own.documents.tolist(), own.addends.tolist(), strict=True)) for own in walked.lists]
    scores = {hit.document.id: hit.score for hit in index.search(question, k=len(texts)).hits}
    visited = [step.document for step in walked.steps]
    assert visited == sorted(set(visited))
    for n, step in enumerate(walked.steps):
        true = scores[index.corpus.documents[step.document].id]
        named = {i for i, _ in step.read} | set(step.absent) | set(step.spared)
        assert named >= set(range(len(walked.lists))) - set(step.essential)
        assert all(where[i][step.document] == value for i, value in step.read)
        assert not any(step.document in where[i] for i in step.absent)
        assert step.bound >= true or math.isclose(step.bound, true)
        before = walked.best(n)
        assert step.needed == (before[-1][1] if len(before) == k else None)
        if step.score is None:
            assert step.needed is not None
            assert true <= step.needed
        else:
            assert step.score == true
            after = [document for document, _ in walked.best(n + 1)]
            assert step.rank == (after.index(step.document) + 1 if step.document in after else 0)
            gone = {document for document, _ in before} - set(after)
            assert gone == ({step.displaced} if step.displaced is not None else set())


@examples(60)
@given(SEARCHES, TEXTS, QUESTIONS, st.integers(1, 6))
def test_what_is_passed_over_could_not_come_among_the_best(
    search: BM25 | TFIDF, texts: list[str], question: str, k: int
) -> None:
    index = search.index(corpus_of(texts))
    walked = walk(index, question, k=k)
    visited = {step.document for step in walked.steps}
    holding = {d for own in walked.lists for d in own.documents.tolist()}
    assert walked.candidates == len(holding)
    assert sum(walked.passed(n)[0] for n in range(len(walked.steps) + 1)) == len(holding - visited)
    for n in range(len(walked.steps) + 1):
        number, lists = walked.passed(n)
        if number:
            most = added(walked.lists[i].bound for i in lists) + walked.constant
            assert most <= walked.best(n)[-1][1]
    assert walked.postings == sum(map(len, walked.lists))
    assert walked.read == sum(len(walked.reads(i)) for i in range(len(walked.lists)))


def test_a_frequent_word_is_read_only_where_a_rare_one_brings_a_passage_in() -> None:
    index = index_of(*["kiln the"] * 3, *["the"] * 30)
    walked = walk(index, "kiln the", k=3)
    names = [own.name for own in walked.lists]
    assert names == ["kiln", "the"]
    assert [len(walked.reads(i)) for i in range(2)] == [3, 3]
    assert len(walked.steps) == 3
    assert walked.passed(3) == (30, (1,))


def test_more_than_the_rare_word_has_means_reading_everything() -> None:
    better = ["the" + " clay" * i for i in range(30, 0, -1)]  # each better than the one before
    walked = walk(index_of(*["kiln the"] * 3, *better), "kiln the", k=4)
    assert walked.read == walked.postings == 3 + 33


def test_a_tie_with_the_last_of_the_best_is_read_since_it_may_come_before_it() -> None:
    walked = walk(index_of(*["kiln the"] * 3, *["the"] * 30), "kiln the", k=4)
    assert len(walked.steps) == 33
    assert walked.best()[-1][0] == min(range(3, 33), key=lambda i: tie_key(f"d{i}"))


def test_without_positive_addends_nothing_is_skipped() -> None:
    texts = ["the clay"] * 5 + [
        "clay"
    ] * 5  # both words are in half of the passages or more: Okapi's IDF is not positive
    walked = walk(index_of(*texts, variant="okapi", epsilon=0.0), "the clay", k=1)
    assert not walked.skips
    assert walked.read == walked.postings


def test_a_question_without_known_words_has_no_steps() -> None:
    walked = walk(index_of("kiln"), "zebra")
    assert (walked.steps, walked.lists, walked.postings, walked.candidates, walked.best()) == ((), (), 0, 0, [])
    assert walked.passed(0) == (0, ())


def test_less_than_one_passage_cannot_be_looked_for() -> None:
    with pytest.raises(ParameterError, match="k is 0"):
        walk(index_of("kiln"), "kiln", k=0)


def test_long_lists_are_walked_from_the_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(*["kiln clay"] * 30)
    whole = walk(index, "kiln clay", k=5)
    monkeypatch.setattr(postings, "MOST", 21)
    walked = walk(index, "kiln clay", k=5)
    assert walked.end == 10  # 21 postings are of ten passages and one half
    assert walked.postings == 20
    assert walked.steps == whole.steps[: len(walked.steps)]
    assert all(step.document < 10 for step in walked.steps)


@examples(60)
@given(TEXTS, QUESTIONS)
def test_and_and_or_are_those_of_sets(texts: list[str], question: str) -> None:
    lists = lists_of(BM25().index(corpus_of(texts)), question)
    sets = [set(own.documents.tolist()) for own in lists]
    every, some = conjunction(lists), disjunction(lists)
    if sets:
        assert every[-1].left == len(set.intersection(*sets))
        assert some[-1].left == len(set.union(*sets))
    assert [merge.documents for merge in every] == sorted(map(len, sets))
    assert [merge.name for merge in some] == [own.name for own in lists]


def test_gaps_and_their_bytes() -> None:
    assert gaps(np.array([2, 6, 7])).tolist() == [3, 4, 1]
    assert coded_bytes(np.array([1, 127, 128, 16383, 16384, 2**21, 2**35])).tolist() == [1, 1, 2, 2, 3, 4, 6]


@examples(60)
@given(TEXTS)
def test_the_size_of_an_index_is_that_of_its_lists(texts: list[str]) -> None:
    index = BM25().index(corpus_of(texts))
    matrix, size = index.matrix, size_of(index)
    columns = [matrix.docs[matrix.column(j)] for j in range(len(matrix.vocabulary))]
    assert size.terms == len(columns)
    assert size.postings == sum(map(len, columns))
    assert size.plain == 4 * size.postings
    assert size.coded == sum(int(coded_bytes(gaps(own)).sum()) for own in columns)
