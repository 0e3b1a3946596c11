"""Expectations of the inside of an index: the vectors of chunks, a graph."""

from __future__ import annotations

from lab.algebra import Document, Pipeline, one_of
from lab.errors import CorpusError
from lab.explain.graph import Walk as GraphWalk
from lab.explain.late import pooled
from lab.explain.structures import FILTERS, Asked, Outcome, structures_of
from lab.lessons.checking.case import Case, Reading
from lab.models.static import load_built_in
from lab.retrieve.store import StoreVector
from lab.words import N_, Said


class Inside(Case):
    """What is pooled and walked."""

    def _chunks(self) -> list[Document]:
        if not isinstance(self.search, Pipeline) or not self.search.derive:
            raise CorpusError(
                Said("“{list}” has no chunks.", list=self.called(self.name)),
                Said("Name a list of chunks, such as ParentChild()(Vector())."),
            )
        chunks, document = self.search.derive[0](self.collection.corpus), self.known(self.doc)
        return [d for d in chunks if chunks.origins[d.id] == document.id]

    def read_chunks_joined(self) -> Reading:
        """How many characters more than the document its chunks have that this list makes, joined."""
        document, n = self.known(self.doc), sum(len(chunk.text) for chunk in self._chunks())
        return n - len(document.text), Said(
            "characters of the chunks of “{title}”: {n}, of its text: {m}",
            title=document.label,
            n=n,
            m=len(document.text),
        )

    def read_chunks_alike(self) -> Reading:
        """The number of chunks that this list makes of the document, if late chunking changes none of their vectors
        (built-in model)."""
        document, own = self.known(self.doc), self._chunks()
        result = pooled(load_built_in(), document.text, own)
        numbers = {"title": document.label, "n": result.chunks, "changed": result.differing}
        finding = Said("chunks of “{title}” compared: {n}, changed by late chunking: {changed}", **numbers)
        return None if result.differing else result.chunks, finding

    # A walk in the graph of a list's vectors: ``of = [10, "none"]`` is ef 10 with a filter that works not at all
    # (``none``), in the ``search``, or ``after`` the cut to ten.

    def _searched(self, ef: int, how: str) -> tuple[Asked, GraphWalk, Outcome]:
        """Returns a walk in the graph of this list's vectors, with this ef and the filter working in this way."""
        asked = None
        if isinstance(self.search, StoreVector):
            structures = structures_of(self.search.exact, self.collection.corpus)
            asked = structures.ask(self.ranking.query, self.search.where)
        if asked is None:
            remedy = Said("Name a list of a vector store, such as ExactVector(scale='unit').")
            raise CorpusError(Said("“{list}” has no graph.", list=self.called(self.name)), remedy)
        one_of("how", how, FILTERS)
        walked = asked.walk(ef, how)
        return asked, walked, asked.outcome(walked, how)

    def read_graph_found(self, ef: int, how: str) -> Reading:
        """How many of the exact first ten the walk finds."""
        outcome = self._searched(ef, how)[2]
        numbers = {"n": outcome.hits, "m": len(outcome.exact), "ef": ef}
        return outcome.hits, Said("with ef {ef} the graph finds {n} of the exact first {m}", **numbers)

    def read_graph_lost(self, ef: int, how: str) -> Reading:
        """Whether the document is among the exact first ten, and the walk does not find it."""
        asked, _, outcome = self._searched(ef, how)
        ranks = {asked.structures.documents[loss.node].id: loss.rank for loss in outcome.losses}
        rank = ranks.get(self.known(self.doc).id)
        template = N_("“{title}” is lost (exact rank {rank})") if rank else N_("“{title}” is not lost")
        return rank is not None, Said(template, title=self.title(self.doc), rank=rank)

    def read_graph_compared(self, ef: int, how: str) -> Reading:
        """How many passages the walk compares with the question."""
        asked, walked, _ = self._searched(ef, how)
        n = len(walked.compared())
        return n, Said("passages compared with ef {ef}: {n} of {total}", n=n, total=len(asked.structures), ef=ef)

    def read_graph_left(self, ef: int, how: str) -> Reading:
        """How many passages are left in the end."""
        n = len(self._searched(ef, how)[2].found)
        return n, Said("passages left with ef {ef}: {n}", n=n, ef=ef)
