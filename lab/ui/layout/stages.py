"""The parameters of a stage that the visitor has chosen from the catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, TypeVar

import streamlit as st

from lab.algebra import Query, Stage
from lab.corpus.statistics import date_field, fields_of, source_field, tag_field
from lab.derive.access import groups_of
from lab.refine.access import Allowed
from lab.refine.decay import TimeDecay
from lab.refine.hybrid import HybridSimilarity
from lab.refine.llm_filter import Judging
from lab.refine.per_document import PerDocument
from lab.refine.superseded import Superseded
from lab.refine.where import MetadataFilter
from lab.retrieve.external import External
from lab.text import language_of
from lab.ui.i18n import _
from lab.ui.layout import frame
from lab.ui.layout.frame import Frame
from lab.ui.layout.knobs import COMMON
from lab.ui.layout.page import Page
from lab.ui.lists import retrievers

S = TypeVar("S", bound=Stage)


def rows(across: int) -> Iterator[Any]:
    """Yields columns, row after row, so that the order stays that of the parameters on a phone, which stacks them."""
    while True:
        yield from st.columns(across)


ACROSS = 3
"""Parameters in a row."""
MOST = 500
"""Maximum number of offered values of a field, in alphabetical order."""


def offers(f: Frame, source: str = "source") -> dict[str, list[str]]:
    """Returns the choices that this corpus and this visitor offer, by the name of a parameter, with its key or without.

    ``source`` is the field of the sources.
    """
    fields = fields_of(f.corpus)
    of_words = [x.name for x in fields if x.type in ("str", "list") and not x.dated]
    field_values = (d.metadata.get(source) for d in f.corpus)
    sources = {
        str(item)
        for value in field_values
        for item in (value if isinstance(value, list) else [value])
        if item not in (None, "")
    }
    return {
        "sources": sorted(sources)[:MOST],
        "required": sorted(x.name for x in fields),
        "source_field": of_words,
        f"{Superseded.key}.subject": of_words,
        "date_field": [x.name for x in fields if x.dated],
        "tag_field": [x.name for x in fields if x.type == "list" or x.shared],
        f"{PerDocument.key}.field": of_words,
        f"{External.key}.name": list(retrievers.known(frame.visitor())),
    }


def for_corpus(stage: S, f: Frame) -> S:
    """Returns the stage with fields that this corpus has, instead of those that it lacks."""
    fields = fields_of(f.corpus)
    if isinstance(stage, MetadataFilter):
        date, source = date_field(fields, stage.date_field), source_field(fields, stage.source_field)
        return replace(stage, date_field=date, source_field=source)
    if isinstance(stage, TimeDecay):
        return replace(stage, date_field=date_field(fields, stage.date_field))
    if isinstance(stage, HybridSimilarity):
        return replace(stage, tagger=replace(stage.tagger, tag_field=tag_field(fields, stage.tagger.tag_field)))
    return stage


def for_groups(stage: Allowed, f: Frame) -> Allowed:
    """Returns the permissions with a field of this corpus, and the group that most of its passages name."""
    field = stage.field
    if not any(field in d.metadata for d in f.corpus):
        field = source_field(fields_of(f.corpus), "source")
    counts = Counter(name for d in f.corpus for name in groups_of(d.metadata, field))
    return replace(stage, field=field, groups=tuple(name for name, _ in counts.most_common(1)))


def offered_groups(f: Frame, field: str) -> dict[str, list[str]]:
    """Returns the groups that passages name in a field, and the fields that can name some."""
    groups = sorted({name for d in f.corpus for name in groups_of(d.metadata, field)})
    return {"groups": groups[:MOST], "field": offers(f)["source_field"]}


def drawn(
    page: Page,
    start: Stage,
    query: Query,
    offers: Mapping[str, Sequence[str]] = MappingProxyType({}),
    *,
    seen: int = ACROSS,
) -> Stage:
    """Draws a stage with its first ``seen`` parameters in a row, the others folded, and returns it.

    A stage with a language model shows its prompt.  An unchanged prompt is the lab's own, and is not written to files.
    """
    if not isinstance(start, Judging):
        names = [x.name for x in fields(start) if x.name in offers and x.metadata["kind"] == "text"]
        common = [x.name for x in fields(start) if not x.metadata["rare"] and x.metadata["kind"] in COMMON]
        more = [name for name in common if name not in names]
        every = [*more, *names]
        if len(every) <= seen + 1:
            return page.knobs(start, *every, into=rows(ACROSS), offers=offers)
        *places, last = st.columns([1] * seen + [0.6], vertical_alignment="bottom")
        start = page.knobs(start, *every[:seen], into=places, offers=offers)
        with last, st.popover(_("More"), icon=":material/tune:", width="stretch"):
            return page.knobs(start, *every[seen:], offers=offers)
    usual = start.prompt(language_of(query.text))
    edited = page.knobs(replace(start, template=usual), "template")
    return start if edited.template == usual else edited
