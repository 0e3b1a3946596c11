"""Given scores on the pages: a field, pasted rows or an uploaded run as the list that everything begins with."""

from __future__ import annotations

from pathlib import Path

import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab import formats
from lab.corpus import samples
from lab.retrieve.given import Given
from lab.ui.lists import sources
from ui.conftest import unescaped

ROOT = Path(__file__).parents[2]
CORPUS = samples.load("devices").corpus
IDS = [d.id for d in CORPUS][:6]
PAGES = {
    "retrieve/compare": "compare.lists",
    "combine/fusion": "fusion.lists",
    "combine/mmr": "mmr.of",
    "refine/rerank": "rerank.from",
    "refine/filter": "filter.from",
    "refine/compress": "compress.from",
    "refine/reorder": "reorder.of",
    "query/rewrite": "rewrite.of",
    "query/dialogue": "dialogue.of",
    "index/granularity": "granularity.of",
}


def opened(page: str, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", "corpus": "devices", "q": "anything at all", **link}.items():
        app.query_params[key] = value
    app.switch_page(f"pages/{page}/page.py").run()
    assert not app.exception, app.exception
    return app


def words(app: AppTest) -> str:
    return unescaped(
        "\n".join(str(x.value) for x in [*app.caption, *app.info, *app.error, *app.warning, *app.markdown])
    )


@pytest.mark.parametrize("page", spread(PAGES, 4))
def test_every_page_that_chooses_lists_takes_rows_from_a_link(page: str) -> None:
    name = PAGES[page].split(".")[0]
    rows = "\n".join([*IDS, "nobody"])
    app = opened(page, **{PAGES[page]: "given", f"{name}.given.rows": rows})
    assert not app.error
    assert app.text_area(key=f"{name}.given.rows").value == rows
    assert app.query_params[f"{name}.given.rows"] == rows


def test_the_page_says_what_is_missing_and_what_was_left_out() -> None:
    assert "No scores are given yet" in words(opened("refine/reorder", **{"reorder.of": "given"}))
    other = "query,document,score\nanother question,dv-001,1"
    app = opened("refine/reorder", **{"reorder.of": "given", "reorder.given.rows": other})
    assert "The rows are for other questions: another question." in words(app)


def test_bad_rows_are_refused_and_stay_in_the_field() -> None:
    app = opened("refine/filter", **{"filter.from": "given", "filter.given.rows": "dv-001 0.5"})
    app.text_area(key="filter.given.rows").set_value("dv-001 0.5\ndv-002 high").run()
    assert not app.exception
    assert "Line 2: “high” is not a number." in unescaped(app.error[0].value)
    assert app.text_area(key="filter.given.rows").value == "dv-001 0.5\ndv-002 high"


def test_a_file_fills_the_rows_and_a_bad_one_leaves_them() -> None:
    app = opened("refine/reorder", **{"reorder.of": "given", "reorder.given.rows": "dv-003"})
    run = "".join(f"q Q0 {i} {rank} {9 - rank} engine\n" for rank, i in enumerate(IDS, 1))
    app.file_uploader(key="reorder.given.file").set_value(("bad.run", b"q Q0 dv-001 1 x engine\n", "text/plain")).run()
    assert "“x” is not a number" in unescaped(app.error[0].value)
    assert app.text_area(key="reorder.given.rows").value == "dv-003"
    app.file_uploader(key="reorder.given.file").set_value(("own.run", run.encode(), "text/plain")).run()
    assert not app.exception
    assert app.text_area(key="reorder.given.rows").value == run.strip()
    app.text_area(key="reorder.given.rows").set_value("dv-002").run()
    assert app.text_area(key="reorder.given.rows").value == "dv-002"  # the file does not come back


def test_what_was_given_on_one_page_is_there_on_the_next() -> None:
    app = opened("refine/reorder", **{"reorder.of": "given", "reorder.given.rows": "\n".join(IDS)})
    app.switch_page("pages/refine/filter/page.py").run()
    app.multiselect(key="filter.from").set_value(["given"]).run()
    assert not app.exception
    assert app.text_area(key="filter.given.rows").value == "\n".join(IDS)
    app.text_area(key="filter.given.rows").set_value("").run()
    assert app.text_area(key="filter.given.rows").value == ""
    assert "No scores are given yet" in words(app)
    for page, rows in (("reorder", ""), ("filter", "dv-001"), ("reorder", "dv-001")):  # as on the page before
        if page == "filter":
            app.text_area(key="reorder.given.rows").set_value(rows).run()
        app.switch_page(f"pages/refine/{page}/page.py").run()
        assert app.text_area(key=f"{page}.given.rows").value == rows


def test_long_rows_stand_in_no_link() -> None:
    rows = "\n".join(f"{d.id} {i}" for i, d in enumerate(CORPUS)) + "\n" + "\n".join(f"x{i} 0" for i in range(400))
    app = opened("refine/reorder", **{"reorder.of": "given"})
    app.text_area(key="reorder.given.rows").set_value(rows).run()
    assert not app.exception
    assert "reorder.given.rows" not in app.query_params
    assert "too long for a link" in words(app)
    assert app.text_area(key="reorder.given.rows").value == rows


def test_a_run_is_measured_judged_and_taken_apart_beside_the_labs_lists() -> None:
    search = formats.expression(Given(rows=tuple(IDS)))
    first = CORPUS.documents[0].label
    app = opened("whole/evaluate", **{"pipeline.a": search, "evaluate.n": "3"})
    app.multiselect(key="evaluate.searches").set_value(["bm25", search]).run()
    assert not app.exception
    assert not app.error
    told = words(opened("whole/pipeline", **{"pipeline.a": search, "pipeline.b": "BM25()", "q": "battery empty"}))
    assert "this list and A differ from this step on: BM25." in told
    assert first in told


def test_a_list_without_its_scores_is_not_measured() -> None:
    assert sources.lacking(Given())
    assert not sources.lacking(Given("grade"))
    app = opened("whole/evaluate", **{"evaluate.n": "5"})
    assert "Given scores" not in app.multiselect(key="evaluate.searches").options
