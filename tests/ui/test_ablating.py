"""The ablation of a pipeline on its page: what is measured and shown, and what is said where it cannot be."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from models.scripted import ScriptedModel
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from lab import formats
from lab.algebra import Corpus, Document, Query, Runner
from lab.corpus.beir import Collection
from lab.errors import ModelError
from lab.evaluate.ablation import ablate, verdict
from lab.ui import components, escape
from lab.ui.figures import charts
from lab.ui.layout import frame
from lab.ui.lists import grading, show
from lab.ui.models import language_model

ROOT = Path(__file__).parents[2]
CORPUS = Corpus(
    "devices",
    (
        Document("fox", "a red fox in the snow"),
        Document("bird", "a blue bird and a red bird"),
        Document("other", "the fox and the bird and the snow and the rain, red, blue"),
        Document("rain", "rain and wind"),
    ),
)
QUERIES = tuple(Query(text, id=f"q{i}") for i, text in enumerate(("red fox", "blue bird", "wind", "the snow", "rain")))
QRELS = {"q0": {"fox": 2}, "q1": {"bird": 1}, "q2": {"rain": 1}, "q3": {"other": 1}, "q4": {"rain": 1, "other": 1}}
SEARCH = "RRF()(BM25(), TFIDF(), Vector()) % 3 >> LongContextReorder()"


@pytest.fixture
def tab(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Opens the tab with one search, on a collection with these judgments."""

    def opened(search: str = SEARCH, qrels=QRELS, lang: str = "en", **knobs: str) -> AppTest:
        monkeypatch.setattr(frame, "collection", lambda name: Collection(CORPUS, QUERIES, qrels))
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        link = {"a": formats.to_link(formats.parse(search)), "b": "", "tab": "ablate"}
        link |= {f"ablate.{name}": value for name, value in knobs.items()}
        named = {f"pipeline.{name}": value for name, value in link.items()}
        for name, value in {"lang": lang, "corpus": "devices", **named}.items():
            app.query_params[name] = value
        app.switch_page("pages/whole/pipeline/page.py").run()
        assert not app.exception, app.exception
        return app

    return opened


def begun(app: AppTest) -> AppTest:
    next(b for b in app.button if b.key == "pipeline.ablate.begin").click().run()
    assert not app.exception, app.exception
    return app


def texts(app: AppTest) -> str:
    drawn = [*app.markdown, *app.caption, *app.subheader, *app.warning, *app.error, *app.info]
    return "\n".join(element.value for element in drawn).replace("\\", "")


