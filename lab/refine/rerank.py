"""Reranking with a cross-encoder, and what a reranking changed.

`lab.refine.coverage` and `lab.refine.hybrid` rerank without a model; `moves`, `speed` and `quality` compare the
lists before and after any of them.

Source: R. Nogueira and K. Cho, *Passage Re-ranking with BERT*, 2019; the models run in
sentence-transformers (``CrossEncoder``), whose ``rank`` gives the same order and scores; the built-in one needs numpy.
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.algebra import Drop, Env, Hit, Outcome, Ranking, Stage, in_order, knob
from lab.models.cross_encoders import ACTIVATIONS, OFFERED, TEXTBOOK, load
from lab.words import N_, Said


@dataclass(frozen=True)
class CrossEncoderReranker(Stage):
    """Reads the question with every document and keeps the ``top_n`` best.

    ``model`` is a name or a folder (see `lab.models.cross_encoders.load`; it is loaded at the first use and
    raises `ModelError` or `MissingExtra` then).  A ``logit`` is the model's raw number, no probability: a
    threshold of 0.5 means nothing before a ``sigmoid``.  The score is not a sum, so `Hit.why` is empty.
    """

    inputs = ("question", "texts")
    technique = Said("Cross-encoder")
    role = "rerank"
    about = Said("A neural model reads question and passage together: slow. The useful ones are a download.")

    model: str = knob(
        TEXTBOOK,
        Said("Model"),
        Said("“textbook” knows word order in short sentences. Others: a name on the model hub, or a folder."),
        kind="model",
        offers=(TEXTBOOK, *OFFERED),
        called={TEXTBOOK: Said("textbook (built-in, small)")},
    )
    top_n: int = knob(10, Said("Keep"), Said("Number of results passed to the next step."), low=1, high=1000)
    batch_size: int = knob(32, Said("Batch size"), Said("Pairs per batch."), low=1, high=512, rare=True)
    activation: str = knob(
        "logit",
        Said("Scores"),
        Said("A logit is not a probability: a threshold of 0.5 only makes sense after a sigmoid."),
        choices=ACTIVATIONS,
    )

    @property
    def label(self) -> str:
        name = self.model.rstrip("/").rsplit("/", 1)[-1] or self.model
        return Said("Cross-encoder · {model}", model=Said("textbook") if self.model == TEXTBOOK else name)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        if not ranking.hits:
            return Outcome(())
        model, texts = load(self.model, progress=env.progress), [h.document.content for h in ranking.hits]
        scores = model.scores(
            ranking.query.text, texts, batch_size=self.batch_size, activation=self.activation, progress=env.progress
        ).tolist()
        hits = in_order([Hit(h.document, s) for h, s in zip(ranking.hits, scores, strict=True)], ranking)
        kept_hits = hits[: self.top_n]
        message = N_("Rank {rank} of {n} with {score:.3f}; the last of the {top} kept has {last:.3f}.")
        same = {"n": len(hits), "top": self.top_n, "last": kept_hits[-1].score}
        drops = [
            Drop(hit.document, Said(message, rank=rank, score=hit.score, **same), self.label)
            for rank, hit in enumerate(hits[self.top_n :], self.top_n + 1)
        ]
        return Outcome(kept_hits, drops)
