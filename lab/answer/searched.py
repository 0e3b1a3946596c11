"""A description of a search for the prompt of an answer: the rewrites of the question, its route, its conversation.

Everything is read from the lineage of the ranking, so it is what really happened, however the search was composed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from lab.algebra import Ranking, Rewrite, Turn
from lab.models.prompting import missing_names
from lab.rewrite.contextual import Told
from lab.rewrite.domain import DomainVocabulary
from lab.rewrite.routing import Decision
from lab.text import cut, language_of
from lab.words import Said

NAMES = ("wordings", "intent", "history", "adapted")
"""The placeholders of a prompt for this description."""
NOTHING = "–"
"""The text of a placeholder if the search did nothing of the kind."""
MOST, LONGEST, TURNS = 12, 600, 20
"""Maximum number of rewrites, characters of each text, and number of turns."""


@dataclass(frozen=True)
class Searched:
    """The steps that a search applied to a question.

    ``wordings`` are the rewrites that were searched with or instead of the question; ``intent`` is its route, or the
    kind of its turn in a conversation, or the industry in whose terms it was asked; ``history`` are the turns before
    it; ``adapted`` is the question in domain vocabulary, or with its conversation.
    """

    wordings: tuple[str, ...] = ()
    intent: str = ""
    history: tuple[Turn, ...] = ()
    adapted: str = ""

    @staticmethod
    def of(ranking: Ranking) -> Searched:
        """Reads the steps of the search that made this ranking from its lineage."""
        wordings, adapted, intents, industries = dict[str, None](), list[str](), list[str](), list[str]()
        for evidence in (step.evidence for step in ranking.lineage()):
            if isinstance(evidence, Decision):
                intents.append(evidence.route)
            if not isinstance(evidence, Rewrite):
                continue
            texts = [variant.text for variant in evidence.queries if variant.text.strip()]
            wordings |= dict.fromkeys(texts)
            if isinstance(evidence.evidence, Told):
                intents.append(str(evidence.evidence.purpose.kind))
            if isinstance(evidence.evidence, Told) or isinstance(evidence.made_by, DomainVocabulary):
                adapted += texts
            if isinstance(evidence.made_by, DomainVocabulary):
                industries.append(evidence.made_by.adapter.called(language_of(ranking.query.text)))
        before = tuple(turn for turn in ranking.query.turns if turn.text.strip())
        return Searched(tuple(wordings), next(iter(intents + industries), ""), before, next(iter(adapted), ""))

    def values(self) -> dict[str, str]:
        """Returns the text of each placeholder of `NAMES`; `NOTHING` if there is none."""
        wordings = "\n".join(f"- {_short(text)}" for text in self.wordings[:MOST])
        history = "\n".join(f"{turn.role}: {_short(turn.text)}" for turn in self.history[-TURNS:])
        texts = (wordings, _short(self.intent), history, _short(self.adapted))
        return {name: text or NOTHING for name, text in zip(NAMES, texts, strict=True)}


def _short(text: str) -> str:
    return cut(" ".join(text.split()), LONGEST)


@dataclass(frozen=True)
class Preset:
    """A ready prompt for an answer, by its ``key``; ``title`` and ``template`` are in both languages."""

    key: str
    title: Mapping[str, str]
    template: Mapping[str, str]

    def needs(self) -> tuple[str, ...]:
        """Returns the placeholders of `NAMES` that the template has."""
        return tuple(name for name in NAMES if "{" + name + "}" in self.template["en"])


@cache
def presets() -> dict[str, Preset]:
    """The ready prompts by their keys, from ``prompts.toml``."""
    table = tomllib.loads((files("lab.answer") / "prompts.toml").read_text("utf-8"))
    return {
        key: Preset(key, preset["title"], {x: preset[x].strip() for x in ("en", "zh")}) for key, preset in table.items()
    }


def unfilled(template: str, values: Mapping[str, str]) -> Iterator[str]:
    """Yields the placeholders of `NAMES` in a prompt that this search leaves empty."""
    lacking = missing_names(template, NAMES)
    return (name for name in NAMES if name not in lacking and values.get(name, NOTHING) == NOTHING)


MEANINGS = {
    "wordings": Said("the rewrites that were searched"),
    "intent": Said("the route, what the turn is for, or the industry"),
    "history": Said("the turns before"),
    "adapted": Said("the question as it was adapted"),
}
"""The meaning of each of `NAMES`."""
