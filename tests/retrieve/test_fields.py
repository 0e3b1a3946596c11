"""BM25F: two fields in one saturation, equal to BM25 without titles, and honest about a weight of 0."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from night import seeds

from lab.algebra import Corpus, Document, Query
from lab.contracts.laws import check_explanation, check_match
from lab.errors import ParameterError
from lab.retrieve.fields import BM25F
from lab.retrieve.lexical import BM25
from lab.text import Analyzer

BLANKS = Analyzer(mode="whitespace", stem="none", questions=False)
CORPUS = Corpus(
    "trees",
    (
        Document("a", "leaves of the oak", "oak"),
        Document("b", "oak oak oak ash", "birch"),
        Document("c", "the ash", "oak ash"),
        Document("d", "fir"),
    ),
)


def test_both_fields_are_inside_one_saturation() -> None:
    index = BM25F(title=3, k1=1.2, b_title=0, b=0, analyzer=BLANKS).index(CORPUS)
    scores = {h.document.id: h.score for h in index.search("oak")}
    idf = math.log(1 + (4 - 3 + 0.5) / (3 + 0.5))
    assert scores == {
        "a": pytest.approx(idf * (3 + 1) / (1.2 + 3 + 1)),
        "b": pytest.approx(idf * 3 / (1.2 + 3)),
        "c": pytest.approx(idf * 3 / (1.2 + 3)),
    }


def test_each_field_has_its_own_length() -> None:
    index = BM25F(title=2, b_title=0.5, b=0.75, analyzer=BLANKS).index(CORPUS)
    (hit,) = (h for h in index.search("ash") if h.document.id == "c")
    title = 2 * 1 / (1 - 0.5 + 0.5 * 2 / (4 / 4))  # titles have 1, 1, 2 and 0 words
    text = 1 / (1 - 0.75 + 0.75 * 2 / (11 / 4))  # texts have 4, 4, 2 and 1
    idf = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    assert hit.score == pytest.approx(idf * (title + text) / (1.5 + title + text))


def random_corpus(seed: int, *, titles: bool) -> tuple[random.Random, Corpus]:
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(rng.choice([3, 8, 30]))]
    documents = []
    for i in range(rng.randint(1, 25)):
        text = " ".join(rng.choices(words, k=rng.choice([0, 1, 4, 20])))
        title = " ".join(rng.choices(words, k=rng.choice([0, 1, 3]))) if titles else ""
        documents.append(Document(str(i), text, title))
    return rng, Corpus("random", tuple(documents))


def test_without_titles_it_is_bm25_whatever_the_title_weighs() -> None:
    for seed in seeds(60):
        rng, corpus = random_corpus(seed, titles=False)
        k1, b = rng.choice([0.0, 0.4, 1.5]), rng.choice([0.0, 0.75, 1.0])
        query = " ".join(rng.choices([f"w{i}" for i in range(9)], k=4))
        plain = {h.document.id: h.score for h in BM25(k1, b, analyzer=BLANKS).index(corpus).search(query)}
        fields = BM25F(title=rng.choice([0, 1, 7]), k1=k1, b=b, analyzer=BLANKS).index(corpus).search(query)
        assert {h.document.id: h.score for h in fields} == pytest.approx(plain, rel=1e-12)


def test_a_title_weight_of_2_without_lengths_is_bm25s_on_texts_with_the_title_written_twice() -> None:
    import bm25s

    for seed in seeds(60):
        rng, corpus = random_corpus(seed, titles=True)
        k1 = rng.choice([0.4, 1.5, 3.0])
        lists = [[*d.title.split(), *d.title.split(), *d.text.split()] for d in corpus]
        if not any(lists):
            continue
        theirs = bm25s.BM25(method="lucene", k1=k1, b=0.0)
        theirs.index(lists, show_progress=False)
        index = BM25F(title=2, k1=k1, b_title=0, b=0, analyzer=BLANKS).index(corpus)
        query = rng.choices([f"w{i}" for i in range(9)], k=4)
        known = [word for word in query if word in index.matrix.vocabulary]
        reference = theirs.get_scores(known).astype(float) if known else np.zeros(len(lists))
        own = np.zeros(len(lists))
        for hit in index.search(" ".join(query), k=len(lists)):
            own[int(hit.document.id)] = hit.score
        assert np.abs(own - reference).max() <= 1e-5


@pytest.mark.parametrize("operator", [BM25F(), BM25F(title=5), BM25F(title=0), BM25F(text=0), BM25F(b_title=1, b=1)])
def test_why_and_formula_sum_to_the_score_in_chinese_as_well(operator: BM25F) -> None:
    corpus = Corpus(
        "zh",
        (
            Document("1", "充电时请勿使用，充电后再用。", "电池充电"),
            Document("2", "电池耐用。", "手机"),
            Document("3", "", "退货"),
            Document("4", "battery life", "Battery"),
        ),
    )
    for text in ("电池怎么充电", "退货", "battery", "电"):
        index, query = operator.index(corpus), Query(text)
        ranking = index.search(query)
        check_explanation(index.for_query(query), query, ranking)
        check_match(index, query, ranking)
        for hit in ranking:
            assert math.fsum(c.value for c in hit.why) == pytest.approx(hit.score)


def test_what_is_only_in_a_field_of_weight_0_is_not_found() -> None:
    assert BM25F(title=0, analyzer=BLANKS).index(CORPUS).search("birch").hits == ()
    assert BM25F(text=0, analyzer=BLANKS).index(CORPUS).search("fir").hits == ()
    assert BM25F(text=0, analyzer=BLANKS).index(CORPUS).search("oak").ids == ["a", "c"]


def test_the_formula_names_the_fields() -> None:
    index = BM25F(title=3, analyzer=BLANKS).index(CORPUS)
    addend = index.explanation(Query("oak"), "a").addends["oak"]
    assert any(r"\text{title}" in line and r"\text{text}" in line for line in addend.where)


def test_bad_weights_are_refused() -> None:
    with pytest.raises(ParameterError, match="both 0"):
        BM25F(title=0, text=0)
    with pytest.raises(ParameterError):
        BM25F(title=21)
