"""The order of a list: by score, best first, and what decides between equal scores.

Equal scores are ordered by what the order of a file cannot change: the better rank in the lists that were merged or
reranked, then a hash of the document's id.  Every list of the lab is sorted here.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import groupby
from typing import TYPE_CHECKING

from lab.algebra.nouns import Corpus, Hit, Ranking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MANY = 1000
"""From so many equal scores on, the hashes of all ids are computed once and cached with the corpus."""


def tie_key(doc_id: str) -> int:
    """Returns the number that orders documents with equal scores: a hash of the id, the same in every process."""
    return int.from_bytes(blake2b(doc_id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def in_order(hits: Sequence[Hit], *lists: Ranking) -> tuple[Hit, ...]:
    """Returns the hits by score, best first; equal scores by their best rank in these lists, then by `tie_key`."""
    best_ranks = dict[str, int]()
    for ranking in lists:
        for rank, doc_id in enumerate(ranking.ids):
            best_ranks[doc_id] = min(rank, best_ranks.get(doc_id, rank))
    last = len(best_ranks)

    def score_and_rank(hit: Hit) -> tuple[float, int]:
        return -hit.score, best_ranks.get(hit.document.id, last)

    ordered = list[Hit]()
    for _, group in groupby(sorted(hits, key=score_and_rank), key=score_and_rank):
        tied = list(group)
        ordered += sorted(tied, key=lambda hit: tie_key(hit.document.id)) if len(tied) > 1 else tied
    return tuple(ordered)


def tied_groups(scores: Sequence[float]) -> list[tuple[int, int]]:
    """Returns (start, end) of each group of equal scores; none if the list is not in the order of its scores."""
    groups, start = list[tuple[int, int]](), 0
    for i in range(1, len(scores) + 1):
        if i < len(scores) and scores[i] > scores[i - 1]:
            return []
        if i == len(scores) or scores[i] < scores[start]:
            if i - start > 1:
                groups.append((start, i))
            start = i
    return groups


def ties(ranking: Ranking) -> list[tuple[int, int]]:
    """Returns (start, end) of each group of results that have equal scores and are ordered as `in_order` orders them.

    A list in another order (that of an engine's answer, or the best results at both ends) has none.
    """
    groups = tied_groups([hit.score for hit in ranking.hits])
    given = getattr(ranking.evidence, "ranked", False)
    return [] if given or (groups and in_order(ranking.hits, *ranking.parents) != ranking.hits) else groups


def best_first(
    scores: NDArray[np.floating], places: NDArray[np.integer], corpus: Corpus, k: int | None = None
) -> NDArray[np.int64]:
    """Returns the indices of the ``k`` best of these scores (None: of all), best first; equal scores by `tie_key`.

    ``places`` are the positions of the scored documents in the corpus.
    """
    import numpy as np

    order = np.arange(len(scores))
    if k is not None and len(scores) > k:
        order = np.flatnonzero(scores >= np.partition(scores, len(scores) - k)[len(scores) - k])
    order = order[np.argsort(-scores[order], kind="stable")]
    falling = scores[order]
    equal = falling[1:] == falling[:-1]
    if equal.any():
        tied = np.flatnonzero(np.append(equal, False) | np.append(False, equal))
        keys = _tie_keys(places[order[tied]], corpus)
        order[tied] = order[tied][np.lexsort((keys, -falling[tied]))]
    return order[:k]


def _tie_keys(places: NDArray[np.integer], corpus: Corpus) -> NDArray[np.uint64]:
    import numpy as np

    if len(places) < MANY or corpus.elsewhere:
        return np.array([tie_key(corpus.documents[i].id) for i in places.tolist()], np.uint64)
    every = corpus.once(("tie keys",), lambda: np.array([tie_key(d.id) for d in corpus], np.uint64))
    return np.asarray(every[places])
