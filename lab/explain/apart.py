"""Why words and vectors disagree, in sentences computed from the two lists and their fusion.

They are about the first results, or about the document that answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lab.algebra import Document, Ranking
from lab.fuse import RRF
from lab.models.static import StaticEncoder
from lab.retrieve.lexical import LexicalIndex
from lab.retrieve.vector import Compared, VectorIndex
from lab.text import cut
from lab.words import N_, Said, joined

SHOWN = 40
"""Maximum columns of a title or a word in a sentence."""


@dataclass(frozen=True)
class Disagreement:
    """A list by words, a list by vectors, and their fusion by RRF, for one query on one corpus."""

    words: Ranking
    vectors: Ranking
    fused: Ranking
    lexical: LexicalIndex
    near: VectorIndex

    def sentences(self) -> tuple[Said, ...]:
        """Returns the sentences: about the list by words, then the list by vectors, then the fused list.

        An empty list has one sentence, which says that it is empty.
        """
        return (*self._words(), *self._vectors(), *self._fused())

    def of_answer(self, answer: Document) -> tuple[Said, Said, Said]:
        """Returns why the answer has its rank: by words, fused, and by vectors."""
        near = joined(self._closest_words(answer), " ")
        if not self.vectors.rank(answer.id):
            near = Said("Not among the first {n}.", n=len(self.vectors))
        return self._shared_words(answer), self._votes(answer), near

    def of_fusing(self, answer: Document) -> Said:
        """Returns what fusing does to the rank of the answer, compared with the better of the two lists."""
        before = min(filter(None, (self.words.rank(answer.id), self.vectors.rank(answer.id))), default=None)
        after = self.fused.rank(answer.id) or len(self.fused) + 1
        if before is None:
            return Said("Neither list has the answer.")
        if before == after:
            return Said("Here fusing keeps the answer at rank {rank}.", rank=after)
        if before == 1:
            return Said("Here fusing costs the answer its first place: from 1 to {after}.", after=after)
        if after < before:
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
        return Said(template, votes=votes, score=score, title=_short_title(first.document), most=f"{first.score:.4f}")

    def _words(self) -> Iterator[Said]:
        """Yields the sentence about BM25's first result and the word that gives most of its score."""
        if not self.words.hits:
            yield Said("No passage contains a word of the question: BM25 finds nothing.")
            return
        hit = self.words.hits[0]
        most = max(hit.why, key=lambda part: part.value, default=None)
        title = _short_title(hit.document)
        if most is None or most.value <= 0:
            yield Said("BM25 ranks “{title}” first.", title=title)
            return
        name = most.source
        if len(hit.why) == 1:
            yield Said("BM25 ranks “{title}” first, because of the word “{word}” alone.", title=title, word=name)
        else:
            figures = {"part": f"{most.value:.2f}", "score": f"{hit.score:.2f}"}
            template = N_("BM25 ranks “{title}” first: “{word}” gives {part} of its {score}.")
            yield Said(template, title=title, word=name, **figures)

    def _vectors(self) -> Iterator[Said]:
        """Yields the vectors' rank of BM25's first result, what they rank first, and the pair of words that decides."""
        if not self.vectors.hits:
            yield Said("The vectors find nothing.")
            return
        first = self.vectors.hits[0].document
        if not self.words.hits:
            yield Said("The vectors rank “{title}” first.", title=_short_title(first))
        elif first.id == self.words.hits[0].document.id:
            yield Said("The vectors rank it first, too.")
        else:
            rank = self.vectors.rank(self.words.hits[0].document.id)
            if rank:
                yield Said("The vectors rank it {rank} and “{title}” first.", rank=rank, title=_short_title(first))
            else:
                template = N_("The vectors do not find it (results: {n}); they rank “{title}” first.")
                yield Said(template, n=len(self.vectors), title=_short_title(first))
        if self.words.hits and not any(part.tf for part in self.lexical.explain(self.words.query, first.id)):
            yield Said("It contains no word of the question.")
        yield from self._closest_words(first)

    def _closest_words(self, document: Document) -> Iterator[Said]:
        """Yields the pair of words that adds most to the cosine with the compared text; only of a model of words."""
        encoder = self.near.encoder
        if not isinstance(encoder, StaticEncoder):
            return
        compared, text, where = self.vectors.evidence, document.content, Said("in the passage")
        if isinstance(compared, Compared) and document.id in compared.spans:
            a, b = compared.spans[document.id]
            text, where = text[a:b], Said("in the sentence nearest the question")
        question_words, passage_words, table = encoder.pairs(self.vectors.query.text, text)
        if not table.size or float(table.max()) <= 0:
            return
        i, j = np.unravel_index(int(table.argmax()), table.shape)
        question_word, passage_word = cut(question_words[int(i)], SHOWN), cut(passage_words[int(j)], SHOWN)
        if question_word.casefold() == passage_word.casefold():
            yield Said("What counts most {where} is “{word}”, the question’s own word.", where=where, word=passage_word)
        else:
            template = N_("What counts most {where} is “{theirs}”, near “{ours}” of the question.")
            yield Said(template, where=where, theirs=passage_word, ours=question_word)

    def _fused(self) -> Iterator[Said]:
        """Yields the list whose first result the fusion ranks first."""
        if not self.fused.hits or not self.words.hits or not self.vectors.hits:
            return
        first = self.fused.hits[0].document
        ranks = [ranking.rank(first.id) for ranking in (self.words, self.vectors)]
        if ranks == [1, 1]:
            yield Said("The fused list ranks it first, too.")
        elif ranks[0] == 1:
            yield Said("The fused list agrees with BM25.")
        elif ranks[1] == 1:
            yield Said("The fused list agrees with the vectors.")
        elif None in ranks:
            yield Said("The fused list ranks “{title}” first.", title=_short_title(first))
        else:
            template = N_("The fused list ranks “{title}” first; BM25 ranks it {a}, the vectors {b}.")
            yield Said(template, title=_short_title(first), a=ranks[0], b=ranks[1])


def _short_title(document: Document) -> str:
    return cut(document.label, SHOWN)
