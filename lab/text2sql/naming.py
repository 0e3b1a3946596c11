"""What people may call the tables, columns and values of a schema: every spoken form with how far-fetched it is.

A name is known as it is written, without its unit or bracket, with its abbreviations written out, by its head (城市
of 寄件城市), by its synonyms and by its hints.  What is only a part of a name, or a verb that belongs to it, is a
*cue*: it says nothing by itself, and is accounted for where the reading uses that column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from lab.text import HAN
from lab.text import known_word as is_word
from lab.text2sql import forms
from lab.text2sql.forms import EMPTY_HEADS, EXACT, HEAD, KEY_HEADS, NAME_HEADS, PART, PLURAL, SYNONYM, cut, fold, is_han
from lab.text2sql.hints import bare_name, known_word, parts_of_names, singular, spelled_out, words_of
from lab.text2sql.lexicon import DESTINATION, OPPOSITES, ORIGIN, irregular, lexicon, word_lists, words_for, words_in
from lab.text2sql.schema import Column, Schema, Table
from lab.text2sql.tree import Ref

_Key = TypeVar("_Key")
_Said = tuple[str, str, Any, float]
"""A phrase, the field of `Entry` that it belongs to, what it names, and its cost."""
_SMALL = {"not", "and", "or", "during", "to", "by", "per", "have", "from"}
_RATE = re.compile("(?:每个?|(?=.[租薪价费]))(小时|公斤|[天日月年周时晚次人位节张件斤])")
MARKS = ",.;:!?。，；：！？\n()（）"
_SCHOOLING = frozenset(words_in(word_lists()["orders"]["education"]))
_NUMERIC = re.compile(r"[\d.,:/ -]+")


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


def stem(word: str) -> str:
    """The stem of an English word (Snowball), of a verb that of its base: pay for paid."""
    import Stemmer

    return str(Stemmer.Stemmer("english").stemWord(irregular().get(word, word)))


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
        for phrase, e in found.items():  # 放映 is first of all the 放映日期, not the 上映日期
            other = [r for r in e.cues if is_han(phrase) and phrase not in r.column]
            e.cues.update({r: e.cues[r] + HEAD for r in other if len(other) < len(e.cues)})
        return found

    def _of_table(self, table: Table) -> Iterator[_Said]:
        own = words_of(table.name) if table.name.isascii() else []
        others = {w for t in self.schema.tables if t is not table for w in words_of(t.name)}
        for w in (w for w in own if len(own) > 2 and len(w) > 4 and w not in others):
            # the transactions of wallet_transactions_daily
            yield from ((form, "tables", table.name, PART) for form in forms.numbers_of(w))
        called = forms.table_forms(table, alone=len(self.schema.tables) == 1)
        numbers = [c for c in table.columns if c.kind == "number" and is_han(c.name)]
        own_forms = {f for c in numbers for f, cost in forms.column_forms(c) if cost <= SYNONYM}  # 分 is the mark
        priced = [(form, cost + HEAD * (cost > 0 and form in own_forms)) for form, cost in called]
        names = {t.name for t in self.schema.tables if t is not table}  # 订单 is none of the 订单明细
        yield from ((form, "tables", table.name, cost + HEAD * (form in names)) for form, cost in priced)
        for group in map(words_in, word_lists()["alike"]) if is_han(table.name) else ():
            if any(len(w) > 1 and w in table.name for w in group):  # 借, 借了: of the 借阅
                done = (w + end for w in group for end in ("", "了", "过"))
                days = {cue for c in table.columns if c.kind == "date" for cue in c.hint.cues}
                yield from ((w, "table_cues", table.name, SYNONYM) for w in done if w not in days | {table.name})
        yield from ((cue, "table_cues", table.name, SYNONYM) for cue in table.hint.cues)
        begun = [table.name[:i] for i in range(2, len(table.name)) if is_han(table.name)]  # 练车 of the 练车课
        parts = (part for part in begun if part not in names and (part in cut(table.name) or is_word(part)))
        yield from ((part, "table_cues", table.name, PART) for part in parts)
        if not (table.title.key or any("label" in c.tags or NAME_HEADS & {*words_of(c.name)} for c in table.columns)):
            yield from ((form, "columns", table.title.ref, SYNONYM) for form in sorted(NAME_HEADS))  # of a dish
        for c in table.columns:
            yield from self._of_column(table, c)
            yield from self._of_values(table, c)

    def _of_column(self, table: Table, c: Column) -> Iterator[_Said]:
        owners = dict.fromkeys(singular(n.lower()) for n in (table.hint.en, table.name) if n.isascii() and n)
        if is_han(table.name) or is_han(table.hint.zh):
            owners[table.hint.zh or table.name] = None
        for form, cost in forms.column_forms(c):
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
            if rest != c.name.lower() and rest in KEY_HEADS | NAME_HEADS:
                yield f"{one} {rest}", "columns", c.ref, EXACT
        called = {" ".join(words_of(other.name)) for other in table.columns}
        if table.keys == (c,) and not called & {f"{o} id" for o in owners}:  # whatever the key is called
            for owner in owners:
                yield f"{owner}编号" if is_han(owner) else f"{owner} id", "columns", c.ref, 0.05
                yield f"{owner} ids", "columns", c.ref, 0.05
        for cue in c.hint.cues:
            yield cue, "cues", c.ref, SYNONYM
            if c.kind == "date" and c.empty and cue.isascii():  # unpaid: not paid on any day
                opposite = {"un" + cue, *OPPOSITES.get(cue, ())}
                yield from ((word, "negative", c.ref, SYNONYM) for word in sorted(opposite))
            if c.kind == "date" and len(cue) < 3 and is_han(cue):  # 卖不出去
                yield from (
                    (cue.removesuffix("出") + no, "negative", c.ref, SYNONYM)
                    for no in ("不出去", "不掉", "不了", "不完")
                )
        yield from ((part, "cues", c.ref, PART) for part in forms.parts_of(c))
        if m := _RATE.match(c.name):  # 一天, 每个月: 每天租金, 月租
            every = {"日": "天", "时": "小时"}.get(m[1], m[1])
            yield from ((said + every, "cues", c.ref, SYNONYM) for said in ("一", "每", "每一", "一个", "每个"))

    def _of_values(self, table: Table, c: Column) -> Iterator[_Said]:
        for stored, names in c.hint.values.items():
            for name in names:  # 金卡客户 is 金卡 and 客户
                alone = (name.removesuffix(noun).strip() for noun in (table.hint.zh, table.hint.en))
                if not any(rest != name and rest in (*names, stored) for rest in alone):
                    yield from ((form, "values", Value(c.ref, stored), 0.0) for form in forms.numbers_of(name))
        closed = words_for(frozenset(c.values)) if c.complete else {}
        for v in c.values:
            value, words = Value(c.ref, v), dict.fromkeys(closed.get(v, ()), SYNONYM)
            if linkable(v):
                verb = v.isascii() and v.lower().endswith("ed")
                done = self.tables_by_stem.get(stem(v.lower()), set()) if verb else set()
                yield from ((v, "table_cues", name, PLURAL) for name in done)  # booked: what was done, not a state
                yield v, "values", value, 0.1 if done else 0.0
                words |= dict.fromkeys(forms.numbers_of(v), PLURAL)
            if len(v) > 2 and v[0] in "未不非":
                words |= {no + v[1:]: PLURAL for no in ("没", "没有", "未", "不")}
            if len(v) > 2 and v[-1] == "中":  # 维修中
                words |= {"正在" + v[:-1]: PLURAL, "在" + v[:-1]: PLURAL}
            if len(v) > 2 and v[0] == "已":
                words.setdefault(v[1:], HEAD)
            if v in _SCHOOLING:  # 本科生
                words.setdefault(f"{v}生", PLURAL)
            yield from ((word, "values", value, cost) for word, cost in words.items())
        yield from ((word, "values", Value(c.ref, v), HEAD) for word, v in parts_of_names(c.values))

    @cached_property
    def tables_by_stem(self) -> Mapping[str, set[str]]:
        found: dict[str, set[str]] = {}
        for t in self.schema.tables:
            for w in (w for w in words_of(f"{t.name} {t.hint.en}") if len(w) > 3):
                found.setdefault(stem(w), set()).add(t.name)
        return found

    def deeds(self, word: str) -> Set[str]:
        """The tables whose name has the stem of a verb: attended, of the attendance; not what courses are offered."""
        roles, tables = {r[0] for r in lexicon().get(word, ())}, self.tables_by_stem.get(stem(word), set())
        done = roles == {"verb"} and any(len(words_of(t)) == 1 for t in tables)
        verb = done or (word.endswith("ed") and roles <= {"sort"})
        return tables if verb and not (word in self.entries and self.entries[word].tables) else frozenset()

    @cached_property
    def longest(self) -> int:
        return min(60, max(map(len, (*self.entries, *lexicon())), default=1))

    @cached_property
    def stems(self) -> Mapping[str, dict[Ref, float]]:
        """The stems of English words in the names of columns, which a verb may share: acquired, Yr Acquired."""
        found: dict[str, dict[Ref, float]] = {}
        for c in self.schema.columns():
            cues = (cue for cue in c.hint.cues if " " not in cue)  # due for: neither of the two
            said = (bare_name(c.name)[0], c.hint.en, *c.hint.synonyms, *cues)
            for w in (w for name in said for w in words_of(name)):
                for long in {w, *spelled_out([w])}:
                    if long.isascii() and len(long) > 2 and long not in EMPTY_HEADS:
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
    def proper_words(self) -> Mapping[str, dict[Ref, float]]:
        """Names that stand in several values of one column beside other words: ThinkPad, of models."""
        found: dict[str, dict[Ref, set[str]]] = {}
        for c in self.schema.columns():
            for v in c.values[:1000] if c.kind in ("category", "text") and not c.is_key else ():
                for w in v.split() if v.isascii() and " " in v else ():
                    if len(w) > 3 and w.isalpha() and w[0].isupper():
                        found.setdefault(singular(fold(w)), {}).setdefault(c.ref, set()).add(v)
        kept = ((w, owners) for w, owners in found.items() if not lexicon().get(w) and known_word([w]) is None)
        return {w: dict.fromkeys(owners, PART) for w, owners in kept if len(owners) == 1 and len(*owners.values()) > 1}

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


def grams(text: str, unknown: Sequence[str]) -> list[str]:
    """Runs of words around what is unknown, as they are written: candidates for values that must be looked up."""
    found: dict[str, None] = {}
    cuts = [[m.span() for m in re.finditer(pattern, text)] for pattern in (r"\S+", rf"[^\s{HAN}]+")]
    for word in unknown:
        at = text.find(word)
        if is_han(word):
            run = re.search(rf"[{HAN}·]*{re.escape(word)}[{HAN}·]*", text)
            whole = run.group() if run else word
            places = ((a, b) for a in range(len(whole)) for b in range(a + 2, min(len(whole), a + 12) + 1))
            found |= {whole[a:b]: None for a, b in places}
            continue
        for words, i in ((one, i) for one in cuts for i, (s, e) in enumerate(one) if s <= at < e):
            for a in range(max(0, i - 4), i + 1):
                for b in range(i, min(len(words), i + 5)):
                    gram = text[words[a][0] : words[b][1]].strip(MARKS + "\"'")
                    found[gram] = found[gram.removesuffix("'s")] = None
    return [g for g in found if 1 < len(g) <= 80 and linkable(g)][:400]
