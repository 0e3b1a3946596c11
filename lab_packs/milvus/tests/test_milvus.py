"""Milvus as a file: the lab's own BM25 weights, filters that nobody breaks out of, fills that go on where they were."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from milvus_at_hand import needs_milvus
from night import for_each, spread
from recalled import recall

from lab.algebra import Corpus, Document, Query, index_of, tie_key
from lab.errors import CorpusError, MissingExtra, ModelError, ParameterError, QueryError
from lab.evaluate import runs
from lab.explain.approximation import hnsw_against_exact, random_cloud
from lab.formats import expression, from_toml, parse, to_toml
from lab.fuse import RRF
from lab.refine.diversity import MMR
from lab.retrieve.lexical import BM25, TermMatrix
from lab.text import Analyzer
from lab.ui.lists import nothing
from lab_packs.milvus import server as milvus_server
from lab_packs.milvus.filters import expression as filtered
from lab_packs.milvus.measuring import graph_answers
from lab_packs.milvus.searches import MilvusBM25, MilvusBM25Index, MilvusVector, collection
from lab_packs.milvus.server import engine_of
from lab_packs.milvus.shelf import BATCH, Contents, Held, Shelf
from lab_packs.milvus.terms import Census, Reading, find, readings

pytestmark = needs_milvus
WORDS = ["battery", "noise", "headphones", "charger", "leave", "refund", "电池", "耳机", "充电", "报销", "年假", "退货"]


def corpus_of(n: int, name: str = "milvus test", seed: int = 0) -> Corpus:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, size=rng.integers(1, 9))) for _ in range(n)]
    numbered = ((i, t, {"n": i, "tags": ["even"] if i % 2 == 0 else ["odd"]}) for i, t in enumerate(texts))
    return Corpus(name, tuple(Document(f"d{i}", f"{t} {i}", metadata=metadata) for i, t, metadata in numbered))


SMALL = corpus_of(120)


@pytest.fixture(autouse=True, scope="module")
def file(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path_factory.mktemp("milvus") / "lab.db"
        patch.setenv("LAB_MILVUS_URI", str(path))
        yield path


# --------------------------------------------------------------------------------------------------- BM25


@pytest.mark.parametrize("variant", spread(["plus", "lucene", "l", "no-log-idf"], 1))
def test_every_variant_gives_the_scores_and_addends_of_memory(variant: str) -> None:
    bm25 = BM25(k1=1.2, b=0.6, variant=variant)
    ours, true = MilvusBM25(bm25).index(SMALL), bm25.index(SMALL)
    for text in ("battery noise", "电池 refund 电池", "charger 17"):
        mine, theirs = ours.search(text, k=20), true.search(text, k=20)
        assert [h.score for h in mine] == pytest.approx([h.score for h in theirs], rel=1e-6)
        told = {h.document.id: {c.source: c.value for c in h.why} for h in theirs}
        for hit in mine:
            assert {c.source: pytest.approx(c.value, rel=1e-6) for c in hit.why} == told[hit.document.id]


@pytest.mark.parametrize(
    "analyzer",
    [
        Analyzer(),
        Analyzer(characters=False),
        Analyzer(characters=False, bigrams=False),
        Analyzer(mode="whitespace"),
        Analyzer(stop_words=frozenset({"电池"})),
    ],
    ids=["usual", "pairs", "words", "blanks", "stop words"],
)
@pytest.mark.parametrize(
    "text", spread(["怎么办", "什么 怎么", "电", "池", "电池", "机 充", "how", "what is", "请问年假怎么办"], 3)
)
def test_a_question_without_other_words_falls_back_as_in_memory(analyzer: Analyzer, text: str) -> None:
    extra = ("怎么办 battery", "手机电池 what is it", "充电怎么充", "how noise", "什么年假", "")
    corpus = Corpus("asking", tuple(Document(f"q{i}", t) for i, t in enumerate(extra)))
    bm25 = BM25(analyzer=analyzer)
    mine, theirs = MilvusBM25(bm25).index(corpus).search(text), bm25.index(corpus).search(text)
    assert mine.ids == theirs.ids
    assert [h.score for h in mine] == pytest.approx([h.score for h in theirs], rel=1e-6)


def test_words_of_other_weights_are_searched_and_negative_ones_refused() -> None:
    ours, true = MilvusBM25().index(SMALL), BM25().index(SMALL)
    query = Query("", weights=(("battery", 2.5), ("电池", 0.5), ("nowhere", 3.0)))
    mine, theirs = ours.search(query), true.search(query)
    assert mine.ids == theirs.ids
    with pytest.raises(QueryError, match="“nois” has the weight -"):
        ours.search(Query("", weights=(("battery", 1.0), ("noise", -1.0))))


def test_ties_are_in_the_order_of_every_list_also_where_many_share_the_last_place() -> None:
    corpus = Corpus("ties", tuple(Document(f"z{i:03}", "battery noise") for i in range(200)))
    for index in (MilvusBM25().index(corpus), MilvusVector(kind="FLAT").index(corpus)):
        assert index.search("battery", k=7).ids == sorted((f"z{i:03}" for i in range(200)), key=tie_key)[:7]


def test_documents_without_words_are_there_and_never_found() -> None:
    corpus = Corpus("blank", (Document("a", ""), Document("b", "？！"), Document("c", "battery")))
    index = MilvusBM25().index(corpus)
    assert index.shelf is not None
    assert index.shelf.count() == 3
    assert index.search("battery").ids == ["c"]


# ------------------------------------------------------------------------------------------------ vectors


@pytest.mark.parametrize("space", ["cosine", "ip", "l2"])
@pytest.mark.parametrize("scale", ["as they are", "by length"])
def test_the_store_and_the_exact_search_agree_to_the_last_digit(space: str, scale: str) -> None:
    own = MilvusVector(space=space, scale=scale, kind="FLAT")
    mine = own.index(SMALL).search("battery noise", k=20)
    theirs = own.exact.index(SMALL).search("battery noise", k=20)
    assert [h.score for h in mine] == pytest.approx([h.score for h in theirs], abs=1e-6)
    if space == "cosine":
        assert mine.ids == theirs.ids
    for near, hit in zip(mine.evidence, mine, strict=True):
        assert own.score(near.distance) == pytest.approx(hit.score)


def test_knobs_of_a_question_need_no_collection_of_their_own(file: Path) -> None:
    corpus, steps = corpus_of(30, "search time"), list[int]()
    index_of(MilvusVector(), corpus)
    narrow = index_of(MilvusVector(ef=10, where='{"n": 3}'), corpus, progress=lambda done, total: steps.append(done))
    assert steps == []
    assert narrow.search("battery 3").ids in (["d3"], [])
    names = {
        collection(corpus, (own.embedder, own.scale, own.graph(len(corpus))))
        for own in (MilvusVector(), MilvusVector(ef=9), MilvusVector(m=8), MilvusVector(kind="FLAT"))
    }
    assert len(names) == 3


def test_what_an_index_is_built_with_reaches_the_engine() -> None:
    corpus = corpus_of(60, "built")
    graph, cells = MilvusVector(m=7, ef_construction=9), MilvusVector(kind="IVF_FLAT", nlist=5)
    for own, told in ((graph, {"M": 7, "efConstruction": 9}), (cells, {"nlist": 5})):
        shelf = own.index(corpus).shelf
        assert shelf is not None
        found = shelf.engine.call("describe_index", shelf.name, "vector")
        params = found.get("params", found)
        assert (json.loads(params) if isinstance(params, str) else params).items() >= told.items()


# ------------------------------------------------------------------------------------------------ filters


def test_what_a_visitor_writes_stays_inside_its_quotation_marks() -> None:
    hostile = 'x"] == 1 or place >= 0 or metadata["x'
    assert filtered({hostile: hostile}) == f'metadata["{_quoted(hostile)}"] == "{_quoted(hostile)}"'
    assert MilvusBM25(where=json.dumps({hostile: hostile})).index(SMALL).search("battery").ids == []


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


# ------------------------------------------------------------------------------------------------- counts


def test_what_streams_by_is_counted_as_in_memory() -> None:
    corpus, bm25 = corpus_of(300, seed=3), BM25()
    (reading, *_) = readings(bm25.analyzer)
    census = Census(reading)
    for start in range(0, 300, 70):
        census.add([d.content for d in corpus.documents[start : start + 70]])
    frozen, m = census.frozen(bm25), TermMatrix.for_corpus(corpus, bm25.analyzer)
    assert (frozen.documents, frozen.average) == (300, pytest.approx(m.average_length))
    pieces = list(frozen.pieces())
    terms = [*m.vocabulary, "unheard-of"]
    known = find(terms, frozen.count, lambda wanted: {i: pieces[i] for i in wanted})
    assert "unheard-of" not in known
    assert len({number for number, _, _ in known.values()}) == len(m.vocabulary)
    idf = bm25.idf(m)
    for term, j in m.vocabulary.items():
        assert known[term][1:] == (m.df[j], pytest.approx(idf[j]))


def test_many_terms_stand_in_many_pieces_and_come_back() -> None:
    census = Census(Reading("words", Analyzer(mode="whitespace")))
    census.add([" ".join(f"w{i}" for i in range(5000)), "w3 w4"])
    frozen = census.frozen(BM25())
    pieces = list(frozen.pieces())
    assert len(pieces) == frozen.count > 3
    again = type(frozen).thawed(frozen.reading, 2, frozen.average, pieces)
    for name in ("marks", "df", "idf"):
        assert np.array_equal(getattr(again, name), getattr(frozen, name))
    assert find(["w3", "w4999"], frozen.count, lambda some: {i: pieces[i] for i in some})["w3"][1] == 2


# ------------------------------------------------------------------------------------------------- fills


def test_a_collection_is_filled_once_and_found_by_the_next(file: Path) -> None:
    corpus, steps = corpus_of(700, "once"), list[tuple[int, int]]()
    MilvusBM25().index(corpus, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1] == (1400, 1400)
    assert len(steps) > 2
    steps.clear()
    again = MilvusBM25().index(Corpus("other name", corpus.documents), progress=lambda *told: steps.append(told))
    assert steps == [(1400, 1400)]
    assert again.shelf is not None
    assert again.shelf.count() == 700


@pytest.mark.parametrize("after", spread([2, 0, 1], 1))
def test_a_stopped_fill_goes_on_where_it_was(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, sent = corpus_of(3 * BATCH, f"stopped {after}", seed=10 + after), list[int]()
    send = Shelf._send

    def counted(self: Shelf, *args: Any) -> None:
        if len(sent) == after:
            raise KeyboardInterrupt
        send(self, *args)
        sent.append(len(args[-1]))

    with monkeypatch.context() as patch:
        patch.setattr(Shelf, "_send", counted)
        with pytest.raises(KeyboardInterrupt):
            MilvusBM25().index(corpus)
    sent.clear()
    monkeypatch.setattr(Shelf, "_send", lambda self, *args: (send(self, *args), sent.append(len(args[-1]))))
    index = MilvusBM25().index(corpus)
    assert sum(sent) == (3 - after) * BATCH
    assert index.shelf is not None
    assert index.shelf.count() == 3 * BATCH
    assert index.search("battery noise").ids == BM25().index(corpus).search("battery noise").ids


def test_a_collection_of_other_passages_is_not_touched() -> None:
    shelf, bm25 = Shelf(engine_of({}), "mine"), BM25()
    shelf.fill(Held(corpus_of(10)), Contents("bm25", bm25), None, None)
    with pytest.raises(CorpusError, match="mine holds other passages"):
        shelf.fill(Held(corpus_of(11)), Contents("bm25", bm25), None, None)
    assert shelf.count() == 10
    shelf.drop()
    assert not shelf.open()
    shelf.fill(Held(corpus_of(11)), Contents("bm25", bm25), None, None)
    assert shelf.count() == 11
    shelf.drop()


def test_metadata_that_no_field_holds_is_refused_before_anything_is_sent() -> None:
    corpus = Corpus("large", (Document("a", "battery", metadata={"long": "x" * 70_000}),))
    with pytest.raises(CorpusError, match=r"metadata of document “a” in bytes: 70,0\d\d;.*65,535"):
        MilvusBM25().index(corpus)


# -------------------------------------------------------------------------------------------- everywhere


def test_it_is_a_retriever_like_all_others() -> None:
    search = RRF()(MilvusBM25(BM25(b=0.5)), MilvusVector(ef=64)) >> MMR(k=5)
    assert parse(expression(search)) == search
    assert from_toml(to_toml(search)) == search
    ranking = search.index(SMALL).search("battery noise")
    assert len(ranking) == 5
    true = (RRF()(BM25(b=0.5), MilvusVector(kind="FLAT").exact) >> MMR(k=5)).index(SMALL).search("battery noise")
    assert ranking.ids == true.ids
    made = runs.run_many({"m": MilvusBM25(), "b": BM25()}, SMALL, [Query("battery", id="1")], k=10)
    assert [d for d, _ in made["m"].results["1"]] == [d for d, _ in made["b"].results["1"]]


def test_without_an_engine_the_sentence_says_how_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAB_MILVUS_URI")
    with pytest.raises(ModelError, match="No Milvus address is set") as told:
        MilvusBM25().index(SMALL)
    assert "LAB_MILVUS_URI" in told.value.remedy


@for_each("uri", ["lab.txt", "ftp://x", "http://", "http://x:notaport", "localhost:19530"])
def test_a_place_that_is_none_is_refused_at_once(uri: str) -> None:
    with pytest.raises(ParameterError, match="is not the address of a Milvus"):
        MilvusBM25().index(SMALL, models={"milvus": uri})


@pytest.mark.parametrize("package", ["pymilvus", "milvus_lite"])
def test_choosing_it_without_its_packages_names_the_extra(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=package.replace("_", "-")) as told:
        MilvusBM25().index(replace(SMALL, name="another"))
    assert "retrieval-lab[scale]" in told.value.remedy


def test_nothing_of_it_is_imported_before_it_is_wanted() -> None:
    code = (
        "import sys; import lab; from lab import catalog; catalog.operators(); import lab_packs.milvus.searches; "
        "print(sorted(m for m in sys.modules if m.split('.')[0] in ('pymilvus', 'milvus_lite', 'faiss', 'grpc')))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "[]"


@pytest.mark.nightly
def test_a_file_that_another_process_holds_says_what_to_do(file: Path) -> None:
    MilvusBM25().index(SMALL)
    code = (
        "from lab_packs.milvus.searches import MilvusBM25; from lab.algebra import Corpus, Document; "
        "MilvusBM25().index(Corpus('c', (Document('a', 'x'),)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert "cannot be opened as a Milvus Lite" in told
    assert "only one can" in told


def test_a_file_without_a_folder_and_one_of_another_kind_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no folder for the file"):
        MilvusBM25().index(SMALL, models={"milvus": str(tmp_path / "nowhere" / "lab.db")})
    (tmp_path / "text.db").write_text("hello")
    with pytest.raises(ModelError, match="cannot be opened as a Milvus Lite"):
        MilvusBM25().index(SMALL, models={"milvus": str(tmp_path / "text.db")})


def test_a_public_lab_says_neither_folder_nor_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_PUBLIC", "1")
    for uri in (str(tmp_path / "nowhere" / "lab.db"), "http://me:SECRETPW@127.0.0.1:9", "/etc/passwd"):
        with pytest.raises((ModelError, ParameterError)) as told:
            MilvusBM25().index(SMALL, models={"milvus": uri})
        for secret in ("SECRETPW", "127.0.0.1", str(tmp_path), "passwd"):
            assert secret not in str(told.value)


def test_an_address_may_hold_a_login_and_never_shows_it() -> None:
    address, login = milvus_server._parts("https://me:S%3ECRET@cluster.example")
    assert (address, login.reveal()) == ("https://cluster.example:443", "me:S>CRET")
    with pytest.raises(ModelError, match=r"at http://127.0.0.1:9 does not answer") as told:
        MilvusBM25().index(SMALL, models={"milvus": "http://me:SECRETPW@127.0.0.1:9"})
    assert "SECRETPW" not in str(told.value)
    assert told.value.__context__ is None


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("zebra", "The corpus contains none of these words: zebra."),
        ("???", "The query contains no searchable word."),
        (WORDS[0], "No passage that passes the filter is similar to the question."),
    ],
)
def test_a_filter_of_an_engine_is_not_blamed_where_no_passage_has_the_words(query: str, said: str):
    index = MilvusBM25Index(MilvusBM25(where='{"n": 7}'), SMALL, None)
    assert nothing.nothing(index.search(query), index).startswith(said)


# ----------------------------------------------------------------------------------------- exact or HNSW


@pytest.mark.nightly
def test_the_graph_of_milvus_is_measured_beside_chromas_and_taken_away() -> None:
    engine = engine_of({})
    rows = hnsw_against_exact([random_cloud(2000, 5)], ef_search=(10, 200), others=[graph_answers])
    assert [(row.store, row.ef_search) for row in rows] == [
        ("Chroma", 10),
        ("Chroma", 200),
        ("Milvus", 10),
        ("Milvus", 200),
    ]
    assert rows[3].recall > rows[2].recall
    assert rows[3].recall > 0.95
    assert all(row.hnsw_ms > 0 and row.build_seconds > 0 for row in rows)
    assert not any("cloud" in name for name in engine.call("list_collections"))


@pytest.mark.nightly
def test_a_walk_through_the_graph_that_is_broader_finds_more() -> None:
    rng = np.random.default_rng(0)
    words = [" ".join(rng.choice(WORDS, size=12)) + f" {i}" for i in range(1500)]
    corpus = Corpus("many", tuple(Document(f"m{i}", text) for i, text in enumerate(words)))
    narrow, wide = MilvusVector(ef=1, m=2, ef_construction=1), MilvusVector(ef=400)
    lists = {"narrow": narrow, "wide": wide, "cells": MilvusVector(kind="IVF_FLAT", nlist=64, nprobe=1)}
    questions = [f"{a} {b}" for a in WORDS[:4] for b in WORDS[5:9]]
    found = {name: recall(corpus, store, questions) for name, store in lists.items()}
    assert found["wide"] > 0.99
    assert found["narrow"] < found["wide"]
    assert found["cells"] < found["wide"]
