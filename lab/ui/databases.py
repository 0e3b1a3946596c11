"""What the Text2SQL page needs around its conversation: databases to choose, uploads, hints, a chart, a model."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from lab.errors import LabError
from lab.text2sql.database import Database, open_sample, samples
from lab.text2sql.hints import Hint
from lab.text2sql.upload import open_upload
from lab.ui import address, charts, language_model, palette, settings
from lab.ui.i18n import _, language

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from lab.ui.page import Page

OWN, HINTS = "_databases", "_database_hints"


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
    file = st.file_uploader(_("CSV, XLSX or SQLite"), type=["csv", "tsv", "xlsx", "sqlite", "sqlite3", "db"], key="text2sql.file")
    st.caption(_("The file is copied and opened read-only; nobody but you sees it."))
    if file is None or st.session_state.get("_database_file") == file.file_id:
        return
    st.session_state["_database_file"] = file.file_id
    try:
        with st.spinner(_("Reading …"), show_time=True):
            db = open_upload(file.name, file.getvalue())
    except LabError as error:
        settings.problem(error)
        return
    own()[file.name] = db
    address.put(page.key("db"), file.name)
    address.put(page.key("said"), [])
    st.session_state.pop("_text2sql_turns", None)
    st.rerun()


def schema(page: Page, db: Database) -> None:
    """The inferred schema with editable names, synonyms and units."""
    st.caption(_("How people speak about tables and columns: change a name, add synonyms (separated by commas) or a unit."))
    hints = db.schema.hints()
    kinds = {str(c.ref): c.kind for c in db.schema.columns()}
    rows = [
        {"name": key, "kind": str(kinds.get(key, "table")), "zh": h.zh, "en": h.en, "synonyms": ", ".join(h.synonyms), "unit": h.unit} for key, h in hints.items()
    ]
    edited = st.data_editor(
        rows, key=page.key(f"hints.{db.name}"), hide_index=True, disabled=["name", "kind"],
        column_config={"name": _("Column"), "kind": _("Type"), "zh": "中文", "en": "English", "synonyms": _("Synonyms"), "unit": _("Unit")},
    )
    if st.button(_("Use these names"), key=page.key("hints.use"), type="primary"):
        changed = {}
        for row in edited:
            old = hints[row["name"]]
            synonyms = tuple(x.strip() for x in str(row["synonyms"] or "").replace("，", ",").split(",") if x.strip())
            changed[row["name"]] = Hint(str(row["zh"] or ""), str(row["en"] or ""), synonyms, old.cues, str(row["unit"] or ""), old.values, old.order)
        st.session_state.setdefault(HINTS, {})[db.name] = changed
        st.session_state.pop("_text2sql_turns", None)
        st.rerun()


def chart(frame: pd.DataFrame) -> go.Figure | None:
    """Bars where there is something to plot: two columns, a name and a number, two to thirty rows."""
    import pandas as pd

    if frame.shape[1] != 2 or not 2 <= len(frame) <= 30 or not pd.api.types.is_numeric_dtype(frame.iloc[:, 1]):
        return None
    labels = [str(x) for x in frame.iloc[:, 0]]
    if len(set(labels)) < len(labels):
        return None
    values = [float(x) if x == x else 0.0 for x in frame.iloc[:, 1]]
    return charts.bars(values, labels, palette.named("refined"), digits=0 if all(v.is_integer() for v in values) else 1)


def with_model(page: Page, db: Database, question: str, today: dt.date) -> None:
    """The same question as free SQL by a language model, where one is set."""
    from lab.text2sql.free import free_sql

    model = language_model.chat()
    with st.expander(_("The same with a language model"), icon=":material/smart_toy:"):
        if model is None:
            st.caption(_("No language model is set (sidebar, “Language model”). With one, it writes free SQL, which must parse as exactly one SELECT over these tables before it runs."))
            return
        if not st.button(_("Ask the model"), key=page.key("model"), type="primary"):
            return
        with st.spinner(_("The model is writing SQL …"), show_time=True):
            told = free_sql(db, question, model, as_of=today)
        for attempt in told.attempts:
            st.code(attempt.sql or attempt.reply, language="sql", wrap_lines=True)
            if attempt.refusal is not None:
                settings.problem(attempt.refusal)
        if told.error is not None:
            settings.problem(told.error)
        if told.result is not None:
            import pandas as pd

            st.markdown(settings.plain(told.answer))
            st.dataframe(pd.DataFrame(told.result.rows, columns=unique(told.result.columns)), hide_index=True)
        st.caption(_("What the words were linked to: {links}", links=settings.plain(" · ".join(f"{x.words} → {x.target}" for x in told.links)) or "–"))
        st.text_area(_("The prompt"), told.prompt, height=200, disabled=True)
