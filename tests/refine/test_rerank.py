"""Reranking with a cross-encoder, and the comparison of before and after."""

from __future__ import annotations

import math

import pytest
import tiny_cross_encoder

from lab.algebra import Corpus, Document, Hit, Ranking
from lab.errors import EvaluationError
from lab.explain.moves import moves, quality, speed
from lab.models.cross_encoders import load
from lab.refine.rerank import CrossEncoderReranker
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

CORPUS = Corpus(
    "mixed",
    tuple(
        Document(f"d{i}", text, title)
        for i, (title, text) in enumerate(
            [
                ("", "电池充电"),
                ("Manual", "battery of the headphones"),
                ("", "年假申请"),
                ("", "bluetooth"),
                ("", "在是的了"),
            ]
        )
    ),
)
BEFORE = Ranking("battery 电池", tuple(Hit(d, 5.0 - i) for i, d in enumerate(CORPUS)), BM25(), corpus=CORPUS)


@pytest.fixture(scope="module")
def tiny() -> str:
    return tiny_cross_encoder.folder()


def test_the_scores_are_the_models_and_the_order_follows_them(tiny: str) -> None:
    after = CrossEncoderReranker(tiny)(BEFORE)
    logits = dict(
        zip(
            (d.id for d in CORPUS),
            load(tiny).scores(BEFORE.query.text, [d.content for d in CORPUS]).tolist(),
            strict=True,
        )
    )
    assert {h.document.id: h.score for h in after} == logits
    assert [h.document.id for h in after] == sorted(logits, key=lambda i: -logits[i])
    assert all(h.why == () for h in after)


def test_logit_and_sigmoid_give_one_order(tiny: str) -> None:
    logit, sigmoid = CrossEncoderReranker(tiny)(BEFORE), CrossEncoderReranker(tiny, activation="sigmoid")(BEFORE)
    assert [h.document.id for h in logit] == [h.document.id for h in sigmoid]
    assert [h.score for h in sigmoid] == pytest.approx([1 / (1 + math.exp(-h.score)) for h in logit])


def test_what_is_not_kept_is_dropped_with_its_rank_and_both_scores(tiny: str) -> None:
    whole, after = CrossEncoderReranker(tiny)(BEFORE), CrossEncoderReranker(tiny, top_n=2)(BEFORE)
    assert after.hits == whole.hits[:2]
    assert [d.document.id for d in after.dropped] == [h.document.id for h in whole.hits[2:]]
    for rank, drop in enumerate(after.dropped, 3):
        assert drop.reason.values == {
            "rank": rank,
            "n": 5,
            "score": whole.hits[rank - 1].score,
            "top": 2,
            "last": whole.hits[1].score,
        }  # type: ignore[attr-defined]
        assert drop.by == after.made_by.label


def test_the_model_is_named_in_the_label() -> None:
    assert CrossEncoderReranker("BAAI/bge-reranker-base").label == "Cross-encoder · bge-reranker-base"
    assert CrossEncoderReranker("/models/mine/").label == "Cross-encoder · mine"


def test_nothing_is_loaded_for_an_empty_list() -> None:
    assert CrossEncoderReranker("/no/such/folder")(Ranking("x", (), BM25(), corpus=CORPUS)).hits == ()


def test_moves_tell_ranks_and_scores_before_and_after() -> None:
    a, b, c = CORPUS.documents[:3]
    old = Ranking("q", (Hit(a, 3.0), Hit(b, 2.0)), BM25(), corpus=CORPUS)
    new = Ranking("q", (Hit(c, 9.0), Hit(a, 8.0)), Vector(), corpus=CORPUS)
    told = moves(old, new)
    assert [(m.document.id, m.before, m.after, m.change) for m in told] == [
        ("d2", None, 1, None),
        ("d0", 1, 2, 1 - 2),
        ("d1", 2, None, None),
    ]
    assert (told[1].score_before, told[1].score_after) == (3.0, 8.0)


def test_speed_is_the_documents_looked_at_per_second() -> None:
    assert speed(Ranking("q", (), BM25(), parents=(BEFORE,), seconds=0.5, corpus=CORPUS)) == 5 / 0.5
    assert speed(Ranking("q", (), BM25(), parents=(BEFORE,), corpus=CORPUS)) is None
    assert speed(BEFORE) is None


def test_quality_before_and_after_with_its_sign() -> None:
    a, b = CORPUS.documents[:2]
    good = Ranking("q", (Hit(a, 2.0), Hit(b, 1.0)), BM25(), corpus=CORPUS)
    bad = Ranking("q", (Hit(b, 2.0), Hit(a, 1.0)), BM25(), corpus=CORPUS)
    assert quality([good, bad], {"d0": 1}) == pytest.approx((1.0, 1 / math.log2(3)))
    with pytest.raises(EvaluationError):
        quality([good], {"d0": 0})
