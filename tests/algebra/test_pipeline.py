"""A search is a value: composed, taken apart, run once; what runs is what composition by hand would give."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import by_hand, searches
from models.scripted import ScriptedModel
from night import examples, for_each
from specimens import corpora, queries

from lab import catalog, presets
from lab.algebra import (
    Corpus,
    Document,
    Env,
    Fallback,
    Later,
    Lift,
    Lifted,
    Outcome,
    Pipeline,
    Query,
    Ranking,
    Relaxed,
    Removed,
    Retriever,
    Runner,
    Stage,
    Stages,
    Top,
    Turn,
    Weighted,
    index_of,
)
from lab.corpus import samples
from lab.derive.chunk import Chunk
from lab.errors import ParameterError, PipelineError, QueryError, UnknownName
from lab.fuse import RRF, BestScore, WeightedSum
from lab.models.lsa import LSA
from lab.refine.coverage import MaxSim, QueryCoverage
from lab.refine.diversity import MMR
from lab.refine.filters import MinimumMatch, ScoreThreshold
from lab.refine.reorder import LongContextReorder
from lab.retrieve.lexical import BM25, TFIDF, LexicalIndex
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.routing import Decision, Destination, Route, WordTable

CORPUS = Corpus(
    "kitchen",
    tuple(
        Document(f"d{i}", text)
        for i, text in enumerate(
            ["red apple pie", "green pear tart", "blue plum jam", "red pear jam", "yellow lemon cake", "apple and pear"]
        )
    ),
)
DEVICES = samples.load("devices").corpus
HYBRID = RRF(k=60)(BM25(), Vector()) >> MaxSim(0.4) >> MMR(k=4) >> LongContextReorder()


# ------------------------------------------------------------------------------------------ how it is written


def test_operators_make_the_pipeline_that_they_look_like() -> None:
    assert Pipeline((BM25(), Vector()), fuse=RRF(k=60), refine=(MaxSim(0.4), MMR(k=4), LongContextReorder())) == HYBRID
    assert BM25() >> MMR() == Pipeline((BM25(),), refine=(MMR(),))
    assert BM25() % 5 == Pipeline((BM25(),), refine=(Top(5),))
    assert RRF()(BM25(), Vector(), depth=50).depth == 50
    assert MultiQuery()(BM25()) == Pipeline((BM25(),), rewrite=MultiQuery())
    assert MultiQuery()(BM25(), merge=BestScore(), depth=7).merge == BestScore()
    assert Chunk()(Vector()) == Pipeline((Vector(),), derive=(Chunk(),), refine=(Lift(),))


def test_python_binds_percent_before_arrows_and_it_means_the_same() -> None:
    a, b = MMR(k=4), LongContextReorder()
    assert BM25() >> a % 10 == (BM25() >> a) % 10 == Pipeline((BM25(),), refine=(a, Top(10)))
    assert BM25() >> a >> b % 10 == Pipeline((BM25(),), refine=(a, b, Top(10)))
    assert BM25() >> (a >> b) == BM25() >> a >> b
    assert BM25() >> (a % 3 >> b) == Pipeline((BM25(),), refine=(a, Top(3), b))
    assert BM25() % 5 >> a == Pipeline((BM25(),), refine=(Top(5), a))
    assert isinstance(a >> b, Stages)
    assert (a >> b) % 2 == Stages((a, b, Top(2)))
    assert a >> (b >> a) == (a >> b) >> a


def test_a_weight_may_stand_on_either_side_and_needs_a_fusion_that_knows_weights() -> None:
    expected = Pipeline((BM25(), Vector()), fuse=RRF(weights=(2.0, 1.0)))
    assert RRF()(2 * BM25(), Vector()) == RRF()(BM25() * 2, Vector()) == expected
    assert RRF()(2.0 * BM25(), 1 * Vector()) == expected
    assert 2 * BM25() == Weighted(BM25(), 2)
    assert WeightedSum()(0.5 * (BM25() >> MMR()), Vector()).fuse == WeightedSum((0.5, 1.0))
    with pytest.raises(ParameterError, match="Best score has no weights"):
        BestScore()(2 * BM25(), Vector())
    for bad in (-1, float("nan"), "2"):
        with pytest.raises(ParameterError, match="A weight is|must be a list of numbers"):
            RRF()(BM25() * bad, Vector())  # type: ignore[operator]
    with pytest.raises(ParameterError, match="All weights are 0"):
        RRF()(0 * BM25(), 0 * Vector())


@for_each(
    "make, words",
    [
        (lambda: Pipeline(()), "no list to search"),
        (lambda: Pipeline((BM25(), Vector())), r"No fusion merges the lists \(2\)"),
        (lambda: Pipeline((BM25(), Vector()), fuse=RRF(weights=(1, 2, 3))), "Weights given: 3, lists: 2"),
        (lambda: RRF(weights=(1.0,))(BM25(), Vector()), "Weights given: 1, lists: 2"),
        (lambda: Pipeline((RRF(),)), "“retrieve” cannot hold RRF. Accepted: Searcher"),
        (lambda: Pipeline((BM25(),), refine=(BM25(),)), "“refine” cannot hold BM25"),
        (lambda: Pipeline((BM25(),), fuse=MMR()), "“fuse” cannot hold MMR"),
        (lambda: Pipeline((BM25(),), rewrite=MMR()), "“rewrite” cannot hold MMR"),
        (lambda: Pipeline((BM25(),), derive=(MMR(),)), "“derive” cannot hold MMR"),
        (lambda: Pipeline((BM25(),), merge=MMR()), "“merge” cannot hold MMR"),
        (lambda: BM25() >> RRF(), "“refine” cannot hold RRF"),
        (lambda: BM25() >> 5, "“refine” cannot hold int"),
        (lambda: BM25() >> (MMR() >> 5), "“refine” cannot hold int"),
        (lambda: Destination("x", RRF()), "“search” cannot hold RRF"),
        (lambda: Route(RRF(), (Destination("x", BM25()),)), "“router” cannot hold RRF"),
        (lambda: Route(WordTable(), (BM25(),)), "“routes” cannot hold BM25"),
        (lambda: Route(WordTable(), ()), "Give at least one route"),
        (lambda: Route(WordTable(), (Destination("x", BM25()),) * 2), "a name of its own"),
        (lambda: Route(WordTable((("a", "y"),)), (Destination("x", BM25()),)), "a route “y” that does not exist"),
        (lambda: Route(WordTable((), "y"), (Destination("x", BM25()),)), "a route “y” that does not exist"),
    ],
)
def test_what_does_not_fit_together_is_refused_with_the_reason(make: Any, words: str) -> None:
    with pytest.raises(PipelineError, match=words):
        make()


@for_each("depth", [0, -1, 2.5, "10", True, float("nan"), 10**9])
def test_a_depth_is_a_whole_number_from_one(depth: Any) -> None:
    with pytest.raises(ParameterError):
        Pipeline((BM25(),), depth=depth)


def test_numbers_in_other_clothes_are_the_same_pipeline() -> None:
    assert Pipeline([BM25()], depth=10.0) == Pipeline((BM25(),), depth=10)  # type: ignore[arg-type]
    assert type(Pipeline((BM25(),), depth=10.0).depth) is int  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------- taken apart

NESTED = Pipeline(
    (BM25() >> MinimumMatch(0.2) >> MMR(k=8), Pipeline((Vector(),), derive=(Chunk(),), refine=(Lift(),)), TFIDF()),
    rewrite=MultiQuery(),
    fuse=WeightedSum((0.5, 0.25, 1.0)),
    refine=(MaxSim(), Top(5)),
)
PATHS = [
    "rewrite", "retrieve.0.retrieve.0", "retrieve.0.refine.0", "retrieve.0.refine.1", "retrieve.1.derive.0",
    "retrieve.1.retrieve.0", "retrieve.1.refine.0", "retrieve.2", "merge", "fuse", "refine.0", "refine.1",
]  # fmt: skip


def test_parts_are_listed_in_the_order_in_which_they_work() -> None:
    assert [part.path for part in NESTED.parts()] == PATHS
    by_path = dict(NESTED.parts())
    assert by_path["retrieve.0.refine.1"] == MMR(k=8)
    assert by_path["fuse"] == WeightedSum((0.5, 0.25, 1.0))


@for_each("path", PATHS)
def test_a_part_can_be_replaced_by_itself_and_then_nothing_changes(path: str) -> None:
    assert NESTED.replace(path, dict(NESTED.parts())[path]) == NESTED


def test_a_part_can_be_replaced_and_the_rest_stays() -> None:
    other = NESTED.replace("retrieve.0.refine.0", MinimumMatch(0.9))
    assert dict(other.parts())["retrieve.0.refine.0"] == MinimumMatch(0.9)
    assert [p for p in other.parts() if p not in NESTED.parts()] == [("retrieve.0.refine.0", MinimumMatch(0.9))]
    assert NESTED.replace("retrieve.0", Vector()).retrieve[0] == Vector()
    for path, wrong in (("refine.0", BM25()), ("retrieve.2", MMR()), ("fuse", MMR()), ("rewrite", MMR())):
        with pytest.raises(PipelineError, match="cannot hold"):
            NESTED.replace(path, wrong)
    with pytest.raises(PipelineError, match="Weights given"):
        NESTED.replace("fuse", RRF(weights=(1, 1)))


def test_without_a_list_its_weight_goes_too_and_the_last_list_needs_no_fusion() -> None:
    two = NESTED.without("retrieve.1")
    assert (len(two.retrieve), two.fuse) == (2, WeightedSum((0.5, 1.0)))
    assert two.without("retrieve.0").fuse is None
    one = RRF()(BM25(), Vector()).without("retrieve.0")
    assert one.retrieve == (Vector(),)
    three = RRF(weights=(1, 0, 0))(BM25(), Vector(), TFIDF())
    assert three.without("retrieve.0").fuse == RRF(), "weights of 0 alone are none"
    with pytest.raises(PipelineError, match="no list to search"):
        (BM25() >> MMR()).without("retrieve.0")


def test_every_part_that_is_no_necessity_can_be_left_out() -> None:
    for n, path in enumerate(PATHS):
        if path in ("merge", "fuse", "retrieve.0.retrieve.0", "retrieve.1.retrieve.0"):
            with pytest.raises(PipelineError):
                NESTED.without(path)
            with pytest.raises(PipelineError):
                NESTED.without(n)
        else:
            assert NESTED.without(path) == NESTED.without(n) != NESTED
    assert NESTED.without("rewrite").rewrite is None
    assert NESTED.without("retrieve.1.derive.0").retrieve[1] == Pipeline((Vector(),)), "nothing is lifted any more"
    assert NESTED.without(-1) == NESTED.without("refine.1")


def test_a_fallback_and_a_route_have_parts_as_a_pipeline_has() -> None:
    table = WordTable((("VPN", "nets"), ("fox", "words")), otherwise="nets")
    route = Route(table, (Destination("nets", BM25() >> MMR(k=3)), Destination("words", TFIDF())))
    search = Fallback(RRF()(BM25(), Vector() >> MinimumMatch(0.3)), route)
    told = [
        "first.retrieve.0", "first.retrieve.1.retrieve.0", "first.retrieve.1.refine.0", "first.fuse",
        "then.router", "then.routes.0.retrieve.0", "then.routes.0.refine.0", "then.routes.1",
    ]  # fmt: skip
    assert [part.path for part in search.parts()] == told
    branches = [part.path for part in search.parts(branches=True) if part not in search.parts()]
    assert branches == ["first", "first.retrieve.1", "then", "then.routes.0"]
    for part in search.parts(branches=True):
        assert search.replace(part.path, part.operator) == search
    assert (search.without("first"), search.without("then")) == (route, search.first)
    assert search.without("first.retrieve.1.refine.0").first == RRF()(BM25(), Pipeline((Vector(),)))
    left = search.without("then.routes.0").then
    assert left == Route(WordTable((("fox", "words"),)), (Destination("words", TFIDF()),)), "its rows go with it"
    assert search.without("then.routes.0.refine.0").then.routes[0].search == Pipeline((BM25(),))
    for path in ("then.router", "first.fuse", "then.routes.0.retrieve.0"):
        with pytest.raises(PipelineError):
            search.without(path)
    with pytest.raises(PipelineError, match="at least one route"):
        left.without("routes.0")
    unknown = ["last", "first.refine.0", "then.routes.2", "then.routes.1.refine.0", "then.router.0", "then.routes"]
    for path in (*unknown, f"then.routes.{'9' * 5000}", "then.routes.²"):
        with pytest.raises(UnknownName, match=f"no part “{path}”") as told_of:
            search.without(path)
        assert "first.retrieve.0, " in told_of.value.remedy


@for_each(
    "path",
    [
        "",
        "refine",
        "refine.9",
        "refine.x",
        "refine.-1",
        "refine.0.0",
        "derive.0",
        "retrieve.0.refine.7",
        "retrieve.2.refine.0",
        "fuse.0",
        "name",
        "depth",
        "retrieve.0.",
        "refine.0x",
        "refine.1e0",
        "refine.²",
    ],
)
def test_a_path_that_is_not_there_is_answered_with_those_that_are(path: str) -> None:
    for call in (NESTED.without, lambda p: NESTED.replace(p, MMR())):
        with pytest.raises(UnknownName) as told:
            call(path)
        assert "Its parts: " in told.value.remedy
    with pytest.raises(UnknownName, match="Number of parts: 12"):
        NESTED.without(12)
    with pytest.raises(UnknownName):
        (BM25() >> MMR()).without("rewrite")


def test_stages_can_be_put_in_another_order_and_in_no_other_number() -> None:
    assert HYBRID.reordered(("refine.2", "refine.0", "refine.1")).refine == (
        LongContextReorder(),
        MaxSim(0.4),
        MMR(k=4),
    )
    for bad in ((), ("refine.0",), ("refine.0", "refine.0", "refine.1"), ("refine.0", "refine.1", "retrieve.0")):
        with pytest.raises(PipelineError, match="is not an order of the stages"):
            HYBRID.reordered(bad)


def test_prefixes_are_the_search_after_every_stage() -> None:
    told = list(HYBRID.prefixes())
    assert [p.refine for p in told] == [HYBRID.refine[:n] for n in range(4)]
    assert told[-1] == HYBRID
    runner = Runner(DEVICES)
    whole = runner(HYBRID, "headset battery")
    steps = [r for r in whole.lineage() if not isinstance(r.made_by, BM25 | Vector)]
    assert [runner(p, "headset battery", 1000).ids for p in told] == [r.ids for r in steps]


# ----------------------------------------------------------------------------------------------------- at work


@examples(12)
@given(search=searches(most=2, working=True), corpus=corpora(), text=queries(), k=st.integers(1, 12))
def test_a_search_is_the_composition_by_hand(search: Any, corpus: Corpus, text: str, k: int) -> None:
    query = Query(text)
    found, expected = Runner(corpus)(search, query, k), by_hand(search, corpus, query, k)
    assert [(h.document, h.score, list(h.why)) for h in found] == [(h.document, h.score, list(h.why)) for h in expected]
    if not isinstance(search, Pipeline):
        return
    if search.refine:
        assert found.dropped == expected.dropped
        assert found.parents[0].ids == expected.parents[0].ids


@examples(8)
@given(search=searches(most=2, working=True), corpus=corpora(), text=queries())
def test_fewer_hits_are_the_beginning_of_more(search: Any, corpus: Corpus, text: str) -> None:
    runner = Runner(corpus)
    hundred = Runner(corpus)(search, text, 100)
    for k in (1, 2, 3, 10):
        assert runner(search, text, k).hits == hundred.hits[:k]
        assert search.index(corpus).search(text, k=k).hits == hundred.hits[:k]


@examples(6)
@given(
    one=searches(most=2, working=True),
    corpus=corpora(),
    texts=st.lists(queries(), min_size=1, max_size=3),
    data=st.data(),
)
def test_running_several_searches_in_one_run_equals_running_each_alone(
    one: Any, corpus: Corpus, texts: list[str], data: st.DataObject
) -> None:
    several = [one, data.draw(searches(most=1, working=True))]
    if isinstance(one, Pipeline):
        several += [*one.prefixes(), *one.retrieve]
    shared = Runner(corpus)
    for text in texts:
        for search in several:
            alone, together = Runner(corpus)(search, text, 9), shared(search, text, 9)
            assert together == alone
    shared.forget()
    assert shared(several[0], texts[0], 9) == Runner(corpus)(several[0], texts[0], 9)


@examples(6)
@given(search=searches(most=2, working=True), corpus=corpora(), text=queries())
def test_every_stage_on_the_way_accounts_for_what_came_in(search: Any, corpus: Corpus, text: str) -> None:
    for ranking in Runner(corpus)(search, text).lineage():
        if isinstance(ranking.made_by, Stage) and not ranking.made_by.makes_documents:
            (parent,) = ranking.parents
            if isinstance(ranking.dropped, Removed):  # the list was searched within the condition
                assert ranking.ids == parent.ids
                assert not set(ranking.ids) & {d.document.id for d in ranking.dropped}
                continue
            kept = [*ranking.ids, *(d.document.id for d in ranking.dropped)]
            assert sorted(kept) == sorted(parent.ids) or ranking.asked


@examples(5)
@given(search=searches(most=2, working=True), corpus=corpora(), text=queries())
def test_bulk_work_finds_the_same(search: Any, corpus: Corpus, text: str) -> None:
    told, bulk = Runner(corpus)(search, text), Runner(corpus, explain=False)(search, text)
    assert bulk.ids == told.ids
    assert [h.score for h in bulk] == pytest.approx([h.score for h in told])


@dataclass(frozen=True)
class Counting(Stage):
    """Changes nothing and counts how often it is asked."""

    calls: Any = dataclasses.field(default_factory=list, hash=False, compare=False)
    mark: int = 0

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        self.calls.append(ranking.query.text)
        return Outcome(ranking.hits)


def test_what_searches_have_in_common_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []
    real = LexicalIndex.search

    def search(self: LexicalIndex, query: Any, *, k: int = 100, explain: bool = True) -> Ranking:
        asked.append((Query.of(query).text, k))
        return real(self, query, k=k, explain=explain)

    monkeypatch.setattr(LexicalIndex, "search", search)
    stage, other = Counting(), Counting(mark=1)
    runner = Runner(CORPUS)
    one = BM25() >> stage >> other
    for search_ in (one, *one.prefixes(), BM25() >> stage, RRF()(BM25() >> stage, BM25()), one % 2, one >> MMR(k=1)):
        for k in (1, 5, 100):
            runner(search_, "red pear", k)
    assert asked == [("red pear", 100)] + [("red pear", k) for k in (1, 5) if k != 100]  # the plain prefix, for its k
    assert stage.calls == other.calls == ["red pear"]
    runner(one, Query("red pear", id="again"))
    assert len(stage.calls) == 1
    runner.forget()
    runner(one, "red pear")
    assert len(stage.calls) == 2


def test_a_runner_has_the_lists_of_the_one_before_where_nothing_can_have_changed(monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []
    real = LexicalIndex.search

    def search(self: LexicalIndex, query: Any, *, k: int = 100, explain: bool = True) -> Ranking:
        asked.append(Query.of(query).text)
        return real(self, query, k=k, explain=explain)

    monkeypatch.setattr(LexicalIndex, "search", search)
    mixed, stage = WeightedSum((0.5, 0.5))(BM25(), TFIDF()), Counting()
    first = Runner(CORPUS)
    found = first(mixed >> stage, "red pear")
    assert len(asked) == 2

    def after(before: Runner, corpus: Corpus = CORPUS, **more: Any) -> Runner:
        runner = Runner(corpus, **more)
        runner.follow(before)
        return runner

    second = after(first)
    second(mixed >> stage, "red pear")
    assert len(asked) == 4, "the first search prepares: its seconds are not those of a search"
    third = after(second)
    again = third(WeightedSum((0.9, 0.1))(BM25(), TFIDF()) >> stage, "red pear")
    assert len(asked) == 4, "the lists are those of the run before"
    assert [parent.hits for parent in again.parents[0].parents] == [parent.hits for parent in found.parents[0].parents]
    assert len(stage.calls) == 3, "what is made of them is made"
    fourth = after(third)
    fourth(BM25(), "red pear")
    assert len(asked) == 4
    fourth(BM25(k1=2.0), "red pear")
    fourth(BM25(), "green pear")
    assert asked[4:] == ["red pear", "green pear"], "another knob and another question are searched"
    fifth = after(fourth)
    fifth(TFIDF(), "red pear")
    assert len(asked) == 7, "only the run before is remembered"
    same_texts = Corpus("kitchen", CORPUS.documents)
    for other in (after(fourth, same_texts), after(fourth, models={"chat": object()}), after(fourth, explain=False)):
        other(BM25(), "red pear")
    assert len(asked) == 10
    last = after(fourth)
    last.forget()
    last(BM25(), "red pear")
    assert len(asked) == 11


def test_only_what_nobody_else_can_change_is_settled() -> None:
    settled = {name for name, cls in catalog.searchers().items() if issubclass(cls, Retriever) and cls.settled}
    own = {"BM25", "BM25F", "CharNgram", "ExactVector", "Expanded", "Given", "InL2", "QueryLikelihood", "TFIDF"}
    assert settled == own | {"Vector"}, "stores and engines belong to others as well"


def test_an_index_is_made_once_for_a_corpus_and_search_time_knobs_need_no_new_one() -> None:
    corpus = Corpus("c", CORPUS.documents)
    assert index_of(BM25(), corpus) is index_of(BM25(), corpus)
    assert index_of(BM25(), corpus) is not index_of(BM25(k1=1.0), corpus)
    assert Runner(corpus).index(BM25()) is Runner(corpus).index(BM25()) is index_of(BM25(), corpus)


def test_every_list_is_asked_the_depth_of_the_search_and_a_bare_one_what_is_wanted() -> None:
    runner = Runner(DEVICES)
    assert [p.asked for p in runner((RRF()(BM25(), Vector(), depth=7)), "battery", 3).parents] == [7, 7]
    bare = runner(Pipeline((BM25(),)), "battery", 3)
    assert (len(bare), bare.asked, bare.made_by) == (3, 3, BM25())
    nested = runner(RRF()(RRF()(BM25(), Vector(), depth=20), TFIDF(), depth=5), "battery", 50)
    assert [len(p) for p in nested.parents] == [5, 5], "a list of its own depth is asked for the outer one's"
    assert [len(p) for p in nested.parents[0].parents] == [len(runner(BM25(), "battery", 20)), 20]


def test_stages_are_given_all_that_was_fused() -> None:
    runner = Runner(DEVICES)
    fused = runner(RRF()(BM25(), Vector(), depth=20), "headset battery", 1000)
    assert len(fused) > 20
    after = runner(RRF()(BM25(), Vector(), depth=20) >> MaxSim(), "headset battery", 1000)
    assert after.parents[0].ids == fused.ids
    assert sorted(after.ids) == sorted(fused.ids), "nothing is cut between the lists and the stages without a reason"


def test_a_cut_is_in_the_answer_with_the_ranks_as_reasons() -> None:
    found = Runner(CORPUS)(BM25(variant="lucene") % 2 >> QueryCoverage(), "red pear jam apple")
    cut = found.parents[0]
    assert (len(cut), cut.made_by) == (2, Top(2))
    assert [d.reason for d in cut.dropped] == [
        f"Rank {r}: only the first 2 are passed on." for r in range(3, 3 + len(cut.dropped))
    ]
    assert {d.document.id for d in cut.dropped} | set(cut.ids) == set(cut.parents[0].ids)


def test_parts_are_searched_and_the_documents_come_back() -> None:
    long = Corpus(
        "long",
        tuple(Document(f"p{i}", f"{'filler words here. ' * 40}the {w} part.") for i, w in enumerate(["red", "blue"])),
    )
    found = Runner(long)(Chunk(size=60, overlap=0)(BM25(variant="lucene")), "blue")
    assert found.ids == ["p1"]
    assert found.corpus is long
    assert isinstance(found.evidence, Lifted)
    (children,) = found.evidence.children.values()
    assert found.parents[0].corpus.parents == (long,)
    assert {hit.document.id for hit in children} == set(found.parents[0].ids)
    assert found.hits[0].score == found.parents[0].hits[0].score
    assert list(found.hits[0].why) == list(found.parents[0].hits[0].why)
    mixed = RRF()(BM25(), Chunk(size=60, overlap=0)(Vector()))
    assert Runner(long)(mixed, "blue").ids[0] == "p1"
    with pytest.raises(ParameterError, match="several corpora"):
        Runner(long)(RRF()(BM25(), Pipeline((Vector(),), derive=(Chunk(size=60, overlap=0),))), "blue")


@for_each("search", [BM25(), Vector(), TFIDF(), HYBRID, Fallback(BM25(), Vector())])
def test_a_text_is_a_query_everywhere(search: Any) -> None:
    runner, index = Runner(CORPUS), search.index(CORPUS)
    query = Query("red pear", id="7", metadata={"type": "x"})
    assert runner(search, "red pear") == runner(search, query) == index.search("red pear") == index.search(query)
    assert index.search(query).query is query
    assert index.search("red pear").query == Query("red pear")
    for blank in ("", " \n", Query("")):
        assert runner(search, blank).hits == ()


@pytest.mark.parametrize("k", [0, -1])
def test_k_starts_at_one(k: int) -> None:
    for search in (BM25(), HYBRID, Fallback(BM25(), Vector())):
        with pytest.raises(ParameterError, match="k is"):
            Runner(CORPUS)(search, "red", k)
        with pytest.raises(ParameterError, match="k is"):
            search.index(CORPUS).search("red", k=k)


# ----------------------------------------------------------------------------------------------- weighted words

WEIGHED = Query("red pear", weights=(("red", 2), ("pear", 1)))


def test_a_word_of_weight_two_is_the_word_twice() -> None:
    runner = Runner(CORPUS)
    twice, weighed = runner(BM25(variant="lucene"), "red red pear"), runner(BM25(variant="lucene"), WEIGHED)
    assert [(h.document, h.score, list(h.why)) for h in weighed] == [(h.document, h.score, list(h.why)) for h in twice]
    assert weighed.query.weights == (("red", 2.0), ("pear", 1.0))
    assert runner(TFIDF(), WEIGHED).hits == runner(TFIDF(), "red red pear").hits


@pytest.mark.parametrize("space", ["cosine", "ip", "l2"])
def test_static_vectors_take_weights_and_their_reasons_still_sum_up(space: str) -> None:
    runner = Runner(CORPUS)
    found = runner(Vector(space=space), WEIGHED)
    assert found.hits
    for hit in found:
        assert not hit.why or sum(c.value for c in hit.why) == pytest.approx(hit.score, abs=1e-6)
    even = Query("x", weights=(("red", 1), ("pear", 1)))
    doubled = Query("x", weights=(("red", 2), ("pear", 2)))
    assert [h.score for h in runner(Vector(space=space), even)] == pytest.approx(
        [h.score for h in runner(Vector(space=space), doubled)]
    )
    assert [h.score for h in runner(Vector(space=space), WEIGHED)] != pytest.approx(
        [h.score for h in runner(Vector(space=space), even)]
    )


def test_a_model_that_reads_a_text_as_a_whole_refuses_weights_with_a_sentence() -> None:
    search = RRF()(BM25(), Vector(LSA(4)))
    with pytest.raises(QueryError, match="reads a text as a whole: words cannot have weights") as told:
        Runner(CORPUS)(search, WEIGHED)
    assert "BM25" in told.value.remedy


# ---------------------------------------------------------------------------------------------------- explained


def test_no_reason_is_made_until_somebody_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    real = Later._read
    monkeypatch.setattr(Later, "_read", lambda self: read.append(1) or real(self))
    for search in (
        BM25(),
        Vector(),
        RRF()(BM25(), Vector()),
        WeightedSum()(BM25(), Vector()) >> ScoreThreshold(0.0) % 3,
    ):
        found = Runner(CORPUS)(search, "red pear")
        assert found.hits
    assert read == []
    assert list(Runner(CORPUS)(Vector(), "red pear").hits[0].why)
    assert read


def test_models_are_found_by_the_name_of_a_setting_and_are_no_part_of_the_search() -> None:
    search = MultiQuery(model="small")(BM25(variant="lucene"))
    models = {"small": ScriptedModel((("", "plum"),)), "chat": ScriptedModel((("", "lemon"),))}
    found = search.index(CORPUS, models=models).search("apple")
    assert [r.query.text for r in found.parents] == ["apple", "plum"]
    assert found.evidence.by == "model"
    assert found.evidence.answers[0].text == "plum"
    assert found.made_by == search
    assert "Scripted" not in repr(search)
    rule = MultiQuery()(BM25(variant="lucene"))
    assert rule.index(CORPUS, models=models).search("apple").evidence.by == "rule"


# ------------------------------------------------------------------------------------------- routes and fallbacks

HR = Corpus("hr", (Document("1", "annual leave is thirty days"), Document("2", "sick leave needs a note")))
IT = Corpus("it", (Document("1", "the VPN needs a token"), Document("2", "printers leave stripes")))
ROUTE = Route(
    WordTable((("VPN", "computers"), ("年假", "people")), "people"),
    (Destination("people", BM25(variant="lucene")), Destination("computers", Vector(), "it")),
)


def test_a_table_sends_a_question_to_its_search_and_says_why() -> None:
    runner = Runner(HR, others={"it": IT})
    people, computers = runner(ROUTE, "sick leave"), runner(ROUTE, "how do I use the vpn")
    assert people.evidence == Decision("people", "The question contains no words of the table: people.")
    assert computers.evidence == Decision("computers", "The question contains “VPN”: computers.")
    assert (people.corpus, computers.corpus) == (HR, IT)
    assert (people.made_by, computers.made_by) == (ROUTE, ROUTE)
    assert people.hits == Runner(HR)(BM25(variant="lucene"), "sick leave").hits
    assert computers.hits == Runner(IT)(Vector(), "how do I use the vpn").hits
    assert [r.made_by for r in computers.lineage()] == [Vector(), ROUTE]


def test_the_first_words_that_stand_in_the_question_decide() -> None:
    both = WordTable((("leave", "a"), ("vpn", "b")))
    routes = [Destination("b", BM25()), Destination("a", BM25())]

    def decided(table: WordTable, text: str) -> str:
        return table.decide(Query(text), routes, lambda _name: HR).route

    assert decided(both, "VPN during leave") == "a"
    assert decided(both, "Vpn") == "b"
    assert decided(both, "nothing") == "b", "the first route where no other is named"
    assert decided(replace(both, otherwise="a"), "nothing") == "a"


def test_a_collection_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(UnknownName, match="no collection “it”") as told:
        Runner(HR, others={"law": IT})(ROUTE, "vpn")
    assert "hr, law" in told.value.remedy
    own = replace(ROUTE, routes=(ROUTE.routes[0], Destination("computers", Vector(), "hr")))
    assert Runner(HR)(own, "vpn").corpus is HR, "the corpus of the run may be named"


def test_a_route_over_two_collections_cannot_be_fused_with_one_of_them() -> None:
    runner = Runner(HR, others={"it": IT})
    assert runner(RRF()(ROUTE, BM25()), "sick leave").hits
    with pytest.raises(ParameterError, match="several corpora"):
        runner(RRF()(ROUTE, BM25()), "vpn leave")


def test_a_fallback_asks_the_second_search_only_where_the_first_finds_nothing() -> None:
    stage = Counting()
    search = Fallback(BM25() >> MinimumMatch(0.6), Vector() >> stage)
    strict = Runner(CORPUS)(search, "red pear")
    assert isinstance(strict.evidence, Relaxed)
    assert (strict.evidence.relaxed, stage.calls) == (False, [])
    loose = Runner(CORPUS)(search, "apple one two three four")
    assert (loose.evidence.relaxed, stage.calls) == (True, ["apple one two three four"])
    assert [d.reason for d in loose.parents[0].dropped] == ["Query terms found: 1 of 5; required: 3."] * 2


# ----------------------------------------------------------------------------------------------------- presets


def test_every_preset_runs_and_survives_what_a_search_survives(neural: object) -> None:
    runner = Runner(Corpus("some", DEVICES.documents[:40]))
    for name, preset in presets.presets().items():
        found = runner(preset.search, "headset battery", 5)
        assert found.hits, name
        assert set(preset.title) == {"en", "zh"}
        assert presets.find(name) is preset.search
    with pytest.raises(UnknownName, match="no pipeline “worst”"):
        presets.find("worst")


def test_the_whole_way_asks_a_turn_with_its_conversation_and_a_plain_question_as_it_is() -> None:
    whole, runner = presets.find("integration"), Runner(DEVICES)
    inner = whole.retrieve[0]
    assert inner.first == RRF()(BM25() >> MinimumMatch(0.3), Vector() >> ScoreThreshold(0.2))
    assert inner.then == RRF()(BM25() >> MinimumMatch(0.1), Vector() >> ScoreThreshold(0.17))
    plain = runner(whole, "headset battery", 5)
    assert plain.hits == runner(inner, "headset battery", 5).hits
    turn = Query("And how do I reset it?", turns=(Turn("What does the front light of the AX-7200M tell?"),))
    assert runner(whole, turn, 1).ids == ["dv-020"]
    assert runner(inner, turn, 1).ids != ["dv-020"]
    assert not runner(whole, Query("thanks!", turns=turn.turns), 5).hits, "small talk is no question"


def test_the_whole_way_says_in_a_conversation_too_what_was_relaxed() -> None:
    question, runner = "kettle descaling schedule, vinegar or citric acid", Runner(DEVICES)
    for asked in (Query(question), Query("schedule, vinegar or citric acid", turns=(Turn("kettle descaling"),))):
        found = runner(presets.find("integration"), asked, 5)
        assert [step.evidence for step in found.lineage() if isinstance(step.evidence, Relaxed)] == [Relaxed(True)]
        assert found.hits
