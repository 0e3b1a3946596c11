"""Proximity: words of the question that stand close to each other count more.

Source: S. Büttcher, C. Clarke, B. Lushman, *Term Proximity Scoring for Ad-Hoc Retrieval on Very Large Text
Collections*, SIGIR 2006.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from lab.algebra import Contribution, Document, Env, Hit, Later, Outcome, Ranking, Stage, in_order, knob
from lab.fuse import NORMALISATIONS, normalise
from lab.refine.coverage import Words
from lab.text import WHOLE_WORDS, Analyzer
from lab.words import N_, Said

_FEWEST = 2
"""Terms of the question without which nothing in a text can stand close to anything: others are not read."""


@dataclass(frozen=True)
class Proximity(Stage):
    r"""Reranks by ``first score + weight * sum of min(1, idf_t) a_t / (a_t + k1)``; keeps every document.

    ``a_t`` sums ``idf_t' / distance^2`` over the places where t and another term t' of the question are neighbours:
    no third one is between them.  The distance is counted in terms, in the title and in the text by themselves.
    Terms that overlap (a Chinese word and its parts) are not neighbours.  IDF is computed over the ranking's corpus.
    """

    label = Said("Proximity")
    about = Said("Adds to the score of texts in which the question's words stand close together.")
    inputs = ("question", "scores", "texts")
    role = "rerank"

    weight: float = knob(
        0.3,
        low=0.0,
        high=3.0,
        step=0.05,
        label=Said("Weight of proximity"),
        help=Said("The most that one word adds. 0.3 suits BM25 scores of a few points."),
    )
    k1: float = knob(
        1.2,
        low=0.1,
        high=10.0,
        step=0.1,
        label=Said("Proximity saturation"),
        help=Said("Sum of idf / distance² at which a word gets half of its maximum."),
    )
    normalisation: str = knob(
        "none",
        choices=NORMALISATIONS,
        label=Said("First score"),
        help=Said("How the first list's scores are normalised."),
        rare=True,
    )
    analyzer: Analyzer = WHOLE_WORDS(kw_only=True)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        if not ranking.hits:
            return Outcome(())
        words = Words.of(self.analyzer, ranking, env)
        idf = dict(zip(words.tokens, words.idf.tolist(), strict=True))
        names_by_token = dict(zip(words.tokens, words.names, strict=True))
        first, hits = normalise([hit.score for hit in ranking.hits], self.normalisation), list[Hit]()
        name, whole = ranking.source.made_by.label, self.normalisation == "none"
        terms = (words.held([hit.document for hit in ranking.hits]) > 0).sum(axis=1).tolist()
        for hit, score, held in zip(ranking.hits, first, terms, strict=True):
            near = closeness(words.analyzer, hit.document, idf) if held >= _FEWEST else {}
            addends = {t: self.weight * min(1.0, idf[t]) * a / (a + self.k1) for t, a in near.items()}

            def why(hit: Hit = hit, score: float = score, addends: Mapping[str, float] = addends) -> list[Contribution]:
                before = list(hit.why) if whole and hit.why else [Contribution(name, score)]
                message = N_("{word}: close to others")
                return [
                    *before,
                    *(Contribution(Said(message, word=names_by_token[t]), v) for t, v in addends.items() if v),
                ]

            total = math.fsum([score, *addends.values()])
            hits.append(Hit(hit.document, total, Later(why) if env.explain else ()))
        return Outcome(in_order(hits, ranking))


def closeness(analyzer: Analyzer, document: Document, idf: Mapping[str, float]) -> dict[str, float]:
    """``a_t`` of each of these terms that has a neighbour in the document, in the order of ``idf``."""
    sums = dict[str, list[float]]()
    for part in (document.title, document.text):
        for (first, _, _, end), (second, start, _, _), distance in neighbours(analyzer, part, idf):
            if first != second and start >= end:
                sums.setdefault(first, []).append(idf[second] / distance**2)
                sums.setdefault(second, []).append(idf[first] / distance**2)
    return {term: math.fsum(sums[term]) for term in idf if term in sums}


Occurrence = tuple[str, int, int, int]
"""A term, where it begins, its number among the terms of the text, and where it ends."""


def neighbours(analyzer: Analyzer, text: str, terms_wanted: Iterable[str]) -> list[tuple[Occurrence, Occurrence, int]]:
    """Returns the pairs of these terms that follow each other in a text, with their distance in terms."""
    spans = sorted(analyzer.spans(text), key=lambda token: (token.start, token.end))
    numbers = {start: n for n, start in enumerate(dict.fromkeys(token.start for token in spans))}
    terms = set(terms_wanted)
    occurrences = [(t.text, t.start, numbers[t.start], t.end) for t in spans if t.text in terms]
    return [(a, b, b[2] - a[2]) for a, b in pairwise(occurrences) if b[2] > a[2]]
