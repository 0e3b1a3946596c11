"""Conditions in a question become a filter, by the rule in both languages and by a model, and never by a guess."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest
from models.scripted import ScriptedModel

from lab.algebra import Corpus, Document, Env, Pipeline, Runner
from lab.refine.filters import Filter
from lab.refine.question_conditions import QuestionConditions
from lab.refine.self_query import SelfQuery
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
        (EN, "maximum price 120", "price_eur <= 120"),
        (EN, "nothing above price 20", "not price_eur > 20"),
        (ZH, "最低保修期2年", "保修期 >= 2"),
        (ZH, "保修期最低2年的耳机", "保修期 >= 2 and 类别 = 耳机"),
        (ZH, "保修期2年以上，手表类除外", "保修期 >= 2 and 类别 != 手表"),
    ],
)
def test_the_rule_reads_values_numbers_and_days(corpus: Corpus, question: str, condition: str) -> None:
    assert str(read(question, corpus).condition) == str(Where(condition).parsed)


@pytest.mark.parametrize(
    ("corpus", "question", "unused"),
    [
        (EN, "leave for 5 people", "5 people"),
        (ZH, "三千元以内的产品", "三千元"),
        (ZH, "保修期最长的3个", "最长|3个"),
        (EN, "the lowest price 20 devices", "lowest|20"),
        (ZH, "保修期至少24个月", "24个月"),  # the field counts 1 to 3 of an unknown unit
    ],
)
def test_an_amount_without_a_field_is_named_and_removes_nothing(corpus: Corpus, question: str, unused: str) -> None:
    conditions = read(question, corpus)
    assert conditions.condition is None
    assert conditions.unused == tuple(unused.split("|"))


@pytest.mark.parametrize("question", ["informer", "it is a device", "what does it cost", "HRM", "salesman", ""])
def test_words_that_only_contain_a_value_are_no_condition(question: str) -> None:
    assert read(question, EN) == QuestionConditions(None)


STAFF = Corpus(
    "staff",
    tuple(
        Document(str(i), "A rule.", "", {"topic": topic, "source": source, "date": date})
        for i, (topic, source, date) in enumerate(
            [
                ("Leave", "HR policy", "2021-03-01"),
                ("Pay", "Staff forum", "2023-05-01"),
                ("Information security", "员工论坛", "2024-05-01"),
                ("Travel", "财务制度", "2025-02-01"),
            ]
        )
    ),
)
_2022, _2023, _2024 = (f"date between {year}-01-01 and {year}-12-31" for year in (2022, 2023, 2024))


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("before 2023 or after 2024", "date < 2023-01-01 or date > 2024-12-31"),
        ("older than 2022 and newer than 2023", "date < 2022-01-01 or date > 2023-12-31"),
        ("2023年以前或2024年以后的制度", "date < 2023-01-01 or date > 2024-12-31"),
        ("after 2022 and before 2025", "date > 2022-12-31 and date < 2025-01-01"),
        ("updated in 2023 and 2024", f"{_2023} or {_2024}"),
        ("in 2022, 2023 or 2024", f"{_2022} or {_2023} or {_2024}"),
        ("2022、2024年的制度", f"{_2022} or {_2024}"),
        ("between 2023 and 2024 pension", "date between 2023-01-01 and 2024-12-31"),
        ("2023-2024 pension", "date between 2023-01-01 and 2024-12-31"),
        ("between March and June 2024", "date between 2024-03-01 and 2024-06-30"),
        ("2023年以后到2024年", _2024),
        ("2023年起至2024年6月", "date between 2023-01-01 and 2024-06-30"),
        ("2023年到现在", "date >= 2023-01-01"),
        ("from 2024 to 2023", "date between 2023-01-01 and 2024-12-31"),
        ("between June 2024 and May 2023", "date between 2023-05-01 and 2024-06-30"),
        ("not updated in 2023", f"date not between {_2023[13:]}"),
        ("except those from 2022 or 2023", f"date not between {_2022[13:]} and date not between {_2023[13:]}"),
        ("除了2023年以外的制度", f"date not between {_2023[13:]}"),
        ("neither in 2022 nor in 2023", f"date not between {_2022[13:]} and date not between {_2023[13:]}"),
        ("neither Leave nor Pay", "topic not in (Leave, Pay)"),
        ("2022年底以前", "date <= 2022-12-31"),
        ("2022年末之后", "date > 2022-12-31"),
        ("不在2023年更新的", f"date not between {_2023[13:]}"),
        ("不早于2023年", "date >= 2023-01-01"),
        ("no later than June 2024", "date <= 2024-06-30"),
        ("topic Leave or Security", 'topic in (Leave, "Information security")'),
        ("forum or HR policy", 'source in ("Staff forum", "HR policy")'),
        ("Leave or HR policy", 'topic = Leave or source = "HR policy"'),
        ("除了论坛以外，还有哪里", "source != 员工论坛"),
        ("除了论坛和财务以外的", "source not in (员工论坛, 财务制度)"),
        ("非论坛的通知", "source != 员工论坛"),
        ("anything except the forum and HR policy", 'source not in ("Staff forum", "HR policy")'),
        ("except in 2023 and the Staff forum", f'date not between {_2023[13:]} and source != "Staff forum"'),
        ("除了2023年和员工论坛", f"date not between {_2023[13:]} and source != 员工论坛"),
        ("除了员工论坛，2023年的", f"source != 员工论坛 and {_2023}"),
        ("any source but HR policy", 'source != "HR policy"'),
        ("hide HR policy and do not show Travel", 'source != "HR policy" and topic != Travel'),
        ("no reports from 2023", f"date not between {_2023[13:]}"),
        ("before or after 2023", f"date not between {_2023[13:]}"),
        ("2023年之前或之后", f"date not between {_2023[13:]}"),
        ("on or after 2023-03-04", "date >= 2023-03-04"),
        ("2023 or earlier", "date <= 2023-12-31"),
        ("date > 2023-06-01", "date > 2023-06-01"),
        ("until the end of 2022", "date <= 2022-12-31"),
        ("since the start of 2023", "date >= 2023-01-01"),
        ("since last March", "date >= 2024-03-01"),
        (
            "the first half of 2023 or 2024 H2",
            "date between 2023-01-01 and 2023-06-30 or date between 2024-07-01 and 2024-12-31",
        ),
        ("从2023年初到2024年底", "date between 2023-01-01 and 2024-12-31"),
        ("before the nineties", "date < 1990-01-01"),
        ("either 2022 or Leave", f"{_2022} or topic = Leave"),
        ("topic Security", 'topic = "Information security"'),
        ("source is not forum", 'source != "Staff forum"'),
        ("no topic", "topic is missing"),
        ("date unknown", "date is missing"),
    ],
)
def test_alternatives_periods_in_any_order_and_exclusions_are_read(question: str, condition: str) -> None:
    assert str(read(question, STAFF).condition) == str(Where(condition).parsed)
    assert read(question, STAFF).unused == ()


def test_amounts_are_read_as_periods_are() -> None:
    assert str(read("price under 100 or price over 200", EN).condition) == "price_eur < 100 or price_eur > 200"
    assert str(read("price between 2000 and 1990 euros", EN).condition) == "price_eur between 1990 and 2000"


ORGANIC = Corpus(
    "organic",
    tuple(
        Document(
            str(i), "Milk.", "", {"是否有机": han, "含糖": han, "is_organic": f, "pets_allowed": pets, "hours": 12 * i}
        )
        for i, (han, f, pets) in enumerate([("是", True, "yes"), ("否", False, "no")])
    ),
)


@pytest.mark.parametrize(
    ("corpus", "question", "condition"),
    [
        (EN, "price above 100 euros or from Sales", "price_eur > 100 or team = Sales"),
        (EN, "not priced below 100", "not price_eur < 100"),
        (EN, "price: 20", "price_eur = 20"),
        (EN, "price of 20 euros or 120", "price_eur in (20, 120)"),
        (EN, "price between 20 and 120 since 2024", "price_eur between 20 and 120 and updated >= 2024-01-01"),
        (EN, "non-waterproof devices", "waterproof = False"),
        (EN, "waterproof: no", "waterproof = False"),
        (EN, "not yet waterproof", "waterproof = False"),
        (EN, "without a price", "price_eur is missing"),
        (ZH, "无线充电不支持的", "无线充电 = 否"),
        (ZH, "没有类别的", "类别 is missing"),
        (ZH, "不要保修期少于2年的", "not 保修期 < 2"),
        (ZH, "保修期大于等于2年", "保修期 >= 2"),
        (ZH, "手表不看", "类别 != 手表"),
        (ZH, "保修期别超过2年", "保修期 <= 2"),
        (ZH, "不要不支持无线充电的", "无线充电 = 是"),
        (ZH, "要手表不要耳机", "类别 = 手表 and 类别 != 耳机"),
        (ZH, "手表和耳机以外的", "类别 not in (手表, 耳机)"),
        (ZH, "不来自手表类的", "类别 != 手表"),
        (ZH, "发布日期不为空", "not 发布日期 is missing"),
        (EN, "team != HR", "team != HR"),
        (EN, "I'm not interested in HR", "team != HR"),
        (EN, "HR isn't wanted", "team != HR"),
        (EN, "I don't want a waterproof one", "waterproof = False"),
        (EN, "none of the waterproof devices", "waterproof = False"),
        (EN, "non waterproof, not without HR", "waterproof = False and team = HR"),
        (EN, "except waterproof and HR", "waterproof = False and team != HR"),
        (EN, "except HR or those updated in 2024", "team != HR and updated not between 2024-01-01 and 2024-12-31"),
        (EN, "warranty years 3 or more", "warranty_years >= 3"),
        (EN, "2 warranty years or fewer", "warranty_years <= 2"),
        (EN, "warranty years of 1, 2 or 5", "warranty_years in (1, 2, 5)"),
        (EN, "warranty years 1-3, price max 100 euros", "warranty_years between 1 and 3 and price_eur <= 100"),
        (EN, "updated 15.06.2024", "updated between 2024-06-15 and 2024-06-15"),
        (EN, "must not be from HR", "team != HR"),
        (EN, "HR papers that don't mention pay", "team = HR"),
        (EN, "a not waterproof one from HR", "waterproof = False and team = HR"),
        (EN, "price isn't above 100", "not price_eur > 100"),
        (EN, "price should be under 100", "price_eur < 100"),
        (EN, "updated in the first week of 2024", "updated between 2024-01-01 and 2024-01-07"),
        (EN, "updated this century", "updated between 2001-01-01 and 2100-12-31"),
        (ZH, "2023年第一周发布的", "发布日期 between 2023-01-02 and 2023-01-08"),
        (ZH, "避开手表", "类别 != 手表"),
        (ZH, "不贵的手表", "类别 = 手表"),
        (ZH, "特别想要手表", "类别 = 手表"),
        (ORGANIC, "有机的", "是否有机 = 是"),
        (ORGANIC, "不是有机的", "是否有机 = 否"),
        (ORGANIC, "非有机", "是否有机 = 否"),
        (ORGANIC, "不含糖的", "含糖 = 否"),
        (ORGANIC, "含不含糖", "含糖 = 是"),
        (ORGANIC, "是否有机：否", "是否有机 = 否"),
        (ORGANIC, "inorganic", "is_organic = False"),
        (ORGANIC, "pets are not allowed", "pets_allowed = no"),
        (ORGANIC, "more than 10 hours", "hours > 10"),
    ],
)
def test_a_condition_is_never_read_as_its_opposite(corpus: Corpus, question: str, condition: str) -> None:
    assert read(question, corpus) == replace(read(question, corpus), unused=())
    assert str(read(question, corpus).condition) == str(Where(condition).parsed)


@pytest.mark.parametrize(
    ("question", "unused"),
    [
        ("HR policy 2023", "2023"),
        ("topic Leave or Parking", "Parking"),
        ("Leave except overtime", "overtime"),
        ("除了食堂以外的", "食堂"),
        ("topic Parking", "Parking"),
        ("source is not Wiki", "Wiki"),
        ("source: forum, wiki", "wiki"),
        ("from late March 2024", "late March 2024"),
        ("2023年夏天", "2023年夏天"),
        ("2023年前后", "2023年前后"),
        ("2023年至2024年中", "2023年至2024年中"),
        ("the year before last", "the year before last"),
        ("the last two weeks of 2023", "the last two weeks of 2023"),
    ],
)
def test_a_year_an_alternative_or_an_exclusion_that_is_not_read_is_named(question: str, unused: str) -> None:
    assert read(question, STAFF).unused == (unused,)


@pytest.mark.parametrize(
    ("corpus", "question", "unused"),
    [
        (ZH, "不管有没有无线充电", "不管有没有无线充电"),
        (ZH, "没有无线充电也可以", "没有无线充电也可以"),
        (ZH, "不需要无线充电", "不需要无线充电"),
        (ZH, "我们没有手表、耳机", "没有手表、耳机"),
        (ZH, "手表我们没有", "手表我们没"),
        (ZH, "难道不是手表", "难道不是手表"),
        (ZH, "手表耳机都不要", "手表耳机都不要"),
        (ZH, "不要2023年的手表", "不要2023年的手表"),
        (ZH, "买不起保修期2年以上的", "不起保修期2年以上"),
        (ZH, "最新", "最新"),
        (ZH, "2023年春节", "2023年春节"),
        (EN, "what does not get covered by HR", "does not get covered by hr"),
        (EN, "we don't have HR, IT or Sales", "don't have hr, it or sales"),
        (EN, "HR is not a must", "hr is not"),
        (EN, "I don't need a waterproof one", "don't need a waterproof"),
        (EN, "preferably from HR", "preferably from hr"),
        (EN, "no HR from 2024", "no hr from 2024"),
        (EN, "updated in FY2024", "fy2024"),
        (EN, "weekend talks", "weekend"),
        (EN, "why not HR", "why not hr"),
        (EN, "a waterproof one would be nice", "waterproof one would be"),
        (EN, "HR? No, thanks", "hr? no, thank"),
        (ZH, "保修期可以超过2年", "可以超过2年"),
        (ZH, "宁可要手表", "宁可要手表"),
        (EN, "we ran out of HR", "out of hr"),
        (EN, "need not be a waterproof one from 2024", "need not be a waterproof one from 2024"),
        (EN, "waterproof, if possible", "waterproof, if"),
        (EN, "Sales might help", "sales might"),
        (ZH, "海淀租不起手表", "不起手表"),
        (EN, "the price that they want for this old thing is 12", "12"),
        (ZH, "保修期大约2年", "大约2年"),
        (ZH, "保修期第二长", "第二"),
        (ZH, "保修期不等于2年", "不等于2年"),
        (ZH, "保修期不止2年", "不止2年"),
        (ZH, "不买手表", "不买手表"),
        (ZH, "发布日期不会晚于2024年", "不会晚于2024年"),
        (ZH, "发布日期不等于2024年", "不等于2024年"),
        (EN, "a price not between 20 and 120", "not between 20 and 120"),
        (EN, "updated more than 2 years ago", "2 years ago"),
        (EN, "it doesn't have to be waterproof", "doesn't have to be waterproof"),
        (EN, "not necessarily from HR", "not necessarily from hr"),
        (EN, "with or without waterproof", "with or without waterproof"),
        (EN, "not only from HR", "not only from hr"),
        (EN, "unless waterproof", "unless waterproof"),
        (EN, "price around 100 euros", "around 100 euros"),
        (EN, "price of 3 kg", "3 kg"),
        (EN, "the price for the 80 of us", "80 of us"),
        (ORGANIC, "含不含糖都行", "含糖都行"),
    ],
)
def test_what_is_not_insisted_on_or_not_exact_is_no_condition_and_named(
    corpus: Corpus, question: str, unused: str
) -> None:
    conditions = read(question, corpus)
    assert (conditions.condition, [part.lower() for part in conditions.unused]) == (None, [unused])


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
    assert str(read("支持无线充电的音箱", ZH, fields=("类别",)).condition) == "类别 = 音箱"
    assert read("不支持无线充电的音箱", ZH, fields=("类别",)).unused == ("不支持无线充电的音箱",)


FRAMES = {
    "en": ("{} reports", "I need {}", "{}?", "for the trip: {}", "where are reports {} kept"),
    "zh": ("{}的报告", "我想找{}", "{}？", "出差用：{}", "请问{}在哪"),
}
GOVERNED = {
    "en": ("need not be {}", "we don't have {}", "not necessarily {}", "cannot find {}", "maybe {}", "hardly {}"),
    "zh": ("不必{}", "不一定{}", "未必{}", "无须{}", "我们没有{}", "不见得{}", "也许{}"),
}
PLANTED = {
    "en": (EN, ("from HR", "updated in 2024", "price above 100", "waterproof", "price 20", "in 2023 or 2024", "of 41")),
    "zh": (ZH, ("手表", "2024年发布", "保修期超过2年", "无线充电", "去年发布", "保修期2年", "第41")),
}


@pytest.mark.parametrize("step", [97, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_may_be_a_condition_is_applied_named_or_shown_as_words(language: str, step: int) -> None:
    corpus, parts = PLANTED[language]
    drawn = product(FRAMES[language], ("{}", *GOVERNED[language]), parts, (*parts, ""))
    for frame, governor, part, other in [*drawn][::step]:
        question = frame.format(governor.format(part) + (f", {other}" if other else ""))
        conditions = read(question, corpus)
        shown = [question[s.start : s.end] for s in conditions.stated]
        shown += [*conditions.unused, *conditions.searched]
        for marked in re.findall(r"HR|\d+|waterproof|手表|无线充电|去年", question):
            assert any(marked in text for text in shown), (question, marked, shown)
        if governor != "{}" and not other:
            assert conditions.condition is None, question


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


@pytest.mark.parametrize("stage", [SelfQuery(), Where('source = "HR policy"')])
def test_behind_a_cut_conditions_filter_the_candidates_and_behind_a_list_the_corpus(stage: Filter) -> None:
    def judged(search: Pipeline) -> int:
        evidence = Runner(STAFF)(search, "rule of HR policy").evidence
        return int(getattr(evidence, "checked", evidence).total)

    assert judged(BM25() % 2 >> stage) == 2
    assert judged(BM25() >> stage) == len(STAFF)
