"""Classes that guess together: no visitor, and no script with many visitors, ends the class of another one."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from typing import Any

import pytest

from lab_packs.classroom.classes import Classes

CASES = tomllib.loads(Path(__file__).with_name("classes.toml").read_text("utf-8"))["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_nobody_ends_the_class_of_another(case: dict[str, Any]):
    classes, begun = Classes(clock=itertools.count().__next__), dict[str, str]()
    for name, verb, what in case["steps"]:
        who, star, times = name.partition("*")
        for visitor in [f"{who}{i}" for i in range(int(times))] if star else [who]:
            if verb == "begins":
                for _ in range(what):
                    code = classes.begin(visitor)
                    begun.setdefault(visitor, code)
                    classes.find(code).join(visitor)
            else:
                joined = classes.find(begun[what])
                if verb == "joins":
                    joined.join(visitor)
    assert [name for name in case.get("stay", []) if classes.find(begun[name]) is None] == []
    assert [name for name in case.get("gone", []) if classes.find(begun[name]) is not None] == []
