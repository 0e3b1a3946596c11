"""What the tests of pages share."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

ROOT = Path(__file__).parents[2]

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


def unescaped(text: str) -> str:
    """A text as it is read on the page: without backslashes, and without the sign that keeps addresses from linking."""
    return text.replace("\\", "").replace("\u2060", "")


def answered(app: AppTest) -> AppTest:
    """The page when the language model has said all that it was asked: a browser looks for that by itself."""
    while any(b.key == "llm.stop" for b in app.button):
        app.run()
    assert not app.exception, app.exception
    return app
