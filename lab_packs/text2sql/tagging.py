"""A question cut into spans: names of the schema, quantities, days, quoted texts, key words, and what nobody knows.

Every span keeps all that it can mean; the cut is the one with the fewest unknown words and, of those, the fewest spans:
the longest names win.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lab.text import is_han, jieba_dictionary
from lab.text.quantities import Days, Quantity, han_number, measure, read_days, read_quantity, read_unit
from lab.text.quantities.dates import AFTER_NOON, clock_time
from lab.text.quantities.numbers import UP_TO_99
from lab_packs.text2sql.calling import Token, letters, tokens
from lab_packs.text2sql.documents import Linked, SchemaDocuments, Thing
from lab_packs.text2sql.keywords import Role, keywords

LookUp = Callable[[Sequence[str]], Mapping[str, Sequence[Thing]]]
"""Searches the columns whose values are not known by heart: words -> what they are values of."""
UNKNOWN, PIECE = 20.0, 1.0
"""What an unknown word costs in the cut, and what any span costs."""
_QUOTED = re.compile(r"[\"“「『《']([^\"“”「」『』《》']{1,80})[\"”」』》'](?![a-z])")
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?!\d)|(?P<by_noon>\d{1,2})(?::(?P<past>\d\d))? ?(?P<noon>[ap])\.?m\b"
    rf"|(?P<part>早上|上午|下午|晚上|中午)?(?P<han>\d{{1,2}}|{UP_TO_99})点(?P<half>半)?(?!\d)"
)
OVER = "过超破上"
"""What stands before a number that is exceeded: 过万, 破千, 超 5000."""
_ROUND = re.compile("[十百千]?[百千万亿]")
_MARKS = ",.;:!?。，；：！？()（）、“”\"'「」《》"


@dataclass(frozen=True)
class Span:
    """``text[start:end]`` and all that it can mean."""

    start: int
    end: int
    text: str
    links: tuple[Linked, ...] = ()
    roles: tuple[Role, ...] = ()
    quantity: Quantity | None = None
    days: Days | None = None
    quoted: str = ""
    clock: str = ""
    unit: str = ""
    mark: bool = False

    def is_(self, *names: str) -> bool:
        """Whether it can be a key word of one of these roles."""
        return any(r.name in names for r in self.roles)

    def role(self, *names: str) -> Role | None:
        return next((r for r in self.roles if r.name in names), None)

    @property
    def unknown(self) -> bool:
        known = (self.links, self.roles, self.quantity, self.days, self.quoted, self.mark, self.clock, self.unit)
        return not any(known)


@dataclass
class _Cut:
    cost: float = 0.0
    spans: list[Span] = field(default_factory=list)


def tag(text: str, documents: SchemaDocuments, as_of: dt.date, *, look_up: LookUp | None = None) -> list[Span]:
    """Returns the spans of a question, from left to right."""
    folded = letters(text)
    words = tokens(folded)
    by_range: dict[tuple[int, int], Span] = {}
    for i in range(len(words)):
        for span, j in _pieces(text, folded, words, i, documents, as_of):
            old = by_range.get((i, j))
            by_range[i, j] = _merged(old, span) if old else span
    spans = _cheapest(text, words, by_range)
    searched = [
        i
        for i, s in enumerate(spans)
        if s.unknown or (i and s.quantity and not s.quantity.unit and _unread(spans[i - 1], documents))
    ]
    if look_up and searched:
        spans = _looked_up(text, searched, spans, look_up) or spans
    return spans


def _merged(a: Span, b: Span) -> Span:
    either = {
        name: getattr(a, name) or getattr(b, name) for name in ("quantity", "days", "quoted", "clock", "unit", "mark")
    }
    return replace(a, links=a.links + b.links, roles=a.roles + b.roles, **either)


def _pieces(
    text: str, folded: str, words: Sequence[Token], i: int, documents: SchemaDocuments, as_of: dt.date
) -> list[tuple[Span, int]]:
    """Returns all spans that begin at a word, each with the index of the word after its end."""
    spans: list[tuple[Span, int]] = []
    start = words[i].start

    def until(end: int) -> int:
        """Returns the index of the word after a place; -1 if the place is inside a word."""
        j = next((j for j in range(i, len(words)) if words[j].end >= end), len(words) - 1)
        inside = words[j].start < end <= words[j].end and not words[j].text.isascii()
        return j + 1 if words[j].end == end or inside else -1

    def put(end: int, **fields: Any) -> None:
        j = until(end)
        if j > 0:
            spans.append((Span(start, end, text[start:end], **fields), j))

    if words[i].text in _MARKS:
        put(words[i].end, mark=True)
    if m := _QUOTED.match(folded, start):
        put(m.end(), quoted=text[m.start(1) : m.end(1)])
    if (end := read_unit(folded, start)) and not (folded[start].isascii() and keywords().get(words[i].text)):
        put(end, unit=folded[start:end])
    q = read_quantity(folded, start)
    if q and q.unit in ("月", "日", "号") and q.high is None:  # 七月 is a month of the year
        q = Quantity(q.start, q.end - len(q.unit), q.low, None, "", q.scale)
    if q and not (measure(q.unit)[0] == "years" and 1800 <= q.low <= 2200):  # that is a year
        put(q.end, quantity=q)
        if q.unit and q.high is None:
            bare = folded[start : q.end].removesuffix(q.unit).rstrip(" -")
            if bare and bare != folded[start : q.end]:
                put(start + len(bare), quantity=Quantity(q.start, start + len(bare), q.low, None, "", q.scale))
    if start and folded[start - 1] in OVER and (m := _ROUND.match(folded, start)):  # 过万, 上千
        put(m.end(), quantity=Quantity(start, m.end(), float(han_number("一" + m[0]) or 0), None, "", 1))
    d = read_days(folded, start, as_of, bare=True)
    if d:
        put(d.end, days=d)
    if (m := _CLOCK.match(folded, start)) and (clock := _clock(m)):
        put(m.end(), clock=clock)
    most = max(documents.longest, 8)
    for j in range(i + 1, min(len(words), i + most) + 1):
        several = [t.text for t in words[i:j]]
        if any(t in ",.;!?。，；！？" for t in several):
            break
        raw = text[start : words[j - 1].end]
        name = several[::2] if len(several) == 3 and several[1] == "过" else several  # 罚过款
        links = tuple(k for k in documents.named(name) if k.how != "part" or documents.is_part(k.thing, raw))
        roles = keywords().get(" ".join(several), ())
        if not links and not roles and len(several) == 1:
            links = tuple(documents.abbreviated(several[0]))
        if links or roles:
            put(words[j - 1].end, links=links, roles=roles)
    return spans


def _clock(m: re.Match[str]) -> str:
    if m["han"]:
        hour = int(m["han"]) if m["han"].isdigit() else int(han_number(m["han"]) or 0)
        return clock_time(hour, 30 if m["half"] else 0, after_noon=m["part"] in AFTER_NOON)
    if m["noon"]:
        hour, minute = int(m["by_noon"]), int(m["past"] or 0)
        return clock_time(hour, minute, before_noon=m["noon"] == "a", after_noon=m["noon"] == "p")
    return clock_time(int(m["hour"]), int(m["minute"]))


def _price(span: Span) -> float:
    """What a span costs in the cut: all cost something, far-fetched links more."""
    if span.unknown:
        return UNKNOWN
    if span.quantity and len(span.text) == 1 and not span.text.isascii():
        return PIECE + 0.3  # 一共, 一号楼
    sure = span.roles or span.quantity or span.days or span.quoted or span.mark or span.clock
    if span.unit and not (sure or span.links):
        return PIECE + 0.5
    far = 0.0 if sure else min((link.cost for link in span.links), default=0.0)
    if not sure and span.links and all(link.how == "part" for link in span.links):
        far += 0.3
    if span.is_("light") and far == 0.0:
        return PIECE + 0.02
    return PIECE + far - (0.05 if span.links and not span.roles else 0.0)


def _cheapest(text: str, words: Sequence[Token], by_range: Mapping[tuple[int, int], Span]) -> list[Span]:
    best: list[_Cut | None] = [_Cut()] + [None] * len(words)
    by_start: dict[int, list[tuple[int, Span]]] = {}
    for (i, j), span in by_range.items():
        by_start.setdefault(i, []).append((j, span))
    for i in range(len(words)):
        cheapest = best[i]
        if cheapest is None:
            continue
        token = words[i]
        options = [*by_start.get(i, []), (i + 1, Span(token.start, token.end, text[token.start : token.end]))]
        for j, span in options:
            cost = cheapest.cost + _price(span)
            other = best[j]
            if other is None or cost < other.cost - 1e-9:
                best[j] = _Cut(cost, [*cheapest.spans, span])
    last = best[-1]
    return _joined(text, last.spans if last else [])


def _joined(text: str, spans: Sequence[Span]) -> list[Span]:
    """Joins neighbouring unknown Chinese characters into one span, unless the dictionary splits them into words."""
    merged: list[Span] = []
    for s in _whole_words(text, spans):
        if (
            s.unknown
            and merged
            and merged[-1].unknown
            and merged[-1].end == s.start
            and is_han(s.text)
            and is_han(merged[-1].text)
        ):
            merged[-1] = Span(merged[-1].start, s.end, text[merged[-1].start : s.end])
        else:
            merged.append(s)
    return merged


def _unread(span: Span, documents: SchemaDocuments) -> bool:
    """Whether a span names a column of texts whose values are not known by heart."""
    columns = [k.thing.ref for k in span.links if k.thing.kind == "column"]
    return any(not documents.schema.column(ref).complete for ref in columns)


def _whole_words(text: str, spans: Sequence[Span]) -> list[Span]:
    """Makes a Chinese word unknown as a whole if one of its characters is: 人工智能 is not 人, 工智 and 能."""
    borders, at = list[tuple[int, int]](), 0
    if not any(s.unknown and is_han(s.text) for s in spans):
        return list(spans)
    for word in jieba_dictionary().cut(text):
        borders.append((at, at + len(word)))
        at += len(word)
    result = list(spans)
    for start, end in borders:
        inside = [s for s in result if start <= s.start and s.end <= end]
        whole = end - start > 1 and sum(s.end - s.start for s in inside) == end - start
        opens = bool(inside) and inside[0].is_("starts")  # 姓李 is 姓 and 李
        if (
            whole
            and not opens
            and any(s.unknown for s in inside)
            and all(len(s.text) == 1 or s.unknown for s in inside)
        ):
            result = [s for s in result if s not in inside] + [Span(start, end, text[start:end])]
    return sorted(result, key=lambda s: s.start)


def _looked_up(text: str, unknown: Sequence[int], spans: list[Span], look_up: LookUp) -> list[Span] | None:
    """Returns the spans with unknown words replaced by values of the database; None if it has none of them."""
    grams: dict[str, tuple[int, int]] = {}
    for i in unknown:
        for j in range(i, min(i + 5, len(spans))):
            for k in range(max(0, i - 4), i + 1):
                if spans[j].mark or spans[k].mark:
                    continue
                grams.setdefault(text[spans[k].start : spans[j].end], (k, j))
    values = look_up(list(grams))
    if not values:
        return None
    covered: set[int] = set()
    numbered = list[tuple[int, Span]]()
    for words_said in sorted(values, key=len, reverse=True):
        k, j = grams[words_said]
        if covered & set(range(k, j + 1)):
            continue
        covered |= set(range(k, j + 1))
        links = tuple(Linked(thing, 0.0) for thing in values[words_said])
        numbered.append((k, Span(spans[k].start, spans[j].end, text[spans[k].start : spans[j].end], links)))
    numbered += [(i, s) for i, s in enumerate(spans) if i not in covered]
    return [s for _, s in sorted(numbered, key=lambda x: x[0])]


def imperatives(spans: Sequence[Span]) -> list[Span]:
    """Removes the links of a verb that begins a sentence and only means “show”: return the names, list prices."""
    result = list[Span]()
    for n, span in enumerate(spans):
        begins = n == 0 or spans[n - 1].mark
        if begins and span.is_("show") and all(link.thing.kind != "table" for link in span.links):
            span = replace(span, links=())
        result.append(span)
    return result
