"""What the pipeline page says and offers beside the picture: where pipelines come from, and why a list is as it is."""

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
from lab.ui import address, building, downloads, escape, show
from lab.ui.building import Built
from lab.ui.escape import plain
from lab.ui.i18n import _, both, say
from lab.ui.nothing import nothing as reason
from lab.ui.page import Page

ADDING = "pipeline.adding"
"""Whether the panel that adds a pipeline is open; it closes when one is there."""
_PASTED = "pipeline.pasted"


def adding(p: Page, made: Mapping[str, Built]) -> None:
    """The panel that adds a pipeline: a preset by its name, a file or a text."""
    name, icon = _("Add a pipeline"), ":material/add:"
    with st.popover(name, icon=icon, width="stretch", key=ADDING, on_change="rerun"):
        _adding(p, made)


def _adding(p: Page, made: Mapping[str, Built]) -> None:
    free = next((letter for letter in building.LETTERS if letter not in made), "")
    if not free:
        st.caption(_("Four pipelines are already side by side: remove one first."))
    st.caption(_("Presets"))
    for name, preset in presets().items():
        click = put(p, free, Built.of(preset.search))
        st.button(
            name,
            key=p.key(f"preset.{name}"),
            on_click=click,
            help=both(dict(preset.title)),
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
    given = file.getvalue().decode("utf-8", "replace") if file is not None else text
    if given.strip():
        with escape.problems():
            own = Built.of(formats.read(given))
            st.caption(plain(say(own.search.label)))
            click = put(p, free, own)
            st.button(
                _("Use this search"),
                key=p.key("use"),
                icon=":material/check:",
                type="primary",
                disabled=not free,
                on_click=click,
            )


def put(p: Page, letter: str, built: Built) -> Callable[[], None]:
    """What a click does: a pipeline under a letter, selected as a whole."""

    def clicked() -> None:
        building.write(p, letter, built)
        address.put(p.key("at"), f"{letter}/")
        st.session_state[ADDING] = False

    return clicked


def alone(p: Page, letter: str, made: Mapping[str, Built]) -> None:
    """For a pipeline as a whole: once more beside itself, or away."""
    free = next((other for other in building.LETTERS if other not in made), "")
    bar = st.container(horizontal=True, gap="small")
    bar.button(
        _("Duplicate"),
        key=p.key("do.copy"),
        icon=":material/content_copy:",
        disabled=not free,
        on_click=put(p, free, made[letter]),
    )

    def away() -> None:
        building.write_all(p, [built for other, built in made.items() if other != letter])
        address.put(p.key("at"), "")

    bar.button(_("Remove"), key=p.key("do.away"), icon=":material/delete:", disabled=len(made) < 2, on_click=away)


def ready(p: Page, searches: Mapping[str, Searcher]) -> dict[str, Searcher]:
    """The pipelines that work without a download; for the others, the button that lets it be made."""
    for i, search in enumerate(searches.values()):
        if name := downloads.needed(search):
            downloads.offer(p.key(f"download.{i}"), name)
    return {name: search for name, search in searches.items() if not downloads.needed(search)}


# --------------------------------------------------------------------------------------------- the selected part


def failed(p: Page, told: Trace, at: str | None, part: Any) -> None:
    """The error of the selected part, and what may mend it."""
    if told.failed is None or told.error is None:
        return
    if at != told.failed:
        where = say(getattr(part, "label", ""))
        if at not in told.steps and where:
            st.caption(_("Not run: an earlier part failed."))
        return
    if isinstance(part, Operator) and (name := downloads.needed(part)):
        downloads.offer(p.key("download"), name)
    elif not isinstance(told.error, NotAsked):  # the page says above that it waits
        escape.problem(told.error)


def wordings(told: Trace, at: str | None) -> None:
    """What a rewriter made of the question."""
    rewrite = told.rewrites.get(at or "")
    if rewrite is None:
        return
    if not rewrite.queries:
        st.caption(say(rewrite.unchanged) or _("The rule found nothing to change in this question."))
    for wording in rewrite.queries:
        st.markdown(f"- **{plain(say(wording.kind))}** {plain(wording.text)}")


def decided(found: Mapping[str, Ranking]) -> None:
    """What routers and fallbacks on the way to these lists have decided, and why."""
    for title, ranking in found.items():
        for said in decisions(ranking):
            st.caption(f":material/alt_route: **{plain(title)}** · {plain(say(said))}")


def nothing(p: Page, ranking: Ranking) -> str:
    """Why a list is empty."""
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
    """What these lists dropped, each with its former rank and the reason."""
    drops = []
    for ranking in rankings:
        for drop in ranking.dropped:
            ranks = [at for parent in ranking.parents if (at := parent.rank(drop.document.id)) is not None]
            drops.append((drop, f"#{ranks[0]}" if ranks else "", ranks[0] if ranks else None))
    return (_("Removed ({n})", n=len(drops)), drops[:most]) if drops else None


def agreement(a: Ranking, b: Ranking, k: int) -> str:
    """How far two lists are the same, in a sentence."""
    one, other = a.ids[:k], b.ids[:k]
    if not one or not other:
        return _("One of the two lists is empty.") if one or other else _("Both lists are empty.")
    if one == other:
        return _("The first {k} of both lists are the same, in the same order.", k=len(one))
    n, same = shared(one, other), one[0] == other[0]
    return (
        _("In both lists among the first {k}: {n}; the first result is the same.", k=k, n=n)
        if same
        else _("In both lists among the first {k}: {n}; the first result is different.", k=k, n=n)
    )
