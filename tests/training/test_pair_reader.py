"""The small cross-encoder without torch: any weights, the vectors of the built-in model."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from training import pair_reader
from training.pair_reader import PairReader

QUESTION = "谁 chased the cat?"
TEXTS = ("The dog chased the cat.", "The cat chased the dog.", "狗追猫。" * 90, "!?", "")


def drawn(width: int, layers: int) -> dict[str, pair_reader.Floats]:
    random = np.random.default_rng(0)
    shapes = pair_reader.shapes(256, width, layers)
    return {name: random.normal(0, shape[0] ** -0.5, shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> PairReader:
    file = tmp_path_factory.mktemp("reader") / "tiny.npz"
    pair_reader.save(file, drawn(16, 2))
    return PairReader(file)


def test_neither_the_batch_nor_longer_passages_beside_it_change_a_score(reader: PairReader) -> None:
    together = reader.scores(QUESTION, TEXTS)
    assert np.isfinite(together).all()
    assert together == pytest.approx(reader.scores(QUESTION, TEXTS, batch_size=2), abs=1e-4)
    assert together == pytest.approx([reader.scores(QUESTION, [text])[0] for text in TEXTS], abs=1e-4)


def test_the_same_words_in_another_order_have_another_score(reader: PairReader) -> None:
    first, second = reader.scores(QUESTION, TEXTS[:2])
    assert abs(first - second) > 1e-3
    same = reader.inputs(QUESTION, TEXTS[:2]).features
    assert same[0] == pytest.approx(same[1], abs=1e-5)


def test_a_sigmoid_keeps_the_order_and_progress_counts_pairs(reader: PairReader) -> None:
    counted: list[tuple[int, int]] = []
    shares = reader.scores(QUESTION, TEXTS, activation="sigmoid", batch_size=2, progress=lambda *n: counted.append(n))
    assert shares == pytest.approx(expit(reader.scores(QUESTION, TEXTS)), abs=1e-5)
    assert counted == [(2, 5), (4, 5), (5, 5)]
    assert reader.scores(QUESTION, []).shape == (0,)


def test_eight_bits_stay_within_half_a_step_of_each_column(tmp_path: Path) -> None:
    weights = drawn(32, 1)
    pair_reader.save(tmp_path / "reader.npz", weights)
    for name, values in pair_reader.load(tmp_path / "reader.npz").items():
        assert np.abs(values - weights[name]).max() <= np.abs(weights[name]).max() / 127 / 2 + 1e-6


def test_the_layers_read_the_part_of_a_long_passage_that_matches(reader: PairReader) -> None:
    far = "The weather is fine today. " * 60 + "The tiger chased a zebra. " + "The weather is fine today. " * 60
    inputs = reader.inputs("zebra tiger", [far])
    assert inputs.cosines[0, 1:3, 3:].max(axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert inputs.known.shape[1] == 2 + pair_reader.WINDOW
    assert inputs.features[0, 8] == 1


def test_words_that_many_texts_have_count_less(reader: PairReader) -> None:
    rare = reader.rarity(["the cat", "the dog", "the bird", "the fish"])
    the, cat, missing = (rare[reader.encoder.numbers([word])[0][0]] for word in ("the", "cat", "zebra"))
    assert 0 < the < cat < missing == 1
    weights = reader.inputs("the cat", ["The dog."], rare).weights[0]
    assert weights[0] < reader.inputs("the cat", ["The dog."]).weights[0][0]
    assert weights.sum() == pytest.approx(1)


@pytest.mark.nightly
def test_fifty_pairs_of_128_tokens_take_at_most_half_a_second_of_one_core(tmp_path: Path) -> None:
    from threadpoolctl import threadpool_limits

    pair_reader.save(tmp_path / "reader.npz", drawn(128, 3))
    reader = PairReader(tmp_path / "reader.npz")
    question, text = "which dog chased the black cat " * 6, "The old dog chased a black cat over the wall. " * 12
    reader.scores(question, [text])
    with threadpool_limits(1):
        begin = time.process_time()
        reader.scores(question, [f"{text} {i}" for i in range(50)])
        assert time.process_time() - begin <= 0.5
