"""Whether one search is better than another: runs, TREC files, measures, differences, judgments.

    from lab.evaluate import experiment
    experiment([BM25(), RRF()(BM25(), Vector())], samples.load("devices"), ["nDCG@10", "AP"], baseline=0)
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name in ("experiment", "evaluate"):  # late: a table needs pandas
        from lab.evaluate import experiments

        return getattr(experiments, name)
    raise AttributeError(f"module 'lab.evaluate' has no attribute {name!r}")
