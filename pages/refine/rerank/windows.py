"""Listwise reranking on a page: a model is asked after a click, and every window shows what it has moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeGuard

import streamlit as st

from lab.algebra import Query, Ranking, Runner, Searcher, Stage
from lab.kept import Kept
from lab.models.answers import Unreadable, beginning
from lab.models.memory import Deferred, NotAsked, Remembering
from lab.refine.listwise import Asked, Listwise, Window, Windows
from lab.text import language_of
from lab.ui import escape, palette
from lab.ui.escape import plain, safe
from lab.ui.figures import charts
from lab.ui.i18n import _, listed, say
from lab.ui.layout import tables
from lab.ui.layout.page import Page
from lab.ui.models import costing, language_model

_FAILED = "_listwise"


class _Click(NamedTuple):
    """A click that lets the model be asked about a list, once: failures are not repeated without another click."""

    about: object
    failed: Kept[Any]
    pending: bool = True


def configured(p: Page, stage: Listwise, query: Query) -> Listwise:
    """Draws the choice between the rule and the visitor's model, with its prompt; without a model it is the rule."""
    if "chat" not in p.models:
        return stage
    names = {"": _("rule"), "chat": p.models["chat"].label}
    model = p.choose("listwise.model", _("Ordered by"), list(names), "", format_func=names.__getitem__)
    if not model:
        return stage
    usual = stage.prompt(language_of(query.text))
    edited = p.knobs(replace(stage, template=usual), "template")
    return replace(stage, model=model, template="" if edited.template == usual else edited.template)


def asks(stage: Stage) -> TypeGuard[Listwise]:
    return isinstance(stage, Listwise) and bool(stage.model)


def ranked(p: Page, stage: Listwise, search: Searcher, before: Ranking, depth: int) -> Ranking | None:
    """Returns the list ordered by the model, from its earlier answers or after a click; None without them.

    The windows follow one another, so the prompts of the later ones are known only when the first ones are answered:
    they cannot be sent in the background all at once, as on other pages.
    """
    query, remembering = before.query, p.models_now["chat"]
    about, key = (search, query, depth, remembering), p.key(_FAILED)
    click: _Click | None = st.session_state.get(key)
    if click is not None and click.about != about:
        click = None
    model = remembering if click is None else replace(remembering, failed=click.failed)
    assert isinstance(model, Remembering)
    known = Runner(p.frame.corpus, models={"chat": Deferred(model)})(search, query, depth)
    evidence = _windows(known)
    if isinstance(evidence.problem, NotAsked) and click is not None and click.pending:
        asked_now = Runner(p.frame.corpus, models={"chat": model})

        def make() -> Ranking:
            asked_now.progress = p.runner.progress
            return asked_now(search, query, depth)

        found = p.work("listwise", _("The language model is ordering the passages …"), make, about=about)
        if found is None:
            return None
        st.session_state[key] = click._replace(pending=False)
        known, evidence = found, _windows(found)
    if not isinstance(evidence.problem, NotAsked):
        _say(p, evidence, partial(_start, key, about))
        return known
    estimate = stage.estimate(before, model)
    row = st.container(border=True, horizontal=True, vertical_alignment="center")
    row.markdown(listed((_("The model has not ordered this list yet."), costing.forecast(estimate)), " "))
    label = _("Ask {model}", model=plain(model.label, 40))
    row.button(label, key=p.key("listwise.ask"), icon=":material/smart_toy:", on_click=_start, args=(key, about))
    return None


def _start(key: str, about: object) -> None:
    st.session_state[key] = _Click(about, Kept(1000))


def _windows(ranking: Ranking) -> Windows:
    evidence = ranking.evidence
    return evidence if isinstance(evidence, Windows) else Windows(())


def _say(p: Page, evidence: Windows, again: Any) -> None:
    """Says which windows stay unchanged because an answer is missing or could not be read, and offers to ask again."""
    unread = [a for window in evidence.windows for a in window.asked if a.problem is not None]
    unchanged = sum(window.unchanged for window in evidence.windows) + evidence.left
    if not unread:
        return
    language_model.unread(a.answer.text for a in unread if a.answer is not None)
    total = len(evidence.windows) + evidence.left
    text = _("Windows left unchanged: {n} of {total}.", n=unchanged, total=total)
    text += " " + escape.plain(say(unread[0].problem.message if unread[0].problem else ""))
    st.warning(text, icon=":material/smart_toy:")
    if any(not isinstance(a.problem, Unreadable) for a in unread):
        st.button(_("Ask again"), key=p.key("listwise.again"), icon=":material/refresh:", on_click=again)


# ------------------------------------------------------------------------------------------------ the picture


