"""What people call tables, columns and values: the forms of names, each with how far-fetched it is.

A name is known as it is written, without its unit or bracket, with its abbreviations written out, by its last word (城市
of 寄件城市), by its synonyms and its hints.  A word inside a name, or a verb that belongs to it, is a *cue*: it points to
the column without naming it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from lab.text import is_han, jieba_dictionary, known_word
from lab.text import plain as half_width
from lab.text.writing import HAN
from lab_packs.text2sql.hints import bare_name, date_cues, dictionary, kinds_of, singular, spelled_out, words_of
from lab_packs.text2sql.lexicon import OPPOSITES, in_names, irregular, words_for, words_in
from lab_packs.text2sql.schema import Column, Table, says

EXACT, SYNONYM, PART, CUE = 0.0, 0.1, 0.3, 0.4
"""How far-fetched a link is: by the whole name, another word for it, its last word, a word inside of it."""
LONGEST = 14
"""Words, or Chinese characters, of a name."""
GENERIC = frozenset(
    "id no number code key name nm title date dt time at on day year amount amt count type kind status state value".split()  # noqa: SIM905
)
GENERIC_HAN = frozenset("编号 名称 姓名 名字 名 号 日期 时间 日 年份 金额 数量 数 类型 类别 种类 情况 状态".split())  # noqa: SIM905
FLAGS = frozenset({"is", "has", "can", "was", "flag", "flg"})
_TOKEN = re.compile(rf"[a-z]+n't|[a-z]+(?='s\b)|'s\b|[a-z]+|\d+(?:\.\d+)?|[{HAN}]|[^\s\-_]")
ROW_NAMES = words_in("name, nm, title, number, count, type, kind, amount, status, date, year, code")
"""Last words of a column that names its rows, as its other words do."""


class Token(NamedTuple):
    """A word, or one Chinese character, of a folded text."""

    start: int
    end: int
    text: str


@cache
def letters(text: str) -> str:
    """Half-width lower case without accents, of the same length."""
    return "".join(map(_bare, text))


@cache
def _bare(character: str) -> str:
    """A character in half width and lower case, without its accent; always one."""
    if character in "’‘":
        return "'"
    folded = half_width(character).lower()
    if folded and not folded.isascii():
        parts = unicodedata.normalize("NFD", folded)
        folded = parts[0] if parts[0].isascii() else folded
    return folded if len(folded) == 1 else character.lower()[:1]


def tokens(folded: str) -> list[Token]:
    """The words of a folded text; hyphens and underscores part words."""
    return [Token(m.start(), m.end(), m[0]) for m in _TOKEN.finditer(folded)]


@cache
def stem(word: str) -> str:
    """The stem of an English word, of a verb that of its base: pay for paid."""
    import Stemmer

    if not word.isascii():
        return word
    base = irregular().get(word) or singular(word)
    return str(Stemmer.Stemmer("english").stemWord(base))


Form = tuple[str, float, str]


def cut(name: str) -> list[str]:
    """The Chinese words in a name."""
    return [w for w in jieba_dictionary().cut(name) if w.strip()]


def table_forms(table: Table, *, only_table: bool) -> Iterator[Form]:
    words = words_of(table.name)
    for form in (table.name, " ".join(words), table.hint.zh, table.hint.en, *map(" ".join, _long(words))):
        if form:
            yield form, EXACT, "name"
    for form in table.hint.synonyms:
        yield form, SYNONYM, "name"
    rest = table.name
    for tail in sorted(in_names("lists"), key=len, reverse=True):
        rest = rest.removesuffix(tail) if is_han(tail) and len(rest) > len(tail) + 1 else rest
    if is_han(table.name):
        yield rest, SYNONYM, "name"
        also = dictionary().get(rest)
        for form in also.zh + also.en if also else ():
            yield form, SYNONYM, "name"
        yield from ((rest[i:], PART, "name") for i in range(1, len(rest) - 1) if known_word(rest[i:]))
        pieces = cut(rest)
        if len(pieces) > 1 and len(pieces[0]) > 1:
            yield pieces[0], CUE, "cue"
    elif len(words) > 1:
        yield words[-1], PART, "name"
        if words[-1] in in_names("lists"):
            yield " ".join(words[:-1]), SYNONYM, "name"
        elif len(words[0]) > 3:
            yield words[0], CUE + 0.1, "cue"
    for tail in _DEED_TAILS if words and not is_han(table.name) else ():
        deed = singular(words[-1])
        if deed.endswith(tail) and len(deed) - len(tail) > 2:  # rentals: rented
            yield deed.removesuffix(tail), CUE, "cue"
    noun = _row_noun(table.title) or next((n for c in table.keys if (n := _row_noun(c))), "")
    if noun:
        yield noun, SYNONYM if only_table or table.title.unique else PART, "name"
    if only_table:
        for form in kinds_of(table.name, *(c.name for c in table.columns)):
            yield form, SYNONYM, "name"
    for cue in table.hint.cues:
        yield cue, SYNONYM, "cue"


_DEED_TAILS = ("al", "ment", "ance", "ence", "ation", "ption")
"""Endings of nouns for what was done, which verbs do not have."""


def _row_noun(column: Column) -> str:
    """What a row is called by the column that names it: 菜 for 菜名, object for Object Name."""
    bare, _ = bare_name(column.name)
    if is_han(bare):
        heads = ("编号", "名称", "号码", "姓名", "号", "名")
        return next((bare.removesuffix(h) for h in heads if bare.endswith(h) and bare != h), "")
    words = words_of(bare)
    return " ".join(words[:-1]) if len(words) > 1 and words[-1] in GENERIC else ""


def _long(words: list[str]) -> list[list[str]]:
    """A name with its abbreviations written out."""
    return [long.split() for long in spelled_out(words)]


def column_forms(column: Column, table: Table) -> Iterator[Form]:
    """What a column is called."""
    bare, _ = bare_name(column.name)
    words = words_of(bare)
    for form in (column.name, bare, " ".join(words), column.hint.zh, column.hint.en):
        if form:
            yield form, EXACT, "name"
    for form in column.hint.synonyms:
        yield form, SYNONYM, "name"
    for cue in column.hint.cues:
        yield cue, SYNONYM, "cue"
    yield from _han_forms(column, bare) if is_han(bare) else _english_forms(column, words, table)
    label = column.hint.zh
    if label and label != bare and is_han(label):
        yield from ((form, cost + 0.02, how) for form, cost, how in _han_forms(column, label))


def _han_forms(column: Column, bare: str) -> Iterator[Form]:
    pieces = cut(bare)
    if column.kind == "boolean":
        rest = bare.removeprefix("是否").removeprefix("有无").removeprefix("能否").removeprefix("可否")
        yield rest, EXACT, "name"
        yield rest.removeprefix("有"), SYNONYM, "name"
        if bare.startswith("有无"):
            yield f"有{rest}", EXACT, "name"
        if len(rest) > 2:
            yield rest[-2:], CUE, "name"
        return
    for tail in sorted(GENERIC_HAN, key=len, reverse=True):
        if bare.endswith(tail) and len(bare) > len(tail):
            rest = bare.removesuffix(tail)
            yield (
                rest,
                SYNONYM if tail in ("名称", "姓名", "名字", "名", "数量", "数", "金额") and len(rest) > 1 else CUE,
                (
                    "name"
                    if tail in ("名称", "姓名", "名字", "名", "数量", "数", "金额", "状态", "类型", "类别")
                    else "cue"
                ),
            )
            break
    for i in range(1, len(bare) - 1):
        if known_word(bare[i:]) or bare[i:] in dictionary():
            yield bare[i:], PART, "name"
    if len(bare) > 1 and len(pieces) > 1:
        yield pieces[-1], PART, "name"
        yield from ((p, CUE, "cue") for p in pieces[:-1] if len(p) > 1)
        if len("".join(pieces[:-1])) > 1:
            yield "".join(pieces[:-1]), CUE, "cue"
    if column.kind == "number" and bare[-1] in "费价额":
        yield bare + ("用" if bare[-1] == "费" else ""), SYNONYM, "name"
    if column.kind == "date":
        stems = [bare.removesuffix("日期").removesuffix("时间").removesuffix("日")]
        yield from ((s + end, SYNONYM, "name") for s in stems if len(s) > 1 for end in ("日期", "时间", "日"))
        yield from ((s, SYNONYM, "cue") for s in stems if len(s) > 1)


def _english_forms(column: Column, words: list[str], table: Table) -> Iterator[Form]:
    if not words:
        return
    table_words = set(words_of(table.name)) | {singular(w) for w in words_of(table.name)}
    for name in (words, *_long(words)):
        yield " ".join(name), EXACT, "name"
        if name[0] in FLAGS and len(name) > 1:
            yield " ".join(name[1:]), EXACT, "name"
        if len(name) > 1 and name[0] in table_words:  # movie_title of movies
            yield " ".join(name[1:]), SYNONYM, "name"
        if len(name) > 1 and name[-1] not in GENERIC and len(name[-1]) > 1:
            yield name[-1], PART, "name"
        if len(name) > 1 and name[-1] in GENERIC:
            is_name = name[-1] in ROW_NAMES
            yield (
                " ".join(name[:-1]),
                SYNONYM if name[-1] in ("name", "nm", "title", "date") else PART,
                ("name" if is_name and name[-1] not in ("date",) else "cue"),
            )
            if name[-1] in ("name", "title", "date", "type", "status", "year"):
                yield name[-1], PART, "name"
        for w in name[:-1] if len(name) > 1 else ():
            if len(w) > 3 and w not in GENERIC and w not in table_words:
                yield w, CUE, "cue"
    if column.key and len(table.keys) == 1:
        row_name = singular(" ".join(words_of(table.name)))
        yield from ((form, 0.2, "name") for form in ("id", "ids", f"{row_name} id"))
    if column.kind == "number" and "money" in column.about and not column.tags & {"each", "price"}:
        whole = not (column.is_key or says(column, "aside") or says(column, "costs"))
        yield from ((word, 0.2, "name") for word in in_names("revenue") if whole)
    if column.kind == "date" or column.is_year:
        for cue in date_cues(column.hint, words):
            yield cue, SYNONYM, "cue"
    if column.kind == "boolean":
        head = words[-1]
        for no in OPPOSITES.get(head, ()):
            yield no, SYNONYM, "not"
        if len(words) <= 2:
            yield from ((f"{no}{head}", SYNONYM, "not") for no in ("un", "in"))
    if column.empty:
        for cue in (c for c in column.hint.cues if c.isascii() and " " not in c):
            yield from ((no, SYNONYM, "not") for no in (f"un{cue}", *OPPOSITES.get(cue, ())))


def value_forms(column: Column, nouns: Sequence[str] = ()) -> Iterator[tuple[str, str, float, str]]:
    """Yields the names of a column's stored values: (value, form, cost, how)."""
    closed = words_for(frozenset(column.values)) if column.complete else {}
    for value in column.values:
        if not any(ch.isalnum() for ch in value):
            continue
        yield value, value, EXACT, "name"
        names = column.hint.values.get(value, ())
        for form in names:  # 金卡客户 is 金卡 and 客户
            bare_forms = [form.removesuffix(n).strip() for n in nouns if n]
            if not any(rest != form and rest in (*names, value) for rest in bare_forms):
                yield value, form, EXACT, "name"
        for form in closed.get(value, ()):
            yield value, form, SYNONYM, "name"
        graded = column.name.endswith("级") or column.hint.zh.endswith("级")
        if graded and not value.endswith("级") and len(value) <= 4:
            yield value, value + "级", SYNONYM, "name"
        if is_han(value):
            yield from _han_values(value)
        if any(map(is_han, value)):
            yield from ((value, part, CUE, "part") for part in _words_within(value))
        elif " " in value or "-" in value:
            words = [t.text for t in tokens(letters(value))]
            big = list(re.findall(r"[A-Z][A-Za-z']{2,}", value))
            if len(words) <= 5:
                for w in big:
                    if w.lower() not in ("the", "and", "for", "with", "von", "van", "mrs"):
                        yield value, w, CUE, "part"
                if len(words) == 3 and len(big) >= 2:  # Dr. Hannah Brookes
                    yield value, " ".join((words[0], words[-1])), PART, "part"


