"""Questions that a corpus can be asked: judged ones, else made ones, each of which finds its own passage."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.algebra import Corpus, Document, Query, Runner
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.explain.questions import FOUND_AMONG, LOOKED_AT, generate_questions, known_items, suggest_questions
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
    assert len({q.casefold() for q, _ in found}) == len(found)
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


NUMBERED = [
    ("五、退货运费", "退货运费"),
    ("（二）保修范围", "保修范围"),
    ("第三章 验收与付款", "验收与付款"),
    ("第十二条 违约责任", "违约责任"),
    ("1.2 安装步骤", "安装步骤"),
    ("4 下次会议", "下次会议"),
    ("Chapter 4: The harbour", "The harbour"),
    ("§ 12 Late payment", "Late payment"),
    ("3. Loan bikes", "Loan bikes"),
    ("(b) Lost keys", "Lost keys"),
    ("2.4 Booking", "Booking"),
    ("第一课堂活动", "第一课堂活动"),
    ("IV. Complaints", "Complaints"),
]


@pytest.mark.parametrize(("heading", "question"), NUMBERED)
def test_a_heading_is_asked_for_without_its_number(heading: str, question: str):
    own = corpus(
        question + "。" if script(question) == "zh" else f"{question} are here.", titles=(f"手册 › {heading}",)
    )
    asked = suggest_questions(Collection(own))
    assert question in asked or asked == ()
    assert heading == question or heading not in asked


@pytest.mark.parametrize("name", ["1.5 m HDMI cable", "802.11 network card", "3 ways to return a parcel"])
def test_a_number_that_belongs_to_a_name_stays(name: str):
    assert suggest_questions(Collection(corpus(f"{name}: black and short.", titles=(name,)))) == (name,)


@pytest.mark.parametrize("heading", ["五、常见问题", "第一章 总则", "FAQ", "2. Overview", "附录 A"])
def test_a_heading_of_any_text_is_not_asked_for(heading: str):
    own = corpus(
        "更换运营商以后不能上网。" if script(heading) == "zh" else "The ferry leaves at seven.", titles=(heading,)
    )
    assert all(heading.split()[-1] not in question for question in suggest_questions(Collection(own)))


def test_questions_come_before_headings_though_all_are_in_one_passage():
    own = corpus(
        "The ferry leaves at seven.",
        "**Can I use it as a NAS?** Yes, at the port.\n问：养宠物吗？答：不。\nHow long is the lamp lit? All night.",
        "The lighthouse has a lamp.",
        titles=("Ferry", "Questions about the lamp", "Lighthouse"),
    )
    assert suggest_questions(Collection(own), 2) == ("Can I use it as a NAS?", "How long is the lamp lit?")


@pytest.mark.parametrize(
    "title", ["运费谁出", "发票怎么开", "支持七天无理由退货吗", "How do I get a card", "May I bring a dog"]
)
def test_a_title_that_asks_without_a_sign_comes_before_other_titles(title: str):
    other = "手册" if script(title) == "zh" else "Ferries"
    own = corpus(f"{other} 在这里。" if script(title) == "zh" else "Ferries leave here.", "12", titles=(other, title))
    assert suggest_questions(Collection(own), 1) == (title,)


def test_a_question_at_the_end_of_a_passage_has_its_answer_elsewhere():
    own = corpus("The ferry leaves at seven.\nWho pays the postage of a return?", titles=("Ferry",))
    assert suggest_questions(Collection(own)) == ("Ferry",)


def test_of_a_question_every_passage_with_the_same_heading_is_right_and_a_code_belongs_to_the_one_that_has_it():
    own = corpus(
        "Two years. E-70 is a fault.",
        "Three years on the K-12.",
        "The K-12 boils.",
        titles=("Kettle › Warranty", "Mixer › 2. Warranty", "Boiling"),
    )
    items, words = known_items(Collection(own), 9)
    assert items["Warranty"] == {"0", "1"}
    assert items["E-70"] == {"0"}
    assert "K-12" not in items
    judged = Collection(own, (Query("boil", id="q"),), {"q": {"2": 1, "1": 0}})
    assert known_items(judged, 9) == ({"boil": {"2"}},)
    assert all(ids for ids in words.values())
