"""Fusions, which merge rankings: reciprocal rank fusion, Borda count, weighted sums of scores, sums by membership.

All but `BestScore` are sums with one component per list, so `Hit.why` names each list with the document's rank, and
`explain` gives every number of the formula.  A list that does not have a document adds nothing to it.

Sources: G. Cormack, C. Clarke, S. Büttcher, *Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank
Learning Methods*, SIGIR 2009, doi:10.1145/1571941.1572114; E. Fox and J. Shaw, *Combination of Multiple Searches*,
TREC-2, 1993 (sums of scores).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, Self, TypeVar, cast

from lab.algebra import Contribution, Fusion, Hit, Later, Operator, Ranking, Stage, in_order, knob, must
from lab.errors import ParameterError
from lab.formula import Formula, n
from lab.words import N_, Said

TINY = 1e-9
"""A smaller spread of scores counts as zero: every score of such a list is normalised to 0."""
HEAVIEST = 1_000_000
"""The largest weight of a list."""

N = TypeVar("N", float, Fraction)
WEIGHTS = partial(
    knob,
    (),
    kind="numbers",
    label=Said("Weights"),
    help=Said("One weight per list, separated by commas. Empty: equal weights."),
)


@dataclass(frozen=True, slots=True)
class ListPart:
    """The component of one list in one document's fused score, with every number of its formula.

    ``rank`` and ``score`` are the document's in that list (None if the list does not have it);
    ``value = weight * share``, with the share 1 / (k + rank) for RRF and the normalised score for a sum, times the
    number of lists that have the document (``lists``) for `ByMembership`.  In Qdrant's form of RRF the weight is inside
    the fraction, and ``share`` is the value at weight 1.  The list has ``length`` documents.
    """

    list: str
    weight: float
    rank: int | None
    score: float | None
    share: float
    value: float
    length: int
    lists: int = 0


class Additive(Fusion):
    """A fusion whose score is a sum, with one component from every list that has the document.

    Subclasses define the components of each result of each list (`addends`), also without rounding (`exact_addends`,
    which decides ties), and how a component is computed (`formula`).
    """

    @abstractmethod
    def addends(self, rankings: Sequence[Ranking]) -> Sequence[Sequence[float]]:
        """Returns the component of each result of each list: one sequence per list, in the order of its results."""

    def exact_addends(self, rankings: Sequence[Ranking]) -> Sequence[Sequence[Fraction]]:
        """Returns the components without rounding."""
        return [list(map(Fraction, values)) for values in self.addends(rankings)]

    def formula(self, part: ListPart) -> Formula:
        """Returns the formula of the component of a list that has the document."""
        return n(part.value)

    def fuse(self, rankings: Sequence[Ranking]) -> Sequence[Hit]:
        first: dict[str, Hit] = {}
        parts: dict[str, list[tuple[int, int, float]]] = {}  # the list, the rank in it, the component
        for of, (ranking, addends) in enumerate(zip(rankings, self.addends(rankings), strict=True)):
            for rank, (hit, value) in enumerate(zip(ranking.hits, addends, strict=True), 1):
                doc_id = hit.document.id
                if ranking.rank(doc_id) != rank:  # in the list twice: the first rank counts
                    continue
                first.setdefault(doc_id, hit)
                parts.setdefault(doc_id, []).append((of, rank, value))
        scores = {i: math.fsum(value for _, _, value in contributions) for i, contributions in parts.items()}
        # components are rounded: without rounding, equal scores are exactly equal; a sum of zeros is 0 anyway
        if near := {i for i in _near_ties(scores) if any(value for _, _, value in parts[i])}:
            scores |= {i: float(s) for i, s in self._exact_scores(rankings, near).items()}
        names = list_names(rankings)
        hits = [Hit(h.document, scores[i], Later(partial(_addends, names, parts[i]))) for i, h in first.items()]
        return in_order(hits, *rankings)

    def _exact_scores(self, rankings: Sequence[Ranking], ids: set[str]) -> dict[str, Fraction]:
        scores = dict.fromkeys(ids, Fraction(0))
        for ranking, addends in zip(rankings, self.exact_addends(rankings), strict=True):
            for rank, (doc_id, value) in enumerate(zip(ranking.ids, addends, strict=True), 1):
                if doc_id in scores and ranking.rank(doc_id) == rank:
                    scores[doc_id] += value
        return scores

    def explain(self, rankings: Sequence[Ranking], doc_id: str) -> tuple[ListPart, ...]:
        """Returns one `ListPart` per list for this document, including lists without it."""
        return tuple(
            self._part(name, ranking, doc_id, addends)
            for name, ranking, addends in zip(list_names(rankings), rankings, self.addends(rankings), strict=True)
        )

    @staticmethod
    def _part(name: str, ranking: Ranking, doc_id: str, addends: Sequence[float]) -> ListPart:
        rank, hit = ranking.rank(doc_id), ranking.hit(doc_id)
        value = addends[rank - 1] if rank else 0.0
        return ListPart(name, 1.0, rank, hit.score if hit else None, value, value, len(ranking))


class ShareSum(Additive):
    """A document's score is the sum over the lists of weight times share.

    ``weights`` has one number per list; without weights every list counts `unweighted`.  A list of weight 0 adds
    nothing, but its documents are in the result; those that no other list has get score 0.  Raises
    `ParameterError` for weights that are negative, above `HEAVIEST` or all zero, and, when called, for a number
    of weights that is not the number of lists.
    """

    weights: tuple[float, ...]  # a field of the subclasses, each in its own position

    def __post_init__(self) -> None:
        super().__post_init__()
        for weight in self.weights:
            message = N_("A weight is {value}, but must be a number from 0 to {most}.")
            must(0 <= weight <= HEAVIEST, message, value=weight, most=f"{HEAVIEST:,}")
        if self.weights and not any(self.weights):
            raise ParameterError(Said("All weights are 0."), Said("Give at least one list a weight above 0."))

    def unweighted(self, lists: int) -> float:
        """Returns the weight of every list if none are given."""
        return 1.0

    @abstractmethod
    def shares(self, ranking: Ranking) -> Sequence[float]:
        """Returns the component of each result of this list at weight 1, in the order of the results."""

    def exact(self, ranking: Ranking) -> Sequence[Fraction]:
        """Returns the shares without rounding."""
        return [Fraction(share) for share in self.shares(ranking)]

    def exact_shares(self, rankings: Sequence[Ranking]) -> Sequence[Sequence[Fraction]]:
        """Returns the components at weight 1 without rounding, which decide the tipping points of two documents."""
        return [self.exact(ranking) for ranking in rankings]

    def weights_for(self, lists: int) -> tuple[float, ...]:
        """Returns one weight per list.  Raises `ParameterError` if the numbers of weights and lists differ."""
        if not self.weights:
            return (self.unweighted(lists),) * lists
        if len(self.weights) != lists:
            message = Said("Weights given: {given}, lists: {lists}.", given=len(self.weights), lists=lists)
            raise ParameterError(message, Said("Give one weight per list, or none at all."))
        return self.weights

    def weighted(self, weights: Sequence[float]) -> Self:
        return cast(Self, replace(cast(Any, self), weights=tuple(weights)))

    def addends(self, rankings: Sequence[Ranking]) -> Sequence[Sequence[float]]:
        pairs = zip(self.weights_for(len(rankings)), rankings, strict=True)
        return [[weight * share for share in self.shares(ranking)] for weight, ranking in pairs]

    def exact_addends(self, rankings: Sequence[Ranking]) -> Sequence[Sequence[Fraction]]:
        pairs = zip(map(Fraction, self.weights_for(len(rankings))), self.exact_shares(rankings), strict=True)
        return [[weight * share for share in shares] for weight, shares in pairs]

    def explain(self, rankings: Sequence[Ranking], doc_id: str) -> tuple[ListPart, ...]:
        parts, weights = super().explain(rankings, doc_id), self.weights_for(len(rankings))
        lists = sum(part.rank is not None for part in parts)
        shares = [self.shares(r)[p.rank - 1] if p.rank else 0.0 for p, r in zip(parts, rankings, strict=True)]
        rows = zip(parts, weights, shares, strict=True)
        return tuple(replace(part, weight=weight, share=share, lists=lists) for part, weight, share in rows)

    def formula(self, part: ListPart) -> Formula:
        """Returns the formula of the component of a list that has the document."""
        return n(part.weight) * n(part.share)


class ByMembership(ShareSum):
    """A sum that is multiplied by the number of lists with the document."""

    def addends(self, rankings: Sequence[Ranking]) -> Sequence[Sequence[float]]:
        return _times_lists(rankings, super().addends(rankings))

    def exact_shares(self, rankings: Sequence[Ranking]) -> Sequence[Sequence[Fraction]]:
        return _times_lists(rankings, super().exact_shares(rankings))

    @abstractmethod
    def share_formula(self, part: ListPart) -> Formula:
        """Returns the formula of the share of a list that has the document."""

    def formula(self, part: ListPart) -> Formula:
        return n(part.lists) * n(part.weight) * self.share_formula(part)


def _times_lists(rankings: Sequence[Ranking], addends: Sequence[Sequence[N]]) -> Sequence[Sequence[N]]:
    """Multiplies each component by the number of lists that have its document."""
    lists = Counter(doc_id for ranking in rankings for doc_id in set(ranking.ids))

    def times(ranking: Ranking, values: Sequence[N]) -> list[N]:
        return [lists[doc_id] * value for doc_id, value in zip(ranking.ids, values, strict=True)]

    return [times(ranking, values) for ranking, values in zip(rankings, addends, strict=True)]


def _addends(names: Sequence[str], parts: Sequence[tuple[int, int, float]]) -> list[Contribution]:
    template = N_("{list} rank {rank}")
    return [Contribution(Said(template, list=names[of], rank=rank), value, of) for of, rank, value in parts]


@dataclass(frozen=True)
class RRF(ShareSum):
    r"""Reciprocal rank fusion: ``sum over lists of w / (k + rank)``, ranks from 1.

    Without weights every w is 1, as in the paper.  The larger k, the less the rank in a list counts, and
    the more it counts to be in many lists.

    Vector databases write the same name over another formula.  ``form="qdrant"`` is ``1 / (rank / w + k - 1)``: the
    weight stretches the ranks of a list instead of multiplying what it adds, so the first places of a heavy and of a
    light list differ little.  Without weights it is the paper's with k - 1 instead of k (Qdrant's default k, 2, is
    k = 1 here).  Needs k of 1 or more; a list of weight 0 adds nothing.
    """

    about = Said("Adds up 1 / (k + rank): only ranks count, the top ones most.")

    k: int = knob(
        60,
        Said("k"),
        Said(
            "The larger k, the less ranks count and the more being in several lists counts. The original paper uses 60."
        ),
        low=0,
        high=1000,
        step=1,
    )
    weights: tuple[float, ...] = WEIGHTS()
    form: str = knob(
        "paper",
        Said("Formula"),
        Said("The paper's formula, or Qdrant's: there a weight stretches ranks instead of multiplying scores."),
        choices={"paper": Said("w / (k + rank)"), "qdrant": Said("1 / (rank / w + k − 1)")},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        message = N_("k is {value}, but must be 1 or more in Qdrant's formula.")
        must(self.form == "paper" or self.k >= 1, message, value=self.k)

    @property
    def constant(self) -> int:
        """The constant that is added to a rank at weight 1."""
        return self.k if self.form == "paper" else self.k - 1

    def shares(self, ranking: Ranking) -> Sequence[float]:
        return [1 / (self.constant + rank) for rank in range(1, len(ranking) + 1)]

    def exact(self, ranking: Ranking) -> Sequence[Fraction]:
        return [Fraction(1, self.constant + rank) for rank in range(1, len(ranking) + 1)]

    def addends(self, rankings: Sequence[Ranking]) -> Sequence[Sequence[float]]:
        if self.form == "paper":
            return super().addends(rankings)
        return [list(map(float, values)) for values in self.exact_addends(rankings)]

    def exact_addends(self, rankings: Sequence[Ranking]) -> Sequence[Sequence[Fraction]]:
        if self.form == "paper":
            return super().exact_addends(rankings)
        pairs = zip(map(Fraction, self.weights_for(len(rankings))), rankings, strict=True)
        return [[w / (rank + w * self.constant) for rank in range(1, len(ranking) + 1)] for w, ranking in pairs]

    def formula(self, part: ListPart) -> Formula:
        rank = n(part.rank or 0)
        if self.form == "paper" or not part.weight:
            return n(part.weight) / (n(self.k) + rank)
        stretched = rank if part.weight == 1 else rank / n(part.weight)
        return n(1) / (stretched + n(self.k) - n(1))


@dataclass(frozen=True)
class Borda(ShareSum):
    """Borda count: in a list of n documents, the first gets n / n, the next (n - 1) / n, the last 1 / n.

    Only places count, and every step down costs the same: where RRF says that the first place is worth much more than
    the second, Borda says that they are neighbours.  Without weights every list counts 1.  A list without the document
    gives it nothing (Aslam and Montague divide what is left of a list's points among those that it does not have).

    Source: J.-C. de Borda, 1781; J. Aslam and M. Montague, *Models for Metasearch*, SIGIR 2001,
    doi:10.1145/383952.384007.
    """

    label = Said("Borda count")
    about = Said("Adds, for each list, the share of results ranked lower. Only ranks count; each rank costs the same.")

    weights: tuple[float, ...] = WEIGHTS()

    def shares(self, ranking: Ranking) -> Sequence[float]:
        return [float(share) for share in self.exact(ranking)]

    def exact(self, ranking: Ranking) -> Sequence[Fraction]:
        return [Fraction(left, len(ranking)) for left in range(len(ranking), 0, -1)]

    def formula(self, part: ListPart) -> Formula:
        return n(part.weight) * ((n(part.length) - n(part.rank or 0) + n(1)) / n(part.length))


NORMALISATIONS = {
    "min-max": Said("min–max"),
    "min-max-1": Said("min–max, equal scores 1"),
    "z-score": Said("z-score"),
    "max": Said("by maximum"),
    "sum": Said("by sum"),
    "l2": Said("by length (L2)"),
    "3-sigma": Said("3 sigma"),
    "none": Said("none"),
}
NORMALISATION = partial(
    knob,
    "min-max",
    choices=NORMALISATIONS,
    label=Said("Normalisation"),
    help=Said("Score normalisation. None: raw scores, which are on different scales."),
)


@dataclass(frozen=True)
class WeightedSum(ShareSum):
    r"""The sum over lists of ``w`` times the normalised score.  Without weights every w is 1 / lists.

    =========  =================================================
    min-max    (s - min) / (max - min)
    min-max-1  the same; 1 if all scores of the list are equal
    z-score    (s - mean) / standard deviation (of the whole list)
    max        s / max; 0 if no score of the list is positive
    sum        (s - min) / sum of all (s - min)
    l2         s / root of the sum of all s²
    3-sigma    (s - mean + 3 sd) / (6 sd), with n - 1 in sd
    none       s: weighting such scores is weighting their units
    =========  =================================================

    As in ranx, with two corners to know: the last document of a list adds nothing under min-max and sum,
    so a list of one document adds nothing at all.  OpenSearch's min-max gives the last one 0.001 instead, and a single
    one 1; Weaviate's ``relativeScoreFusion`` gives equal scores, and so a single one, 1, which is ``min-max-1``.
    ``l2`` is as in OpenSearch, ``3-sigma`` is Qdrant's
    distribution-based score fusion (DBSF): an average score gets 0.5, as does every score of a list whose scores are
    all equal, and a score further than three standard deviations away lies outside 0 to 1.
    """

    counts_scores = True
    label = Said("Weighted sum")
    about = Said("Adds up scores after normalising them.")

    weights: tuple[float, ...] = WEIGHTS()
    normalisation: str = NORMALISATION()

    def unweighted(self, lists: int) -> float:
        return 1 / lists

    def shares(self, ranking: Ranking) -> Sequence[float]:
        return normalise([hit.score for hit in ranking.hits], self.normalisation)

    def exact(self, ranking: Ranking) -> Sequence[Fraction]:
        return exactly_normalised(ranking, self.normalisation)


@dataclass(frozen=True)
class CombMNZ(ByMembership):
    r"""Multiplies the sum of the normalised scores by the number of lists that contain the document.

    ``found(d) * sum over lists of w * normalised score``; without weights every w is 1, as in the paper.  It prefers
    documents that several searches find: one first place in a single list counts less than middling ranks in two.

    Source: E. Fox and J. Shaw, *Combination of Multiple Searches*, TREC-2, 1993 (dblp conf/trec/FoxS93).
    """

    about = Said("Adds normalised scores and multiplies the sum by the number of lists that contain the document.")

    weights: tuple[float, ...] = WEIGHTS()
    normalisation: str = NORMALISATION()

    def shares(self, ranking: Ranking) -> Sequence[float]:
        return normalise([hit.score for hit in ranking.hits], self.normalisation)

    def exact(self, ranking: Ranking) -> Sequence[Fraction]:
        return exactly_normalised(ranking, self.normalisation)

    def share_formula(self, part: ListPart) -> Formula:
        return n(part.share)


@dataclass(frozen=True)
class ISR(ByMembership):
    r"""Inverse square rank: ``found(d) * sum over lists of w / rank²``.

    Only ranks count, as in RRF, but they fall much faster (rank 2 is worth a quarter of rank 1), and being in several
    lists multiplies the whole sum.  Without weights every w is 1, as in the paper.

    Source: A. Mourão, F. Martins and J. Magalhães, *Multimodal medical information retrieval with unsupervised rank
    fusion*, 2015 (doi 10.1016/j.compmedimag.2014.05.006).
    """

    technique = Said("Inverse square rank (ISR)")
    about = Said("Adds up 1 / rank² and multiplies the sum by the number of lists that contain the document.")

    weights: tuple[float, ...] = WEIGHTS()

    def shares(self, ranking: Ranking) -> Sequence[float]:
        return [1 / rank**2 for rank in range(1, len(ranking) + 1)]

    def exact(self, ranking: Ranking) -> Sequence[Fraction]:
        return [Fraction(1, rank**2) for rank in range(1, len(ranking) + 1)]

    def share_formula(self, part: ListPart) -> Formula:
        rank = n(part.rank or 1)
        return n(1) / (rank * rank)


def normalise(scores: Sequence[float], by: str) -> list[float]:
    """Normalises the scores of one list; ``by`` is one of `NORMALISATIONS` (see `WeightedSum`)."""
    if not scores or by == "none":
        return list(scores)
    zero, scale = _frame(scores, by, math.fsum)
    return [(s - zero) / scale for s in scores] if scale > TINY else [_same(by)] * len(scores)


def _same(by: str) -> float:
    """Returns the normalised score if all scores of a list are equal."""
    return {"3-sigma": 0.5, "min-max-1": 1.0}.get(by, 0.0)


def exactly_normalised(ranking: Ranking, by: str) -> Sequence[Fraction]:
    """Normalises the scores of a list without rounding, except for methods with a root, which is not a fraction."""
    if by in ("z-score", "3-sigma", "l2") or not ranking.hits:
        return [Fraction(share) for share in normalise([hit.score for hit in ranking.hits], by)]
    scores = [Fraction(hit.score) for hit in ranking.hits]
    ends = [Fraction(end(hit.score for hit in ranking.hits)) for end in (min, max)]  # fractions compare slowly
    zero, scale = _frame(scores if by == "sum" else ends, by, sum)
    return [(s - zero) / scale for s in scores] if scale > TINY else [Fraction(_same(by))] * len(scores)


def _frame(scores: Sequence[Any], by: str, total: Callable[[Iterable[Any]], Any]) -> tuple[Any, Any]:
    """Returns the zero and the unit of the common scale; ``total`` adds up numbers of their kind."""
    low, high = min(scores), max(scores)
    if by in ("none", "max"):
        return 0, 1 if by == "none" else high
    if by in ("min-max", "min-max-1", "sum"):
        return low, total(s - low for s in scores) if by == "sum" else high - low
    if by == "l2":
        return 0, math.hypot(*scores)
    mean = total(scores) / len(scores)
    squares = total((s - mean) ** 2 for s in scores)
    if by == "3-sigma":
        deviation = math.sqrt(squares / max(len(scores) - 1, 1))
        return mean - 3 * deviation, 6 * deviation
    return mean, math.sqrt(squares / len(scores))


def _near_ties(scores: Mapping[str, float]) -> set[str]:
    """Returns the documents whose scores differ from another one's by no more than rounding."""
    neighbours = pairwise(sorted(scores, key=scores.__getitem__))
    near = ((a, b) for a, b in neighbours if scores[b] - scores[a] <= 1e-12 * max(1.0, abs(scores[b])))
    return {document for pair in near for document in pair}


@dataclass(frozen=True)
class BestScore(Fusion):
    """Gives every document its best score in any list.  Meant for lists of one retriever.

    Scores of different queries are not comparable: the vaguest rewrite can win, which this fusion demonstrates.
    """

    counts_scores = True
    label = Said("Best score")
    about = Said("Takes the best score. Scores of different queries are not comparable: the vaguest rewrite can win.")

    def fuse(self, rankings: Sequence[Ranking]) -> Sequence[Hit]:
        best: dict[str, Hit] = {}
        for of, (name, ranking) in enumerate(zip(list_names(rankings), rankings, strict=True)):
            for hit in ranking.hits:
                known = best.get(hit.document.id)
                if known is None or hit.score > known.score:
                    best[hit.document.id] = Hit(hit.document, hit.score, (Contribution(name, hit.score, of),))
        return in_order(list(best.values()), *rankings)


def order_warnings(fused: Ranking) -> tuple[Said, ...]:
    """Returns a sentence for each fused list whose order is not that of its scores, if the fusion counts scores."""
    if not getattr(fused.made_by, "counts_scores", False):
        return ()
    message = N_("“{list}”: its order is not that of its scores. This fusion counts the scores.")
    named = zip(list_names(fused.parents), fused.parents, strict=True)
    rising = (name for name, r in named if any(b.score > a.score for a, b in pairwise(r.hits)))
    return tuple(Said(message, list=name) for name in rising)


def list_names(rankings: Sequence[Ranking]) -> tuple[str, ...]:
    """Names the lists: by the rewrite that they were searched with, or else by the label of their retriever.

    Rewrites are numbered within their kind, retrievers if several have the same label.  A list that stages refined is
    named after its retriever: “Top 5” would not distinguish two lists.
    """
    kinds = [r.query.kind for r in rankings]
    labels = [kind or _found_by(r).label for kind, r in zip(kinds, rankings, strict=True)]
    often, seen = Counter(labels), Counter[str]()
    names: list[str] = []
    for kind, label in zip(kinds, labels, strict=True):
        seen[label] += 1
        if kind and kind != "original":
            names.append(Said("{kind} {number}", kind=kind, number=seen[label]))
        else:
            names.append(Said("{list} ({number})", list=label, number=seen[label]) if often[label] > 1 else label)
    return tuple(names)


def _found_by(ranking: Ranking) -> Operator:
    while isinstance(ranking.made_by, Stage) and ranking.parents:
        ranking = ranking.parents[0]
    return ranking.made_by
