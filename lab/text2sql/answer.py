"""Answers in words: the question restated from the tree, then what came out."""

from __future__ import annotations

from collections.abc import Sequence

from lab.errors import LabError
from lab.text2sql.guard import Result
from lab.text2sql.schema import Column, Schema
from lab.text2sql.sql import Output, Query
from lab.text2sql.tree import Aggregate, Expr, Field, Piece, Select, Share
from lab.text2sql.wording import Words, group_value, is_share, noun, number, shown


def restated(select: Select, schema: Schema, language: str) -> str:
    """The question in words, from the tree: what a button of the lab's question back shows."""
    w, zh = Words(schema, language, main=select.table), language == "zh"
    name = noun(select.table, schema, language)
    where = w.conditions(select.where)
    of = (f"{where}的{name}" if zh else f"{name} where {where}") if where else name
    if select.by:
        by = ("、" if zh else " and ").join(w.expression(e) for e in select.by)
        what = ("、" if zh else ", ").join(w.expression(m) for m in select.measures)
        text = f"{of}，按{by}的{what}" if zh else f"{what} of {of}, by {by}"
        if select.having:
            text += ("，" if zh else "; ") + w.conditions(select.having)
    elif select.measures:
        what = ("、" if zh else ", ").join(w.expression(m) for m in select.measures)
        text = f"{of}的{what}" if zh else f"{what} of {of}"
    elif select.show:
        what = ("、" if zh else ", ").join(w.expression(e) for e in select.show)
        text = (
            (f"{of}里不同的{what}" if zh else f"different {what} of {of}")
            if select.distinct
            else (f"{of}的{what}" if zh else f"{what} of {of}")
        )
    else:
        text = of
    for o in select.order:
        text += ("，" if zh else "; ") + w.order(o)
    if select.limit is not None:
        text += ("，" if zh else "; ") + w.piece(Piece("limit", (select.limit, select.offset, select.ties)))
        if select.each:
            each = ("、" if zh else ", ").join(w.expression(e) for e in select.each)
            text += f"（每个{each}）" if zh else f" (of each {each})"
    return text


def sentence(select: Select, query: Query, result: Result, total: int | None, schema: Schema, language: str) -> str:
    """The answer to a question in one or two sentences: what was asked, from the tree, and what the rows say."""
    w, zh = Words(schema, language, main=select.table), language == "zh"
    where = w.conditions((*select.where, *select.having))
    if select.measures and not select.by:
        return _measured(select, result, where, w)
    if select.by:
        return _grouped(select, result, total, where, w)
    n = total if total is not None else len(result.rows)
    many = f"{number(n)}{'+' if total is None and result.more else ''}"
    rows = noun(select.table, schema, language, n)
    several = noun(select.table, schema, language, 2)
    if not result.rows:
        if zh:
            return f"没有符合条件的{rows}（{where}）。" if where else f"{rows}里没有数据。"
        return f"No {several} match ({where})." if where else f"There are no {several}."
    names = _titles(select, query, result, w)
    if select.distinct and select.show:
        what = ("、" if zh else " and ").join(w.expression(e) for e in select.show)
        tail = (f"（{where}）" if zh else f" ({where})") if where else ""
        return (
            f"不同的{what}共 {many} 个{tail}：{names}。" if zh else f"{many} different values of {what}{tail}: {names}."
        )
    if select.order and select.limit:
        return _top(select, result, where, names, w)
    ordered = "".join(("，" if zh else "; ") + w.order(o) for o in select.order)
    if zh:
        return f"共 {many} 个{rows}" + (f"符合：{where}" if where else "") + f"{ordered}。{names}" + _stop(names, "。")
    verb = "matches" if n == 1 else "match"
    return f"{many} {rows}" + (f" {verb}: {where}" if where else "") + f"{ordered}. {names}" + _stop(names, ".")


def _stop(names: str, mark: str) -> str:
    return mark if names and not names.endswith(("…", "……")) else ""


def _top(select: Select, result: Result, where: str, names: str, w: Words) -> str:
    zh, n = w.zh, len(result.rows)
    by = w.order(select.order[0])
    each = ("、" if zh else ", ").join(w.expression(e) for e in select.each)
    rows = noun(select.table, w.schema, w.language, n)
    tail = (f"（{where}）" if zh else f" ({where})") if where else ""
    if select.offset:
        head = (
            f"{by}，第 {select.offset + 1} 个{rows}"
            if zh
            else f"Number {select.offset + 1} of the {noun(select.table, w.schema, w.language)} by {by}"
        )
    elif each:
        head = (
            f"每个{each}里{by}的前 {select.limit} 个{rows}"
            if zh
            else f"The first {select.limit} of each {each} by {by}"
        )
    elif zh:
        head = f"{by}，前 {n} 个{rows}"
    else:
        head = f"The first {n} {rows} by {by}"
    return f"{head}{tail}：{names}。" if zh else f"{head}{tail}: {names}."


def _titles(select: Select, query: Query, result: Result, w: Words) -> str:
    """The names of the first rows, each with the value it was ordered by or asked for."""
    shown_exprs = [o.of for o in query.outputs]
    title = Field(w.schema.table(select.table).title.ref)
    at = shown_exprs.index(title) if title in shown_exprs else 0
    beside = next((shown_exprs.index(o.of) for o in select.order if o.of in shown_exprs), None)
    if beside is None and len(select.show) == 1 and select.show[0] in shown_exprs:
        beside = shown_exprs.index(select.show[0])
    parts = []
    for row in result.rows[:5]:
        text = shown(row[at], _column(shown_exprs[at], w), w.language)
        if beside is not None and beside != at:
            value = shown(row[beside], _column(shown_exprs[beside], w), w.language)
            text += f"（{value}）" if w.zh else f" ({value})"
        parts.append(text)
    more = len(result.rows) > 5
    return ("、" if w.zh else ", ").join(parts) + (("……" if w.zh else ", …") if more else "")


