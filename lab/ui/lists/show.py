"""Rankings on the screen: lists side by side, the selected document, why it is here.

Pages pass rankings; everything drawn comes from their hits, their `why` and their lineage.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, pairwise, zip_longest
from types import MappingProxyType
from typing import Any, NamedTuple
from unicodedata import east_asian_width

import streamlit as st

from lab.algebra import Contribution, Corpus, Document, Drop, Hit, Query, Ranking
from lab.explain.moves import quality
from lab.retrieve.explaining import Marker
from lab.retrieve.vector import Compared
from lab.text import cut
from lab.text.naming import shared_title
from lab.ui import address, components, escape, palette
from lab.ui.figures import charts
from lab.ui.figures.charts import Grades
from lab.ui.i18n import _, labelled, language, listed, say
from lab.ui.layout.frame import Frame
from lab.ui.lessons import performing
from lab.ui.lists import facets, gloss, grading
from lab.ui.work import once

Removed = tuple[str, Sequence[tuple[Drop, str, int | None]]]
"""A title, and every removed document with the rule that removed it and its former rank."""


class Lost(NamedTuple):
    """A result that an approximate search missed: its proper rank, from 1, and the words for that."""

    rank: int
    hit: Hit
    words: str


@dataclass(frozen=True)
class Panel:
    """One list to draw: a ranking with its name, colour, marks, and a text for an empty list."""

    ranking: Ranking
    name: str
    colour: str
    mark: Marker
    unit: str = ""
    empty: str = ""
    paint: Callable[[Contribution], str] | None = None  # colour of each component: the bar shows the parts of the score
    evidence: Callable[[Hit], tuple[list[tuple[int, int]], str]] | None = None  # what to mark of a hit's text, and why
    ranks: Callable[[Hit], list[tuple[str, str]]] | None = (
        None  # of a fused list: the ranks it was made from, each with a colour
    )
    below: str = ""  # a second line of the head
    place: str = ""  # the rank of the answer, a numeral over the list
    why: str = ""  # one sentence beside that numeral
    lost: Sequence[Lost] = ()  # best first: each has a row without a rank, where it belongs
    chips: Callable[[Hit], Sequence[str]] | None = None  # short words in the head of a row
    end: str = ""  # the text below the last row instead of “there are no more”
    ranked: bool = True  # False: the places are positions in a context, which nDCG does not measure


@dataclass(frozen=True)
class Votes:
    """Buttons of every card: kind to its ``sign``, its ``title`` and the ``ids`` that are marked by it.

    A click calls ``on_vote(id, kind)``.
    """

    kinds: Mapping[str, Mapping[str, Any]]
    on_vote: Callable[[str, str], None]


@dataclass(frozen=True)
class Ask:
    """A button in the head of every list; a click calls ``on_ask(name of the list)``."""

    label: str
    on_ask: Callable[[str], None]


def relevance(f: Frame, query: Query) -> dict[str, int]:
    """Returns the grades of the documents for this query, if the corpus has judged it."""
    return dict(f.collection.relevant(query.id)) if query.id else {}


NO_PINS: performing.Pins = MappingProxyType({})
MORE = 10
"""Number of further cards per click on “10 more”, in every list of a page."""
FAR = 100
"""The rank of a document in a list that does not have it, where ranks are compared."""
SHORT = 32
"""Characters of a reason that fits into a row."""
FEW = 8
"""Maximum number of different components that the bars of a list distinguish."""
SHADED = 20
"""Number of results of a list whose components are given shades."""
LONGEST_MARKED = 4000
"""Maximum characters of a text that are searched for its best passage."""
BORDER = re.compile(r"[\s。！？；，、]+")
"""Possible beginnings of a passage."""


def remembered(mark: Marker, *about: Hashable) -> Marker:
    """Returns a marker that looks at a text once, as long as the visitor asks the same of the same lists."""
    marks_by_key: dict[Hashable, dict[str, list[tuple[int, int]]]] = st.session_state.setdefault("_marks", {})
    if about not in marks_by_key and len(marks_by_key) >= 8:
        marks_by_key.clear()
    known = marks_by_key.setdefault(about, {})

    def mark_once(text: str) -> list[tuple[int, int]]:
        if text not in known:
            known[text] = mark(text)
        return known[text]

    return mark_once


def segments(text: str, marks: Sequence[tuple[int, int]], kind: Any = True) -> list[list[Any]]:
    """Cuts a text into [piece, mark] pairs."""
    edges = [0, *(edge for mark in marks for edge in mark), len(text)]
    pieces = zip((text[a:b] for a, b in pairwise(edges)), cycle((None, kind)), strict=False)
    return [[piece, mark] for piece, mark in pieces if piece]


def snippet(text: str, mark: Marker, width: int = 220) -> list[list[Any]]:
    """Returns the best passage of a text (see `around`), in pieces; it searches only the first characters."""
    return around(text[:LONGEST_MARKED], mark, width)


def around(text: str, mark: Marker, width: int = 220) -> list[list[Any]]:
    """Returns the part of a text with the most marks, in pieces, from a little before it; else the beginning."""
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
    """Returns the share of characters that are two columns wide, such as Chinese ones."""
    return sum(east_asian_width(c) in "WF" for c in text) / max(len(text), 1)


def _stretches(marks: Sequence[tuple[int, int]], reach: int) -> Iterator[Sequence[tuple[int, int]]]:
    """Yields, for each mark, the run of marks within ``reach`` characters of its start, at least the mark itself."""
    ends = [end for _start, end in marks]
    for i, (start, _end) in enumerate(marks):
        yield marks[i : max(i + 1, bisect_right(ends, start + reach))]


def _weight(text: str, marks: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Returns the number of marked characters, counted once per distinct word and over all words."""
    words = [text[a:b].lower() for a, b in marks]
    return sum(map(len, set(words))), sum(map(len, words))


