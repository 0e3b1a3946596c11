"""BM25 and TF-IDF from one sparse term-document matrix.

Each score is a sum with one component per query term, so `Hit.why` breaks the score down, and `explain` gives the
numbers (tf, df, idf, length) that the page puts into the formula.  The matrix of a corpus contains counts as small
integers and is made once per analyzer; an index weighs the columns of a query at search time, so changing k1 or b
costs nothing.

Sources: S. Robertson and H. Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond*, 2009;
A. Trotman, A. Puurula, B. Burgess, *Improvements to BM25 and Language Models Examined*, 2014 (L and Plus);
C. Kamphuis et al., *Which BM25 Do You Mean?*, 2020 (Lucene); scikit-learn's ``TfidfVectorizer``.
"""

from __future__ import annotations

import copy
import math
import time
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.algebra import (
    NONE,
    Contribution,
    Corpus,
    Hit,
    Index,
    Later,
    Models,
    Progress,
    Query,
    Ranking,
    Retriever,
    best_first,
    counted,
    fraction,
    knob,
)
from lab.formula import Formula, ln, n
from lab.numeric import Floats, Ints
from lab.retrieve.explaining import Explanation, Marker, word_marker
from lab.retrieve.matrix import BLOCK, TermMatrix
from lab.text import ANALYZER, Analyzer, Token, is_han, surface
from lab.words import N_, Said

Places = NDArray[np.integer]
Terms = list[tuple[str, int, float]]
"""(term, its column in the matrix, its weight in the query)"""
FEW = 2_000
"""Number of entries of the rarest terms that are weighed first."""
SOUGHT = 16
"""Looking up a document among a term's documents costs as much as reading this many entries in sequence."""
LENGTH = Said("passage length")
"""The name of a score component that depends on the length of the passage only."""
MANY, LARGE = 10_000, 30_000
"""From this many entries and documents on, a search skips documents that cannot be among the best; with fewer, finding
these documents costs more than it saves."""


@dataclass(frozen=True, slots=True)
class TermPart:
    """What one query term adds to one document's score, with every number that goes into it.

    ``count`` is the number of occurrences in the query (or the weight there), ``tf`` and ``length`` belong to the
    document, ``df`` and ``idf`` to the corpus; ``factor`` is the saturated or damped term frequency, ``value`` the
    score component.  ``cf`` is the number of occurrences in the whole corpus.
    """

    term: str
    count: float
    tf: float
    df: int
    idf: float
    length: float
    average_length: float
    factor: float
    value: float
    cf: float = 0.0


class Table(NamedTuple):
    """Terms in documents, [terms, documents]: the number of the matrix entry, -1 for none; the score component."""

    entries: Ints
    addends: Floats

    def select(self, columns: Ints) -> Table:
        """Returns the table of some of the documents."""
        return Table(self.entries[:, columns], self.addends[:, columns])

    @property
    def total(self) -> Floats:
        """The sums over the terms, added one by one as in `LexicalIndex._summed`, so equal to the last digit."""
        total = np.zeros(self.addends.shape[1])
        for row in self.addends:
            total += row
        return total


