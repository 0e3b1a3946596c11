"""Reading what language models write: any style of list, and never anything but items or `Unreadable`."""

from __future__ import annotations

import json
import pickle
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples, for_each

from lab.errors import ModelError
from lab.models.answers import Unreadable, items, json_object, passage
from lab.models.lines import clean, unfenced
from lab.rewrite.base import Rewriter
from lab.rewrite.domain import DomainVocabulary
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.query2doc import Query2Doc
from lab.rewrite.step_back import StepBack
from lab.rewrite.sub_questions import SubQuestions
from lab.text import plain

TECHNIQUES: list[Rewriter] = [MultiQuery(), SubQuestions(), StepBack(), Query2Doc(), HyDE(), DomainVocabulary()]
QUESTIONS = [
    "年假有几天？",
    "病假怎么申请",
    "How long is the leave?",
    "3.5 mm jack on the E21",
    "1.5 倍工资怎么算？",
    "a year's notice",
    "一次能休几天？",
    "ERR-140 是什么",
]
MARKS = [
    "{i}. ",
    "{i}.",
    "{i}、",
    "({i}) ",
    "（{i}）",
    "{c} ",
    "{c}",
    "- ",
    "• ",
    "* ",
    "{i}) ",
    "{h}、",
    "> ",
    "Q{i}: ",
    "问题{i}：",
    "**{i}.** ",
    "- [ ] ",
    "{i}\ufe0f\u20e3 ",
    "Step {i}: ",
    "改写{h}：",
    "✅ ",
    "",
]
GREETINGS = [
    "",
    "Sure!",
    "Of course. Here are some alternatives.",
    "Great question!\n\nLet me rewrite it:",
    "**Okay!**",
]
GREETINGS += ["好的！", "当然可以，以下是改写", "没问题。\n\n下面是几种问法："]
OTHER_MARKS = ["## ", "a. ", "► ", "| ", "#{i} ", "<i>", "{i}/ ", "Fassung {i}: "]
OTHER_WORDS = [
    "",
    "I kept the names",
    "Both are broader.",
    "<br>",
    "    in other words",
    "   - as formal text",
    "意思不变",
]
REMARKS = [
    "",
    "Would you like more?",
    "Note: these are synonyms.",
    "I hope this helps!\nLet me know.",
    "需要更多改写吗？",
]
REMARKS += ["如需更多，请告诉我。", "（注：以上均为同义改写。）", "希望对你有帮助。"]
QUOTES = ["{}", '"{}"', "“{}”", "「{}」", "**{}**", "`{}`", "'{}'"]
FENCES = ["{}", "```\n{}\n```", "```text\n{}\n```", "~~~\n{}\n~~~", "Here are the queries:\n{}", "以下是改写：\n\n{}"]


@pytest.mark.parametrize(
    ("line", "item"),
    [
        ("4、3.5 mm jack", "3.5 mm jack"),
        ("2）90 day warranty", "90 day warranty"),
        ("1、2、3 号线怎么走", "1、2、3 号线怎么走"),
        ("1.5 mm jack", "1.5 mm jack"),
        ("3:30 的车次", "3:30 的车次"),
    ],
)
def test_a_number_behind_the_number_of_a_line_is_its_own(line: str, item: str) -> None:
    assert items(line, 3) == (item,)


@given(
    wanted=st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=8, unique=True),
    mark=st.sampled_from(MARKS),
    quote=st.sampled_from(QUOTES),
    fence=st.sampled_from(FENCES),
    gap=st.sampled_from(["\n", "\n\n", " \n\t\n", "\r\n"]),
    around=st.tuples(st.sampled_from(GREETINGS), st.sampled_from(REMARKS)),
    n=st.integers(1, 9),
)
@examples(300)
def test_every_style_of_list_is_read_alike(
    wanted: list[str], mark: str, quote: str, fence: str, gap: str, around: tuple[str, str], n: int
) -> None:
    lines = [
        mark.format(i=i + 1, c="①②③④⑤⑥⑦⑧"[i], h="一二三四五六七八"[i]) + quote.format(text)
        for i, text in enumerate(wanted)
    ]
    if mark == "{i}." and any(line[2:3].isdigit() for line in lines):
        return  # "1.3.5 mm" is anybody's guess
    answer = gap.join(filter(None, [around[0], fence.format(gap.join(lines)), around[1]]))
    assert items(answer, n) == tuple(wanted[:n])


