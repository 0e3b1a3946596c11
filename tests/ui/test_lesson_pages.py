"""A lesson performs: whatever a sentence expects is on its page when it is performed, holds there, and has its pin."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lab import lessons
from lab.corpus import samples
from lab.ui import address, performing

ROOT = Path(__file__).parents[2]
EVERY = sorted((x for name in samples.names() for x in lessons.read(samples.folder(name))), key=lambda x: x.page)
MOST = {x.page: x for x in sorted(EVERY, key=lambda x: (len(x.steps), len(x.knobs)))}  # of each page one of the longest
LESSONS = [
    pytest.param(x, id=f"{x.page}-{x.corpus}-{x.id}", marks=[] if MOST[x.page] is x else [pytest.mark.nightly])
    for x in EVERY
]


def opened(page: str, language: str = "en", **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = language
    for name, value in link.items():
        app.query_params[name] = value
    return app.switch_page(next((ROOT / "pages").glob(f"*/{page}.py")).relative_to(ROOT).as_posix()).run()


@pytest.fixture
def performed(monkeypatch):
    """What every run has performed, when its page was drawn."""
    seen = []
    own = performing.close

    def close(*how):
        told = performing.current()
        if told is not None and told.verdicts is not None:
            seen.append(told)
        own(*how)

    monkeypatch.setattr(performing, "close", close)
    return seen


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_sentence_of_an_opened_lesson_holds_and_is_seen_on_its_page(lesson, performed):
    app = opened(lesson.page)
    for i, step in enumerate(lesson.steps):
        if i == 0:
            app.button_group(f"{lesson.page}.lesson").set_value(f"{lesson.corpus}/{lesson.id}").run()
        else:
            app.button(f"{lesson.page}.lesson.next").click().run()
        assert not app.exception
        assert not app.error
        assert app.session_state[address.QUESTION] == lesson.query
        for knob, value in lesson.knobs_at(i).items():
            assert f"{lesson.page}.{knob}" in app.session_state["_shown"], f"{knob} is no widget of this page"
            assert app.session_state[f"{lesson.page}.{knob}"] == value
        if lesson.select_at(i):
            assert app.session_state["doc"] == lesson.select_at(i)
        told = performed[-1]
        assert (told.lesson.id, told.step) == (lesson.id, i)
        assert not told.missing, f"sentence {i + 1} speaks of lists that are not on the page"
        assert len(told.pins) == len(step.expect)
        wrong = [result.said for _pin, result in told.results() if not result.passed]
        assert not wrong, "\n".join(wrong)
