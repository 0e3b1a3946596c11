"""Citations: which passages a sentence of an answer rests on, by rules that need no language model.

Two rules behind one method: RAGFlow's, and the lab's own.  For every sentence, both report the citations, the
similarity of each source as a sum, the threshold that decided, and the nearest source if nothing is cited.

Source: RAGFlow's ``rag/nlp/search.py`` (``insert_citations``); RAGFlow's reranker adds up words and vector in the same
way, see `lab.refine.hybrid`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from lab.algebra import ALONE, Corpus, Document, Env, Operator, fraction, knob
from lab.answer.base import Place
from lab.answer.beside import Beside
from lab.answer.splitting import kind
from lab.models.embedders import Embedder
from lab.models.static import EMBEDDER
from lab.text import ANALYZER, WHOLE_WORDS, Analyzer, plain
from lab.words import N_, Said

LEFT_ALONE: Mapping[str, Said] = {
    "code": Said("This is a code block: a citation mark would break it."),
    "table": Said("This is a table: a citation mark would break it."),
    "heading": Said("This is a heading, which states nothing."),
}


class Part(NamedTuple):
    """One component of a similarity: ``weight * value``."""

    name: str
    weight: float
    value: float

    @property
    def addend(self) -> float:
        return self.weight * self.value


@dataclass(frozen=True, slots=True)
class Source:
    """A passage compared with a sentence: its nearest sentence, and their similarity as a sum.

    ``foreign`` says that sentence and passage are written in different languages.
    """

    place: Place
    parts: tuple[Part, ...]
    foreign: bool = False

    @property
    def similarity(self) -> float:
        """The sum of the parts."""
        return math.fsum(part.addend for part in self.parts)


@dataclass(frozen=True, slots=True)
class Cited:
    """One sentence of an answer and its sources.

    ``sources`` are cited, best first; those in ``printed`` get a mark behind this sentence (a rule may print each
    source once per answer).  ``nearest`` is the best source, cited or not: None without passages, and for a sentence
    that states nothing.  ``alone`` says why such a sentence was not checked, and is empty for others.  ``threshold`` is
    the similarity that ``nearest`` had to reach.
    """

    sentence: str
    sources: tuple[Source, ...]
    printed: tuple[Source, ...]
    threshold: float
    nearest: Source | None
    alone: str = ""


class Thresholds(NamedTuple):
    """The similarity that a source must reach: one in the language of the sentence, and one in another."""

    same: float
    across: float

    def of(self, source: Source) -> float:
        """Returns the similarity that this source must reach."""
        return self.across if source.foreign else self.same

    def surplus(self, source: Source, share: float = 1.0) -> float:
        """Returns how far this share of the similarity exceeds the source's threshold."""
        return share * source.similarity - self.of(source)


@dataclass(frozen=True)
class CitationRule(Operator, ABC):
    """``(sentences, passages) -> Cited`` for each sentence: subclasses say how near a passage is, and what suffices."""

    at_most: int = knob(
        4,
        Said("Maximum sources per sentence"),
        Said("Maximum number of citations; the most similar passages are cited."),
        low=1,
        high=20,
        kw_only=True,
    )
    margin: float = fraction(
        0.99,
        Said("Share of the best similarity"),
        Said("Other sources are cited, too, if their similarity is above this share of the best one's."),
        step=0.01,
        rare=True,
        kw_only=True,
    )
    embedder: Embedder = EMBEDDER(kw_only=True)
    analyzer: Analyzer = ANALYZER(kw_only=True)

    once: ClassVar[bool] = False
    """Whether a source is printed once per answer."""

    def cite(
        self, sentences: Sequence[str], passages: Sequence[Document], corpus: Corpus, env: Env = ALONE
    ) -> tuple[Cited, ...]:
        """Finds the sources of each sentence; the passages' ``corpus`` weighs the words."""
        exempt = [self.alone(sentence) for sentence in sentences]
        statements = [sentence for sentence, why in zip(sentences, exempt, strict=True) if not why]
        compared: Sequence[Sequence[Source]] = [()] * len(statements)
        if statements and passages:
            compared = self.compare(statements, Beside(self.embedder, self.analyzer, passages, corpus, env))
        limits = self.thresholds(compared)
        remaining, seen, cited = iter(compared), set[int](), []
        for sentence, why in zip(sentences, exempt, strict=True):
            near = sorted(() if why else next(remaining), key=lambda s: (-limits.surplus(s), s.place.passage))
            sources = self._cited(near, limits)
            printed = tuple(s for s in sources if s.place.passage not in seen)
            seen.update(s.place.passage for s in sources if self.once)
            nearest = near[0] if near else None
            cited.append(
                Cited(sentence, sources, printed, limits.of(nearest) if nearest else limits.same, nearest, why)
            )
        return tuple(cited)

    @abstractmethod
    def compare(self, sentences: Sequence[str], passages: Beside) -> Sequence[Sequence[Source]]:
        """Returns all passages as sources of each sentence, in the order of the passages."""

    @abstractmethod
    def thresholds(self, compared: Sequence[Sequence[Source]]) -> Thresholds:
        """Returns the thresholds for an answer whose sentences have these sources."""

    def alone(self, sentence: str) -> str:
        """Returns why a text is not a statement, so that nothing is cited; empty for a statement."""
        return LEFT_ALONE.get(kind(sentence), "")

    def _cited(self, near: Sequence[Source], limits: Thresholds) -> tuple[Source, ...]:
        if not near or limits.surplus(near[0], self.share) < 0:
            return ()
        above = limits.surplus(near[0], self.margin)
        further = (s for s in near[1:] if limits.surplus(s) > above and limits.surplus(s) >= 0)
        return (near[0], *further)[: self.at_most]

    @property
    def share(self) -> float:
        """The share of the best similarity that is compared with the threshold."""
        return 1.0


