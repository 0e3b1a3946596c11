"""Hybrid similarity: every part computed again, windows, threshold, and what stands around the result."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import tiny_cross_encoder
from hypothesis import given
from hypothesis import strategies as st
from night import for_each
from plain import WORDS as PLAIN

from lab.algebra import ALONE, Corpus, Document, Hit, Query, Ranking
from lab.models.cross_encoders import load
from lab.models.static import BuiltIn
from lab.numeric import unit
from lab.refine import hybrid as room
from lab.refine.coverage import idf
from lab.refine.hybrid import HybridSimilarity, Parts
from lab.refine.tags import Tags, cosine
from lab.retrieve.lexical import BM25

WORDS = ["battery", "headphones", "cable", "耳机", "充电", "年假", "red"]


def parts(hybrid: HybridSimilarity, ranking: Ranking) -> tuple[Parts, ...]:
    return room.parts(hybrid, ranking, ALONE)


def ranking(documents: list[Document], query: str) -> Ranking:
    corpus = Corpus("made up", tuple(documents))
    return Ranking(Query(query), tuple(Hit(d, float(-i)) for i, d in enumerate(corpus)), BM25(), corpus=corpus)


words = st.lists(st.sampled_from(WORDS), max_size=4)


@st.composite
def made_up(draw: st.DrawFn) -> list[Document]:
    out = []
    for i in range(draw(st.integers(1, 6))):
        metadata: dict[str, Any] = {}
        if draw(st.booleans()):
            metadata = {
                "keywords": draw(words),
                "questions": [" ".join(draw(words))],
                "tags": draw(st.lists(st.sampled_from("xyz"), max_size=2)),
            }
        if draw(st.booleans()):
            metadata["pagerank"] = draw(st.sampled_from([0.5, 2, "0.25", "none", True, [""], math.nan]))
        out.append(Document(f"d{i}", " ".join(draw(words)), " ".join(draw(words)), metadata))
    return out


@given(
    documents=made_up(),
    asked=words,
    v=st.floats(0, 1),
    k=st.floats(0, 3),
    source=st.sampled_from(["off", "own", "suggested"]),
    data=st.data(),
)
def test_equals_a_plain_restatement_of_its_definition(
    documents: list[Document], asked: list[str], v: float, k: float, source: str, data: st.DataObject
) -> None:
    strength = {name: data.draw(st.floats(0, 9)) for name in ("title", "keywords", "questions")}
    hybrid = HybridSimilarity(
        vector_weight=v,
        saturation=k,
        threshold=0.0,
        tag_source=source,
        tag_weight=3.0,
        pagerank_weight=0.5,
        analyzer=PLAIN,
        **strength,
    )
    before = ranking(documents, " ".join(asked))
    after = hybrid(before)
    assert before.corpus is not None
    encoder = BuiltIn().fit(before.corpus)
    query = unit(encoder.queries([before.query.text]))[0]
    rarity = {t: idf(len(documents), sum(t in f"{d.title} {d.text}".split() for d in documents)) for t in asked}
    ranks = {0.5: 0.5, 2: 2.0, "0.25": 0.25}
    nearness = unit(encoder.documents([d.content for d in documents])) @ query

    for document in documents:
        fields: Mapping[str, str] = {
            "title": document.title,
            "keywords": " ".join(document.metadata.get("keywords", [])),
            "questions": " ".join(document.metadata.get("questions", [])),
        }  # type: ignore[arg-type]
        tokens = 0.0
        for term, weight in rarity.items():
            f = (term in document.text.split()) + sum(
                strength[name] for name, text in fields.items() if term in text.split()
            )
            if f:
                tokens += weight / sum(rarity.values()) * (k + 1) * f / (f + k)
        near = float(unit(encoder.documents([document.content]))[0] @ query)
        tags = 0.0
        if source != "off":
            wanted = {s.tag: s.lift for s in Tags().for_query(before.query.text, before.corpus)}
            own = (
                dict.fromkeys(document.metadata.get("tags", []), 1.0)
                if source == "own"
                else {s.tag: s.lift for s in Tags().for_document(document, before.corpus)}
            )  # type: ignore[arg-type]
            tags = cosine(wanted, own)
        value = document.metadata.get("pagerank")
        pagerank = (
            ranks.get(value, 0.0) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else 0.0
        )
        share = v if any(nearness) else 0.0  # without a vector of the question the tokens count whole
        expected = (1 - share) * tokens + share * near + 3.0 * tags + 0.5 * pagerank
        hit = after.hit(document.id)
        if expected >= 1e-9:
            assert hit is not None
            assert hit.score == pytest.approx(expected, abs=1e-7)
            assert sum(c.value for c in hit.why) == pytest.approx(hit.score, abs=1e-12)


FIELDS = [
    Document("none", "tea"),
    Document("text", "battery"),
    Document("title", "battery", "battery"),
    Document("keywords", "battery", metadata={"keywords": ["battery"]}),
    Document("questions", "battery", metadata={"questions": ["Which battery?"]}),
]


def test_better_fields_count_more_but_not_without_end() -> None:
    told = {p.document.id: p.terms[0] for p in parts(HybridSimilarity(), ranking(FIELDS, "battery"))}
    assert {i: t.strength for i, t in told.items()} == {
        "none": 0,
        "text": 1,
        "title": 1 + 2,
        "keywords": 1 + 5,
        "questions": 1 + 6,
    }
    assert {i: t.factor for i, t in told.items()} == {
        i: 2 * f / (f + 1) for i, f in {"none": 0, "text": 1, "title": 3, "keywords": 6, "questions": 7}.items()
    }
    assert told["keywords"].fields == ("text", "keywords")


def test_without_saturation_the_fields_change_nothing() -> None:
    told = parts(HybridSimilarity(saturation=0), ranking(FIELDS, "battery"))
    assert [p.tokens for p in told] == [0, 1, 1, 1, 1]


def test_what_is_below_the_threshold_goes_with_its_numbers() -> None:
    before = ranking(FIELDS, "battery")
    told = {p.document.id: p for p in parts(HybridSimilarity(), before)}
    after = HybridSimilarity(threshold=0.9)(before)
    assert {h.document.id for h in after} == {i for i, p in told.items() if p.score >= 0.9}
    assert after.dropped
    for drop in after.dropped:
        p = told[drop.document.id]
        assert drop.reason.values == {
            "score": p.score,
            "tokens": 0.3 * p.tokens,
            "vector": 0.7 * p.vector,
            "limit": 0.9,
        } or drop.reason.values == pytest.approx(  # type: ignore[attr-defined]
            {"score": p.score, "tokens": 0.3 * p.tokens, "vector": 0.7 * p.vector, "limit": 0.9}
        )


def test_the_window_is_rounded_up_to_whole_pages() -> None:
    assert HybridSimilarity(window=64, page_size=10).aligned_window == 70
    assert HybridSimilarity(window=64, page_size=16).aligned_window == 64
    assert HybridSimilarity(window=1, page_size=30).aligned_window == 30


def test_a_document_climbs_only_within_its_window() -> None:
    documents = [Document(f"d{i}", "tea and cake") for i in range(7)] + [Document("best", "battery headphones")]
    before = ranking(documents, "battery headphones")
    wide = HybridSimilarity(threshold=0.0, window=8, page_size=1)(before)
    narrow = HybridSimilarity(threshold=0.0, window=3, page_size=3)(before)
    assert wide.rank("best") == 1
    assert narrow.rank("best") == 6 + 1
    assert sorted(h.score for h in wide) == sorted(h.score for h in narrow)


def test_tags_decide_alone_at_their_usual_weight() -> None:
    documents = [
        Document("answer", "the battery of the headphones lasts", metadata={"tags": ["other"]}),
        Document("n1", "battery", metadata={"tags": ["power"]}),
        Document("n2", "battery", metadata={"tags": ["power"]}),
        Document("far", "summer holidays", metadata={"tags": ["power"]}),
        *(Document(f"o{i}", "tea", metadata={"tags": ["other"]}) for i in range(4)),
    ]
    before = ranking(documents, "battery of the headphones")
    plain = HybridSimilarity(threshold=0.0)(before)
    tagged = HybridSimilarity(threshold=0.0, tag_source="own", tagger=Tags(neighbours=3))(before)
    assert plain.rank("answer") == 1
    assert tagged.hit("far").score > tagged.hit("answer").score  # type: ignore[union-attr]
    assert "tags" in [c.source for c in tagged.hits[0].why]


def test_a_model_can_stand_in_the_vectors_place() -> None:
    model = tiny_cross_encoder.folder()
    before = ranking(FIELDS, "battery")
    scores = load(model).scores("battery", [d.content for d in FIELDS], activation="sigmoid")
    told = parts(HybridSimilarity(model=model), before)
    np.testing.assert_allclose([p.vector for p in told], scores)
    assert told[1].score == pytest.approx(0.3 * told[1].tokens + 0.7 * scores[1])
    assert told[1].why[1].source == "model"


def test_with_a_model_the_rank_features_are_inside_the_weight_of_the_tokens() -> None:
    model = tiny_cross_encoder.folder()
    before = ranking([Document("plain", "battery"), Document("ranked", "battery", "", {"pagerank": 1})], "battery")
    told = parts(HybridSimilarity(0.3, model=model), before)[1]
    score = load(model).scores("battery", ["battery"] * 2, activation="sigmoid")[1]
    assert told.tokens == 1
    assert told.score == pytest.approx((1 - 0.3) * (1 + 1) + 0.3 * score)
    assert parts(HybridSimilarity(0.3), before)[1].score == pytest.approx((1 - 0.3) * 1 + 0.3 * told_vector(before) + 1)


def told_vector(before: Ranking) -> float:
    return parts(HybridSimilarity(0.3), before)[1].vector


def test_where_no_document_has_anything_of_the_vector_the_tokens_count_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ranking(FIELDS, "battery")
    plain = parts(HybridSimilarity(0.7), before)
    monkeypatch.setattr(room, "cosines", lambda *_: (np.zeros(len(FIELDS)), None))
    blind = parts(HybridSimilarity(0.7), before)
    assert [p.score for p in blind] == [p.tokens for p in plain]
    assert any(p.score for p in blind)
    monkeypatch.setattr(room, "cosines", lambda *_: (np.array([0.0, 0.0, 0.5, 0.0, 0.0]), None))
    windows = parts(HybridSimilarity(0.7, window=2, page_size=2), before)
    assert [p.score for p in windows] == pytest.approx(
        [p.tokens * (0.3 if i in (2, 3) else 1) + (0.35 if i == 2 else 0) for i, p in enumerate(plain)]
    )


def test_tags_are_no_division_by_zero_for_a_question_without_tags() -> None:
    documents = [Document("tagged", "battery", "", {"tags": ["x"], "pagerank": 2}), Document("bare", "battery")]
    told = parts(HybridSimilarity(tag_source="own"), ranking(documents, "zzz"))
    assert [p.tags for p in told] == [0.0, 0.0]
    assert all(math.isfinite(p.score) for p in told)


def test_a_document_that_was_shortened_is_judged_by_its_own_words() -> None:
    before = ranking(FIELDS, "battery")
    short = Document("text", "tea")
    assert before.corpus is not None
    told = parts(HybridSimilarity(), Ranking(Query("battery"), (Hit(short, 1.0),), BM25(), corpus=before.corpus))
    assert told[0].tokens == 0


def test_the_evidence_is_the_parts_of_every_document_that_was_looked_at() -> None:
    before = ranking(FIELDS, "battery")
    after = HybridSimilarity(threshold=0.9)(before)
    assert after.evidence == parts(HybridSimilarity(threshold=0.9), before)
    assert [p.document for p in after.evidence] == [h.document for h in before]


@for_each("rank", [10**400, -(10**400), "1" + "0" * 400, math.inf, math.nan, True, "high"])
def test_a_pagerank_that_is_no_number_of_a_float_counts_nothing(rank: object) -> None:
    found = ranking([Document("a", "battery", "", {"pagerank": rank})], "battery")  # type: ignore[dict-item]
    (told,) = parts(HybridSimilarity(), found)
    assert told.pagerank == 0
    assert [c.source for c in told.why] == ["tokens", "vector"]


def test_from_0_24_on_a_pair_of_neighbours_counts_more_than_a_word() -> None:
    """A word gets 0.4 of its weight, a pair 0.6 of the heavier one's; all of them sum to 1."""
    documents = [Document("both", "red cable"), Document("apart", "cable and red"), Document("none", "tea")]
    hybrid = HybridSimilarity(saturation=0.0, rules="0.24.0", analyzer=PLAIN)
    rated = {p.document.id: p for p in parts(hybrid, ranking(documents, "red cable"))}
    weight = 1 / 2  # both words are in two passages
    total = 2 * 0.4 * weight + 0.6 * weight
    assert [t.term for t in rated["both"].terms] == ["red", "cable", "red cable"]
    assert rated["both"].tokens == pytest.approx(1.0)
    assert rated["apart"].tokens == pytest.approx(2 * 0.4 * weight / total)
    assert rated["none"].tokens == 0.0


