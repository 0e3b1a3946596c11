"""Passages with the same text, which a store keeps as one vector: a graph is filled with links between equal vectors.

Copies of one passage make a search lose others: its edges lead from copy to copy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from lab.algebra import Corpus, Document
from lab.numeric import Ints
from lab.retrieve.where import filter_test
from lab.words import N_

SEVERAL = "lab:several"
"""A metadata field of vectors whose passages have different metadata: the lab filters these passages itself."""
REFILLED = N_("The collection {name} had repeated passages one by one, and is filled again with each text once.")


@dataclass(frozen=True, eq=False)
class Distinct:
    """The distinct texts of a corpus, numbered by their first passages.

    ``firsts`` [n] are the positions of the first passages, ``numbers`` [N] the number of the text of each passage.
    """

    firsts: Ints
    numbers: Ints

    @staticmethod
    def of(corpus: Corpus) -> Distinct:
        """Returns the distinct texts; none if the texts are not in memory."""

        def make() -> Distinct:
            seen = dict[str, int]()
            numbers = np.array([seen.setdefault(d.content, len(seen)) for d in corpus.documents], np.int64)
            return Distinct(np.unique(numbers, return_index=True)[1], numbers)

        nothing = np.arange(0)
        return Distinct(nothing, nothing) if corpus.elsewhere else corpus.once(("distinct",), make)

    def __len__(self) -> int:
        return len(self.firsts)

    @property
    def repeated(self) -> bool:
        """Whether two passages have the same text."""
        return len(self.firsts) < len(self.numbers)

    @cached_property
    def sizes(self) -> Ints:
        """The number of passages of each text."""
        return np.bincount(self.numbers, minlength=len(self))

    @property
    def copies(self) -> int:
        """The number of passages whose text another passage has."""
        return int(self.sizes[self.sizes > 1].sum())

    @cached_property
    def _members(self) -> list[Ints]:
        return np.split(np.argsort(self.numbers, kind="stable"), np.cumsum(self.sizes)[:-1])

    def passages(self, number: int) -> list[int]:
        """Returns the positions of the passages with this text."""
        return cast("list[int]", self._members[number].tolist() if self.repeated else [number])

    def document(self, number: int, corpus: Corpus) -> Document:
        """Returns the first passage with this text, marked with `SEVERAL` if others have other metadata."""
        first, *others = (corpus.documents[place] for place in self.passages(number))
        same = all(document.metadata == first.metadata for document in others)
        return first if same else replace(first, metadata={**first.metadata, SEVERAL: True})


def passing(where: Mapping[str, Any] | None, corpus: Corpus) -> Callable[[int], bool]:
    """Returns the test of a filter on the passages of a corpus, by their positions."""
    if not where:
        return lambda place: True
    fits, documents = filter_test(where), corpus.documents
    return lambda place: fits(documents[place].metadata)
