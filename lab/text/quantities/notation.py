"""A number in digits, with all that touches it: groups of every country, decimals, exponents, fractions.

``1,234.5``, ``1.234,5``, ``1’234.5``, ``1 234,5`` and ``12,34,567`` are grouped as CLDR describes it for the locales of
the world.  A sign that two countries use differently gives two readings (``1,234``, if the text has a decimal comma
elsewhere); text in no form has no value, so that nobody takes a piece of a number for the number.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from lab.patterns import lazy_pattern

VULGAR = {sign: unicodedata.numeric(sign) for sign in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"}
RAISED = frozenset(f"⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺{''.join(VULGAR)}")
"""Signs behind digits that make them another number."""
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
_RAISED = "[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+"
_NARROW = "\u00a0\u2007\u2009\u202f"
"""Spaces that group digits; an ordinary one may also part two numbers."""
_FORMS = [
    (kind, re.compile(pattern + r"(?![0-9])"))
    for kind, pattern in (
        ("point", r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+"),
        ("point", r"[0-9]{1,3}(?:,[0-9]{3}){2,}"),
        ("thousand", r"[0-9]{1,3},[0-9]{3}"),
        ("point", r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]+)?"),
        ("comma", r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+"),
        ("comma", r"[0-9]{1,3}(?:\.[0-9]{3}){2,}"),
        ("point", r"[0-9]{1,3}(?:['’][0-9]{3})+(?:\.[0-9]+)?"),
        ("comma", r"[0-9]{1,3}(?:['’][0-9]{3})+,[0-9]+"),
        ("point", rf"[0-9]{{1,3}}(?:[{_NARROW}][0-9]{{3}})+(?:\.[0-9]+)?"),
        ("comma", rf"[0-9]{{1,3}}(?:[{_NARROW}][0-9]{{3}})+,[0-9]+"),
        ("point", r"[0-9]{1,3}(?: [0-9]{3}){2,}(?:\.[0-9]+)?"),
        ("comma", r"[0-9]{1,3}(?: [0-9]{3})+,[0-9]{1,2}"),
        ("point", r"[0-9]{1,3} 000"),
        ("two numbers", r"[0-9]{1,3} [0-9]{3}"),
        ("decimal comma", r"[0-9]{1,15},[0-9]{1,9}"),
        ("decimal point", r"[0-9]{1,15}\.[0-9]{1,9}"),
        ("point", r"[0-9]{1,15}"),
    )
]
_SPACED = lazy_pattern(r"[0-9]{1,3}(?: [0-9]{3})+(?:\.[0-9]+)?(?![0-9])")
_MORE = lazy_pattern(r"[0-9]+(?:[.,'’][0-9]+)*")
_TIMES_TEN = lazy_pattern(rf"\s?[×x·*✕⋅]\s?10(?:(?P<raised>{_RAISED})|\^[({{]?(?P<power>[-+−]?[0-9]{{1,3}})[)}}]?)")
_POWER = lazy_pattern(r"(?:\^|\*\*)[({]?(?P<power>[-+−]?[0-9]{1,3})[)}]?")
_E = lazy_pattern(r"e(?P<power>[-+−]?[0-9]{1,3})(?![a-z0-9_])", re.IGNORECASE)
_IS_RAISED = lazy_pattern(_RAISED)
_LARGEST = 400
"""Exponents above this are not read."""


class Digits(NamedTuple):
    """A number at ``text[start:end]``: its value, and ``other`` if it can be read in another way.

    ``value`` is None if the signs that touch the digits fit no form.
    """

    start: int
    end: int
    value: float | None
    other: float | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it has one value."""
        return self.value is not None and self.other is None


def read_digits(
    text: str, at: int, *, decimal_comma: bool = False, unit_follows: bool = False, spaces: bool = False
) -> Digits | None:
    """Returns the number in digits that begins at ``text[at]``, without a sign; None if no digit is there.

    ``decimal_comma``: the text has numbers with a decimal comma, so that 1.234 may be a thousand.  ``unit_follows``: a
    unit or a currency shows that 3,5 is one number.  ``spaces``: one space groups digits, too, as in a question.
    """
    if spaces and (m := _SPACED.match(text, at)) and not _goes_on(text, m.end()):
        return Digits(at, m.end(), float(m[0].replace(" ", "")))
    for kind, pattern in _FORMS:
        if (m := pattern.match(text, at)) and not _goes_on(text, m.end()):
            return _raised(text, at, m.end(), *_values(m[0], kind, decimal_comma, unit_follows))
    m = _MORE.match(text, at)
    return Digits(at, m.end(), None) if m else None


def _goes_on(text: str, end: int) -> bool:
    return text[end : end + 1] in (".", ",", "'", "’") and text[end + 1 : end + 2] in tuple("0123456789")


def _values(digits: str, kind: str, decimal_comma: bool, unit_follows: bool) -> tuple[float | None, float | None]:
    """Returns the value of digits of this form, and their other reading."""
    bare = re.sub(rf"['’ {_NARROW}]", "", digits)
    with_point, with_comma = bare.replace(",", ""), bare.replace(".", "").replace(",", ".")
    if kind == "point":
        return float(with_point), None
    if kind == "comma":
        return float(with_comma), None
    if kind == "two numbers":
        return None, None
    if kind == "thousand":
        return float(with_point), float(with_comma) if decimal_comma else None
    if kind == "decimal comma":
        return (float(with_comma), None) if unit_follows or decimal_comma else (None, None)
    ambiguous = decimal_comma and re.fullmatch(r"[1-9][0-9]{0,2}\.[0-9]{3}", digits)
    return float(digits), float(with_comma) if ambiguous else None


def _raised(text: str, at: int, end: int, value: float | None, other: float | None) -> Digits:
    """Returns the number with the fraction or the exponent behind it: 3½, 10⁶, 10^6, 1.5×10³, 1e6."""
    if value is None or other is not None:
        touched = _IS_RAISED.match(text, end)
        return Digits(at, touched.end() if touched else end, None if touched else value, other)
    if (vulgar := text[end : end + 1]) in VULGAR and vulgar:
        return Digits(at, end + 1, value + VULGAR[vulgar])
    base = value
    if m := _TIMES_TEN.match(text, end):
        exponent, base, factor = (m["raised"] or m["power"]), 10.0, value
    elif m := _IS_RAISED.match(text, end):
        if value != 10:
            return Digits(at, m.end(), None)  # a footnote or a power: 2019³
        exponent, factor = m[0], 1.0
    elif m := _POWER.match(text, end):
        exponent, factor = m["power"], 1.0
    elif m := _E.match(text, end):
        exponent, base, factor = m["power"], 10.0, value
    else:
        return Digits(at, end, value)
    power = int(exponent.translate(_SUPERSCRIPTS))
    try:
        return Digits(at, m.end(), factor * base**power if abs(power) < _LARGEST else None)
    except (OverflowError, ZeroDivisionError):
        return Digits(at, m.end(), None)
