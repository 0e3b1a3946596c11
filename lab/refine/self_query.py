"""Conditions that a question states in words, as a filter on metadata fields: “reports from HR after 2024”.

The rule looks in the question for the fields of the corpus and their values:

- a word field: one of its values (of tags and other lists only if the field is named), negated after “not”, “except”,
  不要 or 除了; several values are alternatives;
- a field of yes and no: its name, negated after “without”, 不支持 and the like;
- a number field: its name beside a number, compared as the words around the number say (at least, 以上), and converted
  if the name of the field has a unit;
- a field of days: a day, month or year, after, before or within it; “last week” only if it is named.

A number or a day that belongs to no field, or to several, is not guessed: it is reported as unused.  A language model
writes the same conditions in the language of `lab.corpus.conditions`; they are parsed, and fields must exist.

Source: LangChain's ``SelfQueryRetriever``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from lab.algebra import Corpus, Env, Query, Ranking, Selection, knob
from lab.corpus.conditions import BETWEEN, EQUAL, IN, All, Condition, Test, combine, each_test, parse
from lab.corpus.fields import DAY, NUMBER, TEXT, FieldReading, elements, field_period, field_reading, read_number
from lab.corpus.statistics import fields_of
from lab.errors import ModelError, ParameterError
from lab.models.answers import Unreadable, json_object
from lab.models.chat import TEXT as JSON_TEXT
from lab.models.chat import Shape
from lab.models.consult import Reading, Request
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.refine.filters import Filter, Judged
from lab.refine.operators import asked_of
from lab.refine.where import UNDECIDED, Checked, Where
from lab.text import half_width, language_of
from lab.text.quantities import Days, Quantity, convert, measure, quantities, read_days, read_unit
from lab.text.quantities.dates import read_date
from lab.words import Said

MOST = 200
"""Values of a word field that are looked for; a field with more is an identifier or a text."""
NEAR = 8
"""Characters between the name of a number field and its number."""
LISTED = 30
"""Values of a field that a model is shown."""

_BEFORE = {
    ">=": "at least|no less than|not less than|a minimum of|minimum|至少|不低于|不少于|不小于|起码|>=|≥",
    "<=": "at most|no more than|not more than|up to|a maximum of|maximum|至多|最多|不超过|不高于|不多于|不大于|<=|≤",
    ">": "more than|over|above|exceeding|longer than|higher than|greater than|larger than|超过|大于|高于|多于|长于|>",
    "<": "less than|fewer than|under|below|shorter than|lower than|cheaper than|低于|少于|小于|不到|不足|<",
}
_AFTER = {
    ">=": "or more|or longer|or higher|or above|and up|and more|及以上|或以上|以上|起|[+]",
    "<=": "or less|or fewer|or under|or shorter|及以下|或以下|以下|以内|之内|内",
}
_DAYS_BEFORE = {
    ">=": "since|starting from|starting in|自从|自|从",
    ">": "later than|after|晚于",
    "<": "earlier than|before|prior to|早于",
    "<=": "until|till|by the end of|by|截至|截止到|直到",
    "": "during|within|in|on|of|from",
}
_DAYS_AFTER = {
    ">=": "以来|起|开始",
    ">": "以后|之后|后",
    "<": "以前|之前|前",
}


Sign = tuple[str, re.Pattern[str]]
Place = tuple[int, int]


def _ends(table: dict[str, str]) -> list[Sign]:
    return [(sign, re.compile(rf"(?:{words})(?: (?:the|a|an))?\s?$")) for sign, words in table.items()]


def _begins(table: dict[str, str]) -> list[Sign]:
    return [(sign, re.compile(rf"[\s的]?(?:{words})")) for sign, words in table.items()]


_BEFORE_NUMBER, _AFTER_NUMBER = _ends(_BEFORE), _begins(_AFTER)
_BEFORE_DAYS, _AFTER_DAYS = _ends(_DAYS_BEFORE), _begins(_DAYS_AFTER)
_NOT = re.compile(
    r"(?:\b(?:not|no|never|without|except|excluding|exclude|other than|isn't|doesn't have|don't want)"
    r"(?: (?:from|in|for|by|any|the|a|about))?\s?"
    r"|(?:不要|不是|不含|不包括|不支持|不带|不属于|除了|除去|排除|别要|(?<![有会能])没有|(?<!有)没|无需|非|无)(?:来自|支持|带)?)$"
)
_ASKED = re.compile("有没有|是不是|支不支持|能不能|带不带|要不要")
"""Questions of yes or no: their negation is none."""
_BETWEEN, _AND = re.compile(r"(?:between|介于|在)\s?$"), re.compile(r"\s?(?:and|和|与|到|至)\s?")
_TO = re.compile(r"\s?(?:to|through|until|till|到|至|[-–—~])\s?")
_JOINT = re.compile(r"[、,]|\s?(?:or|and|nor|和|或|与)\s?")
_NAME_PARTS = re.compile(r"[\s_\-()（）\[\]/.]+")
_TRUE, _FALSE = ("true", "yes", "是", "有"), ("false", "no", "否", "无")
_YEAR = re.compile(r"[0-9〇零一二三四五六七八九]{4}")
_CLAUSE = re.compile(r"[,;:?!。，；：？！]")


class Stated(NamedTuple):
    """A comparison that ``text[start:end]`` of a question states."""

    start: int
    end: int
    comparison: Test


@dataclass(frozen=True, slots=True)
class QuestionConditions:
    """What a question demands of the fields: the condition, where it is stated, and what was not used.

    ``unused`` are numbers and days of the question without a field.  ``checked`` is the result of the condition for the
    list; ``problem`` is why a model's answer was not used.
    """

    condition: Condition | None
    stated: tuple[Stated, ...] = ()
    unused: tuple[str, ...] = ()
    checked: Checked | None = None
    problem: ModelError | None = None


@dataclass(frozen=True)
class SelfQuery(Prompted, Filter):
    """Turns the conditions of the question into a filter on metadata fields.

    Without a model, a rule reads them (see above).  An answer of the model that is not a condition on fields of the
    corpus is not used; the rule's conditions then hold.  A rewritten question is judged by the conditions of the
    original one.  ``fields`` are the fields that a question may set; empty: all.  The evidence is a
    `QuestionConditions`.
    """

    inputs = ("question", "metadata")
    label = Said("Conditions in the question")
    about = Said("Turns conditions in the question into a filter on metadata fields (self-query).")
    shape = Shape.of("condition", condition=JSON_TEXT)
    selects = True

    fields: tuple[str, ...] = knob(
        (),
        kind="words",
        label=Said("Fields"),
        help=Said("Fields that a question can set. Empty: all fields."),
    )
    as_of: str = knob(
        "",
        kind="date",
        label=Said("Reference date"),
        help=Said("What “today” means in “last year”. Empty: the latest date of the field."),
    )
    undecided: str = UNDECIDED()
    template: str = TEMPLATE(
        help=Said("{question} and {fields} are filled in. Empty: the lab's prompt."), needs=("question", "fields")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.as_of and read_date(self.as_of) is None:
            message = Said("as_of is “{value}”, which is not a date.", value=self.as_of)
            raise ParameterError(message, Said("Write it as 2025-06-30."))

    def select(self, query: Query, corpus: Corpus, env: Env) -> Selection | None:
        if corpus.elsewhere:
            return None
        conditions = self.read(asked_of(query), corpus, env)
        if conditions.condition is None:
            return Selection(None, conditions, lambda document: Said())
        where = Where(str(conditions.condition), undecided=self.undecided)  # not kept: it belongs to this question
        rows, checked = where.checked(corpus, [document.metadata for document in corpus])
        return Selection(rows, replace(conditions, checked=checked), partial(where.reason, corpus))

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        conditions = self.read(asked_of(ranking.query), ranking.corpus, env)
        if conditions.condition is None:
            return Judged([None] * len(ranking.hits), conditions)
        judged = Where(str(conditions.condition), undecided=self.undecided).judge(ranking, env)
        return Judged(judged.reasons, replace(conditions, checked=judged.evidence))

    def read(self, question: str, corpus: Corpus, env: Env) -> QuestionConditions:
        """Returns the conditions of a question about this corpus: the model's, or else the rule's."""
        readings = self._readings(corpus)
        by_rule = _Rule(question, corpus, readings, read_date(self.as_of) if self.as_of else None).conditions
        if not self.model or not readings:
            return by_rule
        prompt = fill(
            self.prompt(language_of(question)),
            question=question,
            fields="\n".join(_described(reading, corpus) for reading in readings),
        )
        answer: Reading[Condition | tuple[()]] = self.consult(
            env, Request(prompt, partial(_read_answer, names=[r.name for r in readings])), self.shape
        )
        if answer.problem is not None:
            return replace(by_rule, problem=answer.problem)
        return QuestionConditions(answer.get() or None)

    def _readings(self, corpus: Corpus) -> list[FieldReading]:
        if corpus.elsewhere:
            return []
        names = [field.name for field in fields_of(corpus)]
        return [field_reading(corpus, name) for name in names if not self.fields or name in self.fields]


# ------------------------------------------------------------------------------------------------ by a model


def _described(reading: FieldReading, corpus: Corpus) -> str:
    """Returns the line about a field in the prompt: its name, its kind, and its values or their ends."""
    values = _values(corpus, reading.name)
    if reading.kind == TEXT:
        shown = ", ".join(values[:LISTED]) + (", …" if len(values) > LISTED else "")
        return f"- {reading.name} (text): {shown}"
    return f"- {reading.name} ({'date' if reading.kind == DAY else 'number'}): {', '.join(values[:3])}, …"


def _read_answer(answer: str, names: Sequence[str]) -> Condition | tuple[()]:
    """Parses the model's condition; () if it says that there is none.  Raises `Unreadable`."""
    wanted = Said("a condition on the fields {names}", names=", ".join(names))
    text = json_object(answer).get("condition")
    if not isinstance(text, str):
        raise Unreadable(answer, wanted)
    if text.strip().lower() in ("", "none", "无", "no_condition"):
        return ()
    try:
        condition = parse(text)
    except ParameterError:
        raise Unreadable(answer, wanted) from None
    if any(test.field not in names for test in each_test(condition)):
        raise Unreadable(answer, wanted)
    return condition


