"""What is to be made of the rows: counts, averages, groups and conditions on groups.

Reads 有多少, 平均薪资, per city, cities with more than 3 candidates; orders are read in `rules_rank`.
"""

from __future__ import annotations

from lab.text2sql.numbers import unit_kind
from lab.text2sql.reading import Ask, Board
from lab.text2sql.rules_common import (
    FUNCTIONS,
    columns_about,
    entity_of,
    measurable,
    measure_at,
    words_before,
    words_behind,
)
from lab.text2sql.rules_rank import read_sorts, read_superlatives, read_tops
from lab.text2sql.slots import Group, Having, Measure, Ref, Sort

_SUMMED = frozenset(
    [
        "销售额",
        "营业额",
        "销量",
        "销售量",
        "总销量",
        "消费额",
        "消费总额",
        "revenue",
        "turnover",
        "sales",
        "spending",
        "income",
    ]
) | {"units sold", "sales volume", "quantity sold"}
"""Columns under these names mean their sum, where no single row is asked for."""


def read_output(board: Board) -> None:
    """All of it, in an order in which the more particular patterns come first."""
    _parts(board)
    _havings(board)
    read_superlatives(board)
    read_tops(board)
    read_sorts(board)
    _aggregates(board)
    _sums(board)
    _counts(board)
    _groups(board)
    _settle(board)


def _parts(board: Board) -> None:
    """Per month, 按年, by weekday: a group by a part of the question's date."""
    for i, item in enumerate(board.items):
        if item.used or not item.says("part") or item.term:
            continue
        part = item.words["part"]
        dates = [c for c in columns_about(board, "date", "date") if c.kind == "date"]
        named = [
            c
            for j in (*words_before(board, i), *words_behind(board, i))
            for c in board.columns(board.items[j].columns or board.items[j].cues, "date")
        ]
        dates = [c for c in dates if c in named] or dates
        if part == "year" and not dates:
            dates = [c for c in board.schema.columns() if c.is_year and (board.main is None or c.table == board.main)]
        if len(dates) == 1:
            board.groups.append(Group(dates[0].ref, "" if dates[0].is_year else part))
            item.used = True
        elif dates:
            board.asks.append(Ask(item.text, tuple(Group(c.ref, part) for c in dates)))
            item.used = True


def _havings(board: Board) -> None:
    """Cities with more than 5 candidates, 订单超过3个的客户, 平均薪资超过2万的城市: a condition on groups."""
    items = board.items
    for i, q in list(board.quantities.items()):
        if not q.op or q.about or not (items[i].used):
            continue
        left, right = _outside(board, i, -1), _outside(board, i, 1)
        sides = (
            (left, right)
            if board.language == "zh" and right is not None and any(x.text == "的" for x in items[i:right])
            else (right, left)
        )
        counted = next(
            (k for k in sides if k is not None and items[k].tables and not items[k].columns and not items[k].used), None
        )
        said = measure_at(board, left, -1) if left is not None and not items[left].used else None
        if said is not None:
            measure, used = said
        elif counted is not None and (q.unit == "" or unit_kind(q.unit) == "piece"):
            measure, used = Measure("count"), [counted]
        else:
            continue
        main = (
            measure.column.table
            if measure.column
            else next((items[k].tables[0] for k in used if items[k].tables), board.main)
        )
        entity_at = next(
            (
                k
                for k in (
                    [*words_behind(board, max(i, *used)), *words_before(board, min(i, *used))]
                    if board.language == "zh"
                    else [*words_before(board, min(i, *used)), *words_behind(board, max(i, *used))]
                )
                if k not in used and entity_of(board, k) is not None and not items[k].values
            ),
            None,
        )
        entity = entity_of(board, entity_at)
        if entity is None or main is None or entity_at is None or board.schema.path(main, entity.table) is None:
            continue
        if entity.table == main and items[entity_at].tables:
            continue
        board.main = main
        board.groups.append(Group(entity))
        board.measures.append(measure)
        board.having.append(Having(measure, q.op, q.values))
        del board.quantities[i]
        board.use(*[*used, entity_at])


def _outside(board: Board, i: int, step: int) -> int | None:
    """The next item beyond those that belong to a quantity (its comparison words are used already)."""
    j = i + step
    while 0 <= j < len(board.items):
        item = board.items[j]
        if item.breaks:
            return None
        if not item.idle and not (item.used and not item.term):
            return j
        j += step
    return None


