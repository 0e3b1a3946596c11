"""Searches are values that a runner runs: nothing else asks an index, fuses lists or applies stages by hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import places

ROOT = Path(__file__).parents[2]
PLACES = [ROOT / "app.py", *(ROOT / "lab" / "lessons").glob("*.py"), *(ROOT / "lab" / "cli").glob("*.py")]
PLACES += places.code(
    *(ROOT / folder for folder in ("pages", "lab/ui", "lab/evaluate", "benchmarks")),
    *(pack / "pages" for pack in places.PACKS),
)
BY_HAND = {"codes.py", "graph.py", "runner.py", "vectors.py"}
"""Benchmarks that time the same work done by hand, or an index by itself."""


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text("utf-8"))))


def calls(path: Path, name: str) -> Iterator[ast.Call]:
    """Every call of a method with this name."""
    for node in nodes(path) if f".{name}(" in path.read_text("utf-8") else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
            yield node


def test_nobody_but_the_runner_asks_an_index():
    found = []
    for path in PLACES:
        if path.name in BY_HAND:
            continue
        for call in calls(path, "search"):
            assert isinstance(call.func, ast.Attribute)
            of = ast.unparse(call.func.value)
            if of not in ("re", "pattern", "section", "self._whole") and not of.isupper() and not of.startswith("_"):
                found.append(f"{path.relative_to(ROOT)}:{call.lineno}: {ast.unparse(call)[:80]}")
    assert not found, "\n".join(found)


def test_the_library_asks_an_index_in_one_place():
    found = {
        f"{path.relative_to(ROOT)}: {ast.unparse(call.func)}"
        for path in sorted((ROOT / "lab").rglob("*.py"))
        if not {"contracts"} & set(path.parts)  # contracts put single indexes to the test
        for call in calls(path, "search")
        if any(k.arg in ("k", "explain") for k in call.keywords)
    }
    narrowed = "lab/algebra/nouns.py: self._whole.search"  # an index over some documents asks that over all
    assert found == {"lab/algebra/verbs.py: runner.index(self).search", narrowed}


def test_pages_apply_no_stage_and_fuse_no_list_by_hand():
    found = []
    for path in places.PAGES:
        for call in calls(path, "then"):
            found.append(f"{path.relative_to(ROOT)}:{call.lineno}: {ast.unparse(call)[:80]}")
        for call in calls(path, "refine"):
            found.append(f"{path.relative_to(ROOT)}:{call.lineno}: {ast.unparse(call)[:80]}")
    assert not found, "\n".join(found)
