"""A model or a rule as rater on the page Judge: started by a click, with its cost told before, and measured on people.

Its grades are kept apart from people's; they count in measures only while the visitor has switched that on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from lab.algebra import NONE, Document, Env, Searcher
from lab.corpus.beir import Collection
from lab.errors import LabError
from lab.evaluate.judging import HIGHEST, Agreement, Judgments, qrels_text, with_judgments
from lab.evaluate.rating import (
    CoverageRater,
    ModelRater,
    Order,
    Pair,
    Rater,
    agreement_of,
    grades_by,
    grades_of,
    judged_pairs,
    order_of,
    placed_grades,
    ungraded,
)
from lab.evaluate.runs import run_many
from lab.explain.notes import asks_outside
from lab.models.chat import model_named
from lab.models.memory import Standing
from lab.reading.ratings import same
from lab.text import language_of
from lab.ui import components, escape, palette
from lab.ui.escape import plain
from lab.ui.figures import charts
from lab.ui.i18n import _, _n, listed, say
from lab.ui.layout import frame, tables
from lab.ui.layout.page import Page
from lab.ui.lists import grading
from lab.ui.models import costing
from lab.ui.work import once

MEASURE = "nDCG@10"
SHOWN = 50
"""Maximum number of disagreements in the table."""


def part(p: Page, question: str, passages: Sequence[Document], searches: Mapping[str, Searcher]) -> None:
    """Draws the choice of rater and pairs, the button that starts, and the comparison with people."""
    people = with_judgments(frame.collection(p.frame.corpus.name), grading.judgments().people)
    rater, env = _rater(p, question)
    pairs = _pairs(p, people, question, passages)
    name = rater.name(env)
    _grade(p, rater, env, pairs, name)
    label, kept = grading.rater_label(name), placed_grades(grading.judgments(), p.frame.corpus, name)
    grades = kept
    if isinstance(rater, CoverageRater):  # it costs nothing, so nobody has to click first
        about = (rater, p.frame.corpus.fingerprint, tuple(pairs))
        grades = {**kept, **once(p.key("by_rule"), about, lambda: grades_by(rater, pairs, p.frame.corpus, env))}
    if kept:
        st.caption(_("Grades by {name} on this corpus: {n}.", name=plain(label), n=len(kept)))
    if not grades:
        return
    _against_people(p, people, agreement_of(_("people"), grades_of(people), label, grades), searches)
    if kept:
        _kept(p, name, label)


def _rater(p: Page, question: str) -> tuple[Rater, Env]:
    """Draws the choice of the rater and its parameters; the environment has the model, without a cache of answers.

    Grades are kept themselves: a cache would only repeat an answer that could not be read.
    """
    model = model_named(p.models_now, "chat")
    env = Env(NONE if model is None else {"chat": model.heart if isinstance(model, Standing) else model})
    names = {"rule": say(CoverageRater.label)} | ({} if model is None else {"model": model.label})
    chosen = p.choose("rated", _("Rater"), list(names), "rule", format_func=names.__getitem__)
    if chosen == "rule":
        if model is None:
            st.caption(_("No language model is set in the sidebar, so only the rule can grade."))
        return p.knobs(CoverageRater(), "helps", "answers", into=st.columns(2)), env
    usual = ModelRater().prompt(language_of(question))
    edited = p.knobs(ModelRater(template=usual), "template")
    return ModelRater() if edited.template == usual else edited, env


def _pairs(p: Page, people: Collection, question: str, passages: Sequence[Document]) -> list[Pair]:
    """Draws the choice of the pairs to grade."""
    names = {"pool": _("This pool"), "judged": _("Pairs judged by people")}
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        chosen = p.choose("pairs", _("Pairs to grade"), list(names), "pool", format_func=names.__getitem__)
    if chosen == "pool":
        return [Pair(question, document) for document in passages]
    with right:
        most = p.number("most", _("Maximum pairs"), 1, 5000, 100, _("A random sample of questions, always the same."))
    return judged_pairs(people, most)


def _grade(p: Page, rater: Rater, env: Env, pairs: Sequence[Pair], name: str) -> None:
    """Grades the pairs without a grade of this rater, after a click; a stop or a failure keeps the finished ones."""
    started_key, failed_key, about = (
        p.key("rate.wanted"),
        p.key("rate.failed"),
        (rater, name, p.frame.corpus.fingerprint, tuple(pairs)),
    )
    left = ungraded(pairs, grading.judgments(), p.frame.corpus, name)
    if left and st.session_state.get(started_key) == about:
        try:
            doing = _("Grading …")
            p.work("rate", doing, lambda: _rate(p, rater, env, left, name), about=about)
        except LabError as error:
            st.session_state[failed_key] = about, error
            st.session_state.pop(started_key)
        left = ungraded(pairs, grading.judgments(), p.frame.corpus, name)
    label = grading.rater_label(name)
    if not left:
        st.session_state.pop(started_key, None)
        st.markdown(_("Every pair of this choice has a grade by {name}: {n}.", name=plain(label), n=len(pairs)))
        return
    message = _("Pairs without a grade by {name}: {n} of {all}.", name=plain(label), n=len(left), all=len(pairs))
    if isinstance(rater, ModelRater):
        model, key = rater.asked(env), (about, len(left))
        message += " " + costing.forecast(once(p.key("estimate"), key, lambda: rater.estimate(left, model)))
    failed_about, problem = st.session_state.get(failed_key, (None, None))
    if failed_about == about:  # it stays until the next click
        escape.problem(problem)
    row = st.container(horizontal=True, vertical_alignment="center")
    row.markdown(message)
    if st.session_state.get(started_key) != about:
        row.button(
            _n("Grade {n} pair", "Grade {n} pairs", len(left)),
            key=p.key("rate.start"),
            icon=":material/smart_toy:",
            on_click=st.session_state.update,
            args=({started_key: about, failed_key: (None, None)},),
        )


def _rate(p: Page, rater: Rater, env: Env, pairs: Sequence[Pair], name: str) -> bool:
    def keep(grades: Sequence[tuple[Pair, int]]) -> None:
        empty = Judgments()
        new = [empty.given(pair.question, pair.document, grade, name).history for pair, grade in grades]
        grading.change(partial(Judgments.joined, others=Judgments(tuple(j for history in new for j in history))))

    rater.rate(pairs, p.frame.corpus, replace(env, progress=p.runner.progress), keep)
    return True


# ------------------------------------------------------------------------------------------------ against people


def _against_people(p: Page, people: Collection, both: Agreement, searches: Mapping[str, Searcher]) -> None:
    """Draws kappa, the table of grades, the disagreements, and the searches ranked by both."""
    if not both.pairs:
        st.caption(_("None of these pairs is judged by people, so kappa cannot be computed."))
        return
    with st.container(key=p.key("against")):
        st.markdown(plain(say(both.told())))
        st.markdown(plain(_leaning(both)))
        left, right = st.columns([1.2, 1], gap="large")
        with left:
            _table(p, both)
        with right:
            _by_grade(p, both)
    _apart(p, people, both)
    _ranked(p, people, both, searches)


def _leaning(both: Agreement) -> str:
    """Returns in a sentence by how much the rater's grades are higher or lower than people's."""
    amount = f"{abs(both.lenience):.2f}"
    if abs(both.lenience) < 0.005:
        return _("On average, {name} gives the same grades as people.", name=both.other)
    if both.lenience > 0:
        return _(
            "{name} is too lenient; its grades are higher, on average by {amount}.", name=both.other, amount=amount
        )
    return _("{name} is too strict; its grades are lower, on average by {amount}.", name=both.other, amount=amount)


def _table(p: Page, both: Agreement) -> None:
    """Draws how many pairs have each grade by people (rows) and by the rater (columns)."""
    grades = sorted({*both.grades, *range(HIGHEST + 1)})
    counts = [[both.table.get((a, b), 0) for b in grades] for a in grades]
    names = [str(grade) for grade in grades]
    colour = palette.named("refined")
    charts.draw(charts.table_map(counts, names, names, colour, digits=0), p.key("rated.table"))
    st.caption(_("Pairs by grade: people (rows) and {name} (columns).", name=plain(both.other)))


def _by_grade(p: Page, both: Agreement) -> None:
    """Draws kappa of each grade against all others."""
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {
        "grade": _("Grade"),
        "people": _("People"),
        "rater": both.other,
        "kappa": number(_("Kappa"), format="%.2f", help=_("This grade against all others. Empty: not defined.")),
    }
    words = dict(enumerate(grading.grades()))
    rows = []
    for grade in both.grades:
        counts = [sum(pair[i] == grade for pair in both.pairs.values()) for i in (0, 1)]
        name = f"{grade} {words[grade]}" if grade in words else str(grade)
        rows.append(dict(zip(columns, (name, *counts, both.kappa_of(grade)), strict=True)))
    tables.draw(_("Kappa of each grade"), rows, key=p.key("rated.grades"), columns=columns)


def _apart(p: Page, people: Collection, both: Agreement) -> None:
    """Draws the disagreements, the largest first, with question and passage side by side."""
    if not both.apart:
        return
    questions = {same(q.text): q.text for q in people.queries}
    columns = {"question": _("Question"), "people": _("People"), "rater": both.other, "passage": _("Passage")}
    rows = []
    for question, doc in both.apart[:SHOWN]:
        document = p.frame.corpus.get(doc)
        text = doc if document is None else document.content
        rows.append(dict(zip(columns, (questions[question], *both.pairs[question, doc], text), strict=True)))
    shown = len(rows)
    st.caption(_("Disagreements: {n}, the largest first (shown: {shown}).", n=len(both.apart), shown=shown))
    tables.draw(_("Disagreements with people"), rows, key=p.key("rated.apart"), columns=columns)


def _ranked(p: Page, people: Collection, both: Agreement, searches: Mapping[str, Searcher]) -> None:
    """Draws the searches of the pool, measured with people's grades and with the rater's, and Kendall's tau."""
    ids = {same(q.text): q.id for q in people.queries}
    asked = {question for question, _doc in both.pairs}
    queries = [q for q in people.queries if same(q.text) in asked]
    asking = [name for name, search in searches.items() if asks_outside(search, p.models)]
    searches = {name: search for name, search in searches.items() if name not in asking}
    if asking:
        names = plain(listed(asking))
        st.caption(_("Not ranked, because they ask a language model or an external retriever: {names}", names=names))
    if len(searches) < 2:
        st.caption(_("Choose at least two searches to see whether people and the rater rank them alike."))
        return
    about = (people.fingerprint, tuple(both.pairs.items()), tuple(searches.items()))

    def make() -> Order:
        runs = run_many(searches, p.frame.corpus, queries, models=p.models_now, progress=p.runner.progress)
        return order_of(runs, both, ids, MEASURE)

    with escape.problems():
        doing = _("Searching every judged question …")
        order = p.work("rated.order", doing, lambda: once(p.key("rated.order"), about, make), about=about)
        if order is None or not order.questions:
            return
        number = st.column_config.NumberColumn
        columns: dict[str, Any] = {
            "search": _("Search"),
            "people": number(_("{measure} by people", measure=MEASURE), format="%.3f"),
            "rater": number(_("{measure} by the rater", measure=MEASURE), format="%.3f"),
        }
        best_first = sorted(order.people, key=lambda name: -order.people[name])
        rows = [{"search": name, "people": order.people[name], "rater": order.rater[name]} for name in best_first]
        tables.draw(_("Searches ranked by people and by the rater"), rows, key=p.key("rated.order"), columns=columns)
        st.caption(_tau(order))


