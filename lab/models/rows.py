"""The vectors of many texts in compact form, which a search scans before it compares exactly.

Few rows are kept as the encoder gives them.  Of many, under an encoder that reads a text again in a tenth of a
millisecond, every number is kept in two bytes: x = step * n with a whole n from -32767 to 32767 and one step per row.
That is half of float32 and five times as near as float16 (whose bits go to its exponent; numpy also turns whole numbers
into float32 twenty times as fast).  A quick pass over these rows has an error of at most `Rows.error`; for exact
numbers, the texts of the few rows that may matter are embedded again (`rows_for`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Arrays, Corpus, Progress
from lab.models.embedders import Embedder, Encoder, Vectors, encoder_of, vectors_of
from lab.numeric import Floats, unit

FEW = 50_000
"""Maximum number of rows in float32 (51 MB at 256 dimensions)."""
BLOCK = 1024
"""Rows converted to float32 at a time, so that they stay in the processor's cache."""
AT_ONCE = 4096
"""Texts embedded before their rows are narrowed."""
ROUNDING = 5e-5
"""A generous bound of the error of a float32 product of two vectors of length 1."""
LAST = 32_767
ROWS = 1
"""The version of rows and their storage; raised when either changes."""


@dataclass(eq=False)
class Rows:
    """``kept`` [n, d] is as the encoder gives it, or int16.

    Row i, scaled to length 1, is ``kept[i] * steps[i]``, with an error of length ``error`` at most.
    ``lengths`` [n] are the lengths of the encoder's vectors, 0 for a text without a known token.
    """

    kept: Vectors | NDArray[np.int16]
    steps: NDArray[np.float32]
    lengths: NDArray[np.float32]
    error: float = 0.0

    def __len__(self) -> int:
        return len(self.kept)

    @property
    def whole(self) -> bool:
        """Whether the rows are kept as the encoder gives them."""
        return self.kept.dtype != np.int16

    @staticmethod
    def of(vectors: Vectors) -> Rows:
        """Returns rows of these vectors, without a copy."""
        squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64, casting="same_kind")
        lengths = np.sqrt(squares)
        steps = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return Rows(vectors, steps.astype(np.float32), lengths.astype(np.float32))

    @staticmethod
    def narrow(encoder: Encoder, blocks: Iterable[Sequence[str]], n: int, progress: Progress | None) -> Rows:
        """Embeds ``n`` texts, given in blocks, with two bytes per number."""
        numbers = np.zeros((n, encoder.dimensions), np.int16)
        steps, lengths = np.zeros(n, np.float32), np.zeros(n, np.float32)
        worst, at = 0.0, 0
        for block in blocks:
            vectors = np.asarray(encoder.documents(block), dtype=np.float64)
            rows = unit(vectors)
            step = (np.abs(rows).max(axis=1, initial=0.0) / LAST).astype(np.float32)
            whole = np.rint(rows / np.where(step > 0, step, 1.0)[:, None].astype(np.float64))
            off = rows - whole * step[:, None].astype(np.float64)
            worst = max(worst, float(np.einsum("ij,ij->i", off, off).max(initial=0.0)))
            end = at + len(block)
            numbers[at:end], steps[at:end] = whole, step
            lengths[at:end] = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
            at = end
            if progress:
                progress(at, n)
        return Rows(numbers, steps, lengths, worst**0.5)

    def arrays(self) -> Arrays:
        """Returns the arrays to store on a disk."""
        error = np.array([self.error])
        return {"kept": self.kept, "steps": self.steps, "lengths": self.lengths, "error": error}

    @staticmethod
    def read(arrays: Arrays) -> Rows:
        """Returns the rows stored in `arrays`."""
        return Rows(arrays["kept"], arrays["steps"], arrays["lengths"], float(arrays["error"][0]))

    def near(self, vector: Floats) -> NDArray[np.float32]:
        """Returns the approximate product of every row, at length 1, with the vector, within `margin`, [n]."""
        query = vector.astype(np.float32)
        if self.whole:
            return np.asarray(self.kept @ query) * self.steps
        products, wide = np.empty(len(self.kept), np.float32), np.empty((BLOCK, len(query)), np.float32)
        for start in range(0, len(products), BLOCK):
            block = self.kept[start : start + BLOCK]
            np.copyto(wide[: len(block)], block)
            np.dot(wide[: len(block)], query, out=products[start : start + len(block)])
        return products * self.steps

    def margin(self, vector: Floats) -> float:
        """Returns the maximum error of `near` (by Cauchy and Schwarz)."""
        return (self.error + ROUNDING) * float(np.linalg.norm(vector))


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
