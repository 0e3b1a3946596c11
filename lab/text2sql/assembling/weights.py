"""What speaks for and against a reading: the components of its score, each with its weight."""

from __future__ import annotations

from dataclasses import dataclass, field

from lab.algebra import Contribution, Operator, knob
from lab.text2sql.slots import Slot
from lab.text2sql.tree import (
    Select,
)
from lab.words import Said


@dataclass(frozen=True)
class Weights(Operator):
    """What counts for and against a reading of a question."""

    subject: float = knob(
        1.0,
        low=0.0,
        high=3.0,
        step=0.05,
        label=Said("Rows asked for"),
        help=Said("The table is what the question asks for."),
    )
    inside: float = knob(
        0.3,
        low=0.0,
        high=1.0,
        step=0.05,
        label=Said("In the table"),
        help=Said("For each part of the question that is a column of the table itself."),
    )
    joins: float = knob(
        0.15,
        low=0.0,
        high=1.0,
        step=0.05,
        label=Said("Joins"),
        help=Said("Taken off for each foreign key on the way to another table."),
    )
    links: float = knob(
        1.0,
        low=0.0,
        high=3.0,
        step=0.05,
        label=Said("Far-fetched names"),
        help=Said("Taken off for a synonym (0.1), a part of a name (0.3) or a guess by kind (0.4)."),
    )
    fit: float = knob(
        1.0,
        low=0.0,
        high=3.0,
        step=0.05,
        label=Said("Range and unit"),
        help=Said("Taken off for a number outside the range of its column, or without its unit."),
    )
    unused: float = knob(
        0.4,
        low=0.0,
        high=2.0,
        step=0.05,
        label=Said("Words without a place"),
        help=Said("Taken off for each named thing that the query does not use."),
    )
    doubt: float = knob(
        0.15,
        low=0.0,
        high=2.0,
        step=0.05,
        label=Said("Doubt"),
        help=Said("A reading with more against it (words without a place, numbers out of range) is asked about."),
    )
    far: float = knob(
        0.1,
        low=0.0,
        high=3.0,
        step=0.05,
        label=Said("Plain names"),
        help=Said("Joins and half of far-fetched names up to this sum are no reason for doubt."),
    )
    margin: float = knob(
        0.2,
        low=0.0,
        high=1.0,
        step=0.01,
        label=Said("Margin"),
        help=Said("Readings that score so little less than the best are asked about."),
    )


NEARBY = 0.08
"""Columns of a slot that are so much farther than the nearest are tried, too."""


@dataclass(frozen=True)
class Reading:
    """A question as a tree, its score with its components; ``pieces``: which slot became which values of the tree."""

    select: Select
    score: float = 0.0
    why: tuple[Contribution, ...] = ()
    slots: tuple[Slot, ...] = ()
    made: tuple[tuple[Slot, object], ...] = field(default=(), compare=False)

    def doubt(self, weights: Weights) -> float:
        """What speaks against it: words without a place, numbers out of range, joins and names beyond ``weights.far``.

        A far-fetched name counts half: on the sets of questions, joins mislead twice as often.
        """
        against = {str(c.source): -min(0.0, c.value) for c in self.why}
        sure = (against.get(str(UNUSED), 0.0) + against.get(str(FIT), 0.0)) / max(weights.unused, weights.fit, 0.1)
        far = against.get(str(LINKS), 0.0) / 2 + against.get(str(JOINS), 0.0)
        return sure + max(0.0, far - weights.far)


UNUSED, FIT = Said("Words without a place"), Said("Range and unit")
LINKS, JOINS = Said("Far-fetched names"), Said("Joins")
