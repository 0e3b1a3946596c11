"""Two result lists compared by clicks: team-draft interleaving, the sign test, and what a class can show.

The readers see one list whose results were drafted from both, and a click credits the list that drafted the result.
Sources: F. Radlinski, M. Kurup, T. Joachims, *How does clickthrough data reflect retrieval quality?*, CIKM 2008,
doi:10.1145/1458082.1458092 (team draft); W. J. Dixon, A. M. Mood, *The statistical sign test*, Journal of the American
Statistical Association, 1946, doi:10.1080/01621459.1946.10501898.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lab.algebra import counted, within
from lab.evaluate.significance import ALPHA, told_p
from lab.numeric import Floats
from lab.words import N_, Said

DEPTH = 10
"""Results in an interleaved list."""
CLASSES = 2_000
"""Simulated classes per figure: a share of 0.5 has a standard error of 0.011."""


class Drafted(NamedTuple):
    """A result of an interleaved list: the document's id, and the list that drafted it (0 or 1)."""

    doc: str
    team: int


def draft(a: Sequence[str], b: Sequence[str], coin: Callable[[], bool], *, k: int = DEPTH) -> tuple[Drafted, ...]:
    """Returns the first ``k`` results of two lists of document ids, interleaved by team draft.

    The lists take turns; each adds its best document that is not in the list yet.  Whenever both have added the same
    number, ``coin`` decides which is next: true for the first.  When one list is used up, the other continues alone.
    """
    counted("k", k)
    queues = deque(dict.fromkeys(a)), deque(dict.fromkeys(b))
    drafted: dict[str, int] = {}
    sizes = [0, 0]
    while len(drafted) < k:
        for queue in queues:
            while queue and queue[0] in drafted:
                queue.popleft()
        if not queues[0] or not queues[1]:
            break
        team = int(not coin()) if sizes[0] == sizes[1] else int(sizes[1] < sizes[0])
        drafted[queues[team].popleft()] = team
        sizes[team] += 1
    for team, queue in enumerate(queues):
        for doc in queue:
            if len(drafted) < k:
                drafted.setdefault(doc, team)
    return tuple(Drafted(doc, team) for doc, team in drafted.items())


def drafts(a: Sequence[str], b: Sequence[str], *, k: int = DEPTH) -> Iterator[tuple[float, tuple[Drafted, ...]]]:
    """Yields every outcome of the coin: its probability and the interleaved list, at most 2^(k / 2) of them."""
    pending: list[tuple[bool, ...]] = [()]
    while pending:
        decided = pending.pop()
        tosses = list[bool]()

        def coin(decided: Sequence[bool] = decided, tosses: list[bool] = tosses) -> bool:
            tosses.append(len(tosses) < len(decided) and decided[len(tosses)])
            return tosses[-1]

        hits = draft(a, b, coin, k=k)
        yield 0.5 ** len(tosses), hits
        pending += [(*tosses[:i], True) for i in range(len(decided), len(tosses))]


def differ(a: Sequence[str], b: Sequence[str], *, k: int = DEPTH) -> bool:
    """Returns whether two lists have different results, or another order, among their first ``k``."""
    return list(dict.fromkeys(a))[:k] != list(dict.fromkeys(b))[:k]


def differ_in_relevant(a: Sequence[str], b: Sequence[str], relevant: Collection[str], *, k: int = DEPTH) -> bool:
    """Returns whether two lists have a relevant result at different ranks among their first ``k``, or only in one."""
    places = [{doc: rank for rank, doc in enumerate(list(dict.fromkeys(ids))[:k]) if doc in relevant} for ids in (a, b)]
    return places[0] != places[1]


