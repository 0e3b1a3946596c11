"""Expectations of the inside of an index: postings, the vectors of chunks, a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.algebra import Pipeline, one_of
from lab.errors import CorpusError
from lab.explain.graph import Walk as GraphWalk
from lab.explain.late import pooled
from lab.explain.postings import Walk, walk
from lab.explain.structures import FILTERS, Asked, Outcome, structures_of
from lab.lessons.checking.case import Case, Result
from lab.models.static import load_built_in
from lab.retrieve.lexical import LexicalIndex
from lab.retrieve.store import StoreVector
from lab.words import Said


class Inside(Case):
    """What is read, pooled and walked."""

    def _walked(self, k: object) -> Walk:
        """Returns the walk along the postings of the question to its best ``k`` documents."""
        index = self.search.index(self.collection.corpus)
        if not isinstance(index, LexicalIndex):
            remedy = Said("Name a list by words, such as BM25().")
            raise CorpusError(Said("“{list}” has no postings.", list=self.called(self.name)), remedy)
        return walk(index, self.ranking.query, k=int(str(k)))

    def expect_reads(self, value: Sequence[Any]) -> Result:
        """``reads = [10, "the", 35]``: to find the best 10, 35 postings of this word of the question are read."""
        k, word, expected = value
        walked = self._walked(k)
        columns = [i for i, postings in enumerate(walked.lists) if postings.name == word]
        read = sum(len(walked.reads(i)) for i in columns)
        numbers = {"read": read, "word": word, "all": sum(walked.before(i, 0, walked.end) for i in columns), "k": k}
        finding = Said("postings of “{word}” read for the best {k}: {read} of {all}", **numbers)
        return self.told(bool(columns) and read == expected, finding, Said("postings: {n}", n=expected))

    def expect_reads_below(self, value: Sequence[Any]) -> Result:
        """``reads_below = [10, 0.3]``: to find the best 10, less than 30% of the question's postings are read."""
        k, most = value
        walked = self._walked(k)
        expected = Said("less than {share}%", share=f"{100 * most:.0f}")
        return self.told(0 < walked.read < most * walked.postings, self._read(walked), expected)

    def expect_reads_all(self, value: int) -> Result:
        """``reads_all = 10``: to find the best 10, every posting of the question is read."""
        walked = self._walked(value)
        return self.told(0 < walked.read == walked.postings, self._read(walked), Said("all of them"))

    def _read(self, walked: Walk) -> Said:
        numbers = {"k": walked.k, "read": walked.read, "all": walked.postings}
        return Said("postings read for the best {k}: {read} of {all}", **numbers)

    def expect_pools_alike(self, value: int) -> Result:
        """``pools_alike = 3``: late chunking changes none of the vectors (built-in model) of the
        3 chunks that this list makes of the document."""
        if not isinstance(self.search, Pipeline) or not self.search.derive:
            remedy = Said("Name a list of chunks, such as ParentChild()(Vector()).")
            raise CorpusError(Said("“{list}” has no chunks.", list=self.called(self.name)), remedy)
        chunks, document = self.search.derive[0](self.collection.corpus), self.known(self.doc)
        own = [d for d in chunks if chunks.origins[d.id] == document.id]
        result = pooled(load_built_in(), document.text, own)
        numbers = {"title": document.label, "n": result.chunks, "changed": result.differing}
        finding = Said("chunks of “{title}” compared: {n}, changed by late chunking: {changed}", **numbers)
        passed = result.chunks == value and not result.differing
        return self.told(passed, finding, Said("compared {n}, changed none", n=value))

    # ------------------------------------------------------------------------------------ a graph of a list's vectors

    def _searched(self, ef: object, how: object) -> tuple[Asked, GraphWalk, Outcome]:
        """Returns a walk in the graph of this list's vectors, with this ef and the filter working in this way."""
        asked = None
        if isinstance(self.search, StoreVector):
            structures = structures_of(self.search.exact, self.collection.corpus)
            asked = structures.ask(self.ranking.query, self.search.where)
        if asked is None:
            remedy = Said("Name a list of a vector store, such as ExactVector(scale='unit').")
            raise CorpusError(Said("“{list}” has no graph.", list=self.called(self.name)), remedy)
        one_of("how", str(how), FILTERS)
        walked = asked.walk(int(str(ef)), str(how))
        return asked, walked, asked.outcome(walked, str(how))

    def expect_graph(self, value: Sequence[Any]) -> Result:
        """``graph = [10, "none", 8]``: with ef 10 the walk in the graph finds 8 of the exact first ten.

        The filter works not at all (``none``), in the ``search``, or ``after`` the cut to ten.
        """
        ef, how, expected = value
        outcome = self._searched(ef, how)[2]
        numbers = {"n": outcome.hits, "m": len(outcome.exact), "ef": ef}
        finding = Said("with ef {ef} the graph finds {n} of the exact first {m}", **numbers)
        return self.told(outcome.hits == expected, finding, Said("found: {n}", n=expected))

    def expect_graph_loses(self, value: Sequence[Any]) -> Result:
        """``graph_loses = [10, "none"]``: the document is among the exact first ten, and the walk does not find it."""
        asked, _, outcome = self._searched(*value)
        ranks = {asked.structures.documents[loss.node].id: loss.rank for loss in outcome.losses}
        rank = ranks.get(self.known(self.doc).id)
        title = self.title(self.doc)
        finding = (
            Said("“{title}” is lost (exact rank {rank})", title=title, rank=rank)
            if rank
            else Said("“{title}” is not lost", title=title)
        )
        return self.told(rank is not None, finding, Said("lost"))

    def expect_graph_compares(self, value: Sequence[Any]) -> Result:
        """``graph_compares = [10, "none", 96]``: the walk with ef 10 compares 96 passages with the question."""
        ef, how, expected = value
        asked, walked, _ = self._searched(ef, how)
        numbers = {"n": len(walked.compared()), "total": len(asked.structures), "ef": ef}
        finding = Said("passages compared with ef {ef}: {n} of {total}", **numbers)
        return self.told(numbers["n"] == expected, finding, Said("compared: {n}", n=expected))

    def expect_graph_returns(self, value: Sequence[Any]) -> Result:
        """``graph_returns = [10, "after", 2]``: two passages are left in the end."""
        ef, how, expected = value
        left = len(self._searched(ef, how)[2].found)
        finding = Said("passages left with ef {ef}: {n}", n=left, ef=ef)
        return self.told(left == expected, finding, Said("left: {n}", n=expected))
