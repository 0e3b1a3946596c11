"""What an answer quotes: the answer to a printed question, a list with its opening, a row with its column names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each

from lab.algebra import Corpus, Document
from lab.answer.extract import Extractive
from lab.answer.units import is_question, units
from lab.models.pieces import spans_of


def texts(text: str) -> list[str]:
    return [unit.text for unit in units(text, spans_of(Document("d", text)))]


@for_each(
    "text, answers",
    [
        ("问：婚假几天？答：13 天。可分两次。问：必须休完吗？答：是。", ["13 天。可分两次。", "是。"]),
        ("Q: May I keep pets?\nA: No.\n\nQ: Where do I park?\nA: Outside. Ask.", ["No.", "Outside. Ask."]),
        ("**能当 NAS 用吗？** 可以。另见手册。\n\n**怎么恢复？** 按复位键。", ["可以。另见手册。", "按复位键。"]),
        ("**Does it float?** It does. A little.\n**Is it red?** No.", ["It does. A little.", "No."]),
        ("## May I come?\nYes.\n\nAny day.\n\n## Where is it?\nHere.", ["Yes.\n\nAny day.", "Here."]),
        ("1. 可以养狗吗？\n不可以。\n2. 可以抽烟吗？\n不行。", ["不可以。", "不行。"]),
        ("问 1：几点开门\n答 1：九点。\n问 2：几点关门\n答 2：十点。", ["九点。", "十点。"]),
        ("可以养狗吗\n不可以。\n\n钥匙在前台。", ["不可以。", "钥匙在前台。"]),
        ("Is it open? Yes. Since 1920.\n\nThe rooms are big.", ["Yes. Since 1920.", "The rooms are big."]),
        ("Can I? May I? Yes. Why? It is free.", ["Yes.", "It is free."]),
        ("The door is red. Is it open?", ["The door is red."]),
        ("Who pays?", []),
    ],
)
def test_a_printed_question_is_no_answer_and_what_follows_is(text: str, answers: list[str]) -> None:
    assert texts(text) == answers


@for_each(
    "text, expected",
    [
        (
            "下列情形可以：（一）只有一家；（二）紧急；（三）添购。其他须招标。",
            ["下列情形可以：（一）只有一家；（二）紧急；（三）添购。", "其他须招标。"],
        ),
        (
            "Reset it:\n\n1. Press. Hold.\n2. Wait.\n\nData are lost.",
            ["Reset it:\n\n1. Press. Hold.\n2. Wait.", "Data are lost."],
        ),
        (
            "Bring these:\n– a pen\n– paper. White.\nCome early.",
            ["Bring these:\n– a pen\n– paper. White.", "Come early."],
        ),
        ("规定如下：\na) 打开\nb) 关上\n完成后登记。", ["规定如下：\na) 打开\nb) 关上", "完成后登记。"]),
        ("Take the following: (1) a cup; (2) a spoon. Stir.", ["Take the following: (1) a cup; (2) a spoon.", "Stir."]),
        ("It is red. It is big.", ["It is red.", "It is big."]),
        ("（一）年假十天；\n（二）病假另算。", ["（一）年假十天", "（二）病假另算。"]),
        ("It is red;\n\nit is big.", ["It is red", "it is big."]),
        ("；", ["；"]),
    ],
)
def test_a_list_belongs_to_the_line_that_opens_it(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@for_each(
    "text, expected",
    [
        (
            "金额 | 审批人 | 时限\n100万以上 | 总经理 | 3天\n10万以下 | 部门 | 1天",
            ["金额：100万以上；审批人：总经理；时限：3天", "金额：10万以下；审批人：部门；时限：1天"],
        ),
        ("| Shift | Hours |\n|---|---|\n| Late | 14:00 |\n\nEnd.", ["Shift: Late; Hours: 14:00", "End."]),
        ("City\tPeople\nBern\t140000\nBonn\t330000", ["City: Bern; People: 140000", "City: Bonn; People: 330000"]),
        ("| 问题 | 答案 |\n|---|---|\n| 可以养狗吗？ | 不可以。须登记。 |", ["不可以。须登记。"]),
        ("Question\tAnswer\nMay I come?\tYes.\nWhen?\tDaily.", ["Yes.", "Daily."]),
        ("a | b in one line only", ["a | b in one line only"]),
    ],
)
def test_a_row_is_said_with_the_names_of_its_columns_and_the_head_is_no_unit(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@for_each(
    "sentence, asks",
    [
        ("Is it open?", True),
        ("“Is it open?”", True),
        ("**为什么？**", True),
        ("可以吗。", True),
        ("他怎么还没来呢", True),
        ("Q3: the price", True),
        ("He asked “Why?”", False),
        ("“Why?” she asked.", False),
        ("时间还早呢。", False),
        ("什么都可以。", False),
        ("See a.html?b=1 for more.", False),
    ],
)
def test_a_sentence_asks_by_its_mark_its_particle_or_its_print(sentence: str, asks: bool) -> None:
    assert is_question(sentence) is asks


PARTS = [
    "Why? ",
    "It is. ",
    "为什么？",
    "因为。",
    "\n",
    "\n\n",
    "1. one\n",
    "- two\n",
    "Steps: ",
    "（一）甲；",
    "| a | b |\n",
    "|--|--|\n",
    "x\ty\n",
]


@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
def test_units_are_in_order_do_not_overlap_and_cover_what_neither_asks_nor_names(text: str) -> None:
    spans = spans_of(Document("d", text))
    found = units(text, spans)
    assert all(a.last < b.first and a.end <= b.start for a, b in zip(found, found[1:], strict=False))
    assert all(text[unit.start : unit.end].strip() for unit in found if text.strip())
    if text.strip() and "|" not in text and "\t" not in text:
        covered = {i for unit in found for i in range(unit.first, unit.last + 1)}
        assert all(is_question(text[a:b]) for i, (a, b) in enumerate(spans) if i not in covered)


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (
            "问：宿舍可以养宠物吗？\n答：不可以，违者扣分。\n问：几点熄灯？\n答：十一点。",
            "宿舍可以养宠物吗",
            "不可以，违者扣分。",
        ),
        (
            "Q: When do the lights go out?\nA: At eleven.\nQ: May I keep pets?\nA: No.",
            "When do the lights go out?",
            "At eleven.",
        ),
        (
            "金额 | 审批人 | 时限\n100万以上 | 总经理 | 3天\n10万以下 | 部门 | 1天",
            "100万以上由谁审批？",
            "金额：100万以上；审批人：总经理；时限：3天",
        ),
    ],
)
def test_the_answer_to_a_question_of_a_passage_is_quoted(text: str, question: str, answer: str) -> None:
    passages = (Document("a", text), Document("b", "The canteen is on floor 3."))
    extracted = Extractive().answer(question, passages, Corpus("c", passages))
    assert extracted.says
    assert extracted.best is not None
    assert extracted.best.text == answer


def test_passages_that_only_ask_do_not_answer() -> None:
    passages = (Document("a", "Who pays the rent?"),)
    extracted = Extractive().answer("Who pays the rent?", passages, Corpus("c", passages))
    assert not extracted.says
    assert "no answers" in extracted.reason
