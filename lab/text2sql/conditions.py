"""The part of the grammar that reads conditions: a column with a number, a value, a day, a text, or with nothing in it.

Each phrase gives its options, one for every column that it can be about.  A negation is part of the phrase that it
denies; one that no phrase takes is left over, and what is left over stops the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from lab.text2sql.facts import Listed, Option
from lab.text2sql.lexicon import roles_of
from lab.text2sql.naming import HEAD, SYNONYM, Value, is_han
from lab.text2sql.quantities import GUESSED, Period, Quantities, about, negated
from lab.text2sql.reader import PASSED, Found
from lab.text2sql.schema import Column
from lab.text2sql.tree import (
    Aggregate,
    AllOf,
    AnyOf,
    Condition,
    Field,
    Inner,
    Not,
    Ref,
    Related,
    Scalar,
    Select,
    Test,
    Versus,
)

Options = tuple[Option[Condition], ...]
Refs = tuple[tuple[Ref, float], ...]
_NUMBER = re.compile(r"[=<>]?-?\d+(\.\d+)?")


class Conditions(Quantities):
    """All phrases that are conditions: `condition` gives ``(end, (options, list_of), cost)``."""

    def condition(self, at: int) -> list[Found]:
        """One condition, or several joined by "or"."""
        return self.memo("condition", at, self._either_or)

    def _either_or(self, at: int) -> Iterator[Found]:
        singles = self.single(at)
        yield from singles
        for end, (a, _, b), cost in self.seq(at, self.single, self.word("or"), self.single):
            both = _joined(a[0], b[0], AnyOf)
            if both:
                yield end, (both, None), cost + 0.05
        for end, (_, a, _, b), cost in self.seq(
            at, self.word("nor"), self.single, self.either(self.word("nor"), self.word("or")), self.single
        ):
            both = _joined(_denied(a[0]), _denied(b[0]), AllOf)
            if both:
                yield end, (both, None), cost

    def single(self, at: int) -> list[Found]:
        """One condition."""
        return self.memo("single", at, self._single)

    def _single(self, at: int) -> Iterator[Found]:
        for phrase in (
            self.of_number, self.of_value, self.of_truth, self.of_text, self.of_presence, self.of_partner, self.of_day,
            self.of_comparison, self.of_rank,
        ):  # fmt: skip
            yield from self.memo(phrase.__name__, at, phrase)

    # ------------------------------------------------------------------------------------------------- numbers

    def of_number(self, at: int) -> Iterator[Found]:
        """运费50块以下, a fare under 2, more than 800 kWh, 比200元便宜, longer than 10 km, 力量、耐力都不低于85."""
        named = self.columns("number", "text", cues=False)
        cued = partial(self._cued, ("number",))
        for end, (refs, q), cost in self.seq(at, self.either(named, cued), self.quantity):
            if q.op or q.unit or (self._lone(refs) and cost < 2 * PASSED and not self.text[at:end].count(" in ")):
                yield from _found(end, self.tests(refs, q), cost)
        both = self.many(self.numeric, self.word("and"))
        for end, (columns, _, q), cost in self.seq(at, both, self.opt(self.word("all")), self._compared):
            if len(columns[0]) > 1:
                tests = [self.tests(refs, q) for refs in columns[0]]
                if all(tests):
                    yield from _found(end, _all_of(tests), cost)
        for end, (refs, no, q), cost in self.seq(at, self.either(named, cued), self.word("not"), self._compared):
            _ = no
            yield from _found(end, self.tests(refs, q._replace(negated=True)), cost)
        for end, (no, refs, q), cost in self.seq(at, self.word("not"), self.either(named, cued), self._compared):
            _ = no
            yield from _found(end, self.tests(refs, q._replace(negated=True)), cost)
        for end, (q, refs), cost in self.seq(at, self._said, self.either(named, cued)):
            yield from _found(end, self.tests(refs, q), cost + 0.15)
        for end, (refs, _, q, adj), cost in self.seq(
            at, self.opt(self.numeric), self.word("than"), self.quantity, self.word("adj", "comp")
        ):
            q = q._replace(op=adj[1], about=adj[2] if adj[2] != "many" and refs is None else "")
            yield from _found(end, self.tests(refs, q) if refs else self.unnamed(q), cost)
        for end, q, cost in self.quantity(at):
            if q.op:
                yield from _found(end, self.unnamed(q), cost)

    def _said(self, at: int) -> list[Found]:
        return [f for f in self.quantity(at) if f[1].op or f[1].unit]

    def _lone(self, refs: Refs) -> bool:
        """Whether a bare number after these columns is their value: a key, a year, a number that is told apart."""
        return all(self.column_of(r).kind in ("number", "text") for r, _ in refs)

    def _cued(self, kinds: tuple[str, ...], at: int) -> list[Found]:
        """Columns that a word of theirs points to, as in a hint: costing, asking for."""
        out = []
        for end, refs, cost in self.cue(at):
            fitting = tuple((r, c) for r, c in refs if self.column_of(r).kind in kinds and not self._is_key(r))
            if fitting and cost <= SYNONYM + HEAD + 0.2:
                out.append((end, fitting, cost))
        return out

    def _is_key(self, ref: Ref) -> bool:
        column = self.column_of(ref)
        return column.key or "key" in column.tags

    # -------------------------------------------------------------------------------------------------- values

    def of_value(self, at: int) -> Iterator[Found]:
        """在杭州, Roman or Inca, not from Spain, 除了东坡和河湾以外, 寄件城市是杭州, the night tariff, 本科以上."""
        no, yes = self.opt(self.word("not")), self.opt(self.word("have"))
        column = self.opt(
            self.either(self.columns("category", "text", "list"), partial(self._cued, ("category", "text", "list")))
        )
        post = self.opt(self.either(self.word("beyond"), self.word("post")))
        tail = self.opt(self.columns("category", "text", "list"))
        joint = self.either(self.word("and", "or", "nor", "to", "split"), self.comma, self.beside)
        for end, (before, way, refs, within, _, values, after_, behind), cost in self.seq(
            at,
            no,
            self.opt(self.word("from", "toward", "by")),
            column,
            no,
            yes,
            self.many(self._a_value, joint),
            post,
            tail,
        ):
            if after_ is not None and after_[0] == "post":
                options = self._from_order(values[0], refs or behind, after_[1]) if len(values[0]) == 1 else ()
            else:
                options = self._among(values, refs, behind, way)
            if way == ("by",) and refs is None and cost >= HEAD:
                continue  # by Ada; but by month is no plan that is monthly
            deny = (before is not None) != (within is not None)
            if before and within and before != within:
                continue
            if after_ == ("beyond",) and not deny:
                deny = True
            joints = {j[0] for j in values[1]}
            several = len(values[0]) > 1 and not deny and "or" not in joints
            listed = Listed(of, "split" in joints) if several and (of := _list_of(options)) is not None else None
            yield from _found(end, self._not(options) if deny else options, cost, listed)
        for end, values, cost in self.many(self._a_row, joint)(at):
            options = self._among(values, None, None, None) if len(values[0]) > 1 else ()
            joints = {j[0] for j in values[1]}
            if options and "or" not in joints and (of := _list_of(options)) is not None:
                yield from _found(end, options, cost + 0.05, Listed(of, "split" in joints))
        for end, (q, values, refs), cost in self.seq(at, self.word("cmp"), self._one_value, self.opt(self.columns())):
            yield from _found(end, self._from_order((values,), refs, q[1]), cost)

    def _a_value(self, at: int) -> list[Found]:
        """A value, with what kind of thing it is behind it: 动画片, 一级品, IMAX厅."""
        out = self.value(at)
        for end, values, cost in list(out):
            out += [(e, values, cost + c + 0.02) for e, _, c in self.word("unit")(end)]
            kind = self.text[end : end + 1]
            if kind and is_han(kind):
                fitting = tuple((v, c) for v, c in values if kind in v.ref.column + v.ref.table)
                out += [(end + 1, fitting, cost + 0.05)] if fitting else []
        return out

    def _a_row(self, at: int) -> list[Found]:
        """A value with the rows that have it, as one of several: 男球员和女球员, critical jobs versus low ones."""
        out = self._a_value(at)
        for end, values, cost in list(out):
            for last, t, c in self.table(self.links.skip(end)):
                own = tuple((v, x) for v, x in values if v.ref.table == t)
                out += [(last, own, cost + c + 0.05)] if own else []
        return out

    def _one_value(self, at: int) -> list[Found]:
        return self.value(at)

    def comma(self, at: int) -> list[Found]:
        return (
            [(x.end, ("and",), 0.02) for x in self.links.links(at) if x.kind == "break" and x.of in ",，"]
            if at < len(self.text)
            else []
        )

    def beside(self, at: int) -> list[Found]:
        """Two Chinese values without a word between: 男女."""
        close = 0 < at < len(self.text) and is_han(self.text[at - 1]) and is_han(self.text[at])
        return [(at, ("and",), 0.15)] if close else []

    def _among(
        self, several: tuple[Any, ...], refs: Refs | None, after: Refs | None, way: tuple[str, ...] | None
    ) -> Options:
        """The tests of a list of values, for every column that holds them all."""
        values, joints = several
        joined = {j[0] for j in joints} & {"or", "nor"}
        named = dict(refs or ())
        behind = dict(after or ())
        options: list[Option[Condition]] = []
        shared: dict[Ref, list[tuple[str, float]]] = {}
        for i, meant in enumerate(values):
            best: dict[Ref, tuple[str, float]] = {}
            for v, c in meant:
                if v.ref not in best or c < best[v.ref][1]:
                    best[v.ref] = (v.value, c)
            for ref, one in best.items():
                if i == len(shared.get(ref, ())) or i == 0:
                    shared.setdefault(ref, []).append(one)
        for ref, found in shared.items():
            if len(found) != len(values) or (named and ref not in named) or (behind and ref not in behind):
                continue
            cost = sum(c for _, c in found) + named.get(ref, 0.0) + behind.get(ref, 0.0)
            cost += self._direction(ref, way)
            said = [v for v, _ in found]
            if self.column_of(ref).kind != "number" or all(_NUMBER.fullmatch(v) for v in said):
                options.append(Option(self.equal(ref, said, any_of=bool(joined) or len(values) == 1), cost))
        return tuple(options)

    def _not(self, options: Options) -> Options:
        """The denial of values; less likely where the column has a value for that: 未通过 for 没通过."""
        out = []
        for o in options:
            values = o.of.values if isinstance(o.of, Test) and isinstance(o.of.of, Field) else ()
            column = self.column_of(o.of.of.ref) if isinstance(o.of, Test) and isinstance(o.of.of, Field) else None
            own = any(f"{no}{v}" in column.values for v in values for no in "未不非") if column is not None else False
            out.append(Option(negated(o.of), o.cost + (0.5 if own else 0.0), o.why))
        return tuple(out)

    def _direction(self, ref: Ref, way: tuple[str, ...] | None) -> float:
        if way is None or way[0] == "by":
            return 0.0
        told = self.vocabulary.directed(ref)
        meant = "origin" if way[0] == "from" else "destination"
        return 0.0 if told == meant else 1.5 if told else 0.05

    def equal(self, ref: Ref, values: Sequence[str], *, any_of: bool) -> Condition:
        """A column that is one of these values; a list has all of them where "and" stands between."""
        c = self.column_of(ref)
        distinct = tuple(dict.fromkeys(values))
        if c.kind == "number" and all(v.startswith(("=", ">", "<")) for v in distinct):
            tests = tuple(Test(Field(ref), v[0], (_number(v[1:]),)) for v in distinct)
            return tests[0] if len(tests) == 1 else AnyOf(tests)
        if c.kind == "list":
            if any_of or len(distinct) == 1:
                return Test(Field(ref), "has", distinct)
            return AllOf(tuple(Test(Field(ref), "has", (v,)) for v in distinct))
        if c.kind == "number":
            return Test(Field(ref), "=", tuple(map(_number, distinct)))
        return Test(Field(ref), "=", distinct)

    def _from_order(self, several: tuple[Any, ...], refs: Refs | None, op: str) -> Options:
        """本科以上: the stored values from there on, by the order of the column's hint."""
        options: list[Option[Condition]] = []
        for v, cost in several[0] if several and isinstance(several[0], tuple) else ():
            order = self.column_of(v.ref).hint.order
            if v.value not in order or (refs and v.ref not in {r for r, _ in refs}):
                continue
            at = order.index(v.value)
            kept = {">=": order[at:], ">": order[at + 1 :], "<=": order[: at + 1], "<": order[:at]}.get(op, ())
            if kept:
                options.append(Option(Test(Field(v.ref), "=", kept), cost))
        return tuple(options)

    # -------------------------------------------------------------------------------------------------- truths

    def of_truth(self, at: int) -> Iterator[Found]:
        """保价的, not on loan, uninsured, 是否冷藏为否."""
        truth = self.columns("boolean")
        no = self.opt(self.word("not"))
        yes = self.opt(self.either(self.word("have"), self.word("exists")))
        for end, (denied, _, refs, within), cost in self.seq(at, no, yes, truth, self.opt(self._yes_no)):
            if within is not None and denied is not None:
                continue
            value = within if within is not None else denied is None
            options: Options = tuple(Option(Test(Field(r), "=", (value,)), c) for r, c in refs)
            yield from _found(end, options, cost)
        for end, refs, cost in self.negative(at):
            yield from _found(end, tuple(Option(Test(Field(r), "=", (False,)), c) for r, c in refs), cost)

    def _yes_no(self, at: int) -> list[Found]:
        for word, value in (
            ("yes", True),
            ("true", True),
            ("no", False),
            ("false", False),
            ("是", True),
            ("否", False),
        ):
            if self.text.startswith(word, at):
                return [(at + len(word), value, 0.05)]
        return []

    # --------------------------------------------------------------------------------------------------- texts

    def of_text(self, at: int) -> Iterator[Found]:
        """片名里有深, whose name contains Mask, mentioning "leak", 姓陈, 名字以“陶”开头."""
        texts = self.columns("text", "category", "list")
        op = self.word("contains", "starts", "ends")
        no = self.opt(self.word("not"))
        for end, (_, refs, deny, role, said), cost in self.seq(
            at, self.opt(self.word("during")), self.opt(texts), no, op, self.said
        ):
            yield from self._texts(end, refs, role[0], said, deny is not None, cost)
        for end, (_, said, _, refs), cost in self.seq(
            at, self.word("have", "contains"), self.quote, self.word("during"), texts
        ):
            yield from self._texts(end, refs, "contains", said, False, cost)  # with 'M5' in its number
        for end, (refs, _, said), cost in self.seq(at, texts, self.word("have"), self.said):
            yield from self._texts(end, refs, "contains", said, False, cost + 0.1)
        for end, (refs, _, said, role), cost in self.seq(
            at, self.opt(texts), self.opt(self.word("by")), self.said, self.word("tail")
        ):
            yield from self._texts(end, refs, role[1], said, False, cost)
        if self.text.startswith("姓", at) and at + 1 < len(self.text) and self.text[at + 1] not in "名氏":
            yield from self._texts(at + 2, None, "starts", self.links.text[at + 1], False, 0.0)
        for end, (_, said), cost in self.seq(at, self.word("surname"), self.quote):
            yield from self._texts(end, None, "starts" if self.language == "zh" else "ends", said, False, cost)

    def said(self, at: int) -> list[Found]:
        """A text that is quoted, or the next word."""
        quoted = self.quote(at)
        if quoted or at >= len(self.text):
            return quoted
        out: list[Found] = []
        for x in self.links.links(at):
            if x.kind in ("unknown", "value") and not roles_of(self.text[x.start : x.end]):
                out.append((x.end, self.links.text[x.start : x.end], 0.3))
        if any(x.kind in ("table", "column") for x in self.links.links(at)):
            return []
        return out

    def _texts(self, end: int, refs: Refs | None, op: str, said: str, deny: bool, cost: float) -> Iterator[Found]:
        if refs is None:
            titles = [t.title for t in self.schema.tables if t.title.kind in ("text", "category")]
            refs = tuple((c.ref, GUESSED) for c in titles)
            if op == "contains":
                held = [
                    c
                    for c in self.schema.columns()
                    if c.kind in ("text", "category") and any(said.lower() in v.lower() for v in c.values)
                ]
                meant = [c for c in titles if c in held] or held
                refs = tuple((c.ref, GUESSED) for c in meant) or refs
        options: Options = tuple(
            Option(Test(Field(r), op, (said,)), c)
            for r, c in refs
            if self.column_of(r).kind != "date" and not self._is_key(r)
        )
        yield from _found(end, _denied(options) if deny else options, cost)

    # ------------------------------------------------------------------------------------------------ presence

    def of_presence(self, at: int) -> Iterator[Found]:
        """没有评分的, without an email, whose remarks are missing, never checked, 有邮箱的."""
        any_column = self.columns("text", "category", "number", "date", "list")
        pointed = partial(self._cued, ("date",))
        for end, (_, _, refs), cost in self.seq(
            at,
            self.word("not"),
            self.opt(self.either(self.word("have"), self.word("filled"))),
            self.either(any_column, pointed),
        ):
            yield from _found(end, self._absent(refs), cost + 0.05)
        for end, (refs, role), cost in self.seq(at, any_column, self.word("empty", "filled")):
            options = self._absent(refs)
            yield from _found(end, _denied(options) if role[0] == "filled" else options, cost)
        for end, (refs, _, _), cost in self.seq(at, any_column, self.word("not"), self._filled):
            yield from _found(end, self._absent(refs), cost)
        for end, (role, refs), cost in self.seq(at, self.word("empty", "filled", "have"), any_column):
            options = self._absent(refs)
            yield from _found(
                end, options if role[0] == "empty" else _denied(options), cost + (0.05 if role[0] == "have" else 0.0)
            )

    def _filled(self, at: int) -> list[Found]:
        return [*self.word("filled")(at), *(self.word("have")(at) if self.language == "zh" else ())]

    def _absent(self, refs: Refs) -> Options:
        """Columns with nothing in them: no value, or where every row has one, 0."""
        out: list[Option[Condition]] = []
        for r, cost in refs:
            c = self.column_of(r)
            if c.key or "key" in c.tags:
                continue
            zero = c.kind == "number" and c.low == 0
            if zero:
                out.append(Option(Test(Field(r), "=", (0,)), cost))
            if c.empty or not zero:
                out.append(Option(Test(Field(r), "empty"), cost + (0.0 if c.empty else 0.5)))
        return tuple(out)

    # ------------------------------------------------------------------------------------------------ partners

    def of_partner(self, at: int) -> Iterator[Found]:
        """没有下过单的, without any orders, who never made a trip, with interviews."""
        table = self.either(self.table, self.table_cue)
        for end, (role, _, t), cost in self.seq(at, self.word("not", "have"), self.opt(self._cue_or_have), table):
            related: Condition = Related(t)
            yield from _found(end, (Option(Not(related) if role[0] == "not" else related),), cost + 0.1)
        for end, t, cost in self.table_cue(at):
            yield from _found(end, (Option[Condition](Related(t)),), cost + 0.2)

    def _cue_or_have(self, at: int) -> list[Found]:
        return [*self.word("have", "verb")(at), *self.cue(at)]

    # ---------------------------------------------------------------------------------------------------- days

    def of_day(self, at: int) -> Iterator[Found]:
        """去年, since March, born after 2000, 2023年6月之后注册的, on Sundays."""
        for end, (refs, p), cost in self.seq(at, self.dated, self.period):
            yield from _found(end, self.during(refs, p), cost)
        for end, (refs, _, p), cost in self.seq(at, self.dated, self.word("not"), self.period):
            yield from _found(end, _denied(self.during(refs, p)), cost)
        for end, (p, refs), cost in self.seq(at, self.period, self.dated):
            yield from _found(end, self.during(refs, p), cost + 0.05)
        for end, p, cost in self.period(at):
            yield from _found(end, self.during(self.every_date(), p), cost)
        dated = self.opt(self.dated)
        for end, (refs, a, _, b), cost in self.seq(at, dated, self.period, self.word("and", "or"), self.period):
            yield from _found(end, self._two(refs or self.every_date(), a, b), cost)
        for end, (_, p), cost in self.seq(at, self.word("not"), self.period):
            yield from _found(end, _denied(self.during(self.every_date(), p)), cost)

    def _two(self, refs: Refs, a: Period, b: Period) -> Options:
        """Two stretches of days of one column: either of them, or of a child, a row in each."""
        out: list[Option[Condition]] = []
        for x, y in zip(self.during(refs, a), self.during(refs, b), strict=False):
            out += [x._replace(of=AllOf((x.of, y.of))), x._replace(of=AnyOf((x.of, y.of)), cost=x.cost + 0.01)]
        return tuple(out)

    # --------------------------------------------------------------------------------------------- comparisons

    def of_comparison(self, at: int) -> Iterator[Found]:
        """产量高于平均产量, bills above the average, 比平均月薪高, 力量超过速度, older than Li Lei, 片长比猫的假日长."""
        num = self.opt(self.numeric)
        compared = self.word("cmp")
        for end, (refs, op, _, again), cost in self.seq(at, num, compared, self.word("avg"), num):
            yield from _found(end, self._than_average(refs, again, op[1], op[2] if len(op) > 2 else ""), cost)
        adjective = self.word("adj", "comp")
        for end, (refs, _, _, again, adj), cost in self.seq(
            at, num, self.word("than"), self.word("avg"), num, adjective
        ):
            yield from _found(end, self._than_average(refs, again, adj[1], adj[2]), cost)
        for end, (refs, op, other), cost in self.seq(at, self.numeric, compared, self.numeric):
            yield from _found(end, self._columns(refs, op[1], other), cost)
        for end, (refs, _, other, adj), cost in self.seq(at, self.numeric, self.word("than"), self.numeric, adjective):
            yield from _found(end, self._columns(refs, adj[1], other), cost)
        for end, (refs, _, other), cost in self.seq(at, self.numeric, self.word("less"), self.numeric):
            yield from _found(end, self._columns(refs, "<", other), cost)
        measured = self.opt(self.columns("number", "date"))
        for end, (refs, _, values, again, adj), cost in self.seq(
            at, measured, self.word("than"), self.value, measured, adjective
        ):
            yield from _found(end, self._than_row(refs or again, values, adj[1], adj[2]), cost)
        for end, (refs, op, values), cost in self.seq(at, measured, compared, self.value):
            if refs or len(op) > 2:
                yield from _found(end, self._than_row(refs, values, op[1], op[2] if len(op) > 2 else ""), cost)
        for end, (more, refs, _, values), cost in self.seq(
            at, self.word("comp"), self.numeric, self.word("than"), self.value
        ):
            yield from _found(end, self._than_row(refs, values, more[1], ""), cost)

    def _than_average(self, refs: Refs | None, again: Refs | None, op: str, adjective: str) -> Options:
        found = refs or again
        if refs and again and not {r for r, _ in refs} & {r for r, _ in again}:
            return ()
        if found is None:
            if adjective in ("", "any", "many"):
                return ()
            fits = [(c, about(c, adjective)) for c in self.schema.columns() if c.kind == "number"]
            found = tuple((c.ref, GUESSED + 0.2 * f[0]) for c, f in fits if f is not None)
        return tuple(
            Option(Versus(Field(r), op, Inner(Select(r.table, measures=(Aggregate("avg", Field(r)),)))), c)
            for r, c in found
        )

    def _columns(self, left: Refs, op: str, right: Refs) -> Options:
        return tuple(
            Option(Versus(Field(a), op, Field(b)), ca + cb)
            for a, ca in left
            for b, cb in right
            if a != b and a.table == b.table and self.comparable(self.column_of(a), self.column_of(b))
        )

    @staticmethod
    def comparable(a: Column, b: Column) -> bool:
        return not {"key"} & (a.tags | b.tags) and (not a.hint.unit or not b.hint.unit or a.hint.unit == b.hint.unit)

    def _than_row(self, refs: Refs | None, values: Sequence[tuple[Value, float]], op: str, adjective: str) -> Options:
        """More than a row that is called by its name has."""
        out: list[Option[Condition]] = []
        for v, cost in values:
            table = self.schema.table(v.ref.table)
            if table.title.ref != v.ref or not (table.title.unique or table.title.key):
                continue
            if refs:
                meant = [(r, c, False) for r, c in refs if r.table == v.ref.table]
            else:
                fits = [(c, about(c, adjective)) for c in table.columns if c.kind in ("number", "date")]
                meant = [(c.ref, GUESSED + 0.2 * f[0], f[1]) for c, f in fits if f is not None]
            for r, c, reverse in meant:
                side = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op) if reverse else op
                other = Inner(
                    Select(r.table, (Field(r),), where=(Test(Field(v.ref), "=", (v.value,)),), limit=1, distinct=True)
                )
                out.append(Option(Versus(Field(r), side, other), cost + c))
        return tuple(out)

    def of_rank(self, at: int) -> Iterator[Found]:
        """Rows called by a number: order 17, 订单17."""
        for end, (t, n), cost in self.seq(at, self.table, self.number, tight=True):
            keys = [c for c in self.schema.table(t).keys if c.kind == "number"]
            if len(keys) == 1 and not n.unit and n.value == int(n.value):
                yield from _found(
                    end, (Option[Condition](Test(Field(keys[0].ref), "=", (int(n.value),))),), cost + 0.25
                )