@dataclass(frozen=True)
class RAGFlowCitations(CitationRule):
    r"""RAGFlow's rule: ``words * share of the sentence's IDF + (1 - words) * cosine`` with the whole passage.

    With m = ``margin`` times the similarity of the best passage, a sentence cites the passages above m, if m reaches
    the threshold: first ``threshold``, and while no sentence of the answer reaches it, ``relaxation`` times as much, as
    long as that is above ``floor`` (``threshold`` itself is always tried).  So one similar sentence decides for the
    others, too.  Each source is printed once per answer.  With ``code`` a code block is compared like a sentence, as in
    RAGFlow; if it is similar enough, the threshold is lowered no further.  The place of a source is its nearest
    sentence by vector; this rule does not use it.
    """

    label = Said("RAGFlow's rule")
    about = Said("Compares the whole passage's vector and a few words; lowers the threshold until a sentence is cited.")

    threshold: float = fraction(
        0.63,
        Said("Threshold"),
        Said("If no sentence of the answer reaches it, the threshold is lowered for all sentences."),
        step=0.01,
    )
    words: float = fraction(0.1, Said("Weight of the words"), Said("The rest goes to the vector."), kw_only=True)
    relaxation: float = knob(
        0.8,
        Said("Lowering factor"),
        Said("Factor applied to the threshold when nothing is cited."),
        low=0.1,
        high=0.99,
        step=0.05,
        kw_only=True,
    )
    floor: float = knob(
        0.3,
        Said("Minimum threshold"),
        Said("The threshold is never lowered below this."),
        low=0.01,
        high=1.0,
        step=0.01,
        kw_only=True,
    )
    shortest: int = knob(
        5,
        Said("Minimum sentence length"),
        Said("Passages with fewer characters are not cited."),
        low=0,
        high=1000,
        rare=True,
        kw_only=True,
    )
    code: bool = knob(
        False,
        Said("Cite code blocks"),
        Said("As in RAGFlow: a code block is compared like a sentence. Off: it gets no citation mark."),
        rare=True,
        kw_only=True,
    )
    analyzer: Analyzer = WHOLE_WORDS(kw_only=True)

    once = True

    @property
    def tried(self) -> tuple[float, ...]:
        """The thresholds that are tried, one after the other."""
        thresholds = [self.threshold]
        while thresholds[-1] * self.relaxation > self.floor:
            thresholds.append(thresholds[-1] * self.relaxation)
        return tuple(thresholds)

    @property
    def share(self) -> float:
        return self.margin

    def thresholds(self, compared: Sequence[Sequence[Source]]) -> Thresholds:
        best = max((s.similarity for sources in compared for s in sources), default=0.0)
        limit = next((t for t in self.tried if self.margin * best >= t), self.tried[-1])
        return Thresholds(limit, limit)

    def alone(self, sentence: str) -> str:
        why = "" if self.code and kind(sentence) == "code" else super().alone(sentence)
        return why or too_short(len(sentence), self.shortest)

    def compare(self, sentences: Sequence[str], passages: Beside) -> Sequence[Sequence[Source]]:
        compared = []
        for sentence, vector in zip(sentences, passages.vectors(sentences), strict=True):
            rows = passages.nearest(passages.cosines(vector)).tolist()
            words, near = passages.words(sentence)[1].tolist(), passages.whole(vector).tolist()
            sources = []
            for i, row in enumerate(rows):
                vector_part = Part(Said("vector of the passage"), 1 - self.words, near[i])
                sources.append(Source(passages.place(i, row), (vector_part, Part(_PASSAGE, self.words, words[i]))))
            compared.append(sources)
        return compared


