"""The learned mix: features that are true of every document, weights that survive being written, and learning them."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from specimens import TINY

from lab import formats
from lab.algebra import Corpus, Document, Env, Query, Runner
from lab.corpus.beir import Collection
from lab.errors import EvaluationError, ParameterError, PipelineError, UnknownName
from lab.evaluate.learning import examples, fit, halves, learn
from lab.explain.mixing import Weighs, tipping
from lab.fuse import RRF
from lab.models.lsa import LSA
from lab.models.pieces import Pieces
from lab.refine.coverage import QueryCoverage
from lab.refine.features import FEATURES, SLOW
from lab.refine.learned import BUILT_IN, Learned, Weights, shipped
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

NAMES = [f.name for f in dataclasses.fields(Weights)]
CORPUS = Corpus(
    "animals",
    (
        Document("fox", "The red fox runs. It is quick.", "Red fox"),
        Document("dog", "A dog sleeps near the red house, and no fox is there."),
        Document("cat", "Cats sleep all day long.", "Cats"),
        Document("wolf", "Wolves and foxes hunt at night."),
        Document("tax", "The form must be sent by mail."),
    ),
)
SEARCH = RRF()(BM25(), Vector(), depth=50)


def mixed(query: str, weights: Weights | None = None) -> object:
    ranking = Runner(CORPUS)(SEARCH, query, 50)
    return Learned(weights or Weights.named(BUILT_IN)).mix(ranking)


def test_a_document_that_a_list_did_not_find_has_its_true_feature() -> None:
    mix = mixed("red fox")
    bm25, whole, sentence = (mix.raw[:, mix.names.index(name)] for name in ("bm25", "whole", "sentence"))
    words = BM25(variant="lucene").index(CORPUS).search("red fox")
    near = Vector(pieces="whole").index(CORPUS)
    vector = near.query_vector("red fox")
    for i, d in enumerate(mix.documents):
        hit = words.hit(d.id)
        assert bm25[i] == pytest.approx(hit.score if hit else 0.0, abs=1e-12)
        assert sentence[i] == pytest.approx(Pieces.of(near.operator.embedder, CORPUS).best(vector, [d]).cosines[0])
    found = near.search("red fox", k=10)
    assert len(mix.documents) > len(words)  # the vectors alone found some
    assert [whole[i] for i, d in enumerate(mix.documents)] == pytest.approx(
        [found.hit(d.id).score for d in mix.documents], abs=1e-6
    )


def test_exact_coverage_is_that_of_the_stage_of_this_name() -> None:
    ranking = Runner(CORPUS)(SEARCH, "the red fox at night", 50)
    covered = QueryCoverage()(ranking).evidence
    mix = Learned().mix(ranking)
    assert mix.raw[:, mix.names.index("exact")] == pytest.approx(covered.shares)
    assert mix.covered == pytest.approx(covered.shares.max())


def test_neighbouring_words_are_counted_where_they_stand_side_by_side() -> None:
    mix = mixed("the red fox runs")
    pairs = dict(zip([d.id for d in mix.documents], mix.raw[:, mix.names.index("pairs")], strict=True))
    assert pairs["fox"] == 1
    assert pairs["dog"] == pytest.approx(1 / 3)  # “the red”
    assert pairs["tax"] == 0


def test_the_title_is_a_feature_of_its_own() -> None:
    mix = mixed("red fox cats")
    title = dict(zip([d.id for d in mix.documents], mix.raw[:, mix.names.index("title")], strict=True))
    assert 0 < title["cat"] < title["fox"] < 1
    assert title["dog"] == 0


def test_a_shortened_document_is_what_is_left_of_it() -> None:
    ranking = Runner(CORPUS)(BM25(), "red fox", 50)
    short = dataclasses.replace(ranking.hits[0], document=Document("fox", "It is quick."))
    mix = Learned().mix(dataclasses.replace(ranking, hits=(short, *ranking.hits[1:])))
    values = dict(zip(mix.names, mix.raw[0], strict=True))
    assert values["bm25"] == values["exact"] == values["pairs"] == values["title"] == 0


def test_a_feature_without_a_weight_is_reckoned_for_readers_only_and_changes_nothing() -> None:
    ranking, stage = Runner(CORPUS)(SEARCH, "red fox", 50), Learned(Weights(maxsim=2, bm25_covered=1))
    read, bulk = stage(ranking), stage(ranking, Env(explain=False))
    assert read.evidence.names == tuple(name for name in FEATURES if name not in SLOW)
    assert bulk.evidence is None
    assert [(h.document.id, h.score) for h in bulk] == [(h.document.id, h.score) for h in read]
    assert stage.mix(ranking, every=False).names == ("bm25", "maxsim")


def test_the_neural_feature_is_the_cosine_under_its_embedder_and_reckoned_only_where_it_weighs() -> None:
    ranking, lsa = Runner(CORPUS)(SEARCH, "red fox", 50), LSA(size=3)
    mix = Learned(Weights(neural=1), neural=lsa).mix(ranking)
    found = Vector(lsa, pieces="whole").index(CORPUS).search("red fox", k=10)
    own = dict(zip([d.id for d in mix.documents], mix.raw[:, mix.names.index("neural")], strict=True))
    assert own == pytest.approx({i: (found.hit(i).score if found.hit(i) else 0.0) for i in own}, abs=1e-6)
    assert "neural" not in Learned(Weights(whole=1), neural=lsa).mix(ranking).names
    assert Learned(Weights(neural=1), neural=lsa).mix(ranking, every=False).names == ("neural",)


def test_the_neural_feature_keeps_the_measure_of_a_model_whose_cosines_have_a_band() -> None:
    class Narrow(LSA):
        band = 0.5

    ranking = Runner(CORPUS)(SEARCH, "red fox", 50)
    plain, kept = (Learned(Weights(neural=1), neural=own(size=3)).mix(ranking, every=False) for own in (LSA, Narrow))
    assert kept.raw.tolist() == plain.raw.tolist()
    column = plain.raw[:, 0]
    assert (plain.scaled.min(), plain.scaled.max()) == (0, 1)
    np.testing.assert_allclose(kept.scaled[:, 0], (column - column.min()) / ((np.ptp(column) + 0.5) / 2))
    assert kept.band == 0.5
    nothing = dataclasses.replace(ranking, hits=())
    assert Learned(Weights(neural=1), neural=Narrow(size=3)).mix(nothing).scaled.shape == (0, 8)


def test_every_addend_is_named_and_those_that_count_by_coverage_say_how_much_is_covered() -> None:
    hit = Runner(CORPUS)(SEARCH >> Learned(Weights(whole=1, bm25_covered=2)), "red fox", 5).hits[0]
    assert [str(c.source) for c in hit.why] == ["meaning of the whole", "BM25 × coverage 1.00"]
    assert sum(c.value for c in hit.why) == pytest.approx(hit.score)


def test_equal_passages_stand_in_corpus_order_however_they_come_in() -> None:
    twins = Corpus("twins", tuple(Document(i, "The red fox runs.") for i in "dbac"))
    ranking = Runner(twins)(Vector(), "fox", 4)
    turned = dataclasses.replace(ranking, hits=ranking.hits[::-1])
    assert Learned()(turned).ids == ["d", "b", "a", "c"]


# ------------------------------------------------------------------------------------------------ weights


def test_words_weigh_as_far_as_they_cover() -> None:
    own = Weights(bm25=1, bm25_covered=4, whole=2, whole_covered=-1)
    assert own.at(0)["bm25"] == 1
    assert own.at(0.5)["bm25"] == 1 + 0.5 * 4
    assert own.at(1)["whole"] == 2 - 1


@given(numbers=st.dictionaries(st.sampled_from(NAMES), st.floats(-100, 100)))
def test_a_table_of_weights_survives_a_file_a_link_an_expression_and_its_repr(numbers: dict[str, float]) -> None:
    search = BM25() >> Learned(numbers)
    for again in (
        formats.from_toml(formats.to_toml(search)),
        formats.from_link(formats.to_link(search)),
        formats.parse(formats.expression(search)),
    ):
        assert again == search
    assert eval(repr(search.refine[0].weights)) == search.refine[0].weights


def test_shipped_weights_are_written_by_their_name_and_others_as_their_table() -> None:
    assert formats.expression(Learned(weights=BUILT_IN)) == "Learned()"
    assert formats.expression(Learned({"bm25": 2})) == "Learned(weights=Weights(bm25=2.0))"
    search = BM25() >> Learned({"bm25": 2, "maxsim_covered": -0.5})
    assert "weights = { bm25 = 2.0, maxsim_covered = -0.5 }" in formats.to_toml(search)
    assert formats.build("Learned('built-in')") == formats.build("Learned") == Learned()


def test_what_is_no_weight_is_refused() -> None:
    with pytest.raises(UnknownName, match="no weights “mine”. Valid names: built-in"):
        Learned(weights="mine")
    for wrong in (float("nan"), float("inf"), True, "2"):
        with pytest.raises(ParameterError, match="bm25"):
            Weights(bm25=wrong)
    with pytest.raises(PipelineError, match="has no parameter “bm26”"):
        formats.from_toml('format = 1\n[[retrieve]]\ntype = "BM25"\n[[refine]]\ntype = "Learned"\nweights.bm26 = 1\n')


def test_the_shipped_weights_carry_where_they_come_from() -> None:
    own = shipped()[BUILT_IN]
    assert {"collections", "date", "versions", "strength", "prior", "candidates", "analyzer", "left out"} <= {
        *own.provenance
    }
    table = own.provenance["left out"]
    assert table.keys() == own.provenance["collections"].keys()
    for row in table.values():  # never far below what it replaces, and above it in the mean
        assert row["learned"] >= row["two lists and soft coverage"] - 0.005
    gain = [row["learned"] - row["two lists and soft coverage"] for row in table.values()]
    assert sum(gain) / len(gain) > 0.005
    for covered in (0, 0.5, 1):
        assert min(own.weights.at(covered).values()) >= 0


# ----------------------------------------------------------------------------------------------- learning


QUESTIONS = {"red fox": "fox", "dog near the house": "dog", "cats that sleep": "cat", "night hunt": "wolf"}
COLLECTION = Collection(
    CORPUS,
    tuple(Query(text, id=f"q{i}") for i, text in enumerate(QUESTIONS)),
    MappingProxyType({f"q{i}": {doc: 1} for i, doc in enumerate(QUESTIONS.values())}),
)


def test_weights_from_judged_questions_put_what_was_judged_first() -> None:
    found = examples(SEARCH, Learned(), COLLECTION, COLLECTION.judged)
    weights = fit([found], strength=0.001)
    for example, doc in zip(found, QUESTIONS.values(), strict=True):
        assert example.ranked(weights)[0][0] == doc
    for covered in (0, 0.3, 1):
        assert min(weights.at(covered).values()) >= 0


def test_the_weights_are_held_at_where_they_start_the_more_the_stronger() -> None:
    found, start = examples(SEARCH, Learned(), COLLECTION, COLLECTION.judged), Weights(maxsim=3, bm25_covered=1)
    away = [np.abs(fit([found], start=start, strength=s).vector - start.vector).sum() for s in (0.001, 0.1, 1e6)]
    assert away[0] > away[1] > away[2]
    assert away[2] < 1e-3


def test_without_anything_to_tell_apart_nothing_is_learned() -> None:
    nobody = Collection(CORPUS, COLLECTION.queries, {"q0": {"elsewhere": 1}})
    with pytest.raises(EvaluationError, match="No question has both a relevant"):
        fit([examples(SEARCH, Learned(), nobody, nobody.judged)])


@given(n=st.integers(0, 9), seed=st.integers(0, 99))
def test_no_question_is_both_learned_from_and_reported_on(n: int, seed: int) -> None:
    teach, report = halves(range(n), seed)
    assert sorted([*teach, *report]) == list(range(n))
    assert len(report) - len(teach) in (0, 1)
    assert halves(range(n), seed) == (teach, report)


def test_what_was_learned_is_measured_on_the_other_half() -> None:
    found = examples(SEARCH, Learned(), COLLECTION, COLLECTION.judged)
    made = learn(found, COLLECTION.qrels, Weights(title=1), seed=1)
    reported = made.after.per_query["nDCG@10"].keys()
    assert not reported & set(made.taught)
    assert reported | set(made.taught) == {q.id for q in COLLECTION.judged}
    assert made.difference.mean == pytest.approx(made.after.means["nDCG@10"] - made.before.means["nDCG@10"])


# ------------------------------------------------------------------------------------------------ what if


@pytest.mark.parametrize("feature", [name for name in FEATURES if name not in SLOW])
def test_the_first_places_change_at_the_tipping_values_and_nowhere_else(feature: str) -> None:
    ranking, own = Runner(CORPUS)(SEARCH, "the red fox at night", 50), Weights.named(BUILT_IN)
    mix, axis = Learned().mix(ranking), Weighs(feature, 10.0)
    tips = tipping(mix, own, axis)
    for interval in tips.intervals:
        middle = (interval.low + interval.high) / 2
        weights = axis.with_value(own, mix.covered, middle)
        assert weights.at(mix.covered)[feature] == pytest.approx(middle)
        assert Learned(weights)(ranking).ids[:5] == [d.id for d in interval.documents]
    for left, right in zip(tips.intervals, tips.intervals[1:], strict=False):
        assert left.high == right.low
        assert left.documents != right.documents


def test_a_query_without_words_has_no_features_that_break_anything() -> None:
    ranking = Runner(TINY)(Vector(), "battery", 3)
    asked = dataclasses.replace(ranking, query=Query("？！"))
    assert len(Learned()(asked)) == len(ranking)