def picture(p: Page, stage: Listwise, evidence: Windows, doc: str) -> None:
    """Draws the windows as columns and every move as a line, then what was asked and answered."""
    if not evidence.windows:
        st.caption(_("Fewer than two candidates: there is nothing to order."))
        return
    charts.draw(_figure(evidence.windows, doc), p.key("listwise.windows"))
    st.caption(_("Left to right: the windows as they are read (shaded). Line: a passage. Up: green; down: grey."))
    answers = sum(len(window.asked) for window in evidence.windows)
    parts = [_("Windows: {n}, orders read: {m}.", n=len(evidence.windows), m=answers)]
    tokens = [a for a in evidence.answers if a.prompt_tokens is not None and a.answer_tokens is not None]
    if tokens:
        sent, answered = sum(a.prompt_tokens or 0 for a in tokens), sum(a.answer_tokens or 0 for a in tokens)
        parts.append(_("Tokens: {sent:,} sent, {answered:,} answered.", sent=sent, answered=answered))
    share = evidence.early_share
    if stage.shuffles and share is not None:
        text = _(
            "The first of two passages was ranked higher in {share} of the pairs; without a preference it "
            "is about half.",
            share=f"{share:.0%}",
        )
        parts.append(text)
    st.caption(listed(parts, " "))
    _answers(p, evidence.windows)


def _figure(windows: Sequence[Window], doc: str) -> charts.Figure:
    """Returns the picture: column 0 is the list before, column i the list after window i."""
    ranks = {d.id: {0: window.start + i} for window in windows for i, d in enumerate(window.before, 1)}
    titles = {d.id: d.label for window in windows for d in window.before}
    moves: dict[str, list[tuple[int, int, int]]] = {doc_id: [] for doc_id in ranks}
    for column, window in enumerate(windows, 1):
        for document, before, after in window.moves:
            moves[document.id].append((column, before, after))
    green, grey, ink = palette.named("refined"), palette.mute(), palette.ink()
    data = []
    for chosen in (False, True):
        for colour, up in ((grey, False), (green, True)):
            xs, ys, hover = list[float | None](), list[int | None](), list[str]()
            for doc_id, segments in moves.items():
                for column, before, after in segments if (doc_id == doc) is chosen else ():
                    if (after < before) is not up:
                        continue
                    text = f"<b>{charts.hovered(titles[doc_id], 50)}</b><br>{before} → {after}"
                    xs += [column - 1 + 0.12, column - 0.12, None]
                    ys += [before, after, None]
                    hover += [text, text, ""]
            look = {"color": ink if chosen else colour, "width": 3.5 if chosen else 1.4}
            more: charts.Part = {"mode": "lines+markers", "line": look, "marker": {"size": 7 if chosen else 4}}
            data.append(charts.trace("scatter", xs, ys, "%{hovertext}", hovertext=hover, **more))
    last = max(window.start + len(window.before) for window in windows)
    shapes = [
        {
            "type": "rect", "layer": "below", "x0": column - 1, "x1": column, "y0": window.start + 0.5,
            "y1": window.start + len(window.before) + 0.5, "line": {"width": 0}, "fillcolor": f"{green}18",
        }
        for column, window in enumerate(windows, 1)
    ]  # fmt: skip
    names = [_("window {n}", n=column) for column in range(1, len(windows) + 1)]
    x = {"tickvals": [i + 0.5 for i in range(len(windows))], "ticktext": [safe(name) for name in names], "side": "top"}
    y = {"range": [last + 0.7, 0.3], "title": {"text": _("rank")}, "dtick": 5 if last > 12 else 1}
    x |= {"range": [-0.05, len(windows) + 0.05]}
    height = 90 + min(560, 16 * last)
    return charts.figure(height, data, {"l": 44, "t": 30}, x=x, y=y, shapes=shapes)


def _answers(p: Page, windows: Sequence[Window]) -> None:
    """Draws a table with a row for each order that was asked about: what the answer was, and what was wrong with it."""
    columns: dict[str, Any] = {
        "window": _("Window"),
        "ranks": _("Ranks"),
        "answer": _("Answer"),
        "repeated": _("Repeated"),
        "unknown": _("Unknown"),
        "missing": _("Missing"),
        "problem": _("Problem"),
    }
    rows = []
    for number, window in enumerate(windows, 1):
        ranks = f"{window.start + 1}–{window.start + len(window.before)}"
        rows += [dict(zip(columns, (number, ranks, *_row(asked)), strict=True)) for asked in window.asked]
    tables.draw(_("Windows and answers"), rows, key=p.key("listwise.answers"), columns=columns)


def _row(asked: Asked) -> tuple[str, ...]:
    order, answer = asked.order, asked.answer
    text = beginning(answer.text) if answer is not None else ""
    if order is None:
        return text, "", "", "", "" if asked.problem is None else say(asked.problem.message)
    text = text or " > ".join(f"[{number}]" for number in order.numbers)
    return text, *(listed(numbers) for numbers in (order.repeated, order.unknown, order.missing)), ""
