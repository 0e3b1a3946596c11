"""Cosine bands: where the cosines of related and of unrelated texts of a corpus lie, under each embedding model.

Related texts are the questions of a corpus and the passages judged relevant to them; unrelated ones are drawn at random
from its questions and passages, without the judged pairs.  A corpus without judgments has other pairs: a passage with
the passage nearest to it by words (BM25), and random passages.  Every model is measured on the same pairs, and words
choose the neighbours, so that no model is measured on pairs of its own choice.

A cosine is that of a question with a whole passage.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lab.algebra import Corpus, Progress, Query, Runner
from lab.corpus.beir import Collection
from lab.models.embedders import Embedder, Encoder, Vectors, encoder_of, rows_for
from lab.numeric import Floats, unit
from lab.retrieve.lexical import BM25

MOST = 400
"""Maximum number of related pairs."""
UNRELATED = 1000
"""Maximum number of unrelated pairs."""
PASSAGES = 100
"""Maximum number of passages whose neighbours are looked for, if nothing is judged."""
COMMON = 0.5
"""A cosine that at least this share of the unrelated pairs reach says nothing."""
RARE = 0.05
"""A cosine that at most this share of the pairs reach is rare among them."""
TRIES = 20
"""Random pairs drawn per unrelated pair before drawing ends: in a small corpus, few pairs may be unrelated."""
AT_ONCE = 8
"""Passages embedded between two reports of progress."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of a text and a passage, as positions in ``texts`` and in the corpus.

    ``texts`` are questions if ``judged``, else passages.
    """

    judged: bool
    texts: tuple[str, ...]
    related: tuple[tuple[int, int], ...]
    unrelated: tuple[tuple[int, int], ...]

    @property
    def passages(self) -> tuple[int, ...]:
        """The positions of the passages in some pair, ascending."""
        return tuple(sorted({passage for _text, passage in (*self.related, *self.unrelated)}))


def pairs_of(collection: Collection, *, seed: int = 0) -> Pairs:
    """Returns related and unrelated pairs of a collection, the same ones for the same seed."""
    rng = random.Random(seed)
    if collection.judged:
        return _judged_pairs(collection, rng)
    return _neighbouring_pairs(collection.corpus, rng)


def _judged_pairs(collection: Collection, rng: random.Random) -> Pairs:
    positions, queries = collection.corpus.positions, collection.judged
    grades = {(i, positions[d]) for i, q in enumerate(queries) for d in collection.relevant(q.id) if d in positions}
    related = _sample(sorted(grades), MOST, rng)
    drawn = ((rng.randrange(len(queries)), rng.randrange(len(positions))) for _ in range(TRIES * UNRELATED))
    texts = tuple(query.text for query in queries)
    return Pairs(True, texts, related, _first(drawn, grades) if positions else ())


def _neighbouring_pairs(corpus: Corpus, rng: random.Random) -> Pairs:
    places = _sample([(i, i) for i, document in enumerate(corpus) if document.content.strip()], PASSAGES, rng)
    runner, related = Runner(corpus, explain=False), list[tuple[int, int]]()
    texts = tuple(corpus.documents[i].content for i, _ in places)
    for number, ((own, _), text) in enumerate(zip(places, texts, strict=True)):
        for hit in runner(BM25(), Query(text), 10).hits:
            if hit.document.content != text and corpus.positions[hit.document.id] != own:
                related.append((number, corpus.positions[hit.document.id]))
                break
    same = {(n, i) for n, text in enumerate(texts) for i, document in enumerate(corpus) if document.content == text}
    drawn = ((rng.randrange(len(texts)), rng.randrange(len(corpus))) for _ in range(TRIES * UNRELATED if texts else 0))
    return Pairs(False, texts, tuple(related), _first(drawn, same | set(related)))


def _sample(pairs: Sequence[tuple[int, int]], most: int, rng: random.Random) -> tuple[tuple[int, int], ...]:
    return tuple(pairs) if len(pairs) <= most else tuple(sorted(rng.sample(pairs, most)))


def _first(drawn: Iterator[tuple[int, int]], without: set[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Returns the first different pairs that are drawn, ``without`` some."""
    kept = dict[tuple[int, int], None]()
    for pair in drawn:
        if len(kept) == UNRELATED:
            break
        if pair not in without:
            kept[pair] = None
    return tuple(kept)


