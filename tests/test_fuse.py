"""Fusions: the arithmetic of each, written out, and what happens at the corners."""

from __future__ import annotations

import math
import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each

from lab.algebra import Corpus, Document, Hit, Query, Ranking, Runner, Top, in_order
from lab.errors import ParameterError
from lab.fuse import NORMALISATIONS, RRF, BestScore, Borda, WeightedSum, exactly_normalised, list_names, normalise
from lab.retrieve.lexical import BM25, TFIDF
from lab.words import Said

LABEL = BM25().label
CORPUS = Corpus("letters", tuple(Document(c, f"the letter {c}") for c in "abcdefghij"))


def ranked(ids: str, scores: list[float] | None = None, *, by=BM25()) -> Ranking:  # noqa: B008
    scores = scores or [float(len(ids) - i) for i in range(len(ids))]
    return Ranking(
        Query("q"), tuple(Hit(CORPUS.get(i), s) for i, s in zip(ids, scores, strict=True)), by, corpus=CORPUS
    )


def ids(ranking: Ranking) -> str:
    return "".join(hit.document.id for hit in ranking)


lists = st.lists(
    st.lists(
        st.tuples(st.sampled_from("abcdefghij"), st.floats(0.01, 100)),
        min_size=0,
        max_size=10,
        unique_by=lambda pair: pair[0],
    ),
    min_size=1,
    max_size=4,
).map(lambda many: [ranked("".join(i for i, _ in own), sorted((s for _, s in own), reverse=True)) for own in many])


def test_rrf_adds_one_over_k_plus_rank() -> None:
    fused = RRF(k=60)([ranked("abc"), ranked("cd", by=TFIDF())])
    assert ids(fused) == "cabd"
    assert fused.hit("c").score == pytest.approx(1 / (60 + 3) + 1 / (60 + 1))
    assert fused.hit("a").score == pytest.approx(1 / (60 + 1))
    assert fused.hit("d").score == pytest.approx(1 / (60 + 2))


def test_borda_adds_what_stands_behind_in_each_list() -> None:
    fused = Borda((0.5, 2))([ranked("abc"), ranked("cd", by=TFIDF())])
    assert ids(fused) == "cdab"
    assert fused.hit("a").score == pytest.approx(0.5 * 3 / 3)
    assert fused.hit("c").score == pytest.approx(0.5 * 1 / 3 + 2 * 2 / 2)
    assert fused.hit("d").score == pytest.approx(2 * 1 / 2)
    assert Borda()([ranked("a")]).hit("a").score == 1  # of a list of one, nothing stands behind but itself


def test_the_formula_of_borda_has_the_length_of_the_list() -> None:
    lists = [ranked("abc"), ranked("cd", by=TFIDF())]
    parts = Borda().explain(lists, "c")
    assert [Borda().formula(part).tex for part in parts] == [
        r"1\cdot \frac{3-3+1}{3}",
        r"1\cdot \frac{2-1+1}{2}",
    ]
    assert sum(Borda().formula(part).value for part in parts) == pytest.approx(Borda()(lists).hit("c").score)


def test_weights_multiply_the_parts_of_their_list() -> None:
    fused = RRF(k=10, weights=(0.7, 0.3))([ranked("abc"), ranked("cd", by=TFIDF())])
    assert fused.hit("c").score == pytest.approx(0.7 / (10 + 3) + 0.3 / (10 + 1))
    assert fused.hit("d").score == pytest.approx(0.3 / (10 + 2))


def test_why_names_the_list_and_the_rank() -> None:
    fused = RRF()([ranked("ab"), ranked("b", by=TFIDF())])
    why = fused.hit("b").why
    assert [c.source for c in why] == [f"{LABEL} rank 2", "TF-IDF rank 1"]
    assert isinstance(why[0].source, Said)
    assert why[0].source.values == {"list": LABEL, "rank": 2}
    assert [c.value for c in why] == [1 / 62, 1 / 61]


