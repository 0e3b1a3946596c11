"""A step before a class: one slide for the window, its type 24 pixels or more, all of it scaled with the window.

Everything is measured in units of a slide of 1024 to 768; one is a pixel there, and never less.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import itemgetter

from lab.algebra import Hit, Ranking
from lab.text import width
from lab.ui import palette
from lab.ui.escape import as_source
from lab.ui.i18n import _
from lab.ui.lessons.performing import LETTERS
from lab.ui.lists import show

WIDE, MARGIN = 968, 28
"""Units of what a slide shows, and beside it on either side."""
GUTTERS = {1: 0, 2: 116, 3: 60, 4: 44}
"""Units between lists, by the number of lists; the curves run there."""
PITCH, ROW = 66, 60
"""Units from row to row, and of a row."""
Pins = Mapping[tuple[str, str], str]
"""List and document to the number that stands there."""

STYLE = """<style>
:root {{ --u: max(1px, min(calc(100vw / 1024), calc(100vh / 768))); }}
html {{ font-size: calc(var(--u) * 25) !important; }}
:is([data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stExpandSidebarButton"]) {{
  display: none !important;
}}
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] > :not(:has(.st-key-course-slide)) {{
  display: none;
}}
[data-testid="stMainBlockContainer"] {{
  width: calc(var(--u) * 1024); max-width: 100%; margin: 0 auto;
  padding: calc(var(--u) * 14) calc(var(--u) * 28) calc(var(--u) * 330) !important;
}}
.st-key-course-slide {{ gap: calc(var(--u) * 10); }}
[data-testid="stApp"] :is(p, li, label, button, input, summary, [data-testid="stCaptionContainer"] *) {{
  font-size: calc(var(--u) * 25) !important; line-height: 1.35;
}}
[data-testid="stApp"] [data-testid="stIconMaterial"] {{ font-size: calc(var(--u) * 28) !important; }}
.slide {{ font-size: calc(var(--u) * 25); line-height: 1.3; color: {ink}; overflow-wrap: anywhere; }}
.slide .quiet {{ color: {mute}; }}
.slide .query {{ font-size: calc(var(--u) * 34); font-weight: 700; line-height: 1.25; }}
.slide .passage {{ display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; }}
.slide .asked {{ font-size: calc(var(--u) * 30); font-weight: 700; }}
.columns {{ position: relative; width: calc(var(--u) * 968); }}
.columns > * {{ position: absolute; box-sizing: border-box; }}
.columns .name {{
  display: flex; align-items: flex-end; justify-content: space-between; gap: calc(var(--u) * 8);
  font-size: calc(var(--u) * 27); font-weight: 700; line-height: 1.1;
  border-bottom: calc(var(--u) * 5) solid; padding-bottom: calc(var(--u) * 4);
}}
.columns .name b {{ font-size: calc(var(--u) * 52); line-height: 1; }}
.columns .row {{
  display: flex; align-items: center; gap: calc(var(--u) * 9); height: calc(var(--u) * 60);
  padding: 0 calc(var(--u) * 8); border-radius: calc(var(--u) * 12); font-size: calc(var(--u) * 24); line-height: 1;
}}
.columns .row.on {{ box-shadow: 0 0 0 calc(var(--u) * 4) var(--c); font-weight: 700; }}
.columns .row b {{ flex: none; min-width: calc(var(--u) * 15); text-align: right; }}
.columns .row i {{
  flex: none; width: calc(var(--u) * 20); height: calc(var(--u) * 20); border-radius: 50%; background: var(--c);
}}
.columns .row .title {{ flex: 1; min-width: 0; }}
.columns .row .title span {{
  overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-height: 1.13;
}}
.columns .row .score {{ flex: none; color: {mute}; font-variant-numeric: tabular-nums; }}
.columns .bar {{ height: calc(var(--u) * 6); border-radius: 3px; background: var(--c); opacity: 0.75; }}
.columns .fall {{
  font-size: calc(var(--u) * 24); line-height: 1; color: {mute}; background: {paper}; border-radius: 8px; z-index: 1;
}}
.columns .pin, .number {{
  display: flex; align-items: center; justify-content: center; border-radius: 50%;
  background: {ink}; color: {paper}; font-weight: 700;
}}
.columns .pin {{
  min-width: calc(var(--u) * 36); height: calc(var(--u) * 36); font-size: calc(var(--u) * 24); z-index: 2;
}}
.st-key-course-foot {{
  position: fixed; left: 0; right: 0; bottom: 0; z-index: 99; box-sizing: border-box;
  padding: calc(var(--u) * 16) max(calc(var(--u) * 28), calc((100vw - var(--u) * 968) / 2)) calc(var(--u) * 12);
  background: {band}; border-top: 3px solid {ink};
}}
.st-key-course-foot:has(.claim) {{ min-height: calc(var(--u) * 226); }}
.st-key-course-foot > :last-child {{ margin-top: auto; }}
.st-key-course-corner {{
  position: fixed; top: calc(var(--u) * 8); width: auto !important;
  right: max(calc(var(--u) * 16), calc((100vw - var(--u) * 1000) / 2)); z-index: 100;
}}
.claim {{ display: flex; gap: calc(var(--u) * 20); }}
.claim .number {{
  flex: none; width: calc(var(--u) * 60); height: calc(var(--u) * 60); font-size: calc(var(--u) * 30);
}}
.claim .text {{ font-size: calc(var(--u) * 27); line-height: 1.32; font-weight: 500; }}
.claim .checks {{
  display: flex; flex-wrap: wrap; gap: calc(var(--u) * 4) calc(var(--u) * 30); margin-top: calc(var(--u) * 8);
  font-size: calc(var(--u) * 24); font-weight: 600;
}}
.held {{ color: {good}; }} .failed {{ color: {bad}; }}
.choices {{ display: flex; flex-wrap: wrap; gap: calc(var(--u) * 12); font-size: calc(var(--u) * 27); }}
.choices span {{
  display: flex; align-items: center; gap: calc(var(--u) * 14); padding: calc(var(--u) * 10) calc(var(--u) * 20);
  border: calc(var(--u) * 3) solid {mute}; border-radius: calc(var(--u) * 12);
}}
.choices b {{
  display: flex; align-items: center; justify-content: center; width: calc(var(--u) * 44); height: calc(var(--u) * 44);
  border-radius: 50%; background: {ink}; color: {paper}; font-size: calc(var(--u) * 24);
}}
.door {{ display: flex; gap: calc(var(--u) * 24); align-items: center; }} .door > div {{ flex: 1; }}
.door .digits {{ font-size: calc(var(--u) * 48); font-weight: 700; line-height: 1.15; }}
.shares {{ display: flex; gap: calc(var(--u) * 24); }} .shares > div {{ flex: 1; }} .shares b {{ float: right; }}
.meter {{ height: calc(var(--u) * 14); margin: calc(var(--u) * 6) 0; border-radius: 9px; background: {mute}55; }}
.meter span {{ display: block; height: 100%; border-radius: 9px; background: currentColor; }}
.ticks {{ display: flex; gap: calc(var(--u) * 16); font-size: calc(var(--u) * 24); }}
</style>"""
"""Of one slide; its colours are those of the theme."""


def style() -> str:
    """Returns the styles of a slide, which hide what is not a part of it."""
    good, bad = ("#4ade80", "#fca5a5") if palette.dark() else ("#0f766e", "#b91c1c")
    band = "#1b2540" if palette.dark() else "#f1f5fb"
    colours = {"ink": palette.ink(), "mute": "#9aa9bf" if palette.dark() else "#5b677a", "paper": palette.paper()}
    return STYLE.format(good=good, bad=bad, band=band, **colours)


def _units(**places: float) -> str:
    """Places and lengths in units, as a style."""
    return "".join(f"{name}:calc(var(--u)*{value:g});" for name, value in places.items())


def columns(
    rankings: Mapping[str, Ranking],
    names: Mapping[str, str],
    colours: Mapping[str, str],
    *,
    depth: int,
    selected: str = "",
    pins: Pins | None = None,
) -> str:
    """Returns ranked lists side by side as HTML, with curves between the places of a document in neighbouring lists.

    A document that the next list does not show leaves as a stub, with its rank there where there is room for it.
    """
    n = len(rankings)
    gutter = GUTTERS.get(n, 36)
    wide = (WIDE - gutter * (n - 1)) / n
    head = 58 if n < 3 else 92
    rows = max(1, min(depth, max(len(r) for r in rankings.values())))
    height = head + 12 + PITCH * rows
    lefts = [i * (wide + gutter) for i in range(n)]
    slots = [_slots(ranking, rows, selected) for ranking in rankings.values()]
    curves = "".join(_curves(slots, list(rankings.values()), lefts, wide, gutter, head, selected))
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {height}">{curves}</svg>'
    drawn = [f'<img alt="" src="{as_source(svg)}" style="left:0;top:0;width:100%;height:100%">']
    for i, (name, ranking) in enumerate(rankings.items()):
        place = _units(left=lefts[i], top=0, width=wide, height=head)
        numeral = f"<b>{ranking.rank(selected) or '–'}</b>" if selected else ""
        drawn.append(
            f'<div class="name" style="{place}color:{colours[name]}"><span>{html.escape(names[name])}</span>'
            f"{numeral}</div>"
        )
        best = max((hit.score for hit in ranking.hits[:rows]), default=0.0)
        for doc, slot in slots[i].items():
            rank = ranking.rank(doc) or 0
            hit, top = ranking.hits[rank - 1], head + 12 + PITCH * (slot - 1)
            if rank > slot:
                above = _units(left=lefts[i] + 48, top=top - PITCH, width=wide - 48)
                more = _("⋮ {n} more", n=rank - slot + 1)
                drawn.append(f'<div class="row quiet" style="{above}">{more}</div>')
            on, number = doc == selected, (pins or {}).get((name, doc), "")
            tint = palette.document(ranking.corpus, doc)
            place = _units(left=lefts[i], top=top, width=wide) + f"--c:{tint}"
            drawn.append(_row(hit, rank, place, on=on, several=n > 2))
            if n < 3 and best > 0 and hit.score > 0:
                bar = _units(left=lefts[i] + 48, top=top + 57, width=(wide - 60) * hit.score / best)
                drawn.append(f'<span class="bar" style="{bar}--c:{colours[name]}"></span>')
            if number:
                drawn.append(f'<span class="pin" style="{_units(left=lefts[i] - 16, top=top - 20)}">{number}</span>')
        if not ranking.hits:
            empty = _("This list is empty.")
            drawn.append(f'<div class="row" style="{_units(left=lefts[i], top=head + 12)}">{empty}</div>')
    if n == 2:
        drawn += _falls(slots, list(rankings.values())[1], lefts[0] + wide, head)
    return f'<div class="slide"><div class="columns" style="{_units(height=height)}">{"".join(drawn)}</div></div>'


def _row(hit: Hit, rank: int, place: str, *, on: bool, several: bool) -> str:
    """A row of a list: rank, colour and title; beside few lists its score, too."""
    score = "" if several else f'<span class="score">{show.number(hit.score)}</span>'
    title = f'<span class="title"><span>{html.escape(hit.document.label)}</span></span>'
    return f'<div class="row{" on" if on else ""}" style="{place}"><b>{rank}</b><i></i>{title}{score}</div>'


def _slots(ranking: Ranking, rows: int, selected: str) -> dict[str, int]:
    """Returns the row of each document that is shown: a selected one that ranks lower has the last row."""
    rank = ranking.rank(selected) or 0
    shown = ranking.ids[: rows - 2 if rank > rows > 2 else rows]
    return {doc: slot for slot, doc in enumerate(shown, 1)} | ({selected: rows} if rank > rows > 2 else {})


def _middle(head: float, slot: int) -> float:
    """How far down the middle of a row is, in units."""
    return head + 12 + PITCH * (slot - 1) + ROW / 2


def _curves(
    slots: Sequence[Mapping[str, int]],
    rankings: Sequence[Ranking],
    lefts: Sequence[float],
    wide: float,
    gutter: float,
    head: float,
    selected: str,
) -> list[str]:
    """The curves between neighbouring lists, the selected document's last and thick; stubs of what one side lacks."""
    drawn = list[tuple[bool, str]]()
    for i, (left, right) in enumerate(pairwise(slots)):
        x, end = lefts[i] + wide + 6, lefts[i + 1] - 6
        for doc in dict.fromkeys([*left, *right]):
            a, b, on = left.get(doc), right.get(doc), doc == selected
            if a and b:
                y, z, m = _middle(head, a), _middle(head, b), (x + end) / 2
                path = f"M{x:g} {y:g}C{m:g} {y:g} {m:g} {z:g} {end:g} {z:g}"
            elif a:
                path = f"M{x:g} {_middle(head, a):g}q{gutter / 6:g} 0 {gutter / 4:g} 14"
            else:
                path = f"M{end:g} {_middle(head, b or 1):g}q{-gutter / 6:g} 0 {-gutter / 4:g} 14"
            look = 'stroke-width="11"' if on else f'stroke-width="4" stroke-opacity="{0.7 if a and b else 0.45}"'
            colour = palette.document(rankings[i].corpus, doc)
            drawn.append((on, f'<path d="{path}" fill="none" stroke="{colour}" stroke-linecap="round" {look}/>'))
    return [path for _on, path in sorted(drawn, key=itemgetter(0))]


