"""Texts escaped for Markdown: nothing in them is markup, for CommonMark or by what Streamlit does beside it."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from markdown_it import MarkdownIt
from regressions import load_cases

from lab.ui import escape

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
REPLACED = re.compile(
    r"(?i:https?://|www(?=\.))[-.\w]"  # addresses, by remark-gfm
    r"|(?:^|(?<=[\W_]))[-.\w+]+@[-\w]+(?:\.[-\w]+)"
    r"|:material[/_]\w+:|:streamlit:"  # icons, by Streamlit
    r"|(?<!\S)(?:<->|->|<-|--|>=|<=|~=)(?!\S)"  # typographical signs, by Streamlit
)
"""What the page replaces in the text itself, where no backslash helps."""


@pytest.mark.parametrize("case", load_cases("markdown_escapes"))
def test_nothing_of_a_text_is_markup(case: dict[str, Any]):
    text = case["text"]
    made = MARKDOWN.render(f"{escape.plain(text)}\n")
    shown = html.unescape(re.sub(r"</?p>", "", made))
    assert "<" not in re.sub(r"</?p>", "", made), "paragraphs only"
    assert "".join(shown.replace("\u2060", "").split()) == "".join(text.split()), "every character is there"
    assert REPLACED.findall(shown) == []
    assert "\u2060" in shown or not REPLACED.search(text), "a sign that nobody sees only where it is needed"
