"""Parts lifted to their documents: LangChain's parent and multi-vector retrievers, LlamaIndex's rules restated."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from night import for_each, seeds

from lab.algebra import Contribution, Corpus, Derivation, Document, Hit, Lift, Ranking, Runner
from lab.derive.parts import ParentChild, Sentences
from lab.refine.neighbours import Neighbours
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

WORDS = ["battery", "charge", "noise", "case", "cable", "light", "quiet", "music", "phone", "bag", "strap", "lens"]


def texts(rng: random.Random, number: int) -> Corpus:
    """Documents of a few sentences, no two words of which are in the same places."""

    def sentence() -> str:
        return " ".join(rng.choice(WORDS) + str(rng.randint(1, 40)) for _ in range(rng.randint(3, 9))) + "."

    return Corpus(
        "c", tuple(Document(f"d{i}", " ".join(sentence() for _ in range(rng.randint(1, 14)))) for i in range(number))
    )


def scored(rng: random.Random, corpus: Corpus, derivation: Derivation) -> Ranking:
    """Some of the parts, with scores at random, each of two addends."""
    derived = derivation(corpus)
    hits = []
    for part in rng.sample(derived.documents, rng.randint(0, len(derived))):
        a, b = rng.random(), rng.choice([0.0, -0.3, rng.random()])
        hits.append(Hit(part, a + b, (Contribution("a", a), Contribution("b", b))))
    hits.sort(key=lambda hit: -hit.score)
    return Ranking("q", tuple(hits), BM25(), corpus=derived)


@pytest.mark.parametrize("by", ["best", "first"])
@pytest.mark.parametrize("name", ["ParentDocumentRetriever", "MultiVectorRetriever"])
def test_unique_parents_by_their_first_child_as_in_langchain(name: str, by: str) -> None:
    import langchain_classic.retrievers as theirs
    from langchain_core.documents import Document as TheirDocument
    from langchain_core.embeddings import Embeddings
    from langchain_core.stores import InMemoryStore
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_text_splitters import TextSplitter

    vector = Vector(pieces="whole")

    class Cut(TextSplitter):  # the same children, so that only the way back is compared
        def split_text(self, text: str) -> list[str]:
            return [part.text for part in ParentChild(parent=200, child=60).chunk(Document("x", text))]

    for seed in seeds(30):
        rng = random.Random(seed)
        corpus = texts(rng, 12)
        derived = ParentChild(parent=200, child=60)(corpus)
        encoder = vector.embedder.fit(derived)

        class Ours(Embeddings):
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return np.asarray(encoder.documents(texts), float).tolist()  # noqa: B023

            def embed_query(self, text: str) -> list[float]:
                return np.asarray(encoder.queries([text]), float)[0].tolist()  # noqa: B023

        options: dict[str, Any] = {
            "vectorstore": InMemoryVectorStore(Ours()),
            "docstore": InMemoryStore(),
            "id_key": "parent",
            "search_kwargs": {"k": 15},
        }
        documents = [TheirDocument(page_content=d.text, metadata={"id": d.id}) for d in corpus]
        if name == "ParentDocumentRetriever":
            retriever = theirs.ParentDocumentRetriever(child_splitter=Cut(), **options)
            retriever.add_documents(documents, ids=[d.id for d in corpus])
        else:
            retriever = theirs.MultiVectorRetriever(**options)
            retriever.vectorstore.add_documents(
                [TheirDocument(page_content=d.text, metadata={"parent": derived.origins[d.id]}) for d in derived]
            )
            retriever.docstore.mset([(d.metadata["id"], d) for d in documents])
        question = " ".join(rng.choice(WORDS) + str(rng.randint(1, 40)) for _ in range(4))
        expected = [d.metadata["id"] for d in retriever.invoke(question)]
        found = Runner(derived)(vector, question, 15)
        assert Lift(by=by)(found).ids == expected


def restated(found: Sequence[Hit], derived: Corpus) -> dict[str, float]:
    """LlamaIndex's ``AutoMergingRetriever._get_parents_and_merge``: nodes afterwards, the best of each document."""
    children: dict[tuple[str, Any], list[Hit]] = defaultdict(list)
    for hit in found:
        children[derived.origins[hit.document.id], hit.document.metadata.get("section")].append(hit)
    nodes: list[tuple[str, float]] = []
    for (origin, section), own in children.items():
        siblings = [d for d in derived if (derived.origins[d.id], d.metadata.get("section")) == (origin, section)]
        if len(own) / len(siblings) > 0.5:
            nodes.append((origin, sum(h.score for h in own) / len(own)))
        else:
            nodes += [(origin, h.score) for h in own]
    return {doc: max(score for d, score in nodes if d == doc) for doc, _ in nodes}


def test_the_ways_to_lift_are_what_they_say() -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        corpus = texts(rng, 6)
        ranking = scored(rng, corpus, ParentChild(parent=120, child=40))
        of: dict[str, list[float]] = defaultdict(list)
        for hit in ranking.hits:
            of[ranking.corpus.origins[hit.document.id]].append(hit.score)
        first = {
            doc: 1 / (1 + min(ranking.hits.index(h) for h in ranking.hits if h.score in own)) for doc, own in of.items()
        }
        expected = {
            "best": {doc: max(own) for doc, own in of.items()},
            "mean": {doc: sum(own) / len(own) for doc, own in of.items()},
            "sum": {doc: sum(own) for doc, own in of.items()},
            "count": {doc: float(len(own)) for doc, own in of.items()},
            "first": first,
            "auto-merging": restated(ranking.hits, ranking.corpus),
        }
        for by, scores in expected.items():
            lifted = Lift(by=by)(ranking)
            assert {h.document.id: h.score for h in lifted.hits} == pytest.approx(scores, abs=1e-12)
            assert lifted.ids == sorted(scores, key=lambda d: (-lifted.hit(d).score, corpus.positions[d]))
            for hit in lifted.hits:
                assert sum(c.value for c in hit.why) == pytest.approx(hit.score, abs=1e-9)


@for_each("window", [0, 1, 2, 3])
def test_the_window_is_llamaindexs(window: int) -> None:
    """``SentenceWindowNodeParser``: the sentences from i - window to i + window of the same document, joined."""
    for seed in seeds(60):
        rng = random.Random(seed)
        corpus = texts(rng, 5)
        ranking = scored(rng, corpus, Sentences())
        derived, own = ranking.corpus, defaultdict[str, list[Document]](list)
        for part in derived:
            own[derived.origins[part.id]].append(part)
        for before, after in zip(ranking.hits, Neighbours(window=window)(ranking).hits, strict=True):
            siblings = own[derived.origins[before.document.id]]
            at = siblings.index(before.document)
            expected = " ".join(d.text for d in siblings[max(0, at - window) : at + window + 1])
            assert after.document.text.split() == expected.split()
            assert (after.document.id, after.score) == (before.document.id, before.score)
        for hit in Neighbours(window=window)(Lift()(ranking)).hits:
            children = [h for h in ranking.hits if derived.origins[h.document.id] == hit.document.id]
            best = max(children, key=lambda h: h.score)
            alone = Neighbours(window=window)(Ranking("q", (best,), BM25(), corpus=derived)).hits[0]
            assert hit.document.text == alone.document.text
