"""Language models against a real client and a loopback server that misbehaves in every way we know."""

from __future__ import annotations

import dataclasses
import gc
import json
import logging
import os
import pickle
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from models.scripted import ScriptedModel
from models.server import STALL, USAGE, Server
from night import for_each, spread

from lab.errors import ModelError
from lab.models.chat import QUERIES, Completion, LanguageModel, Message, ask_many, whole
from lab.models.endpoint import shown
from lab.models.endpoint_chat import SERVERS, EndpointModel, endpoint, from_environment
from lab.models.memory import AnswerCache, Deferred, NotAsked, Remembering
from lab.models.secrets import Secret
from lab.words import Said

CANARY = "sk-canary-9f31"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)  # the tests need not wait
    for name in ("LAB_PUBLIC", "LAB_LLM_BASE_URL", "LAB_LLM_KEY", "LAB_LLM_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def model(server: Server, **options: object) -> EndpointModel:
    return EndpointModel("m", server.url, Secret(CANARY), **options)  # type: ignore[arg-type]


def read(lm: LanguageModel, how: str, prompt: str = "hello") -> str:
    """The whole answer, streamed or not."""
    return lm.ask(prompt).text if how == "ask" else "".join(lm.stream(prompt))


both = pytest.mark.parametrize("how", ["ask", "stream"])


@both
def test_a_normal_answer_arrives_whole(server: Server, how: str) -> None:
    assert read(model(server), how) == server.answer
    assert server.requests[0]["path"] == "/v1/chat/completions"
    assert server.requests[0]["messages"] == [{"role": "user", "content": "hello"}]
    assert server.requests[0]["key"] == f"Bearer {CANARY}"


def test_an_answer_tells_its_tokens_and_its_cost(server: Server) -> None:
    answer = model(server, prices=(2.0, 8.0)).ask("hello", system="be brief")
    assert (answer.prompt_tokens, answer.answer_tokens) == (12, 5)
    assert answer.cost == pytest.approx((12 * 2.0 + 5 * 8.0) / 1e6)
    assert answer.complete
    assert answer.seconds > 0
    assert server.requests[0]["messages"][0] == {"role": "system", "content": "be brief"}


def test_a_streamed_answer_tells_the_same_when_it_is_read(server: Server) -> None:
    stream = model(server, prices=(2.0, 8.0)).stream("hello")
    assert stream.answer is None
    assert list(stream) == ["one\n", "two\n", "three"]
    assert stream.answer is not None
    assert stream.answer.text == stream.text == server.answer
    assert stream.answer.cost == pytest.approx((USAGE["prompt_tokens"] * 2.0 + USAGE["completion_tokens"] * 8.0) / 1e6)


def test_without_prices_or_counts_no_cost_is_told(server: Server) -> None:
    assert model(server).ask("hello").cost is None
    server.then("uncounted")
    assert model(server, prices=(2.0, 8.0)).ask("hello").cost is None


def test_an_answer_that_was_cut_says_so(server: Server) -> None:
    server.then("cut")
    assert not model(server).ask("hello").complete


def test_a_conversation_is_sent_turn_by_turn(server: Server) -> None:
    turns = [Message("user", "a"), Message("assistant", "b"), Message("user", "c")]
    model(server).ask(turns)
    assert [m["content"] for m in server.requests[0]["messages"]] == ["a", "b", "c"]
    assert "response_format" not in server.requests[0]


def test_half_characters_in_a_prompt_do_not_stop_it(server: Server) -> None:
    assert model(server).ask("a\ud83d").text == server.answer


@both
@pytest.mark.parametrize(
    ("behaviour", "words", "requests"),
    spread(
        [
            ("401", "does not accept the key", 1),
            ("403", "does not accept the key", 1),
            ("404", "does not know the model “m”", 1),
            ("400 this prompt is too long", "this prompt is too long", 1),
            ("400", "rejects the request", 1),
            ("429 after 0", "asks to wait 0 s", 3),
            ("429 after 90", "asks to wait 1.5 min", 1),
            ("429 after 3600", "asks to wait 1 h", 1),
            ("429 after 172800", "asks to wait 2 d", 1),
            ("429", "too many requests", 3),
            ("429 quota", "quota is used up", 1),
            ("500", "answered with an error (500)", 3),
            ("503 after 0", "answered with an error (503)", 3),
            ("reports", "answered with an error: the model is gone", 1),
            ("truncated", "could not be read", 1),
            ("bytes", "could not be read", 1),
            ("choiceless", "empty answer", 1),
            ("nothing", "empty answer", 1),
        ],
        12,
    ),
)
def test_every_failure_has_a_face(server: Server, how: str, behaviour: str, words: str, requests: int) -> None:
    server.then(behaviour)
    with pytest.raises(ModelError) as caught:
        read(model(server), how)
    assert words in str(caught.value)
    assert caught.value.remedy
    assert len(server.requests) == requests
    assert CANARY not in everything_said(caught.value)


@both
def test_a_web_page_is_said_to_be_one(server: Server, how: str) -> None:
    server.hook = lambda body: (200, "text/html", b"<!DOCTYPE html><html><title>Welcome</title></html>")
    server.then("hook")
    with pytest.raises(ModelError, match="sends a web page, not an answer. Check the address"):
        read(model(server), how)


@both
def test_two_errors_of_the_server_are_survived(server: Server, how: str) -> None:
    server.then("500", "500", "answer")
    assert read(model(server), how) == server.answer
    assert len(server.requests) == 3


def test_the_pause_that_the_server_asks_for_is_kept(server: Server) -> None:
    server.then("429 after 0.4", "answer")
    start = time.perf_counter()
    model(server).ask("hello")
    assert time.perf_counter() - start >= 0.4


def test_a_pause_may_be_asked_for_as_a_date(server: Server) -> None:
    server.then("429 after Wed, 21 Oct 2015 07:28:00 GMT", "answer")  # long past: no pause at all
    assert model(server).ask("hello").text == server.answer


@both
def test_a_stalled_server_is_waited_for_once(server: Server, how: str) -> None:
    server.then("stall")
    start = time.perf_counter()
    with pytest.raises(ModelError, match="did not answer in time"):
        read(model(server, timeout=0.5), how)
    assert 0.5 <= time.perf_counter() - start < STALL
    assert len(server.requests) == 1


@both
@pytest.mark.parametrize("behaviour", ["trickles", "dribbles"])
def test_an_answer_that_trickles_is_at_an_end_at_the_time_limit(server: Server, how: str, behaviour: str) -> None:
    server.then(behaviour)
    start = time.perf_counter()
    with pytest.raises(ModelError, match="did not answer in time"):
        read(model(server, timeout=0.5), how)
    assert time.perf_counter() - start < 2
    assert len(server.requests) == 1


@both
def test_an_answer_larger_than_anybody_reads_is_not_taken_in(server: Server, how: str) -> None:
    server.then("huge")
    with pytest.raises(ModelError, match="larger than 2 MB") as caught:
        read(model(server), how)
    assert caught.value.remedy
    assert len(server.requests) == 1
    assert server.sent < 50_000_000


def test_a_connection_that_was_made_before_ends_in_time_too(server: Server) -> None:
    lm, server.keeps = model(server, timeout=0.5), True
    server.then("answer", "dribbles")
    lm.ask("hello")
    with pytest.raises(ModelError, match="did not answer in time"):
        lm.ask("hello again")
    assert server.requests[0]["port"] == server.requests[1]["port"]


@pytest.mark.parametrize("key", ["sk-ключ", "sk-密钥", "sk-a\nb", "sk-a b", "sk-a\u200b"])
def test_a_key_that_cannot_be_one_is_said_to_be_none_and_is_not_sent(server: Server, key: str) -> None:
    with pytest.raises(ModelError, match="invalid characters") as caught:
        EndpointModel("m", server.url, Secret(key)).ask("hello")
    assert key not in everything_said(caught.value)
    assert not server.requests


def test_a_server_cannot_send_the_question_on_to_another_address(server: Server) -> None:
    server.then("moved", "answer")
    with pytest.raises(ModelError, match="302"):
        model(server).ask("hello")
    assert len(server.requests) == 1


@both
@pytest.mark.parametrize("behaviour", ["number", "object", "pictures"])
def test_an_answer_that_is_no_text_is_not_understood(server: Server, behaviour: str, how: str) -> None:
    server.then(behaviour)
    with pytest.raises(ModelError, match="could not be read"):
        read(model(server), how)


@both
def test_half_characters_and_control_characters_are_taken_out_of_an_answer(server: Server, how: str) -> None:
    server.answer = "a\ud800b\x00c\x1b[31m\u202ed"
    assert read(model(server), how) == "abc[31md"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are counted in /proc")
def test_no_thread_and_no_connection_is_left_after_a_failure(server: Server) -> None:
    def left() -> tuple[int, int]:
        sockets = 0
        for file in Path("/proc/self/fd").glob("*"):
            with suppress(OSError):
                sockets += os.readlink(file).startswith("socket")
        return threading.active_count(), sockets

    model(server).ask("hello")
    before = left()
    for behaviour in ("stall", "trickles", "dribbles", "huge", "drop", "500"):
        server.then(behaviour)
        for how in ("ask", "stream"):
            with pytest.raises(ModelError):
                read(model(server, timeout=0.3, retries=0), how)
    gc.collect()
    end = time.monotonic() + 20
    while (now := left())[0] > before[0] or now[1] > before[1]:  # the server of the test lets go of its own ends, too
        assert time.monotonic() < end, (before, now)
        time.sleep(0.1)


def test_nobody_there_is_not_tried_again() -> None:
    with Server() as gone:
        url = gone.url
    start = time.perf_counter()
    with pytest.raises(ModelError, match="no connection"):
        EndpointModel("m", url).ask("hello")
    assert time.perf_counter() - start < 2


def test_a_connection_that_drops_is_tried_again(server: Server) -> None:
    server.then("drop", "answer")
    assert model(server).ask("hello").text == server.answer
    server.then("drop")
    with pytest.raises(ModelError, match="broke off"):
        model(server).ask("hello")


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [("broken", "broke off"), ("hangs", "in time"), ("truncated", "could not be read"), ("bytes", "could not be read")],
)
def test_a_stream_that_breaks_keeps_what_had_come(server: Server, behaviour: str, words: str) -> None:
    server.then(behaviour)
    stream = model(server, timeout=0.5).stream("hello")
    with pytest.raises(ModelError, match=words) as caught:
        list(stream)
    assert stream.text == "one\n"
    assert stream.answer is None
    assert CANARY not in everything_said(caught.value)


