"""The lessons of the Text2SQL page at work: a conversation, turn by turn, and the way back to the visitor's own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import streamlit as st

from lab.ui import address
from lab.ui.i18n import _, both, labelled, say
from lab.ui.layout.page import Page
from lab.ui.lessons import handout, lesson_menu, performing
from lab_packs.text2sql.dialogue import Turn
from lab_packs.text2sql.lessons import Lesson, check, play, read
from lab_packs.text2sql.pages.query.text2sql import databases

SAID, DB, TODAY, LESSON = (f"text2sql.{name}" for name in ("said", "db", "today", "lesson"))
BEFORE = "text2sql.lesson.before"


def start_over() -> None:
    """Forget the conversation."""
    st.session_state.pop(BEFORE, None)
    address.put(SAID, [])
    address.put(LESSON, None)


def _take(chosen: Lesson, step: int = 0) -> None:
    """Opens a lesson at this step, with its database, day and turns, and stores the previous state to return to."""
    st.session_state.setdefault(BEFORE, address.changed_values())
    for key, value in ((DB, chosen.database), (TODAY, chosen.today.isoformat()), (LESSON, chosen.id)):
        address.put(key, value)
    address.put(SAID, list(chosen.turns[: step + 1]))


def _leave() -> None:
    """Bring back the conversation that was here before the lesson."""
    before = st.session_state.pop(BEFORE, {})
    address.bring_back(before, lambda key: key in (DB, TODAY, SAID))
    address.put(LESSON, None)


def keep() -> None:
    """The chosen lesson, if any, as a link says it; one that is named alone begins."""
    known = {lesson.id: lesson for lesson in read()}
    address.keep(LESSON, None, address.choice(list(known)))
    address.keep(SAID, [], address.lines)
    lesson = known.get(st.session_state[LESSON] or "")
    if lesson and not st.session_state[SAID]:
        _take(lesson)


def draw(p: Page) -> tuple[Lesson, int, Any] | None:
    """The menu of lessons and the sentence on the last turn: the lesson, the step, the place of its verdict."""
    known = {lesson.id: lesson for lesson in read()}
    lesson, said = known.get(st.session_state[LESSON] or ""), tuple(st.session_state[SAID])
    if lesson:
        n = min(len(said), len(lesson.turns))
        if st.session_state[DB] != lesson.database or said[:n] != lesson.turns[:n]:
            address.put(LESSON, lesson := None)  # the visitor has gone on to something else

    def begin(name: str) -> None:
        if name in known:
            _take(known[name])

    p.lesson_menu(_groups(list(known.values()), st.session_state[DB]), lesson.id if lesson else "", begin)
    if lesson is None:
        return None
    after = {a.id: b for a, b in pairwise(known.values())}.get(lesson.id)
    text = both(dict(lesson.steps[n - 1].text))
    return lesson, n - 1, performing.sentence("text2sql", lesson, n - 1, text, _take, _leave, after)


def _groups(every: Sequence[Lesson], database: str) -> list[dict[str, Any]]:
    """Returns the lessons grouped by database, the open database first."""
    names = sorted(dict.fromkeys(lesson.database for lesson in every), key=lambda name: name != database)
    items = {
        name: [
            lesson_menu.item(lesson.id, both(dict(lesson.title)), both(dict(lesson.steps[0].text)))
            for lesson in every
            if lesson.database == name
        ]
        for name in names
    }
    about = {name: "" if name == database else _("switches the database") for name in names}
    return [
        {"title": databases.title(name), "about": about[name], "open": i == 0, "lessons": items[name]}
        for i, name in enumerate(names)
    ]


def home(lesson: Lesson) -> None:
    """Draws the download button of the conversation: every turn, its explanation, SQL and first rows."""
    title, name = both(dict(lesson.title)), f"retrieval-lab-{lesson.id}"
    said: list[handout.Block] = [("title", title)]
    turns = play(databases.opened(lesson.database), lesson.turns, today=lesson.today)
    for step, turn in zip(lesson.steps, turns, strict=True):
        held, found = check(step, turn)
        said += [("head", turn.question), ("text", both(dict(step.text)))]
        said.append(("list", [f"{'✓' if held else '✗'} {say(found)}"]))
        if turn.query is not None:
            values = "\n".join(f"-- :{name} = {value!r}" for name, value in turn.query.parameters.items())
            said.append(("code", f"{turn.query.sql}\n{values}".rstrip()))
        if turn.result is not None and turn.result.rows:
            rows = [["", *turn.result.columns]]
            first = enumerate(turn.result.rows[: handout.TOP], 1)
            said.append(("table", rows + [[str(i), *map(str, row)] for i, row in first]))
    handout.offer(handout.page(said, name), name, "text2sql.lesson.take")


def close(performed: tuple[Lesson, int, Any] | None, turns: Sequence[Turn]) -> None:
    """When the turns are played: whether the last one came to what the lesson says."""
    if performed is None:
        return
    lesson, step, place = performed
    held, found = check(lesson.steps[step], turns[step])
    with place.container():
        performing.verdicts([(str(step + 1), held, labelled(turns[step].question, found))])
    performing.pinned(f"{lesson.id}/{step}", {str(step + 1): f"text2sql-turn-{step}"})
