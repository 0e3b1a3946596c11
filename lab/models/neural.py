"""Embedders that load a model by name or from a folder: model2vec (numpy only) and sentence-transformers.

Nothing is imported or loaded before it is used.  A model that cannot be had is explained: offline, a wrong
name, a mirror to be set, a folder that holds something else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from lab.core import Corpus, knob
from lab.errors import MissingExtra, ModelError
from lab.models.embedders import Embedder, Encoder, Progress, StaticEncoder, Vectors, load_static
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

DOCUMENT_PROMPTS: Mapping[str, str] = MappingProxyType({"intfloat/multilingual-e5-small": "passage: "})
"""What a document begins with, for the models that want it."""


def unavailable(name: str, error: Exception) -> ModelError:
    """Why a model could not be loaded, and what to do: offline, misspelt, mirror, or a broken folder."""
    if Path(name).expanduser().exists():
        return ModelError(
            Said("The folder “{name}” holds no model that can be loaded ({reason}).", name=name, reason=type(error).__name__),
            Said("Give the folder into which the model was saved, with its configuration and weights."),
        )
    mirror = os.environ.get("HF_ENDPOINT", "")
    text = f"{type(error).__name__} {error}"
    if "RepositoryNotFound" in text or "not a valid model identifier" in text or "Repo id" in text:
        return ModelError(
            Said("There is no model “{name}” on the hub.", name=name),
            Said("Check the spelling (owner/name); or give a folder on this machine."),
        )
    return ModelError(
        Said("The model “{name}” could not be downloaded: the hub cannot be reached, or does not know it.", name=name),
        Said("Check the network and the name; behind a firewall set HF_ENDPOINT to a mirror (now: {mirror}); or give a folder on this machine. The built-in model needs nothing.", mirror=mirror or "–"),
    )


@dataclass(frozen=True)
class Model2Vec(Embedder):
    """A static model of the model2vec family, by name or folder; its cosine can be taken apart like the built-in's."""

    model: str = "minishlab/potion-multilingual-128M"

    @property
    def name(self) -> str:
        return f"model2vec/{self.model}"

    @property
    def label(self) -> str:
        return Path(self.model).name

    def fit(self, corpus: Corpus) -> StaticEncoder:
        try:
            return load_static(str(Path(self.model).expanduser()) if Path(self.model).expanduser().exists() else self.model)
        except Exception as error:
            raise unavailable(self.model, error) from None


@dataclass(eq=False)
class SentenceEncoder(Encoder):
    """A loaded sentence-transformers model."""

    spec: SentenceTransformer
    model: Any
    dimensions: int

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        out, step = [], self.spec.batch_size
        prompt = DOCUMENT_PROMPTS.get(self.spec.model)
        for i in range(0, len(texts), step):
            batch = list(texts[i : i + step])
            more = {"prompt": prompt} if prompt else {}
            out.append(np.asarray(self.model.encode_document(batch, batch_size=step, show_progress_bar=False, **more), dtype=np.float32))
            if progress:
                progress(min(i + step, len(texts)), len(texts))
        return np.concatenate(out) if out else np.zeros((0, self.dimensions), np.float32)

    def queries(self, texts: Sequence[str]) -> Vectors:
        prompt = self.spec.query_prompt or OFFERED.get(self.spec.model, "")
        more = {"prompt": prompt} if prompt else {}
        return np.asarray(self.model.encode_query(list(texts), show_progress_bar=False, **more), dtype=np.float32)


@dataclass(frozen=True)
class SentenceTransformer(Embedder):
    """Any sentence-transformers model, by name or folder (extra ``neural``).

    ``query_prompt`` goes before every query; where it is empty, the prompts of the model itself count, or
    those of `OFFERED`.
    """

    model: str = "BAAI/bge-small-zh-v1.5"
    query_prompt: str = ""
    batch_size: int = knob(32, low=1, high=512)

    @property
    def name(self) -> str:
        return f"sentence-transformer/{self.model}"

    @property
    def label(self) -> str:
        return Path(self.model).name

    def fit(self, corpus: Corpus) -> SentenceEncoder:
        try:
            import sentence_transformers
        except ImportError:
            raise MissingExtra("neural", "sentence-transformers") from None
        folder = Path(self.model).expanduser()
        try:
            model = sentence_transformers.SentenceTransformer(str(folder) if folder.exists() else self.model, device="cpu")
            size = int(model.encode(["x"], show_progress_bar=False).shape[1])
        except Exception as error:
            raise unavailable(self.model, error) from None
        return SentenceEncoder(self, model, size)
