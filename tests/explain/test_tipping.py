"""Tipping points: each reported one is real, none is missing, and the staircase of quality fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples, for_each

from lab.algebra import Corpus, Document, Hit, Ranking
from lab.errors import EvaluationError, ParameterError
from lab.explain.tipping import Constant, Crossing, Straight, Tipping, Weight, quality, tipping
from lab.fuse import ISR, RRF, CombMNZ, ShareSum, WeightedSum
from lab.retrieve.lexical import BM25, TFIDF

NAMES = [f"d{i:02}" for i in range(30)]
CORPUS = Corpus("thirty", tuple(Document(name, name) for name in NAMES))


def ranked(ids: list[str], scores: list[float] | None = None, by=None) -> Ranking:
    scores = scores or [float(len(ids) - i) for i in range(len(ids))]
    return Ranking(
        "q", tuple(Hit(CORPUS.get(i), s) for i, s in zip(ids, scores, strict=True)), by or BM25(), corpus=CORPUS
    )


@st.composite
def several(draw: st.DrawFn, low: int = 2, high: int = 4) -> list[Ranking]:
    out = []
    for _ in range(draw(st.integers(low, high))):
        own = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=20, unique=True))
        scores = sorted((draw(st.integers(1, 400)) / 16 for _ in own), reverse=True)  # few values: ties happen
        out.append(ranked(own, scores))
    return out


@st.composite
def weights_for(draw: st.DrawFn, lists: int) -> tuple[float, ...]:
    return tuple(draw(st.lists(st.sampled_from([0.1, 0.25, 0.5, 1.0, 3.0]), min_size=lists, max_size=lists)))


def crossings(
    fusion: ShareSum, rankings: list[Ranking], axis: Weight | Constant | None = None, *, n: int = 5
) -> tuple[Crossing, ...]:
    return tipping(fusion, rankings, axis, n=n).crossings


def first(fusion: ShareSum, rankings: list[Ranking], n: int) -> tuple[Document, ...]:
    return tuple(hit.document for hit in fusion(rankings).hits[:n])


def near(tip: Tipping, value: float, by: float) -> bool:
    return any(abs(value - i.low) <= by for i in tip.intervals) or any(abs(value - i.high) <= by for i in tip.intervals)


def scores(fusion: ShareSum, rankings: list[Ranking], axis: Weight, value: float) -> dict[str, float]:
    return {h.document.id: h.score for h in axis.with_value(fusion, len(rankings), value)(rankings)}


def alike(
    fusion: ShareSum, rankings: list[Ranking], axis: Weight, value: float, told: Sequence[Document], n: int
) -> None:
    """The operator has these documents first, but for an exact tie, which may round to two scores."""
    found, here = (
        first(axis.with_value(fusion, len(rankings), value), rankings, n),
        scores(fusion, rankings, axis, value),
    )
    for one, other in zip(found, told, strict=True):
        assert one == other or here[one.id] == pytest.approx(here[other.id], rel=1e-12)


@st.composite
def fusions(draw: st.DrawFn, lists: int) -> ShareSum:
    """Every fusion with weights, under every normalisation."""
    weights, kind = draw(weights_for(lists)), draw(st.sampled_from(["min-max", "z-score", "l2", "3-sigma", "none"]))
    rrf = RRF(k=draw(st.sampled_from([0, 1, 60])), weights=weights)
    qdrant = RRF(k=draw(st.sampled_from([1, 2, 60])), weights=weights, form="qdrant")
    return draw(st.sampled_from([rrf, qdrant, WeightedSum(weights, kind), CombMNZ(weights, kind), ISR(weights)]))


@examples(80)
@given(st.data(), several(), st.integers(1, 6))
def test_along_a_weight_the_real_operator_agrees_everywhere(
    data: st.DataObject, rankings: list[Ranking], n: int
) -> None:
    fusion = data.draw(fusions(len(rankings)))
    axis = Weight(data.draw(st.integers(0, len(rankings) - 1)))
    tip = tipping(fusion, rankings, axis, n=n)

    # just below and just above each crossing: the two orders that it claims
    for left, right in zip(tip.intervals, tip.intervals[1:], strict=False):
        assert left.high == right.low
        assert left.documents != right.documents
        step = min(left.high - left.low, right.high - right.low) / 4
        if step > 1e-7:
            alike(fusion, rankings, axis, left.high - step, left.documents, n)
            alike(fusion, rankings, axis, right.low + step, right.documents, n)
    for c in tip.crossings:
        here = scores(fusion, rankings, axis, c.value)
        assert here[c.upper_before.id] == pytest.approx(here[c.upper_after.id], abs=1e-9), "they meet at the crossing"
        interval_before = next(i for i in tip.intervals if i.high == c.value)
        step = (interval_before.high - interval_before.low) / 4
        below = scores(fusion, rankings, axis, c.value - step)
        above = scores(fusion, rankings, axis, c.value + (tip.interval_at(c.value).high - c.value) / 4)
        assert below[c.upper_before.id] >= below[c.upper_after.id] - 1e-12
        assert above[c.upper_after.id] >= above[c.upper_before.id] - 1e-12
        assert 1 <= c.rank <= n

    # nothing moves elsewhere
    for value in np.linspace(0.0013, 0.9987, 83).tolist():
        if not near(tip, value, 1e-7):
            alike(fusion, rankings, axis, value, tip.interval_at(value).documents, n)


@pytest.mark.parametrize("fusion", [CombMNZ(), CombMNZ(normalisation="none"), ISR()], ids=repr)
@examples(60)
@given(st.data(), several(), st.integers(1, 6))
def test_in_the_middle_of_each_interval_the_fusion_with_that_weight_has_that_order(
    fusion: ShareSum, data: st.DataObject, rankings: list[Ranking], n: int
) -> None:
    """Of the fusions that count the lists of a document; where another document joins them, the tie is exact."""
    fusion = fusion.weighted(data.draw(weights_for(len(rankings))))
    axis = Weight(data.draw(st.integers(0, len(rankings) - 1)))
    tip = tipping(fusion, rankings, axis, n=n)
    assert (tip.intervals[0].low, tip.intervals[-1].high) == (0.0, 1.0)
    for interval in tip.intervals:
        if interval.high - interval.low > 1e-7:
            middle = (interval.low + interval.high) / 2
            alike(fusion, rankings, axis, middle, interval.documents, n)
    now = scores(fusion, rankings, axis, tip.current)
    for line in tip.lines():  # straight, also where the number of lists multiplies
        (_, low), (_, high) = zip(line.x, line.y, strict=True)
        assert low + (high - low) * tip.current == pytest.approx(now[line.document.id], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("low", "found"), [(0.25, [0.5]), (0.5, []), (0.75, [])])
def test_a_crossing_at_the_end_of_an_interval_is_not_inside_it(low: float, found: list[float]) -> None:
    lines = Straight([Fraction(0), Fraction(1)], [Fraction(2), Fraction(1)])
    assert lines.crossings(0, 1, low, 1.0) == found


def test_the_crossing_of_isr_counts_the_lists_of_a_document() -> None:
    # d00 is first in one list alone: 1 · w; d01 is second in both: 2 · (w/4 + (1 - w)/4) = 1/2
    rankings = [ranked(["d00", "d01"]), ranked(["d02", "d01"], by=TFIDF())]
    found = crossings(ISR(), rankings, Weight(0), n=1)
    assert [c.value for c in found] == [1 / 2]
    assert (found[0].upper_before.id, found[0].upper_after.id) == ("d02", "d00")
    # with CombMNZ on raw scores d00 has 4 w, d01 has 2 (w + 2 (1 - w)) and d02 has 3 (1 - w)
    rankings = [ranked(["d00", "d01"], [4.0, 1.0]), ranked(["d02", "d01"], [3.0, 2.0], by=TFIDF())]
    (found,) = crossings(CombMNZ(normalisation="none"), rankings, Weight(0), n=1)
    assert found.value == pytest.approx(4 / 6, rel=1e-12)  # where 4 w = 4 - 2 w
    assert (found.upper_before.id, found.upper_after.id) == ("d01", "d00")


@examples(40)
@given(st.data(), several(), st.integers(1, 6))
def test_along_k_the_real_operator_agrees_at_every_whole_number(
    data: st.DataObject, rankings: list[Ranking], n: int
) -> None:
    fusion = RRF(weights=data.draw(weights_for(len(rankings))))
    tip = tipping(fusion, rankings, Constant(), n=n)
    for k in [*range(1, 60), *range(60, 1000, 47), 1000]:
        if not near(tip, k, 1e-6):
            assert first(Constant().with_value(fusion, len(rankings), k), rankings, n) == tip.interval_at(k).documents


@examples(60)
@given(st.data(), several(), st.integers(1, 6))
def test_along_k_each_crossing_has_its_two_orders_just_below_and_just_above(
    data: st.DataObject, rankings: list[Ranking], n: int
) -> None:
    weights, form = data.draw(weights_for(len(rankings))), data.draw(st.sampled_from(["paper", "qdrant"]))
    tip = tipping(RRF(weights=weights, form=form), rankings, Constant(), n=n)

    def exactly(doc_id: str, k: float) -> Fraction:  # the formula, at any real k
        ranks = [r.rank(doc_id) for r in rankings]
        if form == "qdrant":
            pairs = zip(map(Fraction, weights), ranks, strict=True)
            return sum((1 / (r / w + Fraction(k) - 1) for w, r in pairs if r), Fraction(0))
        return sum((Fraction(w) / (Fraction(k) + r) for w, r in zip(weights, ranks, strict=True) if r), Fraction(0))

    def order(k: float) -> tuple[str, ...]:
        union = {h.document.id for r in rankings for h in r}
        return tuple(sorted(union, key=lambda i: (-exactly(i, k), i))[:n])

    for left, right in zip(tip.intervals, tip.intervals[1:], strict=False):
        by = min(left.high - left.low, right.high - right.low, 1e-6) / 2
        assert order(left.high - by) == tuple(d.id for d in left.documents)
        assert order(right.low + by) == tuple(d.id for d in right.documents)
    for c in tip.crossings:
        assert float(exactly(c.upper_before.id, c.value) - exactly(c.upper_after.id, c.value)) == pytest.approx(
            0, abs=1e-12
        )
    for k in np.geomspace(1, 1000, 97).tolist():
        if not near(tip, k, 1e-9):
            assert order(k) == tuple(d.id for d in tip.interval_at(k).documents)


def test_the_crossing_of_two_documents_is_where_their_formulas_are_equal() -> None:
    # a is at ranks 1 and 3, b at 2 and 1: w/61 + (1-w)/63 = w/62 + (1-w)/61
    rankings = [ranked(["d00", "d01"]), ranked(["d01", "d02", "d00"], by=TFIDF())]
    (crossing,) = crossings(RRF(), rankings, Weight(0), n=1)
    gain, loss = 1 / 61 - 1 / 62, 1 / 61 - 1 / 63
    assert crossing.value == pytest.approx(loss / (gain + loss), rel=1e-12)
    assert (crossing.upper_before.id, crossing.upper_after.id, crossing.rank) == ("d01", "d00", 1)


def test_the_crossing_in_k_solves_the_quadratic_equation() -> None:
    # a: rank 1 and rank 9; b: rank 3 and rank 4.  1/(k+1) + 1/(k+9) = 1/(k+3) + 1/(k+4)
    # 2k+10 over (k+1)(k+9) = 2k+7 over (k+3)(k+4)  =>  (2k+10)(k²+7k+12) = (2k+7)(k²+10k+9)
    # 2k³+24k²+94k+120 = 2k³+27k²+88k+63  =>  3k² - 6k - 57 = 0  =>  k = 1 + sqrt(20)
    one = ["d00", "d10", "d01", "d11"]
    two = ["d12", "d13", "d14", "d01", "d15", "d16", "d17", "d18", "d00"]
    found = crossings(RRF(), [ranked(one), ranked(two)], Constant(), n=1)
    assert [c.value for c in found] == pytest.approx([1 + math.sqrt(20)], rel=1e-12)
    assert (found[0].upper_before.id, found[0].upper_after.id) == ("d00", "d01")


def test_lines_that_only_touch_are_no_crossing() -> None:
    # 1/(k+2) + 1/(k+2) - 1/(k+1) - 1/(k+3) never changes its sign; equal ranks in other lists never differ
    rankings = [ranked(["d00", "d01", "d02"]), ranked(["d02", "d01", "d00"])]
    assert [
        c
        for c in crossings(RRF(), rankings, Constant(), n=3)
        if {c.upper_before.id, c.upper_after.id} == {"d00", "d02"}
    ] == []


def test_three_documents_that_meet_in_one_point_give_every_pair_that_swaps() -> None:
    rankings = [ranked(["d00", "d01", "d02"], [3.0, 2.0, 1.0]), ranked(["d02", "d01", "d00"], [3.0, 2.0, 1.0])]
    found = crossings(WeightedSum(normalisation="none"), rankings, n=3)
    assert {c.value for c in found} == {0.5}
    assert {(c.upper_before.id, c.upper_after.id) for c in found} == {("d02", "d01"), ("d02", "d00"), ("d01", "d00")}


def test_winners_cover_the_range_and_name_who_is_first() -> None:
    rankings = [ranked(["d00", "d01"]), ranked(["d01", "d02", "d00"])]
    winners = tipping(RRF(), rankings, n=1).intervals
    assert [w.documents[0].id for w in winners] == ["d01", "d00"]
    assert (winners[0].low, winners[-1].high) == (0.0, 1.0)
    assert winners[0].high == winners[1].low


def test_the_current_setting_is_on_the_axis() -> None:
    rankings = [ranked(["d00"]), ranked(["d01"])]
    assert tipping(RRF(weights=(3, 1)), rankings, Weight(0)).current == 3 / 4
    assert tipping(RRF(), rankings, Weight(1)).current == 1 / 2
    assert tipping(RRF(k=7), rankings, Constant()).current == 7


def test_the_other_lists_keep_their_proportion() -> None:
    moved = Weight(1).with_value(WeightedSum((3.0, 1.0, 1.0)), 3, 0.6)
    assert moved.weights == pytest.approx((0.4 * 3 / 4, 0.6, 0.4 * 1 / 4))


@examples(20)
@given(several(2, 3))
def test_lines_pass_through_the_operators_scores_and_meet_at_the_crossings(rankings: list[Ranking]) -> None:
    tip = tipping(RRF(), rankings, Weight(0))
    for line in tip.lines():
        for x, y in zip(line.x, line.y, strict=True):
            assert y == pytest.approx(scores(RRF(), rankings, Weight(0), x)[line.document.id], abs=1e-12)
    assert {d.id for d in tip.contenders} == {line.document.id for line in tip.lines()}
    bent = tipping(RRF(), rankings, Constant())
    for line in bent.lines(relative=True):
        assert max(line.y) <= 1
    at = {line.document.id: dict(zip(line.x, line.y, strict=True)) for line in bent.lines()}
    for c in bent.crossings:
        assert at[c.upper_before.id][c.value] == pytest.approx(at[c.upper_after.id][c.value], rel=1e-9)


@examples(15)
@given(several(2, 3), several(2, 3), st.sets(st.sampled_from(NAMES), min_size=1))
def test_quality_is_the_mean_of_the_measure_at_every_setting(
    one: list[Ranking], two: list[Ranking], relevant: set[str]
) -> None:
    lists = min(len(one), len(two))
    queries = [
        (one[:lists], {i: 1 + n % 2 for n, i in enumerate(sorted(relevant))}),
        (two[:lists], {"d00": 1, "d05": 3}),
    ]
    steps = quality(RRF(), queries, Weight(0))
    assert (steps[0].low, steps[-1].high) == (0.0, 1.0)
    for step in steps:
        if step.high - step.low < 1e-7:
            continue
        middle = (step.low + step.high) / 2
        values = []
        for rankings, grades in queries:
            fused = Weight(0).with_value(RRF(), lists, middle)(rankings)
            run = {"q": {h.document.id: float(len(fused) - i) for i, h in enumerate(fused)}}
            values.append(
                ir_measures.calc_aggregate([ir_measures.nDCG @ 10], {"q": grades}, run)[ir_measures.nDCG @ 10]
            )
        assert step.value == pytest.approx(sum(values) / 2)


def test_quality_without_judgments_for_a_query_counts_it_as_zero() -> None:
    rankings = [ranked(["d00"]), ranked(["d01"])]
    steps = quality(RRF(), [(rankings, {}), (rankings, {"d00": 1})], measure="RR@1")
    assert [s.value for s in steps] == [0.0, 0.5]


def test_what_cannot_be_moved_is_refused() -> None:
    rankings = [ranked(["d00"]), ranked(["d01"])]
    with pytest.raises(ParameterError, match="Only RRF"):
        tipping(WeightedSum(), rankings, Constant())
    with pytest.raises(ParameterError):
        tipping(RRF(), rankings[:1])
    with pytest.raises(ParameterError):
        tipping(RRF(), rankings, Weight(2))
    with pytest.raises(ParameterError):
        tipping(RRF(weights=(1, 1, 1)), rankings)
    with pytest.raises(EvaluationError):
        quality(RRF(), [(rankings, {})], measure="AP")
    with pytest.raises(EvaluationError):
        quality(RRF(), [])


def test_empty_lists_have_no_tipping_points() -> None:
    nothing = Ranking("q", (), BM25(), corpus=CORPUS)
    tip = tipping(RRF(), [nothing, nothing])
    assert (tip.crossings, tip.lines(), tip.contenders) == ((), (), ())
    assert len(crossings(RRF(), [nothing, ranked(["d00", "d01"])])) == 0


@for_each("name", ["nDCG@0", "nDCG(foo=1)@10", "foo@10", "P@-1", "__import__('os')"])
def test_what_is_no_measure_is_refused_before_anything_is_computed(name: str) -> None:
    lists = [ranked(["d00", "d01"]), ranked(["d01", "d00"], by=TFIDF())]
    with pytest.raises(EvaluationError):
        quality(RRF(), [(lists, {"d00": 1})], measure=name)


def test_empty_lists_have_no_lines_however_they_are_drawn() -> None:
    nothing = Ranking("q", (), BM25(), corpus=CORPUS)
    for axis in (Constant(), Weight()):
        assert tipping(RRF(), [nothing, nothing], axis).lines(relative=True) == ()


def test_what_cannot_be_counted_or_added_is_refused() -> None:
    lists = [ranked(["d00"]), ranked(["d01"])]
    for n in (1.5, "3", None, True, 0):
        with pytest.raises(ParameterError, match="n is"):
            tipping(RRF(), lists, n=n)  # type: ignore[arg-type]
    for score in (float("inf"), float("nan"), 1e308):
        odd = Ranking("q", (Hit(CORPUS.documents[0], score), Hit(CORPUS.documents[1], 0.0)), BM25(), corpus=CORPUS)
        with pytest.raises(ParameterError, match="A score of BM25 is"):
            tipping(WeightedSum(), [odd, lists[1]])