def compared(ranking: Ranking, document: Document) -> list[tuple[int, int]]:
    """Returns the sentence that was compared with the question, if the ranking knows it and it is not the title."""
    evidence = ranking.evidence
    if not isinstance(evidence, Compared) or document.id not in evidence.spans:
        return []
    before = len(document.content) - len(document.text)
    start, end = evidence.spans[document.id]
    return [(start - before, end - before)] if start >= before else []


def number(value: float) -> str:
    """Returns a score with four significant digits, never in powers of ten."""
    digits = next((digits for least, digits in ((10000, 0), (10, 2), (0.1, 3)) if abs(value) >= least), 5)
    return f"{value:.{digits}f}"


def selected(panels: Sequence[Panel], relevant: Grades, depth: int) -> str:
    """Returns the selected document: the visitor's choice, else the best judged one in the lists.

    Of several, that is the one whose ranks differ most; without a judged one, the one that the lists agree on (RRF).
    """
    chosen = str(st.session_state.get("doc", ""))
    if any(chosen == h.document.id for p in panels for h in p.ranking.hits):
        return chosen
    ids = dict.fromkeys(h.document.id for p in panels for h in p.ranking.hits[:depth])

    def worth(doc: str) -> tuple[int, float]:
        ranks = [p.ranking.rank(doc) or FAR for p in panels if p.ranking.hits]
        grade = max(relevant.get(doc, 0), 0)
        return grade, max(ranks) - min(ranks) if grade else sum(1 / (60 + rank) for rank in ranks)

    return max(ids, key=worth, default="")


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
    moves: bool = True,
    linked: bool = True,
    lead: int = 0,
    pinned: bool = True,
    counted: bool = True,
    ask: Ask | None = None,
) -> None:
    """Draws lists side by side, with curves between neighbours that link the same document.

    With ``moves`` each row shows how far its document rose or fell against the list on its left; lists that are not
    ``linked`` (of several corpora) have neither curves nor moves.  Nothing moves against an empty list.  Rows are open
    at the rank that the selected document has in the list number ``lead``, or in the first that has it.

    Each list shows its first ``depth`` results, and `MORE` with every click below, until something else is
    searched.  If they are ``counted``, counts by a metadata field are below, and one value may be selected
    (`facets`).  ``removed`` documents are on the right, each with the rule and the reason.  With ``votes``
    every row has their buttons.  Every row can be graded for the ``question``, by default that of the lab;
    ``pinned``: with a lesson's pins.  With ``ask`` every head has its button, unless the list is empty.
    """
    _say_replaced(f, panels, chosen, pinned=pinned)
    every = [r for p in panels for r in p.ranking.lineage()]
    about = depth, *((r.query, r.corpus.fingerprint, r.made_by) for r in every)
    only = facets.chosen(page, f.corpus)
    rows = depth + _further(page, about)
    make = _Columns(f.corpus, rows, chosen, relevant, normalised, only, f.answering, [p.ranking for p in panels])
    pins = performing.pins([p.ranking for p in panels], [p.name for p in panels]) if pinned else [NO_PINS] * len(panels)
    removed_ids = {drop.document.id for drop, _by, _rank in removed[1]} if removed else set()
    linked = linked and len(panels) > 1
    before = [None, *panels[:-1]] if moves and linked else [None] * len(panels)
    columns = [
        make.column(p, left, list_pins, removed_ids, linked=linked)
        for p, left, list_pins in zip(panels, before, pins, strict=True)
    ]
    if removed:
        columns.append(make.removed(*removed, panels[0].mark, _pins_of_removed(panels, pins, removed_ids)))
    for cards in zip_longest(*(column["hits"] for column in columns)):  # rows of one rank are as high in every list
        if any(card and card["gloss"] for card in cards):
            for card in filter(None, cards):
                card["gloss"] = card["gloss"] or "\N{NO-BREAK SPACE}"
        for card in filter(None, cards):
            card["told"] = any(other and other.get("pins") for other in cards)
    data: dict[str, Any] = {"selected": chosen, "lists": columns, "votes": votes.kinds if votes else {}}
    data.update(step=performing.sentence_name(), moves=_legend(columns, before), linked=linked)
    data["lead"] = lead
    title = shared_title({h.document.id: h.document for p in panels for h in p.ranking.hits[:rows]}.values())
    data["shared"] = _("Beginning of every title: {title}", title=title) if title else ""
    picked = chosen == st.session_state.get("doc")
    data["neutral"] = not picked and relevant.get(chosen, 0) <= 0  # nobody knows whether it is right
    if ask:
        data["ask"] = ask.label
        data["asked"] = [bool(p.ranking.hits) for p in panels]
    data["only"] = None
    if counted:
        hits = [h.document for p in panels for h in p.ranking.hits]
        same = (f.corpus.fingerprint, only, language(), tuple(document.id for document in hits))
        data["only"] = once(f"{page}.counts", same, partial(only.row, hits, f.corpus))
    query_text = str(st.session_state.get(address.QUESTION, "")) if question is None else question
    grade = None
    if query_text.strip():
        grade, data["grading"] = partial(grading.give, query_text), grading.for_cards(f.corpus, query_text)

    def more() -> None:
        st.session_state[f"_further.{page}"] = about, _further(page, about) + MORE

    def asked(at: int) -> None:
        if ask and 0 <= at < len(panels):
            ask.on_ask(panels[at].name)

    components.lists(
        data,
        key=f"{page}.cards",
        only=only.choose,
        voted=votes.on_vote if votes else None,
        graded=grade,
        more=more,
        asked=asked,
    )


