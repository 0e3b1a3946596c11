"""What every expectation of a lesson is checked on: a list, a document, and what others of the lesson gave."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from lab.algebra import Document, Hit, Pipeline, Ranking, Searcher
from lab.answer.context import Sent
from lab.answer.extract import Extracted, Extractive
from lab.corpus.beir import Collection
from lab.errors import UnknownName
from lab.evaluate.judging import Placed
from lab.evaluate.measures import Scores
from lab.evaluate.runs import Run
from lab.lessons.values import known
from lab.refine.reorder import LongContextReorder
from lab.words import N_, Said

EXTRACT, EXTRACTIVE = Extractive(), Said("Write Extractive().")
MEASURE, JUDGED = "nDCG@10", "Judged@10"
"""The measures of a list's quality over all judged questions."""

Reading = tuple[float | bool | None, Said]
"""A value, None if there is none, and the finding in words."""


def _between(value: float, limits: list[float]) -> bool:
    return limits[0] <= value <= limits[1]


OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "is": operator.eq,
    "below": operator.lt,
    "at_most": operator.le,
    "at_least": operator.ge,
    "between": _between,
}
"""The comparisons of a reading with an expected value."""


def _expected(name: str, value: Any) -> Said:
    """Returns what a comparison expects, in words."""
    if name == "between":
        return Said("from {low} to {high}", low=value[0], high=value[1])
    if name == "is":
        return {True: Said("Yes"), False: Said("No")}[value] if isinstance(value, bool) else Said(str(value))
    if name == "at_least":
        return Said("at least {least}", least=value)
    return Said(N_("below {most}") if name == "below" else N_("at most {most}"), most=value)


@dataclass(frozen=True)
class Result:
    """The result of one expectation on one list: the finding, the expected one, and whether it passed."""

    passed: bool
    list: str
    found: Said
    wanted: Said = Said()

    @property
    def said(self) -> Said:
        """The finding and the expectation in one sentence."""
        if not self.wanted:
            return Said("{list}: {found}", list=self.list, found=self.found)
        return Said("{list}: {found}; expected: {wanted}.", list=self.list, found=self.found, wanted=self.wanted)


def rank_phrase(rank: int | None) -> Said:
    return Said("is not in the list") if rank is None else Said("is at rank {rank}", rank=rank)


def is_reordered(search: Searcher) -> bool:
    """Whether the places in a search's list are positions in a context, not ranks."""
    stages = search.refine if isinstance(search, Pipeline) else ()
    return bool(stages) and isinstance(stages[-1], LongContextReorder)


def sent(ranking: Ranking) -> tuple[Document, ...]:
    """Returns the passages of a list to answer from, best first; after a `Context`, the passages that it sends."""
    evidence = ranking.evidence
    return evidence.by_rank if isinstance(evidence, Sent) else tuple(hit.document for hit in ranking.hits)


def answered(ranking: Ranking, extract: Extractive = EXTRACT) -> Extracted:
    """Returns the extractive answer from a list's passages."""
    return extract.answer(ranking.query, sent(ranking), ranking.corpus)


@dataclass(frozen=True)
class Case:
    """The data of one expectation: the list's ranking, the document, and the lesson's lists by their names.

    Every method ``expect_…`` of its subclasses is a kind of expectation; its argument is the value in the file.  Every
    method ``read_…`` is a reading: it takes the arguments under ``of``, and its value is compared.
    """

    name: str
    search: Searcher
    ranking: Ranking
    doc: str
    lists: Callable[[str], Ranking]
    collection: Collection
    graded: Placed
    scores: Callable[[str], Scores]
    """nDCG@10 of a list's search over all judged questions."""
    runs: Callable[[str], Run]
    """The results of a list's search for all judged questions."""
    called: Callable[[str], str]
    """Returns the label of a list on the page."""
    expectation: Mapping[str, Any]
    """The whole expectation, as in the file."""
    OF_LISTS: ClassVar[frozenset[str]] = frozenset()
    """The readings of the class that do not mention a document."""

    @property
    def than(self) -> str:
        """The name of the list that a reading compares with."""
        return str(self.expectation.get("than", ""))

    def compared(self, name: str, expected: Any) -> Result:
        """Compares the reading of the expectation by the operator of this name; without one, the number of results."""
        kind, of = self.expectation.get("reading", "results"), self.expectation.get("of", [])
        read: Callable[..., Reading] | None = getattr(self, f"read_{kind}", None)
        if read is None:
            raise UnknownName(Said("There is no reading “{name}”.", name=kind), Said("Correct the file."))
        value, finding = read(*(of if isinstance(of, list | tuple) else [of]))
        return self.told(value is not None and OPERATORS[name](value, expected), finding, _expected(name, expected))

    @property
    def rank(self) -> int | None:
        """The document's rank, or None if it is not in the list."""
        return self.ranking.rank(self.known(self.doc).id)

    @property
    def hit(self) -> Hit | None:
        """The document's result in this list, or None."""
        return self.ranking.hit(self.known(self.doc).id)

    def known(self, doc_id: str) -> Document:
        """Returns a document of the corpus.  Raises `CorpusError` if it no longer exists."""
        return known(doc_id, self.collection.corpus)

    def title(self, doc_id: str) -> str:
        return self.known(doc_id).label

    def before(self, other: int | None) -> bool:
        """Whether the document is in the list, at a better rank than this one, which may be absent."""
        return self.rank is not None and (other is None or self.rank < other)

    def told(self, passed: bool, finding: Said, expected: Said) -> Result:
        return Result(passed, self.name, finding, expected)

    def placed(self, passed: bool, expected: Said) -> Result:
        """Returns the result with the document's rank as the finding."""
        values = {"title": self.title(self.doc), "rank": self.rank, "n": len(self.ranking)}
        place = N_("“{title}” is at rank {rank} of {n}")
        if self.rank is None:
            place = N_("“{title}” is not in the list (results: {n})")
        elif is_reordered(self.search):
            place = N_("“{title}” is at position {rank} of {n}")
        return self.told(passed, Said(place, **values), expected)
