"""Embedders: from texts to vectors, behind one protocol.

An `Embedder` is a frozen specification (hashable, a cache key); `Embedder.fit` loads or learns what it
needs and returns an `Encoder`, which computes vectors: `lab.models.static`, `lab.models.lsa` and others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lab import packs
from lab.algebra import ALONE, Corpus, Document, Env, Operator, Progress
from lab.errors import ModelError, needs_pack
from lab.kept import Kept
from lab.text import well_formed
from lab.words import Said, ngettext

Vectors = NDArray[np.floating[Any]]
REMEMBERED = 4_000
"""Texts whose vectors are remembered if those of the whole corpus are not in memory."""


class Encoder(ABC):
    """An embedder at work: texts in, vectors of shape [n, dimensions] out (not normalised; float32, LSA's float64)."""

    dimensions: int
    quick: ClassVar[bool] = False
    """Whether a text is embedded in well under a millisecond, and to the same bits whatever texts come with it."""
    mark: str = ""
    """A checksum of everything its vectors depend on, for storing them on a disk; empty if they must not be."""

    limit: int = 0
    """Maximum tokens of a text that the model reads; 0 if no limit is known."""

    @abstractmethod
    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        """One vector per text."""

    def truncates(self, text: str) -> bool:
        """Returns whether the model reads only the beginning of a text."""
        return False

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Returns one vector per query; the same as for documents unless the model distinguishes them."""
        return self.documents(texts)


def in_batches(
    encode: Callable[[list[str]], Vectors], texts: Sequence[str], size: int, dimensions: int, progress: Progress | None
) -> Vectors:
    """The vectors of all texts, shape [n, dimensions], ``size`` texts at a time."""
    blocks = []
    for i in range(0, len(texts), size):
        blocks.append(np.asarray(encode([well_formed(text) for text in texts[i : i + size]]), dtype=np.float32))
        if progress:
            progress(min(i + size, len(texts)), len(texts))
    return np.concatenate(blocks) if blocks else np.zeros((0, dimensions), np.float32)


@dataclass(frozen=True)
class Embedder(Operator, ABC):
    """A specification of an embedder."""

    pieces: ClassVar[str] = "best+whole"
    """The part of a passage to compare by default: see `lab.retrieve.vector.Vector`."""
    band: ClassVar[float] = 0.0
    """The usual range of cosines in a list, if it is similar for all questions; 0 if it varies."""
    precomputed: ClassVar[bool] = False
    """Whether the vectors of the sample corpora and their questions come with it."""
    hint: ClassVar[str] = ""
    """A sentence on it beside the choice of the embedding model."""

    @classmethod
    def offered(cls) -> tuple[Embedder, ...]:
        """Returns those that pages offer beside the built-in one, if a pack or a plug-in brings this class."""
        return (cls(),)

    @property
    def name(self) -> str:
        """The short name in links, pipeline files and commands."""
        return type(self).__name__.lower()

    @abstractmethod
    def fit(self, corpus: Corpus) -> Encoder:
        """Loads the model, or learns it from this corpus.  Raises `ModelError` if that fails."""

    def fitted(self, corpus: Corpus, progress: Progress | None) -> Encoder:
        """Like `fit`, with progress: slow learning calls it, and it may raise to stop."""
        return self.fit(corpus)


@dataclass(frozen=True)
class _LeftOut(Embedder):
    """Stands for the neural model of the lab where its pack is left out; nothing is read with it."""

    def fit(self, corpus: Corpus) -> Encoder:
        raise needs_pack(ModelError, "E5Small", packs.PARTS["E5Small"])


@cache
def neural_model() -> Embedder:
    """Returns the neural model that is meant where none is named, which a pack brings."""
    embedder: Embedder = next(packs.loaded("neural", lambda cls: cls()), _LeftOut())
    return embedder


def encoder_of(embedder: Embedder, corpus: Corpus, *, progress: Progress | None = None) -> Encoder:
    """Returns the encoder of this embedder for this corpus; made once and kept with the corpus."""
    return corpus.awaited(("encoder", embedder), lambda report: embedder.fitted(corpus, report), progress)


def vectors_of(embedder: Embedder, corpus: Corpus, *, progress: Progress | None = None) -> Vectors:
    """The vectors of all documents in corpus order, shape [N, dimensions]; made once, kept with the corpus."""

    def make(report: Progress | None) -> Vectors:
        encoder = encoder_of(embedder, corpus, progress=report)
        return encoder.documents([d.content for d in corpus], progress=report)

    return corpus.awaited(("vectors", embedder), make, progress)


def reading_note(embedder: Embedder, corpus: Corpus) -> Said:
    """Returns the sentence on passages of which this model reads only the beginning; empty if it reads all of them.

    Nothing is loaded for it: before the model has read the corpus, the sentence is empty.
    """
    if corpus.elsewhere or not corpus.holds(("encoder", embedder)):
        return Said()
    encoder = encoder_of(embedder, corpus)
    if not encoder.limit:
        return Said()
    n = corpus.once(("truncated", embedder), lambda: sum(encoder.truncates(d.content) for d in corpus))
    if not n:
        return Said()
    return ngettext(
        "Passages of which this model reads only the beginning ({tokens} token): {n} of {total}.",
        "Passages of which this model reads only the beginning ({tokens} tokens): {n} of {total}.",
        encoder.limit,
        tokens=encoder.limit,
        n=n,
        total=len(corpus),
    )


def rows_for(
    embedder: Embedder, documents: Sequence[Document], corpus: Corpus, progress: Progress | None = None
) -> Vectors:
    """The vectors of some documents, [n, d], under an embedder that knows their corpus.

    Takes the rows of `vectors_of` if the corpus has them; else the texts are encoded, and the last `REMEMBERED` of them
    are not encoded again: a stage compares passages that the list before it has compared.
    """
    if corpus.holds(("vectors", embedder)) and all(corpus.get(d.id) == d for d in documents):
        return vectors_of(embedder, corpus)[[corpus.positions[d.id] for d in documents]]
    kept = corpus.once(("some vectors", embedder), lambda: Kept[Vectors](REMEMBERED))
    texts, encoder = [d.content for d in documents], encoder_of(embedder, corpus)
    rows = {text: kept.get(text) for text in texts}
    if new := [text for text, row in rows.items() if row is None]:
        for text, row in zip(new, encoder.documents(new, progress=progress), strict=True):
            rows[text] = vector = row.copy()  # a row alone would hold all of them
            kept.put(text, vector)
    return np.array([rows[text] for text in texts]).reshape(len(texts), encoder.dimensions)


def vectors_for(
    embedder: Embedder, query: str, documents: Sequence[Document], corpus: Corpus, env: Env = ALONE
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The vectors of a query, [d], and of some documents, [n, d], under an embedder that knows their corpus.

    The query is embedded once in a run.
    """
    return query_vector(embedder, query, corpus, env), rows_for(embedder, documents, corpus, env.progress)


def query_vector(embedder: Embedder, query: str, corpus: Corpus, env: Env = ALONE) -> NDArray[np.float32]:
    """The vector of a query, [d], under an embedder that knows its corpus; it is embedded once in a run."""
    key = ("query vector", embedder, query, id(corpus))  # the value holds the corpus: no other has its id meanwhile
    _, vector = env.once(key, lambda: (corpus, encoder_of(embedder, corpus).queries([query])[0]))
    return np.asarray(vector)
