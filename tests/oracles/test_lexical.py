"""Lexical retrievers against the libraries that define them (rank-bm25, bm25s, scikit-learn), or their definitions."""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal, getcontext
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import rank_bm25
from night import seeds

from lab.algebra import Corpus, Document, tie_key
from lab.retrieve.lexical import BM25, TFIDF, LexicalIndex
from lab.retrieve.likelihood import InL2, QueryLikelihood
from lab.text import Analyzer

WHITESPACE = Analyzer(mode="whitespace")  # the tokens of a list come back as they are
CORPORA = seeds(200)

Lists = list[list[str]]


def made_up(seed: int) -> tuple[random.Random, Lists, Lists]:
    """A corpus of 1 to 40 token lists, and queries.

    A few words stand in most documents, so that Okapi's idf is negative for some, and for some corpora its
    mean too; documents may be empty or equal.  Queries repeat words and hold words that no document has.
    """
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(rng.choice([2, 5, 12, 60]))]
    steep = rng.choice([0.0, 1.0, 2.0])
    weights = [1 / (i + 1) ** steep for i in range(len(words))]
    corpus: Lists = [rng.choices(words, weights, k=rng.choice([0, 1, 3, 8, 30])) for _ in range(rng.randint(1, 40))]
    corpus += [list(rng.choice(corpus)) for _ in range(rng.randint(0, 4))]
    corpus.append([words[0], words[-1]])  # something to find
    queries = [rng.choices([*words, "unknown", "neverseen"], k=rng.randint(1, 8)) for _ in range(4)]
    return rng, corpus, [*queries, [words[0]] * 3, ["unknown"]]


def as_corpus(lists: Lists) -> Corpus:
    return Corpus("made up", tuple(Document(str(i), " ".join(tokens)) for i, tokens in enumerate(lists)))


def sizes(scores: np.ndarray) -> float:
    """What 1e-9 is relative to: the largest score, at least 1."""
    return max(1.0, float(np.abs(scores).max(initial=0.0)))


def scores(index: LexicalIndex, query: str) -> np.ndarray:
    """What the search gives every document; NaN for those that it does not return."""
    own = np.full(len(index.corpus), np.nan)
    for hit in index.search(query, k=max(len(index.corpus), 1)):
        own[index.corpus.positions[hit.document.id]] = hit.score
    return own


def check(index: LexicalIndex, query: str, reference: np.ndarray, lists: Lists, near: float) -> None:
    """The search gives the scores of the reference, best first, to every document that has a term of the query.

    Also to one that scores 0 or less; the others are not returned, and in the reference have no more than any other.
    Scores that differ in their last digits are a tie in one library and none in the other: so the order is compared
    with the own scores exactly, and with the reference up to the tolerance.
    """
    own = scores(index, query)
    touched = np.array([bool(set(tokens) & set(query.split())) for tokens in lists], dtype=bool)
    assert np.array_equal(~np.isnan(own), touched)
    assert np.abs(own - reference)[touched].max(initial=0) <= near * sizes(reference), query
    places = [int(h.document.id) for h in index.search(query, k=len(lists))]
    assert places == sorted(np.flatnonzero(touched).tolist(), key=lambda i: (-own[i], tie_key(str(i))))
    assert np.all(np.diff(reference[places]) <= near * sizes(reference))


