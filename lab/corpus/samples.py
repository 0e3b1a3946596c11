"""The sample corpora that come with the lab: folders in the BEIR layout under ``sample_corpora``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lab import home
from lab.corpus import beir
from lab.errors import UnknownName
from lab.words import Said


@cache
def names() -> tuple[str, ...]:
    """The names of the sample corpora, in alphabetical order."""
    return tuple(sorted(file.parent.name for file in _home().glob("*/corpus.jsonl")))


def folder(name: str) -> Path:
    """The folder of a sample corpus.  Raises `UnknownName`."""
    if name not in names():
        known = Said("Known are: {names}.", names=", ".join(names()))
        raise UnknownName(Said("There is no sample corpus “{name}”.", name=name), known)
    return _home() / name


def load(name: str) -> beir.Collection:
    """A sample corpus with its queries and judgments.  Raises `UnknownName`."""
    return beir.load(folder(name))


def _home() -> Path:
    return home.root() / "sample_corpora"
