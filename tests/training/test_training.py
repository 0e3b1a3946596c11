"""The training of the built-in model, on material of a few lines."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tokenizers import Tokenizer, normalizers

from training import batches, material, quantise, tokenizer
from training.charsmap import precompiled
from training.evaluate import Task, encoder_of, first_ranks, ndcg

if TYPE_CHECKING:
    from training.train import Table

SMALL = {"characters": 300, "chinese": 200, "english": 200, "pieces": 40, "numbers": 20}
VARIANTS = {"電": "电", "腦": "脑", "書": "书", "貓": "猫"}
WORDS = {
    "猫": "cat", "狗": "dog", "电脑": "computer", "书": "book",
    "苹果": "apple", "河流": "river", "城市": "city", "音乐": "music",
    "老师": "teacher", "学校": "school", "天气": "weather", "火车": "train",
    "医生": "doctor", "房子": "house", "面包": "bread", "月亮": "moon",
}  # fmt: skip


@pytest.fixture(scope="module")
def torch() -> Any:
    """Imported where it is needed: it takes seconds, and every process of the suite reads this file."""
    return pytest.importorskip("torch", reason="training needs torch")


def sentences() -> list[tuple[str, str]]:
    """Chinese and English sentences about two things each."""
    pairs = list(WORDS.items())
    return [(f"这里有{a}和{b}。", f"Here is a {x} and a {y}.") for a, x in pairs for b, y in pairs if a != b]


@pytest.fixture(scope="module")
def pairs() -> dict[str, list[material.Pair]]:
    return {
        "wikt": [*WORDS.items()],
        "tatoeba": [*sentences()],
        "law_para": [(f"{zh}在桌子上面，大家都很喜欢，每天都要看一看{zh}。",) for zh, _ in sentences()],
    }


@pytest.fixture(scope="module")
def small(pairs: dict[str, list[material.Pair]]) -> Tokenizer:
    chinese, english = zip(*sentences(), strict=True)
    return tokenizer.build(pairs, chinese, english, VARIANTS, ["the", "here", "is", "and"], SMALL)


def test_text_is_folded_to_compatible_lower_case_simplified_characters(small: Tokenizer) -> None:
    assert small.normalizer.normalize_str("ＡＢＣ 電腦 Über") == "abc 电脑 über"
    assert small.encode("電腦").tokens == small.encode("电脑").tokens == ["电脑"]


def test_runs_of_chinese_of_digits_and_of_letters_part_and_punctuation_goes(small: Tokenizer) -> None:
    runs = [run for run, _ in tokenizer.splitter().pre_tokenize_str("win11电脑2015年, don't!")]
    assert runs == ["win", "11", "电脑", "2015", "年", "don", "t"]


def test_a_listed_word_stays_whole_and_an_unknown_one_falls_into_pieces(small: Tokenizer) -> None:
    assert small.encode("teacher").tokens == ["teacher"]
    assert "".join(small.encode("catdog").tokens) == "catdog"
    assert len(small.encode("catdog").tokens) > 1


def test_a_character_map_replaces_its_keys_and_nothing_else() -> None:
    # Every character of a block of 3,000 to the one 5,000 places on: the trie's nodes crowd each other.
    table = {chr(0x4E00 + i): chr(0x4E00 + i + 5000) for i in range(0, 3000, 2)}
    fold = normalizers.Precompiled(precompiled(table))
    text = "".join(chr(0x4E00 + i) for i in range(0, 8000)) + "abcé한"
    assert fold.normalize_str(text) == "".join(table.get(c, c) for c in text)


def test_a_held_out_text_is_in_no_training_pair(pairs: dict[str, list[material.Pair]]) -> None:
    kept, dev = material.split(pairs, share=0.2)
    assert sum(map(len, dev.values())) > 20
    held = {text for pair in dev["tatoeba"] for text in pair if material.is_held_out(text, share=0.2)}
    assert held
    assert not held & {text for pair in kept["tatoeba"] for text in pair}
    assert {g: len(kept[g]) + len(dev[g]) for g in pairs} == {g: len(p) for g, p in pairs.items()}


def test_material_is_read_as_it_was_written(tmp_path: Path, pairs: dict[str, list[material.Pair]]) -> None:
    with lzma.open(tmp_path / "pairs.jsonl.xz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps([group, *pair]) + "\n" for group, rows in pairs.items() for pair in rows)
    assert material.read_pairs(tmp_path) == pairs


def test_a_group_of_no_known_kind_is_refused_by_name() -> None:
    assert material.kind_of("po_anything") == "parallel"
    with pytest.raises(ValueError, match="novels"):
        material.kind_of("novels")


def test_questions_are_cut_from_their_paragraphs(small: Tokenizer, pairs: dict[str, list[material.Pair]]) -> None:
    texts = batches.groups_of(small, pairs)["law_para"][0]
    bag = texts.bag(np.arange(100))
    random = np.random.default_rng(0)
    rare = np.ones(small.get_vocab_size())
    asked, kept = batches.Spans(kept=1).cut(bag, rare, random)
    assert (kept.token == bag.token).all()
    assert 1 <= asked.counts().min() <= asked.counts().max() <= 12
    for row in range(100):
        assert set(asked.token[asked.row == row]) <= set(bag.token[bag.row == row])
    asked, kept = batches.Spans(kept=0).cut(bag, rare, random)
    assert (asked.counts() + kept.counts() == bag.counts()).all()


def test_dictionary_words_are_put_into_the_other_language(
    small: Tokenizer, pairs: dict[str, list[material.Pair]]
) -> None:
    groups = batches.groups_of(small, pairs)
    table = batches.Translations.of(groups, small.get_vocab_size())
    bag = groups["wikt"][0].bag(np.arange(len(WORDS)))
    random = np.random.default_rng(0)
    # A row is translated in half of its tokens or in all, by chance; of one-token rows some stay.
    said = table.translate(bag, np.ones(bag.size, dtype=bool), random)
    spoken = {small.id_to_token(said.token[said.row == i][0]) for i in range(bag.size)}
    assert spoken <= set(WORDS) | set(WORDS.values())
    assert len(spoken & set(WORDS.values())) > len(WORDS) / 3
    same = table.translate(bag, np.zeros(bag.size, dtype=bool), random)
    assert (same.token == bag.token).all()


def test_token_numbers_are_read_back_and_files_follow_each_other(
    tmp_path: Path, small: Tokenizer, pairs: dict[str, list[material.Pair]]
) -> None:
    kept, dev = material.split(pairs, share=0.2)
    tokenizer.save_tokens(small, kept, tmp_path / "a.npz")
    tokenizer.save_tokens(small, dev, tmp_path / "b.npz")
    both = batches.load(tmp_path / "a.npz", tmp_path / "b.npz")
    expected = batches.groups_of(small, {group: kept[group] + dev[group] for group in pairs})
    for group, sides in expected.items():
        for read, made in zip(both[group], sides, strict=True):
            assert all((x == y).all() for x, y in zip(read, made, strict=True))


@pytest.fixture(scope="module")
def trained(torch: Any, small: Tokenizer, pairs: dict[str, list[material.Pair]]) -> tuple[Table, list[float]]:
    from training.train import Table, train

    torch.manual_seed(0)
    taught = batches.Texts(np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int64))
    weights = {"dictionary": 1.0, "parallel": 1.0, "span_zh": 1.0}
    sampler = batches.Sampler(
        batches.groups_of(small, pairs), taught, np.zeros((0, 16)), small, batch=64, weights=weights
    )
    start = np.random.default_rng(0).standard_normal((small.get_vocab_size(), 16)).astype(np.float32)
    table = Table.first(start / np.linalg.norm(start, axis=1, keepdims=True), sampler.frequency)
    history = train(table, sampler, steps=120, prefixes=[16, 8], every=40)
    return table, [float(np.mean(list(entry["loss"].values()))) for entry in history]


def test_training_lowers_the_loss(trained: tuple[Table, list[float]]) -> None:
    losses = trained[1]
    assert losses[-1] < 0.7 * losses[0]


def test_the_saved_model_is_loaded_by_model2vec_and_has_learned(
    tmp_path: Path, small: Tokenizer, trained: tuple[Table, list[float]]
) -> None:
    vectors = trained[0].folded()
    rounded = quantise.to_int8(vectors)
    quantise.save(tmp_path, small, rounded)
    assert {file.name for file in tmp_path.iterdir()} == {"model.safetensors", "tokenizer.json", "config.json"}
    encode = encoder_of(tmp_path)
    ranks = first_ranks(Task([*WORDS], [{w} for w in WORDS.values()], [*WORDS.values()]), encode)
    assert (ranks == 1).mean() > 0.8
    # A text's vector is the mean of its tokens' rows, up to its length.
    rows = rounded[small.encode("cat and dog").ids].astype(float).sum(0)
    assert encode(["Cat and dog!"])[0] == pytest.approx(rows / np.linalg.norm(rows), abs=1e-6)


def test_rounding_to_eight_bits_keeps_the_cosine() -> None:
    vectors = np.random.default_rng(0).standard_normal((2000, 64)).astype(np.float32)
    rounded = quantise.to_int8(vectors)
    assert rounded.dtype == np.int8
    assert quantise.cosine_loss(vectors, rounded) < 1e-3


def test_a_few_stray_entries_do_not_set_the_scale() -> None:
    vectors = np.random.default_rng(0).uniform(-1, 1, (20_000, 64)).astype(np.float32)
    vectors[0, 0] = 8.0
    rounded = quantise.to_int8(vectors)
    # With 8 for 127, a unit would be 127 / 8 = 16 steps wide; clipped, it is nearly 127.
    assert rounded[0, 0] == 127
    assert np.abs(rounded[1:]).max() > 2 * 127 / 8


def test_hard_negatives_are_the_texts_that_share_rare_words(small: Tokenizer) -> None:
    texts = ["cat dog river", "cat dog apple", "music train", "music doctor", "moon"]
    group = batches.groups_of(small, {"law_para": [(text,) for text in texts]})["law_para"][0]
    near = batches.neighbours(group, small.get_vocab_size(), count=2, common=1.0)
    assert near[0, 0] == 1
    assert near[2, 0] == 3
    assert near[4].tolist() == [4, 4]


def test_a_row_s_step_is_never_longer_than_the_cap(torch: Any, small: Tokenizer) -> None:
    from training.train import LONGEST_STEP, Table

    table = Table(torch.eye(4), torch.zeros(4))
    before = table.rows.clone()
    bag = batches.Bag(np.arange(4), np.array([0, 1, 2, 3]), 4)
    other = batches.Bag(np.arange(4), np.array([1, 0, 3, 2]), 4)
    table.step(batches.Batch("x", bag, other), rate=10.0, prefixes=[4])
    moved = (table.rows - before).norm(dim=1)
    assert moved.max() <= LONGEST_STEP + 1e-6
    assert moved.max() > 0


def test_ndcg_follows_its_formula() -> None:
    assert ndcg([0, 1, 0], [1]) == pytest.approx((1 / np.log2(3)) / 1)
    assert ndcg([1, 0, 1], [1, 1]) == pytest.approx((1 + 1 / np.log2(4)) / (1 + 1 / np.log2(3)))


def test_the_loss_is_the_cross_entropy_of_both_directions(torch: Any) -> None:
    from torch.nn import functional

    from training.train import SCALE, info_nce

    torch.manual_seed(0)
    left, right = functional.normalize(torch.randn(30, 8)), functional.normalize(torch.randn(30, 8))
    scores, target = SCALE * left @ right.T, torch.arange(30)
    both = functional.cross_entropy(scores, target) + functional.cross_entropy(scores.T, target)
    assert float(info_nce(3 * left, right)) == pytest.approx(float(both / 2), rel=1e-4)


def test_a_training_goes_on_where_an_earlier_one_ended(tmp_path: Path, trained: tuple[Table, list[float]]) -> None:
    from training.train import Table

    table = trained[0]
    np.savez(tmp_path / "vectors.npz", vectors=table.folded(), weights=table.weights.numpy())
    again = Table.again(tmp_path / "vectors.npz")
    assert again.rows.numpy() == pytest.approx(table.rows.numpy(), abs=1e-5)
    assert again.folded() == pytest.approx(table.folded(), abs=1e-5)
