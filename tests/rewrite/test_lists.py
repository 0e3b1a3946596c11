"""Rewriting as lists that lessons can name."""

from __future__ import annotations

from typing import Any

from lab.rewrite.lists import searches

from lab import lessons
from lab.corpus import samples
from lab.lessons import Lesson

HANDBOOK = samples.load("handbook")


def outcome(expectation: dict[str, Any], **knobs: Any) -> list[str]:
    words = {"en": "x", "zh": "x"}
    lesson = Lesson("l", "rewrite", words, words, "handbook", "领薪水的日子", knobs=knobs, expect=(expectation,))
    more = searches(HANDBOOK.corpus, knobs)
    return [("" if r.passed else "not: ") + r.said for r in lessons.check(lesson, HANDBOOK, more=more)]


def test_a_lesson_can_say_that_a_rewording_finds_what_the_question_does_not() -> None:
    (said,) = outcome({"list": "multi-query", "doc": "hb-065", "better_than": "bm25"})
    assert not said.startswith("not"), said
    (said,) = outcome({"list": "bm25", "doc": "hb-065", "better_than": "multi-query"})
    assert said.startswith("not")


def test_the_knobs_of_a_lesson_reach_the_technique() -> None:
    one = searches(HANDBOOK.corpus, {"multi-query.n": 1})["multiquery"]("领薪水的日子")
    four = searches(HANDBOOK.corpus)["multiquery"]("领薪水的日子")
    assert (len(one.parents), len(four.parents)) == (2, 5)
    best = searches(HANDBOOK.corpus, {"multi-query.merge": "best score", "multi-query.of": "vector"})["multiquery"](
        "领薪水的日子"
    )
    assert best.made_by.label == "Best score"
    assert best.parents[0].made_by.retriever.family == "vector"  # type: ignore[attr-defined]
    law = searches(HANDBOOK.corpus, {"industry.adapter": "law"})["industry"]("房东不退押金")
    assert len(law.parents) == 2


def test_a_knob_that_is_none_is_told_of() -> None:
    for knobs, words in (
        ({"multi-query.x": 1}, "no parameter"),
        ({"multi-query.merge": "sum"}, "must be one of"),
        ({"multi-query.of": "google"}, "no retriever"),
    ):
        (said,) = outcome({"list": "multi-query", "doc": "hb-065", "rank": 1}, **knobs)
        assert said.startswith("not")
        assert words in said
    (said,) = outcome({"list": "industry", "doc": "hb-065", "rank": 1}, **{"industry.adapter": "magic"})
    assert "no industry adapter" in said
