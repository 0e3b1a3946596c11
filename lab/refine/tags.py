"""Tags: how common each is, and which ones the neighbours of a text suggest.

A tag is suggested where it is more common among the documents that share words with a text than in the whole
corpus; by how much is its lift.  `lab.refine.hybrid` turns tags into a part of the score.

Source: the tag sets of RAGFlow (``tag_content``, ``tag_query``, ``all_tags_in_portion``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.algebra import ALONE, Corpus, Document, Env, Hit, Operator, Searcher, knob
from lab.retrieve.lexical import BM25
from lab.words import N_, Said


@dataclass(frozen=True, slots=True)
class TagShare:
    """The frequency of a tag: ``count`` documents have it; ``share`` is its smoothed share of all tags."""

    tag: str
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested tag: ``lift = near / share``, how much more common it is among the neighbours.

    ``count`` of the ``neighbours`` (their ids) have it; ``near`` and ``share`` are the smoothed shares there
    and in the corpus.  ``weight`` is what it counts: the lift, or the whole number that RAGFlow makes of it.
    """

    tag: str
    lift: float
    count: int
    near: float
    share: float
    neighbours: tuple[str, ...]
    weight: float


@dataclass(frozen=True)
class Tags(Operator):
    r"""The tags of a corpus (the list in metadata ``tag_field``), and suggestions from lexical neighbours.

    With n_t the documents that have tag t and N the sum of all n_t, c_t and C the same among the neighbours::

        share(t) = (n_t + 1) / (N + S)      near(t) = (c_t + 1) / (C + S)      lift(t) = near / share

    The neighbours are the first ``neighbours`` hits of ``neighbours_by``; the ``count`` tags with the highest lift
    above 1 are suggested, among those that a neighbour has.  S, the ``smoothing``, is the number of different tags
    where it is left open (Laplace's rule); RAGFlow's is 1000, under which no lift is above 1 + N / 1000.

    With ``rounding`` the weight of a tag is ``round(lift / 10)``, as in RAGFlow: a tag of a document whose weight is 0
    is not written at all, a tag of a question has at least the weight 1, and none is left out for its lift.
    """

    about = Said("Suggests tags from a document's nearest neighbours.")

    neighbours: int = knob(
        3,
        Said("Neighbours"),
        Said("Number of nearest documents whose tags are considered. RAGFlow considers all that match."),
        low=1,
        high=10_000,
    )
    count: int = knob(3, Said("Maximum tags"), Said("Maximum number of suggested tags."), low=1, high=50)
    smoothing: float | None = knob(
        None,
        Said("Smoothing"),
        Said("Empty: the number of different tags (Laplace). RAGFlow's is 1000."),
        low=0.0,
        high=10000.0,
        rare=True,
    )
    rounding: bool = knob(
        False,
        Said("Round to tenths of the lift"),
        Said("As in RAGFlow: a lift below 5 becomes 0, and the document gets no tag."),
        rare=True,
    )
    tag_field: str = knob("tags", Said("Field of the tags"), Said("Name of the metadata field that contains the tags."))
    neighbours_by: Searcher = knob(
        BM25(), Said("Search for neighbours"), Said("The search that finds the neighbours."), kind="spec", kw_only=True
    )

    def of(self, document: Document) -> tuple[str, ...]:
        """Returns the tags that a document has."""
        value = document.metadata.get(self.tag_field, ())
        words = value if isinstance(value, list) else [str(value)] if value else []
        return tuple(dict.fromkeys(w.strip() for w in words if w.strip()))

    def shares(self, corpus: Corpus) -> Mapping[str, TagShare]:
        """Returns every tag of the corpus, the most common first."""
        counts = corpus.once(("tags", self.tag_field), lambda: Counter(t for d in corpus for t in self.of(d)))
        total = counts.total() + self._s(counts)
        common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return {t: TagShare(t, n, (n + 1) / total) for t, n in common}

    def _s(self, counts: Mapping[str, int]) -> float:
        return len(counts) if self.smoothing is None else self.smoothing

    def for_query(self, query: str, corpus: Corpus, env: Env = ALONE) -> tuple[Suggestion, ...]:
        """Returns the tags that the neighbours of a question suggest, highest lift first."""
        return self._suggest(env.search(self.neighbours_by, corpus, query, self.neighbours).hits, corpus, least=1.0)

    def for_document(self, document: Document, corpus: Corpus, env: Env = ALONE) -> tuple[Suggestion, ...]:
        """Returns the tags that a document's neighbours suggest; the document itself is excluded."""
        return self._suggest(self._beside(document, corpus, env), corpus)

    def _beside(self, document: Document, corpus: Corpus, env: Env) -> list[Hit]:
        hits = env.search(self.neighbours_by, corpus, document.content, self.neighbours + 1).hits
        return [h for h in hits if h.document.id != document.id][: self.neighbours]

    def reason(self, document: Document, corpus: Corpus, env: Env = ALONE) -> str:
        """Explains why no tag is suggested for a document; empty if there is a suggestion."""
        if self.for_document(document, corpus, env):
            return ""
        nearest = self._beside(document, corpus, env)
        if not any(self.of(h.document) for h in nearest):
            return Said("No neighbour has a tag. Neighbours: {n}.", n=len(nearest))
        if not self.rounding:
            return Said("No tag is more common among the neighbours than in the whole corpus.")
        best = max(x.lift for x in self._lifts(nearest, corpus))
        message = N_("The highest lift is {lift}. A tenth of it is rounded to 0, so the passage gets no tag.")
        return Said(message, lift=f"{best:.3f}")

    def _suggest(self, neighbours: Sequence[Hit], corpus: Corpus, least: float = 0.0) -> tuple[Suggestion, ...]:
        """Returns the suggested tags; rounded weights are at least ``least``, and a tag without weight is left out."""
        lifts = self._lifts(neighbours, corpus, least)
        raised = [x for x in lifts if self.rounding or x.near > x.share]
        best = sorted(raised, key=lambda x: (-x.weight, -x.lift, x.tag))[: self.count]
        return tuple(x for x in best if x.weight > 0)

    def _lifts(self, neighbours: Sequence[Hit], corpus: Corpus, least: float = 0.0) -> list[Suggestion]:
        shares = self.shares(corpus)
        having: dict[str, list[str]] = {}
        for hit in neighbours:
            for tag in self.of(hit.document):
                having.setdefault(tag, []).append(hit.document.id)
        total, s = sum(map(len, having.values())), self._s({t: x.count for t, x in shares.items()})
        out = []
        for tag, ids in having.items():
            near, share = (len(ids) + 1) / (total + s), shares[tag].share
            lift = near / share
            weight = max(least, float(round(lift / 10))) if self.rounding else lift
            out.append(Suggestion(tag, lift, len(ids), near, share, tuple(ids), weight))
        return out


def cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Returns the cosine of two tag vectors (tag to weight); 0 if one is empty."""
    product = math.fsum(w * b[t] for t, w in a.items() if t in b)
    length = math.sqrt(math.fsum(w * w for w in a.values()) * math.fsum(w * w for w in b.values()))
    return product / length if length > 0 else 0.0
