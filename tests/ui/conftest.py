"""What the tests of pages share."""

from __future__ import annotations

from functools import lru_cache

from streamlit.components.v2 import manifest_scanner

# Streamlit's test runner looks through the metadata of all installed packages whenever a page is opened, which takes
# longer than the page.  They do not change while the suite runs.
manifest_scanner.scan_component_manifests = lru_cache(manifest_scanner.scan_component_manifests)
