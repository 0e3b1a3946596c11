"""Sentences that say who does what to whom, in several ways each, for pairs of the same words in another order.

A relation has statements of (a, b) and questions that hold for (a, b) and not for (b, a).  `relations.tsv` is for
training only; the pairs that the model is judged by (`order_pairs.tsv`) have other patterns and other words.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

LINES = Path(__file__).with_suffix(".tsv")


class Relation(NamedTuple):
    """Ways to state a relation between {a} and {b}, and questions that such a statement answers."""

    statements: tuple[str, ...]
    questions: tuple[str, ...]


def relations(language: str) -> list[Relation]:
    """Returns the relations of a language (en, zh): of each line the statements and the questions."""
    lines = (line.split("\t") for line in LINES.read_text("utf-8").splitlines())
    return [Relation(*(tuple(half.split(" | ")) for half in halves)) for side, *halves in lines if side == language]


class Example(NamedTuple):
    """A question, a passage that answers it, and one of nearly the same words that says the opposite."""

    question: str
    positive: str
    negative: str
    relation: int


def spread(statement: str, others: Sequence[str], random: Random) -> str:
    """Puts the beginning of another sentence beside a name in half of all statements."""
    if random.random() < 0.5:
        return statement
    other, name = random.choice(others), random.choice(("{a}", "{b}"))
    words = other.split() if " " in other else other
    part = (" " if " " in other else "").join(words[: random.randint(1, 4)]).strip(",.。，?!？！")
    return statement.replace(name, f"{part} {name}" if random.random() < 0.5 else f"{name} {part}")


def example(which: Sequence[Relation], names: Sequence[str], others: Sequence[str], random: Random) -> Example:
    """Draws a relation and two names; twice in three the passages are one sentence with the names exchanged."""
    number = random.randrange(len(which))
    relation, (a, b) = which[number], random.sample(names, 2)
    right = spread(random.choice(relation.statements), others, random)
    wrong = right if random.random() < 0.65 else spread(random.choice(relation.statements), others, random)
    question = random.choice(relation.questions if random.random() < 0.8 else relation.statements)
    before, after = (random.choice(others) if random.random() < 0.3 else "" for _ in range(2))
    texts = (f"{before} {s} {after}" for s in (right.format(a=a, b=b), wrong.format(a=b, b=a)))
    return Example(question.format(a=a, b=b), *texts, number)
