"""Ask strictly first, and less strictly where that finds nothing: RAGFlow's adaptive fallback.

A list of words must hold a share of the query's terms, a list of vectors must reach a similarity.  Where
both lists are empty, both limits are lowered once, and the answer says so.

Source: RAGFlow, its search with ``min_match`` 0.3 (then 0.1) and ``similarity`` 0.2 (then 0.17).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.core import Drop, Index, Operator, Ranking, at_least, at_most, knob
from lab.retrieve.lexical import LexicalIndex
from lab.words import N_, Said


@dataclass(frozen=True)
class Retrieval:
    """The two lists, ready to be fused; ``relaxed`` and a sentence that says whether the limits were lowered."""

    lexical: Ranking
    vector: Ranking
    relaxed: bool
    said: Said

    @property
    def rankings(self) -> tuple[Ranking, Ranking]:
        """Both lists, words first."""
        return self.lexical, self.vector


@dataclass(frozen=True)
class Limited(Operator):
    """What made a list that a limit has shortened: the retriever, whose name the list keeps, and the limit."""

    of: Operator
    limit: float

    @property
    def label(self) -> str:
        return self.of.label


@dataclass(frozen=True)
class AdaptiveFallback(Operator):
    """Limits for a lexical and a vector retrieval, and what they become when nothing passes them."""

    match: float = knob(0.3, low=0.0, high=1.0, step=0.05)
    similarity: float = knob(0.2, low=0.0, high=1.0, step=0.01)
    relaxed_match: float = knob(0.1, low=0.0, high=1.0, step=0.05)
    relaxed_similarity: float = knob(0.17, low=0.0, high=1.0, step=0.01)

    def __post_init__(self) -> None:
        super().__post_init__()
        at_most("relaxed_match", self.relaxed_match, self.match)
        at_most("relaxed_similarity", self.relaxed_similarity, self.similarity)

    @property
    def label(self) -> str:
        return "Adaptive fallback"

    def __call__(self, lexical: LexicalIndex, vector: Index, query: str, *, k: int = 20) -> Retrieval:
        """The first ``k`` of each list that pass the limits.  The vector index should score by cosine."""
        at_least("k", k, 1)
        strict = self._ask(lexical, vector, query, k, self.match, self.similarity)
        if strict[0].hits or strict[1].hits:
            return Retrieval(*strict, False, Said("The first limits were enough."))
        relaxed = self._ask(lexical, vector, query, k, self.relaxed_match, self.relaxed_similarity)
        found = len({h.document.id for r in relaxed for h in r})
        limits = {
            "match": self.match,
            "similarity": self.similarity,
            "relaxed_match": self.relaxed_match,
            "relaxed_similarity": self.relaxed_similarity,
        }
        if not found:
            said = Said(
                "Nothing passed {match:.2f} of the query terms or a similarity of {similarity:.2f}, "
                "nor {relaxed_match:.2f} and {relaxed_similarity:.2f}.",
                **limits,
            )
        else:
            said = Said(
                "Nothing passed {match:.2f} of the query terms or a similarity of {similarity:.2f}. "
                "With {relaxed_match:.2f} and {relaxed_similarity:.2f}: {found} documents.",
                **limits,
                found=found,
            )
        return Retrieval(*relaxed, True, said)

    def _ask(
        self, lexical: LexicalIndex, vector: Index, query: str, k: int, match: float, similarity: float
    ) -> tuple[Ranking, Ranking]:
        start = time.perf_counter()
        terms = len(lexical.query_terms(query))
        there = matched_terms(lexical, query)
        need = max(1, math.ceil(match * terms - 1e-9))
        depth, total = 2 * k, len(lexical.corpus)
        words = lexical.search(query, k=depth)
        enough = min(k, int((there >= need).sum()))
        places = lexical.corpus.positions

        def passes(doc_id: str) -> bool:
            return bool(there[places[doc_id]] >= need)

        while depth < total and sum(passes(h.document.id) for h in words) < enough:
            depth *= 2
            words = lexical.search(query, k=depth)
        reason = N_("It has {there} of {terms} query terms; {need} are asked for.")
        drops = [
            Drop(h.document, Said(reason, there=int(there[places[h.document.id]]), terms=terms, need=need), self.label)
            for h in words
            if not passes(h.document.id)
        ]
        kept = tuple(h for h in words if passes(h.document.id))[:k]
        limited = Ranking(
            query,
            kept,
            Limited(words.made_by, match),
            (words,),
            tuple(drops),
            time.perf_counter() - start,
            lexical.corpus,
        )

        start = time.perf_counter()
        near = vector.search(query, k=k)
        far = N_("Similarity {score:.3f} is below {similarity:.2f}.")
        drops = [
            Drop(h.document, Said(far, score=h.score, similarity=similarity), self.label)
            for h in near
            if h.score < similarity
        ]
        hits = tuple(h for h in near if h.score >= similarity)
        return limited, Ranking(
            query,
            hits,
            Limited(near.made_by, similarity),
            (near,),
            tuple(drops),
            time.perf_counter() - start,
            near.corpus,
        )


def matched_terms(index: LexicalIndex, query: str) -> NDArray[np.int64]:
    """How many different terms of the query each document holds, in corpus order, shape [N]."""
    own = index.for_query(query)
    count = np.zeros(len(index.corpus), dtype=np.int64)
    for term in index.query_terms(query):
        column = own.matrix.vocabulary.get(term)
        if column is not None:
            count[own.matrix.docs[own.matrix.column(column)]] += 1
    return count
