"""Indexes on the disk: opened again as they were made, whoever writes at once, and never what is damaged or too old."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from lab.algebra import Arrays, Corpus, Document
from lab.corpus import beir, indexes
from lab.corpus.beir import Collection
from lab.corpus.indexes import DAMAGED, OTHER, IndexFolder
from lab.models import rows, token_store
from lab.models.rows import rows_of
from lab.models.static import BuiltIn
from lab.models.token_store import TokenStore
from lab.retrieve.lexical import BM25
from lab.retrieve.matrix import TermMatrix
from lab.retrieve.vector import Vector
from lab.text import Analyzer

TEXTS = ("电池 battery does not charge", "退货要几天？", "", "battery light, E21\ud800", "the battery of the 手机")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus of five is large."""
    monkeypatch.setattr(indexes, "LARGE", 5)
    monkeypatch.setattr(rows, "FEW", 4)


class Kept:
    """A folder with all that it has said."""

    def __init__(self, home: Path, room: float = 1e9) -> None:
        self.said: list[str] = []
        self.now = 1e9
        self.folder = IndexFolder(home, lambda: room, self.said.append, lambda: self.now)

    def corpus(self, *texts: str) -> Corpus:
        """As another process would have it: the same texts, and nothing in memory."""
        return Corpus("own", tuple(Document(str(i), t) for i, t in enumerate(texts or TEXTS)), keeper=self.folder)

    def once(self, corpus: Corpus, make: Callable[[], Arrays], kind: str = "numbers", version: str = "1") -> Arrays:
        self.now += 1
        return corpus.stored(kind, version, make)

    @property
    def places(self) -> list[Path]:
        return sorted(self.folder.home.glob("*/*"))


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path / "indexes")


def numbers() -> Arrays:
    return {"a": np.arange(1 << 18), "empty": np.zeros(0, np.float32)}


def never() -> Arrays:
    raise AssertionError("It lies on the disk.")


def same(one: Arrays, other: Arrays) -> None:
    assert one.keys() == other.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name])
        assert array.dtype == other[name].dtype


def test_an_index_is_made_once_and_then_opened(kept: Kept):
    same(kept.once(kept.corpus(), numbers), numbers())
    opened = kept.once(kept.corpus(), never)
    same(opened, numbers())
    assert isinstance(opened["a"].base, np.memmap)
    assert not opened["a"].flags.writeable
    assert kept.said == []


def test_other_texts_another_kind_and_few_documents_are_other_indexes(kept: Kept):
    made = []
    for corpus, kind in (
        (kept.corpus(), "one"),
        (kept.corpus(), "two"),
        (kept.corpus(*TEXTS, "more"), "one"),
        (kept.corpus("few"), "one"),
        (kept.corpus("few"), "one"),
    ):
        kept.once(corpus, lambda: made.append(1) or numbers(), kind)
    assert len(made) == 5
    assert len(kept.places) == 3  # nothing of the few


def test_a_corpus_without_a_keeper_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LAB_INDEX_DIR", str(tmp_path))
    corpus = Corpus("pasted", tuple(Document(str(i), text) for i, text in enumerate(TEXTS)))
    BM25().index(corpus)
    Vector().index(corpus)
    TokenStore.of(corpus)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_the_labs_own_disk_has_its_indexes_in_the_labs_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    beir.write(Collection(Kept(tmp_path).corpus(*TEXTS[:2], *"abc")), tmp_path / "data")
    monkeypatch.setenv("LAB_INDEX_DIR", "")
    assert beir.load(tmp_path / "data").corpus.keeper is None
    monkeypatch.setenv("LAB_INDEX_DIR", str(tmp_path / "kept"))
    BM25().index(beir.load(tmp_path / "data").corpus)
    assert len(list((tmp_path / "kept" / "indexes").glob("*/*/about.json"))) == 1


