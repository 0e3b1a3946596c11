"""Indexes on the lab's disk: the index of a large corpus is built once, and later opened by memory map.

The folder is a `DiskStore`: every corpus has a group, named by its fingerprint, with an entry for every index, named by
a hash of its parameters: arrays in numpy's own format.  A damaged index, or one of another version, is rebuilt, which
is reported.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from lab.algebra import Arrays, Corpus
from lab.corpus import disk
from lab.corpus.disk import DiskStore, Entry
from lab.words import Said

LARGE = 20_000
"""Indexes of fewer documents are not stored: building them takes a second or two."""
MEGABYTES = 8000.0
SAMPLES = 64 << 20
"""Maximum bytes of the indexes of sample corpora."""
_SMALL = 1 << 20
DAMAGED = Said("An index on the lab's disk is damaged. It is being rebuilt.")
OTHER = Said("An index on the lab's disk is from another version of the lab. It is being rebuilt.")


def folder() -> Path:
    """Returns the folder for computed data: ``LAB_INDEX_DIR``, or the user's folder for caches."""
    if setting := os.environ.get("LAB_INDEX_DIR", "").strip():
        return Path(setting).expanduser()
    return platformdirs.user_cache_path("retrieval-lab", appauthor=False)


def room() -> float:
    """Returns the maximum bytes of all indexes: ``LAB_INDEX_MB``, by default 8,000; with 0 no index is stored."""
    return disk.megabytes("LAB_INDEX_MB", MEGABYTES)


def keeper() -> IndexFolder | None:
    """Returns the store for indexes of corpora on the lab's own disk; None without ``LAB_INDEX_DIR``."""
    if not os.environ.get("LAB_INDEX_DIR", "").strip():
        return None
    with suppress(OSError):  # then nothing is kept
        folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    return IndexFolder(folder() / "indexes", room)


def of_samples(shipped: Path) -> SampleIndexes:
    """Returns the indexes of the sample corpora, some of which come with the lab in the folder ``shipped``."""
    with suppress(OSError):
        folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    homes = (shipped, folder() / "samples")
    return SampleIndexes(*(IndexFolder(x, lambda: min(room(), float(SAMPLES)), lambda _message: None) for x in homes))


@cache
def analysis() -> str:
    """Returns a checksum of the code and the word lists by which texts become terms."""
    package = Path(__file__).parents[1]
    files = (package / "patterns.py", package / "retrieve/matrix.py", *sorted((package / "text").rglob("*.*")))
    checksum = 0
    for file in files:
        if file.suffix != ".pyc":
            checksum = zlib.crc32(file.read_bytes(), checksum)
    return f"{checksum:08x}"


def log(message: Said) -> None:
    logging.getLogger("retrieval_lab").warning("%s", message)


@dataclass(frozen=True)
class IndexFolder(DiskStore):
    """Indexes under ``home`` of at most ``room()`` bytes; the least recently used ones are removed.

    ``tell`` is called with a message when an index is rebuilt.
    """

    home: Path
    room: Callable[[], float]
    tell: Callable[[Said], object] = log
    clock: Callable[[], float] = time.time

    def once(self, corpus: Corpus, kind: str, version: str, make: Callable[[], Arrays]) -> Arrays:
        """Returns the arrays of this kind of index of a corpus: opened if they are stored, or else made and stored.

        See `Corpus.stored`.  Opened arrays are read-only.
        """
        return make() if len(corpus) < LARGE else self.keep(corpus, kind, version, make)

    def find(self, corpus: Corpus, kind: str, version: str) -> Arrays | None:
        """Returns the stored arrays of this kind of index; None if there are none that can be used."""
        return self._read(self._place(corpus, kind), version)

    def keep(self, corpus: Corpus, kind: str, version: str, make: Callable[[], Arrays]) -> Arrays:
        """Like `once`, for a corpus of any size."""
        arrays = self.find(corpus, kind, version)
        if arrays is None:
            arrays = make()
            with suppress(OSError):  # the disk is full or cannot be written: it stays in memory
                self._write(self._place(corpus, kind), version, arrays)
        return arrays

    def _place(self, corpus: Corpus, kind: str) -> Path:
        return self.home / corpus.fingerprint[:40] / hashlib.sha256(kind.encode()).hexdigest()[:40]

    def _read(self, place: Path, version: str) -> Arrays | None:
        """Returns the arrays of an entry; None if it is missing, or unusable, which is reported."""
        entry = Entry(place)
        for _ in range(2):  # meanwhile another process may have written or removed it
            try:
                about = entry.about()
                if (about["format"], about["version"]) != (disk.FORMAT, version):
                    self.tell(OTHER)
                    return None
                entry.check(about)
                sizes = {name.removesuffix(".npy"): size for name, (size, _checksum) in entry.files(about).items()}
                arrays = {name: _array(place / f"{name}.npy", size) for name, size in sizes.items()}
            except FileNotFoundError:
                if not place.is_dir():
                    return None
            except disk.DAMAGE:
                break
            else:
                entry.touch(self.clock())
                return arrays
        self.tell(DAMAGED)
        return None

    def _write(self, place: Path, version: str, arrays: Arrays) -> None:
        needed, most = sum(array.nbytes for array in arrays.values()), self.room()
        if needed > most:
            return
        self.home.mkdir(exist_ok=True, mode=0o700)  # not its parents: their owner may have been removed
        self._make_room(most - needed, without=place)
        with self.writing(place) as entry:
            for name, array in arrays.items():
                np.save(entry.folder / f"{name}.npy", array, allow_pickle=False)
            entry.seal({"version": version}, self.clock())
            with suppress(OSError):
                disk.remove(place)


@dataclass(frozen=True)
class SampleIndexes:
    """Indexes of corpora that come with the lab: ``shipped`` with it, or ``stored`` by an earlier process.

    They are small, so all of them are kept; they are rebuilt when the texts or the analysis differ (`analysis`).
    """

    shipped: IndexFolder
    stored: IndexFolder

    def once(self, corpus: Corpus, kind: str, version: str, make: Callable[[], Arrays]) -> Arrays:
        """Returns the arrays of this kind of index: see `Corpus.stored`."""
        version = f"{version}, {analysis()}"
        arrays = self.shipped.find(corpus, kind, version)
        return self.stored.keep(corpus, kind, version, make) if arrays is None else arrays


def _array(file: Path, size: int) -> Any:
    """Returns the array of a file, mapped unless it is small: an empty one cannot be mapped."""
    return np.asarray(np.load(file, mmap_mode=None if size < _SMALL else "r", allow_pickle=False))
