"""Units of measurement in Chinese and English: how each is written, what it measures, and how they convert.

There are two readers.  Running text (`UNIT`, `unit_of`, `sizes`) is read for its claims: a euro is not a dollar,
and lengths in feet, which are rounded, are not compared with metres.  A question to a database (`measure`, `convert`,
`read_unit`) is read for the column that it may mean: all money is one measure, and miles become kilometres.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lab.patterns import lazy_pattern


class Unit(NamedTuple):
    """A unit: its name, the measure that a question asks for, and its words.

    ``behind`` are words that mean the unit only directly after a number in running text, ``question_words`` those that
    mean it only in questions.  In all of them an underscore stands for a space, and questions add an s.
    """

    name: str
    measure: str
    words: str
    behind: str = ""
    question_words: str = ""


_TABLE = (
    Unit("yuan", "money", "元 块 块钱 元人民币 人民币 yuan rmb cny", question_words="¥ ￥ 元/月 元/年"),
    Unit("usd", "money", "美元 美金 dollar dollars usd", question_words="$"),
    Unit("cent", "", "美分 cent cents"),
    Unit("eur", "money", "欧元 euro euros eur", question_words="€"),
    Unit("gbp", "money", "英镑 pound pounds gbp", question_words="£"),
    Unit("hkd", "money", "港元 港币 hkd"),
    Unit("millisecond", "", "毫秒 ms millisecond milliseconds"),
    Unit("second", "seconds", "秒 秒钟 second seconds sec secs", "s"),
    Unit("minute", "minutes", "分钟 minute minutes min mins"),
    Unit("hour", "hours", "小时 个小时 钟头 个钟头 h hour hours hr hrs"),
    Unit("day", "days", "天 日 day days", "d"),
    Unit("night", "nights", "", question_words="晚 night"),
    Unit("working day", "", "个工作日 工作日 working_day working_days business_day business_days"),
    Unit("week", "weeks", "周 星期 个星期 个礼拜 week weeks", "礼拜 wk wks"),
    Unit("fortnight", "", "fortnight fortnights"),
    Unit("month", "months", "个月 month months", "mo mos", "月"),
    Unit("quarter", "", "个季度 季度"),
    Unit("year", "years", "年 year years yr yrs", "周年 y"),
    Unit("decade", "", "decade decades"),
    Unit("century", "", "个世纪 century centuries"),
    Unit("age", "age", "岁 周岁 years_old year_old", "year-old years-old", "years_of_age"),
    Unit("percent", "percent", "% percent per_cent pct", "个百分点 percentage_point percentage_points"),
    Unit("permille", "", "‰ permille"),
    Unit("µm", "", "微米 μm µm um micrometre micrometres micrometer micrometers micron microns"),
    Unit("mm", "mm", "毫米 mm millimetre millimetres millimeter millimeters"),
    Unit("cm", "cm", "厘米 cm centimetre centimetres centimeter centimeters", "公分"),
    Unit("dm", "", "分米 dm decimetre decimetres decimeter decimeters"),
    Unit("m", "metre", "米 m metre metres meter meters"),
    Unit("km", "km", "公里 千米 km kilometre kilometres kilometer kilometers", question_words="k"),
    Unit("li", "", "里地 里路 华里", "里"),
    Unit("inch", "inch", "英寸 寸 inch inches"),
    Unit("foot", "foot", "英尺 foot feet ft"),
    Unit("yard", "", "yard yards yd yds"),
    Unit("mile", "mile", "英里 mile miles"),
    Unit("km/h", "speed", "km/h kph kmh", "公里/小时 千米/小时 公里/时 千米/时 km_per_hour "
         "kilometres_per_hour kilometers_per_hour", "公里每小时"),
    Unit("mph", "speed mph", "mph miles_per_hour"),
    Unit("m/s", "", "m/s 米/秒 metres_per_second meters_per_second"),
    Unit("cm2", "", "平方厘米 cm² cm2 square_centimetres square_centimeters"),
    Unit("m2", "area", "平方米 平米 m² m2 square_metre square_metres square_meter square_meters", "sq_m",
         "㎡ 平方 平 sqm"),
    Unit("mu", "mu", "亩"),
    Unit("hectare", "hectare", "公顷 ha hectare hectares"),
    Unit("km2", "area km", "平方公里 平方千米 km2 square_kilometre square_kilometres square_kilometer "
         "square_kilometers sq_km", "km²"),
    Unit("mm2", "", "平方毫米 mm² mm2 square_millimetres square_millimeters"),
    Unit("mm3", "", "立方毫米 mm³ mm3 cubic_millimetres cubic_millimeters"),
    Unit("cm3", "", "立方厘米 cm³ cm3 cc cubic_centimetres cubic_centimeters"),
    Unit("dm3", "", "立方分米 dm³ dm3 cubic_decimetres cubic_decimeters"),
    Unit("km3", "", "立方公里 km³ km3 cubic_kilometres cubic_kilometers"),
    Unit("m3", "", "立方米 m³ m3 cubic_metres cubic_meters cubic_metre cubic_meter"),
    Unit("mg", "", "毫克 mg milligram milligrams"),
    Unit("g", "weight g", "克 g gram grams", "gramme grammes"),
    Unit("jin", "", "斤 市斤"),
    Unit("kg", "weight", "公斤 千克 kg kilogram kilograms kilo kilos", "kgs"),
    Unit("t", "weight t", "吨 ton tons tonne tonnes", "t"),
    Unit("ounce", "", "盎司 oz ounce ounces"),
    Unit("lb", "", "磅 lb lbs"),
    Unit("ml", "liter ml", "毫升 ml millilitre millilitres milliliter milliliters"),
    Unit("cl", "", "cl centilitre centilitres centiliter centiliters"),
    Unit("dl", "", "分升 dl decilitre decilitres deciliter deciliters"),
    Unit("l", "liter", "升 公升 l litre litres liter liters"),
    Unit("degree", "temperature", "度 摄氏度 ℃ °c degree degrees degree_celsius degrees_celsius",
         "° deg degrees_c degrees_centigrade", "celsius"),
    Unit("fahrenheit", "temperature f", "华氏度 °f degrees_fahrenheit", "℉ degree_fahrenheit degrees_f", "fahrenheit"),
    Unit("kcal", "kcal", "大卡 千卡 kcal", question_words="calorie cal 卡路里"),
    Unit("w", "", "瓦 瓦特 w watt watts"),
    Unit("kw", "power", "千瓦 kw kilowatt kilowatts"),
    Unit("megawatt", "power mw", "兆瓦 mw megawatt megawatts"),
    Unit("wh", "", "瓦时 wh watt-hours watt_hours"),
    Unit("kwh", "energy", "千瓦时 kwh kilowatt_hour kilowatt_hours", "kilowatt-hours", "度电"),
    Unit("mwh", "energy mwh", "兆瓦时 mwh"),
    Unit("v", "", "伏 伏特 v volt volts"),
    Unit("mv", "", "毫伏 mv millivolt millivolts"),
    Unit("kv", "", "千伏 kv kilovolt kilovolts"),
    Unit("ampere", "", "安培 amp amps ampere amperes"),
    Unit("ma", "", "ma milliamp milliamps milliampere milliamperes"),
    Unit("mah", "", "毫安 毫安时 mah milliamp-hours milliamp_hours"),
    Unit("ah", "", "安时 ah amp-hours amp_hours"),
    Unit("hz", "", "赫兹 赫 hz hertz"),
    Unit("khz", "", "千赫 千赫兹 khz kilohertz"),
    Unit("mhz", "", "兆赫 兆赫兹 mhz megahertz"),
    Unit("ghz", "", "吉赫 吉赫兹 ghz gigahertz"),
    Unit("kb", "", "kb kilobyte kilobytes"),
    Unit("mb", "megabyte", "mb megabyte megabytes", "兆 兆字节"),
    Unit("gb", "gigabyte", "gb gigabyte gigabytes"),
    Unit("tb", "terabyte", "tb terabyte terabytes"),
    Unit("floor", "floor", "", question_words="层 层楼"),
    Unit("points", "points", "", question_words="分 point 星 star"),
    Unit("person", "piece", "人 名 位 person people", "persons"),
    Unit("time", "piece", "次 time", "回 遍 趟 times x"),
    Unit("piece", "piece", "", question_words="件 个 种 类 本 台 份 只 单 条 款 笔 辆 张 家 部 场 门 间 套 杯 瓶 箱 盒 "
         "包 袋 桶 株 匹 册 盘 碗 根 座 艘 架 节 pax piece unit pcs cup bottle box bag"),
)  # fmt: skip
_MULTIPLES = {
    "money 10000": "万元 万 w 万元/年 万元/月",
    "money 1000": "千元 k kusd keur",
    "money 1000000": "百万元 musd meur",
    "km 10000": "万公里",
}
"""Words of columns that contain multiples of a unit, by its measure."""


def _spelled(words: str) -> list[str]:
    return [word.replace("_", " ") for word in words.split()]


# ------------------------------------------------------------------------------------------------ in running text

NAMES: Mapping[str, str] = {word: unit.name for unit in _TABLE for word in _spelled(f"{unit.words} {unit.behind}")}
"""Every word of a unit in running text, in lower case, with the unit's name."""
_DURATIONS = "millisecond second minute hour day week fortnight month quarter year decade century age"
DURATIONS = frozenset([*_DURATIONS.split(), "working day"])
CURRENCY = {
    **{"¥": "yuan", "$": "usd", "€": "eur", "£": "gbp", "us$": "usd", "hk$": "hkd"},
    **{"usd": "usd", "rmb": "yuan", "cny": "yuan", "eur": "eur", "gbp": "gbp", "hkd": "hkd"},
}
"""Signs before a number that give its unit."""
SCALES = {
    "十万": 1e5, "百万": 1e6, "千万": 1e7, "百亿": 1e10, "千亿": 1e11, "万亿": 1e12, "万": 1e4, "亿": 1e8, "千": 1e3,
    "百": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0, "k": 1e3,
    "mn": 1e6, "bn": 1e9, "tn": 1e12, "mio": 1e6, "mln": 1e6, "mrd": 1e9, "lakh": 1e5, "lakhs": 1e5, "crore": 1e7,
    "crores": 1e7, "millions": 1e6, "billions": 1e9,
}  # fmt: skip
GLUED = {"D": "D", "G": "gb", "M": "mb", "T": "tb", "A": "ampere"}
"""Capital letters directly after a number that differ in meaning from the small letter: 3D, 16G, 2A."""
SIZES: Mapping[str, Mapping[str, float]] = {
    "duration": {
        **{"millisecond": 0.001, "second": 1, "minute": 60, "hour": 3600, "day": 86400},
        **{"week": 7 * 86400, "fortnight": 14 * 86400},
    },
    "months": {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200},
    "length": {"µm": 0.001, "mm": 1, "cm": 10, "dm": 100, "m": 1000, "li": 500_000, "km": 1_000_000},
    "length in feet": {"inch": 25.4, "foot": 304.8, "yard": 914.4, "mile": 1_609_344},
    "speed": {"km/h": 1, "m/s": 3.6},
    "area": {"mm2": 1e-6, "cm2": 1e-4, "m2": 1, "mu": 10_000 / 15, "hectare": 10_000, "km2": 1_000_000},
    "weight": {"mg": 0.001, "g": 1, "jin": 500, "kg": 1000, "t": 1_000_000},
    "pounds": {"ounce": 1, "lb": 16},
    "volume": {
        **{"mm3": 0.001, "ml": 1, "cm3": 1, "cl": 10, "dl": 100, "dm3": 1000, "l": 1000},
        **{"m3": 1_000_000, "km3": 1e15},
    },
    "power": {"w": 1, "kw": 1000, "megawatt": 1_000_000},
    "energy": {"wh": 1, "kwh": 1000, "mwh": 1_000_000},
    "voltage": {"mv": 1, "v": 1000, "kv": 1_000_000},
    "current": {"ma": 1, "ampere": 1000},
    "charge": {"mah": 1, "ah": 1000},
    "frequency": {"hz": 1, "khz": 1000, "mhz": 1_000_000, "ghz": 1_000_000_000},
    "data": {"kb": 1, "mb": 1024, "gb": 1024**2, "tb": 1024**3},
    "data in thousands": {"kb": 1, "mb": 1000, "gb": 1000**2, "tb": 1000**3},
    "share": {"permille": 0.001, "percent": 0.01},
    "dollars": {"cent": 0.01, "usd": 1},
}
"""The measure of each group of units, and the size of each unit in the group's smallest unit."""
_MIXED = {"length in feet": "length"}
"""Groups that have the same smallest unit as another group."""


