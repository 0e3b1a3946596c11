"""Judgments by hand: pools, raters and their agreement, qrels in and out, and what becomes of a grade when documents
are cut anew.

A grade belongs to a question, a rater, and a place: so many characters of an original document.  It follows to the
passage that holds its place, whatever the passages are called.  Sources: K. Spärck Jones, C. van Rijsbergen, *Report on
the need for and provision of an "ideal" information retrieval test collection*, 1975 (pooling); J. Cohen, *Weighted
kappa*, 1968.
"""

from __future__ import annotations

import json
import math
import random
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from lab.algebra import Corpus, Document, Query, Ranking, counted, from_json, must, within
from lab.corpus.beir import Collection
from lab.errors import EvaluationError
from lab.reading.judgments import HEADER, judgments
from lab.text import well_formed
from lab.words import N_, Said

HIGHEST = 3
"""Grades go from 0, not relevant, to this, the answer."""
QUOTE = 40
"""So many characters in the middle of a passage say whether a place still holds what was judged."""
LONGEST = 10**9
"""Maximum number of characters of a document."""


class Place(NamedTuple):
    """Characters ``start`` to ``end`` of the text of the original document with this id."""

    origin: str
    start: int
    end: int

    @property
    def middle(self) -> int:
        """What a passage must hold to be that of this place."""
        return (self.start + self.end) // 2


def place(document: Document) -> Place:
    """Where a passage stands: in the document that it was cut from, or in itself."""
    origin, start = document.metadata.get("parent"), document.metadata.get("start")
    if "chunk" in document.metadata and isinstance(origin, str) and type(start) is int and 0 <= start < LONGEST:
        return Place(well_formed(origin), start, start + len(document.text))
    return Place(well_formed(document.id), 0, len(document.text))


def same(question: str) -> str:
    """A question as it is compared: blanks and case do not count."""
    return " ".join(question.split()).casefold()


@dataclass(frozen=True)
class Judgment:
    """The grade that a rater gave to a passage for a question; None takes an earlier one back.

    Raises `ParameterError` if a field is of another type or out of range.
    """

    question: str
    place: Place
    quote: str
    grade: int | None
    rater: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", Place(*self.place))
        texts = (self.question, self.place.origin, self.quote, self.rater)
        readable = all(isinstance(text, str) and well_formed(text) == text for text in texts)
        must(readable, N_("The question, document id, quote and rater of a judgment must be texts in UTF-8."))
        must(bool(self.question.strip()), N_("A judgment needs a question."))
        counted("start", self.place.start, 0)
        counted("end", self.place.end, self.place.start)
        within("end", self.place.end, 0, 2 * LONGEST)
        if self.grade is not None:
            counted("grade", self.grade, -1)
            within("grade", self.grade, -1, 1000)

    @property
    def key(self) -> tuple[str, str, Place]:
        """What a later judgment replaces."""
        return same(self.question), self.rater, self.place


