"""The part of the grammar that compares: with an average, with another column, with a row that is called by its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.text2sql.facts import Option
from lab.text2sql.naming import Value
from lab.text2sql.quantities import FLIPPED, GUESSED, about
from lab.text2sql.reader import Found
from lab.text2sql.schema import Column
from lab.text2sql.tree import Aggregate, Condition, Field, Inner, Select, Test, Versus
from lab.text2sql.values import Options, Refs, Values, found


class Comparisons(Values):
    """Conditions that compare."""

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
        measured = self.opt(self.columns("number", "date"))
        for end, (refs, _, values, again, adj), cost in self.seq(
            at, measured, self.word("than"), self.value, measured, adjective
        ):
            yield from found(end, self._than_row(refs or again, values, adj[1], adj[2]), cost)
        for end, (refs, op, values), cost in self.seq(at, measured, compared, self.value):
            if refs or len(op) > 2:
                yield from found(end, self._than_row(refs, values, op[1], op[2] if len(op) > 2 else ""), cost)
        for end, (more, refs, _, values), cost in self.seq(
            at, self.word("comp"), self.numeric, self.word("than"), self.value
        ):
            yield from found(end, self._than_row(refs, values, more[1], ""), cost)

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
                side = FLIPPED.get(op, op) if reverse else op
                other = Inner(
                    Select(r.table, (Field(r),), where=(Test(Field(v.ref), "=", (v.value,)),), limit=1, distinct=True)
                )
                out.append(Option(Versus(Field(r), side, other), cost + c))
        return tuple(out)
