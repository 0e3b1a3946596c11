"""The class on the page Evaluate: it clicks on interleaved lists, or judges pooled passages.

The teacher chooses two searches and questions; students come by the link or the join code of the class (`joining`),
and see the task only (`students`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from lab.algebra import Document, Query, Searcher
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.evaluate.experiments import Experiment, System
from lab.evaluate.interleaving import (
    DEPTH,
    READER,
    Power,
    differ,
    differ_in_relevant,
    outcomes,
    power,
    spread_over_kinds,
)
from lab.ui.escape import plain
from lab.ui.i18n import _, listed
from lab.ui.layout import frame, tables
from lab.ui.layout.page import Page
from lab.ui.lists import grading
from lab.ui.study import evaluating
from lab.ui.work import once
from lab_packs.classroom.classes import TASKS, Class, forget_corpus
from lab_packs.classroom.pages import joining, results, students
from lab_packs.classroom.pages.students import TAB
from lab_packs.classroom.polls import CLICK, END, EXCHANGE, MOST, Asked, Grading, Poll, Task

PAGE = "evaluate"
visit = students.visit
MEASURE = "nDCG@10"
QUESTIONS, EACH, PAIRS = 10, 3, 10
"""At first: questions of a class, questions of each student, passages of each student to judge."""
SIZES = (10, 30, 100)
"""Students of the simulated classes."""


@dataclass(frozen=True)
class Setting:
    """What a teacher has chosen: the searches by name, the questions that differ, how many a student gets, and k."""

    names: tuple[str, str]
    ids: tuple[str, ...]
    questions: tuple[Asked, ...]
    same: int
    each: int
    k: int


def tabs(c: Collection) -> dict[str, str]:
    """Returns the view of this module, if the corpus has judged questions."""
    return {TAB: _("Class")} if c.judged else {}


def tab(p: Page, systems: Mapping[str, System]) -> dict[str, Searcher]:
    """Draws the teacher's view: the choices, what such a class can show, the class, and its results as they come in.

    Returns the searches.
    """
    searches = {name: s for name, s in systems.items() if isinstance(s, Searcher)}
    joined = joining.current()
    joining.refusal()
    if len(systems) < 2:
        st.info(_("Choose two searches above: the class compares them."), icon=":material/checklist:")
        return searches
    row = p.row([1.6, 1.3, 1.3, 0.8, 0.9])
    with row[0]:
        tasks = {"click": _("Click"), "judge": _("Judge")}
        kind = p.choose("task", _("The class will"), list(tasks), "click", format_func=tasks.__getitem__)
    with row[1]:
        first = evaluating.baseline(p, list(systems))
    others = [name for name in systems if name != first]
    with row[2]:
        second = evaluating.one_of(p, "second", _("Second search"), others)
    with row[3]:
        k = p.number("k", _("Results"), 2, DEPTH, DEPTH, _("First results of both searches that the class sees."))
    with row[4]:
        each = (
            p.number("each", _("Per student"), 1, MOST, EACH, _("Questions that each student gets."))
            if kind == "click"
            else p.number("pairs", _("Per student"), 1, 50, PAIRS, _("Passages that each student judges."))
        )
    chosen = {name: systems[name] for name in (first, second)}
    queries = p.frame.collection.judged[: evaluating.MANY]
    experiment = evaluating.experiment(p, chosen, (MEASURE,), first, queries)
    if experiment is None:
        return searches
    setting = _setting(p, experiment, (first, second), each, k)
    if kind == "click":
        _before(p, experiment, setting)
    _class(p, joined, kind, setting)
    return {name: s for name, s in chosen.items() if isinstance(s, Searcher)}


def _ids(experiment: Experiment, name: str, query: Query) -> list[str]:
    """Returns what a search finds for a question, without documents that this corpus does not have."""
    corpus = experiment.collection.corpus
    return [doc for doc, _score in experiment.runs[name].results.get(query.id, ()) if corpus.get(doc) is not None]


def _setting(p: Page, experiment: Experiment, names: tuple[str, str], each: int, k: int) -> Setting:
    """Draws the choice of questions, and returns everything chosen."""
    lists = {q.id: (_ids(experiment, names[0], q), _ids(experiment, names[1], q)) for q in experiment.queries}
    texts = {q.id: q.text for q in experiment.queries}
    start = _start(experiment, lists, k)
    help_text = _("Questions of the class, at most {n}. Each student gets some of them.", n=MOST)
    chosen = p.several("asked", _("Questions"), list(texts), start, help_text, format_func=texts.__getitem__)[:MOST]
    corpus = experiment.collection.corpus

    def documents(ids: Sequence[str]) -> tuple[Document, ...]:
        return tuple(d for doc in ids[:k] if (d := corpus.get(doc)) is not None)

    every = {q: Asked(texts[q], documents(lists[q][0]), documents(lists[q][1])) for q in chosen if q in lists}
    differing = {q: asked for q, asked in every.items() if asked.differs}
    return Setting(names, tuple(differing), tuple(differing.values()), len(every) - len(differing), each, k)


def _start(experiment: Experiment, lists: Mapping[str, tuple[list[str], list[str]]], k: int) -> list[str]:
    """Returns the questions that are chosen at first, on which a class can see which search is better.

    A relevant result has another rank in the other list.  The questions are spread over their kinds, and within a kind
    over the difference of the measure, so that they are like all of them.  If there are none, the lists differ
    otherwise.
    """
    kinds = {q: kind for kind, ids in experiment.types.items() for q in ids}
    qrels = experiment.collection.qrels
    relevant = {q: {doc for doc, grade in qrels.get(q, {}).items() if grade > 0} for q in lists}
    tell = [q for q, (a, b) in lists.items() if differ_in_relevant(a, b, relevant[q], k=k)]
    tell = tell or [q for q, (a, b) in lists.items() if differ(a, b, k=k)]
    first, second = (scores.per_query[MEASURE] for scores in experiment.scores.values())
    tell.sort(key=lambda q: second[q] - first[q])
    chosen = spread_over_kinds({q: kinds.get(q, "") for q in tell}, QUESTIONS)
    return [q for q in lists if q in chosen]


def _before(p: Page, experiment: Experiment, setting: Setting) -> None:
    """Draws what a class of several sizes would show, simulated before it begins."""
    with st.container(border=True, key=p.key("power")):
        st.subheader(_("What can such a class show?"), anchor=False)
        if not setting.questions:
            st.info(_("Nothing to choose: on these questions, both searches have the same first results."))
            return
        if setting.same:
            st.caption(_("Questions left out because both lists are the same: {n}.", n=setting.same))
        first, second = setting.names
        means = [experiment.mean(name, MEASURE) for name in setting.names]
        here = [experiment.mean(name, MEASURE, setting.ids) for name in setting.names]
        told = _(
            "{measure}: {first} {a}, {second} {b} (judged questions: {n}); {c} and {d} (questions of the class: {m}).",
            measure=MEASURE,
            first=plain(first),
            second=plain(second),
            n=len(experiment.queries),
            m=len(setting.questions),
            **{letter: f"{mean:.3f}" for letter, mean in zip("abcd", (*means, *here), strict=True)},
        )
        if abs(means[0] - means[1]) < 1e-12:
            st.markdown(listed((told, _("Neither is better, so a class has nothing to find.")), " "))
            return
        better = int(means[1] > means[0])
        figures = _powers(experiment, setting, better)
        st.markdown(listed((told, _verdict(figures, plain(setting.names[better]))), " "))
        columns: dict[str, Any] = {
            "n": _("Students"),
            "right": st.column_config.NumberColumn(_("prefer the better search"), format="%.1f%%"),
            "significant": st.column_config.NumberColumn(_("significantly"), format="%.1f%%"),
            "misled": st.column_config.NumberColumn(_("significantly the worse one"), format="%.1f%%"),
        }
        rows = [
            {"n": f.readers, "right": 100 * f.right, "significant": 100 * f.significant, "misled": 100 * f.misled}
            for f in figures
        ]
        tables.draw(_("What a class can show"), rows, key=p.key("powers"), columns=columns)
        st.caption(
            _(
                "Share of simulated classes with these questions: {questions}, of which each student gets {each}. A "
                "simulated student clicks a relevant result at rank r with probability "
                "{finds} / r^{bias}, any other with {errs} / r^{bias}.",
                questions=len(setting.questions),
                each=min(setting.each, len(setting.questions)),
                finds=READER.finds,
                errs=READER.errs,
                bias=READER.bias,
            )
        )


def _powers(experiment: Experiment, setting: Setting, better: int) -> list[Power]:
    def make() -> list[Power]:
        queries = [q for q in experiment.queries if q.id in setting.ids]
        first, second = ({q.id: _ids(experiment, name, q) for q in queries} for name in setting.names)
        chances = outcomes(first, second, experiment.collection.qrels, k=setting.k)
        n = len(chances)
        return [power(chances, better, size, questions=n, each=min(setting.each, n)) for size in SIZES]

    about = experiment.collection.fingerprint, setting.names, setting.ids, setting.each, setting.k
    runs = tuple(experiment.runs[name] for name in setting.names)
    return once("class", (*about, runs), make)


def _verdict(figures: Sequence[Power], better: str) -> str:
    """Returns in a sentence what a class of thirty can show."""
    thirty = next(f for f in figures if f.readers == 30)
    numbers = {
        "better": better,
        "n": thirty.readers,
        "right": f"{100 * thirty.right:.0f}",
        "significant": f"{100 * thirty.significant:.0f}",
    }
    if thirty.significant >= 0.8:
        return _("A class of {n} is enough: {significant}% of such classes prefer {better} significantly.", **numbers)
    if thirty.right >= 0.8:
        return _(
            "{right}% of classes of {n} prefer {better}, but only {significant}% do so significantly: believe the "
            "direction more than the test.",
            **numbers,
        )
    return _(
        "Only {right}% of classes of {n} prefer {better}, {significant}% significantly: do not expect a verdict.",
        **numbers,
    )


def _class(p: Page, joined: Class | None, kind: str, setting: Setting) -> None:
    """Draws the class: joining, beginning and ending its task, and what has come in."""
    with st.container(border=True, key=p.key("class")):
        st.subheader(_("The class"), anchor=False)
        if joined is None:
            joining.enter(
                p.name,
                _(
                    "Students open the class's link on their phones and click or judge without knowing which search "
                    "found a result. No names are shown; each browser counts once."
                ),
            )
            return
        task: Task | None = joined.task
        left, right = st.columns([1, 2])
        with left:
            joining.invite(p.name, joined, {p.key("tab"): TAB}, direct=True)
            joining.controls(p.name, joined)
            joining.leave(p.name)
        with right:
            if task is None:
                _offer(p, joined, kind, setting)
            else:
                _controls(p, joined, task)
                _live(p)


def _offer(p: Page, joined: Class, kind: str, setting: Setting) -> None:
    """Draws the button that begins a task."""
    if p.frame.corpus.name not in samples.every_name():
        st.caption(_("The class will see these passages of your documents until you delete the task or leave the lab."))
    if not setting.questions:
        st.info(_("Nothing to choose: on these questions, both searches have the same first results."))

    def begin() -> None:
        task: Task = (
            Poll(setting.names, setting.questions, each=setting.each, k=setting.k)
            if kind == "click"
            else Grading(setting.questions, each=setting.each)
        )
        _set(p, joined, task)

    label = _("Start clicking") if kind == "click" else _("Start judging")
    st.button(
        label,
        key=p.key("start"),
        type="primary",
        icon=":material/play_arrow:",
        on_click=begin,
        disabled=not setting.questions,
    )


def _set(p: Page, joined: Class, task: Task | None) -> None:
    """Gives the class this task; passages of the teacher's own documents stay in the teacher's store."""
    token, store, corpus = frame.visitor().token, frame.visitor().store(TASKS), p.frame.corpus.name
    joined.set_task(token, None)
    if corpus in samples.every_name():
        joined.set_task(token, task)
    else:
        forget_corpus(store, corpus)
        joined.set_task(token, task, store=store, corpus=corpus)


def _controls(p: Page, joined: Class, task: Task) -> None:
    """Draws the buttons that lead to the next phase."""
    with st.container(horizontal=True):
        if isinstance(task, Poll) and task.phase == CLICK:
            st.button(
                _("Exchange the first two results"),
                key=p.key("exchange"),
                icon=":material/swap_vert:",
                on_click=task.go,
                args=(EXCHANGE,),
                help=_("Every student sees the same lists again, with the first two results exchanged."),
            )
        if task.phase != END:
            st.button(_("End"), key=p.key("end"), icon=":material/stop:", on_click=task.go, args=(END,))
        else:
            st.button(
                _("Delete the task"),
                key=p.key("delete"),
                icon=":material/delete:",
                on_click=_set,
                args=(p, joined, None),
            )
            if isinstance(task, Grading) and len(task):
                st.button(_("Use these grades"), key=p.key("use.grades"), on_click=_use, args=(task,))


def _use(task: Grading) -> None:
    """Adds the class's grades to the visitor's own, so that every measure uses them."""
    grades = task.judgments()
    grading.change(lambda judgments: judgments.joined(grades))
    st.toast(_("Grades added: {n}.", n=len(grades)), icon=":material/rule:")


@st.fragment(run_every=1.0)
def _live(p: Page) -> None:
    """Draws what the class has done so far."""
    joined = joining.known()
    if joined is None or joined.task is None:
        return
    task: Task = joined.task
    if isinstance(task, Poll):
        st.caption(_("Browsers with a click: {n} of {m}.", n=len(task.clicks()), m=len(joined)))
        results.winner(task)
    else:
        st.caption(_("Grades so far: {n}; browsers in the class: {m}.", n=len(task), m=len(joined)))
        results.agreement(task)
