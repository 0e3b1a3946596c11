"""“Did you mean …?”: the question with words that the corpus has, as one click under the field."""

from __future__ import annotations

import streamlit as st

from lab.algebra import Corpus
from lab.rewrite.spelling import offered
from lab.ui import address, escape
from lab.ui.i18n import _
from lab.ui.work import once

LONGEST = 120
"""Characters of a question that stand on the button."""


def draw(key: str, corpus: Corpus, text: str) -> None:
    """The button, if words of the question are unknown to the corpus and others of it are near; else nothing."""
    found = once(key, (corpus.fingerprint, text), lambda: offered(text, corpus))
    if found is None or len(found.result) > address.LONGEST_QUESTION:
        return
    shown = escape.plain(found.result, LONGEST)
    help = _("The corpus does not have a word of your question. One click asks the question with a word that it has.")
    st.button(
        _("Did you mean “{question}”?", question=shown),
        key=key,
        icon=":material/spellcheck:",
        type="tertiary",
        help=help,
        on_click=address.put,
        args=(address.QUESTION, found.result),
    )
