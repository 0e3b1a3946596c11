"""What people call tables and columns: names, synonyms and units in both languages.

A schema only knows ``monthly_rent``; people say 月租, "what it costs", and mean yuan.  Hints hold that, one per table
or column, and can be edited; what nobody wrote down is proposed here by a small dictionary of words in names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, time
from functools import cache
from typing import Any

from lab.algebra import is_finite
from lab.errors import UploadError
from lab.text.quantities import is_unit, measure
from lab.toml import TomlError, read_toml
from lab.words import Said
from lab_packs.text2sql.lexicon import in_names, is_participle, word_lists, words_in


@dataclass(frozen=True)
class Hint:
    """How people speak about one table or column.

    ``zh``, ``en``: the name to show.  ``synonyms``: other names, any language.  ``cues``: words that point to the column
    without naming it (会 for skills, "earning" for a salary).  ``unit``: what a number counts, as it is written after it
    (元, 年; 万元 and k scale it).  ``values``: other words for stored values.  ``order``: these from low to high (本科以上).
    """

    zh: str = ""
    en: str = ""
    synonyms: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    unit: str = ""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    order: tuple[str, ...] = ()

    def label(self, language: str) -> str:
        """The name in that language, or the other one."""
        return (self.zh or self.en) if language == "zh" else (self.en or self.zh)

    def over(self, other: Hint) -> Hint:
        """Returns this hint, with its empty fields taken from another."""
        return Hint(**{field: value or getattr(other, field) for field, value in vars(self).items()})


Hints = Mapping[str, Hint]
"""Hints by ``table`` or ``table.column``."""


def read_hints(toml: str) -> dict[str, Hint]:
    """Reads hints from TOML: ``[table]`` and ``[table.column]``, each with the fields of `Hint`; raises `UploadError`."""
    try:
        data = read_toml(toml)
    except TomlError as error:
        wrong = Said("The hints are not TOML: {error}.", error=error.reason)
        raise UploadError(wrong, Said("Correct the line given there.")) from None
    hints: dict[str, Hint] = {}
    for table, entries in data.items():
        if not isinstance(entries, dict):
            outside = Said("“{name}” is outside a table.", name=table)
            raise UploadError(outside, Said("Begin with a line such as [orders]."))
        columns = {f"{table}.{name}": fields for name, fields in entries.items() if isinstance(fields, dict)}
        own_fields = {key: value for key, value in entries.items() if not isinstance(value, dict)}
        hints |= {name: _hint(name, fields) for name, fields in ({table: own_fields} | columns).items()}
    return hints


def write_hints(hints: Hints) -> str:
    """Hints as TOML, so that `read_hints` gives them back; what is empty is left out."""
    lines = []
    for name, hint in hints.items():
        lines.append(f"[{'.'.join(map(_toml, name.split('.', 1)))}]")
        for key, value in vars(hint).items():
            if isinstance(value, Mapping) and value:
                lines.append(f"{key} = {{ {', '.join(f'{_toml(k)} = {_toml(list(v))}' for k, v in value.items())} }}")
            elif value:
                lines.append(f"{key} = {_toml(value if isinstance(value, str) else list(value))}")
        lines.append("")
    return "\n".join(lines)


def taught(hints: Hints, name: str, word: str, value: str = "") -> dict[str, Hint]:
    """Adds a word for a table ("orders"), a column ("orders.day"), or a ``value`` of that column to the hints."""
    old = hints[name]
    words = tuple(dict.fromkeys((*(old.values.get(value, ()) if value else old.synonyms), word)))
    return {**hints, name: replace(old, values={**old.values, value: words}) if value else replace(old, synonyms=words)}


def _toml(value: str | list[str]) -> str:
    """Writes a text, or a list of texts: JSON is TOML, too, except for half characters and DEL."""
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return text.encode("utf-8", "replace").decode("utf-8")


def _hint(name: str, fields: Mapping[str, Any]) -> Hint:
    known, values = vars(Hint()), dict[str, Any]()
    for key, value in fields.items():
        if key not in known:
            wrong = Said("{name} has no field “{key}”.", name=name, key=key)
            raise UploadError(wrong, Said("The fields are: {fields}.", fields=[*known]))
        if key == "values":
            lists = {k: _words(v) for k, v in value.items()} if isinstance(value, dict) else {"": None}
            values[key] = None if None in lists.values() else lists
        else:
            values[key] = _word(value) if isinstance(known[key], str) else _words(value)
        if values[key] is None:
            expected, example = _KINDS[type(known[key])]
            wrong = Said("“{key}” of {name} must be {wanted}.", key=key, name=name, wanted=expected)
            raise UploadError(wrong, Said("Write it like {example}.", example=example))
    return Hint(**values)


_KINDS: Mapping[type, tuple[Said, str]] = {
    str: (Said("a text"), 'zh = "月租"'),
    tuple: (Said("a list of texts"), 'synonyms = ["rent", "租金"]'),
    dict: (Said("a table whose values are lists of texts"), 'values = { L = ["large", "大"] }'),
}
"""What a field of a hint must be, by the type of its default, with an example."""


def _word(value: object) -> str | None:
    """Returns a text; also a number or a day, as it is written; None for anything else."""
    number = is_finite(value) or isinstance(value, date | time)
    return str(value) if number or isinstance(value, str) else None


def _words(value: object) -> tuple[str, ...] | None:
    """Returns a list of texts as a tuple, or None for anything else."""
    if not isinstance(value, list):
        return None
    words = tuple(word for element in value if (word := _word(element)) is not None)
    return words if len(words) == len(value) else None


@dataclass(frozen=True)
class Word:
    """One line of the dictionary: English words, Chinese words (the first of each is shown), tags."""

    en: tuple[str, ...]
    zh: tuple[str, ...]
    tags: frozenset[str]


@cache
def dictionary() -> Mapping[str, Word]:
    """Returns every word of both languages, with the first line that has it."""
    by_key: dict[str, Word] = {}
    for tags, en, zh in word_lists()["names"]:
        word = Word(words_in(en), words_in(zh), frozenset(tags.split()))
        for key in word.en + word.zh:
            by_key.setdefault(key, word)
    return by_key


def words_of(name: str) -> list[str]:
    """The words in a column name: ``monthlyRent``, ``monthly_rent``, ``MONTHLY RENT`` -> monthly, rent."""
    name = re.sub(r"\b[kMG]Wh?\b", lambda m: m[0].lower(), name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name)
    words = [w.lower() for w in re.split(r"[^0-9A-Za-z一-鿿]+", name) if w]
    return [part for w in words for part in ((w[0], "name") if _LETTER_NAME.fullmatch(w) else _parts(w))]


@cache
def _parts(word: str) -> tuple[str, ...]:
    """The words that were written as one in a name: venuename, numpages; the word itself where they are not known."""
    for tail in ("name", "id", "code", "type", "date"):
        head = word.removesuffix(tail)
        if head != word and word not in dictionary() and singular(head) in dictionary():
            return head, tail
    for begin in ("num", "total", "avg"):
        rest = word.removeprefix(begin)
        if rest != word and len(rest) > 3 and word not in dictionary() and singular(rest) in dictionary():
            return begin, rest
    return (word,)


_LETTER_NAME = re.compile("(?![fl]n)[a-z]name")
"""Names of names with a letter for their table: pname, rname; fname and lname are first and last names."""


def singular(word: str) -> str:
    """The singular of an English word, as far as endings tell."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies") and word not in _IN_IE:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


