"""The rewrite page as a visitor uses it: wordings, ways to merge, prompts, adapters, a language model that fails."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from models.server import Server
from night import spread
from streamlit.testing.v1 import AppTest

from lab.algebra import Query, Ranking
from lab.corpus import samples
from lab.models.endpoint_chat import EndpointModel
from lab.models.secrets import Secret
from lab.rewrite.base import PromptRewriter, held
from lab.rewrite.domain import DomainVocabulary
from lab.rewrite.feedback import RM3
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.query2doc import Query2Doc
from lab.rewrite.step_back import StepBack
from lab.rewrite.sub_questions import SubQuestions
from lab.ui import components
from lab.ui.layout import page as page_module
from lab.ui.layout.page import Page
from ui.conftest import answered

ROOT = Path(__file__).parents[2]
CANARY = "sk-canary-8203"
MODEL = "small-model"
TECHNIQUES: dict[str, type[PromptRewriter]] = {
    cls.key: cls for cls in (MultiQuery, SubQuestions, StepBack, Query2Doc, HyDE, DomainVocabulary)
}
TITLES = {key: cls().label.split(" · ")[0] for key, cls in TECHNIQUES.items()}
FUNERAL = "奔丧能歇几天"
SHOWN = 8
STORY = "干了快两年，新来的钱比我还多，离职要提前多久？工资怎么结？"


def opened(query: str = FUNERAL, **knobs: str) -> AppTest:
    """The page in English on the handbook; ``knobs`` are those of a link."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in {
        "lang": "en",
        "corpus": knobs.pop("corpus", "handbook"),
        "q": query,
        **{f"rewrite.fold.{name}": "1" for name in ("judged", "export", "prompt.multiquery")},
        **{f"rewrite.{k}": v for k, v in knobs.items()},
    }.items():
        app.query_params[name] = value
    app.switch_page("pages/query/rewrite/page.py")
    return fine(app.run())


def fine(app: AppTest) -> AppTest:
    return answered(app)


def table(app: AppTest, kind: str, by: str = "rule") -> list[dict[str, Any]]:
    """What each wording of a technique did, as it stands on the screen."""
    last = f" · {'rule' if by == 'rule' else MODEL}"
    tab = next(t for t in app.tabs if t.label.startswith(TITLES[kind]) and t.label.endswith(last))
    return [{str(k): v for k, v in row.items()} for row in tab.dataframe[0].value.to_dict("records")]


def wordings(app: AppTest, kind: str, by: str = "rule") -> list[str]:
    return [row["wording"] for row in table(app, kind, by)]


def tabs(app: AppTest) -> list[str]:
    return [t.label for t in app.tabs]


def said(app: AppTest) -> str:
    """Every text on the screen, without the backslashes of Markdown."""
    lists = (
        app.markdown,
        app.caption,
        app.title,
        app.subheader,
        app.info,
        app.warning,
        app.error,
        app.code,
        app.text_area,
        app.text_input,
    )
    return "\n".join(str(x.value) for found in lists for x in found).replace("\\", "")


def press(app: AppTest, key: str) -> AppTest:
    return fine(app.button(key).click().run())


# ------------------------------------------------------------------------------------------------- rules


@pytest.mark.parametrize("kind", spread(TECHNIQUES, 2))
def test_each_technique_shows_its_wordings(kind: str):
    corpus = samples.load("handbook").corpus
    expected = [v.text for v in TECHNIQUES[kind](abstains=False).rewrite(Query(STORY), corpus).queries]
    assert expected, "the rule has something to say about this question"
    app = opened(STORY, techniques=kind, **{f"{kind}.abstains": "0"})
    original = [STORY] if TECHNIQUES[kind].keeps_original else []
    assert wordings(app, kind) == original + expected
    assert len(tabs(app)) == 1
    assert tabs(app)[0].endswith("· rule")


def test_a_rule_that_changes_nothing_says_so():
    app = opened("年假", techniques="subquestions", **{"subquestions.abstains": "0"})
    assert "The rule found nothing to change" in said(app)


