"""Vectors that were computed once: a file of them for every model, by a checksum of the text, on the lab's own disk.

It stands under ``LAB_INDEX_DIR``, or in the user's folder for caches, and takes ``LAB_VECTORS_MB`` at most (default
200; 0 keeps nothing).  It holds no text, only checksums and vectors.  The file is a `RowFile`, which says what happens
if it is damaged, full or read-only.

`Shipped` are vectors that come with the lab, in files of their own.
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
"""The step of what float16 leaves over, for numbers up to 1/4."""


def checksum(kind: str, text: str) -> bytes:
    """What a text is known by: ``kind`` is what goes before it (a question is read otherwise than a passage)."""
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
        """Keeps these vectors; those that were not used for longest go if there is no room."""
        self.rows.put({key: np.asarray(vector, "<f4").tobytes() for key, vector in vectors.items()})


# ------------------------------------------------------------------------------------- what the lab brings along


@dataclass(frozen=True)
class Shipped:
    """Vectors that come with the lab: files in which every number has three bytes.

    ``high`` [n, d] are float16, ``low`` [n, d] what that leaves over in steps of `FINE`, so that a number is wrong by
    2.4e-7 at most; ``keys`` [n, 16] are the checksums, and ``provenance`` says in JSON where they come from.
    """

    files: tuple[Path, ...] = field(default=())

    @cached_property
    def rows(self) -> Mapping[bytes, Vector]:
        """All of them by checksum; a file that is not there or is damaged adds nothing."""
        found: dict[bytes, Vector] = {}
        for file in self.files:
            with suppress(OSError, ValueError, KeyError, EOFError, BadZipFile), file.open("rb") as raw:
                told = np.load(raw, allow_pickle=False)
                rows = told["high"].astype(np.float32) + told["low"].astype(np.float32) * np.float32(FINE)
                found |= zip((key.tobytes() for key in told["keys"]), rows, strict=True)
        return found

    def provenance(self) -> list[dict[str, Any]]:
        """What every file says of itself."""
        told = []
        for file in self.files:
            with np.load(file, allow_pickle=False) as own:
                told.append(json.loads(str(own["provenance"])))
        return told

    @staticmethod
    def write(file: Path, rows: Mapping[bytes, Vector], provenance: Mapping[str, object]) -> None:
        """Leave these vectors in a file."""
        whole = np.array(list(rows.values()), np.float32)
        high = whole.astype(np.float16)
        low = np.rint((whole - high.astype(np.float32)) / FINE)
        assert np.abs(low).max() <= 127, "a number is larger than 1/4"
        keys = np.frombuffer(b"".join(rows), np.uint8).reshape(-1, KEY)
        said = json.dumps(provenance, ensure_ascii=False)
        np.savez(file, keys=keys, high=high, low=low.astype(np.int8), provenance=np.array(said))


def missing(keys: Iterable[bytes], *known: Mapping[bytes, Vector]) -> list[bytes]:
    """Those that nobody knows, each once."""
    return [key for key in dict.fromkeys(keys) if not any(key in own for own in known)]
