"""Orders and the first few: 最贵的三个, top 5 by price, sorted by age, 订单最多的客户, which month had the most orders."""

from __future__ import annotations

from lab.text2sql.reading import Ask, Board
from lab.text2sql.rules_common import (
    FUNCTIONS,
    columns_about,
    counted_table,
    entity_of,
    measurable,
    measure_at,
    plain_number,
    words_before,
    words_behind,
)
from lab.text2sql.slots import Group, Limit, Measure, Ref, Sort


def read_superlatives(board: Board) -> None:
    for i, item in enumerate(board.items):
        if item.used or not item.says("super") or item.values:
            continue
        if item.says("top") and plain_number(board, board.near(i)) is not None:
            continue
        direction, _, about = item.words["super"].partition(" ")
        _superlative(board, i, direction == ">", about)


def _superlative(board: Board, i: int, most: bool, about: str) -> None:
    items, zh = board.items, board.language == "zh"
    left, right = board.near(i, -1), board.near(i)
    if (
        about == "date"
        and item_is(board, i, "last")
        and right is not None
        and board.items[right].number is None
        and not items[right].term
    ):
        return
    used = [i]
    n = None
    for k in (right, left):
        n = plain_number(board, k, whole=zh and k == right)
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
    ahead = next(
        (
            k
            for k in (board.near(i), beyond, board.next(i, over=("sort",)))
            if k is not None and items[k].says("ahead") and not items[k].term
        ),
        None,
    )
    if board.groups and _rank_parts(board, left if zh else right, most, n, used):
        return
    # 1. counted: the customer with the most orders, 订单最多的客户
    counted = left if zh else right
    if (
        about in ("many", "")
        and counted is not None
        and items[counted].says("count", "people")
        and (inner := board.near(counted, -1 if zh else 1)) is not None
        and items[inner].tables
    ):
        used.append(counted)
        counted = inner
    if about == "sold" and (sold := _sold(board)) is not None and board.main is not None:
        title = board.schema.table(board.main).title.ref
        board.main = sold.table
        _rank(board, title, Measure("sum", sold), most, n)
        board.use(*used)
        return
    table = counted_table(board, counted) if about == "many" else None
    if table is not None and counted is not None:
        order = (
            [*words_behind(board, i), *words_before(board, counted)]
            if zh
            else [*words_before(board, i), *words_behind(board, counted)]
        )
        found = next(
            (
                k
                for k in order
                if k not in (*used, counted)
                and not items[k].used
                and (e := entity_of(board, k))
                and board.schema.path(table, e.table) is not None
                and (items[k].tables[:1] != (table,))
            ),
            None,
        )
        if found is not None and (entity := entity_of(board, found)) is not None:
            board.main = table
            _rank(board, entity, Measure("count"), most, n)
            board.use(*[*used, counted, found])
            return
    # 2. a measure of groups: the city with the highest average salary, 平均薪资最高的城市
    said = measure_at(board, left, -1) if zh else measure_at(board, right, 1)
    said = said or (measure_at(board, right, 1) if zh else None)
    column_at = next((k for k in ((left, right) if zh else (right, left)) if measurable(board, k, dates=True)), None)
    column = measurable(board, column_at) if about in ("", "many") else None
    if said is not None or column is not None:
        measure, parts = (
            said
            if said is not None
            else (Measure(_total(board, column, most), column), [column_at] if column_at is not None else [])
        )
        edge = [*parts, i]
        order = (
            [*words_behind(board, max(edge)), *words_before(board, min(edge))]
            if zh
            else [*words_before(board, min(edge)), *words_behind(board, max(edge))]
        )
        found = next(
            (
                k
                for k in order
                if k not in (*parts, *used)
                and not items[k].used
                and entity_of(board, k) is not None
                and not items[k].values
            ),
            None,
        )
        entity = entity_of(board, found)
        source = measure.column.table if measure.column else board.main
        if (
            found is not None
            and entity is not None
            and source is not None
            and (said is not None or entity.table != source)
        ):
            way = board.schema.path(source, entity.table)
            if way is not None and not (items[found].tables and entity.table == source):
                board.main = source
                _rank(board, entity, measure, most, n)
                board.use(*[*used, *parts, found])
                return
    if said is not None:
        return  # 平均 and 最高 without a group: the average is read on its own
    # 3. a column of the rows
    _by_column(board, i, most, about, n, used, column_at if about in ("", "many") else None, ahead)


