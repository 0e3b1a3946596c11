"""Which rows: values, quantities, days, what is there and what is not, with their negation and their columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lab.text2sql.numbers import unit_kind
from lab.text2sql.reading import Ask, Board, Period, Quantity
from lab.text2sql.rules_output import columns_about
from lab.text2sql.scan import Item, Value
from lab.text2sql.schema import Column
from lab.text2sql.slots import Filter, Group, Ref, Scalar, Shown

_UNIT_ABOUT = {"money": ("money",), "years": ("years", "experience"), "age": ("age",)}


def read_filters(board: Board) -> None:
    """All conditions, the surest first: what is written in quotes, values, numbers, days, then bare columns."""
    _texts(board)
    _values(board)
    _quantities(board)
    _periods(board)
    _presence(board)
    _linked(board)


# --------------------------------------------------------------------------------------------------- values


def _negated(board: Board, i: int) -> int | None:
    """The word that negates an item: straight before it, its own column and small words between; 以外 behind it."""
    mine = {*(v.ref for v in board.items[i].values), *board.items[i].columns}
    j = i - 1
    while j >= 0:
        item = board.items[j]
        if item.breaks or (item.text == "的" and j > 0 and not board.items[j - 1].says("not")):
            break
        if item.used and not item.term and not item.says("not") and item.number is None and item.date is None:
            j -= 1
            continue
        if item.says("not") and not (item.values or item.columns or item.tables):
            return j
        if item.says("and", "or") or item.values or item.tables or item.number or item.date:
            break
        others = {*item.columns, *item.cues}
        if others and not others & mine and mine:
            break
        if not (item.idle or others or item.says("have", "cmp", "contains", "follow")):
            break
        j -= 1
    k = board.near(i)
    return k if k is not None and board.items[k].says("beyond") else None


def _values(board: Board) -> None:
    items = board.items
    i = 0
    while i < len(items):
        if items[i].used or not items[i].values:
            i += 1
            continue
        if (word := _number_word(board, i)) is not None:
            if isinstance(word, Filter):
                board.filters.append(word)
                board.use(i)
            i += 1
            continue
        run = [i]  # Berlin, Paris or Munich: values of one column in a row
        either = False
        j = i
        while True:
            k = board.near(j) if j + 1 < len(items) else None
            if k is None and j + 2 < len(items) and items[j + 1].text in (",", "，") and items[j + 2].values:
                k = j + 1  # a comma inside a list
            if k is None:
                break
            if items[k].values and k == j + 1 and not items[k].used and items[k].text != items[j].text and board.language != "en":
                nxt: int | None = k
            elif items[k].says("and", "or") or items[k].text in (",", "，"):
                either |= items[k].says("or")
                nxt = board.near(k)
            else:
                break
            if nxt is not None and items[nxt].says("or", "and") and not items[nxt].term:  # ", or"
                either |= items[nxt].says("or")
                nxt = board.near(nxt)
            if nxt is None or not items[nxt].values or items[nxt].used:
                break
            if not _shared(items[i], items[nxt]):
                break
            run.append(nxt)
            j = nxt
        _value_run(board, run, either)
        i = run[-1] + 1


def _number_word(board: Board, i: int) -> Filter | bool | None:
    """A word that stands for a condition on numbers (sold out: = 0, in stock: > 0); False where a number stands beside it."""
    item = board.items[i]
    found = [v for v in item.values if board.schema.column(v.ref).kind == "number"]
    if not found:
        return None
    if any(k is not None and board.items[k].number is not None for k in (board.near(i), board.near(i, -1))):
        return False
    refs = board.prefer([v.ref for v in found])
    value = next(v for v in found if v.ref == refs[0])
    m = re.fullmatch(r"(<=|>=|<|>|=)?\s*(-?\d+(?:\.\d+)?)", value.value)
    if m is None:
        return None
    not_at = _negated(board, i)
    if not_at is not None:
        board.use(not_at)
    return Filter(value.ref, m[1] or "=", (_plain(float(m[2])),), not_at is not None, item.text)


def _shared(a: Item, b: Item) -> set[Ref]:
    return {v.ref for v in a.values} & {v.ref for v in b.values}


def _value_run(board: Board, run: list[int], either: bool) -> None:
    items = board.items
    refs = [v.ref for v in items[run[0]].values]
    for k in run[1:]:
        refs = [r for r in refs if r in {v.ref for v in items[k].values}]
    refs = list(dict.fromkeys(refs))
    named = _named_beside(board, run, refs)
    if named is not None:
        ref, at = named
        items[at].used = True
        candidates = [ref]
    else:
        candidates = board.prefer(refs)
        if len(candidates) > 1:
            candidates = board.in_use(candidates) or candidates
        titles = [r for r in candidates if r == board.schema.table(r.table).title.ref]
        if len(titles) == 1 and len({r.table for r in candidates}) == 1:
            candidates = titles  # a name before what else is written like it
    first, last = run[0], run[-1]
    not_at = _negated(board, first)
    behind = board.near(last)
    if not_at is None and behind is not None and items[behind].says("beyond"):
        not_at = behind
    negated = not_at is not None
    op, at_least = _compared(board, run)
    said = board.span(min(first, not_at) if not_at is not None else first, max(last, not_at) if not_at is not None else last)
    options: list[list[Filter]] = []
    for ref in candidates:
        column = board.schema.column(ref)
        stored = [_stored(items[k].values, ref) for k in run]
        values: list[Scalar] = [v for several in stored for v in several]
        if column.kind == "list":
            if either or negated:
                options.append([Filter(ref, "has", (v,), True, said) for v in values] if negated else [Filter(ref, "has", tuple(values), False, said)])
            else:
                options.append([Filter(ref, "has", tuple(several), False, said) for several in stored])
        elif op and column.hint.order:
            options.append([Filter(ref, "=", _from(column.hint.order, values[0], at_least), negated, said)])
        else:
            options.append([Filter(ref, "=", tuple(dict.fromkeys(values)), negated, said)])
    board.use(*run)
    if not_at is not None:
        items[not_at].used = True
        if behind is not None and items[behind].says("beyond"):
            items[behind].used = True
    if op and any(board.schema.column(r).hint.order for r in candidates):
        for edge in (board.near(first, -1), behind):
            if edge is not None and items[edge].says("cmp", "after"):
                items[edge].used = True
    if len(options) == 1:
        board.filters += options[0]
    elif options:
        board.asks.append(Ask(board.span(first, last), tuple(f[0] for f in options)))


def _stored(values: Sequence[Value], ref: Ref) -> list[str]:
    return [v.value for v in values if v.ref == ref]


def _compared(board: Board, run: list[int]) -> tuple[bool, bool]:
    """Whether a value stands with 以上, at least, 以下; and whether it is "at least"."""
    before, behind = board.near(run[0], -1), board.near(run[-1])
    for k, kind in ((before, "cmp"), (behind, "after")):
        if k is not None and board.items[k].says(kind) and not board.items[k].used:
            return True, board.items[k].words[kind].startswith(">")
    return False, False


def _from(order: Sequence[str], value: Scalar, at_least: bool) -> tuple[Scalar, ...]:
    at = list(order).index(str(value)) if value in order else 0
    return tuple(order[at:]) if at_least else tuple(order[: at + 1])


def _named_beside(board: Board, run: list[int], refs: Sequence[Ref]) -> tuple[Ref, int] | None:
    """The column that is named next to a value: 城市是上海, Python skills, skill: Python; and the item that names it."""
    items = board.items
    k = _left(board, run[0])
    while k is not None:
        named = [r for r in (*items[k].columns, *items[k].cues) if r in refs]
        if named and not items[k].values:
            return board.prefer(named)[0], k
        if items[k].says("cmp", "not") and not items[k].term or items[k].cues:
            k = _left(board, k)
            continue
        break
    k = board.near(run[-1])
    if k is not None and items[k].says("after") and not items[k].term:
        k = board.near(k)
    if k is not None and not items[k].values and not items[k].used:
        named = [r for r in items[k].columns if r in refs]
        if named:
            return board.prefer(named)[0], k
    return None


def _left(board: Board, i: int) -> int | None:
    """The item before, past small words and past a colon."""
    j = i - 1
    while j >= 0 and (board.items[j].idle or board.items[j].text in (":", "：")):
        j -= 1
    return j if j >= 0 and not board.items[j].breaks else None


# ----------------------------------------------------------------------------------------------- free text


def _texts(board: Board) -> None:
    """Names that contain, begin or end with something: 名称包含茶, 以A开头, "starting with A", 姓王的."""
    items = board.items
    for i, item in enumerate(items):
        if item.used:
            continue
        if item.says("surname") and item.quoted:
            title = board.schema.table(board.main).title if board.main else None
            if title is not None:
                not_at = _negated(board, i)
                board.filters.append(Filter(title.ref, "starts", (item.quoted,), not_at is not None, item.text))
                board.use(i, *([not_at] if not_at is not None else []))
            continue
        op = next((o for o in ("contains", "starts", "ends") if item.says(o) and not item.term), None)
        if op is None:
            continue
        k = board.near(i)
        if k is None or not (items[k].unknown or items[k].quoted or items[k].values):
            continue
        column = _text_column(board, i, k)
        if column is None:
            continue
        if items[k].values and any(v.ref == column.ref for v in items[k].values) and column.kind in ("list", "category"):
            continue
        last = k
        if items[k].unknown and not items[k].quoted:
            while last + 1 < len(items) and items[last + 1].unknown:
                last += 1
        needle = items[k].quoted or board.span(k, last)
        column = _where_it_occurs(board, column, needle, op)
        not_at = _negated(board, i)
        board.filters.append(Filter(column.ref, op, (needle,), not_at is not None, board.span(i, last)))
        board.use(i, *range(k, last + 1), *([not_at] if not_at is not None else []))
    for i, item in enumerate(items):
        tail = board.near(i)
        if item.used or tail is None or not items[tail].says("head", "tail") or not (item.unknown or item.quoted or item.values):
            continue
        column = _text_column(board, i, i)
        if column is not None:
            board.filters.append(Filter(column.ref, "starts" if items[tail].says("head") else "ends", (item.quoted or item.text,), False, board.span(i, tail)))
            board.use(i, tail)
    for i, item in enumerate(items):  # quoted, and no value of any column that is known
        if item.used or item.quoted is None or item.values:
            continue
        column = _text_column(board, i, i)
        if column is not None:
            not_at = _negated(board, i)
            exact = not any(x.says("like", "contains") for x in items)
            board.filters.append(Filter(column.ref, "=" if exact else "contains", (item.quoted,), not_at is not None, item.text))
            board.use(i, *([not_at] if not_at is not None else []))


def _where_it_occurs(board: Board, column: Column, needle: str, op: str) -> Column:
    """The title column, or its sister in the other language where only that one has the words."""

    def occurs(c: Column) -> bool:
        low = needle.lower()
        return any(low in v.lower() if op == "contains" else v.lower().startswith(low) if op == "starts" else v.lower().endswith(low) for v in c.values)

    if occurs(column) or not column.complete:
        return column
    sisters = [c for c in board.schema.table(column.table).columns if c.kind == "text" and c.name.startswith(column.name)]
    return next((c for c in sisters if occurs(c)), column)


def _text_column(board: Board, i: int, k: int) -> Column | None:
    """The text column that is named near, else the title of the question's table."""
    items = board.items
    around = [board.near(i, -1), board.near(k), _left(board, i)]
    j = board.near(i, -1)
    if j is not None and items[j].says("have", "in"):
        around.append(board.near(j, -1))
    for a in around:
        if a is None or items[a].values:
            continue
        found = board.columns(items[a].columns or items[a].cues, "text", "category", "list")
        if found:
            items[a].used = True
            return next((c for c in found if c.ref in board.prefer([x.ref for x in found])), found[0])
    return board.schema.table(board.main).title if board.main else None


