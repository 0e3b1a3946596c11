"""Counts of every term in every document of a corpus, used by BM25, TF-IDF and exact coverage.

The counts are made once per analyzer and cached with the corpus; for a large corpus with a keeper they are also
stored on the lab's disk (`lab.corpus.indexes`).
"""

from __future__ import annotations

import os
import time
import unicodedata
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, lru_cache, partial
from importlib.metadata import version
from itertools import chain, islice, starmap
from threading import Lock, Thread
from typing import NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Arrays, Corpus, Progress
from lab.models.secrets import without_secrets
from lab.numeric import Floats, Ints
from lab.text import JIEBA, Analyzer, Pairs, is_han

BLOCK = 20_000
"""Number of texts tokenized and counted at a time: their words are in memory only for that time."""
LONG = 2_400_000
"""A block ends after this many characters: the work can be stopped between two blocks."""
TERMS = 1
"""Increased whenever the terms of a text under an analyzer, or the way in which they are stored, change."""
MANY = 3_000_000
"""From this many characters on, tokenizing takes longer than starting other processes for it."""
WORKERS = 4
"""Maximum number of processes, each of 350 to 450 MB while it counts."""
_SETTINGS = {
    "OPENBLAS_NUM_THREADS": "1",
    # glibc: the memory of one block is reused for the next one as long as the process lives
    "MALLOC_MMAP_THRESHOLD_": f"{1 << 25}",
    "MALLOC_TRIM_THRESHOLD_": f"{1 << 29}",
}
_worker_lock = Lock()
AT_ONCE = 1 << 22
"""Number of entries summed at a time."""


class Cutter(Hashable, Protocol):
    """Makes terms of texts; equal cutters make equal terms.  It is sent to other processes."""

    def many(self, texts: Iterable[str]) -> Iterable[tuple[list[str] | Pairs, NDArray[np.int64] | None]]:
        """See `Analyzer.many`."""


