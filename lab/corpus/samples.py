"""The sample corpora that come with the lab: folders in the BEIR layout under ``sample_corpora``.

The large ones have judged questions and stand for documents that people search (`names`).  The small ones, under
``sample_corpora/textbook``, have two to ten short documents each and show one technique by figures that can be checked
by hand (`textbook`); each exists in both languages, with names that end with the language.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from lab import home, packs
from lab.corpus import beir, indexes
from lab.errors import UnknownName
from lab.toml import read_toml
from lab.words import Said

INDEXES = "indexes"
"""The folder beside the sample corpora of a wheel with their indexes: see `maintenance/wheel.py`."""
GLOSSES = "glosses.jsonl"


@cache
def names() -> tuple[str, ...]:
    """The names of the large sample corpora, in alphabetical order."""
    return tuple(sorted(file.parent.name for file in _home().glob("*/corpus.jsonl")))


@cache
def textbook() -> tuple[str, ...]:
    """The names of the small sample corpora, in alphabetical order."""
    return tuple(sorted(file.parent.name for file in _home().glob("textbook/*/corpus.jsonl")))


@cache
def title(name: str) -> dict[str, str]:
    return dict(read_toml((_home() / "textbook/titles.toml").read_text("utf-8"))[name.rpartition("-")[0]])


def language_of(name: str) -> str:
    """The language of a small sample: ``zh`` or ``en``; empty for every other corpus."""
    return name.rpartition("-")[2] if name in textbook() else ""


def every_name() -> tuple[str, ...]:
    """The names of all sample corpora, the large ones first."""
    return (*names(), *textbook())


def folder(name: str) -> Path:
    """The folder of a sample corpus.  Raises `UnknownName`."""
    if name in textbook():
        return _home() / "textbook" / name
    if name not in names():
        raise UnknownName(
            Said("There is no sample corpus “{name}”.", name=name), Said("Valid names: {names}.", names=[*every_name()])
        )
    return _home() / name


def load(name: str, **options: Any) -> beir.Collection:
    """A sample corpus with its queries and judgments; see `beir.load`.  Raises `UnknownName`."""
    collection = beir.load(folder(name), **options)
    if name not in names():
        return collection
    corpus = replace(collection.corpus, keeper=indexes.of_samples(_home() / INDEXES))
    return replace(collection, corpus=corpus)


@cache
def glosses(name: str, language: str) -> Mapping[str, str]:
    """Returns translations of a sample's texts into this language, by a passage's id or a question's text.

    The file `GLOSSES` of the corpus has them, and that of a pack for its lessons; they are shown, never
    searched.  Raises `UnknownName`.
    """
    brought = packs.each((place / GLOSSES for place in packs.lessons(folder(name))), _read_lines)
    lines = (*_read_lines(folder(name) / GLOSSES), *chain.from_iterable(brought))
    return {line.get("_id") or line["question"]: line[language] for line in lines if language in line}


def _read_lines(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.is_file() else []


def _home() -> Path:
    return home.root() / "sample_corpora"
