"""What columns measure: whether a number with a unit can be said of one, and what it is in the unit that is stored."""

from __future__ import annotations

from collections.abc import Mapping, Set

from lab.text2sql.facts import Quantity
from lab.text2sql.forms import cut, is_han
from lab.text2sql.hints import converted, words_of
from lab.text2sql.lexicon import word_lists, words_in
from lab.text2sql.numbers import measure_of
from lab.text2sql.schema import Column

_OF_SEVERAL = ("hours", "days", "weeks", "seconds", "weight t", "mile", "speed", "speed mph", "temperature f")

_MEASURED: Mapping[str, Set[str]] = {
    unit: {*words_in(tags)} for tags, units in word_lists()["measured"].items() for unit in words_in(units)
}
"""What a column has to be about that a number with such a unit is said of."""
_KINDS = frozenset().union(*_MEASURED.values(), {"age", "birth", "rating", "percent", "experience", "speed", "floor"})


def fits_tags(c: Column, said: str) -> bool:
    """Whether a column without a unit is known by its name to measure that."""
    named = {*c.tags, *words_of(c.name), *(cut(c.name) if is_han(c.name) else ())}
    return not named.isdisjoint(words_in(word_lists()["known by"].get(said, "")))


def in_units(c: Column, q: Quantity, rows: int = 1) -> tuple[list[float], float] | None:
    """The values of a quantity in the unit of a column, or of a sum of ``rows``, and how far-fetched that is.

    None where they measure something else.
    """
    high = (c.high if isinstance(c.high, (int, float)) else 0) * rows
    if not q.unit:  # under 20 million, of a column in millions
        scale = c.unit[1]
        beyond = scale > 1 and min(q.values) > (10 * high if rows == 1 else high) and high >= min(q.values) / scale
        return [v / scale if beyond else v for v in q.values], 0.0
    said, own = measure_of(q.unit), measure_of(c.hint.unit)
    if not own and said in _MEASURED and c.tags & _KINDS and c.tags.isdisjoint(_MEASURED[said]):
        return None  # square metres of a rent
    if own in ("", said):
        # what the column counts is not known: 2 hours may be 2 or 120; 15 % of salary
        unlike = said in _OF_SEVERAL or (said == "age" and not c.name.endswith("龄"))
        if not own and ((unlike and "age" not in c.tags) or (said == "percent" and high > 100)):
            return None
        scale = 100 if said == "percent" and not own and 0 < high <= 1 else c.unit[1]  # 10 % is 0.1 where 1 is all
        return [round(v / scale, 9) for v in q.values], 0.0 if own else 0.05 if fits_tags(c, said) else 0.3
    if values := [v for n in q.values if (v := converted(n, said, own)) is not None]:
        return values, 0.0
    alike = {own, said} <= {"years", "age"} or (said == "piece" and own not in ("money", "points"))
    return (list(q.values), 0.2) if alike else None
