"""BM25F: title and text are two fields with weights that share one saturation curve per word.

The sum of one BM25 per field, often called BM25F too, lets a word saturate twice: it rewards a word in both fields
more than two words in one.

Source: S. Robertson, H. Zaragoza and M. Taylor, *Simple BM25 Extension to Multiple Weighted Fields*, 2004; the length
of each field is normalised by itself, as in H. Zaragoza et al., *Microsoft Cambridge at TREC-13*, 2004.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import compress

import numpy as np

from lab.algebra import NONE, Corpus, Document, Models, Progress, Query, fraction, knob, must
from lab.formula import Formula, ln, n
from lab.numeric import Floats
from lab.retrieve.lexical import NORMALISATION, SATURATION, Lexical, LexicalIndex, TermPart
from lab.retrieve.matrix import TermMatrix
from lab.text import Analyzer, surface
from lab.words import N_, Said

FIELDS: Mapping[str, Callable[[Document], str]] = {"title": lambda d: d.title, "text": lambda d: d.text}


@dataclass(frozen=True, eq=False)
class FieldMatrix(TermMatrix):
    """Weighted counts: ``tf`` has c, a term's total over all fields of a document; ``fields`` are the counts of each.

    ``lengths`` are the tokens of all fields.
    """

    fields: Mapping[str, TermMatrix]

    @staticmethod
    def weighted(parts: Mapping[str, TermMatrix], weights: Mapping[str, Floats]) -> FieldMatrix:
        """Returns the sum of the counts times the weight of each document's field, without terms of weight 0."""
        from scipy import sparse

        terms = list(dict.fromkeys(term for m in parts.values() for term in m.vocabulary))
        number = {term: j for j, term in enumerate(terms)}
        lengths: Floats = np.asarray(sum(m.lengths for m in parts.values()))
        total = sparse.csc_array((len(lengths), len(terms)))
        for name, m in parts.items():
            place = np.array([number[term] for term in m.vocabulary], np.int64)
            column = np.repeat(place, np.diff(m.starts))
            c = m.tf * weights[name][m.docs]
            total = total + sparse.coo_array((c, (m.docs, column)), total.shape).tocsc()
        total.eliminate_zeros()
        total.sort_indices()
        used = np.diff(total.indptr) > 0
        starts = np.append(total.indptr[:-1][used], total.indptr[-1]).astype(np.int64)
        vocabulary = {term: j for j, term in enumerate(compress(terms, used.tolist()))}
        return FieldMatrix(vocabulary, starts, total.indices, total.data, lengths, parts)


def field_matrix(corpus: Corpus, analyzer: Analyzer, field: str, progress: Progress | None = None) -> TermMatrix:
    """Returns the term counts of one field; made once per analyzer and cached with the corpus."""

    def make(progress: Progress | None) -> TermMatrix:
        report = None if progress is None else lambda count: progress(count, len(corpus))
        return TermMatrix.count((FIELDS[field](d) for d in corpus), analyzer, report)

    return corpus.awaited(("terms of", field, analyzer), make, progress)


@dataclass(eq=False)
class FieldIndex(LexicalIndex):
    """An index of weighted counts that knows the counts of each field."""

    @cached_property
    def _fields(self) -> Mapping[str, TermMatrix]:
        assert isinstance(self.matrix, FieldMatrix)
        return self.matrix.fields

    def field_counts(self, term: str, place: int) -> Mapping[str, tuple[float, float, float]]:
        """Returns for each field how often it has the term, its length, and the average length."""
        counts = {}
        for name, m in self._fields.items():
            tf, j = 0.0, m.vocabulary.get(term)
            if j is not None:
                at = m.column(j)
                i = int(np.searchsorted(m.docs[at], place)) + at.start
                tf = float(m.tf[i]) if i < at.stop and m.docs[i] == place else 0.0
            counts[name] = (tf, float(m.lengths[place]), m.average_length)
        return counts

    def formulas(self, query: str | Query, doc_id: str) -> dict[str, Formula]:
        index = self.for_query(query)
        assert isinstance(index, FieldIndex)
        operator, place = index.operator, self.corpus.positions[doc_id]
        assert isinstance(operator, BM25F)
        sums = dict[str, Formula]()
        names = self.names(query)
        for part in index.explain(query, doc_id):
            if part.tf:
                counts = index.field_counts(part.term, place)
                addend, name = operator.addend(part, counts, len(self.corpus)), names[part.term]
                sums[name] = sums[name] + addend if name in sums else addend
        return sums


