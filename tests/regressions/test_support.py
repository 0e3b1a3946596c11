"""Numbers, versions and names of a sentence, beside a passage that contains them and beside one that does not."""

from __future__ import annotations

import pytest
from regressions import load_cases

from lab.algebra import Document
from lab.answer.base import Place
from lab.answer.facts import Facts


def flagged(sentence: str, passage: str) -> list[str]:
    document = Document("p", passage)
    return [flag.text for flag in Facts((document,)).flags(sentence, [Place(0, 0, len(passage))])]


@pytest.mark.parametrize("case", load_cases("support"))
def test_what_the_passage_says_is_supported_and_what_it_does_not_is_flagged(case: dict[str, list[list[str]]]) -> None:
    assert [pair for pair in case["flagged"] if not flagged(*pair)] == []
    assert [pair for pair in case["supported"] if flagged(*pair)] == []
