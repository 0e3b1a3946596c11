"""From parts of documents to their surroundings: the neighbours of the parts that were found.

`lab.algebra.verbs.Lift` replaces derived documents by their originals; that module lists the sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lab.algebra import Corpus, Env, Hit, Lifted, Outcome, Ranking, Stage, knob
from lab.algebra.verbs import metadata_number
from lab.text import joined
from lab.words import Said


@dataclass(frozen=True)
class Neighbours(Stage):
    """Returns, for a document found by one of its chunks, that chunk with its neighbours.

    ``window`` parts before and as many after.  After `Lift` the documents are shortened to the parts that count in
    their scores, and keep their ids; without it the parts themselves grow.  Documents found whole stay whole.
    """

    inputs = ("texts", "metadata")
    label = Said("Neighbouring chunks")
    about = Said("Returns the chunk that was found, with its neighbours.")

    makes_documents = True

    window: int = knob(
        1, Said("Window"), Said("Chunks before and after the match that are returned with it."), low=0, high=3
    )

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        for before in reversed(list(ranking.lineage())):
            if isinstance(before.evidence, Lifted):
                derived, counted = before.parents[0].corpus, before.evidence.counted
                positions_by_document = {
                    doc: [derived.positions[part] for part in parts] for doc, parts in counted.items()
                }
                return Outcome(
                    [self._shown(hit, positions_by_document.get(hit.document.id, []), derived) for hit in ranking.hits]
                )
        derived = ranking.corpus
        positions = [[at] if (at := derived.positions.get(h.document.id)) is not None else [] for h in ranking.hits]
        return Outcome([self._shown(hit, places, derived) for hit, places in zip(ranking.hits, positions, strict=True)])

    def _shown(self, hit: Hit, places: Sequence[int], derived: Corpus) -> Hit:
        """Returns the hit with its text replaced by the parts at these places and their neighbours."""
        spans = joined(span for at in places for span in self._around(at, derived))
        if not spans:
            return hit
        text = (
            derived.parents[0]
            .documents[derived.parents[0].positions[derived.origins[derived.documents[places[0]].id]]]
            .text
        )
        return replace(hit, document=replace(hit.document, text="\n".join(text[a:b] for a, b in spans)))

    def _around(self, at: int, derived: Corpus) -> list[tuple[int, int]]:
        """Returns the (start, end) of a part with its neighbours in its document; empty without offsets."""

        def origin(i: int) -> str | None:
            return derived.origins.get(derived.documents[i].id) if 0 <= i < len(derived) else None

        near = range(at - self.window, at + self.window + 1)
        same = [derived.documents[i] for i in near if origin(i) is not None and origin(i) == origin(at)]
        if not all("start" in d.metadata for d in same):
            return []
        starts = [metadata_number(d, "start") for d in same]
        return [(min(starts), max(a + len(d.text) for a, d in zip(starts, same, strict=True)))] if same else []
