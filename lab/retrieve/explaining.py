"""What an index says of its own scores: the protocol by which pages draw the arithmetic of any retriever.

For one question and one document, an index that explains itself gives the addends of the score by name, each with its
formula and the numbers of the document, and it marks in a text what that shares with the question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from lab.algebra import Document, Query, Retriever
from lab.formula import Formula
from lab.retrieve.matrix import TermMatrix
from lab.text import Analyzer, matches

Marker = Callable[[str], list[tuple[int, int]]]
"""Gives the places in a text that are marked, as (start, end) in characters."""
COMMON = 0.25
"""A single character that more passages have than this share of them is not marked beside words: 的, 是."""


@dataclass(frozen=True)
class Explanation:
    """The arithmetic of one document's score for one question.

    ``addends`` are the formulas by name; their values sum to the score, and there are none for a document that shares
    nothing with the question.  ``absent`` are the names of what the question asks for and the document lacks.  ``note``
    tells the numbers of the corpus that the formulas use.  ``search`` is the retriever as it works for this question.
    ``missing`` says why a document without addends is not in the list, if not because it lacks all words.
    ``beside`` are the names of addends that are not of a term.
    """

    addends: Mapping[str, Formula]
    absent: tuple[str, ...]
    search: Retriever
    note: str = ""
    missing: str = ""
    beside: tuple[str, ...] = ()


@runtime_checkable
class Explains(Protocol):
    """An index whose scores are sums with a name and a formula for each addend."""

    def names(self, query: str | Query, /) -> Mapping[str, str]:
        """What each term of the question is called, by term."""

    def explanation(self, query: Query, doc_id: str, /) -> Explanation:
        """The arithmetic of a document's score."""

    def marker(self, query: Query, /) -> Marker:
        """Marks what a text shares with the question."""

    def reading(self, query: Query, /) -> str:
        """How this question is looked up, if otherwise than most; else empty."""


@runtime_checkable
class Reasons(Protocol):
    """An index that knows better than its words why its list is empty."""

    def reason(self, query: Query, /) -> str:
        """Why nothing is found for this question, and what to do."""


@runtime_checkable
class Misses(Protocol):
    """An index that knows why a document is not in its list."""

    def missing(self, query: str | Query, document: Document, /) -> str:
        """Why the document is not in the list, however long that is; empty if it is."""


def word_marker(query: str, analyzer: Analyzer, matrix: TermMatrix | None = None) -> Marker:
    """Marks the words of the query, but for single characters that stand nearly everywhere in the corpus.

    Without the ``matrix`` of the corpus no single character is marked beside words.
    """
    analyzer = analyzer.for_query(query)
    kinds = {token.text: token.kind for token in analyzer.spans(query)}
    common = {term for term, kind in kinds.items() if kind == "character"}
    if matrix is not None:
        most, number = COMMON * len(matrix.lengths), matrix.vocabulary
        common = {term for term in common if term in number and matrix.df[number[term]] > most}
    words = kinds.keys() - (common if common != kinds.keys() else set())
    return lambda text: matches(text, words, analyzer)