@dataclass(frozen=True)
class BM25F(Lexical):
    r"""BM25 of weighted fields: the sum over terms of ``idf * c / (k1 + c)``.

    ``c`` is the sum over the fields of ``weight * tf / (1 - b + b * length / average)``.  The fields are the title and
    the text, each with a b and an average length of its own; idf, Lucene's, is over passages that have the term in a
    field whose weight is not 0.  With weights of 1 and passages without titles it is `BM25`.
    """

    about = Said("By words, as BM25, with a weight for words of the title.")

    title: float = knob(
        1.0, Said("Title weight"), Said("A title word counts like this many text words."), low=0.0, high=20.0, step=0.5
    )
    text: float = knob(
        1.0, Said("Text weight"), Said("Weight of a text word."), low=0.0, high=20.0, step=0.5, rare=True
    )
    k1: float = SATURATION()
    b_title: float = fraction(0.5, Said("b of titles"), Said("How strongly long titles are penalised."))
    b: float = NORMALISATION()

    def __post_init__(self) -> None:
        super().__post_init__()
        must(
            self.title > 0 or self.text > 0, N_("The weights of title and text are both 0: give one a weight above 0.")
        )

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> FieldIndex:
        parts = {name: field_matrix(corpus, self.analyzer, name, progress) for name in FIELDS}
        weights = {name: self.weight_of(name) / self._norm(name, m) for name, m in parts.items()}
        key = ("weighted", self.analyzer, tuple((self.weight_of(name), self.b_of(name)) for name in FIELDS))
        matrix = corpus.once(key, partial(FieldMatrix.weighted, parts, weights))
        idf = self.idf(matrix)
        return FieldIndex(self, corpus, matrix, idf, self.norms(matrix, idf))

    def weight_of(self, field: str) -> float:
        return self.title if field == "title" else self.text

    def b_of(self, field: str) -> float:
        return self.b_title if field == "title" else self.b

    def _norm(self, field: str, m: TermMatrix) -> Floats:
        b = self.b_of(field)
        norm = 1 - b + b * m.lengths / m.average_length
        return np.asarray(np.where(norm > 0, norm, 1.0))  # for an empty field with b = 1, which has no terms

    def idf(self, m: TermMatrix) -> Floats:
        return np.asarray(np.log(1 + (len(m.lengths) - m.df + 0.5) / (m.df + 0.5)))

    def norms(self, m: TermMatrix, idf: Floats) -> Floats:
        return np.ones(len(m.lengths))

    def weigh(self, tf: Floats, norm: Floats, idf: float | Floats) -> Floats:
        return np.asarray(idf * tf / (self.k1 + tf))

    def note(self, parts: Sequence[TermPart], documents: int, average: float) -> str:
        return Said("passages: N = {n}", n=documents) if parts else ""

    def formula(self, parts: Sequence[TermPart], documents: int) -> Iterator[tuple[str, Formula]]:
        for part in parts:
            if part.tf:
                yield part.term, self._saturated(part, n(part.tf).called("c"), documents)

    def addend(self, part: TermPart, counts: Mapping[str, tuple[float, float, float]], documents: int) -> Formula:
        """Returns the component of a term, with the counts of all fields inside one saturation."""
        pieces: list[Formula] = []
        for field, (tf, length, average) in counts.items():
            weight, b = self.weight_of(field), self.b_of(field)
            if tf and weight:
                norm = n(1) - n(b) + n(b) * (n(length) / n(average))
                name = r"\text{title}" if field == "title" else r"\text{text}"
                pieces.append(((n(weight) * n(tf)) / norm).under(name))
        c = pieces[0] if len(pieces) == 1 else pieces[0] + pieces[1]
        letter = "c" if surface(part.term) == part.term else "c'"  # both may be in one sum
        return self._saturated(part, c.called(letter), documents)

    def _saturated(self, part: TermPart, c: Formula, documents: int) -> Formula:
        df, half = n(part.df), n(0.5)
        addend = ln(n(1) + (n(documents) - df + half) / (df + half)) * (c / (n(self.k1) + c))
        return n(part.count) * addend if part.count != 1 else addend
