"""LongContextReorder against LangChain's, on 1,000 random inputs.  Nothing can tie: only positions count."""

from __future__ import annotations

import random

from night import seeds

from lab.algebra import Corpus, Document, Hit, Ranking
from lab.refine.reorder import LongContextReorder
from lab.retrieve.lexical import BM25


def test_the_order_is_langchains() -> None:
    from langchain_community.document_transformers import LongContextReorder as Theirs
    from langchain_core.documents import Document as TheirDocument

    for seed in seeds(1000):
        rng = random.Random(seed)
        ids = [f"d{i}" for i in range(rng.choice([0, 1, 2, 3, 4, 5, rng.randint(6, 60)]))]
        rng.shuffle(ids)
        corpus = Corpus("c", tuple(Document(i, i) for i in sorted(ids)))
        ranking = Ranking("q", tuple(Hit(corpus.get(i), rng.random()) for i in ids), BM25(), corpus=corpus)
        theirs = Theirs().transform_documents([TheirDocument(page_content=i) for i in ids])
        assert [h.document.id for h in LongContextReorder()(ranking)] == [d.page_content for d in theirs]
