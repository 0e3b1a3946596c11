"""Operators as a filter, and the rewriter that takes them out of the question before lists see it."""

from __future__ import annotations

import pytest

from lab.algebra import Corpus, Document, Fallback, Pipeline, Query, Runner, Searcher
from lab.corpus import samples
from lab.derive.parts import Sentences
from lab.fuse import RRF
from lab.refine.boolean import BooleanQuery
from lab.refine.operators import Operators
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.operators import StripOperators, with_operators
from lab.rewrite.routing import Destination, Route, WordTable

CORPUS = Corpus(
    "crafts",
    (
        Document("kiln", "A kiln fires clay.", "Firing", {"source": "manual"}),
        Document("wax", "A kiln melts wax, too. It is hot.", "Melting", {"source": "faq"}),
        Document("loom", "A loom weaves yarn.", "Weaving", {"source": "faq"}),
        Document("row", "Clay from a hot kiln.", "Clay", {"source": "faq"}),
    ),
)


def found(searcher: Searcher, question: str) -> list[str]:
    return Runner(CORPUS)(searcher, question).ids


def test_an_excluded_word_is_not_searched_for() -> None:
    """Where the minus is read as a word, the passages that contain it come first."""
    assert found(BM25(), "kiln -wax")[0] == "wax"
    stripped = Runner(CORPUS)(StripOperators()(BM25()) >> Operators(), "kiln -wax")
    plain = Runner(CORPUS)(BM25(), "kiln")
    assert stripped.ids == [i for i in plain.ids if i != "wax"]
    assert [h.score for h in stripped.hits] == [h.score for h in plain.hits if h.document.id != "wax"]
    assert [tuple(h.why) for h in stripped.hits] == [tuple(h.why) for h in plain.hits if h.document.id != "wax"]
    assert [str(d.reason) for d in stripped.dropped] == ["It contains “wax” at character 14, which is excluded."]
    assert stripped.dropped[0].by == "Operators"


def test_a_question_without_operators_is_left_alone() -> None:
    for question in ("kiln clay", "", "WH-1000"):
        plain, kept = Runner(CORPUS)(BM25(), question), Runner(CORPUS)(with_operators(BM25()), question)
        assert kept.hits == plain.hits
        assert not kept.dropped


def test_the_evidence_is_how_the_question_was_read() -> None:
    asked = Runner(CORPUS)(with_operators(BM25()), "source:faq kiln").evidence_as(BooleanQuery)
    assert str(asked.reading) == "Read as: required: source: faq; ranked by: kiln."
    assert found(with_operators(BM25()), "source:faq kiln") == found(BM25() >> Operators(), "source:faq kiln")
    assert set(found(with_operators(BM25()), "source:faq kiln")) == {"wax", "row"}


def test_word_forms_can_be_left_out() -> None:
    assert found(BM25() >> Operators(), "+kilns") == found(BM25(), "kilns") != []
    assert found(BM25() >> Operators(stems=False), "+kilns") == []


def test_a_rewritten_question_keeps_to_the_operators_of_the_original() -> None:
    inner = BM25() >> Operators()
    reworded = Pipeline((inner,), rewrite=MultiQuery(abstains=False))
    assert "wax" not in found(reworded, "hot kiln -wax")
    wording = Query("kiln", made_from=Query("kiln -wax"))
    assert "wax" not in Runner(CORPUS)(inner, wording).ids


def test_the_words_of_two_questions_are_two_questions() -> None:
    """One runner, the same words to search by, other operators."""
    runner = Runner(CORPUS)
    first = runner(BM25() >> Operators(), Query("kiln", made_from=Query("kiln -wax")))
    second = runner(BM25() >> Operators(), Query("kiln", made_from=Query("kiln -clay")))
    assert set(first.ids) == {"kiln", "row"}
    assert set(second.ids) == {"wax"}


@pytest.mark.parametrize(
    "search",
    [
        BM25(),
        Vector(),
        RRF()(BM25(), Vector()),
        BM25() % 3,
        Fallback(BM25() % 1, Vector()),
        Route(WordTable((("kiln", "words"),), "words"), (Destination("words", BM25()),)),
        Sentences()(BM25()),
    ],
)
def test_every_list_of_a_search_keeps_to_the_operators(search: Searcher) -> None:
    ids = found(with_operators(search), "kiln clay -wax")
    assert ids
    assert "wax" not in ids
    stripped = Query("kiln clay", made_from=Query("kiln clay -wax"))
    assert Runner(CORPUS)(with_operators(search, strip=False), stripped).ids == ids


def test_parts_are_judged_as_whole_documents() -> None:
    """“It is hot.” does not say wax, but its document does."""
    assert found(with_operators(Sentences()(BM25())), "hot -wax") == ["row"]


def test_only_excluding_finds_nothing_and_says_why() -> None:
    ranking = Runner(CORPUS)(with_operators(BM25()), "-wax")
    assert ranking.hits == ()
    rewrite = StripOperators().rewrite(Query("-wax"), CORPUS)
    assert rewrite.queries == ()
    assert "no word to search by" in rewrite.unchanged


def test_a_passage_beyond_the_depth_is_found() -> None:
    """The list is searched within what fits, unless it was cut before."""
    many = Corpus("many", tuple(Document(str(i), "kiln " * (20 - i) + "clay" * (i == 15)) for i in range(20)))
    runner = Runner(many)
    assert runner(BM25(), "kiln").ids.index("15") >= 10
    asked = Query("kiln", made_from=Query("kiln +clay"))
    assert runner(Pipeline((BM25(),), refine=(Operators(),), depth=10), asked).ids == ["15"]
    assert runner(BM25() % 10 >> Operators(), asked).ids == []


def test_a_search_with_operators_can_be_written_and_read() -> None:
    from lab import formats

    search = with_operators(RRF()(BM25(), Vector()))
    assert formats.parse(formats.expression(search)) == search
    assert formats.from_toml(formats.to_toml(search)) == search
    assert formats.parse("StripOperators() >> BM25() >> Operators()") == StripOperators()(BM25()) >> Operators()


def test_the_samples_keep_what_their_judges_found() -> None:
    """Questions of the samples have no operators: with them on, every list is the same."""
    for name in ("devices", "handbook"):
        collection = samples.load(name)
        runner = Runner(collection.corpus, explain=False)
        for query in collection.queries[:40]:
            assert runner(with_operators(BM25()), query, 20).ids == runner(BM25(), query, 20).ids, query.text
