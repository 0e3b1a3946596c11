"""Multi-query: the same question in other words, one ranking each.

Source: LangChain's ``MultiQueryRetriever``; the offline rule is query expansion by nearest terms, after
S. Kuzi, A. Shtok, O. Kurland, *Query Expansion Using Word Embeddings*, 2016.
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.algebra import Corpus, QueryVariant, knob
from lab.rewrite.base import Found, unique
from lab.rewrite.wording import Wording, WordRule, shared_words, with_cosines
from lab.text import is_han
from lab.words import N_, Said, joined

TOPICS = 8
SHORT = 6
"""Content words of a short question; the mean vector of a longer one is near to everything and to nothing."""


@dataclass(frozen=True)
class MultiQuery(WordRule):
    """Writes up to ``n`` rewrites of the question.

    The rule replaces content words that the corpus never uses by corpus words that say the same (`Wording.same`, cosine
    at least ``close``): by the nearest, by three at once, by the second nearest.  It adds to the content words what the
    ten first hits share more often than chance would have it (pseudo-relevance feedback), and asks a short question
    with such words by the words of another language that are nearest to the whole of it.  Only the content words are
    searched, and a rewrite that searches the words of an earlier one is left out.
    """

    label = Said("Multi-query")
    kind = Said("rewrite")
    about = Said("Asks the same question in other words.")
    neighbours = 10

    n: int = knob(
        4,
        low=1,
        high=10,
        label=Said("Number of rewrites"),
        help=Said("Maximum number of rewrites, besides the question itself."),
    )
    close: float = knob(
        0.3,
        low=0.0,
        high=1.0,
        step=0.05,
        label=Said("Minimum similarity for a match"),
        help=Said("Minimum cosine between a word of the question and the corpus word that replaces it."),
        rare=True,
    )

    def rule(self, query: str, corpus: Corpus, search: Found) -> tuple[QueryVariant, ...]:
        wording = Wording.of(corpus)
        variants = [
            self._replaced(query, wording, 0, 1),
            self._neighbours(query, wording, search),
            self._translated(query, wording),
            self._replaced(query, wording, 0, 3),
            *(self._replaced(query, wording, i, 1) for i in range(1, self.n)),
        ]
        distinct = unique(filter(None, variants), query, wording.terms)[: self.n]
        return distinct or self.nearest_words(self._words(query, wording), wording)

    def _words(self, query: str, wording: Wording) -> list[str]:
        """Returns the content words that the corpus lacks; all of them if it has each."""
        words = dict.fromkeys(t.text for t in wording.content(query))
        return [word for word in words if not wording.knows(word)] or [*words]

    def _replaced(self, query: str, wording: Wording, first: int, count: int) -> QueryVariant | None:
        """Replaces every query word that the corpus lacks by ``count`` of its neighbours, from ``first`` on."""
        rewritten, at, replacements = "", 0, []
        for token in wording.content(query):
            around = query[max(token.start - 1, 0) : token.end + 1]  # half of a name (scikit-learn) stays as well
            if wording.knows(token.text) or any(c.isdigit() or c in "-_/." for c in around):
                continue
            close = wording.same(token.text, at_least=self.close)[first : first + count]
            if close:
                rewritten = spaced(rewritten + query[at : token.start], " ".join(word for word, _ in close))
                at = token.end
                replacements.append(Said("{lay} → {term}", lay=token.text, term=with_cosines(close)))
        if not replacements:
            return None
        rewritten = spaced(rewritten, query[at:])
        pairs = joined(replacements, "; ")
        why = Said("Words missing from the corpus, replaced by ones that say the same: {pairs}.", pairs=pairs)
        # function words would decide between documents that all have the new words
        return QueryVariant(rewritten, self.kind, why, searched=" ".join(t.text for t in wording.content(rewritten)))

    def _translated(self, query: str, wording: Wording) -> QueryVariant | None:
        """Returns the words of another language that are nearest to the whole of a short question."""
        near = [
            (word, cosine)
            for word, cosine in wording.near(query, len(wording.words), at_least=self.close)
            if is_han(word) != is_han(query)
        ][:TOPICS]
        if not near or len(wording.content(query)) > SHORT or all(map(wording.knows, self._words(query, wording))):
            return None
        why = Said("Nearest words of another language: {words}.", words=with_cosines(near))
        return QueryVariant(" ".join(word for word, _ in near), Said("topic words"), why)

    def _neighbours(self, query: str, wording: Wording, search: Found) -> QueryVariant | None:
        """Returns the content words of the query, and the words that the first hits share."""
        content_words = list(dict.fromkeys(query[t.start : t.end] for t in wording.content(query)))
        shared = shared_words(query, search, wording, documents=self.neighbours, n=TOPICS)
        if not shared:
            return None
        why = Said(
            "The content words, and words that the first results share more often than by chance (pseudo-relevance "
            "feedback, {n}): {words}.",
            n=self.neighbours,
            words=[*shared],
        )
        return QueryVariant(" ".join(content_words + shared), Said("shared words"), why)

    def nothing(self, query: str, corpus: Corpus) -> str:
        wording = Wording.of(corpus)
        words = self._words(query, wording)
        message = N_("The corpus has no other word for {words}. A domain vocabulary or a language model may help.")
        if all(map(wording.knows, words)):
            message = N_(
                "The corpus has every word of the question. Only a language model can write it in other words."
            )
        if not words:
            message = N_("The question has no word with a meaning of its own. Name what you are looking for.")
        return Said(message, words=words)


def spaced(before: str, behind: str) -> str:
    """Returns two texts as one, with a space where a Latin word would touch another word."""
    touch = before[-1:].isalnum() and behind[:1].isalnum() and not is_han(before[-1] + behind[0])
    return f"{before} {behind}" if touch else before + behind
