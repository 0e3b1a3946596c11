"""The exact search with a store's filters and thresholds: numpy's ranking, its limits, and what is missed."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each, spread

from lab.algebra import Corpus, Document, Runner, tie_key
from lab.corpus import samples
from lab.errors import QueryError
from lab.explain.approximation import misses
from lab.models.static import BuiltIn
from lab.retrieve import chroma
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.store import ExactVector, StoreVector
from lab.retrieve.vector import SCALES, SPACES, Vector
from lab.retrieve.where import filter_test

WORDS = ["battery", "noise", "headphones", "charger", "leave", "refund", "电池", "耳机", "充电", "报销", "年假", "退货"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join), min_size=1, max_size=40)


def corpus_of(texts: list[str]) -> Corpus:
    return Corpus(
        "exact", tuple(Document(f"d{i}", text, metadata={"even": i % 2 == 0}) for i, text in enumerate(texts))
    )


def ranked(space: str, scale: str, corpus: Corpus, question: str) -> list[tuple[str, float]]:
    """Every document with its distance by numpy, nearest first; none that has nothing in common with the question."""
    encoder = BuiltIn().fit(corpus)
    rows = np.asarray(encoder.documents([d.content for d in corpus]), dtype=float)
    asked = np.asarray(encoder.queries([question])[0], dtype=float)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if scale != "as they are" or space == "cosine":
        asked = asked / np.linalg.norm(asked)
        rows = rows / lengths
        if scale == "by length" and space != "cosine":
            sizes = np.array([len(d.content) for d in corpus], dtype=float)
            rows *= (sizes / sizes.mean())[:, None]
    away = ((rows - asked) ** 2).sum(axis=1) if space == "l2" else 1 - rows @ asked
    matches = np.ones(len(corpus), bool) if space == "l2" else np.abs(away - 1) > 1e-9
    found = [(d.id, float(far)) for d, far, match in zip(corpus, away, matches, strict=True) if match]
    return sorted(found, key=lambda near: (round(near[1], 9), tie_key(near[0])))


@pytest.mark.parametrize(("space", "scale"), spread(list(itertools.product(SPACES, SCALES)), 5))
@given(texts=TEXTS, question=st.sampled_from(["battery noise", "电池 充电 refund", "leave"]))
def test_the_exact_lists_are_numpys_ranking(space: str, scale: str, texts: list[str], question: str) -> None:
    corpus = corpus_of(texts)
    true = ranked(space, scale, corpus, question)
    ranking = ExactVector(space=space, scale=scale).index(corpus).search(question, k=len(corpus))
    assert ranking.ids == [doc for doc, _ in true]
    assert [near.distance for near in ranking.evidence] == pytest.approx([d for _, d in true], abs=1e-6)
    odd = ExactVector(space=space, scale=scale, where='{"even": false}').index(corpus).search(question, k=3)
    assert odd.ids == [doc for doc, _ in true if int(doc[1:]) % 2][:3]
    if true:
        limit = max(0.0, true[len(true) // 2][1] + 1e-6)
        near = ExactVector(space=space, scale=scale, max_distance=limit).index(corpus).search(question, k=len(corpus))
        assert near.ids == [doc for doc, distance in true if distance <= limit]
        assert [drop.document.id for drop in near.dropped] == [doc for doc, distance in true if distance > limit]


@for_each("space", list(SPACES))
def test_without_filter_and_threshold_it_is_the_vector_search_of_whole_passages(space: str) -> None:
    corpus = corpus_of([f"{a} {b} {i}" for i, (a, b) in enumerate(itertools.product(WORDS, WORDS))] * 5)
    for scale in SCALES:
        ours = ExactVector(space=space, scale=scale).index(corpus).search("电池 noise", k=30)
        theirs = Vector(space=space, scale=scale, pieces="whole").index(corpus).search("电池 noise", k=30)
        assert [(h.document.id, h.score) for h in ours] == [(h.document.id, h.score) for h in theirs]


def test_a_stores_exact_search_keeps_its_filter_and_its_thresholds() -> None:
    store = ChromaVector(space="ip", scale="by length", where='{"a": 1}', max_distance=2, min_relevance=0.3)
    assert store.exact == ExactVector(
        space="ip", scale="by length", where='{"a": 1}', max_distance=2, min_relevance=0.3
    )
    assert not store.exact.approximate


# ------------------------------------------------------------------------------------------------ filters


def test_a_filter_of_many_levels_is_refused() -> None:
    where: dict[str, Any] = {"n": 1}
    for _ in range(30):
        where = {"$and": [where, where]}
    with pytest.raises(QueryError, match="not a filter"):
        filter_test(where)


# ----------------------------------------------------------------------------------------------- the misses

MANY = corpus_of([f"{a} {b} {c}" for a, b, c in itertools.islice(itertools.product(WORDS, WORDS, WORDS), 150)])


@pytest.fixture
def unreachable(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Places in the corpus to which no edge of Chroma's graph leads."""
    lost: set[int] = set()
    whole = chroma.CollectionStore._query

    def query(self: Any, vector: Any, n: int, where: Any) -> tuple[list[float], list[str]]:
        distances, ids = whole(self, vector, min(n + len(lost), len(MANY)), where)
        kept = [(d, i) for d, i in zip(distances, ids, strict=True) if int(i) not in lost][:n]
        return [d for d, _ in kept], [i for _, i in kept]

    monkeypatch.setattr(chroma.CollectionStore, "_query", query)
    return lost


