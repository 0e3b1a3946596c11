"""Links: what is asked travels from page to page, and the experiment of a lesson opens again from its link."""

from __future__ import annotations

import re
import time
from itertools import product
from pathlib import Path

import places
import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab import former_names, lessons
from lab.algebra import Runner
from lab.corpus import samples
from lab.retrieve.lexical import BM25
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.ui import address

ROOT = Path(__file__).parents[2]
PAGES = {p.parent.name: p.relative_to(ROOT).as_posix() for p in places.PAGES}
LESSONS = [x for name in samples.every_name() for x in lessons.read(samples.folder(name))]


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


def test_what_is_asked_on_one_page_is_asked_on_the_next() -> None:
    app = opened("compare", corpus="devices")
    ask(app, "battery empty in the morning")
    app.switch_page(PAGES["fusion"]).run()
    assert not app.exception
    assert app.text_input("q").value == "battery empty in the morning"


def test_a_page_that_nobody_has_asked_shows_its_own_example_and_says_so() -> None:
    app = opened("compare", corpus="devices")
    first = app.text_input("q").value
    assert any("Example question." in c.value for c in app.caption)
    app.switch_page(PAGES["mmr"]).run()
    own = next(x.query for x in LESSONS if x.page == "mmr" and x.corpus == "devices" and not x.knobs)
    assert app.text_input("q").value == own != first
    ask(app, "something of my own")
    assert not any("Example question." in c.value for c in app.caption)


@pytest.mark.parametrize(
    ("page", "corpus"), spread([*product(["rerank", "filter", "reorder", "mmr", "fusion"], samples.names())], 3)
)
def test_the_example_of_a_page_that_orders_has_something_to_order(page: str, corpus: str) -> None:
    query = opened(page, corpus=corpus).session_state["q"]
    assert len(BM25().index(samples.load(corpus).corpus).search(query, k=10)) >= 4


@pytest.mark.parametrize("corpus", spread(samples.names(), 1))
def test_the_example_of_rewrite_is_found_by_each_of_its_techniques_and_not_without(corpus: str) -> None:
    app, data = opened("rewrite", corpus=corpus), samples.load(corpus)
    query = data.query_by_text(app.session_state["q"])
    assert query is not None, "a question that is judged"
    best = next(iter(data.relevant(query.id)))
    run = Runner(data.corpus)
    assert run(BM25(), query, app.session_state["rewrite.k"]).rank(best) is None, "the page shows it without rewriting"
    assert app.session_state["rewrite.techniques"] == ["multiquery", "hyde"]
    shown = app.session_state["rewrite.k"]
    assert all(run(technique(BM25()), query, shown).rank(best) for technique in (MultiQuery(), HyDE()))


FOLDS = {
    "compare": "agree", "compress": "context", "corpus": "add fields tags", "compression": "figures",
    "evaluate": "files points settings types", "filter": "others", "fusion": "every", "granularity": "why",
    "inside": "boolean bytes", "judge": "files rater whose", "pipeline": "ablate",
    "rerank": "scatter train weights windows", "rewrite": "judged map", "routing": "file prompt routes why",
    "text2sql": "before linked plan readings", "tokenizer": "worth", "vector_store": "bands beside hnsw watch",
}  # fmt: skip
"""The folds of the pages of 1.0.0, by their names in links."""


@pytest.mark.parametrize("page", FOLDS)
def test_a_link_of_the_first_release_opens_its_page_and_the_fold(page: str) -> None:
    sources = [*(ROOT / PAGES[page]).parent.glob("*.py"), *(ROOT / "lab/ui/study").glob("*.py")]
    folds = set(re.findall(r'fold\(\s*"(\w+)', "".join(path.read_text("utf-8") for path in sources)))
    for fold in FOLDS[page].split():
        assert former_names.present_key(f"{page}.fold.{fold}").removeprefix(f"{page}.fold.") in folds, fold


ASKING = ("compare", "compress", "filter", "fusion", "mmr", "reorder", "rerank", "rewrite", "tokenizer", "vector_store")


def some_lessons() -> list[lessons.Lesson]:
    """Per page that asks one question the lesson with the most knobs."""
    best: dict[str, lessons.Lesson] = {}
    for x in LESSONS:
        if x.page in ASKING and len(x.knobs) > len(best[x.page].knobs if x.page in best else ()):
            best[x.page] = x
    return list(best.values())


@pytest.mark.parametrize("lesson", spread([pytest.param(x, id=f"{x.page}-{x.id}") for x in some_lessons()], 2))
def test_the_experiment_of_a_lesson_opens_from_its_link(lesson: lessons.Lesson) -> None:
    knobs = {
        f"{lesson.page}.{knob}": address._written(list(value) if isinstance(value, tuple) else value)
        for knob, value in lesson.knobs.items()
    }
    app = opened(lesson.page, corpus=lesson.corpus, doc=lesson.select, q=lesson.query, **knobs)
    assert app.session_state["q"] == lesson.query
    for knob, value in lesson.knobs.items():
        wanted = list(value) if isinstance(value, list | tuple) else value
        assert app.session_state[f"{lesson.page}.{knob}"] == wanted, knob


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
    ],
)
def test_whatever_a_link_says_at_length_is_soon_done_with(page: str, link: dict[str, str]) -> None:
    start = time.process_time()
    app = opened(page, corpus="devices", **link)
    assert time.process_time() - start < 10
    assert all(len(told.value) < 1000 for told in [*app.error, *app.warning])


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("textbook-nothing-en", "Textbook: "),
        ("Handbok", "Staff handbook (Chinese)"),
        ("devises", "Device support"),
        ("Our minutes of 2025", ""),
    ],
)
def test_a_link_to_an_unknown_sample_offers_those_with_similar_names(name: str, offered: str):
    form = "from lab.ui import address\nfrom lab.ui.layout import frame\naddress.begin()\n"
    app = AppTest.from_string(f"{form}frame._offer_instead({name!r})").run()
    assert ("There is no sample corpus" in app.warning[0].value) is bool(offered)
    assert [button.label.startswith(offered) for button in app.button][:1] == [True][: len(offered)]
    if app.button:
        chosen = app.button[0].key.removeprefix("corpus.near.")
        app.button[0].click().run()
        assert app.session_state["corpus"] == chosen
        assert chosen in samples.every_name()
