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
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from lab.core import Contribution, Corpus, Document, Drop, Hit, Index, Ranking, Stage, at_least, in_order, knob
from lab.fuse import NORMALISATIONS, TINY, WeightedSum, normalise
from lab.models.token_store import TokenStore, _keys
from lab.numeric import Floats, Ints, unit
from lab.retrieve.lexical import BM25, TermMatrix
from lab.retrieve.vector import Vector
from lab.text import Analyzer
from lab.words import Said

MATCHES = ("exact", "soft")


def idf(n: int, df: float) -> float:
    """``ln(1 + (n - df + 0.5) / (df + 0.5))``: above 0 for every term, largest for one that no document has."""
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


# ---------------------------------------------------------------------------------------------- the stage


@dataclass(frozen=True)
class Coverage(Stage):
    r"""Reranks by ``(1 - weight) * first stage + weight * coverage``; keeps every document.

    With w_t the weights of the query's distinct tokens, summing to 1, and h_t(d) what d holds of t:

    =====  =======================================================================================
    match  coverage(d)
    =====  =======================================================================================
    exact  sum of w_t h_t(d); h is 1 where the word is in d, else 0; w is IDF.  A share from 0 to 1
    soft   the same, spread by min-max over the list; h is the best cosine of t with a token of d,
           0 where none is positive; w is IDF times the length of t's vector
    =====  =======================================================================================

    The length of a token's vector in the built-in model is the weight that it learned for the token (small
    for "how", "什么").  Soft coverage is spread because even unrelated tokens meet at a cosine of 0.2 to 0.4.
    The first stage is brought to a common scale by ``normalisation`` (see `lab.fuse.WeightedSum`); ``none``
    is for fused scores that have one already.

    IDF is that of the ranking's corpus; where a ranking has none, its own documents stand in for it.
    ``analyzer`` cuts the words of the exact match; the soft one has the tokens of the model.
    """

    match: str = knob("exact", choices=MATCHES)
    weight: float = knob(0.5, low=0.0, high=1.0, step=0.05)
    normalisation: str = knob("min-max", choices=NORMALISATIONS, rare=True)
    analyzer: Analyzer = field(default=Analyzer(), kw_only=True)

    @property
    def label(self) -> str:
        return "Coverage" if self.match == "exact" else "Soft coverage"

    def refine(self, ranking: Ranking) -> tuple[Sequence[Hit], Sequence[Drop]]:
        if not ranking.hits:
            return (), ()
        cover = covered(self, ranking)
        first = self._first(ranking)
        names = [Said("covers {token}", token=token) for token in cover.tokens]
        hits = []
        for hit, before, gains in zip(ranking.hits, first, (self.weight * cover.gains).tolist(), strict=True):
            why = [*before, *(Contribution(name, g) for name, g in zip(names, gains, strict=True) if g)]
            hits.append(Hit(hit.document, math.fsum(c.value for c in why), tuple(why)))
        return in_order(hits, ranking.corpus, before=(ranking,)), ()

    def _first(self, ranking: Ranking) -> list[list[Contribution]]:
        """What the first stage adds to each hit: one addend, or its own addends where they keep their scale."""
        share = 1 - self.weight
        if self.normalisation == "none" and all(h.why for h in ranking.hits):
            return [[Contribution(c.source, share * c.value) for c in h.why] for h in ranking.hits]
        scores = normalise([h.score for h in ranking.hits], self.normalisation)
        return [[Contribution(ranking.made_by.label, share * s)] for s in scores]


@dataclass(frozen=True, eq=False)
class Covered:
    """The coverage of every hit of a ranking, taken apart by query token.

    ``tokens`` are the distinct tokens of the query, ``idf`` [t] and ``weights`` [t] theirs (weights sum to
    1); ``held`` [hits, t] is how much of each a document holds, 0 to 1.  ``gains`` [hits, t] are the addends
    of the coverage that goes into the score: ``weights * held`` where it is exact; where it is soft, what the
    document has ahead of the least covered one, divided by the spread, so that they sum to the min-max.
    """

    tokens: tuple[str, ...]
    idf: Floats
    weights: Floats
    held: Floats
    spread: bool

    @cached_property
    def shares(self) -> Floats:
        """The covered share of the query's weight, one per hit, 0 to 1."""
        return np.asarray((self.held * self.weights).sum(axis=1))

    @cached_property
    def gains(self) -> Floats:
        parts = self.held * self.weights
        if not self.spread or not len(parts):
            return parts
        least = int(self.shares.argmin())
        width = float(self.shares.max() - self.shares[least])
        return np.asarray((parts - parts[least]) / width if width > TINY else np.zeros_like(parts))


