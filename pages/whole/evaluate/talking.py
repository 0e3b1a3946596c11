"""Conversations on the page Evaluate: what each search reaches from turn to turn, and whether searches differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from lab.algebra import Searcher
from lab.catalog import inside
from lab.evaluate.conversations import SHOWN, Depth, by_depth
from lab.evaluate.experiments import Experiment, System
from lab.reading.names import Names
from lab.rewrite.contextual import Contextual
from lab.ui import palette
from lab.ui.escape import plain
from lab.ui.figures import charts, measure_charts
from lab.ui.i18n import _, labelled, say
from lab.ui.layout import tables
from lab.ui.layout.page import Page
from lab.ui.study import evaluating


def tab(
    p: Page, systems: Mapping[str, System], measure_names: Sequence[str] | None, places: Sequence[Any]
) -> dict[str, Searcher]:
    """Draws the measures by turn of the corpus's conversations; each search knows the passages it has shown before.

    Returns the searches.  The widgets of this tab are drawn in the two containers of ``places``.
    """
    c = p.frame.collection
    help = _(
        "First passages of each earlier turn that count as shown. Only a search that considers shown passages "
        "returns others instead."
    )
    turns_shown = p.number("shown", _("Passages shown per turn"), 0, 10, SHOWN, help, into=places[0])
    with places[1]:
        first = evaluating.baseline(p, list(systems))
    colours, again = evaluating.colours(systems), _with_earlier_words(p, systems[first])
    if again is not None:
        name = Names(systems, pattern="{} ({})").free(f"{first} + {say(Contextual.label)}")
        at = list(systems).index(first) + 1
        rows = list(systems.items())
        systems = dict([*rows[:at], (name, again), *rows[at:]])
        colours.insert(at, palette.shade(colours[at - 1], 1))
    searches = {name: s for name, s in systems.items() if isinstance(s, Searcher)}
    experiment = (
        evaluating.experiment(p, systems, measure_names, first, c.spoken.judged, turns_shown) if measure_names else None
    )
    if experiment is None:
        return searches
    with p.box(_("Turn by turn")):
        measure = evaluating.pictured(p, experiment.measures)
        depths_by_search = {
            name: by_depth(experiment.scores[name], c.conversations, measure) for name in experiment.runs
        }
        for note in experiment.notes:
            st.warning(plain(say(note)), icon=":material/info:")
        places = [(d.depth, f"{d.depth}<br>{d.turns}") for d in next(iter(depths_by_search.values()))]
        title = _("turn; below: number judged")
        charts.draw(measure_charts.lines(depths_by_search, colours, measure, title, places), p.key("depths"))
        n, turns = len(c.conversations), len(experiment.queries)
        caption = _("Conversations: {n}, judged turns: {turns}. Whiskers: 95% CI of the mean.", n=n, turns=turns)
        st.caption(caption)
        for name, depths in depths_by_search.items():
            if sentence := _sentence(depths):
                st.markdown(labelled(f"**{plain(name)}**", sentence))
        _table(p, experiment, depths_by_search, measure)
    if len(systems) > 1:
        with p.box(_("Is the difference significant?")):
            evaluating.differences(p, experiment, measure)
    evaluating.folds(p, experiment, measure)
    return searches


def _with_earlier_words(p: Page, baseline: System) -> Searcher | None:
    """The baseline once more, asked with the turns before; None where it reads them itself, or is a run."""
    if not isinstance(baseline, Searcher) or any(isinstance(part, Contextual) for part in inside(baseline)):
        return None
    help = _("Searches again with the words of the earlier turns; the longer ago, the lower the weight.")
    enabled = p.switch("remember", _("The baseline once more, with the words of earlier turns"), True, help)
    return Contextual()(baseline) if enabled else None


def _sentence(depths: Sequence[Depth]) -> str:
    """The first turns against the later ones; nothing where there are not both."""
    first, later = [d for d in depths if d.depth == 1], [d for d in depths if d.depth > 1]
    if not first or not later:
        return ""
    n = sum(d.turns for d in later)
    mean = sum(d.mean * d.turns for d in later) / n
    low = min(depths, key=lambda d: d.mean)
    message = _(
        "{first} at the first turn, {later} on average later (turns: {n}); lowest at turn {turn}: {low}.",
        first=f"{first[0].mean:.3f}",
        later=f"{mean:.3f}",
        n=n,
        turn=low.depth,
        low=f"{low.mean:.3f}",
    )
    return plain(message)


def _table(p: Page, e: Experiment, depths_by_search: Mapping[str, Sequence[Depth]], measure: str) -> None:
    """Draws a table of the chart's numbers and the mean over all turns."""
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {"turn": _("Turn"), "turns": _("judged")}
    columns |= {name: number(name, format="%.4f") for name in depths_by_search}
    whole = {"turn": _("all"), "turns": len(e.queries)} | {name: e.mean(name, measure) for name in depths_by_search}
    rows = [
        {"turn": str(at[0].depth), "turns": at[0].turns}
        | {name: d.mean for name, d in zip(depths_by_search, at, strict=True)}
        for at in zip(*depths_by_search.values(), strict=True)
    ]
    tables.draw(_("The measure by turn"), [whole, *rows], key=p.key("turns"), columns=columns)
