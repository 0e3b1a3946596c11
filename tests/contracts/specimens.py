"""One of each: operators made from every class that the catalogue finds, and drawn corpora (`lab.contracts`).

A new technique is held to the contracts without an edit here, unless it cannot be made without parameters
or cannot work without a model or a server: then `NEEDS` says what to give it.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import strategies as st
from night import spread

from lab import catalog
from lab.algebra import Corpus, Document, Lift, Operator
from lab.contracts.specimens import BETWEEN, ODD, TITLES, WORDS, documents_of, specimens, written
from lab.derive.chunk import Chunk
from lab.fuse import RRF, WeightedSum
from lab.models.embedders import Embedder
from lab.refine.filters import MinimumMatch
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.routing import Destination, WordTable

NEEDS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "LSA": [{"size": 4}],  # quick on small corpora
    "Given": [{"field": "n"}, {"rows": ("d1 0.5", "d0 0.5", "d9 1", "only 0")}, {"rows": ("d2", "d0")}],
    "KeywordExclusion": [{"words": ("battery", "电池")}],
    "MetadataFilter": [{"max_age_days": 30, "as_of": "2025-06-30", "required": ("n",)}],
    "Where": [{"condition": "n > 2 and not lang = zh"}, {"condition": "n in (1, 3)", "undecided": "keep"}],
    "Allowed": [{"groups": ("x",), "field": "tags"}, {"groups": ("2025-06-20",), "field": "date", "missing": "show"}],
    "Only": [{"groups": ("2025-06-20", "Soon"), "field": "date"}, {"groups": ("x",), "field": "tags"}],
    "MMR": [{"k": 3, "fetch_k": 5}],
    "EmbeddingsFilter": [{"k": 2}],
    "Top": [{"k": 2}],
    "MinimumMatch": [{"minimum": 0.6}],
    "Chunk": [{"size": 20, "overlap": 5}],
    "ParentChild": [{"parent": 40, "child": 20}, {"parent": 60, "child": 30, "overlap": 10}],
    "Rocchio": [{"more": ("a", "d0"), "less": ("b", "d1")}],
    "WordTable": [{"table": (("battery", "words"), ("年假", "meaning"))}],
    "Fallback": [{"first": BM25() >> MinimumMatch(0.9), "then": Vector()}],
    "Selective": [{"first": BM25(), "then": BM25() >> MinimumMatch(0.5), "minimum": 0.6}],
    "Route": [
        {
            "router": WordTable((("battery", "words"),), "meaning"),
            "routes": (Destination("words", BM25()), Destination("meaning", Vector())),
        }
    ],
    "Pipeline": [
        {"retrieve": (BM25(),)},
        {"retrieve": (BM25(), TFIDF()), "fuse": WeightedSum((2.0, 1.0)), "refine": (MinimumMatch(0.2),), "depth": 5},
        {"retrieve": (Vector(),), "rewrite": MultiQuery(), "merge": RRF(k=10), "name": "reworded"},
        {"retrieve": (TFIDF(),), "derive": (Chunk(size=20, overlap=5),), "refine": (Lift(),)},
    ],
}
"""Class name to parameter sets, for classes that cannot be made from defaults, or do nothing or much by them."""

ELSEWHERE = {"E5Small", "SentenceTransformer", "Model2Vec", "EndpointEmbedder"}
"""What works only with a package, a downloaded model or a server: made here, put to work in tests of its own."""

ONE_EMBEDDER = {"ChromaVector", "MilvusVector"}
"""Slow ones, for which one embedder is as good as another."""


def made(cls: type[Operator]) -> list[Operator]:
    """The operators of `NEEDS`, or the one of the defaults; after each, one for every choice, switch and embedder."""
    others = () if cls.__name__ in ONE_EMBEDDER or not holds_embedder(cls) else embedders()
    return [op for start in NEEDS.get(cls.__name__, [{}]) for op in specimens(cls, start, others)]


def holds_embedder(cls: type[Operator]) -> bool:
    """Whether a field of the class is an embedder by default."""
    return any(isinstance(catalog.default(f), Embedder) for f in dataclasses.fields(cls))


def embedders() -> list[Embedder]:
    """Every embedder that works without a download."""
    return [
        e
        for cls in catalog.embedders().values()
        if cls.__name__ not in ELSEWHERE
        for e in made(cls)
        if isinstance(e, Embedder)
    ]


def missing(cls: type[Operator]) -> list[str]:
    """The fields that have no default and no entry in `NEEDS`."""
    if cls.__name__ in NEEDS:
        return []
    return [p.name for p in inspect.signature(cls).parameters.values() if p.default is p.empty]


def all_of(classes: Mapping[str, type[Operator]], *, working: bool = False, varied: int | None = None) -> list[Any]:
    """All specimens of these classes, each a pytest parameter that is named by what is not its default.

    With ``varied``, the suite has every start and this number of the specimens that differ in a single knob; the
    others are nightly.
    """
    each = [made(cls) for name, cls in classes.items() if not missing(cls) and not (working and name in ELSEWHERE)]
    listed = [pytest.param(op, id=written(op)) for ops in each for op in ops]
    if varied is None:
        return listed
    starts = {written(type(ops[0])(**start)) for ops in each for start in NEEDS.get(type(ops[0]).__name__, [{}])}
    others = iter(spread([case for case in listed if case.id not in starts], varied))
    return [case if case.id in starts else next(others) for case in listed]


# ---------------------------------------------------------------------------------------------- corpora

TINY = Corpus(
    "tiny", (Document("a", "耳机 battery 充电"), Document("b", "年假 申请 the of"), Document("c", "battery 退货"))
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A few words in two languages, with and without blanks; now and then something odd."""
    words = draw(st.lists(st.sampled_from(WORDS), max_size=8))
    text = draw(st.sampled_from(BETWEEN)).join(words)
    return text + draw(st.sampled_from(ODD)) if draw(st.integers(0, 5)) == 0 else text


@st.composite
def documents(draw: st.DrawFn, *, size: int = 7) -> tuple[Document, ...]:
    """Documents with and without titles; few words, so that repeats and ties happen."""
    return documents_of(draw(st.lists(st.tuples(texts(), st.sampled_from(TITLES)), max_size=size)))


@st.composite
def corpora(draw: st.DrawFn, *, size: int = 7) -> Corpus:
    """Corpora of 0 to ``size`` documents."""
    return Corpus("made up", draw(documents(size=size)))


OPERATORS = (
    "+{} {}",
    "{1} -{0}",
    "“{}” {}",
    '{1} "{1}"',
    "{} AND {}",
    "{} OR NOT ({})",
    "title:{} {}",
    "n:1 -tags:{} {}",
)
"""How a word and a text become a question with operators."""


@st.composite
def queries(draw: st.DrawFn) -> str:
    """Texts; one in three has operators."""
    text = draw(texts())
    if draw(st.integers(0, 2)):
        return text
    return draw(st.sampled_from(OPERATORS)).format(draw(st.sampled_from(WORDS)), text)
