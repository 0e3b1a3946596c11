"""Draws searches and rankings in a notebook: HTML with its own style, for light and dark themes.

This module depends on no other: `lab.algebra` decides what is drawn.  Text and lines take the notebook's colour; other
colours are readable on light and dark.  Every text is escaped.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

MOST, FEW, WIDE = 10, 6, 40
"""Maximum results of a ranking and lists behind it; score components; characters of a knob or a rewrite."""
_COLOURS = {"lexical": "#3b82f6", "vector": "#d97706", "fused": "#8b5cf6", "refined": "#0d9488"}
_LINE = "rgba(128,128,128,.45)"


def page(*parts: str) -> str:
    """Returns the HTML of a cell."""
    style = "color:inherit;font-size:13px;line-height:1.35;overflow-x:auto"
    return f'<div style="{style}">{"".join(parts)}</div>'


def box(title: str, note: str = "", family: str = "") -> str:
    """Draws one step: its title, a note, and the colour of its family."""
    colour = _COLOURS.get(family, "#64748b")
    frame = f"border:1px solid {_LINE};border-left:4px solid {colour};border-radius:4px;padding:.25em .6em"
    note_html = f'<div style="opacity:.8;font-size:11px">{escape(note)}</div>' if note else ""
    look = "background:rgba(128,128,128,.09);white-space:nowrap;width:fit-content"
    return f'<div style="{frame};{look}"><b>{escape(title)}</b>{note_html}</div>'


def row(parts: Sequence[str]) -> str:
    """Draws steps one after the other."""
    return f'<div style="display:flex;align-items:center;gap:.4em">{"<div>→</div>".join(parts)}</div>'


def stack(parts: Sequence[str]) -> str:
    """Draws parallel steps below each other."""
    return f'<div style="display:flex;flex-direction:column;gap:.4em">{"".join(parts)}</div>'


def named(name: str, drawn: str) -> str:
    """Draws a part of a picture with its name before it."""
    return f'<div style="display:flex;align-items:center;gap:.6em"><i>{escape(name)}</i>{drawn}</div>'


def knobs(operator: Any) -> str:
    """Writes the knobs of an operator that are not at their defaults."""
    assignments = []
    for f in dataclasses.fields(operator):
        value = getattr(operator, f.name)
        usual = f.default if f.default_factory is dataclasses.MISSING else f.default_factory()
        if value != usual:
            assignments.append(f"{f.name}={_cut(repr(value))}")
    return ", ".join(assignments)


def ranking(result: Any) -> str:
    """Draws a `Ranking`: the question, its lineage, and the first results with their score components."""
    rows = [_cells("th", "", "score", "document", "addends")]
    rows += [_hit(rank, hit) for rank, hit in enumerate(result.hits[:MOST], 1)]
    table = f'<table style="border-collapse:collapse;color:inherit;background:transparent">{"".join(rows)}</table>'
    head = f"<div>“{escape(result.query.text)}” · {escape(result.corpus.name)}</div>"
    return page(stack([head, _lineage(result), table, *_more(len(result.hits))]))


def _lineage(ranking: Any) -> str:
    """Draws a ranking after the rankings that it was made from."""
    facts = [f"{len(ranking.hits)} hits", f"{1000 * ranking.seconds:.1f} ms"]
    facts += [f"{len(ranking.dropped)} dropped"] if ranking.dropped else []
    wording = ranking.query.made_from is not None and not ranking.parents
    question = f"“{_cut(ranking.query.text)}”: " if wording else ""
    step = box(ranking.made_by.label, question + " · ".join(facts), ranking.made_by.family)
    if not ranking.parents:
        return step
    return row([stack([*map(_lineage, ranking.parents[:MOST]), *_more(len(ranking.parents))]), step])


def _hit(rank: int, hit: Any) -> str:
    document = hit.document
    title = f'<b>{escape(document.label)}</b> <span style="opacity:.8">{escape(document.id)}</span>'
    parts = sorted(hit.why, key=lambda part: -abs(part.value))
    components = [f"{escape(part.source)} {part.value:.4g}" for part in parts[:FEW]]
    if len(parts) > FEW:
        components.append(f"{len(parts) - FEW} more {sum(part.value for part in parts[FEW:]):.4g}")
    return _cells("td", str(rank), f"{hit.score:.4f}", title, " + ".join(components) or "–")


def _cells(tag: str, *cells: str) -> str:
    aligned: Iterable[tuple[str, str]] = zip(cells, ("right", "right", "left", "left"), strict=True)
    style = f"padding:.15em .6em;border-bottom:1px solid {_LINE};vertical-align:top"
    written = (f'<{tag} style="{style};text-align:{align}">{cell}</{tag}>' for cell, align in aligned)
    return f'<tr style="background:transparent">{"".join(written)}</tr>'


def _more(n: int) -> list[str]:
    return [f"<div>… {n - MOST} more</div>"] if n > MOST else []


def _cut(text: str) -> str:
    return text if len(text) <= WIDE else text[: WIDE - 1] + "…"
