"""Conversations as they would be held with a search: every turn asked with what went before, measured by its depth.

A search is asked each turn as a `Query` whose ``turns`` are the earlier ones, each with the first passages that this
very search found for it: what its visitor has seen, never what was judged.  A search that reads no history (BM25 by
itself) answers the raw turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lab.algebra import NONE, Corpus, Models, Progress, Query, Searcher, Turn, at_least
from lab.corpus.conversations import Conversation
from lab.evaluate.measures import Scores
from lab.evaluate.runs import Gathered, Run
from lab.evaluate.runs import run_many as run_queries
from lab.evaluate.significance import interval

SHOWN = 3
"""So many passages of every earlier turn count as shown."""


def run_many(
    searchers: Mapping[str, Searcher],
    corpus: Corpus,
    conversations: Iterable[Conversation],
    *,
    shown: int = SHOWN,
    k: int = 100,
    models: Models = NONE,
    progress: Progress | None = None,
    into: Gathered | None = None,
) -> dict[str, Run]:
    """One run per search over every turn, by the name of the search; a turn of several conversations is asked once.

    ``shown`` is how many passages of an earlier turn the search is told of (0: none).  ``progress`` and ``into`` are
    as of `lab.evaluate.runs.run_many`: stopped work goes on in the midst of a conversation.  Raises `ParameterError`
    for k < 1 and for shown < 0.
    """
    at_least("shown", shown, 0)
    whole = tuple(conversations)
    seen, before = Gathered(searchers) if into is None else into, earlier(whole)
    turns = {turn.id: turn for own in whole for turn in own}

    def ask(name: str, query: Query) -> Query:
        told = (Turn(turn.text, shown=seen.ids(name, turn.id)[:shown]) for turn in before[query.id])
        return replace(query, turns=tuple(told))

    asked = turns.values()
    return run_queries(searchers, corpus, asked, k=k, models=models, progress=progress, into=seen, ask=ask)


def earlier(conversations: Iterable[Conversation]) -> dict[str, tuple[Query, ...]]:
    """By the id of a turn, the turns before it.

    Of a turn that several conversations begin with, these are the same in each (see `lab.corpus.conversations.by_ids`).
    """
    return {turn.id: own.turns[:place] for own in conversations for place, turn in enumerate(own)}


@dataclass(frozen=True)
class Depth:
    """A measure over the judged turns at one place of their conversations, from 1: its mean and its 95 % interval.

    ``interval`` is None for a single turn.
    """

    depth: int
    turns: int
    mean: float
    interval: tuple[float, float] | None


def by_depth(scores: Scores, conversations: Sequence[Conversation], measure: str) -> tuple[Depth, ...]:
    """A measure of a run at every depth that has a judged turn, the first turns first."""
    values: dict[int, list[float]] = {}
    for turn_id, before in earlier(conversations).items():
        if turn_id in scores.per_query[measure]:
            values.setdefault(len(before) + 1, []).append(scores.per_query[measure][turn_id])
    return tuple(Depth(d, len(own), sum(own) / len(own), interval(own)) for d, own in sorted(values.items()))
