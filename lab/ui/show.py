"""Rankings on the screen: lists side by side, the selected document, why it is here.

Pages give rankings; everything drawn comes from their hits, their `why` and their lineage.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import cycle, pairwise
from types import MappingProxyType
from typing import Any
from unicodedata import east_asian_width

import streamlit as st

from lab.algebra import Contribution, Corpus, Document, Drop, Hit, Query, Ranking
from lab.retrieve.explaining import Marker
from lab.retrieve.vector import Compared
from lab.ui import address, charts, components, export, facets, grading, palette, performing
from lab.ui.charts import Grades
from lab.ui.frame import Frame
from lab.ui.i18n import _, language, say
from lab.ui.work import once

Removed = tuple[str, Sequence[tuple[Drop, str, int | None]]]
"""A title, and every removed document with the rule that removed it and the rank that it had."""


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
    told: Callable[[Hit], tuple[list[tuple[int, int]], str]] | None = None  # what to mark of a hit's text, and why


@dataclass(frozen=True)
class Votes:
    """Buttons of every card: kind to its ``sign``, its ``title`` and the ``ids`` that are marked by it.

    A click calls ``told(id, kind)``.
    """

    kinds: Mapping[str, Mapping[str, Any]]
    told: Callable[[str, str], None]


def relevance(f: Frame, query: Query) -> dict[str, int]:
    """Grades of the documents for this query, where the corpus has judged it."""
    return dict(f.collection.relevant(query.id)) if query.id else {}


NO_PINS: performing.Pins = MappingProxyType({})
MORE = 10
"""So many further cards a click on “10 more” shows in every list of a page."""
LONGEST_MARKED = 4000
"""So many characters of a text are looked at for its best passage."""
BORDER = re.compile(r"[\s。！？；，、]+")
"""Where a passage may begin."""


def remembered(mark: Marker, *about: Hashable) -> Marker:
    """A marker that looks at a text once, for as long as the visitor asks the same of the same lists."""
    kept: dict[Hashable, dict[str, list[tuple[int, int]]]] = st.session_state.setdefault("_marks", {})
    if about not in kept and len(kept) >= 8:
        kept.clear()
    known = kept.setdefault(about, {})

    def told(text: str) -> list[tuple[int, int]]:
        if text not in known:
            known[text] = mark(text)
        return known[text]

    return told


def segments(text: str, marks: Sequence[tuple[int, int]], kind: Any = True) -> list[list[Any]]:
    """A text cut into [piece, mark] pairs."""
    edges = [0, *(edge for mark in marks for edge in mark), len(text)]
    pieces = zip((text[a:b] for a, b in pairwise(edges)), cycle((None, kind)), strict=False)
    return [[piece, mark] for piece, mark in pieces if piece]


def snippet(text: str, mark: Marker, width: int = 220) -> list[list[Any]]:
    """The best passage of a text (see `around`), in pieces; of a long text it is among the first characters."""
    return around(text[:LONGEST_MARKED], mark, width)


def around(text: str, mark: Marker, width: int = 220) -> list[list[Any]]:
    """The stretch of a text with most of what is marked, in pieces, from a little before it; else the beginning."""
    text = text.replace("\n", " ")
    marks, start = mark(text), 0
    reach = int(0.6 * width * (1 - _wide(text[:width]) / 2))  # what a narrow card shows of it
    if marks and len(text) > reach:
        inside = max(_stretches(marks, reach), key=partial(_weight, text))
        if inside[-1][1] > reach:
            start = max(0, min(inside[0][0] - reach // 6, len(text) - reach))
            border = BORDER.search(text, start - 1, inside[0][0]) if start else None
            start = border.end() if border else start
    end = min(len(text), start + width)
    inside = [(max(a, start) - start, min(b, end) - start) for a, b in marks if a < end and b > start]
    pieces = segments(text[start:end], inside)
    if start:
        pieces.insert(0, ["…", None])
    if end < len(text):
        pieces.append(["…", None])
    return pieces


def _wide(text: str) -> float:
    """The share of characters that take the place of two, such as Chinese ones."""
    return sum(east_asian_width(c) in "WF" for c in text) / max(len(text), 1)


def _stretches(marks: Sequence[tuple[int, int]], reach: int) -> Iterator[Sequence[tuple[int, int]]]:
    """From every mark those that end at most ``reach`` characters behind where it begins, and at least itself."""
    ends = [end for _start, end in marks]
    for i, (start, _end) in enumerate(marks):
        yield marks[i : max(i + 1, bisect_right(ends, start + reach))]


def _weight(text: str, marks: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """How many characters are marked: those of different words first, then those of words that come again."""
    words = [text[a:b].lower() for a, b in marks]
    return sum(map(len, set(words))), sum(map(len, words))


def compared(ranking: Ranking, document: Document) -> list[tuple[int, int]]:
    """The sentence of a text that was compared with the question, where the ranking knows it and it is no title."""
    told = ranking.evidence
    if not isinstance(told, Compared) or document.id not in told.spans:
        return []
    before = len(document.content) - len(document.text)
    start, end = told.spans[document.id]
    return [(start - before, end - before)] if start >= before else []


def number(value: float) -> str:
    """A score, with four digits that count, never in powers of ten."""
    digits = next((digits for least, digits in ((10000, 0), (10, 2), (0.1, 3)) if abs(value) >= least), 5)
    return f"{value:.{digits}f}"


def selected(panels: Sequence[Panel], relevant: Grades, depth: int) -> str:
    """The selected document: the visitor's choice, else the best judged one in the lists, else the first hit."""
    chosen = str(st.session_state.get("doc", ""))
    if any(chosen == h.document.id for p in panels for h in p.ranking.hits):
        return chosen
    shown = [h.document.id for p in panels for h in p.ranking.hits[:depth]]
    return max(shown, key=lambda doc: max(relevant.get(doc, 0), 0), default="")


