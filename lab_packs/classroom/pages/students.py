"""What a student of a class sees on the page Evaluate, mostly on a phone: the task of the class and nothing else."""

from __future__ import annotations

import streamlit as st

from lab.retrieve.explaining import word_marker
from lab.text import Analyzer, cut
from lab.ui import address, components
from lab.ui.escape import plain
from lab.ui.i18n import _
from lab.ui.layout import frame
from lab.ui.layout.page import Page
from lab.ui.lists import gloss, grading, show
from lab_packs.classroom.classes import Class
from lab_packs.classroom.pages import joining, results
from lab_packs.classroom.polls import END, EXCHANGE, Grading, Poll, Task

TAB = "class"
"""The view of the page, and the name of the visitor's store, that belong to classes."""
TEXT, WHOLE = 220, 1500
"""Columns of a passage in a list, and of one to judge."""
_AT, _SEEN = "_class_at", "_class_seen"
"""Which of the questions a student is at; the task and phase that their page shows."""


def visit(p: Page) -> None:
    """Draws the class's task for a student of a class, and ends the page; for others it does nothing."""
    key = p.key("tab")
    has_code = bool(address.linked(joining.JOIN))
    if TAB not in (st.session_state.get(key), address.linked(key)) and not has_code:
        return
    joined = joining.current()
    if joined is None and has_code:
        joining.refusal()
    if joined is None or joined.by == frame.visitor().token:
        return
    if has_code:
        address.put(key, TAB)
    address.keep(key, "", address.choice([TAB]))
    with st.container(key=p.key("student")):
        _student(p, joined)
    with st.container(horizontal=True):
        st.button(_("Leave the class"), key=p.key("leave"), on_click=address.put, args=(joining.CLASS, ""))
    p.stop()


def _version(joined: Class) -> tuple[int, int]:
    task: Task | None = joined.task
    return id(task), -1 if task is None else task.phase


def _student(p: Page, joined: Class) -> None:
    task: Task | None = joined.task
    if st.session_state.get(_SEEN) != _version(joined):
        st.session_state[_SEEN], st.session_state[_AT] = _version(joined), 0
    _watch()
    if task is None:
        st.info(_("Wait here: your teacher has not started yet."), icon=":material/hourglass_empty:")
    elif frame.visitor().token not in joined:
        st.info(_("This class is full: you can only watch."), icon=":material/groups:")
    elif task.phase == END:
        st.success(_("The teacher has ended this task. Later clicks do not count."), icon=":material/flag:")
        if isinstance(task, Poll):
            results.winner(task)
        else:
            results.agreement(task)
    elif isinstance(task, Poll):
        _clicking(p, task)
    else:
        _judging(p, task)


@st.fragment(run_every=2.0)
def _watch() -> None:
    """Draws the page again when the teacher has begun something else."""
    joined = joining.known()
    if joined is None or _version(joined) != st.session_state.get(_SEEN):
        st.rerun()


def _go(at: int) -> None:
    st.session_state[_AT] = at


@st.fragment
def _clicking(p: Page, poll: Poll) -> None:
    """Draws a student's questions one by one, each with its list; a click on a result is counted at once."""
    token = frame.visitor().token
    own = poll.questions_of(token)
    at = min(int(st.session_state.get(_AT, 0)), len(own) - 1)
    asked, phase = poll.questions[own[at]], poll.phase
    if phase == END:
        st.rerun()
    poll.see(token, own[at])
    hits, clicked = poll.hits(token, own[at], phase), poll.clicked(token, own[at])
    if phase == EXCHANGE:
        st.info(_("Once more, with the first two results exchanged. Click as if you saw the list for the first time."))
    components.top(f"{phase}/{at}", key=p.key("top"))
    _head(at, len(own), asked.text)
    st.caption(_("Click every result that answers the question. A second click takes it back."))
    mark = word_marker(asked.text, Analyzer())
    for rank, hit in enumerate(hits, 1):
        document, is_clicked = asked.documents[hit.doc], hit.doc in clicked
        with st.container(border=True, gap="small", key=p.key(f"result.{rank}")):
            st.markdown(f"**{rank}. {plain(document.label, 80)}**")
            text = "".join(piece for piece, _mark in show.snippet(document.text, mark, TEXT))
            st.markdown(plain(cut(text, TEXT)))
            if meaning := gloss.for_document(document):
                st.caption(plain(meaning, TEXT))
            st.button(
                _("✓ Answers the question") if is_clicked else _("Answers the question"),
                key=p.key(f"click.{phase}.{own[at]}.{rank}"),
                type="primary" if is_clicked else "secondary",
                width="stretch",
                on_click=poll.click,
                args=(token, own[at], hit.doc, phase),
            )
    _turn(p, at, len(own))


def _head(at: int, n: int, question: str) -> None:
    st.caption(_("Question {i} of {n}", i=at + 1, n=n))
    st.markdown(f"#### {plain(gloss.with_gloss(question), 300)}")


def _turn(p: Page, at: int, n: int) -> None:
    """Draws the ways to the question before and after."""
    with st.container(horizontal=True):
        st.button(_("← Previous question"), key=p.key("back"), disabled=at == 0, on_click=_go, args=(at - 1,))
        st.space("stretch")
        if at + 1 < n:
            st.button(_("Next question →"), key=p.key("forward"), type="primary", on_click=_go, args=(at + 1,))
        else:
            st.caption(_("This is your last question. Your clicks are counted already."))


@st.fragment
def _judging(p: Page, task: Grading) -> None:
    """Draws a student's passages one by one, each with the grades; a grade goes on to the next passage."""
    token = frame.visitor().token
    own, grades = task.pairs_of(token), task.grades_of(token)
    at = min(int(st.session_state.get(_AT, 0)), len(own) - 1)
    question, document = task.pairs[own[at]]
    components.top(str(at), key=p.key("top"))
    st.caption(_("{done} of {n} judged", done=len(grades), n=len(own)) + f" · {at + 1}/{len(own)}")
    st.markdown(f"#### {plain(gloss.with_gloss(question), 300)}")
    with st.container(border=True, gap="small", key=p.key("passage")):
        st.markdown(f"**{plain(document.label, 80)}**")
        st.markdown(plain(cut(document.text, WHOLE)))
        if meaning := gloss.for_document(document):
            st.caption(plain(meaning))

    def grade(value: int) -> None:
        task.grade(token, own[at], value)
        _go(at + 1)

    for value, word in enumerate(grading.grades()):
        st.button(
            f"{value} · {word}",
            key=p.key(f"grade.{value}"),
            type="primary" if grades.get(own[at]) == value else "secondary",
            width="stretch",
            on_click=grade,
            args=(value,),
        )
    with st.container(horizontal=True):
        st.button(_("← Back"), key=p.key("back"), disabled=at == 0, on_click=_go, args=(at - 1,))
        st.button(_("Next →"), key=p.key("forward"), disabled=at + 1 >= len(own), on_click=_go, args=(at + 1,))
