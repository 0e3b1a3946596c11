"""The part of the grammar that reads stored values, and what compares: with an average, a column, a row by its name."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from lab.text2sql import tree
from lab.text2sql.facts import Exprs, Listed, Option, Options, Refs, Where
from lab.text2sql.forms import HEAD, is_han
from lab.text2sql.naming import Value
from lab.text2sql.numbers import measure_of
from lab.text2sql.quantities import FLIPPED, GUESSED, Quantities, Role, about, negated, numeric
from lab.text2sql.reader import Finds, Found, Way, remembered, ways
from lab.text2sql.schema import Column, says
from lab.text2sql.tree import Aggregate, AllOf, AnyOf, Condition, Field, Inner, Not, Ref, Scalar, Select, Test, Versus

Meant = Sequence[tuple[Value, float]]
_CALLED = re.compile("老师|师傅|医生|大夫|教练|先生|女士|小姐|同学|经理|律师|护士|教授")
"""What is said behind the name of somebody, out of courtesy."""
_NUMBER = re.compile(r"[=<>]?-?\d+(\.\d+)?")


class Values(Quantities):
    """Conditions that name values."""

    @remembered
    def of_value(self, at: int) -> Finds:
        """在杭州, Roman or Inca, not from Spain, 除了东坡和河湾以外, 寄件城市是杭州, the night tariff, 本科以上: a `Where`."""
        texts = self.columns("category", "text", "list")
        column = self.opt(texts, self.cued("category", "text", "list"))
        no, yes = self.opt(self.word("not"), self._undone), self.opt("have")
        joint = self.either(self.word("and", "or", "nor", "to", "split"), self.comma, self._beside)
        way, several = self.opt(self.word("from", "toward", "by")), self.many(self._a_value, joint)
        parts = (no, way, column, no, yes, several, self.opt(self.word("beyond", "post")), self.opt(texts))
        for end, (before, to, refs, within, (values, joints), after, behind), cost in self.seq(at, *parts):
            if refs and re.search("[里中]带", self.text[at:end]):
                continue  # 书名里带三体: not all of it
            if behind and self.language == "zh" and re.search(r"的\w{1,8}$", self.text[at:end]):
                continue  # 除了山东以外的产地: of which the places are asked
            if to == ("by",) and refs is None and cost >= HEAD:
                continue  # by Ada; but by month is no plan that is monthly
            if after is not None and after[0] == "post":
                options = self._from_order(values[0], refs or behind, after[1]) if len(values) == 1 else ()
            else:
                options = self._among(values, joints, refs or (), behind or (), to)
            deny = (before is not None) != (within is not None) or after == ("beyond",)
            listed = None if deny else _listed(options, values, joints)
            options += self._each_of(options) if listed and {*joints} == {("and",)} else ()
            if options:
                yield end, Where(self._not(options) if deny else options, listed), cost
        for end, (values, joints), cost in self.many(self._a_row, joint)(at):
            options = self._among(values, joints) if len(values) > 1 else ()
            if listed := _listed(options, values, joints):
                yield end, Where(options, listed), cost + 0.05
        for end, (op, meant, refs), cost in self.seq(at, self.word("cmp"), self.value, self.opt(self.columns())):
            if options := self._from_order(meant, refs, op[1]):
                yield end, Where(options), cost

    def _undone(self, at: int) -> list[Found]:
        """Not written (by her), did not take (Biology)."""
        done = self.seq(at, "not", "verb")
        return [(end, "not", c) for end, _, c in done if self.stands("by", end) or self.stands(self.value, end)]

    @remembered
    def _a_value(self, at: int) -> Finds:
        """A value, with what kind of thing it is behind it: 动画片, 一级品, IMAX厅."""
        for end, values, cost in self.value(at):
            yield end, values, cost
            yield from ((e, values, cost + c + 0.02) for e, _, c in self.word("unit")(end))
            if (m := _CALLED.match(self.text, end)) and all(map(self._calls, values)):  # 赵敏老师
                yield m.end(), values, cost + 0.02
            kind = self.text[end : end + 1]
            said = (one for one in values if is_han(kind) and kind in one[0].ref.column + one[0].ref.table)
            yield end + 1, tuple(said), cost + 0.05

    def _calls(self, named: tuple[Value, float]) -> bool:
        """Whether a value may be the name of somebody."""
        c = self.column_of(named[0].ref)
        return 1 < len(named[0].value) < 5 and is_han(c.name) and ("person" in c.tags or c.name.endswith("姓名"))

    @remembered
    def _a_row(self, at: int) -> Finds:
        """A value with the rows that have it, as one of several: 男球员和女球员, critical jobs versus low ones."""
        yield from self._a_value(at)
        for end, (values, t), cost in self.seq(at, self._a_value, self.table, tight=True):
            yield end, tuple((v, c) for v, c in values if v.ref.table == t), cost + 0.05

    def comma(self, at: int) -> list[Found]:
        return [(x.end, ("and",), 0.02) for x in self.links.links(at) if x.kind == "break" and x.of in ",，"]

    def _beside(self, at: int) -> list[Found]:
        """Two Chinese values without a word between: 男女."""
        close = 0 < at < len(self.text) and is_han(self.text[at - 1]) and is_han(self.text[at])
        return [(at, ("and",), 0.15)] if close else []

    def _among(
        self,
        values: Sequence[Meant],
        joints: Sequence[Role],
        refs: Refs = (),
        after: Refs = (),
        way: Role | None = None,
    ) -> Options:
        """The tests of a list of values, for every column that holds them all."""
        any_of = len(values) == 1 or not {"or", "nor"}.isdisjoint(j[0] for j in joints)
        named, behind, options = dict(refs), dict(after), list[Option[Condition]]()
        best = [{v.ref: (v.value, c) for v, c in sorted(meant, key=lambda x: -x[1])} for meant in values]
        for ref in best[0]:
            if not all(ref in one for one in (*best, named or best[0], behind or best[0])):
                continue
            said, costs = zip(*(one[ref] for one in best), strict=True)
            cost = sum(costs) + named.get(ref, 0.0) + behind.get(ref, 0.0)
            if way is not None and way[0] != "by":
                told = self.vocabulary.directed(ref)
                cost += 0.05 if not told else 1.5 * (told != ("origin" if way[0] == "from" else "destination"))
            if self.column_of(ref).kind != "number" or all(map(_NUMBER.fullmatch, said)):
                options.append(Option(self.equal(ref, said, any_of=any_of), cost))
        return tuple(options)

    def _each_of(self, options: Options) -> Options:
        """Shoes and headphones, of a table that has many of these rows: one of each; 同时 and both say so."""
        both, out = re.search("同时|都|both", self.text), list[Option[Condition]]()
        for test, cost, why in options:
            if isinstance(test, Test) and (both or any(map(self.schema.parents, tree.tables(test)))):
                each = tuple(replace(test, values=(v,)) for v in test.values)
                out.append(Option(AllOf(each), cost + (-0.4 if both else 0.05), why))
        return tuple(out)

    def _not(self, options: Options) -> Options:
        """The denial of values; less likely where the column has a value for that: 未通过 for 没通过."""

        def own(c: Condition) -> bool:
            known = self.column_of(c.of.ref).values if isinstance(c, Test) and isinstance(c.of, Field) else ()
            return isinstance(c, Test) and any(f"{no}{v}" in known for v in c.values for no in "未不非")

        return tuple(Option(negated(o.of), o.cost + 0.5 * own(o.of), o.why) for o in options)

    def equal(self, ref: Ref, values: Sequence[str], *, any_of: bool) -> Condition:
        """A column that is one of these values; a list has all of them where "and" stands between."""
        c, of, distinct = self.column_of(ref), Field(ref), tuple(dict.fromkeys(values))
        if c.kind == "number" and all(v.startswith(("=", ">", "<")) for v in distinct):
            tests = tuple(Test(of, v[0], (_number(v[1:]),)) for v in distinct)
            return tests[0] if len(tests) == 1 else AnyOf(tests)
        if c.kind == "list" and not any_of and len(distinct) > 1:
            return AllOf(tuple(Test(of, "has", (v,)) for v in distinct))
        meant = tuple(map(_number, distinct)) if c.kind == "number" else distinct
        return Test(of, "has" if c.kind == "list" else "=", meant)

    def _from_order(self, values: Meant, refs: Refs | None, op: str) -> Options:
        """本科以上: the stored values from there on, by the order of the column's hint."""
        options = list[Option[Condition]]()
        for v, cost in values:
            order = self.column_of(v.ref).hint.order
            if v.value in order and (not refs or v.ref in dict(refs)):
                at = order.index(v.value)
                kept = {">=": order[at:], ">": order[at + 1 :], "<=": order[: at + 1], "<": order[:at]}.get(op)
                options += [Option(Test(Field(v.ref), "=", kept), cost)] if kept else []
        return tuple(options)

    @remembered
    @ways
    def of_comparison(self) -> Iterator[Way]:
        """产量高于平均产量, bills above the average, 比平均月薪高, 力量超过速度, older than Li Lei, 片长比猫的假日长.

        In the same town as Rosa, 和陆川同部门, heavier than the average of their species, 高于本部门平均月薪.
        """
        number, average, than = self.numeric, self._than_average, self._than_row
        adjective = self._plainly
        compared, num = self.word("cmp"), self.opt(number)
        measured = self.opt(self.columns("number", "date", keys=False), self.cued("number", "date"))
        yield (num, compared, "avg", num), average
        yield (adjective, number, "than", "avg"), lambda op, refs: average(refs, op, None)  # a higher consumption than
        their, table = self._than_their_average, self.opt(self.table)
        yield (adjective, number, "than", "avg", self.value), lambda op, refs, v: their(refs, op, None, v)
        if self.language == "en":  # 高于平均产量的樱桃 are cherries
            yield (num, compared, "avg", num, self.value), their
        yield (num, "than", self.value, "avg", num, adjective), lambda a, v, b, op: their(a, op, b, v)
        yield (num, compared, "all", table, "avg", num), lambda refs, op, _, again: average(refs, op, again)
        yield (num, "than", "all", table, "avg", num, adjective), lambda refs, _, again, op: average(refs, op, again)
        yield (num, "than", "avg", num, adjective), lambda refs, again, op: average(refs, op, again)
        yield (number, compared, number), lambda refs, op, other: self._columns(refs, op[1], other)
        yield (number, "than", number, adjective), lambda refs, other, op: self._columns(refs, op[1], other)
        days = self.either(self.columns("date"), self.cued("date"))  # paid after the due date
        for role, op in (("past", ">"), ("before", "<")):
            yield (days, role, self.columns("date")), lambda a, b, op=op: self._columns(a, op, b)
        yield (days, "late"), self._late
        yield ("belated",), lambda: self._late([(c.ref, 0.1) for c in self.schema.columns() if says(c, "done")])
        scaled, worth = (number, compared, number, self._parts_of_it), self.revenue()
        yield scaled, lambda refs, op, other, n: self._columns(refs, op[1], other, n)
        yield ("earned", self.quantity), lambda q: tuple(Option(numeric(o.of, q, q.values), o.cost) for o in worth)
        yield (number, "less", number), lambda refs, other: self._columns(refs, "<", other)
        yield (measured, "than", self.value, measured, adjective), lambda a, v, b, op: than(a or b, v, *op[1:3])
        yield (measured, compared, self.value), lambda refs, op, v: (refs or op[2:]) and than(refs, v, *op[1:3])
        yield (adjective, number, "than", self.value), lambda op, refs, v: than(refs, v, op[1])
        column, like = self.columns("category", "text", "number", "date"), self._like_row
        yield ("same", column, self.value), lambda refs, values: like(values, refs)
        yield ("and", self.value, "same", column), like
        yield ("and", self.value, column, "same"), like
        kinds = self.columns("category", "text")
        yield (num, compared, "avg", num, "own", kinds), average
        yield (num, compared, "own", kinds, "avg", num), lambda refs, op, of, again: average(refs, op, again, of)
        grouped = num, "than", "own", kinds, "avg", num, adjective
        yield grouped, lambda refs, of, again, op: average(refs, op, again, of)

    def _late(self, refs: Refs) -> Options:
        """Done after the day on which it was due."""
        due = [(c.ref, 0.0) for c in self.schema.columns() if says(c, "due")]
        return self._columns(refs, ">", due)

    def _plainly(self, at: int) -> list[Found]:
        """An adjective behind which it is not asked how much: 比…高多少."""
        return [f for f in self.word("adj", "comp")(at) if not self.text.startswith(("多少", "几"), f[0])]

    def _like_row(self, values: Meant, refs: Refs) -> Options:
        """The same as a row that is called by its name, and not that row."""
        return tuple(
            Option(AllOf((same.of, Not(Test(Field(v.ref), "=", (v.value,))))), same.cost)
            for v, cost in values
            for same in self._than_row(refs, [(v, cost)], "=")
        )

    def _meant_by(self, adjective: str, columns: Iterable[Column]) -> list[tuple[Ref, float, bool]]:
        """The columns that an adjective is about, how far-fetched that is, and whether their order is turned."""
        fits = ((c, about(c, adjective)) for c in columns)
        return [(c.ref, GUESSED + 0.3 * f[0] + 0.6 * self.costs(c), f[1]) for c, f in fits if f is not None]

    def _than_average(self, refs: Refs | None, op: Role, again: Refs | None, of: Refs | None = None) -> Options:
        """More than the average: of all, or of those that are the same in a column."""
        if refs and again and not {r for r, _ in refs} & {r for r, _ in again}:
            return ()
        numbers = (c for c in self.schema.columns() if c.kind == "number")
        named = [(r, c, False) for r, c in refs or again or ()]
        groups = [((Field(r),), c, r.table) for r, c in of] if of is not None else [((), 0.0, None)]
        out = list[Option[Condition]]()
        for r, cost, turned in named or self._meant_by("".join(op[2:3]), numbers):
            average = Select(r.table, measures=(Aggregate("avg", Field(r)),))
            near = ((alike, far) for alike, far, table in groups if table in (None, r.table))
            more = FLIPPED[op[1]] if turned else op[1]  # older is born earlier
            if not self.column_of(r).is_key:
                out += (Option(Versus(Field(r), more, Inner(average, alike)), cost + far) for alike, far in near)
        return tuple(out)

    def _than_their_average(self, refs: Refs | None, op: Role, again: Refs | None, values: Meant) -> Options:
        """More than the average of those of one kind: heavier than the average cat."""
        out = list[Option[Condition]]()
        for o, (v, cost) in itertools.product(self._than_average(refs, op, again), values):
            c = o.of
            if isinstance(c, Versus) and isinstance(c.right, Inner) and c.right.select.table == v.ref.table:
                kind = replace(c.right.select, where=(self.equal(v.ref, (v.value,), any_of=True),))
                out.append(Option(replace(c, right=Inner(kind)), o.cost + cost - 0.3))
        return tuple(out)

    def revenue(self) -> Exprs:
        """The prices of what was sold by how much of it, where no column has what comes to."""
        out: Exprs = ()
        for t in self.schema.tables:
            numbers = [c for c in t.columns if c.kind == "number" and not c.is_key]
            prices = [(c.ref, 0.0) for c in numbers if c.tags >= {"price", "each"}]
            pieces = [(c.ref, 0.0) for c in numbers if c.about & {"piece", "weight"} and "each" not in c.tags]
            whole = any("money" in c.about and "each" not in c.tags for c in numbers)
            sold = any(w in t.name for w in ("售", "卖", "订")) and len(prices) == len(pieces) == 1 and not whole
            out += products(pieces, prices) if sold else ()
        return out

    def _parts_of_it(self, at: int) -> list[Found]:
        """一半, 七成, 80%, 两倍: by what another number is multiplied."""
        found = [(at + 2, 0.5, 0.0)] if self.text.startswith("一半", at) else []
        for end, n, cost in self.number(at):
            if scale := {"成": 0.1, "倍": 1.0}.get(self.text[end : end + 1]):
                found.append((end + 1, round(n.value * scale, 6), cost))
            found += [(end, n.value / 100, cost)] if measure_of(n.unit) == "percent" else []
        return found

    def _columns(self, left: Refs, op: str, right: Refs, times: float = 1.0) -> Options:
        """One column and another of the same table (or so many times that), in the same unit."""
        out = list[Option[Condition]]()
        for (a, x), (b, y) in itertools.product(left, right):
            c, d = self.column_of(a), self.column_of(b)
            alike = "key" not in c.tags | d.tags and len({c.hint.unit, d.hint.unit} - {""}) < 2
            if a != b and a.table == b.table and alike:
                ratio = Test(tree.Arithmetic("/", Field(a), Field(b)), op, (times,))
                out.append(Option(Versus(Field(a), op, Field(b)) if times == 1.0 else ratio, x + y))
        return tuple(out)

    def _than_row(self, refs: Refs | None, values: Meant, op: str, adjective: str = "") -> Options:
        """More than a row that is called by its name has."""
        out = list[Option[Condition]]()
        for v, cost in values:
            table, own = self.schema.table(v.ref.table), self.column_of(v.ref)
            if not (own is table.title or "label" in own.tags) or not (own.unique or own.key):
                continue
            guessed = self._meant_by(adjective, [c for c in table.columns if c.kind in ("number", "date")])
            named = ((r, c, False) for r, c in refs or () if r.table == table.name)
            row = (Test(Field(v.ref), "=", (v.value,)),)
            for r, c, turned in named if refs else guessed:
                other = Inner(Select(r.table, (Field(r),), where=row, limit=1, distinct=True))
                out.append(Option(Versus(Field(r), FLIPPED.get(op, op) if turned else op, other), cost + c))
        return tuple(out)


def _listed(options: Options, values: Sequence[Meant], joints: Sequence[Role]) -> Listed | None:
    """Several values of one column that are not joined by "or"."""
    said = {j[0] for j in joints}
    several = [o.of for o in options[:1] if len(values) > 1 and "or" not in said]
    fields = [c.of for c in several if isinstance(c, Test) and c.op == "="]
    return next((Listed(of.ref, "split" in said) for of in fields if isinstance(of, Field)), None)


def products(left: Refs, right: Refs) -> Exprs:
    """The products of every two columns of a table."""
    pairs = ((Field(a), Field(b), x + y) for a, x in left for b, y in right if a.table == b.table and a != b)
    return tuple(Option(tree.Arithmetic("*", a, b), c) for a, b, c in pairs)


def _number(text: str) -> Scalar:
    value = float(text)
    return int(value) if value == int(value) else value