@dataclass(eq=False)
class LexicalIndex(Index):
    """A weighted term matrix; `search` adds the columns of the query's terms."""

    operator: TermWeights
    corpus: Corpus
    matrix: TermMatrix
    idf: Floats
    norms: Floats  # one per document
    floor: Floats | None = None  # added by a term to every document, even without it (BM25 Plus)
    shift: Floats | None = None  # added to a document for each query term, even without it (depends on its length)
    rows: NDArray[np.bool_] | None = None  # the documents that may be in a list; None: all
    _maxima: dict[int, float] = field(default_factory=dict, repr=False)
    _by_analyzer: dict[Analyzer, LexicalIndex] = field(default_factory=dict, repr=False)
    _room: list[Floats] = field(default_factory=list, repr=False)  # one zero per document, for the next sums

    def within(self, rows: NDArray[np.bool_]) -> LexicalIndex:
        """See `Index.within`: other documents are left out before anything is scored."""
        index = copy.copy(self)
        index.rows, index._by_analyzer = rows, {}
        return index

    def for_query(self, query: str | Query) -> LexicalIndex:
        """Returns this index, or one of question words or characters if a query has nothing else (see `looked_up`)."""
        usual, query = self.analyzer, Query.of(query)
        text = " ".join(word for word, _ in query.weights) or query.text
        used = looked_up(usual, text, self.matrix.vocabulary)
        if used is usual:
            return self
        if used not in self._by_analyzer:
            assert isinstance(self.operator, Lexical)
            index = replace(self.operator, analyzer=used).index(self.corpus)
            self._by_analyzer[used] = index if self.rows is None else index.within(self.rows)
        return self._by_analyzer[used]

    @property
    def analyzer(self) -> Analyzer:
        """How texts become terms, if the retriever has an analyzer."""
        assert isinstance(self.operator, Lexical)
        return self.operator.analyzer

    def query_terms(self, query: str | Query) -> dict[str, float]:
        """The query's terms and how often each occurs (or its weight), in query order, including unknown ones."""
        return self.for_query(query)._counts(Query.of(query))

    def _counts(self, query: Query) -> dict[str, float]:
        return counts(query, self.analyzer)

    def _known(self, query: Query) -> Terms:
        """(term, column, weight in the query) of the terms that the corpus has."""
        number = self.matrix.vocabulary
        terms = [(t, number[t], n) for t, n in self._counts(query).items() if t in number]
        return self.operator.weigh_query(terms, self.idf)

    def names(self, query: str | Query) -> dict[str, str]:
        """Returns the name of each query term on the screen: see `names`."""
        return names(Query.of(query), self.for_query(query).analyzer)

    def postings(self, query: str | Query) -> Iterator[tuple[str, Places, Floats, Floats, float]]:
        """The postings of each term of the query that the corpus has.

        Per term: itself, the documents that hold it (positions in the corpus, ascending), how often each does, what the
        term adds to the score of each (three arrays of shape [df]), and what it adds to every document that is found
        (BM25 Plus; else 0).
        """
        index = self.for_query(query)
        for term, j, w in index._known(Query.of(query)):
            at = index.matrix.column(j)
            documents, weights = index._weights(at, index.idf[j])
            yield term, documents, index.matrix.tf[at].astype(np.float64), w * weights, index._floor(j, w)

    def scored(self, query: str | Query, *, k: int) -> int:
        """Returns how many documents a search for the ``k`` best scores fully.

        These are all that contain a term, or fewer in a large corpus, where it skips some (`_promising`).
        """
        index = self.for_query(query)
        return len(index._scores(index._known(Query.of(query)), k)[0])

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        start = time.perf_counter()
        counted("k", k)
        query = Query.of(query)
        index = self.for_query(query)
        known, names = index._known(query), cache(lambda: index.names(query))
        documents_found, scores, table_made = index._scores(known, k)
        scores = index._with_constants(known, documents_found, scores)  # before sorting: it can round two scores to one
        first = best_first(scores, documents_found, self.corpus, k)
        at, documents = documents_found[first], self.corpus.documents
        table = cache(lambda: index._table(known, at) if table_made is None else table_made.select(first))
        hits = tuple(
            Hit(documents[i], score, index._why(known, names, table, rank, i) if explain else ())
            for rank, (i, score) in enumerate(zip(at.tolist(), scores[first].tolist(), strict=True))
        )
        seconds, requested = time.perf_counter() - start, k if len(documents_found) > k else 0
        return Ranking(query, hits, self.operator, seconds=seconds, asked=requested, corpus=self.corpus)

    def totals(self, query: str | Query) -> tuple[Places, Floats]:
        """Returns the positions of all documents with a term of the query, in order, and their scores."""
        index = self.for_query(query)
        known = index._known(Query.of(query))
        places, scores = index._summed(known)
        return places, index._with_constants(known, places, scores)

    def constants(self, query: str | Query) -> Floats:
        """Returns the score that each document has without any term of the query, shape [documents]."""
        index, size = self.for_query(query), len(self.corpus)
        return index._with_constants(index._known(Query.of(query)), np.arange(size), np.zeros(size))

    def reasons(self, query: str | Query, place: int) -> Sequence[Contribution]:
        """Returns the score components of the document at this position; none if it has no term and no constant."""
        index = self.for_query(query)
        known = index._known(Query.of(query))
        return index._why(known, lambda: index.names(query), lambda: index._table(known, np.array([place])), 0, place)

    def _with_constants(self, known: Terms, places: Places, scores: Floats) -> Floats:
        if self.floor is not None:
            scores = scores + sum(w * self.floor[j] for _, j, w in known)
        return scores if self.shift is None else scores + sum(w for _, _, w in known) * self.shift[places]

    def _scores(self, known: Terms, k: int) -> tuple[Places, Floats, Table | None]:
        """Returns documents with a term, in order, and their sums: all, or more than ``k`` with the best among them.

        The third value is the table of these documents, if it was made.
        """
        entries = self.matrix.df[[j for _, j, _ in known]].sum()
        if self.rows is not None and known and np.count_nonzero(self.rows) * SOUGHT * len(known) < entries:
            return self._among(known)
        few = entries < MANY or len(self.corpus) < LARGE
        if few or not known or self.shift is not None or any(w <= 0 or self.idf[j] <= 0 for _, j, w in known):
            return *self._summed(known), None
        docs = self._promising(known, k + 1)
        table = self._table(known, docs)
        return docs, table.total, table

    def _among(self, known: Terms) -> tuple[Places, Floats, Table]:
        """Returns the documents of a small set that have one of the terms, in order; only these are looked up."""
        assert self.rows is not None
        table = self._table(known, np.flatnonzero(self.rows))
        has_term = np.flatnonzero((table.entries >= 0).any(axis=0))
        table = table.select(has_term)
        return np.flatnonzero(self.rows)[has_term], table.total, table

    def _summed(self, known: Terms) -> tuple[Places, Floats]:
        """Returns the documents that have one of the terms, in order, and the sums of their components."""
        m, size = self.matrix, len(self.corpus)
        columns, at = np.array([j for _, j, _ in known], np.int64), [m.column(j) for _, j, _ in known]
        docs, tf = (np.concatenate([part[:0], *(part[entry] for entry in at)]) for part in (m.docs, m.tf))
        each = m.starts[columns + 1] - m.starts[columns]
        weights = self.operator.weigh(tf.astype(np.float64), self.norms[docs], np.repeat(self.idf[columns], each))
        addends = np.repeat(np.array([w for _, _, w in known]), each) * weights
        if self.rows is not None:
            inside = self.rows[docs]
            docs, addends = docs[inside], addends[inside]
        if len(docs) > size / 32:  # with this many, one number per document costs less than sorting
            has_term = np.zeros(size, np.bool_)
            has_term[docs] = True  # also where the sum is 0
            return np.flatnonzero(has_term), np.asarray(np.bincount(docs, addends, size)[has_term], np.float64)
        order = np.argsort(docs, kind="stable")
        new = np.diff(docs[order], prepend=-1) > 0
        return docs[order][new], np.asarray(np.bincount(np.cumsum(new) - 1, addends[order]), np.float64)

    def _promising(self, known: Terms, k: int) -> Places:
        """Returns the documents that may be among the ``k`` best, and few others; components must be positive.

        ``k`` documents of rare terms give a minimum score; a term then adds new documents only while it and the more
        frequent ones together can reach that score, and afterwards only adds to those that can still reach it.
        Source: H. Turtle and J. Flood, *Query Evaluation: Strategies and Optimizations*, 1995 (MaxScore).
        """
        known = sorted(known, key=lambda term: self.matrix.df[term[1]])
        # of this term and all later ones
        rest = np.cumsum([0.0, *(w * self._most(j) for _, j, w in reversed(known))])[::-1]
        slack = 1e-9 * (rest[0] + sum(self._floor(j, w) for _, j, w in known))  # sums are rounded
        try:
            sums = self._room.pop()
        except IndexError:  # the first search, or another visitor's search is using it
            sums = np.zeros(len(self.corpus))
        docs, entries, exact = np.zeros(0, np.intp), 0, dict[int, float]()
        n, needed, size = 0, len(known), max(FEW, k * len(known))  # these terms have ``k`` documents, or are all
        least = cut = 0.0  # of the ``k`` best: the lowest final score, and the lowest sum so far
        while n < needed:
            fresh = [docs]
            while n < needed and entries <= size:
                _, j, w = known[n]
                term_docs, weights = self._weights(self.matrix.column(j), self.idf[j])
                before = sums.take(term_docs)
                sums[term_docs] = before + w * weights
                new_docs = term_docs[before == 0]
                fresh.append(new_docs if self.rows is None else new_docs[self.rows[new_docs]])
                n, entries = n + 1, entries + len(term_docs)
            docs = np.concatenate(fresh)
            if len(docs) > k:
                reached = sums.take(docs)
                high = highest(reached, k, cut)
                first, cut = docs[high].tolist(), reached[high].min()
                if new := sorted(set(first) - exact.keys()):
                    exact.update(zip(new, self._table(known, np.array(new)).total.tolist(), strict=True))
                least = max(least, min(exact[d] for d in first) - slack)
                needed, size = int(np.count_nonzero(rest[:-1] >= least)), 4 * size
                docs = docs[reached + rest[n] >= least]  # a removed document stays out: ``least`` only rises
        weighed_terms, step = known[:n], 2
        while len(docs) > 4 * k and n < len(known):
            some, n, step = known[n : n + step], min(n + step, len(known)), 2 * step
            for i, term in enumerate(some, n - len(some)):
                self._add(term, docs, sums, least - rest[i])
            reached = sums.take(docs)
            cut = reached[highest(reached, k, cut)].min()
            least = max(least, cut - slack)
            docs = docs[reached + rest[n] >= least]
        if entries > len(sums) / 4:
            sums.fill(0)
        else:
            for _, j, _ in weighed_terms:
                sums[self.matrix.docs[self.matrix.column(j)]] = 0
        self._room[:] = [sums]
        return np.sort(docs)

    def _add(self, term: tuple[str, int, float], docs: Places, sums: Floats, least: float) -> None:
        """Adds a term's weights in these documents to their sums; a sum below ``least`` may stay unchanged."""
        _, j, w = term
        at = self.matrix.column(j)
        if len(docs) * SOUGHT < at.stop - at.start:
            docs.sort()
            sums[docs] += self._table([term], docs).addends[0]
        else:
            before = sums.take(self.matrix.docs[at])
            still = np.flatnonzero(before >= least)
            term_docs, weights = self._weights(still + at.start, self.idf[j])
            sums[term_docs] = before[still] + w * weights

    def _most(self, j: int) -> float:
        """Returns the highest weight of a term in any document; computed once."""
        if j not in self._maxima:
            self._maxima[j] = float(self._weights(self.matrix.column(j), self.idf[j])[1].max())
        return self._maxima[j]

    def _weights(self, at: slice | Ints, idf: float | Floats) -> tuple[Places, Floats]:
        """Returns the documents of these entries of the matrix, and the weights of a term with this idf in them."""
        docs, tf = self.matrix.docs[at].astype(np.intp), self.matrix.tf[at].astype(np.float64)
        return docs, self.operator.weigh(tf, self.norms.take(docs), idf)

    def _table(self, known: Terms, places: Places) -> Table:
        """Returns the entries of these terms in these documents and their components (without floors)."""
        m, shape = self.matrix, (len(known), len(places))
        places = places.astype(m.docs.dtype, copy=False)  # with another type, each column would be converted first
        columns, w = np.array([j for _, j, _ in known], np.int64)[:, None], np.array([w for _, _, w in known])[:, None]
        at = np.array([m.starts[j] + m.docs[m.column(j)].searchsorted(places) for _, j, _ in known], np.int64)
        at = at.reshape(shape)
        present = (at < m.starts[columns + 1]) & (m.docs.take(at, mode="clip") == places)
        at = np.where(present, at, -1)
        return Table(at, np.where(present, w * self._weights(at, self.idf[columns])[1], 0.0))

    def _why(
        self, known: Terms, names: Callable[[], dict[str, str]], table: Callable[[], Table], rank: int, place: int
    ) -> Later[Contribution]:
        """Returns the components of the document at this position, column ``rank`` of the table; computed when read."""

        def make() -> list[Contribution]:
            entries, values = (part[:, rank].tolist() for part in table())
            sums = defaultdict[str, float](float)
            for (term, j, w), at, value in zip(known, entries, values, strict=True):
                if at >= 0 or self.floor is not None:
                    sums[names()[term]] += value + self._floor(j, w)
            if self.shift is not None:
                sums[LENGTH] += sum(w for _, _, w in known) * float(self.shift[place])
            return [Contribution(name, value) for name, value in sums.items()]

        return Later(make)

    def _floor(self, j: int, w: float) -> float:
        """Returns what a term of this weight adds to the score of every document."""
        return 0.0 if self.floor is None else w * float(self.floor[j])

    def explain(self, query: str | Query, doc_id: str) -> tuple[TermPart, ...]:
        """Returns one `TermPart` per query term for this document, absent terms included."""
        index = self.for_query(query)
        place = self.corpus.positions[doc_id]
        m = index.matrix
        length = float(m.lengths[place])
        known = index._known(Query.of(query))
        entries, values = (part[:, 0].tolist() for part in index._table(known, np.array([place])))
        by_term = {t: (j, w, at, value) for (t, j, w), at, value in zip(known, entries, values, strict=True)}
        parts = []
        for term, count in index.query_terms(query).items():
            tf = df = cf = idf = value = factor = 0.0
            if term in by_term:
                j, w, at, value = by_term[term]
                df, cf, idf = float(m.df[j]), float(m.tf[m.column(j)].sum()), float(index.idf[j])
                tf = float(m.tf[at]) if at >= 0 else 0.0
                factor = value / (count * idf) if idf and count else 0.0
                value += index._floor(j, w)
            parts.append(TermPart(term, count, tf, int(df), idf, length, m.average_length, factor, value, cf))
        return tuple(parts)

    def formulas(self, query: str | Query, doc_id: str) -> dict[str, Formula]:
        """The formulas of a document's score components by name, with its numbers; two terms of one name are summed."""
        index = self.for_query(query)
        addends = index.operator.formula(index.explain(query, doc_id), len(self.corpus))
        return formulas_by_name(addends, self.names(query))

    def explanation(self, query: Query, doc_id: str) -> Explanation:
        """The arithmetic of a document's score: see `lab.retrieve.explaining.Explains`."""
        index, parts = self.for_query(query), self.explain(query, doc_id)
        average = index.matrix.average_length if index.matrix.lengths.any() else 0.0
        note = index.operator.note(parts, len(self.corpus), average)
        addends, absent = split(parts, self.names(query), self.formulas(query, doc_id))
        other_components = () if self.shift is None else (LENGTH,)
        return Explanation(addends, absent, index.operator, note, beside=other_components)

    def marker(self, query: Query) -> Marker:
        """Marks the words of the question in a text."""
        index = self.for_query(query)
        return word_marker(query.text, index.analyzer, index.matrix)

    def reading(self, query: Query) -> str:
        """Says how a question is searched if no usual term of it can be searched."""
        used, usual = self.for_query(query).analyzer, self.analyzer
        if used == usual:
            return ""
        return Said("with single characters") if used.mode != usual.mode else Said("with question words")


