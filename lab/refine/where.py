"""Filters by any metadata field and reports the field values of every removed passage."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus, Document, Env, Query, Ranking, Selection, Value, knob
from lab.corpus.conditions import (
    BETWEEN,
    CONTAINS,
    EQUAL,
    IN,
    MISSING,
    ORDERED,
    All,
    AnyOf,
    Condition,
    Test,
    check_length,
    children,
    each_test,
    parse,
)
from lab.corpus.fields import DAY, NUMBER, FieldReading, elements, field_period, field_reading, is_year, read_number
from lab.errors import ParameterError
from lab.refine.filters import DAY_ORDER, ORDERS, Filter, Judged, order_of, stripped
from lab.text import fold, short
from lab.text.quantities.dates import has_two_readings, read_date
from lab.words import N_, Said, joined

SHOWN = 60
"""Characters of a value in a reason."""
_TRUE, _FALSE = ("true", "yes", "1", "是"), ("false", "no", "0", "否")


AGE = "not older than"
"""A comparison of a date with a day to count from and a maximum number of days."""
POLICIES = {"keep": Said("keep"), "drop": Said("remove")}
UNDECIDED = partial(
    knob,
    "drop",
    choices=dict(reversed(POLICIES.items())),
    label=Said("Missing or unreadable values"),
    help=Said("What happens if the values do not decide whether the condition is met."),
)
NO, UNKNOWN, YES = -1, 0, 1
"""The three truth values of Kleene's logic: “and” is the least of its parts, “or” the greatest."""
Verdicts = NDArray[np.int8]