def figures(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def tables(app: AppTest) -> list:
    return [table.value for table in app.dataframe]


def test_nothing_is_measured_before_a_click_and_then_everything(tab, monkeypatch):
    drawn, panels, graded, squares = [], [], [], []
    monkeypatch.setattr(components, "squares", lambda data, **_: squares.append(data))
    own, lists = charts.worths, show.lists
    monkeypatch.setattr(
        grading, "for_cards", lambda corpus, asked, made=grading.for_cards: graded.append(asked) or made(corpus, asked)
    )
    monkeypatch.setattr(charts, "worths", lambda *given, **more: drawn.append((given, more)) or own(*given, **more))
    monkeypatch.setattr(show, "lists", lambda page, shown, *a, **b: panels.append(shown) or lists(page, shown, *a, **b))
    app = tab(measure="RR@10", part="retrieve.2", question="q3", **{"fold.ablate": "1"})
    assert [b.label for b in app.button if b.key == "pipeline.ablate.begin"] == ["Measure all parts on 5 questions"]
    assert (figures(app), drawn) == ({}, [])
    begun(app)
    expected = ablate(formats.parse(SEARCH), CORPUS, QUERIES, QRELS, measure="RR@10")
    assert figures(app)["RR@10 of the whole pipeline"] == f"{expected.value:.3f}"
    assert figures(app)["Questions"] == "5"
    ((variants, names), more) = drawn[-1]
    assert [v.difference.away for v in variants] == [v.difference.away for v in expected.without]
    assert (names[0], more) == ("BM25", {"selected": "retrieve.2"})
    shown = next(v for v in expected.without if v.cut.path == "retrieve.2")
    assert verdict(shown) in texts(app)
    assert app.selectbox("pipeline.ablate.question").value == "q3"
    assert squares[-1]["rows"][0]["chance"] == "", (
        "the p of one of many pairs would be another than that of the verdict"
    )
    runner = Runner(CORPUS)
    for panel, search in zip(panels[-1], (expected.search, shown.cut.search), strict=True):
        assert panel.ranking.ids == runner(search, QUERIES[3], 10).ids
    assert graded[-1] == "the snow", "a grade is given for the question that the cards answer"
    assert sorted(app.selectbox("pipeline.ablate.question").options) == sorted(
        f"{shown.difference.away[q.id]:+.3f} · {q.text}" for q in QUERIES
    )
    app.session_state["pipeline.fold.ablate"] = True
    app.run()
    (table,) = tables(app)
    assert [*table["value"]] == [v.value for v in expected.variants]
    assert [*table["corrected"]] == [v.p for v in expected.variants]
    assert "“fuse” cannot be left out." in texts(app)


def test_the_table_goes_home_as_csv_and_markdown_with_the_whole_in_its_first_row(tab, monkeypatch):
    taken, own = {}, DeltaGenerator.download_button

    def button(self, label, data, file_name, *given, **more):
        taken[file_name] = data() if callable(data) else data
        return own(self, label, data, file_name, *given, **more)

    app = begun(tab(**{"fold.export": "1"}))
    assert "pipeline.fold.export" in app.session_state
    monkeypatch.setattr(DeltaGenerator, "download_button", button)
    app.session_state["pipeline.fold.export"] = True
    app.run()
    assert not app.exception, app.exception
    expected = ablate(formats.parse(SEARCH), CORPUS, QUERIES, QRELS)
    table = pd.read_csv(io.StringIO(taken["devices-ablation.csv"].removeprefix("\ufeff")))
    assert [*table["nDCG@10"]] == pytest.approx([expected.value, *(v.value for v in expected.variants)])
    assert [*table["difference"][1:]] == pytest.approx([v.difference.mean for v in expected.variants])
    assert [*table["Part"][:2]] == ["The whole pipeline", "BM25"]
    lines = taken["devices-ablation.md"].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    assert {len(row) for row in cells} == {len(table.columns)}
    assert [row[2] for row in cells[2:]] == [f"{value:.4f}" for value in table["nDCG@10"]]
    assert cells[2][0] == "The whole pipeline"
    assert not re.search(r"\bnan\b|\bNone\b", "".join(lines))


def test_no_text_of_a_table_in_markdown_is_markup():
    table = pd.DataFrame([{"a | b": "1 | <b>x</b>\nnew *line*", "n": 3, "x": float("nan")}])
    assert escape.as_markdown(table).splitlines() == [
        r"| a \| b | n | x |",
        "| --- | --- | --- |",
        r"| 1 \| \<b\>x\</b\> new \*line\* | 3 |  |",
    ]


def test_another_measure_or_fewer_questions_need_no_other_search(tab, monkeypatch):
    app = begun(tab(n="3"))
    assert figures(app)["Questions"] == "3"
    monkeypatch.setattr("lab.ui.study.measuring.Gathered", lambda *_, **__: pytest.fail("searched again"))
    app.selectbox(key="pipeline.ablate.measure").set_value("P@5").run()
    assert "P@5 of the whole pipeline" in figures(app)
    app.number_input(key="pipeline.ablate.n").set_value(2).run()
    assert not app.exception
    assert figures(app)["Questions"] == "2"
    assert len(app.selectbox(key="pipeline.ablate.question").options) == 2
    app = tab(measure="nDCG@0")
    assert "There is no measure “nDCG@0”." in texts(app)
    assert figures(app) == {}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_cannot_be_measured_is_said_truly(tab, lang):
    said = {"en": "no judged question", "zh": "没有已标注的问题"}
    assert said[lang] in texts(tab(qrels={}, lang=lang))
    said = {"en": "A single list has no part", "zh": "只有一个列表"}
    assert said[lang] in texts(tab("BM25()", lang=lang))


def test_one_question_nothing_found_and_nothing_different(tab):
    app = begun(tab(qrels={"q0": {"fox": 1}}, part="retrieve.0"))
    assert figures(app)["Questions"] == "1"
    assert "No question is better or worse because of it." in texts(app)
    app = begun(tab(qrels={"q0": {"fox": 1}}, part="refine.0"))
    assert "One question is not enough for a test." in texts(app)
    app = begun(tab("BM25() % 2 >> ScoreThreshold(minimum=99)"))
    assert figures(app)["nDCG@10 of the whole pipeline"] == "0.000"
    assert "The whole pipeline finds no relevant result for any of these questions." in texts(app)
    assert not re.search(r"\bnan\b|\bNone\b", texts(app))


def test_a_model_that_fails_leaves_what_was_done_and_can_be_tried_again(tab, monkeypatch):
    answers = {"red fox": "fox", "blue bird": "bird", "wind": "rain", "rain": "wind"}
    script = tuple(answers.items())
    model = ScriptedModel((*script[:2], ("", ModelError("The model is away.", "Come back later."))))
    monkeypatch.setattr(language_model, "current", lambda *_: model)
    app = begun(tab("BM25() >> LanguageModelJudge(model='chat')"))
    assert not app.error, "a judge that fails keeps the document"
    app = begun(tab("MultiQuery(model='chat')(BM25())"))
    assert "Questions searched unchanged because the model failed: 3." in texts(app)
    monkeypatch.setattr(language_model, "current", lambda *_: None)
    app = begun(tab("MultiQuery(model='chat')(BM25())"))
    assert "This run has no language model “chat”." in texts(app)
    assert figures(app) == {}
    monkeypatch.setattr(language_model, "current", lambda *_: ScriptedModel((("", "snow"),)))
    again = next(b for b in app.button if b.key == "pipeline.ablate.again")
    again.click().run()
    assert not app.exception
