"""What is to be made of the rows: counts, averages, groups, orders, the first few.

Reads 有多少, 平均薪资, per city, 最贵的三个, top 5 by price, 订单最多的客户, cities with more than 3 candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.text2sql.reading import Ask, Board
from lab.text2sql.schema import Column, first_labelled
from lab.text2sql.slots import Group, Having, Limit, Measure, Ref, Sort

_FUNCTIONS = ("avg", "sum", "max", "min")
_SUMMED = frozenset(
    ["销售额", "营业额", "销量", "销售量", "总销量", "消费额", "消费总额", "revenue", "turnover", "sales", "spending", "income"]
) | {"units sold", "sales volume", "quantity sold"}
"""Columns under these names mean their sum, where no single row is asked for."""
_ABOUT = {
    "price": ("price", "money"), "salary": ("salary", "money"), "experience": ("experience", "years"), "date": ("date",), "age": ("age",),
    "many": ("piece",), "rating": ("rating",), "piece": ("piece",), "length": ("length", "duration"), "weight": ("weight",),
}  # fmt: skip


def read_output(board: Board) -> None:
    """All of it, in an order in which the more particular patterns come first."""
    _parts(board)
    _havings(board)
    _superlatives(board)
    _tops(board)
    _sorts(board)
    _aggregates(board)
    _sums(board)
    _counts(board)
    _groups(board)
    _settle(board)


# -------------------------------------------------------------------------------------------------- helpers


def columns_about(board: Board, about: str, *kinds: str) -> list[Column]:
    """Columns that are about something: of the question's table, else of tables that can be reached from it."""
    tags = _ABOUT.get(about, (about,))
    tables = [board.main] if board.main else list(board.schema.names)
    for several in (tables, board.schema.names):
        columns = [c for t in several for c in board.schema.table(t).columns if "key" not in c.tags]
        columns = [c for c in columns if board.main is None or board.schema.reachable(board.main, c.table)]
        found = first_labelled([c for c in columns if not kinds or c.kind in kinds], *tags)
        if found:
            return found
    return []


def _measurable(board: Board, i: int | None, *, dates: bool = False) -> Ref | None:
    """The numeric (or date) column that an item names, if it names one."""
    if i is None:
        return None
    item = board.items[i]
    kinds = ("number", "date") if dates else ("number",)
    found = [c.ref for c in board.columns(item.columns or item.cues, *kinds) if "key" not in c.tags or len(item.columns) == 1 and item.columns]
    return board.prefer(found)[0] if found else None


def _entity(board: Board, i: int | None) -> Ref | None:
    """What rows can be grouped by: a table (its title) or a column that is no measure."""
    if i is None:
        return None
    item = board.items[i]
    columns = [c.ref for c in board.columns(item.columns) if c.kind in ("category", "text", "boolean") or c.is_year]
    if columns:
        return board.prefer(columns)[0]
    return board.schema.table(item.tables[0]).title.ref if item.tables else None


def _before(board: Board, i: int) -> Iterator[int]:
    """Items before, nearest first, up to a break."""
    j = i - 1
    while j >= 0 and not board.items[j].breaks:
        yield j
        j -= 1


def _behind(board: Board, i: int) -> Iterator[int]:
    j = i + 1
    while j < len(board.items) and not board.items[j].breaks:
        yield j
        j += 1


def _plain_number(board: Board, i: int | None) -> int | None:
    """The whole number at an item, where it counts rows: no comparison, no unit but a measure word."""
    q = board.quantities.get(i) if i is not None else None
    if q is None or q.op or q.about or len(q.values) != 1 or not 0 < q.values[0] <= 100_000 or q.values[0] % 1:
        return None
    from lab.text2sql.numbers import unit_kind

    return int(q.values[0]) if q.unit == "" or unit_kind(q.unit) == "piece" else None


