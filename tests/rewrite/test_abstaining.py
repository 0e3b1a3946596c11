"""When a rule abstains, what it says then, and how much the question itself counts."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from models.scripted import ScriptedModel

from lab.algebra import Corpus, Document, Pipeline, Query, Ranking, Retriever, Rewrite, Runner
from lab.corpus import samples
from lab.errors import ParameterError
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.explain.attribution import attribute
from lab.fuse import RRF, BestScore, Borda, WeightedSum
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.base import PromptRewriter, Rewording, held
from lab.rewrite.domain import DomainVocabulary, adapters
from lab.rewrite.feedback import RM3
from lab.rewrite.hyde import HyDE, mean_parts
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.query2doc import Query2Doc
from lab.rewrite.step_back import StepBack
from lab.rewrite.sub_questions import SubQuestions

FRUIT = Corpus(
    "fruit",
    tuple(
        Document(i, text, title=title)
        for i, title, text in [
            ("a", "Apples", "apple orchard"),
            ("b", "Bananas", "banana boat"),
            ("c", "Cherries", "cherry orchard"),
            ("d", "Dates", "date palm"),
        ]
    ),
)
RULES: list[PromptRewriter] = [
    MultiQuery(),
    SubQuestions(),
    StepBack(),
    Query2Doc(),
    HyDE(),
    *map(DomainVocabulary, adapters().values()),
]
HANDBOOK = samples.load("handbook")
MODEL = ScriptedModel((("", "1. banana boat\n2. date palm"),))
each = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.label)


def leaves(rewrite: Rewrite) -> bool:
    """Returns whether the rule abstained; finding no other words is another reason."""
    return rewrite.unchanged.startswith("The rule leaves the question unchanged")


@each
def test_a_rule_leaves_alone_what_one_passage_holds_and_says_which_and_how_much(rule: PromptRewriter) -> None:
    told = rule.rewrite(Query("cherry orchard"), FRUIT)
    # idf = ln(1 + (n - df + 0.5) / (df + 0.5)); both words stand in c, so it holds everything
    cherry, orchard = math.log(1 + 3.5 / 1.5), math.log(1 + 2.5 / 2.5)
    words = (cherry + orchard) ** 2 / (cherry**2 + orchard**2)
    assert told.queries == ()
    assert told.unchanged == (
        "The rule leaves the question unchanged: “Cherries” contains 100% of the question's IDF weight. "
        f"The question is worth {words:.1f} words of equal weight, and {0.65 / math.sqrt(words):.0%} is enough "
        f"(0.65 / √{words:.1f})."
    )


def test_enough_is_the_bound_itself() -> None:
    query = "apple date"  # two words of equal weight, and every passage has at most one
    found = held(query, FRUIT)
    assert (found.share, found.words) == (pytest.approx(1 / 2), pytest.approx(2))
    assert found.document == FRUIT.documents[0], "a tie is the first's"
    assert found.reached == pytest.approx(1 / math.sqrt(2))
    at, above = (MultiQuery(enough=found.reached + more).rewrite(Query(query), FRUIT) for more in (0.0, 1e-9))
    assert leaves(at)
    assert not leaves(above)


def test_a_question_of_one_word_is_spoken_of_as_such() -> None:
    told = MultiQuery().rewrite(Query("Which bananas?"), FRUIT)
    assert told.unchanged == "The rule leaves the question unchanged: “Bananas” contains its one important word."


@pytest.mark.parametrize("query", ["mango", "how?", "香蕉", "…"])
def test_nothing_is_enough_where_no_passage_has_a_word_of_the_question(query: str) -> None:
    for corpus in (FRUIT, Corpus("none", ()), Corpus("blank", (Document("a", ""),))):
        found = held(query, corpus)
        assert (found.share, found.reached, found.document) == (0.0, 0.0, None)
        assert not leaves(MultiQuery(enough=0.0).rewrite(Query(query), corpus))


def test_a_blank_question_is_no_matter_of_abstaining() -> None:
    assert MultiQuery().rewrite(Query("  "), FRUIT).unchanged == ""


@each
def test_abstaining_can_be_switched_off_and_a_model_never_abstains(rule: PromptRewriter) -> None:
    query = Query("cherry orchard, apple orchard")
    assert rule.rewrite(query, FRUIT).unchanged
    assert not leaves(replace(rule, abstains=False).rewrite(query, FRUIT))
    model = replace(rule, model="chat")
    told = Runner(FRUIT, models={"chat": MODEL})(model(Vector()), query).evidence
    assert told.by == "model"
    assert told.queries
    assert not told.unchanged


# -------------------------------------------------------------------------------------- lists by meaning


@each
@pytest.mark.parametrize(
    "search",
    [Vector(), ChromaVector(), RRF()(BM25(), Vector())],
    ids=["vector", "chroma", "words and vectors"],
)
def test_a_list_that_searches_by_meaning_is_asked_the_question_alone(rule: PromptRewriter, search: Retriever) -> None:
    runner, query = Runner(FRUIT), "mango grove and papaya"
    found = runner(rule(search), query, 4)
    assert found.ids == runner(search, query, 4).ids
    assert found.evidence.queries == ()
    assert "searches by meaning, where rules made results worse in our measurements" in found.evidence.unchanged
    told = attribute(rule(search), query, runner, k=3)
    assert told.rewrite.unchanged == found.evidence.unchanged
    assert (told.gained, told.lost) == ((), ())


def test_of_two_lists_only_that_of_words_is_asked_the_wordings() -> None:
    query, runner = "领薪水的日子", Runner(HANDBOOK.corpus)
    both = runner(Pipeline((BM25(), Vector()), rewrite=MultiQuery(), fuse=RRF()), query)
    words, meaning = both.parents
    assert len(words.parents) > 1
    assert meaning.parents == ()
    assert meaning.hits == runner(Vector(), query).hits
    assert words.evidence.queries


def test_what_a_rule_learns_from_does_not_make_a_list_of_words_one_by_meaning() -> None:
    query, runner = "领薪水的日子", Runner(HANDBOOK.corpus)
    inner = MultiQuery()(BM25())
    assert runner(StepBack()(inner), query).evidence.queries, "MultiQuery learns from vectors, and searches by words"
    assert runner(MultiQuery()(TFIDF()), query).evidence.queries
    assert RM3().declines([Vector()]) == "", "feedback asks one question, by a rule of its own"


# ---------------------------------------------------------------------------- the weight of the question


def lists(*ids: str) -> list[Ranking]:
    """One ranking of the fruit for each word of their ids."""
    return [BM25().index(FRUIT).search(" ".join(FRUIT.get(i).text for i in own)) for own in ids]  # type: ignore[union-attr]


@pytest.mark.parametrize("weight", [0.5, 1.0, 3.0])
def test_the_question_counts_its_weight_and_every_wording_one(weight: float) -> None:
    rule = MultiQuery(n=3, abstains=False, weight=weight)
    told = rule.rewrite(Query("领薪水的日子"), HANDBOOK.corpus)
    n = len(told.queries)
    found = lists(*"abcd")
    by = RRF(k=60)
    assert rule.merge(told, found, None, by, 100).hits == by.weighted([weight] + [1.0] * n)(found).hits
    spread = WeightedSum()
    wanted = spread.weighted([weight / (n + 1)] + [1 / (n + 1)] * n)(found)
    assert rule.merge(told, found, None, spread, 100).ids == wanted.ids
    assert rule.merge(told, found, None, Borda(), 100).ids == Borda(weights=(weight, *[1.0] * n))(found).ids
    assert rule.merge(told, found, None, BestScore(), 100) == BestScore()(found, query=told.original)
    own = by.weighted([1.0] * (n + 1))
    assert rule.merge(told, found, None, own, 100).hits == own(found).hits, "weights that are given stay"
    left = replace(told, queries=told.queries[:-1])
    assert rule.merge(told, found[1:], None, by, 100).hits == by(found[1:]).hits, "without the question all are alike"
    assert rule.merge(left, found[:-1], None, by, 100).hits == by.weighted([weight] + [1.0] * (n - 1))(found[:-1]).hits


def test_the_weight_holds_where_lists_are_cut_too() -> None:
    rule = StepBack(abstains=False, abstract_k=1, concrete_k=1, weight=3.0)
    told = rule.rewrite(Query("领薪水的日子"), HANDBOOK.corpus)
    one, other = lists("a", "b")
    assert [h.score for h in rule.merge(told, [one, other], None, RRF(k=60), 100)] == [3 / 61, 1 / 61]


@pytest.mark.parametrize("space", ["cosine", "ip", "l2"])
def test_the_mean_vector_is_weighted_and_its_addends_sum(space: str) -> None:
    index = Vector(space=space).index(FRUIT)
    parts = mean_parts(index, Query("apple"), ["cherry", "date"], 3.0)
    own, *others = (index.query_vector(text) for text in ("apple", "cherry", "date"))
    mean = (3 * own + sum(others)) / 5
    wanted = mean / math.sqrt(float(mean @ mean)) if space == "cosine" else mean
    assert parts.sum(0) == pytest.approx(wanted)
    rule = HyDE(abstains=False, weight=3.0)
    found = Runner(FRUIT)(rule(Vector(space=space)), "mango or papaya", 4)
    for hit in found if space != "l2" else ():
        assert math.fsum(c.value for c in hit.why) == pytest.approx(hit.score, abs=1e-9)


def test_the_question_always_keeps_a_weight() -> None:
    for rule in RULES:
        assert isinstance(rule, Rewording) or rule == Query2Doc(), "which repeats the question before its document"
        assert isinstance(rule, Query2Doc) or rule.keeps_original
    with pytest.raises(ParameterError):
        MultiQuery(weight=0.0)


# ------------------------------------------------------------------------------------------ over all questions


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["handbook", "devices"])
def test_no_rule_as_shipped_does_harm_and_what_rewordings_gain_stays(name: str) -> None:
    collection, measures = samples.load(name), ["nDCG@10", "R@10"]
    plain = {"": BM25(), "always": MultiQuery(abstains=False)(BM25())}
    searches = plain | {rule.label: rule(BM25()) for rule in RULES}
    runs = run_many(searches, collection.corpus, collection.judged)
    scores = {of: measure_run(run, collection.qrels, measures) for of, run in runs.items()}
    for of, told in scores.items():
        assert of == "always" or told.means["nDCG@10"] >= scores[""].means["nDCG@10"] - 0.01, of
    for kind in ("synonym", "colloquial"):
        ids = [q.id for q in collection.judged if q.metadata["type"] == kind]
        always, shipped = (
            sum(scores[of].per_query["R@10"][q] for q in ids) / len(ids) for of in ("always", MultiQuery().label)
        )
        assert shipped >= always - 0.02
