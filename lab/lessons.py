"""Lessons: a claim about retrieval, with the expectation that makes it true, as data.

``lessons.toml`` beside a corpus holds a list of tables::

    [[lesson]]
    id = "code-beats-meaning"
    page = "compare"
    query = "E21"
    turns = ["…", "…"]                              # what was said before it, where the page is a conversation
    select = "d12"                                  # the document that the page opens
    knobs = { "bm25.k1" = 0.9 }                     # the widgets of the page
    title = { en = "…", zh = "…" }
    claim = { en = "…", zh = "…" }
    [lesson.lists]                                  # searches, as `lab.formats.parse` reads them
    bm25 = "BM25(k1=0.9)"
    vector = "Vector()"
    "five of fifty" = "RRF()(BM25(), Vector()) % 50 >> MMR(k=5)"
    [[lesson.expect]]
    list = "bm25"
    doc = "d12"                                     # `select`, where it is left out
    rank = 1
    [[lesson.expect]]
    list = "bm25"
    better_than = "vector"                          # another list of this lesson
    [lesson.grades.ann]                             # what a rater of the lesson gave, for the page Judge
    d12 = 2

What can be expected: see `KINDS`.  A list under other knobs is another list, with a name of its own.  A retriever is
asked for the whole corpus, anything else as deep as it says.  The first expectation is about what the page shows when
the lesson is opened.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lab import formats
from lab.answer.again import AskAgain
from lab.answer.citations import CitationRule, Cited
from lab.answer.context import Context, Sent
from lab.answer.extract import Extracted, Extractive
from lab.answer.faithfulness import Faithfulness
from lab.core import Corpus, Document, Hit, Query, Ranking, Searcher, Turn
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.errors import CorpusError, LabError, UnknownName
from lab.evaluate.judging import Judgments, Placed
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import run_many
from lab.evaluate.significance import Difference, compare
from lab.evaluate.sweeping import sweep
from lab.pipeline import Pipeline, Runner
from lab.refine.reorder import attention
from lab.words import LANGUAGES, N_, Said

FILE = "lessons.toml"
EXTRACT, EXTRACTIVE = Extractive(), Said("Write Extractive().")
MEASURE, JUDGED = "nDCG@10", "Judged@10"
"""What is meant by the quality of a list over all judged questions."""


@dataclass(frozen=True)
class Lesson:
    """One lesson.  ``title`` and ``claim`` are keyed by language; ``expect`` are tables as in the file."""

    id: str
    page: str
    title: Mapping[str, str] = field(hash=False)
    claim: Mapping[str, str] = field(hash=False)
    corpus: str
    query: str
    turns: tuple[str, ...] = ()
    knobs: Mapping[str, Any] = field(default_factory=dict, hash=False)
    select: str = ""
    lists: Mapping[str, Searcher] = field(default_factory=dict, hash=False)
    grades: Mapping[str, Mapping[str, int]] = field(default_factory=dict, hash=False)
    expect: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)

    def __post_init__(self) -> None:
        for name in ("title", "claim", "knobs", "lists", "grades"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        object.__setattr__(self, "expect", tuple(MappingProxyType(dict(e)) for e in self.expect))
        object.__setattr__(self, "turns", tuple(self.turns))

    def ranking(self, name: str, runner: Runner) -> Ranking:
        """The list of this name, on the runner's corpus.  Raises `UnknownName`, and whatever its search raises."""
        if name not in self.lists:
            known = Said("Known are: {names}.", names=", ".join(self.lists) or "–")
            raise UnknownName(Said("There is no list “{name}”.", name=name), known)
        query, deep = Query(self.query), max(1, len(runner.corpus))
        for text in self.turns:  # each shows what this very list has for it
            shown = runner(self.lists[name], Query(text, turns=query.turns), deep).ids
            query = replace(query, turns=(*query.turns, Turn(text, shown=tuple(shown))))
        return runner(self.lists[name], query, deep)

    def runner(self, corpus: Corpus) -> Runner:
        """What its lists are made with on this corpus; routes lead to the sample corpora that they name."""
        named = [name for name in formats.collections(self.lists.values()) if name in samples.names()]
        return Runner(corpus, others={name: samples.load(name).corpus for name in named if name != corpus.name})

    def judgments(self, corpus: Corpus) -> Judgments:
        """What the lesson's raters gave to passages of this corpus, for its question."""
        told = Judgments()
        for rater, own in self.grades.items():
            for doc, grade in own.items():
                told = told.given(self.query, _known(doc, corpus), grade, rater)
        return told


