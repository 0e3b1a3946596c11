"""Questions that the samples do not answer: their make-up, and that the lab abstains from them."""

from __future__ import annotations

from collections import Counter

import pytest
from night import spread

from benchmarks.abstain import HALVES, KINDS, MOST, answered, refused, unanswerable
from lab.algebra import Runner
from lab.answer.extract import Extractive
from lab.corpus import samples

QUESTIONS = unanswerable()


def test_every_sample_has_thirty_questions_of_each_kind_half_of_them_held_out() -> None:
    counts = Counter((q.corpus, q.kind, q.half) for q in QUESTIONS)
    assert counts == {(name, kind, half): 15 for name in samples.names() for kind in KINDS for half in HALVES}
    assert len({(q.corpus, q.text) for q in QUESTIONS}) == len(QUESTIONS)


def test_the_questions_are_in_the_languages_of_their_sample() -> None:
    languages = {name: {q.language for q in QUESTIONS if q.corpus == name} for name in samples.names()}
    assert languages == {"devices": {"en", "zh"}, "handbook": {"zh"}, "staff": {"en"}}


REFUSED = {"devices": 31, "handbook": 30, "staff": 24}
"""Judged questions refused although an answering passage is read, before definitions and uncovered words counted."""


@pytest.mark.parametrize("name", spread(samples.names(), 1))
def test_few_of_thirty_are_answered_and_no_more_judged_questions_are_refused(name: str) -> None:
    runner, extract = Runner(samples.load(name).corpus, explain=False), Extractive()
    for kind in KINDS:
        wrong = answered(runner, [q for q in QUESTIONS if (q.corpus, q.kind) == (name, kind)], extract)
        assert len(wrong) <= MOST, [(answer.query.text, answer.text) for answer in wrong]
    there, refusals = refused(runner, name, extract)
    assert len(refusals) <= REFUSED[name] < there / 2
