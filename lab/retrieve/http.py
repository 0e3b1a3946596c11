"""A retriever behind an address: a question goes out as JSON, ids, texts and scores come back.

    mine = HttpRetriever("http://127.0.0.1:9000/search", '{"query": "{question}", "size": "{k}"}', results="hits")
    Runner(corpus, models={"mine": mine})(External("mine"), "how long does a refund take")

Fields of the answer are named by paths: the names of fields and the positions in lists, separated by dots
(``hits.hits``, ``_source.text``, ``ids.0``).  The answer is a list of results at one path, each with its id, text and
score; or, if that path is empty and the answer is a table of columns, a list of ids, of texts and of scores.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from lab.algebra import is_finite, shown
from lab.errors import ModelError, ParameterError
from lab.models.endpoint import bounded_transport, broken_off, checked, key_to_send, refusal
from lab.models.endpoint import shown as shown_address
from lab.models.secrets import Secret
from lab.models.server_words import words_of
from lab.retrieve.external import Reply
from lab.retrieve.foreign import MOST, Result
from lab.words import N_, Said, joined

if TYPE_CHECKING:
    import httpx2

LARGEST = 5_000_000
"""Maximum bytes of an answer."""
LONGEST_WORDS = 20_000
"""Maximum characters of a refusal that are read."""
QUESTION, COUNT = "{question}", "{k}"
"""What stands for the question and for the number of results, in the address or in the body."""
BODY = '{"query": "{question}", "k": "{k}"}'
FIELDS = 12
"""Maximum number of fields in a message."""
_MISSING = object()


@dataclass(frozen=True)
class HttpRetriever:
    """Asks a server for the results of a question; see the module for the fields.

    ``body`` is JSON that is sent by POST; a text that is exactly ``{k}`` becomes a number.  With an empty body, the
    address is opened by GET and has the question itself.  ``id``, ``text`` and ``score`` are the paths within a result;
    an empty one is not read.  ``secret`` is sent as ``Authorization: Bearer …`` and appears in no repr, no error and
    no export.  ``timeout`` is the maximum time in seconds until the whole answer has arrived.  ``lower`` tells that the
    scores are distances.  Raises `ModelError` for an address that is none, `ParameterError` for a body that is no JSON
    or has no place for the question.
    """

    address: str
    body: str = BODY
    results: str = "results"
    id: str = "id"
    text: str = "text"
    score: str = "score"
    lower: bool = False
    secret: Secret = field(default=Secret(""), repr=False)
    timeout: float = 10.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "secret", Secret(self.secret))
        url = urlsplit(checked(self.address.replace(QUESTION, "q").replace(COUNT, "1")))
        server = f"{url.scheme}://{url.netloc}".casefold()
        if not self.address.casefold().startswith(server):  # a question must not choose the server
            message = Said("“{url}” is not the address of a server.", url=shown_address(self.address))
            raise ModelError(message, Said("Write {question} behind the name of the server."))
        if not (is_finite(self.timeout) and 0 < self.timeout <= 60):
            limits = {"name": "timeout", "value": shown(self.timeout), "low": 0, "high": 60}
            raise ParameterError(Said("{name} is {value}, but must lie between {low} and {high}.", **limits))
        if not (self.id or self.text):
            message = Said("Neither an id nor a text is read.")
            raise ParameterError(message, Said("Name the field of the id, of the text, or both."))
        if self.body.strip():
            _request_body(self.body, "q", 1)
        if QUESTION not in self.body and QUESTION not in self.address:
            message = Said("The question has no place in the request.")
            raise ParameterError(message, Said("Write {question} in the body or in the address."))

    def reply(self, question: str, k: int) -> Reply:
        """Returns the results of a question and the time until they had arrived.  Raises `ModelError`."""
        answer, seconds = self.answer(question, k)
        return Reply(tuple(self.read(answer)), seconds)

    def written(self, variable: str) -> str:
        """Returns it as Python whose address, and its key, if it has one, are in variables of the environment."""
        changed = ((f.name, getattr(self, f.name)) for f in fields(self) if f.name not in ("address", "secret"))
        usual = {f.name: f.default for f in fields(self)}
        parts = [f"os.environ[{variable!r}]", *(f"{name}={x!r}" for name, x in changed if x != usual[name])]
        key = [f"secret=os.environ[{variable + '_KEY'!r}]"] if self.secret else []
        return f"HttpRetriever({', '.join([*parts, *key])})"

    # ----------------------------------------------------------------------------------------------- asking

    def answer(self, question: str, k: int) -> tuple[Any, float]:
        """Returns the answer to a question as JSON, and the seconds that it took.  Raises `ModelError`."""
        import httpx2

        from lab.transport import Ended

        url = self.address.replace(QUESTION, quote(question, safe="")).replace(COUNT, str(k))
        headers = {"accept": "application/json"}
        if self.secret:
            headers["authorization"] = f"Bearer {key_to_send(self.secret)}"
        body = _request_body(self.body, question, k) if self.body.strip() else None
        transport = bounded_transport(self.address, timeout=self.timeout, largest=LARGEST, check=Said(_FEWER))
        # no redirects: nothing is sent to another address
        problem: ModelError | None
        with httpx2.Client(transport=transport, follow_redirects=False, trust_env=False) as client:
            start = time.perf_counter()
            try:
                if body is None:
                    response = client.get(url, headers=headers)
                else:
                    response = client.post(url, headers=headers, json=body)
                seconds = time.perf_counter() - start
            except Ended as ended:
                problem = ended.problem
            except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError):
                problem = broken_off(self.address)
            else:
                problem = self._refused(response)
        if problem is not None:  # raised here: no other error is behind it, which would hold the request and its key
            raise problem
        return self._parsed(response.content), seconds

    def _refused(self, response: httpx2.Response) -> ModelError | None:
        """Returns the error of an answer that its status calls one."""
        from lab.transport import wait_asked

        if response.status_code < 300:
            return None
        text = response.text[:LONGEST_WORDS]
        try:
            text = words_of(json.loads(text)) or text
        except (ValueError, RecursionError):
            text = words_of(text)
        words = self.secret.masked(text)[:200]
        return refusal(response.status_code, words, wait_asked(response.headers), url=self.address)

    def _parsed(self, content: bytes) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            begins = self.secret.masked(" ".join(content[:300].decode("utf-8", "replace").split()))[:80]
            message = N_("The answer of the server at {url} is not JSON; it begins with “{text}”.")
            remedy = Said("Check the address: it must be the one that programs call.")
            problem = ModelError(Said(message, url=shown_address(self.address), text=begins), remedy)
        raise problem

    # ---------------------------------------------------------------------------------------------- reading

    def read(self, answer: Any) -> list[Result]:
        """Returns the results of an answer.  Raises `ModelError` that names what is not where it should be."""
        found = value_at(answer, self.results)
        if found is _MISSING:
            raise _not_there(self.results, answer)
        if isinstance(found, Mapping):
            found = self._rows(found)
        if not isinstance(found, list):
            kind = {"path": self.results or "–", "kind": kind_of(found)}
            message = Said("The results (“{path}”) are {kind}, not a list.", **kind)
            raise ModelError(message, Said("Name the path of the list in the answer."))
        return [self._row(row, at) for at, row in enumerate(found[:MOST], 1)]

    def _row(self, row: Any, at: int) -> Result:
        ids, text = value_at(row, self.id) if self.id else None, value_at(row, self.text) if self.text else None
        names = (str(ids),) if isinstance(ids, str | int) and not isinstance(ids, bool) else ()
        words = text if isinstance(text, str) else ""
        if not names and not words:
            wanted = [*filter(None, (self.id, self.text))]
            message = N_("Result {at} has no id or text at “{paths}”. It has: {fields}.")
            raise ModelError(Said(message, at=at, paths=wanted, fields=fields_of(row)), Said("Name other fields."))
        return Result(names, words, self._number(value_at(row, self.score), at, row) if self.score else None)

    def _number(self, value: Any, at: int, row: Any) -> float:
        if is_finite(value):
            return float(value)
        remedy = Said("Name another field. Leave it empty if the answer has no scores: then the rank counts.")
        if value is _MISSING:
            message = N_("Result {at} has no score at “{path}”. It has: {fields}.")
            raise ModelError(Said(message, at=at, path=self.score, fields=fields_of(row)), remedy)
        message = N_("The score of result {at} at “{path}” is “{value}”, not a number.")
        raise ModelError(Said(message, at=at, path=self.score, value=str(value)[:60]), remedy)

    def _rows(self, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Returns the rows of a table of columns: the ids, the texts and the scores are lists of one length."""
        paths = [path for path in (self.id, self.text, self.score) if path]
        columns = {path: column[:MOST] for path in paths if isinstance(column := value_at(answer, path), list)}
        if not columns.keys() & {self.id, self.text}:
            values = {"paths": [*filter(None, (self.id, self.text))], "fields": fields_of(answer)}
            message = Said("The answer has no list of ids or texts at “{paths}”. It has: {fields}.", **values)
            raise ModelError(message, Said("Name the path of the list in the answer."))
        if self.score and self.score not in columns:
            raise _not_there(self.score, answer)
        if len({len(column) for column in columns.values()}) > 1:
            counts = [joined((path, len(column)), ": ") for path, column in columns.items()]
            message = Said("The lists of the answer are of different lengths ({counts}).", counts=counts)
            raise ModelError(message, Said("Name lists that belong together."))
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


