"""What language models cost: estimated before, summed from the answers afterwards, each answer once."""

from __future__ import annotations

import pytest
from models.server import USAGE, Server

from lab.algebra import Corpus, Document, Runner
from lab.evaluate.runs import run_many
from lab.explain.trace import trace
from lab.fuse import RRF
from lab.models.chat import Completion
from lab.models.costs import Usage, answers_in, estimate, mean_usage, usage_behind, usage_of
from lab.models.endpoint_chat import EndpointModel
from lab.models.memory import AnswerCache, Deferred, Remembering
from lab.refine.listwise import Listwise
from lab.refine.llm_filter import LanguageModelJudge
from lab.retrieve.lexical import BM25, TFIDF
from lab.rewrite.multi_query import MultiQuery
from lab.text import count_tokens

CORPUS = Corpus("c", tuple(Document(f"d{i}", f"red fox number {i}") for i in range(6)))
SENT, ANSWERED = USAGE["prompt_tokens"], USAGE["completion_tokens"]


def priced(server: Server) -> EndpointModel:
    return EndpointModel("m", server.url, retries=0, prices=(2.0, 10.0))


ONE = (SENT * 2.0 + ANSWERED * 10.0) / 1_000_000
"""The price of an answer of the test's server."""


def test_an_estimate_counts_prompts_and_takes_its_price_from_the_model_behind_proxies() -> None:
    model = EndpointModel("m", prices=(2.0, 10.0))
    remembering = Remembering(model, AnswerCache())
    for proxy in (model, remembering, Deferred(remembering)):
        told = estimate(proxy, ["red fox", "blue"], times=3)
        assert told.requests == 6
        assert told.characters == 3 * len("red foxblue")
        assert told.tokens == 3 * (count_tokens("red fox") + count_tokens("blue"))
        assert told.cost == pytest.approx(told.tokens * 2.0 / 1_000_000)
    assert estimate(EndpointModel("m"), ["red"]).cost is None


def test_the_usage_is_the_sum_over_the_answers_and_says_what_was_not_counted() -> None:
    answers = [Completion("a", "m", 10, 2, 0.5), Completion("b", "m", 1, 1, 0.25)]
    assert usage_of(answers) == Usage(2, 11, 3, 0, 0.75)
    assert usage_of([*answers, Completion("c", "m")]) == Usage(3, 11, 3, 1, None)
    assert usage_of([]) == Usage() == Usage(0, 0, 0, 0, 0.0)
    assert mean_usage([Usage(1, 10, 2, 0, 0.5), Usage(0)]) == (6.0, 0.25)
    assert mean_usage([]) == (0.0, 0.0)


@pytest.mark.parametrize("evidence", [None, (), "text", (1, 2), object(), {"answers": 1}])
def test_other_evidence_has_no_answers(evidence: object) -> None:
    assert answers_in(evidence) == ()


def test_a_search_costs_what_all_its_steps_have_asked_each_answer_once() -> None:
    """A rewriting that two lists share, a judge of every passage, and two windows of the rest."""
    search = MultiQuery(model="chat") >> BM25()
    lists = RRF()(MultiQuery(model="chat")(BM25()), MultiQuery(model="chat")(TFIDF()))
    with Server("red\nfox") as server:
        model = priced(server)
        assert usage_behind(Runner(CORPUS, models={"chat": model})(search, "fox")) == Usage(1, SENT, ANSWERED, 0, ONE)
        before = len(server.requests)
        ranking = Runner(CORPUS, models={"chat": model})(lists, "fox")
        assert len(server.requests) == before + 1
        assert usage_behind(ranking).requests == 1
    with Server('{"relevant": true, "reason": "fox"}') as server:
        server.when("with a number in brackets", "says [2] > [1]")
        staged = BM25() >> LanguageModelJudge() >> Listwise(4, 2, model="chat")
        traced = trace(Runner(CORPUS, models={"chat": priced(server)}), staged, "fox", 10)
        assert len(server.requests) == 6 + 2
        assert traced.usage == Usage(8, 8 * SENT, 8 * ANSWERED, 0, pytest.approx(8 * ONE))
        assert traced.ranking is not None
        assert usage_behind(traced.ranking) == traced.usage


def test_the_runs_of_an_evaluation_know_the_usage_of_every_query() -> None:
    from lab.algebra import Query

    queries = [Query("fox", id="a"), Query("red fox", id="b")]
    with Server("[2] > [1]") as server:
        searches = {"plain": BM25(), "listwise": BM25() >> Listwise(4, 2, model="chat")}
        runs = run_many(searches, CORPUS, queries, models={"chat": priced(server)})
    assert not runs["plain"].asked_models
    assert runs["plain"].per_query == (0.0, 0.0)
    assert runs["listwise"].asked_models
    tokens, cost = runs["listwise"].per_query
    assert tokens == 2 * (SENT + ANSWERED)
    assert cost == pytest.approx(2 * ONE)


def test_without_prices_there_are_tokens_and_no_money() -> None:
    with Server("[2] > [1]") as server:
        model = EndpointModel("m", server.url, retries=0)
        ranking = Runner(CORPUS, models={"chat": model})(BM25() >> Listwise(model="chat"), "fox")
    assert usage_behind(ranking) == Usage(1, SENT, ANSWERED, 0, None)
