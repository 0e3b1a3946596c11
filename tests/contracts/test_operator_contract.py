"""What every operator keeps to: retrievers, fusions, stages, embedders and their parts, those to come included."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from collections.abc import Mapping
from typing import Any

import pytest
from specimens import all_of, made, missing, spoken

from lab import catalog
from lab.core import Operator
from lab.errors import ParameterError
from lab.models.secrets import Secret
from lab.text import Analyzer


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


@pytest.mark.parametrize("cls", classes().values(), ids=classes().keys())
def test_every_operator_can_be_made_for_a_test(cls: type[Operator]) -> None:
    assert not missing(cls), f"say in specimens.NEEDS what to give {cls.__name__} for {missing(cls)}"
    assert made(cls)


@pytest.mark.parametrize("cls", classes().values(), ids=classes().keys())
def test_every_operator_is_a_frozen_dataclass(cls: type[Operator]) -> None:
    assert "__dataclass_fields__" in vars(cls), f"{cls.__name__} is not decorated with @dataclass(frozen=True)"
    assert vars(cls)["__dataclass_params__"].frozen


@pytest.mark.parametrize("cls", classes().values(), ids=classes().keys())
def test_every_operator_says_what_it_is(cls: type[Operator]) -> None:
    assert (cls.__doc__ or "").strip()
    assert not (cls.__doc__ or "").startswith(f"{cls.__name__}("), "the docstring is the one that dataclass made up"


@pytest.mark.parametrize("op", OPERATORS)
def test_no_field_can_be_set(op: Operator) -> None:
    for f in dataclasses.fields(op):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(op, f.name, getattr(op, f.name))


@pytest.mark.parametrize("op", OPERATORS)
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


@pytest.mark.parametrize("op", OPERATORS)
def test_survives_copying_and_pickling(op: Operator) -> None:
    if any(isinstance(getattr(op, f.name), Secret) for f in dataclasses.fields(op)):
        pytest.skip("holds a secret, which is not written down")
    assert copy.deepcopy(op) == op
    assert pickle.loads(pickle.dumps(op)) == op


@pytest.mark.parametrize("op", OPERATORS)
def test_the_repr_is_the_specification(op: Operator) -> None:
    names: dict[str, Any] = {**classes(), "Analyzer": Analyzer}
    try:
        again = eval(repr(op), names)  # our own repr, not a stranger's text
    except (NameError, SyntaxError):
        pytest.skip("holds something that has no name in the catalogue")
    assert again == op


@pytest.mark.parametrize("op", OPERATORS)
def test_has_a_label_of_one_line(op: Operator) -> None:
    assert op.label.strip()
    assert "\n" not in op.label


@pytest.mark.parametrize(("cls", "knob"), KNOBS)
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


@pytest.mark.parametrize(("cls", "knob"), KNOBS)
def test_a_knob_takes_the_ends_of_its_range(cls: type[Operator], knob: dataclasses.Field[Any]) -> None:
    first = made(cls)[0]
    for limit in (knob.metadata.get("low"), knob.metadata.get("high")):
        if limit is not None:
            try:
                assert getattr(dataclasses.replace(first, **{knob.name: limit}), knob.name) == limit
            except ParameterError as error:  # two knobs that must agree, k and fetch_k for instance
                if knob.name not in str(error):
                    raise


@pytest.mark.parametrize(("cls", "knob"), KNOBS)
@pytest.mark.parametrize("value", [math.nan, "1", True, [1]], ids=repr)
def test_a_knob_that_is_no_number_is_refused(cls: type[Operator], knob: dataclasses.Field[Any], value: object) -> None:
    with pytest.raises(ParameterError):
        dataclasses.replace(made(cls)[0], **{knob.name: value})


@pytest.mark.parametrize(("cls", "knob"), CHOICES)
def test_an_unknown_choice_is_refused_with_the_known_ones(cls: type[Operator], knob: dataclasses.Field[Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        dataclasses.replace(made(cls)[0], **{knob.name: "no such thing"})
    assert all(choice in str(caught.value) for choice in knob.metadata["choices"])
