"""From derived documents back to those that they came from: parents for children, wholes for parts.

Source: LangChain's ``ParentDocumentRetriever`` (unique parents in the order of their first child).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lab.core import Env, Hit, Outcome, Ranking, Stage, in_order
from lab.words import Said


@dataclass(frozen=True)
class Lifted:
    """Which derived documents brought each document here: ids of children by the id of the parent, best first."""

    children: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Lift(Stage):
    """Every document with the score, and the addends, of its best child; a ranking of no derived corpus stays as it is.

    The evidence is a `Lifted`.
    """

    label = Said("Lift")
    about = Said("From chunks back to their documents.")

    makes_documents = True

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        if not ranking.corpus.parents:
            return Outcome(ranking.hits)
        parent, origins = ranking.corpus.parents[0], ranking.corpus.origins
        best: dict[str, Hit] = {}
        children: dict[str, list[str]] = {}
        for hit in ranking.hits:
            document = parent.get(origins[hit.document.id])
            if document is None:
                continue
            children.setdefault(document.id, []).append(hit.document.id)
            if document.id not in best or hit.score > best[document.id].score:
                best[document.id] = Hit(document, hit.score, hit.why)
        told = Lifted({doc: tuple(own) for doc, own in children.items()})
        return Outcome(in_order(list(best.values()), parent), (), told, parent)