@dataclass(frozen=True, eq=False)
class TermMatrix:
    """Term counts of a corpus, by column: the documents of term ``j`` are ``docs[starts[j]:starts[j + 1]]``.

    ``tf`` has the counts at the same positions, ``lengths`` the tokens per document (shape [N]).  ``docs`` and ``tf``
    are integers as small as their values allow: 5 bytes per entry in most corpora.  Single Han characters are the last
    columns.
    """

    vocabulary: dict[str, int]
    starts: Ints
    docs: NDArray[np.integer]
    tf: NDArray[np.integer]
    lengths: Floats

    @staticmethod
    def for_corpus(corpus: Corpus, analyzer: Analyzer, progress: Progress | None = None) -> TermMatrix:
        """Returns the matrix of this corpus under this analyzer; made once and cached with the corpus."""

        def make(progress: Progress | None) -> TermMatrix:
            more = replace(analyzer, characters=True)
            if (
                analyzer.mode in JIEBA
                and not (analyzer.characters or analyzer.single)
                and corpus.holds(("terms", more))
            ):
                return TermMatrix.for_corpus(corpus, more).without_characters()
            report = None if progress is None else lambda n: progress(n, len(corpus))
            count = partial(TermMatrix.count, (d.content for d in corpus), analyzer, report)
            return TermMatrix.read(corpus.stored(_stored_name(analyzer), _versions(), lambda: count().arrays()))

        return corpus.awaited(("terms", analyzer), make, progress)

    def arrays(self) -> Arrays:
        """Returns the arrays to store on a disk."""
        terms = "\t".join(self.vocabulary).encode("utf-8", "surrogatepass")  # no term has a tab
        numbers = {"starts": self.starts, "docs": self.docs, "tf": self.tf, "lengths": self.lengths}
        return {"terms": np.frombuffer(terms, np.uint8), **numbers}

    @staticmethod
    def read(stored: Arrays) -> TermMatrix:
        """Returns the matrix from its stored arrays."""
        terms = stored["terms"].tobytes().decode("utf-8", "surrogatepass")
        vocabulary = {term: j for j, term in enumerate(terms.split("\t") if terms else ())}
        return TermMatrix(vocabulary, stored["starts"], stored["docs"], stored["tf"], stored["lengths"])

    @staticmethod
    def count(texts: Iterable[str], analyzer: Cutter, report: Callable[[int], object] | None = None) -> TermMatrix:
        """Counts the tokens of these texts; ``report`` receives the number counted, and may raise to stop."""
        from scipy import sparse  # slow to import, so only if something is counted

        number = _Numbers()
        blocks, counted = list[_Block](), 0
        with closing(_each(texts, analyzer)) as each:
            for block in chain([_Block.count_texts([], analyzer)], each):
                blocks.append(block.numbered(number))
                counted += len(block.lengths)
                if report:
                    report(counted)
        columns = deque(list(parts) for parts in zip(*(b[2:] for b in blocks), strict=True))
        del blocks, block
        terms, tf, used, lengths = (np.concatenate(columns.popleft()) for _ in range(4))  # each frees its parts
        names = sorted(number, key=_is_character)  # in their order, but the characters last
        place = np.empty(len(names), terms.dtype)
        place[[number[name] for name in names]] = np.arange(len(names))
        np.take(place, terms, out=terms, mode="clip")  # without ``mode`` it would make a copy
        starts = np.insert(np.cumsum(used, dtype=sparse.get_index_dtype(maxval=len(terms))), 0, 0)
        m = sparse.csr_array((tf, terms, starts), (len(lengths), len(number))).tocsc()  # a sort by term, in linear time
        return TermMatrix(
            {term: j for j, term in enumerate(names)},
            m.indptr.astype(np.int64),
            m.indices,
            m.data,
            lengths.astype(np.float64),
        )

    def without_characters(self) -> TermMatrix:
        """Returns the matrix without the single Han characters; its entries are views of this one."""
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

    @cached_property
    def cf(self) -> Floats:
        """Occurrences of each term in the whole corpus, shape [V]."""
        if not len(self.vocabulary):
            return np.zeros(0)
        return np.add.reduceat(self.tf, self.starts[:-1], dtype=np.int64).astype(np.float64)

    @property
    def average_length(self) -> float:
        """Mean tokens per document; 1 if there are none, so that it can be a divisor."""
        return float(self.lengths.mean()) if len(self.lengths) and self.lengths.any() else 1.0

    def column(self, j: int) -> slice:
        """The slice of ``docs`` and ``tf`` for term ``j``."""
        return slice(int(self.starts[j]), int(self.starts[j + 1]))


def _stored_name(analyzer: Analyzer) -> str:
    """Returns the name of these terms in a file; sets are sorted, because their order varies by process."""
    values = {f.name: getattr(analyzer, f.name) for f in fields(analyzer)}
    return f"terms {[(name, sorted(v) if isinstance(v, frozenset) else v) for name, v in values.items()]}"


@cache
def _versions() -> str:
    """The versions of everything that terms depend on in addition to their analyzer."""
    libraries = [f"{name} {version(name)}" for name in ("rjieba", "PyStemmer", "OpenCC")]
    return ", ".join([f"terms {TERMS}", *libraries, f"Unicode {unicodedata.unidata_version}"])


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


def _each(texts: Iterable[str], analyzer: Cutter) -> Generator[_Block]:
    """Yields the counts of these texts, block by block, in order.

    For many texts, other processes count, so this one is free for other visitors.  Only one index at a time uses them.
    """
    blocks, first, length = _blocks(texts), list[list[str]](), 0
    while length < MANY and (block := next(blocks, None)):
        first.append(block)
        length += sum(map(len, block))
    every = chain(first, blocks)
    if length < MANY or not _worker_lock.acquire(blocking=False):
        yield from (_Block.count_texts(block, analyzer) for block in every)
        return
    try:
        yield from _elsewhere(every, analyzer)
    finally:
        _worker_lock.release()


