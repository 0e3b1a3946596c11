"""An overview counts as near-duplicates what the semantic filter takes for the same, rounding included."""

from __future__ import annotations

from typing import Any

import pytest
from night import spread
from points import Points, corpus_of_points
from regressions import load_cases

from lab.algebra import Hit, Query, Ranking
from lab.corpus.beir import Collection
from lab.corpus.statistics import statistics
from lab.explain.overview import overview
from lab.refine.filters import SemanticDedup
from lab.retrieve.lexical import BM25


@pytest.mark.parametrize("case", spread(load_cases("copies_counted"), 3))
def test_the_overview_and_the_filter_find_the_same_copies(case: dict[str, Any]) -> None:
    corpus = corpus_of_points(case["points"], [0] * len(case["points"]))
    collection = Collection(corpus, (), {})
    assert overview(collection, statistics(corpus), Points()).copies == case["copies"]
    ranking = Ranking(Query("1 0"), tuple(Hit(d, 1.0) for d in corpus), BM25(), corpus=corpus)
    assert bool(SemanticDedup(embedder=Points())(ranking).dropped) == bool(case["copies"])
