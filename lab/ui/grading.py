"""The visitor's own grades, on any page: stored under their token, given by a click on a card."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lab.algebra import Corpus
from lab.evaluate.judging import HIGHEST, Judgments
from lab.ui import frame, keeping
from lab.ui.i18n import _

RATER = "judge.rater"
"""The session key of the rater name."""
_RATER = "_rater"


def judgments() -> Judgments:
    """Returns everything that this visitor has judged, under all rater names."""
    return keeping.judgments(frame.visitor())


def change(by: keeping.Change) -> None:
    """Changes the visitor's judgments, safe from other tabs and processes."""
    keeping.change(frame.visitor(), by)


def rater() -> str:
    """Returns the current rater name; pages without a field for it use the last one."""
    name = str(st.session_state.get(RATER, st.session_state.get(_RATER, ""))).strip()
    st.session_state[_RATER] = name
    return name


def grades() -> tuple[str, ...]:
    """Returns the meanings of the grades from 0 upwards."""
    return (_("not relevant"), _("helps"), _("answers"), _("answers fully"))


def rater_label(name: str) -> str:
    """Returns the rater's name on the screen; without a name it is the visitor."""
    return name or _("me")


def for_cards(corpus: Corpus, question: str) -> dict[str, Any]:
    """Returns the data of cards on which a passage can be graded: the words, and the visitor's grades so far."""
    every = judgments()
    current = dict(every.on(corpus).of(question, rater())) if every.history else {}
    return {"label": _("Grade"), "words": grades(), "own": current}


def give(question: str, doc: str, grade: Any) -> None:
    """Grades a passage of the current corpus; None removes the grade, anything else that is not a grade is ignored."""
    document, name = frame.current().corpus.get(doc), rater()
    if document is not None and is_grade(grade) and question.strip():
        change(lambda judgments: judgments.given(question, document, grade, name))


def is_grade(grade: object) -> bool:
    """Returns whether this is a grade of the scale, or None, which removes one."""
    return grade is None or (type(grade) is int and 0 <= grade <= HIGHEST)
