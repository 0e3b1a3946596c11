"""Days as people write them."""

from __future__ import annotations

import re
from datetime import date

from lab.algebra import Value
from lab.text import fold

_DATE = re.compile(r"\s*(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)")
_DIGITS = re.compile(r"\s*(\d{4})(\d{2})(\d{2})\s*")


def read_date(value: Value) -> date | None:
    """The day that a value names, or None.

    ``2024-05-01``, ``2024/5/1`` and ``2024年5月1日`` (a time may follow each), or ``20240501``.
    """
    text = fold(str(value))
    m = _DATE.match(text) or _DIGITS.fullmatch(text)
    if isinstance(value, (list, bool, float)) or m is None:
        return None
    try:
        return date(*map(int, m.groups()))
    except ValueError:  # the 30th of February
        return None
