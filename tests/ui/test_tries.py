"""What was tried on a page: recorded once, told in words, measured, one click back, kept and in the export."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import streamlit as st
from night import spread
from streamlit.testing.v1 import AppTest

from lab import formats, samples
from lab.algebra import Runner
from lab.evaluate import evaluate
from lab.explain.differences import changes
from lab.explain.moves import quality
from lab.presets import find
from lab.retrieve.lexical import BM25, TFIDF
from lab.ui import components
from lab.ui.layout import frame
from lab.ui.people.visitor import Visitor
from lab.ui.study import trying
from lab.ui.study.tries import MOST, SETTLED, Tries, Try

ROOT = Path(__file__).parents[2]
JUDGED = "firmware 2.4.1"


def search(k1: float, *, at: float = 0.0, **more: Any) -> Try:
    """A try on Compare whose only parameter is k₁."""
    parameters = () if k1 == 1.5 else (("compare.bm25.k1", f"{k1:g}"),)
    return Try("devices", "fox", (formats.expression(BM25(k1=k1)),), parameters, at, **more)


def recorded(*entries: Try) -> Tries:
    made = Tries()
    for x in entries:
        made = made.record(x)
    return made


def searches(made: Tries) -> list[str]:
    return [x.searches[0] for x in made.entries]


# ------------------------------------------------------------------------------------------------- recording


def test_what_differs_is_added_with_the_try_it_was_made_from_and_what_is_there_already_is_not_listed_twice() -> None:
    made = recorded(search(1.5, at=0), search(1.0, at=10), search(2.0, at=20), search(1.5, at=30))
    assert [(x.number, x.origin) for x in made.entries] == [(1, 0), (2, 1), (3, 2)]
    assert made.current == 1
    made = made.record(search(0.5, at=40))
    assert (made.entries[-1].number, made.entries[-1].origin) == (4, 1)
    assert made.origin(made.entries[-1]) == made.entries[0]


def test_a_slider_that_is_dragged_is_one_try() -> None:
    steps = [search(1.5 + i / 10, at=100 + i) for i in range(10)]
    made = recorded(search(1.5), *steps[1:])
    assert searches(made) == ["BM25()", "BM25(k1=2.4)"]
    assert [(x.number, x.origin) for x in made.entries] == [(1, 0), (2, 1)]


def test_a_slow_search_does_not_count_as_a_pause() -> None:
    made = recorded(search(1.5), search(1.6, at=100))
    assert len(made.record(search(1.7, at=130), began=101).entries) == 2
    assert len(made.record(search(1.7, at=130), began=104).entries) == 3


def test_a_slider_that_is_dragged_back_leaves_no_try() -> None:
    assert searches(recorded(search(1.5), search(1.6, at=100), search(1.7, at=101), search(1.5, at=102))) == ["BM25()"]


@pytest.mark.parametrize(
    "further",
    [
        search(1.7, at=100 + SETTLED + 0.1),
        replace(search(1.7, at=101), parameters=(("compare.bm25.k1", "1.7"), ("compare.bm25.b", "0"))),
        replace(search(1.6, at=101), question="bird"),
        replace(search(1.6, at=101), corpus="handbook"),
    ],
    ids=["later", "a second parameter", "another question", "another corpus"],
)
def test_any_other_change_is_a_try_of_its_own(further: Try) -> None:
    assert len(recorded(search(1.5), search(1.6, at=100), further).entries) == 3


def test_a_try_that_was_looked_at_stays() -> None:
    passing = recorded(search(1.5), search(1.6, at=100))
    assert len(passing.record(search(1.7, at=101)).entries) == 2
    assert len(passing.record(search(1.6, at=100.5)).record(search(1.7, at=101)).entries) == 3


def test_the_values_follow_the_judgments() -> None:
    made = recorded(search(1.5, values=(0.5,)), search(1.0, at=10, values=(0.25,)))
    assert made.record(search(1.0, at=20, values=(1.0,))).entries[1].values == (1.0,)
    assert made.record(search(1.5, at=20)).entries[0].values == ()


def test_the_number_of_tries_is_bounded_and_the_baseline_stays() -> None:
    made = recorded(search(0.0))
    for i in range(1, MOST + 20):
        made = made.record(search(i / 10, at=10.0 * i))
    assert len(made.entries) == MOST
    assert [x.number for x in made.entries[:2]] == [1, 22]
    assert made.entries[-1].number == MOST + 20
    assert made.origin(made.entries[1]) == made.entries[0], "that from which it was made is gone"


def test_the_baseline_is_the_first_try_of_the_same_question() -> None:
    made = recorded(search(1.5), search(1.0, at=10), replace(search(1.0, at=20), question="bird"))
    assert [made.baseline(x).number for x in made.entries] == [1, 1, 3]


def test_a_change_is_told_in_words() -> None:
    assert changes(BM25(), BM25()) == ()
    assert changes(BM25(), BM25(k1=0.9)) == ("BM25 · k₁: 1.5 → 0.9",)
    assert changes(BM25(), TFIDF()) == ("BM25 → TF-IDF",)
    both = formats.parse("RRF()(BM25(), Vector())")
    assert changes(BM25(), both) == ("with Vector", "with RRF")
    assert changes(both, formats.parse("Borda()(BM25(), Vector()) >> MMR()")) == ("RRF → Borda count", "with MMR")


# ------------------------------------------------------------------------------------------------- the pages


@pytest.fixture
def panel(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the panel was given last; ``do`` is what is clicked in it in the next run."""
    shown: dict[str, Any] = {}

    def draw(data: dict[str, Any], *, key: str, **clicks: Callable[..., None]) -> None:
        shown["data"] = data
        name, *values = shown.pop("do", (None,))
        if name:
            clicks[name](*values)
            st.rerun()

    monkeypatch.setattr(components, "tries", draw)
    return shown


