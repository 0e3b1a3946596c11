"""Uploads on the lab's own disk: what a visitor has put there is found again after a restart and by another process.

One folder per visitor, called by a hash of their token; in it one folder per corpus in the BEIR layout, with an
``about.json``, whose date says when the corpus was last used, and of a large one the indexes (`lab.corpus.indexes`),
which no other visitor finds and which go when it goes.  A name or a token never becomes a part of a path.

The name of a corpus folder is a hash of the corpus name and a random stamp.  A new version is written under a temporary
name, renamed, and only then are older versions removed: a reader always finds a complete one, even after a kill.
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from lab.algebra import Corpus
from lab.corpus import beir, disk, indexes
from lab.corpus.beir import Collection
from lab.corpus.indexes import IndexFolder
from lab.errors import CorpusError, LabError, UploadError
from lab.text import well_formed
from lab.words import Said

DAY = 86_400.0
MB = 1 << 20
_ABOUT, _NOTE, _MODEL, _SWEPT, _LOCK, _INDEX, _FORMAT = (
    "about.json",
    "note.txt",
    "model.json",
    ".swept",
    ".lock",
    "index",
    1,
)
_MOST = 10**9
"""Maximum number of passages: an about.json with more is damaged."""
_LOOKS = 100
"""Maximum number of attempts to list a folder in which uploads are being replaced."""


@dataclass(frozen=True)
class Kept:
    """An upload on the disk: its name, passages and bytes, and when it was last used, in seconds since 1970.

    One that is not ``sound`` cannot be opened any more.  A replacement has another ``stamp``.
    """

    name: str
    passages: int
    bytes: int
    used: float
    sound: bool = True
    stamp: str = ""


class _Look(NamedTuple):
    """The state of a corpus folder; the greatest of several with the same corpus name is the current version."""

    sound: bool
    date: float
    folder: Path
    name: str
    passages: int
    used: float


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
        return disk.size(self.home)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the lock of all notes against other processes and threads.  Raises `OSError`."""
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        with disk.lock(self.home / _LOCK):
            yield

    def sweep(self, *, every: float = 0.0) -> int:
        """Throw away what was not used for too long, and what was never written to its end; gives how many corpora.

        Nothing where that was done less than ``every`` seconds ago, by whatever process.
        """
        ages, removed = disk.Ages(self.home / _SWEPT, self.clock()), 0
        if not self.home.is_dir() or ages.is_recent(every):
            return 0
        for home in disk.folders(self.home):
            for folder in disk.folders(home):
                half = folder.name.startswith(".")
                if ages.age(_dated(folder)) > (disk.HALF_WRITTEN if half else DAY * self.days):
                    with suppress(OSError):
                        disk.remove(folder)
                        removed += not half
            with suppress(OSError):
                self._sweep_files(home, ages)
                home.rmdir()  # unless something is in it
        with suppress(OSError):
            ages.keep()
        return removed

    def _sweep_files(self, home: Path, ages: disk.Ages) -> None:
        """Removes a visitor's note and model if they are too old, and unfinished files."""
        for file in home.iterdir():
            limit = DAY * self.days if file.name in (_NOTE, _MODEL) else disk.HALF_WRITTEN
            if file.is_file() and ages.age(file) > limit:
                with self.lock():  # another process may have written it just now
                    if ages.age(file) > limit:
                        file.unlink()


