"""Models that a search would download: only after a click, even if a link names them."""

from __future__ import annotations

import streamlit as st

from lab import catalog
from lab.algebra import Operator
from lab.errors import ModelError
from lab.models.cross_encoders import TEXTBOOK
from lab.models.hub import Wanted, downloads
from lab.ui import escape
from lab.ui.i18n import _
from lab.words import Said

_WANTED = "_wanted_models"


def missing_model(operator: Operator) -> str:
    """Returns the model that this part, or a part of it, would download; empty if none, or if the visitor agreed.

    The name of a language model of the run does not count.
    """
    accepted: set[str] = st.session_state.setdefault(_WANTED, set())
    for part in catalog.inside(operator):
        name = "" if part.asks_model else getattr(part, "model", "")
        if isinstance(name, str) and name not in ("", TEXTBOOK, *accepted):
            offered = type(part).__dataclass_fields__["model"].metadata["offers"]
            if downloads(name, Wanted(tuple(offered))):
                return name
    return ""


def refuse(operator: Operator) -> None:
    """Raises `ModelError` for a part whose model would be downloaded."""
    name = missing_model(operator)
    if name:
        missing = Said("The model {name} is not on this machine.", name=name)
        raise ModelError(missing, Said("Download it from its page on the model hub, or choose another model."))


def offer(key: str, name: str) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(_("The model {name} is not on this machine.", name=escape.plain(name)))
        st.button(
            _("Download"), key=key, icon=":material/download:", on_click=st.session_state[_WANTED].add, args=(name,)
        )
