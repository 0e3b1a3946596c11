"""Charts: plotly accepts every one of them, texts stay texts, and a click gives back the document."""

from __future__ import annotations

import html
import inspect
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from night import for_each, seeds
from plotly.io import to_json

from lab.algebra import Contribution, Corpus, Document, Hit, Query, QueryVariant, Ranking, Rewrite
from lab.evaluate.ablation import Cut, Variant
from lab.evaluate.measures import Scores
from lab.evaluate.significance import Difference
from lab.explain.approximation import Speed
from lab.explain.tipping import Constant, Tipping, Weight, quality, tipping
from lab.fuse import RRF
from lab.models.embedders import encoder_of, vectors_of
from lab.models.static import BuiltIn
from lab.refine.diversity import MMR, Replay, replay
from lab.refine.filters import Measured
from lab.refine.reorder import LongContextReorder, attention
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.hyde import HyDE
from lab.text import width as columns
from lab.ui import palette
from lab.ui.figures import charts, map_charts, markers, rank_charts
from lab.ui.figures.charts import Figure
from pages.query.rewrite import parts as rewriting

TITLES = (
    "<script>alert(1)</script>",
    "<a href='https://example.org'>a link</a>",
    "%{customdata} and %{x}",
    "bold <b>& co",
    "电池续航的说明，以及一个长得没有人会读完的标题，因为它一直一直说下去",
    "two\nlines\x00",
    "plain",
)
CORPUS = Corpus(
    "hostile",
    tuple(Document(f"d{i}", f"text {i} " + "charging 退货 battery " * (i % 3), title=t) for i, t in enumerate(TITLES)),
)
QUERY = "charging 退货 <b>battery</b>"
NAMES = ["BM25", "<i>TF</i>", "%{x}"]
BLUE, RED = "#2563eb", "#dc2626"
OWN_MARKUP = re.compile(r"</?b>|<br>|<extra></extra>|</?span(?: style=\"[^\"<>]*\")?>")
"""What the charts themselves write into texts."""


@cache
def rankings() -> list[Ranking]:
    return [operator.index(CORPUS).search(QUERY, k=10) for operator in (BM25(), TFIDF(), Vector(BuiltIn()))]


@cache
def told() -> Replay:
    return replay(MMR(0.5, 20, 4, BuiltIn()), rankings()[2])


@cache
def tips(axis: Weight | Constant) -> Tipping:
    return tipping(RRF(), rankings(), axis)


def flow(**options: Any) -> Figure:
    return rank_charts.rank_flow(
        rankings(), NAMES, [BLUE, RED, BLUE], CORPUS, **{"depth": 5, "selected": "d2", **options}
    )


def tipped(axis: Weight | Constant) -> Figure:
    return rank_charts.tipping(tips(axis), CORPUS, left="← <others>", right="%{x} →", selected="d2")


def staircase(axis: Weight | Constant) -> Figure:
    steps = quality(RRF(), [(rankings(), {"d2": 1})], axis)
    return rank_charts.staircases(
        {"<this>": steps}, tips(axis).current, [BLUE], label="nDCG", log=isinstance(axis, Constant)
    )


def map_of(**options: Any) -> Figure:
    vectors, asked = vectors_of(BuiltIn(), CORPUS), encoder_of(BuiltIn(), CORPUS).queries([QUERY])[0]
    return map_charts.map_of(CORPUS.documents, vectors, asked, CORPUS, {"d1": "1"}, selected="d2", **options)


def words_map() -> Figure:
    vectors, asked = vectors_of(BuiltIn(), CORPUS), encoder_of(BuiltIn(), CORPUS).queries([QUERY])[0]
    return map_charts.words_map(TITLES, vectors, QUERY, asked, split=3)


WORDINGS = [("charging <b>", "HyDE"), ("退货 %{x}", "<Query2Doc>")]


