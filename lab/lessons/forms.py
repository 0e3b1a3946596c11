"""Lessons on a visitor's own documents: a document that shows the claim is searched, or its absence is explained.

A form (``forms.toml``) has two lists, and a claim about a document with a good rank in the one and a bad rank in the
other.  Its questions are those whose right passage is known (`lab.explain.questions.known_items`): the passage that
asks or has this heading, or the judged ones.  The question that shows the claim best is used.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from lab import catalog, formats
from lab.algebra import Hit, Progress, Runner, Searcher
from lab.corpus.beir import Collection
from lab.corpus.statistics import EMPTY
from lab.explain.questions import known_items
from lab.lessons.checking import answered
from lab.lessons.reading import spoken_of
from lab.lessons.values import Lesson, Step, known
from lab.refine.diversity import Replay
from lab.retrieve.lexical import BM25
from lab.text import QUESTIONS, fold
from lab.text.borders import QUESTION_MARKS, sentences
from lab.words import LANGUAGES

TRIED = 20
"""Number of questions of each kind to try."""
ALIKE = 0.8
"""Passages resemble each other from this cosine on."""
Texts = Mapping[str, str]


@dataclass(frozen=True)
class Form:
    """The claim of a lesson about a document in the lists ``high`` and ``low``: see ``forms.toml``.

    ``any`` document shows it if relevance plays no part in the claim; else only one that is right for the question.
    ``below``: no right document is among so many of ``low``.  ``both_ways``: its rank may also be better in ``low``.
    """

    id: str
    page: str
    title: Texts = field(hash=False)
    needs: Texts = field(hash=False)
    kind: str = "places"
    high: Searcher | None = None
    low: Searcher | None = None
    first: Texts = field(default_factory=dict, hash=False)
    then: Texts = field(default_factory=dict, hash=False)
    gone: Texts = field(default_factory=dict, hash=False)
    reach: int = 3
    least: int = 3
    below: int = 0
    any: bool = False
    both_ways: bool = False
    only_gone: bool = False
    low_only: bool = False
    knobs: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Missing:
    """A form that no document of the corpus shows: its title, and what is missing, by language."""

    id: str
    title: Texts = field(hash=False)
    needs: Texts = field(hash=False)


@dataclass(frozen=True)
class _Known:
    """A question, and the ids of the documents that are right for it."""

    text: str
    right: frozenset[str]


@dataclass(frozen=True)
class _Case:
    """A question that shows the claim of a form, the document, the sentences, and how well it shows it."""

    question: str
    doc: str
    steps: tuple[Step, ...]
    gain: float


@cache
def forms() -> tuple[Form, ...]:
    tables = tomllib.loads(Path(__file__).with_name("forms.toml").read_text("utf-8"))["form"]
    return tuple(map(_form, tables))


def _form(table: Mapping[str, Any]) -> Form:
    searches = {name: formats.parse(table[name]) for name in ("high", "low") if name in table}
    knobs = catalog.present_knobs(table["page"], table.get("knobs", {}))
    return Form(**{**table, **searches, "knobs": knobs})


def of_corpus(page: str, collection: Collection, progress: Progress | None = None) -> tuple[Lesson | Missing, ...]:
    """Returns, for each form of a page, a lesson on the documents of this corpus, or what is missing.

    A form of the kind "judged" only asks for judgments: it is left out as soon as a question has some.
    """
    forms_of_page = [
        form for form in forms() if form.page == page and not (form.kind == "judged" and collection.judged)
    ]
    runner = Runner(collection.corpus, progress=progress)  # the evidence has the passages of a context
    kinds = known_items(collection, TRIED) if any(form.low for form in forms_of_page) else ()
    questions = [[_Known(text, right) for text, right in items.items()] for items in kinds]
    return tuple(_find_case(form, collection, questions, runner) for form in forms_of_page)


def _find_case(
    form: Form, collection: Collection, questions: Sequence[Sequence[_Known]], runner: Runner
) -> Lesson | Missing:
    case: _Case | None = None
    for kind in questions:  # words of a passage only where no question or heading shows it
        cases = (case for question in kind for case in CASES[form.kind](form, question, runner))
        case = case or max(cases, key=lambda case: case.gain, default=None)
    if case is None:
        needs = {lang: form.needs[lang].format(n=sum(map(len, questions))) for lang in LANGUAGES}
        return Missing(form.id, form.title, needs)
    lists = {"first": form.high, "then": form.low}
    spoken = {name for step in case.steps for expectation in step.expect for name in spoken_of(expectation)}
    used = {name: search for name, search in lists.items() if name in spoken and search is not None}
    return Lesson(
        form.id,
        form.page,
        form.title,
        case.steps,
        collection.corpus.name,
        case.question,
        knobs=form.knobs,
        select=case.doc,
        lists=used,
    )


def _step(texts: Texts, expectation: Mapping[str, Any], seen: Mapping[str, object], *, at: str = "") -> Step:
    return Step({lang: texts[lang].format(**seen) for lang in LANGUAGES}, (expectation,), at=at)


def _places(form: Form, question: _Known, runner: Runner) -> Iterator[_Case]:
    """Yields the documents of this question's first list that rank lower in the second, or are not in it."""
    assert form.high is not None
    assert form.low is not None
    deep = max(1, len(runner.corpus))
    high, low = (runner(search, question.text, deep) for search in (form.high, form.low))
    if form.below and question.right & set(low.ids[: form.below]):
        return
    for rank, hit in enumerate(high.hits[: form.reach], 1):
        doc, low_rank = hit.document, low.rank(hit.document.id)
        if not (form.any or doc.id in question.right) or not _has_a_topic(hit):
            continue
        if low_rank is None:
            gain = max(form.least, len(low) + 1 - rank) if form.gone and low.hits else 0
        elif form.only_gone:
            gain = 0
        else:
            gain = abs(low_rank - rank) if form.both_ways else low_rank - rank
        if gain < (1 if form.only_gone else form.least):
            continue
        seen: dict[str, object] = {"title": doc.label, "high": rank, "low": low_rank}
        below: dict[str, object] = {"absent": True} if low_rank is None else {"rank": low_rank}
        under = _step(form.gone if low_rank is None else form.then, {"list": "then", **below}, seen)
        above = () if form.low_only else (_step(form.first, {"list": "first", "rank": rank}, seen),)
        yield _Case(question.text, doc.id, (*above, under), gain if form.both_ways else gain - rank * deep)