@dataclass(frozen=True)
class Judgments:
    """Every click in its order; the last one about a passage counts."""

    history: tuple[Judgment, ...] = ()

    def __len__(self) -> int:
        return len(self.current)

    @cached_property
    def current(self) -> Mapping[tuple[str, str, Place], Judgment]:
        """What counts, by question, rater and place."""
        last = {j.key: j for j in self.history}
        return MappingProxyType({key: j for key, j in last.items() if j.grade is not None})

    @property
    def raters(self) -> tuple[str, ...]:
        """Who has judged, in the order of their first grade."""
        return tuple(dict.fromkeys(j.rater for j in self.current.values()))

    def given(self, question: str, document: Document, grade: int | None, rater: str = "") -> Judgments:
        """With one more grade; None takes it back.  Raises `ParameterError` for a grade out of range."""
        spot = place(document)
        at = max(0, spot.middle - spot.start - QUOTE // 2)
        quote = well_formed(document.text[at : at + QUOTE])
        judgment = Judgment(well_formed(question), spot, quote, grade, well_formed(rater))
        return Judgments((*self.history, judgment))

    def undone(self, rater: str = "") -> Judgments:
        """Without the last click of this rater."""
        for i in range(len(self.history) - 1, -1, -1):
            if self.history[i].rater == rater:
                return Judgments(self.history[:i] + self.history[i + 1 :])
        return self

    def without(self, rater: str) -> Judgments:
        """Without everything of this rater."""
        return Judgments(tuple(j for j in self.history if j.rater != rater))

    def joined(self, others: Judgments) -> Judgments:
        """With those of others, which count as the later ones."""
        return Judgments(self.history + others.history)

    def on(self, corpus: Corpus) -> Placed:
        """The grades of this corpus's passages, and what has no place there."""
        return _placed(self, corpus)

    # ---------------------------------------------------------------------------------------------- files

    def to_jsonl(self) -> str:
        """Every click as a line of JSON: nothing is lost."""
        return "".join(json.dumps(asdict(j), ensure_ascii=False) + "\n" for j in self.history)

    @staticmethod
    def from_jsonl(text: str) -> Judgments:
        """Returns the judgments that `to_jsonl` wrote.  Raises `EvaluationError`, which names the line."""
        judgments, unreadable = Judgments.readable(text)
        if unreadable:
            message = Said("Line {line} is not a judgment.", line=unreadable[0])
            raise EvaluationError(message, Said("Give a file that the lab has written."))
        return judgments

    @staticmethod
    def readable(text: str) -> tuple[Judgments, tuple[int, ...]]:
        """Returns the judgments of a file, and the numbers (from 1) of its unreadable lines."""
        history, unreadable = list[Judgment](), list[int]()
        for number, line in enumerate(text.split("\n"), 1):  # a quote may contain the line ends of Unicode
            if line.strip():
                try:
                    history.append(_judgment(line))
                except (ValueError, TypeError, KeyError):
                    unreadable.append(number)
        return Judgments(tuple(history)), tuple(unreadable)


def _judgment(line: str) -> Judgment:
    """Returns the judgment in a line.  Raises ValueError (such as `ParameterError`), TypeError or KeyError."""
    fields = from_json(line)
    if not isinstance(fields["place"], list):
        raise TypeError("place")
    return Judgment(**fields)


@dataclass(frozen=True)
class Placed:
    """Grades by rater, question (as `same` writes it) and passage id; ``lost`` are those without a passage here."""

    grades: Mapping[str, Mapping[str, Mapping[str, int]]]
    lost: tuple[Judgment, ...]

    def of(self, question: str, rater: str) -> Mapping[str, int]:
        """What a rater gave to the passages for this question."""
        return self.grades.get(rater, {}).get(same(question), {})

    def together(self, rater: str | None = None) -> dict[str, dict[str, int]]:
        """By question and passage, a rater's grade, or of all raters the median (between two of them, rounded up)."""
        told: dict[str, dict[str, list[int]]] = {}
        for name, own in self.grades.items():
            for question, grades in own.items() if rater in (None, name) else ():
                for doc, grade in grades.items():
                    told.setdefault(question, {}).setdefault(doc, []).append(grade)
        return {q: {d: math.ceil(statistics.median(g)) for d, g in own.items()} for q, own in told.items()}

    def agreement(self, one: str, other: str) -> Agreement:
        """How far two raters agree on what both have judged."""
        pairs = {
            (question, doc): (grade, self.of(question, other)[doc])
            for question, grades in self.grades.get(one, {}).items()
            for doc, grade in grades.items()
            if doc in self.of(question, other)
        }
        return Agreement(one, other, MappingProxyType(pairs))


@dataclass(frozen=True)
class Agreement:
    """Two raters' grades, by (question, passage id), of what both have judged."""

    one: str
    other: str
    pairs: Mapping[tuple[str, str], tuple[int, int]]

    @property
    def equal(self) -> int:
        """How many grades are equal."""
        return sum(a == b for a, b in self.pairs.values())

    @property
    def apart(self) -> tuple[tuple[str, str], ...]:
        """(question, passage id) of the others, the furthest apart first."""
        return tuple(sorted((k for k, (a, b) in self.pairs.items() if a != b), key=lambda k: -_gap(self.pairs[k])))

    @cached_property
    def kappa(self) -> float | None:
        """Cohen's kappa with quadratic weights; None where it is not defined: nothing in common, one grade for all.

        1 - sum (a - b)^2 over what was given / the same sum over what chance would give.  The weights are of the
        grades, so that 0 against 3 weighs nine times 0 against 1, whichever grades occur.
        """
        n, pairs = len(self.pairs), self.pairs.values()
        given = n * sum((a - b) ** 2 for a, b in pairs)
        # every grade of the one against every grade of the other; whole numbers, so that nothing is rounded
        chance = n * sum(a * a + b * b for a, b in pairs) - 2 * sum(a for a, _ in pairs) * sum(b for _, b in pairs)
        return (chance - given) / chance if chance else None

    def told(self) -> Said:
        """What the agreement is worth, in a sentence (the steps are those of Landis and Koch, 1977)."""
        n, names = len(self.pairs), {"one": self.one, "other": self.other, "n": len(self.pairs), "equal": self.equal}
        if not n:
            return Said("{one} and {other} have not judged any passage in common.", **names)
        if self.kappa is None:
            return Said("{one} and {other} gave every passage the same grade ({n}): kappa is not defined.", **names)
        steps = (
            (0.0, Said("no better than chance")),
            (0.2, Said("slight")),
            (0.4, Said("fair")),
            (0.6, Said("moderate")),
            (0.8, Said("substantial")),
        )
        word = next((word for high, word in steps if self.kappa <= high), Said("almost perfect"))
        said = N_("Grades on which {one} and {other} agree: {equal} of {n}; kappa is {kappa}: {word}.")
        return Said(said, kappa=f"{self.kappa:.2f}", word=word, **names)


def _gap(pair: tuple[int, int]) -> int:
    return abs(pair[0] - pair[1])


# --------------------------------------------------------------------------------------------- where they stand


def _placed(judgments: Judgments, corpus: Corpus) -> Placed:
    by_origin: dict[str, list[tuple[Place, Document]]] = {}
    if judgments.current:
        by_origin = corpus.once(("places",), lambda: _places(corpus))
    grades: dict[str, dict[str, dict[str, int]]] = {}
    lost = []
    for (question, rater, _), j in judgments.current.items():
        document = _passage(j, by_origin, corpus)
        if document is None or j.grade is None:
            lost.append(j)
            continue
        own = grades.setdefault(rater, {}).setdefault(question, {})
        own[document.id] = max(j.grade, own.get(document.id, j.grade))  # what holds the answer holds it
    return Placed(grades, tuple(lost))


def _places(corpus: Corpus) -> dict[str, list[tuple[Place, Document]]]:
    out: dict[str, list[tuple[Place, Document]]] = {}
    for document in corpus:
        spot = place(document)
        out.setdefault(spot.origin, []).append((spot, document))
    return out


def _passage(j: Judgment, by_origin: Mapping[str, list[tuple[Place, Document]]], corpus: Corpus) -> Document | None:
    """The passage that holds the middle of the place; where the text has changed, the one that holds the quote."""

    def fit(spot: Place) -> tuple[bool, bool, int]:
        held = spot.start <= j.place.middle < spot.end
        return spot == j.place, held, min(spot.end, j.place.end) - max(spot.start, j.place.start)

    own = by_origin.get(j.place.origin, ())
    there = [(fit(spot), i) for i, (spot, d) in enumerate(own) if _reads(j, spot, d)]
    if there:  # the middle may be a blank between two passages: then the one with more of the place
        return own[max(there, key=lambda x: (x[0], -x[1]))[1]][1]
    if not j.quote.strip():
        return None
    near = [d for _, d in own if j.quote in d.text]
    return near[0] if near else next((d for d in corpus if j.quote in d.text), None)


def _reads(j: Judgment, spot: Place, document: Document) -> bool:
    """Whether the passage has the quote where it stood, as far as it reaches."""
    at = max(j.place.start, j.place.middle - QUOTE // 2)
    begin, end = max(at, spot.start), min(at + len(j.quote), spot.end)
    if not j.quote:
        return spot == j.place
    text = well_formed(document.text[begin - spot.start : end - spot.start])
    return end > begin and text == j.quote[begin - at : end - at]


# ------------------------------------------------------------------------------------------------ pools and qrels


def pool(rankings: Iterable[Ranking], k: int, *, seed: int | str = 0) -> tuple[Document, ...]:
    """The first ``k`` of every ranking, each once and shuffled: who judges does not see who found it, nor where."""
    found = {hit.document.id: hit.document for ranking in rankings for hit in ranking.hits[:k]}
    documents = sorted(found.values(), key=lambda d: d.id)
    random.Random(seed).shuffle(documents)
    return tuple(documents)


def with_judgments(collection: Collection, judgments: Judgments, rater: str | None = None) -> Collection:
    """The collection with these grades in its judgments, where they come before its own.

    Questions that it does not have are added.
    """
    told = judgments.on(collection.corpus).together(rater)
    if not told:
        return collection
    asked = {same(j.question): j.question for j in judgments.current.values()}
    queries, qrels = list(collection.queries), {q: dict(grades) for q, grades in collection.qrels.items()}
    ids = {same(q.text): q.id for q in reversed(queries)}
    for question, grades in told.items():
        if question not in ids:
            ids[question] = _fresh(question, {q.id for q in queries})
            queries.append(Query(" ".join(asked[question].split()), id=ids[question]))
        qrels.setdefault(ids[question], {}).update(grades)
    return replace(collection, queries=tuple(queries), qrels=qrels)


def _fresh(question: str, taken: set[str]) -> str:
    """An id for a question: its first words."""
    base = "-".join(question.split())[:40] or "q"
    return next(name for n in range(1, len(taken) + 3) if (name := base if n == 1 else f"{base}-{n}") not in taken)


def qrels_text(qrels: Mapping[str, Mapping[str, int]], *, beir_layout: bool = False, on_blank: str = "") -> str:
    """Judgments as a file: TREC's ``query 0 document grade``, or BEIR's three columns with their header.

    A blank in an id is written as ``on_blank``; where that is empty, and for BEIR where it is a tab or a line break,
    raises `EvaluationError`.
    """

    def word(identity: str) -> str:
        cells = identity.split("\t") if beir_layout else identity.split()
        told = on_blank.join(cells) if on_blank else identity
        if cells != [identity] and not on_blank or "\n" in told or "\r" in told or not told:
            said = Said("The id “{id}” contains whitespace, which this file cannot hold.", id=identity)
            raise EvaluationError(said, Said("Rename it in the corpus or the queries."))
        return told

    head = "\t".join(HEADER) + "\n" if beir_layout else ""
    form = "{}\t{}\t{}\n" if beir_layout else "{} 0 {} {}\n"
    rows = ((word(q), word(d), grade) for q, grades in qrels.items() for d, grade in grades.items())
    return head + "".join(form.format(*row) for row in rows)


def read_qrels(text: str, collection: Collection, rater: str) -> tuple[Judgments, tuple[tuple[str, str], ...]]:
    """The judgments of a file (TREC's or BEIR's columns) as those of a rater, and what names unknown ids.

    Raises `EvaluationError` for the first line that cannot be read.
    """

    def stop(number: int, message: str, remedy: str) -> None:
        raise EvaluationError(Said("Line {line}: {what}", line=number, what=message), remedy)

    lines = [(n, line) for n, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1) if line.strip()]
    told = judgments(lines, stop) if lines else {}
    questions = {q.id: q.text for q in collection.queries}
    made, unknown = Judgments(), []
    history: list[Judgment] = []
    for query, grades in told.items():
        for doc, grade in grades.items():
            document = collection.corpus.get(doc)
            if document is None or query not in questions:
                unknown.append((query, doc))
            else:
                history += made.given(questions[query], document, grade, rater).history
    return Judgments(tuple(history)), tuple(unknown)


def unjudged(collection: Collection) -> tuple[Query, ...]:
    """The questions for which nothing has been judged."""
    return tuple(q for q in collection.queries if not collection.qrels.get(q.id))


def queries_text(queries: Sequence[Query]) -> str:
    """Questions as ``queries.jsonl``."""
    rows = ({"_id": q.id, "text": q.text} | ({"metadata": dict(q.metadata)} if q.metadata else {}) for q in queries)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
