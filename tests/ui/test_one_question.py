"""One question travels: asked anywhere, it is on every page and in every link; who has asked nothing sees showcases."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import places
import pytest
from night import sample, spread
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document, Query
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.text import script
from lab.ui import address, cache
from lab.ui.layout import export, frame
from lab.ui.layout.questions import MANY
from lab.ui.people import keeping
from lab.ui.people.visitor import RECENT, Visitor
from ui.conftest import play

ROOT = Path(__file__).parents[2]
PAGES = places.NAMES
ASKING = [p for p in PAGES if re.search(r"\bp\.query\(", (ROOT / p).read_text("utf-8"))]
OTHERS = [p for p in PAGES if p not in ASKING]
QUESTION = "the battery does not charge"
EXAMPLE = "Example question. Type your own; it follows you across pages."
DEVICES = samples.load("devices")
OWN = Collection(
    Corpus("own", tuple(Document(str(i), text) for i, text in enumerate(("A battery does not charge.", "The kiln.")))),
    (Query("kiln", id="q"),),
    {"q": {"1": 1}},
)


def opened(page: str, own: Collection | None = None, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    if own is not None:
        app.session_state[frame.VISITOR].store(frame.UPLOADS)["own"] = own
    for name, value in {"lang": "en", "corpus": "devices", **link}.items():
        app.query_params[name] = value
    return at(app, page)


def at(app: AppTest, page: str) -> AppTest:
    app.switch_page(page).run()
    assert not app.exception
    return app


def asks(app: AppTest, question: str) -> AppTest:
    app.text_input(address.QUESTION).set_value(question)
    next(b for b in app.button if b.proto.is_form_submitter).click().run()
    assert not app.exception
    return app


def in_link(app: AppTest) -> list[str]:
    found = app.query_params.get(address.QUESTION, [])
    return [found] if isinstance(found, str) else [*found]


def captions(app: AppTest) -> list[str]:
    return [caption.value for caption in app.caption]


def test_a_question_asked_on_one_page_is_on_every_other_page_and_in_its_link():
    app = asks(opened("pages/retrieve/compare/page.py", OWN, corpus="own"), QUESTION)
    assert len(ASKING) > 10
    for page in sample([*ASKING, *OTHERS], 8):
        at(app, page)
        assert in_link(app) == [QUESTION], page
        assert EXAMPLE not in captions(app), page
        if page in ASKING:
            assert app.text_input(address.QUESTION).value == QUESTION, page


def test_a_question_that_a_grade_makes_the_showcase_stays_in_the_link():
    app = asks(
        opened("pages/retrieve/compare/page.py", dataclasses.replace(OWN, queries=(), qrels={}), corpus="own"), "kiln"
    )
    me: Visitor = app.session_state[frame.VISITOR]
    keeping.change(me, lambda judgments: judgments.given("kiln", OWN.corpus.documents[1], 2))
    assert in_link(app.run()) == ["kiln"]
    assert EXAMPLE in captions(app)


def test_the_question_is_in_what_is_exported(monkeypatch: pytest.MonkeyPatch):
    taken = []
    monkeypatch.setattr(export, "buttons", lambda _page, _frame, _searches, rankings, *_: taken.extend(rankings))
    opened("pages/combine/fusion/page.py", OWN, corpus="own", q=QUESTION, **{"fusion.fold.export": "1"})
    assert {ranking.query.text for ranking in taken} == {QUESTION}


@pytest.mark.parametrize("page", spread(ASKING, 2))
def test_a_page_whose_visitor_has_asked_nothing_says_that_it_shows_an_example(page: str):
    app = opened(page)
    assert app.text_input(address.QUESTION).value
    assert in_link(app) == []
    assert captions(app).count(EXAMPLE) == 1


@pytest.mark.parametrize("page", spread(["pages/query/dialogue/page.py", "pages/start/corpus/page.py"], 1))
def test_a_link_to_a_page_without_a_field_takes_its_question_along(page: str):
    app = opened(page, q=QUESTION)
    assert in_link(app) == [QUESTION]
    assert at(app, "pages/combine/fusion/page.py").text_input(address.QUESTION).value == QUESTION
    long = opened(page, q="x" * (address.LONGEST_QUESTION + 1))
    assert in_link(long) == ["x" * address.LONGEST_QUESTION]


def test_the_selected_document_and_the_corpus_go_along():
    app = opened("pages/retrieve/compare/page.py", corpus="handbook", q="年假", doc="hb-003")
    for page in ("pages/combine/fusion/page.py", "pages/query/dialogue/page.py", "pages/refine/filter/page.py"):
        at(app, page)
        assert (app.session_state["corpus"], app.session_state["doc"]) == ("handbook", "hb-003")
        assert app.query_params["doc"] in ("hb-003", ["hb-003"])


def test_questions_of_the_visit_are_offered_first_the_newest_on_top_and_one_click_asks_them():
    app = opened("pages/retrieve/compare/page.py")
    visitor = app.session_state[frame.VISITOR]
    for question in ("first kiln", "second kiln", "first kiln", "third kiln"):
        asks(app, question)
    assert visitor.questions == ("third kiln", "first kiln", "second kiln")
    at(app, "pages/refine/filter/page.py")
    pick = app.selectbox("filter.example")
    judged = [query.text for query in DEVICES.queries]
    assert pick.options[:2] == ["↺ first kiln", "↺ second kiln"]  # the third is in the field
    kinds = {kind: question for question, kind in (option.rsplit(" · ", 1) for option in pick.options[2:7])}
    assert list(kinds) == ["code", "negation", "other language", "other words", "typo"]
    assert pick.options[7:9] == [q for q in judged if q not in kinds.values()][:2]
    assert pick.value is None
    pick.select_index(1).run()
    assert app.text_input(address.QUESTION).value == "second kiln"
    assert in_link(app) == ["second kiln"]
    assert app.selectbox("filter.example").value is None  # and is ready for the next click
    app.selectbox("filter.example").select_index(2).run()
    assert app.text_input(address.QUESTION).value == kinds["code"]
    assert visitor.questions[:2] == (kinds["code"], "second kiln")


def test_so_many_questions_of_a_visit_are_remembered_and_those_of_its_other_tab_too():
    visitor, other = Visitor("a"), Visitor("b")
    for i in range(RECENT + 3):
        visitor.ask(f"q{i}")
    assert visitor.questions == tuple(f"q{i}" for i in reversed(range(3, RECENT + 3)))
    other.ask("elsewhere")
    other.take(visitor)
    assert other.questions == ("elsewhere", *visitor.questions[:-1])
    assert not other.forget()  # a question asked is no upload
    assert other.questions == ()


def test_a_lessons_question_is_none_of_the_visitors():
    app = opened("pages/retrieve/compare/page.py")
    shown = app.text_input(address.QUESTION).value
    lesson = next(x for x in cache.lessons() if x.page == "compare" and x.query not in ("", shown))
    play(app, "compare", f"{lesson.corpus}/{lesson.id}")
    assert in_link(app) == [lesson.query]
    assert app.session_state[frame.VISITOR].questions == ()


def test_of_very_many_questions_some_are_offered_from_the_first_to_the_last():
    many = tuple(Query(f"question {i}", id=str(i)) for i in range(3 * MANY))
    own = Collection(Corpus("own", (Document("a", "question 7"),)), many)
    options = opened("pages/retrieve/compare/page.py", own, corpus="own", q="x").selectbox("compare.example").options
    assert options[0] == "↺ x" or options[0] == "question 0"
    told = [o for o in options if o.startswith("question")]
    assert told == [f"question {3 * i}" for i in range(MANY)]


def test_a_conversation_can_begin_with_the_question_that_was_asked():
    assert not [b for b in opened("pages/query/dialogue/page.py").button if b.key == "dialogue.begin"]
    app = opened("pages/query/dialogue/page.py", q=QUESTION)
    next(b for b in app.button if b.key == "dialogue.begin").click().run()
    assert app.session_state["dialogue.said"] == f'["{QUESTION}"]'
    assert not [b for b in app.button if b.key == "dialogue.begin"]
    assert in_link(app) == [QUESTION]


def test_evaluate_opens_the_question_that_was_asked_where_it_is_judged():
    judged = DEVICES.judged[3]
    link = {"evaluate.n": "6", "evaluate.measures": "nDCG@10"}
    app = opened("pages/whole/evaluate/page.py", q=judged.text, **link)
    assert app.selectbox("evaluate.question").value == judged.id
    assert "evaluate.question" not in app.query_params


@pytest.mark.parametrize(("language", "corpus"), [("en", "staff"), ("zh", "handbook")])
def test_on_the_sample_of_the_readers_language_a_page_begins_with_a_question_in_it(language, corpus):
    for page in ("pages/start/tokenizer/page.py", "pages/query/routing/page.py"):
        app = opened(page, lang=language, corpus=corpus, format="4")
        assert script(app.session_state[address.QUESTION]) == language
