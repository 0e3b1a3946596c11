"""What stands on a page at first sight: few inputs, the rest folded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from night import nightly
from streamlit.testing.v1 import AppTest

from lab.ui import navigation

ROOT = Path(__file__).parents[2]
INPUTS = {
    "selectbox", "multiselect", "slider", "select_slider", "number_input", "text_input", "text_area", "checkbox",
    "toggle", "radio", "button_group", "date_input", "time_input", "file_uploader", "chat_input",
}  # fmt: skip
FOLDS = {"expander", "popover", "dialog"}
MOST = 8


def inputs(block: Any) -> Iterator[str]:
    """The labels of the inputs in a block that no fold and no other tab hides."""
    children = getattr(block, "children", {}).values()
    for i, child in enumerate(children):
        if child.type in INPUTS:
            yield getattr(child, "label", "") or child.type
        elif child.type not in FOLDS and not (child.type == "tab" and i):
            yield from inputs(child)


@pytest.mark.parametrize("language", ["en", nightly("zh")])
@pytest.mark.parametrize("page", [x.name for x in navigation.every()])
def test_no_page_opens_with_more_than_eight_inputs(page: str, language: str) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = language
    app.switch_page(str(navigation.listed(page).folder / "page.py")).run()
    assert not app.exception, app.exception
    shown = list(inputs(app.main))
    assert len(shown) <= MOST, shown
