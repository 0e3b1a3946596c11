"""Operators in a question: the line under the field, the switch, and what the lists of every page do."""

from __future__ import annotations

from pathlib import Path

import places
import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab.corpus import samples
from lab.ui import address
from lab.ui.layout import frame
from lab.ui.people.visitor import Visitor

ROOT = Path(__file__).parents[2]
QUESTION = "reset -watch"
CODE = {"/".join(path.parts[-3:-1]): path.read_text("utf-8") for path in places.PAGES}
APPLYING = [page for page, code in CODE.items() if "p.query(operators=True)" in code]
READING = [page for page, code in CODE.items() if "p.query(" in code and "operators=True" not in code]


def opened(page: str, question: str = QUESTION, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    for name, value in {"lang": "en", "corpus": "devices", address.QUESTION: question, **link}.items():
        app.query_params[name] = value
    app.switch_page(f"pages/{page}/page.py").run()
    assert not app.exception, app.exception
    return app


def captions(app: AppTest) -> str:
    return "\n".join(c.value for c in app.caption).replace("\\", "")


@pytest.mark.parametrize("page", spread(APPLYING, 2))
def test_off_it_says_that_signs_are_words_and_on_how_they_were_read(page: str) -> None:
    app = opened(page)
    assert "Read as plain words: -" in captions(app)
    switch = next(t for t in app.toggle if t.label == "Use operators")
    assert switch.value is False
    switch.set_value(True).run()
    assert not app.exception, app.exception
    assert not app.error, app.error
    assert "Read as: required: reset; excluded: watch; ranked by: reset." in captions(app)
    assert "1" in app.query_params["operators"]
    assert any("Removed by operators" in e.label for e in app.expander)


@pytest.mark.parametrize("page", spread(READING, 2))
def test_pages_that_do_not_apply_operators_say_so(page: str) -> None:
    app = opened(page, operators="1")
    assert "Read as plain words: - · These pages can apply them: Compare, Rerank, Filter" in captions(app)
    assert not [t for t in app.toggle if t.label == "Use operators"]


def test_a_question_without_operators_has_no_line() -> None:
    app = opened("retrieve/compare", "reset WH-1000", operators="1")
    assert "Read as" not in captions(app)
    assert not [t for t in app.toggle if t.label == "Use operators"]


def test_only_excluding_is_explained() -> None:
    app = opened("retrieve/compare", "-watch", operators="1")
    assert "there is no word to search by" in captions(app)


def test_a_mistake_is_said() -> None:
    app = opened("retrieve/compare", 'reset -watch "sound', operators="1")
    assert "A quotation mark is not closed, so it is read as a word." in captions(app)


FOLDS = {
    "index/inside": {"inside.fold.boolean": "1"},
    "refine/filter": {"operators": "1", "filter.fold.operators": "1"},
}


@pytest.mark.parametrize(("page", "link"), [(page, FOLDS[page]) for page in places.there(*FOLDS)])
def test_the_question_is_a_tree_of_sets(page: str, link: dict[str, str]) -> None:
    app = opened(page, "(reset OR restart) AND NOT watch", **link)
    table = next(d.value for d in app.dataframe if "part" in d.value)
    counts = dict(zip(table["part"].str.strip(), table["df"], strict=True))
    assert list(counts) == [
        "(reset or restart) and not watch",
        "reset or restart",
        "reset",
        "restart",
        "not watch",
        "watch",
    ]
    assert counts["watch"] + counts["not watch"] == len(samples.load("devices").corpus)
    assert counts["reset or restart"] >= max(counts["reset"], counts["restart"])
