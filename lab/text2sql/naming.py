"""What people may call the tables, columns and values of a schema: every spoken form with how far-fetched it is.

A name is known as it is written, without its unit or bracket, with its abbreviations written out, by its head (城市
of 寄件城市), by its synonyms and by its hints.  What is only a part of a name, or a verb that belongs to it, is a
*cue*: it says nothing by itself, and is accounted for where the reading uses that column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from lab.text import HAN, half_width
from lab.text import known_word as is_word
from lab.text2sql.hints import (
    Hint,
    bare_name,
    dictionary,
    known_word,
    parts_of_names,
    plural,
    singular,
    spelled_out,
    words_of,
)  # fmt: skip
from lab.text2sql.lexicon import DESTINATION, OPPOSITES, ORIGIN, in_names, irregular, lexicon, words_for
from lab.text2sql.schema import Column, Schema, Table
from lab.text2sql.tree import Ref

_Key = TypeVar("_Key")
_Said = tuple[str, str, Any, float]
"""A phrase, the field of `Entry` that it belongs to, what it names, and its cost."""
_HAN = re.compile(f"[{HAN}]")
_SMALL = {"not", "and", "or", "during", "to", "by", "per", "have", "from"}
_RATE = re.compile("(?:每个?|(?=.[租薪价费]))(小时|公斤|[天日月年周时晚次人位节张件斤])")
_DAY = re.compile(f"([{HAN}]{{2,}}?)(?:日期|时间|日)")
_NUMERIC = re.compile(r"[\d.,:/ -]+")
NAME_HEADS = {"name", "nm", "title", "姓名", "名称", "名字", "名", "标题"}
_KEY_HEADS = {"id", "no", "number", "code", "key", "num", "#", "编号", "号", "号码", "序号", "编码", "代码"}
_FLAGS = {"is", "has", "can", "was", "flag", "flg", "是否", "可否", "能否", "有无"}
_EMPTY_HEADS = NAME_HEADS | _KEY_HEADS | {"date", "dt", "time", "日期", "时间", "年份", "year", "yr", "amount", "amt", "number", "数", "数量", "count", "量", "情况", "type", "类型", "类别", "种类"}  # fmt: skip

EXACT, PLURAL, SYNONYM, HEAD, PART = 0.0, 0.02, 0.1, 0.3, 0.4
"""How far-fetched a form of a name is, in the currency of the whole reading (an unknown word costs 3)."""


@dataclass(frozen=True)
class Value:
    """A stored value that a word stands for."""

    ref: Ref
    value: str


@dataclass
class Entry:
    """All that one phrase can name, each with its cost."""

    columns: dict[Ref, float] = field(default_factory=dict)
    cues: dict[Ref, float] = field(default_factory=dict)
    tables: dict[str, float] = field(default_factory=dict)
    table_cues: dict[str, float] = field(default_factory=dict)
    values: dict[Value, float] = field(default_factory=dict)
    negative: dict[Ref, float] = field(default_factory=dict)  # uninsured

    def __bool__(self) -> bool:
        return bool(self.columns or self.cues or self.tables or self.table_cues or self.values or self.negative)


def fold(text: str) -> str:
    """Half-width lower case, as questions are read."""
    return half_width(text).replace("’", "'").strip()


def stem(word: str) -> str:
    """The stem of an English word (Snowball), of a verb that of its base: pay for paid."""
    import Stemmer

    return str(Stemmer.Stemmer("english").stemWord(irregular().get(word, word)))


def cut(name: str) -> list[str]:
    """The Chinese words in a name."""
    import rjieba

    return [w for w in rjieba.cut(name) if w.strip()]


def is_han(text: str) -> bool:
    return _HAN.search(text) is not None


@dataclass(frozen=True)
class Vocabulary:
    """All phrases of a schema: what people call its tables and columns, and the values that are known by heart."""

    schema: Schema

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """Every phrase, folded, with what it names."""
        found: dict[str, Entry] = {}
        for phrase, kind, named, cost in chain.from_iterable(map(self._of_table, self.schema.tables)):
            folded = fold(phrase)
            small = folded.isascii() and any(r[0] in _SMALL for r in lexicon().get(folded, ()))  # "no" must be quoted
            if folded and not small:
                _put(getattr(found.setdefault(folded, Entry()), kind), named, cost)
        return found

    def _of_table(self, table: Table) -> Iterator[_Said]:
        own = words_of(table.name) if table.name.isascii() else []
        others = {w for t in self.schema.tables if t is not table for w in words_of(t.name)}
        for w in (w for w in own if len(own) > 2 and len(w) > 4 and w not in others):
            # the transactions of wallet_transactions_daily
            yield from ((form, "tables", table.name, PART) for form in numbers_of(w))
        forms = _table_forms(table, alone=len(self.schema.tables) == 1)
        yield from ((form, "tables", table.name, cost) for form, cost in forms)
        yield from ((cue, "table_cues", table.name, SYNONYM) for cue in table.hint.cues)
        if not (table.title.key or any("label" in c.tags or NAME_HEADS & {*words_of(c.name)} for c in table.columns)):
            yield from ((form, "columns", table.title.ref, SYNONYM) for form in sorted(NAME_HEADS))  # of a dish
        for c in table.columns:
            yield from self._of_column(table, c)
            yield from self._of_values(table, c)

    def _of_column(self, table: Table, c: Column) -> Iterator[_Said]:
        owners = dict.fromkeys(singular(n.lower()) for n in (table.hint.en, table.name) if n.isascii() and n)
        if is_han(table.name) or is_han(table.hint.zh):
            owners[table.hint.zh or table.name] = None
        for form, cost in column_forms(c):
            yield form, "columns", c.ref, cost
            for owner in owners if cost < HEAD and len(form) < 30 and len(self.schema.tables) > 1 else ():
                gap = "" if is_han(owner) and is_han(form) else " "
                if is_han(owner) == is_han(form) and not form.startswith(owner):
                    yield owner + gap + form, "columns", c.ref, cost + 0.05
            if c.empty and form.isascii() and form.endswith("ing"):  # unrated
                yield f"un{form[:-3]}ed", "negative", c.ref, cost
            if c.kind == "boolean" and form.isascii() and " " not in form:
                denied = (*OPPOSITES.get(form, ()), *(no + form for no in ("un", "non-", "in")))
                yield from ((word, "negative", c.ref, cost) for word in denied)
        for one in (singular(t.name.lower()) for t in self.schema.tables):  # paperid is the paper's id
            rest = c.name.lower().removeprefix(one).strip("_ ")
            if rest != c.name.lower() and rest in _KEY_HEADS | NAME_HEADS:
                yield f"{one} {rest}", "columns", c.ref, EXACT
        called = {" ".join(words_of(other.name)) for other in table.columns}
        if table.keys == (c,) and not called & {f"{o} id" for o in owners}:  # whatever the key is called
            for owner in owners:
                yield f"{owner}编号" if is_han(owner) else f"{owner} id", "columns", c.ref, 0.05
                yield f"{owner} ids", "columns", c.ref, 0.05
        for cue in c.hint.cues:
            yield cue, "cues", c.ref, SYNONYM
            if c.kind == "date" and c.empty and cue.isascii():  # unpaid: not paid on any day
                denied = dict.fromkeys(("un" + cue, *OPPOSITES.get(cue, ())))
                yield from ((word, "negative", c.ref, SYNONYM) for word in denied)
        yield from ((part, "cues", c.ref, PART) for part in _parts(c))
        if m := _RATE.match(c.name):  # 一天, 每个月: 每天租金, 月租
            every = {"日": "天", "时": "小时"}.get(m[1], m[1])
            yield from ((said + every, "cues", c.ref, SYNONYM) for said in ("一", "每", "每一", "一个", "每个"))

    def _of_values(self, table: Table, c: Column) -> Iterator[_Said]:
        for stored, names in c.hint.values.items():
            for name in names:  # 金卡客户 is 金卡 and 客户
                alone = (name.removesuffix(noun).strip() for noun in (table.hint.zh, table.hint.en))
                if not any(rest != name and rest in (*names, stored) for rest in alone):
                    yield from ((form, "values", Value(c.ref, stored), 0.0) for form in numbers_of(name))
        closed = words_for(frozenset(c.values)) if c.complete else {}
        for v in c.values:
            value, words = Value(c.ref, v), dict.fromkeys(closed.get(v, ()), SYNONYM)
            if linkable(v):
                verb = v.isascii() and v.lower().endswith("ed")
                done = self.tables_by_stem.get(stem(v.lower()), set()) if verb else set()
                yield from ((v, "table_cues", name, PLURAL) for name in done)  # booked: what was done, not a state
                yield v, "values", value, 0.1 if done else 0.0
                words |= dict.fromkeys(numbers_of(v), PLURAL)
            if len(v) > 2 and v[0] in "未不非":
                words |= {no + v[1:]: PLURAL for no in ("没", "没有", "未", "不")}
            if len(v) > 2 and v[-1] == "中":  # 维修中
                words |= {"正在" + v[:-1]: PLURAL, "在" + v[:-1]: PLURAL}
            if len(v) > 2 and v[0] == "已":
                words.setdefault(v[1:], HEAD)
            yield from ((word, "values", value, cost) for word, cost in words.items())
        yield from ((word, "values", Value(c.ref, v), HEAD) for word, v in parts_of_names(c.values))

    @cached_property
    def tables_by_stem(self) -> Mapping[str, set[str]]:
        found: dict[str, set[str]] = {}
        for t in self.schema.tables:
            for w in (w for w in words_of(f"{t.name} {t.hint.en}") if len(w) > 3):
                found.setdefault(stem(w), set()).add(t.name)
        return found

    @cached_property
    def longest(self) -> int:
        return min(60, max(map(len, (*self.entries, *lexicon())), default=1))

    @cached_property
    def stems(self) -> Mapping[str, dict[Ref, float]]:
        """The stems of English words in the names of columns, which a verb may share: acquired, Yr Acquired."""
        found: dict[str, dict[Ref, float]] = {}
        for c in self.schema.columns():
            said = (bare_name(c.name)[0], c.hint.en, *c.hint.synonyms, *c.hint.cues)
            for w in (w for name in said for w in words_of(name)):
                for long in {w, *spelled_out([w])}:
                    if long.isascii() and len(long) > 2 and long not in _EMPTY_HEADS:
                        agent = "person" in c.tags and long[-2:] in ("er", "or")
                        for root in {stem(long), *map(stem, (long[:-2], long[:-1]) if agent else ())}:  # who teaches
                            _put(found.setdefault(root, {}), c.ref, PART)
        return found

    @cached_property
    def value_stems(self) -> Mapping[str, dict[Value, float]]:
        """Stems of one-word values: flats, house."""
        found: dict[str, dict[Value, float]] = {}
        for c in self.schema.columns():
            for v in c.values[:1000] if c.kind in ("category", "list", "text") else ():
                word = fold(v)
                if word.isascii() and word.isalpha() and len(word) > 3:
                    _put(found.setdefault(stem(word), {}), Value(c.ref, v), PLURAL)
        return found

    @cached_property
    def words(self) -> tuple[tuple[str, str | None, Ref | None], ...]:
        """English words in names that may be abbreviations: (word, its table if it names one, its column if it is one)."""
        out: list[tuple[str, str | None, Ref | None]] = []
        for t in self.schema.tables:
            own = words_of(t.name)
            out += [(w, t.name if len(own) == 1 else None, None) for w in own if _short(w)]
            for c in t.columns:
                out += [(w, None, c.ref) for w in words_of(bare_name(c.name)[0]) if _short(w)]
        return tuple(dict.fromkeys(out))

    @cached_property
    def incomplete(self) -> tuple[Column, ...]:
        """Text columns with values that are not known by heart."""
        return tuple(c for c in self.schema.columns() if c.kind in ("text", "category") and not c.complete)

    def directed(self, ref: Ref) -> str:
        """ "origin" or "destination" where the column's name says so, else ""."""
        column = self.schema.column(ref)
        said = {*words_of(column.name), *cut(column.name), *words_of(column.hint.en), column.name[:2]}
        return "origin" if said & ORIGIN else "destination" if said & DESTINATION else ""


