"""Which table, which column, which value? Words of a question as ranked lists over the schema, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import streamlit as st

from lab.corpus.beir import Collection
from lab.retrieve.explaining import word_marker
from lab.text import Analyzer, short
from lab.ui import palette
from lab.ui.i18n import _
from lab.ui.layout import tables
from lab.ui.lists import show
from lab_packs.text2sql.assembly import Weights
from lab_packs.text2sql.database import Database
from lab_packs.text2sql.dialogue import Turn
from lab_packs.text2sql.recall import LISTS, judged, recall, shipped
from lab_packs.text2sql.slots import Flag

if TYPE_CHECKING:
    from lab.ui.layout.page import Page

DEPTH = 5
"""Documents of each list."""


def draw(page: Page, db: Database, turn: Turn) -> None:
    """The lists for the whole question or for some of its words, and how well such lists do."""
    with page.fold("linked", _("Matching tables, columns and values"), ":material/manage_search:") as seen:
        if not seen:
            return
        st.caption(
            _(
                "Tables, columns and values are small documents. BM25 finds shared words, vectors find similar "
                "meaning, RRF adds up both ranks. Readings use exact names; these lists suggest meanings for "
                "unknown words."
            )
        )
        words = [turn.question[s.start : s.end].strip() for s in turn.slots if not isinstance(s, Flag)]
        options = list(dict.fromkeys([turn.question, *filter(None, words)]))
        chosen = st.pills(
            _("Query"),
            options,
            default=turn.question,
            key=page.key(f"linked.{turn.question}"),
            format_func=lambda x: short(x, 40),
        )
        _lists(page, db, str(chosen or turn.question))
        _measured(page, db)


def _lists(page: Page, db: Database, words: str) -> None:
    """BM25, vectors and their fusion over the documents of the schema."""
    documents = db.documents
    rankings = {name: documents.ranked(words, searcher=searcher, k=DEPTH) for name, searcher in LISTS.items()}
    mark = word_marker(words, Analyzer())
    panels = [
        show.Panel(ranking, _list_name(name), palette.family(LISTS[name].simplest), mark, empty=_("No shared words."))
        for name, ranking in rankings.items()
    ]
    f = replace(page.frame, collection=Collection(documents.corpus))
    show.lists(
        "text2sql.linked",
        panels,
        f,
        depth=DEPTH,
        chosen="",
        relevant={},
        question="",
        moves=False,
        pinned=False,
        counted=False,
    )


def _list_name(name: str) -> str:
    return {"vectors": _("Vectors")}.get(name, name)


def _measured(page: Page, db: Database) -> None:
    """Recall of the lists over the questions that come with a sample, with values among the documents and without."""
    questions = judged(db.documents, shipped(db.name)) if db.origin == "sample" else []
    if not questions:
        return
    found = _recalls(db, len(questions))
    rows = [
        {
            "list": _list_name(name),
            **{f"{key}{k}": f"{values[name][0]:.0%}" for key, k, values in found},
            **{f"{key}p": f"{values[name][1]:.0%}" for key, k, values in found if k == DEPTH},
        }
        for name in LISTS
    ]
    columns = {
        "list": _("List"),
        f"names{DEPTH}": _("recall@{k}, names", k=DEPTH),
        f"values{DEPTH}": _("recall@{k}, values too", k=DEPTH),
        "names10": _("recall@{k}, names", k=10),
        "values10": _("recall@{k}, values too", k=10),
        "namesp": _("precision@1, names"),
        "valuesp": _("precision@1, values too"),
    }
    st.caption(
        _(
            "Means over the questions of this sample ({n}). Relevant: tables, columns and values of the reference SQL.",
            n=len(questions),
        )
    )
    tables.draw(_("How well the lists link"), rows, key=page.key("linked.recall"), columns=columns)


def _recalls(db: Database, n: int) -> list[tuple[str, int, Mapping[str, tuple[float, float]]]]:
    key = "_text2sql_recalls"
    of, found = st.session_state.get(key, (None, []))
    if of != (db.name, db.schema, n):
        questions = judged(db.documents, shipped(db.name))[::4]
        found = [
            (label, k, recall(db.documents, questions, k=k, values=label == "values"))
            for label in ("names", "values")
            for k in (DEPTH, 10)
        ]
        st.session_state[key] = ((db.name, db.schema, n), found)
    return list(found)


def weights(page: Page) -> Weights:
    """The weights of a reading's score, as widgets."""
    names = [f.name for f in fields(Weights)]
    chosen: Weights = page.knobs(Weights(), *names)
    return chosen