# ------------------------------------------------------------------------------------------------ by the rule


def _values(corpus: Corpus, name: str) -> list[str]:
    """Returns the different values of a field, the longest first."""

    def find() -> list[str]:
        values = {str(v).strip() for document in corpus for v in elements(document.metadata.get(name))}
        return sorted(values, key=lambda value: (-len(value), value))

    return corpus.once(("values in questions", name), find)


def _has_lists(corpus: Corpus, name: str) -> bool:
    """Returns whether a field has lists, such as tags: their words are topics unless the question names the field."""
    return corpus.once(("lists", name), lambda: any(isinstance(d.metadata.get(name), list) for d in corpus))


def _name_parts(name: str) -> list[str]:
    return [part for part in _NAME_PARTS.split(half_width(re.sub("(?<=[a-z])(?=[A-Z])", " ", name))) if part]


def _is_unit(word: str) -> bool:
    return read_unit(word, 0) == len(word)


def _name_forms(name: str) -> list[str]:
    """Returns the words for a field, the longest first: its name, and that without its unit and “is”, “has”."""
    parts = _name_parts(name)
    bare = [part for part in parts if not _is_unit(part) and part not in ("is", "has", "是否", "in")]
    forms = [" ".join(parts), " ".join(bare)]
    forms += [form.removeprefix("是否").removeprefix("支持") for form in forms]
    forms += [re.sub("(?:日期|时间|期限|期| date| at)$", "", form) for form in forms]
    return sorted({form for form in forms if len(form) > 1}, key=len, reverse=True)


