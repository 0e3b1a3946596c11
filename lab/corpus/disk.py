"""Files that several processes share: locked, replaced as a whole, checked, dated by a clock that may have been wrong.

No reader finds a part of a file or a folder: both are written beside and then renamed, and a folder is renamed before
it is removed.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lab.algebra import from_json

DAMAGE = (OSError, ValueError, TypeError, LookupError, AttributeError, EOFError, ArithmeticError, RecursionError)
"""What reading a damaged file may raise."""
HALF_WRITTEN = 3600.0
"""Seconds after which what was begun and never renamed is removed."""
_PIECE = 1 << 20

# ---------------------------------------------------------------------------------------------- locks

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)

    def _unlock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def lock(file: Path) -> Iterator[None]:
    """Keeps out every other process and thread that locks this file, which stays empty; not reentrant.

    Where the disk knows no locks, nobody is kept out.  Raises `OSError` if the file cannot be created.
    """
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        with suppress(OSError):
            _lock(descriptor)
        yield
    finally:
        with suppress(OSError):
            _unlock(descriptor)
        os.close(descriptor)


# ---------------------------------------------------------------------------------------------- replacing


def free_name(home: Path) -> Path:
    """Returns a new name in a folder; it begins with a point, so that nobody takes it for something whole."""
    return home / f".{secrets.token_hex(8)}"


def write_whole(file: Path, text: str) -> None:
    """Writes a file in the place of the one before.  Raises `OSError`; then the one before stays.

    What `read_text` could not decode is written as it was.
    """
    begun = free_name(file.parent)
    try:
        begun.write_text(text, "utf-8", errors="surrogateescape", newline="\n")
        begun.replace(file)
    finally:
        begun.unlink(missing_ok=True)


def read_text(file: Path) -> str:
    """Returns the text of a file; bytes that are not UTF-8 become lone surrogates.  Raises `OSError`."""
    return file.read_bytes().decode("utf-8", "surrogateescape")


def remove(folder: Path, *, home: Path | None = None) -> None:
    """Removes a folder, if it is there; before, it is renamed inside ``home``, by default its own parent.

    Raises `OSError` if something of it is left; that has its name again, so that it can be removed later.
    """
    gone = free_name(home or folder.parent)
    try:
        folder.rename(gone)
    except FileNotFoundError:
        return
    except OSError:  # a disk that takes no new name may still let the files go
        gone = folder
    shutil.rmtree(gone, ignore_errors=True)
    if os.path.lexists(gone):
        with suppress(OSError):
            gone.rename(folder)
        raise OSError(f"{folder.name} cannot be removed")


# ---------------------------------------------------------------------------------------------- reading


def read_json(file: Path) -> Any:
    """Returns the value of a small JSON file.  Raises one of `DAMAGE`."""
    if file.stat().st_size > _PIECE:
        raise ValueError("too large")
    return from_json(file.read_text("utf-8"))


def checksum(file: Path) -> int:
    """Returns the CRC-32 of a file.  Raises `OSError`."""
    crc = 0
    with file.open("rb", buffering=0) as stream:
        while piece := stream.read(_PIECE):
            crc = zlib.crc32(piece, crc)
    return crc


def size(place: Path) -> int:
    """Returns the bytes of all files of a folder, as far as they are still there: another process may remove some."""
    total = 0
    for home, _folders, files in os.walk(place):
        for file in files:
            with suppress(OSError):
                total += os.stat(os.path.join(home, file)).st_size
    return total


def folders(home: Path) -> list[Path]:
    """Returns the folders in a folder by name, without links; none if it cannot be read.

    One that another process removes meanwhile is named all the same.
    """
    try:
        with os.scandir(home) as entries:
            return sorted(home / entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


# ---------------------------------------------------------------------------------------------- dates


def date(place: Path) -> float:
    """Returns when a file was last written or dated, in seconds since 1970; 0 if it is not there."""
    try:
        return place.stat().st_mtime
    except OSError:
        return 0.0


def set_date(place: Path, now: float) -> None:
    """Dates a file.  Raises `OSError`."""
    os.utime(place, (now, now))


def correct_date(place: Path, now: float) -> None:
    """Dates a file to now if its date lies in the future, where a wrong clock has put it: its days begin now."""
    if date(place) > now:
        with suppress(OSError):
            set_date(place, now)


def stamp(file: Path) -> tuple[int, ...]:
    """Returns what changes when a file is replaced; nothing if it is not there."""
    try:
        found = file.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino


class Ages:
    """How long ago files were dated, and which dates lie in the future, where a wrong clock has put them.

    The age of such a file counts from when its date was first seen.  The date itself stays: if the clock is wrong now,
    it is right again later.  ``file`` says when ages were last looked at, and which dates lay in the future then.
    """

    def __init__(self, file: Path, now: float) -> None:
        self.file, self.now = file, now
        self._future: dict[str, float] = {}
        try:
            self._before = {str(name): min(float(seen), now) for name, seen in read_json(file).items()}
        except DAMAGE:
            self._before = {}

    def is_recent(self, seconds: float) -> bool:
        """Returns whether ages were looked at less than so many seconds ago."""
        return 0 <= self.now - date(self.file) < seconds

    def age(self, place: Path) -> float:
        """Returns the age of a file in seconds."""
        dated, name = date(place), str(place)
        if dated > self.now:
            dated = self._future[name] = self._before.get(name, self.now)
        return self.now - dated

    def keep(self) -> None:
        """Writes down that ages were looked at now.  Raises `OSError`."""
        write_whole(self.file, json.dumps(self._future))
        set_date(self.file, self.now)
