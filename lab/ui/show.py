"""Rankings on the screen: lists side by side, the selected document, why it is here.

Pages give rankings; everything drawn comes from their hits, their `why` and their lineage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from lab.core import Contribution, Document, Drop, Hit, Query, Ranking
from lab.text import Analyzer, matches
from lab.ui import address, charts, components, escape, names, palette
from lab.ui.escape import plain
from lab.ui.frame import Frame
from lab.ui.i18n import _, say

Marker = Callable[[str], list[tuple[int, int]]]
"""From a text to the (start, end) pairs to mark in it."""


@dataclass(frozen=True)
class Panel:
    """One list to draw: a ranking with its name, colour, marks, and what to say where it is empty."""

    ranking: Ranking
    name: str
    colour: str
    mark: Marker
    unit: str = ""
    empty: str = ""
    paint: Callable[[Contribution], str] | None = None  # colour of each addend: the bar shows the parts of the score


def relevance(f: Frame, query: Query) -> dict[str, int]:
    """Grades of the documents for this query, where the corpus has judged it."""
    return dict(f.collection.relevant(query.id)) if query.id else {}


def word_marker(query: str, analyzer: Analyzer) -> Marker:
    """Marks the words of the query."""
    analyzer = analyzer.for_query(query)
    words = set(analyzer.tokens(query))
    return lambda text: matches(text, words, analyzer)


def segments(text: str, marks: Sequence[tuple[int, int]], kind: Any = True) -> list[list[Any]]:
    """A text cut into [piece, mark] pairs."""
    out: list[list[Any]] = []
    at = 0
    for a, b in marks:
        if a > at:
            out.append([text[at:a], None])
        out.append([text[a:b], kind])
        at = b
    if at < len(text):
        out.append([text[at:], None])
    return out


def snippet(text: str, mark: Marker, width: int = 220) -> list[list[Any]]:
    """The stretch of a text with the most marks in it, in pieces."""
    text = text[:4000].replace("\n", " ")
    marks = mark(text)
    start = 0
    if marks and len(text) > width:
        best = max(marks, key=lambda m: sum(1 for a, _b in marks if m[0] <= a < m[0] + width * 0.6))
        start = max(0, best[0] - 24)
        if start < 40:
            start = 0
    end = min(len(text), start + width)
    inside = [(max(a, start) - start, min(b, end) - start) for a, b in marks if a < end and b > start]
    pieces = segments(text[start:end], inside)
    if start:
        pieces.insert(0, ["…", None])
    if end < len(text):
        pieces.append(["…", None])
    return pieces


def said(text: str) -> str:
    """A sentence of the library in the visitor's language."""
    return say(text)


def number(value: float) -> str:
    """A score, with four digits that count, never in powers of ten."""
    size = abs(value)
    return (
        f"{value:.0f}"
        if size >= 10000
        else f"{value:.2f}"
        if size >= 10
        else f"{value:.3f}"
        if size >= 0.1
        else f"{value:.5f}"
    )


def selected(panels: Sequence[Panel], relevant: Mapping[str, int], depth: int) -> str:
    """The selected document: the visitor's choice, else the best judged one in the lists, else the first hit."""
    chosen = st.session_state.get("doc", "")
    shown = [h.document.id for p in panels for h in p.ranking.hits[:depth]]
    known = {d for p in panels for h in p.ranking.hits for d in (h.document.id,)}
    if chosen and chosen in known:
        return str(chosen)
    good = sorted((d for d in shown if relevant.get(d, 0) > 0), key=lambda d: -relevant[d])
    return good[0] if good else shown[0] if shown else ""


def lists(
    page: str,
    panels: Sequence[Panel],
    f: Frame,
    *,
    depth: int,
    chosen: str,
    relevant: Mapping[str, int],
    normalised: bool = False,
) -> None:
    """The lists side by side, with rank, movement against the list on the left, marks, bars."""
    data = {
        "selected": chosen,
        "lists": [
            _list(p, panels[i - 1] if i else None, f, depth, relevant, chosen, normalised) for i, p in enumerate(panels)
        ],
    }
    components.lists(data, key=f"{page}.cards")