@pytest.mark.parametrize("name", ["a.npy", "about.json"])
@pytest.mark.parametrize("how", ["a byte", "cut", "gone", "empty"])
def test_what_is_damaged_is_made_again_and_said(kept: Kept, name: str, how: str):
    kept.once(kept.corpus(), numbers)
    file = kept.places[0] / name
    data = bytearray(file.read_bytes())
    if how == "gone":
        file.unlink()
    else:
        data[-3] ^= 4
        file.write_bytes({"a byte": bytes(data), "cut": bytes(data[: len(data) // 2]), "empty": b""}[how])
    made = []
    same(kept.once(kept.corpus(), lambda: made.append(1) or numbers()), numbers())
    assert (len(made), kept.said) == (1, [DAMAGED])
    same(kept.once(kept.corpus(), never), numbers())


@pytest.mark.parametrize("told", [b"[]", b"{}", b'{"format": 1, "version": "1", "arrays": {"../a": [1, 2]}}', b"\xff"])
def test_an_about_that_says_nothing_is_damage(kept: Kept, told: bytes):
    kept.once(kept.corpus(), numbers)
    (kept.places[0] / "about.json").write_bytes(told)
    same(kept.once(kept.corpus(), numbers), numbers())
    assert kept.said == [DAMAGED]


def test_what_is_of_another_version_is_made_again_and_said(kept: Kept):
    kept.once(kept.corpus(), numbers, version="1")
    kept.once(kept.corpus(), lambda: {"a": np.ones(3)}, version="2")
    assert kept.said == [OTHER]
    same(kept.once(kept.corpus(), never, version="2"), {"a": np.ones(3)})


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path):
    kept = Kept(tmp_path, room=3.5 * (8 << 18))
    for kind in "abc":
        kept.once(kept.corpus(), numbers, kind)
    kept.once(kept.corpus(), never, "a")
    kept.once(kept.corpus(), numbers, "d")  # b goes
    for kind in "acd":
        kept.once(kept.corpus(), never, kind)
    made = []
    kept.once(kept.corpus(), lambda: made.append(1) or numbers(), "b")
    assert made == [1]
    assert sum(f.stat().st_size for f in tmp_path.rglob("*") if f.is_file()) < 3.5 * (8 << 18)


def test_what_a_wrong_clock_has_dated_in_the_future_goes_in_its_turn(tmp_path: Path):
    kept = Kept(tmp_path, room=3.5 * (8 << 18))
    kept.now += 50 * 365 * 86_400
    kept.once(kept.corpus(), numbers, "future")
    (future,) = kept.places
    kept.now -= 50 * 365 * 86_400
    for kind in "abcdef":
        kept.once(kept.corpus(), numbers, kind)
    assert len(kept.places) == 3
    assert future not in kept.places


@pytest.mark.parametrize("arrays", ["{}", "7", '{"a": [1e999, 0]}', '{"a": [1]}', '{"a": 1, "b": null}', "[" * 9999])
def test_an_about_that_cannot_be_meant_is_damage(kept: Kept, arrays: str):
    kept.once(kept.corpus(), numbers)
    (kept.places[0] / "about.json").write_text(f'{{"format": 1, "version": "1", "arrays": {arrays}}}')
    same(kept.once(kept.corpus(), numbers), numbers())
    assert kept.said == [DAMAGED]
    same(kept.once(kept.corpus(), never), numbers())


def test_what_is_larger_than_the_room_is_not_kept_and_drives_nothing_out(tmp_path: Path):
    kept = Kept(tmp_path, room=1.5 * (8 << 18))
    kept.once(kept.corpus(), numbers, "a")
    kept.once(kept.corpus(), lambda: {"a": np.ones(1 << 19)}, "b")
    assert len(kept.places) == 1
    same(kept.once(kept.corpus(), never, "a"), numbers())


def test_what_was_begun_and_never_ended_goes(kept: Kept):
    kept.once(kept.corpus(), numbers)
    begun = kept.folder.home / ".begun"
    begun.mkdir()
    for age, there in ((60, True), (7200, False)):
        os.utime(begun, (kept.now - age, kept.now - age))
        kept.once(kept.corpus(), numbers, f"other {age}")
        assert begun.is_dir() == there
    assert len(kept.places) == 3


def test_a_disk_that_cannot_be_written_is_done_without(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    kept = Kept(tmp_path / "file")
    for _ in range(2):
        same(kept.once(kept.corpus(), numbers), numbers())


def test_an_index_that_goes_while_it_is_open_stays_readable(kept: Kept):
    kept.once(kept.corpus(), numbers)
    opened = kept.once(kept.corpus(), never)
    kept.folder._make_room(0, without=Path())
    assert kept.places == []
    same(opened, numbers())


def test_two_processes_may_write_at_once(tmp_path: Path):
    script = """
import sys
import numpy as np
from pathlib import Path
from lab.algebra import Corpus, Document
from lab.corpus import indexes
indexes.LARGE = 1
said = []
folder = indexes.IndexFolder(Path(sys.argv[1]), lambda: 1e9, said.append)
print("ready", flush=True)
sys.stdin.readline()
for n in range(30):
    corpus = Corpus("own", (Document("1", f"text {n}"),), keeper=folder)
    found = corpus.stored("numbers", "1", lambda: {"a": np.arange(n, n + 10_000)})
    assert found["a"][-1] == n + 9_999
assert said == [], said
"""
    command = [sys.executable, "-c", script, str(tmp_path / "kept")]
    with ExitStack() as stack:
        both = [
            stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            for _ in range(2)
        ]
        for one in both:
            assert one.stdout
            assert one.stdout.readline() == "ready\n"
        for one in both:  # only now: both are there
            assert one.stdin
            one.stdin.write("go\n")
            one.stdin.flush()
    assert [one.returncode for one in both] == [0, 0]
    assert len(list((tmp_path / "kept").glob("*/*/about.json"))) == 30
    assert list((tmp_path / "kept").glob(".*")) == []


# -------------------------------------------------------------------------------------------- what is kept


@pytest.mark.parametrize(
    "analyzer", [Analyzer(), Analyzer(stop_words=frozenset({"的", "light", "a"}))], ids=["plain", "stop words"]
)
def test_terms_rows_and_tokens_are_what_they_were(kept: Kept, analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch):
    first, again = kept.corpus(), kept.corpus()
    made = TermMatrix.for_corpus(first, analyzer), rows_of(BuiltIn(), first), TokenStore.of(first)
    assert len(kept.places) == 3
    monkeypatch.setattr(TermMatrix, "count", never)
    monkeypatch.setattr(rows.Rows, "narrow", never)
    monkeypatch.setattr(token_store, "_counted", never)
    opened = TermMatrix.for_corpus(again, analyzer), rows_of(BuiltIn(), again), TokenStore.of(again)
    assert [*opened[0].vocabulary.items()] == [*made[0].vocabulary.items()]
    same(opened[0].arrays(), made[0].arrays())
    same(opened[1].arrays(), made[1].arrays())
    assert (opened[1].error, opened[2].ids) == (made[1].error, made[2].ids)
    for name in ("rows", "docs", "starts", "df"):
        np.testing.assert_array_equal(getattr(opened[2], name), getattr(made[2], name))
    search = BM25(analyzer=analyzer), Vector(pieces="whole")
    for one in search:
        found, same_found = (one.index(c).search("手机 battery", k=3) for c in (first, again))
        assert [(h.document.id, h.score) for h in found] == [(h.document.id, h.score) for h in same_found]


def test_the_kind_of_a_set_of_stop_words_is_the_same_in_every_process():
    script = (
        "from lab.retrieve.matrix import _stored_name; from lab.text import Analyzer;"
        "print(_stored_name(Analyzer(stop_words=frozenset('abcdefgh'))))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_the_room_is_that_of_the_setting(monkeypatch: pytest.MonkeyPatch):
    for value, megabytes in (("", 8000), ("5", 5), ("0", 0), ("-3", 0), ("much", 8000)):
        monkeypatch.setenv("LAB_INDEX_MB", value)
        assert indexes.room() == megabytes * (1 << 20)


def test_who_runs_the_lab_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    folder = IndexFolder(tmp_path, lambda: 1e9)
    corpus = Corpus("own", tuple(Document(str(i), t) for i, t in enumerate(TEXTS)), keeper=folder)
    corpus.stored("numbers", "1", numbers)
    corpus.stored("numbers", "2", numbers)
    assert [r.getMessage() for r in caplog.records if r.name == "retrieval_lab"] == [str(OTHER)]
    assert json.loads(next(tmp_path.glob("*/*/about.json")).read_text())["version"] == "2"
