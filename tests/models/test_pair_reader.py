"""The textbook cross-encoder, which comes with the lab."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.special import expit

from lab.models import pair_reader
from lab.models.cross_encoders import TEXTBOOK, load
from lab.models.pair_reader import PairReader

QUESTION = "谁 chased the cat?"
TEXTS = ("The dog chased the cat.", "The cat chased the dog.", "狗追猫。" * 90, "!?", "")


@pytest.fixture(scope="module")
def reader() -> PairReader:
    reader = load(TEXTBOOK)
    assert isinstance(reader, PairReader)
    return reader


def test_neither_the_batch_nor_longer_passages_beside_it_change_a_score(reader: PairReader) -> None:
    together = reader.scores(QUESTION, TEXTS)
    assert np.isfinite(together).all()
    assert together == pytest.approx(reader.scores(QUESTION, TEXTS, batch_size=2), abs=1e-4)
    assert together == pytest.approx([reader.scores(QUESTION, [text])[0] for text in TEXTS], abs=1e-4)


def test_the_same_words_in_another_order_have_another_score(reader: PairReader) -> None:
    first, second = reader.scores(QUESTION, TEXTS[:2])
    assert abs(first - second) > 1e-3
    question, *passages = reader.encoder.numbers([QUESTION, *TEXTS[:2]])
    same = reader.read([question] * 2, passages).inputs.features
    assert same[0] == pytest.approx(same[1], abs=1e-5)


def test_a_sigmoid_keeps_the_order_and_progress_counts_pairs(reader: PairReader) -> None:
    counted: list[tuple[int, int]] = []
    shares = reader.scores(QUESTION, TEXTS, activation="sigmoid", batch_size=2, progress=lambda *n: counted.append(n))
    assert shares == pytest.approx(expit(reader.scores(QUESTION, TEXTS)), abs=1e-5)
    assert counted == [(2, 5), (4, 5), (5, 5)]
    assert reader.scores(QUESTION, []).shape == (0,)


def test_the_layers_read_the_part_of_a_long_passage_that_matches(reader: PairReader) -> None:
    far = "The weather is fine today. " * 60 + "The tiger chased a zebra. " + "The weather is fine today. " * 60
    question, passage = reader.encoder.numbers(["zebra tiger", far])
    inputs = reader.read([question], [passage]).inputs
    assert inputs.cosines[0, 1:3, 3:].max(axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert inputs.known.shape[1] == 2 + pair_reader.WINDOW
    assert inputs.features[0, 8] == 1
    assert {*question} <= {passage[i] for i in inputs.places[0]}


def test_rare_words_count_more(reader: PairReader) -> None:
    question, passage = reader.encoder.numbers(["the cat", "The dog."])
    plain = reader.read([question], [passage]).inputs.weights[0]
    rare = reader.rare.copy()
    rare[question[0]] = 0.1
    table = reader.encoder.model.embedding
    weights = pair_reader.prepare([question], [passage], table, rare).weights[0]
    assert weights[0] < plain[0]
    assert weights.sum() == pytest.approx(1)


@pytest.mark.nightly
def test_fifty_pairs_of_128_tokens_take_at_most_half_a_second_of_one_core(reader: PairReader) -> None:
    from threadpoolctl import threadpool_limits

    question, text = "which dog chased the black cat " * 6, "The old dog chased a black cat over the wall. " * 12
    reader.scores(question, [text])
    with threadpool_limits(1):
        begin = time.process_time()
        reader.scores(question, [f"{text} {i}" for i in range(50)])
        assert time.process_time() - begin <= 0.5
