"""Query likelihood and InL2: their addends, their order, and the names under which pages show them."""

from __future__ import annotations

import math

import pytest

from lab.algebra import Corpus, Document, Query
from lab.contracts.laws import check_explanation
from lab.errors import ParameterError
from lab.retrieve.lexical import LENGTH
from lab.retrieve.likelihood import InL2, QueryLikelihood
from lab.text import Analyzer

BLANKS = Analyzer(mode="whitespace", stem="none", questions=False)
TREES = Corpus(
    "trees",
    (
        Document("a", "oak oak ash elm"),
        Document("b", "oak ash"),
        Document("c", "elm elm elm elm fir fir"),
        Document("d", "oak oak ash elm"),
    ),
)
TOTAL, OAK = 4 + 2 + 6 + 4, 2 + 1 + 2


def dirichlet(mu: float) -> QueryLikelihood:
    return QueryLikelihood(mu=mu, analyzer=BLANKS)


def test_a_score_is_one_addend_a_word_and_one_for_the_length() -> None:
    ranking = dirichlet(10).index(TREES).search("oak oak birch")
    top = ranking.hits[0]
    assert [h.document.id for h in ranking] == ["a", "d", "b"]
    assert {c.source: c.value for c in top.why} == {
        "oak": pytest.approx(2 * math.log(1 + 2 / (10 * OAK / TOTAL))),
        LENGTH: pytest.approx(2 * math.log(10 / (4 + 10))),
    }, "birch is in no passage and adds nothing, also not to the length"
    assert top.score == pytest.approx(math.fsum(c.value for c in top.why))


def test_a_passage_with_a_negative_score_is_before_one_without_any_word() -> None:
    ranking = dirichlet(2).index(TREES).search("oak ash elm fir")
    assert all(hit.score < 0 for hit in ranking.hits[-1:])
    assert len(ranking) == len(TREES), "a negative score is a score"
    assert dirichlet(2).index(TREES).search("birch").hits == ()


def test_equal_passages_tie_in_the_order_of_the_corpus() -> None:
    for operator in (dirichlet(7), QueryLikelihood("jelinek-mercer", analyzer=BLANKS), InL2(analyzer=BLANKS)):
        ranking = operator.index(TREES).search("elm oak")
        own = {h.document.id: h.score for h in ranking}
        assert own["a"] == own["d"]
        assert ranking.rank("d") == ranking.rank("a") + 1


def test_the_length_is_no_word_of_the_question() -> None:
    index, query = dirichlet(50).index(TREES), Query("oak fir length")
    assert LENGTH not in index.names(query).values()
    explanation = index.explanation(query, "b")
    assert list(explanation.addends) == ["oak", LENGTH]
    assert explanation.absent == ("fir", "length")
    assert "C = 16" in explanation.note
    assert index.explanation(query, "c").absent == ("oak", "length")


@pytest.mark.parametrize(
    "operator",
    [QueryLikelihood(), QueryLikelihood("jelinek-mercer"), InL2(), InL2(c=7), QueryLikelihood(mu=3, lam=0.9)],
    ids=repr,
)
def test_chinese_words_pairs_and_characters_are_terms_like_any_other(operator: QueryLikelihood | InL2) -> None:
    corpus = Corpus(
        "zh",
        (
            Document("1", "耳机断开后重新连接。"),
            Document("2", "手机电池耐用，耳机也好。", "耳机"),
            Document("3", "退货"),
        ),
    )
    index, query = operator.index(corpus), Query("耳机断开 怎么办")
    ranking = index.search(query)
    assert ranking.ids == ["1", "2"]
    check_explanation(index, query, ranking)


def test_a_weight_of_a_word_counts_like_its_occurrences() -> None:
    index = dirichlet(20).index(TREES)
    twice = index.search(Query("oak", weights=(("oak", 2.0), ("ash", 1.0))))
    assert [h.score for h in twice] == pytest.approx([h.score for h in index.search("oak oak ash")])
    assert twice.ids == index.search("oak oak ash").ids


def test_empty_texts_and_empty_corpora_give_lists_and_no_nan() -> None:
    for operator in (QueryLikelihood(), QueryLikelihood("jelinek-mercer"), InL2()):
        assert operator.index(Corpus("none", ())).search("oak").hits == ()
        hits = operator.index(Corpus("blank", (Document("1", ""), Document("2", "oak")))).search("oak").hits
        assert [h.document.id for h in hits] == ["2"]
        assert math.isfinite(hits[0].score)


@pytest.mark.parametrize(
    ("knob", "value"), [("mu", 0), ("mu", 10_001), ("lam", 0), ("lam", 1), ("smoothing", "laplace")]
)
def test_a_parameter_outside_its_range_is_refused(knob: str, value: object) -> None:
    with pytest.raises(ParameterError):
        QueryLikelihood(**{knob: value})
