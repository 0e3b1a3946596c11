"""Penalises passages shown in earlier turns: a follow-up usually asks for something else.

Hiding them altogether fails if a follow-up is about a shown passage, or if a passage shown for one turn answers the
next; subtracting a part of their score loses less there than it gains elsewhere.  It is a separate stage, so that its
effect can be seen and measured, and is not part of any preset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lab.algebra import Contribution, Drop, Env, Hit, Later, Outcome, Ranking, Stage, fraction, knob
from lab.words import N_, Said


class Shown(NamedTuple):
    """One showing of a passage: the user's turn (from 1), the position, and how many turns ago (0: last)."""

    turn: int
    place: int
    age: int


@dataclass(frozen=True)
class Unseen(Stage):
    """Penalises or hides passages shown before (`Turn.shown`, the ``first`` of every earlier turn of the user).

    By default they count less: each time that a passage was shown takes ``share / place * fade ** age`` of its score,
    as a separate score component, so the first passage of the last turn loses most.  Else they are removed, each with
    its turn as the reason, or moved behind all others in their order; then the order no longer follows the scores,
    which stay as they are.
    """

    inputs = ("turns", "scores")
    label = Said("Passages not shown before")
    about = Said("Passages shown in earlier turns are penalised or hidden.")
    role = "dialogue"

    first: int = knob(
        3, Said("Passages counted as shown"), Said("First passages of each earlier turn that count."), low=1, high=50
    )
    how: str = knob(
        "less",
        Said("Passages shown before"),
        Said("Penalise: reduces the score. Hide: removes from the list. Move down: places after all other passages."),
        choices={"less": Said("penalise"), "drop": Said("hide"), "down": Said("move down")},
    )
    share: float = fraction(
        0.2,
        Said("Penalty"),
        Said(
            "Share of the score that the first result of the last turn loses; the second loses half of it, and so on."
        ),
        kw_only=True,
    )
    fade: float = fraction(
        0.95, Said("Decay per turn"), Said("Factor per turn: after two turns it is squared."), rare=True, kw_only=True
    )

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        before = self.shown(ranking)
        if self.how == "less":
            hits = [self._less(hit, before[i]) if (i := hit.document.id) in before else hit for hit in ranking.hits]
            return Outcome(sorted(hits, key=lambda hit: -hit.score) if before else hits)
        fresh = [hit for hit in ranking.hits if hit.document.id not in before]
        seen = [hit for hit in ranking.hits if hit.document.id in before]
        if self.how == "down":
            return Outcome([*fresh, *seen])
        said = N_("Shown before: turn {turn}, position {place}.")
        told = ((hit.document, before[hit.document.id][-1]) for hit in seen)
        return Outcome(fresh, [Drop(d, Said(said, turn=at.turn, place=at.place), self.label) for d, at in told])

    def shown(self, ranking: Ranking) -> Mapping[str, Sequence[Shown]]:
        """Returns when and at which position each passage was shown before, by its id, the latest last."""
        before: dict[str, list[Shown]] = {}
        users, here = (
            [turn for turn in ranking.query.turns if turn.role == "user"],
            {h.document.id for h in ranking.hits},
        )
        for n, turn in enumerate(users, 1):
            for place, doc in enumerate(turn.shown[: self.first], 1):
                if doc in here:
                    before.setdefault(doc, []).append(Shown(n, place, len(users) - n))
        return before

    def _less(self, hit: Hit, shown: Sequence[Shown]) -> Hit:
        """Returns the hit with a negative component for each time it was shown, a share of its score so far."""
        score, parts = hit.score, [self.share / at.place * self.fade**at.age for at in shown]
        taken = list[float]()
        for part in parts:
            taken.append(-part * abs(score))
            score += taken[-1]

        def why() -> list[Contribution]:
            said = N_("shown in turn {turn}, position {place}: {percent:.1f}% less")
            names = (
                Said(said, turn=at.turn, place=at.place, percent=100 * p) for at, p in zip(shown, parts, strict=True)
            )
            return [*hit.why, *map(Contribution, names, taken)] if hit.why else []

        return Hit(hit.document, score, Later(why))
