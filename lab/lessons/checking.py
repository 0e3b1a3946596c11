"""Checks whether a lesson is true: every expectation is evaluated, and reports its finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from lab import formats
from lab.algebra import ALONE, Document, Hit, Pipeline, Ranking, Runner, Searcher, one_of
from lab.answer.again import AskAgain
from lab.answer.citations import CitationRule, Cited
from lab.answer.context import Context, Sent
from lab.answer.extract import Extracted, Extractive
from lab.answer.faithfulness import Faithfulness
from lab.corpus.beir import Collection
from lab.errors import CorpusError, LabError, UnknownName
from lab.evaluate.interleaving import READER, Power, draft, outcome, outcomes, power
from lab.evaluate.judging import Agreement, Placed
from lab.evaluate.learning import halves
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.rating import CoverageRater, agreement_of, grades_by, grades_of, judged_pairs, order_of
from lab.evaluate.runs import Run, run_many
from lab.evaluate.significance import Difference, compare
from lab.evaluate.sweeping import sweep
from lab.evaluate.thresholds import Threshold, results_of
from lab.explain.graph import Walk as GraphWalk
from lab.explain.late import pooled
from lab.explain.postings import Walk, walk
from lab.explain.structures import FILTERS, Asked, Outcome, structures_of
from lab.lessons.values import Lesson, known
from lab.models.static import load_built_in
from lab.reading.ratings import same
from lab.refine.reorder import attention
from lab.retrieve.lexical import LexicalIndex
from lab.retrieve.store import StoreVector
from lab.words import N_, Said, ngettext

EXTRACT, EXTRACTIVE = Extractive(), Said("Write Extractive().")
MEASURE, JUDGED = "nDCG@10", "Judged@10"
"""The measures of a list's quality over all judged questions."""


@dataclass(frozen=True)
class Result:
    """The result of one expectation on one list: the finding, the expected one, and whether it passed."""

    passed: bool
    list: str
    found: Said
    wanted: Said = Said()

    @property
    def said(self) -> Said:
        """The finding and the expectation in one sentence."""
        if not self.wanted:
            return Said("{list}: {found}", list=self.list, found=self.found)
        return Said("{list}: {found}; expected: {wanted}.", list=self.list, found=self.found, wanted=self.wanted)


def _rank_phrase(rank: int | None) -> Said:
    return Said("is not in the list") if rank is None else Said("is at rank {rank}", rank=rank)


def sent(ranking: Ranking) -> tuple[Document, ...]:
    """Returns the passages of a list to answer from, best first; after a `Context`, the passages that it sends."""
    evidence = ranking.evidence
    return evidence.by_rank if isinstance(evidence, Sent) else tuple(hit.document for hit in ranking.hits)


def answered(ranking: Ranking, extract: Extractive = EXTRACT) -> Extracted:
    """Returns the extractive answer from a list's passages."""
    return extract.answer(ranking.query, sent(ranking), ranking.corpus)


