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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from lab.algebra import Corpus, Env, Ranking, knob
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
from lab.text.quantities import Quantity, convert, measure, quantities, read_days, read_unit
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


def _ends(table: dict[str, str]) -> list[tuple[str, re.Pattern[str]]]:
    return [(sign, re.compile(rf"(?:{words})(?: (?:the|a|an))?\s?$")) for sign, words in table.items()]


def _begins(table: dict[str, str]) -> list[tuple[str, re.Pattern[str]]]:
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
_JOINT = re.compile(r"[、,]|\s?(?:or|and|nor|和|或|与)\s?")
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

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        conditions = self.read(asked_of(ranking.query), ranking.corpus, env)
        if conditions.condition is None:
            return Judged([None] * len(ranking.hits), conditions)
        judged = Where(str(conditions.condition), undecided=self.undecided).judge(ranking, env)
        return Judged(judged.reasons, replace(conditions, checked=judged.evidence))

    def read(self, question: str, corpus: Corpus, env: Env) -> QuestionConditions:
        """Returns the conditions of a question about this corpus: the model's, or else the rule's."""
        readings = self._readings(corpus)
        by_rule = _by_rule(question, corpus, readings, read_date(self.as_of) if self.as_of else None)
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


def _by_rule(question: str, corpus: Corpus, readings: Sequence[FieldReading], as_of: date | None) -> QuestionConditions:
    text = _ASKED.sub(lambda m: "　" * len(m[0]), half_width(question))
    days = [reading for reading in readings if reading.kind == DAY]
    stated, unused = _day_conditions(text, corpus, days, as_of)
    taken = [*unused, *((s.start, s.end) for s in stated)]
    numbers, more = _number_conditions(text, corpus, [r for r in readings if r.kind == NUMBER], taken)
    stated += numbers
    taken += [(s.start, s.end) for s in numbers]
    for reading in readings:
        named = _names(text, reading)
        if reading.kind == TEXT and (named or not _has_lists(corpus, reading.name)):
            stated += _word_conditions(question, text, reading.name, _values(corpus, reading.name), taken)
    stated.sort(key=lambda s: s.start)
    tests = list(dict.fromkeys(s.comparison for s in _alternatives(stated)))
    condition = combine(All, *tests) if tests else None
    spans = sorted([*unused, *more])
    return QuestionConditions(condition, tuple(stated), tuple(question[a:b] for a, b in spans))


def _alternatives(stated: Sequence[Stated]) -> Iterator[Stated]:
    """Yields the comparisons, those of several values of one field as one."""
    groups = dict[tuple[str, bool], list[str]]()
    for s in stated:
        if s.comparison.op == EQUAL:
            groups.setdefault((s.comparison.field, s.comparison.negated), []).append(s.comparison.values[0])
    for s in stated:
        test = s.comparison
        values = tuple(dict.fromkeys(groups.get((test.field, test.negated), ())))
        several = test.op == EQUAL and len(values) > 1
        yield s._replace(comparison=replace(test, op=IN, values=values)) if several else s


def _places(text: str, words: str) -> Iterator[tuple[int, int]]:
    """Yields where words stand in a text, Latin ones as whole words."""
    words = half_width(words).strip()
    at = text.find(words) if words else -1
    while at >= 0:
        end = at + len(words)
        if not (_glued(text, at) or _glued(text, end)):
            yield at, end
        at = text.find(words, at + 1)


def _is_written(question: str, value: str, start: int, end: int) -> bool:
    """Returns whether a short Latin value has its own capitals in the question: IT is not it, US is not us."""
    return len(value) > 3 or not value.isascii() or not value.isalpha() or question[start:end] == value


def _glued(text: str, at: int) -> bool:
    """Returns whether a border in a text is inside a Latin word or a number."""
    a, b = text[at - 1 : at] if at else "", text[at : at + 1]
    return bool(a and b) and all(c.isascii() and c.isalnum() for c in (a, b))


def _overlaps(start: int, end: int, taken: Sequence[tuple[int, int]]) -> bool:
    return any(start < b and a < end for a, b in taken)


def _is_negated(text: str, start: int) -> bool:
    return _NOT.search(text, max(0, start - 24), start) is not None


_TRUE, _FALSE = ("true", "yes", "是", "有"), ("false", "no", "否", "无")


def _word_conditions(
    question: str, text: str, name: str, values: Sequence[str], taken: list[tuple[int, int]]
) -> list[Stated]:
    """Reads a field of words: each of its values in the question is demanded, after a negation excluded."""
    folded_values = {half_width(value).strip() for value in values}
    if folded_values and folded_values <= {*_TRUE, *_FALSE}:
        return _flag_conditions(text, name, values, taken)
    found = list[Stated]()
    if len(values) > MOST:
        return found
    for value in values:
        if len(value) < 2:
            continue
        for start, end in _places(text, value):
            if not _overlaps(start, end, taken) and _is_written(question, value, start, end):
                taken.append((start, end))
                found.append(Stated(start, end, Test(name, EQUAL, (value,), _is_negated(text, start))))
    found.sort()
    for i, (before, this) in enumerate(pairwise(found), 1):  # not from HR or IT
        if found[i - 1].comparison.negated and _JOINT.fullmatch(text[before.end : this.start]):
            found[i] = this._replace(comparison=replace(this.comparison, negated=True))
    return found


