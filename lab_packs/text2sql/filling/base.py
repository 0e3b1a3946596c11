"""What every part of the pass needs: the spans, the slots so far, and which columns words can name."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from lab.text import is_han
from lab.text.quantities import Days, Quantity, measure
from lab.text.quantities.dates import WEEKDAY_NUMBERS
from lab_packs.text2sql.calling import PART, stem
from lab_packs.text2sql.hints import words_of
from lab_packs.text2sql.keywords import keywords
from lab_packs.text2sql.lexicon import in_names, word_lists, words_in
from lab_packs.text2sql.schema import Column, Schema, says
from lab_packs.text2sql.slots import Filled, Flag, Keep, Measure, Noun, Option, Show, Slot
from lab_packs.text2sql.tagging import Span, imperatives
from lab_packs.text2sql.tree import Condition, Expr, Field, Part, Ref, Scalar, Test


def shifted(days: Days, years: int) -> Days:
    """Returns these days shifted by a number of years."""

    def moved(day: dt.date) -> dt.date:
        return day.replace(year=day.year + years, day=28 if (day.month, day.day) == (2, 29) else day.day)

    return days._replace(first=moved(days.first), after=moved(days.after))


COUNTERS = words_in(
    "次, time, times, 人, 个, 位, 名, 笔, 单, 件, 本, 家, 张, 条, 台, 部, 场, 门, 套, 辆, 份, 只, people, person"
)
WEEKDAYS = {
    before + name: n % 7
    for name, n in WEEKDAY_NUMBERS.items()
    for before in (("",) if name.isascii() else ("周", "星期", "礼拜"))
}
"""How a question calls the days of the week, from Sunday, which is 0 as in SQLite."""
WAYS = ("origin", "destination")
FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""Each comparison for a column in which the smaller number is the larger thing: younger, by the year of birth."""


def names_way(column: str, way: str) -> bool:
    """Whether a column is called like a place where something begins, or ends: origin, to_city, 到达站."""
    names = in_names(way)
    return bool(names & {*words_of(column)}) or any(column.startswith(w) for w in names if is_han(w))


UNSUMMED = frozenset({"rating", "percent", "age", "temperature", "birth", "floor"})


