"""Numbers and days together with what is said about them: 三到五年, at least 20k, 不超过两万五, since March.

Finds quantities and periods on the board; to which column they belong is decided later.
"""

from __future__ import annotations

import datetime as dt

from lab.text2sql.dates import Stretch
from lab.text2sql.numbers import Number, unit_kind
from lab.text2sql.reading import Board, Period, Quantity

_OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "=": "!=", "!=": "=", "": ""}
_AROUND = 0.1


def read_quantities(board: Board) -> None:
    """Every number that is said with or without a comparison, as a `Quantity` at the place of its first item."""
    i = 0
    while i < len(board.items):
        if board.items[i].number is not None and not board.items[i].used:
            i = _quantity(board, i)
        i += 1


def _quantity(board: Board, i: int) -> int:
    items = board.items
    first = items[i].number
    assert first is not None
    used, about, op, negated = [i], "", "", False
    values: tuple[float, ...] = (first.value,)
    unit = first.unit
    last = i
    # a second number: 三到五年, between 3 and 5, 两三年
    left = board.near(i, -1)
    opened = left is not None and items[left].says("between")
    j = i + 1
    second: Number | None = None
    following = items[j].number if j < len(items) else None
    if following is not None and items[j].start == items[i].end and not unit and following.value == first.value + 1:
        second, last = following, j
    elif (
        j + 1 < len(items)
        and items[j + 1].number is not None
        and (items[j].says("to") or (opened and items[j].says("and")))
    ):
        second, last = items[j + 1].number, j + 1
    if second is not None:
        low = first.value
        if first.scale == 1 and second.scale > 1 and low * second.scale <= second.value:  # 1.5到2万, 15-20k
            low *= second.scale
        elif (
            first.scale > 1 and second.scale == 1 and second.value < first.value and second.value * first.scale >= low
        ):  # 2万到3
            second = second._replace(value=second.value * first.scale)
        op, values, unit = "between", (min(low, second.value), max(low, second.value)), second.unit or unit
        used += list(range(i, last + 1))
    # what stands before
    k = board.near(i, -1)
    if k is not None:
        word = items[k]
        if word.says("between"):
            used.append(k)
        elif (
            word.says("cmp")
            and not word.values
            and not (word.says("super") and (unit_kind(unit) == "piece" or _far(board, k, i)))
        ):
            op, _, about = word.words["cmp"].partition(" ")
            used.append(k)
        elif word.says("around"):
            op = "around"
            used.append(k)
        k = board.near(min(used), -1)
        if k is not None and items[k].cues and not items[k].columns:  # does not cost more than
            k = board.near(k, -1)
        if op and k is not None and items[k].says("not") and not items[k].term:
            negated = True
            used.append(k)
    # what stands after
    k = board.near(last)
    if k is not None and op in ("", "around"):
        word = items[k]
        if word.says("after") and not word.term:
            op = word.words["after"]
            used.append(k)
        elif word.says("around"):
            op = "around"
            used.append(k)
        elif word.says("adj") and (t := board.near(i, -1)) is not None and items[t].says("than"):
            op, _, about = word.words["adj"].partition(" ")
            used += [k, t]
    if (k := board.near(last)) is not None and items[k].says("closed"):
        used.append(k)
    if op == "around":
        op, values = "between", (round(values[0] * (1 - _AROUND), 6), round(values[0] * (1 + _AROUND), 6))
    if negated and op in _OPPOSITE:
        op, negated = _OPPOSITE[op], False
    if op == "!=":
        op, negated = "=", True
    board.quantities[i] = Quantity(op, values, unit, about, negated)
    for u in used:
        items[u].used = True
    return last


def _far(board: Board, k: int, i: int) -> bool:
    """最贵的三个, the highest of 3: a word between takes the number away from a superlative."""
    return any(x.says("stop") and x.text in ("的", "of") for x in board.items[k + 1 : i])


def read_periods(board: Board) -> None:
    """Every stretch of days with since, before, between, as a `Period` at the place of its first item."""
    items = board.items
    i = 0
    while i < len(items):
        said = items[i].date
        if said is None or items[i].used:
            i += 1
            continue
        last, used = i, [i]
        first: dt.date | None = said.first
        after: dt.date | None = said.after
        j = i + 1
        k = board.near(i, -1)
        opened = k is not None and items[k].says("between", "since")
        other = items[j + 1].date if j + 1 < len(items) else None
        if other is not None and (items[j].says("to", "until") or (opened and items[j].says("and"))):
            first, after, last = _first_year(said, other), _same_year(said, other), j + 1
            used += [j, j + 1] + ([k] if k is not None and opened else [])
        else:
            first, after, more = _edges(board, i, said)
            used += more
        negated = False
        k = board.near(min(used), -1)
        if k is not None and items[k].says("not") and not items[k].term:
            negated = True
            used.append(k)
        board.periods[i] = Period(first, after, negated, said.yearless)
        for u in used:
            items[u].used = True
        i = last + 1


def _same_year(first: Stretch, last: Stretch) -> dt.date:
    """The end of 2023年3月到5月: the second month has the first one's year."""
    if last.yearless and not first.yearless:
        after = last.after.replace(year=last.after.year + first.first.year - last.first.year)
        return after if after > first.first else after.replace(year=after.year + 1)
    return last.after


def _first_year(first: Stretch, last: Stretch) -> dt.date:
    """The beginning of "between March and May 2023": the first month has the year of the second."""
    if first.yearless and not last.yearless:
        begin = first.first.replace(year=last.first.year)
        return begin if begin < last.after else begin.replace(year=begin.year - 1)
    return first.first


def _edges(board: Board, i: int, said: Stretch) -> tuple[dt.date | None, dt.date | None, list[int]]:
    """The stretch as since, before and the like change it, and the items that did."""
    items = board.items
    for k in (board.near(i), _just_before(board, i)):
        if k is None or items[k].term or items[k].used:
            continue
        word, before = items[k], k < i
        if word.says("stop", "in") and not before and not word.says("since", "before", "past", "until"):
            continue
        if (
            word.says("since", "after")
            and not (before and word.text in ("起", "开始"))
            and word.words.get("after", ">=") == ">="
        ):
            return said.first, None, [k]
        if word.says("past") and not (before and word.text in ("后", "之后")):
            return said.after, None, [k]
        if word.says("before") and not (before and word.text in ("前", "之前", "以前")):
            return None, said.first, [k]
        if word.says("until") and not (before and word.text == "为止"):
            return None, said.after, [k]
        if word.says("cmp"):
            op = word.words["cmp"]
            if op in (">=", ">"):
                return (said.first if op == ">=" else said.after), None, [k]
            if op in ("<=", "<"):
                return None, (said.after if op == "<=" else said.first), [k]
    return said.first, said.after, []


def _just_before(board: Board, i: int) -> int | None:
    """The word before, even where it is one that is usually passed over (since, from)."""
    j = i - 1
    while j >= 0:
        item = board.items[j]
        if item.breaks:
            return None
        if item.says("since", "past", "before", "until") or not item.idle:
            return j
        j -= 1
    return None