def _say_replaced(f: Frame, panels: Sequence[Panel], chosen: str, *, pinned: bool) -> None:
    """Says that the selected passage, of a link perhaps, is in none of the lists, so that another one is shown."""
    selected = str(st.session_state.get("doc", ""))
    if not pinned or selected in ("", chosen) or not any(p.ranking.hits for p in panels):
        return
    document = f.corpus.get(selected)
    if document is None:
        st.caption(_("This corpus has no passage “{id}”.", id=escape.plain(selected, 60)))
    elif not any(p.ranking.rank(selected) for p in panels):
        title = escape.plain(document.label, 60)
        st.caption(_("The selected passage “{title}” is in none of these lists.", title=title))


def _pins_of_removed(
    panels: Sequence[Panel], pins: Sequence[performing.Pins], removed_ids: Set[str]
) -> dict[str, list[str]]:
    """Returns the pins of removed documents, from the lists that lack them: a list may still have one of them."""
    marks = dict[str, list[str]]()
    for panel, list_pins in zip(panels, pins, strict=True):
        for doc, own in list_pins.items():
            if doc in removed_ids and panel.ranking.rank(doc) is None:
                marks.setdefault(doc, []).extend(own)
    return marks


def _further(page: str, about: Hashable) -> int:
    """Returns how many more rows the visitor has asked for in the lists of a page, while they are ``about`` this."""
    last, rows = st.session_state.get(f"_further.{page}", (None, 0))
    return rows if last == about else 0