class _Rule:
    """Reads the conditions of one question: first days, then numbers, then words, each where nothing was read yet."""

    def __init__(self, question: str, corpus: Corpus, readings: Sequence[FieldReading], as_of: date | None) -> None:
        self.question, self.corpus, self.as_of = question, corpus, as_of
        self.text = _ASKED.sub(lambda m: "　" * len(m[0]), half_width(question))
        self.stated, self.unused, self.taken = list[Stated](), list[Place](), list[Place]()
        self.named = {r.name: [at for form in _name_forms(r.name) for at in self.places(form)] for r in readings}
        """Where the question names each field."""
        self.read_days([reading for reading in readings if reading.kind == DAY])
        self.taken += self.unused
        self.read_numbers([reading.name for reading in readings if reading.kind == NUMBER])
        for reading in readings:
            if reading.kind == TEXT and (self.named[reading.name] or not _has_lists(corpus, reading.name)):
                self.read_words(reading.name, _values(corpus, reading.name))
        self.stated.sort(key=lambda s: s.start)

    @property
    def conditions(self) -> QuestionConditions:
        """Returns what the question demands."""
        tests = list(dict.fromkeys(_alternatives([s.comparison for s in self.stated])))
        unused = tuple(self.question[start:end] for start, end in sorted(self.unused))
        return QuestionConditions(combine(All, *tests) if tests else None, tuple(self.stated), unused)

    def places(self, words: str) -> Iterator[Place]:
        """Yields where words stand in the question, Latin ones as whole words."""
        words = half_width(words).strip()
        at = self.text.find(words) if words else -1
        while at >= 0:
            end = at + len(words)
            if not (self.splits_word(at) or self.splits_word(end)):
                yield at, end
            at = self.text.find(words, at + 1)

    def splits_word(self, at: int) -> bool:
        """Returns whether a place is inside a Latin word or a number."""
        a, b = self.text[at - 1 : at] if at else "", self.text[at : at + 1]
        return bool(a and b) and all(c.isascii() and c.isalnum() for c in (a, b))

    def is_free(self, start: int, end: int) -> bool:
        return not any(start < b and a < end for a, b in self.taken)

    def is_negated(self, start: int) -> bool:
        return _NOT.search(self.text, max(0, start - 24), start) is not None

    def state(self, start: int, end: int, name: str, op: str, values: Iterable[str], negated: bool = False) -> None:
        self.stated.append(Stated(start, end, Test(name, op, tuple(values), negated)))
        self.taken.append((start, end))

    def sign(self, start: int, end: int, before: Sequence[Sign], after: Sequence[Sign]) -> str:
        """Returns the comparison that the words around a number or day express; empty if they express none."""
        behind = next((sign for sign, pattern in after if pattern.match(self.text, end)), "")
        area = max(0, start - 24), start
        return behind or next((sign for sign, pattern in before if pattern.search(self.text, *area)), "")

    # ---------------------------------------------------------------------------------------- words

    def read_words(self, name: str, values: Sequence[str]) -> None:
        """Reads a field of words: each of its values in the question is demanded, after a negation excluded."""
        folded_values = {half_width(value).strip() for value in values}
        if folded_values and folded_values <= {*_TRUE, *_FALSE}:
            self.read_flag(name, values)
            return
        first = len(self.stated)
        for value in values if len(values) <= MOST else ():
            for start, end in self.places(value) if len(value) > 1 else ():
                if self.is_free(start, end) and _is_written(self.question, value, start, end):
                    self.state(start, end, name, EQUAL, [value], self.is_negated(start))
        matches = sorted(self.stated[first:])
        for i, (before, this) in enumerate(pairwise(matches), 1):  # not from HR or IT
            if matches[i - 1].comparison.negated and _JOINT.fullmatch(self.text[before.end : this.start]):
                matches[i] = this._replace(comparison=replace(this.comparison, negated=True))
        self.stated[first:] = matches

    def read_flag(self, name: str, values: Sequence[str]) -> None:
        """Reads a field of yes and no: its name in the question demands yes, after a negation no."""
        for start, end in self.named[name]:
            if self.is_free(start, end):
                words = _FALSE if self.is_negated(start) else _TRUE
                value = next((v for v in values if half_width(v).strip() in words), words[0])
                self.state(start, end, name, EQUAL, [value])
                return

    # -------------------------------------------------------------------------------------- numbers

    def read_numbers(self, names: Sequence[str]) -> None:
        """Reads fields of numbers; an amount that belongs to none, or to several, is not used."""
        for amount in self.amounts():
            start, end = amount.start, amount.end
            if not self.is_free(start, end) or self.splits_word(start):
                continue
            sign = self.sign(start, end, _BEFORE_NUMBER, _AFTER_NUMBER)
            distances = sorted((self.distance(amount, name), name) for name in names)
            near = [(distance, name) for distance, name in distances if distance < NEAR]
            only = near and near[0][0] not in [d for d, _ in near[1:]]
            if numbers := _in_unit_of(amount, self.corpus, near[0][1]) if only else []:
                self.state(start, end, near[0][1], BETWEEN if len(numbers) == 2 else sign or EQUAL, numbers)
            elif amount.unit or sign:
                self.unused.append((start, end))

    def amounts(self) -> Iterator[Quantity]:
        """Yields the amounts of a question; the two of “between 100 and 300” as one."""
        left = quantities(self.text)
        while left:
            amount = left.pop(0)
            if left and _BETWEEN.search(self.text, max(0, amount.start - 12), amount.start):
                second = left[0]
                joint = self.text[amount.end : second.start]
                if _AND.fullmatch(joint) and amount.high is None and amount.low <= second.low:
                    amount = replace(second, start=amount.start, low=amount.low, high=second.low)
                    left.pop(0)
            yield amount

    def distance(self, amount: Quantity, name: str) -> int:
        """Returns the number of characters between an amount and the name of a field in the same clause.

        The words of a comparison between them do not count; without the name it is a large number.
        """
        best = 1000
        for start, end in self.named[name]:
            between = self.text[end : amount.start] if end <= amount.start else self.text[amount.end : start]
            if _CLAUSE.search(between) or (start < amount.end and amount.start < end):
                continue
            for words in (*_BEFORE.values(), *_AFTER.values()):
                between = re.sub(words, "", between)
            best = min(best, len(between.strip()) + (end > amount.start))
        return best

    # ----------------------------------------------------------------------------------------- days

    def read_days(self, readings: Sequence[FieldReading]) -> None:
        """Reads fields of days; a day that belongs to none, or to several, is not used."""
        at = 0
        while at < len(self.text):
            bare = any(pattern.search(self.text, max(0, at - 24), at) for _relation, pattern in _BEFORE_DAYS)
            reading = self.day_field(at, readings)
            latest = self.as_of or _latest(self.corpus, reading)
            days = read_days(self.text, at, latest, bare=bare)
            if days is None:
                at += 1
                continue
            sign = self.sign(days.start, days.end, _BEFORE_DAYS, _AFTER_DAYS)
            if last := self.last_days(days, latest):
                days, sign = days._replace(end=last.end, after=last.after), ""
            at = days.end
            if reading and (sign or _YEAR.search(self.text, days.start, days.end) or self.named[reading.name]):
                start, end = days.first.isoformat(), (days.after - timedelta(1)).isoformat()
                limits = {">=": [start], "<": [start], ">": [end], "<=": [end], "": [start, end]}
                self.state(days.start, days.end, reading.name, sign or BETWEEN, limits[sign])
            else:
                self.unused.append((days.start, days.end))

    def last_days(self, days: Days, latest: date) -> Days | None:
        """Returns the days that end a period, as in “from 2023 to 2024”; None if these days are the whole of it."""
        between = _BETWEEN.search(self.text, max(0, days.start - 12), days.start)
        joint = (between and _AND.match(self.text, days.end)) or _TO.match(self.text, days.end)
        last = read_days(self.text, joint.end(), latest, bare=True) if joint else None
        return last if last and last.first >= days.first else None

    def day_field(self, at: int, readings: Sequence[FieldReading]) -> FieldReading | None:
        """Returns the field of days that is named nearest before or behind this place, or the only one."""
        named = [
            (min(abs(at - start), abs(at - end)), reading.name, reading)
            for reading in readings
            for start, end in self.named[reading.name]
        ]
        return min(named)[2] if named else readings[0] if len(readings) == 1 else None


