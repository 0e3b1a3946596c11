"""Units of measurement in Chinese and English: how each is written, and how units of one kind convert."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

__all__ = ["CURRENCY", "DURATIONS", "GLUED", "SCALE", "SCALES", "UNIT", "UNITS", "alternatives", "sizes"]

UNITS: Mapping[str, str] = {
    spelled.replace("_", " "): name
    for name, spellings in {
        "millisecond": "毫秒 ms millisecond milliseconds",
        "second": "秒 秒钟 s second seconds sec secs",
        "minute": "分钟 minute minutes min mins",
        "hour": "小时 个小时 钟头 个钟头 h hour hours hr hrs",
        "day": "天 日 d day days",
        "working day": "个工作日 工作日 working_day working_days business_day business_days",
        "week": "周 星期 个星期 礼拜 个礼拜 week weeks wk wks",
        "fortnight": "fortnight fortnights",
        "month": "个月 mo mos month months",
        "quarter": "个季度 季度",
        "year": "年 周年 y year years yr yrs",
        "decade": "decade decades",
        "century": "个世纪 century centuries",
        "age": "岁 周岁 years_old year_old year-old years-old",
        "percent": "% percent per_cent pct 个百分点 percentage_point percentage_points",
        "permille": "‰ permille",
        "yuan": "元 块 块钱 元人民币 人民币 yuan rmb cny",
        "usd": "美元 美金 dollar dollars usd",
        "cent": "美分 cent cents",
        "eur": "欧元 euro euros eur",
        "gbp": "英镑 pound pounds gbp",
        "hkd": "港元 港币 hkd",
        "km": "公里 千米 km kilometre kilometres kilometer kilometers",
        "li": "里地 里路",
        "m": "米 m metre metres meter meters",
        "dm": "分米 dm decimetre decimetres decimeter decimeters",
        "cm": "厘米 公分 cm centimetre centimetres centimeter centimeters",
        "mm": "毫米 mm millimetre millimetres millimeter millimeters",
        "µm": "微米 μm µm um micrometre micrometres micrometer micrometers micron microns",
        "mile": "英里 mile miles",
        "yard": "yard yards yd yds",
        "foot": "英尺 foot feet ft",
        "inch": "英寸 寸 inch inches",
        "km/h": "km/h kph kmh 公里/小时 千米/小时 公里/时 千米/时 kilometres_per_hour kilometers_per_hour km_per_hour",
        "m/s": "m/s 米/秒 metres_per_second meters_per_second",
        "km2": "平方公里 平方千米 km² km2 square_kilometres square_kilometers sq_km",
        "hectare": "公顷 ha hectare hectares",
        "m2": "平方米 平米 m² m2 square_metres square_meters square_metre square_meter sq_m",
        "cm2": "平方厘米 cm² cm2 square_centimetres square_centimeters",
        "m3": "立方米 m³ m3 cubic_metres cubic_meters cubic_metre cubic_meter",
        "kg": "公斤 千克 kg kgs kilogram kilograms kilo kilos",
        "jin": "斤 市斤",
        "g": "克 g gram grams gramme grammes",
        "mg": "毫克 mg milligram milligrams",
        "t": "吨 t tonne tonnes ton tons",
        "lb": "磅 lb lbs",
        "ounce": "盎司 oz ounce ounces",
        "l": "升 公升 l litre litres liter liters",
        "dl": "分升 dl decilitre decilitres deciliter deciliters",
        "cl": "cl centilitre centilitres centiliter centiliters",
        "ml": "毫升 ml millilitre millilitres milliliter milliliters",
        "degree": "度 摄氏度 ℃ °c ° degrees degree deg degrees_celsius degree_celsius degrees_c degrees_centigrade",
        "fahrenheit": "华氏度 ℉ °f degrees_fahrenheit degree_fahrenheit degrees_f",
        "person": "人 名 位 people persons person",
        "time": "次 回 遍 趟 time times x",
        "w": "瓦 瓦特 w watt watts",
        "kw": "千瓦 kw kilowatt kilowatts",
        "wh": "瓦时 wh watt-hours watt_hours",
        "kwh": "千瓦时 kwh kilowatt-hours kilowatt_hours",
        "v": "伏 伏特 v volt volts",
        "mv": "毫伏 mv millivolt millivolts",
        "kv": "千伏 kv kilovolt kilovolts",
        "ampere": "安培 amp amps ampere amperes",
        "ma": "ma milliamp milliamps milliampere milliamperes",
        "mah": "毫安 毫安时 mah milliamp-hours milliamp_hours",
        "ah": "安时 ah amp-hours amp_hours",
        "hz": "赫兹 赫 hz hertz",
        "khz": "千赫 千赫兹 khz kilohertz",
        "mhz": "兆赫 兆赫兹 mhz megahertz",
        "ghz": "吉赫 吉赫兹 ghz gigahertz",
        "kb": "kb kilobyte kilobytes",
        "mb": "mb megabyte megabytes 兆 兆字节",
        "gb": "gb gigabyte gigabytes",
        "tb": "tb terabyte terabytes",
    }.items()
    for spelled in spellings.split()
}
"""Every spelling of a unit in lower case, with the unit's name."""
_DURATIONS = "millisecond second minute hour day week fortnight month quarter year decade century age"
DURATIONS = frozenset([*_DURATIONS.split(), "working day"])
CURRENCY = {
    **{"¥": "yuan", "$": "usd", "€": "eur", "£": "gbp", "us$": "usd", "hk$": "hkd"},
    **{"usd": "usd", "rmb": "yuan", "cny": "yuan", "eur": "eur", "gbp": "gbp", "hkd": "hkd"},
}
"""What stands before a number as its unit."""
SCALES = {
    "十万": 1e5, "百万": 1e6, "千万": 1e7, "百亿": 1e10, "千亿": 1e11, "万亿": 1e12, "万": 1e4, "亿": 1e8, "千": 1e3,
    "百": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0, "k": 1e3,
    "mn": 1e6, "bn": 1e9, "tn": 1e12,
}  # fmt: skip
GLUED = {"D": "D", "G": "gb", "M": "mb", "T": "tb", "A": "ampere"}
"""Capital letters directly behind a number that mean something else than the small letter: 3D, 16G, 2A."""
_SIZES: Mapping[str, Mapping[str, float]] = {
    "duration": {
        **{"millisecond": 0.001, "second": 1, "minute": 60, "hour": 3600, "day": 86400},
        **{"week": 7 * 86400, "fortnight": 14 * 86400},
    },
    "months": {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200},
    "length": {"µm": 0.001, "mm": 1, "cm": 10, "dm": 100, "m": 1000, "li": 500_000, "km": 1_000_000},
    "feet": {"inch": 1, "foot": 12, "yard": 36, "mile": 63_360},
    "speed": {"km/h": 1, "m/s": 3.6},
    "area": {"cm2": 1e-4, "m2": 1, "hectare": 10_000, "km2": 1_000_000},
    "weight": {"mg": 0.001, "g": 1, "jin": 500, "kg": 1000, "t": 1_000_000},
    "pounds": {"ounce": 1, "lb": 16},
    "volume": {"ml": 1, "cl": 10, "dl": 100, "l": 1000, "m3": 1_000_000},
    "power": {"w": 1, "kw": 1000},
    "energy": {"wh": 1, "kwh": 1000},
    "voltage": {"mv": 1, "v": 1000, "kv": 1_000_000},
    "current": {"ma": 1, "ampere": 1000},
    "charge": {"mah": 1, "ah": 1000},
    "frequency": {"hz": 1, "khz": 1000, "mhz": 1_000_000, "ghz": 1_000_000_000},
    "data": {"kb": 1, "mb": 1024, "gb": 1024**2, "tb": 1024**3},
    "data in thousands": {"kb": 1, "mb": 1000, "gb": 1000**2, "tb": 1000**3},
    "share": {"permille": 0.001, "percent": 0.01},
    "dollars": {"cent": 0.01, "usd": 1},
}
"""What each group of units measures, and how much of the same smallest unit each of them is."""