def test_a_rule_that_abstains_says_why_with_the_numbers_and_can_be_made_to_work():
    app = opened("病假需要什么证明材料", techniques="multiquery")
    sentence = r"“(.+)” contains (\d+)% of the question's IDF weight.* worth ([\d.]+) words.* (\d+)% is enough"
    told = re.search(sentence, said(app))
    assert told, "the sentence stands where the wordings would"
    found = held("病假需要什么证明材料", samples.load("handbook").corpus)
    assert found.document is not None
    assert told.groups() == (
        found.document.label, f"{100 * found.share:.0f}", f"{found.words:.1f}", f"{65 / math.sqrt(found.words):.0f}"
    )  # fmt: skip
    assert wordings(app, "multiquery") == ["病假需要什么证明材料"]
    fine(app.toggle("rewrite.multiquery.abstains").set_value(False).run())
    assert "The rule leaves" not in said(app)
    assert len(wordings(app, "multiquery")) > 1
    fine(app.toggle("rewrite.multiquery.abstains").set_value(True).run())
    fine(app.slider("rewrite.multiquery.enough").set_value(2.0).run())
    assert len(wordings(app, "multiquery")) > 1
    fine(app.selectbox("rewrite.of").set_value("vector").run())
    assert "searches by meaning, where rules made results worse in our measurements" in said(app)
    assert wordings(app, "multiquery") == ["病假需要什么证明材料"]


ENOUGH = "病假需要什么证明材料"
"""A question from which the rules abstain."""


@pytest.fixture
def lists_drawn(monkeypatch: pytest.MonkeyPatch) -> list[list[dict[str, Any]]]:
    """The lists of every run, as the page hands them to the component."""
    out: list[list[dict[str, Any]]] = []
    draw = components.lists

    def seen(data: dict[str, Any], **more: Any) -> Any:
        out.append(data["lists"])
        return draw(data, **more)

    monkeypatch.setattr(components, "lists", seen)
    return out


def test_one_click_rewrites_this_question_all_the_same_and_one_lets_the_rules_abstain_again():
    app = opened(ENOUGH, techniques="multiquery,stepback")
    assert "Multi-query · rule, Step-back question · rule: The rule leaves the question" in said(app)
    press(app, "rewrite.force")
    assert "The rule leaves the question" not in said(app)
    assert len(wordings(app, "multiquery")) > 1
    assert len(wordings(app, "stepback")) > 1
    assert app.query_params["rewrite.forced"] == ENOUGH, "a link shows the same"
    assert app.toggle("rewrite.multiquery.abstains").value, "the parameter stays as it is"
    app.text_input("q").set_value("年假有几天")
    next(b for b in app.button if b.form_id == "rewrite-ask").click().run()
    assert "The rule leaves the question" in said(fine(app)), "another question is another decision"
    app.text_input("q").set_value(ENOUGH)
    next(b for b in app.button if b.form_id == "rewrite-ask").click().run()
    press(app, "rewrite.unforce")
    assert "The rule leaves the question" in said(app)


def test_a_rule_without_anything_to_go_by_offers_no_click():
    app = opened("年假", techniques="subquestions", **{"subquestions.abstains": "0"})
    assert not [b for b in app.button if b.key == "rewrite.force"]


def test_lists_that_are_copies_are_drawn_once_and_named(lists_drawn: list[list[dict[str, Any]]]):
    opened(ENOUGH, techniques="multiquery,hyde,stepback,query2doc")
    (only,) = lists_drawn[-1]
    for title in ("Multi-query", "Hypothetical documents", "Step-back question", "Query as document"):
        assert f"{title} · rule" in only["below"]
    assert only["below"].startswith("The same list: ")


