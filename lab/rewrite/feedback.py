"""Relevance feedback: the question again, with weighted words of passages that are taken, or said, to be good.

`RM3` trusts the first hits, which nobody has checked; `Rocchio` the passages that the visitor has marked.  Both ask one
new question, whose words have weights (`Query.weights`): the question itself, and words as they are written, so that
each search analyses them like any other text.

Sources: V. Lavrenko and W. B. Croft, *Relevance-Based Language Models*, SIGIR 2001 (RM1); N. Abdul-Jaleel et al.,
*UMass at TREC 2004: Novelty and HARD* (RM3); J. J. Rocchio, *Relevance Feedback in Information Retrieval*, in
G. Salton (ed.), *The SMART Retrieval System*, 1971.  The limit for common words and the defaults are Anserini's.
"""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from lab.algebra import (
    ALONE,
    Corpus,
    Document,
    Env,
    Query,
    QueryVariant,
    Rewrite,
    Rewriter,
    Searcher,
    knob,
)
from lab.fuse import RRF
from lab.kept import Kept
from lab.retrieve.lexical import BM25
from lab.retrieve.matrix import TermMatrix
from lab.text import ANALYZER, Analyzer
from lab.words import N_, Said, joined

FEW = 2
"""A word in no more documents than this is never too common: in ten documents, one would be a tenth already."""
KEPT = 5000
"""The words of so many documents are kept with their corpus: many questions have the same first hits."""
Weights = list[tuple[str, float]]
"""(word, weight)"""


class Bag:
    """Counts the words of some documents of a corpus, and how each is written there.

    Pairs and parts of words are not counted: they are produced again when a word is analysed.
    """

    def __init__(self, documents: Iterable[Document], corpus: Corpus, analyzer: Analyzer, common: float) -> None:
        self._analyzer, self._matrix = analyzer, TermMatrix.for_corpus(corpus, analyzer)
        self._most = max(common * len(corpus), FEW)
        self._written: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._kept: Kept[Counter[tuple[str, str]]] = corpus.once(("spelled", analyzer), lambda: Kept(KEPT))
        self.counts = [self._counted(document) for document in documents]

    def _counted(self, document: Document) -> Counter[str]:
        found = self._kept.computed(document, lambda: Counter(spelled(document.content, self._analyzer)))
        counts: Counter[str] = Counter()
        for (term, written), n in found.items():
            counts[term] += n
            self._written[term][written] += n
        return counts

    def telling(self, counts: Mapping[str, int]) -> Iterator[tuple[str, int, float]]:
        """Yields (term, tf, idf) of the words that are not too common; idf is ln(N / df)."""
        m = self._matrix
        for term, tf in counts.items():
            j = m.vocabulary.get(term, -1)  # a search may lead to documents of another corpus
            df = float(m.df[j]) if j >= 0 else 0.0
            if 0 < df <= self._most and len(term) > 1:
                yield term, tf, math.log(len(m.lengths) / df)

    def elsewhere(self, term: str) -> bool:
        """Returns whether any other document of the corpus contains the word."""
        return float(self._matrix.df[self._matrix.vocabulary[term]]) > sum(term in counts for counts in self.counts)

    def strongest(self, weights: Mapping[str, float], n: int) -> Weights:
        """Returns the ``n`` largest weights, ties by term, each with the word as these documents write it most often.

        A word that is not found when it is looked up alone is passed over.
        """
        strongest_terms: Weights = []
        for term, weight in sorted(weights.items(), key=lambda pair: (-round(pair[1], 12), pair[0])):
            written = (w for w, _ in sorted(self._written[term].items(), key=lambda pair: (-pair[1], pair[0])))
            word = next((w for w in written if term in self._analyzer.tokens(w)), "")
            if len(strongest_terms) == n or weight <= 0:
                break
            if word:
                strongest_terms.append((word, weight))
        return strongest_terms


def spelled(text: str, analyzer: Analyzer) -> Iterator[tuple[str, str]]:
    """Yields (term, written form in lower case) of every word of a text."""
    for token in analyzer.spans(text):
        if getattr(token, "kind", "word") == "word":
            yield token.text, text[token.start : token.end].lower()


