"""Parts lifted to their documents: LangChain's parent and multi-vector retrievers, LlamaIndex's rules restated."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from night import for_each, seeds

from lab.algebra import Contribution, Corpus, Derivation, Document, Hit, Lift, Ranking, Runner, tie_key
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
    """LlamaIndex's ``AutoMergingRetriever``: gaps are filled and children merged in turn; the best of a document."""

    def parent(document: Document) -> tuple[str, Any]:
        return derived.origins[document.id], document.metadata.get("section")

    siblings: dict[tuple[str, Any], list[str]] = defaultdict(list)
    for d in derived:
        siblings[parent(d)].append(d.id)
    nodes = [(h.document.id, h.score, parent(h.document)) for h in found]
    best: dict[str, float] = {}
    changed = True
    while changed:
        longer = []
        for i, (name, score, of) in enumerate(nodes):
            longer.append(nodes[i])
            following = siblings[of][siblings[of].index(name) + 1 :]
            if i + 1 < len(nodes) and len(following) > 1 and following[1] == nodes[i + 1][0]:
                longer.append((following[0], (score + nodes[i + 1][1]) / 2, of))
        changed, nodes = len(longer) > len(nodes), longer
        for of, names in siblings.items():
            own = [score for _, score, parent_of_node in nodes if parent_of_node == of]
            if len(own) / len(names) > 0.5:
                best[of[0]] = max(best.get(of[0], -math.inf), sum(own) / len(own))
                nodes, changed = [node for node in nodes if node[2] != of], True
    for _, score, of in nodes:
        best[of[0]] = max(best.get(of[0], -math.inf), score)
    return best


@pytest.mark.parametrize("seed", seeds(40))
def test_merging_is_that_of_the_package(seed: int) -> None:
    retrievers = pytest.importorskip("llama_index.core.retrievers", reason="llama-index-core is not installed")
    from llama_index.core import StorageContext
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, TextNode

    ranking = scored(random.Random(seed), texts(random.Random(seed), 6), ParentChild(parent=120, child=40))
    derived, storage = ranking.corpus, StorageContext.from_defaults()
    siblings: dict[str, list[str]] = defaultdict(list)
    for d in derived:
        siblings[f"{derived.origins[d.id]} {d.metadata.get('section')}"].append(d.id)
    nodes = {d.id: TextNode(id_=d.id, text=d.text) for d in derived}
    for name, ids in siblings.items():
        parent = TextNode(id_=name, text=name)
        parent.relationships[NodeRelationship.CHILD] = [nodes[i].as_related_node_info() for i in ids]
        for i, here in enumerate(ids):
            nodes[here].relationships[NodeRelationship.PARENT] = parent.as_related_node_info()
            if i:
                nodes[here].relationships[NodeRelationship.PREVIOUS] = nodes[ids[i - 1]].as_related_node_info()
            if i + 1 < len(ids):
                nodes[here].relationships[NodeRelationship.NEXT] = nodes[ids[i + 1]].as_related_node_info()
        storage.docstore.add_documents([parent])
    storage.docstore.add_documents(list(nodes.values()))

    class Given(BaseRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return [NodeWithScore(node=nodes[hit.document.id], score=hit.score) for hit in ranking.hits]

    expected: dict[str, float] = {}
    for node in retrievers.AutoMergingRetriever(Given(), storage).retrieve("q"):
        document = derived.origins.get(node.node_id, node.node_id.partition(" ")[0])
        expected[document] = max(expected.get(document, -math.inf), node.score)
    lifted = Lift(by="auto-merging")(ranking)
    assert {hit.document.id: hit.score for hit in lifted.hits} == pytest.approx(expected)


def test_a_gap_between_neighbours_of_the_list_is_filled_before_merging() -> None:
    """As seen with llama-index-core 0.14.25: 0.9 and 0.8 merge to 0.85, a third one of 0.1 brings 0.62."""
    corpus = Corpus("c", (Document("a", " ".join(f"{word}" * 9 for word in "bcdef")),))
    for size, scores, expected in (
        (4, {0: 0.9, 2: 0.8}, 0.85),
        (5, {0: 0.9, 2: 0.8, 4: 0.1}, (0.9 + 0.85 + 0.8 + 0.45 + 0.1) / 5),
        (4, {2: 0.9, 0: 0.8}, 0.9),  # the later chunk is first in the list
        (5, {0: 0.9, 3: 0.8}, 0.9),  # two chunks are missing
    ):
        pieces = tuple(Document(f"a/{i}", f"chunk {i}", metadata={"section": 0}) for i in range(size))
        derived = Corpus("parts", pieces, parents=(corpus,), origins={piece.id: "a" for piece in pieces})
        hits = tuple(Hit(pieces[i], score, (Contribution("s", score),)) for i, score in scores.items())
        ranking = Ranking("q", hits, BM25(), corpus=derived)
        (hit,) = Lift(by="auto-merging")(ranking).hits
        assert hit.score == pytest.approx(expected)
        assert sum(c.value for c in hit.why) == pytest.approx(hit.score)


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
            assert lifted.ids == sorted(scores, key=lambda d: (-lifted.hit(d).score, tie_key(d)))
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
