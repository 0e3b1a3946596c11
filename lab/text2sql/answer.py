"""Slots and results in words: chips, conditions and the answer sentence, in Chinese and in English.

The Chinese is not a translation of the English, nor the reverse.
"""

from __future__ import annotations

import datetime as dt

from lab.errors import LabError
from lab.text2sql.build import Output, Query
from lab.text2sql.guard import Result
from lab.text2sql.hints import plural, singular
from lab.text2sql.reading import Ask
from lab.text2sql.schema import Column, Schema
from lab.text2sql.slots import Filter, Group, Having, Measure, Ref, Scalar, Shown, Slot, Slots, Sort

_SIGNS = {"<": "<", "<=": "≤", ">": ">", ">=": "≥"}
_FN = {
    "zh": {"count": "数量", "avg": "平均", "sum": "总", "min": "最低", "max": "最高"},
    "en": {"count": "number of", "avg": "average", "sum": "total", "min": "lowest", "max": "highest"},
}
_PART = {
    "zh": {"year": "年", "quarter": "季度", "month": "月", "day": "日", "weekday": "星期"},
    "en": {"year": "year", "quarter": "quarter", "month": "month", "day": "day", "weekday": "weekday"},
}


def number(value: object) -> str:
    """A number as people read it: 23,423.08; whole numbers without a point."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "–" if value is None else str(value)
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.2f}"


def _with_unit(text: str, column: Column, language: str) -> str:
    unit = column.hint.unit
    if not unit:
        return text
    if unit in ("$", "¥", "€", "£"):
        return unit + text
    english = {
        "元": "yuan",
        "年": "years",
        "岁": "years",
        "件": "",
        "分": "",
        "天": "days",
        "个月": "months",
        "小时": "hours",
    }
    if language == "en":
        shown = english.get(unit, unit)
        if text == "1" and shown.endswith("s"):
            shown = shown[:-1]
        return f"{text} {shown}".strip()
    return text + (" " if unit[0].isascii() else " ") + unit


def _values(f: Filter, column: Column, language: str) -> str:
    def one(v: Scalar) -> str:
        if column.kind == "number":
            plain = f"{v:g}" if (column.is_year or "key" in column.tags) and isinstance(v, (int, float)) else number(v)
            return _with_unit(plain, column, language)
        return spoken(str(v), column, language)

    joint = "、" if language == "zh" else ", "
    return joint.join(map(one, f.values))


def spoken(value: str, column: Column, language: str) -> str:
    """A stored value as that language calls it: 远程 is "remote" in English, Berlin is 柏林 in Chinese."""
    if value.isascii() == (language == "en"):
        return value
    return next((n for n in column.hint.values.get(value, ()) if n.isascii() == (language == "en")), value)


def describe(slot: Slot, schema: Schema, language: str) -> str:
    """One slot in a few words: what a chip shows."""
    zh = language == "zh"
    if isinstance(slot, Filter):
        return _describe_filter(slot, schema, language)
    if isinstance(slot, Shown):
        name = _name(slot.column, schema, language)
        return f"显示{name}" if zh else f"show {name}"
    if isinstance(slot, Measure):
        return measure_name(slot, schema, language)
    if isinstance(slot, Group):
        name = group_name(slot, schema, language)
        return f"按{name}分组" if zh else f"by {name}"
    if isinstance(slot, Having):
        name = measure_name(slot.measure, schema, language)
        if slot.op == "between":
            return f"{name} {number(slot.values[0])}–{number(slot.values[1])}"
        return f"{name} {_SIGNS.get(slot.op, slot.op)} {number(slot.values[0])}"
    if isinstance(slot, Sort):
        name = (
            measure_name(slot.by, schema, language)
            if isinstance(slot.by, Measure)
            else _name(slot.by, schema, language)
        )
        if zh:
            return f"按{name}{'从高到低' if slot.descending else '从低到高'}"
        return f"{name}, {'highest' if slot.descending else 'lowest'} first"
    return f"前 {slot.n} 个" if zh else f"first {slot.n}"


def _name(ref: Ref, schema: Schema, language: str) -> str:
    return schema.column(ref).label(language) if schema.has(ref) else str(ref)


def measure_name(m: Measure, schema: Schema, language: str) -> str:
    """A measure in words: 平均期望薪资, average expected salary; a count of rows is 数量, number of rows."""
    zh = language == "zh"
    if m.column is None:
        return "数量" if zh else "number of rows"
    name = _name(m.column, schema, language)
    if m.fn == "count":
        return f"不同{name}的数量" if zh else f"number of different {_many(name)}"
    date = schema.column(m.column).kind == "date"
    if date and m.fn in ("min", "max"):
        return (
            (f"最早的{name}" if m.fn == "min" else f"最晚的{name}")
            if zh
            else f"{'earliest' if m.fn == 'min' else 'latest'} {name}"
        )
    return f"{_FN[language][m.fn]}{'' if zh else ' '}{name}"


def group_name(g: Group, schema: Schema, language: str) -> str:
    """A group in words: 城市, 下单日期（月）, order date (month)."""
    name = _name(g.column, schema, language)
    if not g.part:
        return name
    return f"{name}（{_PART['zh'][g.part]}）" if language == "zh" else f"{name} ({g.part})"


def output_name(output: Output, schema: Schema, language: str) -> str:
    """The heading of a result's column."""
    if output.fn:
        return measure_name(Measure(output.fn, output.ref), schema, language)
    if output.ref is None:
        return output.name
    if output.part:
        return group_name(Group(output.ref, output.part), schema, language)
    return _name(output.ref, schema, language)


