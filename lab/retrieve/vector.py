"""Vector search: every document whose vector is near the query's.

`Vector` takes any embedder and one of three spaces.  The store here is exact: a fast pass over all rows
(`lab.models.rows`) finds all candidates for the best, with its own error as the margin, and these few are compared in
float64.  With a static embedder and the cosine, `Hit.why` lists the token pairs that sum to the score.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

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
from lab.errors import QueryError
from lab.models.embedders import Embedder, Encoder, encoder_of, rows_for
from lab.models.pieces import Pieces, Span
from lab.models.rows import ROUNDING, Rows, contenders, rows_of
from lab.models.static import EMBEDDER, StaticEncoder
from lab.numeric import DIGITS, Floats, Ints, pair_table, unit
from lab.words import N_, Said, ngettext

SPACES = {"cosine": Said("cosine"), "ip": Said("inner product"), "l2": Said("L2, squared")}
SCALES = {"as they are": Said("as they are"), "unit": Said("of length 1"), "by length": Said("by text length")}
PIECES = {
    "whole": Said("the whole passage"),
    "best": Said("its best sentence"),
    "best+whole": Said("best sentence and whole passage"),
}
BEST, WHOLE = Said("best sentence"), Said("whole passage")
STRONGEST = 5
"""Number of token pairs listed in `Hit.why`; the rest is summed up."""
MANY = 200_000
"""In a larger corpus, sentences are embedded for the candidates only: the vectors of all would not fit."""
CANDIDATES = 400
"""Number of candidates there (or k, if that is more): the nearest documents as a whole."""


Passing = NDArray[np.bool_]
"""Which documents may be in a list, by their positions in the corpus: shape [documents]."""


@dataclass(frozen=True)
class Vector(Retriever):
    """Finds the nearest documents by the vectors of an embedding model.

    ``space``: ``cosine`` (score in -1..1), ``ip`` (the inner product) or ``l2``, where the score is
    ``1 / (1 + squared Euclidean distance)``: the order of the distance, turned so that more is better.
    ``scale`` is the form of the stored vectors: as the embedder returns them, with length 1 (then the three spaces
    agree on the order), or with lengths proportional to the length of the text (then ip and l2 visibly differ from the
    cosine).  The query is as the embedder returns it, or has length 1 in the other cases.

    ``pieces`` is the text compared by the cosine: the ``whole`` passage, its ``best`` sentence (the title is one) or
    both, ``best+whole``: the mean of the two cosines.  The other spaces compare the whole passage.  In a corpus of more
    than 200,000 documents the sentences of the nearest 400 (or k) are compared; `Compared.note` says so.
    """

    technique = Said("Vector")
    settled = True
    family = "vector"
    about = Said("By meaning: passages near the question in the vector space of an embedding model.")

    embedder: Embedder = EMBEDDER()
    space: str = knob(
        "cosine",
        Said("Space"),
        Said("Cosine, inner product, or Euclidean distance turned into a score."),
        choices=SPACES,
    )
    scale: str = knob(
        "as they are",
        Said("Stored vectors"),
        Said(
            "With vectors of length 1 the three spaces agree. With vectors scaled by text length, inner product "
            "and L2 differ from the cosine."
        ),
        choices=SCALES,
        kw_only=True,
    )
    pieces: str = knob(
        "best+whole",
        Said("Compared text"),
        Said(
            "A long passage with one answering sentence is far from the question as a whole, but that sentence is "
            "near. Only for the cosine; the mean of both is the safest."
        ),
        choices=PIECES,
        kw_only=True,
    )

    @property
    def label(self) -> str:
        return Said("Vector · {embedder}", embedder=self.embedder.label)

    @property
    def parts(self) -> str:
        """``pieces`` if the space is the cosine; the other spaces compare the whole passage."""
        return self.pieces if self.space == "cosine" else "whole"

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> VectorIndex:
        rows = rows_of(self.embedder, corpus, progress=progress)
        index = VectorIndex(self, corpus, encoder_of(self.embedder, corpus), rows)
        if self.parts != "whole" and 0 < len(corpus) <= MANY:
            index.pieces.fill(progress)
        return index

    def scaled(self, vectors: NDArray[Any], corpus: Corpus, documents: Sequence[Document]) -> NDArray[Any]:
        """Returns the rows of these documents in the form in which they are stored."""
        if self.scale == "as they are":
            return vectors
        return np.asarray(unit(vectors) * (self.sizes(corpus, documents)[:, None] if self.scale == "by length" else 1))

    def sizes(self, corpus: Corpus, documents: Sequence[Document]) -> Floats:
        """Returns the lengths of these documents; the average of the corpus is 1."""
        average = sum(len(d.content) for d in corpus) / max(len(corpus), 1) or 1.0
        return np.array([len(d.content) / average for d in documents])


@dataclass(frozen=True, eq=False)
class Compared:
    """The evidence of a search by sentences: the best sentence of every hit, and the two cosines.

    ``spans`` are (start, end) in `Document.content`, by the document's id; ``n`` documents of ``total`` were compared
    sentence by sentence.
    """

    spans: Mapping[str, Span]
    best: Mapping[str, float]
    whole: Mapping[str, float]
    n: int
    total: int

    @property
    def note(self) -> str:
        """A note for the page; empty if the sentences of all documents were compared."""
        message = N_("Sentences were compared only for the passages nearest as a whole: {n} of {total}.")
        return Said(message, n=self.n, total=self.total) if self.n < self.total else ""


@dataclass(eq=False)
class VectorIndex(Index):
    """The exact store: document vectors as the rows of a matrix."""

    operator: Vector
    corpus: Corpus
    encoder: Encoder
    rows: Rows

    def __post_init__(self) -> None:
        operator, lengths = self.operator, self.rows.lengths
        if operator.scale == "unit" or operator.space == "cosine":
            lengths = np.sign(lengths)
        elif operator.scale == "by length":
            lengths = np.sign(lengths) * operator.sizes(self.corpus, self.corpus.documents).astype(np.float32)
        self._lengths, self._longest = lengths, float(lengths.max(initial=0.0))
        self.passing: Passing | None = None
        self.pieces = Pieces.of(operator.embedder, self.corpus)

    def within(self, rows: Passing) -> Index:
        """See `Index.within`: other documents are not compared."""
        index = copy.copy(self)
        index.passing = rows
        return index

    def query_vector(self, query: str | Query) -> Floats:
        """The query as a vector, shape [dimensions]; of length 1 in the cosine space."""
        query = Query.of(query)
        if not query.weights:
            vector = np.asarray(self.encoder.queries([query.text])[0], dtype=np.float64)
        elif isinstance(self.encoder, StaticEncoder):
            vector = self._tokens(query)[1].sum(0) / (sum(abs(weight) for _, weight in query.weights) or 1.0)
        else:
            message = Said("{name} reads a text as a whole: words cannot have weights.", name=self.operator.label)
            raise QueryError(message, Said("Ask without weights, or use BM25, TF-IDF or a static embedding model."))
        keep_length = self.operator.space != "cosine" and self.operator.scale == "as they are"
        return vector if keep_length else np.asarray(unit(vector[None])[0])

    def _tokens(self, query: Query) -> tuple[list[str], Floats]:
        """Returns the query's distinct tokens and their (weighted) vectors, [n, dimensions]; static embedders only."""
        assert isinstance(self.encoder, StaticEncoder)
        sums: dict[str, Floats] = {}
        for text, weight in query.weights or ((query.text, 1.0),):
            for name, row in zip(*self.encoder.merged(text), strict=True):
                sums[name] = sums.get(name, 0.0) + weight * row
        return list(sums), np.array(list(sums.values())).reshape(-1, self.encoder.dimensions)

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        """See `Index.search`.  A query without a known token gives an empty ranking.

        The evidence is `Compared` if sentences are compared.
        """
        start = time.perf_counter()
        counted("k", k)
        query = Query.of(query)
        vector = self.query_vector(query) if len(self.corpus) and not query.blank else np.zeros(0)
        hits, compared = self._search(vector, k)
        seconds = time.perf_counter() - start
        requested = k if k == len(hits) < len(self.corpus) else 0
        hits = self.explained(query, hits, compared) if explain else hits
        evidence = compared if explain else None
        return Ranking(
            query, hits, self.operator, seconds=seconds, asked=requested, evidence=evidence, corpus=self.corpus
        )

    def explained(self, query: Query, hits: Sequence[Hit], compared: Compared | None = None) -> tuple[Hit, ...]:
        """Returns the hits with their token pairs as why (computed when read), if the score is a sum of such pairs."""
        encoder, both = self.encoder, self.operator.parts == "best+whole"
        static = isinstance(encoder, StaticEncoder)
        if self.operator.space != "cosine" or not (static or both) or not hits:
            return tuple(hits)
        query_tokens = cache(lambda: self._tokens(query))  # once for all hits

        def halves(hit: Hit) -> list[tuple[str, str, float]]:
            """Returns the parts of the score: their labels, their texts, their values."""
            if compared is None:
                return [("", hit.document.content, hit.score)]
            a, b = compared.spans[hit.document.id]
            best, score = hit.document.content[a:b], compared.best[hit.document.id] / (2 if both else 1)
            return [(BEST, best, score), *([(WHOLE, hit.document.content, hit.score - score)] if both else [])]

        def why(hit: Hit) -> Later[Contribution]:
            if not isinstance(encoder, StaticEncoder):
                return Later(lambda: [Contribution(name, score) for name, _, score in halves(hit)])
            share = 0.5 if both else 1.0
            return Later(lambda: [c for half in halves(hit) for c in _why(encoder, query_tokens(), half, share)])

        return tuple(Hit(h.document, h.score, why(h)) for h in hits)

    def nearest(self, vector: Floats, k: int) -> tuple[Hit, ...]:
        """Returns the best ``k`` documents for a query vector; nothing for a vector of zeros."""
        return self._search(vector, k)[0]

    def row(self, document: Document, vector: Floats) -> Floats:
        """Returns the row, [d], whose product with this vector is the document's score (for the cosine and for ip)."""
        parts = self.operator.parts
        whole = self._stored(np.array([self.corpus.positions[document.id]]))[0]
        if parts == "whole":
            return np.asarray(whole)
        ((a, b),) = self.pieces.best(vector, [document]).spans
        best = unit(self.encoder.documents([document.content[a:b]]))[0]
        return np.asarray(best if parts == "best" else (best + whole) / 2)

    # ---------------------------------------------------------------------------------------- quick, then exact

    def _search(
        self, vector: Floats, k: int, passing: Passing | None = None
    ) -> tuple[tuple[Hit, ...], Compared | None]:
        """Returns the best ``k`` among the documents for which ``passing`` is true."""
        if not vector.any():
            return (), None
        places = self._candidates(vector, k, passing)
        documents = [self.corpus.documents[i] for i in places.tolist()]
        whole = self.scores(places, vector)
        parts, scores = self.operator.parts, whole
        if parts != "whole":
            best, spans = self.pieces.best(vector, documents)
            best = best.round(DIGITS)
            scores = best if parts == "best" else ((best + whole) / 2).round(DIGITS)
        order = [i for i in best_first(scores, places, self.corpus).tolist() if scores[i] != 0][:k]
        hits = tuple(Hit(documents[i], float(scores[i])) for i in order)
        if parts == "whole":
            return hits, None
        ids, total = [documents[i].id for i in order], len(self.corpus)
        at = dict(zip(ids, [spans[i] for i in order], strict=True))
        best_scores, whole_scores = (dict(zip(ids, values[order].tolist(), strict=True)) for values in (best, whole))
        return hits, Compared(at, best_scores, whole_scores, len(places) if total > MANY else total, total)

    def _stored(self, places: Ints) -> Floats:
        """Returns the rows of the documents at these positions in the form in which they are compared, [n, d]."""
        operator, documents = self.operator, [self.corpus.documents[i] for i in places.tolist()]
        rows = self.rows.kept[places] if self.rows.whole else rows_for(operator.embedder, documents, self.corpus)
        rows = operator.scaled(rows, self.corpus, documents)
        return unit(rows) if operator.space == "cosine" else np.asarray(rows, dtype=np.float64)

    def scores(self, places: Ints, vector: Floats) -> Floats:
        """Returns the scores of the documents at these positions, 0 for a missing vector and for a rounding error."""
        rows = self._stored(places)
        # einsum sums row by row: equal documents get exactly equal scores, so they are tied
        if self.operator.space == "l2":
            away = rows - vector
            return np.where(rows.any(axis=1), 1 / (1 + _tied(np.einsum("ij,ij->i", away, away))), 0.0)
        scores = np.einsum("ij,j->i", rows, vector)
        if self.operator.space == "cosine":
            return np.asarray(scores.round(DIGITS))
        least = 10.0**-DIGITS * self._longest * float(np.linalg.norm(vector))
        return np.where(np.abs(scores) > least, _tied(scores), 0.0)

    def _candidates(self, vector: Floats, k: int, passing: Passing | None = None) -> Ints:
        """Returns all documents that can be among the best ``k``, by a fast pass with its error as the margin."""
        n, possible = len(self.corpus), self._lengths != 0
        for some in (passing, self.passing):
            if some is not None:
                possible &= some
        few = 4 * k if self.passing is not None else 0  # so few are read at once, wherever their vectors are
        if np.count_nonzero(possible) <= (max(4 * k, 512) if self.rows.whole else few):
            return np.flatnonzero(possible)
        parts = self.operator.parts if n <= MANY else "whole"
        candidate_count = min(k if parts == self.operator.parts else max(k, CANDIDATES), n)
        quick, wrong = self._quick(vector, parts)
        quick[~possible] = -np.inf
        places = contenders(quick, wrong, candidate_count)
        return places[contenders(*self._quick(vector, parts, places), candidate_count)]

    def _quick(self, vector: Floats, parts: str, places: Ints | None = None) -> tuple[NDArray[np.float32], float]:
        """Returns approximate values that order the documents, [N], and their maximum error.

        Those at ``places`` alone are compared more closely.
        """
        if parts == "best":
            return self.pieces.near(vector, places)
        quick, wrong = self.rows.near(vector, places)
        lengths = self._lengths if places is None else self._lengths[places]
        quick *= lengths
        wrong *= self._longest
        if parts == "best+whole":
            best, other = self.pieces.near(vector, places)
            return np.asarray((quick + best) / 2, np.float32), (wrong + other) / 2
        if self.operator.space == "l2":
            return 2 * quick - lengths**2, 2 * wrong + ROUNDING * self._longest**2
        return quick, wrong


