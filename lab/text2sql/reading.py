"""A question read: its readings with their costs, and the decision to run one, to ask back, or to name what is missing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.text import language_of
from lab.text2sql.assembling import Reading, assemble
from lab.text2sql.grammar import accounts
from lab.text2sql.linking import Links, LookUp, grams
from lab.text2sql.naming import Value, Vocabulary, fold

MARGIN = 0.25
"""A reading that costs so little more than the best one is as likely."""


@dataclass(frozen=True)
class Read:
    """What a question can mean: its readings, the likeliest first."""

    language: str
    readings: tuple[Reading, ...]
    unknown: tuple[str, ...] = ()

    @property
    def best(self) -> Reading | None:
        return self.readings[0] if self.readings and not self.readings[0].unknown else None

    @property
    def rivals(self) -> tuple[Reading, ...]:
        """Readings that are about as likely as the best."""
        best = self.best
        return () if best is None else tuple(
            r for r in self.readings[1:] if not r.unknown and r.cost < best.cost + MARGIN
        )  # fmt: skip


def read(text: str, vocabulary: Vocabulary, *, as_of: dt.date, look_up: LookUp | None = None) -> Read:
    """All readings of a question; ``look_up`` asks the database about words that nothing else explains."""
    found = _read(text, vocabulary, as_of, {})
    if look_up is not None and vocabulary.incomplete and (found.best is None):
        extra: dict[str, list[Value]] = {}
        words = grams(text, found.unknown)
        for column in vocabulary.incomplete:
            for value in look_up(column, words):
                extra.setdefault(fold(value), []).append(Value(column.ref, value))
        if extra:
            found = _read(text, vocabulary, as_of, extra)
    return found


def _read(text: str, vocabulary: Vocabulary, as_of: dt.date, extra: Mapping[str, Sequence[Value]]) -> Read:
    language = language_of(text)
    links = Links(text, vocabulary, as_of, extra)
    best: dict[object, Reading] = {}
    unknown: tuple[str, ...] = ()
    for i, account in enumerate(accounts(links, language)):
        if i == 0:
            unknown = account.unknown
        for r in assemble(account, vocabulary, text, language):
            if r.select not in best or r.cost < best[r.select].cost:
                best[r.select] = r
    readings = sorted(best.values(), key=lambda r: r.cost)
    if readings and readings[0].unknown:
        unknown = readings[0].unknown
    return Read(language, tuple(readings[:8]), unknown)
