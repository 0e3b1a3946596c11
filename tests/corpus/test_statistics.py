"""The figures of a corpus at a glance."""

from __future__ import annotations

import pytest

from lab.algebra import Corpus, Document
from lab.corpus.statistics import statistics


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("workshop-manual", ("The chain needs oil.", "Oil the chain weekly.", "A chain lasts a year.")),
        ("员工手册", ("年假十天，按年结转。", "年假由主管批准。", "病假不扣年假。")),
    ],
)
def test_the_name_of_the_file_does_not_lead_the_terms(name: str, texts: tuple[str, ...]) -> None:
    titled = (Document(f"d{i}", text, f"{name} › § {i}") for i, text in enumerate(texts))
    terms = [term for term, _weight in statistics(Corpus("own", tuple(titled))).terms]
    assert terms[0].lower() not in name
