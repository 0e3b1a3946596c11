"""Days with times as files write them, of which SQLite reads a part: time zones, AM and PM, days in another order.

The functions are registered on every connection (`lab_packs.text2sql.guard`), so that what counts as a time stamp and what is
computed with it is read by the same code.
"""

from __future__ import annotations

import datetime as dt
import re

ORDERS = {
    "stamp": "ymd",
    "slash": "ymd",
    "us": "mdy",
    "eu": "dmy",
    "loose": "ymd",
    "loose us": "mdy",
    "loose eu": "dmy",
}
"""The order of year, month and day, by the style of a column."""
_STAMP = re.compile(
    r"(\d{1,4})[-/.年](\d{1,2})[-/.月](\d{1,4})日?"
    r"(?:(?:\s++|T)(?P<part>上午|下午|AM|PM)?\s*+(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?"
    r"(?:\s*+(?P<noon>[ap]\.?m\.?|上午|下午))?"
    r"\s*+(?P<zone>Z|[A-Z]{2,5}|(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)?(?::\d\d)?(?: [A-Z]{2,5})?)?(?:\[[\w/+-]+\])?)?",
    re.IGNORECASE,
)


def read_stamp(text: object, order: str = "ymd") -> tuple[dt.datetime, dt.timedelta] | None:
    """Returns a day with its time as written, and how far its zone is ahead of UTC; None for anything else."""
    m = _STAMP.fullmatch(text.strip()) if isinstance(text, str) else None
    if m is None:
        return None
    year, month, day = (int(m[order.index(part) + 1]) for part in "ymd")
    hour, noon = int(m["hour"] or 0), (m["noon"] or m["part"] or "").lower()
    if noon:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if noon.startswith(("p", "下")) else 0)
    offset = dt.timedelta(hours=int(m["hours"] or 0), minutes=int(m["minutes"] or 0))
    try:
        moment = dt.datetime(year, month, day, hour, int(m["minute"] or 0), int(m["second"] or 0))
    except ValueError:
        return None
    return moment, -offset if m["sign"] == "-" else offset


def moment(text: object, order: str) -> str | None:
    """Returns a time stamp in the form that SQLite computes with, in its own time zone."""
    stamp = read_stamp(text, order)
    return str(stamp[0]) if stamp is not None else None


def instant(text: object, order: str) -> float | None:
    """Returns a time stamp as a Julian day of UTC, so that two of different zones can be subtracted."""
    stamp = read_stamp(text, order)
    if stamp is None:
        return None
    utc = stamp[0] - stamp[1]
    return utc.toordinal() + 1721424.5 + (utc - utc.replace(hour=0, minute=0, second=0)).total_seconds() / 86400


def casefold(text: object) -> object:
    """Returns a text without the difference of capital and small letters, in every script."""
    return text.casefold() if isinstance(text, str) else text
