"""Embedders that load a model by name or from a folder: model2vec (numpy only) and sentence-transformers.

Nothing is imported or loaded before it is used.  `lab.models.hub` explains why a model is not available.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from lab.algebra import Corpus, Progress, knob
from lab.errors import MissingExtra
from lab.models.embedders import Embedder, Encoder, Vectors, in_batches
from lab.models.hub import Wanted, folder_of, unloadable
from lab.models.static import StaticEncoder, load_static
from lab.words import Said

OFFERED: Mapping[str, str] = MappingProxyType(
    {
        "BAAI/bge-small-zh-v1.5": "为这个句子生成表示以用于检索相关文章：",
        "BAAI/bge-base-zh-v1.5": "为这个句子生成表示以用于检索相关文章：",
        "sentence-transformers/all-MiniLM-L6-v2": "",
        "intfloat/multilingual-e5-small": "query: ",
    }
)
"""sentence-transformers models offered by name, with the instruction that their authors put before a query."""

_E5 = re.compile(r"(?:.*[/\\])?(?:multilingual-)?e5-(?:small|base|large)(?:-v2)?/?", re.IGNORECASE)
"""The models of the E5 family that were trained with “query: ” and “passage: ” (those with “instruct” were not)."""


class Prompts(NamedTuple):
    """The prefixes of questions and of passages; empty if none is known for the model's name."""

    query: str = ""
    document: str = ""


def known_prompts(model: str) -> Prompts:
    """Returns the prefixes that a model of this name, or in a folder of this name, was trained with."""
    if _E5.fullmatch(model):
        return Prompts("query: ", "passage: ")
    return Prompts(OFFERED.get(model, ""))


STATIC = ("minishlab/potion-multilingual-128M", "minishlab/potion-base-8M")
"""model2vec models offered by name: the first knows many languages, the second English."""

_WITHOUT = Said("The built-in model and LSA need no download.")
_SAVED = Said(
    "Give the folder into which the model was saved, with its configuration, weights and tokenizer; "
    "or the name of another model."
)


@dataclass(frozen=True)
class Model2Vec(Embedder):
    """A static model of the model2vec family, by name or folder; its cosine can be taken apart like the built-in's."""

    about = Said("A static model of the model2vec family: the mean of word vectors.")

    model: str = knob(
        STATIC[0],
        Said("Model"),
        Said("A name on the model hub, or a folder on the machine that runs the lab."),
        kind="model",
        offers=STATIC,
    )

    @property
    def name(self) -> str:
        return f"model2vec/{self.model}"

    @property
    def label(self) -> str:
        return Path(self.model).name

    def fit(self, corpus: Corpus) -> StaticEncoder:
        folder = folder_of(self.model, Wanted(STATIC, _WITHOUT))
        try:
            return load_static(str(folder))
        except Exception as error:  # whatever a broken folder raises: there is no common class
            raise unloadable(self.model, error, _SAVED) from error


@dataclass(eq=False)
class SentenceEncoder(Encoder):
    """A loaded sentence-transformers model."""

    spec: SentenceTransformer
    model: Any
    dimensions: int

    def __post_init__(self) -> None:
        self.limit = int(getattr(self.model, "max_seq_length", 0) or 0)

    def truncates(self, text: str) -> bool:
        text = self.prompts.document + text
        if len(text) <= self.limit // 2 or not self.limit:  # a token has at least a character, and two are signs
            return False
        return len(self.model.tokenizer(text, truncation=False)["input_ids"]) > self.limit

    @property
    def prompts(self) -> Prompts:
        """The prefixes of questions and passages, from the specification, the model's name, or the model itself."""
        if not self.spec.prompts:
            return Prompts()
        model_prompts, known = dict(self.model.prompts or {}), known_prompts(self.spec.model)
        query = self.spec.query_prompt or known.query or model_prompts.get("query") or ""
        return Prompts(query, known.document or model_prompts.get("document") or model_prompts.get("passage") or "")

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        return self._encode(self.model.encode_document, texts, self.prompts.document, progress)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self.model.encode_query, texts, self.prompts.query, None)

    def _encode(
        self, encode: Callable[..., Any], texts: Sequence[str], prompt: str, progress: Progress | None
    ) -> Vectors:
        size = self.spec.batch_size
        encode = partial(encode, batch_size=size, show_progress_bar=False)
        if prompt or not self.spec.prompts:
            encode = partial(encode, prompt=prompt)
        # a batch is as wide as its longest text: sort by length, longest first; equal texts are encoded once
        longest_first = sorted(dict.fromkeys(texts), key=len, reverse=True)
        place = {text: i for i, text in enumerate(longest_first)}
        return in_batches(encode, longest_first, size, self.dimensions, progress)[[place[text] for text in texts]]


@dataclass(frozen=True)
class SentenceTransformer(Embedder):
    """Any sentence-transformers model, by name or folder (extra ``neural``).

    ``query_prompt`` is put before every query; if it is empty, the known prefix of the model's name (`known_prompts`)
    or the prompts of the model itself are used.  Without ``prompts`` no text has a prefix.
    """

    about = Said("A neural model of sentence-transformers.")

    model: str = knob(
        "BAAI/bge-small-zh-v1.5",
        Said("Model"),
        Said("A name on the model hub, or a folder on the machine that runs the lab."),
        kind="model",
        offers=OFFERED,
    )
    query_prompt: str = knob(
        "",
        Said("Instruction before a query"),
        Said("Placed before every question. Empty: the model's own prefix, or the one built into the lab."),
    )
    prompts: bool = knob(
        True,
        Said("Prefixes and instructions"),
        Said(
            "The texts that the model was trained to see before a question and before a passage, such as “query: "
            "” and “passage: ”. Off: no prefixes."
        ),
    )
    batch_size: int = knob(32, Said("Batch size"), Said("Texts per batch."), low=1, high=512)

    @property
    def name(self) -> str:
        return f"sentence-transformer{'' if self.prompts else '-bare'}/{self.model}"

    @property
    def label(self) -> str:
        model_name = Path(self.model).name
        return model_name if self.prompts else Said("{model}, without prefixes", model=model_name)

    def fit(self, corpus: Corpus) -> SentenceEncoder:
        try:
            import sentence_transformers
        except ImportError:
            raise MissingExtra("neural", "sentence-transformers") from None
        folder = folder_of(self.model, Wanted(tuple(OFFERED), _WITHOUT))
        try:
            model = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
            size = int(model.encode(["x"], show_progress_bar=False).shape[1])
        except Exception as error:  # whatever a broken folder makes transformers raise: there is no common class
            raise unloadable(self.model, error, _SAVED) from error
        return SentenceEncoder(self, model, size)
