"""What the Text2SQL page needs around its conversation: databases to choose, uploads, hints, a chart, a model."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import streamlit as st

from lab.core import Progress
from lab.errors import LabError
from lab.models.prompting import beginning
from lab.reading.names import Names
from lab.reading.uploads import Problem
from lab.text2sql.answer import output_name
from lab.text2sql.database import Database, open_sample, samples
from lab.text2sql.dialogue import Turn, choose, edit, say
from lab.text2sql.guard import Result
from lab.text2sql.schema import Schema
from lab.text2sql.tree import Field, Piece, pieces, without
from lab.text2sql.upload import TEXTS, open_upload
from lab.text2sql.wording import Words, group_value
from lab.ui import address, charts, escape, frame, language_model, palette, tables
from lab.ui.i18n import _, language
from lab.ui.i18n import say as say_text
from lab.ui.uploading import encoding_of_texts
from lab.ui.work import work

if TYPE_CHECKING:
    import pandas as pd

    from lab.text2sql.free import FreeAnswer
    from lab.ui.language_model import Chat
    from lab.ui.page import Page

OWN, HINTS, _READ, _MODEL = "databases", "database hints", "_database_file", "_text2sql_model"
_WANTED = "_text2sql_wanted"
KEPT = 5
"""Uploads that are kept for one visitor."""
_EXAMPLES = {  # Chinese, English
    "candidates": (
        ["三年以上经验的候选人", "会 Python 又能远程的有多少人？", "每个城市的平均期望薪资"],
        ["candidates with 3+ years of experience", "how many can work remotely?", "average expected salary per city"],
    ),
    "shop": (
        ["去年的订单有多少？", "最贵的三个商品", "每个城市的客户数"],
        ["how many orders last year?", "the three most expensive products", "number of customers per city"],
    ),
}


@st.cache_resource(show_spinner=False)
def _sample(name: str) -> Database:
    return open_sample(name)


def own() -> dict[str, Database]:
    """The databases that this visitor has uploaded, seen by nobody else."""
    return frame.visitor().store(OWN)


def names() -> list[str]:
    """Sample databases, then this visitor's own."""
    return [*samples(), *own()]


def title(name: str) -> str:
    """What a database is called."""
    return {"candidates": _("Job candidates"), "shop": _("A small shop")}.get(name, name)


def opened(name: str) -> Database:
    """A database by its name, with this visitor's hints."""
    db = own()[name] if name in own() else _sample(name)
    hints = frame.visitor().store(HINTS).get(name)
    return db.with_hints(hints) if hints else db


def examples(name: str) -> list[str]:
    """Questions to begin with."""
    zh, en = _EXAMPLES.get(name, (["有多少行？"], ["how many rows?"]))
    return zh if language() == "zh" else en


def unique(columns: Sequence[str]) -> list[str]:
    """Column names that differ, as a table needs them."""
    names = Names(pattern="{} ({})")
    return [names.fresh(c) for c in columns]


def upload(page: Page) -> None:
    """Upload a table or a database; it is copied and opened read-only."""
    file = st.file_uploader(
        _("CSV, XLSX or SQLite"), type=["csv", "tsv", "xlsx", "sqlite", "sqlite3", "db"], key=page.key("file")
    )
    st.caption(_("The file is copied and opened read-only; nobody but you sees it."))
    if file is None:
        st.session_state.pop(_READ, None)
        return
    text = PurePath(file.name).suffix.lower() in TEXTS
    encoding = encoding_of_texts(page.key("encoding")) if text else None
    seen, problem, remarks = st.session_state.get(_READ, ("", None, []))
    if seen != (which := (file.file_id, encoding)):
        problem, remarks = None, list[Problem]()

        def read(progress: Progress) -> Database:
            return take_in(file.name, file.getvalue(), remarks, encoding=encoding, progress=progress)

        try:
            if work(page.key("read"), _("Reading …"), read, about=which) is None:
                return
        except LabError as error:
            problem = error
        st.session_state[_READ] = (which, problem, remarks)
        if problem is None:
            address.put(page.key("db"), file.name)
            address.put(page.key("lesson"), None)
            address.put(page.key("said"), "")
            st.rerun()
    if problem is not None:
        escape.problem(problem)
    for remark in remarks:
        told = f"{escape.plain(say_text(remark.message))} {escape.plain(say_text(remark.remedy))}"
        st.warning(told, icon=":material/info:")