def alternatives(words: Iterable[str]) -> str:
    """A pattern for any of these words, the longest first; no letter or digit may follow a Latin one."""
    longest = sorted(words, key=lambda w: (-len(w), w))
    return "|".join(re.escape(w) + ("(?![a-z0-9])" if w[-1].isascii() and w[-1].isalnum() else "") for w in longest)


_LETTERS = [w for w in UNITS if len(w) == 1 and w.isascii() and w.isalpha()]
_SPACED = alternatives(w for w in _LETTERS if w not in "dxy")
_HYPHENED = alternatives(w for w in _LETTERS if w in "mtvw")
UNIT = re.compile(
    rf"[\s-]?(?P<word>{alternatives(w for w in UNITS if w not in _LETTERS)})|(?P<glued>{alternatives(_LETTERS)})"
    rf"|\s(?P<spaced>{_SPACED})(?!['’-][a-z]|(?<=v)\s?\d)|-(?P<hyphened>{_HYPHENED})(?!-)"
)
"""A unit behind a number, in half width and lower case.

3-D, 4-H club, 5 t-shirts and 3 v 2 contain no unit.
"""
SCALE = re.compile(rf"\s?(?P<scale>{alternatives(SCALES)})")


def unit_of(m: re.Match[str]) -> str:
    """The name of the unit that `UNIT` found."""
    return UNITS[m["word"] or m["glued"] or m["spaced"] or m["hyphened"]]


def sizes(unit: str) -> dict[str, float]:
    """What a unit measures, and how much of the smallest unit of that it is; a unit without others measures itself."""
    return {measure: units[unit] for measure, units in _SIZES.items() if unit in units} or {unit: 1.0}
