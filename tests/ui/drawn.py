"""A page opened on a small corpus and a question, and every sentence that stands on it, with the values in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Ranking
from lab.corpus.beir import Collection
from lab.retrieve.lexical import BM25
from lab.text import Analyzer
from lab.ui import components, i18n
from lab.ui.layout import frame
from lab.ui.lists import show
from lab.ui.people.visitor import Visitor

ROOT = Path(__file__).parents[2]


@dataclass
class Told:
    """One sentence: its template, the values in it, and how it reads."""

    template: str
    values: dict[str, Any]
    text: str


class _Recorded(str):
    """A template that tells what is filled into it."""

    log: list[Told]

    def format(self, *values: Any, **named: Any) -> str:
        text = str(self)
        out = text.format(*values, **named)
        self.log.append(Told(text, named, out))
        return out


@dataclass
class Screen:
    """What a page shows: its texts, its sentences with their values, its lists as they were handed to `show.lists`."""

    app: AppTest
    page: str
    collection: Collection
    question: str
    said: list[Told] = field(default_factory=list)
    texts: str = ""
    lists: list[tuple[str, Sequence[show.Panel], dict[str, Any], dict[str, Any]]] = field(default_factory=list)

    @property
    def corpus(self) -> Corpus:
        return self.collection.corpus

    def rankings(self, page: str = "") -> dict[str, Ranking]:
        """The lists of the page by their names."""
        return {
            p.name: p.ranking for name, panels, _how, _data in self.lists if not page or name == page for p in panels
        }


@contextmanager
def recording(log: list[Told], lists: list[Any], data: list[Any]) -> Iterator[None]:
    """Keep what is said and what components are given."""
    drawn = show.lists

    def translate(text: str, lang: str) -> str:
        told = _Recorded(text)
        told.log = log
        log.append(Told(text, {}, text))
        return told

    def listed(page: str, panels: Sequence[show.Panel], f: Any, **how: Any) -> None:
        before = len(data)
        drawn(page, panels, f, **how)
        lists.append((page, panels, how, data[before]))

    def take(given: Any, **_how: Any) -> None:
        data.append(given)

    with (
        patch.object(i18n, "translate", translate),
        patch.object(show, "lists", listed),
        patch.object(components, "lists", take),
        patch.object(components, "passage", take),
        patch.object(components, "tokens", take),
    ):
        yield


def screen(page: str, own: Collection, question: str, **link: str) -> Screen:
    """A page on an upload, with this question."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    app.session_state[frame.VISITOR].store(frame.UPLOADS)[own.name] = own
    for name, value in {"lang": "en", "corpus": own.name, "q": question, **link}.items():
        app.query_params[name] = value
    made = Screen(app, page, own, question)
    data: list[Any] = []
    with recording(made.said, made.lists, data):
        app.switch_page(f"pages/{page}/page.py").run()
    assert not app.exception, app.exception
    assert not app.error, app.error
    kinds = (app.caption, app.info, app.warning, app.markdown, app.subheader, app.latex, app.metric)
    shown = [f"{getattr(x, 'label', '')} {x.value}" for kind in kinds for x in kind]
    made.texts = "\n".join([*shown, json.dumps(data, ensure_ascii=False, default=str)])
    made.said = [told for told in made.said if told.text in made.texts or json.dumps(told.text)[1:-1] in made.texts]
    return made


# ------------------------------------------------------------------------------------------------- what is true

Checker = Callable[[Screen, dict[str, Any], str], bool]
CHECKS: dict[str, Checker] = {}


def about(*templates: str) -> Callable[[Checker], Checker]:
    """This checks these sentences."""

    def add(check: Checker) -> Checker:
        CHECKS.update(dict.fromkeys(templates, check))
        return check

    return add


def plain(told: str) -> str:
    """A text as it was before it was made harmless for Markdown."""
    return re.sub(r"\\([^\w\s])", r"\1", told).replace("&lt;", "<").replace("&amp;", "&")


def terms(s: Screen, own: Analyzer | None = None) -> tuple[set[str], list[list[str]]]:
    """The words of the question and those of every document, under the analyzer of a list."""
    used = (own or BM25().analyzer).for_query(s.question)
    return set(used.tokens(s.question)), [used.tokens(d.content) for d in s.corpus]