def take_in(name: str, data: bytes, remarks: list[Problem] | None = None, **options: Any) -> Database:
    """An uploaded file as one of this visitor's databases; the oldest of too many goes.  Raises `UploadError`.

    ``options`` are those of `open_upload`.
    """
    db = open_upload(name, data, remarks=remarks, **options)
    own().pop(name, None)
    own()[name] = db
    frame.visitor().store(HINTS).pop(name, None)  # they were about another file of this name
    while len(own()) > KEPT:
        own().pop(next(iter(own())))
    return db


def schema(page: Page, name: str, db: Database) -> None:
    """The inferred schema with editable names, synonyms and units."""
    st.caption(
        _("How people speak about tables and columns: change a name, add synonyms (separated by commas) or a unit.")
    )
    hints = db.schema.hints()
    kinds = {str(c.ref): c.kind for c in db.schema.columns()}
    columns = {
        "name": _("Column"),
        "kind": _("Type"),
        "zh": "中文",
        "en": "English",
        "synonyms": _("Synonyms"),
        "unit": _("Unit"),
    }
    rows = [
        dict(zip(columns, (key, str(kinds.get(key, "table")), h.zh, h.en, ", ".join(h.synonyms), h.unit), strict=True))
        for key, h in hints.items()
    ]
    key, fixed = page.key(f"hints.{name}"), ["name", "kind"]
    edited = st.data_editor(rows, key=key, hide_index=True, disabled=fixed, width=760, column_config=columns)
    if st.button(_("Use these names"), key=page.key("hints.use"), type="primary"):
        changed = {}
        for row in edited:
            typed: dict[str, Any] = {field: str(row[field] or "") for field in ("zh", "en", "unit")}
            words = str(row["synonyms"] or "").replace("，", ",").split(",")
            typed["synonyms"] = tuple(x.strip() for x in words if x.strip())
            changed[row["name"]] = replace(hints[row["name"]], **typed)
        frame.visitor().store(HINTS)[name] = changed
        st.rerun()


# ------------------------------------------------------------------------------------------ the conversation

_AWAY, _ANSWER = re.compile(r"✕(\d{1,4})"), re.compile(r"\?(\d{1,4})\.(\d{1,4})")


def step(db: Database, turns: Sequence[Turn], move: str, today: dt.date) -> list[Turn]:
    """The conversation after one more move.

    A move is a sentence; ``✕2`` takes the third slot away; ``?0.1`` answers the first question that was asked back
    by its second choice.  Moves stand in the address, so that a link replays them; what does not fit is passed over.
    """
    turns = list(turns)
    if away := _AWAY.fullmatch(move):
        before = turns[-1].after if turns else None
        parts = pieces(before)
        if before is not None and int(away[1]) < len(parts):
            turns.append(edit(db, before, without(before, parts[int(away[1])]), language=turns[-1].language))
    elif answer := _ANSWER.fullmatch(move):
        choice = int(answer[2])
        if turns and choice < len(turns[-1].asks):
            turns[-1] = choose(db, turns[-1], choice)
    elif move.strip():
        turns.append(say(db, " ".join(move.split()), as_of=today, before=turns[-1] if turns else None))
    return turns


def replay(db: Database, moves: Sequence[str], today: dt.date) -> list[Turn]:
    """The whole conversation from its moves."""
    turns: list[Turn] = []
    for move in moves:
        turns = step(db, turns, move, today)
    return turns


def standing(turns: Sequence[Turn]) -> Turn:
    """The turn whose rows hold: the last one that said anything."""
    return next((t for t in reversed(turns) if t.kind not in ("nothing", "open")), turns[-1])


def thread(turns: Sequence[Turn]) -> list[Turn]:
    """The spoken turns that the last one builds on: from the last question that stood by itself."""
    spoken = [t for t in turns if t.question]
    return spoken[max((i for i, t in enumerate(spoken) if t.kind in ("fresh", "reset")), default=0) :]


# ------------------------------------------------------------------------------------------------- showing


def shown(text: object, width: int = 80) -> str:
    """A name or a value from a database, in one line and not endless, for Markdown in which nothing is markup."""
    line = " ".join(str(text).split())
    return escape.plain(line if len(line) <= width else line[: width - 1] + "…")


def slot_label(slot: Piece, schema: Schema, lang: str) -> str:
    """A slot in words, for a label."""
    return shown(Words(schema, lang).piece(slot))


def rows(turn: Turn, schema: Schema, *, key: str) -> None:
    """The rows of a turn with readable headings; SQL's own names stand in the headings' tips."""
    if turn.result is None:
        return
    frame = as_frame(turn.result)
    config = {}
    if turn.query is not None and len(turn.query.outputs) == frame.shape[1]:
        heads = unique([" ".join(output_name(o, schema, turn.language).split()) for o in turn.query.outputs])
        config = {
            name: st.column_config.Column(head, help=None if head == name else name)
            for name, head in zip(frame.columns, heads, strict=True)
        }
    with st.container(key=f"{key}.box"):
        tables.draw(_("The rows"), frame, key=key, columns=config)


