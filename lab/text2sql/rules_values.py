"""Values that are named: 北京或上海, not on-site, 本科以上, names that contain something; and what negates them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lab.text2sql.reading import Ask, Board
from lab.text2sql.scan import Item, Value
from lab.text2sql.schema import Column
from lab.text2sql.slots import Filter, Ref, Scalar


def negation_of(board: Board, i: int) -> int | None:
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
    not_at = negation_of(board, i)
    if not_at is not None:
        board.use(not_at)
    return Filter(value.ref, m[1] or "=", (plain(float(m[2])),), not_at is not None, item.text)


def plain(value: float) -> float | int:
    return int(value) if value == int(value) else round(value, 9)


def read_values(board: Board) -> None:
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
            if (
                items[k].values
                and k == j + 1
                and not items[k].used
                and items[k].text != items[j].text
                and board.language != "en"
            ):
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
    not_at = negation_of(board, first)
    behind = board.near(last)
    if not_at is None and behind is not None and items[behind].says("beyond"):
        not_at = behind
    negated = not_at is not None
    op, at_least = _compared(board, run)
    said = board.span(
        min(first, not_at) if not_at is not None else first, max(last, not_at) if not_at is not None else last
    )
    options: list[list[Filter]] = []
    for ref in candidates:
        column = board.schema.column(ref)
        stored = [_stored(items[k].values, ref) for k in run]
        values: list[Scalar] = [v for several in stored for v in several]
        if column.kind == "list":
            if either or negated:
                options.append(
                    [Filter(ref, "has", (v,), True, said) for v in values]
                    if negated
                    else [Filter(ref, "has", tuple(values), False, said)]
                )
            else:
                options.append([Filter(ref, "has", tuple(several), False, said) for several in stored])
        elif op and column.hint.order:
            options.append([Filter(ref, "=", _from(column.hint.order, values[0], at_least), negated, said)])
        else:
            options.append([Filter(ref, "=", tuple(dict.fromkeys(values)), negated, said)])
    board.use(*run, *(k for k in range(run[0], run[-1]) if items[k].says("and", "or") and not items[k].term))
    if run[0] > 0 and items[run[0] - 1].says("or") and (run[0] == 1 or items[run[0] - 1].text.lower() == "either"):
        board.use(run[0] - 1)
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
    k = left_of(board, run[0])
    while k is not None:
        named = [r for r in (*items[k].columns, *items[k].cues) if r in refs]
        if named and not items[k].values:
            ref, before = board.prefer(named)[0], left_of(board, k)
            if before is not None and not items[k].columns and ref in items[before].columns:
                items[before].used = True  # 名字叫...
            return ref, k
        if items[k].says("cmp", "not") and not items[k].term or items[k].cues:
            k = left_of(board, k)
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


def left_of(board: Board, i: int) -> int | None:
    """The item before, past small words and past a colon."""
    j = i - 1
    while j >= 0 and (board.items[j].idle or board.items[j].text in (":", "：")):
        j -= 1
    return j if j >= 0 and not board.items[j].breaks else None


def read_texts(board: Board) -> None:
    """Names that contain, begin or end with something: 名称包含茶, 以A开头, "starting with A", 姓王的."""
    items = board.items
    for i, item in enumerate(items):
        if item.used:
            continue
        if item.says("surname") and item.quoted:
            title = board.schema.table(board.main).title if board.main else None
            if title is not None:
                not_at = negation_of(board, i)
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
        if (
            items[k].values
            and any(v.ref == column.ref for v in items[k].values)
            and column.kind in ("list", "category")
        ):
            continue
        last = k
        if items[k].unknown and not items[k].quoted:
            while last + 1 < len(items) and items[last + 1].unknown:
                last += 1
        needle = items[k].quoted or board.span(k, last)
        column = _where_it_occurs(board, column, needle, op)
        not_at = negation_of(board, i)
        board.filters.append(Filter(column.ref, op, (needle,), not_at is not None, board.span(i, last)))
        board.use(i, *range(k, last + 1), *([not_at] if not_at is not None else []))
    for i, item in enumerate(items):
        tail = board.near(i)
        if (
            item.used
            or tail is None
            or not items[tail].says("head", "tail")
            or not (item.unknown or item.quoted or item.values)
        ):
            continue
        column = _text_column(board, i, i)
        if column is not None:
            board.filters.append(
                Filter(
                    column.ref,
                    "starts" if items[tail].says("head") else "ends",
                    (item.quoted or item.text,),
                    False,
                    board.span(i, tail),
                )
            )
            board.use(i, tail)
    for i, item in enumerate(items):  # quoted, and no value of any column that is known
        if item.used or item.quoted is None or item.values:
            continue
        column = _text_column(board, i, i)
        if column is not None:
            not_at = negation_of(board, i)
            exact = not any(x.says("like", "contains") for x in items)
            board.filters.append(
                Filter(column.ref, "=" if exact else "contains", (item.quoted,), not_at is not None, item.text)
            )
            board.use(i, *([not_at] if not_at is not None else []))


def _where_it_occurs(board: Board, column: Column, needle: str, op: str) -> Column:
    """The title column, or its sister in the other language where only that one has the words."""

    def occurs(c: Column) -> bool:
        low = needle.lower()
        return any(
            low in v.lower()
            if op == "contains"
            else v.lower().startswith(low)
            if op == "starts"
            else v.lower().endswith(low)
            for v in c.values
        )

    if occurs(column) or not column.complete:
        return column
    sisters = [
        c for c in board.schema.table(column.table).columns if c.kind == "text" and c.name.startswith(column.name)
    ]
    return next((c for c in sisters if occurs(c)), column)


def _text_column(board: Board, i: int, k: int) -> Column | None:
    """The text column that is named near, else the title of the question's table."""
    items = board.items
    around = [board.near(i, -1), board.near(k), left_of(board, i)]
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
