"""The part of the grammar that reads what rows have or lack of another table: without orders, who never made a trip."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lab.text2sql.facts import Option, Quantity
from lab.text2sql.lexicon import measure_words
from lab.text2sql.numbers import measure_of
from lab.text2sql.reader import Finds, Found, remembered
from lab.text2sql.spans import Spans
from lab.text2sql.tree import COMPARISONS, AllOf, Not, Related

WHO = re.compile(r"\b(who|that|which( \w+s?)?)( (have|has|had))? $")
"""What a state is called by, where it is affirmed: refunds, insurance; who smoke, but not: how much did they pay."""
_A_SINGLE = re.compile(f"一[{''.join(measure_words())}]")
_AT_ALL = re.compile("[都也](没有?|未)过?")


class Partners(Spans):
    """Conditions on rows of other tables."""

    @remembered
    def of_partner(self, at: int) -> Finds:
        """没有下过单的, without any orders, who never made a trip, with interviews."""
        table, some = self.either(self.table, self.table_cue), self.opt(self.word("have", "verb", "assigned"), self.cue)
        for end, (role, said, t), cost in self.seq(at, self.word("not", "have"), some, table):
            if role[0] == "not" and self._open(said):
                continue  # who has not returned a book has one
            if role[0] != "not" or "的" not in self.text[at:end]:  # 没有下单的用户 are users
                yield end, (Option(Not(Related(t)) if role[0] == "not" else Related(t)),), cost + 0.1
        if WHO.search(self.text[:at]):  # who placed an order
            did = self.either(self.word("verb"), self.cue, self.table_cue)
            for end, (by, t), cost in self.seq(at, did, self.table):  # who attended a lesson: of the attendance
                told = by if isinstance(by, str) and self.schema.path(by, t) is not None else t
                yield end, (Option(Related(told)),) * bool(self.schema.parents(told)), cost + 0.1
        deed, neither = self.either(table, self.cued("date")), (self.word("not", "nor"), self.either("nor", "or"))
        for end, (_, *two), cost in self.seq(at, neither[0], deed, neither[1], deed):  # never lent nor repaired
            told = (Not(Related(x if isinstance(x, str) else x[0][0].table)) for x in two)
            yield end, (Option(AllOf(tuple(told))),), cost
        for end, t, cost in self.table(at):  # 缺勤过
            done = self.text.startswith("过", end) and bool(self.schema.parents(t))
            yield end + done, (Option(Related(t), 0.0, "done"),) * done, cost + 0.1
        yield from ((end, (Option(Not(Related(t))),), cost) for end, t, cost in self._not_one(at))
        for end, _, cost in self.seq(at, "not", "verb"):  # never borrowed
            idle = self.stands("by", end) or (self.language == "zh" and self.stands(self.numeric, end))  # 没交学费
            events = [f.table for f in self.schema.foreign_keys if not idle]
            cued = {r.table for i in range(at, end) for e, refs, _ in self.cue(i) if e == end for r, _ in refs}
            events = [t for t in events if t in cued] or events  # never been brewed: the batches have a day of that
            events = [t for t in events if self.text[at + 1] in t and self.text[at] == "一"] or events  # 一场都没: 场次
            yield end, tuple(Option(Not(Related(t))) for t in dict.fromkeys(events)), cost + 0.4
        for end, (_, (q, t)), cost in self.seq(at, some, self._so_many):  # who have more than 6 orders
            counted = Related(t, (), (q.op, int(q.values[0])))
            yield end, (Option(Not(counted) if q.negated else counted),), cost + 0.4

    def _not_one(self, at: int) -> list[Found]:
        """一次打卡都没有, 一个学生都没带过: rows of which there are none."""
        if not (begins := _A_SINGLE.match(self.text, at)):
            return []
        done = self.opt(self.word("did", "verb", "have"), self.cue)
        cued = ((end, t, c) for end, refs, c in self.cue(begins.end()) for t in {r.table for r, _ in refs})
        rows = [*self.table(begins.end()), *self.table_cue(begins.end()), *cued]
        ends = [(m.end(), t, c) for end, t, c in rows if (m := _AT_ALL.match(self.text, self.links.skip(end)))]
        return [(end, t, cost) for end, (t, _), cost in self.seq(begins.end(), lambda at: ends, done)]

    def _open(self, said: Iterable[object] | None) -> bool:
        """Whether a word points to days or states of which some are still open: returned, paid."""
        columns = [self.column_of(one[0]) for one in said or () if isinstance(one, tuple)]
        return any((c.kind == "date" and c.empty > 0) or c.kind == "boolean" for c in columns)

    def _said(self, at: int) -> list[Found]:
        return [f for f in self.quantity(at) if f[1].op or f[1].unit]

    def _so_many(self, at: int) -> list[Found]:
        """A number of rows, with nothing between: more than 6 orders, 超过3个订单, 订单少于2个."""
        counted = self.only(self._said, _is_count)
        out: list[Found] = list(self.seq(at, counted, self.opt("different"), self.table, tight=True))
        if self.language == "zh":
            out += [(end, (q, t), c) for end, (t, q), c in self.seq(at, self.table, counted)]
        return out


def _is_count(q: Quantity) -> bool:
    """Whether a quantity may be a number of rows."""
    whole = q.op in COMPARISONS and len(q.values) == 1 and q.values[0] == int(q.values[0]) and not q.about
    return whole and measure_of(q.unit) in ("", "piece")
