"""The training of the small cross-encoder, on material of a few lines."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from lab.models import pair_reader
from training import order_pairs, relations, reranked
from training.batches import nearest
from training.questions import KINDS, NEAREST, Asked, Cutter, build, texts_of
from training.weights import rarity, save

TABLE = np.random.default_rng(0).integers(-60, 60, (60, 24)).astype(np.int8)
"""Vectors of sixty tokens: below 20 they are light."""


@pytest.fixture(scope="module")
def torch() -> Any:
    """Imported where it is needed: it takes seconds."""
    return pytest.importorskip("torch", reason="training needs torch")


@pytest.fixture(scope="module")
def cutter() -> Cutter:
    weight = np.where(np.arange(60) < 20, 1.0, 50.0)
    near = np.column_stack([np.arange(60)] * 3).astype(np.int32)
    return Cutter(weight, 10.0, near, [59], {"en": [1, 2], "zh": [3]}, {(20,): (20, 5), (20, 5): (20,)})


@pytest.fixture(scope="module")
def arrays() -> dict[str, Any]:
    random = Random(0)
    texts = [[random.randrange(1, 60) for _ in range(20)] for _ in range(40)]
    drawn = [("all", Asked(kind, t[2:8], t, t[::-1] if kind == "order" else None)) for kind in KINDS for t in texts]
    return build(drawn, TABLE.astype(np.float32), random)


def test_a_passage_in_another_order_has_the_same_words_and_not_the_order_of_the_question(cutter: Cutter) -> None:
    random = Random(0)
    text = [*range(20, 35), *range(5), *range(40, 50)]
    originals = 0
    for _ in range(50):
        question, right, wrong = cutter.order(text, "en", random) or ([], [], [])
        heavy = [t for t in question if t >= 20]
        assert sorted(right) == sorted(wrong) == sorted(text)
        assert [t for t in right if t in heavy] == heavy
        assert [t for t in wrong if t in heavy] != heavy
        originals += right == text
    assert 10 < originals < 40


def test_a_question_has_the_words_of_its_passage_in_any_order_and_some_others(cutter: Cutter) -> None:
    random, text = Random(0), list(range(20, 50))
    drawn = [cutter.span(text, "zh", random) for _ in range(60)]
    heavy = [[t for t in question if t >= 20 and t != 59] for question, _ in drawn]
    assert all(set(words) <= set(text) for words in heavy)
    assert 10 < sum(words == sorted(words) for words in heavy) < 50
    assert any(59 in question for question, _ in drawn)
    assert 10 < sum(passage != text for _, passage in drawn) < 50


def test_a_negation_more_or_less_is_all_that_parts_the_passages(cutter: Cutter) -> None:
    random = Random(0)
    for _ in range(20):
        question, right, wrong = cutter.negation([30, 31, 20, 32, 33], "en", random) or ([], [], [])
        assert {len(right), len(wrong)} == {5, 6}
        assert (5 in question) == (5 in right) != (5 in wrong)
    assert cutter.negation([30, 31], "en", random) is None


def test_the_nearest_texts_share_the_rare_words_and_missing_ones_are_marked() -> None:
    texts = texts_of([[1, 2, 3], [1, 4], [1, 5], [1, 6, 7]])
    found = nearest(texts_of([[6, 1], [50]]), texts, 60, count=2, common=0.3)
    assert found.tolist() == [[3, -1], [-1, -1]]


def test_each_question_has_its_passage_and_wrong_ones_of_its_pool(arrays: dict[str, Any]) -> None:
    assert arrays["examples"].shape == (240, 6 + NEAREST)
    for _, kind, _, _, right, changed, *wrong in arrays["examples"].tolist():
        assert (changed >= 0) == (KINDS[kind] == "order")
        assert right not in wrong


def test_numpy_and_torch_give_the_same_score_after_eight_bits(
    torch: Any, arrays: dict[str, Any], tmp_path: Path
) -> None:
    from training.cross_encoder import Questions, first, scores

    weights = {name: value + 0.2 for name, value in first(24, 16, 3, 0).items()}
    save(tmp_path / "reader.npz", {name: value.numpy() for name, value in weights.items()})
    read = pair_reader.load(tmp_path / "reader.npz")
    assert all(np.abs(read[name] - values.numpy()).max() < 0.01 for name, values in weights.items())
    questions = Questions(arrays["flat"], arrays["starts"], arrays["examples"], arrays["rare"])
    inputs = questions.inputs(questions.lists(np.arange(0, 240, 7), 8, np.random.default_rng(0)), TABLE, 0)
    expected = scores({name: torch.from_numpy(value) for name, value in read.items()}, inputs).numpy()
    assert expected.std() > 0.1
    assert pair_reader.read_pairs(read, inputs)[0] == pytest.approx(expected, abs=1e-3)


@pytest.mark.nightly
def test_a_training_that_was_stopped_ends_where_one_without_a_stop_does(
    torch: Any, arrays: dict[str, Any], tmp_path: Path
) -> None:
    from training.cross_encoder import Questions, Training, first, train

    questions = Questions(arrays["flat"], arrays["starts"], arrays["examples"], arrays["rare"])
    straight, stopped = (Training(first(24, 16, 2, 0)) for _ in range(2))
    train(straight, questions, TABLE, tmp_path, steps=4, seed=1)
    train(stopped, questions, TABLE, tmp_path, steps=2, seed=1)
    again = Training.load(tmp_path / "checkpoint.pt")
    train(again, questions, TABLE, tmp_path, steps=4, seed=1)
    for name, value in straight.weights.items():
        assert torch.equal(value, again.weights[name])
        assert torch.equal(straight.mean[name], again.mean[name])
    assert (tmp_path / "reader.npz").exists()


@pytest.mark.nightly
def test_training_makes_the_right_passage_score_higher(
    torch: Any, arrays: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from training import cross_encoder
    from training.cross_encoder import Questions, Training, first

    monkeypatch.setattr(cross_encoder, "WARM", 1)
    questions = Questions(arrays["flat"], arrays["starts"], arrays["examples"], arrays["rare"])
    rows = np.flatnonzero(questions.examples[:, 1] == KINDS.index("order"))[:16]
    inputs = questions.inputs(questions.lists(rows, 4, np.random.default_rng(0)), TABLE, 0)
    training = Training(first(24, 16, 2, 0))
    losses = [training.learn(inputs, 16) for _ in range(40)]
    assert losses[-1] < 0.8 * losses[0]


def test_the_order_pairs_are_the_same_words_and_none_of_the_training_patterns() -> None:
    patterns = {text for r in (*relations.relations("en"), *relations.relations("zh")) for half in r for text in half}
    for language in ("en", "zh"):
        pairs = order_pairs.order_pairs(language)
        assert len(pairs) == len({pair.question for pair in pairs}) == 100
        assert all(sorted(pair.right) == sorted(pair.wrong) and pair.right != pair.wrong for pair in pairs)
    assert not patterns & set(order_pairs.LINES.read_text("utf-8").replace("\n", "\t").split("\t"))


def test_a_relation_is_asked_with_the_names_where_the_right_passage_has_them() -> None:
    random, names = Random(0), ["cat", "dog"]
    for _ in range(20):
        drawn = relations.example([relations.Relation(("{a} sees {b}",), ("{a} sees",))], names, [""], random)
        subject = drawn.question.split()[0]
        assert drawn.positive.strip().startswith(subject)
        assert not drawn.negative.strip().startswith(subject)


def test_words_that_many_texts_have_are_less_rare() -> None:
    rare = rarity([[1, 2], [1, 3], [1, 4]], 6)
    assert 0 < rare[1] < rare[2] < rare[5] == 1


def test_only_what_is_beyond_chance_counts_for_the_verdict() -> None:
    rows = [
        reranked.Row("a", 9, 0.5, 0.1, 0.01),
        reranked.Row("b", 9, 0.5, 0.1, 0.3),
        reranked.Row("c", 9, 0.5, -0.1, 0.04),
    ]
    assert reranked.verdict(rows) == (1, 1)
