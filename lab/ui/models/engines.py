"""Corpora that stay in an engine, beside the samples and the visitor's own."""

from __future__ import annotations

import streamlit as st

from lab import engine
from lab.corpus.beir import Collection
from lab.errors import LabError
from lab.models.endpoint import public

SECONDS = 30
"""Seconds for which the list of corpora is reused."""


def sizes() -> dict[str, int]:
    """Returns corpora with their numbers of passages; empty in a public lab, without an engine, or if it fails."""
    known = {} if public() else engine.addressed()
    return {corpus: n for name in known for corpus, n in _sizes(name, engine.address(name)).items()}


@st.cache_data(ttl=SECONDS, max_entries=4, show_spinner=False)
def _sizes(name: str, uri: str) -> dict[str, int]:
    try:
        return {f"{name}:{title}": n for title, n in engine.find(name).names({name: uri}).items()}
    except LabError:
        return {}


def collection(corpus: str) -> Collection:
    """Returns one of them, opened once.  Raises `LabError`."""
    return _collection(corpus, engine.address(engine.of(corpus)))


@st.cache_resource(max_entries=8, show_spinner=False)
def _collection(corpus: str, uri: str) -> Collection:
    return engine.open_corpus(corpus, {engine.of(corpus): uri})
