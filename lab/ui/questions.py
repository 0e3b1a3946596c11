"""Questions that may be asked: what a page of an unknown corpus begins with, and what stands beside the field."""

from __future__ import annotations

import streamlit as st

from lab.explain.questions import LARGE
from lab.explain.questions import suggest_questions as made
from lab.text import cut, script, sentences
from lab.ui import address, frame
from lab.ui.i18n import _, language

WORDS = 40
"""So many characters of an untitled text are asked at first."""
MANY = 300
"""So many questions of a corpus are offered, evenly spread over all that it has."""
MADE = 10
"""So many are made of a corpus without questions."""
SHOWN = 120
"""So many columns of a question are shown where it is offered."""


def example(f: frame.Frame) -> str:
    """The first question of the corpus, or that can be made of it, or its first title, or words of its first text."""
    if asked := next(iter(offered(f)), ""):
        return asked
    first = f.corpus.documents[0] if len(f.corpus) else None
    if first is None or first.title:
        return first.label if first else ""
    start, end = next(iter(sentences(first.text[: address.LONGEST_QUESTION])), (0, 0))
    words = " ".join(first.text[start:end].split()) or first.id
    return words if len(words) <= WORDS else words[: WORDS + 1].rpartition(" ")[0] or words[:WORDS]


def offered(f: frame.Frame) -> list[str]:
    """What may be asked of this corpus, first in the reader's language: its own questions, else some it answers."""
    own = [query.text for query in f.collection.queries if query.text.strip()]
    own.sort(key=lambda text: script(text) not in (language(), "other", ""))
    if own or len(f.corpus) > LARGE or f.corpus.elsewhere:
        return own if len(own) <= MANY else [own[i * len(own) // MANY] for i in range(MANY)]
    return [*made(f.collection, MADE)]


def suggested(key: str, f: frame.Frame, now: str) -> None:
    """Questions to ask by a click: those of this visit, the newest first, then those of the corpus."""
    recent = frame.visitor().questions
    options = [q for q in dict.fromkeys([*recent, *offered(f)]) if q != now]
    if not options:
        return

    def ask() -> None:
        chosen, st.session_state[key] = st.session_state[key], None
        if chosen:
            address.put(address.QUESTION, chosen)

    def shown(question: str) -> str:
        return ("↺ " if question in recent else "") + cut(question, SHOWN)

    st.selectbox(
        _("Suggestions"),
        options,
        index=None,
        key=key,
        placeholder=_("Suggestions"),
        format_func=shown,
        on_change=ask,
        label_visibility="collapsed",
    )
