"""The folder of the app's own files: next to ``lab`` in a checkout, inside it in an installed wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def root() -> Path:
    """Returns the folder of app.py, pages, sample_corpora and .streamlit."""
    package = Path(__file__).resolve().parent
    return (
        package.parent
        if (package.parent / "app.py").is_file() and (package.parent / "pages").is_dir()
        else package / "_app"
    )
