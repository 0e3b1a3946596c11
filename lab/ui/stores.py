"""Lists out of Chroma: filling a collection shows how far it is, and where the server fails the exact store goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from lab.core import Query, Ranking, Searcher, Stage, Stages
from lab.errors import ModelError, QueryError
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.vector import Vector
from lab.ui import cache, escape
from lab.ui.i18n import _, say
from lab.ui.page import Page


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

    def numbers(self, doc: str) -> dict[str, float | None]:
        """Of one document its rank, its distance and its score in the list."""
        hit, distance = self.ranking.hit(doc), self.distances.get(doc)
        score = hit.score if hit else None
        if isinstance(self.store, ChromaVector) and distance is not None:
            score = self.store.score(distance)
        return {"rank": self.ranking.rank(doc), "distance": distance, "score": score}


def run(page: Page, lists: Mapping[str, ChromaVector], query: Query, *stages: Stage) -> dict[str, Found]:
    """The lists with these stages, by their names.  Ends the page where Chroma does not take the filter."""
    cache.embed(page.frame.embedder, page.frame.corpus)
    place = st.empty()

    def progress(done: int, total: int) -> None:
        said = _("Filling the collection: {done} of {total} passages", done=done, total=total)
        place.progress(done / max(total, 1), text=said)

    page.runner.progress = progress
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
    finally:
        page.runner.progress = None
        place.empty()


def _found(page: Page, lists: Mapping[str, Vector], query: Query, stages: tuple[Stage, ...]) -> dict[str, Found]:
    searches: dict[str, Searcher] = {name: own >> Stages(stages) if stages else own for name, own in lists.items()}
    rankings = page.run(searches, query)
    return {name: Found(own, searches[name], rankings[name]) for name, own in lists.items()}
