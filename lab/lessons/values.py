"""What a lesson is: sentences that are performed one after the other, and the lists that they speak of."""

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
    document that it opens.  ``expect`` are tables as in the file; what they expect is seen in a list, or in the part
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
    """One lesson.  ``title`` is keyed by language; ``knobs`` are what it begins with."""

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
        _frozen(self, "title", "knobs", "lists", "grades")
        object.__setattr__(self, "steps", tuple(self.steps))
        object.__setattr__(self, "turns", tuple(self.turns))

    @property
    def claim(self) -> dict[str, str]:
        """All of its sentences, by language."""
        return {lang: ("" if lang == "zh" else " ").join(step.text[lang] for step in self.steps) for lang in LANGUAGES}

    @property
    def expect(self) -> tuple[Mapping[str, Any], ...]:
        """Everything that it expects, in order."""
        return tuple(one for step in self.steps for one in step.expect)

    def knobs_at(self, step: int) -> dict[str, Any]:
        """The widgets of the page when this sentence (counted from 0) is performed."""
        found = dict(self.knobs)
        for one in self.steps[: step + 1]:
            found |= one.knobs
        return found

    def select_at(self, step: int) -> str:
        """The document that is opened when this sentence is performed: its own, or the first that it speaks of."""
        docs = [str(one.get("doc", "")) for one in self.steps[step].expect]
        return self.meant_at(step) if self.steps[step].select or not all(docs) or not docs else docs[0]

    def meant_at(self, step: int) -> str:
        """The document that is meant where an expectation of this sentence names none."""
        return self.steps[step].select or self.select

    def ranking(self, name: str, runner: Runner) -> Ranking:
        """The list of this name, on the runner's corpus.  Raises `UnknownName`, and whatever its search raises."""
        if name not in self.lists:
            known = Said("Valid names: {names}.", names=", ".join(self.lists) or "–")
            raise UnknownName(Said("There is no list “{name}”.", name=name), known)
        query, deep = Query(self.query), max(1, len(runner.corpus))
        for text in self.turns:  # each shows what this very list has for it
            shown = runner(self.lists[name], Query(text, turns=query.turns), deep).ids
            query = replace(query, turns=(*query.turns, Turn(text, shown=tuple(shown))))
        return runner(self.lists[name], query, deep)

    def runner(self, corpus: Corpus) -> Runner:
        """What its lists are made with on this corpus; routes lead to the sample corpora that they name."""
        named = [name for name in formats.collections(self.lists.values()) if name in samples.every_name()]
        return Runner(corpus, others={name: samples.load(name).corpus for name in named if name != corpus.name})

    def judgments(self, corpus: Corpus) -> Judgments:
        """What the lesson's raters gave to passages of this corpus, for its question."""
        told = Judgments()
        for rater, own in self.grades.items():
            for doc, grade in own.items():
                told = told.given(self.query, known(doc, corpus), grade, rater)
        return told


def known(doc_id: str, corpus: Corpus) -> Document:
    """The document, if the corpus has it.  Raises `CorpusError`: the lesson speaks of one that is gone."""
    document = corpus.get(doc_id)
    if document is None:
        remedy = Said("Name an existing document in the expectation.")
        raise CorpusError(Said("{corpus} has no document “{id}”.", corpus=corpus.name, id=doc_id), remedy)
    return document
