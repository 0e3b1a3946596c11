"""How long a proof is: a sample in the suite, all of it at night (`make nightly`)."""

from __future__ import annotations

import os

from hypothesis import settings

NIGHT = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"


def examples(n: int) -> settings:
    """So many drawn examples of a property; at night ten times as many, and others."""
    return settings(max_examples=10 * n if NIGHT else n)


def sample(n: int) -> range:
    """The seeds of a long proof: all ``n`` at night, an eighth of them in the suite."""
    return range(n if NIGHT else n // 8)
