"""Whether a lesson is true: every expectation is carried out, and says what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from lab import formats
from lab.algebra import Document, Hit, Pipeline, Ranking, Runner, Searcher
from lab.answer.again import AskAgain
from lab.answer.citations import CitationRule, Cited
from lab.answer.context import Context, Sent
from lab.answer.extract import Extracted, Extractive
from lab.answer.faithfulness import Faithfulness
from lab.corpus.beir import Collection
from lab.errors import CorpusError, LabError, UnknownName
from lab.evaluate.judging import Placed
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import run_many
from lab.evaluate.significance import Difference, compare
from lab.evaluate.sweeping import sweep
from lab.explain.postings import Walk, walk
from lab.lessons.values import Lesson, known
from lab.refine.reorder import attention
from lab.retrieve.lexical import LexicalIndex
from lab.words import N_, Said, ngettext

EXTRACT, EXTRACTIVE = Extractive(), Said("Write Extractive().")
MEASURE, JUDGED = "nDCG@10", "Judged@10"
"""What is meant by the quality of a list over all judged questions."""


@dataclass(frozen=True)
class Result:
    """What became of one expectation on one list: what was found, what was expected, and whether that is the same."""

    passed: bool
    list: str
    found: Said
    wanted: Said = Said()

    @property
    def said(self) -> Said:
        """Both in one sentence."""
        if not self.wanted:
            return Said("{list}: {found}", list=self.list, found=self.found)
        return Said("{list}: {found}; expected: {wanted}.", list=self.list, found=self.found, wanted=self.wanted)


def _at(rank: int | None) -> Said:
    return Said("is not in the list") if rank is None else Said("is at rank {rank}", rank=rank)


def sent(ranking: Ranking) -> tuple[Document, ...]:
    """The passages of a list from which is answered, best first: of one that ends in a `Context`, what that sends."""
    told = ranking.evidence
    return told.by_rank if isinstance(told, Sent) else tuple(hit.document for hit in ranking.hits)


def answered(ranking: Ranking, extract: Extractive = EXTRACT) -> Extracted:
    """The extractive answer from a list's passages."""
    return extract.answer(ranking.query, sent(ranking), ranking.corpus)


