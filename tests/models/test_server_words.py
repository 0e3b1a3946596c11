"""What servers say when they refuse a request, wherever they say it, and the way out that they name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from models.server import Server
from night import for_each

from lab.errors import ModelError
from lab.models.chat import QUERIES, Completion
from lab.models.endpoint_chat import EndpointModel
from lab.models.secrets import Secret
from lab.models.server_words import Change, change_for, names_batch, words_of

KEY = "sk-canary-55"
both = pytest.mark.parametrize("how", ["ask", "stream"])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    with Server() as running:
        yield running.then("hook")


def model(server: Server, **options: Any) -> EndpointModel:
    return EndpointModel("m", server.url, Secret(KEY), **{"retries": 0, **options})


def answer(lm: EndpointModel, how: str) -> Completion:
    if how == "ask":
        return lm.ask("hello")
    stream = lm.stream("hello")
    text = "".join(stream)
    assert stream.answer is not None
    assert stream.answer.text == text
    return stream.answer


def whole(message: Any, **more: Any) -> bytes:
    choice = {"index": 0, "finish_reason": "stop", "message": message, **more}
    return json.dumps(
        {"id": "x", "object": "chat.completion", "choices": [choice], "usage": {"prompt_tokens": 3}}
    ).encode()


def events(*pieces: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(piece).encode() + b"\n\n" for piece in pieces) + b"data: [DONE]\n\n"


def piece(delta: Any, reason: str | None = None) -> dict[str, Any]:
    return {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def good(body: dict[str, Any]) -> tuple[int, str, bytes]:
    """A server that answers as it is asked to."""
    if body.get("stream"):
        return 200, "text/event-stream", events(piece({"content": "one "}), piece({"content": "two"}, "stop"))
    return 200, "application/json", whole({"role": "assistant", "content": "one two"})


ERRORS = [
    {"error": {"message": "the model is gone"}},
    {"error": "the model is gone"},
    {"detail": "the model is gone"},
    {"detail": [{"loc": ["body", "model"], "msg": "the model is gone", "type": "value_error"}]},
    {"message": "the model is gone", "code": "InvalidParameter"},
    {"error_code": 17, "error_msg": "the model is gone"},
    {"errors": [{"message": "the model is gone"}]},
    {"object": "error", "message": {"detail": [{"msg": "the model is gone"}]}},
    [{"error": {"message": "the model is gone", "code": 400}}],
    {"choices": None, "error": {"message": "the model is gone"}},
]


@both
@pytest.mark.parametrize("status", [200, 400, 422, 500])
def test_the_words_of_a_server_are_shown_wherever_they_stand(server: Server, how: str, status: int) -> None:
    for error in ERRORS:
        for kind in ("application/json", "text/event-stream" if how == "stream" and status == 200 else "text/plain"):
            if kind == "text/event-stream" and isinstance(error, list):
                continue  # the client does not hand on an event that is a list
            raw = events(error) if kind == "text/event-stream" else json.dumps(error).encode()
            server.hook = lambda body, kind=kind, raw=raw: (status, kind, raw)  # type: ignore[misc]
            with pytest.raises(ModelError, match="the model is gone") as caught:
                answer(model(server), how)
            assert "empty answer" not in str(caught.value)


def test_a_page_in_an_error_is_told_by_its_title(server: Server) -> None:
    server.hook = lambda body: (502, "text/html", b"<html><head><title>502 Bad Gateway</title></head><body/></html>")
    with pytest.raises(ModelError, match=r"with an error \(502\): 502 Bad Gateway"):
        model(server).ask("hello")


RANGES = [
    ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", "max_tokens", 8192),
    ("max_tokens must be less than or equal to `4096`", "max_tokens", 4096),
    ("max_tokens is too large: 20000. This model supports at most 16384 completion tokens", "max_tokens", 16384),
    ("max_tokens: 20000 > 8192, which is the maximum allowed number of output tokens", "max_tokens", 8192),
    ("max_tokens 参数范围为 1~4096", "max_tokens", 4096),
    ("'max_tokens' is too large: 20000. Your request has 200 input tokens (20000 > 512 - 200)", "max_tokens", 312),
    (
        "max_tokens: 20000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022",
        *("max_tokens", 8192),
    ),
    ("Range of max_tokens should be [1,8192] (request id: 20241101223344556)", "max_tokens", 8192),
    ("max_tokens cannot be more than 8,192 for gpt-4-0613, see https://host/docs/2024", "max_tokens", 8192),
    ("`temperature` must be between 0 and 1", "temperature", 1),
    ("temperature should be in (0.0, 1.0]", "temperature", 1),
    ("0 <= temperature <= 1", "temperature", 1),
]


@both
@for_each("words, name, value", RANGES)
def test_a_value_out_of_range_is_sent_in_range_and_named(how: str, words: str, name: str, value: float) -> None:
    def strict(body: dict[str, Any]) -> tuple[int, str, bytes]:
        if body.get(name, 0) > value:
            return 400, "application/json", json.dumps({"error": {"message": words}}).encode()
        return good(body)

    with Server() as server:
        server.then("hook").hook = strict
        lm = model(server, max_tokens=20000, temperature=1.5)
        for _ in range(2):
            reply = answer(lm, how)
            assert reply.text == "one two"
            assert reply.remarks == (f"The server does not accept {name} = {getattr(lm, name):g}; {value:g} was sent.",)
        assert [r.get(name) for r in server.requests] == [getattr(lm, name), value, value]


def test_a_smallest_value_that_is_excluded_is_not_sent(server: Server) -> None:
    def strict(body: dict[str, Any]) -> tuple[int, str, bytes]:
        if not body["temperature"] > 0:
            return 422, "application/json", b'{"detail": "`temperature` must be strictly positive"}'
        return good(body)

    server.hook = strict
    assert model(server, temperature=0.0).ask("hello").text == "one two"
    assert server.requests[-1]["temperature"] == 0.01


@for_each(
    "words",
    [
        "prompt is too long: reduce it or lower max_tokens (2048 > 1024)",
        "the temperature in this text is wrong",
        "your text of 9000 tokens is longer than 8192",
    ],
)
def test_a_refusal_that_names_no_way_out_is_shown(words: str) -> None:
    with Server() as server:
        server.then("hook").hook = lambda body: (400, "application/json", json.dumps({"error": words}).encode())
        with pytest.raises(ModelError) as caught:
            model(server, max_tokens=2048).ask("hello")
        assert words in str(caught.value)
        assert len(server.requests) == 1


@both
def test_a_parameter_that_fastapi_does_not_know_is_left_out_and_named(server: Server, how: str) -> None:
    def strict(body: dict[str, Any]) -> tuple[int, str, bytes]:
        extra = [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}
                 for name in ("max_tokens", "temperature") if name in body]  # fmt: skip
        return (422, "application/json", json.dumps({"detail": extra[:1]}).encode()) if extra else good(body)

    server.hook = strict
    reply = answer(model(server), how)
    assert reply.text == "one two"
    assert [remark.split(";")[0] for remark in reply.remarks] == [
        "The server does not accept max_tokens",
        "The server does not accept temperature",
    ]


@for_each(
    "words",
    [
        "parameter.enable_thinking must be set to false for non-streaming calls",
        "This model only supports stream mode, please enable the stream parameter to access the model.",
        "该模型仅支持流式输出",
    ],
)
def test_an_answer_that_exists_in_a_stream_only_is_asked_for_as_one(words: str) -> None:
    def strict(body: dict[str, Any]) -> tuple[int, str, bytes]:
        return good(body) if body.get("stream") else (400, "application/json", json.dumps({"message": words}).encode())

    with Server() as server:
        server.then("hook").hook = strict
        lm = model(server)
        assert [lm.ask("hello", shape=QUERIES).text for _ in range(2)] == ["one two"] * 2
        assert [bool(r.get("stream")) for r in server.requests] == [False, True, True]
        assert "response_format" in server.requests[1]


def test_a_server_without_streams_is_asked_for_a_whole_answer(server: Server) -> None:
    def strict(body: dict[str, Any]) -> tuple[int, str, bytes]:
        return (
            (400, "application/json", b'{"error": "streaming is not supported"}') if body.get("stream") else good(body)
        )

    server.hook = strict
    assert answer(model(server), "stream").text == "one two"


@both
def test_a_whole_answer_to_a_stream_is_the_answer(server: Server, how: str) -> None:
    for kind in ("application/json", "text/plain"):
        server.hook = lambda body, kind=kind: (200, kind, whole({"content": "one two"}))  # type: ignore[misc]
        reply = answer(model(server), how)
        assert (reply.text, reply.complete, reply.prompt_tokens) == ("one two", True, 3)


@for_each(
    "pieces",
    [
        [piece({"content": "one "}), piece({"content": "two"}), piece(None, "stop")],
        [piece({"role": "assistant", "content": None}), piece({"content": "one two"}), {"choices": None}],
        [
            piece({"content": "one "}),
            {"choices": []},
            piece({"content": "two"}, "stop"),
            {"usage": {"prompt_tokens": 3}},
        ],
        [piece({"content": [{"type": "text", "text": "one "}]}), piece({"content": "two"}, "stop"), piece({}, "stop")],
        [json.loads(whole({"content": "one two"}))],
        [piece({"content": "one two"}), json.loads(whole({"content": "one two"}))],
    ],
)
def test_pieces_of_all_sorts_are_one_answer(pieces: list[Any]) -> None:
    with Server() as server:
        server.then("hook").hook = lambda body: (200, "text/event-stream", events(*pieces))
        reply = answer(model(server), "stream")
        assert (reply.text, reply.complete) == ("one two", True)


@both
def test_a_refusal_of_the_model_is_told_in_its_words(server: Server, how: str) -> None:
    def refuses(body: dict[str, Any]) -> tuple[int, str, bytes]:
        if body.get("stream"):
            return 200, "text/event-stream", events(piece({"refusal": "I can't "}), piece({"refusal": "help."}, "stop"))
        return 200, "application/json", whole({"content": None, "refusal": "I can't help."})

    server.hook = refuses
    with pytest.raises(ModelError, match="declines: “I can't help.”"):
        answer(model(server), how)


@both
@for_each(
    "reply, words",
    [
        ({"base_resp": {"status_code": 1004, "status_msg": "login fails"}, "choices": None}, "login fails"),
        ({"header": {"code": 10013, "message": "the input is not allowed"}}, "the input is not allowed"),
        ({"message": {"role": "assistant", "content": "hello"}, "done": True}, "could not be read"),
        ({"response": "hello", "done": True}, "could not be read"),
    ],
)
def test_an_answer_in_another_form_is_not_called_empty(how: str, reply: dict[str, Any], words: str) -> None:
    with Server() as server:
        server.then("hook").hook = lambda _: (200, "application/json", json.dumps(reply).encode())
        with pytest.raises(ModelError, match=words):
            answer(model(server), how)


@for_each("last", [{"base_resp": {"status_code": 0, "status_msg": "success"}}, {"code": 0, "message": "Success"}])
def test_a_piece_that_says_that_all_is_well_is_no_error(last: dict[str, Any]) -> None:
    with Server() as server:
        pieces = events(piece({"content": "good"}, "stop"), {"choices": [], **last})
        server.then("hook").hook = lambda _: (200, "text/event-stream", pieces)
        assert answer(model(server), "stream").text == "good"


@both
def test_a_message_that_is_missing_is_not_called_empty(server: Server, how: str) -> None:
    server.hook = lambda body: (200, "application/json", whole(None))
    with pytest.raises(ModelError, match="could not be read"):
        answer(model(server), how)


@both
def test_a_message_in_parts_is_read(server: Server, how: str) -> None:
    parts = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "one "},
        {"type": "output_text", "text": "two"},
    ]
    server.hook = lambda body: (200, "application/json", whole({"content": parts}))
    assert answer(model(server), how).text == "one two"


def test_the_key_is_in_no_words_of_a_server(server: Server) -> None:
    for error in ({"detail": f"bad key {KEY}"}, {"error_msg": KEY}, [KEY]):
        for status in (200, 400, 500):
            server.hook = lambda body, e=error, s=status: (s, "application/json", json.dumps(e).encode())  # type: ignore[misc]
            with pytest.raises(ModelError) as caught:
                model(server).ask("hello")
            assert KEY not in str(caught.value)


def test_words_and_changes() -> None:
    assert words_of({"detail": [{"loc": ["body", "n"], "msg": "bad"}, {"msg": "worse"}]}) == "n: bad; worse"
    assert words_of({"code": 1}) == words_of(None) == words_of([[[[[["deep"]]]]]]) == ""
    assert change_for("Unknown field: temperature", "temperature", 0.2) == Change("")
    assert change_for("Use 'max_completion_tokens', 'max_tokens' is unsupported", "max_tokens", 9) == Change(
        "max_completion_tokens"
    )
    assert change_for("temperature must be between 0 and 1", "temperature", 0.5) is None
    assert names_batch("batch size is invalid, it should not be larger than 10", 64) == 10
    assert names_batch("input array must have at most 2048 items: got 5000", 5000) == 2048
    assert names_batch("batch too large", 9) == 0
    assert names_batch("input length 9000 exceeds maximum length 8192", 64) is None
