"""What the tests of pages share."""

from __future__ import annotations

import app_pages  # noqa: F401  # changes Streamlit's test runner
from streamlit.testing.v1 import AppTest


def unescaped(text: str) -> str:
    """A text as it is read on the page: without backslashes, and without the sign that keeps addresses from linking."""
    return text.replace("\\", "").replace("\u2060", "")


def answered(app: AppTest) -> AppTest:
    """The page when the language model has said all that it was asked: a browser looks for that by itself."""
    while any(b.key == "llm.stop" for b in app.button):
        app.run()
    assert not app.exception, app.exception
    return app
