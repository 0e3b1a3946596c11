"""What every page offers to take away: its tables with the heads that it shows, its lists, and itself as a slide."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import places
import pytest
import streamlit as st
from markdown_it import MarkdownIt
from streamlit.delta_generator import DeltaGenerator

from lab.algebra import Corpus, Document, Ranking
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.ui import components
from lab.ui.layout import export, tables
from lab.ui.lessons import performing, slide

ROOT = Path(__file__).parents[2]
HOSTILE = "| a | [x](https://example.org) <b>*battery*</b> \n--- ![y](z) =1+1 \ud83d"
CORPUS = Corpus(
    "own",
    (Document("a", "battery", HOSTILE), Document("b", "battery battery", "Zwei"), Document("c", "battery", "三")),
)


def ranked() -> dict[str, Ranking]:
    return {"BM25 | x": BM25(variant="lucene").index(CORPUS).search("battery"), "V": Vector().index(CORPUS).search("x")}


def test_every_page_with_a_frame_offers_what_it_shows():
    for path in places.PAGES:
        text = path.read_text("utf-8")
        assert "p.end(" in text or "p.exports(" in text, path.parent.name
        assert "st.plotly_chart" not in text, f"{path.parent.name}: charts are drawn by lab.ui.figures.charts"


def drawn(monkeypatch: pytest.MonkeyPatch, rows: Any, columns: dict[str, Any]) -> dict[str, str]:
    """The files that a table is taken away as, by their names."""
    made = dict[str, str]()
    monkeypatch.setattr(st, "dataframe", lambda *_args, **_how: None)
    take = lambda _row, _label, make, name, *_args, **_how: made.update({name: make()})  # noqa: E731
    monkeypatch.setattr(DeltaGenerator, "download_button", take)
    tables.begin()
    tables.draw("Some | table", rows, key="page.some.table", columns=columns)
    tables.buttons("my/corpus")
    return made


def test_a_table_is_taken_away_with_the_heads_that_it_shows(monkeypatch):
    columns = {"a": "Name", "b": st.column_config.NumberColumn("Value", format="%.1f"), "c": st.column_config.Column()}
    rows = [{"a": "=1+1", "b": 1 / 3, "c": 2}, {"a": HOSTILE, "b": None, "c": 3}]
    made = drawn(monkeypatch, rows, columns)
    assert list(made) == ["my_corpus-page-some-table.csv", "my_corpus-page-some-table.md"]
    as_csv, as_markdown = made.values()
    assert as_csv[0] == "\ufeff", "spreadsheets read it as UTF-8"
    head, first, second = csv.reader(io.StringIO(as_csv[1:], newline=""))
    assert head == ["Name", "Value", "c"]
    assert first == ["'=1+1", str(1 / 3), "2"], "no cell is a formula"
    assert second[1] == ""
    assert as_markdown.splitlines()[0] == "| Name | Value | c |"
    assert len(as_markdown.splitlines()) == 2 + 2, "one line a row, whatever is in it"
    assert (as_csv + as_markdown).encode("utf-8")


def test_a_table_without_rows_is_a_file(monkeypatch):
    made = drawn(monkeypatch, [], {"a": "Name"})
    assert [text.strip("\ufeff\r\n") for text in made.values()] == ["", "|  |\n|  |"]


def test_what_another_page_has_drawn_is_not_offered(monkeypatch):
    assert drawn(monkeypatch, [{"a": 1}], {"a": "A"})
    tables.begin()
    assert tables.drawn() == {}


def test_lists_in_markdown_have_one_table_each_and_no_markup_of_a_document():
    text = export.markdown(list(ranked().values()), list(ranked()))
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert html.count("<table>") == html.count("<h2>") == 2
    assert html.count("<tr>") == sum(1 + len(r) for r in ranked().values())
    assert not re.search("<a|<img|<b>|<em>", html)
    assert export.markdown([], []) == ""
    assert text.encode("utf-8")


def test_a_slide_without_a_lesson_has_the_question_and_the_first_three_of_every_list(monkeypatch):
    monkeypatch.setattr(performing, "current", lambda: None)
    head, body = slide.text("compare", "Compare", "Which?", ranked())
    html = MarkdownIt().render(f"{head}\n\n{body}")
    assert "<h2>Compare: battery</h2>" in html
    assert html.count("<li>") == 2
    assert all(f"{i} " in body.splitlines()[0] for i in (1, 2, 3))
    assert "2 Zwei" in body or "1 Zwei" in body
    assert not re.search("<a|<img|<b>|<em>", html), "a document's title is no markup"
    assert (head + body).encode("utf-8")


def test_a_slide_of_a_page_without_lists_asks_the_question_of_the_page(monkeypatch):
    monkeypatch.setattr(performing, "current", lambda: None)
    assert slide.text("vocabulary", "Vocabulary", "Which words?", {}) == ("## Vocabulary", "Which words?")
    nothing = {"BM25": Ranking("zzz", (), BM25(), corpus=CORPUS)}
    assert slide.text("compare", "Compare", "", nothing)[1] == "- **BM25**: Nothing was found."


@pytest.mark.parametrize("held", [True, False])
def test_a_slide_of_a_lesson_has_its_sentence_and_the_verdicts_as_they_are(monkeypatch, held):
    step = SimpleNamespace(text={"en": "It is *first*.", "zh": "它排第一。"})
    lesson = SimpleNamespace(corpus="devices", title={"en": "One", "zh": "一"}, steps=[step])
    told = SimpleNamespace(page="compare", lesson=lesson, step=0, lines=[("1", held, "BM25: rank 4 of 89")])
    monkeypatch.setattr(performing, "current", lambda: told)
    head, body = slide.text("compare", "Compare", "", ranked())
    assert (head, body) == ("## One", f"It is *first*.\n\n- {'✓' if held else '✗'} BM25\\: rank 4 of 89")
    assert slide.text("fusion", "Fusion", "", ranked())[0] == "## Fusion: battery", "another page's lesson is no claim"
    lesson.corpus = "own"
    assert slide.text("compare", "Compare", "", ranked())[1].startswith("It is \\*first\\*.")


def test_the_scripts_that_copy_have_what_they_stand_on():
    here = Path(components.__file__).parent
    for script, before in components.BEFORE.items():
        text = (here / f"{script}.js").read_text("utf-8")
        assert ("toClipboard(" in text) == ("copying" in before)
        assert all((here / f"{name}.js").exists() for name in before)
