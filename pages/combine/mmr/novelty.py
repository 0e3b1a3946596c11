"""What a list adds from result to result: new subtopics as chips, and the measures that count them beside nDCG."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from lab.algebra import Ranking
from lab.evaluate.diverse import Subtopics, covered, new_subtopics
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run
from lab.ui.escape import plain
from lab.ui.i18n import _
from lab.ui.lists import show


def with_chips(panel: show.Panel, subtopics: Subtopics) -> show.Panel:
    """Returns the list with the subtopics that each result is the first to cover."""
    fresh = new_subtopics(panel.ranking.ids, subtopics)
    return replace(panel, chips=lambda hit: [f"+{name}" for name in fresh.get(hit.document.id, ())])


def draw(before: Ranking, after: Ranking, relevant: Mapping[str, int], subtopics: Subtopics, k: int) -> None:
    """Draws the measures of the first ``k`` results before and after, and the difference that nDCG does not see."""
    st.subheader(_("New subtopics"), anchor=False)
    names = [f"nDCG@{k}", f"alpha_nDCG@{k}", f"StRecall@{k}"]
    runs = (Run.of("", {"q": ranking.first(k)}) for ranking in (before, after))
    first, second = (measure_run(run, {"q": relevant}, names, {"q": subtopics}).means for run in runs)
    for column, name in zip(st.columns(len(names)), names, strict=True):
        change = second[name] - first[name]
        column.metric(plain(name), f"{second[name]:.2f}", f"{change:+.2f}" if abs(change) >= 0.005 else None)
    every = {topic for own in covered(subtopics).values() for topic in own}
    counts = (sum(map(len, new_subtopics(ranking.ids[:k], subtopics).values())) for ranking in (before, after))
    numbers = dict(zip(("before", "after"), counts, strict=True))
    text = _(
        "Subtopics of the question: {n}. In the first {k}, the unchanged list covers {before}, MMR {after}.",
        n=len(every),
        k=k,
        **numbers,
    )
    gain, novelty = (second[name] - first[name] for name in names[:2])
    if gain < -0.005 and novelty > 0.005:
        text += " " + _("nDCG falls although more is new: it counts every copy of an answer in full.")
    elif gain > 0.005 and novelty < -0.005:
        text += " " + _("nDCG rises although less is new: it counts every copy of an answer in full.")
    st.caption(text)
    st.caption(_("+: a subtopic that no result above covers."))
