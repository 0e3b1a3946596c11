"""A language model as judge and extractor: never trusted further than it can be checked."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.scripted import ScriptedModel
from models.server import Server
from night import examples, for_each

from lab.algebra import Corpus, Document, Env, Ranking, Runner, Stage
from lab.errors import ModelError
from lab.models.endpoint_chat import EndpointModel
from lab.refine.llm_filter import MOST_EXTRACTS, LanguageModelJudge, ModelExtractor, joined, place
from lab.retrieve.lexical import BM25

CORPUS = Corpus(
    "leave",
    (
        Document("a", "年假有 7 天。\n食堂在二楼。", "年假"),
        Document("b", "年假的花，年假的海。"),
        Document("c", "年假须提前申请。 年假可以结转。"),
    ),
)
FOUND = BM25(variant="lucene").index(CORPUS).search("年假")


class Asked:
    """A stage at work in a run that has this language model under the name of its setting."""

    def __init__(self, stage: Stage, script: tuple[tuple[str, str | ModelError], ...]) -> None:
        self.stage, self.env = stage, Env(models={"chat": ScriptedModel(script)})

    def __call__(self, ranking: Ranking) -> Ranking:
        return self.stage(ranking, self.env)

    def told(self, ranking: Ranking) -> tuple[Any, ...]:
        """The evidence: verdicts or extracts."""
        found: tuple[Any, ...] = self(ranking).evidence
        return found


def judge(*script: tuple[str, str | ModelError]) -> Asked:
    return Asked(LanguageModelJudge(), script)


def extractor(*script: tuple[str, str | ModelError]) -> Asked:
    return Asked(ModelExtractor(), script)


def ids(ranking: Ranking) -> set[str]:
    return {h.document.id for h in ranking}


def test_what_the_model_finds_of_no_help_goes_with_its_reason() -> None:
    after = judge(
        ("花", '{"relevant": false, "reason": "It is  a poem."}'), ("", '{"relevant": true, "reason": "yes"}')
    )(FOUND)
    assert ids(after) == {"a", "c"}
    assert [(d.document.id, d.reason, d.by) for d in after.dropped] == [
        ("b", "The model considers it not relevant: It is a poem.", "Language model judge")
    ]
    assert [h for h in FOUND if h.document.id != "b"] == list(after)


@for_each(
    "answer",
    [
        "",
        "maybe",
        "True\nFalse",
        "No, I can't help with that.",
        "{}",
        '{"relevant": "perhaps"}',
        '{"relevant": 0}',
        '{"relevant": null, "reason": "x"}',
    ],
)
def test_an_answer_that_is_no_verdict_keeps_the_document_and_says_so(answer: str) -> None:
    asked = judge(("花", answer), ("", '{"relevant": true}'))
    assert ids(asked(FOUND)) == {"a", "b", "c"}
    told = {v.document.id: v for v in asked.told(FOUND)}
    assert told["b"].problem is not None
    assert "is kept" in told["b"].reason
    assert told["a"].problem is None


@for_each(
    "answer",
    ["False", "no", "NO.", "**False**", "否", "不是。", "Relevant (YES / NO): NO", "结论：**否**", '{"relevant": "no"}']
    + ["The text is about flowers.\nVerdict: False", "> NO", "<answer>false</answer>", "不相关"],
)
def test_a_bare_no_is_a_verdict(answer: str) -> None:
    assert ids(judge(("花", answer), ("", "True"))(FOUND)) == {"a", "c"}


@for_each("answer", ["True", "yes", "YES.", "是", "是的。", "Relevant: yes", "**True**", "有帮助", "相关：是"])
def test_a_bare_yes_is_a_verdict(answer: str) -> None:
    asked = judge(("", answer))
    assert ids(asked(FOUND)) == {"a", "b", "c"}
    assert all(v.problem is None for v in asked.told(FOUND))


def test_the_words_around_a_bare_verdict_are_its_reason() -> None:
    after = judge(("花", "否。这是一首诗。"), ("", "是"))(FOUND)
    assert [d.reason for d in after.dropped] == ["The model considers it not relevant: 这是一首诗。"]


def test_a_model_that_fails_keeps_the_document_and_says_so() -> None:
    asked = judge(("花", ModelError("out of order")), ("", '{"relevant": false}'))
    assert ids(asked(FOUND)) == {"b"}
    told = {v.document.id: v for v in asked.told(FOUND)}
    assert "out of order" in told["b"].reason
    assert told["a"].reason == "no reason given"


def test_without_a_model_everything_stays_and_says_so() -> None:
    assert LanguageModelJudge()(FOUND).hits == FOUND.hits
    assert all("No language model" in v.reason and v.keep for v in LanguageModelJudge()(FOUND).evidence)
    assert ModelExtractor()(FOUND).hits == FOUND.hits
    assert all("No language model" in e.problem for e in ModelExtractor()(FOUND).evidence)


def test_extracts_are_what_stands_in_the_document() -> None:
    asked = extractor(
        ("食堂", '{"extracts": ["年假有 7 天。"]}'),
        ("花", '{"extracts": []}'),
        ("结转", '{"extracts": ["年假可以结转。", "年假有 30 天。"]}'),
    )
    after = asked(FOUND)
    texts = {h.document.id: h.document.text for h in after}
    assert texts == {"a": "年假有 7 天。", "c": "年假可以结转。"}
    assert [d.document.id for d in after.dropped] == ["b"]
    told = {e.original.id: e for e in asked.told(FOUND)}
    assert told["c"].rejected == ("年假有 30 天。",)
    before, after_ = told["a"].characters
    assert before - after_ == len("\n食堂在二楼。")
    for extract in told.values():  # the spans cover the text, one after the other
        assert "".join(extract.original.text[s.start : s.end] for s in extract.spans) == extract.original.text
    assert [h.document.title for h in after] == [CORPUS.get(h.document.id).title for h in after]


@for_each(
    "answer",
    [
        "",
        "a summary in other words",
        "1\n2\n3",
        "7",
        "[" * 5000,
        "…",
        "output",
        '{"extracts": "年假"}',
        '{"extracts": [1]}',
        '{"extracts": ["invented"]}',
        "{}",
    ],
)
def test_what_is_not_in_the_document_leaves_the_document_whole(answer: str) -> None:
    asked = extractor(("", answer))
    assert asked(FOUND).hits == FOUND.hits
    assert all("is kept" in e.problem or "kept whole" in e.problem for e in asked.told(FOUND))


@for_each(
    "answer", ["NO_OUTPUT", "no_output.", "**NO_OUTPUT**", "none", "无", "没有相关内容。", '{"extracts": []}', "[]"]
)
def test_no_output_is_an_empty_list(answer: str) -> None:
    after = extractor(("花", answer), ("", "年假"))(FOUND)
    assert [drop.document.id for drop in after.dropped] == ["b"]


@for_each(
    "answer",
    ["年假须提前申请。", "“年假须提前申请。”", "- 年假须提前申请。", "Here are the sentences:\n\n1. 年假须提前申请。"]
    + ["```\n年假须提前申请。\n```", '["年假须提前申请。"]', "**年假须提前申请。**", "> 年假须提前申请。"],
)
def test_copied_sentences_are_extracts_without_json_as_well(answer: str) -> None:
    asked = extractor(("结转", answer), ("", "年假"))
    texts = {hit.document.id: hit.document.text for hit in asked(FOUND)}
    assert texts["c"] == "年假须提前申请。"


def test_of_sentences_copied_in_one_line_each_is_looked_for() -> None:
    text = "Leave is seven days. The canteen is upstairs. It can be carried over."
    found = BM25(variant="lucene").index(Corpus("one", (Document("a", text),))).search("leave")
    (told,) = extractor(("", "Leave is seven days. It can be carried over.")).told(found)
    assert told.document.text == "Leave is seven days.\nIt can be carried over."
    (told,) = extractor(("", "Leave is seven days. It must be booked a long while before it begins.")).told(found)
    assert told.problem, "more than half of it was made up: that is no extract"
    assert told.document.text == text


def test_a_failing_model_leaves_the_document_whole() -> None:
    asked = extractor(("", ModelError("out of order")))
    assert asked(FOUND).hits == FOUND.hits
    assert all("out of order" in e.problem for e in asked.told(FOUND))


def test_of_a_hundred_thousand_extracts_two_hundred_are_looked_at() -> None:
    text = " ".join(f"word{i}" for i in range(20_000))
    given = ["word7 word8", *(f"word{i}  word{i + 2}" for i in range(100_000))]
    found = BM25(variant="lucene").index(Corpus("long", (Document("a", text),))).search("word7")
    start = time.perf_counter()
    (told,) = extractor(("", json.dumps({"extracts": given}))).told(found)
    assert time.perf_counter() - start < 1
    assert told.document.text == "word7 word8"
    assert len(told.rejected) == MOST_EXTRACTS - 1


@given(text=st.text(alphabet="ab .\n\t", max_size=12), extract=st.text(alphabet="ab .\n", max_size=5))
def test_an_extract_is_found_where_a_search_with_any_blanks_finds_it(text: str, extract: str) -> None:
    m = re.search(r"\s+".join(map(re.escape, extract.split())), text)
    assert place(text, extract) == (m.span() if m and extract.strip() else None)


def test_blanks_may_differ_and_nothing_else() -> None:
    assert place("one  two\nthree", "two three") == (5, 14)
    assert place("one  two", "one three") is None
    assert place("a.b", "aXb") is None
    assert place("abc", " ") is None
    assert joined([(4, 6), (0, 2), (1, 4)]) == [(0, 6)]


@given(
    extracts=st.lists(
        st.one_of(st.text(max_size=8), st.sampled_from(["年假", "7 天", "食堂", "年假有 7 天。\n食堂"])), max_size=5
    )
)
@examples(60)
def test_any_extracts_leave_only_text_of_the_document(extracts: list[str]) -> None:
    asked = extractor(("", json.dumps({"extracts": extracts})))
    for before, extract in zip(FOUND.hits, asked.told(FOUND), strict=True):
        assert all(line in before.document.text for line in extract.document.text.split("\n"))
        assert extract.original == before.document


def test_the_model_is_the_one_that_the_run_has_under_the_name() -> None:
    named = LanguageModelJudge("small")
    models = {
        "small": ScriptedModel((("", '{"relevant": false}'),)),
        "chat": ScriptedModel((("", '{"relevant": true}'),)),
    }
    assert ids(named(FOUND, Env(models=models))) == set()
    assert ids(named(FOUND, Env(models={"chat": models["chat"]}))) == ids(FOUND)
    search = BM25(variant="lucene") >> named
    assert Runner(CORPUS, models=models)(search, "年假").hits == ()
    assert search.index(CORPUS, models=models).search("年假").hits == ()


@pytest.fixture
def server() -> Iterator[Server]:
    with Server('{"relevant": false, "reason": "no"}') as running:
        yield running


def test_a_real_client_judges_in_parallel_and_survives_a_wrong_key(server: Server) -> None:
    seen: list[tuple[int, int]] = []
    model = EndpointModel("m", server.url, retries=0)
    env = Env(models={"chat": model}, progress=lambda done, total: seen.append((done, total)))
    asked = LanguageModelJudge()
    assert [v.keep for v in asked(FOUND, env).evidence] == [False] * 3
    assert seen[-1] == (3, 3)
    assert all(r["response_format"]["json_schema"]["name"] == "verdict" for r in server.requests)
    assert all("年假" in r["messages"][0]["content"] for r in server.requests)
    server.then("401")
    assert ids(asked(FOUND, env)) == {"a", "b", "c"}
