"""A model or a rule as rater on the page Judge: only after a click, kept apart from people, measured against them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from models.server import Server
from streamlit.testing.v1 import AppTest

from lab.corpus import samples
from lab.evaluate.judging import AUTOMATIC, Judgments
from lab.formats import read, to_link
from lab.models.endpoint_chat import EndpointModel
from lab.ui.layout import export, frame
from lab.ui.people.visitor import Visitor
from ui.conftest import answered

ROOT = Path(__file__).parents[2]
QUESTION = "battery empty in the morning"


@pytest.fixture
def visitor(monkeypatch: pytest.MonkeyPatch) -> Visitor:
    found = Visitor("token")
    monkeypatch.setattr(frame, "visitor", lambda: found)
    return found


def page(
    model: EndpointModel | None = None,
    name: str = "judge",
    given: Mapping[str, str] = MappingProxyType({}),
    **params: str,
) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in given.items():
        app.session_state[key] = value
    link = {"lang": "en", "corpus": "devices", "q": QUESTION, "judge.searches": "bm25,vector", "judge.k": "3"}
    for key, value in {**link, "judge.fold.rater": "1", **params}.items():
        app.query_params[key] = value
    app.session_state["_language_model"] = model
    app.switch_page(f"pages/whole/{name}/page.py")
    return app.run()


def texts(app: AppTest) -> str:
    assert not app.exception
    return "\n".join(x.value for x in (*app.markdown, *app.caption, *app.info)).replace("\\", "")


def judged(visitor: Visitor) -> Judgments:
    return visitor.store(frame.JUDGMENTS).get("all", Judgments())


def table(app: AppTest, column: str) -> Any:
    return next(d.value for d in app.dataframe if column in d.value)


def test_the_rule_grades_what_people_have_judged_and_is_compared_with_them(visitor: Visitor) -> None:
    app = page(**{"judge.pairs": "judged", "judge.most": "120"})
    assert "Pairs without a grade by Word coverage (rule): 120 of 120." in texts(app)
    assert not judged(visitor), "nothing is graded before the click"
    app.button("judge.rate.start").click().run()
    assert not app.error
    said = texts(app)
    assert "Every pair of this choice has a grade by Word coverage (rule): 120." in said
    assert "Word coverage (rule) is too strict; its grades are lower" in said
    assert "kappa is" in said
    assert "Kendall's tau of the two orders" in said or "Kendall's tau is not defined" in said
    assert table(app, "kappa")["people"].sum() == 120
    assert set(table(app, "search").columns) == {"search", "people", "rater"}
    assert len(judged(visitor).automatic) == 120
    assert not judged(visitor).people


def test_a_search_that_asks_a_model_is_left_out_of_the_order_of_searches(visitor: Visitor) -> None:
    asking = to_link(read("MultiQuery(model='chat') >> BM25()"))
    link = {"judge.searches": f"bm25,vector,{asking}", "judge.pairs": "judged", "judge.most": "120"}
    with Server("one\ntwo") as server:
        model = EndpointModel("m", server.url, retries=0)
        app = answered(page(model, **link, **{"judge.rated": "rule"}, given={export.SIDE_BY_SIDE[0]: asking}))
        for key, value in {"fold.rater": True, "pairs": "judged", "most": 120}.items():
            app.session_state[f"judge.{key}"] = value
        app.run()
        app.button("judge.rate.start").click().run()
        said = texts(app)
        assert "Not ranked, because they ask a language model or an external retriever: " in said
        assert len(table(app, "search")) == 2
        assert len(server.requests) == 1, "this question alone"


def test_a_model_is_asked_after_the_click_once_for_each_pair_and_its_cost_is_told_before(visitor: Visitor) -> None:
    with Server('{"grade": 1}') as server:
        app = page(EndpointModel("m", server.url, prices=(3.0, 9.0)), **{"judge.rated": "model"})
        said = texts(app)
        assert not server.requests
        assert "without a grade by m (model): " in said
        assert "At your prices, the tokens sent cost 0.0" in said
        app.button("judge.rate.start").click().run()
        asked = len(server.requests)
        assert 3 <= asked <= 6, "the pool of two searches"
        app.run()
        assert len(server.requests) == asked
        assert {j.grade for j in judged(visitor).current.values()} == {1}
        assert "Every pair of this choice has a grade by m (model)" in texts(app)
        own = app.text_area("judge.modelrater.template").set_value("{question} {document}: 0 to 3?").run()
        assert f"{asked} of {asked}" in texts(own), "a changed rubric is another rater"
        assert len(server.requests) == asked


def test_a_failure_is_said_and_the_finished_grades_stay(visitor: Visitor) -> None:
    with Server('{"grade": 2}') as server:
        server.then("answer", "answer", "500")
        model = EndpointModel("m", server.url, retries=0)
        app = page(model, **{"judge.rated": "model"}).button("judge.rate.start").click().run()
        assert len(app.error) == 1
        assert "Finished grades are kept" in app.error[0].value
        done = len(judged(visitor))
        server.then("answer")
        assert "judge.rate.start" in [b.key for b in app.button], "the button continues"
        app.button("judge.rate.start").click().run()
        assert not app.error
        assert len(judged(visitor)) > done


def test_its_grades_count_only_where_they_are_switched_on_and_never_instead_of_a_persons(visitor: Visitor) -> None:
    corpus = samples.load("devices").corpus
    free = list(corpus)[:3]
    by_model = (
        Judgments()
        .given("a new question", free[0], 3, f"{AUTOMATIC}m")
        .given("a new question", free[1], 3, f"{AUTOMATIC}m")
    )
    visitor.store(frame.JUDGMENTS)["all"] = by_model.given("a new question", free[0], 1, "ann")
    before = frame.judged(samples.load("devices"))
    (new,) = [q for q in before.queries if q.text == "a new question"]
    assert before.qrels[new.id] == {free[0].id: 1}
    visitor.store(frame.JUDGMENTS)[frame.COUNTED] = True
    after = frame.judged(samples.load("devices"))
    assert after.qrels[new.id] == {free[0].id: 1, free[1].id: 3}


def test_the_switch_the_exports_and_the_people_beside_it(visitor: Visitor) -> None:
    corpus = samples.load("devices").corpus
    made = Judgments().given(QUESTION, corpus.documents[0], 3, f"{AUTOMATIC}rule:")
    visitor.store(frame.JUDGMENTS)["all"] = made.given(QUESTION, corpus.documents[0], 1, "ann")
    app = page(**{"judge.fold.files": "1"})
    said = texts(app)
    assert "Rater agreement appears here" in said, "a rule is no second person"
    assert "Grades for this corpus: 1, questions: 1" in said
    assert "Grades by Word coverage (rule) on this corpus: 1." in said
    app.toggle("judge.counted").set_value(True).run()
    assert visitor.store(frame.JUDGMENTS)[frame.COUNTED] is True
    app.button("judge.rated.forget").click().run()
    assert judged(visitor).raters == ("ann",)


# ------------------------------------------------------------------------------------------------ cost of searches


def listed(*names: str) -> str:
    """Several values as a link has them."""
    line = io.StringIO()
    csv.writer(line).writerow(names)
    return line.getvalue().strip()


LISTWISE = "BM25() % 4 >> Listwise(3, 2, model='chat')"


def test_evaluate_asks_a_model_after_a_click_and_compares_quality_with_tokens_and_money(visitor: Visitor) -> None:
    with Server("[2] > [1]") as server:
        model = EndpointModel("m", server.url, retries=0, prices=(2.0, 10.0))
        link = {"evaluate.searches": listed("bm25", to_link(read(LISTWISE))), "evaluate.n": "3"}
        app = page(model, "evaluate", **link)
        assert not server.requests, "choosing a search asks nothing"
        assert "questions left: 3. The cost of a question is not known yet" in texts(app)
        app.button("evaluate.agree").click().run()
        asked = len(server.requests)
        assert 3 <= asked <= 6, "two windows for four candidates, each prompt once"
        means = table(app, "tokens")
        assert means["tokens"].to_list()[0] == 0
        tokens = means["tokens"].to_list()[1]
        assert tokens == pytest.approx(asked * 17 / 3)
        assert means["cost"].to_list()[1] == pytest.approx(asked * (12 * 2.0 + 5 * 10.0) / 1e6 / 3)
        app.segmented_control("evaluate.against").set_value("money").run()
        assert "no search is as good at less cost" in texts(app)
        assert len(server.requests) == asked
        app.number_input("evaluate.n").set_value(5).run()
        assert len(server.requests) == asked, "more questions, another click"
        told = texts(app)
        assert "questions left: 2. Tokens at the rate so far: about" in told
        assert "At your prices, about 0.000" in told


def test_without_prices_there_are_tokens_and_no_money(visitor: Visitor) -> None:
    with Server("[2] > [1]") as server:
        link = {"evaluate.searches": listed("bm25", to_link(read(LISTWISE))), "evaluate.n": "2"}
        app = page(EndpointModel("m", server.url, retries=0), "evaluate", **link)
        app.button("evaluate.agree").click().run()
        assert "cost" not in table(app, "tokens")
        axes = app.segmented_control("evaluate.against").options
        assert axes == ["milliseconds per question (median)", "tokens per question"]


def test_without_a_model_the_page_has_no_columns_of_cost(visitor: Visitor) -> None:
    app = page(None, "evaluate", **{"evaluate.searches": "bm25,vector", "evaluate.n": "5"})
    means = next(d.value for d in app.dataframe if "ms" in d.value)
    assert not {"tokens", "cost"} & set(means.columns)


def test_the_counted_grades_of_models_are_named_beside_the_figures(visitor: Visitor) -> None:
    document = samples.load("devices").corpus.documents[0]
    visitor.store(frame.JUDGMENTS)["all"] = Judgments().given("a new question", document, 3, f"{AUTOMATIC}m")
    link = {"evaluate.searches": "bm25", "evaluate.n": "5"}
    assert "Grades of models count" not in texts(page(None, "evaluate", **link))
    visitor.store(frame.JUDGMENTS)[frame.COUNTED] = True
    assert "Grades of models count" in texts(page(None, "evaluate", **link))
