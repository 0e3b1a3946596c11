"""What a class does together on this page: clicks on interleaved lists, or grades for pooled passages.

Members are known by the tokens of their browsers; nothing here names anybody.
"""

from __future__ import annotations

import random
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from lab.algebra import Corpus, Document
from lab.evaluate.interleaving import Clicks, Drafted, Impression, Places, differ, draft, exchanged
from lab.evaluate.judging import HIGHEST, Judgments

MOST = 20
"""Maximum number of questions of a poll."""
CLICK, EXCHANGE, END = range(3)
"""The phases of a poll: clicking, clicking again after the first two results are exchanged, and the end."""


@dataclass(frozen=True)
class Asked:
    """A question of a class, with the first results of both searches."""

    text: str
    first: tuple[Document, ...]
    second: tuple[Document, ...]

    @property
    def ids(self) -> tuple[list[str], list[str]]:
        """The documents of both lists by their ids."""
        return [d.id for d in self.first], [d.id for d in self.second]

    @property
    def differs(self) -> bool:
        """Whether there is something to choose."""
        a, b = self.ids
        return differ(a, b, k=max(len(a), len(b), 1))

    @property
    def documents(self) -> dict[str, Document]:
        """The documents of both lists by their ids."""
        return {d.id: d for d in (*self.first, *self.second)}


def dealt(seed: str, token: str, n: int, each: int) -> tuple[int, ...]:
    """Returns the questions of a browser: ``each`` of ``n``, in an order of its own, always the same ones."""
    return tuple(random.Random(f"{seed}/{token}").sample(range(n), min(each, n)))


class Poll:
    """Clicks of a class on interleaved lists; every browser has its own coins, and clicks count in their phase only."""

    def __init__(
        self, names: tuple[str, str], questions: Sequence[Asked], *, each: int, k: int, seed: str = ""
    ) -> None:
        self.names, self.questions, self.each, self.k = names, tuple(questions)[:MOST], each, k
        self.phase = CLICK
        self._seed = seed or secrets.token_hex(8)
        self._clicks: tuple[dict[tuple[str, int], set[str]], ...] = ({}, {})
        """By browser and question the documents clicked, before and after the exchange; empty: seen only."""
        self._hits: dict[tuple[str, int], tuple[Drafted, ...]] = {}
        self._lock = threading.Lock()

    def questions_of(self, token: str) -> tuple[int, ...]:
        """Returns the questions of this browser, by their positions."""
        return dealt(self._seed, token, len(self.questions), self.each)

    def hits(self, token: str, at: int, phase: int = CLICK) -> tuple[Drafted, ...]:
        """Returns the list that this browser sees for a question."""
        hits = self._hits.get((token, at))
        if hits is None:
            rng = random.Random(f"{self._seed}/{token}/{at}")
            hits = self._hits[token, at] = draft(*self.questions[at].ids, lambda: rng.random() < 0.5, k=self.k)
        return hits if phase == CLICK else exchanged(hits)

    def _counts(self, token: str, at: int, phase: int) -> bool:
        """Returns whether this browser's clicks on a question in this phase count now."""
        return phase == self.phase != END and at in self.questions_of(token)

    def see(self, token: str, at: int) -> None:
        """Notes that this browser shows a question now."""
        with self._lock:
            if self._counts(token, at, self.phase):
                self._clicks[self.phase].setdefault((token, at), set())

    def click(self, token: str, at: int, doc: str, phase: int) -> None:
        """Counts a click on a result, or takes it back; one that comes after its phase does not count."""
        with self._lock:
            if self._counts(token, at, phase) and any(doc == hit.doc for hit in self.hits(token, at)):
                self._clicks[phase].setdefault((token, at), set()).symmetric_difference_update({doc})

    def clicked(self, token: str, at: int) -> frozenset[str]:
        """Returns what this browser has clicked for a question in the present phase."""
        phase = min(self.phase, EXCHANGE)
        return frozenset(self._clicks[phase].get((token, at), ()))

    def go(self, phase: int) -> None:
        """Begins another phase; there is no way back, or clicks would count twice."""
        with self._lock:
            self.phase = max(self.phase, phase)

    def clicks(self, phase: int = CLICK) -> Clicks:
        """Returns the clicks so far, before or after the exchange."""
        with self._lock:
            seen = [(token, at, frozenset(docs)) for (token, at), docs in self._clicks[phase].items()]
        return Clicks(tuple(Impression(t, str(at), self.hits(t, at, phase), docs) for t, at, docs in seen))

    def places(self) -> Places:
        """Returns the clicks on the first two results before and after they were exchanged."""
        return Places.of(self.clicks(CLICK), self.clicks(EXCHANGE))


class Grading:
    """Grades of a class for pooled passages: every browser gets a few pairs of question and passage."""

    def __init__(self, questions: Sequence[Asked], *, each: int, seed: str = "") -> None:
        self.pairs = [(asked.text, d) for asked in tuple(questions)[:MOST] for d in asked.documents.values()]
        self.each, self.phase = min(each, len(self.pairs)), CLICK
        self.corpus = Corpus("pool", tuple({d.id: d for _text, d in self.pairs}.values()))
        random.Random(seed or secrets.token_hex(8)).shuffle(self.pairs)
        self._first: dict[str, int] = {}
        self._grades: dict[tuple[str, int], int] = {}
        self._lock = threading.Lock()

    def pairs_of(self, token: str) -> tuple[int, ...]:
        """Returns the pairs of this browser, by their positions.

        The next browser continues where the one before has stopped, so that all pairs get the same number of raters, or
        one more.
        """
        with self._lock:
            first = self._first.setdefault(token, len(self._first) * self.each)
        return tuple((first + i) % len(self.pairs) for i in range(self.each))

    def grade(self, token: str, at: int, grade: int) -> None:
        """Records a grade instead of this browser's earlier one; after the end it does not count."""
        if self.phase != END and at in self.pairs_of(token) and 0 <= grade <= HIGHEST:
            with self._lock:
                self._grades[token, at] = grade

    def grades_of(self, token: str) -> dict[int, int]:
        """Returns the grades of this browser, by the positions of the pairs."""
        with self._lock:
            return {at: grade for (t, at), grade in self._grades.items() if t == token}

    def go(self, phase: int) -> None:
        with self._lock:
            self.phase = max(self.phase, phase)

    def __len__(self) -> int:
        return len(self._grades)

    def judgments(self) -> Judgments:
        """Returns all grades; raters are numbered in the order of their arrival."""
        with self._lock:
            numbers = {token: n for n, token in enumerate(self._first, 1)}
            grades = list(self._grades.items())
        given = (
            Judgments().given(*self.pairs[at], grade, f"student {numbers[token]}") for (token, at), grade in grades
        )
        return Judgments(tuple(judgment for judgments in given for judgment in judgments.history))


Task = Poll | Grading