def _list(
    p: Panel, left: Panel | None, f: Frame, depth: int, relevant: Mapping[str, int], chosen: str, normalised: bool
) -> dict[str, Any]:
    hits = list(p.ranking.hits[:depth])
    ranks = list(range(1, len(hits) + 1))
    at = p.ranking.rank(chosen)
    if at and at > depth:  # the selected document is always in sight
        hits.append(p.ranking.hits[at - 1])
        ranks.append(at)
    scores = [h.score for h in p.ranking.hits[:depth]]
    low, high = (min(scores), max(scores)) if scores else (0.0, 1.0)
    cards = []
    for rank, hit in zip(ranks, hits, strict=True):
        if normalised:
            width = 100 * (hit.score - low) / (high - low) if high > low else 100.0
        else:
            width = 100 * hit.score / high if high > 0 else 100.0
        cards.append(_card(p, left, f, rank, hit, max(0.0, min(100.0, width)), relevant, depth))
    meta = _("{ms:.1f} ms · {n} found", ms=p.ranking.seconds * 1000, n=len(p.ranking))
    return {
        "title": p.name,
        "color": p.colour,
        "meta": meta + (f" · {p.unit}" if p.unit else ""),
        "note": "" if hits else p.empty,
        "hits": cards,
    }


def _card(
    p: Panel, left: Panel | None, f: Frame, rank: int, hit: Hit, width: float, relevant: Mapping[str, int], depth: int
) -> dict[str, Any]:
    document = hit.document
    grade = relevant.get(document.id, 0)
    tags = [_("answers") if grade > 1 else _("helps")] if grade > 0 else []
    move = ""
    if left is not None:
        before = left.ranking.rank(document.id)
        if before is None or before > depth:
            move = _("new")
        else:
            move = "＝" if before == rank else f"▲ {before - rank}" if before > rank else f"▼ {rank - before}"
    parts = [{"width": width, "color": p.colour}]
    if p.paint and hit.why and all(c.value >= 0 for c in hit.why) and hit.score > 0:
        parts = [
            {
                "width": width * c.value / hit.score,
                "color": p.paint(c),
                "title": f"{names.source(c.source)} {c.value:.4g}",
            }
            for c in hit.why
        ]
    return {
        "id": document.id,
        "rank": rank,
        "title": document.label,
        "chip": palette.document(f.corpus, document.id),
        "score": number(hit.score),
        "tags": tags,
        "move": move,
        "text": snippet(document.text, p.mark),
        "parts": parts,
    }


def facts(document: Document) -> str:
    """Id and metadata in one line."""
    values = [
        f"{k}: {', '.join(v) if isinstance(v, list) else v}" for k, v in document.metadata.items() if k != "questions"
    ]
    return " · ".join([document.id, *values])


def passage(page: str, document: Document, mark: Marker) -> None:
    """The whole text of a document with its marks."""
    components.passage(
        {
            "title": document.label,
            "facts": facts(document),
            "text": segments(document.text, mark(document.text), "mark"),
        },
        key=f"{page}.passage",
    )


def click(event: Any) -> None:
    """Select the document of a clicked chart point."""
    doc = charts.clicked(event)
    if doc and doc != st.session_state.get("doc"):
        address.put("doc", doc)
        st.rerun()


def nothing(query: str, ranking: Ranking, terms: Sequence[str]) -> str:
    """Why a list is empty, and what to try."""
    if not query.strip():
        return _("The query is empty. Type a question, or choose one under “Examples”.")
    if terms:
        return _(
            "None of these words is in the corpus: {words}. Try other words, or a vector list.",
            words=", ".join(terms[:8]),
        )
    return _("The query has no word that can be searched. Try a whole word.")