PAGES = {
    "compare": "retrieve",
    "fusion": "combine",
    "rerank": "refine",
    "pipeline": "whole",
    "evaluate": "whole",
}


def opened(
    page: str, *, panel_open: bool = True, visitor: Visitor | None = None, tried: Tries | None = None, **link: str
) -> AppTest:
    """A page that this visitor opens, or one who has tried these before."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    more = {"evaluate.searches": "bm25,hybrid", "evaluate.n": "20", "evaluate.measures": "nDCG@10"}
    more = more if page == "evaluate" else {"q": JUDGED}
    for key, value in {"lang": "en", "corpus": "devices", **more, **link}.items():
        app.query_params[key] = value
    app.session_state[f"{page}.tried"] = panel_open
    if tried is not None:
        visitor = Visitor("x" * 43)
        visitor.store("_tries")[page] = tried
    if visitor is not None:
        app.session_state[frame.VISITOR] = visitor
    app.switch_page(f"pages/{PAGES[page]}/{page}/page.py").run()
    assert not app.exception, app.exception
    return app


def link_of(app: AppTest) -> dict[str, str]:
    return {key: value if isinstance(value, str) else value[0] for key, value in app.query_params.items()}


def moved(app: AppTest, page: str) -> AppTest:
    """One change of what is searched."""
    if page == "compare":
        app.slider("compare.bm25.k1").set_value(0.3)
    elif page == "fusion":
        app.slider("fusion.weight").set_value(0.9)
    elif page == "rerank":
        app.number_input("rerank.depth").set_value(5)
    elif page == "pipeline":
        app.selectbox("pipeline.as.b.fuse").set_value("borda")
    else:
        app.multiselect("evaluate.searches").set_value(["bm25", "hybrid", "tfidf"])
    return app.run()


EXPECTED = {
    "compare": ("BM25", "k₁: 1.5 → 0.3"),
    "fusion": ("RRF: BM25 + Vector · Built-in bilingual", "RRF · Weights: 0.5, 0.5 → 0.9, 0.1"),
    "rerank": ("", "50 → 5"),
    "pipeline": ("", "RRF → Borda"),
    "evaluate": ("TF-IDF", "with TF-IDF"),
}


@pytest.mark.parametrize("page", spread(PAGES, 1))
def test_a_change_on_a_page_is_listed_in_words_and_one_click_brings_the_former_search_back(
    page: str, panel: dict[str, Any]
) -> None:
    app = opened(page, **({"pipeline.at": "b/fuse"} if page == "pipeline" else {}))
    assert [row["number"] for row in panel["data"]["rows"]] == [1]
    before = link_of(app)
    moved(app, page)
    rows = panel["data"]["rows"]
    assert [(row["number"], row["current"]) for row in rows] == [(2, True), (1, False)]
    name, what = EXPECTED[page]
    assert rows[0]["name"].startswith(name)
    assert what in rows[0]["what"]
    assert all(row["value"] for row in rows)
    assert rows[1]["base"]
    assert f"{page}.tries" not in link_of(app)
    kept = app.session_state[frame.VISITOR]

    panel["do"] = "chosen", 1
    app.run()
    assert not app.exception, app.exception
    rows = panel["data"]["rows"]
    assert [(row["number"], row["current"]) for row in rows] == [(2, False), (1, True)]
    assert link_of(app) == before

    panel.pop("data")
    opened(page, visitor=kept, **before)
    assert [(row["number"], row["current"]) for row in panel["data"]["rows"]] == [(2, False), (1, True)]
    assert what in panel["data"]["rows"][0]["what"]


def test_the_values_are_those_of_the_lists(panel: dict[str, Any]) -> None:
    moved(opened("compare"), "compare")
    c = samples.load("devices")
    query = c.query_by_text(JUDGED)
    assert query is not None
    runner = Runner(c.corpus)
    base, changed = quality([runner(BM25(k1=k1), query, 100) for k1 in (1.5, 0.3)], c.relevant(query.id))
    row = panel["data"]["rows"][0]
    assert row["exact"] == changed
    assert row["change"] == pytest.approx(changed - base, abs=5e-4)


def test_on_evaluate_the_values_are_means_over_all_questions(panel: dict[str, Any]) -> None:
    app = opened("evaluate")
    moved(app, "evaluate")
    made = evaluate({"a": BM25(), "b": find("hybrid"), "c": TFIDF()}, samples.load("devices"), ["nDCG@10"], limit=20)
    first, best = made.mean("c", "nDCG@10"), max(made.mean(name, "nDCG@10") for name in "ab")
    rows = panel["data"]["rows"]
    assert [row["value"] for row in rows] == [f"{first:.3f}", f"{best:.3f}"]
    assert rows[0]["change"] == pytest.approx(first - best)


def test_a_difference_is_that_of_two_numbers_that_are_shown(panel: dict[str, Any]) -> None:
    """Against the same search under other parameters, else against the search that the baseline is about."""
    first = Try("devices", "fox", ("BM25()", "TFIDF()"), (), 0.0, (0.5, 0.75))
    changed = replace(first, searches=("BM25(k1=1.0)", "TFIDF()"), at=10.0, values=(0.25, 0.75))
    added = replace(changed, searches=(*changed.searches, "Vector()"), at=20.0, values=(0.25, 0.75, 1.0))
    made = recorded(first, changed, added)
    state = trying._State(made)
    rows = {x.number: trying._as_row(state, x) for x in made.entries}
    assert [(row["value"], row["sign"]) for row in rows.values()] == [
        ("0.750", ""),
        ("0.250", "▼ 0.250 (0.500)"),
        ("1.000", "▲ 0.250"),
    ]


def test_clear_leaves_the_search_on_the_screen(panel: dict[str, Any]) -> None:
    app = moved(opened("compare"), "compare")
    panel["do"] = ("cleared",)
    app.run()
    assert [row["number"] for row in panel["data"]["rows"]] == [1]
    assert app.slider("compare.bm25.k1").value == 0.3


def test_another_question_and_another_corpus_are_brought_back_with_their_parameters(panel: dict[str, Any]) -> None:
    app = moved(opened("compare"), "compare")
    app.selectbox("corpus").set_value("handbook").run()
    app.text_input("q").set_value("年假有几天")
    next(b for b in app.button if b.label == "Search").click().run()
    assert "question: “年假有几天”" in panel["data"]["rows"][0]["what"]
    assert "corpus: Staff handbook" in panel["data"]["rows"][1]["what"]
    panel["do"] = "chosen", 1
    app.run()
    assert (app.selectbox("corpus").value, app.text_input("q").value) == ("devices", JUDGED)
    assert app.slider("compare.bm25.k1").value == 1.5


def test_a_try_whose_corpus_is_gone_cannot_be_opened(panel: dict[str, Any]) -> None:
    gone = recorded(replace(search(1.0), corpus="mine"), search(1.5, at=10))
    app = opened("compare", tried=gone)
    (row,) = [row for row in panel["data"]["rows"] if row["number"] == 1]
    assert not row["here"]
    before = link_of(app)
    panel["do"] = "chosen", 1
    app.run()
    assert link_of(app) == before


def test_a_run_with_the_panel_closed_computes_nothing_of_it_and_one_without_a_change_records_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = moved(opened("compare", panel_open=False), "compare")
    calls: list[str] = []
    for room, name in ((trying, "_data"), (formats, "expression")):
        monkeypatch.setattr(room, name, lambda *_args, name=name, **_more: calls.append(name))
    app.number_input("compare.k").set_value(3).run()
    assert not app.exception
    assert calls == []


def test_the_history_can_be_taken_along_as_csv_markdown_and_json(panel: dict[str, Any]) -> None:
    made: dict[str, str] = {}

    def page() -> None:
        import streamlit as st

        from lab.ui.study import trying

        st.session_state["made"] = {kind: trying.as_file(trying.as_values("compare"), kind) for kind in trying.FILES}

    state = trying._State(recorded(search(1.5, values=(0.5,)), search(1.0, at=10, values=(0.25,))))
    app = AppTest.from_function(page)
    app.session_state["_tries"] = {"compare": state}
    app.session_state["lang"] = "en"
    app.run()
    assert not app.exception, app.exception
    made = app.session_state["made"]
    rows = json.loads(made["JSON"])
    assert [row["searches"][0]["expression"] for row in rows] == ["BM25()", "BM25(k1=1.0)"]
    assert rows[1]["changed"] == "BM25 · k₁: 1.5 → 1"
    assert rows[1]["parameters"] == {"compare.bm25.k1": "1"}
    table = pd.read_csv(io.StringIO(made["CSV"].removeprefix("\ufeff")))
    assert table["value"].to_list() == [0.5, 0.25]
    assert made["Markdown"].count("\n") == 4


def test_the_export_offers_the_history_where_there_is_one(panel: dict[str, Any]) -> None:
    app = opened("compare", **{"compare.fold.export": "1"})
    keys = {button.proto.id.rpartition("-")[2] for button in app.get("download_button")}
    assert {"compare.tries.csv", "compare.tries.md", "compare.tries.json"} <= keys


def test_the_chinese_panel_speaks_chinese(panel: dict[str, Any]) -> None:
    opened("compare", lang="zh", q="fox", tried=recorded(search(1.0), search(0.3, at=10)))
    data = panel["data"]
    assert data["words"]["title"] == "尝试记录"
    assert "k₁：1 → 0.3" in data["rows"][1]["what"]
    assert "；" in data["rows"][0]["what"]
