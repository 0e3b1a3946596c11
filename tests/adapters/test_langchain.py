"""A search of the lab is a retriever of LangChain: by LangChain's own tests, and with its arithmetic."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import pickle
import sys
from typing import TYPE_CHECKING

import pytest
from models.scripted import ScriptedModel

from lab.algebra import Corpus, Document, Runner
from lab.errors import MissingExtra, ModelError, ParameterError
from lab.fuse import RRF
from lab.refine.diversity import MMR
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.routing import CollectionRouter, Destination, Route

if TYPE_CHECKING:
    from lab.adapters.langchain import LabRetriever as Retriever

CORPUS = Corpus(
    "animals",
    (
        Document("d1", "a red fox in the snow", "Foxes", {"tags": ["wild", "red"], "score": "own", "year": 2024}),
        Document("d2", "a red bird"),
        Document("d3", "a fox and a bird, both red"),
        Document("d4", "red paint"),
        Document("d5", "nothing at all"),
    ),
)
SEARCH = RRF()(BM25(), Vector()) >> MMR(k=4)


@pytest.fixture(scope="module")
def LabRetriever() -> type[Retriever]:
    """Imported where it is needed: LangChain takes seconds, and every process of the suite reads this file."""
    from lab.adapters.langchain import LabRetriever

    return LabRetriever


def test_langchains_own_tests_of_a_retriever_pass(LabRetriever):
    from langchain_tests.integration_tests import RetrieversIntegrationTests

    class Own(RetrieversIntegrationTests):
        retriever_constructor = LabRetriever
        retriever_constructor_params = {"searcher": SEARCH, "corpus": CORPUS, "k": 2}
        retriever_query_example = "red fox"

    names = [name for name in dir(Own) if name.startswith("test_")]
    assert {"test_k_constructor_param", "test_invoke_returns_documents", "test_ainvoke_returns_documents"} <= {*names}
    for name in names:
        test = getattr(Own(), name)
        wants = inspect.signature(test).parameters
        done = test(**{"retriever": LabRetriever(**Own.retriever_constructor_params)} if "retriever" in wants else {})
        if inspect.isawaitable(done):
            asyncio.run(done)


def test_a_document_carries_its_rank_its_score_and_the_addends_of_it(LabRetriever):
    found = LabRetriever(BM25(), CORPUS, 3).invoke("red fox")
    ranking = Runner(CORPUS)(BM25(), "red fox", 3)
    assert [d.id for d in found] == ranking.ids
    for rank, (made, hit) in enumerate(zip(found, ranking.hits, strict=True), 1):
        told = made.metadata
        assert (told["rank"], told["score"], made.page_content) == (rank, hit.score, hit.document.text)
        assert told["why"] == [{"source": c.source, "value": c.value} for c in hit.why]
        assert sum(part["value"] for part in told["why"]) == pytest.approx(told["score"])
    first = next(d for d in found if d.id == "d1").metadata
    assert (first["title"], first["year"], first["tags"]) == ("Foxes", 2024, ["wild", "red"])
    first["tags"].append("changed")
    assert CORPUS.get("d1").metadata["tags"] == ["wild", "red"]
    assert json.dumps([d.metadata for d in found])
    assert [d.metadata["why"] for d in LabRetriever(BM25(), CORPUS, explain=False).invoke("red fox")] == [[]] * 4


def test_it_stands_in_a_chain_and_says_who_it_is(LabRetriever):
    retriever = LabRetriever(SEARCH, CORPUS, 2, tags=["lab"])
    from langchain_core.runnables import RunnableLambda

    chain = retriever | RunnableLambda(lambda documents: [d.id for d in documents])
    assert chain.invoke("red fox") == Runner(CORPUS)(SEARCH, "red fox", 2).ids
    assert chain.batch(["red fox", "snow"])[1] == Runner(CORPUS)(SEARCH, "snow", 2).ids
    assert (retriever.get_name(), retriever.tags) == ("LabRetriever", ["lab"])


def test_a_search_that_asks_a_language_model_is_given_one(LabRetriever):
    search = MultiQuery(model="chat")(TFIDF())
    with pytest.raises(ModelError, match="no language model “chat”"):
        LabRetriever(search, CORPUS).invoke("fox")
    model = ScriptedModel((("", "bird"),))
    assert {d.id for d in LabRetriever(search, CORPUS, models={"chat": model}).invoke("fox")} == {"d1", "d2", "d3"}


def test_what_is_no_search_no_corpus_or_no_number_is_refused(LabRetriever):
    for words, given in {
        "“searcher” cannot hold MMR": (MMR(), CORPUS),
        "“corpus” cannot hold list": (BM25(), []),
        "k is 0": (BM25(), CORPUS, 0),
    }.items():
        with pytest.raises(ParameterError, match=words):
            LabRetriever(*given)
    with pytest.raises(ParameterError, match="k is 0"):
        LabRetriever(BM25(), CORPUS).invoke("red", k=0)


def test_it_can_be_copied_pickled_and_printed_in_a_line(LabRetriever):
    other = Corpus("tools", (Document("t", "a hammer and a nail"),))
    model = ScriptedModel((("", "a red fox"),))
    retriever = LabRetriever(SEARCH, CORPUS, k=2, models={"chat": model}, others={"tools": other})
    wanted = [document.id for document in retriever.invoke("red fox")]
    for made in (
        copy.copy(retriever),
        copy.deepcopy(retriever),
        copy.deepcopy({"chain": [retriever]})["chain"][0],
        pickle.loads(pickle.dumps(retriever)),
        retriever.model_copy(deep=True),
    ):
        assert [document.id for document in made.invoke("red fox")] == wanted
        assert (made.k, dict(made.models), repr(made)) == (2, {"chat": model}, repr(retriever))
    assert copy.deepcopy(retriever).corpus is CORPUS
    assert repr(retriever) == str(retriever) == "LabRetriever(RRF()(BM25(), Vector()) >> MMR(k=4), 'animals', k=2)"
    assert repr(retriever) in repr(retriever.with_config(tags=["x"]))


def test_without_langchain_it_is_said_what_to_install(monkeypatch, LabRetriever):
    monkeypatch.setitem(sys.modules, "langchain_core.callbacks", None)
    monkeypatch.delitem(sys.modules, "lab.adapters.langchain")
    with pytest.raises(MissingExtra, match=r"langchain-core.*retrieval-lab\[langchain\]"):
        import lab.adapters.langchain  # noqa: F401


def test_a_route_leads_to_the_other_corpora_that_are_given(LabRetriever):
    other = Corpus("tools", (Document("t", "a hammer and a nail"),))
    places = (Destination("animals", BM25()), Destination("tools", BM25(), "tools"))
    found = LabRetriever(Route(CollectionRouter(best=1), places), CORPUS, others={"tools": other}).invoke("a hammer")
    assert [document.id for document in found] == ["t"]