@dataclass(frozen=True)
class _Columns:
    """Lists in the form that the component takes.

    Bars share one scale per list, from its lowest sum of negative components to its highest sum of positive ones;
    ``normalised`` ones reach from the lowest score to the highest.
    """

    corpus: Corpus
    depth: int
    chosen: str
    relevant: Grades
    normalised: bool
    only: facets.Facets
    answering: int = 2
    rankings: Sequence[Ranking] = ()

    def column(
        self,
        p: Panel,
        left: Panel | None,
        pins: performing.Pins = NO_PINS,
        removed_ids: Set[str] = frozenset(),
        *,
        linked: bool = False,
    ) -> dict[str, Any]:
        """Returns a list; ``left`` is the list its rows move against; ``linked`` rows know their other ranks."""
        ids = {*(hit.document.id for hit in p.ranking.hits), *removed_ids}
        head = [mark for doc, marks in pins.items() if doc not in ids for mark in marks]
        missed = {hit.document.id: words for _rank, hit, words in p.lost}
        every = list(enumerate(p.ranking.hits, 1))
        for rank, hit, _words in p.lost:
            every.insert(rank - 1, (0, hit))
        if self.only.value:
            every = [(rank, hit) for rank, hit in every if self.only.shows(hit.document)]
        hits, rest = every[: self.depth], every[self.depth :]
        hits += [(rank, hit) for rank, hit in rest if hit.document.id in (self.chosen, *pins)]  # always in sight
        first = p.ranking.hits[: max([self.depth, *(rank for rank, _hit in hits)])]
        bars = bars_of(p, first, normalised=self.normalised)
        at = next((i for i, r in enumerate(self.rankings) if r is p.ranking), 0)
        cards = []
        for rank, hit in hits:
            if not rank:
                words, text = missed[hit.document.id], snippet(hit.document.text, p.mark)
                ranks = self._elsewhere(at, hit.document.id) if linked else {}
                cards.append(self._card(hit.document, "", text, lost=True, score="", reason=words, **ranks))
                continue
            marks, reason = p.evidence(hit) if p.evidence else (compared(p.ranking, hit.document), "")
            text = around(hit.document.text, lambda _: marks) if marks else snippet(hit.document.text, p.mark)  # noqa: B023
            more: dict[str, Any] = {"score": number(hit.score), "parts": bars.parts(hit), "reason": reason}
            more["move"] = self._move(left.ranking, hit.document, rank) if left and left.ranking.hits else ""
            more["note"] = reason if len(reason) <= SHORT else ""
            if p.ranks:
                more["ranks"] = p.ranks(hit)
            if p.chips:
                more["chips"] = list(p.chips(hit))
            if linked:
                more |= self._elsewhere(at, hit.document.id)
            cards.append(self._card(hit.document, rank, text, pins=pins.get(hit.document.id, []), **more))
        note = "" if hits else _("All results of this list are hidden.") if p.ranking.hits else p.empty
        column = {
            "title": p.name,
            "color": p.colour,
            "meta": self._meta(p),
            "note": note,
            "hits": cards,
            "pins": head,
            "zero": bars.zero,
            "chosen": missed.get(self.chosen) or (self._chosen(p.ranking) if linked and self.chosen else ""),
            "below": p.below,
            "place": p.place,
            "why": p.why,
        }
        return column | self._rest(p, [rank for rank, _hit in every])

    def _meta(self, p: Panel) -> list[tuple[str, str]]:
        """Returns the facts in the head of a list, each with its kind, the most important first."""
        facts = [("hits", _("{n} found", n=len(p.ranking)))]
        if p.ranked and p.ranking.hits and any(grade > 0 for grade in self.relevant.values()):
            (gain,) = quality([p.ranking], self.relevant)
            facts.insert(0, ("gain", f"nDCG@10 {gain:.2f}"))
        return facts + ([("unit", p.unit)] if p.unit else [])

    def _chosen(self, ranking: Ranking) -> str:
        """Returns the rank of the selected document, shown on the tab of a list if one list is shown at a time."""
        rank = ranking.rank(self.chosen)
        beyond = f"> #{ranking.asked}" if ranking.asked else _("not found")
        return _("rank {n}", n=rank) if rank else beyond

    def _elsewhere(self, at: int, doc: str) -> dict[str, Any]:
        """Returns the ranks of a document in the neighbouring lists, and in all of them."""
        ranks = [r.rank(doc) for r in self.rankings]
        sides = {"before": ranks[at - 1] if at else None, "after": ranks[at + 1] if at + 1 < len(ranks) else None}
        return {**sides, "ways": ranks}

    def _rest(self, p: Panel, rows: Sequence[int]) -> dict[str, str]:
        """Returns the text below a list: how much of it is shown, and the button for more, or that there is no more.

        ``rows`` are the ranks of its rows, shown or not; 0 for a result that an approximate search missed.
        """
        ranking, every, n_shown = p.ranking, len([*filter(None, rows)]), len([*filter(None, rows[: self.depth])])
        more, hidden, end = "", len(ranking) - every, ""
        if self.depth < len(rows):
            more, end = _("{n} more", n=min(MORE, len(rows) - self.depth)), _("{n} of {m}", n=n_shown, m=every)
        elif p.end:
            end = p.end
        elif every and ranking.asked:
            end = _("{m} of {m}: the search requested no more.", m=every)
        elif every:
            end = _("{m} of {m}: there are no more.", m=every)
        return {"more": more, "end": " · ".join(filter(None, [end, _("{n} hidden", n=hidden) if hidden else ""]))}

    def removed(
        self, title: str, drops: Sequence[tuple[Drop, str, int | None]], mark: Marker, pins: performing.Pins
    ) -> dict[str, Any]:
        """Returns the list of removed documents: its first rows, and those that are relevant, selected or pinned."""
        every, cards = [drop for drop in drops if self.only.shows(drop[0].document)], []
        for i, (drop, by, rank) in enumerate(every):
            always_shown = drop.document.id in (self.chosen, *pins) or self.relevant.get(drop.document.id, 0) > 0
            if i >= self.depth and not always_shown:
                continue
            text, reason = snippet(drop.document.text, mark, 120), say(drop.reason)
            cards.append(
                self._card(
                    drop.document,
                    rank or "",
                    text,
                    pins=pins.get(drop.document.id, []),
                    score=by,
                    dropped=True,
                    reason=reason,
                )
            )
        note = "" if cards else _("All passages of this list are hidden.") if drops else _("Nothing was removed.")
        column = {"title": title, "color": palette.mute(), "meta": [], "note": note, "hits": cards}
        if (left := len(every) - len(cards)) > 0:
            numbers = {"n": len(cards), "m": len(every)}
            column |= {"more": _("{n} more", n=min(MORE, left)), "end": _("{n} of {m}", **numbers)}
        return column

    def _card(self, document: Document, rank: int | str, text: list[list[Any]], **more: Any) -> dict[str, Any]:
        grade = self.relevant.get(document.id, 0)
        tags = [_("answers") if grade >= self.answering else _("helps")] if grade > 0 else []
        chip = palette.document(self.corpus, document.id)
        label = document.label
        card: dict[str, Any] = {
            "id": document.id,
            "rank": rank,
            "title": label,
            "at": label.start,
            "chip": chip,
            "tags": tags,
        }
        card |= {"text": text, "path": document.title or label}
        return card | {"gloss": gloss.for_document(document)} | more

    def _move(self, base: Ranking, document: Document, rank: int) -> str:
        before = base.rank(document.id)
        if before is None:  # it may be behind the end of a list that was cut
            return f"> #{base.asked}" if base.asked else _("new")
        return moved(before, rank) or "＝"