def _measure_at(board: Board, i: int | None, step: int) -> tuple[Measure, list[int]] | None:
    """A measure said at an item, in a direction: (average) price, number of orders, 订单数; and its items."""
    if i is None:
        return None
    items = board.items
    item = items[i]
    other = board.near(i, step)
    for a, b in ((i, other), (other, i)):
        if a is None or b is None:
            continue
        fn = next((f for f in _FUNCTIONS if items[a].says(f)), None)
        if fn and (ref := _measurable(board, b)):
            return Measure(fn, ref), [a, b]
        if items[a].says("count") and items[b].tables and not items[b].columns:
            return Measure("count"), [a, b]
        if fn == "sum" and items[b].says("count") and (c := board.near(b, step)) is not None and items[c].tables:
            return Measure("count"), [a, b, c]
    if item.says("people"):
        return Measure("count"), [i]
    return None


def _use_words(board: Board, indices: Sequence[int]) -> None:
    board.use(*indices)


# ------------------------------------------------------------------------------------------------ patterns


def _parts(board: Board) -> None:
    """Per month, 按年, by weekday: a group by a part of the question's date."""
    for i, item in enumerate(board.items):
        if item.used or not item.says("part") or item.term:
            continue
        part = item.words["part"]
        dates = [c for c in columns_about(board, "date", "date") if c.kind == "date"]
        named = [c for j in (*_before(board, i), *_behind(board, i)) for c in board.columns(board.items[j].columns or board.items[j].cues, "date")]
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
        sides = (left, right) if board.language == "zh" and right is not None and any(x.text == "的" for x in items[i:right]) else (right, left)
        counted = next((k for k in sides if k is not None and items[k].tables and not items[k].columns and not items[k].used), None)
        said = _measure_at(board, left, -1) if left is not None and not items[left].used else None
        from lab.text2sql.numbers import unit_kind

        if said is not None:
            measure, used = said
        elif counted is not None and (q.unit == "" or unit_kind(q.unit) == "piece"):
            measure, used = Measure("count"), [counted]
        else:
            continue
        main = measure.column.table if measure.column else next((items[k].tables[0] for k in used if items[k].tables), board.main)
        entity_at = next(
            (
                k
                for k in ([*_behind(board, max(i, *used)), *_before(board, min(i, *used))] if board.language == "zh" else [*_before(board, min(i, *used)), *_behind(board, max(i, *used))])
                if k not in used and _entity(board, k) is not None and not items[k].values
            ),
            None,
        )
        entity = _entity(board, entity_at)
        if entity is None or main is None or entity_at is None or board.schema.path(main, entity.table) is None:
            continue
        if entity.table == main and items[entity_at].tables:
            continue
        board.main = main
        board.groups.append(Group(entity))
        board.measures.append(measure)
        board.having.append(Having(measure, q.op, q.values))
        del board.quantities[i]
        _use_words(board, [*used, entity_at])


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


def _superlatives(board: Board) -> None:
    for i, item in enumerate(board.items):
        if item.used or not item.says("super") or item.values:
            continue
        if item.says("top") and _plain_number(board, board.near(i)) is not None:
            continue
        direction, _, about = item.words["super"].partition(" ")
        _superlative(board, i, direction == ">", about)


