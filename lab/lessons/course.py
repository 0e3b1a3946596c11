"""The course: a sequence of steps, each of which asks for a prediction and performs a lesson (``course.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from lab.words import LANGUAGES


@dataclass(frozen=True)
class Performed:
    """A lesson (``corpus/id``), the question before it (`lab.lessons.asking`), and the labels of its lists.

    ``lists`` are shown, in this order; ``others`` are only mentioned.
    """

    lesson: str
    ask: Mapping[str, Any] = field(hash=False)
    lists: Mapping[str, str] = field(hash=False)
    others: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def names(self) -> dict[str, str]:
        return {**self.lists, **self.others}


@dataclass(frozen=True)
class Stage:
    """One step of the course.

    ``title``, ``text`` and ``talk`` (topics to discuss in class) are keyed by language, as are the lessons; a step
    without lessons is about the reader's own documents.
    """

    id: str
    page: str
    minutes: int
    title: Mapping[str, str] = field(hash=False)
    text: Mapping[str, str] = field(hash=False)
    talk: Mapping[str, str] = field(hash=False)
    lessons: Mapping[str, Performed] = field(hash=False)


@cache
def course() -> tuple[Stage, ...]:
    tables = tomllib.loads(Path(__file__).with_name("course.toml").read_text("utf-8"))["step"]
    return tuple(
        Stage(
            **{name: value for name, value in table.items() if name not in LANGUAGES},
            lessons={lang: Performed(**table[lang]) for lang in LANGUAGES if lang in table},
        )
        for table in tables
    )
