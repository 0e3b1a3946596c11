"""How a sentence was understood: its words, what they became, the SQL; and the readings that it might have had."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.text import short
from lab.ui import components, palette
from lab.ui.i18n import _, say
from lab.ui.layout import tables
from lab_packs.text2sql.alignment import Span, align, joins
from lab_packs.text2sql.answer import restated
from lab_packs.text2sql.assembly import Weights
from lab_packs.text2sql.dialogue import Turn
from lab_packs.text2sql.schema import ForeignKey, Schema
from lab_packs.text2sql.wording import Words

if TYPE_CHECKING:
    from lab.ui.layout.page import Page

LONGEST = 120
"""Characters of one part."""


def draw(page: Page, turn: Turn, schema: Schema) -> None:
    """The question, the parts that it became, the joins and the SQL, with lines between them."""
    found = align(turn, schema)
    words = Words(schema, turn.language, main=turn.after.table if turn.after is not None else "")
    told = [" ".join(words.piece(part).split()) for part in found.parts]
    data = {
        "words": [_span(s) for s in found.words],
        "parts": [{"text": short(text, LONGEST), "color": palette.nth(i)} for i, text in enumerate(told)],
        "joins": [_join(f, schema, turn.language) for f in joins(turn.after, schema)]
        if turn.after is not None and found.parts
        else [],
        "sql": [_span(s) for s in found.sql],
        "labels": [_("The question"), _("Understood as"), "SQL", _("Table relationships")],
        "unknown": _("not understood"),
    }
    components.alignment(data, key=page.key("alignment"))


def _span(s: Span) -> list[Any]:
    return [s.text, list(s.parts), s.state]


def _join(f: ForeignKey, schema: Schema, language: str) -> dict[str, str]:
    """One key as a small picture; a key that nobody declared is dashed, and says how it was found."""
    return {
        "from": schema.table(f.table).label(language),
        "to": schema.table(f.parent).label(language),
        "on": f"{f.column} = {f.key}",
        "found": "" if f.declared else _("Not declared: recognised by its name and values"),
    }


def readings(page: Page, turn: Turn, schema: Schema, weights: Weights) -> None:
    """Draws all readings of the sentence with their score components and outcomes."""
    if not turn.readings:
        return
    with page.fold("readings", _("Possible readings and their scores"), ":material/alt_route:") as seen:
        if not seen:
            return
        best = turn.readings[0]

        def outcome(r: Any) -> str:
            if r.select == turn.after and turn.result is not None:
                return _("runs")
            if r.select in turn.asks:
                return _("is offered as a choice")
            if r.score < best.score - weights.margin:
                return _("too far behind the best (by {less})", less=f"{best.score - r.score:.2f}")
            return _("equally likely, and the same rows")

        rows = [
            {
                "reading": restated(r.select, schema, turn.language),
                "score": round(r.score, 2),
                "sum": " + ".join(f"{say(c.source)} {c.value:.2f}" for c in r.why).replace("+ -", "− ") or "0",
                "outcome": outcome(r),
            }
            for r in turn.readings
        ]
        columns = {"reading": _("Reading"), "score": _("Score"), "sum": _("Score components"), "outcome": _("Outcome")}
        tables.draw(_("The readings"), rows, key=page.key("readings"), columns=columns)
