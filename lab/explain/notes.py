"""Warnings before a search runs: a step without its model, a prompt that lacks one of its values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab import catalog
from lab.algebra import Models, Operator
from lab.models.prompting import Prompted, missing_names, unknown_names
from lab.refine.llm_filter import Judging
from lab.retrieve.external import External
from lab.words import N_, Said


def notes(search: Any, models: Models) -> Iterator[Said]:
    """Yields a sentence for every step that has no model, and for every prompt that lacks a value."""
    for part in catalog.inside(search):
        found = [without_model(part, models)]
        if isinstance(part, Prompted):
            found += prompt_notes(part.template, type(part).__dataclass_fields__["template"].metadata)
        for note in filter(None, found):
            yield Said("{step}: {note}", step=part.label, note=note)


def without_model(part: Operator, models: Models) -> Said:
    """Returns a sentence if a judge or an extractor has no model, so that it removes nothing; else empty."""
    if isinstance(part, Judging) and part.model not in models:
        return Said("No language model is set: every passage stays.")
    return Said()


def asks_model(part: Operator, models: Models) -> bool:
    """Returns whether a step asks a language model that this run has."""
    return part.asks_model and getattr(part, "model", "") in models


def asks_outside(search: Any, models: Models) -> bool:
    """Returns whether a search asks a language model or an external retriever of this run about each question."""
    return any(asks_model(part, models) or isinstance(part, External) for part in catalog.inside(search))


def prompt_notes(template: str, metadata: Mapping[str, Any]) -> Iterator[Said]:
    """Yields a sentence with the values that a prompt lacks, and one with the names in it that nothing fills in."""
    if names := missing_names(template, metadata["needs"]):
        message = N_("The prompt lacks {names}: the model is not told them.")
        yield Said(message, names=[f"{{{name}}}" for name in names])
    if names := unknown_names(template, str(metadata["help"])):
        message = N_(
            "Nothing fills in {names}: the model reads it as written. A placeholder is a known name in braces."
        )
        yield Said(message, names=names)
