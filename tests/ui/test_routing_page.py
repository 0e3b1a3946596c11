"""The Routing page: scores and decision, every route's list, all judged questions, routes that are edited and taken."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models.server import Server
from night import for_each
from streamlit.testing.v1 import AppTest

from lab import formats
from lab.algebra import DEPTH, Corpus, Document, Query, Ranking, Runner, Searcher
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.evaluate.routing import Routed, accuracy, balance, confusion, curve, decide_all
from lab.models.endpoint_chat import EndpointModel
from lab.retrieve.lexical import BM25
from lab.rewrite.domain import Adapter, DomainVocabulary
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.routing import CollectionRouter, Decision, Destination, Route, Scored
from lab.ui import address, components
from lab.ui.figures import charts
from lab.ui.layout import frame
from lab.ui.layout.page import Page
from lab.ui.people.visitor import Visitor
from pages.query.routing import parts as routing
from ui.conftest import answered

ROOT = Path(__file__).parents[2]
SAMPLES = {name: samples.load(name) for name in samples.names()}
CORPORA = {name: own.corpus for name, own in SAMPLES.items()}
USUAL = tuple(Destination(name, BM25(), name) for name in SAMPLES)
TINY = Collection(
    Corpus("tiny", (Document("hb-001", "zebras sleep standing"), Document("t", "the zoo opens at nine"))),
    (Query("when do zebras sleep", id="q1"),),
    {"q1": {"hb-001": 1}},
)


@dataclass
class Seen:
    """What a page gave to its export and drew as cards and figures the last time."""

    searches: Mapping[str, Searcher] = field(default_factory=dict)
    rankings: Sequence[Ranking] = ()
    cards: Any = None
    figures: dict[str, Any] = field(default_factory=dict)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    last, own, cards, put = Seen(), Page.end, components.lists, charts.draw

    def end(page: Page, searches: Mapping[str, Searcher], rankings: Mapping[str, Ranking], *took: Any) -> None:
        last.searches, last.rankings = dict(searches), list(rankings.values())
        own(page, searches, rankings, *took)

    def listed(data: Any, **how: Any) -> None:
        last.cards = data
        cards(data, **how)

    def drawn(figure: Any, key: str) -> None:
        last.figures[key] = figure
        put(figure, key)

    monkeypatch.setattr(Page, "end", end)
    monkeypatch.setattr(components, "lists", listed)
    monkeypatch.setattr(charts, "draw", drawn)
    return last


def opened(model: Any = None, uploads: Mapping[str, Collection] | None = None, **params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    app.session_state[frame.VISITOR].store(frame.UPLOADS).update(uploads or {})
    if model is not None:
        app.session_state["_language_model"] = model
    for key, value in {"lang": "en", "corpus": "handbook", **params}.items():
        app.query_params[key] = value
    app.switch_page("pages/query/routing/page.py")
    return answered(app.run())


def said(app: AppTest) -> str:
    found = (app.markdown, app.caption, app.subheader, app.info, app.error, app.success, app.warning)
    return "\n".join(str(x.value) for own in found for x in own).replace("\\", "")


def runner(own: Corpus = CORPORA["handbook"]) -> Runner:
    return Runner(own, others=CORPORA)


# ---------------------------------------------------------------------------------------------- one question


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_question_that_is_not_sure_is_shown_as_not_sure_and_everything_is_searched(seen: Seen, lang: str):
    app = opened(q="怎样才能升职", lang=lang)
    route = Route(CollectionRouter(), USUAL)
    found = runner()(route, "怎样才能升职", DEPTH)
    assert not found.evidence.sure
    assert (len(app.success), len(app.warning)) == (0, 1)
    words = {"en": ("Not confident", "All routes are searched"), "zh": ("没把握", "因此检索全部路线")}[lang]
    assert all(word in app.warning[0].value for word in words)
    titles = {
        "en": ("Device support", "Staff handbook (Chinese)", "Staff handbook (English)"),
        "zh": ("设备售后", "员工手册（中文）", "员工手册（英文）"),
    }[lang]
    assert all(name in app.warning[0].value.replace("\\", "") for name in titles[:2])
    assert list(seen.searches.values()) == [route]
    assert seen.rankings[0].hits == found.hits
    merged, *each = seen.cards["lists"]
    assert [c["id"] for c in merged["hits"][:5]] == found.ids[:5]
    assert [column["title"] for column in each] == list(titles), "best first"
    for column, name in zip(each, ("devices", "handbook", "staff"), strict=True):
        alone = Runner(CORPORA[name])(BM25(), "怎样才能升职", DEPTH)
        assert [c["id"] for c in column["hits"][:5]] == alone.ids[:5]
    tags = {c["id"]: c["tags"] for c in merged["hits"]}
    assert tags["hb-055"], "what the handbook has judged is marked in every list"


def test_a_question_that_is_sure_shows_its_scores_with_their_addends(seen: Seen):
    app = opened(q="What does error ERR-140 mean?", corpus="handbook")
    told = runner().__call__(Route(CollectionRouter(), USUAL), "What does error ERR-140 mean?").evidence
    assert (len(app.success), len(app.warning)) == (1, 0)
    assert "Device support leads Staff handbook (English)" in app.success[0].value.replace("\\", "")
    assert f"{told.scores[0].score:.3f}" in str(seen.figures["routing.scores"])
    first, second, third = seen.cards["lists"]
    titles = ("Device support", "Staff handbook (English)", "Staff handbook (Chinese)")
    assert (first["title"], second["title"], third["title"]) == titles
    assert ("unit", "searched") in first["meta"]
    assert ("unit", "if searched") in second["meta"]
    assert first["hits"][0]["tags"], "judged where it was asked of, whatever corpus the sidebar names"
    assert "First Device support, runner-up Staff handbook (English)." in said(app).replace("\\", "")


def test_bars_stand_where_the_addends_are_and_the_line_at_the_margin():
    def scored(name: str, words: float, near: float) -> Scored:
        from lab.algebra import Contribution

        return Scored(name, words + near, (Contribution("words", words), Contribution("examples", near)))

    told = Decision("a", "", True, (scored("a", 0.5, 0.125), scored("b", 0.25, 0.0625)))
    drawn = routing.scores(told, 0.25)
    assert [trace["x"] for trace in drawn["data"]] == [[0.5, 0.25], [0.125, 0.0625]]
    assert [trace["y"] for trace in drawn["data"]] == [["a", "b"]] * 2
    (line,) = drawn["layout"]["shapes"]
    assert line["x0"] == line["x1"] == 0.625 - 0.25
    assert routing.scores(replace(told, by="model"), 0.25)["layout"]["shapes"] == [], "there the margin decides nothing"
    assert routing.scores(replace(told, scores=told.scores[:1]), 0.25)["layout"]["shapes"] == []


def test_a_link_restores_the_experiment_and_an_empty_question_says_what_to_do(seen: Seen):
    places = (
        Destination("leave & pay", BM25(), "handbook", ("年假有几天", "工资什么时候发"), MultiQuery()),
        Destination("gadgets", BM25(), "devices"),
    )
    link = formats.to_link(Route(CollectionRouter(), places))
    more = {"routing.collectionrouter.margin": "0.2", "routing.collectionrouter.best": "1"}
    app = opened(q="请假怎么扣工资", **{"routing.routes": link, **more})
    (search,) = seen.searches.values()
    assert search == Route(CollectionRouter(best=1, margin=0.2), places)
    assert seen.rankings[0].hits == runner()(search, "请假怎么扣工资", DEPTH).hits
    assert "leave & pay" in said(app)
    assert "routing.routes" in app.query_params
    blank = opened(q=" ")
    assert "The query is empty." in said(blank)


def test_uploads_are_routes_and_an_id_that_two_corpora_have_says_whose_it_is(seen: Seen):
    more = {"routing.collectionrouter.margin": "0.9"}
    opened(uploads={"tiny": TINY}, q="when do zebras sleep", corpus="tiny", **more)
    (search,) = seen.searches.values()
    assert isinstance(search, Route)
    assert [r.name for r in search.routes] == ["tiny", *samples.names()]
    merged = seen.cards["lists"][0]
    own = next(c for c in merged["hits"] if c["id"] == "tiny/hb-001")
    assert own["tags"], "its grade goes with it"


def test_a_collection_that_is_not_here_is_said_and_left_out(seen: Seen):
    places = (*USUAL, Destination("gone", BM25(), "somewhere <b>else</b>"))
    app = opened(q="年假", **{"routing.routes": formats.to_link(Route(CollectionRouter(), places))})
    assert "Not loaded, so not used: somewhere <b>else</b>." in said(app)
    assert list(seen.searches.values()) == [Route(CollectionRouter(), USUAL)]
    alone = formats.to_link(Route(CollectionRouter(), places[len(USUAL) :]))
    assert "There is no route. Add one, or load a file." in said(opened(**{"routing.routes": alone}))
    for broken in ("nonsense", formats.to_link(BM25() % 3)):
        app = opened(q="年假", **{"routing.routes": broken})
        assert len(app.error) == 1
        assert list(seen.searches.values()) == [Route(CollectionRouter(), USUAL)]


# --------------------------------------------------------------------------------------------- all questions


@pytest.mark.nightly
def test_all_judged_questions_are_counted_by_a_click_and_the_figures_are_those_of_the_library(seen: Seen):
    app = opened(q="年假")
    assert "routing.confusion" not in seen.figures
    app.button("routing.measure").click().run()
    asked = {name: own.judged for name, own in SAMPLES.items()}
    told = decide_all(Route(CollectionRouter(), USUAL), asked, runner())
    table = confusion(told, list(SAMPLES))
    assert np.array_equal(np.array(seen.figures["routing.confusion"]["data"][0]["z"]), table)
    line, dot = seen.figures["routing.curve"]["data"]
    assert line["x"] == curve(told).shares.tolist()
    assert line["y"] == curve(told).accuracies.tolist()
    sure = [one for one in told if one.decision.sure]
    assert (dot["x"], dot["y"]) == ([len(sure) / len(told)], [accuracy(sure)])
    assert [m.value for m in app.metric] == [
        f"{accuracy(told):.1%}", f"{len(sure) / len(told):.1%}", f"{accuracy(sure):.1%}"
    ]  # fmt: skip
    count = balance(told)
    unsure = count.saved + count.cost
    text = said(app)
    assert (
        f"Questions searched in all {len(USUAL)} routes because the router is not confident: {unsure} of {len(told)}."
        in text
    )
    assert f"not by the best route alone: {count.saved}." in text
    assert f"although the best route was right: {count.cost}." in text
    assert f"Confident and wrong: {count.missed}" in text
    wrong = next(d.value for d in app.dataframe if "question" in d.value.columns)
    assert len(wrong) == count.missed + count.saved
    assert list(wrong["lead"]) == sorted(wrong["lead"], reverse=True)
    app.selectbox("routing.ask").select_index(0).run()
    assert app.session_state[address.QUESTION] == wrong["question"][0]
    app.slider("routing.collectionrouter.margin").set_value(0.3).run()
    assert not app.metric, "under another margin the figures are no longer true"


def routed(right: str, best: str, sure: bool) -> Routed:
    scores = (Scored(best, 0.75), Scored("c", 0.5 if sure else 0.75))
    return Routed(Query("?"), right, Decision(best, "", sure, scores))


@for_each(
    "made, wanted",
    [
        (
            [("a", "a", True)],
            "Every question is routed with confidence: none is searched everywhere. All confident routes are right.",
        ),
        (
            [("a", "b", True)],
            "Every question is routed with confidence: none is searched everywhere. Confident and wrong: 1.",
        ),
        (
            [("a", "b", False)],
            "Questions searched in all 2 routes because the router is not confident: 1 of 1. Found only this way, "
            "not by the best route alone: 1.",
        ),
        (
            [("a", "b", False)],
            "Searched everywhere although the best route was right: 0. No question is routed with confidence.",
        ),
        ([("a", "a", False), ("a", "a", True)], "not by the best route alone: 0."),
        ([("a", "a", False), ("a", "a", True)], "although the best route was right: 1."),
    ],
)
def test_sentences_are_true_at_the_corners(made: list[tuple[str, str, bool]], wanted: str):
    assert wanted in " ".join(routing.sentences([routed(*one) for one in made], 2))


def test_routes_of_one_collection_are_counted_nowhere_and_examples_are_not_asked(seen: Seen):
    asked = SAMPLES["devices"].judged[0].text
    places = (
        replace(USUAL[0], examples=(asked,)),
        Destination("one", BM25(), "handbook"),
        Destination("two", BM25(), "handbook"),
    )
    app = opened(q="年假", **{"routing.routes": formats.to_link(Route(CollectionRouter(), places))})
    assert (
        "Routes without judged questions of their own, to which questions can only be sent wrongly: one, two."
        in said(app)
    )
    n = sum(q.text != asked for q in SAMPLES["devices"].judged)
    assert app.button("routing.measure").label == f"Route {n} judged questions by the rule"
    only = formats.to_link(Route(CollectionRouter(), places[1:]))
    assert "Nothing to count" in said(opened(q="年假", **{"routing.routes": only}))


# -------------------------------------------------------------------------------------------------- editing


def test_routes_are_renamed_given_examples_added_and_removed(seen: Seen):
    app = opened(q="年假有几天", **{"routing.fold.routes": "1"})
    app.text_input("routing.edit.1.name").set_value("leave").run()
    app.text_area("routing.edit.1.examples").set_value("年假怎么休\n\n  病假要什么材料 ").run()
    app.selectbox("routing.edit.1.rewriting").set_value("multiquery").run()
    wanted = Destination("leave", BM25(), "handbook", ("年假怎么休", "病假要什么材料"), MultiQuery())
    (search,) = seen.searches.values()
    assert search == Route(CollectionRouter(), (USUAL[0], wanted, USUAL[2]))
    kept = app.query_params["routing.routes"]
    assert formats.from_link(kept if isinstance(kept, str) else kept[0]) == search
    assert not [key for key in app.query_params if "edit" in key], "the routes as a whole stand in the link"
    app.button("routing.add").click().run()
    (search,) = seen.searches.values()
    assert isinstance(search, Route)
    assert [r.name for r in search.routes] == ["devices", "leave", "staff", "1"]
    app.text_input("routing.edit.3.name").set_value("leave").run()
    assert "a name of its own" in said(app)
    assert [r.name for r in next(iter(seen.searches.values())).routes] == ["devices", "leave", "staff", "1"]  # type: ignore[attr-defined]
    app.text_input("routing.edit.3.name").set_value("four").run()
    app.button("routing.edit.0.away").click().run()
    assert [r.name for r in next(iter(seen.searches.values())).routes] == ["leave", "staff", "four"]  # type: ignore[attr-defined]
    app.button("routing.usual").click().run()
    assert list(seen.searches.values()) == [Route(CollectionRouter(), USUAL)]
    assert "routing.routes" not in app.query_params


def route_of(seen: Seen, i: int) -> Destination:
    (search,) = seen.searches.values()
    assert isinstance(search, Route)
    return search.routes[i]


def test_each_route_has_the_parameters_of_its_own_rewriting(seen: Seen):
    app = opened(q="房东不退押金怎么办", **{"routing.fold.routes": "1"})
    app.selectbox("routing.edit.0.rewriting").set_value("domainvocabulary").run()
    app.selectbox("routing.edit.1.rewriting").set_value("hyde").run()
    app.selectbox("routing.edit.0.domainvocabulary.adapter").set_value("law").run()
    app.text_area("routing.edit.0.domainvocabulary.law.terms").set_value("押金条 = 保证金收据").run()
    app.slider("routing.edit.1.hyde.n").set_value(5).run()
    app.text_area("routing.edit.1.hyde.template").set_value("As {perspective}: {question}").run()
    law, hyde = route_of(seen, 0).rewriting, route_of(seen, 1).rewriting
    assert isinstance(law, DomainVocabulary)
    assert law.adapter == Adapter.named("law").with_terms("押金条 = 保证金收据")
    assert hyde == HyDE(n=5, template="As {perspective}: {question}")
    assert route_of(seen, 2).rewriting is None
    (text,) = (v.text for v in law.rewrite(Query("押金条丢了"), CORPORA["handbook"]).queries)
    assert "保证金收据" in text
    kept = app.query_params["routing.routes"]
    assert formats.from_link(kept if isinstance(kept, str) else kept[0]) == next(iter(seen.searches.values()))
    app.text_area("routing.edit.0.domainvocabulary.law.terms").set_value("").run()
    assert route_of(seen, 0).rewriting == DomainVocabulary("law"), "cleared, the industry is that of the lab"
    app.slider("routing.edit.0.domainvocabulary.enough").set_value(1.0).run()
    assert route_of(seen, 0).rewriting == DomainVocabulary("law", enough=1.0)


def test_a_route_whose_rewriting_is_a_models_is_searched_by_the_rule_where_there_is_none(seen: Seen):
    routes = (*USUAL[:2], replace(USUAL[2], rewriting=MultiQuery(model="chat")))
    link = formats.to_link(Route(CollectionRouter(), routes))
    opened(q="年假有几天", **{"routing.routes": link, "routing.fold.file": "1"})
    assert route_of(seen, 2).rewriting == MultiQuery()


def test_the_file_is_that_of_the_search_and_only_routes_by_collection_are_read(seen: Seen):
    app = opened(q="年假", **{"routing.fold.file": "1", "routing.collectionrouter.margin": "0.1"})
    (search,) = seen.searches.values()
    text = next(c.value for c in app.code if "[[routes]]" in c.value)
    assert formats.from_toml(text) == search == Route(CollectionRouter(margin=0.1), USUAL)
    assert routing.read(formats.from_toml(text)) == search
    for wrong in (BM25(), formats.parse("Route(WordTable(), (Destination('a', BM25()),))")):
        with pytest.raises(formats.PipelineError, match="no routes for this page"):
            routing.read(wrong)
    many = tuple(Destination(str(i), BM25(), "devices") for i in range(routing.MOST + 1))
    with pytest.raises(formats.PipelineError, match="Routes: 9"):
        routing.read(Route(CollectionRouter(), many))


# ------------------------------------------------------------------------------------------------ by a model


def test_a_model_chooses_where_the_visitor_wants_it_and_its_rubbish_is_never_the_first_route(seen: Seen):
    with Server(json.dumps({"route": "devices"})) as server:
        model = EndpointModel("m", server.url, timeout=20, retries=0)
        app = opened(model, q="年假有几天")
        assert not server.requests, "the rule decides until the visitor wants the model"
        app = opened(model, q="年假有几天", **{"routing.by": "model"})
        assert "The language model chose Device support." in said(app)
        assert seen.rankings[0].evidence.by == "model"
        server.answer = "devices, I guess"
        app = opened(model, q="年假怎么请", **{"routing.by": "model"})
    assert seen.rankings[0].evidence.by == "rule"
    assert seen.rankings[0].evidence.route == "handbook"
    assert "The rule decides." in said(app)
    assert "could not be read" in said(app)


def test_the_search_comes_out_as_python_that_knows_its_other_collections(seen: Seen, tmp_path: Path):
    opened(q="怎样才能升职")
    from lab.ui.layout import export

    f = frame.Frame(SAMPLES["handbook"], CollectionRouter())  # type: ignore[arg-type]  # only its corpus is asked
    lines = export.corpus_lines(f, seen.searches.values())
    code = formats.to_python(seen.searches, corpus=lines, query="怎样才能升职", k=3)
    told: list[str] = []
    exec(code, {"print": lambda *words: told.append(" ".join(map(str, words)))})
    assert seen.rankings[0].ids[1] in "\n".join(told)
