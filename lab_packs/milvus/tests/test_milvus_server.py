"""Milvus on a server: killed and resumed, down, silent, too old, locked; one sentence each, within its deadline."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from milvus_at_hand import NAMED, Server, free_port, needs_milvus, needs_server
from night import for_each, spread

from lab.algebra import Corpus, Document
from lab.errors import ModelError
from lab.models.secrets import Secret
from lab.retrieve.lexical import BM25
from lab_packs.milvus import server as milvus_server
from lab_packs.milvus.searches import MilvusBM25, MilvusVector
from lab_packs.milvus.server import Engine, engine_of
from lab_packs.milvus.shelf import BATCH, Shelf

pytestmark = needs_milvus
WORDS = ["battery", "noise", "charger", "refund", "电池", "耳机", "充电", "年假"]


def corpus_of(n: int, name: str) -> Corpus:
    texts = (" ".join(WORDS[(i * j) % len(WORDS)] for j in range(1, 4)) for i in range(n))
    return Corpus(name, tuple(Document(f"d{i}", f"{t} {name} {i}") for i, t in enumerate(texts)))


SMALL = corpus_of(40, "small")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("server")).start()
    yield running
    running.kill()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits here as long as in front of a page."""
    monkeypatch.setattr(milvus_server, "PATIENCE", 1.0)
    monkeypatch.delenv("LAB_MILVUS_TOKEN", raising=False)


# ------------------------------------------------------------------------------------------ killed, resumed


@pytest.mark.nightly
def test_a_server_killed_in_mid_fill_ends_with_every_passage_once(server: Server, monkeypatch: Any) -> None:
    corpus, models = corpus_of(4 * BATCH, "killed"), {"milvus": server.uri}
    send, sent = Shelf._send, list[int]()

    def kill_at_the_third(self: Shelf, *args: Any) -> None:
        if len(sent) == 2:
            server.kill()
        send(self, *args)
        sent.append(args[-1][0])

    with monkeypatch.context() as patch:
        patch.setattr(Shelf, "_send", kill_at_the_third)
        patch.setattr("lab_packs.milvus.shelf.LONG", 2.0)
        with pytest.raises(ModelError, match="does not answer") as told:
            MilvusBM25().index(corpus, models=models)
    assert "in memory" in told.value.remedy
    assert sent == [0, BATCH]
    server.start()
    again = list[int]()
    monkeypatch.setattr(Shelf, "_send", lambda self, *args: (send(self, *args), again.append(args[-1][0])))
    index = MilvusBM25().index(corpus, models=models)
    assert again == [2 * BATCH, 3 * BATCH], "what was acknowledged is not sent again"
    assert index.shelf is not None
    rows = index.shelf.engine.call("query", index.shelf.name, filter="place >= 0", output_fields=["place"], limit=9999)
    assert sorted(row["place"] for row in rows) == list(range(4 * BATCH))
    true = BM25().index(corpus).search("电池 noise 1999")
    assert index.search("电池 noise 1999").ids == true.ids


@pytest.mark.nightly
def test_an_index_outlives_a_restart_of_its_server(server: Server) -> None:
    models = {"milvus": server.uri}
    indexes = [MilvusBM25().index(SMALL, models=models), MilvusVector().index(SMALL, models=models)]
    before = [index.search("battery 7", k=5) for index in indexes]
    server.kill()
    for index in indexes:
        start = time.monotonic()
        with pytest.raises(ModelError, match=f"at {server.uri} does not answer"):
            index.search("battery")
        assert time.monotonic() - start < 6 * milvus_server.PATIENCE
    server.start()
    assert [index.search("battery 7", k=5).ids for index in indexes] == [ranking.ids for ranking in before]


def test_two_visitors_who_fill_at_once_write_one_collection(server: Server) -> None:
    corpus, models = corpus_of(2 * BATCH, "both"), {"milvus": server.uri}
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda _: MilvusBM25().index(Corpus("x", corpus.documents), models=models), range(2)))
    assert {index.shelf.count() for index in made if index.shelf} == {2 * BATCH}


# ------------------------------------------------------------------------------------------------ no answer


def test_a_server_that_is_down_is_named_with_the_next_step() -> None:
    uri = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(ModelError) as told:
        MilvusBM25().index(SMALL, models={"milvus": uri})
    assert told.value.message == f"The Milvus server at {uri} does not answer."
    assert told.value.remedy == (
        "Start it, or check LAB_MILVUS_URI. Until then, search the same corpus in memory with BM25 and Vector."
    )


