"""Menus to define a word that was not understood; the question is then asked again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from lab.ui.i18n import _, language
from lab.ui.layout import frame
from lab_packs.text2sql.database import Database
from lab_packs.text2sql.dialogue import Turn
from lab_packs.text2sql.documents import SchemaDocuments, Thing
from lab_packs.text2sql.hints import taught
from lab_packs.text2sql.pages.query.text2sql.databases import HINTS, shown, teaches
from lab_packs.text2sql.schema import Schema

if TYPE_CHECKING:
    from lab.ui.layout.page import Page

MOST, VALUES, OFFERED = 3, 30, 200
"""Words that are asked about at once, values of one column that a word can be, and values that are offered in all."""


class Meaning(NamedTuple):
    """What a word can be: a table or a column, by the name of its hint, or a stored value; nothing without a name."""

    name: str = ""
    value: str = ""
    label: str = ""


NOTHING = Meaning()


def meanings(schema: Schema, word: str) -> list[Meaning]:
    """All that a word can mean here, by their rank in the fused list (BM25, vectors, RRF); last nothing, and values."""
    lang, named, values = language(), list[tuple[Meaning, str]](), list[tuple[Meaning, str]]()
    for table in schema.tables:
        rows = table.label(lang)
        named.append((Meaning(table.name, "", _("the rows: {rows}", rows=rows)), f"{table.name} {rows}"))
        for c in table.columns:
            label, several = c.label(lang), len(schema.tables) > 1
            said = _("{column} ({rows})", column=label, rows=rows) if several else label
            named.append((Meaning(str(c.ref), "", said), f"{c.name} {label}"))
            kinds = c.values[:VALUES] if c.kind in ("category", "list") else ()
            values += [(Meaning(str(c.ref), v, f"{label} = {v}"), v) for v in kinds]
    documents = SchemaDocuments(schema)
    ranked = documents.ranked(word, k=10 * OFFERED)
    places = {documents.things[hit.document.id]: n for n, hit in enumerate(ranked.hits)}

    def place(meaning: Meaning) -> int:
        table, dot, column = meaning.name.partition(".")
        return places.get(Thing(table, column if dot else "", meaning.value), len(places))

    def nearest(several: list[tuple[Meaning, str]]) -> list[Meaning]:
        return sorted((meaning for meaning, _text in several), key=place)

    return [*nearest(named), NOTHING, *(nearest(values[: 10 * OFFERED])[:OFFERED] if values else ())]


def draw(page: Page, name: str, db: Database, turn: Turn, again: Callable[..., None]) -> None:
    """For every word that is not understood a choice of what it means; ``again`` makes other moves of the last one."""
    for word in list(dict.fromkeys(turn.unknown))[:MOST]:
        key, said = page.key(f"teach.{turn.question}.{word}"), shown(word, 40)

        def teach(key: str = key, word: str = word, said: str = said) -> None:
            meant: Meaning | None = st.session_state.get(key)
            if meant == NOTHING:
                again(" ".join(turn.question.replace(word, " ", 1).split()))
            elif meant is not None:
                frame.visitor().store(HINTS)[name] = taught(db.schema.hints(), meant.name, word, meant.value)
                again(teaches(word, meant.name, meant.value), turn.question)
                st.toast(
                    _("“{word}” now means: {meaning}. See “Schema”.", word=said, meaning=shown(meant.label)),
                    icon=":material/school:",
                )

        st.selectbox(
            _("“{word}” means …", word=said),
            meanings(db.schema, word),
            index=None,
            format_func=lambda m: " ".join(m.label.split())[:80] or _("ignore: ask without it"),
            placeholder=_("Choose a meaning"),
            key=key,
            on_change=teach,
        )
