"""The words that were added to the selected passage: by weight, the other language apart, and who else has one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lab.algebra import Document
from lab.retrieve.expanded import AddedWord, Expanded, ExpandedIndex
from lab.text import language_of
from lab.ui import escape
from lab.ui.i18n import _
from lab.ui.layout.page import Page

SHOWN = 20
"""Number of words shown of each language."""
WORST = 6
"""Number of words shown that are least similar to the passage."""
HOLDERS = 10
"""Number of passages listed for a word."""


def section(p: Page, operators: Sequence[object], document: Document | None) -> None:
    """Draws the added words of a passage for the first list that adds words."""
    operator = next((x for x in operators if isinstance(x, Expanded)), None)
    if operator is None or document is None:
        return
    index = p.runner.index(operator)
    assert isinstance(index, ExpandedIndex)
    with st.container(border=True, key=p.key("added")):
        title = escape.plain(document.label, 60)
        st.subheader(_("Words added to “{title}”", title=title), anchor=False)
        words = index.added_to(document.id)
        if not words:
            st.caption(
                _(
                    "No word was added: the model knows none of the passage's words, or they set it apart from no "
                    "other passage."
                )
            )
            return
        han = language_of(document.content) == "zh"
        own, other = ([word for word in words if word.han == side] for side in (han, not han))
        worst = sorted(words, key=lambda word: (word.cosine, word.word))[:WORST]
        names = (_("Language of the passage"), _("Other language"), _("Least similar to the passage (cosine)"))
        groups = (own[:SHOWN], other[:SHOWN], worst)
        picked = None
        for number, (name, group) in enumerate(zip(names, groups, strict=True)):
            if group:
                picked = _pills(p, f"added.{number}", name, group, by_cosine=number == 2) or picked
        st.caption(
            _(
                "The number is the weight; the word that sets this passage apart most has 1. Click a word to list its "
                "passages."
            )
        )
        if picked:
            _holders(index, picked)


def _pills(p: Page, name: str, label: str, group: Sequence[AddedWord], *, by_cosine: bool) -> AddedWord | None:
    texts = [f"{word.word} {word.cosine if by_cosine else word.weight:.2f}" for word in group]
    by_word = {word.word: word for word in group}
    labels = dict(zip(by_word, texts, strict=True))
    chosen = st.pills(label, list(by_word), format_func=lambda word: escape.plain(labels[word]), key=p.key(name))
    return by_word.get(chosen) if chosen else None


def _holders(index: ExpandedIndex, word: AddedWord) -> None:
    """Lists the passages to which a word was added, by weight."""
    places, weights = index.holders(word.term)
    order = sorted(range(len(places)), key=lambda i: (-float(weights[i]), int(places[i])))
    numbers = {
        "word": escape.plain(word.word),
        "n": len(places),
        "all": len(index.corpus),
        "idf": f"{index.idf(word.term):.2f}",
    }
    st.markdown(_("**{word}**, added to passages: {n} of {all}; idf′ = {idf}", **numbers))
    documents = index.corpus.documents
    lines = [
        f"- {float(weights[i]):.2f} · {escape.plain(documents[int(places[i])].label, 80)}" for i in order[:HOLDERS]
    ]
    st.markdown("\n".join(lines))