@dataclass(frozen=True)
class Feedback(Rewriter):
    """The common base of RM3 and Rocchio: one list, for the one new question, with its own scores."""

    keeps_original = False
    merged_by = RRF()

    common: float = knob(
        0.1,
        low=0.0,
        high=1.0,
        step=0.05,
        label=Said("Maximum document frequency"),
        help=Said("Words in more than this share of the documents are not added."),
        rare=True,
        kw_only=True,
    )
    analyzer: Analyzer = ANALYZER(kw_only=True)

    @abstractmethod
    def learn(self, query: Query, corpus: Corpus, env: Env) -> tuple[QueryVariant | None, str]:
        """Returns the new question, or None and a sentence that says why there is none."""

    def rewrite(self, query: Query, corpus: Corpus, env: Env = ALONE) -> Rewrite:
        start = time.perf_counter()
        variant, unchanged = (None, "") if query.blank else self.learn(query, corpus, env)
        seconds = time.perf_counter() - start
        return Rewrite(query, (variant,) if variant else (), self, "rule", unchanged=unchanged, seconds=seconds)

    def _own(self, query: Query) -> tuple[Weights, list[float]]:
        """Returns the query's weighted texts and the weight of each word, or of each text if there are no words."""
        weighted_texts = query.weights or ((query.text, 1.0),)
        counts: defaultdict[str, float] = defaultdict(float)
        for text, weight in weighted_texts:
            for term, _ in spelled(text, self.analyzer):
                counts[term] += weight
        return list(weighted_texts), [*counts.values()] or [weight for _, weight in weighted_texts]

    def _made(self, query: Query, query_weights: Weights, share: float, added: Weights, why: str) -> QueryVariant:
        """Builds the new query: the question times ``share``, and the added words with their weights."""
        weights = [(text, share * weight) for text, weight in query_weights] + added
        known = {written for text, _ in query_weights for _, written in spelled(text, self.analyzer)}
        text = " ".join([query.text, *(word for word, weight in added if weight > 0 and word not in known)])
        return QueryVariant(text, Said("feedback"), why, weights=tuple((w, x) for w, x in weights if x))


@dataclass(frozen=True)
class RM3(Feedback):
    r"""Mixes the question with words of its first results, which are taken to be relevant.

    RM1, over the first ``documents`` hits D with |D| words each::

        P(w|R) = sum over D of  tf(w, D) / |D|  *  score(D) / sum of scores

    of which the ``words`` largest are brought to the sum 1.  RM3: P'(w) = share P(w|Q) + (1 - share) P(w|R), where
    P(w|Q) is a word's share of the question's words.  A score below 0 counts as 0; if none is above 0, all count
    alike.  Anserini's share is 0.5 too; it reads |D| without the words that are too common.
    """

    label = Said("RM3 feedback")
    about = Said("Searches again with weighted words from the first results, which nobody has checked.")

    documents: int = knob(
        10, low=1, high=100, label=Said("Results to learn from"), help=Said("These passages are taken to be relevant.")
    )
    words: int = knob(
        10,
        low=1,
        high=100,
        label=Said("Added words"),
        help=Said("Number of the most frequent words taken from these results."),
    )
    share: float = knob(
        0.5,
        low=0.0,
        high=1.0,
        step=0.05,
        label=Said("Share of the question"),
        help=Said("Share of the weight that the question keeps. 1: nothing is added; 0: only the added words count."),
    )
    learns_from: Searcher = knob(
        BM25(),
        kind="spec",
        label=Said("Search to learn from"),
        help=Said("The search whose first results provide the words."),
        kw_only=True,
    )

    def learn(self, query: Query, corpus: Corpus, env: Env) -> tuple[QueryVariant | None, str]:
        hits = env.search(self.learns_from, corpus, query, self.documents).hits[: self.documents]
        if not hits:
            return None, Said("The first search found nothing, so there are no words to add.")
        bag = Bag((h.document for h in hits), corpus, self.analyzer, self.common)
        scores = [max(h.score, 0.0) for h in hits]
        total = sum(scores)
        likely = [s / total for s in scores] if total else [1 / len(hits)] * len(hits)
        model: defaultdict[str, float] = defaultdict(float)
        for counts, p in zip(bag.counts, likely, strict=True):
            for term, tf, _ in bag.telling(counts):
                model[term] += tf / counts.total() * p
        strongest_terms = bag.strongest(model, self.words)
        if not strongest_terms:
            return None, Said("The first results contain no word that is rare enough to be added.")
        whole = sum(weight for _, weight in strongest_terms)
        added = [(word, (1 - self.share) * weight / whole) for word, weight in strongest_terms]
        query_weights, word_weights = self._own(query)
        size = sum(map(abs, word_weights)) or 1.0
        message = Said(
            "From the first results (pseudo-relevance feedback, {n}): {words}.",
            n=len(hits),
            words=_weights_as_text(added),
        )
        return self._made(query, query_weights, self.share / size, added, message), ""


