"""What the rules share: which column, table or measure an item can mean, and what stands before and behind it."""

from __future__ import annotations

from collections.abc import Iterator

from lab.text2sql.numbers import unit_kind
from lab.text2sql.reading import Board
from lab.text2sql.schema import Column, first_labelled
from lab.text2sql.slots import Measure, Ref

FUNCTIONS = ("avg", "sum", "max", "min")
ABOUT = {
    "price": ("price", "money"), "salary": ("salary", "money"), "experience": ("experience", "years"), "date": ("date",), "age": ("age",),
    "many": ("piece",), "rating": ("rating",), "piece": ("piece",), "length": ("length", "duration"), "weight": ("weight",),
}  # fmt: skip


def columns_about(board: Board, about: str, *kinds: str) -> list[Column]:
    """Columns that are about something: of the question's table, else of tables that can be reached from it."""
    tags = ABOUT.get(about, (about,))
    tables = [board.main] if board.main else list(board.schema.names)
    for several in (tables, board.schema.names):
        columns = [c for t in several for c in board.schema.table(t).columns if "key" not in c.tags]
        columns = [c for c in columns if board.main is None or board.schema.reachable(board.main, c.table)]
        found = first_labelled([c for c in columns if not kinds or c.kind in kinds], *tags)
        if found:
            return found
    return []


def measurable(board: Board, i: int | None, *, dates: bool = False) -> Ref | None:
    """The numeric (or date) column that an item names, if it names one."""
    if i is None:
        return None
    item = board.items[i]
    kinds = ("number", "date") if dates else ("number",)
    found = [
        c.ref
        for c in board.columns(item.columns or item.cues, *kinds)
        if "key" not in c.tags or len(item.columns) == 1 and item.columns
    ]
    return board.prefer(found)[0] if found else None


def entity_of(board: Board, i: int | None) -> Ref | None:
    """What rows can be grouped by: a table (its title) or a column that is no measure."""
    if i is None:
        return None
    item = board.items[i]
    columns = [c.ref for c in board.columns(item.columns) if c.kind in ("category", "text", "boolean") or c.is_year]
    if columns:
        return board.prefer(columns)[0]
    return board.schema.table(item.tables[0]).title.ref if item.tables else None


def words_before(board: Board, i: int) -> Iterator[int]:
    """Items before, nearest first, up to a break."""
    j = i - 1
    while j >= 0 and not board.items[j].breaks:
        yield j
        j -= 1


def words_behind(board: Board, i: int) -> Iterator[int]:
    j = i + 1
    while j < len(board.items) and not board.items[j].breaks:
        yield j
        j += 1


def plain_number(board: Board, i: int | None, *, whole: bool = False) -> int | None:
    """The whole number at an item, where it counts rows: no comparison, no unit but a measure word."""
    q = board.quantities.get(i) if i is not None else None
    if q is None or q.op or q.about or len(q.values) != 1 or not 0 < q.values[0] <= 100_000 or q.values[0] % 1:
        return None
    days = whole and q.unit in ("天", "年", "月", "周")  # 最热的三天: rows that are days
    return int(q.values[0]) if q.unit == "" or unit_kind(q.unit) == "piece" or days else None


def measure_at(board: Board, i: int | None, step: int) -> tuple[Measure, list[int]] | None:
    """A measure said at an item, in a direction: (average) price, number of orders, 订单数; and its items."""
    if i is None:
        return None
    items = board.items
    item = items[i]
    other = board.near(i, step)
    for a, b in ((i, other), (other, i)):
        if a is None or b is None:
            continue
        fn = next((f for f in FUNCTIONS if items[a].says(f)), None)
        if fn and (ref := measurable(board, b)):
            return Measure(fn, ref), [a, b]
        if items[a].says("count") and items[b].tables and not items[b].columns:
            return Measure("count"), [a, b]
        if fn == "sum" and items[b].says("count") and (c := board.near(b, step)) is not None and items[c].tables:
            return Measure("count"), [a, b, c]
    if item.says("people"):
        return Measure("count"), [i]
    return None


def counted_table(board: Board, at: int | None) -> str | None:
    """The table whose rows "most" counts: 订单最多, the most orders; 下单最多 by the day that it points to."""
    if at is None or board.items[at].columns:
        return None
    item = board.items[at]
    dated = [c.table for c in board.columns(item.cues, "date")]
    return next(iter((*item.tables, *item.table_cues, *dated)), None)
