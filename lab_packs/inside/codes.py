"""Fewer bits for a vector: the first dimensions, int8 steps, signs, and product quantisation.

A coder is made once from the vectors of a corpus (of length 1).  It turns each vector into a short code, and compares a
question with the codes alone.  All of it is numpy, so that every number can be inspected.

Sources: H. Jégou, M. Douze and C. Schmid, *Product Quantization for Nearest Neighbor Search*, 2011; A. Kusupati et al.,
*Matryoshka Representation Learning*, 2022, for models whose first dimensions are trained to stand alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lab.models.rows import ROUNDING, scan
from lab.numeric import ROUNDS, TIED, Floats, Ints, k_means, nearest, unit

Codes = NDArray[np.generic]
"""One row per vector: float32, int8 or uint8."""
Bytes = NDArray[np.uint8]

CENTRES = 256
"""Most centres of a part: the number of one of them fits into a byte."""
SHARE = 4
"""There is at most one centre for so many vectors, or k-means would learn them by heart …"""
LEAST = 4
"""… but so many in any case."""
BLOCK = 4096
"""Vectors that are decoded at a time."""


@dataclass(frozen=True, eq=False)
class Seen:
    """One vector beside its code, number by number, in the space in which it is coded.

    ``vector`` and ``decoded`` have one number per dimension.  ``exact`` are the products that sum to the cosine of the
    question with the vector, ``coded`` those that sum to the score by the code.
    """

    vector: Floats
    decoded: Floats
    exact: Floats
    coded: Floats


class Coder(ABC):
    """Turns vectors into codes and compares questions with codes.

    ``bytes`` is the size of a code, ``shared`` what the coder itself takes once, both in bytes.
    """

    bytes: int
    shared: int = 0

    @abstractmethod
    def encode(self, rows: Floats) -> Codes:
        """Returns the codes of vectors of length 1, one row each."""

    @abstractmethod
    def decode(self, codes: Codes) -> Floats:
        """Returns the vectors that the codes stand for, [n, d], in the space in which they are coded."""

    @abstractmethod
    def scores(self, codes: Codes, query: Floats) -> Floats:
        """Returns the score of every code for a question of length 1, [n]; equal codes have equal scores."""

    def lengths(self, codes: Codes) -> NDArray[np.float32]:
        """Returns the lengths of the vectors that the codes stand for, [n]."""
        blocks = (np.linalg.norm(self.decode(codes[i : i + BLOCK]), axis=1) for i in range(0, len(codes), BLOCK))
        return np.concatenate([np.zeros(0), *blocks]).astype(np.float32)

    def near(
        self, codes: Codes, lengths: NDArray[np.float32], query: Floats
    ) -> tuple[NDArray[np.float32], float] | None:
        """Returns approximate scores, [n], and their maximum error; None if they take as long as `scores`."""
        return None

    @abstractmethod
    def see(self, row: Floats, code: Codes, query: Floats) -> Seen:
        """Returns one vector beside its code, as the question compares them."""


@dataclass(frozen=True, eq=False)
class First(Coder):
    """Keeps the first ``n`` of ``dimensions`` numbers as float32; the cosine is computed from these numbers alone."""

    n: int
    dimensions: int

    @property
    def bytes(self) -> int:  # type: ignore[override]
        return 4 * self.n

    def encode(self, rows: Floats) -> Codes:
        return np.ascontiguousarray(rows[:, : self.n], dtype=np.float32)

    def decode(self, codes: Codes) -> Floats:
        rows = np.zeros((len(codes), self.dimensions))
        rows[:, : self.n] = codes
        return rows

    def scores(self, codes: Codes, query: Floats) -> Floats:
        return _cosines(lambda block: np.asarray(block, dtype=np.float64), codes, query[: self.n])

    def see(self, row: Floats, code: Codes, query: Floats) -> Seen:
        (decoded,), start = self.decode(code[None]), np.where(np.arange(len(query)) < self.n, query, 0.0)
        coded = unit(decoded[None])[0] * unit(start[None])[0]
        return Seen(row, decoded, row * query, coded)


@dataclass(frozen=True, eq=False)
class Steps(Coder):
    """Every number as a whole number of steps from -127 to 127: ``round(x_j / s_j)``.

    ``steps`` [d] has the step of each dimension, ``s_j = max |x_j| / 127`` over the corpus.
    """

    steps: Floats

    @staticmethod
    def of(largest: Floats) -> Steps:
        """The coder for dimensions whose numbers are at most this large."""
        return Steps(np.where(largest > 0, largest, 1.0) / 127)

    @property
    def bytes(self) -> int:  # type: ignore[override]
        return len(self.steps)

    @property
    def shared(self) -> int:  # type: ignore[override]
        return 4 * len(self.steps)

    def encode(self, rows: Floats) -> Codes:
        return np.clip(np.rint(rows / self.steps), -127, 127).astype(np.int8)

    def decode(self, codes: Codes) -> Floats:
        return np.asarray(codes, np.float64) * self.steps

    def near(self, codes: Codes, lengths: NDArray[np.float32], query: Floats) -> tuple[NDArray[np.float32], float]:
        length = float(np.linalg.norm(query)) or 1.0
        products, compared = scan(np.asarray(codes, np.int8), query / length * self.steps)
        error = float(np.linalg.norm(query / length - compared / self.steps)) + ROUNDING
        return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0), error

    def scores(self, codes: Codes, query: Floats) -> Floats:
        return _cosines(self.decode, codes, query)

    def see(self, row: Floats, code: Codes, query: Floats) -> Seen:
        (decoded,) = self.decode(code[None])
        return Seen(row, decoded, row * query, unit(decoded[None])[0] * query)


@dataclass(frozen=True, eq=False)
class Signs(Coder):
    """One bit per dimension: ``sign(R (x - mean))``, with a random rotation R that spreads a vector over all bits.

    The question keeps its numbers: the score is the cosine of ``R q`` with the signs.  With ``both`` it is reduced to
    signs as well, and the score is the share of signs that agree: 1 - Hamming distance / d.
    """

    mean: Floats
    rotation: Floats
    both: bool = False

    @staticmethod
    def of(mean: Floats, seed: int) -> Signs:
        """The coder with the rotation of this seed."""
        d = len(mean)
        return Signs(mean, np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0])

    @property
    def bytes(self) -> int:  # type: ignore[override]
        return -(-len(self.mean) // 8)

    @property
    def shared(self) -> int:  # type: ignore[override]
        return 4 * (self.mean.size + self.rotation.size)

    def turned(self, rows: Floats) -> Floats:
        """The vectors as they are before only their signs are kept, [n, d]."""
        # rounded: equal vectors get equal signs, also if the noise of a matrix product is all that a number has
        return np.asarray(((rows - self.mean) @ self.rotation.T).round(TIED))

    def encode(self, rows: Floats) -> Codes:
        return np.packbits(self.turned(rows) >= 0, axis=1)

    def decode(self, codes: Codes) -> Floats:
        bits = np.unpackbits(np.asarray(codes, np.uint8), axis=1, count=len(self.mean))
        return 2.0 * bits.astype(np.float64) - 1.0

    def distances(self, codes: Codes, query: Floats) -> Ints:
        """Returns the number of signs of every code that differ from the question's, [n]."""
        (asked,) = self.encode(query[None])
        return np.asarray(np.bitwise_count(np.asarray(codes, np.uint8) ^ asked).sum(axis=1, dtype=np.int64))

    def scores(self, codes: Codes, query: Floats) -> Floats:
        d = len(self.mean)
        if self.both:
            return 1.0 - self.distances(codes, query) / d
        numbers = np.zeros(8 * self.bytes)
        numbers[:d] = self.rotation @ query / d**0.5
        each = 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) - 1.0  # the signs of every byte
        return _looked_up(np.einsum("mj,bj->mb", numbers.reshape(-1, 8), each), np.asarray(codes, np.uint8))

    def see(self, row: Floats, code: Codes, query: Floats) -> Seen:
        (decoded,), d = self.decode(code[None]), len(self.mean)
        (vector,), asked = self.turned(row[None]), self.rotation @ query
        exact = asked * (self.rotation @ row)
        if self.both:
            (signs,) = self.decode(self.encode(query[None]))
            return Seen(vector, decoded, exact, (signs == decoded) / d)
        return Seen(vector, decoded, exact, asked * decoded / d**0.5)


