"""The one keeper of bytes on the lab's disk: uploads, indexes, grades (as files) and vectors (as rows of a database).

Several processes may share it, be ended at any moment, and run on a disk that is full or read-only.  A reader never
finds half a file or folder: both are written under another name and then renamed, and a folder is renamed before it is
removed.  A damaged file is found by its checksum and counts as missing.  Dates may come from a clock that was wrong.

`DiskStore` keeps folders of files, which are opened by memory map or read as they are; `RowFile` keeps many small
values in SQLite.  A cache library such as diskcache would put all of it behind one database: if that is damaged,
uploads are lost, and its files have no checksums.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sqlite3
import struct
import sys
import threading
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lab.algebra import from_json

T = TypeVar("T")
DAMAGE = (OSError, ValueError, TypeError, LookupError, AttributeError, EOFError, ArithmeticError, RecursionError)
"""Errors that reading a damaged file may raise."""
HALF_WRITTEN = 3600.0
"""Seconds after which an unfinished file or folder is removed."""
DAY = 86_400
MB = 1 << 20
FORMAT = 1
_PIECE = 1 << 20


def megabytes(setting: str, default: float) -> int:
    """Returns the bytes that an environment variable gives in megabytes: none where it is negative."""
    try:
        return int(max(0.0, min(1e9, float(os.environ.get(setting, "") or default))) * MB)
    except ValueError:
        return int(default * MB)


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


def remove(folder: Path) -> None:
    """Removes a folder if it exists, after renaming it.

    Raises `OSError` if a part remains; that part gets the old name back, so that it can be removed later.
    """
    doomed = free_name(folder.parent)
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


# ---------------------------------------------------------------------------------------------- folders of files

_ABOUT, _SWEPT, _LOCK = "about.json", ".swept", ".lock"


@dataclass(frozen=True)
class Entry:
    """A folder of files with an about.json, which says what it is, and the sizes and checksums of its files.

    The date of about.json is the date of the last use.
    """

    folder: Path

    @property
    def dated(self) -> Path:
        """Returns the file whose date is the last use: about.json, or the folder if that is missing."""
        return self.folder / _ABOUT if (self.folder / _ABOUT).exists() else self.folder

    @property
    def is_unfinished(self) -> bool:
        """Returns whether the folder is still being written or removed, or was when the process ended."""
        return self.folder.name.startswith(".")

    def touch(self, now: float) -> None:
        """Says that the entry is in use; nothing happens if its date cannot be set."""
        with suppress(OSError):
            set_date(self.folder / _ABOUT, now)

    def seal(self, about: Mapping[str, object], now: float) -> None:
        """Writes about.json when all files are there.  Raises `OSError`."""
        paths = [path for path in self.folder.rglob("*") if path.is_file()]
        files = {str(path.relative_to(self.folder)): (path.stat().st_size, checksum(path)) for path in paths}
        (self.folder / _ABOUT).write_text(json.dumps({"format": FORMAT, **about, "files": files}), "utf-8")
        set_date(self.folder / _ABOUT, now)

    def about(self) -> dict[str, Any]:
        """Returns what about.json says.  Raises one of `DAMAGE`."""
        return dict(read_json(self.folder / _ABOUT))

    def files(self, about: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
        """Returns size and checksum of each file by its path in the folder.  Raises one of `DAMAGE`."""
        files = {str(name): (int(size), int(checksum)) for name, (size, checksum) in about["files"].items()}
        if not files or any(Path(name).anchor or ".." in Path(name).parts for name in files):
            raise ValueError(_ABOUT)
        return files

    def has_sizes(self, about: Mapping[str, Any]) -> bool:
        """Returns whether all files are there in their full length.  Raises one of `DAMAGE`."""
        return all((self.folder / name).stat().st_size == size for name, (size, _checksum) in self.files(about).items())

    def check(self, about: Mapping[str, Any]) -> None:
        """Raises `ValueError` if a byte of a file has changed, or another one of `DAMAGE`."""
        files = self.files(about).items()
        if not self.has_sizes(about) or any(checksum(self.folder / name) != crc for name, (_size, crc) in files):
            raise ValueError(_ABOUT)


def entries(group: Path) -> list[Entry]:
    """Returns the finished entries of a group, by name."""
    return [entry for entry in map(Entry, folders(group)) if not entry.is_unfinished]


class DiskStore:
    """Entries under ``home``, in groups: the folder ``home/group/entry`` is there as a whole, or not at all."""

    home: Path
    clock: Callable[[], float]

    @property
    def bytes(self) -> int:
        """Returns the bytes of everything."""
        return size(self.home)

    def make_home(self) -> None:
        """Makes the folder of all groups, for this user only.  Raises `OSError`."""
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the lock of the files beside the entries, against other processes and threads.  Raises `OSError`."""
        self.make_home()
        with lock(self.home / _LOCK):
            yield

    @contextmanager
    def writing(self, place: Path) -> Iterator[Entry]:
        """Gives an unfinished entry to be filled and sealed; it becomes ``place`` at the end, or is removed on errors.

        The home has to be there: it may have been removed with what it belongs to.  Raises `OSError`, also if another
        process was faster.
        """
        place.parent.mkdir(exist_ok=True, mode=0o700)
        begun = free_name(place.parent)
        try:
            begun.mkdir(mode=0o700)
            yield Entry(begun)
            begun.rename(place)
        finally:
            shutil.rmtree(begun, ignore_errors=True)

    def entries(self) -> list[Entry]:
        """Returns all finished entries, by group and name."""
        return [entry for group in folders(self.home) for entry in entries(group)]

    def _make_room(self, most: float, *, without: Path) -> None:
        """Removes the least recently used entries until the others take at most ``most`` bytes.

        Removes unfinished work, too.
        """
        for home in (self.home, *folders(self.home)):
            for entry in map(Entry, folders(home)):
                if entry.is_unfinished and abs(self.clock() - date(entry.dated)) > HALF_WRITTEN:
                    shutil.rmtree(entry.folder, ignore_errors=True)
        candidates = sorted(
            (self._last_use(e), e.folder, size(e.folder)) for e in self.entries() if e.folder != without
        )
        total = sum(used_bytes for _used, _folder, used_bytes in candidates)
        for _used, folder, used_bytes in candidates:
            if total <= most:
                return
            with suppress(OSError):
                remove(folder)
                folder.parent.rmdir()  # unless another entry of the group is there
            total -= used_bytes

    def _last_use(self, entry: Entry) -> float:
        """Returns the date of the last use; 0 for one in the future, left by a wrong clock."""
        used = date(entry.dated)
        return used if used <= self.clock() else 0.0

    def _remove_unused(self, seconds: float, *, file_names: Collection[str], every: float) -> int:
        """Removes entries unused for ``seconds``, and unfinished work; returns the number of entries removed.

        Removes the files beside the entries, too: as late as entries if their names are in ``beside``.  Does nothing if
        some process has done so in the last ``every`` seconds.
        """
        ages, removed = Ages(self.home / _SWEPT, self.clock()), 0
        if not self.home.is_dir() or ages.is_recent(every):
            return 0
        for home in folders(self.home):
            for entry in map(Entry, folders(home)):
                if ages.age(entry.dated) > (HALF_WRITTEN if entry.is_unfinished else seconds):
                    with suppress(OSError):
                        remove(entry.folder)
                        removed += not entry.is_unfinished
            with suppress(OSError):
                for file in home.iterdir():
                    self._sweep_file(file, ages, seconds if file.name in file_names else HALF_WRITTEN)
                home.rmdir()  # unless something is in it
        with suppress(OSError):
            ages.keep()
        return removed

    def _sweep_file(self, file: Path, ages: Ages, seconds: float) -> None:
        if file.is_file() and ages.age(file) > seconds:
            with self.lock():  # another process may have written it just now
                if ages.age(file) > seconds:
                    file.unlink()


