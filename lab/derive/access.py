"""Permissions, decided before the index: a corpus of only the passages that some groups may see.

A group stands for the readers of a passage, as a metadata field names it.  There are no users and no login here: this
shows what it means for a list where passages are hidden (`lab.refine.access` hides them after the cut).

Source: permissions before retrieval and after it, as in the guides of search engines (Elastic's *document level
security*, which notes that scores can reveal hidden documents).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from lab.algebra import Corpus, Derivation, Document, Env, Value, knob
from lab.text import fold
from lab.words import Said

MISSING = {"hide": Said("hide"), "show": Said("show")}
GROUPS = partial(
    knob, (), kind="words", label=Said("Groups of the reader"), help=Said("None chosen: no passage is visible.")
)
FIELD = partial(knob, "groups", label=Said("Field of the groups"), help=Said("Name of the metadata field."))
WITHOUT = partial(
    knob,
    "hide",
    choices=MISSING,
    label=Said("Passages without the field"),
    help=Said("Hidden unless they are meant for everybody: a forgotten field then reveals nothing."),
)


def groups_of(metadata: Mapping[str, Value], field: str) -> tuple[str, ...]:
    """Returns the groups that a passage names, without blank ones; empty if the field is missing."""
    value = metadata.get(field)
    values = value if isinstance(value, list) else [value]
    return tuple(name for item in values if item is not None and (name := str(item).strip()))


def visible(metadata: Mapping[str, Value], groups: Sequence[str], field: str, missing: str) -> bool:
    """Whether one of these groups may see a passage; the case and the width of letters do not count."""
    named = groups_of(metadata, field)
    if not named:
        return missing == "show"
    return not {fold(name) for name in named}.isdisjoint(fold(group.strip()) for group in groups)


@dataclass(frozen=True)
class Only(Derivation):
    """Keeps the passages that one of the ``groups`` may see, before they are indexed.

    The index is that of a corpus in which the other passages do not exist: no IDF, no length and no vector of the
    corpus depends on them, and as many results are found as were requested, if so many are visible.
    """

    label = Said("Only visible passages")
    about = Said("Indexes only the passages that some groups may see, as if the others did not exist.")
    role = "access"

    groups: tuple[str, ...] = GROUPS()
    field: str = FIELD()
    missing: str = WITHOUT()

    def derive(self, corpus: Corpus, env: Env) -> Sequence[tuple[Document, str]]:
        return [(d, d.id) for d in corpus if visible(d.metadata, self.groups, self.field, self.missing)]
