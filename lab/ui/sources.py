"""The lists that a page can start from: every retriever with every embedder, by a short name.

``bm25``, ``tfidf``, ``vector`` (the embedder chosen in the frame) and ``vector-<embedder>``.  Pages that fuse
or refine let the visitor choose some of them, and get rankings, names and colours alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from lab.core import Index, Ranking, Retriever
from lab.fuse import WeightedSum
from lab.retrieve.lexical import BM25, TFIDF, LexicalIndex
from lab.retrieve.vector import Vector
from lab.ui import cache, palette, settings, show, why
from lab.ui.frame import Frame, embedder_label
from lab.ui.i18n import _
from lab.ui.page import Page


@dataclass(frozen=True)
class Source:
    """A retriever with what the page calls it and paints it."""

    key: str
    retriever: Retriever
    name: str
    colour: str


def known(f: Frame) -> dict[str, Source]:
    """Every source for this frame, by its short name."""
    bm25, tfidf = BM25(), TFIDF()
    out = {
        "bm25": Source("bm25", bm25, "BM25", palette.family(bm25)),
        "tfidf": Source("tfidf", tfidf, "TF-IDF", palette.family(tfidf)),
    }
    others = [e for e in settings.embedders().values() if e != f.embedder]
    for i, embedder in enumerate([f.embedder, *others]):
        key = "vector" if i == 0 else f"vector-{embedder.name}"
        vector = Vector(embedder)
        out[key] = Source(key, vector, _("Vector") + " · " + embedder_label(embedder), palette.family(vector, i))
    return out


def choose(
    page: Page, name: str = "lists", default: Sequence[str] = ("bm25", "vector"), label: str = "", help: str = ""
) -> list[Source]:
    """Let the visitor choose the lists; gives them in the order of choice."""
    all_of_them = known(page.frame)
    picked = page.several(
        name, label or _("Lists"), list(all_of_them), list(default), help, format_func=lambda k: all_of_them[k].name
    )
    return [all_of_them[k] for k in picked]


def index(source: Source, f: Frame) -> Index:
    """The shared index of a source over the corpus."""
    return cache.index(source.retriever, f.corpus)


def search(sources: Sequence[Source], f: Frame, query: str, *, k: int, explain: bool = True) -> list[Ranking]:
    """One ranking per source."""
    return [index(s, f).search(query, k=k, explain=explain) for s in sources]


def panels(sources: Sequence[Source], rankings: Sequence[Ranking], f: Frame, query: str) -> list[show.Panel]:
    """The rankings as lists to draw, with marks and reasons for empty ones."""
    out = []
    for s, ranking in zip(sources, rankings, strict=True):
        at = index(s, f)
        if isinstance(at, LexicalIndex):
            mark = show.word_marker(query, at.operator.analyzer)
            terms = list(at.query_terms(query))
        else:
            mark, terms = why.meaning_marker(at, query), []
        out.append(show.Panel(ranking, s.name, s.colour, mark, empty=show.nothing(query, ranking, terms)))
    return out


def candidates(
    page: Page, query: str, *, default: Sequence[str] = ("bm25",), depth: int = 50
) -> tuple[Ranking, show.Panel]:
    """The first stage that the visitor chooses: one list, or several fused by the min-max sum that the lab uses.

    Draws the picker; gives the ranking and its panel.
    """
    chosen = choose(
        page,
        "from",
        default,
        _("Candidates from"),
        _("One list, or several, which are then fused (min–max, the first twice the weight of the others)."),
    )
    if not chosen:
        st.info(_("Choose at least one list."), icon=":material/list:")
        page.stop()
    rankings = search(chosen, page.frame, query, k=depth)
    drawn = panels(chosen, rankings, page.frame, query)
    first = first_stage(chosen, rankings)
    if len(chosen) == 1:
        return first, drawn[0]
    name = " + ".join(s.name.split(" · ")[0] for s in chosen)
    return first, show.Panel(first, name, palette.family(first.made_by), drawn[0].mark, empty=drawn[0].empty)


def first_stage(chosen: Sequence[Source], rankings: Sequence[Ranking]) -> Ranking:
    """One list as it is; several fused by the min-max sum, the first with twice the weight of each other."""
    if len(chosen) == 1:
        return rankings[0]
    other = 1 / (len(chosen) + 1)
    return WeightedSum((2 * other, *([other] * (len(chosen) - 1))))(rankings)
