"""Who takes the course, and the tasks of pages, with a visitor: nobody, unless a pack brings classes.

An entry point of the group ``retrieval_lab.company`` names a class that extends `Alone`.  Pages ask the visitor's
`part` what the visitor may see and do, and let it draw what concerns the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import streamlit as st

from lab import packs
from lab.ui.people.visitor import Visitor

if TYPE_CHECKING:
    from lab.lessons.asking import Prediction
    from lab.lessons.course import Stage

STEP, PROJECTOR, CLAIM = "course.step", "course.projector", "course.claim"
"""The step of the course, whether it is projected, and how much: 0 is the question, 1 the result, from 2 sentences."""
_KEPT = "_course"
Guess = tuple[int, bool]
"""The option (from 0) and whether it is right."""


def guesses() -> dict[str, Guess]:
    """Returns this browser's predictions by language and step."""
    by_step: dict[str, Guess] = st.session_state.setdefault(_KEPT, {})
    return by_step


class Alone:
    """A visitor by themselves."""

    together = presents = follows = waits = False
    """Whether others take part, whether the visitor presents or follows, and whether those who follow still wait."""

    promise = ""
    """What others can do together with the visitor, in a sentence."""

    @classmethod
    def arriving(cls) -> Alone:
        """Returns the part of a visitor who comes to a page, perhaps by a link that others have sent."""
        return cls()

    @staticmethod
    def forget(visitor: Visitor, corpus: str = "") -> None:
        """Deletes what others see of this corpus of the visitor, or of all of them."""

    def shares(self, stage: Stage) -> bool:
        """Returns whether all take this step together."""
        return False

    def given(self, stage: Stage, key: str) -> Guess | None:
        """Returns the visitor's prediction at a step; None before it."""
        return guesses().get(key)

    def hides(self, stage: Stage, key: str) -> bool:
        """Returns whether the visitor may not see the result of a step yet."""
        return self.given(stage, key) is None

    def guess(self, stage: Stage, key: str, guess: Guess) -> None:
        """Records a prediction; the first one counts."""
        guesses().setdefault(key, guess)

    def go(self, step: int) -> None:
        """Says at which step of the course a visitor is who presents, from 1."""

    def open(self) -> None:
        """Lets those who wait see the question, if the visitor presents."""

    def door(self) -> None:
        """Draws on the home page how to begin together."""

    def enter(self) -> None:
        """Draws how to come together, at the head of the course."""

    def notes(self) -> None:
        """Draws why somebody could not come in."""

    def name(self) -> None:
        """Draws the name of those who take part, for a visitor who follows."""

    def wait(self, title: str) -> None:
        """Draws what a visitor sees who follows and waits."""

    def follow(self, stage: Stage) -> None:
        """Draws the page again for a visitor who follows, as soon as the presenter goes on."""

    def offer(self, options: Sequence[str], show: Callable[[], None]) -> None:
        """Draws what can be predicted for a visitor who presents, and the button that calls ``show`` for the result."""

    def predicted(self, key: str, asked: Prediction, known: bool) -> None:
        """Draws, on a page or its slide, how the others have predicted; with ``known`` false only how many have."""

    def corner(self) -> None:
        """Draws in the corner of a slide how to come together."""

    def gather(self, place: str, title: str) -> None:
        """Draws the slide on which a visitor who presents waits for the others."""


@cache
def _brought() -> type[Alone]:
    """Returns the class that a pack brings.  One that cannot be loaded is logged and left out."""
    brought: type[Alone] = next(packs.loaded("company"), Alone)
    return brought


def arrive() -> Alone:
    """Returns the part of a visitor who comes to the page."""
    return _brought().arriving()


def part() -> Alone:
    return _brought()()


def forget(visitor: Visitor, corpus: str = "") -> None:
    """Deletes what others see of this corpus of the visitor, or of all of them."""
    _brought().forget(visitor, corpus)