@pytest.mark.nightly
def test_of_more_than_three_lists_the_visitor_chooses_three(lists_drawn: list[list[dict[str, Any]]]):
    app = opened(ENOUGH, techniques="multiquery,hyde,stepback,query2doc", forced=ENOUGH)
    assert [column["title"] for column in lists_drawn[-1]] == [
        "BM25",
        "Multi-query · rule",
        "Hypothetical documents · rule",
    ]
    chooser = app.multiselect("rewrite.lists")
    assert len(chooser.options) == 5
    fine(chooser.set_value(["0", "3", "4"]).run())
    names = ["BM25", "Step-back question · rule", "Query as document · rule"]
    assert [column["title"] for column in lists_drawn[-1]] == names
    fine(app.multiselect("rewrite.lists").set_value(["0", "1", "2", "3"]).run())
    assert len(lists_drawn[-1]) == 3
    fine(app.multiselect("rewrite.lists").set_value([]).run())
    assert len(lists_drawn[-1]) == 3


def test_several_techniques_stand_side_by_side():
    app = opened(techniques="multiquery,hyde,stepback")
    assert [t.split(" · ")[0] for t in tabs(app)] == ["Multi-query", "Hypothetical documents", "Step-back question"]


def test_no_technique_and_no_question_are_asked_for():
    app = opened()
    fine(app.multiselect("rewrite.techniques").set_value([]).run())
    assert "Choose a technique" in said(app)
    assert app.query_params["corpus"] == "handbook", "the experiment is in the address all the same"
    app.text_input("q").set_value("  ")
    next(b for b in app.button if b.form_id == "rewrite-ask").click().run()
    assert "The query is empty" in said(fine(app))


def test_a_number_of_wordings_is_a_limit():
    app = opened(techniques="multiquery", **{"multiquery.n": "1"})
    assert len(wordings(app, "multiquery")) == 1 + 1


def test_best_score_and_rrf_merge_the_same_wordings_into_other_lists(monkeypatch: pytest.MonkeyPatch):
    lists, end = dict[str, Ranking](), Page.end
    monkeypatch.setattr(Page, "end", lambda p, searches, found, *rest: lists.update(found) or end(p, searches, found))

    def merged() -> list[str]:
        (ranking,) = (r for name, r in lists.items() if name.startswith("Multi-query"))
        return [hit.document.title for hit in ranking.hits[:SHOWN]]

    app = opened(techniques="multiquery")
    asked = wordings(app, "multiquery")
    assert "丧假规定" in merged()[:3]
    fine(app.selectbox("rewrite.merge").set_value("bestscore").run())
    assert wordings(app, "multiquery") == asked
    assert "丧假规定" not in merged()[:3], "a longer wording has higher scores"
    assert app.query_params["rewrite.merge"] == "bestscore"


def test_the_wordings_lie_on_a_map_where_vectors_search():
    assert not [x for x in opened(techniques="hyde").expander if x.label == "On the map"]
    assert [x for x in opened(techniques="hyde", of="vector").expander if x.label == "On the map"]


@pytest.mark.nightly
def test_recall_over_all_questions_is_measured_on_demand():
    app = opened(techniques="domainvocabulary")
    assert not [d for d in app.dataframe if "change" in d.value]
    press(app, "rewrite.measure")
    (figures,) = [d.value for d in app.dataframe if "change" in d.value]
    everything = figures[figures["kind"] == "all"].iloc[0]
    assert everything["before"] == pytest.approx(everything["after"], abs=0.02)
    assert 0 < everything["before"] < 1


def measured(app: AppTest) -> list[list[Any]]:
    """The figures over all questions that stand on the screen; nothing where none do."""
    return [list(row) for d in app.dataframe if "change" in d.value for row in d.value.to_numpy().tolist()]


@pytest.mark.nightly
def test_figures_stand_under_the_settings_that_they_were_measured_with_and_no_others():
    app = press(opened(techniques="domainvocabulary"), "rewrite.measure")
    told = measured(app)
    assert told
    assert measured(fine(app.run())) == told, "drawing the page again takes nothing away"

    fine(app.selectbox("corpus").set_value("devices").run())
    assert not measured(app), "these are questions of another corpus"
    fine(app.selectbox("corpus").set_value("handbook").run())
    assert measured(app) == told

    fine(app.multiselect("rewrite.techniques").set_value(["domainvocabulary", "subquestions"]).run())
    assert not measured(app)
    press(app, "rewrite.measure")
    assert {row[0] for row in measured(app)} == {"Domain vocabulary · Education", "Sub-questions"}
    for key, value in (("rewrite.of", "tfidf"), ("rewrite.domainvocabulary.adapter", "law")):
        fine(app.selectbox(key).set_value(value).run())
        assert not measured(app), key
    fine(app.selectbox("rewrite.merge").set_value("bestscore").run())
    assert not measured(app)


