"""What every operator keeps to: retrievers, fusions, stages, embedders and their parts, those to come included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest
from night import for_each
from specimens import all_of, made, missing

from lab import catalog
from lab.algebra import (
    Corpus,
    Derivation,
    Document,
    Env,
    Operator,
    Outcome,
    Progress,
    Query,
    Ranking,
    Retriever,
    Runner,
    Stage,
    knob,
    one_of,
)
from lab.contracts import checks
from lab.contracts.laws import BrokenLaw
from lab.contracts.specimens import written
from lab.errors import ParameterError
from lab.models.embedders import Embedder, Encoder, Vectors
from lab.retrieve.lexical import BM25


def classes() -> Mapping[str, type[Operator]]:
    return catalog.concrete(Operator)


OPERATORS = all_of(classes())


def test_the_catalogue_finds_what_there_is() -> None:
    assert {"BM25", "TFIDF", "Vector"} <= catalog.retrievers().keys()
    assert {"BuiltIn", "LSA"} <= catalog.embedders().keys()


@for_each("cls", classes().values())
def test_every_operator_can_be_made_for_a_test(cls: type[Operator]) -> None:
    assert not missing(cls), f"say in specimens.NEEDS what to give {cls.__name__} for {missing(cls)}"
    assert made(cls)


@for_each("cls", classes().values())
def test_every_operator_is_a_frozen_dataclass_that_says_what_it_is(cls: type[Operator]) -> None:
    checks.check_class(cls)
    checks.check_words(cls)


def test_every_operator_has_a_key_of_its_own_that_stays() -> None:
    keys = {name: cls.key for name, cls in classes().items()}
    assert len(set(keys.values())) == len(keys), keys
    stands = {"BM25": "bm25", "TFIDF": "tfidf", "RRF": "rrf", "MMR": "mmr", "HyDE": "hyde", "Query2Doc": "query2doc"}
    assert stands.items() <= keys.items()


@for_each("op", OPERATORS)
def test_every_specification_is_a_frozen_value(op: Operator) -> None:
    checks.check_value(op)


def test_operators_with_different_parameters_differ() -> None:
    for cls in classes().values():
        specimens = [] if missing(cls) else made(cls)
        for i, one in enumerate(specimens):
            assert all(one != other for other in specimens[i + 1 :]), written(one)


@for_each("op", OPERATORS)
def test_survives_a_file_a_link_and_an_expression(op: Operator) -> None:
    checks.check_writing(op)


@for_each("cls", [cls for cls in classes().values() if not missing(cls)])
def test_every_knob_takes_its_range_and_refuses_everything_else(cls: type[Operator]) -> None:
    checks.check_knobs(made(cls)[0])


# ------------------------------------------------------------------ the laws themselves catch what they are for


@dataclass(frozen=True)
class Plain(Stage):
    """A stage that keeps all of it; the others break one law each."""

    about = "Keeps the list."

    count: int = knob(3, low=1, high=5, label="Count", help="Nothing happens.")
    how: str = knob("slow", choices=("slow", "fast"), label="How", help="Nothing happens.")
    switch: bool = knob(False, label="Switch", help="Nothing happens.")

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        return Outcome(ranking.hits)


@dataclass(frozen=True)
class Unchecked(Plain):
    """Does not check its knobs."""

    def __post_init__(self) -> None:
        pass


@dataclass(frozen=True)
class Surly(Plain):
    """Refuses without the range."""

    def __post_init__(self) -> None:
        if type(self.count) is not int or not 1 <= self.count <= 5:
            raise ParameterError("No.")


@dataclass(frozen=True)
class Brutal(Plain):
    """Raises what is no error of the lab."""

    def __post_init__(self) -> None:
        if type(self.count) is not int or not 1 <= self.count <= 5:
            raise ValueError("No.")


@dataclass(frozen=True)
class Narrow(Plain):
    """Does not take the end of its range."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.count == 5:
            raise ParameterError("Too many.")


