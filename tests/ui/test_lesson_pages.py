"""A lesson performs: whatever a sentence expects is on its page when it is performed, holds there, and has its pin."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import places
import pytest
from night import nightly, sample, spread
from streamlit.testing.v1 import AppTest

from lab import lessons
from lab.algebra import Corpus, Document
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.lessons import forms
from lab.text import script
from lab.ui import address, cache, components
from lab.ui.layout import frame
from lab.ui.lessons import performing
from lab.ui.people.visitor import Visitor
from ui.conftest import MENUS, play

ROOT = Path(__file__).parents[2]
EVERY = sorted((x for name in samples.every_name() for x in lessons.read(samples.folder(name))), key=lambda x: x.page)
MOST = {x.page: x for x in sorted(EVERY, key=lambda x: (len(x.steps), len(x.knobs)))}  # of each page one of the longest
IN_SUITE = sample(MOST.values(), 3)
LESSONS = [x if x in IN_SUITE else nightly(x) for x in EVERY]


def opened(page: str, language: str = "en", own: Collection | None = None, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    if own is not None:
        app.session_state[frame.VISITOR] = Visitor("")
        app.session_state[frame.VISITOR].store(frame.UPLOADS)[own.name] = own
    app.query_params["lang"] = language
    for name, value in link.items():
        app.query_params[name] = value
    return app.switch_page(places.file_of(page)).run()


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


@pytest.fixture
def cards(monkeypatch):
    """The lists as they were drawn, each with the marks at its name and on its cards; empty them before a run."""
    seen = []
    own = components.lists
    monkeypatch.setattr(components, "lists", lambda data, **how: [seen.extend(data["lists"]), own(data, **how)])
    return seen


def marks(cards) -> set[str]:
    """The marks of a lesson's sentence that can be seen at these lists."""
    return {mark for column in cards for row in (column, *column["hits"]) for mark in row.get("pins", ())}


def parts(block) -> set[str]:
    """The keys of what is drawn, as they stand in the page's classes."""
    own = getattr(getattr(block, "proto", None), "id", "")
    found = {re.sub(r"[^a-zA-Z0-9_-]", "-", own.split("-", 2)[2])} if own.startswith("$$ID-") else set()
    return found.union(*(parts(one) for one in getattr(block, "children", {}).values()))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda x: f"{x.page}-{x.corpus}-{x.id}")
def test_every_sentence_of_an_opened_lesson_holds_and_is_seen_on_its_page(lesson, performed, cards):
    app = opened(lesson.page)
    for i, step in enumerate(lesson.steps):
        cards.clear()
        if i == 0:
            play(app, lesson.page, f"{lesson.corpus}/{lesson.id}")
        else:
            app.button(f"{lesson.page}.lesson.next").click().run()
        assert not app.exception
        assert not app.error
        assert app.session_state[address.QUESTION] == lesson.query
        knobs = lesson.knobs_at(i)
        for knob, value in knobs.items():
            if knobs.get(knob.partition(".")[0]) is False:
                continue  # what is switched off has no knobs
            key = performing.widget(lesson.page, knob)
            assert key in app.session_state["_shown"], f"{knob} is no widget of this page"
            assert app.session_state[key] == value
        if lesson.select_at(i):
            assert app.session_state["doc"] == lesson.select_at(i)
        told = performed[-1]
        assert (told.lesson.id, told.step) == (lesson.id, i)
        assert not told.missing, f"sentence {i + 1} speaks of lists that are not on the page"
        assert len(told.pins) == len(step.expect)
        assert {pin.mark for pin in told.pins if not pin.at} <= marks(cards)
        assert not step.expect or not step.at or f"{lesson.page}-{step.at}" in parts(app._tree), step.at
        wrong = [result.said for _pin, result in told.results() if not result.passed]
        assert not wrong, "\n".join(wrong)


OWN = samples.load("handbook").corpus.documents[::2] + samples.load("devices").corpus.documents[::2]
FORMS = spread(dict.fromkeys(form.page for form in forms.forms()), 1)


