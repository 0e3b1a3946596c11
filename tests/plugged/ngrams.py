"""A plug-in as somebody would write it: a retriever that explains itself, a fusion and a reranker."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log

from sklearn.feature_extraction.text import TfidfVectorizer

from lab.algebra import (
    NONE,
    Contribution,
    Corpus,
    Env,
    Hit,
    Index,
    Later,
    Models,
    Outcome,
    Progress,
    Query,
    Ranking,
    Retriever,
    Stage,
    counted,
    in_order,
    knob,
)
from lab.formula import Formula, ln, n
from lab.fuse import Additive, ListPart
from lab.retrieve.explaining import Explanation, Marker


@dataclass(frozen=True)
class CharNGrams(Retriever):
    """The cosine of TF-IDF vectors over character n-grams within words: scikit-learn's ``char_wb``."""

    label = "Character n-grams"
    about = "Compares pieces of words, so that spelling mistakes match, too."

    longest: int = knob(4, low=2, high=8, label="Longest piece", help="Characters of a piece; the shortest has 2.")

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> CharIndex:
        return CharIndex(self, corpus)


class CharIndex(Index):
    """The n-grams of one corpus."""

    def __init__(self, operator: CharNGrams, corpus: Corpus) -> None:
        self.operator, self.corpus = operator, corpus
        self.vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, operator.longest))
        texts = [document.content for document in corpus]
        cut = self.vectorizer.build_analyzer()
        self.documents = self.vectorizer.fit_transform(texts) if any(cut(text) for text in texts) else None

    def _weights(self, query: Query) -> Mapping[int, float]:
        """The weight of every n-gram of the question that the corpus has."""
        weights = dict[int, float]()
        for text, weight in query.weights or ((query.text, 1.0),):
            row = self.vectorizer.transform([text])
            for column, value in zip(row.indices.tolist(), row.data.tolist(), strict=True):
                weights[column] = weights.get(column, 0.0) + weight * value
        return weights

    def _addends(self, weights: Mapping[int, float], place: int) -> list[tuple[str, float, float]]:
        """The n-grams that a document shares with the question: name, weight there, weight here."""
        row, terms = self.documents[place], self.vectorizer.get_feature_names_out()
        own = dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        return [(_called(terms[column]), weights[column], own[column]) for column in sorted(weights) if column in own]

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        query = Query.of(query)
        counted("k", k)
        weights = self._weights(query) if self.documents is not None else {}
        hits = list[Hit]()
        if weights:
            columns = sorted(weights)
            scores = self.documents[:, columns] @ [weights[column] for column in columns]
            for place, document in enumerate(self.corpus):
                if scores[place]:
                    why = Later(partial(self._why, weights, place)) if explain else ()
                    hits.append(Hit(document, float(scores[place]), why))
        asked = k if len(hits) > k else 0  # a list that is whole says so
        return Ranking(query, in_order(hits)[:k], self.operator, corpus=self.corpus, asked=asked)

    def _why(self, weights: Mapping[int, float], place: int) -> list[Contribution]:
        return [Contribution(name, there * here) for name, there, here in self._addends(weights, place)]

    # what the pages draw: see `lab.retrieve.explaining.Explains`

    def names(self, query: str | Query) -> Mapping[str, str]:
        cut = self.vectorizer.build_analyzer()
        return {term: _called(term) for term in cut(Query.of(query).text)}

    def explanation(self, query: Query, doc_id: str) -> Explanation:
        weights = self._weights(query) if self.documents is not None else {}
        shared = self._addends(weights, self.corpus.positions[doc_id]) if weights else []
        strongest = sorted(shared, key=lambda row: -row[1] * row[2])
        formulas = {name: n(there).under("q") * n(here).under("d") for name, there, here in strongest}
        absent = tuple(name for name in dict.fromkeys(self.names(query).values()) if name not in formulas)
        return Explanation(formulas, absent, self.operator)

    def marker(self, query: Query) -> Marker:
        pieces = sorted({term.strip() for term in self.names(query)} - {""}, key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, pieces)), re.IGNORECASE) if pieces else None
        return lambda text: [match.span() for match in pattern.finditer(text)] if pattern else []

    def reading(self, query: Query) -> str:
        return ""


def _called(term: str) -> str:
    return term.replace(" ", "·")


@dataclass(frozen=True)
class LogRank(Additive):
    """The sum over lists of 1 / ln(1 + rank): the discount of DCG as a fusion."""

    label = "Log rank"
    about = "Adds up 1 / ln(1 + rank): places count, and the first ones less steeply than in RRF with k = 0."

    def addends(self, rankings: Sequence[Ranking]) -> Sequence[Sequence[float]]:
        return [[1 / log(1 + rank) for rank in range(1, len(ranking) + 1)] for ranking in rankings]

    def formula(self, part: ListPart) -> Formula:
        return n(1) / ln(n(1) + n(part.rank or 1))


@dataclass(frozen=True)
class TitleBonus(Stage):
    """The score before, plus a bonus for every word of the question that the title has."""

    label = "Title bonus"
    about = "Documents whose title has words of the question rise."
    role = "rerank"

    bonus: float = knob(1.0, low=0, high=10, label="Bonus", help="Added for every word of the question in the title.")

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        words = sorted(set(ranking.query.text.casefold().split()))
        hits = []
        for hit in ranking.hits:
            found = [word for word in words if word in hit.document.title.casefold()]
            why = [Contribution("score before", hit.score), *(Contribution(word, self.bonus) for word in found)]
            hits.append(Hit(hit.document, hit.score + self.bonus * len(found), tuple(why)))
        return Outcome(in_order(hits, ranking))
