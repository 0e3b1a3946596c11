"""Languages are told from words."""

from __future__ import annotations

import pytest
from regressions import load_cases

from lab.text import script


@pytest.mark.parametrize("case", load_cases("languages"))
def test_a_language_is_told_from_words(case: dict[str, str]) -> None:
    assert script(case["text"]) == case["script"]
