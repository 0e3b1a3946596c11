"""The figures of a corpus at a glance."""

from __future__ import annotations

import pytest

from lab.algebra import Corpus, Document
from lab.corpus.statistics import WIDE, length_spread, main_script, statistics, word_spread


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


def test_lengths_spread_by_the_longest_tenth() -> None:
    assert length_spread([]) == 1.0
    assert length_spread([7]) == 1.0
    assert length_spread([10] * 18 + [50, 70]) == 6.0  # the mean of the two longest of twenty, by the median
    assert length_spread([0, 0, 0]) == 0.0
    rows, pages = [Document(f"r{i}", "battery") for i in range(9)], [Document("p", "battery charger " * 6)]
    assert word_spread(Corpus("rows", tuple(rows))) == 1.0
    assert word_spread(Corpus("rows and a page", (*rows, *pages))) > WIDE


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["年假十天", "How do I apply?"], ""),
        (["年假十天"] * 9 + ["How do I apply?"], "zh"),
        (["How do I apply?"] * 350 + ["年假十天"] * 30, "en"),
        (["отпуск"], "other"),
        (["12"], ""),
        ([], ""),
    ],
)
def test_a_corpus_has_the_script_of_nine_in_ten_passages(texts: list[str], expected: str) -> None:
    assert main_script(Corpus("c", tuple(Document(str(i), text) for i, text in enumerate(texts)))) == expected
