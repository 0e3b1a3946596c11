"""The way of one document through the stages of a search."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import streamlit as st

from lab.algebra import Operator, Ranking
from lab.explain.biography import biography as steps_of
from lab.ui.escape import plain
from lab.ui.i18n import labelled, say
from lab.ui.lists.show import moved


def biography(ranking: Ranking, doc: str, names: Mapping[Operator, str] = MappingProxyType({})) -> None:
    """Draws a document's way through every stage: its rank, its move, and where and why it was removed.

    ``names`` are the page's names of lists.  A list that was merged from several shows no move.
    """
    colours = {"found": "blue", "rose": "violet", "fell": "orange", "dropped": "orange"}
    row = st.container(horizontal=True, gap="small")
    for step in steps_of(doc, ranking):
        name = plain(names.get(step.ranking.made_by) or say(step.stage), 34)
        before = None if len(step.ranking.parents) > 1 else step.before
        if step.rank is not None:
            place = f"#{step.rank} {moved(before or step.rank, step.rank)}".rstrip()
        elif step.event == "beyond":  # it may be behind the end of the requested list
            place = f"> #{step.ranking.asked}"
        else:
            place = "✕" if step.drop else "–"
        row.badge(f"{name} {plain(place)}", color=colours.get(step.event, "gray"))  # type: ignore[arg-type]
        if step.drop is not None:
            st.markdown(":material/block: " + labelled(name, plain(say(step.drop.reason))))
