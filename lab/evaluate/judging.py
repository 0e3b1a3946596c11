"""Judgments by hand: pools, raters and their agreement, qrels in and out, and grades that survive another chunking.

A grade belongs to a question, a rater, and a place, a range of characters of an original document.  It applies to the
passage that contains its place, whatever the passages are called.  Sources: K. Spärck Jones, C. van Rijsbergen, *Report
on the need for and provision of an "ideal" information retrieval test collection*, 1975 (pooling); J. Cohen, *Weighted
kappa*, 1968, doi:10.1037/h0026256.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from lab.algebra import Corpus, Document, Query, Ranking, counted, from_json, must, within
from lab.corpus.beir import Collection
from lab.errors import EvaluationError
from lab.reading import ratings
from lab.reading.judgments import HEADER, judgments
from lab.reading.ratings import question_id, same
from lab.text import well_formed
from lab.words import N_, Said

HIGHEST = 3
"""Grades go from 0, not relevant, to this, the answer."""
QUOTE = 40
"""Characters quoted from the middle of a passage, to check that a place still has the judged text."""
AUTOMATIC = "auto:"
"""How the name of a rater begins that is a model or a rule; a person's name cannot begin like this (`person`)."""
LONGEST_QUESTION, LONGEST_RATER = 10_000, 1000
"""Characters of a question, as on the pages, and of a rater's name."""
LONGEST = 10**9
"""Maximum number of characters of a document."""


class Place(NamedTuple):
    """Characters ``start`` to ``end`` of the text of the original document with this id."""

    origin: str
    start: int
    end: int

    @property
    def middle(self) -> int:
        """The position that a passage must contain to be the one at this place."""
        return (self.start + self.end) // 2


def place(document: Document) -> Place:
    """Returns the place of a passage: in the document that it was cut from, or in itself."""
    origin, start = document.metadata.get("parent"), document.metadata.get("start")
    if "chunk" in document.metadata and isinstance(origin, str) and type(start) is int and 0 <= start < LONGEST:
        return Place(well_formed(origin), start, start + len(document.text))
    return Place(well_formed(document.id), 0, len(document.text))


def is_automatic(rater: str) -> bool:
    return rater.startswith(AUTOMATIC)


def person(name: str) -> str:
    """Returns a rater name as a person may have it: without the beginning that marks models and rules."""
    name = name.strip()
    while is_automatic(name):
        name = name.removeprefix(AUTOMATIC).strip()
    return name