def _superlative(board: Board, i: int, most: bool, about: str) -> None:
    items, zh = board.items, board.language == "zh"
    left, right = board.near(i, -1), board.near(i)
    if about == "date" and item_is(board, i, "last") and right is not None and board.items[right].number is None and not items[right].term:
        return
    used = [i]
    n = None
    for k in (right, left):
        n = _plain_number(board, k)
        if n is not None and k is not None:
            used.append(k)
            del board.quantities[k]
            if k == right:
                right = board.near(k)
            else:
                left = board.near(k, -1)
            break
    if left is not None and items[left].says("top") and n is not None:
        used.append(left)
    beyond = board.near(right) if right is not None and items[right].columns else None
    ahead = next((k for k in (board.near(i), beyond, board.next(i, over=("sort",))) if k is not None and items[k].says("ahead") and not items[k].term), None)
    # 1. counted: the customer with the most orders, 订单最多的客户
    counted = left if zh else right
    if about in ("many", "") and counted is not None and items[counted].says("count", "people") and (inner := board.near(counted, -1 if zh else 1)) is not None and items[inner].tables:
        used.append(counted)
        counted = inner
    if about == "sold" and (sold := _sold(board)) is not None and board.main is not None:
        title = board.schema.table(board.main).title.ref
        board.main = sold.table
        _rank(board, title, Measure("sum", sold), most, n)
        _use_words(board, used)
        return
    table = _counted(board, counted) if about == "many" else None
    if table is not None and counted is not None:
        order = [*_behind(board, i), *_before(board, counted)] if zh else [*_before(board, i), *_behind(board, counted)]
        found = next(
            (k for k in order if k not in (*used, counted) and not items[k].used and (e := _entity(board, k)) and board.schema.path(table, e.table) is not None and (items[k].tables[:1] != (table,))),
            None,
        )
        if found is not None and (entity := _entity(board, found)) is not None:
            board.main = table
            _rank(board, entity, Measure("count"), most, n)
            _use_words(board, [*used, counted, found])
            return
    # 2. a measure of groups: the city with the highest average salary, 平均薪资最高的城市
    said = _measure_at(board, left, -1) if zh else _measure_at(board, right, 1)
    said = said or (_measure_at(board, right, 1) if zh else None)
    column_at = next((k for k in ((left, right) if zh else (right, left)) if _measurable(board, k, dates=True)), None)
    column = _measurable(board, column_at) if about in ("", "many") else None
    if said is not None or column is not None:
        measure, parts = said if said is not None else (Measure("sum", column), [column_at] if column_at is not None else [])
        edge = [*parts, i]
        order = [*_behind(board, max(edge)), *_before(board, min(edge))] if zh else [*_before(board, min(edge)), *_behind(board, max(edge))]
        found = next((k for k in order if k not in (*parts, *used) and not items[k].used and _entity(board, k) is not None and not items[k].values), None)
        entity = _entity(board, found)
        source = measure.column.table if measure.column else board.main
        if found is not None and entity is not None and source is not None and (said is not None or entity.table != source):
            way = board.schema.path(source, entity.table)
            if way is not None and not (items[found].tables and entity.table == source):
                board.main = source
                _rank(board, entity, measure, most, n)
                _use_words(board, [*used, *parts, found])
                return
    if said is not None:
        return  # 平均 and 最高 without a group: the average is read on its own
    # 3. a column of the rows
    _by_column(board, i, most, about, n, used, column_at if about in ("", "many") else None, ahead)


def _counted(board: Board, at: int | None) -> str | None:
    """The table whose rows "most" counts: 订单最多, the most orders; 下单最多 by the day that it points to."""
    if at is None or board.items[at].columns:
        return None
    item = board.items[at]
    dated = [c.table for c in board.columns(item.cues, "date")]
    return next(iter((*item.tables, *item.table_cues, *dated)), None)


