"""The knobs of one stage, whichever the visitor has chosen of those that the catalogue has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import streamlit as st

from lab.core import Query, Stage
from lab.refine.llm_filter import Judging
from lab.text import language_of
from lab.ui.page import Page


def drawn(page: Page, start: Stage, query: Query, offers: Mapping[str, Sequence[str]] = MappingProxyType({})) -> Stage:
    """A stage with the visitor's values, three knobs in a row; of what a language model decides, its prompt.

    A prompt that nobody changed is that of the lab, and stands in no file.
    """
    if not isinstance(start, Judging):
        return page.knobs(start, into=st.columns(3), offers=offers)
    usual = start.prompt(language_of(query.text))
    asked = page.knobs(replace(start, template=usual), "template")
    return start if asked.template == usual else asked