@dataclass(frozen=True)
class Judgment:
    """The grade that a rater gave to a passage for a question; None withdraws an earlier one.

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
        short = len(self.question) <= LONGEST_QUESTION and len(self.rater) <= LONGEST_RATER
        must(short, N_("The question or the rater of a judgment is longer than any real one."))
        counted("start", self.place.start, 0)
        counted("end", self.place.end, self.place.start)
        within("end", self.place.end, 0, 2 * LONGEST)
        if self.grade is not None:
            counted("grade", self.grade, -1)
            within("grade", self.grade, -1, 1000)

    @property
    def key(self) -> tuple[str, str, Place]:
        """The key by which a later judgment replaces this one."""
        return same(self.question), self.rater, self.place


@dataclass(frozen=True)
class Judgments:
    """Every click in its order; the last one about a passage counts."""

    history: tuple[Judgment, ...] = ()

    def __len__(self) -> int:
        return len(self.current)

    @cached_property
    def current(self) -> Mapping[tuple[str, str, Place], Judgment]:
        """The grades in force, by question, rater and place."""
        last = {j.key: j for j in self.history}
        return MappingProxyType({key: j for key, j in last.items() if j.grade is not None})

    @property
    def raters(self) -> tuple[str, ...]:
        """The names of the raters, in the order of their first grade."""
        return tuple(dict.fromkeys(j.rater for j in self.current.values()))

    @cached_property
    def people(self) -> Judgments:
        return Judgments(tuple(j for j in self.history if not is_automatic(j.rater)))

    @cached_property
    def automatic(self) -> Judgments:
        return Judgments(tuple(j for j in self.history if is_automatic(j.rater)))

    def given(self, question: str, document: Document, grade: int | None, rater: str = "") -> Judgments:
        """Returns the judgments with one more grade; None withdraws it.  Raises `ParameterError` if out of range."""
        spot = place(document)
        at = max(0, spot.middle - spot.start - QUOTE // 2)
        quote = well_formed(document.text[at : at + QUOTE])
        judgment = Judgment(well_formed(question), spot, quote, grade, well_formed(rater))
        return Judgments((*self.history, judgment))

    def without(self, rater: str) -> Judgments:
        return Judgments(tuple(j for j in self.history if j.rater != rater))

    def joined(self, others: Judgments) -> Judgments:
        """Returns these judgments and then ``others``, which count as later."""
        return Judgments(self.history + others.history)

    def carried(self, corpus: Corpus) -> tuple[Judgment, ...]:
        """Returns the judgments of passages of other documents, which apply to passages here with the same words."""
        if not self.current:
            return ()
        by_origin = corpus.once(("places",), lambda: _places(corpus))
        others = (j for j in self.current.values() if j.place.origin not in by_origin)
        return tuple(j for j in others if _passage(j, by_origin, corpus) is not None)

    def without_carried(self, corpus: Corpus) -> Judgments:
        """Returns the judgments of passages of this corpus's own documents."""
        left_out = {j.key for j in self.carried(corpus)}
        return Judgments(tuple(j for j in self.history if j.key not in left_out)) if left_out else self

    def on(self, corpus: Corpus) -> Placed:
        """Returns the grades of this corpus's passages, and the judgments without a passage in it."""
        return _placed(self, corpus)

    # ---------------------------------------------------------------------------------------------- files

    def to_jsonl(self) -> str:
        """Returns every click as a line of JSON, so that nothing is lost."""
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
        """Returns a rater's grades for this question, by passage id."""
        return self.grades.get(rater, {}).get(same(question), {})

    def together(self, rater: str | None = None) -> dict[str, dict[str, int]]:
        """Returns grades by question and passage: one rater's, or the median of all (rounded up between two)."""
        given_grades: dict[str, dict[str, list[int]]] = {}
        for name, by_question in self.grades.items():
            for question, grades in by_question.items() if rater in (None, name) else ():
                for doc, grade in grades.items():
                    given_grades.setdefault(question, {}).setdefault(doc, []).append(grade)
        return {
            q: {d: math.ceil(statistics.median(g)) for d, g in by_question.items()}
            for q, by_question in given_grades.items()
        }

    def agreement(self, first: str, other: str) -> Agreement:
        """Returns the agreement of two raters on the passages that both have judged."""
        pairs = {
            (question, doc): (grade, self.of(question, other)[doc])
            for question, grades in self.grades.get(first, {}).items()
            for doc, grade in grades.items()
            if doc in self.of(question, other)
        }
        return Agreement(first, other, MappingProxyType(pairs))

    def group(self, raters: Sequence[str]) -> GroupAgreement:
        """Returns the agreement of these raters, every two of them."""
        pairs = (self.agreement(a, b) for a, b in itertools.combinations(raters, 2))
        return GroupAgreement(tuple(agreement for agreement in pairs if agreement.pairs))


