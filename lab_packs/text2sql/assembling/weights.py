"""What speaks for and against a reading: the components of its score, each with its weight."""

from __future__ import annotations

from dataclasses import dataclass, field

from lab.algebra import Contribution, Operator, fraction, knob
from lab.words import Said
from lab_packs.text2sql.slots import Flag, Keep, Measure, Show, Slot, Sort
from lab_packs.text2sql.tree import Select, Test, refs


@dataclass(frozen=True)
class Weights(Operator):
    """What counts for and against a reading of a question."""

    subject: float = knob(
        1.0,
        Said("Rows of the question"),
        Said("The question asks for rows of this table."),
        low=0.0,
        high=3.0,
        step=0.05,
    )
    inside: float = fraction(
        0.3, Said("In the table"), Said("Added for each part of the question that is a column of the table itself.")
    )
    joins: float = fraction(0.15, Said("Joins"), Said("Penalty for each foreign key on the way to another table."))
    links: float = knob(
        1.0,
        Said("Indirect names"),
        Said("Penalty for a synonym (0.1), part of a name (0.3) or a match by type alone (0.4)."),
        low=0.0,
        high=3.0,
        step=0.05,
    )
    fit: float = knob(
        1.0,
        Said("Range and unit"),
        Said("Penalty for a number outside the range of its column, or without its unit."),
        low=0.0,
        high=3.0,
        step=0.05,
    )
    unused: float = knob(
        0.4,
        Said("Unused words"),
        Said("Penalty for each word that the query does not use."),
        low=0.0,
        high=2.0,
        step=0.05,
    )
    doubt: float = knob(
        0.15,
        Said("Maximum doubt"),
        Said("If the penalties of the best reading exceed this, you are asked first."),
        low=0.0,
        high=2.0,
        step=0.05,
    )
    far: float = knob(
        0.1,
        Said("Name match"),
        Said("Joins and half of the penalty for indirect names raise no doubt up to this sum."),
        low=0.0,
        high=3.0,
        step=0.05,
    )
    margin: float = fraction(
        0.2, Said("Margin"), Said("Readings within this distance of the best score are offered as a choice."), step=0.01
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

    def unplaced(self) -> tuple[Slot, ...]:
        """Returns the slots that are in no part of the tree: a condition, a number, an order, a named column."""
        made, columns = {(s.start, s.end) for s, _ in self.made}, refs(self.select)
        content = [s for s in self.slots if isinstance(s, (Keep, Measure, Sort, Show)) and not getattr(s, "cue", False)]
        return tuple(
            s
            for s in content
            if (s.start, s.end) not in made and s.options and not {o.ref for o in s.options} & columns
        )

    def is_far_but_whole(self, weights: Weights) -> bool:
        """Whether it is a list of rows against which only joins speak: no unused word, no number out of range."""
        against = {str(c.source): -min(0.0, c.value) for c in self.why}
        far = against.get(str(LINKS), 0.0)
        if against.get(str(UNUSED), 0.0) > weights.unused / 2 or against.get(str(FIT)) or far > weights.far:
            return False
        if not {str(SUBJECT), str(GOES_ON)} & {str(c.source) for c in self.why if c.value > 0}:
            return False
        dated = any(isinstance(c, Test) and c.op == "during" for c in self.select.where)
        apart = dated and far > 0 and len({type(c) for c in self.select.where}) > 1  # whose day is it?
        joined = any(isinstance(s, Flag) and s.name == "both" for s in self.slots)
        plain = self.select.plain and not self.select.order and not self.select.distinct
        return plain and not apart and not joined


SUBJECT, GOES_ON = Said("Rows of the question"), Said("Table of the previous question")
UNUSED, FIT = Said("Unused words"), Said("Range and unit")
LINKS, JOINS = Said("Indirect names"), Said("Joins")
