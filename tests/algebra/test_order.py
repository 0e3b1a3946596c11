"""The order of equal scores does not depend on the order of a file, and measures do not depend on it at all."""

import os
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.algebra import Corpus, Document, Hit, Query, Ranking, best_first, in_order, tie_key, ties
from lab.corpus import samples
from lab.corpus.beir import load
from lab.evaluate.experiments import evaluate
from lab.fuse import ISR, RRF, BestScore, Borda, CombMNZ, WeightedSum
from lab.presets import presets
from lab.refine.reorder import LongContextReorder
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector

DATA = os.environ.get("LAB_COLLECTIONS", "")
COLLECTIONS = sorted(p.parent.name for p in Path(DATA).glob("*/corpus.jsonl")) if DATA else []
FUSIONS = (RRF(), RRF(k=1), RRF(k=2, form="qdrant"), Borda(), ISR(), WeightedSum(), CombMNZ(), BestScore())


def listed(ids: str, *scores: float) -> Ranking:
    documents = tuple(Document(i, f"text {i}") for i in ids)
    hits = tuple(Hit(d, s) for d, s in zip(documents, scores or range(len(ids), 0, -1), strict=True))
    return Ranking(Query("q"), hits, BM25(), corpus=Corpus("letters", documents))


def test_the_keys_are_the_same_in_every_process_and_version():
    keys = {
        "a": 4681665781835383343,
        "b": 9543904841865449333,
        "段落": 3539188898324592684,
        "\ud800": 4758185216457903464,
    }
    assert {doc_id: tie_key(doc_id) for doc_id in keys} == keys


def test_equal_scores_are_ordered_by_best_rank_then_by_the_hash_of_the_id():
    equal = [Hit(Document(i, i), 1.0) for i in "abcdef"]
    by_hash = sorted("abcdef", key=tie_key)
    assert [h.document.id for h in in_order(equal)] == by_hash
    assert [h.document.id for h in in_order(equal[::-1])] == by_hash
    first, second = listed("cab"), listed("fcd")
    assert [h.document.id for h in in_order(equal, first, second)] == [
        *sorted("cf", key=tie_key), "a", *sorted("bd", key=tie_key), "e"
    ]  # fmt: skip
    assert in_order(equal, listed("ab"), listed("ba")) == in_order(equal, listed("ba"), listed("ab"))
    assert [h.document.id for h in in_order([*equal, Hit(Document("z", "z"), 2.0)])] == ["z", *by_hash]


@pytest.mark.parametrize("size", [40, 3000])
def test_numbers_are_ordered_as_hits_are_also_where_the_cut_is_between_equal_scores(size):
    rng = np.random.default_rng(3)
    corpus = Corpus("numbers", tuple(Document(f"d{i}", "x") for i in range(size)))
    scores = rng.integers(0, 3, size) / 2
    places = rng.permutation(size)
    whole = [
        h.document.id for h in in_order([Hit(corpus.documents[p], s) for p, s in zip(places, scores, strict=True)])
    ]
    for k in (1, 7, size // 2, size, None):
        assert [corpus.documents[places[i]].id for i in best_first(scores, places, corpus, k)] == whole[:k]


def test_a_list_names_its_tied_groups_unless_its_order_has_a_meaning():
    ranking = listed("abcdef", 3, 2, 2, 1, 1, 1)
    tied = Ranking(Query("q"), in_order(ranking.hits), BM25(), corpus=ranking.corpus)
    assert ties(tied) == [(1, 3), (3, 6)]
    assert ties(listed("abc")) == ties(listed("")) == []
    equal = listed("abcd", 1, 1, 1, 1)
    found = Ranking(Query("q"), in_order(equal.hits), BM25(), corpus=equal.corpus)
    assert ties(found) == [(0, 4)]
    assert ties(LongContextReorder()(found)) == []


def shuffles(collection, count):
    """Yields the collection with its documents in other orders."""
    for seed in range(count):
        documents = list(collection.corpus.documents)
        random.Random(seed).shuffle(documents)
        yield replace(collection, corpus=Corpus(collection.corpus.name, tuple(documents)))


def check_shuffles(collection, searches, count):
    def lists_and_values(c):
        experiment = evaluate(searches, c, ("nDCG@10", "P@1", "RR@10", "AP"), k=50)
        lists = {
            name: {q: [d for d, _ in hits] for q, hits in r.results.items()} for name, r in experiment.runs.items()
        }
        return lists, {name: dict(scores.means) for name, scores in experiment.scores.items()}

    lists, values = lists_and_values(collection)
    for shuffled in shuffles(collection, count):
        other_lists, other_values = lists_and_values(shuffled)
        assert other_lists == lists
        for name, means in values.items():
            assert other_values[name] == pytest.approx(means, abs=1e-12), name


def test_no_shuffle_of_a_file_changes_a_list_or_a_measure():
    sample = samples.load("devices")
    collection = replace(sample, queries=sample.judged[::16])
    check_shuffles(collection, {repr(fusion): fusion(BM25(), Vector()) for fusion in FUSIONS}, 2)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["devices", "handbook", "staff", *COLLECTIONS])
def test_eight_shuffles_of_a_collection_change_nothing(name):
    """All fusions, retrievers and pipelines without a model; collections of a folder if there is one."""
    sample = samples.load(name) if name in samples.names() else load(Path(DATA) / name)
    collection = replace(sample, queries=random.Random(7).sample(sample.judged, min(60, len(sample.judged))))
    searches = {repr(fusion): fusion(BM25(), Vector()) for fusion in FUSIONS}
    searches |= {"BM25": BM25(), "TF-IDF": TFIDF(), "Vector": Vector()}
    searches |= {name: presets()[name].search for name in ("diverse", "best")}
    check_shuffles(collection, searches, 8)
