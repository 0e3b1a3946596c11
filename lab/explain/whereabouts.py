"""Where a passage is in a search: its exact rank in every list, or the cause why a list does not have it.

    where = whereabouts(Runner(corpus), search, "headset shows E21", "hs-21", 10)
    where.final.rank        # in the whole list, however long it is; None if it is not in the list
    where.sentence          # rank and score against the last result shown, or the cause
    where.lists             # the same for every list that the search is made from

Lists of parts (chunks) count by the best part of the passage.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

import numpy as np

from lab.algebra import Contribution, Corpus, Document, Fusion, Hit, Index, Query, Ranking, Retriever, Runner, Searcher
from lab.explain.differences import enumerated
from lab.explain.locating import plain
from lab.explain.tied import tie_note
from lab.retrieve.explaining import Explains, Misses
from lab.rewrite.nearest import WORDS, edit_distances
from lab.text import is_han
from lab.words import Said, joined

DEEP = 20_000
"""Maximum number of results for which a list is searched to its end."""
PAIRS = 3
"""Number of pairs of similar words that are shown."""
ALIKE, ALIKE_HAN = 0.4, 0.5
"""Two words are similar if at most this share of the longer one's characters must be changed."""


class Compared(NamedTuple):
    """A component of the passage's score and of the last shown result's; 0 if it has none."""

    name: str
    score: float
    last: float


@dataclass(frozen=True)
class Place:
    """A passage in one list, which was searched to its end.

    ``document`` is the passage itself, or its best part.  ``last`` is the last result shown.  ``cause`` says why the
    passage is not shown; it is empty if it is.  ``lost`` are the rankings on the way that lost it, one for each list
    that is fused: a step that removed it, or a list without it.
    """

    ranking: Ranking
    shown: int
    document: Document
    rank: int | None
    cause: Said
    lost: tuple[Ranking, ...] = ()

    @property
    def hit(self) -> Hit | None:
        """The passage with its score, if the list has it."""
        return None if self.rank is None else self.ranking.hits[self.rank - 1]

    @property
    def last(self) -> Hit | None:
        """The last result shown."""
        return self.ranking.hits[min(self.shown, len(self.ranking)) - 1] if self.ranking.hits else None

    @property
    def is_shown(self) -> bool:
        """Whether it is among the results shown."""
        return self.rank is not None and self.rank <= self.shown

    @property
    def compared(self) -> tuple[Compared, ...]:
        """The components of its score against those of the last result shown, in the order of the passage's."""
        if self.hit is None or self.last is None:
            return ()
        sums: dict[str, list[float]] = {}
        for i, hit in enumerate((self.hit, self.last)):
            for part in hit.why:
                sums.setdefault(self._name(part), [0.0, 0.0])[i] += part.value
        return tuple(Compared(name, score, last) for name, (score, last) in sums.items())

    def _name(self, part: Contribution) -> str:
        """Returns the name of a component without ranks, so that two results have the same."""
        if part.of is not None:
            for step in self.ranking.lineage():
                if isinstance(step.made_by, Fusion) and part.of < len(step.parents):
                    return step.parents[part.of].made_by.label
        return part.group or part.source

    @property
    def sentence(self) -> Said:
        """Says the rank and the score against the last result shown, or the cause."""
        hit, last = self.hit, self.last
        if hit is None or last is None or self.rank is None:
            return self.cause
        values = {"rank": self.rank, "n": len(self.ranking), "score": f"{hit.score:.4g}"}
        if self.is_shown:
            sentence = Said("Rank {rank} of {n}, score {score}.", **values)
            note = tie_note(self.ranking, hit.document.id)
            return joined((sentence, note), " ") if note else sentence
        shown = Said(
            "Rank {rank} of {n}, score {score}; the last result shown is at rank {shown} with {last}.",
            **values,
            shown=self.shown,
            last=f"{last.score:.4g}",
        )
        return joined((shown, self.cause), " ") if self.cause else shown


@dataclass(frozen=True)
class Whereabouts:
    """Where a passage is: in the final list, and in each of the lists that it is made from."""

    document: Document
    final: Place
    lists: tuple[Place, ...]

    @property
    def sentence(self) -> Said:
        """Says where it is, or the cause why it is not in the final list."""
        return self.final.sentence


