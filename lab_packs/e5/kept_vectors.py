"""Cached vectors: one file per model on the lab's own disk, by a checksum of the text.

The file is under ``LAB_INDEX_DIR``, or in the user's folder for caches, and takes at most ``LAB_VECTORS_MB`` (default
200; 0 keeps nothing).  It contains no text, only checksums and vectors.  It is a `RowFile`, which handles damage, a
full disk and a read-only one.

`Shipped` are vectors that come with the pack, in separate files.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from lab.corpus import disk
from lab.corpus.disk import RowFile
from lab.text import well_formed

Vector = NDArray[np.float32]
MEGABYTES = 200.0
DAY = disk.DAY
"""Seconds after which a row in use is dated again."""
KEY = 16
"""Bytes of a checksum."""
FINE = 2.0**-14 / 127
"""The step of the remainder after float16, for numbers up to 1/4."""


def checksum(kind: str, text: str) -> bytes:
    """Returns the key of a text; ``kind`` distinguishes questions from passages, which a model reads differently."""
    return hashlib.sha256(f"{kind}\0{well_formed(text)}".encode()).digest()[:KEY]


def room() -> int:
    """Returns the bytes that a file may take: ``LAB_VECTORS_MB``, by default 200."""
    return disk.megabytes("LAB_VECTORS_MB", MEGABYTES)


class VectorFile:
    """The vectors of one model, [dimensions] each, by checksum, in a `RowFile`."""

    def __init__(
        self,
        path: Path | None,
        dimensions: int,
        *,
        size: int,
        patience: float = 2.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.dimensions = dimensions
        self.rows = RowFile(path, "vectors", size=size, patience=patience, clock=clock)
        self.close = self.rows.close

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """Returns the vectors of these keys that are there."""
        rows = self.rows.get(keys).items()
        whole = {key: row for key, row in rows if len(row) == 4 * self.dimensions}
        return {key: np.frombuffer(row, "<f4").astype(np.float32) for key, row in whole.items()}

    def put(self, vectors: Mapping[bytes, Vector]) -> None:
        """Keeps these vectors; if there is no room, the least recently used ones are removed."""
        self.rows.put({key: np.asarray(vector, "<f4").tobytes() for key, vector in vectors.items()})


# ------------------------------------------------------------------------------------------ shipped with the pack


@dataclass(frozen=True)
class Shipped:
    """Vectors that come with the pack: files in which every number has three bytes.

    ``high`` [n, d] are float16, ``low`` [n, d] the remainder in steps of `FINE`, so that a number is wrong by
    2.4e-7 at most; ``keys`` [n, 16] are the checksums, and ``provenance`` says in JSON where they come from.
    """

    files: tuple[Path, ...] = field(default=())

    @cached_property
    def rows(self) -> Mapping[bytes, Vector]:
        """All vectors by checksum; a missing or damaged file is skipped."""
        by_checksum: dict[bytes, Vector] = {}
        for file in self.files:
            with suppress(OSError, ValueError, KeyError, EOFError, BadZipFile), file.open("rb") as raw:
                arrays = np.load(raw, allow_pickle=False)
                rows = arrays["high"].astype(np.float32) + arrays["low"].astype(np.float32) * np.float32(FINE)
                by_checksum |= zip((key.tobytes() for key in arrays["keys"]), rows, strict=True)
        return by_checksum

    def provenance(self) -> list[dict[str, Any]]:
        sources = []
        for file in self.files:
            with np.load(file, allow_pickle=False) as arrays:
                sources.append(json.loads(str(arrays["provenance"])))
        return sources

    @staticmethod
    def write(file: Path, rows: Mapping[bytes, Vector], provenance: Mapping[str, object]) -> None:
        whole = np.array(list(rows.values()), np.float32)
        high = whole.astype(np.float16)
        low = np.rint((whole - high.astype(np.float32)) / FINE)
        assert np.abs(low).max() <= 127, "a number is larger than 1/4"
        keys = np.frombuffer(b"".join(rows), np.uint8).reshape(-1, KEY)
        text = json.dumps(provenance, ensure_ascii=False)
        np.savez(file, keys=keys, high=high, low=low.astype(np.int8), provenance=np.array(text))


def missing(keys: Iterable[bytes], *known: Mapping[bytes, Vector]) -> list[bytes]:
    """Returns the keys without a vector in any mapping, each once."""
    return [key for key in dict.fromkeys(keys) if not any(key in vectors for vectors in known)]
