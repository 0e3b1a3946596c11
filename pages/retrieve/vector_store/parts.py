"""The exact lists of the three spaces, and beside them the store's own: what its approximate search lost is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import streamlit as st

from lab import engine
from lab.algebra import Progress, Query, Ranking, Runner, Searcher, Stage, Stages
from lab.errors import ModelError, QueryError
from lab.explain import approximation
from lab.explain.approximation import Misses, Speed, misses
from lab.models.endpoint import public, shown
from lab.models.rows import rows_of
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.chroma_server import url_from_environment
from lab.retrieve.store import StoreIndex, StoreVector, neighbours, relevance
from lab.retrieve.vector import SPACES
from lab.ui import address, escape
from lab.ui.i18n import _, listed, say
from lab.ui.layout import questions
from lab.ui.layout.page import Page
from lab.ui.lists import show, why
from lab.ui.lists.nothing import nothing
from lab.ui.work import work

_WANTED = "_chroma_servers"
ASKED = 50
"""So many questions of the corpus every store is asked, side by side."""
SHARED = ("space", "scale", "where", "max_distance", "min_relevance")
"""Parameters that all stores have."""
LIMITS: dict[str, tuple[str, float]] = {"threshold": ("max_distance", 0.7), "relevance": ("min_relevance", 0.5)}
"""The search types with a threshold: its knob, and what it begins with."""


def server(page: Page) -> tuple[str, str]:
    """Returns the Chroma server to call (empty: a store in this process), and a server that only a link names.

    A link must not make this machine call an address: only the configured server is called, or one that the visitor
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
        st.markdown(
            _("The link names a Chroma server: {url}. It has not been contacted yet.", url=escape.plain(shown(linked)))
        )
        wanted: dict[str, str] = st.session_state[_WANTED]

        def agreed() -> None:
            wanted[shown(linked)] = linked
            address.put(page.key("server"), shown(linked))

        st.button(_("Use this server"), key=page.key("server.use"), icon=":material/cloud_sync:", on_click=agreed)


@dataclass(frozen=True)
class Found:
    """One list, the store or the exact search that it is from, and the search that made it."""

    store: StoreVector
    search: Searcher
    ranking: Ranking

    @property
    def nearest(self) -> Ranking:
        """The list of the store itself, before any stage."""
        return next(r for r in self.ranking.lineage() if isinstance(r.made_by, StoreVector))

    @property
    def distances(self) -> dict[str, float]:
        """The distance of every document that was near, kept or cut, nearest first."""
        return {n.document.id: n.distance for n in neighbours(self.nearest)}

    def nothing(self, runner: Runner) -> str:
        """Why the list is empty: what the store itself has found, before any stage."""
        return "" if self.ranking.hits else nothing(self.nearest, runner.index(self.store))

    def numbers(self, doc: str, runner: Runner) -> dict[str, str]:
        """Returns rank, distance, score and relevance of one document; – for each that is missing.

        A document behind the end of the list has the rank and the numbers that a longer list would show.
        """
        ranking, distance = self.ranking, self.distances.get(doc)
        if distance is None and not self.store.approximate:
            deep = why.deeper(self.nearest, self.store, runner, doc)
            ranking = deep if ranking is self.nearest else ranking
            distance = {n.document.id: n.distance for n in neighbours(deep)}.get(doc)
        return {"rank": why.place(ranking, doc), **_figures(self.store, distance)}