# ----------------------------------------------------------------------------------------------- quantities


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
    elif about in ("money", "years", "age", "points", "percent", "hours", "days", "months", "weight", "weight g", "km", "metre", "minutes", "mile"):
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
        return item.used and not item.term and (item.says(*mine) or item.number is not None) and not (k in board.quantities and k != i)

    while first > 0 and ours(first - 1):
        first -= 1
    while last + 1 < len(board.items) and ours(last + 1):
        last += 1
    return first, last


def _column_beside(board: Board, first: int, last: int, q: Quantity, about: str, taken: set[int]) -> tuple[int, list[Column]] | None:
    """The numeric column that is named beside a quantity, and where."""
    items = board.items

    def fits(k: int | None) -> list[Column]:
        if k is None or k in taken:
            return []
        item = items[k]
        found = [c for c in board.columns((*item.columns, *item.cues), "number") if "key" not in c.tags or item.columns]
        if about and about != "piece":
            known = [c for c in found if c.unit[0] == about or about in c.about or (about == "years" and c.about & {"age", "experience"})]
            unknown = [c for c in found if not (c.about & {"money", "years", "age", "piece", "rating", "weight", "percent"})]
            found = known or unknown
        refs = board.prefer([c.ref for c in found])
        return [c for c in found if c.ref in refs]

    left = _skip(board, first, -1)
    right = _skip(board, last, 1)
    close_right = right is not None and all(x.idle or x.used for x in items[last + 1 : right]) and not any(x.breaks for x in items[last + 1 : right])
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
    values: tuple[Scalar, ...] = tuple(_plain(v / scale) for v in q.values)
    return Filter(column.ref, q.op or "=", values, q.negated, said, why)


