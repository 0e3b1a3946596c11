"""The sample corpora that come with the lab: folders in the BEIR layout under ``sample_corpora``."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
        known = Said("Valid names: {names}.", names=", ".join(names()))
        raise UnknownName(Said("There is no sample corpus “{name}”.", name=name), known)
    return _home() / name


def load(name: str) -> beir.Collection:
    """A sample corpus with its queries and judgments.  Raises `UnknownName`."""
    return beir.load(folder(name))


@cache
def glosses(name: str, language: str) -> Mapping[str, str]:
    """Lines in this language for what a sample has in another: by a passage's id, and by a question's text.

    They stand in ``glosses.jsonl`` beside the corpus, and are shown, never searched.  Raises `UnknownName`.
    """
    file = folder(name) / "glosses.jsonl"
    lines = map(json.loads, file.read_text("utf-8").splitlines() if file.is_file() else ())
    return {line.get("_id") or line["question"]: line[language] for line in lines if language in line}


def _home() -> Path:
    return home.root() / "sample_corpora"