_BEHIND = {"里": "(?![屯堡河桥铺村弄面边头外程])"}
"""What must not follow a word that often begins another."""


def alternatives(words: Iterable[str]) -> str:
    """Returns a pattern for any of these words, the longest first; no letter or digit may follow a Latin one."""
    longest = sorted(words, key=lambda w: (-len(w), w))
    after = (_BEHIND.get(w, "(?![a-z0-9²³])" if w[-1].isascii() and w[-1].isalnum() else "") for w in longest)
    return "|".join(re.escape(w) + behind for w, behind in zip(longest, after, strict=True))


_LETTERS = [w for w in NAMES if len(w) == 1 and w.isascii() and w.isalpha()]
_SPACED = alternatives(w for w in _LETTERS if w not in "dxy")
_HYPHENED = alternatives(w for w in _LETTERS if w in "mtvw")
UNIT = lazy_pattern(
    rf"[\s-]?(?P<word>{alternatives(w for w in NAMES if w not in _LETTERS)})|(?P<glued>{alternatives(_LETTERS)})"
    rf"|\s(?P<spaced>{_SPACED})(?!['’-][a-z]|(?<=v)\s?\d)|-(?P<hyphened>{_HYPHENED})(?!-)"
)
"""A unit after a number, in half width and lower case.

3-D, 4-H club, 5 t-shirts and 3 v 2 contain no unit.
"""
SCALE = lazy_pattern(rf"(?:\s?|[个多余](?=[万亿]))(?P<scale>{alternatives(SCALES)})")


