"""Searches with a name, as data: what somebody can start from, and what the benchmarks measure."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path

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
    order = [preset for _, preset in _read(Path(__file__).with_name("presets.toml"))]
    for after, preset in chain.from_iterable(packs.each(packs.files("presets.toml"), _read)):
        place = next((i for i, known in enumerate(order, 1) if known.name == after), len(order))
        order.insert(place, preset)
    return {preset.name: preset for preset in order}


def _read(file: Path) -> list[tuple[str, Preset]]:
    """Returns the presets of a file, each with the name of the one that it follows."""
    tables = tomllib.loads(file.read_text("utf-8"))["preset"]
    return [
        (t.get("after", ""), Preset(t["name"], formats.from_table(t["search"]), t["label"], t["title"])) for t in tables
    ]


def find(name: str) -> Searcher:
    """The search of this preset.  Raises `UnknownName`."""
    if name not in presets():
        catalog.check_pack(name)
        remedy = Said("Valid names: {names}; a file has a “/” in its path or ends in .toml.", names=[*presets()])
        raise UnknownName(Said("There is no pipeline “{name}”.", name=name), remedy)
    return presets()[name].search
