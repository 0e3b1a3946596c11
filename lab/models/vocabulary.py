"""The vocabulary of a static model: the nearest words of a word, and the words that it does not know.

For any `StaticEncoder` (the built-in model, model2vec models): its vocabulary is a table of vectors, so that
neighbours can be looked up, and words outside of it can be counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus, counted, one_of
from lab.models.rows import Rows
from lab.models.static import StaticEncoder
from lab.numeric import unit
from lab.text import cutting, is_han

SCRIPTS = ("han", "latin")
_WORDS = cutting(mode="precise", single=True)
AT_ONCE = 2048
"""Words tokenized at once."""


class Neighbour(NamedTuple):
    """A word of the vocabulary with its cosine to the query, and its vector's row."""

    word: str
    cosine: float
    row: int


@dataclass(eq=False)
class Vocabulary:
    """The vocabulary of a static model: ``words`` (n), and the ``rows`` that they have in the model's ``table``."""

    encoder: StaticEncoder
    words: tuple[str, ...]
    rows: NDArray[np.int64]
    table: Rows

    @staticmethod
    def of(encoder: StaticEncoder) -> Vocabulary:
        """Returns the whole words of a model's vocabulary, without word pieces and single letters."""
        model = encoder.model
        words = [token.removeprefix("▁") for token in model.tokens]
        whole = (i for i, w in enumerate(words) if is_han(w) or len(w) > 1 and w.isalpha())
        rows = np.array([i for i in whole if i != model.unk_token_id], np.int64)
        places = model.token_mapping[rows] if model.token_mapping is not None else rows
        return Vocabulary(encoder, tuple(words[i] for i in rows.tolist()), places, Rows.of(model.embedding))

    def nearest(self, text: str, *, script: str, k: int = 12) -> tuple[Neighbour, ...]:
        """Returns the words of one script nearest to a text by cosine, without its own; none for an unknown text."""
        one_of("script", script, SCRIPTS)
        counted("k", k)
        vector = unit(self.encoder.queries([text]))[0]
        if not vector.any():
            return ()
        excluded = set(self.encoder.tokens(text)[0]) | {text.strip().lower()}
        scores = self.table.near(vector)[0][self.rows]
        order = ((self.words[i], i) for i in np.argsort(-scores, kind="stable").tolist())
        fits = ((w, i) for w, i in order if w not in excluded and is_han(w) == (script == "han"))
        return tuple(Neighbour(word, float(scores[i]), i) for word, i in islice(fits, k))


@dataclass(frozen=True)
class Unknown:
    """Statistics of the words in a corpus that a model does not know.

    ``words`` were checked in all, ``unseen`` have a part without a vector in the model,
    ``broken`` fall into three pieces or more (names, codes: their vector is a patchwork).
    ``examples`` are the most frequent of both with their counts.
    """

    words: int
    unseen: int
    broken: int
    examples: tuple[tuple[str, int], ...]

    @property
    def share(self) -> float:
        """The share of words that are unseen or broken, 0 to 1."""
        return (self.unseen + self.broken) / self.words if self.words else 0.0


def unknown(encoder: StaticEncoder, corpus: Corpus, *, examples: int = 20) -> Unknown:
    """Counts the words of this corpus that the model does not know."""
    counts = Counter(word for document in corpus for word in _WORDS.tokens(document.content))
    words = list(counts)
    unk = encoder.model.unk_token_id
    cut = chain.from_iterable(  # some at a time: other threads wait for the tokenizer
        encoder.model.tokenizer.encode_batch_fast(words[i : i + AT_ONCE], add_special_tokens=False)
        for i in range(0, len(words), AT_ONCE)
    )
    unseen, broken = Counter[str](), Counter[str]()
    for word, encoding in zip(words, cut, strict=True):
        if not encoding.ids or (unk is not None and unk in encoding.ids):
            unseen[word] = counts[word]
        elif len(encoding.ids) >= 3:
            broken[word] = counts[word]
    unfamiliar = Counter({word: counts[word] for word in words if word in unseen or word in broken})
    return Unknown(counts.total(), unseen.total(), broken.total(), tuple(unfamiliar.most_common(examples)))
