"""Computes the features of the learned mix: how well each candidate's words and meaning match the question.

Each feature is computed from the document itself, whichever list found it: see `lab.refine.learned`.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lab.algebra import ALONE, Corpus, Document, Env, Query
from lab.kept import Kept
from lab.models.embedders import Embedder, query_vector, vectors_for
from lab.models.pieces import REMEMBERED, Pieces
from lab.numeric import Floats, Ints, unit
from lab.refine.coverage import Meanings, idf
from lab.retrieve.lexical import BM25
from lab.text import Analyzer


class Question:
    """A question and the documents that are compared with it; every feature is an array of shape [documents]."""

    def __init__(
        self,
        query: Query,
        documents: Sequence[Document],
        corpus: Corpus,
        analyzer: Analyzer,
        embedder: Embedder,
        neural: Embedder,
        env: Env = ALONE,
    ) -> None:
        self.query, self.documents, self.corpus, self.env = query, documents, corpus, env
        self.embedder, self.by_neural = embedder, neural
        self.by = BM25(variant="lucene", analyzer=analyzer)
        index = corpus.awaited(("index", self.by), lambda report: self.by.index(corpus, progress=report), env.progress)
        self.index = index.for_query(query)
        self.analyzer = self.index.analyzer
        self.terms = self.index.query_terms(query)
        matrix = self.index.matrix
        columns = [matrix.vocabulary.get(term) for term in self.terms]
        self.idf = np.array([idf(len(corpus), 0.0 if j is None else float(matrix.df[j])) for j in columns])
        self.tf, self.lengths = np.zeros((len(documents), len(columns))), np.zeros(len(documents))
        positions = {i: corpus.positions[d.id] for i, d in enumerate(documents) if corpus.get(d.id) == d}
        places = np.array(list(positions.values()), matrix.docs.dtype)
        self.lengths[list(positions)] = matrix.lengths[places]
        for t, j in enumerate(columns):
            if j is not None:
                docs, tf = matrix.docs[matrix.column(j)], matrix.tf[matrix.column(j)]
                at = np.minimum(np.searchsorted(docs, places), len(docs) - 1)
                self.tf[list(positions), t] = np.where(docs[at] == places, tf[at], 0)
        for i in set(range(len(documents))) - positions.keys():  # shortened by an earlier stage, or of another corpus
            tokens = self.analyzer.tokens(documents[i].content)
            counts = Counter(tokens)
            self.tf[i], self.lengths[i] = [counts[term] for term in self.terms], len(tokens)

    def bm25(self) -> Floats:
        """Returns the `BM25` score (Lucene), even for documents that BM25 did not retrieve."""
        k1, b, counts = self.by.k1, self.by.b, np.array(list(self.terms.values()))
        norm = 1 - b + b * self.lengths / self.index.matrix.average_length
        factor = self.tf / np.where(self.tf > 0, self.tf + k1 * norm[:, None], 1.0)
        return np.asarray(np.einsum("ij,j->i", factor, counts * self.idf))

    def whole(self) -> Floats:
        """Returns the cosine of the question and the whole passage."""
        return self._cosines(self.embedder)

    def neural(self) -> Floats:
        """Returns the cosine of question and passage under the neural embedder."""
        return self._cosines(self.by_neural)

    def _cosines(self, embedder: Embedder) -> Floats:
        query, rows = vectors_for(embedder, self.query.text, self.documents, self.corpus, self.env)
        # einsum adds up row by row: equal passages get exactly equal cosines, and their tie is a tie
        return np.asarray(np.einsum("ij,j->i", unit(rows), unit(query[None])[0]))

    def sentence(self) -> Floats:
        """Returns the cosine of the question and the nearest sentence of the passage."""
        vector = query_vector(self.embedder, self.query.text, self.corpus, self.env)
        pieces = Pieces.of(self.embedder, self.corpus)
        return pieces.best(unit(vector[None])[0], self.documents, self.env.progress).cosines

    def maxsim(self) -> Floats:
        """Returns the soft coverage of `lab.refine.coverage.MaxSim` before normalisation."""
        m = Meanings(self.query.text, self.corpus, self.env.progress)
        return np.asarray(np.einsum("ij,j->i", m.held(self.documents), m.weights))

    def exact(self) -> Floats:
        """Returns the share of the question's words, weighted by IDF, that the passage contains, 0 to 1."""
        return self._share(self.tf > 0)

    def title(self) -> Floats:
        """Returns the share of the question's words, weighted by IDF, that the title contains, 0 to 1."""
        cache = self.corpus.once(("titles", self.analyzer), lambda: Kept[list[str]](REMEMBERED))
        titles = {d.title for d in self.documents}
        terms = {title: cache.computed(title, partial(self.analyzer.tokens, title)) for title in titles}
        have = [[term in terms[d.title] for term in self.terms] for d in self.documents]
        return self._share(np.array(have).reshape(self.tf.shape))

    def pairs(self) -> Floats:
        """Returns the share of the question's neighbouring words that are neighbours in the passage, 0 to 1."""
        query_pairs, *rows = map(
            Neighbours.of(self.corpus, self.analyzer), (self.query.text, *(d.content for d in self.documents))
        )
        ends = np.cumsum([0, *map(len, rows)])
        shared = np.concatenate(([0], np.cumsum(np.isin(np.concatenate([query_pairs[:0], *rows]), query_pairs))))
        return np.asarray(np.diff(shared[ends]) / max(len(query_pairs), 1))

    def _share(self, have: Any) -> Floats:
        total = float(self.idf.sum())
        return np.asarray(np.einsum("ij,j->i", have * 1.0, self.idf) / (total or 1.0))


FEATURES: Mapping[str, Callable[[Question], Floats]] = {
    name: getattr(Question, name)
    for name in ("bm25", "whole", "sentence", "maxsim", "exact", "pairs", "title", "neural")
}
"""Feature by feature, in the order of the fields of `Weights`."""
WORDS = ("bm25", "exact", "pairs", "title")
"""The features that only see equal words: where the list covers none of them, they tell nothing."""
SLOW = ("neural",)
"""The features that are reckoned only where they have a weight."""


@dataclass(eq=False)
class Neighbours:
    """Numbers the distinct pairs of neighbouring words of a text; caches the most recently used texts."""

    cut: Analyzer
    number: dict[str, int] = dataclasses.field(default_factory=dict)
    unused: Iterator[int] = dataclasses.field(default_factory=itertools.count)
    kept: Kept[Ints] = dataclasses.field(default_factory=lambda: Kept(REMEMBERED))

    @staticmethod
    def of(corpus: Corpus, analyzer: Analyzer) -> Neighbours:
        """Returns the neighbour table of a corpus, cached with it.

        The analyzer used reads a text as one sequence of words, without overlaps and gaps.
        """
        mode = "precise" if analyzer.mode in ("search", "full") else analyzer.mode
        cut = dataclasses.replace(analyzer, mode=mode, single=True, pairs=False, bigrams=False)
        cut = dataclasses.replace(cut, numbers=False, questions=False, characters=False)
        return corpus.once(("neighbours", cut), lambda: Neighbours(cut))

    def __call__(self, text: str) -> Ints:
        return self.kept.computed(text, lambda: self._pairs(text))

    def _pairs(self, text: str) -> Ints:
        # setdefault: a word keeps its number when two threads ask for it at once
        row = np.array([self.number.setdefault(t, next(self.unused)) for t in self.cut.tokens(text)], np.int64)
        return np.unique((row[:-1] << 32) | row[1:])
