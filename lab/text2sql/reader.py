"""The reader that the grammar is written on: every phrase is a function from a place to all that it can be there.

A parser of one piece maps a place to ``(end, value, cost)`` triples; `seq` puts pieces one behind the other, passing
over blanks and words without weight between them; `opt`, `either` and `many` are what they are in any grammar.
Nothing is consumed and nothing is marked: two readings of the same words stand side by side until the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from lab.text2sql.linking import Links, cheapest
from lab.text2sql.naming import Vocabulary
from lab.text2sql.numbers import Number
from lab.text2sql.schema import Column, Schema
from lab.text2sql.tree import Ref

Found = tuple[int, Any, float]
Parser = Callable[[int], list[Found]]

PASSED = 0.03
"""What it costs to pass over one word without weight."""
_MOST = 3
"""Words without weight that one gap of a phrase may hold."""


def remembered(make: Callable[[Any, int], Iterator[Found]]) -> Callable[[Any, int], list[Found]]:
    """A phrase whose finds at a place are looked for once; a phrase inside of itself finds nothing."""

    def found(reader: Reader, at: int) -> list[Found]:
        key = (make.__name__, at)
        if key not in reader.remembered:
            reader.remembered[key] = []
            reader.remembered[key] = _cheapest(list(make(reader, at)), most=40)
        return reader.remembered[key]

    return found


class Reader:
    """The parsers of single pieces over the links of one question, and what puts them together."""

    def __init__(self, links: Links) -> None:
        self.links, self.language, self.text = links, links.language, links.folded
        self.remembered: dict[tuple[str, int], list[Found]] = {}
        # what a link of that kind is: values and columns are tuples of (Value or Ref, cost)
        self.number, self.date, self.quote = (partial(self._kind, kind) for kind in ("number", "date", "quote"))
        self.value, self.column, self.cue = (partial(self._kind, kind) for kind in ("value", "column", "cue"))
        self.table, self.table_cue = (partial(self._kind, kind) for kind in ("table", "table cue"))
        self.negative = partial(self._kind, "negative")

    @property
    def vocabulary(self) -> Vocabulary:
        return self.links.vocabulary

    @property
    def schema(self) -> Schema:
        return self.links.vocabulary.schema

    def column_of(self, ref: Ref) -> Column:
        return self.schema.column(ref)

    def gaps(self, at: int, *, most: int = _MOST) -> list[tuple[int, float]]:
        """The places that can be reached by passing over blanks and words without weight."""
        here = self.links.skip(at)
        reached, front = {here: 0.0}, [here]
        for _ in range(most):
            beyond = []
            for place in front:
                for end, _role, cost in self.word("stop")(place):
                    place_after = self.links.skip(end)
                    price = reached[place] + PASSED + cost
                    if price < reached.get(place_after, 9.0):
                        reached[place_after] = price
                        beyond.append(place_after)
            front = beyond
        return list(reached.items())

    def seq(self, at: int, *parts: Parser, tight: bool = False) -> Iterator[tuple[int, tuple[Any, ...], float]]:
        """All ways to find the parts one behind the other; ``tight`` allows no words between them."""
        for end, value, cost in parts[0](at):
            if len(parts) == 1:
                yield end, (value,), cost
                continue
            places = [(self.links.skip(end), 0.0)] if tight or end == at else self.gaps(end)
            for place, passed in places:
                for last, values, more in self.seq(place, *parts[1:], tight=tight):
                    # a part that is not there must not swallow the words before it
                    yield (
                        (end if last == place and passed else last),
                        (value, *values),
                        cost + more + (0.0 if last == place else passed),
                    )

    def opt(self, part: Parser) -> Parser:
        """The part, or nothing (None)."""
        return lambda at: [*part(at), (at, None, 0.0)]

    def either(self, *parts: Parser) -> Parser:
        return lambda at: [found for part in parts for found in part(at)]

    def many(self, part: Parser, joint: Parser, *, most: int = 8) -> Parser:
        """The part, several times, with joints between: (end, ((values), (joints)), cost)."""

        def run(at: int) -> list[Found]:
            out: list[Found] = []
            front: list[Found] = [(end, ((v,), ()), cost) for end, v, cost in part(at)]
            for _ in range(most):
                out += front
                beyond: list[Found] = []
                for end, (values, joints), cost in front:
                    for place, passed in self.gaps(end, most=1):
                        for j_end, j, j_cost in joint(place):
                            for after, more in self.gaps(j_end, most=2):
                                for last, v, c in part(after):
                                    price = cost + passed + j_cost + more + c
                                    beyond.append((last, ((*values, v), (*joints, j)), price))
                front = _cheapest(beyond)
                if not front:
                    break
            return out

        return run

    def word(self, *roles: str) -> Parser:
        """A word with one of these roles: its role and arguments."""
        return partial(self._word, roles)

    def _word(self, roles: tuple[str, ...], at: int) -> list[Found]:
        return [(x.end, x.of, x.cost) for x in self.links.links(at) if x.kind == "word" and x.of[0] in roles]

    def _kind(self, kind: str, at: int) -> list[Found]:
        return [(x.end, x.of, x.cost) for x in self.links.links(at) if x.kind == kind]

    def columns(self, *kinds: str) -> Parser:
        """Columns of these kinds that are named: ((Ref, cost), ...)."""
        return lambda at: self.fitting(self.column(at), lambda c: not kinds or c.kind in kinds)

    def numeric(self, at: int) -> list[Found]:
        """Columns of numbers."""
        return self.columns("number")(at)

    def dated(self, at: int) -> list[Found]:
        """Columns of days or years, named or pointed to."""
        return self.fitting([*self.column(at), *self.cue(at)], is_dated)

    def fitting(self, found: list[Found], fits: Callable[[Column], bool]) -> list[Found]:
        """What was found, with those of its columns that fit."""
        kept = [(end, tuple((r, c) for r, c in refs if fits(self.column_of(r))), cost) for end, refs, cost in found]
        return [f for f in kept if f[1]]


def is_dated(column: Column) -> bool:
    return column.kind == "date" or column.is_year


def as_count(number: Number) -> int | None:
    """A number as a number of things: whole, from 1 to 1000."""
    whole = number.value == int(number.value) and 0 < number.value <= 1000
    return int(number.value) if whole and number.scale == 1.0 else None


def _cheapest(found: list[Found], *, most: int = 24) -> list[Found]:
    """Each (end, value) once, the cheapest first."""
    return cheapest(found, lambda f: f[:2], lambda f: (f[2], -f[0]))[:most]
