"""A visitor's own corpora and grades: in memory, and on the lab's disk where ``LAB_UPLOADS_DIR`` names a folder."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from lab.corpus import indexes
from lab.corpus.beir import Collection
from lab.corpus.keeping import UploadFolder, VisitorFolder
from lab.errors import LabError
from lab.evaluate.judging import Judgments
from lab.reading.uploads import MB
from lab.ui.i18n import _, say
from lab.ui.visitor import Visitor, minutes, setting
from lab.words import Said

UPLOADS, JUDGMENTS, _DISK = "uploads", "judgments", "disk"
MEGABYTES, DAYS = 4000.0, 7.0
_TOUCH = 60.0
"""A corpus in use is dated anew so often, in seconds."""
_SWEEP = 3600.0


def megabytes() -> float:
    """How much the uploads of all visitors may take, in memory and on disk: ``LAB_UPLOADS_MB``, by default 4,000."""
    return setting("LAB_UPLOADS_MB", MEGABYTES)


def days() -> float:
    """How long an upload stays on the disk after its last use: ``LAB_UPLOADS_DAYS``, by default 7."""
    return setting("LAB_UPLOADS_DAYS", DAYS)


def folder() -> UploadFolder | None:
    """The folder of all uploads, ``LAB_UPLOADS_DIR``; None where they are kept in memory alone."""
    named = os.environ.get("LAB_UPLOADS_DIR", "").strip()
    return UploadFolder(Path(named).expanduser(), megabytes() * MB, days(), tell=_tell) if named else None


def _tell(said: Said) -> None:
    """Say of an index to who runs the lab, and to who waits for it."""
    indexes.log(said)
    st.toast(say(said), icon=":material/build:", duration="long")


def sweep() -> None:
    """Throw away what is too old on the disk; at most once an hour."""
    if (found := folder()) is not None:
        found.sweep(every=_SWEEP)


def told() -> str:
    """Where uploads are kept and for how long, in a sentence."""
    if folder() is not None:
        n = f"{days():g}"
        return _("Uploads are kept on the lab's disk until {n} days after they were last used, over restarts too.", n=n)
    n = f"{minutes():g}"
    return _(
        "Uploads are kept until {n} minutes after the last tab is closed, and not beyond a restart of the lab.", n=n
    )


def told_whole() -> str:
    """The same, and who sees them."""
    return " ".join((told(), _("Nobody but you sees them.")))


@dataclass(frozen=True)
class Listed:
    """An upload in the visitor's list; ``until`` is when it goes (seconds since 1970), None: with its visitor."""

    name: str
    passages: int
    megabytes: float
    until: float | None
    sound: bool = True


class Own(MutableMapping[str, Collection]):
    """A visitor's corpora by their names: what lies on the disk is read when it is first asked for."""

    def __init__(self, visitor: Visitor) -> None:
        found = folder()
        self._memory: dict[str, Collection] = visitor.store(UPLOADS)
        self._disk: VisitorFolder | None = found.of(visitor.token) if found else None
        own = visitor.store(_DISK)
        self._lock: threading.RLock = own.setdefault("lock", threading.RLock())
        self._written: dict[str, float] = own.setdefault("written", {})
        self._damaged: set[str] = own.setdefault("damaged", set())

    def listed(self) -> list[Listed]:
        """All of them, the damaged ones as well, the oldest first."""
        found = {}
        for one in self._disk.kept() if self._disk else ():
            until, sound = one.used + 86_400 * days(), one.sound and one.name not in self._damaged
            found[one.name] = Listed(one.name, one.passages, one.bytes / MB, until, sound)
        for name, own in list(self._memory.items()):
            if name not in found and name in self._written:  # it was thrown away elsewhere, or its days are over
                self._memory.pop(name, None)
                continue
            found.setdefault(name, Listed(name, len(own.corpus), own.corpus.bytes / MB, None))
        return list(found.values())

    def __iter__(self) -> Iterator[str]:
        return iter([*self._memory] if self._disk is None else [one.name for one in self.listed() if one.sound])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in list(iter(self))

    def __getitem__(self, name: str) -> Collection:
        if name not in self:
            raise KeyError(name)
        with self._lock:
            if name not in self._memory and self._disk is not None:
                try:
                    self._memory[name] = self._disk.load(name)
                except LabError as error:
                    self._damaged.add(name)
                    raise KeyError(name) from error
                self._written[name] = 0.0
            return self._memory[name]

    def __setitem__(self, name: str, own: Collection) -> None:
        with self._lock:
            if self._disk is not None:
                self._disk.save(own)
                self._written[name] = time.time()
                self._damaged.discard(name)
                own = replace(own, corpus=replace(own.corpus, keeper=self._disk.keeper(name)))
            self._memory[name] = own

    def in_memory(self, name: str, own: Collection) -> None:
        """Keep one that the disk does not take."""
        self._memory[name] = own

    def __delitem__(self, name: str) -> None:
        with self._lock:
            there = self._memory.pop(name, None) is not None
            if self._disk is not None:
                there = there or any(one.name == name for one in self._disk.kept())
                self._disk.delete(name)
            self._written.pop(name, None)
            self._damaged.discard(name)
            if not there:
                raise KeyError(name)

    def used(self, name: str) -> None:
        """This one is in use: its days begin anew."""
        if self._disk is not None and time.time() - self._written.get(name, math.inf) > _TOUCH:
            self._written[name] = time.time()
            self._disk.touch(name)


def judgments(visitor: Visitor) -> Judgments:
    """Everything that this visitor has judged; on the disk another process may have written since."""
    store, found = visitor.store(JUDGMENTS), folder()
    if found is not None:
        written, text = found.of(visitor.token).note()
        if written and written != store.get("written"):
            store["written"] = written
            with suppress(LabError):  # a damaged file holds nothing, and is written anew with the next grade
                store["all"] = Judgments.from_jsonl(text)
    own: Judgments = store.get("all", Judgments())
    return own


def judged(visitor: Visitor, told: Judgments) -> None:
    """This is what the visitor has judged now."""
    store, found = visitor.store(JUDGMENTS), folder()
    store["all"] = told
    if found is not None:
        own = found.of(visitor.token)
        with suppress(OSError):  # then it stays in memory
            own.write_note(told.to_jsonl())
            store["written"] = own.note()[0]


def same(other: Visitor, own: Visitor) -> None:
    """Two visitors turned out to be one browser: what the second has is the first one's."""
    if (found := folder()) is not None:
        found.of(own.token).move(found.of(other.token))
    other.take(own)