# ---------------------------------------------------------------------------------------------- feedback


def charts_of(app: AppTest, key: str) -> list[dict[str, Any]]:
    """The figures on the screen whose key begins so, as dictionaries."""
    found = app.get("plotly_chart")
    return [json.loads(c.proto.spec) for c in found if f"-{key}" in c.proto.id]


def bars(app: AppTest, technique: str) -> dict[str, float]:
    """The words of the new question with their weights, as they are drawn."""
    (figure,) = charts_of(app, f"rewrite.weights.{technique}")
    (rows,) = figure["data"]
    return dict(zip(rows["y"], rows["x"], strict=True))


def test_the_words_that_feedback_adds_stand_as_bars_with_their_weights():
    query = next(q for q in samples.load("handbook").queries if q.text.startswith("I forgot my password"))
    (made,) = RM3().rewrite(query, samples.load("handbook").corpus).queries
    app = opened(query.text, techniques="rm3")
    assert tabs(app) == ["RM3 feedback"], "nobody writes it but the rule"
    assert "language model" not in said(app), "nor could a model"
    drawn = bars(app, "rm3")
    assert len(drawn) == len(made.weights)
    assert drawn["服务台"] == pytest.approx(dict(made.weights)["服务台"])
    assert drawn["the question, each word"] == pytest.approx(made.weights[0][1])
    (row,) = [{str(k): v for k, v in r.items()} for r in app.tabs[0].dataframe[0].value.to_dict("records")]
    assert "忘记密码的自助重置" in row["only"]
    reached = (2 / math.log2(6)) / (2 / math.log2(2) + 1 / math.log2(3))
    assert f"nDCG@10 of this question: 0.000 → {reached:.3f}." in said(app), "the answer is fifth"


def test_a_question_of_one_word_and_the_same_word_added_are_two_bars():
    app = opened("screen", corpus="devices", techniques="rocchio", **{"rocchio.more": "dv-088"})
    drawn = bars(app, "rocchio")
    assert drawn["the question, each word"] == 1.0
    assert 0 < drawn["screen"] < 1


def test_feedback_that_finds_nothing_to_learn_from_says_so():
    app = opened("xylophone solos", techniques="rm3,rocchio")
    assert "there are no words to add" in said(app)
    assert "No passage of this corpus is marked yet." in said(app)
    assert "Press + or − on a card" in said(app)
    assert not charts_of(app, "rewrite.weights")


@pytest.fixture
def buttons(monkeypatch: pytest.MonkeyPatch) -> None:
    """The buttons of the cards as buttons that a test can press."""

    def lists(data: dict[str, Any], *, key: str, voted: Any = None, **more: Any) -> None:
        for hit in data["lists"][0]["hits"]:
            for kind, vote in data["votes"].items():
                sign = f"[{vote['sign']}]" if hit["id"] in vote["ids"] else vote["sign"]
                st.button(sign, key=f"{kind}.{hit['id']}", on_click=voted, args=(hit["id"], kind))

    monkeypatch.setattr(components, "lists", lists)


