"""The knobs of one stage, whichever the visitor has chosen of those that the catalogue has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import streamlit as st

from lab.core import Query, Stage
from lab.refine.llm_filter import Judging
from lab.text import language_of
from lab.ui.frame import Frame
from lab.ui.page import Page


def rows(across: int) -> Iterator[Any]:
    """Columns, row after row: on a phone, where they stand below each other, the order is that of the knobs."""
    while True:
        yield from st.columns(across)


def offers(f: Frame) -> dict[str, list[str]]:
    """What the metadata of this corpus offers to choose from."""
    sources = {str(d.metadata["source"]) for d in f.corpus if d.metadata.get("source")}
    return {"sources": sorted(sources), "required": sorted({name for d in f.corpus for name in d.metadata})}


def drawn(page: Page, start: Stage, query: Query, offers: Mapping[str, Sequence[str]] = MappingProxyType({})) -> Stage:
    """A stage with the visitor's values, three knobs in a row; of what a language model decides, its prompt.

    A prompt that nobody changed is that of the lab, and stands in no file.
    """
    if not isinstance(start, Judging):
        return page.knobs(start, into=rows(3), offers=offers)
    usual = start.prompt(language_of(query.text))
    asked = page.knobs(replace(start, template=usual), "template")
    return start if asked.template == usual else asked
