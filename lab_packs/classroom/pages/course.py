"""A visitor's part in a class on the page Course: the presenter decides what is seen, students predict together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from lab.lessons.asking import Prediction
from lab.lessons.course import Stage
from lab.ui import address, escape, navigation, palette
from lab.ui.figures import charts
from lab.ui.i18n import _, say
from lab.ui.layout import frame
from lab.ui.people.company import PROJECTOR, STEP, Alone, Guess
from lab.ui.people.visitor import Visitor
from lab.words import Said
from lab_packs.classroom.classes import TASKS, Class, forget_corpus
from lab_packs.classroom.pages import joining, slides

SHOWN = -1
"""The guess of a presenter whose class has seen the result."""
State = tuple[int, bool, bool, bool]


class Member(Alone):
    """A visitor who may be in a class: as its presenter, or as one of its students."""

    promise = Said("A class predicts together.")

    def __init__(self) -> None:
        self.token = frame.visitor().token
        self.at(joining.known())

    def at(self, joined: Class | None) -> None:
        """Takes the part of this visitor in a class."""
        self.joined, self.together = joined, joined is not None
        self.presents = joined is not None and joined.is_presenter(self.token)
        self.follows = joined is not None and joined.paced and not self.presents
        self.waits = joined is not None and joined.waits

    @classmethod
    def arriving(cls) -> Member:
        joining.current()
        part = cls()
        if part.joined is not None and part.follows:
            address.put(STEP, part.joined.step)
            address.put(PROJECTOR, False)
        return part

    @staticmethod
    def forget(visitor: Visitor, corpus: str = "") -> None:
        store = visitor.store(TASKS)
        forget_corpus(store, corpus) if corpus else store.clear()

    def shares(self, stage: Stage) -> bool:
        return self.together and (bool(stage.lessons) or self.presents)  # own documents are everybody's own question

    def given(self, stage: Stage, key: str) -> Guess | None:
        """Returns the prediction in the class, whose sheet is empty at its beginning.

        For its presenter it is `SHOWN` as soon as the class has seen the result.
        """
        if self.joined is None or not self.shares(stage):
            return super().given(stage, key)
        if self.presents:
            return (SHOWN, False) if self.joined.is_shown(stage.id) else None
        return self.joined.sheet(self.token).get(key)

    def hides(self, stage: Stage, key: str) -> bool:
        if self.joined is not None and self.follows and self.shares(stage):
            return not self.joined.is_shown(stage.id)
        return super().hides(stage, key)

    def guess(self, stage: Stage, key: str, guess: Guess) -> None:
        if self.joined is None or not self.shares(stage):
            super().guess(stage, key, guess)
        elif self.presents:
            self.joined.show(self.token, stage.id)
        elif not (self.joined.paced and self.joined.is_shown(stage.id)):
            self.joined.guess(self.token, key, *guess, again=self.joined.paced)

    def go(self, step: int) -> None:
        if self.joined is not None:
            self.joined.go(self.token, step)

    def open(self) -> None:
        if self.joined is not None and self.presents:
            self.joined.opened = True

    def door(self) -> None:
        label = _("Continue the class") if self.presents else _("Start a class")
        if st.button(label, key="home.class", icon=":material/groups:", type="tertiary"):
            if not self.presents:
                joining.begin(1)
            st.switch_page(navigation.find("course"))

    def enter(self) -> None:
        key = joining.box_key(self.joined)
        with st.popover(_("Class"), icon=":material/groups:", width="content", key=key, on_change="rerun"):
            self._class()

    def _class(self) -> None:
        """Draws the class: begun by one, opened by its link or its join code, left by anybody."""
        joined = self.joined
        if joined is None:
            purpose = _(
                "Everyone with the class's link predicts together and sees how the others predict. No names are shown."
            )
            joining.enter("course", purpose)
            return
        self._invitation(joined)
        joining.controls("course", joined)
        if self.presents:
            key = f"course.class.paced.{joined.join_code}"
            st.session_state.setdefault(key, joined.paced)
            help_text = _("Off: everybody goes from step to step, and sees a result after their own prediction.")

            def change() -> None:
                joined.paced = bool(st.session_state[key])

            st.toggle(_("Students see what I show"), key=key, help=help_text, on_change=change)
        joining.leave("course")

    def _invitation(self, joined: Class) -> None:
        """Draws how others come into the class and to this step."""
        joining.invite("course", joined, {STEP: str(st.session_state[STEP])})

    def notes(self) -> None:
        joining.refusal()

    def name(self) -> None:
        if self.joined is not None:
            st.markdown(_("Class {code}", code=f"**{self.joined.digits}**"), width="content")

    def wait(self, title: str) -> None:
        with st.container(key="course-waiting", horizontal_alignment="center", border=True):
            st.header(":green[:material/check_circle:]", anchor=False, width="content")
            st.subheader(_("You are in."), anchor=False, width="content")
            st.markdown(title, width="content")
            st.caption(_("Your teacher opens the question. This page follows by itself."), width="content")
            if self.joined is not None:
                joining.here(self.joined)

    def follow(self, stage: Stage) -> None:
        if self.joined is not None and self.follows:
            _follow(stage.id, _state(stage.id, self.joined))

    def offer(self, options: Sequence[str], show: Callable[[], None]) -> None:
        if st.session_state[PROJECTOR]:  # there the key “next” shows it
            st.html(slides.choices(options))
            return
        lettered = zip("ABCDEF", options, strict=False)
        st.markdown(" · ".join(f"**{letter}** {escape.plain(option, 120)}" for letter, option in lettered))
        if self.waits:
            label, icon = _("Open the question"), ":material/lock_open:"
            st.button(label, key="course.open", on_click=self.open, type="primary", icon=icon)
        label, icon = _("Show the result"), ":material/visibility:"
        st.button(label, key="course.show", on_click=show, type="primary", icon=icon)

    def predicted(self, key: str, asked: Prediction, known: bool) -> None:
        if self.together:
            draw = _votes if st.session_state[PROJECTOR] else _distribution
            draw(key, asked, known)

    def corner(self) -> None:
        if self.joined is not None:
            with st.popover(self.joined.digits, icon=":material/groups:", width="content"):
                self._invitation(self.joined)

    def gather(self, place: str, title: str) -> None:
        if self.joined is not None:
            picture, link = joining.door(self.joined, "calc(var(--u) * 400)")
            st.html(slides.door(picture, [link, self.joined.digits, place, title]))
            joining.here(self.joined)


def _state(stage: str, joined: Class) -> State:
    """Returns what a student's page depends on: the step, whether its result is shown, whether they follow or wait."""
    return joined.step, joined.is_shown(stage), joined.paced, joined.waits


