"""How long a proof is: a sample in the suite, all of it at night (`make nightly`)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import settings

T = TypeVar("T")
NIGHT = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"


def examples(n: int) -> settings:
    """So many drawn examples of a property, a third of them in the suite; at night ten times as many, and others."""
    return settings(max_examples=10 * n if NIGHT else max(5, n // 3))


def sample(n: int) -> range:
    """The seeds of a long proof: all ``n`` at night, an eighth of them in the suite."""
    return range(n if NIGHT else n // 8)


def spread(cases: Iterable[Any], n: int) -> list[Any]:
    """Parameters of a long proof: ``n`` of the cases, evenly spread, in the suite, and all of them at night."""
    listed = list(cases)
    by_day = {i * len(listed) // n for i in range(n)}
    values = [case if type(case) is tuple else (case,) for case in listed]
    return [
        case if i in by_day else pytest.param(*values[i], marks=pytest.mark.nightly) for i, case in enumerate(listed)
    ]


def of_today(things: Sequence[T], n: int) -> list[T]:
    """So many of these, others every day, and all of them within ``len(things) / n`` days."""
    first = int(time.time() // 86400) * n
    return [things[i % len(things)] for i in range(first, first + min(n, len(things)))]
