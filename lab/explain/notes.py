"""Warnings before a search runs: a step without its model, a prompt that lacks one of its values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab import catalog
from lab.algebra import Models, Operator
from lab.models.prompting import Prompted
from lab.refine.llm_filter import Judging
from lab.retrieve.external import External
from lab.words import Said


def notes(search: Any, models: Models) -> Iterator[Said]:
    """Yields a sentence for every step that has no model, and for every prompt that lacks a value."""
    for part in catalog.inside(search):
        for note in (without_model(part, models), without_names(part)):
            if note:
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


def without_names(part: Operator) -> Said:
    """Returns a sentence if the visitor's own prompt lacks a value; else empty."""
    return lacking(part.missing_names) if isinstance(part, Prompted) else Said()


def lacking(names: tuple[str, ...]) -> Said:
    """Returns a sentence with the names that a prompt lacks; empty if it lacks nothing."""
    if not names:
        return Said()
    return Said("The prompt lacks {names}: the model is not told them.", names=[f"{{{name}}}" for name in names])
