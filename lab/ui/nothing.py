"""Why a list is empty, and what to try: computed from the index that was asked and from what it found."""

from __future__ import annotations

from collections.abc import Sequence

from lab.algebra import Corpus, Index, Ranking
from lab.retrieve.explaining import Explains
from lab.retrieve.store import StoreVector, relevance
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
    if isinstance(index, Explains) and index.operator.filtered:
        return _("No passage that the filter lets through has anything in common with the question. Loosen the filter.")
    if isinstance(index, Explains):
        names = [*dict.fromkeys(index.names(ranking.query).values())]
        if names:
            words = ", ".join(map(say, names[:WORDS]))
            if _nowhere(names, ranking.corpus):
                return _(
                    "None of these words is in the corpus: {words}. Try other words, or a vector list.", words=words
                )
            said = _("Cut in this way, no passage has any of these words: {words}.", words=words)
            return said + " " + _("Try another tokenizer, other words, or a vector list.")
    elif isinstance(index, VectorIndex) and any(map(str.isalnum, ranking.query.text)):
        return _near(ranking, index)
    return _("The query has no word that can be searched. Try a whole word.")


def _nowhere(names: Sequence[str], corpus: Corpus) -> bool:
    """Whether no passage has these characters, however it is cut; of a large corpus that is not looked up."""
    if len(corpus) > LOOKED or corpus.elsewhere:
        return False
    written = (name.values.get("word", name) if isinstance(name, Said) else name for name in names)
    wanted = [str(word).casefold() for word in written]
    return not any(name in text for d in corpus for text in (d.content.casefold(),) for name in wanted)


def _near(ranking: Ranking, index: VectorIndex) -> str:
    """The same of vectors: the question has none, a filter or a limit lets nothing through, or nothing is alike."""
    own, named = index.operator, {"model": say(index.operator.embedder.label)}
    if not index.query_vector(ranking.query).any():
        said = _("{model} knows no word of this question, so that it has no vector to compare.", **named)
        return said + " " + _("Try other words, another embedder, or a list by words (BM25).")
    if isinstance(own, StoreVector) and ranking.evidence and own.max_distance is not None:
        far = {"distance": f"{ranking.evidence[0].distance:.4f}", "limit": f"{own.max_distance:.4f}"}
        said = _("The nearest passage is at distance {distance}, and the limit is {limit}.", **far)
        return said + " " + _("Raise the limit, or ask something else.")
    if isinstance(own, StoreVector) and ranking.evidence and own.min_relevance is not None:
        most = max(relevance(own.space, near.distance) for near in ranking.evidence)
        told = {"relevance": f"{most:.4f}", "limit": f"{own.min_relevance:.4f}"}
        said = _("The highest relevance is {relevance}, and the limit is {limit}.", **told)
        return said + " " + _("Lower the limit, or ask something else.")
    if own.filtered:
        return _("No passage that the filter lets through has anything in common with the question. Loosen the filter.")
    return _("By {model} no passage has anything in common with the question.", **named)
