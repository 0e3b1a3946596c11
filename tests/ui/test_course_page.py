"""The page Course: what would give the answer away is not on it before the guess; what was guessed is kept."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.lessons.course import course
from lab.ui import components
from lab.ui.i18n import say
from lab.ui.lessons import handout
from lab.ui.lists import show
from pages.start.course import parts as page
from tests.ui.test_lesson_pages import opened
from ui.conftest import play


@pytest.fixture
def drawn(monkeypatch):
    """The names of the lists that the last run has drawn, with the selected document."""
    seen = []
    monkeypatch.setattr(components, "lists", lambda data, **_how: seen.append(data))
    return seen


class Open:
    """A popover that is open."""

    open = True

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return False


def options(app: AppTest) -> list:
    return [button for button in app.button if (button.key or "").startswith("course.option.")]


def titles(data) -> list[str]:
    return [column["title"] for column in data["lists"]]


@pytest.mark.parametrize("lang", spread(["en", "zh"], 1))
def test_every_step_hides_what_it_asks_for_until_it_is_guessed(lang, drawn):
    app = opened("course", lang)
    right = 0
    for n, stage in enumerate(course(), 1):
        assert not app.exception
        assert app.session_state["course.step"] == n
        lists = stage.lessons[lang].lists if stage.lessons else {}
        before = titles(drawn[-1]) if drawn else []
        assert "verdicts" not in " ".join(x.body for x in app.get("html") if "<ul" in x.body)
        found = options(app)
        drawn.clear()
        found[0].click().run()
        after, chosen = titles(drawn[-1]), drawn[-1]["selected"]
        right += bool(app.success)
        assert bool(app.success) != bool(app.error)
        assert not options(app)
        assert set(before) <= set(after)
        if lists:
            asked = stage.lessons[lang].ask
            hidden = {lists[name] for key in ("which", "better") for name in asked.get(key, ())}
            hidden |= {lists[asked[key]] for key in ("where", "leads") if key in asked}
            assert not hidden & set(before), "the answer is on the page"
            assert after == list(lists.values())
        assert chosen or stage.page == "evaluate" or "better" in asked or "says" in asked
        told = [x.body for x in app.get("html") if 'class="verdicts"' in x.body]
        assert told
        assert all("✗" not in body for body in told)
        drawn.clear()
        if n < len(course()):
            app.button("course.next").click().run()
    said = " ".join(x.value for x in app.markdown)
    assert f"**{right} of 12**" in said or f"**{right} / 12**" in said


def test_a_selected_card_does_not_give_the_winner_away(drawn):
    opened("course", "en", **{"course.step": "2"})
    assert drawn[-1]["selected"] == ""


def test_who_wants_to_see_sees_and_it_does_not_count():
    app = opened("course", "en")
    app.button("course.show").click().run()
    assert app.info
    assert not app.success
    assert not app.error
    assert not any("predicted correctly" in x.value for x in app.markdown)


def test_what_the_browser_has_kept_is_taken_and_rubbish_is_not():
    known = {"en.words": [0, True], "zh.fusing": [2, False], "en.filters": [page.SHOWN, False]}
    bad = {"en.none": [0, True], "en.context": [99, True], "en.query": "x", "en.index": [0]}
    assert page._known(json.dumps(known)) == ({k: (v[0], v[1]) for k, v in known.items()}, 0)
    for rubbish in (
        "",
        "{",
        "[]",
        "3",
        "null",
        "[" * 9000 + "]" * 9000,
        json.dumps({"en.query": "x"}),
        json.dumps({"en.index": [0]}),
        '{"en.index": [1e999, true]}',
        '{"en.index": [NaN, true]}',
        f'{{"en.index": [{"9" * 400}, true]}}',
        f'{{"en.index": [{"9" * 5000}, true]}}',
        '{"en.index": ["1", true]}',
        '{"en.index": [true, true]}',
        '{"en.index": [0, "yes"]}',
        '{"en.index": [0, true, 5]}',
        '{"en.index": {"0": 1}}',
        "9" * 5000,
    ):
        assert page._known(rubbish) == ({}, 1)
    assert page._known(json.dumps({k: bad[k] for k in ("en.none", "en.context")})) == ({}, 1)


def test_a_kept_guess_that_cannot_be_read_is_said_and_takes_no_other_with_it():
    app = opened("course", "en")
    kept = '{"en.words": [0, true], "en.index": [1e999, true], "zh.fusing": [2, false]}'
    known, app.session_state["_course_unreadable"] = page._known(kept)
    app.session_state["_course"] = known
    assert known == {"en.words": (0, True), "zh.fusing": (2, False)}
    app.run()
    assert not app.exception
    assert any("cannot be read: 1" in x.value for x in app.warning)


def test_to_begin_anew_lets_go_of_all_guesses():
    app = opened("course", "en")
    options(app)[0].click().run()
    app.button("course.next").click().run()
    app.button("course.anew").click().run()
    assert app.session_state["course.step"] == 1
    assert options(app)


def test_the_last_step_is_about_own_documents():
    texts = ["A lid of a box is made of wood and painted by hand."] * 3 + ["The code QX-9 is printed on the lid."]
    mine = Collection(Corpus("mine", tuple(Document(str(i), text, f"T{i}") for i, text in enumerate(texts))))
    app = opened("course", "en", own=mine, corpus="mine", **{"course.step": "12"})
    assert not app.exception
    assert any("On your documents: mine, passages: 4" in x.value for x in app.caption)
    if options(app):
        options(app)[0].click().run()
        assert "en.own.mine" in app.session_state["_course"]
        assert page._known(json.dumps(app.session_state["_course"])) == (app.session_state["_course"], 0)
    same = Collection(Corpus("same", tuple(Document(str(i), "one word") for i in range(2))))
    app = opened("course", "en", own=same, corpus="same", **{"course.step": "12"})
    assert not app.exception
    assert app.info or options(app)


def test_the_numbers_of_a_handout_are_those_of_the_screen(drawn):
    app = opened("course", "en", **{"course.step": "4"})
    options(app)[0].click().run()
    stage = course()[3]
    seen = page.seen(stage.lessons["en"], samples.load("staff"))
    said = handout.blocks([("Reranking", seen)], "Reranking")
    table = next(what for kind, what in said if kind == "table")
    for i, column in enumerate(drawn[-1]["lists"], 1):
        assert table[0][i] == column["title"]
        cards = [f"{card['title']} ({card['score']})" for card in column["hits"][: handout.TOP]]
        assert [row[i] for row in table[1:] if row[i] != "–"] == cards
    text = handout.markdown(said)
    assert text.count("picture-0") == 1
    for kind, what in said:
        if kind == "list":
            assert all(line.startswith("✓") for line in what)
    assert text.rstrip().splitlines()[-1].startswith(f"{1 + len(seen.home)}.")


@pytest.mark.parametrize(("stage", "lang"), spread([(s, lang) for s in course() for lang in s.lessons], 2))
def test_a_sheet_for_pupils_asks_and_does_not_answer(stage, lang, monkeypatch):
    for module in ("i18n", "lessons.handout", "layout.frame", "lessons.performing", "figures.charts"):
        monkeypatch.setattr(f"lab.ui.{module}.language", lambda: lang, raising=False)
    seen = replace(
        page.seen(stage.lessons[lang], samples.load(stage.lessons[lang].lesson.partition("/")[0])),
        concept=stage.text[lang],
        talk=stage.talk[lang],
    )
    sheet, full = (handout.blocks([("1", seen)], "T", solutions=both) for both in (False, True))
    assert full[: len(sheet)] == sheet, "the same questions, at the same places"
    assert [kind for kind, _what in full[len(sheet) :]][0] == "answers"
    kinds = [kind for kind, _what in sheet]
    assert not {"picture", "table", "list", "answers"} & set(kinds)
    assert kinds.count("options") == 1 + len(seen.home)
    assert kinds.index("text") < kinds.index("numbers") < kinds.index("lines"), "concept, question, room to answer"
    asked = handout.markdown(sheet)
    assert handout.markdown([("text", stage.text[lang])]).strip() in asked
    for prediction in (seen.prediction, *seen.home):
        assert say(prediction.found) not in asked
        assert handout.markdown([("plain", say(prediction.found))]).strip() in handout.markdown(full)
    for step in seen.lesson.steps:
        assert step.text[lang] not in asked


def test_the_version_of_a_handout_is_chosen(monkeypatch):
    taken = []
    monkeypatch.setattr(handout, "offer", lambda made, name, key: taken.append(made))
    app = opened("course", "en")
    monkeypatch.setattr(page.st, "popover", lambda *_a, **_k: Open())
    app.run()
    assert not app.exception
    next(x for x in app.button_group if x.key == "course.handout.version").set_value("Without solutions").run()
    assert not app.exception
    with_solutions, pupils = taken[0], taken[-1]
    assert "Solutions</h2>" in with_solutions
    assert "Solutions</h2>" not in pupils
    assert "BM25: rank 1" in with_solutions.partition("<script>")[0]
    assert "BM25: rank 1" not in pupils.partition("<script>")[0]


def test_a_handout_shows_no_markup_of_a_document():
    bad = "</script><img src=x onerror=alert(1)> ![x](https://example.com/x.png)"
    texts = ["A lid of a box is made of wood and painted by hand."] * 3 + ["The code QX-9 is printed on the lid."]
    mine = Collection(Corpus("mine", tuple(Document(str(i), text, f"{bad} {i}") for i, text in enumerate(texts))))
    seen = page.own(mine)
    assert seen is not None
    said = handout.blocks([("Mine", seen)], "Mine")
    made = handout.page(said, "mine")
    ours = made.replace(handout.page([("title", "Mine")], "mine"), "")
    assert "<img" not in ours
    assert ours.count("</script>") == 2, "those that we close ourselves"
    assert "![x](https" not in handout.markdown(said)
    assert show.number(next(iter(seen.rankings.values())).hits[0].score) in made


@pytest.mark.nightly
def test_what_can_be_taken_away_has_the_handout_of_the_lesson_that_performs_and_of_no_other(monkeypatch):
    taken = []
    monkeypatch.setattr(handout, "offer", lambda made, name, key: taken.append(name))
    app = opened("compare", "en", **{"compare.fold.export": "1"})
    assert not app.exception
    assert taken == []
    play(app, "compare", "devices/twin-codes")
    app.session_state["compare.fold.export"] = True
    app.run()
    assert not app.exception
    assert taken == ["retrieval-lab-twin-codes"]
    taken.clear()
    app.session_state["vocabulary.fold.export"] = True
    app.switch_page("pages/start/vocabulary/page.py").run()
    assert not app.exception
    assert taken == []
