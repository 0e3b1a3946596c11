"""BM25 and TF-IDF from one sparse term-document matrix.

Each score is a sum with one addend per query term, so `Hit.why` is the score taken apart, and `explain`
gives the numbers (tf, df, idf, length) that the page puts into the formula.  The matrix of a corpus is
made once per analyzer; changing k1 or b only weighs it anew.

Sources: S. Robertson and H. Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond*, 2009;
A. Trotman, A. Puurula, B. Burgess, *Improvements to BM25 and Language Models Examined*, 2014 (L and Plus);
C. Kamphuis et al., *Which BM25 Do You Mean?*, 2020 (Lucene); scikit-learn's ``TfidfVectorizer``.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from lab.core import Contribution, Corpus, Hit, Index, Ranking, Retriever, at_least, knob
from lab.numeric import Floats, Ints
from lab.text import Analyzer


@dataclass(frozen=True, eq=False)
class TermMatrix:
    """Term counts of a corpus, by column: term ``j`` stands in ``docs[starts[j]:starts[j + 1]]``.

    ``tf`` holds the counts at the same places, ``lengths`` the tokens per document (shape [N]), ``df`` the
    documents per term (shape [V]).
    """

    vocabulary: dict[str, int]
    starts: Ints
    docs: Ints
    tf: Floats
    lengths: Floats
    df: Floats

    @staticmethod
    def of(corpus: Corpus, analyzer: Analyzer) -> TermMatrix:
        """The matrix of this corpus under this analyzer; made once and kept with the corpus."""
        return corpus.once(("terms", analyzer), lambda: TermMatrix.count([d.content for d in corpus], analyzer))

    @staticmethod
    def count(texts: Sequence[str], analyzer: Analyzer) -> TermMatrix:
        """Count the tokens of these texts."""
        number: defaultdict[str, int] = defaultdict()
        number.default_factory = number.__len__  # a new term gets the next number
        numbered = [np.array([number[t] for t in analyzer.tokens(text)], np.int64) for text in texts]
        vocabulary, n = dict(number), len(texts)
        lengths = np.array([len(terms) for terms in numbered], np.float64)
        each = np.concatenate(numbered) if numbered else np.zeros(0, np.int64)
        places = each * n + np.repeat(np.arange(n), lengths.astype(np.int64))
        places, tf = np.unique(places, return_counts=True)  # by term, then by document
        terms, docs = np.divmod(places, max(n, 1))
        df = np.bincount(terms, minlength=len(vocabulary))
        starts = np.concatenate(([0], np.cumsum(df)))
        return TermMatrix(vocabulary, starts, docs, tf.astype(np.float64), lengths, df.astype(np.float64))

    @property
    def average_length(self) -> float:
        """Mean tokens per document; 1 where there is nothing, so that nobody divides by zero."""
        return float(self.lengths.mean()) if len(self.lengths) and self.lengths.any() else 1.0

    def column(self, j: int) -> slice:
        """The places of term ``j`` in ``docs`` and ``tf``."""
        return slice(int(self.starts[j]), int(self.starts[j + 1]))


@dataclass(frozen=True, slots=True)
class TermPart:
    """What one query term adds to one document's score, with every number that goes into it.

    ``count`` is how often the term stands in the query, ``tf`` and ``length`` belong to the document, ``df``
    and ``idf`` to the corpus; ``factor`` is the saturated or damped term frequency, ``value`` the addend.
    """

    term: str
    count: int
    tf: float
    df: int
    idf: float
    length: float
    average_length: float
    factor: float
    value: float


@dataclass(eq=False)
class LexicalIndex(Index):
    """A weighted term matrix; `search` adds up the columns of the query's terms."""

    operator: Lexical
    corpus: Corpus
    matrix: TermMatrix
    weights: Floats  # one per entry of matrix.tf
    idf: Floats
    floor: Floats | None = None  # what a term adds to every document, there or not (BM25 Plus)

    @cached_property
    def _with_singles(self) -> LexicalIndex:
        return replace(self.operator, analyzer=replace(self.operator.analyzer, single=True)).index(self.corpus)

    def for_query(self, query: str) -> LexicalIndex:
        """This index, or the one that keeps one-character tokens where the query has nothing else to find."""
        own = self.operator.analyzer
        if any(t in self.matrix.vocabulary for t in own.tokens(query)):
            return self
        return self._with_singles if own.for_query(query) is not own or own.only_pairs(query) else self

    def query_terms(self, query: str) -> dict[str, int]:
        """The query's terms and how often each occurs, in query order; also those the corpus never uses."""
        return dict(Counter(self.for_query(query).operator.analyzer.tokens(query)))

    def _known(self, query: str) -> list[tuple[str, int, float]]:
        """(term, column, weight in the query) of the terms that the corpus has."""
        counts = Counter(t for t in self.operator.analyzer.tokens(query) if t in self.matrix.vocabulary)
        terms = [(t, self.matrix.vocabulary[t], float(n)) for t, n in counts.items()]
        return self.operator.weigh_query(terms, self.idf)

    def scores(self, query: str) -> Floats:
        """The score of every document, in corpus order, shape [N]."""
        index = self.for_query(query)
        known = index._known(query)
        total = index._sums(known)
        return total if index.floor is None else total + sum(w * index.floor[j] for _, j, w in known)

    def _sums(self, known: list[tuple[str, int, float]]) -> Floats:
        total = np.zeros(len(self.corpus))
        for _, j, w in known:
            at = self.matrix.column(j)
            total[self.matrix.docs[at]] += w * self.weights[at]
        return total

    def search(self, query: str, *, k: int = 100, explain: bool = True) -> Ranking:
        start = time.perf_counter()
        at_least("k", k, 1)
        index = self.for_query(query)
        known = index._known(query)
        total = index._sums(known)
        if index.floor is not None:  # before the order is made: adding it can round two scores to one
            total[total != 0] += sum(w * index.floor[j] for _, j, w in known)
        places = best(total, k)
        why = index._why(known, places) if explain else [()] * len(places)
        documents = self.corpus.documents
        scores = total[places].tolist()
        hits = tuple(Hit(documents[i], s, y) for i, s, y in zip(places.tolist(), scores, why, strict=True))
        return Ranking(query, hits, self.operator, seconds=time.perf_counter() - start, corpus=self.corpus)

    def _why(self, known: list[tuple[str, int, float]], places: Ints) -> list[tuple[Contribution, ...]]:
        parts: list[list[Contribution]] = [[] for _ in places]
        for term, j, w in known:
            at = self.matrix.column(j)
            docs = self.matrix.docs[at]
            floor = 0.0 if self.floor is None else w * float(self.floor[j])
            if not len(docs):
                continue
            found = np.minimum(np.searchsorted(docs, places), len(docs) - 1)
            values = np.where(docs[found] == places, w * self.weights[at][found], 0.0)
            for part, value in zip(parts, values.tolist(), strict=True):
                if value or floor:
                    part.append(Contribution(term, value + floor))
        return [tuple(p) for p in parts]

    def explain(self, query: str, doc_id: str) -> tuple[TermPart, ...]:
        """One `TermPart` per query term for this document, absent terms included."""
        index = self.for_query(query)
        place = self.corpus.positions[doc_id]
        m = index.matrix
        known = {t: (j, w) for t, j, w in index._known(query)}
        parts = []
        for term, count in index.query_terms(query).items():
            tf = df = idf = value = factor = 0.0
            if term in known:
                j, w = known[term]
                at = m.column(j)
                found = np.flatnonzero(m.docs[at] == place)
                df, idf = float(m.df[j]), float(index.idf[j])
                if len(found):
                    tf = float(m.tf[at][found[0]])
                    value = w * float(index.weights[at][found[0]])
                    factor = value / (count * idf) if idf else 0.0
                if index.floor is not None:
                    value += w * float(index.floor[j])
            parts.append(
                TermPart(term, count, tf, int(df), idf, float(m.lengths[place]), m.average_length, factor, value)
            )
        return tuple(parts)


