"""Where the app's own files stand: beside ``lab`` in a checkout, inside it in an installed wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def root() -> Path:
    """The folder that holds app.py, pages, sample_corpora and .streamlit."""
    here = Path(__file__).resolve().parent
    return here.parent if (here.parent / "app.py").is_file() and (here.parent / "pages").is_dir() else here / "_app"
