"""Inputs of the contracts: operators with every choice of their knobs, and small corpora made of few words.

Few words make repeats, ties and empty lists likely; now and then a text has oddities that documents really contain.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from lab.algebra import Corpus, Derivation, Document, Fusion, Operator, Rewriter, Searcher, Stage
from lab.models.embedders import Embedder
from lab.refine.hybrid import HybridSimilarity
from lab.refine.tags import Tags
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.routing import Destination, Route, Router

WORDS = (
    *("headphones", "WH-1000XM5", "E21", "v2.1", "battery", "Battery", "noise", "the", "of", "３．５", "ｍｍ"),
    *("年假", "报销", "申请", "充电", "电池", "耳机", "蓝牙", "断开", "重启", "加班", "工资", "退货"),
    *("一", "的", "了", "在", "是"),
)
ODD = (
    *("", " ", "\n", "？！", "\x00", "\ud83d", "😀", "𠮷野家", "ß İ ς", "\u200b", "a" * 300, "电" * 60),
    *("<b>&amp;</b>", "NULL", "-._-"),
)
BETWEEN = ("", " ", "，")
TITLES = ("", "", "电池", "Manual")
DATES = ("2025-06-20", "2024-01-01", "soon", "")
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Case(NamedTuple):
    """A corpus and a question."""

    corpus: Corpus
    query: str

    def __str__(self) -> str:
        n = len(self.corpus)
        return f"corpus of {n} document{'s' * (n != 1)}, question {self.query!r}"


def specimens(
    cls: type[Operator], start: Mapping[str, Any] = NOTHING, embedders: Iterable[Embedder] = ()
) -> list[Operator]:
    """Returns the operator with the parameters ``start``, then one for every choice, switch and embedder it offers."""
    first = cls(**start)
    operators = [first]
    for field in dataclasses.fields(cls):
        value, values = getattr(first, field.name), list[Any]()
        if field.metadata.get("choices"):
            values = [choice for choice in field.metadata["choices"] if choice != value]
        elif isinstance(value, bool):
            values = [not value]
        elif isinstance(value, Embedder):
            values = [embedder for embedder in embedders if embedder != value]
        operators += [dataclasses.replace(first, **{field.name: other}) for other in values]
    return operators


def written(operator: Operator) -> str:
    """Returns ``BM25(variant=plus)``: the class and the parameters that differ from its defaults."""
    unusual = []
    for field in dataclasses.fields(operator):
        default = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        value = getattr(operator, field.name)
        if value != default:
            unusual.append(f"{field.name}={written(value) if isinstance(value, Operator) else value}")
    return f"{type(operator).__name__}({', '.join(unusual)})"


def search_with(operator: Operator) -> Searcher | None:
    """Returns a search with this operator in it; None for a kind that no search contains (a citation rule)."""
    if isinstance(operator, Searcher):
        return operator
    if isinstance(operator, Stage):
        return BM25() >> operator
    if isinstance(operator, Fusion):
        return operator(BM25(), TFIDF())
    if isinstance(operator, Rewriter | Derivation):
        return operator(BM25())
    if isinstance(operator, Embedder):
        return Vector(embedder=operator)
    if isinstance(operator, Router):
        return Route(operator, (Destination("words", BM25()), Destination("meaning", Vector())))
    if isinstance(operator, Tags):
        return BM25() >> HybridSimilarity(tagger=operator)
    return None


def documents_of(contents: Iterable[tuple[str, str]]) -> tuple[Document, ...]:
    """Returns documents with these (text, title) pairs, numbered, with metadata of every kind."""
    return tuple(
        Document(f"d{i}", text, title, {"n": i, "tags": ["x"], "date": DATES[i % len(DATES)]})
        for i, (text, title) in enumerate(contents)
    )


def random_text(random: Random) -> str:
    """Returns a few words in two languages, with and without spaces; now and then something odd."""
    text = random.choice(BETWEEN).join(random.choice(WORDS) for _ in range(random.randrange(9)))
    return text + random.choice(ODD) if random.randrange(6) == 0 else text


def random_cases(count: int, seed: int = 0, size: int = 7) -> list[Case]:
    """Returns corpora of 0 to ``size`` documents, each with a question: the same for the same seed."""
    random, cases = Random(seed), list[Case]()
    for _ in range(count):
        contents = [(random_text(random), random.choice(TITLES)) for _ in range(random.randrange(size + 1))]
        cases.append(Case(Corpus("made up", documents_of(contents)), random_text(random)))
    return cases