def table(page: str, rankings: Sequence[Ranking], names: Sequence[str]) -> None:
    """Every hit of every list, sortable."""
    from lab.ui import export

    st.dataframe(
        export.frame(rankings, names),
        hide_index=True,
        key=f"{page}.table",
        column_config={
            "list": _("List"),
            "rank": _("Rank"),
            "id": "id",
            "title": _("Title"),
            "score": st.column_config.NumberColumn(_("Score"), format="%.4f"),
            "why": _("Addends"),
            "text": _("Text"),
        },
    )


def stage_name(label: str) -> str:
    """What an operator is called in the visitor's language."""
    return names.stage(label)


def pick(page: str, rankings: Sequence[Ranking], f: Frame, chosen: str) -> str:
    """A picker of any document that one of these rankings has or had."""
    documents = {h.document.id: h.document for r in rankings for h in r.hits} | {
        d.document.id: d.document for r in rankings for d in r.dropped
    }
    if not documents:
        return ""
    options = list(documents)
    key = f"{page}.pick"
    address.hold(key, chosen if chosen in documents else options[0])
    st.selectbox(
        _("Document"),
        options,
        key=key,
        format_func=lambda i: f"{documents[i].label[:60]} · {i}",
        label_visibility="collapsed",
        on_change=lambda: address.put("doc", st.session_state[key]),
    )
    return str(st.session_state[key])


def biography(ranking: Ranking, doc: str) -> None:
    """A document's way through every stage: its rank, how it moved, and where and why it fell out."""
    from lab.explain.biography import biography as told

    colours = {
        "beyond": "gray",
        "found": "blue",
        "not found": "gray",
        "stayed": "gray",
        "rose": "violet",
        "fell": "orange",
        "dropped": "orange",
        "gone": "gray",
    }
    row = st.container(horizontal=True, gap="small")
    reasons = []
    for station in told(doc, ranking):
        name = escape.safe(stage_name(station.stage), 34)
        if station.rank is not None:
            move = (
                ""
                if station.before is None or station.before == station.rank
                else f" ▲{station.before - station.rank}"
                if station.before > station.rank
                else f" ▼{station.rank - station.before}"
            )
            text = f"{name} #{station.rank}{move}"
        elif station.event == "dropped":
            text = f"{name} ✕"
        elif station.event == "beyond":  # it may stand behind the end of the list that was asked for
            text = f"{name} > #{station.ranking.asked}"
        else:
            text = f"{name} –"
        row.badge(plain(text), color=colours[station.event])  # type: ignore[arg-type]
        if station.drop is not None:
            reasons.append(f"{plain(name)}: {plain(say(station.drop.reason))}")
    for reason in reasons:
        st.markdown(":material/block: " + reason)


def lists_and_drops(
    page: str,
    panels: Sequence[Panel],
    title: str,
    drops: Sequence[tuple[Drop, str, int | None]],
    f: Frame,
    *,
    depth: int,
    chosen: str,
    relevant: Mapping[str, int],
    mark: Marker,
) -> None:
    """Lists side by side, and at the right what was removed, each with the rule and the reason."""
    removed = [
        {
            "id": d.document.id,
            "rank": rank or "",
            "title": d.document.label,
            "chip": palette.document(f.corpus, d.document.id),
            "score": by,
            "dropped": True,
            "tags": [_("answers") if relevant[d.document.id] > 1 else _("helps")]
            if relevant.get(d.document.id, 0) > 0
            else [],
            "text": snippet(d.document.text, mark, 120),
            "reason": say(d.reason),
            "parts": [],
        }
        for d, by, rank in drops
    ]
    data = {
        "selected": chosen,
        "lists": [
            *(_list(p, panels[i - 1] if i else None, f, depth, relevant, chosen, False) for i, p in enumerate(panels)),
            {
                "title": title,
                "color": palette.mute(),
                "meta": "",
                "note": "" if removed else _("Nothing was removed."),
                "hits": removed,
            },
        ],
    }
    components.lists(data, key=f"{page}.cards")
