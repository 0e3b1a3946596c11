"""Citations: which passages a sentence of an answer rests on, by rules that need no language model.

Two rules behind one method: RAGFlow's, and the lab's own.  Both say for every sentence what they cite, how near each
source is as a sum of two parts, which threshold decided, and what was nearest where nothing is cited.

Source: RAGFlow's ``rag/nlp/search.py`` (``insert_citations``); the sum of words and vector is that of its reranker,
see `lab.refine.hybrid`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import ClassVar, NamedTuple

import numpy as np

from lab.answer.base import Place
from lab.answer.splitting import kind, pieces
from lab.core import ALONE, Corpus, Document, Env, Kept, Operator, knob
from lab.models.embedders import Embedder, encoder_of, rows_for
from lab.models.pieces import REMEMBERED, Pieces
from lab.models.static import EMBEDDER
from lab.numeric import DIGITS, Floats, unit
from lab.refine.coverage import idf
from lab.retrieve.lexical import TermMatrix
from lab.text import ANALYZER, WHOLE_WORDS, Analyzer, plain
from lab.words import N_, Said

__all__ = ["BestSentence", "Cited", "CitationRule", "Part", "RAGFlowCitations", "Source", "pieces"]

LEFT_ALONE: Mapping[str, Said] = {
    "code": Said("A block of code: a sign in it would break it."),
    "table": Said("A table: a sign in it would break it."),
    "heading": Said("A heading states nothing."),
}


class Part(NamedTuple):
    """One addend of a similarity: ``weight * value``."""

    name: str
    weight: float
    value: float

    @property
    def addend(self) -> float:
        """What it adds."""
        return self.weight * self.value


@dataclass(frozen=True, slots=True)
class Source:
    """A passage beside a sentence: its sentence that is nearest, and how near it is, as a sum."""

    place: Place
    parts: tuple[Part, ...]

    @property
    def similarity(self) -> float:
        """The sum of the parts."""
        return math.fsum(part.addend for part in self.parts)


@dataclass(frozen=True, slots=True)
class Cited:
    """One sentence of an answer and what it rests on.

    ``sources`` are cited, best first; those in ``printed`` get their sign behind this sentence (a rule may print each
    source once per answer).  ``threshold`` is the one that decided.  ``nearest`` is the best source whether it is
    cited or not: None without passages, and where the sentence was left ``alone``, which says why (else it is empty).
    """

    sentence: str
    sources: tuple[Source, ...]
    printed: tuple[Source, ...]
    threshold: float
    nearest: Source | None
    alone: str = ""


@dataclass(frozen=True)
class CitationRule(Operator, ABC):
    """``(sentences, passages) -> Cited`` for each sentence: subclasses say how near a passage is, and what suffices."""

    at_most: int = knob(
        4,
        low=1,
        high=20,
        label=Said("Sources of a sentence"),
        help=Said("At most so many; the best ones are cited."),
        kw_only=True,
    )
    margin: float = knob(
        0.99,
        low=0.0,
        high=1.0,
        step=0.01,
        label=Said("As good as the best"),
        help=Said("Beside the best source those are cited that reach this share of its similarity."),
        rare=True,
        kw_only=True,
    )
    embedder: Embedder = EMBEDDER(kw_only=True)

    once: ClassVar[bool] = False
    """Whether a source is printed once per answer."""

    def cite(
        self, sentences: Sequence[str], passages: Sequence[Document], corpus: Corpus, env: Env = ALONE
    ) -> tuple[Cited, ...]:
        """What each of these sentences rests on; ``corpus`` is what the passages were found in (it weighs words)."""
        alone = [self.alone(sentence) for sentence in sentences]
        asked = [sentence for sentence, why in zip(sentences, alone, strict=True) if not why]
        found = self.compare(asked, passages, corpus, env) if asked and passages else [()] * len(asked)
        threshold = self.decides(found)
        told, seen, out = iter(found), set[int](), []
        for sentence, why in zip(sentences, alone, strict=True):
            near = () if why else next(told)
            sources = self._cited(near, threshold)
            printed = tuple(s for s in sources if s.place.passage not in seen)
            seen.update(s.place.passage for s in sources if self.once)
            out.append(Cited(sentence, sources, printed, threshold, near[0] if near else None, why))
        return tuple(out)

    @abstractmethod
    def compare(
        self, sentences: Sequence[str], passages: Sequence[Document], corpus: Corpus, env: Env
    ) -> list[tuple[Source, ...]]:
        """For every sentence all passages as sources, best first, ties in the order of the passages."""

    @abstractmethod
    def decides(self, found: Sequence[Sequence[Source]]) -> float:
        """The threshold for the sentences of an answer, which have these sources."""

    def alone(self, sentence: str) -> str:
        """Why nothing is cited for what is no statement; empty for a statement."""
        return LEFT_ALONE.get(kind(sentence), "")

    def reaches(self, best: float, threshold: float) -> bool:
        """Whether the similarity of a sentence's best source suffices."""
        return best >= threshold

    def _cited(self, near: Sequence[Source], threshold: float) -> tuple[Source, ...]:
        if not near or not self.reaches(near[0].similarity, threshold):
            return ()
        limit = self.margin * near[0].similarity
        return tuple(s for i, s in enumerate(near) if not i or s.similarity > limit)[: self.at_most]


