"""A lesson at work on its page: one sentence after the other, each with its pins and what became of it.

`Page.lessons` draws the box; the lists of the page ask for their `pins`, the section “why” for the tab to open; when
the page is drawn, `close` says what every expectation of the sentence has found, in the names that the page uses.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st

from lab.algebra import Progress, Ranking, Top
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.errors import LabError
from lab.lessons import Lesson
from lab.lessons.checking import Checker, Result
from lab.text2sql.lessons import Lesson as Conversation
from lab.ui import address, components, escape, operators
from lab.ui.i18n import _, both, say

_NOW = "_performing"
LONGEST = 2000
"""So many characters of a sentence about a visitor's documents are shown."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
Pins = Mapping[str, Sequence[str]]
"""Document to the marks that stand at its card; those of the list as a whole are under ""."""
Work = Callable[..., Any]
L = TypeVar("L", bound="Lesson | Conversation")
PIN = (
    "position: absolute; top: -0.7rem; left: 0.9rem; z-index: 2; font-size: 0.78rem; font-weight: 700;"
    " line-height: 1.4; padding: 0 0.5em; border-radius: 99px; background: #7c3aed; color: #fff;"
)
"""How the mark at a part of the page looks: as those on the cards."""


def perform(lesson: Lesson, step: int = 0) -> None:
    """Set corpus, question, document and the knobs of its page as this sentence of a lesson means them.

    What was there before is kept, until the lesson is left.
    """
    page = lesson.page
    before = f"{page}.lesson.before"
    st.session_state.setdefault(before, address.taken())
    address.forget(page + ".", but=before)
    address.put("corpus", lesson.corpus)
    address.put("embedder", "built-in")
    address.put("doc", lesson.select_at(step))
    address.put(address.QUESTION, lesson.query)
    if lesson.turns:
        address.put(f"{page}.said", json.dumps([*lesson.turns, lesson.query], ensure_ascii=False))
    address.put(operators.SWITCH, False)
    for knob, value in lesson.knobs_at(step).items():
        address.put(widget(page, knob), list(value) if isinstance(value, (list, tuple)) else value)
    address.put(f"{page}.lesson", f"{lesson.corpus}/{lesson.id}")
    address.put(f"{page}.lesson.step", step + 1)


def widget(page: str, knob: str) -> str:
    """The key of the widget that a lesson of this page means: the switch for operators belongs to no page."""
    return knob if knob == operators.SWITCH else f"{page}.{knob}"


@dataclass(frozen=True)
class Pin:
    """Where one expectation of a sentence is seen: at these documents of a list, or in a part of the page."""

    mark: str
    expectation: Mapping[str, Any]
    ranking: Ranking | None
    docs: tuple[str, ...]
    at: str


@dataclass
class Performance:
    """A sentence of a lesson (counted from 0), its pins, and the names under which the page shows its lists."""

    page: str
    lesson: Lesson
    step: int
    checker: Checker
    pins: tuple[Pin, ...]
    names: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    verdicts: Any = None
    """Where the verdicts will stand, until they do."""
    lines: Sequence[tuple[str, bool, str]] = ()
    """What they say, once they do (see `verdicts`)."""

    @property
    def missing(self) -> list[str]:
        """The marks of those pins that are nowhere on the page, since its knobs are others."""
        return [pin.mark for pin in self.pins if pin.mark not in self.seen and not pin.at]

    def results(self, _progress: Progress | None = None) -> list[tuple[Pin, Result]]:
        """What became of every expectation of the sentence, each with its pin."""
        self.checker.called = self.called
        select = self.lesson.meant_at(self.step)
        return [(pin, result) for pin in self.pins for result in self.checker(pin.expectation, select)]

    def called(self, name: str) -> str:
        """What a list of the lesson is called on this page, else by its technique, else in the lesson."""
        return self.names.get(name) or called(self.lesson).get(name, name)

    def place(self, rankings: Sequence[Ranking], names: Sequence[str]) -> list[Pins]:
        """The marks that stand in each of these lists."""
        found: list[dict[str, list[str]]] = [{} for _ranking in rankings]
        for pin in self.pins:
            at = _where(pin.ranking, rankings)
            if at is None:
                continue
            self.names[pin.expectation["list"]] = names[at]
            self.seen.add(pin.mark)
            for doc in () if pin.at else pin.docs or ("",):
                found[at].setdefault(doc, []).append(pin.mark)
        return list(found)


