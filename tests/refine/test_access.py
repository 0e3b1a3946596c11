"""Permissions: hidden after the cut (`Allowed`) and before the index (`Only`)."""

from __future__ import annotations

import pytest
from night import for_each, spread

from lab.algebra import Corpus, Document, Pipeline, Runner, Top
from lab.corpus import samples
from lab.derive.access import Only, groups_of, visible
from lab.errors import ParameterError
from lab.refine.access import Allowed
from lab.retrieve.chroma_server import connect
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector

DOCUMENTS = (
    Document("a", "Salaries are paid on the 25th.", "", {"groups": "Finance"}),
    Document("b", "Salaries of the board.", "", {"groups": ["board", "finance"]}),
    Document("c", "Salaries rise in April.", "", {"groups": []}),
    Document("d", "Salaries in Dunmore.", ""),
    Document("e", "The canteen opens at noon.", "", {"groups": "everybody"}),
)
CORPUS = Corpus("pay", DOCUMENTS)


@for_each(
    "value, groups",
    [("Finance", ("Finance",)), (["a", " b "], ("a", "b")), ([], ()), ("", ()), ("  ", ()), (None, ()), (7, ("7",))],
)
def test_the_groups_of_a_passage_are_its_words(value: object, groups: tuple[str, ...]) -> None:
    assert groups_of({"groups": value}, "groups") == groups  # type: ignore[dict-item]


def test_a_passage_without_the_field_is_hidden_unless_it_is_meant_to_be_shown() -> None:
    assert not visible({}, ("finance",), "groups", "hide")
    assert visible({}, (), "groups", "show")
    assert visible({"groups": "ＦＩＮＡＮＣＥ"}, (" finance",), "groups", "hide")
    assert not visible({"groups": "finance"}, (), "groups", "show")


def test_after_the_cut_a_passage_goes_with_the_reason() -> None:
    ranking = Runner(CORPUS)(BM25() >> Allowed(("finance",)), "salaries", 10)
    assert set(ranking.ids) == {"a", "b"}
    assert {drop.document.id: str(drop.reason) for drop in ranking.dropped} == {
        "c": "The field “groups” is missing: hidden.",
        "d": "The field “groups” is missing: hidden.",
    }
    board = Runner(CORPUS)(BM25() >> Allowed(("board",)), "salaries", 10)
    assert "groups is “Finance”; groups of the reader: board." in [str(drop.reason) for drop in board.dropped]
    nobody = Runner(CORPUS)(BM25() >> Allowed(), "salaries", 10)
    assert nobody.ids == []
    assert any("groups of the reader: –." in str(drop.reason) for drop in nobody.dropped)


def test_after_the_cut_fewer_remain_and_before_it_as_many_as_are_visible() -> None:
    after = Runner(CORPUS)(BM25() >> Top(2) >> Allowed(("board",)), "salaries", 10)
    before = Runner(CORPUS)(Only(("board",))(BM25()) % 2, "salaries", 10)
    assert len(after) <= len(before) == 1


def test_the_scores_of_a_shared_index_depend_on_what_is_hidden_and_those_of_its_own_do_not() -> None:
    quiet = Corpus("pay", (*DOCUMENTS[:2], DOCUMENTS[4]))
    shared, own = BM25() >> Allowed(("board",)), Only(("board",))(BM25())
    with_hidden, without = (Runner(c)(shared, "salaries", 10).hits[0].score for c in (CORPUS, quiet))
    assert with_hidden != without, "passages that the reader cannot see move the score"
    assert len({Runner(c)(own, "salaries", 10).hits[0].score for c in (CORPUS, quiet)}) == 1


def test_a_field_that_is_empty_hides_everything_and_groups_are_words() -> None:
    assert Runner(CORPUS)(Only(("finance",), field="nowhere")(BM25()), "salaries", 10).ids == []
    with pytest.raises(ParameterError):
        Allowed(missing="perhaps")
    with pytest.raises(ParameterError):
        Only(missing="perhaps")


# ------------------------------------------------------------------------------------------------- oracles


@pytest.mark.parametrize("name", spread(samples.names(), 2))
@pytest.mark.parametrize("retriever", [BM25(), TFIDF(), Vector()], ids=lambda r: r.key)
def test_only_is_exactly_the_corpus_built_without_the_hidden_passages(name: str, retriever: object) -> None:
    collection = samples.load(name)
    corpus = collection.corpus
    groups = sorted({g for d in corpus for g in groups_of(d.metadata, "source")})[:2]
    documents = tuple(d for d in corpus if set(groups_of(d.metadata, "source")) & set(groups))
    built = Runner(Corpus("built", documents))
    search = Pipeline((retriever,), derive=(Only(tuple(groups), "source"),))  # type: ignore[arg-type]
    hidden = Runner(corpus)
    for query in collection.queries[::9]:
        wanted, got = built(retriever, query, 20), hidden(search, query, 20)  # type: ignore[arg-type]
        assert [(h.document, h.score, tuple(h.why)) for h in got.hits] == [
            (h.document, h.score, tuple(h.why)) for h in wanted.hits
        ]
        hidden.forget()
        built.forget()


def test_chroma_finds_the_same_with_a_condition_on_the_field() -> None:
    import numpy as np

    from lab.models.embedders import encoder_of

    collection = samples.load("handbook")
    corpus, retriever = collection.corpus, Vector(pieces="whole")
    source = sorted({g for d in corpus for g in groups_of(d.metadata, "source")})[0]
    search = Only((source,), "source")(retriever)
    encoder = encoder_of(retriever.embedder, corpus)
    store = connect().create_collection("access", metadata={"hnsw:space": "cosine"})
    store.add(
        ids=[d.id for d in corpus],
        embeddings=np.asarray(encoder.documents([d.content for d in corpus])),
        metadatas=[{"source": " ".join(groups_of(d.metadata, "source")) or "–"} for d in corpus],
    )
    visible_passages = sum(groups_of(d.metadata, "source") == (source,) for d in corpus)
    assert visible_passages > 5
    for query in collection.queries[::10]:
        answer = store.query(
            query_embeddings=np.asarray(encoder.queries([query.text])), n_results=5, where={"source": source}
        )
        ranking = Runner(corpus)(search, query, 5)
        scores = [1 - x for x in answer["distances"][0]]
        assert [h.score for h in ranking.hits] == pytest.approx(scores, abs=1e-4)
        assert set(ranking.ids) == set(answer["ids"][0])