def _total(board: Board, column: Ref | None, most: bool) -> str:
    """What a column of several rows comes to: money and pieces add up, of scores the best (or worst) counts."""
    about = board.schema.column(column).about if column else frozenset()
    return "sum" if about & {"money", "piece"} and "price" not in about else "max" if most else "min"


def _rank_parts(board: Board, at: int | None, most: bool, n: int | None, used: list[int]) -> bool:
    """Which month had the most orders, 哪个月的销售额最高: a group by a part of a date is there already."""
    table = counted_table(board, at)
    if at is None:
        return False
    said = measure_at(board, at, -1 if board.language == "zh" else 1)
    column = measurable(board, at)
    if said is not None:
        measure, parts = said
    elif column is not None:
        measure, parts = Measure("sum", column), [at]
    elif table is not None:
        measure, parts = Measure("count"), [at]
    else:
        return False
    board.measures.append(measure)
    board.sorts.append(Sort(measure, most))
    board.limit = Limit(n or 1)
    board.use(*[*used, *parts])
    return True


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


def _by_column(
    board: Board,
    i: int,
    most: bool,
    about: str,
    n: int | None,
    used: list[int],
    column_at: int | None,
    ahead: int | None,
) -> None:
    items, zh = board.items, board.language == "zh"
    item = items[i]
    column: Ref | None = None
    if about and about != "many":
        columns = columns_about(board, about, *(("date",) if about == "date" else ("number",)))
        near = next(
            (
                r
                for k in (board.near(i), board.near(i, -1))
                if k is not None
                for r in board.prefer([c.ref for c in board.columns(items[k].columns, "number", "date")])[:1]
            ),
            None,
        )
        if near is not None and (about in ("date",) or not columns):
            column, column_at = (
                near,
                next(k for k in (board.near(i), board.near(i, -1)) if k is not None and near in items[k].columns),
            )
        elif len(columns) == 1:
            column = columns[0].ref
        elif columns:
            board.asks.append(Ask(item.text, tuple(Sort(c.ref, most) for c in columns)))
            board.limit = board.limit or Limit(n or 1)
            board.use(*used)
            return
        elif about == "old" and (ages := columns_about(board, "age", "number")):
            column = ages[0].ref
        elif about == "old" and (
            births := columns_about(board, "birth", "date") or columns_about(board, "date", "date")
        ):
            column, most = births[0].ref, False
        elif about == "date" and (ages := columns_about(board, "age", "number")):  # oldest of people
            column = ages[0].ref
            most = not most
    elif column_at is not None:
        column = measurable(board, column_at, dates=True)
    if column is None:
        row = any(k is not None and board.main in items[k].tables for k in (board.near(i), board.near(i, -1)))
        if n is None and row and about in ("", "many"):  # the largest order
            n = 1
        if n is not None:  # top 3, best three: of what is not said
            _ask_for_order(board, item.text, most, n)
            board.use(*used)
        return
    if column_at is not None:
        used.append(column_at)
    board.use(*used)
    if ahead is not None:
        board.use(ahead)
        board.sorts.append(Sort(column, most))
        return
    beside = column_at is not None and column_at == board.near(i)
    if (
        n is None
        and (about in ("", "many") or (about == "date" and beside))
        and not _asks_for_rows(board, i, column_at, zh)
    ):
        board.measure(Measure("max" if most else "min", column), i)
        return
    board.sorts.append(Sort(column, most))
    plural_noun = (
        not zh
        and any(items[k].tables and _plural(items[k].text) for k in words_behind(board, i))
        and not any(x.says("which") for x in items[:i])
    )
    several = any(items[k].text in ("几个", "几位", "些") for k in words_behind(board, i))
    if several:
        board.use(*(k for k in words_behind(board, i) if items[k].text in ("几个", "几位")))
    if n is not None or not (plural_noun or several):
        board.limit = Limit(n or 1)


