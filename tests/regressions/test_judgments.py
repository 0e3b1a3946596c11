"""Lines of a file of clicks that went wrong: each is refused with its number, or is the judgment that was written."""

from __future__ import annotations

from typing import Any

import pytest
from regressions import load_cases

from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from lab.errors import EvaluationError
from lab.evaluate.judging import Judgments, with_judgments

CORPUS = Corpus("c", (Document("d", "one two three"), Document("dv-001", "A watch.")))


@pytest.mark.parametrize("case", load_cases("judgments"))
def test_a_line_that_is_no_judgment_is_refused_with_its_number_and_every_other_is_kept(case: dict[str, Any]) -> None:
    good = Judgments().given("q", CORPUS.documents[0], 2)
    text = f"{good.to_jsonl()}\n{case['line']}\n"
    if not case.get("taken"):
        with pytest.raises(EvaluationError, match="Line 3 is not a judgment"):
            Judgments.from_jsonl(text)
        return
    found = Judgments.from_jsonl(text)
    assert len(found.history) == 2
    assert Judgments.from_jsonl(found.to_jsonl()) == found
    with_judgments(Collection(CORPUS), found)
