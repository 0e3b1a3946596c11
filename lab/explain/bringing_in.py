"""The smallest changes of a search that bring a passage into the results shown, each tried before it is offered.

    where = whereabouts(runner, search, question, "hs-21", 10)
    for change in changes(runner, search, question, where):
        change.sentence                       # “Depth 143 in place of 100: rank 9.”
        runner(change.search, change.query, change.shown).rank("hs-21")

A value is the nearest to the current one, as far as the passage stays beyond it: found by halving, or exactly for the
weights of a fusion (`lab.explain.tipping`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from lab.algebra import Composed, Pipeline, Query, Ranking, Runner, Searcher, Stage
from lab.errors import LabError
from lab.explain.notes import asks_outside
from lab.explain.tipping import Weight, tipping
from lab.explain.whereabouts import Place, Whereabouts, deep, parts_of, rank_of, similar_words, whereabouts
from lab.fuse import ShareSum
from lab.refine.filters import Measured
from lab.rewrite.nearest import SHORTEST_HAN, CorpusWords, common_sound
from lab.rewrite.spelling import LARGEST, offered
from lab.text import is_han
from lab.words import N_, Said

Kind = Literal["spelling", "threshold", "depth", "weight", "results"]
HALVINGS = 40
"""Maximum number of values that are tried for one parameter."""
CLOSE = 0.01
"""A value is rounded by at most this share of itself."""
TOGETHER = 4
"""Maximum number of changes that are made together if no single one shows the passage."""
LONG = 5
"""Letters of a word that is taken for a misspelt one although other passages have it."""
DIGITS = 6
"""Maximum number of decimal places of an offered value."""


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

    # --------------------------------------------------------------------------------------------- values

    def nearest(self, now: float, ends: Iterable[float], with_value: Callable[[Any], Searcher | None]) -> Any:
        """Returns the value nearest to ``now`` that shows the passage, or else that brings it into the list; or None.

        The first of the ``ends`` that does is where the halving starts.
        """

        def rank(value: float) -> int | None:
            search = with_value(value)
            return None if search is None else self.rank(search)

        values = [value for value in dict.fromkeys(ends) if value != now]
        ranks = [(value, rank(value)) for value in values]
        for most in (self.shown, math.inf):

            def fits(value: float, most: float = most) -> bool:
                return (at := rank(value)) is not None and at <= most

            end = next((value for value, at in ranks if at is not None and at <= most), None)
            if end is not None:
                return _halved(now, end, fits)
        return None

    def depth(self) -> Change | None:
        """Returns the number of results to request from each list."""
        if not isinstance(self.search, Pipeline) or self.search.bare:
            return None
        now = self.search.asks
        ranks = sorted(place.rank for place in self.where.lists if place.rank is not None and place.rank > now)
        if not ranks:
            return None
        search = self.search
        value = self.nearest(now, [*ranks, len(self.runner.corpus)], lambda n: _with_depth(search, n))
        what = Said("Depth {value} in place of {now}", value=value, now=now)
        return None if value is None else self.change("depth", what, _with_depth(search, value))

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
        step, search = self.where.final.lost, self.search
        if isinstance(search, Pipeline) and step is not None and not step.parents:
            ranks = [p.rank for p in self.where.lists if p.rank is not None and p.rank > search.asks]
            what = Said("Depth {value} in place of {now}", value=min(ranks, default=0), now=search.asks)
            return (what, _with_depth(search, min(ranks))) if ranks else None
        path = self.path(step)
        if path is None or step is None or not isinstance(search, Composed):
            return None
        try:
            return Said("Without {step}", step=step.made_by.label), search.without(path)
        except LabError:
            return None

    def path(self, step: Ranking | None) -> str | None:
        """Returns the place of the step that made a ranking in the search; None if no step did."""
        if step is None or not step.parents or not isinstance(self.search, Composed):
            return None
        parts = (part.path for part in self.search.parts() if part.operator == step.made_by)
        return next(parts, None) if isinstance(step.made_by, Stage) else None

    def threshold(self) -> Change | None:
        """Returns the parameter of the step that removed the passage, or the search without this step."""
        step, search = self.where.final.lost, self.search
        path = self.path(step)
        if path is None or step is None or not isinstance(search, Composed) or not isinstance(step.made_by, Stage):
            return None
        found = list[tuple[float, Any, Any]]()
        for f, now in _numbers(step.made_by):
            with_value = _replacing(search, path, step.made_by, f.name)
            value = self.nearest(now, _ends(step, f.metadata, now, self.where.final), with_value)
            if value is not None:
                found.append((abs(value - now) / max(abs(now), 1), f, value))
        label = step.made_by.label
        if found:
            _, f, value = min(found, key=lambda x: x[0])
            now = getattr(step.made_by, f.name)
            values = {
                "value": f"{value:.10g}",
                "now": f"{now:.10g}",
                "step": label,
                "name": f.metadata["label"] or f.name,
            }
            what = Said("{step} · {name}: {value} in place of {now}", **values)
            changed = _replacing(search, path, step.made_by, f.name)(value)
            return None if changed is None else self.change("threshold", what, changed)
        loss = self.loss()
        return None if loss is None else self.change("threshold", *loss)


def _numbers(stage: Stage) -> Iterator[tuple[Any, float]]:
    """Yields the parameters of a step that are numbers, with their values."""
    for f in fields(stage):
        value = getattr(stage, f.name)
        if isinstance(value, int | float) and not isinstance(value, bool) and f.metadata.get("kind") == "number":
            yield f, value


def _ends(step: Ranking, metadata: Any, now: float, place: Place) -> Iterator[float]:
    """Yields values of a parameter at which a step may keep the passage: its number, rank and score, and the range."""
    parent = step.parents[0]
    rank = parent.rank(place.document.id)
    if rank is not None:
        if isinstance(step.evidence, Measured):
            yield _like(now, step.evidence.values[rank - 1])
        yield _like(now, parent.hits[rank - 1].score)
        yield _like(now, rank)
    yield from (_like(now, metadata[end]) for end in ("low", "high") if metadata.get(end) is not None)


def _like(now: float, value: float) -> float:
    return math.floor(value) if isinstance(now, int) else float(value)


def _replacing(search: Composed, path: str, stage: Stage, name: str) -> Callable[[Any], Searcher | None]:
    def with_value(value: Any) -> Searcher | None:
        try:
            return search.replace(path, replace(stage, **{name: value}))
        except LabError:
            return None

    return with_value


def _with_depth(search: Pipeline, depth: int) -> Pipeline:
    """Returns a pipeline that requests at least this many results from each list, in every part of it."""
    lists = tuple(_with_depth(s, depth) if isinstance(s, Pipeline) and not s.bare else s for s in search.retrieve)
    return replace(search, retrieve=lists, depth=max(depth, search.asks))


def _halved(now: float, end: float, fits: Callable[[float], bool]) -> float:
    """Returns the value nearest to ``now`` that fits, between it and an ``end`` that does, with few decimal places."""
    low, high = now, end
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if isinstance(now, int):
            middle = (int(low) + int(high)) // 2
        if middle in (low, high):
            break
        low, high = (low, middle) if fits(middle) else (middle, high)
    if isinstance(now, int):
        return high
    close = max(abs(high) * CLOSE, 1e-12)
    return next((v for v in _rounded(high, end) if abs(v - high) <= close and fits(v)), high)


def _within(now: float, low: float, high: float) -> float:
    """Returns the value nearest to ``now`` within a range, with few decimal places, but not at its borders."""
    if low <= now <= high:
        return now
    near, far = (low, high) if now < low else (high, low)
    return next((v for v in _rounded(near, far) if low < v < high), (low + high) / 2)


def _rounded(value: float, towards: float) -> Iterator[float]:
    """Yields a value with more and more decimal places, rounded towards another one."""
    rounded = math.ceil if towards > value else math.floor
    for digits in range(1, DIGITS + 1):
        yield rounded(value * 10**digits) / 10**digits


def _replaced(text: str, asked: str, word: str) -> str:
    """Returns a question with one of its words replaced, however it is capitalised there."""
    at = text.lower().find(asked)
    return text if at < 0 else text[:at] + word + text[at + len(asked) :]
