"""Cosine bands: the pairs, and the cosines of every model compared with numpy."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest
from night import spread
from packed import packed

from lab import samples
from lab.algebra import Corpus, Document, Query
from lab.corpus.beir import Collection
from lab.explain.bands import MOST, PASSAGES, UNRELATED, Band, band_of, pairs_of, quantiles
from lab.models.embedders import encoder_of
from lab.models.lsa import LSA
from lab.models.static import BuiltIn

FOXES = Corpus(
    "foxes",
    (
        Document("a", "the red fox sleeps in its den"),
        Document("b", "a red fox hunts mice at night"),
        Document("c", "router firmware update"),
        Document("d", ""),
    ),
)


@pytest.mark.parametrize("name", ["staff", "handbook", "devices"])
def test_pairs_are_those_judged_and_random_others(name):
    c = samples.load(name)
    pairs = pairs_of(c)
    assert pairs == pairs_of(c) != pairs_of(c, seed=1)
    assert pairs.judged
    total = sum(len(c.relevant(q.id)) for q in c.judged)
    assert len(pairs.related) == min(total, MOST)
    assert len(pairs.unrelated) == len(set(pairs.unrelated)) == UNRELATED
    by_text = {q.text: q for q in c.judged}

    def grade(pair):
        return c.qrels[by_text[pairs.texts[pair[0]]].id].get(c.corpus.documents[pair[1]].id, 0)

    assert min(map(grade, pairs.related)) > 0 >= max(map(grade, pairs.unrelated))


def test_without_judgments_a_passage_is_paired_with_its_nearest_by_words():
    c = Collection(FOXES, (Query("fox", id="q"),))
    pairs = pairs_of(c)
    assert not pairs.judged
    assert {(pairs.texts[n], FOXES.documents[i].id) for n, i in pairs.related} == {
        (FOXES.documents[0].content, "b"),
        (FOXES.documents[1].content, "a"),
    }
    assert pairs.unrelated
    assert not set(pairs.unrelated) & set(pairs.related)
    assert all(pairs.texts[n] != FOXES.documents[i].content for n, i in pairs.unrelated)
    big = pairs_of(Collection(samples.load("staff").corpus))
    assert len(big.texts) == PASSAGES
    assert max(Counter(n for n, _ in big.related).values()) == 1


@pytest.mark.parametrize(
    "corpus",
    [
        Corpus("none", ()),
        Corpus("one", (Document("a", "fox"),)),
        Corpus("empty", (Document("a", ""), Document("b", ""))),
    ],
)
def test_a_corpus_without_two_texts_has_no_band(corpus):
    pairs = pairs_of(Collection(corpus))
    assert pairs.related == pairs.unrelated == ()
    band = band_of(BuiltIn(), pairs, corpus)
    assert not band
    assert band.missing == 0


def test_equal_passages_are_no_pair():
    corpus = Corpus("twins", (Document("a", "red fox"), Document("b", "red fox"), Document("c", "red fox den")))
    pairs = pairs_of(Collection(corpus))
    for text, place in (*pairs.related, *pairs.unrelated):
        assert pairs.texts[text] != corpus.documents[place].content


def test_a_question_whose_only_passage_is_relevant_has_no_unrelated_pair():
    corpus = Corpus("one", (Document("a", "red fox"),))
    pairs = pairs_of(Collection(corpus, (Query("fox", id="q"),), {"q": {"a": 2}}))
    assert pairs.related == ((0, 0),)
    assert pairs.unrelated == ()


@pytest.mark.parametrize("embedder", spread([BuiltIn(), LSA(), *packed("E5Small")], 2))
@pytest.mark.parametrize("judged", [True, False])
def test_bands_are_the_cosines_that_numpy_computes(embedder, judged):
    c = samples.load("staff")
    c = c if judged else Collection(c.corpus)
    pairs = pairs_of(c)
    band = band_of(embedder, pairs, c.corpus)
    encoder = encoder_of(embedder, c.corpus)
    read = encoder.queries if judged else encoder.documents
    cosines = []
    for side in (pairs.related, pairs.unrelated):
        texts = read([pairs.texts[n] for n, _ in side]).astype(np.float64)
        rows = encoder.documents([c.corpus.documents[i].content for _, i in side]).astype(np.float64)
        lengths = np.linalg.norm(texts, axis=1) * np.linalg.norm(rows, axis=1)
        values = np.sum(texts * rows, axis=1)[lengths > 0] / lengths[lengths > 0]
        cosines.append(values)
    for own, true in zip((band.related, band.unrelated), cosines, strict=True):
        np.testing.assert_allclose(own, true, atol=1e-6)
    assert band.missing == len(pairs.related) + len(pairs.unrelated) - sum(map(len, cosines))
    assert band.overlap == pytest.approx(np.mean(cosines[1] > np.median(cosines[0])), abs=1e-9)
    np.testing.assert_allclose(quantiles(band.related), np.percentile(cosines[0], [5, 25, 50, 75, 95]), atol=1e-6)
    for cosine in (-1, 0.2, 0.6, 0.9):
        assert band.reached(cosine) == pytest.approx([np.mean(x >= cosine) for x in cosines])


def test_pairs_with_a_text_without_a_vector_are_left_out_and_counted():
    corpus = Corpus("foxes", (*FOXES.documents, Document("e", "???")))
    queries, qrels = (Query("fox", id="q"), Query("???", id="r")), {"q": {"a": 1, "e": 1}, "r": {"b": 1}}
    pairs = pairs_of(Collection(corpus, queries, qrels))
    band = band_of(BuiltIn(), pairs, corpus)
    assert len(band.related) == 1
    assert band.missing == len(pairs.related) + len(pairs.unrelated) - 1 - len(band.unrelated) > 2


@pytest.mark.parametrize(
    ("related", "unrelated", "meaning"),
    [
        ((0.9, 0.8), (0.8, 0.1), "nothing"),
        ((0.9, 0.8), (0.1, 0.1), "related"),
        ((0.4, 0.5), (0.1, 0.2), "high"),
        ((0.9, 0.5), (0.7, 0.2, 0.1), "unclear"),
        ((0.6,), (0.59,) * 19 + (0.6,), "related"),
    ],
)
def test_what_a_cosine_means_depends_on_both_bands(related, unrelated, meaning):
    assert Band(related, unrelated, 0).meaning(0.6) == meaning


def test_0_6_means_related_under_one_model_and_nothing_under_another():
    c = samples.load("staff")
    pairs = pairs_of(c)
    assert all(band_of(embedder, pairs, c.corpus).meaning(0.6) == "nothing" for embedder in packed("E5Small"))
    assert band_of(LSA(), pairs, c.corpus).meaning(0.6) == "related"


def test_bands_of_a_sample_are_quick():
    c = samples.load("handbook")
    begin = time.process_time()
    pairs = pairs_of(c)
    for embedder in (BuiltIn(), *packed("E5Small")):
        band_of(embedder, pairs, c.corpus)
    assert time.process_time() - begin < 2