def best(scores: Floats, k: int) -> Ints:
    """The places of the ``k`` best scores that are not zero, best first, ties by place."""
    places = np.flatnonzero(scores != 0)  # of booleans: several times as fast as of floats
    if len(places) > k:
        limit = np.partition(scores[places], len(places) - k)[len(places) - k]
        places = places[scores[places] >= limit]
    return places[np.lexsort((places, -scores[places]))][:k]


@dataclass(frozen=True)
class Lexical(Retriever):
    """What BM25 and TF-IDF share: an analyzer, and weights on a term matrix."""

    family = "lexical"

    analyzer: Analyzer = field(default=Analyzer(), kw_only=True)

    def index(self, corpus: Corpus) -> LexicalIndex:
        matrix = TermMatrix.of(corpus, self.analyzer)
        idf = self.idf(matrix)
        return LexicalIndex(self, corpus, matrix, self.weigh(matrix, idf), idf, self.floor(idf))

    @abstractmethod
    def idf(self, m: TermMatrix) -> Floats:
        """One weight per term, shape [V]."""

    @abstractmethod
    def weigh(self, m: TermMatrix, idf: Floats) -> Floats:
        """One weight per entry of the matrix, shape of ``m.tf``."""

    @abstractmethod
    def weigh_query(self, terms: list[tuple[str, int, float]], idf: Floats) -> list[tuple[str, int, float]]:
        """(term, column, count in the query) to (term, column, weight in the query)."""

    def floor(self, idf: Floats) -> Floats | None:
        """What a term adds to every document, there or not; None for nothing."""
        return None


