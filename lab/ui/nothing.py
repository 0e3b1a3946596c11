"""Why a list is empty, and what to try: computed from the index that was asked and from what it found."""

from __future__ import annotations

from collections.abc import Sequence

from lab.algebra import Corpus, Index, Ranking
from lab.retrieve.compressed import CompressedIndex
from lab.retrieve.explaining import Explains, Reasons
from lab.retrieve.store import Neighbour, StoreVector, neighbours, relevance
from lab.retrieve.vector import VectorIndex
from lab.ui.i18n import _, say
from lab.words import Said

WORDS = 8
"""So many words of a question are named."""
LOOKED = 20_000
"""In at most so many passages it is looked up whether the characters of a word stand anywhere."""


def nothing(ranking: Ranking, index: Index | None) -> str:
    """The reason why the list of this index is empty; without an index only what the question tells."""
    if ranking.query.blank:
        return _("The query is empty. Type a question.")
    if isinstance(index, Reasons):
        return say(index.reason(ranking.query))
    if isinstance(index, Explains):
        names = [*dict.fromkeys(index.names(ranking.query).values())]
        if names:
            words = ", ".join(map(say, names[:WORDS]))
            if _nowhere(names, ranking.corpus):
                return _(
                    "The corpus contains none of these words: {words}. Try other words, or a vector list.", words=words
                )
            if index.operator.filtered:
                return _filtered()
            said = _("With this tokenizer, no passage contains any of these words: {words}.", words=words)
            return said + " " + _("Try another tokenizer, other words, or a vector list.")
    elif isinstance(index, VectorIndex | CompressedIndex):
        if any(map(str.isalnum, ranking.query.text)):
            return _near(ranking, index)
    elif index is not None:  # of a retriever that does not explain itself, nothing more is known
        return _("This list has no results for the question. Ask something else, or choose another list.")
    return _("The query contains no searchable word. Try a whole word.")


def _filtered() -> str:
    said = _("No passage that passes the filter is similar to the question.")
    return said + " " + _("Loosen the filter, or ask something else.")


def _nowhere(names: Sequence[str], corpus: Corpus) -> bool:
    """Whether no passage has these characters, however it is cut; of a large corpus that is not looked up."""
    if len(corpus) > LOOKED or corpus.elsewhere:
        return False
    written = (name.values.get("word", name) if isinstance(name, Said) else name for name in names)
    wanted = [str(word).casefold() for word in written]
    return not any(name in text for d in corpus for text in (d.content.casefold(),) for name in wanted)


def _near(ranking: Ranking, index: VectorIndex | CompressedIndex) -> str:
    """The same of vectors: the question has none, a filter or a limit lets nothing through, or nothing is alike."""
    own, named = index.operator, {"model": say(index.operator.embedder.label)}
    if not index.query_vector(ranking.query).any():
        said = _("{model} knows no word of this question, so it has no vector to compare.", **named)
        return said + " " + _("Try other words, another embedding model, or a list by words (BM25).")
    if isinstance(own, StoreVector):
        if neighbours(ranking) and (own.max_distance is not None or own.min_relevance is not None):
            return _limits(own, neighbours(ranking))
        if own.filtered:
            return _filtered()
    return _("With {model}, no passage is similar to the question.", **named)


def _limits(own: StoreVector, compared: Sequence[Neighbour]) -> str:
    """Which limits keep out all that the store has compared (nearest first), and which have to change."""
    within = [near for near in compared if own.max_distance is None or near.distance <= own.max_distance]
    relevances = {near.document.id: relevance(own.space, near.distance) for near in compared}
    highest = max(relevances[near.document.id] for near in within or compared)
    facts = [_("Compares only passages that pass the filter.")] if own.filter else []
    too_far, too_low = not within, own.min_relevance is not None and highest < own.min_relevance
    if too_far:
        far = {"distance": f"{compared[0].distance:.4f}", "limit": f"{own.max_distance:.4f}"}
        facts.append(_("The nearest passage is at distance {distance}; the limit is {limit}.", **far))
    if too_low:
        low = {"relevance": f"{highest:.4f}", "limit": f"{own.min_relevance:.4f}"}
        fact = _("The highest relevance is {relevance}; the threshold is {limit}.", **low)
        if highest < max(relevances.values()):  # in the space of inner products a nearer passage may be less relevant
            most = f"{own.max_distance:.4f}"
            fact = _(
                "Within distance {distance}, the highest relevance is {relevance}; the threshold is {limit}.",
                distance=most,
                **low,
            )
        facts.append(fact)
    if too_far and too_low:
        advice = _("Raise the distance limit and lower the relevance threshold, or ask something else.")
    elif too_far:
        advice = _("Raise the limit, or ask something else.")
    else:
        advice = _("Lower the threshold, or ask something else.")
    return " ".join([*facts, advice])