def lists(
    page: str,
    panels: Sequence[Panel],
    f: Frame,
    *,
    depth: int,
    chosen: str,
    relevant: Grades,
    normalised: bool = False,
    removed: Removed | None = None,
    votes: Votes | None = None,
    question: str | None = None,
    base: int | None = 0,
    pinned: bool = True,
    counted: bool = True,
) -> None:
    """The lists side by side, with rank, marks, bars, and movement against the list number ``base``, which is named.

    Nothing moves against an empty list, nor where ``base`` is None.
    Of each the first ``depth``, and `MORE` with every click below them, until something else is searched.  Where they
    are ``counted``, counts by a metadata field stand above, one value of which may be all that is shown (`facets`).
    What was ``removed`` stands
    at the right, each with the rule and the reason.  With ``votes`` every card has their buttons.  Every card can be
    graded for the ``question``, by default that of the lab; ``pinned``: with a lesson's pins.
    """
    every = [r for p in panels for r in p.ranking.lineage()]
    about = depth, *((r.query, r.corpus.fingerprint, r.made_by) for r in every)
    only = facets.chosen(page, f.corpus)
    make = _Columns(f.corpus, depth + _further(page, about), chosen, relevant, normalised, only, f.answering)
    against = None if base is None or not panels[base].ranking.hits else panels[base]
    pins = performing.pins([p.ranking for p in panels], [p.name for p in panels]) if pinned else [NO_PINS] * len(panels)
    gone = {drop.document.id for drop, _by, _rank in removed[1]} if removed else set()
    columns = [
        make.column(p, None if p is against else against, own, gone) for p, own in zip(panels, pins, strict=True)
    ]
    if removed:
        columns.append(make.removed(*removed, panels[0].mark, pins[0]))
    data: dict[str, Any] = {"selected": chosen, "lists": columns, "votes": votes.kinds if votes else {}}
    data.update(step=performing.sentence_name(), moves="" if against is None or len(panels) < 2 else _movement(against))
    data["only"] = None
    if counted:
        hits = [h.document for p in panels for h in p.ranking.hits]
        same = (f.corpus.fingerprint, only, language(), tuple(document.id for document in hits))
        data["only"] = once(f"{page}.counts", same, partial(only.row, hits, f.corpus))
    asked = str(st.session_state.get(address.QUESTION, "")) if question is None else question
    grade = None
    if asked.strip():
        grade, data["grading"] = partial(grading.give, asked), grading.for_cards(f.corpus, asked)

    def more() -> None:
        st.session_state[f"_further.{page}"] = about, _further(page, about) + MORE

    told: dict[str, Any] = {"voted": votes.told if votes else None, "graded": grade, "more": more}
    components.lists(data, key=f"{page}.cards", only=only.choose, **told)