class Verdict(NamedTuple):
    """Whether a comparison holds for a passage, None if that cannot be said, and why not if it does not hold."""

    holds: bool | None
    reason: Said = Said()

    @property
    def truth(self) -> int:
        """Returns the truth value in Kleene's logic."""
        return UNKNOWN if self.holds is None else YES if self.holds else NO


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a condition: a row per comparison, with its verdict for each passage of the list or the corpus.

    ``holds`` has a row per comparison and in it a number per passage: `YES`, `NO`, or `UNKNOWN` if the value is missing
    or cannot be read.  ``readings`` are the fields as the corpus has them, one per comparison; ``removed`` passages of
    ``total`` do not fit the whole condition.
    """

    comparisons: tuple[Test, ...]
    holds: tuple[Verdicts, ...]
    readings: tuple[FieldReading, ...]
    removed: int
    total: int

    def failed(self, number: int) -> int:
        """Returns for how many passages a comparison, counted from 0, does not hold."""
        return int(np.count_nonzero(self.holds[number] == NO))

    def undecided(self, number: int) -> int:
        """Returns for how many passages it cannot be said, because the value is missing or cannot be read."""
        return int(np.count_nonzero(self.holds[number] == UNKNOWN))

    @property
    def unknown(self) -> tuple[str, ...]:
        """Returns the names of fields that no document of the corpus has."""
        return tuple(dict.fromkeys(reading.name for reading in self.readings if not reading.count))

    @property
    def remarks(self) -> tuple[Said, ...]:
        """Explains how ambiguous dates were read, in a sentence for each field."""
        out = dict[str, Said]()
        for test, reading in zip(self.comparisons, self.readings, strict=True):
            if reading.kind == DAY and reading.order.open and test.op != MISSING:
                out[reading.name] = _remark(reading)
        return tuple(out.values())


def _remark(reading: FieldReading) -> Said:
    order = reading.order
    told = {"field": reading.name, "value": order.open, "order": ORDERS[order.first], "other": order.shown_by}
    if order.shown_by:
        return Said("Dates of {field} such as {value} are read as {order}, as {other} must be.", **told)
    return Said("Dates of {field} such as {value} have two readings; they are read as {order}.", **told)


@dataclass(frozen=True)
class FieldFilter(Filter):
    """Keeps the passages whose metadata fits a condition; subclasses give the condition."""

    inputs = ("metadata",)
    selects = True
    undecided = "drop"
    day_order = "auto"

    @property
    @abstractmethod
    def parsed(self) -> Condition | None:
        """Returns the condition as a tree; None if it is empty."""

    def verdict(self, test: Test, reading: FieldReading, metadata: Mapping[str, Value]) -> Verdict:
        """Returns whether a comparison holds for a passage with this metadata."""
        return _verdict(test, reading, metadata)

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        if self.parsed is None:
            return Judged([None] * len(ranking.hits))
        documents = [hit.document for hit in ranking.hits]
        fits, checked = self.checked(ranking.corpus, [document.metadata for document in documents])
        reasons = [None if fit else self.reason(ranking.corpus, d) for fit, d in zip(fits, documents, strict=True)]
        return Judged(reasons, checked)

    def select(self, query: Query, corpus: Corpus, env: Env) -> Selection | None:
        if corpus.elsewhere:
            return None
        reason = partial(self.reason, corpus)
        if self.parsed is None:
            return Selection(None, None, reason)
        fits, checked = corpus.once(("fitting", self), lambda: self.checked(corpus, [d.metadata for d in corpus]))
        return Selection(fits, checked, reason)

    def checked(self, corpus: Corpus, metadata: Sequence[Mapping[str, Value]]) -> tuple[NDArray[np.bool_], Checked]:
        """Returns which passages of this metadata fit, and the verdict of each comparison; equal values share one."""
        condition = self.parsed
        assert condition is not None
        every = tuple(each_test(condition))
        readings = tuple(self._reading(corpus, test.field) for test in every)
        holds = tuple(self._column(test, reading, metadata) for test, reading in zip(every, readings, strict=True))
        whole = _whole(condition, dict(zip(every, holds, strict=True)))
        fits = whole >= (UNKNOWN if self.undecided == "keep" else YES)
        return fits, Checked(every, holds, readings, int(np.count_nonzero(~fits)), len(fits))

    def reason(self, corpus: Corpus, document: Document) -> Said:
        """Returns why a passage does not fit, one sentence for each part that does not hold."""
        condition = self.parsed
        assert condition is not None
        verdicts = {
            test: self.verdict(test, self._reading(corpus, test.field), document.metadata)
            for test in each_test(condition)
        }
        truths = {test: verdict.truth for test, verdict in verdicts.items()}

        def failed(part: Condition) -> Iterator[Test]:
            if _whole(part, truths) != YES:
                yield from [part] if isinstance(part, Test) else chain.from_iterable(map(failed, children(part)))

        reasons = tuple(dict.fromkeys(verdicts[test].reason for test in failed(condition)))
        return reasons[0] if len(reasons) == 1 else joined(reasons, " ")

    def _reading(self, corpus: Corpus, name: str) -> FieldReading:
        reading = field_reading(corpus, name)
        return replace(reading, order=order_of(reading, self.day_order))

    def _column(self, test: Test, reading: FieldReading, metadata: Sequence[Mapping[str, Value]]) -> Verdicts:
        """Returns the verdict of a comparison for each passage, computed once for equal values."""
        known = dict[Hashable, int]()

        def verdict(fields: Mapping[str, Value]) -> int:
            value = fields.get(reading.name)
            key = type(value), tuple(value) if isinstance(value, list) else value
            if key not in known:
                known[key] = self.verdict(test, reading, fields).truth
            return known[key]

        return np.fromiter(map(verdict, metadata), np.int8, len(metadata))


@dataclass(frozen=True)
class Where(FieldFilter):
    """Keeps the passages whose metadata fits a condition, such as ``views > 1,000 and category = HR``.

    ``condition`` is written in the language of `lab.corpus.conditions`; empty keeps all passages.  Fields hold numbers,
    days or words, by what most of their values in the corpus are; capitals and width do not count.  A year or a month
    includes all of its days: ``updated > 2024`` begins with 2025.  If a field has several values, one has to fit, and
    for ``!=`` and the other negations none may.  A comparison with a missing or unreadable value is neither true nor
    false (Kleene's logic, as in SQL); if the whole condition is neither, ``undecided`` says what happens.
    """

    label = Said("Conditions on fields")
    about = Said("Keeps passages whose metadata fits a condition.")

    condition: str = knob(
        "", Said("Condition"), Said("For instance: views > 1000 and category in (HR, IT). Empty: everything stays.")
    )
    undecided: str = UNDECIDED()
    day_order: str = DAY_ORDER()

    def __post_init__(self) -> None:
        super().__post_init__()
        text = self.condition.strip()
        if text:
            text = str(parse(text))  # one spelling: equal conditions are equal, and have one hash
            check_length(text)
        object.__setattr__(self, "condition", text)

    @property
    def parsed(self) -> Condition | None:
        """Returns the condition as a tree; None if it is empty."""
        return parse(self.condition) if self.condition else None


@dataclass(frozen=True)
class MetadataFilter(FieldFilter):
    """Removes documents that are too old, from other sources, or incomplete.

    ``max_age_days`` counts back from ``as_of`` (a date such as 2025-06-30, to be given with it: the same
    experiment gives the same result next year); a later date is not too old.  ``sources``
    are the allowed values of ``source_field``, in any case and width of letters; ``required`` fields must be there and
    not be blank.  Dates such as 01/05/2024 are read in the order of ``day_order``, by default as the field's other
    dates show.
    ``missing`` says what happens where a date or source is missing, ``unreadable`` if a date cannot be read.
    """

    label = Said("Metadata")
    about = Said("Removes texts that are too old, from other sources, or incomplete.")

    max_age_days: int | None = knob(None, Said("Not older than, days"), Said("Empty: any age."), low=0, high=36525)
    as_of: str = knob(
        "",
        Said("Reference date"),
        Said("With a fixed date, the same experiment gives the same result next year."),
        kind="date",
    )
    sources: tuple[str, ...] = knob((), Said("Allowed sources"), Said("None chosen: all are used."), kind="words")
    required: tuple[str, ...] = knob(
        (), Said("Required fields"), Said("Removes texts without one of them."), kind="words"
    )
    missing: str = knob(
        "keep",
        Said("If date or source is missing"),
        Said("What happens if a date or a source is missing."),
        choices=POLICIES,
    )
    unreadable: str = knob(
        "keep", Said("Invalid dates"), Said("What happens if a date cannot be read."), choices=POLICIES
    )
    day_order: str = DAY_ORDER()
    date_field: str = knob("date", Said("Field of the date"), Said("Name of the metadata field."))
    source_field: str = knob("source", Said("Field of the source"), Said("Name of the metadata field."))

    def __post_init__(self) -> None:
        super().__post_init__()
        stripped(self, "sources", "required")
        if self.max_age_days is not None and (read_date(self.as_of) is None or has_two_readings(self.as_of)):
            open_ = Said("as_of is “{value}”, but a maximum age needs a date to count from.", value=self.as_of)
            raise ParameterError(open_, Said("Write it as 2025-06-30."))

    @property
    def parsed(self) -> Condition | None:
        tests = [Test(name, MISSING, (), negated=True) for name in self.required]
        if self.sources:
            tests.append(Test(self.source_field, IN, self.sources))
        if self.max_age_days is not None:
            tests.append(Test(self.date_field, AGE, (self.as_of, self.max_age_days)))
        return All(tuple(tests)) if tests else None

    def verdict(self, test: Test, reading: FieldReading, metadata: Mapping[str, Value]) -> Verdict:
        verdict = _verdict(test, reading, metadata)
        if verdict.holds is not None:
            return verdict
        there = any(elements(metadata.get(reading.name)))
        return Verdict((self.unreadable if there else self.missing) == "keep", verdict.reason)


def _whole(condition: Condition, truths: Mapping[Test, Any]) -> Any:
    """Returns whether a condition holds by Kleene's logic: one truth value, or one for each passage."""
    if isinstance(condition, Test):
        return truths[condition]
    join = np.maximum if isinstance(condition, AnyOf) else np.minimum
    return join.reduce([_whole(part, truths) for part in children(condition)])


# ---------------------------------------------------------------------------------------- one comparison


def _verdict(test: Test, reading: FieldReading, metadata: Mapping[str, Value]) -> Verdict:
    values = list(elements(metadata.get(reading.name)))
    told: dict[str, object] = {"field": reading.name, "value": _shown(values)}
    if test.op == MISSING:
        if bool(values) == test.negated:
            return Verdict(True)
        there = N_("The field “{field}” has a value: “{value}”.")
        return Verdict(False, Said(there if values else N_("The field “{field}” is missing."), **told))
    if not values:
        return Verdict(None, Said("The field “{field}” is missing.", field=reading.name))
    if test.op == AGE:
        return _young_enough(test, reading, values)
    if test.op in (EQUAL, IN, CONTAINS):
        held = any(_equals(test, value, reading) for value in values)
        template = _WORDS[test.op, test.negated]
        return Verdict(
            held != test.negated, Said(template, **told, **dict.fromkeys(("wanted", "allowed"), [*test.values]))
        )
    return _ordered(test, reading, values)


_WORDS = {
    (EQUAL, False): N_("{field} is “{value}”, not “{wanted}”."),
    (EQUAL, True): N_("{field} is “{value}”."),
    (IN, False): N_("{field} is “{value}”; allowed: {allowed}."),
    (IN, True): N_("{field} is “{value}”; excluded: {wanted}."),
    (CONTAINS, False): N_("{field}, “{value}”, does not contain “{wanted}”."),
    (CONTAINS, True): N_("{field}, “{value}”, contains “{wanted}”."),
}
_LIMITS = {
    ">": (N_("{field} {value} is not above {limit}."), N_("{field} {value} is not after {limit}.")),
    ">=": (N_("{field} {value} is below {limit}."), N_("{field} {value} is before {limit}.")),
    "<": (N_("{field} {value} is not below {limit}."), N_("{field} {value} is not before {limit}.")),
    "<=": (N_("{field} {value} is above {limit}."), N_("{field} {value} is after {limit}.")),
}
"""Why a number, and a day, is not as compared."""
_BETWEEN = (
    N_("{field} {value} is not between {limit} and {high}."),
    N_("{field} {value} is between {limit} and {high}."),
)
_OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}


