r"""Measures of a list that count what is new: subtopics covered, and a reader who stops when satisfied.

With rel_s(d) = 1 if document d is judged relevant for subtopic s, and c_s(r) the number of earlier results for it:

- ``alpha_nDCG@k``: the gain at rank r is :math:`\sum_s rel_s (1-\alpha)^{c_s}`, discounted by log2(1 + r), as a share
  of a list that takes the best gain at every rank (that is not always the best list, which is hard to find).
- ``ERR_IA@k``: the same gains, divided by r and by the number of subtopics, over
  :math:`\sum_{r \le k} (1-\alpha)^{r-1} / r` with :math:`\alpha` = 0.5.  This is ndeval's, under which ir-measures and
  TREC report it; the intent-aware ERR of Chapelle et al. (2011) has another formula and other values.
- ``StRecall@k``: the share of the subtopics that the first k results cover.
- ``ERR@k``: a reader goes down the list and stops at grade g with probability (2^g - 1) / 2^max, where max is the
  highest grade of the judgments; the mean of one over the rank of the stop (0 without one).
- ``RBP(p=0.8,rel=1)``: a reader goes on with probability p: :math:`(1-p) \sum_r p^{r-1} [g_r \ge rel]`.  Without
  ``rel``, results from grade 1 on count; in ir-measures this name stands for a graded RBP, which none of its providers
  computes.

Sources: C. Clarke et al., *Novelty and Diversity in Information Retrieval Evaluation*, SIGIR 2008,
doi:10.1145/1390334.1390446; C. Zhai, W. Cohen, J. Lafferty, *Beyond independent relevance*, SIGIR 2003; O. Chapelle et
al., *Expected reciprocal rank for graded relevance*, CIKM 2009, doi:10.1145/1645953.1646033; A. Moffat, J. Zobel,
*Rank-biased precision for measurement of retrieval effectiveness*, ACM TOIS 2008, doi:10.1145/1416950.1416952.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

Subtopics = Mapping[str, Mapping[str, int]]
"""Of one question: the grades of documents by subtopic."""
_NOVELTY = ("alpha_nDCG", "ERR_IA", "StRecall")
OF_SUBTOPICS = (*_NOVELTY, "alpha_DCG", "AP_IA", "nERR_IA", "NRBP", "nNRBP", "P_IA")
"""The measures that need subtopics.  pyndeval computes those that are not in `NAMES`."""
NAMES = (*_NOVELTY, "ERR", "RBP")
"""The measures that this module computes."""
SAME = 1e-12
DEEPEST = 1000
"""Rank from which on a halved gain is 0."""


def covered(subtopics: Subtopics, rel: int = 1) -> dict[str, tuple[str, ...]]:
    """Returns the subtopics of every relevant document, in the order of the subtopics."""
    by_document: dict[str, tuple[str, ...]] = {}
    for subtopic, grades in subtopics.items():
        for document, grade in grades.items():
            if grade >= rel:
                by_document[document] = (*by_document.get(document, ()), subtopic)
    return by_document


def new_subtopics(ids: Sequence[str], subtopics: Subtopics) -> dict[str, tuple[str, ...]]:
    """Returns, for every document of a list that has any, the subtopics that no earlier result covers."""
    topics, seen, fresh = covered(subtopics), set[str](), dict[str, tuple[str, ...]]()
    for document in ids:
        new = tuple(s for s in topics.get(document, ()) if s not in seen)
        seen.update(new)
        if new:
            fresh[document] = new
    return fresh


def novelty_gains(ids: Iterable[str], topics: Mapping[str, Sequence[str]], alpha: float) -> list[float]:
    """Returns the gain of every result: a subtopic counts (1 - alpha) times as much at each repetition."""
    counts, gains = Counter[str](), []
    for document in ids:
        own = topics.get(document, ())
        gains.append(math.fsum((1 - alpha) ** counts[s] for s in own))
        counts.update(own)
    return gains


def ideal_order(topics: Mapping[str, Sequence[str]], k: int, alpha: float) -> list[str]:
    """Returns documents by the best gain at every rank; of equal gains the last by id, as ndeval does."""
    left, counts, order = sorted(topics, reverse=True), Counter[str](), list[str]()
    while left and len(order) < k:
        gains = {d: math.fsum((1 - alpha) ** counts[s] for s in topics[d]) for d in left}
        best = max(gains.values())
        chosen = next(d for d in left if gains[d] > best - SAME)
        order.append(chosen)
        left.remove(chosen)
        counts.update(topics[chosen])
    return order


def alpha_ndcg(ids: Sequence[str], subtopics: Subtopics, k: int, alpha: float = 0.5, rel: int = 1) -> float:
    """Returns the discounted gain of new subtopics, as a share of an ideal list; 0 without a relevant document."""
    topics = covered(subtopics, rel)
    ideal = _discounted(novelty_gains(ideal_order(topics, k, alpha), topics, alpha))
    return _discounted(novelty_gains(ids[:k], topics, alpha)) / ideal if ideal else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def err_ia(ids: Sequence[str], subtopics: Subtopics, k: int, rel: int = 1) -> float:
    """Returns ndeval's intent-aware ERR; 0 without a relevant document."""
    topics, alpha = covered(subtopics, rel), 0.5
    total = len({s for own in topics.values() for s in own})
    gains = novelty_gains(ids[:k], topics, alpha)
    best = math.fsum((1 - alpha) ** (rank - 1) / rank for rank in range(1, min(k, DEEPEST) + 1))
    return math.fsum(gain / rank for rank, gain in enumerate(gains, 1)) / total / best if total else 0.0


def subtopic_recall(ids: Sequence[str], subtopics: Subtopics, k: int, rel: int = 1) -> float:
    """Returns the share of the subtopics that the first results cover; 0 if no document covers any."""
    topics = covered(subtopics, rel)
    every = {s for own in topics.values() for s in own}
    return len({s for d in ids[:k] for s in topics.get(d, ())}) / len(every) if every else 0.0


def err(ids: Sequence[str], grades: Mapping[str, int], k: int, highest: int) -> float:
    """Returns the expected reciprocal rank at which a reader stops; ``highest`` is the highest possible grade."""
    going_on, total = 1.0, 0.0
    for rank, document in enumerate(ids[:k], 1):
        stops = (2 ** max(0, grades.get(document, 0)) - 1) / 2**highest
        total += going_on * stops / rank
        going_on *= 1 - stops
    return total


def rbp(ids: Sequence[str], grades: Mapping[str, int], p: float = 0.8, rel: int = 1) -> float:
    """Returns the share of relevant results, where the result at each rank weighs p times the one before."""
    return (1 - p) * math.fsum(p**rank for rank, document in enumerate(ids) if grades.get(document, 0) >= rel)
