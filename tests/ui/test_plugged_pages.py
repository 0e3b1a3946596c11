"""A plug-in on the pages: offered wherever its kind is, with its arithmetic, and no page is edited for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab import catalog, formats, plugins
from lab.algebra import Corpus, Document, Query, Ranking, Runner
from lab.errors import PluginError
from lab.ui import palette
from lab.ui.lists import nothing, why
from lab.words import Said

ROOT = Path(__file__).parents[2]
NGRAMS = ROOT / "tests/plugged/ngrams.py"
LIST, FUSION, RERANKER = "Character n-grams", "Log rank", "Title bonus"
SEARCH = "LogRank()(BM25(), CharNGrams()) >> TitleBonus()"


@pytest.fixture(autouse=True)
def plugged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(plugins.VARIABLE, str(NGRAMS))


def drawn(page: str, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", "corpus": "devices", "q": "wirless chargng", **link}.items():
        app.query_params[key] = value
    app.switch_page(f"pages/{page}/page.py").run()
    assert not app.exception, app.exception
    return app


def options(app: AppTest, key: str) -> list[str]:
    return list(next(w for w in [*app.multiselect, *app.selectbox] if w.key == key).options)


def formulas(app: AppTest) -> str:
    return "\n".join(latex.value for latex in app.latex)


def captions(app: AppTest) -> str:
    return "\n".join(caption.value.replace("\\", "") for caption in app.caption)


OFFERED = {
    "retrieve/compare": {"compare.lists": LIST},
    "combine/fusion": {"fusion.lists": LIST, "fusion.method": FUSION},
    "combine/mmr": {"mmr.of": LIST},
    "refine/rerank": {"rerank.from": LIST, "rerank.by": RERANKER},
    "refine/filter": {"filter.from": LIST},
    "refine/compress": {"compress.from": LIST},
    "refine/reorder": {"reorder.of": LIST},
    "index/granularity": {"granularity.of": LIST},
    "query/rewrite": {"rewrite.of": LIST, "rewrite.merge": FUSION},
    "query/dialogue": {"dialogue.of": LIST},
    "whole/evaluate": {"evaluate.searches": LIST},
    "whole/answer": {"answer.search": LIST},
    "whole/judge": {"judge.searches": LIST},
}
CHOSEN = {LIST: "charngrams", FUSION: "logrank", RERANKER: "titlebonus"}


@pytest.mark.parametrize("page", spread(OFFERED, 1))
def test_every_page_that_offers_its_kind_offers_it_and_works_with_it(page: str) -> None:
    chosen = {key: CHOSEN[name] for key, name in OFFERED[page].items()}
    app = drawn(page, **chosen | ({"evaluate.n": "5"} if page == "whole/evaluate" else {}))
    assert not app.error
    for key, name in OFFERED[page].items():
        assert name in options(app, key)
    for key, value in chosen.items():
        assert value in app.query_params[key]


def test_compare_draws_the_arithmetic_of_a_list_that_explains_itself() -> None:
    app = drawn("retrieve/compare", **{"compare.lists": "charngrams", "compare.embedders": ""})
    assert r"\text{har}" in formulas(app)
    assert r"\underbrace" in formulas(app)
    slider = next(x for x in app.slider if x.key == "compare.charngrams.longest")
    assert (slider.label, slider.value) == (f"{LIST} · Longest piece", 4)
    assert f"{LIST} 0.0 ms" not in captions(app), "the lab measures a search that does not measure itself"
    before = formulas(app)
    slider.set_value(2).run()
    assert not app.exception
    assert formulas(app) != before


@pytest.mark.nightly
def test_fusion_draws_the_arithmetic_of_a_fusion() -> None:
    app = drawn("combine/fusion", **{"fusion.lists": "bm25,charngrams", "fusion.method": "logrank", "q": "charging"})
    assert r"\frac{1}{\ln\left(1+" in formulas(app)
    assert rf"\text{{{LIST}}}" in formulas(app)


@pytest.mark.nightly
def test_rerank_draws_the_knob_and_the_sum_of_a_reranker() -> None:
    app = drawn("refine/rerank", **{"rerank.by": "titlebonus", "rerank.from": "charngrams", "q": "wireless charging"})
    slider = next(x for x in app.slider if x.key == "rerank.titlebonus.bonus")
    assert slider.value == 1.0
    assert "= the sum of its components" in captions(app)
    slider.set_value(2.5).run()
    assert not app.exception
    assert app.query_params["rerank.titlebonus.bonus"] in ("2.5", ["2.5"])


def test_evaluate_measures_a_list() -> None:
    app = drawn("whole/evaluate", **{"evaluate.searches": "bm25,charngrams", "evaluate.n": "5"})
    assert any(LIST in frame.value.to_string() for frame in app.dataframe)


def test_pipeline_opens_and_offers_all_of_it() -> None:
    app = drawn("whole/pipeline", **{"pipeline.a": formats.to_link(formats.parse(SEARCH))})
    assert RERANKER in options(app, "pipeline.as.a.refine.0")
    assert not app.error
    for path, name in (("fuse", FUSION), ("retrieve.1", LIST)):
        app = drawn(
            "whole/pipeline", **{"pipeline.a": formats.to_link(formats.parse(SEARCH)), "pipeline.at": f"a/{path}"}
        )
        assert name in options(app, f"pipeline.as.a.{path}"), path


def test_a_list_that_does_not_explain_itself_says_no_more_than_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug(PLAIN, tmp_path / "mine.py", monkeypatch)
    found = catalog.retrievers()["Titles"]()
    runner = Runner(Corpus("one", (Document("a", "x", "Camera"),)))
    assert nothing.nothing(runner(found, "camera"), runner.index(found)) == (
        "This list has no results for the question. Ask something else, or choose another list."
    )
    assert nothing.nothing(runner(found, "  "), runner.index(found)) == "The query is empty. Type a question."
    app = drawn("retrieve/compare", q="Camera", **{"compare.lists": "titles,tfidf", "compare.titles.share": "1"})
    assert next(x for x in app.slider if x.key == "compare.titles.share").value == 1.0


def test_a_document_that_no_empty_list_has_is_behind_no_rank() -> None:
    corpus = Corpus("one", (Document("a", "x"),))
    made = Ranking(Query("y"), (), catalog.retrievers()["CharNGrams"](), corpus=corpus)
    assert why.place(made, "a") == "–"


def test_lists_of_two_plug_ins_have_two_colours() -> None:
    classes = catalog.retrievers()
    lists = [classes["BM25"](), classes["CharNGrams"](), classes["CharNGrams"](longest=5), classes["Vector"]()]
    assert len(set(palette.families(lists))) == 4


# ------------------------------------------------------------------------------------------------- what goes wrong

PLAIN = """
from lab.algebra import NONE, Hit, Index, Retriever, knob