def _further(page: str, about: Hashable) -> int:
    """How many more cards the visitor has asked for in the lists of a page, as long as they are ``about`` this."""
    last, cards = st.session_state.get(f"_further.{page}", (None, 0))
    return cards if last == about else 0


@dataclass(frozen=True)
class _Columns:
    """Lists as the cards component takes them.

    A bar is as long as its score is far from zero, and grey below it; ``normalised`` ones reach from the lowest score
    to the highest.
    """

    corpus: Corpus
    depth: int
    chosen: str
    relevant: Grades
    normalised: bool
    only: facets.Facets
    answering: int = 2

    def column(
        self, p: Panel, base: Panel | None, pins: performing.Pins = NO_PINS, gone: Set[str] = frozenset()
    ) -> dict[str, Any]:
        there = {*(hit.document.id for hit in p.ranking.hits), *gone}
        head = [mark for doc, marks in pins.items() if doc not in there for mark in marks]
        every = list(enumerate(p.ranking.hits, 1))
        if self.only.value:
            every = [(rank, hit) for rank, hit in every if self.only.shows(hit.document)]
        hits, rest = every[: self.depth], every[self.depth :]
        scores = [h.score for h in p.ranking.hits[: max([self.depth, *(rank for rank, _hit in hits[-1:])])]]
        hits += [(rank, hit) for rank, hit in rest if hit.document.id in (self.chosen, *pins)]  # always in sight
        low = min(scores, default=0.0) if self.normalised else 0.0
        high = max(scores if self.normalised else map(abs, scores), default=1.0)
        cards = []
        for rank, hit in hits:
            length = hit.score - low if self.normalised else abs(hit.score)
            share = length / (high - low) if high > low else float(self.normalised or hit.score > 0)
            parts = _parts(p, hit, 100 * max(0.0, min(1.0, share)))
            move = "" if base is None else self._move(base.ranking, hit.document, rank)
            marks, reason = p.told(hit) if p.told else (compared(p.ranking, hit.document), "")
            text = around(hit.document.text, lambda _: marks) if marks else snippet(hit.document.text, p.mark)  # noqa: B023
            more: dict[str, Any] = {"score": number(hit.score), "move": move, "parts": parts, "reason": reason}
            cards.append(self._card(hit.document, rank, text, pins=pins.get(hit.document.id, []), **more))
        meta = _("{ms:.1f} ms · {n} found", ms=p.ranking.seconds * 1000, n=len(p.ranking))
        meta += f" · {p.unit}" if p.unit else ""
        note = "" if hits else _("Every hit of this list is hidden.") if p.ranking.hits else p.empty
        column = {
            "title": p.name,
            "color": p.colour,
            "meta": meta,
            "note": note,
            "hits": cards,
            "pins": head,
        }
        return column | self._rest(p.ranking, len(every))

    def _rest(self, ranking: Ranking, every: int) -> dict[str, str]:
        """What stands below a list: how much of it is shown, and the button for more, or that there is no more."""
        shown, more, hidden, end = min(self.depth, every), "", len(ranking) - every, ""
        if shown < every:
            more, end = _("{n} more", n=min(MORE, every - shown)), _("{n} of {m}", n=shown, m=every)
        elif every and ranking.asked:
            end = _("{m} of {m}: the search asked for no more.", m=every)
        elif every:
            end = _("{m} of {m}: there are no more.", m=every)
        return {"more": more, "end": " · ".join(filter(None, [end, _("{n} hidden", n=hidden) if hidden else ""]))}

    def removed(
        self, title: str, drops: Sequence[tuple[Drop, str, int | None]], mark: Marker, pins: performing.Pins
    ) -> dict[str, Any]:
        cards = []
        for drop, by, rank in drops:
            if not self.only.shows(drop.document):
                continue
            text, reason = snippet(drop.document.text, mark, 120), say(drop.reason)
            more: dict[str, Any] = {"score": by, "dropped": True, "reason": reason}
            cards.append(self._card(drop.document, rank or "", text, pins=pins.get(drop.document.id, []), **more))
        note = "" if cards else _("Every passage of this list is hidden.") if drops else _("Nothing was removed.")
        return {"title": title, "color": palette.mute(), "meta": "", "note": note, "hits": cards}

    def _card(self, document: Document, rank: int | str, text: list[list[Any]], **more: Any) -> dict[str, Any]:
        grade = self.relevant.get(document.id, 0)
        tags = [_("answers") if grade >= self.answering else _("helps")] if grade > 0 else []
        chip = palette.document(self.corpus, document.id)
        named = {"id": document.id, "rank": rank, "title": document.label, "chip": chip, "tags": tags, "text": text}
        return named | more

    def _move(self, base: Ranking, document: Document, rank: int) -> str:
        before = base.rank(document.id)
        if before is None:  # it may stand behind the end of a list that was asked for no more
            return f"> #{base.asked}" if base.asked else _("new")
        return _("from #{rank}", rank=before) if before > self.depth >= rank else moved(before, rank) or "＝"


