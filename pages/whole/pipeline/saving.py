"""What a selective search saves on the judged questions, and what that costs, on the page Pipeline."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from lab.algebra import Pipeline, Searcher
from lab.explain.saving import MEASURE, Saving, saving
from lab.retrieve.selective import Selective
from lab.ui import escape
from lab.ui.i18n import _, say
from lab.ui.layout import tables
from lab.ui.layout.page import Page
from lab.ui.work import work


def draw(p: Page, searches: Mapping[str, Searcher]) -> None:
    """Draws a folded comparison for every pipeline with a selective search; nothing without one or judgments."""
    pairs = [(name, selective) for name, search in searches.items() for selective in _selective(search)]
    if not pairs or not p.frame.collection.judged:
        return
    with p.fold("saving", _("What skipping saves, and what it costs"), ":material/savings:") as seen:
        for i, (name, search) in enumerate(pairs if seen else ()):
            st.markdown(f"**{escape.plain(name)}**")
            about = (p.frame.collection.fingerprint, search, tuple(p.models))
            result = work(
                f"saving.{i}",
                _("Searching all judged questions …"),
                lambda progress, search=search, about=about: p.frame.corpus.awaited(  # type: ignore[misc]
                    ("saving", about),
                    lambda told: saving(search, p.frame.collection, models=p.models, progress=told),
                    progress,
                ),
                about=about,
            )
            if result is not None:
                _drawn(result, i)


def _selective(search: Searcher) -> list[Selective]:
    """Returns the selective searches among the lists of a pipeline over the corpus itself."""
    lists = search.retrieve if isinstance(search, Pipeline) and not search.derive else (search,)
    return [x for x in lists if isinstance(x, Selective)]


def _drawn(result: Saving, i: int) -> None:
    st.markdown("\n".join(f"- {escape.plain(say(sentence))}" for sentence in result.sentences))
    columns = {"search": _("Expensive search"), "value": MEASURE, "ms": _("ms")}
    cases = {
        _("never"): (result.first, result.first_ms),
        _("always"): (result.then, result.then_ms),
        _("by the predictor"): (result.selective, result.ms),
        _("by chance, as often"): (result.by_chance, None),
    }
    rows = [
        {"search": name, "value": f"{value:.3f}", "ms": "–" if ms is None else f"{ms:.2f}"}
        for name, (value, ms) in cases.items()
    ]
    tables.draw(_("What skipping saves, and what it costs"), rows, key=f"pipeline.saving.{i}", columns=columns)
