"""The token vectors of a corpus, for late interaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Arrays, Corpus, Progress
from lab.models.embedders import encoder_of
from lab.models.static import BuiltIn, StaticEncoder
from lab.numeric import Floats, Ints, unit

OFTEN = 250
"""After so many documents the work can be stopped."""
TOKENS = 1
"""Raised whenever the tokens of a text, or the way in which they are kept, change."""
BLOCK = 256
"""Tokens that are multiplied at once: their vectors stay in the processor's cache."""


def distinct_tokens(encoder: StaticEncoder, text: str) -> dict[tuple[str, bytes], Floats]:
    """The vectors of a text's distinct tokens, in order of appearance.

    Two may look the same and have different vectors (inside and at the start of a word): the key is both.
    """
    return {(name, row.tobytes()): row for name, row in zip(*encoder.tokens(text), strict=True)}


class Texts:
    """The tokens of some texts, each distinct one once, to be compared with those of others."""

    def __init__(self, encoder: StaticEncoder, texts: Sequence[str]) -> None:
        numbers = encoder.numbers(texts) if texts else []
        self.starts = np.array([0, *accumulate(map(len, numbers))], np.int64)
        distinct, self.flat = np.unique([n for own in numbers for n in own], return_inverse=True)
        self.vectors = unit(encoder.named([int(n) for n in distinct])[1])

    def nearest(self, rows: Floats) -> Floats:
        """Of every row (of length 1) the best cosine with a token of every text, [texts, rows], 0 where none is above.

        A pair of tokens gets the same number wherever it stands: no BLAS.
        """
        held = np.zeros((len(self.starts) - 1, len(rows)))
        if len(rows) and len(self.flat):
            near = np.clip(np.einsum("ik,jk->ij", rows, self.vectors), 0.0, 1.0)
            filled = np.flatnonzero(np.diff(self.starts))
            held[filled] = np.maximum.reduceat(near[:, self.flat], self.starts[filled], axis=1).T
        return held


@dataclass(frozen=True, eq=False)
class TokenStore:
    """The token vectors of a corpus under the built-in model, each distinct token once.

    ``vectors`` [V, dimensions] have length 1; document i has the tokens ``docs[starts[i]:starts[i + 1]]``;
    ``df`` [V] counts the documents of each token; ``ids`` finds a token's row.
    """

    encoder: StaticEncoder
    ids: dict[tuple[str, bytes], int]
    vectors: Floats
    docs: NDArray[np.integer]
    starts: Ints
    df: Floats

    @staticmethod
    def of(corpus: Corpus, progress: Progress | None = None) -> TokenStore:
        """The store of this corpus; made once and kept with it (see also `Corpus.stored`)."""

        def make(told: Progress | None) -> TokenStore:
            encoder = encoder_of(BuiltIn(), corpus)
            assert isinstance(encoder, StaticEncoder)
            version = f"tokens {TOKENS}, {encoder.mark}"
            return TokenStore.read(encoder, corpus.stored("tokens", version, lambda: _counted(encoder, corpus, told)))

        return corpus.awaited(("token vectors", BuiltIn()), make, progress)

    @staticmethod
    def read(encoder: StaticEncoder, kept: Arrays) -> TokenStore:
        """The store of what `_counted` gives."""
        names, rows = encoder.named(kept["numbers"].tolist())
        ids = {(name, row.tobytes()): i for i, (name, row) in enumerate(zip(names, rows, strict=True))}
        return TokenStore(encoder, ids, unit(rows), kept["docs"], kept["starts"], kept["df"])


def _counted(encoder: StaticEncoder, corpus: Corpus, progress: Progress | None) -> Arrays:
    """``docs``, ``starts`` and ``df`` of a `TokenStore`, and of each token one of its ``numbers`` in the vocabulary."""
    small, size = np.min_scalar_type(len(encoder.model.tokens)), len(encoder.model.tokens)
    ids: dict[tuple[str, bytes], int] = {}
    numbers, places = list[int](), dict[int, int]()  # places: by the token's number in the vocabulary
    docs, each, df = [np.zeros(0, small)], list[int](), np.zeros(size)
    for i in range(0, len(corpus), OFTEN):
        told = [dict.fromkeys(own) for own in encoder.numbers([d.content for d in corpus.documents[i : i + OFTEN]])]
        new = [*dict.fromkeys(number for own in told for number in own if number not in places)]
        for number, name, row in zip(new, *encoder.named(new), strict=True):
            places[number] = ids.setdefault((name, row.tobytes()), len(ids))
            if len(numbers) < len(ids):
                numbers.append(number)
        block = [dict.fromkeys(places[number] for number in own) for own in told]
        docs.append(np.fromiter(chain.from_iterable(block), small))
        df += np.bincount(docs[-1], minlength=size)
        each += map(len, block)
        if progress:
            progress(len(each), len(corpus))
    starts = np.array([0, *accumulate(each)], np.int64)
    return {
        "docs": np.concatenate(docs),
        "starts": starts,
        "df": df[: len(ids)],
        "numbers": np.array(numbers, np.int64),
    }


class Nearest:
    """Token vectors, [n, dimensions] of length 1, against the tokens of documents; each pair is multiplied once."""

    def __init__(self, store: TokenStore, rows: Floats) -> None:
        self.store, self.rows = store, rows
        self._cosines = np.zeros((0, len(rows)))
        self._at = np.full(len(store.vectors), -1, np.int32)  # where the cosines of a token stand

    def best(self, places: Sequence[int]) -> Floats:
        """Every row's best cosine with a token of every document, 0 to 1, shape [documents, rows].

        ``places`` are documents by their place in the corpus.
        """
        store, out = self.store, np.zeros((len(places), len(self.rows)))
        spans = [store.docs[store.starts[p] : store.starts[p + 1]] for p in places]
        filled = [i for i, span in enumerate(spans) if len(span)]
        if not filled:
            return out
        tokens = np.concatenate(spans)
        self._learn(tokens)
        ends = np.cumsum([len(spans[i]) for i in filled])
        out[filled] = np.maximum.reduceat(self._cosines[self._at[tokens]], np.concatenate(([0], ends[:-1])), axis=0)
        return out

    def _learn(self, tokens: NDArray[np.integer]) -> None:
        """The cosines with these tokens, as far as they are not known."""
        new = np.zeros(len(self._at), bool)
        new[tokens] = True
        places = np.flatnonzero(new & (self._at < 0))
        before, blocks = len(self._cosines), -(-len(places) // BLOCK)
        known = np.empty((before + blocks * BLOCK, len(self.rows)))
        known[:before] = self._cosines
        # in blocks of one size: equal documents are equal, whoever is asked for beside them
        block, turned = np.zeros((BLOCK, self.rows.shape[1])), np.ascontiguousarray(self.rows.T)
        for i in range(0, len(places), BLOCK):
            now = places[i : i + BLOCK]
            np.take(self.store.vectors, now, axis=0, out=block[: len(now)], mode="clip")
            np.matmul(block, turned, out=known[before + i : before + i + BLOCK])
        self._at[places] = np.arange(before, before + len(places))
        self._cosines = np.clip(known[: before + len(places)], 0.0, 1.0, out=known[: before + len(places)])
