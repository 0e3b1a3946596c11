"""Lessons in a real browser: every verdict holds, every pin is inside the window, the sentence stays beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from typing import Any

import pytest
from browser.visitor import Visitor, expect

from lab import catalog, lessons
from lab.algebra import Corpus
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.lessons import forms
from lab.ui.documents.uploading import as_zip
from lab.ui.i18n import translate

pytestmark = pytest.mark.browser

EVERY = [x for name in samples.every_name() for x in lessons.read(samples.folder(name))]
PAGES = {page: list(all) for page, all in groupby(sorted(EVERY, key=lambda x: x.page), key=lambda x: x.page)}
OWN = Corpus("mine", [x for name in samples.names() for x in samples.load(name).corpus.documents[::2]])
"""Documents that a visitor brings: half of each sample, without questions."""
Sentences = Any
"""A lesson of the lab, or a conversation of a pack."""
SIZES = ((1400, 900), (1024, 768))

HIDDEN = """() => {
    const box = document.querySelector('[class*="st-key-claim-"]').getBoundingClientRect();
    const roots = [...document.querySelectorAll('[data-testid="stMain"] *')].map(x => x.shadowRoot).filter(Boolean);
    const pins = roots.flatMap(root => [...root.querySelectorAll('.pin')]).map(x => [x.textContent, x]);
    const parts = Object.entries(window.__lab_lesson.parts).map(([mark, at]) => [mark, document.querySelector(at)]);
    const seen = ([, node]) => {
        const at = node?.getBoundingClientRect();
        return at?.width && at.top >= box.bottom - 14 && at.top + 14 <= innerHeight && at.left >= 0
            && at.left + 14 <= innerWidth;
    };
    const marks = new Set([...document.querySelectorAll('.verdicts [data-mark]')].map(x => x.dataset.mark));
    return [...marks].filter(mark => ![...pins, ...parts].some(pin => pin[0] === mark && seen(pin)));
}"""
"""The marks of those verdicts whose pins are not in the window, below the sentence."""
INSIDE = f"() => document.querySelectorAll('.verdicts li').length && !({HIDDEN})().length"


def approximate(lesson: Sentences) -> bool:
    """Whether another index of the same documents may give another document to show it by."""
    searches = lesson.lists.values() if isinstance(lesson, lessons.Lesson) else ()
    return any(getattr(part, "approximate", False) for search in searches for part in catalog.inside(search))


def sentences(me: Visitor, page: str, lesson: Sentences, language: str) -> Iterator[int]:
    """Open the lesson in the menu and go through its sentences by “Next”."""
    box = me.page.locator(f".st-key-claim-{page}")
    me.play(lesson.title[language])
    for i, step in enumerate(lesson.steps):
        if i:
            me.page.locator(f".st-key-{page}-lesson-next button").click()
        told = step.text[language].split("*")[0].split("`")[0][:30]
        expect(box).to_contain_text(told.split("“")[0] if approximate(lesson) else told)
        if expected(step):
            expect(box.locator(".verdicts li").first).to_be_visible()
        me.settle()
        yield i


def expected(step: Any) -> bool:
    """Whether something is expected of the sentence; a turn of a conversation always comes to something."""
    return bool(getattr(step, "expect", True))


def wrong(me: Visitor, page: str, lesson: Sentences, language: str) -> list[str]:
    """What is wrong with a lesson when it is performed in windows of both sizes."""
    found = []
    for i in sentences(me, page, lesson, language):
        where = f"{lesson.id}, sentence {i + 1}, {language}"
        verdicts = me.page.locator(".verdicts li")
        found += [f"{where}: {text}" for text in me.page.locator(".verdicts .failed").all_inner_texts()]
        found += [
            f"{where}: no pin for {verdicts.nth(n).inner_text()}"
            for n in range(verdicts.count())
            if not verdicts.nth(n).get_attribute("data-mark")
        ]
        if not expected(lesson.steps[i]):
            continue
        for width, height in SIZES:
            me.page.set_viewport_size({"width": width, "height": height})
            try:
                me.page.wait_for_function(INSIDE, timeout=6000)
            except Exception:
                found.append(f"{where}: at {width} wide out of sight: {me.page.evaluate(HIDDEN)}")
        me.page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.nightly
def test_every_sentence_of_every_lesson_holds_and_its_pins_are_in_sight(
    page: str, language: str, visit: Callable[..., Visitor]
):
    me, found = visit(), []
    for corpus, mine in groupby(PAGES[page], key=lambda x: x.corpus):
        for lesson in mine:
            me.open(page, lang=language, corpus=corpus)
            found += wrong(me, page, lesson, language)
    assert not found, "\n".join(found)


TEXTS = [
    ("retrievers", "fusion", "textbook-fusion-{}", "one-two-and-two-one"),
    ("RAGFlow's search", "filter", "textbook-paging-{}", "the-page-behind-the-window"),
    ("index time", "granularity", "staff", "one-topic-per-piece"),
    ("rerank and filter", "filter", "textbook-filter-{}", "counted-from-today"),
]
"""Of each text that the lab follows a page, the corpus of a sample, and the lesson that plays it."""


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("page", "corpus", "name"), [pytest.param(*x[1:], id=x[0]) for x in TEXTS])
def test_a_sample_of_each_text_is_played_from_its_first_step_to_its_result(
    page: str, corpus: str, name: Any, language: str, visit: Callable[..., Visitor]
):
    me, corpus = visit(), corpus.format(language)
    lesson = next(x for x in EVERY if (x.corpus, x.id) == (corpus, name))
    me.open(page, lang=language, corpus=corpus)
    plays_to_its_result(me, page, lesson, language)


def plays_to_its_result(me: Visitor, page: str, lesson: Sentences, language: str) -> None:
    for i in sentences(me, page, lesson, language):
        verdicts = me.page.locator(".verdicts li")
        assert verdicts.count() >= (1 if expected(lesson.steps[i]) else 0)
        assert not me.page.locator(".verdicts .failed").all_inner_texts()
    assert i == len(lesson.steps) - 1
    assert me.page.locator(".verdicts li").count(), "the last step shows the result"
    next_one = me.page.locator(f".st-key-{page}-lesson-next button")
    assert not next_one.count() or not next_one.is_enabled()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("page", dict.fromkeys(form.page for form in forms.forms()))
@pytest.mark.nightly
def test_every_lesson_on_own_documents_holds_and_its_pins_are_in_sight(
    page: str, language: str, visit: Callable[..., Visitor]
):
    me, found, said = visit().open("corpus", lang=language), [], partial(translate, lang=language)
    me.upload({"mine.zip": as_zip(Collection(OWN))})
    me.page.get_by_text(said("Split long documents into chunks")).click()
    me.click(
        me.settle().page.get_by_role("button", name=said("Search this corpus")),
        me.page.wait_for_url,
        lambda url: "corpus=mine" in url,
    )
    me.settle().go(page)
    for lesson in forms.of_corpus(page, Collection(OWN)):
        if isinstance(lesson, lessons.Lesson):
            found += wrong(me, page, lesson, language)
            me.page.get_by_role("button", name="✕").click()
            me.settle()
    assert not found, "\n".join(found)


def test_a_lesson_is_gone_through_and_left_by_the_keyboard_and_the_question_is_there_again(
    visit: Callable[..., Visitor],
):
    mine = [x for x in EVERY if x.page == "compare" and x.corpus == "devices" and len(x.steps) > 1]
    lesson = min(mine, key=lambda x: len(x.steps))
    me = visit().open("compare", lang="en", corpus="devices")
    me.ask("battery")
    assert wrong(me, "compare", lesson, "en") == []
    assert len(lesson.steps) > 1
    verdict = me.page.locator(".verdicts [data-mark]").last
    verdict.focus()
    me.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    verdict.press("Enter")
    me.page.wait_for_function(INSIDE)
    me.page.get_by_role("button", name="✕").focus()
    me.page.keyboard.press("Enter")
    expect(me.field).to_have_value("battery")
    expect(me.page.locator(".st-key-claim-compare")).to_have_count(0)
