"""Pages: which results a reader sees on page n, and how a page beyond the rerank window comes to be empty.

A service that reranks does so on a window of the list, and cuts the page out of what it has reranked.  If the window
moves on with the page, the place of the page has to be counted from the beginning of the window.  Counted from the
beginning of the whole list, every page behind the first window is empty.

Source: RAGFlow's ``rag/nlp/search.py`` (``retrieval``): its version 0.20 rounds the window to the nearest number of
pages and counts from the first page; 0.22.0 rounds up and counts within the window.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

from lab.algebra import Drop, Env, Later, Outcome, Ranking, Stage, knob
from lab.words import N_, Said

ROUNDINGS = {"up": Said("up to whole pages (0.22)"), "nearest": Said("to the nearest page (0.20)")}
ROUNDING: Any = partial(
    knob,
    "up",
    choices=ROUNDINGS,
    label=Said("Window in pages"),
    help=Said("How RAGFlow rounds the window, by version. The nearest page makes 60 of 64 for pages of 10, 1 for 200."),
    rare=True,
)
"""A knob of every stage that works on windows."""


def aligned(window: int, page_size: int, rounding: str) -> int:
    """Returns the window rounded to whole pages of this size, at least one page."""
    pages = math.ceil(window / page_size) if rounding == "up" else int(window / page_size + 0.5)
    return max(1, pages * page_size)


@dataclass(frozen=True)
class Paging(Stage):
    """Shows one page of a list: ``size`` results from place ``(number - 1) * size + 1`` on; the others are dropped.

    ``window`` is the window of the reranker before it, 0 if there is none.  ``counted`` says where the position of the
    page is counted from once its window has been cut out: from the start of the window, or from the start of the list.
    The latter is a mistake: after the first window every page is empty.
    """

    technique = Said("Paging")
    about = Said("Shows one page of the list, as a service with a rerank window does.")
    inputs = ()
    role = "filter"

    number: int = knob(1, Said("Page number"), Said("The first page is 1."), low=1, high=10_000)
    size: int = knob(10, Said("Results per page"), Said("Results on a page."), low=1, high=1000)
    window: int = knob(
        64,
        Said("Rerank window"),
        Said("Results that are reranked together, in whole pages. 0: there is no window."),
        low=0,
        high=1000,
    )
    counted: str = knob(
        "window",
        Said("Place of the page"),
        Said("From where the results before the page are counted, by version of RAGFlow."),
        choices={"window": Said("within the window (0.22)"), "list": Said("from the first page (0.20, a mistake)")},
    )
    rounding: str = ROUNDING()

    @property
    def label(self) -> str:
        return Said("Page {n}", n=self.number)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        begin, end = self.span(ranking)

        def drops() -> list[Drop]:
            message, values = (
                N_("Rank {rank}: page {page} has ranks {first} to {last}."),
                {"first": begin + 1, "last": end},
            )
            if begin >= end:
                message = N_("Rank {rank}: page {page} is empty, it begins at place {first}, and the list ends at {n}.")
                first = (self.number - 1) * self.size
                values = {"first": first + 1, "n": len(ranking)}
                if self.counted == "list" and first < len(ranking):
                    message = N_(
                        "Rank {rank}: page {page} is empty, it begins at place {first}, and the window ends at {n}."
                    )
                    values["n"] = self.aligned_window
            left = [(rank, hit) for rank, hit in enumerate(ranking.hits, 1) if not begin < rank <= end]
            return [
                Drop(hit.document, Said(message, rank=rank, page=self.number, **values), self.label)
                for rank, hit in left
            ]

        return Outcome(ranking.hits[begin:end], Later(drops))

    @property
    def aligned_window(self) -> int:
        """Returns the window rounded to whole pages; 0 without a window."""
        return aligned(self.window, self.size, self.rounding) if self.window else 0

    def span(self, ranking: Ranking) -> tuple[int, int]:
        """Returns the range of positions that the page shows, from 0; the end is exclusive.

        After a reranker with windows, a result is in the window that it had before: some of it may have been removed.
        """
        n, begin, window = len(ranking), (self.number - 1) * self.size, self.aligned_window
        if not window:
            return min(begin, n), min(begin + self.size, n)
        nth = math.ceil(self.number * self.size / window) - 1
        before = ranking.parents[0] if ranking.parents and hasattr(ranking.made_by, "aligned_window") else ranking
        windows = [((before.rank(hit.document.id) or 1) - 1) // window for hit in ranking]
        start, stop = sum(w < nth for w in windows), sum(w <= nth for w in windows)
        within = begin - nth * window if self.counted == "window" else begin
        first = min(start + max(within, 0), stop)
        return first, min(first + self.size, stop)