@dataclass(frozen=True)
class Agreement:
    """The grades of two raters for the passages that both have judged, by (question, passage id)."""

    one: str
    other: str
    pairs: Mapping[tuple[str, str], tuple[int, int]]

    @cached_property
    def table(self) -> Mapping[tuple[int, int], int]:
        """How many passages have each pair of grades (of the one, of the other)."""
        return MappingProxyType(dict(Counter(self.pairs.values())))

    @property
    def grades(self) -> tuple[int, ...]:
        """The grades that one of the two has given, from the lowest."""
        return tuple(sorted({grade for pair in self.pairs.values() for grade in pair}))

    @property
    def lenience(self) -> float:
        """By how much the other's grades are higher than the one's, on average; 0 without a passage in common."""
        return sum(b - a for a, b in self.pairs.values()) / max(1, len(self.pairs))

    def kappa_of(self, grade: int) -> float | None:
        """Cohen's kappa of one grade against all others; None if both give it to every passage or to none."""
        n = len(self.pairs)
        both = sum(a == b == grade for a, b in self.pairs.values())
        ones, others = (sum(pair[i] == grade for pair in self.pairs.values()) for i in (0, 1))
        # whole numbers, as in `kappa`: 2 (n both - ones others) / (n ones + n others - 2 ones others)
        chance = n * (ones + others) - 2 * ones * others
        return 2 * (n * both - ones * others) / chance if chance else None

    @property
    def equal(self) -> int:
        """How many grades are equal."""
        return sum(a == b for a, b in self.pairs.values())

    @property
    def apart(self) -> tuple[tuple[str, str], ...]:
        """The (question, passage id) of unequal grades, the largest difference first."""
        return tuple(sorted((k for k, (a, b) in self.pairs.items() if a != b), key=lambda k: -_gap(self.pairs[k])))

    @cached_property
    def kappa(self) -> float | None:
        """Cohen's kappa with quadratic weights; None if it is not defined: nothing in common, or one grade for all.

        1 - sum (a - b)^2 over the observed pairs / the same sum expected by chance.  The weights are of the
        grades, so that 0 against 3 weighs nine times 0 against 1, whichever grades occur.
        """
        n, pairs = len(self.pairs), self.pairs.values()
        observed = n * sum((a - b) ** 2 for a, b in pairs)
        # every grade of the one against every grade of the other; whole numbers, so that nothing is rounded
        chance = n * sum(a * a + b * b for a, b in pairs) - 2 * sum(a for a, _ in pairs) * sum(b for _, b in pairs)
        return (chance - observed) / chance if chance else None

    def told(self) -> Said:
        """Describes the agreement in a sentence."""
        n, names = len(self.pairs), {"one": self.one, "other": self.other, "n": len(self.pairs), "equal": self.equal}
        if not n:
            return Said("{one} and {other} have not judged any passage in common.", **names)
        if self.kappa is None:
            return Said("{one} and {other} gave every passage the same grade ({n}): kappa is not defined.", **names)
        word = kappa_word(self.kappa)
        message = N_("Grades on which {one} and {other} agree: {equal} of {n}; kappa is {kappa}: {word}.")
        return Said(message, kappa=f"{self.kappa:.2f}", word=word, **names)


def _gap(pair: tuple[int, int]) -> int:
    return abs(pair[0] - pair[1])


@dataclass(frozen=True)
class GroupAgreement:
    """The agreement of several raters: of every two who have judged passages in common."""

    agreements: tuple[Agreement, ...]

    @cached_property
    def kappas(self) -> tuple[float, ...]:
        """The kappa of every two raters for whom it is defined, from low to high."""
        return tuple(sorted(a.kappa for a in self.agreements if a.kappa is not None))

    @property
    def equal(self) -> tuple[int, int]:
        """How many of the grades that two raters gave to the same passage are equal, and how many there are."""
        return sum(a.equal for a in self.agreements), sum(len(a.pairs) for a in self.agreements)

    def told(self) -> tuple[Said, ...]:
        """Describes the agreement in sentences."""
        equal, n = self.equal
        if not n:
            return (Said("No passage has been judged by two raters yet."),)
        numbers = {"pairs": len(self.agreements), "equal": equal, "n": n, "share": f"{100 * equal / n:.0f}"}
        both = Said("Equal grades where two raters judged the same passage: {equal} of {n} ({share}%).", **numbers)
        if not self.kappas:
            return both, Said("Kappa is not defined for any two of them: each two gave one grade only.")
        median, low, high = statistics.median(self.kappas), self.kappas[0], self.kappas[-1]
        message = N_("Kappa of every two raters, median: {median} ({word}); lowest {low}, highest {high}.")
        shown = {"median": f"{median:.2f}", "word": kappa_word(median), "low": f"{low:.2f}", "high": f"{high:.2f}"}
        return both, Said(message, **shown)