def _aggregates(board: Board) -> None:
    items = board.items
    for i, item in enumerate(items):
        fn = next((f for f in FUNCTIONS if item.says(f)), None)
        if item.used or fn is None:
            continue
        dates = fn in ("max", "min")
        at: int | None = None
        order = (board.near(i), board.near(i, -1))
        if item.columns and measurable(board, order[0], dates=dates) is None:
            continue  # a column that is called total
        pending = [i]
        if (
            order[0] is not None
            and items[order[0]].says("and")
            and (k := board.near(order[0])) is not None
            and any(items[k].says(f) for f in FUNCTIONS)
        ):
            pending.append(k)  # the average and maximum salary
            order = (board.near(k), order[1])
        at = next((k for k in order if measurable(board, k, dates=dates) and not items[k].used), None)  # type: ignore[index]
        if at is None:
            at = next((k for k in order if measurable(board, k, dates=dates)), None)
        if at is None and order[0] is not None and items[order[0]].tables and not items[order[0]].columns:
            behind = board.near(order[0])  # the average order total is one word; average product price is two
            at = behind if measurable(board, behind, dates=dates) else None
        ref = measurable(board, at, dates=dates)
        if ref is None or at is None:
            if fn == "sum":
                item.used = True
                money = columns_about(board, "money", "number") if item.text in ("总额", "总金额", "总价") else []
                if len(money) == 1:
                    board.measures.append(Measure("sum", money[0].ref))
                    continue
                rows = any(x.says("count", "people") for x in items)
                if not rows and order[0] is not None and items[order[0]].tables:
                    board.measures.append(Measure("count"))
            elif fn == "avg" and board.main and not any(x.says("count") for x in items):
                columns = [
                    c for c in board.schema.table(board.main).columns if c.kind == "number" and "key" not in c.tags
                ]
                if len(columns) == 1:
                    board.measures.append(Measure("avg", columns[0].ref))
                else:
                    board.asks.append(Ask(item.text, tuple(Measure("avg", c.ref) for c in columns)))
                item.used = True
            continue
        for k in pending:
            f = next(f for f in FUNCTIONS if items[k].says(f))
            board.measure(Measure(f, ref), k)
            items[k].used = True
        board.use(at)
        more = board.near(at)  # average salary and age
        while (
            more is not None
            and items[more].says("and")
            and (k := board.near(more)) is not None
            and (r := measurable(board, k))
            and not items[k].used
        ):
            board.measure(Measure(fn, r), k)
            board.use(k, more)
            more = board.near(k)


def _sums(board: Board) -> None:
    """Sales in 2023, 每个季度的销售额, orders' total per customer: a column that is meant as a sum."""
    items = board.items
    grouped = bool(board.groups) or any(x.says("per") and not x.used and not x.term for x in items)
    if board.measures or board.sorts or any(x.says("count", "people") and not x.used for x in items):
        return
    for i, item in enumerate(items):
        ref = measurable(board, i) if item.columns and not item.used and not item.tables else None
        beside = {k for k in (board.near(i), board.near(i, -1)) if k is not None}
        if (
            ref is None
            or "key" in board.schema.column(ref).tags
            or any(items[k].number or items[k].says("cmp", "super", "by", "per", "sort") for k in beside)
        ):
            continue
        if board.language == "en" and i + 1 < len(items) and items[i + 1].columns:  # population density is one thing
            continue
        rows = any(x.tables and ref.table in x.tables for x in items[:i]) and board.language == "en"
        about = board.schema.column(ref).about
        if grouped or (item.text.lower() in _SUMMED and not rows):
            board.measures.append(Measure("sum" if about & {"money", "piece"} and "price" not in about else "avg", ref))
            item.used = True
            return


def _counts(board: Board) -> None:
    items = board.items
    for item in items:  # how many were sold, 卖出多少件: pieces, not lines
        if (
            item.table_cues
            and not item.used
            and not board.measures
            and any(x.says("count") and not x.used for x in items)
        ):
            pieces = [
                c.ref
                for t in item.table_cues
                for c in board.schema.table(t).columns
                if c.kind == "number" and "piece" in c.about
            ]
            if len(pieces) == 1:
                board.measures.append(Measure("sum", pieces[0]))
                for x in items:
                    x.used |= x.says("count") or x is item or (not x.values and pieces[0] in x.columns)
                return
    for i, item in enumerate(items):
        if item.used or item.values or not item.says("count", "people"):
            continue
        left, right = board.near(i, -1), board.near(i)
        if item.columns and not (left is not None and items[left].tables):
            continue  # 数量 as a column
        if item.text == "几" and board.measures:
            item.used = True  # 平均工作几年
            continue
        measure: Measure | None = Measure("count")
        if right is not None and items[right].tables and not items[right].columns:
            board.use(right)
        elif right is not None and items[right].columns and not items[right].used:
            column = board.schema.column(board.prefer(items[right].columns)[0])
            if column.kind == "number" and not column.is_year and "key" not in column.tags:
                measure = Measure("sum", column.ref) if "piece" in column.about else None
                board.wants_values = measure is None
            elif "key" not in column.tags:
                measure = Measure("count", column.ref)
            if measure is not None:
                board.use(right)
        elif left is not None and items[left].columns and not items[left].used and not item.says("people"):
            column = board.schema.column(board.prefer(items[left].columns)[0])
            if column.kind == "number":
                measure, board.wants_values = None, True
            elif (
                "key" not in column.tags
                and column.kind != "boolean"
                and item.text in ("数量", "数", "个数", "总数", "数目")
            ):
                measure = Measure("count", column.ref)
                board.use(left)
        elif left is not None and items[left].tables:
            board.use(left)
        item.used = True
        if measure is not None and measure not in board.measures:
            board.measures.append(measure)
            board.counted = True


