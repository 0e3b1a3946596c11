"""The pictures of measures: what is drawn is what was measured, and a click gives the question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import pytest

from lab.algebra import Corpus, Document, Query
from lab.corpus.beir import Collection
from lab.evaluate import evaluate
from lab.evaluate.conversations import Depth
from lab.evaluate.experiments import Experiment
from lab.evaluate.runs import Run
from lab.evaluate.significance import Difference, interval
from lab.evaluate.sweeping import sweep
from lab.retrieve.lexical import BM25
from lab.ui.figures import measure_charts
from lab.ui.study import evaluating

CORPUS = Corpus("three", (Document("d1", "a red fox"), Document("d2", "a blue bird"), Document("d3", "red red bird")))
TEXTS = ("fox", "bird", "red bird", "<b>blue</b>")
QUERIES = tuple(Query(text, id=f"q{i}") for i, text in enumerate(TEXTS))
JUDGED = Collection(CORPUS, QUERIES, {"q0": {"d1": 1}, "q1": {"d2": 1}, "q2": {"d3": 2}, "q3": {"d2": 1}})


def accepted(drawn: dict[str, Any]) -> dict[str, Any]:
    """The figure, which plotly takes as it is."""
    go.Figure(**drawn)
    return drawn


@pytest.mark.parametrize(
    "away",
    [{"q0": -0.5, "q1": 0.25, "q2": 0.0, "q3": 1.0}, {"q0": 0.0}, {f"q{i}": float(i % 3 - 1) for i in range(400)}],
)
def test_a_square_is_a_question_better_first_then_equal_then_worse(away: dict[str, float]) -> None:
    row = evaluating._squares(Difference("a", "b", "AP", away), 0.5)
    questions = [(kind, q, float(value)) for kind, _words, own in row["groups"] for q, value in own]
    assert {q: value for _kind, q, value in questions} == away
    assert [value for _kind, _q, value in questions] == sorted(away.values(), reverse=True)
    for kind, words, own in row["groups"]:
        assert words == f"{len(own)} {kind}"
        assert {(x > 0) - (x < 0) for k, _q, x in questions if k == kind} == {
            {"better": 1, "equal": 0, "worse": -1}[kind]
        }


def test_on_the_line_is_what_nothing_beats_in_both():
    def run(name: str, ms: float, first: str) -> Run:
        results = {q.id: ((first, 2.0), ("d1", 1.0)) for q in QUERIES}
        return Run(name, results, dict.fromkeys(results, ms / 1000))

    runs = {
        name: run(name, ms, first) for name, ms, first in (("slow", 9, "d2"), ("fast", 1, "d3"), ("worse", 5, "d1"))
    }
    made = Experiment(JUDGED, runs, ("P@1",), None, QUERIES, 4, 10)
    milliseconds = {name: run.ms[0] for name, run in runs.items()}
    line, dots = accepted(measure_charts.pareto(made, "P@1", milliseconds, "ms"))["data"]
    assert list(zip(line["x"], line["y"], strict=True)) == [(1, pytest.approx(0.25)), (9, pytest.approx(0.5))]
    assert len(dots["x"]) == 3
    low, high = interval(made.scores["slow"].per_query["P@1"].values())
    assert dots["error_y"]["array"][0] == pytest.approx((high - low) / 2)
    tokens = accepted(measure_charts.pareto(made, "P@1", {"slow": 0.0, "fast": 900.0, "worse": 50.0}, "t", "tokens"))
    line, dots = tokens["data"]
    assert (line["x"], dots["x"]) == ([0.0], [0.0, 900.0, 50.0]), "the best may be free"
    assert tokens["layout"]["xaxis"].get("type") != "log", "0 tokens have no logarithm"
    alike = {name: replace(runs["slow"], name=name) for name in ("hybrid", "best", "third")}
    made = Experiment(JUDGED, alike, ("P@1",), None, QUERIES, 4, 10)
    near = accepted(measure_charts.pareto(made, "P@1", {"hybrid": 9, "best": 9.5, "third": 90}, "ms"))["data"][1]
    sides = dict(zip(near["text"], near["textposition"], strict=True))
    assert set(sides) == {"hybrid", "best", "third"}
    assert sides["hybrid"] != sides["best"], "labels of searches that are near each other"


def test_places_are_joined_by_a_line_per_search_with_its_intervals_and_their_labels():
    told = {
        "<b>": (Depth(1, 3, 0.5, (0.2, 0.8)), Depth(2, 1, 0.25, None)),
        "b": (Depth(1, 3, 1.0, (0.9, 1.1)), Depth(2, 1, 0.0, None)),
    }
    drawn = accepted(measure_charts.lines(told, ["#111111", "#222222"], "AP", "turn", [(1, "1<br>3"), (2, "2<br>1")]))
    first, second = drawn["data"]
    assert (first["y"], second["y"]) == ([0.5, 0.25], [1.0, 0.0])
    assert [round(x) for x in first["x"]] == [round(x) for x in second["x"]] == [1, 2]
    assert first["x"] != second["x"], "no whisker hides another"
    assert first["error_y"]["array"] == pytest.approx([0.3, 0.0])
    assert (first["line"]["color"], second["line"]["color"]) == ("#111111", "#222222")
    assert first["line"]["dash"] != second["line"]["dash"]
    assert "<b>" not in first["name"]
    assert drawn["layout"]["xaxis"]["ticktext"] == ["1<br>3", "2<br>1"]
    assert drawn["layout"]["showlegend"]


def test_a_knob_is_a_curve_with_its_interval_and_two_are_a_map_that_marks_now_and_the_best():
    one = sweep(BM25(), JUDGED, {"b": "0,1"}, measure="AP")
    high, low, means = accepted(measure_charts.curve(one))["data"]
    assert means["x"] == [0.0, 0.75, 1.0]
    assert means["y"] == pytest.approx([one.mean(p) for p in one.points])
    assert all(a <= b <= c for a, b, c in zip(low["y"], means["y"], high["y"], strict=True))
    two = sweep(BM25(), JUDGED, {"b": "0,1", "k1": "0,2"}, measure="AP")
    (cells,) = accepted(measure_charts.heat(two))["data"]
    texts = [text for row in cells["text"] for text in row]
    assert sum("★" in text for text in texts) == 1
    assert [text for text in texts if text.startswith("[")] == [cells["text"][1][1]]
    a, b = two.bounds(two.points[0])
    assert cells["customdata"][0][0] == ("0 × 0", f"(95% CI: {a:.3f} to {b:.3f})")
    assert evaluate([BM25()], JUDGED, ["AP"]).mean("BM25", "AP") == pytest.approx(two.mean(two.now))
