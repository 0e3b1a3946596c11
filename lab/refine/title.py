"""Title mix: how near the title alone is to the question, mixed into the score of a vector list.

A title says in a few words what a passage is about; inside the vector of the whole passage it is one sentence of many.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lab.algebra import Contribution, Env, Hit, Outcome, Ranking, Stage, fraction, in_order, knob
from lab.fuse import NORMALISATIONS, normalise
from lab.models.embedders import Embedder, encoder_of
from lab.models.static import EMBEDDER
from lab.numeric import DIGITS, unit
from lab.words import Said

TITLE, UNTITLED = Said("title"), Said("no title: first score")


@dataclass(frozen=True)
class TitleMix(Stage):
    """Reranks by ``(1 - weight) * first score + weight * cosine(question, title)``; keeps every document.

    For a document without a title, its first score replaces that cosine.  The first score stays as it is, which
    suits the cosines of a vector list; ``normalisation`` brings other scores to the same size.
    """

    label = Said("Title mix")
    about = Said("Mixes the similarity of question and title into the scores of a vector list.")
    inputs = ("question", "scores", "texts")
    role = "rerank"

    weight: float = fraction(0.1, Said("Weight of the title"), Said("The rest is the first list's score."))
    embedder: Embedder = EMBEDDER()
    normalisation: str = knob(
        "none",
        Said("First score"),
        Said("None for a vector list. Min–max for other lists, whose scores are not cosines."),
        choices=NORMALISATIONS,
        rare=True,
    )

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        if not ranking.hits:
            return Outcome(())
        encoder = encoder_of(self.embedder, ranking.corpus, progress=env.progress)
        question = unit(np.asarray(encoder.queries([ranking.query.text])))[0]
        titles = list(dict.fromkeys(h.document.title for h in ranking.hits if h.document.title.strip()))
        rows = (
            unit(np.asarray(encoder.documents(titles, progress=env.progress)))
            if titles
            else np.zeros((0, len(question)))
        )
        # einsum adds up row by row: equal titles get exactly equal cosines
        near = dict(zip(titles, np.einsum("ij,j->i", rows, question).round(DIGITS).tolist(), strict=True))
        first = normalise([h.score for h in ranking.hits], self.normalisation)
        name, hits = ranking.source.made_by.label, []
        for hit, score in zip(ranking.hits, first, strict=True):
            title = hit.document.title
            told, own = (TITLE, near[title]) if title in near else (UNTITLED, score)
            parts = (Contribution(name, (1 - self.weight) * score), Contribution(told, self.weight * own))
            total = math.fsum(part.value for part in parts)
            hits.append(Hit(hit.document, total, parts if env.explain else ()))
        return Outcome(in_order(hits, ranking))
