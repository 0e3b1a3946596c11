"""One chunk of the Granularity page under each line of context: the text that is searched, its rank, late chunking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from lab.algebra import Derivation, Document, Pipeline, Query, Ranking
from lab.derive.chunk import Chunk
from lab.derive.context import ContextLine
from lab.derive.parts import ParentChild
from lab.explain.late import pooled
from lab.explain.lifting import Lifting, Piece
from lab.models.embedders import encoder_of
from lab.models.static import StaticEncoder
from lab.retrieve.vector import Vector
from lab.ui import components, escape, palette
from lab.ui.i18n import _, say
from lab.ui.layout.page import Page
from lab.ui.lists.sources import Source

KEY = ContextLine.key
PARENT_CHILD = ParentChild.key


@dataclass(frozen=True)
class Variant:
    """A chunking with one kind of context line, or with none."""

    name: str
    derivation: Derivation


def with_cut(derivations: Mapping[str, Derivation]) -> dict[str, Derivation]:
    """Returns the derivations; chunks with context are those of “Parent and child”, as the visitor has set it."""
    changed, cut = dict(derivations), derivations.get(PARENT_CHILD)
    if isinstance(context := changed.get(KEY), ContextLine) and isinstance(cut, ParentChild):
        changed[KEY] = replace(context, cut=replace(cut, titles=False, fetch=ParentChild().fetch))
    return changed


def variants(context: ContextLine) -> list[Variant]:
    """Returns the chunks of this derivation without a line, and with every line that there is."""
    rule = replace(context, model="", template="")
    words = {"title": _("Title and headings"), "sentence": _("First sentence")}
    listed = [Variant(_("No line"), context.cut)]
    listed += [Variant(name, replace(rule, line=line)) for line, name in words.items()]
    return [*listed, Variant(_("Language model"), context)] if context.model else listed


def section(
    p: Page,
    context: ContextLine,
    way: Lifting | None,
    source: Source,
    query: Query,
    document: Document,
    first: Chunk | None,
) -> None:
    """Draws one chunk of a document under each line of context, with its rank among all chunks."""
    each = variants(context)
    before = () if first is None else (first,)
    searches = {v.name: Pipeline((source.retriever,), derive=(*before, v.derivation)) for v in each}
    rankings = p.run(searches, query)
    pieces = way.pieces_of(document.id) if way else ()
    piece = next((x for x in pieces if x.counted), pieces[0] if pieces else None)
    with p.box(_("One chunk with and without its context"), "context"):
        if piece is None or piece.document.id == document.id:
            st.caption(_("“{title}” is not split, so it has no chunk that needs context.", title=_title(document)))
        else:
            st.caption(
                _(
                    "The tinted line is searched with the chunk (number {n} of “{title}”). Ranks are among all chunks.",
                    n=pieces.index(piece) + 1,
                    title=_title(document),
                )
            )
            components.cuts(
                {"rows": [_row(v, rankings[v.name], piece.document) for v in each]}, key="granularity.context.rows"
            )
        _empty(context, each, rankings)
        if isinstance(source.retriever, Vector):
            _late(p, source.retriever, document, pieces)


def _title(document: Document) -> str:
    return escape.plain(document.label, 60)


def _row(variant: Variant, ranking: Ranking, piece: Document) -> dict[str, Any]:
    """Returns a row of the picture: the line, tinted, and the chunk; its rank."""
    own = ranking.corpus.get(piece.id)
    assert own is not None
    rank, among = ranking.rank(piece.id), len(ranking.corpus)
    if rank is not None:
        note = _("rank {rank} among all chunks ({n})", rank=rank, n=f"{among:,}")
    elif ranking.asked:
        note = _("below rank {rank}", rank=ranking.asked)
    else:
        note = _("not found")
    line = [[own.title, "own context", _("Line of context")]] if own.title else []
    pieces = [*line, [own.text, "own", ""]]
    return {"name": variant.name, "note": note, "color": palette.named("refined"), "pieces": pieces}


def _empty(context: ContextLine, each: Sequence[Variant], rankings: Mapping[str, Ranking]) -> None:
    """Says how many chunks have no line, for every kind of line that is empty somewhere."""
    for variant in each:
        corpus = rankings[variant.name].corpus
        if isinstance(variant.derivation, ContextLine) and (n := context.empty_lines(corpus)):
            numbers = {"name": variant.name, "n": n, "all": sum(d.id != corpus.origins[d.id] for d in corpus)}
            st.caption(_("{name}: chunks without a line {n} of {all}.", **numbers))


def _late(p: Page, retriever: Vector, document: Document, pieces: Sequence[Piece]) -> None:
    """Says what late chunking would change for this document under this embedding model."""
    encoder = encoder_of(retriever.embedder, p.frame.corpus)
    label = say(retriever.embedder.label)
    if not isinstance(encoder, StaticEncoder):
        st.caption(
            _(
                "Late chunking averages a chunk's word vectors after the whole document was read. {model} returns one "
                "vector per text, so it cannot be shown here.",
                model=label,
            )
        )
        return
    result = pooled(encoder, document.text, [x.document for x in pieces if x.document.id != document.id])
    if not result.chunks:
        return
    numbers = {"model": label, "n": result.chunks, "difference": f"{result.largest:.4g}", "differing": result.differing}
    if result.differing:
        message = _(
            "Late chunking with {model}: chunks of this document compared {n}, changed {differing} (largest difference "
            "{difference}). Only chunks that begin or end inside a word change, because the model gives a word the "
            "same vector in every text.",
            **numbers,
        )
    else:
        message = _(
            "Late chunking with {model}: chunks of this document compared {n}, changed none (largest difference "
            "{difference}). The model gives a word the same vector in every text, so reading the whole text first adds "
            "nothing.",
            **numbers,
        )
    st.caption(message)
