"""What a class has found on the page Evaluate: the preferred search, the position bias, the agreement of its raters."""

from __future__ import annotations

import streamlit as st

from lab.reading.ratings import same
from lab.ui import palette
from lab.ui.escape import plain
from lab.ui.figures import charts
from lab.ui.i18n import _, listed, say
from lab.ui.layout import tables
from lab_packs.classroom.polls import CLICK, Grading, Poll

RATERS = 100
"""Maximum number of raters whose agreement is computed."""


def winner(poll: Poll) -> None:
    """Draws the students for each search, the sign test, and the position bias."""
    clicks, (first, second) = poll.clicks(), poll.names
    if clicks.votes:
        a, b = clicks.readers
        figure = charts.bars([float(a), float(b)], [first, second], palette.named("fused"), digits=0)
        charts.draw(figure, "evaluate.class.winner")
    st.markdown(plain(listed(clicks.told(first, second), " ")))
    st.caption(
        _(
            "Clicks credited: {first} {a}, {second} {b}.",
            first=plain(first),
            second=plain(second),
            a=clicks.credit[0],
            b=clicks.credit[1],
        )
    )
    if poll.phase != CLICK:
        st.markdown(plain(say(poll.places().told())))


def agreement(task: Grading) -> None:
    """Draws how well the raters agree, and the passages on which they do not."""
    judgments = task.judgments()
    placed = judgments.on(task.corpus)
    group = placed.group(judgments.raters[:RATERS])
    st.markdown(plain(listed(group.told(), " ")))
    given: dict[tuple[str, str], list[int]] = {}
    for by_question in placed.grades.values():
        for question, grades in by_question.items():
            for doc, grade in grades.items():
                given.setdefault((question, doc), []).append(grade)
    apart = sorted(((max(g) - min(g), key) for key, g in given.items() if max(g) > min(g)), reverse=True)[:5]
    if apart:
        texts = {(same(question), document.id): (question, document.label) for question, document in task.pairs}
        columns = {"passage": _("Passage"), "question": _("Question"), "grades": _("Grades"), "median": _("Median")}
        medians = placed.together()
        rows = [
            {
                "passage": texts[question, doc][1],
                "question": texts[question, doc][0],
                "grades": " ".join(map(str, sorted(given[question, doc]))),
                "median": medians[question][doc],
            }
            for _gap, (question, doc) in apart
        ]
        tables.draw(_("Passages with the most different grades"), rows, key="evaluate.class.apart", columns=columns)
