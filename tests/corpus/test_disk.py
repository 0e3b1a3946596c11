"""The keeper of bytes on the disk, of whatever use: nothing half written, nothing from outside, nothing for ever."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from lab.algebra import Corpus, Document
from lab.corpus import indexes
from lab.corpus.beir import Collection
from lab.corpus.disk import HALF_WRITTEN, DiskStore, Entry, RowFile
from lab.corpus.indexes import DAMAGED, IndexFolder
from lab.corpus.keeping import UploadFolder
from lab.errors import CorpusError

NOTES = Collection(Corpus("notes", (Document("1", "The kiln fires on Tuesdays."),)))
OUTSIDE = {
    "a folder above": {"../secret.npy": [3, 0]},
    "far above": {"a/../../../secret.npy": [3, 0]},
    "the root": {"/etc/hostname": [3, 0]},
    "nothing": {},
    "a list": [],
    "no numbers": {"a.npy": ["three", None]},
    "one number": {"a.npy": [3]},
    "infinite": {"a.npy": [float("inf"), 0]},
}
"""What an about.json may say of its files that cannot be meant."""


@dataclass(frozen=True)
class Store(DiskStore):
    """A keeper without a use."""

    home: Path
    clock: Callable[[], float] = time.time


def filled(store: DiskStore, name: str, text: str = "three", group: str = "group") -> Path:
    """An entry with one file."""
    store.make_home()
    place = store.home / group / name
    with store.writing(place) as entry:
        (entry.folder / "a.txt").write_text(text)
        entry.seal({"kind": "test"}, store.clock())
    return place


def rewrite(about: Path, files: object) -> None:
    about.write_text(json.dumps({**json.loads(about.read_text("utf-8")), "files": files}), "utf-8")


@pytest.mark.parametrize("files", OUTSIDE.values(), ids=OUTSIDE)
def test_an_index_reads_no_file_outside_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: object):
    monkeypatch.setattr(indexes, "LARGE", 1)
    said: list[object] = []
    corpus = Corpus("own", NOTES.corpus.documents, keeper=IndexFolder(tmp_path, lambda: 1e9, said.append))
    corpus.stored("numbers", "1", lambda: {"a": np.arange(3)})
    (about,) = tmp_path.glob("*/*/about.json")
    rewrite(about, files)
    assert corpus.stored("numbers", "1", lambda: {"a": np.arange(4)})["a"].tolist() == [0, 1, 2, 3]
    assert said == [DAMAGED]


@pytest.mark.parametrize("files", OUTSIDE.values(), ids=OUTSIDE)
def test_an_upload_whose_files_lie_outside_of_its_folder_is_damaged(tmp_path: Path, files: object):
    me = UploadFolder(tmp_path, 1e9, 7).of("me")
    me.save(NOTES)
    (about,) = tmp_path.glob("*/*/about.json")
    inside = json.loads(about.read_text("utf-8"))["files"]
    rewrite(about, {**inside, **files} if isinstance(files, dict) and files else files)
    assert [one.sound for one in me.kept()] == [False]
    with pytest.raises(CorpusError):
        me.load("notes")


def test_an_entry_is_there_as_a_whole_or_not_at_all(tmp_path: Path):
    store = Store(tmp_path / "home")
    place = filled(store, "entry")
    assert [entry.folder for entry in store.entries()] == [place]
    entry = Entry(place)
    entry.check(entry.about())

    def write(target: Path, error: Exception | None = None) -> None:
        with store.writing(target) as begun:
            (begun.folder / "a.txt").write_text("later")
            assert [entry.folder for entry in store.entries()] == [place]
            if error:
                raise error

    with pytest.raises(KeyError):
        write(store.home / "group" / "other", KeyError())
    assert os.listdir(store.home / "group") == ["entry"]
    with pytest.raises(OSError):  # another process was faster
        write(place)
    assert (place / "a.txt").read_text() == "three"
    assert os.listdir(store.home / "group") == ["entry"]


@pytest.mark.parametrize("text", ["thre", "threw", ""])
def test_a_changed_byte_is_noticed_and_a_changed_length_without_reading(tmp_path: Path, text: str):
    entry = Entry(filled(Store(tmp_path), "entry"))
    (entry.folder / "a.txt").write_text(text)
    assert entry.has_sizes(entry.about()) == (len(text) == 5)
    with pytest.raises(ValueError):
        entry.check(entry.about())


def test_room_is_made_by_use_and_unfinished_work_of_every_depth_goes(tmp_path: Path):
    now = [1e9]
    store = Store(tmp_path, lambda: now[0])
    first, second = filled(store, "1", "x" * 1000), filled(store, "2", "x" * 1000, "other")
    now[0] += 10
    Entry(first).touch(now[0])
    begun = [tmp_path / ".begun", tmp_path / "group" / ".begun"]
    for folder in begun:
        folder.mkdir()
        os.utime(folder, (now[0], now[0]))
    store._make_room(1500, without=Path())
    assert (first.exists(), second.exists()) == (True, False)
    assert not second.parent.exists(), "an empty group goes"
    assert all(folder.exists() for folder in begun), "somebody may be writing"
    now[0] += HALF_WRITTEN + 1
    store._make_room(1500, without=Path())
    assert not any(folder.exists() for folder in begun)
    assert first.exists()
    store._make_room(0, without=first)
    assert first.exists()


FULL = """
import resource, signal, sys
from pathlib import Path
import numpy as np
from lab.algebra import Corpus, Document
from lab.corpus import indexes
from lab.corpus.beir import Collection
from lab.corpus.disk import RowFile
from lab.corpus.indexes import IndexFolder
from lab.corpus.keeping import UploadFolder

