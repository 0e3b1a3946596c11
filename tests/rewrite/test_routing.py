"""Routing by what collections have to say, by examples, by a model: what it scores, when it is sure, what it says."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.scripted import ScriptedModel
from models.server import Server
from night import for_each

from lab import formats
from lab.algebra import DEPTH, Corpus, Document, Pipeline, Query, Ranking, Rewrite, Runner
from lab.corpus import samples
from lab.errors import LabError, ModelError, ParameterError, PipelineError, UnknownName
from lab.evaluate.routing import accuracy, decide_all
from lab.explain.trace import trace
from lab.fuse import RRF
from lab.models.endpoint_chat import EndpointModel
from lab.models.memory import AnswerCache, Deferred, Remembering
from lab.models.static import BuiltIn
from lab.numeric import unit
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.routing import CollectionRouter, Decision, Destination, Route, WordTable, held

HR = Corpus(
    "hr",
    (
        Document("1", "annual leave is thirty days"),
        Document("2", "sick leave needs a note"),
        Document("3", "overtime is paid twice"),
    ),
)
IT = Corpus("it", (Document("1", "the VPN needs a token"), Document("9", "printers leave stripes")))
PLACES = (Destination("people", BM25(), "hr"), Destination("computers", BM25(), "it"))
ROUTE = Route(CollectionRouter(), PLACES)
MODEL = replace(ROUTE, router=CollectionRouter(model="chat"))


def runner(**models: object) -> Runner:
    return Runner(HR, others={"it": IT}, models=models)


def decided(route: Route, text: str | Query, **models: object) -> Decision:
    return route.decided(runner(**models), Query.of(text))


def written(answer: str) -> ScriptedModel:
    return ScriptedModel((("", answer),))


# ------------------------------------------------------------------------------------------- by the words


def test_a_word_weighs_the_same_in_every_collection_and_a_score_is_a_share_of_the_question() -> None:
    told = held(Query("token stripes"), [HR, IT], 1)
    # idf over the five passages of both; each word stands in one; both passages have three words that count
    tf = {doc: 1 / (1 + 1.5 * (1 - 0.75 + 0.75 * length / average)) for doc, length, average in _lengths(IT)}
    assert told[0] == 0
    assert told[1] == pytest.approx(max(tf.values()) / 2), "one of two words of equal weight"
    assert (held(Query("leave leave"), [HR, IT], 1) == held(Query("leave"), [HR, IT], 1)).all()


def _lengths(corpus: Corpus) -> list[tuple[str, float, float]]:
    matrix = BM25().index(corpus).matrix
    return [(d.id, float(n), matrix.average_length) for d, n in zip(corpus, matrix.lengths, strict=True)]


def test_what_is_rare_in_one_collection_is_not_what_it_is_about() -> None:
    about = Corpus("about", tuple(Document(f"a{i}", f"token rule{i}") for i in range(20)))
    once = Corpus("once", (*(Document(f"o{i}", f"leave rule{i}") for i in range(20)), Document("t", "token rule9")))
    own = {corpus.name: BM25().index(corpus).search("token").hits[0].score for corpus in (about, once)}
    assert own["once"] > 10 * own["about"], "each by its own IDF"
    told = held(Query("token"), [about, once], 3)
    assert told[0] > 2 * told[1], "three passages of the one have the word, one of the other"
    both = held(Query("token leave"), [about, once], 1)
    idf = [math.log(1 + (41 - df + 0.5) / (df + 0.5)) for df in (21, 20)]
    assert both[0] < idf[0] / sum(idf) < 1, "at most the share of the word that it has"


def _find(*corpora: Corpus):  # type: ignore[no-untyped-def]
    return {corpus.name: corpus for corpus in corpora}.__getitem__


def test_where_there_are_fewer_passages_than_count_the_others_are_nothing() -> None:
    one, three = (float(held(Query("token"), [HR, IT], n)[1]) for n in (1, 3))
    assert three == pytest.approx(one / 3)


def test_weights_of_a_query_count_as_its_words_do() -> None:
    plain, weighted = Query("leave token"), Query("", weights=(("leave", 1.0), ("token", 1.0)))
    assert held(plain, [HR, IT], 2) == pytest.approx(held(weighted, [HR, IT], 2))
    assert held(Query("leave token", weights=(("token", 1.0),)), [HR, IT], 2)[0] == 0


def test_an_empty_corpus_and_a_word_that_is_not_wanted_are_no_error() -> None:
    nobody = Corpus("nobody", ())
    assert held(Query("leave"), [nobody, nobody], 3).tolist() == [0.0, 0.0]
    assert held(Query("leave"), [HR, nobody], 3)[1] == 0
    less = held(Query("", weights=(("token", 1.0), ("leave", -1.0))), [HR, IT], 1)
    assert -1 <= less.min() <= 0 < less[1] <= 1
    places = (replace(PLACES[0], examples=("\ud83d", "")), PLACES[1])
    assert decided(replace(ROUTE, routes=places), "leave \ud83d").route == "people"


def test_a_route_that_is_ahead_is_searched_alone_and_the_ranking_says_by_how_much() -> None:
    found = runner()(ROUTE, "the VPN token", 10)
    told = found.evidence
    assert isinstance(told, Decision)
    assert (told.route, told.sure, told.by) == ("computers", True, "rule")
    assert [s.route for s in told.scores] == ["computers", "people"]
    assert told.margin == told.scores[0].score - told.scores[1].score
    assert told.said == f"computers leads people by {_cut(told.margin)}; 0.03 is enough."
    assert found.corpus is IT
    assert found.hits == Runner(IT)(BM25(), "the VPN token", 10).hits
    for scored in told.scores:
        assert scored.score == sum(part.value for part in scored.why)
        assert [part.source for part in scored.why] == ["words"]


def _cut(margin: float) -> str:
    """As a sentence has it: never rounded up to what would be enough."""
    return f"{math.floor(10_000 * margin) / 10_000:.4f}"


@pytest.mark.parametrize("share", [0.99999, 1.0, 1.00001])
def test_a_sentence_never_says_that_as_much_as_is_enough_is_not(share: float) -> None:
    lead = decided(ROUTE, "the VPN token").margin
    told = decided(replace(ROUTE, router=CollectionRouter(margin=share * lead)), "the VPN token")
    assert told.sure == (share <= 1)
    assert ("is enough" in told.said) == told.sure
    rounded = decided(replace(ROUTE, router=CollectionRouter(margin=math.ceil(100 * lead) / 100)), "the VPN token")
    said = [float(word.rstrip(",.;")) for word in rounded.said.split() if word.rstrip(",.;").replace(".", "").isdigit()]
    assert not rounded.sure
    assert said[0] < said[1]


# --------------------------------------------------------------------------------------------- not sure


def test_a_router_that_is_not_sure_searches_everything_and_says_so() -> None:
    unsure = replace(ROUTE, router=CollectionRouter(margin=0.9))
    found = runner()(unsure, "leave token", 10)
    told = found.evidence
    assert not told.sure
    assert "Not confident: " in told.said
    assert "All routes are searched." in told.said
    assert f"by only {_cut(told.margin)}, less than 0.9" in told.said
    assert [r.corpus for r in found.parents] == [HR, IT]
    assert found.made_by == unsure
    assert set(found.ids) == {"hr/1", "2", "it/1", "9"}, "an id that both have says whose it is"
    assert found.corpus.name == "hr + it"
    assert all(found.corpus.get(hit.document.id) is hit.document for hit in found)
    ranks = [[r.ids.index(hit.document.id.split("/")[-1]) + 1 for r in found.parents
              if hit.document.text in [h.document.text for h in r]] for hit in found]  # fmt: skip
    assert [hit.score for hit in found] == pytest.approx([sum(1 / (60 + rank) for rank in own) for own in ranks])


@for_each("text", ["", "   ", "？！", "zebra", "\x00"])
def test_a_question_of_which_no_route_knows_anything_is_not_sent_to_the_first(text: str) -> None:
    told = decided(ROUTE, text)
    assert not told.sure
    assert told.said == "Not confident: no route matches the question. All routes are searched."
    assert told.margin == 0


def test_routes_of_one_corpus_are_equal_unless_their_examples_tell_them_apart() -> None:
    alike = Route(CollectionRouter(), (Destination("a", BM25()), Destination("b", Vector())))
    told = Runner(HR)(alike, "sick leave", 10)
    assert told.evidence.said == "Not confident: a and b have the same score. All routes are searched."
    assert told.corpus is HR
    assert told.hits == RRF()([Runner(HR)(s, "sick leave", DEPTH) for s in (BM25(), Vector())]).hits
    examples = {"a": ("how long is my holiday",), "b": ("I am ill and have a cold",)}
    apart = replace(alike, routes=tuple(replace(r, examples=examples[r.name]) for r in alike.routes))
    assert apart.decided(Runner(HR), Query("sick leave, I am ill")).route == "b"


def test_no_margin_makes_equal_scores_sure() -> None:
    alike = Route(CollectionRouter(margin=0.0), (Destination("a", BM25()), Destination("b", Vector())))
    assert not alike.decided(Runner(HR), Query("sick leave")).sure


def test_one_route_alone_is_sure() -> None:
    told = decided(replace(ROUTE, routes=PLACES[1:]), "nothing")
    assert (told.sure, told.said) == (True, "computers is the only route.")


def test_the_first_ten_are_the_first_of_the_first_hundred_also_of_everything() -> None:
    unsure = replace(ROUTE, router=CollectionRouter(margin=1.0))
    assert runner()(unsure, "leave", 2).hits == runner()(unsure, "leave", 100).hits[:2]


def test_a_trace_goes_where_the_question_goes() -> None:
    sure, unsure = (trace(runner(), replace(ROUTE, router=CollectionRouter(margin=m)), "VPN token", 5) for m in (0, 1))
    assert set(sure.steps) == {"routes.1", ""}
    assert set(unsure.steps) == {"routes.0", "routes.1", ""}
    assert unsure.ranking is not None
    assert unsure.ranking.ids == runner()(replace(ROUTE, router=CollectionRouter(margin=1)), "VPN token", 5).ids


# --------------------------------------------------------------------------------------------- examples


def test_examples_add_the_cosine_with_their_mean_and_are_shown_as_an_addend() -> None:
    examples = ("my screen stays black", "the mouse does not move")
    route = replace(ROUTE, routes=(PLACES[0], replace(PLACES[1], examples=examples)))
    encoder = BuiltIn().fit(HR)
    centre = unit(encoder.documents([*examples])).mean(axis=0)
    question = encoder.documents(["the keyboard is broken"])[0]
    cosine = float(centre @ question / (np.linalg.norm(centre) * np.linalg.norm(question)))
    told = decided(route, "the keyboard is broken")
    why = {s.route: {str(part.source): part.value for part in s.why} for s in told.scores}
    assert why["computers"]["examples"] == pytest.approx(0.2 * cosine)
    assert why["people"]["examples (mean of the other routes)"] == pytest.approx(0.2 * cosine), "neither for it"
    assert all(s.score == pytest.approx(sum(part.value for part in s.why)) for s in told.scores)


def test_examples_that_weigh_nothing_are_not_looked_at() -> None:
    route = replace(ROUTE, routes=(PLACES[0], replace(PLACES[1], examples=("leave",))))
    light = replace(route, router=CollectionRouter(examples=0.0))
    assert decided(light, "sick leave").scores == decided(ROUTE, "sick leave").scores


# --------------------------------------------------------------------------------------------- by a model


def test_a_model_chooses_one_of_the_names_and_is_told_of_them() -> None:
    asked: list[str] = []

    class Noting(ScriptedModel):
        def ask(self, prompt, *, system="", shape=None):  # type: ignore[no-untyped-def]
            asked.append(str(prompt))
            assert shape
            return super().ask(prompt, system=system, shape=shape)

    places = (replace(PLACES[0], examples=("how many days off",)), PLACES[1])
    told = decided(replace(MODEL, routes=places), "the {routes} VPN", chat=Noting((("", '{"route": "people"}'),)))
    assert (told.route, told.by, told.sure) == ("people", "model", True)
    assert told.said == "The language model chose people."
    assert told.answer is not None
    assert "- people: how many days off\n- computers: the VPN needs a token / printers leave stripes" in asked[0]
    assert "Question: the {routes} VPN" in asked[0], "braces of a question stay what they are"
    assert told.scores[0].route == "computers", "what the rule thinks of it is there all the same"


def test_the_prompt_is_in_the_language_of_the_question_and_may_be_the_visitors() -> None:
    router, find = CollectionRouter(model="chat"), _find(HR, IT)
    assert "只回答一个 JSON 对象" in router.request(Query("年假有几天"), PLACES, find)
    assert "Answer with a JSON object" in router.request(Query("how many days"), PLACES, find)
    own = replace(router, template="{question}? {routes}")
    assert own.request(Query("leave"), PLACES, find).startswith("leave? - people: annual leave")


@for_each("answer", [
        "",
        "people or computers",
        "I am sure that it is people.",
        '{"route": "peopl"}',
        '{"route": "people and computers"}',
        '{"route": "PEOPLE"}',
        '{"route": null}',
        '{"route": ["people"]}',
        '{"route": 0}',
        '{"place": "people"}',
        '["people"]',
        "I'm sorry, but I can't help with that.",
        "I'm sorry, but I can't help with that question. {\"route\": \"people\"}",
        "<think>people? {\"route\": \"people\"}",
        "people " * 3000,
        '{"route": "people',
    ])  # fmt: skip
def test_what_names_no_route_is_never_read_as_the_first(answer: str) -> None:
    told = decided(MODEL, "the VPN token", chat=written(answer))
    rule = decided(ROUTE, "the VPN token")
    assert (told.route, told.sure, told.by) == ("computers", True, "rule")
    assert told.scores == rule.scores
    assert isinstance(told.problem, ModelError)
    assert told.said.endswith(f"The rule decides. {rule.said}")


@for_each("answer", ["people", "**people**", "Category: people", "`people`.", "“people”", "类别：people", "- people\n"])
def test_a_name_alone_is_read_in_every_dress(answer: str) -> None:
    told = decided(MODEL, "the VPN token", chat=written(answer))
    assert (told.route, told.by, told.sure) == ("people", "model", True)


@given(st.text(max_size=60) | st.recursive(st.none() | st.text(max_size=9), lambda x: st.lists(x)).map(json.dumps))
def test_whatever_a_model_writes_a_route_is_chosen_by_its_name_or_by_the_rule(answer: str) -> None:
    told = decided(MODEL, "the VPN token", chat=written(answer))
    assert told.route == "computers"
    assert told.by == "rule"


def test_the_rule_may_be_unsure_in_the_place_of_a_model() -> None:
    told = decided(MODEL, "zebra", chat=written(""))
    assert not told.sure
    assert "The rule decides. Not confident: no route" in told.said
    assert {r.corpus.name for r in runner(chat=written(""))(MODEL, "zebra").parents} == {"hr", "it"}


def test_a_run_without_that_model_says_so() -> None:
    told = decided(MODEL, "the VPN token")
    assert (told.route, told.by) == ("computers", "rule")
    assert told.said.startswith("This run has no language model “chat”. The rule decides.")


def test_an_answer_that_is_not_there_yet_leaves_the_rule_at_work() -> None:
    waiting = Deferred(Remembering(written('{"route": "people"}'), AnswerCache()))
    told = decided(MODEL, "the VPN token", chat=waiting)
    assert (told.route, told.by) == ("computers", "rule")
    assert "The model has not been asked yet. The rule decides." in told.said
    ((prompt, shape),) = waiting.wanted
    assert shape is not None
    waiting.model.ask(prompt, shape=shape)
    assert decided(MODEL, "the VPN token", chat=waiting).route == "people"


@pytest.mark.parametrize("behaviour", ["stall", "500", "drop", "reports", "truncated", "trickles"])
def test_a_server_that_fails_or_is_late_leaves_the_rule_at_work(behaviour: str) -> None:
    with Server('{"route": "people"}') as server:
        model = EndpointModel("m", server.url, timeout=0.5, retries=0)
        assert decided(MODEL, "the VPN token", chat=model).by == "model"
        server.then(behaviour)
        told = decided(MODEL, "another VPN token", chat=model)
    assert (told.route, told.by) == ("computers", "rule")
    assert told.problem is not None


def test_an_empty_question_is_not_sent_to_a_model() -> None:
    assert decided(MODEL, "  ", chat=written('{"route": "people"}')).by == "rule"


# ------------------------------------------------------------------------------------------ routes as data

FILE = """\
format = 1
type = "Route"
router = { type = "CollectionRouter", margin = 0.1 }