def _describe_filter(f: Filter, schema: Schema, language: str) -> str:
    zh = language == "zh"
    if f.op == "linked":
        table = schema.table(f.column.table).label(language)
        return (
            (f"没有{table}" if f.negated else f"有{table}")
            if zh
            else (f"without {table}" if f.negated else f"with {table}")
        )
    column = schema.column(f.column)
    name, values = column.label(language), _values(f, column, language)
    if column.kind == "boolean":
        yes = bool(f.values[0]) != f.negated
        return f"{name}：{'是' if yes else '否'}" if zh else f"{name}: {'yes' if yes else 'no'}"
    if f.op == "empty":
        return (
            (f"{name}已填写" if f.negated else f"{name}为空")
            if zh
            else (f"{name} is there" if f.negated else f"{name} is missing")
        )
    if f.op in _SIGNS:
        return f"{'非 ' if f.negated and zh else 'not ' if f.negated else ''}{name} {_SIGNS[f.op]} {values}"
    if f.op == "between":
        low, high = f.values
        text = f"{name} {number(low)}–{_with_unit(number(high), column, language)}"
        return (("不在 " if zh else "not ") + text) if f.negated else text
    if f.op == "during":
        return (
            "不在 " if f.negated and zh else "not " if f.negated else ""
        ) + f"{name} {_stretch(f.values, language, years=column.is_year)}"
    verbs = {
        "=": ("不是" if f.negated else "是", "is not" if f.negated else "is"),
        "has": ("不含" if f.negated else "含", "without" if f.negated else "with"),
        "contains": ("不包含" if f.negated else "包含", "does not contain" if f.negated else "contains"),
        "starts": ("不以…开头" if f.negated else "开头是", "does not start with" if f.negated else "starts with"),
        "ends": ("不以…结尾" if f.negated else "结尾是", "does not end with" if f.negated else "ends with"),
    }[f.op]
    several = len(f.values) > 1
    if zh:
        joint = values.replace("、", "或") if several and f.op != "=" else values
        return f"{name}{verbs[0]}{joint}" + ("之一" if several and f.op == "=" and not f.negated else "")
    text = values.replace(", ", " or ") if several else values
    return f"{name} {verbs[1]} {text}"


def _stretch(values: tuple[Scalar, ...], language: str, *, years: bool = False) -> str:
    first, after = (dt.date.fromisoformat(str(v)) if v is not None else None for v in values)
    last = after - dt.timedelta(1) if after else None
    zh = language == "zh"
    if first and last:
        if first == last:
            return first.isoformat()
        if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31) and first.year == last.year:
            return f"{first.year} 年" if zh else str(first.year)
        return f"{first} 至 {last}" if zh else f"{first} to {last}"
    if first:
        return f"从 {first.year if years else first} 起" if zh else f"from {first.year if years else first} on"
    return (
        f"到 {last.year if years and last else last} 为止" if zh else f"up to {last.year if years and last else last}"
    )


def _many(noun: str) -> str:
    """A noun in the plural, whichever number it came in."""
    first, _, last = noun.rpartition(" ")
    return f"{first} {plural(singular(last))}".strip()


def _noun(table: str, schema: Schema, language: str, n: int | None) -> str:
    name = schema.table(table).label(language)
    if language == "zh" or not name.isascii():
        return name
    first, _, last = name.rpartition(" ")
    return f"{first} {singular(last)}".strip() if n == 1 else _many(name)


# --------------------------------------------------------------------------------------------- sentences