def _sold(board: Board) -> Ref | None:
    """The column that counts pieces in a table that hangs on the question's table: order_items.quantity."""
    if board.main is None:
        return None
    found = [
        c.ref for t in board.schema.tables if t.name != board.main and board.schema.path(t.name, board.main) for c in t.columns
        if c.kind == "number" and "piece" in c.about and "key" not in c.tags
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def item_is(board: Board, i: int, word: str) -> bool:
    return board.items[i].text.lower() == word


def _by_column(board: Board, i: int, most: bool, about: str, n: int | None, used: list[int], column_at: int | None, ahead: int | None) -> None:
    items, zh = board.items, board.language == "zh"
    item = items[i]
    column: Ref | None = None
    if about and about != "many":
        columns = columns_about(board, about, *(("date",) if about == "date" else ("number",)))
        near = next((r for k in (board.near(i), board.near(i, -1)) if k is not None for r in board.prefer([c.ref for c in board.columns(items[k].columns, "number", "date")])[:1]), None)
        if near is not None and (about in ("date",) or not columns):
            column, column_at = near, next(k for k in (board.near(i), board.near(i, -1)) if k is not None and near in items[k].columns)
        elif len(columns) == 1:
            column = columns[0].ref
        elif columns:
            board.asks.append(Ask(item.text, tuple(Sort(c.ref, most) for c in columns)))
            board.limit = board.limit or Limit(n or 1)
            _use_words(board, used)
            return
        elif about == "old" and (ages := columns_about(board, "age", "number")):
            column = ages[0].ref
        elif about == "old" and (births := columns_about(board, "birth", "date") or columns_about(board, "date", "date")):
            column, most = births[0].ref, False
        elif about == "date" and (ages := columns_about(board, "age", "number")):  # oldest of people
            column = ages[0].ref
            most = not most
    elif column_at is not None:
        column = _measurable(board, column_at, dates=True)
    if column is None:
        row = any(k is not None and board.main in items[k].tables for k in (board.near(i), board.near(i, -1)))
        if n is None and row and about in ("", "many"):  # the largest order
            n = 1
        if n is not None:  # top 3, best three: of what is not said
            _ask_for_order(board, item.text, most, n)
            _use_words(board, used)
        return
    if column_at is not None:
        used.append(column_at)
    _use_words(board, used)
    if ahead is not None:
        board.use(ahead)
        board.sorts.append(Sort(column, most))
        return
    beside = column_at is not None and column_at == board.near(i)
    if n is None and (about in ("", "many") or (about == "date" and beside)) and not _asks_for_rows(board, i, column_at, zh):
        board.measure(Measure("max" if most else "min", column), i)
        return
    board.sorts.append(Sort(column, most))
    plural_noun = not zh and any(items[k].tables and _plural(items[k].text) for k in _behind(board, i)) and not any(x.says("which") for x in items[:i])
    several = any(items[k].text in ("几个", "几位", "些") for k in _behind(board, i))
    if several:
        board.use(*(k for k in _behind(board, i) if items[k].text in ("几个", "几位")))
    if n is not None or not (plural_noun or several):
        board.limit = Limit(n or 1)


def _plural(word: str) -> bool:
    return word.lower().endswith("s") or word.lower() == "people"


def _asks_for_rows(board: Board, i: int, column_at: int | None, zh: bool) -> bool:
    """Whether a superlative of a column picks rows (the dearest product) or asks for the value (the highest price)."""
    items = board.items
    if zh:
        follows = board.near(max(i, column_at if column_at is not None else i))
        behind = follows is not None and (items[follows].tables or items[follows].number is not None or items[follows].text in ("几个", "几位"))
        who = any(x.says("which") and x.text in ("谁", "哪个", "哪位", "哪些", "哪一个", "哪款", "哪几个", "哪几位", "哪家", "是谁") for x in items)
        named = i + 1 < len(items) and items[i + 1].text == "的"  # 评分最高的是什么
        value = any((x.says("which") and x.text in (("是多少", "为多少") if named else ("是多少", "为多少", "什么", "是什么"))) or x.says("count") for x in items)
        subject_first = column_at is not None and column_at < i and not value
        return bool(behind) or who or (subject_first and not items[i - 1].text.endswith("值"))
    follows = board.near(max(i, column_at if column_at is not None else i))
    if follows is not None and items[follows].tables and items[follows - 1].text.lower() not in ("of", "among", "for", "in", "across"):
        return True
    before = [items[k] for k in _before(board, i)]
    return any(x.tables for x in before) or any(x.text.lower() in ("who", "whose", "which") for x in before) or any(x.says("show", "find", "follow") and x.text.lower() in ("one", "ones", "the one", "the ones") for x in before)


def _rank(board: Board, entity: Ref, measure: Measure, most: bool, n: int | None) -> None:
    board.groups.append(Group(entity))
    board.measures.append(measure)
    board.sorts.append(Sort(measure, most))
    board.limit = Limit(n or 1)


def _ask_for_order(board: Board, said: str, most: bool, n: int) -> None:
    table = board.schema.table(board.main) if board.main else board.schema.tables[0]
    kinds = ("number", "date") if said.lower().startswith(("top", "bottom", "前", "排名", "后", "倒数", "best")) else ("number",)
    columns = [c for c in table.columns if c.kind in kinds and "key" not in c.tags]
    board.limit = Limit(n)
    if len(columns) == 1:
        board.sorts.append(Sort(columns[0].ref, most))
    elif columns:
        board.asks.append(Ask(said, tuple(Sort(c.ref, most) for c in columns)))


def _tops(board: Board) -> None:
    """Top 5 by price, 前三名, the first ten, 薪资前五的候选人; also a bare "3 candidates"."""
    items = board.items
    for i, item in enumerate(items):
        if item.used or not item.says("top") or item.term:
            continue
        right = board.near(i)
        n = _plain_number(board, right)
        if n is None or right is None:
            if item.text.lower() == "limit" and right is not None and (n := _plain_number(board, right)):
                board.limit = Limit(n)
                board.use(i, right)
                del board.quantities[right]
            continue
        del board.quantities[right]
        board.use(i, right)
        board.limit = Limit(n)
        most = item.words["top"] == ">"
        if board.sorts:
            continue
        by = next((k for k in range(len(items)) if items[k].says("by") and not items[k].used and not items[k].values), None)
        target = board.near(by) if by is not None else None
        said = _measure_at(board, target, 1)
        ref = _measurable(board, target, dates=True)
        if said is not None and by is not None:
            found = next((k for k in range(len(items)) if k not in said[1] and not items[k].used and _entity(board, k) and not items[k].values and items[k] is not items[by]), None)
            entity = _entity(board, found)
            source = said[0].column.table if said[0].column else next((items[k].tables[0] for k in said[1] if items[k].tables), board.main)
            if found is not None and entity is not None and source is not None and board.schema.path(source, entity.table) is not None:
                board.main = source
                _rank(board, entity, said[0], most, n)
                board.use(by, *said[1], found)
                continue
        if ref is not None and by is not None and target is not None:
            board.sorts.append(Sort(ref, most))
            board.use(by, target)
            continue
        for k in (board.near(i, -1), board.near(right)):
            if ref := _measurable(board, k, dates=True):
                board.sorts.append(Sort(ref, most))
                board.use(k)  # type: ignore[arg-type]
                break
        else:
            if any(x.says("sort", "desc", "asc") for x in items):
                continue  # the order is said elsewhere
            if item.text.lower() in ("top", "bottom", "排名前", "后", "倒数"):
                _ask_for_order(board, board.span(i, right), most, n)
    for i in list(board.quantities):
        n, right = _plain_number(board, i), board.near(i)
        if n is not None and board.limit is None and right is not None and items[right].tables and not items[right].columns:
            before = board.near(i, -1)
            if before is None or not items[before].term:
                board.limit = Limit(n)
                del board.quantities[i]
                items[i].used = True


def _sorts(board: Board) -> None:
    """Sorted by price descending, 按薪资从高到低, cheapest first."""
    items = board.items
    for i, item in enumerate(items):
        if item.used or item.term or not item.says("sort", "desc", "asc"):
            continue
        direction = next((x for x in items if x.says("desc", "asc") and not x.used), None)
        descending = direction.says("desc") if direction else item.text.lower() in ("rank", "ranked", "rank by", "ranked by", "排名")
        candidates: list[int] = []
        by = next((k for k in range(len(items)) if items[k].says("by") and not items[k].used and not items[k].values), None)
        if by is not None and (k := board.near(by)) is not None:
            candidates.append(k)
        if item.says("sort") and board.language == "en" and (k := board.near(i)) is not None:
            candidates.append(k)
        candidates += [k for k in _before(board, i) if items[k].columns][:1]
        placed = False
        for k in candidates:
            said = _measure_at(board, k, 1)
            column = next(iter(board.prefer(items[k].columns)), None)
            if said is not None and (measure := said[0]):
                board.sorts.append(Sort(measure, descending))
                _use_words(board, [j for j in said[1] if not items[j].tables])
                if measure not in board.measures:
                    board.measures.append(measure)
            elif column is not None and not items[k].used:
                board.sorts.append(Sort(column, descending))
                items[k].used = True
                two = board.near(k)
                three = board.near(two) if two is not None and items[two].says("and") else None
                if three is not None and items[three].columns:
                    board.sorts.append(Sort(board.prefer(items[three].columns)[0], descending))
                    board.use(three)
            else:
                continue
            placed = True
            break
        if not placed and item.text.lower().find("alphabet") >= 0 and board.main:
            board.sorts.append(Sort(board.schema.table(board.main).title.ref))
            placed = True
        if not placed and board.measures == [] and not any(x.says("count", *_FUNCTIONS) for x in items) and not board.before.sorts:
            continue
        if not placed and board.sorts and direction is not None:  # the largest lakes, ordered from largest to smallest
            board.sorts = [Sort(s.by, descending) for s in board.sorts[:1]]
            board.limit = board.limit if board.limit is not None and board.limit.n > 1 else None
            placed = True
        if not placed and board.before.sorts and direction is not None:
            board.sorts += [Sort(s.by, descending) for s in board.before.sorts]  # "descending", said afterwards
        for word in items:
            if word.says("sort", "desc", "asc") and not word.term:
                word.used = True
        if by is not None and placed:
            items[by].used = True
        if not placed and (board.groups or any(x.says("count", "avg", "sum") for x in items)):
            board.sorts.append(Sort(Measure("?"), descending))  # by the measure, once it is known


def _aggregates(board: Board) -> None:
    items = board.items
    for i, item in enumerate(items):
        fn = next((f for f in _FUNCTIONS if item.says(f)), None)
        if item.used or fn is None:
            continue
        dates = fn in ("max", "min")
        at: int | None = None
        order = (board.near(i), board.near(i, -1))
        if item.columns and _measurable(board, order[0], dates=dates) is None:
            continue  # a column that is called total
        pending = [i]
        if order[0] is not None and items[order[0]].says("and") and (k := board.near(order[0])) is not None and any(items[k].says(f) for f in _FUNCTIONS):
            pending.append(k)  # the average and maximum salary
            order = (board.near(k), order[1])
        at = next((k for k in order if _measurable(board, k, dates=dates) and not items[k].used), None)  # type: ignore[index]
        if at is None:
            at = next((k for k in order if _measurable(board, k, dates=dates)), None)
        if at is None and order[0] is not None and items[order[0]].tables and not items[order[0]].columns:
            behind = board.near(order[0])  # the average order total is one word; average product price is two
            at = behind if _measurable(board, behind, dates=dates) else None
        ref = _measurable(board, at, dates=dates)
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
                columns = [c for c in board.schema.table(board.main).columns if c.kind == "number" and "key" not in c.tags]
                if len(columns) == 1:
                    board.measures.append(Measure("avg", columns[0].ref))
                else:
                    board.asks.append(Ask(item.text, tuple(Measure("avg", c.ref) for c in columns)))
                item.used = True
            continue
        for k in pending:
            f = next(f for f in _FUNCTIONS if items[k].says(f))
            board.measure(Measure(f, ref), k)
            items[k].used = True
        board.use(at)
        more = board.near(at)  # average salary and age
        while more is not None and items[more].says("and") and (k := board.near(more)) is not None and (r := _measurable(board, k)) and not items[k].used:
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
        ref = _measurable(board, i) if item.columns and not item.used and not item.tables else None
        beside = {k for k in (board.near(i), board.near(i, -1)) if k is not None}
        if ref is None or "key" in board.schema.column(ref).tags or any(items[k].number or items[k].says("cmp", "super", "by", "per", "sort") for k in beside):
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
        if item.table_cues and not item.used and not board.measures and any(x.says("count") and not x.used for x in items):
            pieces = [c.ref for t in item.table_cues for c in board.schema.table(t).columns if c.kind == "number" and "piece" in c.about]
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
            elif "key" not in column.tags and column.kind != "boolean" and item.text in ("数量", "数", "个数", "总数", "数目"):
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
        if right is not None and items[right].tables and (k := board.near(right)) is not None and items[k].columns and any(r.table in items[right].tables for r in items[k].columns):
            board.use(right)  # per customer city
            right = k
        left = board.near(i, -1)
        if item.says("per") and left is not None and (right is None or items[right].says("count", "people", *_FUNCTIONS)) and not items[left].tables:
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
        entity: Ref | None = None
        if target.columns:
            refs = [r for r in target.columns if not items[right - 1].tables or r.table in items[right - 1].tables] or list(target.columns)
            entity = board.prefer(refs)[0]
        elif target.tables:
            entity = board.schema.table(target.tables[0]).title.ref
        if entity is None or (item.says("by") and target.tables and not target.columns and not (board.measures or _any_measure(board))):
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
        while more is not None and items[more].says("and") and (k := board.near(more)) is not None and items[k].columns and not items[k].used:
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
    return any(x.says("count", *_FUNCTIONS) for x in board.items)


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
        if board.main is not None and board.schema.path(board.main, g.column.table) is None and board.schema.path(g.column.table, board.main) is not None:
            board.main = g.column.table
    measure = board.measures[0] if board.measures else Measure("count")
    board.sorts = [Sort(measure, s.descending) if isinstance(s.by, Measure) and s.by.fn == "?" else s for s in board.sorts]
