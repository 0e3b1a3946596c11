"""Expectations of simulated classes that click on the results of two lists."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from lab.evaluate.interleaving import READER, Power, draft, outcome, outcomes, power
from lab.lessons.checking.case import MEASURE, Case, Result
from lab.words import N_, Said


class Classes(Case):
    """What students prefer, and how often that is significant."""

    def expect_place_decides(self, value: str) -> Result:
        """``place_decides = "vector"``: of simulated students more prefer whichever of the two lists is always first;
        with a coin that decides who is first, equally many prefer each (to within 5%)."""
        a, b = self.ranking.ids, self.lists(value).ids
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
        passed = first[0] > first[2] and second[2] > second[0] and abs(tossed[0] - tossed[2]) <= 0.05
        return self.told(passed, Said(template, than=self.called(value), **shares), Said("the first place decides"))

    def _power(self, other: str, readers: int, questions: int, each: int) -> Power:
        """Returns how often classes find that this list is better than another one (or worse, if it is)."""
        mine, theirs = (
            {q: [doc for doc, _score in hits] for q, hits in self.runs(name).results.items()}
            for name in (self.name, other)
        )
        better = int(self.scores(self.name).means[MEASURE] < self.scores(other).means[MEASURE])
        found = outcomes(mine, theirs, self.collection.qrels)
        return power(found, better, readers, questions=questions, each=each)

    def expect_class_unsure(self, value: Sequence[Any]) -> Result:
        """``class_unsure = ["bm25", 30, 0.2]``: this list has a higher mean than that other; of simulated classes of
        30 students more than half prefer it, but at most 20% significantly (10 questions, 3 for each student)."""
        other, readers, most = value
        found = self._power(str(other), int(readers), 10, 3)
        numbers = {"n": readers, "right": f"{100 * found.right:.0f}", "significant": f"{100 * found.significant:.0f}"}
        finding = Said("{right}% of simulated classes of {n} prefer it, {significant}% significantly", **numbers)
        is_better = self.scores(self.name).means[MEASURE] > self.scores(str(other)).means[MEASURE]
        expected = Said("more than 50%, and at most {most}% significantly", most=f"{100 * most:.0f}")
        return self.told(is_better and found.right > 0.5 and found.significant <= most, finding, expected)

    def expect_class_misled(self, value: Sequence[Any]) -> Result:
        """``class_misled = ["bm25", 30, 3]``: classes of 30 that all get the same three questions prefer the worse list
        significantly at least three times as often as those with ten questions, three for each student."""
        other, readers, times = value
        same, spread = (self._power(str(other), int(readers), n, 3).misled for n in (3, 10))
        numbers = {"n": readers, "same": f"{100 * same:.1f}", "spread": f"{100 * spread:.1f}"}
        finding = Said(
            "{same}% of simulated classes of {n} prefer the worse list significantly if all get the same three "
            "questions, {spread}% with ten",
            **numbers,
        )
        return self.told(same > 0 and same >= times * spread, finding, Said("a ratio of at least {times}", times=times))
