"""Turns in plain words: rhetorical questions as what they ask, relative times as dates, and never by a guess."""

from __future__ import annotations

from datetime import date

import pytest

from lab.algebra import Corpus, Document, Query, Turn
from lab.errors import ParameterError
from lab.rewrite.contextual import Contextual
from lab.rewrite.plain import asked_plainly, in_plain_words

TODAY = date(2025, 8, 20)
SHOP = Corpus("shop", (Document("a", "The watch has a warranty of 2024.", "Watch"), Document("b", "A lamp.", "Lamp")))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("难道它不支持快充吗？", "它支持快充吗？"),
        ("那么贵，难道没有保修吗？", "那么贵，有保修吗？"),
        ("难道不带电池就不能用吗", "不带电池就能用吗？"),
        ("难道只能退一次？", "只能退一次吗？"),
        ("这不是防水的吗", "这是防水的吗？"),
        ("这不是你们的错吗", "这是你们的错吗？"),
        ("不是说保修两年吗？", "保修两年吗？"),
        ("怎么可能没有保修呢", "有保修吗？"),
        ("岂不是要付两次钱", "要付两次钱吗？"),
        ("何必预约呢", "要预约吗？"),
        ("哪有不能退货的道理", "能退货吗？"),
        ("它不防水吗", "它防水吗？"),
        ("Isn't it waterproof?", "Is it waterproof?"),
        ("It's cheap, but doesn’t it break?", "It's cheap, but does it break?"),
        ("Can't I return it?", "Can I return it?"),
        ("Isn't vinegar bad for it?", "Is vinegar bad for it?"),
        ("Aren't dogs allowed?", "Are dogs allowed?"),
        ("RV-460S不也很吵吗？", "RV-460S很吵吗？"),
        ("这不也能退吗", "这能退吗？"),
        ("It doesn't have a warranty, does it?", "It does have a warranty?"),
        ("Surely you can't return it?", "you can return it?"),
        ("They'd not refund it, would they?", "They'd refund it?"),
        ("How can it not have a battery?", "can it have a battery?"),
        ("Does it not have a battery?", "Does it have a battery?"),
        ("难道没有不用充电的吗", "有不用充电的吗？"),
        ("难道有不含糖的吗？", "有不含糖的吗？"),
        ("没问题吗", "有问题吗？"),
        ("不是说好免费吗", "免费吗？"),
        ("It works without Wi-Fi, doesn't it?", "It works without Wi-Fi?"),
        ("Surely there are lamps that don't need batteries?", "there are lamps that don't need batteries?"),
    ],
)
def test_a_rhetorical_question_is_read_as_what_it_asks(text: str, question: str) -> None:
    plain, remarks = asked_plainly(text)
    assert (plain, len(remarks)) == (question, 1)


@pytest.mark.parametrize(
    "text",
    ["难道", "不是吗？", "，吗", "不插电能用吗", "没开封能退吗", "是不是不能退", "不是450，是460吗",
     "怎么会坏", "不同的颜色有吗", "谁会参加会议",
     "Don't show me lamps", "I take no pills, should I?", "She has no receipt, can she?",
     "里面不能放什么？", "为什么不能退吗", "可不可以不交押金吗", "不知道能不能退吗", "我不是会员可以买吗",
     "用得着什么工具？", "有什么用得着的工具",
     "Should I not press it?", "谁愿意参加这次培训呢", "这个按钮有什么用途？", "凭什么证件入场？",
     "Won't turn on, what can I do?", "It's new and doesn't charge, what now?", "Don't forget the receipt?",
     "How can I find out that it is not charging?", "Can you not send me emails?", "Who will need a visa?",
     "Isn't charging, what now?", "你不也没说吗？",
     "What is the use of zinc?", "Why would anyone be refused?",
     "How can you not get sick?", "Can it not only print but also scan?", "Don't tell me the price, what is new?",
     "Don't you dare cancel it, can you move it?", "Should it not be chilled?", "Could they not call me?",
     "I don't know my size, do you?",
     "连不上网是欠费了吗", "没有发票退钱吗", "不提前说扣钱吗", "不在家收得到吗", "还没发货吗", "从来没有打折吗",
     "不得带宠物吗", "不必预约吗", "何必非要本人来", "岂有此理", "可以退牛奶而不是面包吗",
     "why isn't it charging?", "Which lamps aren't loud?", "Is the lock open, or isn't it?", "who would I contact?"],
)  # fmt: skip
def test_other_questions_stay_as_they_are(text: str) -> None:
    assert asked_plainly(text) == (text, ())


@pytest.mark.parametrize(
    "text", ["谁会买没有保修的手表？", "没有保修有什么用", "Who would buy that?", "What's the point of a lamp?"]
)
def test_what_asks_nothing_is_searched_as_it_stands_and_asked_back(text: str) -> None:
    plain, (remark,) = asked_plainly(text)
    assert plain == text
    assert str(remark).endswith("What would you like to know?")


