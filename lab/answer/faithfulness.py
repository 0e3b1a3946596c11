"""Faithfulness: how well the passages support each sentence of an answer, as a number, and the unsupported details.

By a rule, from the citations and the numbers, dates and names of the sentence; or by a language model, whose verdicts
replace those of the rule if they can be read.  Details that no cited passage contains are flagged in both cases.

Sources: S. Es et al., *RAGAS: Automated Evaluation of Retrieval Augmented Generation*, 2024, judges the statements of
an answer one by one; T. Gao et al., *Enabling Large Language Models to Generate Text with Citations*, EMNLP 2023,
doi:10.18653/v1/2023.emnlp-main.398, has the verdicts full, partial and no support.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lab.algebra import ALONE, Document, Env, Operator, fraction
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
    "unread": Said("not fully checked"),
    "unsupported": Said("not supported"),
    "alone": Said("not checked"),
}
"""The level of a sentence: cited with all details; with details missing; with details that cannot be read for certain;
not cited; or not a statement."""
_GIVEN = {"full": ("supported", 1.0), "part": ("partly", 0.5), "none": ("unsupported", 0.0)}
"""A language model's verdicts on a sentence, with their level and support."""
_VERDICT = Shape.of("sentence", number={"type": "integer"}, support={"type": "string", "enum": [*_GIVEN]}, reason=TEXT)
SHAPE = Shape.of("sentences", sentences={"type": "array", "items": json.loads(_VERDICT.schema)})
LONGEST = 300
"""Maximum length of a model's reason, in characters."""


@dataclass(frozen=True)
class Cell:
    """One sentence of the strip.

    ``support`` is from 0 to 1, or None if the sentence was not checked; the rule's is the sum of ``parts``, or 0 if
    that is negative.  ``level`` is one of `LEVELS`, ``reason`` says why; ``flags`` are the numbers, dates and names
    that no cited passage contains (or not the nearest one, if nothing is cited), ``unread`` those that could not be
    checked; ``by`` is ``rule`` or ``model``.
    """

    cited: Cited
    support: float | None
    parts: tuple[Part, ...]
    level: str
    reason: str
    flags: tuple[Flag, ...]
    by: str = "rule"
    unread: tuple[Flag, ...] = ()


@dataclass(frozen=True)
class Strip:
    """The cells of an answer in its order.

    ``answer`` is the answer of a language model, ``problem`` why its verdicts are missing although it was asked.
    """

    cells: tuple[Cell, ...]
    made_by: Faithfulness
    answer: Completion | None = None
    problem: ModelError | None = field(default=None, compare=False)

    @property
    def share(self) -> float | None:
        """The share of the checked sentences that are supported; None if none was checked."""
        levels = [cell.level for cell in self.cells if cell.level not in ("alone", "unread")]
        return levels.count("supported") / len(levels) if levels else None


@dataclass(frozen=True)
class Faithfulness(Prompted, Operator):
    """Measures how well the passages support each sentence: its best similarity, less a penalty for missing details.

    The support is that similarity, minus ``missing`` times the share of the sentence's numbers, dates and names that no
    cited passage contains.  A sentence is supported if a passage is cited and no detail is missing, partly supported
    if a detail is missing, and not supported if no passage is cited.
    """

    label = Said("Faithfulness")
    about = Said(
        "How well each sentence of an answer is supported by its passages, and which numbers and names are not."
    )

    missing: float = fraction(
        0.5,
        Said("Penalty for missing details"),
        Said(
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
        """Rates each sentence, by a language model if one is named and its answer can be read, or else by the rule."""
        facts_of_passages = Facts(passages)
        cells = tuple(self._cell(sentence, facts_of_passages) for sentence in cited)
        if not self.model or not passages or all(cell.level == "alone" for cell in cells):
            return Strip(cells, self)
        count = sum(cell.level != "alone" for cell in cells)
        request = Request(self.request(cited, passages), lambda answer: read(answer, count))
        reading = self.consult(env, request, SHAPE)
        if reading.value is None:
            return Strip(cells, self, reading.answer, reading.problem)
        verdicts = iter(reading.value)
        judged = (cell if cell.level == "alone" else _judged(cell, *next(verdicts)) for cell in cells)
        return Strip(tuple(judged), self, reading.answer)

    def request(self, cited: Sequence[Cited], passages: Sequence[Document]) -> str:
        """Returns the prompt of a language model: the passages and the sentences, both numbered from 1."""
        statements = [own.sentence for own in cited if not own.alone]
        own = fence([*statements, *(d.title for d in passages), *(d.text for d in passages)])
        lines = "\n".join(f"{i}. {' '.join(sentence.split())}" for i, sentence in enumerate(statements, 1))
        values = {"passages": numbered(passages, own), "sentences": lines, "fence": own}
        return fill(self.prompt(language_of(lines)), **values).strip()

    def _cell(self, cited: Cited, facts_of_passages: Facts) -> Cell:
        if cited.alone:
            return Cell(cited, None, (), "alone", cited.alone, ())
        if cited.nearest is None:
            return Cell(cited, 0.0, (), "unsupported", Said("There are no passages."), ())
        looked = cited.sources or (cited.nearest,)
        names = not any(source.foreign for source in looked)
        flags, unread = facts_of_passages.check(cited.sentence, [source.place for source in looked], names=names)
        share = len(flags) / len({*facts(cited.sentence), *(flag.found for flag in flags)}) if flags else 0.0
        lacking = (Part(Said("not in the passages"), -self.missing, share),) if flags else ()
        parts = (*cited.nearest.parts, *lacking)
        support = min(max(math.fsum(part.addend for part in parts), 0.0), 1.0)
        level = "partly" if flags else "unread" if unread else "supported"
        level = level if cited.sources else "unsupported"
        return Cell(cited, support, parts, level, _reason(cited, flags), flags, unread=unread)


def _reason(cited: Cited, flags: Sequence[Flag]) -> str:
    assert cited.nearest is not None
    values = {"n": cited.nearest.place.passage + 1, "near": cited.nearest.similarity, "limit": cited.threshold}
    if not cited.sources:
        message = N_("Not cited: the most similar passage is {n}, with {near:.3f}; the threshold is {limit:.3f}.")
    elif flags:
        message = N_("Passage {n} is similar ({near:.3f}), but does not contain all of the sentence.")
    else:
        message = N_("Passage {n} is near, at {near:.3f}; the threshold is {limit:.3f}.")
    return Said(message, **values)


def _judged(cell: Cell, verdict: str, reason: str) -> Cell:
    level, support = _GIVEN[verdict]
    return replace(cell, support=support, parts=(), level=level, reason=reason or Said("no reason given"), by="model")


def read(answer: str, count: int) -> list[tuple[str, str]]:
    """Reads a language model's verdict on each of ``count`` sentences: ``full``, ``part`` or ``none``, and the reason.

    Raises `Unreadable` for anything but one verdict on each.
    """
    expected = Said('a JSON object with "sentences": for each of {n} its number, support and reason', n=count)
    rows: Any = json_object(answer).get("sentences")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Unreadable(answer, expected)
    verdicts = dict[int, tuple[str, str]]()
    for row in rows:
        number, support, reason = row.get("number"), row.get("support"), row.get("reason")
        if type(number) is not int or number in verdicts or not isinstance(support, str) or support not in _GIVEN:
            raise Unreadable(answer, expected)
        verdicts[number] = support, " ".join(reason.split())[:LONGEST] if isinstance(reason, str) else ""
    if sorted(verdicts) != [*range(1, count + 1)]:
        raise Unreadable(answer, expected)
    return [verdicts[i] for i in range(1, count + 1)]
