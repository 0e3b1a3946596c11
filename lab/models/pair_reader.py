"""A small cross-encoder that reads question and passage together, with numpy and the built-in model's vectors.

Beside its vector, each token has numbers from the built-in model: how well the other text matches it, where, and
whether the neighbours' matches are neighbours, too.  Cosines also enter the attention, so that the layers begin with
an alignment and have to learn what it lacks: the order of words and what belongs to what.

Source: R. Nogueira and K. Cho, *Passage Re-ranking with BERT*, 2019; biases of attention by distance as in C. Raffel
et al., *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*, 2020.  How a model is
trained: `training/README.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Progress
from lab.models.static import load_built_in

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

QUESTION, WINDOW, PASSAGE = 32, 95, 1024
"""Tokens of a question, of the part of a passage that the layers read, and of the part that the features cover."""
HEADS = 4
FAR = 16
"""Tokens further apart than this have the same bias of attention."""
CHANNELS, FEATURES = 9, 10
"""Numbers of a token beside its vector, and of a pair beside the layers."""


class Inputs(NamedTuple):
    """Pairs of question and passage, padded: n pairs, q and p tokens of the longest question and window."""

    vectors: Any
    """Unit vectors of the question's and the window's tokens, [n, q + p, dimensions]."""
    channels: Any
    """[n, q + p, `CHANNELS`]"""
    cosines: Any
    """Cosine of each question token with each token of the window, and back, [n, 1 + q + p, 1 + q + p]; else 0."""
    known: Any
    """1 for a token, 0 for padding, [n, q + p]."""
    weights: Any
    """The share of each question token, [n, q]: as in `lab.refine.coverage.MaxSim`, its rarity times its length."""
    features: Any
    """[n, `FEATURES`], of the passage as a whole."""
    places: Any
    """Places of the window's tokens in the passage, [n, p]."""


class Reading(NamedTuple):
    """What the layers make of pairs: their inputs, the scores [n], and the attention as `read_pairs` returns it."""

    inputs: Inputs
    scores: Floats
    attention: list[Floats]


def padded(texts: Sequence[Sequence[int]], longest: int) -> Ints:
    """Returns token numbers as one array, [texts, tokens of the longest], with 0 at the end of shorter texts."""
    width = max([1, *(min(len(text), longest) for text in texts)])
    numbers = np.zeros((len(texts), width), np.int64)
    for row, text in zip(numbers, texts, strict=True):
        row[: min(len(text), longest)] = text[:longest]
    return numbers


def prepare(
    questions: Sequence[Sequence[int]], passages: Sequence[Sequence[int]], table: NDArray[Any], rare: Floats
) -> Inputs:
    """Returns the pairs as the layers read them; ``table`` and ``rare`` have a row for each token number.

    Token number 0 is padding; ``rare`` is how rare a token is in the corpus, 0 to 1, or 1 everywhere.
    """
    question, passage = padded(questions, QUESTION), padded(passages, PASSAGE)
    q, q_length = _unit(question, table)
    p, p_length = _unit(passage, table)
    cosines = np.matmul(q, p.transpose(0, 2, 1))
    exact = (question[:, :, None] == passage[:, None]) & (question > 0)[:, :, None]
    plain, weights = _shares(q_length), _shares(q_length * rare[question])
    place = _window(cosines, weights)
    row = np.arange(len(passage))[:, None]
    near = np.take_along_axis(cosines, place[:, None], axis=2)
    same = np.take_along_axis(exact, place[:, None], axis=2)
    known = np.concatenate([question > 0, passage[row, place] > 0], axis=1)
    best = cosines.max(axis=2).clip(0)
    light = weights < weights.sum(axis=1, keepdims=True) / np.maximum((weights > 0).sum(axis=1, keepdims=True), 1)
    length = (passage > 0).sum(axis=1)
    features = [(share * best).sum(axis=1) for share in (weights, _shares(weights**2), plain)]
    features += [(weights * part).sum(axis=1) for part in (exact.any(axis=2), best**2, near.max(axis=2).clip(0))]
    features += [(best + light).min(axis=1), np.log1p(length) / 7, length > WINDOW]
    features += [_cosine(np.einsum("ntd,nt->nd", q, q_length), np.einsum("ntd,nt->nd", p, p_length))]
    matches = np.where((question > 0)[:, :, None] & (passage[row, place] > 0)[:, None], near, -1)
    matched = np.take_along_axis(weights, near.argmax(axis=1), axis=1) * 4
    back = matches.transpose(0, 2, 1), same.transpose(0, 2, 1)
    of_question = _channels(matches, same, q_length, rare[question], best)
    of_passage = _channels(*back, p_length[row, place], rare[passage[row, place]], matched)
    channels = np.concatenate([of_question, of_passage], axis=1) * known[..., None]
    vectors = np.concatenate([q, p[row, place]], axis=1)
    width, both = 1 + question.shape[1], np.zeros((len(near), *[1 + known.shape[1]] * 2), np.float32)
    both[:, 1:width, width:] = near
    both[:, width:, 1:width] = near.transpose(0, 2, 1)
    whole = np.stack(features, 1).astype(np.float32)
    return Inputs(vectors, channels, both, known.astype(np.float32), weights, whole, place)


