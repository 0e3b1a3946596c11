"""Numbers as lists write them: 3, c, iii, 三, 丙, ③; the formats have the names that Word uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lab.text.word_lists import ORDINALS_TO_19, UP_TO_TWELVE

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_HAN, _SIMPLIFIED, _TRADITIONAL = "〇一二三四五六七八九", "零壹贰叁肆伍陆柒捌玖", "零壹貳參肆伍陸柒捌玖"
_STEMS, _BRANCHES = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥"
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщыэюя"
_KOREAN, _SYLLABLES = "일이삼사오육칠팔구", "가나다라마바사아자차카타파하"
_KANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_HIGHEST = 9999


def roman(number: int) -> str:
    """Returns a number in small Roman numerals; a decimal one for a number without them."""
    if not 0 < number <= _HIGHEST:
        return str(number)
    text = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        text += letters * count
    return text


def letters(number: int) -> str:
    """Returns a, b, … z, aa, ab: as html counts."""
    if number < 1:
        return str(number)
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def _repeated(signs: str) -> Callable[[int], str]:
    """Counts with signs, and repeats them behind the last: a, … z, aa, bb, as Word does."""

    def written(number: int) -> str:
        again, at = divmod(number - 1, len(signs))
        return signs[at] * min(again + 1, 20) if number > 0 else str(number)

    return written


def _from(signs: Sequence[str]) -> Callable[[int], str]:
    return lambda number: signs[number - 1] if 0 < number <= len(signs) else str(number)


def _digits(signs: str) -> Callable[[int], str]:
    return lambda number: "".join(signs[int(digit)] if digit.isdigit() else digit for digit in str(number))


def _counting(signs: str, units: str) -> Callable[[int], str]:
    """Counts with units: 十一, 二十, 一百零五."""

    def written(number: int) -> str:
        if not 0 < number <= _HIGHEST:
            return str(number)
        text, digits = "", str(number)
        for i, digit in enumerate(digits):
            unit = units[len(digits) - i - 2] if i < len(digits) - 1 else ""
            if digit != "0":
                text += signs[int(digit)] + unit
            elif digits[i + 1 :].strip("0") and not text.endswith("零"):
                text += "零"
        return text.removeprefix("一") if 10 <= number < 20 else text

    return written


def _ordinal(number: int) -> str:
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _range(first: str, count: int) -> str:
    return "".join(chr(ord(first) + i) for i in range(count))


_CIRCLED = _range("①", 20) + _range("㉑", 15) + _range("㊱", 15)
_CHINESE = _counting(_HAN, "十百千")
_FORMATS: Mapping[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda number: f"{number:02}",
    "lowerRoman": roman,
    "upperRoman": lambda number: roman(number).upper(),
    "lowerLetter": _repeated(_range("a", 26)),
    "upperLetter": _repeated(_range("A", 26)),
    "ordinal": _ordinal,
    "cardinalText": _from(UP_TO_TWELVE.title().split("|")),
    "ordinalText": _from(ORDINALS_TO_19.title().split("|")[:12]),
    "hex": lambda number: f"{number:X}",
    "chineseCounting": _CHINESE,
    "chineseCountingThousand": _CHINESE,
    "japaneseCounting": _CHINESE,
    "taiwaneseCounting": _CHINESE,
    "taiwaneseCountingThousand": _CHINESE,
    "koreanCounting": _counting("영" + _KOREAN, "십백천"),
    "koreanDigital": _digits("영" + _KOREAN),
    "koreanDigital2": _digits(_HAN),
    "chineseLegalSimplified": _counting(_SIMPLIFIED, "拾佰仟"),
    "ideographLegalTraditional": _counting(_TRADITIONAL, "拾佰仟"),
    "japaneseLegal": _counting("零壱弐参四伍六七八九", "拾百千"),
    "ideographDigital": _digits(_HAN),
    "japaneseDigitalTenThousand": _digits(_HAN),
    "taiwaneseDigital": _digits("○" + _HAN[1:]),
    "ideographTraditional": _from(_STEMS),
    "ideographZodiac": _from(_BRANCHES),
    "decimalEnclosedCircle": _from(_CIRCLED),
    "decimalEnclosedCircleChinese": _from(_CIRCLED),
    "decimalEnclosedParen": _from(_range("⑴", 20)),
    "decimalEnclosedFullstop": _from(_range("⒈", 20)),
    "ideographEnclosedCircle": _from(_range("㊀", 10)),
    "decimalFullWidth": _digits(_range("０", 10)),
    "decimalFullWidth2": _digits(_range("０", 10)),
    "numberInDash": lambda number: f"- {number} -",
    "russianLower": _repeated(_RUSSIAN),
    "russianUpper": _repeated(_RUSSIAN.upper()),
    "ganada": _from(_SYLLABLES),
    "aiueo": _from(_KANA),
    "aiueoFullWidth": _from(_KANA),
    "iroha": _from(_IROHA),
    "irohaFullWidth": _from(_IROHA),
    "none": lambda _: "",
}


def written(number: int, format: str) -> str:
    """Returns a number in a format of Word, or with zeros before it (``03``: 001); an unknown format is decimal."""
    if format.isdecimal():
        return f"{number:0{min(int(format), 9)}}"
    return _FORMATS.get(format, str)(number)