def test_lists_with_the_same_label_are_numbered() -> None:
    assert list_names([ranked("a"), ranked("a", by=TFIDF()), ranked("b")]) == (f"{LABEL} (1)", "TF-IDF", f"{LABEL} (2)")


def test_a_list_that_was_refined_is_called_by_who_found_it() -> None:
    lists = [ranked("abc").then(Top(2)), ranked("cd", by=TFIDF()).then(Top(2), Top(1))]
    assert list_names(lists) == (LABEL, "TF-IDF")
    assert [c.source for c in RRF()(lists).hit("c").why] == ["TF-IDF rank 1"]


def test_swapped_ranks_at_equal_weights_tie_and_the_corpus_decides() -> None:
    fused = RRF(weights=(0.5, 0.5))([ranked("ba"), ranked("ab", by=TFIDF())])
    assert fused.hits[0].score == fused.hits[1].score
    assert ids(fused) == "ab"


def test_the_same_addends_in_another_order_are_exactly_the_same_score() -> None:
    # (1, 2, 3) against (3, 1, 2): naive sums of these floats differ in the last bit for some k
    for k in range(200):
        fused = RRF(k=k)([ranked("bca"), ranked("abc"), ranked("cab")])
        by_ranks: dict[tuple[int, ...], float] = {}
        for hit in fused:
            ranks = tuple(sorted(r.rank(hit.document.id) or 0 for r in fused.parents))
            assert by_ranks.setdefault(ranks, hit.score) == hit.score


def test_lists_of_two_corpora_are_refused() -> None:
    hr, it = (
        Corpus(name, (Document("1", text),)) for name, text in (("hr", "annual leave"), ("it", "leave the domain"))
    )
    lists = [BM25().index(c).search("leave") for c in (hr, it)]
    for fusion in (RRF(), WeightedSum(), BestScore()):
        with pytest.raises(ParameterError, match="several corpora"):
            fusion(lists)
    same = Corpus("another name", hr.documents)
    assert ids(RRF()([lists[0], BM25().index(same).search("leave")])) == "1", "the content counts, not the name"


def test_the_best_score_of_any_list_counts_and_is_its_why() -> None:
    fused = BestScore()([ranked("abc", [3.0, 2.0, 1.0]), ranked("ca", [2.5, 0.5])])
    assert [(h.document.id, h.score) for h in fused] == [("a", 3.0), ("c", 2.5), ("b", 2.0)]
    assert [[(c.source, c.value) for c in h.why] for h in fused] == [
        [(f"{LABEL} (1)", 3.0)],
        [(f"{LABEL} (2)", 2.5)],
        [(f"{LABEL} (1)", 2.0)],
    ]


def test_min_max_sum_is_the_weighted_mean_of_scores_between_0_and_1() -> None:
    fused = WeightedSum(weights=(0.7, 0.3))([ranked("abc", [9.0, 5.0, 1.0]), ranked("cd", [0.8, 0.2], by=TFIDF())])
    assert fused.hit("a").score == pytest.approx(0.7 * (9 - 1) / (9 - 1))
    assert fused.hit("b").score == pytest.approx(0.7 * (5 - 1) / (9 - 1))
    assert fused.hit("c").score == pytest.approx(0.7 * 0 + 0.3 * 1)
    assert fused.hit("d").score == 0
    assert ids(fused) == "abcd"


@for_each(
    "by, expected",
    [
        ("min-max", [(4 - 1) / 3, (2 - 1) / 3, (1 - 1) / 3, 0]),
        ("max", [4 / 4, 2 / 4, 1 / 4, 1 / 4]),
        ("sum", [(4 - 1) / 4, (2 - 1) / 4, 0, 0]),
        ("none", [4, 2, 1, 1]),
        ("l2", [s / math.sqrt(16 + 4 + 1 + 1) for s in (4, 2, 1, 1)]),
        ("3-sigma", [(s - 2 + 3 * math.sqrt(6 / 3)) / (6 * math.sqrt(6 / 3)) for s in (4, 2, 1, 1)]),
        ("z-score", [(s - 2) / math.sqrt(((4 - 2) ** 2 + 0 + 1 + 1) / 4) for s in (4, 2, 1, 1)]),
    ],
)
def test_each_normalisation_is_its_formula(by: str, expected: list[float]) -> None:
    assert normalise([4.0, 2.0, 1.0, 1.0], by) == pytest.approx(expected)


