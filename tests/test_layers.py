"""Arrows point down only: the contracts of pyproject.toml hold, and the library knows no user interface."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import places
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).parents[1]


def test_the_layers_hold() -> None:
    pytest.importorskip("importlinter")
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    told = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert "2 kept, 0 broken" in told.stdout


def test_the_contracts_name_every_room_and_no_exception() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    rooms = {name.strip() for layer in contracts[0]["layers"] for name in layer.split("|")}
    there = {p.stem for p in (ROOT / "lab").iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()}
    assert rooms == there - {"__init__"}
    assert not [contract for contract in contracts if "ignore_imports" in contract]


@cache
def imports(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Returns the imports of a file, late ones and those for types included."""
    return [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Import | ast.ImportFrom)]


def imported_files(path: Path) -> set[Path]:
    """Returns the files of the project that a file imports, late imports and imports for types included."""
    files = set[Path]()
    for node in imports(path):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            place = ROOT.joinpath(*name.split("."))
            files |= {file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()}
    return files - {ROOT / "lab" / "__init__.py", path}


def test_no_two_files_import_each_other_in_a_circle() -> None:
    arrows = {path: imported_files(path) for path in places.code()}
    names = {path: i for i, path in enumerate(arrows)}
    pairs = [(names[a], names[b]) for a, targets in arrows.items() for b in targets if b in names]
    rows, columns = zip(*pairs, strict=True)
    graph = csr_matrix((np.ones(len(pairs)), (rows, columns)), shape=(len(names), len(names)))
    count, component = connected_components(graph, directed=True, connection="strong")
    circles = [[str(p.relative_to(ROOT)) for p, i in names.items() if component[i] == c] for c in range(count)]
    assert [circle for circle in circles if len(circle) > 1] == []
    assert len(pairs) > 500, "the imports are read"


def test_only_the_interface_imports_streamlit() -> None:
    pages = [pack / "pages" for pack in places.PACKS]
    rooms = [
        p for p in places.code(ROOT / "lab", *places.PACKS) if not any(map(p.is_relative_to, (ROOT / "lab/ui", *pages)))
    ]
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in rooms
        for node in imports(path)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
        if name.partition(".")[0] == "streamlit"
    ]
    assert len(rooms) > 50
    assert found == []


def test_a_page_knows_no_other_page() -> None:
    for path in (path for page in places.PAGES for path in page.parent.glob("*.py")):
        others = [file for file in imported_files(path) if "pages" in file.parts and file.parent != path.parent]
        assert others == [], path


def test_no_page_of_the_core_and_no_other_pack_knows_a_pack() -> None:
    for path in [ROOT / "app.py", *places.code()]:
        known = {file.relative_to(ROOT).parts[1] for file in imported_files(path) if ROOT / "lab_packs" in file.parents}
        own = path.relative_to(ROOT).parts[1] if ROOT / "lab_packs" in path.parents else ""
        assert known - {"__init__.py"} <= {own}, path


KEPT_APART = {
    "accounts": "what an upload says and the corpus has not, which uploading.py shows",
    "did_you_mean": "another spelling under the question, which page.py offers",
    "engines": "the corpora of engines, of which frame.py draws the list",
    "finder": "the field that finds, which frame.py draws",
    "guarded_reading": "reading in a process of its own, which uploading.py uses",
    "previewing": "the contents of an upload, which uploading.py shows",
    "tries": "the history of a page as a value, which trying.py shows",
    "user_folder": "whether this lab is its user's own, which keeping.py asks",
}
"""Modules of lab/ui that one file imports, and what they are a part of."""


FOR_PACKS = {"lesson_menu", "uploading"}
"""Modules of lab/ui that pages of packs use, too."""


def test_what_only_one_page_needs_is_in_its_folder() -> None:
    files = [*places.code(), ROOT / "app.py"]
    importers = Counter(file for path in files for file in imported_files(path))
    alone = {p.stem for p in (ROOT / "lab/ui").rglob("*.py") if p.stem != "__init__" and importers[p] < 2}
    assert alone - FOR_PACKS == KEPT_APART.keys()
