"""Time decay on a page: the ages that it rests on, and the exact half-lives and weights where the order changes."""

from __future__ import annotations

import streamlit as st

from lab.explain.decaying import AgeWeight, HalfLife, tipping
from lab.refine.decay import Ages, TimeDecay
from lab.ui.figures import charts, rank_charts
from lab.ui.i18n import _, _n
from lab.ui.layout.page import Page
from pages.refine.rerank.mixing import changes


def picture(page: Page, stage: TimeDecay, ages: Ages, doc: str) -> None:
    """The scores of the list along the half-life or the weight, with a ring where two of the first five change."""
    told = dates(ages)
    if ages.undated == len(ages.days):
        st.info(told, icon=":material/event_busy:")
        return
    st.caption(told)
    names = {"half-life": _("half-life"), "weight": _("weight of the age")}
    which = page.choose("decay", _("Axis of the picture"), list(names), "half-life", format_func=names.__getitem__)
    axis = HalfLife() if which == "half-life" else AgeWeight()
    corpus = page.frame.corpus
    tips = tipping(stage, ages, axis)
    ends = (_("← forgets quickly"), _("remembers long →")) if which == "half-life" else (_("← text"), _("age →"))
    charts.draw(rank_charts.tipping(tips, corpus, left=ends[0], right=ends[1], selected=doc), page.key("decay.tips"))
    digits = 1 if which == "half-life" else 3
    st.caption(changes(tips, digits) or _("Along this axis, the first five results stay the same."))


def dates(ages: Ages) -> str:
    """The reference day, and how many documents of the list have no date."""
    if ages.undated == len(ages.days) or ages.as_of is None:
        return _("No document of this list has a readable date: the order is unchanged.")
    told = _("Ages count back from {day}.", day=ages.as_of.isoformat())
    if not ages.undated:
        return told
    return f"{told} " + _n("{n} document has no readable date.", "{n} documents have no readable date.", ages.undated)