def as_frame(result: Result) -> pd.DataFrame:
    """Rows as a table that can be drawn: bytes as hexadecimal, columns of one type."""
    import pandas as pd

    frame = pd.DataFrame(
        [[f"0x{v[:40].hex()}" if isinstance(v, bytes) else v for v in row] for row in result.rows],
        columns=unique(result.columns),
    )
    for name in frame.columns:
        kinds = {type(v) for v in frame[name] if v is not None and v == v}
        if str in kinds and len(kinds) > 1:
            frame[name] = [None if v is None else str(v) for v in frame[name]]
    return frame


def chart(turn: Turn, schema: Schema) -> tuple[str, charts.Figure] | None:
    """What is plotted, and the bars: groups with their first measure, or a list with the number that it is ordered by.

    None where there is nothing to plot: one row, more than thirty, no number, or names that do not differ.
    """
    if turn.result is None or turn.query is None or turn.result.more or not 2 <= len(turn.result.rows) <= 30:
        return None
    tree, refs, found, lang = turn.after, [o.ref for o in turn.query.outputs], turn.result.rows, turn.language
    if tree is None:
        return None
    words = Words(schema, lang, main=tree.table)
    by = tree.order[0].of if tree.order else None
    if tree.by and tree.measures:
        of, value = words.expression(tree.measures[0]), len(tree.by)
        label = " / ".join(map(words.expression, tree.by)) + " → " + of
        titles = [" / ".join(group_value(v, g, lang) for v, g in zip(r[:value], tree.by, strict=True)) for r in found]
    elif isinstance(by, Field) and by.ref in refs and schema.column(by.ref).kind == "number":
        name, value = schema.table(tree.table).title.ref, refs.index(by.ref)
        label = schema.column(by.ref).label(lang)
        titles = [str(r[refs.index(name) if name in refs else 0]) for r in found]
    else:
        return None
    pairs = zip(titles, (r[value] for r in found), strict=True)
    drawn = [(title, float(v)) for title, v in pairs if isinstance(v, (int, float))]
    labels, values = [x for x, _v in drawn], [v for _x, v in drawn]
    if len(values) < 2 or len({escape.safe(x, 24) for x in labels}) < len(labels):
        return None
    digits = 0 if all(v.is_integer() for v in values) else 1
    return label, charts.bars(values, labels, palette.named("refined"), digits=digits)


# ------------------------------------------------------------------------------------------ a language model


def ask_model(db: Database, spoken: Sequence[Turn], model: Chat, today: dt.date) -> tuple[Turn, FreeAnswer]:
    """The last spoken turn by a model: slots, which our builder turns into SQL, and SQL of the model's own.

    Free SQL gets the questions that it builds on (`thread`), too.
    """
    from lab.text2sql.free import free_sql
    from lab.text2sql.model_tree import ModelReader

    last = spoken[-1]
    slots = say(db, last.question, as_of=today, before=last.before, reader=ModelReader(model))
    return slots, free_sql(db, "\n".join(t.question for t in spoken), model, as_of=today)


def same_rows(a: Result, b: Result) -> bool:
    """Whether two results agree: as many rows, and every column of the narrower one is a column of the other."""
    if len(a.rows) != len(b.rows) or a.more or b.more:
        return False

    def columns(r: Result) -> list[list[str]]:
        texts = [[f"{v:.6g}" if isinstance(v, (int, float)) else str(v) for v in row] for row in r.rows]
        return [sorted(column) for column in zip(*texts, strict=True)]

    few, many = sorted((columns(a), columns(b)), key=len)
    return all(c in many for c in few)


