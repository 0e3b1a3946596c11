"""Lists and passages in answers of language models: no greeting, remark, mark or emphasis is searched."""

from __future__ import annotations

from typing import Any

import pytest
from regressions import load_cases

from lab.models.answers import Unreadable, items, passage


@pytest.mark.parametrize("case", load_cases("model_lists"))
def test_of_an_answer_the_items_or_the_passage_are_read_and_nothing_else(case: dict[str, Any]) -> None:
    if "not_readable" in case:
        for answer in case["not_readable"]:
            with pytest.raises(Unreadable):
                items(answer, 4)
    elif "passage" in case:
        read = {answer: passage(answer) for answer in case["answers"]}
        assert read == dict.fromkeys(case["answers"], case["passage"])
    else:
        read = {answer: list(items(answer, case.get("n", 4))) for answer in case["answers"]}
        assert read == dict.fromkeys(case["answers"], case["items"])
