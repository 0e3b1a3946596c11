"""Lessons on a visitor's own documents: the claim is looked for in them, or it is said what it would need.

A form (``forms.toml``) knows two lists, and what can be seen where a document stands well in the one and badly in the
other.  Of the questions that the corpus can be asked (`lab.explain.questions`) the one is taken that shows it best.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from lab import catalog, formats
from lab.algebra import Progress, Runner, Searcher
from lab.corpus.beir import Collection
from lab.explain.questions import suggest_questions
from lab.lessons.checking import answered
from lab.lessons.reading import spoken_of
from lab.lessons.values import Lesson, Step, known
from lab.text import sentences
from lab.words import LANGUAGES

QUESTIONS = 12
"""So many questions of a corpus are tried."""
Texts = Mapping[str, str]


@dataclass(frozen=True)
class Form:
    """What a lesson claims of a document in the lists ``high`` and ``low``: see ``forms.toml``."""

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
    only_gone: bool = False
    low_only: bool = False
    knobs: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Missing:
    """A form that nothing of the corpus shows: its title, and what it would need, by language."""

    id: str
    title: Texts = field(hash=False)
    needs: Texts = field(hash=False)


@dataclass(frozen=True)
class _Case:
    """A question that shows what a form claims, the document, the sentences, and how well it shows it."""

    question: str
    doc: str
    steps: tuple[Step, ...]
    gain: float


@cache
def forms() -> tuple[Form, ...]:
    """All forms, in the order of the file."""
    tables = tomllib.loads(Path(__file__).with_name("forms.toml").read_text("utf-8"))["form"]
    return tuple(map(_form, tables))


def _form(table: Mapping[str, Any]) -> Form:
    searches = {name: formats.parse(table[name]) for name in ("high", "low") if name in table}
    knobs = catalog.present_knobs(table["page"], table.get("knobs", {}))
    return Form(**{**table, **searches, "knobs": knobs})


def of_corpus(page: str, collection: Collection, progress: Progress | None = None) -> tuple[Lesson | Missing, ...]:
    """What this corpus shows of the forms of a page: a lesson on its documents, or what it lacks.

    A form of the kind "judged" only asks for judgments: it is left out as soon as a question has some.
    """
    mine = [form for form in forms() if form.page == page and not (form.kind == "judged" and collection.judged)]
    runner = Runner(collection.corpus, progress=progress)  # the evidence tells what a context holds
    questions = suggest_questions(collection, QUESTIONS) if any(form.low for form in mine) else ()
    return tuple(_made(form, collection, questions, runner) for form in mine)


def _made(form: Form, collection: Collection, questions: Sequence[str], runner: Runner) -> Lesson | Missing:
    cases = (case for question in questions for case in CASES[form.kind](form, question, runner))
    case = max(cases, key=lambda case: case.gain, default=None)
    if case is None:
        needs = {lang: form.needs[lang].format(n=len(questions)) for lang in LANGUAGES}
        return Missing(form.id, form.title, needs)
    lists = {"first": form.high, "then": form.low}
    spoken = {name for step in case.steps for one in step.expect for name in spoken_of(one)}
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


def _places(form: Form, question: str, runner: Runner) -> Iterator[_Case]:
    """The documents of this question's lists that stand further down in the second, or are not in it."""
    assert form.high is not None
    assert form.low is not None
    deep = max(1, len(runner.corpus))
    high, low = runner(form.high, question, deep), runner(form.low, question, deep)
    for rank, hit in enumerate(high.hits[: form.reach], 1):
        doc, found = hit.document, low.rank(hit.document.id)
        if found is None:
            gain = max(form.least, len(low) + 1 - rank) if form.gone and low.hits else 0
        else:
            gain = 0 if form.only_gone else found - rank
        if gain < (1 if form.only_gone else form.least):
            continue
        seen: dict[str, object] = {"title": doc.label, "high": rank, "low": found}
        below: dict[str, object] = {"absent": True} if found is None else {"rank": found}
        under = _step(form.gone if found is None else form.then, {"list": "then", **below}, seen)
        above = () if form.low_only else (_step(form.first, {"list": "first", "rank": rank}, seen),)
        yield _Case(question, doc.id, (*above, under), gain - rank * deep)


def _answers(form: Form, question: str, runner: Runner) -> Iterator[_Case]:
    """The best sentence of the extractive answer, where the passages say."""
    assert form.low is not None
    ranking = runner(form.low, question, max(1, len(runner.corpus)))
    answer = answered(ranking)
    if answer.says and answer.sentences:
        best = max(answer.sentences, key=lambda sentence: sentence.score)
        doc = answer.passages[best.place.passage]
        step = _step(form.first, {"list": "then", "answers": best.text}, {"title": doc.label}, at="answers")
        yield _Case(question, doc.id, (step,), answer.reached - answer.limit)


def _lost(form: Form, question: str, runner: Runner) -> Iterator[_Case]:
    """The first passage that is shorter, with the first sentence that it has lost."""
    assert form.low is not None
    ranking = runner(form.low, question, max(1, len(runner.corpus)))
    candidates = next(ranking.lineage())  # the page draws a card for each of them
    for hit in ranking.hits:
        whole = known(hit.document.id, runner.corpus).text
        for start, end in sentences(whole):
            text = whole[start:end].strip()
            if text and text not in hit.document.text:
                at = f"card-{candidates.rank(hit.document.id)}"
                step = _step(form.first, {"list": "then", "lacks": text}, {"title": hit.document.label}, at=at)
                yield _Case(question, hit.document.id, (step,), hit.score)
                return


CASES: Mapping[str, Callable[[Form, str, Runner], Iterator[_Case]]] = {
    "places": _places,
    "answers": _answers,
    "lost": _lost,
    "judged": lambda _form, _question, _runner: iter(()),
}
"""What a form looks for."""
