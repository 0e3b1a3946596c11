"""Faithfulness: how far every sentence of an answer rests on the passages, in one number, and what in it does not.

By a rule, from the citations and the numbers, dates and names of the sentence; or by a language model, whose verdicts
take the place of the rule's where they can be read.  What stands in no cited passage is flagged in both cases.

Source: the statements of an answer judged one by one are the faithfulness of S. Es et al., *RAGAS: Automated Evaluation
of Retrieval Augmented Generation*, 2024; what a model says of a sentence is full, partial or no support there as in
T. Gao et al., *Enabling Large Language Models to Generate Text with Citations*, 2023.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lab.algebra import ALONE, Document, Env, Operator, knob
from lab.answer.citations import Cited, Part
from lab.answer.context import fence, numbered
from lab.answer.facts import Facts, Flag, facts
from lab.errors import ModelError
from lab.models.answers import Unreadable, json_object
from lab.models.chat import TEXT, Completion, Shape
from lab.models.consult import Request
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.text import language_of
from lab.words import N_, Said

LEVELS: Mapping[str, Said] = {
    "supported": Said("supported"),
    "partly": Said("partly supported"),
    "unsupported": Said("not supported"),
    "alone": Said("not checked"),
}
"""What becomes of a sentence: it is cited, and nothing in it is missing; something is; it is not; it states nothing."""
_GIVEN = {"full": ("supported", 1.0), "part": ("partly", 0.5), "none": ("unsupported", 0.0)}
"""What a language model may say of a sentence, to the level and the number."""
_VERDICT = Shape.of("sentence", number={"type": "integer"}, support={"type": "string", "enum": [*_GIVEN]}, reason=TEXT)
SHAPE = Shape.of("sentences", sentences={"type": "array", "items": json.loads(_VERDICT.schema)})
LONGEST = 300
"""Characters of a model's reason that are shown."""


@dataclass(frozen=True)
class Cell:
    """One sentence of the strip.

    ``support`` is from 0 to 1, None where the sentence was left alone; by the rule it is the sum of ``parts``, or 0
    where that is negative.  ``level`` is one of `LEVELS`, ``reason`` says why; ``flags`` are the numbers, dates and
    names that stand in no cited passage (in the nearest one where nothing is cited); ``by`` is ``rule`` or ``model``.
    """

    cited: Cited
    support: float | None
    parts: tuple[Part, ...]
    level: str
    reason: str
    flags: tuple[Flag, ...]
    by: str = "rule"


@dataclass(frozen=True)
class Strip:
    """The cells of an answer in its order.

    ``answer`` is what a language model said, ``problem`` why its verdicts are not here though it was asked.
    """

    cells: tuple[Cell, ...]
    made_by: Faithfulness
    answer: Completion | None = None
    problem: ModelError | None = field(default=None, compare=False)

    @property
    def share(self) -> float | None:
        """The share of the sentences that are supported; None where all were left alone."""
        levels = [cell.level for cell in self.cells if cell.level != "alone"]
        return levels.count("supported") / len(levels) if levels else None


