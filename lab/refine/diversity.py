"""Maximal marginal relevance: near the query, and not near what was picked before.

`MMR` is the stage.  `replay` shows its picks one by one: what every candidate had to offer, what it lost by
being close to which earlier pick, and between which values of lambda the picks stay as they are.  Those
values are exact: with the earlier picks given, every candidate's value is a straight line in lambda.

Source: J. Carbonell and J. Goldstein, *The Use of MMR, Diversity-Based Reranking for Reordering Documents and
Producing Summaries*, 1998; picks as LangChain's ``maximal_marginal_relevance``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from lab.algebra import ALONE, Contribution, Document, Drop, Env, Hit, Later, Outcome, Ranking, Stage, fraction, knob
from lab.errors import ParameterError
from lab.models.embedders import Embedder, vectors_for
from lab.models.static import EMBEDDER
from lab.numeric import Floats, cosines
from lab.words import N_, Said

SAME = 1e-12
"""Two values of lambda nearer than this are one."""


@dataclass(frozen=True)
class MMR(Stage):
    r"""Picks ``k`` of the first ``fetch_k`` documents, each time the one with the largest

    ``lambda_mult * cos(query, d) - (1 - lambda_mult) * max over the picks p of cos(d, p)``.

    The first pick is the nearest to the query, whatever lambda is.  That value is the score, its two terms
    are its components.  Ties go to the document that was ahead in the list.  lambda 1 is plain similarity, 0 looks
    at differences only.

    With ``relevance`` "list", the score in the list stands for the cosine with the query: from 0 for the last of the
    candidates to 1 for the first (min-max).  A stage then works on what the searches before it found: a passage that
    only its words have put on top is not lost because its vector is far from the query's.
    """

    inputs = ("question", "scores", "texts")
    about = Said("Picks passages similar to the query and different from earlier picks.")

    lambda_mult: float = fraction(
        0.5, Said("λ"), Said("1: only similarity to the query counts. 0: only difference from the earlier picks.")
    )
    fetch_k: int = knob(
        20, Said("Candidates"), Said("Number of passages of the list to consider (fetch_k)."), low=1, high=1000
    )
    k: int = knob(10, Said("Picks"), Said("Number of documents to pick."), low=1, high=1000)
    embedder: Embedder = EMBEDDER()
    relevance: str = knob(
        "query",
        Said("Relevance"),
        Said("“Score in the list” keeps a passage on top that was found by one rare word; scores are scaled to 0–1."),
        choices={"query": Said("cosine with the query"), "list": Said("score in the list")},
        rare=True,
    )

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        if not ranking.hits:
            return Outcome(())
        replayed = replay(self, ranking, env)
        offers = [replayed.offer(step, i) for step, i in enumerate(replayed.rows)]
        hits = [Hit(offer.document, offer.value, self._addends(offer) if env.explain else ()) for offer in offers]
        return Outcome(hits, Later(partial(self._drops, ranking, replayed)), replayed if env.explain else None)

    def _drops(self, ranking: Ranking, replayed: Replay) -> list[Drop]:
        """Returns the documents that were not picked, each with the reason."""
        picked = set(replayed.rows)
        drops = [
            Drop(d, self._lost(replayed, i), self.label) for i, d in enumerate(replayed.documents) if i not in picked
        ]
        message = N_("Rank {rank}; the last examined rank is {n}.")
        for rank, hit in enumerate(ranking.hits[self.fetch_k :], self.fetch_k + 1):
            drops.append(Drop(hit.document, Said(message, rank=rank, n=self.fetch_k), self.label))
        return drops

    def _lost(self, replayed: Replay, i: int) -> str:
        last = len(replayed.rows) - 1
        offer, best = replayed.offer(last, i), replayed.offer(last, replayed.rows[last])
        if offer.blocker is None:
            single_pick = N_("Not picked: cosine {relevance:.3f} with the query; the only pick has {best:.3f}.")
            listed = N_("Not picked: relevance {relevance:.3f} in the list; the only pick has {best:.3f}.")
            message = single_pick if self.relevance == "query" else listed
            return Said(message, relevance=offer.relevance, best=best.relevance)
        said = N_(
            "Not picked (k = {k}): {share:.2f} × {near:.3f} − {rest:.2f} × {far:.3f} = {value:.3f}, because it is "
            "similar to “{document}”; the last pick had {best:.3f}."
        )
        weights = {"k": len(replayed.rows), "share": self.lambda_mult, "rest": 1 - self.lambda_mult}
        numbers = {"near": offer.relevance, "far": offer.redundancy, "value": offer.value}
        return Said(said, **weights, **numbers, document=offer.blocker.label, best=best.value)

    def _addends(self, offer: Candidate) -> tuple[Contribution, ...]:
        source = Said("similar to the query") if self.relevance == "query" else Said("relevance in the list")
        near = Contribution(source, offer.relevance_part)
        if offer.blocker is None:
            return (near,)
        return near, Contribution(Said("similar to “{document}”", document=offer.blocker.label), offer.redundancy_part)


def scaled(scores: Sequence[float]) -> Floats:
    """Returns the scores scaled to 0 for the least and 1 for the largest; all 1 if they are equal."""
    values = np.asarray(scores, dtype=np.float64)
    spread = float(np.ptp(values))
    return (values - values.min()) / spread if spread > 0 else np.ones(len(values))


def picks(relevance: Floats, similarity: Floats, lambda_mult: float, k: int) -> list[int]:
    """Returns the positions that MMR picks, in order, from cosines with the query, [n], and pairwise, [n, n]."""
    rows = [int(relevance.argmax())]
    redundancy = similarity[rows[0]].copy()
    picked = np.zeros(len(relevance), dtype=bool)
    while len(rows) < min(k, len(relevance)):
        picked[rows[-1]] = True
        value = lambda_mult * relevance - (1 - lambda_mult) * redundancy
        value[picked] = -np.inf
        rows.append(int(value.argmax()))
        np.maximum(redundancy, similarity[rows[-1]], out=redundancy)
    return rows


# ----------------------------------------------------------------------------------------------- replay


@dataclass(frozen=True, slots=True)
class Candidate:
    """One document's MMR score at one pick.

    ``relevance`` (see `MMR.relevance`) and ``redundancy`` are cosines; the parts are what they add to ``value``;
    ``blocker`` is the earlier pick that it is nearest to (None at the first pick).  ``rank`` is its rank in the list
    that MMR was given.
    """

    document: Document
    rank: int
    relevance: float
    redundancy: float
    blocker: Document | None
    relevance_part: float
    redundancy_part: float

    @property
    def value(self) -> float:
        return self.relevance_part + self.redundancy_part


@dataclass(frozen=True, slots=True)
class Pick:
    """One pick: the document, all candidates (best first), and the range of lambda in which it holds.

    From lambda ``low`` to ``high`` this pick and all before it stay as they are.  Beyond those values this
    place goes to ``below`` or ``above`` (None where the range ends at 0 or 1).
    """

    step: int
    document: Document
    value: float
    candidates: tuple[Candidate, ...]
    low: float
    high: float
    below: Document | None
    above: Document | None


@dataclass(frozen=True, slots=True)
class Journey:
    """From lambda ``low`` to ``high`` MMR picks these documents (``rows`` are their places) in this order."""

    low: float
    high: float
    rows: tuple[int, ...]
    documents: tuple[Document, ...]


@dataclass(frozen=True, eq=False)
class Replay:
    """One run of MMR with all its numbers.

    ``documents`` are the candidates in the order of the list, shape [n]; ``query`` [d] and ``vectors``
    [n, d] are what they were compared by; ``relevance`` [n] and ``similarity`` [n, n] are the cosines, or
    ``relevance`` the scaled scores of the list; ``rows`` are the picks as places in ``documents``.
    """

    mmr: MMR
    documents: tuple[Document, ...]
    query: NDArray[np.float32]
    vectors: NDArray[np.float32]
    relevance: Floats
    similarity: Floats
    rows: tuple[int, ...]

    @cached_property
    def picks(self) -> tuple[Pick, ...]:
        return tuple(self._pick(step) for step in range(len(self.rows)))

    @cached_property
    def journeys(self) -> tuple[Journey, ...]:
        """Returns the picks for every lambda from 0 to 1, as intervals whose neighbours have different picks."""
        stretches = _journeys(self.relevance, self.similarity, len(self.rows))
        return tuple(Journey(a, b, rows, tuple(self.documents[i] for i in rows)) for a, b, rows in stretches)

    def among(self, documents: Sequence[Document]) -> Floats:
        """Cosines of these candidates with each other, for instance of the plain first k."""
        place = {d.id: i for i, d in enumerate(self.documents)}
        rows = [place[d.id] for d in documents if d.id in place]
        return np.asarray(self.similarity[np.ix_(rows, rows)])

    def offer(self, step: int, j: int) -> Candidate:
        """Returns document ``j`` with its MMR score at this pick (from 0)."""
        before, share, near = self.rows[:step], self.mmr.lambda_mult, float(self.relevance[j])
        if not before:
            return Candidate(self.documents[j], j + 1, near, 0.0, None, share * near, 0.0)
        blocker = before[int(self.similarity[j, before].argmax())]
        far, other = float(self.similarity[j, blocker]), self.documents[blocker]
        return Candidate(self.documents[j], j + 1, near, far, other, share * near, -(1 - share) * far)

    def _pick(self, step: int) -> Pick:
        before, offer = self.rows[:step], self.offer(step, self.rows[step])
        offers = [self.offer(step, j) for j in range(len(self.documents)) if j not in before]
        # the first pick is the most relevant at every lambda, also at 0 where all values are 0
        offers.sort(key=lambda o: (o.rank != offer.rank, -(o.value if before else o.relevance), o.rank))
        return Pick(step + 1, offer.document, offer.value, tuple(offers), *self._firm(step))

    def _firm(self, step: int) -> tuple[float, float, Document | None, Document | None]:
        """Returns the lambdas between which the first ``step + 1`` picks stay, and the picks below and above."""
        paths, share, picked = self.journeys, self.mmr.lambda_mult, self.rows[: step + 1]
        near = [n for n, path in enumerate(paths) if path.low - SAME <= share <= path.high + SAME]
        same = [n for n, path in enumerate(paths) if path.rows[: step + 1] == picked]  # neighbours: it is one range
        if not set(near) & set(same):  # on a border, where documents tie: this order holds at that one value
            return share, share, paths[near[0]].documents[step], paths[near[-1]].documents[step]
        first, last = same[0], same[-1]
        below = paths[first - 1].documents[step] if first else None
        above = paths[last + 1].documents[step] if last + 1 < len(paths) else None
        return paths[first].low, paths[last].high, below, above


def replay(mmr: MMR, ranking: Ranking, env: Env = ALONE) -> Replay:
    """Replays MMR on this ranking, pick by pick; computed once in a run for lists that begin alike.

    An empty ranking has nothing to replay: `ParameterError`.
    """
    documents = tuple(hit.document for hit in ranking.hits[: mmr.fetch_k])
    if not documents:
        nothing = Said("The list is empty, so there is nothing to pick from.")
        raise ParameterError(nothing, Said("Ask another question."))
    text, corpus = ranking.query.text, ranking.corpus
    scores = tuple(hit.score for hit in ranking.hits[: mmr.fetch_k]) if mmr.relevance == "list" else ()

    def make() -> tuple[object, Replay]:
        query, vectors = vectors_for(mmr.embedder, text, documents, corpus, env)
        relevance, similarity = cosines(query, vectors)
        relevance = scaled(scores) if scores else relevance
        rows = picks(relevance, similarity, mmr.lambda_mult, mmr.k)
        return corpus, Replay(mmr, documents, query, vectors, relevance, similarity, tuple(rows))

    # the value holds the documents and the corpus: no others have their ids meanwhile, and hashing texts takes long
    return env.once((mmr, text, tuple(map(id, documents)), scores, id(corpus)), make)[1]


# -------------------------------------------------------------------------------------------- over lambda


def _journeys(relevance: Floats, similarity: Floats, k: int) -> list[tuple[float, float, tuple[int, ...]]]:
    """Returns (from, to, picks) over lambda in [0, 1], ascending.

    With the earlier picks given, a candidate's value is ``-redundancy + lambda (relevance + redundancy)``;
    the pick is the upper envelope of these lines, and each piece of it is a case of its own.
    """
    k = min(k, len(relevance))
    first = int(relevance.argmax())
    todo: list[tuple[float, float, tuple[int, ...], Floats]] = [(0.0, 1.0, (first,), similarity[first])]
    finished: list[tuple[float, float, tuple[int, ...]]] = []
    while todo:
        low, high, rows, redundancy = todo.pop()
        if len(rows) < k:
            pieces = _envelope(-redundancy, relevance + redundancy, rows, low, high)
            for a, b, i in reversed(pieces):  # the leftmost piece is taken first
                todo.append((a, b, (*rows, i), np.maximum(redundancy, similarity[i])))
        elif finished and finished[-1][2] == rows:
            finished[-1] = (finished[-1][0], high, rows)
        else:
            finished.append((low, high, rows))
    return finished


def _envelope(
    starts: Floats, slopes: Floats, without: Sequence[int], low: float, high: float
) -> list[tuple[float, float, int]]:
    """Returns (from, to, line) of the upper envelope of ``starts + slopes * x``; ignores lines in ``without``."""
    alive = np.ones(len(starts), dtype=bool)
    alive[list(without)] = False
    value = np.where(alive, starts + slopes * low, -np.inf)
    tied = np.flatnonzero(value == value.max())
    top = int(tied[slopes[tied].argmax()])  # just right of a tie the steepest is ahead
    segments, x = list[tuple[float, float, int]](), low
    while True:
        steeper = np.flatnonzero(alive & (slopes > slopes[top]))
        meets = (starts[top] - starts[steeper]) / (slopes[steeper] - slopes[top])
        end = float(meets.min()) if len(meets) else high
        if end >= high:
            break
        if end - x > SAME:
            segments.append((x, end, top))
            x = end
        crossing = steeper[meets <= end + SAME]
        top = int(crossing[slopes[crossing].argmax()])
    return [*segments, (x, high, top)]
