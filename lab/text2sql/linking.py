"""From a question to its links: what every run of characters can be, with how far-fetched that is and why.

Nothing is decided here, and links overlap: `links(at)` gives all that can begin at a place (a name, a value, a
number, a day, a word with a role, a word that nobody knows), and the grammar chooses among whole readings.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from os.path import commonprefix

from lab.text import HAN, language_of
from lab.text2sql.dates import read_date
from lab.text2sql.forms import HEAD, PART, SYNONYM, abbreviates, is_han, one_off, plain
from lab.text2sql.hints import singular, words_of
from lab.text2sql.lexicon import is_participle, known_words, measure_words, roles_of
from lab.text2sql.link import Link, cheapest, several
from lab.text2sql.naming import MARKS, Entry, Value, Vocabulary, stem
from lab.text2sql.numbers import Number, measure_of, read_number
from lab.text2sql.schema import Column
from lab.text2sql.tree import Ref

_QUOTED = re.compile(
    r"\"([^\"]{1,200})\"|“([^”]{1,200})”|「([^」]{1,200})」|《([^》]{1,200})》|『([^』]{1,200})』|(?<![a-z0-9])'([^']{1,200})'(?![a-z0-9])|‘([^’]{1,200})’"
)
_LATIN = re.compile(rf"[^\W{HAN}]+(?:[-'.@+#][^\W{HAN}]+)*[+#]*")
_AGO = re.compile(r"(\b(last|past|next|previous|coming|following)\s+|最近|近|过去|未来|前|上)$")
_SPANS = ("days", "weeks", "months", "years", "hours", "minutes")
_NEVER = re.compile("(没有?|未|没有?人|无人|只)$")
_DONE = re.compile(rf"[{HAN}]{{1,2}}?[过了]")
_ONE = re.compile(
    r"(an?|half an?|half|a quarter of an?) "
    r"(hour|minute|day|week|month|year|kilo|kilometer|kilometre|mile|ton|dollar|euro)s?(?![a-z])( and a half)?"
)
_DAY = re.compile(r" (date|day|time)s?(?![a-z])")
_EACH = re.compile(r" ?(a|an|per|each|every|/) ?(hour|day|night|week|month|year|piece|person|head)(?![a-z])")
_SINGLE = re.compile(r"((est|most|top|best|worst|most [a-z]+) )$")
_TIMES = re.compile(r"(?<!each only )(once|twice|thrice)(?![a-z])")
_NAMES = re.compile(r"(?:'s)? (?:names?|titles?)(?![a-z])|(?:的)?(?:名称|名字|名(?=[以是叫里中含带包]))")
_ASKED = re.compile(r"(^(which|what)|\b(how many|list|show|all|the|these|those))\s+$")
_NOT_ONE = re.compile(r"(n't|\b(not|never|without))( [a-z]+)? $")
_DOES = re.compile(r"\b(does|do|did|will|would|that|which|who)\b[^,.;]*$")
_FROM = re.compile(r"\b(from|near|around|born|lives?|living|local) $|'s $")
_PARTICLE = re.compile(r" (up|out|off|in|on|over|back)(?![a-z])")
_DAYS_END = re.compile("[年月日号周天]份?$")
_ANYBODY = re.compile("[^的].*[吗嘛]|[吗嘛]")
_MODIFIED = re.compile(r"[a-z]+ing ([a-z]+)(?![a-z])")
_COUNTED = re.compile(r"[\d二两三四五六七八九十百千万]$")
_STILL = tuple("在没未有能是要剩可不")
_A_PIECE = tuple("个台位名件条家款部本场张辆只套间座艘架栋棵份杯瓶碗盘盒包袋斤双")
_NOTHING = Entry()
_IDLE = ("stop", "verb", "during", "have")
SPLIT = 0.5
"""What it costs to cut a Chinese word of the segmenter in two."""


Extra = Mapping[str, Sequence[Value]]
LookUp = Callable[[Column, Sequence[str]], Sequence[str]]


class Links:
    """The links of one question over one vocabulary.  ``extra`` are values that the database was asked about."""

    def __init__(self, text: str, vocabulary: Vocabulary, as_of: dt.date, extra: Extra | None = None) -> None:
        self.text, self.vocabulary, self.as_of = text, vocabulary, as_of
        self.folded = plain(text)
        self.extra = extra or {}
        self.longest = max([vocabulary.longest, *map(len, self.extra)])
        self._found: dict[int, list[Link]] = {}

    @cached_property
    def language(self) -> str:
        return language_of(self.text)

    def skip(self, at: int) -> int:
        """The next place that is no blank."""
        while at < len(self.folded) and self.folded[at].isspace():
            at += 1
        return at

    def links(self, at: int) -> list[Link]:
        """All links that begin at a place (which is no blank), likeliest first."""
        if at >= len(self.folded):
            return []
        if at not in self._found:
            links, cost = self._all(at), lambda x: (-x.end, x.cost)
            self._found[at] = cheapest(links, lambda x: (x.end, x.kind, repr(x.of)), cost)
        return self._found[at]

    @cached_property
    def segments(self) -> dict[int, int]:
        """Beginning -> end of the Chinese words that the segmenter sees."""
        import rjieba

        spans, at = {}, 0
        cuts = rf"(?<=[几少哪每半两一二三四五六七八九十\d][{''.join(measure_words())}])|(?<=没)(?![有人收])|(?<=没人)"
        parts = re.split(cuts, self.folded)
        for word in (w for part in parts for w in rjieba.cut(part)):  # 几台|车: there is no 台车
            if is_han(word):
                spans[at] = at + len(word)
            at += len(word)
        return spans

    @cached_property
    def ahead(self) -> bool:
        """Whether some days are still to come."""
        highest = (c.high for c in self.vocabulary.schema.columns() if c.kind == "date")
        return any(isinstance(high, str) and high > self.as_of.isoformat() for high in highest)

    def _inside(self, at: int) -> bool:
        """Whether a place is inside of a word that is not Chinese."""
        around = self.folded[at - 1 : at + 1]
        return len(around) == 2 and all(map(_latin, around))

    def split(self, start: int, end: int) -> float:
        """What it costs that a link begins or ends inside of a word of the segmenter."""
        return SPLIT * sum(s < start < e or s < end < e for s, e in self.segments.items())

    def holds(self, word: str, start: int, end: int) -> bool:
        """Whether a word of one Chinese character stands by itself here."""
        return any(self.folded[i] == word and self.segments.get(i) == i + 1 for i in range(start, end))

    def hollow(self, at: int) -> bool:
        """Whether a word that nobody knows is made of characters without weight alone: it must not dissolve in them."""
        s, e = next(((s, e) for s, e in self.segments.items() if s <= at < e), (at, at + 1))
        return all(("stop",) in roles_of(self.folded[i]) for i in range(s, e))

    def _all(self, at: int) -> list[Link]:
        if m := _QUOTED.match(self.text, at):
            said = next(g for g in m.groups() if g is not None)
            entry = self.entry(plain(said).strip())
            return [Link(at, m.end(), "quote", said), *self._named(at, m.end(), entry)]
        out, inside = list[Link](), False
        said = 0.0  # what it costs to pass over the beginning of a name as a word without weight: 在 of 在用
        for end in range(min(len(self.folded), at + self.longest), at, -1):
            phrase = self.folded[at:end]
            if phrase[-1].isspace() or self._inside(end):
                continue
            roles, entry = roles_of(phrase), self.entry(phrase)
            if at == 0 and phrase[0] == "一" and phrase[1:] in _A_PIECE:  # 一台车: any of them
                roles = (*roles, ("stop",))
            if phrase == "还" and self.folded[end : end + 1] in _STILL:
                entry = _NOTHING  # still
            if not roles and not entry:
                continue
            if ("since",) in roles and _DAYS_END.search(self.folded[:at]):  # 去年到现在
                roles = tuple(r for r in roles if r != ("stop",))
            if phrase == "推荐" and self.folded[end : end + 1] in ("了", "过", "的"):
                roles = ()  # whom she recommended
            if phrase == "有人" and not _ANYBODY.match(self.folded, end):
                roles = ()
            if ("verb",) in roles and not is_participle(phrase) and _ASKED.search(self.folded[:at]):
                roles = tuple(r for r in roles if r != ("verb",))  # which plays: things
            if phrase == "single" and not _SINGLE.search(self.folded[:at]):
                roles = ()  # but: the biggest single gift
            if phrase == "a single":
                roles = (("stop",) if _NOT_ONE.search(self.folded[:at]) else ("lone", "="),)
            if phrase in ("here", "works") and _FROM.search(self.folded[:at]):  # born here: no column names the place
                roles = ()
            cut = self.split(at, end) if is_han(phrase) else 0.0
            if cut and len(phrase) == 1 and self.hollow(at):
                roles = tuple(r for r in roles if r != ("stop",))
            written, before = self.text[at:end], self.folded[:at]
            if (
                phrase != "个" and measure_of(phrase) == "piece" and _COUNTED.search(before)
            ):  # 4件: no 4 of something else
                roles = tuple(r for r in roles if r != ("stop",))
            entry = self._letter(at, written) if len(phrase) == 1 and phrase.isascii() else entry
            if phrase in ("cost", "costs") and entry.cues and _DOES.search(before):
                entry = replace(entry, columns={})  # what it costs, not its material cost
            name = written.isupper() and any(v.value == written for v in entry.values)  # US is no "us"
            name |= bool(entry.values) and before.endswith("the ")  # from the us
            idle = min(entry.columns.values(), default=1.0) < PART and self.listed(at, end)  # make, model and year
            idle |= (phrase == "who" and not before.strip()) or (("now",) in roles and self.ahead)
            idle |= bool(entry.values and at) and ("find",) in roles  # talks on search
            seldom: set[tuple[str, ...]] = {("stop",), ("find",)} if idle else set()
            pointed, named = ([*map(self.vocabulary.schema.column, refs)] for refs in (entry.cues, entry.columns))
            state = any(c.kind == "date" and c.empty for c in pointed) or any(c.kind == "boolean" for c in named)
            state |= any(c.kind == "number" and "piece" in c.tags for c in named) and is_participle(phrase)
            state |= any(c.kind == "number" for c in pointed) and phrase.isascii()  # who spent the most
            state |= ("verb",) in roles and phrase.isascii() and self._counts(phrase)
            inside |= state and cut == 0.0
            deed = self.vocabulary.deeds(phrase.partition(" ")[0])
            if entry.values or deed:  # done, where that is a status
                seldom |= {("verb",), ("verb", "deed")}
            seldom |= {("count",)} if entry.tables else set()  # 场次
            seldom |= {("verb",), ("stop",)} if state or inside else set()  # sold, where not all are; paid: yes
            far = 1.2 if inside or deed else 0.6
            out += [Link(at, end, "word", r, cut + far * (name or r in seldom) + said * (r[0] in _IDLE)) for r in roles]
            named_so = min([*entry.columns.values(), *entry.values.values()], default=1.0) < PART
            said = 0.5 if named_so or ("verb", "deed") in roles else said  # came in
            if m := _NAMES.match(self.folded, end):
                out += self._called(at, m.end(), entry)
            spoken = 0.3 * any(r[0] != "flow" for r in roles)  # 统计 is seldom a value
            for x in self._named(at, end, entry):
                other = x.kind == "value" and not any(v.value == written for v, _ in x.of)
                # nurses are nurses, whatever their grade
                noun = 0.6 * (x.kind == "value" and min(entry.tables.values(), default=1.0) < SYNONYM)
                out.append(x._replace(cost=x.cost + cut + spoken * other + noun))
        dates = ((read_date(self.folded, at, self.as_of, bare=bare), 0.15 * bare) for bare in (False, True))
        out += [Link(at, stretch.end, "date", stretch, cost) for stretch, cost in dates if stretch is not None]
        out += self._numbers(at) + self._done(at)
        return out + self._latin_word(at, out) + self._unknown(at)

    def _counts(self, verb: str) -> bool:
        """Whether a number is called by what was done: minutes stayed, to stay."""
        cued = map(self.vocabulary.schema.column, self.vocabulary.stems.get(stem(verb), ()))
        return any(c.kind == "number" and is_participle(words_of(c.name)[-1]) for c in cued)

    def _letter(self, at: int, written: str) -> Entry:
        """A single capital as the value that is written like it, behind a word: hall A."""
        behind = written.isupper() and self.folded[:at].rstrip()[-1:].isalpha()
        columns = (c for c in self.vocabulary.schema.columns() if behind and c.kind == "category")
        return Entry(values={Value(c.ref, written): 0.0 for c in columns if written in c.values})

    def entry(self, phrase: str) -> Entry:
        entry, extra = self.vocabulary.entries.get(phrase, _NOTHING), self.extra.get(phrase, ())
        more = {v: 0.0 for v in extra if v not in entry.values}
        return replace(entry, values=entry.values | more) if more else entry

    def listed(self, at: int, end: int) -> bool:
        """Whether a phrase stands in a list, by commas around it or by one comma and an “and”."""
        return self.folded[:at].rstrip()[-1:] == "," and bool(re.match(r"\s*(,|and\b)", self.folded[end:]))

    @staticmethod
    def _named(at: int, end: int, entry: Entry) -> list[Link]:
        out = [Link(at, end, "table", t, c) for t, c in entry.tables.items()]
        out += [Link(at, end, "table cue", t, c) for t, c in entry.table_cues.items()]
        for kind in ("columns", "cues", "values", "negative"):
            out += several(at, end, kind.removesuffix("s"), getattr(entry, kind))
        return out

    def _called(self, at: int, end: int, entry: Entry) -> list[Link]:
        """Names of what a word stands for: country name, journal names, 城市名称."""
        schema = self.vocabulary.schema
        columns = {r: c for r, c in entry.columns.items() if schema.column(r).kind in ("text", "category")}
        columns = {schema.table(t).title.ref: c for t, c in entry.tables.items()} | columns
        return several(at, end, "column", columns, 0.03)

    def _done(self, at: int) -> list[Link]:
        """What never was done, or nothing else: 没坐过, and 没请过假 for 没请假; rows of what was: 考过试."""
        m = _DONE.match(self.folded, at)
        if m is None or {*roles_of(m[0])} - {("did",), ("verb",), ("serve",)}:
            return []
        entry = self.entry(self.folded[at] + self.folded[at + 2 : at + 3]) if len(m[0]) == 2 else _NOTHING
        never = _NEVER.search(self.folded[:at])
        found = self._named(at, at + 3, entry if never else replace(entry, columns={}, cues={}))
        done = never and not {*roles_of(m[0])} - {("did",)}
        return [*found, Link(at, m.end(), "word", ("verb",), 0.05)] if done else found

    def _numbers(self, at: int) -> list[Link]:
        number = read_number(self.folded, at)
        if number is None and (m := _TIMES.match(self.folded, at)) and not self._inside(at):
            number = Number(m.end(), 1 + ("once", "twice", "thrice").index(m[0]), "times")
        if number is None and (m := _ONE.match(self.folded, at)) and not self.folded[at - 1 : at].isalnum():
            part = 0.5 if "half" in m[1] else 0.25 if "quarter" in m[1] else 1.0
            number = Number(m.end(), part + 0.5 * bool(m[3]), m[2])
        if number is None or (measure_of(number.unit) in _SPANS and _AGO.search(self.folded[:at])):
            return []  # the last 30 days are no duration
        if number.scale == 1e6 and ("m", 1) in self.units(number.end - 1):  # 500 m, where a column has metres
            metres = number._replace(value=round(number.value / 1e6, 6), unit="m", scale=1.0)
            far = 0.0 if number.unit else 0.6  # $500 m
            return [Link(at, metres.end, "number", metres), Link(at, number.end, "number", number, far)]
        bytes_ = number.unit in ("g", "t") and number.unit + "b"  # 256G
        if bytes_ and any(c.hint.unit.lower() == bytes_ for c in self.vocabulary.schema.columns()):
            number = number._replace(unit=bytes_)
        units = self.units(number.end) if not number.unit else ()
        out = [Link(at, n.end, "number", n) for n in (number._replace(end=number.end + n, unit=u) for u, n in units)]
        cost = self.split(at, number.end) if is_han(self.folded[at]) else 0.0
        out.append(Link(at, number.end, "number", number, cost))
        if number.unit and (m := _EACH.match(self.folded, number.end)):  # under 25 euros a day
            far = 0.1 * (measure_of(number.unit) != "money")
            out.append(Link(at, m.end(), "number", number._replace(end=m.end()), far))
        # 三位 may be three of them, and 5天 no duration but a name
        if number.unit and measure_of(number.unit) != "percent" and number.unit not in ("次", "趟", "回"):
            end = len(self.folded[: number.end - len(number.unit)].rstrip())
            if end > at:
                out.append(Link(at, end, "number", Number(end, number.value, "", number.scale), 0.3))
        return out

    def units(self, at: int) -> list[tuple[str, int]]:
        """Units that only this schema has (kWh), at a place, and how long they are."""
        start = self.skip(at)
        units = dict.fromkeys(c.hint.unit.lower() for c in self.vocabulary.schema.columns())
        ends = ((u, start + len(u)) for u in units if u and self.folded.startswith(u, start))
        return [(unit, end - at) for unit, end in ends if not self._inside(end)]

    def _latin_word(self, at: int, known: Sequence[Link]) -> list[Link]:
        """What a Latin word can be that is not written as it stands: inflected, abbreviated in the schema, misspelt."""
        m = _LATIN.match(self.folded, at)
        if m is None or not m.group().isascii():
            return []
        word = m.group().removesuffix("'s")
        end, out = at + len(word), list[Link]()
        for joined in (word.replace("-", ""), word.replace("-", " ")) if "-" in word else ():
            out += [x._replace(cost=x.cost + 0.02) for x in self._named(at, end, self.entry(joined))]
        if not word.isalpha() or len(word) < 3:
            return out
        if (m := _MODIFIED.match(self.folded, at)) and not (self.entry(word) or roles_of(word)):  # finishing time
            whole = {r: c + HEAD for r, c in self.entry(m[1]).columns.items() if c <= SYNONYM}
            out += several(at, m.end(), "column", whole)
        out += self._stemmed(at, end, word)
        if any(x.end >= end and x.kind in ("table", "column", "value", "word") for x in known):
            return out
        out += self._abbreviated(at, end, word) + self._related(at, end, word)
        proper = self.vocabulary.proper_words if self.text[at].isupper() else {}  # ThinkPads
        out += several(at, end, "within", proper.get(singular(word), {}))
        return out or self._misspelt(at, end, word)

    def _stemmed(self, at: int, end: int, word: str) -> list[Link]:
        root, out = stem(word), []
        m = _PARTICLE.match(self.folded, end)
        if m and (joined := self.vocabulary.stems.get(stem(root + m[1]))):  # signed up, signup_date
            return several(at, m.end(), "cue", joined)
        out += several(at, end, "cue", self.vocabulary.stems.get(root, {}))
        if m := _DAY.match(self.folded, end):  # inspection date, of a day called last inspected
            days = ((r, c) for r, c in self.vocabulary.stems.get(root, {}).items())
            found = {r: c for r, c in days if self.vocabulary.schema.column(r).kind == "date"}
            out += several(at, m.end(), "column", found)
        out += [Link(at, end, "table cue", t, SYNONYM) for t in sorted(self.vocabulary.deeds(word))]  # who booked it
        if (values := self.vocabulary.value_stems.get(root)) and not roles_of(word):
            near = min(0.05 if singular(word) == singular(v.value.lower()) else PART for v in values)
            noun = not word.endswith("ed") and root in self.vocabulary.tables_by_stem  # bookings: not what is booked
            out.append(Link(at, end, "value", tuple(values.items()), near + 0.6 * noun))
        return out

    def _abbreviated(self, at: int, end: int, word: str) -> list[Link]:
        def meant(said: str) -> list[tuple[str | None, Ref | None]]:
            return [(table, ref) for short, table, ref in self.vocabulary.words if abbreviates(short, said)]

        own = meant(word)
        out = [Link(at, end, "table", table, HEAD) for table, _ in own if table is not None]
        out += several(at, end, "column", {ref: HEAD for _, ref in own if ref is not None})
        denied = [ref for _, ref in meant(word[2:]) if ref is not None] if word.startswith("un") else []
        flags = {ref: HEAD for ref in denied if self.vocabulary.schema.column(ref).kind == "boolean"}
        return out + several(at, end, "negative", flags)

    def _related(self, at: int, end: int, word: str) -> list[Link]:
        """Words of one family: wooden, wood; dermatologists, Dermatology; Canadian, Canada."""
        found: dict[Value, float] = {}
        short = singular(word)
        for phrase, entry in self.vocabulary.entries.items():
            if entry.values and len(phrase) > 3 and phrase.isascii() and phrase.isalpha():
                shared = len(commonprefix([short, phrase]))
                derived = shared == len(phrase) and len(short) - shared <= 3
                if derived or shared >= max(5, 0.7 * len(phrase), 0.6 * len(short)):
                    found |= dict.fromkeys(entry.values, PART)
        return several(at, end, "value", found)

    def _misspelt(self, at: int, end: int, word: str) -> list[Link]:
        """Values and names that differ by one letter; rainy is written as it should be."""
        if len(word) < 5 or word in known_words():  # short is no sport
            return []
        out = []
        for phrase, entry in self.vocabulary.entries.items():
            near = abs(len(phrase) - len(word)) < 2 and phrase[0] == word[0] and one_off(word, phrase)
            if near and not (word[-1] == "y" and word[:-1] in (phrase, phrase.removesuffix("s"))):
                out += [x for x in self._named(at, end, entry) if x.kind in ("value", "column", "table")]
        return [x._replace(cost=x.cost + 0.6) for x in out]

    def _unknown(self, at: int) -> list[Link]:
        """A word that may be nothing that is known: its text; a mark is a break."""
        c = self.folded[at]
        if is_han(c):
            end = self.segments.get(at, at + 1)
            return [Link(at, e, "unknown", self.text[at:e]) for e in dict.fromkeys((end, at + 1))]
        if m := _LATIN.match(self.folded, at):
            end = at + len(m.group().removesuffix("'s") or m.group())
            return [Link(at, end, "unknown", self.text[at:end])]
        rest = self.folded[at:].lstrip(MARKS if c in MARKS else c)
        return [Link(at, len(self.folded) - len(rest), "break", c)]


def _latin(c: str) -> bool:
    return (c.isalnum() or c == "_") if c.isascii() else (c.isalpha() and not is_han(c))
