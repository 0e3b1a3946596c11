"""Time decay: two addends, dates as people write them, and a list without dates that stays as it is."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta

import pytest

from lab.algebra import ALONE, Corpus, Document, Hit, Query, Ranking, Runner
from lab.errors import ParameterError
from lab.explain.decaying import AgeWeight, HalfLife, tipping
from lab.refine.decay import AGE, AGE_UNKNOWN, Ages, TimeDecay
from lab.retrieve.lexical import BM25

CORPUS = Corpus(
    "prices",
    (
        Document("old", "The price of rye bread is two pounds, rye bread is fresh.", metadata={"date": "2020-01-01"}),
        Document("new", "The price of rye bread is three pounds.", metadata={"date": "2025-01-01"}),
        Document("none", "A price of bread nobody dated."),
        Document("odd", "Bread, undated on purpose.", metadata={"date": "last summer"}),
    ),
)
QUERY = "price of rye bread"


def test_a_score_is_the_first_one_and_what_is_left_of_the_bonus() -> None:
    before = Runner(CORPUS)(BM25(), QUERY)
    after = Runner(CORPUS)(BM25() >> TimeDecay(half_life=365, weight=0.4), QUERY)
    low, high = before.hits[-1].score, before.hits[0].score
    for hit in after.hits:
        first = (before.hit(hit.document.id).score - low) / (high - low)
        days = {"old": 1827, "new": 0}.get(hit.document.id)  # back from the newest date
        bonus = 0.5 if days is None else 0.5 ** (days / 365)
        assert hit.score == pytest.approx(0.6 * first + 0.4 * bonus, abs=1e-12)
        assert sum(part.value for part in hit.why) == pytest.approx(hit.score, abs=1e-12)
        assert hit.why[1].source == (AGE_UNKNOWN if days is None else AGE)
    assert isinstance(after.evidence, Ages)
    assert (after.evidence.as_of, after.evidence.undated) == (date(2025, 1, 1), 2)


def test_multiplied_an_old_document_loses_a_share_of_its_score() -> None:
    before = Runner(CORPUS)(BM25(), QUERY)
    after = Runner(CORPUS)(BM25() >> TimeDecay(365, 0.4, "product"), QUERY)
    low, high = before.hits[-1].score, before.hits[0].score
    first = (before.hit("old").score - low) / (high - low)
    assert after.hit("old").score == pytest.approx(first * (0.6 + 0.4 * 0.5 ** (1827 / 365)), abs=1e-12)


def test_a_later_date_has_the_age_of_none_and_the_reference_day_is_a_knob() -> None:
    stage = TimeDecay(as_of="2023-01-01")
    ages = stage.ages(Runner(CORPUS)(BM25(), QUERY))
    days = {d.id: n for d, n in zip(ages.documents, ages.days, strict=True)}
    assert days == {"old": 1096, "new": 0, "none": None, "odd": None}


@pytest.mark.parametrize(("missing", "bonus"), [("half", 0.5), ("old", 0.0), ("new", 1.0)])
def test_what_an_undated_document_counts_is_a_knob(missing: str, bonus: float) -> None:
    after = Runner(CORPUS)(BM25() >> TimeDecay(weight=1.0, missing=missing), QUERY)
    assert after.hit("none").score == bonus


def test_without_any_date_the_list_stays_as_it_is() -> None:
    bare = Corpus("bare", tuple(Document(d.id, d.text) for d in CORPUS))
    before, after = Runner(bare)(BM25(), QUERY), Runner(bare)(BM25() >> TimeDecay(weight=0.9), QUERY)
    assert after.hits == before.hits
    assert after.evidence.undated == len(before.hits)


@pytest.mark.parametrize("as_of", ["soon", "2025-13-40", "03/04/2025", "2025"])
def test_a_reference_that_is_not_one_day_is_refused(as_of: str) -> None:
    with pytest.raises(ParameterError, match="not one day"):
        TimeDecay(as_of=as_of)


# ------------------------------------------------------------------------------------------ tipping points


def a_list(rng: random.Random, n: int) -> tuple[Corpus, Ranking]:
    """Documents with random dates and a random list of all of them."""
    today = date(2025, 1, 1)
    days = [today - timedelta(days=rng.randrange(0, 2000)) for _ in range(n)]
    dates = [{"date": str(day)} if rng.random() < 0.9 else {} for day in days]
    corpus = Corpus("random", tuple(Document(f"d{i}", f"text {i}", metadata=own) for i, own in enumerate(dates)))
    scores = [rng.choice((rng.random(), 0.5)) for _ in range(n)]
    hits = sorted((Hit(d, s) for d, s in zip(corpus, scores, strict=True)), key=lambda h: -h.score)
    return corpus, Ranking(Query("x"), tuple(hits), BM25(), corpus=corpus)


@pytest.mark.parametrize("form", ["sum", "product"])
@pytest.mark.parametrize("seed", range(12))
def test_between_two_tipping_points_the_order_is_the_stages_own(seed: int, form: str) -> None:
    rng = random.Random(seed)
    corpus, ranking = a_list(rng, rng.randrange(2, 14))
    stage = TimeDecay(half_life=rng.randrange(1, 2000), weight=rng.random(), form=form, as_of="2025-01-01")
    ages = stage.ages(ranking)
    for axis in (HalfLife(), AgeWeight()):
        tips = tipping(stage, ages, axis)
        assert tips.intervals[0].low == axis.range[0]
        assert tips.intervals[-1].high == axis.range[1]
        for interval in tips.intervals:
            value = (interval.low + interval.high) / 2
            if isinstance(axis, HalfLife):
                value = round(value)
                if not interval.low < value < interval.high:
                    continue
            changed = {"half_life": value} if isinstance(axis, HalfLife) else {"weight": value}
            after = replace(stage, **changed).refine(ranking, ALONE)
            assert [h.document.id for h in after.hits][: len(interval.documents)] == [d.id for d in interval.documents]


def test_a_pair_can_tip_twice_over_the_half_life() -> None:
    dated = {"young": "2024-12-02", "old": "2024-07-05"}  # 30 and 180 days before the reference
    corpus = Corpus("two", tuple(Document(i, "text", metadata={"date": day}) for i, day in dated.items()))
    ages = Ages(date(2025, 1, 1), corpus.documents, (30, 180), (0.0, 1.0))
    tips = tipping(TimeDecay(weight=0.7, as_of="2025-01-01"), ages, HalfLife())
    assert [stretch.document.id for stretch in tips.winners] == ["old", "young", "old"]
    for border in (tips.winners[1].low, tips.winners[1].high):  # where they change, both scores are the same
        young, old = (0.7 * 0.5 ** (age / border) for age in (30, 180))
        assert young == pytest.approx(0.3 + old, abs=1e-9)
