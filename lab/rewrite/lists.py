"""Rewriting by rule as named lists, for lessons: from a query to the merged ranking of its wordings.

``lessons.check(lesson, collection, more=searches(collection.corpus, lesson.knobs))`` knows the lists ``multi-query``,
``step-back`` and so on.  Their knobs are those of the technique, and ``of`` (a retriever, bm25) and ``merge`` (rrf or
best score), as in ``multi-query.of = "vector"``.  A lesson of the page may use the page's own words: ``multi``, ``sub``,
``back``, ``document``, ``hyde`` and ``industry`` are the same lists, and ``of`` and ``merge`` alone hold for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lab import catalog
from lab.core import Corpus, Fusion, Ranking
from lab.errors import ParameterError
from lab.fuse import RRF
from lab.rewrite.base import Rewriter, apply
from lab.rewrite.domain import DomainVocabulary, adapters
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.query2doc import Query2Doc
from lab.rewrite.searching import DEPTH, BestScore, search
from lab.rewrite.step_back import StepBack
from lab.rewrite.sub_questions import SubQuestions
from lab.words import Said

TECHNIQUES: tuple[type[Rewriter], ...] = (
    MultiQuery,
    SubQuestions,
    StepBack,
    Query2Doc,
    HyDE,
    DomainVocabulary,
)
PAGE: Mapping[str, type[Rewriter]] = dict(
    zip(("multi", "sub", "back", "document", "hyde", "industry"), TECHNIQUES, strict=True)
)
"""What the page calls them."""
MERGES: Mapping[str, Fusion] = {"rrf": RRF(), "bestscore": BestScore(), "best": BestScore()}


def technique(cls: type[Rewriter], params: Mapping[str, Any]) -> Rewriter:
    """A technique from words; the adapter of `DomainVocabulary` by its name.  Raises `ParameterError`."""
    given = dict(params)
    if isinstance(given.get("adapter"), str):
        if given["adapter"] not in adapters():
            raise ParameterError(
                Said("There is no industry adapter “{name}”.", name=given["adapter"]),
                Said("Known are: {names}.", names=", ".join(adapters())),
            )
        given["adapter"] = adapters()[given["adapter"]]
    return catalog.make(cls, given)


def searches(corpus: Corpus, knobs: Mapping[str, Any] | None = None) -> dict[str, Callable[[str], Ranking]]:
    """One list per technique under its plain name (``multiquery``) and the page's, merged as there (`DEPTH` documents).  Raises `LabError` when asked."""
    shared = {name: (knobs or {})[name] for name in ("of", "merge") if name in (knobs or {})}

    def made(cls: type[Rewriter]) -> Callable[[str], Ranking]:
        names = {catalog.plain(cls.__name__), *(name for name, c in PAGE.items() if c is cls)}
        own = {
            **shared,
            **{
                k.partition(".")[2]: v
                for k, v in (knobs or {}).items()
                if catalog.plain(k.partition(".")[0]) in names and "." in k
            },
        }

        def ask(query: str) -> Ranking:
            params = dict(own)
            retriever = catalog.from_text(catalog.retrievers, str(params.pop("of", "bm25")))
            merge = catalog.plain(str(params.pop("merge", "rrf")))
            if merge not in MERGES:
                raise ParameterError(
                    Said("merge is “{value}”, but must be one of: {names}.", value=merge, names=", ".join(MERGES))
                )
            index = corpus.once(("index", retriever), lambda: retriever.index(corpus))
            return search(apply(technique(cls, params), query, corpus), index, k=DEPTH, fusion=MERGES[merge]).merged

        return ask

    return {
        name: made(cls) for name, cls in (*((catalog.plain(cls.__name__), cls) for cls in TECHNIQUES), *PAGE.items())
    }
