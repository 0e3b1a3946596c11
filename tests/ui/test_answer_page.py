"""The page of answers: what is cited stands in its passage, what is kept is kept, and nothing is claimed falsely."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from models.scripted import ScriptedModel
from models.server import Server
from night import spread
from streamlit.testing.v1 import AppTest

from lab import formats
from lab.answer.searched import presets
from lab.corpus import samples
from lab.errors import ModelError
from lab.models.endpoint_chat import EndpointModel
from lab.ui import components
from lab.words import Said
from pages.whole.answer import answering
from ui.conftest import answered

ROOT = Path(__file__).parents[2]
ASKED = {"en": "How long does the filter of the RV-450S dry?", "zh": "护理假多少天，生育津贴由谁支付"}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the page has drawn of answers, the last run last."""
    out: list[dict[str, Any]] = []

    def noted(data: dict[str, Any], **how: Any) -> None:
        json.dumps(data)
        out.append(data)

    monkeypatch.setattr(components, "answers", noted)
    return out


def opened(model: Any = None, **params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", "corpus": "handbook", **params}.items():
        app.query_params[key] = value
    if model is not None:
        app.session_state["_language_model"] = model
    app.switch_page("pages/whole/answer/page.py")
    return answered(app.run())


def text_of(app: AppTest) -> str:
    every = (app.markdown, app.caption, app.subheader, app.info, app.error, app.warning)
    return "\n".join(str(x.value) for own in every for x in own).replace("\\", "")


def said(column: dict[str, Any]) -> list[str]:
    return ["".join(piece[0] for piece in sentence["text"]) for sentence in column["sentences"]]


@pytest.mark.parametrize("lang", spread(["en", "zh"], 1))
def test_every_sentence_stands_in_the_passage_that_its_source_opens(drawn: list[dict[str, Any]], lang: str) -> None:
    corpus = samples.load("handbook").corpus
    app = opened(q=ASKED["zh"], lang=lang)
    (column,) = drawn[-1]["answers"]
    texts = [d.content for d in corpus]
    assert said(column)
    for sentence, text in zip(column["sentences"], said(column), strict=True):
        assert any(text in content for content in texts)
        assert sentence["sources"]
        first = sentence["sources"][0]["at"]
        again = opened(q=ASKED["zh"], lang=lang, **{"answer.at": first})
        assert drawn[-1]["at"] == first
        assert any(str(sentence["sources"][0]["n"]) in str(c.value) for c in again.caption)
    assert not app.exception


def test_where_the_passages_do_not_say_there_is_a_reason_and_no_strip(drawn: list[dict[str, Any]]) -> None:
    opened(q="员工持股计划的行权价是多少")
    (column,) = drawn[-1]["answers"]
    assert "行权价" in column["banner"]
    assert "does not answer" in column["banner"]
    assert not column["strip"]
    assert len(column["sentences"]) == 1


def test_a_question_without_words_ends_the_page_with_what_to_do() -> None:
    app = opened(q=" ")
    assert not app.exception


def test_two_searches_stand_side_by_side_each_with_its_passages(drawn: list[dict[str, Any]]) -> None:
    opened(q=ASKED["zh"], **{"answer.beside": "search", "answer.other": "bm25"})
    one, other = drawn[-1]["answers"]
    assert "best" in one["title"]
    assert "BM25" in other["title"]


def test_two_orders_of_one_context_say_the_same_from_other_places(drawn: list[dict[str, Any]]) -> None:
    opened(q=ASKED["zh"], **{"answer.beside": "order", "answer.order": "long-context"})
    one, other = drawn[-1]["answers"]
    assert sorted(said(one)) == sorted(said(other))
    assert [s["n"] for x in one["sentences"] for s in x["sources"]] != [
        s["n"] for x in other["sentences"] for s in x["sources"]
    ]


def test_a_text_of_ones_own_is_held_against_the_same_passages(drawn: list[dict[str, Any]]) -> None:
    opened(q="配偶生育，男员工护理假多少天", **{"answer.text": "护理假期间工资照发。公司在月球上设有办事处。"})
    column = drawn[-1]["answers"][-1]
    assert said(column) == ["护理假期间工资照发。", "公司在月球上设有办事处。"]
    good, bad = column["sentences"]
    assert good["state"] == "held"
    assert good["sources"]
    assert bad["state"] == "none"
    assert bad["note"] == "no source"
    assert bad["sources"] == []


def test_where_nothing_is_found_the_page_says_so_and_a_text_of_ones_own_has_no_source(
    drawn: list[dict[str, Any]],
) -> None:
    opened(q="zzzz qqqq", **{"answer.search": "bm25", "answer.text": "Water boils at 100 degrees."})
    plain, own = drawn[-1]["answers"]
    assert plain["banner"] == "There are no passages."
    assert plain["sentences"] == []
    assert [s["state"] for s in own["sentences"]] == ["none"]


def test_a_text_of_ones_own_is_no_markup(drawn: list[dict[str, Any]]) -> None:
    evil = "<img src=x onerror=alert(1)> $x^2$ :material/home: [a](javascript:1)"
    app = opened(q="护理假", **{"answer.text": evil})
    assert said(drawn[-1]["answers"][-1])[0] in evil
    assert not app.exception


# --------------------------------------------------------------------------------------------- the model


def waited(app: AppTest) -> AppTest:
    """The page when nothing is being written any more."""
    end = time.monotonic() + 30
    while any(b.key and b.key.endswith(".stop") for b in app.button) and time.monotonic() < end:
        time.sleep(0.1)
        app.run()
    return answered(app)


def press(app: AppTest, key: str) -> AppTest:
    next(b for b in app.button if b.key == key).click()
    return waited(app.run())


def test_no_model_is_asked_until_a_click_and_its_answer_stands_beside_the_sentences(
    drawn: list[dict[str, Any]],
) -> None:
    model = ScriptedModel((("", "护理假期间工资照发。公司在月球上设有办事处。"),))
    app = opened(model, q="配偶生育，男员工护理假多少天")
    assert len(drawn[-1]["answers"]) == 1
    press(app, "answer.ask.a")
    plain, own = drawn[-1]["answers"]
    assert said(plain)
    assert said(own) == ["护理假期间工资照发。", "公司在月球上设有办事处。"]
    assert [s["state"] for s in own["sentences"]] == ["held", "none"]


def test_an_answer_that_broke_off_is_shown_and_said_not_to_be_whole(drawn: list[dict[str, Any]]) -> None:
    with Server() as server:
        server.events = 'data: {"choices":[{"index":0,"delta":{"content":"护理假期间工"}}]}\n\n'.encode()
        app = opened(EndpointModel("m", server.then("events closes").url), q="配偶生育，男员工护理假多少天")
        press(app, "answer.ask.a")
    own = drawn[-1]["answers"][1]
    assert said(own) == ["护理假期间工"]
    assert own["banner"] == "The answer is incomplete: it broke off. Ask again for the complete answer."


@pytest.mark.nightly
def test_asked_again_the_model_is_really_asked(drawn: list[dict[str, Any]]) -> None:
    with Server("护理假期间工资照发。\n") as server:
        app = opened(EndpointModel("m", server.url), q="配偶生育，男员工护理假多少天")
        press(app, "answer.ask.a")
        assert said(drawn[-1]["answers"][1]) == ["护理假期间工资照发。"]
        server.answer = "护理假 15 天。\n"
        app.run()
        assert len(server.requests) == 1, "a page that is drawn again asks nobody"
        press(app, "answer.ask.a")
        assert len(server.requests) == 2
        assert said(drawn[-1]["answers"][1]) == ["护理假 15 天。"]


def test_a_model_that_finds_nothing_is_said_to_find_nothing(drawn: list[dict[str, Any]]) -> None:
    app = opened(ScriptedModel((("", "资料没有说明。"),)), q="配偶生育，男员工护理假多少天")
    press(app, "answer.ask.a")
    own = drawn[-1]["answers"][1]
    assert own["banner"] == "The model finds no answer in these passages."
    assert not own["strip"]


def test_a_model_that_fails_leaves_the_sentences_and_says_why(drawn: list[dict[str, Any]]) -> None:
    app = opened(ScriptedModel((("", ModelError(Said("It broke."), Said("Mend it."))),)), q="护理假多少天")
    press(app, "answer.ask.a")
    assert len(drawn[-1]["answers"]) == 1
    assert "It broke." in text_of(app)
    assert "The answer with the passages' own sentences is still shown." in text_of(app)


def test_the_model_checks_the_sentences_where_that_is_wanted_and_the_rule_stands_where_it_cannot_be_read(
    drawn: list[dict[str, Any]],
) -> None:
    verdict = '{"sentences": [{"number": 1, "support": "none", "reason": "says otherwise"}]}'
    link = {"q": "配偶生育，男员工护理假多少天", "answer.text": "护理假期间工资照发。", "answer.checked": "1"}
    for said, sign in ((verdict, "✕"), ("yes, all fine", "✓")):
        app = opened(ScriptedModel((("", said),)), **link)
        press_where_offered(app, "llm.ask")
        own = drawn[-1]["answers"][-1]
        assert own["sentences"][0]["sign"] == sign
        assert ("did not check" in own["banner"]) == (sign == "✓")


def press_where_offered(app: AppTest, key: str) -> None:
    """A click on this button, where the page has it."""
    if any(b.key == key for b in app.button):
        press(app, key)
    else:
        waited(app)


@pytest.mark.nightly
def test_three_megabytes_of_an_answer_are_drawn_up_to_a_limit(drawn: list[dict[str, Any]]) -> None:
    app = opened(ScriptedModel((("", "护理假 15 天。" * 300_000),)), q="护理假多少天")
    press(app, "answer.ask.a")
    own = drawn[-1]["answers"][1]
    assert len("".join(said(own))) <= answering.LONGEST
    assert "2,700,000" in own["banner"]


# ------------------------------------------------------------------------------------- what a click changes


def test_a_good_answer_grades_the_passages_that_it_rests_on(drawn: list[dict[str, Any]]) -> None:
    app = opened(q=ASKED["zh"])
    press(app, "answer.thumb_up.a")
    assert "Graded “helps" in text_of(app) or "Graded “answers" in text_of(app)
    press(app, "answer.thumb_up.a")
    assert "Graded" not in text_of(app)


def test_the_prompt_is_shown_whole_and_a_changed_one_is_kept_in_the_link() -> None:
    app = opened(q="护理假多少天", **{"answer.fold.prompt": "1"})
    assert any("### 问题" in str(c.value) for c in app.code)
    area = next(x for x in app.text_area if x.key == "answer.own")
    area.set_value("Only {question}").run()
    assert app.query_params["answer.template"] == "Only {question}"
    assert any("{passages}" in str(w.value).replace("\\", "") for w in app.warning)
    assert any(str(c.value) == "Only 护理假多少天" for c in app.code)


@pytest.mark.nightly
def test_a_ready_prompt_is_taken_in_the_language_of_the_question_and_tells_what_the_search_lacks() -> None:
    app = opened(q="护理假多少天", **{"answer.fold.prompt": "1", "answer.search": "bm25"})
    app.selectbox("answer.preset").set_value("parts").run()
    answered(app)
    wanted = presets()["parts"].template["zh"]
    assert app.query_params["answer.template"] == wanted
    assert next(x for x in app.text_area if x.key == "answer.own").value == wanted
    assert any("### 子问题\n–" in str(c.value) for c in app.code), "BM25 alone has no wordings"
    assert "This search has nothing for: the rewrites that were searched ({wordings})." in text_of(app)
    assert app.selectbox("answer.preset").value == "parts"
    app.selectbox("answer.preset").set_value("").run()
    answered(app)
    assert "answer.template" not in app.query_params
    assert "This search has nothing for" not in text_of(app)
    next(x for x in app.text_area if x.key == "answer.own").set_value("Only {passages} {question}").run()
    assert app.selectbox("answer.preset").value == "own"


def test_rounds_say_what_was_searched_and_why_they_ended() -> None:
    app = opened(q=ASKED["zh"], **{"answer.again": "1", "answer.context.most": "1", "answer.search": "bm25"})
    told = text_of(app)
    assert "Round by round" in told
    assert "the question" in told
    assert "by the rule" in told
    assert "stop_circle" in told


def test_answers_can_be_taken_along() -> None:
    app = opened(q=ASKED["zh"], **{"answer.fold.take": "1"})
    assert not app.exception


def test_a_passage_that_is_not_cited_can_be_opened_and_is_not_said_to_carry_anything() -> None:
    app = opened(q="配偶生育，男员工护理假多少天", **{"answer.at": "a/0/3"})
    told = text_of(app)
    assert "Passage 4, nearest sentence marked" in told
    assert told.count("[4]: ") == 2
    assert told.count("not cited: another passage is more similar") == 2


@pytest.mark.nightly
def test_a_place_in_a_link_that_is_none_is_the_best_sentence(drawn: list[dict[str, Any]]) -> None:
    for at in ("a/99", "x/0", "a/0/99", "a/-1", "a", "/", "a/٣", "t/0"):
        opened(q="配偶生育，男员工护理假多少天", **{"answer.at": at})
        assert drawn[-1]["at"] == "a/0"


def test_the_turns_before_are_in_the_prompt_and_in_the_search() -> None:
    app = opened(
        q="And on a bank holiday?",
        **{
            "answer.turns": "When does the canteen open?\n\n  What about  Fridays? ",
            "answer.template": "{history}\n{passages}\n{question}",
            "answer.fold.prompt": "1",
            "answer.search": "integration",
        },
    )
    assert not app.exception
    assert "user: When does the canteen open?\nuser: What about Fridays?" in app.code[-1].value
    assert "This search has nothing for" not in text_of(app)
    app.text_area("answer.turns").set_value("").run()
    assert "the turns before ({history})" in text_of(app)


@pytest.mark.parametrize(
    ("asked", "before"), spread([("How long is parental leave?", 3), ("When does it open?", 1)], 1)
)
def test_the_turns_of_the_dialogue_are_taken_up_to_the_question(asked: str, before: int) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    said = ["Where is the canteen?", "When does it open?", "And on Fridays?"]
    for key, value in {"lang": "en", "corpus": "handbook", "dialogue.said": json.dumps(said), "q": asked}.items():
        app.query_params[key] = value
    app.switch_page("pages/query/dialogue/page.py")
    app.run()
    app.switch_page("pages/whole/answer/page.py")
    answered(app.run())
    app.button("answer.turns.take").click().run()
    assert app.text_area("answer.turns").value == "\n".join(said[:before])


def test_no_turns_are_offered_before_there_is_a_conversation() -> None:
    app = opened()
    assert "answer.turns.take" not in [button.key for button in app.button]


def test_a_step_without_its_model_is_said() -> None:
    text = formats.to_link(formats.read("BM25() % 5 >> LanguageModelJudge()"))
    app = opened(**{"answer.searches": text, "answer.search": text})
    assert "No language model is set: every passage stays." in text_of(app)


@pytest.mark.parametrize(
    ("question", "words"), [("What is music?", "about “music”"), ("What is gravity?", "Which of these did you mean?")]
)
def test_a_question_for_a_meaning_that_nothing_gives_is_asked_back(question: str, words: str) -> None:
    app = opened(corpus="staff", q=question)
    texts = "\n".join(x.value for x in app.markdown)
    assert words in texts
    assert texts.count("(score ") == 3
    offered = [b for b in app.button if str(b.key).startswith("answer.instead.")]
    if offered:
        first = offered[0].label
        app = offered[0].click().run()
        assert app.text_input(key="q").value == first


def test_an_outdated_source_has_a_warning_below_the_answer() -> None:
    app = opened(corpus="staff", q="How many days of annual leave did staff have in 2022?")
    assert any("Replaced by “Annual leave" in x.value for x in app.warning)
    app = opened(corpus="staff", q="What can I claim for jury service?")
    assert not any("Replaced by" in x.value for x in app.warning)
