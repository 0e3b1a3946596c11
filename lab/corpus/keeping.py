"""Uploads on the lab's own disk: what a visitor has put there is found again after a restart and by another process.

One folder per visitor, called by a hash of their token; in it one folder per corpus in the BEIR layout, called by a
hash of its name, with an ``about.json``, whose date says when the corpus was last used, and of a large one the indexes
(`lab.corpus.indexes`), which no other visitor finds and which go when it goes.  What is there is there as a whole: it
is written beside and then renamed.  A name or a token never becomes a part of a path.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lab.algebra import Corpus
from lab.corpus import beir, indexes
from lab.corpus.beir import Collection
from lab.corpus.indexes import IndexFolder, size
from lab.errors import CorpusError, LabError, UploadError
from lab.words import Said

DAY = 86_400.0
MB = 1 << 20
_ABOUT, _NOTE, _SWEPT, _INDEX, _FORMAT = "about.json", "note.txt", ".swept", "index", 1
_HALF_WRITTEN = 3600.0
"""Seconds after which what was begun and never renamed is thrown away."""


@dataclass(frozen=True)
class Kept:
    """An upload on the disk: its name, passages and bytes, and when it was last used, in seconds since 1970.

    One that is not ``sound`` cannot be opened any more.
    """

    name: str
    passages: int
    bytes: int
    used: float
    sound: bool = True


@dataclass(frozen=True)
class UploadFolder:
    """What all visitors keep under ``home``: ``room`` bytes at most, half of it each, ``days`` after the last use.

    ``tell`` is called where an index had to be made again.
    """

    home: Path
    room: float
    days: float
    clock: Callable[[], float] = time.time
    tell: Callable[[Said], object] = indexes.log

    def of(self, token: str) -> VisitorFolder:
        """What the visitor with this token keeps."""
        return VisitorFolder(self, self.home / hashlib.sha256(token.encode()).hexdigest())

    @property
    def bytes(self) -> int:
        """What everything takes."""
        return size(self.home)

    def sweep(self, *, every: float = 0.0) -> int:
        """Throw away what was not used for too long, and what was never written to its end; gives how many corpora.

        Nothing where that was done less than ``every`` seconds ago, by whatever process.
        """
        gone, last = 0, self.home / _SWEPT
        if not self.home.is_dir() or self.clock() - _date(last) < every:
            return 0
        with suppress(OSError):
            last.touch()
            os.utime(last, (self.clock(), self.clock()))
        for home in _folders(self.home):
            own = VisitorFolder(self, home)
            for folder in _folders(home):
                limit = _HALF_WRITTEN if folder.name.startswith(".") else DAY * self.days
                if self.clock() - _used(folder) > limit:
                    gone += not folder.name.startswith(".")
                    _remove(folder)
            if self.clock() - _date(own.note_file) > DAY * self.days:
                own.note_file.unlink(missing_ok=True)
            with suppress(OSError):  # something is in it
                home.rmdir()
        return gone


@dataclass(frozen=True)
class VisitorFolder:
    """What one visitor keeps."""

    all: UploadFolder
    home: Path

    def __repr__(self) -> str:
        return "VisitorFolder()"

    def _folder(self, name: str) -> Path:
        return self.home / hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:40]

    def kept(self) -> tuple[Kept, ...]:
        """What is there, the oldest first; one whose name is lost has that of its folder."""
        found = []
        for folder in _folders(self.home):
            used = _used(folder)
            if folder.name.startswith(".") or self.all.clock() - used > DAY * self.all.days:
                continue
            try:
                told = json.loads((folder / _ABOUT).read_text("utf-8"))
                name, passages, made = str(told["name"]), int(told["passages"]), float(told["made"])
                files = {str(file): int(size) for file, size in told["files"].items()}
                sound = told["format"] == _FORMAT and self._folder(name) == folder
                sound = sound and all((folder / file).stat().st_size == size for file, size in files.items())
            except (OSError, ValueError, TypeError, KeyError, AttributeError):
                name, passages, made, sound = folder.name, 0, used, False
            found.append((made, Kept(name, passages, size(folder), used, sound)))
        return tuple(one for _, one in sorted(found, key=lambda pair: (pair[0], pair[1].name)))

    def save(self, collection: Collection) -> None:
        """Keep a collection under its name, in the place of one that is there.

        Raises `UploadError` where there is no room for it, `OSError` where the disk does not take it.
        """
        folder, begun = self._folder(collection.name), self.home / f".{secrets.token_hex(8)}"
        self.all.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.home.mkdir(exist_ok=True, mode=0o700)
        try:
            beir.write(collection, begun)
            files = {str(f.relative_to(begun)): f.stat().st_size for f in begun.rglob("*") if f.is_file()}
            told = {"format": _FORMAT, "name": collection.name, "passages": len(collection.corpus)}
            about = json.dumps({**told, "made": self.all.clock(), "files": files})
            (begun / _ABOUT).write_text(about, "utf-8")
            self._date(begun / _ABOUT)
            room, before = self.all.room, size(folder)
            if size(self.home) - before > room / 2 or self.all.bytes - before > room:
                for index in self.all.home.glob(f"*/*/{_INDEX}"):  # they can be made again
                    _remove(index)
                before = size(folder)
            self._check(size(self.home) - before, room / 2, mine=True)
            self._check(self.all.bytes - before, room, mine=False)
            _remove(folder)
            begun.rename(folder)
        except LabError as error:
            raise error if isinstance(error, UploadError) else UploadError(error.message, error.remedy) from error
        finally:
            _remove(begun)

    def _check(self, taken: int, room: float, *, mine: bool) -> None:
        if taken <= room:
            return
        sizes = {"n": round(taken / MB), "limit": round(room / MB)}
        if mine:
            said = Said("Your uploads would take {n} MB of the disk; {limit} MB are given to one visitor.", **sizes)
            raise UploadError(said, Said("Remove a corpus that you no longer need, or upload a part."))
        said = Said("The lab's room for uploads, {limit} MB, is taken by its visitors.", **sizes)
        raise UploadError(said, Said("Come again when some of theirs have gone, or upload a part."))

    def load(self, name: str) -> Collection:
        """The collection of this name.  Raises `CorpusError` where it is not there or is damaged."""
        folder = self._folder(name)
        try:
            if not any(one.name == name and one.sound for one in self.kept()):
                raise OSError(name)
            found = beir.load(folder)
            return replace(found, corpus=Corpus(name, found.corpus.documents, keeper=self.keeper(name)))
        except (LabError, OSError, ValueError) as error:  # what they say names a path of this machine
            said = Said("Your upload “{name}” is damaged: it cannot be opened.", name=name)
            raise CorpusError(said, Said("Remove it, and add the files again.")) from error

    def keeper(self, name: str) -> IndexFolder:
        """What keeps the indexes of this upload, beside it, as far as there is room."""
        home = self._folder(name) / _INDEX

        def room() -> float:
            left = min(self.all.room / 2 - size(self.home), self.all.room - self.all.bytes)
            return max(0.0, left) + size(home)

        return IndexFolder(home, room, self.all.tell, self.all.clock)

    def delete(self, name: str) -> None:
        """Throw this one away (a damaged one by the name of its folder); nothing where it is not there."""
        for folder in _folders(self.home):
            if folder == self._folder(name) or folder.name == name:
                _remove(folder)

    def touch(self, name: str) -> None:
        """This one is in use now."""
        for file in (self._folder(name) / _ABOUT, self.note_file):
            with suppress(OSError):
                self._date(file)

    def _date(self, file: Path) -> None:
        now = self.all.clock()
        os.utime(file, (now, now))

    def move(self, other: VisitorFolder) -> None:
        """Give everything to another visitor, who turned out to be the same; what they have stays."""
        for folder in _folders(self.home):
            with suppress(OSError):
                other.home.mkdir(parents=True, exist_ok=True, mode=0o700)
                folder.rename(other.home / folder.name)
        if self.note_file.is_file() and not other.note_file.is_file():
            with suppress(OSError):
                self.note_file.rename(other.note_file)
        _remove(self.home)

    # ------------------------------------------------------------------------------------------ a note beside them

    @property
    def note_file(self) -> Path:
        """Where the note stands."""
        return self.home / _NOTE

    def note(self) -> tuple[int, str]:
        """When the note was written (0: there is none), and what it says."""
        try:
            if self.all.clock() - _date(self.note_file) > DAY * self.all.days:
                return 0, ""
            return self.note_file.stat().st_mtime_ns, self.note_file.read_text("utf-8")
        except (OSError, ValueError):
            return 0, ""

    def write_note(self, text: str) -> None:
        """Keep a text beside the corpora, in the place of the one before.  Raises `OSError`."""
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        begun = self.home / f".{secrets.token_hex(8)}.txt"
        try:
            begun.write_text(text, "utf-8")
            begun.replace(self.note_file)
        finally:
            begun.unlink(missing_ok=True)


def _folders(home: Path) -> Iterator[Path]:
    try:
        yield from (entry for entry in sorted(home.iterdir()) if entry.is_dir() and not entry.is_symlink())
    except OSError:
        return


def _used(folder: Path) -> float:
    """When a corpus was last used; of a damaged one, when something was last done in its folder."""
    return _date(folder / _ABOUT) or _date(folder)


def _date(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
