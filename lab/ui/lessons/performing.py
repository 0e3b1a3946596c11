"""A lesson at work on its page: one sentence after the other, each with its pins and what became of it.

`Page.lessons` draws the box; the lists of the page ask for their `pins`, the section “why” for the tab to open; when
the page is drawn, `close` says what every expectation of the sentence has found, in the names that the page uses.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

import streamlit as st

from lab.algebra import Progress, Ranking, Top
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.errors import LabError
from lab.lessons import Lesson
from lab.ui import address, components, escape
from lab.ui.i18n import _, both, listed, say
from lab.ui.layout import operators

if TYPE_CHECKING:
    from lab.lessons.checking import Checker, Result

_NOW = "_performing"
PAGE = "_next_page"
"""The session key of the page to go to at the next run."""
LONGEST = 2000
"""Maximum characters of a sentence about a visitor's documents."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
Pins = Mapping[str, Sequence[str]]
"""Marks on the cards by document; the marks of the whole list are under ""."""
Work = Callable[..., Any]
L = TypeVar("L", bound=Any)  # a lesson of the lab, or of a pack
PIN = (
    "position: absolute; top: -0.7rem; left: 0.9rem; z-index: 2; font-size: 0.78rem; font-weight: 700;"
    " line-height: 1.4; padding: 0 0.5em; border-radius: 99px; background: #7c3aed; color: #fff;"
)
"""The look of a mark on a part of the page: the same as on the cards."""


def perform(lesson: Lesson, step: int = 0) -> None:
    """Sets corpus, question, document and parameters to what this sentence of a lesson needs, and goes to its page.

    The visitor's own settings are kept until the lesson is left.
    """
    before = f"{lesson.page}.lesson.before"
    st.session_state.setdefault(before, address.changed_values())
    address.forget(lesson.page + ".", but=before)
    for key, value in values(lesson, step).items():
        address.put(key, value)
    if lesson.page != st.session_state.get(address.PAGE):
        st.session_state[PAGE] = lesson.page


def values(lesson: Lesson, step: int = 0) -> dict[str, Any]:
    """Returns the values that a sentence of a lesson needs, by the keys of a link."""
    page, own = lesson.page, dict[str, Any]()
    if lesson.turns:
        own[f"{page}.said"] = json.dumps([*lesson.turns, lesson.query], ensure_ascii=False)
    own[operators.SWITCH] = False
    for knob, value in lesson.knobs_at(step).items():
        own[widget(page, knob)] = list(value) if isinstance(value, (list, tuple)) else value
    return {
        "corpus": lesson.corpus,
        "embedder": "built-in",
        "doc": lesson.select_at(step),
        address.QUESTION: lesson.query,
        **own,
        f"{page}.lesson": f"{lesson.corpus}/{lesson.id}",
        f"{page}.lesson.step": step + 1,
    }


def widget(page: str, knob: str) -> str:
    """The key of the widget that a lesson of this page means: the switch for operators belongs to no page."""
    return knob if knob == operators.SWITCH else f"{page}.{knob}"


@dataclass(frozen=True)
class Pin:
    """The place of one expectation of a sentence: at these documents of a list, or in a part of the page."""

    mark: str
    expectation: Mapping[str, Any]
    ranking: Ranking | None
    docs: tuple[str, ...]
    at: str


@dataclass
class Performance:
    """A sentence of a lesson (counted from 0), its pins, and the names of its lists on the page."""

    page: str
    lesson: Lesson
    step: int
    checker: Checker
    pins: tuple[Pin, ...]
    names: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    verdicts: Any = None
    """The place of the verdicts, until they are drawn."""
    lines: Sequence[tuple[str, bool, str]] = ()
    """The lines of the verdicts, once they are drawn (see `verdicts`)."""

    @property
    def missing(self) -> list[str]:
        """The marks of the pins that are nowhere on the page, since its parameters have changed."""
        return [pin.mark for pin in self.pins if pin.mark not in self.seen and not pin.at]

    def results(self, _progress: Progress | None = None) -> list[tuple[Pin, Result]]:
        """Returns the result of every expectation of the sentence, each with its pin."""
        self.checker.called = self.list_name
        select = self.lesson.meant_at(self.step)
        return [(pin, result) for pin in self.pins for result in self.checker(pin.expectation, select)]

    def list_name(self, name: str) -> str:
        """Returns a list's name on this page, else its technique, else its name in the lesson."""
        return self.names.get(name) or list_names(self.lesson).get(name, name)

    def place(self, rankings: Sequence[Ranking], names: Sequence[str]) -> list[Pins]:
        marks: list[dict[str, list[str]]] = [{} for _ranking in rankings]
        for pin in self.pins:
            at = _where(pin.ranking, rankings)
            if at is None:
                continue
            self.names[pin.expectation["list"]] = names[at]
            self.seen.add(pin.mark)
            for doc in () if pin.at else pin.docs or ("",):
                marks[at].setdefault(doc, []).append(pin.mark)
        return list(marks)


