"""What guides and docstrings say of other packages, where no other test here runs them; see docs/claims.toml."""

from __future__ import annotations

import shutil
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.algebra import Corpus, Document, Query
from lab.refine.filters import EmbeddingsFilter, ScoreThreshold
from lab.retrieve.lexical import BM25


def test_scikit_learn_warns_of_something_else_where_a_tokenizer_returns_a_string() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        vectorizer = TfidfVectorizer(tokenizer=lambda text: " ".join(text.split())).fit(["red fox", "blue fox"])
    assert set(vectorizer.vocabulary_) == set("red fox blue fox")
    messages = {str(warning.message) for warning in caught if warning.category is UserWarning}
    assert len(messages) == 1
    assert "token_pattern" in messages.pop()


def lengths_that_share_a_score(lengths: list[int]) -> list[set[int]]:
    """Returns sets of lengths whose passages tantivy scores equally: one occurrence each, among other words."""
    tantivy = pytest.importorskip("tantivy")
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text")
    builder.add_integer_field("length", stored=True)
    index = tantivy.Index(builder.build())
    with index.writer() as writer:
        for n in lengths:
            writer.add_document(tantivy.Document(text=" ".join(["fox", *["x"] * (n - 1)]), length=n))
    index.reload()
    searcher, by_score = index.searcher(), {}
    for score, address in searcher.search(index.parse_query("fox", ["text"]), len(lengths)).hits:
        by_score.setdefault(score, set()).add(searcher.doc(address)["length"][0])
    return list(by_score.values())


def test_a_length_in_one_byte_is_exact_up_to_40_words() -> None:
    """tantivy codes lengths as Lucene's SmallFloat does: 41 is 40, and 96 to 103 are one length."""
    assert lengths_that_share_a_score([38, 39, 40]) == [{38}, {39}, {40}]
    assert lengths_that_share_a_score([39, 40, 41, 42, 43, 44]) == [{39}, {40, 41}, {42, 43}, {44}]
    assert lengths_that_share_a_score([95, 96, 100, 103, 104]) == [{95}, {96, 100, 103}, {104}]
    corpus = Corpus("c", tuple(Document(str(n), " ".join(["fox", *["snow"] * (n - 1)])) for n in (40, 41)))
    ours = BM25().index(corpus).search(Query("fox"))
    assert ours.hits[0].score > ours.hits[1].score, "the lab's lengths are exact"


def langchain(texts: list[str]) -> tuple[Any, list[Any]]:
    """Returns embeddings of one number, the number of letters, and documents of LangChain's."""
    documents = pytest.importorskip("langchain_core.documents")
    embeddings = pytest.importorskip("langchain_core.embeddings")

    class Alike(embeddings.Embeddings):  # type: ignore[misc]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [[1.0, float(len(text) > 5)] for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return [1.0, 0.0]

    return Alike(), [documents.Document(page_content=text) for text in texts]


def test_langchains_filter_keeps_the_last_of_equal_texts_and_drops_what_equals_the_threshold() -> None:
    filters = pytest.importorskip("langchain_classic.retrievers.document_compressors")
    embeddings, documents = langchain(["fox", "fox"])
    documents[1].metadata["last"] = True
    nearest = filters.EmbeddingsFilter(embeddings=embeddings, k=1, similarity_threshold=None)
    (left,) = nearest.compress_documents(documents, "fox")
    assert left.metadata == {"last": True}
    at_the_limit = filters.EmbeddingsFilter(embeddings=embeddings, k=None, similarity_threshold=1.0)
    assert at_the_limit.compress_documents(documents, "fox") == []
    hits = BM25().index(Corpus("c", (Document("a", "fox"), Document("b", "fox"), Document("c", "ice"))))
    ranking = hits.search(Query("fox"))
    assert [hit.document.id for hit in EmbeddingsFilter(1, None)(ranking)] == ["a"]
    assert not EmbeddingsFilter(0, 1.0)(ranking).hits, "the lab's filter drops it, too"
    assert len(ScoreThreshold(ranking.hits[0].score)(ranking)) == 2, "a score threshold keeps it"


def test_a_sum_of_float32_depends_on_its_order() -> None:
    parts = (np.random.default_rng(0).normal(size=(1000, 2, 256)).astype(np.float32) / 16).prod(axis=1)
    sums = {order: np.add.accumulate(parts[:, ::order], axis=1)[:, -1] for order in (1, -1)}
    differences = np.abs(sums[1] - sums[-1])
    assert 0 < differences.max() < 1e-6
    assert (differences > 0).mean() > 0.5