def _plural(word: str) -> bool:
    return word.lower().endswith("s") or word.lower() == "people"


def _asks_for_rows(board: Board, i: int, column_at: int | None, zh: bool) -> bool:
    """Whether a superlative of a column picks rows (the dearest product) or asks for the value (the highest price)."""
    items = board.items
    if zh:
        follows = board.near(max(i, column_at if column_at is not None else i))
        behind = follows is not None and (
            items[follows].tables or items[follows].number is not None or items[follows].text in ("几个", "几位")
        )
        who = any(
            x.says("which")
            and x.text in ("谁", "哪个", "哪位", "哪些", "哪一个", "哪款", "哪几个", "哪几位", "哪家", "是谁")
            for x in items
        )
        named = i + 1 < len(items) and items[i + 1].text == "的"  # 评分最高的是什么
        value = any(
            (x.says("which") and x.text in (("是多少", "为多少") if named else ("是多少", "为多少", "什么", "是什么")))
            or x.says("count")
            for x in items
        )
        subject_first = column_at is not None and column_at < i and not value
        return bool(behind) or who or (subject_first and not items[i - 1].text.endswith("值"))
    follows = board.near(max(i, column_at if column_at is not None else i))
    if (
        follows is not None
        and items[follows].tables
        and items[follows - 1].text.lower() not in ("of", "among", "for", "in", "across")
    ):
        return True
    before = [items[k] for k in words_before(board, i)]
    return (
        any(x.tables for x in before)
        or any(x.text.lower() in ("who", "whose", "which") for x in before)
        or any(
            x.says("show", "find", "follow") and x.text.lower() in ("one", "ones", "the one", "the ones")
            for x in before
        )
    )


def _rank(board: Board, entity: Ref, measure: Measure, most: bool, n: int | None) -> None:
    board.groups.append(Group(entity))
    board.measures.append(measure)
    board.sorts.append(Sort(measure, most))
    board.limit = Limit(n or 1)


def _ask_for_order(board: Board, said: str, most: bool, n: int) -> None:
    table = board.schema.table(board.main) if board.main else board.schema.tables[0]
    kinds = (
        ("number", "date")
        if said.lower().startswith(("top", "bottom", "前", "排名", "后", "倒数", "best"))
        else ("number",)
    )
    columns = [c for c in table.columns if c.kind in kinds and "key" not in c.tags]
    board.limit = Limit(n)
    if len(columns) == 1:
        board.sorts.append(Sort(columns[0].ref, most))
    elif columns:
        board.asks.append(Ask(said, tuple(Sort(c.ref, most) for c in columns)))


def read_tops(board: Board) -> None:
    """Top 5 by price, 前三名, the first ten, 薪资前五的候选人; also a bare "3 candidates"."""
    items = board.items
    for i, item in enumerate(items):
        if item.used or not item.says("top") or item.term:
            continue
        right = board.near(i)
        n = plain_number(board, right)
        if n is None or right is None:
            if item.text.lower() == "limit" and right is not None and (n := plain_number(board, right)):
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
        by = next(
            (k for k in range(len(items)) if items[k].says("by") and not items[k].used and not items[k].values), None
        )
        target = board.near(by) if by is not None else None
        said = measure_at(board, target, 1)
        ref = measurable(board, target, dates=True)
        if said is not None and by is not None:
            found = next(
                (
                    k
                    for k in range(len(items))
                    if k not in said[1]
                    and not items[k].used
                    and entity_of(board, k)
                    and not items[k].values
                    and items[k] is not items[by]
                ),
                None,
            )
            entity = entity_of(board, found)
            source = (
                said[0].column.table
                if said[0].column
                else next((items[k].tables[0] for k in said[1] if items[k].tables), board.main)
            )
            if (
                found is not None
                and entity is not None
                and source is not None
                and board.schema.path(source, entity.table) is not None
            ):
                board.main = source
                _rank(board, entity, said[0], most, n)
                board.use(by, *said[1], found)
                continue
        if ref is not None and by is not None and target is not None:
            board.sorts.append(Sort(ref, most))
            board.use(by, target)
            continue
        for k in (board.near(i, -1), board.near(right)):
            if ref := measurable(board, k, dates=True):
                board.sorts.append(Sort(ref, most))
                board.use(k)  # type: ignore[arg-type]
                break
        else:
            if any(x.says("sort", "desc", "asc") for x in items):
                continue  # the order is said elsewhere
            if any(x.says("per") and not x.used for x in items) or board.groups:
                board.sorts.append(Sort(Measure("?"), most))  # orders per customer, top 5
            elif item.text.lower() in ("top", "bottom", "排名前", "后", "倒数"):
                _ask_for_order(board, board.span(i, right), most, n)
    for i in list(board.quantities):
        n, right = plain_number(board, i), board.near(i)
        if (
            n is not None
            and board.limit is None
            and right is not None
            and items[right].tables
            and not items[right].columns
        ):
            before = board.near(i, -1)
            if before is None or not items[before].term:
                board.limit = Limit(n)
                del board.quantities[i]
                items[i].used = True


