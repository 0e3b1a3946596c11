"""Reranking with a cross-encoder, and what a reranking changed.

`lab.refine.coverage` and `lab.refine.hybrid` rerank without a model; `moves`, `speed` and `quality` compare the
lists before and after any of them.

Source: R. Nogueira and K. Cho, *Passage Re-ranking with BERT*, 2019; the models are those of
sentence-transformers (``CrossEncoder``), whose ``rank`` gives the same order and scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.core import Document, Drop, Hit, Ranking, Stage, in_order, knob
from lab.evaluate import Run, evaluate
from lab.models.cross_encoders import ACTIVATIONS, OFFERED, load
from lab.words import Said


@dataclass(frozen=True)
class CrossEncoderReranker(Stage):
    """Reads the question with every document and keeps the ``top_n`` best.

    ``model`` is a name or a folder (see `lab.models.cross_encoders.load`; it is loaded at the first use and
    raises `ModelError` or `MissingExtra` then).  A ``logit`` is the model's raw number, no probability: a
    threshold of 0.5 means nothing before a ``sigmoid``.  The score is no sum, so `Hit.why` is empty.
    """

    model: str = OFFERED[0]
    top_n: int = knob(10, low=1, high=1000)
    batch_size: int = knob(32, low=1, high=512, rare=True)
    activation: str = knob("logit", choices=ACTIVATIONS)

    @property
    def label(self) -> str:
        return f"Cross-encoder · {self.model.rstrip('/').rsplit('/', 1)[-1] or self.model}"

    def refine(self, ranking: Ranking) -> tuple[Sequence[Hit], Sequence[Drop]]:
        if not ranking.hits:
            return (), ()
        texts = [h.document.content for h in ranking.hits]
        scores = load(self.model).scores(ranking.query, texts, batch_size=self.batch_size, activation=self.activation)
        hits = in_order(
            [Hit(h.document, s) for h, s in zip(ranking.hits, scores.tolist(), strict=True)],
            ranking.corpus,
            before=(ranking,),
        )
        last = hits[: self.top_n][-1].score
        drops = [
            Drop(
                h.document,
                Said(
                    "Rank {rank} of {n} with {score:.3f}; the last of the {top} kept has {last:.3f}.",
                    rank=r,
                    n=len(hits),
                    score=h.score,
                    top=self.top_n,
                    last=last,
                ),
                self.label,
            )
            for r, h in enumerate(hits[self.top_n :], self.top_n + 1)
        ]
        return hits[: self.top_n], drops


# --------------------------------------------------------------------------------------- before and after


@dataclass(frozen=True, slots=True)
class Move:
    """One document before and after: ranks (from 1) and scores, None where a list does not have it."""

    document: Document
    before: int | None
    after: int | None
    score_before: float | None
    score_after: float | None

    @property
    def change(self) -> int | None:
        """Places won (above 0) or lost (below 0); None where one list does not have the document."""
        return None if self.before is None or self.after is None else self.before - self.after


def moves(before: Ranking, after: Ranking) -> tuple[Move, ...]:
    """Every document of both lists: in the order of the second, then what it lacks in the order of the first."""
    documents = {h.document.id: h.document for h in (*after.hits, *before.hits)}
    out = []
    for i, document in documents.items():
        old, new = before.hit(i), after.hit(i)
        out.append(
            Move(document, before.rank(i), after.rank(i), old.score if old else None, new.score if new else None)
        )
    return tuple(out)


def speed(after: Ranking) -> float | None:
    """Documents that the last stage looked at, per second; None where its time was too short to tell."""
    looked_at = sum(len(parent) for parent in after.parents)
    return looked_at / after.seconds if after.seconds > 0 and looked_at else None


def quality(rankings: Sequence[Ranking], grades: Mapping[str, int], *, measure: str = "nDCG@10") -> tuple[float, ...]:
    """One measure of several rankings of one question, given the grades of its documents.

    Raises `EvaluationError` where no document has a grade above 0.
    """
    return tuple(evaluate(Run.of("", {"q": ranking}), {"q": grades}, [measure]).means[measure] for ranking in rankings)
