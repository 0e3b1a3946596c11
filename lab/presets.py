"""Searches with a name, as data: what somebody can start from, and what the benchmarks measure."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from lab import catalog, formats, packs
from lab.algebra import Searcher
from lab.errors import UnknownName
from lab.words import Said


@dataclass(frozen=True)
class Preset:
    """A search with its name and, by language, its name on the screen and what it is good for."""

    name: str
    search: Searcher
    label: Mapping[str, str] = field(hash=False)
    title: Mapping[str, str] = field(hash=False)


@cache
def presets() -> Mapping[str, Preset]:
    """Every preset of ``presets.toml`` by its name, the best one first; a pack says after which one its own are."""
    tables, *more = [_read(file) for file in (Path(__file__).with_name("presets.toml"), *packs.presets())]
    for table in chain.from_iterable(more):
        place = [t["name"] for t in tables].index(table["after"])
        tables.insert(place + 1, table)
    return {t["name"]: Preset(t["name"], formats.from_table(t["search"]), t["label"], t["title"]) for t in tables}


def _read(file: Path) -> list[dict[str, Any]]:
    tables: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))["preset"]
    return tables


def find(name: str) -> Searcher:
    """The search of this preset.  Raises `UnknownName`."""
    if name not in presets():
        catalog.check_pack(name)
        remedy = Said("Valid names: {names}; a file has a “/” in its path or ends in .toml.", names=[*presets()])
        raise UnknownName(Said("There is no pipeline “{name}”.", name=name), remedy)
    return presets()[name].search
