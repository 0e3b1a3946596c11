"""Batches for training: pairs of bags of tokens, one group a batch, made of whole arrays.

A bag is two parallel arrays (row, token); the order of its tokens does not matter to a static model, so
leaving out, adding and translating tokens are masks and concatenations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from training.material import Pair, kind_of

Ints = NDArray[np.int64]

WEIGHTS = {
    "dictionary": 2.0, "definition": 1.0, "parallel": 2.0,
    "synonym": 0.7, "english": 1.0, "title_zh": 1.2, "title_en": 0.4,
    "near_zh": 0.5, "near_en": 0.3, "span_zh": 3.0, "span_en": 2.0, "distillation": 3.0,
}  # fmt: skip
"""How often a batch is of a kind."""

QUESTION_WORDS = {
    "zh": "什么 谁 哪里 哪儿 哪个 哪些 怎么 怎样 如何 为什么 为何 多少 几 吗 呢 何时 是否 请问 可以 能 应该 需要 是 "
    "有 的",
    "en": "what who whom whose which when where why how many much long often is are was were do does did can should "
    "the of in",
}


class Texts(NamedTuple):
    """Many texts as token numbers end to end; text i is flat[starts[i]:starts[i + 1]]; equal texts share a number."""

    flat: NDArray[np.int32]
    starts: Ints
    number: Ints

    def bag(self, rows: Ints) -> Bag:
        """The texts of these rows as one bag, numbered from 0."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        row = np.repeat(np.arange(len(rows)), lengths)
        place = np.arange(len(row)) + np.repeat(self.starts[rows] - (np.cumsum(lengths) - lengths), lengths)
        return Bag(row, self.flat[place].astype(np.int64), len(rows))

    def followed_by(self, other: Texts) -> Texts:
        starts = np.concatenate([self.starts, other.starts[1:] + self.starts[-1]])
        return Texts(np.concatenate([self.flat, other.flat]), starts, np.concatenate([self.number, other.number]))


class Bag(NamedTuple):
    """Tokens of `size` texts: token[i] belongs to text row[i]."""

    row: Ints
    token: Ints
    size: int

    def where(self, mask: NDArray[np.bool_]) -> Bag:
        return Bag(self.row[mask], self.token[mask], self.size)

    def plus(self, other: Bag) -> Bag:
        return Bag(np.concatenate([self.row, other.row]), np.concatenate([self.token, other.token]), self.size)

    def counts(self) -> Ints:
        return np.bincount(self.row, minlength=self.size)


class Batch(NamedTuple):
    """Left and right texts that belong together row by row; on the right a teacher's vectors may stand."""

    kind: str
    left: Bag
    right: Bag | NDArray[np.float32]


@dataclass(frozen=True)
class Translations:
    """Single tokens and what the dictionaries give for them, as token sequences."""

    first: Ints
    count: Ints
    starts: Ints
    flat: Ints

    @classmethod
    def of(cls, groups: Mapping[str, list[Texts]], size: int, *, longest: int = 3) -> Translations:
        """From all dictionary pairs with a single token on one side and at most `longest` on the other."""
        found: list[set[tuple[int, ...]]] = [set() for _ in range(size)]
        for group, sides in groups.items():
            if kind_of(group) != "dictionary" or group == "cedict":  # CC-CEDICT explains rather than translates
                continue
            for here, there in (sides, sides[::-1]):
                singles = np.flatnonzero(np.diff(here.starts) == 1)
                lengths = np.diff(there.starts)[singles]
                for i in singles[(lengths > 0) & (lengths <= longest)]:
                    found[here.flat[here.starts[i]]].add(
                        tuple(there.flat[there.starts[i] : there.starts[i + 1]].tolist())
                    )
        sequences = [sequence for choices in found for sequence in sorted(choices)]
        count = np.array([len(choices) for choices in found], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum([len(s) for s in sequences], dtype=np.int64)]).astype(np.int64)
        return cls(np.cumsum(count) - count, count, starts, np.array([t for s in sequences for t in s], dtype=np.int64))

    def translate(self, bag: Bag, rows: NDArray[np.bool_], random: np.random.Generator) -> Bag:
        """The bag with tokens of the marked rows replaced by a translation: half of a row's tokens, or all."""
        share = np.where(random.random(bag.size) < 0.5, 0.5, 1.0) * rows
        chosen = (random.random(len(bag.token)) < share[bag.row]) & (self.count[bag.token] > 0)
        token = bag.token[chosen]
        pick = self.first[token] + (random.random(len(token)) * self.count[token]).astype(np.int64)
        said = Texts(self.flat.astype(np.int32), self.starts, self.starts).bag(pick)
        return bag.where(~chosen).plus(Bag(bag.row[chosen][said.row], said.token, bag.size))


