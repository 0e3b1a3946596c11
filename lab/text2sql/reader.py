"""The reader that the grammar is written on: every phrase is a function from a place to all that it can be there.

A parser of one piece maps a place to ``(end, value, cost)`` triples; the name of a role stands for any word that has
it, and gives no value.  `seq` puts pieces one behind the other, passing over blanks and words without weight between
them; `opt`, `either` and `many` are what they are in any grammar.  `ways` makes a phrase of a table: the parts of each
way to say it, and what their values give.
Nothing is consumed and nothing is marked: two readings of the same words stand side by side until the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from typing import Any

from lab.text2sql.forms import HEAD, SYNONYM
from lab.text2sql.link import cheapest
from lab.text2sql.linking import Links
from lab.text2sql.schema import Column
from lab.text2sql.tree import Ref

Found = tuple[int, Any, float]
Finds = Iterator[Found]
Parser = Callable[[int], list[Found]]
Piece = Parser | str
Way = tuple[tuple[Piece, ...], Callable[..., Any]] | tuple[tuple[Piece, ...], Callable[..., Any], float]

PASSED = 0.03
"""What it costs to pass over one word without weight."""
_SILENT = object()
"""The value of a piece that gives none."""
_MOST = 3
"""Words without weight that one gap of a phrase may hold."""


def ways(make: Callable[[Any], Iterable[Way]]) -> Callable[[Any, int], list[Found]]:
    """A phrase by the ways to say it: the parts of each, what their values give (if anything), what it costs more."""

    @wraps(make)
    def found(reader: Reader, at: int) -> list[Found]:
        if make.__name__ not in reader.ways:
            reader.ways[make.__name__] = list(make(reader))
        return [
            (end, given, sum(more, cost))
            for parts, give, *more in reader.ways[make.__name__]
            for end, values, cost in reader.seq(at, *parts)
            if (given := give(*values))
        ]

    return found


def remembered(make: Callable[[Any, int], Iterable[Found]]) -> Callable[[Any, int], list[Found]]:
    """A phrase that is looked for once at a place; what gives nothing is not found, nor a phrase inside of itself."""

    def found(reader: Reader, at: int) -> list[Found]:
        key = (make.__name__, at)
        if key not in reader.memory:
            reader.memory[key] = []
            reader.memory[key] = _cheapest((f for f in make(reader, at) if f[1]), most=40)
        return reader.memory[key]

    return found


class Reader:
    """The parsers of single pieces over the links of one question, and what puts them together."""

    def __init__(self, links: Links) -> None:
        self.links, self.language, self.text = links, links.language, links.folded
        self.vocabulary, self.schema = links.vocabulary, links.vocabulary.schema
        self.ways: dict[str, list[Way]] = {}
        self.memory: dict[tuple[str, int], list[Found]] = {}
        # what a link of that kind is: values and columns are tuples of (Value or Ref, cost)
        self.number, self.date, self.quote = (partial(self._kind, kind) for kind in ("number", "date", "quote"))
        self.value, self.column, self.cue = (partial(self._kind, kind) for kind in ("value", "column", "cue"))
        self.table, self.table_cue = (partial(self._kind, kind) for kind in ("table", "table cue"))
        self.negative, self.numeric = partial(self._kind, "negative"), self.columns("number")

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

    def behind(self, kind: str, at: int) -> bool:
        """Whether something of a kind ends at a place."""
        return any(x.end == at and x.kind == kind for i in range(max(0, at - 8), at) for x in self.links.links(i))

    def matched(self, pattern: str) -> Parser:
        """What a pattern matches: whether with its group."""
        known = re.compile(pattern)
        return lambda at: [(m.end(), m.lastindex is not None, 0.05) for m in [known.match(self.text, at)] if m]

    def stands(self, part: Piece, at: int) -> bool:
        """Whether a part stands at a place, or behind blanks."""
        return bool(self.either(part)(self.links.skip(at)))

    def seq(self, at: int, *parts: Piece, tight: bool = False) -> Iterator[tuple[int, tuple[Any, ...], float]]:
        """All ways to find the parts one behind the other; ``tight`` allows no words between them."""
        first, *others = parts
        for end, value, cost in (self.either(first) if isinstance(first, str) else first)(at):
            mine = () if value is _SILENT else (value,)
            if not others:
                yield end, mine, cost
                continue
            places = [(self.links.skip(end), 0.0)] if tight or end == at else self.gaps(end)
            for place, passed in places:
                for last, values, more in self.seq(place, *others, tight=tight):
                    # a part that is not there must not swallow the words before it
                    stop, price = (last, passed) if last != place else (end if passed else last, 0.0)
                    yield stop, (*mine, *values), cost + more + price

    def opt(self, *parts: Piece) -> Parser:
        """One of the parts, or nothing (None)."""
        piece, absent = self.either(*parts), _SILENT if isinstance(parts[0], str) else None
        return lambda at: [*piece(at), (at, absent, 0.0)]

    def either(self, *parts: Piece) -> Parser:
        """One of the parts: all of them roles, or none."""
        roles, pieces = [p for p in parts if isinstance(p, str)], [p for p in parts if not isinstance(p, str)]
        if roles:
            word = self.word(*roles)
            return lambda at: [(end, _SILENT, cost) for end, _, cost in word(at)]
        return pieces[0] if len(pieces) == 1 else lambda at: [found for piece in pieces for found in piece(at)]

    @staticmethod
    def only(part: Parser, fits: Callable[[Any], object]) -> Parser:
        """What is found of a part and has a value that fits."""
        return lambda at: [f for f in part(at) if fits(f[1])]

    def many(self, part: Piece, joint: Piece, *, most: int = 8) -> Parser:
        """The part, several times, with joints between: (end, ((values), (joints)), cost)."""
        piece, between = self.either(part), self.either(joint)

        def run(at: int) -> list[Found]:
            out: list[Found] = []
            front: list[Found] = [(end, ((v,), ()), cost) for end, v, cost in piece(at)]
            for _ in range(most):
                out += front
                front = _cheapest(
                    (last, ((*values, v), (*joints, j)), cost + passed + j_cost + more + c)
                    for end, (values, joints), cost in front
                    for place, passed in self.gaps(end, most=1)
                    for j_end, j, j_cost in between(place)
                    for after, more in self.gaps(j_end, most=2)
                    for last, v, c in piece(after)
                )
            return out

        return run

    def word(self, *roles: str) -> Parser:
        """A word with one of these roles: its role and arguments."""
        return lambda at: [(x.end, x.of, x.cost) for x in self.links.links(at) if x.kind == "word" and x.of[0] in roles]

    def _kind(self, kind: str, at: int) -> list[Found]:
        return [(x.end, x.of, x.cost) for x in self.links.links(at) if x.kind == kind]

    def columns(self, *kinds: str, keys: bool = True) -> Parser:
        """Columns of these kinds that are named: ((Ref, cost), ...)."""
        return lambda at: self.fitting(
            self.column(at), lambda c: (not kinds or c.kind in kinds) and (keys or not c.is_key)
        )

    def cued(self, *kinds: str) -> Parser:
        """Columns of these kinds that a word of theirs points to, as in a hint: costing, asking for."""
        return lambda at: self.fitting(
            [f for f in self.cue(at) if f[2] <= SYNONYM + HEAD + 0.2], lambda c: c.kind in kinds and not c.is_key
        )

    def dated(self, at: int) -> list[Found]:
        """Columns of days or years, named or pointed to."""
        return self.fitting([*self.column(at), *self.cue(at)], is_dated)

    def fitting(self, found: list[Found], fits: Callable[[Column], bool]) -> list[Found]:
        """What was found, with those of its columns that fit."""
        kept = [(end, tuple((r, c) for r, c in refs if fits(self.column_of(r))), cost) for end, refs, cost in found]
        return [f for f in kept if f[1]]


def is_dated(column: Column) -> bool:
    return column.kind == "date" or column.is_year


def _cheapest(found: Iterable[Found], *, most: int = 24) -> list[Found]:
    """Each (end, value) once, the cheapest first."""
    return cheapest(found, lambda f: f[:2], lambda f: (f[2], -f[0]))[:most]