@dataclass(frozen=True)
class Faithfulness(Prompted, Operator):
    """Measures how well the passages support each sentence: its best similarity, less a penalty for missing details.

    The support is that similarity, and ``-missing`` times the share of the sentence's numbers, dates and names that
    stand in no cited passage.  A sentence is supported where something is cited and nothing is missing, partly where
    something is missing, not supported where nothing is cited.
    """

    label = Said("Faithfulness")
    about = Said(
        "How well each sentence of an answer is supported by its passages, and which numbers and names are not."
    )

    missing: float = knob(
        0.5,
        low=0.0,
        high=1.0,
        step=0.05,
        label=Said("Penalty for missing details"),
        help=Said(
            "Penalty if no cited passage contains a number, date or name of the sentence; a share of it "
            "if some are missing."
        ),
        kw_only=True,
    )
    template: str = TEMPLATE(
        help=Said("{passages}, {sentences} and {fence} are filled in. Empty: the lab's prompt."),
        needs=("passages", "sentences"),
    )

    def rate(self, cited: Sequence[Cited], passages: Sequence[Document], env: Env = ALONE) -> Strip:
        """A cell for each sentence; what a language model says of them where one is named and can be read."""
        there = Facts(passages)
        cells = tuple(self._cell(own, there) for own in cited)
        if not self.model or not passages or all(cell.level == "alone" for cell in cells):
            return Strip(cells, self)
        count = sum(cell.level != "alone" for cell in cells)
        request = Request(self.request(cited, passages), lambda answer: read(answer, count))
        reading = self.consult(env, request, SHAPE)
        if reading.value is None:
            return Strip(cells, self, reading.answer, reading.problem)
        told = iter(reading.value)
        judged = (cell if cell.level == "alone" else _judged(cell, *next(told)) for cell in cells)
        return Strip(tuple(judged), self, reading.answer)

    def request(self, cited: Sequence[Cited], passages: Sequence[Document]) -> str:
        """What a language model is asked: the passages and the sentences, both numbered from 1."""
        asked = [own.sentence for own in cited if not own.alone]
        own = fence([*asked, *(d.title for d in passages), *(d.text for d in passages)])
        lines = "\n".join(f"{i}. {' '.join(sentence.split())}" for i, sentence in enumerate(asked, 1))
        told = {"passages": numbered(passages, own), "sentences": lines, "fence": own}
        return fill(self.prompt(language_of(lines)), **told).strip()

    def _cell(self, cited: Cited, there: Facts) -> Cell:
        if cited.alone:
            return Cell(cited, None, (), "alone", cited.alone, ())
        if cited.nearest is None:
            return Cell(cited, 0.0, (), "unsupported", Said("There are no passages."), ())
        looked = cited.sources or (cited.nearest,)
        names = not any(source.foreign for source in looked)
        flags = there.flags(cited.sentence, [source.place for source in looked], names=names)
        share = len(flags) / len({*facts(cited.sentence), *(flag.found for flag in flags)}) if flags else 0.0
        lacking = (Part(Said("not in the passages"), -self.missing, share),) if flags else ()
        parts = (*cited.nearest.parts, *lacking)
        support = min(max(math.fsum(part.addend for part in parts), 0.0), 1.0)
        level = "unsupported" if not cited.sources else "partly" if flags else "supported"
        return Cell(cited, support, parts, level, _reason(cited, flags), flags)


def _reason(cited: Cited, flags: Sequence[Flag]) -> str:
    assert cited.nearest is not None
    told = {"n": cited.nearest.place.passage + 1, "near": cited.nearest.similarity, "limit": cited.threshold}
    if not cited.sources:
        said = N_("Not cited: the most similar passage is {n}, with {near:.3f}; the threshold is {limit:.3f}.")
    elif flags:
        said = N_("Passage {n} is similar ({near:.3f}), but does not contain all of the sentence.")
    else:
        said = N_("Passage {n} is near, at {near:.3f}; the threshold is {limit:.3f}.")
    return Said(said, **told)


def _judged(cell: Cell, given: str, reason: str) -> Cell:
    level, support = _GIVEN[given]
    return replace(cell, support=support, parts=(), level=level, reason=reason or Said("no reason given"), by="model")


def read(answer: str, count: int) -> list[tuple[str, str]]:
    """What a language model says of each of so many sentences: ``full``, ``part`` or ``none``, and the reason.

    Raises `Unreadable` for anything but one verdict on each.
    """
    wanted = Said('a JSON object with "sentences": for each of {n} its number, support and reason', n=count)
    rows: Any = json_object(answer).get("sentences")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Unreadable(answer, wanted)
    out = dict[int, tuple[str, str]]()
    for row in rows:
        number, support, reason = row.get("number"), row.get("support"), row.get("reason")
        if type(number) is not int or number in out or not isinstance(support, str) or support not in _GIVEN:
            raise Unreadable(answer, wanted)
        out[number] = support, " ".join(reason.split())[:LONGEST] if isinstance(reason, str) else ""
    if sorted(out) != [*range(1, count + 1)]:
        raise Unreadable(answer, wanted)
    return [out[i] for i in range(1, count + 1)]
