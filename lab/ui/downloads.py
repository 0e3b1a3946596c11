"""Models that a search would download: only after a click, whatever a link says."""

from __future__ import annotations

import streamlit as st

from lab import catalog
from lab.algebra import Operator
from lab.errors import ModelError
from lab.models.hub import Wanted, downloads
from lab.ui import escape
from lab.ui.i18n import _
from lab.words import Said

_WANTED = "_wanted_models"


def needed(operator: Operator) -> str:
    """The model that this part, or one that it holds, would download; empty where none, or where the visitor wants it.

    A model that is named for a language model of the run is none of them.
    """
    wanted: set[str] = st.session_state.setdefault(_WANTED, set())
    for own in catalog.inside(operator):
        name = "" if own.asks_model else getattr(own, "model", "")
        if isinstance(name, str) and name and name not in wanted:
            offered = type(own).__dataclass_fields__["model"].metadata["offers"]
            if downloads(name, Wanted(tuple(offered))):
                return name
    return ""


def refuse(operator: Operator) -> None:
    """Raises `ModelError` for a part whose model would be downloaded."""
    name = needed(operator)
    if name:
        missing = Said("The model {name} is not on this machine.", name=name)
        raise ModelError(missing, Said("Download it from its page on the model hub, or choose another model."))


def offer(key: str, name: str) -> None:
    """The button that lets a model be downloaded."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(_("The model {name} is not on this machine.", name=escape.plain(name)))
        st.button(
            _("Download"), key=key, icon=":material/download:", on_click=st.session_state[_WANTED].add, args=(name,)
        )