def _plain(value: float) -> float | int:
    return int(value) if value == int(value) else round(value, 9)


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
            board.filters.append(Filter(ref, "=", (_plain(q.values[0]),), False, board.span(left, i)))
            item.used = True
            return
    items[i].used, items[i].unknown = False, True


# -------------------------------------------------------------------------------------------------- periods


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
        if not met(first, after) and met(*later) and "-02-29" not in f"{first}{after}":
            return later
    return first, after


def _extent_of_period(board: Board, i: int) -> tuple[int, int]:
    items = board.items
    first = last = i
    while first > 0 and items[first - 1].used and items[first - 1].says("since", "past", "before", "until", "between", "not", "cmp") and not items[first - 1].term:
        first -= 1
    while last + 1 < len(items) and items[last + 1].used and (items[last + 1].says("since", "past", "before", "until", "to", "and", "after") or items[last + 1].date) and not items[last + 1].term:
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
        columns = [c for t in several for c in board.schema.table(t).columns if board.main is None or board.schema.reachable(board.main, t)]
        years = [c for c in columns if c.is_year] if p.whole_years else []
        found = [c for c in columns if c.kind == "date"] or years
        if found:
            used = board.in_use([c.ref for c in found])
            return [c for c in found if c.ref in used] if len(found) > 1 and used else found
    return []


