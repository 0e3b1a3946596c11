"""The cells of an uploaded table as days, numbers and texts, and the rows that are totals of others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from math import isclose

from lab.text import fold
from lab.text.quantities import is_unit, read_quantity
from lab.text.quantities.dates import read_date
from lab.text.quantities.numbers import cell_digits, has_decimal_commas, read_decimal
from lab_packs.text2sql.lexicon import TRUTHS, UNKNOWN
from lab_packs.text2sql.tree import Scalar

MAX_CELL = 10_000
LONGEST_NUMBER = 18
"""Digits, point and sign of a number; what is longer stays text, since SQLite's integers have 63 bits."""
_GREATEST = 2**63 - 1
_NOTHING = UNKNOWN - {"unknown", "unclear", "不详", "不明", "不清楚", "不确定"} | {"无"}
"""What is written in a cell that has no value."""
_CODE = re.compile(r"0\d")
_DAY = re.compile(r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?(?:[ T](\d{1,2})(:\d{2}(?::\d{2})?))?")
_POWER = re.compile(r"[+-]?\d+(?:\.\d+[eE][+-]?|[eE][+-])\d{1,3}")
"""A power of ten: with a point or a sign, since 32E0134 is a code."""


def typed(cells: Sequence[Scalar]) -> tuple[list[Scalar], list[str]]:
    """A column's cells with their types, and the cells that were left out as they say that there is no value.

    All days, all numbers, or as they are (empty ones are NULL).  Marks for "nothing" (-, n/a) are left out only where
    the others are days or numbers, or yes and no.
    """
    cleaned = list(map(_cleaned, cells))
    for marks, kind in ((_NOTHING, _days_or_numbers), (UNKNOWN, _truths)):
        marked = {c: None for c in cleaned if isinstance(c, str) and c.lower() in marks}
        if marked and any(c is not None and c not in marked for c in cleaned):
            without = [None if c in marked else c for c in cleaned]
            if (values := kind(without)) is not None:
                return values, list(map(str, marked))
    return _days_or_numbers(cleaned) or cleaned, []


def _truths(cells: list[Scalar]) -> list[Scalar] | None:
    """Returns the cells if they are yes and no; None for others."""
    words = {c.lower() for c in cells if isinstance(c, str)}
    return cells if len(words) == 2 and any(words == set(pair) for pair in TRUTHS) else None


def _days_or_numbers(cleaned: list[Scalar]) -> list[Scalar] | None:
    """Returns the cells as days or as numbers if all are; None for others."""
    texts = [c for c in cleaned if isinstance(c, str)]
    comma = has_decimal_commas(texts)
    unit = _common_unit(texts)
    for read in (_day, partial(read_cell, comma=comma, unit=unit)):
        values = list[Scalar]()
        for cell in cleaned:
            value = read(cell) if isinstance(cell, str) else None if read is _day else cell
            if value is None and cell is not None:
                break
            values.append(value)
        else:
            return values
    return None


def _cleaned(cell: Scalar) -> Scalar:
    if isinstance(cell, str):
        return cell.strip()[:MAX_CELL] or None
    if isinstance(cell, int):
        return int(cell) if abs(cell) <= _GREATEST else str(cell)
    return cell


def _day(text: str) -> str | None:
    m, day = _DAY.fullmatch(text), read_date(text)
    if m is None or day is None:
        return None
    return f"{day} {m[1].zfill(2)}{m[2]}" if m[1] else day.isoformat()


def _common_unit(texts: Sequence[str]) -> str:
    """Returns the unit behind or before all numbers of a column: 5 kg, kg 5; "" if it is not the same."""
    units = set[str]()
    for text in texts:
        m = re.fullmatch(r"[-+]?[\d.,' ]+?\s*([^\W\d_²³°%]{1,6}[²³]?|°[CF])|([^\W\d_]{1,4})\s[-+]?[\d.,']+", fold(text))
        if m is None:
            return ""
        units.add(m[1] or m[2])
        if len(units) > 1:
            return ""
    unit = next(iter(units), "")
    return unit if is_unit(unit.lower()) and (len(unit) > 1 or not unit.isascii()) else ""


def read_cell(text: str, *, comma: bool = False, unit: str = "") -> float | int | None:
    """Reads a cell as a number; None if it is not one, or has more digits than a database keeps."""
    number = fold(text).strip().replace("−", "-").replace("–", "-")
    if unit and len(texts := number.split(unit)) == 2:
        number = "".join(texts).strip()
    if m := re.fullmatch(r"\(([^()+-]+)\)|([^()+-]+)-", number):  # negative, as accountants write it
        number = "-" + (m[1] or m[2]).strip()
    number = re.sub(r"(?<=\d)['’](?=\d{3}(?!\d))", "", number)
    if re.fullmatch(r"[-+]?\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?", number):  # 12,34,567
        number = number.replace(",", "")
    if _POWER.fullmatch(number):
        return read_decimal(number)
    if (scaled := read_quantity(number, 0)) and scaled.end == len(number) and scaled.scale > 1 and not scaled.unit:
        return scaled.low if scaled.high is None and number[:1].isdigit() else None
    digits = cell_digits(number, comma=comma)
    # a leading zero, or eleven digits and more: postal codes, telephone and account numbers
    if digits is None or _CODE.match(text) or (len(text) >= 11 and text.isdigit()) or len(digits) > LONGEST_NUMBER:
        return None
    return float(digits) if "." in digits else int(digits)


_TOTAL = re.compile(
    r"(?:grand |sub|sub-|sub |overall )?totals?|(?:grand )?sum|合计|总计|小计|共计|总和|汇总|总数|累计", re.IGNORECASE
)
_OF_PART = re.compile(r".{1,60}?[\s:：-]*(?:(?:sub-?)?totals?|合计|小计|总计)", re.IGNORECASE)


def find_totals(rows: Sequence[Sequence[Scalar]]) -> dict[int, str]:
    """Returns the places of the rows that are totals of others, with their labels.

    Such a row has a word for it (total, 合计, North subtotal) or no label at all, and numbers that are sums: of all rows,
    or of those since the last total.
    """
    width = max(map(len, rows), default=0)
    candidates: dict[int, str] = {}
    for n, row in enumerate(rows):
        texts = [c.strip() for c in row if isinstance(c, str) and c.strip() and read_cell(c) is None]
        called = next((t for t in texts if _TOTAL.fullmatch(t.strip(" :：")) or _OF_PART.fullmatch(t)), "")
        unnamed = not texts and row and (row[0] is None or not str(row[0]).strip())
        if called or unnamed:
            candidates[n] = called
    if not candidates or len(candidates) == len(rows):
        return {}
    numbers = [[_as_number(r[i] if i < len(r) else None) for i in range(width)] for r in rows]
    plain = [n for n in range(len(rows)) if n not in candidates]
    found: dict[int, str] = {}
    for n, label in candidates.items():
        since = max((k for k in found if k < n), default=-1)
        blocks = (plain, [k for k in plain if k < n], [k for k in plain if since < k < n])
        if any(len(block) > 1 or (block and label) for block in blocks) and any(
            _is_sum(numbers, n, block, bool(label)) for block in blocks if block
        ):
            found[n] = label
    return found


def _as_number(cell: Scalar) -> float | None:
    if isinstance(cell, str):
        return read_cell(cell)
    return None if isinstance(cell, bool) else cell


def _is_sum(numbers: Sequence[Sequence[float | None]], n: int, block: Sequence[int], named: bool) -> bool:
    """Whether a number of a row, or every one if it has no name, is the sum of that column in other rows."""
    checks = []
    for i, value in enumerate(numbers[n]):
        others = [v for k in block if (v := numbers[k][i]) is not None]
        if value is not None and others:
            checks.append(isclose(value, sum(others), rel_tol=1e-9, abs_tol=0.005 * len(others) if named else 1e-6))
    return bool(checks) and (any(checks) if named else all(checks))
