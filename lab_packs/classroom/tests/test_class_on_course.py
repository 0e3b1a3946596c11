"""A class on the page Course: nothing is shown before the presenter shows it; all land where the class is."""

from __future__ import annotations

import re
from base64 import b64decode
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest
import segno
import streamlit as st
from night import NIGHT
from streamlit.testing.v1 import AppTest

from lab.lessons.course import course
from lab.ui import components
from lab.ui.i18n import translate
from lab.ui.people.visitor import is_local
from lab_packs.classroom import classes
from lab_packs.classroom.pages import joining
from lab_packs.classroom.pages import link as class_link
from tests.ui.test_course_page import options
from tests.ui.test_lesson_pages import opened


@pytest.fixture
def drawn(monkeypatch):
    """The names of the lists that the last run has drawn, with the selected document."""
    seen = []
    monkeypatch.setattr(components, "lists", lambda data, **_how: seen.append(data))
    return seen


HOSTS = [
    ("localhost:8501", True),
    ("localhost", True),
    ("LOCALHOST.:80", True),
    ("127.0.0.1:8501", True),
    ("127.0.1.1", True),
    ("0.0.0.0:8501", True),
    ("[::1]:80", True),
    ("[::1]", True),
    ("192.0.2.7:8501", False),
    ("lab.example", False),
    ("[2001:db8::1]:8501", False),
    ("[", False),
    ("", False),
]


@pytest.mark.parametrize(("host", "local"), HOSTS)
def test_a_class_whose_link_nobody_else_can_open_is_told_so(monkeypatch: pytest.MonkeyPatch, host: str, local: bool):
    monkeypatch.setattr("lab.ui.people.visitor.header", lambda _name: host)
    assert is_local() == local


def begun(monkeypatch: pytest.MonkeyPatch, url: str, *, listens: str = "localhost", container: bool = False) -> AppTest:
    """The course at this address, with a class just begun and what is told of it in ``links``."""
    monkeypatch.setattr("lab.ui.people.visitor.header", lambda _name: url.split("/")[2])
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.url", property(lambda _self: url))
    monkeypatch.setattr("lab.ui.launch.network_address", lambda: "192.0.2.20")
    monkeypatch.setattr("lab_packs.classroom.pages.link.in_container", lambda: container)
    get = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: listens if name == "server.address" else get(name))
    app = opened("course", "en")
    app.button("course.begin").click().run()
    assert not app.exception
    return app


@pytest.fixture
def links(monkeypatch):
    """The links that were offered for copying."""
    seen = []
    monkeypatch.setattr(components, "copy_link", lambda label, done, key, link="", icon=False: seen.append((key, link)))
    return lambda: [link for key, link in seen if key == "course.copy.class"][-1]


@pytest.mark.parametrize(
    ("url", "listens", "container", "link", "told"),
    [
        ("http://localhost:8501/course", "localhost", False, "", "`retrieval-lab --share`"),
        ("http://127.0.0.1:8501/course", "127.0.0.1", False, "", "`retrieval-lab --share`"),
        ("http://localhost:8501/course", "0.0.0.0", False, "http://192.0.2.20:8501/course?", ""),
        ("http://localhost:8501/course", "", False, "http://192.0.2.20:8501/course?", ""),
        ("http://localhost:8501/course", "192.0.2.9", False, "http://192.0.2.9:8501/course?", ""),
        ("http://localhost:8501/course", "0.0.0.0", True, "", "`LAB_ADDRESS=0.0.0.0`"),
        ("http://192.0.2.7:8501/course", "0.0.0.0", True, "http://192.0.2.7:8501/course?", ""),
        ("https://lab.example/search/course", "localhost", False, "https://lab.example/search/course?", ""),
    ],
)
def test_the_link_of_a_class_opens_on_other_machines_or_says_that_it_does_not(
    monkeypatch: pytest.MonkeyPatch, links, url: str, listens: str, container: bool, link: str, told: str
):
    app = begun(monkeypatch, url, listens=listens, container=container)
    code = app.session_state["course.class"]
    assert links() == (f"{link}{urlencode({'lang': 'en', 'course.class': code, 'course.step': '1'})}" if link else "")
    warned = [x.value for x in app.warning]
    assert [told in text for text in warned] == ([True] if told else [])
    shown = " ".join(x.body for x in app.get("html"))
    assert ('class="qr"' in shown) == bool(link)
    digits = joining.ALL.find(code).join_code
    assert f"{digits[:3]} {digits[3:]}" in shown


