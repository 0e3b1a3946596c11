"""At most so many passages of one document: a long document does not fill the whole list.

Sources: host crowding of web search engines; ``group.limit`` of Solr and ``collapse`` of Elasticsearch.  The kept
passages are those of ``groupby(document).head(most)`` in pandas; with ``fill``, removed ones come back as needed.
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.algebra import Corpus, Document, Env, Ranking, knob
from lab.corpus.fields import elements, field_name
from lab.refine.filters import Filter, Judged, Measured
from lab.words import N_, Said

SOURCE = "source"
"""The field that names the document of a passage, if the corpus was not chunked in the lab."""


def origin_of(name: str, corpus: Corpus) -> tuple[str, Corpus]:
    """Returns the id and the corpus of the document from which a chunk was made, through all derivations."""
    while corpus.parents:
        name, corpus = corpus.origins.get(name, name), corpus.parents[0]
    return name, corpus


@dataclass(frozen=True)
class PerDocument(Filter):
    """Keeps the best ``most`` passages of each document; passages of other documents move up.

    Passages belong to one document if their ``field`` has the same value.  Without a field, it is the document from
    which a chunk was made, or else the field “source”, which uploads have.  A passage without a value is a document of
    its own.  If fewer than ``fill`` results are left, the best removed ones stay, too, until there are that many.
    """

    inputs = ("metadata",)
    label = Said("Passages per document")
    about = Said("Keeps the best passages of each document, so that no document fills the list.")

    most: int = knob(2, Said("Maximum per document"), Said("Passages kept from each document."), low=1, high=1000)
    fill: int = knob(
        0,
        Said("Minimum list length"),
        Said("If fewer results are left, the best removed ones stay. 0: none do."),
        low=0,
        high=1000,
    )
    field: str = knob(
        "",
        Said("Field of the document"),
        Said("Passages with the same value are one document. Empty: the chunked document, or the field “source”."),
    )

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        names = [self.document_of(hit.document, ranking.corpus) for hit in ranking.hits]
        ranks, places = dict[str, list[int]](), list[int]()
        for rank, name in enumerate(names, 1):
            ranks.setdefault(name, []).append(rank)
            places.append(len(ranks[name]))
        beyond = [i for i, place in enumerate(places) if place > self.most]
        refilled = max(0, self.fill - (len(names) - len(beyond)))
        removed = set(beyond[refilled:])
        message = N_("Passage {place} of “{document}” in this list; limit {limit}, kept at ranks {ranks}.")

        def reason(i: int) -> Said:
            above = [rank for rank in ranks[names[i]] if rank - 1 not in removed]
            told = {"place": places[i], "document": names[i][:80], "ranks": above}
            return Said(message, limit=self.most, **told)

        name = Said("place among the passages of its document")
        measured = Measured(name, tuple(map(float, places)), high=self.most)
        return Judged([reason(i) if i in removed else None for i in range(len(names))], measured)

    def document_of(self, passage: Document, corpus: Corpus) -> str:
        """Returns the name of the document that a passage belongs to: an id, or the value of the field."""
        name = self.field.strip()
        if not name and corpus.parents:
            return origin_of(passage.id, corpus)[0]
        values = elements(passage.metadata.get(field_name(corpus, name or SOURCE)))
        return ", ".join(map(str, values)) or passage.id