@pytest.mark.parametrize("variant", ["okapi", "l", "plus"])
def test_equals_rank_bm25_on_random_corpora(variant: str) -> None:
    negative = negative_mean = 0
    for seed in CORPORA:
        rng, lists, queries = made_up(seed)
        k1, b = rng.choice([0.001, 0.4, 1.5, rng.uniform(0, 10)]), rng.choice([0.0, 0.75, 1.0, rng.random()])
        delta, epsilon = rng.choice([0.0, 0.5, 1.0, rng.uniform(0, 4)]), rng.choice([0.0, 0.25, rng.random()])
        if variant == "okapi":
            theirs: Any = rank_bm25.BM25Okapi(lists, k1=k1, b=b, epsilon=epsilon)
            negative += min(np.log(len(lists) - df + 0.5) - np.log(df + 0.5) for df in document_frequencies(lists)) < 0
            negative_mean += theirs.average_idf < 0
        elif variant == "l":
            theirs = rank_bm25.BM25L(lists, k1=k1, b=b, delta=delta)
        else:
            theirs = rank_bm25.BM25Plus(lists, k1=k1, b=b, delta=delta)
        index = BM25(k1=k1, b=b, variant=variant, delta=delta, epsilon=epsilon, analyzer=WHITESPACE).index(
            as_corpus(lists)
        )
        for query in queries:
            with np.errstate(invalid="ignore"):
                reference = theirs.get_scores(query)
            check(index, " ".join(query), reference, lists, 1e-9)
    if variant == "okapi":  # the corpora are what they are said to be
        assert negative > len(CORPORA) / 2
        assert negative_mean > len(CORPORA) / 20


def document_frequencies(lists: Lists) -> list[int]:
    return [sum(word in tokens for tokens in lists) for word in {w for tokens in lists for w in tokens}]


@pytest.mark.parametrize("smooth", [True, False], ids=["smooth", "plain"])
@pytest.mark.parametrize("sublinear", [False, True], ids=["raw tf", "sublinear tf"])
def test_equals_scikit_learn_on_random_corpora(smooth: bool, sublinear: bool) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    form = "smooth" if smooth else "plain"
    for seed in CORPORA:
        _, lists, queries = made_up(seed)
        vectorizer = TfidfVectorizer(analyzer=str.split, smooth_idf=smooth, sublinear_tf=sublinear)
        documents = vectorizer.fit_transform([" ".join(tokens) for tokens in lists])
        index = TFIDF(idf_form=form, sublinear=sublinear, analyzer=WHITESPACE).index(as_corpus(lists))
        references = (documents @ vectorizer.transform([" ".join(query) for query in queries]).T).toarray().T
        for query, reference in zip(queries, references, strict=True):
            assert np.nanmax([0, *scores(index, " ".join(query))]) <= 1 + 1e-12
            check(index, " ".join(query), reference, lists, 1e-9)


def test_a_joined_string_gives_what_scikit_learn_makes_of_a_tokenizer_that_returns_one() -> None:
    import jieba
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = ["red", "fox", "ice", "更多", "电池", "耳机", "不", "清华大学", "3c"]
    rng, joined = random.Random(3), Analyzer("string", questions=False)
    for _ in range(20):
        texts = [" ".join(rng.choices(words, k=rng.randint(1, 6))) for _ in range(rng.randint(2, 8))]
        vectorizer = TfidfVectorizer(
            tokenizer=lambda text: " ".join(t for t in jieba.lcut(text) if t.strip()), token_pattern=None
        )
        documents = vectorizer.fit_transform(texts)
        index = TFIDF(analyzer=joined).index(as_corpus([text.split() for text in texts]))
        assert len(index.matrix.vocabulary) == len(vectorizer.vocabulary_)
        for query in texts:
            reference = (documents @ vectorizer.transform([query]).T).toarray().ravel()
            assert np.nan_to_num(scores(index, query)) == pytest.approx(reference, abs=1e-9)


def test_lucene_equals_bm25s_on_random_corpora() -> None:
    import bm25s

    for seed in CORPORA:
        rng, lists, queries = made_up(seed)
        k1, b = rng.choice([0.4, 1.5, rng.uniform(0, 10)]), rng.choice([0.0, 0.75, 1.0, rng.random()])
        theirs = bm25s.BM25(method="lucene", k1=k1, b=b)
        theirs.index(lists, show_progress=False)
        index = BM25(k1=k1, b=b, variant="lucene", analyzer=WHITESPACE).index(as_corpus(lists))
        for query in queries:
            known = [word for word in query if word in index.matrix.vocabulary]  # bm25s has no scores for none
            reference = theirs.get_scores(known).astype(float) if known else np.zeros(len(lists))
            check(index, " ".join(query), reference, lists, 1e-5)
            order = [int(h.document.id) for h in index.search(" ".join(query), k=len(lists))]
            assert set(order) == set(np.flatnonzero(reference > 0).tolist())


