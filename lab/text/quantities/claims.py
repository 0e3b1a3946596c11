"""What running text claims: numbers and dates at their places, and whether two of them mean the same."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from lab.text.quantities.units import sizes

_DIGIT = re.compile(r"\d")


class Reading(NamedTuple):
    """Another meaning of a number or date, as in `Found`."""

    kind: str
    value: float | str
    unit: str


class Found(NamedTuple):
    """A number, a date or a name: ``text[start:end]``.

    ``kind`` is one of ``number``, ``date`` and ``name``.  ``value`` can be compared: a number as a float; a date as
    year-month-day as far as it is said (``2019-03``; ``--03-05`` without a year, ``T15:30``, ``1990s``, ``c19`` for a
    century, ``d1`` for Monday, ``3 day ago``, ``-0221`` before our era); a name as its letters without case and
    punctuation.  ``unit`` has one name for each unit of a number (``day`` for 天, 日 and days); for a name it is
    ``person`` or ``place`` if the dictionary has it, ``code`` (WH-1000XM5) or ``version`` (v2.1, with the value
    ``2.1``); empty if none is known.  ``sure`` is False for what may also be an article, an idiom or a common word:
    one lamp, a week, once, 一天, a word that begins a sentence.

    A number from 1000 to 2099 without comma and unit is a year, unless something says otherwise.

    ``readings`` are other things that it may mean, as 01/02/2024 in two countries.  The kind ``unread`` is a number
    whose signs fit no form; it has no value.
    """

    kind: str
    value: float | str
    unit: str
    start: int
    end: int
    sure: bool = True
    readings: tuple[Reading, ...] = ()


def meanings(fact: Found) -> tuple[Found, ...]:
    """Returns a number or date once for each of its readings."""
    return (fact, *(fact._replace(kind=r.kind, value=r.value, unit=r.unit, readings=()) for r in fact.readings))


def same(fact: Found, other: Found) -> bool:
    """Whether ``other`` supports ``fact`` by their first readings: an equal number, a date at least as exact."""
    if "unread" in (fact.kind, other.kind):
        return False
    if fact.kind != other.kind:
        return _plainly(fact) == _plainly(other) != ""
    if fact.kind == "date":
        return _same_date(str(fact.value), str(other.value))
    if fact.kind == "name":
        return fact.value == other.value
    measures, other_measures = sizes(fact.unit), sizes(other.unit)
    for measure in measures.keys() & other_measures.keys():
        if math.isclose(
            measures[measure] * float(fact.value), other_measures[measure] * float(other.value), rel_tol=1e-9
        ):
            return True
    if "" not in (fact.unit, other.unit) or "ratio" in (fact.unit, other.unit):
        return False
    share = {"percent": 0.01}
    value, size = (float(x.value) * share.get(x.unit, 1.0) for x in (fact, other))
    return fact.value == other.value or value == size


def _same_date(date: str, other: str) -> bool:
    decade = date.endswith("0s") and (other[:3] == date[:3] or other[2:] == date)
    yearless = date[:2] == "--" and other.endswith(date[1:])
    return other == date or other.startswith(f"{date}-") or decade or yearless


def comparable(fact: Found, other: Found) -> bool:
    """Whether ``other`` could replace ``fact``: a number of the same unit, or a date of the same precision."""
    if fact.kind != other.kind or fact.kind == "unread":
        return False
    if fact.kind == "name":
        return fact.unit == other.unit == "version"
    if fact.kind == "date":
        return _DIGIT.sub("0", str(fact.value)) == _DIGIT.sub("0", str(other.value))
    return bool(fact.unit) and not sizes(fact.unit).keys().isdisjoint(sizes(other.unit))


def _plainly(fact: Found) -> str:
    """Returns the digits of a number without unit, a year or a version: 2048, 2.1; empty for others."""
    if fact.kind == "number":
        return f"{fact.value:.15g}" if not fact.unit else ""
    return str(fact.value) if fact.kind == "date" or fact.unit == "version" else ""