def wordings_map() -> Figure:
    frame: Any = SimpleNamespace(corpus=CORPUS)
    index = Vector(BuiltIn()).index(CORPUS)
    told = {name: Rewrite(Query(QUERY), (QueryVariant(text, "x"),), HyDE(), "rule") for text, name in WORDINGS}
    hits = tuple(Hit(CORPUS.documents[i], 1.0) for i in (0, 2))
    shown = Ranking(QUERY, hits, index.operator, corpus=CORPUS)
    return rewriting.map_of(index, frame, [shown], QUERY, told, "d2")


def context() -> Figure:
    first, curve = rankings()[2], attention(len(rankings()[2])).tolist()
    return charts.context(LongContextReorder()(first), first, CORPUS, curve, selected="d2", relevant={"d2": 1})


def points() -> list[tuple[str, float, float]]:
    return [(d.id, float(i), i / 2) for i, d in enumerate(CORPUS.documents)]


def worths(**options: Any) -> Figure:
    away = ({"a": -0.5, "b": -0.25, "c": 0.0}, {"a": 0.0, "b": 0.0, "c": 0.0}, {"a": 0.25})
    variants = [
        Variant(Cut(f"refine.{i}", MMR(), BM25(), False, "x"), Scores("x", {}, {}), 0.5, (1.0, 2.0), d, d.p)
        for i, d in enumerate(Difference("<whole>", "%{x}", "nDCG@10", own) for own in away)
    ]
    return charts.worths(variants, TITLES[:3], **options)


WHY = [Contribution("<b>battery", 2.0), Contribution("%{x}", -0.5), Contribution("退货", 0.001)]
SPEEDS = [Speed(corpus, 5000, ef, 0.5 + ef / 400, ef / 100, 5.0, 1.0) for corpus in ("own", "") for ef in (10, 200)]

FIGURES: dict[str, Callable[[], Figure]] = {
    "rank_flow": flow,
    "rank_flow, one list": lambda: rank_charts.rank_flow(rankings()[:1], NAMES[:1], [BLUE], CORPUS, depth=3),
    "addends": lambda: rank_charts.addends(WHY, BLUE),
    "addends, painted": lambda: rank_charts.addends(WHY, BLUE, paint=lambda c: RED),
    "scatter": lambda: map_charts.scatter(points(), CORPUS, "<x>", "y", selected="d2", relevant={"d3": 1}),
    "tipping": lambda: tipped(Weight(0)),
    "tipping along k": lambda: tipped(Constant()),
    "strip": lambda: rank_charts.strip(tips(Weight(0)), CORPUS, left="← <others>", right="%{x} →", selected="d2"),
    "strip along k": lambda: rank_charts.strip(
        tips(Constant()), CORPUS, left="← <others>", right="%{x} →", selected="d2"
    ),
    "staircases": lambda: staircase(Weight(0)),
    "staircases along k": lambda: staircase(Constant()),
    "picks": lambda: rank_charts.picks(told().picks[1].candidates, CORPUS, "d2"),
    "journeys": lambda: rank_charts.journeys(told(), CORPUS, 0.5),
    "map_of": map_of,
    "map_of, t-SNE": lambda: map_of(method="t-sne", colours=[BLUE] * len(TITLES), height=520),
    "words_map": words_map,
    "map_of the wordings": wordings_map,
    "table_map": lambda: charts.table_map([[0.0, 1.0], [0.5, 0.25]], TITLES[:2], TITLES[2:4], BLUE, zmax=1),
    "histogram": lambda: charts.histogram([1, 2, 2, 3], "characters"),
    "bars": lambda: charts.bars([3.0, 2.0], TITLES[:2], BLUE),
    "enlarged": lambda: charts.enlarged(charts.bars([3.0, 2.0], TITLES[:2], BLUE)),
    "worths": lambda: worths(selected="refine.1"),
    "funnel": lambda: charts.funnel(TITLES[:3], [100, 40, 40], [None, 1.25, 0.5], BLUE),
    "context": context,
    "distances": lambda: map_charts.distances({"cosine": [0.1, 0.9], "L2": [0.2]}, [BLUE, RED], limit=0.5),
    "speeds": lambda: charts.speeds(SPEEDS, BLUE),
    "measured": lambda: charts.measured(Measured("cosine", (0.1, 0.2, 0.3), 0.15, 0.9), rankings()[0], {"d1"}),
    "measured, no limit": lambda: charts.measured(Measured("days", (0.1, 0.2, 0.3)), rankings()[0], ()),
}
EMPTY: dict[str, Callable[[], Figure]] = {
    "rank_flow": lambda: rank_charts.rank_flow([replace(rankings()[0], hits=())], ["BM25"], [BLUE], CORPUS, depth=5),
    "addends": lambda: rank_charts.addends([], BLUE),
    "scatter": lambda: map_charts.scatter([], CORPUS, "x", "y"),
    "picks": lambda: rank_charts.picks([], CORPUS, ""),
    "table_map": lambda: charts.table_map([], [], [], BLUE),
    "histogram": lambda: charts.histogram([], "characters"),
    "bars": lambda: charts.bars([], [], BLUE),
    "worths": lambda: charts.worths([], []),
    "distances": lambda: map_charts.distances({}, []),
    "speeds": lambda: charts.speeds([], BLUE),
}
BUILDING = {"figure", "plane"}
"""What figures are made of: seen in all of them."""