@pytest.mark.parametrize("by", ["min-max", "z-score", "sum"])
def test_a_list_whose_scores_are_all_equal_adds_nothing(by: str) -> None:
    assert normalise([3.0, 3.0], by) == [0.0, 0.0]


@pytest.mark.parametrize("equal", [[3.0], [3.0, 3.0], [0.0], [-2.0, -2.0, -2.0]], ids=repr)
def test_equal_scores_can_be_worth_a_first_place(equal: list[float]) -> None:
    assert normalise(equal, "min-max-1") == [1.0] * len(equal)
    assert normalise([4.0, 2.0, 1.0, 1.0], "min-max-1") == normalise([4.0, 2.0, 1.0, 1.0], "min-max")


@pytest.mark.parametrize("by", NORMALISATIONS)
def test_the_exact_normalisation_is_the_rounded_one(by: str) -> None:
    """Exact ties are found by fractions, scores are computed by floats: two ways to one number."""
    drawn = random.Random(by)
    for _ in range(200):
        scores = sorted((drawn.choice([-1, 0, 0.1, 0.3, 1, 2, 6]) for _ in range(drawn.randint(1, 4))), reverse=True)
        hits = tuple(Hit(CORPUS.get(i), float(s)) for i, s in zip("abcd", scores, strict=False))
        ranking = Ranking(Query("q"), hits, BM25(), corpus=CORPUS)
        rounded = normalise([hit.score for hit in hits], by)
        assert [float(share) for share in exactly_normalised(ranking, by)] == pytest.approx(rounded, abs=1e-12)


@pytest.mark.parametrize("by", NORMALISATIONS)
def test_sums_that_are_equal_in_fractions_tie(by: str) -> None:
    """Two lists that give their scores to two documents the other way round tie exactly under every normalisation."""
    drawn = random.Random(by)
    for _ in range(100):
        high, low, last = sorted((drawn.choice([1, 2, 3, 4, 6, 0.1, 0.2, 0.3]) for _ in range(3)), reverse=True)
        scores = [float(high), float(low), float(last)]
        assert ids(WeightedSum((0.5, 0.5), by)([ranked("bac", scores), ranked("abc", scores)])).startswith("ab")


@pytest.mark.parametrize("equal", [[3.0], [3.0, 3.0], [0.0], [-2.0, -2.0, -2.0]], ids=repr)
def test_in_3_sigma_every_score_of_a_list_of_equal_ones_is_an_average_one(equal: list[float]) -> None:
    assert normalise(equal, "3-sigma") == [0.5] * len(equal)


def test_in_qdrants_form_a_weight_stretches_ranks() -> None:
    lists = [ranked("ab"), ranked("ba", by=TFIDF())]
    paper, qdrant = (RRF(k=3, weights=(2, 1), form=form)(lists) for form in ("paper", "qdrant"))
    assert {h.document.id: h.score for h in paper} == {
        "a": pytest.approx(2 / (3 + 1) + 1 / (3 + 2)),
        "b": pytest.approx(2 / (3 + 2) + 1 / (3 + 1)),
    }
    assert {h.document.id: h.score for h in qdrant} == {
        "a": pytest.approx(1 / (1 / 2 + 3 - 1) + 1 / (2 + 3 - 1)),
        "b": pytest.approx(1 / (2 / 2 + 3 - 1) + 1 / (1 + 3 - 1)),
    }
    for hit in qdrant:
        parts = RRF(k=3, weights=(2, 1), form="qdrant").explain(lists, hit.document.id)
        fusion = RRF(k=3, weights=(2, 1), form="qdrant")
        assert math.fsum(fusion.formula(part).value for part in parts) == pytest.approx(hit.score)
        assert [c.value for c in hit.why] == [part.value for part in parts]


