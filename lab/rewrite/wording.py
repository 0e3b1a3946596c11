"""Finds the words of a corpus that are similar to a text, and its best sentences, for the rules of all techniques.

Similarity is the cosine of the built-in static embedder, which knows both languages; only words that the corpus
itself uses are offered, so every rewording can find something.  The length of a word's vector is its weight in
that model: function words are short, and are left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial, reduce
from itertools import permutations
from math import comb, log

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus, QueryVariant, knob
from lab.models.embedders import encoder_of
from lab.models.static import BuiltIn, StaticEncoder
from lab.numeric import unit
from lab.retrieve.matrix import TermMatrix
from lab.rewrite.base import STEMS, Found, Rewording
from lab.rewrite.turn_words import FUNCTION_WORDS
from lab.text import Token, cutting, is_han, jieba_dictionary, whole_words
from lab.text.borders import sentences
from lab.words import Said, joined

WORDS = cutting(pairs=False)
"""Words of the dictionary, as they are written: pairs of characters and stems are no words to offer to a reader."""
CUT = replace(WORDS, mode="precise")
"""Words that do not overlap: what can be replaced in a text."""

Positions = NDArray[np.integer]
LOOKED = 500
"""Number of passages that are looked through for two words side by side."""
CLOSEST, SURE, LONE, STANDS_OUT = 30, 0.45, 0.35, 0.85
"""Words that are compared; the cosine of one that surely says the same, the least of one that stands out, and the share
of it that the next one has at most."""
PART = 4
"""Letters that two words share at least if they have a part in common."""
SUFFIXES = "子儿头"
"""Characters that end a Chinese word and add nothing to what it says (鞋, 鞋子)."""
TENTH, CHANCE = 10, 0.01
"""The part of a corpus that is learned from at most, and how likely a word that is learned is there by chance."""
FUNCTION_WORD = 0.6
"""A word whose vector is shorter than this part of a typical one says little: *the*, *how*, 的, 怎么."""


@dataclass(frozen=True, eq=False)
class Wording:
    """The words of a corpus with their vectors, shape [V, d] (length 1), and their document frequencies."""

    encoder: StaticEncoder
    words: list[str]
    vectors: NDArray[np.float64]
    df: dict[str, int]
    typical: float
    documents: int
    stems: TermMatrix

    @staticmethod
    def of(corpus: Corpus) -> Wording:
        """Returns the content words of this corpus, made once and kept with it; codes and numbers stay out."""
        return corpus.once(("wording",), lambda: _wording(corpus))

    def says_something(self, word: str) -> bool:
        """Returns whether this is a content word; codes and numbers are."""
        heavy = word not in FUNCTION_WORDS and _length(self.encoder, word) >= FUNCTION_WORD * self.typical
        return heavy or any(c.isdigit() for c in word)

    def content(self, text: str) -> list[Token]:
        """Returns the content words of a text with their places, not overlapping: parts of a name are left out."""
        return [t for t in whole_words(CUT.spans(text)) if self.says_something(t.text)]

    def topics(self, text: str, corpus: Corpus) -> dict[str, int]:
        """Returns the content words of a text, compounds whole, and the number of passages that contain each."""
        topics, start, end, docs = list[tuple[str, int]](), 0, -1, self.docs("")
        for t in self.content(text):
            compound = text[start : t.end].lower()
            both = self._compound(compound, docs, self.docs(t.text), corpus)
            if len(both) and not text[end : t.start].strip():
                del topics[-1]
            else:
                start, compound, both = t.start, t.text, self.docs(t.text)
            topics.append((compound, len(both)))
            end, docs = t.end, both
        return dict(topics)

    def join(self, words: Sequence[str], corpus: Corpus) -> list[str]:
        """Returns these words, the first two that are parts of a compound as one."""
        for a, b in permutations(words, 2):
            if len(self._compound(a + b, self.docs(a), self.docs(b), corpus)):
                return [a + b if word == a else word for word in words if word != b]
        return [*words]

    def side_by_side(self, text: str, first: str, second: str, corpus: Corpus) -> bool:
        """Returns whether the corpus has two words as one thing, as in ``text``: salt and pepper."""
        return len(self._compound(text.lower(), self.docs(first), self.docs(second), corpus)) > 0

    def _compound(self, text: str, docs: Positions, others: Positions, corpus: Corpus) -> Positions:
        """Returns the positions of passages with both words side by side, as in ``text``; none if that is rare.

        It is a compound (机器学习) if most passages with its rarer word contain it, and at least two.
        """
        rarer = min(docs, others, key=len)[:LOOKED]
        both = np.array([i for i in rarer if text in corpus.documents[i].content.lower()], dtype=np.int64)
        return both if len(both) > 1 and 2 * len(both) > len(rarer) else both[:0]

    def docs(self, word: str) -> Positions:
        """Returns the positions of the passages that contain a word, or all words of a compound, in any form."""
        m, tokens = self.stems, STEMS.tokens(word)
        if not tokens or not m.vocabulary.keys() >= set(tokens):
            return m.docs[:0]
        return reduce(np.intersect1d, (m.docs[m.column(m.vocabulary[token])] for token in tokens))

    def near(self, text: str, n: int, *, at_least: float = 0.35) -> list[tuple[str, float]]:
        """Returns the ``n`` corpus words nearest to this text, without its own, and their cosines, nearest first."""
        vector = unit(self.encoder.queries([text]))[0]
        if not len(self.words) or not vector.any():
            return []
        cosines = np.einsum("ij,j->i", self.vectors, vector)
        own_words = set(WORDS.tokens(text))
        close = np.argsort(-cosines, kind="stable")[: np.count_nonzero(cosines >= at_least)].tolist()
        return [(self.words[i], float(cosines[i])) for i in close if self.words[i] not in own_words][:n]

    def terms(self, text: str) -> frozenset[str]:
        """Returns the stems of the content words of a text: what a search for it looks for."""
        return frozenset(STEMS.tokens(" ".join(t.text for t in self.content(text))))

    def knows(self, word: str) -> bool:
        """Returns whether the corpus has a word, or another form of it."""
        return word in self.df or len(self.docs(word)) > 0

    def same(self, word: str, *, at_least: float) -> list[tuple[str, float]]:
        """Returns the corpus words that say the same as a word, and their cosines, nearest first.

        In the other language, every near one.  In the same, those that are very near, or the one that stands out:
        words of one class (mocha, cappuccino) are all about equally near, and say different things.
        """
        near = self.near(word, CLOSEST, at_least=at_least)
        alike = [pair for pair in near if is_han(pair[0]) == is_han(word)]
        (first, highest), least = alike[0] if alike else ("", 0.0), SURE
        if highest >= LONE and all(
            cosine <= STANDS_OUT * highest or first in w or STEMS.tokens(w) == STEMS.tokens(first)
            for w, cosine in alike[1:]
        ):
            least = highest
        return [
            (w, cosine)
            for w, cosine in near
            if is_han(w) != is_han(word) or (cosine >= min(least, SURE) and self._may_stand_for(word, w, at_least))
        ]

    def _may_stand_for(self, word: str, candidate: str, at_least: float) -> bool:
        """Returns whether two words may say the same, which they need not do because they have a part in common.

        Of a compound, the head at its end may stand for it (photocopier, copier), its other parts not (webcam, web).
        A common part makes the vectors of two words alike if the model reads one of them in pieces: then what is left
        of them must be alike, too (splashproof is not fireproof).  Words that it knows whole are compared whole.
        """
        shorter, longer = sorted((word, candidate), key=len)
        if shorter in longer:  # a longer word is a kind of it
            return word.endswith(candidate) or (longer[:-1] == shorter and longer[-1] in SUFFIXES)
        at, start, size = SequenceMatcher(None, word, candidate, autojunk=False).find_longest_match()
        if size < (1 if is_han(word) else PART) or all(len(self.encoder.tokens(w)[1]) == 1 for w in (word, candidate)):
            return True
        rest = word[:at] + word[at + size :], candidate[:start] + candidate[start + size :]
        first, second = unit(self.encoder.queries(rest))
        return float(first @ second) >= at_least


def _wording(corpus: Corpus) -> Wording:
    encoder = encoder_of(BuiltIn(), corpus)
    assert isinstance(encoder, StaticEncoder)
    matrix = TermMatrix.for_corpus(corpus, WORDS)
    df = {word: int(matrix.df[j]) for word, j in matrix.vocabulary.items()}
    lengths = {word: _length(encoder, word) for word in df}
    known = [length for length in lengths.values() if length]
    typical = float(np.median(known)) if known else 1.0
    heavy = (w for w in df if lengths[w] >= FUNCTION_WORD * typical and len(w) > 1 and w not in FUNCTION_WORDS)
    words = [w for w in heavy if not any(c.isdigit() for c in w) and _in_dictionary(w)]
    vectors = unit(encoder.documents(words)) if words else np.zeros((0, encoder.dimensions))
    return Wording(encoder, words, vectors, df, typical, len(corpus), TermMatrix.for_corpus(corpus, STEMS))


def _in_dictionary(word: str) -> bool:
    """Returns whether a Chinese word is in the dictionary, not guessed by the tokenizer (年假是 as 年 假是)."""
    return not is_han(word) or jieba_dictionary().cut(word, hmm=False) == [word]


def _length(encoder: StaticEncoder, word: str) -> float:
    """Returns the length of the sum of a word's token vectors: its weight in the vector of a text."""
    return float(np.linalg.norm(encoder.tokens(word)[1].sum(0)))