@dataclass(frozen=True)
class Case:
    """The data of one expectation: the list's ranking, the document, and the lesson's lists by their names.

    Every method ``expect_…`` is a kind of expectation; its argument is the value in the file.
    """

    name: str
    search: Searcher
    ranking: Ranking
    doc: str
    lists: Callable[[str], Ranking]
    collection: Collection
    graded: Placed
    scores: Callable[[str], Scores]
    """nDCG@10 of a list's search over all judged questions."""
    runs: Callable[[str], Run]
    """The results of a list's search for all judged questions."""
    called: Callable[[str], str]
    """Returns the label of a list on the page."""

    @property
    def rank(self) -> int | None:
        """The document's rank, or None if it is not in the list."""
        return self.ranking.rank(self.known(self.doc).id)

    @property
    def hit(self) -> Hit | None:
        """The document's result in this list, or None."""
        return self.ranking.hit(self.known(self.doc).id)

    def known(self, doc_id: str) -> Document:
        """Returns a document of the corpus.  Raises `CorpusError` if it no longer exists."""
        return known(doc_id, self.collection.corpus)

    def title(self, doc_id: str) -> str:
        """Returns the label of the document."""
        return self.known(doc_id).label

    def before(self, other: int | None) -> bool:
        """Whether the document is in the list, at a better rank than this one, which may be absent."""
        return self.rank is not None and (other is None or self.rank < other)

    def told(self, passed: bool, finding: Said, expected: Said) -> Result:
        """Returns the result with a finding in this list, and the expected one."""
        return Result(passed, self.name, finding, expected)

    def placed(self, passed: bool, expected: Said) -> Result:
        """Returns the result with the document's rank as the finding."""
        values = {"title": self.title(self.doc), "rank": self.rank, "n": len(self.ranking)}
        place = (
            N_("“{title}” is at rank {rank} of {n}") if self.rank else N_("“{title}” is not in the list (results: {n})")
        )
        return self.told(passed, Said(place, **values), expected)

    def expect_rank(self, value: int) -> Result:
        """``rank = 1``: the document has this rank."""
        return self.placed(self.rank == value, Said("rank {rank}", rank=value))

    def expect_max_rank(self, value: int) -> Result:
        """``max_rank = 3``: the document is among the first three."""
        return self.placed(self.before(value + 1), Said("rank {rank} or better", rank=value))

    def expect_min_rank(self, value: int) -> Result:
        """``min_rank = 4``: the document is not among the first three; it may be absent."""
        return self.placed(not self.before(value), Said("rank {rank} or worse", rank=value))

    def expect_absent(self, value: bool) -> Result:
        """``absent = true``: the document is not in the list (``false``: it is)."""
        return self.placed((self.rank is None) == value, Said("not in the list") if value else Said("in the list"))

    def expect_above(self, value: str) -> Result:
        """``above = "d7"``: the document is ranked above this other one, which may be absent."""
        other = self.ranking.rank(self.known(value).id)
        values = {"title": self.title(value), "found": _rank_phrase(other)}
        return self.placed(self.before(other), Said("above “{title}”, which {found}", **values))

    def expect_ties(self, value: str) -> Result:
        """``ties = "d7"``: the document and this other one have the same score (to within rounding)."""
        a, b = (hit.score if hit else None for hit in (self.hit, self.ranking.hit(self.known(value).id)))
        passed = a is not None and b is not None and abs(a - b) <= 1e-9 * max(1, abs(a))
        titles = {"title": self.title(self.doc), "other": self.title(value)}
        scores = {"a": "–" if a is None else round(a, 6), "b": "–" if b is None else round(b, 6)}
        finding = Said("“{title}” has the score {a}, “{other}” {b}", **titles, **scores)
        return self.told(passed, finding, Said("the same score"))

    def expect_score(self, value: float) -> Result:
        """``score = 0.81``: the document has this score, to the digits that are written."""
        digits = len(repr(float(value)).partition(".")[2])
        passed = self.hit is not None and round(self.hit.score, digits) == value
        score = "–" if self.hit is None else round(self.hit.score, max(digits, 4))
        finding = Said("“{title}” has the score {a}", title=self.title(self.doc), a=score)
        return self.told(passed, finding, Said("the score {value}", value=value))

    def expect_better_than(self, value: str) -> Result:
        """``better_than = "vector"``: the document is nearer to the top here than in this other list."""
        other = self.lists(value).rank(self.doc)
        expected = Said(
            "a better rank than in {list}, where it {found}", list=self.called(value), found=_rank_phrase(other)
        )
        return self.placed(self.before(other), expected)

    def expect_matched(self, value: Sequence[str]) -> Result:
        """``matched = ["leave"]``: the document's score has these components; ``[]``: it has no components."""
        why = {str(c.source): c for c in self.hit.why} if self.hit else {}
        passed = set(value) <= set(why) if value else not why
        title = self.title(self.doc)
        if why:
            components = [f"{name} {why[name].value:.4g}" for name in (value if passed else why)]
            finding = Said(
                "the score of “{title}” has the components {addends}", title=title, addends=", ".join(components)
            )
        else:
            finding = Said("“{title}” has no score components", title=title)
        return self.told(passed, finding, Said("score components {wanted}", wanted=", ".join(value) or "–"))

    def expect_top(self, value: Sequence[str]) -> Result:
        """``top = ["d3", "d9"]``: the list begins with exactly these documents, in this order."""

        def titles(ids: Sequence[str]) -> str:
            return ", ".join(f"“{self.title(doc)}”" for doc in ids) or "–"

        first = self.ranking.ids[: len(value)]
        passed = first == [self.known(doc).id for doc in value]
        return self.told(passed, Said("it begins with {titles}", titles=titles(first)), Said(titles(value)))

    def expect_empty(self, value: bool) -> Result:
        """``empty = true``: the list has no document at all (``false``: it has some)."""
        passed = (not self.ranking.hits) == value
        return self.told(passed, self._size(), Said("none") if value else Said("some"))

    def expect_at_most(self, value: int) -> Result:
        """``at_most = 3``: the list has three documents or fewer, however many were requested."""
        return self.told(len(self.ranking) <= value, self._size(), Said("at most {most}", most=value))

    def expect_at_least(self, value: int) -> Result:
        """``at_least = 30``: the list has thirty documents or more."""
        return self.told(len(self.ranking) >= value, self._size(), Said("at least {least}", least=value))

    def _size(self) -> Said:
        return ngettext("it has {n} document", "it has {n} documents", len(self.ranking), n=len(self.ranking))

    # ------------------------------------------------------------------------------------ over all judged questions

    def expect_mean_above(self, value: str) -> Result:
        """``mean_above = "plain"``: over all judged questions the mean nDCG@10 is higher than in that other list."""
        mean, other = self.scores(self.name).means[MEASURE], self.scores(value).means[MEASURE]
        numbers = {"measure": MEASURE, "mine": f"{mean:.3f}", "than": self.called(value), "other": f"{other:.3f}"}
        finding = Said("over all judged questions {measure} is {mine}, with “{than}” {other}", **numbers)
        return self.told(mean > other, finding, Said("more"))

    def expect_hurts(self, value: Sequence[Any]) -> Result:
        """``hurts = ["plain", 0.3]``: three in ten judged questions (or more) are worse than in that other list."""
        other, share = value
        away = compare(self.scores(str(other)), self.scores(self.name), MEASURE)
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
        away = compare(self.scores(str(other)), self.scores(self.name), MEASURE)
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

    # ----------------------------------------------------------------------------------- a class that clicks on results

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
        """``class_unsure = ["bm25", 30, 0.2]``: this list is better than that other on average; of simulated classes of
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

    # ------------------------------------------------------------------------------------- a threshold from judgments

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

    # ---------------------------------------------------------------------------- reading the postings of a question

    def _walked(self, k: object) -> Walk:
        """Returns the walk along the postings of the question to its best ``k`` documents."""
        index = self.search.index(self.collection.corpus)
        if not isinstance(index, LexicalIndex):
            remedy = Said("Name a list by words, such as BM25().")
            raise CorpusError(Said("“{list}” has no postings.", list=self.called(self.name)), remedy)
        return walk(index, self.ranking.query, k=int(str(k)))

    def expect_reads(self, value: Sequence[Any]) -> Result:
        """``reads = [10, "the", 35]``: to find the best 10, 35 postings of this word of the question are read."""
        k, word, expected = value
        walked = self._walked(k)
        columns = [i for i, postings in enumerate(walked.lists) if postings.name == word]
        read = sum(len(walked.reads(i)) for i in columns)
        numbers = {"read": read, "word": word, "all": sum(walked.before(i, 0, walked.end) for i in columns), "k": k}
        finding = Said("postings of “{word}” read for the best {k}: {read} of {all}", **numbers)
        return self.told(bool(columns) and read == expected, finding, Said("postings: {n}", n=expected))

    def expect_reads_below(self, value: Sequence[Any]) -> Result:
        """``reads_below = [10, 0.3]``: to find the best 10, less than 30% of the question's postings are read."""
        k, most = value
        walked = self._walked(k)
        expected = Said("less than {share}%", share=f"{100 * most:.0f}")
        return self.told(0 < walked.read < most * walked.postings, self._read(walked), expected)

    def expect_reads_all(self, value: int) -> Result:
        """``reads_all = 10``: to find the best 10, every posting of the question is read."""
        walked = self._walked(value)
        return self.told(0 < walked.read == walked.postings, self._read(walked), Said("all of them"))

    def _read(self, walked: Walk) -> Said:
        numbers = {"k": walked.k, "read": walked.read, "all": walked.postings}
        return Said("postings read for the best {k}: {read} of {all}", **numbers)

    def expect_pools_alike(self, value: int) -> Result:
        """``pools_alike = 3``: late chunking changes none of the vectors (built-in model) of the
        3 chunks that this list makes of the document."""
        if not isinstance(self.search, Pipeline) or not self.search.derive:
            remedy = Said("Name a list of chunks, such as ParentChild()(Vector()).")
            raise CorpusError(Said("“{list}” has no chunks.", list=self.called(self.name)), remedy)
        chunks, document = self.search.derive[0](self.collection.corpus), self.known(self.doc)
        own = [d for d in chunks if chunks.origins[d.id] == document.id]
        result = pooled(load_built_in(), document.text, own)
        numbers = {"title": document.label, "n": result.chunks, "changed": result.differing}
        finding = Said("chunks of “{title}” compared: {n}, changed by late chunking: {changed}", **numbers)
        passed = result.chunks == value and not result.differing
        return self.told(passed, finding, Said("compared {n}, changed none", n=value))

    # ------------------------------------------------------------------------------------ a graph of a list's vectors

    def _searched(self, ef: object, how: object) -> tuple[Asked, GraphWalk, Outcome]:
        """Returns a walk in the graph of this list's vectors, with this ef and the filter working in this way."""
        asked = None
        if isinstance(self.search, StoreVector):
            structures = structures_of(self.search.exact, self.collection.corpus)
            asked = structures.ask(self.ranking.query, self.search.where)
        if asked is None:
            remedy = Said("Name a list of a vector store, such as ExactVector(scale='unit').")
            raise CorpusError(Said("“{list}” has no graph.", list=self.called(self.name)), remedy)
        one_of("how", str(how), FILTERS)
        walked = asked.walk(int(str(ef)), str(how))
        return asked, walked, asked.outcome(walked, str(how))

    def expect_graph(self, value: Sequence[Any]) -> Result:
        """``graph = [10, "none", 8]``: with ef 10 the walk in the graph finds 8 of the exact first ten.

        The filter works not at all (``none``), in the ``search``, or ``after`` the cut to ten.
        """
        ef, how, expected = value
        outcome = self._searched(ef, how)[2]
        numbers = {"n": outcome.hits, "m": len(outcome.exact), "ef": ef}
        finding = Said("with ef {ef} the graph finds {n} of the exact first {m}", **numbers)
        return self.told(outcome.hits == expected, finding, Said("found: {n}", n=expected))

    def expect_graph_loses(self, value: Sequence[Any]) -> Result:
        """``graph_loses = [10, "none"]``: the document is among the exact first ten, and the walk does not find it."""
        asked, _, outcome = self._searched(*value)
        ranks = {asked.structures.documents[loss.node].id: loss.rank for loss in outcome.losses}
        rank = ranks.get(self.known(self.doc).id)
        title = self.title(self.doc)
        finding = (
            Said("“{title}” is lost (exact rank {rank})", title=title, rank=rank)
            if rank
            else Said("“{title}” is not lost", title=title)
        )
        return self.told(rank is not None, finding, Said("lost"))

    def expect_graph_compares(self, value: Sequence[Any]) -> Result:
        """``graph_compares = [10, "none", 96]``: the walk with ef 10 compares 96 passages with the question."""
        ef, how, expected = value
        asked, walked, _ = self._searched(ef, how)
        numbers = {"n": len(walked.compared()), "total": len(asked.structures), "ef": ef}
        finding = Said("passages compared with ef {ef}: {n} of {total}", **numbers)
        return self.told(numbers["n"] == expected, finding, Said("compared: {n}", n=expected))

    def expect_graph_returns(self, value: Sequence[Any]) -> Result:
        """``graph_returns = [10, "after", 2]``: two passages are left in the end."""
        ef, how, expected = value
        left = len(self._searched(ef, how)[2].found)
        finding = Said("passages left with ef {ef}: {n}", n=left, ef=ef)
        return self.told(left == expected, finding, Said("left: {n}", n=expected))

    def expect_attention_above(self, value: str) -> Result:
        """``attention_above = "reversed"``: the document's position counts more than the one in that other list.

        Positions are weighted by the illustrative curve of `lab.refine.reorder.attention`, at its default shape.
        """

        def attention_at(ranking: Ranking) -> float:
            rank = ranking.rank(self.known(self.doc).id)
            return 0.0 if rank is None else float(attention(len(ranking))[rank - 1])

        weight, other = attention_at(self.ranking), attention_at(self.lists(value))
        numbers = {
            "title": self.title(self.doc),
            "a": round(weight, 3),
            "b": round(other, 3),
            "than": self.called(value),
        }
        finding = Said("the rank of “{title}” counts {a}, in {than} {b}", **numbers)
        return self.told(weight > other, finding, Said("more"))

    def expect_holds(self, value: str) -> Result:
        """``holds = "within 90 days"``: the document's text, as it is in this list, has these words."""
        return self._text(self.hit is not None and value in self.hit.document.text, value, Said("kept"))

    def expect_lacks(self, value: str) -> Result:
        """``lacks = "within 90 days"``: the document is in the list, but its text there has lost these words."""
        is_missing = self.hit is not None and value not in self.hit.document.text
        return self._text(is_missing and value in self.known(self.doc).text, value, Said("lost"))

    def _text(self, passed: bool, value: str, expected: Said) -> Result:
        contains = self.hit is not None and value in self.hit.document.text
        template = N_("“{title}” contains “{text}”") if contains else N_("“{title}” does not contain “{text}”")
        return self.told(passed, Said(template, text=value, title=self.title(self.doc)), expected)

    # ------------------------------------------------------------------ answers from a list that ends in a `Context`

    @property
    def sent(self) -> tuple[Document, ...]:
        """The passages of the list, best first."""
        return sent(self.ranking)

    def _cited(self, rule: str, sentence: str) -> tuple[CitationRule, Cited]:
        """Returns a citation rule, and its citations for one sentence among the passages."""
        citation_rule = formats.build(rule)
        if not isinstance(citation_rule, CitationRule):
            raise UnknownName(Said("“{text}” is not a citation rule.", text=rule), Said("Write BestSentence()."))
        return citation_rule, citation_rule.cite([sentence], self.sent, self.collection.corpus)[0]

    def expect_answers(self, value: str) -> Result:
        """``answers = "14 days"``: a sentence of the answer that is taken from the document has these words."""
        answer, doc = answered(self.ranking), self.known(self.doc)
        sentences = [s.text for s in answer.sentences if answer.passages[s.place.passage].id == doc.id]
        passed = answer.says and any(value in text for text in sentences)
        finding = Said("taken from “{title}”: {text}", title=doc.label, text=" ".join(sentences) or "–")
        return self.told(passed, finding, Said("“{text}”", text=value))

    def expect_says(self, value: Sequence[Any]) -> Result:
        """``says = ["Extractive(limit=2)", false]``: the passages do not answer so (``true``: they do)."""
        expression, expected = value
        extract = formats.build(str(expression))
        if not isinstance(extract, Extractive):
            raise UnknownName(Said("“{text}” is not a {kind}.", text=expression, kind="Extractive"), EXTRACTIVE)
        answer = answered(self.ranking, extract)
        numbers = {"reached": f"{answer.reached:.2f}", "limit": f"{answer.limit:.2f}"}
        finding = Said("the best sentence scores {reached}, the threshold is {limit}", **numbers)
        return self.told(answer.says == expected, finding, Said("an answer") if expected else Said("none"))

    def expect_cites(self, value: Sequence[Any]) -> Result:
        """``cites = ["BestSentence()", "It takes 14 days.", 1]``: for this sentence the rule cites one passage."""
        rule, text, expected = value
        citation_rule, cited = self._cited(str(rule), str(text))
        finding = Said("passages cited by {rule}: {n}", rule=citation_rule.label, n=len(cited.sources))
        return self.told(len(cited.sources) == expected, finding, Said(str(expected)))

    def expect_carries(self, value: Sequence[str]) -> Result:
        """``carries = ["BestSentence()", "It takes 14 days."]``: the document is the first that is cited for it."""
        citation_rule, cited = self._cited(*value)
        first = self.sent[cited.sources[0].place.passage] if cited.sources else None
        finding = Said("{rule} cites “{title}” first", rule=citation_rule.label, title=first.label if first else "–")
        passed = first is not None and first.id == self.known(self.doc).id
        return self.told(passed, finding, Said("“{text}”", text=self.title(self.doc)))

    def expect_flags(self, value: Sequence[str]) -> Result:
        """``flags = ["It takes 14 days.", "14 days"]``: no cited passage contains these words of this sentence."""
        text, expected = value
        cited = self._cited("BestSentence()", text)[1]
        (cell,) = Faithfulness().rate([cited], self.sent).cells
        flagged = [flag.text for flag in cell.flags]
        finding = Said("in no source: {words}", words=", ".join(flagged) or "–")
        return self.told(expected in flagged, finding, Said("“{text}”", text=expected))

    def expect_saved(self, value: str) -> Result:
        """``saved = "14 days"``: the first round's answer lacks these words, the last round's has them."""
        search, context = self.search, Context()
        if isinstance(search, Pipeline) and search.refine and isinstance(last := search.refine[-1], Context):
            search, context = replace(search, refine=search.refine[:-1]), last
        rounds = AskAgain()(
            Runner(self.collection.corpus), search, self.ranking.query, context=context, extract=Extractive()
        )
        first, end = (" ".join(s.text for s in r.answer.sentences) for r in (rounds[0], rounds[-1]))
        finding = Said(
            "at first “{first}”, after round {n} “{last}”", n=len(rounds), first=first or "–", last=end or "–"
        )
        return self.told(value in end and value not in first, finding, Said("“{text}” only then", text=value))


