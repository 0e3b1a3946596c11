"""Inputs that once went wrong, as data: one TOML file per kind, run by one test per kind.

A new report costs lines of data: a ``[[case]]`` table with a ``name`` that says what went wrong, its input and the
right result.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent


def load_cases(kind: str) -> list[Any]:
    """Returns the cases of ``<kind>.toml`` as parameters: dictionaries without the name, which is the test id."""
    tables = tomllib.loads((FOLDER / f"{kind}.toml").read_text("utf-8"))["case"]
    return [pytest.param({k: v for k, v in case.items() if k != "name"}, id=case["name"]) for case in tables]
