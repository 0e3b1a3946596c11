"""How well every sentence of some passages answers a question: what it has of the question, feature by feature.

=========  =====================================================================================================
words      the share of the question's IDF weight whose words (and pairs and single characters) the sentence has
meaning    of every token of the question the nearest one of the sentence, weighed as in `lab.refine.coverage.MaxSim`
cosine     of question and sentence
pairs      the share of the question's neighbouring words that are neighbours in the sentence
before     how much more meaning the sentence and the one before it have together: "It …" is about what stood there
fits       1 where a number, date or name stands there that the question asks for and does not say itself
lacks      1 where the question asks for one, and none stands there
rank       the place of the passage among the passages, from 0
=========  =====================================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lab.answer.base import Place
from lab.answer.kinds import Found, asked, fits, found
from lab.core import ALONE, Corpus, Document, Env, Kept
from lab.models.embedders import Embedder, query_vector
from lab.models.pieces import REMEMBERED, Pieces
from lab.numeric import DIGITS, Floats, unit
from lab.refine.coverage import Meanings, Words
from lab.refine.learned import Neighbours
from lab.text import Analyzer

FEATURES = ("words", "meaning", "cosine", "pairs", "before", "fits", "lacks", "rank")
"""The columns of a table of sentences, in their order."""


class Read(NamedTuple):
    """What was read of a sentence once for all questions: its terms, and its numbers, dates and names."""

    terms: frozenset[str]
    found: tuple[Found, ...]


@dataclass(frozen=True, eq=False)
class Table:
    """The sentences of passages: where each stands, its features, shape [sentences, features], and what fits in it."""

    places: tuple[Place, ...]
    features: Floats
    fitting: tuple[tuple[Found, ...], ...]


class Question:
    """A question ready to be compared with sentences of passages of a corpus, whose IDF weighs its words."""

    def __init__(self, text: str, corpus: Corpus, analyzer: Analyzer, embedder: Embedder, env: Env = ALONE) -> None:
        self.text, self.corpus, self.embedder = text, corpus, embedder
        self.words = Words(analyzer, text, corpus, env.progress)
        self.meanings = Meanings(text, corpus, env.progress)
        self.vector = unit(query_vector(embedder, text, corpus, env)[None])[0]
        self.neighbours = Neighbours.of(corpus, analyzer)
        self.asked = asked(text)
        self.said = {(one.kind, one.value) for one in found(text)}
        cut = self.words.analyzer
        self._kept = corpus.once(("sentences read", cut), lambda: Kept[Read](10 * REMEMBERED))

    def table(self, passages: Sequence[Document]) -> Table:
        """All sentences of the passages; a title is one only where its passage has no other.

        A passage that repeats an earlier one is not read again.
        """
        seen = dict[tuple[str, str], int]()
        for i, d in enumerate(passages):
            seen.setdefault((d.title, d.text), i)
        places, features, fitting = list[Place](), list[Floats](), list[tuple[Found, ...]]()
        once = [*seen.values()]
        embedded = Pieces.of(self.embedder, self.corpus).rows([passages[i] for i in once])
        for rank, (i, (spans, rows)) in enumerate(zip(once, embedded, strict=True)):
            d = passages[i]
            titles = len(d.content) - len(d.text)
            own = [j for j, (a, b) in enumerate(spans) if a >= titles and d.content[a:b].strip()]
            own = own or [j for j, (a, b) in enumerate(spans) if d.content[a:b].strip()]
            if own:
                places += [Place(i, *spans[j]) for j in own]
                near = np.einsum("ij,j->i", unit(rows[own]), self.vector).round(DIGITS)
                table, fit = self._features([d.content[slice(*spans[j])] for j in own], near, rank)
                features.append(table)
                fitting += fit
        empty = np.zeros((0, len(FEATURES)))
        return Table(tuple(places), np.concatenate([empty, *features]), tuple(fitting))

    def _features(self, texts: Sequence[str], near: Floats, rank: int) -> tuple[Floats, list[tuple[Found, ...]]]:
        """The features of the sentences of one passage, and what of them fits the kind asked for."""
        read = [self._read(text) for text in texts]
        words, meanings = self.words, self.meanings
        has = np.array([[t in own.terms for t in words.tokens] for own in read], float)
        held = np.array([meanings.table(Document("", text))[1].max(axis=1, initial=0.0) for text in texts])
        held = held.reshape(len(texts), len(meanings.tokens))
        with_before = np.maximum(held[1:], held[:-1])
        pairs = self.neighbours(self.text)
        fit = [self._fitting(own.found) for own in read]
        out = np.zeros((len(texts), len(FEATURES)))
        out[:, 0] = np.einsum("ij,j->i", has.reshape(len(texts), len(words.tokens)), words.weights)
        out[:, 1] = np.einsum("ij,j->i", held, meanings.weights)
        out[:, 2] = near
        if len(pairs):
            out[:, 3] = [np.isin(pairs, self.neighbours(text)).mean() for text in texts]
        out[1:, 4] = np.einsum("ij,j->i", with_before - held[1:], meanings.weights)
        if self.asked:
            out[:, 5] = [bool(own) for own in fit]
            out[:, 6] = 1 - out[:, 5]
        out[:, 7] = rank
        return out, fit

    def _fitting(self, there: Sequence[Found]) -> tuple[Found, ...]:
        kind = self.asked
        return tuple(one for one in there if kind and fits(one, kind) and (one.kind, one.value) not in self.said)

    def _read(self, text: str) -> Read:
        own = self._kept.get(text)
        if own is None:
            own = Read(frozenset(self.words.analyzer.tokens(text)), found(text))
            self._kept.put(text, own)
        return own
