"""A neural model that needs no package: of every text a vector of length 1, always the same, drawn by its checksum."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from lab.numeric import unit
from lab_packs.e5 import embedder
from lab_packs.e5.embedder import DIMENSIONS
from lab_packs.e5.kept_vectors import Shipped, VectorFile


class MadeUp:
    """Stands for the process that holds multilingual-e5-small; ``read`` are the texts that it was given."""

    def __init__(self) -> None:
        self.read = list[str]()

    def embed(self, texts: Sequence[str], *, beat: Callable[[], object], **_options: object) -> np.ndarray:
        beat()
        self.read += texts
        drawn = [np.random.default_rng(zlib.crc32(text.encode())).normal(size=DIMENSIONS) for text in texts]
        return unit(np.array(drawn)).astype(np.float32)


def forget_labels() -> None:
    """Pages ask once what an embedder is called, which depends on its package."""
    if cache := sys.modules.get("lab.ui.cache"):
        cache.label.cache_clear()


@contextmanager
def working(monkeypatch: pytest.MonkeyPatch) -> Iterator[MadeUp]:
    """The model works as one that is made up, and nothing is kept or comes with the pack."""
    made, kept = MadeUp(), VectorFile(None, DIMENSIONS, size=0)
    monkeypatch.setattr(embedder, "obstacle", lambda: None)
    monkeypatch.setattr(embedder, "worker", lambda: made)
    monkeypatch.setattr(embedder, "kept", lambda: kept)
    monkeypatch.setattr(embedder, "shipped", Shipped)
    forget_labels()
    yield made
    forget_labels()
