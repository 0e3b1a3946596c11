"""Vectors that were reckoned once: a file of them for every model, by a checksum of the text, on the lab's own disk.

It stands under ``LAB_INDEX_DIR``, or in the user's folder for caches, and takes ``LAB_VECTORS_MB`` at most (default
200; 0 keeps nothing): what was not used for longest goes.  It holds no text, only checksums and vectors.  A damaged
file is made anew, a damaged row counts as missing, and where the disk cannot be written the vectors stay in memory.

`Shipped` are vectors that come with the lab, in files of their own.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from lab.text import well_formed

T = TypeVar("T")
Vector = NDArray[np.float32]
MEGABYTES = 200.0
IN_MEMORY = 32 << 20
"""Bytes of the vectors that are kept where no file can be."""
DAY = 86_400
KEY = 16
"""Bytes of a checksum."""
FINE = 2.0**-14 / 127
"""The step of what float16 leaves over, for numbers up to 1/4."""
_AT_ONCE = 500  # so many checksums are asked for in one statement
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, used INTEGER NOT NULL, row BLOB NOT NULL)"


def checksum(kind: str, text: str) -> bytes:
    """What a text is known by: ``kind`` is what goes before it (a question is read otherwise than a passage)."""
    return hashlib.sha256(f"{kind}\0{well_formed(text)}".encode()).digest()[:KEY]


def room() -> int:
    """Bytes that a file may take: ``LAB_VECTORS_MB``, by default 200."""
    try:
        return int(max(0.0, min(1e9, float(os.environ.get("LAB_VECTORS_MB", "") or MEGABYTES))) * (1 << 20))
    except ValueError:
        return int(MEGABYTES * (1 << 20))


class VectorFile:
    """The vectors of one model, [dimensions] each, by checksum; for several threads, and beside other processes."""

    def __init__(
        self,
        path: Path | None,
        dimensions: int,
        *,
        size: int,
        patience: float = 2.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.dimensions, self.size, self.patience, self.clock = dimensions, size, patience, clock
        self.path = path if size else None
        self._lock = threading.Lock()
        self._open: sqlite3.Connection | None = None

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """Those of these vectors that are there."""
        return self._safely(lambda: self._get(keys), {})

    def put(self, vectors: Mapping[bytes, Vector]) -> None:
        """Keep these; what was not used for longest goes, where there is no room."""
        self._safely(lambda: self._put(vectors), None)

    def close(self) -> None:
        """Let go of the file; it is opened again when somebody asks."""
        with self._lock:
            self._close()

    # ------------------------------------------------------------------------------------------- the file

    def _safely(self, do: Callable[[], T], otherwise: T) -> T:
        """What ``do`` gives; of a damaged file a new one is made, and a disk that does not take it is done without."""
        with self._lock:
            for _ in range(2):
                try:
                    return do()
                except sqlite3.OperationalError as error:  # locked, full, read-only: as if nothing was kept
                    if self._open is not None and "lock" in str(error):
                        return otherwise
                    self._close()
                    self.path = None
                except (sqlite3.DatabaseError, OverflowError, ValueError):  # ValueError: of letters that are none
                    self._close()
                    self._remove()
        return otherwise

    def _base(self) -> sqlite3.Connection:
        if self._open is None:
            if self.path is not None:
                try:
                    self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                except OSError:
                    self.path = None
            where = self.path or ":memory:"
            self._open = sqlite3.connect(where, timeout=self.patience, isolation_level=None, check_same_thread=False)
            self._open.execute(_TABLE)
            self._open.execute("CREATE INDEX IF NOT EXISTS by_use ON vectors (used)")
            self._open.execute("PRAGMA synchronous = OFF")  # a file that a crash has damaged is made anew
        return self._open

    def _close(self) -> None:
        if self._open is not None:
            with suppress(sqlite3.Error):
                self._open.close()
        self._open = None

    __del__ = _close

    def _remove(self) -> None:
        for end in ("", "-journal") if self.path is not None else ():
            try:
                Path(f"{self.path}{end}").unlink(missing_ok=True)
            except OSError:
                self.path = None
                return

    def _get(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        base, found, now, old = self._base(), dict[bytes, Vector](), int(self.clock()), list[bytes]()
        for i in range(0, len(keys), _AT_ONCE):
            some = keys[i : i + _AT_ONCE]
            marks = ",".join("?" * len(some))
            for key, used, row in base.execute(f"SELECT key, used, row FROM vectors WHERE key IN ({marks})", some):
                if (vector := self._unpacked(key, row)) is not None:
                    found[key] = vector
                    if abs(now - used) > DAY:
                        old.append(key)
        if old:
            base.execute("BEGIN")
            base.executemany("UPDATE vectors SET used = ? WHERE key = ?", [(now, key) for key in old])
            base.execute("COMMIT")
        return found

    def _put(self, vectors: Mapping[bytes, Vector]) -> None:
        base, now = self._base(), int(self.clock())
        rows = [(key, now, self._packed(key, vector)) for key, vector in vectors.items()]
        base.execute("BEGIN")
        base.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        base.execute("UPDATE vectors SET used = ? WHERE used > ?", [now, now])  # dated by a wrong clock
        base.execute("COMMIT")
        most = self.size if self.path is not None else min(self.size or IN_MEMORY, IN_MEMORY)
        for _ in range(10):
            (pages,), (free,), (page,) = (
                base.execute(f"PRAGMA {what}").fetchone() for what in ("page_count", "freelist_count", "page_size")
            )
            if (pages - free) * page <= most:
                break
            tenth = "SELECT key FROM vectors ORDER BY used LIMIT (SELECT max(1, count(*) / 10) FROM vectors)"
            base.execute(f"DELETE FROM vectors WHERE key IN ({tenth})")

    def _packed(self, key: bytes, vector: Vector) -> bytes:
        raw = np.asarray(vector, "<f4").tobytes()
        return raw + struct.pack("<I", zlib.crc32(key + raw))

    def _unpacked(self, key: bytes, row: object) -> Vector | None:
        """The vector of a row; None where a byte of it has changed."""
        if not isinstance(row, bytes) or len(row) != 4 * self.dimensions + 4:
            return None
        raw = row[:-4]
        right = struct.unpack("<I", row[-4:])[0] == zlib.crc32(key + raw)
        return np.frombuffer(raw, "<f4").astype(np.float32) if right else None


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
