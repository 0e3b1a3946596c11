"""The order of a context and the illustrative curve of attention."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document, Hit, Ranking
from lab.corpus import samples
from lab.errors import ParameterError
from lab.refine.reorder import ORDERS, PUBLISHED, LongContextReorder, arranged, attention, attention_on
from lab.retrieve.lexical import BM25

CORPUS = Corpus("letters", tuple(Document(c, c) for c in "ABCDEFGHIJ"))


def ranked(ids: str) -> Ranking:
    return Ranking("q", tuple(Hit(CORPUS.get(i), float(9 - n)) for n, i in enumerate(ids)), BM25(), corpus=CORPUS)


def ids(ranking: Ranking) -> str:
    return "".join(h.document.id for h in ranking)


def test_the_best_is_last_the_second_first_and_the_worst_in_the_middle() -> None:
    assert ids(LongContextReorder()(ranked("ABCD"))) == "BDCA"
    assert ids(LongContextReorder()(ranked("ABCDEF"))) == "BDFECA"


def test_for_an_odd_number_the_best_is_first_as_langchain_has_it() -> None:
    assert ids(LongContextReorder()(ranked("ABC"))) == "ACB"
    assert ids(LongContextReorder()(ranked("ABCDE"))) == ids(LongContextReorder("sides")(ranked("ABCDE"))) == "ACEDB"


def test_a_widespread_tutorial_is_wrong_about_four_documents() -> None:
    assert ids(LongContextReorder()(ranked("ABCD"))) != "BDAC"


@pytest.mark.parametrize(("order", "expected"), [("best first", "ABCDE"), ("reversed", "EDCBA"), ("sides", "ACEDB")])
def test_the_alternatives(order: str, expected: str) -> None:
    assert ids(LongContextReorder(order)(ranked("ABCDE"))) == expected


@given(st.integers(0, 10), st.sampled_from(list(ORDERS)))
def test_only_the_order_changes(n: int, order: str) -> None:
    before = ranked("ABCDEFGHIJ"[:n])
    after = LongContextReorder(order)(before)
    assert sorted(ids(after)) == sorted(ids(before))
    assert {h.document.id: h for h in after} == {h.document.id: h for h in before}
    assert after.dropped == ()


@given(st.integers(2, 30), st.sampled_from(["long-context", "sides"]))
def test_going_inwards_from_both_ends_the_rank_never_improves(n: int, order: str) -> None:
    line = arranged(range(n), order)
    worst = line.index(n - 1)
    assert list(line[: worst + 1]) == sorted(line[: worst + 1])
    assert list(line[worst:]) == sorted(line[worst:], reverse=True)
    assert {line[0], line[-1]} == {0, 1}


def test_the_curve_passes_through_the_published_points() -> None:
    curve = attention(20)
    for position, accuracy in zip((1, 5, 10, 15, 20), PUBLISHED, strict=True):
        assert curve[position - 1] == pytest.approx(accuracy / 75.8)


def test_depth_0_is_a_straight_line_and_a_larger_depth_a_deeper_middle() -> None:
    flat = attention(5, depth=0, start=80, end=80)
    assert flat == pytest.approx(np.ones(5))
    assert attention(9, depth=2)[4] < attention(9, depth=1)[4] < attention(9, depth=0)[4]
    assert attention(9, depth=2)[0] == attention(9, depth=1)[0] == 1


@given(st.integers(0, 50), st.floats(0, 2), st.floats(1, 100), st.floats(1, 100))
def test_a_curve_has_one_number_between_0_and_1_per_position(n: int, depth: float, start: float, end: float) -> None:
    curve = attention(n, depth=depth, start=start, end=end)
    assert curve.shape == (n,)
    assert ((curve >= 0) & (curve <= 1)).all()
    assert n == 0 or curve.max() == 1


def test_attention_on_relevant_documents_is_their_share_of_the_curve() -> None:
    assert attention_on([True, False, False, True], np.array([1.0, 0.5, 0.5, 0.75])) == (1 + 0.75) / 2.75
    assert attention_on([], np.array([])) == 0


def test_with_one_relevant_document_on_top_its_place_decides() -> None:
    curve = attention(4)
    by = {order: attention_on([d == "A" for d in arranged("ABCD", order)], curve) for order in ORDERS}
    assert by == pytest.approx(
        {
            "long-context": curve[3] / curve.sum(),
            "best first": curve[0] / curve.sum(),
            "reversed": curve[3] / curve.sum(),
            "sides": curve[0] / curve.sum(),
        }
    )


def test_impossible_knobs_are_refused() -> None:
    for call in (
        lambda: LongContextReorder("shuffled"),
        lambda: attention(3, depth=3),
        lambda: attention(-1),
        lambda: arranged("AB", "x"),
    ):
        with pytest.raises(ParameterError):
            call()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_figures_of_the_guide_are_those_of_the_questions_it_names(lang: str) -> None:
    shares: dict[str, list[list[float]]] = {"handbook": [], "devices": []}
    for name, found in shares.items():
        data = samples.load(name)
        index = BM25().index(data.corpus)
        for query in data.judged:
            good = [i in data.relevant(query.id) for i in index.search(query, k=10, explain=False).ids]
            if any(good):
                placed = [arranged(good, order) for order in ("long-context", "best first", "sides")]
                found.append([attention_on(line, attention(len(line))) for line in placed])
    guide = Path(f"pages/refine/reorder/guide.{lang}.md").read_text("utf-8")
    told = re.findall(r"0\.\d{3}", next(line for line in guide.splitlines() if "0.2" in line and "73" in line))
    means = [np.mean(found, axis=0) for found in shares.values()]
    assert told == [f"{mean[i]:.3f}" for i in range(3) for mean in means]
    assert list(map(len, shares.values())) == [73, 88]
