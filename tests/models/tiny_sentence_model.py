"""Embedding models small enough to build in a test: a BERT and a static model over single characters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tiny_cross_encoder import CHARACTERS

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ":", *CHARACTERS, *(f"##{c}" for c in CHARACTERS)]
PROMPTS = {"query": "query: ", "document": "passage: "}


def bert(folder: Path, prompts: dict[str, str]) -> str:
    """The folder of a sentence-transformers model with random weights and these prompts, as it saves itself."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    parts = folder / "parts"
    parts.mkdir(parents=True)
    (parts / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    with torch.random.fork_rng():
        torch.manual_seed(11)
        config = BertConfig(
            vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
            max_position_embeddings=64, initializer_range=0.5,
        )  # fmt: skip
        BertModel(config).save_pretrained(parts)
    BertTokenizerFast(vocab=str(parts / "vocab.txt")).save_pretrained(parts)
    words = Transformer(str(parts))
    whole = folder / "model"
    SentenceTransformer(modules=[words, Pooling(16, "mean")], prompts=prompts, device="cpu").save_pretrained(
        str(whole), create_model_card=False
    )
    return str(whole)


def static(folder: Path) -> str:
    """The folder of a model2vec model with random vectors, as it saves itself."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    tokenizer = Tokenizer(WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = BertNormalizer(), BertPreTokenizer()  # type: ignore[assignment]
    vectors = np.random.default_rng(12).normal(size=(len(WORDS), 8)).astype(np.float32)
    StaticModel(vectors, tokenizer).save_pretrained(folder)
    return str(folder)