@dataclass(frozen=True)
class Rocchio(Feedback):
    r"""Moves the question towards the passages marked as good, and away from those marked as bad.

    ::

        q' = alpha q + beta (mean of the good) - gamma (mean of the bad)

    over vectors of length 1: of the question's words by their counts, of a passage's by tf ln(N / df).  Of the words
    that come from passages, the ``words`` largest weights and the ``words`` most negative ones are kept; not those
    that only marked passages have, for they find nothing.  ``more`` and ``less`` are ids of documents; those that the
    corpus does not have are ignored.  The factors come from Rocchio's experiments in SMART.
    """

    label = Said("Marked passages (Rocchio)")
    about = Said("Searches again: words of passages marked as good add to the score, words of bad ones subtract.")

    more: tuple[str, ...] = knob(
        (), kind="words", label=Said("Good passages"), help=Said("The ids of the passages marked as good.")
    )
    less: tuple[str, ...] = knob(
        (), kind="words", label=Said("Bad passages"), help=Said("The ids of the passages marked as bad.")
    )
    words: int = knob(
        10, low=1, high=100, label=Said("Added words"), help=Said("Maximum words for, and maximum words against.")
    )
    alpha: float = knob(
        1.0, low=0.0, high=10.0, step=0.05, label=Said("α, question"), help=Said("Weight of the question.")
    )
    beta: float = knob(
        0.75, low=0.0, high=10.0, step=0.05, label=Said("β, good passages"), help=Said("Weight of the good passages.")
    )
    gamma: float = knob(
        0.15, low=0.0, high=10.0, step=0.05, label=Said("γ, bad passages"), help=Said("Weight of the bad passages.")
    )

    def learn(self, query: Query, corpus: Corpus, env: Env) -> tuple[QueryVariant | None, str]:
        good, bad = ([d for d in map(corpus.get, ids) if d] for ids in (self.more, self.less))
        if not good and not bad:
            return None, Said("No passage of this corpus is marked yet.")
        bag = Bag([*good, *bad], corpus, self.analyzer, self.common)
        factors = [self.beta / len(good) for _ in good] + [-self.gamma / len(bad) for _ in bad]
        moved: dict[str, float] = {}
        for counts, factor in zip(bag.counts, factors, strict=True):
            vector = {term: tf * idf for term, tf, idf in bag.telling(counts)}
            length = math.hypot(*vector.values()) or 1.0
            for term, value in vector.items():
                moved[term] = moved.get(term, 0.0) + factor * value / length
        moved = {term: weight for term, weight in moved.items() if bag.elsewhere(term)}
        against = bag.strongest({term: -weight for term, weight in moved.items()}, self.words)
        added = bag.strongest(moved, self.words) + [(word, -weight) for word, weight in reversed(against)]
        if not added:
            return None, Said("The marked passages contain no word that is rare enough to be added.")
        query_weights, word_weights = self._own(query)
        norm = math.hypot(*word_weights) or 1.0
        message = N_("From marked passages (good: {good}, bad: {bad}): {words}.")
        why = Said(message, good=len(good), bad=len(bad), words=_weights_as_text(added))
        return self._made(query, query_weights, self.alpha / norm, added, why), ""


def _weights_as_text(added: Weights) -> Said:
    return joined((f"{word} {weight:.3f}" for word, weight in added), ", ")
