"""“Can this list be trusted?”: the head of a list opens the fold, whose figures are those of the library."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from models.server import Server
from streamlit.testing.v1 import AppTest

from lab import formats, samples
from lab.algebra import DEPTH, Corpus, Document, Env, Query, Runner
from lab.corpus.beir import Collection
from lab.evaluate.runs import run_many
from lab.explain.predicting import gains_of, outlook, predictors, predictors_of_run
from lab.models.endpoint_chat import EndpointModel
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.ui import components
from lab.ui.layout import export, frame
from lab.ui.people.visitor import Visitor
from ui.conftest import answered

ROOT = Path(__file__).parents[2]
PAGES = {"compare": "retrieve/compare", "evaluate": "whole/evaluate", "answer": "whole/answer"}


def page(name: str, own: Collection | None = None, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    if own is not None:
        app.session_state[frame.VISITOR] = Visitor("")
        app.session_state[frame.VISITOR].store(frame.UPLOADS)[own.name] = own
    for key, value in {"lang": "en", "corpus": own.name if own else "handbook", **link}.items():
        app.query_params[key] = value
    app.switch_page(f"pages/{PAGES[name]}/page.py").run()
    assert not app.exception, app.exception
    assert not app.error, app.error
    return app


def texts(app: AppTest) -> str:
    return "\n".join(x.value for x in (*app.markdown, *app.caption, *app.info)).replace("\\", "")


def test_the_figures_are_those_of_the_library():
    c = samples.load("handbook")
    query = c.judged[5]
    app = page("compare", q=query.text, **{"compare.fold.trust": "1", "compare.trust": "TF-IDF"})
    searches = {"list": TFIDF(), "words": BM25(), "meaning": Vector()}
    runs = run_many(searches, c.corpus, c.judged)
    runner = Runner(c.corpus)
    env = Env(explain=False, runner=runner)
    values = predictors_of_run(runs["list"], runs["words"], runs["meaning"], c, c.judged, env)
    lists = {name: runner(search, query, DEPTH) for name, search in searches.items()}
    own = predictors(lists["list"], lists["words"].ids, lists["meaning"].ids, env)
    found = outlook(query, own, values, gains_of(runs["list"], c, c.judged))
    said = texts(app)
    for sentence in found.told():
        assert sentence in said
    table = next(frame.value for frame in app.dataframe if "tau" in frame.value)
    assert table["value"].to_list() == pytest.approx([x.value for x in found.predictors])
    assert table["tau"].to_list() == pytest.approx([x.tau for x in found.predictors])
    assert table["below"].to_list() == [x.below for x in found.predictors]


def test_the_head_of_a_list_opens_the_fold_for_this_list():
    drawn = []

    def clicked(data, *, asked, **_how):
        drawn.append(data)
        asked(1)

    with patch.object(components, "lists", clicked):
        app = page("compare", q="年假有几天")
    assert drawn[0]["ask"] == "Can this list be trusted?"
    assert drawn[0]["asked"] == [True] * len(drawn[0]["lists"])
    assert app.session_state["compare.fold.trust"]
    assert app.segmented_control("compare.trust").value == drawn[0]["lists"][1]["title"] == "TF-IDF"
    assert any("tau" in frame.value for frame in app.dataframe)


def test_an_empty_list_has_no_button_and_its_fold_says_so():
    drawn = []
    with patch.object(components, "lists", lambda data, **_how: drawn.append(data)):
        app = page("compare", q="zzqx", **{"compare.fold.trust": "1", "compare.trust": "BM25"})
    titles = [column["title"] for column in drawn[0]["lists"]]
    assert drawn[0]["asked"][titles.index("BM25")] is False
    assert "The list is empty: there is nothing to trust or distrust." in texts(app)


@pytest.mark.nightly
def test_answer_opens_it_from_the_head_of_the_context():
    app = page("answer", q="年假有几天？")
    assert not any("tau" in frame.value for frame in app.dataframe)
    app.button("answer.trust.a").click().run()
    assert not app.exception
    assert any("tau" in frame.value for frame in app.dataframe)


def test_judged_questions_are_sent_to_a_model_or_a_server_only_after_a_click():
    search = formats.to_link(formats.parse("MultiQuery(model='chat') >> BM25()"))
    with Server("one\ntwo") as server:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        app.session_state["_language_model"] = EndpointModel("m", server.url, retries=0)
        app.session_state[export.SIDE_BY_SIDE[0]] = search
        link = {"lang": "en", "corpus": "handbook", "q": "年假有几天？"}
        link |= {"answer.search": search}
        for key, value in link.items():
            app.query_params[key] = value
        app.switch_page("pages/whole/answer/page.py").run()
        answered(app)
        app.button("answer.trust.a").click().run()
        assert len(server.requests) == 1, "this question alone"
        n = len(samples.load("handbook").judged)
        assert f"Judged questions that it would be asked: {n}." in texts(app)
        sent = len(server.requests)
        app.button("answer.trust.agree").click().run()
        assert not app.exception
        assert len(server.requests) > sent + 50
        assert any("tau" in frame.value for frame in app.dataframe)


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        (
            {},
            "This corpus has no judged questions, so nobody knows whether these figures say anything about its lists.",
        ),
        ({"q0": {"d0": 1}}, "Judged questions: 1. Showing whether these figures say anything takes at least 20."),
    ],
)
def test_without_judgments_the_figures_are_shown_and_nothing_is_claimed(qrels, said):
    documents = tuple(Document(f"d{i}", f"a red fox number {i}") for i in range(4))
    own = Collection(Corpus("foxes", documents), (Query("red", id="q0"),), qrels)
    app = page("compare", own, q="fox", **{"compare.fold.trust": "1", "compare.trust": "BM25"})
    assert said in texts(app)
    table = app.dataframe[0].value
    assert table["value"].notna().all()
    assert ("tau" in table) == bool(qrels)
