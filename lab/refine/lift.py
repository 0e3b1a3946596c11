"""From derived documents back to those that they came from: parents for children, wholes for parts.

Sources: LangChain's ``ParentDocumentRetriever`` (unique parents in the order of their first child); LlamaIndex's
``AutoMergingRetriever`` (a parent takes the place of its children where more than half of them were found, with the
mean of their scores) and ``MetadataReplacementPostProcessor`` (the window around a sentence); RAGFlow (the mean).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from lab.core import Contribution, Corpus, Document, Env, Hit, Later, Outcome, Ranking, Stage, in_order, knob
from lab.derive.parts import SECTION
from lab.text import joined
from lab.words import Said

HALF = 0.5
"""Of more than this share of a parent's children auto-merging makes one."""


@dataclass(frozen=True)
class Lifted:
    """Which derived documents brought each document here: by its id, best first; ``used`` are those in its score."""

    children: Mapping[str, Sequence[Hit]]
    used: Mapping[str, Sequence[Hit]]

    @cached_property
    def counted(self) -> Mapping[str, tuple[str, ...]]:
        """The ids of the derived documents that are in the score of each document."""
        return {origin: tuple([hit.document.id for hit in hits]) for origin, hits in self.used.items()}


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
        corpus, origins, by = derived.parents[0], derived.origins, self.by
        documents, positions = corpus.documents, corpus.positions
        found, first = dict[str, list[Hit]](), dict[str, int]()
        for rank, hit in enumerate(ranking.hits, 1):
            origin = origins.get(hit.document.id, "")
            if origin in found:
                found[origin].append(hit)
            elif origin in positions:
                found[origin], first[origin] = [hit], rank
        hits, used = list[Hit](), dict[str, Sequence[Hit]]()
        for origin, own in found.items():
            used[origin] = own
            if by == "first":
                used[origin] = own[:1]
                score, why = _placed(first[origin])
            elif len(own) == 1 and by != "count":
                score, why = own[0].score, own[0].why
            if len(own) > 1:
                own.sort(key=_best)  # equal ones stay in the order of their ranks
            if by != "first" and (len(own) > 1 or by == "count"):
                score, why, used[origin] = self._lifted(own, derived)
            hits.append(Hit(documents[positions[origin]], score, why))
        return Outcome(in_order(hits, corpus), (), Lifted(found, used), corpus)

    def _lifted(self, own: list[Hit], derived: Corpus) -> tuple[float, Sequence[Contribution], Sequence[Hit]]:
        """The score of a document, its addends, and the derived ones (``own``, best first) that are in it."""
        if self.by == "count":
            n = float(len(own))
            return n, Later(lambda: [Contribution(Said("pieces found"), n)]), own
        if self.by == "auto-merging":
            own = max(self._merged(own, derived), key=_mean)
        if self.by == "best" or len(own) == 1:
            return own[0].score, own[0].why, own[:1]
        share = 1.0 if self.by == "sum" else 1 / len(own)
        return share * sum([hit.score for hit in own]), Later(partial(_summed, own, share)), own

    @staticmethod
    def _merged(own: Sequence[Hit], derived: Corpus) -> Iterable[list[Hit]]:
        """The found children of every parent of which more than half were found, and every other one by itself."""
        sections = derived.once(("sections",), lambda: {d.id: _section(derived, d) for d in derived})
        sizes = derived.once(("sections", "sizes"), lambda: Counter(sections.values()))
        groups = defaultdict[tuple[str, int], list[Hit]](list)
        for hit in own:
            groups[sections[hit.document.id]].append(hit)
        for section, hits in groups.items():
            if len(hits) > HALF * sizes[section]:
                yield hits
            else:
                yield from ([hit] for hit in hits)


def _placed(rank: int) -> tuple[float, Sequence[Contribution]]:
    """The score of a document by the rank of its first piece, and its addend."""
    return 1 / rank, Later(lambda: [Contribution(Said("first piece at rank {n}", n=rank), 1 / rank)])


def _best(hit: Hit) -> float:
    return -hit.score


def _section(derived: Corpus, document: Document) -> tuple[str, int]:
    """The parent of a derived document: its origin, and which part of that."""
    return derived.origins[document.id], _number(document, SECTION)


def _number(document: Document, name: str) -> int:
    """A whole number of the metadata of a part; 0 where there is none."""
    value = document.metadata.get(name, 0)
    return value if isinstance(value, int) else 0


def _mean(hits: Sequence[Hit]) -> float:
    return sum([hit.score for hit in hits]) / len(hits)


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

    label = Said("Neighbouring pieces")
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
