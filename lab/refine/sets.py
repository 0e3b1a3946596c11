"""Sets of passages from postings: which passages of a whole corpus fit a condition on their words.

A word is looked up in the term matrix that BM25 has made, so that no text is read for it.  The matrix knows stems,
parts of words and pairs of Han characters; where these do not decide (a phrase, a word in quotation marks, a part of
WH-1000), they leave few passages, and only the texts of these are read.  The set is always that of
`lab.refine.boolean.Matching`, passage by passage.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Arrays, Corpus, Document
from lab.corpus.conditions import All, Condition, Not, children
from lab.corpus.fields import elements
from lab.numeric import Ints
from lab.refine.boolean import TEXT, TITLE, WORDS, Matching, Reading, Word, label
from lab.refine.finders import stem_of
from lab.retrieve.fields import field_matrix
from lab.retrieve.matrix import TermMatrix
from lab.text import QUESTIONS, Analyzer, one_spelling
from lab.text.folding import character_codes
from lab.text.writing import HAN, WORD, parts
from lab.words import Said

Rows = NDArray[np.bool_]
"""Which documents are in a set, by their positions in the corpus: shape [documents]."""
VERSION = 1
"""Increased whenever the question words of a text, or the way in which they are stored, change."""
BLOCK = 1_000
"""Texts read together."""
_ANALYZER = Analyzer()
_AS_WRITTEN = Analyzer(simplified=False)
_WORD, _HAN_RUN = re.compile(WORD), re.compile(f"[{HAN}]+")
_JOINED = re.compile(rf"(?!.*[{HAN}])(?:.*[-_.+#]|.*\d[^\W\d_]|.*[^\W\d_]\d)", re.DOTALL)
_STOPPED = "".join(QUESTIONS)
_ENGLISH = [word for word in QUESTIONS if word.isascii()]


@dataclass(frozen=True)
class QuestionWords:
    """Finds the English question words of texts, which the term matrix leaves out: see `lab.text.asking`."""

    def many(self, texts: Iterable[str]) -> Iterator[tuple[list[str], None]]:
        """Yields the question words of some texts, a tab after each text: see `Analyzer.many`."""
        letter = rf"[^\W_{HAN}]"
        pattern = re.compile(rf"\t|(?<!{letter})(?:{'|'.join(_ENGLISH)})(?!{letter})")
        yield pattern.findall(_AS_WRITTEN.read_together(texts)), None


class Postings:
    """The documents of each term in the whole texts or, ``field``, in the titles of a corpus."""

    def __init__(self, corpus: Corpus, field: str) -> None:
        self.corpus, self.field = corpus, field
        self.matrix = field_matrix(corpus, _ANALYZER, TITLE) if field else TermMatrix.for_corpus(corpus, _ANALYZER)

    @staticmethod
    def of(corpus: Corpus, field: str) -> Postings:
        """Returns the postings of a corpus, made once."""
        return corpus.once(("postings of", field), partial(Postings, corpus, field))

    @cached_property
    def questions(self) -> TermMatrix:
        """The documents of the question words."""

        def count() -> Arrays:
            texts = (d.title if self.field else d.content for d in self.corpus)
            return TermMatrix.count(texts, QuestionWords()).arrays()

        return TermMatrix.read(self.corpus.stored(f"question words {self.field}", f"{VERSION}", count))

    @cached_property
    def joined(self) -> Mapping[str, list[int]]:
        """The columns of the words with joints or digits in which each term is a part, as wifi and fi in wi-fi."""
        columns = defaultdict[str, list[int]](list)
        for word, j in self.matrix.vocabulary.items():
            if _JOINED.match(word):
                written = [*_WORD.findall(word), *_WORD.findall(one_spelling(word).text)]
                more = [part.text for part in parts(word, numbers=True, joined=True, units=True)]
                for term in {*map(stem_of, written), *map(stem_of, more), *more} - {word}:
                    columns[term].append(j)
        return columns

    def documents(self, term: str) -> Ints:
        matrices = (self.matrix, self.questions) if term in _ENGLISH else (self.matrix,)
        return _joined(m.docs[m.column(m.vocabulary[term])] for m in matrices if term in m.vocabulary)

    def uncertain(self, term: str) -> Ints:
        """Returns the documents in which a term may be a part of a word, or may be missing because it is one."""
        return _joined(self.matrix.docs[self.matrix.column(j)] for j in self.joined.get(term, ()))

    def find(self, leaf: Word, matching: Matching) -> Found:
        """Returns which documents surely have a word or phrase, and which may have it."""
        found, stems = Found.nothing(len(self.corpus)), matching.stems and not leaf.phrase
        for finder in matching.finders(leaf):
            self._mark(finder.text, stems, *found[:2])
            if finder.spelled != finder.text:
                found.doubtful[:] |= self._possible(finder.spelled)
        return found

    def _mark(self, text: str, stems: bool, sure: Rows, doubtful: Rows) -> None:
        if _HAN_RUN.fullmatch(text):
            pair, one = "_".join(text), len(text) == 1
            if len(text) <= 2 and text not in (_STOPPED if one else QUESTIONS):
                sure[self.documents(pair)] = True
                return
            doubtful |= self._possible(text)
            if not one and text not in QUESTIONS:
                sure[self.documents(text)] = True
        elif _WORD.fullmatch(text):
            term, written = stem_of(text), not stems and text.isascii() and text.isalpha()
            documents, uncertain = self.documents(term), self.uncertain(term)
            if written:  # its stem has other words, too
                doubtful[documents] = True
            else:
                before = sure[uncertain]
                sure[documents] = True
                sure[uncertain] = before
            doubtful[uncertain] = True
        else:
            doubtful |= self._possible(text)

    def _possible(self, text: str) -> Rows:
        """Returns the documents that have all parts of a text by which it can be looked up."""
        possible = np.ones(len(self.corpus), np.bool_)
        for term in _terms(text):
            held = np.zeros(len(possible), np.bool_)
            held[np.append(self.documents(term), self.uncertain(term))] = True
            possible &= held
        return possible


def _joined(rows: Iterable[NDArray[np.integer]]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *rows])


class Found(NamedTuple):
    """The documents that surely have a word, and those whose texts decide; so far, if more is to be marked."""

    sure: Rows
    doubtful: Rows
    doubts: int = 0

    @staticmethod
    def nothing(size: int) -> Found:
        """Returns a result without documents, for a corpus of this size."""
        return Found(np.zeros(size, np.bool_), np.zeros(size, np.bool_))

    @property
    def counted(self) -> Found:
        """Returns the result with the number of doubtful documents, of which none is sure."""
        doubtful = self.doubtful > self.sure  # and not sure
        return Found(self.sure, doubtful, int(np.count_nonzero(doubtful)))


def _terms(text: str) -> set[str]:
    """Returns terms that every text with this word or phrase has; question words in Chinese are in no matrix."""
    terms = {stem_of(word) for word in _WORD.findall(text)}
    for run in _HAN_RUN.findall(text):
        terms |= {f"{a}_{b}" for a, b in pairwise(run) if a + b not in QUESTIONS}
        terms |= {run} if len(run) == 1 and run not in _STOPPED else set()
    return terms


class FieldValues:
    """The different values of a metadata field, and the documents of each."""

    def __init__(self, corpus: Corpus, name: str) -> None:
        rows = defaultdict[str, list[int]](list)
        for i, document in enumerate(corpus):
            for value in elements(document.metadata.get(name)):
                rows[str(value)].append(i)
        self.readings = [Reading(Document("value", value)) for value in rows]
        self.rows = [np.array(places) for places in rows.values()]

    @staticmethod
    def of(corpus: Corpus, name: str) -> FieldValues:
        """Returns the values of a field of this corpus, made once."""
        return corpus.once(("values of", name), partial(FieldValues, corpus, name))


class SetOf(NamedTuple):
    """One part of a question: its label, its depth in the tree, and the number of passages that match it."""

    label: Said
    depth: int
    documents: int


class Sets:
    """Evaluates conditions on words over all documents of a corpus; texts are read only where postings do not decide.

    ``stems``: see `Matching`.
    """

    def __init__(self, corpus: Corpus, *, stems: bool = True) -> None:
        self.corpus, self.matching = corpus, Matching(stems)
        self._found = dict[Word, Found]()

    def fitting(self, node: Condition, scope: Rows | None = None) -> Rows:
        """Returns the documents, among those in ``scope``, that fit a condition."""
        if scope is None:
            scope = np.ones(len(self.corpus), np.bool_)
        if isinstance(node, Word):
            return self._holding(node, scope)
        if isinstance(node, Not):
            return scope & ~self.fitting(node.part, scope)
        words = [self._find(part) for part in children(node) if isinstance(part, Word)]
        # words that postings decide come first, so that few texts are read
        others = sorted((p for p in children(node) if not isinstance(p, Word) or self._cost(p)), key=self._cost)
        if isinstance(node, All):
            for found in words:
                scope = scope & (found.sure | found.doubtful if found.doubts else found.sure)
            for part in others:
                scope = self.fitting(part, scope)
            return scope
        fitting = np.zeros(len(self.corpus), np.bool_)
        for found in words:
            fitting |= found.sure
        fitting &= scope
        for part in others:
            fitting |= self.fitting(part, scope & ~fitting)
        return fitting

    def parts(self, node: Condition, depth: int = 0) -> Iterator[SetOf]:
        """Yields the parts of a condition, each before those that it is made of."""
        yield SetOf(label(node), depth, int(np.count_nonzero(self.fitting(node))))
        for part in children(node):
            yield from self.parts(part, depth + 1)

    def _cost(self, node: Condition) -> int:
        """Returns how many texts may have to be read for a condition."""
        if isinstance(node, Word):
            return self._find(node).doubts
        return sum(map(self._cost, children(node)))

    def _holding(self, leaf: Word, scope: Rows) -> Rows:
        sure, doubtful, doubts = self._find(leaf)
        holding = scope & sure
        for spelled in (False, True) if doubts else ():
            rows = np.flatnonzero(scope & doubtful & ~holding)
            for i in range(0, len(rows), BLOCK):
                holding[rows[i : i + BLOCK]] = self._read(leaf, rows[i : i + BLOCK], spelled)
        return holding

    def _read(self, leaf: Word, rows: Ints, spelled: bool) -> Rows:
        """Returns which of these documents have a word as it is written or, ``spelled``, in any spelling."""
        fields, documents = (leaf.field,) if leaf.field else (TEXT, TITLE), self.corpus.documents
        read = WORDS.read_together(getattr(documents[row], field) for row in rows.tolist() for field in fields)
        ends = np.flatnonzero(character_codes(read) == ord("\t"))
        text = read.replace("\t", "\0")  # whitespace would let a phrase go from one text to the next
        variants, holding = one_spelling(text) if spelled else None, np.zeros(len(rows), np.bool_)
        starts = [start for finder in self.matching.finders(leaf) for start, _ in finder.places(text, variants)]
        holding[np.searchsorted(ends, starts) // len(fields)] = True
        return holding

    def _find(self, leaf: Word) -> Found:
        if leaf not in self._found:
            self._found[leaf] = self._looked_up(leaf).counted
        return self._found[leaf]

    def _looked_up(self, leaf: Word) -> Found:
        if leaf.field not in ("", TITLE, TEXT):
            return self._in_values(leaf)
        found = Postings.of(self.corpus, TITLE if leaf.field == TITLE else "").find(leaf, self.matching)
        if leaf.field != TEXT or not any(d.title for d in self.corpus):
            return found
        in_title = Postings.of(self.corpus, TITLE).find(leaf, self.matching)
        titled = in_title.sure | in_title.doubtful
        return Found(found.sure & ~titled, found.doubtful | (found.sure & titled))

    def _in_values(self, leaf: Word) -> Found:
        values, found = FieldValues.of(self.corpus, leaf.field), Found.nothing(len(self.corpus))
        inside = Word.of(leaf.text, TEXT, leaf.phrase, leaf.bare)
        for reading, rows in zip(values.readings, values.rows, strict=True):
            if self.matching.has(inside, reading):
                found.sure[rows] = True
        return found
