"""Retrieval Lab: see why a document is ranked where it is.

    from lab import BM25, Vector, samples
    corpus = samples.load("devices").corpus
    ranking = BM25(k1=1.2).index(corpus).search("headset shows E21")
    ranking.to_frame()

Names are imported when they are first used, so that ``import lab`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Corpus": "lab.core",
    "Document": "lab.core",
    "Ranking": "lab.core",
    "BM25": "lab.retrieve.lexical",
    "TFIDF": "lab.retrieve.lexical",
    "Vector": "lab.retrieve.vector",
    "BuiltIn": "lab.models.embedders",
    "LSA": "lab.models.embedders",
    "Analyzer": "lab.text",
    "samples": "lab.corpus.samples",
}
__all__ = [*_HOMES]  # noqa: PLE0604 - the names are real, they load late


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        home = import_module(_HOMES[name])
        return home if name == "samples" else getattr(home, name)
    raise AttributeError(f"module 'lab' has no attribute {name!r}")
