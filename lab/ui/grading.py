"""A visitor's own grades, on any page: kept under their token, given by a click on a card."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lab.algebra import Corpus
from lab.evaluate.judging import HIGHEST, Judgments
from lab.ui import frame, keeping
from lab.ui.i18n import _

RATER = "judge.rater"
"""The key of the name under which the visitor judges."""
_RATER = "_rater"


def judgments() -> Judgments:
    """Everything that this visitor has judged, under whatever names."""
    return keeping.judgments(frame.visitor())


def change(by: keeping.Change) -> None:
    """Change the visitor's judgments; neither another tab nor another process undoes it."""
    keeping.change(frame.visitor(), by)


def rater() -> str:
    """The name under which the visitor judges now; other pages have no field for it, and it stays the same there."""
    name = str(st.session_state.get(RATER, st.session_state.get(_RATER, ""))).strip()
    st.session_state[_RATER] = name
    return name


def grades() -> tuple[str, ...]:
    """What the grades from 0 upwards mean."""
    return (_("not relevant"), _("helps"), _("answers"), _("answers fully"))


def called(name: str) -> str:
    """What a rater is called; who has not given a name is the visitor."""
    return name or _("me")


def for_cards(corpus: Corpus, question: str) -> dict[str, Any]:
    """What cards need so that a passage can be graded for this question: the words, and the visitor's own grades."""
    every = judgments()
    own = dict(every.on(corpus).of(question, rater())) if every.history else {}
    return {"label": _("Grade"), "words": grades(), "own": own}


def give(question: str, doc: str, grade: Any) -> None:
    """A grade for a passage of the current corpus; None takes it back, and what is no grade is nothing."""
    document, name = frame.current().corpus.get(doc), rater()
    if document is not None and is_grade(grade) and question.strip():
        change(lambda judgments: judgments.given(question, document, grade, name))


def is_grade(grade: object) -> bool:
    """Whether this is a grade of the scale, or None, which takes one back."""
    return grade is None or (type(grade) is int and 0 <= grade <= HIGHEST)