KINDS = [name.removeprefix("expect_") for name in vars(Case) if name.startswith("expect_")]
"""The kinds of expectations."""


class Checker:
    """Evaluates the expectations of a lesson on a collection; work that they share is done once."""

    def __init__(self, lesson: Lesson, collection: Collection) -> None:
        self.lesson, self.collection = lesson, collection
        self.lists = partial(lesson.ranking, runner=lesson.runner(collection.corpus))
        self.scores, self.runs = cache(self._measured), cache(self._run)
        self.called: Callable[[str], str] = str

    def _run(self, name: str) -> Run:
        return run_many({name: self.lesson.lists[name]}, self.collection.corpus, self.collection.judged)[name]

    def _measured(self, name: str) -> Scores:
        return measure_run(self.runs(name), self.collection.qrels, (MEASURE, JUDGED))

    def __call__(self, expectation: Mapping[str, Any], select: str = "") -> tuple[Result, ...]:
        """Evaluates every kind in one expectation; ``select`` is the document if it does not name one.

        If it cannot be evaluated (an unknown list or document, a missing model), nothing is raised: the result has not
        passed, and says why.
        """
        name, corpus = expectation.get("list", "?"), self.collection.corpus
        try:
            ranking, doc = self.lists(name), expectation.get("doc", select or self.lesson.select)
            graded = self.lesson.judgments(corpus).on(corpus)
            search = self.lesson.lists[name]
            shared = self.collection, graded, self.scores, self.runs, self.called
            case = Case(name, search, ranking, doc, self.lists, *shared)
            return tuple(getattr(case, f"expect_{key}")(v) for key, v in expectation.items() if key in KINDS)
        except LabError as error:
            return (Result(False, name, Said("{error}", error=str(error))),)


def check(lesson: Lesson, collection: Collection) -> tuple[Result, ...]:
    """Evaluates every expectation of this lesson on this collection, in order."""
    checker = Checker(lesson, collection)
    return tuple(
        result for step in lesson.steps for expectation in step.expect for result in checker(expectation, step.select)
    )