@dataclass(frozen=True)
class WordRule(Rewording):
    """A rewording whose rule looks for other words in the corpus, and keeps still where it finds none that will do."""

    nearest: bool = knob(
        False,
        label=Said("Nearest words if there are no others"),
        help=Said("Without a rewrite, the rule uses the nearest words, which may name another thing."),
        rare=True,
        kw_only=True,
    )

    def nearest_words(self, texts: Iterable[str], wording: Wording) -> tuple[QueryVariant, ...]:
        """Returns the three corpus words nearest to each text, whatever they are, if ``nearest`` asks for them."""
        near = {text: wording.near(text, 3, at_least=0.0) for text in texts if self.nearest}
        words = list(dict.fromkeys(word for found in near.values() for word, _ in found))
        pairs = [Said("{lay} → {term}", lay=text, term=with_cosines(found)) for text, found in near.items() if found]
        why = Said(
            "The nearest words of the corpus: {pairs}. They may name another thing of the same kind (green tea for "
            "black tea), so the rule does not use them by itself.",
            pairs=joined(pairs, "; "),
        )
        return (QueryVariant(" ".join(words), Said("nearest words"), why),) if words else ()


def with_cosines(pairs: Iterable[tuple[str, float]]) -> list[str]:
    return [f"{word} ({cosine:.2f})" for word, cosine in pairs]


