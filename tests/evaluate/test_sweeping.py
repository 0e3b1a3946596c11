"""Sweeps: every knob by its path, values within its bounds, a lead chosen on one half and told on the other."""

from __future__ import annotations

import numpy as np
import pytest
from night import sample, spread

from lab import samples
from lab.algebra import Corpus, Document, Query
from lab.corpus.beir import Collection
from lab.derive.chunk import Chunk
from lab.errors import EvaluationError, ParameterError, UnknownName
from lab.evaluate import evaluate, sweep
from lab.evaluate.learning import halves
from lab.evaluate.measures import Scores
from lab.evaluate.runs import Gathered, Run, run_many
from lab.evaluate.sweeping import Axis, Point, Sweep, axis, knobs, setting, settings, swept
from lab.formats import parse
from lab.fuse import RRF, WeightedSum
from lab.presets import presets
from lab.refine.coverage import QueryCoverage
from lab.refine.diversity import MMR
from lab.retrieve.lexical import BM25, TFIDF

SEARCH = WeightedSum(weights=(3, 1))(BM25(), TFIDF()) >> QueryCoverage(0.4) >> MMR(k=8)
DEVICES = samples.load("devices")


@pytest.mark.parametrize("search", spread([pytest.param(p.search, id=name) for name, p in presets().items()], 1))
def test_every_knob_of_a_search_can_be_set_to_each_of_its_values_and_is_found_again(search):
    found = knobs(search)
    assert found
    for path, own in found.items():
        assert own.current in own.values
        assert list(own.values) == sorted(own.values) or isinstance(own.current, str)
        for value in sample(own.values, 3):
            assert knobs(setting(search, path, value))[path].current == pytest.approx(value)
        assert setting(search, path, own.current) == search or path.endswith(("weights", "depth"))


def test_values_keep_to_the_bounds_of_the_knob_and_hold_the_present_one():
    found = knobs(SEARCH)
    assert found["refine.0.weight"].values == (0.0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0)
    assert found["refine.1.k"].values == (1, 2, 4, 8, 16, 32, 64, 128)
    assert found["retrieve.0.variant"].current == "lucene"
    assert found["fuse.weights"].current == 0.75
    assert setting(SEARCH, "fuse.weights", 0.25).fuse.weights == (0.25, 0.75)
    assert setting(SEARCH, "depth", 20).asks == 20
    assert setting(BM25(), "k1", 0.9) == BM25(k1=0.9)
    assert "fuse.weights" not in knobs(RRF()(BM25(), TFIDF(), BM25(b=0)))


def test_values_may_be_named_as_words_and_the_present_one_is_added():
    assert axis(SEARCH, "retrieve.0.b", "0, 1").values == (0.0, 0.75, 1.0)
    assert axis(BM25(), "variant", "okapi").values == ("okapi", "lucene")
    with pytest.raises(UnknownName, match="no parameter “retrieve.0.k9”. Did you mean “retrieve.0.k1”"):
        axis(SEARCH, "retrieve.0.k9")
    with pytest.raises(ParameterError, match="a number"):
        axis(BM25(), "k1", "high")


@pytest.mark.nightly
def test_a_sweep_is_the_same_as_measuring_each_setting_on_its_own():
    found = sweep(SEARCH, DEVICES, {"refine.0.weight": [0, 1], "refine.1.k": [2]}, measure="RR@10", limit=15)
    assert [p.values for p in found.points] == [(w, k) for w in (0, 0.4, 1) for k in (2, 8)]
    for p in found.points:
        alone = evaluate([p.search], DEVICES, ["RR@10"], limit=15)
        assert found.mean(p) == pytest.approx(alone.table()["RR@10"][0])
    assert found.now.search == SEARCH
    assert found.best() in found.points
    assert found.mean(found.best()) == max(map(found.mean, found.points))


def test_what_is_no_sweep_is_said_before_anything_runs():
    for axes in ({}, dict.fromkeys(["depth", "refine.1.k", "refine.0.weight"])):
        with pytest.raises(ParameterError, match="one or two parameters"):
            sweep(SEARCH, DEVICES, axes)
    with pytest.raises(ParameterError, match="the maximum is 121"):
        sweep(SEARCH, DEVICES, {"depth": range(1, 20), "refine.1.k": range(1, 20)})


def test_a_setting_that_cannot_be_is_left_out_with_its_reason():
    made, left = settings(
        Chunk(size=100, overlap=50)(BM25()), [axis(Chunk(size=100)(BM25()), "derive.0.size", "20,60")]
    )
    assert list(made) == [(60,), (100,)]
    assert [values for values, _ in left] == [(20,)]
    assert "must be smaller than size" in left[0][1]


