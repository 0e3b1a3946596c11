"""The lessons of a page behind one button: in groups by corpus and language, each with its title and its claim."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import streamlit as st

from lab.corpus import samples
from lab.lessons import Lesson
from lab.text import script
from lab.text.borders import sentences
from lab.ui import components
from lab.ui.i18n import _, both, language
from lab.ui.layout import frame

SEEN = "_lessons_seen"
"""The session key of the lessons that this visitor has played."""
LONGEST = 160
"""Maximum characters of a claim in the menu."""
MARKUP = re.compile(r"\*\*|`|(?<!\w)\*|\*(?!\w)")


def draw(
    key: str, groups: Sequence[dict[str, Any]], playing: str, needs: Sequence[str], play: Callable[[str], None]
) -> None:
    """Draws the button with its menu.

    ``groups`` are {title, about, open, lessons}, their lessons made by `item`; ``playing`` is the key of the lesson
    that is performed, and ``needs`` are sentences on what the corpus lacks for others.
    """
    if playing:
        _seen().add(playing)
    words = {
        "lessons": _("Lessons"),
        "find": _("Find a lesson"),
        "hint": _("One click sets the question and the parameters. Yours come back when you leave it."),
        "playing": _("playing"),
        "seen": _("seen"),
        "close": _("Close"),
    }
    components.menu(
        {
            "groups": groups,
            "number": sum(len(group["lessons"]) for group in groups),
            "playing": playing,
            "needs": list(needs),
            "words": words,
        },
        key=key,
        played=play,
    )


def item(key: str, title: str, text: str) -> dict[str, Any]:
    """Returns a lesson of the menu: its title, and the first sentence of its text as its claim."""
    return {"key": key, "title": title, "claim": claim(text), "seen": key in _seen()}


def _seen() -> set[str]:
    return cast("set[str]", st.session_state.setdefault(SEEN, set()))


def groups(lessons: Mapping[str, Lesson], corpus: str) -> list[dict[str, Any]]:
    """Returns the groups of the menu: first, and open, the visitor's corpus in their language; without empty ones."""
    by_group: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for key, lesson in lessons.items():
        entry = item(key, both(dict(lesson.title)), both(dict(lesson.steps[0].text)))
        by_group.setdefault((lesson.corpus, _language(lesson)), []).append(entry)
    order = sorted(by_group, key=lambda group: (group[0] != corpus, group[1] != language(), group[0]))
    return [
        {"title": _title(*group), "about": _about(group, corpus), "open": i == 0, "lessons": by_group[group]}
        for i, group in enumerate(order)
    ]


def claim(text: str) -> str:
    """Returns the first sentence of a text, without markup."""
    text = MARKUP.sub("", text)
    start, end = next(iter(sentences(text[:1000])), (0, len(text)))
    return " ".join(text[start:end].split())[:LONGEST]


def _language(lesson: Lesson) -> str:
    """Returns the language of a lesson's question; a product code counts as the reader's."""
    code = script(lesson.query) if lesson.query else ""
    return code if code in ("zh", "en") else language()


def _title(corpus: str, lang: str) -> str:
    title = frame.corpus_title(corpus)
    return (
        _("{corpus}, asked in English", corpus=title) if lang == "en" else _("{corpus}, asked in Chinese", corpus=title)
    )


def _about(group: tuple[str, str], corpus: str) -> str:
    """Returns the remark beside the title of a folded group."""
    name, _lang = group
    if name == corpus or name not in samples.every_name():
        return ""
    return _("changes the corpus")
