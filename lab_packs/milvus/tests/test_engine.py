"""A corpus that stays in an engine: streamed there, resumed, opened by its name, its texts never loaded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from milvus_at_hand import Server, needs_milvus
from night import for_each, spread

from lab import cli
from lab.algebra import NONE, Query, Runner, Searcher
from lab.corpus import beir, samples
from lab.errors import CorpusError, ParameterError
from lab.evaluate import experiments
from lab.fuse import RRF
from lab.models.lsa import LSA
from lab.refine.diversity import MMR
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab_packs.milvus import engine
from lab_packs.milvus.corpus import EngineCorpus
from lab_packs.milvus.notes import NOTES, Notes
from lab_packs.milvus.searches import MilvusBM25, MilvusVector

pytestmark = needs_milvus
DEVICES = samples.folder("devices")


@pytest.fixture(autouse=True, scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path_factory.mktemp("engine") / "lab.db"
        patch.setenv("LAB_MILVUS_URI", str(path))
        yield path


@pytest.fixture(scope="module")
def devices(file: Path) -> beir.Collection:
    """The devices, streamed into the engine and opened there."""
    steps = list[tuple[int, int]]()
    filled = engine.fill(DEVICES, progress=lambda done, total: steps.append((done, total)))
    assert filled == engine.Filled("devices", len(samples.load("devices").corpus))
    assert steps[-1][0] == steps[-1][1] == 2 * (DEVICES / "corpus.jsonl").stat().st_size
    return engine.open_corpus("devices")


def folder(tmp_path: Path, n: int, **more: Any) -> Path:
    """A BEIR folder of so many passages."""
    tmp_path.mkdir(parents=True, exist_ok=True)
    rows = [{"_id": f"p{i}", "title": f"Title {i}", "text": f"battery 电池 number {i}", **more} for i in range(n)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return tmp_path


# ------------------------------------------------------------------------------------------------ as in memory


def test_what_is_streamed_is_found_and_read_as_in_memory(devices: beir.Collection) -> None:
    true, corpus = samples.load("devices"), devices.corpus
    assert isinstance(corpus, EngineCorpus)
    assert len(corpus) == len(true.corpus)
    lists: dict[str, tuple[Searcher, Searcher]] = {
        "words": (BM25(), BM25()),
        "vectors": (MilvusVector(), Vector(pieces="whole")),
        "both": (RRF()(BM25(), Vector(pieces="whole")) >> MMR(k=5), RRF()(BM25(), Vector(pieces="whole")) >> MMR(k=5)),
    }
    for name, (ours, exact) in lists.items():
        for query in true.queries[:8]:
            mine, theirs = Runner(corpus)(ours, query, 10), Runner(true.corpus)(exact, query, 10)
            assert mine.ids == theirs.ids, (name, query.text)
            assert [(h.document.title, h.document.text) for h in mine] == [
                (h.document.title, h.document.text) for h in theirs
            ]
            assert [dict(h.document.metadata) for h in mine] == [dict(h.document.metadata) for h in theirs]
    made = Runner(corpus)(BM25(), true.queries[0], 3).made_by
    assert made == MilvusBM25(BM25()), "the list says what it was made by"


def test_questions_and_judgments_come_along(devices: beir.Collection) -> None:
    true = samples.load("devices")
    assert devices.queries == true.queries
    assert {q: dict(g) for q, g in devices.qrels.items()} == {q: dict(g) for q, g in true.qrels.items()}
    made = experiments.evaluate({"BM25": BM25()}, devices, ["nDCG@10"], limit=20)
    same = experiments.evaluate({"BM25": BM25()}, true, ["nDCG@10"], limit=20)
    assert made.scores["BM25"].means == pytest.approx(same.scores["BM25"].means)


def test_a_passage_is_read_by_its_id_or_place_and_nobody_reads_all(devices: beir.Collection) -> None:
    true, corpus = samples.load("devices").corpus, engine.open_corpus("devices").corpus
    some = true.documents[17]
    assert corpus.get(some.id) == some
    assert corpus.positions[some.id] == 17
    assert corpus.get("nobody") is None
    assert corpus.get('x" or place >= 0 or id == "y') is None
    assert corpus.documents[3] == true.documents[3]
    assert corpus.documents[2:5] == true.documents[2:5]
    for read in (lambda: list(corpus), lambda: [*corpus.positions], lambda: sum(len(d.text) for d in corpus.documents)):
        with pytest.raises(CorpusError, match="devices stay in Milvus; this step would need all"):
            read()


@for_each(
    "search",
    [TFIDF(), BM25(k1=0.5), Vector(LSA(8)), Vector(space="l2"), MilvusVector(kind="FLAT"), MilvusBM25(BM25(b=0.1))],
)
def test_a_search_that_it_was_not_filled_for_is_refused_in_a_sentence(devices: Any, search: Searcher) -> None:
    with pytest.raises((ParameterError, CorpusError), match=r"(?:stay|stored) in Milvus") as told:
        Runner(devices.corpus)(search, "battery", 3)
    assert told.value.remedy


def test_filters_are_pushed_down_there_too(devices: beir.Collection) -> None:
    ranking = Runner(devices.corpus)(MilvusBM25(where='{"lang": "zh"}'), "电池", 10)
    assert len(ranking)
    assert {h.document.metadata["lang"] for h in ranking} == {"zh"}


# --------------------------------------------------------------------------------------------- again, refused


def test_a_file_that_has_changed_is_refused_or_replaces_what_is_there(tmp_path: Path) -> None:
    engine.fill(folder(tmp_path, 5), name="changing", vector=None)
    assert engine.fill(folder(tmp_path, 5), name="changing", vector=None).passages == 5
    with pytest.raises(CorpusError, match="holds other passages"):
        engine.fill(folder(tmp_path, 6), name="changing", vector=None)
    assert len(engine.open_corpus("changing").corpus) == 5
    assert engine.fill(folder(tmp_path, 6), name="changing", vector=None, replace=True).passages == 6
    assert "changing" in engine.names()
    assert len(Runner(engine.open_corpus("changing").corpus)(BM25(), "battery", 10)) == 6


@pytest.mark.parametrize("name", ["员工手册", "a b/c", "x" * 300, "Ünïcode_1"])
def test_any_name_is_a_name(name: str, tmp_path: Path) -> None:
    engine.fill(folder(tmp_path, 3), name=name, vector=None)
    assert len(engine.open_corpus(name).corpus) == 3
    assert engine.open_corpus(name).corpus.name == f"milvus:{name}"
    assert name in engine.names()
    assert len({engine.slug(n) for n in ("a b", "a_b", "a-b", "a.b")}) == 4


HEADS = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"{}",
    b"\xff\xff",
    b"[" * 9999,
    b'{"title": "torn", "documents": 1e999}',
    b'{"title": "torn", "documents": "many"}',
    b'{"title": ["torn"], "documents": 3}',
    b'{"title": "\\ud800", "documents": 3}',
    b'{"documents": 3, "source": "x", "made": ""}',
]


@pytest.mark.parametrize("head", spread(HEADS, 4))
def test_a_collection_with_a_damaged_head_hides_no_other_and_cannot_be_opened(head: bytes, tmp_path: Path) -> None:
    engine.fill(folder(tmp_path / "whole", 3), name="whole", vector=None)
    engine.fill(folder(tmp_path / "torn", 3), name="torn", vector=None)
    milvus = engine.engine_of(NONE)
    Notes(milvus).put([("corpus_torn/head", head)])
    assert engine.names()["whole"] == 3
    assert "torn" not in engine.names()
    with pytest.raises(CorpusError):
        engine.open_corpus("torn")
    assert len(engine.open_corpus("whole").corpus) == 3
    assert engine.fill(folder(tmp_path / "torn", 3), name="torn", vector=None, replace=True).passages == 3
    milvus.call("upsert", NOTES, [{"name": "corpus_torn/head", "value": "\x01 no base 85", "nothing": [0.0, 0.0]}])
    assert "torn" not in engine.names()
    assert engine.names()["whole"] == 3


def test_what_cannot_stream_says_so(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot be streamed"):
        engine.fill(tmp_path)
    with pytest.raises(ParameterError, match="learned from the whole corpus"):
        engine.fill(folder(tmp_path, 3), vector=MilvusVector(LSA(4)))
    with pytest.raises(ParameterError, match="average length of all texts"):
        engine.fill(folder(tmp_path, 3), vector=MilvusVector(scale="by length"))
    with pytest.raises(ParameterError, match="No search was given"):
        engine.fill(folder(tmp_path, 3), bm25=None, vector=None)
    with pytest.raises(CorpusError, match=r"Size of the text of document “p0” in bytes: 90,000"):
        engine.fill(folder(tmp_path / "long", 3, text="电" * 30_000), name="long")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}\n')
    with pytest.raises(CorpusError, match=r"line 2: The “_id” “a” is already used in line 1"):
        engine.fill(tmp_path, name="twice")
    with pytest.raises(CorpusError, match="no collection “nobody” in Milvus") as told:
        engine.open_corpus("nobody")
    assert "Collections: " in told.value.remedy


# ------------------------------------------------------------------------------------------------------ killed

KILLED = """
import os, signal, sys
from lab_packs.milvus import engine
from lab_packs.milvus.shelf import Shelf
at, after, where = sys.argv[1], int(sys.argv[2]), sys.argv[3]
real, done = getattr(Shelf, at), []
def stopped(self, *args, **named):
    if len(done) == after:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(1)
    return real(self, *args, **named)
