"""Ablation: a search as a whole, and without each of its parts."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass, replace

import pytest
from models.scripted import ScriptedModel
from night import for_each

from lab.algebra import Corpus, Document, Fallback, Pipeline, Query, Runner, Top
from lab.corpus.beir import Collection
from lab.derive.chunk import Chunk
from lab.errors import EvaluationError, ModelError, ParameterError, PipelineError
from lab.evaluate import runs
from lab.evaluate.ablation import WHOLE, Cut, Variant, ablate, figures, headroom, plan, verdict
from lab.evaluate.experiments import of_runs
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import Gathered, answered, run_many
from lab.evaluate.significance import Difference, compare, holm
from lab.fuse import RRF
from lab.presets import presets
from lab.refine.coverage import Matcher, MaxSim, QueryCoverage
from lab.refine.diversity import MMR
from lab.refine.filters import MinimumMatch
from lab.refine.learned import Learned, Question
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery

CORPUS = Corpus(
    "animals",
    (
        Document("fox", "a red fox in the snow"),
        Document("bird", "a blue bird and a red bird"),
        Document("other", "the fox and the bird and the snow and the rain, red, blue"),
        Document("rain", "rain and wind"),
        Document("none", "nothing at all"),
    ),
)
QUERIES = (Query("red fox", id="q1"), Query("blue bird", id="q2"), Query("wind", id="q3"), Query("nobody", id="q4"))
QRELS = {"q1": {"fox": 1}, "q2": {"bird": 1, "fox": 0}, "q3": {"rain": 1}, "q4": {"fox": 0}}
SEARCH = RRF()(BM25(), Vector()) >> MMR(k=2)


def test_the_figures_are_those_of_each_search_measured_on_its_own():
    found = ablate(SEARCH, CORPUS, QUERIES, QRELS)
    plain, picked = RRF()(BM25(), Vector()), MMR(k=2)
    cuts = {
        ("retrieve.0", False): Pipeline((Vector(),), refine=(picked,)),
        ("retrieve.1", False): Pipeline((BM25(),), refine=(picked,)),
        ("refine.0", False): plain,
        ("retrieve.0", True): BM25(),
        ("retrieve.1", True): Vector(),
        ("fuse", True): plain,
    }  # the stage alone is the whole search
    assert {(v.cut.path, v.cut.alone): v.cut.search for v in found.variants} == cuts
    searches = {"whole": SEARCH, **{f"{path} {alone}": search for (path, alone), search in cuts.items()}}
    made = run_many(searches, CORPUS, QUERIES[:3], k=100)
    scores = {name: measure_run(run, QRELS, ("nDCG@10",)) for name, run in made.items()}
    assert (found.search, found.measure, found.queries) == (SEARCH, "nDCG@10", 3)
    assert found.value == scores["whole"].means["nDCG@10"]
    for v in found.variants:
        own = scores[f"{v.cut.path} {v.cut.alone}"]
        assert v.value == own.means["nDCG@10"]
        assert v.difference.away == compare(scores["whole"], own, "nDCG@10").away
        assert 0 < v.ms[0] <= v.ms[1]


def test_p_is_that_of_the_t_test_corrected_over_each_search_once():
    qrels = {"q1": {"other": 1, "bird": 2}, "q2": {"other": 2}, "q3": {"other": 1}, "q4": {"none": 1}}
    measured = {v.cut.run: v for v in ablate(SEARCH, CORPUS, QUERIES, qrels).variants}
    assert [v.p for v in measured.values()] == holm([v.difference.p for v in measured.values()])


def test_what_the_variants_share_is_made_once(monkeypatch):
    asked = []

    def count(self, runner, query, k):
        asked.append((self, query.id))
        return runner.index(self).search(query, k=k, explain=False)

    monkeypatch.setattr(BM25, "run", count)
    ablate(SEARCH >> MMR(k=1), CORPUS, QUERIES, QRELS)
    assert len(asked) == len(set(asked)) + 1
    asked = [(self, q) for self, q in asked if self == BM25()]
    # once where everything is loaded, by the first question, and once per question
    assert sorted(q for _, q in asked) == ["q1", "q1", "q2", "q3"]


@pytest.mark.parametrize("stage", [MaxSim(0.4), QueryCoverage(0.4), Learned()], ids=lambda stage: stage.key)
def test_what_a_reranker_reckons_of_a_document_is_reckoned_once_per_question_and_gives_what_it_gives_alone(
    monkeypatch, stage
):
    reckoned, held, asked = [], Matcher._reckoned, Question.__init__

    def of_matcher(self, documents):
        reckoned.extend((type(self), self.tokens, d.id) for d in documents)
        return held(self, documents)

    def of_question(self, query, documents, *more):
        reckoned.extend((Question, query, d.id) for d in documents)
        asked(self, query, documents, *more)

    search = RRF()(BM25(), Vector()) % 4 >> (stage >> MMR(k=2))
    told = plan(search, CORPUS, QUERIES)
    alone = {name: run_many({name: own}, CORPUS, QUERIES)[name] for name, own in told.searches.items()}
    monkeypatch.setattr(Matcher, "_reckoned", of_matcher)
    monkeypatch.setattr(Question, "__init__", of_question)
    together = run_many(told.searches, CORPUS, QUERIES)
    assert together == alone
    assert len(reckoned) == len(set(reckoned)) > len(QUERIES)


def test_a_part_that_a_search_cannot_lack_is_said_with_its_reason():
    found = ablate(MultiQuery()(BM25()), CORPUS, QUERIES, QRELS)
    assert [v.cut.path for v in found.without] == ["rewrite"]
    assert [(path, reason) for path, _, reason in found.kept] == [
        ("retrieve.0", "A pipeline has no list to search."),
        ("merge", "“merge” cannot be left out."),
    ]


def test_a_list_of_other_documents_is_no_variant():
    lifted = Chunk(size=20, overlap=0)(BM25())
    found = ablate(lifted, CORPUS, QUERIES, QRELS)
    assert [v.cut.path for v in found.without] == ["derive.0"]
    kept = {path: reason for path, _, reason in found.kept}
    assert kept["refine.0"] == "Without it, the list would contain other documents."
    inside = ablate(RRF()(BM25(), lifted), CORPUS, QUERIES, QRELS)
    assert [v.cut.path for v in inside.without] == ["retrieve.0", "retrieve.1", "retrieve.1.derive.0"]
    assert "from several corpora" in {path: reason for path, _, reason in inside.kept}["retrieve.1.refine.0"]


def test_the_figures_are_ready_for_json():
    found = ablate(SEARCH, CORPUS, QUERIES, QRELS)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["value"] == found.value
    assert all(row["better"] + row["equal"] + row["worse"] == 3 for row in told["variants"])
    assert all(math.isclose(row["difference"], row["value"] - told["value"]) for row in told["variants"])
    assert told["kept"] == [{"path": "fuse", "part": "RRF", "reason": "“fuse” cannot be left out."}]


@pytest.mark.parametrize("name", presets())
def test_every_preset_can_be_ablated(name, neural):
    search = presets()[name].search
    found = ablate(search, CORPUS, QUERIES, QRELS)
    told = {v.cut.path for v in found.without} | {path for path, _, _ in found.kept}
    assert told == {p.path for p in search.parts(branches=True)}


def test_of_a_fallback_the_second_search_is_worth_what_the_first_does_not_find():
    nothing = BM25() >> MinimumMatch(1.0)
    found = ablate(
        Fallback(nothing, TFIDF()), CORPUS, (*QUERIES[:3], Query("red snow rat", id="q5")), QRELS | {"q5": {"fox": 1}}
    )
    without = {v.cut.path: v for v in found.without}
    assert list(without) == ["first", "first.refine.0", "then"]
    assert (without["then"].difference.better, without["then"].difference.worse) == (0, 1)
    assert without["then"].difference.away["q5"] == -found.scores.per_query["nDCG@10"]["q5"] < 0
    assert without["first"].cut.search == TFIDF()


def test_a_part_stands_alone_over_the_bare_lists():
    search = Pipeline((BM25() % 4, Vector()), rewrite=MultiQuery(), fuse=RRF(), refine=(Top(3), MMR(k=2)))
    bare = Pipeline((Pipeline((BM25(),)), Vector()), fuse=RRF())
    told = {v.cut.path: v.cut.search for v in ablate(search, CORPUS, QUERIES, QRELS).alone}
    assert told == {
        "rewrite": replace(bare, rewrite=MultiQuery()),
        "retrieve.0": BM25() % 4,
        "retrieve.0.retrieve.0": BM25(),
        "retrieve.0.refine.0": RRF()(BM25() % 4, Vector()),
        "retrieve.1": Vector(),
        "fuse": bare,
        "refine.0": bare % 3,
        "refine.1": bare >> MMR(k=2),
    }
    lifted = ablate(Chunk(size=20, overlap=0)(BM25()) % 3, CORPUS, QUERIES, QRELS).alone
    assert {v.cut.path: v.cut.search for v in lifted} == {
        "derive.0": Chunk(size=20, overlap=0)(BM25()),
        "retrieve.0": BM25(),
        "refine.1": BM25() % 3,
    }


def test_one_judged_question_has_no_interval():
    found = ablate(SEARCH, CORPUS, QUERIES[:1], QRELS)
    assert found.queries == 1
    for v in found.variants:
        assert (v.p, v.difference.p, v.difference.low, v.difference.high) == (None, None, None, None)
        assert v.value == v.difference.mean + found.value


def test_a_search_that_finds_nothing_has_zeros():
    found = ablate(Fallback(BM25() % 0, TFIDF() % 0), CORPUS, QUERIES, QRELS)
    assert found.value == 0
    assert {v.cut.path: v.value for v in found.without if v.value == 0} == {"first": 0, "then": 0}
    assert all(math.isfinite(x) for v in found.variants for x in (v.value, *v.ms, v.p, v.difference.mean))


@dataclass(frozen=True)
class Away(MMR):
    """A stage whose model is away from the second question on."""

    def refine(self, ranking, env):
        if ranking.query.id == "q2":
            raise ModelError("The model is away.")
        return super().refine(ranking, env)


def test_where_a_stage_fails_what_was_done_is_kept_and_measured():
    search, asked = SEARCH >> Away(k=1), QUERIES[:3]
    with pytest.raises(ModelError, match="away"):
        ablate(search, CORPUS, asked, QRELS)
    told = plan(search, CORPUS, asked)
    kept = Gathered(told.searches)
    with pytest.raises(ModelError, match="away"):
        run_many(told.searches, CORPUS, asked, into=kept)
    data, done = Collection(CORPUS, asked, QRELS), answered(kept.runs(), asked)
    found = figures(told, of_runs(kept.runs(), data, ["nDCG@10"], done, len(asked), baseline=WHOLE))
    assert (kept.done, found.queries, list(found.scores.per_query["nDCG@10"])) == (1, 1, ["q1"])
    assert [v.value for v in found.variants] == [v.value for v in ablate(search, CORPUS, asked[:1], QRELS).variants]
    with pytest.raises(ModelError, match="away"):
        plan(search, CORPUS, asked[1:])


def test_a_rewriting_that_fails_is_told_of():
    model = ScriptedModel((("red fox", "fox"), ("blue bird", ModelError("no")), ("wind", "rain")))
    found = ablate(MultiQuery(model="chat")(BM25()), CORPUS, QUERIES, QRELS, models={"chat": model})
    assert found.unwritten == ("q2",)
    with pytest.raises(ModelError, match="no language model “chat”"):
        ablate(MultiQuery(model="chat")(BM25()), CORPUS, QUERIES, QRELS)


def test_progress_is_told():
    seen = []
    ablate(SEARCH, CORPUS, QUERIES, QRELS, progress=lambda *step: seen.append(step))
    assert [step for step in dict.fromkeys(seen) if step[0]] == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("beat", [-1, 1000], ids=["every search takes long", "every question is quick"])
def test_whenever_it_is_stopped_at_most_one_more_search_or_one_question_is_worked_on(monkeypatch, beat):
    whole, worked = Runner.__call__, []

    def counted(runner, search, query, k=100):
        worked.append(query)
        return whole(runner, search, query, k)

    def stop_after(n):
        def progress(done, total):
            if len(worked) >= n:
                raise KeyboardInterrupt

        worked.clear()
        with pytest.raises(KeyboardInterrupt):
            ablate(SEARCH, CORPUS, QUERIES, QRELS, progress=progress)
        return worked[n:]

    monkeypatch.setattr(Runner, "__call__", counted)
    monkeypatch.setattr(runs, "BEAT", beat)
    plan(SEARCH, CORPUS, QUERIES)
    planned = len(worked)
    ablate(SEARCH, CORPUS, QUERIES, QRELS)
    every = len(worked) - planned
    assert every > planned > 3
    for n in range(1, every + 1):
        after = stop_after(n)
        assert len(after) <= 1 if beat < 0 or n < planned else len(set(after)) <= 1, n


def test_what_has_no_parts_and_what_nobody_judged_is_an_error():
    with pytest.raises(PipelineError, match="BM25 has no parts"):
        ablate(BM25(), CORPUS, QUERIES, QRELS)
    with pytest.raises(EvaluationError, match="no judgments"):
        ablate(SEARCH, CORPUS, QUERIES, {})


def test_a_search_that_cannot_run_is_an_error_and_not_a_reason_to_keep_its_parts():
    broken = Pipeline((BM25(), Chunk(size=20, overlap=0)(BM25()).without("refine.0")), fuse=RRF())
    with pytest.raises(ParameterError, match="from several corpora"):
        ablate(broken, CORPUS, QUERIES, QRELS)


@pytest.mark.parametrize(
    "search",
    [MultiQuery()(BM25()), Fallback(BM25() >> MMR(k=2), TFIDF()), Fallback(BM25(k1=9) % 0, TFIDF()), SEARCH],
    ids=["rewritten", "enough", "relaxed", "fused"],
)
def test_the_time_of_a_run_is_no_longer_than_the_clock_says(search):
    for _ in range(2):  # what loads is loaded the first time
        start = time.perf_counter()
        run = run_many({"": search}, CORPUS, QUERIES * 20)[""]
        spent = time.perf_counter() - start
    assert 0 < run.seconds <= spent


@for_each(
    "away, said",
    [
        ([0.0, 0.0], "No question is better or worse because of it."),
        ([0.5], "One question is not enough for a test."),
        ([-0.5, 0.25, 0], "Of 3 questions, it makes 1 better and 1 worse: on average, not significant (p = 0.742)."),
        (
            [-0.2] * 9 + [-0.1],
            "It helps: without it, AP is 0.190 lower (p < 0.0001). Questions that it makes worse: 0 of 10.",
        ),
        (
            [0.2] * 9 + [-0.1],
            "It hurts: without it, AP is 0.170 higher (p = 0.0003). Questions that it makes better: 1 of 10.",
        ),
        (
            [-0.4] * 6 + [0.1] * 2,
            "It helps on average: without it, AP is 0.275 lower (p = 0.012). Questions that are better without it: "
            "2 of 8.",
        ),
    ],
)
def test_what_a_part_is_worth_is_said_with_its_numbers(away, said):
    d = Difference("whole", "less", "AP", {f"q{i}": x for i, x in enumerate(away)})
    none = Scores("less", {}, {})
    assert verdict(Variant(Cut("refine.0", MMR(), BM25(), False, "x"), none, 0.5, (1, 2), d, d.p)) == said


@pytest.mark.parametrize(
    ("taken", "end"),
    [(0.38, "takes 38% of this headroom."), (0.0, "takes 0% of this headroom."), (-0.68, "than none.")],
)
def test_a_step_takes_a_share_of_the_headroom_or_orders_worse_than_none(taken, end):
    d = Difference("whole", "without", "nDCG@10", {"q": 0.1})
    v = Variant(Cut("refine.0", MMR(), BM25(), False, "x"), Scores("", {}, {}), 0.5, (1, 2), d, d.p, 0.9, taken)
    said = headroom(v, "nDCG@10")
    assert said is not None
    assert said.endswith(end)
    assert "-" not in said