@dataclass(frozen=True)
class BestSentence(CitationRule):
    """The lab's citation rule: compares the best sentence of a passage, by vector and words, and the passage's words.

    The similarity adds up three numbers: the cosine with a sentence of the passage, the share of the answer sentence's
    IDF weight that this sentence has, and the share that the whole passage has, its context.  The best sentence of the
    passage counts.  ``words`` is the weight of the two shares, ``context`` the part of it for the passage.  If answer
    and passage are in different languages, they hardly share words: each share is then that of the meaning
    (`Beside.meaning`), and the threshold is ``across``.

    Each sentence of the answer is checked by itself: it cites the best passage if that reaches the threshold, and
    passages that are nearly as good.
    """

    label = Said("Best sentence")
    about = Said("Compares the best sentence and the words of a passage; checks each sentence of the answer by itself.")

    threshold: float = fraction(
        0.47, Said("Threshold"), Said("A sentence whose best source scores below this is not supported."), step=0.01
    )
    across: float = fraction(
        0.36,
        Said("Threshold across languages"),
        Said("For a passage in another language than the sentence, whose similarity is usually lower."),
        step=0.01,
        kw_only=True,
    )
    words: float = fraction(0.5, Said("Weight of the words"), Said("The rest goes to the vector."), kw_only=True)
    context: float = fraction(
        0.5,
        Said("Share for the whole passage"),
        Said("Share of this weight for words anywhere in the passage; the rest goes to its best sentence."),
        rare=True,
        kw_only=True,
    )
    shortest: int = knob(
        2,
        Said("Minimum sentence length"),
        Said("Passages with fewer letters, characters and digits are not cited."),
        low=0,
        high=1000,
        rare=True,
        kw_only=True,
    )

    def thresholds(self, compared: Sequence[Sequence[Source]]) -> Thresholds:
        return Thresholds(self.threshold, self.across)

    def alone(self, sentence: str) -> str:
        return super().alone(sentence) or too_short(len(plain(sentence)), self.shortest)

    def compare(self, sentences: Sequence[str], passages: Beside) -> Sequence[Sequence[Source]]:
        passage = self.words * self.context
        weights = 1 - self.words, self.words - passage, passage
        compared = []
        for sentence, vector in zip(sentences, passages.vectors(sentences), strict=True):
            near, foreign = passages.cosines(vector), passages.foreign(sentence)
            in_sentence, in_passage = passages.words(sentence)
            for i in np.flatnonzero(foreign).tolist():
                in_sentence[passages.starts[i] : passages.starts[i + 1]], in_passage[i] = passages.meaning(sentence, i)
            rows = passages.nearest(weights[0] * near + weights[1] * in_sentence).tolist()
            sources = []
            for i, row in enumerate(rows):
                shares = float(near[row]), float(in_sentence[row]), float(in_passage[i])
                parts = map(Part, _FOREIGN if foreign[i] else _SAME, weights, shares)
                sources.append(Source(passages.place(i, row), tuple(parts), bool(foreign[i])))
            compared.append(sources)
        return compared


_PASSAGE = Said("words of the passage")
_SAME = (Said("vector of the sentence"), Said("words of the sentence"), _PASSAGE)
_FOREIGN = (_SAME[0], Said("meaning of the sentence"), Said("meaning of the passage"))


def too_short(length: int, shortest: int) -> str:
    """Returns why a sentence of this length is not checked; empty if it is."""
    message = N_("Too short to compare: length {length}, minimum {shortest}.")
    return Said(message, length=length, shortest=shortest) if length < shortest else ""
