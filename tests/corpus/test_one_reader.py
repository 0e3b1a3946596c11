"""A collection is the same from single files, a folder and a zip: documents, judgments and measures."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from making import docx, pdf, zipped

from lab.corpus import beir
from lab.corpus.beir import Collection
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.reading.read import read_file, read_files
from lab.retrieve.lexical import BM25


def uploaded(files: Mapping[str, bytes]) -> Collection:
    from lab.algebra import Corpus

    read = read_files(files.items())
    return beir.collection(Corpus("c", read.documents), read.queries, read.qrels, map(str, read.problems))


def in_three_ways(files: Mapping[str, bytes], tmp_path: Path) -> list[Collection]:
    """The collection of an upload of the files, of their folder, and of a zip of it."""
    folder = tmp_path / "c"
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (tmp_path / "c.zip").write_bytes(zipped(files))
    return [uploaded(files), beir.load(folder), beir.load(tmp_path / "c.zip")]


def ndcg(collection: Collection) -> float:
    run = run_many({"bm25": BM25()}, collection.corpus, collection.queries)["bm25"]
    return measure_run(run, collection.qrels, ["nDCG@10"]).means["nDCG@10"]


def lines(*records: dict[str, object], ascii_only: bool = False) -> bytes:
    return "".join(json.dumps(r, ensure_ascii=ascii_only) + "\n" for r in records).encode()


QUERIES = lines({"_id": "q1", "text": "north  tower"}, {"_id": "q2", "text": "ferry"})
MADE: dict[str, dict[str, bytes]] = {
    "a passage with a title alone": {
        "corpus.jsonl": lines(
            {"_id": "1", "title": "How tall is the north tower", "text": ""}, {"_id": "2", "text": "Ferry."}
        ),
        "queries.jsonl": QUERIES,
        "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\t1\t1\nq2\t2\t1\n",
    },
    "ids that look like nothing": {
        "corpus.jsonl": lines({"_id": "NA", "text": "The north tower."}, {"_id": "null", "text": "The ferry."}),
        "queries.jsonl": QUERIES,
        "qrels.txt": b"q1 0 NA 1\nq2 0 null 1\n",
    },
    "escaped radicals, line separators and blanks": {
        "corpus.jsonl": lines(
            {
                "_id": "⻝1",
                "title": " 食品 ",
                "text": "⻝品安全\u2028north tower \n",
                "metadata": {"年": "", "k": ["a", 1, None]},
            },
            {"_id": "b", "text": "ferry\r\n\ufeff"},
            ascii_only=True,
        ),
        "queries.jsonl": QUERIES,
        "qrels.csv": "query-id,corpus-id,score\nq1,⻝1,1\nq2,b,2\n".encode(),
    },
    "several splits, and files that are none of it": {
        "corpus.jsonl": lines({"_id": "a", "text": "north tower"}, {"_id": "b", "text": "ferry"}),
        "queries.jsonl": QUERIES,
        "qrels/dev.tsv": b"query-id\tcorpus-id\tscore\nq2\ta\t1\n",
        "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\ta\t1\n",
    },
}


def as_said(collection: Collection) -> object:
    qrels = {query: dict(grades) for query, grades in collection.qrels.items()}
    return collection.corpus.fingerprint, collection.queries, qrels, collection.unknown


@pytest.mark.parametrize("name", MADE)
def test_a_collection_is_the_same_from_files_a_folder_and_a_zip(name: str, tmp_path: Path) -> None:
    upload, folder, archive = in_three_ways(MADE[name], tmp_path)
    assert as_said(upload) == as_said(folder) == as_said(archive)
    assert ndcg(upload) == ndcg(folder) == ndcg(archive) == 1.0


def test_documents_in_a_folder_are_those_of_its_files_and_of_its_zip(tmp_path: Path) -> None:
    files = {
        "notes/a.md": b"# Kites\n\nFly high.\n",
        "b.docx": docx("# One", "Moles dig."),
        "c.pdf": pdf("Owls see."),
        "faq.csv": b"id,text\nx,Hares run\n",
        ".hidden.txt": b"never",
    }
    visible = {name: data for name, data in sorted(files.items()) if not name.startswith(".")}
    _, folder, archive = in_three_ways(files, tmp_path)
    upload = uploaded(visible)
    assert as_said(upload) == as_said(folder) == as_said(archive)
    assert {d.metadata["source"] for d in folder.corpus} == set(visible)


def test_a_corpus_in_one_file_is_that_of_an_upload(tmp_path: Path) -> None:
    for name, record in (
        ("docs.jsonl", {"_id": "1", "text": " a "}),
        ("rows.jsonl", {"id": "1", "text": "a", "lang": "en"}),
    ):
        (tmp_path / name).write_bytes(lines(record))
        assert beir.load(tmp_path / name).corpus.documents == read_file(name, lines(record)).documents


ALL = sorted(p.parent.name for p in Path(os.environ.get("LAB_COLLECTIONS") or "/nowhere").glob("*/corpus.jsonl"))


@pytest.mark.parametrize("name", ALL or ["cmrc2018"])
def test_every_test_collection_is_the_same_from_files_a_folder_and_a_zip(
    name: str, collection: Callable[[str], Path]
) -> None:
    home = collection(name)
    files = {f"{part}": (home / part).read_bytes() for part in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")}
    folder, upload = beir.load(home), uploaded(files)
    read = read_file("c.zip", zipped(files))
    from lab.algebra import Corpus

    archive = beir.collection(Corpus("c", read.documents), read.queries, read.qrels)
    assert as_said(upload) == as_said(folder) == as_said(archive)


def test_the_folder_around_all_files_of_a_zip_is_no_part_of_their_ids(tmp_path: Path) -> None:
    files = {"docs/a.md": b"# Kites\n\nFly high.\n", "docs/sub/b.txt": b"Moles dig."}
    (tmp_path / "docs.zip").write_bytes(zipped(files))
    inside = {name.removeprefix("docs/"): data for name, data in files.items()}
    assert as_said(beir.load(tmp_path / "docs.zip")) == as_said(uploaded(inside))