@dataclass(frozen=True)
class RAGFlowCitations(CitationRule):
    r"""RAGFlow's rule: ``words * share of the sentence's IDF + (1 - words) * cosine`` with the whole passage.

    With m = ``margin`` times the similarity of the best passage, a sentence cites the passages above m, if m reaches
    the threshold: first ``threshold``, and while no sentence of the answer reaches it, ``relaxation`` times as much,
    as long as that is above ``floor``.  So one sentence that is near decides for the others, too.  Each source is
    printed once per answer.  The place of a source is its sentence that is nearest by its vector, which decides
    nothing here.
    """

    label = Said("RAGFlow's rule")
    about = Said("The whole passage's vector and a few words; a threshold that is lowered until anything is cited.")

    threshold: float = knob(
        0.63,
        low=0.0,
        high=1.0,
        step=0.01,
        label=Said("Threshold"),
        help=Said("Where no sentence of the answer reaches it, it is lowered for all of them."),
    )
    words: float = knob(
        0.1,
        low=0.0,
        high=1.0,
        step=0.05,
        label=Said("Weight of the words"),
        help=Said("The vector has the rest."),
        kw_only=True,
    )
    relaxation: float = knob(
        0.8,
        low=0.1,
        high=0.99,
        step=0.05,
        label=Said("Lowered to"),
        help=Said("So much of the threshold is left each time that nothing is cited."),
        kw_only=True,
    )
    floor: float = knob(
        0.3,
        low=0.01,
        high=1.0,
        step=0.01,
        label=Said("Never lowered to"),
        help=Said("A threshold is tried only if it is above this."),
        kw_only=True,
    )
    shortest: int = knob(
        5,
        low=0,
        high=1000,
        label=Said("Shortest sentence"),
        help=Said("What has fewer characters is left alone."),
        rare=True,
        kw_only=True,
    )
    analyzer: Analyzer = WHOLE_WORDS(kw_only=True)

    once = True

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Those that are tried, one after the other."""
        out = [self.threshold]
        while out[-1] * self.relaxation > self.floor:
            out.append(out[-1] * self.relaxation)
        return tuple(out)

    def decides(self, found: Sequence[Sequence[Source]]) -> float:
        best = max((near[0].similarity for near in found if near), default=0.0)
        return next((t for t in self.thresholds if self.reaches(best, t)), self.thresholds[-1])

    def reaches(self, best: float, threshold: float) -> bool:
        return threshold > self.floor and best * self.margin >= threshold

    def alone(self, sentence: str) -> str:
        return super().alone(sentence) or too_short(len(sentence), self.shortest)

    def compare(
        self, sentences: Sequence[str], passages: Sequence[Document], corpus: Corpus, env: Env
    ) -> list[tuple[Source, ...]]:
        beside = _Beside(self.embedder, self.analyzer, passages, corpus, env)
        whole = unit(rows_for(self.embedder, passages, corpus))
        out = []
        for sentence, vector in zip(sentences, beside.vectors(sentences), strict=True):
            held, places = beside.held(sentence), beside.nearest(vector)[1]
            near = np.einsum("ij,j->i", whole, vector).round(DIGITS).tolist()
            out.append(_best_first(places, held, near, self.words))
        return out


@dataclass(frozen=True)
class BestSentence(CitationRule):
    """The lab's rule: the words of a sentence and its nearest sentence of the passage, one threshold per sentence.

    The similarity is ``words`` times the share of the sentence's IDF weight that the passage holds and, for the rest,
    the cosine with the passage's nearest sentence: a passage that says many things is far from each of them.  A
    sentence cites the passages that are nearly as near as the best one, if that reaches ``threshold``.
    """

    label = Said("Best sentence")
    about = Said("The words of the passage and its nearest sentence; every sentence of the answer stands by itself.")

    threshold: float = knob(
        0.48,
        low=0.0,
        high=1.0,
        step=0.01,
        label=Said("Threshold"),
        help=Said("A sentence whose best source is below it is not supported."),
    )
    words: float = knob(
        0.5,
        low=0.0,
        high=1.0,
        step=0.05,
        label=Said("Weight of the words"),
        help=Said("The vector has the rest."),
        kw_only=True,
    )
    shortest: int = knob(
        2,
        low=0,
        high=1000,
        label=Said("Shortest sentence"),
        help=Said("What has fewer letters, characters and digits is left alone."),
        rare=True,
        kw_only=True,
    )
    analyzer: Analyzer = ANALYZER(kw_only=True)

    def decides(self, found: Sequence[Sequence[Source]]) -> float:
        return self.threshold

    def alone(self, sentence: str) -> str:
        return super().alone(sentence) or too_short(len(plain(sentence)), self.shortest)

    def compare(
        self, sentences: Sequence[str], passages: Sequence[Document], corpus: Corpus, env: Env
    ) -> list[tuple[Source, ...]]:
        beside = _Beside(self.embedder, self.analyzer, passages, corpus, env)
        out = []
        for sentence, vector in zip(sentences, beside.vectors(sentences), strict=True):
            near, places = beside.nearest(vector)
            out.append(_best_first(places, beside.held(sentence), near, self.words))
        return out


def too_short(length: int, shortest: int) -> str:
    """Why a sentence of this length is left alone; empty where it is not."""
    said = N_("Too short to be compared: {length}, where {shortest} are wanted.")
    return Said(said, length=length, shortest=shortest) if length < shortest else ""


def _best_first(
    places: Sequence[Place], held: Sequence[float], near: Sequence[float], words: float
) -> tuple[Source, ...]:
    parts = (
        (Part(Said("words"), words, a), Part(Said("vector"), 1 - words, b)) for a, b in zip(held, near, strict=True)
    )
    found = [Source(place, own) for place, own in zip(places, parts, strict=True)]
    return tuple(sorted(found, key=lambda s: (-s.similarity, s.place.passage)))


class _Beside:
    """The passages of an answer, ready to be compared with its sentences."""

    def __init__(
        self, embedder: Embedder, analyzer: Analyzer, passages: Sequence[Document], corpus: Corpus, env: Env
    ) -> None:
        self.analyzer, self.corpus = analyzer, corpus
        self.encoder = encoder_of(embedder, corpus)
        self.terms = TermMatrix.of(corpus, analyzer, env.progress)
        kept = corpus.once(("words of passages", analyzer), lambda: Kept[frozenset[str]](REMEMBERED))
        self.words = [self._words(d, kept) for d in passages]
        own = Pieces.of(embedder, corpus).rows(passages)
        self.spans = [spans for spans, _ in own]
        self.starts = [0, *accumulate(map(len, self.spans))]
        self.rows = unit(np.concatenate([rows for _, rows in own]))

    def _words(self, document: Document, kept: Kept[frozenset[str]]) -> frozenset[str]:
        key = document.title, document.text
        found = kept.get(key)
        if found is None:
            found = frozenset(self.analyzer.tokens(document.content))
            kept.put(key, found)
        return found

    def vectors(self, sentences: Sequence[str]) -> Floats:
        """The sentences of the answer as vectors of length 1, shape [n, dimensions]."""
        return unit(self.encoder.documents(sentences))

    def nearest(self, vector: Floats) -> tuple[list[float], list[Place]]:
        """Of every passage the best cosine of a sentence of it, and where that stands."""
        # einsum adds up row by row: equal sentences get exactly equal cosines, and their tie is a tie
        near = np.einsum("ij,j->i", self.rows, vector).round(DIGITS)
        best = [a + int(near[a:b].argmax()) for a, b in pairwise(self.starts)]
        places = [Place(i, *self.spans[i][at - self.starts[i]]) for i, at in enumerate(best)]
        return near[best].tolist(), places

    def held(self, sentence: str) -> list[float]:
        """Of every passage the share of the sentence's IDF weight that it holds, 0 to 1."""
        weights = {t: self._idf(t) for t in self.analyzer.tokens(sentence)}
        whole = math.fsum(weights.values()) or 1.0
        return [math.fsum(w for t, w in weights.items() if t in words) / whole for words in self.words]

    def _idf(self, term: str) -> float:
        column = self.terms.vocabulary.get(term)
        return idf(len(self.corpus), 0.0 if column is None else float(self.terms.df[column]))
