"""Chroma: what its distances are, filters and thresholds, one copy of everything, and servers that fail."""

from __future__ import annotations

import gc
import http.server
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import pytest
from night import for_each, spread

from lab.algebra import Corpus, Document, Ranking, index_of, tie_key
from lab.errors import ModelError, ParameterError, QueryError
from lab.explain.approximation import Cloud, corpus_cloud, hnsw_against_exact, random_cloud
from lab.models.embedders import Embedder, Encoder, vectors_of
from lab.models.lsa import LSA
from lab.models.static import BuiltIn
from lab.refine.diversity import MMR
from lab.retrieve import chroma
from lab.retrieve.chroma import ChromaVector, spelled
from lab.retrieve.fingerprint import SAMPLED
from lab.retrieve.store import ExactVector
from lab.retrieve.vector import SCALES, SPACES
from lab.retrieve.where import chroma_metadata
from lab.text import Analyzer

WORDS = ["battery", "noise", "headphones", "charger", "leave", "refund", "电池", "耳机", "充电", "报销", "年假", "退货"]


def corpus_of(n: int, name: str = "chroma test", seed: int = 0) -> Corpus:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, size=rng.integers(1, 9))) for _ in range(n)]
    return Corpus(
        name,
        tuple(
            Document(f"d{i}", f"{t} {i}", metadata={"n": i, "tags": ["even"] if i % 2 == 0 else []})
            for i, t in enumerate(texts)
        ),
    )


SMALL = corpus_of(120)


@dataclass(frozen=True)
class Points(Embedder):
    """Texts are their own vectors: "3 4"; ``shift`` stands for another version of the model."""

    shift: float = 0.0

    def fit(self, corpus: Corpus) -> Encoder:
        return PointEncoder(self.shift)


class PointEncoder(Encoder):
    dimensions = 2
    seen = 0

    def __init__(self, shift: float) -> None:
        self.shift = shift

    def documents(self, texts, *, progress=None):
        PointEncoder.seen += len(texts)
        return np.array([[float(x) + self.shift for x in t.split()[:2]] for t in texts], dtype=np.float32).reshape(
            len(texts), 2
        )

    def queries(self, texts):
        return np.array([[float(x) + self.shift for x in t.split()[:2]] for t in texts], dtype=np.float32)


def points(*texts: str) -> Corpus:
    return Corpus("points", tuple(Document(f"p{i}", t) for i, t in enumerate(texts)))


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


