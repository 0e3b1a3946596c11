"""Operators in the question: one line under the field says how it was read, with a switch; and what they removed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import streamlit as st

from lab.algebra import Corpus, Drop, Query, Ranking
from lab.algebra.runner import FILTERED
from lab.refine.boolean import BooleanQuery, parse
from lab.refine.operators import Operators, asked_of, field_names
from lab.refine.sets import Sets
from lab.ui import address, escape, navigation
from lab.ui.i18n import _, listed, say
from lab.ui.layout import field_lines, tables

SWITCH = "operators"
"""The switch in the session and in links; off unless somebody turns it on."""
APPLIED = ("compare", "rerank", "filter")
"""The pages that are named where operators are not applied."""


def read(page: str, query: Query, corpus: Corpus, *, applied: bool) -> Query:
    """The question as the lists of a page get it, below a line that says how its operators were read.

    ``applied``: the page keeps to operators where the switch is on; then the question is the words without them, made
    from the whole.
    """
    asked = parse(query.text, field_names(corpus))
    address.keep(SWITCH, False, address.flag)
    on = applied and bool(st.session_state[SWITCH])
    if not asked.signs and not (on and asked.remarks):
        if st.session_state[SWITCH]:
            address.always(SWITCH)
        return query
    with field_lines.line(page, "operators"):
        st.caption(escape.plain(_sentence(asked, corpus, on=on, applied=applied), 600), width="content")
        if applied and asked.signs:
            told = _("Quotation marks, +, -, AND, OR, NOT, brackets and field:word filter the lists.")
            st.toggle(_("Use operators"), key=SWITCH, help=told)
    return replace(query, text=asked.words, id="", made_from=query) if on and asked.signs else query


def _sentence(asked: BooleanQuery, corpus: Corpus, *, on: bool, applied: bool) -> str:
    if not on:
        parts = [_("Read as plain words: {signs}", signs=" ".join(asked.signs))]
        if not applied:
            names = [navigation.title(name) for name in APPLIED]
            parts.append(_("These pages can apply them: {names}", names=[*names]))
        return " · ".join(parts)
    parts = [say(asked.reading)] if asked.signs else []
    parts += [say(remark) for remark in asked.remarks]
    if asked.signs and corpus.elsewhere:
        parts.append(
            _("Results of each list that are filtered: {n}. What is behind them cannot come back.", n=f"{FILTERED:,}")
        )
    return listed(parts, " ")


def removed(ranking: Ranking) -> list[Drop]:
    """What the operators of the question removed on the way to this list, each document once."""
    return list({drop.document.id: drop for step in _steps(ranking) for drop in step.dropped}.values())


def reason(ranking: Ranking, doc: str) -> str:
    """Why the operators removed this document; empty where they did not."""
    return next((say(drop.reason) for step in _steps(ranking) if (drop := step.drop(doc))), "")


def _steps(ranking: Ranking) -> Iterator[Ranking]:
    return (step for step in ranking.lineage() if isinstance(step.made_by, Operators))


def table(page: str, drops: list[Drop]) -> None:
    """Draws a table of the removed passages and the reasons."""
    rows = [{"title": drop.document.label, "reason": say(drop.reason)} for drop in drops]
    columns = {"title": _("Passage"), "reason": _("Reason")}
    tables.draw(_("Removed by operators"), rows, key=f"{page}.operators.removed", columns=columns)


def tree(page: str, query: Query, corpus: Corpus) -> None:
    """Draws a question with operators as a tree of sets, each with its number of passages in the whole corpus."""
    asked = parse(asked_of(query), field_names(corpus))
    if not asked.signs or corpus.elsewhere:
        return
    st.markdown(_("**The question with its operators**"))
    parts = Sets(corpus).parts(asked.tree)
    rows = [{"part": "\u2003" * part.depth + say(part.label), "df": part.documents} for part in parts]
    columns = {"part": _("Part of the question"), "df": _("Passages")}
    tables.draw(_("The question as sets"), rows, key=f"{page}.operators", columns=columns)
