"""Whether stored vectors are of the model that now embeds the question: a few passages are embedded again.

Two models with vectors of one length mix in silence: nothing fails, and the ranks are noise.  A name or a version does
not tell, because a server may change the model behind a name; the vectors themselves do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.errors import ModelError
from lab.numeric import unit
from lab.words import N_, Said

SAMPLED = 16
"""Passages that are embedded again, evenly spread: if half are of another model, one in 65,536 samples has none."""
SAME_MODEL = 0.99
"""Lowest cosine of a stored vector with a new one of the same text, allowing for rounding on a server."""


def sampled(n: int) -> list[int]:
    """Returns the positions of `SAMPLED` of n passages, evenly spread, or of all."""
    return sorted(set(np.linspace(0, n - 1, min(SAMPLED, n)).round().astype(int).tolist())) if n else []


def agreement(stored: NDArray[np.floating], fresh: NDArray[np.floating]) -> list[float]:
    """Returns the cosine of each stored vector with the new one; 0 if their lengths differ, 1 if both are zeros."""
    if stored.shape != fresh.shape:
        return [0.0] * len(fresh)
    cosines = np.einsum("ij,ij->i", unit(stored), unit(fresh))
    compared = np.where(stored.any(axis=1) | fresh.any(axis=1), cosines, 1.0)
    return [float(cosine) for cosine in compared]


def check_model(
    stored: NDArray[np.floating], fresh: NDArray[np.floating], *, name: str, model: str, remedy: Said
) -> None:
    """Raises `ModelError` if a stored vector is of another model than the new one of its text."""
    cosines = agreement(stored, fresh)
    wrong = [cosine for cosine in cosines if cosine < SAME_MODEL]
    if wrong:
        message = N_(
            "{name} has vectors of another model than {model}: sampled passages whose vectors differ: {n} of {total}, "
            "lowest cosine {cosine:.3f}."
        )
        values = {"name": name, "model": model, "n": len(wrong), "total": len(cosines), "cosine": min(wrong)}
        raise ModelError(Said(message, **values), remedy)


def same_model(stored: Sequence[NDArray[np.floating]], fresh: NDArray[np.floating]) -> bool:
    """Returns whether all stored vectors are of the model of the new ones."""
    return all(len(row) == fresh.shape[1] for row in stored) and min(agreement(np.array(stored), fresh)) >= SAME_MODEL
