"""A cross-encoder small enough to build in a test: a two-layer BERT with random weights over single characters."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

import pytest

CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789电池耳机充年假申请报销蓝牙断开的了在是"


@lru_cache(maxsize=2)
def folder(labels: int = 1) -> str:
    """The folder of such a model with so many output numbers, as `save_pretrained` writes it; always the same."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("sentence_transformers")
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    root = Path(tempfile.mkdtemp(prefix="tiny-cross-encoder-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *CHARACTERS, *(f"##{c}" for c in CHARACTERS)]
    vocabulary = root / "vocab.txt"
    vocabulary.write_text("\n".join(words), encoding="utf-8")
    with torch.random.fork_rng():
        torch.manual_seed(7)
        config = BertConfig(
            vocab_size=len(words), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
            max_position_embeddings=64, num_labels=labels, initializer_range=0.5,
        )  # fmt: skip
        BertForSequenceClassification(config).save_pretrained(root)
    BertTokenizerFast(vocab=str(vocabulary)).save_pretrained(root)
    return str(root)
