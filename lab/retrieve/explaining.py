"""How an index explains its scores: the protocol by which pages draw the arithmetic of any retriever.

For one question and one document, such an index gives the components of the score by name, each with its formula and
the numbers of the document, and it marks the parts of a text that match the question.
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
"""Returns the parts of a text to mark, as (start, end) in characters."""
COMMON = 0.25
"""A single character in more than this share of the passages is not marked if there are words, too: 的, 是."""


@dataclass(frozen=True)
class Explanation:
    """The arithmetic of one document's score for one question.

    ``addends`` are the formulas by name; their values sum to the score.  The mapping is empty if the document shares
    nothing with the question.  ``absent`` are the names of query terms that the document lacks.  ``note`` gives the
    numbers of the corpus that the formulas use.  ``search`` is the retriever as used for this question.  ``missing``
    says why a document without components is not in the list, if it has some of the words.
    ``beside`` are the names of components that do not belong to a term.
    """

    addends: Mapping[str, Formula]
    absent: tuple[str, ...]
    search: Retriever
    note: str = ""
    missing: str = ""
    beside: tuple[str, ...] = ()


@runtime_checkable
class Explains(Protocol):
    """An index whose scores are sums of components with names and formulas."""

    def names(self, query: str | Query, /) -> Mapping[str, str]:
        """Returns the name of each term of the question on the screen, by term."""

    def explanation(self, query: Query, doc_id: str, /) -> Explanation:
        """Returns the arithmetic of a document's score."""

    def marker(self, query: Query, /) -> Marker:
        """Returns a function that marks the parts of a text that match the question."""

    def reading(self, query: Query, /) -> str:
        """Says how this question is searched, if unusually; else empty."""


@runtime_checkable
class Reasons(Protocol):
    """An index that knows better than its words why its list is empty."""

    def reason(self, query: Query, /) -> str:
        """Says why nothing is found for this question, and what to do."""


@runtime_checkable
class Misses(Protocol):
    """An index that knows why a document is not in its list."""

    def missing(self, query: str | Query, document: Document, /) -> str:
        """Why the document is not in the list, however long that is; empty if it is."""


def word_marker(query: str, analyzer: Analyzer, matrix: TermMatrix | None = None) -> Marker:
    """Marks the words of the query, but not single characters that occur nearly everywhere in the corpus.

    Without the ``matrix`` of the corpus, single characters are marked only if the query has nothing else.
    """
    query = analyzer.without_asker(query)
    analyzer = analyzer.for_query(query)
    kinds = {token.text: token.kind for token in analyzer.spans(query)}
    common = {term for term, kind in kinds.items() if kind == "character"}
    if matrix is not None:
        most, number = COMMON * len(matrix.lengths), matrix.vocabulary
        common = {term for term in common if term in number and matrix.df[number[term]] > most}
    words = kinds.keys() - (common if common != kinds.keys() else set())
    return lambda text: matches(text, words, analyzer)
