"""What a visitor has tried on a page, as a value: `Tries.record` adds a search that differs from the last one."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, replace

MEASURE = "nDCG@10"
MOST = 60
"""Tries of a page that are kept for the visit."""
SETTLED = 3.0
"""Seconds within which a further change of the same parameter replaces a try: a slider that is dragged is one try."""
_FRAME, _OTHER = ("corpus", "embedder"), ("tries", "fold", "lesson")


@dataclass(frozen=True)
class Try:
    """One try: the corpus, the question, the searches as expressions, and the parameters that restore them.

    ``values`` has the measure of each search, or nothing for a question without judgments; ``questions`` is the number
    of questions of which it is the mean, 0 for the one question.  ``origin`` is the number of the try that it changed,
    0 for the first one.
    """

    corpus: str
    question: str
    searches: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...] = ()
    at: float = 0.0
    values: tuple[float, ...] = ()
    measure: str = MEASURE
    questions: int = 0
    number: int = 0
    origin: int = 0
    portable: bool = True

    @property
    def about(self) -> Hashable:
        """Corpus, question and searches: two tries that agree in these are the same."""
        return self.corpus, self.question, self.questions, self.searches

    @property
    def scale(self) -> Hashable:
        """Corpus, question and measure: only values that agree in these are compared."""
        return self.corpus, self.question, self.questions, self.measure

    def moved_from(self, other: Try) -> set[str]:
        """The parameters that differ; the empty one stands for corpus and question."""
        now, before = dict(self.parameters), dict(other.parameters)
        keys = {key for key in {*now, *before} if now.get(key) != before.get(key)}
        return keys | ({""} if (self.corpus, self.question) != (other.corpus, other.question) else set())


@dataclass(frozen=True)
class Tries:
    """The tries of a page, the oldest first, and the number of the one on the screen.

    ``settled`` says that it was drawn again without a change: the visitor has worked with it.
    """

    entries: tuple[Try, ...] = ()
    current: int = 0
    settled: bool = True

    def find(self, number: int) -> Try | None:
        return next((x for x in self.entries if x.number == number), None)

    def origin(self, x: Try) -> Try | None:
        """Returns the try that this one changed, or the one before it if that was dropped; None for the first."""
        before = [other for other in self.entries if other.number < x.number]
        return next((other for other in before if other.number == x.origin), before[-1] if before else None)

    def baseline(self, x: Try) -> Try:
        """Returns the try that this one is compared with: the first of its scale."""
        return next((other for other in self.entries if other.scale == x.scale), x)

    def record(self, new: Try, *, began: float | None = None) -> Tries:
        """Adds a try; a repeated one is not listed twice.

        A change of the same single parameter within `SETTLED` seconds replaces the try before, unless the visitor has
        worked with it.  ``began`` is when the change was made: its search may have taken long.
        """
        began = new.at if began is None else began
        now = self.find(self.current)
        if now is not None and now.about == new.about:
            return replace(self._with(_measured(now, new)), settled=True)
        passing = now if now is not None and self._passing(now, new, began) else None
        left = tuple(x for x in self.entries if x is not passing)
        known = next((x for x in left if x.about == new.about), None)
        if known is not None:
            return Tries(left, known.number)._with(_measured(known, new))
        if passing is not None:
            new = replace(new, number=passing.number, origin=passing.origin)
        else:
            last = max((x.number for x in left), default=0)
            new = replace(new, number=last + 1, origin=self.current)
        return Tries((*left, new), new.number, settled=False)._bounded()

    def _passing(self, now: Try, new: Try, began: float) -> bool:
        """Returns whether the newest try was only passed on the way to this one."""
        origin = self.find(now.origin)
        if origin is None or self.settled or now is not self.entries[-1]:
            return False
        moved, further = now.moved_from(origin), new.moved_from(origin)
        return len(moved) == 1 and "" not in moved and further <= moved and began - now.at <= SETTLED

    def _bounded(self) -> Tries:
        """Drops the oldest try but the first, which is the baseline, if there are more than `MOST`."""
        return replace(self, entries=self.entries[:1] + self.entries[1:][1 - MOST :])

    def _with(self, changed: Try) -> Tries:
        return replace(self, entries=tuple(changed if x.number == changed.number else x for x in self.entries))


def _measured(x: Try, new: Try) -> Try:
    """Returns a try with the values of another run: judgments may have changed."""
    return replace(x, values=new.values, measure=new.measure)


def is_parameter(page: str, key: str) -> bool:
    """Returns whether a parameter of an address is restored by a try."""
    if key in _FRAME:
        return True
    name, _dot, rest = key.partition(".")
    return name == page and bool(re.match(r"\w", rest)) and rest.partition(".")[0] not in _OTHER