_IRREGULAR = dict(map(str.split, words_in(word_lists()["verbs"]["plurals"])))
_IN_IE = {"movies", "cookies", "calories", "selfies", "zombies", "rookies", "brownies", "genies"}


def plural(word: str) -> str:
    if many := next((many for many, singular_form in _IRREGULAR.items() if singular_form == word), ""):
        return many
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def known_word(words: list[str]) -> Word | None:
    """Returns the dictionary's line for a name of one or more words, in either number."""
    lines, singular_words = dictionary(), [*words[:-1], *map(singular, words[-1:])]
    return lines.get(" ".join(words)) or lines.get(" ".join(singular_words))


_SUFFIXES = """
kg g cm mm m km usd eur gbp cny rmb mi hours days minutes mins min sec seconds percent pct hrs kwh kw mw ml l kmh kph mph
h t ha kcal mwh gwh gb mb tb hz rpm ppm db chf jpy inr hpa pax sqm m2 sqft km2 ft lb lbs oz miles meters metres liters litres celsius fahrenheit
"""
UNIT_SUFFIXES = frozenset([*_SUFFIXES.split(), "musd", "meur", "kusd", "keur"])
"""Units at the end of a column's name: weight_kg."""
_FIRST = {"kwh", "kg", "km", "usd", "eur", "minutes", "mins", "hours", "days", "weeks", "seconds", "miles", "litres", "liters"}  # fmt: skip
_BEHIND = re.compile("^(.{2,}?)_?(分钟|小时|万公里|公里|千米|公斤|千克|吨|万元|平方米|平米|厘米|毫升|千瓦)$")
_BRACKET = re.compile(r"^(.*?)\s*[（(\[【]([^（）()\[\]【】]{1,20})[)）\]】]\s*$")
_NO_UNIT = re.compile(r"^\d|^(y|yes)\W*(n|no)$|^是\W*否$|^有\W*无$", re.IGNORECASE)
"""What stands in brackets behind a name and is no unit: from 1 to 5, Y/N."""
_HAN_UNIT = re.compile(r"^(.*[一-鿿])\s*([A-Za-z%]{1,4})$")