def _flag_conditions(text: str, name: str, values: Sequence[str], taken: list[tuple[int, int]]) -> list[Stated]:
    """Reads a field of yes and no: its name in the question demands yes, after a negation no."""
    for form in _name_forms(name):
        for start, end in _places(text, form):
            if _overlaps(start, end, taken):
                continue
            taken.append((start, end))
            words = _FALSE if _is_negated(text, start) else _TRUE
            value = next((v for v in values if half_width(v).strip() in words), words[0])
            return [Stated(start, end, Test(name, EQUAL, (value,)))]
    return []


_NAME_PARTS = re.compile(r"[\s_\-()（）\[\]/.]+")


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


def _number_conditions(
    text: str, corpus: Corpus, readings: Sequence[FieldReading], taken: Sequence[tuple[int, int]]
) -> tuple[list[Stated], list[tuple[int, int]]]:
    """Returns the conditions on number fields, and the places of amounts that belong to no field."""
    stated, unused = list[Stated](), list[tuple[int, int]]()
    for amount in _amounts(text):
        if _overlaps(amount.start, amount.end, taken) or _glued(text, amount.start):
            continue
        sign = _sign(text, amount.start, amount.end, _BEFORE_NUMBER, _AFTER_NUMBER)
        distances = sorted((_distance(text, amount, reading.name), reading.name) for reading in readings)
        near = [(distance, name) for distance, name in distances if distance < NEAR]
        numbers = _in_unit_of(amount, corpus, near[0][1]) if near and near[0][0] not in [d for d, _ in near[1:]] else []
        if numbers:
            test = Test(near[0][1], BETWEEN if len(numbers) == 2 else sign or EQUAL, tuple(numbers))
            stated.append(Stated(amount.start, amount.end, test))
        elif amount.unit or sign:
            unused.append((amount.start, amount.end))
    return stated, unused


def _amounts(text: str) -> Iterator[Quantity]:
    """Yields the amounts of a question; the two of “between 100 and 300” as one."""
    left = quantities(text)
    while left:
        amount = left.pop(0)
        if left and _BETWEEN.search(text, max(0, amount.start - 12), amount.start):
            second = left[0]
            if _AND.fullmatch(text[amount.end : second.start]) and amount.high is None and amount.low <= second.low:
                amount = replace(second, start=amount.start, low=amount.low, high=second.low)
                left.pop(0)
        yield amount


def _distance(text: str, amount: Quantity, name: str) -> int:
    """Returns the number of characters between an amount and the name of a field in the same clause.

    The words of a comparison between them do not count; without the name it is a large number.
    """
    best = 1000
    for form in _name_forms(name):
        for start, end in _places(text, form):
            between = text[end : amount.start] if end <= amount.start else text[amount.end : start]
            if _CLAUSE.search(between) or (start < amount.end and amount.start < end):
                continue
            for table in (_BEFORE, _AFTER):
                for words in table.values():
                    between = re.sub(words, "", between)
            best = min(best, len(between.strip()) + (end > amount.start))
    return best


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


def _sign(
    text: str,
    start: int,
    end: int,
    before: Sequence[tuple[str, re.Pattern[str]]],
    after: Sequence[tuple[str, re.Pattern[str]]],
) -> str:
    """Returns the comparison that the words around a number or day express; empty if they express none."""
    behind = next((sign for sign, pattern in after if pattern.match(text, end)), "")
    return behind or next((sign for sign, pattern in before if pattern.search(text, max(0, start - 24), start)), "")


def _day_conditions(
    text: str, corpus: Corpus, readings: Sequence[FieldReading], as_of: date | None
) -> tuple[list[Stated], list[tuple[int, int]]]:
    """Returns the conditions on fields of days, and the places of days that belong to none or to several."""
    stated, unused, at = list[Stated](), list[tuple[int, int]](), 0
    while at < len(text):
        bare = any(pattern.search(text, max(0, at - 24), at) for _relation, pattern in _BEFORE_DAYS)
        reading = _chosen_day_field(text, at, readings)
        today = as_of or _latest(corpus, reading)
        days = (
            read_days(text, at, today, bare=bare) if reading or as_of else read_days(text, at, date.today(), bare=bare)
        )
        if days is None:
            at += 1
            continue
        sign = _sign(text, days.start, days.end, _BEFORE_DAYS, _AFTER_DAYS)
        if reading is None or not (sign or _YEAR.search(text, days.start, days.end) or _names(text, reading)):
            unused.append((days.start, days.end))
        else:
            first, last = days.first.isoformat(), (days.after - timedelta(1)).isoformat()
            limits = {">=": first, "<": first, ">": last, "<=": last}
            values = (limits[sign],) if sign else (first, last)
            stated.append(Stated(days.start, days.end, Test(reading.name, sign or BETWEEN, values)))
        at = days.end
    return stated, unused


def _names(text: str, reading: FieldReading) -> bool:
    """Returns whether a question names a field."""
    return any(True for form in _name_forms(reading.name) for _ in _places(text, form))


def _chosen_day_field(text: str, at: int, readings: Sequence[FieldReading]) -> FieldReading | None:
    """Returns the field of days that is named nearest before or behind this place, or the only one."""
    named = [
        (min(abs(at - start), abs(at - end)), reading.name, reading)
        for reading in readings
        for form in _name_forms(reading.name)
        for start, end in _places(text, form)
    ]
    return min(named)[2] if named else readings[0] if len(readings) == 1 else None


def _latest(corpus: Corpus, reading: FieldReading | None) -> date:
    """Returns the latest day of a field; without a field today."""
    if reading is None:
        return date.today()
    values = (v for document in corpus for v in elements(document.metadata.get(reading.name)))
    return max((p.last for v in values if (p := field_period(v, reading))), default=date.today())
