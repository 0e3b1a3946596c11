"""A question with operators as a tree of sets: how many passages fit each part of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus
from lab.refine.boolean import Every, Leaf, Matching, Node, Not, Reading
from lab.words import Said

MOST = 20_000
"""Passages that are looked through."""


@dataclass(frozen=True, slots=True)
class SetOf:
    """One part of a question: its label, its depth in the tree, and the number of passages that match it."""

    label: Said
    depth: int
    documents: int


def sets(tree: Node, corpus: Corpus, *, stems: bool = True) -> tuple[SetOf, ...]:
    """The parts of a condition, each before those that it is made of; of the first `MOST` passages."""
    readings = [Reading(document) for document in islice(corpus, MOST)]
    return tuple(_sets(tree, readings, Matching(stems), 0)[1])


def _sets(node: Node, readings: list[Reading], how: Matching, depth: int) -> tuple[NDArray[np.bool_], list[SetOf]]:
    if isinstance(node, Leaf):
        held = np.array([how.find(node, reading) is not None for reading in readings], np.bool_)
        return held, [SetOf(node.label, depth, int(held.sum()))]
    parts = [_sets(part, readings, how, depth + 1) for part in _parts(node)]
    if isinstance(node, Not):
        held = ~parts[0][0]
    else:
        start = np.full(len(readings), isinstance(node, Every))
        join = np.logical_and if isinstance(node, Every) else np.logical_or
        held = start
        for own, _rows in parts:
            held = join(held, own)
    return held, [SetOf(node.label, depth, int(held.sum())), *(row for _held, rows in parts for row in rows)]


def _parts(node: Node) -> Iterator[Node]:
    if isinstance(node, Not):
        yield node.part
    elif not isinstance(node, Leaf):
        yield from node.parts
