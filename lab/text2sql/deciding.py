"""What to do with the readings of a question: run one, ask back between two or three, or name what is not understood.

A reading runs only if every weighty word is accounted for, and if what is about as likely gives the same rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lab.errors import LabError
from lab.text2sql.reading import Read
from lab.text2sql.tree import Select

MOST = 3
"""Readings that are offered when the lab asks back."""

Rows = Callable[[Select], Sequence[tuple[object, ...]]]


@dataclass(frozen=True)
class Decision:
    """The tree that runs, or the trees that are asked about, or the words that are missing; exactly one of them."""

    select: Select | None = None
    choices: tuple[Select, ...] = ()
    unknown: tuple[str, ...] = ()


def decide(read: Read, rows: Rows) -> Decision:
    """The decision; ``rows`` runs a tree (and may raise `LabError`)."""
    if read.best is None:
        return Decision(unknown=read.unknown)
    choices: list[tuple[Select, object]] = []
    for reading in (read.best, *read.rivals):
        if choices and _same_question(choices[0][0], reading.select):
            continue
        try:
            found = Counter(rows(_rows_of(reading.select)))
        except LabError:
            if not choices:
                return Decision(unknown=read.unknown)
            continue
        if all(found != other for _, other in choices):
            choices.append((reading.select, found))
    if len(choices) == 1:
        return Decision(_most_shown(choices[0][0], read))
    return Decision(choices=tuple(s for s, _ in choices[:MOST]))


def _most_shown(best: Select, read: Read) -> Select:
    """Of readings of the same rows, the one that shows all that the best one does, and more."""
    for r in read.rivals:
        more = r.select.show[: len(best.show)] == best.show and len(r.select.show) > len(best.show) > 0
        if more and _same_question(best, r.select):
            best = r.select
    return best


def _rows_of(s: Select) -> Select:
    """What is compared of two trees: of rows, which ones they are, whatever is shown of them."""
    return replace(s, show=()) if s.plain and not s.distinct else s


def _same_question(a: Select, b: Select) -> bool:
    """Whether two trees give the same rows and only show other columns of them."""
    return a.plain and b.plain and not a.distinct and not b.distinct and replace(a, show=()) == replace(b, show=())
