"""A search step by step: the ranking of every part, and where it failed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from night import spread

from lab.algebra import Corpus, Env, Operator, Outcome, Pipeline, Query, Ranking, Runner, Stage
from lab.corpus import samples
from lab.errors import LabError, ModelError
from lab.explain.trace import Trace, trace
from lab.formats import parse
from lab.presets import presets

CORPUS = samples.load("devices").corpus
ASKED = "battery empty in the morning"
SEARCHES = [
    "BM25()",
    "BM25() % 3 >> MMR(k=2)",
    "RRF()(BM25(), Vector() >> ScoreThreshold(0.3), depth=20) >> MMR(k=5)",
    "Chunk(size=60)(Vector()) >> MMR(k=3)",
    "HyDE()(Vector()) % 4",
    "StepBack()(BM25())",
    "Pipeline(retrieve=(BM25(), Vector()), rewrite=MultiQuery(abstains=False), fuse=RRF())",
    "Fallback(BM25() >> MinimumMatch(1.0), Vector()) % 3",
    "Fallback(BM25() >> ScoreThreshold(1000), RRF()(BM25(), Vector()))",
    "Route(WordTable((('battery', 'b'),)), (Destination('a', BM25()), Destination('b', Vector() % 3)))",
]


@dataclass(frozen=True)
class Away(Stage):
    """Its model is away."""

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        raise ModelError("The model is away.", "Wait.")


def whole(search: Any, **options: Any) -> Trace:
    return trace(Runner(CORPUS), search, ASKED, 100, **options)


@pytest.mark.parametrize(
    "search", spread([*map(parse, SEARCHES), *(p.search for p in presets().values())], 2), ids=[*SEARCHES, *presets()]
)
def test_a_trace_is_the_search_and_its_last_part_is_its_ranking(search: Any, neural: object) -> None:
    own = Corpus(CORPUS.name, CORPUS.documents)  # what a made-up model has read is not kept for other tests
    runner = Runner(own)
    told = trace(runner, search, ASKED, 10)
    assert told.ranking == Runner(own)(search, ASKED, 10)
    assert told.error is None
    last = list(told.steps.values())[-1][-1]
    assert last.ids[:10] == told.ranking.ids
    if isinstance(search, Pipeline):
        parts = {p.path for p in search.parts() if not p.path.startswith(("derive", "merge"))}
        assert {path for path in parts if "then" not in path} <= {*told.steps, *told.rewrites}


def test_every_list_is_asked_every_wording_and_merged_by_itself() -> None:
    told = whole(parse(SEARCHES[6]))
    wordings = len(told.rewrites["rewrite"].wordings)
    assert wordings > 1
    assert [len(told.steps[p]) for p in ("retrieve.0", "retrieve.1", "merge", "fuse")] == [wordings, wordings, 2, 1]
    assert told.steps["fuse"][0].parents == told.steps["merge"]
    assert {r.query.text for r in told.steps["retrieve.0"]} == {w.text for w in told.rewrites["rewrite"].wordings}


def test_a_list_that_the_rewriter_leaves_alone_is_asked_the_question_alone() -> None:
    told = whole(parse("Pipeline(retrieve=(Vector(), BM25()), rewrite=MultiQuery(enough=2.0), fuse=RRF())"))
    wordings = len(told.rewrites["rewrite"].wordings)
    assert wordings > 1
    assert [len(told.steps[p]) for p in ("retrieve.0", "retrieve.1", "merge", "fuse")] == [1, wordings, 2, 1]
    alone = whole(parse("MultiQuery()(Vector())"))
    assert "searches by meaning" in alone.rewrites["rewrite"].unchanged
    assert len(alone.steps["retrieve.0"]) == 1


def test_a_fallback_that_was_not_needed_has_not_asked() -> None:
    assert not any(path.startswith("retrieve.0.then") for path in whole(parse(SEARCHES[7])).steps)
    relaxed = whole(parse(SEARCHES[8])).steps
    assert not relaxed["first.refine.0"][0].hits
    assert relaxed["then.fuse"][0].ids[:100] == relaxed[""][0].ids


def test_where_a_part_fails_what_was_made_before_it_is_there() -> None:
    search = parse("RRF()(BM25(), Vector()) >> MaxSim() % 20")
    assert isinstance(search, Pipeline)
    broken = replace(search, refine=(*search.refine, Away(), *search.refine[1:]))
    told = whole(broken)
    assert told.ranking is None
    assert told.failed == "refine.2"
    assert "away" in str(told.error)
    assert list(told.steps) == ["retrieve.0", "retrieve.1", "fuse", "refine.0", "refine.1"]
    assert told.steps["refine.1"] == whole(search).steps["refine.1"]


@pytest.mark.parametrize(
    ("search", "failed"),
    [
        ("MultiQuery(model='chat')(BM25())", "rewrite"),
        ("RRF()(BM25(), MultiQuery(model='chat')(Vector())) % 3", "retrieve.1.rewrite"),
        ("Fallback(MultiQuery(model='chat')(BM25()), Vector())", "first.rewrite"),
        ("Route(WordTable(), (Destination('a', BM25(), 'elsewhere'),))", ""),
        ('RRF()(BM25(), Pipeline((ChromaVector(where=\'{"a": {"$b": 1}}\'),), depth=9)) % 3', "retrieve.1.retrieve.0"),
    ],
)
def test_the_part_that_failed_is_named_by_its_path(search: str, failed: str) -> None:
    told = whole(parse(search))
    assert told.failed == failed
    assert isinstance(told.error, LabError)
    assert told.ranking is None


def test_who_checks_may_refuse_a_part_before_it_works() -> None:
    asked: list[Operator] = []

    def check(operator: Operator) -> None:
        asked.append(operator)
        if "MMR" in type(operator).__name__:
            raise ModelError("Not here.")

    search = parse(SEARCHES[2])
    assert isinstance(search, Pipeline)
    told = whole(search, check=check)
    assert told.failed == "refine.0"
    assert "fuse" in told.steps
    assert asked == [part.operator for part in search.parts()]


def test_an_empty_question_is_traced_to_its_empty_end() -> None:
    told = trace(Runner(CORPUS), parse(SEARCHES[2]), Query("  "), 10)
    assert told.ranking is not None
    assert not told.ranking.hits
    assert all(not r.hits for rankings in told.steps.values() for r in rankings)
