"""The only caches of the app.  Keys are the corpus' fingerprint and the frozen operator.

Visitors with the same corpus share an index; an uploaded corpus itself stays in its visitor's session.
"""

from __future__ import annotations

import streamlit as st

from lab import catalog
from lab.core import Corpus, Index, Retriever
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.corpus.lessons import Lesson
from lab.corpus.lessons import read as read_lessons
from lab.models.embedders import Embedder
from lab.text import Analyzer


@st.cache_resource(max_entries=16, show_spinner=False)
def sample(name: str) -> Collection:
    """A sample corpus with its queries and judgments."""
    return samples.load(name)


@st.cache_resource(max_entries=96, show_spinner=False)
def _index(key: tuple[str, int], _retriever: Retriever, _corpus: Corpus) -> Index:
    return _retriever.index(_corpus)


def index(retriever: Retriever, corpus: Corpus) -> Index:
    """The index of this retriever over this corpus, made once for everybody."""
    return _index((corpus.fingerprint, hash(retriever)), retriever, corpus)


@st.cache_resource(show_spinner=False)
def lessons() -> tuple[Lesson, ...]:
    """Every lesson of every sample corpus."""
    return tuple(lesson for name in samples.names() for lesson in read_lessons(samples.folder(name)))


@st.cache_resource(show_spinner=False)
def embedders() -> dict[str, Embedder]:
    """The embedders that need no further settings, by their short names; the built-in one first."""
    made = {e.name: e for e in (cls() for cls in catalog.embedders().values())}
    return {"built-in": made.pop("built-in"), **made}


@st.cache_resource(max_entries=16, show_spinner=False)
def _tokens(key: tuple[str, int], _corpus: Corpus, _analyzer: Analyzer) -> list[list[str]]:
    return [_analyzer.tokens(d.content) for d in _corpus]


def tokens(corpus: Corpus, analyzer: Analyzer) -> list[list[str]]:
    """The tokens of every document."""
    return _tokens((corpus.fingerprint, hash(analyzer)), corpus, analyzer)
