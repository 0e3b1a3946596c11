"""The budget: each room has so many statements, and no more without a reason in the diff of `budget.toml`.

``python tests/test_budget.py`` writes the numbers of today.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUDGET = Path(__file__).with_name("budget.toml")


def statements(source: str) -> int:
    """Returns the number of statements in a module; texts that stand alone, such as docstrings, are none."""
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    texts = [x for x in found if isinstance(x, ast.Expr) and isinstance(x.value, ast.Constant)]
    return len(found) - len(texts)


def rooms() -> dict[str, int]:
    """Returns the statements of each folder of lab, of its packs and of pages; modules beside them are one room."""
    counts = Counter[str]()
    for top in ("lab", "lab_packs", "pages"):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).parts
            if "tests" in parts:
                continue
            counts["/".join(parts[:2]) if len(parts) > 2 else top] += statements(path.read_text("utf-8"))
    return dict(counts)


def test_a_statement_is_counted_once_and_a_docstring_is_none() -> None:
    source = '"""Doc."""\nimport a\n\ndef f():\n    """Doc."""\n    if a:\n        return 1\n    return 2\n'
    assert statements(source) == len(["import", "def", "if", "return", "return"])


def test_no_room_has_more_statements_than_its_budget() -> None:
    budget = tomllib.loads(BUDGET.read_text("utf-8"))
    over = {room: f"{n}, budget {budget.get(room, 0)}" for room, n in rooms().items() if n > budget.get(room, 0)}
    assert over == {}, "write the same with less; or run python tests/test_budget.py, and say why in the commit"


if __name__ == "__main__":
    BUDGET.write_text("".join(f'"{room}" = {n}\n' for room, n in rooms().items()), "utf-8")
