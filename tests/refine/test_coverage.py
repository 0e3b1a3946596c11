"""Coverage: the share of the query's weight that a document holds, exactly or in meaning."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import WORDS

from lab import presets
from lab.algebra import Contribution, Corpus, Document, Hit, Query, Ranking, Runner
from lab.corpus import beir
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run, run_many
from lab.fuse import WeightedSum
from lab.models.static import BuiltIn, StaticEncoder
from lab.numeric import unit
from lab.refine.coverage import Coverage, Covered, MatchMatrix, MaxSim, Meanings, QueryCoverage, idf
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

DEVICES = Corpus(
    "devices",
    (
        Document("a", "battery battery battery battery"),
        Document("b", "the battery of the headphones"),
        Document("c", "headphones and their cable"),
        Document("d", "a red cable"),
    ),
)


def covered(coverage: Coverage, ranking: Ranking) -> Covered:
    """The evidence of this coverage."""
    found = coverage(ranking).evidence
    assert isinstance(found, Covered)
    return found


def ranked(scores: dict[str, float], query: str, corpus: Corpus = DEVICES) -> Ranking:
    hits = [Hit(corpus.get(i) or DEVICES.get(i) or Document(i, i), s) for i, s in scores.items()]
    return Ranking(Query(query), tuple(hits), BM25(), corpus=corpus)


def test_idf_is_above_zero_even_for_a_word_that_all_have() -> None:
    assert idf(4, 4) == pytest.approx(math.log(1 + 0.5 / 4.5))
    assert idf(4, 0) == pytest.approx(math.log(1 + 4.5 / 0.5))


def test_exact_coverage_is_the_share_of_the_idf_weight_and_is_mixed_by_min_max() -> None:
    before = ranked({"a": 3.0, "b": 2.0, "c": 1.0}, "battery headphones")
    after = QueryCoverage(weight=0.4)(before)
    half = idf(4, 2) / (2 * idf(4, 2))  # both words stand in two of four documents
    assert {h.document.id: h.score for h in after} == pytest.approx(
        {"a": 0.6 * 1 + 0.4 * half, "b": 0.6 * (2 - 1) / (3 - 1) + 0.4 * 1, "c": 0.6 * 0 + 0.4 * half}
    )
    assert [h.document.id for h in after] == ["a", "b", "c"]
    assert [h.document.id for h in QueryCoverage(weight=0.8)(before)] == ["b", "a", "c"]


def test_why_has_the_first_stage_and_one_addend_per_token_held() -> None:
    after = QueryCoverage()(ranked({"a": 3.0, "b": 2.0, "c": 1.0}, "battery headphones nonsense"))
    assert {h.document.id: [c.source for c in h.why] for h in after} == {
        "a": [BM25().label, "covers battery"],
        "b": [BM25().label, "covers battery", "covers headphones"],
        "c": [BM25().label, "covers headphones"],
    }


def test_a_word_that_nobody_has_counts_in_the_whole() -> None:
    cover = covered(QueryCoverage(), ranked({"b": 1.0}, "battery nonsense"))
    assert cover.matcher.names == ("battery", "nonsense")
    assert cover.shares.tolist() == pytest.approx([idf(4, 2) / (idf(4, 2) + idf(4, 0))])


def test_a_repeated_word_counts_once() -> None:
    cover = covered(QueryCoverage(), ranked({"b": 1.0}, "battery batteries cable"))
    assert (len(cover.tokens), cover.matcher.names) == (2, ("battery", "cable"))


@given(
    st.lists(st.sampled_from(["red", "cable", "battery", "headphones", "the", "耳机", "充电", "电池"]), max_size=6),
    st.floats(0, 1),
    st.data(),
)
def test_exact_coverage_equals_a_plain_restatement(words: list[str], weight: float, data: st.DataObject) -> None:
    texts = data.draw(
        st.lists(
            st.lists(
                st.sampled_from(["red", "cable", "battery", "headphones", "the", "耳机", "充电", "电池", "年假"]),
                max_size=5,
            ),
            min_size=1,
            max_size=6,
        )
    )
    corpus = Corpus("made up", tuple(Document(str(i), " ".join(t)) for i, t in enumerate(texts)))
    scores = data.draw(st.lists(st.floats(-5, 5), min_size=len(texts), max_size=len(texts)))
    before = Ranking(
        Query(" ".join(words)), tuple(Hit(d, s) for d, s in zip(corpus, scores, strict=True)), BM25(), corpus=corpus
    )
    after = QueryCoverage(weight=weight, analyzer=WORDS)(before)

    low, high = min(scores), max(scores)
    rarity = {w: idf(len(texts), sum(w in t for t in texts)) for w in words}
    for text, score, document in zip(texts, scores, corpus, strict=True):
        first = (score - low) / (high - low) if high - low > 1e-9 else 0.0
        share = sum(r for w, r in rarity.items() if w in text) / sum(rarity.values()) if words else 0.0
        hit = after.hit(document.id)
        assert hit is not None
        assert hit.score == pytest.approx((1 - weight) * first + weight * share, abs=1e-12)


def test_normalisation_none_keeps_the_first_stage_and_its_addends() -> None:
    before = ranked({"a": 0.5, "b": 0.25}, "battery headphones")
    before = replace(
        before,
        hits=tuple(replace(h, why=(Contribution("x", 0.1), Contribution("y", h.score - 0.1))) for h in before.hits),
    )
    hit = QueryCoverage(weight=0.4, normalisation="none")(before).hit("b")
    assert hit is not None
    assert hit.score == pytest.approx(0.6 * 0.25 + 0.4 * 1)
    assert [c.source for c in hit.why[:2]] == ["x", "y"]
    assert [c.value for c in hit.why[:2]] == pytest.approx([0.6 * 0.1, 0.6 * 0.15])


def test_a_shortened_document_is_judged_by_what_is_left_of_it() -> None:
    before = ranked({"b": 1.0, "c": 0.5}, "battery headphones")
    short = Document("b", "the battery")
    for coverage in (QueryCoverage(), MaxSim()):
        held = covered(coverage, replace(before, hits=(Hit(short, 1.0), before.hits[1]))).held[0]
        assert held[0] == pytest.approx(1.0)
        assert held[1] < 0.9


def test_idf_is_that_of_the_corpus_that_was_searched_and_not_of_the_hits() -> None:
    two = Corpus("two", DEVICES.documents[:2])
    for corpus, expected in ((DEVICES, [idf(4, 2), idf(4, 2)]), (two, [idf(2, 2), idf(2, 1)])):
        cover = covered(QueryCoverage(), ranked({"a": 2.0, "b": 1.0}, "battery headphones", corpus))
        assert cover.idf.tolist() == pytest.approx(expected)


def test_an_empty_query_leaves_the_order() -> None:
    before = ranked({"a": 3.0, "b": 2.0}, "")
    for coverage in (QueryCoverage(), MaxSim()):
        assert [h.document.id for h in coverage(before)] == ["a", "b"]


# ------------------------------------------------------------------------------------------------- soft


def test_soft_coverage_equals_a_plain_restatement() -> None:
    query = "headphone batteries 充电"
    before = Vector().index(DEVICES).search(query)
    cover = covered(MaxSim(), before)
    encoder = BuiltIn().fit(DEVICES)
    assert isinstance(encoder, StaticEncoder)
    names, rows = encoder.tokens(query)
    own = {d.id: encoder.tokens(d.text) for d in DEVICES}
    rarity = [idf(4, sum(n in tokens for tokens, _ in own.values())) for n in names]
    weights = np.array([r * np.linalg.norm(row) for r, row in zip(rarity, rows, strict=True)])
    assert cover.tokens == tuple(names)
    np.testing.assert_allclose(cover.weights, weights / weights.sum())
    for hit, held in zip(before, cover.held, strict=True):
        cosines = unit(rows) @ unit(own[hit.document.id][1]).T
        np.testing.assert_allclose(held, np.clip(cosines.max(axis=1), 0, 1), atol=1e-12)


def test_soft_coverage_is_spread_from_the_least_covered_to_the_most() -> None:
    before = ranked({"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}, "headphones 电池")
    after = MaxSim(0.3)(before)
    shares = covered(MaxSim(0.3), before).shares
    expected = 0.3 * (shares - shares.min()) / (shares.max() - shares.min())  # the first stage has no spread: it adds 0
    for hit, value in zip(before, expected, strict=True):
        assert after.hit(hit.document.id).score == pytest.approx(value, abs=1e-12)  # type: ignore[union-attr]
    assert after.hits[0].score == pytest.approx(0.3)
    assert after.hits[-1].score == 0


def test_soft_coverage_reads_the_other_language() -> None:
    corpus = Corpus(
        "two languages",
        (
            Document("pay", "工资按月发放。"),
            Document("phones", "耳机充满电需要两个小时。"),
            Document("leave", "年假须提前申请。"),
        ),
    )
    for query, wanted in (
        ("charging the headphones", "phones"),
        ("monthly salary", "pay"),
        ("apply for annual leave", "leave"),
    ):
        before = Ranking(Query(query), tuple(Hit(d, 1.0) for d in corpus), BM25(), corpus=corpus)
        assert MaxSim()(before).hits[0].document.id == wanted


@given(
    texts=st.lists(
        st.lists(st.sampled_from(["battery", "Charging", "wireless", "", "电池", "\ud800", "x" * 90]), max_size=6).map(
            " ".join
        ),
        max_size=5,
    )
)
def test_texts_at_once_hold_what_each_holds_in_its_own_table(texts: list[str]) -> None:
    matcher = Meanings("battery 电池 wireless", DEVICES)
    alone = [matcher.table(Document("", text))[1].max(axis=1, initial=0.0) for text in texts]
    assert np.array_equal(matcher.texts(texts), np.array(alone).reshape(len(texts), len(matcher.tokens)))


def test_equal_documents_tie_in_the_order_of_the_list() -> None:
    corpus = Corpus(
        "twins", tuple(Document(f"t{i}", "headphones with a cable") for i in range(5)) + (Document("x", "tea"),)
    )
    before = Ranking(
        Query("earphone wire"), tuple(Hit(d, 1.0) for d in reversed(corpus.documents)), BM25(), corpus=corpus
    )
    after = MaxSim()(before)
    assert [h.document.id for h in after] == ["t4", "t3", "t2", "t1", "t0", "x"]
    assert len({h.score for h in after.hits[:5]}) == 1


# ----------------------------------------------------------------------------------------- the match matrix


@pytest.mark.parametrize("coverage", [QueryCoverage(0.4), MaxSim(0.4)], ids=lambda c: c.label)
def test_the_matrix_holds_what_coverage_compares(coverage: Coverage) -> None:
    before = ranked({"a": 3.0, "b": 2.0, "c": 1.0}, "headphones battery 电池 nonsense")
    cover = covered(coverage, before)
    for i, hit in enumerate(before):
        shown = cover.matrix(hit.document)
        assert shown.tokens == tuple(dict.fromkeys(cover.matcher.names))
        assert shown.table.shape == (len(shown.tokens), len(shown.columns))
        assert shown.weights @ shown.table.max(axis=1, initial=0.0) == pytest.approx(cover.shares[i], abs=1e-12)
        for row, best in zip(shown.table, shown.best, strict=True):
            assert row.max(initial=0.0) == (row[best] if best >= 0 else 0.0)


@pytest.mark.parametrize("coverage", [QueryCoverage(0.4), MaxSim(0.4)], ids=lambda c: c.label)
def test_the_explained_addends_and_the_first_stage_sum_to_the_score(coverage: Coverage) -> None:
    before = ranked({"a": 3.0, "b": 2.0, "c": 1.0}, "headphones battery 电池")
    after = coverage(before)
    cover = after.evidence
    for i, (doc_id, first) in enumerate((("a", 1.0), ("b", 0.5), ("c", 0.0))):
        hit = after.hit(doc_id)
        assert hit is not None
        assert 0.6 * first + coverage.weight * cover.gains[i].sum() == pytest.approx(hit.score, abs=1e-12)


def test_the_matrix_names_the_word_that_each_token_takes() -> None:
    cover = covered(QueryCoverage(), ranked({"b": 2.0}, "headphone batteries 电池"))
    shown = cover.matrix(DEVICES.documents[1])
    assert shown.tokens == ("headphone", "batteries", "电池"), "the word and the pair of its characters are one row"
    assert shown.weights.sum() == pytest.approx(1)
    assert [shown.columns[i] if i >= 0 else "" for i in shown.best] == ["headphones", "battery", ""]


def test_a_narrow_matrix_keeps_the_best_matches() -> None:
    text = " ".join(f"word{i}" for i in range(50)) + " battery headphones"
    shown = covered(QueryCoverage(), ranked({"b": 1.0}, "battery headphones")).matrix(Document("long", text))
    narrow = shown.around(4)
    assert len(narrow.columns) == 4
    assert {"battery", "headphones"} <= set(narrow.columns)
    assert [narrow.columns[i] for i in narrow.best] == ["battery", "headphones"]
    assert shown.around(1000) is shown
    assert isinstance(narrow, MatchMatrix)


# ----------------------------------------------------------------------------------------- the pipeline


def test_words_and_vectors_and_then_soft_coverage_are_three_parts_with_their_weights() -> None:
    fuse = WeightedSum(weights=(2 / 3, 1 / 3))
    search = fuse(BM25(), Vector(), depth=50) >> MaxSim(0.4, normalisation="none")
    answer = Runner(DEVICES)(search, "headphone batteries")
    bm25, vector = (
        BM25().index(DEVICES).search("headphone batteries", k=50),
        Vector().index(DEVICES).search("headphone batteries", k=50),
    )
    fused = fuse([bm25, vector])
    cover = covered(MaxSim(0.4, normalisation="none"), fused)
    for i, hit in enumerate(fused):
        spread = (cover.shares[i] - cover.shares.min()) / (cover.shares.max() - cover.shares.min())
        parts = []
        for ranking in (bm25, vector):
            scores, own = [h.score for h in ranking], ranking.hit(hit.document.id)
            parts.append((own.score - min(scores)) / (max(scores) - min(scores)) if own and len(scores) > 1 else 0.0)
        found = answer.hit(hit.document.id)
        assert found is not None
        assert found.score == pytest.approx(0.4 * parts[0] + 0.2 * parts[1] + 0.4 * spread, abs=1e-12)
    assert [r.made_by.label for r in answer.lineage()] == [
        BM25().label,
        "Vector · Built-in bilingual",
        "Weighted sum",
        "Soft coverage",
    ]


def test_the_best_offline_pipeline_is_cut_to_k() -> None:
    index = presets.find("best").index(DEVICES)
    assert len(index.search("battery cable", k=2)) == 2
    assert len(index.search("")) == 0


@pytest.mark.nightly
def test_exact_coverage_helps_lay_questions_about_statutes(collection: Callable[[str], Path]) -> None:
    found = beir.load(collection("stard_pool"))
    index, asked = BM25().index(found.corpus), found.judged[::2]
    before = {q.id: index.search(q.text, k=50, explain=False) for q in asked}
    after = {q: QueryCoverage()(ranking) for q, ranking in before.items()}
    qrels = {q.id: found.qrels[q.id] for q in asked}
    old, new = (
        measure_run(Run.of(name, r), qrels, ["nDCG@10"]).means["nDCG@10"]
        for name, r in (("before", before), ("after", after))
    )
    assert new > old


@pytest.mark.nightly
def test_the_best_offline_pipeline_crosses_languages(collection: Callable[[str], Path]) -> None:
    found = beir.load(collection("xquad_en2zh"))
    asked = found.judged[::8]
    run = run_many({"best": presets.find("best")}, found.corpus, asked, k=10)["best"]
    means = measure_run(run, {q.id: found.qrels[q.id] for q in asked}, ["nDCG@10"]).means
    assert means["nDCG@10"] >= 0.64
