"""The share of the exact first ten that a store finds."""

from __future__ import annotations

from collections.abc import Sequence

from lab.algebra import Corpus, Runner
from lab.retrieve.store import StoreVector


def recall(corpus: Corpus, store: StoreVector, questions: Sequence[str]) -> float:
    """Returns the share over all questions."""
    runner = Runner(corpus, explain=False)
    pairs = [({*runner(store.exact, q, 10).ids}, {*runner(store, q, 10).ids}) for q in questions]
    return sum(len(exact & found) for exact, found in pairs) / sum(len(exact) for exact, _ in pairs)