def test_a_qr_code_holds_the_link_dark_on_light_and_no_markup_of_others():
    link, says = "http://192.0.2.20:8501/course?course.class=a%22%3E", 'a class "><script>'
    picture = ElementTree.fromstring(class_link.picture(link, says).replace(">", "/>"))
    assert (picture.tag, picture.get("alt")) == ("img", says)
    kind, data = picture.get("src").split(",")
    assert kind == "data:image/svg+xml;base64"
    root = ElementTree.fromstring(b64decode(data))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    paper, lines = root.findall(".//{*}path")
    assert (paper.get("fill"), lines.get("stroke")) == ("#fff", "#000")
    assert paper.get("d").startswith("M0 0h"), "the paper is under the whole picture"
    side = int(float(root.get("width")))
    dark, y = set(), 0.0  # the squares of the picture, by its one path of horizontal strokes
    x = 0
    for sign, numbers in re.findall(r"([Mmh])([^Mmh]*)", lines.get("d")):
        n = [float(v) for v in re.findall(r"-?[\d.]+", numbers)]
        if sign == "h":
            dark |= {(int(y), x + i) for i in range(int(n[0]))}
            x += int(n[0])
        else:
            x, y = (int(n[0]), n[1]) if sign == "M" else (x + int(n[0]), y + n[1])
    wanted = segno.make(link, error="m", micro=False).matrix
    squares = {(r + 4, c + 4) for r, row in enumerate(wanted) for c, bit in enumerate(row) if bit}
    assert side == len(wanted) + 8, "a border of four squares"
    assert dark == squares


def test_pupils_join_by_six_digits_and_by_a_short_link():
    teacher = opened("course", "en")
    teacher.button("course.begin").click().run()
    code = teacher.session_state["course.class"]
    joined = joining.ALL.find(code)
    digits = joined.join_code
    pupil = opened("course", "zh")
    pupil.text_input[0].input(f"{digits[:3]} {digits[3:]}")
    next(b for b in pupil.button if "加入" in b.label).click().run()
    assert not pupil.exception
    assert pupil.session_state["course.class"] == code
    assert len(joined) == 1
    third = opened("course", "en", join=digits)
    assert third.session_state["course.class"] == code
    assert len(joined) == 2
    assert not third.warning


def test_a_wrong_join_code_is_said_once_and_many_of_them_are_refused():
    teacher = opened("course", "en")
    teacher.button("course.begin").click().run()
    digits = joining.ALL.find(teacher.session_state["course.class"]).join_code
    bad = next(f"{i:06d}" for i in range(10**6) if all(c.join_code != f"{i:06d}" for c in joining.ALL._all.values()))
    app = opened("course", "en", join=bad)
    assert ["No class has this join code" in x.value for x in app.warning] == [True]
    app.run()
    assert not app.warning, "said once, and not tried again"
    for _ in range(classes.WRONG_OWN):
        app.text_input[0].input(bad)
        next(b for b in app.button if b.label == "Join the class").click().run()
        assert app.warning
    app.text_input[0].input(digits)
    next(b for b in app.button if b.label == "Join the class").click().run()
    assert any("Too many wrong join codes" in x.value for x in app.warning)
    assert not app.session_state["course.class"]


def test_a_class_is_begun_joined_by_its_link_and_counts_guesses():
    teacher = opened("course", "en")
    teacher.button("course.begin").click().run()
    code = teacher.session_state["course.class"]
    joined = joining.ALL.find(code)
    assert len(joined) == 0
    pupil = opened("course", "en", **{"course.class": code})
    assert [x.value for x in pupil.subheader] == ["You are in."]
    assert not options(pupil), "the first question is not open yet"
    teacher.button("course.open").click().run()
    pupil.run()
    assert any("Predictions in the class: 0 of 1" in x.value for x in pupil.caption)
    options(pupil)[1].click().run()
    assert joined.guesses("en.words") == {1: 1}
    assert any("Predictions in the class: 1 of 1" in x.value for x in teacher.run().caption)
    pupil.button("course.leave").click().run()
    assert not pupil.session_state["course.class"]
    gone = opened("course", "en", **{"course.class": "none"})
    assert any("is over" in x.value for x in gone.warning)


MARKS = {f"{lang}.{stage.id}": (0, True) for lang in ("en", "zh") for stage in course()}
"""The sheet of somebody who has answered every step."""


def class_of(teacher: AppTest) -> classes.Class:
    return joining.ALL.find(teacher.session_state["course.class"])


def rehearsed(lang: str) -> AppTest:
    """A teacher who has answered the whole course, and then begins a class from Home."""
    home = opened("home", lang)
    home.session_state["_course"] = dict(MARKS)
    assert home.button("home.class").label == translate("Start a class", lang)
    home.button("home.class").click().run()
    assert not home.exception
    assert options(home) == [], "the course is drawn for its presenter"
    class_of(home).opened = True
    return home.switch_page("pages/start/course/page.py").run()  # where the runner of tests does not stay by itself


