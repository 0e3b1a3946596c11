"""Character n-grams: parts of words as terms, so that a misspelt word still shares most of them.

The score is the cosine of TF-IDF vectors, a sum with one component per n-gram, as in `TFIDF`.  On texts of Latin
letters without punctuation, scikit-learn's ``analyzer="char_wb"`` yields the same n-grams; with ``edges`` off, its
``"char"`` applied to each word does.

Source: P. McNamee and J. Mayfield, *Character N-Gram Tokenization for European Language Text Retrieval*, 2004.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from lab.algebra import NONE, Corpus, Models, Progress, Query, knob, must
from lab.formula import Formula
from lab.numeric import Floats
from lab.retrieve.explaining import Explanation, Marker
from lab.retrieve.lexical import SUBLINEAR, TFIDF, LexicalIndex, TermPart, Terms, TermWeights, split
from lab.retrieve.matrix import TermMatrix
from lab.text import Token, folded, is_han, joined
from lab.text.writing import HAN
from lab.words import N_, Said

_RUN = re.compile(rf"(?P<han>[{HAN}]+)|[^\W_{HAN}]+")
EDGE = "_"
"""The visible form of the space at the edge of a word."""
MARKED = 0.5
"""Share of a word that n-grams of the question must cover before it is marked."""


@dataclass(frozen=True)
class Grams:
    """How a text becomes n-grams: every stretch of ``shortest`` to ``longest`` letters of each of its words.

    ``edges``: the spaces at both edges of a word belong to it; a word that is shorter than an n-gram is one itself.
    A Han character counts like two letters, and has no edges.
    """

    shortest: int
    longest: int
    edges: bool

    def sizes(self, *, han: bool) -> range:
        """The lengths of the n-grams of a word."""
        low, high = (-(-n // 2) if han else n for n in (self.shortest, self.longest))
        return range(low, high + 1)

    def of_word(self, word: str) -> list[tuple[str, int, int]]:
        """Returns (n-gram, start, end) of a word, by length, then by position; the edges are spaces."""
        han = is_han(word[:1])
        padded = f" {word} " if self.edges and not han else word
        before, size, grams = len(padded) > len(word), len(word), list[tuple[str, int, int]]()
        for n in self.sizes(han=han):
            for i in range(max(1, len(padded) - n + 1)):
                grams.append((padded[i : i + n], max(0, i - before), min(size, i + n - before)))
            if n >= len(padded):
                break
        return grams

    def words(self, text: str) -> Iterator[tuple[int, int, list[Token]]]:
        """Yields (start, end) of every word in the original text, and its n-grams with their positions there."""
        read = folded(text)
        for word in _RUN.finditer(read.text):
            at = word.start()
            grams = [Token(gram, *read.place(at + a, at + b)) for gram, a, b in self.of_word(word[0])]
            yield *read.place(*word.span()), grams

    def tokens(self, text: str) -> list[str]:
        return [gram for word in _RUN.finditer(folded(text).text) for gram, _, _ in self.of_word(word[0])]

    def many(self, texts: Iterable[str]) -> Iterator[tuple[list[str], None]]:
        """Yields the n-grams of some texts, a tab after each text: see `Analyzer.many`."""
        known = dict[str, list[str]]()
        terms = list[str]()
        for text in texts:
            for word in _RUN.finditer(folded(text).text):
                grams = known.get(word[0])
                if grams is None:
                    grams = known[word[0]] = [gram for gram, _, _ in self.of_word(word[0])]
                terms += grams
            terms.append("\t")
        yield terms, None


def visible_gram(gram: str) -> str:
    """Returns an n-gram in visible form."""
    return gram.replace(" ", EDGE)


@dataclass(eq=False)
class GramIndex(LexicalIndex):
    """An index whose terms are n-grams; a component is named after its n-gram and belongs to a word of the question."""

    @cached_property
    def grams(self) -> Grams:
        """How texts become terms."""
        assert isinstance(self.operator, CharNgram)
        return self.operator.grams

    def for_query(self, query: str | Query) -> LexicalIndex:
        return self

    def _counts(self, query: Query) -> dict[str, float]:
        weights: defaultdict[str, float] = defaultdict(float)
        for text, weight in query.weights or ((query.text, 1.0),):
            for gram in self.grams.tokens(text):
                weights[gram] += weight
        return dict(weights)

    def names(self, query: str | Query) -> dict[str, str]:
        return {gram: visible_gram(gram) for gram in self._counts(Query.of(query))}

    def explanation(self, query: Query, doc_id: str) -> Explanation:
        parts = self.explain(query, doc_id)
        addends, absent = split(parts, self.names(query), self.formulas(query, doc_id))
        return Explanation(addends, absent, self.operator, self.operator.note(parts, len(self.corpus), 0.0))

    def marker(self, query: Query) -> Marker:
        """Marks the n-grams of the question in words of which they cover at least half."""
        query_grams = self._counts(query).keys()

        def mark(text: str) -> list[tuple[int, int]]:
            spans = list[tuple[int, int]]()
            for start, end, grams in self.grams.words(text):
                covered = joined((t.start, t.end) for t in grams if t.text in query_grams)
                if sum(b - a for a, b in covered) >= MARKED * (end - start) or is_han(text[start : start + 1]):
                    spans += covered
            return joined(spans)

        return mark

    def reading(self, query: Query) -> str:
        return ""

    def reason(self, query: Query) -> str:
        """Says why nothing is found."""
        if not self._counts(query):
            return Said("The query contains no searchable word. Try a whole word.")
        return Said("No passage shares an n-gram with the question. Allow shorter n-grams, or try other words.")


@dataclass(frozen=True)
class CharNgram(TermWeights):
    """The cosine of TF-IDF vectors whose terms are character n-grams, with the smooth IDF of `TFIDF`.

    One wrong letter changes at most n of the n-grams of each length n, so a misspelt word still finds the right one.
    It also finds words that merely look alike.
    """

    label = Said("Character n-grams")
    about = Said("By pieces of words: a misspelt word still shares most of its pieces with the right one.")

    shortest: int = knob(3, Said("Shortest n-gram"), Said("Letters. A Chinese character counts as two."), low=2, high=8)
    longest: int = knob(5, Said("Longest n-gram"), Said("Letters. A Chinese character counts as two."), low=2, high=8)
    edges: bool = knob(
        True,
        Said("Edges of words"),
        Said("Beginning and end of a word count as characters, so that a beginning matches only beginnings."),
    )
    sublinear: bool = SUBLINEAR()

    def __post_init__(self) -> None:
        super().__post_init__()
        must(
            self.shortest <= self.longest,
            N_("The shortest n-gram ({shortest}) is longer than the longest ({longest}): swap the two."),
            shortest=self.shortest,
            longest=self.longest,
        )

    @property
    def grams(self) -> Grams:
        """How texts become terms."""
        return Grams(self.shortest, self.longest, self.edges)

    @property
    def _cosine(self) -> TFIDF:
        return TFIDF(sublinear=self.sublinear)

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> GramIndex:
        def make(progress: Progress | None) -> TermMatrix:
            report = None if progress is None else lambda count: progress(count, len(corpus))
            return TermMatrix.count((d.content for d in corpus), self.grams, report)

        matrix = corpus.awaited(("n-grams", self.grams), make, progress)
        idf = self.idf(matrix)
        return GramIndex(self, corpus, matrix, idf, self.norms(matrix, idf))

    def idf(self, m: TermMatrix) -> Floats:
        return self._cosine.idf(m)

    def norms(self, m: TermMatrix, idf: Floats) -> Floats:
        return self._cosine.norms(m, idf)

    def weigh(self, tf: Floats, norm: Floats, idf: float | Floats) -> Floats:
        return self._cosine.weigh(tf, norm, idf)

    def weigh_query(self, terms: Terms, idf: Floats) -> Terms:
        return self._cosine.weigh_query(terms, idf)

    def formula(self, parts: Sequence[TermPart], documents: int) -> Iterator[tuple[str, Formula]]:
        return self._cosine.formula(parts, documents)

    def note(self, parts: Sequence[TermPart], documents: int, average: float) -> str:
        if not parts:
            return ""
        message = N_("passages: N = {n} · n-grams of the question: {grams}, of which this passage contains {shared}")
        return Said(message, n=documents, grams=len(parts), shared=sum(part.tf > 0 for part in parts))
