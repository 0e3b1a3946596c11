"""The data of a lesson: sentences that are performed one after the other, and the lists that they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from lab import formats
from lab.algebra import Corpus, Document, Query, Ranking, Runner, Searcher, Turn
from lab.corpus import samples
from lab.errors import CorpusError, UnknownName
from lab.evaluate.judging import Judgments
from lab.words import LANGUAGES, Said


def _frozen(value: Any, *names: str) -> None:
    for name in names:
        object.__setattr__(value, name, MappingProxyType(dict(getattr(value, name))))


@dataclass(frozen=True)
class Step:
    """A sentence of a lesson (or a few), and how it is performed.

    ``text`` is keyed by language.  ``knobs`` are the widgets of the page that the sentence moves, ``select`` the
    document that it opens.  ``expect`` are tables as in the file; a list shows what they expect, or else the part
    of the page that is called ``at``.
    """

    text: Mapping[str, str] = field(hash=False)
    expect: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    knobs: Mapping[str, Any] = field(default_factory=dict, hash=False)
    select: str = ""
    at: str = ""

    def __post_init__(self) -> None:
        _frozen(self, "text", "knobs")
        object.__setattr__(self, "expect", tuple(MappingProxyType(dict(e)) for e in self.expect))


@dataclass(frozen=True)
class Lesson:
    """One lesson.  ``title`` is keyed by language; ``knobs`` are the widgets that it begins with."""

    id: str
    page: str
    title: Mapping[str, str] = field(hash=False)
    steps: tuple[Step, ...]
    corpus: str
    query: str
    turns: tuple[str, ...] = ()
    knobs: Mapping[str, Any] = field(default_factory=dict, hash=False)
    select: str = ""
    lists: Mapping[str, Searcher] = field(default_factory=dict, hash=False)
    grades: Mapping[str, Mapping[str, int]] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        _frozen(self, "title", "knobs", "grades")
        object.__setattr__(self, "lists", MappingProxyType(self.lists))
        object.__setattr__(self, "steps", tuple(self.steps))
        object.__setattr__(self, "turns", tuple(self.turns))

    @property
    def claim(self) -> dict[str, str]:
        return {lang: ("" if lang == "zh" else " ").join(step.text[lang] for step in self.steps) for lang in LANGUAGES}

    @property
    def expect(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(expectation for step in self.steps for expectation in step.expect)

    def knobs_at(self, step: int) -> dict[str, Any]:
        """Returns the widgets of the page when this sentence (counted from 0) is performed."""
        knobs = dict(self.knobs)
        for previous in self.steps[: step + 1]:
            knobs |= previous.knobs
        return knobs

    def select_at(self, step: int) -> str:
        """Returns the document that this sentence opens: its own, or the first that it names."""
        docs = [str(expectation.get("doc", "")) for expectation in self.steps[step].expect]
        return self.meant_at(step) if self.steps[step].select or not all(docs) or not docs else docs[0]

    def meant_at(self, step: int) -> str:
        """Returns the document of this sentence's expectations that do not name one."""
        return self.steps[step].select or self.select

    def ranking(self, name: str, runner: Runner) -> Ranking:
        """Returns the list of this name on the runner's corpus.  Raises `UnknownName`, and the errors of its search."""
        if name not in self.lists:
            known = Said("Valid names: {names}.", names=[*self.lists] or "–")
            raise UnknownName(Said("There is no list “{name}”.", name=name), known)
        query, deep = Query(self.query), max(1, len(runner.corpus))
        for text in self.turns:  # each turn shows the results of this very list
            shown_ids = runner(self.lists[name], Query(text, turns=query.turns), deep).ids
            query = replace(query, turns=(*query.turns, Turn(text, shown=tuple(shown_ids))))
        return runner(self.lists[name], query, deep)

    def runner(self, corpus: Corpus) -> Runner:
        """Returns the runner of its lists on this corpus; routes lead to the sample corpora that they name."""
        sample_names = [name for name in formats.collections(self.lists.values()) if name in samples.every_name()]
        return Runner(corpus, others={name: samples.load(name).corpus for name in sample_names if name != corpus.name})

    def judgments(self, corpus: Corpus) -> Judgments:
        """Returns the grades of the lesson's raters for passages of this corpus, for its question."""
        judged = Judgments()
        for rater, grades_of_rater in self.grades.items():
            for doc, grade in grades_of_rater.items():
                judged = judged.given(self.query, known(doc, corpus), grade, rater)
        return judged


def known(doc_id: str, corpus: Corpus) -> Document:
    """Returns a document of the corpus.  Raises `CorpusError` if the lesson names one that no longer exists."""
    document = corpus.get(doc_id)
    if document is None:
        remedy = Said("Name an existing document in the expectation.")
        raise CorpusError(Said("{corpus} has no document “{id}”.", corpus=corpus.name, id=doc_id), remedy)
    return document
