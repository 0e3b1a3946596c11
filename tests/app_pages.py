"""Streamlit's test runner as tests of pages use it: quicker, and it finds a page by its folder.  Import it first."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import places
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

ROOT = Path(__file__).parents[1]

# Streamlit's test runner looks through the metadata of all installed packages whenever a page is opened, which takes
# longer than the page.  They do not change while the suite runs.
manifest_scanner.scan_component_manifests = lru_cache(manifest_scanner.scan_component_manifests)

# It also compiles the app and the page anew for every run, where a server compiles them once.
_shared, _compile = ScriptCache(), ScriptCache.get_bytecode


def _compiled(own: ScriptCache, path: str) -> Any:
    return _compile(_shared if Path(path).absolute().is_relative_to(ROOT) else own, path)


ScriptCache.get_bytecode = _compiled

# And it looks every millisecond whether a run has ended, for which the run has to give way each time.
_look = local_script_runner.require_widgets_deltas


def _wait(runner: LocalScriptRunner, timeout: float = 3) -> None:
    if runner._script_thread:
        runner._script_thread.join(timeout)
    _look(runner, timeout)


local_script_runner.require_widgets_deltas = _wait


# Before its first run it knows a page by the name of its file, where the app names pages by their folders.


def _switch(app: AppTest, page: str) -> AppTest:
    path = Path(page)  # of the core, or of a pack
    assert (ROOT / places.file_of("/".join(path.parts[-3:-1]))).is_file()
    app._page_hash = app_test.calc_hash(path.parent.name)
    return app


AppTest.switch_page = _switch  # type: ignore[method-assign]