@dataclass(frozen=True)
class Silent(Plain):
    """Does not name the choices."""

    def __post_init__(self) -> None:
        try:
            one_of("how", self.how, ("slow", "fast"))
        except ParameterError:
            raise ParameterError("No such way.") from None
        super().__post_init__()


KNOBS = {
    Unchecked: "count=0 is accepted",
    Surly: "The refusal of count=0 does not name",
    Brutal: "count=0 raises ValueError, not ParameterError",
    Narrow: "count=5 is within the range, but refused",
    Silent: "The refusal does not name the choices",
}


@for_each("cls, told", KNOBS.items())
def test_a_knob_that_does_not_keep_to_its_range_is_found_out(cls: type[Operator], told: str) -> None:
    checks.check_knobs(Plain())
    with pytest.raises(BrokenLaw, match=told):
        checks.check_knobs(cls())


class Bare(Plain):
    """Is not decorated."""


@dataclass(frozen=True)
class Loud(Plain):
    """Has a key in capitals."""

    key = "LOUD"


@dataclass(frozen=True)
class Mute(Plain):
    """Says nothing of itself."""

    about = ""


@dataclass(frozen=True)
class Unfinished(Plain):
    """Has no full stop."""

    about = "Keeps"


@dataclass(frozen=True)
class Wordless(Plain):
    """Has a knob without words."""

    more: int = knob(1, low=0)


@dataclass(frozen=True)
class Knobless(Plain):
    """Has a field that is no knob."""

    more: int = 1


@dataclass(frozen=True)
class Tall(Plain):
    """Has a label of two lines."""

    label = "one\ntwo"


@dataclass(frozen=True)
class Eager(Plain):
    """Is never equal to itself."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return False


CLASSES = {
    Bare: "not decorated",
    Loud: "The key of Loud is",
    Mute: "has no “about”",
    Unfinished: "not a sentence",
    Wordless: "has no label",
    Knobless: "not a knob",
    Tall: "several lines",
    Eager: "not equal",
}


def check(cls: type[Operator]) -> None:
    checks.check_class(cls)
    checks.check_words(cls)
    checks.check_value(cls())


@for_each("cls, told", CLASSES.items())
def test_a_class_that_is_no_specification_is_found_out(cls: type[Operator], told: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        found = {**classes(), **{one.__name__: one for one in (Plain, *CLASSES)}}
        patch.setattr(catalog, "operators", lambda: found)
        check(Plain)
        with pytest.raises(BrokenLaw, match=told):
            check(cls)


@dataclass
class Thawed:
    count: int = 1


def test_a_field_that_can_be_set_is_found_out() -> None:
    with pytest.raises(BrokenLaw, match="can be set"):
        checks.check_value(Thawed())  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------- a slow embedder


class Slow(Encoder):
    """Wants to be able to tell how far it is, and to be stopped, wherever it reads passages."""

    dimensions = 3

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        assert progress is not None
        return np.ones((len(texts), 3), np.float32)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 3), np.float32)


@dataclass(frozen=True)
class Waiting(Embedder):
    def fit(self, corpus: Corpus) -> Encoder:
        return Slow()


STORES = {"ChromaVector", "MilvusVector"}
"""They tell after each portion what they have stored."""


@pytest.mark.parametrize(
    "cls",
    [
        cls
        for cls in classes().values()
        if issubclass(cls, Retriever | Stage | Derivation) and cls.__name__ not in STORES
        if "embedder" in {field.name for field in fields(cls)}
    ],
)
def test_a_slow_embedder_is_told_the_progress_wherever_passages_are_read(cls: type[Any]) -> None:
    text = "Leave is {n} days. The portal opens at night {n}. Ask the office. Rain falls."
    corpus = Corpus("c", tuple(Document(f"d{n}", text.format(n=n), f"Leave {n}") for n in range(6)))
    operator, progress = cls(embedder=Waiting()), lambda done, total: None
    if isinstance(operator, Derivation):
        assert len(operator(corpus, env=Env(progress=progress)))
    else:
        search = operator if isinstance(operator, Retriever) else BM25() >> operator
        assert Runner(corpus, progress=progress)(search, Query("leave portal days"), 5).query.text
