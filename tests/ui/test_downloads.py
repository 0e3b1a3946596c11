"""Every download of every page: its file is made in a thread without a session, in the language of the page."""

from __future__ import annotations

import csv
import io
import json
import re
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import places
import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab.ui import components, escape
from lab.ui.i18n import in_language

ROOT = Path(__file__).parents[2]
PAGES = sorted(path.parent.name for path in places.PAGES)


BEGINNINGS = {"zip": b"PK", "png": b"\x89PNG\r\n\x1a\n"}
"""How a file of a kind begins that is no text."""


def folds(page: str) -> set[str]:
    """The names of all parts of a page that can be folded."""
    sources = [*(ROOT / places.file_of(page)).parent.glob("*.py"), *(ROOT / "lab" / "ui").rglob("*.py")]
    return {"export"} | {name for path in sources for name in re.findall(r'\bfold\("(\w+)"', path.read_text("utf-8"))}


def elsewhere(make: Callable[[], Any]) -> Any:
    """What is made in a thread of its own, as Streamlit makes a file when its button is pressed."""
    made: list[Any] = []
    thread = threading.Thread(target=lambda: made.append(make()))
    thread.start()
    thread.join()
    assert made, "see the error above"
    return made[0]


def read(file: str, data: str | bytes) -> None:
    """Opens a file by its kind; it must have something in it."""
    assert data, file
    end = file.rpartition(".")[2]
    if end in BEGINNINGS:
        assert isinstance(data, bytes)
        assert data.startswith(BEGINNINGS[end]), file
        return
    text = data if isinstance(data, str) else data.decode("utf-8")
    if end == "json":
        assert json.loads(text.removeprefix("\ufeff")), file
    elif end == "jsonl":
        assert all(isinstance(json.loads(line), dict) for line in text.splitlines()), file
    elif end == "csv":
        assert len(list(csv.reader(io.StringIO(text)))) > 1, file
    elif end == "toml":
        assert tomllib.loads(text), file
    elif end == "svg":
        assert ElementTree.fromstring(text).tag.endswith("svg"), file
    elif end == "html":
        assert text.lstrip().lower().startswith("<!doctype html"), file
    else:
        assert text.strip(), file


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize(("page", "lang"), spread([(page, lang) for page in PAGES for lang in ("en", "zh")], 1))
def test_every_download_of_a_page_is_made_without_its_session_and_can_be_read(
    page: str, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: dict[str, tuple[Any, Any]] = {}

    def offer(_place: Any, label: str, make: Any, file: str, mime: str, *, key: str, **how: Any) -> None:
        if not how.get("disabled"):
            here = make() if callable(make) else make
            offered[file] = here, in_language(make) if callable(make) else lambda: make

    monkeypatch.setattr(components, "download", offer)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    for key, value in {"lang": lang, **{f"{page}.fold.{name}": "1" for name in folds(page)}}.items():
        app.query_params[key] = value
    app.switch_page(places.file_of(page)).run()
    assert not app.exception, app.exception
    assert offered or page in WITHOUT
    for file, (here, make) in offered.items():
        there = elsewhere(make)
        if isinstance(here, str):
            assert there == here, file
        read(file, there)


WITHOUT = {"course", "vocabulary"}
"""A page whose only download is behind a popover (see the browser tests), and one with pictures only."""


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_tries_of_a_page_are_downloaded_with_what_was_tried(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, Callable[[], str]] = {}

    def offer(_place: Any, label: str, make: Any, file: str, mime: str, *, key: str, **how: Any) -> None:
        files[file] = in_language(make) if callable(make) else lambda: make

    monkeypatch.setattr(components, "download", offer)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": lang, "corpus": "devices", "compare.fold.export": "1", "q": "E21"}.items():
        app.query_params[key] = value
    app.switch_page("pages/retrieve/compare/page.py").run()
    assert not app.exception
    (row,) = json.loads(elsewhere(files["devices-compare-tries.json"]))
    assert row["question"] == "E21"
    for end in ("csv", "md", "json"):
        assert {"en": "Vector", "zh": "向量"}[lang] in elsewhere(files[f"devices-compare-tries.{end}"])


def test_a_table_with_unknown_whole_numbers_is_written_in_both_forms() -> None:
    table = pd.DataFrame({"name": ["a", None], "wins": pd.array([3, pd.NA], "Int64"), "p": [0.25, float("nan")]})
    assert escape.as_markdown(table).splitlines()[2:] == ["| a | 3 | 0.2500 |", "|  |  |  |"]
    assert escape.as_csv(table).splitlines() == ["name,wins,p", "a,3,0.25", ",,"]


def test_one_function_offers_downloads() -> None:
    calls = [path.name for path in places.code() if ".download_button(" in path.read_text("utf-8")]
    assert calls == ["components.py"]
