"""One word or number in several usual writings: hyphens, thousands, units, accents."""

from __future__ import annotations

from typing import Any

import pytest
from regressions import load_cases

from lab.algebra import Corpus, Document, Runner
from lab.corpus import samples
from lab.retrieve.lexical import BM25
from lab.text import Analyzer


@pytest.mark.parametrize("case", load_cases("variants_of_writing"))
def test_a_word_is_found_in_any_usual_writing(case: dict[str, Any]) -> None:
    corpus = Corpus("variants", tuple(Document(str(i), text) for i, text in enumerate(case["texts"], 1)))
    search = BM25(analyzer=Analyzer(**case.get("steps", {})))
    hits = Runner(corpus)(search, case["query"], 10).hits
    if "only" in case:
        assert [hit.document.id for hit in hits] == [str(case["only"])]
    else:
        assert hits[0].document.id == str(case["best"])
        assert len(hits) == 1 or hits[0].score > hits[1].score


def test_wifi_finds_a_passage_about_wi_fi_among_the_first_three_of_a_sample() -> None:
    corpus = samples.load("devices").corpus
    hits = Runner(corpus)(BM25(), "wifi keeps dropping", 3).hits
    assert any("wi-fi" in hit.document.content.lower() for hit in hits)
