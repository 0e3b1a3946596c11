"""A secret appears nowhere that it was not put on purpose."""

from __future__ import annotations

import copy
import dataclasses
import json
import logging
import pickle
import pprint
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from lab.core import Corpus, Document, Ranking
from lab.fuse import RRF
from lab.models.endpoint import EndpointEmbedder
from lab.models.endpoint_chat import EndpointModel
from lab.models.lsa import LSA
from lab.models.secrets import Secret
from lab.refine.diversity import MMR
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.ui import code, export

CANARY = "sk-canary-4711"
CORPUS = Corpus("devices", (Document("d1", "battery"), Document("d2", "耳机")))


@dataclass(frozen=True)
class Holder:
    """A dataclass whose author forgot ``repr=False``."""

    key: Secret = field(default=Secret(CANARY))


TEXTS: dict[str, Callable[[Any], str]] = {
    "repr": repr,
    "str": str,
    "f-string": lambda thing: f"{thing}",
    "f-string, conversion": lambda thing: f"{thing!r} {thing!s} {thing!a}",
    "percent": lambda thing: "%s %r" % (thing, thing),  # noqa: UP031
    "format": lambda thing: f"{thing}",
    "join": lambda thing: " ".join(map(str, [thing])),
    "list": lambda thing: str([thing, {"key": thing}]),
    "pprint": pprint.pformat,
    "json": lambda thing: json.dumps({"key": thing}, default=str),
}
THINGS = [
    Secret(CANARY),
    Holder(),
    EndpointEmbedder(key=Secret(CANARY)),
    Vector(EndpointEmbedder(key=Secret(CANARY))),
    EndpointModel("m", key=Secret(CANARY)),
]


@pytest.mark.parametrize("thing", THINGS, ids=lambda t: type(t).__name__)
@pytest.mark.parametrize("how", TEXTS)
def test_no_text_of_it_has_the_secret(how: str, thing: object) -> None:
    assert CANARY not in TEXTS[how](thing)


def test_a_width_does_not_show_it() -> None:
    assert f"{Secret(CANARY):>20}".strip() == "…"
    assert f"{Secret(CANARY):.3}" == "…"


@pytest.mark.parametrize("thing", THINGS, ids=lambda t: type(t).__name__)
def test_no_log_has_it(thing: object, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("lab").warning("calling with %s, %r", thing, thing)
        try:
            raise ValueError(thing)
        except ValueError:
            logging.getLogger("lab").exception("failed")
    assert "calling with" in caplog.text
    assert CANARY not in caplog.text


def test_no_traceback_has_it_even_with_the_local_variables() -> None:
    def fails(key: Secret) -> None:
        holder = Holder(key)
        raise RuntimeError(f"{holder}")

    try:
        fails(Secret(CANARY))
    except RuntimeError as error:
        told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert "holder" in told
    assert CANARY not in told


@pytest.mark.parametrize("thing", THINGS, ids=lambda t: type(t).__name__)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_is_not_pickled(thing: object, protocol: int) -> None:
    with pytest.raises(TypeError, match="a secret is not written down"):
        pickle.dumps(thing, protocol)


def test_it_is_not_json() -> None:
    with pytest.raises(TypeError):
        json.dumps(Secret(CANARY))
    assert CANARY not in json.dumps(dataclasses.asdict(EndpointEmbedder(key=Secret(CANARY))), default=repr)


def test_it_has_no_attributes_to_list_and_does_not_change() -> None:
    secret = Secret(CANARY)
    with pytest.raises(TypeError):
        vars(secret)
    with pytest.raises(AttributeError):
        secret._text = "another"
    with pytest.raises(AttributeError):
        secret.more = 1  # type: ignore[attr-defined]


def test_it_compares_and_hashes_by_content() -> None:
    assert Secret(CANARY) == Secret(CANARY)
    assert hash(Secret(CANARY)) == hash(Secret(CANARY))
    assert Secret(CANARY) != Secret("another")
    assert len({Secret(CANARY), Secret(CANARY), Secret("another")}) == 2
    assert Secret(CANARY) != CANARY  # a string that equals it could be guessed letter by letter in a set
    assert hash(Secret(CANARY)) != hash(CANARY)
    assert EndpointEmbedder(key=Secret(CANARY)) == EndpointEmbedder(key=Secret(CANARY))
    assert hash(EndpointEmbedder(key=Secret(CANARY))) == hash(EndpointEmbedder(key=Secret(CANARY)))
    assert EndpointEmbedder(key=Secret(CANARY)) != EndpointEmbedder(key=Secret("another"))


def test_a_copy_is_the_same_and_only_reveal_gives_it_away() -> None:
    secret = Secret(CANARY)
    assert secret.reveal() == CANARY
    assert copy.copy(secret) is copy.deepcopy(secret) is secret
    assert Secret(secret) == secret
    assert dataclasses.replace(EndpointEmbedder(key=secret), model="m").key == secret
    assert bool(secret)
    assert not Secret()
    assert repr(Secret()) != repr(secret)  # whether there is one may be seen


def test_a_key_given_as_a_word_becomes_a_secret() -> None:
    embedder = EndpointEmbedder(key=CANARY)  # type: ignore[arg-type]
    assert embedder.key == Secret(CANARY)
    assert CANARY not in repr(embedder)


OURS = (Vector(EndpointEmbedder("m", key=Secret(CANARY))), ChromaVector(EndpointEmbedder("m", key=Secret(CANARY))))


def test_no_exported_code_has_it_and_what_is_there_can_be_read() -> None:
    f: Any = SimpleNamespace(corpus=CORPUS)
    first = Ranking("q", (), OURS[0])
    texts = [
        code.searches(f, [BM25(), *OURS], "q", 3),
        code.fusion(f, [BM25(), *OURS], RRF(), "q", 3),
        code.stages(f, OURS[0], [MMR(embedder=OURS[0].embedder)], "q", 3),
        code.refinements(f, first, [MMR(embedder=OURS[0].embedder)], "q"),
    ]
    for text in texts:
        assert CANARY not in text
        assert "Secret" not in text
        assert "from lab.models.endpoint import EndpointEmbedder" in text
        names: dict[str, Any] = {}
        exec("\n".join(line for line in text.splitlines() if line.startswith("from lab.")), names)  # the imports hold
        assert names["EndpointEmbedder"] is EndpointEmbedder


def test_no_exported_ranking_has_it() -> None:
    ranking = Vector(LSA(2)).index(CORPUS).search("battery")
    ranking = dataclasses.replace(ranking, made_by=OURS[0])
    for text in (
        export.csv([ranking], ["V"]),
        export.as_json("battery", [ranking], ["V"]),
        export.trec("q", [ranking], ["V"]),
    ):
        assert CANARY not in text


def test_no_name_that_goes_into_links_and_collections_has_it() -> None:
    for retriever in OURS:
        assert CANARY not in retriever.label + retriever.embedder.name + retriever.embedder.label
    assert CANARY not in OURS[1].collection(CORPUS)
