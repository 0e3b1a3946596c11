"""How the score of a neural model changes if one sentence of the passage is missing.

A neural model reads every word in the context of all others, so its cosine is not a sum of word scores.  It can only
be computed again without a part.  These changes do not add up either: of two sentences that say the same, each can be
removed without a loss.

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
    """The cosine of question and passage, and the cosine without each of its sentences, in their order."""

    cosine: float
    without: tuple[Without, ...]

    @property
    def changes(self) -> list[float]:
        """By how much each sentence raises the cosine: the cosine with it, minus the cosine without it."""
        return [self.cosine - sentence.cosine for sentence in self.without]


def occlusion(
    encoder: Encoder, vector: Floats, document: Document, *, most: int = 40, progress: Progress | None = None
) -> Occlusion:
    """Returns the cosine of a question's vector [d] and a document, whole and without each of its first sentences.

    ``most`` is the number of sentences tried.  The title is a sentence of its own.  A passage of one sentence is only
    scored whole.
    """
    content, spans = document.content, spans_of(document)
    spans = spans[:most] if len(spans) > 1 else []
    rows = encoder.documents([content, *(left_out(content, span) for span in spans)], progress=progress)
    first, *rest = cosines(rows, vector)
    return Occlusion(first, tuple(Without(span, cosine) for span, cosine in zip(spans, rest, strict=True)))


def left_out(content: str, span: Span) -> str:
    """Returns the text without this part."""
    return (content[: span[0]] + content[span[1] :]).strip()


def cosines(rows: Vectors, vector: Floats) -> Sequence[float]:
    """Returns the cosines of the rows [n, d] with a vector [d]."""
    values: list[float] = np.einsum("ij,j->i", unit(rows), unit(vector[None])[0]).tolist()
    return values