@dataclass(frozen=True)
class Beside:
    """The store's own list beside the exact one of the same space."""

    store: Found
    exact: Found
    runner: Runner

    @cached_property
    def absences(self) -> dict[str, str]:
        """Why the store cannot find documents of the exact list: asked of the store, by id."""
        return self._ask([*self.misses.ranks]) if self.misses.ranks else {}

    def _ask(self, ids: list[str]) -> dict[str, str]:
        index = self.runner.index(self.store.store)
        assert isinstance(index, StoreIndex)
        return index.absences(ids)

    @cached_property
    def misses(self) -> Misses:
        """Documents of the exact list that the store lost, before any stage."""
        return misses(self.exact.nearest, self.store.nearest)

    def lost(self) -> list[show.Lost]:
        """The documents of the exact list on the page that the store did not reach, best first."""
        ranks = self.misses.ranks
        shown_hits = [(at, hit, ranks.get(hit.document.id)) for at, hit in enumerate(self.exact.ranking.hits, 1)]
        return [show.Lost(at, hit, self._lost(rank, hit.document.id)) for at, hit, rank in shown_hits if rank]

    def count(self) -> str:
        """Returns how much of the exact list the store found, before any stage; empty for an empty list."""
        numbers = {"n": self.misses.n_reached, "m": self.misses.of}
        if not self.misses.of:
            return ""
        words = {
            "HNSW": _("graph found {n} of the exact first {m}", **numbers),
            "IVF_FLAT": _("cells found {n} of the exact first {m}", **numbers),
        }
        structure = "" if self.absences else _structure(self.store.store)
        return words.get(structure, _("store found {n} of the exact first {m}", **numbers))

    def end(self) -> str:
        """Returns the line below the store's list if it ends before the exact one does."""
        if self.store.nearest.asked or len(neighbours(self.store.nearest)) >= len(neighbours(self.exact.nearest)):
            return ""
        numbers = {"m": len(self.store.ranking)}
        words = {
            "HNSW": _("{m} of {m}: the graph reached no more.", **numbers),
            "IVF_FLAT": _("{m} of {m}: the searched cells contain no more.", **numbers),
        }
        structure = "" if self.absences else _structure(self.store.store)
        return words.get(structure, _("{m} of {m}: the store returned no more.", **numbers))

    def numbers(self, doc: str, runner: Runner) -> dict[str, str]:
        """Returns the numbers of one document in the store's list; if the store lost it, its exact ones."""
        rank, distance = why.place(self.store.ranking, doc), self.store.distances.get(doc)
        if distance is not None:
            return {"rank": rank, **_figures(self.store.store, distance)}
        lost_from = self.misses.ranks.get(doc) or self._behind(doc, runner)
        return {**self.exact.numbers(doc, runner), "rank": self._lost(lost_from, doc) if lost_from else rank}

    def _behind(self, doc: str, runner: Runner) -> int | None:
        """The exact rank of a document behind the end of the exact list, where the store's list ends for good."""
        if self.store.nearest.asked:
            return None
        return why.deeper(self.exact.nearest, self.exact.store, runner, doc).rank(doc)

    def _lost(self, rank: int, doc: str) -> str:
        """Returns why the store's list lacks a document of this exact rank."""
        cause = (self.absences if doc in self.misses.ranks else self._ask([doc])).get(doc)
        if cause == "missing":
            return _("not in the store (exact rank {rank})", rank=rank)
        if cause == "filtered":
            return _("removed by the store's filter (exact rank {rank})", rank=rank)
        return lost_words(_structure(self.store.store), rank)


def lost_words(structure: str, rank: int) -> str:
    """Returns what lost a document of this exact rank: the index that was searched, as Milvus calls it."""
    words = {
        "HNSW": _("lost by the graph (exact rank {rank})", rank=rank),
        "IVF_FLAT": _("lost by the cells (exact rank {rank})", rank=rank),
    }
    return words.get(structure, _("lost by the store (exact rank {rank})", rank=rank))


def _structure(store: StoreVector) -> str:
    """Returns the index that the store searches, as Milvus calls it; Chroma has a graph."""
    return str(getattr(store, "kind", "HNSW"))


def _figures(store: StoreVector, distance: float | None) -> dict[str, str]:
    """Returns a distance with its score and its relevance; – if there is no distance."""
    if distance is None:
        return dict.fromkeys(("distance", "score", "relevance"), "–")
    values = {"distance": distance, "score": store.score(distance), "relevance": relevance(store.space, distance)}
    return {name: _figure(value) for name, value in values.items()}


def _figure(value: float) -> str:
    """Returns a number with four decimals; one that would read as 0 but is not 0 has its power of ten."""
    return f"{value:.1e}" if 0 < abs(value) < 0.5e-4 else f"{value + 0.0:.4f}"


def run(page: Page, store: StoreVector, query: Query, *stages: Stage) -> tuple[dict[str, Found], Beside | None]:
    """Returns the exact list of every space by its name, the store's space last, and the store's own list.

    The second is None if the store fails.  Ends the page if the filter is not one, or the store does not take it.
    """
    _embed(page)
    spaces = sorted(SPACES, key=lambda space: space == store.space)  # in their order, but for the last
    exact = {say(SPACES[space]): replace(store.exact, space=space) for space in spaces}
    try:
        lists = _found(page, exact, query, stages)
        try:
            approximate = _found(page, {name_of(store): store}, query, stages)[name_of(store)]
        except ModelError as error:
            until = _("Until then the page shows the exact lists alone.")
            st.warning(escape.plain(listed((error.message, error.remedy, until), " ")), icon=":material/cloud_off:")
            return lists, None
    except QueryError as error:
        escape.problem(error)
        page.stop()
    index = page.runner.index(store)
    for remark in index.remarks if isinstance(index, StoreIndex) else ():
        st.info(escape.plain(say(remark)), icon=":material/sync:")
    return lists, Beside(approximate, lists[say(SPACES[store.space])], page.runner)


def lengths(scale: str) -> str:
    """Returns the sentence on how the lengths of the stored vectors change the three orders."""
    if scale == "unit":
        return _(
            "The stored vectors have length 1: the three spaces give the same order. L2, squared, is twice the cosine "
            "distance, so the same limit is half as wide."
        )
    if scale == "by length":
        return _(
            "The stored vectors are scaled by text length: the inner product prefers long texts, L2 short ones; "
            "the cosine ignores the length."
        )
    return _(
        "The vectors are stored as the embedding model gives them. If their lengths differ, the three spaces "
        "may rank differently."
    )


