"""From a question to a row of items: words of the schema, words of speech, numbers, dates, quoted text, the rest.

At every place the longest match wins.  A single Chinese character only counts where the segmenter sees a word of
its own, so that 人工智能 does not contain 人.  What matches nothing is kept as unknown, to be named.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from lab.text import HAN, half_width
from lab.text2sql.dates import Stretch, read_date
from lab.text2sql.hints import Hint, plural, singular
from lab.text2sql.numbers import Number, read_number
from lab.text2sql.schema import Column, Schema
from lab.text2sql.slots import Ref
from lab.text2sql.speech import speech

_QUOTED = re.compile(
    r"\"([^\"]{1,200})\"|“([^”]{1,200})”|「([^」]{1,200})」|《([^》]{1,200})》|『([^』]{1,200})』|(?<![a-z0-9])'([^']{1,200})'(?![a-z0-9])|‘([^’]{1,200})’"
)
_HAN = re.compile(f"[{HAN}]")
_LATIN = re.compile(rf"[^\W{HAN}]+(?:[-'’.@+#][^\W{HAN}]+)*[+#]*")
_SURNAME = re.compile(f"姓([{HAN}])(?![{HAN}]*名)")
_SMALL = {"not", "and", "or", "in", "to", "since", "by", "per", "have"}
_CALLS_FOR_DATE = {"since", "past", "before", "until", "in", "between", "to", "or", "and"}


@dataclass(frozen=True)
class Value:
    """A stored value that a word stands for."""

    ref: Ref
    value: str


@dataclass
class Item:
    """A piece of a question, ``text[start:end]``, and all that it can mean."""

    text: str
    start: int
    end: int
    words: dict[str, str] = field(default_factory=dict)  # kind of speech -> argument
    columns: tuple[Ref, ...] = ()
    cues: tuple[Ref, ...] = ()  # columns that the word points to without naming them
    tables: tuple[str, ...] = ()
    table_cues: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()
    number: Number | None = None
    date: Stretch | None = None
    quoted: str | None = None
    unknown: bool = False
    breaks: bool = False  # a comma or full stop
    used: bool = False

    def says(self, *kinds: str) -> bool:
        return any(k in self.words for k in kinds)

    @property
    def term(self) -> bool:
        return bool(self.columns or self.cues or self.tables or self.table_cues or self.values)

    @property
    def idle(self) -> bool:
        """A word that can be passed over: no term, no number, nothing with an effect of its own."""
        return (
            not self.term
            and self.number is None
            and self.date is None
            and self.quoted is None
            and not self.unknown
            and not self.breaks
            and self.says("stop", "in", "all", "which", "show", "find", "follow", "closed")
        )


@dataclass
class _Entry:
    columns: list[Ref] = field(default_factory=list)
    cues: list[Ref] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    table_cues: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)


LookUp = Callable[[Column, Sequence[str]], Sequence[str]]


@dataclass(frozen=True)
class Vocabulary:
    """All phrases of a schema: what people call its tables and columns, and the values that are known by heart."""

    schema: Schema

    @cached_property
    def entries(self) -> Mapping[str, _Entry]:
        found: dict[str, _Entry] = {}

        def entry(phrase: str) -> _Entry:
            folded = half_width(phrase).strip()
            small = folded.isascii() and any(kind in _SMALL for kind, _ in speech().get(folded, ()))
            return found.setdefault("" if small else folded, _Entry())  # a column called "no" or "from" must be quoted

        for table in self.schema.tables:
            for name in _names(table.name, table.hint):
                entry(name).tables.append(table.name)
            for cue in table.hint.cues:
                entry(cue).table_cues.append(table.name)
            for c in table.columns:
                for name in _names(c.name, c.hint):
                    if c.ref not in entry(name).columns:
                        entry(name).columns.append(c.ref)
                for cue in c.hint.cues:
                    entry(cue).cues.append(c.ref)
                for stored, names in c.hint.values.items():
                    for name in names:
                        for form in _forms(name):
                            entry(form).values.append(Value(c.ref, stored))
                for value in c.values:
                    if _linkable(value):
                        entry(value).values.append(Value(c.ref, value))
        found.pop("", None)
        return found

    @cached_property
    def longest(self) -> int:
        return max(map(len, (*self.entries, *speech())), default=1)

    @cached_property
    def incomplete(self) -> tuple[Column, ...]:
        """Text columns with values that are not known by heart."""
        return tuple(c for c in self.schema.columns() if c.kind in ("text", "category") and not c.complete)


def _names(name: str, hint: Hint) -> Iterable[str]:
    """All forms of a name and its synonyms, either number for English."""
    said = dict.fromkeys(n for n in (name, name.replace("_", " "), hint.zh, hint.en, *hint.synonyms) if n)
    return dict.fromkeys(form for n in said for form in _forms(n))


def _forms(name: str) -> Iterable[str]:
    yield name
    if name.isascii() and name[-1:].isalpha():
        first, _, last = name.rpartition(" ")
        head = first + " " if first else ""
        yield head + plural(last.lower())
        yield head + singular(last.lower())


def _linkable(value: str) -> bool:
    """Values that a word of a question may stand for: not numbers, not single letters."""
    folded = half_width(value).strip()
    if not folded or re.fullmatch(r"[\d.,:/ -]+", folded):
        return False
    return len(folded) > 1 or _HAN.fullmatch(folded) is not None


def scan(text: str, vocabulary: Vocabulary, *, as_of: dt.date, look_up: LookUp | None = None) -> list[Item]:
    """The items of a question in order; ``look_up`` asks the database about words that nothing else explains."""
    items = _Scan(text, vocabulary, as_of, {}).run()
    if (
        look_up is not None
        and vocabulary.incomplete
        and (any(i.unknown or i.quoted for i in items) or _numbered(items))
    ):
        grams = _grams(text, items)
        extra: dict[str, list[Value]] = {}
        for column in vocabulary.incomplete:
            for value in look_up(column, grams):
                extra.setdefault(half_width(value), []).append(Value(column.ref, value))
        if extra:
            items = _Scan(text, vocabulary, as_of, extra).run()
    return items


def _numbered(items: Sequence[Item]) -> list[tuple[Item, Item]]:
    """Words with a bare number behind them, which may be a name together: room 12, customer 777."""
    pairs = pairwise(items)
    return [
        (a, b)
        for a, b in pairs
        if b.number is not None
        and not b.number.unit
        and (a.term or a.unknown)
        and not a.says("cmp", "and", "to", "between")
    ]


def _grams(text: str, items: Sequence[Item]) -> list[str]:
    """Runs of words around what is unknown, as they are written: candidates for values."""
    grams: dict[str, None] = dict.fromkeys(text[a.start : b.end] for a, b in _numbered(items))
    for i, item in enumerate(items):
        if item.quoted:
            grams[item.quoted] = None
        if not item.unknown:
            continue
        for a in range(max(0, i - 4), i + 1):
            for b in range(i, min(len(items), i + 5)):
                between = items[a : b + 1]
                if not any(x.breaks for x in between):
                    grams[text[between[0].start : between[-1].end]] = None
        if _HAN.match(item.text):
            for a in range(len(item.text)):
                for b in range(a + 2, min(len(item.text), a + 12) + 1):
                    grams[item.text[a:b]] = None
    return [g for g in grams if 1 < len(g) <= 80][:400]


class _Scan:
    def __init__(self, text: str, vocabulary: Vocabulary, as_of: dt.date, extra: Mapping[str, list[Value]]) -> None:
        self.text, self.vocabulary, self.as_of, self.extra = text, vocabulary, as_of, extra
        self.folded = half_width(text).replace("’", "'")
        self.longest = max([vocabulary.longest, *map(len, extra)])
        self.items: list[Item] = []

    @cached_property
    def tokens(self) -> dict[int, int]:
        """Beginning -> end of the Chinese words that the segmenter sees."""
        import rjieba

        spans, at = {}, 0
        for word in rjieba.cut(self.folded):
            if _HAN.match(word):
                spans[at] = at + len(word)
            at += len(word)
        return spans

    def run(self) -> list[Item]:
        at = 0
        while at < len(self.folded):
            c = self.folded[at]
            if c.isspace():
                at += 1
                continue
            item = self.best(at)
            if item is None:
                item = self.rest(at)
            self.items.append(item)
            at = item.end
        return self.items

    def best(self, at: int) -> Item | None:
        candidates: list[tuple[int, int, Item]] = []
        if m := _QUOTED.match(self.text, at):
            said = next(g for g in m.groups() if g is not None)
            entry = self.phrase(half_width(said))
            return Item(m.group(), at, m.end(), quoted=said, values=tuple(entry.values) if entry else ())
        if letter := self.letter(at):
            return letter
        if phrase := self.longest_phrase(at):
            candidates.append((phrase.end, 1 if phrase.term else 0, phrase))
        last = self.items[-1] if self.items else None
        calls = last is not None and (
            last.says(*_CALLS_FOR_DATE) or any(self.dated(r) for r in (*last.columns, *last.cues))
        )
        if (m := _SURNAME.match(self.folded, at)) and (not candidates or candidates[0][2].end == at + 1):
            return Item(self.text[at : m.end()], at, m.end(), words={"surname": ""}, quoted=m[1])
        if stretch := read_date(self.folded, at, self.as_of, bare=calls):
            candidates.append((stretch.end, 3, Item(self.text[at : stretch.end], at, stretch.end, date=stretch)))
        joined = last is not None and last.end == at and last.number is not None and self.folded[at] in "-+"
        if not joined and (number := read_number(self.folded, at)):
            alone = number.end - at == 1 and _HAN.match(self.folded[at]) and not self.a_word(at, number.end)
            if not alone:
                candidates.append((number.end, 2, Item(self.text[at : number.end], at, number.end, number=number)))
        if not candidates:
            return None
        return max(candidates, key=lambda c: c[:2])[2]

    def letter(self, at: int) -> Item | None:
        """A single letter as a value (grade A or C): as it is stored, after its column or another of its values."""
        if (
            not self.text[at].isalpha()
            or not self.text[at].isascii()
            or any(0 <= k < len(self.text) and _latin(self.folded[k]) for k in (at - 1, at + 1))
        ):
            return None
        near = {r for i in self.items[-3:] for r in (*i.columns, *i.cues, *(v.ref for v in i.values))}
        found = [Value(r, self.text[at]) for r in near if self.text[at] in self.vocabulary.schema.column(r).values]
        return Item(self.text[at], at, at + 1, values=tuple(found)) if found else None

    def dated(self, ref: Ref) -> bool:
        column = self.vocabulary.schema.column(ref)
        return column.kind == "date" or column.is_year

    def phrase(self, phrase: str) -> _Entry | None:
        entry, extra = self.vocabulary.entries.get(phrase), self.extra.get(phrase)
        if extra and entry:
            return _Entry(
                entry.columns,
                entry.cues,
                entry.tables,
                entry.table_cues,
                entry.values + [v for v in extra if v not in entry.values],
            )
        return _Entry(values=list(extra)) if extra else entry

    def longest_phrase(self, at: int) -> Item | None:
        if at and _latin(self.folded[at]) and _latin(self.folded[at - 1]):
            return None
        for end in range(min(len(self.folded), at + self.longest), at, -1):
            phrase = self.folded[at:end]
            if phrase[-1].isspace() or (end < len(self.folded) and _latin(phrase[-1]) and _latin(self.folded[end])):
                continue
            entry, words = self.phrase(phrase), speech().get(phrase, ())
            if entry is None and not words:
                continue
            if len(phrase) == 1 and _HAN.match(phrase) and not self.a_word(at, end):
                continue
            item = Item(self.text[at:end], at, end, words=dict(reversed(words)))
            if entry is not None:
                # a value that is also a small word (OR, IN) must be written as it is stored
                strict = bool(words) and phrase.isascii()
                item.values = tuple(dict.fromkeys(v for v in entry.values if not strict or v.value == item.text))
                item.columns, item.cues = tuple(dict.fromkeys(entry.columns)), tuple(dict.fromkeys(entry.cues))
                item.tables, item.table_cues = (
                    tuple(dict.fromkeys(entry.tables)),
                    tuple(dict.fromkeys(entry.table_cues)),
                )
            if item.words or item.term:
                return item
        return None

    def a_word(self, start: int, end: int) -> bool:
        """Whether a single character stands for itself, and is not part of a word that nothing here knows."""
        a = next((s for s, e in self.tokens.items() if s <= start < e), start)
        b = self.tokens.get(a, end)
        if (a, b) == (start, end):
            return True
        before_known = all(not i.unknown for i in self.items if i.end > a)
        return before_known and (b == end or self.known_from(end, b))

    def known_from(self, at: int, end: int) -> bool:
        """Whether the rest of a token can be read in known phrases or numbers (greedily)."""
        while at < end:
            for stop in range(min(len(self.folded), at + self.longest), at, -1):
                if self.folded[at:stop] in speech() or self.phrase(self.folded[at:stop]) is not None:
                    at = stop
                    break
            else:
                number = read_number(self.folded, at)
                if number is None:
                    return False
                at = number.end
        return True

    def rest(self, at: int) -> Item:
        """What nothing explains: a mark, a Latin word, or a Chinese word."""
        c = self.folded[at]
        if _HAN.match(c):
            end = self.tokens.get(at, at + 1)
            inside = next((s for s in range(at + 1, end) if (p := self.longest_phrase(s)) and p.end - p.start > 1), end)
            return Item(self.text[at:inside], at, inside, unknown=True)
        if m := _LATIN.match(self.folded, at):
            end = m.end()
            if self.folded.startswith("'s", end - 2) and end - 2 > at:
                end -= 2
            return Item(self.text[at:end], at, end, unknown=True)
        end = at + 1
        while end < len(self.folded) and self.folded[end] == c:  # ?????, ((((
            end += 1
        return Item(
            self.text[at:end],
            at,
            end,
            breaks=c in ",.;:!?。，；：！？\n",
            words={} if c in ",.;:!?。，；：！？\n" else {"stop": ""},
        )


def _latin(c: str) -> bool:
    return (c.isascii() and (c.isalnum() or c == "_")) or (c.isalpha() and not _HAN.match(c))