@dataclass(frozen=True)
class BM25(Lexical):
    r"""BM25 and its variants.

    With l the document's length in tokens, a the average, n = 1 - b + b l/a:

    ========  ================================  =======================================
    variant   idf(t)                            factor of tf
    ========  ================================  =======================================
    okapi     ln((N - df + .5)/(df + .5)) *     tf (k1 + 1) / (tf + k1 n)
    lucene    ln(1 + (N - df + .5)/(df + .5))   tf / (tf + k1 n)
    l         ln((N + 1)/(df + .5))             tf (k1 + 1)(c + delta)/(k1 + c + delta), c = tf/n
    plus      ln((N + 1)/df)                    delta + tf (k1 + 1) / (tf + k1 n)
    odds      (N - df + .5)/(df + .5)           tf (k1 + 1) / (tf + k1 n)
    ========  ================================  =======================================

    \* Where Okapi's idf is negative (a term in more than half of the documents), it is replaced by
    ``epsilon`` times the mean idf, as in rank-bm25, whose ``get_scores`` okapi, l and plus equal when k1, b,
    delta and epsilon do (its own delta for l is 0.5).  Plus adds delta idf to every document alike; those
    without any term of the query are still not returned.  Lucene equals bm25s.  ``odds`` is a mistake found
    in tutorials (the logarithm forgotten), kept to be looked at.
    """

    k1: float = knob(1.5, low=0.0, high=10.0, step=0.1)
    b: float = knob(0.75, low=0.0, high=1.0, step=0.05)
    variant: str = knob("okapi", choices=("okapi", "lucene", "l", "plus", "odds"))
    delta: float = knob(1.0, low=0.0, high=4.0, step=0.1, rare=True)
    epsilon: float = knob(0.25, low=0.0, high=1.0, step=0.05, rare=True)

    @property
    def label(self) -> str:
        return "BM25" if self.variant == "okapi" else f"BM25 {self.variant.capitalize()}"

    def idf(self, m: TermMatrix) -> Floats:
        n, df = float(len(m.lengths)), m.df
        if not len(df):
            return np.zeros(0)
        if self.variant == "lucene":
            return np.log(1 + (n - df + 0.5) / (df + 0.5))
        if self.variant == "l":
            return np.asarray(np.log(n + 1) - np.log(df + 0.5))
        if self.variant == "plus":
            return np.log((n + 1) / df)
        if self.variant == "odds":
            return (n - df + 0.5) / (df + 0.5)
        idf = np.log(n - df + 0.5) - np.log(df + 0.5)
        return np.asarray(np.where(idf < 0, self.epsilon * idf.mean(), idf))

    def weigh(self, m: TermMatrix, idf: Floats) -> Floats:
        tf, k1 = m.tf, self.k1
        norm = (1 - self.b + self.b * m.lengths / m.average_length)[m.docs]
        if self.variant == "lucene":
            factor = tf / (tf + k1 * norm)
        elif self.variant == "l":
            with np.errstate(
                divide="ignore", invalid="ignore"
            ):  # b = 1 and nothing to divide: norm is never 0 where tf > 0
                c = tf / norm
            factor = tf * (k1 + 1) * (c + self.delta) / (k1 + c + self.delta)
        else:
            factor = tf * (k1 + 1) / (tf + k1 * norm)
        return np.asarray(np.repeat(idf, m.df.astype(np.int64)) * factor)

    def weigh_query(self, terms: list[tuple[str, int, float]], idf: Floats) -> list[tuple[str, int, float]]:
        return terms

    def floor(self, idf: Floats) -> Floats | None:
        return self.delta * idf if self.variant == "plus" else None