indexes.LARGE, home = 1, Path(sys.argv[1])
uploads = UploadFolder(home / "uploads", 1e9, 7).of("me")
uploads.save(Collection(Corpus("notes", (Document("1", "short"),))))
uploads.write_note("grades")
rows = RowFile(home / "v.sqlite", "vectors", size=1 << 24, patience=1)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))  # what is longer does not fit

corpus = Corpus("own", (Document("1", "text"),), keeper=IndexFolder(home / "indexes", lambda: 1e9))
assert corpus.stored("numbers", "1", lambda: {"a": np.arange(10_000)})["a"][-1] == 9_999
for replace in (
    lambda: uploads.save(Collection(Corpus("notes", (Document("1", "x" * 50_000),)))),
    lambda: uploads.write_note("x" * 50_000),
):
    try:
        replace()
    except OSError:
        continue
    raise AssertionError("it fits")
assert uploads.load("notes").corpus.documents[0].text == "short"
assert uploads.note()[1] == "grades"
many = {bytes([i % 256, i // 256]) * 8: bytes([i % 256]) * 12 for i in range(2_000)}
rows.put(many)
found = rows.get(list(many))
assert all(found[key] == many[key] for key in found)
rows.put({key: many[key] for key in list(many)[:3]})
assert len(rows.get(list(many)[:3])) == 3, "in memory"
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the limit of a file's length is POSIX's")
def test_on_a_full_disk_nothing_is_lost_and_nothing_half_written_is_left(tmp_path: Path):
    subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], check=True, timeout=120)
    left = {path.name for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".sqlite"}
    assert left == {"about.json", "corpus.jsonl", "note.txt"}
    assert not [path for path in tmp_path.rglob(".*") if path.is_dir()]


def test_a_row_is_right_or_missing_whatever_byte_of_the_file_has_changed(tmp_path: Path):
    path, rows = tmp_path / "rows.sqlite", {bytes([i]) * 16: bytes([i]) * i for i in range(40)}
    file = RowFile(path, "rows", size=1 << 20, patience=1)
    file.put(rows)
    assert file.get(list(rows)) == rows
    file.close()
    whole, rng = path.read_bytes(), np.random.default_rng(3)
    for _ in range(30):
        broken = bytearray(whole)
        broken[int(rng.integers(len(whole)))] ^= int(rng.integers(1, 256))
        path.write_bytes(bytes(broken))
        file = RowFile(path, "rows", size=1 << 20, patience=1)
        assert file.get(list(rows)).items() <= rows.items()
        file.close()
