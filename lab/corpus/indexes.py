"""Indexes on the lab's disk: what was made of a corpus once is opened again by memory map.

The folder is a `DiskStore`: there is a group for every corpus, called by its fingerprint, and in it an entry for every
index, called by a hash of what it was made with: arrays in numpy's own format.  What is damaged, or of another version,
is made again, and that is said.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from lab.algebra import Arrays, Corpus
from lab.corpus import disk
from lab.corpus.disk import DiskStore, Entry
from lab.words import Said

LARGE = 20_000
"""The index of fewer documents is made again: that takes a second or two."""
MEGABYTES = 8000.0
_SMALL = 1 << 20
DAMAGED = Said("An index on the lab's disk is damaged. It is being rebuilt.")
OTHER = Said("An index on the lab's disk is from another version of the lab. It is being rebuilt.")


def folder() -> Path:
    """Where the lab keeps what it has reckoned: ``LAB_INDEX_DIR``, or the user's folder for caches."""
    if named := os.environ.get("LAB_INDEX_DIR", "").strip():
        return Path(named).expanduser()
    return platformdirs.user_cache_path("retrieval-lab", appauthor=False)


def room() -> float:
    """Returns the bytes that the indexes may take together: ``LAB_INDEX_MB``, by default 8,000; 0 keeps none."""
    return disk.megabytes("LAB_INDEX_MB", MEGABYTES)


def keeper() -> IndexFolder | None:
    """What keeps the indexes of corpora on the lab's own disk; None where ``LAB_INDEX_DIR`` names no folder."""
    if not os.environ.get("LAB_INDEX_DIR", "").strip():
        return None
    with suppress(OSError):  # then nothing is kept
        folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    return IndexFolder(folder() / "indexes", room)


def log(said: Said) -> None:
    """Say it to who runs the lab."""
    logging.getLogger("retrieval_lab").warning("%s", said)


@dataclass(frozen=True)
class IndexFolder(DiskStore):
    """Indexes under ``home``, which take ``room()`` bytes at most: those that were not used for longest go.

    ``tell`` is called where one had to be made again.
    """

    home: Path
    room: Callable[[], float]
    tell: Callable[[Said], object] = log
    clock: Callable[[], float] = time.time

    def once(self, corpus: Corpus, kind: str, version: str, make: Callable[[], Arrays]) -> Arrays:
        """The arrays of this kind of index of a corpus: opened where they lie here, else made, and left here.

        See `Corpus.stored`.  Those that were opened cannot be written to.
        """
        if len(corpus) < LARGE:
            return make()
        place = self.home / corpus.fingerprint[:40] / hashlib.sha256(kind.encode()).hexdigest()[:40]
        arrays = self._read(place, version)
        if arrays is None:
            arrays = make()
            with suppress(OSError):  # the disk is full or cannot be written: it stays in memory
                self._write(place, version, arrays)
        return arrays

    def _read(self, place: Path, version: str) -> Arrays | None:
        """Returns the arrays of an entry; None if there is none, or if it is of no use, which is said."""
        entry = Entry(place)
        for _ in range(2):  # between two looks another process may have put it there, or thrown it away
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
        self.home.mkdir(exist_ok=True, mode=0o700)  # not its parents: what they belong to may have been thrown away
        self._make_room(most - needed, without=place)
        with self.writing(place) as entry:
            for name, array in arrays.items():
                np.save(entry.folder / f"{name}.npy", array, allow_pickle=False)
            entry.seal({"version": version}, self.clock())
            with suppress(OSError):
                disk.remove(place)


def _array(file: Path, size: int) -> Any:
    """Returns the array of a file, mapped unless it is small: an empty one cannot be mapped."""
    return np.asarray(np.load(file, mmap_mode=None if size < _SMALL else "r", allow_pickle=False))
