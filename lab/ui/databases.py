"""What the Text2SQL page needs around its conversation: databases to choose, uploads, hints, a chart, a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from lab.errors import LabError
from lab.text2sql.database import Database, open_sample, samples
from lab.text2sql.hints import Hint
from lab.text2sql.upload import open_upload
from lab.ui import address, settings
from lab.ui.i18n import _, language

if TYPE_CHECKING:

    from lab.ui.page import Page

OWN, HINTS, _READ, _MODEL = "_databases", "_database_hints", "_database_file", "_text2sql_model"
KEPT = 5
"""Uploads that are kept for one visitor."""


@st.cache_resource(show_spinner=False)
def _sample(name: str) -> Database:
    return open_sample(name)


def own() -> dict[str, Database]:
    """The databases that this visitor has uploaded, seen by nobody else."""
    return st.session_state.setdefault(OWN, {})  # type: ignore[no-any-return]


def names() -> list[str]:
    """Sample databases, then this visitor's own."""
    return [*samples(), *own()]


def title(name: str) -> str:
    """What a database is called."""
    return {"candidates": _("Job candidates"), "shop": _("A small shop")}.get(name, name)


def opened(name: str) -> Database:
    """A database by its name, with this visitor's hints."""
    db = own()[name] if name in own() else _sample(name)
    hints = st.session_state.get(HINTS, {}).get(name)
    return db.with_hints(hints) if hints else db


def examples(name: str) -> list[str]:
    """Questions to begin with."""
    zh = language() == "zh"
    return {
        "candidates": ["三年以上经验的候选人", "会 Python 又能远程的有多少人？", "每个城市的平均期望薪资"] if zh else ["candidates with 3+ years of experience", "how many can work remotely?", "average expected salary per city"],
        "shop": ["去年的订单有多少？", "最贵的三个商品", "每个城市的客户数"] if zh else ["how many orders last year?", "the three most expensive products", "number of customers per city"],
    }.get(name, ["有多少行？" if zh else "how many rows?"])


def unique(columns: Sequence[str]) -> list[str]:
    """Column names that differ, as a table needs them."""
    out: list[str] = []
    for c in columns:
        same, n = c, 2
        while same in out:
            same, n = f"{c} ({n})", n + 1
        out.append(same)
    return out


def upload(page: Page) -> None:
    """Upload a table or a database; it is copied and opened read-only."""
    file = st.file_uploader(_("CSV, XLSX or SQLite"), type=["csv", "tsv", "xlsx", "sqlite", "sqlite3", "db"], key=page.key("file"))
    st.caption(_("The file is copied and opened read-only; nobody but you sees it."))
    if file is None:
        st.session_state.pop(_READ, None)
        return
    seen, problem = st.session_state.get(_READ, ("", None))
    if seen != file.file_id:
        try:
            with st.spinner(_("Reading …"), show_time=True):
                take_in(file.name, file.getvalue())
            problem = None
        except LabError as error:
            problem = error
        st.session_state[_READ] = (file.file_id, problem)
        if problem is None:
            address.put(page.key("db"), file.name)
            address.put(page.key("lesson"), None)
            address.put(page.key("said"), "")
            st.rerun()
    if problem is not None:
        settings.problem(problem)


def take_in(name: str, data: bytes) -> Database:
    """An uploaded file as one of this visitor's databases; the oldest goes where there are too many.  Raises `UploadError`."""
    db = open_upload(name, data)
    own().pop(name, None)
    own()[name] = db
    st.session_state.get(HINTS, {}).pop(name, None)  # they were about another file of this name
    while len(own()) > KEPT:
        own().pop(next(iter(own())))
    return db


def schema(page: Page, name: str, db: Database) -> None:
    """The inferred schema with editable names, synonyms and units."""
    st.caption(_("How people speak about tables and columns: change a name, add synonyms (separated by commas) or a unit."))
    hints = db.schema.hints()
    kinds = {str(c.ref): c.kind for c in db.schema.columns()}
    rows = [
        {"name": key, "kind": str(kinds.get(key, "table")), "zh": h.zh, "en": h.en, "synonyms": ", ".join(h.synonyms), "unit": h.unit} for key, h in hints.items()
    ]
    edited = st.data_editor(
        rows, key=page.key(f"hints.{name}"), hide_index=True, disabled=["name", "kind"], width=760,
        column_config={"name": _("Column"), "kind": _("Type"), "zh": "中文", "en": "English", "synonyms": _("Synonyms"), "unit": _("Unit")},
    )
    if st.button(_("Use these names"), key=page.key("hints.use"), type="primary"):
        changed = {}
        for row in edited:
            old = hints[row["name"]]
            synonyms = tuple(x.strip() for x in str(row["synonyms"] or "").replace("，", ",").split(",") if x.strip())
            changed[row["name"]] = Hint(str(row["zh"] or ""), str(row["en"] or ""), synonyms, old.cues, str(row["unit"] or ""), old.values, old.order)
        st.session_state.setdefault(HINTS, {})[name] = changed
        st.rerun()