def _alternatives(tests: Sequence[Test]) -> Iterator[Test]:
    """Yields the comparisons, those of several values of one field as one."""
    groups = dict[tuple[str, bool], list[str]]()
    for test in tests:
        if test.op == EQUAL:
            groups.setdefault((test.field, test.negated), []).append(test.values[0])
    for test in tests:
        values = tuple(dict.fromkeys(groups.get((test.field, test.negated), ())))
        yield replace(test, op=IN, values=values) if test.op == EQUAL and len(values) > 1 else test


def _is_written(question: str, value: str, start: int, end: int) -> bool:
    """Returns whether a short Latin value has its own capitals in the question: IT is not it, US is not us."""
    return len(value) > 3 or not value.isascii() or not value.isalpha() or question[start:end] == value


def _in_unit_of(amount: Quantity, corpus: Corpus, name: str) -> list[str]:
    """Returns the numbers of an amount in the unit of a field, as a condition has them; none if that is not known.

    The unit stands in the name of the field.  If it does not, the numbers are those of the field if they are of its
    size: 24 months are not 24 of a field with 1, 2 and 3.
    """
    target = next((part for part in _name_parts(name) if _is_unit(part)), "")
    (source, scale), (wanted, size) = measure(amount.unit), measure(target)
    if not amount.unit or amount.measure == name:
        return [_written(value) for value in amount.values]
    if target and source:
        numbers = [convert(value * scale, source, wanted) for value in amount.values]
        return [_written(number / size) for number in numbers if number is not None]
    field_numbers = [n for value in _values(corpus, name) if (n := read_number(value)) is not None]
    low, high = min(field_numbers) / 2, max(field_numbers) * 2
    fits = all(low <= value <= high for value in amount.values)
    return [_written(value) for value in amount.values] if fits else []


def _written(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.15g}"


def _latest(corpus: Corpus, reading: FieldReading | None) -> date:
    """Returns the latest day of a field; without a field today."""
    if reading is None:
        return date.today()
    values = (v for document in corpus for v in elements(document.metadata.get(reading.name)))
    return max((p.last for v in values if (p := field_period(v, reading))), default=date.today())
