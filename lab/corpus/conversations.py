"""Conversations: the questions of one visitor, turn by turn, as data next to the questions of a collection.

A line of ``conversations.jsonl`` is a turn; its judgments are in ``qrels/conversations.tsv`` (BEIR's layout)::

    {"_id": "c-01-2", "conversation": "c-01", "turn": 2, "text": "And at night?", "metadata": {"type": "follow-up"}}

The passages shown to the visitor are not part of the data: a search finds them itself (see
`lab.evaluate.conversations`).
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
    """Groups turns into conversations by their metadata (see `lab.reading.beir.turns`).

    Conversations are in the order of their first lines, turns in the order of their numbers.  If a number is missing,
    ``on_problem`` is called with the problem and a remedy; the turns after the gap are left out, since their history is
    unknown.
    """
    turns_by_name: dict[str, dict[int, Query]] = {}
    for turn in turns:
        metadata = {name: value for name, value in turn.metadata.items() if name not in ("conversation", "turn")}
        place = turns_by_name.setdefault(str(turn.metadata["conversation"]), {})
        place[int(str(turn.metadata["turn"]))] = replace(turn, metadata=metadata)
    whole = dict[str, tuple[Query, ...]]()
    for name, places in turns_by_name.items():
        gap = next(n for n in range(1, len(places) + 2) if n not in places)
        whole[name] = tuple(places[n] for n in range(1, gap))
        if gap <= len(places):
            message = N_("Turn {turn} of “{conversation}” is missing.")
            remedy = Said("Number the turns of every conversation 1, 2, 3.")
            on_problem(Said(message, turn=gap, conversation=name), remedy)
    return tuple(Conversation(name, metadata) for name, metadata in whole.items() if metadata)


def lines(conversations: Iterable[Conversation]) -> Iterator[dict[str, Any]]:
    """Yields the lines of ``conversations.jsonl``, which `lab.reading.beir.turns` reads."""
    for conversation in conversations:
        for place, turn in enumerate(conversation, 1):
            line = {"_id": turn.id, "conversation": conversation.id, "turn": place, "text": turn.text}
            yield line | ({"metadata": dict(turn.metadata)} if turn.metadata else {})


def by_ids(queries: Iterable[Query], *, apart: bool = False) -> tuple[Conversation, ...]:
    """Groups queries into conversations by their ids, in the scheme of TREC CAsT.

    A conversation is the id up to its second underscore (``2021_106_3`` and ``2022_149_3-1`` are turns of ``2021_106``
    and ``2022_149``), its turns are in the order of the file.  After it comes the number of the turn, or a branch, a
    hyphen and the number within the branch.  With ``apart`` every branch is a separate conversation, ``2022_149_3`` for
    instance: the turns of branch 1 before its first turn, then its own; so ``2022_149_3-*`` follow ``2022_149_1-*`` and
    not ``2022_149_2-*``.  (Some branches continue another one than the first, but their ids do not show it.)  A turn
    that several branches begin with is in each of them.  Turns without a hyphen stay one conversation.

    Raises `CorpusError` for an id with fewer than two underscores.
    """
    turns_by_name: dict[str, list[Query]] = {}
    for query in queries:
        year, _, rest = query.id.partition("_")
        topic, underscore, _ = rest.partition("_")
        if not underscore:
            message = Said("The id “{id}” names no conversation.", id=query.id)
            raise CorpusError(message, Said("Ids of turns look like 2021_106_3 or 2022_149_3-1."))
        turns_by_name.setdefault(f"{year}_{topic}", []).append(query)
    if not apart:
        return tuple(Conversation(name, tuple(turns)) for name, turns in turns_by_name.items())
    return tuple(branch for name, turns in turns_by_name.items() for branch in _branches(name, turns))


def _branches(name: str, turns: list[Query]) -> Iterator[Conversation]:
    of = [turn.id[len(name) + 1 :].rpartition("-")[0] for turn in turns]
    for branch in dict.fromkeys(of):
        first = of.index(branch)
        turns_of_branch = [t for i, t in enumerate(turns) if of[i] == branch or (of[i] == "1" and i < first)]
        yield Conversation(f"{name}_{branch}" if branch else name, tuple(turns_of_branch))
