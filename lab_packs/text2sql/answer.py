"""Answers in words: the question restated from the tree, then what came out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import repeat

from lab.errors import LabError
from lab_packs.text2sql.guard import LOOK_UP, Result
from lab_packs.text2sql.lexicon import word_lists, words_in
from lab_packs.text2sql.schema import Column, Schema
from lab_packs.text2sql.sql import Output, Query
from lab_packs.text2sql.tree import Aggregate, Arithmetic, Expr, Field, Select, pieces
from lab_packs.text2sql.wording import Words, counter, group_value, is_share, number, shown

_FIRST = 5
"""Rows that are named in an answer."""
_TABLES, _COLUMNS = 6, 16
"""Tables, and columns of each, that are named where it is asked what there is."""


def restated(select: Select, schema: Schema, language: str) -> str:
    """Returns the question in words, from the tree, as the label of a button for a clarification."""
    w = Words(schema, language, main=select.table)
    text, where, each = w.noun(select.table), w.conditions(select.where), w.listed(select.each)
    if where:
        joint = "" if where.startswith(("with ", "without ")) else "where "
        text = w.of(f"{where}的{text}", f"{text} {joint}{where}")
    if select.by:
        by, listed = w.listed(select.by, " and "), w.listed(select.measures)
        text = w.of(f"{text}，按{by}{'的' * bool(listed)}{listed}", f"{listed}{' of ' * bool(listed)}{text}, by {by}")
    elif select.measures or select.show:
        listed = w.listed(select.measures or select.show)
        different = w.of("里不同的", "different ") if select.distinct else w.of("的", "")
        text = w.of(f"{text}{different}{listed}", f"{different}{listed} of {text}")
    text = w.also.join([text, *(w.piece(p) for p in pieces(select) if p.kind in ("having", "order", "limit"))])
    return text + w.aside(w.of(f"每个{each}", f"of each {each}") if each and select.limit is not None else "")


_WHETHER = re.compile(
    r"(is|are|was|were|has|have|had|do|does|did)\b(?!.*\b(all|every|each|only|what|which|who|how|list|show)\b)|有没有|有无|是不是|吗\W*$"
)
_NO_WHETHER = re.compile("[哪几都只多谁能]|什么|全部|所有|可以|可否|给我|列")


def whether(question: str, select: Select, result: Result, language: str) -> str:
    """Returns the answer to a yes-or-no question: "Yes. ", "否。"; "" for any other question."""
    lowered = question.strip().lower()
    is_whether = (
        _WHETHER.match(lowered) if language == "en" else _WHETHER.search(lowered) and not _NO_WHETHER.search(lowered)
    )
    if not is_whether or not select.plain or not select.where or select.limit is not None:
        return ""
    yes = bool(result.rows)
    return ("是。" if yes else "否。") if language == "zh" else ("Yes. " if yes else "No. ")


def sentence(select: Select, query: Query, result: Result, total: int | None, schema: Schema, language: str) -> str:
    """Returns the answer in one or two sentences: the question, from the tree, and the result."""
    w = Words(schema, language, main=select.table)
    where = w.conditions((*select.where, *select.having))
    n = total if total is not None else len(result.rows)
    if select.by:
        return _grouped(select, result, n, where, w)
    if select.measures:
        return _measured(select, result, where, w)
    many = f"{number(n)}{'+' if total is None and result.more else ''}"
    rows, several = w.noun(select.table, n), w.noun(select.table)
    different = select.distinct and select.show
    if not result.rows and where:
        name, match = (w.listed(select.show, " or "), "matches") if different else (several, "match")
        return w.of(f"没有符合条件的{name}（{where}）。", f"No {name} {match} ({where}).")
    if not result.rows:
        return w.of(f"{rows}里没有数据。", f"There are no {several}.")
    names = _titles(select, query, result, w)
    if different:
        columns, tail = w.listed(select.show, " and "), w.aside(where)
        return w.of(
            f"不同的{columns}共 {many} 个{tail}：{names}。", f"{many} different values of {columns}{tail}: {names}."
        )
    if select.order and select.limit:
        return _top(select, len(result.rows), w) + w.aside(where) + w.of(f"：{names}。", f": {names}.")
    match = (w.of("符合：", " matches: " if n == 1 else " match: ") + where) if where else ""
    head = w.of("共 ", "") + w.rows(select.table, n, many) + match + "".join(w.also + w.order(o) for o in select.order)
    return head + w.of("。", ". ") + names + w.stop(names)


def _top(select: Select, n: int, w: Words) -> str:
    """What the first of the rows are."""
    by, each = _orders(select, w), w.listed(select.each)
    rows, several = w.noun(select.table, n), w.noun(select.table)
    if select.offset:
        place = select.offset + 1
        return w.of(f"{by}，第 {place} {counter(rows)}{rows}", f"Number {place} of the {several} by {by}")
    if each:
        first = select.limit
        return w.of(f"每个{each}里{by}的前 {first} {counter(rows)}{rows}", f"The first {first} of each {each} by {by}")
    return w.of(f"{by}，前 {n} {counter(rows)}{rows}", f"The first {n} {rows} by {by}")


def _orders(select: Select, w: Words) -> str:
    return w.of("，", "; ").join(dict.fromkeys(map(w.order, select.order)))


def _titles(select: Select, query: Query, result: Result, w: Words) -> str:
    """Returns the names of the first rows, each with the value that it is ordered by, or the requested one."""
    exprs = [o.of for o in query.outputs]
    names = [Field(c.ref) for c in w.schema.table(select.table).names]
    places = [exprs.index(n) for n in names if n in exprs] or [0]
    at = places[0]
    shown_exprs = [*(o.of for o in select.order), *(select.show if len(select.show) == 1 else ())]
    beside_place = next((exprs.index(e) for e in shown_exprs if e in exprs), at)
    parts = []
    for row in result.rows[:_FIRST]:
        filled = [i for i, value in enumerate(row) if value is not None]
        at_hand = places if {*places} & {*filled} else filled[:1]  # a row without a name is called by its key
        name = " ".join(_value_text(row[i], exprs[i], w) for i in at_hand) or "–"
        parts.append(
            name
            + (w.aside(_value_text(row[beside_place], exprs[beside_place], w)) if beside_place not in places else "")
        )
    return w.several(parts, len(result.rows) > _FIRST)


def _value_text(value: object, e: Expr, w: Words) -> str:
    """Returns a value of an expression in words; a difference has the unit of its minuend."""
    if is_share(e):
        return "–" if not isinstance(value, (int, float)) else f"{100 * value:.1f}%"
    while isinstance(e, Arithmetic) and e.op == "-":
        e = e.left
    return shown(value, w.column(e), w.language)


def _measured(select: Select, result: Result, where: str, w: Words) -> str:
    parts = []
    for m, value in zip(select.measures, result.rows[0] if result.rows else repeat(None), strict=False):
        name = w.expression(m)
        if m == Aggregate("count"):
            n = int(str(value or 0))
            rows = w.rows(select.table, n)
            parts.append(w.of(f"共有 {rows}", f"{'There is' if n == 1 else 'There are'} {rows}"))
        elif value is None:
            parts.append(w.of(f"没有可用来计算{name}的数据", f"There is nothing to compute the {name} from"))
        else:
            value_text = _value_text(value, m, w)
            parts.append(w.of(f"{name}是 {value_text}", f"The {name} is {value_text}"))
    return w.of("；", "; ").join(parts) + w.aside(where) + w.of("。", ".")


def _grouped(select: Select, result: Result, n: int, where: str, w: Words) -> str:
    by, tail, rows = w.listed(select.by, " and "), w.aside(where), w.noun(select.table)
    if not result.rows:
        return w.of(f"没有符合条件的数据{tail}。", f"There is nothing to group{tail}.")
    count = w.of(f"{rows}数量", f"number of {rows}")
    measures = w.of("、", ", ").join(count if m == Aggregate("count") else w.expression(m) for m in select.measures)
    if select.order and select.limit:
        n, way = len(result.rows), _orders(select, w)
        order_text = w.of(f"，{way}，前 {n} 个", f"; {way}; first {n}")
    else:
        order_text = w.of(f"，共 {n} 组", f", {n} {'group' if n == 1 else 'groups'}")
    head = w.of(f"按{by}的{measures}", f"{measures[:1].upper()}{measures[1:]} by {by}")
    head = head if measures else w.of(f"按{by}", f"By {by}")  # without a measure, removed by hand: the groups alone
    k, parts = len(select.by), []
    for row in result.rows[:_FIRST]:
        label = " / ".join(group_value(v, e, w.language) for v, e in zip(row[:k], select.by, strict=True))
        parts.append(f"{label} {_value_text(row[k], select.measures[0], w)}" if measures else label)
    text = w.several(parts, len(result.rows) > _FIRST)
    return head + order_text + tail + w.of("：", ": ") + text + w.stop(text)


def ties(n: int, language: str) -> str:
    """Returns the sentence for rows beyond the limit that are equal to the last one."""
    if language == "zh":
        return f"另有 {n} 行与最后一行并列，没有列出。"
    return f" {n} more {'row is' if n == 1 else 'rows are'} equal to the last one and not listed."


def read_days(columns: Sequence[Column], language: str) -> str:
    """Returns sentences on how ambiguous dates are read."""
    sentences = []
    for c in columns:
        us, name = c.style in ("us", "loose us"), c.label(language)
        if language == "zh":
            sentences.append(f"“{name}”按{'月/日' if us else '日/月'}来读。")
        else:
            sentences.append(f" “{name}” is read as {'month/day' if us else 'day/month'}.")
    return "".join(sentences)


def output_name(output: Output, schema: Schema, language: str) -> str:
    """The heading of a result's column."""
    return Words(schema, language).expression(output.of)


