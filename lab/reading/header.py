"""Which row of a table names its columns: seen from the rows below it.

Titles, dates and remarks may be above it.  Years, numbers in a series and long questions are names as well, if what
is below them is of another kind; a number above numbers is data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from lab.reading.known import NAMES
from lab.text.quantities.dates import read_date

SAMPLE = 50
"""Rows that are looked at."""
_NUMBER = re.compile(r"[¥￥$€£]?\s*[+-]?\d[\d,.\s]*%?")
_MONTH = re.compile(r"\d{4}[-/.年]\d{1,2}月?|\d{1,2}月")
_YEARS = range(1800, 2200)
_SENTENCE_END = tuple("。.！!；;")
_LONG = 30


def find_header(rows: Sequence[Sequence[object]]) -> tuple[int, bool]:
    """Returns the place of the first row of the table, and whether it holds the names of the columns.

    ``rows`` are the first rows that are not blank.
    """
    begin = next((i for i in range(1, len(rows) - 1) if _names(rows, i)), 0)
    return begin, score(rows[begin], rows[begin + 1 : SAMPLE]) >= 0


def _names(rows: Sequence[Sequence[object]], place: int) -> bool:
    """Whether this row holds the names of the columns, and all rows above it are titles."""
    row, below = rows[place], rows[place + 1 : SAMPLE]
    cells = _filled(row)
    full = len(cells) >= 2 and len(cells) >= 0.75 * max(len(_filled(other)) for other in below)
    return (
        full
        and all(_title(above, row) for above in rows[:place])
        and all(map(_name_like, cells))
        and score(row, below) >= 0
    )


def _title(row: Sequence[object], names: Sequence[object]) -> bool:
    """Whether a row is a title, a date or a remark: it has few cells, and none of them names a column."""
    cells, width = _filled(row), len(_filled(names))
    if any(map(_known, cells)):
        return False
    noted = len(cells) <= 2 and str(cells[0]).rstrip().endswith((":", "："))  # Date: 2024-05-01
    comma = len(row) < len(names) and any(str(cell).startswith(" ") for cell in cells[1:])  # Boats, 2024
    return 2 * len(cells) <= width or (len(cells) < width and (noted or comma))


def score(row: Sequence[object], below: Sequence[Sequence[object]]) -> float:
    """Returns how much speaks for a row as the header of those below: above 0 for it, below 0 against it."""
    total, series = 0.0, _in_series(row)
    for i, cell in enumerate(row):
        if _blank(cell):
            continue
        values = [other[i] for other in below if i < len(other) and not _blank(other[i])]
        if _known(cell):
            total += 2
        elif _kind(cell) == "text":
            total += _text_score(str(cell).strip(), values)
        elif not series or _alike(cell, values):
            total -= 1.5 if _usual(values) == _kind(cell) else 0.5
        elif values:
            total += 0.5
    return total


def _text_score(text: str, values: Sequence[object]) -> float:
    """The share of a text in the score of its row, from the values below it."""
    if not values:
        return 0.0
    if _usual(values) != "text":
        return 1.5
    texts = [str(value).strip() for value in values]
    mean = sum(map(len, texts)) / len(texts)
    if text in texts:
        return -2.0
    if len(text) > _LONG and 2 * mean >= len(text) and (text.endswith(_SENTENCE_END) or len(text) > 100):
        return -1.0
    return 1.0 if mean >= 2 * len(text) else 0.0


def _alike(cell: object, values: Sequence[object]) -> bool:
    """Whether a day is above days, or a year above years: then it is data."""
    if _kind(cell) == "date":
        return _usual(values) == "date"
    return bool(values) and all(_year(value) for value in values)


def _year(cell: object) -> bool:
    text = str(cell).strip()
    return text.isdecimal() and int(text[:9]) in _YEARS


def _in_series(row: Sequence[object]) -> bool:
    """Whether the numbers of a row are days or years, or count with equal steps, beside names."""
    cells = [cell for cell in _filled(row) if _kind(cell) != "text"]
    if not cells or len(cells) == len(_filled(row)) or len(set(cells)) < len(cells):
        return False
    if all(_kind(cell) == "date" for cell in cells):
        return True
    numbers = [int(text) if (text := str(cell).strip()).isdecimal() and len(text) < 9 else -1 for cell in cells]
    steps = {b - a for a, b in pairwise(numbers)}
    return all(n in _YEARS for n in numbers) or (len(numbers) > 2 and len(steps) == 1 and min(numbers) >= 0)


def _kind(cell: object) -> str:
    """``number``, ``date`` or ``text``."""
    if isinstance(cell, int | float):
        return "number"
    text = str(cell).strip()
    if read_date(text) is not None or _MONTH.fullmatch(text):
        return "date"
    return "number" if _NUMBER.fullmatch(text) else "text"


def _usual(values: Sequence[object]) -> str:
    kinds = Counter(map(_kind, values))
    return kinds.most_common(1)[0][0] if kinds else ""


def _name_like(cell: object) -> bool:
    """Whether a cell may be the name of a column: not a number other than a year, not a sentence."""
    text, kind = str(cell).strip(), _kind(cell)
    if kind == "number":
        return _year(cell)
    return kind == "date" or not (len(text) > _LONG and text.endswith(_SENTENCE_END))


def _known(cell: object) -> bool:
    return isinstance(cell, str) and cell.strip().lower() in NAMES


def _blank(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _filled(row: Sequence[object]) -> list[object]:
    return [cell for cell in row if not _blank(cell)]
