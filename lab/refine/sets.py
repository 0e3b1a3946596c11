"""Sets of passages from postings: which passages of a whole corpus fit a condition on their words.

A word is looked up in the term matrix that BM25 has made, so that no text is read for it.  The matrix knows stems,
parts of words and pairs of Han characters; where these do not decide (a phrase, a word in quotation marks, a part of
WH-1000), they leave few passages, and only the texts of these are read.  The set is always that of
`lab.refine.boolean.Matching`, passage by passage.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from lab.refine.boolean import TEXT, TITLE, Finder, Matching, Reading, Word, finders, stem_of
from lab.retrieve.fields import field_matrix
from lab.retrieve.matrix import TermMatrix
from lab.text import QUESTIONS, Analyzer, one_spelling
from lab.text.writing import HAN, WORD, parts

Rows = NDArray[np.bool_]
"""Which documents are in a set, by their positions in the corpus: shape [documents]."""
VERSION = 1
"""Increased whenever the question words of a text, or the way in which they are stored, change."""
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
        """Returns the documents of a term, each once."""
        matrices = (self.matrix, self.questions) if term in _ENGLISH else (self.matrix,)
        held = [m.docs[m.column(m.vocabulary[term])] for m in matrices if term in m.vocabulary]
        return np.concatenate(held) if held else np.zeros(0, np.int64)

    def uncertain(self, term: str) -> Ints:
        """Returns the documents in which a term may be a part of a word, or may be missing because it is one."""
        m = self.matrix
        held = [m.docs[m.column(j)] for j in self.joined.get(term, ())]
        return np.concatenate(held) if held else np.zeros(0, np.int64)


class Found(NamedTuple):
    """The documents that surely have a word, and those whose texts decide."""

    sure: Rows
    doubtful: Rows
    doubts: int = 0


class WordSets:
    """Finds words in the documents of a corpus, in the whole text or in the title."""

    def __init__(self, corpus: Corpus, field: str = "") -> None:
        self.size, self.postings = len(corpus), Postings.of(corpus, field)

    def find(self, finder: Finder, stems: bool) -> Found:
        """Returns which documents surely have a word or phrase, and which may have it."""
        text, spelled = finder.text, finder.spelled
        sure, doubtful = self._empty(), self._empty()
        if _HAN_RUN.fullmatch(text):
            self._find_han(text, sure, doubtful)
        elif _WORD.fullmatch(text):
            term, stemmed = stem_of(text), text.isascii() and text.isalpha()
            (sure if stems or not stemmed else doubtful)[self.postings.documents(term)] = True
            uncertain = self.postings.uncertain(term)
            sure[uncertain], doubtful[uncertain] = False, True
        else:
            doubtful |= self._possible(text)
        if spelled != text:
            doubtful |= self._possible(spelled)
        return Found(sure, doubtful)

    def _find_han(self, text: str, sure: Rows, doubtful: Rows) -> None:
        if len(text) == 2 and text not in QUESTIONS:
            sure[self.postings.documents("_".join(text))] = True
        elif len(text) == 1 and text not in _STOPPED:
            sure[self.postings.documents(text)] = True
        else:
            doubtful |= self._possible(text)
            if len(text) > 2 and text not in QUESTIONS:
                sure[self.postings.documents(text)] = True

    def _possible(self, text: str) -> Rows:
        """Returns the documents that have all parts of a text by which it can be looked up."""
        possible = np.ones(self.size, np.bool_)
        for term in _terms(text):
            held = self._empty()
            held[self.postings.documents(term)] = True
            held[self.postings.uncertain(term)] = True
            possible &= held
        return possible

    def _empty(self) -> Rows:
        return np.zeros(self.size, np.bool_)


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


class Sets:
    """Evaluates conditions on words over all documents of a corpus; texts are read only where postings do not decide.

    ``stems``: see `Matching`.
    """

    def __init__(self, corpus: Corpus, *, stems: bool = True) -> None:
        self.corpus, self.matching = corpus, Matching(stems)
        self._readings = dict[int, Reading]()
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
        parts_by_cost = sorted(children(node), key=self._cost)
        if isinstance(node, All):
            for found in words:  # before a text is read, so that few are
                scope = scope & (found.sure | found.doubtful)
            for part in parts_by_cost:
                scope = self.fitting(part, scope)
            return scope
        fitting = np.zeros(len(self.corpus), np.bool_)
        for found in words:
            fitting |= scope & found.sure
        for part in parts_by_cost:
            fitting |= self.fitting(part, scope & ~fitting)
        return fitting

    def _cost(self, node: Condition) -> int:
        """Returns how many texts may have to be read for a condition."""
        if isinstance(node, Word):
            return self._find(node).doubts
        return sum(map(self._cost, children(node)))

    def _holding(self, leaf: Word, scope: Rows) -> Rows:
        sure, doubtful, doubts = self._find(leaf)
        holding = scope & sure
        for row in np.flatnonzero(scope & doubtful).tolist() if doubts else ():
            if row not in self._readings:
                self._readings[row] = Reading(self.corpus.documents[row])
            holding[row] = self.matching.find(leaf, self._readings[row]) is not None
        return holding

    def _find(self, leaf: Word) -> Found:
        if leaf not in self._found:
            found = self._looked_up(leaf)
            self._found[leaf] = found._replace(doubts=int(np.count_nonzero(found.doubtful)))
        return self._found[leaf]

    def _looked_up(self, leaf: Word) -> Found:
        if leaf.field not in ("", TITLE, TEXT):
            return self._in_values(leaf)
        stems = self.matching.stems and not leaf.phrase
        finders_of_leaf = finders(leaf.text, leaf.bare, stems)
        found = _any(WordSets(self.corpus, leaf.field if leaf.field == TITLE else ""), finders_of_leaf, stems)
        if leaf.field != TEXT or not any(d.title for d in self.corpus):
            return found
        in_title = _any(WordSets(self.corpus, TITLE), finders_of_leaf, stems)
        titled = in_title.sure | in_title.doubtful
        return Found(found.sure & ~titled, found.doubtful | (found.sure & titled))

    def _in_values(self, leaf: Word) -> Found:
        values, sure = FieldValues.of(self.corpus, leaf.field), np.zeros(len(self.corpus), np.bool_)
        inside = Word.of(leaf.text, TEXT, leaf.phrase, leaf.bare)
        for reading, rows in zip(values.readings, values.rows, strict=True):
            if self.matching.find(inside, reading) is not None:
                sure[rows] = True
        return Found(sure, np.zeros(len(self.corpus), np.bool_))


def _any(words: WordSets, finders_of_leaf: Sequence[Finder], stems: bool) -> Found:
    """Returns the documents that have any of these words."""
    first, *others = [words.find(finder, stems) for finder in finders_of_leaf]
    for found in others:
        np.logical_or(first.sure, found.sure, out=first.sure)
        np.logical_or(first.doubtful, found.doubtful, out=first.doubtful)
    return Found(first.sure, first.doubtful & ~first.sure)
