"""Thoughts of all families of models, and marks of their chat templates, are no part of an answer."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.server import Server
from night import examples, for_each

from lab.errors import ModelError
from lab.models.answers import Unreadable, items, passage, read_grade
from lab.models.endpoint_chat import EndpointModel
from lab.models.thoughts import seems_to_think, visible, without_thoughts
from lab.text2sql.database import open_sample
from lab.text2sql.free import free_sql

THOUGHT = "The user asks who signs. I should answer briefly."
FORMS = {
    "think": "<think>\n{t}\n</think>\n\n{a}",
    "think on one line": "<think>{t}</think>{a}",
    "without its opening": "{t}\n</think>\n\n{a}",
    "without its opening, on one line": "{t}</think> {a}",
    "no thoughts": "<think>\n\n</think>\n\n{a}",
    "capitals": "<THINK>{t}</THINK>{a}",
    "thought": "<thought>\n{t}\n</thought>\n{a}",
    "reasoning": "<reasoning_content>{t}</reasoning_content>\n{a}",
    "LongCat": "<longcat_think>\n{t}\n</longcat_think>\n{a}",
    "in Chinese": "【思考】{t}【/思考】{a}",
    "a thought in a thought": "<think>{t}<think>{t}</think></think>{a}",
    "inner monologue": "< inner_monologue >{t}</ inner_monologue >{a}<eoa>",
    "Seed-OSS": "<seed:think>{t}</seed:think>{a}",
    "MiniMax": "<mm:think>{t}</mm:think>{a}",
    "Magistral": "[THINK]{t}[/THINK]{a}",
    "Granite": "Here is my thought process: {t} Here is my response: {a}",
    "Granite, quantised": "Here's my thought process:\n{t}\n\nHere's my response:\n{a}",
    "gpt-oss": "<|channel|>analysis<|message|>{t}<|end|><|start|>assistant<|channel|>final<|message|>{a}<|return|>",
    "gpt-oss, JSON": "<|channel|>analysis<|message|>{t}<|end|><|channel|>final <|constrain|>json<|message|>{a}",
    "gpt-oss, plain": "analysis{t}assistantfinal{a}",
    "Gemma 4": "<|channel>thought\n{t}\n<channel|>{a}",
    "Kimi": "◁think▷{t}◁/think▷{a}",
    "Kimi K3": "<|open|>think<|sep|>{t}<|close|>think<|sep|><|open|>response<|sep|>{a}<|close|>response<|sep|>",
    "Cohere": "<|START_THINKING|>{t}<|END_THINKING|><|START_RESPONSE|>{a}<|END_RESPONSE|>",
    "Cohere, newer": "{t}<|END_THINKING|><|START_TEXT|>{a}<|END_TEXT|><|END_OF_TURN_TOKEN|>",
    "Pangu": "[unused16]{t}[unused17]{a}",
    "Hunyuan": "<think>\n{t}\n</think>\n<answer>\n{a}\n</answer>",
    "Apertus": "<|inner_prefix|>{t}<|inner_suffix|>{a}<|assistant_end|>",
    "Solar": "{t}<|think:end|>{a}",
    "Muse": " to=self<|message|>{t}<|eom|><|start|>assistant to=user<|message|>{a}<|eot|>",
    "OpenThinker": "<|begin_of_thought|>{t}<|end_of_thought|>\n<|begin_of_solution|>{a}<|end_of_solution|>",
    "HyperCLOVA": "/think\n{t}<|im_end|>\n<|im_start|>assistant\n{a}<|im_end|>",
    "GLM": "<|assistant|>\n<think>{t}</think>\n{a}<|user|>",
    "ChatML": "<|im_start|>assistant\n{a}<|im_end|>",
    "ChatML, cut off": "{a}<|im_end|",
    "the next turn": "{a}<|im_end|>\n<|im_start|>user\nAnd then?<|im_end|>\n",
    "Llama": "<|start_header_id|>assistant<|end_header_id|>\n\n{a}<|eot_id|>",
    "Mistral": "{a} </s>",
    "DeepSeek": "{a}<｜end▁of▁sentence｜>",
    "two thoughts": "<think>{t}</think>\n<think>{t}</think>\n{a}",
    "a thought about a sign": "<think>They ask about the `</think>` tag. {t}</think>{a}",
}
ENDLESS = (
    "<think>hm",
    "[THINK]hm",
    "◁think▷hm",
    "<seed:think>hm",
    "<|START_THINKING|>hm",
    "<|channel|>analysis<|message|>hm",
    "<|channel|>analysis<|message|>hm<|end|>",
    "<|channel>thought\nhm",
    "Here is my thought process: hm",
    "analysisWe need to answer",
    "[unused16]hm",
    "<reasoning>hm",
    "<think>They ask what `</think>` means",
)
ABOUT = (
    "what does <think> mean in HTML?",
    "The <think> tag opens the thoughts, and </think> closes them.",
    "<think> and </think> are tags.",
    "<think> is a tag that opens thoughts.",
    "`<think>` opens, `</think>` closes.",
    "```\n<think>\nhm\n</think>\nanswer\n```",
    "Write </think> to end thoughts.",
    "<think> 标签表示思考，</think> 表示结束。",
    "ChatML ends a turn with <|im_end|>",
    "The stop token is </s>",
    "Llama 2 uses [INST] and [/INST]",
    "[THINK] opens the thoughts of Magistral.",
    '{"queries": ["what is <think>", "</think> meaning"]}',
    "how to use it\n<think> tag meaning",
    "analysis of variance",
    "if a < b and [1] > c",
)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def through(server: Server, how: str, text: str) -> str:
    """What a model of this server answers, asked for a whole answer or for a stream."""
    server.answer = text
    model = EndpointModel("m", server.url)
    if how == "whole":
        return model.ask("hello").text
    stream = model.stream("hello")
    assert "".join(stream) == text
    assert stream.answer is not None
    return stream.answer.text


SHOP = open_sample("shop")


@pytest.mark.parametrize("how", ["whole", "stream"])
@pytest.mark.parametrize("form", FORMS)
def test_of_thoughts_and_marks_only_the_answer_stays(server: Server, form: str, how: str) -> None:
    def answer(text: str) -> str:
        return through(server, how, FORMS[form].format(t=THOUGHT, a=text))

    class Model:
        def ask(self, system: str, prompt: str) -> str:
            return answer("SELECT count(*) FROM orders")

    assert answer("Heads of department sign NDAs.").strip() == "Heads of department sign NDAs."
    assert items(answer("1. who signs\n2. reset a router\n3. pair it"), 4) == ("who signs", "reset a router", "pair it")
    assert items(answer('{"queries": ["who signs", "pair it"]}'), 4) == ("who signs", "pair it")
    assert read_grade(answer('{"grade": 2}'), 3) == read_grade(answer("2"), 3) == 2
    sql = free_sql(SHOP, "how many", Model(), as_of=dt.date(2026, 1, 1))
    assert (sql.error, len(sql.attempts)) == (None, 1)


@pytest.mark.parametrize("how", ["whole", "stream"])
def test_of_thoughts_that_never_end_nothing_stays(server: Server, how: str) -> None:
    for text in ENDLESS:
        assert not without_thoughts(text).strip(), text
        with pytest.raises(ModelError, match="empty answer"):
            through(server, how, text)


@for_each("text", ABOUT)
def test_an_answer_about_signs_stays(text: str) -> None:
    assert without_thoughts(text) == text
    assert not seems_to_think(text)


def test_thoughts_behind_the_first_words_go() -> None:
    assert without_thoughts("Sure. <think>hm, yes</think> reset a router").split() == ["Sure.", "reset", "a", "router"]
    assert without_thoughts("Okay!\n<think>\nhm\n</think>\nreset").split() == ["Okay!", "reset"]
    assert without_thoughts("<think>hm</think> what <think>x</think> does") == "what <think>x</think> does"


def test_thoughts_that_cannot_be_told_apart_are_said(server: Server) -> None:
    server.answer = "thought\nThe user asks who signs.\nHeads of department sign."
    answer = EndpointModel("m", server.url).ask("hello")
    assert answer.text == server.answer
    assert "thoughts" in answer.remarks[0]
    for read in (passage, lambda text: items(text, 3)):
        with pytest.raises(Unreadable):
            read(server.answer)
    server.answer = "Heads of department sign."
    assert EndpointModel("m", server.url).ask("hello").remarks == ()


@for_each("form", [*FORMS])
def test_while_thoughts_arrive_no_sign_is_shown(form: str) -> None:
    if form.startswith("without") or form in ("Cohere, newer", "Solar"):
        return  # the opening was cut off: nothing tells these thoughts from an answer until they end
    whole = FORMS[form].format(t=THOUGHT, a="Heads sign.")
    for end in range(len(whole) + 1):
        assert "Heads sign.".startswith(visible(whole[:end]).strip()), whole[:end]


@given(st.text("<>/|[] \nthinkTHINK◁▷`a.", max_size=60))
@examples(200)
def test_taking_thoughts_out_comes_to_rest_and_never_adds(text: str) -> None:
    bare = without_thoughts(text)
    assert len(bare) <= len(text)
    assert set(bare) <= set(text)


def test_a_long_answer_full_of_signs_is_read_in_time() -> None:
    start = time.process_time()
    for text in (
        "<think>" * 20_000,
        "a. <think>b</think> " * 3000,
        "</think>" * 5000,
        "<|message|>" * 20_000,
        "<|" * 50_000,
    ):
        without_thoughts(text)
        seems_to_think(text)
    assert time.process_time() - start < 10
