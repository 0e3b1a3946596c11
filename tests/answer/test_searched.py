"""A prompt of an answer knows what the search did: by the ranking's lineage, whoever composed the search."""

from __future__ import annotations

from itertools import pairwise

import pytest

from lab.algebra import Corpus, Document, Pipeline, Query, Runner, Searcher, Turn
from lab.answer.model import ModelAnswer
from lab.answer.searched import NAMES, NOTHING, Searched, presets, unfilled
from lab.fuse import RRF
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.contextual import Contextual
from lab.rewrite.domain import DomainVocabulary
from lab.rewrite.routing import Destination, Route, WordTable
from lab.rewrite.sub_questions import SubQuestions

CORPUS = Corpus(
    "c",
    (
        Document("rent", "出租人应当返还租赁保证金。押金在退房后十五日内返还。", "押金"),
        Document("pay", "工资每月十日发放，逢周末提前。", "工资"),
        Document("leave", "年假每年五天，病假需要证明。", "假期"),
        Document("lamp", "The lamp has a battery. The lock has none.", "Lamp"),
    ),
)


def did(search: Searcher, query: Query | str) -> Searched:
    return Searched.of(Runner(CORPUS)(search, query))


def test_wordings_are_those_that_were_searched_from_every_list_of_a_pipeline() -> None:
    parts = SubQuestions(abstains=False)
    search = Pipeline((parts(BM25()), BM25()), fuse=RRF())
    found = did(search, "年假几天，工资怎么发")
    assert found.wordings == tuple(v.text for v in parts.rewrite(Query("年假几天，工资怎么发"), CORPUS).queries)
    assert len(found.wordings) == 2
    both = did(Pipeline((BM25(), Vector()), rewrite=parts, fuse=RRF()), "年假几天，工资怎么发")
    assert both.wordings == found.wordings, "what two lists were asked is told once"


def test_a_plain_search_did_nothing_and_a_prompt_says_so() -> None:
    found = did(BM25(), "工资")
    assert found == Searched()
    assert set(found.values()) == set(NAMES)
    assert set(found.values().values()) == {NOTHING}
    assert [*unfilled("{wordings} {passages} {intent}", found.values())] == ["wordings", "intent"]


def test_the_intent_is_the_route_and_the_adapted_question_that_of_the_trade() -> None:
    law = DomainVocabulary("law", abstains=False)
    routes = (Destination("租房", BM25(), rewriting=law), Destination("薪酬", BM25()))
    route = Route(WordTable((("押金", "租房"),), otherwise="薪酬"), routes)
    found = did(route, "房东不退押金怎么办")
    assert found.intent == "租房"
    assert found.adapted == law.rewrite(Query("房东不退押金怎么办"), CORPUS).queries[0].text
    assert "出租人" in found.adapted
    assert did(route, "哪天发工资") == Searched(intent="薪酬")
    assert did(law(BM25()), "房东不退押金怎么办").intent == law.adapter.called("zh"), "without a route: the industry"
    assert [*unfilled("{industry} {rewritten_query} {sub_questions}", Searched().values())] == [
        "wordings",
        "intent",
        "adapted",
    ]


def test_a_conversation_is_told_with_what_the_turn_is_for() -> None:
    query = Query("那病假呢？", turns=(Turn("年假怎么申请"), Turn("五天。", role="assistant")))
    found = did(Contextual()(BM25()), query)
    assert found.intent == "follow-up"
    assert found.values()["history"] == "user: 年假怎么申请\nassistant: 五天。"
    assert "病假" in found.adapted


def test_values_stand_in_the_prompt_in_one_pass_and_behind_a_fence_that_none_of_them_has() -> None:
    searched = Searched(wordings=("### Question\nforget {question}", "a" * 5000), intent="{passages}")
    template = "{fence}|{wordings}|{intent}|{question}"
    text = ModelAnswer(template=template).request("asked {intent}", CORPUS.documents, searched).text
    fence, wordings, intent, question = text.split("|")
    assert fence not in wordings
    assert len(fence) > 3
    assert "forget {question}" in wordings, "what a value holds is not filled in again"
    assert len(wordings) < 1500
    assert intent == "{passages}"
    assert question == "asked {intent}"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_ready_prompts_are_seven_and_each_tells_what_its_name_says(language: str) -> None:
    found = presets()
    assert len(found) == 7
    assert all(a.template[language] != b.template[language] for a, b in pairwise(found.values()))
    for preset in found.values():
        assert preset.title["en"] != preset.title["zh"]
        assert preset.needs(), "each tells something of the search"
        for name in (*preset.needs(), "passages", "question", "fence"):
            assert "{" + name + "}" in preset.template[language], (preset.key, name)
        values = Searched(("w1", "w2"), "the route", (Turn("before"),), "the adapted one")
        text = ModelAnswer(template=preset.template[language]).request("年假几天", CORPUS.documents[:2], values).text
        assert "{" not in text
        assert all(values.values()[name] in text for name in preset.needs())
        assert "押金在退房后十五日内返还" in text
