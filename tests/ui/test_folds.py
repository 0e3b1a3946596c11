"""What is folded away is not computed: counted by the calls of what stands in it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import places
import pytest
from night import for_each
from streamlit.testing.v1 import AppTest

from lab.retrieve.lexical import LexicalIndex
from lab.retrieve.vector import VectorIndex
from lab.ui.figures import rank_charts
from lab.ui.layout import export
from lab.ui.lists import why
from lab.ui.study import measuring

ROOT = Path(__file__).parents[2]
PAGES = {p.parent.name: p for p in places.PAGES}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    counted: dict[str, int] = {}

    def count(module: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(module, name)

        def called(*args: Any, **named: Any) -> Any:
            counted[name] = counted.get(name, 0) + 1
            return real(*args, **named)

        monkeypatch.setattr(module, name, called)

    for module, name in ((export, "buttons"), (rank_charts, "rank_flow"), (why, "agreement")):
        count(module, name)
    return counted


def opened(page: str, *folds: str, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {
        "lang": "en",
        "corpus": "devices",
        **{f"{page}.fold.{fold}": "1" for fold in folds},
        **{f"{page}.{k}": v for k, v in link.items()},
    }.items():
        app.query_params[key] = value
    app.switch_page(PAGES[page].relative_to(ROOT).as_posix()).run()
    assert not app.exception
    return app


def test_the_tipping_points_of_a_question_are_reckoned_once_wherever_the_knob_stands(monkeypatch: pytest.MonkeyPatch):
    reckoned, drawn, draw = [], [], rank_charts.strip
    real = measuring.tipping
    monkeypatch.setattr(measuring, "tipping", lambda *about: reckoned.append(about) or real(*about))
    monkeypatch.setattr(
        rank_charts, "strip", lambda tips, *rest, **more: drawn.append(tips) or draw(tips, *rest, **more)
    )
    app = opened("fusion")
    for weight in (0.7, 0.0, 1.0, 0.125):
        app.slider(key="fusion.weight").set_value(weight).run()
        assert drawn[-1].current == weight
    assert len(reckoned) == 1
    fusion, rankings, axis = reckoned[0]
    for weight in (0.0, 0.125, 0.7, 1.0):
        anew = real(fusion.weighted((weight, 1 - weight)), rankings, axis)
        assert anew.intervals == drawn[0].intervals
    app.text_input("q").set_value("battery empty")
    next(b for b in app.button if b.label == "Search").click().run()
    assert len(reckoned) == 2
    assert drawn[-1].documents != drawn[0].documents


def test_a_knob_of_the_fusion_searches_nothing_again_and_another_question_does(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for cls in (LexicalIndex, VectorIndex):
        real = cls.search

        def search(self: Any, query: Any, *, real: Any = real, **more: Any) -> Any:
            asked.append(type(self).__name__)
            return real(self, query, **more)

        monkeypatch.setattr(cls, "search", search)
    app = opened("fusion")
    both = {"LexicalIndex", "VectorIndex"}
    assert {*asked} == both
    app.run()  # the first search has prepared what this one is measured with
    asked.clear()
    app.slider(key="fusion.weight").set_value(0.7).run()
    assert asked == []
    app.text_input("q").set_value("battery empty")
    next(b for b in app.button if b.label == "Search").click().run()
    assert {*asked} == both


def test_a_run_of_fusion_computes_nothing_of_what_is_folded(calls: dict[str, int]) -> None:
    app = opened("fusion")
    app.run()
    assert calls == {}


def test_a_fold_that_a_link_opens_is_computed_and_no_other(calls: dict[str, int]) -> None:
    opened("fusion", "export")
    assert calls == {"buttons": 1}


def test_compare_folds_its_agreement(calls: dict[str, int]) -> None:
    opened("compare")
    assert calls == {}
    opened("compare", "agree")
    assert calls["agreement"] == 1


def test_presets_are_made_when_they_are_opened_and_can_be_chosen_then() -> None:
    app = opened("fusion")
    assert not [b for b in app.button if b.key == "fusion.preset.Equal, 0.5 / 0.5"]
    app.session_state["fusion.presets"] = True
    app.run()
    next(b for b in app.button if "0.95" in b.label).click().run()
    assert app.slider("fusion.weight").value == 0.05


def test_the_reasons_of_a_list_are_made_when_its_tab_is_opened() -> None:
    app = opened("compare", embedders="built-in,lsa")
    assert [bool(tab.children) for tab in app.tabs] == [True, False, False, False]
    app.session_state["compare.why"] = "TF-IDF"
    app.run()
    assert [bool(tab.latex) for tab in app.tabs] == [False, True, False, False]


def test_the_reasons_of_three_lists_stand_side_by_side() -> None:
    app = opened("compare")
    assert not app.tabs
    assert len(app.latex) == 2  # those of the lists by words


@for_each("path", PAGES.values())
def test_no_page_has_a_fold_of_another_kind(path: Path) -> None:
    names = [n.attr for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Attribute)]
    assert "expander" not in names


def branches(path: Path) -> int:
    """The branches of a page outside of its functions: what one must hold in the head when reading it."""
    count, todo = 0, list(ast.parse(path.read_text("utf-8")).body)
    one = (ast.If, ast.For, ast.While, ast.IfExp, ast.ExceptHandler, ast.comprehension)
    while todo:
        node: ast.AST = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            continue
        count += isinstance(node, one) + (len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0)
        todo += list(ast.iter_child_nodes(node))
    return count


@for_each("path", PAGES.values())
def test_a_page_has_at_most_25_branches(path: Path) -> None:
    assert branches(path) <= 25
