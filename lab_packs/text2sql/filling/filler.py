"""One pass over the spans of a question, from left to right: key words open slots, names and numbers fill them.

Every rule is a method that takes the place of a span and gives the place behind what it has read; the first one that
reads something is taken.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from lab.text import is_han
from lab.text.quantities import measure
from lab_packs.text2sql.documents import is_verb
from lab_packs.text2sql.filling.comparing import Comparing
from lab_packs.text2sql.filling.days import Dates
from lab_packs.text2sql.filling.groups import Groups
from lab_packs.text2sql.filling.measures import Measures
from lab_packs.text2sql.filling.names import Names
from lab_packs.text2sql.filling.orders import Orders
from lab_packs.text2sql.filling.texts import Texts
from lab_packs.text2sql.lexicon import is_participle, words_in
from lab_packs.text2sql.schema import Schema
from lab_packs.text2sql.slots import GLUE, MOVES, Filled, Flag, Group, Keep, Measure, Missing, Noun, Option, Show, Sort
from lab_packs.text2sql.tagging import Span
from lab_packs.text2sql.tree import Field

HEADS = ("price", "amount", "value", "number", "rate", "score", "figure", "total", "percentage", "count", "time")
"""What a column of numbers may be called behind its own name."""
VAGUE = ("", "any", "size", "many", "rating", "value")
"""What adjectives are about that fit any number."""
ANY = words_in(
    "any, 不限, 不限制, 不管, 不论, 无论, regardless of, no matter, irrespective of, ignore, forget, forget about"
)
"""What takes away a condition, and never rows."""


ATTRIBUTIVE = ("the", "of", "our", "my", "these", "在", "正在", "还在", "待", "被")
"""What stands before an attribute of rows: the used cars, 在修的设备."""


def is_alphabetical(words: str) -> bool:
    return "alphabet" in words.lower() or "字母" in words or "拼音" in words


class Filler(Groups, Orders, Measures, Comparing, Dates, Texts, Names):
    """One pass over the spans of a question."""

    def fill(self) -> Filled:
        i = 0
        rules = (
            self.move, self.grouped, self.ranked, self.volume, self.measured, self.compared, self.dated, self.clocked, self.texts,
            self.emptied, self.overdue, self.related, self.negation, self.undergone, self.kept, self.named, self.flagged,
        )  # fmt: skip
        while i < len(self.spans):
            for rule in rules:
                j = rule(i)
                if j > i:
                    i = j
                    break
            else:
                s = self.spans[i]
                if s.mark and self.negate and s.text != "、":
                    no = self.spans[self.negated_from]
                    self.add(Missing(no.start, no.end, no.text))
                    self.negate = False
                elif s.mark:
                    pass
                elif (
                    (s.roles and not s.is_("light") and not {r.name for r in s.roles} <= GLUE)
                    or s.quantity
                    or s.clock
                    or s.days
                    or (s.unit and not s.roles and measure(s.unit)[0] != "piece")
                ) or not (s.roles or s.links or s.unit or self.is_particle(i)):
                    self.add(Missing(s.start, s.end, s.text))
                else:
                    self.last_or = self.last_or or s.is_("or")
                    self.dropped.append(s)
                i += 1
        self.pointed_days()
        self.attributes()
        self.ordered_by_adjectives()
        for n, slot in enumerate(self.out.slots):
            lone = (
                isinstance(slot, Sort)
                and not slot.options
                and not slot.many
                and not any(isinstance(x, (Measure, Group)) for x in self.out.slots)
            )
            if lone and isinstance(slot, Sort) and is_alphabetical(self.text[slot.start : slot.end]):
                shown_options = [o for x in self.out.slots if isinstance(x, Show) and not x.cue for o in x.options]
                titles = (t.title for t in self.schema.tables)
                candidates = shown_options or [Option(Field(c.ref), c.ref, 0.1) for c in titles]
                self.out.slots[n] = replace(
                    slot, options=tuple(o for o in candidates if self.kind(o.ref) in ("text", "category"))
                )
            elif lone and isinstance(slot, Sort) and self.is_vague(slot):
                numbers = tuple(o for o in self.any_number() if self.kind(o.ref) == "number") + tuple(
                    replace(o, link=0.4) for o in self.date_columns()
                )
                money = (
                    tuple(
                        o
                        for o in numbers
                        if o.ref
                        and self.schema.column(o.ref).about & {"amount", "money"}
                        and "each" not in self.schema.column(o.ref).tags
                    )
                    if slot.about[1:] == "size"
                    else ()
                )
                orders = [x for x in self.out.slots if isinstance(x, Sort) and x.options and not x.limit]
                if orders:  # by salary, the first three: no further order
                    slot = replace(slot, descending=orders[-1].descending)
                self.out.slots[n] = replace(slot, options=orders[-1].options if orders else money or numbers)
        self.find_head()
        if self.negate:
            s = self.spans[self.negated_from]
            if not s.is_("light"):
                self.add(Missing(s.start, s.end, s.text))
        return self.out

    def is_vague(self, slot: Sort) -> bool:
        """Whether an order can be by any number: the highest, 最高; not the oldest, where nothing has an age."""
        return slot.about[1:] in VAGUE or (slot.about[1:] == "height" and is_han(self.text))

    def is_particle(self, i: int) -> bool:
        """Whether a word belongs to the one before it: picked up, closing price."""
        before = self.at(i - 1)
        numbers = self.columns(before, "number") if before is not None else ()
        if numbers and self.spans[i].text.lower() in HEADS:
            return True  # closing price, of a column close
        verb = before is not None and (before.is_("deed") or is_verb(before.text.lower()))
        return verb and self.spans[i].text.lower() in ("up", "off", "out", "away", "down", "back")

    def find_head(self) -> None:
        """Marks the requested rows: the first noun in English; in Chinese the one after 哪些, or else after 的."""
        nouns = [n for n, x in enumerate(self.out.slots) if isinstance(x, Noun) and x.use == "what"]
        if not nouns:
            return
        chosen = nouns[0]
        if is_han(self.text):
            behind = [n for n in nouns if self.text[: self.out.slots[n].start].rstrip().endswith("的")]
            which_nouns = [
                n for n in nouns if any(x.end == self.out.slots[n].start and x.is_("which") for x in self.spans)
            ]
            which_nouns += [
                n
                for n in nouns
                if any(
                    self.near(self.out.slots[n].end, x.start)
                    and x.start >= self.out.slots[n].end
                    and x.is_("which")
                    and x.text.startswith(("有", "是", "都"))
                    for x in self.spans
                )
            ]
            chosen = (which_nouns or behind[-1:] or nouns)[0]
        noun = self.out.slots[chosen]
        assert isinstance(noun, Noun)
        self.out.slots[chosen] = replace(noun, head=True)

    def ordered_by_adjectives(self) -> None:
        """Makes an order of an adjective that nothing else has taken: cheap products, the cheapest first."""
        if any(isinstance(x, (Measure, Sort, Group)) for x in self.out.slots):
            return
        taken = {o.ref for x in self.out.slots if isinstance(x, Keep) for o in x.options}
        for n, slot in enumerate(self.out.slots):
            if isinstance(slot, Show) and slot.adjective and not taken & {o.ref for o in slot.options}:
                self.out.slots[n] = Sort(
                    slot.start, slot.end, slot.options, slot.adjective[0] == ">", about=slot.adjective
                )

    def attributes(self) -> None:
        """Leaves a word unknown that stands as an attribute of rows and only names a column: delayed flights, 罚款的读者."""
        rows = {x.start for x in self.out.slots if isinstance(x, Noun) and x.use == "what"}
        rows |= {x.noun.start for x in self.out.slots if isinstance(x, Measure) and x.noun is not None}
        for n, s in enumerate(self.spans):
            before, behind = self.at(n - 1), self.at(n + 1)
            behind = self.at(n + 2) if behind is not None and behind.text == "的" else behind
            is_last = behind is None and before is not None and before.is_("is")
            if is_last or (behind is not None and behind.start in rows):
                named = next((x for x in self.out.slots if isinstance(x, Show) and x.start == s.start), None)
                if self.only_names(s, named) if named is not None else self.is_bare_deed(s, before):
                    self.out.slots = [x for x in self.out.slots if x is not named]
                    self.add(Missing(s.start, s.end, s.text))

    def only_names(self, s: Span, slot: Show) -> bool:
        """Whether a word for a state says only which column it could be about: overdue, of a column overdue_days."""
        spoken = {o.ref for x in self.out.slots if not isinstance(x, Show) for o in getattr(x, "options", ())}
        kinds = {self.kind(o.ref) for o in slot.options}
        if slot.asked or slot.adjective or kinds & {"date", "year"} or spoken & {o.ref for o in slot.options}:
            return False
        return slot.cue and is_han(s.text) or "number" in kinds or s.is_("overdue") or is_participle(s.text.lower())

    def is_bare_deed(self, s: Span, before: Span | None) -> bool:
        """Whether a verb that no rule has read begins a description of rows: used cars, 在修的设备."""
        begins = before is None or before.is_("count", "show", "all", "per") or before.text.lower() in ATTRIBUTIVE
        begins = begins or (before in self.dropped and before.is_("deed"))  # 报修
        return begins and s in self.dropped and s.is_("deed") and (is_han(s.text) or is_participle(s.text.lower()))

    def pointed_days(self) -> None:
        """Gives days without a column the column that a verb of the question points to: baked this month."""
        cues = [
            x
            for x in self.out.slots
            if isinstance(x, Show) and x.cue and any(self.kind(o.ref) == "date" for o in x.options)
        ]
        if len(cues) != 1:
            return
        refs, pointed = {o.ref for o in cues[0].options if self.kind(o.ref) == "date"}, False
        for n, slot in enumerate(self.out.slots):
            if (
                isinstance(slot, (Keep, Group))
                and len(slot.options) > 1
                and all(self.kind(o.ref) in ("date", "year") for o in slot.options)
            ):
                of_absent = tuple(replace(o, link=0.1, fit=0.0) for o in slot.options if o.ref in refs)
                if of_absent:
                    self.out.slots[n] = replace(slot, options=of_absent)
                    pointed = True
        if pointed:
            self.out.slots.remove(cues[0])

    def move(self, i: int) -> int:
        """What a turn does with the one before it."""
        s = self.spans[i]
        role = s.role(*MOVES)
        if role is None or self.best(s) == "value":
            return i
        if role.name in ("drop", "reset") and s.text.lower() not in ANY:
            k = self.skip(i + 1)
            while (t := self.at(k)) is not None and t.is_("all", "per"):
                k = self.skip(k + 1)
            if t is not None and self.best(t) == "table":  # only conditions can be removed, not rows
                self.add(Missing(s.start, s.end, s.text))
                return i + 1
        if role.name == "also" and not self.follows:
            return i
        if (
            role.name == "drop"
            and not self.follows
            and s.text in ("不限", "不限制", "不管", "不论", "无论", "regardless of", "no matter")
        ):
            return self.skip(i + 1) + 1 if self.columns(self.at(self.skip(i + 1))) else i
        if role.name == "drop" and (not self.follows or s.links):
            return i
        if role.name == "follow" and s.is_("light") and not self.follows:
            return i
        self.out.moves.append(Flag(s.start, s.end, role.name))
        if role.name == "drop":
            self.add(Flag(s.start, s.end, "drop"))
        return i + 1


def fill(text: str, spans: Sequence[Span], schema: Schema, as_of: dt.date, *, follows: bool = False) -> Filled:
    """Returns the slots of a question; ``follows`` says whether it is a follow-up."""
    return Filler(text, spans, schema, as_of, follows=follows).fill()
