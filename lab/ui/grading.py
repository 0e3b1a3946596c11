"""A visitor's own grades, on any page: kept under their token, given by a click on a card."""

from __future__ import annotations

import threading
from collections.abc import Callable
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


def change(by: Callable[[Judgments], Judgments]) -> None:
    """Change the visitor's judgments.  One tab at a time: none undoes what another one does."""
    store = frame.visitor().store(frame.JUDGMENTS)
    with store.setdefault("lock", threading.Lock()):
        keeping.judged(frame.visitor(), by(judgments()))


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
    own = dict(judgments().on(corpus).of(question, rater()))
    return {"label": _("Grade"), "words": grades(), "own": own}


def give(question: str, doc: str, grade: Any) -> None:
    """A grade for a passage of the current corpus; None takes it back, and what is no grade is nothing."""
    document = frame.current().corpus.get(doc)
    if document is not None and (grade is None or grade in range(HIGHEST + 1)):
        change(lambda told: told.given(question, document, grade, rater()))
