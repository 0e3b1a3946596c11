"""Reads a question by rules: no model, no network, the same answer every time.

The order of the work: scan, turn words (remove, instead, start over), the table that is asked about, numbers and
days, what to make of the rows, conditions, and at the end the names of all words that nobody understood.
"""

from __future__ import annotations

import datetime as dt

from lab.text import language_of
from lab.text2sql.numbers import unit_kind
from lab.text2sql.reading import Board, Reading
from lab.text2sql.rules_common import columns_about
from lab.text2sql.rules_filters import read_filters
from lab.text2sql.rules_numbers import read_periods, read_quantities
from lab.text2sql.rules_output import read_output
from lab.text2sql.scan import Item, LookUp, Vocabulary, scan
from lab.text2sql.slots import Shown, Slots

_ASIDE_WORDS = (
    """and to have also replace follow show find which worth people limits all in stop closed than sum ahead"""
)
_ASIDE = tuple(_ASIDE_WORDS.split())
_FROM = ("from", "从", "starting from", "starting", "beginning")


def read(
    question: str, vocabulary: Vocabulary, *, as_of: dt.date, before: Slots | None = None, look_up: LookUp | None = None
) -> Reading:
    """What a question says about a database; ``before`` are the slots of the conversation so far."""
    before = before or Slots()
    items = scan(question, vocabulary, as_of=as_of, look_up=look_up)
    board = Board(items, vocabulary, language_of(question), before, as_of)
    reset = _resets(board)
    replaces = any(x.says("replace") and not x.term for x in items)
    also = bool(items) and items[0].says("or") and bool(before) or any(x.says("also") and not x.term for x in items)
    follow = replaces or also or any(x.says("follow") and not x.term for x in items)
    opening = _opens(items)
    _drops(board)
    _main(board, follow=(follow or bool(board.drops)) and bool(before) and not reset)
    plain = any(x.says("show") and not x.term for x in items)
    read_quantities(board)
    read_periods(board)
    read_output(board)
    board.wants_values |= any(
        x.says("which")
        and x.text in ("是多少", "什么", "是什么", "为多少", "what", "what's", "what is", "what are", "how much")
        for x in items
    )
    read_filters(board)
    _worth(board)
    _main_at_last(board)
    return Reading(
        language=board.language,
        table=board.main,
        named=board.named,
        slots=board.slots(),
        drops=tuple(dict.fromkeys(board.drops)),
        dropped_values=tuple(dict.fromkeys(board.dropped_values)),
        reset=reset,
        follow=follow or bool(board.drops),
        opening=opening,
        replaces=replaces,
        also=also,
        plain_rows=plain and not board.measures,
        counts=board.counted,
        asks=tuple(board.asks),
        unknown=_unknown(board),
    )


def _opens(items: list[Item]) -> bool:
    """Whether the question begins like a new one: find, list, how many, which."""
    for item in items[:3]:
        if item.says("find", "show", "which", "count") and not item.term:
            return True
        if not item.idle:
            return False
    return False


def _resets(board: Board) -> bool:
    for item in board.items:
        if item.says("reset") and not item.term:
            item.used = True
            return True
    return False


# -------------------------------------------------------------------------------------------------- removal


def _drops(board: Board) -> None:
    """不限薪资了, 薪资不限, any city, regardless of salary, no salary limit, remove Python."""
    items = board.items
    for i, item in enumerate(items):
        if item.used or item.term:
            continue
        if (
            item.says("not")
            and (k := board.near(i)) is not None
            and items[k].columns
            and (m := board.near(k)) is not None
            and items[m].says("limits")
        ):
            _drop(board, k)  # no salary limit
            board.use(i, m)
        elif item.says("drop"):
            left, right = board.near(i, -1), board.near(i)
            target = left if left is not None and _droppable(items[left]) and not items[left].used else right
            if target is not None and _droppable(items[target]):
                _drop(board, target, backwards=target == left)
                item.used = True
            elif board.before:
                item.used = True
                board.drops.append("filters")
        elif item.says("undo"):
            right = board.near(i)
            if right is not None and items[right].says("all") and (k := board.near(right)):
                right = k
            without = item.text.lower() in (
                "不看",
                "不考虑",
                "去掉",
                "去除",
                "拿掉",
                "删掉",
                "删除",
                "remove",
                "drop",
                "ignore",
                "delete",
                "disregard",
            )
            if (
                without
                and right is not None
                and items[right].values
                and not items[right].columns
                and not _in_force(board, items[right])
            ):
                item.words["not"] = ""  # 不看已取消的, where nothing was said of it so far: without them
            elif (
                right is not None
                and _droppable(items[right])
                and not (item.text.lower() == "any" and items[right].values and not items[right].columns)
            ):
                _drop(board, right)
                item.used = True
            elif (
                right is not None
                and items[right].says("limits", "sort", "top")
                or (right is not None and items[right].text in ("排序", "顺序", "order", "sorting"))
            ):
                kind = (
                    "sort"
                    if items[right].says("sort") or items[right].text in ("顺序", "order", "sorting")
                    else "filters"
                )
                board.drops.append(kind)
                board.use(i, right)
            elif item.text.lower() == "any":
                item.used = True


def _in_force(board: Board, item: Item) -> bool:
    """Whether the conversation has a condition with a value that this item stands for."""
    return any(f.column == v.ref and v.value in f.values for f in board.before.filters for v in item.values)


def _droppable(item: Item) -> bool:
    return bool(item.columns or item.values or item.cues) and not item.tables