def _asked(query: Query, analyzer: Analyzer) -> Sequence[tuple[str, float]]:
    """Returns the texts of a query with their weights, without the words of the asker unless there are no others."""
    if not query.weights:
        return ((analyzer.without_asker(query.text), 1.0),)
    bare = [(analyzer.blank_asker(text), weight) for text, weight in query.weights]
    return bare if any(analyzer.tokens(text) for text, _ in bare) else query.weights


@lru_cache(maxsize=5000)
def _word_terms(analyzer: Analyzer, text: str) -> Sequence[str]:
    return tuple(analyzer.tokens(text))


def counts(query: Query, analyzer: Analyzer) -> dict[str, float]:
    """The terms of a query under an analyzer and how often each occurs (or its weight), in query order."""
    weights: defaultdict[str, float] = defaultdict(float)
    terms = _word_terms if query.weights else Analyzer.tokens  # a conversation repeats its words in every turn
    for text, weight in _asked(query, analyzer):
        for term in terms(analyzer, text):
            weights[term] += weight
    return dict(weights)


def names(query: Query, analyzer: Analyzer) -> dict[str, str]:
    """Returns the name of each query term on the screen: a pair by its characters, a stem by the first word with it.

    A pair and a word of the same characters have one name: they are one component.
    """
    names_by_term: dict[str, str] = {}
    for text, _ in _asked(query, analyzer):
        for token in analyzer.spans(text):
            names_by_term.setdefault(token.text, display_name(token, analyzer.word(text, token)))
    return names_by_term


