"""What techniques, lists and kinds of wordings are called in the visitor's language."""

from __future__ import annotations

from collections.abc import Callable

from lab.ui.i18n import N_, _, say
from lab.words import Said

_NAMES = {
    "Coverage": N_("Coverage"),
    "Soft coverage": N_("Soft coverage"),
    "Hybrid similarity": N_("Hybrid similarity"),
    "Weighted sum": N_("Weighted sum"),
    "Long-context reorder": N_("Long-context reorder"),
    "Score threshold": N_("Score threshold"),
    "Metadata": N_("Metadata"),
    "Keywords": N_("Keywords"),
    "Semantic de-duplication": N_("Semantic de-duplication"),
    "Redundancy": N_("Redundancy"),
    "Embeddings": N_("Embeddings"),
    "Sentence extractor": N_("Sentence extractor"),
    "Language model judge": N_("Language model judge"),
    "Model extractor": N_("Model extractor"),
    "Best score": N_("best score"),
    "Minimum match": N_("Minimum match"),
    "Built-in bilingual": N_("Built-in, bilingual"),
    "original": N_("the question itself"),
    "rewording": N_("rewording"),
    "topic words": N_("topic words"),
    "sub-question": N_("sub-question"),
    "shared words": N_("shared words"),
    "general question": N_("wider question"),
    "pseudo-document": N_("pseudo-document"),
    "industry wording": N_("industry wording"),
    "research": N_("research"),
    "practice": N_("practice"),
    "basics": N_("basics"),
}


def stage(label: str) -> str:
    """What an operator, or the list that it made, is called."""
    if isinstance(label, Said) and label.values:
        return _with(label, "kind", kind)
    if label.startswith("Vector · "):
        return _("Vector") + " · " + kind(label.removeprefix("Vector · "))
    return kind(label)


def kind(label: str) -> str:
    """What a kind of wording, or an embedder, is called."""
    return _(_NAMES[label]) if label in _NAMES else label


def source(text: str) -> str:
    """What an addend is called: the list in it, too, by the name that the page gives it."""
    return _with(text, "list", stage) if isinstance(text, Said) else stage(text)


def _with(said: Said, value: str, called: Callable[[str], str]) -> str:
    """A sentence in which one of the values is called by its name."""
    own = said.values.get(value)
    return say(Said(said.template, **{**said.values, value: called(own)}) if isinstance(own, str) else said)