def conditions(slots: Slots, schema: Schema, language: str) -> str:
    """All conditions in one line; "" where there are none."""
    several: list[Slot] = [*slots.filters, *slots.having]
    said = [describe(s, schema, language) for s in several]
    return ("，" if language == "zh" else "; ").join(said)


def sentence(slots: Slots, query: Query, result: Result, total: int | None, schema: Schema, language: str) -> str:
    """The answer to a question in one or two sentences, made from the rows."""
    zh = language == "zh"
    where = conditions(slots, schema, language)
    table = slots.table or ""
    if slots.measures and not slots.groups:
        return _measured(slots, query, result, where, schema, language)
    if slots.groups:
        return _grouped(slots, query, result, total, where, schema, language)
    n = total if total is not None else len(result.rows)
    noun = _noun(table, schema, language, n)
    if not result.rows:
        if zh:
            return f"没有符合条件的{noun}（{where}）。" if where else f"{noun}里没有数据。"
        return (
            f"No {_noun(table, schema, language, 2)} match ({where})."
            if where
            else f"There are no {_noun(table, schema, language, 2)}."
        )
    names = _titles(slots, query, result, schema, language)
    many = f"{number(n)}{'+' if total is None and result.more else ''}"
    if slots.sorts and slots.limit:
        by = describe(slots.sorts[0], schema, language)
        if zh:
            return f"{by}，前 {len(result.rows)} 个{noun}：{names}" + (f"（{where}）。" if where else "。")
        return f"The first {len(result.rows)} {_noun(table, schema, language, len(result.rows))} by {by}: {names}" + (
            f" ({where})." if where else "."
        )
    if zh:
        return (
            f"共 {many} 个{noun}"
            + (f"符合：{where}" if where else "")
            + f"。{names}"
            + ("。" if names and not names.endswith("……") else "")
        )
    verb = "matches" if n == 1 else "match"
    return (
        f"{many} {noun}"
        + (f" {verb}: {where}" if where else "")
        + f". {names}"
        + ("." if names and not names.endswith("…") else "")
    )


def _titles(slots: Slots, query: Query, result: Result, schema: Schema, language: str) -> str:
    """The names of the first rows, each with the value it was ordered by or asked for."""
    zh = language == "zh"
    refs = [o.ref for o in query.outputs]
    title = schema.table(slots.table or "").title.ref
    at = refs.index(title) if title in refs else 0
    beside: int | None = None
    if slots.sorts and isinstance(slots.sorts[0].by, Ref) and slots.sorts[0].by in refs:
        beside = refs.index(slots.sorts[0].by)
    elif len(slots.show) == 1 and slots.show[0].column in refs:
        beside = refs.index(slots.show[0].column)
    parts = []
    for row in result.rows[:5]:
        text = str(row[at])
        if beside is not None and beside != at:
            ref = refs[beside]
            column = schema.column(ref) if ref else None
            value = _shown(row[beside], column, language)
            text += f"（{value}）" if zh else f" ({value})"
        parts.append(text)
    more = len(result.rows) > 5
    return ("、" if zh else ", ").join(parts) + (("……" if zh else ", …") if more else "")


def _shown(value: object, column: Column | None, language: str) -> str:
    if column is not None and column.kind == "boolean":
        yes = value == column.truth[0]
        return ("是" if yes else "否") if language == "zh" else ("yes" if yes else "no")
    if column is not None and column.kind == "number" and isinstance(value, (int, float)):
        plain = f"{value:g}" if column.is_year or "key" in column.tags else number(value)
        return _with_unit(plain, column, language)
    return number(value) if isinstance(value, float) else "–" if value is None else str(value)


def _measured(slots: Slots, query: Query, result: Result, where: str, schema: Schema, language: str) -> str:
    zh = language == "zh"
    row = result.rows[0] if result.rows else (None,) * len(slots.measures)
    parts = []
    for m, value in zip(slots.measures, row, strict=False):
        if m.fn == "count" and m.column is None:
            n = int(str(value or 0))
            noun = _noun(slots.table or "", schema, language, n)
            parts.append(f"共有 {n:,} 个{noun}" if zh else f"{'There is' if n == 1 else 'There are'} {n:,} {noun}")
            continue
        name = measure_name(m, schema, language)
        column = schema.column(m.column) if m.column and m.fn != "count" else None
        if value is None:
            parts.append(f"没有可用来计算{name}的数据" if zh else f"There is nothing to compute the {name} from")
        else:
            parts.append(
                f"{name}是 {_shown(value, column, language)}"
                if zh
                else f"The {name} is {_shown(value, column, language)}"
            )
    text = ("；" if zh else "; ").join(parts)
    if where:
        text += f"（{where}）" if zh else f" ({where})"
    return text + ("。" if zh else ".")


