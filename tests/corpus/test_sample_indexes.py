"""Indexes of the sample corpora are built once, come with a wheel, and are rebuilt when texts or analysis differ."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.algebra import Arrays, Corpus, Document
from lab.corpus import indexes, samples
from lab.retrieve.lexical import BM25, TFIDF
from maintenance import wheel

ROOT = Path(__file__).parents[2]
NOTES = Corpus("notes", (Document("a", "red fox"), Document("b", "狐狸")))


class Built:
    """Counts how often something is built."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> Arrays:
        self.times += 1
        return {"numbers": np.arange(3)}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAB_INDEX_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("LAB_INDEX_MB", raising=False)
    return tmp_path


def once(built: Built, shipped: Path, corpus: Corpus = NOTES, kind: str = "terms", version: str = "1") -> list[int]:
    return list(indexes.of_samples(shipped).once(corpus, kind, version, built)["numbers"])


def test_an_index_is_built_once_and_again_for_other_texts_parameters_versions_and_code(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = Built()
    assert once(built, home / "none") == once(built, home / "none") == [0, 1, 2]
    assert built.times == 1
    changed = replace(NOTES, documents=(*NOTES.documents, Document("c", "more")))
    for n, other in enumerate(({"corpus": changed}, {"kind": "others"}, {"version": "2"}), 2):
        once(built, home / "none", **other)  # type: ignore[arg-type]
        assert built.times == n
    monkeypatch.setattr(indexes, "analysis", lambda: "other code")
    once(built, home / "none")
    assert built.times == 5


def test_shipped_indexes_are_used_and_damaged_ones_are_rebuilt(home: Path) -> None:
    first = Built()
    once(first, home / "none")
    (home / "cache/samples").rename(home / "shipped")
    built = Built()
    assert once(built, home / "shipped") == [0, 1, 2]
    assert built.times == 0
    assert not (home / "cache/samples").exists()
    (array,) = (home / "shipped").rglob("*.npy")
    array.write_bytes(array.read_bytes()[:-1] + b"x")
    assert once(built, home / "shipped") == [0, 1, 2]
    assert built.times == 1


def test_without_room_or_a_folder_that_can_be_written_nothing_is_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = Built()
    monkeypatch.setenv("LAB_INDEX_MB", "0")
    once(built, home / "none")
    monkeypatch.delenv("LAB_INDEX_MB")
    (home / "file").write_text("not a folder")
    monkeypatch.setenv("LAB_INDEX_DIR", str(home / "file"))
    once(built, home / "none")
    assert built.times == 2


def test_the_wheel_gets_the_indexes_with_which_pages_begin_and_they_give_the_same_lists(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel.build(home / "built")
    monkeypatch.setenv("LAB_INDEX_DIR", str(home / "cache"))
    for name in samples.names():
        collection = samples.load(name)
        plain = Corpus(name, collection.corpus.documents)
        shipped = replace(collection.corpus, keeper=indexes.of_samples(home / "built/samples"))
        for search in (BM25(), TFIDF()):
            for query in collection.queries[:5]:
                assert search.index(shipped).search(query) == search.index(plain).search(query)
    assert not (home / "cache/samples").exists()


def test_a_stored_index_needs_nothing_that_builds_one(home: Path) -> None:
    code = (
        "import sys; from lab.cli import main; main(['search', '--corpus', 'devices', '--json', 'printer'])\n"
        "print(sorted({'scipy', 'rjieba'} & sys.modules.keys()), file=sys.stderr)"
    )
    results = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True)
        for _ in range(2)
    ]
    first, second = ([(hit["id"], hit["score"]) for hit in json.loads(x.stdout)["hits"]] for x in results)
    assert first == second
    assert results[1].stderr.strip() == "[]"