@contextmanager
def silent() -> Iterator[str]:
    """What takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as own:
        yield f"http://127.0.0.1:{own.getsockname()[1]}"


def test_one_that_says_nothing_is_given_up_within_its_deadline() -> None:
    with silent() as uri:
        start = time.monotonic()
        with pytest.raises(ModelError, match="does not answer"):
            MilvusBM25().index(SMALL, models={"milvus": uri})
        assert time.monotonic() - start < 6 * milvus_server.PATIENCE


@contextmanager
def answers(version: str = "v2.6.1", *, refuses: str = "", slow: float = 0.0) -> Iterator[str]:
    """A server that speaks Milvus as far as a connection goes."""
    import grpc
    from pymilvus.grpc_gen import common_pb2, milvus_pb2, milvus_pb2_grpc

    class Answers(milvus_pb2_grpc.MilvusServiceServicer):
        def Connect(self, request: Any, context: Any) -> Any:
            if refuses:
                context.abort(getattr(grpc.StatusCode, refuses), "auth check failure, please check api key is correct")
            return milvus_pb2.ConnectResponse(status=common_pb2.Status(code=0), identifier=1)

        def GetVersion(self, request: Any, context: Any) -> Any:
            done.wait(slow)
            return milvus_pb2.GetVersionResponse(status=common_pb2.Status(code=0), version=version)

    done = threading.Event()
    own = grpc.server(ThreadPoolExecutor(4))
    milvus_pb2_grpc.add_MilvusServiceServicer_to_server(Answers(), own)
    port = own.add_insecure_port("127.0.0.1:0")
    own.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        done.set()
        own.stop(0).wait()


def test_a_login_that_is_refused_says_where_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_MILVUS_TOKEN", "root:SECRETPW")
    with answers(refuses="UNAUTHENTICATED") as uri, pytest.raises(ModelError, match="refuses the login") as told:
        MilvusBM25().index(SMALL, models={"milvus": uri})
    assert "LAB_MILVUS_TOKEN" in told.value.remedy
    assert "SECRETPW" not in str(told.value)


@pytest.mark.parametrize("version", ["v2.2.16", "1.1"])
def test_one_that_is_too_old_says_so(version: str) -> None:
    with answers(version) as uri, pytest.raises(ModelError, match=f"is Milvus {version}") as told:
        engine_of({"milvus": uri})
    assert "2.4 or newer" in told.value.remedy


@for_each("version", ["v2.4.0", "2.6.1", "v3.0-dev", "milvus_lite-3.2.2"])
def test_one_that_is_new_enough_is_taken(version: str) -> None:
    with answers(version) as uri:
        assert engine_of({"milvus": uri}).shown == uri


def test_one_that_answers_too_late_is_not_waited_for() -> None:
    with answers(slow=30) as uri:
        start = time.monotonic()
        with pytest.raises(ModelError, match="does not answer"):
            engine_of({"milvus": uri})
        assert time.monotonic() - start < 6 * milvus_server.PATIENCE


def test_something_else_at_the_address_is_no_milvus() -> None:
    import grpc

    own = grpc.server(ThreadPoolExecutor(1))
    port = own.add_insecure_port("127.0.0.1:0")
    own.start()
    try:
        with pytest.raises(ModelError, match=r"No supported Milvus server|does not answer") as told:
            engine_of({"milvus": f"http://127.0.0.1:{port}"})
        assert "LAB_MILVUS_URI" in told.value.remedy
    finally:
        own.stop(0).wait()


# ----------------------------------------------------------------------------------------------- a real one


@needs_server
def test_the_server_that_the_environment_names_gives_what_memory_gives() -> None:
    corpus, models = corpus_of(2 * BATCH, "real"), {"milvus": NAMED}
    index = MilvusBM25().index(corpus, models=models)
    assert index.search("电池 noise 17").ids == BM25().index(corpus).search("电池 noise 17").ids
    near = MilvusVector().index(corpus, models=models)
    assert near.search("电池 noise 17", k=5).ids == MilvusVector().exact.index(corpus).search("电池 noise 17", k=5).ids


@pytest.mark.parametrize(
    "said", ["Error in void faiss::read_xb_vector", "No data left in file", "EOF: reading array", "not fully written"]
)
@pytest.mark.parametrize(("late", "asked"), spread([(True, 3), (False, 1)], 1))
def test_an_index_that_lite_is_still_writing_is_asked_again(
    late: bool, asked: int, said: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(milvus_server, "HALF_WRITTEN", (0.0, 0.0, 0.0))
    engine, tries = object.__new__(Engine), list[int]()
    engine.late, engine.token, engine.address, engine.lite = late, Secret(""), "/lab.db", True

    def ask() -> str:
        tries.append(1)
        if len(tries) < 3:
            raise RuntimeError(said)
        return "hits"

    if late:
        assert engine._with_lab_errors(ask) == "hits"
    else:
        with pytest.raises(ModelError, match=said):
            engine._with_lab_errors(ask)
    assert len(tries) == asked
