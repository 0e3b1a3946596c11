"""What the tests of pages share."""

from __future__ import annotations

from functools import lru_cache

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

# Streamlit's test runner looks through the metadata of all installed packages whenever a page is opened, which takes
# longer than the page.  They do not change while the suite runs.
manifest_scanner.scan_component_manifests = lru_cache(manifest_scanner.scan_component_manifests)


def answered(app: AppTest) -> AppTest:
    """The page when the language model has said all that it was asked: a browser looks for that by itself."""
    while any(b.key == "llm.stop" for b in app.button):
        app.run()
    assert not app.exception, app.exception
    return app
