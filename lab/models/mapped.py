"""The built-in model in its own memory: int8 rows mapped from its file, and one tokenizer.

`MappedModel` has the names of model2vec's `StaticModel` that `lab.models.static` uses, and gives the same vectors to
the last bit (`tests/models/test_mapped.py`).  model2vec itself brings the client of a model hub, copies the tokenizer
and the rows, and keeps lists of all tokens.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

_HEADER = 8
"""Bytes at the beginning of a safetensors file that give the length of its JSON header."""


class MappedModel:
    """A static model with one int8 row per token, of any length of text, whose vectors have length 1."""

    max_length = None
    median_token_length = 0  # counts only if there is a maximum
    weights = None
    token_mapping = None

    def __init__(self, folder: Path) -> None:
        self.tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.embedding = _rows(folder / "model.safetensors")
        self.unk_token_id = self.tokenizer.token_to_id("[UNK]")

    @property
    def dim(self) -> int:
        return int(self.embedding.shape[1])

    @property
    def tokens(self) -> tuple[str, ...]:
        return tuple(str(self.tokenizer.id_to_token(number)) for number in range(len(self.embedding)))

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Returns the numbers of the known tokens of each text."""
        encodings = self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [[number for number in encoding.ids if number != self.unk_token_id] for encoding in encodings]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns the mean row of each text, at length 1, [n, dimensions]; zeros for a text without a known token."""
        ids = self.tokenize(texts)
        means = np.zeros((len(ids), self.dim), np.float32)
        by_length: dict[int, list[int]] = defaultdict(list)
        for i, numbers in enumerate(ids):
            if numbers:
                by_length[len(numbers)].append(i)
        for indices in by_length.values():
            means[indices] = self.embedding[np.array([ids[i] for i in indices])].mean(axis=1)
        lengths = np.linalg.norm(means, axis=1, keepdims=True) + 1e-32  # model2vec's guard against a division by 0
        return np.asarray(means / lengths, dtype=np.float32)


def _rows(file: Path) -> NDArray[np.int8]:
    """Returns the rows of a safetensors file, read from the disk when they are used."""
    with file.open("rb") as raw:
        length = int.from_bytes(raw.read(_HEADER), "little")
        table = json.loads(raw.read(length))["embeddings"]
    if table["dtype"] != "I8":
        raise ValueError(f"{file.name}: {table['dtype']} instead of I8")
    begin = _HEADER + length + table["data_offsets"][0]
    return np.asarray(np.memmap(file, np.int8, "r", begin, tuple(table["shape"])))