class Server:
    """``chroma run`` on the loopback, with its data in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            sys.executable,
            "-c",
            "from chromadb.cli.cli import app; app()",
            "run",
            "--path",
            str(self.folder),
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(400):
            try:
                if httpx.get(f"{self.url}/api/v2/heartbeat").status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.05)
        raise AssertionError("the Chroma server does not start")

    def kill(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("chroma"))
    running.start()
    yield running
    running.kill()


@pytest.fixture(autouse=True)
def no_server_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAB_CHROMA_URL", raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def ids(ranking) -> list[str]:
    return [h.document.id for h in ranking]


# ------------------------------------------------------------------------------------- what a distance is


@pytest.mark.parametrize(
    ("space", "distance", "score"),
    [
        ("cosine", 1 - 24 / (5 * 5), 24 / 25),
        ("ip", 1 - 24, 24),
        ("l2", (3 - 4) ** 2 + (4 - 3) ** 2, 1 / (1 + 2)),
    ],
)
def test_distances_are_one_minus_cosine_one_minus_product_and_the_squared_length(
    space: str, distance: float, score: float
) -> None:
    index = ChromaVector(Points(), space).index(points("3 4"))
    (found,) = index.search("4 3").evidence
    assert found.distance == pytest.approx(distance, abs=1e-5)
    assert found.score == pytest.approx(score, abs=1e-5)
    assert (found.rank, found.document.id) == (1, "p0")
    assert index.search("4 3").hits[0].score == found.score


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("scale", spread(SCALES, 1))
def test_chroma_and_the_exact_store_agree(space: str, scale: str) -> None:
    operator = ChromaVector(space=space, scale=scale)
    ours, exact = operator.index(SMALL), operator.exact.index(SMALL)
    for query in ("battery noise", "电池 耳机", "refund"):
        near, true = ours.search(query, k=20), exact.search(query, k=20)
        assert [h.score for h in near] == pytest.approx([h.score for h in true], abs=1e-5)
        truth = {h.document.id: h.score for h in exact.search(query, k=120)}
        assert [truth[i] for i in ids(near)] == pytest.approx([h.score for h in true], abs=1e-5)
        for hit in near:
            assert not hit.why or sum(c.value for c in hit.why) == pytest.approx(hit.score, abs=1e-6)


def test_with_unit_vectors_the_three_spaces_agree_and_with_raw_ones_they_do_not() -> None:
    # scaled by length, the long text wins by its size in ip, and by its distance loses in l2
    corpus = points("3 4 " + "x" * 200, "5 12", "1 0")
    orders = {
        scale: {space: ids(ChromaVector(Points(), space, scale=scale).index(corpus).search("5 12")) for space in SPACES}
        for scale in SCALES
    }
    assert orders["unit"] == dict.fromkeys(SPACES, ["p1", "p0", "p2"])
    assert orders["by length"]["cosine"] == ["p1", "p0", "p2"]
    assert orders["by length"]["ip"][0] == "p0"
    assert orders["by length"]["l2"][-1] == "p0"


def test_ties_are_in_the_order_of_every_list_also_where_it_is_cut() -> None:
    corpus = points(*["3 4"] * 60)
    index = ChromaVector(Points()).index(corpus)
    assert ids(index.search("4 3", k=7)) == sorted((f"p{i}" for i in range(60)), key=tie_key)[:7]


def test_nothing_to_search_gives_nothing() -> None:
    assert ChromaVector().index(Corpus("empty", ())).search("battery").hits == ()
    index = ChromaVector().index(SMALL)
    assert index.search("  ").hits == ()
    assert index.search("\u0e00").hits == ()
    with pytest.raises(ParameterError):
        index.search("battery", k=0)


@pytest.mark.parametrize("space", SPACES)
def test_a_document_without_a_known_sign_is_found_in_no_space(space: str) -> None:
    corpus = Corpus("signs", tuple(Document(t or "nothing", t) for t in ("", "🙂", "手机电池", "headphones")))
    assert set(ids(ChromaVector(space=space).index(corpus).search("电"))) == {"手机电池", "headphones"}


def test_a_document_as_far_as_the_origin_is_found_all_the_same() -> None:
    assert ids(ChromaVector(Points(), "l2").index(points("0 0", "6 0", "9 0")).search("3 0")) == ["p1", "p2"]


# ------------------------------------------------------------------------------ filters, thresholds, MMR


def test_filters_on_metadata_numbers_and_lists() -> None:
    def search(where: object) -> Ranking:
        return ChromaVector(where=json.dumps(where)).index(SMALL).search("battery", k=200)

    late = search({"n": {"$gte": 100}})
    assert all(h.document.metadata["n"] >= 100 for h in late)
    assert len(late) == 20
    even = search({"tags": {"$contains": "even"}})
    assert {h.document.metadata["n"] % 2 for h in even} == {0}
    assert len(even) == 60
    both = search({"$and": [{"n": {"$lt": 10}}, {"tags": {"$contains": "even"}}]})
    assert {h.document.metadata["n"] for h in both} == {0, 2, 4, 6, 8}


@for_each("text", ["{", "[1]", "3", "lang = en", "{'lang': 'en'}", "[" * 100_000, '{"a": ' * 300 + "1" + "}" * 300])
def test_a_filter_that_is_no_json_object_is_refused_when_it_is_made(text: str) -> None:
    with pytest.raises(QueryError, match="not a JSON object") as told:
        ChromaVector(where=text)
    assert '{"lang": "en"}' in told.value.remedy


def test_a_filter_or_a_threshold_needs_no_index_of_its_own() -> None:
    corpus = corpus_of(30, "search time")
    index_of(ChromaVector(), corpus)
    steps: list[int] = []
    narrow = index_of(
        ChromaVector(where='{"n": 3}', max_distance=2.0), corpus, progress=lambda done, total: steps.append(done)
    )
    assert steps == []
    assert narrow.operator == ChromaVector(where='{"n": 3}', max_distance=2.0)
    assert ids(narrow.search("battery 3")) in (["d3"], [])
    assert index_of(ChromaVector(), corpus).operator == ChromaVector(), "and the plain one stays plain"


def test_a_threshold_on_a_distance_keeps_what_is_below_it() -> None:
    index = ChromaVector().index(SMALL)
    every = index.search("battery noise", k=30).evidence
    limit = every[9].distance
    ranking = ChromaVector(max_distance=limit).index(SMALL).search("battery noise", k=30)
    assert ranking.evidence == every, "raw distances of what was kept and what was cut"
    assert ids(ranking) == [n.document.id for n in every if n.distance <= limit]
    assert [d.document.id for d in ranking.dropped] == [n.document.id for n in every if n.distance > limit]
    assert (
        ranking.dropped[0].reason == f"Distance {every[len(ranking)].distance:.4f} is above the threshold {limit:.4f}."
    )


def test_mmr_works_on_what_chroma_found() -> None:
    found = ChromaVector().index(SMALL).search("battery noise", k=20)
    diverse = found.then(MMR(k=5))
    assert len(diverse) == 5
    assert diverse.hits[0].document == found.hits[0].document
    assert [r.made_by.label for r in diverse.lineage()] == ["Chroma · Built-in bilingual", "MMR"]


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (
            {"a": 1, "b": 1.5, "c": True, "d": "x", "e": ["x", "y"]},
            {"a": 1, "b": 1.5, "c": True, "d": "x", "e": ["x", "y"]},
        ),
        ({"a": None, "b": [], "c": float("nan"), "d": float("inf"), "": 1, "$x": 1, "chroma:document": "x"}, None),
        ({"a": 10**400, "b": -(10**400), "c": True}, {"c": True}),
        ({"a": 2**70, "b": "half \ud83d", "c": ("x",)}, {"a": float(2**70), "b": "half ?", "c": ["x"]}),
        ({}, None),
    ],
)
def test_metadata_is_made_acceptable(given: dict, taken: dict | None) -> None:
    assert chroma_metadata(given) == taken
    corpus = Corpus(f"odd metadata {sorted(given)}", (Document("a", "battery", metadata=given), Document("b", "noise")))
    assert ids(ChromaVector().index(corpus).search("battery", k=1)) == ["a"]


# ---------------------------------------------------------------------------------- collections in process


def names() -> set[str]:
    gc.collect()
    return {c.name for c in chroma.connect().list_collections()}


def test_a_collection_is_made_once_shared_and_deleted_when_the_last_index_goes() -> None:
    operator = ChromaVector()
    corpus = corpus_of(20, "shared")
    one = operator.index(corpus)
    two = operator.index(Corpus("the same content, another name", corpus.documents))
    assert one.shelf is two.shelf
    assert operator.collection(corpus) in names()
    del one
    assert operator.collection(corpus) in names()
    assert len(two.search("battery", k=3)) == 3
    del two
    assert operator.collection(corpus) not in names()


def test_the_tags_of_a_collection_that_is_gone_do_not_come_back_in_the_next() -> None:
    for tags in ({"tags": ["x"]}, {}):
        corpus = Corpus("tags", tuple(Document(f"t{i}", f"battery {i}", metadata=tags) for i in range(3)))
        search = ChromaVector(where='{"tags": {"$contains": "x"}}')
        assert len(search.index(corpus).search("battery")) == (3 if tags else 0)
        assert search.collection(corpus) not in names()


def test_names_tell_apart_what_differs_and_are_valid_everywhere() -> None:
    corpora = [SMALL, corpus_of(3)]
    embedders = [BuiltIn(), LSA(), LSA(64), LSA(analyzer=Analyzer(stop_words=frozenset("abcdef")))]
    found = [
        ChromaVector(e, s, scale=x).collection(c) for c in corpora for e in embedders for s in SPACES for x in SCALES
    ]
    assert len(set(found)) == len(found)
    assert all(re.fullmatch("[a-z0-9][a-z0-9-]{1,61}[a-z0-9]", name) for name in found)


def test_a_specification_is_spelled_the_same_whatever_order_a_set_has() -> None:
    words = [f"word{i}" for i in range(50)]
    one, two = Analyzer(stop_words=frozenset(words)), Analyzer(stop_words=frozenset(reversed(words)))
    assert spelled(LSA(analyzer=one)) == spelled(LSA(analyzer=two))
    imports = "from lab.retrieve.chroma import spelled; from lab.text import Analyzer"
    code = f"{imports}; print(spelled(Analyzer(stop_words=frozenset('abcdef'))))"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_the_store_in_process_opens_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert len(ChromaVector().index(corpus_of(30, "quiet")).search("battery", k=3)) == 3
    assert chroma.connect().get_settings().anonymized_telemetry is False


# ------------------------------------------------------------------------------------------------ servers


def test_a_server_gives_what_the_process_gives_and_is_filled_once(server: Server) -> None:
    corpus = corpus_of(450, "on a server")
    steps: list[tuple[int, int]] = []
    operator, models = ChromaVector(), {"chroma": server.url}
    index = operator.index(corpus, models=models, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(200, 450), (400, 450), (450, 450)]
    here = ChromaVector().index(corpus).search("battery noise", k=10)
    there = index.search("battery noise", k=10)
    assert [h.score for h in there] == pytest.approx([h.score for h in here], abs=1e-5)
    steps.clear()
    again = operator.index(
        Corpus("another visitor", corpus.documents),
        models=models,
        progress=lambda done, total: steps.append((done, total)),
    )
    assert steps == [(450, 450)]
    assert again.shelf.count() == 450


def test_another_visitor_embeds_a_sample_of_the_documents_only(server: Server) -> None:
    corpus = points(*(f"{i} {i + 1}" for i in range(300)))
    operator, models = ChromaVector(Points()), {"chroma": server.url}
    operator.index(corpus, models=models)
    before = PointEncoder.seen
    operator.index(Corpus("points", corpus.documents), models=models)
    assert PointEncoder.seen == before + SAMPLED


def test_a_stopped_fill_goes_on_where_it_was(server: Server) -> None:
    corpus = corpus_of(700, "stopped", seed=1)

    def stop(done: int, total: int) -> None:
        if done >= 400:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ChromaVector().index(corpus, models={"chroma": server.url}, progress=stop)
    steps: list[int] = []
    index = ChromaVector().index(corpus, models={"chroma": server.url}, progress=lambda done, total: steps.append(done))
    assert steps == [600, 700]
    assert index.shelf.count() == 700


@pytest.mark.nightly
def test_killing_the_server_in_mid_fill_ends_with_exactly_one_copy_of_every_chunk(tmp_path: Path) -> None:
    server = Server(tmp_path / "data")
    server.start()
    try:
        corpus = corpus_of(1300, "killed", seed=2)
        operator, models = ChromaVector(), {"chroma": server.url}

        def kill(done: int, total: int) -> None:
            if done == 600:
                server.kill()

        with pytest.raises(ModelError, match="does not answer") as told:
            operator.index(corpus, models=models, progress=kill)
        assert "exact store" in told.value.remedy
        assert len(operator.exact.index(corpus).search("battery", k=5)) == 5, "the lab goes on with the exact store"

        server.start()
        steps: list[int] = []
        index = operator.index(corpus, models=models, progress=lambda done, total: steps.append(done))
        assert steps[0] > 600, "what was sent before is not sent again"
        found = index.shelf.collection.get(include=["embeddings"])
        assert sorted(map(int, found["ids"])) == list(range(1300))
        rows = np.array(
            [
                row
                for _, row in sorted(zip(map(int, found["ids"]), found["embeddings"], strict=True), key=lambda p: p[0])
            ]
        )
        assert np.allclose(rows, vectors_of(BuiltIn(), corpus), atol=1e-5)
        exact = operator.exact.index(corpus).search("电池 noise", k=10)
        assert [h.score for h in index.search("电池 noise", k=10)] == pytest.approx([h.score for h in exact], abs=1e-5)

        server.kill()
        with pytest.raises(ModelError, match="does not answer"):
            index.search("battery")
        server.start()
        assert len(index.search("battery", k=5)) == 5, "an index outlives a restart of its server"
    finally:
        server.kill()


def test_vectors_of_another_version_of_the_model_are_replaced(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    corpus = points("3 4", "5 12", "8 6")
    old, models = ChromaVector(Points()), {"chroma": server.url}
    old.index(corpus, models=models)
    shelf = chroma.open_shelf(server.url, old.collection(corpus), "cosine")
    shelf.collection.upsert(ids=["0", "1", "2"], embeddings=np.array([[9, 0], [0, 9], [1, 1]], dtype=np.float32))
    caplog.clear()
    index = old.index(Corpus("points", corpus.documents), models=models)
    assert ids(index.search("5 12", k=1)) == ["p1"]
    assert index.shelf.count() == 3
    assert [r.getMessage() for r in caplog.records] == [*map(str, index.remarks)]
    assert [*index.remarks] == [
        f"The collection {old.collection(corpus)} has vectors of another model, and is filled again."
    ]


def test_passages_that_a_server_has_lost_are_named_when_they_are_added(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    corpus, models = points("7 24", "5 12", "8 15"), {"chroma": server.url}
    shelf = ChromaVector(Points()).index(corpus, models=models).shelf
    for lost in (["1"], ["0", "1", "2"], []):
        if lost:
            shelf.collection.delete(ids=lost)
        caplog.clear()
        ChromaVector(Points()).index(Corpus("points", corpus.documents), models=models)
        there = f"had passages: {3 - len(lost)} of 3. The others are added."
        assert [r.getMessage() for r in caplog.records] == [
            f"The collection {shelf.name} on the server {there}"
        ] * bool(lost)


def test_a_server_that_is_down_is_named_with_a_remedy() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(ModelError) as told:
        ChromaVector().index(SMALL, models={"chroma": url})
    assert told.value.message == f"The Chroma server at {url} does not answer."
    assert "chroma run" in told.value.remedy


@contextmanager
def answers(status: int, body: str) -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{web.server_port}"
    finally:
        web.shutdown()
        web.server_close()


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, json.dumps("0.5.23"), "version 0.5.23"),
        (404, "{}", "status 404"),
        (200, "<html>", "status 200"),
        (200, "{}", "status 200"),
    ],
)
def test_a_server_of_another_version_or_of_something_else_is_named(status: int, body: str, said: str) -> None:
    with (
        answers(status, body) as url,
        pytest.raises(ModelError, match=re.escape(f"not a Chroma server of version 1 ({said})")),
    ):
        ChromaVector().index(SMALL, models={"chroma": url})


def test_an_address_that_is_none_is_refused_at_once() -> None:
    for bad in ("localhost:8000", "ftp://x", "http://", "http://x:notaport", "nonsense"):
        with pytest.raises(ParameterError, match="address"):
            ChromaVector().index(SMALL, models={"chroma": bad})


def test_the_environment_chooses_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv("LAB_CHROMA_URL", url)
    with pytest.raises(ModelError, match=f"at {re.escape(url)} does not answer"):
        ChromaVector().index(SMALL)
    assert ChromaVector().index(SMALL, models={"chroma": ""}).search("battery").hits, "what the run says comes first"
    assert "http" not in repr(ChromaVector()), "a specification holds no address"
    assert ChromaVector(LSA(4), "l2", scale="unit").exact == ExactVector(LSA(4), "l2", scale="unit")


# ---------------------------------------------------------------------------------------- exact or HNSW


@pytest.mark.nightly
def test_a_broader_search_finds_more_of_the_true_neighbours() -> None:
    seen = []
    rows = hnsw_against_exact(
        [random_cloud(200, 20), random_cloud(2000, 20)],
        ef_search=(10, 200),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert [(r.n, r.ef_search) for r in rows] == [(200, 10), (200, 200), (2000, 10), (2000, 200)]
    assert seen[-1] == (4, 4)
    assert rows[3].recall > rows[2].recall
    assert rows[3].recall > 0.95
    assert all(0 < r.recall <= 1 and r.hnsw_ms > 0 and r.exact_ms > 0 for r in rows)
    assert not any(name.startswith("lab-cloud") for name in names())


def test_the_vectors_of_a_corpus_are_measured_each_once() -> None:
    corpus = points(*["3 4"] * 20, *(f"{i} 1" for i in range(30)), "0 0")
    cloud = corpus_cloud(corpus, Points(), ["4 3", "1 9"], most=12)
    assert len(np.unique(cloud.vectors, axis=0)) == len(cloud.vectors) == 11, "12 texts, evenly spread, without the 0"
    (row,) = hnsw_against_exact([cloud], ef_search=(200,))
    assert (row.corpus, row.n, row.recall) == ("points", 11, 1.0)


@for_each(
    "cloud, ef, wrong",
    [(random_cloud(5), 10, "vectors"), (random_cloud(50), 0, "ef_search"), (random_cloud(50, 0), 9, "queries")],
)
def test_a_comparison_of_fewer_than_are_looked_for_is_refused(cloud: Cloud, ef: int, wrong: str) -> None:
    with pytest.raises(ParameterError, match=wrong):
        hnsw_against_exact([cloud], ef_search=(ef,))


@pytest.mark.parametrize("limit", ["x", float("nan"), -1.0])
def test_a_threshold_is_a_number_from_zero(limit: object) -> None:
    with pytest.raises(ParameterError, match="max_distance"):
        ChromaVector(max_distance=limit)  # type: ignore[arg-type]
