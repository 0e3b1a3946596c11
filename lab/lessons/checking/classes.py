"""Expectations of simulated classes that click on the results of two lists."""

from __future__ import annotations

import math
from functools import partial

from lab.evaluate.interleaving import READER, Power, draft, outcome, outcomes, power
from lab.lessons.checking.case import MEASURE, Case, Reading
from lab.words import N_, Said


class Classes(Case):
    """What students prefer, and how often that is significant."""

    OF_LISTS = frozenset(("first_place_decides", "class_significant", "class_misled"))

    def read_first_place_decides(self) -> Reading:
        """Whether of simulated students more prefer whichever of the two lists is always first, while with a coin that
        decides who is first, equally many prefer each (to within 5%)."""
        a, b = self.ranking.ids, self.lists(self.than).ids
        query = next((q for q in self.collection.judged if q.text == self.ranking.query.text), None)
        relevant = {d for d, grade in self.collection.qrels[query.id].items() if grade > 0} if query else set()
        first, second = (READER.outcome(draft(a, b, partial(bool, side)), relevant) for side in (True, False))
        tossed = outcome(a, b, relevant)
        shares = {
            name: f"{100 * share:.0f}"
            for name, share in zip(
                "abcdef", (first[0], first[2], second[0], second[2], tossed[0], tossed[2]), strict=True
            )
        }
        template = N_(
            "simulated students prefer it over {than} {a}% to {b}% if its results come first, {c}% to {d}% if the "
            "others do, and {e}% to {f}% if a coin decides"
        )
        decides = first[0] > first[2] and second[2] > second[0] and abs(tossed[0] - tossed[2]) <= 0.05
        return decides, Said(template, than=self.called(self.than), **shares)

    def _power(self, readers: int, questions: int) -> Power:
        """Returns how often classes find that this list is better than the other one (or worse, if it is)."""
        mine, theirs = (
            {q: [doc for doc, _score in hits] for q, hits in self.runs(name).results.items()}
            for name in (self.name, self.than)
        )
        better = int(self.scores(self.name).means[MEASURE] < self.scores(self.than).means[MEASURE])
        found = outcomes(mine, theirs, self.collection.qrels)
        return power(found, better, readers, questions=questions, each=3)

    def read_class_significant(self, readers: int) -> Reading:
        """``of = 30``: the share of simulated classes of 30 students that prefer this list significantly (10 questions,
        3 for each student); none unless its mean is higher than the other's and more than half of them prefer it."""
        found = self._power(readers, 10)
        numbers = {"n": readers, "right": f"{100 * found.right:.0f}", "significant": f"{100 * found.significant:.0f}"}
        finding = Said("{right}% of simulated classes of {n} prefer it, {significant}% significantly", **numbers)
        is_better = self.scores(self.name).means[MEASURE] > self.scores(self.than).means[MEASURE]
        return found.significant if is_better and found.right > 0.5 else None, finding

    def read_class_misled(self, readers: int) -> Reading:
        """``of = 30``: how many times as often classes of 30 prefer the worse list significantly if all get the same
        three questions, as with ten questions, three for each student."""
        same, spread = (self._power(readers, n).misled for n in (3, 10))
        numbers = {"n": readers, "same": f"{100 * same:.1f}", "spread": f"{100 * spread:.1f}"}
        finding = Said(
            "{same}% of simulated classes of {n} prefer the worse list significantly if all get the same three "
            "questions, {spread}% with ten",
            **numbers,
        )
        return (same / spread if spread else math.inf) if same else None, finding
