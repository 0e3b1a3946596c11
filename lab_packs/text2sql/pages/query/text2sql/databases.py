"""What the Text2SQL page needs around its conversation: databases to choose, uploads, hints, a chart, a model."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import streamlit as st

from lab.algebra import Corpus, Progress
from lab.corpus.statistics import fields_of
from lab.errors import LabError
from lab.reading.names import Names
from lab.reading.uploads import Problem
from lab.ui import address, components, escape, palette
from lab.ui.documents.uploading import encoding_of_texts
from lab.ui.figures import charts
from lab.ui.i18n import _, _n, language, listed
from lab.ui.layout import frame, tables
from lab.ui.work import work
from lab.words import Said
from lab_packs.text2sql.answer import output_name
from lab_packs.text2sql.assembly import Weights
from lab_packs.text2sql.database import Database, open_sample, samples
from lab_packs.text2sql.dialogue import Rules, Turn, choose, edit, say
from lab_packs.text2sql.guard import Result
from lab_packs.text2sql.hints import read_hints, taught, write_hints
from lab_packs.text2sql.lessons import suggestions
from lab_packs.text2sql.schema import Column, Schema
from lab_packs.text2sql.tree import Field, Piece, pieces, without
from lab_packs.text2sql.upload import TEXTS, of_passages, open_upload
from lab_packs.text2sql.wording import Words, group_value

if TYPE_CHECKING:
    import pandas as pd

    from lab.ui.layout.page import Page

PASSAGES = "passages: "
"""The name of the table of a corpus's passages begins so."""
OWN, HINTS, _READ = "databases", "database hints", "_database_file"
_SUGGESTED, _NAMED = "_text2sql_suggested", "_text2sql_named"
KEPT = 5
"""Uploads that are kept for one visitor."""


@st.cache_resource(show_spinner=False)
def _sample(name: str) -> Database:
    return open_sample(name)


def own() -> dict[str, Database]:
    """The databases that this visitor has uploaded, seen by nobody else."""
    return frame.visitor().store(OWN)


def names(corpus: Corpus) -> list[str]:
    """Sample databases, the passages of the corpus as a table, then this visitor's own."""
    here = [] if corpus.elsewhere or not len(corpus) else [PASSAGES + corpus.name]
    return [*samples(), *here, *own()]


def title(name: str) -> str:
    titles = {
        "applicants": _("Job candidates (English)"),
        "candidates": _("Job candidates (Chinese)"),
        "shop": _("A small shop (Chinese)"),
        "store": _("A small shop (English)"),
    }
    if name.startswith(PASSAGES) and name not in own():
        return _("Passages of “{name}”", name=frame.corpus_title(name.removeprefix(PASSAGES)))
    return titles.get(name, name)


def _passages(corpus: Corpus) -> Database:
    """The passages of a corpus as a table, made once."""
    fields = [field.name for field in fields_of(corpus)]
    return corpus.once(("passages as a table",), lambda: of_passages(corpus, fields))


def opened(name: str, moves: Sequence[str] = (), corpus: Corpus | None = None) -> Database:
    """A database by its name, with this visitor's hints and the words that were taught in this conversation."""
    if corpus is not None and name == PASSAGES + corpus.name and name not in own():
        db = _passages(corpus)
    else:
        db = own()[name] if name in own() else _sample(name)
    stored_hints = frame.visitor().store(HINTS).get(name)
    hints = current_hints = stored_hints or db.schema.hints()
    for word, of, value in (move[1:].split(_MEANS) for move in moves if _TAUGHT.fullmatch(move)):
        stored = any(str(c.ref) == of and value in c.values for c in db.schema.columns())
        current_hints = (
            taught(current_hints, of, word, value) if stored or (of in current_hints and not value) else current_hints
        )
    return db.with_hints(current_hints) if stored_hints or current_hints != hints else db


def examples(db: Database, today: dt.date) -> tuple[tuple[Said, str], ...]:
    """Returns example questions with their kinds, computed once per database, language and day."""
    of = (db.name, db.schema, language(), today)
    seen, questions = st.session_state.get(_SUGGESTED, (None, ()))
    if seen != of:
        questions = suggestions(db, language(), as_of=today)
        st.session_state[_SUGGESTED] = (of, questions)
    return tuple(questions)


def unique(columns: Sequence[str]) -> list[str]:
    """Column names that differ, as a table needs them."""
    names = Names(pattern="{} ({})")
    return [names.fresh(c) for c in columns]