def called(lesson: Lesson) -> dict[str, str]:
    """What the lists of a lesson are called: by their techniques, where that tells them apart, else as in the file."""
    labels = {name: str(say(getattr(search, "label", ""))) for name, search in lesson.lists.items()}
    return {name: label if list(labels.values()).count(label) == 1 else name for name, label in labels.items()}


def outcome(result: Result) -> str:
    """What was found, and what was expected, where that is something else."""
    wanted = "" if result.passed or not result.wanted else " " + _("Expected: {wanted}", wanted=say(result.wanted))
    return f"{say(result.found)}{wanted}"


def _where(own: Ranking | None, rankings: Sequence[Ranking]) -> int | None:
    """Which of these lists is the one of the lesson: made by the same, else with the same hits, or the first of them.

    A lesson's list is asked for all that there is, one of the page for as much as it shows; a lesson's may be cut, too.
    """
    if own is None:
        return None

    def equal(r: Ranking) -> bool:
        n = min(len(r), len(own)) if isinstance(own.made_by, Top) else len(r)
        return r.ids[:n] == own.ids[: len(r)] and bool(r.ids) == bool(own.ids)

    same = [i for i, r in enumerate(rankings) if equal(r)]
    whole = [i for i in same if len(rankings[i]) == len(own)]
    made = [i for i in same if rankings[i].made_by == own.made_by]
    return next(iter((*made, *whole, *same)), None)


def end() -> None:
    """No lesson is performed."""
    st.session_state.pop(_NOW, None)


def begin(page: str, lesson: Lesson, step: int, collection: Collection) -> Performance:
    """Perform this sentence on this page."""
    checker, sentence = Checker(lesson, collection), lesson.steps[step]
    several = len(sentence.expect) > 1
    pins = []
    for i, one in enumerate(sentence.expect):
        mark = f"{step + 1}{LETTERS[i % 26] if several else ''}"
        pins.append(Pin(mark, one, _ranking(checker, one), spoken_documents(one, lesson.meant_at(step)), sentence.at))
    told = Performance(page, lesson, step, checker, tuple(pins))
    st.session_state[_NOW] = told
    return told


def _ranking(checker: Checker, expectation: Mapping[str, Any]) -> Ranking | None:
    try:
        return checker.lists(expectation["list"])
    except LabError:  # `close` says why
        return None


ABOUT_THE_LIST = {"empty", "at_most", "at_least", "mean_above", "hurts", "chance", "judged_below", "luck"}
ABOUT_THE_LIST |= {"reads", "reads_below", "reads_all"}
"""Expectations that speak of no document."""


def spoken_documents(expectation: Mapping[str, Any], select: str) -> tuple[str, ...]:
    """The documents that an expectation speaks of; none where it is about the list."""
    if "top" in expectation:
        return tuple(expectation["top"])
    if expectation.keys() & ABOUT_THE_LIST:
        return ()
    return tuple(filter(None, (expectation.get("doc", select),)))


def current() -> Performance | None:
    """The sentence that this run performs."""
    found: Performance | None = st.session_state.get(_NOW)
    return found


def pins(rankings: Sequence[Ranking], names: Sequence[str]) -> list[Pins]:
    """The marks that stand in each of these lists of the page."""
    told = current()
    return told.place(rankings, names) if told else [{} for _ranking in rankings]


def sentence_name() -> str:
    """The name of that sentence; empty where there is none."""
    told = current()
    return f"{told.lesson.corpus}/{told.lesson.id}/{told.step}" if told else ""


