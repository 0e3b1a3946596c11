"""Lists out of Chroma: where the server fails the exact store goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from lab.core import Progress, Query, Ranking, Searcher, Stage, Stages
from lab.errors import ModelError, QueryError
from lab.models.endpoint import public, shown
from lab.models.rows import rows_of
from lab.pipeline import Runner
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.chroma_server import url_from_environment
from lab.retrieve.vector import Vector
from lab.ui import address, escape, why
from lab.ui.i18n import _, say
from lab.ui.nothing import nothing
from lab.ui.page import Page
from lab.ui.work import work

_WANTED = "_chroma_servers"


def server(page: Page) -> tuple[str, str]:
    """The Chroma server that is called (empty: a store in this process), and one that only a link names.

    Whoever writes a link must not make this machine call an address: its own server is called, and what the visitor
    types or agrees to.  A field and a link hold no password.
    """
    own = url_from_environment()
    if public():
        return own, ""
    key = page.key("server")
    wanted: dict[str, str] = st.session_state.setdefault(_WANTED, {})
    known = {"": "", shown(own): own, **wanted}

    def typed() -> None:
        url = st.session_state[key].strip()
        if url not in known:
            wanted[shown(url)] = url
            address.put(key, shown(url))

    address.keep(key, shown(own))
    st.text_input(_("Server"), key=key, placeholder="http://localhost:8000", on_change=typed)
    now = str(st.session_state[key]).strip()
    return (known[now], "") if now in known else (own, now)


def offer(page: Page, linked: str) -> None:
    """The server that a link names, and the button that calls it."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(_("The link names a Chroma server: {url}. It is not called yet.", url=escape.plain(shown(linked))))
        wanted: dict[str, str] = st.session_state[_WANTED]

        def agreed() -> None:
            wanted[shown(linked)] = linked
            address.put(page.key("server"), shown(linked))

        st.button(_("Use this server"), key=page.key("server.use"), icon=":material/cloud_sync:", on_click=agreed)


@dataclass(frozen=True)
class Found:
    """One list, what stands on it, and what came of that: its distances are empty where no Chroma was asked."""

    store: Vector
    search: Searcher
    ranking: Ranking

    @property
    def distances(self) -> dict[str, float]:
        """The distance of every document that was near, kept or cut, nearest first."""
        told = (step.evidence for step in self.ranking.lineage() if isinstance(step.made_by, ChromaVector))
        return {n.document.id: n.distance for n in next(told, ())}

    def nothing(self, runner: Runner) -> str:
        """Why the list is empty: what the store itself has found, before any stage."""
        step = next((r for r in self.ranking.lineage() if isinstance(r.made_by, Vector)), self.ranking)
        return "" if self.ranking.hits else nothing(step, runner.index(self.store))

    def numbers(self, doc: str, runner: Runner) -> dict[str, str]:
        """Of one document its rank, its distance and its score in the list, – where it has none.

        What is behind the end of the list has those of the exact store, which takes no filter.
        """
        own, ranking, distance = self.store, self.ranking, self.distances.get(doc)
        score = hit.score if (hit := ranking.hit(doc)) else None
        if isinstance(own, ChromaVector):
            if distance is None and ranking.made_by == own and not own.filter:
                ranking = why.deeper(ranking, own.exact, runner, doc)
                if hit := ranking.hit(doc):
                    distance = 1 / hit.score - 1 if own.space == "l2" else 1 - hit.score
            score = own.score(distance) if distance is not None else score
        told = ("–" if value is None else f"{value:.4f}" for value in (distance, score))
        return {"rank": why.place(ranking, doc), **dict(zip(("distance", "score"), told, strict=True))}


def run(page: Page, lists: Mapping[str, ChromaVector], query: Query, *stages: Stage) -> dict[str, Found]:
    """The lists with these stages, by their names.  Ends the page where Chroma does not take the filter."""
    _embed(page)
    try:
        return _found(page, lists, query, stages)
    except QueryError as error:
        escape.problem(error)
        page.stop()
    except ModelError as error:
        until = _("Until then the exact store does the work."), _("It takes no filter and no threshold.")
        said = " ".join((say(error.message), say(error.remedy), *until))
        st.warning(escape.plain(said), icon=":material/cloud_off:")
        return _found(page, {name: own.exact for name, own in lists.items()}, query, stages)


def _embed(page: Page) -> None:
    """Make the vectors of the corpus once, before every collection is filled with them.  Stopped, the page ends."""
    embedder, corpus = page.frame.embedder, page.frame.corpus

    def make(progress: Progress) -> bool:
        rows_of(embedder, corpus, progress=progress)
        return True

    if not work(page.key("vectors"), _("Indexing the corpus …"), make, about=(embedder, corpus.fingerprint)):
        page.stop()


def _found(page: Page, lists: Mapping[str, Vector], query: Query, stages: tuple[Stage, ...]) -> dict[str, Found]:
    searches: dict[str, Searcher] = {name: own >> Stages(stages) if stages else own for name, own in lists.items()}
    rankings = page.run(searches, query, doing=_("Filling the collections …"))
    return {name: Found(own, searches[name], rankings[name]) for name, own in lists.items()}
