"""The built-in model as mapped from its file gives what model2vec gives, to the last bit."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model2vec import StaticModel
from night import NIGHT, sample
from tokenizers import Tokenizer, models

from lab.corpus import samples
from lab.models.mapped import MappedModel
from lab.models.static import StaticEncoder, load_built_in

FOLDER = Path(__file__).parents[2] / "lab/models/built_in"
ODD = (
    "",
    " ",
    "\u0000",
    "？！…",
    "ﬁne Ｗｉｆｉ",
    "ⅷ²",
    "a" * 5000,
    "耳机" * 3000,
    "café cafe\u0301",
    "\ud7ff\ue000",
    "👩‍👩‍👧",
)
PARTS = (
    "the wireless headset",
    "蓝牙耳机",
    "ΑΒΓ",
    "x1-3310DW",
    "，",
    ". ",
    "\n",
    "não",
    "退货要几天？",
    "\u3000",
    "qqq",
    "한국어",
    "3.1.2",
)


def made_up(rng: random.Random, words: Sequence[str]) -> str:
    """A text of words of the model and other parts, with blanks or without."""
    return rng.choice(("", " ")).join(rng.choices((*rng.choices(words, k=8), *PARTS), k=rng.randint(1, 40)))


@pytest.fixture(scope="module")
def peer() -> Any:
    return StaticModel.from_pretrained(str(FOLDER), force_download=False)


def test_every_word_has_the_same_vector_and_number(peer: Any) -> None:
    model = load_built_in().model
    assert model.tokens == peer.tokens
    assert (model.dim, model.unk_token_id, model.max_length) == (peer.dim, peer.unk_token_id, peer.max_length)
    words = sample(peer.tokens, 2000)
    assert model.encode(words).tobytes() == peer.encode(words, use_multiprocessing=False).tobytes()


def test_texts_have_the_same_vectors_whatever_comes_with_them(peer: Any) -> None:
    rng, model = random.Random(74), load_built_in().model
    texts = [*ODD, *(d.content for name in samples.names() for d in samples.load(name).corpus)]
    texts += [made_up(rng, peer.tokens) for _ in range(10_000 if NIGHT else 300)]
    rng.shuffle(texts)
    vectors = StaticEncoder(model).documents(texts)
    assert vectors.tobytes() == StaticEncoder(peer).documents(texts).tobytes()
    assert all(model.encode([t]).tobytes() == vectors[i].tobytes() for i, t in enumerate(texts[:100]))
    assert model.tokenize(texts) == peer.tokenize(texts)


def test_explanations_and_stored_vectors_are_those_of_model2vec(peer: Any) -> None:
    mapped, other = load_built_in(), StaticEncoder(peer)
    assert mapped.mark == other.mark
    for query, text in (("退货 headset", "蓝牙耳机 returns of headsets"), ("xqzt", "wireless"), ("", "")):
        names, _, table = mapped.pairs(query, text)
        peer_names, _, peer_table = other.pairs(query, text)
        assert names == peer_names
        assert table.tobytes() == peer_table.tobytes()


def test_rows_are_read_from_the_disk_and_cannot_be_changed() -> None:
    rows = load_built_in().model.embedding
    assert isinstance(rows.base, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        rows[0, 0] = 1


def test_a_file_with_other_numbers_is_refused(tmp_path: Path) -> None:
    header = json.dumps({"embeddings": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}}).encode()
    (tmp_path / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(8))
    Tokenizer(models.Unigram([("[UNK]", 0.0)], 0)).save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(ValueError, match="F32"):
        MappedModel(tmp_path)
