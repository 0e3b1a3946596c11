"""Expectations over all judged questions: means, chance, raters, thresholds."""

from __future__ import annotations

import math

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
from lab.lessons.checking.case import JUDGED, MEASURE, Case, Reading, Result
from lab.reading.ratings import same
from lab.words import N_, Said


class Judged(Case):
    """Means, differences, raters and thresholds."""

    OF_LISTS = frozenset(
        (
            "worse",
            "p_of_lead",
            "judged",
            "lead_kept",
            "precision_kept",
            "highest_precision",
            "ceiling",
            "kept_by_refusing",
        )
    )

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

    def read_ceiling(self, depth: int) -> Reading:
        """``of = 50``: the mean nDCG@10 over all judged questions of the first 50 results in the best order."""
        top = ceiling(self.runs(self.name), self.collection.qrels, MEASURE, depth)
        best = 0.0 if top is None else top.mean
        message = N_("the best order of results down to rank {n} has {measure} {best}")
        return best, Said(message, n=depth, measure=MEASURE, best=f"{best:.3f}")

    def read_kept_by_refusing(self, kind: str, wanted: float) -> Reading:
        """``of = ["score", 0.5]``: the share of the answerable questions that keep a relevant result with the lowest
        threshold on this number that refuses half of the questions without an answer."""
        c = self.collection
        run = run_many({self.name: self.search}, c.corpus, (*c.judged, *c.unanswered))[self.name]
        rows = probes(run, c, (*c.judged, *c.unanswered), kind, 10)
        now, point = at(rows, -math.inf), Refusing(tuple(rows), float(wanted)).pick(rows)
        message = N_(
            "thresholds that refuse half of the questions without an answer keep a relevant result for {kept}, "
            "without one {now}"
        )
        finding = Said(message, kept=f"{point.kept_share if point else 0.0:.0%}", now=f"{now.kept_share:.0%}")
        return point and point.kept_share, finding

    def read_worse(self) -> Reading:
        """The share of the judged questions that are worse than in the other list."""
        away = self._away_from(self.than)
        numbers = {"worse": away.worse, "n": len(away), "than": self.called(self.than)}
        return away.worse / len(away), Said("questions worse than in {than}: {worse} of {n}", **numbers)

    def read_p_of_lead(self, n: int) -> Reading:
        """``of = 20``: the p of the paired t-test over the first 20 judged questions, if this list leads the other one
        by 0.02 or more."""
        away = self._away_from(self.than)
        few = Difference(away.first, away.second, MEASURE, dict(list(away.away.items())[:n]))
        p = 1.0 if few.p is None else few.p
        numbers = {"than": self.called(self.than), "n": n, "lead": f"{few.mean:+.3f}", "p": f"{p:.2f}"}
        finding = Said("it leads {than} by {lead} (questions: {n}), p = {p}", **numbers)
        return p if few.mean >= 0.02 else None, finding

    def read_judged(self) -> Reading:
        """The share of the first ten results that is judged, over all judged questions."""
        share = self.scores(self.name).means[JUDGED]
        return share, Said("{share} of the first ten are judged", share=f"{share:.2f}")

    def read_lead_kept(self, n: int, *knobs: str) -> Reading:
        """``of = [30, "k1=1,2,4", "b=0,0.5"]``: over the first 30 judged questions, the share of the lead of the best
        of these settings that is left where it was not chosen, if it leads this list by 0.015 or more where it was."""
        axes = dict(knob.split("=") for knob in knobs)
        swept = sweep(self.search, self.collection, axes, measure=MEASURE, limit=n)
        tuning_lead, held_out_lead = swept.repeated or (0.0, 0.0)
        numbers = {"n": len(swept.points), "there": f"{tuning_lead:+.3f}", "here": f"{held_out_lead:+.3f}"}
        template = N_("the best of {n} settings leads by {there} on the tuning half and by {here} on the held-out half")
        return held_out_lead / tuning_lead if tuning_lead >= 0.015 else None, Said(template, **numbers)

    def read_kappa(self, rater: str, other: str) -> Reading:
        """``of = ["ann", "ben"]``: kappa of these raters of the lesson, if they give the same grade to three in four
        passages or more."""
        both = self.graded.agreement(rater, other)
        return both.kappa if both.equal >= 0.75 * len(both.pairs) else None, both.told()

    def _by_rule(self) -> Agreement:
        """Returns the agreement of the collection's judgments with a rater that counts the words of the question."""
        c = self.collection
        pairs = judged_pairs(c, sum(map(len, c.qrels.values())))
        grades = grades_by(CoverageRater(), pairs, c.corpus, ALONE)
        return agreement_of(Said("people"), grades_of(c), CoverageRater.label, grades)

    def read_kappa_of_rule(self) -> Reading:
        """Kappa of the judgments of the corpus and the rater that counts words."""
        both = self._by_rule()
        return both.kappa, both.told()

    def read_preferred_by_rule_only(self) -> Reading:
        """Whether this list has a higher mean nDCG@10 than the other one by the grades of the rater that counts words,
        and a lower one by people's grades."""
        c, runs = self.collection, {name: self.runs(name) for name in (self.name, self.than)}
        order = order_of(runs, self._by_rule(), {same(q.text): q.id for q in c.queries}, MEASURE)
        means = [grades[name] for grades in (order.people, order.rater) for name in (self.name, self.than)]
        numbers = dict(zip(("a", "b", "c", "d"), (f"{mean:.3f}" for mean in means), strict=True))
        message = N_("{measure} by people {a}, with “{than}” {b}; by the rule {c} and {d}")
        finding = Said(message, measure=MEASURE, than=self.called(self.than), **numbers)
        return means[0] < means[1] and means[2] > means[3], finding

    def _threshold(self, kind: str, wanted: float) -> Threshold:
        """Returns the results of this list for all judged questions, to choose a threshold from."""
        queries = self.collection.judged
        results = results_of(self.runs(self.name), self.collection, queries, kind)
        return Threshold(kind, tuple(results), tuple(q.id for q in queries), float(wanted))

    def read_precision_kept(self, kind: str, wanted: float) -> Reading:
        """``of = ["score", 0.7]``: the precision on the held-out half of the judged questions of the threshold on this
        number that promises 0.7 on the tuning half."""
        choice = self._threshold(kind, wanted).choose()
        if choice is None or choice.here.precision is None:
            return None, Said("no threshold was chosen")
        numbers = {"value": f"{choice.there.value:.4g}", "there": f"{choice.there.precision or 0:.2f}"}
        numbers["here"] = f"{choice.here.precision:.2f}"
        finding = Said("the threshold {value} has precision {there} on the tuning half, {here} on the other", **numbers)
        return choice.here.precision, finding

    def read_highest_precision(self, kind: str) -> Reading:
        """``of = "score"``: the highest precision that a threshold on this number reaches on the tuning half of the
        judged questions, if there are enough of them."""
        threshold = self._threshold(kind, 1.0)
        highest = threshold.highest(halves(threshold.queries, 0)[0]) or 0.0
        finding = Said("the highest precision of a threshold is {value}", value=f"{highest:.2f}")
        return highest if threshold.enough else None, finding
