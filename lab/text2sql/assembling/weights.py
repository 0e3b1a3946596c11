"""What speaks for and against a reading: the addends of its score, each with its weight."""

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
    margin: float = knob(
        0.08,
        low=0.0,
        high=1.0,
        step=0.01,
        label=Said("Margin"),
        help=Said("Readings that score so little less than the best are asked about."),
    )


@dataclass(frozen=True)
class Reading:
    """A question as a tree, its score with its addends; ``pieces``: which slot became which values of the tree."""

    select: Select
    score: float = 0.0
    why: tuple[Contribution, ...] = ()
    slots: tuple[Slot, ...] = ()
    made: tuple[tuple[Slot, object], ...] = field(default=(), compare=False)

    def doubt(self, weights: Weights) -> float:
        """What speaks against it: words without a place, numbers outside the range of their column, counts of parents."""
        return -sum(min(0.0, c.value) for c in self.why if c.source in (UNUSED, FIT)) / max(
            weights.unused, weights.fit, 0.1
        )


UNUSED, FIT = Said("Words without a place"), Said("Range and unit")