def test_langchain_has_two_filters_and_both_take_a_function_of_similarity() -> None:
    filters = pytest.importorskip("langchain_classic.retrievers.document_compressors")
    transformers = pytest.importorskip("langchain_community.document_transformers")
    embeddings, documents = langchain(["fox", "foxes far", "foxes away"])
    redundant = transformers.EmbeddingsRedundantFilter(embeddings=embeddings)
    kept = [document.page_content for document in redundant.transform_documents(documents)]
    assert kept == ["fox", "foxes away"], "the later of two equal ones"
    for filter_class in (filters.EmbeddingsFilter, transformers.EmbeddingsRedundantFilter):
        assert "similarity_fn" in filter_class.model_fields
    negated = filters.EmbeddingsFilter(
        embeddings=embeddings, k=1, similarity_fn=lambda a, b: -(np.array(a) @ np.array(b).T) - np.array(b)[:, 1] * 9
    )
    assert [document.page_content for document in negated.compress_documents(documents, "x")] == ["fox"]


def test_re2_takes_linear_time() -> None:
    re2 = pytest.importorskip("re2")
    pattern, times = re2.compile("(a*)*(a|aa)*b$"), []
    for n in (20_000, 80_000):
        begun = time.perf_counter()
        assert pattern.search("a" * n) is None
        times.append(time.perf_counter() - begun)
    assert max(times) < 2, "a reader with backtracking would not end"
    for refused in (r"(a)\1", "a(?=b)", "(?<!a)b"):
        with pytest.raises(re2.error):
            re2.compile(refused)


def test_snowball_keeps_apart_what_porter_joins() -> None:
    stemmer = pytest.importorskip("Stemmer")
    stems = {name: stemmer.Stemmer(name).stemWords(["universe", "university"]) for name in ("porter", "english")}
    assert stems == {"porter": ["univers", "univers"], "english": ["univers", "universiti"]}


def test_ir_measures_has_a_name_for_graded_rbp_and_no_provider() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = [ir_measures.Qrel("q", "d", 1)], [ir_measures.ScoredDoc("q", "d", 1.0)]
    with pytest.raises(ValueError, match="Unsupported"):
        ir_measures.calc_aggregate([ir_measures.parse_measure("RBP(p=0.8)")], qrels, run)
    pytest.importorskip("cwl")
    binary = ir_measures.parse_measure("RBP(p=0.8,rel=1)")
    assert ir_measures.calc_aggregate([binary], qrels, run)[binary] == pytest.approx(0.2)


def test_the_example_of_err_ia_is_ndevals_and_not_the_papers() -> None:
    """Documents a and b have one subtopic, c has another; ndeval divides by the ideal list."""
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("pyndeval")
    qrels = [ir_measures.Qrel("q", d, 1, iteration=t) for d, t in (("a", "1"), ("b", "1"), ("c", "2"))]
    run = [ir_measures.ScoredDoc("q", d, s) for d, s in (("a", 3.0), ("b", 2.0), ("c", 1.0))]
    (figure,) = ir_measures.calc_aggregate([ir_measures.ERR_IA @ 3], qrels, run).values()
    paper = (1 / 1 + 0.5 / 2 + 1 / 3) / 2 / 2  # a stops half of the readers of its subtopic
    assert figure == pytest.approx(2 * paper / (1 + 0.5 / 2 + 0.25 / 3))
    guides = [Path(__file__).parents[2] / f"pages/whole/evaluate/guide.{x}.md" for x in ("en", "zh")]
    for guide in guides:
        text = guide.read_text("utf-8")
        assert f"{paper:.3f}" in text
        assert f"{figure:.3f}" in text


def test_gdeval_has_exponential_gains() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    if not shutil.which("perl"):
        pytest.skip("gdeval is written in Perl")
    qrels = [ir_measures.Qrel("1", d, g) for d, g in (("a", 1), ("b", 3))]
    run = [ir_measures.ScoredDoc("1", d, s) for d, s in (("a", 2.0), ("b", 1.0))]
    measure = ir_measures.parse_measure("nDCG(dcg='exp-log2')@5")
    (metric,) = ir_measures.gdeval.iter_calc([measure], qrels, run)
    assert metric.value == pytest.approx((1 + 7 / np.log2(3)) / (7 + 1 / np.log2(3)), abs=1e-4)


def test_the_client_waits_two_minutes_at_most() -> None:
    import openai._base_client as client

    assert client.MAX_RETRY_AFTER_DELAY == 120


def test_milvus_lite_returns_similarities_and_a_squared_distance(tmp_path: Path) -> None:
    pytest.importorskip("milvus_lite")
    from pymilvus import MilvusClient

    store = MilvusClient(str(tmp_path / "m.db"))
    distances = {}
    for metric in ("COSINE", "IP", "L2"):
        store.create_collection(metric.lower(), dimension=2, metric_type=metric)
        store.insert(metric.lower(), [{"id": 1, "vector": [3.0, 4.0]}])
        ((hit,),) = store.search(metric.lower(), data=[[3.0, 0.0]], limit=1)
        distances[metric] = hit["distance"]
    store.close()
    assert distances == pytest.approx({"COSINE": 0.6, "IP": 9.0, "L2": 16.0})