def with_model(page: Page, db: Database, turns: Sequence[Turn], today: dt.date) -> None:
    """The last question by a language model, beside the rules: its slots and its own SQL, where one is set."""
    spoken = thread(turns)
    if not spoken:
        return
    last = spoken[-1]
    model = language_model.chat()
    with st.expander(_("The same with a language model"), icon=":material/smart_toy:", key=page.key("model.box")):
        if model is None:
            st.caption(
                _(
                    "No language model is set (sidebar, “Language model”). With one, it fills the slots, and writes "
                    "free SQL, which must parse as exactly one SELECT over these tables before it runs."
                )
            )
            return
        st.caption(
            _(
                "“{question}”: once as slots, held against the schema and built into SQL here; once as SQL of the "
                "model's own, checked before it runs.",
                question=shown(last.question, 200),
            )
        )
        questions = tuple(t.question for t in spoken)
        of = (db.fingerprint, db.schema, questions, last.before, today, model.model.label)
        if st.button(_("Ask the model"), key=page.key("model"), type="primary"):
            st.session_state.pop(_MODEL, None)
            st.session_state[_WANTED] = of
        if st.session_state.get(_WANTED) == of:

            def ask(progress: Progress) -> tuple[Turn, FreeAnswer]:
                return ask_model(db, spoken, replace(model, progress=progress), today)

            made = work(page.key("model.answer"), _("The model is answering …"), ask, about=of)
            if made is None:
                return
            del st.session_state[_WANTED]
            st.session_state[_MODEL] = (of, made)
        asked, told = st.session_state.get(_MODEL, (None, None))
        if told is None or asked != of:
            return
        slots, free = told
        left, right = st.columns(2, gap="large")
        with left:
            st.markdown("**" + _("Slots by the model") + "**")
            _model_slots(page, db, slots, last)
        with right:
            st.markdown("**" + _("SQL by the model") + "**")
            _free(page, free, last)


def _agreement(mine: Result, rules: Result | None) -> None:
    """One line: whether the rows are those of the rules."""
    if rules is None:
        return
    if same_rows(mine, rules):
        st.badge(_("the same rows as by the rules"), icon=":material/check:", color="green")
    else:
        told = _("other rows: {a} here, {b} by the rules", a=_many(mine), b=_many(rules))
        st.badge(told, icon=":material/difference:", color="orange")


def _many(result: Result) -> str:
    return f"{len(result.rows)}{'+' if result.more else ''}"


def _model_slots(page: Page, db: Database, turn: Turn, rules: Turn) -> None:
    """The state that a model's slots lead to, and where it differs from that of the rules."""
    if turn.error is not None:
        escape.problem(turn.error)
    line = st.container(horizontal=True, gap="small")
    mine, theirs = pieces(turn.after), pieces(rules.after)
    for slot in mine:
        label, new = slot_label(slot, db.schema, turn.language), slot not in theirs
        line.badge(label, color="blue" if new else "gray", icon=":material/add:" if new else None)
    if turn.error is None:
        for slot in theirs:
            if slot not in mine:
                line.badge(slot_label(slot, db.schema, turn.language), color="orange", icon=":material/remove:")
        if set(map(str, theirs)) != set(map(str, mine)):
            line.caption(_("blue: only the model; orange: only the rules"))
    if turn.unknown:
        st.warning(_("Left out: {words}", words=shown(" · ".join(turn.unknown), 300)), icon=":material/help:")
    if turn.query is not None:
        st.code(turn.query.sql, language="sql", wrap_lines=True)
        st.caption(_("with the parameters {values}", values=shown(list(turn.query.parameters.values()), 300)))
    if turn.result is not None:
        _agreement(turn.result, rules.result)
        st.markdown(escape.plain(turn.answer))
        rows(turn, db.schema, key=page.key("model.rows"))


def _free(page: Page, told: FreeAnswer, rules: Turn) -> None:
    """Every attempt of a model, what was refused and by which rule, and the rows."""
    for n, attempt in enumerate(told.attempts):
        st.caption(_("First try") if n == 0 else _("Repair: the model was told the reason and tried once more"))
        st.code(beginning(attempt.reply), language="sql", wrap_lines=True)
        if attempt.refusal is not None:
            text = f"{escape.plain(say_text(attempt.refusal.message))} {escape.plain(say_text(attempt.refusal.remedy))}"
            st.warning(text, icon=":material/block:")
        elif " ".join(attempt.sql.split()) != " ".join(attempt.reply.split()):
            st.caption(_("What runs, printed anew from the parsed statement and with a limit:"))
            st.code(attempt.sql, language="sql", wrap_lines=True)
    if told.error is not None and (not told.attempts or told.error is not told.attempts[-1].refusal):
        escape.problem(told.error)
    elif told.error is not None:
        st.error(_("Both tries were refused; nothing was run."), icon=":material/block:")
    if told.result is not None:
        _agreement(told.result, rules.result)
        st.markdown(escape.plain(told.answer))
        with st.container(key=page.key("model.free.box")):
            tables.draw(
                _("The rows of the model’s query"), as_frame(told.result), key=page.key("model.free"), columns={}
            )
    with st.popover(_("The prompt"), icon=":material/article:"):
        links = shown(" · ".join(f"{x.words} → {x.target}" for x in told.links) or "–", 600)
        st.caption(_("What the words were linked to: {links}", links=links))
        st.code(f"{told.system}\n\n{told.prompt}", language=None, wrap_lines=True)