@dataclass(frozen=True)
class TFIDF(Lexical):
    r"""The cosine of TF-IDF vectors, weights as in scikit-learn's ``TfidfVectorizer``.

    A weight is ``tf * idf``, tf replaced by ``1 + ln tf`` where ``sublinear``; idf is ``ln((1 + N)/(1 + df)) + 1``
    (smooth), ``ln(N/df) + 1`` (plain, scikit-learn's ``smooth_idf=False``) or ``ln(N/df)`` (textbook: a term
    in every document weighs nothing).  Both vectors have length 1, so the score is a sum over shared terms.
    """

    idf_form: str = knob("smooth", choices=("smooth", "plain", "textbook"))
    sublinear: bool = knob(False)

    @property
    def label(self) -> str:
        return "TF-IDF"

    def idf(self, m: TermMatrix) -> Floats:
        n, df = float(len(m.lengths)), m.df
        if self.idf_form == "smooth":
            return np.log((1 + n) / (1 + df)) + 1
        plain = np.log(n / df) if len(df) else np.zeros(0)
        return plain + 1 if self.idf_form == "plain" else plain

    def _damp(self, tf: Floats) -> Floats:
        return 1 + np.log(tf) if self.sublinear else tf

    def weigh(self, m: TermMatrix, idf: Floats) -> Floats:
        raw = np.repeat(idf, m.df.astype(np.int64)) * self._damp(m.tf)
        norm = np.sqrt(np.bincount(m.docs, weights=raw**2, minlength=len(m.lengths)))
        norm[norm == 0] = 1
        return np.asarray(raw / norm[m.docs])

    def weigh_query(self, terms: list[tuple[str, int, float]], idf: Floats) -> list[tuple[str, int, float]]:
        if not terms:
            return []
        columns = np.array([j for _, j, _ in terms])
        raw = idf[columns] * self._damp(np.array([n for _, _, n in terms]))
        norm = float(np.sqrt((raw**2).sum())) or 1.0
        return [(t, j, float(w)) for (t, j, _), w in zip(terms, raw / norm, strict=True)]


__all__ = ["BM25", "TFIDF", "LexicalIndex", "TermMatrix", "TermPart"]
