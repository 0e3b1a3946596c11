"""Uploads on the lab's own disk: they survive a restart, and another process can read them.

The folder is a `DiskStore`: every visitor has a group, named by a hash of their token, with one entry per corpus in the
BEIR layout.  The entry of a large corpus has its indexes (`lab.corpus.indexes`), too: no other visitor finds them, and
they are deleted with the corpus.  A name or a token never becomes a part of a path.

The name of a corpus folder is a hash of the corpus name and a random stamp.  A new version is written under a temporary
name, renamed, and only then are older versions removed: a reader always finds a complete one, even after a kill.
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lab.algebra import Corpus
from lab.corpus import beir, disk, indexes
from lab.corpus.beir import Collection
from lab.corpus.disk import DAY, MB, DiskStore, Entry
from lab.corpus.indexes import IndexFolder
from lab.errors import CorpusError, LabError, UploadError
from lab.text import well_formed
from lab.words import Said

_NOTE, _MODEL, _INDEX = "note.txt", "model.json", "index"
_MOST = 10**9
"""Maximum number of passages: an about.json with more is damaged."""
_LOOKS = 100
"""Maximum number of attempts to list a folder in which uploads are being replaced."""


@dataclass(frozen=True)
class Kept:
    """An upload on the disk: its name, passages, bytes, and last use in seconds since 1970.

    One that is not ``sound`` cannot be opened any more.  A replacement has another ``stamp`` and a later ``date``.
    """

    name: str
    passages: int
    bytes: int
    used: float
    sound: bool = True
    stamp: str = ""
    date: float = 0.0

    @property
    def version(self) -> tuple[bool, float, str]:
        """A key to compare versions: the current one has the greatest."""
        return self.sound, self.date, self.stamp


@dataclass(frozen=True)
class UploadFolder(DiskStore):
    """The uploads of all visitors under ``home``: ``room`` bytes in all, half of it each, until ``days`` after last
    use.

    ``tell`` is called with a message when an index is rebuilt.
    """

    home: Path
    room: float
    days: float
    clock: Callable[[], float] = time.time
    tell: Callable[[Said], object] = indexes.log

    def of(self, token: str) -> VisitorFolder:
        """Returns the uploads of the visitor with this token."""
        return VisitorFolder(self, self.home / hashlib.sha256(token.encode()).hexdigest())

    def sweep(self, *, every: float = 0.0) -> int:
        """Remove expired uploads and unfinished ones; returns the number of corpora removed.

        Does nothing if any process has done so in the last ``every`` seconds.
        """
        return self._remove_unused(DAY * self.days, file_names=(_NOTE, _MODEL), every=every)


@dataclass(frozen=True)
class VisitorFolder:
    """The uploads of one visitor."""

    all: UploadFolder
    home: Path

    def __repr__(self) -> str:
        return "VisitorFolder()"

    def kept(self) -> tuple[Kept, ...]:
        """Returns the uploads, oldest first; one whose name is lost is named after its folder."""
        now = self.all.clock()
        uploads = sorted(self._newest().values(), key=lambda upload: (upload.date, upload.name))
        return tuple(replace(u, used=min(u.used, now)) for u in uploads if now - u.used <= DAY * self.all.days)

    def _newest(self) -> dict[str, Kept]:
        """Returns the current version of each corpus, by the hash of its name."""
        newest = dict[str, Kept]()
        for _ in range(_LOOKS):
            uploads = [_upload(entry) for entry in disk.entries(self.home)]
            newest = {_hash_in(u.stamp): u for u in sorted((u for u in uploads if u), key=lambda u: u.version)}
            if None not in uploads:  # nothing was replaced or removed meanwhile
                break
        return newest

    def _folders_of(self, name: str) -> list[Path]:
        """Returns the folders of the corpus with this name: several while it is being replaced."""
        return [folder for folder in disk.folders(self.home) if _hash_in(folder.name) == _hash(name)]

    def _versions(self, name: str) -> list[Kept]:
        versions = [upload for upload in map(_upload, map(Entry, self._folders_of(name))) if upload]
        return sorted(versions, key=lambda upload: upload.version)

    def save(self, collection: Collection) -> str:
        """Keep a collection under its name, replacing one of the same name; returns its stamp.

        Raises `UploadError` if the quota is exceeded, `OSError` if the disk cannot be written.
        """
        name, place = collection.name, self.home / f"{_hash(collection.name)}.{secrets.token_hex(8)}"
        self.all.make_home()
        try:
            with self.all.writing(place) as entry:
                beir.write(collection, entry.folder)
                about = {"name": name, "passages": len(collection.corpus), "made": self._next_date(name)}
                entry.seal(about, self.all.clock())
                self._make_room(name)
        except LabError as error:
            raise error if isinstance(error, UploadError) else UploadError(error.message, error.remedy) from error
        self._remove_older(name)
        return place.name

    def _next_date(self, name: str) -> float:
        """Returns the date of a new version: later than all versions of this name, even if the clock went back."""
        return max([self.all.clock(), *(version.date + 0.001 for version in self._versions(name))])

    def _make_room(self, name: str) -> None:
        """Removes indexes if the disk quota is exceeded.  Raises `UploadError` if it still is."""

        def replaced() -> int:
            return sum(map(disk.size, self._folders_of(name)))

        room, before = self.all.room, replaced()
        if disk.size(self.home) - before > room / 2 or self.all.bytes - before > room:
            for index in self.all.home.glob(f"*/*/{_INDEX}"):  # they can be rebuilt
                with suppress(OSError):
                    disk.remove(index)
            before = replaced()
        self._check(disk.size(self.home) - before, room / 2, of_visitor=True)
        self._check(self.all.bytes - before, room, of_visitor=False)

    def _remove_older(self, name: str) -> None:
        """Removes the older versions of this name; a version saved during the call is newer and stays."""
        for version in self._versions(name)[:-1]:
            with suppress(OSError):  # it remains until it is swept
                disk.remove(self.home / version.stamp)

    def _check(self, size: int, room: float, *, of_visitor: bool) -> None:
        if size <= room:
            return
        sizes = {"n": round(size / MB), "limit": round(room / MB)}
        if of_visitor:
            message = Said("Your uploads would take {n} MB of the disk; the limit per visitor is {limit} MB.", **sizes)
            raise UploadError(message, Said("Remove a corpus that you no longer need, or upload a part."))
        message = Said("Other visitors' uploads fill the lab's space of {limit} MB.", **sizes)
        raise UploadError(message, Said("Try again when other visitors' uploads have been deleted, or upload a part."))

    def load(self, name: str) -> Collection:
        """Returns the collection of this name.  Raises `CorpusError` if it is missing or damaged."""
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
        entry = Entry(folder)
        entry.check(entry.about())
        collection = beir.load(folder)
        return replace(collection, corpus=Corpus(name, collection.corpus.documents, keeper=self.keeper(folder.name)))

    def keeper(self, stamp: str) -> IndexFolder:
        """Returns the folder of indexes of the upload with this stamp, limited by the disk quota."""
        home = self.home / stamp / _INDEX

        def room() -> float:
            left = min(self.all.room / 2 - disk.size(self.home), self.all.room - self.all.bytes)
            return max(0.0, left) + disk.size(home)

        return IndexFolder(home, room, self.all.tell, self.all.clock)

    def delete(self, name: str) -> None:
        """Remove an upload by its name, or a damaged one by the name of its folder; does nothing if it is missing.

        Raises `OSError` if it cannot be removed.
        """
        for folder in disk.folders(self.home):
            if folder.name == name or _hash_in(folder.name) == _hash(name):
                disk.remove(folder)

    def touch(self, name: str) -> None:
        """Marks an upload as in use now."""
        if upload := self._newest().get(_hash(name)):
            Entry(self.home / upload.stamp).touch(self.all.clock())
        for file in (self.note_file, self.model_file):
            with suppress(OSError):
                disk.set_date(file, self.all.clock())

    def move(self, other: VisitorFolder) -> None:
        """Move everything to another visitor, who turned out to be the same person; their own uploads stay.

        The lines of the note are appended to theirs.
        """
        with suppress(OSError):
            other.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        present = {_hash_in(folder.name) for folder in disk.folders(other.home)}
        for folder in disk.folders(self.home):
            with suppress(OSError):  # it remains here until it is swept
                if _hash_in(folder.name) in present:
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

    # ------------------------------------------------------------------------------------ a note next to the corpora

    @property
    def note_file(self) -> Path:
        """The path of the note."""
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
        self._write(self.note_file, text)
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
        self._write(self.model_file, json.dumps(dict(described)))

    def _write(self, file: Path, text: str) -> None:
        self.all.make_home()
        self.home.mkdir(exist_ok=True, mode=0o700)
        disk.write_whole(file, text)
        with suppress(OSError):
            disk.set_date(file, self.all.clock())


def damage_error(name: str) -> CorpusError:
    """Returns the error for an upload that cannot be opened."""
    message = Said("Your upload “{name}” is damaged: it cannot be opened.", name=name)
    return CorpusError(message, Said("Remove it, and add the files again."))


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _hash_in(stamp: str) -> str:
    return stamp.partition(".")[0]


def _upload(entry: Entry) -> Kept | None:
    """Returns the state of a corpus folder; None if it no longer exists."""
    used, name, stamp, bytes = disk.date(entry.dated), entry.folder.name, entry.folder.name, disk.size(entry.folder)
    if not used:
        return None
    try:
        about = entry.about()
        passages, date, title = about["passages"], about["made"], about["name"]
        if not (isinstance(title, str) and _hash(title) == _hash_in(stamp) and well_formed(title) == title):
            raise ValueError(title)
        name = title
        whole = type(passages) is int and 0 <= passages <= _MOST and type(date) in (int, float) and math.isfinite(date)
        sound = whole and about["format"] == disk.FORMAT and "corpus.jsonl" in entry.files(about)
        sound = entry.has_sizes(about) and sound
        return Kept(name, passages if whole else 0, bytes, used, sound, stamp, float(date) if whole else used)
    except disk.DAMAGE:
        return Kept(name, 0, bytes, used, False, stamp, used) if entry.folder.is_dir() else None
