"""The health of a question set: what it can tell of searches, and what it gives away.

A question on which every search is at the maximum, or every search at 0, cannot tell them apart; a mean over many such
questions hides the others.  And a question that was written from a passage has that passage's words: searches by words
look better on it than on what people ask.

A question without an answer on another topic is easily refused, one on the topic is not: it is near to the corpus if
its most similar passage is at least as similar as that of nine in ten answerable questions.

Sources: T. Sakai, *Laboratory Experiments in Information Retrieval*, 2018,
doi:10.1007/978-981-13-1199-4, chapter 1; N. Thakur et al., *BEIR*, 2021, arXiv:2104.08663 (lexical bias of questions).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean
from typing import Any, NamedTuple

import numpy as np

from lab.algebra import Query, Runner
from lab.corpus.beir import Collection
from lab.evaluate.runs import Run
from lab.evaluate.significance import SAME
from lab.retrieve.vector import Vector
from lab.text import Analyzer
from lab.words import N_, Said

ALL_TYPES = ""
"""The type that stands for all questions."""
LEAKING = 0.7
"""Mean share of words in common from which on questions look as if they were written from their passages."""
_WORDS = Analyzer(stem="snowball", bigrams=False, characters=False, questions=True)


FAR = 10
"""Percentile of the answerable questions' similarities below which a question is far from the corpus."""


class Health(NamedTuple):
    """Of the questions of a type, how many are at the maximum, and at 0, for every search.

    ``shared`` is the mean share of a question's words that its best document has, ``judged`` the lowest share of
    judged results of a search within the cutoff of the measure.
    """

    type: str
    questions: int
    top: int
    zero: int
    equal: int
    """Questions between the two that have the same value for every search."""
    shared: float
    judged: float

    @property
    def apart(self) -> int:
        """The number of questions on which searches differ."""
        return self.questions - self.top - self.zero - self.equal

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values."""
        return {**self._asdict(), "apart": self.apart}


def health(
    collection: Collection,
    values: Mapping[str, Mapping[str, float]],
    judged: Mapping[str, Mapping[str, float]],
    types: Mapping[str, tuple[str, ...]],
) -> tuple[Health, ...]:
    """Returns the health of all questions, then of each type, from a measure by search and question."""
    asked = list(next(iter(values.values())))
    shared = {q.id: shared_words(collection, q.id, q.text) for q in collection.queries if q.id in set(asked)}

    def row(name: str, ids: list[str]) -> Health:
        by_question = [[by_id[q] for by_id in values.values()] for q in ids]
        top = sum(min(row) >= 1 - SAME for row in by_question)
        zero = sum(max(row) <= SAME for row in by_question)
        same = sum(max(row) - min(row) <= SAME for row in by_question)
        lowest = min(mean(by_id[q] for q in ids) for by_id in judged.values())
        return Health(name, len(ids), top, zero, same - top - zero, mean(shared[q] for q in ids), lowest)

    rows = [(ALL_TYPES, asked), *((name, [q for q in ids if q in shared]) for name, ids in types.items())]
    return tuple(row(name, ids) for name, ids in rows if ids)


def shared_words(collection: Collection, query_id: str, text: str) -> float:
    """Returns the share of a question's words that the best of its relevant documents has."""
    words = set(_WORDS.for_query(text).tokens(text))
    documents = filter(None, (collection.corpus.get(d) for d in collection.relevant(query_id)))
    found = [len(words & set(_WORDS.tokens(d.content))) for d in documents]
    return max(found, default=0) / max(1, len(words))


def describe_chunks(run: Run, collection: Collection, ids: Iterable[str]) -> Said | None:
    """Says that results of a run are chunks of documents, which no judgment of a document counts; None if none is."""
    known = collection.corpus.get
    chunks = [d for q in ids for d, _ in run.results.get(q, ()) if not known(d) and known(d.rpartition("#")[0])]
    if not chunks:
        return None
    message = N_(
        "{run}: results that are chunks of documents: {n}, the first: {id}. The judgments are of documents, so chunks "
        "count as not relevant. Add Lift() to the search: it aggregates chunks to their documents."
    )
    return Said(message, run=run.name, n=len(chunks), id=chunks[0])


def describe_health(whole: Health, searches: int, measure: str) -> tuple[Said, ...]:
    """Says that the questions cannot tell the searches apart, or look as if they were written from their passages."""
    sentences = []
    figures = {"measure": measure, "n": whole.questions, "top": whole.top, "zero": whole.zero}
    if searches > 1 and not whole.apart:
        message = N_(
            "These questions cannot tell the searches apart: {measure} is the same for all of them on every question, "
            "the maximum on {top} of {n} and 0 on {zero}."
        )
        sentences.append(Said(message, **figures))
    elif searches == 1 and whole.top == whole.questions:
        message = N_("{measure} is at its maximum on every question ({n}): no search can be better on these questions.")
        sentences.append(Said(message, **figures))
    if whole.shared >= LEAKING:
        message = N_(
            "On average, {shared} of a question's words are in its relevant document: questions that were written from "
            "the passages favour search by words."
        )
        sentences.append(Said(message, shared=f"{whole.shared:.0%}"))
    return tuple(sentences)


def near(collection: Collection, queries: Sequence[Query]) -> tuple[Query, ...]:
    """Returns those questions that are as near to the corpus as nine in ten of its answerable ones."""
    runner, vector = Runner(collection.corpus, explain=False), Vector()

    def similarity(query: Query) -> float:
        return max((hit.score for hit in runner(vector, query, 1).hits), default=-1.0)

    if not queries or not collection.judged:
        return tuple(queries)
    least = float(np.percentile([similarity(q) for q in collection.judged], FAR))
    return tuple(q for q in queries if similarity(q) >= least)


def describe_near(n: int, total: int) -> Said:
    """Returns a sentence on how many of the questions without an answer are near to the corpus."""
    if not n:
        return Said("All are far from the topics of the corpus: questions on its topics are harder to refuse.")
    return Said("Near to the topics of the corpus: {near}; far from them: {far}.", near=n, far=total - n)