_FEWER = N_("Ask for fewer results, or for fewer fields of each.")


def value_at(data: Any, path: str) -> Any:
    """Returns the value at a path of an answer, or a mark that nothing is there; the empty path is the whole."""
    if path and isinstance(data, Mapping) and path in data:
        return data[path]
    for step in path.split(".") if path else []:
        if isinstance(data, Mapping) and step in data:
            data = data[step]
        elif isinstance(data, list) and step.isdecimal() and len(step) < 8 and int(step) < len(data):
            data = data[int(step)]
        else:
            return _MISSING
    return data


def fields_of(data: Any) -> str:
    """Names the fields of a part of an answer, or what kind of value it is."""
    if not isinstance(data, Mapping):
        return kind_of(data)
    names = [str(name)[:40] for name in list(data)[:FIELDS]]
    return ", ".join(names) + (" …" if len(data) > FIELDS else "") if names else Said("nothing")


def kind_of(value: Any) -> str:
    """Names the kind of a JSON value."""
    kinds = {
        bool: Said("true or false"),
        str: Said("a text"),
        int: Said("a number"),
        float: Said("a number"),
        list: Said("a list"),
        dict: Said("an object"),
    }
    return kinds.get(type(value), Said("empty"))


def _not_there(path: str, answer: Any) -> ModelError:
    message = Said("The answer has nothing at “{path}”. It has: {fields}.", path=path, fields=fields_of(answer))
    return ModelError(message, Said("Name the path of the list in the answer."))


def _request_body(template: str, question: str, k: int) -> Any:
    """Returns the body of a request with this question and this number of results.  Raises `ParameterError`."""
    try:
        body = json.loads(template)
    except (ValueError, RecursionError):
        message = Said("The body of the request is not JSON: “{text}”.", text=" ".join(template.split())[:80])
        raise ParameterError(message, Said("Write it as in this example: {body}", body=BODY)) from None
    return _filled(body, question, k)


def _filled(value: Any, question: str, k: int) -> Any:
    if isinstance(value, dict):
        return {name: _filled(part, question, k) for name, part in value.items()}
    if isinstance(value, list):
        return [_filled(part, question, k) for part in value]
    if value == COUNT:
        return k
    if isinstance(value, str):  # the question may contain what looks like a placeholder
        return question.join(part.replace(COUNT, str(k)) for part in value.split(QUESTION))
    return value