def formulas_by_name(addends: Iterable[tuple[str, Formula]], names: Mapping[str, str]) -> dict[str, Formula]:
    """Returns the formulas of the components by name; two terms of one name are summed."""
    sums = dict[str, Formula]()
    for term, addend in addends:
        name = names.get(term, term)  # a component without a term already has its name
        sums[name] = sums[name] + addend if name in sums else addend
    return sums


def split(
    parts: Sequence[TermPart], names: Mapping[str, str], formulas: Mapping[str, Formula]
) -> tuple[Mapping[str, Formula], tuple[str, ...]]:
    """Returns the components of a document with a term of the question (else none), and the names of missing terms."""
    present = {names[part.term] for part in parts if part.tf}
    absent = tuple(name for name in dict.fromkeys(names.values()) if name not in present)
    return formulas if present else {}, absent


def numbers(parts: Sequence[TermPart], documents: int, average: float) -> str:
    """Returns the numbers of the corpus that the formulas of BM25 use; empty for a question without terms."""
    if not parts:
        return ""
    message = N_("passages: N = {n} · words in this one: {length}, on average {average}")
    return Said(message, n=documents, length=f"{parts[0].length:.0f}", average=f"{average:.1f}")


def looked_up(analyzer: Analyzer, text: str, known: Container[str]) -> Analyzer:
    """Returns the analyzer for a query; ``known`` are the terms that the given analyzer found in the corpus.

    If a query has only question words, they are used.  If single characters are not tokens, they are used if nothing
    else can be found: one Han character that is hidden in words (电 in 手机), or only words of one character, joined in
    pairs that no document has.
    """
    text = analyzer.without_asker(text)
    if analyzer.only_pairs(text) and not any(t in known for t in analyzer.tokens(text)):
        return replace(analyzer, mode="character")
    return analyzer.for_query(text)