def _found(end: int, options: Options, cost: float, listed: Listed | None = None) -> Iterator[Found]:
    if options:
        yield end, (options, listed), cost


def _denied(options: Options) -> Options:
    return tuple(Option(negated(o.of), o.cost, o.why) for o in options)


def _joined(a: Options, b: Options, kind: type[AnyOf] | type[AllOf]) -> Options:
    """Two conditions as one, for every two options that can stand together."""
    out = []
    for x in a:
        for y in b:
            out.append(Option[Condition](_as_one(x.of, y.of, kind), x.cost + y.cost))
    return tuple(sorted(out, key=lambda o: o.cost)[:6])


def _as_one(a: Condition, b: Condition, kind: type[AnyOf] | type[AllOf]) -> Condition:
    """Two conditions joined; two values of one column are a list of values."""
    same = isinstance(a, Test) and isinstance(b, Test) and a.of == b.of and a.op == b.op and a.op in ("=", "has")
    if same and kind is AnyOf and isinstance(a, Test) and isinstance(b, Test):
        return Test(a.of, a.op, tuple(dict.fromkeys((*a.values, *b.values))))
    return kind((*(a.of if isinstance(a, kind) else (a,)), b))


def _all_of(tests: Sequence[Options]) -> Options:
    out: Options = tests[0]
    for more in tests[1:]:
        out = _joined(out, more, AllOf)
    return out


def _list_of(options: Options) -> Ref | None:
    first = options[0].of if options else None
    return first.of.ref if isinstance(first, Test) and first.op == "=" and isinstance(first.of, Field) else None


def _number(text: str) -> Scalar:
    value = float(text)
    return int(value) if value == int(value) else value
