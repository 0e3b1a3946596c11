"""A default that changes raises the format, so that files and links of yesterday say what they said.

`defaults.json` holds the defaults of every format, as they were written at its time.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from night import for_each

from lab import catalog, formats
from lab.models.secrets import Secret
from lab.retrieve.lexical import BM25

RECORDED = Path(__file__).with_name("defaults.json")
OF: dict[int, dict[str, dict[str, str]]] = {int(n): of for n, of in json.loads(RECORDED.read_text("utf-8")).items()}
CLASSES = catalog.operators() | catalog.specifications()


def defaults() -> dict[str, dict[str, str]]:
    """Every specification's fields with their defaults, as they are written; what has a name is known by it."""
    out = {}
    for name, cls in CLASSES.items():
        fields = {f.name: catalog.default(f) for f in dataclasses.fields(cls) if f.init}
        own = {field: held for field, held in fields.items() if not hasattr(held, "short")}
        out[name] = {field: catalog.written(held) for field, held in own.items() if held is not dataclasses.MISSING}
    return out


def test_the_defaults_are_those_of_the_present_format():
    assert max(OF) == formats.FORMAT
    recorded, now = OF[formats.FORMAT], defaults()
    changed = {
        f"{name}.{field}": (before, now[name].get(field))
        for name, fields in recorded.items()
        if name in now
        for field, before in fields.items()
        if now[name].get(field) != before
    }
    assert not changed, (
        "a default has changed: raise lab.formats.FORMAT, put the old value into lab.formats.DEFAULTS, and record the "
        f"new format in tests/defaults.json (python -m tests.test_defaults): {changed}"
    )
    gone = recorded.keys() - now.keys()
    assert not gone, f"files of this format may name them: {gone}"  # what is new needs no entry until the next format


@for_each("format", sorted(OF))
def test_the_defaults_of_a_format_are_those_that_were_recorded_at_its_time(format: int):
    then = formats.DEFAULTS.get(format, catalog.TODAY)

    def made(cls: type[Any], *given: Any, **named: Any) -> Any:
        """What the class made of this at that time."""
        fields = (f.name for f in dataclasses.fields(cls))
        return cls(**{**catalog.former_defaults(cls, then), **dict(zip(fields, given, strict=False)), **named})

    names: dict[str, Callable[..., Any]] = {name: partial(made, cls) for name, cls in CLASSES.items()}
    for name, fields in OF[format].items():
        cls = CLASSES[name]
        derived = {f.name: catalog.default(f) for f in dataclasses.fields(cls)} | catalog.former_defaults(cls, then)
        for field, told in fields.items():
            assert derived[field] == eval(told, {**names, "Secret": Secret}), (
                f"{name}.{field} of format {format} is not what lab.formats.DEFAULTS makes of it"
            )


def test_former_defaults_name_classes_and_fields_that_are_there_and_values_that_are_no_longer_theirs():
    assert set(formats.DEFAULTS) == set(range(1, formats.FORMAT)) | {1}
    for then in formats.DEFAULTS.values():
        for name, own in then.items():
            fields = {f.name: f for f in dataclasses.fields(CLASSES[name])}
            for field, was in own.items():
                assert was != catalog.default(fields[field]), f"{name}.{field} has not changed"


def test_a_file_of_an_older_format_has_the_defaults_of_its_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(formats, "FORMAT", 2)
    monkeypatch.setattr(formats, "DEFAULTS", {1: {"BM25": {"k1": 0.9}}})
    old = 'format = 1\n[[retrieve]]\ntype = "bm25"\nb = 0.4\n'
    assert formats.from_toml(old) == formats.from_toml(
        old.replace("format = 1", "format = 2").replace("b =", "k1 = 0.9\nb =")
    )
    (made,) = formats.from_toml(old).retrieve
    assert made == BM25(k1=0.9, b=0.4)
    (made,) = formats.from_toml(old.replace("b = 0.4", "k1 = 2.0")).retrieve
    assert made == BM25(k1=2.0)


if __name__ == "__main__":
    told = json.dumps(OF | {formats.FORMAT: defaults()}, ensure_ascii=False, indent=1, sort_keys=True)
    RECORDED.write_text(told + "\n", "utf-8")
