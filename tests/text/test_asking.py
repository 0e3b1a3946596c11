"""Words of the asker carry no weight in a question, and stay words of passages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document, Query
from lab.corpus import samples
from lab.refine.boolean import Matching, Reading, parse
from lab.retrieve.lexical import BM25
from lab.text import Analyzer

ANALYZER = Analyzer()
WITHOUT = Analyzer(asker=False)
PERSONS = ["i", "me", "my", "we", "us", "our", "you", "your", "myself", "mine"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("I lost my laptop on the train", "lost laptop on the train"),
        ("how much holiday do I get", "how much holiday do get"),
        ("I'm ill and we’ve left our keys", "ill and left keys"),
        ("AM I LATE FOR US", "AM LATE FOR"),
        ("is yours or mine the room", "is or the room"),
        ("我想请假", "请假"),
        ("请问我们公司怎么报销", "公司怎么报销"),
        ("您的電腦壞了", "的電腦壞了"),
        ("請問我們公司", "公司"),
        ("你们和咱们的班车", "和 的班车"),
    ],
)
def test_words_of_the_asker_are_left_out_of_a_question(question: str, words: str) -> None:
    bare = ANALYZER.without_asker(question)
    assert len(bare) == len(question)
    assert ANALYZER.tokens(bare) == ANALYZER.tokens(words)


@pytest.mark.parametrize(
    "question",
    [
        "the US embassy",
        "Portland, ME",
        "type I error",
        "World War I",
        "why did Henry I die",
        "I-95 and I/O",
        "i.e. this",
        "理想和自我介绍",
        "我国的法律",
        "思想",
        "who am I",
        "what do you do?",
        "我们",
        "我想",
        "you",
    ],
)
def test_names_numerals_and_questions_without_other_words_stay(question: str) -> None:
    assert ANALYZER.tokens(ANALYZER.without_asker(question)) or ANALYZER.without_asker(question) == question
    if not question.startswith("who"):
        assert ANALYZER.without_asker(question) == question


@given(st.sampled_from(PERSONS), st.sampled_from(["laptop", "holiday", "加班"]))
def test_a_question_finds_the_same_with_and_without_its_asker(word: str, topic: str) -> None:
    documents = [
        Document("a", f"{topic} and more"),
        Document("b", "I think my view is mine, and we like you, us, our own"),
    ]
    index = BM25().index(Corpus("c", documents))
    assert [(h.document.id, h.score) for h in index.search(f"{word} {topic}")] == [
        (h.document.id, h.score) for h in index.search(topic)
    ]
    assert index.names(f"{word} {topic}") == index.names(topic)
    assert BM25(analyzer=WITHOUT).index(Corpus("c", documents)).query_terms(f"{word} {topic}") != index.query_terms(
        topic
    )
    assert [h.document.id for h in index.search(word)] == [
        h.document.id for h in BM25(analyzer=WITHOUT).index(Corpus("c", documents)).search(word)
    ]


def test_a_weighted_question_loses_the_same_words() -> None:
    index = BM25().index(Corpus("c", [Document("a", "a laptop"), Document("b", "I am I")]))
    query = Query("I laptop", weights=(("I", 1.0), ("laptop", 2.0)))
    assert index.query_terms(query) == {"laptop": 2.0}
    assert index.query_terms(Query("I", weights=(("I", 1.0),))) == {"i": 1.0}


def test_passages_keep_the_words_of_the_asker() -> None:
    text = "I lost my laptop"
    assert ANALYZER.tokens(text) == WITHOUT.tokens(text)
    assert [[*kind] for kind, _ in ANALYZER.many([text])] == [[*kind] for kind, _ in WITHOUT.many([text])]
    asked = parse('"my laptop"')
    assert Matching().holds(asked.tree, Reading(Document("d", text)))
    assert not Matching().holds(asked.tree, Reading(Document("d", "the laptop")))


def test_the_laptop_that_i_lost_is_first_in_the_staff_handbook() -> None:
    corpus = samples.load("staff").corpus
    title = {d.id: d.title for d in corpus}
    first = {
        analyzer.asker: title[
            next(iter(BM25(analyzer=analyzer).index(corpus).search("I lost my laptop on the train"))).document.id
        ]
        for analyzer in (ANALYZER, replace(ANALYZER, asker=False))
    }
    assert first == {True: "Lost or stolen laptop or phone", False: "My first year here"}