def test_a_parameter_that_has_another_name_is_sent_under_it(server: Server) -> None:
    server.then("400 Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "answer")
    assert model(server, max_tokens=77).ask("hello").text == server.answer
    assert [(r.get("max_tokens"), r.get("max_completion_tokens")) for r in server.requests] == [(77, None), (None, 77)]


def test_an_answer_of_a_shape_is_asked_for_by_its_schema(server: Server) -> None:
    model(server).ask("hello", shape=QUERIES)
    kind = server.requests[0]["response_format"]
    assert (kind["type"], kind["json_schema"]["strict"]) == ("json_schema", True)
    assert kind["json_schema"]["schema"]["required"] == ["queries"]


@pytest.mark.parametrize(
    ("prompt", "kinds"),
    [("answer with a JSON object", ["json_schema", "json_object"]), ("one query a line", ["json_schema", None])],
)
def test_a_server_without_schemas_is_asked_for_any_json_if_the_prompt_says_so(
    server: Server, prompt: str, kinds: list[str | None]
) -> None:
    server.then("400 This response_format type is unavailable now", "answer")
    lm = model(server)
    assert lm.ask(prompt, shape=QUERIES).text == server.answer
    assert lm.ask(prompt, shape=QUERIES).text == server.answer
    assert [r.get("response_format", {}).get("type") for r in server.requests] == [*kinds, kinds[1]]


def test_what_one_request_was_refused_for_is_not_held_against_the_next(server: Server) -> None:
    server.then("400 temperature is not supported", "400 the text is wrong", "answer")
    lm = model(server)
    with pytest.raises(ModelError, match="the text is wrong"):
        lm.ask("hello")
    lm.ask("hello")
    assert ["temperature" in r for r in server.requests] == [True, False, True]


def test_an_answer_that_is_not_read_to_its_end_leaves_no_connection(server: Server) -> None:
    stream = model(server).stream("hello")
    pieces = iter(stream)
    assert next(pieces) == "one\n"
    pieces.close()  # type: ignore[attr-defined]
    assert model(server).ask("again").text == server.answer


# ------------------------------------------------------------------------------------------------- keys


def everything_said(error: BaseException) -> str:
    """What any reporter of errors could print: the text, the arguments, the whole chain of causes."""
    lines = [str(error), repr(error), repr(error.args), "".join(traceback.format_exception(error))]
    for other in (error.__cause__, error.__context__):
        if other is not None:
            lines.append(everything_said(other))
            lines += [repr(vars(other)), repr(getattr(other, "body", ""))]
    if isinstance(error, ModelError):
        lines.append(pickle.dumps(error).decode("latin-1"))
    return "\n".join(lines)


def test_a_key_is_in_nothing_that_can_be_shown(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    lm = model(server)
    wrapped = Remembering(lm, AnswerCache())
    seen = [
        repr(lm),
        str(lm),
        f"{lm}",
        repr(wrapped),
        repr(vars(wrapped)),
        str(lm.secret),
        f"{lm.secret:>9}",
        repr(vars(lm)),
        repr(lm._client),
        lm.label,
    ]
    seen += [repr(dataclasses.asdict(lm)), json.dumps(dataclasses.asdict(lm), default=str)]
    answer = wrapped.ask("hello")
    seen += [repr(answer), json.dumps(dataclasses.asdict(answer))]
    for behaviour in ("401", "400", "500", "truncated", "stall"):
        server.then(behaviour)
        with pytest.raises(ModelError) as caught:
            dataclasses.replace(lm, retries=0, timeout=0.2).ask("hello")
        seen.append(everything_said(caught.value))
    assert CANARY not in "\n".join(seen)
    assert CANARY not in caplog.text
    for value in (lm, lm.secret, wrapped, vars(lm)):
        with pytest.raises(TypeError):
            pickle.dumps(value)
    with pytest.raises(TypeError):
        json.dumps(lm.secret)
    assert server.requests[0]["key"] == f"Bearer {CANARY}"  # and yet it was sent


def test_an_address_is_shown_without_its_password() -> None:
    assert shown(f"https://me:{CANARY}@host:8443/v1?key={CANARY}") == "https://host:8443/v1"
    with pytest.raises(ModelError) as caught:
        EndpointModel("m", f"http://me:{CANARY}@127.0.0.1:9/v1").ask("hello")
    assert CANARY not in str(caught.value)


# --------------------------------------------------------------------------------------------- settings


def test_settings_come_from_the_environment() -> None:
    assert from_environment({}) is None
    own = from_environment({"LAB_LLM_BASE_URL": "http://localhost:11434/v1/", "LAB_LLM_MODEL": "qwen"})
    assert own == EndpointModel("qwen", "http://localhost:11434/v1")
    assert from_environment({"LAB_LLM_KEY": "k"}) == EndpointModel(
        SERVERS["OpenAI"].model, SERVERS["OpenAI"].base_url, Secret("k")
    )
    assert from_environment(
        {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://h/v1", "LAB_LLM_MODEL": "m"}
    ) == EndpointModel("m", "https://h/v1", Secret("k"))
    assert from_environment({"LAB_LLM_BASE_URL": "https://unknown/v1"}) is None  # nobody said which model


def test_a_key_goes_only_to_the_address_that_it_was_set_with() -> None:
    found = from_environment({"LAB_LLM_BASE_URL": "https://h/v1", "LAB_LLM_MODEL": "m", "OPENAI_API_KEY": CANARY})
    assert found is not None
    assert not found.secret


def test_a_public_lab_calls_no_address_of_a_visitor(monkeypatch: pytest.MonkeyPatch) -> None:
    assert endpoint("http://10.0.0.1/v1/", "m").base_url == "http://10.0.0.1/v1"
    monkeypatch.setenv("LAB_PUBLIC", "1")
    for url in (
        "http://10.0.0.1/v1",
        SERVERS["Ollama"].base_url,
        "https://api.openai.com.evil.example/v1",
        "https://api.openai.com@evil.example/v1",
    ):
        with pytest.raises(ModelError, match="open to the public"):
            endpoint(url, "m", CANARY)
    assert endpoint(SERVERS["DeepSeek"].base_url + "/", "m", "k").secret == Secret("k")
    assert from_environment({"OPENAI_API_KEY": "k"}) is None
    assert from_environment({"LAB_LLM_BASE_URL": "http://inside/v1", "LAB_LLM_MODEL": "m"}) is not None


@for_each(
    "url, name",
    [("", "m"), ("file:///etc/passwd", "m"), ("http://h/v1", " "), ("http://[::1", "m"), ("http://h:abc/v1", "m")],
)
def test_settings_that_cannot_work_are_refused(url: str, name: str) -> None:
    with pytest.raises(ModelError):
        endpoint(url, name)


# ------------------------------------------------------------------------------------ scripts and memory


def test_a_script_answers_by_the_words_of_the_prompt_and_says_what_it_is() -> None:
    trouble = ModelError("no")
    lm = ScriptedModel((("leave & days", "seven"), ("boom", trouble), ("", "else")), name="lesson 3")
    assert lm.ask("how many days of leave?").text == "seven"
    assert lm.ask("what").text == "else"
    assert "".join(lm.stream("days, leave")) == "seven"
    assert "written by hand" in lm.label
    with pytest.raises(ModelError):
        lm.ask("boom")
    with pytest.raises(ModelError, match="has no answer"):
        ScriptedModel().ask("x")


@pytest.mark.parametrize("lm", [ScriptedModel(), EndpointModel(), Remembering(ScriptedModel(), AnswerCache())])
def test_every_model_keeps_the_protocol_and_can_be_a_field_of_an_operator(lm: LanguageModel) -> None:
    assert isinstance(lm, LanguageModel)
    assert len({lm, dataclasses.replace(lm)}) == 1  # type: ignore[type-var]


def test_an_answer_is_asked_for_once_per_prompt_and_model(server: Server) -> None:
    cache = AnswerCache(size=2)
    lm = Remembering(model(server), cache)
    first, again = lm.ask("a"), lm.ask("a")
    assert again.text == first.text
    assert (first.remembered, again.remembered) == (False, True)
    assert "".join(lm.stream("a")) == first.text
    assert len(server.requests) == 1
    Remembering(model(server, temperature=1.0), cache).ask("a")
    assert len(server.requests) == 2
    assert "".join(lm.stream("b")) == server.answer
    assert lm.ask("b").remembered
    assert not lm.ask("a").remembered  # the oldest went
    assert not Remembering(model(server), AnswerCache()).ask("b").remembered


def test_a_failure_is_remembered_for_one_run_and_asked_again_in_the_next(server: Server) -> None:
    cache = AnswerCache()
    server.then("400", "answer")
    run = Remembering(model(server), cache)
    for _ in range(2):
        with pytest.raises(ModelError, match="rejects the request"):
            run.ask("a")
    assert len(server.requests) == 1
    assert run.ask("b").text == server.answer
    assert Remembering(model(server), cache).ask("a").text == server.answer


def test_what_is_with_the_model_just_now_is_not_asked_again(server: Server) -> None:
    cache = AnswerCache()
    server.then("slow")
    asked = [threading.Thread(target=Remembering(model(server), cache).ask, args=("a",)) for _ in range(4)]
    for thread in asked:
        thread.start()
    for thread in asked:
        thread.join()
    assert len(server.requests) == 1
    assert not cache.asking
    server.then("400")
    for answer in ask_many(Remembering(model(server), cache), ["b", "b", "c"]):
        assert "rejects the request" in str(answer)
    assert not cache.asking


def test_a_page_that_is_drawn_at_once_notes_what_it_wants_and_asks_nothing(server: Server) -> None:
    known = Remembering(model(server), AnswerCache())
    server.when("bad", "400")
    for prompt in ("good", "bad"):
        ask_many(known, [prompt])
    page = Deferred(known)
    answers = ask_many(page, ["good", "bad", "new"])
    assert [type(a) for a in answers] == [Completion, ModelError, NotAsked]
    assert len(server.requests) == 2
    assert [prompt for prompt, _shape in page.wanted] == [(Message("user", "new"),)]
    assert (len(page.seen), len(page.failed)) == (3, 1)
    ask_many(known, [prompt for prompt, _shape in page.wanted])
    assert Deferred(known).ask("new").remembered


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (ModelError(Said("It is tired.")), "tired"),
        (Completion("half of", complete=False), "truncated at the maximum length: “half of”"),
        (Completion("half of", complete=False, broken=True), "broke off: “half of”"),
    ],
)
def test_a_failure_and_half_an_answer_are_no_whole_one(answer: Completion | ModelError, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        whole(answer)
    assert whole(Completion("all")).text == "all"


def test_an_answer_that_broke_off_is_not_remembered(server: Server) -> None:
    server.events = b'data: {"choices":[{"index":0,"delta":{"content":"Half an answ"}}]}\n\n'
    known = Remembering(model(server.then("events closes", "answer")), AnswerCache())
    assert "".join(known.stream("a")) == "Half an answ"
    assert "".join(known.stream("a")) == server.answer


def test_after_a_refused_key_a_run_asks_nothing_more(server: Server) -> None:
    server.then("401", "answer")
    run = Remembering(model(server), AnswerCache())
    for prompt in ("a", "b"):
        with pytest.raises(ModelError, match="does not accept the key"):
            run.ask(prompt)
    assert len(server.requests) == 1


# ------------------------------------------------------------------------------------------------- many


def test_many_are_asked_in_parallel_and_answered_in_order(server: Server) -> None:
    server.answer = "echo"
    server.then("slow")
    seen: list[tuple[int, int]] = []
    prompts = [f"p{i}" for i in range(8)] + ["p0"]
    answers = ask_many(model(server), prompts, workers=4, progress=lambda done, total: seen.append((done, total)))
    assert [a.text for a in answers if isinstance(a, Completion)] == [f"echo: {p}" for p in prompts]
    assert 1 < server.busiest <= 4
    assert len(server.requests) == 8
    assert seen[-1] == (9, 9)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_one_failure_among_many_is_one_failure(server: Server) -> None:
    server.then("answer", "400", "answer")
    answers = ask_many(model(server), ["a", "b", "c"], workers=1)
    assert [type(a) for a in answers] == [Completion, ModelError, Completion]


@pytest.mark.parametrize("behaviour", ["401", "404", "stall"])
def test_after_a_refused_key_or_a_silent_server_the_rest_are_not_asked(server: Server, behaviour: str) -> None:
    server.then("answer", behaviour)
    answers = ask_many(model(server, timeout=0.3), ["a", "b", "c", "d"], workers=1)
    assert len(server.requests) == 2
    assert isinstance(answers[0], Completion)
    assert len({str(answer) for answer in answers[1:]}) == 1


def test_asking_many_can_be_stopped(server: Server) -> None:
    server.then("slow")
    stop = threading.Event()
    answers = ask_many(
        model(server),
        [f"p{i}" for i in range(30)],
        workers=2,
        progress=lambda done, total: stop.set() if done else None,
        cancel=stop.is_set,
    )
    assert any(isinstance(answer, Completion) for answer in answers)
    assert isinstance(answers[-1], ModelError)
    assert "Stopped" in str(answers[-1])
    assert len(server.requests) < 10

    def refuse(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        ask_many(model(server), [f"q{i}" for i in range(30)], workers=2, progress=refuse)
    assert ask_many(model(server), []) == ()
