"""Conversations: what one visitor asked, turn by turn, as data beside the questions of a collection.

A line of ``conversations.jsonl`` is a turn; its judgments stand in ``qrels/conversations.tsv`` (BEIR's layout)::

    {"_id": "c-01-2", "conversation": "c-01", "turn": 2, "text": "And at night?", "metadata": {"type": "follow-up"}}

What was shown is nobody's data: it is what a search itself finds (see `lab.evaluate.conversations`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from lab.algebra import Query
from lab.errors import CorpusError
from lab.words import N_, Said


@dataclass(frozen=True)
class Conversation:
    """The turns of a visitor in their order; a turn is a `Query` with id, text and metadata, and without a history.

    Raises `CorpusError` for no turn.
    """

    id: str
    turns: tuple[Query, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "turns", tuple(self.turns))
        if not self.turns:
            raise CorpusError(Said("The conversation “{id}” has no turns.", id=self.id), Said("Leave it out."))

    def __len__(self) -> int:
        return len(self.turns)

    def __iter__(self) -> Iterator[Query]:
        return iter(self.turns)


def grouped(turns: Iterable[Query], on_problem: Callable[[Said, Said], object]) -> tuple[Conversation, ...]:
    """The conversations of turns that say in their metadata where they belong (see `lab.reading.beir.turns`).

    Conversations stand in the order of their first lines, turns in that of their numbers.  Where a number is missing,
    ``on_problem`` is told what and what to do; what follows the gap is left out, as nobody knows what it followed.
    """
    found: dict[str, dict[int, Query]] = {}
    for turn in turns:
        own = {name: value for name, value in turn.metadata.items() if name not in ("conversation", "turn")}
        place = found.setdefault(str(turn.metadata["conversation"]), {})
        place[int(str(turn.metadata["turn"]))] = replace(turn, metadata=own)
    whole = dict[str, tuple[Query, ...]]()
    for name, places in found.items():
        gap = next(n for n in range(1, len(places) + 2) if n not in places)
        whole[name] = tuple(places[n] for n in range(1, gap))
        if gap <= len(places):
            said = N_("Turn {turn} of “{conversation}” is missing.")
            remedy = Said("Number the turns of every conversation 1, 2, 3.")
            on_problem(Said(said, turn=gap, conversation=name), remedy)
    return tuple(Conversation(name, own) for name, own in whole.items() if own)


def lines(conversations: Iterable[Conversation]) -> Iterator[dict[str, Any]]:
    """The lines of ``conversations.jsonl``: what `lab.reading.beir.turns` reads."""
    for conversation in conversations:
        for place, turn in enumerate(conversation, 1):
            line = {"_id": turn.id, "conversation": conversation.id, "turn": place, "text": turn.text}
            yield line | ({"metadata": dict(turn.metadata)} if turn.metadata else {})


def by_ids(queries: Iterable[Query], *, apart: bool = False) -> tuple[Conversation, ...]:
    """The conversations of queries that say by their ids where they belong, as TREC CAsT names its turns.

    A conversation is the id up to its second underscore (``2021_106_3`` and ``2022_149_3-1`` are turns of ``2021_106``
    and ``2022_149``), its turns stand as in the file.  What follows is the number of the turn, or a branch, a hyphen
    and the number in it.  With ``apart`` every branch is a conversation of its own, ``2022_149_3`` for instance: the
    turns of branch 1 that stand before its first turn, then its own; so ``2022_149_3-*`` follow ``2022_149_1-*`` and
    not ``2022_149_2-*``.  (Some branches part from another one than the first; their ids do not tell.)  A turn that
    several branches begin with is in each of them.  Turns without a hyphen stay one conversation.

    Raises `CorpusError` for an id with fewer than two underscores.
    """
    found: dict[str, list[Query]] = {}
    for query in queries:
        year, _, rest = query.id.partition("_")
        topic, underscore, _ = rest.partition("_")
        if not underscore:
            said = Said("The id “{id}” names no conversation.", id=query.id)
            raise CorpusError(said, Said("Ids of turns look like 2021_106_3 or 2022_149_3-1."))
        found.setdefault(f"{year}_{topic}", []).append(query)
    if not apart:
        return tuple(Conversation(name, tuple(turns)) for name, turns in found.items())
    return tuple(one for name, turns in found.items() for one in _branches(name, turns))


def _branches(name: str, turns: list[Query]) -> Iterator[Conversation]:
    of = [turn.id[len(name) + 1 :].rpartition("-")[0] for turn in turns]
    for branch in dict.fromkeys(of):
        first = of.index(branch)
        own = [t for i, t in enumerate(turns) if of[i] == branch or (of[i] == "1" and i < first)]
        yield Conversation(f"{name}_{branch}" if branch else name, tuple(own))
