"""Start the app by ``streamlit run``, in this process, from any folder."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path


def start(script: Path, options: Sequence[str]) -> int:
    """Run Streamlit on ``script`` with its own options; gives the exit status.

    Streamlit reads .streamlit/config.toml beside the script, so theme and limits hold everywhere.
    """
    from streamlit.runtime.pages_manager import PagesManager

    # Until st.navigation has run once, Streamlit takes any folder named pages for the pages of an old-style app,
    # and the first visitor of a server who opens a page by its address is told that it does not exist.
    PagesManager.uses_pages_directory = False
    quiet = [] if any(o.startswith("--server.showEmailPrompt") for o in options) else ["--server.showEmailPrompt=false"]
    sys.argv = ["streamlit", "run", str(script), *quiet, *options]
    try:
        runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return 0
