"""Questions that the samples do not answer: their make-up, and that the lab abstains from them."""

from __future__ import annotations

import math
import os
from collections import Counter

import numpy as np
import pytest
from night import sample, spread

from benchmarks.abstain import HALVES, KINDS, MOST, SIZES, answered, grown, refused, unanswerable
from lab.algebra import Corpus, Document, Runner
from lab.answer.extract import CALIBRATED, Extractive
from lab.corpus import samples

QUESTIONS = unanswerable()


def test_every_sample_has_thirty_questions_of_two_kinds_half_of_them_held_out_and_twenty_near_ones() -> None:
    counts = Counter((q.corpus, q.kind, q.half) for q in QUESTIONS)
    halved = {(name, kind, half): 15 for name in samples.names() for kind in KINDS[:2] for half in HALVES}
    assert counts == {**halved, **{(name, "near", "tuning"): 20 for name in samples.names()}}
    assert len({(q.corpus, q.text) for q in QUESTIONS}) == len(QUESTIONS)


def test_the_questions_are_in_the_languages_of_their_sample() -> None:
    languages = {name: {q.language for q in QUESTIONS if q.corpus == name} for name in samples.names()}
    assert all({"en", "zh"} >= languages[name] for name in languages)
    foreign = {name: {q.language for q in QUESTIONS if q.corpus == name and q.kind != "near"} for name in languages}
    assert foreign == {"devices": {"en", "zh"}, "handbook": {"zh"}, "staff": {"en"}}


REFUSED = {"devices": 25, "handbook": 30, "staff": 22}
"""Judged questions refused although an answering passage is read."""


@pytest.mark.parametrize("name", spread(samples.names(), 1))
def test_few_of_thirty_are_answered(name: str) -> None:
    runner = Runner(samples.load(name).corpus, explain=False)
    for kind in KINDS:
        texts = sample([q.text for q in QUESTIONS if (q.corpus, q.kind) == (name, kind)], 6)
        wrong = answered(runner, texts, Extractive())
        assert len(wrong) <= MOST[kind], [(answer.query.text, answer.text) for answer in wrong]


@pytest.mark.nightly
@pytest.mark.parametrize("name", samples.names())
def test_no_more_judged_questions_are_refused(name: str) -> None:
    there, refusals = refused(Runner(samples.load(name).corpus, explain=False), name, Extractive())
    assert len(refusals) <= REFUSED[name] < there / 2


@pytest.mark.parametrize(("n", "limit"), [(10, 2.1), (CALIBRATED, 2.1), (2 * CALIBRATED, 2.1 + 0.3 * math.log10(2))])
def test_the_threshold_rises_with_the_number_of_passages(n: int, limit: float) -> None:
    rng = np.random.default_rng(n)
    words = ["battery", "charger", "leave", "refund", "policy", "parking", "canteen", "printer"]
    drawn = tuple(Document(f"d{i}", " ".join(rng.choice(words, size=5)) + ".") for i in range(n))
    corpus, question = Corpus("drawn", drawn), "Who pays for the parking permit?"
    answer = Extractive().answer(question, drawn[:5], corpus)
    assert answer.limit == pytest.approx(limit)
    assert Extractive(rise=0).answer(question, drawn[:5], corpus).limit == 2.1
    assert not answer.says


@pytest.mark.nightly
@pytest.mark.skipif("LAB_COLLECTIONS" not in os.environ, reason="LAB_COLLECTIONS is not set")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", samples.names())
def test_no_more_are_answered_among_many_other_passages(name: str, size: int) -> None:
    runner = Runner(grown(name, size), explain=False)
    for kind in KINDS:
        wrong = answered(runner, [q.text for q in QUESTIONS if (q.corpus, q.kind) == (name, kind)], Extractive())
        assert len(wrong) <= MOST[kind] + (kind == "definition")  # a sentence on one bank passes for what a bank is


@pytest.mark.nightly
def test_at_most_one_of_the_samples_questions_without_an_answer_is_answered() -> None:
    wrong = list[str]()
    for name in samples.names():
        collection = samples.load(name)
        runner, texts = Runner(collection.corpus, explain=False), [q.text for q in collection.unanswered]
        wrong += [answer.query.text for answer in answered(runner, texts, Extractive())]
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize(
    ("name", "question"),
    spread(
        [
            ("staff", "Who is the mayor?"),
            ("staff", "How old is Imogen Tarrant?"),
            ("handbook", "罗慧敏喜欢什么水果"),
            ("devices", "KL-310 的皮肤是什么颜色"),
            ("devices", "What colour is the AX-7200N?"),
            ("devices", "什么是吗"),
            ("handbook", "食堂有清真窗口吗"),
            ("handbook", "食堂有没有清真窗口"),
            ("handbook", "公司有托儿所吗"),
        ],
        4,
    ),
)
def test_a_name_in_the_passage_is_not_enough(name: str, question: str) -> None:
    assert not answered(Runner(samples.load(name).corpus, explain=False), [question], Extractive())


@pytest.mark.parametrize(
    ("name", "question", "words"),
    [
        ("handbook", "病假要交什么", "另须提交"),
        ("handbook", "年假怎么请", "年假"),
    ],
)
def test_words_that_only_ask_do_not_keep_a_short_question_from_its_answer(name: str, question: str, words: str) -> None:
    (answer,) = answered(Runner(samples.load(name).corpus, explain=False), [question], Extractive())
    assert words in answer.text
