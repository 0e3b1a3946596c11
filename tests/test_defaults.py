"""A default that changes raises the format, so that files and links of yesterday say what they said."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from lab import catalog, formats
from lab.retrieve.lexical import BM25

RECORDED = Path(__file__).with_name("defaults.json")


def defaults() -> dict[str, dict[str, str]]:
    """Every operator's fields with their defaults, as they are written."""
    out = {}
    for name, cls in catalog.operators().items():
        fields = [f for f in dataclasses.fields(cls) if f.init and f.default is not dataclasses.MISSING]
        out[name] = {f.name: catalog.written(f.default) for f in fields}
    return out


def test_the_defaults_are_those_of_the_present_format():
    recorded = json.loads(RECORDED.read_text("utf-8"))
    assert recorded["format"] == formats.FORMAT
    known = {name: fields for name, fields in defaults().items() if name in recorded["defaults"]}
    changed = {
        f"{name}.{field}": (before, known[name].get(field))
        for name, fields in recorded["defaults"].items()
        if name in known
        for field, before in fields.items()
        if known[name].get(field) != before
    }
    assert not changed, (
        "a default has changed: raise lab.formats.FORMAT, put the old value into lab.formats.DEFAULTS, and write "
        f"tests/defaults.json anew (python -m tests.test_defaults): {changed}"
    )
    gone = recorded["defaults"].keys() - defaults().keys()
    assert not gone, f"files of this format may name them: {gone}"  # what is new needs no entry until the next format


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
    told = {"format": formats.FORMAT, "defaults": defaults()}
    RECORDED.write_text(json.dumps(told, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")
