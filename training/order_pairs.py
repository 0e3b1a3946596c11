"""Two hundred pairs of passages with the same words in another order, to judge a model by and never to train it on.

A line of `order_pairs.tsv` is a language, a question, a passage that answers it, and names for {a} and {b}; with the
names exchanged the passage says the opposite in the same words.  In a third of the lines the passage has the names in
the other order than the question.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

LINES = Path(__file__).with_suffix(".tsv")


class OrderPair(NamedTuple):
    """A question, the passage that answers it, and the same words in another order."""

    question: str
    right: str
    wrong: str


def order_pairs(language: str) -> list[OrderPair]:
    """Returns every line of a language (en, zh) with each of its pairs of names."""
    pairs = []
    for line in LINES.read_text("utf-8").splitlines():
        side, question, passage, names = line.split("\t")
        for a, b in (both.split(", ") for both in names.split("; ") if side == language):
            texts = (question.format(a=a, b=b), passage.format(a=a, b=b), passage.format(a=b, b=a))
            pairs.append(OrderPair(*texts))
    return pairs
