"""Embedders: from texts to vectors, behind one protocol.

An `Embedder` is a frozen specification (hashable, a cache key); `Embedder.fit` loads or learns what it
needs and gives an `Encoder`, which does the work.  `BuiltIn` is the bilingual static model that ships with
the lab (no download, no torch); `LSA` is fitted on the corpus at hand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.core import Corpus, Operator, knob
from lab.text import Analyzer

if TYPE_CHECKING:
    from model2vec import StaticModel

Vectors = NDArray[np.float32]
Progress = Callable[[int, int], None]
"""Called with (done, total) after every batch; it may raise to stop the work."""


class Encoder(ABC):
    """An embedder at work: texts in, float32 vectors of shape [n, dimensions] out (not normalised)."""

    dimensions: int

    @abstractmethod
    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        """One vector per text."""

    def queries(self, texts: Sequence[str]) -> Vectors:
        """One vector per query; the same as for documents unless the model tells them apart."""
        return self.documents(texts)


@dataclass(frozen=True)
class Embedder(Operator, ABC):
    """A specification of an embedder."""

    @property
    def name(self) -> str:
        """The short name in links, pipeline files and commands."""
        return type(self).__name__.lower()

    @abstractmethod
    def fit(self, corpus: Corpus) -> Encoder:
        """Load the model, or learn it from this corpus.  Raises `ModelError` where that fails."""


def encoder_of(embedder: Embedder, corpus: Corpus) -> Encoder:
    """The encoder of this embedder for this corpus; made once and kept with the corpus."""
    return corpus.once(("encoder", embedder), lambda: embedder.fit(corpus))


def vectors_of(embedder: Embedder, corpus: Corpus, *, progress: Progress | None = None) -> Vectors:
    """The vectors of all documents in corpus order, shape [N, dimensions]; made once, kept with the corpus."""

    def make() -> Vectors:
        return encoder_of(embedder, corpus).documents([d.content for d in corpus], progress=progress)

    return corpus.once(("vectors", embedder), make)


def unit(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Every row divided by its length (rows of zeros stay), in float64."""
    wide = np.asarray(vectors, dtype=np.float64)
    length = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    return np.asarray(wide / np.where(length > 0, length, 1.0)[:, None])


def well_formed(text: str) -> str:
    """The text without lone surrogates (half characters of broken files), which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


# ----------------------------------------------------------------------------------------------- static


class Pair(NamedTuple):
    """A query token and a document token, and what all their meetings add to the cosine."""

    query: str
    document: str
    value: float


@dataclass(eq=False)
class StaticEncoder(Encoder):
    """Mean of fixed token vectors (model2vec): a text's vector is a sum, so a cosine is a sum over pairs."""

    model: StaticModel
    dimensions: int = field(init=False)

    def __post_init__(self) -> None:
        self.dimensions = int(self.model.dim)

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        step, out = 1024, []
        for i in range(0, len(texts), step):
            batch = [well_formed(text) for text in texts[i : i + step]]
            out.append(np.asarray(self.model.encode(batch, use_multiprocessing=False), dtype=np.float32))
            if progress:
                progress(min(i + step, len(texts)), len(texts))
        return np.concatenate(out)

    def tokens(self, text: str) -> tuple[list[str], NDArray[np.float64]]:
        """The tokens that the model knows, as they stand in its vocabulary, and their vectors [n, dimensions].

        The text's vector is the mean of these rows, up to its length.
        """
        ids = self.model.tokenize([well_formed(text)])[0]
        names = [self.model.tokens[i].removeprefix("▁").removeprefix("##") for i in ids]
        mapping, weights = self.model.token_mapping, self.model.weights
        rows = np.asarray(self.model.embedding[mapping[ids] if mapping is not None else ids], dtype=np.float64)
        return names, rows * weights[ids][:, None] if weights is not None else rows

    def pairs(self, query: str, text: str) -> tuple[list[str], list[str], NDArray[np.float64]]:
        """The cosine as a table: distinct query tokens, distinct document tokens, what each pair adds.

        The table's sum is the cosine of the two texts' vectors: with q = sum of q_i and d = sum of d_j,
        cos = sum over i, j of q_i . d_j / (|q| |d|).
        """
        q_names, q = self.merged(query)
        d_names, d = self.merged(text)
        return q_names, d_names, pair_table(q, d)

    def merged(self, text: str) -> tuple[list[str], NDArray[np.float64]]:
        """The distinct tokens of a text in order of appearance, and the sum of each one's vectors."""
        names, rows = self.tokens(text)
        at: dict[str, int] = {}
        places = np.fromiter((at.setdefault(name, len(at)) for name in names), np.int64, len(names))
        if not len(places):
            return [], np.zeros((0, self.dimensions))
        order = np.argsort(places, kind="stable")
        starts = np.flatnonzero(np.diff(places[order], prepend=-1))
        return list(at), np.add.reduceat(rows[order], starts)


def pair_table(q: NDArray[np.float64], d: NDArray[np.float64]) -> NDArray[np.float64]:
    """What every pair of summed token vectors adds to the cosine of the sums, shape [query, document]."""
    length = float(np.linalg.norm(q.sum(0)) * np.linalg.norm(d.sum(0)))
    return np.asarray((q @ d.T) / (length or 1.0))


@lru_cache(maxsize=4)
def load_static(folder: str) -> StaticEncoder:
    """The static model in this folder; the last few stay loaded (a file's content, not a state)."""
    from model2vec import StaticModel

    return StaticEncoder(StaticModel.from_pretrained(folder, force_download=False))


@dataclass(frozen=True)
class BuiltIn(Embedder):
    """The bilingual static model that ships with the lab: Chinese and English in one space, numpy only.

    Method: M. Tulkens and T. van Dongen, *Model2Vec*, 2024; how this one was trained: its model card.
    """

    @property
    def name(self) -> str:
        return "built-in"

    @property
    def label(self) -> str:
        return "Built-in bilingual"

    def fit(self, corpus: Corpus) -> StaticEncoder:
        return load_static(str(files("lab.models") / "built_in"))


# -------------------------------------------------------------------------------------------------- LSA


@dataclass(eq=False)
class LSAEncoder(Encoder):
    """A fitted TF-IDF vectorizer and the directions of the concept space, shape [dimensions, terms]."""

    tfidf: Any
    directions: NDArray[np.float64]

    def __post_init__(self) -> None:
        self.dimensions = len(self.directions)

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        if not texts or not self.dimensions:
            return np.zeros((len(texts), self.dimensions), np.float32)
        return np.asarray(self.tfidf.transform(texts) @ self.directions.T, dtype=np.float32)


@dataclass(frozen=True)
class LSA(Embedder):
    """Latent semantic analysis, fitted on the corpus: truncated SVD of sublinear TF-IDF (scikit-learn).

    Knows only the words of this corpus, and which of them occur together.  A corpus that has fewer
    independent documents or words than ``size`` gets as many dimensions as it has of those.
    Source: S. Deerwester et al., *Indexing by Latent Semantic Analysis*, 1990.
    """

    size: int = knob(128, low=2, high=1024)
    analyzer: Analyzer = Analyzer()

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
        if self.size < min(counts.shape):
            svd = TruncatedSVD(self.size, algorithm="arpack", random_state=0).fit(counts)
            strength, directions = svd.singular_values_, svd.components_
        else:  # all of them, which ARPACK cannot do
            _, strength, directions = np.linalg.svd(counts.toarray(), full_matrices=False)
        return LSAEncoder(tfidf, directions[strength > 1e-6 * strength.max()])  # the others are rounding noise