@dataclass(frozen=True)
class Titles(Retriever):
    '''Documents whose title the question names.'''

    share: float = knob(0.5, low=0, high=1, label="Share")  # bounds without a point

    def index(self, corpus, *, models=NONE, progress=None):
        return _Index(self, corpus)

class _Index(Index):
    def __init__(self, operator, corpus):
        self.operator, self.corpus = operator, corpus

    def search(self, query, *, k=100, explain=True):
        hits = [Hit(d, 1.0) for d in self.corpus if query.text and query.text == d.title]
        return Ranking(query, tuple(hits[:k]), self.operator, corpus=self.corpus)
"""

HEAD = "from dataclasses import dataclass\nfrom lab.algebra import Env, Outcome, Ranking, Stage\n"
FAILING = """
@dataclass(frozen=True)
class Fails(Stage):
    '''Fails.'''

    label = "Fails now"
    role = "rerank"

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        raise ZeroDivisionError("no luck")


class Undecorated(Stage):
    '''No dataclass.'''

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        return Outcome(ranking.hits)
"""


def plug(source: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text(HEAD + source, "utf-8")
    monkeypatch.setenv(plugins.VARIABLE, str(path))


def errors(app: Any) -> list[str]:
    return [error.value.replace("\\", "") for error in app.error]


@pytest.mark.parametrize("lang", spread(["en", "zh"], 1))
def test_a_plug_in_that_fails_is_named_and_the_lab_continues(
    lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    plug(FAILING, tmp_path / "mine.py", monkeypatch)
    app = drawn("refine/rerank", lang=lang, q="camera", **{"rerank.by": "fails"})
    (left_out,), (failed,) = errors(app.sidebar), errors(app.main)
    line = 1 + (HEAD + FAILING).split("raise Zero")[0].count("\n")
    if lang == "en":
        assert left_out.startswith("Undecorated of the plug-in mine.py is left out: it is not a frozen dataclass.")
        assert failed.startswith(
            f"Fails of the plug-in mine.py failed (mine.py, line {line}): ZeroDivisionError: no luck."
        )
        assert "Choose another technique" in failed
    else:
        assert "插件 mine.py 的 Undecorated 没有载入" in left_out
        assert failed.startswith(f"插件 mine.py 的 Fails 出错了（mine.py 第 {line} 行）")
    assert "no luck" in caplog.text
    assert app.query_params["rerank.by"] in ("fails", ["fails"])
    app.switch_page("pages/retrieve/compare/page.py").run()
    assert not app.exception
    assert errors(app) == [left_out]


def test_another_technique_is_chosen_on_the_page_where_one_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug(FAILING, tmp_path / "mine.py", monkeypatch)
    app = drawn("refine/rerank", q="camera", **{"rerank.by": "fails"})
    assert errors(app.main)
    next(w for w in app.multiselect if w.key == "rerank.by").set_value(["querycoverage"]).run()
    assert not app.exception
    assert not errors(app.main)


def test_strangers_are_told_no_reason_and_meet_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plug(FAILING, tmp_path / "mine.py", monkeypatch)
    monkeypatch.setenv("LAB_PUBLIC", "1")
    app = drawn("refine/rerank", q="camera", **{"rerank.by": "fails"})
    (told,) = errors(app)
    assert told.startswith("Plug-ins from files are refused while LAB_PUBLIC is set.")
    assert str(tmp_path) not in told
    assert "Fails now" not in options(app, "rerank.by")


def test_strangers_learn_nothing_of_a_package_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = PluginError(
        Said("The plug-in {plugin} cannot be loaded: {reason}.", plugin="acme", reason="no /srv/model")
    )
    monkeypatch.setattr(catalog, "plugins", lambda: plugins.Plugins((), (problem,)))
    assert "/srv/model" in "".join(errors(drawn("retrieve/compare").sidebar))
    monkeypatch.setenv("LAB_PUBLIC", "1")
    assert errors(drawn("retrieve/compare")) == []


def test_what_stops_a_page_passes_through_a_plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = FAILING.replace('raise ZeroDivisionError("no luck")', "__import__('streamlit').stop()")
    plug(source, tmp_path / "mine.py", monkeypatch)
    app = drawn("refine/rerank", q="camera", **{"rerank.by": "fails"})
    assert len(errors(app)) == 1  # of the class that is left out


def test_a_bug_of_the_lab_is_not_blamed_on_a_plug_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.ui.lists.show.lists", lambda *_args, **_more: 1 / 0)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["corpus"] = "devices"
    app.switch_page("pages/retrieve/compare/page.py").run()
    (error,) = app.error
    assert "plug-in" not in error.value
    (details,) = app.exception
    assert "division by zero" in details.value


def test_an_embedder_is_offered_in_the_frame_and_as_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
import numpy as np
from lab.models.embedders import Embedder, Encoder

class _Letters(Encoder):
    dimensions = 26

    def documents(self, texts, *, progress=None):
        return np.array([[text.lower().count(chr(97 + i)) + 0.1 for i in range(26)] for text in texts], np.float32)

@dataclass(frozen=True)
class Letters(Embedder):
    '''How often each letter is there.'''

    label = "Letter counts"

    def fit(self, corpus):
        return _Letters()
"""
    plug(source, tmp_path / "mine.py", monkeypatch)
    app = drawn("combine/fusion", embedder="letters", **{"fusion.lists": "bm25,vector,vector-built-in"})
    assert not app.error
    assert "Letter counts" in options(app, "embedder")
    assert any("Letter counts" in name for name in options(app, "fusion.lists"))
