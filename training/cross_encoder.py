"""Step 2 of the cross-encoder: train the layers of `lab.models.pair_reader` on the questions of step 1.

The right passage is to score above the wrong ones of its question (cross entropy over each list, and a little over each
pair, so that the number means something by itself).  A step is seeded by its number and every 500 steps leave a
checkpoint: started again, the training continues from it.  The model that is saved is a running mean of the weights, so
that it can be used after any of them.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from lab.models.pair_reader import FAR, Inputs, Kit, prepare, read_pairs
from lab.models.static import load_built_in
from training.material import arguments
from training.questions import KINDS, NEAREST
from training.weights import save, shapes

SHARES: Mapping[str, tuple[float, int, int]] = {
    "span": (0.42, 8, 8), "title": (0.06, 8, 8), "parallel": (0.14, 8, 8),
    "order": (0.16, 16, 4), "negation": (0.08, 16, 4), "relation": (0.14, 16, 4),
}  # fmt: skip
"""Of each kind: its share of the steps, questions of a step, and passages of a question."""
TEXTBOOK: Mapping[str, tuple[float, int, int]] = {
    "span": (0.12, 16, 6), "parallel": (0.1, 16, 6),
    "order": (0.2, 24, 4), "negation": (0.14, 24, 4), "relation": (0.44, 24, 4),
}  # fmt: skip
"""The same for a model of short sentences."""
RATE, WARM, SLOW = 1e-3, 300, 4000
"""Learning rate after the first steps, how many these are, and after how many it falls with their root."""
MEAN, PAIR = 0.999, 0.2
"""Of the running mean, how much stays at a step; the weight of the loss over single pairs."""
EVERY, LINE = 500, 50
KNOWN = 0.85
"""Share of the steps that know how rare words are in the corpus."""
TORCH = Kit(
    torch.concatenate, partial(torch.softmax, dim=-1), lambda x: functional.layer_norm(x, x.shape[-1:]), torch.relu
)

Weights = dict[str, torch.Tensor]


class Questions(NamedTuple):
    """What step 1 left."""

    flat: NDArray[np.int32]
    starts: NDArray[np.int64]
    examples: NDArray[np.int64]
    """Pool, kind, held out, and numbers of texts: question, right passage, changed one or -1, nearest passages."""
    rare: NDArray[np.float16]
    """How rare each token is in each pool, [pools, tokens]."""

    def lists(self, rows: NDArray[np.int64], passages: int, random: np.random.Generator) -> NDArray[np.int64]:
        """The question and so many passages of each example, the right one first, the changed one second."""
        examples = self.examples[rows]
        order = random.random((len(rows), NEAREST)).argsort(axis=1)
        wrong = np.take_along_axis(examples[:, 6:], order, axis=1)
        changed = np.where(examples[:, 5] < 0, wrong[:, -1], examples[:, 5])
        return np.column_stack([examples[:, 3:5], changed, wrong[:, : passages - 2]])

    def inputs(self, lists: NDArray[np.int64], table: NDArray[Any], pool: int | None) -> Inputs:
        """The pairs of each list, one list after the other; without a pool all tokens are equally rare."""
        rare = np.ones(len(table), np.float32) if pool is None else self.rare[pool].astype(np.float32)
        text = [self.flat[self.starts[i] : self.starts[i + 1]].tolist() for i in lists.ravel()]
        width = lists.shape[1]
        questions = [text[i] for i in range(0, len(text), width) for _ in range(width - 1)]
        return prepare(questions, [t for i, t in enumerate(text) if i % width], table, rare)


def first(dimensions: int, width: int, layers: int, seed: int) -> Weights:
    """Weights before the first step: the score is the built-in model's, two heads follow its matches, two the order."""
    random = torch.Generator().manual_seed(seed)
    weights = {}
    for name, shape in shapes(dimensions, width, layers).items():
        part = name.partition(".")[2] or name
        scale = {"far": 0.0, "up_bias": 0.0, "head_bias": 0.0, "score": 0.0, "features": 0.0, "match": 0.0}.get(
            part, 0.5 / math.sqrt(shape[0]) if part in ("out", "down") else 1 / math.sqrt(shape[0])
        )
        weights[name] = torch.randn(shape, generator=random) * scale
        if part == "match":
            weights[name][:2] = 6.0
        if part == "far":
            weights[name][2, FAR - 1] = weights[name][3, FAR + 1] = 3.0
    weights["features"][[0, 3, 9]] = torch.tensor([8.0, 4.0, 4.0])
    weights["bias"][:] = -9.0
    return weights


def scores(weights: Mapping[str, torch.Tensor], inputs: Inputs) -> torch.Tensor:
    result: torch.Tensor = read_pairs(weights, Inputs(*map(torch.from_numpy, inputs)), TORCH)[0]
    return result