def _put(into: dict[_Key, float], key: _Key, cost: float) -> None:
    into[key] = min(cost, into.get(key, cost))


def _short(word: str) -> bool:
    """Whether a word may be an abbreviation: of letters, and in no dictionary."""
    return word.isascii() and word.isalpha() and 2 <= len(word) <= 6 and known_word([word]) is None


def linkable(value: str) -> bool:
    """Values that a word of a question may stand for: not numbers, not single letters."""
    folded = fold(value)
    return not _NUMERIC.fullmatch(folded) and (len(folded) > 1 or is_han(folded))


def numbers_of(name: str) -> Iterable[str]:
    """A name in both numbers, where it is English."""
    yield name
    if name.isascii() and name[-1:].isalpha():
        first, blank, last = name.rpartition(" ")
        yield from (first + blank + form(last.lower()) for form in (plural, singular))


def _spoken(hint: Hint, name: str) -> list[tuple[str, float]]:
    said = (name, name.replace("_", " "), " ".join(words_of(name)), hint.zh, hint.en)
    return [(form, EXACT) for form in said if form] + [(form, SYNONYM) for form in hint.synonyms]


def _also(name: str) -> tuple[str, ...]:
    """What else a name is called."""
    return known.en + known.zh if (known := dictionary().get(name)) else ()


