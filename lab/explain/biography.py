"""The biography of a document: its rank after every step, and the step that removed it, with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lab.algebra import Drop, Ranking

Event = Literal["found", "not found", "beyond", "stayed", "rose", "fell", "dropped", "gone"]


@dataclass(frozen=True, slots=True)
class RankStep:
    """One ranking on the way, and what happened to the document there.

    ``rank`` is the document's rank there (None if the list does not have it), ``before`` the best among the lists that
    this one was made from.  ``event``:

    =========  =====================================================================
    found      the first list of this branch, or the first one that has the document
    not found  a first list that does not have it
    beyond     not in a first list that was cut at the requested depth; it may be further down
    stayed     the same rank as before (rose: a better one, fell: a worse one)
    dropped    removed here: ``drop`` says by which rule and why
    gone       missing already before, or this list was cut above it
    =========  =====================================================================
    """

    ranking: Ranking
    stage: str
    event: Event
    rank: int | None
    before: int | None
    drop: Drop | None


def biography(doc_id: str, ranking: Ranking) -> tuple[RankStep, ...]:
    """Returns one `RankStep` per ranking of the lineage, parents before children, the given one last."""
    steps = []
    for step in ranking.lineage():
        rank = step.rank(doc_id)
        before = min((r for parent in step.parents if (r := parent.rank(doc_id)) is not None), default=None)
        drop = step.drop(doc_id)
        steps.append(RankStep(step, step.made_by.label, _event(step, rank, before, drop), rank, before, drop))
    return tuple(steps)


def _event(ranking: Ranking, rank: int | None, before: int | None, drop: Drop | None) -> Event:
    if rank is None:
        if drop or ranking.parents:
            return "dropped" if drop else "gone"
        return "beyond" if ranking.asked else "not found"
    if before is None:
        return "found"
    return "stayed" if rank == before else "rose" if rank < before else "fell"
