"""Builds the indexes of the sample corpora into the wheel, so that nobody who installs it has to wait for them.

Hatchling runs it (`tool.hatch.build.targets.wheel.hooks.custom` in pyproject.toml).  Where the packages that analyse
texts are not installed, as in an isolated build, the wheel comes without, and the first search of a sample builds its
index in the user's folder for caches, as in a checkout.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parents[1]


class Indexes(BuildHookInterface[Any]):  # type: ignore[misc]  # hatchling has no types here
    """Adds the folder of indexes to the files of a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is written; an editable one needs nothing."""
        if version == "editable":
            return
        self.folder = tempfile.TemporaryDirectory()
        try:
            build(Path(self.folder.name))
        except ImportError as error:
            self.app.display_warning(f"Without the indexes of the sample corpora: {error}")
            return
        build_data["force_include"][f"{self.folder.name}/samples"] = "lab/_app/sample_corpora/indexes"


def build(folder: Path) -> None:
    """Builds the indexes with which pages and commands begin into ``folder/samples``."""
    os.environ["LAB_INDEX_DIR"] = str(folder)
    sys.path.insert(0, str(ROOT))
    from lab.corpus import samples
    from lab.retrieve.lexical import BM25

    for name in samples.names():
        BM25().index(samples.load(name).corpus)