def _in_both(forms: Iterable[tuple[str, float]]) -> Iterator[tuple[str, float]]:
    """Forms in both numbers."""
    for said, cost in forms:
        yield from ((form, cost + (PLURAL if i else 0)) for i, form in enumerate(numbers_of(said)))


def column_forms(c: Column) -> Iterator[tuple[str, float]]:
    """All names of a column, each with its cost."""
    words, forms = words_of(bare := bare_name(c.name)[0]), [*_spoken(c.hint, c.name), (bare, EXACT)]
    if is_han(bare):
        pieces = cut(bare)
        if pieces and pieces[0] in _FLAGS and len(pieces) > 1:
            forms += [(name := "".join(pieces[1:]), EXACT), (name.removeprefix("有"), SYNONYM)]
        elif len(pieces) == 1 and bare.endswith("名") and (noun := row_noun(c)):  # 菜 of 菜名
            forms.append((noun, SYNONYM))
        elif len(pieces) > 1:
            head, rest = pieces[-1], "".join(pieces[:-1])
            if head in _EMPTY_HEADS:
                cost = SYNONYM if head in NAME_HEADS else HEAD
                forms += [(word, cost) for word in (rest, *filter(str.isascii, _also(rest)))]
            if head not in _KEY_HEADS and len(head) > 1:
                forms.append((head, HEAD))
        forms += [(bare[:-1], HEAD)] if len(bare) > 2 and bare[-1] in "数量" else []
        if c.kind == "date" and (m := _DAY.fullmatch(bare)):
            forms += [(m[1] + end, SYNONYM) for end in ("日期", "时间", "日")]
        inside = (k for k in dictionary() if 1 < len(k) < len(bare) and is_han(k) and k not in _EMPTY_HEADS)
        for k in filter(bare.endswith, inside):  # 省 of 收货省份
            also = () if bare.startswith(("优惠", "折扣", "退款")) else dictionary()[k].zh
            forms += [(k, HEAD), *((word, HEAD + 0.05) for word in also)]
    elif words:
        for long in (*(long.split() for long in spelled_out(words)), words):
            forms += _english_forms(long)
    return _in_both(forms)