[[routes]]
name = "people"
search = { type = "BM25" }
collection = "hr"
examples = ["how many days off", "年假有几天"]
rewriting = { type = "MultiQuery", n = 2 }

[[routes]]
name = "computers"
search = { type = "Vector" }
collection = "it"
"""


def test_routes_are_a_file_that_comes_out_as_it_went_in() -> None:
    route = formats.from_toml(FILE)
    assert isinstance(route, Route)
    assert route.router == CollectionRouter(margin=0.1)
    assert route.routes[0] == Destination("people", BM25(), "hr", ("how many days off", "年假有几天"), MultiQuery(n=2))
    assert formats.from_toml(formats.to_toml(route)) == route
    assert formats.to_toml(formats.from_toml(formats.to_toml(route))) == formats.to_toml(route)
    assert formats.parse(formats.expression(route)) == route


@for_each(
    "wrong, line, said",
    [
        (FILE.replace('examples = ["how', 'exmples = ["how'), 9, "exmples"),
        (FILE.replace("margin = 0.1", "margin = 2"), 3, "margin is 2"),
        (FILE.replace('["how many days off", "年假有几天"]', "5"), 9, "examples"),
        (FILE.replace('{ type = "MultiQuery", n = 2 }', '{ type = "BM25" }'), 10, "BM25"),
        (FILE.replace('"MultiQuery"', '"MultQuery"'), 10, "MultiQuery"),
        (FILE.replace('name = "computers"', 'name = "people"'), 0, "a name of its own"),
        (FILE.replace('type = "Vector"', 'type = "Vectr"'), 14, "Vector"),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_its_line(wrong: str, line: int, said: str) -> None:
    with pytest.raises(PipelineError) as told:
        formats.from_toml(wrong)
    assert said in str(told.value)
    assert not line or f"Line {line}, " in str(told.value)


def test_examples_are_texts_and_a_rewriting_is_one() -> None:
    for wrong in ({"examples": (5,)}, {"rewriting": BM25()}, {"search": RRF()}):
        with pytest.raises(PipelineError, match="cannot hold"):
            Destination(**{"name": "x", "search": BM25(), **wrong})  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="a list"):
        Destination("x", BM25(), examples="how")  # type: ignore[arg-type]


def test_a_question_is_reworded_where_its_route_says_so() -> None:
    reworded = replace(PLACES[1], rewriting=MultiQuery(abstains=False))
    route = replace(ROUTE, routes=(PLACES[0], reworded))
    found = runner()(route, "the VPN token")
    assert isinstance(found.parents[0].evidence, Rewrite)
    assert found.parents[0].evidence.made_by == MultiQuery(abstains=False)
    assert "routes.1.rewrite" in [part.path for part in route.parts()]
    plain = route.without("routes.1.rewrite")
    assert isinstance(plain, Route)
    assert runner()(plain, "the VPN token").hits == runner()(ROUTE, "the VPN token").hits
    assert plain.routes[1].search == Pipeline((BM25(),))


def test_a_collection_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownName, match="no collection “it”"):
        Runner(HR)(ROUTE, "vpn")


# ------------------------------------------------------------------------------------------ on the samples


def test_the_samples_are_told_apart_and_what_is_not_sure_is_more_often_wrong() -> None:
    own = {name: samples.load(name) for name in samples.names()}
    corpora = {name: c.corpus for name, c in own.items()}
    route = Route(CollectionRouter(), tuple(Destination(name, BM25(), name) for name in own))
    told = decide_all(
        route, {name: c.judged for name, c in own.items()}, Runner(corpora["devices"], others=corpora, explain=False)
    )
    assert accuracy(told) > 0.7  # two of the three have English passages
    sure = [one for one in told if one.decision.sure]
    assert 0.65 < len(sure) / len(told) < 1
    assert accuracy(sure) > accuracy(told) > accuracy([one for one in told if not one.decision.sure])


@given(st.text(max_size=20), st.integers(1, 4))
def test_whatever_is_asked_all_routes_have_a_score_and_the_best_is_taken(text: str, best: int) -> None:
    told = decided(replace(ROUTE, router=CollectionRouter(best=best)), text)
    assert sorted(s.route for s in told.scores) == ["computers", "people"]
    assert told.scores[0].score >= told.scores[1].score
    assert told.route == told.scores[0].route
    assert all(0 <= s.score <= 1 for s in told.scores)


def test_every_step_of_a_table_is_as_before() -> None:
    table = Route(WordTable((("VPN", "computers"),), "people"), PLACES)
    found: Ranking = runner()(table, "VPN", 3)
    assert found.evidence == Decision("computers", "The question contains “VPN”: computers.")
    assert found.evidence.margin == 0
    with pytest.raises(LabError):
        CollectionRouter(best=0)
    assert CollectionRouter().prompt("en") != CollectionRouter().prompt("zh")