def _drop(board: Board, at: int, *, backwards: bool = False) -> None:
    items = board.items
    here: int | None = at
    while here is not None and _droppable(items[here]) and not items[here].used:
        item = items[here]
        refs = item.columns or item.cues
        if refs:
            used = board.in_use(refs)
            board.drops += used or board.prefer(refs)[:1]
        else:
            board.dropped_values += [(v.ref, v.value) for v in item.values]
        item.used = True
        step = -1 if backwards else 1
        link = board.near(here, step)
        if link is not None and items[link].says("limits"):
            items[link].used = True
            link = board.near(link, step)
        here = board.near(link, step) if link is not None and items[link].says("and", "or") else None


# --------------------------------------------------------------------------------------- the question's table


def _main(board: Board, *, follow: bool) -> None:
    items, zh = board.items, board.language == "zh"
    named: list[tuple[int, str]] = []
    asked: list[tuple[int, str]] = []
    weak: list[tuple[int, str]] = []
    for i, item in enumerate(items):
        if item.used or not item.tables or item.values or (item.columns and not _bare(board, i)):
            continue
        table = item.tables[0]
        left, right = board.near(i, -1), board.near(i)
        if item.says("stop") or item.text.lower() in ("people", "person", "someone"):
            weak.append((i, table))
            continue
        if left is not None and items[left].says("per", "by") and not items[left].term:
            continue
        if left is not None and items[left].says("have", "not") and not items[left].term and not zh and named:
            continue  # customers with orders
        if (
            not zh
            and right is not None
            and right == i + 1
            and items[right].columns
            and any(r.table == table for r in items[right].columns)
        ):
            weak.append((i, table))  # customer city
            continue
        before_it = next(
            (items[j] for j in range(i - 1, -1, -1) if not (items[j].idle and not items[j].says("which"))), None
        )
        (asked if before_it is not None and before_it.says("which", "count") and not before_it.term else named).append(
            (i, table)
        )
    strong = asked or named
    if strong:
        at = strong[0] if asked or not zh else strong[-1]
        board.main, board.named = at[1], True
        counted = asked and board.before.table and board.schema.path(at[1], board.before.table) is not None
        if follow and board.before.table and not counted and board.schema.reachable(board.before.table, at[1]):
            board.main, board.named = board.before.table, at[1] == board.before.table
        return
    if (
        board.before.table
        and (follow or not weak or weak[0][1] == board.before.table)
        and _fits(board, board.before.table)
    ):
        board.main = board.before.table
        return
    if weak:
        board.main, board.named = weak[-1 if zh else 0][1], not board.before
        return
    board.main = _elected(board) or board.before.table


def _bare(board: Board, i: int) -> bool:
    """A word that is a table and a column is the table, where no value or number stands beside it."""
    return not any(
        k is not None and (board.items[k].values or board.items[k].number) for k in (board.near(i, -1), board.near(i))
    )


def _referred(board: Board) -> list[set[str]]:
    """For every item, the tables that it can be about."""
    out = []
    for item in board.items:
        tables = (
            {r.table for r in (*item.columns, *item.cues)} | {v.ref.table for v in item.values} | set(item.table_cues)
        )
        if tables and not item.used:
            out.append(tables)
    return out


def _fits(board: Board, table: str) -> bool:
    """Whether everything that is named can be asked of a table."""
    return all(any(board.schema.reachable(table, t) for t in tables) for tables in _referred(board))


def _elected(board: Board) -> str | None:
    """Where no table is named: the one that most of the words are about."""
    names = board.schema.names
    if len(names) == 1:
        return names[0]
    votes: dict[str, float] = dict.fromkeys(names, 0.0)
    for tables in _referred(board):
        for t in tables:
            votes[t] += 1.0 / len(tables) + 0.5
    for item in board.items:
        if item.number is not None and item.number.unit:
            about = unit_kind(item.number.unit)
            for t in names:
                if about and any(about in c.about for c in board.schema.table(t).columns):
                    votes[t] += 0.25
    best = max(votes.values())
    if not best:
        return None
    fitting = [t for t in names if votes[t] == best]
    return next((t for t in fitting if _fits(board, t)), fitting[0])


def _main_at_last(board: Board) -> None:
    if board.main is None:
        tables = {r.table for r in board.slots().refs()}
        if len(tables) == 1:
            board.main = tables.pop()


def _worth(board: Board) -> None:
    """How much is the lamp, 台灯多少钱: the price is to be shown."""
    for item in board.items:
        if item.says("worth") and not item.used:
            item.used = True
            about = item.words["worth"] or "price"
            columns = [c for c in columns_about(board, about, "number") if c.table == board.main and about in c.about]
            if columns and not board.measures and not board.show:
                board.show.append(Shown(columns[0].ref))


# ------------------------------------------------------------------------------------------- what is left


def _unknown(board: Board) -> tuple[str, ...]:
    """Words that nothing used: unknown ones, and words of speech whose effect came to nothing."""
    out: list[str] = []
    last = -2
    for i, item in enumerate(board.items):
        idle = (
            item.idle
            or item.breaks
            or (
                not item.unknown
                and not item.term
                and item.number is None
                and item.date is None
                and (item.says(*_ASIDE) or item.text.lower() in _FROM)
            )
        )
        if item.used or idle:
            continue
        if last == i - 1 and out:
            out[-1] += (" " if item.start > board.items[last].end else "") + item.text
        else:
            out.append(item.text)
        last = i
    return tuple(out)
