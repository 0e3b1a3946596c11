"""A visitor's own corpora, grades and address of a language model: in memory, and on the disk if it is in use.

The disk is used if ``LAB_UPLOADS_DIR`` names a folder, or if this lab is its user's own (`lab.ui.people.user_folder`).
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import streamlit as st

from lab.corpus import disk, indexes
from lab.corpus.beir import Collection
from lab.corpus.keeping import Kept, UploadFolder, VisitorFolder, damage_error
from lab.errors import CorpusError
from lab.evaluate.judging import Judgments
from lab.reading.uploads import MB
from lab.ui import escape
from lab.ui.i18n import _, _n, listed, say
from lab.ui.people import user_folder
from lab.ui.people.visitor import Visitor, minutes, setting
from lab.words import Said

UPLOADS, JUDGMENTS, _MODEL, _DISK = "uploads", "judgments", "model", "disk"
NO_JUDGMENTS = Judgments()
SEEN = "seen"
"""Key in the store of judgments: the number of the last click received from each of the visitor's tabs."""
Change = Callable[[Judgments], Judgments]
"""A change of a visitor's judgments: a pure function, since it may be applied again to newer ones."""
MEGABYTES, DAYS = 4000.0, 7.0
_TOUCH = 60.0
"""Seconds between two updates of the date of a corpus in use."""
_SWEEP = 3600.0


def megabytes() -> float:
    """Returns the limit of all uploads in memory and on disk: ``LAB_UPLOADS_MB``, by default 4,000."""
    return setting("LAB_UPLOADS_MB", MEGABYTES)


def days() -> float:
    """Returns the days that an upload stays on the disk after its last use: ``LAB_UPLOADS_DAYS``, by default 7.

    In the user's own folder it stays without end.
    """
    return setting("LAB_UPLOADS_DAYS", math.inf if is_users_own() else DAYS)


def _named_folder() -> str:
    return os.environ.get("LAB_UPLOADS_DIR", "").strip()


def is_users_own() -> bool:
    """Returns whether uploads are stored in the user's own folder, because this lab is for its user alone."""
    return not _named_folder() and user_folder.folder() is not None


def folder() -> UploadFolder | None:
    """Returns the folder of all uploads: ``LAB_UPLOADS_DIR``, or one of the user's own; None if only memory is used."""
    if path := _named_folder():
        home = Path(path).expanduser()
    elif (users_home := user_folder.folder()) is not None:
        home = users_home / UPLOADS
    else:
        return None
    return UploadFolder(home, megabytes() * MB, days(), tell=_tell)


def _tell(message: Said) -> None:
    """Reports the state of an index in the log, and to the visitor who waits for it."""
    indexes.log(message)
    st.toast(say(message), icon=":material/build:", duration="long")


def sweep() -> None:
    """Deletes expired uploads on the disk; at most once an hour."""
    if (uploads := folder()) is not None:
        uploads.sweep(every=_SWEEP)


def retention_text() -> str:
    """Returns where uploads are stored and for how long, in a sentence."""
    n = days()
    if is_users_own() and math.isinf(days()):
        return _("Uploads and grades stay on this computer until you delete them, over restarts too.")
    if is_users_own():
        return _n(
            "Uploads and grades stay on this computer until {n:g} day after they were last used.",
            "Uploads and grades stay on this computer until {n:g} days after they were last used.",
            n,
        )
    if folder() is not None:
        return _n(
            "Uploads are kept on the lab's disk until {n:g} day after they were last used, even if the lab restarts.",
            "Uploads are kept on the lab's disk until {n:g} days after they were last used, even if the lab restarts.",
            n,
        )
    n = minutes()
    return _n(
        "Uploads are kept until {n:g} minute after the last tab is closed; a restart of the lab deletes them.",
        "Uploads are kept until {n:g} minutes after the last tab is closed; a restart of the lab deletes them.",
        n,
    )


def full_retention_text() -> str:
    """Returns where and for how long uploads are stored, and the user's folder or a note that only they see them."""
    if is_users_own():
        path = escape.plain(str(user_folder.folder()))
        where = _("The address of your language model is kept here, too; its key is not. Folder: {path}", path=path)
        return listed((retention_text(), where), " ")
    return listed((retention_text(), _("Only you can see them.")), " ")


@dataclass(frozen=True)
class Listed:
    """An upload in the visitor's list; ``until`` is when it expires (seconds since 1970), None: with its visitor."""

    name: str
    passages: int
    megabytes: float
    until: float | None
    sound: bool = True


