"""What a visitor has tried on a page, as a value, and its place in a link.

`Tries.record` adds a search that differs from the last one; `written` packs the last of them into letters for a link,
`read` unpacks them.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import zlib
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

from lab.text import well_formed
from lab.ui import address

MEASURE = "nDCG@10"
MOST = 60
"""Tries of a page that are kept for the visit."""
IN_LINK = 12
"""Maximum number of tries of a page in its link."""
LONGEST_LINK = 4000
"""Maximum characters of a link for tries: older ones are left out."""
LONGEST_NOTE = 200
LARGEST = 100_000
"""Maximum characters unpacked from a link."""
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
    note: str = ""
    starred: bool = False
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
        """Returns the try with this number, or None."""
        return next((x for x in self.entries if x.number == number), None)

    def origin(self, x: Try) -> Try | None:
        """Returns the try that this one changed, or the one before it if that was dropped; None for the first."""
        before = [other for other in self.entries if other.number < x.number]
        return next((other for other in before if other.number == x.origin), before[-1] if before else None)

    def baseline(self, x: Try) -> Try:
        """Returns the try that this one is compared with: the starred one of its scale, or the first."""
        same = [other for other in self.entries if other.scale == x.scale]
        return next((other for other in same if other.starred), same[0] if same else x)

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
        if origin is None or self.settled or now.note or now.starred or now is not self.entries[-1]:
            return False
        moved, further = now.moved_from(origin), new.moved_from(origin)
        return len(moved) == 1 and "" not in moved and further <= moved and began - now.at <= SETTLED

    def _bounded(self) -> Tries:
        """Drops the oldest try that has neither a note nor a star, if there are more than `MOST`."""
        if len(self.entries) <= MOST:
            return self
        free = [x for x in self.entries if not x.note and not x.starred and x.number != self.current]
        oldest = free[0] if free else self.entries[0]
        return replace(self, entries=tuple(x for x in self.entries if x is not oldest))

    def _with(self, changed: Try) -> Tries:
        return replace(self, entries=tuple(changed if x.number == changed.number else x for x in self.entries))

    def star(self, number: int) -> Tries:
        """Makes a try the baseline of its scale, or undoes that."""
        x = self.find(number)
        if x is None:
            return self
        unstarred = (replace(y, starred=False) if y.scale == x.scale else y for y in self.entries)
        return replace(self, entries=tuple(unstarred))._with(replace(x, starred=not x.starred))

    def annotate(self, number: int, note: str) -> Tries:
        """Writes a note of one line to a try; an empty one removes it."""
        x = self.find(number)
        return self if x is None else self._with(replace(x, note=" ".join(note.split())[:LONGEST_NOTE]))


def _measured(x: Try, new: Try) -> Try:
    """Returns a try with the values of another run: judgments may have changed."""
    return replace(x, values=new.values, measure=new.measure)


# ---------------------------------------------------------------------------------------------- in the link


def written(tries: Tries, page: str) -> str:
    """Returns the last tries as letters of a link; nothing for a single one without note and star.

    Whatever belongs to this machine (an address, a key) is left out.
    """
    entries = [x for x in tries.entries if x.portable]
    if len(entries) < 2 and not any(x.note or x.starred for x in entries):
        return ""
    starred = [x for x in entries[:-IN_LINK] if x.starred][-1:]  # the baseline of what follows
    entries = starred + entries[-IN_LINK + len(starred) :]
    while entries:
        rows = [_row(x, page) for x in entries]
        text = json.dumps([1, tries.current, rows], ensure_ascii=False, separators=(",", ":"))
        packed = base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode("ascii").rstrip("=")
        if len(packed) <= LONGEST_LINK:
            return packed
        entries = entries[1:]
    return ""


def _row(x: Try, page: str) -> list[Any]:
    parameters = {key.removeprefix(page): value for key, value in x.parameters}
    values = [round(value, 4) for value in x.values]
    place = [x.number, x.origin, int(x.at), int(x.starred), x.note]
    return [*place, x.corpus, x.question, list(x.searches), parameters, values, x.measure, x.questions]


def read(text: str, page: str) -> Tries:
    """Returns the tries in a link; unreadable ones are left out."""
    if not text or len(text) > LARGEST:
        return Tries()
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpack = zlib.decompressobj()
        raw = unpack.decompress(packed, LARGEST)
        if unpack.unconsumed_tail or not unpack.eof:
            return Tries()
        form, current, rows = json.loads(raw.decode("utf-8"))
    except (ValueError, TypeError, RecursionError, binascii.Error, zlib.error):
        return Tries()
    if form != 1 or not isinstance(rows, list):
        return Tries()
    entries = dict[int, Try]()
    for row in rows[:IN_LINK]:
        x = _entry(row, page)
        if x is not None and x.number > max(entries, default=0):
            entries[x.number] = x
    return Tries(tuple(entries.values()), current if isinstance(current, int) and current in entries else 0)


def _entry(row: Any, page: str) -> Try | None:
    """Returns the try of one row, or None for a row that no lab has written."""
    try:
        number, origin, at, starred, note, corpus, question, searches, parameters, values, measure, questions = row
        texts = [note, corpus, question, measure, *searches, *parameters, *parameters.values()]
        numbers = [number, origin, at, starred, questions]
        sound = (
            all(isinstance(x, str) and well_formed(x) == x for x in texts)
            and all(type(x) is int and 0 <= x < 10**10 for x in numbers)
            and all(type(x) in (int, float) and math.isfinite(x) for x in values)
            and 0 < number < 10**6
            and len(values) in (0, len(searches))
            and 0 < len(searches) <= 32
            and len(parameters) <= 200
        )
    except (TypeError, ValueError, AttributeError):
        return None
    if not sound or not isinstance(searches, list) or not isinstance(values, list):
        return None
    whole = {(page + key if key.startswith(".") else key): value for key, value in parameters.items()}
    return Try(
        corpus,
        question[: address.LONGEST_QUESTION],
        tuple(searches),
        tuple((key, value) for key, value in whole.items() if is_parameter(page, key)),
        float(at),
        tuple(float(x) for x in values),
        measure[:40],
        questions,
        number,
        origin,
        " ".join(note.split())[:LONGEST_NOTE],
        bool(starred),
    )


def is_parameter(page: str, key: str) -> bool:
    """Returns whether a parameter of an address is restored by a try."""
    if key in _FRAME:
        return True
    name, _dot, rest = key.partition(".")
    return name == page and bool(re.match(r"\w", rest)) and rest.partition(".")[0] not in _OTHER
