"""The vectors of many texts in compact form, which a search scans before it compares exactly.

Few rows are kept as the encoder gives them.  Of many, under an encoder that reads a text again in a tenth of a
millisecond, every number is kept in two bytes: x = step * n with a whole n from -32767 to 32767 and one step per row.
That is half of float32 and five times as near as float16.  The high and the low bytes are kept apart: a quick pass over
the high bytes leaves the rows that may matter, and both bytes of these leave fewer.  Each pass has a known maximum
error (`Rows.near`).  The first takes a third of the time of a float32 product with SimSIMD (the extra `simd`), and more
with numpy.  For exact numbers, the texts of the remaining rows are embedded again (`rows_for`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Arrays, Corpus, Progress
from lab.models.embedders import Embedder, Encoder, Vectors, encoder_of, vectors_of
from lab.numeric import Floats, Ints, unit

simsimd: Any
try:
    import simsimd
except ImportError:  # numpy compares the same bytes, more slowly
    simsimd = None

FEW = 50_000
"""Maximum number of rows in float32 (51 MB at 256 dimensions)."""
BLOCK = 1024
"""Rows converted to float32 at a time, so that they stay in the processor's cache."""
SCANNED = 16 * BLOCK
"""Rows compared by SimSIMD at a time, so that their products stay in the processor's cache."""
AT_ONCE = 4096
"""Texts embedded before their rows are narrowed."""
ROUNDING = 5e-5
"""A generous bound of the error of a float32 product of two vectors of length 1."""
LAST = 32_767
BYTE = 256
MIDDLE = BYTE / 2
"""What stands for a low byte that is not read."""
ROWS = 2
"""The version of rows and their storage; raised when either changes."""


@dataclass(eq=False)
class Rows:
    """``kept`` [n, d] is as the encoder gives it, or the high bytes of whole numbers with ``low`` bytes [n, d].

    Row i, scaled to length 1, is ``numbers([i]) * steps[i]``, with an error of length ``error`` at most; with `MIDDLE`
    in place of the low bytes, the row changes by a vector of length ``coarse`` at most.
    ``lengths`` [n] are the lengths of the encoder's vectors, 0 for a text without a known token.
    """

    kept: Vectors | NDArray[np.int8]
    steps: NDArray[np.float32]
    lengths: NDArray[np.float32]
    error: float = 0.0
    low: NDArray[np.uint8] | None = None
    coarse: float = 0.0

    def __len__(self) -> int:
        return len(self.kept)

    @property
    def whole(self) -> bool:
        """Whether the rows are kept as the encoder gives them."""
        return self.low is None

    @staticmethod
    def of(vectors: Vectors | NDArray[np.int8]) -> Rows:
        """Returns rows of these vectors, without a copy."""
        squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64, casting="same_kind")
        lengths = np.sqrt(squares)
        steps = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return Rows(vectors, steps.astype(np.float32), lengths.astype(np.float32))

    @staticmethod
    def narrow(encoder: Encoder, blocks: Iterable[Sequence[str]], n: int, progress: Progress | None) -> Rows:
        """Embeds ``n`` texts, given in blocks, with two bytes per number."""
        high = np.zeros((n, encoder.dimensions), np.int8)
        low = np.zeros((n, encoder.dimensions), np.uint8)
        steps, lengths = np.zeros(n, np.float32), np.zeros(n, np.float32)
        worst, coarse, at = 0.0, 0.0, 0
        for block in blocks:
            vectors = np.asarray(encoder.documents(block), dtype=np.float64)
            rows = unit(vectors)
            step = (np.abs(rows).max(axis=1, initial=0.0) / LAST).astype(np.float32)
            scale = step[:, None].astype(np.float64)
            whole = np.rint(rows / np.where(scale > 0, scale, 1.0)).astype(np.int16)
            worst = max(worst, _longest(rows - whole * scale))
            end = at + len(block)
            high[at:end], low[at:end], steps[at:end] = whole >> 8, whole & (BYTE - 1), step
            coarse = max(coarse, _longest((low[at:end] - MIDDLE) * scale))
            lengths[at:end] = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
            at = end
            if progress:
                progress(at, n)
        return Rows(high, steps, lengths, worst, low, coarse)

    def arrays(self) -> Arrays:
        """Returns the arrays of narrow rows, to store on a disk."""
        assert self.low is not None
        errors = np.array([self.error, self.coarse])
        return {"high": self.kept, "low": self.low, "steps": self.steps, "lengths": self.lengths, "errors": errors}

    @staticmethod
    def read(arrays: Arrays) -> Rows:
        """Returns the rows stored in `arrays`."""
        error, coarse = arrays["errors"].tolist()
        return Rows(arrays["high"], arrays["steps"], arrays["lengths"], error, arrays["low"], coarse)

    def numbers(self, places: Ints) -> NDArray[Any]:
        """Returns the rows at these places, not scaled, [n, d]."""
        if self.low is None:
            return self.kept[places]
        numbers = self.kept[places] * np.float32(BYTE)
        numbers += self.low[places]
        return numbers

    def near(self, vector: Floats, places: Ints | None = None) -> tuple[NDArray[np.float32], float]:
        """Returns the approximate product of every row, at length 1, with the vector, [n], and the maximum error.

        Of narrow rows, the high bytes alone are compared, or both bytes of the rows at ``places``.  The error of the
        former includes that of the latter, so that it also bounds the difference of the two (by Cauchy and Schwarz).
        """
        query, length = vector.astype(np.float32), float(np.linalg.norm(vector))
        error = (self.error + ROUNDING) * length
        if places is not None:
            blocks = (self.numbers(places[i : i + BLOCK]) @ query for i in range(0, len(places), BLOCK))
            return np.concatenate([np.zeros(0, np.float32), *blocks]) * self.steps[places], error
        if self.whole:
            return np.asarray(self.kept @ query) * self.steps, error
        products, compared = scan(self.kept, vector * BYTE)
        products += np.float32(MIDDLE / BYTE * compared.sum())
        products *= self.steps
        coarse = self.coarse + ROUNDING
        rounding = float(np.linalg.norm(vector - compared / BYTE))
        return products, error + coarse * length + rounding * (1 + self.error + coarse)

    def at_least(self, vector: Floats, least: float) -> Ints:
        """Returns the places of all rows whose product with the vector, at length 1, can be this large."""
        products, error = self.near(vector)
        places = np.flatnonzero(products >= least - error)
        products, error = self.near(vector, places)
        return places[products >= least - error]


