"""Conditions on the fields of the corpus: a row to add one with, and what each of them removes."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

import streamlit as st

from lab.algebra import Corpus, Ranking
from lab.corpus.conditions import (
    BETWEEN,
    CONTAINS,
    EQUAL,
    IN,
    MISSING,
    All,
    AnyOf,
    Condition,
    Test,
    combine,
    parse,
    without,
)
from lab.corpus.fields import DAY, NUMBER, FieldReading, elements, field_reading, read_number
from lab.corpus.statistics import fields_of
from lab.errors import ParameterError
from lab.refine.decay import TimeDecay
from lab.refine.question_conditions import QuestionConditions
from lab.refine.superseded import Superseded
from lab.refine.where import Checked, Where
from lab.text.quantities.dates import read_period
from lab.ui import address, escape
from lab.ui.i18n import _, listed, say
from lab.ui.layout.page import Page
from lab.ui.lists import facets

MOST = 500
"""Maximum number of values of a field in a list to choose from, the most common ones."""
KEY = "where.condition"
_FIELD, _RELATION, _VALUE, _HIGH, _WORD = (
    f"where.new.{part}" for part in ("field", "relation", "value", "high", "word")
)


def values_of(corpus: Corpus, reading: FieldReading) -> Any:
    """Returns the numbers or the days of a field in order, or its most common words with their counts; found once."""

    def find() -> Any:
        values = [value for document in corpus for value in elements(document.metadata.get(reading.name))]
        if reading.kind == NUMBER:
            return sorted(n for value in values if (n := read_number(value)) is not None)
        if reading.kind == DAY:
            periods = (read_period(value, reading.order.first) for value in values)
            return sorted(period.first for period in periods if period is not None)
        return dict(Counter(str(value).strip() for value in values).most_common(MOST))

    return corpus.once(("filter values", reading.name), find)


def _relations(kind: str) -> dict[str, str]:
    """The comparisons of a kind of field, as they are written, with what they are called."""
    ends = {MISSING: _("is missing"), f"not {MISSING}": _("is present")}
    if kind == NUMBER:
        signs = {">": ">", ">=": "≥", "<": "<", "<=": "≤", EQUAL: "=", f"not {EQUAL}": "≠", BETWEEN: _("between")}
        return signs | ends
    if kind == DAY:
        signs = {
            ">=": _("not before"),
            "<=": _("not after"),
            ">": _("later than"),
            "<": _("earlier than"),
            BETWEEN: _("between"),
        }
        return signs | ends
    lists = {IN: _("is one of"), f"not {IN}": _("is none of")}
    return lists | {CONTAINS: _("contains"), f"not {CONTAINS}": _("does not contain")} | ends


def builder(p: Page) -> None:
    """A row of widgets, made from the fields of the corpus, that adds a comparison to the condition."""
    corpus = p.frame.corpus
    fields = fields_of(corpus)
    if not fields:
        st.info(_("The passages of this corpus have no metadata fields."), icon=":material/info:")
        return
    names = sorted(field.name for field in fields)
    row = st.columns([2.2, 1.8, 3.2, 1.3, 1.1], vertical_alignment="bottom")
    with row[0]:
        name = st.selectbox(_("Field"), names, key=p.key(_FIELD), format_func=facets.named) or names[0]
    reading = field_reading(corpus, name)
    relations = _relations(reading.kind)
    with row[1]:
        relation = st.selectbox(
            _("Comparison"),
            list(relations),
            format_func=relations.__getitem__,
            key=p.key(f"{_RELATION}.{reading.kind}"),
        )
    with row[2]:
        given = _value(p, reading, values_of(corpus, reading), relation.removeprefix("not "))
    with row[3]:
        words = {"and": _("and: both hold"), "or": _("or: one is enough")}
        word = st.selectbox(_("Combine with"), list(words), format_func=words.__getitem__, key=p.key(_WORD))
    with row[4]:
        relation, negated = relation.removeprefix("not "), relation.startswith("not ")
        new = Test(name, relation, given, negated) if given or relation == MISSING else None
        st.button(
            _("Add"),
            key=p.key("where.add"),
            icon=":material/add:",
            disabled=new is None,
            on_click=_add,
            args=(p.key(KEY), word, new),
        )


def _value(p: Page, reading: FieldReading, values: Any, relation: str) -> tuple[str, ...]:
    """The widget of a comparison's value, or of its two limits; empty as long as nothing is given."""
    key, label = p.key(f"{_VALUE}.{reading.name}.{relation}"), _("Value")
    if relation == MISSING:
        return ()
    if reading.kind == NUMBER:
        whole = all(number.is_integer() for number in values)
        make: type[int] | type[float] = int if whole else float
        ends = make(values[0]), make(values[-1])
        if relation == BETWEEN:
            one, two = st.columns(2)
            low = one.number_input(_("From"), value=ends[0], key=key)
            high = two.number_input(_("To"), value=ends[1], key=p.key(f"{_HIGH}.{reading.name}"))
            return (_written(low), _written(high)) if low <= high else ()
        middle = make(statistics.median(values))
        told = _("Values: {low} to {high}", low=f"{ends[0]:,}", high=f"{ends[1]:,}")
        return (_written(st.number_input(label, value=middle, key=key, help=told)),)
    if reading.kind == DAY:
        return _days(key, values, relation)
    if relation == CONTAINS:
        text = st.text_input(label, key=key).strip()
        return (text,) if text else ()
    format_ = lambda value: f"{value} ({values.get(value, 0):,})"  # noqa: E731
    chosen = st.multiselect(label, list(values), format_func=format_, key=key, placeholder=_("Choose …"))
    return tuple(chosen)


