"""How well every sentence of some passages answers a question: what it has of the question, feature by feature.

========  ======================================================================================================
words     the share of the question's IDF weight whose words (pairs, single characters) the sentence has
rare      the same, each word counting ln(1 + sentences of the passage / those of them that have it)
meaning   of every token of the question the nearest one of the sentence, weighed as in `lab.refine.coverage.MaxSim`
cosine    of question and sentence
pairs     the share of the question's neighbouring words that are neighbours in the sentence
topic     how many more words it has together with what it stands in: title, first sentence, the sentence before
theme     how much more meaning it has together with these
fits      1 where a number, date or name stands there that the question asks for and does not say itself
lacks     1 where the question asks for numbers and dates alone, and none stands there (names are nearly everywhere)
rank      1 - 1 / rank of the passage: 0, 1/2, 2/3, 3/4, ...
========  ======================================================================================================

A sentence with "it" is about what stood before it, and most sentences of a passage about what its title says: that
is why their words count for it, too, though less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lab.algebra import ALONE, Corpus, Document, Env
from lab.answer.base import Place
from lab.answer.kinds import Found, every, fits, found
from lab.kept import Kept
from lab.models.embedders import Embedder, query_vector
from lab.models.pieces import REMEMBERED, Pieces
from lab.numeric import DIGITS, Floats, unit
from lab.refine.coverage import Meanings, Words
from lab.refine.features import Neighbours
from lab.rewrite.turn_words import FUNCTION_WORDS
from lab.text import Analyzer, is_han, known_word, language_of, plain, script

FEATURES = ("words", "rare", "meaning", "cosine", "pairs", "topic", "theme", "fits", "lacks", "rank")
"""The columns of a table of sentences, in their order."""


FIGURES = ("number", "duration", "date")
"""The kinds that few sentences have: where one is asked for, its absence says much."""


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
        self.text, self.corpus, self.embedder, self.progress = text, corpus, embedder, env.progress
        self.words = Words(analyzer, text, corpus, env.progress)
        self.meanings = Meanings(text, corpus, env.progress)
        self.vector = unit(query_vector(embedder, text, corpus, env)[None])[0]
        self.neighbours = Neighbours.of(corpus, analyzer)
        self.asked = every(text)
        self.named = tuple(one for one in found(text) if text[one.start : one.end] not in FUNCTION_WORDS)
        self.said = {(one.kind, one.value) for one in self.named}
        cut = self.words.analyzer
        self._kept = corpus.once(("sentences read", cut), lambda: Kept[Read](10 * REMEMBERED))

    def table(self, passages: Sequence[Document]) -> Table:
        """All sentences of the passages; a title is one only where its passage has no other.

        A passage that repeats an earlier one is not read again.  The progress is told of every passage.
        """
        seen = dict[tuple[str, str], int]()
        for i, d in enumerate(passages):
            seen.setdefault((d.title, d.text), i)
        places, features, fitting = list[Place](), list[Floats](), list[tuple[Found, ...]]()
        once = [*seen.values()]
        embedded = Pieces.of(self.embedder, self.corpus).rows([passages[i] for i in once])
        for rank, (i, (spans, rows)) in enumerate(zip(once, embedded, strict=True), 1):
            if self.progress:
                self.progress(rank, len(once))  # it may stop the work
            d = passages[i]
            there = [j for j, (a, b) in enumerate(spans) if d.content[a:b].strip()]
            body = [j for j in there if spans[j][0] >= len(d.content) - len(d.text)]
            own = body or there
            if own:
                places += [Place(i, *spans[j]) for j in own]
                near = np.einsum("ij,j->i", unit(rows[own]), self.vector).round(DIGITS)
                title = d.title if body else ""
                table, fit = self._features(title, [d.content[slice(*spans[j])] for j in own], near)
                table[:, FEATURES.index("rank")] = 1 - 1 / rank
                features.append(table)
                fitting += fit
        empty = np.zeros((0, len(FEATURES)))
        return Table(tuple(places), np.concatenate([empty, *features]), tuple(fitting))

    def absent(self, passage: Document) -> tuple[str, ...]:
        """The names, numbers and dates of the question that the passage does not have, as they are written.

        Of a Chinese name that is only guessed to be one (no dictionary has it) some character must be missing.  In
        another language names are written otherwise, and only numbers and dates are looked for.
        """
        text = passage.content
        there, gone = self._letters(text), list[Found]()
        named = [one for one in self.named if one.kind != "name"] if self.across(passage) else self.named
        for one in named:
            name = self._letters(self.text[one.start : one.end])
            guessed = one.kind == "name" and is_han(name) and not known_word(name)
            if name not in there and not (guessed and set(name) <= set(there)):
                gone.append(one)
        if gone:
            values = {(one.kind, one.value) for one in found(text)}
            gone = [one for one in gone if (one.kind, one.value) not in values]
        return tuple(self.text[one.start : one.end] for one in gone)

    def across(self, passage: Document) -> bool:
        """Whether the passage is in another language than the question: words cannot meet, only meanings."""
        return (language_of(self.text) == "zh") != (script(passage.content) == "zh")

    def _letters(self, text: str) -> str:
        return plain(self.words.analyzer.read(text).text)

    def _features(self, title: str, texts: Sequence[str], near: Floats) -> tuple[Floats, list[tuple[Found, ...]]]:
        """The features of the sentences of one passage, and what of them fits the kind asked for."""
        words, meanings, read = (
            self.words.weights,
            self.meanings.weights,
            [self._read(text) for text in (title, *texts)],
        )
        has = np.array([[float(t in own.terms) for t in self.words.tokens] for own in read])
        has = has.reshape(len(read), len(words))
        held = self.meanings.texts([title, *texts])
        seldom = np.log(1 + len(texts) / np.maximum(has[1:].sum(0), 1))
        pairs = self.neighbours(self.text)
        fit = [self._fitting(own.found) for own in read[1:]]
        figures = bool(self.asked) and all(kind in FIGURES for kind in self.asked)
        column = {
            "words": has[1:] @ words,
            "rare": has[1:] @ (seldom * words),
            "meaning": held[1:] @ meanings,
            "cosine": near,
            "pairs": [np.isin(pairs, self.neighbours(text)).sum() / max(len(pairs), 1) for text in texts],
            "topic": _added(has) @ words,
            "theme": _added(held) @ meanings,
            "fits": [float(bool(own)) for own in fit],
            "lacks": [float(figures and not own) for own in fit],
            "rank": np.zeros(len(texts)),
        }
        return np.array([column[name] for name in FEATURES]).T, fit

    def _fitting(self, there: Sequence[Found]) -> tuple[Found, ...]:
        new = (one for one in there if (one.kind, one.value) not in self.said)
        return tuple(one for one in new if any(fits(one, kind) for kind in self.asked))

    def _read(self, text: str) -> Read:
        own = self._kept.get(text)
        if own is None:
            own = Read(frozenset(self.words.analyzer.tokens(text)), found(text))
            self._kept.put(text, own)
        return own


def _added(rows: Floats) -> Floats:
    """What title (row 0), first sentence (row 1) and the one before add to every sentence, [sentences, tokens]."""
    before, own = np.concatenate([rows[:1], rows[1:-1]]), rows[1:]
    around = np.maximum(before, np.maximum(rows[0], rows[1]))
    return np.asarray(np.maximum(around, own) - own)
