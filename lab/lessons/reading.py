"""Reads lessons from a file: the ``lessons.toml`` of a corpus has a list of tables::

    [[lesson]]
    id = "code-beats-meaning"
    page = "compare"
    query = "E21"
    turns = ["…", "…"]                              # the turns before it, if the page is a conversation
    select = "d12"                                  # the document that the page opens
    knobs = { "bm25.k1" = 0.9 }                     # the widgets of the page; operators = true: “Use operators” is on
    title = { en = "…", zh = "…" }
    [lesson.lists]                                  # searches, as `lab.formats.parse` reads them
    bm25 = "BM25(k1=0.9)"
    vector = "Vector()"
    "five of fifty" = "RRF()(BM25(), Vector()) % 50 >> MMR(k=5)"
    [[lesson.step]]                                 # its sentences, in the order in which they are performed
    en = "…"
    zh = "…"
    expect = [
        { list = "bm25", doc = "d12", rank = 1 },   # without “doc”: the document of `select`
        { list = "bm25", better_than = "vector" },  # another list of this lesson
        { list = "bm25", at_most = 3 },             # an operator: `is`, `below`, `at_most`, `at_least`, `between`
        { list = "bm25", reading = "worse", than = "vector", at_least = 0.3 },    # of a reading, and its arguments
        { list = "unit", reading = "graph_found", of = [10, "none"], is = 8 },
    ]
    [[lesson.step]]
    en = "…"
    zh = "…"
    knobs = { "bm25.k1" = 2.0 }                     # the knobs that this sentence moves; others stay
    select = "d3"                                   # the document it opens; else the first that it names
    at = "why"                                      # the part of the page that shows it, if not a list
    [lesson.grades.ann]                             # the grades of a rater, for the page Judge
    d12 = 2

`lab.lessons.KINDS` lists the kinds of expectations, `lab.lessons.checking.READINGS` the readings.  A list with other
knobs is another list, with its own name.  A retriever returns the whole corpus, any other search its own depth.  The
page shows what a sentence expects when the sentence is performed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from lab import catalog, formats, packs
from lab.algebra import Searcher, shown
from lab.errors import CorpusError, LabError
from lab.lessons.values import Lesson, Step
from lab.toml import TomlError, read_toml
from lab.words import LANGUAGES, N_, Said

FILE, BEGIN = "lessons.toml", re.compile(r"^(?=\[\[lesson\]\])", re.M)


def read(folder: str | Path, *, page: str = "", checked: bool = True) -> tuple[Lesson, ...]:
    """Reads the lessons of the corpus in this folder, in the order of the file, and those of packs for a sample.

    With a ``page``, its lessons only: a tenth of the time.  With ``checked=False`` the file is trusted, as those that
    come with the lab: their searches are read when they are used.  Otherwise raises `CorpusError` for a file that
    cannot be read, a missing or unknown field, an id used twice, and a list that is not a search or has no name.
    """
    read_file = partial(_read, page, checked)
    files = [more / FILE for more in packs.lessons(Path(folder))]
    brought = map(read_file, files) if checked else packs.each(files, read_file)
    return (*read_file(Path(folder) / FILE), *chain.from_iterable(brought))


def _read(page: str, checked: bool, file: Path) -> tuple[Lesson, ...]:
    if not file.is_file():
        return ()
    try:
        on_page = re.compile(rf"^\s*page\s*=\s*[\"']{page}\W" if page else "", re.M)
        tables = read_toml("".join(filter(on_page.search, BEGIN.split(file.read_text("utf-8")))))
    except (TomlError, UnicodeDecodeError) as error:
        message = Said("{file} cannot be read: {reason}.", file=str(file), reason=getattr(error, "reason", error))
        raise CorpusError(message, Said("Correct the file.")) from None
    if unknown := set(tables) - {"lesson"}:
        message = Said("{file} has “{name}”, which is unknown.", file=str(file), name=min(unknown))
        raise CorpusError(message, Said("Write [[lesson]] tables only."))
    rows = tables.get("lesson", [])
    if not isinstance(rows, list) or not all(isinstance(table, dict) for table in rows):
        message = Said("In {file} “lesson” is not a list of tables.", file=str(file))
        raise CorpusError(message, Said("Start every lesson with a line [[lesson]]."))
    if not checked:
        return tuple(_lesson(table, Searches(table["lists"]), file) for table in rows)
    lessons = tuple(_checked(table, file, number) for number, table in enumerate(rows, 1))
    ids = [lesson.id for lesson in lessons]
    if repeated := next((name for name in ids if ids.count(name) > 1), ""):
        raise CorpusError(Said("{file} has two lessons “{id}”.", file=str(file), id=repeated), Said("Rename one."))
    return lessons


TEXTS, TABLES = ("id", "page", "query", "select"), ("title", "knobs", "lists", "grades")
FIELDS: Mapping[str, type] = {**dict.fromkeys(TEXTS, str), **dict.fromkeys(TABLES, dict), "turns": list, "step": list}
STEP: Mapping[str, type] = {"en": str, "zh": str, "expect": list, "knobs": dict, "select": str, "at": str}
OPTIONAL = ("knobs", "select", "grades", "turns")
MAY_BE_EMPTY = (*OPTIONAL, "query")
NAMES_A_LIST = ("list", "better_than", "attention_above", "mean_above", "mean_undecided", "than")
"""The keys of an expectation whose value is the name of a list."""
NO_LIST = N_("“{name}” is not a list of this lesson; valid: {names}")
FORM = N_('A lesson has: {names}. A step has: {steps}. An expectation is written as {{ list = "first", rank = 1 }}.')
LISTS = Said('Every list has a name under [lesson.lists], and a search, as in first = "BM25(b=0) >> MMR(k=5)".')


Check = Callable[..., None]


class Searches(Mapping[str, Searcher]):
    """Searches by name, each read from its expression when it is used."""

    def __init__(self, expressions: Mapping[str, str]) -> None:
        self._expressions = expressions
        self._read: dict[str, Searcher] = {}

    def __getitem__(self, name: str) -> Searcher:
        if name not in self._read:
            self._read[name] = formats.parse(self._expressions[name])
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._expressions)

    def __len__(self) -> int:
        return len(self._expressions)


def _lesson(table: Mapping[str, Any], lists: Mapping[str, Searcher], file: Path) -> Lesson:
    """Returns the lesson of a table without a fault."""
    page = table["page"]

    def step(row: Mapping[str, Any]) -> Step:
        others = {name: value for name, value in row.items() if name not in LANGUAGES}
        knobs = catalog.present_knobs(page, row.get("knobs", {}))
        return Step({name: row[name] for name in LANGUAGES}, **{**others, "knobs": knobs})

    steps = tuple(map(step, table["step"]))
    others = {name: value for name, value in table.items() if name != "step"}
    knobs = catalog.present_knobs(page, table.get("knobs", {}))
    return Lesson(corpus=file.parent.name, steps=steps, **{**others, "knobs": knobs, "lists": lists})


def _checked(table: Mapping[str, Any], file: Path, number: int) -> Lesson:
    place = {"file": str(file), "number": number, "id": shown(table.get("id", "?"))}

    def check(condition: bool, template: str, remedy: str = "", **values: Any) -> None:
        """Raises `CorpusError` unless a condition is true; ``template`` is marked with `N_` by the caller."""
        if not condition:
            message = Said("{file}, lesson {number} ({id}): {what}.", **place, what=Said(template, **values))
            raise CorpusError(message, remedy or Said(FORM, names=[*FIELDS], steps=[*STEP]))

    for name in table:
        check(name in FIELDS, N_("“{name}” is unknown"), name=name)
    for name, kind in FIELDS.items():
        remedy = LISTS if name == "lists" else ""
        check(name in table or name in OPTIONAL, N_("“{name}” is missing"), remedy, name=name)
        value = table.get(name, kind())
        fits = isinstance(value, kind) and (bool(value) or name in MAY_BE_EMPTY)
        check(fits, N_("“{name}” is empty or of the wrong kind"), remedy, name=name)
    _spoken(table["title"], "title", check)
    lists: dict[str, Searcher] = {}
    for name, text in table["lists"].items():
        check(isinstance(text, str), N_("the list “{name}” is not a text"), LISTS, name=name)
        try:
            lists[name] = formats.parse(text)
        except LabError as error:
            message = Said(
                "{file}, lesson {number} ({id}), list “{name}”: {reason}", **place, name=name, reason=error.message
            )
            raise CorpusError(message, error.remedy or LISTS) from None
    complete = all(isinstance(turn, str) and turn.strip() for turn in table.get("turns", []))
    check(complete, N_("“turns” needs a text for each turn"))
    for own in table.get("grades", {}).values():
        whole = isinstance(own, dict) and all(isinstance(grade, int) for grade in own.values())
        check(whole, N_("“grades” needs a table for each rater, of a whole number for each document"))
    for table_of_step in table["step"]:
        _check_step(table_of_step, lists, check)
    check(any(step.get("expect") for step in table["step"]), N_("no sentence expects anything"))
    return _lesson(table, lists, file)


def _spoken(texts: Any, name: str, check: Check) -> None:
    """Checks that there is a text in each language and nothing else."""
    complete = isinstance(texts, dict) and set(texts) == set(LANGUAGES)
    complete = complete and all(isinstance(text, str) and text.strip() for text in texts.values())
    check(complete, N_("“{name}” needs a text in each of {languages}"), name=name, languages=" and ".join(LANGUAGES))


def _check_step(table: Any, lists: Mapping[str, Searcher], check: Check) -> None:
    from lab.lessons.checking import KINDS, READINGS  # with all that an expectation may need

    check(isinstance(table, dict), N_("“{name}” is empty or of the wrong kind"), name="step")
    for name, value in table.items():
        check(name in STEP, N_("“{name}” is unknown"), name=name)
        check(isinstance(value, STEP[name]), N_("“{name}” is empty or of the wrong kind"), name=name)
    _spoken({name: table[name] for name in LANGUAGES if name in table}, "step", check)
    for expectation in table.get("expect", []):
        whole = (
            isinstance(expectation, dict)
            and not expectation.keys().isdisjoint(KINDS)
            and isinstance(expectation.get("list"), str)
        )
        check(whole, N_("an expectation names a list and at least one of: {kinds}"), kinds=[*KINDS])
        check(
            "knobs" not in expectation,
            N_("an expectation has “knobs”, but a list with other parameters is another list"),
            LISTS,
        )
        for name in expectation.keys() - {*KINDS, "list", "doc", "reading", "of", "than"}:
            check(False, N_("“{name}” is not an expectation; valid: {kinds}"), name=name, kinds=[*KINDS])
        reading = expectation.get("reading", "results")
        check(reading in READINGS, N_("“{name}” is not a reading; valid: {names}"), name=reading, names=READINGS)
        for name in spoken_of(expectation):
            check(name in lists, NO_LIST, LISTS, name=name, names=[*lists])


def spoken_of(expectation: Mapping[str, Any]) -> list[str]:
    return [str(expectation[key]) for key in NAMES_A_LIST if key in expectation]