def _elsewhere(blocks: Iterable[list[str]], analyzer: Cutter) -> Iterator[_Block]:
    """Yields the counts of these blocks by other processes; by this one if those fail."""
    # unlike others, it does not run the main module, a page, again
    from joblib.externals.loky import ProcessPoolExecutor, cpu_count

    def submit(block: list[str]) -> Callable[[], _Block]:
        with suppress(BrokenExecutor, OSError):
            return cast(Callable[[], _Block], pool.submit(_Block.count_texts, block, analyzer).result)
        return partial(_Block.count_texts, block, analyzer)

    def result_of(block: list[str], count: Callable[[], _Block]) -> _Block:
        with suppress(BrokenExecutor):
            return count()
        return _Block.count_texts(block, analyzer)

    cores = min(cpu_count(), WORKERS)
    waiting: deque[tuple[list[str], Callable[[], _Block]]] = deque()
    try:
        # a variable cannot be removed, only emptied
        nothing = dict.fromkeys(os.environ.keys() - without_secrets(os.environ).keys(), "")
        env = nothing | _SETTINGS
        pool = ProcessPoolExecutor(cores, initializer=_as_a_guest, initargs=(os.getpid(),), env=env)
    except (ImportError, NotImplementedError, OSError):  # a machine without semaphores, or without room for them
        yield from (_Block.count_texts(block, analyzer) for block in blocks)
        return
    try:
        for block in blocks:
            waiting.append((block, submit(block)))
            if len(waiting) > 2 * cores:
                yield result_of(*waiting.popleft())
        yield from starmap(result_of, waiting)
    finally:
        pool.shutdown(kill_workers=True)


def _as_a_guest(parent: int) -> None:
    """Gives other work priority, and ends this process when its parent has ended, for whatever reason."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    if hasattr(os, "nice"):
        os.nice(5)
    Thread(target=watch, daemon=True).start()


class _Numbers(defaultdict[str, int]):
    """Numbers for terms, in the order in which they are first used."""

    def __init__(self) -> None:
        super().__init__(self.__len__)
        self.pairs = np.array([1 << 60])  # the numbers of `Pairs` in order, and a sentinel greater than all
        self.of_pairs = np.zeros(1, np.int32)

    def number_terms(self, terms: list[str] | Pairs) -> NDArray[np.int32]:
        """Returns the numbers of these terms; a new term gets the next number."""
        if not isinstance(terms, Pairs):
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
    """The counts of some texts, row by row: the distinct terms of a text, the count of each, how many, all tokens.

    Terms are numbers: first the terms in ``words``, then the terms in ``pairs``.
    """

    words: list[str]
    pairs: Pairs
    terms: NDArray[np.integer]
    tf: NDArray[np.integer]
    used: NDArray[np.integer]
    lengths: Ints

    @staticmethod
    def count_texts(texts: Sequence[str], analyzer: Cutter) -> _Block:
        """Counts these texts; in another process, an analyzer equal to the last one reuses its dictionary."""
        from scipy import sparse

        number = _Numbers()
        number["\t"]  # the separator that `Analyzer.many` puts after a text
        pairs = Pairs(np.zeros(1, np.int64))
        rows, terms = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
        for tokens, which in _known(analyzer).many(texts):
            if isinstance(tokens, Pairs):  # they come after all words, whose number is not yet known
                pairs, numbers = tokens, -np.arange(len(tokens), dtype=np.int32)
            else:
                numbers = number.number_terms(tokens)
            each = numbers if which is None else numbers[which]
            inside = each != 0
            rows.append(np.cumsum(~inside, dtype=np.int32)[inside])
            terms.append(each[inside])
        row, term = np.concatenate(rows), np.concatenate(terms)
        term = np.where(term < 0, len(number) - 1 - term, term) - 1
        shape = len(texts), len(number) + len(pairs) - 2
        m = sparse.coo_array((np.ones_like(row), (row, term)), shape).tocsc().tocsr()
        tf = m.data.astype(np.min_scalar_type(m.data.max(initial=0)))
        words, lengths = list(islice(number, 1, None)), np.bincount(row, minlength=len(texts))
        return _Block(words, Pairs(pairs.numbers[1:]), m.indices, tf, np.diff(m.indptr), lengths)

    def numbered(self, number: _Numbers) -> _Block:
        """Returns the block with other numbers for its terms."""
        every = np.concatenate([number.number_terms(self.words), number.number_terms(self.pairs)])
        return self._replace(words=[], pairs=Pairs(self.pairs.numbers[:0]), terms=every[self.terms])


@lru_cache(1)
def _known(analyzer: Cutter) -> Cutter:
    return analyzer