def upload(page: Page) -> None:
    """Upload a table or a database; it is copied and opened read-only."""
    file = st.file_uploader(
        _("CSV, XLSX or SQLite"), type=["csv", "tsv", "xlsx", "sqlite", "sqlite3", "db"], key=page.key("file")
    )
    st.caption(_("The file is copied and opened read-only; only you can see it."))
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
            address.put(page.key("today"), dt.date.today().isoformat())
            address.put(page.key("lesson"), None)
            address.put(page.key("said"), "")
            st.rerun()
    if problem is not None:
        escape.problem(problem)
    for remark in remarks:
        told = listed((remark.message, remark.remedy), " ")
        st.warning(escape.plain(told), icon=":material/info:")


def take_in(name: str, data: bytes, remarks: list[Problem] | None = None, **options: Any) -> Database:
    """Stores an uploaded file as one of this visitor's databases and removes the oldest beyond `KEPT`.

    ``options`` are passed to `open_upload`.  Raises `UploadError`.
    """
    db = open_upload(name, data, remarks=remarks, **options)
    own().pop(name, None)
    own()[name] = db
    frame.visitor().store(HINTS).pop(name, None)  # they were about another file of this name
    while len(own()) > KEPT:
        own().pop(next(iter(own())))
    return db


def schema(page: Page, name: str, db: Database) -> None:
    """What the lab takes the tables to be, and what people call things: editable, as a file, and from one."""
    st.caption(
        _(
            "If something is wrong, correct the name of a row (and of its table), column names, synonyms "
            "(separated by commas) and units here. Corrections last for this visit; save them as a file to keep "
            "them."
        )
    )
    hints = db.schema.hints()
    types = {table.name: _n("{n:,} row", "{n:,} rows", table.rows, n=table.rows) for table in db.schema.tables}
    types |= {str(c.ref): _taken(c, db.schema) for c in db.schema.columns()}
    columns = {
        "name": _("Column"),
        "kind": _("Column type"),
        "zh": "中文",
        "en": "English",
        "synonyms": _("Synonyms"),
        "unit": _("Unit"),
    }
    rows = [
        dict(zip(columns, (key, types[key], h.zh, h.en, ", ".join(h.synonyms), h.unit), strict=True))
        for key, h in hints.items()
    ]
    key, fixed = page.key(f"hints.{name}"), ["name", "kind"]
    edited = st.data_editor(rows, key=key, hide_index=True, disabled=fixed, width=760, column_config=columns)
    line = st.container(horizontal=True, vertical_alignment="center", gap="small")
    if line.button(_("Use these names"), key=page.key("hints.use"), type="primary"):
        changed = {}
        for row in edited:
            zh, en, unit, words = (str(row[field] or "") for field in ("zh", "en", "unit", "synonyms"))
            synonyms = tuple(word.strip() for word in words.replace("，", ",").split(",") if word.strip())
            changed[row["name"]] = replace(hints[row["name"]], zh=zh, en=en, unit=unit, synonyms=synonyms)
        frame.visitor().store(HINTS)[name] = changed
        st.rerun()
    told, said = frame.visitor().store(HINTS), st.session_state[page.key("said")]
    other_moves = [move for move in said if not _TAUGHT.fullmatch(move)]
    if (name in told or other_moves != said) and line.button(
        _("Restore the names"), key=page.key("hints.drop"), icon=":material/undo:"
    ):
        told.pop(name, None)
        address.put(page.key("said"), other_moves)
        st.session_state.pop(key, None)
        st.rerun()
    components.download(
        line,
        "TOML",
        lambda: write_hints(hints),
        f"{escape.file(name)}.hints.toml",
        "application/toml",
        key=page.key("hints.file"),
        icon=":material/download:",
    )
    file = st.file_uploader(_("Load names from a file"), type=["toml"], key=page.key("hints.read"))
    if file is not None and st.session_state.get(_NAMED) != (name, file.file_id):
        try:
            told = read_hints(file.getvalue().decode("utf-8", "replace"))
        except LabError as error:
            escape.problem(error)
            return
        st.session_state[_NAMED] = (name, file.file_id)  # so that a rerun does not overwrite later edits
        frame.visitor().store(HINTS)[name] = hints | {k: h.over(hints[k]) for k, h in told.items() if k in hints}
        if strange := [key for key in told if key not in hints]:
            names = shown(listed(strange), 200)
            st.warning(_("Not in this database: {names}", names=names), icon=":material/help:")
        else:
            st.rerun()


def _taken(c: Column, schema: Schema) -> str:
    """What a column is taken to be: its kind, its range or values, the key that it is or points to."""
    facts = [{"text": _("text"), "category": _("category"), "list": _("list"), "number": _("number")}.get(c.kind, "")]
    facts = [_("day")] if c.kind == "date" else [_("yes or no")] if c.kind == "boolean" else facts
    if c.key:
        facts = [_("key")]
    facts += [f"→ {f.parent}" for f in schema.parents(c.table) if f.column == c.name]
    if c.kind in ("category", "list") and c.values:
        facts.append(" · ".join(c.values[:3]) + (" …" if len(c.values) > 3 else ""))
    elif c.low is not None and not c.key and len(facts) == 1:
        facts.append(f"{c.low} – {c.high}")
    return listed(facts)