@pytest.mark.parametrize("page", FORMS)
def test_lessons_on_own_documents_perform_as_those_of_the_samples_do(page, performed):
    app = opened(page, own=Collection(Corpus("mine", OWN)), corpus="mine")
    told = " ".join(MENUS[f"{page}.menu"]["needs"])
    for found in forms.of_corpus(page, Collection(Corpus("mine", OWN))):
        if isinstance(found, forms.Missing):
            assert found.needs["en"] in told
            continue
        play(app, page, f"mine/{found.id}")
        for i in range(len(found.steps)):
            if i:
                app.button(f"{page}.lesson.next").click().run()
            assert not app.exception
            assert not app.error
            assert (performed[-1].lesson.id, performed[-1].step) == (found.id, i)
            assert not performed[-1].missing, found.id
            assert all(result.passed for _pin, result in performed[-1].results())
            at = found.steps[i].at
            assert not at or f"{page}-{at}" in parts(app._tree), f"{found.id}: {at}"
        app.button(f"{page}.lesson.leave").click().run()
        assert app.session_state["corpus"] == "mine"


def test_a_title_of_own_documents_is_no_markup_in_a_lesson():
    texts = ["A lid of a box is made of wood and painted by hand."] * 3 + ["The code QX-9 is printed on the lid."]
    bad = "![x](https://example.com/x.png) <img src=x> **b**"
    documents = [Document(str(i), text, f"{bad} {i}") for i, text in enumerate(texts)]
    app = opened("reorder", own=Collection(Corpus("mine", tuple(documents))), corpus="mine")
    play(app, "reorder", "mine/own-ends")
    said = [x.value for x in app.markdown if "example.com" in x.value]
    assert said
    assert all("](https" not in text.replace("\\", "") or "\\]\\(" in text for text in said)
    assert all("<img" not in x.body for x in app.get("html"))


FIRST = next(x for x in EVERY if x.page == "compare" and x.corpus == "devices" and x.id == "b-zero")


def played(app: AppTest, lesson: lessons.Lesson) -> AppTest:
    return play(app, lesson.page, f"{lesson.corpus}/{lesson.id}")


def test_leaving_a_lesson_brings_back_corpus_question_document_and_knobs():
    app = opened(
        "compare", corpus="handbook", q="病假怎么请", doc="hb-003", **{"compare.bm25.b": "0.3", "compare.k": "5"}
    )
    keys = ("corpus", "q", "doc", "compare.bm25.b", "compare.k")
    before = {key: app.session_state[key] for key in keys}
    assert before["compare.bm25.b"] == 0.3
    played(app, FIRST)
    assert (app.session_state["corpus"], app.session_state["q"]) == ("devices", FIRST.query)
    assert app.session_state["compare.bm25.b"] == 0
    played(app, next(x for x in EVERY if x.page == "compare" and x.id == "odds"))  # another lesson in between
    app.button("compare.lesson.leave").click().run()
    assert {key: app.session_state[key] for key in keys} == before
    assert not app.session_state["compare.lesson"]


def test_a_lesson_turns_operators_on_and_off_and_leaving_it_brings_back_the_switch():
    lesson = next(x for x in EVERY if x.id == "and-finds-nothing")
    app = opened("compare", corpus="devices", q="reset -watch", operators="1")
    assert app.session_state["operators"] is True
    played(app, lesson)
    assert app.session_state["operators"] is False
    app.button("compare.lesson.next").click().run()
    assert app.session_state["operators"] is True
    played(app, FIRST)
    assert app.session_state["operators"] is False
    app.button("compare.lesson.leave").click().run()
    assert (app.session_state["q"], app.session_state["operators"]) == ("reset -watch", True)


def test_who_had_asked_nothing_has_the_showcase_again():
    app = opened("compare", corpus="devices")
    showcase = app.session_state["q"]
    played(app, next(x for x in EVERY if x.page == "compare" and x.corpus == "handbook"))
    assert app.session_state["q"] != showcase
    app.button("compare.lesson.leave").click().run()
    assert (app.session_state["corpus"], app.session_state["q"]) == ("devices", showcase)


def test_who_asks_on_in_a_lesson_can_still_go_back_to_what_was_before_it():
    app = opened("compare", corpus="handbook", q="病假怎么请")
    played(app, FIRST)
    app.text_input("q").set_value("another question")
    next(b for b in app.button if b.form_id == "compare-ask").click().run()
    assert not app.session_state["compare.lesson"]
    app.button("compare.before").click().run()
    assert (app.session_state["corpus"], app.session_state["q"]) == ("handbook", "病假怎么请")
    assert not [b for b in app.button if b.key == "compare.before"]


