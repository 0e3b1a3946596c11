r"""BM25 with added words: every passage also gets words that it does not contain, with weights, in both languages.

The words are those of the built-in model's vocabulary that lie unusually near the passage.  They are searched by an
inverted index, so the score remains a sum over the words of the question, and a question in one language finds passages
in the other.  No model reads the question.

Source of the idea: T. Formal, B. Piwowarski and S. Clinchant, *SPLADE: Sparse Lexical and Expansion Model for First
Stage Ranking*, 2021, in its form without inference for the question.  SPLADE learns its weights; here they are cosines
of a static model, compared with those of the other passages.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from lab.algebra import (
    NONE,
    Arrays,
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
    knob,
)
from lab.formula import Formula, ln, n
from lab.kept import Shared
from lab.models.embedders import vectors_of
from lab.models.static import BuiltIn, load_built_in
from lab.models.vocabulary import Vocabulary
from lab.numeric import Floats, Ints, unit
from lab.retrieve.explaining import Explanation, Marker
from lab.retrieve.lexical import BM25, LexicalIndex, counts, names
from lab.retrieve.matrix import TermMatrix
from lab.text import Analyzer, is_han
from lab.words import Said

WORDS = Analyzer(pairs=False, bigrams=False, characters=False, numbers=False)
"""How words become terms, those of the vocabulary, of the passages and of the question alike: by their stems."""
_WHOLE = replace(WORDS, mode="precise")
"""The same, with no word inside another: a word of the vocabulary must be one term."""
SHORTEST = {"latin": 3, "han": 2}
"""Minimum length of an added word: shorter ones are mostly pieces of words."""
BLOCK = 64
"""Passages compared with the vocabulary at a time."""
FEW = 256
"""Up to this many passages, the deviation of a word's cosines is computed from the cosines themselves."""
DIGITS = 4
"""Decimals of z: what differs behind them is rounding."""
FLAT = 1e-4
"""Where the cosines of a word with all passages differ less than this, no passage is unusually near it."""
VERSION = 1
"""Increased whenever the added words, or the way in which they are stored, change."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The words that can be added, grouped by term: Latin terms first, then Han terms.

    The words of group g are ``words[starts[g]:starts[g + 1]]``; ``vectors`` are theirs, at length 1.
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]
    terms: tuple[str, ...]
    starts: Ints
    latin: int
    """Number of Latin groups."""

    @cached_property
    def group_of(self) -> Ints:
        """The number of each word's group."""
        return np.repeat(np.arange(len(self.terms)), np.diff(self.starts))


_LEXICON = Shared(1, quick=math.inf)
"""The lexicon (60 MB), which goes after ten minutes without a use."""


def lexicon() -> Lexicon:
    """Returns the whole words of the built-in model that are one term (a file's content, not a state)."""
    return cast(Lexicon, _LEXICON.once("", lambda _: _lexicon(), None))


def _lexicon() -> Lexicon:
    vocabulary = Vocabulary.of(load_built_in())
    words = vocabulary.words
    rows = list[tuple[bool, str, int]]()
    for i, (word, terms_of_word) in enumerate(zip(words, _terms_of(words), strict=True)):
        han = is_han(word)
        if len(word) >= SHORTEST["han" if han else "latin"] and len(terms_of_word) == 1:
            rows.append((han, terms_of_word[0], i))
    rows.sort()
    terms = list(dict.fromkeys((han, term) for han, term, _ in rows))
    number = {key: g for g, key in enumerate(terms)}
    starts = np.searchsorted([number[han, term] for han, term, _ in rows], np.arange(len(terms) + 1))
    places = np.array([i for *_, i in rows], np.int64)
    latin = sum(not han for han, _ in terms)
    return Lexicon(
        tuple(words[i] for i in places.tolist()),
        unit(vocabulary.table.numbers(vocabulary.rows[places])).astype(np.float32),
        tuple(term for _, term in terms),
        starts,
        latin,
    )


def _terms_of(words: Sequence[str]) -> Iterator[list[str]]:
    """Yields the terms of each word; all are read at once, which is several times faster."""
    by_kind = [iter(tokens) for tokens, _ in _WHOLE.many(words) if isinstance(tokens, list)]
    for _ in words:
        yield [term for tokens in by_kind for term in iter(tokens.__next__, "\t")]


@dataclass(frozen=True, eq=False)
class Added:
    """The added words of every passage: numbers in the lexicon (-1: none) and z, both of shape [passages, 2, words].

    Along the second axis are Latin and Han words, each in descending order of z.
    """

    words: NDArray[np.int32]
    z: NDArray[np.float32]

    def arrays(self) -> Arrays:
        """Returns the arrays to store on a disk."""
        return {"words": self.words, "z": self.z}


