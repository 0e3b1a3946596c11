"""The weights of the small cross-encoder as the training has them: their shapes, and their file in eight bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.models.pair_reader import CHANNELS, FAR, FEATURES, HEADS, Floats


def rarity(texts: Sequence[Sequence[int]], size: int) -> Floats:
    """Returns the IDF of each token number in texts, [size], divided by the IDF of a token that no text has."""
    df = np.zeros(size)
    for text in texts:
        df[list(set(text))] += 1
    return np.asarray(np.log1p((len(texts) - df + 0.5) / (df + 0.5)) / np.log1p(2 * len(texts) + 1), np.float32)


def shapes(dimensions: int, width: int, layers: int) -> dict[str, tuple[int, ...]]:
    """Returns the shape of each weight of a model."""
    layer = {
        "in": (width, 3 * width),
        "out": (width, width),
        "far": (HEADS, 2 * FAR + 4),
        "match": (HEADS,),
        "up": (width, 2 * width),
        "up_bias": (2 * width,),
        "down": (2 * width, width),
    }
    return {
        "words": (dimensions, width),
        "question": (CHANNELS, width),
        "passage": (CHANNELS, width),
        "question_side": (width,),
        "passage_side": (width,),
        "start": (width,),
        **{f"{i}.{name}": shape for i in range(layers) for name, shape in layer.items()},
        "head": (2 * width + FEATURES, width),
        "head_bias": (width,),
        "score": (width,),
        "features": (FEATURES,),
        "bias": (1,),
    }


def save(file: Path, weights: Mapping[str, Floats]) -> None:
    """Writes weights: matrices in eight bits with a scale per column, everything else as it is."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, values in weights.items():
        if values.ndim == 2 and min(values.shape) > 2 * CHANNELS:
            scale = np.maximum(np.abs(values).max(axis=0), 1e-9) / 127
            arrays[name] = np.rint(values / scale).astype(np.int8)
            arrays[f"{name} scale"] = scale.astype(np.float32)
        else:
            arrays[name] = values.astype(np.float32)
    with file.open("wb") as target:
        np.savez_compressed(target, **arrays)  # type: ignore[arg-type]
