"""The sentences of documents as vectors: how near the nearest sentence of a passage is, and where it stands.

A passage that says many things is far from a question about one of them; its best sentence is near.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from lab.core import Corpus, Document, Kept
from lab.models.embedders import Embedder, Encoder, Vectors, encoder_of
from lab.numeric import Floats, unit
from lab.text import sentences

Span = tuple[int, int]
REMEMBERED = 20_000
"""The sentences of so many documents are kept as vectors, the last used ones."""


def spans_of(document: Document) -> list[Span]:
    """(start, end) of every sentence in `Document.content`, at least one; the title is a sentence of its own."""
    first = len(document.content) - len(document.text)
    title = [(0, len(document.title))] if document.title.strip() else []
    return [*title, *((first + a, first + b) for a, b in sentences(document.text))] or [(0, len(document.content))]


class Best(NamedTuple):
    """The nearest sentence of every document: its cosine, [n], and (start, end) of it in `Document.content`."""

    cosines: Floats
    spans: list[Span]


class Pieces:
    """The sentences of documents under one encoder; what is asked for is embedded, and kept for the next question."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.kept = Kept[tuple[list[Span], Vectors]](REMEMBERED)

    @staticmethod
    def of(embedder: Embedder, corpus: Corpus) -> Pieces:
        """Those of a corpus, kept with it; nothing is embedded yet."""
        return corpus.once(("pieces", embedder), lambda: Pieces(encoder_of(embedder, corpus)))

    def best(self, vector: Floats, documents: Sequence[Document]) -> Best:
        """Of every document, of this corpus or another, the sentence nearest to the vector (of length 1)."""
        if not documents:
            return Best(np.zeros(0), [])
        own = self._embedded(documents)
        starts = [0, *accumulate(len(spans) for spans, _ in own)]
        # einsum adds up row by row: equal sentences get exactly equal cosines, and their tie is a tie
        cosines = np.einsum("ij,j->i", unit(np.concatenate([rows for _, rows in own])), vector)
        places = [a + int(cosines[a:b].argmax()) for a, b in zip(starts, starts[1:], strict=False)]
        spans = [spans[place - a] for (spans, _), place, a in zip(own, places, starts, strict=False)]
        return Best(cosines[places], spans)

    def _embedded(self, documents: Sequence[Document]) -> list[tuple[list[Span], Vectors]]:
        known = {d: found for d in documents if (found := self.kept.get((d.title, d.text))) is not None}
        new = [(d, spans_of(d)) for d in dict.fromkeys(documents) if d not in known]
        rows = self.encoder.documents([d.content[a:b] for d, spans in new for a, b in spans])
        ends = list(accumulate(len(spans) for _, spans in new))
        for (d, spans), end in zip(new, ends, strict=True):
            known[d] = spans, rows[end - len(spans) : end].copy()
            self.kept.put((d.title, d.text), known[d])
        return [known[d] for d in documents]