def _equals(test: Test, value: str | int | float | bool, reading: FieldReading) -> bool:
    """Returns whether a field value equals one of the comparison's values or, for “contains”, includes the first."""
    text = fold(str(value)).strip()
    if test.op == CONTAINS:
        return fold(test.values[0]).strip() in text
    return any(_same(value, text, wanted, reading) for wanted in test.values)


def _same(value: str | int | float | bool, text: str, wanted: str, reading: FieldReading) -> bool:
    if text == (word := fold(wanted).strip()):
        return True
    if isinstance(value, bool):
        return word in (_TRUE if value else _FALSE)
    if reading.kind == NUMBER:
        number, other = read_number(value, comma=reading.comma), read_number(wanted, comma=reading.comma)
        return number is not None and number == other and not _coded(text) and not _coded(word)
    if reading.kind == DAY:
        day, period = field_period(value, reading), field_period(wanted, reading)
        return day is not None and period is not None and period.first <= day.first <= period.last
    return False


def _coded(text: str) -> bool:
    """Returns whether digits are a code and not a quantity, such as 007."""
    return len(text) > 1 and text[0] == "0" and text[1].isdigit()


def _ordered(test: Test, reading: FieldReading, values: list[str | int | float | bool]) -> Verdict:
    """Compares numbers or days with one or two limits."""
    days = reading.kind == DAY and all(field_period(limit, reading) for limit in test.values)
    days = days or any(read_number(limit, comma=reading.comma) is None for limit in test.values)

    def read(value: Value) -> tuple[Any, Any] | None:
        """Returns the ends of a value: the first and last day, or twice the number."""
        if days:
            period = field_period(value, reading)
            return period and (period.first, period.last)
        number = read_number(value, comma=reading.comma)
        return None if number is None else (number, number)

    limits = [ends for limit in test.values if (ends := read(limit))]
    readable = [(value, ends[0]) for value in values if (ends := read(value))]
    name = {"field": reading.name}
    if not readable or len(limits) < len(test.values):
        unreadable = (
            N_("{field} is “{value}”, which is not a date.")
            if days
            else N_("{field} is “{value}”, which is not a number.")
        )
        return Verdict(None, Said(unreadable, **name, value=_shown(values)))
    fits = [(value, _fits(test.op, first, limits[0][0], limits[-1][1])) for value, first in readable]
    if any(fit for _value, fit in fits) != test.negated:
        return Verdict(True)
    shown = [_day_shown(value, reading) if days else _number_shown(value) for value, fit in fits if fit == test.negated]
    template = _BETWEEN[test.negated]
    if test.op != BETWEEN:
        template = _LIMITS[_OPPOSITE[test.op] if test.negated else test.op][days]
    low, high = (limit if days else _number_shown(limit) for limit in (test.values[0], test.values[-1]))
    return Verdict(False, Said(template, **name, value=shown, limit=low, high=high))