@dataclass(frozen=True)
class Case:
    """One expectation in its place: the list's ranking, the document, and the lesson's lists by their names.

    Every method ``expect_…`` is a kind of expectation, which takes the value from the file.
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
    called: Callable[[str], str]
    """What a list is called where it is shown."""

    @property
    def rank(self) -> int | None:
        """The document's rank, or None where it is not in the list."""
        return self.ranking.rank(self.known(self.doc).id)

    @property
    def hit(self) -> Hit | None:
        """The document as it is in this list."""
        return self.ranking.hit(self.known(self.doc).id)

    def known(self, doc_id: str) -> Document:
        """The document, if the corpus has it; a lesson about a document that is gone raises `CorpusError`."""
        return known(doc_id, self.collection.corpus)

    def title(self, doc_id: str) -> str:
        """What the document is called."""
        return self.known(doc_id).label

    def before(self, other: int | None) -> bool:
        """Whether the document is in the list, at a better rank than this one, which may be absent."""
        return self.rank is not None and (other is None or self.rank < other)

    def told(self, passed: bool, found: Said, wanted: Said) -> Result:
        """What was found in this list, and what was expected."""
        return Result(passed, self.name, found, wanted)

    def placed(self, passed: bool, wanted: Said) -> Result:
        """Whether it passed, and the document's place as what was found."""
        named = {"title": self.title(self.doc), "rank": self.rank, "n": len(self.ranking)}
        place = (
            N_("“{title}” is at rank {rank} of {n}") if self.rank else N_("“{title}” is not in the list (results: {n})")
        )
        return self.told(passed, Said(place, **named), wanted)

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
        """``above = "d7"``: the document stands above this other one, which may be absent."""
        other = self.ranking.rank(self.known(value).id)
        named = {"title": self.title(value), "found": _at(other)}
        return self.placed(self.before(other), Said("above “{title}”, which {found}", **named))

    def expect_ties(self, value: str) -> Result:
        """``ties = "d7"``: the document and this other one have the same score (to within rounding)."""
        a, b = (hit.score if hit else None for hit in (self.hit, self.ranking.hit(self.known(value).id)))
        passed = a is not None and b is not None and abs(a - b) <= 1e-9 * max(1, abs(a))
        named = {"title": self.title(self.doc), "other": self.title(value)}
        shown = {"a": "–" if a is None else round(a, 6), "b": "–" if b is None else round(b, 6)}
        found = Said("“{title}” has the score {a}, “{other}” {b}", **named, **shown)
        return self.told(passed, found, Said("the same score"))

    def expect_score(self, value: float) -> Result:
        """``score = 0.81``: the document has this score, to the digits that are written."""
        digits = len(repr(float(value)).partition(".")[2])
        passed = self.hit is not None and round(self.hit.score, digits) == value
        shown = "–" if self.hit is None else round(self.hit.score, max(digits, 4))
        found = Said("“{title}” has the score {a}", title=self.title(self.doc), a=shown)
        return self.told(passed, found, Said("the score {value}", value=value))

    def expect_better_than(self, value: str) -> Result:
        """``better_than = "vector"``: the document is nearer to the top here than in this other list."""
        other = self.lists(value).rank(self.doc)
        wanted = Said("a better rank than in {list}, where it {found}", list=self.called(value), found=_at(other))
        return self.placed(self.before(other), wanted)

    def expect_matched(self, value: Sequence[str]) -> Result:
        """``matched = ["leave"]``: these are among the addends of the document's score; ``[]``: it has none."""
        why = {str(c.source): c for c in self.hit.why} if self.hit else {}
        passed = set(value) <= set(why) if value else not why
        title = self.title(self.doc)
        if why:
            shown = [f"{name} {why[name].value:.4g}" for name in (value if passed else why)]
            found = Said("the score of “{title}” contains {addends}", title=title, addends=", ".join(shown))
        else:
            found = Said("“{title}” has no score components", title=title)
        return self.told(passed, found, Said("score components {wanted}", wanted=", ".join(value) or "–"))

    def expect_top(self, value: Sequence[str]) -> Result:
        """``top = ["d3", "d9"]``: the list begins with exactly these documents, in this order."""

        def named(ids: Sequence[str]) -> str:
            return ", ".join(f"“{self.title(doc)}”" for doc in ids) or "–"

        first = self.ranking.ids[: len(value)]
        passed = first == [self.known(doc).id for doc in value]
        return self.told(passed, Said("it begins with {titles}", titles=named(first)), Said(named(value)))

    def expect_empty(self, value: bool) -> Result:
        """``empty = true``: the list has no document at all (``false``: it has some)."""
        passed = (not self.ranking.hits) == value
        return self.told(passed, self._size(), Said("none") if value else Said("some"))

    def expect_at_most(self, value: int) -> Result:
        """``at_most = 3``: the list has three documents or fewer, however many were asked for."""
        return self.told(len(self.ranking) <= value, self._size(), Said("at most {most}", most=value))

    def expect_at_least(self, value: int) -> Result:
        """``at_least = 30``: the list has thirty documents or more."""
        return self.told(len(self.ranking) >= value, self._size(), Said("at least {least}", least=value))

    def _size(self) -> Said:
        return ngettext("it has {n} document", "it has {n} documents", len(self.ranking), n=len(self.ranking))

    # ---------------------------------------------------------------------- what is seen over all judged questions

    def expect_mean_above(self, value: str) -> Result:
        """``mean_above = "plain"``: over all judged questions the mean nDCG@10 is higher than in that other list."""
        mine, other = self.scores(self.name).means[MEASURE], self.scores(value).means[MEASURE]
        numbers = {"measure": MEASURE, "mine": f"{mine:.3f}", "than": self.called(value), "other": f"{other:.3f}"}
        found = Said("over all judged questions {measure} is {mine}, with “{than}” {other}", **numbers)
        return self.told(mine > other, found, Said("more"))

    def expect_hurts(self, value: Sequence[Any]) -> Result:
        """``hurts = ["plain", 0.3]``: three in ten judged questions (or more) are worse than in that other list."""
        other, share = value
        away = compare(self.scores(str(other)), self.scores(self.name), MEASURE)
        found = Said(
            "questions worse than in {than}: {worse} of {n}",
            worse=away.worse,
            n=len(away),
            than=self.called(str(other)),
        )
        wanted = Said("at least {least}%", least=f"{100 * share:.0f}")
        return self.told(away.worse >= share * len(away), found, wanted)

    def expect_chance(self, value: Sequence[Any]) -> Result:
        """``chance = ["plain", 20]``: over the first 20 judged questions it leads that other list by 0.02 or more, and
        that may be chance (the paired t-test has p > 0.05)."""
        other, n = value
        away = compare(self.scores(str(other)), self.scores(self.name), MEASURE)
        few = Difference(away.first, away.second, MEASURE, dict(list(away.away.items())[: int(n)]))
        p = 1.0 if few.p is None else few.p
        numbers = {"than": self.called(str(other)), "n": n, "lead": f"{few.mean:+.3f}", "p": f"{p:.2f}"}
        found = Said("it leads {than} by {lead} (questions: {n}), p = {p}", **numbers)
        return self.told(few.mean >= 0.02 and p > 0.05, found, Said("a lead that is not significant"))

    def expect_judged_below(self, value: float) -> Result:
        """``judged_below = 0.4``: of the first ten hits over all judged questions a smaller share is judged."""
        share = self.scores(self.name).means[JUDGED]
        found = Said("{share} of the first ten are judged", share=f"{share:.2f}")
        return self.told(share < value, found, Said("below {most}", most=value))

    def expect_luck(self, value: Sequence[Any]) -> Result:
        """``luck = [30, "k1=1,2,4", "b=0,0.5"]``: over the first 30 judged questions the best of these settings leads
        this list by 0.015 or more where it was chosen, and by a third of that at most where it was not."""
        n, *knobs = value
        axes = dict(str(knob).split("=") for knob in knobs)
        swept = sweep(self.search, self.collection, axes, measure=MEASURE, limit=int(n))
        there, here = swept.repeated or (0.0, 0.0)
        numbers = {"n": len(swept.points), "there": f"{there:+.3f}", "here": f"{here:+.3f}"}
        said = N_("the best of {n} settings leads by {there} on the tuning half and by {here} on the held-out half")
        return self.told(there >= 0.015 and here <= there / 3, Said(said, **numbers), Said("mostly luck"))

    def expect_kappa_below(self, value: Sequence[Any]) -> Result:
        """``kappa_below = ["ann", "ben", 0.2]``: these raters of the lesson give the same grade to three in four
        passages or more, and yet kappa is below 0.2."""
        one, other, most = value
        both = self.graded.agreement(str(one), str(other))
        passed = both.kappa is not None and both.kappa < most and both.equal >= 0.75 * len(both.pairs)
        return self.told(passed, both.told(), Said("mostly equal grades, and kappa below {most}", most=most))

    # ------------------------------------------------------------------- what is read of the postings of a question

    def _walked(self, k: object) -> Walk:
        """The walk along the postings of the question to its best ``k`` documents."""
        index = self.search.index(self.collection.corpus)
        if not isinstance(index, LexicalIndex):
            remedy = Said("Name a list by words, such as BM25().")
            raise CorpusError(Said("“{list}” has no postings.", list=self.called(self.name)), remedy)
        return walk(index, self.ranking.query, k=int(str(k)))

    def expect_reads(self, value: Sequence[Any]) -> Result:
        """``reads = [10, "the", 35]``: to find the best 10, 35 postings of this word of the question are read."""
        k, word, wanted = value
        walked = self._walked(k)
        own = [i for i, postings in enumerate(walked.lists) if postings.name == word]
        read = sum(len(walked.reads(i)) for i in own)
        numbers = {"read": read, "word": word, "all": sum(walked.before(i, 0, walked.end) for i in own), "k": k}
        found = Said("postings of “{word}” read for the best {k}: {read} of {all}", **numbers)
        return self.told(bool(own) and read == wanted, found, Said("postings: {n}", n=wanted))

    def expect_reads_below(self, value: Sequence[Any]) -> Result:
        """``reads_below = [10, 0.3]``: to find the best 10, less than 30% of the question's postings are read."""
        k, most = value
        walked = self._walked(k)
        wanted = Said("less than {share}%", share=f"{100 * most:.0f}")
        return self.told(0 < walked.read < most * walked.postings, self._read(walked), wanted)

    def expect_reads_all(self, value: int) -> Result:
        """``reads_all = 10``: to find the best 10, every posting of the question is read."""
        walked = self._walked(value)
        return self.told(0 < walked.read == walked.postings, self._read(walked), Said("all of them"))

    def _read(self, walked: Walk) -> Said:
        numbers = {"k": walked.k, "read": walked.read, "all": walked.postings}
        return Said("postings read for the best {k}: {read} of {all}", **numbers)

    def expect_attention_above(self, value: str) -> Result:
        """``attention_above = "reversed"``: the document stands at a place that counts more than in that other list.

        What a place counts is the illustrative curve of `lab.refine.reorder.attention`, at its default shape.
        """

        def at(ranking: Ranking) -> float:
            rank = ranking.rank(self.known(self.doc).id)
            return 0.0 if rank is None else float(attention(len(ranking))[rank - 1])

        mine, other = at(self.ranking), at(self.lists(value))
        numbers = {"title": self.title(self.doc), "a": round(mine, 3), "b": round(other, 3), "than": self.called(value)}
        found = Said("the rank of “{title}” counts {a}, in {than} {b}", **numbers)
        return self.told(mine > other, found, Said("more"))

    def expect_holds(self, value: str) -> Result:
        """``holds = "within 90 days"``: the document's text, as it is in this list, has these words."""
        return self._text(self.hit is not None and value in self.hit.document.text, value, Said("kept"))

    def expect_lacks(self, value: str) -> Result:
        """``lacks = "within 90 days"``: the document is in the list, but its text there has lost these words."""
        lost = self.hit is not None and value not in self.hit.document.text
        return self._text(lost and value in self.known(self.doc).text, value, Said("lost"))

    def _text(self, passed: bool, value: str, wanted: Said) -> Result:
        there = self.hit is not None and value in self.hit.document.text
        said = N_("“{title}” contains “{text}”") if there else N_("“{title}” does not contain “{text}”")
        return self.told(passed, Said(said, text=value, title=self.title(self.doc)), wanted)

    # ------------------------------------------------------ what is answered from a list that ends in a `Context`

    @property
    def sent(self) -> tuple[Document, ...]:
        """The passages of the list, best first."""
        return sent(self.ranking)

    def _cited(self, rule: str, sentence: str) -> tuple[CitationRule, Cited]:
        """A rule and what it says of one sentence beside these passages."""
        made = formats.build(rule)
        if not isinstance(made, CitationRule):
            raise UnknownName(Said("“{text}” is not a citation rule.", text=rule), Said("Write BestSentence()."))
        return made, made.cite([sentence], self.sent, self.collection.corpus)[0]

    def expect_answers(self, value: str) -> Result:
        """``answers = "14 days"``: a sentence that is taken from the document for the answer has these words."""
        told, doc = answered(self.ranking), self.known(self.doc)
        taken = [s.text for s in told.sentences if told.passages[s.place.passage].id == doc.id]
        passed = told.says and any(value in text for text in taken)
        found = Said("taken from “{title}”: {text}", title=doc.label, text=" ".join(taken) or "–")
        return self.told(passed, found, Said("“{text}”", text=value))

    def expect_says(self, value: Sequence[Any]) -> Result:
        """``says = ["Extractive(limit=2)", false]``: so asked, the passages do not say (``true``: they do)."""
        expression, wanted = value
        extract = formats.build(str(expression))
        if not isinstance(extract, Extractive):
            raise UnknownName(Said("“{text}” is not a {kind}.", text=expression, kind="Extractive"), EXTRACTIVE)
        told = answered(self.ranking, extract)
        numbers = {"reached": f"{told.reached:.2f}", "limit": f"{told.limit:.2f}"}
        found = Said("the best sentence scores {reached}, the threshold is {limit}", **numbers)
        return self.told(told.says == wanted, found, Said("an answer") if wanted else Said("none"))

    def expect_cites(self, value: Sequence[Any]) -> Result:
        """``cites = ["BestSentence()", "It takes 14 days.", 1]``: for this sentence the rule cites so many passages."""
        rule, text, wanted = value
        made, cited = self._cited(str(rule), str(text))
        found = Said("passages cited by {rule}: {n}", rule=made.label, n=len(cited.sources))
        return self.told(len(cited.sources) == wanted, found, Said(str(wanted)))

    def expect_carries(self, value: Sequence[str]) -> Result:
        """``carries = ["BestSentence()", "It takes 14 days."]``: the document is the first that is cited for it."""
        made, cited = self._cited(*value)
        first = self.sent[cited.sources[0].place.passage] if cited.sources else None
        found = Said("{rule} cites “{title}” first", rule=made.label, title=first.label if first else "–")
        passed = first is not None and first.id == self.known(self.doc).id
        return self.told(passed, found, Said("“{text}”", text=self.title(self.doc)))

    def expect_flags(self, value: Sequence[str]) -> Result:
        """``flags = ["It takes 14 days.", "14 days"]``: of this sentence these words stand in no cited passage."""
        text, wanted = value
        cited = self._cited("BestSentence()", text)[1]
        (cell,) = Faithfulness().rate([cited], self.sent).cells
        flagged = [flag.text for flag in cell.flags]
        found = Said("in no source: {words}", words=", ".join(flagged) or "–")
        return self.told(wanted in flagged, found, Said("“{text}”", text=wanted))

    def expect_saved(self, value: str) -> Result:
        """``saved = "14 days"``: the first round's answer lacks these words, the last round's has them."""
        search, context = self.search, Context()
        if isinstance(search, Pipeline) and search.refine and isinstance(last := search.refine[-1], Context):
            search, context = replace(search, refine=search.refine[:-1]), last
        rounds = AskAgain()(
            Runner(self.collection.corpus), search, self.ranking.query, context=context, extract=Extractive()
        )
        first, end = (" ".join(s.text for s in r.answer.sentences) for r in (rounds[0], rounds[-1]))
        found = Said("at first “{first}”, after round {n} “{last}”", n=len(rounds), first=first or "–", last=end or "–")
        return self.told(value in end and value not in first, found, Said("“{text}” only then", text=value))


