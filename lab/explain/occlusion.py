"""What a score that is no sum hangs on: how it changes where one sentence of the passage is missing.

A neural model reads every word with all others, so its cosine has no addends.  What can be said is what becomes of it
without a part.  These changes are no addends either: two sentences that say the same are each missed by nobody.

Source: M. Zeiler and R. Fergus, *Visualizing and Understanding Convolutional Networks*, 2014 (occlusion).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lab.algebra import Document, Progress
from lab.models.embedders import Encoder, Vectors
from lab.models.pieces import Span, spans_of
from lab.numeric import Floats, unit


@dataclass(frozen=True)
class Without:
    """One sentence, (start, end) in `Document.content`, and the cosine of the passage without it."""

    span: Span
    cosine: float


@dataclass(frozen=True)
class Occlusion:
    """The cosine of question and passage, and what it is without each of its sentences, in their order."""

    cosine: float
    without: tuple[Without, ...]

    @property
    def changes(self) -> list[float]:
        """By how much each sentence raises the cosine: what it is with it, minus what it is without."""
        return [self.cosine - one.cosine for one in self.without]


def occlusion(
    encoder: Encoder, vector: Floats, document: Document, *, most: int = 40, progress: Progress | None = None
) -> Occlusion:
    """The cosine of a question's vector [d] and a document, and the same without each of the first ``most`` sentences.

    The title is a sentence of its own.  A passage of one sentence has none that could be missing.
    """
    content, spans = document.content, spans_of(document)
    spans = spans[:most] if len(spans) > 1 else []
    rows = encoder.documents([content, *(left_out(content, span) for span in spans)], progress=progress)
    first, *others = cosines(rows, vector)
    return Occlusion(first, tuple(Without(span, one) for span, one in zip(spans, others, strict=True)))


def left_out(content: str, span: Span) -> str:
    """The text without this part."""
    return (content[: span[0]] + content[span[1] :]).strip()


def cosines(rows: Vectors, vector: Floats) -> Sequence[float]:
    """Those of the rows [n, d] with a vector [d]."""
    found: list[float] = np.einsum("ij,j->i", unit(rows), unit(vector[None])[0]).tolist()
    return found