def covered(coverage: Coverage, ranking: Ranking) -> Covered:
    """The coverage of every hit of this ranking, in its order."""
    documents = [h.document for h in ranking.hits]
    return _matcher(coverage, ranking.query, _corpus(ranking)).covered(documents)


def _corpus(ranking: Ranking) -> Corpus:
    if ranking.corpus is not None:
        return ranking.corpus
    return Corpus("hits", tuple({h.document.id: h.document for h in ranking.hits}.values()))


# ------------------------------------------------------------------------------------- token by token


@dataclass(frozen=True, slots=True)
class TokenPart:
    """What one query token adds to one document's score, with every number that goes into it.

    ``weight`` is its share of the query's weight; ``match`` the document's token that it meets best (empty
    for none) and ``held`` how well, 0 to 1; ``value`` the addend.
    """

    token: str
    idf: float
    weight: float
    match: str
    held: float
    value: float


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
        """The same with at most so many columns: the best matches first, then those with the largest values."""
        at_least("columns", columns, 1)
        if len(self.columns) <= columns:
            return self
        chosen = dict.fromkeys(i for i in self.best[np.argsort(-self.weights, kind="stable")].tolist() if i >= 0)
        others = np.argsort(-(self.table * self.weights[:, None]).max(axis=0, initial=0.0), kind="stable").tolist()
        keep = sorted(list(dict.fromkeys([*chosen, *others]))[:columns])
        place = {old: new for new, old in enumerate(keep)}
        best = np.array([place.get(i, -1) for i in self.best.tolist()], np.int64)
        return MatchMatrix(self.tokens, tuple(self.columns[i] for i in keep), self.table[:, keep], self.weights, best)


def heat(coverage: Coverage, query: str, document: Document, corpus: Corpus) -> MatchMatrix:
    """The heat map of a query and one document."""
    matcher = _matcher(coverage, query, corpus)
    columns, table = matcher.table(document)
    top = table.max(axis=1, initial=0.0) > 0
    best = np.where(top, table.argmax(axis=1), -1) if table.size else np.full(len(matcher.tokens), -1)
    return MatchMatrix(matcher.tokens, tuple(columns), table, matcher.weights, np.asarray(best, np.int64))


def explain(coverage: Coverage, ranking: Ranking, doc_id: str) -> tuple[TokenPart, ...]:
    """One `TokenPart` per query token for a document of the ranking that coverage was applied to.

    Empty where the ranking does not have the document.
    """
    rank = ranking.rank(doc_id)
    if rank is None:
        return ()
    cover, hit = covered(coverage, ranking), ranking.hits[rank - 1]
    shown = heat(coverage, ranking.query, hit.document, _corpus(ranking))
    return tuple(
        TokenPart(
            token,
            float(cover.idf[i]),
            float(cover.weights[i]),
            shown.columns[shown.best[i]] if shown.best[i] >= 0 else "",
            float(cover.held[rank - 1, i]),
            coverage.weight * float(cover.gains[rank - 1, i]),
        )
        for i, token in enumerate(cover.tokens)
    )


# ----------------------------------------------------------------------------------------------- matchers


class _Matcher(ABC):
    """A query ready to be compared: its tokens, their IDF and their weights (summing to 1)."""

    spread: bool
    tokens: tuple[str, ...]
    idf: Floats
    weights: Floats

    @abstractmethod
    def held(self, documents: Sequence[Document]) -> Floats:
        """How much of every token every document holds, shape [documents, tokens]."""

    @abstractmethod
    def table(self, document: Document) -> tuple[list[str], Floats]:
        """The document's distinct tokens, and query against document, shape [tokens, columns]."""

    def covered(self, documents: Sequence[Document]) -> Covered:
        return Covered(self.tokens, self.idf, self.weights, self.held(documents), self.spread)


def _matcher(coverage: Coverage, query: str, corpus: Corpus) -> _Matcher:
    return _Words(coverage.analyzer, query, corpus) if coverage.match == "exact" else _Meanings(query, corpus)


def _shares(weights: Floats) -> Floats:
    total = float(weights.sum())
    return weights / total if total > 0 else weights


