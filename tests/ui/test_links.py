"""Links of earlier versions keep working: every key, every value, and every experiment that a lesson was."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab import catalog, formats, lessons
from lab.core import Ranking, Searcher
from lab.corpus import samples
from lab.pipeline import Runner
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.text import Analyzer
from lab.ui import address

ROOT = Path(__file__).parents[2]
PAGES = {p.stem: p.relative_to(ROOT).as_posix() for p in (ROOT / "pages").rglob("*.py")}
NOW = str(address.VERSION)
LESSONS = [x for name in samples.names() for x in lessons.read(samples.folder(name))]


def opened(page: str, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", **link}.items():
        app.query_params[key] = value
    app.switch_page(PAGES[page]).run()
    assert not app.exception
    return app


def ask(app: AppTest, query: str) -> None:
    """Type a question and press Enter."""
    app.text_input("q").set_value(query)
    next(b for b in app.button if b.form_id.endswith("-ask")).click().run()


def bar(app: AppTest) -> dict[str, str]:
    return {k: v[0] if isinstance(v, list) else v for k, v in app.query_params.items()}


@pytest.mark.parametrize("old", sorted(k for k, new in address.KEYS.items() if new == ("q",)))
def test_a_question_under_its_old_key_is_the_question_of_the_lab(old: str) -> None:
    page = old.partition(".")[0]
    app = opened(page, corpus="devices", **{old: "battery empty in the morning"})
    assert app.session_state["q"] == "battery empty in the morning"
    assert bar(app)["q"] == "battery empty in the morning"
    assert old not in bar(app)


EARLIER = [
    ("compare", {"compare.bm25.variant": "odds"}, {"compare.bm25.variant": "no-log-idf"}),
    ("fusion", {"fusion.method": "sum"}, {"fusion.method": "weightedsum"}),
    ("filter", {"filter.chain": "metadata,score", "filter.score.minimum": "5"},
     {"filter.chain": "metadatafilter,scorethreshold", "filter.scorethreshold.minimum": "5"}),
    ("filter", {"filter.metadata.use_age": "0", "filter.metadata.max_age_days": "99"},
     {"filter.metadatafilter.max_age_days": ""}),
    ("filter", {"filter.metadata.use_age": "1", "filter.metadata.max_age_days": "99"},
     {"filter.metadatafilter.max_age_days": "99"}),
    ("compress", {"compress.model": "1"}, {"compress.by": "modelextractor"}),
    ("compress", {"compress.embeddings.threshold": "0.4"}, {"compress.embeddingsfilter.threshold": "0.4"}),
    ("rerank", {"rerank.by": "soft,hybrid", "rerank.coverage.weight": "0.4"},
     {"rerank.by": "maxsim,hybridsimilarity", "rerank.maxsim.weight": "0.4"}),
    ("rewrite", {"rewrite.techniques": "back,industry", "rewrite.merge": "best", "rewrite.back.abstract_k": "7"},
     {"rewrite.techniques": "stepback,domainvocabulary", "rewrite.merge": "bestscore",
      "rewrite.stepback.abstract_k": "7"}),
    ("vector_store", {"vector_store.scale": "unit", "vector_store.where": '{"lang": "en"}',
                      "vector_store.search": "threshold", "vector_store.limit": "0.5"},
     {"vector_store.chromavector.scale": "unit", "vector_store.chromavector.where": '{"lang": "en"}',
      "vector_store.search": "threshold", "vector_store.chromavector.max_distance": "0.5"}),
]  # fmt: skip


@pytest.mark.parametrize(("page", "old", "new"), EARLIER, ids=str)
def test_an_earlier_link_is_the_experiment_of_today(page: str, old: dict[str, str], new: dict[str, str]) -> None:
    shown = bar(opened(page, corpus="devices", **old))
    assert new.items() <= shown.items()
    assert not (old.keys() - new.keys()) & shown.keys()


def test_an_earlier_name_of_two_techniques_is_that_of_both() -> None:
    assert address.translated({"v": NOW, "rerank.coverage.weight": "0.4"}) == {
        "v": NOW,
        "rerank.querycoverage.weight": "0.4",
        "rerank.maxsim.weight": "0.4",
    }


def test_a_key_of_today_wins_over_its_old_name() -> None:
    link = {"v": NOW, "compare.q": "old", "q": "new", "compare.k": "3"}
    assert address.translated(link) == {"v": NOW, "q": "new", "compare.k": "3"}


def test_a_link_means_what_its_version_meant_by_leaving_something_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "DEFAULTS", {"": {"fusion.weight": "0.25"}, "1": {"fusion.weight": "0.75"}})
    assert address.translated({"fusion.k": "3"}) == {"fusion.k": "3", "fusion.weight": "0.25"}
    assert address.translated({"compare.q": "battery"}) == {"q": "battery", "fusion.weight": "0.25"}
    assert address.translated({"v": "1", "fusion.weight": "0.5"}) == {"v": "1", "fusion.weight": "0.5"}
    for by_hand in ({}, {"corpus": "devices", "lang": "en"}, {"q": "battery", "doc": "dv-001", "embedder": "lsa"}):
        assert address.translated(by_hand) == by_hand
    app = opened("fusion", corpus="devices", v="1")
    assert app.session_state["fusion.weight"] == 0.75
    assert bar(app)["v"] == str(address.VERSION)


FORMER: dict[str, dict[str, object]] = {
    "Analyzer": {"mode": "precise"},
    "BM25": {"variant": "plus"},
    "Vector": {"space": "ip"},
}
"""Defaults as they might have been: none is that of today."""
EXPERIMENTS = [
    ("home", {}),
    ("tokenizer", {}),
    ("compare", {}),
    ("compare", {"embedder": "lsa"}),
    ("fusion", {"fusion.lists": "bm25,tfidf,vector,vector-lsa"}),
    ("mmr", {}),
    ("mmr", {"embedder": "lsa"}),
    ("reorder", {}),
    ("granularity", {}),
    ("granularity", {"granularity.indexes": "summaries,beside-sentences", "granularity.of": "bm25"}),
    ("vector_store", {}),
    ("pipeline", {}),
    *(("rewrite", {"rewrite.techniques": cls.key}) for cls in catalog.wordings()),
    *(("rerank", {"rerank.from": "bm25,vector", "rerank.by": cls.key}) for cls in catalog.role("rerank")),
    *(("filter", {"filter.chain": cls.key}) for cls in catalog.role("filter")),
    *(("compress", {"compress.by": cls.key}) for cls in catalog.role("compress")),
]


@pytest.fixture
def next_format(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lab after its defaults were changed, these being the former ones."""
    monkeypatch.setattr(formats, "FORMAT", formats.FORMAT + 1)
    monkeypatch.setattr(formats, "DEFAULTS", {1: FORMER})
    monkeypatch.setattr(address, "VERSION", address.VERSION + 1)
    monkeypatch.setattr(address, "DEFAULTS", dict.fromkeys(("", "1"), {"format": "1"}))