@dataclass(frozen=True)
class Band:
    """The cosines of the pairs of both kinds that have vectors, under one model; ``missing`` pairs have none."""

    related: tuple[float, ...]
    unrelated: tuple[float, ...]
    missing: int

    @cached_property
    def median(self) -> float:
        return float(np.median(self.related))

    @property
    def overlap(self) -> float:
        """The share of unrelated pairs whose cosine is above the median of the related ones."""
        return sum(x > self.median for x in self.unrelated) / len(self.unrelated)

    def reached(self, cosine: float) -> tuple[float, float]:
        """Returns the shares of related and of unrelated pairs with at least this cosine."""
        related, unrelated = (sum(x >= cosine for x in side) / len(side) for side in (self.related, self.unrelated))
        return related, unrelated

    def meaning(self, cosine: float) -> str:
        """Returns what a cosine says under this model: ``nothing``, ``high``, ``related`` or ``unclear``.

        ``nothing``: most unrelated pairs reach it, too; ``high``: hardly any related pair reaches it; ``related``:
        hardly any unrelated pair does, and more of the related ones.
        """
        related, unrelated = self.reached(cosine)
        if unrelated >= COMMON:
            return "nothing"
        if related <= RARE:
            return "high"
        return "related" if unrelated <= RARE else "unclear"

    def __bool__(self) -> bool:
        return bool(self.related and self.unrelated)


def quantiles(cosines: Sequence[float]) -> tuple[float, float, float, float, float]:
    """Returns the cosines below which 5%, 25%, 50%, 75% and 95% lie."""
    low, first, middle, third, high = np.quantile(cosines, (0.05, 0.25, 0.5, 0.75, 0.95)).tolist()
    return low, first, middle, third, high


def band_of(embedder: Embedder, pairs: Pairs, corpus: Corpus, progress: Progress | None = None) -> Band:
    """Returns the cosines of the pairs under a model.  Raises `ModelError` if it cannot read one of the texts."""
    encoder = encoder_of(embedder, corpus, progress=progress)
    places = pairs.passages
    texts, rows = unit(_texts(encoder, pairs)), unit(_passages(embedder, corpus, places, progress))
    row_of = {place: i for i, place in enumerate(places)}
    related, unrelated = (_cosines(side, texts, rows, row_of) for side in (pairs.related, pairs.unrelated))
    return Band(related, unrelated, len(pairs.related) + len(pairs.unrelated) - len(related) - len(unrelated))


def _texts(encoder: Encoder, pairs: Pairs) -> Vectors:
    if not pairs.texts:
        return np.zeros((0, 0), np.float32)
    return encoder.queries(pairs.texts) if pairs.judged else encoder.documents(pairs.texts)


def _passages(embedder: Embedder, corpus: Corpus, places: Sequence[int], progress: Progress | None) -> Vectors:
    """Returns the vectors of these passages, a few at a time, so that the visitor can stop."""
    documents, blocks = [corpus.documents[i] for i in places], list[Vectors]()
    for i in range(0, len(documents), AT_ONCE):
        blocks.append(rows_for(embedder, documents[i : i + AT_ONCE], corpus))
        if progress:
            progress(min(i + AT_ONCE, len(documents)), len(documents))
    return np.concatenate(blocks) if blocks else np.zeros((0, 0), np.float32)


def _cosines(
    pairs: Sequence[tuple[int, int]], texts: Floats, rows: Floats, row_of: dict[int, int]
) -> tuple[float, ...]:
    """Returns the cosines of the pairs in which both sides have a vector."""
    return tuple(
        float(texts[text] @ rows[row_of[place]])
        for text, place in pairs
        if texts[text].any() and rows[row_of[place]].any()
    )
