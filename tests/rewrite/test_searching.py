"""Searching with rewrites, and who deserves the credit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from lab.rewrite.attribution import attribute, gains
from lab.rewrite.searching import BestScore, MeanVector, mean_vector, origin, search

from lab.core import Corpus, Document, Fusion, Query
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.errors import ModelError
from lab.fuse import RRF
from lab.models.scripted import ScriptedModel
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.base import QueryVariant, Rewrite
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.query2doc import Query2Doc
from lab.rewrite.step_back import StepBack

CORPUS = Corpus(
    "fruit",
    tuple(
        Document(w, text)
        for w, text in [
            ("a", "apple apple"),
            ("b", "apple banana"),
            ("c", "cherry"),
            ("d", "cherry date"),
            ("e", "elder"),
        ]
    ),
)
INDEX = BM25(variant="lucene").index(CORPUS)


def rewrite(*texts: str, technique: object = MultiQuery(), original: str = "apple") -> Rewrite:
    return Rewrite(original, tuple(QueryVariant(t, "rewording", "made up") for t in texts), technique, "rule")  # type: ignore[arg-type]


def ids(hits: object) -> list[str]:
    return [h.document.id for h in hits]  # type: ignore[attr-defined]


def test_lists_of_all_wordings_are_merged_by_their_ranks() -> None:
    found = search(rewrite("banana", "cherry"), INDEX, k=5, fusion=RRF(k=60))
    assert [ids(r) for r in found.lists] == [["a", "b"], ["b"], ["c", "d"]]
    assert [r.made_by.label for r in found.lists] == ["original", "rewording 1", "rewording 2"]
    assert ids(found.merged)[0] == "b"
    assert found.merged.hits[0].score == pytest.approx(1 / (60 + 2) + 1 / (60 + 1))
    assert [c.source for c in found.merged.hits[0].why] == ["original rank 2", "rewording 1 rank 1"]
    assert found.merged.query == "apple"
    assert found.merged.parents == found.lists
    assert ids(found.before) == ["a", "b"]


def test_the_best_score_of_any_list_counts() -> None:
    found = search(rewrite("banana", "cherry"), INDEX, k=5, fusion=BestScore())
    for hit in found.merged:
        scores = [h.score for r in found.lists if (h := r.hit(hit.document.id))]
        assert hit.score == max(scores) == math.fsum(c.value for c in hit.why)
    assert [h.score for h in found.merged] == sorted((h.score for h in found.merged), reverse=True)


def test_a_rewrite_without_queries_is_the_raw_ranking() -> None:
    found = search(rewrite(), INDEX, k=1)
    assert ids(found.merged) == ["a"]
    assert ids(found.before) == ["a", "b"]
    assert ids(search(rewrite(original=""), INDEX).merged) == []


def test_a_query_with_its_document_takes_the_place_of_the_original() -> None:
    made = Rewrite(
        "apple", (QueryVariant("cherry pie", "pseudo-document", "", searched="apple\ncherry"),), Query2Doc(), "rule"
    )
    found = search(made, INDEX)
    assert len(found.lists) == 1
    assert set(ids(found.merged)) == {"a", "b", "c", "d"}


def test_stepping_back_takes_so_many_of_each_and_tells_where_from() -> None:
    found = search(rewrite("cherry", technique=StepBack(abstract_k=1, concrete_k=1)), INDEX)
    assert sorted(ids(found.merged)) == ["a", "c"]
    assert origin(found, "a") == "original"
    assert origin(found, "c") == "rewording 1"
    only = search(rewrite("cherry", technique=StepBack(abstract_k=2, concrete_k=0)), INDEX)
    assert ids(only.merged) == ["c", "d"]


@pytest.mark.parametrize("space", ["cosine", "ip", "l2"])
def test_hypothetical_documents_search_by_the_mean_vector(space: str) -> None:
    index = Vector(space=space).index(CORPUS)
    found = search(rewrite("cherry", "date", technique=HyDE()), index, k=3)
    vectors = np.stack([index.query_vector(t) for t in ("apple", "cherry", "date")])
    mean = vectors.mean(0)
    wanted = mean / np.linalg.norm(mean) if space == "cosine" else mean
    assert np.allclose(mean_vector(index, ["apple", "cherry", "date"]), wanted)
    assert ids(found.merged) == ids(index.nearest(wanted, 3))
    assert isinstance(found.merged.made_by, MeanVector)


# ------------------------------------------------------------------------------------------ attribution


def test_credit_goes_to_the_wording_that_found_it() -> None:
    found = search(rewrite("banana", "cherry"), INDEX, k=2)
    told = attribute(found, INDEX, k=2, relevant={"c"})
    # merged: b = 1/62 + 1/61, then a and c with 1/61 each, the tie in corpus order
    assert ids(found.merged) == ["b", "a"]
    assert (told.gained, told.lost, told.relevant) == ((), (), frozenset())
    wide = attribute(search(rewrite("banana", "cherry"), INDEX, k=4), INDEX, k=4, relevant={"c"})
    original, banana, cherry = wide.credits
    assert original.wording is None
    assert cherry.only == ("c", "d")
    assert cherry.brought == ("c", "d")
    assert cherry.relevant == {"c"}
    assert (banana.only, banana.brought, banana.pushed_out) == ((), (), ())
    assert original.only == ("a",)
    assert wide.gained == ("c", "d")
    assert wide.relevant == {"c"}


def test_a_wording_that_pushes_something_out_is_told_of() -> None:
    found = search(rewrite("cherry"), INDEX, k=2)
    told = attribute(found, INDEX, k=2)
    assert ids(found.merged) == ["a", "c"]
    assert told.credits[1].brought == ("c",)
    assert told.credits[1].pushed_out == ("b",)
    assert told.lost == ("b",)
    assert told.relevant is None
    assert told.credits[1].relevant is None


@pytest.mark.parametrize("fusion", [RRF(), BestScore()], ids=lambda f: f.label)
@pytest.mark.parametrize("query", ["领薪水的日子", "旅馆住一晚多少"])
def test_the_credits_explain_every_change(fusion: Fusion, query: str) -> None:
    from lab.rewrite.base import apply

    corpus = samples.load("handbook").corpus
    index = BM25().index(corpus)
    made = apply(MultiQuery(), query, corpus)
    found = search(made, index, k=10, fusion=fusion)
    told = attribute(found, index, k=10, fusion=fusion)
    first = ids(found.merged)
    assert set(told.gained) == set(first) - set(ids(found.before)[:10])
    for credit, ranking in zip(told.credits, found.lists, strict=True):
        assert set(credit.only) <= set(first) & set(ids(ranking))
        assert len(credit.brought) == len(credit.pushed_out) + max(
            0, len(first) - len(set(first) - set(credit.brought)) - len(credit.pushed_out)
        )
        assert not set(credit.pushed_out) & set(first)


# ------------------------------------------------------------------------------------------------ gains


@pytest.mark.parametrize("name", ["handbook", "devices"])
@pytest.mark.parametrize("kind", ["colloquial", "synonym"])
def test_rewordings_by_rule_find_more_of_what_is_said_in_other_words(name: str, kind: str) -> None:
    collection = samples.load(name)
    chosen = [q for q in collection.judged if q.metadata["type"] == kind]
    told = gains(collection, MultiQuery(), BM25().index(collection.corpus), k=10, fusion=RRF(), queries=chosen)
    before, after = told.mean()
    better, worse = told.counts()
    assert len(told.each) == len(chosen)
    assert after > before
    assert better > worse


def test_gains_are_counted_per_query_and_per_type() -> None:
    queries = (Query("1", "pomme", {"type": "x"}), Query("2", "apple", {"type": "y"}), Query("3", "unjudged"))
    collection = Collection(CORPUS, queries, {"1": {"a": 1, "b": 1}, "2": {"c": 1}})
    model = ScriptedModel((("pomme", "apple banana"), ("apple", "zzz")))
    seen: list[tuple[int, int]] = []
    told = gains(
        collection, MultiQuery(), INDEX, k=1, model=model, progress=lambda done, total: seen.append((done, total))
    )
    assert [(g.before, g.after) for g in told.each] == [(0.0, 1 / 2), (0.0, 0.0)]
    assert told.mean() == (0.0, 1 / 4)
    assert told.mean("x") == (0.0, 1 / 2)
    assert told.counts() == (1, 0)
    assert told.kinds == ("x", "y")
    assert all(math.isnan(v) for v in told.mean("none"))
    assert seen == [(1, 2), (2, 2)]


def test_a_model_that_fails_on_one_query_leaves_it_as_it_was() -> None:
    collection = Collection(CORPUS, (Query("1", "apple"), Query("2", "cherry")), {"1": {"a": 1}, "2": {"d": 1}})
    model = ScriptedModel((("apple", ModelError("no")), ("cherry", "date")))
    told = gains(collection, MultiQuery(), INDEX, k=10, model=model)
    assert told.each[0].problem is not None
    assert told.each[0].before == told.each[0].after == 1.0
    assert told.each[1].problem is None


def test_counting_gains_can_be_stopped() -> None:
    collection = samples.load("devices")
    index = BM25().index(collection.corpus)
    done: list[int] = []
    told = gains(collection, MultiQuery(), index, progress=lambda d, t: done.append(d), cancel=lambda: len(done) >= 3)
    assert len(told.each) == 3

    def refuse(d: int, t: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        gains(collection, MultiQuery(), index, progress=refuse)
