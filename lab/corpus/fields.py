"""How the values of a metadata field are read: as numbers, days or words, whichever most of them are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from lab.algebra import Corpus, Value
from lab.corpus.statistics import fields_of
from lab.text import fold, half_width
from lab.text.quantities.dates import DayOrder, Period, find_order, read_period
from lab.text.quantities.numbers import plain_digits, read_decimal

NUMBER, DAY, TEXT = "number", "day", "text"


@dataclass(frozen=True)
class FieldReading:
    """A metadata field of a corpus: its name there, the kind of its values, and the order of its days.

    ``count`` documents have it; 0: no document has.
    """

    name: str
    kind: str = TEXT
    order: DayOrder = DayOrder()
    count: int = 0


def field_name(corpus: Corpus, name: str) -> str:
    """Returns the name of a field as this corpus writes it: capitals and width do not count if one field is meant."""
    names = [field.name for field in fields_of(corpus)]
    if name in names:
        return name
    alike = [other for other in names if fold(other.strip()) == fold(name.strip())]
    return alike[0] if len(alike) == 1 else name


def field_reading(corpus: Corpus, name: str) -> FieldReading:
    """Returns how a field of this corpus is read, found once."""
    name = field_name(corpus, name)
    return corpus.once(("field reading", name), lambda: _reading(corpus, name))


def _reading(corpus: Corpus, name: str) -> FieldReading:
    by_document = [list(elements(d.metadata[name])) for d in corpus if name in d.metadata]
    values = [value for some in by_document for value in some]
    count = sum(map(bool, by_document))
    days = sum(is_day(value) for value in values)
    numbers = sum(read_number(value) is not None for value in values)
    kind = DAY if 2 * days > len(values) else NUMBER if 2 * numbers > len(values) else TEXT
    return FieldReading(name, kind, find_order(values), count)


def elements(value: Value | None) -> Iterator[str | int | float | bool]:
    """Yields the single value of a field, or each value of a list, without blank ones."""
    for element in value if isinstance(value, list) else () if value is None else (value,):
        if not isinstance(element, str) or element.strip():
            yield element


def is_day(value: Value) -> bool:
    """Returns whether a value names a day or a month; a bare year is a number."""
    period = read_period(value)
    return period is not None and not is_year(period)


def is_year(period: Period) -> bool:
    """Returns whether a period is a whole year."""
    return (period.last - period.first).days >= 364


def read_number(value: Value) -> float | None:
    """Returns the number that a value is: 312, 1,000, -0.5, $1,200, 15% (15); None for anything else."""
    if isinstance(value, bool | list):
        return None
    if isinstance(value, int | float):
        try:
            return float(value) if math.isfinite(value) else None
        except OverflowError:
            return None
    digits = plain_digits(value)
    return read_decimal(half_width(value).strip() if digits is None else digits)
