"""The visitor's own grades, on any page: stored under their token, given by a click on a card."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lab.algebra import Corpus
from lab.evaluate.judging import AUTOMATIC, HIGHEST, Judgments, is_automatic, person
from lab.evaluate.rating import RULE, CoverageRater
from lab.reading.ratings import same
from lab.ui.escape import plain
from lab.ui.i18n import _, _n, listed, say
from lab.ui.layout import frame
from lab.ui.people import keeping

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
    name = person(str(st.session_state.get(RATER, st.session_state.get(_RATER, ""))))
    st.session_state[_RATER] = name
    return name


def grades() -> tuple[str, ...]:
    """Returns the meanings of the grades from 0 upwards."""
    return (_("not relevant"), _("helps"), _("answers"), _("answers fully"))


def rater_label(name: str) -> str:
    """Returns the rater's name on the screen; without a name it is the visitor."""
    if name.startswith(RULE):
        return " ".join((say(CoverageRater.label), name.removeprefix(RULE).strip())).strip()
    if is_automatic(name):
        return _("{name} (model)", name=name.removeprefix(AUTOMATIC))
    return name or _("me")


def automatic_counted() -> bool:
    """Returns whether grades of models and rules count in measures, for pairs without a grade by people."""
    return frame.automatic_counted()


def count_automatic(on: bool) -> None:
    """Lets grades of models and rules count in measures from now on, or not."""
    frame.visitor().store(frame.JUDGMENTS)[frame.COUNTED] = on


def for_cards(corpus: Corpus, question: str) -> dict[str, Any]:
    """Returns the data of cards on which a passage can be graded: the words, and the visitor's grades so far."""
    every = judgments().people
    if frame.carried_left_out(corpus.name):
        every = every.without_carried(corpus)
    current = dict(every.on(corpus).of(question, rater())) if every.history else {}
    return {"label": _("Grade"), "words": grades(), "own": current}


def carried() -> None:
    """Says which grades of the current corpus were given to other documents, and lets the visitor leave them out."""
    corpus = frame.collection(str(st.session_state["corpus"])).corpus
    grades = judgments().carried(corpus)
    if not grades:
        return
    questions = len({same(j.question) for j in grades})
    sources = [*dict.fromkeys(f"“{plain(_source(j.place.origin), 40)}”" for j in grades)]
    left_out = frame.carried_left_out(corpus.name)
    message = _n(
        "Grades of {n} question taken over from {sources} (same words).",
        "Grades of {n} questions taken over from {sources} (same words).",
        questions,
        sources=sources,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(listed([message, _("They are left out.")] if left_out else [message], " "), width="content")
        label = _("Keep these grades") if left_out else _("Leave these grades out")
        st.button(label, key="grades.carried", on_click=frame.leave_out_carried, args=(corpus.name, not left_out))


def _source(origin: str) -> str:
    """Returns the name of the corpus that has a document, or the document's file."""
    uploads = frame.uploads()
    names = (name for name in uploads if name != st.session_state["corpus"] and uploads[name].corpus.get(origin))
    return next(names, origin.rpartition("/")[0] or origin)


def give(question: str, doc: str, grade: Any) -> None:
    """Grades a passage of the current corpus; None removes the grade, anything else that is not a grade is ignored."""
    document, name = frame.current().corpus.get(doc), rater()
    if document is not None and is_grade(grade) and question.strip():
        change(lambda judgments: judgments.given(question, document, grade, name))


def is_grade(grade: object) -> bool:
    """Returns whether this is a grade of the scale, or None, which removes one."""
    return grade is None or (type(grade) is int and 0 <= grade <= HIGHEST)
