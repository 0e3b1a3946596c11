"""Proximity: words of the question that stand close to each other count more.

Source: S. Büttcher, C. Clarke, B. Lushman, *Term Proximity Scoring for Ad-Hoc Retrieval on Very Large Text
Collections*, SIGIR 2006.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Contribution, Corpus, Document, Env, Hit, Later, Outcome, Ranking, Stage, in_order, knob
from lab.fuse import NORMALISATIONS, normalise
from lab.kept import Kept
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
        Said("Weight of proximity"),
        Said("The most that one word adds. 0.3 suits BM25 scores of a few points."),
        low=0.0,
        high=3.0,
        step=0.05,
    )
    k1: float = knob(
        1.2,
        Said("Proximity saturation"),
        Said("Sum of idf / distance² at which a word gets half of its maximum."),
        low=0.1,
        high=10.0,
        step=0.1,
    )
    normalisation: str = knob(
        "none",
        Said("First score"),
        Said("How the first list's scores are normalised."),
        choices=NORMALISATIONS,
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
        positions = Positions.of(ranking.corpus, words.analyzer)
        terms = (words.held([hit.document for hit in ranking.hits]) > 0).sum(axis=1).tolist()
        for hit, score, held in zip(ranking.hits, first, terms, strict=True):
            near = closeness(positions, hit.document, idf) if held >= _FEWEST else {}
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


def closeness(positions: Positions, document: Document, idf: Mapping[str, float]) -> dict[str, float]:
    """``a_t`` of each of these terms that has a neighbour in the document, in the order of ``idf``."""
    sums = dict[str, list[float]]()
    for part in (document.title, document.text):
        for (first, _, before, end), (second, start, after, _) in pairwise(positions.of_terms(part, idf)):
            if first != second and start >= end and after > before:
                sums.setdefault(first, []).append(idf[second] / (after - before) ** 2)
                sums.setdefault(second, []).append(idf[first] / (after - before) ** 2)
    return {term: math.fsum(sums[term]) for term in idf if term in sums}


class Positions(Kept[tuple[str, NDArray[np.int32]]]):
    """Where the terms of a text are; up to 16 MB of the most recently used texts of a corpus are remembered."""

    def __init__(self, analyzer: Analyzer) -> None:
        super().__init__(1 << 24)
        self.analyzer = analyzer

    @staticmethod
    def of(corpus: Corpus, analyzer: Analyzer) -> Positions:
        """Returns the positions in the texts of a corpus, remembered with it."""
        return corpus.once(("positions", analyzer), lambda: Positions(analyzer))

    def weight(self, value: tuple[str, NDArray[np.int32]]) -> int:
        return len(value[0]) + value[1].nbytes

    def of_terms(self, text: str, wanted: Container[str]) -> Iterator[tuple[str, int, int, int]]:
        """Yields each of these terms in a text: the term, its start, its number among the terms, and its end."""
        terms, places = self.computed(text, lambda: self._read(text))
        each = terms.split("\t")
        at = [i for i, term in enumerate(each) if term in wanted]
        return zip([each[i] for i in at], *places[:, at].tolist(), strict=True)

    def _read(self, text: str) -> tuple[str, NDArray[np.int32]]:
        spans = sorted(self.analyzer.spans(text), key=lambda token: (token.start, token.end))
        numbers = {start: n for n, start in enumerate(dict.fromkeys(token.start for token in spans))}
        places = [(token.start, numbers[token.start], token.end) for token in spans]
        return "\t".join(token.text for token in spans), np.array(places, np.int32).reshape(-1, 3).T