RESULTS = partial(
    knob,
    low=1,
    high=20,
    label=Said("Results to learn from"),
    help=Said("The rule takes its sentences from these results."),
)
SENTENCES = partial(
    knob, low=1, high=10, label=Said("Sentences of a passage"), help=Said("Sentences in a generated passage.")
)
LONGEST = 4000
"""Characters of a sentence: a text without a full stop is not searched as a whole."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a hit: its cosine with the query, and the document it is from."""

    text: str
    cosine: float
    doc_id: str


def feedback(query: str, corpus: Corpus, search: Found, *, documents: int) -> list[Sentence]:
    """Returns the sentences of the first hits, best cosine with the query first: pseudo-relevance feedback.

    The first hits are taken to be relevant, which nobody has checked; where they are not, their words lead astray.
    """
    encoder = encoder_of(BuiltIn(), corpus)
    cut = [
        (text, h.document.id)
        for h in search(query, documents)
        for a, b in sentences(h.document.text)
        if any(map(str.isalnum, text := h.document.text[a : min(b, a + LONGEST)]))
    ]
    if not cut:
        return []
    cosines = unit(encoder.documents([text for text, _ in cut])) @ unit(encoder.queries([query]))[0]
    scored = [Sentence(text, float(c), doc_id) for (text, doc_id), c in zip(cut, cosines, strict=True)]
    return sorted(scored, key=lambda s: -s.cosine)


def shared_words(query: str, search: Found, wording: Wording, *, documents: int, n: int) -> list[str]:
    """Returns the ``n`` words that the first hits share more often than chance would have it; none of the query's.

    Best first: a word's weight is the number of those hits that have it times its idf (pseudo-relevance feedback with
    words).  Where more than every tenth document is among the hits, no word tells them apart: there are none.
    """
    if wording.documents < TENTH * documents:
        return []
    hits = search(query, documents)
    often = Counter(word for h in hits for word in set(CUT.tokens(h.document.content)))
    offered = set(wording.words) - set(WORDS.tokens(query))
    shared = [
        w
        for w, count in often.items()
        if w in offered
        and wording.says_something(w)
        and _chance(count, len(hits), wording.df[w], wording.documents) <= CHANCE
    ]
    return sorted(shared, key=lambda w: (-often[w] * log(wording.documents / wording.df[w]), w))[:n]


def _chance(count: int, hits: int, df: int, documents: int) -> float:
    """Returns how likely so many of the hits have a word by chance: the tail of the hypergeometric distribution."""
    ways = sum(comb(df, i) * comb(documents - df, hits - i) for i in range(count, min(df, hits) + 1))
    return ways / comb(documents, hits)