def _words_within(value: str) -> Iterator[str]:
    """Yields the words of a Chinese value, and its parts in other letters: Java of Java开发, 门锁 of 智能门锁."""
    if not 2 < len(value) <= 16:
        return
    runs = re.findall(r"[A-Za-z][A-Za-z0-9+#.]+|[^\W\da-zA-Z_]{2,}", value)
    words = [word for run in runs for word in ((run,) if run.isascii() else (run, *jieba_dictionary().cut(run)))]
    yield from dict.fromkeys(word for word in words if len(word) > 1 and word != value)


def _han_values(value: str) -> Iterator[tuple[str, str, float, str]]:
    if len(value) > 2 and value[0] == "已":
        yield value, value[1:], PART, "name"
        yield value, value[1:] + "了", PART, "name"
    if len(value) > 2 and value[0] in "未不":
        for no in ("没", "没有", "未", "不", "还没", "尚未"):
            yield value, no + value[1:], SYNONYM, "name"
    if len(value) > 2 and value[-1] == "中":
        yield value, "正在" + value[:-1], SYNONYM, "name"
        yield value, "在" + value[:-1], SYNONYM, "name"
    if value in ("本科", "硕士", "博士", "大专", "专科"):
        yield value, value + "生", SYNONYM, "name"
    if 2 < len(value) <= 12:
        for i in range(1, len(value) - 1):
            if known_word(value[i:]):
                yield value, value[i:], CUE, "part"
            if known_word(value[: i + 1]) and i >= 1:
                yield value, value[: i + 1], CUE, "part"