setattr(Shelf, at, stopped)
engine.fill(where, name="killed", vector=None)
"""


@pytest.mark.parametrize(("at", "after"), spread([("_send", 2), ("_counted", 0), ("_create", 0), ("_warm", 0)], 1))
def test_a_process_killed_at_any_point_is_resumed_with_every_passage_once(at: str, after: int, tmp_path: Path) -> None:
    where, uri = folder(tmp_path / "data", 1700), str(tmp_path / "killed.db")
    told = subprocess.run(
        [sys.executable, "-c", KILLED, at, str(after), str(where)],
        env={**os.environ, "LAB_MILVUS_URI": uri},
        check=False,
        timeout=120,
    )
    assert told.returncode == -signal.SIGKILL
    models = {"milvus": uri}
    if at == "_send":
        with pytest.raises(CorpusError, match=r"Stored passages of killed: 1000 of 1700"):
            engine.open_corpus("killed", models)
    assert engine.fill(where, name="killed", vector=None, models=models).passages == 1700
    corpus = engine.open_corpus("killed", models).corpus
    assert isinstance(corpus, EngineCorpus)
    rows = corpus.shelf.get("place >= 0", 9999)
    assert sorted(row["place"] for row in rows) == list(range(1700))
    true = BM25().index(beir.load(where).corpus)
    for text in ("battery 1234", "电池 number 7"):
        assert Runner(corpus)(BM25(), text, 10).ids == true.search(text, k=10).ids


# ------------------------------------------------------------------------------------------- command line


def test_the_command_line_fills_searches_and_evaluates(capsys: Any, devices: Any) -> None:
    assert cli.main(["index", "--data", str(DEVICES), "--engine", "milvus", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passages"] == len(devices.corpus)
    assert (
        cli.main(["search", "--engine", "milvus", "--corpus", "devices", "-k", "3", "--json", "headset shows E21"]) == 0
    )
    mine = json.loads(capsys.readouterr().out)
    assert cli.main(["search", "--corpus", "devices", "-k", "3", "--json", "headset shows E21"]) == 0
    theirs = json.loads(capsys.readouterr().out)
    assert [h["id"] for h in mine["hits"]] == [h["id"] for h in theirs["hits"]]
    for own in (["--engine", "milvus", "--corpus", str(DEVICES)], ["--corpus", "devices"]):
        assert cli.main(["evaluate", *own, "--retriever", "bm25", "--limit", "10", "--json"]) == 0
    first, second = (json.loads(part) for part in _documents(capsys.readouterr().out))
    assert first["searches"][0]["measures"] == pytest.approx(second["searches"][0]["measures"])


def _documents(text: str) -> list[str]:
    decoder, found = json.JSONDecoder(), list[str]()
    while text.strip():
        _, end = decoder.raw_decode(text.lstrip())
        found.append(text.lstrip()[:end])
        text = text.lstrip()[end:]
    return found


def test_the_command_line_names_what_is_there(capsys: Any, devices: Any) -> None:
    assert cli.main(["search", "--engine", "milvus", "--corpus", "nobody", "x"]) == 2
    told = capsys.readouterr().err
    assert "There is no collection “nobody” in Milvus. Collections: " in told
    assert "devices" in told


# -------------------------------------------------------------------------------------------------- memory


@pytest.mark.nightly
def test_twenty_thousand_passages_are_streamed_in_bounded_memory(tmp_path: Path) -> None:
    words = [f"word{i}" for i in range(3000)]
    where = tmp_path / "many"
    where.mkdir()
    with (where / "corpus.jsonl").open("w") as file:
        for i in range(20_000):
            text = " ".join(words[(i * j * 7 + j) % 3000] for j in range(1, 21))
            file.write(json.dumps({"_id": f"p{i}", "text": text}) + "\n")
    code = (
        "import sys; from lab_packs.milvus import engine; engine.fill(sys.argv[1]); "
        "print([x for x in open('/proc/self/status') if x.startswith('VmHWM')][0].split()[1])"
    )
    server = Server(tmp_path / "data").start()
    try:
        environment = {**os.environ, "LAB_MILVUS_URI": server.uri}
        told = subprocess.run(
            [sys.executable, "-c", code, str(where)], env=environment, capture_output=True, text=True, check=True
        )
        assert int(told.stdout) / 1024 < 600
        found = engine.open_corpus("many", {"milvus": server.uri}).corpus
        assert len(Runner(found)(BM25(), Query("word17 word4"), 10)) == 10
    finally:
        server.kill()