class Training:
    """Weights, their running mean, and the optimizer, as they are after a number of steps."""

    def __init__(self, weights: Weights, *, short: bool = False) -> None:
        """With ``short`` the products are in bfloat16: half the time on processors that have it."""
        self.step, self.short = 0, short
        self.weights = {name: value.clone().requires_grad_() for name, value in weights.items()}
        self.mean = {name: value.clone() for name, value in weights.items()}
        self.optimizer = torch.optim.AdamW(self.weights.values(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)

    def save(self, file: Path) -> None:
        state = {"step": self.step, "mean": self.mean, "optimizer": self.optimizer.state_dict()}
        torch.save({**state, "weights": {n: w.detach() for n, w in self.weights.items()}}, file.with_suffix(".new"))
        os.replace(file.with_suffix(".new"), file)

    @classmethod
    def load(cls, file: Path, *, short: bool = False) -> Training:
        state = torch.load(file, weights_only=True)
        training = cls(state["weights"], short=short)
        training.step, training.mean = state["step"], state["mean"]
        training.optimizer.load_state_dict(state["optimizer"])
        return training

    def learn(self, inputs: Inputs, questions: int) -> float:
        """One step; the loss before it."""
        for group in self.optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (self.step + 1) / WARM, math.sqrt(SLOW / (self.step + 1)))
        with torch.autocast("cpu", torch.bfloat16, enabled=self.short):
            lists = scores(self.weights, inputs).float().reshape(questions, -1)
        right = torch.zeros_like(lists)
        right[:, 0] = 1
        loss = functional.cross_entropy(lists, right)
        loss = loss + PAIR * functional.binary_cross_entropy_with_logits(lists, right)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.weights.values(), 1.0)
        self.optimizer.step()
        self.step += 1
        keep = min(MEAN, self.step / (self.step + 10))
        with torch.no_grad():
            for name, value in self.mean.items():
                value.lerp_(self.weights[name], 1 - keep)
        return float(loss.detach())


def validate(
    weights: Weights, questions: Questions, table: NDArray[Any], most: int = 100
) -> dict[str, dict[str, float]]:
    """By kind, of held-out questions: how often the right passage is first, by the layers and by soft matching alone,
    and how often it is before the changed one.
    """
    rows: dict[str, dict[str, float]] = {}
    for number, kind in enumerate(KINDS):
        mine = np.flatnonzero((questions.examples[:, 1] == number) & (questions.examples[:, 2] == 1))
        mine = mine[np.random.default_rng(0).permutation(len(mine))[:most]]
        if not len(mine):
            continue
        mine = mine[questions.examples[mine, 0].argsort(kind="stable")]
        lists, pools = questions.lists(mine, 8, np.random.default_rng(1)), questions.examples[mine, 0]
        parts = []
        for part, place in ((i, p) for p in np.unique(pools) for i in np.array_split(lists[pools == p], 12)):
            if not len(part):
                continue
            inputs = questions.inputs(part, table, int(place))
            with torch.no_grad():
                parts.append(np.column_stack([scores(weights, inputs).numpy(), inputs.features[:, 0]]))
        layers, soft = np.concatenate(parts).reshape(len(lists), 8, 2).transpose(2, 0, 1)
        rows[kind] = {
            "first": float((layers[:, :1] > layers[:, 1:]).all(axis=1).mean()),
            "soft": float((soft[:, :1] > soft[:, 1:]).all(axis=1).mean()),
        }
        if (questions.examples[mine, 5] >= 0).all():
            rows[kind]["pair"] = float((layers[:, 0] > layers[:, 1]).mean())
    return rows


def train(
    training: Training,
    questions: Questions,
    table: NDArray[Any],
    work: Path,
    *,
    steps: int,
    seed: int,
    shares: Mapping[str, tuple[float, int, int]] = SHARES,
) -> None:
    """Trains up to a number of steps and leaves ``checkpoint.pt`` and ``reader.npz`` on the way."""
    pool, kind, held_out = questions.examples[:, :3].T
    rows = {
        (name, int(p)): mine
        for name in shares
        for p in np.unique(pool)
        if len(mine := np.flatnonzero((kind == KINDS.index(name)) & (pool == p) & (held_out == 0)))
    }
    kinds = [*rows]
    share = np.array([shares[name][0] * len(rows[name, p]) / sum(kind == KINDS.index(name)) for name, p in kinds])
    losses: dict[str, list[float]] = {}
    start, cpu = time.perf_counter(), time.process_time()
    while training.step < steps:
        random = np.random.default_rng([seed, training.step])
        name, place = kinds[random.choice(len(kinds), p=share / share.sum())]
        _, count, passages = shares[name]
        lists = questions.lists(random.choice(rows[name, place], count), passages, random)
        inputs = questions.inputs(lists, table, place if random.random() < KNOWN else None)
        losses.setdefault(name, []).append(training.learn(inputs, count))
        if training.step % LINE == 0:
            line = " ".join(f"{name} {np.mean(values):.3f}" for name, values in sorted(losses.items()))
            seconds, own = time.perf_counter() - start, time.process_time() - cpu
            print(f"step {training.step}  {seconds:.0f} s ({own:.0f} s of processor)  {line}", flush=True)
            losses = {}
        if training.step % EVERY == 0 or training.step == steps:
            training.save(work / "checkpoint.pt")
            save(work / "reader.npz", {name: value.numpy() for name, value in training.mean.items()})
            for name, row in validate(training.mean, questions, table).items():
                print(
                    f"  held out at {training.step}: {name:9}" + "".join(f" {k} {v:.3f}" for k, v in row.items()),
                    flush=True,
                )


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--steps", type=int, default=100_000, help="stop after so many steps in all")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--bfloat16", action="store_true", help="half the time where the processor has it")
    parser.add_argument("--textbook", action="store_true", help="for the questions of --textbook")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with np.load(options.work / "questions.npz") as arrays:
        questions = Questions(arrays["flat"], arrays["starts"], arrays["examples"], arrays["rare"])
    table, file = load_built_in().model.embedding, options.work / "checkpoint.pt"
    if file.exists():
        training = Training.load(file, short=options.bfloat16)
        print(f"goes on after step {training.step}", flush=True)
    else:
        weights = first(table.shape[1], options.width, options.layers, options.seed)
        training = Training(weights, short=options.bfloat16)
    shares = TEXTBOOK if options.textbook else SHARES
    train(training, questions, table, options.work, steps=options.steps, seed=options.seed, shares=shares)


if __name__ == "__main__":
    main()