def _unit(numbers: Ints, table: NDArray[Any]) -> tuple[Floats, Floats]:
    """Returns the tokens' vectors at length 1 and their lengths; zeros for padding."""
    rows = table[numbers].astype(np.float32) * (numbers > 0)[..., None]
    lengths = np.sqrt(np.einsum("ntd,ntd->nt", rows, rows))
    return rows / np.maximum(lengths, 1e-9)[..., None], lengths


def _shares(weights: Floats) -> Floats:
    return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-9))


def _cosine(a: Floats, b: Floats) -> Floats:
    return np.asarray((a * b).sum(axis=1) / np.maximum(np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1), 1e-9))


def _window(cosines: Floats, weights: Floats) -> Ints:
    """Returns the places of the part of each passage that matches the question best, [n, at most `WINDOW`]."""
    gains = np.einsum("nq,nqp->np", weights, cosines.clip(0) ** 4)
    width = min(WINDOW, gains.shape[1])
    sums = np.pad(gains.cumsum(axis=1), ((0, 0), (1, 0)))
    return np.asarray((sums[:, width:] - sums[:, :-width]).argmax(axis=1)[:, None] + np.arange(width))


def _channels(cosines: Floats, exact: NDArray[np.bool_], lengths: Floats, rare: Floats, last: Floats) -> Floats:
    """Returns the channels of one side, [n, own tokens, `CHANNELS`], from its matches in the other, [n, own, other]."""
    best, match = cosines.max(axis=2), cosines.argmax(axis=2).astype(np.float32)
    steps = np.tanh((np.diff(match, axis=1) - 1) / 3) * ((lengths[:, 1:] > 0) & (lengths[:, :-1] > 0))
    place = np.broadcast_to(np.arange(match.shape[1]) / 32, match.shape)
    before, after = (np.pad(steps, ((0, 0), sides)) for sides in ((1, 0), (0, 1)))
    weight = np.log(np.maximum(lengths, 1)) / 5
    columns = [best, exact.any(axis=2), weight, place, match / 32, before, after, rare, last]
    return np.stack(columns, axis=2).astype(np.float32)


class Kit(NamedTuple):
    """What the layers need and numpy and torch call differently."""

    concatenate: Callable[..., Any]
    softmax: Callable[[Any], Any]
    standardise: Callable[[Any], Any]
    rectify: Callable[[Any], Any]


def _softmax(x: Floats) -> Floats:
    x -= x.max(axis=-1, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=-1, keepdims=True)
    return x


def _standardise(x: Floats) -> Floats:
    """Returns the last axis with mean 0 and variance 1."""
    x = x - x.mean(axis=-1, keepdims=True)
    return np.asarray(x / np.sqrt(np.einsum("...d,...d->...", x, x)[..., None] / x.shape[-1] + 1e-5))


NUMPY = Kit(np.concatenate, _softmax, _standardise, lambda x: np.maximum(x, 0, out=x))


def distances(q: int, p: int) -> Ints:
    """Returns the number of the bias between each two places of start, question and window, [1 + q + p, 1 + q + p]."""
    place = np.arange(1 + q + p)
    side = (place > 0) + (place > q) * 1
    apart = (place - place[:, None]).clip(-FAR, FAR) + FAR
    return np.where(side == side[:, None], apart, 2 * FAR + 1 + side[:, None])