def test_a_word_between_that_was_there_before_does_not_part_a_pair() -> None:
    """RAGFlow takes repeated words of a passage away before it looks at neighbours."""
    hybrid = HybridSimilarity(saturation=0.0, rules="0.24.0", analyzer=PLAIN)
    (only,) = parts(hybrid, ranking([Document("a", "tea red tea cable")], "red cable"))
    assert only.tokens == pytest.approx(1.0)


def test_from_0_25_5_on_the_words_keep_their_share_without_a_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ranking(FIELDS, "battery")
    monkeypatch.setattr(room, "cosines", lambda *_: (np.zeros(len(FIELDS)), None))
    for rules, share in (("0.22.0", 1.0), ("0.24.0", 1.0), ("0.25.5", 0.3)):
        rated = parts(HybridSimilarity(0.7, rules=rules), before)
        assert [p.score for p in rated] == pytest.approx([share * p.tokens for p in rated])


def test_from_0_22_1_on_the_rank_features_are_outside_the_weight_of_the_tokens() -> None:
    model = tiny_cross_encoder.folder()
    before = ranking([Document("plain", "battery"), Document("ranked", "battery", "", {"pagerank": 1})], "battery")
    rated = parts(HybridSimilarity(0.3, model=model, rules="0.22.1"), before)[1]
    score = load(model).scores("battery", ["battery"] * 2, activation="sigmoid")[1]
    assert rated.score == pytest.approx((1 - 0.3) * 1 + 0.3 * score + 1)
