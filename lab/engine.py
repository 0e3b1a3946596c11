"""Engines, which hold corpora that do not fit in memory: each comes in a pack, by an entry point of its name.

The module of an entry point in the group ``retrieval_lab.engines`` has its ``TITLE``, its search by vectors
(``VECTOR``), the parameters of each kind of index (``KNOBS``), ``names`` and ``open_corpus`` for its corpora, and
``graph_answers``, which measures its graph (`lab.explain.approximation.Measured`): see `lab_packs/milvus/engine.py`.
``LAB_NAME_URI`` is the address of an engine, and ``name:title`` a corpus in it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from lab import packs
from lab.algebra import NONE, Models
from lab.corpus.beir import Collection
from lab.errors import CorpusError, needs_pack

names = cache(packs.engines)
"""Returns the names of all engines, those in a pack that is left out included."""


def setting(name: str) -> str:
    """Returns the environment variable with the address of an engine."""
    return f"LAB_{name.upper()}_URI"


def address(name: str) -> str:
    """Returns the address of an engine: a file, a URL, or nothing."""
    return os.environ.get(setting(name), "").strip()


@cache
def installed() -> Mapping[str, Any]:
    """Returns the engines of all packs by their names."""
    return dict(packs.each(packs.entries("engines"), lambda entry: (entry.name, entry.load())))


def addressed() -> dict[str, Any]:
    """Returns the engines that have an address; none is imported if none has one."""
    return {name: engine for name, engine in installed().items() if address(name)} if any(map(address, names())) else {}


def of(corpus: str) -> str:
    """Returns the name of the engine that holds a corpus, by the corpus's name; empty for any other corpus."""
    name, colon, _ = corpus.partition(":")
    return name if colon and name in names() else ""


def find(name: str) -> Any:
    """Returns an engine by its name.  Raises `CorpusError` if its pack is left out or cannot be loaded."""
    if name in installed():
        return installed()[name]
    for entry in packs.entries("engines"):
        if entry.name == name and (problem := packs.PROBLEMS.get(entry.value)):
            raise CorpusError(problem.message, problem.remedy)
    raise needs_pack(CorpusError, name, name)


def open_corpus(name: str, models: Models = NONE, **options: Any) -> Collection:
    """Opens a corpus of an engine, by default of Milvus, with the questions of a ``folder`` or its own."""
    engine = of(name) or packs.ENGINES[0]
    return cast(Collection, find(engine).open_corpus(name.removeprefix(f"{engine}:"), models, **options))
