"""Lists out of Chroma: where the server fails the exact store goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from lab.algebra import NONE, Progress, Query, Ranking, Runner, Searcher, Stage, Stages
from lab.errors import ModelError, QueryError
from lab.explain.approximation import Beside, Speed, beside
from lab.models.endpoint import public, shown
from lab.models.rows import rows_of
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.chroma_server import url_from_environment
from lab.retrieve.milvus import MilvusVector
from lab.retrieve.milvus_server import engine_of, named_in_environment
from lab.retrieve.store import StoreVector, relevance
from lab.retrieve.vector import Vector
from lab.ui import address, escape, questions, tables, why
from lab.ui.i18n import _, say
from lab.ui.nothing import nothing
from lab.ui.page import Page
from lab.ui.work import work

_WANTED = "_chroma_servers"
ASKED = 50
"""So many questions of the corpus every store is asked, side by side."""
KNOBS = {"HNSW": ("ef", "m", "ef_construction"), "IVF_FLAT": ("nprobe", "nlist")}
"""What can be set of an index of Milvus."""
SHARED = ("scale", "where", "max_distance", "min_relevance")
"""What all stores have."""
OPEN: dict[str, Any] = {"where": "", "max_distance": None, "min_relevance": None}
LIMITS: dict[str, tuple[str, float]] = {"threshold": ("max_distance", 0.7), "relevance": ("min_relevance", 0.5)}
"""The search types with a threshold: its knob, and what it begins with."""


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
    """One list, what stands on it, and what came of that: its distances are empty where no store was asked."""

    store: Vector
    search: Searcher
    ranking: Ranking

    @property
    def distances(self) -> dict[str, float]:
        """The distance of every document that was near, kept or cut, nearest first."""
        told = (step.evidence for step in self.ranking.lineage() if isinstance(step.made_by, StoreVector))
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
        if isinstance(own, StoreVector):
            if distance is None and ranking.made_by == own and not own.filter:
                ranking = why.deeper(ranking, own.exact, runner, doc)
                if hit := ranking.hit(doc):
                    distance = own.distance(hit.score)
            score = own.score(distance) if distance is not None else score
        relevant = None if distance is None else relevance(own.space, distance)
        told = ("–" if value is None else f"{value:.4f}" for value in (distance, score, relevant))
        return {"rank": why.place(ranking, doc), **dict(zip(("distance", "score", "relevance"), told, strict=True))}


def run(page: Page, lists: Mapping[str, StoreVector], query: Query, *stages: Stage) -> dict[str, Found]:
    """The lists with these stages, by their names.  Ends the page where the store does not take the filter."""
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


def chosen(page: Page, own: ChromaVector) -> StoreVector:
    """The store that is searched, with its knobs: Chroma, or Milvus where the lab has one."""
    milvus = MilvusVector(own.embedder)
    if uri := named_in_environment():
        page.models["milvus"] = uri  # another one has other indexes
        offered = {"chroma": "Chroma", "milvus": "Milvus"}
        kind = page.choose("store", _("Lists from"), tuple(offered), "chroma", format_func=offered.__getitem__)
        milvus = page.knobs(milvus, "kind")
        milvus = page.knobs(milvus, *KNOBS.get(milvus.kind, ()))
        if kind == "milvus":
            return milvus
    else:
        st.caption(_("With LAB_MILVUS_URI (a file, a server or a cluster) Milvus stands beside it."))
    return own


def limited(page: Page, own: ChromaVector, kind: str) -> ChromaVector:
    """The threshold of this search type, where it has one."""
    if kind not in LIMITS:
        return own
    name, start = LIMITS[kind]
    showcase: ChromaVector = replace(own, **{name: start})  # type: ignore[arg-type]
    return page.knobs(showcase, name, into=st.columns([3, 10])[:1], high={"max_distance": 4.0})


def with_limits(store: StoreVector, own: ChromaVector) -> StoreVector:
    """The store with the filter and the thresholds that were set after it was chosen."""
    return replace(store, **{name: getattr(own, name) for name in SHARED})


def curves(measure: Callable[..., tuple[Speed, ...]], progress: Progress) -> tuple[Speed, ...]:
    """The graph against the exact search; of two stores on a cloud of one size, at more breadths."""
    if not named_in_environment():
        return measure(progress=progress)
    return measure(sizes=(5_000,), ef_search=(10, 20, 50, 100, 200), milvus=engine_of(NONE), progress=progress)


def formulas() -> None:
    """How LangChain brings each distance to 0…1, and where that goes wrong."""
    each = (
        r"r_{\cos}=1-d",
        r"r_{\text{ip}}=\begin{cases}1-d & d>0\\ -d & d\le 0\end{cases}",
        r"r_{\text{l2}}=1-\frac{d}{\sqrt2}",
    )
    for column, formula in zip(st.columns(len(each), vertical_alignment="center"), each, strict=True):
        column.latex(formula)
    st.caption(
        _(
            "LangChain's functions, with the distance d of each space. A relevance of one space is not one of another: "
            "L2 is divided as if it were not squared, and where an inner product passes 1 its relevance falls to 0."
        )
    )


def side_by_side(page: Page, own: StoreVector) -> None:
    """The exact search, Chroma, and Milvus where the lab has one, on this corpus and its questions."""
    told = _(
        "On this corpus, cosine, up to {n} of its questions: how many of the exact first ten each store finds, and the "
        "median time of a question. A store on a server needs a way there and back.",
        n=ASKED,
    )
    st.caption(told)
    asked = [query.text for query in page.frame.collection.queries[:ASKED]] or questions.offered(page.frame)[:ASKED]
    plain: dict[str, Any] = {name: getattr(own, name) for name in ("embedder", "scale")}
    lists: dict[str, Vector] = {_("exact"): (chroma := ChromaVector(**plain)).exact, "Chroma": chroma}
    if named_in_environment():
        milvus = own if isinstance(own, MilvusVector) else MilvusVector()
        lists["Milvus"] = replace(milvus, space="cosine", **plain, **OPEN)
    about = page.frame.corpus.fingerprint, tuple(lists.values())

    def make(progress: Progress) -> tuple[Beside, ...]:
        return beside(page.frame.corpus, lists, chroma.exact, asked, models=page.models, progress=progress)

    if not asked:
        st.caption(_("This corpus has no question to ask."))
        return
    with escape.problems():
        if rows := work(
            page.key("beside"), _("Asking every store …"), make, about=(page.frame.corpus.fingerprint, about)
        ):
            columns = {"store": _("Store"), "recall": _("recall@10"), "ms": _("ms per question")}
            cells = [{"store": x.name, "recall": f"{x.recall:.3f}", "ms": f"{x.ms:.2f}"} for x in rows]
            tables.draw(_("Stores side by side"), cells, key=page.key("beside.table"), columns=columns)


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
