"""All phrases of the grammar, and from them the cheapest ways to account for every word of a question.

Every phrase gives facts (`lab.text2sql.facts`); what they come to together is settled in `assembling`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.text2sql import facts
from lab.text2sql.facts import By, Exprs, Fact, Mark, Named, Noun, Option, Options, Refs, Unknown, Where, fields
from lab.text2sql.forms import NAME_HEADS, is_han
from lab.text2sql.hints import singular
from lab.text2sql.lexicon import roles_of
from lab.text2sql.link import cheapest
from lab.text2sql.linking import Links
from lab.text2sql.reader import PASSED, Finds, Found, Way, ways
from lab.text2sql.tops import Tops
from lab.text2sql.tree import Expr, Field, Part, Ref, Test

_MARKS = (
    "which", "what", "who", "where", "when", "exists", "split", "other", "records", "all", "worth", "different", "show",
    "find", "much", "verb", "ratio", "whole",
)  # fmt: skip
_TURNS = ("follow", "replace", "also", "drop", "undo", "limits", "reset")


class Phrases(Tops):
    """All phrases of a question: `facts` gives those that begin at a place."""

    def facts(self, at: int) -> Iterator[tuple[int, Fact, float]]:
        """All facts that can begin at a place."""
        phrases = self._conditions, self._bounds, self._measures, self._how_many, self._groups, self._tops, self._orders
        for phrase in (*phrases, self._names, self._marks):
            yield from ((end, replace(fact, start=at, end=end), cost) for end, fact, cost in phrase(at))

    def _conditions(self, at: int) -> Finds:
        among = "none" * self._lacks(at)
        for end, where, cost in self.condition(at):
            yield end, replace(where, among=among), cost
            if not among and self.links.holds("都", at, end):  # 月薪都不低于15000
                yield end, Where(where.options, among="only"), cost
        yield from self.of_all(at)

    def _lacks(self, at: int) -> bool:
        """Whether a word for none at all begins here, and nothing longer."""
        links = [x for x in self.links.links(at) if x.kind != "unknown"]
        last = max((x.end for x in links), default=at)
        if any(x.kind != "word" for x in links if x.end == last):
            return False
        begun = (x for start in range(max(0, at - 12), at + 1) for x in self.links.links(start))  # (do) not
        return any(x.kind == "word" and x.of == ("not", "any") and x.end == last for x in begun)

    def _groups(self, at: int) -> Finds:
        for end, (what,), cost in self.seq(at, "by", self.groupable):
            noun = self.language == "en" and self.stands(self.table, end)  # by finished jobs: how many of them
            if what := tuple(o for o in what if not (noun and self.ranked(o.of)) and not self._place(o.of)):
                yield end, By(what, True), cost + (0.5 if noun else 0.0)
        if self.language == "en":  # members and the number of their loans
            for end, (what,), cost in self.seq(at, self.groupable, "and"):
                if any(self.word("count")(place) or self.measure(place) for place, _ in self.gaps(end)):
                    yield end, By(what, listed=True), cost + 0.15
        # per location and culture
        slices = self.many(self._slice, self.either(self.word("and"), self.comma), most=3)
        for end, (role, (several, _)), cost in self.seq(at, self.opt(self.word("per", "by")), slices):
            if len(several) > 1 and (role is not None or self.word("part")(at)):
                every = itertools.islice(itertools.product(*several), 12)
                joined = (zip(*options, strict=True) for options in every)
                yield end, By(tuple(Option(of, sum(costs), "".join(why)) for of, costs, why in joined)), cost
        if any(self.word("super")(i) for i in range(len(self.text))):  # the busiest month
            for end, role, cost in self.word("span")(at):
                yield end, By(self._parts(role[1])), cost + 0.2
        yield from self._each_group(at)

    def _place(self, e: Expr) -> bool:
        """Whether a column says whether something is there: by the river."""
        c = self.column_of(e.ref) if isinstance(e, Field) else None
        return c is not None and c.kind == "boolean" and c.name.lower().startswith("by")

    @ways
    def _each_group(self) -> Iterator[Way]:
        yield (self._every, self.groupable), lambda _, what: By(what)
        yield (self._kinds_of,), By
        parts = self.opt(self.dated), self.word("part")
        yield parts, lambda refs, role: By(days) if (days := self._parts(role[1], refs)) else None
        yield (self.of_truth, "and", self.of_truth), _both  # 在编和不在编的
        yield (self.groupable, "spread"), By  # 等级分布
        yield ("spread", self.groupable), By, 0.1

    def _every(self, at: int) -> list[Found]:
        """Each; but not 多少个不同的患者."""
        counted = self.text.startswith("不同", at) and re.search("(多少|几)[^的]?$", self.text[:at])
        return [] if counted else self.word("per")(at)

    def _kinds_of(self, at: int) -> list[Found]:
        """各类商品, 每种设备: the groups are the kinds that their table has a column of."""
        out = list[Found]()
        for end, (_, t), cost in self.seq(at, self.word("per"), self.table):
            named = [c for c in self.schema.table(t).columns if c.kind == "category" and c.name.endswith(_KINDS)]
            if len(named) == 1 and re.match("每一?[种类]|各[种类]", self.text[at:]):
                out.append((end, fields([(named[0].ref, 0.0)]), cost - 0.3))
        return out + self._kind_called(at)

    def _kind_called(self, at: int) -> list[Found]:
        """每种卡: of the only column that is called 卡种, 卡型 or 卡类."""
        m = re.match("(?:每一?[种类]|各[种类])(?=(..?))", self.text[at:])
        for said in (m[1], m[1][:1]) if m else ():
            called = [c for c in self.schema.columns() if c.name in {said + end for end in ("种", "型", "类", *_KINDS)}]
            if m and len(called) == 1 and called[0].kind == "category":
                return [(at + m.end() + len(said), fields([(called[0].ref, 0.0)]), 0.0)]
        every = self.only(self.word("per"), lambda _: self.text[at + 1 : at + 2] != "次")
        begun = self.seq(at, every, self.cued("category"))  # 每种服务: of the 服务项目
        own = [(end, refs, cost) for end, (_, refs), cost in begun if len(refs) == 1]
        return [(e, fields(r), c) for e, r, c in own if r[0][0].column.startswith(self.text[e - 2 : e])]

    def _parts(self, part: str, refs: Refs | None = None) -> Exprs:
        """A part of days: of all columns where none was named."""
        return tuple(Option(Part(Field(r), part), c, "" if refs else "day") for r, c in refs or self.every_date())

    def _slice(self, at: int) -> list[Found]:
        parts = ((end, self._parts(role[1]), c) for end, role, c in self.word("part", "span")(at))
        return [*self.groupable(at), *parts]

    def groupable(self, at: int) -> list[Found]:
        """What rows can be grouped by: a column, a table (by the names of its rows), a part of a day."""
        out: list[Found] = []
        for end, refs, cost in self.columns("text", "category", "boolean", "number", "date")(at):
            said = self.text[at:end].rsplit(" ", 1)[-1]
            by_key = said.removesuffix("s") in ("id", "code", "number") or said.endswith(("编号", "号", "代码"))
            out.append((end, tuple(Option(Field(r) if by_key else self._group(r), c) for r, c in refs), cost))
        for end, t, cost in self.table(at):
            out.append((end, fields([(self.schema.table(t).title.ref, 0.0)]), cost + 0.05))
        return out or self._last_of_name(at)

    def _last_of_name(self, at: int) -> list[Found]:
        """各队 for 球队: the last character of the only name of columns that ends with it."""
        said = self.text[at : at + 1]
        columns = [c for c in self.schema.columns() if c.kind in ("category", "text") and is_han(c.name)]
        ending = [c for c in columns if len(c.name) < 4 and said and c.name.endswith(said)]
        if len({c.name for c in ending}) != 1 or not is_han(said):
            return []
        return [(at + 1, fields((c.ref, 0.5) for c in ending), 0.0)]

    def _group(self, ref: Ref) -> Expr:
        """A column as a group; the number of a row stands for its name."""
        named = self.schema.name_of(ref)
        own = named == ref and self.column_of(ref).key and len(self.schema.tables) > 1
        return Field(self.schema.table(ref.table).title.ref if own else named)

    def _names(self, at: int) -> Finds:
        for end, refs, cost in self.column(at):
            said = self.text[at:end]
            flow = 0.5 if any(role[0] == "flow" for role in roles_of(said)) else 0.0
            why, called = ("name", 0.0) if singular(said) in NAME_HEADS else ("", cost)
            rows = {t for stop, t, _ in self.table(at) if stop == end}  # the rows, not their column of that name
            others = {r for r, _ in refs if r.table in rows and r != self.schema.table(r.table).title.ref}
            named = ((r, c + flow + self._rarely(r, called) + 0.6 * (r in others)) for r, c in refs)
            yield end, Named(fields(named, why=why)), cost + 0.15
        for end, of, cost in self.days_of(at):
            yield end, Named(of), cost
        yield from self._nouns(at)

    @ways
    def _nouns(self) -> Iterator[Way]:
        yield (self.table,), Noun
        if self.language == "en":  # bought by customers
            yield ("by", self.table), Noun, 0.25
        yield ("sort", self.table), Noun, 0.1  # sort employees by salary
        yield (self.cue,), lambda refs: facts.Cue(frozenset(r for r, _ in refs))
        yield (self.table_cue,), lambda t: facts.Cue(frozenset(), frozenset({t}))
        yield (self.count,), facts.Count, 0.1

    def _rarely(self, ref: Ref, cost: float) -> float:
        """Numbers of rows and yes-no columns are seldom asked for by themselves."""
        c = self.column_of(ref)
        if self.schema.table(ref.table).title.ref == ref and cost > 0.05 and len(self.schema.tables) > 1:
            return 0.25  # the name of rows, where the rows themselves were called
        return 0.5 if c.is_key else 0.4 if c.kind == "boolean" else 0.0

    def _mark(self, at: int) -> list[Found]:
        """A word with a part to play; 多少种 is how many, not how much."""
        found = self.word(*_MARKS)(at)
        return [f for f in found if f[1][0] != "much" or not self.text.startswith(("种", "个", "位", "名"), f[0])]

    @ways
    def _marks(self) -> Iterator[Way]:
        yield (self._mark,), lambda role: Mark(*role[:2])
        yield (self.word("mean"),), lambda role: Mark("mean"), 0.3
        if self.language == "zh":  # 把账单排一下, behind what it is by
            yield ("sort",), lambda: Mark("sort")
        yield (self.word(*_TURNS),), lambda role: facts.Turn(role[0])


def _both(a: Options, b: Options) -> By | None:
    """The groups of a column of yes and no, where both are said."""
    denied = {o.of for o in b}
    tests = ((o.of, o.cost) for o in a if isinstance(o.of, Test))
    of = tuple(Option(t.of, cost) for t, cost in tests if replace(t, values=(not t.values[0],)) in denied)
    return By(of) if of else None


_KINDS = ("类型", "种类", "类别", "分类", "品类", "品种", "大类")
UNKNOWN = 3.0
"""What an unknown word costs: more than any reading that accounts for it."""
STEP = 0.2
"""What every fact costs, so that one phrase comes before two."""
_KEPT = 40
_HELD = frozenset({"not", "coming", "bygone"})
"""What is not to dissolve in words without weight: still have to, still to come."""
_WEIGHTLESS = frozenset({"stop", "have", "during", "records", "stat", "spread", "all"})


@dataclass(frozen=True)
class Account:
    """One way to account for the words of a question: its facts in their order, and what it costs."""

    cost: float
    facts: tuple[Fact, ...] = ()

    @property
    def unknown(self) -> tuple[str, ...]:
        return tuple(f.text for f in self.facts if isinstance(f, Unknown))


def accounts(links: Links, *, most: int = 16) -> list[Account]:
    """The cheapest accounts of a question, the best first."""
    reader = Phrases(links)
    end = len(links.folded)
    front: dict[int, list[Account]] = {links.skip(0): [Account(0.0)]}
    for at in range(end):
        here = front.pop(at, None)
        if not here:
            continue
        steps = _steps(reader, at)
        for account in _best(here, _KEPT):
            for stop, fact, cost in steps:
                facts = account.facts if fact is None else _with(account.facts, fact)
                front.setdefault(links.skip(stop), []).append(Account(account.cost + cost, facts))
    return _best(front.get(end, [Account(0.0)]), most)


def _with(facts: tuple[Fact, ...], fact: Fact) -> tuple[Fact, ...]:
    last = facts[-1] if facts else None
    if isinstance(fact, Unknown) and isinstance(last, Unknown) and last.end == fact.start:
        return (*facts[:-1], Unknown(last.text + fact.text, start=last.start, end=fact.end))
    return (*facts, fact)


def _steps(reader: Phrases, at: int) -> list[tuple[int, Fact | None, float]]:
    """All that can come next at a place."""
    links = reader.links
    steps: list[tuple[int, Fact | None, float]] = [(e, f, c + STEP) for e, f, c in reader.facts(at)]
    held = [x.end for x in links.links(at) if x.kind == "word" and x.of[0] in _HELD]
    for link in links.links(at):
        if link.kind == "break":
            steps.append((link.end, None, 0.0))
        elif link.kind == "unknown":
            steps.append((link.end, Unknown(str(link.of), start=at, end=link.end), UNKNOWN))
        elif link.kind == "word":
            if link.of[0] in _WEIGHTLESS:
                undone = any(end == link.end for end, _, _ in reader.word("undo")(at))
                price = PASSED + link.cost + (0.0 if link.of[0] == "stop" else 0.05) + (0.35 if undone else 0.0)
                price += 1.0 * (link.end < max(held, default=0))
                steps.append((link.end, None, price))  # "any salary" may be more than a word without weight
            elif link.of[0] == "and":
                steps.append((link.end, None, 0.1 + link.cost))
    steps = steps or [(at + 1, None, 0.0)]
    return cheapest(steps, lambda step: step[:2], lambda step: step[2])


def _best(accounts_: list[Account], n: int) -> list[Account]:
    # the facts of one place are made once
    return cheapest(accounts_, lambda a: tuple(map(id, a.facts)), lambda a: a.cost)[:n]
