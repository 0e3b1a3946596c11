"""Former names of classes, parameters, choices and parameters of links.

Every file, expression, link and lesson is read through this table, so an old one still gives the same search.
Renaming something takes one line here; `tests/test_former_names.py` checks every line against the present names.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

FORMER_NAMES: Mapping[str, str] = MappingProxyType({"vector_store.fold.beside": "vector_store.fold.hnsw"})
"""Former name to present name, of five kinds; classes are named as they are called today::

    "SoftCoverage": "MaxSim"                                   a class
    "MMR.balance": "MMR.lambda_mult"                           a parameter of a class, or of what inherits from it
    "BM25.variant=odds": "BM25.variant=no-log-idf"             a choice of such a parameter
    "vector_store.scale": "vector_store.chromavector.scale"    a parameter of a link, or what several begin with
    "fusion.show=all": "fusion.show=every"                     a word of a parameter of a link
"""


def plain(name: str) -> str:
    """Returns a name without capitals and punctuation, for comparing names."""
    return "".join(c for c in name.casefold() if c not in "-_. ")


def of_classes() -> bool:
    """Returns whether a class, or one of its parameters or choices, had another name."""
    return any(old[:1].isupper() for old in FORMER_NAMES)


def present_class(name: str) -> str:
    """Returns the present name of a class, however the former one is spelled; any other name as it is."""
    known = {plain(old): new for old, new in FORMER_NAMES.items() if old[:1].isupper() and "." not in old}
    return known.get(plain(name), name)


def present_knob(cls: type[Any], name: str) -> str:
    """Returns the present name of a parameter of this class; any other name as it is."""
    names = (FORMER_NAMES.get(f"{base.__name__}.{name}") for base in cls.__mro__)
    return next((new.partition(".")[2] for new in names if new), name)


def present_choice(cls: type[Any], knob: str, value: Any) -> Any:
    """Returns the present word for a choice of this parameter (by its present name); any other value as it is."""
    if not isinstance(value, str):
        return value
    names = (FORMER_NAMES.get(f"{base.__name__}.{knob}={value}") for base in cls.__mro__)
    return next((new.partition("=")[2] for new in names if new), value)


def present_choices(word: str) -> list[str]:
    """Returns the present words for a former choice of any parameter."""
    return [new.partition("=")[2] for old, new in FORMER_NAMES.items() if old.partition("=")[2] == word]


def present_key(key: str) -> str:
    """Returns the present name of a parameter of a link, or of what it begins with; any other as it is."""
    for old, new in FORMER_NAMES.items():
        if not old[:1].isupper() and (key == old or key.startswith(f"{old}.")):
            return new + key[len(old) :]
    return key


def present_words(key: str, value: str) -> str:
    """Returns the value of a parameter of a link (by its present name) with the present words, in a list too."""
    return ",".join(FORMER_NAMES.get(f"{key}={word}", f"={word}").partition("=")[2] for word in value.split(","))
