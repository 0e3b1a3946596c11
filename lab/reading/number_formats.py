"""Number formats of workbooks that change what a number means: leading zeros, percent, hours above 24, weekdays.

Source: ECMA-376, part 1, 18.8.31.
"""

from __future__ import annotations

import datetime
import re
import zipfile
from collections.abc import Callable, Mapping
from functools import partial

from lab.text.word_lists import WEEKDAYS

Show = Callable[[object], object]
"""Returns what a sheet shows of a value, or the value where the format changes nothing that is meant."""
_USED = re.compile(rb"<(?:\w+:)?cellXfs\b.*?</(?:\w+:)?cellXfs>", re.DOTALL)
_ID = re.compile(rb"\bnumFmtId=[\"'](\d+)[\"']")
_MARK = re.compile(r"\[(?!h+\]|m+\]|s+\])[^\]]*\]|_.|\*.", re.IGNORECASE)
_LITERAL = re.compile(r'"([^"]*)"|\\(.)')
_ZEROS = re.compile(r"(?=[^0]*00)[^#?.,%0]*0[0 ()/\-\ue000-\ue0ff]*")
_PERCENT = re.compile(r"[#,0?]*?(?:\.([0#?]*))?\s*%")
_ELAPSED = re.compile(r"\[(?P<unit>h+|m+|s+)\](?P<rest>[^;]*)", re.IGNORECASE)
_WEEKDAY = re.compile(r"(?P<short>aaa|ddd)(?P<long>[ad])?", re.IGNORECASE)
_LOCALE = re.compile(r"\[\$[^-\]]*-([^\],]+)")
_HAN_DAYS = "一二三四五六日"


def shows(archive: zipfile.ZipFile) -> Mapping[str, Show]:
    """Returns how the values of the formats that a workbook uses are shown, by the code of the format."""
    from lxml import etree
    from openpyxl.styles.numbers import BUILTIN_FORMATS

    part = next((name for name in archive.namelist() if name.endswith("/styles.xml")), None)
    if part is None:
        return {}
    xml = archive.read(part)
    used = {int(number) for area in _USED.findall(xml) for number in _ID.findall(area)}
    codes = dict(BUILTIN_FORMATS)
    for entry in etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True)).iter("{*}numFmt"):
        codes[int(entry.get("numFmtId", "0"))] = entry.get("formatCode", "")
    found = {code: show_of(code) for number, code in codes.items() if number in used}
    return {code: show for code, show in found.items() if show}


def show_of(code: str) -> Show | None:
    """Returns the function for a format; None if numbers mean the same without it."""
    if elapsed := _ELAPSED.search(code):
        return partial(_elapsed, elapsed["unit"][0].lower(), elapsed["rest"].lower())
    literals = list[str]()

    def keep(match: re.Match[str]) -> str:
        literals.append(match[1] if match[1] is not None else match[2])
        return chr(0xE000 + len(literals) - 1)

    section = _MARK.sub("", _LITERAL.sub(keep, code.split(";")[0])).strip()
    if len(literals) > 200 or section.isalpha() and section.lower() == "general":
        return None
    if day := _WEEKDAY.fullmatch(section):
        language = "zh" if section[0] in "aA" else _language(code)
        return partial(_weekday, chinese=language == "zh", long=bool(day["long"])) if language else None
    if _ZEROS.fullmatch(section):
        return partial(_with_zeros, section, literals)
    if percent := _PERCENT.fullmatch(section):
        return partial(_percent, percent[1] or "")
    return None


def _language(code: str) -> str:
    """The language of a format, English if it names none; empty unless it is Chinese or English."""
    locale = _LOCALE.search(code)
    if locale is None:
        return "en"
    name = locale[1].lower()
    if name[:2] in ("zh", "en"):
        return name[:2]
    try:
        return {4: "zh", 9: "en"}.get(int(name, 16) & 0x3FF, "")  # the language in an LCID
    except ValueError:
        return ""


def _with_zeros(section: str, literals: list[str], value: object) -> object:
    """A whole number in the places of the zeros: 501 under 00000 is 00501, under 000-0000 it is 000-0501."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or value < 0:
        return value
    digits = str(int(value)).zfill(section.count("0"))
    if len(digits) >= len(section) == section.count("0"):
        return digits
    first, shown = section.index("0"), list[str]()
    for place in range(len(section) - 1, -1, -1):
        if section[place] != "0":
            letter = section[place]
            shown.append(literals[ord(letter) - 0xE000] if "\ue000" <= letter <= "\ue0ff" else letter)
        elif place == first:
            shown.append(digits)
        else:
            shown.append(digits[-1:])
            digits = digits[:-1]
    return "".join(reversed(shown))


def _percent(decimals: str, value: object) -> object:
    """A share in percent: 0.15 under 0% is 15%."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    text = f"{100 * value:.{len(decimals)}f}"
    while text[-1:] == "0" and decimals[-1:] in ("#", "?"):
        text, decimals = text[:-1], decimals[:-1]
    return f"{text.rstrip('.') if not decimals else text}%"


def _elapsed(unit: str, rest: str, value: object) -> object:
    """Hours, minutes or seconds beyond a day: 36:05 under [h]:mm."""
    if isinstance(value, datetime.timedelta):
        seconds = round(value.total_seconds())
    elif isinstance(value, int | float) and not isinstance(value, bool):
        seconds = round(86_400 * value)
    else:
        return value
    sign, seconds = "-" if seconds < 0 else "", abs(seconds)
    if unit == "s":
        return f"{sign}{seconds}"
    minutes = seconds // 60
    tail = f":{seconds % 60:02}" if "s" in rest else ""
    if unit == "m":
        return f"{sign}{minutes}{tail}"
    return f"{sign}{minutes // 60}:{minutes % 60:02}{tail}" if "m" in rest else f"{sign}{minutes // 60}"


def _weekday(value: object, *, chinese: bool, long: bool) -> object:
    """The day of the week of a date, in the language of the format."""
    from openpyxl.utils.datetime import from_excel

    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 1:
        value = from_excel(value)
    if not isinstance(value, datetime.date):
        return value
    if chinese:
        return ("星期" if long else "周") + _HAN_DAYS[value.weekday()]
    name = WEEKDAYS.title().split("|")[value.weekday()]
    return name if long else name[:3]
