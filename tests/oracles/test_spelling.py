"""Nearest words against rapidfuzz and symspellpy, character n-grams against scikit-learn."""

from __future__ import annotations

import random
import string
from itertools import pairwise

import numpy as np
import pytest
from night import seeds
from rapidfuzz.distance import OSA
from sklearn.feature_extraction.text import TfidfVectorizer
from symspellpy import SymSpell, Verbosity

from lab.algebra import Corpus, Document
from lab.retrieve.ngrams import CharNgram, Grams
from lab.rewrite.nearest import CorpusWords, edit_distances

SEEDS = seeds(60)


def word(rng: random.Random, letters: str = "abc") -> str:
    """A word over few letters, so that repeats, swaps and near words are frequent."""
    return "".join(rng.choices(letters, k=rng.randint(1, 9)))


def changed(rng: random.Random, text: str) -> str:
    """The word after up to three random edits, at least one letter long."""
    for _ in range(rng.randint(0, 3)):
        i = rng.randrange(len(text) + 1)
        letter = rng.choice(string.ascii_lowercase[:5])
        text = rng.choice(
            [text[:i] + letter + text[i:], text[:i] + text[i + 1 :], text[:i] + text[i : i + 2][::-1] + text[i + 2 :]]
        )
    return text or "a"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_distances_are_those_of_rapidfuzz(seed: int):
    rng = random.Random(seed)
    size, letters = rng.randint(1, 9), rng.choice(["ab", "abcde", "abéüж"])
    one = word(rng, letters)
    words = ["".join(rng.choices(letters, k=size)) for _ in range(50)]
    codes = np.array([[ord(c) for c in other] for other in words], np.uint32).T
    assert edit_distances(one, codes).tolist() == [OSA.distance(one, other) for other in words]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_candidates_are_those_of_symspell(seed: int):
    rng = random.Random(seed)
    texts = [" ".join(word(rng, "abcd") for _ in range(rng.randint(1, 8))) for _ in range(rng.randint(1, 12))]
    corpus = Corpus("made up", tuple(Document(str(i), text) for i, text in enumerate(texts)))
    peer = SymSpell(max_dictionary_edit_distance=2, prefix_length=9)
    for term in sorted({w for text in texts for w in text.split()}):
        peer.create_dictionary_entry(term, sum(term in text.split() for text in texts))
    for _ in range(10):
        asked = changed(rng, rng.choice(rng.choice(texts).split()))
        for most in range(1, min(2, len(asked) - 1) + 1):  # if nothing is left of a word, symspellpy gives some twice
            own = CorpusWords.of(corpus).near(asked, most)
            found = peer.lookup(asked, Verbosity.ALL, max_edit_distance=most)
            assert {(n.word, n.distance, n.passages) for n in own} == {(f.term, f.distance, f.count) for f in found}
            assert all((a.distance, -a.passages) <= (b.distance, -b.passages) for a, b in pairwise(own))


def english(rng: random.Random) -> str:
    return " ".join("".join(rng.choices("aab cdé1", k=rng.randint(0, 7))) for _ in range(rng.randint(0, 9)))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cosines_of_n_grams_are_those_of_scikit_learn(seed: int):
    rng = random.Random(seed)
    texts, sublinear = [english(rng) for _ in range(rng.randint(1, 12))] + ["bad cab"], seed % 2 == 0
    shortest, longest = sorted((rng.randint(2, 5), rng.randint(2, 5)))
    peer = TfidfVectorizer(analyzer="char_wb", ngram_range=(shortest, longest), sublinear_tf=sublinear)
    rows = peer.fit_transform(texts)
    corpus = Corpus("made up", tuple(Document(str(i), text) for i, text in enumerate(texts)))
    index = CharNgram(shortest, longest, sublinear=sublinear).index(corpus)
    assert index.matrix.vocabulary.keys() == peer.vocabulary_.keys()
    for query in [english(rng) for _ in range(4)] + ["bad cab", "cabd"]:
        wanted = (rows @ peer.transform([query]).T).toarray()[:, 0]
        found = {hit.document.id: hit.score for hit in index.search(query, k=50)}
        for i, score in enumerate(wanted):
            assert found.get(str(i), 0.0) == pytest.approx(score, abs=1e-9)


def test_chinese_n_grams_are_those_of_half_as_many_characters():
    text = "打印机卡纸怎么办"
    peer = TfidfVectorizer(analyzer="char", ngram_range=(2, 3)).fit([text])
    assert set(Grams(3, 5, True).tokens(text)) == set(peer.vocabulary_)
