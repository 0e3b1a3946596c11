"""Under a question: “Did you mean …?”, with words that the corpus has, and its codes that only fields hold."""

from __future__ import annotations

import streamlit as st

from lab.algebra import Corpus
from lab.explain.codes_in_fields import codes_in_fields
from lab.rewrite.spelling import offered
from lab.ui import address, escape
from lab.ui.i18n import _, say
from lab.ui.work import once

LONGEST = 120
"""Characters of a question that stand on the button."""


def draw(key: str, corpus: Corpus, text: str) -> None:
    """Draws a button if words of the question are unknown to the corpus and others are near, and codes in fields."""
    for sentence in once(f"{key}.codes", (corpus.fingerprint, text), lambda: codes_in_fields(text, corpus)):
        st.caption(escape.plain(say(sentence)))
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
