"""The names that other software and the field give to techniques and parameters, as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lab.ui.i18n import _, language, listed
from lab.words import LANGUAGES


def in_software(names: Mapping[str, Sequence[str]]) -> str:
    """Returns names of `lab.catalog.other_names` by software: “In LangChain: EnsembleRetriever.”"""
    each = (
        _("In {software}: {names}.", software=x, names=[*known]) for x, known in names.items() if x not in LANGUAGES
    )
    return listed(each, " ")


def also_called(names: Mapping[str, Sequence[str]]) -> str:
    """Returns the usual terms in the visitor's language, then the names of other software."""
    terms = [*names.get(language(), ())]
    return listed(filter(None, (_("Also called: {names}.", names=terms) if terms else "", in_software(names))), " ")
