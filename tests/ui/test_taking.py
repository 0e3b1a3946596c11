"""What every page offers to take away: its tables with the heads that it shows, and its lists."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import places
import pytest
import streamlit as st
from markdown_it import MarkdownIt
from streamlit.delta_generator import DeltaGenerator

from lab.algebra import Corpus, Document, Ranking
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.ui.layout import export, tables

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
