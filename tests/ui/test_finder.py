"""The field that finds leads from the names of courses and other software to the page that shows what they name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import app_pages  # noqa: F401
import pytest
from streamlit.testing.v1 import AppTest

from lab.finding import KINDS, Match, techniques
from lab.ui import components, navigation
from lab.ui.layout import finder
from lab.ui.layout.finder import _finder, _grouped, _values

ROOT = Path(__file__).parents[2]
NAMES = {
    "as_retriever": "vector_store", "similarity_score_threshold": "filter", "TFIDFRetriever": "compare",
    "BM25Retriever": "compare", "EnsembleRetriever": "fusion", "VectorSimilarityRetriever": "vector_store",
    "LLMChainExtractor": "compress", "ContextualCompressionRetriever": "compress", "CrossEncoderReranker": "rerank",
    "LongContextReorder": "reorder", "hnsw:space": "vector_store", "query2doc": "rewrite",
    "Query-to-Document": "rewrite", "伪文档": "rewrite", "HyDE": "rewrite", "假设文档": "rewrite",
    "问题分解": "rewrite", "查询重写": "rewrite", "Step Back": "rewrite", "抽象化": "rewrite", "层次化": "granularity",
    "问题化": "granularity", "意图": "routing", "指代": "dialogue", "知识库": "corpus", "上下文对话": "dialogue",
    "噪声文档": "filter", "黑名单": "filter", "双编码器": "compare", "insert_citations": "answer", "迭代": "answer",
    "EmbeddingsRedundantFilter": "filter", "父子": "granularity", "子问题": "rewrite",
    "lost in the middle": "reorder", "摘要化": "granularity", "混合相似度": "rerank",
    "default_preprocessing_func": "tokenizer", "bm25_params": "compare", "parent_chunk_size": "granularity",
    "text_splitter": "granularity", "NO_OUTPUT": "compress", "available_int": "filter", "知识库路由": "routing",
    "doc_aggs": "filter", "rag_tokenizer": "tokenizer", "父文档": "granularity", "行业": "rewrite",
}  # fmt: skip
MISSPELT = {
    "ensamble": "fusion", "EnsembelRetriever": "fusion", "as_retreiver": "vector_store", "TFIDFRetreiver": "compare",
    "BM25Retreiver": "compare", "LLMChainExtracter": "compress", "ContextualCompresionRetriever": "compress",
    "CrosEncoderReranker": "rerank", "LongContexReorder": "reorder", "hnsw:spcae": "vector_store",
    "querry2doc": "rewrite", "similarty_score_threshold": "filter", "insert_citatons": "answer",
    "EmbeddingsRedundentFilter": "filter", "ParentDocumentRetreiver": "granularity", "MultiQueryRetreiver": "rewrite",
    "假设文挡": "rewrite", "伪文挡": "rewrite", "问题分节": "rewrite", "层次话": "granularity", "噪声文挡": "filter",
    "defalt_preprocessing_func": "tokenizer", "parent_chunksize": "granularity", "bm25_parms": "compare",
    "黑名丹": "filter", "交叉编码其": "rerank", "混合相似渡": "rerank", "知识酷": "corpus", "hybird search": "fusion",
}  # fmt: skip


def results(text: str, language: str = "en") -> list[Match]:
    return _grouped(_finder().find(text, language))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_names_of_the_courses_lead_to_the_right_page_first_with_typing_errors_too(language: str) -> None:
    expected = NAMES | MISSPELT
    assert {text: results(text, language)[0].entry.page for text in expected} == expected


def test_results_are_grouped_by_kind_after_the_kind_of_the_best() -> None:
    for text in ("EnsembleRetriever", "hyde", "fusion", "行业"):
        kinds = [match.entry.kind for match in results(text)]
        assert kinds[1:] == sorted(kinds[1:], key=lambda kind: (kind != kinds[0], KINDS.index(kind)))


def test_every_kind_is_found_in_both_languages() -> None:
    for language, texts in {
        "en": ("Fusion", "Reciprocal rank fusion", "Chunk overlap", "Ranks 1 and 2 in swapped order", "Six tokenizers"),
        "zh": ("多路对比", "倒数排名融合", "权重", "各占一半", "多轮对话"),
    }.items():
        found = [{match.entry.kind for match in results(text, language)} for text in texts]
        assert all(kind in kinds for kind, kinds in zip(KINDS, found, strict=True)), language


CHOICES = [
    (entry.page, key, value)
    for entry in techniques(lambda text: {"en": text})
    for key, value in _values(entry).items()
    if entry.kind == "technique"
]


def test_techniques_of_every_role_with_a_choice_are_chosen() -> None:
    assert {key for _page, key, _value in CHOICES} == {"fusion.method", *(key for key, _ in finder.CHOICES.values())}


@pytest.mark.nightly
@pytest.mark.parametrize(("page", "key", "value"), CHOICES)
def test_the_page_of_a_technique_opens_with_it_chosen(page: str, key: str, value: str | list[str]) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params[key] = value if isinstance(value, str) else ",".join(value)
    app.switch_page(f"pages/{navigation.listed(page).path}/page.py").run()
    assert not app.exception
    assert app.session_state[key] == value


def test_the_names_are_indexed_only_when_something_is_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finder, "_finder", lambda: pytest.fail("the names are indexed"))
    assert not AppTest.from_function(drawn).run().exception


def test_the_results_belong_to_all_that_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, text = list[Any](), "EnsembleRetriever " * 20 + "."
    monkeypatch.setattr(components, "find", lambda data, **_: sent.append(data))
    app = AppTest.from_function(drawn)
    app.session_state["_find_typed"] = text
    assert not app.run().exception
    assert [(data["text"], bool(data["rows"])) for data in sent] == [(text, True)]
    for absent in ("FAISS", "GraphRAG"):
        app.session_state["_find_typed"] = absent
        assert not app.run().exception
    assert {row["note"] for row in sent[1]["rows"]} == {"not in the lab; this is the nearest"}
    assert (sent[2]["rows"], sent[2]["words"]["nothing"]) == ([], "The lab does not have “GraphRAG”.")


def drawn() -> None:
    import streamlit as st

    from lab.ui import address
    from lab.ui.layout import finder

    address.begin()
    finder._type(st.session_state.get("_find_typed", ""))
    finder.draw()