@dataclass(frozen=True)
class Spans:
    """How a question is cut from a paragraph."""

    contiguous: float = 0.5
    """Share of questions that are 2 to 12 tokens in a row; the others are up to 6 scattered ones."""
    rarity: float = 0.5
    """Scattered tokens are drawn with probability (1 / frequency) to this power: 0 evenly, 0.5 rare ones first."""
    kept: float = 0.8
    """Share of questions whose tokens stay in the paragraph."""
    translated: float = 0.5
    asked: float = 0.6
    """Shares of questions with words put into the other language, and with one to three question words."""

    def cut(self, bag: Bag, rare: NDArray[np.float64], random: np.random.Generator) -> tuple[Bag, Bag]:
        """(questions, paragraphs) from a bag of paragraphs of at least four tokens."""
        lengths = bag.counts()
        place = np.arange(len(bag.row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        size = np.minimum(random.integers(2, 13, bag.size), lengths - 1)
        start = (random.random(bag.size) * (lengths - size + 1)).astype(np.int64)
        row = (place >= start[bag.row]) & (place < (start + size)[bag.row])
        # Weighted sampling without replacement: the largest keys u^(1/w) of every row (Efraimidis and Spirakis 2006).
        key = np.log(random.random(len(bag.token))) / rare[bag.token] ** self.rarity
        order = np.lexsort((-key, bag.row))
        rank = np.empty_like(order)
        rank[order] = place
        scattered = rank < np.minimum(random.integers(1, 7, bag.size), lengths - 1)[bag.row]
        asked = np.where((random.random(bag.size) < self.contiguous)[bag.row], row, scattered)
        removed = asked & (random.random(bag.size) >= self.kept)[bag.row]
        return bag.where(asked), bag.where(~removed)


def neighbours(texts: Texts, size: int, *, count: int = 7, common: float = 0.01) -> Ints:
    """The `count` texts nearest to each by BM25, shape [n, count]: hard negatives.

    Tokens that stand in more than `common` of the texts are left out, which makes it quick.  A text with too
    few neighbours is filled up with itself.
    """
    found = nearest(texts, texts, size, count=count, common=common, itself=False)
    return np.where(found < 0, np.arange(len(found))[:, None], found)


def nearest(
    questions: Texts, texts: Texts, size: int, *, count: int, common: float = 0.01, itself: bool = True
) -> Ints:
    """The `count` texts nearest to each question by BM25 (k1 1.2, b 0.75), shape [questions, count]; -1 where there are
    fewer.  Without ``itself``, text i is no answer to question i.
    """
    n = len(texts.number)
    lengths = np.diff(texts.starts)
    counts = _counted(texts, size)
    row = np.repeat(np.arange(n), np.diff(counts.indptr))
    df = np.bincount(counts.indices, minlength=size)
    idf = np.where((df > 0) & (df <= max(2, common * n)), np.log1p((n - df + 0.5) / (df + 0.5)), 0).astype(np.float32)
    asked = _counted(questions, size)
    asked.data = idf[asked.indices]
    asked.eliminate_zeros()
    tf = counts.data
    counts.data = (
        tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * (lengths / max(1.0, lengths.mean()))[row])) * idf[counts.indices]
    ).astype(np.float32)
    counts.eliminate_zeros()
    answers = counts.T.tocsr()
    out = np.full((len(questions.number), count), -1)
    for i in range(0, len(out), 1000):
        scores = asked[i : i + 1000] @ answers
        for j in range(scores.shape[0]):
            found, value = (part[scores.indptr[j] : scores.indptr[j + 1]] for part in (scores.indices, scores.data))
            value = value if itself else np.where(found == i + j, 0, value)
            best = found[np.argpartition(-value, count)[:count]] if len(found) > count else found
            out[i + j, : len(best)] = best
    return out


def _counted(texts: Texts, size: int) -> Any:
    """The token counts as a sparse matrix, [texts, size]."""
    from scipy.sparse import csr_array

    ones = np.ones(len(texts.flat), np.float32)
    counts = csr_array((ones, texts.flat.astype(np.int64), texts.starts), shape=(len(texts.number), size))
    counts.sum_duplicates()
    return counts


