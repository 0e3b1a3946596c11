"""Which row of a table names its columns: seen from the rows below it.

Titles, dates and remarks may be above it.  Years, numbers in a series and long questions are names as well, if what
is below them is of another kind.  A number above numbers, an id above ids of one make and a sentence above sentences
are data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from lab.reading.known import NAMES
from lab.text.quantities.dates import read_date
from lab.words import Said

SAMPLE = 50
"""Rows that are looked at."""
_NUMBER = re.compile(r"[¥￥$€£]?\s*[+-]?\d[\d,.\s]*(?:%|[¥￥$€£元])?")
_MONTH = re.compile(r"\d{4}[-/.年]\d{1,2}月?|\d{1,2}月")
_YEARS = range(1800, 2200)
_SENTENCE_END = tuple("。.！!？?；;…")
_CLOSING = "\"'”’」』)）]】"
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_HEX = re.compile(r"(?=\D*\d)[0-9a-f]{6,}", re.IGNORECASE)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.-]+", re.IGNORECASE)
_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+")
"""The name of a column as programs write it: created_at, createdAt."""
_STATES = frozenset(("true", "false", "yes", "no", "ja", "nein", "是", "否"))
_LONG = 30
_WORDS, _CHARACTERS = 5, 10
"""Words, and Han characters, from which a text without a full stop may be a sentence."""


class Header(NamedTuple):
    """The first row of a table, and whether it holds names; not ``certain`` if nothing speaks for or against it."""

    row: int
    named: bool
    certain: bool = True

    @property
    def remark(self) -> tuple[Said, Said] | None:
        """What a person should know about the decision, and how to change it; None if names are certain."""
        if not self.named:
            nameless = Said("The first row looks like data; the columns are named “column 1”, “column 2” …")
            return nameless, Said("Write column names into the first row.")
        if not self.certain:
            unsure = Said("The first row may be names or data; it was read as the names of the columns.")
            return unsure, Said("If it is data, write a row of names above it, such as id, title, text.")
        return None


def find_header(rows: Sequence[Sequence[object]]) -> Header:
    """Returns the first row of the table among the first rows that are not blank: see `Header`."""
    begin = next((i for i in range(1, len(rows) - 1) if _names(rows, i)), 0)
    points = score(rows[begin], rows[begin + 1 : SAMPLE])
    return Header(begin, points >= 0, points != 0)


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
    total, series, numbered = 0.0, _in_series(row), _numbered(row)
    for i, cell in enumerate(row):
        if _blank(cell):
            continue
        values = [other[i] for other in below if i < len(other) and not _blank(other[i])]
        if _known(cell):
            total += 2 if cell not in values else 0.5
        elif _kind(cell) == "text":
            total += _text_score(str(cell).strip(), values, numbered=numbered)
        elif not series or _alike(cell, values):
            total -= 1.5 if _usual(values) == _kind(cell) else 0.5
        elif values:
            total += 0.5
    return total


def _text_score(text: str, values: Sequence[object], *, numbered: bool) -> float:
    """The share of a text in the score of its row, from the values below it."""
    make = _make(text)
    if not values:
        return -1.0 if _is_sentence(text) and text.endswith(_SENTENCE_END[:4]) else 0.0
    texts = [str(value).strip() for value in values]
    alike = sum(_make(other) == make for other in texts) if make and not numbered else 0
    if text in texts or 2 * alike > len(texts):
        return -2.0
    if _usual(values) != "text":
        return 1.5
    mean = sum(map(len, texts)) / len(texts)
    if asks(text) and not _sentences(text, texts):
        return 1.0
    if _is_sentence(text) and 4 * len(text) >= mean and _sentences(text, texts):
        return -1.5 if text.endswith(_SENTENCE_END) else -1.0
    if mean >= 2 * len(text) or _NAME.fullmatch(text) or 2 * sum(_make(other) != "" for other in texts) > len(texts):
        return 0.0 if make else 1.0
    return 0.5 if _case(text) and all(_case(other) not in ("", _case(text)) for other in texts) else 0.0


def _make(text: str) -> str:
    """The make of an identifier, an address or a code, the same for all of one kind; empty for words."""
    if _ADDRESS.fullmatch(text):
        return "@" if "@" in text and "://" not in text else "://"
    if text.lower() in _STATES:
        return "state"
    if len(text) > 60 or not any(c.isdigit() for c in text) or " " in text:
        return ""
    if _HEX.fullmatch(text.replace("-", "")):
        return "hex"
    return re.sub(r"\d+", "0", re.sub("[a-z]+", "a", re.sub("[A-Z]+", "A", text)))


def _numbered(row: Sequence[object]) -> bool:
    """Whether the cells of a row are one word with different numbers: q1, q2, q3."""
    makes = Counter(re.sub(r"\d+", "0", text) for cell in _filled(row) if _make(text := str(cell).strip()))
    return any(count > 1 for count in makes.values()) and len({str(cell) for cell in _filled(row)}) == len(_filled(row))


def _is_sentence(text: str) -> bool:
    """Whether a text is a sentence, a question or a long run of words."""
    words, characters = len(text.split()), len(_HAN.findall(text))
    if text.rstrip(_CLOSING).endswith(_SENTENCE_END):
        return words > 1 or characters > 3
    return words >= _WORDS or characters >= _CHARACTERS


def asks(text: str) -> bool:
    """Returns whether a text is a question, by its last sign."""
    return text.rstrip(_CLOSING).endswith(("?", "？"))


def _sentences(text: str, others: Sequence[str]) -> bool:
    """Whether half of the others are sentences too; for a question, whether most are questions."""
    if asks(text):
        return 2 * sum(map(asks, others)) > len(others)
    return 2 * sum(map(_is_sentence, others)) >= len(others)


def _case(text: str) -> str:
    """``lower``, ``upper`` or ``title`` for a text in Latin letters."""
    return next((name for name in ("lower", "upper", "title") if getattr(text, f"is{name}")()), "")


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
