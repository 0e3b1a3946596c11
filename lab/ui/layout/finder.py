"""The field that finds pages, techniques, parameters, lessons and guides, by any name and in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import streamlit as st

from lab import catalog
from lab.algebra import Fusion
from lab.corpus import samples
from lab.finding import KINDS, Entry, Finder, Match, Name, all_names, names_of, page_of, techniques
from lab.lessons import Lesson
from lab.retrieve.external import External
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.ui import address, cache, components, navigation
from lab.ui.i18n import N_, _, _n, both, language, translate
from lab.ui.layout import guide
from lab.ui.lessons import performing
from lab.words import LANGUAGES, Said, filled

KEY = "find"
KIND_NAMES = {
    "page": N_("Page"), "technique": N_("Technique"), "parameter": N_("Parameter"), "lesson": N_("Lesson"),
    "guide": N_("Guide"),
}  # fmt: skip
CHOICES: Mapping[str, tuple[str, bool]] = {
    "rerank": ("rerank.by", True), "filter": ("filter.chain", True), "compress": ("compress.by", False),
    "rewrite": ("rewrite.techniques", True), "units": ("granularity.indexes", True), "list": ("compare.lists", True),
}  # fmt: skip
"""The widget that chooses the techniques of a role, and whether it holds several."""
COMMON = ("BM25", "Vector", "TFIDF", "Pipeline")
"""Techniques of so many lessons that no lesson is about them for that."""


@st.cache_resource(show_spinner=False)
def _finder() -> Finder:
    return Finder([*_pages(), *techniques(_speak), *_lessons(), *_guides()])


def _speak(text: str) -> dict[str, str]:
    template, values = (text.template, text.values) if isinstance(text, Said) else (text, {})
    return {code: filled(translate(template, code), values) for code in LANGUAGES}


def _pages() -> Iterator[Entry]:
    names_by_page: dict[str, list[Name]] = {}
    for entry in techniques(_speak):
        if entry.kind == "technique":
            names_by_page.setdefault(entry.page, []).extend(name._replace(passed=True) for name in entry.names)
    for page in navigation.every():
        title, name = _speak(page.title), page.name
        names = (*map(Name, title.values()), *all_names(name), *names_by_page.get(name, ()))
        yield Entry("page", name, name, title, _speak(page.summary), names)


def _lessons() -> Iterator[Entry]:
    """Yields each lesson, with the names of the less common techniques that it plays."""
    for lesson in cache.lessons():
        operators = {type(op) for search in lesson.lists.values() for op in catalog.inside(search)}
        names = [Name(title) for title in lesson.title.values()]
        for cls in sorted(operators, key=lambda cls: cls.__name__):
            if cls.__name__ not in COMMON:
                names += (name._replace(passed=True) for name in names_of(catalog.other_names(cls)))
        about, code = _speak(navigation.listed(lesson.page).title), samples.language_of(lesson.corpus)
        key = f"{lesson.corpus}/{lesson.id}"
        yield Entry("lesson", key, lesson.page, dict(lesson.title), about, tuple(names), code)


def _guides() -> Iterator[Entry]:
    for page in navigation.every():
        headings = {code: guide.headings(page.name, code) for code in LANGUAGES}
        for i, pair in enumerate(zip(*headings.values(), strict=False)):
            title = dict(zip(headings, pair, strict=True))
            names = tuple(map(Name, title.values()))
            yield Entry("guide", f"{page.name}/{i}", page.name, title, _speak(page.title), names)


@st.fragment
def draw() -> None:
    """Draws the field; only this part of the page runs again while the visitor types."""
    text = str(st.session_state.get("_find_text", ""))
    matches = _grouped(_finder().find(text[:200], language())) if text.strip() else []
    words = {
        "find": _("Find"),
        "hint": _("Page, technique, parameter or lesson, by any name"),
        "count": _n("{n} result", "{n} results", len(matches)),
        "nothing": _("No results. Try another name, such as EnsembleRetriever."),
    }
    if text.strip() and not matches and _finder().lacks(text):
        words["nothing"] = _("The lab does not have “{name}”.", name=text.strip())
    data = {"text": text, "rows": [_row(match) for match in matches], "words": words}
    components.find(data, key=KEY, typed=_type, chosen=_open)
    if page := st.session_state.pop(performing.PAGE, None):
        st.switch_page(navigation.find(page))


def _grouped(matches: Sequence[Match]) -> list[Match]:
    """Returns the results by kind, after those of the kind of the best one."""
    kinds = [match.entry.kind for match in matches]
    return sorted(matches, key=lambda match: (match.entry.kind != kinds[0], KINDS.index(match.entry.kind)))


def _row(match: Match) -> dict[str, Any]:
    entry, name = match.entry, match.name
    typed = re.escape(st.session_state["_find_text"].strip())
    mark = re.search(typed, name.text, re.IGNORECASE)
    similar = _("similar name") if match.how == "similar" else ""
    return {
        "id": f"{entry.kind}:{entry.key}",
        "link": address.link("" if entry.page == navigation.HOME.name else entry.page, _values(entry)),
        "kind": _(KIND_NAMES[entry.kind]),
        "title": both(dict(entry.title)),
        "about": both(dict(entry.about)) if entry.about else "",
        "name": "" if name.text == both(dict(entry.title)) and not mark else name.text,
        "origin": name.origin,
        "mark": mark.span() if mark else (0, len(name.text) if match.how == "exact" else 0),
        "note": _("not in the lab; this is the nearest") if name.absent else similar,
    }


def _type(text: str) -> None:
    st.session_state["_find_text"] = text


def _open(identifier: str) -> None:
    """Goes to the page of a result, with its technique chosen, its lesson played or its guide open."""
    entry = next((entry for entry in _finder().entries if f"{entry.kind}:{entry.key}" == identifier), None)
    if entry is None:
        return
    if entry.kind == "lesson":
        performing.perform(_lesson(entry.key))
    elif entry.kind == "guide":
        guide.show()
    else:
        for key, value in _values(entry).items():
            address.put(key, value)
    st.session_state[performing.PAGE] = entry.page


def _values(entry: Entry) -> dict[str, Any]:
    """Returns what the page of an entry needs to show it, by the keys of a link."""
    if entry.kind == "lesson":
        return performing.values(_lesson(entry.key))
    return choice(entry.key.partition(".")[0]) if entry.kind in ("technique", "parameter") else {}


def _lesson(key: str) -> Lesson:
    return next(lesson for lesson in cache.lessons() if f"{lesson.corpus}/{lesson.id}" == key)


def choice(name: str) -> dict[str, Any]:
    """Returns the widget that chooses a technique on its page, with its value; empty if there is no choice."""
    cls = catalog.operators()[name]
    if issubclass(cls, Fusion):
        return {"fusion.method": cls.key}
    widget, several = CHOICES.get(getattr(cls, "role", ""), ("", False))
    if issubclass(cls, Vector | External) or cls.key == "chunk" or widget.partition(".")[0] != page_of(cls):
        return {}
    first = [BM25.key] if widget == "compare.lists" and cls is not BM25 else []
    return {widget: [*first, cls.key] if several else cls.key}
