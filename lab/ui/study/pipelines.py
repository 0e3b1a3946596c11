"""The panels of the pipeline page: adding pipelines, and explaining the selected part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from lab import formats
from lab.algebra import Operator, Ranking, Retriever, Searcher
from lab.explain.agreement import shared
from lab.explain.decisions import decisions
from lab.explain.trace import Trace
from lab.models.memory import NotAsked
from lab.presets import presets
from lab.ui import address, escape
from lab.ui.escape import plain
from lab.ui.i18n import _, both, say
from lab.ui.layout.page import Page
from lab.ui.lists import show
from lab.ui.lists.nothing import nothing as reason
from lab.ui.models import downloads
from lab.ui.study import building
from lab.ui.study.building import Built

ADDING = "pipeline.adding"
"""Whether the panel that adds a pipeline is open; it closes after adding one."""
_PASTED = "pipeline.pasted"


def adding(p: Page, pipelines: Mapping[str, Built]) -> None:
    """Draws the panel that adds a pipeline: a preset, a file or a text."""
    name, icon = _("Add a pipeline"), ":material/add:"
    with st.popover(name, icon=icon, width="stretch", key=ADDING, on_change="rerun"):
        _adding(p, pipelines)


def _adding(p: Page, pipelines: Mapping[str, Built]) -> None:
    free = next((letter for letter in building.LETTERS if letter not in pipelines), "")
    if not free:
        st.caption(_("Four pipelines are already side by side: remove one first."))
    st.caption(_("Presets"))
    for name, preset in presets().items():
        click = put(p, free, Built.from_search(preset.search))
        st.button(
            both(preset.label),
            key=p.key(f"preset.{name}"),
            on_click=click,
            help=both(preset.title),
            disabled=not free,
            width="stretch",
        )
    st.caption(_("From a file or pasted text: TOML, an expression, or a link"))
    file = st.file_uploader(_("A TOML file"), type=["toml"], key=p.key("file"), label_visibility="collapsed")
    text = st.text_area(
        _("Pipeline as text"),
        key=_PASTED,
        placeholder="RRF()(BM25(), Vector()) >> MMR(k=8)",
        height=110,
        label_visibility="collapsed",
        max_chars=formats.LARGEST,
    )
    source = file.getvalue().decode("utf-8", "replace") if file is not None else text
    if source.strip():
        with escape.problems():
            pipeline = Built.from_search(formats.read(source))
            st.caption(plain(say(pipeline.search.label)))
            click = put(p, free, pipeline)
            st.button(
                _("Use this search"),
                key=p.key("use"),
                icon=":material/check:",
                type="primary",
                disabled=not free,
                on_click=click,
            )


def put(p: Page, letter: str, built: Built) -> Callable[[], None]:
    """Returns the click handler that puts a pipeline under a letter and selects it as a whole."""

    def clicked() -> None:
        building.write(p, letter, built)
        address.put(p.key("at"), f"{letter}/")
        st.session_state[ADDING] = False

    return clicked


def duplicate_or_remove(p: Page, letter: str, pipelines: Mapping[str, Built]) -> None:
    free = next((other for other in building.LETTERS if other not in pipelines), "")
    bar = st.container(horizontal=True, gap="small")
    bar.button(
        _("Duplicate"),
        key=p.key("do.copy"),
        icon=":material/content_copy:",
        disabled=not free,
        on_click=put(p, free, pipelines[letter]),
    )

    def away() -> None:
        building.write_all(p, [built for other, built in pipelines.items() if other != letter])
        address.put(p.key("at"), "")

    bar.button(_("Remove"), key=p.key("do.away"), icon=":material/delete:", disabled=len(pipelines) < 2, on_click=away)


def ready(p: Page, searches: Mapping[str, Searcher]) -> dict[str, Searcher]:
    """Returns the pipelines that work without a download, and draws a download button for the others."""
    for i, search in enumerate(searches.values()):
        if name := downloads.missing_model(search):
            downloads.offer(p.key(f"download.{i}"), name)
    return {name: search for name, search in searches.items() if not downloads.missing_model(search)}


# --------------------------------------------------------------------------------------------- the selected part


def show_error(p: Page, trace: Trace, at: str | None, part: Any) -> None:
    if trace.failed is None or trace.error is None:
        return
    if at != trace.failed:
        where = say(getattr(part, "label", ""))
        if at not in trace.steps and where:
            st.caption(_("Not run: an earlier part failed."))
        return
    if isinstance(part, Operator) and (name := downloads.missing_model(part)):
        downloads.offer(p.key("download"), name)
    elif not isinstance(trace.error, NotAsked):  # the page says above that it is waiting
        escape.problem(trace.error)


def wordings(trace: Trace, at: str | None) -> None:
    """Lists the wordings that a rewriter made of the question."""
    rewrite = trace.rewrites.get(at or "")
    if rewrite is None:
        return
    if not rewrite.queries:
        st.caption(say(rewrite.unchanged) or _("The rule found nothing to change in this question."))
    for wording in rewrite.queries:
        st.markdown(f"- **{plain(say(wording.kind))}** {plain(wording.text)}")


def show_decisions(rankings: Mapping[str, Ranking]) -> None:
    """Shows what routers and fallbacks on the way to these lists have decided, and why."""
    for title, ranking in rankings.items():
        for sentence in decisions(ranking):
            st.caption(f":material/alt_route: **{plain(title)}** · {plain(say(sentence))}")


def nothing(p: Page, ranking: Ranking) -> str:
    """Returns why a list is empty."""
    if ranking.hits:
        return ""
    if ranking.query.blank:
        return reason(ranking, None)
    before = max((len(parent) for parent in ranking.parents), default=0)
    if ranking.dropped and before:
        return _("{name} removed all results ({n}).", name=say(ranking.made_by.label), n=before)
    if ranking.parents:
        return _("No results to work on: an earlier part found nothing, or removed everything.")
    return reason(ranking, p.runner.index(ranking.made_by) if isinstance(ranking.made_by, Retriever) else None)


def removed(rankings: Sequence[Ranking], most: int) -> show.Removed | None:
    """Returns the results that these lists dropped, each with its former rank and the reason."""
    drops = []
    for ranking in rankings:
        for drop in ranking.dropped:
            ranks = [at for parent in ranking.parents if (at := parent.rank(drop.document.id)) is not None]
            drops.append((drop, f"#{ranks[0]}" if ranks else "", ranks[0] if ranks else None))
    return (_("Removed ({n})", n=len(drops)), drops[:most]) if drops else None


def agreement(a: Ranking, b: Ranking, k: int) -> str:
    """Describes in a sentence how much two lists agree."""
    first_ids, second_ids = a.ids[:k], b.ids[:k]
    if not first_ids or not second_ids:
        return _("One of the two lists is empty.") if first_ids or second_ids else _("Both lists are empty.")
    if first_ids == second_ids:
        return _("The first {k} of both lists are the same, in the same order.", k=len(first_ids))
    n, same = shared(first_ids, second_ids), first_ids[0] == second_ids[0]
    return (
        _("In both lists among the first {k}: {n}; the first result is the same.", k=k, n=n)
        if same
        else _("In both lists among the first {k}: {n}; the first result is different.", k=k, n=n)
    )
