"""How the values of a metadata field are read: as numbers, days or words, whichever most of them are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from lab.algebra import Corpus, Value
from lab.corpus.statistics import fields_of
from lab.text import fold, half_width
from lab.text.quantities.dates import DayOrder, Period, find_order, read_period
from lab.text.quantities.epochs import epoch_day, epoch_steps
from lab.text.quantities.numbers import cell_digits, has_decimal_commas, read_decimal

NUMBER, DAY, TEXT = "number", "day", "text"


@dataclass(frozen=True)
class FieldReading:
    """A metadata field of a corpus: its name there, the kind of its values, and the order of its days.

    ``count`` documents have it; 0: no document has.  ``comma``: its numbers have a decimal comma.  ``epoch``: it counts
    from 1970, with this number of units to a second; 0: it does not.
    """

    name: str
    kind: str = TEXT
    order: DayOrder = DayOrder()
    count: int = 0
    comma: bool = False
    epoch: int = 0


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
    comma = has_decimal_commas(value for value in values if isinstance(value, str))
    numbers = [number for value in values if (number := read_number(value, comma=comma)) is not None]
    epoch = epoch_steps(name, numbers) if 2 * len(numbers) > len(values) else 0
    kind = DAY if 2 * days > len(values) or epoch else NUMBER if 2 * len(numbers) > len(values) else TEXT
    return FieldReading(name, kind, find_order(values), count, comma, epoch)


def field_period(value: Value, reading: FieldReading) -> Period | None:
    """Returns the day, month or year that a value or a limit of a field names; None for anything else."""
    number = read_number(value) if reading.epoch else None
    day = None if number is None else epoch_day(number, reading.epoch)
    return Period(day, day) if day else read_period(value, reading.order.first)


def elements(value: Value | None) -> Iterator[str | int | float | bool]:
    """Yields the single value of a field, or each value of a list, without blank ones."""
    for element in value if isinstance(value, list) else () if value is None else (value,):
        if not isinstance(element, str) or element.strip():
            yield element


def values_of(corpus: Corpus, name: str) -> list[str]:
    """Returns the different values of a field as texts, the longest first."""

    def find() -> list[str]:
        values = {str(v).strip() for document in corpus for v in elements(document.metadata.get(name))}
        return sorted(values, key=lambda value: (-len(value), value))

    return corpus.once(("values of a field", name), find)


def latest_day(corpus: Corpus, reading: FieldReading) -> date:
    """Returns the latest day of a field; today if it has none."""
    return max(
        (p.last for v in values_of(corpus, reading.name) if (p := field_period(v, reading))), default=date.today()
    )


def is_day(value: Value) -> bool:
    """Returns whether a value names a day or a month; a bare year is a number."""
    period = read_period(value)
    return period is not None and not is_year(period)


def is_year(period: Period) -> bool:
    return (period.last - period.first).days >= 364


def read_number(value: Value, *, comma: bool = False) -> float | None:
    """Returns the number that a value is: 312, 1,000, -0.5, $1,200, 15% (15); None for anything else.

    In a field with a decimal ``comma``, 2,50 is two and a half.
    """
    if isinstance(value, bool | list):
        return None
    if isinstance(value, int | float):
        try:
            return float(value) if math.isfinite(value) else None
        except OverflowError:
            return None
    digits = cell_digits(value, comma=comma)
    return read_decimal(half_width(value).strip() if digits is None else digits)
