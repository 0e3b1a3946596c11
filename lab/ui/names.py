"""What techniques, lists and kinds of wordings are called in the visitor's language."""

from __future__ import annotations

from lab.ui.i18n import N_, _, say
from lab.words import Said

STAGES = {
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
}
KINDS = {
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
        return say(Said(label.template, **{k: kind(v) if k == "kind" else v for k, v in label.values.items()}))
    if label.startswith("Vector · "):
        rest = label.removeprefix("Vector · ")
        return _("Vector") + " · " + (_("Built-in, bilingual") if rest == "Built-in bilingual" else rest)
    return _(STAGES[label]) if label in STAGES else kind(label)


def kind(label: str) -> str:
    """What a kind of wording is called."""
    return _(KINDS[label]) if label in KINDS else label


def source(text: str) -> str:
    """What an addend is called: the list in it, too, by the name that the page gives it."""
    if isinstance(text, Said):
        return say(
            Said(
                text.template,
                **{k: stage(v) if k == "list" and isinstance(v, str) else v for k, v in text.values.items()},
            )
        )
    return stage(text)
