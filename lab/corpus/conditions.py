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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import ge, gt, le, lt
from typing import Any, ClassVar, NamedTuple, NoReturn

from lab.corpus.fields import read_number
from lab.errors import ParameterError
from lab.text import fold
from lab.text.quantities.dates import read_period
from lab.words import N_, Said

EQUAL, IN, CONTAINS, BETWEEN, MISSING = "=", "in", "contains", "between", "is missing"
ORDERED: Mapping[str, Callable[[Any, Any], bool]] = {">": gt, ">=": ge, "<": lt, "<=": le}
"""The comparisons with a limit."""
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
_SIGN, _MARK, _QUOTE = "=<>!≠≥≤＝＜＞！", "(),（），、", "\"“”'‘’＂"
_BORDER = rf"\s{_SIGN}{_MARK}{_QUOTE}"
_TOKEN = re.compile(
    rf"\s*(?:(?P<sign>[{_SIGN}]{{1,2}})|(?P<mark>[{_MARK}])|(?P<quote>[{_QUOTE}])|(?P<word>[^{_BORDER}]+))"
)
_CLOSING = {"“": "“”", "”": "“”", "‘": "‘’", "’": "‘’"}
_PLAIN = re.compile(rf"[^{_BORDER}]+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_NUMBER = re.compile(rf"{_THOUSANDS.pattern}(?=[{_BORDER}]|$)")


@dataclass(frozen=True, slots=True)
class Test:
    """One field with one comparison ``op`` to values; or, ``negated``, without it.

    The comparisons of `RELATIONS` take values as they were written, in `lab.retrieve.where` typed ones;
    `lab.refine.boolean` adds words and phrases.
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
        if self.op == MISSING:
            return f"{name} is {'present' if self.negated else 'missing'}"
        wanted = f"({', '.join(values)})" if self.op == IN else " and ".join(values)
        return f"{name} {not_}{self.op} {wanted}"


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


def holds(condition: Condition, test: Callable[[Test], bool]) -> bool:
    """Returns whether a condition holds if ``test`` says so of each of its tests."""
    if isinstance(condition, Test):
        return test(condition)
    if isinstance(condition, Not):
        return not holds(condition.part, test)
    return (any if isinstance(condition, AnyOf) else all)(holds(part, test) for part in condition.parts)


def combine(kind: type[All | AnyOf], *parts: Condition) -> Condition:
    """Returns the conditions as one; those that are combined in the same way already are taken in."""
    flat = list[Condition]()
    for part in parts:
        flat += part.parts if isinstance(part, kind) else [part]
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def each_test(condition: Condition) -> Iterator[Test]:
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
    """A mark, a meaning of `_WORDS`, ``sign``, ``word`` or, in quotation marks, ``text``."""
    text: str
    at: int
    """The position of its first character, from 1."""


END = "end"
_NAMES = {"word", "text"}
_VALUES = _NAMES | _WORDS.keys() - {"and", "or", "not"}


class _Parser:
    """A reader by recursive descent; ``or`` binds weakest, then ``and``, then ``not``."""

    def __init__(self, text: str) -> None:
        self.tokens, self.next = list(_tokens(text)), 0
        self.count = 0

    def whole(self) -> Condition:
        condition = self.either(0)
        self.expect({END}, N_("“and” or “or” is expected {place}."), _QUOTES)
        return condition

    @property
    def token(self) -> _Token:
        return self.tokens[self.next]

    def accept(self, *kinds: str) -> _Token | None:
        """Takes the next token if it is of one of these kinds."""
        token = self.token
        if token.kind not in kinds:
            return None
        self.next += token.kind != END
        return token

    def expect(self, kinds: set[str], message: str, remedy: Said, **values: object) -> _Token:
        return self.accept(*kinds) or self.fail(message, remedy, **values)

    def either(self, depth: int) -> Condition:
        parts = [self.every(depth)]
        while self.accept("or"):
            parts.append(self.every(depth))
        return combine(AnyOf, *parts)

    def every(self, depth: int) -> Condition:
        parts = [self.part(depth)]
        while self.accept("and"):
            parts.append(self.part(depth))
        return combine(All, *parts)

    def part(self, depth: int) -> Condition:
        if depth > DEEPEST:
            self.fail(N_("Brackets and “not” are nested more than {limit} deep, near {found}."), _FEWER, limit=DEEPEST)
        if self.accept("not"):
            return negate(self.part(depth + 1))
        if opening := self.accept("("):
            inside = self.either(depth + 1)
            self.expect({")"}, N_("The bracket at character {opening} is not closed."), _CLOSE, opening=opening.at)
            return inside
        return self.comparison()

    def comparison(self) -> Test:
        self.count += 1
        if self.count > MOST:
            self.fail(N_("The condition has more than {limit} comparisons."), _MANY, limit=MOST)
        name = self.expect(_NAMES, N_("The name of a field is expected {place}."), _QUOTES).text
        negated = self.accept("not") is not None
        if not negated and (sign := self.accept("sign")):
            return self.signed(name, sign)
        if not negated and (state := self.accept("is", "missing", "present")):
            return self.there(name, state.kind)
        relation = self.accept(IN, f"not {IN}", CONTAINS, f"not {CONTAINS}", BETWEEN)
        if relation is None:
            self.fail(N_("A comparison is expected after “{field}” {place}."), _RELATIONS, field=name)
        op = relation.kind.removeprefix("not ")
        values = self.listed() if op == IN else self.limits() if op == BETWEEN else (self.value(),)
        return Test(name, op, values, negated != (op != relation.kind))

    def signed(self, name: str, sign: _Token) -> Test:
        relation = _SIGNS.get(sign.text, sign.text)
        if relation in ("=", "!="):
            return Test(name, EQUAL, (self.value(),), relation == "!=")
        if relation in ORDERED:
            return Test(name, relation, (self.amount(),))
        self.next -= 1
        return self.fail(N_("{found} is not a comparison."), _RELATIONS)

    def there(self, name: str, state: str) -> Test:
        negated, missing = False, state == "missing"
        if state == "is":
            negated, word = self.accept("not") is not None, fold(self.token.text)
            if word not in _IS:
                self.fail(N_("“missing” or “present” is expected {place}."), _SAME)
            self.next += 1
            missing = _IS[word]
        return Test(name, MISSING, (), missing == negated)

    def listed(self) -> tuple[str, ...]:
        self.expect({"("}, N_("An opening bracket is expected after “in” {place}."), _LIST)
        values = [self.value()]
        while self.accept(","):
            values.append(self.value())
        self.expect({")"}, N_("A comma or a closing bracket is expected {place}."), _LIST)
        return tuple(dict.fromkeys(values))

    def limits(self) -> tuple[str, ...]:
        low = self.amount()
        if fold(self.token.text) not in _UNTIL or self.token.kind == "text":
            self.fail(N_("“and” is expected between the two limits {place}."), _RANGE)
        self.next += 1
        at, high = self.next, self.amount()
        numbers = read_number(low), read_number(high)
        days = read_period(low), read_period(high)
        first, last = numbers if None not in numbers else (days[0] and days[0].first, days[1] and days[1].last)
        if first is not None and last is not None and first > last:  # type: ignore[operator]
            self.next = at
            backwards = N_("The limits are the wrong way round: {low} is above {high}.")
            self.fail(backwards, Said("Write the smaller one first."), low=low, high=high)
        return low, high

    def amount(self) -> str:
        at, text = self.next, self.value()
        if read_number(text) is None and read_period(text) is None:
            self.next = at
            neither = N_("{found} is neither a number nor a date.")
            self.fail(neither, Said("Write it as 1000 or 2024-05-31, or compare words with = or contains."))
        return text

    def value(self) -> str:
        text = self.expect(_VALUES, N_("A value is expected {place}."), _QUOTES).text
        if not text.strip():
            self.next -= 1
            self.fail(N_("The value {place} is empty."), Said("Use “is missing” for fields without a value."))
        return text

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
    """Yields the tokens of a condition; a number has its thousands separators, but not in a list of values."""
    at, before, listed = 0, "", False
    while m := _TOKEN.match(text, at):
        kind, start = m.lastgroup or "", m.start(m.lastgroup or 0)
        word, at = m[kind], m.end()
        if kind == "quote":
            kind = "text"
            word, at = _string(text, start)
        elif kind == "sign":
            word = fold(word)
        elif kind == "mark":
            kind = "," if word == "、" else fold(word)
            listed = kind != ")" and (listed or (kind == "(" and before in (IN, f"not {IN}")))
        elif listed or not (number := _NUMBER.match(text, start)):
            kind = _WORD.get(fold(word), kind)
        else:
            word, at = number[0], number.end()
        before = kind
        yield _Token(kind, word, start + 1)
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