@dataclass(frozen=True, slots=True)
class AddedWord:
    """A word that was added to a passage: ``weight`` is z as a share of the passage's largest."""

    word: str
    term: str
    han: bool
    z: float
    weight: float
    cosine: float


@dataclass(frozen=True)
class Expanded(Retriever):
    r"""BM25 plus the weights of the question's words among the words that were added to a passage.

    ``bm25(q, d) + weight * sum over t of idf'(t) e(d, t)``, where BM25 Plus is above 0 even without a word of the
    question.  For a word v of the vocabulary, z is the cosine of passage and word, standardised over all passages:
    words that are near every passage are near none.  A passage gets the
    ``words`` Latin and as many Han words with the highest z above 0 that it does not contain; e is z divided by the
    passage's largest, and idf' is Lucene's idf of the added words.  Of words with one stem the nearest counts.
    """

    technique = Said("BM25 with added words")
    family = "lexical"
    settled = True
    about = Said("By words, including words in both languages that a model adds to every passage (learned sparse).")

    words: int = knob(
        50, Said("Added words"), Said("Maximum per passage and language. 0: BM25 alone."), low=0, high=200, step=10
    )
    weight: float = knob(
        0.5, Said("Weight"), Said("Weight of added words; a word of the text counts 1."), low=0.0, high=2.0, step=0.1
    )
    own: BM25 = knob(BM25(), "BM25", Said("Scores the words that a passage contains."), kind="spec", kw_only=True)

    @property
    def label(self) -> str:
        return Said("{list} with added words", list=self.own.label)

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> ExpandedIndex:
        own = self.own.index(corpus, models=models, progress=progress)
        return ExpandedIndex(self, corpus, own, added_words(corpus, self.words, progress))


def added_words(corpus: Corpus, size: int, progress: Progress | None = None) -> Added:
    """Returns the added words of every passage; made once and kept with the corpus."""

    def make(report: Progress | None) -> Added:
        version = f"added words {VERSION}, {load_built_in().mark}"
        stored = corpus.stored(f"added words {size}", version, lambda: _nearest(corpus, size, report).arrays())
        return Added(stored["words"], stored["z"])

    return corpus.awaited(("added words", size), make, progress)


def _nearest(corpus: Corpus, size: int, progress: Progress | None) -> Added:
    words = np.full((len(corpus), 2, size), -1, np.int32)
    z = np.zeros((len(corpus), 2, size), np.float32)
    if not len(corpus) or not size:
        return Added(words, z)
    lex, rows = lexicon(), unit(vectors_of(BuiltIn(), corpus))
    places = np.flatnonzero(rows.any(axis=1))  # passages that the model can read
    if not len(places):
        return Added(words, z)
    centre, scale = _standard(lex, rows[places])
    starts, held = _held(corpus, lex)
    border = int(lex.starts[lex.latin])
    room = np.empty((BLOCK, len(lex.words)), np.float32)  # new memory for each block costs as much as the product
    for i in range(0, len(places), BLOCK):
        some = places[i : i + BLOCK]
        near = np.matmul(rows[some].astype(np.float32), lex.vectors.T, out=room[: len(some)])
        np.multiply(np.subtract(near, centre, out=near), scale, out=near)
        near.round(DIGITS, out=near)  # equal texts tie
        for place, own in zip(some.tolist(), near, strict=True):
            own[held[starts[place] : starts[place + 1]]] = -1.0
            for side, (low, end) in enumerate(((0, border), (border, len(own)))):
                highest = low + _highest(own[low:end], lex.group_of[low:end], size)
                words[place, side, : len(highest)], z[place, side, : len(highest)] = highest, own[highest]
        if progress:
            progress(min(i + BLOCK, len(places)), len(places))
    return Added(words, z)


def _standard(lex: Lexicon, rows: Floats) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Returns the mean of each word's cosines with these passages, and 1 / their standard deviation (0 if it is 0)."""
    mean = rows.mean(axis=0)
    centre = lex.vectors @ mean.astype(np.float32)
    if len(rows) <= FEW:
        deviation = (lex.vectors @ (rows - mean).T.astype(np.float32)).std(axis=1)
    else:  # from the covariance of the passages, which costs the same for any number of them
        spread = (rows.T @ rows / len(rows) - np.outer(mean, mean)).astype(np.float32)
        deviation = np.sqrt(np.maximum(((lex.vectors @ spread) * lex.vectors).sum(axis=1), 0))
    flat = deviation < FLAT
    return centre, np.where(flat, 0, 1 / np.where(flat, 1, deviation)).astype(np.float32)