@dataclass
class Sampler:
    """Draws batches for ever."""

    groups: Mapping[str, list[Texts]]
    taught: Texts
    vectors: NDArray[np.floating[Any]]
    tokenizer: Tokenizer
    batch: int = 2048
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    spans: Spans = Spans()
    hard: float = 0.0
    """Share of the span batches that are made of texts with their neighbours."""
    seed: int = 0

    def __post_init__(self) -> None:
        self.size = self.tokenizer.get_vocab_size()
        counts = np.zeros(self.size)
        for group in self.groups.values():
            for side in group:
                counts += np.bincount(side.flat, minlength=self.size)
        self.frequency = (counts + 1) / (counts.sum() + self.size)
        self.rare = 1e-5 / (1e-5 + self.frequency)
        self.translations = Translations.of(self.groups, self.size)
        self.questions = {
            language: np.array(
                [i for word in words.split() for i in self.tokenizer.encode(word).ids if i], dtype=np.int64
            )
            for language, words in QUESTION_WORDS.items()
        }
        kinds: dict[str, list[str]] = {}
        for group, texts in self.groups.items():
            if len(texts[0].number) >= 2:
                kinds.setdefault(kind_of(group), []).append(group)
        self.kinds = kinds
        spans = [name for kind, names in kinds.items() if kind.startswith("span") for name in names]
        self.near = {name: neighbours(self.groups[name][0], self.size) for name in spans} if self.hard > 0 else {}

    def __iter__(self) -> Iterator[Batch]:
        random = np.random.default_rng(self.seed)
        kinds = [
            kind for kind in self.weights if self.weights[kind] > 0 and (kind in self.kinds or kind == "distillation")
        ]
        p = np.array([self.weights[kind] for kind in kinds])
        while True:
            kind = kinds[random.choice(len(kinds), p=p / p.sum())]
            batch = self.distillation(random) if kind == "distillation" else self.draw(kind, random)
            if batch.left.size > 1:
                yield batch

    def draw(self, kind: str, random: np.random.Generator) -> Batch:
        """A batch of one group of this kind, groups in proportion to the root of their sizes."""
        names = self.kinds[kind]
        roots = np.array([len(self.groups[name][0].number) for name in names]) ** 0.5
        name = names[random.choice(len(names), p=roots / roots.sum())]
        sides = self.groups[name]
        least = 5 if kind.startswith("span") else 1
        rows = random.permutation(len(sides[0].number))[: self.batch]
        if name in self.near and random.random() < self.hard:
            seeds = rows[: max(1, self.batch // 8)]
            rows = np.unique(np.concatenate([seeds, self.near[name][seeds].ravel()]))
        for side in sides:
            rows = rows[side.starts[rows + 1] - side.starts[rows] >= least]
            # A text stands in a batch once: the same answer twice would be its own negative.
            rows = rows[np.sort(np.unique(side.number[rows], return_index=True)[1])]
        if kind.startswith("span"):
            return self.question(kind, sides[0].bag(rows), random)
        return Batch(kind, sides[0].bag(rows), sides[1].bag(rows))

    def question(self, kind: str, paragraphs: Bag, random: np.random.Generator) -> Batch:
        asked, paragraphs = self.spans.cut(paragraphs, self.rare, random)
        switched = random.random(asked.size) < self.spans.translated
        asked = self.translations.translate(asked, switched, random)
        language = kind.rpartition("_")[2]
        other = "en" if language == "zh" else "zh"
        for name, rows in ((language, ~switched), (other, switched)):
            count = np.where(
                (random.random(asked.size) < self.spans.asked) & rows, random.integers(1, 4, asked.size), 0
            )
            row = np.repeat(np.arange(asked.size), count)
            asked = asked.plus(Bag(row, random.choice(self.questions[name], len(row)), asked.size))
        return Batch(kind, asked, paragraphs)

    def distillation(self, random: np.random.Generator) -> Batch:
        rows = random.permutation(len(self.taught.number))[: self.batch]
        rows = rows[self.taught.starts[rows + 1] > self.taught.starts[rows]]
        return Batch("distillation", self.taught.bag(rows), self.vectors[rows].astype(np.float32))


def load(*paths: Path) -> dict[str, list[Texts]]:
    """The groups as the tokenizer step saved them; of several files, one after the other."""
    groups: dict[str, list[Texts]] = {}
    for path in paths:
        with np.load(path) as arrays:
            for name in sorted({name.rpartition("/")[0] for name in arrays.files}):  # group/0, group/1
                texts = Texts(*(arrays[f"{name}/{part}"] for part in ("flat", "starts", "text")))
                group, _, side = name.partition("/")
                sides = groups.setdefault(group, [])
                if len(sides) > int(side):
                    sides[int(side)] = sides[int(side)].followed_by(texts)
                else:
                    sides.append(texts)
    return groups


def groups_of(tokenizer: Tokenizer, pairs: Mapping[str, list[Pair]]) -> dict[str, list[Texts]]:
    """The same straight from pairs (for small material)."""
    from training.tokenizer import encode, text_number

    return {
        group: [
            Texts(
                *encode(tokenizer, [pair[side] for pair in rows]),
                np.array([text_number(pair[side]) for pair in rows], dtype=np.int64),
            )
            for side in range(len(rows[0]))
        ]
        for group, rows in pairs.items()
        if rows
    }
