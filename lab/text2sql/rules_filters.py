"""Which rows: quantities, days, what is there and what is not; values are read in `rules_values`."""

from __future__ import annotations

from collections.abc import Sequence

from lab.text2sql.hints import words_of
from lab.text2sql.numbers import unit_kind
from lab.text2sql.reading import Ask, Board, Period, Quantity
from lab.text2sql.rules_common import (
    columns_about,
)
from lab.text2sql.rules_values import negation_of, plain, read_texts, read_values
from lab.text2sql.schema import Column
from lab.text2sql.slots import Filter, Group, Ref, Scalar, Shown

_BOOKKEEPING = {"crtd", "created", "updated", "modified", "inserted", "创建时间", "更新时间"}
_UNIT_ABOUT = {"money": ("money",), "years": ("years", "experience"), "age": ("age",)}


def read_filters(board: Board) -> None:
    """All conditions, the surest first: what is written in quotes, values, numbers, days, then bare columns."""
    read_texts(board)
    read_values(board)
    _quantities(board)
    _periods(board)
    _presence(board)
    _linked(board)


def _quantities(board: Board) -> None:
    taken: set[int] = set()
    for i, q in sorted(board.quantities.items()):
        _quantity(board, i, q, taken)


def _quantity(board: Board, i: int, q: Quantity, taken: set[int]) -> None:
    items = board.items
    first, last = _extent(board, i)
    about = unit_kind(q.unit)
    beside = _column_beside(board, first, last, q, about, taken)
    why = ""
    columns: list[Column]
    if beside is not None:
        at, columns = beside
        if len(columns) == 1:
            taken.add(at)
            items[at].used = True
    elif q.about:
        columns = columns_about(board, q.about, "number")
    elif about in (
        "money",
        "years",
        "age",
        "points",
        "percent",
        "hours",
        "days",
        "months",
        "weight",
        "weight g",
        "km",
        "metre",
        "minutes",
        "mile",
    ):
        columns = [c for t in _UNIT_ABOUT.get(about, (about,)) for c in columns_about(board, t, "number")]
        why = "unit"
        if not columns and about == "years":
            columns = columns_about(board, "age", "number")
    else:
        if not q.op:
            return _named_key(board, i, q)  # a bare number says too little
        tables = [board.schema.table(board.main)] if board.main else list(board.schema.tables)
        numeric = [c for t in tables for c in t.columns if c.kind == "number" and "key" not in c.tags]
        columns = [c for c in numeric if _reaches(c, q)] or numeric
        if about == "piece":
            columns = [c for c in columns if "piece" in c.about] or columns
        why = "range"
    columns = list(dict.fromkeys(columns))
    if len(columns) > 1:
        best = board.prefer([c.ref for c in columns])
        best = (board.in_use(best) if len(best) > 1 else []) or best
        columns = [c for c in columns if c.ref in best]
    if not columns:
        for k in range(first, last + 1):
            if items[k].number is not None:
                items[k].used, items[k].unknown = False, True
        return None
    said = board.span(first, last)
    options = [_filter(c, q, about, said, why) for c in columns]
    if len(options) == 1:
        board.filters.append(options[0])
    else:
        board.asks.append(Ask(said, tuple(options)))
    return None


def _extent(board: Board, i: int) -> tuple[int, int]:
    """The items of a quantity: its number and the used words around that belong to it."""
    first = last = i
    mine = ("cmp", "after", "around", "between", "closed", "to", "and", "than", "adj", "not")

    def ours(k: int) -> bool:
        item = board.items[k]
        return (
            item.used
            and not item.term
            and (item.says(*mine) or item.number is not None)
            and not (k in board.quantities and k != i)
        )

    while first > 0 and ours(first - 1):
        first -= 1
    while last + 1 < len(board.items) and ours(last + 1):
        last += 1
    return first, last


def _column_beside(
    board: Board, first: int, last: int, q: Quantity, about: str, taken: set[int]
) -> tuple[int, list[Column]] | None:
    """The numeric column that is named beside a quantity, and where."""
    items = board.items

    def fits(k: int | None) -> list[Column]:
        if k is None or k in taken:
            return []
        item = items[k]
        found = [c for c in board.columns((*item.columns, *item.cues), "number") if "key" not in c.tags or item.columns]
        if about and about != "piece":
            known = [
                c
                for c in found
                if c.unit[0] == about or about in c.about or (about == "years" and c.about & {"age", "experience"})
            ]
            unknown = [
                c for c in found if not (c.about & {"money", "years", "age", "piece", "rating", "weight", "percent"})
            ]
            found = known or unknown
        refs = board.prefer([c.ref for c in found])
        return [c for c in found if c.ref in refs]

    left = _skip(board, first, -1)
    right = _skip(board, last, 1)
    close_right = (
        right is not None
        and all(x.idle or x.used for x in items[last + 1 : right])
        and not any(x.breaks for x in items[last + 1 : right])
    )
    found_left, found_right = fits(left), fits(right) if close_right else []
    if found_left and left is not None and not (found_right and right is not None and right - last < first - left):
        return left, found_left
    if found_right and right is not None:
        return right, found_right
    k = left  # price, for instance, between 3 and 5: further left in the same clause
    steps = 0
    while k is not None and steps < 3:
        if (items[k].number is not None or items[k].values) or items[k].says("and"):
            break
        if found := fits(k):
            return k, found
        k = _skip(board, k, -1)
        steps += 1
    return None