class OwnCorpora(MutableMapping[str, Collection]):
    """A visitor's corpora by their names; one on the disk is read when it is first needed or was replaced."""

    def __init__(self, visitor: Visitor) -> None:
        uploads = folder()
        self._memory: dict[str, Collection] = visitor.store(UPLOADS)
        self._disk: VisitorFolder | None = uploads.of(visitor.token) if uploads else None
        state = visitor.store(_DISK)
        self._lock: threading.RLock = state.setdefault("lock", threading.RLock())
        self._stamps: dict[str, str] = state.setdefault("stamps", {})  # of the corpora in memory, by name
        self._touched: dict[str, float] = state.setdefault("touched", {})  # by name, on a clock that only goes forward
        self._damaged: set[str] = state.setdefault("damaged", set())  # the stamps of unreadable uploads

    def _on_disk(self) -> dict[str, Kept]:
        """Returns the uploads on the disk by name, oldest first; uploads removed there are removed from memory."""
        uploads = {upload.name: upload for upload in (self._disk.kept() if self._disk else ())}
        for name in [name for name in list(self._stamps) if name not in uploads]:
            self._forget(name)
        return {name: replace(x, sound=x.sound and x.stamp not in self._damaged) for name, x in uploads.items()}

    def _forget(self, name: str) -> bool:
        """Removes an upload from memory; returns whether it was there."""
        self._stamps.pop(name, None)
        self._touched.pop(name, None)
        return self._memory.pop(name, None) is not None

    def listed(self) -> list[Listed]:
        """Returns all uploads, the damaged ones as well, the oldest first."""
        listed = {
            name: Listed(name, upload.passages, upload.bytes / MB, upload.used + 86_400 * days(), upload.sound)
            for name, upload in self._on_disk().items()
        }
        for name, collection in list(self._memory.items()):
            corpus = collection.corpus
            listed.setdefault(name, Listed(name, len(corpus), corpus.bytes / MB, None))
        return list(listed.values())

    def damage(self, name: str) -> CorpusError | None:
        """Returns the error of a damaged upload; None if it is sound or missing."""
        upload = self._on_disk().get(name)
        return None if upload is None or upload.sound else damage_error(name)

    def __iter__(self) -> Iterator[str]:
        return iter([upload.name for upload in self.listed() if upload.sound])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in list(iter(self))

    def __getitem__(self, name: str) -> Collection:
        with self._lock:
            upload = self._on_disk().get(name)
            if upload is None or self._disk is None:
                return self._memory[name]
            if not upload.sound:
                raise KeyError(name)
            if self._stamps.get(name) != upload.stamp:
                self._forget(name)
                try:
                    self._stamps[name], self._memory[name] = self._disk.open(name)
                except CorpusError as error:
                    self._damaged.add(upload.stamp)
                    raise KeyError(name) from error
            return self._memory[name]

    def __setitem__(self, name: str, collection: Collection) -> None:
        with self._lock:
            if self._disk is not None:
                stamp = self._disk.save(collection)
                collection = replace(collection, corpus=replace(collection.corpus, keeper=self._disk.keeper(stamp)))
                self._stamps[name], self._touched[name] = stamp, time.monotonic()
            self._memory[name] = collection

    def in_memory(self, name: str, collection: Collection) -> None:
        """Stores a corpus in memory that the disk did not accept."""
        self._memory[name] = collection

    def __delitem__(self, name: str) -> None:
        """Raises `OSError` if the disk does not delete it; then it stays in the list."""
        with self._lock:
            on_disk = name in self._on_disk()
            if self._disk is not None:
                self._disk.delete(name)
            if not (self._forget(name) or on_disk):
                raise KeyError(name)

    def used(self, name: str) -> None:
        """Notes that a corpus is in use, so that its days are counted from now."""
        now = time.monotonic()
        if self._disk is not None and name in self._stamps and now - self._touched.get(name, -math.inf) > _TOUCH:
            self._touched[name] = now
            self._disk.touch(name)


# ------------------------------------------------------------------------------------------- the language model


def model(visitor: Visitor) -> Mapping[str, Any]:
    """Returns the stored description of the visitor's language model: any JSON object, empty if there is none."""
    store = visitor.store(_MODEL)
    if not store and is_users_own() and (uploads := folder()) is not None:
        store.update(uploads.of(visitor.token).model())
    return dict(store)


def keep_model(visitor: Visitor, described: Mapping[str, Any]) -> None:
    """Keeps a JSON object that describes the visitor's language model, which must hold no secret; empty: none.

    It is in memory as long as the visitor is here, and on the disk only in the user's own folder.
    """
    store = visitor.store(_MODEL)
    store.clear()
    store.update(described)
    if is_users_own() and (uploads := folder()) is not None:
        with suppress(OSError):  # then it is kept for this visit
            uploads.of(visitor.token).write_model(described)


# ------------------------------------------------------------------------------------------------- all of it


def users_files() -> Path | None:
    """Returns the user's own folder if anything is in it, of whatever browser of theirs; else None."""
    home = user_folder.folder() if is_users_own() else None
    return home if home is not None and disk.size(home) else None