@st.fragment(run_every=1.0)
def _follow(stage: str, seen: State) -> None:
    """Draws a student's page again as soon as the presenter goes on, or shows a result."""
    joined = joining.known()
    if joined is None or _state(stage, joined) != seen:
        st.rerun()


@st.fragment(run_every=1.0)
def _distribution(step: str, asked: Prediction, known: bool) -> None:
    """Draws how the class has guessed at this step, as it comes in; before one's own guess only how many have."""
    joined = joining.known()
    if joined is None:
        return
    counts = joined.guesses(step)
    with st.container(key="course-class"):
        st.caption(_predicted(joined, counts.total()))
        if known and counts:
            labels = [say(option) for option in asked.options]
            values = [float(counts[i]) for i in range(len(labels))]
            charts.draw(charts.bars(values, labels, palette.named("fused"), digits=0), "course.distribution")


def _predicted(joined: Class, n: int) -> str:
    """Returns how many have predicted, of the browsers that are there or, for the presenter, that are expected."""
    text = _("Predictions in the class: {n} of {m}.", n=n, m=len(joined))
    if joining.presents(joined) and joined.expected is not None:
        text += " " + _("Expected: {n}.", n=joined.expected)
    return text


@st.fragment(run_every=1.0)
def _votes(step: str, asked: Prediction, known: bool) -> None:
    """Draws how the class has predicted; before the answer only how many have, and how to come into the class."""
    joined = joining.known()
    if joined is None:
        return
    counts, total = joined.guesses(step), joined.guesses(step).total()
    if known and counts:
        names = [say(option) for option in asked.options]
        st.html(slides.shares([(name, counts[i], i == asked.answer) for i, name in enumerate(names)]))
    else:
        picture, link = ("", "") if known else joining.door(joined, "calc(var(--u) * 132)")
        lines = [_predicted(joined, total)]
        lines = lines if known else [link, joined.digits, *lines, _("Nobody sees a result until you show it.")]
        st.html(slides.door(picture, lines, total / max(len(joined), joined.expected or 0, 1)))