def _skip(board: Board, i: int, step: int) -> int | None:
    """The next item, past small words, also past ones with an effect of their own that belong to columns (有, with)."""
    j = i + step
    while 0 <= j < len(board.items):
        item = board.items[j]
        if item.breaks:
            return None
        if not item.idle and not (item.says("have", "around", "since", "top", "after", "super") and not item.term):
            return j
        j += step
    return None


def _reaches(column: Column, q: Quantity) -> bool:
    """Whether a column's values reach the numbers of a quantity."""
    low, high = column.low, column.high
    if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
        return False
    return any(low <= v <= high for v in q.values)


def _filter(column: Column, q: Quantity, about: str, said: str, why: str) -> Filter:
    scale = column.unit[1] if column.unit[0] == "money" else 1.0
    values: tuple[Scalar, ...] = tuple(plain(v / scale) for v in q.values)
    return Filter(column.ref, q.op or "=", values, q.negated, said, why)


def _named_key(board: Board, i: int, q: Quantity) -> None:
    """Order 17, 编号 17 的订单: a bare number after a table or a key names a row."""
    items = board.items
    left = board.near(i, -1)
    if left is not None and len(q.values) == 1 and not q.unit:
        item = items[left]
        keys = list(board.columns(item.columns, "number"))
        if item.tables and not item.columns:
            keys = [k for t in item.tables for k in board.schema.table(t).keys if k.kind == "number"][:1]
        if keys:
            ref = board.prefer([c.ref for c in keys])[0]
            board.filters.append(Filter(ref, "=", (plain(q.values[0]),), False, board.span(left, i)))
            item.used = True
            return
    items[i].used, items[i].unknown = False, True


def _periods(board: Board) -> None:
    for i, p in sorted(board.periods.items()):
        columns = _date_columns(board, i, p)
        said = board.span(*_extent_of_period(board, i))
        options = [Filter(c.ref, "during", _ends(c, p), p.negated, said) for c in columns]
        if len(options) == 1:
            board.filters.append(options[0])
        elif options:
            board.asks.append(Ask(said, tuple(options)))
        else:
            board.items[i].used, board.items[i].unknown = False, True


def _ends(column: Column, p: Period) -> tuple[Scalar, ...]:
    """First day and first day after; a month said without its year is the coming one where only that has data."""
    first, after = (d.isoformat() if d else None for d in (p.first, p.after))
    if p.yearless and isinstance(column.low, str) and isinstance(column.high, str):

        def met(a: str | None, b: str | None) -> bool:
            return (b is None or str(column.low) < b) and (a is None or str(column.high) >= a)

        later = tuple(f"{int(d[:4]) + 1}{d[4:]}" if d else None for d in (first, after))
        idle = after is None and first is not None and first <= column.low  # a condition that everything meets
        if (idle or not met(first, after)) and met(*later) and "-02-29" not in f"{first}{after}":
            return later
    return first, after


def _extent_of_period(board: Board, i: int) -> tuple[int, int]:
    items = board.items
    first = last = i
    while (
        first > 0
        and items[first - 1].used
        and items[first - 1].says("since", "past", "before", "until", "between", "not", "cmp")
        and not items[first - 1].term
    ):
        first -= 1
    while (
        last + 1 < len(items)
        and items[last + 1].used
        and (items[last + 1].says("since", "past", "before", "until", "to", "and", "after") or items[last + 1].date)
        and not items[last + 1].term
    ):
        last += 1
    return first, last


