"""The visitor's own prompts: the names that are filled in, and warnings about missing and unknown ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from lab.explain.notes import prompt_notes
from lab.models.prompting import other_names
from lab.ui import escape
from lab.ui.i18n import _, listed, say


def help_of(help_text: str, metadata: Mapping[str, Any]) -> str:
    """Returns the help of a prompt's field, with the further names of the values that it fills in."""
    aliases = [f"{{{other}}}" for name in metadata["needs"] for other in other_names(name)]
    return listed((help_text, _("Also understood: {names}.", names=aliases)), " ") if aliases else help_text


def warn(template: str, metadata: Mapping[str, Any]) -> None:
    """Shows below a prompt which values it does not pass to the model, and which names nothing fills in."""
    for note in prompt_notes(template, metadata):
        st.warning(escape.plain(say(note)), icon=":material/data_object:")
