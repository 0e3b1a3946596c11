"""Whether one search is better than another: runs, TREC files, measures, differences, judgments.

from lab.evaluate import experiment
experiment([BM25(), RRF()(BM25(), Vector())], samples.load("devices"), ["nDCG@10", "AP"], baseline=0)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    modules = {"experiment": "experiments", "evaluate": "experiments", "sweep": "sweeping"}
    if name in modules:  # late: a table needs pandas
        return getattr(import_module(f"lab.evaluate.{modules[name]}"), name)
    raise AttributeError(f"module 'lab.evaluate' has no attribute {name!r}")