def kappa_word(kappa: float) -> Said:
    """Returns the label of Landis and Koch (1977, doi:10.2307/2529310) for a kappa."""
    steps = (
        (0.0, Said("no better than chance")),
        (0.2, Said("slight")),
        (0.4, Said("fair")),
        (0.6, Said("moderate")),
        (0.8, Said("substantial")),
    )
    return next((word for high, word in steps if kappa <= high), Said("almost perfect"))


# ------------------------------------------------------------------------------------------ places in a corpus


def _placed(judgments: Judgments, corpus: Corpus) -> Placed:
    by_origin: dict[str, list[tuple[Place, Document]]] = {}
    if judgments.current:
        by_origin = corpus.once(("places",), lambda: _places(corpus))
    grades: dict[str, dict[str, dict[str, int]]] = {}
    unplaced = []
    for (question, rater, _), j in judgments.current.items():
        document = _passage(j, by_origin, corpus)
        if document is None or j.grade is None:
            unplaced.append(j)
            continue
        placed = grades.setdefault(rater, {}).setdefault(question, {})
        placed[document.id] = max(j.grade, placed.get(document.id, j.grade))  # the highest grade counts
    return Placed(grades, tuple(unplaced))


def _places(corpus: Corpus) -> dict[str, list[tuple[Place, Document]]]:
    places: dict[str, list[tuple[Place, Document]]] = {}
    for document in corpus:
        spot = place(document)
        places.setdefault(spot.origin, []).append((spot, document))
    return places


def _passage(j: Judgment, by_origin: Mapping[str, list[tuple[Place, Document]]], corpus: Corpus) -> Document | None:
    """Returns the passage with the middle of the place; if the text has changed, the one with the quote."""

    def fit(spot: Place) -> tuple[bool, bool, int]:
        holds_middle = spot.start <= j.place.middle < spot.end
        return spot == j.place, holds_middle, min(spot.end, j.place.end) - max(spot.start, j.place.start)

    passages = by_origin.get(j.place.origin, ())
    readable = [(fit(spot), i) for i, (spot, d) in enumerate(passages) if _reads(j, spot, d)]
    if readable:  # the middle may be whitespace between two passages: then the one with more of the place
        return passages[max(readable, key=lambda x: (x[0], -x[1]))[1]][1]
    if not j.quote.strip():
        return None
    near = [d for _, d in passages if j.quote in d.text]
    return near[0] if near else next((d for d in corpus if j.quote in d.text), None)


