"""Step 3: train the token vectors and one weight per token.

A text's vector is the sum of its tokens' rows, each times exp(weight).  Two texts that belong together are to
be nearer to each other than to all others of their batch (InfoNCE in both directions, van den Oord et al. 2018),
at full length and at shorter prefixes at once (Kusupati et al. 2022).  Only the rows that a batch touches move:
Adagrad with one rate per row, the length of a step capped.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch.nn import functional

from training.batches import WEIGHTS, Bag, Batch, Sampler, Spans, Texts, load
from training.material import arguments, timed

SCALE = 25.0
"""Inverse temperature of the cosine."""
RATE, WEIGHT_RATE, LONGEST_STEP = 0.1, 0.05, 0.3
SIF = 1e-3
"""First weight of a token of frequency p: SIF / (SIF + p) (Arora et al. 2017)."""


@dataclass
class Table:
    """The parameters: rows [V, d], log weights [V], and Adagrad's sums of squares for both."""

    rows: torch.Tensor
    weights: torch.Tensor
    row_squares: torch.Tensor = field(init=False)
    weight_squares: torch.Tensor = field(init=False)

    def __post_init__(self) -> None:
        self.row_squares = torch.zeros(len(self.rows))
        self.weight_squares = torch.zeros(len(self.rows))

    @classmethod
    def first(cls, vectors: NDArray[np.float32], frequency: NDArray[np.float64]) -> Table:
        return cls(
            torch.from_numpy(vectors.copy()), torch.from_numpy(np.log(SIF / (SIF + frequency)).astype(np.float32))
        )

    @classmethod
    def again(cls, path: Path) -> Table:
        """The table that an earlier training left; Adagrad starts anew."""
        with np.load(path) as trained:
            weights = torch.from_numpy(trained["weights"])
            return cls(torch.from_numpy(trained["vectors"]) / weights.exp()[:, None], weights)

    def folded(self) -> NDArray[np.float32]:
        """The rows times their weights: all that the model is."""
        return (self.rows * self.weights.exp()[:, None]).numpy()

    def step(self, batch: Batch, *, rate: float, prefixes: Sequence[int]) -> float:
        """One step on a batch; the loss before it (mean over prefixes and directions)."""
        bags = [bag for bag in (batch.left, batch.right) if isinstance(bag, Bag)]
        touched = np.zeros(len(self.rows), dtype=bool)
        for bag in bags:
            touched[bag.token] = True
        used = torch.from_numpy(np.flatnonzero(touched))
        local = np.cumsum(touched) - 1
        rows = self.rows[used].requires_grad_()
        weights = self.weights[used].requires_grad_()
        table = rows * weights.exp()[:, None]
        left = bag_sums(batch.left, local, table)
        right = bag_sums(batch.right, local, table) if isinstance(batch.right, Bag) else torch.from_numpy(batch.right)
        loss = torch.stack([info_nce(left[:, :d], right[:, :d]) for d in prefixes]).mean()
        loss.backward()  # type: ignore[no-untyped-call]
        with torch.no_grad():
            assert rows.grad is not None
            assert weights.grad is not None
            self.row_squares[used] += rows.grad.square().mean(1)
            move = rows.grad / (self.row_squares[used].sqrt() + 1e-10)[:, None] * rate
            move *= (LONGEST_STEP / move.norm(dim=1).clamp(min=LONGEST_STEP))[:, None]
            self.rows[used] -= move
            self.weight_squares[used] += weights.grad.square()
            self.weights[used] -= weights.grad / (self.weight_squares[used].sqrt() + 1e-10) * rate * WEIGHT_RATE / RATE
        return float(loss.detach())


def bag_sums(bag: Bag, local: NDArray[np.int64], table: torch.Tensor) -> torch.Tensor:
    """The sum of the table's rows for every text of the bag, shape [size, d]."""
    order = np.argsort(bag.row, kind="stable")
    ends = np.cumsum(bag.counts())
    offsets = np.concatenate([[0], ends[:-1]])
    return functional.embedding_bag(
        torch.from_numpy(local[bag.token[order]]), table, torch.from_numpy(offsets), mode="sum"
    )


