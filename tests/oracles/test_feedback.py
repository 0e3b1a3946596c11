"""RM3 against the published formula in plain loops, Rocchio against dense vectors, on random corpora."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from night import spread

from lab.algebra import Corpus, Document, Query, QueryVariant
from lab.retrieve.lexical import BM25
from lab.rewrite.feedback import FEW, RM3, Rocchio
from lab.text import Analyzer

BLANKS = Analyzer(mode="whitespace")
CORPORA = range(60)
Lists = dict[str, list[str]]


def made_up(seed: int) -> tuple[random.Random, Lists, Corpus, list[str]]:
    """A corpus of 5 to 60 token lists with frequent and rare words, and a question of one to five of them."""
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(rng.choice([8, 25, 80]))]
    often = [1 / (i + 1) ** rng.choice([0.3, 1.0]) for i in range(len(words))]
    lists = {f"d{i}": rng.choices(words, often, k=rng.randint(1, 30)) for i in range(rng.randint(5, 60))}
    corpus = Corpus("made up", tuple(Document(i, " ".join(tokens)) for i, tokens in lists.items()))
    return rng, lists, corpus, rng.choices(words, k=rng.randint(1, 5))


def telling(lists: Lists, common: float) -> dict[str, float]:
    """Word to its number of documents, of the words that are not too common."""
    df = {word: sum(word in tokens for tokens in lists.values()) for tokens in lists.values() for word in tokens}
    return {word: n for word, n in df.items() if n <= max(common * len(lists), FEW)}


def summed(variant: QueryVariant) -> dict[str, float]:
    """Word to its weight: what stands in the text of the question counts as often as it stands there."""
    found: dict[str, float] = {}
    for text, weight in variant.weights:
        for word in text.split():
            found[word] = found.get(word, 0.0) + weight
    return found


def check(made: tuple[QueryVariant, ...], wanted: dict[str, float]) -> None:
    (variant,) = made
    found = summed(variant)
    assert found.keys() == wanted.keys()
    for word, weight in wanted.items():
        assert math.isclose(found[word], weight, rel_tol=1e-9, abs_tol=1e-12), word


@pytest.mark.parametrize("seed", spread(CORPORA, 15))
def test_rm3_equals_the_published_formula(seed: int) -> None:
    rng, lists, corpus, question = made_up(seed)
    n_documents, n_words, share = rng.randint(1, 12), rng.randint(1, 12), rng.choice([0.0, 0.3, 0.5, 0.9])
    common = rng.choice([0.1, 0.3, 1.0])
    search = BM25(variant="lucene", analyzer=BLANKS)
    hits = search.index(corpus).search(" ".join(question), k=n_documents).hits
    rm3 = RM3(n_documents, n_words, share, learns_from=search, analyzer=BLANKS, common=common)
    made = rm3.rewrite(Query(" ".join(question)), corpus)
    df = telling(lists, common)

    relevance: dict[str, float] = {}
    for word in df:
        for hit in hits:
            tokens = lists[hit.document.id]
            p_of_question = hit.score / sum(h.score for h in hits)
            relevance[word] = relevance.get(word, 0.0) + tokens.count(word) / len(tokens) * p_of_question
    best = sorted((w for w in relevance if relevance[w] > 0), key=lambda w: (-round(relevance[w], 12), w))[:n_words]
    if not best:
        assert made.queries == ()
        assert made.unchanged
        return
    mixed = {word: share * question.count(word) / len(question) for word in question if share}
    for word in best:
        mixed[word] = mixed.get(word, 0.0) + (1 - share) * relevance[word] / sum(relevance[w] for w in best)
    check(made.queries, mixed)


@pytest.mark.parametrize("seed", CORPORA)
def test_rocchio_equals_dense_vectors(seed: int) -> None:
    rng, lists, corpus, question = made_up(seed)
    ids = rng.sample(list(lists), k=min(len(lists), rng.randint(1, 6)))
    cut = rng.randint(0, len(ids))
    alpha, beta, gamma = (rng.choice([0.0, 0.15, 0.75, 1.0]) for _ in range(3))
    common, n_words = rng.choice([0.1, 0.3, 1.0]), rng.randint(1, 12)
    factors = {"alpha": alpha, "beta": beta, "gamma": gamma, "words": n_words, "common": common}
    marked = Rocchio(tuple(ids[:cut]), tuple(ids[cut:]), analyzer=BLANKS, **factors)
    made = marked.rewrite(Query(" ".join(question)), corpus)

    df = telling(lists, common)
    words = sorted(set(df) | set(question))
    idf = np.array([math.log(len(lists) / df[w]) if w in df else 0.0 for w in words])

    def dense(tokens: list[str]) -> np.ndarray:
        return np.array([tokens.count(w) for w in words], dtype=float)

    def mean(chosen: list[str]) -> np.ndarray:
        rows = [dense(lists[i]) * idf for i in chosen]
        rows = [row / (np.linalg.norm(row) or 1.0) for row in rows]
        return np.mean(rows, axis=0) if rows else np.zeros(len(words))

    moved = beta * mean(ids[:cut]) - gamma * mean(ids[cut:])
    others = {word for i, tokens in lists.items() if i not in ids for word in tokens}
    moved *= np.array([w in others for w in words])
    order = sorted(range(len(words)), key=lambda i: (-round(moved[i], 12), words[i]))
    back = sorted(range(len(words)), key=lambda i: (round(moved[i], 12), words[i]))
    kept = {i for i in order[:n_words] if moved[i] > 1e-12} | {i for i in back[:n_words] if moved[i] < -1e-12}
    if not kept:
        assert made.queries == ()
        assert made.unchanged
        return
    asked = alpha * dense(question) / np.linalg.norm(dense(question))
    total = asked + np.array([moved[i] if i in kept else 0.0 for i in range(len(words))])
    there = {w for i, w in enumerate(words) if i in kept or (alpha and w in question)}
    check(made.queries, {w: float(total[i]) for i, w in enumerate(words) if w in there})