def whereabouts(
    runner: Runner, search: Searcher, query: str | Query, doc_id: str, shown: int, *, text: str = ""
) -> Whereabouts:
    """Returns where a document of the runner's corpus is in a search of which ``shown`` results are shown.

    ``text`` is a sentence of it, which a border of chunks may cut.
    """
    query, way = Query.of(query), _Way(runner, doc_id, shown, plain(text))
    visible = runner(search, query, shown)
    ranking = runner(search, query, max(shown, deep(runner.corpus)))
    final = way.place(ranking)
    if final.is_shown and visible.rank(final.document.id) is None:
        missed = Said("The approximate search finds it only if more results are requested.")
        final = replace(final, cause=missed, lost=(visible,))
    leaves = [step for step in ranking.lineage() if not step.parents] if ranking.parents else []
    return Whereabouts(way.document, final, tuple(way.place(way.whole(leaf)) for leaf in leaves))


def parts_of(doc_id: str, corpus: Corpus) -> frozenset[str]:
    """Returns the ids of the documents of a derived corpus that come from this one; of any other, the id itself."""
    if corpus.made_by is None or not corpus.parents:
        return frozenset({doc_id} if doc_id in corpus.positions else ())
    origins = parts_of(doc_id, corpus.parents[0])
    return frozenset(d.id for d in corpus if corpus.origins.get(d.id) in origins)


def rank_of(ranking: Ranking, ids: Set[str]) -> int | None:
    return min((rank for i in ids if (rank := ranking.rank(i)) is not None), default=None)


def similar_words(query: str, text: str) -> tuple[tuple[str, str], ...]:
    """Returns the words of a question with the most similar word of a text, most similar first; equal ones not."""
    words = {word for word in WORDS.tokens(text) if "_" not in word}
    asked_words = [word for word in dict.fromkeys(WORDS.tokens(query)) if word not in words and "_" not in word]
    pairs = list[tuple[float, str, str]]()
    for size, group in groupby(sorted(words, key=lambda word: (len(word), word)), key=len):
        same_size = list(group)
        codes = np.frombuffer("".join(same_size).encode("utf-32-le"), np.uint32).reshape(-1, size).T
        for asked in asked_words:
            longest = max(len(asked), size)
            most = (ALIKE_HAN if is_han(asked) else ALIKE) * longest
            if longest > 1 and abs(len(asked) - size) <= most:
                distances = zip(edit_distances(asked, codes).tolist(), same_size, strict=True)
                pairs += [(distance / longest, asked, word) for distance, word in distances if distance <= most]
    best = {asked: (share, word) for share, asked, word in sorted(pairs, reverse=True)}
    return tuple((asked, word) for asked, (_, word) in sorted(best.items(), key=lambda x: x[1]))[:PAIRS]


def deep(corpus: Corpus) -> int:
    """Returns the number of results with which a list is searched to its end."""
    return min(max(len(corpus), 1), DEEP)