def _falls(slots: Sequence[Mapping[str, int]], ranking: Ranking, left: float, head: float) -> list[str]:
    """Beside the stubs that leave the first of two lists: the rank in the second, or that it is not there."""
    texts = list[str]()
    for doc, slot in slots[0].items():
        if doc not in slots[1]:
            there = ranking.rank(doc)
            place = _units(left=left + 44, top=_middle(head, slot) + 2)
            texts.append(f'<span class="fall" style="{place}">{f"↓{there}" if there else "–"}</span>')
    return texts


def rows_that_fit(text: str, checks: Sequence[str], lists: int, most: int, *, above: float = 0) -> int:
    """Returns how many rows of the lists fit between a picture of ``above`` units and a sentence of this length.

    It is at least one and at most ``most``.
    """
    lines = -(-width(text) * 12.6 // (WIDE - 80))
    held, line = 0.0, 0.0
    for check in checks:
        room = width(check) * 12.6 + 54
        if not line or line + room > WIDE - 80:
            held, line = held + -(-room // (WIDE - 80)), 0.0
        line += room
    foot = max(226.0, 16 + lines * 36 + (8 + held * 35 if held else 0) + 96)
    free = 768 - foot - 110 - above - (70 if lists < 3 else 104)
    return max(1, min(most, int(free // PITCH)))


def question(step: str, title: str, turns: Sequence[str], passage: str, asked: str) -> str:
    """Returns the head of a slide as HTML: step, title, query with earlier turns, passage, question to the class."""
    parts = [f"<div>{html.escape(step)} · <b>{html.escape(title)}</b></div>"]
    quoted = [turn if turn == "…" else f"“{html.escape(turn)}”" for turn in turns]
    before = f'<span class="quiet">{" → ".join(quoted[:-1])} → </span>' if quoted[:-1] else ""
    parts.append(f'<div class="query">{before}{quoted[-1]}</div>')
    if passage:
        parts.append(f'<div class="passage quiet">{html.escape(passage)}</div>')
    if asked:
        parts.append(f'<div class="asked">{html.escape(asked)}</div>')
    return f'<div class="slide">{"".join(parts)}</div>'


def claim(number: str, text: str, checks: Sequence[tuple[bool, str]]) -> str:
    """Returns one sentence as HTML, with its number and what became of its checks; ``text`` is HTML already."""
    marks = [
        f'<span class="{"held" if held else "failed"}">{"✓" if held else "✗"} {html.escape(check)}</span>'
        for held, check in checks
    ]
    circle = f'<span class="number">{html.escape(number)}</span>' if number else ""
    done = f'<div class="checks">{"".join(marks)}</div>' if marks else ""
    return f'<div class="slide claim">{circle}<div><div class="text">{text}</div>{done}</div></div>'


def ticks(held: Sequence[bool], at: int) -> str:
    """Returns the steps shown so far as HTML, each a letter with its tick or cross; ``at`` counts from 1."""
    parts = list[str]()
    for n, passed in enumerate(held[:at], 1):
        word = f"{LETTERS[(n - 1) % 26].upper()} {'✓' if passed else '✗'}"
        parts.append(f"<b>{word}</b>" if n == at else f'<span class="{"held" if passed else "failed"}">{word}</span>')
    return f'<div class="slide ticks">{"".join(parts)}</div>'