def _highest(values: NDArray[np.float32], group_of: Ints, size: int) -> Ints:
    """Returns the positions of the highest values above 0, one of each group, highest first, ties by position."""
    most = 2 * size  # a group has few words
    while True:
        least = np.partition(values, -most)[-most] if most < len(values) else 0.0
        above = np.flatnonzero(values >= least if least > 0 else values > 0)
        above = above[np.argsort(-values[above], kind="stable")]
        first = np.sort(np.unique(group_of[above], return_index=True)[1])
        if len(first) >= size or least <= 0:
            return above[first[:size]]
        most *= 4


def _held(corpus: Corpus, lex: Lexicon) -> tuple[Ints, Ints]:
    """Returns the words whose terms a passage contains: where those of each passage start, and their numbers."""
    matrix = TermMatrix.for_corpus(corpus, WORDS)
    known, term_of = matrix.vocabulary, enumerate(lex.terms[g] for g in lex.group_of.tolist())
    of_word = {word: matrix.docs[matrix.column(known[term])] for word, term in term_of if term in known}
    docs = np.concatenate([matrix.docs[:0], *of_word.values()])
    words = np.repeat(np.array([*of_word], np.int64), np.array([*map(len, of_word.values())], np.int64))
    starts = np.insert(np.cumsum(np.bincount(docs, minlength=len(corpus))), 0, 0)
    return starts, words[np.argsort(docs, kind="stable")]


def _for_query(query: Query) -> Analyzer:
    return WORDS.for_query(" ".join(word for word, _ in query.weights) or query.text)