def scan(codes: NDArray[Any], vector: Floats) -> tuple[NDArray[np.float32], Floats]:
    """Returns the product of every row of bytes, [n, d], with the vector, and the vector as it was compared.

    SimSIMD compares bytes with bytes, so the vector is rounded to 127 steps on each side; numpy does not round it.
    """
    products = np.empty(len(codes), np.float32)
    if simsimd:
        step = float(np.abs(vector).max(initial=0.0)) / 127 or 1.0
        whole = np.rint(vector / step).astype(np.int8)
        for start in range(0, len(codes), SCANNED):
            some = slice(start, start + SCANNED)
            block = np.asarray(simsimd.cdist(whole[None], codes[some], metric="dot", out_dtype="float32"))[0]
            np.multiply(block, np.float32(step), out=products[some])
        return products, np.asarray(whole * step)
    wide, query = np.empty((BLOCK, len(vector)), np.float32), vector.astype(np.float32)
    for start in range(0, len(codes), BLOCK):
        block = codes[start : start + BLOCK]
        np.copyto(wide[: len(block)], block)
        np.dot(wide[: len(block)], query, out=products[start : start + len(block)])
    return products, vector


def contenders(values: NDArray[np.float32], error: float, count: int) -> Ints:
    """Returns the places of all values that can be among the best ``count``, each with an error of this size at most.

    Values of minus infinity are left out.
    """
    count = min(count, len(values))
    limit = np.partition(values, len(values) - count)[len(values) - count]
    return np.flatnonzero((values >= limit - 2 * error) & (values > -np.inf))


def _longest(rows: Floats) -> float:
    return math.sqrt(np.einsum("ij,ij->i", rows, rows).max(initial=0.0))


def rows_of(embedder: Embedder, corpus: Corpus, *, progress: Progress | None = None) -> Rows:
    """Returns the rows of all documents in corpus order; made once, kept with the corpus."""

    def make(report: Progress | None) -> Rows:
        encoder, documents = encoder_of(embedder, corpus, progress=report), corpus.documents
        if len(documents) <= FEW or not encoder.quick:
            return Rows.of(vectors_of(embedder, corpus, progress=report))

        def narrow() -> Rows:
            blocks = ([d.content for d in documents[i : i + AT_ONCE]] for i in range(0, len(documents), AT_ONCE))
            return Rows.narrow(encoder, blocks, len(documents), report)

        if not encoder.mark:
            return narrow()
        return Rows.read(corpus.stored(f"rows {embedder}", f"rows {ROWS}, {encoder.mark}", lambda: narrow().arrays()))

    return corpus.awaited(("rows", embedder), make, progress)
