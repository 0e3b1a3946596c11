"""The context: which passages are sent to a language model, in which order, and how they are fenced off the question.

A model reads a text of limited length, not a ranking.  The omitted passages, with their reasons, matter to the answer
as much as those that are sent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lab.algebra import Corpus, Document, Drop, Env, Hit, Outcome, Ranking, Stage, fraction, knob
from lab.models.embedders import Embedder, vectors_for
from lab.models.static import EMBEDDER
from lab.numeric import Floats, cosines
from lab.refine.filters import ALIKE
from lab.refine.reorder import ORDERS as REORDERED
from lab.refine.reorder import LongContextReorder
from lab.text import count_tokens, cut
from lab.words import N_, Said

BY_DOCUMENT = "by document"
ORDERS = {order: REORDERED[order] for order in ("best first", "long-context")} | {BY_DOCUMENT: Said("by document")}
SOURCES = ("source", "parent")
"""Metadata fields that name the document which a passage was cut from."""
FENCE = "###"
_RUNS = re.compile("#+")
_LONGEST_TITLE = 120


@dataclass(frozen=True)
class Context(Stage):
    """Selects the first ``most`` passages that fit into ``budget`` tokens, without duplicates, in an ``order``.

    From the top down, a passage is left out if its cosine with a chosen one is ``duplicates`` or more, or if it is
    longer than the remaining budget; a shorter one below it may still fit.  Tokens are estimates
    (`lab.text.count_tokens`) of the passage as it is sent, with its header.  ``by document`` puts passages of one
    document (the metadata field ``source`` or ``parent``, else that from which the corpus was derived) side by side in
    the order of the corpus, documents by their best passage.  The evidence is a `Sent`.
    """

    inputs = ("texts", "metadata")
    role = "context"
    label = Said("Context")
    about = Said(
        "Selects the passages for a language model's context: within a token budget, without duplicates, "
        "in a chosen order."
    )

    budget: int = knob(
        1500,
        Said("Budget"),
        Said("Estimated tokens. Passages are added by rank until the next one does not fit."),
        low=20,
        high=1_000_000,
        step=100,
    )
    most: int = knob(
        8, Said("Maximum passages"), Said("Maximum number of passages sent to the model."), low=1, high=200
    )
    order: str = knob("best first", Said("Order"), Said("Order of the passages in the context."), choices=ORDERS)
    duplicates: float = fraction(
        0.95,
        Said("Minimum cosine of duplicates"),
        Said("Leaves out near-duplicates of passages already in the context. 1: only exact copies."),
        step=0.01,
        rare=True,
    )
    embedder: Embedder = EMBEDDER()

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        if not ranking.hits:
            return Outcome((), (), Sent((), (), (), self.budget))
        documents = [hit.document for hit in ranking.hits]
        similarity = cosines(*vectors_for(self.embedder, ranking.query.text, documents, ranking.corpus, env))[1]
        chosen, drops, left = list[int](), list[Drop](), self.budget
        late = N_("Maximum number of passages: {most}.")
        long = N_("Does not fit: tokens {tokens}, remaining {left} of {budget}.")
        for place, document in enumerate(documents):
            tokens = taken(document)
            if len(chosen) == self.most:
                reason = Said(late, most=self.most)
            elif duplicate := self._duplicate(documents, place, chosen, similarity):
                reason = duplicate
            elif tokens > left:
                reason = Said(long, tokens=tokens, left=left, budget=self.budget)
            else:
                chosen.append(place)
                left -= tokens
                continue
            drops.append(Drop(document, reason, self.label))
        ranks = {documents[place].id: place + 1 for place in chosen}
        placed = self._ordered([ranking.hits[place] for place in chosen], ranking)
        passages = tuple(hit.document for hit in placed)
        sent = Sent(passages, tuple(ranks[d.id] for d in passages), tuple(map(taken, passages)), self.budget)
        return Outcome(placed, drops, sent)

    def _duplicate(
        self, documents: Sequence[Document], place: int, chosen: Sequence[int], similarity: Floats
    ) -> Said | None:
        """Returns why this passage is a near-duplicate of one of the chosen ones; None if it is not."""
        nearest = max(chosen, key=lambda other: similarity[place, other], default=None)
        if nearest is None or similarity[place, nearest] < self.duplicates - ALIKE:
            return None
        same = N_("Cosine {cosine:.3f} with “{document}”, which is sent; threshold {limit:.2f}.")
        cosine, label = float(similarity[place, nearest]), documents[nearest].label
        return Said(same, cosine=cosine, document=label, limit=self.duplicates)

    def _ordered(self, hits: Sequence[Hit], ranking: Ranking) -> Sequence[Hit]:
        if self.order != BY_DOCUMENT:
            return LongContextReorder(self.order).refine(replace(ranking, hits=tuple(hits)), Env()).hits
        first: dict[str, int] = {}
        for i, hit in enumerate(hits):
            first.setdefault(source(hit.document, ranking.corpus), i)
        place = ranking.corpus.positions
        return sorted(
            hits, key=lambda h: (first[source(h.document, ranking.corpus)], place.get(h.document.id, len(place)))
        )


@dataclass(frozen=True)
class Sent:
    """The passages as they are sent, the rank of each in the list and its tokens, and the budget that they keep to."""

    passages: tuple[Document, ...]
    ranks: tuple[int, ...]
    tokens: tuple[int, ...]
    budget: int

    @property
    def by_rank(self) -> tuple[Document, ...]:
        """Returns the passages by rank, best first."""
        return tuple(self.passages[i] for i in sorted(range(len(self.ranks)), key=self.ranks.__getitem__))


def source(document: Document, corpus: Corpus) -> str:
    """Returns the name of the document that a passage was cut from: a metadata field, its origin, or its own id."""
    for field in SOURCES:
        value = document.metadata.get(field)
        if isinstance(value, str) and value:
            return value
    return corpus.origins.get(document.id, document.id)


def taken(document: Document) -> int:
    """Estimates the tokens of a passage in the prompt, including its header."""
    return count_tokens(_header(FENCE, 10, document)) + count_tokens(document.text)


def fence(texts: Sequence[str]) -> str:
    """Returns a run of # that none of the texts contains, so that no text can imitate a header."""
    longest = max((len(run) for text in texts for run in _RUNS.findall(text)), default=0)
    return "#" * max(len(FENCE), longest + 1)


def numbered(passages: Sequence[Document], fenced: str) -> str:
    """Joins the passages, each under a header line that begins with the fence, numbered from 1."""
    return "\n\n".join(f"{_header(fenced, i, d)}\n{d.text}" for i, d in enumerate(passages, 1))


def _header(fenced: str, number: int, document: Document) -> str:
    return f"{fenced} [{number}] {cut(document.title, _LONGEST_TITLE)}".rstrip()