def texts(part: Any, name: str = "") -> Iterator[str]:
    """Every text of a figure that plotly reads markup in; ids and categories of an axis are none."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from texts(value, key)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from texts(value, name)
    elif isinstance(part, str) and name in ("text", "ticktext", "hovertext", "hovertemplate", "title"):
        yield part


def event(data: Any) -> dict[str, Any]:
    """What Streamlit says of a click on one point."""
    return {"selection": {"points": [{"x": 1, "y": 2, "customdata": data}]}}


# ----------------------------------------------------------------------------------------------------- figures


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in ("enlarged", "addends")])
def test_an_enlarged_figure_has_no_small_type_and_is_the_same_otherwise(name: str):
    drawn = FIGURES[name]()
    large = charts.enlarged(drawn)

    def fonts(part: Any, of: str = "") -> Iterator[float]:
        if isinstance(part, dict):
            for key, value in part.items():
                if key == "size" and of.endswith("font"):
                    yield value
                yield from fonts(value, key)
        elif isinstance(part, list):
            for value in part:
                yield from fonts(value, of)

    before, after = list(fonts(drawn)), list(fonts(large))
    assert min(before) >= 12, "as on the rest of the page"
    assert min(after) == pytest.approx(24)
    factor = 24 / min(before)
    assert after == pytest.approx([size * factor for size in before])
    assert large["layout"]["height"] == pytest.approx(drawn["layout"]["height"] * factor)
    assert [t.get("marker", {}).get("size") for t in large["data"]] == [
        t.get("marker", {}).get("size") for t in drawn["data"]
    ], "only type grows, and the room for it"
    assert [list(t.get("x", ())) for t in large["data"]] == [list(t.get("x", ())) for t in drawn["data"]]


def test_the_heads_of_many_lists_have_lines_that_fit_between_them():
    names = ["BM25", "Vectors", "Fused · equal weights", "Fused · 0.635 for BM25", "重排 · 不看字段，只看正文和标题"]
    one = rankings()[0]
    drawn = rank_charts.rank_flow([one] * 5, names, [BLUE] * 5, CORPUS, depth=3)
    heads = [note["text"] for note in drawn["layout"]["annotations"] if note["y"] == 0.25]
    for head in heads:
        assert all(columns(re.sub("<.*?>", "", line)) <= 15 for line in head.split("<br>")), head
    assert "<b>equal weights</b>" in heads[2]
    assert heads[3] == "<b>Fused</b><br><b>0.635 for</b><br><b>BM25</b>"
    assert drawn["layout"]["margin"]["t"] >= 18 * max(head.count("<br>") + 1 for head in heads)
    wide = rank_charts.rank_flow([one] * 2, names[2:4], [BLUE] * 2, CORPUS, depth=3)
    assert "<b>0.635 for BM25</b>" in wide["layout"]["annotations"][-1]["text"]


def test_every_chart_is_among_the_tested_ones():
    public = {
        name
        for module in (charts, rank_charts, map_charts)
        for name, made in inspect.getmembers(module, inspect.isfunction)
        if made.__module__ == module.__name__ and inspect.signature(made).return_annotation == "Figure"
    }
    assert public - BUILDING == {re.split(r"\W", name)[0] for name in FIGURES}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", FIGURES)
def test_plotly_accepts_every_property_and_drops_none(name: str, dark: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(palette, "dark", lambda: dark)
    drawn = FIGURES[name]()
    taken = json.loads(to_json(go.Figure(**drawn), validate=False))
    given = json.loads(to_json(drawn, validate=False))
    assert [set(t) - {x for x in t if t[x] is None} for t in given["data"]] == [set(t) for t in taken["data"]]
    assert all(taken["layout"][key] == value for key, value in given["layout"].items() if value != [])
    assert given["layout"]["font"]["color"] == ("#e2e8f0" if dark else "#1e293b")


@for_each("name", EMPTY)
def test_a_chart_of_nothing_can_still_be_drawn(name: str):
    drawn = EMPTY[name]()
    assert go.Figure(**drawn).to_dict()["data"], "Streamlit refuses a figure without a trace"


@for_each("name", FIGURES)
def test_no_title_of_a_document_is_read_as_markup(name: str):
    drawn = FIGURES[name]()
    said = [OWN_MARKUP.sub("", text) for text in texts(drawn)]
    assert said
    assert not [text for text in said if "<" in text or "\x00" in text or "\n" in text]
    assert not [text for text in said if len(html.unescape(text)) > 200]


@pytest.mark.parametrize("name", ["rank_flow", "tipping", "journeys"])
def test_a_title_inside_a_template_is_no_field_of_it(name: str):
    """``%{customdata}`` in a title would be filled in by plotly with this point's id."""
    drawn = FIGURES[name]()
    templates = [t["hovertemplate"] for t in drawn["data"] if "hovertemplate" in t]
    assert any("and %&#123;x}" in text for text in templates)
    assert not any("%{customdata}" in text or "and %{x}" in text for text in templates)


