"""The numbers and bullets that Word writes before paragraphs: it counts, and the file has only how.

A paragraph, or its style, names a list and a level.  Lists with the same definition count on, unless one restarts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lab.reading.numbering import written

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PLACE = re.compile("%([1-9])")
_BULLET = "•"


@dataclass(frozen=True)
class _Level:
    """A level of a list: its first number, how numbers and the text around them are written.

    The count begins again behind a number of the level ``after`` or above; 0: never.
    """

    start: int = 1
    format: str = "decimal"
    text: str = ""
    after: int = 0
    legal: bool = False
    glued: bool = False
    style: str = ""


class Lists:
    """The lists of a document, which count while its paragraphs are read in order."""

    def __init__(self, root: Any) -> None:
        self.lists: dict[str, tuple[str, dict[int, _Level], dict[int, int]]] = {}
        self.counters: dict[str, dict[int, int]] = {}
        self.begun: set[str] = set()
        if root is not None:
            self._read(root)

    def _read(self, root: Any) -> None:
        abstract = {_attribute(element, "abstractNumId"): element for element in root.findall(f"{_W}abstractNum")}
        named = {_value(element, "styleLink"): id for id, element in abstract.items() if _value(element, "styleLink")}
        levels: dict[str, dict[int, _Level]] = {}
        for num in root.findall(f"{_W}num"):
            id = _value(num, "abstractNumId")
            if id not in abstract:
                continue
            id = named.get(_value(abstract[id], "numStyleLink"), id)
            if id not in levels:
                levels[id] = dict(map(_level, abstract[id].findall(f"{_W}lvl")))
            own, starts = dict(levels[id]), dict[int, int]()
            for override in num.findall(f"{_W}lvlOverride"):
                number = _whole(_attribute(override, "ilvl"), 0)
                own |= dict(map(_level, override.findall(f"{_W}lvl")))
                if start := _value(override, "startOverride"):
                    starts[number] = _whole(start, 1)
            self.lists[_attribute(num, "numId")] = id, own, starts

    def next(self, properties: Any, of_style: tuple[str, Any]) -> str:
        """Returns the number or bullet of the next paragraph, with a space behind it; nothing for a plain paragraph."""
        numbering = None if properties is None else properties.find(f"{_W}numPr")
        style, styled = of_style
        list_id = _value(numbering, "numId") or _value(styled, "numId")
        if list_id not in self.lists:
            return ""
        definition, levels, starts = self.lists[list_id]
        at = _value(numbering, "ilvl")
        if not at and (numbering is None or not _value(numbering, "numId")):
            at = _value(styled, "ilvl") or next((str(n) for n, level in levels.items() if level.style == style), "")
        depth = _whole(at, 0)
        level = levels.get(depth)
        if level is None:
            return ""
        counters = self.counters.setdefault(definition, {})
        if list_id not in self.begun:
            self.begun.add(list_id)
            for number, start in starts.items():
                counters[number] = start - 1
        counters[depth] = counters.get(depth, level.start - 1) + 1
        for deeper in [n for n in counters if n > depth and depth < levels.get(n, level).after]:
            del counters[deeper]
        text = self._written(level, levels, counters)
        return text + ("" if level.glued or not text else " ")

    def _written(self, level: _Level, levels: dict[int, _Level], counters: dict[int, int]) -> str:
        if level.format == "bullet":
            plain = level.text.strip()
            return plain if len(plain) == 1 and not plain.isalnum() and not "\ue000" <= plain <= "\uf8ff" else _BULLET

        def number(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            other = levels.get(at, level)
            return written(
                counters.get(at, other.start), "decimal" if level.legal and other.format != "none" else other.format
            )

        return " ".join(_PLACE.sub(number, level.text).split())


def _level(element: Any) -> tuple[int, _Level]:
    at = _whole(_attribute(element, "ilvl"), 0)
    legal = element.find(f"{_W}isLgl")
    return at, _Level(
        start=_whole(_value(element, "start"), 0),
        format=_format(element),
        text=_value(element, "lvlText"),
        after=_whole(_value(element, "lvlRestart"), at),
        legal=legal is not None and _attribute(legal, "val") not in ("0", "false", "off"),
        glued=_value(element, "suff") == "nothing",
        style=_value(element, "pStyle"),
    )


def _format(element: Any) -> str:
    """The format of the numbers: a custom one such as 001, 002 is beside its name in newer files."""
    found = next(element.iter(f"{_W}numFmt"), None)
    name = "" if found is None else _attribute(found, "val")
    pattern = "" if found is None else _attribute(found, "format").partition(",")[0].strip()
    return f"0{len(pattern)}" if name == "custom" and pattern.startswith("0") else name or "decimal"


def _attribute(element: Any, name: str) -> str:
    return str(element.get(f"{_W}{name}") or "")


def _value(element: Any, name: str) -> str:
    child = None if element is None else element.find(f"{_W}{name}")
    return "" if child is None else _attribute(child, "val")


def _whole(text: str, otherwise: int) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else otherwise