@pytest.mark.usefixtures("buttons")
def test_a_click_marks_a_passage_a_second_one_takes_it_away_and_all_can_be_cleared():
    app = opened("screen", corpus="devices", techniques="rocchio")
    assert not charts_of(app, "rewrite.weights")
    press(app, "more.dv-088")
    press(app, "less.dv-047")
    assert app.query_params["rewrite.rocchio.more"] == "dv-088"
    assert app.query_params["rewrite.rocchio.less"] == "dv-047"
    drawn = bars(app, "rocchio")
    assert drawn["books"] > 0 > drawn["lock"]
    assert app.button("more.dv-088").label == "[+]"
    press(app, "less.dv-088")
    assert "rewrite.rocchio.more" not in app.query_params, "nothing is good and bad"
    assert app.query_params["rewrite.rocchio.less"] == "dv-047,dv-088"
    press(app, "less.dv-088")
    assert app.query_params["rewrite.rocchio.less"] == "dv-047"
    press(app, "rewrite.clear")
    assert "rewrite.rocchio.less" not in app.query_params
    assert not charts_of(app, "rewrite.weights")


@pytest.mark.usefixtures("buttons")
def test_there_is_nothing_to_mark_where_nobody_learns_from_marks():
    assert not [b for b in opened(techniques="rm3").button if str(b.key).startswith("more.")]


def test_marks_of_another_corpus_do_not_count_and_come_back_with_it():
    app = opened("screen", corpus="devices", techniques="rocchio", **{"rocchio.more": "dv-088,nonsense"})
    assert bars(app, "rocchio")
    fine(app.selectbox("corpus").set_value("handbook").run())
    assert "No passage of this corpus is marked yet." in said(app)
    fine(app.selectbox("corpus").set_value("devices").run())
    assert bars(app, "rocchio")


@pytest.mark.nightly
def test_marks_are_about_one_question_and_not_measured_over_all():
    app = opened("screen", corpus="devices", techniques="rocchio", **{"rocchio.more": "dv-088"})
    assert "rewrite.measure" not in [b.key for b in app.button]
    app = opened("screen", corpus="devices", techniques="rocchio,rm3")
    assert {row[0] for row in measured(press(app, "rewrite.measure"))} == {"RM3 feedback"}


def test_an_embedder_that_takes_no_weights_leaves_the_other_techniques():
    app = opened(techniques="rm3,multiquery", of="vector-lsa")
    assert "words cannot have weights" in said(app)
    assert [t.split(" · ")[0] for t in tabs(app)] == ["Multi-query"]
    alone = opened(techniques="rm3", of="vector-lsa")
    assert "words cannot have weights" in said(alone)
    assert not tabs(alone)


# ---------------------------------------------------------------------------------------------- adapters


def add(app: AppTest, name: str, words: str) -> AppTest:
    app.text_input("rewrite.adapter.name").set_value(name)
    fine(app.text_area("rewrite.adapter.words").set_value(words).run())
    return press(app, "rewrite.adapter.add")


def test_an_industry_of_ones_own_is_added_and_used():
    app = add(opened(techniques="domainvocabulary"), "House words", "奔丧 = 年休假")
    assert "House words" in app.selectbox("rewrite.domainvocabulary.adapter").options
    assert "nothing to change" in said(app), "education knows no funeral"
    fine(app.selectbox("rewrite.domainvocabulary.adapter").set_value("House words").run())
    assert len(wordings(app, "domainvocabulary")) == 2
    assert "年休假" in wordings(app, "domainvocabulary")[1]
    assert "年休假管理规定" in "\n".join(row["brought"] for row in table(app, "domainvocabulary"))


def test_an_industry_that_cannot_be_read_says_why():
    app = add(opened(techniques="domainvocabulary"), "Broken", "name = 3\n[terms")
    assert "This is not a domain vocabulary" in said(app)
    assert "Broken" not in app.selectbox("rewrite.domainvocabulary.adapter").options


# ------------------------------------------------------------------------------------------------- model


@pytest.fixture
def server() -> Iterator[Server]:
    with Server("1. 丧假有几天\n2. 亲人去世怎么请假") as running:
        yield running


def with_model(server: Server, app: AppTest, *, key: str = "") -> AppTest:
    app.session_state["_language_model"] = EndpointModel(MODEL, server.url, secret=Secret(key), retries=0)
    return fine(app.run())


