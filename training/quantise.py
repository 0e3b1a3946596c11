"""Step 4: keep the first dimensions, round to eight bits, and save in model2vec's format."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from training.material import arguments, timed


def to_int8(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """One scale for the whole matrix (a row's length is its weight), with the least squared error.

    The largest entry would be a wasteful scale if it stands alone, so a few smaller ones are tried too;
    what lies beyond the scale is clipped.
    """
    size = np.abs(vectors)
    best: tuple[float, NDArray[np.int8]] | None = None
    for share in (1.0, 0.99999, 0.9999, 0.999):
        scale = float(np.quantile(size, share)) / 127
        rounded = np.clip(np.rint(vectors / scale), -127, 127)
        error = float(np.square(rounded * scale - vectors).sum())
        if best is None or error < best[0]:
            best = error, rounded.astype(np.int8)
    assert best is not None
    return best[1]


def cosine_loss(vectors: NDArray[np.float32], rounded: NDArray[np.int8]) -> float:
    """1 - mean cosine of the rows before and after."""
    wide = rounded.astype(np.float32)
    length = np.linalg.norm(vectors, axis=1) * np.linalg.norm(wide, axis=1)
    return float(1 - (np.einsum("ij,ij->i", vectors, wide)[length > 0] / length[length > 0]).mean())


def save(folder: Path, tokenizer: Tokenizer, vectors: NDArray[np.int8]) -> None:
    """Write model.safetensors, tokenizer.json and config.json, each replaced in one go."""
    from model2vec import StaticModel

    name = f"zh-en-unigram-{len(vectors)}"
    config = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "tokenizer_name": name,
        "hidden_dim": vectors.shape[1],
    }
    model = StaticModel(vectors, tokenizer, config=config, normalize=True, max_length=None)
    fresh = folder / "fresh"
    model.save_pretrained(fresh)
    saved = json.loads((fresh / "config.json").read_text("utf-8"))
    (fresh / "config.json").write_text(json.dumps({**saved, "language": ["zh", "en"]}, indent=1) + "\n", "utf-8")
    for file in ("tokenizer.json", "config.json", "model.safetensors"):
        os.replace(fresh / file, folder / file)
    for file in fresh.iterdir():  # what model2vec adds for other libraries
        file.unlink()
    fresh.rmdir()


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--name", default="vectors", help="take WORK/NAME.npz")
    parser.add_argument("--model", type=Path, help="folder to write; default: WORK/model")
    options = parser.parse_args()
    folder = options.model or options.work / "model"
    with timed("Quantisation"):
        with np.load(options.work / f"{options.name}.npz") as trained:
            vectors = trained["vectors"][:, : options.dimensions]
        tokenizer = Tokenizer.from_file(str(options.work / "tokenizer.json"))
        rounded = to_int8(vectors)
        save(folder, tokenizer, rounded)
        size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
        print(
            f"{folder.name}: {rounded.shape[0]} tokens, {rounded.shape[1]} dimensions, {size:.1f} MB, rounding costs "
            f"{cosine_loss(vectors, rounded):.5f} of the rows' cosine"
        )


if __name__ == "__main__":
    main()
