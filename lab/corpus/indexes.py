"""Indexes on the lab's disk: what was made of a corpus once is opened again by memory map.

A folder for every corpus, called by its fingerprint, in it one for every index, called by a hash of what it was made
with: arrays in numpy's own format, and an ``about.json`` with the sizes and checksums of their files, whose date says
when the index was last used.  What is there is there as a whole: it is written beside and then renamed, so that several
processes may write at once.  What is damaged, or of another version, is made again, and that is said.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from lab.algebra import Arrays, Corpus
from lab.corpus import disk
from lab.words import Said

LARGE = 20_000
"""The index of fewer documents is made again: that takes a second or two."""
MEGABYTES = 8000.0
MB = 1 << 20
FORMAT = 1
_ABOUT = "about.json"
_SMALL = 1 << 20
DAMAGED = Said("An index on the lab's disk is damaged. It is being rebuilt.")
OTHER = Said("An index on the lab's disk is from another version of the lab. It is being rebuilt.")


def folder() -> Path:
    """Where the lab keeps what it has reckoned: ``LAB_INDEX_DIR``, or the user's folder for caches."""
    if named := os.environ.get("LAB_INDEX_DIR", "").strip():
        return Path(named).expanduser()
    return platformdirs.user_cache_path("retrieval-lab", appauthor=False)


def room() -> float:
    """Bytes that the indexes may take together: ``LAB_INDEX_MB``, by default 8,000; 0 keeps none."""
    try:
        return max(0.0, float(os.environ.get("LAB_INDEX_MB", "") or MEGABYTES)) * MB
    except ValueError:
        return MEGABYTES * MB


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
class IndexFolder:
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
        found = self._opened(place, version)
        if found is None:
            found = make()
            with suppress(OSError):  # the disk is full or cannot be written: it stays in memory
                self._keep(place, version, found)
        return found

    def _opened(self, place: Path, version: str) -> Arrays | None:
        """What lies there; None where nothing does, and where it is of no use, which is said."""
        for _ in range(2):  # between two looks another process may have put it there, or thrown it away
            try:
                about = disk.read_json(place / _ABOUT)
                if (about["format"], about["version"]) != (FORMAT, version):
                    self.tell(OTHER)
                    return None
                found = {name: _array(place / f"{name}.npy", *told) for name, told in about["arrays"].items()}
                if not found:
                    raise ValueError(_ABOUT)
            except FileNotFoundError:
                if not place.is_dir():
                    return None
            except disk.DAMAGE:
                break
            else:
                with suppress(OSError):
                    disk.set_date(place / _ABOUT, self.clock())
                return found
        self.tell(DAMAGED)
        return None

    def _keep(self, place: Path, version: str, arrays: Arrays) -> None:
        needed, most = sum(array.nbytes for array in arrays.values()), self.room()
        if needed > most:
            return
        self.home.mkdir(exist_ok=True, mode=0o700)  # not its parents: what they belong to may have been thrown away
        self._make_room(most - needed, without=place)
        begun = disk.free_name(self.home)
        begun.mkdir(mode=0o700)
        try:
            told = {}
            for name, array in arrays.items():
                file = begun / f"{name}.npy"
                np.save(file, array, allow_pickle=False)
                told[name] = file.stat().st_size, disk.checksum(file)
            about = {"format": FORMAT, "version": version, "arrays": told}
            (begun / _ABOUT).write_text(json.dumps(about), "utf-8")
            disk.set_date(begun / _ABOUT, self.clock())
            self._remove(place)
            place.parent.mkdir(exist_ok=True, mode=0o700)
            begun.rename(place)  # where another process was faster, theirs stays
        finally:
            shutil.rmtree(begun, ignore_errors=True)

    def _make_room(self, most: float, *, without: Path) -> None:
        """Throw away what was not used for longest, until the rest takes so many bytes at most."""
        for one in self._all():
            disk.correct_date(_dated(one), self.clock())
        kept = sorted((disk.date(_dated(one)), str(one), disk.size(one)) for one in self._all() if one != without)
        total = sum(taken for _date, _place, taken in kept)
        for _used, place, taken in kept:
            if total <= most:
                return
            self._remove(Path(place))
            with suppress(OSError):  # another index of the corpus is there
                Path(place).parent.rmdir()
            total -= taken

    def _remove(self, place: Path) -> None:
        """Throw an index away as a whole: nobody finds a part of it."""
        with suppress(OSError):
            disk.remove(place, home=self.home)

    def _all(self) -> Iterator[Path]:
        """The folders of all indexes; what was begun too long ago goes."""
        for one in disk.folders(self.home):
            if not one.name.startswith("."):
                yield from disk.folders(one)
                continue
            disk.correct_date(one, self.clock())
            if self.clock() - disk.date(one) > disk.HALF_WRITTEN:
                shutil.rmtree(one, ignore_errors=True)


def _array(file: Path, size: int, checksum: int) -> Any:
    """The array of a file, mapped.  Raises `ValueError` where a byte of it has changed."""
    if file.stat().st_size != size or disk.checksum(file) != checksum:
        raise ValueError(file.name)
    small = size < _SMALL  # an empty array cannot be mapped
    return np.asarray(np.load(file, mmap_mode=None if small else "r", allow_pickle=False))


def _dated(place: Path) -> Path:
    """Returns the file whose date is the last use of an index: about.json, or the folder if that is missing."""
    return place / _ABOUT if (place / _ABOUT).exists() else place
