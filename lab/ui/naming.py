"""The names that other software and the field give to techniques and parameters, as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lab.ui.i18n import _, language
from lab.words import LANGUAGES


def in_software(names: Mapping[str, Sequence[str]]) -> str:
    """Returns names of `lab.catalog.other_names` by software: “In LangChain: EnsembleRetriever.”"""
    each = ((origin, ", ".join(known)) for origin, known in names.items() if origin not in LANGUAGES)
    return " ".join(_("In {software}: {names}.", software=origin, names=known) for origin, known in each)


def also_called(names: Mapping[str, Sequence[str]]) -> str:
    """Returns the usual terms in the visitor's language, then the names of other software."""
    terms = ("、" if language() == "zh" else ", ").join(names.get(language(), ()))
    return " ".join(filter(None, (_("Also called: {names}.", names=terms) if terms else "", in_software(names))))
