"""Reads measures: how many, average price, 总金额, how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lab.text.quantities import measure
from lab_packs.text2sql.calling import PART
from lab_packs.text2sql.filling.fitting import Fitting
from lab_packs.text2sql.hints import words_of
from lab_packs.text2sql.lexicon import words_in
from lab_packs.text2sql.slots import Flag, Measure, Missing, Noun, Option, Show
from lab_packs.text2sql.tagging import Span

GOODS = (*"件杯瓶份箱包袋盒只斤升", "units", "copies", "bottles", "cups", "boxes", "bags", "pieces")
"""Units in which goods are counted: their pieces are added up."""
THINGS = (*"台套辆部本张块条双", "个", "items")
"""Units of goods and of rows alike: added up only where a table has a quantity, and its rows are not these things."""


ROWS = ("rows", "row", "records", "record", "entries", "lines", "行", "记录", "数据")
"""Words for rows, whatever they are about."""
SOLD = frozenset(
    words_in(
        "sold, sell, sells, bought, purchased, ordered, 卖, 卖了, 卖出, 卖出去, 卖掉, 售出, 销售, 出售, 买, 买了, 订, 订了"
    )
)
"""Verbs of goods, of which a table with a quantity counts the pieces."""


def is_quantity(name: str) -> bool:
    """Whether a column of this name holds how many of a thing there are: qty, 数量."""
    return bool({"quantity", "qty"} & {*words_of(name)}) or any(w in name for w in ("数量", "件数", "销量", "台数"))


class Measures(Fitting):
    """Reads measures: how many, average price, 总金额, how much."""

    def measured(self, i: int) -> int:
        s = self.spans[i]
        fn = next((f for f in ("avg", "sum", "max", "min", "median") if s.is_(f)), "")
        if s.is_("count") and s.links and self.last_is_noun(s):
            return self.counted(i)
        if s.is_("count") and not (
            s.links and self.best(s) == "column" and not s.text.startswith(("how", "多少", "几"))
        ):
            return self.counted(i)
        if (two := s.role("share", "ratio", "difference", "days_between")) is not None and not s.links:
            self.add(Flag(s.start, s.end, two.name.replace("_", " ")))
            return i + 1
        if s.is_("much", "how"):
            return self.much(i)
        if s.is_("turnover") and not s.links:
            return self.turnover(i)
        if not fn or (fn == "sum" and s.links and s.text.lower().endswith("s") and self.best(s) == "column"):
            return i  # totals: the column
        if (end := self.listed(i, fn)) > i:
            return end
        k, nxt = self.ahead(i + 1)
        if fn == "avg" and nxt is not None and nxt.mark:
            k, nxt = self.ahead(i + 1, marks=True)
        if (
            fn == "sum"
            and any(x.is_("count", "much") for x in self.spans[i + 1 : i + 5])
            and not bool(self.columns(nxt, "number", cues=False))
        ):
            return i + 1
        options = self.columns(nxt, "number", "date", "year", cues=False)
        rows = self.tables(nxt)
        row_tables = {str(o.of) for o in rows}
        if options and nxt is not None:
            self.add(Measure(s.start, nxt.end, fn, options))
            return self.more_measured(k + 1, fn)
        previous = self.last_named(i, "number", "date", "year")
        if previous is not None:
            self.add(Measure(previous.start, s.end, fn, previous.options))
            return i + 1
        if nxt is not None and nxt.is_("count") and fn == "avg":
            k2, after = self.ahead(k + 1)
            options = self.columns(after, "number", cues=False)
            if (
                options
                and after is not None
                and not (self.tables(after) and self.tables(after)[0].link <= options[0].link)
            ):
                self.add(Measure(s.start, after.end, fn, options))
                return k2 + 1
            self.add(Flag(s.start, s.end, "average count"))
            return i + 1
        # average rent of flats; total sales
        if nxt is not None and (table := self.tables(nxt)) and fn in ("avg", "sum"):
            later = self.at(self.skip(k + 1))
            options = self.columns(later, "number", cues=False)
            row_tables = {str(o.of) for o in table}
            options = tuple(o for o in options if o.ref and o.ref.table in row_tables) or options
            if options and later is not None:
                self.add(Noun(nxt.start, nxt.end, table))
                self.add(Measure(s.start, later.end, fn, options))
                return self.skip(k + 1) + 1
        self.add(Measure(s.start, s.end, fn, ()))
        return i + 1

    def turnover(self, i: int) -> int:
        """Reads 总额: the sum of the amount beside it, or of all amounts of the rows."""
        s = self.spans[i]
        ahead = self.columns(self.at(self.skip(i + 1)), "number", cues=False)
        named = None if ahead else self.last_named(i, "number")
        options = ahead or (named.options if named is not None else ())
        self.add(Measure(named.start if named is not None else s.start, s.end, "sum", options, about="money"))
        return self.skip(i + 1) + 1 if ahead else i + 1

    def listed(self, i: int, fn: str) -> int:
        """Reads several numbers of one column: the average, minimum and maximum price."""
        functions, k = [(self.spans[i], fn)], i
        while True:
            k = self.skip(k + 1, marks=True)
            while (joint := self.at(k)) is not None and (joint.is_("and") or joint.text in ("、", ",")):
                k = self.skip(k + 1, marks=True)
            s = self.at(k)
            other = next((f for f in ("avg", "sum", "max", "min") if s is not None and s.is_(f)), "")
            if s is None or not other or (s.links and self.best(s) == "column"):
                break
            functions.append((s, other))
        options = self.columns(self.at(k), "number", cues=False)
        if len(functions) < 2 or not options:
            return i
        for span, each in functions:
            self.add(Measure(span.start, self.spans[k].end if span is functions[-1][0] else span.end, each, options))
        return k + 1

    def last_is_noun(self, s: Span) -> bool:
        """Whether rows are named right before a span."""
        last = self.out.slots[-1] if self.out.slots else None
        return isinstance(last, Noun) and last.end == s.start

    def more_measured(self, i: int, fn: str) -> int:
        """Average price and stock: the measure of a second column."""
        k, joint = self.ahead(i)
        if joint is not None and joint.is_("and"):
            nxt = self.at(self.skip(k + 1))
            options = self.columns(nxt, "number", cues=False)
            after = self.at(self.skip(k + 1) + 1)
            if options and nxt is not None and not (after is not None and after.is_("compare")):
                self.add(Measure(nxt.start, nxt.end, fn, options))
                return self.skip(k + 1) + 1
        return i

    def counted(self, i: int) -> int:
        s = self.spans[i]
        if s.text.lower() in ("how often", "how many times"):
            self.add(Measure(s.start, s.end, "count", about="times"))
            return i + 1
        if (plain := self.at(i + 1)) is not None and plain.text.lower() in ROWS and not plain.links:
            self.add(Measure(s.start, plain.end, "count"))
            return i + 2
        k, nxt = self.ahead(i + 1)
        open_ = next(
            (n for n, x in enumerate(self.out.slots) if isinstance(x, Measure) and x.fn == "avg" and not x.options), -1
        )
        if (
            open_ >= 0
            and nxt is not None
            and nxt.unit
            and not nxt.links
            and (options_of_unit := self.of_measure(measure(nxt.unit)[0]))
        ):
            self.out.slots[open_] = replace(self.out.slots[open_], options=options_of_unit)  # type: ignore[call-arg]
            return k + 1
        if nxt is not None and nxt.is_("different"):
            self.add(Flag(nxt.start, nxt.end, "distinct"))
            k, nxt = self.ahead(k + 1)
        if nxt is not None and nxt.unit and not nxt.links and measure(nxt.unit)[0] != "piece":  # 多少公斤, how many kg
            options = self.by_unit(nxt.unit)
            if options:
                self.add(Measure(s.start, nxt.end, "sum", options))
                return k + 1
        if nxt is not None and nxt.links:
            tables, columns = self.tables(nxt), self.columns(nxt, cues=False)
            best = self.best(nxt)
            counts = [o for o in columns if self.pieces(o.ref) and "piece" in self.schema.column(o.ref).about]  # type: ignore[arg-type]
            rows = tables and (
                not columns or tables[0].link <= columns[0].link or (not counts and tables[0].link <= PART)
            )
            if rows and tables[0].link > 0 and best != "value" and (goods := self.of_sales()):
                self.add(Measure(s.start, nxt.end, "sum", goods))  # how many items were sold
                return k + 1
            if rows and best != "value" or (rows and not counts and best == "column"):
                self.add(
                    Measure(
                        s.start, nxt.end, "count", noun=Noun(nxt.start, nxt.end, tables, "counted", columns=columns)
                    )
                )
                return k + 1
            if columns and best != "value" and self.is_state(k, columns):
                self.add(Measure(s.start, s.end, "count"))
                return k
            if columns and best != "value":
                numbers = tuple(o for o in columns if self.kind(o.ref) == "number" and self.pieces(o.ref))
                choices = numbers or columns
                self.add(Measure(s.start, nxt.end, "sum" if numbers else "distinct", choices))
                return k + 1
        ends = tuple(
            Option(t.name, None, PART)
            for t in self.schema.tables
            if s.text.endswith("单") and (t.name.endswith("单") or t.label("zh").endswith("单"))
        )
        if ends:
            self.add(Measure(s.start, s.end, "count", noun=Noun(s.start, s.end, ends, "counted")))
            return i + 1
        filler = (
            s.text[-1:]
            if not s.text.isascii()
            else (nxt.unit if nxt is not None and nxt.unit and not nxt.links else "")
        )
        if filler and measure(filler)[0] == "piece" and (pieces := self.of_goods(filler)):
            self.add(Measure(s.start, nxt.end if nxt is not None and nxt.unit == filler else s.end, "sum", pieces))
            return k + 1 if nxt is not None and nxt.unit == filler else i + 1
        if s.is_("people") and self.text[s.end : s.end + 1] != "次":
            self.add(Measure(s.start, s.end, "count", about="people"))
            return i + 1
        if goods := self.of_sales():
            self.add(Measure(s.start, s.end, "sum", goods))
            return i + 1
        noun = self.last_noun(i)
        named = self.last_named(i) if noun is None else None
        if noun is not None:
            self.add(Measure(noun.start, s.end, "count", noun=replace(noun, use="counted")))
        elif (
            named is not None
            and not named.cue
            and s.text in ("数", "数量", "个数", "总数", "多少", "count", "有多少")
            and self.kind(named.options[0].ref) == "number"
        ):
            self.add(Measure(named.start, s.end, "sum", named.options))
        elif named is not None and not named.cue:
            self.add(Measure(named.start, s.end, "distinct", named.options))
        else:
            if named is not None:
                self.put_back()
            self.add(Measure(s.start, s.end, "count", about="times" if s.text.endswith("次") else ""))
        return i + 1

    def is_state(self, k: int, columns: Sequence[Option]) -> bool:
        """Whether columns are of yes and no, or a number describes rows: how many late flights."""
        behind = self.at(k + 1)
        described = behind is not None and bool(self.tables(behind)) and self.best(behind) == "table"
        return all(self.kind(o.ref) == "boolean" or (described and self.pieces(o.ref)) for o in columns)

    def volume(self, i: int) -> int:
        """Reads the number of rows as their volume: 借阅量; of things with a quantity it is not: 设备量."""
        noun = self.out.slots[-1] if self.out.slots and self.spans[i].is_("volume") else None
        tables = (
            {str(o.of) for o in noun.tables} if isinstance(noun, Noun) and noun.end == self.spans[i].start else set()
        )
        counts_rows = tables & {f.table for f in self.schema.foreign_keys} or (tables and not self.of_pieces(""))
        return self.counted(i) if counts_rows else i

    def of_goods(self, unit: str) -> tuple[Option, ...]:
        """Returns the columns with the number of goods that are counted in a unit."""
        if unit in GOODS:
            return self.of_pieces(unit)
        whats = [x for x in self.out.slots if isinstance(x, Noun)]
        if unit not in THINGS or whats or not self.is_alone:
            return ()
        return tuple(o for o in self.of_pieces(unit) if o.ref and is_quantity(o.ref.column))

    def of_sales(self) -> tuple[Option, ...]:
        """Returns the columns with the number of goods, where a verb says that goods were sold or bought."""
        if not self.is_alone or not any(s.text.lower() in SOLD for s in self.spans):
            return ()
        if any(isinstance(x, Noun) for x in self.out.slots):
            return ()
        return tuple(o for o in self.of_pieces("件") if o.ref and is_quantity(o.ref.column))

    def last_noun(self, i: int) -> Noun | None:
        """The rows that are named right before a span, taken out of the slots: 订单有多少."""
        slot = self.out.slots[-1] if self.out.slots else None
        if isinstance(slot, Noun) and slot.use == "what" and self.near(slot.end, self.spans[i].start):
            self.out.slots.pop()
            return slot
        return None

    def much(self, i: int) -> int:
        """Reads how much, 多少钱, how long: a sum, or the column itself for a single row."""
        s = self.spans[i]
        how = s.role("how")
        words = {
            "how old": "old",
            "how long": "length",
            "how tall": "height",
            "how heavy": "weight",
            "how far": "distance",
            "how big": "size",
        }
        words |= {
            "多大": "old",
            "几岁": "old",
            "多高": "height",
            "多重": "weight",
            "多长": "length",
            "多久": "length",
            "多远": "distance",
        }
        kind = how.of[1:] if how else words.get(s.text.lower(), "")
        if kind:
            options_of_adjective = tuple(replace(o, fit=0.0) for o in self.about(">" + kind))
            self.add(
                Show(s.start, s.end, options_of_adjective, asked=True)
                if options_of_adjective
                else Missing(s.start, s.end, s.text)
            )
            return i + 1
        self.add(Flag(s.start, s.end, "much"))
        return i + 1
