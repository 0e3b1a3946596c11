"""A position in a context is no rank: only the list before the reordering has a measure of ranks."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.ui import components
from tests.ui.drawn import ROOT


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_reordered_list_has_no_ndcg(lang: str, monkeypatch: pytest.MonkeyPatch):
    drawn = list[dict[str, Any]]()
    monkeypatch.setattr(components, "lists", lambda data, **_how: drawn.append(data))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params["lang"] = lang
    app.switch_page("pages/refine/reorder/page.py").run()
    assert not app.exception
    before, placed = drawn[-1]["lists"]
    assert any("nDCG@10" in text for _kind, text in before["meta"])
    assert not any("nDCG" in text for _kind, text in placed["meta"])
