"""How long something takes: the days from the day on which a row begins to the day on which it ends."""

from __future__ import annotations

from lab.text.quantities import convert
from lab_packs.text2sql.filling.base import Base
from lab_packs.text2sql.schema import Column, Table, says
from lab_packs.text2sql.slots import Option
from lab_packs.text2sql.tree import Arithmetic, Condition, Field, Test


class Durations(Base):
    """Days between two days of a row."""

    def lasting(self) -> tuple[Option, ...]:
        """Returns the duration of rows, for every table with a first and a last day."""
        options = []
        for table in self.schema.tables:
            if (pair := first_and_last(table)) is not None:
                first, last = pair
                options.append(Option(Arithmetic("-", Field(last.ref), Field(first.ref)), last.ref, 0.2))
        return tuple(options)

    @staticmethod
    def lasts(of: Arithmetic, op: str, values: tuple[float, ...], unit: str) -> Condition | None:
        """A number of days, weeks or hours that rows last; None for another unit."""
        days = [convert(v, unit, "days") for v in values]
        if any(d is None for d in days) or len(days) != 1:
            return None
        return Test(of, op or "=", (round(float(days[0] or 0.0), 6),))


def first_and_last(table: Table) -> tuple[Column, Column] | None:
    """The day on which rows of a table begin and the day on which they end, if it has just one such pair."""
    days = [c for c in table.columns if c.kind == "date" and "birth" not in c.tags]
    days = [c for c in days if says(c, "finish") or not says(c, "due")]
    last = [c for c in days if says(c, "finish") or says(c, "done")]
    first = [c for c in days if c not in last and not says(c, "stamped")] or [c for c in days if c not in last]
    return (first[0], last[0]) if len(first) == len(last) == 1 else None
