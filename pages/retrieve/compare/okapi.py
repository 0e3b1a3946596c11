"""Where Okapi's IDF leaves BM25 without a sense: it says so with the numbers, and offers Lucene's by a click."""

from __future__ import annotations

import streamlit as st

from lab.algebra import Query
from lab.retrieve.lexical import BM25, LexicalIndex
from lab.ui import address, escape
from lab.ui.i18n import _, listed, say
from lab.ui.layout.page import Page

FEW = 10
"""In fewer passages than these, hardly a word is rarer than half of them."""


def hint(page: Page, search: BM25, query: Query) -> None:
    """Draws a note if a word of the question is in at least half of the passages, or if there are few passages.

    Okapi's ln((N - df + .5) / (df + .5)) is 0 at df = N/2 and below 0 beyond.
    """
    index = page.runner.index(search)
    if search.variant != "okapi" or not isinstance(index, LexicalIndex):
        return
    n, used = len(page.frame.corpus), index.for_query(query)
    number, df = used.matrix.vocabulary, used.matrix.df
    common = {say(name): int(df[number[t]]) for t, name in used.names(query).items() if t in number}
    words = listed(f"{word} ({count}/{n})" for word, count in common.items() if 2 * count >= n)
    if words:
        said = _(
            "In half of the passages or more: {words}. Okapi's IDF of such a word is 0, or a share of the mean "
            "IDF that may be negative; Lucene's IDF is always above 0.",
            words=escape.plain(words, 160),
        )
    elif 0 < n < FEW:
        said = _(
            "Passages: {n}. Okapi's IDF of a word in {half} of them or more is 0 or less; Lucene's is always above 0.",
            n=n,
            half=-(-n // 2),
        )
    else:
        return
    st.caption(said)
    st.button(
        _("Use Lucene's IDF"),
        key=page.key("lucene"),
        icon=":material/swap_horiz:",
        on_click=address.put,
        args=(page.key(f"{BM25.key}.variant"), "lucene"),
    )
