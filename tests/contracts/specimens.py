"""One of each: operators made from every class that the catalogue finds, and corpora to try them on.

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
from lab.algebra import Corpus, Derivation, Document, Fusion, Lift, Operator, Rewriter, Searcher, Stage
from lab.derive.chunk import Chunk
from lab.fuse import RRF, WeightedSum
from lab.models.embedders import Embedder
from lab.refine.filters import MinimumMatch
from lab.refine.hybrid import HybridSimilarity
from lab.refine.tags import Tags
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.routing import Destination, Route, Router, WordTable

NEEDS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "LSA": [{"size": 4}],  # quick on small corpora
    "KeywordExclusion": [{"words": ("battery", "电池")}],
    "MetadataFilter": [{"max_age_days": 30, "as_of": "2025-06-30", "required": ("n",)}],
    "MMR": [{"k": 3, "fetch_k": 5}],
    "EmbeddingsFilter": [{"k": 2}],
    "Top": [{"k": 2}],
    "MinimumMatch": [{"minimum": 0.6}],
    "Chunk": [{"size": 20, "overlap": 5}],
    "ParentChild": [{"parent": 40, "child": 20}, {"parent": 60, "child": 30, "overlap": 10}],
    "Rocchio": [{"more": ("a", "d0"), "less": ("b", "d1")}],
    "WordTable": [{"table": (("battery", "words"), ("年假", "meaning"))}],
    "Fallback": [{"first": BM25() >> MinimumMatch(0.9), "then": Vector()}],
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

ELSEWHERE = {"E5Small", "SentenceTransformer", "Model2Vec", "EndpointEmbedder", "CrossEncoderReranker"}
"""What works only with a package, a downloaded model or a server: made here, put to work in tests of its own."""

ONE_EMBEDDER = {"ChromaVector", "MilvusVector"}
"""Slow ones, for which one embedder is as good as another."""


def made(cls: type[Operator]) -> list[Operator]:
    """The operator with its defaults, then one for every choice, switch and embedder that it offers."""
    out: list[Operator] = []
    for start in NEEDS.get(cls.__name__, [{}]):
        first = cls(**start)
        out.append(first)
        for f in dataclasses.fields(cls):
            value = getattr(first, f.name)
            others: list[Any] = []
            if f.metadata.get("choices"):
                others = [c for c in f.metadata["choices"] if c != value]
            elif isinstance(value, bool):
                others = [not value]
            elif isinstance(value, Embedder) and cls.__name__ not in ONE_EMBEDDER:
                others = [e for e in embedders() if e != value]
            out += [dataclasses.replace(first, **{f.name: other}) for other in others]
    return out


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
    listed = [pytest.param(op, id=spoken(op)) for ops in each for op in ops]
    if varied is None:
        return listed
    starts = {spoken(type(ops[0])(**start)) for ops in each for start in NEEDS.get(type(ops[0]).__name__, [{}])}
    others = iter(spread([case for case in listed if case.id not in starts], varied))
    return [case if case.id in starts else next(others) for case in listed]


def spoken(op: Operator) -> str:
    """``BM25(variant=plus)``: the class and what differs from its defaults."""
    unusual = []
    for f in dataclasses.fields(op):
        default = f.default_factory() if f.default_factory is not dataclasses.MISSING else f.default
        value = getattr(op, f.name)
        if value != default:
            unusual.append(f"{f.name}={spoken(value) if isinstance(value, Operator) else value}")
    return f"{type(op).__name__}({', '.join(unusual)})"


def searching(op: Operator) -> Searcher | None:
    """A search that has this operator in it; None where no search holds such a one (a language model)."""
    if isinstance(op, Searcher):
        return op
    if isinstance(op, Stage):
        return BM25() >> op
    if isinstance(op, Fusion):
        return op(BM25(), TFIDF())
    if isinstance(op, Rewriter | Derivation):
        return op(BM25())
    if isinstance(op, Embedder):
        return Vector(embedder=op)
    if isinstance(op, Router):
        return Route(op, (Destination("words", BM25()), Destination("meaning", Vector())))
    if isinstance(op, Tags):
        return BM25() >> HybridSimilarity(tagger=op)
    return None


# ---------------------------------------------------------------------------------------------- corpora

WORDS = [
    *["headphones", "WH-1000XM5", "E21", "v2.1", "battery", "Battery", "noise", "the", "of", "３．５", "ｍｍ"],
    *[
        "年假",
        "报销",
        "申请",
        "充电",
        "电池",
        "耳机",
        "蓝牙",
        "断开",
        "重启",
        "加班",
        "工资",
        "退货",
        "一",
        "的",
        "了",
        "在",
        "是",
    ],
]
ODD = [
    "",
    " ",
    "\n",
    "？！",
    "\x00",
    "\ud83d",
    "😀",
    "𠮷野家",
    "ß İ ς",
    "\u200b",
    "a" * 300,
    "电" * 60,
    "<b>&amp;</b>",
    "NULL",
    "-._-",
]

TINY = Corpus(
    "tiny", (Document("a", "耳机 battery 充电"), Document("b", "年假 申请 the of"), Document("c", "battery 退货"))
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A few words in two languages, with and without blanks; now and then something odd."""
    words = draw(st.lists(st.sampled_from(WORDS), max_size=8))
    text = draw(st.sampled_from(["", " ", "，"])).join(words)
    return text + draw(st.sampled_from(ODD)) if draw(st.integers(0, 5)) == 0 else text


@st.composite
def documents(draw: st.DrawFn, *, size: int = 7) -> tuple[Document, ...]:
    """Documents with and without titles; few words, so that repeats and ties happen."""
    contents = draw(st.lists(st.tuples(texts(), st.sampled_from(["", "", "电池", "Manual"])), max_size=size))
    dates = ["2025-06-20", "2024-01-01", "soon", ""]
    return tuple(
        Document(f"d{i}", text, title, {"n": i, "tags": ["x"], "date": dates[i % len(dates)]})
        for i, (text, title) in enumerate(contents)
    )


@st.composite
def corpora(draw: st.DrawFn, *, size: int = 7) -> Corpus:
    """Corpora of 0 to ``size`` documents."""
    return Corpus("made up", draw(documents(size=size)))


queries = texts
