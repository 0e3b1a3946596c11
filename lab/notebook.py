"""What a search and a ranking look like in a notebook: HTML that carries its own style, on light and on dark.

Knows nobody: `lab.algebra` say what is drawn.  Text and lines take the notebook's own colour, and
colours of their own are in the middle between light and dark.  Every text is escaped.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

MOST, FEW, WIDE = 10, 6, 40
"""So many hits of a ranking and lists that one was made of; so many addends of a score; so many characters of a knob
or a wording."""
_COLOURS = {"lexical": "#3b82f6", "vector": "#d97706", "fused": "#8b5cf6", "refined": "#0d9488"}
_LINE = "rgba(128,128,128,.45)"


def page(*parts: str) -> str:
    """What a cell shows."""
    style = "color:inherit;font-size:13px;line-height:1.35;overflow-x:auto"
    return f'<div style="{style}">{"".join(parts)}</div>'


def box(title: str, note: str = "", family: str = "") -> str:
    """One step of a picture: what it is called, what is to be said of it, and the colour of its family."""
    colour = _COLOURS.get(family, "#64748b")
    frame = f"border:1px solid {_LINE};border-left:4px solid {colour};border-radius:4px;padding:.25em .6em"
    told = f'<div style="opacity:.8;font-size:11px">{escape(note)}</div>' if note else ""
    look = "background:rgba(128,128,128,.09);white-space:nowrap;width:fit-content"
    return f'<div style="{frame};{look}"><b>{escape(title)}</b>{told}</div>'


def row(parts: Sequence[str]) -> str:
    """Steps after each other."""
    return f'<div style="display:flex;align-items:center;gap:.4em">{"<div>→</div>".join(parts)}</div>'


def stack(parts: Sequence[str]) -> str:
    """What stands side by side in the work: below each other in the picture."""
    return f'<div style="display:flex;flex-direction:column;gap:.4em">{"".join(parts)}</div>'


def named(name: str, drawn: str) -> str:
    """A part of a picture with its name before it."""
    return f'<div style="display:flex;align-items:center;gap:.6em"><i>{escape(name)}</i>{drawn}</div>'


def knobs(operator: Any) -> str:
    """The knobs of an operator that are not at their defaults, as they are written."""
    told = []
    for f in dataclasses.fields(operator):
        value = getattr(operator, f.name)
        usual = f.default if f.default_factory is dataclasses.MISSING else f.default_factory()
        if value != usual:
            told.append(f"{f.name}={_cut(repr(value))}")
    return ", ".join(told)


def ranking(made: Any) -> str:
    """A `Ranking`: the question, the picture of how the list came about, the first hits with their addends."""
    rows = [_cells("th", "", "score", "document", "addends")]
    rows += [_hit(rank, hit) for rank, hit in enumerate(made.hits[:MOST], 1)]
    table = f'<table style="border-collapse:collapse;color:inherit;background:transparent">{"".join(rows)}</table>'
    head = f"<div>“{escape(made.query.text)}” · {escape(made.corpus.name)}</div>"
    return page(stack([head, _lineage(made), table, *_more(len(made.hits))]))


def _lineage(made: Any) -> str:
    """A ranking behind those that it was made of."""
    facts = [f"{len(made.hits)} hits", f"{1000 * made.seconds:.1f} ms"]
    facts += [f"{len(made.dropped)} dropped"] if made.dropped else []
    wording = made.query.made_from is not None and not made.parents
    asked = f"“{_cut(made.query.text)}”: " if wording else ""
    own = box(made.made_by.label, asked + " · ".join(facts), made.made_by.family)
    if not made.parents:
        return own
    return row([stack([*map(_lineage, made.parents[:MOST]), *_more(len(made.parents))]), own])


def _hit(rank: int, hit: Any) -> str:
    document = hit.document
    title = f'<b>{escape(document.label)}</b> <span style="opacity:.8">{escape(document.id)}</span>'
    parts = sorted(hit.why, key=lambda part: -abs(part.value))
    told = [f"{escape(part.source)} {part.value:.4g}" for part in parts[:FEW]]
    if len(parts) > FEW:
        told.append(f"{len(parts) - FEW} more {sum(part.value for part in parts[FEW:]):.4g}")
    return _cells("td", str(rank), f"{hit.score:.4f}", title, " + ".join(told) or "–")


def _cells(tag: str, *cells: str) -> str:
    aligned: Iterable[tuple[str, str]] = zip(cells, ("right", "right", "left", "left"), strict=True)
    style = f"padding:.15em .6em;border-bottom:1px solid {_LINE};vertical-align:top"
    made = (f'<{tag} style="{style};text-align:{align}">{cell}</{tag}>' for cell, align in aligned)
    return f'<tr style="background:transparent">{"".join(made)}</tr>'


def _more(n: int) -> list[str]:
    return [f"<div>… {n - MOST} more</div>"] if n > MOST else []


def _cut(text: str) -> str:
    return text if len(text) <= WIDE else text[: WIDE - 1] + "…"
