"""The part of the grammar that reads stored values, and what compares: with an average, a column, a row by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from lab.text2sql.facts import Listed, Option
from lab.text2sql.naming import HEAD, SYNONYM, Value, is_han
from lab.text2sql.quantities import FLIPPED, GUESSED, Quantities, about, negated
from lab.text2sql.reader import Found, remembered
from lab.text2sql.schema import Column
from lab.text2sql.tree import Aggregate, AllOf, AnyOf, Condition, Field, Inner, Not, Ref, Scalar, Select, Test, Versus

Options = tuple[Option[Condition], ...]
Refs = tuple[tuple[Ref, float], ...]
_NUMBER = re.compile(r"[=<>]?-?\d+(\.\d+)?")


class Values(Quantities):
    """Conditions that name values."""

    @remembered
    def of_value(self, at: int) -> Iterator[Found]:
        """在杭州, Roman or Inca, not from Spain, 除了东坡和河湾以外, 寄件城市是杭州, the night tariff, 本科以上."""
        no, yes = self.opt(self.either(self.word("not"), self._undone)), self.opt(self.word("have"))
        texts = self.columns("category", "text", "list")
        column = self.opt(self.either(texts, partial(self._cued, ("category", "text", "list"))))
        post = self.opt(self.word("beyond", "post"))
        joint = self.either(self.word("and", "or", "nor", "to", "split"), self.comma, self.beside)
        way, several = self.opt(self.word("from", "toward", "by")), self.many(self._a_value, joint)
        for end, (before, to, refs, within, _, values, after_, behind), cost in self.seq(
            at, no, way, column, no, yes, several, post, self.opt(texts)
        ):
            if behind and self.language == "zh" and re.search(r"的\w{1,8}$", self.text[at:end]):
                continue  # 除了山东以外的产地: of which the places are asked
            if to == ("by",) and refs is None and cost >= HEAD:
                continue  # by Ada; but by month is no plan that is monthly
            if after_ is not None and after_[0] == "post":
                options = self._from_order(values[0][0], refs or behind, after_[1]) if len(values[0]) == 1 else ()
            else:
                options = self._among(values, refs, behind, to)
            deny = (before is not None) != (within is not None) or after_ == ("beyond",)
            joints = {j[0] for j in values[1]}
            together = len(values[0]) > 1 and not deny and "or" not in joints
            listed = Listed(of, "split" in joints) if together and (of := list_of(options)) is not None else None
            options += self._each_of(options) if listed and joints == {"and"} else ()
            yield from found(end, self._not(options) if deny else options, cost, listed)
        for end, values, cost in self.many(self._a_row, joint)(at):
            options = self._among(values, None, None, None) if len(values[0]) > 1 else ()
            joints = {j[0] for j in values[1]}
            if options and "or" not in joints and (of := list_of(options)) is not None:
                yield from found(end, options, cost + 0.05, Listed(of, "split" in joints))
        for end, (q, values, refs), cost in self.seq(at, self.word("cmp"), self.value, self.opt(self.columns())):
            yield from found(end, self._from_order(values, refs, q[1]), cost)

    def _undone(self, at: int) -> list[Found]:
        """Not written (by her), did not take (Biology)."""
        done = self.seq(at, self.word("not"), self.word("verb"))
        return [
            (end, ("not",), cost) for end, _, cost in done if self._by_whom(end) or self.value(self.links.skip(end))
        ]

    def _by_whom(self, at: int) -> bool:
        return any(self.word("by")(place) for place, _ in self.gaps(at, most=0))

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

    def comma(self, at: int) -> list[Found]:
        return [(x.end, ("and",), 0.02) for x in self.links.links(at) if x.kind == "break" and x.of in ",，"]

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
        best = [{v.ref: (c, v.value) for v, c in sorted(meant, key=lambda x: -x[1])} for meant in values]
        for ref in best[0]:
            found = [(one[ref][1], one[ref][0]) for one in best if ref in one]
            if len(found) != len(values) or (named and ref not in named) or (behind and ref not in behind):
                continue
            cost = sum(c for _, c in found) + named.get(ref, 0.0) + behind.get(ref, 0.0)
            if way is not None and way[0] != "by":
                told = self.vocabulary.directed(ref)
                cost += 0.05 if not told else 1.5 * (told != ("origin" if way[0] == "from" else "destination"))
            said = [v for v, _ in found]
            if self.column_of(ref).kind != "number" or all(_NUMBER.fullmatch(v) for v in said):
                options.append(Option(self.equal(ref, said, any_of=bool(joined) or len(values) == 1), cost))
        return tuple(options)

    def _each_of(self, options: Options) -> Options:
        """Shoes and headphones, of a table that has many of these rows: one of each; 同时 and both say so."""
        said = 0.05 if re.search("同时|都|both", self.text) is None else -0.4
        out = []
        for test, cost, why in options:
            if not isinstance(test, Test) or not isinstance(test.of, Field):
                continue
            if said < 0 or self.schema.parents(test.of.ref.table):
                each = tuple(replace(test, values=(v,)) for v in test.values)
                out.append(Option[Condition](AllOf(each), cost + said, why))
        return tuple(out)

    def _not(self, options: Options) -> Options:
        """The denial of values; less likely where the column has a value for that: 未通过 for 没通过."""

        def own(c: Condition) -> bool:
            known = self.column_of(c.of.ref).values if isinstance(c, Test) and isinstance(c.of, Field) else ()
            return isinstance(c, Test) and any(f"{no}{v}" in known for v in c.values for no in "未不非")

        return tuple(Option(negated(o.of), o.cost + 0.5 * own(o.of), o.why) for o in options)

    def equal(self, ref: Ref, values: Sequence[str], *, any_of: bool) -> Condition:
        """A column that is one of these values; a list has all of them where "and" stands between."""
        c = self.column_of(ref)
        distinct = tuple(dict.fromkeys(values))
        if c.kind == "number" and all(v.startswith(("=", ">", "<")) for v in distinct):
            tests = tuple(Test(Field(ref), v[0], (_number(v[1:]),)) for v in distinct)
            return tests[0] if len(tests) == 1 else AnyOf(tests)
        if c.kind == "list" and not any_of and len(distinct) > 1:
            return AllOf(tuple(Test(Field(ref), "has", (v,)) for v in distinct))
        meant = tuple(map(_number, distinct)) if c.kind == "number" else distinct
        return Test(Field(ref), "has" if c.kind == "list" else "=", meant)

    def _from_order(self, values: Sequence[tuple[Value, float]], refs: Refs | None, op: str) -> Options:
        """本科以上: the stored values from there on, by the order of the column's hint."""
        options: list[Option[Condition]] = []
        for v, cost in values:
            order = self.column_of(v.ref).hint.order
            if v.value in order and (not refs or v.ref in dict(refs)):
                at = order.index(v.value)
                kept = {">=": order[at:], ">": order[at + 1 :], "<=": order[: at + 1], "<": order[:at]}.get(op)
                options += [Option(Test(Field(v.ref), "=", kept), cost)] if kept else []
        return tuple(options)

    def _cued(self, kinds: tuple[str, ...], at: int) -> list[Found]:
        """Columns that a word of theirs points to, as in a hint: costing, asking for."""
        near = [f for f in self.cue(at) if f[2] <= SYNONYM + HEAD + 0.2]
        return self.fitting(near, lambda c: c.kind in kinds and not c.is_key)

    @remembered
    def of_comparison(self, at: int) -> Iterator[Found]:
        """产量高于平均产量, bills above the average, 比平均月薪高, 力量超过速度, older than Li Lei, 片长比猫的假日长."""
        num = self.opt(self.numeric)
        compared = self.word("cmp")
        for end, (refs, op, _, again), cost in self.seq(at, num, compared, self.word("avg"), num):
            yield from found(end, self._than_average(refs, again, op[1], op[2] if len(op) > 2 else ""), cost)
        adjective = self.word("adj", "comp")
        for end, (refs, _, _, again, adj), cost in self.seq(
            at, num, self.word("than"), self.word("avg"), num, adjective
        ):
            yield from found(end, self._than_average(refs, again, adj[1], adj[2]), cost)
        for end, (refs, op, other), cost in self.seq(at, self.numeric, compared, self.numeric):
            yield from found(end, self._columns(refs, op[1], other), cost)
        for end, (refs, _, other, adj), cost in self.seq(at, self.numeric, self.word("than"), self.numeric, adjective):
            yield from found(end, self._columns(refs, adj[1], other), cost)
        for end, (refs, _, other), cost in self.seq(at, self.numeric, self.word("less"), self.numeric):
            yield from found(end, self._columns(refs, "<", other), cost)
        cued = partial(self._cued, ("number", "date"))
        measured = self.opt(self.either(self.column_of_rows, cued))
        for end, (refs, _, values, again, adj), cost in self.seq(
            at, measured, self.word("than"), self.value, measured, adjective
        ):
            yield from found(end, self._than_row(refs or again, values, adj[1], adj[2]), cost)
        for end, (refs, op, values), cost in self.seq(at, measured, compared, self.value):
            if refs or len(op) > 2:
                yield from found(end, self._than_row(refs, values, op[1], op[2] if len(op) > 2 else ""), cost)
        for end, (more, refs, _, values), cost in self.seq(
            at, self.word("comp", "adj"), self.numeric, self.word("than"), self.value
        ):
            yield from found(end, self._than_row(refs, values, more[1], ""), cost)

    @remembered
    def of_same(self, at: int) -> Iterator[Found]:
        """In the same town as Rosa, 和陆川同部门, heavier than the average of their species, 高于本部门平均月薪."""
        any_column, same = self.columns("category", "text", "number", "date"), self.word("same")
        for end, (_, refs, values), cost in self.seq(at, same, any_column, self.value):
            yield from found(end, self._like_row(refs, values), cost)
        for end, (_, values, _, refs), cost in self.seq(at, self.word("and"), self.value, same, any_column):
            yield from found(end, self._like_row(refs, values), cost)
        for end, (_, values, refs, _), cost in self.seq(at, self.word("and"), self.value, any_column, same):
            yield from found(end, self._like_row(refs, values), cost)
        num, avg, own = self.opt(self.numeric), self.word("avg"), self.word("own")
        kinds, adjective, compared = self.columns("category", "text"), self.word("adj", "comp"), self.word("cmp")
        for end, (refs, op, _, again, _, of), cost in self.seq(at, num, compared, avg, num, own, kinds):
            yield from found(end, self._than_group(refs, again, op, of), cost)
        for end, (refs, op, _, of, _, again), cost in self.seq(at, num, compared, own, kinds, avg, num):
            yield from found(end, self._than_group(refs, again, op, of), cost)
        for end, (refs, _, _, of, _, again, adj), cost in self.seq(
            at, num, self.word("than"), own, kinds, avg, num, adjective
        ):
            yield from found(end, self._than_group(refs, again, adj, of), cost)

    def _than_group(self, refs: Refs | None, again: Refs | None, op: tuple[str, ...], of: Refs) -> Options:
        """More than the average of those that are the same in a column."""
        out: list[Option[Condition]] = []
        for o in self._than_average(refs, again, op[1], op[2] if len(op) > 2 else ""):
            if isinstance(o.of, Versus) and isinstance(o.of.right, Inner):
                table, versus = o.of.right.select.table, o.of
                same = ((replace(o.of.right, alike=(Field(r),)), c) for r, c in of if r.table == table)
                out += [Option(replace(versus, right=right), o.cost + c) for right, c in same]
        return tuple(out)

    def _like_row(self, refs: Refs, values: Sequence[tuple[Value, float]]) -> Options:
        """The same as a row that is called by its name, and not that row."""
        out: list[Option[Condition]] = []
        for v, cost in values:
            himself = Not(Test(Field(v.ref), "=", (v.value,)))
            for o in self._than_row(refs, [(v, cost)], "=", ""):
                out.append(Option(AllOf((o.of, himself)), o.cost))
        return tuple(out)

    def column_of_rows(self, at: int) -> list[Found]:
        """Columns in which rows can be compared: of numbers and days, no keys."""
        return self.fitting(self.columns("number", "date")(at), lambda c: not c.is_key)

    def _than_average(self, refs: Refs | None, again: Refs | None, op: str, adjective: str) -> Options:
        found = refs or again
        if refs and again and not {r for r, _ in refs} & {r for r, _ in again}:
            return ()
        if found is None:
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
            table, own = self.schema.table(v.ref.table), self.column_of(v.ref)
            if not (own is table.title or "label" in own.tags) or not (own.unique or own.key):
                continue
            if refs:
                meant = [(r, c, False) for r, c in refs if r.table == v.ref.table]
            else:
                fits = [(c, about(c, adjective)) for c in table.columns if c.kind in ("number", "date")]
                meant = [(c.ref, GUESSED + 0.2 * f[0], f[1]) for c, f in fits if f is not None]
            for r, c, reverse in meant:
                side = FLIPPED.get(op, op) if reverse else op
                other = Inner(
                    Select(r.table, (Field(r),), where=(Test(Field(v.ref), "=", (v.value,)),), limit=1, distinct=True)
                )
                out.append(Option(Versus(Field(r), side, other), cost + c))
        return tuple(out)


def found(end: int, options: Options, cost: float, listed: Listed | None = None) -> Iterator[Found]:
    if options:
        yield end, (options, listed), cost


def list_of(options: Options) -> Ref | None:
    first = options[0].of if options else None
    return first.of.ref if isinstance(first, Test) and first.op == "=" and isinstance(first.of, Field) else None


def _number(text: str) -> Scalar:
    value = float(text)
    return int(value) if value == int(value) else value
