"""Time decay against LangChain's time-weighted retriever."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

import pytest

from lab.refine.decay import TimeDecay


@pytest.mark.parametrize("seed", range(20))
def test_the_bonus_is_that_of_langchain(seed: int) -> None:
    retrievers = pytest.importorskip("langchain_classic.retrievers.time_weighted_retriever")
    from langchain_core.documents import Document

    rng = random.Random(seed)
    half_life, days = rng.randrange(1, 3000), rng.randrange(0, 5000)
    now = datetime(2025, 1, 1)
    scored = retrievers.TimeWeightedVectorStoreRetriever.model_construct(
        decay_rate=1 - 2 ** (-1 / (24 * half_life)), other_score_keys=[], vectorstore=None
    )
    document = Document("", metadata={"last_accessed_at": now - timedelta(days=days)})
    theirs = scored._get_combined_score(document, None, now)
    # theirs is a power of up to 120,000 hours of a number rounded to 16 digits
    assert TimeDecay(half_life=half_life).decay(days) == pytest.approx(theirs, abs=1e-10)