@dataclass(eq=False)
class ExpandedIndex(Index):
    """The index of BM25, and an inverted index of the added words."""

    operator: Expanded
    corpus: Corpus
    own: LexicalIndex
    added: Added
    rows: NDArray[np.bool_] | None = None

    def within(self, rows: NDArray[np.bool_]) -> Index:
        """See `Index.within`."""
        index = copy.copy(self)
        index.rows = rows
        return index

    @cached_property
    def matrix(self) -> TermMatrix:
        """The added words by term; the counts are the weights e, from 0 to 1."""
        return self.corpus.once(("added words", "matrix", self.operator.words), self._matrix)

    def _matrix(self) -> TermMatrix:
        lex, (count, _, size) = lexicon(), self.added.words.shape
        if not size or not count or not (self.added.words >= 0).any():
            nothing = np.zeros(0, np.int64)
            return TermMatrix({}, np.zeros(1, np.int64), nothing, np.zeros(0), np.zeros(count))  # type: ignore[arg-type]
        docs = np.repeat(np.arange(count, dtype=np.int32), 2 * size)
        numbers, weights = self.added.words.ravel(), self._weights.ravel()
        is_word = numbers >= 0
        groups = lex.group_of[numbers[is_word]]
        order = np.argsort(groups.astype(np.min_scalar_type(len(lex.terms))), kind="stable")
        groups, docs, weights = groups[order], docs[is_word][order], weights[is_word][order]
        first = np.flatnonzero(np.diff(groups, prepend=-1))
        vocabulary = {lex.terms[g]: j for j, g in enumerate(groups[first].tolist())}
        starts = np.append(first, len(groups)).astype(np.int64)
        return TermMatrix(vocabulary, starts, docs, weights, np.zeros(count))  # type: ignore[arg-type]

    @cached_property
    def _weights(self) -> Floats:
        z = self.added.z.astype(np.float64)
        largest = z.max(axis=(1, 2), initial=0.0)[:, None, None]
        return np.asarray(np.divide(z, largest, out=np.zeros_like(z), where=largest > 0))

    def idf(self, term: str) -> float:
        """Lucene's inverse document frequency of an added word."""
        count, df = len(self.corpus), self.holders(term)[0].size
        return float(np.log(1 + (count - df + 0.5) / (df + 0.5)))

    def holders(self, term: str) -> tuple[Ints, Floats]:
        """Returns the positions of the passages to which a term was added, in corpus order, and its weights there."""
        j = self.matrix.vocabulary.get(term)
        at = slice(0) if j is None else self.matrix.column(j)
        return self.matrix.docs[at].astype(np.int64), np.asarray(self.matrix.tf[at], np.float64)

    def added_to(self, doc_id: str) -> list[AddedWord]:
        """Returns the words that were added to a passage: Latin ones, then Han ones, each by weight."""
        lex, place = lexicon(), self.corpus.positions[doc_id]
        vector = unit(vectors_of(BuiltIn(), self.corpus)[place : place + 1])[0]
        found = list[AddedWord]()
        for side in (0, 1):
            for number, z, e in zip(
                self.added.words[place, side].tolist(),
                self.added.z[place, side].tolist(),
                self._weights[place, side].tolist(),
                strict=True,
            ):
                if number >= 0:
                    term = lex.terms[lex.group_of[number]]
                    cosine = float(lex.vectors[number].astype(np.float64) @ vector)
                    found.append(AddedWord(lex.words[number], term, side == 1, z, e, cosine))
        return found

    def question_terms(self, query: str | Query) -> dict[str, float]:
        """Returns how often each term of a question occurs (or its weight), if it was added to some passage."""
        if not self.operator.weight:
            return {}
        query, known = Query.of(query), self.matrix.vocabulary
        return {term: count for term, count in counts(query, _for_query(query)).items() if term in known}

    def addends(self, query: str | Query) -> Iterator[tuple[str, Ints, Floats]]:
        """Yields each of these terms, the passages that it was added to, and what it adds to the score of each."""
        for term, count in self.question_terms(query).items():
            places, weights = self.holders(term)
            yield term, places, self.operator.weight * count * self.idf(term) * weights

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        """See `Index.search`.  The list has the passages with a word of the question, or with one as an added word."""
        start = time.perf_counter()
        counted("k", k)
        query = Query.of(query)
        places, own_scores = self.own.totals(query)
        # BM25 Plus gives passages without a word of the question more than 0
        scores, found = self.own.constants(query), np.zeros(len(self.corpus), np.bool_)
        scores[places], found[places] = own_scores, True
        added = list(self.addends(query))
        for _, docs, values in added:
            scores[docs] += values
            found[docs] = True
        found_at = np.flatnonzero(found if self.rows is None else found & self.rows)
        at = found_at[best_first(scores[found_at], found_at, self.corpus, k)]
        why: Sequence[Sequence[Contribution]] = self._why(query, at) if explain else [()] * len(at)
        documents = self.corpus.documents
        hits = tuple(
            Hit(documents[i], score, parts)
            for i, score, parts in zip(at.tolist(), scores[at].tolist(), why, strict=True)
        )
        asked, seconds = k if len(found_at) > k else 0, time.perf_counter() - start
        return Ranking(query, hits, self.operator, seconds=seconds, asked=asked, corpus=self.corpus)

    def _why(self, query: Query, at: Ints) -> list[Sequence[Contribution]]:
        """Returns the score components of the passages at these positions, computed when they are read."""

        def of(place: int) -> list[Contribution]:
            parts = list(self.own.reasons(query, place))
            called = self._called(query)
            for term, docs, values in self.addends(query):
                i = int(np.searchsorted(docs, place))
                if i < len(docs) and docs[i] == place:
                    parts.append(Contribution(called[term], float(values[i])))
            return parts

        return [Later(partial(of, place)) for place in at.tolist()]

    def _called(self, query: Query) -> dict[str, str]:
        """Returns the names of the components of added words."""
        return {term: Said("{word} (added)", word=name) for term, name in names(query, _for_query(query)).items()}

    # ---------------------------------------------------------------------------------------------- explanations

    def names(self, query: str | Query) -> dict[str, str]:
        """Returns the name of each query term on the screen: see `LexicalIndex.names`."""
        return self.own.names(query)

    def explanation(self, query: Query, doc_id: str) -> Explanation:
        """The arithmetic of a passage's score: see `lab.retrieve.explaining.Explains`."""
        own, called, place = self.own.explanation(query, doc_id), self._called(query), self.corpus.positions[doc_id]
        added = dict[str, Formula]()
        largest = float(self.added.z[place].max(initial=0.0))
        for term, count in self.question_terms(query).items():
            docs, weights = self.holders(term)
            i = int(np.searchsorted(docs, place))
            if i < len(docs) and docs[i] == place:
                added[called[term]] = self._formula(count, len(docs), float(weights[i]) * largest, largest)
        missing = Said("The passage contains no word of the question, and none was added to it.")
        addends = {**(self.own.formulas(query, doc_id) if added else own.addends), **added}
        return Explanation(addends, own.absent, self.operator, own.note, missing, (*own.beside, *added))

    def _formula(self, count: float, df: int, z: float, largest: float) -> Formula:
        half, documents = n(0.5), n(len(self.corpus))
        idf = ln(n(1) + (documents - n(df) + half) / (n(df) + half))
        weight = n(self.operator.weight) if count == 1 else n(self.operator.weight) * n(count)
        return weight * idf * (n(z) / n(largest)).under("z / z_{max}")

    def marker(self, query: Query) -> Marker:
        """Marks the words of the question in a text; added words are in no text."""
        return self.own.marker(query)

    def reading(self, query: Query) -> str:
        """See `LexicalIndex.reading`."""
        return self.own.reading(query)

    def reason(self, query: Query) -> str:
        """Says why nothing is found."""
        return Said(
            "No passage contains a word of the question, and none was added to one. Try other words, or a vector list."
        )
