"""Compressed vectors: the list that remains if every vector is kept in fewer bits, with or without rescoring.

`Compressed` compares whole passages by the cosine, as ``Vector(pieces="whole")`` does, but from codes
(`lab.retrieve.codes`).  With ``rescore`` the first candidates are compared again by their full vectors, which then have
to be kept somewhere.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lab.algebra import (
    NONE,
    Contribution,
    Corpus,
    Document,
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
from lab.errors import ParameterError
from lab.models.embedders import Embedder
from lab.models.rows import Rows, contenders, rows_of
from lab.models.static import EMBEDDER
from lab.numeric import DIGITS, Floats, Ints, unit
from lab.retrieve.vector import Passing, Vector, VectorIndex
from lab.words import N_, Said
from lab_packs.inside.codes import BLOCK, Coder, Codes, First, Product, Seen, Signs, Steps

KINDS = {
    "first": Said("first n dimensions"),
    "int8": Said("int8"),
    "binary": Said("binary"),
    "hamming": Said("binary on both sides"),
    "pq": Said("product quantisation"),
}
LEARNED = 20_000
"""Centres and the ranges of numbers are learned from at most so many passages."""
FEW = 4096
"""So many codes are compared at once, without a quick pass."""
EXACT = Said("cosine of the full vectors")
ROUNDED = {"first": Said("dimensions left out"), "int8": Said("rounding to steps"), "pq": Said("rounding to centres")}
"""What the score by a code has more or less than the cosine, by the kind."""
AGREE, DIFFER = Said("signs that agree"), Said("signs that differ")
BY_CODE, CORRECTED = Said("score by the code"), Said("correction by the full vector")


@dataclass(frozen=True)
class Compressed(Retriever):
    """Finds the nearest documents by vectors that are kept in fewer bits.

    ========  =============================================================  ==============
    kind      what is kept of a vector of length 1                           bytes
    ========  =============================================================  ==============
    first     its first ``n`` numbers                                        4 n
    int8      ``round(x_j / s_j)`` with ``s_j = max |x_j| / 127``            d
    binary    ``sign(R (x - mean))`` with a random rotation R                d / 8
    hamming   the same, and of the question as well                          d / 8
    pq        of ``bytes`` parts the number of the nearest centre of each    ``bytes``
    ========  =============================================================  ==============

    The score is the cosine of the question with what the code stands for; for ``hamming`` the share of signs that
    agree.  If ``rescore`` is set, the list holds at most that many passages, the best by their codes, ordered by the
    cosine of the full vectors.  ``seed`` draws the rotation, the first centres and, for more than 20,000 passages, the
    sample that the coder learns from.

    Raises `ParameterError` when it is indexed: for an ``n`` above the dimensions of the embedder, and for ``bytes``
    that do not divide them.
    """

    technique = Said("Compressed vectors")
    family = "vector"
    other_names: ClassVar[dict[str, Any]] = {"page": "compression"}
    about = Said("By meaning, from vectors in fewer bits: less memory, and some results are lost.")

    embedder: Embedder = EMBEDDER()
    kind: str = knob(
        "int8",
        Said("Stored as"),
        Said(
            "First n dimensions; whole-number steps (int8); signs (binary), with the question as numbers or as signs; "
            "or the numbers of learned centres (product quantisation)."
        ),
        choices=KINDS,
        kw_only=True,
    )
    n: int = knob(
        64,
        Said("Dimensions kept"),
        Said("Only for the first n dimensions. At most as many as the model has."),
        low=1,
        high=8192,
        kw_only=True,
    )
    bytes: int = knob(
        32,
        Said("Bytes per passage"),
        Said("Only for product quantisation: number of parts, one byte each. Must divide the dimensions."),
        low=1,
        high=8192,
        kw_only=True,
    )
    rescore: int = knob(
        0,
        Said("Rescored"),
        Said("Number of first results that are compared again by their full vectors. 0: none."),
        low=0,
        high=1000,
        kw_only=True,
    )
    seed: int = knob(
        0,
        Said("Seed"),
        Said("Draws the rotation of the signs and the first centres of k-means."),
        low=0,
        high=9999,
        rare=True,
        kw_only=True,
    )

    @property
    def label(self) -> str:
        if self.kind == "first":
            kind = Said("dimensions 1 to {n}", n=self.n)
        elif self.kind == "pq":
            kind = Said("product quantisation ({n} B)", n=self.bytes)
        else:
            kind = KINDS[self.kind]
        if self.rescore:
            return Said("Compressed · {kind}, {n} rescored", kind=kind, n=self.rescore)
        return Said("Compressed · {kind}", kind=kind)

    @property
    def full(self) -> Vector:
        """The exact search that this one stands for."""
        return Vector(self.embedder, pieces="whole")

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> CompressedIndex:
        exact = self.full.index(corpus, progress=progress)
        self._fits(exact.encoder.dimensions)
        # the cache key has only what the codes depend on: both kinds use the same signs, and rescoring changes no code
        about = {
            "first": (self.n,),
            "int8": (self.seed,),
            "binary": ("signs", self.seed),
            "hamming": ("signs", self.seed),
            "pq": (self.bytes, self.seed),
        }[self.kind]

        def make(report: Progress | None) -> Coded:
            return self._coded(rows_of(self.embedder, corpus), report)

        key = "codes", self.embedder, "" if "signs" in about else self.kind, about
        coded = corpus.awaited(key, make, progress)
        if self.kind == "hamming" and isinstance(coded.coder, Signs):
            coded = replace(coded, coder=replace(coded.coder, both=True))
        return CompressedIndex(self, corpus, exact, coded)

    def _fits(self, dimensions: int) -> None:
        """Raises `ParameterError` if the parameters do not fit the number of dimensions; 0 dimensions fit all."""
        if self.kind == "first" and 0 < dimensions < self.n:
            wrong = Said(
                "n is {value}, but {model} has fewer dimensions: {d}.",
                value=self.n,
                model=self.embedder.label,
                d=dimensions,
            )
            raise ParameterError(wrong, Said("Possible: 1 to {d}.", d=dimensions))
        if self.kind == "pq" and dimensions and dimensions % self.bytes:
            wrong = Said(
                "bytes is {value}, but must divide the number of dimensions of {model}, {d}.",
                value=self.bytes,
                model=self.embedder.label,
                d=dimensions,
            )
            raise ParameterError(wrong, Said("Possible: {values}.", values=[*map(str, divisors(dimensions))]))

    def _coded(self, rows: Rows, progress: Progress | None) -> Coded:
        """The codes of all vectors that are not zero."""
        places = np.flatnonzero(rows.lengths)
        if not len(places):
            return Coded(None, np.zeros((0, 0), np.uint8), places, 0)
        draw = np.random.default_rng(self.seed).choice
        some = places if len(places) <= LEARNED else np.sort(draw(places, LEARNED, replace=False))
        coder = self._coder(unit(rows.numbers(some)), progress)
        codes = []
        for i in range(0, len(places), BLOCK):
            codes.append(coder.encode(unit(rows.numbers(places[i : i + BLOCK]))))
            if progress:
                progress(min(i + BLOCK, len(places)), len(places))
        return Coded(coder, np.concatenate(codes), places, len(some))

    def _coder(self, rows: Floats, progress: Progress | None) -> Coder:
        if self.kind == "first":
            return First(self.n, rows.shape[1])
        if self.kind == "int8":
            return Steps.of(np.abs(rows).max(axis=0))
        if self.kind == "pq":
            return Product.learned(rows, self.bytes, self.seed, beat=progress or (lambda *_: None))
        return Signs.of(rows.mean(axis=0), self.seed)


def divisors(n: int) -> tuple[int, ...]:
    """Returns every whole number that divides ``n``, in ascending order."""
    return tuple(i for i in range(1, n + 1) if n % i == 0)


@dataclass(frozen=True, eq=False)
class Coded:
    """The vectors of a corpus in fewer bits.

    ``codes`` has a row for each of the ``places`` in the corpus whose document has a vector; ``learned`` is from how
    many of them the coder has its ranges, mean or centres.  Without any vector there is no coder.
    """

    coder: Coder | None
    codes: Codes
    places: Ints
    learned: int

    @property
    def centres(self) -> int:
        """Number of centres of a part; 0 without product quantisation."""
        return self.coder.centres.shape[1] if isinstance(self.coder, Product) else 0

    @cached_property
    def lengths(self) -> NDArray[np.float32]:
        return self.coder.lengths(self.codes) if self.coder else np.zeros(0, np.float32)

    def row(self, place: int) -> int | None:
        """The row of the document at this place in the corpus, or None if it has no vector."""
        i = int(np.searchsorted(self.places, place))
        return i if i < len(self.places) and self.places[i] == place else None


@dataclass(frozen=True, eq=False)
class Sizes:
    """The evidence of a search: bytes of a passage, of its full vector (float32), and of what all codes share.

    ``code(document)`` is the code of one passage: numbers as they are stored.
    """

    bytes: int
    full: int
    shared: int
    centres: int
    learned: int
    code: Callable[[Document], tuple[float, ...]]


@dataclass(eq=False)
class CompressedIndex(Index):
    """The codes of a corpus, and the exact search for rescoring and explaining."""

    operator: Compressed
    corpus: Corpus
    exact: VectorIndex
    coded: Coded

    def __post_init__(self) -> None:
        self.encoder = self.exact.encoder
        self.passing: Passing | None = None

    def within(self, rows: Passing) -> Index:
        """See `Index.within`: other documents are left out before the best are rescored."""
        index = copy.copy(self)
        index.passing = rows
        return index

    def query_vector(self, query: str | Query) -> Floats:
        """The query as a vector of length 1, shape [dimensions]."""
        return self.exact.query_vector(query)

    @property
    def sizes(self) -> Sizes:
        coder = self.coded.coder
        size, shared = (coder.bytes, coder.shared) if coder else (0, 0)
        full = 4 * self.encoder.dimensions
        return Sizes(size, full, shared, self.coded.centres, self.coded.learned, self._code)

    def _code(self, document: Document) -> tuple[float, ...]:
        row = self.coded.row(self.corpus.positions[document.id])
        return () if row is None else tuple(np.asarray(self.coded.codes[row]).tolist())

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        """See `Index.search`.  A query without a known token gives an empty ranking.  The evidence is `Sizes`."""
        start = time.perf_counter()
        counted("k", k)
        query = Query.of(query)
        vector = self.query_vector(query) if len(self.corpus) and not query.blank else np.zeros(0)
        rows, scores, by_code = self._found(vector, k + 1)
        hits: Sequence[Hit] = [
            Hit(self.corpus.documents[place], score)
            for place, score in zip(self.coded.places[rows[:k]].tolist(), scores[:k].tolist(), strict=True)
        ]
        asked = k if k == len(hits) < len(rows) else 0
        seconds = time.perf_counter() - start
        hits = self._explained(hits, vector, rows, by_code) if explain else hits
        evidence = self.sizes if explain else None
        return Ranking(
            query, tuple(hits), self.operator, seconds=seconds, asked=asked, evidence=evidence, corpus=self.corpus
        )

    def by_code(self, vector: Floats, count: int) -> tuple[Ints, Floats]:
        """Returns the rows of the best ``count`` codes, and maybe of others, with their scores, best first.

        Codes that have nothing of the vector are left out.
        """
        coder, codes, places = self.coded.coder, self.coded.codes, self.coded.places
        if coder is None or not vector.any():
            return np.zeros(0, np.int64), np.zeros(0)
        rows = np.arange(len(places)) if self.passing is None else np.flatnonzero(self.passing[places])
        if len(rows) > max(4 * count, FEW) and (near := coder.near(codes, self.coded.lengths, vector)):
            best = self._ordered(rows[contenders(near[0][rows], near[1], count)], vector)
            if len(best[0]) >= count:
                return best
        return self._ordered(rows, vector)

    def _ordered(self, rows: Ints, vector: Floats) -> tuple[Ints, Floats]:
        """Returns these rows with their scores by their codes, best first, without those whose score is 0."""
        coder, codes = self.coded.coder, self.coded.codes
        assert coder is not None
        scores = coder.scores(codes if len(rows) == len(codes) else codes[rows], vector).round(DIGITS)
        order = best_first(scores, self.coded.places[rows], self.corpus)
        order = order[scores[order] != 0]
        return rows[order], scores[order]

    def _found(self, vector: Floats, k: int) -> tuple[Ints, Floats, Floats]:
        """Returns the rows of the best ``k``, and maybe of others, their scores, and their scores by their codes."""
        rows, scores = self.by_code(vector, self.operator.rescore or k)
        if not self.operator.rescore or not len(rows):
            return rows, scores, scores
        rows, scores = rows[: self.operator.rescore], scores[: self.operator.rescore]
        places = self.coded.places[rows]
        exact = self.exact.scores(places, vector)
        order = best_first(exact, places, self.corpus)
        order = order[exact[order] != 0]
        return rows[order], exact[order], scores[order]

    def see(self, query: str | Query, document: Document) -> Seen | None:
        """The vector of a document beside its code, as the question compares them; None if one has no vector."""
        row, vector = self.coded.row(self.corpus.positions[document.id]), self.query_vector(query)
        if row is None or self.coded.coder is None or not vector.any():
            return None
        full = self.exact.row(document, vector)
        return self.coded.coder.see(full, self.coded.codes[row], vector)

    def missing(self, query: str | Query, document: Document) -> str:
        """Why this document is not in the list, however long that is; empty if it is."""
        vector = self.query_vector(query)
        if not vector.any():
            return Said("The model knows no word of the question, so there is no vector to compare.")
        row = self.coded.row(self.corpus.positions[document.id])
        if row is None:
            return Said("The model knows no word of this passage, so it has no vector.")
        rows, _ = self.by_code(vector, len(self.coded.places))
        rank = next((rank for rank, one in enumerate(rows.tolist(), 1) if one == row), None)
        if rank is None:
            return Said("Its score by the code is 0: the list does not include it.")
        if 0 < self.operator.rescore < rank:
            said = N_("Its rank by the code is {rank}; rescoring ends at rank {n}.")
            return Said(said, rank=rank, n=self.operator.rescore)
        if self.operator.rescore and self.exact.scores(np.array([self.corpus.positions[document.id]]), vector)[0] == 0:
            return Said("The cosine of its full vector is 0: rescoring removes it.")
        return ""

    def _explained(self, hits: Sequence[Hit], vector: Floats, rows: Ints, by_code: Floats) -> list[Hit]:
        """The hits with the parts of their scores, made when they are first read."""
        kind = self.operator.kind

        def one(i: int, hit: Hit) -> list[Contribution]:
            if self.operator.rescore:
                score = float(by_code[i])
                return [Contribution(BY_CODE, score), Contribution(CORRECTED, hit.score - score)]
            if kind == "hamming":
                return [Contribution(AGREE, hit.score)]
            if kind == "binary":
                seen = self._seen(hit.document, int(rows[i]), vector)
                agree = float(seen.coded[seen.coded > 0].sum())
                return [Contribution(AGREE, agree), Contribution(DIFFER, hit.score - agree)]
            cosine = exact()[hit.document.id]
            return [Contribution(EXACT, cosine), Contribution(ROUNDED[kind], hit.score - cosine)]

        @cache
        def exact() -> dict[str, float]:  # for all hits once
            places = np.array([self.corpus.positions[hit.document.id] for hit in hits], np.int64)
            scores = self.exact.scores(places, vector).tolist()
            return dict(zip((hit.document.id for hit in hits), scores, strict=True))

        return [Hit(h.document, h.score, Later(partial(one, i, h))) for i, h in enumerate(hits)]

    def _seen(self, document: Document, row: int, vector: Floats) -> Seen:
        assert self.coded.coder is not None
        return self.coded.coder.see(self.exact.row(document, vector), self.coded.codes[row], vector)