def name_of(store: StoreVector) -> str:
    """Returns the title of the store's own list."""
    return say(type(store).technique)


def space(page: Page, into: Any) -> str:
    """Draws the choice of the space of the store's own list, and returns it."""
    help_text = _("The space of the store's own list, at the right. The exact list of this space is beside it.")
    words = {name: say(title) for name, title in SPACES.items()}.__getitem__
    name = "chromavector.space"
    return page.pick(name, _("Store's space"), SPACES, "ip", help_text, format_func=words, into=into)


def chosen(page: Page, own: ChromaVector) -> StoreVector:
    """The store that is searched, with its knobs: Chroma, or an engine where the lab has one."""
    engines = engine.addressed()
    if engines:
        offered = {"chroma": "Chroma", **{name: known.TITLE for name, known in engines.items()}}
        kind = page.choose("store", _("Lists from"), tuple(offered), "chroma", format_func=offered.__getitem__)
    for name, known in engines.items():
        page.models[name] = engine.address(name)  # another one has other indexes
        store: StoreVector = page.knobs(replace(known.VECTOR, embedder=own.embedder), "kind")
        if names := known.KNOBS[_structure(store)]:
            store = page.knobs(store, *names)
        if kind == name:
            return store
    for name in engine.installed().keys() - engines.keys():
        values = {"setting": engine.setting(name), "engine": engine.find(name).TITLE}
        st.caption(_("Set {setting} (a file, a server or a cluster) to compare with {engine}.", **values))
    return page.knobs(own, "ef")


def is_opening(page: Page, query: Query) -> bool:
    """Returns whether the page shows its own example, in which a threshold of one space loses the answer in another."""
    return query.text == questions.OPENINGS.get((page.frame.corpus.name, page.name))


def limited(page: Page, own: ChromaVector, kind: str) -> ChromaVector:
    """Returns the search with the visitor's threshold, if this search type has a threshold."""
    if kind not in LIMITS:
        return own
    name, start = LIMITS[kind]
    showcase: ChromaVector = replace(own, **{name: start})  # type: ignore[arg-type]
    return page.knobs(showcase, name, into=st.columns([3, 10])[:1], high={"max_distance": 4.0})


def with_limits(store: StoreVector, own: ChromaVector) -> StoreVector:
    """The store with the filter and the thresholds that were set after it was chosen."""
    return replace(store, **{name: getattr(own, name) for name in SHARED})


def curves(page: Page, store: StoreVector) -> Callable[[Progress], tuple[Speed, ...]]:
    """Returns the measurement of the graph on this corpus and on random vectors, with the page's ef among others."""
    corpus, ef = page.frame.corpus, {10, 50, 200, int(getattr(store, "ef", 200))}
    others = [known.graph_answers for known in engine.addressed().values()]

    def measure(progress: Progress) -> tuple[Speed, ...]:
        own = approximation.corpus_cloud(
            corpus, store.embedder, _questions(page) or [d.label for d in corpus.documents[:ASKED]]
        )
        clouds = own, approximation.random_cloud(len(own.vectors))
        return approximation.hnsw_against_exact(clouds, ef_search=sorted(ef), others=others, progress=progress)

    return measure


def _questions(page: Page) -> list[str]:
    """Returns questions to measure with: those of the corpus, else generated ones."""
    return [query.text for query in page.frame.collection.queries[:ASKED]] or questions.offered(page.frame)[:ASKED]


def formulas() -> None:
    """How LangChain brings each distance to 0…1, and where that goes wrong."""
    each = (
        r"r_{\cos}=1-d",
        r"r_{\text{ip}}=\begin{cases}1-d & d>0\\ -d & d\le 0\end{cases}",
        r"r_{\text{l2}}=1-\frac{d}{\sqrt2}",
    )
    for column, formula in zip(st.columns(len(each), vertical_alignment="center"), each, strict=True):
        column.latex(formula)
    st.caption(_("LangChain's functions of the distance d in each space."))


def _embed(page: Page) -> None:
    """Make the vectors of the corpus once, before every collection is filled with them.  Stopped, the page ends."""
    embedder, corpus = page.frame.embedder, page.frame.corpus

    def make(progress: Progress) -> bool:
        rows_of(embedder, corpus, progress=progress)
        return True

    if not work(page.key("vectors"), _("Indexing the corpus …"), make, about=(embedder, corpus.fingerprint)):
        page.stop()


def _found(page: Page, lists: Mapping[str, StoreVector], query: Query, stages: tuple[Stage, ...]) -> dict[str, Found]:
    searches: dict[str, Searcher] = {name: own >> Stages(stages) if stages else own for name, own in lists.items()}
    rankings = page.run(searches, query, doing=_("Filling the collections …"))
    return {name: Found(own, searches[name], rankings[name]) for name, own in lists.items()}