@dataclass(frozen=True)
class VisitorFolder:
    """What one visitor keeps."""

    all: UploadFolder
    home: Path

    def __repr__(self) -> str:
        return "VisitorFolder()"

    def kept(self) -> tuple[Kept, ...]:
        """What is there, the oldest first; one whose name is lost has that of its folder."""
        now = self.all.clock()
        looks = sorted(self._newest().values(), key=lambda look: (look.date, look.name))
        return tuple(
            Kept(look.name, look.passages, disk.size(look.folder), min(look.used, now), look.sound, look.folder.name)
            for look in looks
            if now - look.used <= DAY * self.all.days
        )

    def _newest(self) -> dict[str, _Look]:
        """Returns the current version of each corpus, by the hash of its name."""
        newest = dict[str, _Look]()
        for _ in range(_LOOKS):
            folders = [folder for folder in disk.folders(self.home) if not folder.name.startswith(".")]
            looks = [_look(folder) for folder in folders]
            newest = {_hash_in(look.folder): look for look in sorted(look for look in looks if look)}
            if None not in looks:  # nothing was replaced or removed meanwhile
                break
        return newest

    def _folders_of(self, name: str) -> list[Path]:
        """Returns the folders of the corpus with this name: several while it is being replaced."""
        return [folder for folder in disk.folders(self.home) if _hash_in(folder) == _hash(name)]

    def save(self, collection: Collection) -> str:
        """Keep a collection under its name, replacing one of the same name; returns its stamp.

        Raises `UploadError` where there is no room for it, `OSError` where the disk does not take it.
        """
        begun, name = disk.free_name(self.home), collection.name
        self.all.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.home.mkdir(exist_ok=True, mode=0o700)
        try:
            beir.write(collection, begun)
            written = [file for file in begun.rglob("*") if file.is_file()]
            files = {str(f.relative_to(begun)): (f.stat().st_size, disk.checksum(f)) for f in written}
            about = {"format": _FORMAT, "name": name, "passages": len(collection.corpus), "files": files}
            (begun / _ABOUT).write_text(json.dumps({**about, "made": self._next_date(name)}), "utf-8")
            disk.set_date(begun / _ABOUT, self.all.clock())
            self._make_room(name)
            place = self.home / f"{_hash(name)}.{secrets.token_hex(8)}"
            begun.rename(place)
            self._remove_older(name)
            return place.name
        except LabError as error:
            raise error if isinstance(error, UploadError) else UploadError(error.message, error.remedy) from error
        finally:
            shutil.rmtree(begun, ignore_errors=True)

    def _next_date(self, name: str) -> float:
        """Returns the date of a new version: later than all versions of this name, even if the clock went back."""
        dates = [look.date for look in map(_look, self._folders_of(name)) if look]
        return max([self.all.clock(), *(date + 0.001 for date in dates)])

    def _make_room(self, name: str) -> None:
        """Removes indexes if the disk quota is exceeded.  Raises `UploadError` if it still is."""

        def replaced() -> int:
            return sum(map(disk.size, self._folders_of(name)))

        room, before = self.all.room, replaced()
        if disk.size(self.home) - before > room / 2 or self.all.bytes - before > room:
            for index in self.all.home.glob(f"*/*/{_INDEX}"):  # they can be made again
                with suppress(OSError):
                    disk.remove(index)
            before = replaced()
        self._check(disk.size(self.home) - before, room / 2, mine=True)
        self._check(self.all.bytes - before, room, mine=False)

    def _remove_older(self, name: str) -> None:
        """Removes the older versions of this name; a version saved during the call is newer and stays."""
        looks = sorted(look for look in map(_look, self._folders_of(name)) if look)
        for look in looks[:-1]:
            with suppress(OSError):  # it remains until it is swept
                disk.remove(look.folder)

    def _check(self, taken: int, room: float, *, mine: bool) -> None:
        if taken <= room:
            return
        sizes = {"n": round(taken / MB), "limit": round(room / MB)}
        if mine:
            said = Said("Your uploads would take {n} MB of the disk; the limit per visitor is {limit} MB.", **sizes)
            raise UploadError(said, Said("Remove a corpus that you no longer need, or upload a part."))
        said = Said("Other visitors' uploads fill the lab's space of {limit} MB.", **sizes)
        raise UploadError(said, Said("Try again when other visitors' uploads have been deleted, or upload a part."))

    def load(self, name: str) -> Collection:
        """The collection of this name.  Raises `CorpusError` where it is not there or is damaged."""
        return self.open(name)[1]

    def open(self, name: str) -> tuple[str, Collection]:
        """Returns the stamp and the collection of this name.  Raises `CorpusError` if it is missing or damaged."""
        failed = ""
        while True:
            upload = next((upload for upload in self.kept() if upload.name == name and upload.sound), None)
            if upload is None or upload.stamp == failed:
                raise damage_error(name)  # without the reader's message, which contains a path of this machine
            try:
                return upload.stamp, self._read(self.home / upload.stamp, name)
            except Exception:  # damaged, or replaced during reading: then there is another stamp
                failed = upload.stamp

    def _read(self, folder: Path, name: str) -> Collection:
        """Checks and reads a corpus folder.  Raises any error that a damaged file can cause."""
        for file, (_size, checksum) in _files(disk.read_json(folder / _ABOUT)).items():
            if disk.checksum(folder / file) != checksum:
                raise ValueError(file)
        found = beir.load(folder)
        return replace(found, corpus=Corpus(name, found.corpus.documents, keeper=self.keeper(folder.name)))

    def keeper(self, stamp: str) -> IndexFolder:
        """Returns the folder of indexes of the upload with this stamp, limited by the disk quota."""
        home = self.home / stamp / _INDEX

        def room() -> float:
            left = min(self.all.room / 2 - disk.size(self.home), self.all.room - self.all.bytes)
            return max(0.0, left) + disk.size(home)

        return IndexFolder(home, room, self.all.tell, self.all.clock)

    def delete(self, name: str) -> None:
        """Throw this one away (a damaged one by the name of its folder); nothing where it is not there.

        Raises `OSError` if it cannot be removed.
        """
        for folder in disk.folders(self.home):
            if folder.name == name or _hash_in(folder) == _hash(name):
                disk.remove(folder)

    def touch(self, name: str) -> None:
        """This one is in use now."""
        newest = self._newest().get(_hash(name))
        for file in (self.note_file, self.model_file, *([newest.folder / _ABOUT] if newest else [])):
            with suppress(OSError):
                disk.set_date(file, self.all.clock())

    def move(self, other: VisitorFolder) -> None:
        """Give everything to another visitor, who turned out to be the same; what they have stays.

        The lines of the note are appended to theirs.
        """
        with suppress(OSError):
            other.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        taken = {_hash_in(folder) for folder in disk.folders(other.home)}
        for folder in disk.folders(self.home):
            with suppress(OSError):  # it remains here until it is swept
                if _hash_in(folder) in taken:
                    disk.remove(folder)
                else:
                    folder.rename(other.home / folder.name)
        with suppress(OSError), self.all.lock():
            if text := self.note()[1]:
                other.write_note("\n".join(filter(None, (other.note()[1], text))))
                self.note_file.unlink()
            if self.model_file.exists():
                if other.model_file.exists():
                    self.model_file.unlink()
                else:
                    self.model_file.rename(other.model_file)
            self.home.rmdir()

    # ------------------------------------------------------------------------------------------ a note beside them

    @property
    def note_file(self) -> Path:
        """Where the note stands."""
        return self.home / _NOTE

    def note_stamp(self) -> tuple[int, ...]:
        """Returns a stamp that changes when the note is written; () if there is no note, or it is too old."""
        over = self.all.clock() - disk.date(self.note_file) > DAY * self.all.days
        return () if over else disk.stamp(self.note_file)

    def note(self) -> tuple[tuple[int, ...], str]:
        """Returns stamp and text of the note, () and "" if there is none; bytes that are not UTF-8 become surrogates.

        Raises `OSError` if it cannot be read.
        """
        stamp = self.note_stamp()
        return (stamp, disk.read_text(self.note_file)) if stamp else ((), "")

    def write_note(self, text: str) -> tuple[int, ...]:
        """Replaces the text kept beside the corpora and returns its stamp.  Raises `OSError`.

        To change the note, read, change and write it within `UploadFolder.lock`.
        """
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        disk.write_whole(self.note_file, text)
        with suppress(OSError):
            disk.set_date(self.note_file, self.all.clock())
        return disk.stamp(self.note_file)

    # ---------------------------------------------------------------------------------- their language model

    @property
    def model_file(self) -> Path:
        """Returns the path of the file that describes the visitor's language model."""
        return self.home / _MODEL

    def model(self) -> dict[str, Any]:
        """Returns the description of the visitor's language model; empty if there is none, or it cannot be read."""
        if self.all.clock() - disk.date(self.model_file) > DAY * self.all.days:
            return {}
        try:
            return dict(disk.read_json(self.model_file))
        except disk.DAMAGE:
            return {}

    def write_model(self, described: Mapping[str, Any]) -> None:
        """Replaces the description of the visitor's language model; an empty one removes it.  Raises `OSError`."""
        if not described:
            self.model_file.unlink(missing_ok=True)
            return
        self.all.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.home.mkdir(exist_ok=True, mode=0o700)
        disk.write_whole(self.model_file, json.dumps(dict(described)))


