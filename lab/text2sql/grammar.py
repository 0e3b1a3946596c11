"""From links to readings of a question as facts: the cheapest ways to account for every word.

From left to right over the places of the question, the best few partial readings of each place are kept; each goes on
with a fact that begins there, with a word without weight, or with an unknown word, which costs the most.
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.text2sql.facts import Fact, Unknown
from lab.text2sql.linking import Links
from lab.text2sql.phrases import Phrases
from lab.text2sql.reader import PASSED

UNKNOWN = 3.0
"""What an unknown word costs: more than any reading that accounts for it."""
STEP = 0.2
"""What every fact costs, so that one phrase comes before two."""
_KEPT = 40
_WEIGHTLESS = frozenset({"stop", "have", "during", "records", "stat", "all"})


@dataclass(frozen=True)
class Account:
    """One way to account for the words of a question: its facts in their order, and what it costs."""

    cost: float
    facts: tuple[Fact, ...] = ()

    @property
    def unknown(self) -> tuple[str, ...]:
        return tuple(f.text for f in self.facts if isinstance(f, Unknown))


def accounts(links: Links, language: str, *, most: int = 16) -> list[Account]:
    """The cheapest accounts of a question, the best first."""
    reader = Phrases(links, language)
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
        return (*facts[:-1], Unknown(last.start, fact.end, last.text + fact.text))
    return (*facts, fact)


def _steps(reader: Phrases, at: int) -> list[tuple[int, Fact | None, float]]:
    """All that can come next at a place."""
    links = reader.links
    steps: list[tuple[int, Fact | None, float]] = [(e, f, c + STEP) for e, f, c in reader.facts(at)]
    for link in links.links(at):
        if link.kind == "break":
            steps.append((link.end, None, 0.0))
        elif link.kind == "unknown":
            steps.append((link.end, Unknown(at, link.end, str(link.of)), UNKNOWN))
        elif link.kind == "word":
            light = link.of[0] in _WEIGHTLESS
            if light:
                undone = any(x.kind == "word" and x.end == link.end and x.of[0] == "undo" for x in links.links(at))
                price = PASSED + link.cost + (0.0 if link.of[0] == "stop" else 0.05) + (0.35 if undone else 0.0)
                steps.append((link.end, None, price))  # "any salary" may be more than a word without weight
            elif link.of[0] == "and":
                steps.append((link.end, None, 0.1 + link.cost))
            else:
                steps.append((link.end, Unknown(at, link.end, links.text[at : link.end]), UNKNOWN))
    if not steps:
        steps.append((at + 1, None, 0.0))
    kept: dict[tuple[int, object], tuple[int, Fact | None, float]] = {}
    for step in steps:
        key = (step[0], step[1])
        if key not in kept or step[2] < kept[key][2]:
            kept[key] = step
    return list(kept.values())


def _best(accounts_: list[Account], n: int) -> list[Account]:
    seen: dict[tuple[int, ...], Account] = {}
    for a in accounts_:
        key = tuple(map(id, a.facts))  # the facts of one place are made once
        if key not in seen or a.cost < seen[key].cost:
            seen[key] = a
    return sorted(seen.values(), key=lambda a: a.cost)[:n]