def display_name(token: Token, word: str) -> str:
    """Returns the name of a token on the screen: a pair by its characters, a stem by its word."""
    if word != token.text and token.kind in ("word", "part", "joined") and not is_han(token.text):
        return Said("{word}, by its stem {stem}", word=word, stem=token.text)
    return surface(token.text)


def highest(scores: Floats, k: int, cut: float) -> Ints:
    """Returns the positions of the ``k`` highest scores, in any order; scores from ``cut`` on are tried first."""
    high = np.flatnonzero(scores >= cut)
    if len(high) < k:
        return highest(scores, k, -math.inf)
    return high[np.argpartition(scores[high], len(high) - k)[len(high) - k :]]


@dataclass(frozen=True)
class TermWeights(Retriever):
    """Weights on a term matrix, the basis of the scores of BM25, TF-IDF and others."""

    family = "lexical"
    settled = True

    @abstractmethod
    def idf(self, m: TermMatrix) -> Floats:
        """One weight per term, shape [V]."""

    @abstractmethod
    def norms(self, m: TermMatrix, idf: Floats) -> Floats:
        """The length of every document in the form that its weights need, shape [N]."""

    @abstractmethod
    def weigh(self, tf: Floats, norm: Floats, idf: float | Floats) -> Floats:
        """The weights of one term: its counts in some documents, their norms, its idf."""

    def weigh_query(self, terms: Terms, idf: Floats) -> Terms:
        """(term, column, count in the query) to (term, column, weight in the query)."""
        return terms

    @abstractmethod
    def formula(self, parts: Sequence[TermPart], documents: int) -> Iterator[tuple[str, Formula]]:
        """Yields the components of a document's score, term by term; ``documents`` is the size of the corpus."""

    def floor(self, idf: Floats) -> Floats | None:
        """Returns what a term adds to every document, even without it; None for nothing."""
        return None

    def shift(self, m: TermMatrix) -> Floats | None:
        """Returns what each document gets for every term of the query, even without it; None for nothing.

        The component is named `LENGTH`.  Such scores are summed for every document: MaxScore needs positive components.
        """
        return None

    def note(self, parts: Sequence[TermPart], documents: int, average: float) -> str:
        """Returns the numbers of the corpus that the formulas use, in words."""
        return ""


