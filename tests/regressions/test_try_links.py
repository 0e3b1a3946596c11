"""What a link says of the searches that were tried is read or left out, and no page breaks by it."""

from __future__ import annotations

import base64
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from night import spread
from regressions import load_cases, written_out
from streamlit.testing.v1 import AppTest

from lab.ui import components
from lab.ui.tries import read

ROOT = Path(__file__).parents[2]
CASES = load_cases("try_links")


def packed(case: dict[str, Any]) -> str:
    """Returns the parameter of a link."""
    if "raw" in case:
        return written_out(case["raw"])
    raw = written_out(case["json"]).encode("utf-8", "surrogatepass")
    text = base64.urlsafe_b64encode(zlib.compress(raw, 9)).decode("ascii").rstrip("=")
    return text[: len(text) // 2] if case.get("cut") else text


@pytest.mark.parametrize("case", CASES)
def test_what_a_link_says_of_tries_is_read_or_left_out(case: dict[str, Any]) -> None:
    begun = time.perf_counter()
    made = read(packed(case), "compare")
    assert time.perf_counter() - begun < 2
    assert [x.number for x in made.entries] == case["numbers"]
    if "parameters" in case:
        assert dict(made.entries[0].parameters) == case["parameters"]
    if "note" in case:
        assert made.entries[0].note == written_out(case["note"])


@pytest.mark.parametrize("case", [CASES[-1], *spread(CASES[:-1], 2)])
def test_no_such_link_breaks_the_page_or_what_is_brought_back(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: dict[str, Any] = {}

    def draw(data: dict[str, Any], *, key: str, chosen: Any, **_clicks: Any) -> None:
        shown["data"] = data
        if number := shown.pop("do", None):
            chosen(number)
            st.rerun()

    monkeypatch.setattr(components, "tries", draw)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", "corpus": "devices", "compare.tries": packed(case)}.items():
        app.query_params[key] = value
    app.session_state["compare.tried"] = True
    app.switch_page("pages/retrieve/compare/page.py").run()
    assert not app.exception, app.exception
    numbers = [row["number"] for row in shown["data"]["rows"]]
    assert numbers[1:] == case["numbers"][::-1], "the search of the page is the newest"
    for number in case["numbers"][:1]:
        shown["do"] = number
        app.run()
        assert not app.exception, app.exception
        assert app.slider("compare.bm25.k1").value == 1.5