@dataclass(frozen=True, eq=False)
class Product(Coder):
    """Product quantisation: the vector is split into M parts, and each is replaced by the nearest of C centres.

    ``centres`` [M, C, d / M].  A code has one byte per part: the number of its centre.  The question keeps its numbers:
    the score is its cosine with the decoded vector, a sum of numbers that are looked up by part and centre.
    """

    centres: Floats

    @staticmethod
    def learned(
        rows: Floats, parts: int, seed: int, *, beat: Callable[[int, int], object] = lambda *_: None
    ) -> Product:
        """The coder whose centres k-means has found among these vectors; ``beat(done, of)`` may raise to stop."""
        rng, count, total = np.random.default_rng(seed), centres_for(len(rows)), parts * ROUNDS
        pieces = np.split(rows, parts, axis=1)
        return Product(
            np.array([k_means(x, count, rng, beat=partial(_beat, beat, i, total)) for i, x in enumerate(pieces)])
        )

    @property
    def bytes(self) -> int:  # type: ignore[override]
        return len(self.centres)

    @property
    def shared(self) -> int:  # type: ignore[override]
        return 4 * self.centres.size

    def encode(self, rows: Floats) -> Codes:
        pieces = np.split(rows, len(self.centres), axis=1)
        codes = [nearest(x, own)[0] for x, own in zip(pieces, self.centres, strict=True)]
        return np.stack(codes, axis=1).astype(np.uint8)

    def decode(self, codes: Codes) -> Floats:
        parts = np.arange(len(self.centres))
        return np.asarray(self.centres[parts, codes].reshape(len(codes), -1))

    def scores(self, codes: Codes, query: Floats) -> Floats:
        places = np.asarray(codes, np.uint8)
        m, _, wide = self.centres.shape
        products = _looked_up(np.einsum("mcw,mw->mc", self.centres, query.reshape(m, wide)), places)
        squares = _looked_up(np.einsum("mcw,mcw->mc", self.centres, self.centres), places)
        return np.divide(products, np.sqrt(squares), out=np.zeros(len(places)), where=squares > 0)

    def see(self, row: Floats, code: Codes, query: Floats) -> Seen:
        (decoded,) = self.decode(code[None])
        return Seen(row, decoded, row * query, unit(decoded[None])[0] * query)


