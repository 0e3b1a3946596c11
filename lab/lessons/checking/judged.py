"""Expectations over all judged questions: means, chance, raters, thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from lab.algebra import ALONE
from lab.evaluate.ceiling import ceiling
from lab.evaluate.judging import Agreement
from lab.evaluate.learning import halves
from lab.evaluate.rating import CoverageRater, agreement_of, grades_by, grades_of, judged_pairs, order_of
from lab.evaluate.refusing import Refusing, at, probes
from lab.evaluate.runs import run_many
from lab.evaluate.significance import Difference, compare, told_p
from lab.evaluate.sweeping import sweep
from lab.evaluate.thresholds import Threshold, results_of
from lab.lessons.checking.case import JUDGED, MEASURE, Case, Result
from lab.reading.ratings import same
from lab.words import N_, Said


class Judged(Case):
    """Means, differences, raters and thresholds."""

    def expect_mean_above(self, value: str) -> Result:
        """``mean_above = "plain"``: over all judged questions the mean nDCG@10 is significantly above the other's."""
        away = self._away_from(value)
        return self.told(away.mean > 0 and away.significant, self._means(value, away), Said("significantly more"))

    def expect_mean_undecided(self, value: str) -> Result:
        """``mean_undecided = "plain"``: over all judged questions the mean nDCG@10 is not significantly different from
        that of the other list."""
        away = self._away_from(value)
        return self.told(not away.significant, self._means(value, away), Said("no significant difference"))

    def _away_from(self, other: str) -> Difference:
        return compare(self.scores(other), self.scores(self.name), MEASURE)

    def _means(self, other: str, away: Difference) -> Said:
        """Returns both means and the p of their difference."""
        mine, than = (f"{self.scores(name).means[MEASURE]:.3f}" for name in (self.name, other))
        numbers = {"measure": MEASURE, "mine": mine, "than": self.called(other), "other": than}
        template = N_("over all judged questions {measure} is {mine}, with “{than}” {other} (p {p})")
        return Said(template, p="–" if away.p is None else told_p(away.p), **numbers)

    def expect_ceiling(self, value: Sequence[float]) -> Result:
        """``ceiling = [50, 0.70, 0.72]``: over all judged questions, the first 50 results in the best possible order
        have a mean nDCG@10 between 0.70 and 0.72."""
        depth, low, high = value
        top = ceiling(self.runs(self.name), self.collection.qrels, MEASURE, int(depth))
        best = 0.0 if top is None else top.mean
        message = N_("the best order of results down to rank {n} has {measure} {best}")
        finding = Said(message, n=int(depth), measure=MEASURE, best=f"{best:.3f}")
        return self.told(low <= best <= high, finding, Said("from {low} to {high}", low=low, high=high))

    def expect_refusing_costs(self, value: Sequence[Any]) -> Result:
        """``refusing_costs = ["score", 0.5, 0.5]``: the lowest threshold on this number that refuses half of the
        questions without an answer keeps a relevant result for half of the answerable ones at most."""
        kind, wanted, most = value
        c = self.collection
        every = (*c.judged, *c.unanswered)
        run = run_many({self.name: self.search}, c.corpus, every)[self.name]
        rows = probes(run, c, every, kind, 10)
        now, point = at(rows, -math.inf), Refusing(tuple(rows), float(wanted)).pick(rows)
        share = 0.0 if point is None else point.kept_share
        message = N_(
            "thresholds that refuse half of the questions without an answer keep a relevant result for {kept}, "
            "without one {now}"
        )
        finding = Said(message, kept=f"{share:.0%}", now=f"{now.kept_share:.0%}")
        return self.told(point is not None and share <= most, finding, Said("at most {most}", most=f"{most:.0%}"))

    def expect_hurts(self, value: Sequence[Any]) -> Result:
        """``hurts = ["plain", 0.3]``: three in ten judged questions (or more) are worse than in that other list."""
        other, share = value
        away = self._away_from(str(other))
        finding = Said(
            "questions worse than in {than}: {worse} of {n}",
            worse=away.worse,
            n=len(away),
            than=self.called(str(other)),
        )
        expected = Said("at least {least}%", least=f"{100 * share:.0f}")
        return self.told(away.worse >= share * len(away), finding, expected)

    def expect_chance(self, value: Sequence[Any]) -> Result:
        """``chance = ["plain", 20]``: over the first 20 judged questions it leads that other list by 0.02 or more, and
        that may be chance (the paired t-test has p > 0.05)."""
        other, n = value
        away = self._away_from(str(other))
        few = Difference(away.first, away.second, MEASURE, dict(list(away.away.items())[: int(n)]))
        p = 1.0 if few.p is None else few.p
        numbers = {"than": self.called(str(other)), "n": n, "lead": f"{few.mean:+.3f}", "p": f"{p:.2f}"}
        finding = Said("it leads {than} by {lead} (questions: {n}), p = {p}", **numbers)
        return self.told(few.mean >= 0.02 and p > 0.05, finding, Said("a lead that is not significant"))

    def expect_judged_below(self, value: float) -> Result:
        """``judged_below = 0.4``: of the first ten hits over all judged questions a smaller share is judged."""
        share = self.scores(self.name).means[JUDGED]
        finding = Said("{share} of the first ten are judged", share=f"{share:.2f}")
        return self.told(share < value, finding, Said("below {most}", most=value))

    def expect_luck(self, value: Sequence[Any]) -> Result:
        """``luck = [30, "k1=1,2,4", "b=0,0.5"]``: over the first 30 judged questions the best of these settings leads
        this list by 0.015 or more where it was chosen, and by a third of that at most where it was not."""
        n, *knobs = value
        axes = dict(str(knob).split("=") for knob in knobs)
        swept = sweep(self.search, self.collection, axes, measure=MEASURE, limit=int(n))
        tuning_lead, held_out_lead = swept.repeated or (0.0, 0.0)
        numbers = {"n": len(swept.points), "there": f"{tuning_lead:+.3f}", "here": f"{held_out_lead:+.3f}"}
        template = N_("the best of {n} settings leads by {there} on the tuning half and by {here} on the held-out half")
        return self.told(
            tuning_lead >= 0.015 and held_out_lead <= tuning_lead / 3, Said(template, **numbers), Said("mostly luck")
        )

    def expect_kappa_below(self, value: Sequence[Any]) -> Result:
        """``kappa_below = ["ann", "ben", 0.2]``: these raters of the lesson give the same grade to three in four
        passages or more, and yet kappa is below 0.2."""
        rater, other, most = value
        both = self.graded.agreement(str(rater), str(other))
        passed = both.kappa is not None and both.kappa < most and both.equal >= 0.75 * len(both.pairs)
        return self.told(passed, both.told(), Said("mostly equal grades, and kappa below {most}", most=most))

    def _by_rule(self) -> Agreement:
        """Returns the agreement of the collection's judgments with a rater that counts the words of the question."""
        c = self.collection
        pairs = judged_pairs(c, sum(map(len, c.qrels.values())))
        grades = grades_by(CoverageRater(), pairs, c.corpus, ALONE)
        return agreement_of(Said("people"), grades_of(c), CoverageRater.label, grades)

    def expect_rule_kappa_below(self, value: float) -> Result:
        """``rule_kappa_below = 0.2``: with the judgments of the corpus, the rater that counts words has a kappa below
        0.2."""
        both = self._by_rule()
        passed = both.kappa is not None and both.kappa < value
        return self.told(passed, both.told(), Said("kappa below {most}", most=value))

    def expect_rule_prefers(self, value: str) -> Result:
        """``rule_prefers = "vectors"``: by the grades of the rater that counts words, this list has a higher mean
        nDCG@10 than that other one, and by people's grades a lower one."""
        c, runs = self.collection, {name: self.runs(name) for name in (self.name, value)}
        order = order_of(runs, self._by_rule(), {same(q.text): q.id for q in c.queries}, MEASURE)
        means = (order.people[self.name], order.people[value], order.rater[self.name], order.rater[value])
        numbers = dict(zip(("a", "b", "c", "d"), (f"{mean:.3f}" for mean in means), strict=True))
        message = N_("{measure} by people {a}, with “{than}” {b}; by the rule {c} and {d}")
        finding = Said(message, measure=MEASURE, than=self.called(value), **numbers)
        passed = means[0] < means[1] and means[2] > means[3]
        return self.told(passed, finding, Said("the opposite order by the rule"))

    def _threshold(self, kind: str, wanted: float) -> Threshold:
        """Returns the results of this list for all judged questions, to choose a threshold from."""
        queries = self.collection.judged
        results = results_of(self.runs(self.name), self.collection, queries, kind)
        return Threshold(kind, tuple(results), tuple(q.id for q in queries), float(wanted))

    def expect_threshold_keeps(self, value: Sequence[Any]) -> Result:
        """``threshold_keeps = ["score", 0.7, 0.4, 0.5]``: the threshold on this number that promises a precision of 0.7
        on the tuning half of the judged questions has between 0.4 and 0.5 on the held-out half."""
        kind, wanted, low, high = value
        choice = self._threshold(kind, wanted).choose()
        expected = Said("from {low} to {high} on the held-out half", low=f"{low:.2f}", high=f"{high:.2f}")
        if choice is None or choice.here.precision is None:
            return self.told(False, Said("no threshold was chosen"), expected)
        numbers = {"value": f"{choice.there.value:.4g}", "there": f"{choice.there.precision or 0:.2f}"}
        numbers["here"] = f"{choice.here.precision:.2f}"
        finding = Said("the threshold {value} has precision {there} on the tuning half, {here} on the other", **numbers)
        return self.told(low <= choice.here.precision <= high, finding, expected)

    def expect_no_threshold(self, value: Sequence[Any]) -> Result:
        """``no_threshold = ["score", 0.9]``: no threshold on this number reaches a precision of 0.9 on the tuning half
        of the judged questions, of which there are enough."""
        kind, wanted = value
        threshold = self._threshold(kind, wanted)
        highest = threshold.highest(halves(threshold.queries, 0)[0])
        finding = Said("the highest precision of a threshold is {value}", value=f"{highest or 0:.2f}")
        passed = threshold.enough and threshold.choose() is None
        return self.told(passed, finding, Said("below {wanted}", wanted=f"{wanted:.2f}"))