@pytest.mark.parametrize(("space", "k"), spread([(space, k) for space in SPACES for k in (5, 20, 150)], 4))
def test_what_the_graph_lost_is_told_with_its_exact_rank(space: str, k: int, unreachable: set[int]) -> None:
    runner, store = Runner(MANY), ChromaVector(space=space, scale="by length")
    exact = runner(store.exact, "电池 noise", k)
    before = misses(exact, runner(store, "电池 noise", k))
    wanted = {exact.ids[i]: i + 1 for i in (0, 2, k - 2)}
    unreachable |= {MANY.positions[doc] for doc in wanted}
    after = misses(exact, Runner(MANY)(store, "电池 noise", k))
    assert after.ranks == before.ranks | wanted
    assert list(after.ranks.values()) == sorted(after.ranks.values())
    assert after.n_reached == after.of - len(after.ranks)


@for_each("k", [1, 3, 10, 20, 50, 99, 150])
@for_each("space", ["cosine", "l2"])
def test_a_graph_that_reaches_everything_has_lost_nothing_whatever_rounding_does(space: str, k: int) -> None:
    runner = Runner(MANY)
    for scale in SCALES:
        flat: StoreVector = ChromaVector(space=space, scale=scale)
        exact, other = runner(flat.exact, "电池 noise", k), runner(flat, "电池 noise", k)
        assert not misses(exact, other).ranks
        assert misses(exact, other).n_reached == len(exact)


def test_a_passage_that_a_threshold_cuts_is_not_lost() -> None:
    runner, store = Runner(MANY), ChromaVector(scale="unit", max_distance=0.5)
    exact, other = runner(store.exact, "电池 noise", 50), runner(store, "电池 noise", 50)
    assert exact.dropped
    assert other.dropped
    assert misses(exact, other).of == len(exact) < 50
    assert not misses(exact, other).ranks


# ------------------------------------------------------------------------------ what the page's guide says of it

DEVICES = samples.load("devices").corpus


def test_by_inner_product_the_neighbours_of_a_passage_are_mostly_long_texts() -> None:
    rows = ExactVector(space="ip", scale="by length").rows(DEVICES, range(len(DEVICES))).astype(float)
    lengths = np.array([len(d.content) for d in DEVICES])
    products = rows @ rows.T
    np.fill_diagonal(products, -np.inf)
    neighbours = np.argsort(-products, axis=1)[:, :16]
    assert (lengths[neighbours] > np.median(lengths)).mean() == pytest.approx(0.99, abs=0.005)


@for_each("space, scale, loses", [("ip", "by length", True), ("cosine", "by length", False), ("ip", "unit", False)])
def test_chromas_graph_loses_passages_by_inner_product_where_the_lengths_differ(
    space: str, scale: str, loses: bool
) -> None:
    runner, store = Runner(DEVICES), ChromaVector(space=space, scale=scale)
    lost = misses(runner(store.exact, "AX-7200N factory reset", 100), runner(store, "AX-7200N factory reset", 100))
    assert (10 < len(lost.ranks) < 80) if loses else len(lost.ranks) <= 1  # once in thousands no edge leads to one
    assert lost.of == 100
