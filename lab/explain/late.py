"""Late chunking: a chunk's vector from the word vectors of the whole document, beside the vector of the chunk alone.

A contextual model reads the whole document before the word vectors of a chunk are averaged, so they carry what stands
elsewhere.  A static model gives a word the same vector everywhere, so the average cannot differ.

Source: M. Günther et al., *Late Chunking: Contextual Chunk Embeddings Using Long-Context Embedding Models*, 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lab.algebra import Document
from lab.models.static import StaticEncoder
from lab.numeric import Floats, unit
from lab.text import well_formed


@dataclass(frozen=True)
class Pooled:
    """The number of ``chunks`` whose two vectors were compared, and the ``largest`` difference of a number in them.

    ``differing`` counts the chunks whose words are not whole words of the document, because a chunk begins or ends
    inside a word.
    """

    chunks: int
    largest: float
    differing: int


def pooled(encoder: StaticEncoder, text: str, chunks: Sequence[Document]) -> Pooled:
    """Compares the vectors of chunks, at length 1, averaged after and before their words are read in the whole text.

    Chunks without a place in the text, and those of which the model knows no word, are left out.
    """
    ids, spans = _tokens(encoder, text)
    compared = differing = 0
    largest = 0.0
    for chunk in chunks:
        start = chunk.metadata.get("start")
        if not isinstance(start, int):
            continue
        end = start + len(chunk.text)
        late = [token for token, (a, b) in zip(ids, spans, strict=True) if start <= a < end or start < b <= end]
        alone, _ = _tokens(encoder, chunk.text)
        if not late or not alone:
            continue
        compared += 1
        if late == alone:
            continue
        differing += 1
        largest = max(largest, float(np.abs(_mean(encoder, late) - _mean(encoder, alone)).max()))
    return Pooled(compared, largest, differing)


def _tokens(encoder: StaticEncoder, text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Returns the known tokens of a text by their numbers, and the characters that each stands for."""
    model = encoder.model
    encoding = model.tokenizer.encode(well_formed(text), add_special_tokens=False)
    known = [(i, span) for i, span in zip(encoding.ids, encoding.offsets, strict=True) if i != model.unk_token_id]
    return [i for i, _ in known], [span for _, span in known]


def _mean(encoder: StaticEncoder, ids: list[int]) -> Floats:
    _, rows = encoder.named(ids)
    return np.asarray(unit(rows.mean(axis=0, keepdims=True))[0])
