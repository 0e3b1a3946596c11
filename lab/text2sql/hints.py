"""What people call tables and columns: names, synonyms and units in both languages.

A schema only knows ``monthly_rent``; people say 月租, "what it costs", and mean yuan.  Hints hold that, one per
table or column, and can be edited; what nobody wrote down is proposed here from the words in the name, by a
small dictionary of words that tables are full of.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.errors import UploadError
from lab.words import Said


@dataclass(frozen=True)
class Hint:
    """How people speak about one table or column.

    ``zh``, ``en``: the name to show.  ``synonyms``: other names, any language.  ``cues``: words that point to
    the column without naming it (会 for skills, "earning" for a salary).  ``unit``: what a number counts, as
    it is written after it (元, 年, USD; 万元 and k scale the numbers people say).  ``values``: other words for
    stored values.  ``order``: the stored values from low to high, for 本科以上.
    """

    zh: str = ""
    en: str = ""
    synonyms: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    unit: str = ""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    order: tuple[str, ...] = ()

    def label(self, language: str) -> str:
        """The name in that language, or the other one."""
        return (self.zh or self.en) if language == "zh" else (self.en or self.zh)

    def over(self, other: Hint) -> Hint:
        """This hint, with what it leaves open taken from another."""
        return Hint(*(getattr(self, f) or getattr(other, f) for f in Hint.__dataclass_fields__))


Hints = Mapping[str, Hint]
"""Hints by ``table`` or ``table.column``."""


def read_hints(toml: str) -> dict[str, Hint]:
    """Hints from TOML: ``[table]`` and ``[table.column]``, each with the fields of `Hint`; raises `UploadError`."""
    try:
        data = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        raise UploadError(
            Said("The hints are not TOML: {error}.", error=error), Said("Correct the line that it names.")
        ) from None
    hints: dict[str, Hint] = {}
    for table, entries in data.items():
        if not isinstance(entries, dict):
            raise UploadError(
                Said("“{name}” stands outside a table.", name=table), Said("Begin with a line such as [orders].")
            )
        hints[table] = _hint(table, {k: v for k, v in entries.items() if not isinstance(v, dict)})
        for column, fields in entries.items():
            if isinstance(fields, dict):
                hints[f"{table}.{column}"] = _hint(f"{table}.{column}", fields)
    return hints


def write_hints(hints: Hints) -> str:
    """Hints as TOML, so that `read_hints` gives them back; what is empty is left out."""
    lines = []
    for name, hint in hints.items():
        lines.append("[" + ".".join(_toml(part) for part in name.split(".", 1)) + "]")
        for key in Hint.__dataclass_fields__:
            value = getattr(hint, key)
            if isinstance(value, Mapping):
                inside = ", ".join(f"{_toml(k)} = {_toml(list(v))}" for k, v in value.items())
                lines += [f"{key} = {{ {inside} }}"] if value else []
            elif value:
                lines.append(f"{key} = {_toml(value if isinstance(value, str) else list(value))}")
        lines.append("")
    return "\n".join(lines)


def _toml(value: str | list[str]) -> str:
    """A text, or a list of texts: what JSON writes is TOML, too, but for half characters and DEL."""
    said = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return said.encode("utf-8", "replace").decode("utf-8")


def _hint(name: str, fields: Mapping[str, Any]) -> Hint:
    known = Hint.__dataclass_fields__
    for key in fields:
        if key not in known:
            raise UploadError(
                Said("{name} has no field “{key}”.", name=name, key=key),
                Said("The fields are: {fields}.", fields=", ".join(known)),
            )
    return Hint(
        zh=str(fields.get("zh", "")),
        en=str(fields.get("en", "")),
        synonyms=tuple(map(str, fields.get("synonyms", ()))),
        cues=tuple(map(str, fields.get("cues", ()))),
        unit=str(fields.get("unit", "")),
        values={str(k): tuple(map(str, v)) for k, v in dict(fields.get("values", {})).items()},
        order=tuple(map(str, fields.get("order", ()))),
    )
