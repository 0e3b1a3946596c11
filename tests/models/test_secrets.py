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
from itertools import product
from typing import Any

import pytest
from night import for_each

from lab import formats
from lab.algebra import Corpus, Document, Searcher
from lab.errors import PipelineError
from lab.fuse import RRF
from lab.models.endpoint import EndpointEmbedder
from lab.models.endpoint_chat import EndpointModel
from lab.models.lsa import LSA
from lab.models.secrets import Secret
from lab.refine.diversity import MMR
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.ui.layout import export

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
    "list": lambda thing: str([thing, {"key": thing}]),
    "pprint": pprint.pformat,
    "json": lambda thing: json.dumps({"key": thing}, default=str),
}
THINGS = [
    Secret(CANARY),
    Holder(),
    EndpointEmbedder(secret=Secret(CANARY)),
    Vector(EndpointEmbedder(secret=Secret(CANARY))),
    EndpointModel("m", secret=Secret(CANARY)),
]


@for_each("thing", THINGS)
def test_no_text_of_it_has_the_secret(thing: object) -> None:
    for how, write in TEXTS.items():
        assert CANARY not in write(thing), how
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="a secret is not written down"):
            pickle.dumps(thing, protocol)


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


def test_it_is_not_json() -> None:
    with pytest.raises(TypeError):
        json.dumps(Secret(CANARY))
    assert CANARY not in json.dumps(dataclasses.asdict(EndpointEmbedder(secret=Secret(CANARY))), default=repr)


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
    assert EndpointEmbedder(secret=Secret(CANARY)) == EndpointEmbedder(secret=Secret(CANARY))
    assert hash(EndpointEmbedder(secret=Secret(CANARY))) == hash(EndpointEmbedder(secret=Secret(CANARY)))
    assert EndpointEmbedder(secret=Secret(CANARY)) != EndpointEmbedder(secret=Secret("another"))


def test_a_copy_is_the_same_and_only_reveal_gives_it_away() -> None:
    secret = Secret(CANARY)
    assert secret.reveal() == CANARY
    assert copy.copy(secret) is copy.deepcopy(secret) is secret
    assert Secret(secret) == secret
    assert dataclasses.replace(EndpointEmbedder(secret=secret), model="m").secret == secret
    assert bool(secret)
    assert not Secret()
    assert repr(Secret()) != repr(secret)  # whether there is one may be seen


def test_a_key_given_as_a_word_becomes_a_secret() -> None:
    embedder = EndpointEmbedder(secret=CANARY)  # type: ignore[arg-type]
    assert embedder.secret == Secret(CANARY)
    assert CANARY not in repr(embedder)


OURS = (
    Vector(EndpointEmbedder("m", secret=Secret(CANARY))),
    ChromaVector(EndpointEmbedder("m", secret=Secret(CANARY))),
)


@for_each("search", [*OURS, BM25() >> MMR(embedder=OURS[0].embedder), RRF()(BM25(), *OURS)])
def test_no_file_link_or_program_has_it(search: Searcher) -> None:
    for write in (formats.to_toml, formats.to_link, formats.to_table):
        with pytest.raises(PipelineError, match="belongs to this machine") as told:
            write(search)
        assert CANARY not in str(told.value)
    assert CANARY not in formats.expression(search)
    assert CANARY not in repr(search)
    with pytest.raises(PipelineError) as told:
        formats.parse(f'Vector(embedder=EndpointEmbedder(secret="{CANARY}"))')
    assert CANARY not in str(told.value)
    with pytest.raises(PipelineError, match="Line 3"):
        formats.from_toml('format = 1\ntype = "Vector"\nembedder = {type = "EndpointEmbedder", base_url = "http://x"}')


def test_no_exported_ranking_has_it() -> None:
    ranking = Vector(LSA(2)).index(CORPUS).search("battery")
    ranking = dataclasses.replace(ranking, made_by=OURS[0])
    for text in (export.csv([ranking], ["V"]), export.as_json([ranking], ["V"]), export.trec("q", [ranking], ["V"])):
        assert CANARY not in text


def test_no_name_that_goes_into_links_and_collections_has_it() -> None:
    for retriever in OURS:
        assert CANARY not in retriever.label + retriever.embedder.name + retriever.embedder.label
    assert CANARY not in OURS[1].collection(CORPUS)


@for_each("start, length", product(range(12), (6, 7, 12, 20)))
def test_no_six_characters_of_a_key_in_a_row_are_shown(start: int, length: int) -> None:
    key = "sk-EXAMSECRET-1234-abcdef"
    part = key[start : start + length]
    said = Secret(key).masked(f"Wrong key {part}, and half {part}{part}.")
    assert not any(key[i : i + 6] in said for i in range(len(key) - 5))
    assert said.startswith("Wrong key …, and half …")


def test_what_is_no_part_of_a_key_stays() -> None:
    said = "secret, key sk-E, and 1234"
    assert Secret("sk-EXAMSECRET-1234").masked(said) == said
    assert Secret("").masked(said) == said
    assert Secret("sk-E").masked(said) == "secret, key …, and 1234"
    assert Secret("1").masked("") == ""
