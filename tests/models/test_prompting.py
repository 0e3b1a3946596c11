"""Prompts that people bring: their names are filled in, what they lack is noticed, and what they ask for is read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from models.server import Server

from lab import catalog
from lab.algebra import Corpus, Document, Env, Query, Runner, Turn
from lab.answer.again import AskAgain
from lab.answer.faithfulness import Faithfulness
from lab.answer.model import ModelAnswer
from lab.derive.written import Keywords, Questions, Summaries
from lab.explain.notes import notes
from lab.models.endpoint_chat import EndpointModel
from lab.models.prompting import NAMES, Prompted, fill, missing_names, prompts, unknown_names
from lab.refine.llm_filter import LanguageModelJudge, ModelExtractor
from lab.retrieve.lexical import BM25
from lab.rewrite.contextual import Contextual
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.routing import CollectionRouter
from lab.rewrite.step_back import StepBack

LEAVE = Corpus(
    "leave",
    (
        Document("a", "年假有 7 天。\n食堂在二楼。", "年假"),
        Document("b", "年假的花，年假的海。"),
        Document("c", "年假须提前申请。 年假可以结转。"),
    ),
)
COURSE_FILTER = (
    "给定以下问题和上下文，判断上下文是否与问题相关。请回答 'True' 或 'False'。\n问题: {query}\n上下文: {context}"
)
COURSE_EXTRACT = "从上下文中原样提取与问题相关的部分。如果没有，返回 NO_OUTPUT。\n问题: {question}\n上下文: {context}"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def env(server: Server) -> Env:
    return Env({"chat": EndpointModel("m", server.url, retries=0)})


def sent(server: Server) -> list[str]:
    return [request["messages"][-1]["content"] for request in server.requests]


def test_a_value_is_filled_in_under_each_of_its_names() -> None:
    for names in NAMES:
        for name in names:
            template = " ".join(f"{{{other}}}" for other in names)
            assert fill(template, **{name: "{x}"}) == " ".join(["{x}"] * len(names))
    assert fill("{query} {unknown} {}", question="q") == "q {unknown} {}"
    assert fill("{text} {passages}", text="own", passages="others") == "own others", "a name of its own comes first"


@pytest.mark.parametrize(
    ("template", "missing"),
    [
        ("", ()),
        ("{query} {text}", ()),
        ("{question}", ("document",)),
        ("{ query } {Context}", ("question", "document")),
        ("judge it", ("question", "document")),
    ],
)
def test_what_a_prompt_lacks_is_named(template: str, missing: tuple[str, ...]) -> None:
    assert missing_names(template, ("question", "document")) == missing


@pytest.mark.parametrize(
    ("field", "template"),
    [
        (MultiQuery, "{num_questions} {query} {latest_question}"),
        (CollectionRouter, "{query} {categories}"),
        (ModelAnswer, "{context} {query} {sub_questions} {chat_history}"),
        (ModelAnswer, "{context} {query_versions} {abstract_query} {industry}"),
        (ModelAnswer, "{context} {rewritten_query} {adapted_query} {latest_question}"),
        (ModelAnswer, "{context_str} {query_str} {summaries} {input} {knowledge} {{ query }} {{documents}}"),
        (CollectionRouter, "{destinations} {{input}}"),
        (ModelAnswer, '{"json": {"a": [1, {"b": 2}]}} {{"escaped": "x"}} \\d{3} {} { spaced }'),
        (ModelAnswer, "{answer:string} {score:float, reason:str} {grade:1-5} {n:int} costs $5, 20%(of it)"),
    ],
)
def test_the_courses_names_are_filled_in_and_any_other_is_named(field: type[Prompted], template: str) -> None:
    help_text = str(field.__dataclass_fields__["template"].metadata["help"])
    assert unknown_names(template, help_text) == ()
    assert unknown_names(f"{{topic}} {template} {{表}} {{topic}}", help_text) == ("{topic}", "{表}")


def test_what_other_template_languages_compute_is_named_as_written() -> None:
    parts = (
        "{% for d in documents %}", "{{ d.content }}", "{% endfor %}", "{{#context#}}", "{{ a_name }}",
        "{docs[0].text}", "{question!r}", "{score:.2f}", "{day:%Y-%m-%d}", "{name:>10}", "%(question)s", "%(topic)s",
        "$question", "$context", "{agent_scratchpad}",
    )  # fmt: skip
    assert unknown_names(" ".join(parts) + " {question} {{ context }}", "{question} {context}") == parts
    assert fill("{{ query }} {{query}} {query}", question="q") == "q q q"


def prompted() -> list[type[Prompted]]:
    families = [catalog.rewriters, catalog.stages, catalog.derivations]
    return [cls for family in families for cls in family().values() if issubclass(cls, Prompted)]


def test_every_prompt_field_says_what_it_needs_and_the_prompts_of_the_lab_have_it() -> None:
    found = [*prompted(), CollectionRouter, Faithfulness, AskAgain, ModelAnswer]
    assert len(found) > 10
    for cls in found:
        needs = cls.__dataclass_fields__["template"].metadata["needs"]
        assert needs, cls
        for prompt in prompts().get(cls.key, {}).values():
            assert not missing_names(prompt, needs), cls
            assert not unknown_names(prompt, str(cls.__dataclass_fields__["template"].metadata["help"])), cls


def test_a_rewriter_is_sent_the_question_of_a_prompt_from_elsewhere(server: Server) -> None:
    for technique in (
        MultiQuery(model="chat", template="原始查询: {query}"),
        StepBack(model="chat", template="> {query}"),
    ):
        made = technique.rewrite(Query("年假有几天"), LEAVE, env(server))
        assert made.by == "model"
    assert sent(server) == ["原始查询: 年假有几天", "> 年假有几天"]


def test_a_derivation_is_sent_the_text_of_a_prompt_from_elsewhere(server: Server) -> None:
    for kind in (Questions, Keywords, Summaries):
        for name in ("document", "context", "text"):
            server.requests.clear()
            kind(model="chat", template=f"{kind.key}: {{{name}}}")(Corpus("one", LEAVE.documents[:1]), env=env(server))
            assert sent(server) == [f"{kind.key}: {LEAVE.documents[0].content}"]


def test_a_conversation_is_sent_under_the_names_of_other_tools(server: Server) -> None:
    server.answer = "1. 年假可以结转几天？"
    query = Query("可以结转吗", turns=(Turn("年假有几天"), Turn("7 天。", role="assistant")))
    made = Contextual(model="chat", template="{chat_history}\nFollow Up Input: {query}").rewrite(
        query, LEAVE, env(server)
    )
    assert sent(server) == ["user: 年假有几天\nassistant: 7 天。\nFollow Up Input: 可以结转吗"]
    assert (made.by, [v.query for v in made.queries]) == ("model", ["年假可以结转几天？"])


def test_the_prompt_of_a_course_filters(server: Server) -> None:
    server.answer = "True"
    server.when("花", "says False")
    search = BM25(variant="lucene") >> LanguageModelJudge(template=COURSE_FILTER)
    found = Runner(LEAVE, models=env(server).models)(search, "年假")
    assert sorted(found.ids) == ["a", "c"]
    assert all("问题: 年假\n上下文: " in text for text in sent(server))


def test_the_prompt_of_a_course_extracts(server: Server) -> None:
    server.answer = "年假须提前申请。"
    server.when("花", "says NO_OUTPUT").when("食堂", "says **年假有 7 天。**")
    search = BM25(variant="lucene") >> ModelExtractor(template=COURSE_EXTRACT)
    found = Runner(LEAVE, models=env(server).models)(search, "年假")
    assert {hit.document.id: hit.document.text for hit in found} == {"a": "年假有 7 天。", "c": "年假须提前申请。"}


def test_an_answer_is_asked_for_under_the_names_of_other_tools() -> None:
    request = ModelAnswer(template="Context: {context}\nQuestion: {query}").request("年假有几天", LEAVE.documents[:1])
    assert "年假有 7 天" in request.text
    assert request.text.endswith("Question: 年假有几天")


def test_a_search_says_before_it_runs_what_it_cannot_do() -> None:
    search = MultiQuery(model="chat", template="reword it")(BM25()) >> LanguageModelJudge(template="{query}")
    assert [str(note) for note in notes(search, {})] == [
        "Multi-query: The prompt lacks {question}: the model is not told them.",
        "Language model judge: No language model is set: every passage stays.",
        "Language model judge: The prompt lacks {document}: the model is not told them.",
    ]
    assert not list(notes(BM25() >> LanguageModelJudge(template=COURSE_FILTER), {"chat": object()}))
