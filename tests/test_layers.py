"""Arrows point down only: the contracts of pyproject.toml hold, and the library knows no user interface."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_layers_hold() -> None:
    pytest.importorskip("importlinter")
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    told = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert "3 kept, 0 broken" in told.stdout


def test_the_contracts_name_every_room_and_few_exceptions() -> None:
    found = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers, alone, knows = found
    rooms = {name.strip() for layer in layers["layers"] for name in layer.split("|")}
    there = {p.stem for p in (ROOT / "lab").iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()}
    assert rooms == there - {"__init__"}
    assert {f"lab.{name}" for name in rooms} - {"lab.__main__", "lab.text2sql", "lab.ui"} == set(
        alone["source_modules"]
    )
    known = {"core", "errors", "words", "text", "reading", "models", "home", "toml"}
    assert {f"lab.{name}" for name in rooms - known} - {"lab.__main__", "lab.text2sql"} == set(
        knows["forbidden_modules"]
    )
    assert len(layers["ignore_imports"]) <= 2


def test_only_the_interface_imports_streamlit() -> None:
    rooms = [p for p in (ROOT / "lab").rglob("*.py") if p.relative_to(ROOT).parts[1] != "ui"]
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in rooms
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
        if name.partition(".")[0] == "streamlit"
    ]
    assert len(rooms) > 50
    assert found == []
