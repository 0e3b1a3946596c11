"""Finds the columns that a number with its unit fits, and makes its condition."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from lab.text.quantities import Days, Quantity, convert, measure
from lab_packs.text2sql.filling.base import FLIPPED, shifted
from lab_packs.text2sql.filling.durations import Durations
from lab_packs.text2sql.schema import Column, says
from lab_packs.text2sql.slots import Option
from lab_packs.text2sql.tree import Arithmetic, Condition, Field, Ref, Scalar, Test


class Fitting(Durations):
    """Finds the columns that a number with its unit fits, and makes its condition."""

    def of_measure(self, measure_name: str) -> tuple[Option, ...]:
        """Returns the columns of numbers that a unit fits, by their own unit or their topic."""
        about = {
            "money": ("money",),
            "age": ("age",),
            "years": ("years", "experience", "age"),
            "points": ("rating",),
            "percent": ("percent",),
            "weight": ("weight",),
            "minutes": ("duration",),
            "hours": ("duration",),
            "km": ("distance",),
            "metre": ("height", "length", "depth"),
            "floor": ("floor",),
            "months": ("months",),
            "days": ("days", "duration"),
            "temperature": ("temperature",),
        }
        options = []
        for c in self.schema.columns():
            if c.kind != "number" or c.is_key or c.is_year:
                continue
            column_measure = measure(c.hint.unit)[0]
            if column_measure and (
                column_measure == measure_name or convert(1, measure_name, column_measure) is not None
            ):
                # two weeks are rarely stored in minutes
                far = measure_name in ("days", "weeks") and column_measure != measure_name
                options.append(Option(Field(c.ref), c.ref, 0.3 if far else 0.1))
            elif not column_measure and any(word in c.tags for word in about.get(measure_name, ())):
                options.append(Option(Field(c.ref), c.ref, 0.15))
        if measure_name in ("days", "weeks"):
            options += self.lasting()
        if measure_name == "age":
            options += [
                Option(Field(c.ref), c.ref, 0.2)
                for c in self.schema.columns()
                if "birth" in c.tags and (c.kind == "date" or c.is_year)
            ]
        return tuple(options)

    def fitting(self, options: Sequence[Option], op: str, values: tuple[float, ...], q: Quantity) -> tuple[Option, ...]:
        """Returns the options that a number with its unit fits, each with its condition."""
        fitted = []
        for o in options:
            if o.ref is None:
                continue
            c = self.schema.column(o.ref)
            flipped = o.fit < 0
            if isinstance(o.of, Arithmetic):
                if (lasts := self.lasts(o.of, op, values, q.measure)) is not None:
                    fitted.append(replace(o, of=lasts))
                continue
            if c.kind == "date" or (c.is_year and q.measure in ("age", "years")):
                condition = self.aged(c, op, values, q)
                if condition is not None:
                    fitted.append(replace(o, of=condition, fit=0.1 if q.unit else 0.0))
                continue
            converted = self.in_unit(c, values, q)
            if converted is None:
                continue
            stored, misfit = converted
            way = FLIPPED.get(op, op) if flipped else op
            stored = tuple(int(v) if float(v).is_integer() else v for v in stored)
            if len(stored) == 2:
                test = Test(Field(o.ref), "between", stored)
            else:
                test = Test(Field(o.ref), way or "=", stored)
            fitted.append(replace(o, of=test, fit=misfit + (self.outside(c, stored) if o.link > 0.2 else 0.0)))
        return tuple(fitted)

    @staticmethod
    def outside(c: Column, values: Sequence[float]) -> float:
        """How badly numbers lie outside the range of a column."""
        low, high = c.low, c.high
        if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
            return 0.0
        return 0.0 if any(low <= v <= high for v in values) else 0.2

    def in_unit(self, c: Column, values: tuple[float, ...], q: Quantity) -> tuple[tuple[float, ...], float] | None:
        """Converts numbers to the unit of a column, with a cost; None if they measure something else."""
        column_measure, scale = measure(c.hint.unit)
        wanted_measure = q.measure if q.unit else ""
        if not wanted_measure or (wanted_measure == "piece" and column_measure not in ("money",)):
            high = c.high if isinstance(c.high, (int, float)) else 0
            beyond = scale > 1 and min(values) > 10 * high
            return tuple(v / scale if beyond else v for v in values), 0.0
        if not column_measure:
            if wanted_measure in ("hours", "days", "weeks", "seconds", "minutes"):
                low, high = (v if isinstance(v, (int, float)) else 0.0 for v in (c.low, c.high))
                minutes = tuple(convert(v, wanted_measure, "minutes") or 0.0 for v in values)
                if not any(low <= v <= high for v in values) and any(low <= v <= high for v in minutes):
                    return minutes, 0.1
            if wanted_measure == "percent":
                high = c.high if isinstance(c.high, (int, float)) else 100
                return (
                    (tuple(v / 100 for v in values), 0.1) if 0 < high <= 1 else (values, 0.1) if high <= 100 else None
                )
            kinds = {
                "money": {"money", "price", "salary", "value"},
                "age": {"age"},
                "weight": {"weight"},
                "points": {"rating"},
                "temperature": {"temperature"},
            }
            if c.tags and wanted_measure in kinds and not c.tags & kinds[wanted_measure]:
                return None
            if c.tags & {"money"} and wanted_measure != "money":
                return None
            return values, 0.1
        if column_measure == wanted_measure:
            return tuple(round(v / scale, 9) for v in values), 0.0
        converted = [convert(v, wanted_measure, column_measure) for v in values]
        far = (
            0.2
            if wanted_measure in ("days", "weeks") and column_measure != "days" and "duration" not in c.tags
            else 0.0
        )
        if all(v is not None for v in converted):
            return tuple(v for v in converted if v is not None), far
        return (values, 0.1) if {column_measure, wanted_measure} <= {"years", "age"} else None

    def aged(self, c: Column, op: str, values: tuple[float, ...], q: Quantity) -> Condition | None:
        """Older than 30 by a day or a year of birth; more than three years by the day that something began."""
        if (
            q.measure not in ("age", "years")
            and not (q.unit == "" and op and "birth" in c.tags)
            or len(values) > 2
            or max(values) > 150
        ):
            return None
        if not ("birth" in c.tags or says(c, "joined") or says(c, "made")):
            return None
        if c.is_year:
            years = [self.as_of.year - v for v in values]
            way = FLIPPED.get(op, "=")
            return (
                Test(Field(c.ref), "between", (years[1], years[0]))
                if len(years) == 2
                else Test(Field(c.ref), way, (int(years[0]),))
            )

        def born(n: float) -> str:
            year = self.as_of.year - int(n)
            day = self.as_of
            try:
                return day.replace(year=year).isoformat()
            except ValueError:
                return day.replace(year=year, day=28).isoformat()

        def tomorrow(iso: str) -> str:
            return (dt.date.fromisoformat(iso) + dt.timedelta(1)).isoformat()

        n = values[0]
        if len(values) == 2:
            return Test(Field(c.ref), "during", (tomorrow(born(values[1] + 1)), tomorrow(born(n))))
        if op in (">", ">="):
            return Test(
                Field(c.ref),
                "during",
                (
                    None,
                    tomorrow(born(n + (1 if op == ">" and "birth" in c.tags else 0)))
                    if "birth" in c.tags or op == ">="
                    else born(n),
                ),
            )
        if op in ("<", "<="):
            return Test(Field(c.ref), "during", (tomorrow(born(n + (1 if op == "<=" else 0))), None))
        return Test(Field(c.ref), "during", (tomorrow(born(n + 1)), tomorrow(born(n))))

    def during(self, ref: Ref, values: tuple[Scalar, ...]) -> Condition | None:
        """A stretch of days on a column; on a column of years only whole years."""
        if self.schema.column(ref).is_year:
            days = [dt.date.fromisoformat(str(v)) for v in values if v is not None]
            if any((d.month, d.day) != (1, 1) for d in days):
                return None
        return Test(Field(ref), "during", values)

    @staticmethod
    def same_year(a: Days, b: Days) -> tuple[dt.date, dt.date, Days]:
        """Gives a period without a year the year of the other one (2023年3月到5月)."""
        if a.yearless:
            a = shifted(a, b.first.year - a.first.year)
            if a.first > b.first:
                a = shifted(a, -1)
        else:
            b = shifted(b, a.first.year - b.first.year)
            if b.first < a.first:
                b = shifted(b, 1)
        return a.first, a.after, b