def bare_name(name: str) -> tuple[str, str]:
    """Splits a name and the unit at its end: 运费（元）, Weight (g), weight_kg, 重量kg.

    >>> bare_name("Weight (g)"), bare_name("是否保价"), bare_name("Smart meter?")
    (('Weight', 'g'), ('是否保价', ''), ('Smart meter', ''))
    """
    name = name.strip().rstrip("?？#＃ ").strip() or name
    if (m := _BRACKET.match(name)) and m[1]:
        return m[1].strip(), "" if _NO_UNIT.search(m[2]) else m[2].strip()
    if m := _HAN_UNIT.match(name):
        return m[1], m[2]
    if m := _BEHIND.match(name):  # 时长分钟
        return m[1], m[2]
    head, _, unit = name.rpartition("_")  # 面积_平方米
    if head and not unit.isascii() and is_unit(unit):
        return head, unit
    words = words_of(name)
    if len(words) > 1 and words[-1] in UNIT_SUFFIXES:
        return " ".join(words[:-1]), words[-1]
    if len(words) > 1 and words[0] in _FIRST:  # kWh used
        return name, words[0]
    if len(words) > 1 and words[-2] in ("temp", "temperature") and words[-1] in ("c", "f"):
        return " ".join(words[:-1]), "°" + words[-1].upper()
    return name, ""


_LONG = {short: long for long, several in word_lists()["abbreviated"].items() for short in words_in(several)}


def spelled_out(name: list[str]) -> list[str]:
    """Returns a name with its abbreviations written out; [] without abbreviations."""
    long = [w if w == "no" and name[0] == w and len(name) > 1 else _LONG.get(w, w) for w in name]  # no_show
    if "hr" in name and in_names("heart") & set(name):  # avg_hr
        long = ["heart rate" if w == "hr" else w for w in long]
    if "exp" in name and in_names("worked") & set(name):  # years_exp
        long = ["experience" if w == "exp" else long[i] for i, w in enumerate(name)]
    return [" ".join(long)] if long != name else []


def propose(name: str, *, loosely: bool = True) -> tuple[Hint, frozenset[str]]:
    """Proposes a hint for a name without a description, and its tags.

    The whole name, else its last word (its head), is looked up.  A name that is known word by word gets its
    Chinese name put together from theirs; ``loosely`` (for columns) its head alone also stands for it.
    """
    name, unit = bare_name(name)
    hint, tags = _proposed(name, loosely=loosely)
    if "date" in tags and measure(unit)[0] in ("hours", "minutes", "seconds"):  # time_min is not a day
        tags = frozenset({"length", "duration"})
    counts = loosely and name.lower() in ("minutes", "hours", "seconds", "days", "分钟数", "小时数", "天数")
    unit = name.lower().removesuffix("数") if counts else unit  # the column is named after its unit
    if loosely and not unit and name.endswith("数") and measure(name[:-1])[0] not in _NOT_COUNTED:
        unit = name[:-1]  # 份数, 升数
    also = _TIME if counts and "da" not in unit and "天" not in unit else ()
    also += tuple(template.format(name) for template in _ALSO.get(measure(unit.removesuffix("s"))[0], ()))
    if m := _FAR_FROM.match(name):
        also += tuple(way + name[m.end() :] for way in ("离", "距", "距离", "到") if way != m[0])
    return replace(hint, synonyms=tuple(dict.fromkeys((*hint.synonyms, *also))), unit=unit or hint.unit), tags


_CONTAINERS = ("piece", "nights", "cups", "bottles", "boxes", "bags")
_NOT_COUNTED = ("", "points", "years", "age", "floor", "percent")
_TIME: tuple[str, ...] = ("time", "duration", "time spent", "时长", "用时")
_ALSO = {"speed": ("{} speed", "{}速"), "temperature": ("temperature",)}
"""What a number is called by its unit as well."""
_FAR_FROM = re.compile("距离|距|离(?=.)")


