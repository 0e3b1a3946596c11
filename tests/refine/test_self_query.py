"""Conditions in a question become a filter, by the rule in both languages and by a model, and never by a guess."""

from __future__ import annotations

import pytest
from models.scripted import ScriptedModel

from lab.algebra import Corpus, Document, Env, Runner
from lab.refine.self_query import QuestionConditions, SelfQuery
from lab.refine.where import Where
from lab.retrieve.lexical import BM25

ZH = Corpus(
    "产品",
    tuple(
        Document(name, f"{name}支持无线充电，保修另计。", name, metadata)
        for name, metadata in {
            "Alpha": {"类别": "手表", "保修期": 1, "无线充电": "是", "发布日期": "2023-05-01"},
            "Gamma": {"类别": "音箱", "保修期": 3, "无线充电": "否", "发布日期": "2024-05-01"},
            "Epsilon": {"类别": "耳机", "保修期": 2, "无线充电": "是", "发布日期": "2025-05-01"},
        }.items()
    ),
)
EN = Corpus(
    "products",
    tuple(
        Document(name, "A device with a leave report.", name, metadata)
        for name, metadata in {
            "a": {"team": "HR", "warranty_years": 2, "price_eur": 300, "updated": "2024-03-01", "waterproof": True},
            "b": {"team": "Sales", "warranty_years": 1, "price_eur": 20, "updated": "2025-03-01", "waterproof": False},
            "c": {"team": "IT", "warranty_years": 5, "price_eur": 120, "updated": "2025-07-01", "waterproof": False},
        }.items()
    ),
)


def read(question: str, corpus: Corpus, **knobs: object) -> QuestionConditions:
    return SelfQuery(**knobs).read(question, corpus, Env())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("corpus", "question", "condition"),
    [
        (ZH, "有没有支持无线充电而且保修期两年以上的？", "无线充电 = 是 and 保修期 >= 2"),
        (ZH, "不支持无线充电的音箱", "无线充电 = 否 and 类别 = 音箱"),
        (ZH, "保修期不到三年的耳机", "保修期 < 3 and 类别 = 耳机"),
        (ZH, "手表和耳机哪个好", "类别 in (手表, 耳机)"),
        (ZH, "2024年以后发布的手表", "发布日期 > 2024-12-31 and 类别 = 手表"),
        (ZH, "去年发布的", "发布日期 between 2024-01-01 and 2024-12-31"),
        (ZH, "2023年到2024年之间发布的手表", "发布日期 between 2023-01-01 and 2024-12-31 and 类别 = 手表"),
        (ZH, "在2023年5月和2025年1月之间发布的", "发布日期 between 2023-05-01 and 2025-01-31"),
        (EN, "updated from 2023 to June 2024", "updated between 2023-01-01 and 2024-06-30"),
        (EN, "leave reports from HR after 2024", "team = HR and updated > 2024-12-31"),
        (EN, "not from HR or IT", "team not in (HR, IT)"),
        (EN, "at least 24 months of warranty, price under 200 euros", "warranty_years >= 2 and price_eur < 200"),
        (EN, "waterproof, updated since March 2025", "waterproof = True and updated >= 2025-03-01"),
        (EN, "without waterproof", "waterproof = False"),
        (EN, "price between 100 and 300", "price_eur between 100 and 300"),
    ],
)
def test_the_rule_reads_values_numbers_and_days(corpus: Corpus, question: str, condition: str) -> None:
    assert str(read(question, corpus).condition) == str(Where(condition).parsed)


@pytest.mark.parametrize(
    ("corpus", "question", "unused"),
    [
        (EN, "leave for 5 people", "5 people"),
        (ZH, "三千元以内的产品", "三千元"),
        (ZH, "保修期至少24个月", "24个月"),  # the field counts 1 to 3 of an unknown unit
    ],
)
def test_an_amount_without_a_field_is_named_and_removes_nothing(corpus: Corpus, question: str, unused: str) -> None:
    conditions = read(question, corpus)
    assert conditions.condition is None
    assert conditions.unused == (unused,)


@pytest.mark.parametrize("question", ["informer", "it is a device", "what does it cost", "HRM", "salesman", ""])
def test_words_that_only_contain_a_value_are_no_condition(question: str) -> None:
    assert read(question, EN) == QuestionConditions(None)


def test_a_search_keeps_what_the_question_asks_for_and_says_why_others_go() -> None:
    ranking = Runner(ZH)(BM25() >> SelfQuery(), "支持无线充电而且保修期两年以上的产品")
    assert ranking.ids == ["Epsilon"]
    assert {drop.document.id for drop in ranking.dropped} == {"Alpha", "Gamma"}
    assert "保修期" in str(next(drop.reason for drop in ranking.dropped if drop.document.id == "Alpha"))


def test_the_one_passage_that_fits_is_found_beyond_rank_1000() -> None:
    texts = ["leave report"] * 1_200 + ["a report on paid leave and other words"]
    teams = ["Sales"] * 1_200 + ["HR"]
    each = enumerate(zip(texts, teams, strict=True))
    corpus = Corpus("reports", tuple(Document(str(i), text, "", {"team": team}) for i, (text, team) in each))
    runner = Runner(corpus)
    ranking = runner(BM25() >> SelfQuery(), "leave reports from HR", 3)
    assert ranking.ids == ["1200"]
    assert ["Sales" in str(drop.reason) for drop in ranking.dropped] == [True] * 3
    assert ranking.evidence.checked.removed == 1_200
    assert len(runner(BM25() >> SelfQuery(), "leave reports", 3)) == 3


def test_only_the_chosen_fields_can_be_set() -> None:
    assert str(read("不支持无线充电的音箱", ZH, fields=("类别",)).condition) == "类别 = 音箱"


@pytest.mark.parametrize(
    ("answer", "condition", "refused"),
    [
        ('{"condition": "team = HR and price_eur < 500"}', "team = HR and price_eur < 500", False),
        ('{"condition": ""}', "None", False),
        ('{"condition": "colour = red"}', "team = IT", True),
        ('{"condition": "team ="}', "team = IT", True),
        ("I cannot say.", "team = IT", True),
    ],
)
def test_a_model_is_followed_only_if_it_writes_a_condition_on_fields_that_exist(
    answer: str, condition: str, refused: bool
) -> None:
    env = Env(models={"chat": ScriptedModel((("", answer),))})
    conditions = SelfQuery(model="chat").read("a device from IT", EN, env)
    assert str(conditions.condition) == condition
    assert (conditions.problem is not None) == refused


TAGGED = Corpus(
    "tagged",
    (
        Document("a", "A form.", "", {"tags": ["form", "leave"], "date": "2025-03-01"}),
        Document("b", "Another form.", "", {"tags": ["notice"], "date": "2024-03-01"}),
    ),
)


@pytest.mark.parametrize(
    ("question", "condition", "unused"),
    [
        ("where do I send form 41", "None", ()),
        ("tags: notice", "tags = notice", ()),
        ("I started three weeks ago", "None", ("three weeks ago",)),
        ("she marries in February", "None", ("in February",)),
        ("what was the rule in 2024", "date between 2024-01-01 and 2024-12-31", ()),
    ],
)
def test_topics_and_the_days_of_a_story_are_no_conditions(
    question: str, condition: str, unused: tuple[str, ...]
) -> None:
    conditions = read(question, TAGGED)
    assert str(conditions.condition) == condition
    assert len(conditions.unused) == len(unused)
    assert all(part in whole for part, whole in zip(conditions.unused, unused, strict=True))
