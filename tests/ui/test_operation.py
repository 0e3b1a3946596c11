"""The log has a line for every search that a visitor sees, and nothing that a visitor has typed."""

from __future__ import annotations

import logging
import re

import pytest
from app_pages import ROOT
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document, Query, Runner
from lab.fuse import RRF
from lab.refine.diversity import MMR
from lab.retrieve.lexical import BM25, TFIDF
from lab.ui.people import operation

LINE = re.compile(r'search page=(\w+) search=([\w>]+) corpus="([^"]+)" ms=[\d.]+ hits=(\d+)( question=.*)?')
SMALL = Corpus("my diary.txt", (Document("a", "a lamp"), Document("b", "a lock and a lamp")))


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, ...]]:
    told = [record.getMessage() for record in caplog.records if record.name == "retrieval_lab"]
    found = [LINE.fullmatch(line) for line in told]
    assert all(found), told
    return [match.groups() for match in found if match]


def test_a_page_writes_a_line_for_each_of_its_lists_and_the_question_into_none(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO, "retrieval_lab")
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", "corpus": "devices", "q": "zebra lamp"}.items():
        app.query_params[key] = value
    app.switch_page("pages/retrieve/compare/page.py").run()
    assert not app.exception
    assert [line[:3] for line in lines(caplog)] == [
        ("compare", "BM25", "devices"),
        ("compare", "TFIDF", "devices"),
        ("compare", "Vector", "devices"),
    ]
    assert "zebra" not in caplog.text


@pytest.mark.parametrize("asked", ["", "0", "1"])
def test_what_a_visitor_typed_is_in_the_log_only_where_somebody_wants_it(
    asked: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.INFO, "retrieval_lab")
    monkeypatch.setenv("LAB_LOG_QUESTIONS", asked)
    search = RRF()(BM25(), TFIDF()) >> MMR(k=1)
    operation.searched("fusion", SMALL.name, {"diary": Runner(SMALL)(search, Query('lamp"\nsearch page=forged'))})
    ((page, steps, corpus, hits, question),) = lines(caplog)
    assert (page, corpus, hits) == ("fusion", "own documents", "1")
    assert steps == "BM25>TFIDF>RRF>MMR"
    assert "diary" not in caplog.text
    assert question == (' question="lamp\\"\\nsearch page=forged"' if asked == "1" else None)


def test_a_log_that_somebody_has_set_up_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch):
    own = logging.getLogger("retrieval_lab")
    before = own.level, list(own.handlers)
    try:
        own.setLevel(logging.WARNING)
        own.handlers[:] = [logging.NullHandler()]
        operation.begin()
        assert (own.level, [type(h) for h in own.handlers]) == (logging.WARNING, [logging.NullHandler])
    finally:
        own.setLevel(before[0])
        own.handlers[:] = before[1]