def _grouped(
    slots: Slots, query: Query, result: Result, total: int | None, where: str, schema: Schema, language: str
) -> str:
    zh = language == "zh"
    by = ("、" if zh else " and ").join(group_name(g, schema, language) for g in slots.groups)
    k = len(slots.groups)
    if not slots.measures:
        names = [group_value(r[0], slots.groups[0], language) for r in result.rows[:12]]
        head = (
            f"{by}共有 {total if total is not None else len(result.rows)} 种："
            if zh
            else f"{total if total is not None else len(result.rows)} different values of {by}: "
        )
        end = f"（{where}）。" if where and zh else "。" if zh else f" ({where})." if where else "."
        return head + ("、" if zh else ", ").join(names) + ("……" if len(result.rows) > 12 else "") + end
    measure = slots.measures[0]
    column = schema.column(measure.column) if measure.column and measure.fn != "count" else None
    names = [
        (" / " if k > 1 else "").join(group_value(v, g, language) for v, g in zip(r[:k], slots.groups, strict=False))
        for r in result.rows
    ]
    listed = [f"{n} {_shown(r[k], column, language)}" for n, r in zip(names[:5], result.rows, strict=False)]
    if not result.rows:
        return (
            (f"没有符合条件的数据（{where}）。" if where else "没有数据。")
            if zh
            else (f"Nothing matches ({where})." if where else "There is nothing to group.")
        )
    if measure.column is None:
        noun = _noun(slots.table or "", schema, language, 2)
        name = f"{noun}数量" if zh else f"number of {noun}"
    else:
        name = measure_name(measure, schema, language)
    more = len(result.rows) > 5 or result.more
    text = ("、" if zh else ", ").join(listed) + (("……" if zh else ", …") if more else "")
    n = total if total is not None else len(result.rows)
    head = f"按{by}看{name}" if zh else f"{name[0].upper()}{name[1:]} by {by}"
    if slots.limit is None:
        head += f"，共 {n} 组" if zh else f", {n} {'group' if n == 1 else 'groups'}"
    end = "。" if zh else "."
    return (
        head
        + ("：" if zh else ": ")
        + text
        + (f"（{where}）" if where and zh else f" ({where})" if where else "")
        + end
    )


def group_value(value: object, group: Group, language: str) -> str:
    """A group's value in words: weekdays have names."""
    if group.part == "weekday" and str(value).isdigit():
        zh, en = "日一二三四五六", ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
        return f"星期{zh[int(str(value))]}" if language == "zh" else en[int(str(value))]
    return "–" if value is None else str(value)


def not_understood(words: tuple[str, ...], language: str, *, nothing: bool) -> str:
    """What is said about words that nobody understood."""
    if language == "zh":
        said = "、".join(f"“{w}”" for w in words)
        return (
            f"没有理解{said}。"
            if nothing and words
            else "没有理解这句话。"
            if nothing
            else f"没有理解{said}，它们没有用来筛选。"
        )
    said = ", ".join(f"“{w}”" for w in words)
    if nothing:
        return f"I did not understand {said}." if words else "I did not understand that."
    return f"I did not understand {said}; {'it was' if len(words) == 1 else 'they were'} left out."


def asking(asks: tuple[Ask, ...], schema: Schema, language: str) -> str:
    """The question that is asked back."""
    parts = []
    for a in asks:
        choices = [describe(c, schema, language) for c in a.choices]
        tables = [c.column.table if isinstance(c, (Filter, Group)) else "" for c in a.choices]
        if len(set(choices)) < len(choices) or len(set(tables)) > 1:
            choices = [
                f"{schema.table(t).label(language)} {c}" if t else c for t, c in zip(tables, choices, strict=True)
            ]
        parts.append(
            f"“{a.words}”指的是：{'，还是'.join(choices)}？"
            if language == "zh"
            else f"“{a.words}”: do you mean {', or '.join(choices)}?"
        )
    return " ".join(parts)


def trouble(error: LabError, language: str) -> str:
    """An error as an answer; the interface may translate the error itself."""
    return f"查询没有完成：{error.message}" if language == "zh" else f"{error.message} {error.remedy}".strip()


__all__ = [
    "asking",
    "conditions",
    "describe",
    "group_name",
    "group_value",
    "measure_name",
    "not_understood",
    "number",
    "output_name",
    "sentence",
    "trouble",
]
