"""What a search engine reads to answer a question: the postings of its words, and which of them MaxScore skips.

An inverted index keeps, for every term, the list of the documents that hold it (its *postings*), in corpus order.  A
question is answered by walking along the lists of its terms, one document at a time.  The greatest addend in a list is
its *upper bound*: once k documents are found, a document whose upper bounds cannot reach the k-th best score need not
be scored, and a list whose upper bound is too low brings in no new documents.

This is the textbook loop, with every step kept to be looked at.  The search of `LexicalIndex` gives the same documents
and the same scores; it adds up whole lists at once, and skips only in long lists of large corpora.

Source: H. Turtle and J. Flood, *Query Evaluation: Strategies and Optimizations*, Information Processing and Management
31 (6), 1995 (MaxScore).
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from lab.algebra import Query, counted
from lab.numeric import Floats, Ints
from lab.retrieve.lexical import LexicalIndex, Places

MOST = 20_000
"""Postings that a walk goes through at most: each step is kept."""
PLAIN_BYTES = 4
"""Bytes of a document number without coding."""


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The postings of one term of the question.

    ``documents`` are positions in the corpus, ascending, ``counts`` how often each holds the term, ``addends`` what the
    term adds to the score of each: three arrays of shape [df].  ``bound`` is the greatest of the addends, ``floor``
    what the term adds to every document alike (BM25 Plus).
    """

    term: str
    name: str
    documents: Places
    counts: Floats
    addends: Floats
    floor: float = 0.0

    @property
    def bound(self) -> float:
        return float(self.addends.max())

    def __len__(self) -> int:
        return len(self.documents)


@dataclass(frozen=True, slots=True)
class Step:
    """One document at which the walk stops.

    ``read``: (list, addend) of each posting that is scored, in the order of reading; ``absent``: lists that were looked
    up and do not hold the document; ``spared``: lists that were not looked up.  ``reached`` is the sum of what was
    read, ``bound`` the most that it could still become when the walk left it.  ``score`` is None if the document was
    left before it was scored whole.  ``needed`` is the k-th best score before this step (None: fewer than k are found),
    ``essential`` says which lists bring in new documents.  ``rank`` is the place among the best so far, 0 for none, and
    ``displaced`` the document that leaves them.
    """

    document: int
    read: tuple[tuple[int, float], ...]
    absent: tuple[int, ...]
    spared: tuple[int, ...]
    reached: float
    bound: float
    score: float | None
    needed: float | None
    essential: tuple[int, ...]
    rank: int
    displaced: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """How the ``k`` best documents for a question are found, step by step.

    ``lists`` are in the order of the question; their numbers are those in the steps.  ``constant`` is what the question
    adds to every document alike (BM25 Plus), already in the scores.  ``skips`` is false if an addend is not positive:
    then nothing may be skipped.  ``end`` is the position in the corpus behind the last document that was walked to; it
    is less than the size of the corpus if the lists are longer than `MOST` postings together.
    """

    lists: tuple[Postings, ...]
    k: int
    constant: float
    skips: bool
    steps: tuple[Step, ...]
    end: int

    def best(self, steps: int | None = None) -> list[tuple[int, float]]:
        """The best documents and their scores after so many steps (all of them): best first, ties in corpus order."""
        found = [(-s.score, s.document) for s in self.steps[:steps] if s.score is not None]
        return [(document, -score) for score, document in heapq.nsmallest(self.k, found)]

    def before(self, n: int, low: int, high: int) -> int:
        """How many postings the list number ``n`` has from one position in the corpus to before another."""
        documents = self.lists[n].documents
        return bisect_left(documents, high) - bisect_left(documents, low)

    def passed(self, n: int) -> tuple[int, tuple[int, ...]]:
        """The documents with a term of the question that the walk passes over on its way to a step: their number, and
        the lists that hold them.  ``n`` counts the steps from 0; the number of steps means what is behind the last one.
        """
        low = self.steps[n - 1].document + 1 if n else 0
        high = self.steps[n].document if n < len(self.steps) else self.end
        holding = tuple(i for i in range(len(self.lists)) if self.before(i, low, high))
        parts = [
            own.documents[bisect_left(own.documents, low) : bisect_left(own.documents, high)] for own in self.lists
        ]
        return len(np.unique(np.concatenate(parts))) if parts else 0, holding

    @property
    def postings(self) -> int:
        """How many postings the lists have before ``end``."""
        return sum(self.before(i, 0, self.end) for i in range(len(self.lists)))

    @property
    def read(self) -> int:
        """How many postings were scored."""
        return sum(len(step.read) for step in self.steps)

    def reads(self, n: int) -> list[int]:
        """The documents of the list number ``n`` whose postings were scored."""
        return [step.document for step in self.steps if any(i == n for i, _ in step.read)]

    @property
    def candidates(self) -> int:
        """How many documents before ``end`` hold a term of the question."""
        return len(self.steps) + sum(self.passed(n)[0] for n in range(len(self.steps) + 1))


def lists_of(index: LexicalIndex, query: str | Query) -> tuple[Postings, ...]:
    """The postings of the terms of a question that the corpus has, in the order of the question."""
    names = index.names(query)
    found = index.postings(query)
    return tuple(Postings(term, names[term], docs, tf, adds, floor) for term, docs, tf, adds, floor in found)


def walk(index: LexicalIndex, query: str | Query, *, k: int = 10) -> Walk:
    """Walks along the postings of a question, one document at a time, and keeps every step.

    Raises `ParameterError` if ``k`` is below 1.
    """
    counted("k", k, 1)
    lists = lists_of(index, query)
    constant = sum((own.floor for own in lists), 0.0)
    skips = all(own.addends.min() > 0 for own in lists)
    end = _end(lists, len(index.corpus))
    steps = tuple(_steps(lists, k, constant, skips=skips, end=end))
    return Walk(lists, k, constant, skips, steps, end)


