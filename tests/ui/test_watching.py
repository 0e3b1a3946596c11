"""Watching a search on Vector store: the picture is that of the step, and what is lost is named with its exact rank."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document, Query
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.explain import structures
from lab.explain.structures import Asked, curve, structures_of
from lab.retrieve.store import ExactVector
from lab.ui.figures import charts
from pages.retrieve.vector_store import watching
from ui import conftest

ROOT = Path(__file__).parents[2]
STAFF = samples.load("staff")
WATCH, WHERE = "vector_store.watch", "vector_store.chromavector.where"
DESK = '{"source": "IT service desk"}'
QUESTION = "PR-52"


def opened(
    question: str = QUESTION, own: Collection | None = None, *, link: Mapping[str, str] = MappingProxyType({})
) -> AppTest:
    return conftest.opened(
        "retrieve/vector_store", own, **{"corpus": "staff", "q": question, "vector_store.fold.watch": "1", **link}
    )


def texts(app: AppTest) -> str:
    return conftest.texts(app).replace("\\", "")


def asked(question: str = QUESTION, where: str = "", scale: str = "unit") -> Asked:
    found = structures_of(ExactVector(space="ip", scale=scale), STAFF.corpus).ask(question, where)
    assert found is not None
    return found


def marked(figure: charts.Figure, word: str) -> list[str]:
    """The ids of the points of a picture whose text under the pointer ends with a word."""
    return [
        doc
        for trace in figure["data"]
        if "customdata" in trace
        for doc, text in zip(trace["customdata"], trace["hovertext"], strict=True)
        if text.endswith(f"<br>{word}")
    ]


def test_the_picture_of_a_step_has_what_is_kept_compared_and_not_met(figures: dict[str, charts.Figure]) -> None:
    app, case = opened(), asked()
    searched, documents = case.walk(10), case.structures.documents
    assert app.slider(key=f"{WATCH}.step").value == len(searched.steps)
    for step in (len(searched.steps), 1, len(searched.steps) // 2):
        app.slider(key=f"{WATCH}.step").set_value(step).run()
        picture, now = figures["vector_store.walk.picture"], searched.steps[step - 1]
        kept = [documents[node].id for node in searched.kept_after(step)]
        assert sorted(marked(picture, "kept so far")) == sorted(kept)
        met = [set[int]() for _ in case.structures.graph.layers]
        for earlier in searched.steps[:step]:
            met[earlier.layer] |= set(earlier.compared)
        every = sum(len(layer) for layer in case.structures.graph.layers)
        assert len(marked(picture, "not met")) == every - sum(map(len, met))
        assert len(marked(picture, "compared")) == sum(map(len, met)) - len(kept)
        table = next(frame.value for frame in app.dataframe if "distance" in frame.value and "title" in frame.value)
        assert table["title"].tolist() == [documents[node].label for node in searched.kept_after(step)[:10]]
        head = f"**Step {step} of {len(searched.steps)}, layer {now.layer}:** “{documents[now.node].label}”"
        assert head in texts(app)
    assert len(picture["layout"]["shapes"]) == len(case.structures.graph.layers) == 3


def test_a_new_search_is_shown_from_its_end() -> None:
    app = opened(link={f"{WATCH}.step": "3"})
    assert app.slider(key=f"{WATCH}.step").value == 3
    app.select_slider(key=f"{WATCH}.ef").set_value(24).run()
    assert app.slider(key=f"{WATCH}.step").value == len(asked().walk(24).steps)


@pytest.mark.parametrize("ef", [10, 50])
def test_what_the_graph_loses_is_named_with_its_exact_rank(ef: int) -> None:
    app, case = opened(link={f"{WATCH}.ef": str(ef)}), asked()
    outcome = case.outcome(case.walk(ef))
    exact = ExactVector(space="ip", scale="unit").index(STAFF.corpus).search(QUESTION, k=10)
    lines = [line for line in texts(app).split("\n") if "lost by the graph" in line]
    expected = [f"“{x.document.label}”: lost by the graph (exact rank {exact.rank(x.document.id)})" for x in exact.hits]
    lost = {case.structures.documents[loss.node].id for loss in outcome.losses}
    assert lines == [f"- {line}" for line, x in zip(expected, exact.hits, strict=True) if x.document.id in lost]
    assert bool(lines) == (ef == 10)
    assert f"found {10 - len(lost)} of the exact first 10" in texts(app)


@pytest.mark.nightly
def test_a_passage_that_no_ef_finds_is_named_so() -> None:
    scale = {"vector_store.chromavector.scale": "by length", f"{WATCH}.ef": "240"}
    question = next(
        query.text
        for query in STAFF.queries
        if (case := asked(query.text, scale="by length")).outcome(case.walk(240)).losses
    )
    case = asked(question, scale="by length")
    losses = case.outcome(case.walk(240)).losses
    told = texts(opened(question, link=scale))
    assert told.count("no ef finds it: no link leads there") == len(losses)
    for loss in losses:
        assert f"lost by the graph (exact rank {loss.rank}) · no ef finds it" in told


def test_a_filter_after_the_cut_loses_and_one_in_the_search_does_not() -> None:
    app = opened(link={WHERE: DESK, f"{WATCH}.filter": "after"})
    case = asked(where=DESK)
    after, search = (case.outcome(case.walk(10, how), how) for how in ("after", "search"))
    told = texts(app)
    assert f"passing the filter, of the nearest 10: {len(after.found)}" in told
    assert len(after.found) < 10
    ranks = ExactVector(space="ip", scale="unit").index(STAFF.corpus).search(QUESTION, k=240)
    for loss in after.losses:
        document = case.structures.documents[loss.node]
        if loss.cut:
            words = f"(exact rank {loss.rank}, without the filter {ranks.rank(document.id)})"
            assert f"“{document.label}”: lost by the filter after the cut {words}" in told
    assert any(loss.cut for loss in after.losses)
    app.segmented_control(key=f"{WATCH}.filter").set_value("search").run()
    assert f"found {search.hits} of the exact first 10" in texts(app)
    assert "after the cut (" not in texts(app)
    assert search.hits > after.hits


def test_a_filter_that_nothing_passes_is_said() -> None:
    assert "no passage passes the filter" in texts(opened(link={WHERE: '{"source": "nobody"}'}))


def test_the_cells_are_shown_one_by_one(figures: dict[str, charts.Figure]) -> None:
    app, case = opened(link={f"{WATCH}.kind": "cells", f"{WATCH}.nprobe": "4"}), asked()
    probed, documents = case.probe(4), case.structures.documents
    for step in (4, 1):
        app.slider(key=f"{WATCH}.step").set_value(step).run()
        compared = probed.compared(step)
        kept = [node for node in probed.kept if node in compared][:10]
        picture = figures["vector_store.walk.picture"]
        assert sorted(marked(picture, "kept so far")) == sorted(documents[node].id for node in kept)
        assert len(marked(picture, "compared")) == len(compared) - len(kept)
        members = case.structures.cells.members[probed.visited[step - 1]]
        assert f"Passages in it: {len(members)}; compared: {len(members)}" in texts(app)
    outcome = case.outcome(probed)
    for loss in outcome.losses:
        assert f"lost by the cells (exact rank {loss.rank})" in texts(app)
    assert f"**nprobe 4:** passages compared: {len(probed.kept)} of 240" in texts(app)


def test_the_curve_is_that_of_the_questions_of_the_corpus(figures: dict[str, charts.Figure]) -> None:
    opened()
    case = asked()
    cases = [found for query in STAFF.queries[:30] if (found := case.structures.ask(query.text))]
    graph, cells, here = figures["vector_store.walk.curve"]["data"]
    for drawn, kind in ((graph, "graph"), (cells, "cells")):
        points = curve(cases, kind, "none")
        assert drawn["y"] == [point.recall for point in points]
        assert drawn["x"] == [100 * point.share for point in points]
    assert here["y"] == [case.outcome(case.walk(10)).recall]


@pytest.mark.nightly
def test_a_large_corpus_is_sampled_and_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structures, "MOST", 60)
    own = Collection(Corpus("own staff", STAFF.corpus.documents), (Query("sick note", id="q1"),))
    told = texts(opened("sick note", own, link={f"{WATCH}.seed": "7"}))
    assert "A sample drawn with seed 7; passages: 60 of 240." in told
    assert "of 60 (" in told


@pytest.mark.parametrize("bodies", spread([["kiln"], ["kiln", "clay"], ["kiln clay"] * 12, ["", "kiln"]], 2))
@pytest.mark.parametrize("kind", ["graph", "cells"])
def test_few_passages_and_equal_ones_have_one_layer(bodies: list[str], kind: str) -> None:
    corpus = Corpus("few", tuple(Document(f"d{i}", text) for i, text in enumerate(bodies)))
    told = texts(opened("kiln", Collection(corpus), link={f"{WATCH}.kind": kind}))
    equal = len(bodies) > 2
    assert ("All vectors are equal" in told) == equal
    assert ("Fewer than 3 passages with a vector: the graph has one layer." in told) == (not equal)


@pytest.mark.parametrize("question", ["", "☃☃"])
def test_a_question_without_a_vector_is_said(question: str) -> None:
    assert "The model knows no word of the question" in texts(opened(question))


@pytest.mark.parametrize(
    "link", spread([{"ef": "99999"}, {"step": "9999"}, {"kind": "cells", "nprobe": "-3"}, {"kind": "tree"}], 2)
)
def test_a_link_with_a_value_that_is_not_offered_opens_the_page(link: dict[str, str]) -> None:
    app = opened(link={f"{WATCH}.{name}": value for name, value in link.items()})
    if "ef" in link:
        assert app.select_slider(key=f"{WATCH}.ef").value in (10, 240)
    if "nprobe" in link:
        assert app.select_slider(key=f"{WATCH}.nprobe").value == 1


@pytest.mark.nightly
def test_a_parameter_that_builds_nothing_is_drawn_again_within_300_ms(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(link={WHERE: DESK})
    built = list[object]()
    monkeypatch.setattr(structures, "build", lambda *args, **_: built.append(args))
    times = list[float]()
    for ef in (16, 50, 240, 10):
        start = time.process_time()
        app.select_slider(key=f"{WATCH}.ef").set_value(ef).run()
        times.append(time.process_time() - start)
    start = time.process_time()
    app.slider(key=f"{WATCH}.step").set_value(2).run()
    times.append(time.process_time() - start)
    assert not built
    assert min(times) < 0.3, times
    assert sorted(times)[len(times) // 2] < 0.3, times


def test_of_the_labels_of_a_line_none_lies_on_the_one_before_and_none_is_left_out_without_need():
    rng = random.Random(1)
    for _ in range(300):
        xs = sorted(rng.uniform(0, 100) for _ in range(rng.randint(1, 12)))
        labels = ["nprobe 1", *(str(2**i) for i in range(1, len(xs)))]
        shown = watching.readable(xs, labels)
        halves = [len(label) * watching.LETTER / 2 for label in labels]
        ends = [(xs[i] - halves[i], xs[i] + halves[i]) for i in shown]
        assert shown[0] == 0
        assert all(left[1] < right[0] for left, right in pairwise(ends))
        for i in set(range(len(xs))) - set(shown):
            before = max(j for j in shown if j < i)
            assert xs[i] - xs[before] <= halves[i] + halves[before]
