"""How a sentence was understood: its words, what they became, the SQL; and the readings that it might have had."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.text2sql.alignment import Span, align, joins
from lab.text2sql.answer import restated
from lab.text2sql.dialogue import Turn
from lab.text2sql.reading import MARGIN
from lab.text2sql.schema import ForeignKey, Schema
from lab.text2sql.wording import Words
from lab.ui import components, palette, tables
from lab.ui.i18n import _

if TYPE_CHECKING:
    from lab.ui.page import Page

LONGEST = 120
"""Characters of one part."""


def draw(page: Page, turn: Turn, schema: Schema) -> None:
    """The question, the parts that it became, the joins and the SQL, with lines between them."""
    found = align(turn, schema)
    words = Words(schema, turn.language, main=turn.after.table if turn.after is not None else "")
    told = [" ".join(words.piece(part).split()) for part in found.parts]
    data = {
        "words": [_span(s) for s in found.words],
        "parts": [{"text": _cut(text), "color": palette.nth(i)} for i, text in enumerate(told)],
        "joins": [_join(f, schema, turn.language) for f in joins(turn.after, schema)]
        if turn.after is not None and found.parts
        else [],
        "sql": [_span(s) for s in found.sql],
        "labels": [_("The question"), _("What it was understood as"), "SQL", _("How the tables hang together")],
        "unknown": _("not understood"),
    }
    components.alignment(data, key=page.key("alignment"))


def _span(s: Span) -> list[Any]:
    return [s.text, list(s.parts), s.state]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _join(f: ForeignKey, schema: Schema, language: str) -> dict[str, str]:
    """One key as a small picture; a key that nobody declared is dashed, and says how it was found."""
    return {
        "from": schema.table(f.table).label(language),
        "to": schema.table(f.parent).label(language),
        "on": f"{f.column} = {f.key}",
        "found": "" if f.declared else _("Not declared: found by its name and its values"),
    }


def readings(page: Page, turn: Turn, schema: Schema) -> None:
    """All readings of the sentence with what they cost, and what became of each."""
    if not turn.readings:
        return
    with page.fold("readings", _("Its readings, and what each costs"), ":material/alt_route:") as seen:
        if not seen:
            return
        best = next((r for r in turn.readings if not r.unknown), None)

        def fate(r: Any) -> str:
            if r.unknown:
                return _("not understood: {words}", words=" · ".join(r.unknown))
            if r.select == turn.after and turn.result is not None:
                return _("runs")
            if r.select in turn.asks:
                return _("is offered")
            if best is not None and r.cost >= best.cost + MARGIN:
                return _("too far behind ({more} more)", more=f"{r.cost - best.cost:.2f}")
            return _("as likely, and the same rows")

        told = [
            {"reading": restated(r.select, schema, turn.language), "cost": round(r.cost, 2), "fate": fate(r)}
            for r in turn.readings
        ]
        columns = {"reading": _("Reading"), "cost": _("Cost"), "fate": _("What becomes of it")}
        tables.draw(_("The readings"), told, key=page.key("readings"), columns=columns)