@for_each(
    "answer",
    [
        '{"queries": ["a b", "c d"], "notes": ["x"]}',
        '{"notes": ["x"], "Queries": ["a b", "c d"]}',
        '{"first": ["a b", "c d"], "notes": ["x"]}',
        'Sure:\n["a b", "c d"]',
        '```json\n["a b", "c d"]\n```\nDone.',
        '["a b", "c d"]\nI hope this helps!',
        '[{"query": "a b"}, {"query": "c d", "n": 2}]',
        '{"1": "a b", "2": "c d"}',
        "['a b', 'c d']",
        "1. **Query**: a b\n2. **Query**: c d",
        "**Query 1:** a b\n**Query 2:** c d",
        "Original: x y\nRewritten: a b\nRewritten: c d",
        "原问题：x y\n改写：a b\n改写后的问题：c d",
        "A) a b\nB) c d",
        "(i) a b\n(ii) c d",
        "第一，a b\n第二，c d",
        "**a b**\n**c d**",
        'Here is the JSON: {"queries": ["a b", "c d"]}',
        '**Answer:** {"queries": ["a b", "c d"]} I hope this helps!',
        "I would ask ['a b', 'c d'], in this order.",
        '好的：{"queries": ["a b", "c d"]}，希望有帮助。',
        '问法有 ["a b", "c d"] 两种。',
        "{“queries”：[“a b”，“c d”]}",
        "Sure: {'queries': ['a b', 'c d',]} Done.",
        '{queries: ["a b", "c d"]} // two of them',
        '1. {"query": "a b"}\n2. {"query": "c d"}',
        '- Queries: ["a b", "c d"]',
    ],
)
def test_a_list_in_any_dress_is_its_items(answer: str) -> None:
    assert items(answer, 4) == ("a b", "c d")


@for_each(
    "line",
    [
        "C. elegans genome",
        "e.g. battery",
        "第一志愿怎么填",
        "第一次登录",
        "希望工程怎么申请",
        "如果需要加班，请提前多久申请",
        "answer machine",
        "query language: what is it",
        "original packaging",
        "没有发票怎么报销",
        "none of the keys work",
        "what does <b> mean",
        "what does <br> do",
        "if x < y > z",
        "a | b",
        "以上海为例的问题",
        "2024年的规定",
        "-20 degrees",
        "A-weighting",
    ],
)
def test_a_wording_that_looks_like_dress_is_kept(line: str) -> None:
    assert items(line, 4) == (line,)
    assert items(f"reset a router\n{line}", 4) == ("reset a router", line)


@for_each(
    "answer",
    [
        "| a b |\n| c d |",
        "<query>a b</query>\n<query>c d</query>",
        "a b<br>c d",
        "Ⅰ. a b\nⅡ、c d",
        "a. a b\nb. c d",
        "i. a b\nii. c d",
        "- {'a': 2}\n- reset a router\n- [3]",
        "a. m. or p. m.",
        "reset a router\n[1] battery",
        "- 5 degrees\n-5 degrees",
        '1. {"n": 1}\n2. reset a router',
        '[["a b"], ["c d"]]',
        '["a b", 2]',
    ],
)
def test_what_may_or_may_not_be_an_item_is_not_read(answer: str) -> None:
    with pytest.raises(Unreadable):
        items(answer, 4)


WORDS = st.sampled_from([*GREETINGS, *REMARKS, *OTHER_WORDS])


