"""Vectors on the disk: found again, bounded, never wrong; and those that come with the pack."""

from __future__ import annotations

import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples

from lab.corpus import indexes
from lab_packs.e5 import kept_vectors
from lab_packs.e5.kept_vectors import DAY, FINE, Shipped, VectorFile, checksum

MB = 1 << 20


class Clock:
    now = 1e9

    def __call__(self) -> float:
        return self.now


def some(n: int, of: int = 3, start: int = 0) -> dict[bytes, np.ndarray]:
    """Vectors by the checksums of the numbers as texts."""
    return {checksum("x", str(i)): np.full(of, i, np.float32) for i in range(start, start + n)}


def same(found: dict[bytes, np.ndarray], wanted: dict[bytes, np.ndarray]) -> bool:
    return found.keys() == wanted.keys() and all((found[key] == wanted[key]).all() for key in wanted)


def test_what_was_put_is_found_again_by_another_process_and_nothing_else_is(tmp_path: Path) -> None:
    path, vectors = tmp_path / "new" / "v.sqlite", some(2000)
    first = VectorFile(path, 3, size=MB)
    first.put(vectors)
    again = VectorFile(path, 3, size=MB)  # while the first has it open
    keys = [*vectors, checksum("x", "nobody")]
    assert same(again.get(keys), vectors)
    assert same(first.get(keys[:1]), some(1))
    assert again.get([]) == {}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_text_is_known_by_what_goes_before_it_and_by_its_well_formed_form() -> None:
    assert len({checksum(kind, text) for kind in ("query", "passage") for text in ("", "a", "a\0", "电池")}) == 8
    assert checksum("query", "a\ud800") == checksum("query", "a?")


def test_what_was_not_used_for_longest_goes_where_there_is_no_room(tmp_path: Path) -> None:
    clock = Clock()
    file = VectorFile(tmp_path / "v.sqlite", 384, size=MB, clock=clock)
    old, used, new = some(200, 384), some(100, 384, 200), some(300, 384, 400)
    file.put(old)
    file.put(used)
    clock.now += 2 * DAY
    assert len(file.get(list(used))) == 100  # from now on they are of today
    clock.now += 1
    file.put(new)
    assert (tmp_path / "v.sqlite").stat().st_size < 2 * MB
    assert len(file.get(list(old))) < 150
    assert same(file.get(list(used)), used)
    assert same(file.get(list(new)), new)


def test_what_a_wrong_clock_has_dated_in_the_future_goes_like_everything_else(tmp_path: Path) -> None:
    clock = Clock()
    file = VectorFile(tmp_path / "v.sqlite", 384, size=MB, clock=clock)
    future, used, new = some(200, 384), some(100, 384, 200), some(300, 384, 400)
    clock.now += 50 * 365 * DAY
    file.put(future)
    file.put(used)
    clock.now -= 50 * 365 * DAY
    assert len(file.get(list(used))) == 100  # from now on they are of today
    clock.now += 1
    file.put(some(1, 384, 900))
    clock.now += 2 * DAY
    assert len(file.get(list(used))) == 100
    file.put(new)
    assert len(file.get(list(future))) < 150
    assert same(file.get(list(used)), used)
    assert same(file.get(list(new)), new)


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    path, vectors = tmp_path / "v.sqlite", some(5)
    for damage in (b"nonsense" * 1000, b""):
        path.write_bytes(damage)
        file = VectorFile(path, 3, size=MB)
        assert file.get(list(vectors)) == {}
        file.put(vectors)
        assert same(VectorFile(path, 3, size=MB).get(list(vectors)), vectors)
        file.close()
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(20):  # anywhere in the file
        broken = bytearray(whole)
        for place in rng.integers(0, len(whole), 200):
            broken[place] ^= 0xFF
        path.write_bytes(bytes(broken))
        file = VectorFile(path, 3, size=MB)
        found = file.get(list(vectors))
        assert same(found, {key: vectors[key] for key in found}), "what is found is right"
        file.put(vectors)
        assert same(file.get(list(vectors)), vectors)
        file.close()


def test_a_row_of_another_length_or_with_a_changed_byte_counts_as_missing(tmp_path: Path) -> None:
    path, vectors = tmp_path / "v.sqlite", some(3)
    file = VectorFile(path, 3, size=MB)
    file.put(vectors)
    file.close()
    first, second, third = vectors
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("UPDATE vectors SET row = substr(row, 1, 7) WHERE key = ?", [first])
        base.execute("UPDATE vectors SET row = ? WHERE key = ?", [b"\1" * 16, second])
    base.close()
    assert list(VectorFile(path, 3, size=MB).get(list(vectors))) == [third]


def test_where_no_file_can_be_the_vectors_stay_in_memory(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    for path, size in ((blocked / "v.sqlite", MB), (tmp_path, MB), (tmp_path / "none.sqlite", 0)):
        file = VectorFile(path, 3, size=size)
        file.put(some(4))
        assert same(file.get(list(some(4))), some(4))
    assert not (tmp_path / "none.sqlite").exists()


def test_another_process_that_writes_just_now_hinders_nobody(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    file = VectorFile(path, 3, size=MB, patience=0.05)
    file.put(some(2))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    file.put(some(4))
    assert file.get(list(some(4))) == {}
    other.execute("ROLLBACK")
    other.close()
    assert same(file.get(list(some(4))), some(2)), "nothing was thrown away"


def test_threads_share_a_file(tmp_path: Path) -> None:
    file, wrong = VectorFile(tmp_path / "v.sqlite", 3, size=MB), list[int]()

    def work(i: int) -> None:
        for n in range(20):
            own = some(3, start=100 * i + n)
            file.put(own)
            if not same(file.get(list(own)), own):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not wrong


def test_the_folder_is_that_of_the_setting_or_the_users_for_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_INDEX_DIR", "/somewhere/else")
    assert indexes.folder() == Path("/somewhere/else")
    monkeypatch.setenv("LAB_INDEX_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert indexes.folder() == Path("/caches/retrieval-lab")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert indexes.folder() == Path.home() / ".cache" / "retrieval-lab"


@pytest.mark.parametrize(("told", "bytes"), [("", 200 * MB), ("3", 3 * MB), ("0", 0), ("-1", 0), ("x", 200 * MB)])
def test_how_much_a_file_takes_is_a_setting(monkeypatch: pytest.MonkeyPatch, told: str, bytes: int) -> None:
    monkeypatch.setenv("LAB_VECTORS_MB", told)
    assert kept_vectors.room() == bytes


# ------------------------------------------------------------------------------------------- shipped ones


@examples(50)
@given(st.lists(st.floats(-0.25, 0.25, width=32), min_size=1, max_size=40))
def test_a_shipped_number_is_wrong_by_half_a_step_of_its_third_byte(tmp_path_factory, numbers) -> None:
    file = tmp_path_factory.mktemp("shipped") / "v.npz"
    key, row = checksum("x", "a"), np.array(numbers, np.float32)
    Shipped.write(file, {key: row}, {"model": "x"})
    own = Shipped((file,))
    assert np.abs(own.rows[key] - row).max() <= FINE / 2 + 2**-25
    assert own.provenance() == [{"model": "x"}]


def test_a_shipped_file_that_is_damaged_or_gone_adds_nothing(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.npz", tmp_path / "bad.npz"
    Shipped.write(good, {checksum("x", "a"): np.zeros(3, np.float32)}, {})
    for damage in (b"", b"PK\3\4nonsense", good.read_bytes()[:200]):
        bad.write_bytes(damage)
        assert list(Shipped((bad, tmp_path / "gone.npz", good)).rows) == [checksum("x", "a")]