# ------------------------------------------------------------------------------------------------------ clicks


@for_each("name", ["rank_flow", "scatter", "map_of", "map_of the wordings", "context", "picks", "journeys"])
def test_every_point_that_is_a_document_gives_it_back_when_clicked(name: str):
    trace = FIGURES[name]()["data"][0]
    ids = [charts.clicked(event(data)) for data in trace["customdata"]]
    assert len(ids) == len(trace["x"])
    assert set(ids) <= {d.id for d in CORPUS.documents}


@pytest.mark.parametrize("name", ["tipping", "tipping along k", "strip", "strip along k"])
def test_every_point_of_a_tipping_chart_gives_back_its_place_and_its_document(name: str):
    for trace in FIGURES[name]()["data"]:
        for x, data in zip(trace["x"], trace["customdata"], strict=True):
            place, doc = charts.clicked_at(event(data)) or (-1.0, "")
            # a stretch of the ribbon leads into its middle, anything else to where it is
            assert x < place < x + trace["width"] if trace["type"] == "bar" else place == x
            assert doc in CORPUS.positions


@for_each("nothing", [None, {}, {"selection": {}}, event(None), event([]), event([1])])
def test_a_click_beside_every_point_gives_nothing(nothing: Any):
    assert charts.clicked(nothing) is None
    assert charts.clicked_at(nothing) is None


# -------------------------------------------------------------------------------------------- what is drawn


def test_a_line_of_the_rank_flow_passes_through_its_ranks_and_ends_below_where_a_list_lacks_it():
    drawn = flow(depth=4)
    lists, shown = rankings(), 4
    for line in drawn["data"][:-1]:
        doc = line["customdata"][0]
        heights = {round(x): y for x, y in zip(line["x"], line["y"], strict=True) if x == round(x)}
        ranks = [r.rank(doc) for r in lists]
        assert heights == {i: rank if rank and rank <= shown else shown + 1.1 for i, rank in enumerate(ranks)}


