"""Stored values, and columns of yes and no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lab_packs.text2sql.filling.base import Base
from lab_packs.text2sql.lexicon import TRUTHS
from lab_packs.text2sql.slots import Group, Missing, Option
from lab_packs.text2sql.tagging import Span
from lab_packs.text2sql.tree import Field, Not, Test

INCLUDING = ("including", "include", "包括")
"""Words before a value that do not keep rows to it."""


def is_negative(value: str, word: str) -> bool:
    """Whether a value denies or awaits what its last word says: 待付款, not shipped, unpaid."""
    before = value[: -len(word)].strip(" -_").lower()
    return before in ("未", "待", "不", "无", "没", "没有", "非", "尚未", "还未", "等待", "un", "in", "not", "non", "no", "not yet", "to be", "awaiting", "pending")  # fmt: skip


class Values(Base):
    """Stored values, and columns of yes and no."""

    def kept(self, i: int) -> int:
        """Reads values, and columns of yes and no."""
        s = self.spans[i]
        negated = self.negate
        if s.quoted and not s.links:
            previous = self.last_named(i, "text", "category", "list")
            options = (
                previous.options
                if previous
                else tuple(
                    Option(Field(c.ref), c.ref, 0.3)
                    for c in self.schema.columns()
                    if c.kind in ("text", "category", "list")
                )
            )
            self.keep(s.start, s.end, self.tests(options, "contains", s.quoted))
            self.after_negation(i)
            return i + 1
        if not s.links:
            return i
        links = [k for k in s.links if k.thing.kind == "value"]
        best = self.best(s)
        if s.is_("split") and self.out.slots and isinstance(self.out.slots[-1], Group):
            return i
        before = self.at(i - 1)
        if best == "value" and before is not None and before.text.lower() in INCLUDING:
            # including failed ones: no condition
            self.add(Missing(before.start, s.end, self.text[before.start : s.end]))
            return i + 1
        if best == "value" and links:
            previous = self.last_named(i, "text", "category", "list")
            refs = {o.ref for o in previous.options} if previous else set()
            of_previous = [k for k in links if k.thing.ref in refs]
            if previous and not of_previous:
                self.put_back()
                previous = None
            behind = self.skip(i + 1)
            tail = {o.ref for o in self.columns(self.at(behind), "text", "category", "list", cues=False)}
            if self.tables(self.at(behind)):
                tail = set()
            of_tail = [k for k in links if k.thing.ref in tail]
            self.value(previous.start if previous else s.start, s.end, of_previous or of_tail or links, negated, s)
            if of_tail:
                after = self.at(behind + 1)
                if not (
                    after is not None and (after.links and self.best(after) == "value" or after.is_("compare", "is"))
                ):
                    i = behind  # Python skill, 杭州市
            self.after_negation(i)
            return i + 1
        flags = [
            k
            for k in s.links
            if k.thing.kind == "column" and self.kind(k.thing.ref) == "boolean" and k.how in ("name", "not")
        ]
        if not flags and best == "column" and not self.asked_about(i) and (states := self.states(i)):
            self.keep(s.start, s.end, states, negated=False)
            self.after_negation(i)
            return i + 1
        if flags and best == "column" and not self.asked_about(i):
            alternatives = []
            truth = self.told_truth(i + 1)
            for flag in flags:
                yes = (truth[0] if truth is not None else flag.how != "not") != negated
                alternatives.append(Option(Test(Field(flag.thing.ref), "=", (yes,)), flag.thing.ref, flag.cost))
            end = truth[1] if truth is not None else i + 1
            self.keep(s.start, self.spans[end - 1].end, alternatives, negated=False)
            self.after_negation(i)
            return end
        nots = [k for k in s.links if k.how == "not"]
        if nots and all(k.how == "not" for k in s.links):
            alternatives = [Option(Test(Field(k.thing.ref), "empty"), k.thing.ref, k.cost) for k in nots]
            self.keep(s.start, s.end, alternatives)
            return i + 1
        return i

    def undergone(self, i: int) -> int:
        """Reads a verb around its object, which is a column of amounts: 罚过款."""
        s = self.spans[i]
        amounts = self.columns(s, "number") if "过" in s.text[1:-1] else ()
        if amounts:
            self.keep(s.start, s.end, self.tests(amounts, ">", 0))
        return i + 1 if amounts else i

    def states(self, i: int) -> list[Option]:
        """Returns the condition of a column that has yes, no and other values, where the column is said as a state."""
        before, after = self.at(i - 1), self.at(self.skip(i + 1))
        copula = before is not None and before.is_("is", "not") and not before.is_("which")
        of_rows = "的" in self.text[self.spans[i].end :][:1] and after is not None and bool(self.tables(after))
        if not copula and not of_rows or (after is not None and (after.is_("which") or self.best(after) == "value")):
            return []
        options = []
        for o in self.columns(self.spans[i], "category", "text", cues=False):
            stored = {v.lower(): v for v in self.schema.column(o.ref).values} if o.ref else {}
            for yes, no in TRUTHS:
                if o.ref and yes in stored and no in stored:
                    value = stored[no if self.negate else yes]
                    options.append(replace(o, of=Test(Field(o.ref), "=", (value,)), link=o.link + 0.2))
        return options

    def told_truth(self, i: int) -> tuple[bool, int] | None:
        """Furnished: yes; 是否保价为是."""
        k, s = self.ahead(i)
        if s is not None and s.text.lower() in ("是", "yes", "true", "否", "no", "false"):
            return s.text.lower() in ("是", "yes", "true"), k + 1
        return None

    def asked_about(self, i: int) -> bool:
        """Whether a column of yes and no is a grouping, not a condition: 按是否续借, by member."""
        before = self.at(i - 1)
        return before is not None and before.is_("by", "per")

    def after_negation(self, i: int) -> None:
        """A negation holds for values that are joined to the first, and ends behind them.

        A column that is named behind the joint begins a condition of its own: 颜色不是红、宽度不超过39.
        """
        joint = self.skip(i + 1)
        nxt, joined = self.at(joint), self.at(self.skip(joint + 1))
        is_joint = nxt is not None and (nxt.is_("and", "or") or nxt.text == "、")
        is_value = joined is not None and (joined.quoted or (joined.links and self.best(joined) == "value"))
        if not (is_joint and is_value):
            self.negate = False

    def value(self, start: int, end: int, links: Sequence, negated: bool, s: Span) -> None:  # type: ignore[type-arg]
        """Rows that have a stored value."""
        sure = [k for k in links if k.how == "name"]
        parts = [k for k in links if k.how == "part"]
        options: list[Option] = []
        for k in sure:
            several = tuple(x.thing.value for x in sure if x.thing.ref == k.thing.ref and x.cost <= k.cost)
            op = "has" if self.kind(k.thing.ref) == "list" else "="
            options.append(Option(Test(Field(k.thing.ref), op, several), k.thing.ref, k.cost))
        for k in parts if not sure else ():
            several = tuple(x.thing.value for x in parts if x.thing.ref == k.thing.ref)
            op = "has" if self.kind(k.thing.ref) == "list" else "="
            if op == "=" and not s.text[:1].isupper():
                op, several = "contains", (s.text,)
            options.append(Option(Test(Field(k.thing.ref), op, several), k.thing.ref, k.cost))
        if negated and (doubtful := self.doubtful_negation(options, s.text)):
            self.keep(start, end, doubtful, negated=False)
            return
        bound = self.ordered_value(options, end)
        if bound is not None:
            self.keep(start, bound[1], bound[0], negated=negated)
            return
        self.keep(start, end, options, negated=negated)

    def doubtful_negation(self, options: Sequence[Option], word: str) -> list[Option]:
        """Returns both readings of 未付款 where 待付款 is a value: that value, and all rows without the word; else []."""
        both: list[Option] = []
        for o in options:
            assert o.ref is not None
            stored = self.schema.column(o.ref).values
            without = tuple(
                v for v in stored if v != word and v.lower().endswith(word.lower()) and is_negative(v, word)
            )
            if without and isinstance(o.of, Test):
                both += [replace(o, of=Test(o.of.of, "=", without)), replace(o, of=Not(o.of))]
        return both

    def ordered_value(self, options: Sequence[Option], end: int) -> tuple[list[Option], int] | None:
        """Reads comparisons of ordered values: 本科以上, at least a bachelor."""
        i = next((n for n, x in enumerate(self.spans) if x.end == end), None)
        if i is None:
            return None
        ranges: list[Option] = []
        op, stop = "", end
        after = self.at(self.skip(i + 1))
        before = next((self.spans[k] for k in range(i - 1, -1, -1) if not self.light(k)), None)
        if after is not None and (role := after.role("behind")):
            op, stop = role.of, after.end
        elif before is not None and (role := before.role("compare")):
            op = role.of
        if not op:
            return None
        for o in options:
            test = o.of
            order = self.schema.column(o.ref).hint.order if o.ref else ()
            if isinstance(test, Test) and test.op == "=" and test.values and test.values[0] in order:
                at = order.index(str(test.values[0]))
                among = {">=": order[at:], "<=": order[: at + 1], ">": order[at + 1 :], "<": order[:at]}.get(op, ())
                if among:
                    ranges.append(replace(o, of=Test(test.of, "=", tuple(among))))
        if ranges and after is not None and stop == after.end:
            self.used.add(self.spans.index(after))
        return (ranges, stop) if ranges else None
