"""Cohen's kappa weighs the grades, also where one between the lowest and the highest was never given."""

from __future__ import annotations

from typing import Any

import pytest
from regressions import load_cases

from lab.algebra import Corpus, Document
from lab.evaluate.judging import Agreement, Judgments


def agreement_of(pairs: list[list[int]]) -> Agreement:
    documents = tuple(Document(f"d{i}", f"passage number {i}") for i in range(len(pairs)))
    given = Judgments()
    for document, (first, second) in zip(documents, pairs, strict=True):
        given = given.given("why", document, first, "ann").given("why", document, second, "ben")
    return given.on(Corpus("c", documents)).agreement("ann", "ben")


@pytest.mark.parametrize("case", load_cases("kappa"))
def test_kappa_weighs_grades_and_not_their_order(case: dict[str, Any]) -> None:
    agreement = agreement_of(case["pairs"])
    numerator, denominator = case["kappa"]
    assert agreement.kappa == pytest.approx(numerator / denominator)
    assert case["said"] in agreement.told()