# ------------------------------------------------------------------------------------------ the conversation

LITERAL = "≠"
"""Before a sentence: no unknown word of it stands for the rows."""
_AWAY, _ANSWER = re.compile(r"✕(\d{1,4})"), re.compile(r"\?(\d{1,4})\.(\d{1,4})")
_MEANS = "→"
_TAUGHT = re.compile("≔[^→]+→[^→]+→[^→]*")


def teaches(word: str, name: str, value: str) -> str:
    """Returns the move that defines a word as a table, a column or a value; "" if a link cannot contain it."""
    move = "≔" + _MEANS.join((word, name, value))
    return move if _TAUGHT.fullmatch(move) and len(move.splitlines()) == 1 else ""


def step(db: Database, turns: Sequence[Turn], move: str, today: dt.date, weights: Weights | None = None) -> list[Turn]:
    """Returns the conversation after one more move.

    A move is a sentence, or ``✕2``, which removes the third slot, or ``?0.1``, which answers the first clarification
    question with its second choice; ``≠`` before a sentence takes no unknown word of it for rows;
    ``≔word→name→value`` has taught a word (see `opened`).  The address holds the moves, so that a link replays them;
    a move that does not fit is ignored.
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
    elif move.strip() and not _TAUGHT.fullmatch(move):
        reader = Rules(weights or Weights(), takes_rows=not move.startswith(LITERAL))
        move = move.removeprefix(LITERAL)
        turns.append(say(db, " ".join(move.split()), as_of=today, before=turns[-1] if turns else None, reader=reader))
    return turns


def replay(db: Database, moves: Sequence[str], today: dt.date, weights: Weights | None = None) -> list[Turn]:
    """The whole conversation from its moves."""
    turns: list[Turn] = []
    for move in moves:
        turns = step(db, turns, move, today, weights)
    return turns


def standing(turns: Sequence[Turn]) -> Turn:
    """The turn whose rows hold: the last one that said anything."""
    return next((t for t in reversed(turns) if t.kind not in ("nothing", "overview")), turns[-1])


def thread(turns: Sequence[Turn]) -> list[Turn]:
    """Returns the spoken turns that the last one builds on, from the last question that was not a follow-up."""
    spoken = [t for t in turns if t.question]
    return spoken[max((i for i, t in enumerate(spoken) if t.kind in ("fresh", "reset")), default=0) :]


# ------------------------------------------------------------------------------------------------- showing


def shown(text: object, width: int = 80) -> str:
    """A name or a value from a database, in one line and not endless, for Markdown in which nothing is markup."""
    line = " ".join(str(text).split())
    return escape.plain(line if len(line) <= width else line[: width - 1] + "…")


def slot_label(slot: Piece, schema: Schema, lang: str) -> str:
    return shown(Words(schema, lang).piece(slot))


def rows(turn: Turn, schema: Schema, *, key: str) -> None:
    """Draws the rows of a turn with readable headings, whose tooltips show the names in SQL."""
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
    """Returns a title and a bar chart: groups with their first measure, or a list with the number that orders it.

    None if a chart makes no sense: one row, more than thirty, no number, or labels that are not distinct.
    """
    if turn.result is None or turn.query is None or turn.result.more or not 2 <= len(turn.result.rows) <= 30:
        return None
    tree, refs, result_rows, lang = turn.after, [o.ref for o in turn.query.outputs], turn.result.rows, turn.language
    if tree is None:
        return None
    words = Words(schema, lang, main=tree.table)
    by = tree.order[0].of if tree.order else None
    if tree.by and tree.measures:
        of, value = words.expression(tree.measures[0]), len(tree.by)
        label = " / ".join(map(words.expression, tree.by)) + " → " + of
        titles = [
            " / ".join(group_value(v, g, lang) for v, g in zip(r[:value], tree.by, strict=True)) for r in result_rows
        ]
    elif isinstance(by, Field) and by.ref in refs and schema.column(by.ref).kind == "number":
        name, value = schema.table(tree.table).title.ref, refs.index(by.ref)
        label = schema.column(by.ref).label(lang)
        titles = [str(r[refs.index(name) if name in refs else 0]) for r in result_rows]
    else:
        return None
    pairs = zip(titles, (r[value] for r in result_rows), strict=True)
    drawn = [(title, float(v)) for title, v in pairs if isinstance(v, (int, float))]
    labels, values = [x for x, _v in drawn], [v for _x, v in drawn]
    if len(values) < 2 or len({escape.safe(x, 24) for x in labels}) < len(labels):
        return None
    digits = 0 if all(v.is_integer() for v in values) else 1
    return label, charts.bars(values, labels, palette.named("refined"), digits=digits)