def _column(e: Expr, w: Words) -> Column | None:
    if isinstance(e, Aggregate) and e.fn not in ("count", "distinct") and isinstance(e.of, Field):
        return w.schema.column(e.of.ref)
    return w.schema.column(e.ref) if isinstance(e, Field) else None


def measured(value: object, e: Expr, w: Words) -> str:
    """The value of a measure in words."""
    if isinstance(e, Share) or is_share(e):
        return "–" if not isinstance(value, (int, float)) else f"{100 * value:.1f}%"
    return shown(value, _column(e, w), w.language)


def _measured(select: Select, result: Result, where: str, w: Words) -> str:
    zh, language = w.zh, w.language
    row = result.rows[0] if result.rows else (None,) * len(select.measures)
    parts = []
    for m, value in zip(select.measures, row, strict=False):
        if m == Aggregate("count"):
            n = int(str(value or 0))
            rows = noun(select.table, w.schema, language, n)
            parts.append(f"共有 {n:,} 个{rows}" if zh else f"{'There is' if n == 1 else 'There are'} {n:,} {rows}")
            continue
        name = w.expression(m)
        if value is None:
            parts.append(f"没有可用来计算{name}的数据" if zh else f"There is nothing to compute the {name} from")
        else:
            said = measured(value, m, w)
            parts.append(f"{name}是 {said}" if zh else f"The {name} is {said}")
    text = ("；" if zh else "; ").join(parts)
    if where:
        text += f"（{where}）" if zh else f" ({where})"
    return text + ("。" if zh else ".")


def _grouped(select: Select, result: Result, total: int | None, where: str, w: Words) -> str:
    zh, language = w.zh, w.language
    by = ("、" if zh else " and ").join(w.expression(e) for e in select.by)
    measures = ("、" if zh else ", ").join(_of_rows(m, select, w) for m in select.measures)
    tail = (f"（{where}）" if zh else f" ({where})") if where else ""
    n = total if total is not None else len(result.rows)
    if not result.rows:
        return f"没有符合条件的数据{tail}。" if zh else f"There is nothing to group{tail}."
    head = (
        f"按{by}的{measures}，共 {n} 组"
        if zh
        else f"{measures[:1].upper()}{measures[1:]} by {by}, {n} {'group' if n == 1 else 'groups'}"
    )
    if select.order and select.limit:
        way = w.order(select.order[0])
        head = (
            f"按{by}的{measures}，{way}，前 {len(result.rows)} 个"
            if zh
            else f"{measures[:1].upper()}{measures[1:]} by {by}; {way}; first {len(result.rows)}"
        )
    k = len(select.by)
    shown_ = []
    for row in result.rows[:5]:
        label = " / ".join(group_value(v, e, language) for v, e in zip(row[:k], select.by, strict=True))
        shown_.append(f"{label} {measured(row[k], select.measures[0], w)}")
    more = len(result.rows) > 5
    text = ("、" if zh else ", ").join(shown_) + (("……" if zh else ", …") if more else "")
    return f"{head}{tail}：{text}" + _stop(text, "。") if zh else f"{head}{tail}: {text}" + _stop(text, ".")


def _of_rows(m: Expr, select: Select, w: Words) -> str:
    if m == Aggregate("count"):
        name = noun(select.table, w.schema, w.language)
        return f"{name}数量" if w.zh else f"number of {name}"
    return w.expression(m)


def output_name(output: Output, schema: Schema, language: str) -> str:
    """The heading of a result's column."""
    return Words(schema, language).expression(output.of)


def not_understood(words: Sequence[str], language: str) -> str:
    """What is said where words were not understood: there are no rows then."""
    said = " · ".join(words)
    if language == "zh":
        return f"没有查询。换个说法，或者去掉它再问。没听懂的是：{said}" if said else "没听懂这句话。"
    if not said:
        return "I did not understand that."
    return f"Nothing was looked up. Say it in other words, or leave it out. Not understood: {said}"


def asking(choices: Sequence[Select], schema: Schema, language: str) -> str:
    """The question that is asked back."""
    said = [restated(c, schema, language) for c in choices]
    if language == "zh":
        return "您问的是：" + "；还是：".join(said) + "？"
    return "Do you mean: " + "; or: ".join(said) + "?"


def still_open(question: str, offered: Sequence[Select], schema: Schema, *, zh: bool) -> str:
    """What is said to a sentence that goes on from a question without an answer."""
    if zh:
        which = asking(offered, schema, "zh") if offered else "请先换个说法再问一遍。"
        return f"还有一个问题没有答案，这句话不知道该接在哪里。{which}没有答案的是：{question}"
    which = asking(offered, schema, "en") if offered else "Ask it again first."
    return f"A question is still open, so it is not clear what this goes on from. {which} Still open: {question}"


def trouble(error: LabError, language: str) -> str:
    """An error as an answer; the interface may translate the error itself."""
    return f"查询没有完成：{error.message}" if language == "zh" else f"{error.message} {error.remedy}".strip()
