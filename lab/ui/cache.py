"""Data that all visitors share: sample corpora, lessons, the built-in model's vocabulary, the list of visitors.

Data derived from a corpus (indexes, vectors, tokens) is kept with the corpus itself: visitors of a sample share it,
and it is deleted with an upload.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import streamlit as st

from lab import catalog, packs
from lab.algebra import Corpus, Operator
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.kept import drop_unused
from lab.lessons import Lesson
from lab.lessons import read as read_lessons
from lab.models.embedders import Embedder, encoder_of
from lab.models.lsa import LSA
from lab.models.static import BuiltIn, StaticEncoder
from lab.models.vocabulary import Unknown, Vocabulary
from lab.models.vocabulary import unknown as unknown_of
from lab.text import Analyzer
from lab.ui.people import keeping
from lab.ui.people.visitor import Visitors, give_back


def _sweep() -> None:
    """Deletes expired uploads, and values that nobody has used for ten minutes."""
    keeping.sweep()
    if drop_unused():
        give_back()


VISITORS = Visitors(also=_sweep)
"""The visitors, and their data."""


@lru_cache(maxsize=256)
def label(operator: Operator) -> str:
    """Returns the name of an operator, cached: a page needs the names of all embedders that it offers."""
    return operator.label


@st.cache_resource(max_entries=64, show_spinner=False)
def sample(name: str) -> Collection:
    """Returns a sample corpus with its queries and judgments."""
    return samples.load(name)


@st.cache_resource(show_spinner=False)
def lessons(page: str = "") -> tuple[Lesson, ...]:
    folders = map(samples.folder, samples.every_name())
    return tuple(lesson for folder in folders for lesson in read_lessons(folder, page=page, checked=False))


def ready_embedders() -> Mapping[str, Embedder]:
    """Returns the embedders without settings by their short names; the built-in one first, plug-ins last."""
    brought = [cls for cls in catalog.embedders().values() if cls.__module__.startswith(packs.OURS)]
    return _ready((*brought, *(cls for cls in catalog.plugins().operators.values() if issubclass(cls, Embedder))))


@lru_cache(maxsize=4)
def _ready(added: tuple[type[Embedder], ...]) -> Mapping[str, Embedder]:
    known: dict[str, Embedder] = {}
    for embedder in (BuiltIn(), LSA(), *(embedder for cls in added for embedder in cls.offered())):
        known.setdefault(embedder.name, embedder)
    return MappingProxyType(known)


def tokens(corpus: Corpus, analyzer: Analyzer) -> list[list[str]]:
    return corpus.once(("tokens", analyzer), lambda: [analyzer.tokens(d.content) for d in corpus])


def vocabulary(embedder: Embedder, corpus: Corpus) -> Vocabulary:
    return corpus.once(("vocabulary", embedder), lambda: Vocabulary.of(_static(embedder, corpus)))


def unknown(embedder: Embedder, corpus: Corpus) -> Unknown:
    """Returns the words of a corpus that a static embedder does not know."""
    return corpus.once(("unknown", embedder), lambda: unknown_of(_static(embedder, corpus), corpus))


def _static(embedder: Embedder, corpus: Corpus) -> StaticEncoder:
    encoder = encoder_of(embedder, corpus)
    assert isinstance(encoder, StaticEncoder)
    return encoder


def pieces(encoder: StaticEncoder, text: str) -> list[list[object]]:
    """Returns a static model's pieces of a text: [token, start, end, kind], unknown parts as ``out``."""
    encoding = encoder.model.tokenizer.encode(text, add_special_tokens=False)
    unknown = encoder.model.unk_token_id
    return [
        [token.removeprefix("▁"), start, end, "out" if i == unknown else "hit"]
        for token, (start, end), i in zip(encoding.tokens, encoding.offsets, encoding.ids, strict=True)
    ]