def results(app: AppTest) -> list[str]:
    """What of a result is on the page: the verdict, the sentences' checks, the chart of the class."""
    shown = [x.value for x in (*app.success, *app.error, *app.info)]
    return shown + [x.body for x in app.get("html") if 'class="verdicts"' in x.body or 'class="number"' in x.body]


@pytest.mark.nightly
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_rehearsed_class_shows_nothing_at_any_step_before_the_presenter_shows_it(lang, drawn):
    teacher = rehearsed(lang)
    joined = class_of(teacher)
    assert teacher.session_state["course.step"] == joined.step == 1
    assert teacher.session_state[joining.box_key(class_of(teacher))], "the code is in sight"
    pupil = opened("course", lang, **{"course.class": teacher.session_state["course.class"]})
    pupil.session_state["_course"] = {key: mark for key, mark in MARKS.items() if not key.endswith(".own")}
    for n, stage in enumerate(course(), 1):
        for app in (teacher, pupil.run()):
            assert not app.exception
            assert app.session_state["course.step"] == n
            assert results(app) == [] or not stage.lessons
        assert not options(teacher), "who presents does not predict"
        assert results(teacher) == []
        if stage.lessons:
            options(pupil)[-1].click().run()
            assert results(pupil) == []
            options(pupil)[0].click().run()
            assert results(pupil) == [], "nor does an own prediction show it"
            scores = [x.value for x in pupil.markdown if "predicted correctly" in x.value or "预测对" in x.value]
            counted = [re.findall(r"\d+", score)[1] for score in scores]
            assert counted == ([str(n - 1)] if n > 1 else []), "the score counts what is shown"
            assert joined.guesses(f"{lang}.{stage.id}") == {0: 1}, "the last one counts, and nobody else's"
        teacher.button("course.show").click().run()
        assert results(teacher)
        assert not any(x.value.startswith(("You predicted", "你预测")) for x in teacher.error)
        pupil.run()
        if stage.lessons:
            assert results(pupil)
            assert bool(pupil.success) != bool(pupil.error)
            assert not options(pupil), "predictions are closed"
            numerals = [x.body for x in pupil.get("html") if 'class="numerals"' in x.body]
            assert bool(numerals) != bool(pupil.get("plotly_chart")[1:]), "ranks, or the figures that decide it"
            assert not pupil.session_state["course.fold.lists"], "a phone shows the lists on request"
        assert drawn
        if n < len(course()):
            teacher.button("course.next").click().run()
    assert len(joined) == 1
    teacher.button("course.leave").click().run()
    assert teacher.session_state["_course"] == MARKS, "the teacher's own marks are as before"
    assert not options(teacher)


def test_a_projected_class_shows_nothing_before_the_press_even_by_a_link_to_a_sentence(drawn):
    teacher = rehearsed("en")
    teacher.session_state["course.projector"] = True
    teacher.session_state["course.claim"] = 3
    teacher.run()
    assert results(teacher) == []
    assert not class_of(teacher).is_shown("words")
    slide = " ".join(x.body for x in teacher.get("html"))
    assert "<b>A</b>BM25" in slide
    teacher.button("course.next").click().run()
    assert class_of(teacher).is_shown("words")
    slide = " ".join(x.body for x in teacher.get("html"))
    assert re.findall(r"<b>(\d+)</b></div>", slide) == ["67", "1"], "the rank of the answer in each list"
    assert ">⋮ 63 more<" in slide, "it is also the last row of the list that ranks it low"
    teacher.button("course.next").click().run()
    assert results(teacher), "a sentence with its number"
    for _ in range(9):
        if teacher.session_state["course.step"] == 2:
            break
        teacher.button("course.next").click().run()
    assert results(teacher) == []
    assert not class_of(teacher).is_shown(course()[1].id)


