"""Reads by rule the conditions on metadata fields that a question states: “reports from HR after 2024”.

The rule looks in the question for the fields of the corpus and their values:

- a word field: one of its values (of tags and other lists only if the field is named), negated after “not”, “except”,
  不要 or 除了; several values are alternatives;
- a field of yes and no: its name, negated after “without”, 不支持 and the like;
- a number field: its name beside a number, compared as the words around the number say (at least, 以上), and converted
  if the name of the field has a unit;
- a field of days: a day, month or year, after, before or within it, or a period; “last week” only if it is named;
- a field that is to be empty: without a rating, 日期不详.

Numbers or days of a field that are joined by “or”, or that no value fits at once, are alternatives; an exclusion holds
for what is listed with it.  Nothing is guessed.  Reported as unused are: a condition in the scope of a negation or a
modal verb that the rule does not read (need not be from HR, 我们没有手表); a number or a day that belongs to no field,
or to several; a part of a year that nobody has fixed (early 2023); a word that asks for an order (newest); a word that
is excluded, given for a field or an alternative and is no part of exactly one value.  Every other number, day, value
and negation of the question is reported as searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import chain, pairwise
from typing import Any, NamedTuple

from lab.algebra import Corpus
from lab.corpus.conditions import BETWEEN, EQUAL, IN, MISSING, All, AnyOf, Condition, Test, combine
from lab.corpus.fields import DAY, NUMBER, TEXT, FieldReading, latest_day, read_number, values_of
from lab.errors import ModelError
from lab.refine import condition_phrases as phrases
from lab.refine.condition_phrases import Place, Words, is_unit, name_forms, name_parts
from lab.refine.finders import stem_of
from lab.refine.where import Checked
from lab.text import half_width
from lab.text.quantities import Days, Quantity, convert, measure, quantities, read_days
from lab.text.quantities.days import ANY_DAYS
from lab.text.writing import QUOTES

MOST = 200
"""Values of a word field that are looked for; a field with more is an identifier or a text."""
NEAR = 8
"""Characters between a number and the name of its field."""
FAR = 1000


class Stated(NamedTuple):
    """A comparison that ``text[start:end]`` of a question states; ``listed``: excluded like the one before.

    ``marks`` are the place with the words of the comparison, and those of its negations.
    """

    start: int
    end: int
    comparison: Test
    marks: tuple[Place, ...] = ()
    listed: bool = False

    @property
    def whole(self) -> Place:
        """The start and the end with all marks."""
        return min(a for a, _ in self.marks), max(b for _, b in self.marks)


@dataclass(frozen=True, slots=True)
class QuestionConditions:
    """What a question demands of the fields, where it does, and what was not used.

    ``unused`` are the parts that may be meant as a condition and are not read; ``orders`` are those of them that ask
    for the newest.  ``searched`` are the other numbers, days, values and negations, which are only words.
    ``checked`` is the result of the condition for the list; ``problem`` is why a model's answer was not used.
    """

    condition: Condition | None
    stated: tuple[Stated, ...] = ()
    unused: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    checked: Checked | None = None
    problem: ModelError | None = None


def _has_lists(corpus: Corpus, name: str) -> bool:
    """Returns whether a field has lists, such as tags: their words are topics unless the question names the field."""
    return corpus.once(("lists", name), lambda: any(isinstance(d.metadata.get(name), list) for d in corpus))


class Rule:
    """Reads the conditions of one question: first days, then numbers, then words, each where nothing was read yet."""

    def __init__(self, question: str, corpus: Corpus, readings: Sequence[FieldReading], as_of: date | None) -> None:
        self.question, self.corpus, self.as_of = question, corpus, as_of
        text = half_width(question).replace("!=", "≠ ").replace("’", "'")
        self.text = phrases.ASKED.sub(lambda m: "　" * len(m[0]), text)
        self.stated, self.unused = list[Stated](), list[Place]()
        self.quoted = [(m.start() + 1, m.end() - 1) for m in QUOTES.finditer(self.text)]
        self.flags, self.named = set[str](), {r.name: self.name_places(r.name) for r in readings}
        """Where the question names each field."""
        self.in_names = {i for places in self.named.values() for place in places for i in range(*place)}
        numbers = [reading.name for reading in readings if reading.kind == NUMBER]
        self.amounts = [*self.find_amounts()]
        counted = (a for a in self.amounts if measure(a.unit)[0] not in phrases.UNCOUNTED or self.near(a, numbers))
        self.counted = {i for amount in counted for i in range(amount.start, amount.end)}
        self.read_days([reading for reading in readings if reading.kind == DAY])
        self.read_numbers(numbers)
        names = [r.name for r in readings if r.kind == TEXT and (self.named[r.name] or not _has_lists(corpus, r.name))]
        for name in names:
            self.read_words(name, values_of(corpus, name))
        self.read_absent()
        self.read_parts(names)
        self.stated.sort(key=lambda s: s.start)
        self.spread_exclusions()
        self.name_doubtful()
        kinds = {reading.kind for reading in readings}
        orders = [m for m in phrases.ORDER.finditer(self.text) if kinds & {DAY, NUMBER} and not self.is_used(*m.span())]
        vague = [m for m in phrases.VAGUE.finditer(self.text) if DAY in kinds and not self.is_used(*m.span())]
        self.unused += [m.span() for m in (*orders, *vague)]
        self.orders = self.parts(m.span() for m in orders if DAY in kinds and m.lastgroup)
        self.searched = self.parts(self.rest(readings))

    @property
    def conditions(self) -> QuestionConditions:
        fields = dict.fromkeys(s.comparison.field for s in self.stated)
        parts = {name: combine(All, *self.of_field(name)) for name in fields}
        for first, second in pairwise(self.stated):
            a, b = first.comparison, second.comparison
            joint = phrases.OR.match(self.text, self.after_name(first.end, a.field))
            near = joint and (second.start - first.end <= NEAR + 2 or self.is_linked(joint.end(), second.start))
            if near and not second.listed and a.field != b.field and {a.field, b.field} <= parts.keys():
                parts[b.field] = combine(AnyOf, parts.pop(a.field), parts[b.field])
        condition = combine(All, *parts.values()) if parts else None
        return QuestionConditions(condition, tuple(self.stated), self.parts(self.unused), self.orders, self.searched)

    def parts(self, places: Iterable[Place]) -> tuple[str, ...]:
        """Returns the parts of the question at these places, those that overlap as one."""
        joined = list[Place]()
        for start, end in sorted(places):
            if joined and start <= joined[-1][1]:
                start, end = joined[-1][0], max(end, joined.pop()[1])
            joined.append((start, end))
        return tuple(self.question[start:end] for start, end in joined)

    def rest(self, readings: Sequence[FieldReading]) -> Iterator[Place]:
        """Yields the numbers, days, values and negations of the question that are neither read nor named as unused."""
        names = [r.name for r in readings if r.kind == TEXT and len(values_of(self.corpus, r.name)) <= MOST]
        values = (v for name in names for v in values_of(self.corpus, name) if len(v) > 1)
        places = [at for v in values for at in self.places(v) if _is_written(self.question, v, *at)]
        places += [(a.start, a.end) for a in self.amounts if not self.splits_word(a.start)]
        days = (read_days(self.text, m.start(), date.today(), bare=True) for m in ANY_DAYS.finditer(self.text))
        places += [(d.start, d.end) for d in days if d] + [m.span() for m in phrases.NEGATION.finditer(self.text)]
        yield from (at for at in places if not self.is_used(*at) and at[0] not in self.in_names)

    def is_used(self, start: int, end: int, *, named: bool = True) -> bool:
        """Returns whether a place is part of a condition, with its negations, or else ``named`` as unused."""
        used = (*(self.unused if named else ()), *(at for s in self.stated for at in s.marks))
        return any(start < b and a < end for a, b in used)

    def name_doubtful(self) -> None:
        """Names, instead of applying, what a negation or modal verb governs that is not read, and what is listed."""
        doubts = [self.doubt(s) for s in self.stated]
        pairs = [*enumerate(pairwise(self.stated))]
        for i, (a, b) in [*pairs, *reversed(pairs)]:
            (_, end), (start, _) = a.whole, b.whole
            linked = start < end or self.is_linked(end, start)
            listed = linked or phrases.JOINT.fullmatch(self.text, end, start)
            before = (doubts[i] or a.whole)[0] < a.whole[0]
            governed = before and not phrases.SCOPE_END.search(self.text, end, start)
            if governed or (listed and (doubts[i] or doubts[i + 1])) or self.excludes_together(a, b, linked=linked):
                doubts[i], doubts[i + 1] = doubts[i] or a.whole, doubts[i + 1] or b.whole
                self.unused.append((end, max(start, end)))
        self.unused += filter(None, doubts)
        self.stated = [s for s, doubt in zip(self.stated, doubts, strict=True) if not doubt]

    def doubt(self, stated: Stated) -> Place | None:
        """Returns the place of a condition and of what it is not known to do to it; None if nothing does."""
        start, end = stated.whole
        begin = max((m.end() for m in phrases.SCOPE_END.finditer(self.text, 0, start)), default=0)
        cues = [m.start() for m in phrases.OPEN.finditer(self.text, begin) if m.start() < stated.start]
        for pattern, most in phrases.SCOPES:
            spans = (m.span() for m in pattern.finditer(self.text, begin) if m.end() <= start)
            near = (at for at in spans if len(phrases.WORDS.findall(self.text, at[1], start)) <= most)
            cues += [at[0] for at in near if at[0] not in self.in_names and not self.is_used(*at, named=False)]
        after = phrases.DOUBTED.match(self.text, self.after_name(end, stated.comparison.field))
        if after and self.is_used(after.end() - 1, after.end(), named=False):
            after = None
        return (min([start, *cues]), after.end() if after else end) if cues or after else None

    def excludes_together(self, a: Stated, b: Stated, *, linked: bool) -> bool:
        """Returns whether an exclusion may hold for both at once (不要2023年的川菜), or whether two contradict."""
        if not linked or b.listed:
            return a.comparison == replace(b.comparison, negated=not b.comparison.negated)
        words = [self.text[start:end] for start, end in a.marks[1:]]
        ahead = any(phrases.LISTS.search(mark) or mark.startswith(("no ", "without")) for mark in words)
        behind = any(start >= b.end for start, _ in b.marks[1:])
        if a.comparison.negated == b.comparison.negated:
            return any(mark[0] == other[0] for mark in a.marks[1:] for other in b.marks[1:])
        return ahead if a.comparison.negated else behind

    def of_field(self, name: str) -> Iterator[Condition]:
        """Yields the conditions on a field; what is joined by “or”, or fits no value at once, are alternatives."""
        kept, excluded, end = list[list[Test]](), list[Condition](), 0
        for stated in (s for s in self.stated if s.comparison.field == name):
            test = stated.comparison
            if test.negated:
                excluded.append(test)
            elif kept and (test in kept[-1] or (not phrases.OR.match(self.text, end) and _overlap([*kept[-1], test]))):
                kept[-1] = [*dict.fromkeys((*kept[-1], test))]
            else:
                kept.append([test])
            end = stated.end
        if kept:
            yield combine(AnyOf, *_merged([combine(All, *tests) for tests in kept]))
        yield from _merged(excluded)

    def spread_exclusions(self) -> None:
        """Excludes what is listed with an exclusion: not from HR or IT, except in 2023 and the forum."""
        lists = False
        for i, stated in enumerate(self.stated[1:]):
            before, test = self.stated[i], stated.comparison
            lists = lists or phrases.LISTS.search(self.text, max(0, before.start - 32), before.start) is not None
            joint = phrases.JOINT.match(self.text, before.end)
            alike = before.comparison.field == test.field
            excluded = before.comparison.negated or (lists and before.comparison.field in self.flags)
            if not excluded or joint is None or not self.is_linked(joint.end(), stated.start):
                lists = False
            elif alike or (lists and joint[0].strip() not in (",", "/") and test.op in (EQUAL, BETWEEN)):
                self.stated[i + 1] = stated._replace(comparison=replace(test, negated=True), listed=True)

    def is_linked(self, start: int, end: int) -> bool:
        """Returns whether only names of fields and words of comparison are between two places."""
        text = "".join(c for i, c in enumerate(self.text[start:end], start) if i not in self.in_names)
        return start <= end and not phrases.LINKS.sub("", text).strip()

    def name_places(self, name: str) -> list[Place]:
        """Returns where the question names a field, also in another number and as a participle: tag, tags, tagged."""
        forms = name_forms(name)
        forms += [form[:-1] for form in forms if form.isascii() and form.endswith("s")]
        places = [at for form in forms for at in self.places(form)]
        stems = {stem_of(form) for form in forms if form.isascii() and form.isalpha() and len(form) > 2}
        words = (m for m in phrases.INFLECTED.finditer(self.text) if stems and stem_of(m[0]) in stems)
        return [*places, *(m.span() for m in words if m.span() not in places)]

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
        """Returns whether a place is not read yet, and no part of a title in quotation marks."""
        inside = any(a <= start and end <= b and (a, b) != (start, end) for a, b in self.quoted)
        taken = (*self.unused, *((s.start, s.end) for s in self.stated))
        return not inside and not any(start < b and a < end for a, b in taken)

    def is_negated(self, start: int, end: int, name: str = "") -> bool:
        """Returns whether a condition is excluded, before it, behind it or before the name of its field."""
        *before, behind = self.negations(start, end, name)
        around = any(before) and "除" in self.text[max(0, start - NEAR) : start]  # 除了…以外 excludes once
        return around or any(len(places) % 2 for places in before) != bool(behind)

    def negations(self, start: int, end: int, name: str) -> list[list[Place]]:
        """Returns the negations before a condition, before each name of its field, and behind it."""
        names = ((a, b) for a, b in self.named.get(name, ()) if 0 <= start - b < 64)
        starts = [start, *(a for a, b in names if self.is_linked(b, start))]
        behind = phrases.NOT_AFTER.match(self.text, self.after_name(end, name))
        return [*map(self.negations_before, starts), [behind.span()] if behind else []]

    def negations_before(self, at: int, most: int = 4) -> list[Place]:
        """Returns the negations right before a place, at ``most`` so many: two in 不要没有, which demands."""
        negation = phrases.NOT.search(self.text, max(0, at - 32), at) if most else None
        return [negation.span(), *self.negations_before(negation.start(), most - 1)] if negation else []

    def after_name(self, at: int, name: str) -> int:
        """Returns where the name of a field ends that stands right here, or this place."""
        behind = ((a, b) for a, b in self.named.get(name, ()) if a >= at)
        return max((b for a, b in behind if self.text[at:a].strip() in ("", "of", "的")), default=at)

    def is_rough(self, start: int, end: int) -> bool:
        """Returns whether a number or day is not meant exactly, and names it as unused then."""
        before = phrases.ABOUT.search(self.text, max(0, start - 32), start)
        behind = phrases.ABOUT_AFTER.match(self.text, end)
        if before or behind:
            self.unused.append((before.start() if before else start, behind.end() if behind else end))
        return bool(before or behind)

    def state(self, at: Place, test: Test, extent: Place | None = None) -> None:
        """Takes a condition; ``extent`` is the place with the words of its comparison."""
        first, last = extent or at
        negations = (n for start in (first, at[0]) for n in self.negations(start, last, test.field))
        marks = (min(first, at[0]), max(last, at[1])), *chain.from_iterable(negations)
        self.stated.append(Stated(*at, test, marks))

    def sign(self, start: int, end: int, before: Sequence[Words], after: Sequence[Words]) -> tuple[str, int, int]:
        """Returns the comparison that the words around a number or day express, and where it begins and ends."""
        area = max(0, start - 24), start
        ends = ((sign, m.end()) for sign, pattern in after if (m := pattern.match(self.text, end)))
        starts = ((sign, m.start()) for sign, pattern in before if (m := pattern.search(self.text, *area)))
        (behind, end), (ahead, start) = next(ends, ("", end)), next(starts, ("", start))
        return behind or ahead, start, end

    # ---------------------------------------------------------------------------------------- words

    def read_words(self, name: str, values: Sequence[str]) -> None:
        """Reads a field of words: each of its values in the question is demanded, after a negation excluded."""
        folded_values = {half_width(value).strip() for value in values}
        if folded_values and folded_values <= {*phrases.TRUE, *phrases.FALSE}:
            self.flags.add(name)
            self.read_flag(name, values)
            return
        for value in values if len(values) <= MOST else ():
            for start, end in self.places(value) if len(value) > 1 else ():
                if self.is_free(start, end) and _is_written(self.question, value, start, end):
                    self.state((start, end), Test(name, EQUAL, (value,), self.is_negated(start, end, name)))

    def read_flag(self, name: str, values: Sequence[str]) -> None:
        """Reads a field of yes and no: its name in the question demands yes, after a negation no."""
        forms = [prefix + form for form in name_forms(name) for prefix in phrases.UN]
        forms += [
            re.sub(" (?=[^ ]+$)", no, form) for form in name_forms(name) if " " in form for no in phrases.NOT_WITHIN
        ]
        opposites = [at for form in forms for at in self.places(form)]
        for start, end in [*opposites, *(at for form in name_forms(name) for at in self.places(form))]:
            if self.is_free(start, end):
                denial = phrases.DENIED.match(self.text, end)
                denied = ((start, end) in opposites) != self.is_negated(start, end) or denial
                words = phrases.FALSE if denied else phrases.TRUE
                value = next((v for v in values if half_width(v).strip() in words), words[0])
                self.state((start, end), Test(name, EQUAL, (value,)), (start, denial.end() if denial else end))

    def read_parts(self, names: list[str]) -> None:
        """Reads words that are excluded, given for a field or joined by “or” as the only value that contains them."""
        rest = [(m.span(m.lastgroup or 0), names, True) for m in phrases.EXCLUDED.finditer(self.text)]
        for s in self.stated:
            m = phrases.OR_WORD.match(self.text, s.end) or phrases.WORD_OR.search(self.text, 0, s.start)
            if m and s.comparison.field in names:
                rest.append((m.span("words"), [s.comparison.field], False))
        rest += [(span, [name], no) for name in names if name not in self.flags for span, no in self.given(name)]
        pieces = [(m.span(), names, no) for span, names, no in rest for m in phrases.PIECE.finditer(self.text, *span)]
        for (start, end), fields, negated in pieces:
            words = re.escape(self.text[start:end])
            part = re.compile(rf"\b{words}\b" if words.isascii() else words)
            values = [(name, v) for name in fields for v in values_of(self.corpus, name) if part.search(half_width(v))]
            values = [v for v in values if part.fullmatch(half_width(v[1]))] or values
            if len(values) == 1 and self.is_free(start, end):
                self.state((start, end), Test(values[0][0], EQUAL, (values[0][1],), negated))
            elif self.is_free(start, end) and start not in self.in_names:
                self.unused.append((start, end))

    def given(self, name: str) -> Iterator[tuple[Place, bool]]:
        """Yields each word that a question gives for a field, and whether it is excluded: source is not Wiki."""
        asks = phrases.ASKS.search(self.text)
        for start, end in self.named[name]:
            m = phrases.GIVEN.match(self.text, end)
            if m is None or self.splits_word(m.start("words")) or (asks and m["sign"] not in (":", "=")):
                continue
            at, clause = m.start("words"), re.split(phrases.CLAUSE, self.text[:start])[-1].strip()
            alone = clause in ("", "的") and phrases.ENDS.match(self.text, m.end())
            if m["sign"] or self.question[at].isupper() or alone:
                yield m.span("words"), bool(m["no"] or m["sign"] == "不是")

    def read_absent(self) -> None:
        """Reads the fields that a question wants to be empty: without a rating, 没有评分的."""
        for name in (name for name in self.named if name not in self.flags):
            stated = [s.start for s in self.stated if s.comparison.field == name]
            for start, end in self.named[name]:
                near = any(-NEAR < at - end < 2 * NEAR for at in stated)
                behind = phrases.IS_ABSENT.match(self.text, end)
                before = phrases.ABSENT.search(self.text, max(0, start - 16), start)
                if near or not (behind or before) or not self.is_free(start, end):
                    continue
                if behind or phrases.ENDS.match(self.text, end):
                    last = behind.end() if behind else end
                    self.state((start, last), Test(name, MISSING, (), bool(behind and behind["present"])))
                else:
                    self.unused.append((start, end))

    # -------------------------------------------------------------------------------------- numbers

    def read_numbers(self, names: Sequence[str]) -> None:
        """Reads fields of numbers; an amount that belongs to none, or to several, is not used."""
        for amount in self.amounts:
            start, end = amount.start, amount.end
            if not self.is_free(start, end) or self.splits_word(start):
                continue
            sign, first, last = self.sign(start, end, phrases.BEFORE_NUMBER, phrases.AFTER_NUMBER)
            near = self.near(amount, names) or self.listed(amount, names)
            if near and self.is_rough(start, end):
                continue
            if near and not sign:  # 6 credits or more
                behind = self.after_name(end, near[0][1])
                sign, _, last = self.sign(behind, behind, (), phrases.AFTER_NUMBER)
            for a, b in self.named[near[0][1]] if near and not sign else ():  # minimum rating 4.7, 最低评分4.7
                if b <= start and self.text[b:start].strip() in ("", "is", "of", "是", "为", ":"):
                    sign, first, _ = self.sign(a, b, phrases.BEFORE_NUMBER, ())
            only = (
                near
                and near[0][0] not in [d for d, _ in near[1:]]
                and (sign or not self.is_ordered(near[0][1], amount))
            )
            if numbers := _in_unit_of(amount, self.corpus, near[0][1]) if only else []:
                op = BETWEEN if len(numbers) == 2 else sign or EQUAL
                negated = self.is_negated(first, last, near[0][1])
                self.state((start, last), Test(near[0][1], op, tuple(numbers), negated), (first, last))
                continue
            beside = any(self.distance(amount, name) < FAR for name in names)
            if amount.unit or sign or beside or phrases.BARE_YEAR.fullmatch(self.text, start, end):
                self.unused.append((start, end))

    def is_ordered(self, name: str, amount: Quantity) -> bool:
        """Returns whether the field of a number is asked for in an order: 评分最高的3家."""
        near = [(a, b) for a, b in self.named[name] if max(a - amount.end, amount.start - b) <= NEAR]
        return any(
            not self.text[m.end() : a].strip() or not self.text[b : m.start()].strip()
            for a, b in near
            for m in phrases.ORDER.finditer(self.text, max(0, a - 2 * NEAR), b + 2 * NEAR)
        )

    def listed(self, amount: Quantity, names: Sequence[str]) -> list[tuple[int, str]]:
        """Returns the field of the number that a bare number is listed with: rating of 3 stars or 5."""
        last = max((s for s in self.stated if s.end <= amount.start), default=None)
        bare = not amount.unit and not phrases.COUNTED.match(self.text, amount.end)
        joined = last and bare and phrases.JOINT.fullmatch(self.text, last.end, amount.start)
        return [(0, last.comparison.field)] if last and joined and last.comparison.field in names else []

    def find_amounts(self) -> Iterator[Quantity]:
        """Yields the amounts of a question; the two of “between 100 and 300” as one."""
        left = quantities(self.text)
        while left:
            amount = left.pop(0)
            if not amount.unit and (letter := phrases.LETTER.match(self.text, amount.end)) and is_unit(letter[1]):
                amount = replace(amount, unit=letter[1], end=letter.end())
            place = (amount.end, left[0].start) if left and amount.high is None else (0, 0)
            between = phrases.AND.fullmatch(self.text, *place) and self.is_between(amount.start, left[0].end)
            if between or phrases.TO.fullmatch(self.text, *place):
                second = left.pop(0)
                amount = replace(second, start=amount.start, low=amount.low, high=second.low)
            yield amount

    def is_between(self, start: int, end: int) -> bool:
        """Returns whether two limits are those of “between … and …”."""
        return bool(phrases.BETWEEN.search(self.text, max(0, start - 12), start) or self.text.startswith("之间", end))

    def near(self, amount: Quantity, names: Sequence[str]) -> list[tuple[int, str]]:
        """Returns the fields that are named beside an amount, with their distances, the nearest first."""
        source = measure(amount.unit)[0]
        parts = [(name, part) for name in names for part in name_parts(name) if source and is_unit(part)]
        alike = [name for name, part in parts if convert(1.0, source, measure(part)[0]) is not None]
        distances = sorted((self.distance(amount, name), name) for name in alike or names)
        return [(distance, name) for distance, name in distances if distance < NEAR]

    def distance(self, amount: Quantity, name: str) -> int:
        """Returns the number of characters between an amount and the name of a field in the same clause.

        The words of a comparison between them do not count; without the name it is `FAR`.
        """
        best = FAR
        for start, end in self.named[name]:
            first, last = (end, amount.start) if end <= amount.start else (amount.end, start)
            between = self.text[first:last].strip(" :=≠")
            if amount.start < start and end <= amount.end:  # its unit: more than 10 hours
                return 0
            apart = phrases.CLAUSE.search(between) or between.startswith("with")
            if not apart and not (start < amount.end and amount.start < end):
                best = min(best, len(phrases.BESIDE_NUMBER.sub("", between).strip()) + (end > amount.start))
        return best

    # ----------------------------------------------------------------------------------------- days

    def read_days(self, readings: Sequence[FieldReading]) -> None:
        """Reads fields of days; a day that belongs to none, or to several, is not used."""
        at = end = 0
        while place := ANY_DAYS.search(self.text, at):
            at = place.start()
            listed = (end and phrases.JOINT.fullmatch(self.text, end, at)) or phrases.YEARS.match(self.text, at)
            is_year = phrases.BARE_YEAR.match(self.text, at)
            compared = any(p.search(self.text, max(0, at - 24), at) for _, p in phrases.BEFORE_DAYS)
            compared |= bool(is_year) and any(p.match(self.text, at + 4) for _, p in phrases.AFTER_DAYS)
            reading = self.day_field(at, readings)
            latest = self.as_of or (latest_day(self.corpus, reading) if reading else date.today())
            bare = at not in self.counted and bool(listed or compared or self.is_negated(at, at))
            days = read_days(self.text, at, latest, bare=bare)
            if days is None or not self.is_free(days.start, days.end):
                at += 1
                continue
            sign, start, end = self.sign(days.start, days.end, phrases.BEFORE_DAYS, phrases.AFTER_DAYS)
            part = self.part(days.start, sign, end)
            if period := self.period(days, sign, end, latest):
                days, sign, end, part = period, "", period.end, self.part(days.start, "<=", period.end)
            at = end
            if part or (
                not sign and (days.first == days.after or self.sign(days.start, end, phrases.BEFORE_NUMBER, ())[0])
            ):
                self.unused.append(part or (days.start, end))
                at = max(at, self.unused[-1][1])
            elif reading and (sign or phrases.YEAR.search(self.text, days.start, days.end) or self.named[reading.name]):
                first, last = days.first.isoformat(), (days.after - timedelta(1)).isoformat()
                limits = {">=": [first], "<": [first], ">": [last], "<=": [last]}.get(sign, [first, last])
                negated = sign == "<>" or self.is_negated(start, end, reading.name) or self.is_negated(days.start, end)
                op = sign if len(limits) == 1 else BETWEEN
                if not self.is_rough(days.start, end):
                    self.state((days.start, end), Test(reading.name, op, tuple(limits), negated), (start, end))
            else:
                self.unused.append((days.start, days.end))

    def part(self, start: int, sign: str, end: int) -> Place | None:
        """Returns the place of a part of a year or month that nobody has fixed: early 2023, 2023年夏天."""
        before = phrases.PART_BEFORE.search(self.text, max(0, start - 32), start)
        after, to = phrases.PART_AFTER.match(self.text, end), phrases.TO.match(self.text, end)
        ahead = to and phrases.PART_AHEAD.match(self.text, to.end())
        if not (before or ahead or (after and (sign, after[0][-1]) not in phrases.EXACT)):
            return None
        return before.start() if before else start, after.end() if after else end

    def period(self, days: Days, sign: str, end: int, latest: date) -> Days | None:
        """Returns the period from these days to others, as in “from 2023 to 2024”, in any order; None without others.

        A month without a year belongs to the year of the other limit.
        """
        to = phrases.TO.match(self.text, end + self.text.startswith("初", end))
        joint = to or phrases.AND.match(self.text, days.end)
        last = read_days(self.text, joint.end(), latest, bare=True) if joint else None
        if joint is None or last is None or not (to or self.is_between(days.start, last.end)):
            return None
        if days.yearless:
            days = read_days(self.text, days.start, last.after - timedelta(1), bare=True) or days
        elif last.yearless:
            last = read_days(self.text, last.start, days.first + timedelta(364), bare=True) or last
        first = days.after if sign == ">" and days.after < last.after else days.first
        end = last.end + self.text.startswith(("底", "末"), last.end)
        return Days(days.start, end, min(first, last.first), max(days.after, last.after))

    def day_field(self, at: int, readings: Sequence[FieldReading]) -> FieldReading | None:
        """Returns the field of days that is named nearest before or behind this place, or the only one."""
        named = [
            (min(abs(at - start), abs(at - end)), reading.name, reading)
            for reading in readings
            for start, end in self.named[reading.name]
        ]
        return min(named)[2] if named else readings[0] if len(readings) == 1 else None


def _overlap(tests: Sequence[Test]) -> bool:
    """Returns whether a number or day can fit all these comparisons."""
    if any(test.op == MISSING for test in tests):
        return False

    def comparable(value: str) -> Any:
        number = read_number(value)
        return value if number is None else number

    lows = [(comparable(test.values[0]), test.op == ">") for test in tests if test.op not in ("<", "<=")]
    highs = [(comparable(test.values[-1]), -(test.op == "<")) for test in tests if test.op not in (">", ">=")]
    return not lows or not highs or max(lows) <= min(highs)


def _merged(conditions: Sequence[Condition]) -> list[Condition]:
    """Returns the conditions, those of several values as one."""
    equal = [test for test in conditions if isinstance(test, Test) and test.op == EQUAL]
    values = tuple(dict.fromkeys(test.values[0] for test in equal))
    one = [replace(equal[0], op=IN, values=values) if len(values) > 1 else equal[0]] if equal else []
    return [*one, *dict.fromkeys(condition for condition in conditions if condition not in equal)]


def _is_written(question: str, value: str, start: int, end: int) -> bool:
    """Returns whether a short Latin value has its own capitals in the question: IT is not it, US is not us."""
    return len(value) > 3 or not value.isascii() or not value.isalpha() or question[start:end] == value


def _in_unit_of(amount: Quantity, corpus: Corpus, name: str) -> list[str]:
    """Returns the numbers of an amount in the unit of a field, as a condition has them; none if that is not known.

    The unit stands in the name of the field.  If it does not, the numbers are those of the field if they are of its
    size: 24 months are not 24 of a field with 1, 2 and 3.
    """
    target = next((part for part in name_parts(name) if is_unit(part)), "")
    (source, scale), (wanted, size), values = measure(amount.unit), measure(target), sorted(amount.values)
    if amount.unit and amount.measure != name:
        if target and source:
            converted = (convert(value * scale, source, wanted) for value in values)
            values = [number / size for number in converted if number is not None]
        else:
            numbers = [n for value in values_of(corpus, name) if (n := read_number(value)) is not None]
            values = values if min(numbers) / 2 <= values[0] <= values[-1] <= max(numbers) * 2 else []
    return [str(int(value)) if value == int(value) else f"{value:.15g}" for value in values]