@pytest.mark.parametrize(
    ("turns", "today", "text"),
    [
        (["How much did we sell last year?"], TODAY, "How much did we sell 2024?"),
        (["上个月的订单"], TODAY, "2025年7月的订单"),
        (["前一个季度的收入"], TODAY, "2025年第二季度的收入"),
        (["rules since last March"], TODAY, "rules since March 2025"),
        (["两年前的规定"], TODAY, "2023年的规定"),
        (["How was May 2023?", "and three months earlier?"], None, "and February 2023?"),
        (["How was May 2023?", "and in June?"], None, "and in June 2023?"),
        (["sales of 2023", "And the year before?", "the year before that?"], None, "2021?"),
        (["2023年第二季度的收入", "前一个季度呢", "次年呢"], None, "2024年呢"),
        (["2023年5月的会议", "三个月后呢"], TODAY, "2023年8月呢"),
        (["Compare 2022 with the previous year"], None, "Compare 2022 with 2021"),
        (["去年的销售", "前一年呢"], TODAY, "2023年呢"),
        (["上上个月的订单"], TODAY, "2025年6月的订单"),
        (["上上周末的活动"], TODAY, "2025年8月9日至2025年8月10日的活动"),
        (["下周一开会吗"], TODAY, "2025年8月25日开会吗"),
        (["下周一直下雨吗"], TODAY, "2025年8月25日至2025年8月31日一直下雨吗"),
        (["orders of the day before yesterday"], TODAY, "orders of 18 August 2025"),
        (["2023年至今年6月"], TODAY, "2023年至2025年6月"),
        (["自前年以来"], TODAY, "自2023年以来"),
        (["and the same month last year"], TODAY, "and the same month 2024"),
        (["sales in 2024", "and in Q2?"], None, "and in Q2 2024?"),
        (["上个月的会议", "三天前呢"], TODAY, "2025年8月17日呢"),
        (["2023年5月3日的会议", "三天前呢"], TODAY, "2023年4月30日呢"),
    ],
)
def test_a_relative_time_counts_from_the_date_named_last_or_that_of_the_conversation(
    turns: list[str], today: date | None, text: str
) -> None:
    plain, remarks = in_plain_words(Query(turns[-1], turns=tuple(map(Turn, turns[:-1]))), today)
    assert plain.text == text
    assert "counted from" in str(remarks[0])


@pytest.mark.parametrize(
    "text", ["How much did we sell last year?", "and the year before?", "去年呢", "前一个季度的收入", "三年前买的手表"]
)
def test_without_a_date_a_relative_time_is_named_and_stays(text: str) -> None:
    plain, (remark,) = in_plain_words(Query(text), None)
    assert plain.text == text
    assert "neither named nor set" in str(remark)
    plain, (remark,) = in_plain_words(Query("three days earlier?", turns=(Turn("How was May 2023?"),)), None)
    assert plain.text == "three days earlier?"


@pytest.mark.parametrize(
    "text",
    ["日本月饼好吃吗", "证明年龄需要什么", "以前年假有几天", "成本周期", "网上月租多少", "两天后天气如何",
             "the last month of my contract", "the next year after delivery",
     "请假前一天要说吗", "提前三天申请", "Is it delivered the next day?", "保修两年吗", "那年底没休完的呢",
             "前三天免费吗", "那年夏天呢", "2020年以前的房子", "Is that month billed?",
             "五月天演唱会门票多少钱", "both on the same day",
             "谁唱的《昨天》", "Who sings the song Yesterday?", "the book “Last Year in Marienbad”",
             "What is The Day After Tomorrow about?", "一部名叫昨天的电影", "歌曲昨天是谁唱的？", "小说三天后的作者"]
)  # fmt: skip
def test_lengths_parts_of_words_and_days_beside_an_event_are_no_dates(text: str) -> None:
    assert in_plain_words(Query(text), TODAY) == (Query(text), ())


def test_the_search_and_the_reason_of_a_turn_have_the_plain_words() -> None:
    rewrite = Contextual(as_of="2025-08-20").rewrite(Query("isn't it from last year", turns=(Turn("a watch"),)), SHOP)
    assert rewrite.queries[0].weights[0] == ("is it from 2024", 1.0)
    assert "asks" in str(rewrite.queries[0].why)
    assert "counted from 20 August 2025" in str(rewrite.queries[0].why)
    asked = Contextual().rewrite(Query("不是会员能打折吗", turns=(Turn("手表"),)), SHOP)
    assert asked.queries[0].weights[0] == ("不是会员能打折吗", 1.0)
    alone = Contextual().rewrite(Query("doesn't it break?"), SHOP)
    assert [q.text for q in alone.queries] == ["does it break?"]
    with pytest.raises(ParameterError):
        Contextual(as_of="last year").rewrite(Query("x"), SHOP)
