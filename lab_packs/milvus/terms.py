"""Document frequencies of the terms of a corpus that is read block by block, without keeping its passages.

A term is known by a fingerprint of 64 bits, and its number (the dimension of a sparse vector) is its rank among the
fingerprints of all terms: 12 bytes per term, while a dictionary of words takes about 170.  The counts are final after
the last block: `Frozen.pieces` writes them in pieces that fit into a field, and a question reads the few it needs.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.numeric import Floats, Ints
from lab.retrieve.lexical import BM25
from lab.retrieve.matrix import TermMatrix
from lab.text import Analyzer, surface

Marks = NDArray[np.uint64]
IN_A_PIECE = 1200
"""Approximate number of terms per piece: 20 bytes each, and a field holds twice as many."""
NEVER = 0
"""A dimension without a term, for passages without words, because engines refuse an empty sparse vector."""


def marks(terms: Iterable[str]) -> Marks:
    """The fingerprints of these terms: two of a hundred million differ, all but certainly (the odds are 1 : 3700)."""
    each = (hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest() for term in terms)
    return np.frombuffer(b"".join(each), dtype="<u8").astype(np.uint64)


@dataclass(frozen=True)
class Reading:
    """How the passages are read for one sparse field; ``only`` says which of the terms that field holds (None: all)."""

    field: str
    analyzer: Analyzer
    only: frozenset[str] | None = None

    def holds(self, term: str) -> bool:
        """Whether a question that is read like this can have the term."""
        return self.only is None or term in self.only or all(c in self.only for c in surface(term))


def readings(analyzer: Analyzer) -> tuple[Reading, ...]:
    """Every analyzer that a question may be looked up with (`lab.retrieve.lexical.looked_up`), the usual one first."""
    further = (
        Reading(f"others{i}", analyzer_option, only)
        for i, (analyzer_option, only) in enumerate(analyzer.alternatives())
    )
    return Reading("words", analyzer), *further


class Census:
    """Terms counted block by block: ``documents``, ``tokens`` in all, and of every term how many passages have it."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.documents, self.tokens = 0, 0.0
        self._marks, self._df = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        self._waiting = list[tuple[Marks, Ints]]()

    def add(self, texts: Sequence[str]) -> None:
        m, reading = TermMatrix.count(texts, self.reading.analyzer), self.reading
        kept_terms = [(term, j) for term, j in m.vocabulary.items() if reading.holds(term)]
        self.documents += len(texts)
        self.tokens += float(m.lengths.sum())
        self._waiting.append((marks(term for term, _ in kept_terms), m.df[[j for _, j in kept_terms]].astype(np.int64)))
        if sum(len(waiting) for waiting, _ in self._waiting) > max(len(self._marks), 100_000):
            self._merge()

    def _merge(self) -> None:
        every, df = (
            np.concatenate([merged, *(w[i] for w in self._waiting)]) for i, merged in enumerate((self._marks, self._df))
        )
        self._marks, place = np.unique(every, return_inverse=True)
        self._df = np.bincount(place, df, len(self._marks)).astype(np.int64)
        self._waiting.clear()

    def frozen(self, bm25: BM25) -> Frozen:
        """Returns the counts, with the IDF that this BM25 gives every term."""
        self._merge()
        average = self.tokens / self.documents if self.tokens else 1.0
        idf = bm25.idf(_counted(self.documents, average, self._df))
        return Frozen(self.reading, self.documents, average, self._marks, self._df, idf)


