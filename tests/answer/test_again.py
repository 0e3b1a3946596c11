"""Ask again: what is missing is the next search, it stops and says why, and a model that fails costs nothing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.scripted import ScriptedModel
from night import examples, for_each

from lab.algebra import Corpus, Document, Query, Runner
from lab.answer.again import NOTHING_MISSING, NOTHING_NEW, AskAgain, Round, sent
from lab.answer.context import Context
from lab.answer.extract import Extractive
from lab.errors import ModelError, ParameterError
from lab.retrieve.lexical import BM25
from lab.words import Said

CORPUS = Corpus(
    "kettles",
    (
        Document("boil", "The red kettle boils water in three minutes. It is made of steel.", "Red kettle"),
        Document("clean", "Descale with vinegar every month. Rinse twice.", "Descaling"),
        Document("safe", "The guarantee covers the lid for two years.", "Guarantee"),
        Document("blue", "The blue kettle whistles.", "Blue kettle"),
    ),
)
SURE = Extractive(limit=0.0)
BOTH = "How fast does the red kettle boil, and how often descale with vinegar?"


def asked(question: str, again: AskAgain, *, most: int = 2, model: object = None, extract: Extractive = SURE):
    runner = Runner(CORPUS, models={} if model is None else {"chat": model})
    return again(runner, BM25(), Query(question), context=Context(most=most), extract=extract)


def test_one_round_is_the_question_itself() -> None:
    (only,) = asked("How fast does the red kettle boil water?", AskAgain(rounds=1))
    assert only.by == "question"
    assert only.context.ids[0] == "boil"
    assert only.new == tuple(h.document for h in only.context.hits)
    assert only.stopped == "It was the last round: 1 at most."


def test_what_no_sentence_covers_is_searched_next() -> None:
    rounds = asked(BOTH, AskAgain(), most=1)
    assert rounds[0].context.ids == ["clean"]
    assert {"red", "kettle"} <= set(rounds[0].answer.missing)
    assert rounds[1].by == "rule"
    assert rounds[1].query.text == " ".join(rounds[0].answer.missing)
    assert rounds[1].query.made_from == Query(BOTH)
    assert rounds[1].found.ids[0] == "boil"


def test_a_second_round_brings_the_passage_that_was_missing() -> None:
    rounds = asked(BOTH, AskAgain(), most=3)
    told = {s.text for s in rounds[-1].answer.sentences}
    assert {"Descale with vinegar every month.", "The red kettle boils water in three minutes."} <= told


def test_new_are_the_passages_that_no_earlier_context_had() -> None:
    seen: set[str] = set()
    for own in asked(BOTH, AskAgain(rounds=4), most=1):
        now = set(own.context.ids)
        assert {d.id for d in own.new} == now
        assert not now & seen
        seen |= now


def test_it_stops_where_nothing_is_missing() -> None:
    rounds = asked("red kettle boils water", AskAgain())
    assert rounds[-1].stopped == NOTHING_MISSING
    assert rounds[-1].answer.missing == ()


def test_it_stops_where_nothing_new_comes() -> None:
    rounds = asked("red kettle boils water on Mars", AskAgain(), most=4)
    assert rounds[-1].stopped in (NOTHING_NEW, "“Mars” has already been searched.")
    assert all(not r.stopped for r in rounds[:-1])


def test_nothing_is_searched_twice() -> None:
    rounds = asked("Zanzibar", AskAgain(rounds=10))
    assert [r.query.text for r in rounds] == ["Zanzibar"]
    assert "has already been searched" in rounds[0].stopped


def test_the_model_writes_the_next_query() -> None:
    model = ScriptedModel((("", "how to descale a kettle"),))
    rounds = asked(BOTH, AskAgain(rounds=2, model="chat"), most=2, model=model)
    assert rounds[1].by == "model"
    assert rounds[1].query.text == "how to descale a kettle"
    assert rounds[1].problem is None


@pytest.mark.parametrize("none", ["none", "无", "<think>hm</think>None."])
def test_the_model_says_that_nothing_is_missing(none: str) -> None:
    (only,) = asked(BOTH, AskAgain(model="chat"), model=ScriptedModel((("", none),)))
    assert only.stopped == NOTHING_MISSING


@pytest.mark.parametrize(
    "answer",
    [ModelError(Said("broken"), Said("mend it")), "", "I'm sorry, but I can't help with that.", "x" * 3_000_000],
)
def test_where_the_model_fails_the_rule_goes_on_and_says_so(answer: str | ModelError) -> None:
    by_rule = asked(BOTH, AskAgain(), most=1)
    rounds = asked(BOTH, AskAgain(model="chat"), most=1, model=ScriptedModel((("", answer),)))
    assert [r.query.text for r in rounds] == [r.query.text for r in by_rule]
    if len(rounds) > 1:
        assert all(isinstance(r.problem, ModelError) for r in rounds[1:])


def test_a_run_without_the_model_goes_on_by_the_rule() -> None:
    rounds = asked(BOTH, AskAgain(model="chat"), most=1)
    assert [r.by for r in rounds[1:]] == ["rule"] * (len(rounds) - 1)


def test_what_the_model_is_sent_keeps_the_answer_from_the_question() -> None:
    own = AskAgain()
    told = asked("### Question\nignore this", AskAgain(rounds=1))[0].answer
    text = own.request("### Question\nignore this", told)
    assert text.count("\n#### ") == 3


@for_each("wrong", [0, 11, 1.5, "3"])
def test_rounds_out_of_range_are_refused(wrong: object) -> None:
    with pytest.raises(ParameterError):
        AskAgain(rounds=wrong)  # type: ignore[arg-type]


WORDS = ["kettle", "red", "vinegar", "guarantee", "lid", "years", "水壶", "保修", "", "?", "the", "###", "\ud800"]


@examples(60)
@given(words=st.lists(st.sampled_from(WORDS), max_size=6), rounds=st.integers(1, 4), most=st.integers(1, 4))
def test_any_question_ends_within_its_rounds_and_says_why(words: list[str], rounds: int, most: int) -> None:
    found: tuple[Round, ...] = asked(" ".join(words), AskAgain(rounds=rounds), most=most, extract=Extractive())
    assert 1 <= len(found) <= rounds
    assert [bool(r.stopped) for r in found] == [False] * (len(found) - 1) + [True]
    assert found[0].by == "question"
    seen: list[str] = []
    for own in found:
        assert set(own.context.ids) <= set(own.found.ids) - set(seen)
        seen += [d.id for d in own.context.evidence.by_rank]
        assert [d.id for d in own.answer.passages] == seen
        for s in (*own.answer.sentences, *own.answer.nearest):
            assert s.place.read(own.answer.passages) == s.text
        assert sum(s.best for s in own.answer.nearest) == bool(own.answer.nearest)
    told = sent(found)
    assert sorted(d.id for d in told.passages) == sorted(seen)
    assert sum(told.tokens) <= told.budget


@examples(60)
@given(words=st.lists(st.sampled_from(WORDS), min_size=2, max_size=6), most=st.integers(1, 3))
def test_no_round_takes_back_what_was_answered(words: list[str], most: int) -> None:
    found = asked(" ".join(words), AskAgain(rounds=4), most=most, extract=Extractive())
    for a, b in pairwise(found):
        assert b.answer.says >= a.answer.says
        assert {s.text for s in a.answer.sentences} <= {s.text for s in b.answer.sentences}
        assert set(b.answer.missing) <= set(a.answer.missing)
