"""What a reranker moved, its speed, and its effect on quality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.algebra import Document, Ranking
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run


@dataclass(frozen=True, slots=True)
class Move:
    """One document before and after: ranks (from 1) and scores, None if a list does not have it."""

    document: Document
    before: int | None
    after: int | None
    score_before: float | None
    score_after: float | None

    @property
    def change(self) -> int | None:
        """Ranks won (above 0) or lost (below 0); None if one list does not have the document."""
        return None if self.before is None or self.after is None else self.before - self.after


def moves(before: Ranking, after: Ranking) -> tuple[Move, ...]:
    """Returns every document of both lists: in the order of the second, then the rest in the order of the first."""
    documents = {h.document.id: h.document for h in (*after.hits, *before.hits)}
    rows = []
    for i, document in documents.items():
        old, new = before.hit(i), after.hit(i)
        scores = old.score if old else None, new.score if new else None
        rows.append(Move(document, before.rank(i), after.rank(i), *scores))
    return tuple(rows)


def speed(after: Ranking) -> float | None:
    """Returns the documents per second that the last stage examined; None if its time was too short to measure."""
    looked_at = sum(len(parent) for parent in after.parents)
    return looked_at / after.seconds if after.seconds > 0 and looked_at else None


def quality(rankings: Sequence[Ranking], grades: Mapping[str, int], *, measure: str = "nDCG@10") -> tuple[float, ...]:
    """Returns one measure of several rankings of one question, given the grades of its documents.

    Raises `EvaluationError` if no document has a grade above 0.
    """
    runs = [Run.of("", {"q": ranking}) for ranking in rankings]
    return tuple(measure_run(run, {"q": grades}, [measure]).means[measure] for run in runs)
