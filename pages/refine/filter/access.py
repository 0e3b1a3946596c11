"""The same permissions after the cut and before the index, and what each lets a reader infer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import streamlit as st

from lab.algebra import Corpus, Query, Ranking, Searcher, Top
from lab.derive.access import Only
from lab.refine.access import Allowed
from lab.refine.coverage import Words
from lab.refine.filters import MinimumMatch
from lab.ui import escape, palette
from lab.ui.figures import charts
from lab.ui.i18n import _
from lab.ui.layout.page import Page


class Leak(NamedTuple):
    """A word of the question in hidden passages: its passages and its IDF, of all passages and of the visible ones."""

    word: str
    passages: int
    visible: int
    idf: float
    own_idf: float


def leak(query: Query, corpus: Corpus, visible: Corpus) -> Leak | None:
    """Returns the word of the question that most hidden passages contain; None if none contains any."""
    analyzer = MinimumMatch().analyzer
    shared, own = Words(analyzer, query.text, corpus), Words(analyzer, query.text, visible)
    idf = dict(zip(own.tokens, own.idf.tolist(), strict=True))
    leaks = [
        Leak(name, _passages(shared, token), _passages(own, token), x, idf.get(token, 0.0))
        for token, name, x in zip(shared.tokens, shared.names, shared.idf.tolist(), strict=True)
    ]
    leaks = [found for found in leaks if found.passages > found.visible]
    return max(leaks, key=lambda found: (found.passages - found.visible, found.word), default=None)


def _passages(words: Words, token: str) -> int:
    column = words.matrix.vocabulary.get(token)
    return 0 if column is None else int(words.matrix.df[column])


def draw(p: Page, search: Searcher, query: Query, stage: Allowed, k: int) -> None:
    """Draws the funnel twice, and the sentences on what a reader can infer from each."""
    only = Only(stage.groups, stage.field, stage.missing)
    cut = search >> Top(k)
    lists = p.run({"cut": cut, "after": cut >> stage, "before": only(search) >> Top(k)}, query, k=max(k, 100))
    corpus, visible = p.frame.corpus, only(p.frame.corpus)
    st.caption(_("A demonstration: there are no users and no login; a group is a word in a metadata field."))
    colour = palette.named("refined")
    names = [_("passages"), _("requested"), _("visible")]
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**" + _("Hidden after the cut") + "**")
        counts = [len(corpus), len(lists["cut"]), len(lists["after"])]
        charts.draw(charts.funnel(names, counts, [None] * 3, colour), p.key("access.after"))
        for sentence in after_the_cut(lists["cut"], lists["after"], k):
            st.markdown(sentence)
        if found := leak(query, corpus, visible):
            st.markdown(
                _(
                    "Passages with “{word}”: {n} of {total}, among them hidden: {hidden}. A BM25 score of a shared "
                    "index uses the IDF {idf}; of the visible passages alone, it is {own}. A reader who knows the "
                    "visible ones can compute that hidden passages contain the word.",
                    word=escape.plain(found.word, 40),
                    n=found.passages,
                    total=len(corpus),
                    hidden=found.passages - found.visible,
                    idf=f"{found.idf:.2f}",
                    own=f"{found.own_idf:.2f}",
                )
            )
    with right:
        st.markdown("**" + _("Hidden before the index") + "**")
        names = [_("passages"), _("visible"), _("requested")]
        counts = [len(corpus), len(visible), len(lists["before"])]
        charts.draw(charts.funnel(names, counts, [None] * 3, colour), p.key("access.before"))
        for sentence in before_the_index(lists["before"], len(visible), k):
            st.markdown(sentence)


def after_the_cut(cut: Ranking, after: Ranking, k: int) -> Iterator[str]:
    """Yields what remains of the first k results, and what a reader can infer from that."""
    hidden = len(cut) - len(after)
    yield _("Results that remain: {n} of {k}.", n=len(after), k=k)
    if not hidden:
        yield _("None of the first {n} is hidden, so the number of results reveals nothing.", n=len(cut))
    elif len(cut) == k:
        yield _("A reader who sees only {n} of {k} can infer that hidden passages match.", n=len(after), k=k)
    else:
        yield _(
            "The list itself ends after {n}, so a length of {left} does not prove that passages are hidden. "
            "Hidden here: {hidden}.",
            n=len(cut),
            left=len(after),
            hidden=hidden,
        )


def before_the_index(before: Ranking, visible: int, k: int) -> Iterator[str]:
    """Yields what a search among the visible passages returns, and what a reader can infer from that."""
    yield _("Results that remain: {n} of {k}.", n=len(before), k=k)
    if len(before) < k:
        yield _(
            "Fewer than {k}: no other visible passage matches, and hidden ones are not counted. Visible passages: "
            "{visible}.",
            k=k,
            visible=visible,
        )
    else:
        yield _("As many as requested: neither their number nor a score depends on the hidden passages.")
