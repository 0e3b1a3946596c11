"""Passages of a fitting length: headings without a text and whole manuals are poor answers."""

from __future__ import annotations

from dataclasses import dataclass

from lab.algebra import Env, Ranking, knob, must
from lab.refine.filters import Filter, Judged, Measured
from lab.words import N_, Said


@dataclass(frozen=True)
class LengthFilter(Filter):
    """Removes documents with fewer than ``shortest`` or more than ``longest`` characters, without the title.

    Raises `ParameterError` where the shortest is longer than the longest.
    """

    inputs = ("texts",)
    label = Said("Length")
    about = Said("Removes texts that are too short or too long.")

    shortest: int = knob(20, Said("Minimum length"), Said("In characters, without the title."), low=0, high=100_000)
    longest: int | None = knob(
        None, Said("Maximum length"), Said("In characters, without the title. Empty: any."), low=0, high=1_000_000
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        message = N_("shortest is {low}, but must not be greater than longest, which is {high}.")
        must(self.longest is None or self.shortest <= self.longest, message, low=self.shortest, high=self.longest)

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        lengths = [len(hit.document.text) for hit in ranking.hits]
        measured = Measured(Said("characters"), tuple(map(float, lengths)), self.shortest, self.longest)
        return Judged([self._reason(n) for n in lengths], measured)

    def _reason(self, n: int) -> Said | None:
        if n < self.shortest:
            return Said("Characters: {n}; minimum: {limit}.", n=n, limit=self.shortest)
        if self.longest is not None and n > self.longest:
            return Said("Characters: {n}; maximum: {limit}.", n=n, limit=self.longest)
        return None