def _young_enough(test: Test, reading: FieldReading, values: list[str | int | float | bool]) -> Verdict:
    """Compares the age of the latest date with a limit; a month is as young as its last day."""
    today, limit = read_date(test.values[0]), test.values[1]
    dated = [(p.last, v, p) for v in values if (p := field_period(v, reading)) is not None and not is_year(p)]
    if not dated or today is None:
        return Verdict(
            None, Said("{field} is “{value}”, which is not a date.", field=reading.name, value=_shown(values))
        )
    last, value, period = max(dated, key=lambda each: each[0])
    age = (today - last).days
    shown = {"day": last.isoformat(), "age": age, "as_of": today.isoformat(), "limit": limit}
    if age <= limit:
        return Verdict(True)
    if not (has_two_readings(value) or reading.epoch or period.first != last):
        return Verdict(False, Said("Dated {day}; age on {as_of} in days: {age}, limit {limit}.", **shown))
    said = N_("Dated {value}, read as {day}; age on {as_of} in days: {age}, limit {limit}.")
    return Verdict(False, Said(said, value=str(value), **shown))


def _fits(op: str, value: Any, low: Any, high: Any) -> bool:
    """Returns whether a value is beyond the limits or within, as the comparison asks; one limit is both."""
    if op == BETWEEN:
        return bool(low <= value <= high)
    return ORDERED[op](value, high if op in (">", "<=") else low)


def _shown(values: list[str | int | float | bool]) -> str:
    return short(", ".join(str(value) for value in values), SHOWN)


def _number_shown(value: str | int | float | bool) -> str:
    """Returns a number with thousands separators; a number with a sign or mark is unchanged."""
    number = read_number(value)
    if number is None or (isinstance(value, str) and not value.strip().replace(",", "").isdigit()):
        return str(value)
    return f"{value:,}" if isinstance(value, int | float) else f"{int(number):,}"


def _day_shown(value: str | int | float | bool, reading: FieldReading) -> str:
    """Returns a day as written; an ambiguous one, and one that is counted, with its reading added."""
    period = field_period(value, reading)
    if period is None or not (reading.epoch or has_two_readings(value)):
        return str(value)[:SHOWN]
    return f"{value} ({period.first.isoformat()})"
