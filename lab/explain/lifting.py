"""From a list of documents back to the pieces that matched, and what the aggregation of their scores made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lab.algebra import Corpus, Document, Env, Lift, Lifted, Ranking
from lab.algebra.verbs import SECTION
from lab.words import N_, Said


@dataclass(frozen=True, slots=True)
class Piece:
    """One derived document, as a piece of the document that it came from.

    ``start`` is its first character there, None for a text that was written about the document.  ``section`` is the
    number of its parent piece, from 1; 0 without parent pieces.  ``rank`` and ``score`` are the piece's own among all
    pieces, None if it was not found; ``counted`` says whether it is part of the score of its document.
    """

    document: Document
    start: int | None
    section: int
    rank: int | None = None
    score: float | None = None
    counted: bool = False

    @property
    def end(self) -> int | None:
        """The position behind its last character in the text; None for a text that was written about the document."""
        return None if self.start is None else self.start + len(self.document.text)


@dataclass(frozen=True)
class Lifting:
    """The step that turned pieces into documents: the list of pieces, the list of documents, and the evidence."""

    pieces: Ranking
    documents: Ranking
    evidence: Lifted

    def pieces_of(self, origin: str) -> tuple[Piece, ...]:
        """Returns the pieces of this document in their order, with rank and score."""
        counted = set(self.evidence.counted.get(origin, ()))
        return tuple(self._with_result(piece, counted) for piece in pieces(self.pieces.corpus, origin))

    def _with_result(self, piece: Piece, counted: set[str]) -> Piece:
        piece_id = piece.document.id
        hit, rank = self.pieces.hit(piece_id), self.pieces.rank(piece_id)
        score = None if hit is None else hit.score
        return Piece(piece.document, piece.start, piece.section, rank, score, piece_id in counted)


def lifting(ranking: Ranking) -> Lifting | None:
    """Returns the first step of a list that lifted pieces to documents; None if there is none."""
    for step in ranking.lineage():
        if isinstance(step.evidence, Lifted):
            return Lifting(step.parents[0], step, step.evidence)
    return None


def pieces(derived: Corpus, origin: str) -> tuple[Piece, ...]:
    """Returns the derived documents that came from this one, in order; an undivided document is its only piece."""

    def places() -> dict[str, list[int]]:
        positions: dict[str, list[int]] = {}
        for i, d in enumerate(derived):
            positions.setdefault(derived.origins[d.id], []).append(i)
        return positions

    documents = [derived.documents[i] for i in derived.once(("pieces",), places).get(origin, ())]
    return tuple(Piece(d, _start(d, origin), _whole(d.metadata.get(SECTION))) for d in documents)


def _start(document: Document, origin: str) -> int | None:
    """Returns where a piece begins; an undivided document begins at 0."""
    if document.id == origin:
        return 0
    return _whole(document.metadata["start"]) if "start" in document.metadata else None


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


def stretches(text: str, parts: Sequence[Piece]) -> list[tuple[int, int, tuple[int, ...]]]:
    """Cuts a text at the borders of its pieces: (start, end, numbers of the pieces there), without a gap."""
    placed = [(p.start, p.end, n) for n, p in enumerate(parts) if p.start is not None and p.end is not None]
    edges = sorted({0, len(text), *(edge for a, b, _ in placed for edge in (a, b))})
    spans = zip(edges, edges[1:], strict=False)
    return [(a, b, tuple(n for x, y, n in placed if x <= a and b <= y)) for a, b in spans]


def effect(way: Lifting, by: str, k: int) -> tuple[Said, ...]:
    """Describes the effect of this aggregation on the first ``k``, in sentences.

    For the best piece: how many documents the pieces are from.  For every other aggregation: the first document that
    the best piece would not put there, and how many pieces such documents have.
    """
    piece_list, lifted = way.pieces, way.documents
    if not len(piece_list):
        return ()
    first = {piece_list.corpus.origins[hit.document.id] for hit in piece_list.hits[:k]}
    template = N_("Documents of the chunks retrieved: {n} for the first {k}, {all} for all {pieces}.")
    counts = Said(
        template, k=min(k, len(piece_list)), pieces=len(piece_list), n=len(first), all=len(way.evidence.children)
    )
    if by == "best":
        return (counts,)
    best = Lift()(piece_list, Env(explain=False))
    depth = min(k, len(lifted))
    at = next((i for i in range(depth) if lifted.ids[i] != best.ids[i]), None)
    if at is None:
        return counts, Said("The first {k} are the same as with the best chunk, in the same order.", k=depth)
    document, size = lifted.hits[at].document, len(way.evidence.counted[lifted.ids[at]])
    rank = way.evidence.children[document.id][0].document.id
    rose = Said(
        "“{title}” is at rank {rank}; by its best chunk alone it would be at {before}. Chunks that count here: "
        "{n}; rank of the best among all chunks: {place}.",
        title=document.label,
        rank=at + 1,
        before=best.rank(document.id),
        n=size,
        place=piece_list.rank(rank),
    )
    firsts = (ranking.ids[:depth] for ranking in (lifted, best))
    mean, usual = (sum(len(pieces(piece_list.corpus, i)) for i in ids) / len(ids) for ids in firsts)
    sizes = N_("Chunks per document among the first {k}: {mean} on average; ranked by the best chunk: {usual}.")
    return counts, rose, Said(sizes, k=depth, mean=f"{mean:.1f}", usual=f"{usual:.1f}")
