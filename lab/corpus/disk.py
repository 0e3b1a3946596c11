"""Files that several processes share: locks, atomic replacement, checksums, and dates from a clock that may be wrong.

A reader never finds half a file or folder: both are written under another name and then renamed, and a folder is
renamed before it is removed.
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
"""Errors that reading a damaged file may raise."""
HALF_WRITTEN = 3600.0
"""Seconds after which an unfinished file or folder is removed."""
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
    """Holds a lock against other processes and threads, not reentrant; the file stays empty.

    Does nothing on a disk without locks.  Raises `OSError` if the file cannot be created.
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
    """Returns an unused path in a folder; its name begins with a dot, the mark of unfinished work."""
    return home / f".{secrets.token_hex(8)}"


def write_whole(file: Path, text: str) -> None:
    """Replaces a file with this text.  Raises `OSError` and keeps the old file if the disk is full or read-only.

    Bytes that `read_text` could not decode are written unchanged.
    """
    begun = free_name(file.parent)
    try:
        begun.write_text(text, "utf-8", errors="surrogateescape", newline="\n")
        begun.replace(file)
    finally:
        begun.unlink(missing_ok=True)


def read_text(file: Path) -> str:
    """Returns the text of a file, with lone surrogates for bytes that are not UTF-8.  Raises `OSError`."""
    return file.read_bytes().decode("utf-8", "surrogateescape")


def remove(folder: Path, *, home: Path | None = None) -> None:
    """Removes a folder if it exists, after renaming it inside ``home`` (default: its parent).

    Raises `OSError` if a part remains; that part gets the old name back, so that it can be removed later.
    """
    doomed = free_name(home or folder.parent)
    try:
        folder.rename(doomed)
    except FileNotFoundError:
        return
    except OSError:  # a full disk may refuse a new name and still delete the files
        doomed = folder
    shutil.rmtree(doomed, ignore_errors=True)
    if os.path.lexists(doomed):
        with suppress(OSError):
            doomed.rename(folder)
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
    """Returns the total bytes of the files in a folder; files that another process removes meanwhile count 0."""
    total = 0
    for home, _folders, files in os.walk(place):
        for file in files:
            with suppress(OSError):
                total += os.stat(os.path.join(home, file)).st_size
    return total


def folders(home: Path) -> list[Path]:
    """Returns the subfolders of a folder by name, without links; an empty list if it cannot be read.

    The list may contain folders that another process has just removed.
    """
    try:
        with os.scandir(home) as entries:
            return sorted(home / entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


# ---------------------------------------------------------------------------------------------- dates


def date(place: Path) -> float:
    """Returns the modification date of a file in seconds since 1970; 0 if the file does not exist."""
    try:
        return place.stat().st_mtime
    except OSError:
        return 0.0


def set_date(place: Path, now: float) -> None:
    """Sets the modification date of a file.  Raises `OSError`."""
    os.utime(place, (now, now))


def correct_date(place: Path, now: float) -> None:
    """Sets a date in the future, left by a wrong clock, to now."""
    if date(place) > now:
        with suppress(OSError):
            set_date(place, now)


def stamp(file: Path) -> tuple[int, ...]:
    """Returns date, size and inode of a file, which together change when it is replaced; () if it does not exist."""
    try:
        status = file.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino


class Ages:
    """Ages of files, also of those that a wrong clock has dated in the future.

    A date in the future counts from the first time it was seen.  The date itself is kept, because the clock may be
    wrong now rather than then.  ``file`` stores the time of the last check and the dates in the future at that time.
    """

    def __init__(self, file: Path, now: float) -> None:
        self.file, self.now = file, now
        self._future: dict[str, float] = {}
        try:
            self._before = {str(name): min(float(seen), now) for name, seen in read_json(file).items()}
        except DAMAGE:
            self._before = {}

    def is_recent(self, seconds: float) -> bool:
        """Returns whether the last check is less than this many seconds ago; one in the future is not."""
        return 0 <= self.now - date(self.file) < seconds

    def age(self, place: Path) -> float:
        """Returns the age of a file in seconds."""
        dated, name = date(place), str(place)
        if dated > self.now:
            dated = self._future[name] = self._before.get(name, self.now)
        return self.now - dated

    def keep(self) -> None:
        """Stores this check.  Raises `OSError`."""
        write_whole(self.file, json.dumps(self._future))
        set_date(self.file, self.now)