def test_the_menu_has_this_corpus_in_the_readers_language_first_and_open_and_every_claim():
    opened("compare", corpus="devices")
    groups = MENUS["compare.menu"]["groups"]
    assert [group["open"] for group in groups] == [True] + [False] * (len(groups) - 1)
    mine = [x for x in EVERY if x.page == "compare" and samples.language_of(x.corpus) in ("en", "")]
    assert sum(len(group["lessons"]) for group in groups) == MENUS["compare.menu"]["number"] == len(mine)
    own = {f"{x.corpus}/{x.id}" for x in mine if x.corpus == "devices" and script(x.query) != "zh"}
    assert {lesson["key"] for lesson in groups[0]["lessons"]} == own
    assert groups[0]["title"] == "Device support, asked in English"
    assert all(lesson["title"] and lesson["claim"] for group in groups for lesson in group["lessons"])
    assert all(group["about"] == "changes the corpus" for group in groups if "Staff handbook" in group["title"])
    assert not any("**" in lesson["claim"] for group in groups for lesson in group["lessons"])


def test_a_lesson_that_was_played_is_marked_as_seen_and_the_present_one_as_playing():
    app = played(opened("compare", corpus="devices"), FIRST)
    key = f"{FIRST.corpus}/{FIRST.id}"
    assert MENUS["compare.menu"]["playing"] == key
    app.button("compare.lesson.leave").click().run()
    menu = MENUS["compare.menu"]
    assert menu["playing"] == ""
    assert [x["key"] for group in menu["groups"] for x in group["lessons"] if x["seen"]] == [key]


def test_a_sentence_says_when_the_knobs_are_others_and_sets_them(performed):
    app = played(opened("compare", corpus="devices"), FIRST)
    assert not [b for b in app.button if b.key == "compare.lesson.again"]
    app.slider("compare.bm25.b").set_value(0.5).run()
    assert performed[-1].missing
    app.button("compare.lesson.again").click().run()
    assert app.session_state["compare.bm25.b"] == 0
    assert not performed[-1].missing


def test_a_link_opens_a_lesson_at_its_sentence(performed):
    app = played(opened("compare", corpus="devices"), FIRST)
    app.button("compare.lesson.next").click().run()
    link = {key: value[0] if isinstance(value, list) else value for key, value in app.query_params.items()}
    assert link["compare.lesson.step"] == "2"
    opened("compare", **{key: value for key, value in link.items() if key != "lang"})
    assert (performed[-1].lesson.id, performed[-1].step) == ("b-zero", 1)
    assert not performed[-1].missing


def test_what_does_not_hold_is_said_with_what_was_expected(performed, monkeypatch):
    wrong = lessons.Step({"en": "It is last.", "zh": "它在最后。"}, ({"list": "b = 0", "rank": 7},))
    false = replace(FIRST, steps=(wrong,))
    monkeypatch.setattr(cache, "lessons", lambda page: (false,))
    app = played(opened("compare", corpus="devices"), false)
    said = " ".join(x.body for x in app.get("html") if "verdicts" in x.body)
    assert 'class="failed"' in said
    assert "is at rank 1 of" in said
    assert "Expected: rank 7" in said


def test_the_lessons_of_a_small_sample_lead_from_page_to_page():
    path = [x for x in cache.lessons() if x.corpus == "textbook-tags-en" and x.id.startswith("retrieval-")]
    assert [x.page for x in path] == ["tokenizer", "fusion", "rerank", "rerank", "pipeline"]
    app = opened("tokenizer", corpus="textbook-tags-en")
    play(app, "tokenizer", f"{path[0].corpus}/{path[0].id}")
    app.button("tokenizer.lesson.after").click().run()
    assert not app.exception
    assert app.session_state["fusion.lesson"] == f"{path[1].corpus}/{path[1].id}"
    assert app.session_state["fusion.weight"] == 0.05
    assert [x for x in app.button if x.key == "fusion.lesson.next"]