@given(
    wanted=st.lists(st.sampled_from(QUESTIONS), min_size=2, max_size=5, unique=True),
    mark=st.sampled_from([*filter(None, MARKS), *OTHER_MARKS]),
    quote=st.sampled_from(QUOTES),
    fence=st.sampled_from(FENCES),
    around=st.tuples(WORDS, WORDS, WORDS),
)
@examples(300)
def test_no_answer_is_read_wrongly(
    wanted: list[str], mark: str, quote: str, fence: str, around: tuple[str, str, str]
) -> None:
    lines = [
        mark.format(i=i + 1, c="①②③④⑤"[i], h="一二三四五"[i]) + quote.format(text) for i, text in enumerate(wanted)
    ]
    before, between, after = around
    answer = "\n".join(filter(None, [before, fence.format("\n".join([lines[0], between, *lines[1:]])), after]))
    try:
        read = items(answer, 9)
    except Unreadable:
        return
    assert read == tuple(wanted), answer


@for_each(
    "answer",
    ["None", "N/A", "null", "Answer:", "“无”", "没有。", "Query:", "<think>a b</think>", "Original: a b", "1\n2"],
)
def test_nothing_in_words_is_no_wording(answer: str) -> None:
    with pytest.raises(Unreadable):
        items(answer, 3)


def test_a_minus_before_a_number_tells_two_wordings_apart() -> None:
    assert items("- 5 degrees\n- -5 degrees", 4) == ("5 degrees", "-5 degrees")


def test_two_questions_in_a_line_are_two_where_questions_are_wanted() -> None:
    line = "年假有几天？怎么申请? 谁批准？"
    assert items(line, 4, questions=True) == ("年假有几天？", "怎么申请?", "谁批准？")
    assert items(line, 4) == (line,)


def test_repeated_items_count_once() -> None:
    assert items("1. Reset the router\n2. reset the router?\n3. other", 4) == ("Reset the router", "other")


@for_each("answer", ["", " \n", "```\n```", "1.\n2.\n", "？\n?", "[]", '{"a": []}', "---", "“”", "x" * 501])
def test_an_answer_without_items_is_rejected_and_shown(answer: str) -> None:
    with pytest.raises(Unreadable) as caught:
        items(answer, 3)
    assert isinstance(caught.value, ModelError)
    assert caught.value.answer == answer
    assert "3 lines" in caught.value.expected
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.answer, str(again)) == (answer, str(caught.value))


def test_of_two_hundred_thousand_lines_the_first_few_are_read() -> None:
    start = time.process_time()
    assert items("\n".join(f"{i}. leave {i}" for i in range(200_000)), 3) == ("leave 0", "leave 1", "leave 2")
    assert items("what? " * 300_000, 2, questions=True) == ("what?",)
    assert time.process_time() - start < 10  # processor seconds; a slow pattern takes far more


@for_each(
    "answer",
    [
        "I'm sorry, but I can't help with that.",
        "Sorry, I can't do that.",
        "I apologize, but this is against the rules.",
        "As an AI language model, I do not write queries.",
        "**Unfortunately, I am unable to provide that content.**",
        "很抱歉，作为语言模型，我不能这样做。",
        "我无法协助完成该请求。",
        "作为一个AI，我不写这些。",
    ],
)
def test_a_refusal_is_no_wording_and_no_passage(answer: str) -> None:
    for read in (passage, lambda text: items(text, 3)):
        with pytest.raises(Unreadable):
            read(answer)


@for_each(
    "answer",
    [
        "I cannot log in to my account",
        "I can't connect to this VPN",
        "sorry message of the printer",
        "sorry, paper jam",
        "I cannot provide a receipt",
        "我无法登录",
        "我不能报销怎么办",
        "对不起用英语怎么说",
        "as an airline passenger, what may I carry?",
    ],
)
def test_a_wording_that_speaks_of_not_being_able_is_one(answer: str) -> None:
    assert items(answer, 3) == (answer,)


def test_json_inside_an_item_belongs_to_the_item() -> None:
    assert items('1. parse ["a", "b"] in Python\n2. use {x} in a string', 4) == (
        'parse ["a", "b"] in Python',
        "use {x} in a string",
    )
    assert items("what does [draft] mean", 4) == ("what does [draft] mean",)


def test_an_item_that_is_json_is_no_query() -> None:
    for answer in ('1. "queries": ["a b"\n2. reset a router', 'Sure! "queries": [a b, c d]'):
        with pytest.raises(Unreadable):
            items(answer, 4)


