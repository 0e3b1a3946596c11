"""Passages with the same text: one vector in a store, and all of them in its lists."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from packed import packed
from recalled import recall

from lab.algebra import Corpus, Document, index_of
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.distinct import REFILLED, SEVERAL, Distinct
from lab.retrieve.store import StoreVector
from lab.retrieve.where import filter_test

STORES = [ChromaVector(), *packed("MilvusVector")]
NOTICE = "This page is intentionally left blank. See the printed edition."
EVEN = json.dumps({"even": True})


def passages(*, n: int, copies: int, notices: tuple[str, ...] = (NOTICE,)) -> Corpus:
    rng = np.random.default_rng(1)
    words = [f"{a}{b}" for a in ("batter", "charg", "head", "refund", "leav", "pol") for b in ("y", "er", "s", "ing")]
    texts = [f"{' '.join(rng.choice(words, size=8))} {i}" for i in range(n)]
    every = [*(notices[i % len(notices)] for i in range(copies)), *texts]
    return Corpus("copies", tuple(Document(f"d{i}", t, metadata={"even": i % 2 == 0}) for i, t in enumerate(every)))


def corpora() -> list[Corpus]:
    notices = ("No entry", "See above", NOTICE)
    return [passages(n=60, copies=60), passages(n=20, copies=90, notices=notices), passages(n=0, copies=12)]


@pytest.fixture(autouse=True, scope="module")
def file(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path_factory.mktemp("milvus") / "lab.db"
        patch.setenv("LAB_MILVUS_URI", str(path))
        yield path


@pytest.mark.parametrize("store", STORES)
def test_a_store_of_repeated_passages_gives_the_exact_lists(store: StoreVector) -> None:
    for corpus in corpora():
        for where in ("", EVEN, json.dumps({"even": {"$ne": True}})):
            store = replace(store, where=where)
            ours, exact = index_of(store, corpus), index_of(store.exact, corpus)
            for query in ("battery charger", "left blank", "See the entry above"):
                for k in (3, 40, 200):
                    near, true = ours.search(query, k=k), exact.search(query, k=k)
                    assert [h.score for h in near] == pytest.approx([h.score for h in true], abs=1e-5)
                    assert near.ids == true.ids
            ids = [d.id for d in corpus]
            assert ours.absences(ids) == {
                d.id: "filtered" for d in corpus if where and d.id not in passing(corpus, where)
            }


def passing(corpus: Corpus, where: str) -> set[str]:
    condition = filter_test(json.loads(where))
    return {d.id for d in corpus if condition(d.metadata)}


@pytest.mark.parametrize("store", STORES[1:])
def test_a_search_within_some_passages_reads_the_copies_among_them_alone(store: StoreVector) -> None:
    corpus = passages(n=40, copies=40)
    rows = np.array([i % 3 == 0 for i in range(len(corpus))])
    ours, exact = (index_of(search, corpus).within(rows) for search in (store, store.exact))
    for query in ("left blank", "refunds policy"):
        assert ours.search(query, k=50).ids == exact.search(query, k=50).ids


def test_copies_with_other_metadata_are_marked_and_others_are_not() -> None:
    metadata = [{"a": 1}, {"a": 1}, {"a": 2}, {"a": 3}, {}]
    texts = ["same", "same", "other", "other", "single"]
    documents = zip(texts, metadata, strict=True)
    corpus = Corpus("marked", tuple(Document(f"d{i}", t, metadata=m) for i, (t, m) in enumerate(documents)))
    distinct = Distinct.of(corpus)
    assert [distinct.passages(number) for number in range(len(distinct))] == [[0, 1], [2, 3], [4]]
    assert [SEVERAL in distinct.document(number, corpus).metadata for number in range(3)] == [False, True, False]


@pytest.mark.parametrize("store", STORES)
def test_a_collection_that_has_every_copy_is_filled_again_and_it_is_told(
    store: StoreVector, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = passages(n=5, copies=7)
    one_by_one = Distinct(np.arange(12), np.arange(12))
    with monkeypatch.context() as patch:
        patch.setattr(Distinct, "of", lambda _: one_by_one)
        before = store.index(corpus)
    assert before.shelf.count() == 12
    caplog.clear()
    index = store.index(Corpus("again", corpus.documents))
    assert index.shelf.name == before.shelf.name
    assert [record.getMessage() for record in caplog.records] == [REFILLED.format(name=index.shelf.name)]
    assert index.shelf.count() == 6
    assert index.search("left blank", k=9).ids == store.exact.index(corpus).search("left blank", k=9).ids


@pytest.mark.nightly
def test_copies_of_one_passage_cost_no_other_passage_its_place() -> None:
    questions = [d.content.rsplit(" ", 3)[0] for d in passages(n=100, copies=0)]
    found = {}
    for copies in (0, 3000):
        corpus, store = passages(n=3000, copies=copies), ChromaVector()
        found[copies] = recall(corpus, store, questions)
    assert found[3000] == pytest.approx(found[0], abs=0.005)