def list_names(lesson: Lesson) -> dict[str, str]:
    """Returns the names of a lesson's lists: their techniques if these differ, else as in the file."""
    labels = {name: str(say(getattr(search, "label", ""))) for name, search in lesson.lists.items()}
    return {name: label if list(labels.values()).count(label) == 1 else name for name, label in labels.items()}


def outcome(result: Result) -> str:
    """Returns the actual result as text, with the expected one if it differs."""
    if result.passed or not result.wanted:
        return say(result.found)
    return listed((result.found, _("Expected: {wanted}", wanted=say(result.wanted))), ". ")


def _where(lesson_ranking: Ranking | None, rankings: Sequence[Ranking]) -> int | None:
    """Returns which of these lists is the lesson's: made by the same search, else with the same results, or the first.

    A lesson's list has all results, a page's only those shown; a lesson's may be cut, too.
    """
    if lesson_ranking is None:
        return None

    def equal(r: Ranking) -> bool:
        n = min(len(r), len(lesson_ranking)) if isinstance(lesson_ranking.made_by, Top) else len(r)
        return r.ids[:n] == lesson_ranking.ids[: len(r)] and bool(r.ids) == bool(lesson_ranking.ids)

    same = [i for i, r in enumerate(rankings) if equal(r)]
    whole = [i for i in same if len(rankings[i]) == len(lesson_ranking)]
    same_origin = [i for i in same if rankings[i].made_by == lesson_ranking.made_by]
    return next(iter((*same_origin, *whole, *same)), None)


def end() -> None:
    st.session_state.pop(_NOW, None)


def begin(page: str, lesson: Lesson, step: int, collection: Collection) -> Performance:
    from lab.lessons.checking import Checker

    checker, sentence = Checker(lesson, collection), lesson.steps[step]
    letters = LETTERS if len(sentence.expect) > 1 else [""] * 26
    pins = (
        Pin(
            f"{step + 1}{letters[i % 26]}",
            expectation,
            _ranking(checker, expectation),
            spoken_documents(expectation, lesson.meant_at(step)),
            sentence.at,
        )
        for i, expectation in enumerate(sentence.expect)
    )
    performance = Performance(page, lesson, step, checker, tuple(pins))
    st.session_state[_NOW] = performance
    return performance


def _ranking(checker: Checker, expectation: Mapping[str, Any]) -> Ranking | None:
    try:
        return checker.lists(expectation["list"])
    except LabError:  # `close` reports the reason
        return None


def spoken_documents(expectation: Mapping[str, Any], select: str) -> tuple[str, ...]:
    """Returns the documents that an expectation is about; none if it is about the list."""
    if "top" in expectation:
        return tuple(expectation["top"])
    from lab.lessons.checking import OF_LISTS, OPERATORS

    compared = expectation.keys() & OPERATORS.keys() and expectation.get("reading", "results") in OF_LISTS
    if compared or expectation.keys() & {"mean_above", "mean_undecided"}:
        return ()
    return tuple(filter(None, (expectation.get("doc", select),)))


def current() -> Performance | None:
    return cast("Performance | None", st.session_state.get(_NOW))


def pins(rankings: Sequence[Ranking], names: Sequence[str]) -> list[Pins]:
    performance = current()
    return performance.place(rankings, names) if performance else [{} for _ranking in rankings]


def sentence_name() -> str:
    """Returns the name of the performed sentence; empty if there is none."""
    performance = current()
    return f"{performance.lesson.corpus}/{performance.lesson.id}/{performance.step}" if performance else ""


def open_tab(key: str, names: Sequence[str]) -> None:
    """Opens the tab of the list whose score components the sentence mentions, once, if it is among these tabs."""
    performance = current()
    if performance is None or st.session_state.get(f"_opened.{key}") == sentence_name():
        return
    st.session_state[f"_opened.{key}"] = sentence_name()
    spoken = (
        performance.names.get(pin.expectation["list"]) for pin in performance.pins if "matched" in pin.expectation
    )
    if name := next((name for name in spoken if name in names), None):
        st.session_state[key] = name


# ------------------------------------------------------------------------------------------------ the box


