"""How well each sentence of some passages answers a question, as a table of features.

========  ======================================================================================================
words     the share of the question's IDF weight whose words (pairs, single characters) the sentence has
rare      the same, each word counting ln(1 + sentences of the passage / those of them that have it)
meaning   the similarity of each question token to its nearest sentence token, weighed as `lab.refine.coverage.MaxSim`
cosine    of question and sentence
pairs     the share of the question's neighbouring words that are neighbours in the sentence
topic     the share of words that its surroundings add: the title, the first sentence, the previous sentence
theme     the share of meaning that these surroundings add
fits      1 if the sentence has a number, date or name of the kind that the question asks for and does not state itself
lacks     1 if the question asks only for numbers and dates, and the sentence does not (most have names)
defines   1 if the question asks what a term means, and the sentence (or the title) says it (`lab.answer.defining`)
rank      1 - 1 / rank of the passage: 0, 1/2, 2/3, 3/4, ...
========  ======================================================================================================

A sentence with "it" is about the previous sentence, and most sentences of a passage are about its title: that is why
the words of both count for it, too, though less.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lab.algebra import ALONE, Corpus, Document, Env
from lab.answer.asking import ASKING, KINDS_OF, SUBJECT, asks_for_holder
from lab.answer.base import Place
from lab.answer.defining import defined, defines, designation, heads
from lab.answer.kinds import Found, every, fits, found
from lab.answer.units import Unit, units
from lab.kept import Kept
from lab.models.embedders import Embedder, query_vector
from lab.models.pieces import REMEMBERED, Pieces
from lab.numeric import DIGITS, Floats
from lab.numeric import unit as normed
from lab.refine.coverage import Meanings, Words
from lab.refine.features import Neighbours
from lab.rewrite.turn_words import FUNCTION_WORDS
from lab.text import Analyzer, fold, is_han, known_word, language_of, plain, script

FEATURES = ("words", "rare", "meaning", "cosine", "pairs", "topic", "theme", "fits", "lacks", "defines", "rank")
"""The columns of a table of sentences, in their order."""


MEASURES = ("age", "money", "length", "weight")
"""The kinds that are told by their units, so that a passage without such a number does not answer."""
FIGURES = ("number", "duration", "date", *MEASURES)
"""The kinds that few sentences have, so that the absence of a requested one is telling."""
SAME_TERM = 0.4
"""Least cosine of two terms of different languages that count as the same (music, 音乐: 0.7; photo, 视频: 0.1)."""
ONLY_ASKING = 0.25
"""Share of a question's weight from which on its Chinese words that only ask do not count: no answer repeats them."""
SIMILAR = 0.3
"""Least cosine of a word of the passage with a word of the question that counts as covered."""


AGE = re.compile(r"\b(?:age[ds]?|\d+-year-old)\b|年[龄纪]")
"""Words before or after a bare number that is an age."""


class Read(NamedTuple):
    """A sentence as it was read, once for all questions: its terms, and its numbers, dates and names."""

    terms: frozenset[str]
    found: tuple[Found, ...]


@dataclass(frozen=True, eq=False)
class Table:
    """The units of passages: their places, features, shape [units, features], and fitting facts."""

    places: tuple[Place, ...]
    units: tuple[Unit, ...]
    features: Floats
    fitting: tuple[tuple[Found, ...], ...]


