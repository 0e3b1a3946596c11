"""What lessons expect of postings that are read."""

from __future__ import annotations

from lab.errors import CorpusError
from lab.lessons.checking.case import Case, Reading
from lab.retrieve.lexical import LexicalIndex
from lab.words import Said
from lab_packs.inside.postings import Walk, walk


class Postings(Case):
    """How much of the postings of a question is read."""

    OF_LISTS = frozenset({"postings", "postings_of"})

    def _walked(self, k: int) -> Walk:
        """Returns the walk along the postings of the question to its best ``k`` documents."""
        index = self.search.index(self.collection.corpus)
        if not isinstance(index, LexicalIndex):
            remedy = Said("Name a list by words, such as BM25().")
            raise CorpusError(Said("“{list}” has no postings.", list=self.called(self.name)), remedy)
        return walk(index, self.ranking.query, k=k)

    def read_postings_of(self, k: int, word: str) -> Reading:
        """``of = [10, "the"]``: how many postings of this word of the question are read to find the best 10."""
        walked = self._walked(k)
        columns = [i for i, postings in enumerate(walked.lists) if postings.name == word]
        read = sum(len(walked.reads(i)) for i in columns)
        numbers = {"read": read, "word": word, "all": sum(walked.before(i, 0, walked.end) for i in columns), "k": k}
        finding = Said("postings of “{word}” read for the best {k}: {read} of {all}", **numbers)
        return read if columns else None, finding

    def read_postings(self, k: int) -> Reading:
        """``of = 10``: the share of the question's postings that is read to find the best 10."""
        walked = self._walked(k)
        numbers = {"k": k, "read": walked.read, "all": walked.postings}
        finding = Said("postings read for the best {k}: {read} of {all}", **numbers)
        return walked.read / walked.postings if walked.read else None, finding