def damage_error(name: str) -> CorpusError:
    """Returns the error for an upload that cannot be opened."""
    message = Said("Your upload “{name}” is damaged: it cannot be opened.", name=name)
    return CorpusError(message, Said("Remove it, and add the files again."))


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _hash_in(folder: Path) -> str:
    """Returns the hash of the corpus name in the name of its folder."""
    return folder.name.partition(".")[0]


def _look(folder: Path) -> _Look | None:
    """Returns the state of a corpus folder; None if it no longer exists."""
    used, name = disk.date(_dated(folder)), folder.name
    if not used:
        return None
    try:
        about = disk.read_json(folder / _ABOUT)
        passages, date, title = about["passages"], about["made"], about["name"]
        if not (isinstance(title, str) and _hash(title) == _hash_in(folder) and well_formed(title) == title):
            raise ValueError(title)
        name = title
        whole = type(passages) is int and 0 <= passages <= _MOST and type(date) in (int, float) and math.isfinite(date)
        sound = whole and about["format"] == _FORMAT
        for file, (size, _checksum) in _files(about).items():
            sound = sound and (folder / file).stat().st_size == size
        return _Look(sound, float(date) if whole else used, folder, name, passages if whole else 0, used)
    except disk.DAMAGE:
        return _Look(False, used, folder, name, 0, used) if folder.is_dir() else None


def _files(about: Mapping[str, Mapping[str, tuple[int, int]]]) -> dict[str, tuple[int, int]]:
    """Returns size and checksum of every file of a corpus from its about.json.  Raises one of `disk.DAMAGE`."""
    files = {str(file): (int(size), int(checksum)) for file, (size, checksum) in about["files"].items()}
    if "corpus.jsonl" not in files:
        raise ValueError(_ABOUT)
    return files


def _dated(folder: Path) -> Path:
    """Returns the file whose date is the last use of a corpus: about.json, or the folder if that is missing."""
    return folder / _ABOUT if (folder / _ABOUT).exists() else folder
