"""Why a list is empty, and what to try: computed from the index and from its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.algebra import Corpus, Index, Ranking
from lab.refine.boolean import ONLY_EXCLUDES
from lab.retrieve.explaining import Explains, Reasons
from lab.retrieve.external import Answered
from lab.retrieve.store import Neighbour, StoreVector, neighbours, relevance
from lab.ui.i18n import _, listed, say
from lab.ui.layout import operators
from lab.words import Said

WORDS = 8
"""Maximum number of question words in a reason."""
LOOKED = 20_000
"""Maximum number of passages in which the characters of a word are looked up."""


def nothing(ranking: Ranking, index: Index | None) -> str:
    """Returns why the list of this index is empty; without an index, judged by the question alone."""
    if ranking.query.blank and ranking.query.made_from is not None and not ranking.query.made_from.blank:
        return say(ONLY_EXCLUDES)
    if ranking.query.blank:
        return _("The query is empty. Type a question.")
    if gone := operators.removed(ranking):
        first = {"n": len(gone), "title": gone[0].document.label, "reason": say(gone[0].reason)}
        return _("The operators of the question removed all results ({n}). First “{title}”: {reason}", **first)
    if isinstance(ranking.evidence, Answered):
        return say(ranking.evidence.reason)
    if isinstance(index, Reasons):
        return say(index.reason(ranking.query))
    if isinstance(index, Explains):
        names = [*dict.fromkeys(index.names(ranking.query).values())]
        if names:
            words = names[:WORDS]
            if _nowhere(names, ranking.corpus):
                return _(
                    "The corpus contains none of these words: {words}. Try other words, or a vector list.", words=words
                )
            if index.operator.filtered:
                return _filtered()
            message = _("With this tokenizer, no passage contains any of these words: {words}.", words=words)
            return listed((message, _("Try another tokenizer, other words, or a vector list.")), " ")
    elif hasattr(index, "query_vector"):
        if any(map(str.isalnum, ranking.query.text)):
            return _near(ranking, index)
    elif index is not None:  # a retriever without explanations gives no reason
        return _("This list has no results for the question. Ask something else, or choose another list.")
    return _("The query contains no searchable word. Try a whole word.")


def _filtered() -> str:
    message = _("No passage that passes the filter is similar to the question.")
    return listed((message, _("Loosen the filter, or ask something else.")), " ")


def _nowhere(names: Sequence[str], corpus: Corpus) -> bool:
    """Returns whether no passage contains these characters, however tokenized; False for a large corpus."""
    if len(corpus) > LOOKED or corpus.elsewhere:
        return False
    written = (name.values.get("word", name) if isinstance(name, Said) else name for name in names)
    words = [str(word).casefold() for word in written]
    return not any(name in text for d in corpus for text in (d.content.casefold(),) for name in words)


def _near(ranking: Ranking, index: Any) -> str:
    """Returns why a vector list is empty: no question vector, a filter or a threshold, or no similar passage."""
    operator, model_name = index.operator, {"model": say(index.operator.embedder.label)}
    if not index.query_vector(ranking.query).any():
        message = _("{model} knows no word of this question, so it has no vector to compare.", **model_name)
        return listed((message, _("Try other words, another embedding model, or a list by words (BM25).")), " ")
    if isinstance(operator, StoreVector):
        if neighbours(ranking) and (operator.max_distance is not None or operator.min_relevance is not None):
            return _limits(operator, neighbours(ranking))
        if operator.filtered:
            return _filtered()
    return _("With {model}, no passage is similar to the question.", **model_name)


def _limits(store: StoreVector, compared: Sequence[Neighbour]) -> str:
    """Names the thresholds that exclude every passage the store compared (nearest first), and how to change them."""
    within = [near for near in compared if store.max_distance is None or near.distance <= store.max_distance]
    relevances = {near.document.id: relevance(store.space, near.distance) for near in compared}
    highest = max(relevances[near.document.id] for near in within or compared)
    facts = [_("Compares only passages that pass the filter.")] if store.filter else []
    too_far, too_low = not within, store.min_relevance is not None and highest < store.min_relevance
    if too_far:
        far = {"distance": f"{compared[0].distance:.4f}", "limit": f"{store.max_distance:.4f}"}
        facts.append(_("The nearest passage is at distance {distance}; the limit is {limit}.", **far))
    if too_low:
        low = {"relevance": f"{highest:.4f}", "limit": f"{store.min_relevance:.4f}"}
        fact = _("The highest relevance is {relevance}; the threshold is {limit}.", **low)
        if highest < max(relevances.values()):  # in the space of inner products a nearer passage may be less relevant
            most = f"{store.max_distance:.4f}"
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
    return listed([*facts, advice], " ")