def unit_of(m: re.Match[str]) -> str:
    return NAMES[m["word"] or m["glued"] or m["spaced"] or m["hyphened"]]


def sizes(unit: str) -> dict[str, float]:
    """Returns the measures of a unit with its size in their smallest unit; a unit without others measures itself."""
    return {measure: units[unit] for measure, units in SIZES.items() if unit in units} or {unit: 1.0}


# ------------------------------------------------------------------------------------------------ in questions


def _by_measure() -> dict[str, str]:
    words = defaultdict[str, list[str]](list)
    for unit in _TABLE:
        known = [*unit.words.split(), *unit.question_words.split()]
        words[unit.measure] += [word for word in known if word.removesuffix("s") not in known or not word.endswith("s")]
    del words[""]
    return {measure: " ".join(some) for measure, some in words.items()} | _MULTIPLES


UNITS: Mapping[str, str] = _by_measure()
"""Words for the unit of a number, by the measure; a scale after it multiplies the spoken number."""


def _read_by_measure() -> dict[str, tuple[str, float]]:
    by_word = dict[str, tuple[str, float]]()
    for name, words in UNITS.items():
        head, _, scale = name.rpartition(" ")
        scaled = (head, float(scale)) if scale.isdecimal() else (name, 1.0)
        by_word |= dict.fromkeys(_spelled(words), scaled)
    return by_word