def _tau(order: Order) -> str:
    if order.tau is None:
        return _("Kendall's tau is not defined: one of the two gives every search the same value.")
    text = _("Kendall's tau of the two orders: {tau} (questions: {n}).", tau=f"{order.tau:.2f}", n=order.questions)
    if len(order.people) < 4:
        text += " " + _("Tau says little about fewer than four searches.")
    return text


# ------------------------------------------------------------------------------------------------ kept apart


def _kept(p: Page, name: str, label: str) -> None:
    """Draws the switch by which grades of models count, their export, and their deletion."""

    def count() -> None:
        grading.count_automatic(bool(st.session_state[p.key("counted")]))

    st.toggle(
        _("Count grades of models"),
        value=grading.automatic_counted(),
        key=p.key("counted"),
        on_change=count,
        help=_("Measures on every page then use them for pairs without a grade by people. Off at every new visit."),
    )
    row = st.container(horizontal=True)
    judgments = Judgments(tuple(j for j in grading.judgments().automatic.history if j.rater == name))
    stem = escape.file(f"{p.frame.corpus.name}-rated-{label}")
    bare = replace(frame.collection(p.frame.corpus.name), qrels={})
    qrels = with_judgments(bare, judgments).qrels
    for kind, suffix, make in (
        (_("qrels (TREC)"), ".qrels", lambda: qrels_text(qrels, on_blank="_")),
        (_("Every grade (JSONL)"), "-grades.jsonl", judgments.to_jsonl),
    ):
        key = p.key(f"rated{suffix}")
        components.download(row, kind, make, f"{stem}{suffix}", "text/plain", key=key)
    row.button(
        _("Delete all grades of {name}", name=plain(label)),
        key=p.key("rated.forget"),
        on_click=lambda: grading.change(lambda judgments: judgments.without(name)),
        icon=":material/delete:",
    )