def box(performance: Performance, leave: Callable[[], None], after: Lesson | None) -> None:
    """Draws the sentence, and the way to the next one; the place of its verdicts is kept for `close`."""
    text = both(dict(performance.lesson.steps[performance.step].text))
    safe_text = text if performance.lesson.corpus in samples.every_name() else escape.plain(text, LONGEST)
    performance.verdicts = sentence(
        performance.page, performance.lesson, performance.step, safe_text, perform, leave, after
    )


def sentence(
    page: str, lesson: L, step: int, text: str, go: Callable[[L, int], None], leave: Callable[[], None], after: L | None
) -> Any:
    """Draws a sentence of any kind of lesson with its buttons, as Markdown; returns the empty place below it."""
    last, key = len(lesson.steps) - 1, f"{page}.lesson"
    with st.container(border=True, key=f"claim-{page}", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{both(dict(lesson.title))}**", width="content")
            if last:
                st.caption(_("sentence {n} of {m}", n=step + 1, m=last + 1), width="content")
            st.space("stretch")
            if step:
                st.button(
                    _("Back"), key=f"{key}.back", icon=":material/arrow_back:", on_click=go, args=(lesson, step - 1)
                )
            if step < last:
                st.button(
                    _("Next"),
                    key=f"{key}.next",
                    icon=":material/arrow_forward:",
                    type="primary",
                    on_click=go,
                    args=(lesson, step + 1),
                )
            elif after is not None:
                st.button(
                    _("Next lesson"),
                    key=f"{key}.after",
                    args=(after, 0),
                    icon=":material/skip_next:",
                    help=both(dict(after.title)),
                    on_click=go,
                )
            st.button("✕", key=f"{key}.leave", help=_("Leave the lesson"), type="tertiary", on_click=leave)
        st.markdown(text)
        return st.empty()


def close(work: Work) -> None:
    """Draws, at the end of the page, the result of every expectation, and whether the page shows what it needs.

    ``work(name, doing, make, about=...)`` does the long work.
    """
    performance = current()
    if performance is None or performance.verdicts is None:
        return
    place, performance.verdicts = performance.verdicts, None
    with place.container(gap="xsmall"):
        results = work("lesson.check", _("Checking the sentence …"), performance.results, about=sentence_name())
        performance.lines = [_line(performance, pin, result) for pin, result in results or ()]
        verdicts(performance.lines)
        if performance.missing:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.caption(_("The parameters below have changed since this sentence."), width="content")
                st.button(
                    _("Apply"),
                    key=f"{performance.page}.lesson.again",
                    on_click=perform,
                    args=(performance.lesson, performance.step),
                    icon=":material/undo:",
                )
    pinned(sentence_name(), {pin.mark: f"{performance.page}-{pin.at}" for pin in performance.pins if pin.at})


def pinned(step: str, parts: Mapping[str, str]) -> None:
    """Draws the marks at these parts of the page (mark to its key), and scrolls to the first of all marks."""
    selectors = {mark: f".st-key-{key}" for mark, key in parts.items()}
    at = {
        part: " ".join(mark for mark, selector in selectors.items() if selector == part) for part in selectors.values()
    }
    look = (
        f'{part} {{ position: relative; overflow: visible; }} {part}::before {{ content: "{m}"; {PIN} }}'
        for part, m in at.items()
    )
    st.html(f"<style>{''.join(look)}</style>")
    components.pins({"step": step, "parts": selectors}, key="pins")


def verdicts(lines: Sequence[tuple[str, bool, str]]) -> None:
    """Draws the result of every expectation: the mark of its pin (or empty), whether it holds, a text."""
    items = []
    for mark, holds, text in lines:
        sign, word = ("✓", _("holds")) if holds else ("✗", _("does not hold"))
        pin = f'<span class="pin">{mark}</span> ' if mark else ""
        go = f' data-mark="{mark}" tabindex="0"' if mark else ""
        item = f'{pin}<b role="img" aria-label="{word}">{sign}</b> {html.escape(text)}'
        items.append(f'<li class="{"held" if holds else "failed"}"{go}>{item}</li>')
    if items:
        st.html(f'<ul class="verdicts">{"".join(items)}</ul>')


def _line(performance: Performance, pin: Pin, result: Result) -> tuple[str, bool, str]:
    """Returns the mark, the verdict, and the text: the list's name, the actual and the expected result."""
    mark = pin.mark if pin.mark in performance.seen or pin.at else ""
    only_list = len(performance.lesson.lists) == 1 and result.list not in performance.names
    name = "" if only_list else f"{performance.list_name(result.list)}: "
    return mark, result.passed, f"{name}{outcome(result)}"