def _proposed(name: str, *, loosely: bool) -> tuple[Hint, frozenset[str]]:
    words = words_of(name)
    if not words:
        return Hint(zh=name, en=name), frozenset()
    if "per" in words[1:-1]:  # price per bottle
        hint, tags = _proposed(" ".join(words[: words.index("per")]), loosely=loosely)
        also = tuple(filter(None, (hint.en, hint.zh, *hint.synonyms)))
        return Hint(en=" ".join(words), synonyms=also), tags
    if long := spelled_out(words):
        hint, tags = _proposed(long[0], loosely=loosely)
        return replace(hint, en=long[0]), tags
    han = any("一" <= c <= "鿿" for c in name)
    # a plural table name names its rows: in sales each row is a sale, not an amount
    whole = (None if loosely else known_word([*words[:-1], singular(words[-1])])) or known_word(words)
    if whole is not None:
        zh, en = (name, whole.en[0]) if han else (whole.zh[0], " ".join(words))
        return Hint(zh, en, tuple(dict.fromkeys(w for w in whole.en + whole.zh if w != name))), whole.tags
    if han:
        ends = [w for k, w in dictionary().items() if len(k) > 1 and name.endswith(k)]
        tags = max(ends, key=lambda w: len(w.zh[0])).tags if ends else _COUNTED.get(name[-1], frozenset())
        return Hint(zh=name, en=name), tags
    each = [known_word([w]) for w in words]
    head = each[-1]
    zh = "".join(w.zh[0] for w in each if w is not None) if all(each) else ""
    loosely = loosely and words[-1] not in ("id", "code", "number", "no", "type", "kind", "status", "state")
    loose = head.en + head.zh if head and loosely and "label" not in head.tags else ()  # 薪资 for monthly_salary
    sold = len(words) > 1 and is_participle(words[-1]) and singular(words[-2]) != words[-2]  # tickets sold
    singular_form = singular(words[-1])
    things = not is_unit(words[-1]) and words[-1] != "degrees" and (measure(singular_form)[0] or "piece") in _CONTAINERS
    counted = sold or (singular_form != words[-1] and things)  # docks, seats
    tags = head.tags if head else frozenset({"piece"} if counted else ())
    if "price" in tags and in_names("whole") & set(words):  # total price: of all, not of each
        tags = tags - {"price", "each"} | {"amount"}
    return Hint(zh=zh, en=" ".join(words), synonyms=tuple(dict.fromkeys(filter(None, (zh, *loose))))), tags


_PRICE = frozenset({"money", "price", "each"})
_COUNTED = {**dict.fromkeys("费额款", frozenset({"money"})), "数": frozenset({"piece"}), "价": _PRICE}
"""What a Chinese name that no dictionary has is about, by its last character: 挂号费, 床位数."""


def date_cues(hint: Hint, words: list[str]) -> tuple[str, ...]:
    """Returns verbs that point to a date column: 入职 for 入职日期, hired for hire date, created for created at."""
    stems = (re.sub("(?:日期|时间|年份|年|日)$", "", n) for n in (hint.zh, *hint.synonyms))
    cues = [n for n in stems if n not in (hint.zh, *hint.synonyms) and len(n) > 1]
    if len(words) > 1 and words[-1] in ("date", "at", "on", "time", "day"):
        verb = words[-2]
        cues += ["joined"] if verb == "hire" else []
        cues += [verb, verb + "d"] if verb.endswith("e") else [verb] if verb.endswith("ed") else [verb, verb + "ed"]
    if words[:1] == ["next"] or not in_names("due").isdisjoint(words):
        cues += ["due", "due back", "due for", "due in"]
    groups = (words_in(group) for group in word_lists()["alike"])
    cues += [w for group in groups if not {*group}.isdisjoint(cues) for w in group]
    ended = (
        cue + end
        for cue in cues
        if len(cue) < 3 and not cue.isascii()
        for end in ("了", "过", "掉", "完", "好", "走", "出去", "进来")
    )
    new = (f"新{cue}" for cue in cues if not cue.isascii() and not cue.startswith("新"))  # 新开, 新入职
    return tuple(dict.fromkeys([*cues, *ended, *new]))


def kinds_of(*names: str) -> list[str]:
    """Returns names for rows by the names of their table and columns: flats, which have rooms and a rent."""
    name_words = {w for name in names for w in words_of(name)}
    kinds = list[str]()
    for kind in word_lists()["kinds"]:
        typical = words_in(kind["told"])
        if sum(w in name_words or (not w.isascii() and any(w in name for name in names)) for w in typical) > 1:
            kinds += words_in(kind["rows"])
    return kinds