def test_a_sweep_covers_the_questions_that_every_setting_has_answered():
    axes = [axis(BM25(), "b", "0,1")]
    searches = {repr(values): search for values, search in settings(BM25(), axes)[0].items()}
    with pytest.raises(EvaluationError, match="No question is finished yet"):
        swept(BM25(), DEVICES, axes, Gathered(searches).runs())
    runs = run_many(searches, DEVICES.corpus, DEVICES.judged[:5])
    assert len(swept(BM25(), DEVICES, axes, runs).queries) == 5


# ------------------------------------------------------------------------------------------ the honest split


def made_up(table: np.ndarray) -> Sweep:
    """A sweep whose settings have these values, [settings, questions]; the first is the present one."""
    ids = [f"q{i}" for i in range(table.shape[1])]
    points = tuple(
        Point((i,), BM25(), Run(str(i), {}), Scores(str(i), {}, {"AP": dict(zip(ids, map(float, row), strict=True))}))
        for i, row in enumerate(table)
    )
    return Sweep("AP", (Axis("k", BM25(), "k", tuple(range(len(table))), 0),), points)


def test_the_best_of_settings_that_differ_by_chance_alone_leads_only_where_it_was_chosen():
    found = made_up(np.random.default_rng(0).random((40, 60)))
    there, here = found.repeated
    assert there > 0.08
    assert abs(here) < 0.04
    one = found.honest(1)
    teach, report = halves(found.queries, 1)
    assert one.chosen is found.best(teach)
    assert (one.there, one.here) == (found.mean(one.chosen, teach), found.mean(one.chosen, report))
    assert one.luck == pytest.approx((one.there - one.now_there) - (one.here - one.now_here))
    assert one.difference.mean == pytest.approx(one.here - one.now_here)


def test_a_setting_that_is_truly_better_leads_on_both_halves():
    table = np.random.default_rng(0).random((5, 60)) * 0.2
    table[3] += 0.5
    there, here = made_up(table).repeated
    assert there == pytest.approx(here, abs=0.02)
    assert here > 0.4


def test_among_equal_settings_the_present_one_is_best_and_nothing_is_luck():
    found = made_up(np.ones((4, 10)))
    assert found.best() is found.now
    assert found.repeated == (0.0, 0.0)
    assert made_up(np.ones((2, 3))).honest() is None
    assert made_up(np.ones((2, 3))).repeated is None


def test_bounds_and_plain_figures():
    found = made_up(np.array([[0.0, 1.0, 0.5, 0.5], [1.0, 1.0, 1.0, 1.0]]))
    low, high = found.bounds(found.points[0])
    assert low < 0.5 < high
    assert found.bounds(found.points[1]) == (1.0, 1.0)
    assert found.written(found.points[1]) == "k=1"
    two = sweep(SEARCH, DEVICES, {"refine.0.weight": "0.5", "refine.1.k": "5"}, limit=4)
    assert two.written(two.points[0]) == f"weight={two.points[0].values[0]:g}, k=5"
    told = found.to_dict()
    assert told["best"] == [1]
    assert [row["value"] for row in told["settings"]] == [0.5, 1.0]
    one = Collection(Corpus("c", (Document("d", "red"),)), (Query("red", id="q"),), {"q": {"d": 1}})
    assert sweep(BM25(), one, {"b": "0"}).to_dict()["settings"][0]["interval"] is None


@pytest.mark.parametrize(
    ("text", "path", "below"),
    [
        ("Chunk(size=100)(BM25())", "derive.0.overlap", 100),
        ("Chunk(size=60, overlap=0)(BM25())", "derive.0.overlap", 60),
        ("ParentChild(child=80)(Vector()) >> Lift()", "derive.0.overlap", 80),
    ],
)
def test_only_values_that_a_search_can_have_are_offered(text, path, below):
    search = parse(text)
    offered = knobs(search)
    assert len(offered[path].values) > 3
    assert all(value < below for value in offered[path].values)
    for knob in (offered[path], offered["derive.0.overlap"]):
        assert settings(search, [knob])[1] == []


def test_an_interval_of_a_share_ends_at_1_and_at_0():
    scores = Scores("", {}, {"nDCG@10": dict(zip("abcdefghij", [1.0] * 9 + [0.24], strict=True))})
    point = Point((), parse("BM25()"), Run("", {}), scores)
    low, high = Sweep("nDCG@10", (), (point,)).bounds(point)
    assert (round(low, 4), high) == (0.7521, 1.0)
