"""Conditions: one tree for filters, stores and the operators of a question, and a small language for it.

A condition is a `Test`, or `Not`, `All` or `AnyOf` of conditions.  `lab.refine.boolean` reads the operators of a
question into this tree, `lab.retrieve.where` the JSON of stores, and `parse` the language of pages, files and the
command line:

    views > 1,000 and category = HR
    (department in (HR, "Human Resources") or title contains leave) and updated >= 2024-05
    not tags = draft and price between 10 and 20 and owner is present

``= != > >= < <=``, ``in (…)``, ``contains``, ``between … and …``, ``is missing``, ``is present``; ``not``, ``and``,
``or``, brackets.  A field or value of several words is put into quotation marks, a mark inside is doubled.  Chinese
words and full-width signs mean the same: 且 或 非 属于 不属于 包含 不包含 介于 … 和 … 缺失 存在.

``not`` before brackets is written into them (De Morgan), so that every comparison says by itself what it wants.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, NoReturn

from lab.corpus.fields import read_number
from lab.errors import ParameterError
from lab.text import fold
from lab.text.quantities.dates import read_period
from lab.words import N_, Said

EQUAL, IN, CONTAINS, BETWEEN, MISSING = "=", "in", "contains", "between", "is missing"
ORDERED = (">", ">=", "<", "<=")
RELATIONS = (EQUAL, *ORDERED, BETWEEN, IN, CONTAINS, MISSING)
LONGEST, MOST, DEEPEST = 4_000, 64, 16
"""The limits of a condition: characters, comparisons, brackets and negations in each other."""

_SIGNS = {"==": "=", "<>": "!=", "≠": "!=", "≥": ">=", "≤": "<=", "=>": ">=", "=<": "<="}
_WORDS = {
    "and": ("and", "&&", "且", "并且"),
    "or": ("or", "||", "或", "或者"),
    "not": ("not", "非"),
    "in": ("in", "属于"),
    "not in": ("不属于",),
    "contains": ("contains", "包含"),
    "not contains": ("不包含",),
    "between": ("between", "介于"),
    "is": ("is",),
    "missing": ("缺失",),
    "present": ("存在",),
}
_WORD = {word: meaning for meaning, words in _WORDS.items() for word in words}
_UNTIL = ("and", "和", "与", "到", "至")
_IS = {"missing": True, "null": True, "empty": True, "present": False}
_TOKEN = re.compile(
    r"""\s*(?:(?P<sign>[=<>!≠≥≤＝＜＞！]{1,2})|(?P<mark>[(),（），、])|(?P<quote>["“”'‘’＂])"""
    r"""|(?P<word>[^\s=<>!≠≥≤＝＜＞！(),（），、"“”'‘’＂]+))"""
)
_CLOSING = {"“": "“”", "”": "“”", "‘": "‘’", "’": "‘’"}
_PLAIN = re.compile(r"""[^\s=<>!≠≥≤＝＜＞！(),（），、"“”'‘’＂]+""")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_GROUP = re.compile(r"\d{3}(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Test:
    """One field with one comparison ``op`` to values; or, ``negated``, without it.

    The comparisons of `RELATIONS` take values as they were written.  `lab.retrieve.where` has those of stores, with
    typed values, and `lab.refine.boolean` words and phrases.
    """

    __test__: ClassVar[bool] = False  # for pytest, which takes it for a test by its name

    field: str
    op: str
    values: tuple[Any, ...] = ()
    negated: bool = False

    def __str__(self) -> str:
        name, values = _quoted(self.field), [_quoted(value, listed=self.op == IN) for value in self.values]
        not_ = "not " if self.negated else ""
        if self.op == EQUAL:
            return f"{name} {'!=' if self.negated else '='} {values[0]}"
        if self.op in ORDERED:
            return f"{not_}{name} {self.op} {values[0]}"
        if self.op == BETWEEN:
            return f"{name} {not_}between {values[0]} and {values[1]}"
        if self.op == IN:
            return f"{name} {not_}in ({', '.join(values)})"
        if self.op == CONTAINS:
            return f"{name} {not_}contains {values[0]}"
        return f"{name} is {'present' if self.negated else 'missing'}"


@dataclass(frozen=True, slots=True)
class Not:
    """A condition that holds where its part does not."""

    part: Condition


@dataclass(frozen=True, slots=True)
class All:
    """A condition that holds if all its parts hold; without parts, it always holds."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return _joined(" and ", self.parts)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A condition that holds if at least one of its parts holds."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return _joined(" or ", self.parts)


Condition = Test | Not | All | AnyOf


def _joined(word: str, parts: Iterable[Condition]) -> str:
    return word.join(str(part) if isinstance(part, Test) else f"({part})" for part in parts)


def children(condition: Condition) -> tuple[Condition, ...]:
    """Returns the parts that a condition is directly made of."""
    if isinstance(condition, All | AnyOf):
        return condition.parts
    return (condition.part,) if isinstance(condition, Not) else ()


def combine(kind: type[All | AnyOf], *parts: Condition) -> Condition:
    """Returns the conditions as one; those that are combined in the same way already are taken in."""
    flat = list[Condition]()
    for part in parts:
        flat += part.parts if isinstance(part, kind) else [part]
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def each_test(condition: Condition) -> Iterator[Test]:
    """Yields every test of a condition from left to right."""
    if isinstance(condition, Test):
        yield condition
    for part in children(condition):
        yield from each_test(part)


def without(condition: Condition, number: int) -> Condition | None:
    """Returns the condition without its test of this number, counted from 0; None if that was the only one."""
    left = number

    def remaining(part: Condition) -> Condition | None:
        nonlocal left
        if isinstance(part, Test):
            left -= 1
            return None if left == -1 else part
        parts = [x for x in map(remaining, children(part)) if x is not None]
        if isinstance(part, Not):
            return Not(parts[0]) if parts else None
        return combine(type(part), *parts) if parts else None

    return remaining(condition)


def negate(condition: Condition) -> Condition:
    """Returns the condition that holds where this one does not, with “not” at its tests."""
    if isinstance(condition, Test):
        return replace(condition, negated=not condition.negated)
    if isinstance(condition, Not):
        return condition.part
    return combine(AnyOf if isinstance(condition, All) else All, *map(negate, condition.parts))


def parse(text: str) -> Condition:
    """Returns the condition that a text says.  Raises `ParameterError` with the position of what is wrong."""
    check_length(text)
    return _Parser(text).whole()


def check_length(text: str) -> None:
    """Raises `ParameterError` if a condition is too long."""
    if len(text) > LONGEST:
        long = Said("The condition has {n} characters; at most {limit} are read.", n=len(text), limit=LONGEST)
        raise ParameterError(long, _MANY)


def _quoted(word: str, *, listed: bool = False) -> str:
    """Returns a word as a condition writes it: in quotation marks unless it is one unambiguous token."""
    token = _PLAIN.fullmatch(word) is not None and fold(word) not in _WORD and fold(word) not in _UNTIL
    plain = token or (not listed and _THOUSANDS.fullmatch(word) is not None)
    return word if plain else '"' + word.replace('"', '""') + '"'


class _Token(NamedTuple):
    kind: str
    text: str
    at: int
    """The position of its first character, from 1."""


END = "end"


class _Parser:
    """A reader by recursive descent; ``or`` binds weakest, then ``and``, then ``not``."""

    def __init__(self, text: str) -> None:
        self.tokens, self.next = list(_tokens(text)), 0
        self.count = 0

    def whole(self) -> Condition:
        condition = self.either(0)
        if self.token.kind != END:
            self.fail(N_("“and” or “or” is expected {place}."), _QUOTES)
        return condition

    @property
    def token(self) -> _Token:
        return self.tokens[self.next]

    def take(self) -> _Token:
        token = self.token
        self.next += token.kind != END
        return token

    def meaning(self, ahead: int = 0) -> str:
        """Returns the meaning of the next token if it is a word of the language, else an empty string."""
        token = self.tokens[min(self.next + ahead, len(self.tokens) - 1)]
        return _WORD.get(fold(token.text), "") if token.kind == "word" else ""

    def either(self, depth: int) -> Condition:
        parts = [self.all(depth)]
        while self.meaning() == "or":
            self.take()
            parts.append(self.all(depth))
        return combine(AnyOf, *parts)

    def all(self, depth: int) -> Condition:
        parts = [self.one(depth)]
        while self.meaning() == "and":
            self.take()
            parts.append(self.one(depth))
        return combine(All, *parts)

    def one(self, depth: int) -> Condition:
        if depth > DEEPEST:
            self.fail(N_("Brackets and “not” are nested more than {limit} deep, near {found}."), _FEWER, limit=DEEPEST)
        if self.meaning() == "not":
            self.take()
            return negate(self.one(depth + 1))
        if self.token.kind == "(":
            opening = self.take()
            inside = self.either(depth + 1)
            if self.token.kind != ")":
                self.fail(N_("The bracket at character {opening} is not closed."), _CLOSE, opening=opening.at)
            self.take()
            return inside
        return self.comparison()

    def comparison(self) -> Test:
        self.count += 1
        if self.count > MOST:
            self.fail(N_("The condition has more than {limit} comparisons."), _MANY, limit=MOST)
        if self.token.kind not in ("word", "text") or self.meaning():
            self.fail(N_("The name of a field is expected {place}."), _QUOTES)
        name, negated = self.take().text, False
        if self.meaning() == "not":
            self.take()
            negated = True
        relation = self.take() if self.token.kind == "sign" else None
        word = "" if relation else self.meaning()
        if relation and not negated:
            return self.signed(name, relation)
        if word.startswith("not "):
            negated, word = not negated, word.removeprefix("not ")
        if word in (IN, CONTAINS, BETWEEN):
            self.take()
            return Test(name, word, getattr(self, f"_{word}")(), negated)
        if word in ("is", "missing", "present") and not negated:
            return self.there(name)
        self.next -= relation is not None
        return self.fail(N_("A comparison is expected after “{field}” {place}."), _RELATIONS, field=name)

    def signed(self, name: str, sign: _Token) -> Test:
        relation = _SIGNS.get(sign.text, sign.text)
        if relation in ("=", "!="):
            return Test(name, EQUAL, (self.value().text,), relation == "!=")
        if relation not in ORDERED:
            self.next -= 1
            self.fail(N_("{found} is not a comparison."), _RELATIONS)
        return Test(name, relation, (self.amount(),))

    def there(self, name: str) -> Test:
        missing, not_ = self.meaning() == "missing", False
        if self.take() and self.tokens[self.next - 1].text and _WORD[fold(self.tokens[self.next - 1].text)] == "is":
            if self.meaning() == "not":
                self.take()
                not_ = True
            word = fold(self.token.text)
            if word not in _IS:
                self.fail(N_("“missing” or “present” is expected {place}."), _SAME)
            self.take()
            missing = _IS[word]
        return Test(name, MISSING, (), missing == not_)

    def _in(self) -> tuple[str, ...]:
        if self.token.kind != "(":
            self.fail(N_("An opening bracket is expected after “in” {place}."), _LIST)
        self.take()
        values = [self.value(listed=True).text]
        while self.token.kind == ",":
            self.take()
            values.append(self.value(listed=True).text)
        if self.token.kind != ")":
            self.fail(N_("A comma or a closing bracket is expected {place}."), _LIST)
        self.take()
        return tuple(dict.fromkeys(values))

    def _contains(self) -> tuple[str, ...]:
        return (self.value().text,)

    def _between(self) -> tuple[str, ...]:
        low = self.amount()
        if self.token.kind != "word" or fold(self.token.text) not in _UNTIL:
            self.fail(N_("“and” is expected between the two limits {place}."), _RANGE)
        self.take()
        at = self.next
        high = self.amount()
        low_number, high_number = read_number(low), read_number(high)
        days = read_period(low), read_period(high)
        numbers = low_number is not None and high_number is not None
        if (numbers and low_number > high_number) or (  # type: ignore[operator]
            not numbers and days[0] is not None and days[1] is not None and days[0].first > days[1].last
        ):
            self.next = at
            backwards = N_("The limits are the wrong way round: {low} is above {high}.")
            self.fail(backwards, Said("Write the smaller one first."), low=low, high=high)
        return low, high

    def amount(self) -> str:
        """Parses a number or a day."""
        at = self.next
        token = self.value()
        if read_number(token.text) is None and read_period(token.text) is None:
            self.next = at
            neither = N_("{found} is neither a number nor a date.")
            self.fail(neither, Said("Write it as 1000 or 2024-05-31, or compare words with = or contains."))
        return token.text

    def value(self, *, listed: bool = False) -> _Token:
        """Parses a word or a text; outside of a list, a number may have thousands separators."""
        if self.token.kind not in ("word", "text") or self.meaning() in ("and", "or", "not"):
            self.fail(N_("A value is expected {place}."), _QUOTES)
        token = self.take()
        if not token.text.strip():
            self.next -= 1
            self.fail(N_("The value {place} is empty."), Said("Use “is missing” for fields without a value."))
        while token.kind == "word" and not listed and self.token.text == ",":
            comma, group = self.token, self.tokens[min(self.next + 1, len(self.tokens) - 1)]
            touching = comma.at == token.at + len(token.text) and group.at == comma.at + 1
            if not (touching and _GROUP.fullmatch(group.text) and _THOUSANDS.fullmatch(f"{token.text},{group.text}")):
                break
            token = _Token("word", f"{token.text},{group.text}", token.at)
            self.next += 2
        return token

    def fail(self, template: str, remedy: Said, **values: object) -> NoReturn:
        token = self.token
        token_place = Said("“{text}” at character {at}", text=token.text[:40], at=token.at)
        place = Said("at the end") if token.kind == END else Said("in place of {found}", found=token_place)
        raise ParameterError(Said(template, place=place, found=token_place, **values), remedy)


_RELATIONS = Said("Use one of: {words}.", words="=, !=, >, >=, <, <=, in, contains, between, is missing")
_CLOSE = Said("Add a closing bracket.")
_FEWER = Said("Write the condition with fewer brackets.")
_MANY = Said("Use “in (…)” for many values of one field.")
_QUOTES = Said("Put a name or value of several words into quotation marks.")
_SAME = Said("Write “is missing” or “is present”.")
_LIST = Said("Write it as: field in (one, two).")
_RANGE = Said("Write it as: field between 10 and 20.")


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while m := _TOKEN.match(text, at):
        start = m.start(m.lastgroup or 0)
        if m["quote"]:
            words, at = _string(text, start)
            yield _Token("text", words, start + 1)
            continue
        at = m.end()
        if m["sign"]:
            yield _Token("sign", fold(m["sign"]), start + 1)
        elif m["mark"]:
            mark = fold(m["mark"])
            yield _Token("," if mark in ",、" else mark, m["mark"], start + 1)
        else:
            yield _Token("word", m["word"], start + 1)
    yield _Token(END, "", len(text) + 1)


def _string(text: str, start: int) -> tuple[str, int]:
    """Returns the quoted text and its end; a doubled quotation mark stands for one."""
    opening = text[start]
    closing, characters, at = _CLOSING.get(opening, opening), list[str](), start + 1
    while at < len(text):
        if text[at] in closing:
            if text[at + 1 : at + 2] not in (text[at],) or text[at + 1 : at + 2] == "":
                return "".join(characters), at + 1
            at += 1
        characters.append(text[at])
        at += 1
    message = Said("The quotation mark at character {at} is not closed.", at=start + 1)
    raise ParameterError(message, Said("Add the second one; a mark inside the text is doubled."))