def _end(lists: Sequence[Postings], size: int) -> int:
    """The position behind the last document that is walked to: all, or those of the first `MOST` postings."""
    if sum(map(len, lists)) <= MOST:
        return size
    every = np.sort(np.concatenate([own.documents for own in lists]))
    return int(every[MOST])  # a document is walked to whole or not at all


def _steps(lists: Sequence[Postings], k: int, constant: float, *, skips: bool, end: int) -> Iterator[Step]:
    by_bound = sorted(range(len(lists)), key=lambda i: lists[i].bound)
    # within[n]: the most that the n lists with the lowest bounds give together
    within = [0.0, *accumulate(lists[i].bound for i in by_bound)]
    # Sums of three and more are rounded differently in another order.
    slack = 1e-9 * (within[-1] + abs(constant)) if len(lists) > 2 else 0.0
    documents = [own.documents.tolist() for own in lists]
    addends = [own.addends.tolist() for own in lists]
    at = [0] * len(lists)  # where each list is read next
    best = list[tuple[float, int]]()  # (-score, document), best first
    needed: float | None = None
    idle = 0  # so many of the lists with the lowest bounds bring in no new documents

    def hopeless(most: float) -> bool:
        return skips and needed is not None and most + constant <= needed - slack

    while idle < len(lists):
        essential = by_bound[idle:]
        ahead = [documents[i][at[i]] for i in essential if at[i] < len(documents[i])]
        document = min(ahead, default=end)
        if document >= end:
            return
        read, absent = list[tuple[int, float]](), list[int]()
        for i in reversed(essential):
            if at[i] < len(documents[i]) and documents[i][at[i]] == document:
                read.append((i, addends[i][at[i]]))
                at[i] += 1
        reached, left = sum(value for _, value in read), idle
        while left and not hopeless(reached + within[left]):
            left -= 1
            i = by_bound[left]
            at[i] = bisect_left(documents[i], document, at[i])
            if at[i] < len(documents[i]) and documents[i][at[i]] == document:
                read.append((i, addends[i][at[i]]))
                reached += addends[i][at[i]]
                at[i] += 1
            else:
                absent.append(i)
        score, rank, displaced, before = None, 0, None, needed
        if not left:
            score = constant + sum((value for _, value in sorted(read)), 0.0)  # in the order of the question
            entry = (-score, document)
            if len(best) < k or entry < best[-1]:
                insort(best, entry)
                rank = best.index(entry) + 1
                if len(best) > k:
                    displaced = best.pop()[1]
                if len(best) == k:
                    needed = -best[-1][0]
        spared = tuple(by_bound[:left])
        bound = reached + within[left] + constant
        yield Step(
            document,
            tuple(read),
            tuple(absent),
            spared,
            reached,
            bound,
            score,
            before,
            tuple(essential),
            rank,
            displaced,
        )
        while idle < len(lists) and hopeless(within[idle + 1]):
            idle += 1


# ------------------------------------------------------------------------------------------------ Boolean evaluation


@dataclass(frozen=True, slots=True)
class Merge:
    """One term of a Boolean evaluation: how many documents hold it, and how many fit this term and those before it."""

    name: str
    documents: int
    left: int


def conjunction(lists: Sequence[Postings]) -> tuple[Merge, ...]:
    """Which documents hold every term, merged from the shortest list to the longest, so that little is compared.

    Source: C. Manning, P. Raghavan, H. Schuetze, *Introduction to Information Retrieval*, 2008, section 1.3.
    """
    merges, left = list[Merge](), None
    for own in sorted(lists, key=len):
        left = own.documents if left is None else np.intersect1d(left, own.documents, assume_unique=True)
        merges.append(Merge(own.name, len(own), len(left)))
    return tuple(merges)


def disjunction(lists: Sequence[Postings]) -> tuple[Merge, ...]:
    """Which documents hold any term, merged in the order of the question."""
    merges, left = list[Merge](), np.zeros(0, np.int64)
    for own in lists:
        left = np.union1d(left, own.documents)
        merges.append(Merge(own.name, len(own), len(left)))
    return tuple(merges)


# --------------------------------------------------------------------------------------------------------- gap coding


def gaps(documents: Places) -> Ints:
    """The first document number (counted from 1) and the distance of each from the one before: shape [df]."""
    return np.diff(documents.astype(np.int64) + 1, prepend=0)


def coded_bytes(distances: Ints) -> Ints:
    """Bytes of each number in variable-byte code, seven bits a byte; shape as given.

    Source: *Introduction to Information Retrieval*, section 5.3.1.
    """
    sizes = np.ones(distances.shape, np.int64)
    for bits in range(7, 64, 7):
        sizes += distances >> bits > 0
    return sizes


@dataclass(frozen=True, slots=True)
class Size:
    """How much an index holds: its terms, its postings, and the bytes of its document numbers, plain and as gaps."""

    terms: int
    postings: int
    plain: int
    coded: int


def size_of(index: LexicalIndex) -> Size:
    """The size of a whole index, all of its terms."""
    matrix = index.matrix
    distances = gaps(matrix.docs)
    first = matrix.starts[:-1][matrix.df > 0]
    distances[first] = matrix.docs[first].astype(np.int64) + 1  # each list begins anew
    coded = sum(int(coded_bytes(distances[i : i + (1 << 22)]).sum()) for i in range(0, len(distances), 1 << 22))
    return Size(len(matrix.vocabulary), len(matrix.docs), PLAIN_BYTES * len(matrix.docs), coded)
