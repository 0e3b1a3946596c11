"""Coverage: how much of the query's weight a document holds.  The reranker that needs nothing.

A query is a set of tokens, each with a weight; a document covers a token entirely (the word is there), in part
(a word of similar meaning is there) or not at all.  The covered share, mixed with the score of the first
stage, is a strong reranker: many first-stage scores let one frequent or rare word outweigh three missing ones.

Sources: the share is the coordination of early Boolean and Lucene rankings, with IDF as the weight; the soft
one is the late interaction of O. Khattab and M. Zaharia, *ColBERT: Efficient and Effective Passage Search via
Contextualized Late Interaction over BERT*, 2020 (MaxSim), here over the static vectors of the built-in model.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from lab.algebra import (
    Contribution,
    Corpus,
    Document,
    Env,
    Hit,
    Later,
    Outcome,
    Progress,
    Ranking,
    Stage,
    counted,
    fraction,
    in_order,
    knob,
)
from lab.fuse import NORMALISATIONS, TINY, normalise
from lab.models.token_store import Nearest, Texts, TokenStore, distinct_tokens
from lab.numeric import Floats, Ints, unit
from lab.retrieve.lexical import looked_up
from lab.retrieve.matrix import TermMatrix
from lab.text import PAIRS, Analyzer
from lab.words import Said


def idf(n: int, df: float) -> float:
    """``ln(1 + (n - df + 0.5) / (df + 0.5))``: above 0 for every term, largest for one that no document has."""
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


# ---------------------------------------------------------------------------------------------- the stage


@dataclass(frozen=True)
class Coverage(Stage, ABC):
    r"""Reranks by ``(1 - weight) * first stage + weight * coverage``; keeps every document.

    With w_t the weights of the query's distinct tokens, summing to 1, and h_t(d) what d holds of t, the coverage is
    the sum of w_t h_t(d); the subclasses say what w and h are.  The first stage is brought to a common scale by
    ``normalisation`` (see `lab.fuse.WeightedSum`); ``none`` is for fused scores that have one already.  IDF is
    computed over the ranking's corpus.  The evidence is a `Covered`.
    """

    inputs = ("question", "scores", "texts")
    role = "rerank"

    weight: float = fraction(
        0.5, Said("Weight of the coverage"), Said("The rest goes to the first list's min–max score.")
    )
    normalisation: str = knob(
        "min-max",
        Said("First score"),
        Said("How the first list's scores are normalised."),
        choices=NORMALISATIONS,
        rare=True,
        kw_only=True,
    )

    @abstractmethod
    def matcher(self, ranking: Ranking, env: Env) -> Matcher:
        """Returns the matcher of the ranking's query, made once in a run."""

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        if not ranking.hits:
            return Outcome(())
        m = self.matcher(ranking, env)
        cover = Covered(m.tokens, m.idf, m.weights, m.held([h.document for h in ranking.hits]), m)
        (names, place), gains = _alike(m.names), self.weight * cover.gains
        sums = np.zeros((len(gains), len(names)))
        for i, at in enumerate(place):  # a pair and a word of the same characters are one
            sums[:, at] += gains[:, i]
        hits = []
        for hit, before, after in zip(ranking.hits, self._first(ranking), sums.tolist(), strict=True):
            why = Later(partial(_addends, before, names, after)) if env.explain else ()
            hits.append(Hit(hit.document, math.fsum([*(c.value for c in before), *after]), why))
        return Outcome(in_order(hits, ranking), (), cover if env.explain else None)

    def _first(self, ranking: Ranking) -> list[list[Contribution]]:
        """Returns the components that the first stage adds to each hit's score.

        This is one component, or the hit's own components if they keep their scale.
        """
        share = 1 - self.weight
        if self.normalisation == "none" and all(h.why for h in ranking.hits):
            return [[Contribution(c.source, share * c.value) for c in h.why] for h in ranking.hits]
        scores = normalise([h.score for h in ranking.hits], self.normalisation)
        name = ranking.source.made_by.label
        return [[Contribution(name, share * s)] for s in scores]


@dataclass(frozen=True)
class QueryCoverage(Coverage):
    """The share of the query's IDF weight that a document contains: h is 1 if the word is in d, else 0; w is IDF.

    ``analyzer`` cuts the words.
    """

    label = Said("Coverage")
    about = Said("Share of the question's words in the passage; rare words count more.")

    analyzer: Analyzer = PAIRS(kw_only=True)

    def matcher(self, ranking: Ranking, env: Env) -> Matcher:
        return Words.of(self.analyzer, ranking, env)


@dataclass(frozen=True)
class MaxSim(Coverage):
    """Late interaction: h is the best cosine of t with a token of d, or 0 if none is positive.

    w is IDF times the length of t's vector, which in the built-in model is the weight that it learned for the token
    (small for "how", "什么").  The coverage is spread by min-max over the list, because even unrelated tokens meet at
    a cosine of 0.2 to 0.4.
    """

    label = Said("Soft coverage")
    about = Said("Takes the most similar word of the passage for every word of the question, with the built-in model.")

    def matcher(self, ranking: Ranking, env: Env) -> Matcher:
        return Meanings.of(ranking, env)


