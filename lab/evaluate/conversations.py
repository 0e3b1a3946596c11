"""Evaluates searches on conversations: every turn is searched with the turns before it, and measured by its depth.

The query of a turn has the earlier turns as its ``turns``, each with the first passages that this very search found for
it: the visitor has seen these, not the judged ones.  A search that reads no history (BM25 by itself) answers the raw
turn.
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
"""Number of passages per earlier turn that count as shown."""


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
    """Returns one run per search over every turn, by the search's name; turns that conversations share are run once.

    ``shown`` is the number of passages of each earlier turn that the search sees.  ``progress`` and ``into`` are as in
    `lab.evaluate.runs.run_many`: stopped work can continue in the middle of a conversation.  Raises `ParameterError`
    for k < 1 and for shown < 0.
    """
    at_least("shown", shown, 0)
    whole = tuple(conversations)
    seen, before = Gathered(searchers) if into is None else into, earlier(whole)
    turns = {turn.id: turn for conversation in whole for turn in conversation}

    def ask(name: str, query: Query) -> Query:
        earlier_turns = (Turn(turn.text, shown=seen.ids(name, turn.id)[:shown]) for turn in before[query.id])
        return replace(query, turns=tuple(earlier_turns))

    all_turns = turns.values()
    return run_queries(searchers, corpus, all_turns, k=k, models=models, progress=progress, into=seen, ask=ask)


def earlier(conversations: Iterable[Conversation]) -> dict[str, tuple[Query, ...]]:
    """Returns the turns before each turn, by its id.

    A turn that several conversations begin with has the same turns before it in each (see
    `lab.corpus.conversations.by_ids`).
    """
    return {
        turn.id: conversation.turns[:place] for conversation in conversations for place, turn in enumerate(conversation)
    }


@dataclass(frozen=True)
class Depth:
    """A measure over the judged turns at one depth of their conversations, from 1: its mean and its 95% CI.

    ``interval`` is None for a single turn.
    """

    depth: int
    turns: int
    mean: float
    interval: tuple[float, float] | None


def by_depth(scores: Scores, conversations: Sequence[Conversation], measure: str) -> tuple[Depth, ...]:
    """Returns a measure of a run at every depth that has a judged turn, first turns first."""
    values: dict[int, list[float]] = {}
    for turn_id, before in earlier(conversations).items():
        if turn_id in scores.per_query[measure]:
            values.setdefault(len(before) + 1, []).append(scores.per_query[measure][turn_id])
    return tuple(
        Depth(d, len(at_depth), sum(at_depth) / len(at_depth), interval(at_depth))
        for d, at_depth in sorted(values.items())
    )
