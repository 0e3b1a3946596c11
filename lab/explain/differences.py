"""What differs between two searches, in sentences computed from their values: “BM25: k1 1.5 against 0.9.”"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import reduce
from typing import Any, NamedTuple

from lab import catalog
from lab.algebra import Operator, Pipeline, Searcher
from lab.words import N_, Said

_ONLY = N_("{what} only in the first."), N_("{what} only in the second.")
_REPLACED = N_("{where}{a} against {b}.")


class _Only(NamedTuple):
    """A part that only the first (0) or the second (1) search has."""

    which: int
    what: Said


class Moved(NamedTuple):
    """A parameter of a part that both searches have, in words, and its value in each."""

    what: Said
    first: str
    second: str


Difference = Said | _Only | Moved
"""One difference; a `Said` is neither about a parameter nor about a part that one search lacks."""


def differences(first: Searcher, second: Searcher) -> tuple[Said, ...]:
    """Returns one sentence per difference, in the order of a search's steps; none for the same search.

    Parts of the same class are compared parameter by parameter, and a changed order of the same parts is reported.  The
    parts that only one search has come last, in one sentence.
    """
    items = list(_searches(first, second, Said()))
    sentences = [x if isinstance(x, Said) else _against(x) for x in items if not isinstance(x, _Only)]
    for which, template in enumerate(_ONLY):
        parts = [x.what for x in items if isinstance(x, _Only) and x.which == which]
        if parts:
            sentences.append(Said(template, what=enumerated(parts)))
    return tuple(sentences)


def moved(first: Searcher, second: Searcher) -> tuple[Moved, ...] | None:
    """Returns every parameter that differs in the second search; None if the searches differ in more than that."""
    items = list(_searches(first, second, Said()))
    knobs = tuple(x for x in items if isinstance(x, Moved))
    return knobs if len(knobs) == len(items) else None


def changes(before: Searcher, after: Searcher) -> tuple[Said, ...]:
    """Returns a phrase per difference, as a change: “BM25 · k₁: 1.5 → 0.9”, “with MMR”; none for the same search."""
    phrases = list[Said]()
    for x in _searches(before, after, Said()):
        if isinstance(x, Moved):
            phrases.append(Said("{what}: {a} → {b}", what=x.what, a=x.first, b=x.second))
        elif isinstance(x, _Only):
            phrases.append(Said("with {name}", name=x.what) if x.which else Said("without {name}", name=x.what))
        else:
            phrases.append(Said("{where}{a} → {b}", **x.values) if x.template == _REPLACED else x)
    return tuple(phrases)


def _against(knob: Moved) -> Said:
    return Said("{what}: {a} against {b}.", what=knob.what, a=knob.first, b=knob.second)


def _searches(a: Any, b: Any, where: str) -> Iterator[Difference]:
    if isinstance(a, Pipeline) != isinstance(b, Pipeline):  # a list, and a list with stages behind it
        a, b = (x if isinstance(x, Pipeline) else Pipeline((x,)) for x in (a, b))
    if isinstance(a, Pipeline) and isinstance(b, Pipeline):
        yield from _rows(a.derive, b.derive, where)
        yield from _optional(a.rewrite, b.rewrite, where)
        yield from _rows(a.retrieve, b.retrieve, where)
        if a.rewrite and b.rewrite:
            yield from _optional(a.merging, b.merging, where)
        yield from _optional(a.fuse, b.fuse, where)
        yield from _rows(a.refine, b.refine, where)
        if a.asks != b.asks:
            yield Moved(Said("{where}Results per list", where=where), str(a.asks), str(b.asks))
    elif type(a) is type(b):
        yield from _knobs(a, b, Said("{where}{name}", where=where, name=_part_name(a)))
    else:
        yield Said(_REPLACED, where=where, a=_part_name(a), b=_part_name(b))


def _optional(a: Any, b: Any, where: str) -> Iterator[Difference]:
    if a is None or b is None:
        yield from (_Only(i, Said("{where}{name}", where=where, name=_part_name(x))) for i, x in enumerate((a, b)) if x)
    elif a != b:
        yield from _searches(a, b, where)


def _rows(a: Sequence[Any], b: Sequence[Any], where: str) -> Iterator[Difference]:
    """Compares two sequences of parts: parts with the same name in the same order are the same part."""
    first_kinds, second_kinds = ([_kind(x) for x in row] for row in (a, b))
    if first_kinds != second_kinds and Counter(first_kinds) == Counter(second_kinds):
        names = [Said("{where}{names}", where=where, names=enumerated([_part_name(x) for x in row])) for row in (a, b)]
        yield Said("Different order: {a} against {b}.", a=names[0], b=names[1])
        left = list(b)
        pairs = [(x, left.pop([_kind(y) for y in left].index(_kind(x)))) for x in a]
    else:
        pairs = []
        for op, i, j, k, m in SequenceMatcher(None, first_kinds, second_kinds, autojunk=False).get_opcodes():
            if op == "equal":
                pairs += zip(a[i:j], b[k:m], strict=True)
                continue
            for n, row in enumerate((a[i:j], b[k:m])):
                for part in row:
                    yield _Only(n, Said("{where}{name}", where=where, name=_part_name(part)))
    twice = Counter(first_kinds) | Counter(second_kinds)
    for n, (x, y) in enumerate(pairs, 1):
        place = where if twice[_kind(x)] < 2 else Said("{where}{n}. ", where=where, n=n)
        if isinstance(x, Pipeline) or isinstance(y, Pipeline):  # the reader must know which list its stages belong to
            place = Said(
                "{where}{name}: ", where=place, name=_part_name(x.retrieve[0] if isinstance(x, Pipeline) else x)
            )
        yield from _searches(x, y, place)


def _knobs(a: Any, b: Any, head: str) -> Iterator[Difference]:
    """Compares the fields of two parts, named by the labels of their parameters."""
    for f in dataclasses.fields(a):
        x, y = getattr(a, f.name), getattr(b, f.name)
        if x == y:
            continue
        what = Said("{part} · {knob}", part=head, knob=f.metadata.get("label") or f.name)
        if isinstance(x, Searcher) and isinstance(y, Searcher):
            yield from _searches(x, y, Said("{what}: ", what=what))
        elif _plain_specification(x) and type(x) is type(y):
            yield from _knobs(x, y, what)
        else:
            yield Moved(what, _value(f, x), _value(f, y))


def _plain_specification(x: Any) -> bool:
    return dataclasses.is_dataclass(x) and not isinstance(x, type) and not hasattr(x, "named")


def _kind(part: Any) -> str:
    return "+".join(_kind(x) for x in part.retrieve) if isinstance(part, Pipeline) else type(part).__name__


def _part_name(part: Any) -> str:
    """Returns the name of a part; the label of a list that has its own stages."""
    if isinstance(part, Pipeline) or not isinstance(part, Operator):
        return getattr(part, "label", Said(type(part).__name__))
    return catalog.title(type(part))


def _value(f: dataclasses.Field[Any], value: Any) -> str:
    """Returns a value in words, as the choices of its parameter are called."""
    if value is None:
        return Said("none")
    if isinstance(value, bool):
        return Said("on") if value else Said("off")
    if isinstance(value, str):
        return f.metadata.get("called", {}).get(value, value) or Said("none")
    if isinstance(value, int | float):
        return f"{value:.6g}"
    if isinstance(value, tuple | frozenset):
        return enumerated([_value(f, x) for x in (sorted(value) if isinstance(value, frozenset) else value)])
    return getattr(value, "label", None) or catalog.written(value)


def enumerated(words: Sequence[str]) -> str:
    """Joins words by commas, each in the reader's language."""
    if not words:
        return Said("none")
    return reduce(lambda text, word: Said("{first}, {then}", first=text, then=word), words)
