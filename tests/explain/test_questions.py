"""Questions that a corpus can be asked: judged ones, else made ones, each of which finds its own passage."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.algebra import Corpus, Document, Query, Runner
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.explain.questions import FOUND_AMONG, LOOKED_AT, generate_questions, suggest_questions
from lab.retrieve.lexical import BM25
from lab.text import script
from lab.text.borders import sentences

WORDS = [
    "ferry",
    "harbour",
    "lighthouse",
    "keeper",
    "don't",
    "I'm",
    "C++",
    "AX-7200M",
    "the",
    "of",
    "42",
    "v2.1",
    "naïve",
    "a",
]
HAN = ["渡轮", "港口", "灯塔", "守塔人", "退货", "七天", "的", "了", "怎么", "保修期"]
ODD = ["", " ", "\n\n", "???", "？", "**bold**", "<b>x</b>", "\ud83d", "\t", "Привет мир", "👍", "x" * 300, "灯" * 300]


def corpus(*texts: str, titles: tuple[str, ...] = ()) -> Corpus:
    names = [*titles, *([""] * len(texts))]
    return Corpus("own", tuple(Document(str(i), t, names[i]) for i, t in enumerate(texts)))


texts = st.lists(
    st.sampled_from(WORDS)
    | st.sampled_from(HAN)
    | st.sampled_from(ODD)
    | st.sampled_from(["?", "？", "\n", ". ", "。"])
).map(" ".join)
corpora = st.lists(st.tuples(st.one_of(st.just(""), texts), texts), max_size=12).map(
    lambda found: corpus(*(text for _, text in found), titles=tuple(title for title, _ in found))
)


@settings(max_examples=150, deadline=None)
@given(corpora, st.integers(0, 6))
@pytest.mark.nightly
def test_what_is_made_of_any_corpus_finds_its_own_passage_in_whole_words_and_in_its_language(drawn: Corpus, n: int):
    found = generate_questions(drawn, n)
    assert len(found) <= min(n, len(drawn))
    assert len({d.id for _, d in found}) == len({q.casefold() for q, _ in found}) == len(found)
    for question, document in found:
        hits = Runner(drawn)(BM25(), question, FOUND_AMONG).hits
        assert document.id in [hit.document.id for hit in hits]
        assert question == " ".join(question.split())
        assert script(question) == script(document.content)
        whole = re.sub(r"\s+", " ", document.content)
        for word in question.split():
            # no letter and no apostrophe of the passage stands beside what was taken of it, unless it is Han
            assert re.search(rf"(?<![^\W\u4e00-\u9fff'’]){re.escape(word)}(?![^\W\u4e00-\u9fff])", whole), word
    assert suggest_questions(Collection(drawn), n) == tuple(question for question, _ in found)


def test_an_empty_corpus_and_one_without_words_give_nothing():
    assert suggest_questions(Collection(Corpus("none", ()))) == ()
    assert suggest_questions(Collection(corpus("???", "。。", "the of a"))) == ()


def test_judged_questions_come_first_and_are_spread_over_all_that_there_are():
    queries = tuple(Query(f"what {i}", id=str(i)) for i in range(9))
    own = Collection(corpus("ferry"), queries, {str(i): {"0": 1} for i in range(0, 9, 2)})
    assert suggest_questions(own) == ("what 0", "what 2", "what 6")  # of 0, 2, 4, 6, 8: those at 0, 5 // 3, 10 // 3
    assert suggest_questions(own, 9) == tuple(f"what {i}" for i in range(0, 9, 2))


def test_a_question_that_stands_in_the_text_comes_before_the_title_and_that_before_telling_words():
    faq = corpus(
        "**Q1: Who pays the postage of a return?**\nWe do.",
        "问：退货运费由谁承担？\n由本店承担。",
        "The lamp of the lighthouse is seen for eighteen miles.",
        titles=("Returns", "退货", "Light › The lamp"),
    )
    found = suggest_questions(Collection(faq))
    assert found == ("Who pays the postage of a return?", "退货运费由谁承担？", "The lamp")


def test_a_passage_without_a_title_is_asked_for_by_words_that_others_lack_as_they_are_written():
    ferries = [f"The Ferry leaves the harbour at {word}." for word in ("Seven", "Eight", "Nine")]
    found = suggest_questions(Collection(corpus(*ferries)))
    assert [question.split()[-1] for question in found] == ["Seven", "Eight", "Nine"]


def test_a_heading_that_many_passages_share_is_asked_of_none_that_it_does_not_find():
    many = corpus(*(f"passage {word}" for word in ["one-one", "two-two", "three-three", "four-four", "five-five"]))
    named = Corpus("own", tuple(Document(d.id, d.text, "Chapter") for d in many))
    found = generate_questions(named, 5)
    assert len(found) == 5
    assert sum(question == "Chapter" for question, _ in found) <= 1


def test_of_a_large_corpus_few_passages_are_looked_at_and_the_questions_come_from_all_of_it(
    monkeypatch: pytest.MonkeyPatch,
):
    large = corpus(*(f"word{i} and more" for i in range(3000)))
    asked = []
    run = Runner.__call__
    monkeypatch.setattr(
        Runner, "__call__", lambda self, *args, **named: asked.append(args) or run(self, *args, **named)
    )
    places = [int(document.id) for _, document in generate_questions(large, 3)]
    assert len(asked) <= LOOKED_AT
    first, second, third = places
    assert min(second - first, third - second, 3000 - third) > 900


@pytest.mark.parametrize("name", samples.names())
def test_the_passages_of_a_sample_can_be_asked_for_without_its_questions(name: str):
    own = samples.load(name).corpus
    found = generate_questions(own, 20)
    assert len(found) == 20
    assert all(len(sentences(question)) == 1 for question, _ in found)
    assert {script(question) for question, _ in found} >= {"en" if name == "staff" else "zh"}
