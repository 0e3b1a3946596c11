"""Every field of every operator can be drawn: with words in both languages, and a link brings its value back."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path
from typing import Any

import places
import pytest
from night import for_each, nightly
from streamlit.testing.v1 import AppTest

from lab import catalog
from lab.algebra import Operator
from lab.refine.diversity import MMR
from lab.refine.where import MetadataFilter
from lab.text import Analyzer
from lab.ui import address, i18n
from lab.ui.layout.knobs import Knob
from tests.contracts.specimens import made

ROOT = Path(__file__).parents[2]
OPERATORS: dict[str, Any] = {**catalog.operators(), "Analyzer": Analyzer}


def page(start, names, options):  # type: ignore[no-untyped-def]  # a script: it knows nothing of this module
    """A page that has nothing but knobs."""
    import streamlit as st

    from lab.ui import address
    from lab.ui.layout import frame
    from lab.ui.layout.page import Page

    frame.prepare()
    st.session_state["made"] = Page("compare", "Knobs", "?").knobs(start, *names, **options)
    address.write()


def drawn(start: Any, *names: str, lang: str = "en", link: dict[str, str] | None = None, **options: Any) -> AppTest:
    names = names or tuple(f.name for f in dataclasses.fields(start) if f.init)
    app = AppTest.from_function(page, args=(start, names, options), default_timeout=60)
    for key, value in {"lang": lang, **(link or {})}.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, app.exception
    return app


def widgets(app: AppTest) -> dict[str, Any]:
    """Every knob on the page by the name of its field."""
    found = [*app.slider, *app.number_input, *app.selectbox, *app.toggle, *app.text_input, *app.text_area]
    return {str(w.key).rpartition(".")[2]: w for w in [*found, *app.multiselect] if str(w.key).startswith("compare.")}


def specimens(cls: Any) -> list[Any]:
    return made(cls) if issubclass(cls, Operator) else [Analyzer(), Analyzer("full", True, frozenset({"的"}), ("词",))]


def fields(cls: Any) -> list[dataclasses.Field[Any]]:
    return [f for f in dataclasses.fields(cls) if f.init]


def ways_to_draw(cls: Any) -> set[tuple[Any, ...]]:
    """What decides how a knob is drawn, of each field: kind, type, bounds, offers, names."""
    ways, start = set(), specimens(cls)[0]
    for f in fields(cls):
        bounds = catalog.default(f) is None, f.metadata["high"] is None
        named = hasattr(getattr(start, f.name), "named")
        ways.add((f.metadata["kind"], "int" in str(f.type), *bounds, bool(f.metadata["offers"]), named))
    return ways


def of_every_kind() -> list[Any]:
    """The operators as parameters: a few have every kind of knob between them, the others are for the night."""
    seen, cases = set[tuple[Any, ...]](), list[Any]()
    for name, cls in sorted(OPERATORS.items(), key=lambda item: -len(ways_to_draw(item[1]))):
        case, ways = pytest.param(cls, id=name), ways_to_draw(cls)
        if ways:
            cases.append(nightly(case) if ways <= seen else case)
        seen |= ways
    return cases


EVERY_KIND = of_every_kind()


@for_each("cls", OPERATORS.values())
def test_the_words_of_every_field_are_known_in_chinese(cls: Any) -> None:
    chinese = i18n.catalogue("zh")
    words = [x for f in fields(cls) for x in (f.metadata["label"], f.metadata["help"], *f.metadata["called"].values())]
    assert [x for x in words if x not in chinese] == []


@pytest.mark.parametrize("cls", EVERY_KIND)
def test_every_field_is_drawn_with_words_in_chinese_and_starts_with_its_value(cls: Any) -> None:
    start, chinese = specimens(cls)[0], i18n.catalogue("zh")
    app = drawn(start, lang="zh")
    assert app.session_state["made"] == start
    found = widgets(app)
    assert set(found) == {f.name for f in fields(cls)}
    for f in fields(cls):
        assert found[f.name].label == chinese[f.metadata["label"]]
        assert found[f.name].help.replace("\\{", "{").startswith(chinese[f.metadata["help"]])


@for_each("cls", catalog.operators().values())
def test_every_technique_says_what_it_does_in_both_languages(cls: type[Operator]) -> None:
    chinese = i18n.catalogue("zh")
    assert cls.about in chinese
    name = catalog.title(cls)
    assert name in chinese or name == cls.__name__  # BM25, MMR, RRF: the same everywhere
    assert cls.about[0].isupper()
    assert cls.about[-1] == "."


@pytest.mark.parametrize("cls", EVERY_KIND)
def test_a_link_brings_every_field_back(cls: Any) -> None:
    first, *others = specimens(cls)
    for other in others[:3]:
        link = {}
        for f in fields(cls):
            value, start = getattr(other, f.name), getattr(first, f.name)
            if value != start:
                knob = Knob(f"compare.{cls.key}.{f.name}", f, start, catalog.hints(cls)[f.name])
                typed = knob.kind in ("spec", "words", "lines", "numbers")
                link[knob.key] = address._written(knob.text(value) if typed else value)
        app = drawn(first, link=link)
        assert app.session_state["made"] == other
        bar = {k: v[0] if isinstance(v, list) else v for k, v in app.query_params.items()}
        assert link.items() <= bar.items()


def test_nothing_of_the_machine_stands_in_a_link() -> None:
    cls = catalog.operators()["EndpointEmbedder"]
    app = drawn(cls())
    widgets(app)["secret"].set_value("sk-1234").run()
    widgets(app)["base_url"].set_value("http://127.0.0.1:9/v1").run()
    assert app.session_state["made"].base_url == "http://127.0.0.1:9/v1"
    assert not any("127.0.0.1" in str(v) or "sk-" in str(v) for v in app.query_params.values())


def test_a_showcase_says_that_it_is_one() -> None:
    found = widgets(drawn(MMR(k=5), "k", "fetch_k"))
    assert "This page starts with 5; the technique's own default is 10." in found["k"].help
    assert "starts with" not in found["fetch_k"].help


def test_a_number_that_may_be_left_open_is_left_open_by_a_link() -> None:
    start = MetadataFilter(max_age_days=730, as_of="2025-06-30")
    link = {"compare.metadatafilter.max_age_days": ""}
    app = drawn(start, "max_age_days", "as_of", link=link)
    assert app.session_state["made"].max_age_days is None
    assert "compare.metadatafilter.max_age_days" in app.query_params


def test_what_is_no_value_is_said_and_leaves_the_showcase() -> None:
    app = drawn(MMR(k=5), "embedder", "k")
    widgets(app)["embedder"].set_value("Nonsense(").run()
    assert not app.exception
    assert app.session_state["made"] == MMR(k=5)
    assert app.error or app.warning


def test_what_a_corpus_offers_is_chosen_from() -> None:
    app = drawn(MetadataFilter(), "sources", offers={"sources": ["manual", "forum"]})
    widgets(app)["sources"].set_value(["forum"]).run()
    assert app.session_state["made"].sources == ("forum",)


@for_each("path", places.PAGES)
def test_no_page_holds_the_label_or_the_words_of_a_knob(path: Path) -> None:
    words = {str(f.metadata[n]) for cls in OPERATORS.values() for f in fields(cls) for n in ("label", "help")}
    words |= {str(w) for cls in OPERATORS.values() for f in fields(cls) for w in f.metadata["called"].values()}
    own = {n.value for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Constant)}
    allowed = {"Model", "Prompt", "Filter", "Candidates", "Weights", "Name", "Rewriting", "Steps", "none", "cosine"}
    assert not {x for x in own if isinstance(x, str) and x in words and len(x) > 3 and " " in x} - allowed
