"""Days in metadata are read as people write them; of two readings the other days of the field decide."""

from __future__ import annotations

from typing import Any

import pytest
from regressions import load_cases

from lab.algebra import Corpus, Document, Hit, Ranking
from lab.refine.where import MetadataFilter
from lab.retrieve.lexical import BM25


@pytest.mark.parametrize("case", load_cases("dates"))
def test_a_maximum_age_reads_the_days_of_its_field(case: dict[str, Any]) -> None:
    documents = tuple(Document(str(i), "x", metadata={"date": day}) for i, day in enumerate(case["dates"]))
    hits = tuple(Hit(document, 1.0) for document in documents)
    stage = MetadataFilter(max_age_days=case["days"], as_of=case["as_of"], unreadable="drop")
    found = stage(Ranking("x", hits, BM25(), corpus=Corpus("c", documents)))
    assert [int(id_) for id_ in found.ids] == case["kept"]
    reasons = [str(drop.reason) for drop in found.dropped]
    for said in case["said"]:
        assert any(said in reason for reason in reasons), (said, reasons)
