"""The sentences of documents as vectors: finds the nearest sentence of each passage, and its position.

A passage that says many things is far from a question about one of them; its best sentence is near.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus, Document, Progress
from lab.kept import Kept
from lab.models.embedders import Embedder, Encoder, Vectors, encoder_of
from lab.models.rows import FEW, Rows
from lab.numeric import Floats, Ints, unit
from lab.text.borders import sentences

Span = tuple[int, int]
REMEMBERED = 20_000
"""Number of recently used documents whose sentence vectors are kept."""

OFTEN = 250
"""Documents between two calls of the progress, which may stop the work."""


def spans_of(document: Document) -> list[Span]:
    """Returns (start, end) of every sentence in `Document.content`, at least one; the title is a separate sentence."""
    first = len(document.content) - len(document.text)
    title = [(0, len(document.title))] if document.title.strip() else []
    return [*title, *((first + a, first + b) for a, b in sentences(document.text))] or [(0, len(document.content))]


class Best(NamedTuple):
    """The nearest sentence of every document: its cosine, [n], and (start, end) of it in `Document.content`."""

    cosines: Floats
    spans: list[Span]


class Pieces:
    """The sentences of documents under one encoder; they are embedded when needed, and kept for the next question.

    Made for one corpus, but documents outside it work, too.
    """

    def __init__(self, encoder: Encoder, corpus: Corpus) -> None:
        self.encoder, self.corpus = encoder, corpus
        self.kept = Kept[tuple[list[Span], Vectors]](REMEMBERED)
        self._lock = threading.Lock()
        self._all: tuple[Rows, Ints, Ints] | None = None  # the first row of every document; (start, end) of every row

    @staticmethod
    def of(embedder: Embedder, corpus: Corpus) -> Pieces:
        """Returns the pieces of a corpus, kept with it; nothing is embedded yet."""
        return corpus.once(("pieces", embedder), lambda: Pieces(encoder_of(embedder, corpus), corpus))

    def best(self, vector: Floats, documents: Sequence[Document], progress: Progress | None = None) -> Best:
        """Returns each document's sentence nearest to the vector (of length 1); documents may be of any corpus."""
        if not documents:
            return Best(np.zeros(0), [])
        sentence_rows = self.rows(documents, progress)
        starts = [0, *accumulate(len(spans) for spans, _ in sentence_rows)]
        # einsum adds up row by row: equal sentences get exactly equal cosines, and their tie is a tie
        cosines = np.einsum("ij,j->i", unit(np.concatenate([rows for _, rows in sentence_rows])), vector)
        places = [a + int(cosines[a:b].argmax()) for a, b in zip(starts, starts[1:], strict=False)]
        spans = [spans[place - a] for (spans, _), place, a in zip(sentence_rows, places, starts, strict=False)]
        return Best(cosines[places], spans)

    def rows(self, documents: Sequence[Document], progress: Progress | None = None) -> list[tuple[list[Span], Vectors]]:
        """Returns each document's sentences, as (start, end) in `Document.content`, and their vectors, one row each."""
        known = {d: remembered for d in documents if (remembered := self._known(d)) is not None}
        new = [(d, spans_of(d)) for d in dict.fromkeys(documents) if d not in known]
        texts = [d.content[a:b] for d, spans in new for a, b in spans]
        rows = self.encoder.documents(texts, progress=progress) if texts else np.zeros((0, 0), np.float32)
        ends = list(accumulate(len(spans) for _, spans in new))
        for (d, spans), end in zip(new, ends, strict=True):
            known[d] = spans, rows[end - len(spans) : end].copy()
            self.kept.put((d.title, d.text), known[d])
        return [known[d] for d in documents]

    def _known(self, document: Document) -> tuple[list[Span], Vectors] | None:
        remembered = self.kept.get((document.title, document.text))
        if (
            remembered is None
            and self._all is not None
            and self._all[0].whole
            and self.corpus.get(document.id) == document
        ):
            (rows, starts, ends), place = self._all, self.corpus.positions[document.id]
            rows_of_document = slice(starts[place], starts[place + 1])
            remembered = [(a, b) for a, b in ends[rows_of_document].tolist()], np.asarray(rows.kept[rows_of_document])
            self.kept.put((document.title, document.text), remembered)
        return remembered

    # ------------------------------------------------------------------------------------- a whole corpus

    def fill(self, progress: Progress | None = None) -> None:
        """Embeds the sentences of all documents of the corpus, once, for `near`."""
        with self._lock:
            if self._all is None:
                counts, bounds = list[int](), array("q")
                for d in self.corpus:
                    spans = spans_of(d)
                    counts.append(len(spans))
                    bounds.extend(chain.from_iterable(spans))
                    if progress and not len(counts) % OFTEN:
                        progress(len(counts), len(self.corpus))
                starts, ends = np.array([0, *accumulate(counts)], np.int64), np.array(bounds, np.int64).reshape(-1, 2)
                if len(ends) > FEW and self.encoder.quick:
                    rows = Rows.narrow(self.encoder, self._blocks(starts, ends), len(ends), progress)
                else:
                    texts = [text for block in self._blocks(starts, ends) for text in block]
                    rows = Rows.of(self.encoder.documents(texts, progress=progress))
                self._all = rows, starts, ends

    def _blocks(self, starts: Ints, ends: Ints) -> Iterator[list[str]]:
        for i in range(0, len(self.corpus), OFTEN):
            some = enumerate(self.corpus.documents[i : i + OFTEN], i)
            yield [d.content[a:b] for j, d in some for a, b in ends[starts[j] : starts[j + 1]].tolist()]

    def near(self, vector: Floats, places: Ints | None = None) -> tuple[NDArray[np.float32], float]:
        """Returns the approximate best cosine of every document, [N], and its maximum error; needs `fill` before.

        Those at ``places`` alone are compared more closely (`Rows.near`).
        """
        assert self._all is not None
        rows, starts, _ = self._all
        if places is None:
            cosines, error = rows.near(vector)
            return np.maximum.reduceat(cosines, starts[:-1]), error
        counts = starts[places + 1] - starts[places]
        firsts = counts.cumsum() - counts
        cosines, error = rows.near(vector, np.repeat(starts[places] - firsts, counts) + np.arange(counts.sum()))
        return np.maximum.reduceat(cosines, firsts), error