def _tied(values: Floats) -> Floats:
    """Rounds the numbers to 40 binary digits (12 decimal ones): differences beyond are rounding errors, and so ties."""
    digits, exponents = np.frexp(values)
    return np.asarray(np.ldexp(np.rint(np.ldexp(digits, 40)), exponents - 40))


def _why(
    encoder: StaticEncoder, query_tokens: tuple[list[str], Floats], half: tuple[str, str, float], share: float
) -> list[Contribution]:
    """Returns the strongest pairs of a query token and a token of the text, and the sum of all others.

    ``half`` is their label, the text, and their total: ``share`` of the cosine.
    """
    (names, rows), (label, text, score) = query_tokens, half
    tokens, columns = encoder.merged(text)
    flat = share * pair_table(rows, columns).ravel()
    size = np.abs(flat)
    strongest = np.argpartition(-size, STRONGEST)[:STRONGEST] if len(flat) > STRONGEST else np.arange(len(flat))
    strongest = strongest[np.lexsort((strongest, -size[strongest]))]
    n = len(tokens)
    pairs = [(f"{names[i // n]} × {tokens[i % n]}", float(flat[i])) for i in strongest.tolist()]
    if len(flat) > STRONGEST or not pairs:
        pairs.append(
            (
                ngettext("{n} other pair", "{n} other pairs", len(flat) - len(pairs)),
                score - sum(value for _, value in pairs),
            )
        )
    else:  # all are listed: the last takes the rounding error of the stored vectors (float32)
        pairs[-1] = pairs[-1][0], score - sum(value for _, value in pairs[:-1])
    if label:
        pairs = [(Said("{half}: {pair}", half=label, pair=pair), value) for pair, value in pairs]
    return [Contribution(pair, value, group=label or "") for pair, value in pairs]
