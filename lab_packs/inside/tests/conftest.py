"""What tests of pages use."""

from __future__ import annotations

from ui.conftest import figures  # noqa: F401  # the charts of a page by their keys
