"""The biography of a document: its rank after every stage, and where and why it fell out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lab.algebra import Drop, Ranking

Event = Literal["found", "not found", "beyond", "stayed", "rose", "fell", "dropped", "gone"]


@dataclass(frozen=True, slots=True)
class RankStep:
    """One ranking on the way and what became of the document there.

    ``rank`` is its own (None where the list does not have it), ``before`` the best among the lists that this one was
    made from.  ``event``:

    =========  =====================================================================
    found      the first list of this branch, or one that has it from nowhere before
    not found  a first list that does not have it
    beyond     not among those that a first list was asked for; it may go on behind its end
    stayed     as many places ahead of it as before (rose, fell: fewer, more)
    dropped    removed here: ``drop`` says by which rule and why
    gone       it had been lost before, or this list was cut short above it
    =========  =====================================================================
    """

    ranking: Ranking
    stage: str
    event: Event
    rank: int | None
    before: int | None
    drop: Drop | None


def biography(doc_id: str, ranking: Ranking) -> tuple[RankStep, ...]:
    """One `RankStep` per ranking of the lineage, parents before children, the given one last."""
    steps = []
    for made in ranking.lineage():
        rank = made.rank(doc_id)
        before = min((r for parent in made.parents if (r := parent.rank(doc_id)) is not None), default=None)
        drop = next((d for d in made.dropped if d.document.id == doc_id), None)
        steps.append(RankStep(made, made.made_by.label, _event(made, rank, before, drop), rank, before, drop))
    return tuple(steps)


def _event(ranking: Ranking, rank: int | None, before: int | None, drop: Drop | None) -> Event:
    if rank is None:
        if drop or ranking.parents:
            return "dropped" if drop else "gone"
        return "beyond" if ranking.asked else "not found"
    if before is None:
        return "found"
    return "stayed" if rank == before else "rose" if rank < before else "fell"
