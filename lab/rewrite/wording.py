"""Finds the words of a corpus that are similar to a text, and its best sentences, for the rules of all techniques.

Similarity is the cosine of the built-in static embedder, which knows both languages; only words that the corpus
itself uses are offered, so every rewording can find something.  The length of a word's vector is its weight in
that model: function words are short, and are left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus, knob
from lab.models.embedders import encoder_of
from lab.models.static import BuiltIn, StaticEncoder
from lab.numeric import unit
from lab.retrieve.matrix import TermMatrix
from lab.rewrite.base import Found
from lab.text import Token, cutting, is_han, jieba_dictionary, whole_words
from lab.text.borders import sentences
from lab.words import Said

WORDS = cutting(pairs=False)
"""Words of the dictionary, as they are written: pairs of characters and stems are no words to offer to a reader."""
CUT = replace(WORDS, mode="precise")
"""Words that do not overlap: what can be replaced in a text."""

Positions = NDArray[np.integer]
LOOKED = 500
"""Number of passages that are looked through for two words side by side."""
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
    matrix: TermMatrix

    @staticmethod
    def of(corpus: Corpus) -> Wording:
        """Returns the content words of this corpus, made once and kept with it; codes and numbers stay out."""
        return corpus.once(("wording",), lambda: _wording(corpus))

    def says_something(self, word: str) -> bool:
        """Returns whether this is a content word; codes and numbers are."""
        return any(c.isdigit() for c in word) or _length(self.encoder, word) >= FUNCTION_WORD * self.typical

    def content(self, text: str) -> list[Token]:
        """Returns the content words of a text with their places, not overlapping: parts of a name are left out."""
        return [t for t in whole_words(CUT.spans(text)) if self.says_something(t.text)]

    def topics(self, text: str, corpus: Corpus) -> dict[str, int]:
        """Returns the content words of a text, compounds whole, and the number of passages that contain each."""
        topics, start, end, docs = list[tuple[str, int]](), 0, -1, self._docs("")
        for t in self.content(text):
            compound = text[start : t.end].lower()
            both = self._compound(compound, docs, self._docs(t.text), corpus)
            if len(both) and not text[end : t.start].strip():
                del topics[-1]
            else:
                start, compound, both = t.start, t.text, self._docs(t.text)
            topics.append((compound, len(both)))
            end, docs = t.end, both
        return dict(topics)

    def join(self, words: Sequence[str], corpus: Corpus) -> list[str]:
        """Returns these words, the first two that are parts of a compound as one."""
        for a, b in permutations(words, 2):
            if len(self._compound(a + b, self._docs(a), self._docs(b), corpus)):
                return [a + b if word == a else word for word in words if word != b]
        return [*words]

    def _compound(self, text: str, docs: Positions, others: Positions, corpus: Corpus) -> Positions:
        """Returns the positions of passages with both words side by side, as in ``text``; none if that is rare.

        It is a compound (机器学习) if most passages with its rarer word contain it, and at least two.
        """
        rarer = min(docs, others, key=len)[:LOOKED]
        both = np.array([i for i in rarer if text in corpus.documents[i].content.lower()], dtype=np.int64)
        return both if len(both) > 1 and 2 * len(both) > len(rarer) else both[:0]

    def _docs(self, word: str) -> Positions:
        """Returns the positions of the passages that contain a word."""
        m = self.matrix
        column = m.column(m.vocabulary[word]) if word in m.vocabulary else slice(0)
        return m.docs[column]

    def near(self, text: str, n: int, *, at_least: float = 0.35) -> list[tuple[str, float]]:
        """Returns the ``n`` corpus words nearest to this text, without its own, and their cosines, nearest first."""
        vector = unit(self.encoder.queries([text]))[0]
        if not len(self.words) or not vector.any():
            return []
        cosines = np.einsum("ij,j->i", self.vectors, vector)
        own_words = set(WORDS.tokens(text))
        close = np.argsort(-cosines, kind="stable")[: np.count_nonzero(cosines >= at_least)].tolist()
        return [(self.words[i], float(cosines[i])) for i in close if self.words[i] not in own_words][:n]

    def together(self, words: Sequence[str]) -> tuple[int, list[str]]:
        """Returns the position of the passage with most of these words (first if tied, -1: none), and these words."""
        m = self.matrix
        known = {word: self._docs(word) for word in words if word in m.vocabulary}
        count = np.zeros(max(self.documents, 1), dtype=np.int64)
        for docs in known.values():
            count[docs] += 1
        best = int(count.argmax())
        contained = [word for word, docs in known.items() if best in docs]
        return (best if contained else -1), contained

    def idf(self, word: str) -> float:
        """ln(N / df); a word that the corpus does not know is as rare as can be."""
        return float(np.log(max(self.documents, 1) / max(self.df.get(word, 0), 0.5)))


def _wording(corpus: Corpus) -> Wording:
    encoder = encoder_of(BuiltIn(), corpus)
    assert isinstance(encoder, StaticEncoder)
    matrix = TermMatrix.for_corpus(corpus, WORDS)
    df = {word: int(matrix.df[j]) for word, j in matrix.vocabulary.items()}
    lengths = {word: _length(encoder, word) for word in df}
    known = [length for length in lengths.values() if length]
    typical = float(np.median(known)) if known else 1.0
    heavy = (w for w in df if lengths[w] >= FUNCTION_WORD * typical and len(w) > 1)
    words = [w for w in heavy if not any(c.isdigit() for c in w) and _in_dictionary(w)]
    vectors = unit(encoder.documents(words)) if words else np.zeros((0, encoder.dimensions))
    return Wording(encoder, words, vectors, df, typical, len(corpus), matrix)


def _in_dictionary(word: str) -> bool:
    """Returns whether a Chinese word is in the dictionary, not guessed by the tokenizer (年假是 as 年 假是)."""
    return not is_han(word) or jieba_dictionary().cut(word, hmm=False) == [word]


def _length(encoder: StaticEncoder, word: str) -> float:
    """Returns the length of the sum of a word's token vectors: its weight in the vector of a text."""
    return float(np.linalg.norm(encoder.tokens(word)[1].sum(0)))


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
    hits = [h.document for h in search(query, documents)]
    cut = [(d.text[a : min(b, a + LONGEST)], d.id) for d in hits for a, b in sentences(d.text)]
    cut = [(text, doc_id) for text, doc_id in cut if any(c.isalnum() for c in text)]
    if not cut:
        return []
    cosines = unit(encoder.documents([text for text, _ in cut])) @ unit(encoder.queries([query]))[0]
    scored = [Sentence(text, float(c), doc_id) for (text, doc_id), c in zip(cut, cosines, strict=True)]
    return sorted(scored, key=lambda s: -s.cosine)


def shared_words(query: str, search: Found, wording: Wording, *, documents: int, n: int) -> list[str]:
    """Returns the ``n`` words that several of the first hits share and few other documents have; none of the query's.

    Best first: a word's weight is the number of those hits that have it times its idf (pseudo-relevance feedback with
    words).  Where most of the corpus is among those hits, no word tells them apart: there are none.
    """
    hits = search(query, documents)
    if 2 * max(len(hits), 2) > wording.documents:
        return []
    often = Counter(word for h in hits for word in set(CUT.tokens(h.document.content)))
    offered = set(wording.words) - set(WORDS.tokens(query))
    shared = [w for w, count in often.items() if w in offered and count >= min(2, len(hits))]
    return sorted(shared, key=lambda w: (-often[w] * wording.idf(w), w))[:n]