def not_understood(words: Sequence[str], language: str, late: Sequence[str] = ()) -> str:
    """Returns the answer for unknown words; ``late`` are columns whose search ran out of time."""
    unknown, zh = " · ".join(words), language == "zh"
    if late and unknown:
        where = ", ".join(f"“{column}”" for column in late)
        if zh:
            return f"没有查完：在 {where} 里找“{unknown}”超过了 {LOOK_UP:g} 秒。再问一次，或者去掉它再问。"
        return f"Searching {where} for “{unknown}” takes longer than {LOOK_UP:g} s. Ask once more, or leave it out."
    if not unknown:
        return "没看懂这句话。" if zh else "I did not understand that."
    if zh:
        return f"没看懂：{unknown}。换个说法，或者去掉它再问"
    return f"Nothing was looked up. Say it in other words, or leave it out. Not understood: {unknown}"


def asks_overview(question: str) -> bool:
    plain_question = " ".join(question.lower().replace("’", "'").split()).strip("?？。.!！ ")
    return any(plain_question in words_in(phrases) for phrases in word_lists()["overview"].values())


def overview(schema: Schema, language: str) -> str:
    """Returns an overview of the data: the tables with their rows and the names of their columns."""
    w, parts = Words(schema, language), []
    for table in schema.tables[:_TABLES]:
        names, more = [c.label(language) for c in table.columns], len(table.columns) - _COLUMNS
        several = w.of("、", ", ").join(names[:_COLUMNS])
        several += w.of(f"……（还有 {more} 列）", f" … and {more} more") if more > 0 else ""
        rows = w.of(f"{table.rows:,} 行", f"{table.rows:,} row{'s' * (table.rows != 1)}")
        parts.append(table.label(language) + w.aside(rows) + w.of("：", ": ") + several)
    if more := len(schema.tables) - len(parts):
        parts.append(w.of(f"还有 {more} 张表", f"and {more} more tables"))
    return w.of("可以问这些：", "You can ask about ") + w.of("；", "; ").join(parts) + w.of("。", ".")