class Base:
    """What every part of the pass needs: the spans, the slots so far, and which columns words can name."""

    def __init__(self, text: str, spans: Sequence[Span], schema: Schema, as_of: dt.date, *, follows: bool) -> None:
        self.text, self.schema, self.as_of, self.follows = text, schema, as_of, follows
        self.spans = [s for s in imperatives(spans) if not s.mark or s.text in ",，、;；"]
        self.out = Filled()
        self.dropped: list[Span] = []  # glue: words that no rule has read
        self.negate = False
        self.negated_from = -1
        self.last_or = False
        self.used: set[int] = set()
        self.offset = 0
        self.among: tuple[Condition, ...] = ()
        self.limit = 0
        self.pending: tuple[int, int, int] | None = None
        self.taken: Slot | None = None

    def at(self, i: int) -> Span | None:
        return self.spans[i] if 0 <= i < len(self.spans) else None

    def light(self, i: int) -> bool:
        """Whether a span has no weight of its own."""
        s = self.at(i)
        if s is None or s.links or s.days:
            return False
        return s.mark or (s.is_("light", "is") and (not s.quantity or s.text.lower() in ("a", "an")))

    def skip(self, i: int, *, marks: bool = False) -> int:
        """The next span with weight."""
        while (s := self.at(i)) is not None and self.light(i) and (marks or not s.mark):
            i += 1
        return i

    def ahead(self, i: int, *, marks: bool = False) -> tuple[int, Span | None]:
        """The number of the next span with weight, and the span."""
        i = self.skip(i, marks=marks)
        return i, self.at(i)

    def columns(self, s: Span | None, *kinds: str, cues: bool = True) -> tuple[Option, ...]:
        hows = ("name", "cue") if cues else ("name",)
        named = (k for k in (s.links if s else ()) if k.thing.kind == "column" and k.how in hows)
        options = (Option(Field(k.thing.ref), k.thing.ref, k.cost) for k in named)
        return tuple(o for o in options if not kinds or self.kind(o.ref) in kinds)

    def kind(self, ref: Ref | None) -> str:
        c = self.schema.column(ref) if ref else None
        return "" if c is None else "year" if c.is_year else "key" if c.is_key and c.kind == "number" else c.kind

    def tables(self, s: Span | None) -> tuple[Option, ...]:
        return tuple(
            Option(k.thing.table, None, k.cost)
            for k in (s.links if s else ())
            if k.thing.kind == "table" and k.how != "cue"
        )

    def best(self, s: Span) -> str:
        """Returns the most likely kind of a span: table, column or value."""
        order = {"table": 0, "column": 2, "value": 1}
        if s.is_("light", "deed", "sum", "avg", "count") and all(k.cost >= PART for k in s.links):
            return ""
        links = [k for k in s.links if not (k.thing.kind == "table" and k.how == "cue")] or list(s.links)
        part = {"part": 0.15}
        return (
            min(links, key=lambda k: (k.cost + part.get(k.how, 0.0), order[k.thing.kind])).thing.kind if links else ""
        )

    def add(self, slot: Slot) -> None:
        self.out.slots.append(slot)

    def last_named(self, i: int, *kinds: str) -> Show | None:
        """The column that is named right before a span, taken out of the slots."""
        for slot in reversed(self.out.slots):
            if (
                isinstance(slot, Noun)
                and slot.use == "what"
                and slot.columns
                and self.near(slot.end, self.spans[i].start)
            ):
                fitting = tuple(o for o in slot.columns if kinds and self.kind(o.ref) in kinds)
                if fitting:
                    self.taken = slot
                    self.out.slots.remove(slot)
                    return Show(slot.start, slot.end, fitting)
                return None
            if isinstance(slot, Flag) and slot.name not in ("sum", "avg"):
                continue
            if isinstance(slot, Show):
                between = [s for s in self.spans if slot.end <= s.start and s.end <= self.spans[i].start]
                near = all(self.is_light(s) or s.is_("have", "compare", "not", "none") for s in between)
                options = tuple(o for o in slot.options if not kinds or self.kind(o.ref) in kinds)
                if near and options:
                    self.taken = slot
                    self.out.slots.remove(slot)
                    return replace(slot, options=options)
            return None
        return None

    def put_back(self) -> None:
        """Give back the slot that `last_named` took: it says something of its own."""
        if self.taken is not None:
            self.add(self.taken)

    @staticmethod
    def is_light(s: Span) -> bool:
        return (
            s.is_("light", "is", "day", "all", "sort", "deed", "limits")
            or (s.mark and s.text in "、,，")
            or s.text in ("列",)
        )

    def near(self, end: int, start: int) -> bool:
        """Whether there are only light words between two places."""
        return all(self.is_light(s) for s in self.spans if s.start >= end and s.end <= start)

    def about(self, of: str) -> tuple[Option, ...]:
        """Returns columns that an adjective can be about; ``fit`` is negative for inverse scales (born later: younger)."""
        kind = of[1:]
        words_by_level = word_lists()["about"].get(kind, kind)
        by_ref: dict[Ref, Option] = {}
        for level, group in enumerate(words_by_level.split(";")):
            for word in words_in(group):
                flipped, word = word.startswith("-"), word.removeprefix("-")
                for c in self.schema.columns():
                    if c.kind not in ("number", "date") or (c.is_key and c.kind == "number") or c.ref in by_ref:
                        continue
                    if self.is_about(c, word):
                        by_ref[c.ref] = Option(Field(c.ref), c.ref, 0.1 + 0.1 * level, -1.0 if flipped else 0.0)
        return tuple(by_ref.values())

    @staticmethod
    def is_about(c: Column, word: str) -> bool:
        if word == "made":
            is_model_year = c.is_year and {*words_of(c.name)} <= {"year", "model", "yr"}
            return is_model_year or (says(c, "made") and (c.kind == "date" or c.is_year))
        if word == "stamp":
            return c.kind == "date" and says(c, "stamped")
        if word == "date":
            return c.kind == "date" and "birth" not in c.tags and not says(c, "stamped")
        return word in c.about or word in words_of(c.name) or measure(c.hint.unit)[0] == word

    def keep(self, start: int, end: int, options: Iterable[Option], *, negated: bool | None = None) -> None:
        alternatives = self.on_side(start, end, tuple(options))
        said_no = self.negate if negated is None else negated
        if alternatives:
            self.add(Keep(start, end, alternatives, said_no, "or" if self.last_or else "", self.around(start, end)))
            if said_no and any(
                not isinstance(o.of, Test) or self.kind(o.ref) in ("number", "date", "year") for o in alternatives
            ):
                self.negate = False
        self.last_or = False

    @staticmethod
    def tests(options: Iterable[Option], op: str, *values: Scalar) -> tuple[Option, ...]:
        """Returns the same condition on each of the columns."""
        return tuple(replace(o, of=Test(Field(o.ref), op, values)) for o in options if o.ref)

    def way(self, start: int, end: int) -> str:
        """Whether a place is where something begins or ends, by the words beside it: from Oslo, 到南京, 从北京出发."""
        words = [s.text.lower() for s in self.spans if s.end <= start]
        before = [w for w in words if w not in ("the", "是", "在")][-2:]
        behind = next((s for s in self.spans if s.start >= end), None)
        if before[:1] and before[0] in ("or", "and", "或", "和"):
            return ""
        for word in reversed(before):
            for way in WAYS:
                if word in in_names(way) or (len(word) > 3 and stem(word) in {stem(w) for w in in_names(way)}):
                    return way
            if word not in ("in", "at"):
                break
        if behind is None:
            return ""
        if behind.is_("to"):
            return "origin"
        return next((way for way in WAYS if len(behind.text) > 1 and behind.text in in_names(way)), "")

    def on_side(self, start: int, end: int, options: tuple[Option, ...]) -> tuple[Option, ...]:
        """Takes the column where things begin for a place that is said to be where they begin, and likewise their end."""
        way, taken, refs = self.way(start, end), list[Option](), {o.ref for o in options}
        for o in options if way else ():
            if o.ref is None or not isinstance(o.of, Test) or self.kind(o.ref) not in ("text", "category"):
                return options
            of, ways = self.schema.column(o.ref), [w for w in WAYS if names_way(o.ref.column, w)]
            columns = [c for c in self.schema.table(of.table).columns if names_way(c.name, way)]
            others = [c.ref for c in columns if {*c.values} & {*of.values}]
            if not ways or way in ways or not others:
                taken.append(o)
            elif others[0] not in refs:
                taken.append(replace(o, of=replace(o.of, of=Field(others[0])), ref=others[0]))
        return tuple(taken) if way else options

    def around(self, start: int, end: int) -> str:
        """The two words right before a place of the question, and the Chinese word right behind it."""
        before = [s.text.lower() for s in self.spans if s.end <= start][-2:]
        behind = ["从" if s.is_("to") else s.text for s in self.spans if s.start >= end and is_han(s.text)][:1]
        return " ".join((*before, *behind))

    def date_columns(self) -> tuple[Option, ...]:
        """Returns all columns of days; timestamps and due days cost more."""
        options = []
        for t in self.schema.tables:
            days = [c for c in t.columns if c.kind == "date" and "birth" not in c.tags]
            always = any(not c.empty for c in days)
            for c in t.columns:
                if c.kind == "date" or c.is_year:
                    aside = says(c, "stamped") or says(c, "due") or "birth" in c.tags
                    later = 0.25 if always and c.empty and c in days else 0.0  # not every row has that day yet
                    strange = {"next", "planned", "expected", "previous"} & {*words_of(c.name)}
                    aside = aside or bool(strange) or any(w in c.name for w in ("下次", "预计", "计划"))
                    options.append(
                        Option(
                            Field(c.ref),
                            c.ref,
                            (0.25 if aside else 0.1) + later,
                            (0.2 if c.is_year and days else 0.0)
                            + (0.4 if "birth" in c.tags else 0.0)
                            + (0.25 if says(c, "joined") or says(c, "made") else 0.0),
                        )
                    )
        return tuple(options)

    def not_before(self, ref: Ref, days: Days) -> bool:
        """Whether a column has no day in the last July, say: then the next one is meant."""
        low = self.schema.column(ref).low
        return isinstance(low, str) and low >= days.after.isoformat()

    def group_expr(self, ref: Ref | None) -> Expr:
        assert ref is not None
        c = self.schema.column(ref)
        return Part(Field(ref), "day") if c.kind == "date" and "timed" in c.tags else Field(ref)

    def part_of(self, ref: Ref | None, part: str) -> Expr:
        assert ref is not None
        return Field(ref) if self.schema.column(ref).is_year else Part(Field(ref), part)

    @staticmethod
    def time_unit(t: Span) -> str:
        word = t.text.lower().removesuffix("s")
        names = {
            "年": "year",
            "年份": "year",
            "季度": "quarter",
            "月": "month",
            "月份": "month",
            "天": "day",
            "日": "day",
        }
        word = names.get(word, word)
        return word if word in ("year", "quarter", "month", "day", "weekday") else ""

    def pieces(self, ref: Ref | None) -> bool:
        """Whether a column holds numbers of things, which are asked for as a sum."""
        c = self.schema.column(ref) if ref else None
        return c is not None and c.is_number and not c.is_year and not c.tags & UNSUMMED

    def of_pieces(self, unit: str) -> tuple[Option, ...]:
        """Returns the columns that count pieces: the number of cups sold is their sum, not a number of rows."""
        children = {f.table for f in self.schema.foreign_keys}
        options = []
        for c in self.schema.columns():
            pieces = "piece" in c.tags and "amount" not in c.tags and measure(c.hint.unit)[0] in ("", "piece")
            fits = c.hint.unit == unit or (pieces and (self.is_alone or c.table in children))
            if c.is_number and fits:
                options.append(Option(Field(c.ref), c.ref, 0.0 if c.table in children else 0.1))
        below = tuple(o for o in options if o.ref and o.ref.table in children)
        return below or tuple(options)

    @property
    def is_alone(self) -> bool:
        """Whether the database is one table, whose rows are not kept apart from the things that they are about."""
        return len(self.schema.tables) == 1

    def by_unit(self, unit: str) -> tuple[Option, ...]:
        wanted_measure = measure(unit)[0]
        options = []
        for c in self.schema.columns():
            if c.is_number and wanted_measure and measure(c.hint.unit)[0] == wanted_measure:
                options.append(Option(Field(c.ref), c.ref, 0.1))
        return tuple(options)

    def any_number(self) -> tuple[Option, ...]:
        """Returns all columns of numbers, for questions that do not name one."""
        return tuple(
            Option(Field(c.ref), c.ref, 0.4)
            for c in self.schema.columns()
            if self.kind(c.ref) == "number" or ("birth" in c.tags and c.kind in ("date", "number"))
        )

    def nullable(self, ref: Ref | None) -> bool:
        return ref is not None and self.schema.column(ref).empty > 0

    def quantity(self, i: int) -> Quantity | None:
        s = self.at(i)
        return s.quantity if s else None

    def grouping(self, t: Span) -> tuple[Option, ...]:
        """Returns the groupings that these words can mean: a column, or the rows of a table by their names."""
        options = [replace(o, of=self.group_expr(o.ref)) for o in self.columns(t, cues=False)]
        if (
            not any(isinstance(x, Measure) for x in self.out.slots)
            and options
            and all(self.kind(o.ref) == "boolean" for o in options)
        ):
            return ()
        for o in self.tables(t):
            title = self.schema.table(str(o.of)).title
            if title.is_key and any((f.table, f.column) == title.ref for f in self.schema.foreign_keys):
                continue  # a pairing of rows of other tables
            options.append(Option(Field(title.ref), title.ref, o.link - 0.01))
        return tuple(sorted(options, key=lambda o: o.link)) or tuple(
            o for o in self.columns(t) if self.kind(o.ref) != "number"
        )

    def deed_tables(self, t: Span) -> tuple[Option, ...]:
        """Returns the tables that a verb points to, directly or by their day: 订过, ordered."""
        by_table: dict[str, Option] = {}
        for k in t.links:
            if k.how == "cue" and (k.thing.kind == "table" or self.kind(k.thing.ref) == "date"):
                by_table.setdefault(k.thing.table, Option(k.thing.table, None, k.cost))
        return tuple(by_table.values())

    def direction(self, i: int) -> tuple[bool | None, int]:
        """Whether words put in order, from above or below: (descending, end); from cheapest to most expensive."""
        s = self.at(i)
        if s is None:
            return None, i
        if (role := s.role("direction")) is not None:
            return role.of == ">", i + 1
        if s.text[:1] == "从" or (i and self.text[s.start : s.start + 1] == "从"):
            m = re.match("[从由](.)到(.)", self.text[s.start :])
            ends = (
                [r.of[0] for c in m.groups() for r in keywords().get(f"最 {c}", ()) if r.name == "super"] if m else []
            )
            if m and len(ends) > 1 and ends[0] != ends[-1]:
                j = next((k for k in range(i, len(self.spans)) if self.spans[k].end >= s.start + m.end()), i)
                return ends[0] == ">", j + 1
        if (a := s.role("super")) is not None:
            nxt = self.at(i + 1)
            if nxt is not None and nxt.is_("first") and not nxt.is_("and"):
                return a.of[0] == ">", i + 2
            last = self.at(i + 2)
            if nxt is not None and nxt.is_("to") and last is not None and last.is_("super"):
                return a.of[0] == ">", i + 3
        return None, i
