"""Retrieval Lab: see why a document is ranked where it is.

    from lab import BM25, MMR, RRF, Runner, Vector, samples
    corpus = samples.load("devices").corpus
    search = RRF(k=60)(BM25(k1=1.2), Vector()) >> MMR(k=8)
    Runner(corpus)(search, "headset shows E21").to_frame()

Everything that the catalogue knows can be imported from here.  Names are imported when they are first used, so that
``import lab`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_ROOMS = {
    "lab.core": "Corpus Document Query Ranking Top Turn",
    "lab.corpus": "samples",
    "lab.derive.chunk": "Chunk",
    "lab.fuse": "RRF BestScore WeightedSum",
    "lab.models.endpoint": "EndpointEmbedder",
    "lab.models.endpoint_chat": "EndpointModel",
    "lab.models.lsa": "LSA",
    "lab.models.neural": "Model2Vec SentenceTransformer",
    "lab.models.static": "BuiltIn",
    "lab.pipeline": "Destination Fallback Pipeline Route Runner WordTable",
    "lab.refine.compress": "SentenceExtractor",
    "lab.refine.coverage": "MaxSim QueryCoverage",
    "lab.refine.diversity": "MMR",
    "lab.refine.filters": (
        "EmbeddingsFilter KeywordExclusion MetadataFilter MinimumMatch RedundancyFilter ScoreThreshold SemanticDedup"
    ),
    "lab.refine.hybrid": "HybridSimilarity",
    "lab.refine.lift": "Lift",
    "lab.refine.llm_filter": "LanguageModelJudge ModelExtractor",
    "lab.refine.reorder": "LongContextReorder",
    "lab.refine.rerank": "CrossEncoderReranker",
    "lab.refine.tags": "Tags",
    "lab.retrieve.chroma": "ChromaVector",
    "lab.retrieve.lexical": "BM25 TFIDF",
    "lab.retrieve.vector": "Vector",
    "lab.rewrite.domain": "Adapter DomainVocabulary",
    "lab.rewrite.hyde": "HyDE",
    "lab.rewrite.multi_query": "MultiQuery",
    "lab.rewrite.query2doc": "Query2Doc",
    "lab.rewrite.step_back": "StepBack",
    "lab.rewrite.sub_questions": "SubQuestions",
    "lab.text": "Analyzer",
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names.split()}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - the names are real, they load late


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lab' has no attribute {name!r}")
    home = _HOMES[name]
    return import_module(f"{home}.{name}") if name == "samples" else getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
