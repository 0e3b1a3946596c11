"""Retrieval Lab: see why a document is ranked where it is.

    from lab import BM25, MMR, RRF, Runner, Vector, samples
    corpus = samples.load("devices").corpus
    search = RRF(k=60)(BM25(k1=1.2), Vector()) >> MMR(k=8)
    Runner(corpus)(search, "headset shows E21").to_frame()

Everything that the catalogue knows can be imported from here.  Names are imported when they are first used, so that
``import lab`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "1.0.0"

NOUNS = {  # everything that is not an operator, with its module
    **dict.fromkeys(("Corpus", "Document", "Query", "Ranking", "Turn"), "lab.algebra"),
    "Destination": "lab.rewrite.routing",
    "Runner": "lab.algebra",
    "Adapter": "lab.rewrite.domain",
    "Analyzer": "lab.text",
    "Weights": "lab.refine.learned",
}


def __getattr__(name: str) -> Any:
    if name == "samples":
        return import_module("lab.corpus.samples")
    if name in NOUNS:
        return getattr(import_module(NOUNS[name]), name)
    if name == "__all__" or name[:1].isupper():
        operators = import_module("lab.catalog").operators()
        if name == "__all__":
            return sorted({"samples", *NOUNS, *operators})
        if name in operators:
            return operators[name]
    raise AttributeError(f"module 'lab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
