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
"""Documents between two calls of the progress, which may stop the work."""
TOKENS = 1
"""The version of tokens and their storage; raised when either changes."""
BLOCK = 256
"""Tokens multiplied at once, so that their vectors stay in the processor's cache."""


def distinct_tokens(encoder: StaticEncoder, text: str) -> dict[tuple[str, int], Floats]:
    """Returns the vectors of a text's distinct tokens, in order of appearance.

    Two may look the same and have different vectors (inside and at the start of a word): the key is the name and a hash
    of the vector.
    """
    return {(name, hash(row.tobytes())): row for name, row in zip(*encoder.tokens(text), strict=True)}


class Texts:
    """The tokens of some texts, each distinct one once, for comparison with other tokens."""

    def __init__(self, encoder: StaticEncoder, texts: Sequence[str]) -> None:
        numbers = encoder.numbers(texts) if texts else []
        self.starts = np.array([0, *accumulate(map(len, numbers))], np.int64)
        distinct, self.flat = np.unique(
            [n for numbers_of_text in numbers for n in numbers_of_text], return_inverse=True
        )
        self.vectors = unit(encoder.named([int(n) for n in distinct])[1])

    def nearest(self, rows: Floats) -> Floats:
        """Returns each row's best cosine with a token of every text, [texts, rows], at least 0; rows have length 1.

        A pair of tokens gets the same number in every text, so BLAS is not used.
        """
        best = np.zeros((len(self.starts) - 1, len(rows)))
        if len(rows) and len(self.flat):
            near = np.clip(np.einsum("ik,jk->ij", rows, self.vectors), 0.0, 1.0)
            filled = np.flatnonzero(np.diff(self.starts))
            best[filled] = np.maximum.reduceat(near[:, self.flat], self.starts[filled], axis=1).T
        return best


@dataclass(frozen=True, eq=False)
class TokenStore:
    """The token vectors of a corpus under the built-in model, each distinct token once.

    ``rows`` [V, dimensions] are those of the model, in its own numbers; document i has the tokens
    ``docs[starts[i]:starts[i + 1]]``; ``df`` [V] counts the documents of each token; ``ids`` finds a token's row.
    """

    encoder: StaticEncoder
    ids: dict[tuple[str, int], int]
    rows: NDArray[np.number]
    docs: NDArray[np.integer]
    starts: Ints
    df: Floats

    @staticmethod
    def of(corpus: Corpus, progress: Progress | None = None) -> TokenStore:
        """Returns the store of this corpus; made once and kept with it (see also `Corpus.stored`)."""

        def make(report: Progress | None) -> TokenStore:
            encoder = encoder_of(BuiltIn(), corpus)
            assert isinstance(encoder, StaticEncoder)
            version = f"tokens {TOKENS}, {encoder.mark}"
            return TokenStore.read(encoder, corpus.stored("tokens", version, lambda: _counted(encoder, corpus, report)))

        return corpus.awaited(("token vectors", BuiltIn()), make, progress)

    @staticmethod
    def read(encoder: StaticEncoder, arrays: Arrays) -> TokenStore:
        """Returns the store from the arrays of `_counted`."""
        names, rows = encoder.named(arrays["numbers"].tolist())
        ids = {(name, hash(row.tobytes())): i for i, (name, row) in enumerate(zip(names, rows, strict=True))}
        small = rows.astype(encoder.model.embedding.dtype)
        return TokenStore(encoder, ids, small, arrays["docs"], arrays["starts"], arrays["df"])


def _counted(encoder: StaticEncoder, corpus: Corpus, progress: Progress | None) -> Arrays:
    """Returns ``docs``, ``starts`` and ``df`` of a `TokenStore`, and one vocabulary number per token, ``numbers``."""
    small, size = np.min_scalar_type(len(encoder.model.tokens)), len(encoder.model.tokens)
    ids: dict[tuple[str, int], int] = {}
    numbers, places = list[int](), dict[int, int]()  # places: by the token's number in the vocabulary
    docs, each, df = [np.zeros(0, small)], list[int](), np.zeros(size)
    for i in range(0, len(corpus), OFTEN):
        token_sets = [
            dict.fromkeys(numbers_in)
            for numbers_in in encoder.numbers([d.content for d in corpus.documents[i : i + OFTEN]])
        ]
        new = [*dict.fromkeys(number for numbers_in in token_sets for number in numbers_in if number not in places)]
        for number, name, row in zip(new, *encoder.named(new), strict=True):
            places[number] = ids.setdefault((name, hash(row.tobytes())), len(ids))
            if len(numbers) < len(ids):
                numbers.append(number)
        block = [dict.fromkeys(places[number] for number in numbers_in) for numbers_in in token_sets]
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
        self._at = np.full(len(store.rows), -1, np.int32)  # the row of a token's cosines

    def best(self, places: Sequence[int]) -> Floats:
        """Returns every row's best cosine with a token of every document, 0 to 1, shape [documents, rows].

        ``places`` are documents by their place in the corpus.
        """
        store, cosines = self.store, np.zeros((len(places), len(self.rows)))
        spans = [store.docs[store.starts[p] : store.starts[p + 1]] for p in places]
        filled = [i for i, span in enumerate(spans) if len(span)]
        if not filled:
            return cosines
        tokens = np.concatenate(spans)
        self._learn(tokens)
        ends = np.cumsum([len(spans[i]) for i in filled])
        cosines[filled] = np.maximum.reduceat(self._cosines[self._at[tokens]], np.concatenate(([0], ends[:-1])), axis=0)
        return cosines

    def _learn(self, tokens: NDArray[np.integer]) -> None:
        """Computes the missing cosines with these tokens."""
        new = np.zeros(len(self._at), bool)
        new[tokens] = True
        places = np.flatnonzero(new & (self._at < 0))
        before, blocks = len(self._cosines), -(-len(places) // BLOCK)
        known = np.empty((before + blocks * BLOCK, len(self.rows)))
        known[:before] = self._cosines
        # in blocks of one size, so that equal documents get equal numbers in any company
        block, turned = np.zeros((BLOCK, self.rows.shape[1])), np.ascontiguousarray(self.rows.T)
        for i in range(0, len(places), BLOCK):
            now = places[i : i + BLOCK]
            block[: len(now)] = unit(self.store.rows[now])
            np.matmul(block, turned, out=known[before + i : before + i + BLOCK])
        self._at[places] = np.arange(before, before + len(places))
        self._cosines = np.clip(known[: before + len(places)], 0.0, 1.0, out=known[: before + len(places)])
