"""What earlier turns of a conversation have shown is held back: who asks on wants to read something else.

It loses where the visitor asks back about a passage that was shown, and where what was shown for one turn answers the
next: that is to be seen and measured, so it is a stage of its own, and stands in no preset.
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.core import Drop, Env, Outcome, Ranking, Stage, knob
from lab.words import N_, Said


@dataclass(frozen=True)
class Unseen(Stage):
    """Holds back the passages that were shown before (`Turn.shown`, the ``first`` of every earlier turn of the user).

    They are removed, each with its turn as the reason, or moved behind all others in their order; then the list says
    nothing of scores, which stay as they are.
    """

    label = Said("Not shown before")
    about = Said("Holds back the passages that earlier turns of the conversation have shown.")
    role = "dialogue"

    first: int = knob(
        3, low=1, high=50, label=Said("Shown are"), help=Said("So many of the first passages of every earlier turn.")
    )
    how: str = knob(
        "drop",
        choices={"drop": Said("held back"), "down": Said("moved down")},
        label=Said("They are"),
        help=Said("Held back: not in the list. Moved down: behind all others."),
    )

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        before: dict[str, tuple[int, int]] = {}  # the turn and the place where it was shown last
        users = [turn for turn in ranking.query.turns if turn.role == "user"]
        for n, turn in enumerate(users, 1):
            before |= {doc: (n, place) for place, doc in enumerate(turn.shown[: self.first], 1)}
        fresh = [hit for hit in ranking.hits if hit.document.id not in before]
        seen = [hit for hit in ranking.hits if hit.document.id in before]
        if self.how == "down":
            return Outcome([*fresh, *seen])
        said = N_("Shown before: by turn {turn}, at place {place}.")
        told = ((hit.document, before[hit.document.id]) for hit in seen)
        return Outcome(fresh, [Drop(d, Said(said, turn=turn, place=place), self.label) for d, (turn, place) in told])
