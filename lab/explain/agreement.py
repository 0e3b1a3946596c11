"""How much two rankings agree: shared documents, Kendall's tau, rank-biased overlap.

All take the first k ids of each list; ids within a list are distinct.
"""

from __future__ import annotations

from collections.abc import Sequence

from lab.numeric import kendall


def shared(a: Sequence[str], b: Sequence[str]) -> int:
    """How many ids are in both."""
    return len(set(a) & set(b))


def kendall_tau(a: Sequence[str], b: Sequence[str]) -> float | None:
    """Kendall's tau over the shared ids: 1 the same order, -1 the reverse; None for fewer than two."""
    place = {x: i for i, x in enumerate(b)}
    common = [place[x] for x in a if x in place]
    return kendall(range(len(common)), common)


def rbo(a: Sequence[str], b: Sequence[str], *, p: float = 0.9) -> float:
    """Rank-biased overlap, extrapolated (RBO_ext): 1 for equal lists, 0 for disjoint ones.

    With agreement A_d = |a[:d] & b[:d]| / d over k = the shorter length:
    ``A_k p^k + (1 - p)/p * sum(A_d p^d)``.  Source: W. Webber, A. Moffat, J. Zobel, *A Similarity Measure
    for Indefinite Rankings*, 2010, equation 30 (lists cut to the same depth).
    """
    k = min(len(a), len(b))
    if k == 0:
        return 1.0 if len(a) == len(b) else 0.0
    agreement = [shared(a[:d], b[:d]) / d for d in range(1, k + 1)]
    total = sum(agreed * p**d for d, agreed in enumerate(agreement, 1))
    return agreement[-1] * p**k + (1 - p) / p * total
