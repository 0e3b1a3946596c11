"""A stranger's first minute: a question, the ranks of its answer in three lists, why they differ, and three doors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document, Query, Runner
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.explain import questions
from lab.fuse import RRF
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.ui import components, navigation
from lab.ui.i18n import translate
from lab.ui.layout import frame
from lab.ui.people.visitor import Visitor

ROOT = Path(__file__).parents[2]
HOSTILE = "<img src=x onerror=alert(1)> **[a](javascript:1)** $x^2$ \ud83d :material/home:"


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is drawn as lists of cards."""
    drawn: list[dict[str, Any]] = []
    monkeypatch.setattr(components, "lists", lambda data, **_: drawn.append(data))
    return drawn


def opened(own: Corpus | None = None, language: str = "en", **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    if own is not None:
        app.session_state[frame.VISITOR] = Visitor("")
        app.session_state[frame.VISITOR].store(frame.UPLOADS)[own.name] = Collection(own, (), {})
        link["corpus"] = own.name
    for name, value in {"lang": language, **link}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def texts(app: AppTest) -> str:
    return "\n".join(x.value for x in app.markdown).replace("\\", "")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("corpus", ["devices", "handbook"])
def test_the_first_question_shows_three_lists_and_why_they_differ(corpus, language, lists):
    app = opened(corpus=corpus, language=language)
    (data,) = lists
    asked = str(app.text_input[0].value)
    runner, bm25, vector = Runner(samples.load(corpus).corpus), BM25(), Vector()
    rankings = [runner(x, Query(asked)) for x in (bm25, RRF()(bm25, vector), vector)]
    assert [own["hits"][0]["id"] for own in data["lists"]] == [r.ids[0] for r in rankings]
    assert rankings[0].ids[0] != rankings[2].ids[0], "the lists of the first question disagree"
    assert not data["only"], "nothing but the lists"
    assert "grading" not in data
    c = samples.load(corpus)
    answers = c.relevant(c.query_by_text(asked).id)
    places = [tuple(own["place"] for own in data["lists"]), *(tuple(str(r.rank(x)) for r in rankings) for x in answers)]
    assert places[0] in places[1:], "the ranks of one answer"
    assert all(own["why"] for own in data["lists"])
    assert ("融合" if language == "zh" else "fusing") in app.subheader[0].value


def test_an_unjudged_question_has_no_numerals_and_nothing_is_right(lists):
    app = opened(corpus="handbook", q="a place for the car")
    (data,) = lists
    assert not any(own["place"] or own["why"] for own in data["lists"])
    assert data["neutral"]
    assert not any(hit["tags"] for own in data["lists"] for hit in own["hits"])
    assert translate("The answer", "en") not in texts(app)
    assert "In both lists among the first 5: " in texts(app)


@pytest.mark.nightly
def test_home_measures_fusing_over_all_judged_questions_when_asked(lists):
    app = opened(corpus="handbook", **{"home.fold.judged": "1"})
    assert "nDCG@10" in texts(app)
    assert "(p " in texts(app)


@pytest.mark.parametrize("n", [0, 1, 50])
def test_home_opens_with_any_corpus_of_ones_own(n, lists):
    app = opened(Corpus("own", tuple(Document(f"d{i}", f"{HOSTILE} {i}", HOSTILE) for i in range(n))))
    (data,) = lists
    assert [len(own["hits"]) for own in data["lists"]][0] <= 6
    assert "<img" not in "\n".join(x.value for x in app.markdown).replace("\\<img", "")


@pytest.mark.parametrize("q", ["", "zzz qqq", "x" * 2000, HOSTILE.replace("\ud83d", "")])
def test_home_opens_with_any_question(q, lists):
    opened(corpus="devices", q=q)
    assert len(lists) == 1


def test_a_large_corpus_is_searched_by_words_alone(monkeypatch, lists):
    monkeypatch.setattr(questions, "LARGE", 3)
    opened(corpus="devices")
    (data,) = lists
    assert len(data["lists"]) == 1, "home does not wait for thousands of vectors"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_three_doors_lead_to_pages_that_there_are(language):
    app = opened(language=language)
    doors = [link.proto for link in app.main.get("page_link")]
    known = {x.name for _section, _verb, _colour, pages in navigation.PATH for x in pages} | {"course"}
    assert len(doors) == 3
    assert {door.page.rsplit("/", 1)[-1] for door in doors} <= known
    assert translate("Decide", language) in texts(app)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_menu_begins_with_five_pages_and_has_all_others_on_the_path_of_a_query(language):
    app = opened(language=language)
    (menu,) = [box for box in app.sidebar.expander if box.label == translate("The path of a query", language)]
    others = [link.proto.page.rsplit("/", 1)[-1] for link in menu.get("page_link")]
    views = {name for family in navigation.FAMILIES for name in list(family.views)[1:]}
    assert others == [x.name for x in navigation.every() if x.name not in {*navigation.FIRST, *views}]
    assert menu.get("page_link")[0].proto.label == translate("Words", language)


FAMILIES = [("tokenizer", "vocabulary"), ("compression", "vector_store")]


@pytest.mark.parametrize(("page", "other"), spread([pair for pair in FAMILIES if navigation.family(pair[0])], 1))
def test_the_views_of_one_thing_are_one_click_apart_and_the_question_goes_along(page, other):
    app = opened(q="parking space")
    app.switch_page(f"pages/{navigation.listed(page).path}/page.py").run()
    assert [x.value for x in app.title] == [navigation.family(page).title]
    (views,) = [x for x in app.get("button_group") if x.key == f"{page}.view"]
    views.set_value(other).run()
    assert not app.exception, app.exception
    assert f"{other}.view" in {x.key for x in app.get("button_group")}
    assert app.query_params["q"] == "parking space"