class _Words(_Matcher):
    spread = False

    def __init__(self, analyzer: Analyzer, query: str, corpus: Corpus) -> None:
        self.analyzer, self.corpus = analyzer.for_query(query), corpus
        self.matrix = TermMatrix.of(corpus, self.analyzer)
        self.tokens = tuple(dict.fromkeys(self.analyzer.tokens(query)))
        number = self.matrix.vocabulary
        df = [float(self.matrix.df[number[t]]) if t in number else 0.0 for t in self.tokens]
        self.idf = np.array([idf(len(corpus), n) for n in df])
        self.weights = _shares(self.idf)

    def held(self, documents: Sequence[Document]) -> Floats:
        out = np.zeros((len(documents), len(self.tokens)))
        own = [i for i, d in enumerate(documents) if self.corpus.get(d.id) == d]
        places = np.array([self.corpus.positions[documents[i].id] for i in own], np.int64)
        for j, token in enumerate(self.tokens):
            column = self.matrix.vocabulary.get(token)
            if column is not None:
                out[own, j] = np.isin(places, self.matrix.docs[self.matrix.column(column)])
        for i in set(range(len(documents))) - set(own):  # shortened by an earlier stage, or of another corpus
            words = set(self.analyzer.tokens(documents[i].content))
            out[i] = [t in words for t in self.tokens]
        return out

    def table(self, document: Document) -> tuple[list[str], Floats]:
        columns = list(dict.fromkeys(self.analyzer.tokens(document.content)))
        return columns, np.array([[float(t == c) for c in columns] for t in self.tokens]).reshape(
            len(self.tokens), len(columns)
        )


class _Meanings(_Matcher):
    spread = True

    def __init__(self, query: str, corpus: Corpus) -> None:
        self.corpus, self.store = corpus, TokenStore.of(corpus)
        names, rows = self.store.encoder.tokens(query)
        distinct = {key: (name, row) for key, name, row in zip(_keys(names, rows), names, rows, strict=True)}
        self.tokens = tuple(name for name, _ in distinct.values())
        self.rows = np.array([row for _, row in distinct.values()]).reshape(-1, self.store.encoder.dimensions)
        df = [float(self.store.df[self.store.ids[key]]) if key in self.store.ids else 0.0 for key in distinct]
        self.idf = np.array([idf(len(corpus), n) for n in df])
        self.weights = _shares(self.idf * np.linalg.norm(self.rows, axis=1))
        self.rows = unit(self.rows)

    def held(self, documents: Sequence[Document]) -> Floats:
        out = np.zeros((len(documents), len(self.tokens)))
        if not len(self.tokens):
            return out
        own = {i: self.corpus.positions[d.id] for i, d in enumerate(documents) if self.corpus.get(d.id) == d}
        for i, best in zip(own, self.store.best(self.rows, list(own.values())), strict=True):
            out[i] = best
        for i in set(range(len(documents))) - own.keys():
            _, table = self.table(documents[i])
            out[i] = table.max(axis=1, initial=0.0)
        return out

    def table(self, document: Document) -> tuple[list[str], Floats]:
        names, rows = self.store.encoder.tokens(document.content)
        distinct = dict(zip(_keys(names, rows), zip(names, rows, strict=True), strict=True))
        columns = np.array([row for _, row in distinct.values()]).reshape(-1, self.store.encoder.dimensions)
        # einsum without BLAS: a pair of tokens gets the same number wherever it stands
        table = np.einsum("ik,jk->ij", self.rows, unit(columns)) if columns.size else np.zeros((len(self.tokens), 0))
        return [name for name, _ in distinct.values()], np.clip(table, 0.0, 1.0)


# ------------------------------------------------------------------------------- the lab's best without a model

DEPTH = 50
"""So many documents of each list are fused and reranked by `best_offline`."""

BEST_RETRIEVE = (BM25(), Vector())
BEST_FUSE = WeightedSum(weights=(2 / 3, 1 / 3))
BEST_REFINE = (Coverage("soft", 0.4, "none"),)
"""0.4 BM25 + 0.2 vector + 0.4 soft coverage, min-max each: 0.6 of (2/3, 1/3), and 0.4.

As a pipeline file: two ``[[retrieve]]`` (BM25, Vector), ``[fuse]`` WeightedSum with weights 2/3 and 1/3, one
``[[refine]]`` Coverage with match "soft", weight 0.4, normalisation "none"; every list 50 deep.
"""


@dataclass(frozen=True, eq=False)
class BestOffline:
    """The lab's best pipeline that needs no download, at work on one corpus."""

    corpus: Corpus
    indexes: tuple[Index, ...]
    depth: int = DEPTH

    def search(self, query: str, *, k: int = 100, explain: bool = True) -> Ranking:
        """The best ``k`` of what both lists have in their first ``depth``; the lineage has every step.

        ``explain=False`` leaves the why of the first lists empty, as in `Index.search`.
        """
        at_least("k", k, 1)
        lists = [index.search(query, k=self.depth, explain=explain) for index in self.indexes]
        return BEST_FUSE(lists).then(*BEST_REFINE).top(k)


def best_offline(corpus: Corpus, *, depth: int = DEPTH) -> BestOffline:
    """`BestOffline` for a corpus: ``best_offline(corpus).search("...")``."""
    at_least("depth", depth, 1)
    return BestOffline(corpus, tuple(retriever.index(corpus) for retriever in BEST_RETRIEVE), depth)
