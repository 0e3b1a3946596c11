"""A question with operators as a tree of sets: how many passages fit each part of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lab.algebra import Corpus
from lab.corpus.conditions import Condition, children
from lab.refine.boolean import label
from lab.refine.sets import Sets
from lab.words import Said


@dataclass(frozen=True, slots=True)
class SetOf:
    """One part of a question: its label, its depth in the tree, and the number of passages that match it."""

    label: Said
    depth: int
    documents: int


def sets(tree: Condition, corpus: Corpus, *, stems: bool = True) -> tuple[SetOf, ...]:
    """Returns the parts of a condition, each before those that it is made of."""
    return tuple(_sets(tree, Sets(corpus, stems=stems), 0))


def _sets(node: Condition, every: Sets, depth: int) -> Iterator[SetOf]:
    yield SetOf(label(node), depth, int(np.count_nonzero(every.fitting(node))))
    for part in children(node):
        yield from _sets(part, every, depth + 1)
