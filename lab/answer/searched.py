"""What a search did with a question, as text for the prompt of an answer: its wordings, where it was sent, its history.

Everything is read off the lineage of the ranking, so it is what really happened, whoever composed the search.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from lab.algebra import Ranking, Rewrite, Turn
from lab.rewrite.contextual import Told
from lab.rewrite.domain import DomainVocabulary
from lab.rewrite.routing import Decision
from lab.text import cut
from lab.words import Said

NAMES = ("wordings", "intent", "history", "adapted")
"""The names by which a prompt of an answer asks for this."""
NOTHING = "–"
"""What stands in a prompt where the search did nothing of the kind."""
MOST, LONGEST, TURNS = 12, 600, 20
"""So many wordings and turns are told, each with so many characters."""


@dataclass(frozen=True)
class Searched:
    """What a search did with a question.

    ``wordings`` are the texts that were asked beside the question or in its place; ``intent`` is the route that it was
    sent to, or what its turn of a conversation was for; ``history`` are the turns before it; ``adapted`` is the
    question in the words of a trade, or with its conversation.
    """

    wordings: tuple[str, ...] = ()
    intent: str = ""
    history: tuple[Turn, ...] = ()
    adapted: str = ""

    @staticmethod
    def of(ranking: Ranking) -> Searched:
        """What the search that made this ranking did, by its lineage."""
        wordings, adapted, intents = dict[str, None](), list[str](), list[str]()
        for evidence in (step.evidence for step in ranking.lineage()):
            if isinstance(evidence, Decision):
                intents.append(evidence.route)
            if not isinstance(evidence, Rewrite):
                continue
            texts = [variant.text for variant in evidence.queries if variant.text.strip()]
            wordings |= dict.fromkeys(texts)
            if isinstance(evidence.evidence, Told):
                intents.append(str(evidence.evidence.meant.kind))
            if isinstance(evidence.evidence, Told) or isinstance(evidence.made_by, DomainVocabulary):
                adapted += texts
        before = tuple(turn for turn in ranking.query.turns if turn.text.strip())
        return Searched(tuple(wordings), next(iter(intents), ""), before, next(iter(adapted), ""))

    def values(self) -> dict[str, str]:
        """The texts by the names of `NAMES`; where there is nothing, `NOTHING`."""
        wordings = "\n".join(f"- {_short(text)}" for text in self.wordings[:MOST])
        history = "\n".join(f"{turn.role}: {_short(turn.text)}" for turn in self.history[-TURNS:])
        found = (wordings, _short(self.intent), history, _short(self.adapted))
        return {name: text or NOTHING for name, text in zip(NAMES, found, strict=True)}


def _short(text: str) -> str:
    return cut(" ".join(text.split()), LONGEST)


@dataclass(frozen=True)
class Preset:
    """A ready prompt for an answer, by its ``key``; ``title`` and ``template`` are in both languages."""

    key: str
    title: Mapping[str, str]
    template: Mapping[str, str]

    def needs(self) -> tuple[str, ...]:
        """Which of `NAMES` it asks for."""
        return tuple(name for name in NAMES if "{" + name + "}" in self.template["en"])


@cache
def presets() -> dict[str, Preset]:
    """The ready prompts by their keys, from ``prompts.toml``."""
    found = tomllib.loads((files("lab.answer") / "prompts.toml").read_text("utf-8"))
    return {key: Preset(key, own["title"], {x: own[x].strip() for x in ("en", "zh")}) for key, own in found.items()}


def unfilled(template: str, values: Mapping[str, str]) -> Iterator[str]:
    """The names of `NAMES` that a prompt asks for and that this search has nothing for."""
    return (name for name in NAMES if "{" + name + "}" in template and values.get(name, NOTHING) == NOTHING)


MEANINGS = {
    "wordings": Said("the rewrites that were searched"),
    "intent": Said("the route, or what the turn is for"),
    "history": Said("the turns before"),
    "adapted": Said("the question as it was adapted"),
}
"""What each of `NAMES` stands for."""
