"""One question of each kind that a search may meet, chosen by what can be measured on the corpus."""

from __future__ import annotations

import pytest

from lab.algebra import Corpus, Document, Query
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.explain.kinds import KINDS, questions_by_kind
from lab.rewrite.spelling import Spelling


def kinds(*passages: tuple[str, str], language: str = "en", **judged: str) -> dict[str, str]:
    """Returns the question of each kind; ``judged`` maps the number of the right passage, as p0, to a question."""
    corpus = Corpus("own", tuple(Document(f"p{i}", text, title) for i, (title, text) in enumerate(passages)))
    queries = tuple(Query(text, id=f"q-{doc}") for doc, text in judged.items())
    collection = Collection(corpus, queries, {f"q-{doc}": {doc: 1} for doc in judged})
    return {str(kind): question for question, kind in questions_by_kind(collection, language).items()}


@pytest.mark.parametrize("name", ["devices", "staff", "handbook"])
def test_the_kinds_of_a_sample_are_those_that_its_authors_wrote(name: str) -> None:
    sample = samples.load(name)
    types = {q.text: q.metadata["type"] for q in sample.queries}
    by_kind = {str(kind): question for question, kind in questions_by_kind(sample, "en").items()}
    assert {"code", "negation", "other words", "typo"} <= set(by_kind) <= {str(kind) for kind in KINDS.values()}
    assert types[by_kind["code"]] == "code"
    assert types[by_kind["negation"]] == "negation"
    assert types.get(by_kind.get("other language", ""), "crosslingual") == "crosslingual"
    assert types.get(by_kind["typo"], "typo") == "typo"
    assert questions_by_kind(sample, "en") == questions_by_kind(sample, "en")


def test_ones_own_titles_codes_and_words_have_a_code_a_negation_and_a_typo() -> None:
    english = kinds(
        ("Refund of shipping costs", "The money is returned. Form F-12 is needed."),
        ("What is not covered by the warranty", "Batteries and scratches."),
        ("Opening hours", "The shop opens at nine."),
    )
    assert english == {"code": "F-12", "negation": "What is not covered by the warranty", "typo": "Oepning hours"}
    chinese = kinds(("退款流程", "填写 F-12 表。"), ("哪些费用不能报销", "个人消费。"), ("年假能不能跨年", "可以。"))
    assert (chinese["code"], chinese["negation"]) == ("F-12", "哪些费用不能报销")
    assert chinese["typo"] not in ("退款流程", "年假能不能跨年")


def test_clauses_of_untitled_texts_give_a_negation_and_a_typo() -> None:
    english = kinds(
        ("", "It must not be wet. Open the lid. Hoses may not be left running, nor cut."), ("", "Pick plums.")
    )
    assert english == {"negation": "Hoses may not be left running, nor cut", "typo": english["typo"]}
    chinese = kinds(("", "续借一次可延长十五天，已被预约的图书不能续借。"), ("", "储物柜当日有效。"), language="zh")
    assert chinese["negation"] == "已被预约的图书不能续借"
    assert chinese["typo"] not in ("储物柜当日有效", "续借一次可延长十五天")


def test_a_judged_question_without_a_word_of_its_passage_is_of_other_words() -> None:
    passages = ("Remuneration", "Salaries are paid on the 25th."), ("食堂", "中午十一点开门。")
    assert kinds(*passages, p0="when do I get my money")["other words"] == "when do I get my money"
    assert "other words" not in kinds(*passages, p0="when are salaries paid")
    assert kinds(*passages, p1="when does the canteen open")["other language"] == "when does the canteen open"
    assert kinds(*passages, p1="啥时候能吃饭", language="zh")["other words"] == "啥时候能吃饭"


@pytest.mark.parametrize("question", ["能不能开门", "有没有食堂", "Form no. 5", "no-go areas", "不同的食堂"])
def test_a_choice_or_a_number_is_not_a_negation(question: str) -> None:
    assert "negation" not in kinds(("a", "The shop 食堂 opens"), p0=question)


def test_a_made_typo_is_one_that_the_lab_corrects() -> None:
    sample = samples.load("devices")
    typo = next(q for q, kind in questions_by_kind(sample, "en").items() if kind == KINDS["typo"])
    assert Spelling().correct(typo, sample.corpus).result in {q.text for q in sample.queries}


def test_a_corpus_without_anything_has_no_kind() -> None:
    assert kinds() == {}
    assert kinds(("", "7")) == {}
