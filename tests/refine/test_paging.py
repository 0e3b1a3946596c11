"""Pages of a list, and the two ways in which RAGFlow counts them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document, Pipeline, Query, Ranking, Runner
from lab.refine.hybrid import HybridSimilarity
from lab.refine.paging import Paging, aligned
from lab.retrieve.given import Given

CORPUS = Corpus("many", tuple(Document(f"d{i}", f"text {i}", metadata={"grade": -i}) for i in range(200)))


def page(number: int, size: int = 10, n: int = 200, **knobs: object) -> list[str]:
    search = Pipeline((Given("grade"),), depth=200) % n >> Paging(number, size, **knobs)  # type: ignore[arg-type]
    return Runner(CORPUS)(search, "any", 200).ids


def ids(first: int, last: int) -> list[str]:
    """The documents at these ranks, from 1."""
    return [f"d{i}" for i in range(first - 1, last)]


OLD = {"counted": "list", "rounding": "nearest"}


@pytest.mark.parametrize("number", range(1, 7))
def test_in_the_first_window_both_ways_give_the_page(number: int) -> None:
    for knobs in ({}, OLD, {"window": 0}):
        assert page(number, **knobs) == ids(10 * number - 9, 10 * number)


@pytest.mark.parametrize("number", [7, 8, 12, 20])
def test_behind_the_first_window_the_old_way_is_empty(number: int) -> None:
    assert page(number, **OLD) == []
    assert page(number) == ids(10 * number - 9, 10 * number)


def test_a_page_of_two_hundred_has_one_result_by_the_nearest_window() -> None:
    assert len(page(1, 200, **OLD)) == 1
    assert page(1, 200) == ids(1, 200)


@pytest.mark.parametrize(
    ("size", "nearest", "up"), [(10, 60, 70), (20, 60, 80), (30, 60, 90), (50, 50, 100), (200, 1, 200)]
)
def test_the_window_is_rounded_as_the_versions_do(size: int, nearest: int, up: int) -> None:
    assert (aligned(64, size, "nearest"), aligned(64, size, "up")) == (nearest, up)
    assert nearest == max(1, int(64 // size + (64 % size) / size + 0.5) * size)
    assert up == math.ceil(64 / size) * size


def test_what_is_on_another_page_says_so() -> None:
    ranking = Runner(CORPUS)(Given("grade") % 30 >> Paging(2, 10), "any", 200)
    assert ranking.dropped[0].reason == "Rank 1: page 2 has ranks 11 to 20."
    ranking = Runner(CORPUS)(Given("grade") % 100 >> Paging(7, 10, **OLD), "any", 200)  # type: ignore[arg-type]
    assert len(ranking.dropped) == 100
    assert ranking.dropped[99].reason == "Rank 100: page 7 is empty, it begins at place 61, and the window ends at 60."
    ranking = Runner(CORPUS)(Given("grade") % 30 >> Paging(5, 10), "any", 200)
    assert ranking.dropped[0].reason == "Rank 1: page 5 is empty, it begins at place 41, and the list ends at 30."


@given(st.integers(0, 60), st.integers(1, 15), st.integers(0, 20))
def test_the_pages_of_a_list_are_the_list(n: int, size: int, window: int) -> None:
    hits = Given("grade").index(CORPUS).search("any", k=max(n, 1)).hits[:n]
    ranking = Ranking(Query("any"), hits, Given("grade"), corpus=CORPUS)
    pages = [Paging(number, size, window)(ranking).ids for number in range(1, 70)]
    assert [i for one in pages for i in one] == ranking.ids


def test_after_a_reranker_a_result_stays_in_its_window_though_others_are_removed() -> None:
    texts = ["battery", "tea", "battery", "tea", "battery charger", "battery", "cake", "battery"]
    corpus = Corpus("x", tuple(Document(f"d{i}", t, metadata={"grade": -i}) for i, t in enumerate(texts)))
    search = Given("grade") >> HybridSimilarity(0.0, threshold=0.5, saturation=0.0, window=4, page_size=2)
    runner = Runner(corpus)
    assert runner(search, "battery", 10).ids == ["d0", "d2", "d4", "d5", "d7"]
    pages = [runner(search >> Paging(n, 2, 4), "battery", 10).ids for n in (1, 2, 3, 4, 5)]
    assert pages == [["d0", "d2"], [], ["d4", "d5"], ["d7"], []]