def test_the_selected_document_is_drawn_last_and_strongest():
    lines = flow()["data"][:-1]
    assert lines[-1]["customdata"][0] == "d2"
    assert lines[-1]["line"]["width"] > max(line["line"]["width"] for line in lines[:-1])


def test_addends_lie_side_by_side_and_sum_to_the_score():
    (bars,) = FIGURES["addends"]()["data"]
    assert bars["x"] == [2.0, 0.001, -0.5]
    assert bars["base"] == pytest.approx([0, 2.0, 0])  # what adds lies to the right of zero, one behind the other
    (bars,) = rank_charts.addends([Contribution("a", v) for v in (-1.0, 3.0, -0.25)], "#000000")["data"]
    assert [(b, b + x) for b, x in zip(bars["base"], bars["x"], strict=True)] == [(0, 3.0), (0, -0.25), (-0.25, -1.25)]


def test_a_ring_of_the_tipping_chart_lies_on_the_curve_of_the_document_that_rises():
    drawn, axis = tipped(Weight(0)), tips(Weight(0))
    curves = {t["customdata"][0][1]: t for t in drawn["data"] if t["mode"] == "lines+markers"}
    (rings,) = [t for t in drawn["data"] if t["mode"] == "markers+text"]
    assert len(rings["x"]) == len(axis.crossings)
    for height, (value, doc) in zip(rings["y"], rings["customdata"], strict=True):
        y = curves[doc]["y"]
        assert height == pytest.approx(y[0] + (y[-1] - y[0]) * value)


@pytest.mark.parametrize("along", [Weight(0), Constant()])
def test_moving_a_knob_leaves_its_figure_as_it_is_and_moves_a_line_over_it(along: Weight | Constant):
    fusions = [RRF(weights=(w, (1 - w) / 2, (1 - w) / 2)) for w in (0.5, 0.9, 0.1)]
    fusions = fusions if isinstance(along, Weight) else [RRF(k=k) for k in (1, 60, 1000)]
    drawn, places = [], []
    for fusion in fusions:
        tips = tipping(fusion, rankings(), along)
        figure = rank_charts.tipping(tips, CORPUS, left="", right="", selected="d2")
        places.append(figure["layout"].pop("meta")["at"])
        drawn.append(figure)
    assert drawn[0] == drawn[1] == drawn[2]
    assert (
        places == [pytest.approx(w) for w in (0.5, 0.9, 0.1)]
        if isinstance(along, Weight)
        else [0, pytest.approx(math.log10(60)), 3]
    )


@for_each("at, share", [(-0.01, 0), (0.5, 0.5), (1.01, 1), (7, 1), (-3, 0)])
def test_the_line_over_a_figure_stands_at_its_place_within_the_margins(at: float, share: float):
    layout = tipped(Weight(0))["layout"]
    left = f"left:calc(56px + (100% - {56 + 190}px) * {share:.5f})"
    assert left in charts._now(layout, at, "<now>")
    assert "&lt;now&gt;" in charts._now(layout, at, "<now>")


def test_a_query_stands_on_every_map():
    for name in ("map_of", "words_map", "map_of the wordings"):
        stars = [t for t in FIGURES[name]()["data"] if t["marker"].get("symbol") == "star"]
        assert len(stars) == 1


def test_the_worth_of_a_part_is_what_is_lost_without_it_with_its_interval_and_a_click_gives_its_path():
    worth, dots, saved, cost = worths()["data"]
    means = [(0.5 + 0.25 + 0) / 3, 0.0, -0.25]
    assert worth["x"] == pytest.approx(means)
    assert (saved["x"], cost["x"]) == ([2, 0, 0], [0, 0, -1])
    d = Difference("a", "b", "AP", {"a": -0.5, "b": -0.25, "c": 0.0})
    low, high = (worth["error_x"][name][0] for name in ("arrayminus", "array"))
    assert (means[0] - low, means[0] + high) == pytest.approx((-d.high, -d.low))
    assert (worth["error_x"]["array"][2], worth["error_x"]["arrayminus"][2]) == (0, 0), "one question has no interval"
    assert worth["marker"]["opacity"] == [0.4, 0.4, 0.4], "nothing is sure"
    assert dots["x"] == worth["x"]
    for drawn in (worth, dots, saved, cost):
        assert [charts.clicked(event(data)) for data in drawn["customdata"]] == ["refine.0", "refine.1", "refine.2"]


