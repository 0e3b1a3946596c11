"""Multi-query: the same question in other words, one ranking each.

Source: LangChain's ``MultiQueryRetriever``; the offline rule is query expansion by nearest terms, after
S. Kuzi, A. Shtok, O. Kurland, *Query Expansion Using Word Embeddings*, 2016.
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.algebra import Corpus, QueryVariant, knob
from lab.rewrite.base import Found, Rewording
from lab.rewrite.wording import Wording, shared_words
from lab.text import language_of
from lab.words import N_, Said, joined

SHORT = 6
"""Content words of a short query; the mean vector of a longer one is near to everything and to nothing."""
TOPICS = 8
TEMPLATES = {"en": "What is it about {words}?", "zh": "{words}，是怎么回事？"}


@dataclass(frozen=True)
class MultiQuery(Rewording):
    """Writes up to ``n`` rewrites of the question.

    The rule replaces content words that the corpus never uses by the nearest ones that it does use (cosine at
    least ``close``): by the nearest, by three at once, by the second nearest.  It adds to the content words what the
    ten first hits share (pseudo-relevance feedback), and asks a short query by the topic words nearest to the
    whole of it, in the frame of a question.  Only the content words are searched.
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
            self._topics(query, wording),
            self._replaced(query, wording, 0, 3),
            *(self._replaced(query, wording, i, 1) for i in range(1, self.n)),
        ]
        seen: dict[str, QueryVariant] = {}
        for variant in variants:
            if variant and variant.text != query:
                seen.setdefault(variant.text, variant)
        return tuple(seen.values())[: self.n]

    def _replaced(self, query: str, wording: Wording, first: int, count: int) -> QueryVariant | None:
        """Replaces every query word that the corpus lacks by ``count`` of its neighbours, from ``first`` on."""
        rewritten, at, replacements = "", 0, []
        for token in wording.content(query):
            around = query[max(token.start - 1, 0) : token.end + 1]  # half of a name (scikit-learn) stays as well
            if token.text in wording.df or any(c.isdigit() or c in "-_/." for c in around):
                continue
            close = wording.near(token.text, first + count, at_least=self.close)[first:]
            if close:
                rewritten += query[at : token.start] + " ".join(word for word, _ in close)
                at = token.end
                near = [f"{word} ({cosine:.2f})" for word, cosine in close]
                replacements.append(Said("{lay} → {term}", lay=token.text, term=near))
        if not replacements:
            return None
        rewritten += query[at:]
        pairs = joined(replacements, "; ")
        why = Said("Words missing from the corpus, replaced by similar ones: {pairs}.", pairs=pairs)
        # function words would decide between documents that all have the new words
        return QueryVariant(rewritten, self.kind, why, searched=" ".join(t.text for t in wording.content(rewritten)))

    def _neighbours(self, query: str, wording: Wording, search: Found) -> QueryVariant | None:
        """Returns the content words of the query, and the words that the first hits share."""
        content_words = list(dict.fromkeys(query[t.start : t.end] for t in wording.content(query)))
        shared = shared_words(query, search, wording, documents=self.neighbours, n=TOPICS)
        if not shared:
            return None
        message = N_(
            "The content words, and words common to the first results (pseudo-relevance feedback, {n}): {words}."
        )
        why = Said(message, n=self.neighbours, words=[*shared])
        return QueryVariant(" ".join(content_words + shared), Said("shared words"), why)

    def _topics(self, query: str, wording: Wording) -> QueryVariant | None:
        """Returns the words of the corpus nearest to the whole of a short query."""
        if len(wording.content(query)) > SHORT:
            return None
        near = wording.near(query, TOPICS, at_least=self.close)
        if not near:
            return None
        words = " ".join(word for word, _ in near)
        message = N_("The corpus words nearest the whole question; the first has cosine {cosine:.2f}.")
        why = Said(message, cosine=near[0][1])
        return QueryVariant(TEMPLATES[language_of(query)].format(words=words), Said("topic words"), why, searched=words)
