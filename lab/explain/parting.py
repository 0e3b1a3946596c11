"""Where two lists part: the first step of a search after which its list differs for good from another one.

The other list may come from anywhere, from a search engine outside the lab for instance: only its result is known.
A step is to blame for a document if it has put it among the first results, or out of them, and no later step has undone
that; of all steps to blame for a difference, the first is where the lists part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from lab.algebra import Ranking
from lab.text import cut
from lab.words import Said

NAMED = 3
"""Maximum number of documents in the sentences of each kind."""
SHOWN = 40
"""Maximum columns of a title."""


def steps_of(ranking: Ranking) -> tuple[Ranking, ...]:
    """Returns the lists of a search step by step, from the first list, or the fusion of several, to the last.

    It begins after the step that made documents of another corpus, as when parents replace their chunks.
    """
    steps = [ranking]
    while len(steps[-1].parents) == 1 and steps[-1].parents[0].corpus is ranking.corpus:
        steps.append(steps[-1].parents[0])
    return tuple(reversed(steps))


@dataclass(frozen=True)
class Parting:
    """A list (``other``, under a name) against the steps of a search, among the first ``k`` results of both."""

    name: str
    other: Ranking
    steps: tuple[Ranking, ...]
    k: int

    @staticmethod
    def between(other: Ranking, ranking: Ranking, k: int, name: str) -> Parting:
        """Compares as many first results as both lists have, at most ``k``."""
        return Parting(name, other, steps_of(ranking), min(k, len(other), len(ranking)))

    @cached_property
    def blamed(self) -> dict[str, int]:
        """The number of the step to blame, for every document that only one of the two lists has among the first."""
        theirs = set(self.other.ids[: self.k])
        firsts = [set(step.ids[: self.k]) for step in self.steps]
        return {i: _since([i in first for first in firsts]) for i in sorted(theirs ^ firsts[-1])}

    @cached_property
    def swapped(self) -> tuple[str, str] | None:
        """The first two documents in another order, if both lists have the same first ones; else None."""
        theirs, ours = self.other.ids[: self.k], self.steps[-1].ids[: self.k]
        if self.blamed:
            return None
        return next(((a, b) for a, b in zip(theirs, ours, strict=True) if a != b), None)

    @cached_property
    def at(self) -> int | None:
        """The number of the step where the lists part; None if the first results are the same in the same order."""
        if self.blamed:
            return min(self.blamed.values())
        if self.swapped is None:
            return None
        before, behind = self.swapped
        return _since([_rank(step, behind) < _rank(step, before) for step in self.steps])

    def sentences(self) -> tuple[Said, ...]:
        """Returns the step where the lists part, and a sentence per document that it concerns; none if they are equal.

        At most `NAMED` documents that the step keeps from the first results are named, and as many that it puts there.
        """
        if self.at is None:
            return ()
        step = self.steps[self.at]
        values = {"k": self.k, "name": self.name, "step": step.made_by.label}
        head = Said("Among the first {k}, this list and {name} differ from this step on: {step}.", **values)
        return (head, *self._about(step))

    def _about(self, step: Ranking) -> Iterator[Said]:
        if self.swapped is not None:
            titles = {"a": self._title(self.swapped[0]), "b": self._title(self.swapped[1])}
            yield Said("{name} ranks “{a}” before “{b}”; here it is behind it.", name=self.name, **titles)
            return
        concerned = [i for i, at in self.blamed.items() if at == self.at]
        theirs = sorted((i for i in concerned if _rank(self.other, i) <= self.k), key=lambda i: _rank(self.other, i))
        ours = sorted((i for i in concerned if i not in theirs), key=lambda i: _rank(step, i))
        yield from (self._lost(i, step) for i in theirs[:NAMED])
        yield from (self._gained(i, step) for i in ours[:NAMED])
        if left := max(0, len(theirs) - NAMED) + max(0, len(ours) - NAMED):
            yield Said("Further documents of this step: {n}.", n=left)

    def _lost(self, i: str, step: Ranking) -> Said:
        """Says where a document of the other list is at this step."""
        values = {"title": self._title(i), "name": self.name, "rank": self.other.rank(i)}
        if rank := step.rank(i):
            return Said("“{title}”, rank {rank} in {name}, has rank {there} here.", there=rank, **values)
        if drop := step.drop(i):
            return Said("“{title}”, rank {rank} in {name}, is removed: {reason}", reason=drop.reason, **values)
        return Said("“{title}”, rank {rank} in {name}, is not in the list.", **values)

    def _gained(self, i: str, step: Ranking) -> Said:
        """Says where a document that this step puts among the first is in the other list."""
        values = {"title": self._title(i), "name": self.name, "there": step.rank(i)}
        if rank := self.other.rank(i):
            return Said("“{title}” has rank {there} here, and rank {rank} in {name}.", rank=rank, **values)
        return Said("“{title}” has rank {there} here, and {name} does not list it.", **values)

    def _title(self, i: str) -> str:
        hit = next(hit for ranking in (self.other, self.steps[-1]) if (hit := ranking.hit(i)))
        return cut(hit.document.label, SHOWN)


def _since(holds: Sequence[bool]) -> int:
    """Returns the number of the step from which the last value holds until the end."""
    return len(holds) - next((n for n, value in enumerate(reversed(holds)) if value != holds[-1]), len(holds))


def _rank(ranking: Ranking, i: str) -> float:
    return ranking.rank(i) or float("inf")