@pytest.mark.parametrize(
    "answer", ['Sure: {"queries": ["a b", "c', '{"queries": ["a b", "c', '["a b", "c', '```json\n{"queries": [}\n```']
)
def test_json_that_does_not_hold_is_no_wording(answer: str) -> None:
    with pytest.raises(Unreadable):
        items(answer, 3)


def test_of_an_unreadable_answer_of_megabytes_the_beginning_is_kept_and_its_length() -> None:
    with pytest.raises(Unreadable) as caught:
        json_object("x" * 5_000_000)
    assert len(caught.value.answer) < 2100
    assert caught.value.answer.endswith("[2,000 / 5,000,000]")
    assert pickle.loads(pickle.dumps(caught.value)).answer == caught.value.answer


def test_a_passage_is_unfenced_and_unquoted() -> None:
    assert passage("```\n“One two.\nThree.”\n```") == "One two. Three."
    assert passage("Here is the passage:\nOne.") == "One."
    assert passage("<think>hm</think>\nOne.\nI hope this helps!") == "One."


def test_a_json_object_is_found_among_words() -> None:
    assert json_object('Sure!\n```json\n{"a": 1}\n```') == {"a": 1}
    assert json_object('<think>\nOf the form {"b": 2}\n</think>\n{"a": 1}') == {"a": 1}
    for answer in ("", "no", "{", "[1]", "}{", '{"a": }'):
        with pytest.raises(Unreadable):
            json_object(answer)


@for_each(
    "answer",
    [
        '{"a": 1} and {"b": 2}',
        '{"a": 1}}}',
        'Of the form {curly}, see [1]: {"a": 1}',
        'Either [{"b": 2}] or {"a": 1}',
        '```json\n{"a":\n 1}\n```\nor ```{"b": 2}```',
    ],
)
def test_the_first_whole_object_is_the_answer(answer: str) -> None:
    assert json_object(answer) == {"a": 1}


@for_each("answer", ['[{"a": 1}]', '{"verdict": {"keep": true}, "reas', "{" * 5000, "[" * 100_000])
def test_a_list_and_what_stands_inside_a_broken_object_are_no_object(answer: str) -> None:
    with pytest.raises(Unreadable):
        json_object(answer)


def test_what_stands_in_fences_is_taken_out() -> None:
    assert [part.strip() for part in unfenced("So:\n```sql\nSELECT 1\n```\nor\n~~~\nSELECT 2\n~~~")] == [
        "SELECT 1",
        "SELECT 2",
    ]
    assert unfenced("no fence") == ["no fence"]
    assert unfenced("```json\n[1]")[0].strip() == "[1]"
    assert unfenced("```SELECT 1```")[0].strip() == "SELECT 1"


SIGNS = [*MARKS, *QUOTES, *'1①？?\n"“”{}[],\\\ud800\x00', "```", "**", "年假", "a b"]
NASTY = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(SIGNS), max_size=14).map("".join),
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    ).map(json.dumps),
)


@given(technique=st.sampled_from(TECHNIQUES), answer=NASTY)
@examples(600)
def test_any_answer_gives_queries_or_is_rejected(technique: Rewriter, answer: str) -> None:
    asked = len(technique.requests("年假有几天", "zh"))
    try:
        made = technique.parse("年假有几天", [answer] * asked)
    except Unreadable:
        return
    assert 1 <= len(made) <= technique.wanted
    assert all(plain(g.text) and plain(g.query) and g.kind for g in made)
    assert clean(clean(answer)) == clean(answer)


@pytest.mark.parametrize("technique", TECHNIQUES, ids=lambda t: type(t).__name__)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_prompt_holds_the_question_and_can_be_changed(technique: Rewriter, language: str) -> None:
    import dataclasses

    query = "what of {n} and {question}?"
    for prompt in technique.requests(query, language):
        assert query in prompt
        assert not any(f"{{{name}}}" in prompt.replace(query, "") for name in ("question", "n", "perspective"))
    mine = dataclasses.replace(technique, template="MINE {question} {other}")
    assert mine.prompt(language) == "MINE {question} {other}"
    assert mine.requests("q", language)[0] == "MINE q {other}"
    assert {technique, mine} == {mine, dataclasses.replace(mine, template="")}
