"""Lists within a set of passages: operators are kept to over the whole corpus, whatever the rank of a passage."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from night import nightly
from packed import packed

from lab.algebra import Corpus, Document, Pipeline, Retriever, Runner, Top
from lab.derive.parts import Sentences
from lab.refine.boolean import Matching, Reading, parse
from lab.refine.filters import Filter
from lab.refine.where import MetadataFilter, Where
from lab.retrieve.expanded import Expanded
from lab.retrieve.fields import BM25F
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.likelihood import InL2, QueryLikelihood
from lab.retrieve.ngrams import CharNgram
from lab.retrieve.store import ExactVector
from lab.retrieve.vector import Vector
from lab.rewrite.operators import with_operators

LISTS: list[Retriever] = [
    BM25(),
    BM25(variant="plus"),
    BM25F(),
    TFIDF(),
    QueryLikelihood(),
    InL2(),
    CharNgram(),
    Expanded(),
    Vector(),
    Vector(pieces="whole"),
    ExactVector(),
    *packed("Compressed"),
    *packed("Compressed", rescore=10),
]
UNRESCORED = [search for search in LISTS if not getattr(search, "rescore", 0)]
DAILY = [
    pytest.param(
        search,
        marks=() if search.key in ("bm25", "compressed") else pytest.mark.nightly,
        id=str(search)[:40],
    )
    for search in UNRESCORED
]
WORDS = ["kiln", "wax", "loom", "brick", "Wi-Fi", "3.5mm", "年假", "电池", "how", "WH-1000", "filters"]


def drawn(seed: int, size: int) -> Corpus:
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 9))) for _ in range(size)]
    sources = [rng.choice(["faq", "the manual", "forum"]) for _ in range(size)]
    each = enumerate(zip(texts, sources, strict=True))
    return Corpus("drawn", tuple(Document(str(i), t, rng.choice(["", "Wax"]), {"source": s}) for i, (t, s) in each))


@pytest.mark.parametrize(
    "search", [nightly(x) if isinstance(x, Expanded) else x for x in LISTS], ids=lambda search: str(search)[:40]
)
@pytest.mark.parametrize("size", [1_300, pytest.param(100_000, marks=pytest.mark.nightly)])
def test_the_one_passage_with_the_word_is_found_beyond_rank_1000(search: Retriever, size: int) -> None:
    texts = ["kiln clay " + "kiln " * (i % 7) for i in range(size)]
    texts[1_284] = "a kiln with many other words around it, and one quokka, too"
    corpus = Corpus("many", tuple(Document(str(i), text) for i, text in enumerate(texts)))
    runner = Runner(corpus)
    assert "1284" not in runner(search, "kiln clay", 1_000).ids
    assert runner(with_operators(search), "kiln clay +quokka").ids == ["1284"]
    excluded = runner(with_operators(search), "clay kiln -clay").ids
    assert excluded == ["1284"]


QUESTIONS = [
    "kiln +wax",
    "how does a kiln -wax",
    "“Wi-Fi” kiln",
    "+年假 kiln",
    "电池 -source:manual",
    "loom AND NOT (brick OR source:faq)",
    "kiln -title:wax -text:filter",
    "+WH-1000 “3.5 mm” wax",
]


@pytest.mark.parametrize("search", UNRESCORED, ids=lambda search: str(search)[:40])
@pytest.mark.parametrize("size", [40, pytest.param(400, marks=pytest.mark.nightly)])
def test_the_list_is_that_of_all_rows_with_the_others_left_out(search: Retriever, size: int) -> None:
    corpus, some = drawn(size, size), 0
    runner = Runner(corpus)
    for question in QUESTIONS:
        asked = parse(question, ["source"])
        fitting = {d.id for d in corpus if Matching().holds(asked.tree, Reading(d))}
        every = [hit for hit in runner(search, asked.words, size) if hit.document.id in fitting]
        for k in (3, size):
            hits = runner(with_operators(search), question, k).hits
            assert [(h.document.id, h.score) for h in hits] == [(h.document.id, h.score) for h in every[:k]]
            assert [tuple(h.why) for h in hits[:3]] == [tuple(h.why) for h in every[:3]][:k]
        some += 0 < len(every) < size
    assert some > 4


def test_a_question_about_parts_keeps_to_the_sets_of_their_documents() -> None:
    corpus = drawn(7, 300)
    search, runner = Sentences()(BM25()), Runner(corpus)
    asked = parse("kiln loom -wax")
    fitting = {d.id for d in corpus if Matching().holds(asked.tree, Reading(d))}
    every = [i for i in runner(search, asked.words, 300).ids if i in fitting]
    assert runner(with_operators(search), "kiln loom -wax", 300).ids[: len(every)] == every


@pytest.mark.parametrize("search", DAILY)
@pytest.mark.parametrize(
    "stage",
    [
        Where("source = faq or source is missing"),
        Where("not source contains manual", undecided="keep"),
        MetadataFilter(sources=("forum",)),
    ],
    ids=str,
)
def test_conditions_on_metadata_are_kept_to_over_all_rows(search: Retriever, stage: Filter) -> None:
    corpus = drawn(5, 300)
    runner = Runner(corpus)
    afterwards = Pipeline((search,), refine=(Top(300), stage), depth=300)  # a list that was cut is filtered afterwards
    every = runner(afterwards, "kiln 年假 loom", 300)
    for k in (3, 300):
        ranking = runner(search >> stage, "kiln 年假 loom", k)
        assert [(h.document.id, h.score) for h in ranking] == [(h.document.id, h.score) for h in every.hits[:k]]
    assert 0 < len(every) < 300
    reasons = {drop.document.id: str(drop.reason) for drop in every.dropped}
    assert {drop.document.id: str(drop.reason) for drop in ranking.dropped} == reasons
    (unlisted,) = [d for d in corpus if d.id in reasons][:1]
    assert str(runner(search >> stage, "kiln", 3).drop(unlisted.id).reason) == reasons[unlisted.id]


def test_what_was_removed_names_the_test() -> None:
    """The removed passages are those of the list without operators."""
    corpus = drawn(3, 50)
    runner = Runner(corpus)
    ranking = runner(with_operators(BM25()), "kiln -wax", 10)
    plain = runner(BM25(), "kiln", 10)
    assert [d.document.id for d in ranking.dropped] == [i for i in plain.ids if i not in ranking.ids]
    assert ranking.dropped
    assert all("which is excluded" in drop.reason and drop.by == "Operators" for drop in ranking.dropped)


@pytest.mark.parametrize("large", [False, True])
def test_large_and_small_sets_of_a_large_corpus_are_exact(large: bool) -> None:
    """From 30,000 passages on, a search skips passages that cannot be among the best."""
    rng = random.Random(1)
    words = [f"w{i}" for i in range(60)]
    weights = [1 / (i + 1) for i in range(60)]
    texts = [" ".join(rng.choices(words, weights, k=rng.randint(3, 12))) for _ in range(30_500)]
    corpus = Corpus("large", tuple(Document(str(i), text) for i, text in enumerate(texts)))
    index = BM25().index(corpus)
    rows = np.array([rng.random() < (0.9 if large else 0.001) for _ in corpus])
    for _ in range(5):
        question = " ".join(rng.sample(words, 4))
        every = [hit for hit in index.search(question, k=len(corpus)).hits if rows[int(hit.document.id)]][:10]
        hits = index.within(rows).search(question, k=10).hits
        assert [(h.document.id, h.score) for h in hits] == [(h.document.id, h.score) for h in every]


@pytest.mark.parametrize("search", [*packed("MilvusVector", kind="FLAT"), *packed("MilvusBM25")], ids=str)
def test_milvus_searches_within_a_set_by_its_own_filter(
    search: Retriever, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_MILVUS_URI", str(tmp_path / "lab.db"))
    corpus = drawn(9, 60)
    index = search.index(corpus)
    every = index.search("kiln 年假 loom", k=60).hits
    for share in (0.2, 0.8):
        rng = random.Random(share)
        rows = np.array([rng.random() < share for _ in corpus])
        for most in (10_000, 20, 0):  # positions of the set, positions of the others, a longer list that is filtered
            monkeypatch.setattr("lab_packs.milvus.filters.LONGEST", most)
            hits = index.within(rows).search("kiln 年假 loom", k=5).hits
            assert [h.document.id for h in hits] == [h.document.id for h in every if rows[int(h.document.id)]][:5]
