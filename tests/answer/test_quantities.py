"""A quantity is supported in every form that means it and flagged in every form that means another, at random."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from night import seeds, spread

from lab.algebra import Document
from lab.answer.base import Place
from lab.answer.facts import Facts
from lab.corpus import samples
from lab.models.pieces import spans_of

ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
ONES_EN = [*ONES.split(), "eighteen", "nineteen"]
TENS_EN = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
ORDINALS_EN = {1: "first", 2: "second", 3: "third", 5: "fifth", 8: "eighth", 9: "ninth", 12: "twelfth"}
HALF = Fraction(1, 2)
UNITS = {
    "duration": [
        (60, ("minute", "minutes"), "分钟", ("min", " min")),
        (3600, ("hour", "hours"), "小时", ("h", " hrs")),
        (86400, ("day", "days"), "天", ("d",)),
        (604800, ("week", "weeks"), "周", ()),
    ],
    "months": [(1, ("month", "months"), "个月", ()), (12, ("year", "years"), "年", ())],
    "length": [
        (1, ("millimetre", "millimetres"), "毫米", ("mm", " mm")),
        (10, ("centimetre", "centimetres"), "厘米", ("cm", " cm")),
        (1000, ("metre", "metres"), "米", ("m", " m")),
        (1_000_000, ("kilometre", "kilometres"), "公里", ("km", " km")),
    ],
    "weight": [
        (1, ("gram", "grams"), "克", ("g", " g")),
        (1000, ("kilogram", "kilograms"), "公斤", ("kg", " kg")),
        (1_000_000, ("tonne", "tonnes"), "吨", ("t", " t")),
    ],
    "volume": [(1, ("millilitre", "millilitres"), "毫升", ("ml",)), (1000, ("litre", "litres"), "升", ("l", " l"))],
    "data": [(1, ("kilobyte", "kilobytes"), "KB", ("KB",)), (1024, ("megabyte", "megabytes"), "MB", ("MB", " MB"))],
    "frequency": [(1, ("hertz", "hertz"), "赫兹", ("Hz",)), (1000, ("kilohertz", "kilohertz"), "千赫", ("kHz",))],
}
"""Of each measure the size of its units and how each is written: in words, in Chinese, abbreviated."""
FRAMES = ("It takes {}.", "The limit is {} here.", "上限为{}。", "我们规定{}以内。")


def english(n: int) -> str:
    """35 -> thirty-five, up to 999."""
    if n >= 100:
        return f"{ONES_EN[n // 100]} hundred" + (f" and {english(n % 100)}" if n % 100 else "")
    return ONES_EN[n] if n < 20 else TENS_EN[n // 10] + (f"-{ONES_EN[n % 10]}" if n % 10 else "")


def han(n: int) -> str:
    """35 -> 三十五, up to 99."""
    tens = "" if n < 10 else "十" if n < 20 else "零一二三四五六七八九"[n // 10] + "十"
    return tens + ("零一二三四五六七八九"[n % 10] if n % 10 or not n else "")


def counted(n: int, chinese: str) -> str:
    return "两" + chinese if n == 2 else han(n) + chinese


def in_one_unit(n: Fraction, words: tuple[str, str], chinese: str, short: tuple[str, ...]) -> list[str]:
    """The forms of n units: 1.5 hours, one and a half hours, an hour and a half, 一个半小时."""
    one, many = words
    out = [f"{float(n):g} {one if n == 1 else many}", f"{float(n):g}{chinese}", f"{float(n):g} {chinese}"]
    out += [f"{float(n):g}{unit}" for unit in short]
    if n.denominator == 1 and 1 < n < 1000:
        out += [f"{english(int(n))} {many}", *([f"{int(n)}-{one}"] if many != one else [])]
        out += [counted(int(n), chinese)] if n < 100 and not chinese.isascii() else []
    if n.denominator == 2:
        whole = int(n)
        article = "an" if one[0] in "aeio" or one.startswith("hour") else "a"
        if whole == 0:
            out += [f"half {article} {one}", f"½ {one}", "半" + chinese]
        else:
            out += [f"{english(whole)} and a half {many}", f"{whole} and a half {many}", f"{whole}½ {many}"]
            out += [f"{whole} 1/2 {many}", f"{english(whole)} {one if whole == 1 else many} and a half"]
        if whole == 1:
            out.append(f"{article} {one} and a half")
        if whole and one in ("hour", "month", "week"):
            out.append(counted(whole, "个半") + {"hour": "小时", "month": "月", "week": "星期"}[one])
        if whole and one in ("day", "year", "week", "hour"):
            out.append(counted(whole, chinese) + "半")
    return out


def forms(measure: str, amount: int) -> list[str]:
    """All the forms of an amount of the smallest unit."""
    out = list[str]()
    for size, *spellings in UNITS[measure]:
        n = Fraction(amount, size)
        if n.denominator <= 2 and n < 100_000:
            out += in_one_unit(n, *spellings)
    if measure == "duration" and amount % 3600 and amount > 3600:
        hours, minutes = divmod(amount // 60, 60)
        out += [f"{hours} hours {minutes} minutes" if hours > 1 else f"1 hour and {minutes} minutes"]
        out += [f"{hours}小时{minutes}分钟", f"{hours}h{minutes}m"]
    return out


def flagged(sentence: str, passage: str) -> tuple[str, ...]:
    document = Document("p", passage)
    return tuple(f.text for f in Facts((document,)).flags(sentence, [Place(0, 0, len(passage))]))


def amount_of(rng: random.Random, measure: str) -> int:
    """An amount that can be said in a whole or a half number of some unit."""
    size = rng.choice([size for size, *_ in UNITS[measure]])
    n = rng.choice([HALF, 1 + HALF, 2 + HALF, *map(Fraction, (1, 2, 3, 5, 12, 20, 45, rng.randint(2, 99)))])
    return int(n * size) if (n * size).denominator == 1 else size * 2


@pytest.mark.parametrize("seed", seeds(600))
def test_a_quantity_is_supported_in_all_its_forms_and_flagged_in_those_of_another(seed: int) -> None:
    rng = random.Random(seed)
    for measure in UNITS:
        amount, other = amount_of(rng, measure), amount_of(rng, measure)
        frame, framed = rng.choice(FRAMES), rng.choice(FRAMES)
        said, there = rng.choice(forms(measure, amount)), rng.choice(forms(measure, amount))
        assert flagged(frame.format(said), framed.format(there)) == ()
        if amount != other:
            assert flagged(frame.format(said), framed.format(rng.choice(forms(measure, other)))) != ()


@pytest.mark.parametrize("seed", seeds(240))
def test_an_ordinal_is_the_same_in_digits_and_in_words(seed: int) -> None:
    rng = random.Random(seed)

    def write(n: int) -> str:
        ones = ORDINALS_EN.get(n % 100 if n < 20 else n % 10) or f"{ONES_EN[n if n < 20 else n % 10]}th"
        word = ones if n < 20 else TENS_EN[n // 10][:-1] + "ieth" if n % 10 == 0 else f"{TENS_EN[n // 10]}-{ones}"
        ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
        return rng.choice([f"on the {n}{ending} floor", f"on the {word} floor"])

    n, other = rng.sample(range(1, 100), 2)
    assert flagged(f"It is {write(n)}.", f"They met {write(n)}.") == ()
    assert flagged(f"It is {write(n)}.", f"They met {write(other)}.") != ()
    assert flagged(f"在第{n}层。", f"位于第{han(n)}层。") == ()
    assert flagged(f"在第{n}层。", f"位于第{han(other)}层。") != ()


@pytest.mark.parametrize("seed", seeds(240))
def test_a_temperature_has_its_sign_in_every_form(seed: int) -> None:
    rng = random.Random(seed)

    def write(n: int) -> str:
        size = abs(n)
        below = [f"-{size} °C", f"−{size}℃", f"minus {english(size)} degrees", f"{size} degrees below zero"]
        below += [f"零下{size}度", f"零下{han(size)}摄氏度", f"零下 {size} ℃", f"负{size}度"]
        above = [f"{size} °C", f"{english(size)} degrees Celsius", f"{size}度", f"{counted(size, '摄氏度')}"]
        return rng.choice(below if n < 0 else above)

    n = rng.randint(2, 40)
    for here, there in ((n, n), (-n, -n), (n, -n), (-n, n), (n, n + 1), (-n, -n - 1)):
        missing = flagged(f"It is {write(here)}.", f"气温为 {write(there)}。")
        assert bool(missing) == (here != there)


@pytest.mark.parametrize("seed", seeds(240))
def test_a_version_is_compared_part_by_part(seed: int) -> None:
    rng = random.Random(seed)

    def write(parts: tuple[int, ...]) -> str:
        digits = ".".join(map(str, parts))
        return rng.choice(["v", "V", "version ", "firmware version ", "固件版本v", "版本 ", "版本号："]) + digits

    parts = tuple(rng.randint(1, 30) for _ in range(rng.choice([2, 2, 3])))
    other = parts[:-1] + (rng.choice([parts[-1] + 1, parts[-1] * 10, int(f"1{parts[-1]}")]),)
    assert flagged(f"It needs {write(parts)}.", f"They ship {write(parts)} now.") == ()
    assert flagged(f"It needs {write(parts)}.", f"They ship {write(other)} now.") != ()


NAMES = ("Berlin", "Paris", "Florence", "Lisbon", "Kevin", "Maria", "Samsung", "Nokia", "Toronto", "Anna", "Osaka")
DEEDS = ("is large", "has a museum", "won the cup", "makes phones", "hosts the fair", "founded it", "was there first")


@pytest.mark.parametrize("seed", seeds(120))
def test_a_name_that_begins_a_sentence_is_looked_for(seed: int) -> None:
    rng = random.Random(seed)
    (one, other), deed = rng.sample(NAMES, 2), rng.choice(DEEDS)
    assert flagged(f"{one} {deed}.", f"{other} {deed}.") == (one,)
    assert flagged(f"{one} {deed}.", f"We read that {other} {deed}.") == (one,)
    assert flagged(f"{one} {deed}.", f"We read that {one} {deed}.") == ()


@pytest.mark.parametrize("name", spread(["devices", "handbook"], 1))
def test_a_sentence_copied_from_a_passage_of_the_samples_is_never_flagged(name: str) -> None:
    for document in samples.load(name).corpus.documents:
        there = Facts((document,))
        for start, end in spans_of(document):
            assert there.flags(document.content[start:end], [Place(0, start, end)]) == ()