def read_pairs(weights: Mapping[str, Any], inputs: Inputs, kit: Kit = NUMPY) -> tuple[Any, list[Any]]:
    """Returns the score of each pair, [n], and the attention of each layer, [n, heads, tokens that look, tokens].

    The last layer looks only from the start and the question.  Arrays are numpy's or torch's, as ``kit`` has it.
    """
    n, q = inputs.weights.shape
    p = inputs.known.shape[1] - q
    width = weights["start"].shape[0]
    words = inputs.vectors @ weights["words"]
    sides = [inputs.channels[:, :q] @ weights["question"] + weights["question_side"]]
    sides += [inputs.channels[:, q:] @ weights["passage"] + weights["passage_side"]]
    start = weights["start"] + 0 * words[:, :1]
    x = kit.concatenate([start, words + kit.concatenate(sides, axis=1)], axis=1)
    hidden = kit.concatenate([0 * inputs.known[:, :1], inputs.known * 1e4 - 1e4], axis=1)[:, None, None]
    number = distances(q, p)
    layers = sum(name.endswith("out") for name in weights)
    attention = []
    for layer in range(layers):
        layer_weights = {
            name: weights[f"{layer}.{name}"] for name in ("in", "out", "far", "match", "up", "up_bias", "down")
        }
        look = 1 + q + p if layer + 1 < layers else 1 + q
        parts = (kit.standardise(x) @ layer_weights["in"]).reshape(n, 1 + q + p, 3, HEADS, width // HEADS)
        asks, keys, values = (parts[:, :, i].swapaxes(1, 2) for i in range(3))
        scores = asks[:, :, :look] @ keys.swapaxes(2, 3) * (width // HEADS) ** -0.5 + hidden
        scores = scores + layer_weights["match"][:, None, None] * inputs.cosines[:, None, :look]
        scores = scores + layer_weights["far"][:, number[:look]]
        attention.append(kit.softmax(scores))
        x = x[:, :look] + (attention[-1] @ values).swapaxes(1, 2).reshape(n, look, width) @ layer_weights["out"]
        x = x + kit.rectify(kit.standardise(x) @ layer_weights["up"] + layer_weights["up_bias"]) @ layer_weights["down"]
    x = kit.standardise(x)
    mean = (x[:, 1 : 1 + q] * inputs.weights[..., None]).sum(axis=1)
    both = kit.concatenate([x[:, 0], mean, inputs.features], axis=1)
    head = kit.rectify(both @ weights["head"] + weights["head_bias"])
    return head @ weights["score"] + inputs.features @ weights["features"] + weights["bias"], attention


def load(file: Path) -> dict[str, Floats]:
    """Reads weights: matrices in eight bits have a scale per column."""
    with np.load(file) as arrays:
        names = [name for name in arrays.files if not name.endswith(" scale")]
        return {n: arrays[n] * arrays[f"{n} scale"] if f"{n} scale" in arrays else arrays[n] for n in names}


class PairReader:
    """A model of this kind, ready to score: a `lab.models.cross_encoders.Scorer`."""

    def __init__(self, file: Path) -> None:
        self.name, self.weights, self.encoder = file.stem, load(file), load_built_in()
        self.rare = np.ones(len(self.encoder.model.embedding), np.float32)
        """How rare each token is in the corpus; at first all are equally rare."""

    def read(self, questions: Sequence[Sequence[int]], passages: Sequence[Sequence[int]]) -> Reading:
        """Reads each question with its passage, both as token numbers."""
        inputs = prepare(questions, passages, self.encoder.model.embedding, self.rare)
        return Reading(inputs, *read_pairs(self.weights, inputs))

    def scores(
        self,
        query: str,
        texts: Sequence[str],
        *,
        batch_size: int = 32,
        activation: str = "logit",
        progress: Progress | None = None,
    ) -> NDArray[np.float64]:
        """Returns the score of every (query, text), in the order of the texts."""
        from scipy.special import expit

        question, *passages = self.encoder.numbers([query, *texts])
        logits = np.zeros(len(texts))
        for i in range(0, len(texts), batch_size):
            batch = passages[i : i + batch_size]
            logits[i : i + batch_size] = self.read([question] * len(batch), batch).scores
            if progress:
                progress(i + len(batch), len(texts))
        return np.asarray(expit(logits)) if activation == "sigmoid" else logits