@dataclass(frozen=True, eq=False)
class Frozen:
    """The statistics of a filled field: ``marks``, ``df`` and ``idf`` of all terms, in the order of their marks."""

    reading: Reading
    documents: int
    average: float
    marks: Marks
    df: Ints
    idf: Floats

    def rows(self, bm25: BM25, texts: Sequence[str]) -> list[dict[int, float]]:
        """Returns the sparse vector of each text: the weight of the frequency, without the IDF, by number of the term.

        A text without terms has one weight in the dimension `NEVER`.
        """
        m = TermMatrix.count(texts, self.reading.analyzer)
        kept_terms = [(term, j) for term, j in m.vocabulary.items() if self.reading.holds(term)]
        number = np.zeros(len(m.vocabulary), np.int64)
        number[[j for _, j in kept_terms]] = 1 + np.searchsorted(self.marks, marks(term for term, _ in kept_terms))
        # with the average length of the whole corpus instead of these texts
        part = _Part(m.vocabulary, m.starts, m.docs, m.tf, m.lengths, self.average)
        norms = bm25.norms(part, np.zeros(0))
        weights = bm25.weigh(m.tf.astype(np.float64), norms[m.docs], 1.0).astype(np.float32)
        vectors = [dict[int, float]() for _ in texts]
        columns = np.repeat(number, np.diff(m.starts))
        for document, column, weight in zip(m.docs.tolist(), columns.tolist(), weights.tolist(), strict=True):
            if column:
                vectors[document][column] = weight
        return [row or {NEVER: 1.0} for row in vectors]

    @staticmethod
    def thawed(reading: Reading, documents: int, average: float, pieces: Sequence[bytes]) -> Frozen:
        """Returns the statistics read from their pieces."""
        parts = [_parts(data) for data in pieces]
        fingerprints, df, idf = (np.concatenate([part[i] for part in parts]) for i in range(3))
        return Frozen(reading, documents, average, fingerprints, df, idf)

    @property
    def count(self) -> int:
        """Returns the number of pieces that `pieces` writes."""
        return max(1, -(-len(self.marks) // IN_A_PIECE))

    def pieces(self) -> Iterable[bytes]:
        """Where its numbers start, and then mark, df and IDF of its terms, piece by piece."""
        ends = np.searchsorted(_piece(self.marks, self.count), np.arange(self.count), side="right")
        for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
            head = struct.pack("<q", start + 1)
            block = slice(start, end)
            yield head + b"".join(
                part[block].astype(kind).tobytes()
                for part, kind in zip((self.marks, self.df, self.idf), _KINDS, strict=True)
            )


_KINDS = ("<u8", "<u4", "<f8")
Found = tuple[int, int, float]
"""(number of a term, number of passages that have it, its IDF)"""


def _piece(fingerprints: Marks, count: int) -> Ints:
    return ((fingerprints >> np.uint64(32)) * np.uint64(count) >> np.uint64(32)).astype(np.int64)


def find(terms: Sequence[str], count: int, piece: Callable[[Sequence[int]], Mapping[int, bytes]]) -> dict[str, Found]:
    """Returns number, document frequency and IDF of the known terms, and reads only the pieces that may have them."""
    fingerprints = marks(terms)
    places = _piece(fingerprints, count).tolist()
    read = piece(sorted(set(places)))
    terms_found = dict[str, Found]()
    for term, mark, place in zip(terms, fingerprints, places, strict=True):
        data = read[place]
        known, df, idf = _parts(data)
        i = int(np.searchsorted(known, mark))
        if i < len(known) and known[i] == mark:
            terms_found[term] = (struct.unpack_from("<q", data)[0] + i, int(df[i]), float(idf[i]))
    return terms_found


def _parts(data: bytes) -> tuple[Marks, Ints, Floats]:
    """Marks, df and IDF out of a piece."""
    n = (len(data) - 8) // 20
    fingerprints, df, idf = (
        np.frombuffer(data, kind, n, 8 + at * n) for kind, at in zip(_KINDS, (0, 8, 12), strict=True)
    )
    return fingerprints.astype(np.uint64), df.astype(np.int64), idf.astype(np.float64)


def _counted(documents: int, average: float, df: Ints) -> TermMatrix:
    """Counts alone, as BM25 asks for them: nothing says which document has which term."""
    lengths = np.broadcast_to(np.float64(average), documents)
    none = np.zeros(0, np.int64)
    return TermMatrix({}, np.insert(np.cumsum(df), 0, 0), none, none, lengths)


@dataclass(frozen=True, eq=False)
class _Part(TermMatrix):
    whole: float = 1.0

    @property
    def average_length(self) -> float:
        return self.whole
