"""Trees in words: expressions, conditions, chips, headings, in Chinese and in English.

Everything is written from the tree, never from the question, so that a reader sees what was really run.  The Chinese is not
a translation of the English, nor the reverse.
"""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lab_packs.text2sql import tree
from lab_packs.text2sql.hints import plural, singular, words_of
from lab_packs.text2sql.lexicon import word_lists, words_in
from lab_packs.text2sql.schema import Column, Schema, is_nameless

_SIGNS = {"=": "=", "<": "<", "<=": "≤", ">": ">", ">=": "≥"}
_OPPOSITE = {"=": "≠", "<": "≥", "<=": ">", ">": "≤", ">=": "<"}
_FN_ZH = {"avg": "平均", "sum": "总", "min": "最低", "max": "最高", "median": "中位"}
_FN_EN = {"avg": "average", "sum": "total", "min": "lowest", "max": "highest", "median": "median"}
_ENDS = {"min": ("最早的", "earliest "), "max": ("最晚的", "latest ")}
_WAYS = (("从低到高", "lowest"), ("从高到低", "highest"), ("从早到晚", "earliest"), ("从晚到早", "latest"))
"""What comes first: of numbers, of days; each from below and from above."""
_VERBS = {
    "=": (("是", "is"), ("不是", "is not")),
    "has": (("含", "with"), ("不含", "without")),
    "contains": (("含", "contains"), ("不含", "does not contain")),
    "starts": (("开头是", "starts with"), ("开头不是", "does not start with")),
    "ends": (("结尾是", "ends with"), ("结尾不是", "does not end with")),
}
"""What a column does with texts, in both languages, and what it does not."""
_YES = {"zh": ("否", "是"), "en": ("no", "yes")}
_PARTS_ZH = {"year": "年", "quarter": "季度", "month": "月", "day": "日", "weekday": "星期", "month of year": "月份", "time": "时刻"}  # fmt: skip
_DAYS = {"zh": "日一二三四五六", "en": ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")}
_UNITS_EN = {"元": "yuan", "年": "years", "岁": "years", "件": "", "分": "", "天": "days", "个月": "months", "小时": "hours", "公斤": "kg"}  # fmt: skip


def number(value: object) -> str:
    """A number as people read it: 23,423.08; whole numbers without a point."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "–" if value is None else str(value)
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) >= 0.01 else f"{value:.3g}"


def with_unit(text: str, column: Column, language: str) -> str:
    """A number's text with the unit of its column."""
    unit = column.hint.unit
    if not unit or "/" in unit or unit == column.name.lower():
        return text
    if unit in ("$", "¥", "€", "£"):
        return unit + text
    if language == "en":
        unit = _UNITS_EN.get(unit, unit)
        unit = unit.removesuffix("s") if text == "1" else unit
    return f"{text} {unit}".strip()


def spoken(value: str, column: Column, language: str) -> str:
    """A stored value as that language calls it: 远程 is "remote" in English, Berlin is 柏林 in Chinese."""
    names = (value, *column.hint.values.get(value, ()))
    return next((n for n in names if n.isascii() == (language == "en")), value)


def shown(value: object, column: Column | None, language: str) -> str:
    """Returns a value of a row in words."""
    if column is not None and column.kind == "boolean":
        if value is not None and value not in column.truth:
            return str(value)
        return "–" if value is None and column.truth[1] is not None else _YES[language][value == column.truth[0]]
    if column is not None and column.kind == "number" and isinstance(value, (int, float)):
        plain = f"{value:g}" if column.is_year or "key" in column.tags else number(value)
        return with_unit(plain, column, language)
    counted = isinstance(value, float) or (column is None and isinstance(value, int))
    return number(value) if counted else "–" if value is None else str(value)


def many(noun: str, n: int | None = None) -> str:
    """Returns an English noun in the number for ``n`` things."""
    first, _, last = noun.rpartition(" ")
    singular_form = singular(last)
    return f"{first} {singular_form if n == 1 else plural(singular_form)}".strip()


def counter(noun: str) -> str:
    """Returns the Chinese measure word of a noun: 位 for 候选人, 场 for 面试."""
    counters = word_lists()["counters"]["nouns"]
    ends = [(len(end), word) for word, nouns in counters.items() for end in words_in(nouns) if noun.endswith(end)]
    return max(ends)[1] if ends else "个"


def is_share(e: tree.Expr) -> bool:
    """Whether an expression is the share of some rows in all of them: of the same count or sum, with a condition."""
    if not isinstance(e, tree.Arithmetic) or e.op != "/" or not isinstance(e.left, tree.Aggregate):
        return False
    return bool(e.left.where) and e.right == tree.Aggregate(e.left.fn, e.left.of)


class Words:
    """The words of one language for the trees of one schema."""

    def __init__(self, schema: Schema, language: str, *, main: str = "") -> None:
        self.schema, self.language, self.main, self.zh = schema, language, main, language == "zh"
        self.also, self.yes = self.of("，", "; "), _YES[language]

    def of(self, zh: str, en: str) -> str:
        """Returns the text in the language of this object."""
        return zh if self.zh else en

    def noun(self, table: str, n: int | None = None) -> str:
        """Returns the noun for ``n`` rows of a table."""
        t = self.schema.table(table)
        name = t.label(self.language)
        of_file = t.name.lower() in words_in(word_lists()["counters"]["files"])
        if of_file or (words_of(name) == words_of(t.name) and is_nameless(t)) or (self.zh and name.isascii()):
            return self.of("记录", many("record", n))
        if self.zh and any(name.endswith(verb) for verb in words_in(word_lists()["counters"]["deeds"])):
            return f"{name}记录"  # 请假 is what is done; its rows are records
        return name if self.zh or not name.isascii() else many(name, n)

    def rows(self, table: str, n: int, text: str = "") -> str:
        """Returns a number of rows of a table: 16 场面试, 5 candidates; ``text`` is the number as it is written."""
        text, noun = text or number(n), self.noun(table, n)
        return f"{text} {counter(noun)}{noun}" if self.zh else f"{text} {noun}"

    def listed(self, several: Sequence[tree.Expr], joint: str = ", ") -> str:
        return self.of("、", joint).join(map(self.expression, several))

    def several(self, parts: Sequence[str], more: bool) -> str:
        """The first of several."""
        return self.of("、", ", ").join(parts) + (self.of("……", ", …") if more else "")

    def aside(self, text: str) -> str:
        """A text in brackets, if there is one."""
        return self.of(f"（{text}）", f" ({text})") if text else ""

    def stop(self, text: str) -> str:
        """Returns the full stop after a text, or empty if the text ends in an ellipsis."""
        return self.of("。", ".") if text and not text.endswith("…") else ""

    def column(self, e: tree.Expr) -> Column | None:
        """The column that the values of an expression are like."""
        if isinstance(e, tree.Aggregate) and e.fn not in ("count", "distinct") and isinstance(e.of, tree.Field):
            e = e.of
        return self.schema.column(e.ref) if isinstance(e, tree.Field) else None

    def dated(self, e: tree.Expr | None) -> bool:
        return isinstance(e, tree.Field) and self.schema.column(e.ref).kind == "date"

    def expression(self, e: tree.Expr) -> str:
        """Describes an expression in a few words: 平均月薪, average fare, trip date (month)."""
        if isinstance(e, tree.Field):
            return self.field(e)
        if isinstance(e, tree.Part):
            return self.field(e.of) + self.aside(self.of(_PARTS_ZH[e.part], e.part))
        if isinstance(e, tree.Aggregate):
            return self.aggregate(e)
        if isinstance(e, tree.Inner):
            text, of = self.inner(e.select), self.listed(e.alike)
            return self.of(f"同一{of}的{text}", f"{text} of the same {of}") if of else text
        left, right = self.expression(e.left), self.expression(e.right)
        left_name, right_name = left.removeprefix("the "), right.removeprefix("the ")
        if is_share(e) and isinstance(e.left, tree.Aggregate):
            condition, of = self.conditions(e.left.where), right if e.left.of is not None else ""
            return self.of(f"{condition}的{of}占比", f"share of {f'the {of}' if of else 'those'} where {condition}")
        if e.op == "-" and self.dated(e.left):
            return self.of(f"从{right}到{left}的天数", f"days from {right} to {left}")
        if e.op in ("*", "-"):
            return f"{left} × {right}" if e.op == "*" else self.of(f"{left}减{right}", f"{left} minus the {right_name}")
        if isinstance(e.right, tree.Aggregate) and e.right.fn == "distinct" and e.right.of is not None:
            of = self.expression(e.right.of)
            return self.of(f"每个{of}的{left}", f"{left} per {of}")
        return self.of(f"{left}与{right}之比", f"ratio of the {left_name} to the {right_name}")

    def field(self, e: tree.Field) -> str:
        if not self.schema.has(e.ref):
            return str(e.ref)
        label = self.schema.column(e.ref).label(self.language)
        if self.main in ("", e.ref.table) or sum(c.label(self.language) == label for c in self.schema.columns()) == 1:
            return label
        of = self.schema.table(e.ref.table).label(self.language)
        return self.of(f"{of}的{label}", f"{singular(of)} {label}")

    def aggregate(self, e: tree.Aggregate) -> str:
        if e.where:
            plain, where = self.aggregate(tree.Aggregate(e.fn, e.of)), self.conditions(e.where)
            return self.of(f"{where}的{plain}", f"{plain} where {where}")
        if e.fn == "count" or e.of is None:
            return self.of("数量", "number of rows")
        name = self.expression(e.of)
        if e.fn == "distinct":
            return self.of(f"不同{name}的数量", f"number of different {many(name)}")
        if e.fn == "sum" and name.startswith(("total", "总")):
            return name
        if e.fn == "sum" and isinstance(e.of, tree.Arithmetic):
            return self.of(f"{name} 之和", f"sum of {name}")
        dated = e.fn in _ENDS and self.dated(e.of)
        return self.of(*(_ENDS[e.fn] if dated else (_FN_ZH[e.fn], f"{_FN_EN[e.fn]} "))) + name

    def inner(self, s: tree.Select) -> str:
        """Describes the number of another query: the average fare, the docks of Harbour Square."""
        if s.measures == (tree.Aggregate("count"),):
            rows = self.noun(s.table)
            return self.of(f"{rows}数量", f"number of {rows}")
        if s.measures:
            of = s.measures[0]
            return self.of("", "the ") + self.expression(
                replace(of, where=s.where) if isinstance(of, tree.Aggregate) else of
            )
        row = s.where[0] if s.where else None
        title = str(row.values[0]) if isinstance(row, tree.Test) and row.values else "?"
        name = self.expression(s.show[0])
        return self.of(f"{title}的{name}", f"the {name} of {title}")

    def conditions(self, several: Sequence[tree.Condition]) -> str:
        """Describes all conditions in one line; "" if there are none."""
        return self.also.join(map(self.condition, several))

    def condition(self, c: tree.Condition) -> str:
        """A condition in words, as plainly as it can be said."""
        no, c = isinstance(c, tree.Not), c.of if isinstance(c, tree.Not) else c
        if isinstance(c, (tree.Test, tree.Related)):
            return self.test(c, no=no) if isinstance(c, tree.Test) else self.related(c, no=no)
        if isinstance(c, tree.Versus) and isinstance(c.right, tree.Inner) and c.op == "in":
            return self.among(c.left, c.right.select, no=no)
        if isinstance(c, (tree.AllOf, tree.AnyOf)):
            joint = self.of("且", " and ") if isinstance(c, tree.AllOf) else self.of("或", " or ")
            text = joint.join(map(self.condition, c.of))
        elif isinstance(c, tree.Versus):
            text = f"{self.expression(c.left)} {_SIGNS[c.op]} {self.expression(c.right)}"
        else:
            text = self.condition(c)
        return self.of(f"并非（{text}）", f"not ({text})") if no else text

    def among(self, of: tree.Expr, rows: tree.Select, *, no: bool) -> str:
        """Describes a condition on rows with the same value: no employees of the same city where remote: yes."""
        name, many, conditions = self.expression(of), self.noun(rows.table), self.conditions(rows.where[:-1])
        if len(rows.where) == 1:  # rows that a key points to
            text = self.of(f"{name}的", f"{name} where ") + self.conditions(rows.where)
            return self.of(f"并非（{text}）", f"not ({text})") if no else text
        zh, en = ("没有", "no") if no else ("有", "some")
        return self.of(f"同一{name}{zh}{conditions}的{many}", f"{en} {many} of the same {name} where {conditions}")

    def related(self, c: tree.Related, *, no: bool) -> str:
        name = self.schema.table(c.table).label(self.language)
        inside = Words(self.schema, self.language).conditions(c.where)
        inside = self.of(f"{inside}的", f" where {inside}") if inside else ""
        if c.many is not None:
            op, n = (_OPPOSITE if no else _SIGNS)[c.many[0]], c.many[1]
            return self.of(f"{inside}{name} {op} {n} {counter(name)}", f"with {op} {n} {self.noun(c.table, n)}{inside}")
        have = self.of("没有", "without") if no else self.of("有", "with")
        return self.of(f"{have}{inside}{name}", f"{have} {name}{inside}")

    def test(self, t: tree.Test, *, no: bool) -> str:
        name = self.expression(t.of)
        column = self.column(t.of) if isinstance(t.of, tree.Field) else None
        is_year = column is not None and column.is_year
        values = [self.value(v, t.of) for v in t.values]
        if column is not None and column.kind == "boolean" and t.op == "=":
            return name + self.of("：", ": ") + self.yes[bool(t.values[0]) != no]
        if t.op == "empty":
            return name + (self.of("已填写", " is there") if no else self.of("为空", " is missing"))
        if t.op in ("<", "<=", ">", ">="):
            return f"{name} {(_OPPOSITE if no else _SIGNS)[t.op]} {values[0]}"
        if t.op in ("between", "during"):
            low = str(t.values[0]) if is_year else number(t.values[0])
            range_text = f"{low}–{values[1]}" if t.op == "between" else stretch(t.values, self.language, years=is_year)
            return f"{self.of('不在 ', 'not ') if no else ''}{name} {range_text}"
        verb = self.of(*_VERBS[t.op][no])
        any_of = len(values) > 1 and t.op == "=" and not no
        zh = "、".join(values) + "之一" * any_of if t.op == "=" else "或".join(f"“{v}”" for v in values)
        zh = "或".join(values) if t.op == "has" else zh
        return self.of(f"{name}{verb}{zh}", f"{name} {verb} {' or '.join(values)}")

    def value(self, v: tree.Scalar, of: tree.Expr) -> str:
        """A value that an expression is compared with."""
        if isinstance(of, tree.Part):
            return part_value(v, of.part, self.language)
        column = self.column(of)
        if column is not None and isinstance(v, str):
            return spoken(v, column, self.language)
        return shown(v, column, self.language) if column is not None else number(v)

    def order(self, o: tree.Order) -> str:
        name, way = self.expression(o.of), self.of(*_WAYS[2 * self.dated(o.of) + o.descending])
        return self.of(f"按{name}{way}", f"{name}, {way} first")

    def piece(self, piece: tree.Piece) -> str:
        """Describes one part of a question, as the text of a chip."""
        kind: str = piece.kind
        value: Any = piece.value
        if kind in ("where", "having"):
            return self.condition(value)
        if kind == "table":
            return self.noun(value)
        if kind == "order":
            return self.order(value)
        if kind == "limit":
            n, place = value[0], value[1] + 1
            return self.of(f"第 {place} 个", f"number {place}") if place > 1 else self.of(f"前 {n} 个", f"first {n}")
        name = self.expression(value)
        texts = {
            "show": (f"显示{name}", f"show {name}"),
            "by": (f"按{name}分组", f"by {name}"),
            "each": (f"每个{name}", f"of each {name}"),
        }
        return self.of(*texts.get(kind, (name, name)))


def part_value(value: object, part: str, language: str) -> str:
    """A part of a day in words: weekdays and months have names."""
    if part == "weekday" and str(value).isdigit():
        day = _DAYS[language][int(str(value))]
        return f"星期{day}" if language == "zh" else day
    if part == "month of year" and str(value).isdigit():
        return f"{value} 月" if language == "zh" else calendar.month_name[int(str(value))]
    return "–" if value is None else str(value)


def group_value(value: object, e: tree.Expr, language: str) -> str:
    return part_value(value, e.part if isinstance(e, tree.Part) else "", language)


def stretch(values: Sequence[tree.Scalar], language: str, *, years: bool = False) -> str:
    """Days in words: 2023 年, from 2023-03-01 on."""
    first, after = (dt.date.fromisoformat(str(v)) if v is not None else None for v in values)
    last, zh = after - dt.timedelta(1) if after else None, language == "zh"
    a, b = (day.year if day and years else day for day in (first, last))
    if first and last:
        if first == last:
            return first.isoformat()
        if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31) and first.year == last.year:
            return f"{first.year} 年" if zh else str(first.year)
        return f"{a} 至 {b}" if zh else f"{a} to {b}"
    if first:
        return f"不早于 {a}" if zh else f"from {a} on"
    return f"不晚于 {b}" if zh else f"up to {b}"