def test_without_weights_qdrants_form_is_the_papers_with_the_next_lower_k() -> None:
    lists = [ranked("abc"), ranked("cab", by=TFIDF()), ranked("d", by=TFIDF())]
    for k in (1, 2, 60):
        own = {h.document.id: h.score for h in RRF(k=k, form="qdrant")(lists)}
        assert own == {h.document.id: h.score for h in RRF(k=k - 1)(lists)}


def test_in_qdrants_form_a_list_of_weight_0_adds_nothing_and_k_is_1_or_more() -> None:
    fused = RRF(weights=(1, 0), form="qdrant")([ranked("a"), ranked("b", by=TFIDF())])
    assert [(h.document.id, h.score) for h in fused][1] == ("b", 0.0)
    with pytest.raises(ParameterError, match="k is 0, but must be 1 or more in Qdrant's formula"):
        RRF(k=0, form="qdrant")


def test_without_normalisation_the_units_decide() -> None:
    lists = [ranked("ab", [30.0, 29.0]), ranked("ba", [0.9, 0.1], by=TFIDF())]
    assert ids(WeightedSum(weights=(0.5, 0.5), normalisation="none")(lists)) == "ab"
    assert ids(WeightedSum(weights=(0.4, 0.6))(lists)) == "ba"


def test_explain_gives_every_number_of_the_formula_also_for_a_list_without_the_document() -> None:
    lists = [ranked("abc", [9.0, 5.0, 1.0]), ranked("cd", by=TFIDF())]
    first, second = WeightedSum(weights=(0.7, 0.3)).explain(lists, "b")
    assert (first.list, first.weight, first.rank, first.score, first.share) == (LABEL, 0.7, 2, 5.0, (5 - 1) / (9 - 1))
    assert first.value == 0.7 * (5 - 1) / (9 - 1)
    assert (second.rank, second.score, second.value) == (None, None, 0.0)


@given(
    lists,
    st.sampled_from(
        [RRF(), RRF(k=1), RRF(k=2, form="qdrant"), *(WeightedSum(normalisation=n) for n in NORMALISATIONS)]
    ),
)
def test_every_fused_score_is_the_sum_of_its_parts_and_no_document_is_lost(
    many: list[Ranking], fusion: RRF | WeightedSum
) -> None:
    fused = fusion(many)
    assert {h.document.id for h in fused} == {h.document.id for r in many for h in r}
    assert len(fused) == len({h.document.id for h in fused})
    for hit in fused:
        assert hit.score == pytest.approx(sum(c.value for c in hit.why), abs=1e-9)
        assert sum(p.value for p in fusion.explain(many, hit.document.id)) == pytest.approx(hit.score, abs=1e-9)
        assert len(hit.why) == sum(r.rank(hit.document.id) is not None for r in many)
    assert fused.hits == in_order(fused.hits, *many)


@given(lists)
def test_scaling_all_weights_changes_no_order(many: list[Ranking]) -> None:
    weights = tuple(1.0 + i for i in range(len(many)))
    assert ids(RRF(weights=weights)(many)) == ids(RRF(weights=tuple(4 * w for w in weights))(many))


def test_a_document_named_twice_by_a_list_counts_once_with_its_better_place() -> None:
    twice = Ranking(Query("q"), tuple(Hit(CORPUS.get(i), 1.0) for i in "aba"), BM25(), corpus=CORPUS)
    assert RRF()([twice]).hit("a").score == 1 / 61


