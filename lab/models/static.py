"""Static embedders: one vector per token, so that a cosine is a sum over pairs of tokens."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus, Progress, knob
from lab.kept import Shared
from lab.models.embedders import Embedder, Encoder, Vectors, in_batches
from lab.models.mapped import MappedModel
from lab.numeric import pair_table
from lab.text import well_formed
from lab.words import Said

if TYPE_CHECKING:
    from model2vec import StaticModel


@dataclass(eq=False)
class StaticEncoder(Encoder):
    """Mean of fixed token vectors (model2vec): a text's vector is a sum, so a cosine is a sum over pairs."""

    quick = True

    model: StaticModel | MappedModel
    dimensions: int = field(init=False)

    def __post_init__(self) -> None:
        self.dimensions = int(self.model.dim)
        self.limit = int(self.model.max_length or 0)

    @cached_property
    def mark(self) -> str:  # type: ignore[override]
        digest = hashlib.sha256(self.model.tokenizer.to_str().encode())
        for part in (self.model.embedding, self.model.weights, self.model.token_mapping):
            digest.update(b"" if part is None else np.ascontiguousarray(part).data)
        return digest.hexdigest()

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        model = self.model
        encode = model.encode if isinstance(model, MappedModel) else partial(model.encode, use_multiprocessing=False)
        return in_batches(encode, texts, 1024, self.dimensions, progress)

    def tokens(self, text: str) -> tuple[list[str], NDArray[np.float64]]:
        """Returns the tokens that the model knows, as written in its vocabulary, and their vectors [n, dimensions].

        The text's vector is the mean of these rows, up to its length.
        """
        return self.named(self.numbers([text])[0])

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Returns the known tokens that the vector of each text is made of, by their numbers in the vocabulary."""
        return self.model.tokenize([self._beginning(well_formed(text)) for text in texts])

    def _beginning(self, text: str) -> str:
        """Returns the characters that model2vec reads before it counts tokens."""
        return text[: self.limit * self.model.median_token_length] if self.limit else text

    def truncates(self, text: str) -> bool:
        text = well_formed(text)
        begin = self._beginning(text)
        return len(begin) < len(text) or bool(self.limit and self.model.tokenizer.encode(begin).overflowing)

    def named(self, ids: list[int]) -> tuple[list[str], NDArray[np.float64]]:
        """Returns tokens by their numbers: as written in the vocabulary, and their vectors [n, dimensions]."""
        tokens = (str(self.model.tokenizer.id_to_token(i)) for i in ids)
        names = [token.removeprefix("▁").removeprefix("##") for token in tokens]
        mapping, weights = self.model.token_mapping, self.model.weights
        rows = np.asarray(self.model.embedding[mapping[ids] if mapping is not None else ids], dtype=np.float64)
        return names, rows * weights[ids][:, None] if weights is not None else rows

    def pairs(self, query: str, text: str) -> tuple[list[str], list[str], NDArray[np.float64]]:
        """Returns the cosine as a table: distinct query tokens, distinct document tokens, the component of each pair.

        The table's sum is the cosine of the two texts' vectors: with q = sum of q_i and d = sum of d_j,
        cos = sum over i, j of q_i . d_j / (|q| |d|).
        """
        q_names, q = self.merged(query)
        d_names, d = self.merged(text)
        return q_names, d_names, pair_table(q, d)

    def merged(self, text: str) -> tuple[list[str], NDArray[np.float64]]:
        """Returns the distinct tokens of a text in order of appearance, and the sum of each one's vectors."""
        names, rows = self.tokens(text)
        at: dict[str, int] = {}
        places = np.fromiter((at.setdefault(name, len(at)) for name in names), np.int64, len(names))
        if not len(places):
            return [], np.zeros((0, self.dimensions))
        order = np.argsort(places, kind="stable")
        starts = np.flatnonzero(np.diff(places[order], prepend=-1))
        return list(at), np.add.reduceat(rows[order], starts)


_LOADED = Shared(4, quick=math.inf)
"""The last models that are loaded (a file's content, not a state); after ten minutes without a use they go."""
_HELD = WeakValueDictionary[str, StaticEncoder]()
"""All models that are in use, so that none is loaded twice."""


def load_static(folder: str) -> StaticEncoder:
    from model2vec import StaticModel

    return _once(folder, partial(StaticModel.from_pretrained, folder, force_download=False))


def _once(folder: str, load: Callable[[], StaticModel | MappedModel]) -> StaticEncoder:
    def encoder(_: object) -> StaticEncoder:
        return _HELD.get(folder) or _HELD.setdefault(folder, StaticEncoder(load()))

    return cast(StaticEncoder, _LOADED.once(folder, encoder, None))


@dataclass(frozen=True)
class BuiltIn(Embedder):
    """The bilingual static model that ships with the lab: Chinese and English in one space, numpy only.

    Method: S. Tulkens and T. van Dongen, *Model2Vec*, 2024; how this one was trained: its model card.
    """

    name = "built-in"
    label = Said("Built-in bilingual")
    about = Said("The lab's own model, Chinese and English, without a download.")

    def fit(self, corpus: Corpus) -> StaticEncoder:
        return load_built_in()


def load_built_in() -> StaticEncoder:
    """Loads the built-in model, which is the same for every corpus; threads that need it at once share one."""
    return _once("", lambda: MappedModel(Path(__file__).with_name("built_in")))


EMBEDDER = partial(
    knob, BuiltIn(), kind="spec", label=Said("Embedding model"), help=Said("The model that turns texts into vectors.")
)
"""The field of an operator that needs an embedder: the built-in one by default."""
