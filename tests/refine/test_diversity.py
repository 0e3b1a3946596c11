"""MMR: the arithmetic of each pick, the reasons for what is left out, and the lambdas at which picks flip."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples

from lab.algebra import Corpus, Document, Hit, Query, Ranking, Runner
from lab.errors import ParameterError
from lab.models.embedders import Embedder, Encoder, vectors_for, vectors_of
from lab.models.static import BuiltIn, StaticEncoder
from lab.numeric import cosines
from lab.refine.diversity import MMR, replay
from lab.retrieve.lexical import BM25, TFIDF


class Given(Encoder):
    """Texts are their own vectors: "1 0 2"."""

    dimensions = 3

    def documents(self, texts, *, progress=None):
        return np.array([[float(x) for x in text.split()] for text in texts], dtype=np.float32).reshape(len(texts), 3)


@dataclass(frozen=True)
class GivenEmbedder(Embedder):
    def fit(self, corpus: Corpus) -> Encoder:
        return Given()


def ranked(*vectors: str, query: str = "1 0 0") -> Ranking:
    documents = tuple(Document(f"d{i}", v) for i, v in enumerate(vectors))
    corpus = Corpus("vectors", documents)
    return Ranking(query, tuple(Hit(d, 1.0 - i / 100) for i, d in enumerate(documents)), BM25(), corpus=corpus)


def mmr(**knobs) -> MMR:
    return MMR(embedder=GivenEmbedder(), **knobs)


def ids(ranking: Ranking) -> list[str]:
    return [h.document.id for h in ranking]


# 3-4-5 triangles, so that every cosine is a short decimal
NEAR, TWIN, SIDE, FAR = "4 3 0", "8 6 0", "3 0 4", "0 1 0"


def test_a_copy_of_a_pick_waits_until_something_else_is_said() -> None:
    after = mmr(lambda_mult=0.5, k=3)(ranked(NEAR, TWIN, SIDE, FAR))
    assert ids(after) == ["d0", "d2", "d1"]
    first, second, third = after.hits
    assert first.score == pytest.approx(0.5 * 0.8)
    assert second.score == pytest.approx(0.5 * 0.6 - 0.5 * (0.8 * 0.6))
    assert third.score == pytest.approx(0.5 * 0.8 - 0.5 * 1.0)
    assert [str(c.source) for c in third.why] == ["similar to the query", f"similar to “{NEAR}”"]
    assert len(first.why) == 1


def test_lambda_1_is_plain_similarity_and_lambda_0_is_difference_after_the_first() -> None:
    before = ranked(SIDE, NEAR, TWIN, FAR)
    assert ids(mmr(lambda_mult=1.0)(before)) == ["d1", "d2", "d0", "d3"]
    assert ids(mmr(lambda_mult=0.0, k=2)(before)) == ["d1", "d0"]


def test_what_is_left_out_says_why_in_numbers() -> None:
    after = mmr(fetch_k=3, k=2)(ranked(NEAR, TWIN, SIDE, FAR))
    reasons = {d.document.id: d.reason for d in after.dropped}
    assert reasons["d1"] == (
        "Not picked (k = 2): 0.50 × 0.800 − 0.50 × 1.000 = -0.100, because it is similar to “4 3 0”; "
        "the last pick had 0.060."
    )
    assert reasons["d3"] == "Rank 4; the last examined rank is 3."
    one = mmr(k=1)(ranked(NEAR, SIDE))
    assert one.dropped[0].reason == "Not picked: cosine 0.600 with the query; the only pick has 0.800."
    assert {d.by for d in after.dropped} == {"MMR"}


def test_ties_go_to_the_document_that_was_ahead() -> None:
    assert ids(mmr()(ranked(FAR, FAR, FAR, query="0 1 0"))) == ["d0", "d1", "d2"]


def test_nothing_gives_nothing_and_vectors_of_zeros_do_no_harm() -> None:
    empty = Ranking("1 0 0", (), BM25(), corpus=Corpus("none", ()))
    assert mmr()(empty).hits == ()
    with pytest.raises(ParameterError, match="empty"):
        replay(mmr(), empty)
    assert ids(mmr()(ranked("0 0 0", NEAR, "0 0 0"))) == ["d1", "d0", "d2"]
    assert ids(mmr()(ranked(NEAR, SIDE, query="0 0 0"))) == ["d0", "d1"]


def test_replay_names_who_blocked_whom_and_by_how_much() -> None:
    told = replay(mmr(k=3), ranked(NEAR, TWIN, SIDE, FAR))
    assert [p.document.id for p in told.picks] == ["d0", "d2", "d1"]
    second = told.picks[1]
    assert [c.document.id for c in second.candidates] == ["d2", "d1", "d3"]
    twin = second.candidates[1]
    assert (twin.document.id, twin.rank, twin.blocker.id) == ("d1", 2, "d0")
    assert (twin.relevance, twin.redundancy) == (pytest.approx(0.8), pytest.approx(1.0))
    assert twin.value == twin.relevance_part + twin.redundancy_part == pytest.approx(0.5 * 0.8 - 0.5)
    assert second.value - second.candidates[1].value == pytest.approx(0.06 - (-0.1))
    assert told.picks[0].candidates[0].blocker is None
    assert told.picks[2].value - told.picks[2].candidates[1].value == pytest.approx(-0.1 - (-0.5 * 0.6))


def test_the_lambda_at_which_a_pick_flips_solves_its_equation() -> None:
    # second pick, after NEAR: TWIN has L 0.8 - (1-L) 1, SIDE has L 0.6 - (1-L) 0.48: equal at L = 0.52/0.72
    told = replay(mmr(k=2), ranked(NEAR, TWIN, SIDE))
    assert [[d.id for d in j.documents] for j in told.journeys] == [["d0", "d2"], ["d0", "d1"]]
    assert told.journeys[0].high == told.journeys[1].low == pytest.approx(0.52 / 0.72)
    first, second = told.picks
    assert (first.low, first.high, first.below, first.above) == (0, 1, None, None)
    assert (second.low, second.high) == (0, pytest.approx(0.52 / 0.72))
    assert (second.below, second.above.id) == (None, "d1")


@st.composite
def clouds(draw: st.DrawFn) -> Ranking:
    coarse = st.integers(-3, 3)  # few values: equal vectors and ties happen
    fine = st.integers(-1000, 1000)
    number = draw(st.sampled_from([coarse, fine]))
    rows = draw(st.lists(st.tuples(number, number, number), min_size=1, max_size=9))
    query = draw(st.tuples(number, number, number))
    return ranked(*(" ".join(map(str, r)) for r in rows), query=" ".join(map(str, query)))


@examples(150)
@given(clouds(), st.integers(1, 6))
def test_journeys_are_what_the_operator_picks_just_below_and_just_above_every_border(before: Ranking, k: int) -> None:
    told = replay(mmr(k=k), before)
    assert (told.journeys[0].low, told.journeys[-1].high) == (0.0, 1.0)
    relevance, similarity = told.relevance, told.similarity

    def value_gap(share: float, path: list[str], other: list[str]) -> float:
        """How far apart the two picks are in value where the paths part; 0 where they are the same path."""
        rows = [int(i[1:]) for i in path]
        for step, (a, b) in enumerate(zip(path, other, strict=True)):
            if a != b:
                i, j, own = int(a[1:]), int(b[1:]), rows[:step]
                return abs(
                    share * (relevance[i] - relevance[j])
                    - (1 - share) * (similarity[i, own].max() - similarity[j, own].max())
                )
        return 0.0

    for left, right in zip(told.journeys, told.journeys[1:], strict=False):
        assert left.high == right.low
        assert left.documents != right.documents
        by = min(left.high - left.low, right.high - right.low) / 3
        for journey, at in ((left, left.high - by), (right, right.low + by)):
            path = [d.id for d in journey.documents]
            other = ids(replace(told.mmr, lambda_mult=at)(before))
            assert value_gap(at, path, other) < 1e-9, "another path only where the values are equal"
            if by > 1e-6:
                assert path == other or value_gap(at, path, other) < 1e-12

    for share in np.linspace(0.0017, 0.9983, 41).tolist():
        journey = next(j for j in told.journeys if j.low <= share <= j.high)
        path = [d.id for d in journey.documents]
        assert value_gap(share, path, ids(replace(told.mmr, lambda_mult=share)(before))) < 1e-9


@examples(60)
@given(clouds(), st.integers(1, 6), st.floats(0, 1))
def test_between_low_and_high_a_pick_and_all_before_it_stay(before: Ranking, k: int, share: float) -> None:
    told = replay(mmr(k=k, lambda_mult=share), before)
    for pick in told.picks:
        assert pick.low - 1e-9 <= share <= pick.high + 1e-9
        if pick.high - pick.low < 1e-6:
            continue
        for at in np.linspace(pick.low, pick.high, 7)[1:-1].tolist():
            journey = next(j for j in told.journeys if j.low <= at <= j.high)
            assert [d.id for d in journey.documents[: pick.step]] == [p.document.id for p in told.picks[: pick.step]]
    lows, highs = [p.low for p in told.picks], [p.high for p in told.picks]
    assert lows == sorted(lows)
    assert highs == sorted(highs, reverse=True)


@examples(60)
@given(clouds(), st.integers(1, 6), st.floats(0, 1))
def test_the_replay_and_the_stage_tell_the_same_story(before: Ranking, k: int, share: float) -> None:
    stage = mmr(k=k, lambda_mult=share)
    after, told = stage(before), replay(stage, before)
    assert ids(after) == [p.document.id for p in told.picks]
    for hit, pick in zip(after, told.picks, strict=True):
        assert hit.score == pytest.approx(pick.value, abs=1e-12)
        assert hit.score == sum(c.value for c in hit.why)
        assert pick.candidates[0].document == pick.document
        assert all(pick.value - c.value >= -1e-12 for c in pick.candidates)
        assert len(pick.candidates) == len(before) - pick.step + 1


def test_heat_maps_are_cosines_of_the_picks_and_of_the_plain_top() -> None:
    before = ranked(NEAR, TWIN, SIDE)
    told = replay(mmr(k=2), before)
    assert told.among([p.document for p in told.picks]) == pytest.approx(np.array([[1, 0.48], [0.48, 1]]))
    assert told.among([h.document for h in before.hits[:2]]) == pytest.approx(np.ones((2, 2)))


def test_vectors_come_from_the_corpus_where_it_has_them_and_are_the_same_where_it_has_not() -> None:
    texts = ["battery of the headphones", "noise cancelling", "电池 充电", "annual leave"]
    documents = tuple(Document(str(i), t) for i, t in enumerate(texts))
    fresh, warm = Corpus("a", documents), Corpus("a", documents)
    vectors_of(BuiltIn(), warm)
    some = documents[1:3]
    for corpus in (fresh, warm):
        query, rows = vectors_for(BuiltIn(), "battery", some, corpus)
        assert rows == pytest.approx(vectors_of(BuiltIn(), warm)[1:3], abs=1e-6)
        assert query.shape == rows[0].shape
    assert not fresh.holds(("vectors", BuiltIn())), "a few documents are no reason to embed the whole corpus"


def test_in_one_run_a_question_is_embedded_once_and_lists_that_begin_alike_are_replayed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    plain = StaticEncoder.queries
    monkeypatch.setattr(StaticEncoder, "queries", lambda self, texts: asked.extend(texts) or plain(self, texts))
    texts = ["battery of the headphones", "battery battery", "noise cancelling", "annual leave", "a battery of tests"]
    corpus = Corpus("a", tuple(Document(str(i), t) for i, t in enumerate(texts)))
    stage, query = MMR(k=2, fetch_k=2), Query("battery")
    runner = Runner(corpus, explain=False)
    whole, cut, other = (runner(s >> stage, query) for s in (BM25(), BM25() % 2, TFIDF()))
    assert asked == ["battery"]
    assert [(h.document.id, h.score) for h in whole] == [(h.document.id, h.score) for h in cut]
    alone = [Runner(corpus)(s >> stage, query) for s in (BM25(), BM25() % 2, TFIDF())]
    for run, own in zip((whole, cut, other), alone, strict=True):
        assert [(h.document.id, h.score) for h in run] == [(h.document.id, h.score) for h in own]
        assert [*run.dropped] == [*own.dropped]
        assert run.evidence is None, "bulk work has no evidence"
        assert not any(h.why for h in run), "and no reasons"


def test_cosines_of_equal_rows_are_exactly_equal() -> None:
    rows = np.random.default_rng(0).normal(size=(40, 37)).astype(np.float32)
    rows[7] = rows[31] = rows[3]
    relevance, similarity = cosines(rows[0] + rows[1], rows)
    assert relevance[3] == relevance[7] == relevance[31]
    assert (similarity[3] == similarity[7]).all()
    assert (similarity == similarity.T).all()


def scored(*pairs: tuple[str, float]) -> Ranking:
    """A list of documents as vectors, with these scores."""
    before = ranked(*(vector for vector, _ in pairs))
    hits = tuple(Hit(hit.document, score) for hit, (_, score) in zip(before.hits, pairs, strict=True))
    return replace(before, hits=hits)


def test_the_relevance_may_be_the_score_in_the_list() -> None:
    """The first of the list is far from the query by its vector, but a rare word has put it on top."""
    before = scored(("0 1 0", 9.0), ("1 0 0", 5.0), ("1 0.1 0", 4.0), ("0.9 0 0.4", 1.0))
    assert ids(mmr(k=2)(before))[0] != before.ids[0]
    after = mmr(k=3, relevance="list")(before)
    assert ids(after)[0] == before.ids[0]
    assert [round(hit.why[0].value, 6) for hit in after.hits[:1]] == [0.5 * 1.0]
    for hit in after.hits:
        assert sum(part.value for part in hit.why) == pytest.approx(hit.score)
    told = replay(mmr(k=3, relevance="list"), before)
    assert told.relevance.tolist() == [1.0, (5 - 1) / (9 - 1), (4 - 1) / (9 - 1), 0.0]
    one = mmr(k=1, relevance="list")(before)
    assert "in the list" in str(one.dropped[0].reason)


def test_equal_scores_are_equally_relevant_and_other_scores_are_another_replay() -> None:
    before = scored(("1 0 0", 2.0), ("0 1 0", 2.0))
    assert replay(mmr(relevance="list"), before).relevance.tolist() == [1.0, 1.0]
    other = scored(("1 0 0", 2.0), ("0 1 0", 1.0))
    assert replay(mmr(relevance="list"), other).relevance.tolist() == [1.0, 0.0]
    with pytest.raises(ParameterError, match="query, list"):
        mmr(relevance="rank")