@dataclass(frozen=True)
class _Way:
    """One passage in the rankings of one search."""

    runner: Runner
    doc_id: str
    shown: int
    text: str

    @property
    def document(self) -> Document:
        return self.runner.corpus.documents[self.runner.corpus.positions[self.doc_id]]

    def whole(self, leaf: Ranking) -> Ranking:
        """Returns a list searched to its end, if it may continue behind it."""
        if not leaf.asked or not isinstance(leaf.made_by, Searcher):
            return leaf
        found = self.runner_over(leaf.corpus)(leaf.made_by, leaf.query, deep(leaf.corpus))
        return replace(found, asked=leaf.asked)

    def runner_over(self, corpus: Corpus) -> Runner:
        return self.runner if corpus is self.runner.corpus else Runner(corpus, models=self.runner.models)

    def place(self, ranking: Ranking) -> Place:
        parts = parts_of(self.doc_id, ranking.corpus)
        rank = rank_of(ranking, parts)
        if rank is not None:
            document = ranking.hits[rank - 1].document
            beyond = ranking.asked if 0 < ranking.asked < rank else 0
            cause = Said("Results of this list that are passed on: {n}.", n=beyond) if beyond else Said()
            return Place(ranking, self.shown, document, rank, cause, (ranking,) if beyond else ())
        cause, lost = self.cause(ranking, parts)
        return Place(ranking, self.shown, self.document, None, cause, lost)

    def cause(self, ranking: Ranking, parts: Set[str]) -> tuple[Said, tuple[Ranking, ...]]:
        """Returns why a list does not have the passage, and the rankings that lost it."""
        drop = next(filter(None, map(ranking.drop, parts)), None)
        if drop is not None:
            return Said("{step} removes it: {reason}", step=drop.by, reason=drop.reason), (ranking,)
        if not ranking.parents:
            return self.unmatched(ranking, parts), (ranking,)
        before = [(p, rank_of(p, parts_of(self.doc_id, p.corpus))) for p in ranking.parents]
        ranks = [rank for _, rank in before if rank is not None]
        if ranks and ranking.asked:
            last = Said("Rank {rank} before; results passed on: {n}.", rank=min(ranks), n=ranking.asked)
            return last, (ranking,)
        if ranks:
            label = ranking.made_by.label
            return Said("{step} does not pass it on; its rank before is {rank}.", step=label, rank=min(ranks)), (
                ranking,
            )
        causes = [(p, *self.cause(p, parts_of(self.doc_id, p.corpus))) for p, _ in before]
        if len(causes) == 1:
            return causes[0][1:]
        each = (Said("{name}: {cause}", name=next(p.lineage()).made_by.label, cause=cause) for p, cause, _ in causes)
        return joined(each, " "), tuple(step for _, _, lost in causes for step in lost)

    def unmatched(self, leaf: Ranking, parts: Set[str]) -> Said:
        """Returns why a list that was searched does not have the passage."""
        if not parts:
            return Said("The corpus of this list ({name}) does not contain it.", name=leaf.corpus.name)
        whole = self.whole(leaf)
        rank = rank_of(whole, parts)
        if rank is not None:
            values = {"rank": rank, "n": len(whole), "asked": leaf.asked}
            beyond = Said("Rank {rank} of {n} in the whole list, which is cut at {asked}.", **values)
            return joined((beyond, *self.cut(leaf.corpus, parts)), " ")
        documents = [d for d in leaf.corpus if d.id in parts]
        reason = _unmatched(self.runner_over(leaf.corpus).index(leaf.made_by), leaf.query, documents[0])  # type: ignore[arg-type]
        return joined((reason, *self.cut(leaf.corpus, parts)), " ")

    def cut(self, corpus: Corpus, parts: Set[str]) -> Sequence[Said]:
        """Returns a sentence if the border of a chunk cuts the text that was asked for."""
        if not self.text or corpus is self.runner.corpus or self.text not in plain(self.document.content):
            return ()
        if any(self.text in plain(d.content) for d in corpus if d.id in parts):
            return ()
        return (Said("No chunk has the whole sentence: a border cuts it."),)


def _unmatched(index: Index, query: Query, document: Document) -> Said:
    """Returns why an index does not return a document for a question, however many results are requested."""
    if isinstance(index, Misses) and (reason := index.missing(query, document)):
        return Said("{reason}", reason=reason)
    if not isinstance(index, Explains) or not isinstance(index.operator, Retriever):
        return Said("This list does not return it, however many results are requested.")
    explanation = index.explanation(query, document.id)
    if explanation.missing or explanation.addends:
        return Said("{reason}", reason=explanation.missing or Said("Its score is not above 0."))
    names = dict.fromkeys(map(str, index.names(query).values()))
    if not names:
        return Said("The question has no term that this list searches.")
    pairs = similar_words(" ".join(names), document.content)
    shared = Said("It has no term of the question ({terms}).", terms=enumerated([*names]))
    if not pairs:
        return shared
    near = enumerated([f"{asked} – {word}" for asked, word in pairs])
    return joined((shared, Said("Similar words (question – passage): {pairs}.", pairs=near)), " ")
