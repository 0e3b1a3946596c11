"""From derived documents back to those that they came from: parents for children, wholes for parts.

Sources: LangChain's ``ParentDocumentRetriever`` (unique parents in the order of their first child); LlamaIndex's
``AutoMergingRetriever`` (a parent takes the place of its children where more than half of them were found, with the
mean of their scores) and ``MetadataReplacementPostProcessor`` (the window around a sentence); RAGFlow (the mean).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lab.core import Contribution, Corpus, Document, Env, Hit, Later, Outcome, Ranking, Stage, in_order, knob
from lab.derive.parts import SECTION
from lab.text import joined
from lab.words import Said

HALF = 0.5
"""Of more than this share of a parent's children auto-merging makes one."""


@dataclass(frozen=True)
class Lifted:
    """Which derived documents brought each document here: by its id, best first; ``counted`` are those in its score."""

    children: Mapping[str, tuple[Hit, ...]]
    counted: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Lift(Stage):
    """Every document in the place of its derived ones, with a score of theirs; of no derived corpus: as it is.

    ``by`` is the best child's score; the mean of all that were found; auto-merging (the mean, where more than half of
    a parent's children were found, else the best child); the first child's place, as 1/rank; how many were found; or
    their sum, which is a mistake: long documents have many children.  The addends sum to it.  The evidence is a
    `Lifted`.
    """

    label = Said("Lift")
    about = Said("From chunks back to their documents.")

    makes_documents = True

    by: str = knob(
        "best",
        choices={
            "best": Said("best piece"),
            "mean": Said("mean of those found"),
            "auto-merging": Said("auto-merging (mean, if more than half)"),
            "first": Said("first piece"),
            "count": Said("how many were found"),
            "sum": Said("sum (a mistake)"),
        },
        label=Said("Lifted by"),
        help=Said("What score a document gets from its pieces. The sum prefers long documents: they have many pieces."),
    )

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        derived = ranking.corpus
        if not derived.parents:
            return Outcome(ranking.hits)
        corpus, found = derived.parents[0], defaultdict[str, list[Hit]](list)
        for hit in ranking.hits:
            if derived.origins.get(hit.document.id) in corpus.positions:
                found[derived.origins[hit.document.id]].append(hit)
        rank = {hit.document.id: i for i, hit in enumerate(ranking.hits, 1)}
        hits, counted = list[Hit](), dict[str, tuple[str, ...]]()
        for origin, own in found.items():
            own.sort(key=lambda hit: (-hit.score, rank[hit.document.id]))
            score, why, used = self._lifted(own, derived, rank)
            hits.append(Hit(corpus.documents[corpus.positions[origin]], score, why))
            counted[origin] = tuple(hit.document.id for hit in used)
        told = Lifted({origin: tuple(own) for origin, own in found.items()}, counted)
        return Outcome(in_order(hits, corpus), (), told, corpus)

    def _lifted(
        self, own: list[Hit], derived: Corpus, rank: Mapping[str, int]
    ) -> tuple[float, Sequence[Contribution], Sequence[Hit]]:
        """The score of a document, its addends, and the derived ones (``own``, best first) that are in it."""
        if self.by == "first":
            first = min(own, key=lambda hit: rank[hit.document.id])
            at = rank[first.document.id]
            return 1 / at, (Contribution(Said("first piece at rank {n}", n=at), 1 / at),), [first]
        if self.by == "count":
            return float(len(own)), (Contribution(Said("pieces found"), float(len(own))),), own
        if self.by == "auto-merging":
            own = max(self._merged(own, derived), key=_mean)
        used = own[:1] if self.by == "best" else own
        share = 1.0 if self.by == "sum" else 1 / len(used)
        return share * sum(hit.score for hit in used), _together(used, share), used

    @staticmethod
    def _merged(own: Sequence[Hit], derived: Corpus) -> Iterable[list[Hit]]:
        """The found children of every parent of which more than half were found, and every other one by itself."""
        sizes = derived.once(("sections",), lambda: Counter(_section(derived, d) for d in derived))
        groups = defaultdict[tuple[str, int], list[Hit]](list)
        for hit in own:
            groups[_section(derived, hit.document)].append(hit)
        for section, hits in groups.items():
            if len(hits) > HALF * sizes[section]:
                yield hits
            else:
                yield from ([hit] for hit in hits)


