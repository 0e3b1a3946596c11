"""The smallest changes of a search that bring a passage into the results shown, each tried before it is offered.

    where = whereabouts(runner, search, question, "hs-21", 10)
    for change in changes(runner, search, question, where):
        change.sentence                       # “Depth 143 in place of 100: rank 9.”
        runner(change.search, change.query, change.shown).rank("hs-21")

A value is the nearest to the current one: found by halving (`lab.explain.loosening`), or exactly for the weights of a
fusion (`lab.explain.tipping`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from lab.algebra import Pipeline, Query, Runner, Searcher
from lab.errors import LabError
from lab.explain.loosening import loosened, rounded
from lab.explain.notes import asks_outside
from lab.explain.tipping import Weight, tipping
from lab.explain.whereabouts import Whereabouts, deep, parts_of, rank_of, similar_words, whereabouts
from lab.fuse import ShareSum
from lab.rewrite.nearest import SHORTEST_HAN, CorpusWords, common_sound
from lab.rewrite.spelling import LARGEST, offered
from lab.text import is_han
from lab.words import N_, Said

Kind = Literal["spelling", "threshold", "depth", "weight", "results"]
TOGETHER = 4
"""Maximum number of changes that are made together if no single one shows the passage."""
LONG = 5
"""Letters of a word that is taken for a misspelt one although other passages have it."""


@dataclass(frozen=True)
class Change:
    """A search, a question and a number of results that show the passage at ``rank``; ``what`` is the change."""

    kind: Kind
    what: Said
    search: Searcher
    query: Query
    shown: int
    rank: int
    before: int

    @property
    def sentence(self) -> Said:
        """Says what to change, and the rank that the passage then has."""
        if self.kind == "results":
            return Said("Results shown: {n}.", n=self.shown)
        if self.shown > self.before:
            return Said("{change}. Results shown: {n}, rank: {rank}.", change=self.what, n=self.shown, rank=self.rank)
        return Said("{change}: rank {rank}.", change=self.what, rank=self.rank)


def changes(
    runner: Runner, search: Searcher, query: str | Query, where: Whereabouts, *, together: int = TOGETHER
) -> tuple[Change, ...]:
    """Returns at most one change of each kind; none if the passage is shown.

    If no single change shows it, up to ``together`` are combined: for the first loss, then for the next.  A search that
    asks a language model or an external retriever is not tried with other values.
    """
    final = where.final
    if final.is_shown and not final.cause:
        return ()
    trial = _Trial(runner, search, Query.of(query), where)
    tried = () if asks_outside(search, runner.models) else (trial.spelling, trial.threshold, trial.depth, trial.weight)
    results = [change for change in (*(kind() for kind in tried), trial.results()) if change is not None]
    if not results and tried and together > 1:
        results += trial.second(together - 1)
    return tuple(sorted(results, key=lambda change: change.shown > final.shown))


@dataclass(frozen=True)
class _Trial:
    runner: Runner
    search: Searcher
    query: Query
    where: Whereabouts

    @property
    def shown(self) -> int:
        return self.where.final.shown

    def rank(self, search: Searcher, query: Query | None = None) -> int | None:
        """Returns the rank of the passage in the whole list of another search; None if it cannot be run."""
        try:
            ranking = self.runner(search, query or self.query, max(self.shown, deep(self.runner.corpus)))
        except LabError:
            return None
        return rank_of(ranking, parts_of(self.where.document.id, ranking.corpus))

    def change(self, kind: Kind, what: Said, search: Searcher, query: Query | None = None) -> Change | None:
        rank = self.rank(search, query)
        if rank is None:
            return None
        return Change(kind, what, search, query or self.query, max(rank, self.shown), rank, self.shown)

    def results(self) -> Change | None:
        """Returns the number of results with which the list shows it."""
        rank = self.where.final.rank
        if rank is None or rank <= self.shown and not self.where.final.lost:
            return None
        asked = rank if rank > self.shown else len(self.where.final.ranking)
        return Change("results", Said(), self.search, self.query, asked, rank, self.shown)

    def spelling(self) -> Change | None:
        """Returns a corrected question, or one with the most similar words of the passage."""
        queries = list[str]()
        if correction := offered(self.query.text, self.runner.corpus):
            queries.append(correction.result)
        if self.where.final.rank is None:
            pairs = similar_words(self.query.text, self.where.document.content)
            queries += [_replaced(self.query.text, *pair) for pair in pairs if self.is_misspelt(*pair)]
        for text in queries:
            query = Query(text, turns=self.query.turns)
            change = self.change("spelling", Said("Ask “{question}”", question=text), self.search, query)
            now = self.where.final.rank
            if change and text != self.query.text and (change.rank <= self.shown or now is None):
                return change
        return None

    def is_misspelt(self, asked: str, word: str) -> bool:
        """Returns whether the corpus lacks the asked word, or has the passage's word nowhere else and one edit away."""
        corpus = self.runner.corpus
        if corpus.elsewhere or len(corpus) > LARGEST:
            return False
        words = CorpusWords.of(corpus)
        if not words.knows(asked):
            same = len(asked) == len(word)
            sound = same and all(a == word[i] or common_sound(a, word, i) for i, a in enumerate(asked))
            return sound or not is_han(asked) or len(asked) > SHORTEST_HAN
        return words.passages(word) == 1 and len(asked) >= LONG and word in {near.word for near in words.near(asked, 1)}

    def depth(self) -> Change | None:
        """Returns the number of results to request from each list: the rank of the passage in one of them."""
        search, lost = self.search, self.where.final.lost
        if not isinstance(search, Pipeline) or search.bare:
            return None
        now = search.asks
        ranks = {place.rank for place in self.where.lists if place.rank is not None}
        ranks |= {math.ceil(p.rank * now / p.ranking.asked) for p in self.where.lists if p.rank and p.ranking.asked}
        ranks |= {rank for step in lost for p in step.parents if (rank := p.rank(self.where.document.id)) is not None}
        tried = [self.change("depth", *_deeper(search, rank)) for rank in sorted(ranks) if rank > now]
        shows = [change for change in tried if change is not None]
        return next((change for change in shows if change.shown == self.shown), next(iter(shows), None))

    def weight(self) -> Change | None:
        """Returns the weight of one list at which a fusion shows the passage."""
        search, lists = self.search, self.where.final.ranking.parents
        if not isinstance(search, Pipeline) or search.refine or not isinstance(search.fuse, ShareSum) or len(lists) < 2:
            return None
        best: tuple[float, float, float, Weight] | None = None
        for axis in map(Weight, range(len(lists) if len(lists) > 2 else 1)):
            tips = tipping(search.fuse, lists, axis, n=self.shown)
            for interval in tips.intervals:
                if any(d.id == self.where.document.id for d in interval.documents):
                    value = _within(tips.current, interval.low, interval.high)
                    found = (abs(value - tips.current), value, tips.current, axis)
                    best = min(best or found, found, key=lambda x: x[0])
        if best is None:
            return None
        _, value, now, axis = best
        what = Said(
            "Weight {value:.6g} in place of {now:.3g} for {list}",
            value=value,
            now=now,
            list=search.retrieve[axis.list].label,
        )
        return self.change("weight", what, replace(search, fuse=axis.with_value(search.fuse, len(lists), value)))

    def second(self, together: int) -> list[Change]:
        """Returns the changes that show the passage once the list or the step that lost it no longer does."""
        loss = self.loss()
        if loss is None:
            return []
        what, search = loss
        where = whereabouts(self.runner, search, self.query, self.where.document.id, self.shown)
        later = changes(self.runner, search, self.query, where, together=together)
        both = N_("{first}; {second}")
        return [replace(x, what=Said(both, first=what, second=x.what)) for x in later if x.kind != "results"]

    def loss(self) -> tuple[Said, Searcher] | None:
        """Returns the search without its first loss of the passage, which is not yet enough to show it."""
        search, lost = self.search, self.where.final.lost
        for step in lost:
            if step.parents:
                if changed := next(loosened(self.runner, search, self.query, self.where.document.id, step), None):
                    return changed
            elif isinstance(search, Pipeline):
                ranks = [p.rank for p in self.where.lists if p.rank is not None and p.rank > search.asks]
                if ranks:
                    return _deeper(search, min(ranks))
        return None

    def threshold(self) -> Change | None:
        """Returns the parameter of a step that removed the passage, or the search without this step."""
        for step in self.where.final.lost:
            for changed in loosened(self.runner, self.search, self.query, self.where.document.id, step):
                if change := self.change("threshold", *changed):
                    return change
        return None


def _deeper(search: Pipeline, depth: int) -> tuple[Said, Pipeline]:
    return Said("Depth {value} in place of {now}", value=depth, now=search.asks), _with_depth(search, depth)


def _with_depth(search: Pipeline, depth: int) -> Pipeline:
    """Returns a pipeline that requests at least this many results from each list, in every part of it."""
    lists = tuple(_with_depth(s, depth) if isinstance(s, Pipeline) and not s.bare else s for s in search.retrieve)
    return replace(search, retrieve=lists, depth=max(depth, search.asks))


def _within(now: float, low: float, high: float) -> float:
    """Returns the value nearest to ``now`` within a range, with few decimal places, but not at its borders."""
    if low <= now <= high:
        return now
    near, far = (low, high) if now < low else (high, low)
    return next((v for v in rounded(near, far) if low < v < high), (low + high) / 2)


def _replaced(text: str, asked: str, word: str) -> str:
    """Returns a question with one of its words replaced, however it is capitalised there."""
    at = text.lower().find(asked)
    return text if at < 0 else text[:at] + word + text[at + len(asked) :]
