"""From a list of documents back to the pieces that brought them there: what was matched, and what the way to lift made
of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lab.algebra import Corpus, Document, Env, Lift, Lifted, Ranking
from lab.algebra.verbs import SECTION
from lab.words import N_, Said


@dataclass(frozen=True, slots=True)
class Piece:
    """One derived document, as a piece of the one that it came from.

    ``start`` is its first character there, None where it is no part of the text but was written about it.  ``section``
    is the parent that it is a child of, from 1; 0 where there are no parents.  ``rank`` and ``score`` are its own among
    all pieces, None where it was not found; ``counted`` says whether it is in the score of its document.
    """

    document: Document
    start: int | None
    section: int
    rank: int | None = None
    score: float | None = None
    counted: bool = False

    @property
    def end(self) -> int | None:
        """Behind its last character in the text; None for what is no part of it."""
        return None if self.start is None else self.start + len(self.document.text)


@dataclass(frozen=True)
class Lifting:
    """The step at which pieces became documents: the list of the pieces, that of the documents, and the evidence."""

    pieces: Ranking
    documents: Ranking
    told: Lifted

    def of(self, origin: str) -> tuple[Piece, ...]:
        """The pieces of this document in their order, with what became of them."""
        counted = set(self.told.counted.get(origin, ()))
        return tuple(self._found(piece, counted) for piece in pieces(self.pieces.corpus, origin))

    def _found(self, piece: Piece, counted: set[str]) -> Piece:
        own = piece.document.id
        hit, rank = self.pieces.hit(own), self.pieces.rank(own)
        score = None if hit is None else hit.score
        return Piece(piece.document, piece.start, piece.section, rank, score, own in counted)


def lifting(ranking: Ranking) -> Lifting | None:
    """Where on its way a list was lifted; of several such lists that were fused the first.  None where none was."""
    for step in ranking.lineage():
        if isinstance(step.evidence, Lifted):
            return Lifting(step.parents[0], step, step.evidence)
    return None


def pieces(derived: Corpus, origin: str) -> tuple[Piece, ...]:
    """The derived documents that came from this one, in their order; a document that was not cut is its only piece."""

    def places() -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for i, d in enumerate(derived):
            found.setdefault(derived.origins[d.id], []).append(i)
        return found

    own = [derived.documents[i] for i in derived.once(("pieces",), places).get(origin, ())]
    return tuple(Piece(d, _start(d, origin), _whole(d.metadata.get(SECTION))) for d in own)


def _start(document: Document, origin: str) -> int | None:
    """Where a piece begins; a document that stands for itself begins at its beginning."""
    if document.id == origin:
        return 0
    return _whole(document.metadata["start"]) if "start" in document.metadata else None


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


def stretches(text: str, own: Sequence[Piece]) -> list[tuple[int, int, tuple[int, ...]]]:
    """(start, end, the numbers of the pieces there, from 0) of a text, in order and without a gap."""
    placed = [(p.start, p.end, n) for n, p in enumerate(own) if p.start is not None and p.end is not None]
    edges = sorted({0, len(text), *(edge for a, b, _ in placed for edge in (a, b))})
    spans = zip(edges, edges[1:], strict=False)
    return [(a, b, tuple(n for x, y, n in placed if x <= a and b <= y)) for a, b in spans]


def effect(way: Lifting, by: str, k: int) -> tuple[Said, ...]:
    """What this way to lift made of the first ``k``, in sentences: of the best piece how many documents the pieces are
    of, of every other way what it puts first that the best piece does not, and how many pieces such documents have."""
    found, lifted = way.pieces, way.documents
    if not len(found):
        return ()
    first = {found.corpus.origins[hit.document.id] for hit in found.hits[:k]}
    told = N_("Documents of the chunks retrieved: {n} for the first {k}, {all} for all {pieces}.")
    said = Said(told, k=min(k, len(found)), pieces=len(found), n=len(first), all=len(way.told.children))
    if by == "best":
        return (said,)
    best = Lift()(found, Env(explain=False))
    shown = min(k, len(lifted))
    at = next((i for i in range(shown) if lifted.ids[i] != best.ids[i]), None)
    if at is None:
        return said, Said("The first {k} are the same as with the best chunk, in the same order.", k=shown)
    own, size = lifted.hits[at].document, len(way.told.counted[lifted.ids[at]])
    rank = way.told.children[own.id][0].document.id
    rose = Said(
        "“{title}” is at rank {rank}; by its best chunk alone it would be at {before}. Chunks that count here: "
        "{n}; rank of the best among all chunks: {place}.",
        title=own.label,
        rank=at + 1,
        before=best.rank(own.id),
        n=size,
        place=found.rank(rank),
    )
    mean, usual = (_pieces_of(found.corpus, ranking.ids[:shown]) for ranking in (lifted, best))
    sizes = N_("Chunks per document among the first {k}: {mean} on average; ranked by the best chunk: {usual}.")
    return said, rose, Said(sizes, k=shown, mean=f"{mean:.1f}", usual=f"{usual:.1f}")


def _pieces_of(derived: Corpus, ids: Sequence[str]) -> float:
    return sum(len(pieces(derived, i)) for i in ids) / len(ids)