def _date_columns(board: Board, i: int, p: Period) -> list[Column]:
    """The date column of a period: named or hinted at nearby, else the only one there is; whole years also fit a year."""

    def dated(refs: Sequence[Ref]) -> list[Column]:
        return [c for c in board.columns(refs) if c.kind == "date" or (c.is_year and p.whole_years)]

    first, last = _extent_of_period(board, i)
    near: list[int] = []
    for step, edge in ((1, last), (-1, first)):
        j, hops = edge + step, 0
        while 0 <= j < len(board.items) and not board.items[j].breaks and hops < 4:
            if board.items[j].number is not None or board.items[j].date is not None:
                break
            if not board.items[j].idle or board.items[j].cues:
                near.append(j)
                hops += 1
            j += step
    near.sort(key=lambda j: j - last if j > last else first - j)
    for j in near:
        found = dated((*board.items[j].columns, *board.items[j].cues))
        found = [c for c in found if board.main is None or board.schema.reachable(board.main, c.table)]
        if found:
            board.items[j].used = True
            refs = board.prefer([c.ref for c in found])
            return [c for c in found if c.ref in refs]
    for j in near:  # "customers with orders in 2024": the table that is named beside
        for t in (*board.items[j].tables, *board.items[j].table_cues):
            child = board.main is not None and t != board.main and board.schema.path(board.main, t) is None
            if child and (found := [c for c in board.schema.table(t).columns if c.kind == "date"]):
                return found[:1] if len(found) == 1 else found
    tables = [board.main] if board.main else list(board.schema.names)
    for several in (tables, list(board.schema.names)):
        columns = [
            c
            for t in several
            for c in board.schema.table(t).columns
            if board.main is None or board.schema.reachable(board.main, t)
        ]
        years = [c for c in columns if c.is_year] if p.whole_years else []
        dates = [c for c in columns if c.kind == "date"]
        found = [c for c in dates if not _BOOKKEEPING & set(words_of(c.name))] or dates or years
        if found:
            used = board.in_use([c.ref for c in found])
            return [c for c in found if c.ref in used] if len(found) > 1 and used else found
    return []


def _presence(board: Board) -> None:
    """Booleans (可出差的, can't travel), what is empty (没有邮箱的, with email), and columns to show."""
    items = board.items
    for i, item in enumerate(items):
        if item.used or (item.values and not item.cues) or not (item.columns or item.cues):
            continue
        if not item.columns:
            item.used = not item.table_cues  # a cue without anything that it points to says nothing more
            continue
        ref = board.prefer(item.columns)[0]
        column = board.schema.column(ref)
        if item.tables and not board.wants_values:
            continue  # the name of the table
        before, behind = board.near(i, -1), board.near(i)
        word_behind = items[behind] if behind is not None else None
        if word_behind is not None and word_behind.says("empty", "filled") and not word_behind.term:
            board.filters.append(Filter(ref, "empty", (), word_behind.says("filled"), board.span(i, behind or i)))
            board.use(i, behind)  # type: ignore[arg-type]
            continue
        if (
            before is not None
            and items[before].says("empty", "filled")
            and not items[before].term
            and not items[before].says("contains")
        ):
            board.filters.append(Filter(ref, "empty", (), items[before].says("filled"), board.span(before, i)))
            board.use(before, i)
            continue
        not_at = negation_of(board, i)
        if column.kind == "boolean":
            board.filters.append(
                Filter(ref, "=", (not_at is None,), False, board.span(min(i, not_at) if not_at is not None else i, i))
            )
            board.use(i, *([not_at] if not_at is not None else []))
            continue
        if not_at is not None and not_at < i:
            board.filters.append(Filter(ref, "empty", (), False, board.span(not_at, i)))
            board.use(i, not_at)
            continue
        if (
            before is not None
            and items[before].says("have")
            and not board.wants_values
            and not any(x.says("show") for x in items[:i])
        ):
            board.filters.append(Filter(ref, "empty", (), True, board.span(before, i)))
            board.use(before, i)
            continue
        asked = i > 0 and items[i - 1].text.lower() in (
            "哪些",
            "有哪些",
            "which",
            "what",
            "different",
            "distinct",
            "不同",
        )
        asked |= (
            i > 0
            and items[i - 1].text.lower().endswith(("all", "所有", "全部"))
            and not board.named
            and not board.filters
            and not board.before
        )
        several = board.language == "zh" or item.text.lower().endswith("s")
        if asked and several and column.kind == "category" and not board.measures and not board.groups:
            board.groups.append(Group(ref))  # which cities are there: each once
        else:
            board.show.append(Shown(ref))
        item.used = True


def _linked(board: Board) -> None:
    """Customers with (without) orders, 下过单的客户: another table that rows must (not) be linked to."""
    items = board.items
    for i, item in enumerate(items):
        names = item.tables or item.table_cues
        if item.used or not names or item.values:
            continue
        others = [t for t in names if t != board.main]
        if board.main is None or board.main in names or not others:
            item.used = True
            continue
        table = others[0]
        down = board.schema.path(board.main, table) is None
        if not board.schema.reachable(board.main, table):
            continue  # stays, and is named as not understood
        not_at = negation_of(board, i)
        said = any(f.column.table == table for f in board.filters)
        if down and not_at is not None and said:
            board.filters = [
                Filter(f.column, f.op, f.values, not f.negated, f.said, f.why) if f.column.table == table else f
                for f in board.filters
            ]
        elif down and not said:
            ref = board.schema.table(table).columns[0].ref
            board.filters.append(Filter(ref, "linked", (), not_at is not None, item.text))
        item.used = True
        if not_at is not None:
            items[not_at].used = True