@dataclass(frozen=True)
class Result:
    """What became of one expectation: the sentence says what was found, and what was expected."""

    passed: bool
    said: Said


# -------------------------------------------------------------------------------------------------- read


def read(folder: str | Path) -> tuple[Lesson, ...]:
    """The lessons of the corpus in this folder, in the order of the file; none where it has no file.

    Raises `CorpusError` for a file that cannot be read, a field that is missing or unknown, an id used twice, a list
    that is no search or has no name.
    """
    file = Path(folder) / FILE
    if not file.is_file():
        return ()
    try:
        tables = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        said = Said("{file} cannot be read: {reason}.", file=str(file), reason=str(error))
        raise CorpusError(said, Said("Correct the file.")) from None
    if unknown := set(tables) - {"lesson"}:
        said = Said("{file} has “{name}”, which is unknown.", file=str(file), name=min(unknown))
        raise CorpusError(said, Said("Write [[lesson]] tables only."))
    lessons = tuple(_lesson(table, file, number) for number, table in enumerate(tables.get("lesson", []), 1))
    ids = [lesson.id for lesson in lessons]
    for lesson_id in ids:
        if ids.count(lesson_id) > 1:
            raise CorpusError(Said("{file} has two lessons “{id}”.", file=str(file), id=lesson_id), Said("Rename one."))
    return lessons


TEXTS, TABLES = ("id", "page", "query", "select"), ("title", "claim", "knobs", "lists", "grades")
FIELDS: Mapping[str, type] = {**dict.fromkeys(TEXTS, str), **dict.fromkeys(TABLES, dict), "turns": list, "expect": list}
OPTIONAL = ("knobs", "select", "grades", "turns")
MAY_BE_EMPTY = (*OPTIONAL, "query")
NAMES_A_LIST = ("list", "better_than", "attention_above", "mean_above", "hurts")
"""What in an expectation is the name of a list, or begins with it."""
LISTS = Said('Every list has a name under [lesson.lists], and a search, as in first = "BM25(b=0) >> MMR(k=5)".')


def _lesson(table: Mapping[str, Any], file: Path, number: int) -> Lesson:
    place = {"file": str(file), "number": number, "id": table.get("id", "?")}

    def check(held: bool, what: str, remedy: str = "", **values: Any) -> None:
        """What must hold of this lesson; ``what`` is a template that is marked with `N_` where it stands."""
        if not held:
            said = Said("{file}, lesson {number} ({id}): {what}.", **place, what=Said(what, **values))
            raise CorpusError(said, remedy or Said("A lesson has: {names}.", names=", ".join(FIELDS)))

    for name in table:
        check(name in FIELDS, N_("“{name}” is unknown"), name=name)
    for name, kind in FIELDS.items():
        remedy = LISTS if name == "lists" else ""
        check(name in table or name in OPTIONAL, N_("“{name}” is missing"), remedy, name=name)
        value = table.get(name, kind())
        fits = isinstance(value, kind) and (bool(value) or name in MAY_BE_EMPTY)
        check(fits, N_("“{name}” is empty or of the wrong kind"), remedy, name=name)
    languages = " and ".join(LANGUAGES)
    for name in ("title", "claim"):
        texts = table[name]
        told = set(texts) == set(LANGUAGES) and all(isinstance(t, str) and t.strip() for t in texts.values())
        check(told, N_("“{name}” needs a text in each of {languages}"), name=name, languages=languages)
    lists: dict[str, Searcher] = {}
    for name, text in table["lists"].items():
        check(isinstance(text, str), N_("the list “{name}” is no text"), LISTS, name=name)
        try:
            lists[name] = formats.parse(text)
        except LabError as error:
            named = {**place, "name": name, "reason": error.message}
            said = Said("{file}, lesson {number} ({id}), list “{name}”: {reason}", **named)
            raise CorpusError(said, error.remedy or LISTS) from None
    spoken = all(isinstance(turn, str) and turn.strip() for turn in table.get("turns", []))
    check(spoken, N_("“turns” needs a text for each turn"))
    for own in table.get("grades", {}).values():
        whole = isinstance(own, dict) and all(isinstance(grade, int) for grade in own.values())
        check(whole, N_("“grades” needs a table for each rater, of a whole number for each document"))
    kinds = ", ".join(KINDS)
    for one in table["expect"]:
        whole = isinstance(one, dict) and not one.keys().isdisjoint(KINDS) and isinstance(one.get("list"), str)
        check(whole, N_("an expectation names a list and at least one of: {kinds}"), kinds=kinds)
        check("knobs" not in one, N_("an expectation has “knobs”, but a list under other knobs is another list"), LISTS)
        for name in one.keys() - {*KINDS, "list", "doc"}:
            check(False, N_("“{name}” is no expectation; known are: {kinds}"), name=name, kinds=kinds)
        for name in spoken_of(one):
            known = ", ".join(lists)
            check(name in lists, N_("“{name}” is no list of this lesson: {names}"), LISTS, name=name, names=known)
    return Lesson(corpus=file.parent.name, **{**table, "lists": lists})