# ------------------------------------------------------------------------------------ columns by themselves


def _presence(board: Board) -> None:
    """Booleans (可出差的, can't travel), what is empty (没有邮箱的, with email), and columns to show."""
    items = board.items
    for i, item in enumerate(items):
        if item.used or (item.values and not item.cues) or not (item.columns or item.cues):
            continue
        if not item.columns:
            item.used = True  # a cue without anything that it points to says nothing more
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
        if before is not None and items[before].says("empty", "filled") and not items[before].term and not items[before].says("contains"):
            board.filters.append(Filter(ref, "empty", (), items[before].says("filled"), board.span(before, i)))
            board.use(before, i)
            continue
        not_at = _negated(board, i)
        if column.kind == "boolean":
            board.filters.append(Filter(ref, "=", (not_at is None,), False, board.span(min(i, not_at) if not_at is not None else i, i)))
            board.use(i, *([not_at] if not_at is not None else []))
            continue
        if not_at is not None and not_at < i:
            board.filters.append(Filter(ref, "empty", (), False, board.span(not_at, i)))
            board.use(i, not_at)
            continue
        if before is not None and items[before].says("have") and not board.wants_values and not any(x.says("show") for x in items[:i]):
            board.filters.append(Filter(ref, "empty", (), True, board.span(before, i)))
            board.use(before, i)
            continue
        asked = i > 0 and items[i - 1].text.lower() in ("哪些", "有哪些", "which", "what", "different", "distinct", "不同")
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
        not_at = _negated(board, i)
        said = any(f.column.table == table for f in board.filters)
        if down and not_at is not None and said:
            board.filters = [Filter(f.column, f.op, f.values, not f.negated, f.said, f.why) if f.column.table == table else f for f in board.filters]
        elif down and not said:
            ref = board.schema.table(table).columns[0].ref
            board.filters.append(Filter(ref, "linked", (), not_at is not None, item.text))
        item.used = True
        if not_at is not None:
            items[not_at].used = True
