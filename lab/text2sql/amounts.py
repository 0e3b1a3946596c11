"""The numbers that a question asks for: what is summed up, counted, or taken on average."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from lab.text2sql import facts, tree
from lab.text2sql.facts import COUNT, Cue, HowMany, Measured, Sorted, Top, aggregates, op_of
from lab.text2sql.forms import KEY_HEADS
from lab.text2sql.hints import words_of
from lab.text2sql.lexicon import is_participle, measure_words
from lab.text2sql.naming import stem
from lab.text2sql.numbers import measure_of
from lab.text2sql.quantities import about
from lab.text2sql.ranking import Ranking
from lab.text2sql.tree import Aggregate, Arithmetic, Condition, Expr, Field, Not, Ref, Test


class Amounts(Ranking):
    """What is measured, on one table."""

    def _measured(self) -> list[Expr]:
        measured, counts, spent = self.of(Measured), self.of(HowMany), self._spent()
        # an average, and how many of its unit: the unit says nothing new
        said = [f.meant for f in measured if not f.guessed or len(measured) == 1]
        measures = flat(said) or spent
        orders = [s.meant for s in self.of(Sorted) if s.options]
        if self.by and not measures and not counts:
            measures += [e for e in orders if isinstance(e, Aggregate)][:1]
            if not measures and not self.of(Top) and not self.marks("ratio"):
                measures += self._summed(orders)
        counted = (next((n.of for n in self.nouns if n.start >= h.end), "") for h in counts)
        self.unfit(len({*counted} - {""}) > 1)  # how many merchants, and the number of coupons
        if measures and counts and not any(self._beside(h, f) for h in counts for f in (*self.nouns, *self.named)):
            self.cost += 0.6
        made = [*measures, *map(self._count, counts)]
        self.cost += 1.6 * (self.language == "zh" and made.count(COUNT) > 1)  # two numbers are asked for
        return self._on_average(list(dict.fromkeys(made))) if self.marks("mean") else list(dict.fromkeys(made))

    def _on_average(self, made: list[Expr]) -> list[Expr]:
        """What is asked for on average: what a job costs, how many minutes they stay, how many visits a pet has."""
        if made == [COUNT] and not self.by and self.language == "en":
            keys = [f for f in self.schema.parents(self.main) if any(n.of == f.parent for n in self.others)]
            self._answered += self.marks("mean") if keys else []
            return [Arithmetic("/", COUNT, Aggregate("distinct", Field(Ref(self.main, f.column)))) for f in keys[:1]]
        if not made and self.language == "en":
            told = [e for e in (*(n.meant for n in self.named), *self._cued()) if self._is_number(e)][:1]
            self.named = [n for n in self.named if n.meant not in told]
            self._answered += self.marks("much", "worth") if told else []
            made = [Aggregate("sum", e) for e in told]
        made = made or [Aggregate("avg", Field(ref)) for m in self.marks("worth") for ref in self._worth_of(m)]
        made = list(map(self._averaged, made))
        self._answered += self.marks("mean", "worth") if aggregates(made, "avg") else []
        return made

    def _averaged(self, e: Expr) -> Expr:
        """The average in place of the sum of what has one: not of the numbers of lines."""
        c = self.column(e.of) if isinstance(e, Aggregate) and e.fn == "sum" and e.of is not None else None
        none = c is None or words_of(c.name)[-1:] in ([head] for head in KEY_HEADS)
        return e if none or not isinstance(e, Aggregate) else replace(e, fn="avg")

    def _worth_of(self, m: facts.Mark) -> list[Ref]:
        """The column that is asked for by how long, how much, when; [] where there is none, or several days."""
        meant = m.of or ("date" if m.role == "when" else "price")
        columns = [c for c in self.schema.table(self.main).columns if c.kind in ("number", "date")]
        best = sorted(((fits[0], c.ref) for c in columns if (fits := about(c, meant))), key=lambda x: x[0])
        return [ref for _, ref in best[:1] if m.role != "when" or len(best) == 1]

    def _cued(self) -> list[Expr]:
        """Numbers of the table that a word points to: what a job costs."""
        return [Field(r) for cue in self.of(Cue) for r in sorted(cue.refs) if r.table == self.main]

    def _summed(self, orders: Sequence[Expr]) -> list[Expr]:
        """The numbers that are named beside groups: amount by city in sum, 各科室的月薪 on average, as far as that goes."""
        found = [n.meant for n in self.named if self._is_number(n.meant) and n.meant not in (*self.by, *orders)]
        self.unfit(any(tree.tables(e) != {self.main} for e in found))  # the amount of an order, of each of its items
        self.named = [n for n in self.named if n.meant not in found]
        sums, columns = [self._sums(e, _ADDS_UP) for e in found], map(self.column, found)
        self.cost += 0.4 * (not all(sums))
        self.cost += 0.4 * any(c is not None and c.unique and not c.about for c in columns)  # 1, 2, 3: no amounts
        return [Aggregate("sum" if add else "avg", e) for e, add in zip(found, sums, strict=True)]

    def _spent(self) -> list[Expr]:
        """How much did they spend: the sum of the number that a word points to."""
        sums = _WHAT_DID.match(self.text) and not self._titled(tuple(c for c in self.where if op_of(c) == "="))
        asked = self.marks("much", "worth", *(["what"] if sums else []))  # what did repairs cost
        asked = [m for m in asked if m.of in ("", "price") and not self._pieces_of(m)]
        cued = [r for cue in self.of(Cue) for r in sorted(cue.refs) if asked and r.table == self.main]
        if asked and asked[0].role == "worth" and self.language == "zh" and (self.by or self.marks("verb")):
            cued += [c.ref for c in self.schema.table(self.main).columns if "spent" in c.hint.cues]
        if asked and self.language == "en" and not cued and any(map(self._is_state, self.where)):  # how much is unpaid
            cued += [c.ref for c in self._money() if not self.named and not self.of(Measured)]
        # how much did we invoice
        if asked and not cued and self.headed and not self.named and _HAVE_WE.match(self.text):
            cued += [c.ref for c in self._money() if not self.of(Measured)]
        idle = cued and not any(self.schema.column(r).kind == "number" for r in cued)
        if (
            asked
            and idle
            and self.label(asked[0]).lower().startswith("how much")
            and not self.named
            and not self.of(Measured)
        ):
            cued += [c.ref for c in self._money()]  # how much was paid in cash: of the payments
        told = [n for n in self.named if self.language == "en" and any(self._follows(m, n) for m in asked)]
        # how much tip money
        if told and not cued and any((c := self.column(n.meant)) and "money" in c.about for n in told):
            cued += sorted(r for n in told for r in tree.refs(n.meant) if r.table == self.main)
            self.named = [n for n in self.named if n not in told or not cued]
        columns = [c for r in cued if (c := self.schema.column(r)).kind == "number" and not c.key]
        flows = [c.ref for c in columns if c.about & {"money", "piece"} and "each" not in c.tags]
        self._answered += asked if flows else []
        return [Aggregate("sum", Field(r)) for r in flows[:1]]

    def _pieces_of(self, m: facts.Mark) -> bool:
        """Whether what is counted stands behind, with its measure word: 收了多少个病人."""
        measure = self.text[m.end : m.end + 1]
        return measure in measure_words() and measure_of(measure) != "money"

    def _is_state(self, c: Condition) -> bool:
        """Whether a condition says in which state a row is: paid or not."""
        of = c.of if isinstance(c, Not) else c
        return isinstance(of, Test) and (of.op == "empty" or self._has(of.of, "boolean"))

    def _count(self, h: HowMany) -> Expr:
        """What is counted: the rows, or the different values of the column that is named beside."""
        beside = [n for n in self.named if self._beside(h, n)]
        beside = [n for n in beside if n.start >= h.end] or beside
        events = self.label(h).startswith(("how often", "how many times"))
        events |= h.times and not any(self._is_number(n.meant) for n in beside[:1])
        c = self.column(beside[0].meant) if beside and not (h.people or events) else None
        kinds = self.language == "zh" and ("种" in self.text[h.end - 1 : h.end + 1] or h.different)
        goods = {n.of for n in self.others if kinds and n.start >= h.end and self._beside(h, n)}
        if keys := [f for f in self.schema.parents(self.main) if f.parent in goods]:  # 领用过多少种商品
            return Aggregate("distinct", Field(Ref(self.main, keys[0].column)))
        own = [x.name for x in self.schema.table(self.main).columns if x.kind == "number" and x.name.endswith("数量")]
        if own and self.label(h) == "数量":  # 入库数量: pieces, not rows
            named = self.text[: h.end].endswith(tuple(own))
            self.cost += 0.4 * (named or not any(self._follows(n, h) for n in self.nouns))
        mine = [n for n in self.nouns if self._beside(h, n)]
        if (made := self._made(h) or self._goods(h)) is not None:
            return Aggregate("sum", Field(made))
        units = set(self.text[h.end - 1 : h.end + 1])
        pieces = any(x.kind == "number" and x.hint.unit in units for x in self.schema.table(self.main).columns)
        alone = h.different or all(beside[0].start >= h.end > n.start for n in mine if beside)
        if c is not None and c.kind != "list" and alone:
            self.named.remove(beside[0])
            if c.kind in ("date", "number") and not h.different:
                self.cost += (0.6 + 0.4 * self._titled(self.where)) * (not IN_ALL.search(self.text))  # of one: no sum
                money = {"money"} if self.language == "zh" and "each" not in c.tags else set()  # 花了多少材料费
                added = {*c.tags, measure_of(c.hint.unit)} & (_COUNTED | money)
                if (added or c.name.endswith("数")) and not self.label(beside[0]).endswith("number"):
                    return Aggregate("sum", Field(c.ref))  # how many docks does each district have
            self.unfit(pieces and not h.different)  # 多少件器材: pieces, not kinds
            return Aggregate("distinct", Field(c.ref))
        self.cost += 0.8 * (pieces and not mine)  # 卖了多少件: pieces, not rows
        self.cost += 0.5 * (bool(mine) and mine[0].of != self.main) + 0.2 * h.different
        if h.times and any(self._child(c.of) for f in self.wheres for c in f.options):
            self.cost += 2.0  # how often: the events are counted, not whom they happened to
        return COUNT

    def _made(self, h: HowMany) -> Ref | None:
        """The number of pieces that a verb speaks of: how many loaves did we bake, of a column units baked."""
        if h.times or h.different or any(n.of == self.main and self._beside(h, n) for n in self.nouns):
            return None
        said = [stem(m[0]) for m in _WORD.finditer(self.text, h.end) if not m[0].endswith(("ing", "ings"))]
        made = self._participles(self.main)
        below = (t for t in self.schema.names if t != self.main and self.schema.path(t, self.main) is not None)
        self.cost += 0.4 * any(not {*said}.isdisjoint(self._participles(t)) for t in below)
        found = next((made[word] for word in said if word in made), None)
        self.named = [n for n in self.named if found is None or n.start < h.end or n.meant != Field(found)]
        return found

    def _goods(self, h: HowMany) -> Ref | None:
        """The number of pieces that what goods are called and a verb speak of: 卖了多少杯, how many waffles were sold."""
        said = self.text[h.end - 1 : h.end + 1]
        measure = next((ch for ch in said if ch in "杯件份瓶盒箱袋包斤双碗罐"), "")
        mine = any(n.of == self.main and self._beside(h, n) for n in self.nouns)
        cued = {r for cue in self.of(Cue) for r in (*cue.refs, *cue.tables)}
        bare = self.language == "zh" and self.label(h) == "多少" and not self.text[h.end :].strip("了的呢啊吗?？。 ")
        bare = bare and bool(self.marks("verb")) and not any(n.of == self.main for n in self.nouns)
        of = [w for w in self.wheres if self._follows(h, w) and op_of(w.meant) == "=" and self.language == "en"]
        of = [w for w in of if isinstance(w.meant.values[0], str) and not any(self._follows(w, n) for n in self.nouns)]
        self.unfit(any(self.schema.path(self.main, t) is None for w in of for t in tree.tables(w.meant)))
        goods = any(not any(map(self._people, {self.main, *tree.tables(w.meant)})) for w in of)
        dated = measure and self.language == "zh" and any(op_of(w.meant) == "during" for w in self.wheres)  # 出库了
        if not (measure or bare or goods) or mine or not (cued or dated or self.marks("verb")):
            return None
        pieces = [c for c in self.schema.columns() if c.kind == "number" and "piece" in c.about and "存" not in c.name]
        named = [c for c in pieces if c.hint.unit == measure] or pieces
        own = [c.ref for c in named if c.table == self.main]
        own = [r for r in own if r in cued] or own
        self.cost += 0.6 * (not own and bool(named))
        return own[0] if len(own) == 1 else None

    def _participles(self, table: str) -> dict[str, Ref]:
        """Numbers of pieces by the stem of what was done with them."""
        numbers = (c for c in self.schema.table(table).columns if c.kind == "number" and not c.is_year)
        pieces = (c for c in numbers if "piece" in c.tags or not c.about)  # injured
        return {stem(w): c.ref for c in pieces for w in words_of(c.name)[-1:] if is_participle(w)}


def flat(meant: Iterable[Any]) -> list[Expr]:
    """Expressions, and those of lists of several."""
    return [e for one in meant for e in (one if isinstance(one, tuple) else (one,))]


_COUNTED = frozenset({"piece", "minutes", "hours", "days", "weeks", "months", "duration"})
"""What a number is about, or counts, of which it is asked how many there are in all."""
_ADDS_UP = frozenset({"money", "piece", "distance", "km", "metre", "mile", "duration", "minutes", "hours", "seconds"})
"""What a number beside groups is about, where its sum is meant; of others it is the average."""
_HAVE_WE = re.compile(r"how much (money )?(did|have|has) (we|i|they)\b")
IN_ALL = re.compile("一共|总共|共有|加起来|合计|总计")
_WHAT_DID = re.compile(r"what (did|have|has) ", re.IGNORECASE)
_WORD = re.compile("[a-z]+")