KINDS = [name.removeprefix("expect_") for name in vars(Case) if name.startswith("expect_")]
"""What can be expected."""


class Checker:
    """Carries out the expectations of a lesson on a collection; what they have in common is made once."""

    def __init__(self, lesson: Lesson, collection: Collection) -> None:
        self.lesson, self.collection = lesson, collection
        self.lists = partial(lesson.ranking, runner=lesson.runner(collection.corpus))
        self.scores = cache(self._measured)
        self.called: Callable[[str], str] = str

    def _measured(self, name: str) -> Scores:
        run = run_many({name: self.lesson.lists[name]}, self.collection.corpus, self.collection.judged)[name]
        return measure_run(run, self.collection.qrels, (MEASURE, JUDGED))

    def __call__(self, expectation: Mapping[str, Any], select: str = "") -> tuple[Result, ...]:
        """What became of one expectation, of each of its kinds; ``select`` is meant where it names no document.

        Nothing is raised where it cannot be carried out (an unknown list or document, a model that is not there): the
        result is not passed, and says why.
        """
        name, corpus = expectation.get("list", "?"), self.collection.corpus
        try:
            ranking, doc = self.lists(name), expectation.get("doc", select or self.lesson.select)
            graded = self.lesson.judgments(corpus).on(corpus)
            search = self.lesson.lists[name]
            own = self.collection, graded, self.scores, self.called
            case = Case(name, search, ranking, doc, self.lists, *own)
            return tuple(getattr(case, f"expect_{key}")(v) for key, v in expectation.items() if key in KINDS)
        except LabError as error:
            return (Result(False, name, Said("{error}", error=str(error))),)


def check(lesson: Lesson, collection: Collection) -> tuple[Result, ...]:
    """What became of every expectation of this lesson on this collection, in order."""
    checker = Checker(lesson, collection)
    return tuple(result for step in lesson.steps for one in step.expect for result in checker(one, step.select))
