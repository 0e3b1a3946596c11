"""How often every term stands in every document of a corpus: what BM25, TF-IDF and exact coverage reckon with.

The counts are made once per analyzer and kept with the corpus; those of a large corpus that has a keeper also on the
lab's disk (`lab.corpus.indexes`).
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, partial
from importlib.metadata import version
from itertools import chain, islice
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from lab.core import Arrays, Corpus, Progress
from lab.numeric import Floats, Ints
from lab.text import JIEBA, Analyzer, Pairs, is_han

S = TypeVar("S")
T = TypeVar("T")
BLOCK = 10_000
"""So many texts are cut and counted at a time: their words are in memory only so long."""
LONG = 1_200_000
"""A block ends after so many characters: the work can be stopped between two."""
TERMS = 1
"""Raised whenever the terms of a text under an analyzer, or the way in which they are kept, change."""
AT_ONCE = 1 << 22
"""So many entries are added up at a time."""


@dataclass(frozen=True, eq=False)
class TermMatrix:
    """Term counts of a corpus, by column: term ``j`` stands in ``docs[starts[j]:starts[j + 1]]``.

    ``tf`` holds the counts at the same places, ``lengths`` the tokens per document (shape [N]).  ``docs`` and ``tf``
    are integers as small as their values allow: 5 bytes per entry in most corpora.  Single Han characters are the last
    columns.
    """

    vocabulary: dict[str, int]
    starts: Ints
    docs: NDArray[np.integer]
    tf: NDArray[np.integer]
    lengths: Floats

    @staticmethod
    def of(corpus: Corpus, analyzer: Analyzer, progress: Progress | None = None) -> TermMatrix:
        """The matrix of this corpus under this analyzer; made once and kept with the corpus."""

        def make(progress: Progress | None) -> TermMatrix:
            more = replace(analyzer, characters=True)
            if (
                analyzer.mode in JIEBA
                and not (analyzer.characters or analyzer.single)
                and corpus.holds(("terms", more))
            ):
                return TermMatrix.of(corpus, more).without_characters()
            told = None if progress is None else lambda n: progress(n, len(corpus))
            count = partial(TermMatrix.count, (d.content for d in corpus), analyzer, told)
            return TermMatrix.read(corpus.stored(_named(analyzer), _versions(), lambda: count().arrays()))

        return corpus.awaited(("terms", analyzer), make, progress)

    def arrays(self) -> Arrays:
        """What a disk keeps of it."""
        terms = "\t".join(self.vocabulary).encode("utf-8", "surrogatepass")  # no term has a tab
        numbers = {"starts": self.starts, "docs": self.docs, "tf": self.tf, "lengths": self.lengths}
        return {"terms": np.frombuffer(terms, np.uint8), **numbers}

    @staticmethod
    def read(kept: Arrays) -> TermMatrix:
        """The same again."""
        terms = kept["terms"].tobytes().decode("utf-8", "surrogatepass")
        vocabulary = {term: j for j, term in enumerate(terms.split("\t") if terms else ())}
        return TermMatrix(vocabulary, kept["starts"], kept["docs"], kept["tf"], kept["lengths"])

    @staticmethod
    def count(texts: Iterable[str], analyzer: Analyzer, told: Callable[[int], object] | None = None) -> TermMatrix:
        """Count the tokens of these texts; ``told`` is called with how many are counted, and may raise to stop."""
        from scipy import sparse  # heavy: only where something is counted

        number = _Numbers()
        cut = _ahead(lambda block: (len(block), [*analyzer.many(block)]), _blocks(texts))
        blocks, done = list[_Block](), 0
        for size, kinds in chain([(0, [])], cut):
            blocks.append(_Block.of(size, kinds, number))
            done += size
            if told:
                told(done)
        terms, tf, used, lengths = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        del blocks, number["\t"]
        names = sorted(number, key=_is_character)  # in their order, but for the characters
        place = np.empty(len(names), terms.dtype)
        place[[number[name] - 1 for name in names]] = np.arange(len(names))
        np.take(place, terms, out=terms, mode="clip")  # by itself it would make a copy
        starts = np.insert(np.cumsum(used, dtype=sparse.get_index_dtype(maxval=len(terms))), 0, 0)
        m = sparse.csr_array((tf, terms, starts), (len(lengths), len(number))).tocsc()  # a sort by term, in linear time
        vocabulary = {term: j for j, term in enumerate(names)}
        return TermMatrix(vocabulary, m.indptr.astype(np.int64), m.indices, m.data, lengths.astype(np.float64))

    def without_characters(self) -> TermMatrix:
        """The same without the single Han characters; it has its entries in the memory of this one."""
        n = sum(not _is_character(term) for term in self.vocabulary)
        known, end, lengths = dict(islice(self.vocabulary.items(), n)), int(self.starts[n]), self.lengths
        for i in range(end, len(self.docs), AT_ONCE):
            at = slice(i, i + AT_ONCE)
            lengths = lengths - np.bincount(self.docs[at], self.tf[at], len(lengths))
        return TermMatrix(known, self.starts[: n + 1], self.docs[:end], self.tf[:end], lengths)

    @cached_property
    def df(self) -> Floats:
        """Documents per term, shape [V]."""
        return np.diff(self.starts).astype(np.float64)

    @property
    def average_length(self) -> float:
        """Mean tokens per document; 1 where there is nothing, so that nobody divides by zero."""
        return float(self.lengths.mean()) if len(self.lengths) and self.lengths.any() else 1.0

    def column(self, j: int) -> slice:
        """The places of term ``j`` in ``docs`` and ``tf``."""
        return slice(int(self.starts[j]), int(self.starts[j + 1]))


def _named(analyzer: Analyzer) -> str:
    """The terms under this analyzer, as a file knows them: sets have an order of their own in every process."""
    values = {f.name: getattr(analyzer, f.name) for f in fields(analyzer)}
    return f"terms {[(name, sorted(v) if isinstance(v, frozenset) else v) for name, v in values.items()]}"


@cache
def _versions() -> str:
    """What terms rest on beside their analyzer."""
    told = [f"{name} {version(name)}" for name in ("rjieba", "PyStemmer", "OpenCC")]
    return ", ".join([f"terms {TERMS}", *told, f"Unicode {unicodedata.unidata_version}"])


def _is_character(term: str) -> bool:
    return len(term) == 1 and is_han(term)


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    block, length = list[str](), 0
    for text in texts:
        block.append(text)
        length += len(text)
        if len(block) == BLOCK or length >= LONG:
            yield block
            block, length = [], 0
    if block:
        yield block


def _ahead(make: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
    """What is made of each, in order, two at a time: while jieba cuts, another thread goes on."""
    waiting: deque[Future[T]] = deque()
    with ThreadPoolExecutor(2) as pool:
        for item in items:
            waiting.append(pool.submit(make, item))
            if len(waiting) > 2:
                yield waiting.popleft().result()
        yield from (made.result() for made in waiting)


class _Numbers(defaultdict[str, int]):
    """Terms by number, in the order in which they come; 0 is the tab that `Analyzer.many` puts behind a text."""

    def __init__(self) -> None:
        super().__init__(self.__len__)
        self["\t"]
        self.pairs = np.array([0, 1 << 60])  # the numbers of `Pairs` in order, and a last one that none has
        self.of_pairs = np.zeros(2, np.int32)

    def of(self, terms: list[str] | Pairs) -> NDArray[np.int32]:
        """The numbers of these terms; a new one gets the next."""
        if isinstance(terms, list):
            return np.fromiter(map(self.__getitem__, terms), np.int32, len(terms))
        at = self.pairs.searchsorted(terms.numbers)
        new = self.pairs[at] != terms.numbers
        if new.any():
            fresh = Pairs(terms.numbers[new])
            numbers = np.fromiter(map(self.__getitem__, fresh), np.int32, len(fresh))
            self.pairs = np.insert(self.pairs, at[new], fresh.numbers)
            self.of_pairs = np.insert(self.of_pairs, at[new], numbers)
            at = self.pairs.searchsorted(terms.numbers)
        return self.of_pairs[at]


class _Block(NamedTuple):
    """The counts of some texts, row by row: the distinct terms of a text, how often each, how many, tokens in all."""

    terms: NDArray[np.integer]
    tf: NDArray[np.integer]
    used: NDArray[np.integer]
    lengths: Ints

    @staticmethod
    def of(texts: int, kinds: Sequence[tuple[list[str] | Pairs, Ints | None]], number: _Numbers) -> _Block:
        """Of so many texts (see `Analyzer.many`)."""
        from scipy import sparse

        rows, terms = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
        for tokens, which in kinds:
            each = number.of(tokens)
            each = each if which is None else each[which]
            inside = each > 0
            rows.append(np.cumsum(~inside, dtype=np.int32)[inside])
            terms.append(each[inside] - 1)
        row, term = np.concatenate(rows), np.concatenate(terms)
        shape = texts, len(number) - 1
        m = sparse.coo_array((np.ones_like(row), (row, term)), shape).tocsc().tocsr()
        tf = m.data.astype(np.min_scalar_type(m.data.max(initial=0)))
        return _Block(m.indices, tf, np.diff(m.indptr), np.bincount(row, minlength=texts))