def spread_over_kinds(kinds: Mapping[str, str], n: int) -> list[str]:
    """Returns at most ``n`` of these questions, in their order: equally many of each kind, evenly spread within it.

    The mapping has the kind of each question.
    """
    by_kind: dict[str, list[str]] = {}
    for question, kind in kinds.items():
        by_kind.setdefault(kind, []).append(question)
    sizes = dict.fromkeys(by_kind, 0)
    while sum(sizes.values()) < min(n, len(kinds)):
        for kind, questions in by_kind.items():
            sizes[kind] += sizes[kind] < len(questions) and sum(sizes.values()) < n
    chosen = {
        questions[len(questions) * (2 * i + 1) // (2 * sizes[kind])]
        for kind, questions in by_kind.items()
        for i in range(sizes[kind])
    }
    return [question for question in kinds if question in chosen]


def exchanged(hits: Sequence[Drafted]) -> tuple[Drafted, ...]:
    """Returns the list with its first two results exchanged; a list of fewer is unchanged."""
    return (*hits[1::-1], *hits[2:]) if len(hits) > 1 else tuple(hits)


# ------------------------------------------------------------------------------------------------------- counting


@dataclass(frozen=True)
class Impression:
    """An interleaved list that a reader saw for a question, and the documents clicked in it."""

    reader: str
    question: str
    hits: tuple[Drafted, ...]
    clicked: frozenset[str] = frozenset()

    @property
    def credit(self) -> tuple[int, int]:
        """The number of clicked results that each list has drafted."""
        teams = Counter(hit.team for hit in self.hits if hit.doc in self.clicked)
        return teams[0], teams[1]


@dataclass(frozen=True)
class Clicks:
    """The clicks of all readers on interleaved lists.

    Each reader counts once, for the list with more credit on more of their questions: one who clicks a lot, or sees
    many questions, has no more weight than another.
    """

    impressions: tuple[Impression, ...] = ()

    @cached_property
    def credit(self) -> tuple[int, int]:
        """The clicks that each list has received."""
        first, second = zip(*(i.credit for i in self.impressions), strict=True) if self.impressions else ((), ())
        return sum(first), sum(second)

    @cached_property
    def votes(self) -> Mapping[str, int]:
        """By reader who has clicked: 1 if they prefer the first list, -1 for the second, 0 if neither."""
        questions_ahead = Counter[str]()
        for impression in self.impressions:
            if impression.clicked:
                first, second = impression.credit
                questions_ahead[impression.reader] += _sign(first - second)
        return {reader: _sign(ahead) for reader, ahead in questions_ahead.items()}

    def __len__(self) -> int:
        return len(self.votes)

    @property
    def readers(self) -> tuple[int, int]:
        """The number of readers who prefer the first list, and the second."""
        preferred = Counter(self.votes.values())
        return preferred[1], preferred[-1]

    @property
    def winner(self) -> int | None:
        """The list (0 or 1) that more readers prefer; None if equally many do."""
        first, second = self.readers
        return None if first == second else int(second > first)

    @property
    def p(self) -> float:
        """The p of the sign test over readers; those who prefer neither list are left out."""
        return sign_test(*self.readers)

    def told(self, first: str, second: str) -> tuple[Said, ...]:
        """Describes in sentences which list the readers prefer, and what the sign test says."""
        if not self.votes:
            return (Said("Nobody has clicked yet."),)
        a, b = self.readers
        names = {"first": first, "second": second, "a": a, "b": b, "n": len(self), "equal": len(self) - a - b}
        counts = N_("Browsers that prefer {first}: {a}; {second}: {b}; neither: {equal}.")
        if a + b == 0:
            return Said(counts, **names), Said("Without a preference there is nothing to test.")
        return Said(counts, **names), _tested(self.p, a + b, None if a == b else first if a > b else second)


def _tested(p: float, n: int, winner: str | None) -> Said:
    """Returns what the sign test of ``n`` preferences says; ``winner`` is None if they are equally many."""
    if winner is None:
        return Said("Equally many: no winner.")
    if sign_test(n, 0) > ALPHA:
        few = N_(
            "{winner} is ahead, but nothing can be significant yet: even if all preferences agreed ({n}), p would be "
            "{least}."
        )
        return Said(few, winner=winner, n=n, least=told_p(sign_test(n, 0)).removeprefix("= "))
    if p <= ALPHA:
        return Said("A significant preference for {winner}: the sign test gives p {p}.", winner=winner, p=told_p(p))
    return Said("{winner} is ahead, but the sign test gives p {p}: not significant.", winner=winner, p=told_p(p))


def _sign(x: float) -> int:
    return (x > 0) - (x < 0)


def sign_test(a: int, b: int) -> float:
    """Returns the two-sided p of the sign test for ``a`` against ``b`` preferences; 1 without any."""
    return float(_sign_tests(np.array(a), np.array(b)))


def _sign_tests(a: np.ndarray, b: np.ndarray) -> Floats:
    from scipy.special import bdtr

    return np.asarray(np.minimum(1.0, 2 * bdtr(np.minimum(a, b).astype(float), a + b, 0.5)))


@dataclass(frozen=True)
class Places:
    """The clicks on the first two results, before and after they were exchanged.

    Each of the two documents was first once and second once, for the same readers: any difference between the two
    places comes from the place.  ``pairs`` are a reader's two impressions of a question.
    """

    pairs: tuple[tuple[Impression, Impression], ...] = ()

    @staticmethod
    def of(before: Clicks, after: Clicks) -> Places:
        """Returns the impressions that a reader has clicked in before or after, and seen both times."""
        later = {(i.reader, i.question): i for i in after.impressions}
        both = [(i, later[i.reader, i.question]) for i in before.impressions if (i.reader, i.question) in later]
        return Places(tuple((i, j) for i, j in both if len(i.hits) > 1 and (i.clicked or j.clicked)))

    def _at(self, rank: int) -> Counter[str]:
        """Counts the clicks at this rank, by reader."""
        clicks = Counter[str]()
        for pair in self.pairs:
            for impression in pair:
                clicks[impression.reader] += impression.hits[rank - 1].doc in impression.clicked
        return clicks

    @cached_property
    def clicks(self) -> tuple[int, int]:
        return self._at(1).total(), self._at(2).total()

    @cached_property
    def readers(self) -> tuple[int, int]:
        """The number of readers with more clicks at rank 1, and at rank 2."""
        first, second = self._at(1), self._at(2)
        signs = Counter(_sign(first[reader] - second[reader]) for reader in first)
        return signs[1], signs[-1]

    @property
    def p(self) -> float:
        """The p of the sign test over readers."""
        return sign_test(*self.readers)

    def told(self) -> Said:
        """Describes in a sentence whether the place decided about the clicks."""
        if not self.pairs:
            return Said("Position bias appears here once students have clicked before and after the exchange.")
        first, second = self.clicks
        numbers = {"first": first, "second": second, "p": told_p(self.p)}
        if self.p <= ALPHA and first != second:
            message = N_(
                "Clicks on the same passages at rank 1: {first}, at rank 2: {second}. The place decides, too: the sign "
                "test gives p {p}."
            )
        else:
            message = N_(
                "Clicks on the same passages at rank 1: {first}, at rank 2: {second}. No significant position bias: "
                "the sign test gives p {p}."
            )
        return Said(message, **numbers)


# ----------------------------------------------------------------------------------------------------- simulation


@dataclass(frozen=True)
class Reader:
    """A simulated reader, who clicks each result independently.

    A relevant result at rank r is clicked with the probability ``finds`` / r^``bias``, another one with ``errs`` /
    r^``bias``.
    """

    finds: float = 0.9
    errs: float = 0.1
    bias: float = 0.7

    def __post_init__(self) -> None:
        within("finds", self.finds, 0, 1)
        within("errs", self.errs, 0, 1)
        within("bias", self.bias, 0, 10)

    def chances(self, hits: Sequence[Drafted], relevant: Collection[str]) -> list[float]:
        """Returns the probability of a click on each result."""
        return [(self.finds if hit.doc in relevant else self.errs) / r**self.bias for r, hit in enumerate(hits, 1)]

    def outcome(self, hits: Sequence[Drafted], relevant: Collection[str]) -> tuple[float, float, float]:
        """Returns the probabilities that this list credits the first search more, neither, the second more."""
        ahead = np.ones(1)  # of each lead of the first search, from -n to n
        for hit, chance in zip(hits, self.chances(hits, relevant), strict=True):
            step = [0.0, 1 - chance, chance] if hit.team == 0 else [chance, 1 - chance, 0.0]
            ahead = np.convolve(ahead, step)
        n = len(hits)
        return float(ahead[n + 1 :].sum()), float(ahead[n]), float(ahead[:n].sum())


READER = Reader()


def outcome(
    a: Sequence[str], b: Sequence[str], relevant: Collection[str], reader: Reader = READER, *, k: int = DEPTH
) -> tuple[float, float, float]:
    """Returns the probabilities that a reader's clicks credit the first list more, neither, the second more.

    Exact: over every outcome of the coin and every set of clicks.
    """
    total = np.zeros(3)
    for chance, hits in drafts(a, b, k=k):
        total += chance * np.array(reader.outcome(hits, relevant))
    return float(total[0]), float(total[1]), float(total[2])


def outcomes(
    first: Mapping[str, Sequence[str]],
    second: Mapping[str, Sequence[str]],
    qrels: Mapping[str, Mapping[str, int]],
    *,
    k: int = DEPTH,
) -> list[tuple[float, float, float]]:
    """Returns the `outcome` of every question on which two searches differ, from their results by question."""
    relevant = {q: {doc for doc, grade in grades.items() if grade > 0} for q, grades in qrels.items()}
    return [outcome(a, second[q], relevant[q], k=k) for q, a in first.items() if differ(a, second[q], k=k)]


@dataclass(frozen=True)
class Power:
    """The shares of simulated classes that prefer the better search, do so significantly, and significantly do not."""

    readers: int
    right: float
    significant: float
    misled: float


def power(
    chances_by_question: Sequence[tuple[float, float, float]],
    better: int,
    readers: int,
    *,
    questions: int,
    each: int,
    classes: int = CLASSES,
    seed: int = 0,
) -> Power:
    """Simulates classes of so many readers, and returns how often they find the better search (0 or 1).

    The first argument has the probabilities of `outcome` for each question.  Every class draws ``questions`` of them,
    every reader ``each`` of these, in both cases without repetition.
    """
    counted("readers", readers)
    within("each", each, 1, questions)
    within("questions", questions, 1, len(chances_by_question))
    rng = np.random.default_rng(seed)
    chances = np.array(chances_by_question)
    first, second = np.zeros(classes, int), np.zeros(classes, int)
    for i in range(classes):
        drawn = rng.permutation(len(chances))[:questions]
        own = drawn[rng.random((readers, questions)).argpartition(each - 1, axis=1)[:, :each]]
        dice = rng.random(own.shape)
        votes = (dice < chances[own, 0]).astype(int) - (dice >= chances[own, 0] + chances[own, 1])
        lead = votes.sum(axis=1)
        first[i], second[i] = (lead > 0).sum(), (lead < 0).sum()
    lead = (first - second) * (1 if better == 0 else -1)
    tested = _sign_tests(first, second) <= ALPHA
    shares = (lead > 0).mean(), (tested & (lead > 0)).mean(), (tested & (lead < 0)).mean()
    return Power(readers, *map(float, shares))