def _groups(board: Board) -> None:
    """Per city, 每个客户, by category; 按城市统计."""
    items = board.items
    for i, item in enumerate(items):
        if item.used or item.term or not item.says("per", "by"):
            continue
        right = board.near(i)
        before = board.near(i, -1)
        if before is not None and items[before].says("avg") and right is not None and board.main in items[right].tables:
            board.use(i, right)  # 平均每个订单: the average of the rows
            continue
        if (
            right is not None
            and items[right].tables
            and (k := board.near(right)) is not None
            and items[k].columns
            and any(r.table in items[right].tables for r in items[k].columns)
        ):
            board.use(right)  # per customer city
            right = k
        left = board.near(i, -1)
        if (
            item.says("per")
            and left is not None
            and (right is None or items[right].says("count", "people", *FUNCTIONS))
            and not items[left].tables
        ):
            refs = list(items[left].columns) or [v.ref for v in items[left].values]  # 男女各有多少人
            if refs:
                board.groups.append(Group(board.prefer(refs)[0]))
                item.used = True
                if not items[left].values:
                    board.use(left)
            continue
        if right is None:
            continue
        target = items[right]
        if target.values and not target.columns:
            continue
        value = board.near(right)
        if item.says("by") and value is not None and {v.ref for v in items[value].values} & set(target.columns):
            continue  # by the department of Computer Science
        entity: Ref | None = None
        if target.columns:
            refs = [
                r for r in target.columns if not items[right - 1].tables or r.table in items[right - 1].tables
            ] or list(target.columns)
            entity = board.prefer(refs)[0]
        elif target.tables:
            entity = board.schema.table(target.tables[0]).title.ref
            here = board.schema.path(board.main, target.tables[0]) if board.main else None
            if (
                here
                and len(here) == 1
                and board.schema.column(Ref(here[0].table, here[0].column)).kind in ("text", "category")
            ):
                entity = Ref(here[0].table, here[0].column)  # its name is written in the row itself
        if entity is None or (
            item.says("by") and target.tables and not target.columns and not (board.measures or _any_measure(board))
        ):
            continue
        if target.tables and not target.columns and not board.measures:
            board.use(i)  # "the email of each customer": no group
            continue
        column = board.schema.column(entity)
        part = "month" if column.kind == "date" else ""
        if item.says("per") and column.kind == "number" and not column.is_year and not target.tables:
            continue
        board.groups.append(Group(entity, part))
        board.use(i, right)
        more = board.near(right)  # per city and category
        while (
            more is not None
            and items[more].says("and")
            and (k := board.near(more)) is not None
            and items[k].columns
            and not items[k].used
        ):
            ref = board.prefer(items[k].columns)[0]
            if board.schema.column(ref).kind not in ("category", "text", "boolean"):
                break
            board.groups.append(Group(ref))
            board.use(k, more)
            more = board.near(k)
    for item in items:
        if item.says("stat") and board.groups:
            item.used = True


def _any_measure(board: Board) -> bool:
    return any(x.says("count", *FUNCTIONS) for x in board.items)


def _settle(board: Board) -> None:
    """Groups without a measure count; the measure's table is the question's; orders by "it" get their measure."""
    if board.groups and not board.measures:
        board.measures.append(Measure("count"))
    tables = {m.column.table for m in board.measures if m.column is not None}
    if len(tables) == 1:
        source = tables.pop()
        if source != board.main and all(board.schema.path(source, g.column.table) is not None for g in board.groups):
            board.main = source
    for g in board.groups:
        if (
            board.main is not None
            and board.schema.path(board.main, g.column.table) is None
            and board.schema.path(g.column.table, board.main) is not None
        ):
            board.main = g.column.table
    measure = board.measures[0] if board.measures else Measure("count")
    board.sorts = [
        Sort(measure, s.descending) if isinstance(s.by, Measure) and s.by.fn == "?" else s for s in board.sorts
    ]