def test_query_likelihood_is_its_definition_on_random_corpora() -> None:
    """Against the probability as it is defined, in 40 digits: the product over the query's terms of its mixture.

    The lab leaves out the product of p(t), the same for every passage, and terms that the corpus does not have.
    """
    getcontext().prec = 40
    for seed in CORPORA[::4]:
        rng, lists, queries = made_up(seed)
        mu, lam = (
            rng.choice([1.0, 100.0, rng.uniform(1, 10_000)]),
            rng.choice([0.01, 0.4, 0.99, rng.uniform(0.01, 0.99)]),
        )
        occurrences = Counter(word for tokens in lists for word in tokens)
        total = Decimal(occurrences.total())
        for smoothing in ("dirichlet", "jelinek-mercer"):
            index = QueryLikelihood(smoothing, mu, lam, analyzer=WHITESPACE).index(as_corpus(lists))
            for query in queries:
                known = [word for word in query if word in occurrences]
                reference = []
                for tokens in lists:
                    length, found = Decimal(len(tokens)), Counter(tokens)
                    score = Decimal(0)
                    for word in known:
                        p = occurrences[word] / total
                        if smoothing == "dirichlet":
                            mixed = (found[word] + Decimal(mu) * p) / (length + Decimal(mu))
                            score += mixed.ln() - p.ln()
                        else:
                            own = found[word] / length if length else Decimal(0)
                            mixed = (1 - Decimal(lam)) * own + Decimal(lam) * p
                            score += mixed.ln() - (Decimal(lam) * p).ln()
                    reference.append(float(score))
                check_terms(index, " ".join(query), np.array(reference), lists)


def test_inl2_is_its_definition_on_random_corpora() -> None:
    getcontext().prec = 40

    def log2(x: Decimal) -> Decimal:
        return x.ln() / Decimal(2).ln()

    for seed in CORPORA[::4]:
        rng, lists, queries = made_up(seed)
        c = rng.choice([0.1, 1.0, rng.uniform(0.1, 20)])
        index = InL2(c, analyzer=WHITESPACE).index(as_corpus(lists))
        average = Decimal(sum(map(len, lists))) / len(lists)
        for query in queries:
            reference = []
            for tokens in lists:
                score, found = Decimal(0), Counter(tokens)
                for word in query:
                    if found[word]:
                        df = sum(word in other for other in lists)
                        tfn = found[word] * log2(1 + Decimal(c) * average / len(tokens))
                        score += tfn / (tfn + 1) * log2((len(lists) + 1) / (df + Decimal("0.5")))
                reference.append(float(score))
            check_terms(index, " ".join(query), np.array(reference), lists)


def check_terms(index: LexicalIndex, query: str, reference: np.ndarray, lists: Lists) -> None:
    """The scores and the order are the definition's for every document that has a term of the query.

    The definition in many digits ties where documents have the same counts and length: there the lab ties, too.
    """
    own = scores(index, query)
    touched = np.array([bool(set(tokens) & set(query.split())) for tokens in lists], dtype=bool)
    assert np.array_equal(~np.isnan(own), touched)
    assert np.abs(own - reference)[touched].max(initial=0) <= 1e-9 * sizes(reference), query
    places = [int(h.document.id) for h in index.search(query, k=len(lists))]
    assert np.all(np.diff(reference[places]) <= 1e-9 * sizes(reference))
    for a, b in pairwise(np.flatnonzero(touched).tolist()):
        if sorted(lists[a]) == sorted(lists[b]):
            assert own[a] == own[b]