def _days(key: str, days: Sequence[date], relation: str) -> tuple[str, ...]:
    """A day, or two; beside the days of the corpus any other one may be chosen."""
    if relation != BETWEEN:
        day = st.date_input(_("Day"), days[len(days) // 2], date.min, date.max, key=key, format="YYYY-MM-DD")
        return (day.isoformat(),) if isinstance(day, date) else ()
    chosen = st.date_input(_("From and to"), (days[0], days[-1]), date.min, date.max, key=key, format="YYYY-MM-DD")
    pair = chosen if isinstance(chosen, tuple) else (chosen,)
    return (pair[0].isoformat(), pair[1].isoformat()) if len(pair) == 2 else ()


def _written(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.15g}"


def _add(key: str, word: str, new: Test) -> None:
    """Joins a comparison to the condition; one that cannot be read is replaced."""
    before = _read(str(st.session_state.get(key, "")))
    address.put(key, str(combine(AnyOf if word == "or" else All, before, new) if before else new))


def _remove(key: str, number: int) -> None:
    before = _read(str(st.session_state.get(key, "")))
    left = None if before is None else without(before, number)
    address.put(key, str(left or ""))


def _read(text: str) -> Condition | None:
    try:
        return parse(text) if text.strip() else None
    except ParameterError:
        return None


def tested(p: Page, step: Ranking, stage: Where) -> None:
    """A row per comparison: what it says, how many passages it removes, and a button to take it out."""
    found = step.evidence
    if not isinstance(found, Checked):
        return
    if found.unknown:
        names = [escape.plain(name, 60) for name in found.unknown]
        st.warning(_("No passage of this corpus has the field {names}.", names=names), icon=":material/warning:")
    total = len(step.dropped) + len(step.hits)
    for i, test in enumerate(found.comparisons):
        text, counts, button = st.columns([4, 4, 1], vertical_alignment="center")
        text.markdown(f"**{escape.plain(str(test), 120)}**")
        said = [_("candidates that do not fit: {n} of {total}", n=found.failed(i), total=total)]
        if undecided := found.undecided(i):
            said.append(_("missing or unreadable for {n}", n=undecided))
        counts.caption(" · ".join(said))
        button.button(
            _("Remove"),
            key=p.key(f"where.remove.{i}"),
            icon=":material/close:",
            on_click=_remove,
            args=(p.key(KEY), i),
            type="tertiary",
        )
    for remark in found.remarks:
        st.caption(":material/event: " + escape.plain(say(remark)))


def read_from_question(step: Ranking) -> None:
    """Shows the condition that was read from the question, and what was not used of it."""
    read = step.evidence
    if not isinstance(read, QuestionConditions):
        return
    if read.condition is None:
        st.caption(_("The question states no condition on a field of this corpus: every passage stays."))
    else:
        condition = escape.plain(str(read.condition), 300)
        removed = _(
            "Candidates removed: {n} of {total}.", n=len(step.dropped), total=len(step.dropped) + len(step.hits)
        )
        st.markdown(listed((_("Read from the question: **{condition}**.", condition=condition), removed), " "))
    if read.unused:
        unused = listed(escape.plain(part, 40) for part in read.unused)
        st.caption(_("Not used as a condition: {parts}", parts=unused))
    if read.orders:
        parts = listed(escape.plain(part, 40) for part in read.orders)
        names = {"decay": say(TimeDecay.label), "superseded": say(Superseded.label)}
        hint = _(
            "{parts}: an order is not a condition. “{decay}” and “{superseded}” prefer new passages.",
            parts=parts,
            **names,
        )
        st.caption(hint)
    if read.searched:
        searched = listed(escape.plain(part, 40) for part in read.searched)
        st.caption(_("Searched as words only: {parts}", parts=searched))
    if read.problem is not None:
        reason = escape.plain(say(read.problem.message), 300)
        st.warning(_("The rule was used. {reason}", reason=reason), icon=":material/smart_toy:")