def _legend(columns: Sequence[Mapping[str, Any]], before: Sequence[Panel | None]) -> str:
    """Explains the signs that occur in these rows."""
    rows = [hit for column in columns for hit in column["hits"]]
    lefts = [p.ranking for p in before if p and p.ranking.hits]
    signs = []
    if any(hit.get("tags") for hit in rows):
        signs.append(_("Hollow ring: judged relevant"))
    if any(hit.get("ranks") for hit in rows):
        signs.append(_("5 + 1: the ranks that were fused"))
    if lefts:
        signs.append(_("▲▼ against the list on the left"))
        if any(hit.get("move") == _("new") for hit in rows):
            signs.append(_("new: not in that list"))
        limits = {r.asked for r in lefts if r.asked}
        if any(str(hit.get("move", "")).startswith("> #") for hit in rows):
            signs.append(_("> #{n}: not among the first {n} requested", n=max(limits)))
        signs.append(_("↓ the rank in the list on the right"))
    return " · ".join(signs)


def moved(before: int, rank: int) -> str:
    """Returns by how many ranks a document rose or fell."""
    return f"▲ {before - rank}" if before > rank else f"▼ {rank - before}" if before < rank else ""


@dataclass(frozen=True)
class Bars:
    """The bars of one list: their common scale in units of its scores, and the division of a score.

    ``zero`` is the position of 0, in percent of the width; 0 if no bar is negative.
    """

    low: float
    high: float
    panel: Panel
    shades: Mapping[str, str]

    @property
    def zero(self) -> float:
        return 100 * -self.low / (self.high - self.low) if self.low < 0 < self.high - self.low else 0.0

    def parts(self, hit: Hit) -> list[dict[str, Any]]:
        """Returns the pieces of a bar, in percent: positive components right of zero, negative ones left."""
        width = self.high - self.low
        if width <= 0:
            return [{"left": 0.0, "width": 100.0 if hit.score > 0 else 0.0, "color": self.panel.colour}]
        right = left = 0.0
        pieces = []
        for component in divided(self.panel, hit, self.shades):
            start = right if component.value >= 0 else left + component.value
            right, left = (right + component.value, left) if component.value >= 0 else (right, left + component.value)
            place = {"left": 100 * (start - self.low) / width, "width": 100 * abs(component.value) / width}
            title = f"{component.name} {component.value:.4g}" if component.name else ""
            pieces.append({**place, "color": component.colour, "title": title})
        return pieces