def delete_all(visitor: Visitor, others: Iterable[Visitor]) -> None:
    """Deletes the user's own folder, and what this visitor and others have from there in memory.

    Raises `OSError` if a part remains.
    """
    if (home := user_folder.folder()) is None or not is_users_own():
        return
    disk.remove(home)
    for owner in {visitor, *others}:
        grades, loaded = owner.store(JUDGMENTS), owner.store(_DISK)
        if owner is visitor or "stamp" in grades or loaded.get("stamps"):
            clicks = grades.get(SEEN)
            for store in (owner.store(UPLOADS), owner.store(_MODEL), grades, loaded):
                store.clear()
            if clicks:
                grades[SEEN] = clicks


# ------------------------------------------------------------------------------------------------------ grades


def judgments(visitor: Visitor) -> Judgments:
    """Returns everything that this visitor has judged; on the disk another process may have written since."""
    store, uploads = visitor.store(JUDGMENTS), folder()
    if uploads is not None:
        visitor_folder = uploads.of(visitor.token)
        if visitor_folder.note_stamp() not in ((), store.get("stamp")):
            with _lock(store):
                try:
                    _read(store, visitor_folder)
                except OSError:  # the next run tries again
                    store["unread"] = True
                else:
                    _apply(store, store.get("unsaved", ()))
    return cast(Judgments, store.get("all", NO_JUDGMENTS))


def change(visitor: Visitor, by: Change) -> None:
    """Changes the visitor's judgments as they are on the disk now, so that grades from other processes are kept.

    If the disk cannot be written, changes stay in memory (`cannot_write`) and are written with the next one.
    """
    store, uploads = visitor.store(JUDGMENTS), folder()
    with _lock(store):
        if uploads is None:
            store["all"] = by(store.get("all", Judgments()))
            return
        visitor_folder, changes = uploads.of(visitor.token), (*store.get("unsaved", ()), by)
        try:
            with uploads.lock():
                _read(store, visitor_folder)
                _apply(store, changes)
                stamp = visitor_folder.write_note(store["all"].to_jsonl())
        except OSError:
            _apply(store, changes)
            store["unsaved"] = changes
        else:
            store.update(stamp=stamp, saved=store["all"], unsaved=(), unreadable=(), unread=False)


def _lock(store: dict[str, Any]) -> threading.RLock:
    return cast(threading.RLock, store.setdefault("lock", threading.RLock()))


def _read(store: dict[str, Any], visitor_folder: VisitorFolder) -> None:
    """Reads the saved judgments if they have changed, without unreadable lines.  Raises `OSError`."""
    if visitor_folder.note_stamp() == store.get("stamp"):
        return
    stamp, text = visitor_folder.note()
    if stamp:
        saved, unreadable = Judgments.readable(text)
        store.update(stamp=stamp, saved=saved, unreadable=unreadable, unread=False)


def _apply(store: dict[str, Any], changes: Sequence[Change]) -> None:
    """Applies changes to the saved judgments."""
    judgments: Judgments = store.get("saved", Judgments())
    for by in changes:
        judgments = by(judgments)
    store.update(all=judgments, left_out=0)


def unreadable_lines(visitor: Visitor) -> tuple[int, ...]:
    """Returns the numbers (from 1) of unreadable lines in the visitor's saved grades."""
    return cast("tuple[int, ...]", visitor.store(JUDGMENTS).get("unreadable", ()))


def cannot_read(visitor: Visitor) -> bool:
    """Returns whether the visitor's saved grades could not be read from the disk."""
    return bool(visitor.store(JUDGMENTS).get("unread"))


def cannot_write(visitor: Visitor) -> bool:
    """Returns whether the visitor's latest grades could not be written to the disk."""
    return bool(visitor.store(JUDGMENTS).get("unsaved"))


def leave_out_grades(visitor: Visitor) -> None:
    """Leaves out the visitor's judgments, which cannot be used; they stay on the disk."""
    store = visitor.store(JUDGMENTS)
    store.update(left_out=len(store["all"].history), all=Judgments())


def count_left_out(visitor: Visitor) -> int:
    """Returns the number of judgments that `leave_out_grades` has left out."""
    return int(visitor.store(JUDGMENTS).get("left_out", 0))


def same(other: Visitor, newer: Visitor) -> None:
    """Merges two visitors that turned out to be one browser: the data of the newer one goes to the other."""
    store, uploads = newer.store(JUDGMENTS), folder()
    changes: Sequence[Change] = store.get("unsaved", ())
    if uploads is not None:
        uploads.of(newer.token).move(uploads.of(other.token))
    elif "all" in store:
        grades = judgments(newer)
        changes = [lambda judgments: judgments.joined(grades)]
    for by in changes:
        change(other, by)
    clicks = store.get(SEEN)
    for moved in (store, newer.store(_DISK), newer.store(_MODEL)):
        moved.clear()
    if clicks:
        store[SEEN] = clicks
    other.take(newer)
