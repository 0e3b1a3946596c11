"""A question with operators as a tree of sets: how many passages fit each part of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lab.algebra import Corpus
from lab.refine.boolean import Leaf, Node, Not
from lab.refine.sets import Sets
from lab.words import Said


@dataclass(frozen=True, slots=True)
class SetOf:
    """One part of a question: its label, its depth in the tree, and the number of passages that match it."""

    label: Said
    depth: int
    documents: int


def sets(tree: Node, corpus: Corpus, *, stems: bool = True) -> tuple[SetOf, ...]:
    """Returns the parts of a condition, each before those that it is made of."""
    return tuple(_sets(tree, Sets(corpus, stems=stems), 0))


def _sets(node: Node, every: Sets, depth: int) -> Iterator[SetOf]:
    yield SetOf(node.label, depth, int(np.count_nonzero(every.fitting(node))))
    if not isinstance(node, Leaf):
        for part in (node.part,) if isinstance(node, Not) else node.parts:
            yield from _sets(part, every, depth + 1)
