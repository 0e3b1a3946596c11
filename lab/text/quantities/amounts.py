"""Amounts in a question: numbers and ranges with their units, 三到五年, 20-30k, an hour and a half.

The text is read as `lab.text.half_width` returns it: lower case, character by character, so that positions in it are
positions in the original.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lab.text.quantities.numbers import DIGITS, read_number
from lab.text.quantities.units import measure, read_unit


@dataclass(frozen=True)
class Quantity:
    """A number, or a range, at ``text[start:end]``: ``high`` is None for one number.

    ``unit`` is as written, "" for none; a currency sign in front counts.  ``scale`` as in `Number`.
    """

    start: int
    end: int
    low: float
    high: float | None = None
    unit: str = ""
    scale: float = 1.0

    @property
    def values(self) -> tuple[float, ...]:
        """The number, or both ends of the range."""
        return (self.low,) if self.high is None else (self.low, self.high)

    @property
    def measure(self) -> str:
        """The measure of the unit, such as length; for an unknown unit, the unit itself."""
        return measure(self.unit)[0] or self.unit.lower()


_CURRENCY = re.compile(r"[¥￥$€£]\s?|usd |eur |rmb |cny ")
_PERCENT = re.compile("百分之")
_TENTHS = re.compile("([一二两三四五六七八九])成(?![立为分员功])")
_TO = re.compile(r"\s*(?:-|–|—|~|〜|到|至| to )\s*")
_HALF_MORE = re.compile(r"个?半(?=[年月天小个])")
_ONE_OR_HALF = re.compile(
    r"半个?(?P<han>年|月|天|小时|钟头)|half (?:an? )?(?P<half>hour|year|day|kilo|mile|litre|liter|ton|tonne)\b"
    r"|an? (?P<one>hour|year|day|week|month|kilo|mile|litre|liter|ton|tonne|metre|meter|minute)\b(?P<more> and a half)?"
)
_NO_UNIT = {"m", "h", "w", "l", "g", "min", "cal", "k", "a", "in"}


def read_quantity(text: str, at: int) -> Quantity | None:
    """Returns the number or range with its unit that begins at ``text[at]``; None if there is none."""
    if shared := _shared_end(text, at):
        return shared
    first = _single(text, at)
    if first is None:
        return None
    joint = _TO.match(text, first.end)
    currency = joint.end() if joint else 0
    second = _single(text, currency) if joint else None
    if joint is None or second is None or (first.unit and second.unit and first.measure != second.measure):
        return first
    if "-" in joint[0] and first.scale == 1 and first.low >= 1900:  # 2023-05
        return first
    low = first.low
    if not first.unit and second.scale > 1 == first.scale and low <= second.low / second.scale:  # 1到2万, 20-30k
        low *= second.scale
    if second.low <= low:
        return first
    return Quantity(first.start, second.end, low, second.low, second.unit or first.unit, second.scale)


def _shared_end(text: str, at: int) -> Quantity | None:
    """Reads 两三年, 七八个, in which both digits share the rest."""
    a, b = text[at : at + 1], text[at + 1 : at + 2]
    if a in DIGITS and b in DIGITS and DIGITS[b] == DIGITS[a] + 1 and (second := _single(text, at + 1)):
        low = second.low * DIGITS[a] / DIGITS[b]
        return Quantity(at, second.end, low, second.low, second.unit, second.scale)
    return None


def _single(text: str, at: int) -> Quantity | None:
    """Reads one number with its unit."""
    if m := _TENTHS.match(text, at):
        return Quantity(at, m.end(), 10.0 * DIGITS[m[1]], None, "%")
    if m := _PERCENT.match(text, at):
        n = read_number(text, m.end())
        return Quantity(at, n.end, n.value, None, "%") if n else None
    if (m := _ONE_OR_HALF.match(text, at)) and not (m["one"] and at and text[at - 1].isalnum()):
        value = 1.5 if m["more"] else 1.0 if m["one"] else 0.5
        return Quantity(at, m.end(), value, None, "个月" if m["han"] == "月" else m["han"] or m["half"] or m["one"])
    money = _CURRENCY.match(text, at)
    n = read_number(text, money.end() if money else at)
    if n is None:
        return None
    value, end = n.value, n.end
    if text.startswith(" and a half", end):
        value, end = value + 0.5 * n.scale, end + 11
    if m := _HALF_MORE.match(text, end):  # 一个半月
        value, end = value + 0.5 * n.scale, m.end()
    gap = 1 if text[end : end + 1] in (" ", "-") else 0
    stop = read_unit(text, end + gap)
    unit = text[end + gap : stop] if stop else ""
    if not unit and text[end + gap : end + gap + 1] in ("€", "$", "£", "¥"):
        unit, stop = text[end + gap], end + gap + 1
    if unit in _NO_UNIT and gap and unit != "m":
        unit = ""
    if unit:
        end = stop
        if text[end : end + 1] == "半" and unit in ("年", "个月", "天", "小时"):
            value, end = value + 0.5, end + 1
        value, end = _and_smaller(text, end, value, unit)
    written = (money[0].strip() if money else "") or unit
    return Quantity(at, end, value, None, written, n.scale)


def _and_smaller(text: str, end: int, value: float, unit: str) -> tuple[float, int]:
    """Adds the smaller part of 1 hour 30 minutes, 1小时30分钟, 1米8."""
    if measure(unit)[0] == "metre" and (m := re.match(r"(\d{1,2})(?![\d.])", text[end:])):
        return value + int(m[1]) / 10 ** len(m[1]), end + m.end()
    m = re.match(r" ?(?:and )?", text[end:])
    n = read_number(text, end + (m.end() if m else 0))
    if n is None:
        return value, end
    gap = 1 if text[n.end : n.end + 1] == " " else 0
    stop = read_unit(text, n.end + gap)
    small, large = measure(text[n.end + gap : stop])[0] if stop else "", measure(unit)[0]
    if large == "hours" and small == "minutes":
        return value + n.value / 60, stop
    return value, end


def quantities(text: str) -> list[Quantity]:
    """Returns all quantities of a text, from left to right, none inside another."""
    quantities_found: list[Quantity] = []
    at = 0
    while at < len(text):
        if (q := read_quantity(text, at)) is not None:
            quantities_found.append(q)
            at = q.end
        else:
            at += 1
    return quantities_found