class Component(NamedTuple):
    """A piece of a score: its name, its value, its colour."""

    name: str
    value: float
    colour: str


def divided(p: Panel, hit: Hit, shades: Mapping[str, str]) -> list[Component]:
    """Returns the components of a score, if they are few and sum to it; else the score as a whole."""
    if p.paint:
        return [Component(say(part.source), part.value, p.paint(part)) for part in hit.why]
    if not shades:
        return [Component("", hit.score, p.colour if hit.score >= 0 else palette.mute())]
    return [Component(say(name), value, shades.get(str(name), p.colour)) for name, value in grouped(hit).items()]


def grouped(hit: Hit) -> dict[str, float]:
    """Returns a score's parts by their names, else its components."""
    sums: dict[str, float] = {}
    for part in hit.why:
        name = part.group or part.source
        sums[name] = sums.get(name, 0.0) + part.value
    return sums


def bars_of(p: Panel, hits: Sequence[Hit], *, normalised: bool) -> Bars:
    """Returns the bars of these results, on one scale."""
    if normalised:
        scores = [hit.score for hit in hits]
        low, high = min(scores, default=0.0), max(scores, default=1.0)
        return _Stretched(low, high, p, {})
    shades = {} if p.paint else shades_of(p, hits)
    panel = p if shades or all(hit.why for hit in hits) else replace(p, paint=None)
    values = [[c.value for c in divided(panel, hit, shades)] for hit in hits]
    low = min((sum(v for v in row if v < 0) for row in values), default=0.0)
    high = max((sum(v for v in row if v > 0) for row in values), default=0.0)
    return Bars(min(low, 0.0), max(high, 0.0), panel, shades)


def shades_of(p: Panel, hits: Sequence[Hit]) -> dict[str, str]:
    """Returns the shade of each component in the bars of a list; empty without components, or with too many."""
    every = hits if len(hits) >= SHADED else p.ranking.hits[:SHADED]  # the same shades, however many rows are shown
    if not all(hit.why for hit in hits):
        return {}
    names = list(dict.fromkeys(str(name) for hit in every for name in grouped(hit)))
    return {name: palette.tint(p.colour, i, len(names)) for i, name in enumerate(names)} if len(names) <= FEW else {}


class _Stretched(Bars):
    """Bars from the lowest score of a list to its highest."""

    def parts(self, hit: Hit) -> list[dict[str, Any]]:
        width = self.high - self.low
        share = (hit.score - self.low) / width if width > 0 else 1.0
        return [{"left": 0.0, "width": 100 * max(0.0, min(1.0, share)), "color": self.panel.colour}]

    @property
    def zero(self) -> float:
        return 0.0


def passage(page: str, document: Document, mark: Marker) -> None:
    """Draws the whole text of a document with its marks; id and metadata in one line."""
    known = [(k, v) for k, v in document.metadata.items() if k != "questions"]
    path = [document.title] if document.title not in ("", document.label) else []
    facts = [
        *path,
        document.id,
        *(labelled(facets.named(k), listed(v) if isinstance(v, list) else v) for k, v in known),
    ]
    text = segments(document.text, mark(document.text), "mark")
    data = {"title": document.label, "gloss": gloss.for_document(document), "facts": " · ".join(facts), "text": text}
    components.passage(data, key=f"{page}.passage")


def click(event: Any) -> None:
    """Selects the document of a clicked chart point."""
    doc = charts.clicked(event)
    if doc and doc != st.session_state.get("doc"):
        address.put("doc", doc)
        st.rerun()


def pick(page: str, rankings: Sequence[Ranking], chosen: str) -> str:
    """Draws a picker of any document that one of these rankings has or had."""
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
        format_func=lambda i: f"{cut(documents[i].label, 60)} · {i}",
        label_visibility="collapsed",
        on_change=address.follow,
        args=(key, documents, "doc"),
    )
    return str(st.session_state[key])