def _addends(before: Sequence[Contribution], names: Sequence[str], after: Sequence[float]) -> list[Contribution]:
    gains = zip(names, after, strict=True)
    return [*before, *(Contribution(Said("covers {token}", token=name), gain) for name, gain in gains if gain)]


def _alike(names: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """Returns the distinct names, and for each name its index among them."""
    at = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return tuple(at), np.array([at[name] for name in names], np.int64)


@dataclass(frozen=True, eq=False)
class Covered:
    """The coverage of every hit of a ranking, taken apart by query token.

    ``tokens`` are the distinct tokens of the query, ``idf`` [t] and ``weights`` [t] theirs (weights sum to
    1); ``held`` [hits, t] is how much of each a document holds, 0 to 1.  ``gains`` [hits, t] are the components
    of the coverage that goes into the score: ``weights * held`` if it is exact; if it is soft, the document's lead
    over the least covered one, divided by the spread, so that they sum to the min-max.
    """

    tokens: tuple[str, ...]
    idf: Floats
    weights: Floats
    held: Floats
    matcher: Matcher

    def matrix(self, document: Document) -> MatchMatrix:
        """Query tokens against the tokens of one document; a pair and a word that read alike are one row or column."""
        token_names, table = self.matcher.table(document)
        (names, row), (columns, column) = _alike(self.matcher.names), _alike(token_names)
        wide, weights = np.zeros((len(self.tokens), len(columns))), np.zeros(len(names))
        np.add.at(weights, row, self.weights)
        np.maximum.at(wide.T, column, table.T)
        table = np.zeros((len(names), len(columns)))
        np.add.at(table, row, wide * self.weights[:, None])  # what a row holds of its weight
        table = np.divide(table, weights[:, None], out=table, where=weights[:, None] > 0)
        top = table.max(axis=1, initial=0.0) > 0
        best = np.where(top, table.argmax(axis=1), -1) if table.size else np.full(len(names), -1)
        return MatchMatrix(names, columns, table, weights, np.asarray(best, np.int64))

    @cached_property
    def shares(self) -> Floats:
        """Returns the covered share of the query's weight, one per hit, 0 to 1."""
        return np.asarray((self.held * self.weights).sum(axis=1))

    @cached_property
    def gains(self) -> Floats:
        parts = self.held * self.weights
        if not self.matcher.spread or not len(parts):
            return parts
        least = int(self.shares.argmin())
        width = float(self.shares.max() - self.shares[least])
        return np.asarray((parts - parts[least]) / width if width > TINY else np.zeros_like(parts))


@dataclass(frozen=True, eq=False)
class MatchMatrix:
    """Query tokens against document tokens: ``table`` [q, d] holds what `Coverage` compares, from 0 to 1.

    ``columns`` are the document's distinct tokens in order of appearance; ``best`` [q] is the column that each
    query token takes, -1 where it meets nothing; ``weights`` [q] sum to 1.
    """

    tokens: tuple[str, ...]
    columns: tuple[str, ...]
    table: Floats
    weights: Floats
    best: Ints

    def around(self, columns: int) -> MatchMatrix:
        """Returns the matrix with at most ``columns`` columns: best matches first, then the largest values."""
        counted("columns", columns)
        if len(self.columns) <= columns:
            return self
        chosen = dict.fromkeys(i for i in self.best[np.argsort(-self.weights, kind="stable")].tolist() if i >= 0)
        weakest_last = np.argsort(
            -(self.table * self.weights[:, None]).max(axis=0, initial=0.0), kind="stable"
        ).tolist()
        keep = sorted(list(dict.fromkeys([*chosen, *weakest_last]))[:columns])
        place = {old: new for new, old in enumerate(keep)}
        best = np.array([place.get(i, -1) for i in self.best.tolist()], np.int64)
        return MatchMatrix(self.tokens, tuple(self.columns[i] for i in keep), self.table[:, keep], self.weights, best)


# ----------------------------------------------------------------------------------------------- matchers


class Matcher(ABC):
    """A query ready to be compared: its tokens and what a reader calls them, their IDF, their weights (sum 1)."""

    spread: bool
    tokens: tuple[str, ...]
    names: tuple[str, ...]
    idf: Floats
    weights: Floats
    corpus: Corpus

    def _weigh(self, df: Floats, rows: Mapping[Any, int], tokens: Iterable[Any], lengths: Floats | float = 1.0) -> None:
        """``idf``, and ``weights`` in proportion to it and to ``lengths``; ``rows`` are the places in ``df``."""
        known = [float(df[rows[t]]) if t in rows else 0.0 for t in tokens]
        self.idf = np.array([idf(len(self.corpus), n) for n in known])
        weights = self.idf * lengths
        total = float(weights.sum())
        self.weights = weights / total if total > 0 else weights

    @cached_property
    def _held(self) -> dict[tuple[str, str], Floats]:
        """Caches the token coverage of documents by title and text."""
        return {}

    def held(self, documents: Sequence[Document]) -> Floats:
        """Returns how much of every token each document holds, shape [documents, tokens]; computed once each."""
        keys = [(d.title, d.text) for d in documents]
        new = {key: d for key, d in zip(keys, documents, strict=True) if key not in self._held}
        self._held.update(zip(new, self._reckoned([*new.values()]), strict=True))
        return np.array([self._held[key] for key in keys]).reshape(len(documents), len(self.tokens))

    def _reckoned(self, documents: Sequence[Document]) -> Floats:
        coverage = np.zeros((len(documents), len(self.tokens)))
        positions = {i: self.corpus.positions[d.id] for i, d in enumerate(documents) if self.corpus.get(d.id) == d}
        if positions and self.tokens:
            coverage[list(positions)] = self.within(list(positions.values()))
        for i in set(range(len(documents))) - positions.keys():  # shortened by an earlier stage, or of another corpus
            coverage[i] = self.table(documents[i])[1].max(axis=1, initial=0.0)
        return coverage

    @abstractmethod
    def within(self, places: Sequence[int]) -> Floats:
        """`held` of documents of the corpus, by their places in it."""

    @abstractmethod
    def table(self, document: Document) -> tuple[list[str], Floats]:
        """Returns readable names of a document's distinct tokens and the match table, shape [tokens, columns]."""


class Words(Matcher):
    spread = False

    def __init__(self, analyzer: Analyzer, query: str, corpus: Corpus, progress: Progress | None = None) -> None:
        self.corpus, query = corpus, analyzer.without_asker(query)
        self.analyzer = looked_up(analyzer, query, TermMatrix.for_corpus(corpus, analyzer, progress).vocabulary)
        self.matrix = TermMatrix.for_corpus(corpus, self.analyzer, progress)
        names_by_token = self._called(query)
        self.tokens, self.names = tuple(names_by_token), tuple(names_by_token.values())
        self._weigh(self.matrix.df, self.matrix.vocabulary, self.tokens)

    @staticmethod
    def of(analyzer: Analyzer, ranking: Ranking, env: Env) -> Words:
        """Returns the query of a ranking; made once in a run."""
        text, corpus = ranking.query.text, ranking.corpus  # the cached Words holds the corpus: its id stays unique
        return env.once((Words, analyzer, text, id(corpus)), lambda: Words(analyzer, text, corpus, env.progress))

    def within(self, places: Sequence[int]) -> Floats:
        coverage = np.zeros((len(places), len(self.tokens)))
        for j, token in enumerate(self.tokens):
            column = self.matrix.vocabulary.get(token)
            if column is not None:
                docs = self.matrix.docs[self.matrix.column(column)]  # in ascending order
                rows = np.asarray(places, docs.dtype)
                coverage[:, j] = docs.take(docs.searchsorted(rows), mode="clip") == rows
        return coverage

    def table(self, document: Document) -> tuple[list[str], Floats]:
        columns = self._called(document.content)
        table = np.array([[float(t == c) for c in columns] for t in self.tokens])
        return list(columns.values()), table.reshape(len(self.tokens), len(columns))

    def _called(self, text: str) -> dict[str, str]:
        """Returns the distinct tokens of a text, each with the first word that has it: a stem is not for readers."""
        names_by_token: dict[str, str] = {}
        for token in self.analyzer.spans(text):
            if token.text not in names_by_token:
                names_by_token[token.text] = self.analyzer.word(text, token)
        return names_by_token


class Meanings(Matcher):
    spread = True

    def __init__(self, query: str, corpus: Corpus, progress: Progress | None = None) -> None:
        self.corpus, self.store = corpus, TokenStore.of(corpus, progress)
        distinct = distinct_tokens(self.store.encoder, query)
        self.tokens = self.names = tuple(name for name, _ in distinct)
        rows = np.array(list(distinct.values())).reshape(-1, self.store.encoder.dimensions)
        self.rows = unit(rows)
        self.nearest = Nearest(self.store, self.rows)
        self._weigh(self.store.df, self.store.ids, distinct, np.linalg.norm(rows, axis=1))

    @staticmethod
    def of(ranking: Ranking, env: Env) -> Meanings:
        """Returns the query of a ranking; made once in a run."""
        text, corpus = ranking.query.text, ranking.corpus
        return env.once((Meanings, text, id(corpus)), lambda: Meanings(text, corpus, env.progress))

    def within(self, places: Sequence[int]) -> Floats:
        return self.nearest.best(places)

    def texts(self, texts: Sequence[str]) -> Floats:
        """Returns the best match of every token in every text, shape [texts, tokens]: the row maxima of `table`."""
        return Texts(self.store.encoder, texts).nearest(self.rows)

    def table(self, document: Document) -> tuple[list[str], Floats]:
        distinct = distinct_tokens(self.store.encoder, document.content)
        columns = np.array(list(distinct.values())).reshape(-1, self.store.encoder.dimensions)
        # einsum without BLAS: a pair of tokens gets the same number at any row and column
        table = np.einsum("ik,jk->ij", self.rows, unit(columns)) if columns.size else np.zeros((len(self.tokens), 0))
        return [name for name, _ in distinct], np.clip(table, 0.0, 1.0)
