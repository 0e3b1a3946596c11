"""What a search engine reads to answer a query: the postings of its terms, and which of them MaxScore skips.

An inverted index keeps, for every term, the list of the documents that contain it (its *postings*), in corpus order.
A query is answered by walking along the lists of its terms, one document at a time.  The greatest score component in
a list is its *upper bound*: once k documents are found, a document whose upper bounds cannot reach the k-th best score
need not be scored, and a list whose upper bound is too low brings in no new documents.

This is the textbook loop, with every step kept for display.  The search of `LexicalIndex` gives the same documents and
the same scores; it adds up whole lists at once, and skips only in long lists of large corpora.

Source: H. Turtle and J. Flood, *Query Evaluation: Strategies and Optimizations*, Information Processing and Management
31 (6), 1995, doi:10.1016/0306-4573(95)00020-H (MaxScore).
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from lab.algebra import Corpus, Query, counted, tie_key
from lab.numeric import Floats, Ints, added
from lab.retrieve.lexical import LexicalIndex, Places

MOST = 20_000
"""Maximum number of postings in a walk, since each step is kept."""
PLAIN_BYTES = 4
"""Bytes of a document number without coding."""


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The postings of one term of the question.

    ``documents`` are positions in the corpus, ascending, ``counts`` how often each contains the term, ``addends`` the
    score component of the term in each: three arrays of shape [df].  ``bound`` is the greatest component, ``floor``
    the amount that the term adds to every document alike (BM25 Plus).
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

    ``read``: (list, score component) of each posting that is scored, in the order of reading; ``absent``: lists that
    were looked up and do not contain the document; ``spared``: lists that were not looked up.  ``reached`` is the sum
    of the components read, ``bound`` the most that it could still become when the walk left the document.  ``score`` is
    None if the walk left the document before all of it was scored.  ``needed`` is the k-th best score before this step
    (None: fewer than k are found), ``essential`` the lists that bring in new documents.  ``rank`` is the rank among the
    best so far, 0 if not among them, and ``displaced`` the document that drops out of them.
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
    """How the ``k`` best documents for a query are found, step by step.

    ``lists`` are in the order of the query; the steps refer to them by number.  ``constant`` is the amount that the
    query adds to every document alike (BM25 Plus), already in the scores.  ``skips`` is false if a score component is
    not positive: then nothing may be skipped.  ``end`` is the position in the corpus behind the last document of the
    walk; it is less than the size of the corpus if the lists have more than `MOST` postings together.
    """

    lists: tuple[Postings, ...]
    k: int
    constant: float
    skips: bool
    steps: tuple[Step, ...]
    end: int
    corpus: Corpus

    def best(self, steps: int | None = None) -> list[tuple[int, float]]:
        """Returns the best documents and their scores after the first ``steps``, ordered as by a search."""
        scored = [_entry(s.score, s.document, self.corpus) for s in self.steps[:steps] if s.score is not None]
        return [(document, -score) for score, _, document in heapq.nsmallest(self.k, scored)]

    def before(self, n: int, low: int, high: int) -> int:
        """Counts the postings of list ``n`` from position ``low`` of the corpus to before ``high``."""
        documents = self.lists[n].documents
        return bisect_left(documents, high) - bisect_left(documents, low)

    def passed(self, n: int) -> tuple[int, tuple[int, ...]]:
        """Counts the documents with a query term that the walk skips on its way to step ``n``, and names their lists.

        Steps count from 0; the number of steps itself stands for the documents behind the last step.
        """
        low = self.steps[n - 1].document + 1 if n else 0
        high = self.steps[n].document if n < len(self.steps) else self.end
        holding = tuple(i for i in range(len(self.lists)) if self.before(i, low, high))
        parts = [
            entries.documents[bisect_left(entries.documents, low) : bisect_left(entries.documents, high)]
            for entries in self.lists
        ]
        return len(np.unique(np.concatenate(parts))) if parts else 0, holding

    @property
    def postings(self) -> int:
        """The number of postings in the lists before ``end``."""
        return sum(self.before(i, 0, self.end) for i in range(len(self.lists)))

    @property
    def read(self) -> int:
        """The number of postings scored."""
        return sum(len(step.read) for step in self.steps)

    def reads(self, n: int) -> list[int]:
        """Returns the documents of list ``n`` whose postings were scored."""
        return [step.document for step in self.steps if any(i == n for i, _ in step.read)]

    @property
    def candidates(self) -> int:
        """The number of documents before ``end`` that contain a query term."""
        return len(self.steps) + sum(self.passed(n)[0] for n in range(len(self.steps) + 1))


def lists_of(index: LexicalIndex, query: str | Query) -> tuple[Postings, ...]:
    """Returns the postings of the query terms that the corpus contains, in the order of the query."""
    names = index.names(query)
    rows = index.postings(query)
    return tuple(Postings(term, names[term], docs, tf, adds, floor) for term, docs, tf, adds, floor in rows)


def walk(index: LexicalIndex, query: str | Query, *, k: int = 10) -> Walk:
    """Walks along the postings of a query, one document at a time, and keeps every step.

    Raises `ParameterError` if ``k`` is below 1.
    """
    counted("k", k, 1)
    lists = lists_of(index, query)
    constant = added(entries.floor for entries in lists)
    skips = all(entries.addends.min() > 0 for entries in lists)
    end = _end(lists, len(index.corpus))
    steps = tuple(_steps(lists, k, constant, index.corpus, skips=skips, end=end))
    return Walk(lists, k, constant, skips, steps, end, index.corpus)


def _end(lists: Sequence[Postings], size: int) -> int:
    """Returns the position behind the last document of the walk: all documents, or the first `MOST` postings."""
    if sum(map(len, lists)) <= MOST:
        return size
    every = np.sort(np.concatenate([entries.documents for entries in lists]))
    return int(every[MOST])  # all postings of a document are walked, or none of them


def _entry(score: float, document: int, corpus: Corpus) -> tuple[float, int, int]:
    """Returns the numbers that sort documents, best first: see `lab.algebra.order`."""
    return -score, tie_key(corpus.documents[document].id), document


def _steps(
    lists: Sequence[Postings], k: int, constant: float, corpus: Corpus, *, skips: bool, end: int
) -> Iterator[Step]:
    by_bound = sorted(range(len(lists)), key=lambda i: lists[i].bound)
    # within[n]: the most that the n lists with the lowest bounds can add together
    within = [0.0, *accumulate(lists[i].bound for i in by_bound)]
    # Sums of three or more numbers are rounded differently in another order.
    slack = 1e-9 * (within[-1] + abs(constant)) if len(lists) > 2 else 0.0
    documents = [entries.documents.tolist() for entries in lists]
    addends = [entries.addends.tolist() for entries in lists]
    at = [0] * len(lists)  # the next unread posting of each list
    best = list[tuple[float, int, int]]()  # best first
    needed: float | None = None
    idle = 0  # how many of the lists with the lowest bounds bring in no new documents

    def hopeless(most: float) -> bool:
        return skips and needed is not None and most + constant < needed - slack  # an equal score can be before it

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
        reached, left = added(value for _, value in read), idle
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
            score = constant + added(value for _, value in sorted(read))  # in the order of the question
            entry = _entry(score, document, corpus)
            if len(best) < k or entry < best[-1]:
                insort(best, entry)
                rank = best.index(entry) + 1
                if len(best) > k:
                    displaced = best.pop()[2]
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
    """One term of a Boolean evaluation: how many documents contain it, and how many match up to this term."""

    name: str
    documents: int
    left: int


def conjunction(lists: Sequence[Postings]) -> tuple[Merge, ...]:
    """Merges the documents that contain every term, from the shortest list to the longest, which compares least.

    Source: C. Manning, P. Raghavan, H. Schuetze, *Introduction to Information Retrieval*, 2008, section 1.3.
    """
    merges, left = list[Merge](), None
    for entries in sorted(lists, key=len):
        left = entries.documents if left is None else np.intersect1d(left, entries.documents, assume_unique=True)
        merges.append(Merge(entries.name, len(entries), len(left)))
    return tuple(merges)


def disjunction(lists: Sequence[Postings]) -> tuple[Merge, ...]:
    """Merges the documents that contain any term, in the order of the query."""
    merges, left = list[Merge](), np.zeros(0, np.int64)
    for entries in lists:
        left = np.union1d(left, entries.documents)
        merges.append(Merge(entries.name, len(entries), len(left)))
    return tuple(merges)


# --------------------------------------------------------------------------------------------------------- gap coding


def gaps(documents: Places) -> Ints:
    """Returns the first document number (counted from 1), then each distance from the one before: shape [df]."""
    return np.diff(documents.astype(np.int64) + 1, prepend=0)


def coded_bytes(distances: Ints) -> Ints:
    """Returns the bytes of each number in variable-byte code, seven bits a byte; shape as given.

    Source: *Introduction to Information Retrieval*, section 5.3.1.
    """
    sizes = np.ones(distances.shape, np.int64)
    for bits in range(7, 64, 7):
        sizes += distances >> bits > 0
    return sizes


@dataclass(frozen=True, slots=True)
class Size:
    """The size of an index: its terms, its postings, and the bytes of its document numbers, plain and as gaps."""

    terms: int
    postings: int
    plain: int
    coded: int


def size_of(index: LexicalIndex) -> Size:
    """Returns the size of a whole index, with all of its terms."""
    matrix = index.matrix
    distances = gaps(matrix.docs)
    first = matrix.starts[:-1][matrix.df > 0]
    distances[first] = matrix.docs[first].astype(np.int64) + 1  # each list starts from zero again
    coded = sum(int(coded_bytes(distances[i : i + (1 << 22)]).sum()) for i in range(0, len(distances), 1 << 22))
    return Size(len(matrix.vocabulary), len(matrix.docs), PLAIN_BYTES * len(matrix.docs), coded)
