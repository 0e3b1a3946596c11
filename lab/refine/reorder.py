"""The order of passages in a long context, and how much that order may matter.

`LongContextReorder` moves the best passages to the ends.  `attention` is a curve over the positions of a
context: an illustration with knobs, not a measurement of any model that is in use.

Sources: N. Liu et al., *Lost in the Middle: How Language Models Use Long Contexts*, 2023 (the effect);
LangChain's ``LongContextReorder`` (the order).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Env, Outcome, Ranking, Stage, counted, knob, one_of, within
from lab.words import Said

T = TypeVar("T")

ORDERS = {
    "long-context": Said("long-context (LangChain)"),
    "best first": Said("best first"),
    "reversed": Said("reversed"),
    "sides": Said("sides"),
}

PUBLISHED = (75.8, 57.2, 53.8, 55.4, 63.2)
"""GPT-3.5-Turbo's accuracy in percent with the answer in the 1st, 5th, 10th, 15th and 20th of 20 documents.

Liu et al. 2023, multi-document question answering (the curve of their figure 1, the numbers of the table in
their appendix)."""
_PUBLISHED_AT = tuple((position - 1) / 19 for position in (1, 5, 10, 15, 20))


@dataclass(frozen=True)
class LongContextReorder(Stage):
    """Changes only the order; scores and their components stay unchanged.

    ============  =================  ==========================================================
    order         [A, B, C, D] is    what it is for
    ============  =================  ==========================================================
    long-context  [B, D, C, A]       LangChain's: the best last, the second first, the worst in the middle
    best first    [A, B, C, D]       the ranking itself
    reversed      [D, C, B, A]       the best next to the question, if that comes last
    sides         [A, C, D, B]       the best first, the second last, the worst in the middle
    ============  =================  ==========================================================

    LangChain's deals the documents out from the worst to the best, in turns to the two ends, so that the
    best is last for an even number of documents but *first* for an odd one: [A, B, C] is [A, C, B].
    """

    inputs = ()
    label = Said("Long-context reorder")
    about = Said("Puts the best passages first and last, the positions that a model reads best.")

    order: str = knob(
        "long-context", Said("Order"), Said("Position of the best passages in the context."), choices=ORDERS
    )

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        return Outcome(arranged(ranking.hits, self.order))


def arranged(best_first: Sequence[T], order: str) -> tuple[T, ...]:
    """Arranges these items in one of the `ORDERS`."""
    one_of("order", order, ORDERS)
    things = tuple(best_first)
    if order == "best first":
        return things
    if order == "reversed":
        return things[::-1]
    if order == "sides" or len(things) % 2:
        return things[::2] + things[1::2][::-1]
    return things[1::2] + things[::2][::-1]


def attention(
    n: int, *, depth: float = 1.0, start: float = PUBLISHED[0], end: float = PUBLISHED[-1]
) -> NDArray[np.float64]:
    """Returns an illustrative curve: how much each of ``n`` positions of a context counts, shape [n], largest 1.

    By default it joins the five published points in `PUBLISHED` by straight lines over the relative
    position.  ``depth`` scales how far the middle lies under the line from the first position to
    the last: 0 is that line, 1 as published, up to 2.  ``start`` and ``end`` (1 to 100) move the two ends.
    One model of 2023 on one task: newer ones have flatter curves, or other ones.
    """
    counted("n", n, 0)
    within("depth", depth, 0, 2)
    within("start", start, 1, 100)
    within("end", end, 1, 100)
    x = np.linspace(0, 1, n) if n > 1 else np.zeros(n)
    published = np.interp(x, _PUBLISHED_AT, PUBLISHED)
    sag = published - (PUBLISHED[0] + (PUBLISHED[-1] - PUBLISHED[0]) * x)
    curve = np.maximum(start + (end - start) * x + depth * sag, 0.0)
    return np.asarray(curve / curve.max()) if n else curve


def attention_on(relevant: Sequence[bool | float], curve: NDArray[np.float64]) -> float:
    """Returns the share of all attention that falls on relevant positions: ``sum of a_i r_i / sum of a_i``.

    ``relevant`` says for each position whether (or, between 0 and 1, how much) its passage is relevant.
    """
    weight = np.asarray(relevant, dtype=np.float64)
    total = float(curve.sum())
    return float(weight @ curve) / total if total else 0.0