def read_sorts(board: Board) -> None:
    """Sorted by price descending, 按薪资从高到低, cheapest first."""
    items = board.items
    for i, item in enumerate(items):
        if item.used or item.term or not item.says("sort", "desc", "asc"):
            continue
        direction = next((x for x in items if x.says("desc", "asc") and not x.used), None)
        descending = (
            direction.says("desc")
            if direction
            else item.text.lower() in ("rank", "ranked", "rank by", "ranked by", "排名")
        )
        candidates: list[int] = []
        by = next(
            (k for k in range(len(items)) if items[k].says("by") and not items[k].used and not items[k].values), None
        )
        counts = not any(x.says("sort") for x in items) and any(
            x.says("count", "people") for x in items
        )  # count by degree, most first
        if by is not None and (k := board.near(by)) is not None and not counts:
            candidates.append(k)
        if item.says("sort") and board.language == "en" and (k := board.near(i)) is not None:
            candidates.append(k)
        if counts:
            board.sorts.append(Sort(Measure("?"), descending))
            for word in items:
                if word.says("desc", "asc") and not word.term:
                    word.used = True
            continue
        candidates += [k for k in words_before(board, i) if items[k].columns][:1]
        placed = False
        for k in candidates:
            said = measure_at(board, k, 1)
            fn = next((f for f in FUNCTIONS if k > 0 and items[k - 1].says(f) and not items[k - 1].used), None)
            if fn and (ref := measurable(board, k)):  # 平均金额从高到低
                said = Measure(fn, ref), [k - 1, k]
            if (
                items[k].tables
                and not items[k].columns
                and (m := board.near(k)) is not None
                and any(r.table in items[k].tables for r in items[m].columns)
            ):
                k = m  # by the restaurant's name
            column = next(iter(board.prefer(items[k].columns)), None)
            if said is not None and (measure := said[0]):
                board.sorts.append(Sort(measure, descending))
                board.use(*[j for j in said[1] if not items[j].tables])
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
        if not placed and board.sorts and direction is not None:  # the largest lakes, ordered from largest to smallest
            board.sorts = [Sort(s.by, descending) for s in board.sorts[:1]]
            board.limit = board.limit if board.limit is not None and board.limit.n > 1 else None
            placed = True
        if (
            not placed
            and board.measures == []
            and not any(x.says("count", "people", *FUNCTIONS) for x in items)
            and not board.before.sorts
        ):
            continue
        if not placed and board.before.sorts and direction is not None:
            board.sorts += [Sort(s.by, descending) for s in board.before.sorts]  # "descending", said afterwards
        for word in items:
            if word.says("sort", "desc", "asc") and not word.term:
                word.used = True
        if by is not None and placed:
            items[by].used = True
        if not placed and (board.groups or any(x.says("count", "people", "avg", "sum") for x in items)):
            board.sorts.append(Sort(Measure("?"), descending))  # by the measure, once it is known