def test_a_models_wordings_stand_beside_the_rules(server: Server):
    app = opened(techniques="multiquery")
    alone = wordings(app, "multiquery")
    with_model(server, app)
    assert tabs(app) == ["Multi-query · rule", "Multi-query · small-model"]
    assert wordings(app, "multiquery") == alone
    assert wordings(app, "multiquery", "model") == [FUNERAL, "丧假有几天", "亲人去世怎么请假"]
    assert "12 + 5 tokens" in said(app)
    asked = len(server.requests)
    fine(app.run())
    assert len(server.requests) == asked, "an answer is remembered"


def test_every_technique_takes_a_models_answer(server: Server):
    app = with_model(server, opened(techniques=",".join(TECHNIQUES)))
    assert not app.error
    assert len(tabs(app)) == 2 * len(TECHNIQUES)
    assert len(wordings(app, "hyde", "model")) == 1 + 1, "the same passage from three sides is one"
    assert len([r for r in server.requests if "丧" in r["messages"][-1]["content"]]) == len(TECHNIQUES) + 2, (
        "hypothetical documents ask three times"
    )


def test_a_model_that_repeats_the_question_is_not_a_rule_that_found_nothing(server: Server):
    server.answer = FUNERAL
    app = with_model(server, opened(techniques="multiquery"))
    assert wordings(app, "multiquery", "model") == [FUNERAL]
    assert "The model repeats the question." in said(app)
    assert "The rule found nothing to change" not in said(app)


def test_one_technique_that_fails_takes_nothing_from_the_others(server: Server):
    server.when("拆成", "400")
    app = with_model(server, opened(techniques="multiquery,subquestions"))
    assert tabs(app) == ["Multi-query · rule", "Multi-query · small-model", "Sub-questions · rule"]
    assert len(app.error) == 1
    assert wordings(app, "multiquery", "model")[1:] == ["丧假有几天", "亲人去世怎么请假"]


def test_an_answer_that_cannot_be_read_is_shown_with_what_was_expected(server: Server):
    server.answer = "***"
    app = with_model(server, opened(techniques="multiquery"))
    (error,) = app.error
    assert "Expected" in error.value
    assert "up to 4 lines" in error.value
    assert "***" in [c.value for c in app.code]
    assert tabs(app) == ["Multi-query · rule"]
    assert len(wordings(app, "multiquery")) > 1


@pytest.mark.parametrize(
    ("behaviour", "words"),
    spread(
        [
            ("401", "does not accept the key"),
            ("404", "small-model"),
            ("500", "500"),
            ("choiceless", "answer"),
            ("truncated", "server"),
        ],
        2,
    ),
)
def test_a_model_that_fails_leaves_the_rule(server: Server, behaviour: str, words: str):
    server.then(behaviour)
    app = with_model(server, opened(techniques="multiquery"), key=CANARY)
    (error,) = app.error
    assert words in error.value.replace("\\", "")
    assert "The rule's result is shown below." in said(app)
    assert tabs(app) == ["Multi-query · rule"]
    assert len(wordings(app, "multiquery")) > 1
    assert CANARY not in everything(app)


def everything(app: AppTest) -> str:
    """Every element of the page as it goes to the browser, the address, and the exported code."""
    elements = [*app.main, *app.sidebar]
    return "\n".join(
        [
            said(app),
            repr(app.main),
            repr(app.sidebar),
            str(dict(app.query_params)),
            *(str(getattr(e, "proto", "")) for e in elements),
        ]
    )


def test_a_key_appears_nowhere(server: Server):
    app = with_model(server, opened(techniques="multiquery,hyde", merge="bestscore"), key=CANARY)
    assert any(CANARY in r["key"] for r in server.requests), "the server was given it"
    assert any("searches = {" in c.value for c in app.code), "the exported code is among what is looked at"
    assert "small-model" in everything(app)
    assert CANARY not in everything(app)


def prompt(app: AppTest, kind: str = "Multi-query") -> Any:
    return app.text_area(f"rewrite.prompt.{kind}.zh")