def _movement(base: Panel) -> str:
    """What the movement on the cards is measured against, and what its signs mean."""
    named = {"list": base.name, "n": base.ranking.asked}
    if base.ranking.asked:
        return _("▲ ▼ #: against “{list}”. “> #{n}”: not among its first {n}, and it was asked for no more.", **named)
    return _("▲ ▼ #: against “{list}”. “new”: it does not have this passage.", **named)


def moved(before: int, rank: int) -> str:
    """By how many places a document rose or fell."""
    return f"▲ {before - rank}" if before > rank else f"▼ {rank - before}" if before < rank else ""


def _parts(p: Panel, hit: Hit, width: float) -> list[dict[str, Any]]:
    """The bar of a score, in the colours of its addends where it can be parted so."""
    if not (p.paint and hit.why and hit.score > 0 and all(c.value >= 0 for c in hit.why)):
        return [{"width": width, "color": palette.mute() if hit.score < 0 else p.colour}]
    return [
        {"width": width * c.value / hit.score, "color": p.paint(c), "title": f"{say(c.source)} {c.value:.4g}"}
        for c in hit.why
    ]


def passage(page: str, document: Document, mark: Marker) -> None:
    """The whole text of a document with its marks; id and metadata in one line."""
    known = [(k, v) for k, v in document.metadata.items() if k != "questions"]
    facts = [document.id, *(f"{k}: {', '.join(v) if isinstance(v, list) else v}" for k, v in known)]
    text = segments(document.text, mark(document.text), "mark")
    components.passage({"title": document.label, "facts": " · ".join(facts), "text": text}, key=f"{page}.passage")


def click(event: Any) -> None:
    """Select the document of a clicked chart point."""
    doc = charts.clicked(event)
    if doc and doc != st.session_state.get("doc"):
        address.put("doc", doc)
        st.rerun()


def table(page: str, rankings: Sequence[Ranking], names: Sequence[str]) -> None:
    """Every hit of every list, sortable."""
    columns: dict[str, Any] = {
        "list": _("List"),
        "rank": _("Rank"),
        "id": "id",
        "title": _("Title"),
        "score": st.column_config.NumberColumn(_("Score"), format="%.4f"),
        "why": _("Addends"),
        "text": _("Text"),
    }
    st.dataframe(export.frame(rankings, names), hide_index=True, key=f"{page}.table", column_config=columns)


def pick(page: str, rankings: Sequence[Ranking], chosen: str) -> str:
    """A picker of any document that one of these rankings has or had."""
    documents = {h.document.id: h.document for r in rankings for h in r.hits}
    documents |= {d.document.id: d.document for r in rankings for d in r.dropped}
    if not documents:
        return ""
    key = f"{page}.pick"
    address.hold(key, chosen if chosen in documents else next(iter(documents)))
    st.selectbox(
        _("Document"),
        list(documents),
        key=key,
        format_func=lambda i: f"{documents[i].label[:60]} · {i}",
        label_visibility="collapsed",
        on_change=lambda: address.put("doc", st.session_state[key]),
    )
    return str(st.session_state[key])
