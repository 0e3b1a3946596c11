"""The biography of a document: its rank after every stage, and where and why it fell out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lab.core import Drop, Ranking

Event = Literal["found", "not found", "stayed", "rose", "fell", "dropped", "gone"]


@dataclass(frozen=True, slots=True)
class RankStep:
    """One ranking on the way and what became of the document there.

    ``rank`` and ``score`` are its own (None where the list does not have it), ``of`` the length of the list;
    ``before`` is the best rank among the lists that this one was made from.  ``event``:

    =========  =====================================================================
    found      the first list of this branch, or one that has it from nowhere before
    not found  a first list that does not have it
    stayed     as many places ahead of it as before (rose, fell: fewer, more)
    dropped    removed here: ``drop`` says by which rule and why
    gone       it had been lost before, or this list was cut short above it
    =========  =====================================================================
    """

    ranking: Ranking
    stage: str
    event: Event
    rank: int | None
    score: float | None
    of: int
    before: int | None
    drop: Drop | None


def biography(doc_id: str, ranking: Ranking) -> tuple[RankStep, ...]:
    """One `RankStep` per ranking of the lineage, parents before children, the given one last."""
    return tuple(_station(doc_id, step) for step in ranking.lineage())


def _station(doc_id: str, ranking: Ranking) -> RankStep:
    rank, hit = ranking.rank(doc_id), ranking.hit(doc_id)
    ranks = [r for parent in ranking.parents if (r := parent.rank(doc_id)) is not None]
    before = min(ranks, default=None)
    drop = next((d for d in ranking.dropped if d.document.id == doc_id), None)
    return RankStep(
        ranking,
        ranking.made_by.label,
        _event(ranking, rank, before, drop),
        rank,
        hit.score if hit else None,
        len(ranking),
        before,
        drop,
    )


def _event(ranking: Ranking, rank: int | None, before: int | None, drop: Drop | None) -> Event:
    if rank is None:
        return "dropped" if drop else "gone" if ranking.parents else "not found"
    if before is None:
        return "found"
    return "stayed" if rank == before else "rose" if rank < before else "fell"


def fate(doc_id: str, ranking: Ranking) -> RankStep | None:
    """The station that removed the document for good; None where the last list has it or no list ever had it."""
    told = biography(doc_id, ranking)
    if ranking.rank(doc_id) is not None or all(s.rank is None for s in told):
        return None
    last = max(i for i, s in enumerate(told) if s.rank is not None)
    return next((s for s in told[last + 1 :] if s.event in ("dropped", "gone")), None)
