"""The notebooks in the documentation: every cell runs in a kernel, and the same cells stand in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from night import NIGHT, spread

from lab import home

FOLDER = home.root() / "docs" / "notebooks"
NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))


def read(name: str):
    return pytest.importorskip("nbformat").read(FOLDER / name, as_version=4)


@pytest.mark.parametrize("name", spread(NOTEBOOKS, 1))
def test_every_cell_of_a_notebook_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    client = pytest.importorskip("nbclient")
    book = read(name)
    if not NIGHT:  # without a kernel, which takes seconds to start
        code = [cell.source for cell in book.cells if cell.cell_type == "code" and "%pip" not in cell.source]
        monkeypatch.chdir(tmp_path)
        exec(compile("\n".join(code), name, "exec"), {})
        return
    client.NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    kinds = [
        [kind for output in cell.outputs for kind in output.get("data", {})]
        for cell in book.cells
        if cell.cell_type == "code"
    ]
    drawn = sum("application/vnd.plotly.v1+json" in cell for cell in kinds)
    assert drawn == 2
    assert sum("text/html" in cell for cell in kinds) >= 4, "rankings and the table of the evaluation"


def test_both_languages_have_the_same_cells_and_no_stored_results():
    english, chinese = (read(f"first_steps.{language}.ipynb").cells for language in ("en", "zh"))
    assert [cell.cell_type for cell in english] == [cell.cell_type for cell in chinese]
    assert all(not cell.outputs for cell in [*english, *chinese] if cell.cell_type == "code")