_EVERY = {"hour": "hourly", "day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}


def _english_forms(words: list[str]) -> list[tuple[str, float]]:
    if len(words) < 2:
        return [(words[0], EXACT)]
    head, rest, tail = words[-1], " ".join(words[:-1]), " ".join(words[1:])
    many, empty = plural(singular(rest)), head in _EMPTY_HEADS | _FLAGS
    pair = len(words) == 2 and words[0] not in _FLAGS
    forms = (
        (True, f"{rest} {head}", EXACT),
        (words[0] in _EVERY, f"{_EVERY.get(words[0])} {tail}", EXACT),
        (head in NAME_HEADS, rest, SYNONYM),
        (head in NAME_HEADS, "name", HEAD),
        (head not in NAME_HEADS and empty, rest, HEAD),
        (words[0] in _FLAGS, tail, EXACT),
        (words[0] in ("number", "count", "total", "n", "num"), f"number of {plural(singular(tail))}", EXACT),
        (head in ("number", "count", "total"), f"number of {many}", EXACT),
        (head in ("number", "count", "total"), many, HEAD),
        (pair, f"{head} of {rest}", EXACT),
        (pair, f"{head} of the {rest}", EXACT),
        (not empty and len(head) > 2, head, HEAD),
    )
    ways = ("to", "to the", "by", "by the", "on", "with") if head.endswith(("ed", "able", "free")) else ()
    led = ((f"{head} {way} {rest}", EXACT) for way in ways if rest)  # connected to the grid
    return [*((form, cost) for holds, form, cost in forms if holds), *led]


def _parts(c: Column) -> Iterable[str]:
    """Words inside a name that are no name by themselves: 寄件 of 寄件城市, 采摘 of 采摘日期."""
    bare, _ = bare_name(c.name)
    words = words_of(bare)
    yield from (" ".join(pair) for pair in zip(words, words[1:], strict=False) if len(words) > 2)  # round trip
    for name in [bare, c.hint.zh] if is_han(c.hint.zh) else [bare]:
        pieces = cut(name) if is_han(name) else []
        if len(name) > 2 and name[-1] in "数量额率费价分值度人者商员师":
            yield name[:-1]
        if len(pieces) > 1:
            yield from (p for p in pieces[:-1] if p not in _FLAGS and is_han(p))
            begins = (name.removesuffix(k) for k in dictionary() if is_han(k) and name.endswith(k))
            yield from (p for p in begins if len(p) > 1)
            yield from (p[0] for p in pieces[:1] if len(p) == 2 and is_han(p))


def _table_forms(t: Table, *, alone: bool) -> Iterator[tuple[str, float]]:
    forms, words = _spoken(t.hint, t.name), words_of(t.name)
    if is_han(t.name):
        pieces, forms = cut(t.name), forms + [("单", HEAD)] * t.name.endswith("单")
        rest = t.name.removesuffix(next(filter(t.name.endswith, in_names("lists")), ""))  # 快递单
        forms += [(word, SYNONYM) for word in (rest, *_also(rest)) if 1 < len(rest) < len(t.name)]
        if len(pieces) > 1:
            forms += [(pieces[-1], HEAD), (t.name.removesuffix("表"), EXACT)]
        ends = (t.name[i:] for i in range(1, len(t.name) - 1))  # 手机 of 二手手机
        forms += [(end, HEAD) for end in ends if is_word(end)][:1]
    elif len(words) > 1:
        forms.append((words[-1], HEAD))
        if words[-1] in in_names("lists"):  # recipe log
            forms.append((" ".join(words[:-1]), SYNONYM))
    forms += [(long, SYNONYM) for long in spelled_out(words)]
    # rows are called after the column that names them: Object Name, 运单号
    nouns = filter(None, (row_noun(c) for c in t.columns if c.unique or c.key))
    forms += [(noun, SYNONYM if alone else HEAD) for noun in nouns]
    forms += [
        (noun, SYNONYM) for noun in (row_noun(t.title),) if is_han(noun) and t.title.kind == "text"
    ]  # 病人 for 病人姓名
    title = words_of(t.title.name)  # the wines of a cellar
    forms += [(title[0], SYNONYM)] * (alone and len(title) == 1 and t.title.unique and not t.title.tags)
    forms += [(w, HEAD) for w in _ROWS if alone]
    return _in_both(forms)


_ROWS = ("记录", "数据", "records", "record", "rows", "row", "entries", "entry", "条记录", "行")
_NO_NOUN = ("姓名", "别名", "曾用名", "全名", "笔名", "排名", "报名", "签名")
"""What ends like the name of a thing, and names none."""


def row_noun(c: Column) -> str:
    """What a row is called by a column that tells rows apart: object for Object Name, 运单 for 运单号; "" if nothing."""
    bare, _ = bare_name(c.name)
    if is_han(bare):
        heads = ("编号", "名称", "号码", "姓名", "名字", "号", "" if bare.endswith(_NO_NOUN) else "名")
        return next((bare.removesuffix(h) for h in heads if h and bare.endswith(h) and bare != h), "")
    words = words_of(bare)
    return " ".join(words[:-1]) if words and words[-1] in NAME_HEADS | _KEY_HEADS else ""