_MEASURES = _read_by_measure()
_SCALES_ALONE = {"万", "k", "w", "$", "¥", "￥", "€", "£"}
_WRITTEN = sorted((u for u in _MEASURES if u not in _SCALES_ALONE), key=len, reverse=True)
_UNITS_OF = {unit.measure: unit.name for unit in _TABLE if unit.measure not in ("", "money", "piece")}


def measure(unit: str) -> tuple[str, float]:
    """Returns the measure of a unit and its scale: ("money", 10000.0) for 万元; ("", 1.0) for an unknown unit."""
    unit = unit.lower().strip()
    head = unit.partition("/")[0].strip() if "/" in unit and unit not in _MEASURES else unit
    for form in (unit, unit.removesuffix("s"), unit.replace("years", "year"), head, head.removesuffix("s")):
        if form in _MEASURES:
            return _MEASURES[form]
    return "", 1.0


def is_unit(word: str) -> bool:
    return word in _MEASURES


def convert(value: float, source: str, target: str) -> float | None:
    """Converts a number from one measure to another (2 hours: 120 minutes); None if they do not measure the same."""
    if source == target:
        return value
    source_sizes, target_sizes = _sizes_of(source), _sizes_of(target)
    shared = next((group for group in source_sizes if group in target_sizes), None)
    return None if shared is None else round(value * source_sizes[shared] / target_sizes[shared], 9)


def _sizes_of(measure: str) -> dict[str, float]:
    return {_MIXED.get(group, group): size for group, size in sizes(_UNITS_OF.get(measure, measure)).items()}


def read_unit(text: str, at: int) -> int:
    """Returns where the unit at this position ends; 0 if there is none."""
    for unit in _WRITTEN:
        if text.startswith(unit, at):
            end = at + len(unit)
            if unit[-1].isascii() and unit[-1].isalpha():
                end += text.startswith("s", end)
                if text[end : end + 1].isascii() and text[end : end + 1].isalnum():
                    continue
            return end
    return 0
