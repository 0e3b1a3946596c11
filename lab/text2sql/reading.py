"""A question read: its readings with their costs, by themselves or as edits of the tree that stands."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.text import language_of
from lab.text2sql.assembling import Reading, assemble
from lab.text2sql.editing import edits, moves
from lab.text2sql.facts import Fact, Noun, Turn, Unknown
from lab.text2sql.grammar import Account, accounts
from lab.text2sql.linking import Links, LookUp, grams
from lab.text2sql.naming import Value, Vocabulary, fold
from lab.text2sql.tree import Select

MARGIN = 0.25
"""A reading that costs so little more than the best one is as likely."""
ALONE = 0.3
"""What it costs that a question with "only" or "them" is read as standing by itself."""


@dataclass(frozen=True)
class Read:
    """What a question can mean: its readings, the likeliest first."""

    language: str
    readings: tuple[Reading, ...]
    unknown: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()

    @property
    def best(self) -> Reading | None:
        return self.readings[0] if self.readings and not self.readings[0].unknown else None

    @property
    def rivals(self) -> tuple[Reading, ...]:
        """Readings that are about as likely as the best."""
        best = self.best
        if best is None:
            return ()
        return tuple(r for r in self.readings[1:] if not r.unknown and r.cost < best.cost + MARGIN)

    def _said(self) -> tuple[Fact, ...]:
        return self.best.facts if self.best is not None else self.facts

    @property
    def refers(self) -> bool:
        """Whether it speaks of what was said before: only, them, 换成, 不限."""
        roles = {f.role for f in self._said() if isinstance(f, Turn)}
        return bool(roles & {"follow", "replace", "also", "drop", "undo"})

    @property
    def resets(self) -> bool:
        return any(isinstance(f, Turn) and f.role == "reset" for f in self._said())

    @property
    def headed(self) -> bool:
        """Whether it names what it is about."""
        return any(isinstance(f, Noun) and f.end - f.start > 1 for f in self._said())


def read(
    text: str, vocabulary: Vocabulary, *, as_of: dt.date, look_up: LookUp | None = None, before: Select | None = None
) -> Read:
    """All readings of a question, as edits of ``before`` where it is given.

    ``look_up`` asks the database about words that nothing else explains.
    """
    found = _read(text, vocabulary, as_of, {}, before)
    if look_up is not None and vocabulary.incomplete and found.best is None:
        extra: dict[str, list[Value]] = {}
        words = grams(text, found.unknown)
        for column in vocabulary.incomplete:
            for value in look_up(column, words):
                extra.setdefault(fold(value), []).append(Value(column.ref, value))
        if extra:
            found = _read(text, vocabulary, as_of, extra, before)
    return found


def _read(
    text: str, vocabulary: Vocabulary, as_of: dt.date, extra: Mapping[str, Sequence[Value]], before: Select | None
) -> Read:
    language = language_of(text)
    best: dict[object, Reading] = {}
    found = accounts(Links(text, vocabulary, as_of, extra), language)
    for account in found:
        for r in _readings(account, vocabulary, text, language, before):
            if r.select not in best or r.cost < best[r.select].cost:
                best[r.select] = r
    readings = sorted(best.values(), key=lambda r: r.cost)
    first = found[0] if found else Account(0.0)
    unknown = first.unknown or (readings[0].unknown if readings else ())
    if not readings and not unknown:
        unknown = tuple(text[f.start : f.end].strip() for f in first.facts)
    return Read(language, tuple(readings[:8]), unknown, first.facts)


def _readings(
    account: Account, vocabulary: Vocabulary, text: str, language: str, before: Select | None
) -> list[Reading]:
    if not any(not isinstance(f, (Unknown, Turn)) for f in account.facts) and before is None:
        return []
    if before is not None:
        return edits(account, vocabulary, text, language, before) if account.facts else []
    said = moves(account.facts)
    if said.dropped or said.everything or said.order or "undo" in said.roles:
        return []  # there is nothing to take away from
    follows = ALONE * len(said.roles & {"follow", "also", "replace"})
    alone = Account(account.cost + follows, account.facts)
    return assemble(alone, said.facts, vocabulary, text, language)
