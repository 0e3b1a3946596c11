"""What a search cannot do in this run, before it runs: a step without its model, a prompt without what it needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab import catalog
from lab.algebra import Models, Operator
from lab.models.prompting import Prompted
from lab.refine.llm_filter import Judging
from lab.words import Said


def notes(search: Any, models: Models) -> Iterator[Said]:
    """A sentence for every step of a search that does nothing, or asks a model without what it should be told."""
    for part in catalog.inside(search):
        for note in (without_model(part, models), without_names(part)):
            if note:
                yield Said("{step}: {note}", step=part.label, note=note)


def without_model(part: Operator, models: Models) -> Said:
    """Says of a judge or an extractor that it has no model, and so does nothing; else empty."""
    if isinstance(part, Judging) and part.model not in models:
        return Said("No language model is set: every passage stays.")
    return Said()


def without_names(part: Operator) -> Said:
    """Says what the visitor's own prompt does not tell the model; else empty."""
    return lacking(part.missing_names) if isinstance(part, Prompted) else Said()


def lacking(names: tuple[str, ...]) -> Said:
    """Says that a prompt has none of the names of these values; empty for none."""
    if not names:
        return Said()
    braced = ", ".join(f"{{{name}}}" for name in names)
    return Said("The prompt lacks {names}: the model is not told them.", names=braced)