def test_no_label_lies_on_another_and_one_without_room_is_left_out():
    near = [(0.0, 0.0), (0.02, 0.0), (0.03, 0.0), (0.5, 0.0)]
    assert markers.label_sides(near, 0.05, 0.1) == ["top center", "bottom center", "", "top center"]
    rng = np.random.default_rng(1)
    points = [(float(x), float(y)) for x, y in rng.uniform(size=(60, 2))]
    sides = markers.label_sides(points, 0.1, 0.05)
    at = [(x, y + (0.05 if s.startswith("top") else -0.05)) for (x, y), s in zip(points, sides, strict=True) if s]
    assert 1 < len(at) < 60
    for i, (x, y) in enumerate(at):
        assert all(abs(x - a) >= 0.1 or abs(y - b) >= 0.05 for a, b in at[:i])


def test_numbers_of_passages_that_lie_on_each_other_stand_in_one_point():
    documents = CORPUS.documents[:4]
    vectors = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1e-9], [0.0, 0.0, 1.0]])
    numbers = {d.id: str(i) for i, d in enumerate(documents, 1)}
    dots = map_charts.map_of(documents, vectors, np.array([0.5, 0.5, 0.0]), CORPUS, numbers)["data"][0]
    assert list(dots["text"]) == ["1 3", "2", "", "4"]


@pytest.mark.parametrize("seed", seeds(24))
def test_no_word_of_a_map_lies_on_a_word_or_on_another_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("aeilmnot"), rng.integers(1, 16))) for _ in range(12)]
    words += ["".join(rng.choice(list("电池充请假"), rng.integers(1, 6))) for _ in range(12)]
    drawn = map_charts.words_map(words[::-1], rng.normal(size=(24, 8)), "battery life", rng.normal(size=8), split=12)
    dots, star = drawn["data"]
    across, up = (drawn["layout"][axis]["range"][1] for axis in ("xaxis", "yaxis"))
    for room in charts.WIDTHS:
        pixels = [(x / across * room / 2, y / up * 190) for x, y in zip(dots["x"], dots["y"], strict=True)]
        boxes = list[tuple[float, float, float, float]]()
        for (x, y), side, text in zip(pixels, dots["textposition"], dots["text"], strict=True):
            wide = 6.3 * columns(text)
            left = x + {"center": -wide / 2, "right": 6, "left": -6 - wide}[side.split()[1]]
            low = y + {"top": 5, "bottom": -18, "middle": -7}[side.split()[0]]
            boxes += [(left, left + wide, low, low + 13)] if text else []
        x, y = star["x"][0] / across * room / 2, star["y"][0] / up * 190
        assert len(boxes) >= 8
        long = 6 * columns(re.sub("<.*?>", "", star["text"][0]))
        across_star = {
            "center": (x - long / 2, x + long / 2),
            "right": (x + 9, x + 9 + long),
            "left": (x - 9 - long, x - 9),
        }
        up_star = {"bottom": (y - 24, y - 9), "top": (y + 9, y + 24), "middle": (y - 7, y + 7)}
        vertical, horizontal = star["textposition"].split()
        boxes.append((*across_star[horizontal], *up_star[vertical]))
        points = [(x - 3, x + 3, y - 3, y + 3) for x, y in pixels]
        for i, a in enumerate(boxes):
            for b in [*boxes[i + 1 :], *points]:
                assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2], (a, b)


def test_a_histogram_of_few_passages_counts_whole_ones():
    assert charts.histogram([12, 12, 30], "characters")["layout"]["yaxis"]["dtick"] == 1
    assert charts.histogram([*range(1, 60, 4)], "characters")["layout"]["yaxis"]["dtick"] == 1
    assert "dtick" not in charts.histogram([5] * 100, "characters")["layout"]["yaxis"]  # lines that nobody could read