def _reads(j: Judgment, spot: Place, document: Document) -> bool:
    """Whether the passage has the quote at its old position, or the part of it that the passage covers."""
    at = max(j.place.start, j.place.middle - QUOTE // 2)
    begin, end = max(at, spot.start), min(at + len(j.quote), spot.end)
    if not j.quote:
        return spot == j.place
    text = well_formed(document.text[begin - spot.start : end - spot.start])
    return end > begin and text == j.quote[begin - at : end - at]


# ------------------------------------------------------------------------------------------------ pools and qrels


def pool(rankings: Iterable[Ranking], k: int, *, seed: int | str = 0) -> tuple[Document, ...]:
    """Returns the first ``k`` of every ranking, each once and shuffled, so that a rater cannot see its list or rank."""
    documents_by_id = {hit.document.id: hit.document for ranking in rankings for hit in ranking.hits[:k]}
    documents = sorted(documents_by_id.values(), key=lambda d: d.id)
    random.Random(seed).shuffle(documents)
    return tuple(documents)


def with_judgments(
    collection: Collection, judgments: Judgments, rater: str | None = None, *, only_new: bool = False
) -> Collection:
    """The collection with these grades in its judgments, where they come before its own.

    Questions that it does not have are added.  ``only_new``: pairs that have a grade keep it.
    """
    grades_by_question = judgments.on(collection.corpus).together(rater)
    if not grades_by_question:
        return collection
    spellings = {same(j.question): j.question for j in judgments.current.values()}
    queries, qrels = list(collection.queries), {q: dict(grades) for q, grades in collection.qrels.items()}
    ids = {same(q.text): q.id for q in reversed(queries)}
    for question, grades in grades_by_question.items():
        if question not in ids:
            ids[question] = question_id(question, [q.id for q in queries])
            queries.append(Query(" ".join(spellings[question].split()), id=ids[question]))
        before = qrels.setdefault(ids[question], {})
        before.update({doc: grade for doc, grade in grades.items() if not (only_new and doc in before)})
    return replace(collection, queries=tuple(queries), qrels=qrels)


def qrels_text(qrels: Mapping[str, Mapping[str, int]], *, beir_layout: bool = False, on_blank: str = "") -> str:
    """Judgments as a file: TREC's ``query 0 document grade``, or BEIR's three columns with their header.

    Whitespace in an id is written as ``on_blank``.  Raises `EvaluationError` if that is empty, and, for BEIR, if the
    whitespace is a tab or a line break.
    """

    def word(identity: str) -> str:
        cells = identity.split("\t") if beir_layout else identity.split()
        written = on_blank.join(cells) if on_blank else identity
        if cells != [identity] and not on_blank or "\n" in written or "\r" in written or not written:
            message = Said("The id “{id}” contains whitespace, which this file cannot hold.", id=identity)
            raise EvaluationError(message, Said("Rename it in the corpus or the queries."))
        return written

    head = "\t".join(HEADER) + "\n" if beir_layout else ""
    form = "{}\t{}\t{}\n" if beir_layout else "{} 0 {} {}\n"
    rows = ((word(q), word(d), grade) for q, grades in qrels.items() for d, grade in grades.items())
    return head + "".join(form.format(*row) for row in rows)


def read_qrels(text: str, collection: Collection, rater: str) -> tuple[Judgments, tuple[tuple[str, str], ...]]:
    """Reads a file in TREC's or BEIR's columns as a rater's judgments; also returns the (query, document) unknown here.

    Raises `EvaluationError` for the first line that cannot be read.
    """
    lines = [(n, line) for n, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1) if line.strip()]
    grades_by_query = judgments(lines, _stop) if lines else {}
    questions = {q.id: q.text for q in collection.queries}
    given = ((query, questions.get(query), grades) for query, grades in grades_by_query.items())
    return _given(given, collection.corpus, rater)


def read_rated(text: str, collection: Collection, rater: str) -> tuple[Judgments, tuple[tuple[str, str], ...], Said]:
    """Reads ratings of Quepid or OpenSearch as a rater's judgments (see `lab.reading.ratings`).

    Also returns the (question, document) whose document is unknown here, and what was done to the ratings.  Raises
    `EvaluationError` for the first row that cannot be read.
    """
    rated = ratings.read(text, _stop)
    texts = {q.id: q.text for q in collection.queries}  # a column of ids
    named = ((query.text, texts.get(query.text, query.text), rated.qrels.get(query.id, {})) for query in rated.queries)
    return *_given(named, collection.corpus, rater), rated.remark


def _given(
    rows: Iterable[tuple[str, str | None, Mapping[str, int]]], corpus: Corpus, rater: str
) -> tuple[Judgments, tuple[tuple[str, str], ...]]:
    """Returns a rater's judgments, from every question's name, text and grades, and the pairs that are unknown here."""
    history, unknown = list[Judgment](), list[tuple[str, str]]()
    for name, question, grades in rows:
        for doc, grade in grades.items():
            document = corpus.get(doc)
            if document is None or question is None:
                unknown.append((name, doc))
            else:
                history += Judgments().given(question, document, grade, rater).history
    return Judgments(tuple(history)), tuple(unknown)


def _stop(number: int, message: str, remedy: str) -> None:
    raise EvaluationError(Said("Line {line}: {what}", line=number, what=message), remedy)


def unjudged(collection: Collection) -> tuple[Query, ...]:
    """The questions for which nothing has been judged."""
    return tuple(q for q in collection.queries if not collection.qrels.get(q.id))


def queries_text(queries: Sequence[Query]) -> str:
    rows = ({"_id": q.id, "text": q.text} | ({"metadata": dict(q.metadata)} if q.metadata else {}) for q in queries)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