@dataclass(frozen=True)
class Lexical(TermWeights):
    """The base of BM25 and TF-IDF: an analyzer, and weights on a term matrix."""

    analyzer: Analyzer = ANALYZER(kw_only=True)

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> LexicalIndex:
        matrix = TermMatrix.for_corpus(corpus, self.analyzer, progress)
        idf = self.idf(matrix)
        return LexicalIndex(self, corpus, matrix, idf, self.norms(matrix, idf), self.floor(idf), self.shift(matrix))


SATURATION = partial(
    knob,
    1.5,
    low=0.0,
    high=10.0,
    step=0.1,
    label=Said("k₁"),
    help=Said("How quickly repeated occurrences stop adding to the score. 0: only presence counts."),
)
"""The field k1 of BM25 and of BM25F."""
NORMALISATION = partial(
    knob,
    0.75,
    low=0.0,
    high=1.0,
    step=0.05,
    label=Said("b"),
    help=Said("How strongly long documents are penalised. 0: not at all; 1: fully by length."),
)
SUBLINEAR = partial(
    knob,
    False,
    label=Said("Sublinear tf"),
    help=Said("1 + ln tf instead of tf: ten occurrences do not count ten times."),
)


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
    no-log-idf (N - df + .5)/(df + .5)           tf (k1 + 1) / (tf + k1 n)
    ========  ================================  =======================================

    \* Where Okapi's idf is negative (a term in more than half of the documents), it is replaced by
    ``epsilon`` times the mean idf, as in rank-bm25, whose ``get_scores`` okapi, l and plus equal when k1, b,
    delta and epsilon do (its own delta for l is 0.5).  Plus adds delta idf to every document alike; those
    without any term of the query are still not returned.  Lucene equals bm25s.  ``no-log-idf`` is a mistake found
    in tutorials (the logarithm forgotten), included to show its effect.
    """

    about = Said("By words: rare words count more, repetitions less and less; long documents are penalised.")

    k1: float = SATURATION()
    b: float = NORMALISATION()
    variant: str = knob(
        "lucene",
        Said("Variant"),
        Said("Okapi, L and Plus as in rank-bm25, Lucene as in Lucene; “odds” is the IDF without its logarithm."),
        choices={
            "okapi": Said("Okapi"),
            "lucene": Said("Lucene"),
            "l": Said("L"),
            "plus": Said("Plus"),
            "no-log-idf": Said("odds (no log)"),
        },
    )
    delta: float = knob(
        1.0, Said("L, Plus: δ"), Said("Minimum score of a word that occurs."), low=0.0, high=4.0, step=0.1, rare=True
    )
    epsilon: float = fraction(
        0.25, Said("Okapi: ε"), Said("Words in more than half of the documents get ε times the mean IDF."), rare=True
    )

    @property
    def label(self) -> str:
        if self.variant == "lucene":
            return "BM25"
        if self.variant == "no-log-idf":
            return Said("BM25 without log")
        return f"BM25 {self.variant.capitalize()}"

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
        if self.variant == "no-log-idf":
            return (n - df + 0.5) / (df + 0.5)
        idf = np.log(n - df + 0.5) - np.log(df + 0.5)
        return np.asarray(np.where(idf < 0, self.epsilon * idf.mean(), idf))

    def norms(self, m: TermMatrix, idf: Floats) -> Floats:
        return np.asarray(1 - self.b + self.b * m.lengths / m.average_length)

    def weigh(self, tf: Floats, norm: Floats, idf: float | Floats) -> Floats:
        k1 = self.k1
        if self.variant == "lucene":
            factor = tf / (tf + k1 * norm)
        elif self.variant == "l":
            c = tf / norm
            factor = tf * (k1 + 1) * (c + self.delta) / (k1 + c + self.delta)
        else:
            factor = tf * (k1 + 1) / (tf + k1 * norm)
        return np.asarray(idf * factor)

    def floor(self, idf: Floats) -> Floats | None:
        return self.delta * idf if self.variant == "plus" else None

    def note(self, parts: Sequence[TermPart], documents: int, average: float) -> str:
        return numbers(parts, documents, average)

    def formula(self, parts: Sequence[TermPart], documents: int) -> Iterator[tuple[str, Formula]]:
        for part in parts:
            if part.tf or part.value:
                addend = self._idf_formula(part, n(documents)) * self._factor_formula(part)
                yield part.term, n(part.count) * addend if part.count != 1 else addend

    def _idf_formula(self, part: TermPart, N: Formula) -> Formula:
        df, half = n(part.df), n(0.5)
        if self.variant == "okapi" and 2 * part.df > N.value:  # its logarithm is negative
            mean = n(part.idf / self.epsilon if self.epsilon else 0.0, r"\overline{idf}")
            return (n(self.epsilon) * mean).under(r"\ln\ldots<0")
        if self.variant in ("l", "plus"):
            return ln((N + n(1)) / (df + half if self.variant == "l" else df))
        odds = (N - df + half) / (df + half)
        if self.variant == "no-log-idf":
            return odds
        return ln(n(1) + odds) if self.variant == "lucene" else ln(odds)

    def _factor_formula(self, part: TermPart) -> Formula:
        tf, k1, b, delta = n(part.tf), n(self.k1), n(self.b), n(self.delta)
        norm = n(1) - b + b * (n(part.length) / n(part.average_length))
        if self.variant == "lucene":
            return tf / (tf + k1 * norm)
        if self.variant == "l":
            c = (tf / norm).called("c" if surface(part.term) == part.term else "c'")  # both may be in one formula
            return (tf * n(self.k1 + 1) * (c + delta)) / (k1 + c + delta)
        if self.variant == "plus" and not part.tf:
            return delta
        classic = (tf * n(self.k1 + 1)) / (tf + k1 * norm)
        return delta + classic if self.variant == "plus" else classic


@dataclass(frozen=True)
class TFIDF(Lexical):
    r"""The cosine of TF-IDF vectors, weights as in scikit-learn's ``TfidfVectorizer``.

    A weight is ``tf * idf``, tf replaced by ``1 + ln tf`` where ``sublinear``; idf is ``ln((1 + N)/(1 + df)) + 1``
    (smooth), ``ln(N/df) + 1`` (plain, scikit-learn's ``smooth_idf=False``) or ``ln(N/df)`` (textbook: a term
    in every document weighs nothing).  Both vectors have length 1, so the score is a sum over shared terms.
    """

    label = Said("TF-IDF")
    about = Said("By words: the cosine of vectors with a weight for each word, higher for rare words.")

    idf_form: str = knob(
        "smooth",
        Said("IDF"),
        Said("Smooth: ln((1+N)/(1+df))+1. Plain: ln(N/df)+1. Textbook: ln(N/df)."),
        choices={"smooth": Said("smooth"), "plain": Said("plain"), "textbook": Said("textbook")},
    )
    sublinear: bool = SUBLINEAR()

    def idf(self, m: TermMatrix) -> Floats:
        n, df = float(len(m.lengths)), m.df
        if self.idf_form == "smooth":
            return np.log((1 + n) / (1 + df)) + 1
        plain = np.log(n / df) if len(df) else np.zeros(0)
        return plain + 1 if self.idf_form == "plain" else plain

    def _damp(self, tf: Floats) -> Floats:
        """Returns 1 + ln tf; a weight below 1, or a negative one, of a word in a query stays unchanged."""
        return np.where(tf > 1, 1 + np.log(np.maximum(tf, 1)), tf) if self.sublinear else tf

    def norms(self, m: TermMatrix, idf: Floats) -> Floats:
        squares = np.zeros(len(m.lengths))
        for j in range(0, len(idf), BLOCK):  # term by term in all documents: equal documents get equal norms
            at, df = slice(m.starts[j], m.starts[min(j + BLOCK, len(idf))]), np.diff(m.starts[j : j + BLOCK + 1])
            raw = self._damp(m.tf[at].astype(np.float64)) * np.repeat(idf[j : j + BLOCK], df)
            np.add.at(squares, m.docs[at], raw**2)
        return np.asarray(np.where(squares > 0, np.sqrt(squares), 1.0))

    def weigh(self, tf: Floats, norm: Floats, idf: float | Floats) -> Floats:
        return np.asarray(idf * self._damp(tf) / norm)

    def weigh_query(self, terms: Terms, idf: Floats) -> Terms:
        columns = np.array([j for _, j, _ in terms], np.int64)
        raw = idf[columns] * self._damp(np.array([n for _, _, n in terms]))
        norm = float(np.sqrt((raw**2).sum())) or 1.0
        return [(t, j, float(w)) for (t, j, _), w in zip(terms, raw / norm, strict=True)]

    def formula(self, parts: Sequence[TermPart], documents: int) -> Iterator[tuple[str, Formula]]:
        """Yields products of two weights of vectors of length 1: of the query, and of the document."""

        def damped(tf: float) -> Formula:
            return n(1) + ln(n(tf)) if self.sublinear and tf >= 1 else n(tf)

        q_length = math.sqrt(sum((damped(p.count).value * p.idf) ** 2 for p in parts if p.df)) or 1.0
        for p in parts:
            if p.df and p.tf and p.value:
                q = damped(p.count) * n(p.idf) / n(q_length)
                raw = damped(p.tf) * n(p.idf)
                yield p.term, q.under("q") * (raw / n(raw.value * q.value / p.value)).under("d")
