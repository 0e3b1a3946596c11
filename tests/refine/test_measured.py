"""What a filter measures: one number per hit, and what goes is beyond a limit."""

from __future__ import annotations

import dataclasses

from night import for_each

from lab import catalog
from lab.algebra import Env, Runner
from lab.corpus import samples
from lab.refine.filters import (
    EmbeddingsFilter,
    Filter,
    Measured,
    MinimumMatch,
    RedundancyFilter,
    ScoreThreshold,
    SemanticDedup,
)
from lab.refine.length import LengthFilter
from lab.refine.per_document import PerDocument
from lab.retrieve.lexical import BM25

RANKING = Runner(samples.load("devices").corpus)(BM25(), "battery empty in the morning", 40)
FILTERS: list[Filter] = [
    ScoreThreshold(6.0),
    ScoreThreshold(0.5, "best"),
    ScoreThreshold(0.3, "min-max"),
    MinimumMatch(0.5),
    SemanticDedup(0.5),
    RedundancyFilter(0.5),
    RedundancyFilter(0.5, "earlier"),
    EmbeddingsFilter(0, 0.3),
    EmbeddingsFilter(7),
    EmbeddingsFilter(10, 0.2),
    LengthFilter(200, 300),
    PerDocument(1, field="product"),
]


@for_each("chosen", FILTERS)
def test_what_goes_is_beyond_a_limit_and_what_stays_is_not(chosen: Filter) -> None:
    after = chosen(RANKING)
    told = after.evidence
    assert isinstance(told, Measured)
    assert len(told.values) == len(RANKING)
    low, high = (-1e9 if told.low is None else told.low), (1e9 if told.high is None else told.high)
    assert (told.low, told.high) != (None, None)
    gone = {drop.document.id for drop in after.dropped}
    assert gone
    for hit, value in zip(RANKING.hits, told.values, strict=True):
        if hit.document.id in gone:
            assert value <= low or value >= high
        elif not isinstance(chosen, RedundancyFilter):  # of two that are alike the other one stays
            assert low <= value <= high


def test_in_bulk_nothing_is_measured_and_an_empty_list_has_nothing_to_measure() -> None:
    chosen = ScoreThreshold(6.0)
    bulk, shown = chosen(RANKING, Env(explain=False)), chosen(RANKING)
    assert bulk.evidence is None
    assert bulk.ids == shown.ids
    for cls in catalog.with_role(catalog.stages, "filter"):
        if issubclass(cls, Filter):
            own = next((f for f in FILTERS if type(f) is cls), None) or cls()
            assert own(dataclasses.replace(RANKING, hits=())).evidence is None
