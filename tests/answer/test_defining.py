"""Questions for the meaning of a term: how they are recognised, and which sentences answer them."""

from __future__ import annotations

import pytest
from night import for_each

from lab.algebra import Corpus, Document
from lab.answer.defining import defined, defines, designation, heads
from lab.answer.extract import Extracted, Extractive
from lab.words import Said

CORPUS = Corpus(
    "garden",
    (
        Document("m", "Music plays in the greenhouse from nine to five. It is turned off on Sundays.", "Music"),
        Document("f", "A fern is a plant that has no flowers. Ferns like shade.", "Ferns"),
        Document("t", "Music from outside is not allowed. Compost means rotted plants.", "Rules"),
        Document("z", "堆肥是腐熟的植物残渣。温室里播放音乐。", "堆肥"),
    ),
)
DEFAULT = Extractive()


def ask(question: str, by: Extractive = DEFAULT) -> Extracted:
    return by.answer(question, CORPUS.documents, CORPUS)


@for_each(
    "question, term",
    [
        ("what's a fern?", "fern"),
        ("What are ferns?", "ferns"),
        ("Define photosynthesis", "photosynthesis"),
        ("Can you explain what a glacier is?", "glacier"),
        ("What is the meaning of the word street?", "street"),
        ("What does the word “plastid” mean?", "plastid"),
        ("何谓民主？", "民主"),
        ("请问什么叫二维码？", "二维码"),
        ("光合作用是什么意思", "光合作用"),
        ("NASUWT是什么？", "NASUWT"),
    ],
)
def test_a_question_for_a_meaning_has_a_term(question: str, term: str) -> None:
    assert defined(question) == term


@for_each(
    "question",
    [
        "What is the deadline for expenses?",
        "What is the price of a ticket?",
        "What is covered?",
        "What's Thomas's job?",
        "What is happening to the teachers in Wales?",
        "What are pharmacists forbidden to do?",
        "What does the amber light on the router mean?",
        "默认密码是什么？",
        "公司的地址是什么？",
        "音乐几点开始？",
        "Which fern likes shade?",
        "",
        "？",
    ],
)
def test_a_question_for_something_else_has_none(question: str) -> None:
    assert defined(question) == ""


@for_each(
    "sentence, term",
    [
        ("A fern is a plant without flowers.", "fern"),
        ("Ferns are plants that have no flowers.", "fern"),
        ("In the morning we read; compost means rotted plants.", "compost"),
        ("This process, called photosynthesis, needs light.", "photosynthesis"),
        ("Extra hours become time off in lieu (TOIL).", "TOIL"),
        ("蕨类是一类没有花的植物。", "蕨类"),
        ("堆肥（compost）是指腐熟的植物。", "堆肥"),
        ("这种过程称为光合作用。", "光合作用"),
        ("DECnet是由一家公司创造的一套网络协议。", "DECnet"),
    ],
)
def test_a_sentence_with_a_form_of_definition_defines(sentence: str, term: str) -> None:
    assert defines(sentence, term)


@for_each(
    "sentence, term",
    [
        ("Music is played at noon.", "music"),
        ("Music is free on Sundays.", "music"),
        ("You may exchange pay for a bicycle, an electric car or more pension.", "bicycle"),
        ("The fernery is a house.", "fern"),
        ("Bring a bicycle (up to £3,000).", "bicycle"),
        ("音乐是免费的。", "音乐"),
        ("请立即拨打银行电话。", "银行"),
        ("苹果为整箱采购，有磕碰的请放回。", "苹果"),
        ("二维码扫不上时把屏幕调亮。", "二维码"),
        ("", "music"),
    ],
)
def test_a_sentence_that_only_mentions_a_term_does_not_define_it(sentence: str, term: str) -> None:
    assert not defines(sentence, term)


def test_a_code_is_a_designation_whose_use_is_its_meaning() -> None:
    assert designation("P-14")
    assert designation("error ERR-140")
    assert not designation("music")


def test_the_terms_that_a_sentence_defines_are_its_heads() -> None:
    assert heads("A fern is a plant. Compost means rotted plants.") == ("fern", "compost")
    assert heads("堆肥是腐熟的植物残渣。音乐是免费的。") == ("堆肥",)


@pytest.mark.parametrize("question", ["What is music?", "音乐是什么？"])
def test_a_mention_does_not_answer_what_a_term_means(question: str) -> None:
    answer = ask(question)
    assert not answer.says
    assert answer.sentences == ()
    assert answer.nearest
    assert [c.value for c in answer.evidence if c.value == -DEFAULT.undefined] == [-DEFAULT.undefined]
    assert ask(question, Extractive(undefined=0)).says, "a mention is enough without the penalty"


def test_the_refusal_counts_the_passages_that_mention_the_term() -> None:
    reason = ask("What is music?").reason
    assert isinstance(reason, Said)
    assert reason == (
        "The question asks what “music” means. Passages that mention it: 2 of 4; none of them says what it means."
    )
    assert ask("What is gravity?").reason == (
        "The question asks what “gravity” means; none of the passages that were read mentions it."
    )


@for_each(
    "question, sentence",
    [
        ("What is a fern?", "A fern is a plant that has no flowers."),
        ("What does compost mean?", "Compost means rotted plants."),
        ("什么是堆肥？", "堆肥是腐熟的植物残渣。"),
        ("蕨类是什么？", "A fern is a plant that has no flowers."),
    ],
)
def test_a_sentence_that_says_it_answers_also_in_another_language(question: str, sentence: str) -> None:
    answer = ask(question)
    assert answer.says
    assert answer.best is not None
    assert answer.best.text == sentence
    assert answer.best.defines