def _has_a_topic(hit: Hit) -> bool:
    """Whether a result has more in common with the question than words without a topic, as far as its score says."""
    sources = {fold(str(component.source)) for component in hit.why}
    return not sources or not sources <= _without_topic()


@cache
def _without_topic() -> frozenset[str]:
    """Returns the terms of words without a topic, by themselves and by their stems."""
    words = (
        EMPTY
        | QUESTIONS
        | frozenset(ascii_lowercase)
        | frozenset("的了和是在有与及或也都就不为对中等这那到把被从吗呢之其")
    )
    return words | {term for word in words for term in BM25().analyzer.tokens(word)}


def _repeated(form: Form, question: _Known, runner: Runner) -> Iterator[_Case]:
    """Yields the passages of the first list that MMR leaves out and that resemble one of its picks."""
    assert form.high is not None
    assert form.low is not None
    high, low = (runner(search, question.text, max(1, len(runner.corpus))) for search in (form.high, form.low))
    replay = low.evidence
    if not isinstance(replay, Replay):
        return
    places = {document.id: i for i, document in enumerate(replay.documents)}
    for rank, hit in enumerate(high.hits[: form.reach], 1):
        doc = hit.document
        if low.rank(doc.id) is not None or doc.id not in places or doc.id in question.right:
            continue
        lost = replay.offer(len(replay.rows) - 1, places[doc.id])
        if lost.blocker is not None and lost.redundancy >= ALIKE:
            seen = {"title": doc.label, "high": rank, "other": lost.blocker.label, "cosine": f"{lost.redundancy:.2f}"}
            above = _step(form.first, {"list": "first", "rank": rank}, seen)
            under = _step(form.gone, {"list": "then", "absent": True, "blocked_by": lost.blocker.id}, seen)
            yield _Case(question.text, doc.id, (above, under), lost.redundancy)


def _answers(form: Form, question: _Known, runner: Runner) -> Iterator[_Case]:
    """Yields the best sentence of the extractive answer, if a passage that is right for the question answers."""
    assert form.low is not None
    ranking = runner(form.low, question.text, max(1, len(runner.corpus)))
    answer = answered(ranking)
    if answer.says and answer.sentences:
        best = max(answer.sentences, key=lambda sentence: sentence.score)
        doc = answer.passages[best.place.passage]
        if doc.id in question.right and not best.text.rstrip().endswith(tuple(QUESTION_MARKS)):
            step = _step(form.first, {"list": "then", "answers": best.text}, {"title": doc.label}, at="answers")
            yield _Case(question.text, doc.id, (step,), answer.reached - answer.limit)


def _shortened(form: Form, question: _Known, runner: Runner) -> Iterator[_Case]:
    """Yields the first passage that is shorter, with the first sentence that it has lost."""
    assert form.low is not None
    ranking = runner(form.low, question.text, max(1, len(runner.corpus)))
    candidates = next(ranking.lineage())  # the page draws a card for each of them
    for hit in ranking.hits:
        whole = known(hit.document.id, runner.corpus).text
        for start, end in sentences(whole):
            text = whole[start:end].strip()
            if text and text not in hit.document.text:
                at = f"card-{candidates.rank(hit.document.id)}"
                step = _step(form.first, {"list": "then", "lacks": text}, {"title": hit.document.label}, at=at)
                yield _Case(question.text, hit.document.id, (step,), hit.score)
                return


CASES: Mapping[str, Callable[[Form, _Known, Runner], Iterator[_Case]]] = {
    "places": _places,
    "repeated": _repeated,
    "answers": _answers,
    "lost": _shortened,
    "judged": lambda _form, _question, _runner: iter(()),
}
"""The search for each kind of claim."""
