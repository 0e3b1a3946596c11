"""A retriever behind an address: what is sent, what is read, and what a bad server cannot do."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from search_server import SearchServer

from lab.algebra import Corpus, Document, Runner
from lab.errors import LabError, ModelError, ParameterError
from lab.formats import to_python
from lab.retrieve.external import Answered, External
from lab.retrieve.http import HttpRetriever
from lab.retrieve.lexical import BM25

CORPUS = Corpus("own", (Document("d1", "a red fox"), Document("d2", "a red bird"), Document("d3", "red paint")))
KEY = "sk-very-secret-key"


def rank(question: str, k: int) -> list[dict[str, Any]]:
    hits = BM25().index(CORPUS).search(question, k=k).hits
    return [{"id": hit.document.id, "score": hit.score, "text": hit.document.text} for hit in hits]


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer(rank) as running:
        yield running


def found(retriever: HttpRetriever, question: str = "red fox", **knobs: Any) -> list[tuple[str, float]]:
    ranking = Runner(CORPUS, models={"mine": retriever})(External("mine", **knobs), question)
    return [(hit.document.id, hit.score) for hit in ranking]


def test_the_answer_of_a_server_is_its_list(server: SearchServer) -> None:
    expected = BM25().index(CORPUS).search("red fox")
    assert found(HttpRetriever(server.url)) == [(hit.document.id, hit.score) for hit in expected]
    (request,) = server.requests
    assert (request["method"], request["path"]) == ("POST", "/search")
    assert request["body"] == {"query": "red fox", "k": 100}
    assert "authorization" not in request["headers"]


def test_the_question_goes_where_the_request_has_its_place(server: SearchServer) -> None:
    odd = 'fox "{k}" & {question} 年假?'
    found(HttpRetriever(server.root + "/find/{k}?q={question}&n={k}", ""), odd)
    body = '{"query": "{question}", "deep": [{"size": "{k}", "text": "about {question} ({k})"}], "k": 7}'
    found(HttpRetriever(server.url, body), odd)
    get, post = server.requests
    assert get["method"] == "GET"
    assert get["path"] == ("/find/100?q=fox%20%22%7Bk%7D%22%20%26%20%7Bquestion%7D%20%E5%B9%B4%E5%81%87%3F&n=100")
    assert post["body"] == {"query": odd, "deep": [{"size": 100, "text": f"about {odd} (100)"}], "k": 7}


def test_the_key_is_sent_and_nowhere_else(server: SearchServer) -> None:
    retriever = HttpRetriever(server.url, secret=KEY)  # type: ignore[arg-type]
    found(retriever)
    assert server.requests[0]["headers"]["authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(retriever)
    server.behaviour = "400"  # repeats the key
    with pytest.raises(ModelError) as refused:
        found(retriever)
    assert KEY not in str(refused.value)
    assert refused.value.__cause__ is None
    with pytest.raises(ModelError, match="invalid characters"):
        found(HttpRetriever(server.url, secret="clé"))  # type: ignore[arg-type]


SHAPES: list[tuple[Any, dict[str, str]]] = [
    ([{"id": "d2", "score": 2}, {"id": "d1", "score": 1.5}], {"results": ""}),
    (
        {"hits": {"hits": [{"_id": "d2", "_score": 2, "_source": {"text": "x"}}, {"_id": "d1", "_score": 1.5}]}},
        {"results": "hits.hits", "id": "_id", "score": "_score", "text": "_source.text"},
    ),
    (
        {"ids": [["d2", "d1"]], "distances": [[2, 1.5]]},
        {"results": "", "id": "ids.0", "score": "distances.0", "text": ""},
    ),
    (
        {"data": {"texts": ["a red bird", "a red fox"], "scores": [2, 1.5]}},
        {"results": "data", "id": "", "text": "texts", "score": "scores"},
    ),
    ([["d2", 2], ["d1", 1.5]], {"results": "", "id": "0", "score": "1", "text": ""}),
]


@pytest.mark.parametrize(("answer", "fields"), SHAPES)
def test_answers_of_many_shapes_are_read_by_their_paths(answer: Any, fields: dict[str, str]) -> None:
    with SearchServer(lambda _q, _k: answer, results="") as server:
        assert found(HttpRetriever(server.url, **fields)) == [("d2", 2.0), ("d1", 1.5)]  # type: ignore[arg-type]


def test_an_answer_without_scores_ranks_by_place() -> None:
    with SearchServer(lambda _q, _k: [{"id": "d3"}, {"id": "d1"}]) as server:
        assert found(HttpRetriever(server.url, score="")) == [("d3", 1.0), ("d1", 0.5)]


MISREAD: list[tuple[Any, dict[str, str], str]] = [
    ({"took": 3, "hits": []}, {}, "The answer has nothing at “results”. It has: took, hits."),
    ([], {}, "The answer has nothing at “results”. It has: a list."),
    ({"results": "d1"}, {}, "The results (“results”) are a text, not a list."),
    ({"results": None}, {}, "are empty, not a list"),
    ({"results": [{"key": "d1", "score": 1}]}, {}, "Result 1 has no id or text at “id, text”. It has: key, score."),
    ({"results": ["d1"]}, {}, "Result 1 has no id or text at “id, text”. It has: a text."),
    ({"results": [{"id": "d1"}]}, {}, "Result 1 has no score at “score”. It has: id."),
    ({"results": [{"id": "d1", "score": "high"}]}, {}, "The score of result 1 at “score” is “high”, not a number."),
    ({"results": [{"id": "d1", "score": True}]}, {}, "is “True”, not a number"),
    ({"ids": ["d1"], "scores": [1, 2]}, {"results": "", "id": "ids", "score": "scores"}, "ids: 1, scores: 2"),
    ({"ids": "d1"}, {"results": "", "id": "ids"}, "The answer has no list of ids or texts at “ids, text”."),
    ({"ids": ["d1"]}, {"results": "", "id": "ids"}, "The answer has nothing at “score”. It has: ids."),
]


@pytest.mark.parametrize(("answer", "fields", "words"), MISREAD)
def test_what_is_not_understood_is_named(answer: Any, fields: dict[str, str], words: str) -> None:
    with SearchServer(lambda _q, _k: answer, results="") as server, pytest.raises(ModelError) as refused:
        found(HttpRetriever(server.url, **fields))  # type: ignore[arg-type]
    assert words in str(refused.value)


HOSTILE = {
    "silent": "did not answer in time",
    "drip": "did not answer in time",
    "dribble": "did not answer in time",
    "huge": "is larger than 5 MB",
    "bomb": "is larger than 5 MB",
    "drop": "There is no connection to",
    "moved": "redirects the request to another address (302); nothing was sent there",
    "page": "is not JSON; it begins with “<html>It works!</html>”",
    "half": "is not JSON",
    "deep": "is not JSON",
    "bytes": "is not JSON",
    "empty": "is not JSON",
    "digits": "is not JSON",
    "nan": "is “nan”, not a number",
    "vast": "is “inf”, not a number",
    "401": "does not accept the key",
    "404 no such index": "rejects the request (404): no such index",
    "429": "too many requests",
    "429 after 90": "asks to wait 1.5 min",
    '400 {"detail": "no such index"}': "rejects the request (400): no such index",
    "503": "answered with an error (503)",
}


@pytest.mark.parametrize("behaviour", HOSTILE)
def test_a_bad_server_costs_one_request_and_its_time_limit(server: SearchServer, behaviour: str) -> None:
    server.behaviour = behaviour
    start = time.monotonic()
    with pytest.raises(ModelError) as refused:
        found(HttpRetriever(server.url, timeout=0.6))
    assert time.monotonic() - start < 5
    assert HOSTILE[behaviour] in str(refused.value)
    assert refused.value.remedy
    assert [r["path"] for r in server.requests] == ["/search"]  # not repeated, and not sent elsewhere


def test_nobody_at_the_address_is_said(server: SearchServer) -> None:
    with SearchServer(rank) as gone:
        address = gone.url
    with pytest.raises(ModelError, match="There is no connection to"):
        found(HttpRetriever(address))


def test_a_long_answer_is_read_to_its_limit() -> None:
    with SearchServer(lambda _q, _k: [{"id": f"x{i}", "score": 1} for i in range(12_000)]) as server:
        ranking = Runner(CORPUS, models={"mine": HttpRetriever(server.url)})(External("mine"), "red")
    assert ranking.evidence_as(Answered).returned == 10_000


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"address": "file:///etc/passwd"}, "is not the address of a server"),
        ({"address": "localhost:9000"}, "is not the address of a server"),
        ({"address": "http://"}, "is not the address of a server"),
        ({"address": "http://{question}.example.org/"}, "is not the address of a server"),
        ({"address": "http://127.0.0.1:{k}/"}, "is not the address of a server"),
        ({"body": "query={question}"}, "The body of the request is not JSON"),
        ({"body": '{"query": "fox"}'}, "The question has no place in the request"),
        ({"body": ""}, "The question has no place in the request"),
        ({"id": "", "text": ""}, "Neither an id nor a text is read"),
        ({"timeout": 0}, "timeout is 0"),
        ({"timeout": 1e9}, "timeout is 1000000000.0"),
        ({"timeout": "1"}, "timeout is 1"),
    ],
)
def test_a_request_that_cannot_be_made_is_refused_before_it_is_sent(fields: dict[str, Any], words: str) -> None:
    with pytest.raises((ModelError, ParameterError)) as refused:
        HttpRetriever(**{"address": "http://127.0.0.1:9/search", **fields})
    assert isinstance(refused.value, LabError)
    assert words in str(refused.value)


def test_the_time_is_the_servers(server: SearchServer) -> None:
    def slow(question: str, k: int) -> Any:
        time.sleep(0.3)
        return json.loads(json.dumps(rank(question, k)))

    server.search = slow
    ranking = Runner(CORPUS, models={"mine": HttpRetriever(server.url)})(External("mine"), "red")
    assert 0.3 <= ranking.seconds < 3


def test_an_exported_program_has_no_address_and_no_key_and_gives_the_same_list(
    server: SearchServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    retriever = HttpRetriever(server.url, text="", secret=KEY)  # type: ignore[arg-type]
    written = {"mine": retriever.written("OWN_ADDRESS")}
    assert written["mine"] == "HttpRetriever(os.environ['OWN_ADDRESS'], text='', secret=os.environ['OWN_ADDRESS_KEY'])"
    documents = ", ".join(f"Document({d.id!r}, {d.text!r})" for d in CORPUS)
    lines = ["from lab.algebra import Corpus, Document", f'corpus = Corpus("own", ({documents}))']
    searches = {"own": External("mine")}
    code = to_python(searches, corpus=lines, query="red fox", k=3, retrievers=written)
    assert server.url not in code
    assert KEY not in code
    assert "# mine: set OWN_ADDRESS\n# mine: set OWN_ADDRESS_KEY\n" in code
    monkeypatch.setenv("OWN_ADDRESS", server.url)
    monkeypatch.setenv("OWN_ADDRESS_KEY", KEY)
    exec(code, {})
    expected = [doc_id for doc_id, _ in found(retriever)]
    assert [row.split()[1] for row in capsys.readouterr().out.splitlines()[2:]] == expected
