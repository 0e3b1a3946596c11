"""A lesson that is opened shows what its first expectation speaks of, and every knob of it is a widget of its page."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lab import lessons
from lab.corpus import samples
from lab.ui import address
from lab.ui.page import Page

ROOT = Path(__file__).parents[2]
COLLECTIONS = {name: samples.load(name) for name in samples.names()}
EVERY = sorted((x for name in samples.names() for x in lessons.read(samples.folder(name))), key=lambda x: x.page)
MOST = {x.page: x for x in sorted(EVERY, key=lambda x: len(x.knobs))}  # per page one of those with most knobs
LESSONS = [
    pytest.param(x, id=f"{x.page}-{x.corpus}-{x.id}", marks=[] if MOST[x.page] is x else [pytest.mark.nightly])
    for x in EVERY
]


@pytest.mark.parametrize("lesson", LESSONS)
def test_an_opened_lesson_shows_what_it_claims(lesson, monkeypatch):
    exported = []
    own = Page.end

    def end(page, searches, rankings, *took):
        exported.extend(rankings.values())
        own(page, searches, rankings, *took)

    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page(next((ROOT / "pages").glob(f"*/{lesson.page}.py")).relative_to(ROOT).as_posix()).run()
    monkeypatch.setattr(Page, "end", end)
    pills = next(b for b in app.button_group if b.key == f"{lesson.page}.lesson")
    pills.set_value(f"{lesson.corpus}/{lesson.id}").run()
    assert not app.exception
    assert not app.error
    assert app.session_state[address.QUESTION] == lesson.query
    for knob, value in lesson.knobs.items():
        assert f"{lesson.page}.{knob}" in app.session_state["_shown"], f"{knob} is no widget of this page"
        assert app.session_state[f"{lesson.page}.{knob}"] == value
    if lesson.select:
        assert app.session_state["doc"] == lesson.select

    first = lesson.expect[0]["list"]
    wanted = lesson.ranking(first, lesson.runner(COLLECTIONS[lesson.corpus].corpus))
    shown = [[(h.document.id, h.document.text) for h in r.hits] for r in exported]
    ids = [(h.document.id, h.document.text) for h in wanted.hits]
    assert any(ids[: len(r)] == r[: len(ids)] and bool(r) == bool(ids) for r in shown), (
        f"no list of the page is “{first}”"
    )