@pytest.mark.usefixtures("next_format")
@pytest.mark.parametrize(("page", "link"), spread(EXPERIMENTS, 3), ids=str)
def test_whatever_a_page_searches_for_an_earlier_link_has_the_defaults_of_that_time(
    page: str, link: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Searcher] = []
    ask_really = Runner.whole

    def told(self: Runner, searcher: Searcher, *rest: Any, **named: Any) -> Ranking:
        asked.append(searcher)
        return ask_really(self, searcher, *rest, **named)

    monkeypatch.setattr(Runner, "whole", told)
    opened(page, corpus="devices", v="1", q="battery empty in the morning", **link)
    assert asked
    for search in asked:
        made = {own for own in catalog.inside(search) if type(own) in (BM25, Vector)}
        analyzers = {own.analyzer for own in catalog.inside(search) if hasattr(own, "analyzer")}
        assert all(own.variant == "plus" for own in made if isinstance(own, BM25)), formats.expression(search)
        assert all(own.space == "ip" for own in made if isinstance(own, Vector)), formats.expression(search)
        assert page == "tokenizer" or all(own.mode == "precise" for own in analyzers), formats.expression(search)


@pytest.mark.usefixtures("next_format")
def test_an_earlier_link_says_that_its_defaults_are_earlier_and_a_click_leaves_them() -> None:
    app = opened("compare", corpus="devices", v="1", **{"compare.bm25.k1": "0.9"})
    assert app.selectbox("compare.bm25.variant").value == "plus"
    assert any("earlier defaults" in told.value for told in app.info)
    assert bar(app)["format"] == "1", "the link goes on with them"
    assert "compare.bm25.variant" not in bar(app)
    app.selectbox("compare.bm25.variant").set_value(BM25().variant).run()
    assert opened("compare", **bar(app)).selectbox("compare.bm25.variant").value == BM25().variant
    app.button("today").click().run()
    assert not any("earlier defaults" in told.value for told in app.info)
    assert app.selectbox("compare.analyzer.mode").value == Analyzer().mode
    assert app.session_state["compare.bm25.k1"] == 0.9, "what the visitor chose stays"
    assert "format" not in bar(app)


@pytest.mark.usefixtures("next_format")
def test_a_lesson_is_about_the_lists_of_today() -> None:
    lesson = next(x for x in LESSONS if x.page == "compare")
    app = opened(
        "compare", corpus=lesson.corpus, v="1", q=lesson.query, **{"compare.lesson": f"{lesson.corpus}/{lesson.id}"}
    )
    assert app.session_state["compare.lesson"] is None, "an earlier experiment is shown, without a claim about others"
    next(b for b in app.button_group if b.key == "compare.lesson").set_value(f"{lesson.corpus}/{lesson.id}").run()
    assert app.session_state["compare.lesson"]
    assert not any("earlier defaults" in told.value for told in app.info)


def test_what_is_asked_on_one_page_is_asked_on_the_next() -> None:
    app = opened("compare", corpus="devices")
    ask(app, "battery empty in the morning")
    app.switch_page(PAGES["fusion"]).run()
    assert not app.exception
    assert app.text_input("q").value == "battery empty in the morning"


