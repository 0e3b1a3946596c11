"""What every operator keeps to: retrievers, fusions, stages, embedders and their parts, those to come included."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from collections.abc import Mapping
from typing import Any

import pytest
from night import for_each
from specimens import all_of, made, missing, searching, spoken

from lab import catalog, formats
from lab.algebra import Operator
from lab.errors import LabError, ParameterError, PipelineError
from lab.models.secrets import Secret


def classes() -> Mapping[str, type[Operator]]:
    return catalog.concrete(Operator)


OPERATORS = all_of(classes())
KNOBS = [
    pytest.param(cls, f, id=f"{name}.{f.name}")
    for name, cls in classes().items()
    if not missing(cls)
    for f in dataclasses.fields(cls)
    if f.metadata.get("low") is not None or f.metadata.get("high") is not None
]
CHOICES = [
    pytest.param(cls, f, id=f"{name}.{f.name}")
    for name, cls in classes().items()
    if not missing(cls)
    for f in dataclasses.fields(cls)
    if f.metadata.get("choices")
]


def test_the_catalogue_finds_what_there_is() -> None:
    assert {"BM25", "TFIDF", "Vector"} <= catalog.retrievers().keys()
    assert {"BuiltIn", "LSA"} <= catalog.embedders().keys()


@for_each("cls", classes().values())
def test_every_operator_can_be_made_for_a_test(cls: type[Operator]) -> None:
    assert not missing(cls), f"say in specimens.NEEDS what to give {cls.__name__} for {missing(cls)}"
    assert made(cls)


@for_each("cls", classes().values())
def test_every_operator_is_a_frozen_dataclass(cls: type[Operator]) -> None:
    assert "__dataclass_fields__" in vars(cls), f"{cls.__name__} is not decorated with @dataclass(frozen=True)"
    assert vars(cls)["__dataclass_params__"].frozen


@for_each("cls", classes().values())
def test_every_operator_says_what_it_is(cls: type[Operator]) -> None:
    assert (cls.__doc__ or "").strip()
    assert not (cls.__doc__ or "").startswith(f"{cls.__name__}("), "the docstring is the one that dataclass made up"


@for_each("op", OPERATORS)
def test_no_field_can_be_set(op: Operator) -> None:
    for f in dataclasses.fields(op):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(op, f.name, getattr(op, f.name))


@for_each("op", OPERATORS)
def test_equal_by_value_and_hashable(op: Operator) -> None:
    twin = dataclasses.replace(op)
    assert twin == op
    assert twin is not op
    assert hash(twin) == hash(op)
    assert len({op, twin}) == 1


def test_operators_with_different_parameters_differ() -> None:
    for cls in classes().values():
        specimens = [] if missing(cls) else made(cls)
        for i, one in enumerate(specimens):
            assert all(one != other for other in specimens[i + 1 :]), spoken(one)


@for_each("op", OPERATORS)
def test_survives_copying_and_pickling(op: Operator) -> None:
    if any(isinstance(getattr(op, f.name), Secret) for f in dataclasses.fields(op)):
        pytest.skip("holds a secret, which is not written down")
    assert copy.deepcopy(op) == op
    assert pickle.loads(pickle.dumps(op)) == op


@for_each("op", OPERATORS)
def test_the_repr_is_the_specification(op: Operator) -> None:
    names: dict[str, Any] = {**classes(), **catalog.specifications()}
    again = eval(repr(op), names)  # our own repr, not a stranger's text
    assert again == op
    assert hash(again) == hash(op)


def test_every_operator_has_a_key_of_its_own_that_stays() -> None:
    keys = {name: cls.key for name, cls in classes().items()}
    assert len(set(keys.values())) == len(keys), keys
    assert all(key == key.casefold() and key.isidentifier() for key in keys.values())
    stands = {"BM25": "bm25", "TFIDF": "tfidf", "RRF": "rrf", "MMR": "mmr", "HyDE": "hyde", "Query2Doc": "query2doc"}
    assert stands.items() <= keys.items()
    for name, key in keys.items():
        assert catalog.find(catalog.operators, key).__name__ == name, "a key leads back to its class"


@for_each("op", OPERATORS)
def test_a_key_belongs_to_the_class_and_not_to_a_specimen(op: Operator) -> None:
    assert op.key == type(op).key
    assert not any(f.name in ("key", "portable", "family", "label") for f in dataclasses.fields(op))


@for_each("op", OPERATORS)
def test_survives_a_file_a_link_and_an_expression(op: Operator) -> None:
    search = searching(op)
    if search is None and op.portable:  # no part of a search: an answer, a rule of citation
        assert formats.build(formats.expression(op)) == op
        return
    if search is None or not op.portable:
        with pytest.raises(PipelineError, match="no address and no key"):
            formats.to_table(search or op)
        return
    for again in (
        formats.from_toml(formats.to_toml(search)),
        formats.from_link(formats.to_link(search)),
        formats.parse(formats.expression(search)),
        formats.from_table(formats.to_table(search)),
        eval(formats.expression(search), {**classes(), **catalog.specifications()}),
    ):
        assert again == search
        assert hash(again) == hash(search)
        assert formats.to_toml(again) == formats.to_toml(search)


@for_each("op", OPERATORS)
def test_has_a_label_of_one_line(op: Operator) -> None:
    assert op.label.strip()
    assert "\n" not in op.label


@for_each("cls, knob", KNOBS)
def test_a_knob_outside_its_range_is_refused_with_the_range(cls: type[Operator], knob: dataclasses.Field[Any]) -> None:
    first = made(cls)[0]
    low, high = knob.metadata.get("low"), knob.metadata.get("high")
    outside = [low - 1] * (low is not None) + [high + 1] * (high is not None)
    for value in outside:
        with pytest.raises(ParameterError) as caught:
            dataclasses.replace(first, **{knob.name: value})
        message = str(caught.value)
        assert knob.name in message
        assert str(value) in message
        assert all(str(limit) in message for limit in (low, high) if limit is not None), message


@for_each("cls, knob", KNOBS)
def test_a_knob_takes_the_ends_of_its_range(cls: type[Operator], knob: dataclasses.Field[Any]) -> None:
    first = made(cls)[0]
    for limit in (knob.metadata.get("low"), knob.metadata.get("high")):
        if limit is not None:
            try:
                assert getattr(dataclasses.replace(first, **{knob.name: limit}), knob.name) == limit
            except ParameterError as error:  # two knobs that must agree, k and fetch_k for instance
                if knob.name not in str(error):
                    raise


@for_each("cls, knob", KNOBS)
def test_a_knob_that_is_no_number_is_refused(cls: type[Operator], knob: dataclasses.Field[Any]) -> None:
    for value in (math.nan, "1", True, [1], 10**400):
        with pytest.raises(ParameterError):
            dataclasses.replace(made(cls)[0], **{knob.name: value})


OTHERS: dict[str, list[object]] = {
    "flag": [None, "x", 1],
    **dict.fromkeys(("text", "date", "prompt", "model"), [5, None, ["x"]]),
    **dict.fromkeys(("words", "lines"), [None, 5, "word", (5,), (None,)]),
    "numbers": [5, "1", ("x",), (None,), (math.nan,), (True,), (10**400,)],
    "spec": [5, None, "x y"],
}
"""Kind of knob to what is none of that kind."""


@for_each(
    "cls, knob",
    [
        pytest.param(cls, f, id=f"{name}.{f.name}")
        for name, cls in classes().items()
        for f in dataclasses.fields(cls)
        if f.metadata.get("kind") in OTHERS and not missing(cls)
    ],
)
def test_a_knob_of_another_kind_is_refused_in_words(cls: type[Operator], knob: dataclasses.Field[Any]) -> None:
    for value in OTHERS[knob.metadata["kind"]]:
        if value is not None or knob.default is not None:
            with pytest.raises(LabError):
                dataclasses.replace(made(cls)[0], **{knob.name: value})


@for_each("cls, knob", CHOICES)
def test_an_unknown_choice_is_refused_with_the_known_ones(cls: type[Operator], knob: dataclasses.Field[Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        dataclasses.replace(made(cls)[0], **{knob.name: "no such thing"})
    assert all(choice in str(caught.value) for choice in knob.metadata["choices"])