def open_tab(key: str, names: Sequence[str]) -> None:
    """Open the tab of the list whose addends the sentence speaks of, once: where these are the names of the tabs."""
    told = current()
    if told is None or st.session_state.get(f"_opened.{key}") == sentence_name():
        return
    st.session_state[f"_opened.{key}"] = sentence_name()
    spoken = (told.names.get(pin.expectation["list"]) for pin in told.pins if "matched" in pin.expectation)
    if name := next((name for name in spoken if name in names), None):
        st.session_state[key] = name


# ------------------------------------------------------------------------------------------------ the box


def box(told: Performance, leave: Callable[[], None], after: Lesson | None) -> None:
    """The sentence, and the way to the next one; the place of its verdicts is kept for `close`."""
    text = both(dict(told.lesson.steps[told.step].text))
    shown = text if told.lesson.corpus in samples.every_name() else escape.plain(text, LONGEST)
    told.verdicts = sentence(told.page, told.lesson, told.step, shown, perform, leave, after)


def sentence(
    page: str,
    lesson: L,
    step: int,
    text: str,
    go: Callable[[L, int], None],
    leave: Callable[[], None],
    after: L | None,
) -> Any:
    """A sentence of any kind of lesson with its buttons, as Markdown; gives the empty place below it."""
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
    """When the page is drawn: what became of every expectation, and whether the page shows what is meant.

    ``work(name, doing, make, about=...)`` does what takes long.
    """
    told = current()
    if told is None or told.verdicts is None:
        return
    place, told.verdicts = told.verdicts, None
    with place.container(gap="xsmall"):
        found = work("lesson.check", _("Checking the sentence …"), told.results, about=sentence_name())
        told.lines = [_line(told, pin, result) for pin, result in found or ()]
        verdicts(told.lines)
        if told.missing:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.caption(_("The parameters below have changed since this sentence."), width="content")
                st.button(
                    _("Apply"),
                    key=f"{told.page}.lesson.again",
                    on_click=perform,
                    args=(told.lesson, told.step),
                    icon=":material/undo:",
                )
    pinned(sentence_name(), {pin.mark: f"{told.page}-{pin.at}" for pin in told.pins if pin.at})


def pinned(step: str, parts: Mapping[str, str]) -> None:
    """The marks at these parts of the page (mark to its key), and the first of all marks in sight."""
    selectors = {mark: f".st-key-{key}" for mark, key in parts.items()}
    at = {part: " ".join(mark for mark, own in selectors.items() if own == part) for part in selectors.values()}
    look = (
        f'{part} {{ position: relative; overflow: visible; }} {part}::before {{ content: "{m}"; {PIN} }}'
        for part, m in at.items()
    )
    st.html(f"<style>{''.join(look)}</style>")
    components.pins({"step": step, "parts": selectors}, key="pins")


def verdicts(lines: Sequence[tuple[str, bool, str]]) -> None:
    """What became of every expectation: the mark of its pin (empty where it has none), whether it holds, a text."""
    items = []
    for mark, held, text in lines:
        sign, word = ("✓", _("holds")) if held else ("✗", _("does not hold"))
        pin = f'<span class="pin">{mark}</span> ' if mark else ""
        go = f' data-mark="{mark}" tabindex="0"' if mark else ""
        told = f'{pin}<b role="img" aria-label="{word}">{sign}</b> {html.escape(text)}'
        items.append(f'<li class="{"held" if held else "failed"}"{go}>{told}</li>')
    if items:
        st.html(f'<ul class="verdicts">{"".join(items)}</ul>')


def _line(told: Performance, pin: Pin, result: Result) -> tuple[str, bool, str]:
    """The list and what was found in it, else what was expected."""
    mark = pin.mark if pin.mark in told.seen or pin.at else ""
    alone = len(told.lesson.lists) == 1 and result.list not in told.names
    name = "" if alone else f"{told.called(result.list)}: "
    return mark, result.passed, f"{name}{outcome(result)}"
