"""Passages compared with the sentences of an answer: how much of a sentence's words and meaning each passage has.

Every sentence of a passage gets a cosine and the share of the words that it has.  If the two are in different
languages, which have no words in common, the share of the meaning replaces that of the words.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus, Document, Env
from lab.answer.base import Place
from lab.kept import Kept
from lab.models.embedders import Embedder, encoder_of, rows_for
from lab.models.pieces import REMEMBERED, Pieces
from lab.models.static import BuiltIn, StaticEncoder
from lab.models.token_store import Texts
from lab.numeric import DIGITS, Floats, Ints, unit
from lab.refine.coverage import idf
from lab.retrieve.matrix import TermMatrix
from lab.text import Analyzer, mostly_han


class _Read(NamedTuple):
    """The words of every sentence of a passage, and whether it is written in Chinese."""

    words: list[frozenset[str]]
    chinese: bool | None


class Beside:
    """Passages, ready to be compared with the sentences of an answer.  Row by row they are the passages' sentences.

    A title is a row of its own.  ``starts`` [n + 1] are the first rows of the passages, ``titles`` [rows] are the rows
    at which no passage is opened.
    """

    def __init__(
        self, embedder: Embedder, analyzer: Analyzer, passages: Sequence[Document], corpus: Corpus, env: Env
    ) -> None:
        self.embedder, self.analyzer, self.passages, self.corpus, self.env = embedder, analyzer, passages, corpus, env
        self.encoder = encoder_of(embedder, corpus, progress=env.progress)
        embedded = Pieces.of(embedder, corpus).rows(passages)
        self.spans = [spans for spans, _ in embedded]
        self.starts = np.array([0, *accumulate(map(len, self.spans))], np.int64)
        self.rows = unit(np.concatenate([rows for _, rows in embedded]))
        self.titles = np.zeros(len(self.rows), np.bool_)
        for d, spans, start in zip(passages, self.spans, self.starts.tolist(), strict=False):
            self.titles[start] = len(spans) > 1 and bool(d.title.strip())

    def place(self, passage: int, row: int) -> Place:
        return Place(passage, *self.spans[passage][row - int(self.starts[passage])])

    def nearest(self, scores: Floats) -> Ints:
        """Returns each passage's row of the highest score; its title only if it has no other text."""
        candidates = np.where(self.titles, -np.inf, scores)
        return np.array([a + int(candidates[a:b].argmax()) for a, b in pairwise(self.starts.tolist())], np.int64)

    # ------------------------------------------------------------------------------------------ vectors

    def vectors(self, sentences: Sequence[str]) -> Floats:
        """The sentences of the answer as vectors of length 1, [n, dimensions]."""
        return unit(self.encoder.documents(sentences))

    def cosines(self, vector: Floats) -> Floats:
        """Returns the cosine of a vector with every row, [rows]."""
        # einsum adds up row by row: equal sentences get exactly equal cosines, and their tie is a tie
        return np.asarray(np.einsum("ij,j->i", self.rows, vector).round(DIGITS))

    @cached_property
    def _whole(self) -> Floats:
        return unit(rows_for(self.embedder, self.passages, self.corpus))

    def whole(self, vector: Floats) -> Floats:
        """Cosines with the passages as a whole, [n]."""
        return np.asarray(np.einsum("ij,j->i", self._whole, vector).round(DIGITS))

    # -------------------------------------------------------------------------------------------- words

    @cached_property
    def _read(self) -> list[_Read]:
        memory = self.corpus.once(("words of sentences", self.analyzer), lambda: Kept[_Read](REMEMBERED))
        contents = []
        for d, spans in zip(self.passages, self.spans, strict=True):
            content = memory.get((d.title, d.text))
            if content is None:
                words = [frozenset(self.analyzer.tokens(d.content[a:b])) for a, b in spans]
                content = _Read(words, mostly_han(d.content))
                memory.put((d.title, d.text), content)
            contents.append(content)
        return contents

    @cached_property
    def _rows_of(self) -> dict[str, list[int]]:
        rows = defaultdict[str, list[int]](list)
        for i, words in enumerate(words for read in self._read for words in read.words):
            for word in words:
                rows[word].append(i)
        return rows

    @cached_property
    def _terms(self) -> TermMatrix:
        return TermMatrix.for_corpus(self.corpus, self.analyzer, self.env.progress)

    def words(self, sentence: str) -> tuple[Floats, Floats]:
        """Returns the share of the sentence's IDF weight in each row, [rows], and each passage, [n], 0 to 1."""
        in_row, in_passage = np.zeros(len(self.rows)), np.zeros(len(self.passages))
        weights = {t: self._idf(t) for t in self.analyzer.tokens(sentence)}
        for term, weight in weights.items():
            rows = self._rows_of.get(term)
            if rows:
                in_row[rows] += weight
                in_passage[np.unique(np.searchsorted(self.starts, rows, "right") - 1)] += weight
        total = math.fsum(weights.values()) or 1.0
        return np.minimum(in_row / total, 1.0), np.minimum(in_passage / total, 1.0)

    def _idf(self, term: str) -> float:
        column = self._terms.vocabulary.get(term)
        return idf(len(self.corpus), 0.0 if column is None else float(self._terms.df[column]))

    # ------------------------------------------------------------------------------------------ meaning

    def foreign(self, sentence: str) -> NDArray[np.bool_]:
        """Returns, for every passage, whether its language differs from the sentence's, [n]."""
        chinese = mostly_han(sentence)
        return np.array(
            [chinese is not None and r.chinese is not None and r.chinese != chinese for r in self._read], np.bool_
        )

    @cached_property
    def _model(self) -> StaticEncoder:
        encoder = encoder_of(BuiltIn(), self.corpus)
        assert isinstance(encoder, StaticEncoder)
        return encoder

    @cached_property
    def _kept(self) -> dict[int, Texts]:
        return {}

    def _tokens(self, passage: int) -> Texts:
        if passage not in self._kept:
            content = self.passages[passage].content
            self._kept[passage] = Texts(self._model, [content[a:b] for a, b in self.spans[passage]])
        return self._kept[passage]

    def meaning(self, sentence: str, passage: int) -> tuple[Floats, float]:
        """Returns the share of the sentence's meaning in each row of a passage, [its rows], and in the passage, 0 to 1.

        For each token of the sentence the best cosine with a token there, weighed by the length of its vector: the
        `lab.refine.coverage.MaxSim` of the built-in model, without IDF, which knows no other language.
        """
        _, tokens = self._model.named([*dict.fromkeys(self._model.numbers([sentence])[0])])
        weights = np.linalg.norm(tokens, axis=1)
        similarity = self._tokens(passage).nearest(unit(tokens))
        total = float(weights.sum()) or 1.0
        return similarity @ weights / total, float(similarity.max(axis=0, initial=0.0) @ weights) / total