def test_a_projected_class_waits_for_its_first_question_with_its_code_and_then_shows_how_many_have_predicted(
    drawn, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(class_link, "address", lambda path, told: f"http://lab.example:8501/{path}?{urlencode(told)}")
    teacher = rehearsed("zh")
    joined = class_of(teacher)
    joined.opened = False
    pupil = opened("course", "zh", join=joined.join_code)
    teacher.session_state["course.projector"] = True
    slide = " ".join(x.body for x in teacher.run().get("html"))
    assert joined.digits in slide
    assert '<div class="query">' not in slide
    assert re.search('class="qr".*lab.example:8501/course<', slide)
    assert not options(pupil)
    teacher.button("course.next").click().run()
    assert joined.opened
    options(pupil.run())[1].click().run()
    slide = " ".join(x.body for x in teacher.run().get("html"))
    assert joined.digits in slide
    assert "width:100.0%" in slide
    assert not joined.is_shown("words")
    teacher.button("course.next").click().run()
    slide = " ".join(x.body for x in teacher.get("html"))
    assert re.findall(r"<b>(\d)</b><div class=\"meter", slide) == ["0", "1", "0"]
    assert 'class="slide door"' not in slide


def test_many_sessions_one_presenter_and_everybody_lands_where_the_class_is(drawn):
    teacher, n = rehearsed("en"), 30 if NIGHT else 6
    joined, key = class_of(teacher), "en.words"
    pupils = []
    for i in range(n):
        if i % 2:
            pupil = opened("course", "en", join=joined.join_code)
        else:
            pupil = opened("course", "en")
            pupil.text_input[0].input(joined.digits)
            next(b for b in pupil.button if b.label == "Join the class").click().run()
            assert not pupil.session_state[joining.box_key(joined)], "the popover is closed"
        assert not pupil.exception
        assert not pupil.warning
        options(pupil)[i % 3].click().run()
        pupils.append(pupil)
        if i == n // 2:
            teacher.button("course.next").click().run()
            assert joined.step == 2
            teacher.button("course.back").click().run()
    assert joined.guesses(key) == dict.fromkeys(range(3), n // 3)
    assert len(joined) == n
    said = [x.value for x in teacher.run().caption]
    assert any(f"Predictions in the class: {n} of {n}" in text for text in said)
    assert [x for app in pupils for x in results(app)] == []
    teacher.button("course.show").click().run()
    right = [bool(app.run().success) for app in pupils]
    assert sum(right) == n // 3
    for app in pupils[:3]:
        assert not app.exception
    teacher.button("course.next").click().run()
    late = opened("course", "en", join=joined.join_code, **{"course.step": "1"})
    assert late.session_state["course.step"] == 2
    assert pupils[0].run().session_state["course.step"] == 2
    assert not any((b.key or "") in ("course.next", "course.back") for b in pupils[0].button)


def test_students_may_go_their_own_way_if_the_presenter_lets_them(drawn):
    teacher = rehearsed("en")
    joined = class_of(teacher)
    paced = next(t for t in teacher.toggle if t.label == "Students see what I show")
    assert paced.value
    paced.set_value(False).run()
    assert not joined.paced
    teacher.button("course.next").click().run()
    pupil = opened("course", "en", join=joined.join_code)
    assert pupil.session_state["course.step"] == 2, "they land where the class is"
    pupil.button("course.back").click().run()
    assert pupil.session_state["course.step"] == 1
    options(pupil)[0].click().run()
    assert pupil.success or pupil.error
    assert results(teacher.run()) == []


def test_a_presenter_sees_browsers_beside_those_expected_and_can_close_the_door(drawn):
    teacher = rehearsed("en")
    joined = class_of(teacher)
    inside = opened("course", "en", join=joined.join_code)
    next(x for x in teacher.number_input if x.label == "Browsers expected").set_value(26).run()
    assert any("1 browser in this class, 26 expected" in x.value for x in teacher.markdown)
    assert any("Expected: 26" in x.value for x in teacher.caption)
    next(t for t in teacher.toggle if t.label == "Nobody else can join").set_value(True).run()
    outside = opened("course", "en", join=joined.join_code)
    assert any("Nobody else can join this class" in x.value for x in outside.info)
    options(outside)[0].click().run()
    assert not joined.guesses("en.words")
    options(inside)[0].click().run()
    assert joined.guesses("en.words") == {0: 1}, "who is in stays in"
    assert len(joined) == 1


def test_only_who_has_begun_the_class_is_told_how_to_start_the_lab(monkeypatch: pytest.MonkeyPatch, links):
    teacher = begun(monkeypatch, "http://localhost:8501/course", container=True)
    assert any("LAB_ADDRESS" in x.value for x in teacher.warning)
    pupil = opened("course", "en", **{"course.class": teacher.session_state["course.class"]})
    assert not pupil.warning


def test_own_documents_are_no_question_of_a_class():
    teacher = opened("course", "en", **{"course.step": "12"})
    teacher.button("course.begin").click().run()
    class_of(teacher).opened = True
    app = opened("course", "en", **{"course.class": teacher.session_state["course.class"]})
    assert app.session_state["course.step"] == 12
    assert not any("Predictions in the class" in x.value for x in app.caption)
    options(app)[0].click().run()
    assert app.success or app.error, "what students find in their own documents is theirs"
    assert joining.ALL.find(app.session_state["course.class"]).guesses("en.own") == {}