def asking(choices: Sequence[Select], schema: Schema, language: str) -> str:
    options = [restated(c, schema, language) for c in choices]
    if language == "zh":
        return "你问的是：" + "；还是：".join(options) + "？"
    return "Do you mean: " + "; or: ".join(options) + "?"


def read_as(select: Select, schema: Schema, language: str) -> str:
    """Returns the sentence that says how a question was read, where it is over several tables."""
    text = restated(select, schema, language)
    return f"理解为：{text}。" if language == "zh" else f"Read as: {text}. "


def read_as_rows(word: str, language: str) -> str:
    """Returns the sentence for a word that is taken for the rows of the only table."""
    return f"“{word}”按这张表的行理解。" if language == "zh" else f"“{word}” is read as the rows of this table. "


def understood_only(select: Select, schema: Schema, language: str) -> str:
    """Returns what the understood words of a question ask for, beside those that were not understood."""
    text = restated(select, schema, language)
    return f"。看懂的部分：{text}。" if language == "zh" else f". The rest was understood as: {text}."


def resumed(stands: Select, schema: Schema, language: str) -> str:
    """Returns the sentence that says what a turn goes on from, where the turn before it had no answer."""
    text = restated(stands, schema, language)
    return f"上一句没查成，这句接着“{text}”。" if language == "zh" else f"Continued from “{text}”. "


def trouble(error: LabError, language: str) -> str:
    """An error as an answer; the interface may translate the error itself."""
    return f"查询没有完成：{error.message}" if language == "zh" else f"{error.message} {error.remedy}".strip()
