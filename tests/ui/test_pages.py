"""Every page's main path, without a browser."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from lab.ui.layout import frame
from lab.ui.people.visitor import Visitor

ROOT = Path(__file__).parents[2]


def opened(page: str = "", **params: str) -> AppTest:
    """The app, at one of its pages, run once."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in params.items():
        app.query_params[key] = value
    if page:
        app.switch_page(page)
    return app.run()


def ask(app: AppTest, page: str, query: str) -> None:
    """Type a question and press Enter."""
    app.text_input("q").set_value(query)
    next(b for b in app.button if b.form_id == f"{page}-ask").click().run()


def texts(app: AppTest) -> str:
    return "\n".join(
        [
            *(m.value for m in app.markdown),
            *(c.value for c in app.caption),
            *(t.value for t in app.title),
            *(i.value for i in app.info),
        ]
    )


def test_an_empty_query_says_so_and_keeps_the_page():
    app = opened("pages/retrieve/compare/page.py", lang="en")
    ask(app, "compare", "   ")
    assert not app.exception


def test_knobs_of_a_link_reach_the_widgets_and_bad_ones_are_ignored():
    app = opened(
        "pages/retrieve/compare/page.py",
        lang="en",
        **{"compare.bm25.k1": "0.4", "compare.bm25.b": "seven", "q": "router", "compare.k": "3"},
    )
    assert not app.exception
    assert app.slider("compare.bm25.b").value == 0.75
    assert app.slider("compare.bm25.k1").value == 0.4
    assert app.number_input("compare.k").value == 3
    assert app.text_input("q").value == "router"


def test_a_link_to_somebody_elses_upload_says_why_it_cannot_be_followed():
    app = opened("pages/retrieve/compare/page.py", lang="en", corpus="my-private-notes")
    assert any("my-private-notes" in w.value.replace("\\", "") for w in app.warning)  # escaped: no name is markup
    assert not app.exception


def test_a_word_in_half_of_the_passages_is_found_and_its_weight_of_zero_is_shown():
    passages = ("The ferry leaves the harbour at seven.", "The lighthouse was built in 1871.")
    corpus = Corpus("two", tuple(Document(str(i), text) for i, text in enumerate(passages)))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    app.session_state[frame.VISITOR].store(frame.UPLOADS)["two"] = Collection(corpus)
    for key, value in {"lang": "en", "corpus": "two"}.items():
        app.query_params[key] = value
    app.switch_page("pages/retrieve/compare/page.py").run()
    assert app.session_state["corpus"] == "two"
    ask(app, "compare", "ferry")
    assert not app.exception
    assert "The corpus contains none of these words" not in texts(app)
    assert "This passage contains no word of the query" not in texts(app)
    assert any("idf" in formula.value or "ln" in formula.value for formula in app.latex)


@pytest.mark.parametrize("lang", spread(["en", "zh"], 1))
@pytest.mark.parametrize("fault", [ZeroDivisionError("/home/somebody"), AttributeError("no such name"), KeyError("x")])
def test_a_fault_of_a_page_is_a_sentence_with_its_details_folded_and_none_in_public(
    lang: str, fault: Exception, monkeypatch: pytest.MonkeyPatch
):
    def fail(*_args: object, **_named: object) -> None:
        raise fault

    monkeypatch.setattr("lab.ui.components.path", fail)
    app = opened("pages/start/home/page.py", lang=lang)
    assert [("error in the lab" if lang == "en" else "实验室出错") in x.value for x in app.error] == [True]
    (folded,) = (x for x in app.expander if x.exception)
    assert not folded.proto.expanded
    assert [x.message for x in app.exception] == [str(fault)] == [x.message for x in folded.exception]
    monkeypatch.setenv("LAB_PUBLIC", "1")
    app = opened("pages/start/home/page.py", lang=lang)
    assert not app.exception
    assert len(app.error) == 1
    assert str(fault) not in app.error[0].value


def test_nobody_watches_the_files_of_a_lab_and_what_the_app_cannot_catch_is_no_traceback():
    """What `streamlit run app.py` and `retrieval-lab` read; tests/browser/test_updating.py changes the files."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["server"]["fileWatcherType"] == "none"
    assert config["client"]["showErrorDetails"] == "none"
