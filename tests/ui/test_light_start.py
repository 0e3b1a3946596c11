"""The first pages load nothing that they do not show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lab.corpus import samples
from lab.lessons import read
from lab.lessons.reading import Searches
from lab.ui import launch

ROOT = Path(__file__).parents[2]
OTHERS = {
    *("chromadb", "huggingface_hub", "jieba", "langchain_text_splitters", "lxml", "mammoth", "model2vec", "openai"),
    *("openpyxl", "pandas", "pyarrow", "pymilvus", "pypdf", "pypinyin", "sentence_transformers", "sklearn"),
    *("lab.answer", "lab.evaluate.experiments", "lab.evaluate.sweeping", "lab.explain.graph", "sqlglot", "torch"),
    *("lab.lessons.checking", "lab.lessons.forms", "lab.reading.pdf", "lab_packs.text2sql.schema"),
    *("lab.ui.study.evaluating", "lab.ui.lessons.handout", "lab.ui.documents.uploading"),
}
"""Streamlit itself imports plotly before it draws anything."""
COMPARE = f"""
import logging, sys
logging.disable(logging.CRITICAL)
sys.path.insert(0, {str(ROOT / "tests")!r})
import app_pages
from streamlit.testing.v1 import AppTest
compare, home, course = "retrieve/compare", "start/home", "start/course"
for page, language in (compare, "en"), (compare, "zh"), (home, "zh"), (course, "en"):
    app = AppTest.from_file({str(ROOT / "app.py")!r}, default_timeout=120)
    app.query_params["lang"] = language
    app.switch_page(f"pages/{{page}}/page.py").run()
    assert not app.exception, app.exception
    assert page != compare or app.session_state["compare.k"] == 8
    print(page, *sorted({OTHERS} & sys.modules.keys()))
"""


def test_compare_home_and_course_are_drawn_without_the_modules_of_other_pages() -> None:
    command = [sys.executable, "-c", COMPARE]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    compare, in_chinese, *others = done.stdout.splitlines()
    assert (compare, in_chinese) == ("retrieve/compare",) * 2
    assert [{*page.split()} & {"pandas", "pyarrow", "pypinyin", "sklearn"} for page in others] == [set()] * 2


def test_lessons_that_are_trusted_are_those_that_are_checked() -> None:
    for name in samples.every_name():
        checked, trusted = read(samples.folder(name)), read(samples.folder(name), checked=False)
        assert trusted == checked
        for lesson, same in zip(trusted, checked, strict=True):
            assert list(lesson.lists) == list(same.lists)
            assert dict(lesson.lists) == dict(same.lists)


def test_a_search_of_a_lesson_is_read_once_and_when_it_is_used() -> None:
    searches = Searches({"good": "BM25()", "bad": "no search"})
    assert (len(searches), list(searches), "good" in searches, "other" in searches) == (2, ["good", "bad"], True, False)
    assert searches["good"] is searches["good"]


def test_what_no_page_needs_yet_waits_for_the_visitors(monkeypatch) -> None:
    now, slept = [100.0], list[float]()
    monkeypatch.setattr(launch.time, "monotonic", lambda: now[0])

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds
        if len(slept) == 1:
            launch.begin_run()  # a visitor comes meanwhile

    monkeypatch.setattr(launch.time, "sleep", sleep)
    launch.begin_run()
    now[0] += 2
    launch._wait_for_quiet()
    assert slept == [launch.QUIET - 2, launch.QUIET]
    slept.clear()
    launch._wait_for_quiet()
    assert slept == []
