"""The knobs of one stage, whichever the visitor has chosen of those that the catalogue has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, TypeVar

import streamlit as st

from lab.algebra import Query, Stage
from lab.corpus.statistics import date_field, fields_of, source_field, tag_field
from lab.refine.decay import TimeDecay
from lab.refine.filters import MetadataFilter
from lab.refine.hybrid import HybridSimilarity
from lab.refine.llm_filter import Judging
from lab.text import language_of
from lab.ui.frame import Frame
from lab.ui.knobs import COMMON
from lab.ui.page import Page

S = TypeVar("S", bound=Stage)


def rows(across: int) -> Iterator[Any]:
    """Columns, row after row: on a phone, where they stand below each other, the order is that of the knobs."""
    while True:
        yield from st.columns(across)


MOST = 500
"""So many values of a field are offered, in the order of the alphabet."""


def offers(f: Frame, source: str = "source") -> dict[str, list[str]]:
    """What the metadata of this corpus offers to choose from; ``source`` is the field of the sources."""
    fields = fields_of(f.corpus)
    held = (d.metadata.get(source) for d in f.corpus)
    sources = {str(one) for own in held for one in (own if isinstance(own, list) else [own]) if one not in (None, "")}
    return {
        "sources": sorted(sources)[:MOST],
        "required": sorted(x.name for x in fields),
        "source_field": [x.name for x in fields if x.type in ("str", "list") and not x.dated],
        "date_field": [x.name for x in fields if x.dated],
        "tag_field": [x.name for x in fields if x.type == "list" or x.shared],
    }


def for_corpus(stage: S, f: Frame) -> S:
    """The stage with the fields that this corpus has in the place of those that it lacks."""
    fields = fields_of(f.corpus)
    if isinstance(stage, MetadataFilter):
        date, source = date_field(fields, stage.date_field), source_field(fields, stage.source_field)
        return replace(stage, date_field=date, source_field=source)
    if isinstance(stage, TimeDecay):
        return replace(stage, date_field=date_field(fields, stage.date_field))
    if isinstance(stage, HybridSimilarity):
        return replace(stage, tagger=replace(stage.tagger, tag_field=tag_field(fields, stage.tagger.tag_field)))
    return stage


def drawn(page: Page, start: Stage, query: Query, offers: Mapping[str, Sequence[str]] = MappingProxyType({})) -> Stage:
    """A stage with the visitor's values, three knobs in a row; of what a language model decides, its prompt.

    A prompt that nobody changed is that of the lab, and stands in no file.
    """
    if not isinstance(start, Judging):
        names = [x.name for x in fields(start) if x.name in offers and x.metadata["kind"] == "text"]
        common = [x.name for x in fields(start) if not x.metadata["rare"] and x.metadata["kind"] in COMMON]
        more = [name for name in common if name not in names]
        return page.knobs(start, *more, *names, into=rows(3), offers=offers)
    usual = start.prompt(language_of(query.text))
    asked = page.knobs(replace(start, template=usual), "template")
    return start if asked.template == usual else asked