def info_nce(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """-log softmax of the right partner among all of the batch, mean of both directions.

    The cosine is at most 1, so exp(SCALE (cosine - 1)) can neither overflow nor vanish for the partner, and
    one matrix of exponentials serves both directions: less than half the time of two cross entropies.
    """
    left, right = functional.normalize(left), functional.normalize(right)
    e = torch.exp(SCALE * left @ right.T - SCALE)
    partner = SCALE * (left * right).sum(1) - SCALE
    return ((e.sum(1).log() + e.sum(0).log()) / 2 - partner).mean()


def ahead(batches: Iterable[Batch], depth: int = 4) -> Iterable[Batch]:
    """The same batches, made by a thread while the last ones are worked on."""
    waiting: queue.Queue[Batch] = queue.Queue(depth)
    stop = threading.Event()

    def fill() -> None:
        for batch in batches:
            while not stop.is_set():
                try:
                    waiting.put(batch, timeout=1)
                    break
                except queue.Full:
                    continue
            if stop.is_set():
                return

    threading.Thread(target=fill, daemon=True).start()
    try:
        while True:
            yield waiting.get()
    finally:
        stop.set()


def train(
    table: Table, sampler: Sampler, *, steps: int, prefixes: Sequence[int], rate: float = RATE, every: int = 100
) -> list[dict[str, Any]]:
    """Train in place, the rate falling to zero in a line; the losses by kind for every `every` steps."""
    start = time.perf_counter()
    history: list[dict[str, Any]] = []
    losses: dict[str, list[float]] = {}
    batches = iter(ahead(sampler))
    for i in range(steps):
        batch = next(batches)
        losses.setdefault(batch.kind, []).append(table.step(batch, rate=rate * (1 - i / steps), prefixes=prefixes))
        if (i + 1) % every == 0 or i + 1 == steps:
            mean = {kind: round(float(np.mean(values)), 3) for kind, values in sorted(losses.items())}
            history.append({"step": i + 1, "seconds": round(time.perf_counter() - start), "loss": mean})
            print(f"  {history[-1]}", flush=True)
            losses = {}
    batches.close()  # type: ignore[attr-defined]
    return history


def load_sampler(
    work: Path, *, weights: Mapping[str, float], spans: Spans, batch: int, hard: float, everything: bool, seed: int
) -> tuple[Sampler, NDArray[np.float32]]:
    """The sampler and the first token vectors from what the earlier steps left in the work folder."""
    tokenizer = Tokenizer.from_file(str(work / "tokenizer.json"))
    files = [work / "tokens.npz", work / "tokens_dev.npz"] if everything else [work / "tokens.npz"]
    with np.load(work / "teacher.npz") as taught:
        texts = Texts(taught["flat"], taught["starts"], np.arange(len(taught["starts"]) - 1))
        sampler = Sampler(
            load(*files),
            texts,
            taught["texts"],
            tokenizer,
            batch=batch,
            weights=weights,
            spans=spans,
            hard=hard,
            seed=seed,
        )
        return sampler, taught["tokens"]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--prefixes", type=int, nargs="+", default=[256], help="dimensions that are trained at once")
    parser.add_argument("--rate", type=float, default=RATE, help="first learning rate, falling to zero in a line")
    parser.add_argument("--after", metavar="NAME", help="go on from WORK/NAME.npz instead of the teacher's vectors")
    parser.add_argument("--name", default="vectors", help="the result is WORK/NAME.npz")
    parser.add_argument(
        "--weight", action="append", default=[], metavar="KIND=WEIGHT", help="how often a batch is of a kind"
    )
    parser.add_argument(
        "--hard", type=float, default=0.0, help="share of the span batches with BM25 neighbours as negatives"
    )
    parser.add_argument(
        "--everything", action="store_true", help="train on the development pairs, too: for the model that ships"
    )
    for name, value in vars(Spans()).items():
        parser.add_argument(f"--{name}", type=float, default=value)
    options = parser.parse_args()
    torch.set_num_threads(2)
    weights = {**WEIGHTS, **{kind: float(w) for kind, w in (item.split("=") for item in options.weight)}}
    spans = Spans(**{name: getattr(options, name) for name in vars(Spans())})
    with timed("Training"):
        sampler, first = load_sampler(
            options.work,
            weights=weights,
            spans=spans,
            batch=options.batch,
            hard=options.hard,
            everything=options.everything,
            seed=options.seed,
        )
        table = (
            Table.again(options.work / f"{options.after}.npz")
            if options.after
            else Table.first(first, sampler.frequency)
        )
        history = train(table, sampler, steps=options.steps, prefixes=options.prefixes, rate=options.rate)
        with (options.work / f"{options.name}.npz").open("wb") as file:
            np.savez(file, vectors=table.folded(), weights=table.weights.numpy())
        (options.work / f"{options.name}.json").write_text(json.dumps(history), "utf-8")


if __name__ == "__main__":
    main()