# ---------------------------------------------------------------------------------------------- rows of a database

_AT_ONCE = 500
"""Keys per statement."""
IN_MEMORY = 32 << 20
"""Maximum bytes of rows that are kept where no file can be."""


class RowFile:
    """Bytes by key in an SQLite file of at most ``size`` bytes, from which the least recently used rows are removed.

    Threads and processes may share it; it waits ``patience`` seconds for another one.  A damaged file is
    rebuilt, a damaged row counts as missing, and if the disk cannot be written the rows stay in memory.
    """

    def __init__(
        self, path: Path | None, table: str, *, size: int, patience: float, clock: Callable[[], float] = time.time
    ) -> None:
        self.table, self.size, self.patience, self.clock = table, size, patience, clock
        self.path = path if size else None
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Returns the rows of these keys that are there."""
        return self._safely(lambda: self._get(keys), {})

    def put(self, rows: Mapping[bytes, bytes]) -> None:
        """Writes these rows and removes others if there is no room."""
        self._safely(lambda: self._put(rows), None)

    def close(self) -> None:
        """Closes the file, which the next call opens again."""
        with self._lock:
            self._close()

    def _safely(self, do: Callable[[], T], otherwise: T) -> T:
        """Returns what ``do`` returns, with a new file if this one is damaged; ``otherwise`` if the disk refuses."""
        with self._lock:
            for _ in range(2):
                try:
                    return do()
                except sqlite3.OperationalError as error:  # locked, full, read-only: as if nothing was kept
                    if self._connection is not None and "lock" in str(error):
                        return otherwise
                    self._close()
                    self.path = None
                except (sqlite3.DatabaseError, OverflowError, ValueError):  # ValueError: text that is not UTF-8
                    self._close()
                    self._remove()
        return otherwise

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            if self.path is not None:
                try:
                    self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                except OSError:
                    self.path = None
            self._connection = sqlite3.connect(
                self.path or ":memory:", timeout=self.patience, isolation_level=None, check_same_thread=False
            )
            columns = "key BLOB PRIMARY KEY, used INTEGER NOT NULL, row BLOB NOT NULL"
            self._connection.execute(f"CREATE TABLE IF NOT EXISTS {self.table} ({columns})")
            self._connection.execute(f"CREATE INDEX IF NOT EXISTS by_use ON {self.table} (used)")
            self._connection.execute("PRAGMA synchronous = OFF")  # a file that a crash has damaged is rebuilt
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    __del__ = _close

    def _remove(self) -> None:
        for end in ("", "-journal") if self.path is not None else ():
            try:
                Path(f"{self.path}{end}").unlink(missing_ok=True)
            except OSError:
                self.path = None
                return

    def _get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        database, now, rows, unused = self._open(), int(self.clock()), dict[bytes, bytes](), list[bytes]()
        for i in range(0, len(keys), _AT_ONCE):
            some = keys[i : i + _AT_ONCE]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, used, row FROM {self.table} WHERE key IN ({marks})"
            for key, used, row in database.execute(query, some):
                if isinstance(row, bytes) and row[-4:] == _row_checksum(key, row[:-4]):
                    rows[key] = row[:-4]
                    if abs(now - used) > DAY:
                        unused.append(key)
        if unused:
            database.execute("BEGIN")
            database.executemany(f"UPDATE {self.table} SET used = ? WHERE key = ?", [(now, key) for key in unused])
            database.execute("COMMIT")
        return rows

    def _put(self, rows: Mapping[bytes, bytes]) -> None:
        database, now = self._open(), int(self.clock())
        values = [(key, now, row + _row_checksum(key, row)) for key, row in rows.items()]
        database.execute("BEGIN")
        database.executemany(f"INSERT OR REPLACE INTO {self.table} VALUES (?, ?, ?)", values)
        database.execute(f"UPDATE {self.table} SET used = ? WHERE used > ?", [now, now])  # dated by a wrong clock
        database.execute("COMMIT")
        most = self.size if self.path is not None else min(self.size or IN_MEMORY, IN_MEMORY)
        for _ in range(10):
            names = ("page_count", "freelist_count", "page_size")
            pages, free, page = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
            if (pages - free) * page <= most:
                break
            tenth = f"SELECT key FROM {self.table} ORDER BY used LIMIT (SELECT max(1, count(*) / 10) FROM {self.table})"
            database.execute(f"DELETE FROM {self.table} WHERE key IN ({tenth})")


def _row_checksum(key: bytes, row: bytes) -> bytes:
    return struct.pack("<I", zlib.crc32(key + row))
