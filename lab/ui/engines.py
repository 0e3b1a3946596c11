"""Corpora that stay in the lab's own engine, beside the samples and the visitor's own."""

from __future__ import annotations

import streamlit as st

from lab import engine
from lab.corpus.beir import Collection
from lab.engine import ENGINE
from lab.errors import LabError
from lab.models.endpoint import public
from lab.retrieve.milvus_server import SETTING as SETTING
from lab.retrieve.milvus_server import named_in_environment

SECONDS = 30
"""Seconds for which the list of corpora is reused."""


def sizes() -> dict[str, int]:
    """Returns corpora with their numbers of passages; empty in a public lab, without an engine, or if it fails."""
    uri = named_in_environment()
    return {} if public() or not uri else _sizes(uri)


@st.cache_data(ttl=SECONDS, max_entries=4, show_spinner=False)
def _sizes(uri: str) -> dict[str, int]:
    try:
        return {f"{ENGINE}{name}": n for name, n in engine.names({"milvus": uri}).items()}
    except LabError:
        return {}


def collection(name: str) -> Collection:
    """Returns one of them, opened once.  Raises `LabError`."""
    return _collection(name, named_in_environment())


@st.cache_resource(max_entries=8, show_spinner=False)
def _collection(name: str, uri: str) -> Collection:
    return engine.open_corpus(name.removeprefix(ENGINE), {"milvus": uri})
