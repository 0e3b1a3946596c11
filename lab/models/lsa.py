"""Latent semantic analysis: an embedder that is fitted on the corpus itself."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus, Progress, knob
from lab.models.embedders import Embedder, Encoder, Vectors
from lab.text import ANALYZER, Analyzer
from lab.words import Said

DENSE = 5_000_000
"""Up to this number of cells (documents times words), all directions are computed: quick and deterministic."""

OFTEN = 250
"""Texts between two calls of the progress, which may stop the work."""

BLOCK = 8192
"""Rows of a tall table per block; a multiple of the dimensions."""


@dataclass(eq=False)
class LSAEncoder(Encoder):
    """The words of a corpus by number, the weight of each, and the directions of the concept space.

    ``directions`` has the shape [words, dimensions], row by row.
    """

    analyzer: Analyzer
    numbers: Mapping[str, int]
    idf: NDArray[np.float64]
    directions: NDArray[np.float64]

    def __post_init__(self) -> None:
        self.dimensions = self.directions.shape[1]

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        if not texts or not self.dimensions:
            return np.zeros((len(texts), self.dimensions))
        counts = _counts(_reporting(texts, progress), self.analyzer, self.numbers.get, self.numbers)
        # float64: in float32 passages that differ only in which rare word they have would not tie
        return np.asarray(_weighted(counts, self.idf) @ self.directions)


@dataclass(frozen=True)
class LSA(Embedder):
    """Latent semantic analysis, fitted on the corpus: truncated SVD of sublinear TF-IDF.

    The weights are those of scikit-learn's ``TfidfVectorizer``, whose import takes 70 MB.

    Knows only the words of this corpus, and which of them occur together.  A corpus that has fewer independent
    documents or words than ``size`` gets as many dimensions as it has of those. Source: S. Deerwester et al., *Indexing
    by Latent Semantic Analysis*, JASIS 41, 1990 (dblp journals/jasis/DeerwesterDLFH90).
    """

    about = Said("Learns topics from the corpus itself: words that occur together are similar.")

    size: int = knob(128, Said("Dimensions"), Said("Number of topics."), low=2, high=1024)
    analyzer: Analyzer = ANALYZER()

    @property
    def label(self) -> str:
        return f"LSA-{self.size}"

    def fit(self, corpus: Corpus) -> LSAEncoder:
        return self.fitted(corpus, None)

    def fitted(self, corpus: Corpus, progress: Progress | None) -> LSAEncoder:
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # comes with scikit-learn

        texts, numbers = [d.content for d in corpus], defaultdict[str, int]()
        numbers.default_factory = numbers.__len__
        counts = _counts(_reporting(texts, progress), self.analyzer, numbers.__getitem__, numbers)
        if not numbers:  # no document has a word
            return LSAEncoder(self.analyzer, {}, np.zeros(0), np.zeros((0, 0)))
        in_order = {word: i for i, word in enumerate(sorted(numbers))}
        counts.indices = np.array([in_order[word] for word in numbers], counts.indices.dtype)[counts.indices]
        idf = np.log((1 + len(texts)) / (1 + np.bincount(counts.indices))) + 1
        counts = _weighted(counts, idf)
        if self.size < min(counts.shape) and counts.shape[0] * counts.shape[1] > DENSE:
            strength, directions = _strongest(counts, self.size, lambda: progress and progress(len(texts), len(texts)))
        else:  # with equal strengths ARPACK picks arbitrary directions, and it cannot compute all
            with threadpool_limits(1):  # several threads wait for each other: on a busy machine for ten times as long
                _, strength, directions = np.linalg.svd(counts.toarray(), full_matrices=False)
            strength, directions = strength[: self.size], directions[: self.size]
        strong = directions[strength > 1e-6 * strength.max()]  # the others are rounding noise
        return LSAEncoder(self.analyzer, in_order, idf, np.ascontiguousarray(strong.T))


def _reporting(texts: Sequence[str], progress: Progress | None) -> Iterator[str]:
    for i, text in enumerate(texts):
        if progress and not i % OFTEN:
            progress(i, len(texts))
        yield text


def _counts(
    texts: Iterable[str], analyzer: Analyzer, number: Callable[[str], int | None], words: Mapping[str, int]
) -> Any:
    """Returns how often each text has each of these words, a sparse table; ``number`` returns None for other words."""
    from scipy.sparse import csr_array

    places, starts = array("i"), array("q", [0])
    for text in texts:
        places.extend(place for place in map(number, analyzer.tokens(text)) if place is not None)
        starts.append(len(places))
    counts = csr_array((np.ones(len(places)), np.array(places), np.array(starts)), (len(starts) - 1, len(words)))
    counts.sum_duplicates()
    return counts


def _weighted(counts: Any, idf: NDArray[np.float64]) -> Any:
    """Returns the sublinear TF-IDF weights of counts; each row has length 1."""
    counts.data = (np.log(counts.data) + 1) * idf[counts.indices]
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    counts.data /= np.sqrt(np.bincount(rows, counts.data**2))[rows]
    return counts


def _strongest(counts: Any, size: int, beat: Callable[[], object]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the ``size`` strongest singular values of a sparse table, and their directions [size, words].

    By ARPACK on its smaller side, from a fixed start vector; the vectors of the longer side are computed in
    blocks (`_qr`).  ``beat`` is called on the way, and may raise to stop.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    long = counts if counts.shape[0] >= counts.shape[1] else counts.T  # [long, short]

    def product(x: NDArray[np.float64]) -> Any:
        beat()
        return long.T @ (long @ x)

    short = LinearOperator((long.shape[1],) * 2, matvec=product, dtype=np.float64)
    begin = np.random.default_rng(0).uniform(-1, 1, long.shape[1])
    vectors = _qr(eigsh(short, k=size, v0=begin)[1])[0]
    q, r = _qr(long @ vectors)
    u, strength, v = np.linalg.svd(r)
    return strength, (vectors @ v.T).T if long is counts else (q @ u).T


def _qr(tall: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns Q [n, k] and R [k, k] of a tall table, block by block: one call would block other threads for seconds.

    Source: J. Demmel et al., *Communication-optimal parallel and sequential QR and LU factorizations*, 2012,
    doi:10.1137/080731992.
    """
    if len(tall) <= BLOCK:
        q, r = np.linalg.qr(tall)
        return q, r
    parts = [np.linalg.qr(tall[i : i + BLOCK]) for i in range(0, len(tall), BLOCK)]
    q, r = _qr(np.vstack([part for _, part in parts]))
    ends = np.cumsum([len(part) for _, part in parts])
    return np.vstack([part @ q[end - len(s) : end] for (part, s), end in zip(parts, ends, strict=True)]), r