def spoken_of(expectation: Mapping[str, Any]) -> list[str]:
    """The lists that an expectation speaks of."""
    found = (expectation[key] for key in NAMES_A_LIST if key in expectation)
    return [str(value[0]) if isinstance(value, list) and value else str(value) for value in found]


# ------------------------------------------------------------------------------------------------- check


def _at(rank: int | None) -> Said:
    return Said("is not in the list") if rank is None else Said("is at rank {rank}", rank=rank)


def _known(doc_id: str, corpus: Corpus) -> Document:
    document = corpus.get(doc_id)
    if document is None:
        remedy = Said("Name an existing document in the expectation.")
        raise CorpusError(Said("{corpus} has no document “{id}”.", corpus=corpus.name, id=doc_id), remedy)
    return document


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
        return _known(doc_id, self.collection.corpus)

    def before(self, other: int | None) -> bool:
        """Whether the document is in the list, at a better rank than this one, which may be absent."""
        return self.rank is not None and (other is None or self.rank < other)

    def result(self, passed: bool, wanted: Said) -> Result:
        """Whether it passed, and the document's place as what was found."""
        told = {"list": self.name, "doc": self.doc, "found": _at(self.rank), "wanted": wanted}
        return Result(passed, Said("{list}: {doc} {found}; expected: {wanted}.", **told))

    def expect_rank(self, value: int) -> Result:
        """``rank = 1``: the document has this rank."""
        return self.result(self.rank == value, Said("rank {rank}", rank=value))

    def expect_max_rank(self, value: int) -> Result:
        """``max_rank = 3``: the document is among the first three."""
        return self.result(self.before(value + 1), Said("rank {rank} or better", rank=value))

    def expect_min_rank(self, value: int) -> Result:
        """``min_rank = 4``: the document is not among the first three; it may be absent."""
        return self.result(not self.before(value), Said("rank {rank} or worse", rank=value))

    def expect_absent(self, value: bool) -> Result:
        """``absent = true``: the document is not in the list (``false``: it is)."""
        return self.result((self.rank is None) == value, Said("not in the list") if value else Said("in the list"))

    def expect_above(self, value: str) -> Result:
        """``above = "d7"``: the document stands above this other one, which may be absent."""
        other = self.ranking.rank(self.known(value).id)
        return self.result(self.before(other), Said("above {other}, which {found}", other=value, found=_at(other)))

    def expect_ties(self, value: str) -> Result:
        """``ties = "d7"``: the document and this other one have the same score (to within rounding)."""
        a, b = (hit.score if hit else None for hit in (self.hit, self.ranking.hit(self.known(value).id)))
        passed = a is not None and b is not None and abs(a - b) <= 1e-9 * max(1, abs(a))
        scores = Said("{a} against {b}", a=a and round(a, 6), b=b and round(b, 6))
        return self.result(passed, Said("the score of {other} ({scores})", other=value, scores=scores))

    def expect_better_than(self, value: str) -> Result:
        """``better_than = "vector"``: the document is nearer to the top here than in this other list."""
        other = self.lists(value).rank(self.doc)
        wanted = Said("a better rank than in {list}, where it {found}", list=value, found=_at(other))
        return self.result(self.before(other), wanted)

    def expect_matched(self, value: Sequence[str]) -> Result:
        """``matched = ["leave"]``: these are among the addends of the document's score; ``[]``: it has none."""
        found = [c.source for c in self.hit.why] if self.hit else []
        passed = set(value) <= set(found) if value else not found
        wanted = Said("addends {wanted}, found {found}", wanted=", ".join(value) or "–", found=", ".join(found) or "–")
        return self.result(passed, wanted)

    def expect_top(self, value: Sequence[str]) -> Result:
        """``top = ["d3", "d9"]``: the list begins with exactly these documents, in this order."""
        found = self.ranking.ids[: len(value)]
        told = {"list": self.name, "found": ", ".join(found) or "–", "wanted": ", ".join(value)}
        passed = found == [self.known(doc).id for doc in value]
        return Result(passed, Said("{list} begins with {found}; expected: {wanted}.", **told))

    def expect_empty(self, value: bool) -> Result:
        """``empty = true``: the list has no document at all (``false``: it has some)."""
        told = {"list": self.name, "n": len(self.ranking), "wanted": Said("none") if value else Said("some")}
        return Result((told["n"] == 0) == value, Said("{list} has {n} documents; expected: {wanted}.", **told))

    def expect_at_most(self, value: int) -> Result:
        """``at_most = 3``: the list has three documents or fewer, however many were asked for."""
        told = {"list": self.name, "n": len(self.ranking), "most": value}
        return Result(len(self.ranking) <= value, Said("{list} has {n} documents; expected: {most} at most.", **told))

    def expect_mean_above(self, value: str) -> Result:
        """``mean_above = "plain"``: over all judged questions the mean nDCG@10 is higher than in that other list."""
        mine, other = self.scores(self.name).means[MEASURE], self.scores(value).means[MEASURE]
        told = {"list": self.name, "mine": f"{mine:.3f}", "than": value, "other": f"{other:.3f}"}
        return Result(mine > other, Said("{list} has a mean of {mine}; expected: above {than}, {other}.", **told))

    def expect_hurts(self, value: Sequence[Any]) -> Result:
        """``hurts = ["plain", 0.3]``: three in ten judged questions (or more) are worse than in that other list."""
        other, share = value
        away = compare(self.scores(str(other)), self.scores(self.name), MEASURE)
        told = {"list": self.name, "worse": away.worse, "n": len(away), "than": other, "least": f"{100 * share:.0f}"}
        said = N_("{list}: {worse} of {n} questions are worse than in {than}; expected: {least} in 100 or more.")
        return Result(away.worse >= share * len(away), Said(said, **told))

    def expect_chance(self, value: Sequence[Any]) -> Result:
        """``chance = ["plain", 20]``: over the first 20 judged questions it leads that other list by 0.03 or more, and
        that may be chance (the paired t-test has p > 0.05)."""
        other, n = value
        away = compare(self.scores(str(other)), self.scores(self.name), MEASURE)
        few = Difference(away.first, away.second, MEASURE, dict(list(away.away.items())[: int(n)]))
        p = 1.0 if few.p is None else few.p
        told = {"list": self.name, "than": other, "n": n, "lead": f"{few.mean:+.3f}", "p": f"{p:.2f}"}
        said = N_("{list} leads {than} by {lead} over {n} questions, p = {p}; expected: a lead that may be chance.")
        return Result(few.mean >= 0.03 and p > 0.05, Said(said, **told))

    def expect_judged_below(self, value: float) -> Result:
        """``judged_below = 0.4``: of the first ten hits over all judged questions a smaller share is judged."""
        share = self.scores(self.name).means[JUDGED]
        told = {"list": self.name, "share": f"{share:.2f}", "most": value}
        return Result(
            share < value, Said("{list}: {share} of the first ten are judged; expected: below {most}.", **told)
        )

    def expect_luck(self, value: Sequence[Any]) -> Result:
        """``luck = [30, "k1=1,2,4", "b=0,0.5"]``: over the first 30 judged questions the best of these settings leads
        this list by 0.015 or more where it was chosen, and by a third of that at most where it was not."""
        n, *knobs = value
        axes = dict(str(knob).split("=") for knob in knobs)
        swept = sweep(self.search, self.collection, axes, measure=MEASURE, limit=int(n))
        there, here = swept.repeated or (0.0, 0.0)
        told = {"list": self.name, "n": len(swept.points), "there": f"{there:+.3f}", "here": f"{here:+.3f}"}
        said = N_(
            "{list}: the best of {n} settings leads by {there} where it was chosen and by {here} where it was not; "
            "expected: luck, for the most part."
        )
        return Result(there >= 0.015 and here <= there / 3, Said(said, **told))

    def expect_kappa_below(self, value: Sequence[Any]) -> Result:
        """``kappa_below = ["ann", "ben", 0.2]``: these raters of the lesson give the same grade to three in four
        passages or more, and yet kappa is below 0.2."""
        one, other, most = value
        both = self.graded.agreement(str(one), str(other))
        passed = both.kappa is not None and both.kappa < most and both.equal >= 0.75 * len(both.pairs)
        told = {"told": both.told(), "most": most}
        return Result(passed, Said("{told} Expected: much alike, and kappa below {most}.", **told))

    def expect_attention_above(self, value: str) -> Result:
        """``attention_above = "reversed"``: the document stands at a place that counts more than in that other list.

        What a place counts is the illustrative curve of `lab.refine.reorder.attention`, at its default shape.
        """

        def at(ranking: Ranking) -> float:
            rank = ranking.rank(self.known(self.doc).id)
            return 0.0 if rank is None else float(attention(len(ranking))[rank - 1])

        mine, other = at(self.ranking), at(self.lists(value))
        numbers = {"a": round(mine, 3), "b": round(other, 3)}
        return self.result(mine > other, Said("more attention than in {list} ({a} against {b})", list=value, **numbers))

    def expect_holds(self, value: str) -> Result:
        """``holds = "within 90 days"``: the document's text, as it is in this list, has these words."""
        passed = self.hit is not None and value in self.hit.document.text
        return self.result(passed, Said("text with “{text}”", text=value))

    def expect_lacks(self, value: str) -> Result:
        """``lacks = "within 90 days"``: the document is in the list, but its text there has lost these words."""
        lost = self.hit is not None and value not in self.hit.document.text
        passed = lost and value in self.known(self.doc).text
        return self.result(passed, Said("text that has lost “{text}”", text=value))

    # ------------------------------------------------------ what is answered from a list that ends in a `Context`

    def answered(self, extract: Extractive = EXTRACT) -> Extracted:
        """The extractive answer from this list's passages."""
        return extract.answer(self.ranking.query, self.sent, self.collection.corpus)

    @property
    def sent(self) -> tuple[Document, ...]:
        """The passages of the list, best first."""
        told = self.ranking.evidence
        return told.by_rank if isinstance(told, Sent) else tuple(hit.document for hit in self.ranking.hits)

    def _cited(self, rule: str, sentence: str) -> tuple[CitationRule, Cited]:
        """A rule and what it says of one sentence beside these passages."""
        made = formats.build(rule)
        if not isinstance(made, CitationRule):
            raise UnknownName(Said("“{text}” is no rule of citation.", text=rule), Said("Write BestSentence()."))
        return made, made.cite([sentence], self.sent, self.collection.corpus)[0]

    def expect_answers(self, value: str) -> Result:
        """``answers = "14 days"``: a sentence that is taken from the document for the answer has these words."""
        told, doc = self.answered(), self.known(self.doc)
        found = [s.text for s in told.sentences if told.passages[s.place.passage].id == doc.id]
        passed = told.says and any(value in text for text in found)
        said = N_("{list}: the answer takes “{found}” from {doc}; expected: “{value}”.")
        return Result(passed, Said(said, list=self.name, found=" ".join(found) or "–", doc=doc.id, value=value))

    def expect_says(self, value: Sequence[Any]) -> Result:
        """``says = ["Extractive(limit=2)", false]``: so asked, the passages do not say (``true``: they do)."""
        expression, wanted = value
        extract = formats.build(str(expression))
        if not isinstance(extract, Extractive):
            raise UnknownName(Said("“{text}” is no {kind}.", text=expression, kind="Extractive"), EXTRACTIVE)
        told = self.answered(extract)
        values = {"list": self.name, "reached": f"{told.reached:.2f}", "limit": f"{told.limit:.2f}"}
        said = N_("{list}: the best sentence reaches {reached} of {limit}; expected: {wanted}.")
        return Result(told.says == wanted, Said(said, wanted=Said("an answer") if wanted else Said("none"), **values))

    def expect_cites(self, value: Sequence[Any]) -> Result:
        """``cites = ["BestSentence()", "It takes 14 days.", 1]``: for this sentence the rule cites so many passages."""
        rule, text, wanted = value
        found = len(self._cited(str(rule), str(text))[1].sources)
        told = {"list": self.name, "rule": rule, "n": found, "wanted": wanted}
        return Result(found == wanted, Said("{list}: {rule} cites {n} passages; expected: {wanted}.", **told))

    def expect_carries(self, value: Sequence[str]) -> Result:
        """``carries = ["BestSentence()", "It takes 14 days."]``: the document is the first that is cited for it."""
        rule, text = value
        sources = self._cited(rule, text)[1].sources
        found = self.sent[sources[0].place.passage].id if sources else "–"
        told = {"list": self.name, "rule": rule, "found": found, "wanted": self.known(self.doc).id}
        return Result(found == told["wanted"], Said("{list}: {rule} cites {found}; expected: {wanted}.", **told))

    def expect_flags(self, value: Sequence[str]) -> Result:
        """``flags = ["It takes 14 days.", "14 days"]``: of this sentence these words stand in no cited passage."""
        text, wanted = value
        cited = self._cited("BestSentence()", text)[1]
        (cell,) = Faithfulness().rate([cited], self.sent).cells
        found = [flag.text for flag in cell.flags]
        told = {"list": self.name, "found": ", ".join(found) or "–", "wanted": wanted}
        return Result(wanted in found, Said("{list}: {found} stand in no source; expected: {wanted}.", **told))

    def expect_saved(self, value: str) -> Result:
        """``saved = "14 days"``: the first round's answer lacks these words, the last round's has them."""
        search, context = self.search, Context()
        if isinstance(search, Pipeline) and search.refine and isinstance(last := search.refine[-1], Context):
            search, context = replace(search, refine=search.refine[:-1]), last
        rounds = AskAgain()(
            Runner(self.collection.corpus), search, self.ranking.query, context=context, extract=Extractive()
        )
        first, end = (" ".join(s.text for s in r.answer.sentences) for r in (rounds[0], rounds[-1]))
        told = {"list": self.name, "n": len(rounds), "first": first or "–", "last": end or "–"}
        said = N_("{list}: “{first}”, after {n} rounds “{last}”; expected: only then “{wanted}”.")
        return Result(value in end and value not in first, Said(said, wanted=value, **told))


KINDS = [name.removeprefix("expect_") for name in vars(Case) if name.startswith("expect_")]
"""What can be expected."""


def check(lesson: Lesson, collection: Collection) -> tuple[Result, ...]:
    """What became of every expectation of this lesson on this collection, in order.

    Nothing is raised for an expectation that fails or that cannot be carried out (an unknown list or document, a
    model that is not there): its result is not passed, and says why.
    """
    lists, results = partial(lesson.ranking, runner=lesson.runner(collection.corpus)), list[Result]()

    @cache
    def scores(name: str) -> Scores:
        run = run_many({name: lesson.lists[name]}, collection.corpus, collection.judged)[name]
        return measure_run(run, collection.qrels, (MEASURE, JUDGED))

    for table in lesson.expect:
        name = table.get("list", "?")
        try:
            ranking, doc = lists(name), table.get("doc", lesson.select)
            graded = lesson.judgments(collection.corpus).on(collection.corpus)
            case = Case(name, lesson.lists[name], ranking, doc, lists, collection, graded, scores)
            results += [getattr(case, f"expect_{key}")(value) for key, value in table.items() if key in KINDS]
        except LabError as error:
            results.append(Result(False, Said("{list}: {error}", list=name, error=str(error))))
    return tuple(results)
