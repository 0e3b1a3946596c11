"""Why an answer has its rank by words, by vectors and in their fusion, in sentences computed from the three lists."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lab.algebra import Document, Ranking
from lab.fuse import RRF
from lab.models.static import StaticEncoder
from lab.retrieve.lexical import LexicalIndex
from lab.retrieve.vector import Compared, VectorIndex
from lab.text import cut
from lab.words import N_, Said

SHOWN = 40
"""Maximum columns of a title or a word in a sentence."""


@dataclass(frozen=True)
class Ranks:
    """A list by words, a list by vectors, and their fusion by RRF, for one query on one corpus."""

    words: Ranking
    vectors: Ranking
    fused: Ranking
    lexical: LexicalIndex
    near: VectorIndex

    def of_answer(self, answer: Document) -> tuple[Said, Said, Said]:
        """Returns why the answer has its rank: by words, fused, and by vectors."""
        near = self._closest_words(answer)
        if not self.vectors.rank(answer.id):
            near = Said("Not among the first {n}.", n=len(self.vectors))
        return self._shared_words(answer), self._votes(answer), near

    def of_fusing(self, answer: Document) -> Said:
        """Returns what fusing does to the rank of the answer, compared with the better of the two lists."""
        before = min(filter(None, (self.words.rank(answer.id), self.vectors.rank(answer.id))), default=None)
        rank, end = self.fused.rank(answer.id), len(self.fused)
        after = rank or f"> {end}"
        if before is None:
            return Said("Neither list has the answer.")
        if before == rank:
            return Said("Here fusing keeps the answer at rank {rank}.", rank=after)
        if before == 1:
            return Said("Here fusing costs the answer its first place: from 1 to {after}.", after=after)
        if (rank or end + 1) < before:
            return Said("Here fusing lifts the answer: from {before} to {after}.", before=before, after=after)
        return Said("Here fusing lowers the answer: from {before} to {after}.", before=before, after=after)

    def _shared_words(self, answer: Document) -> Said:
        """Returns the words of the question in the answer, and in BM25's first result if that is another one."""
        words = self._words_in(answer)
        if not words:
            return Said("It contains no word of the question.")
        if self.words.rank(answer.id) == 1:
            return Said("It contains “{words}”.", words=words)
        first = self._words_in(self.words.hits[0].document)
        return Said("It contains “{words}”, the first result “{first}”.", words=words, first=first)

    def _words_in(self, document: Document) -> list[str]:
        """Returns the terms of the question in a document, without those that are a part of another one."""
        query = self.words.query
        names = self.lexical.names(query)
        words = dict.fromkeys(names[part.term] for part in self.lexical.explain(query, document.id) if part.tf)
        return [cut(word, SHOWN) for word in words if not any(word in other and word != other for other in words)]

    def _votes(self, answer: Document) -> Said:
        """Returns the sum of the two votes for the answer, and that of the first result if it is another one."""
        hit, fusion = self.fused.hit(answer.id), self.fused.made_by
        if hit is None or not isinstance(fusion, RRF):
            return Said("Not among the first {n}.", n=len(self.fused))
        ranks = [r.rank(answer.id) for r in (self.words, self.vectors)]
        votes = " + ".join(f"1/({fusion.k} + {rank})" for rank in ranks if rank)
        score, first = f"{hit.score:.4f}", self.fused.hits[0]
        if first.document.id == answer.id:
            return Said("{votes} = {score}: no sum is larger.", votes=votes, score=score)
        template = N_("{votes} = {score}. “{title}” has {most} and is first.")
        title = cut(first.document.label, SHOWN)
        return Said(template, votes=votes, score=score, title=title, most=f"{first.score:.4f}")

    def _closest_words(self, document: Document) -> Said:
        """Returns the pair of words that adds most to the cosine with the compared text; only of a model of words."""
        encoder = self.near.encoder
        if not isinstance(encoder, StaticEncoder):
            return Said()
        compared, text, where = self.vectors.evidence, document.content, Said("in the passage")
        if isinstance(compared, Compared) and document.id in compared.spans:
            a, b = compared.spans[document.id]
            text, where = text[a:b], Said("in the sentence nearest the question")
        question_words, passage_words, table = encoder.pairs(self.vectors.query.text, text)
        if not table.size or float(table.max()) <= 0:
            return Said()
        i, j = np.unravel_index(int(table.argmax()), table.shape)
        question_word, passage_word = cut(question_words[int(i)], SHOWN), cut(passage_words[int(j)], SHOWN)
        if question_word.casefold() == passage_word.casefold():
            return Said(
                "What counts most {where} is “{word}”, the question’s own word.", where=where, word=passage_word
            )
        template = N_("What counts most {where} is “{theirs}”, near “{ours}” of the question.")
        return Said(template, where=where, theirs=passage_word, ours=question_word)
