"""Numbers with their units: their places in a text, each with a value that can be compared.

Digits, words and fractions have one value (14, fourteen, 十四; half an hour, 30 minutes), an amount in two parts is one
number (1 hour 30 minutes, 1.5 hours), and a sign may be a word (零下5度, minus five degrees).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lab.patterns import lazy_pattern
from lab.text import half_width, is_han
from lab.text.quantities.claims import Found, Reading
from lab.text.quantities.dates import clock_time
from lab.text.quantities.notation import VULGAR, Digits, read_digits
from lab.text.quantities.numbers import (
    DIGITS,
    FRACTION_OF_SCALE,
    HAN_DIGIT,
    HAN_NUMERAL,
    LARGE,
    ORDINALS,
    and_part,
    english_number,
    han_number,
    more_of_han,
    whole_number,
)
from lab.text.quantities.units import CURRENCY, DURATIONS, GLUED, NAMES, SCALE, SCALES, UNIT, sizes, unit_of
from lab.text.word_lists import TENS

__all__ = ["numbers"]

_LEAD = lazy_pattern(
    r"(?:(?<![a-z0-9_])(?<!\d[.,'’])|(?<=\dx))"
    r"(?:(?P<money>(?:us|hk)?\$|[¥€£]|(?:usd|rmb|cny|eur|gbp|hkd)(?=\s?\d))\s?)?"
    rf"(?P<sign>[-+−](?=\d)|(?<![^\s(（])–(?=\d))?(?=[0-9{''.join(VULGAR)}])"
)
"""What may be before the digits of a number."""
_FRACTION_IN_DIGITS = lazy_pattern(r"(?:(?P<whole>\d{1,4})[\s-])?(?P<top>\d{1,3})/(?P<bottom>\d{1,3})(?![\d/])")
_RATIO = lazy_pattern(r"(?P<a>\d{1,4}(?:\.\d{1,2})?):(?P<b>\d{1,4}(?:\.\d{1,2})?)(?![\d:]|\.\d)")
_ORDINAL_END = lazy_pattern(r"(?:st|nd|rd|th)(?![a-z0-9])")
_COMMA = lazy_pattern(r"[0-9.,'’\s]{0,20}?[0-9],[0-9]{1,9}(?![0-9.,])")
_AFTER_COMMA = lazy_pattern(r"(?<=[0-9]),[0-9]{1,2}(?![0-9.,])")
_MONEY_BEHIND = lazy_pattern(r"\s?(?P<sign>[€$£¥])(?!\s?\d)")
_HOURS = lazy_pattern(
    r"(?<![\d:.])(?P<hours>\d{1,3})(?P<mark>[:.])(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d))?"
    r"\s?(?P<unit>h|hrs?|hours?|小时)(?![a-z0-9])"
)
"""1:30 h is a duration or a time; 21.30 h is a time or a decimal number of hours."""
_MONEY_SCALE = lazy_pattern(r"\s?(?P<scale>[mb])(?![a-z0-9])")
_CLOCK = lazy_pattern(
    r"(?<![a-z0-9_.,])(?:(?P<hours>\d{1,3})(?:\s?h\s?(?=\d+\s?m)|h)(?P<minutes>\d{1,2})\s?(?:m|min)?|(?P<m>\d{1,3})\s?m\s?(?=\d{1,2}\s?s))"
    r"(?:\s?(?P<seconds>\d{1,2})\s?s)?(?![a-z0-9]|\.\d)"
)
"""Hours, minutes and seconds glued together: 1h30m, 2h15, 5m30s."""
_HAN_NUMBER = lazy_pattern(
    rf"(?P<share>(?<![{HAN_NUMERAL}])一半)|(?P<quarters>[一二两三])刻钟"
    rf"|(?P<percent>百分之)?(?P<ordinal>第|首(?=[次日年月周届轮批位页]))?"
    rf"(?P<run>[{HAN_NUMERAL}]+|(?<![上下前后一大多过对个])半|(?<=首))"
    rf"(?:点(?P<point>{HAN_DIGIT}+)(?P<large>[万亿]?))?(?:分之(?P<top>[{HAN_NUMERAL}]+))?(?P<vague>[几多余]?)"
)
_COUNTERS = (
    "类个件本台只条张家所座项种支部场届队辆架艘幅首篇页章节层级倍股套间颗粒枚门户集期卷份点字票局分组轮"
    "楼步栋幢室顿杯瓶碗片袋箱盒罐副把根段句圈朵盏封批堂桌册题"
)
_ARTICLES = ("人", "名", "位", "日", "天", "次", "回", "遍", "趟")
"""With 一 before them these may be an article or an idiom."""
_IDIOM_BEFORE = lazy_pattern(r"(?:[这那每某同前后另任上下再又头唯]|(?:^|[，。！？；：、\s])有)$")
_IDIOM_AFTER = lazy_pattern(r"天[天到]|次[性次]|回[事头]|点|些|下|样|般|半")
_ENUMERATED = lazy_pattern(rf"\s?[,:。.]|\s?、(?![\d{HAN_NUMERAL}])|时间|手(?![动机])|反应")
_MORE = lazy_pattern(rf"\s?[\d{HAN_NUMERAL}几]")
_PARTS_OF = {
    unit: re.compile(rf"\s?[\d{HAN_NUMERAL}]+(?:{smaller})")
    for unit, smaller in {"hour": "分", "minute": "秒", "year": "个?月|天"}.items()
}
"""Units that a smaller one may follow in the same amount; behind others a number is a rate (一天两次)."""
_NOT_TENTHS = lazy_pattern("成(?:为|立|长|员|功|就|果|本|年|人)")
_HALF_TENTH = lazy_pattern("半(?![年天个小价数])")
_RANGE = lazy_pattern(r"\s?(?:[-–—~～x×*]|——|to|or|and|by|到|至|或|和)\s?")
_BOTH = lazy_pattern(r"\s?(?:(?P<and>and |又)|零)?\s?")
_IN_PARTS = (*DURATIONS, "foot", "usd", "lb")
"""Units of amounts that are said in two parts with “and” between them; others are two amounts (2 GB and 512 MB)."""
_THOUSAND_UNIT = lazy_pattern("|".join(unit for unit in NAMES if unit[0] == "千"))
_HAN_RANGE = lazy_pattern(rf"[-–—~～到至或][\d{HAN_NUMERAL}]+")
_WORD = lazy_pattern(r"(?<![a-z0-9_-])[a-z]+")
_FRACTIONS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}
_FRACTION = lazy_pattern(
    r"(?:(?P<n>one|two|three|four|five|a|[1-9])[\s-])?(?P<of>half|thirds?|quarters?|fourths?|fifths?|tenths?)(?![\w-])"
)
_OF_UNIT = lazy_pattern(r"(?P<half>(?:an? |one )?half)(?:(?: of)? (?:an?|one) |[ -])|(?: of)? (?:an?|one) ")
_NO_HALF = lazy_pattern(r"(?:a )?half past")
_FRACTION_FOLLOWS = lazy_pattern(
    r"$|\W*$|[^\w\s]| (?:of|more|less|fewer|lower|higher|longer|shorter|faster|the|or|and)\b"
)
_ORDINAL = lazy_pattern(rf"(?:(?P<tens>{TENS})[\s-])?(?P<one>[a-z]+(?:st|nd|rd|th))(?![a-z0-9_])")
_AND_ORDINAL = lazy_pattern(r"(?: and)?[ -]((?:[a-z]+y-)?[a-z]+(?:st|nd|rd|th))(?![a-z])")
_POINT, _NOUN, _PARTY = re.compile(r"\s*[,:]"), re.compile(r"[\s-]?\w"), re.compile(r"[\s-]part(?:y|ies)\b")
_SECOND = lazy_pattern(r"(?:\b(?:a|an|per|each|every|one|split|half a)|\d) $")
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_NO_COUNT = lazy_pattern(
    r" (?:again|more|upon|the|your?|it|this|that|they|we|i|he|she|an?(?! (?:day|week|month|year))|in)\b"
)
_AN_AMOUNT = lazy_pattern(
    r"(?:^|[.!?;:,(\n]\s*|\b(?:for|in|within|after|before|by|about|around|almost|nearly|over|under|than|least|most|only|just"
    r"|up to|takes?|took|taking|lasts?|lasted|is|was|be|requires?|needs?|waits?|waited|stays?|costs?|weighs?) )$"
)
_LETTERS, _DIGIT = re.compile("[a-z_]+"), re.compile(r"\s?\d")
_UNKNOWN_UNIT = lazy_pattern("[a-z]{1,5}(?![a-z0-9_])")
_HALF_A_UNIT = lazy_pattern("半(?:个|天|年|月|小时)")
_TENTHS = lazy_pattern(rf"([1-9一二三四五六七八九])(?![\d.,{HAN_NUMERAL}{_COUNTERS}])")
_AGO = lazy_pattern(r"\s?(?:ago\b|之?以?前(?!往|进|后|面|锋|者))")
_MINUS = lazy_pattern(
    rf"(?:(?:零下|冰点以下)(?:摄氏)?|(?<![\d{HAN_NUMERAL}胜平担抱])负|(?<!\d )\b(?:minus|negative) )\s?$"
)
_BELOW = lazy_pattern(r"(?: degrees?| celsius| centigrade|°?c)* (?:below|under) (?:zero|freezing)(?![a-z])")


def numbers(text: str) -> tuple[Found, ...]:
    """The numbers of a text in the order of their places, as they are written; they do not overlap."""
    cased, text = text, half_width(text.replace("，", "、"))  # which separates no thousands
    used, amounts = bytearray(len(text)), list[Found]()
    for reader in (_clock(text), _arabic(cased, text), _han(text), _english(cased, text)):
        for amount in sorted(reader, key=lambda amount: (amount.start, -amount.end)):
            if not any(used[amount.start : amount.end]):
                used[amount.start : amount.end] = b"\1" * (amount.end - amount.start)
                amounts.append(amount)
    return tuple(_signed(text, amount) for amount in _joined(text, sorted(amounts, key=lambda a: a.start)))


def _clock(text: str) -> Iterator[Found]:
    for m in _HOURS.finditer(text):
        yield _hours(m)
    for m in _CLOCK.finditer(text):
        minutes = 60 * int(m["hours"] or 0) + int(m["minutes"] or m["m"])
        if m["seconds"] or m["hours"]:
            yield Found("number", 60.0 * minutes + int(m["seconds"] or 0), "second", *m.span())


def _hours(m: re.Match[str]) -> Found:
    hours, minutes = int(m["hours"]), int(m["minutes"])
    duration = Reading("number", 60.0 * (60 * hours + minutes) + int(m["seconds"] or 0), "second")
    time = Reading("date", f"T{clock_time(hours, minutes)}", "")
    decimal = Reading("number", float(f"{hours}.{m['minutes']}"), "hour")
    readings = [duration, time] if m["mark"] == ":" else [decimal, time]
    if m["seconds"] or time.value == "T":
        readings = readings[:1]
    return Found(*readings[0], *m.span(), readings=tuple(readings[1:]))


def _arabic(cased: str, text: str) -> Iterator[Found]:
    has_commas = any(_one_number(text, m.end()) for m in _AFTER_COMMA.finditer(text)) if "," in text else False
    at = 0
    while m := _LEAD.search(text, at):
        start = m.end()
        fact, at = _in_digits(cased, text, m, start, has_commas)
        yield from fact


def _one_number(text: str, end: int) -> bool:
    """Whether a unit or a currency shows that the digits before it are one number, although they have a comma."""
    return bool(UNIT.match(text, end) or SCALE.match(text, end) or _MONEY_BEHIND.match(text, end))


def _in_digits(cased: str, text: str, lead: re.Match[str], at: int, has_commas: bool) -> tuple[Iterable[Found], int]:
    """Reads the number in digits at ``at`` with all that touches it; returns also where to read on."""
    start = lead.start()
    if (m := _FRACTION_IN_DIGITS.match(text, at)) and int(m["bottom"]):
        digits = Digits(at, m.end(), int(m["whole"] or 0) + int(m["top"]) / int(m["bottom"]))
    elif (m := _RATIO.match(text, at)) and float(m["b"]):
        return [Found("number", round(float(m["a"]) / float(m["b"]), 9), "ratio", start, m.end())], m.end()
    elif text[at] in VULGAR:
        digits = Digits(at, at + 1, VULGAR[text[at]])
    else:
        comma = _COMMA.match(text, at)
        shown = bool(lead["money"]) or bool(comma and _one_number(text, comma.end()))
        read = read_digits(cased, at, decimal_comma=has_commas, unit_follows=shown)
        assert read is not None
        digits = read
    if digits.value is None:
        return [Found("unread", "", "", start, digits.end, False)], digits.end
    value = -digits.value if lead["sign"] in ("-", "−", "–") else digits.value
    before, ordinal = text[max(0, start - 4) : start].rstrip(), _ORDINAL_END.match(text, digits.end)
    if ordinal or before.endswith("第"):
        return [Found("number", value, "ordinal", start, ordinal.end() if ordinal else digits.end)], digits.end
    if before.endswith("百分之"):
        return [Found("number", value, "percent", start, digits.end)], digits.end
    facts = list(_measured(text, start, digits.end, value, CURRENCY.get(lead["money"] or "", ""), cased))
    if digits.other is not None and value:
        facts = [_with_other(fact, digits.other / value) for fact in facts]
    return facts, digits.end


def _with_other(fact: Found, factor: float) -> Found:
    """Adds the other reading of the digits, with the same unit."""
    return fact._replace(readings=(Reading(fact.kind, float(fact.value) * factor, fact.unit),))


def _han(text: str) -> Iterator[Found]:
    for m in _HAN_NUMBER.finditer(text):
        if m["share"]:
            yield Found("number", 0.5, "", *m.span())
        elif m["quarters"]:
            yield Found("number", 15.0 * DIGITS[m["quarters"]], "minute", *m.span())
        else:
            yield from _of_han(text, m)


def _of_han(text: str, m: re.Match[str]) -> Iterator[Found]:
    run, end = m["run"] or "一", m.end()
    if run[-1] == "千" and len(run) > 1 and m.end("run") == end and _THOUSAND_UNIT.match(text, end - 1):
        run, end = run[:-1], end - 1  # 十二千克
    value = 0.5 if run == "半" else han_number(run)
    if len(run) == 2 and value is None and run[0] in DIGITS and run[1] in DIGITS:
        yield from _two_of_han(text, m)
    if value is None or run[0] in "百千万亿" or m["vague"] == "几":
        return
    if m["point"]:
        value += float("0." + "".join(str(DIGITS[c]) for c in m["point"]))
        value *= LARGE.get(m["large"], 1)
    if m["top"] is not None:
        above = han_number(m["top"])
        if above is not None and value:
            yield Found("number", round(above / value, 9), "", m.start(), end)
    elif m["percent"]:
        yield Found("number", value, "percent", m.start(), end)
    elif m["ordinal"]:
        if not _ENUMERATED.match(text, end):
            yield Found("number", value, "ordinal", m.start(), end, m["ordinal"] == "第")
    elif text[end : end + 1] == "成" and not _NOT_TENTHS.match(text, end):
        half = _HALF_TENTH.match(text, end + 1) is not None
        yield Found("number", 10 * value + 5 * half, "percent", m.start(), end + 1 + half)
    elif sure := _counts(text, m, run, end):
        for amount in _measured(text, m.start(), end, value, ""):
            yield amount._replace(sure=sure == "sure" or amount.value != value)


def _two_of_han(text: str, m: re.Match[str]) -> Iterator[Found]:
    """两三天: two numbers with one unit."""
    unit = UNIT.match(text, m.end())
    if unit and DIGITS[m["run"][0]] < DIGITS[m["run"][1]]:
        for i, digit in enumerate(m["run"]):
            yield Found("number", float(DIGITS[digit]), unit_of(unit), m.start() + i, m.start() + i + 1)


def _counts(text: str, m: re.Match[str], run: str, end: int) -> str:
    """Whether a Han number that nothing else shows to be one counts: ``sure``, ``unsure``, or not at all.

    一个 may be an article, 三国 and 四川 are names, 一天两次 is a rate.
    """
    if run in ("零", "〇") and not UNIT.match(text, end):
        return ""
    unit = UNIT.match(text, end) or (UNIT.match(text, end + 1) if text[end : end + 1] == "个" else None)
    after = text[end : end + 1]
    if run == "半":
        return "sure" if unit or text.startswith(("个月", "月"), end) else ""
    if len(run) > 1 or m["point"]:
        return "sure"
    if not unit and (not after or after not in _COUNTERS):
        ranging = (ahead := _HAN_RANGE.match(text, end)) and UNIT.match(text, ahead.end())
        return "sure" if ranging else "unsure" if is_han(after) else ""
    if run != "一" or text.startswith("个半", end):
        return "sure"
    if _IDIOM_BEFORE.search(text[max(0, m.start() - 2) : m.start()]) or _IDIOM_AFTER.match(text, end):
        return "sure" if text.startswith(("天半", "次半"), end) else ""
    if unit and _MORE.match(text, unit.end()):
        parts = _PARTS_OF.get(unit_of(unit))
        return "sure" if parts and parts.match(text, unit.end()) else ""
    if unit and text[unit.start() : unit.end()] in ("度", "块"):
        return ""
    return "unsure" if not unit or text[unit.start() : unit.end()] in _ARTICLES else "sure"


# ---------------------------------------------------------------------------------------------- English


def _english(cased: str, text: str) -> Iterator[Found]:
    at = 0
    while m := _WORD.search(text, at):
        at = m.start()
        amount = _fraction(text, at) or _ordinal(cased, text, at) or _cardinal(text, m) or _article(text, m)
        if amount:
            yield amount
        at = amount.end if amount else m.end()


def _fraction(text: str, at: int) -> Found | None:
    """Half an hour, three quarters of a year, half, two thirds; half a million is a number like others."""
    if _NO_HALF.match(text, at) or FRACTION_OF_SCALE.match(text, at):
        return None
    half = _OF_UNIT.match(text, at)
    if half and half["half"] and (unit := UNIT.match(text, half.end() - 1)):
        return Found("number", 0.5, unit_of(unit), at, unit.end())
    m = _FRACTION.match(text, at)
    if not m or (not m["n"] and m["of"] != "half"):
        return None
    value = (whole_number(m["n"] or "one") or 1) / _FRACTIONS[m["of"].rstrip("s")]
    if (joint := _OF_UNIT.match(text, m.end())) and (unit := UNIT.match(text, joint.end() - 1)):
        return Found("number", round(value, 9), unit_of(unit), at, unit.end())
    if m["n"] == "a" and m["of"] not in ("half", "quarter") and not _FRACTION_FOLLOWS.match(text, m.end()):
        return None  # a third lamp
    return Found("number", round(value, 9), "", at, m.end())


def _ordinal(cased: str, text: str, at: int) -> Found | None:
    """Second, twenty-first.  First, second and third also have other meanings; a capital may begin a name."""
    m = _ORDINAL.match(text, at)
    value = ORDINALS.get(f"{m['tens']}-{m['one']}" if m["tens"] else m["one"]) if m else None
    if m is None or value is None or _POINT.match(text, m.end()):
        return None  # the first of several points: “First, open the lid”
    before = text[max(0, at - 8) : at]
    if m[0] == "second" and (_SECOND.search(before) or not (before.endswith("the ") or _NOUN.match(text, m.end()))):
        return None
    if m[0] == "third" and _PARTY.match(text, m.end()):
        return None
    return Found("number", float(value), "ordinal", at, m.end(), value > 3 and cased[at].islower())


def _cardinal(text: str, m: re.Match[str]) -> Found | None:
    if m[0] in _TIMES:
        sure = m[0] != "once"
        idle = not sure and (_NO_COUNT.match(text, m.end()) or text.endswith("at ", 0, m.start()))
        return None if idle else Found("number", float(_TIMES[m[0]]), "time", *m.span(), sure)
    spoken = english_number(text, m.start())
    if m[0] == "zero" and text.endswith(("below ", "above "), 0, m.start()):
        return None
    if not spoken or text[spoken[0] : spoken[0] + 1].isalnum():
        return None
    end, value = spoken
    if value >= 100 and (last := _AND_ORDINAL.match(text, end)) and ORDINALS.get(last[1], 100) < 100:
        return Found("number", value + ORDINALS[last[1]], "ordinal", m.start(), last.end())
    unit = UNIT.match(text, end)
    sure = value != 1 or bool(unit and unit_of(unit) != "time")  # one as a pronoun, at one time
    amount = next(_measured(text, m.start(), end, value, ""), None)
    return amount and amount._replace(sure=sure or amount.value != 1)


def _article(text: str, m: re.Match[str]) -> Found | None:
    """A week: one, where an amount is said; not in “twice a week”."""
    if m[0] not in ("a", "an") or not (unit := UNIT.match(text, m.end())) or text[m.end() : m.end() + 1] != " ":
        return None
    amount = next(_measured(text, m.start(), m.end(), 1.0, ""), None)
    if not amount or amount.kind != "number" or amount.value != 1:
        return amount
    counts = unit_of(unit) not in ("percent", "time") and _AN_AMOUNT.search(text[max(0, m.start() - 16) : m.start()])
    return amount._replace(sure=False) if counts else None


# ---------------------------------------------------------------------------------------- unit and sign


def _measured(text: str, start: int, end: int, value: float, unit: str, cased: str = "") -> Iterator[Found]:
    """A number with the scale and the unit that follow it; none where it is the beginning of a word."""
    value, end = _scaled(text, end, value, bool(unit))
    if text[end : end + 1] in ("多", "余", "几"):
        end += 1
    if part := and_part(text, end):
        value, end = _scaled(text, part.end, value + part.value, bool(unit))
    halved = text.startswith("个半", end) and not text.startswith("个半天", end)
    ahead = "个" + text[end + 2 : end + 8] if halved else text[end : end + 40]
    m = UNIT.match(ahead)
    letters = _LETTERS.match(text, end) if text[end - 1].isascii() else None
    if halved:
        value, end = value + 0.5, end + 2 + (m.end() - 1 if m else 0)
        unit = unit or (unit_of(m) if m else "")
    elif letters and len(letters[0]) == 1 and cased[end : end + 1] in GLUED and not text[end + 1 : end + 2].isdigit():
        unit, end = unit or GLUED[cased[end]], end + 1
    elif m and not _no_unit(m, ahead, cased[end : end + 40], value):
        unit, end = unit or unit_of(m), end + m.end()
        value, end = _and_more(text, end, value, unit, m[0])
    elif text.startswith("月", end) and text[end - 1 : end] == "半":
        unit, end = "month", end + 1
    elif letters and letters[0] != "x":
        if not _UNKNOWN_UNIT.match(text, end):
            return
        stop = letters.end() + (text[letters.end() : letters.end() + 1] in ("²", "³"))
        unit, end = unit or text[end:stop], stop  # 60fps, 5 ft²
    elif not unit and (sign := _MONEY_BEHIND.match(text, end)):
        unit, end = CURRENCY[sign["sign"]], sign.end()
    if unit in DURATIONS and (m := _AGO.match(text, end)):
        yield Found("date", f"{value:g} {unit} ago", "", start, m.end())
    else:
        yield Found("number", round(value, 9), unit, start, end)


def _no_unit(m: re.Match[str], text: str, cased: str, value: float) -> bool:
    """Whether the unit behind a number is something else: 30x40, the initial in “1815 T. Smith”."""
    if m[0] == "x":
        return bool(_DIGIT.match(text, 1))
    if m["word"] == "time":
        return value != 1  # 5 time zones
    return bool(m["spaced"] and cased[m.start("spaced") : m.end()] in tuple("DGHMSTXY"))


def _scaled(text: str, end: int, value: float, money: bool) -> tuple[float, int]:
    """The value with what multiplies it, and where that ends: 5 million, 3万, 3亿5000万, $5m."""
    m = SCALE.match(text, end)
    if not m and money and (short := _MONEY_SCALE.match(text, end)):
        return value * (1e6 if short["scale"] == "m" else 1e9), short.end()
    if not m or (m["scale"] in ("百", "千") and text[m.end() : m.end() + 1] in tuple("分米克瓦伏赫卡")):
        return value, end
    value, end, last = more_of_han(text, m.end(), value * SCALES[m["scale"]], SCALES[m["scale"]])
    if m["scale"].isascii() and (part := and_part(text, end)):
        value, end = value + part.value * last, part.end
    return value, end


def _and_more(text: str, end: int, value: float, unit: str, spelled: str) -> tuple[float, int]:
    """What belongs to the number behind its unit: a year and a half, 一年半, 1米8."""
    if part := and_part(text, end):
        return value + part.value, part.end
    if text[end : end + 1] == "半" and not _HALF_A_UNIT.match(text, end):
        return value + 0.5, end + 1
    tenths = _TENTHS.match(text, end)
    if spelled in ("米", "块") and tenths and not UNIT.match(text, tenths.end()):
        return value + (DIGITS.get(tenths[1]) or int(tenths[1])) / 10, tenths.end()
    return value, end


def _joined(text: str, amounts: Iterable[Found]) -> Iterator[Found]:
    """Two numbers that are one amount become one; the first of a range or of a size takes the unit of the second."""
    joined = list[Found]()
    for amount in amounts:
        if not joined:
            joined.append(amount)
            continue
        last, gap = joined[-1], text[joined[-1].end : amount.start]
        both = _BOTH.fullmatch(gap)
        if last.unit == "hour" and both:
            if not amount.unit and text[amount.end : amount.end + 1] == "分":
                amount = amount._replace(unit="minute", end=amount.end + 1)
            amount = amount._replace(unit="minute") if amount.unit == "m" else amount
        sum_of_both = _sum(last, amount) if both and (not both["and"] or last.unit in _IN_PARTS) else None
        if sum_of_both is not None:
            joined[-1] = Found("number", sum_of_both, last.unit, last.start, amount.end)
            continue
        if not last.unit and last.kind == amount.kind == "number" and amount.unit and _RANGE.fullmatch(gap):
            joined[-1] = last._replace(unit=amount.unit)
        joined.append(amount)
    yield from joined


def _sum(amount: Found, other: Found) -> float | None:
    """1 hour and 30 minutes in hours; None if the second unit is not a part of the first."""
    if amount.kind != "number" or other.kind != "number" or amount.unit == other.unit:
        return None
    first, second = sizes(amount.unit), sizes(other.unit)
    for measure in first.keys() & second.keys():
        more = float(other.value) * second[measure]
        if 0 < more < first[measure] and float(amount.value).is_integer():
            return round(float(amount.value) + more / first[measure], 9)
    return None


def _signed(text: str, amount: Found) -> Found:
    """The number below zero if words say so."""
    if amount.kind != "number" or float(amount.value) <= 0:
        return amount
    if before := _MINUS.search(text[max(0, amount.start - 14) : amount.start]):
        if not (before[0].startswith("负") and text[amount.end : amount.end + 1] in ("场", "局", "盘")):
            return amount._replace(value=-float(amount.value), start=amount.start - len(before[0]))
    elif amount.unit in ("", "degree", "fahrenheit") and (after := _BELOW.match(text, amount.end)):
        return amount._replace(value=-float(amount.value), end=after.end())
    return amount