def test_weights_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ParameterError, match="Weights given: 2, lists: 3"):
        RRF(weights=(0.5, 0.5))([ranked("a")] * 3)
    for bad in ((-0.1, 1), (math.nan, 1), (math.inf, 1), (0, 0), ("1", 1), (10**400, 1), (1e308, 1), (1_000_001,)):
        with pytest.raises(ParameterError):
            WeightedSum(weights=bad)
    with pytest.raises(ParameterError):
        RRF(k=-1)
    with pytest.raises(ParameterError):
        WeightedSum(normalisation="softmax")
    with pytest.raises(ParameterError):
        RRF()([])


def test_a_fusion_is_a_specification_hashable_and_picklable_also_from_lists() -> None:
    fusion = RRF(weights=[0.2, 0.8])
    assert hash(fusion) == hash(RRF(weights=(0.2, 0.8)))
    assert pickle.loads(pickle.dumps(fusion)) == fusion
    assert repr(fusion) == "RRF(k=60, weights=(0.2, 0.8), form='paper')"


def test_every_list_is_asked_for_the_depth_of_the_search_whatever_k_is() -> None:
    corpus = Corpus("same", tuple(Document(str(i), f"water bottle {i}") for i in range(300)))
    for k in (1, 5, 200):
        whole = RRF()(TFIDF(), TFIDF(sublinear=True)).index(corpus).search("water", k=k)
        assert [len(r) for r in whole.parents] == [100, 100]
        ten = RRF()(TFIDF(), TFIDF(sublinear=True), depth=10).index(corpus).search("water", k=k)
        assert [len(r) for r in ten.parents] == [10, 10]
    with pytest.raises(ParameterError):
        Runner(corpus)(RRF()(TFIDF(), BM25()), "water", 0)


def test_equal_real_scores_tie_at_every_weight():
    corpus = Corpus("six", tuple(Document(i, i) for i in "ABvxyz"))
    told = ({"x": 1, "y": 0}, {"z": 5, "B": 1, "A": 0, "v": 0}, {"z": 25, "A": 15, "B": 10, "v": 0})
    lists = [
        Ranking("q", tuple(Hit(corpus.get(i), float(s)) for i, s in own.items()), BM25(), corpus=corpus) for own in told
    ]
    for step in range(1, 200):  # the shares of A are 0 + 3/5, those of B 1/5 + 2/5
        w = step / 200
        fused = WeightedSum((w, (1 - w) / 2, (1 - w) / 2))(lists)
        assert fused.hit("A").score == fused.hit("B").score
        assert fused.rank("A") < fused.rank("B")


@pytest.mark.parametrize("score", [math.inf, -math.inf, math.nan, 1e308, -1e308, 10**400])
@pytest.mark.parametrize(
    "fusion", [RRF(), Borda(), BestScore(), *(WeightedSum((), n) for n in NORMALISATIONS)], ids=repr
)
def test_a_score_that_takes_part_in_no_sum_is_refused(fusion, score) -> None:
    odd = Ranking(Query("q"), (Hit(CORPUS.get("a"), score), Hit(CORPUS.get("b"), 1.0)), BM25(), corpus=CORPUS)
    with pytest.raises(ParameterError, match="A score of BM25 is"):
        fusion([ranked("a"), odd])


@for_each("by", NORMALISATIONS)
def test_the_largest_scores_and_weights_make_numbers(by: str) -> None:
    scores = (1e100, 0.0, -1e100)
    hits = tuple(Hit(CORPUS.get(i), s) for i, s in zip("abc", scores, strict=True))
    lists = [Ranking(Query("q"), hits, BM25(), corpus=CORPUS)] * 2
    assert all(math.isfinite(hit.score) for hit in WeightedSum((1e6, 1e6), by)(lists))


def test_a_list_of_weight_zero_adds_nothing_and_its_documents_are_there() -> None:
    for fusion in (RRF(weights=(0, 1)), WeightedSum((0, 1), "max")):
        fused = fusion([ranked("ab"), ranked("b")])
        assert (fused.ids, fused.hit("a").score) == (["b", "a"], 0.0)
