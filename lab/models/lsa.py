"""Latent semantic analysis: an embedder that is fitted on the corpus itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.core import Corpus, Progress, knob
from lab.models.embedders import Embedder, Encoder, Vectors
from lab.text import ANALYZER, Analyzer
from lab.words import Said

DENSE = 5_000_000
"""Up to so many cells (documents times words) all directions are reckoned: a moment's work, and always the same."""


@dataclass(eq=False)
class LSAEncoder(Encoder):
    """A fitted TF-IDF vectorizer and the directions of the concept space, shape [terms, dimensions], row by row."""

    tfidf: Any
    directions: NDArray[np.float64]

    def __post_init__(self) -> None:
        self.dimensions = self.directions.shape[1]

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        if not texts or not self.dimensions:
            return np.zeros((len(texts), self.dimensions))
        # float64: in float32 passages that differ only in which rare word they have would not tie
        return np.asarray(self.tfidf.transform(texts) @ self.directions)


@dataclass(frozen=True)
class LSA(Embedder):
    """Latent semantic analysis, fitted on the corpus: truncated SVD of sublinear TF-IDF (scikit-learn).

    Knows only the words of this corpus, and which of them occur together.  A corpus that has fewer
    independent documents or words than ``size`` gets as many dimensions as it has of those.
    Source: S. Deerwester et al., *Indexing by Latent Semantic Analysis*, 1990.
    """

    about = Said("Topics learnt from the corpus itself: words that occur together come near each other.")

    size: int = knob(
        128, low=2, high=1024, label=Said("Dimensions"), help=Said("So many topics of the corpus are told apart.")
    )
    analyzer: Analyzer = ANALYZER()

    @property
    def label(self) -> str:
        return f"LSA-{self.size}"

    def fit(self, corpus: Corpus) -> LSAEncoder:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer

        texts = [d.content for d in corpus]
        tfidf = TfidfVectorizer(analyzer=self.analyzer.tokens, sublinear_tf=True)
        try:
            counts = tfidf.fit_transform(texts)
        except ValueError:  # no document has a word
            return LSAEncoder(None, np.zeros((0, 0)))
        if self.size < min(counts.shape) and counts.shape[0] * counts.shape[1] > DENSE:
            with np.errstate(divide="ignore", invalid="ignore"):  # equal documents have no variance to explain
                svd = TruncatedSVD(self.size, algorithm="arpack", random_state=0).fit(counts)
            strength, directions = svd.singular_values_, svd.components_
        else:  # of equal strengths ARPACK takes any directions, another time others; and all of them it cannot do
            _, strength, directions = np.linalg.svd(counts.toarray(), full_matrices=False)
            strength, directions = strength[: self.size], directions[: self.size]
        kept = directions[strength > 1e-6 * strength.max()]  # the others are rounding noise
        return LSAEncoder(tfidf, np.ascontiguousarray(kept.T))
