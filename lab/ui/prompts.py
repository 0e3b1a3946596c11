"""The visitor's own prompts: the names that are filled in, and a warning if one is missing."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lab.explain.notes import lacking
from lab.models.prompting import missing_names, other_names
from lab.ui import escape
from lab.ui.i18n import _, listed, say


def help_of(help_text: str, needs: Sequence[str]) -> str:
    """Returns the help of a field, with the further names of the values that it fills in."""
    aliases = [f"{{{other}}}" for name in needs for other in other_names(name)]
    return listed((help_text, _("Also understood: {names}.", names=aliases)), " ") if aliases else help_text


def warn(template: str, needs: Sequence[str]) -> None:
    """Shows below a prompt which values it does not pass to the model."""
    if note := lacking(missing_names(template, needs)):
        st.warning(escape.plain(say(note)), icon=":material/data_object:")
