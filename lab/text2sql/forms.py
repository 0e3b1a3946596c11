"""What people call a column, the rows of a table, and a value: the forms of names, each with how far-fetched it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from os.path import commonprefix

from lab.text import HAN, half_width
from lab.text import known_word as is_word
from lab.text2sql.hints import Hint, bare_name, dictionary, kinds_of, plural, singular, spelled_out, words_of
from lab.text2sql.lexicon import in_names, word_lists, words_in
from lab.text2sql.schema import Column, Table

_HAN = re.compile(f"[{HAN}]")
_DAY = re.compile(f"([{HAN}]{{2,}}?)(?:日期|时间|日)?")
NAME_HEADS = {"name", "nm", "title", "姓名", "名称", "名字", "名", "标题"}
KEY_HEADS = {
    *["id", "no", "number", "code", "key", "num", "#", "工号", "学号", "编号", "号", "号码", "序号", "编码", "代码"]
}
FLAGS = {"is", "has", "can", "was", "flag", "flg", "是否", "可否", "能否", "有无"}
EMPTY_HEADS = NAME_HEADS | KEY_HEADS | {"date", "dt", "time", "日期", "时间", "年份", "year", "yr", "amount", "amt", "number", "数", "数量", "count", "量", "情况", "type", "类型", "类别", "种类"}  # fmt: skip
EXACT, PLURAL, SYNONYM, HEAD, PART = 0.0, 0.02, 0.1, 0.3, 0.4
"""How far-fetched a form of a name is, in the currency of the whole reading (an unknown word costs 3)."""


def fold(text: str) -> str:
    """Half-width lower case, as questions are read."""
    return plain(text).strip()


def plain(text: str) -> str:
    """Half-width lower case without accents, of the same length: café is cafe."""
    return "".join(map(_bare_letter, half_width(text).replace("’", "'")))


@cache
def _bare_letter(c: str) -> str:
    """A letter without its accent."""
    parts = "" if c.isascii() else unicodedata.normalize("NFD", c)
    return parts[0] if len(parts) == 2 and parts[0].isascii() and unicodedata.combining(parts[1]) else c


def cut(name: str) -> list[str]:
    """The Chinese words in a name."""
    import rjieba

    return [w for w in rjieba.cut(name) if w.strip()]


def is_han(text: str) -> bool:
    return _HAN.search(text) is not None


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
    if c.kind == "number" and "money" in c.about and "each" not in c.tags:  # tip money, the bill amount, 小费金额
        own = [form for form, cost in forms if cost <= SYNONYM]
        forms += [(form + tail, SYNONYM) for form in own for tail in ((" amount", " money"), ("金额",))[is_han(form)]]
    if is_han(bare):
        pieces = cut(bare)
        if pieces and pieces[0] in FLAGS and len(pieces) > 1:
            forms += [(name := "".join(pieces[1:]), EXACT), (name.removeprefix("有"), SYNONYM)]
            forms += [(name[0] + done + name[1], SYNONYM) for done in "了过" if len(name) == 2]  # 开了票, 打过卡
        elif "是否" in pieces:  # 学费是否缴清
            forms += [(bare.replace("是否", ""), EXACT), (bare.partition("是否")[2], SYNONYM)]
        elif c.kind == "boolean" and len(pieces) > 1 and len(pieces[0]) == 2:  # 坐校车 of 乘坐校车
            forms += [(verb + "".join(pieces[1:]), SYNONYM) for verb in pieces[0]]
        elif len(pieces) == 1 and bare.endswith("名") and (noun := row_noun(c)):  # 菜 of 菜名
            forms.append((noun, SYNONYM))
        elif len(pieces) > 1:
            head, rest = pieces[-1], "".join(pieces[:-1])
            if head in EMPTY_HEADS:
                cost = SYNONYM if head in NAME_HEADS else HEAD
                forms += [(word, cost) for word in (rest, *filter(str.isascii, _also(rest)))]
            if head not in KEY_HEADS and len(head) > 1:
                forms.append((head, HEAD))
        forms += [(bare[:-1], PLURAL)] if len(bare) > 2 and bare[-1] in "数量" else []
        forms += [(bare.removesuffix(end) + other, SYNONYM) for end, other in _TAILS if bare.endswith(end)]
        forms += [(bare[:-1], SYNONYM)] * (c.kind == "boolean" and len(bare) > 2 and bare[-1] in "车房人店书件户品")
        forms += [(bare + end, SYNONYM) for end in "度率" if c.about & {"percent", "rating"}]
        ends = (bare[i:] for i in range(1, len(bare) - 1) if c.kind in ("text", "category"))  # 小区 of 居住小区
        forms += [(end, HEAD) for end in ends if is_word(end)]
        if c.kind == "date" and (m := _DAY.fullmatch(bare)):
            forms += [(m[1] + end, SYNONYM) for end in ("日期", "时间", "日")]
        inside = (k for k in dictionary() if 1 < len(k) < len(bare) and is_han(k) and k not in EMPTY_HEADS)
        for k in filter(bare.endswith, inside):  # 省 of 收货省份
            also = () if bare.startswith(("优惠", "折扣", "退款")) else dictionary()[k].zh
            forms += [(k, HEAD), *((word, HEAD + 0.05) for word in also)]
    elif words:
        forms += [(words[-1], HEAD)] * (words[:-1] == [singular(c.table.lower())])  # the type of a bike
        for long in (*(long.split() for long in spelled_out(words)), words):
            forms += _english_forms(long)
    return _in_both(forms)


_TAILS = tuple(map(str.split, words_in(word_lists()["known by"]["tails"])))
"""What names end in, and what else it is called: 维修费 for 维修费用."""
_EVERY = {"hour": "hourly", "day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}
_PLACES = ("by", "near", "at", "on", "in", "with")
_OTHERS = ("next", "last", "previous", "expected", "planned")
"""What begins the name of a day that is another one: the next visit is no visit."""


def _english_forms(words: list[str]) -> list[tuple[str, float]]:
    if len(words) < 2:
        return [(words[0], EXACT)]
    head, rest, tail = words[-1], " ".join(words[:-1]), " ".join(words[1:])
    many, empty = plural(singular(rest)), head in EMPTY_HEADS | FLAGS
    pair = len(words) == 2 and words[0] not in FLAGS
    forms = (
        (True, f"{rest} {head}", EXACT),
        (words[0] in _EVERY, f"{_EVERY.get(words[0])} {tail}", EXACT),
        (words[0] in _PLACES, f"{words[0]} the {tail}", EXACT),
        (head in NAME_HEADS, rest, SYNONYM),
        (head in NAME_HEADS, "name", HEAD),
        (head not in NAME_HEADS and empty, rest, HEAD),
        (words[0] in FLAGS, tail, EXACT),
        (words[0] in ("number", "count", "total", "n", "num"), f"number of {plural(singular(tail))}", EXACT),
        (head in ("number", "count", "total"), f"number of {many}", EXACT),
        (head in ("number", "count", "total"), many, HEAD),
        (pair, f"{head} of {rest}", EXACT),
        (pair, f"{head} of the {rest}", EXACT),
        (not empty and len(head) > 2, head, HEAD + 0.3 * (words[0] in _OTHERS)),
    )
    ways = ("to", "to the", "by", "by the", "on", "with") if head.endswith(("ed", "able", "free")) else ()
    led = ((f"{head} {way} {rest}", EXACT) for way in ways if rest)  # connected to the grid
    return [*((form, cost) for holds, form, cost in forms if holds), *led]


def parts_of(c: Column) -> Iterable[str]:
    """Words inside a name that are no name by themselves: 寄件 of 寄件城市, 采摘 of 采摘日期."""
    bare, _ = bare_name(c.name)
    words = words_of(bare)
    yield from (" ".join(pair) for pair in zip(words, words[1:], strict=False) if len(words) > 2)  # round trip
    for name in [bare, c.hint.zh] if is_han(c.hint.zh) else [bare]:
        pieces = cut(name) if is_han(name) else []
        if len(name) > 2 and name[-1] in "数量额率费价分值度人者商员师":
            yield name[:-1]
        if len(name) == 2 and c.kind == "number" and "money" in c.about:  # 赔 of 赔偿
            yield name[0]
        begins = (name.removesuffix(k) for k in dictionary() if len(k) > 1 and is_han(k) and name.endswith(k))
        yield from (p for p in begins if len(p) > 1)
        if len(pieces) > 1:
            yield from (p for p in pieces[:-1] if p not in FLAGS and is_han(p))
            yield from (p[0] for p in pieces[:1] if len(p) == 2 and is_han(p))


def table_forms(t: Table, *, alone: bool) -> Iterator[tuple[str, float]]:
    forms, words = _spoken(t.hint, t.name), words_of(t.name)
    if is_han(t.name):
        pieces, forms = cut(t.name), forms + [("单", HEAD)] * t.name.endswith("单")
        rest = t.name.removesuffix(next(filter(t.name.endswith, in_names("lists")), ""))  # 快递单
        forms += [(word, SYNONYM) for word in (rest, *_also(rest)) if 1 < len(rest) < len(t.name)]
        if len(pieces) > 1:
            forms += [(pieces[-1], HEAD), (t.name.removesuffix("表"), EXACT)]
        ends = (rest[i:] for i in range(1, len(rest) - 1))  # 手机 of 二手手机, 空调 of 办公室空调台账
        forms += [(end, HEAD) for end in ends if is_word(end)][:1]
    elif len(words) > 1:
        forms.append((words[-1], HEAD))
        if words[-1] in in_names("lists"):  # recipe log
            forms.append((" ".join(words[:-1]), SYNONYM))
    forms += [(long, SYNONYM) for long in spelled_out(words)]
    # rows are called after the column that names them: Object Name, 运单号
    nouns = filter(None, (row_noun(c) for c in t.columns if c.unique or c.key))
    forms += [(noun, SYNONYM if alone else HEAD) for noun in nouns]
    forms += [("单子", HEAD), ("订单", HEAD)] * any(form == "单" for form, _ in forms)
    noun = row_noun(t.title) if t.title.kind == "text" else ""
    forms += [(noun, SYNONYM)] * is_han(noun)  # 病人 for 病人姓名
    title = words_of(t.title.name)  # the wines of a cellar
    forms += [(title[0], SYNONYM)] * (alone and len(title) == 1 and t.title.unique and not t.title.tags)
    if alone and any(c.kind == "date" and c.unique for c in t.columns):  # each row is a day
        forms += [("day", SYNONYM), ("天", SYNONYM), ("日子", SYNONYM)]
    forms += [(w, HEAD) for w in _ROWS if alone] + [(w, SYNONYM) for w in _kinds(t) if alone]
    return _in_both(forms)


def _kinds(t: Table) -> list[str]:
    """What kind of things rows are by their columns, unless these have a value of that name."""
    values = {fold(v) for c in t.columns for v in c.values}
    names = [c.name for c in t.columns]  # 岗位 is the 应聘岗位
    kinds = (w for w in kinds_of(t.name, *names) if not (is_han(w) and any(n != w and n.endswith(w) for n in names)))
    return [w for w in kinds if values.isdisjoint(map(fold, numbers_of(w)))]


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
    return " ".join(words[:-1]) if words and words[-1] in NAME_HEADS | KEY_HEADS else ""


def one_off(a: str, b: str) -> bool:
    """Whether two words differ by one letter: another, one more, one less, or two exchanged."""
    n = len(commonprefix([a, b]))
    swapped = a[n : n + 2] == b[n : n + 2][::-1] and a[n + 2 :] == b[n + 2 :]
    return a != b and (swapped or a[n + 1 :] in (b[n + 1 :], b[n:]) or a[n:] == b[n + 1 :])


def abbreviates(short: str, word: str) -> bool:
    """Whether a name's word stands for a word of the question: appt, appointment; doc, doctor; insrd, insured."""
    word = singular(word)
    at = iter(word)
    alike = len(word) > len(short) >= max(3, 0.3 * len(word)) and word[0] == short[0] and short[1] in word[:5]
    rest = word.removeprefix(short)
    rest = rest[1:] if rest[:1] == short[-1:] else rest  # sunny is not sun, rainy is not rain
    return alike and all(ch in at for ch in short) and rest not in _ENDINGS


_ENDINGS = {"y", "ier", "iest", "ily", "er", "est", "ing", "ly", "ness", "ed", "iness"}
