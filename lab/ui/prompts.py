"""Prompts of the visitor's own: the names that are filled in, and a warning if one is missing."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lab.explain.notes import lacking
from lab.models.prompting import missing_names, other_names
from lab.ui import escape
from lab.ui.i18n import _, say


def help_of(said: str, needs: Sequence[str]) -> str:
    """The help of a field, with the further names of the values that it fills in."""
    others = ", ".join(f"{{{other}}}" for name in needs for other in other_names(name))
    return said + " " + _("Also understood: {names}.", names=others) if others else said


def warn(template: str, needs: Sequence[str]) -> None:
    """Says below a prompt what it does not tell the model."""
    if note := lacking(missing_names(template, needs)):
        st.warning(escape.plain(say(note)), icon=":material/data_object:")
