"""Embeddings over the network, against the loopback server."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from models.server import Server
from night import for_each

from lab.algebra import Corpus, Document
from lab.errors import ModelError
from lab.models import endpoint as shared
from lab.models.embedders import vectors_of
from lab.models.endpoint import EndpointEmbedder
from lab.models.secrets import Secret
from lab.retrieve.vector import Vector

CORPUS = Corpus("letters", tuple(Document(f"d{i}", "x" * i) for i in range(1, 6)))
CANARY = "sk-canary-77"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)  # the tests need not wait
    with Server() as running:
        yield running


def embedder(server: Server, **options: object) -> EndpointEmbedder:
    return EndpointEmbedder("e", server.url, Secret(CANARY), **options)  # type: ignore[arg-type]


def test_texts_are_sent_in_batches_and_come_back_in_order(server: Server) -> None:
    server.then("shuffled")
    seen: list[tuple[int, int]] = []
    vectors = vectors_of(
        embedder(server, batch_size=2), CORPUS, progress=lambda done, total: seen.append((done, total))
    )
    assert [len(r["input"]) for r in server.requests] == [2, 2, 1]
    assert vectors[:, 0].tolist() == [1, 2, 3, 4, 5]
    assert vectors.dtype == np.float32
    assert seen == [(2, 5), (4, 5), (5, 5)]


def test_an_empty_text_is_sent_as_a_blank(server: Server) -> None:
    embedder(server).fit(CORPUS).documents(["", "a"])
    assert server.requests[0]["input"] == [" ", "a"]


def test_vector_search_works_over_the_network(server: Server) -> None:
    assert Vector(embedder(server)).index(CORPUS).search("xxxxx").hits[0].document.id == "d5"


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("fewer", "/v1: 4, texts sent: 5"),
        ("none", "/v1: 0, texts sent: 5|could not be read"),
        ("ragged", "did not send vectors of equal length"),
        ("truncated", "could not be read"),
        ("endless", "larger than 3 MB"),
        ("401", "does not accept the key"),
        ("reports", "answered with an error: the model is gone"),
    ],
)
def test_every_failure_has_a_face(server: Server, behaviour: str, words: str) -> None:
    server.then(behaviour)
    with pytest.raises(ModelError, match=words) as caught:
        embedder(server, batch_size=5).fit(CORPUS).documents([d.text for d in CORPUS])
    assert CANARY not in f"{caught.value!r} {caught.value} {caught.value.__context__!r}"


def test_half_a_key_that_a_server_repeats_is_not_shown(server: Server) -> None:
    server.then(f"400 the key {CANARY[:9]} and {CANARY[3:]} is wrong")
    with pytest.raises(ModelError, match="the key … and … is wrong"):
        embedder(server).fit(CORPUS).documents(["x"])


@for_each(
    "url",
    ["http://[::1", "http://host:abc/v1", "http://host\n/v1", "http://a b/v1", "http://", "ftp://host/v1", "x", ""],
)
def test_what_is_no_address_is_said_to_be_none(url: str) -> None:
    with pytest.raises(ModelError, match="is not the address of a server"):
        EndpointEmbedder("e", url).fit(CORPUS)


def test_a_model_that_changes_its_size_is_noticed(server: Server) -> None:
    encoder = embedder(server).fit(CORPUS)
    encoder.queries(["a"])
    encoder.dimensions = 4
    with pytest.raises(ModelError, match="equal length"):
        encoder.queries(["a"])


def test_a_failed_batch_leaves_nothing_half_made_with_the_corpus(server: Server) -> None:
    corpus = Corpus("fresh", CORPUS.documents)
    server.then("answer", "401", "answer")
    with pytest.raises(ModelError):
        vectors_of(embedder(server, batch_size=2), corpus)
    assert vectors_of(embedder(server, batch_size=2), corpus).shape == (5, 3)


def test_strangers_are_not_told_where_the_servers_of_the_lab_are(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shared.shown("http://me:secret@10.0.0.7:8000/v1?key=x") == "http://10.0.0.7:8000/v1"
    monkeypatch.setenv("LAB_PUBLIC", "1")
    assert shared.shown("http://me:secret@10.0.0.7:8000/v1?key=x") == "…"
    assert shared.shown(EndpointEmbedder().base_url) == EndpointEmbedder().base_url
    server.then("500")
    with pytest.raises(ModelError) as caught:
        embedder(server, retries=0).fit(CORPUS).documents(["x"])
    assert "127.0.0.1" not in str(caught.value)


def rows(
    body: dict[str, Any], indexes: list[Any], written: Callable[[list[float]], Any] = list
) -> list[dict[str, Any]]:
    """Rows as the server sends them, with these indexes; the first number of each is the length of its text."""
    made = [
        {"index": i, "embedding": written([float(len(text)), 1.0])}
        for i, text in zip(indexes, body["input"], strict=True)
    ]
    return [{name: value for name, value in row.items() if value != "missing"} for row in made]


def in_base64(vector: list[float]) -> str:
    return base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode()


@for_each(
    "indexes, written",
    [
        (["missing", 1, 2], list),  # Gemini leaves out an index of 0
        (["missing"] * 3, list),
        ([None] * 3, list),
        (["0", "1", "2"], list),
        ([0, 0, 0], list),
        ([1, 2, 3], list),
        ([0.0, 1.0, 2.0], list),
        ([0, 1, 2], in_base64),
        ([0, 1, 2], lambda vector: [vector]),
        ([0, 1, 2], lambda vector: [int(x) for x in vector]),
    ],
)
def test_vectors_come_in_the_order_of_the_texts(indexes: list[Any], written: Callable[[list[float]], Any]) -> None:
    with Server() as server:
        server.then("hook").hook = lambda body: answer({"data": rows(body, indexes, written)})
        assert embedder(server).fit(CORPUS).documents(["a", "bb", "ccc"])[:, 0].tolist() == [1, 2, 3]


def answer(reply: Any, status: int = 200) -> tuple[int, str, bytes]:
    return status, "application/json", json.dumps(reply).encode()


ENVELOPES: list[Callable[[list[float], list[float]], Any]] = [
    lambda a, b: {"output": {"embeddings": [{"text_index": 1, "embedding": b}, {"text_index": 0, "embedding": a}]}},
    lambda a, b: {"data": [{"text_index": 1, "embedding": b}, {"text_index": 0, "embedding": a}]},
    lambda a, b: {"embeddings": {"float": [a, b]}},
    lambda a, b: {"embeddings": [{"values": a}, {"values": b}]},
    lambda a, b: {"data": {"embeddings": [a, b]}},
    lambda a, b: {"data": [{"embedding": {"values": a}}, {"embedding": {"values": b}}]},
]


@pytest.mark.parametrize("envelope", ENVELOPES)
def test_vectors_are_found_in_the_envelopes_of_other_servers(
    server: Server, envelope: Callable[[list[float], list[float]], Any]
) -> None:
    server.then("hook").hook = lambda _: answer(envelope([1.0, 2.0], [3.0, 4.0]))
    assert embedder(server).fit(CORPUS).documents(["a", "b"]).tolist() == [[1, 2], [3, 4]]


def test_shuffled_vectors_are_sorted_also_by_a_text_and_with_the_first_index_missing(server: Server) -> None:
    for indexes in ([2, 0, 1], ["2", "0", "1"], [2, "missing", 1]):
        server.then("hook").hook = lambda body, i=indexes: answer({"data": rows(body, i)})  # type: ignore[misc]
        assert embedder(server).fit(CORPUS).documents(["ccc", "a", "bb"])[:, 0].tolist() == [1, 2, 3]


@for_each(
    "change, words",
    [
        ({"embedding": [1.0]}, "did not send vectors of equal length: 1, 2"),
        ({"embedding": [float("nan"), 1.0]}, "not finite"),
        ({"embedding": [float("inf"), 1.0]}, "not finite"),
        ({"embedding": [None, 1.0]}, "something else than numbers"),
        ({"embedding": ["a", 1.0]}, "something else than numbers"),
        ({"embedding": "not base64!"}, "something else than numbers"),
        ({"embedding": {"0": 1.0}}, "something else than numbers"),
        ({"index": 2}, "numbers its vectors unclearly: 2, 1, 2"),
    ],
)
def test_what_is_wrong_with_vectors_has_its_true_name(change: dict[str, Any], words: str) -> None:
    def hook(body: dict[str, Any]) -> tuple[int, str, bytes]:
        made = rows(body, [0, 1, 2])
        return answer({"data": [made[0] | change, *made[1:]]})

    with Server() as server:
        server.then("hook").hook = hook
        with pytest.raises(ModelError, match=words):
            embedder(server).fit(CORPUS).documents(["a", "bb", "ccc"])


@for_each(
    "status, error, sizes",
    [
        (
            400,
            {"error": {"message": "batch size is invalid, it should not be larger than 10.: input.contents"}},
            [25, 10, 10, 5],
        ),
        (422, {"detail": "input array must have at most 12 items: got 25"}, [25, 12, 12, 1]),
        (413, {"error": "Payload too large"}, [25, 12, 12, 1]),
        (400, {"message": "Too many inputs"}, [25, 12, 12, 1]),
    ],
)
def test_the_batch_that_a_server_allows_is_sent(status: int, error: Any, sizes: list[int]) -> None:
    most = sizes[1]
    with Server() as server:
        server.then("hook").hook = lambda body: (
            answer(error, status)
            if len(body["input"]) > most
            else answer({"data": rows(body, [*range(len(body["input"]))])})
        )
        encoder = embedder(server).fit(CORPUS)
        texts = ["x" * i for i in range(1, 26)]
        assert encoder.documents(texts)[:, 0].tolist() == [*range(1, 26)]
        assert [len(r["input"]) for r in server.requests] == sizes
        encoder.documents(texts)
        assert len(server.requests) == 2 * len(sizes) - 1


def test_an_encoding_that_a_server_does_not_know_is_left_out(server: Server) -> None:
    server.then("hook").hook = lambda body: (
        answer({"detail": [{"loc": ["body", "encoding_format"], "msg": "Extra inputs are not permitted"}]}, 422)
        if "encoding_format" in body
        else answer({"data": rows(body, [0])})
    )
    assert embedder(server).fit(CORPUS).documents(["abc"])[0, 0] == 3


def test_a_web_page_and_an_error_of_status_200_are_no_vectors(server: Server) -> None:
    server.then("hook").hook = lambda body: (200, "text/html", b"<!doctype html><p>Hello")
    with pytest.raises(ModelError, match="web page"):
        embedder(server).fit(CORPUS).documents(["abc"])
    server.hook = lambda body: answer({"detail": "no such model"})
    with pytest.raises(ModelError, match="no such model"):
        embedder(server).fit(CORPUS).documents(["abc"])