def _section(derived: Corpus, document: Document) -> tuple[str, int]:
    """The parent of a derived document: its origin, and which part of that."""
    return derived.origins[document.id], _number(document, SECTION)


def _number(document: Document, name: str) -> int:
    """A whole number of the metadata of a part; 0 where there is none."""
    value = document.metadata.get(name, 0)
    return value if isinstance(value, int) else 0


def _mean(hits: Sequence[Hit]) -> float:
    return sum(hit.score for hit in hits) / len(hits)


def _together(hits: Sequence[Hit], share: float) -> Sequence[Contribution]:
    """The addends of several hits, each so much of what it was; by their names."""
    if len(hits) == 1 and share == 1:
        return hits[0].why
    return Later(partial(_summed, hits, share))


def _summed(hits: Sequence[Hit], share: float) -> list[Contribution]:
    if not all(hit.why for hit in hits):  # the score of one is no sum
        return []
    sums = defaultdict[tuple[str, int | None], float](float)
    for hit in hits:
        for addend in hit.why:
            sums[addend.source, addend.of] += share * addend.value
    return [Contribution(source, value, of) for (source, of), value in sums.items()]


@dataclass(frozen=True)
class Neighbours(Stage):
    """Of every document that was found by a part of it: that part with its neighbours, in the document's place.

    ``window`` parts before and as many after.  After `Lift` the documents are shortened to the parts that count in
    their scores, and keep their ids; without it the parts themselves grow.  Documents found whole stay whole.
    """

    label = Said("Neighbours")
    about = Said("The piece that was found, with the pieces around it.")

    makes_documents = True

    window: int = knob(
        1,
        low=0,
        high=3,
        label=Said("Window"),
        help=Said("So many pieces before and after the one that was found are returned with it."),
    )

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        for before in reversed(list(ranking.lineage())):
            if isinstance(before.evidence, Lifted):
                derived, counted = before.parents[0].corpus, before.evidence.counted
                found = {doc: [derived.positions[part] for part in parts] for doc, parts in counted.items()}
                return Outcome([self._shown(hit, found.get(hit.document.id, []), derived) for hit in ranking.hits])
        derived = ranking.corpus
        own = [[at] if (at := derived.positions.get(h.document.id)) is not None else [] for h in ranking.hits]
        return Outcome([self._shown(hit, places, derived) for hit, places in zip(ranking.hits, own, strict=True)])

    def _shown(self, hit: Hit, found: Sequence[int], derived: Corpus) -> Hit:
        """The hit with these parts of the derived corpus, by their places, and their neighbours as its text."""
        spans = joined(span for at in found for span in self._around(at, derived))
        if not spans:
            return hit
        text = (
            derived.parents[0]
            .documents[derived.parents[0].positions[derived.origins[derived.documents[found[0]].id]]]
            .text
        )
        return replace(hit, document=replace(hit.document, text="\n".join(text[a:b] for a, b in spans)))

    def _around(self, at: int, derived: Corpus) -> list[tuple[int, int]]:
        """Where in its document a part with its neighbours stands; nothing for what is no part of a text."""

        def origin(i: int) -> str | None:
            return derived.origins.get(derived.documents[i].id) if 0 <= i < len(derived) else None

        near = range(at - self.window, at + self.window + 1)
        same = [derived.documents[i] for i in near if origin(i) is not None and origin(i) == origin(at)]
        if not all("start" in d.metadata for d in same):
            return []
        starts = [_number(d, "start") for d in same]
        return [(min(starts), max(a + len(d.text) for a, d in zip(starts, same, strict=True)))] if same else []