def test_a_prompt_is_changed_sent_and_restored(server: Server):
    app = with_model(server, opened(techniques="multiquery"))
    original = prompt(app).value
    assert "{question}" in original
    fine(prompt(app).set_value("换个说法：{question}").run())
    assert prompt(app).value == "换个说法：{question}", "what was typed stays when the page is drawn again"
    before = len(server.requests)
    press(app, "rewrite.prompt.use.multiquery")
    assert [r["messages"][-1]["content"] for r in server.requests[before:]] == [f"换个说法：{FUNERAL}"]
    assert prompt(fine(app.run())).value == "换个说法：{question}"
    press(app, "rewrite.prompt.back.multiquery")
    assert prompt(app).value == original
    assert len(server.requests) == before + 1, "the answer to the original prompt is remembered"
    assert not [b for b in app.button if b.key == "rewrite.prompt.back.multiquery"]


def test_a_prompt_can_be_changed_without_a_model():
    app = opened(techniques="multiquery")
    alone = wordings(app, "multiquery")
    prompt(app).set_value("改写：{question}")
    press(app, "rewrite.prompt.use.multiquery")
    assert prompt(app).value == "改写：{question}"
    assert wordings(app, "multiquery") == alone, "a rule needs no prompt"
    assert "改写：{question}" in said(app)


def test_the_writing_of_a_model_can_be_stopped_and_leaves_the_rule(server: Server):
    server.then("holds")
    app = opened(techniques="multiquery,hyde")
    app.session_state["_language_model"] = EndpointModel(MODEL, server.url, retries=0)
    press(app.run(), "llm.stop")
    assert "Stopped." in said(app)
    assert tabs(app) == ["Multi-query · rule", "Hypothetical documents · rule"]
    fine(app.number_input("rewrite.k").set_value(5).run())
    assert "Stopped." in said(app), "it is not begun again by itself"
    assert len(server.requests) <= 4
    server.release.set()
    press(app, "llm.go_on")
    assert len(tabs(app)) == 4
    assert len(server.requests) == 4, "what was with the model when it was stopped is not asked again"


@pytest.mark.nightly
def test_a_failure_is_not_asked_again_until_somebody_wants_it(server: Server):
    server.then("500")
    app = with_model(server, opened(techniques="multiquery,hyde"))
    assert "Missing answers of the language model: 4 of 4." in said(app)
    assert len(server.requests) == 4
    fine(app.number_input("rewrite.k").set_value(5).run())
    assert len(server.requests) == 4
    server.then("answer")
    press(app, "llm.again")
    assert len(server.requests) == 8
    assert len(tabs(app)) == 4
    assert not [b for b in app.button if b.key == "llm.again"]


@pytest.mark.nightly
def test_another_model_is_asked_the_same(server: Server):
    app = with_model(server, opened(techniques="multiquery"))
    app.session_state["_language_model"] = EndpointModel("another", server.url, retries=0)
    fine(app.run())
    assert [r["model"] for r in server.requests] == [MODEL, "another"]
    assert tabs(app) == ["Multi-query · rule", "Multi-query · another"]


@pytest.mark.nightly
def test_an_answer_that_nobody_can_read_can_be_asked_for_again_and_no_other_is(server: Server):
    server.answer = "***"
    app = with_model(server, opened(techniques="multiquery"))
    server.answer = "丧假有几天"
    fine(app.multiselect("rewrite.techniques").set_value(["multiquery", "stepback"]).run())
    assert tabs(app) == ["Multi-query · rule", "Step-back question · rule", "Step-back question · small-model"]
    assert "Missing answers of the language model: 1 of 2." in said(app)
    assert len(server.requests) == 2
    press(app, "llm.again")
    assert len(server.requests) == 3
    assert wordings(app, "multiquery", "model") == [FUNERAL, "丧假有几天"]


def test_after_its_work_a_runner_tells_nobody_how_far_it_is(monkeypatch: pytest.MonkeyPatch):
    runners = []
    end = page_module.Page.end
    monkeypatch.setattr(page_module.Page, "end", lambda p, *a, **n: (runners.append(p.runner), end(p, *a, **n)))
    opened()
    assert runners
    assert all(r.progress is None for r in runners)  # a bar that is gone must not be drawn again