# ------------------------------------------------------------------------------------------------------ centres


def centres_for(n: int) -> int:
    """Returns how many centres a part has that is learned from ``n`` vectors: a quarter of them, 4 to 256."""
    return min(max(n // SHARE, LEAST), CENTRES, n)


def _beat(beat: Callable[[int, int], object], part: int, total: int, rounds: int) -> None:
    """Tells how many rounds of all parts are done."""
    beat(part * ROUNDS + rounds, total)


# ------------------------------------------------------------------------------------------------------ comparing


def _cosines(decode: Callable[[Codes], Floats], codes: Codes, query: Floats) -> Floats:
    """The cosine of the question with every decoded vector; 0 for vectors of zeros."""
    scores, length = np.zeros(len(codes)), float(np.linalg.norm(query)) or 1.0
    for i in range(0, len(codes), BLOCK):
        rows = decode(codes[i : i + BLOCK])
        # einsum adds up row by row: equal codes get exactly equal scores, and their tie is a tie
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows)) * length
        products = np.einsum("ij,j->i", rows, query)
        np.divide(products, lengths, out=scores[i : i + BLOCK], where=lengths > 0)
    return scores


def _looked_up(table: Floats, codes: Bytes) -> Floats:
    """The sum over the bytes of every code of what the table, [bytes, 256], has for that byte at that place."""
    sums, places = np.empty(len(codes)), np.arange(len(table))
    for i in range(0, len(codes), BLOCK):
        sums[i : i + BLOCK] = table[places, codes[i : i + BLOCK]].sum(axis=1)
    return sums