def test_a_page_that_nobody_has_asked_shows_its_own_example_and_says_so() -> None:
    app = opened("compare", corpus="devices")
    first = app.text_input("q").value
    assert any("An example of this page" in c.value for c in app.caption)
    app.switch_page(PAGES["mmr"]).run()
    own = next(x.query for x in LESSONS if x.page == "mmr" and x.corpus == "devices" and not x.knobs)
    assert app.text_input("q").value == own != first
    ask(app, "something of my own")
    assert not any("An example of this page" in c.value for c in app.caption)


@pytest.mark.parametrize("corpus", samples.names())
@pytest.mark.parametrize("page", ["rerank", "filter", "reorder", "mmr", "fusion"])
def test_the_example_of_a_page_that_orders_has_something_to_order(page: str, corpus: str) -> None:
    query = opened(page, corpus=corpus).session_state["q"]
    assert len(BM25().index(samples.load(corpus).corpus).search(query, k=10)) >= 4


@pytest.mark.parametrize("corpus", samples.names())
def test_the_example_of_rewrite_is_found_by_each_of_its_techniques_and_not_without(corpus: str) -> None:
    app, data = opened("rewrite", corpus=corpus), samples.load(corpus)
    query = data.query_by_text(app.session_state["q"])
    assert query is not None, "a question that is judged"
    best = next(iter(data.relevant(query.id)))
    run = Runner(data.corpus)
    assert run(BM25(), query, 10).rank(best) is None
    assert app.session_state["rewrite.techniques"] == ["multiquery", "hyde"]
    assert all((run(technique(BM25()), query, 10).rank(best) or 99) <= 4 for technique in (MultiQuery(), HyDE()))


OLD = [x for x in LESSONS if f"{x.page}.q" in address.KEYS]
"""Lessons of the pages on which a question was the page's own."""


def some_lessons() -> list[lessons.Lesson]:
    """Per page the lesson with the most knobs."""
    best: dict[str, lessons.Lesson] = {}
    for x in OLD:
        if x.knobs and len(x.knobs) > len(best[x.page].knobs if x.page in best else ()):
            best[x.page] = x
    return list(best.values())


def the_link_of(lesson: lessons.Lesson, question: str) -> dict[str, str]:
    knobs = {
        f"{lesson.page}.{knob}": address._written(list(v) if isinstance(v, tuple) else v)
        for knob, v in lesson.knobs.items()
    }
    return {"corpus": lesson.corpus, "doc": lesson.select, question.format(page=lesson.page): lesson.query, **knobs}


@pytest.mark.parametrize("lesson", spread([pytest.param(x, id=f"{x.page}-{x.id}") for x in some_lessons()], 3))
def test_an_experiment_of_an_old_link_is_the_experiment_of_today(lesson: lessons.Lesson) -> None:
    check(lesson)


@pytest.mark.nightly
@pytest.mark.parametrize("lesson", [pytest.param(x, id=f"{x.corpus}-{x.id}") for x in OLD if x.page != "text2sql"])
def test_every_experiment_of_an_old_link_is_the_experiment_of_today(lesson: lessons.Lesson) -> None:
    check(lesson)


def check(lesson: lessons.Lesson) -> None:
    old = opened(lesson.page, **the_link_of(lesson, "{page}.q"))
    assert old.session_state["q"] == lesson.query
    for knob, value in lesson.knobs.items():
        wanted = list(value) if isinstance(value, list | tuple) else value
        assert old.session_state[f"{lesson.page}.{knob}"] == wanted, knob


def test_a_very_long_question_of_a_link_is_cut_and_the_page_says_so() -> None:
    app = opened("compare", corpus="devices", q="battery " * 20_000, doc="d" * 100_000)
    assert len(app.session_state["q"]) == 2000
    assert any("first 2000 characters" in c.value for c in app.caption)
    ask(app, "battery")
    assert not any("first 2000 characters" in c.value for c in app.caption)


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("corpus", {"corpus.find": "battery " * 12_500}),
        (
            "filter",
            {"filter.chain": "keywordexclusion", "filter.keywordexclusion.patterns": "(" * 5000 + ")" * 5000},
        ),
        (
            "filter",
            {
                "filter.chain": "keywordexclusion",
                "filter.keywordexclusion.words": ",".join(map(str, range(20_000))),
            },
        ),
        ("vector_store", {"vector_store.chromavector.where": '{"a":' * 3000 + "1" + "}" * 3000}),
        ("rewrite", {"q": "".join(chr(0x4E00 + i % 9000) for i in range(10_000))}),
        ("text2sql", {"text2sql.said": "✕" + "9" * 5000}),
        ("text2sql", {"text2sql.said": "?" + "9" * 5000 + ".1"}),
    ],
)
def test_whatever_a_link_says_at_length_is_soon_done_with(page: str, link: dict[str, str]) -> None:
    start = time.process_time()
    app = opened(page, corpus="devices", **link)
    assert time.process_time() - start < 10
    assert all(len(told.value) < 1000 for told in [*app.error, *app.warning])
