"""Why words and vectors put different documents first, in sentences computed from the two lists and their fusion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lab.algebra import Document, Ranking
from lab.models.static import StaticEncoder
from lab.retrieve.lexical import LexicalIndex
from lab.retrieve.vector import Compared, VectorIndex
from lab.text import cut
from lab.words import N_, Said

SHOWN = 40
"""Maximum columns of a title or a word in a sentence."""


@dataclass(frozen=True)
class Disagreement:
    """A list by words, a list by vectors, and their fusion, for one query on one corpus."""

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