class Question:
    """A question ready to be compared with sentences of passages of a corpus, whose IDF weighs its words."""

    def __init__(
        self,
        text: str,
        corpus: Corpus,
        analyzer: Analyzer,
        embedder: Embedder,
        env: Env = ALONE,
        parts: Sequence[str] = (),
    ) -> None:
        self.text, self.corpus, self.embedder, self.env = text, corpus, embedder, env
        self.words = Words(analyzer, text, corpus, env.progress)
        self.meanings = Meanings(text, corpus, env.progress)
        self.vector = normed(query_vector(embedder, text, corpus, env)[None])[0]
        self.neighbours = Neighbours.of(corpus, analyzer)
        self.asked = tuple(dict.fromkeys(kind for part in parts or (text,) for kind in every(part)))
        term = defined(text)
        self.term = "" if designation(term) else term
        self.named = tuple(fact for fact in found(text) if text[fact.start : fact.end] not in FUNCTION_WORDS)
        self.said = {(fact.kind, fact.value) for fact in self.named}
        self.holder = asks_for_holder(text)
        self._weigh_meanings()
        cut = self.words.analyzer
        self._kept = corpus.once(("sentences read", cut), lambda: Kept[Read](10 * REMEMBERED))

    def table(self, passages: Sequence[Document]) -> Table:
        """Returns the features of all units; a title counts as a sentence only if its passage has no other.

        A passage that repeats an earlier one is not read again.  Progress is reported for every passage.
        """
        seen = dict[tuple[str, str], int]()
        for i, d in enumerate(passages):
            seen.setdefault((d.title, d.text), i)
        places, all_units, features, fitting = list[Place](), list[Unit](), list[Floats](), list[tuple[Found, ...]]()
        once = [*seen.values()]
        embedded = Pieces.of(self.embedder, self.corpus).rows([passages[i] for i in once])
        for rank, (i, (spans, rows)) in enumerate(zip(once, embedded, strict=True), 1):
            if self.env.progress:
                self.env.progress(rank, len(once))  # it may stop the work
            d = passages[i]
            filled = [j for j, (a, b) in enumerate(spans) if d.content[a:b].strip()]
            body = [j for j in filled if spans[j][0] >= len(d.content) - len(d.text)]
            chosen = body or filled
            parts = units(d.content, [spans[j] for j in chosen])
            if parts:
                all_units += parts
                places += [Place(i, unit.start, unit.end) for unit in parts]
                cosines = np.einsum("ij,j->i", normed(rows[chosen]), self.vector).round(DIGITS)
                near = np.array([cosines[unit.first : unit.last + 1].max() for unit in parts])
                title, texts = d.title if body else "", [unit.compared for unit in parts]
                table, fit = self._features(title, texts, near)
                if self.term:
                    across = self.across(d)
                    says = [self.defines(f"{title}\n{text}", across) for text in texts]
                    table[:, FEATURES.index("defines")] = says
                table[:, FEATURES.index("rank")] = 1 - 1 / rank
                features.append(table)
                fitting += fit
        empty = np.zeros((0, len(FEATURES)))
        return Table(tuple(places), tuple(all_units), np.concatenate([empty, *features]), tuple(fitting))

    def absent(self, passage: Document) -> tuple[str, ...]:
        """Returns the names, numbers and dates of the question that the passage does not have, as they are written.

        A Chinese name that no dictionary has is only a guess: it counts as missing if one of its characters is missing.
        In another language names are spelled otherwise, and only numbers and dates are checked.
        """
        text = passage.content
        letters, missing = self._letters(text), list[Found]()
        names = [fact for fact in self.named if fact.kind != "name"] if self.across(passage) else self.named
        for fact in names:
            name = self._letters(re.sub(r"['’]s\b", "", self.text[fact.start : fact.end]))
            guessed = fact.kind == "name" and is_han(name) and not known_word(name)
            if name not in letters and not (guessed and set(name) <= set(letters)):
                missing.append(fact)
        if missing:
            values = {(fact.kind, fact.value) for fact in found(text)}
            missing = [fact for fact in missing if (fact.kind, fact.value) not in values]
        return tuple(self.text[fact.start : fact.end] for fact in missing)

    @property
    def empty(self) -> bool:
        """Whether the question has only function words (“what is of?”, 什么是的)."""
        return not (self._asked_about.any() or self.named)

    def uncovered(self, passages: Sequence[Document]) -> tuple[float, tuple[str, ...]]:
        """Returns the share of what is asked about the names that resembles no word of passages, and these words.

        A passage has the right names and still may say nothing on what is asked about them.  For passages in another
        language this counts only if a word is shared: without one, only meanings have led to them.
        """
        weights = self._weights * self._asked_about
        if not weights.any() or not any(self.shared(d) or not self.across(d) for d in passages):
            return 0.0, ()
        nearest = self.meanings.texts([d.content for d in passages]).max(axis=0)
        missing = self._asked_about & (nearest < SIMILAR)
        words = tuple(name for name, lacks in zip(self.meanings.names, missing, strict=True) if lacks)
        return float(weights[missing].sum() / weights.sum()), words

    def shared(self, passage: Document) -> float:
        """Returns the share of the question's IDF weight whose words the passage has."""
        terms = self._read(passage.content).terms
        return float(sum(w for t, w in zip(self.words.tokens, self.words.weights, strict=True) if t in terms))

    def unmeasured(self, passages: Sequence[Document]) -> str:
        """Returns the kind of measure that the question asks for, if the passages have none of this kind; else ""."""
        kind = next((kind for kind in self.asked if kind in MEASURES), "")
        facts = [fact for d in passages for text in (d.title, d.text) for fact in self._read(text).found]
        aged = kind == "age" and any(AGE.search(fold(d.content)) for d in passages)
        return "" if aged or self._fitting(facts) else kind

    def nameless(self, sentence: str) -> bool:
        """Whether the question asks who holds a role and the sentence names nobody."""
        return self.holder and not self._fitting(found(sentence, unsure=True))

    def _weigh_meanings(self) -> None:
        """Takes the weight from Chinese words that only ask, and marks the content words that are asked about.

        These are not part of a name, and in a question of existence (食堂有清真窗口吗) not of its subject.  The words
        that only ask (要, 什么) count in a longer question, where they have less than `ONLY_ASKING` of the weight.
        """
        tokens = [name.strip() for name in self.meanings.names]
        silent = np.array([t in FUNCTION_WORDS or not plain(t) or set(t) <= ASKING for t in tokens], np.bool_)
        weights = self.meanings.weights
        chinese = silent & np.array([is_han(t[:1]) for t in tokens], np.bool_)
        if ONLY_ASKING <= weights[chinese].sum() < 1:
            weights = weights * ~chinese
        self._weights = weights / weights.sum() if weights.any() else weights
        names = [plain(self.text[fact.start : fact.end]) for fact in self.named if fact.kind == "name"]
        if subject := SUBJECT.match(plain(self.text)):
            names.append(subject[1])
        known = [t in KINDS_OF or any(plain(t) in name for name in names) for t in tokens]
        self._asked_about = ~silent & ~np.array(known, np.bool_)

    def defines(self, text: str, across: bool) -> bool:
        """Whether a text says what the question's term means; terms of two languages are compared by their vectors."""
        if not across:
            return defines(text, self.term)
        term = self._vector(self.term)
        return any(float(self._vector(head) @ term) >= SAME_TERM for head in heads(text))

    def _vector(self, term: str) -> Floats:
        return np.asarray(normed(query_vector(self.embedder, term, self.corpus, self.env)[None])[0])

    def across(self, passage: Document) -> bool:
        """Whether the passage is in another language than the question: words cannot meet, only meanings."""
        return (language_of(self.text) == "zh") != (script(passage.content) == "zh")

    def _letters(self, text: str) -> str:
        return plain(self.words.analyzer.read(text).text)

    def _features(self, title: str, texts: Sequence[str], near: Floats) -> tuple[Floats, list[tuple[Found, ...]]]:
        """Returns the features of the sentences of one passage, and their facts of the requested kind."""
        words, meanings, read = (self.words.weights, self._weights, [self._read(text) for text in (title, *texts)])
        has = np.array([[float(t in sentence.terms) for t in self.words.tokens] for sentence in read])
        has = has.reshape(len(read), len(words))
        similarity = self.meanings.texts([title, *texts])
        seldom = np.log(1 + len(texts) / np.maximum(has[1:].sum(0), 1))
        pairs = self.neighbours(self.text)
        fit = [self._fitting(sentence.found) for sentence in read[1:]]
        figures = bool(self.asked) and all(kind in FIGURES for kind in self.asked)
        column = {
            "words": has[1:] @ words,
            "rare": has[1:] @ (seldom * words),
            "meaning": similarity[1:] @ meanings,
            "cosine": near,
            "pairs": [np.isin(pairs, self.neighbours(text)).sum() / max(len(pairs), 1) for text in texts],
            "topic": _added(has) @ words,
            "theme": _added(similarity) @ meanings,
            "fits": [float(bool(facts)) for facts in fit],
            "lacks": [float(figures and not facts) for facts in fit],
            "defines": np.zeros(len(texts)),
            "rank": np.zeros(len(texts)),
        }
        return np.array([column[name] for name in FEATURES]).T, fit

    def _fitting(self, facts: Sequence[Found]) -> tuple[Found, ...]:
        new = (fact for fact in facts if (fact.kind, fact.value) not in self.said)
        return tuple(fact for fact in new if any(fits(fact, kind) for kind in self.asked))

    def _read(self, text: str) -> Read:
        sentence = self._kept.get(text)
        if sentence is None:
            sentence = Read(frozenset(self.words.analyzer.tokens(text)), found(text))
            self._kept.put(text, sentence)
        return sentence


def _added(rows: Floats) -> Floats:
    """Returns what title (row 0), first sentence (row 1) and previous one add to each sentence, [sentences, tokens]."""
    before, sentences = np.concatenate([rows[:1], rows[1:-1]]), rows[1:]
    around = np.maximum(before, np.maximum(rows[0], rows[1]))
    return np.asarray(np.maximum(around, sentences) - sentences)
