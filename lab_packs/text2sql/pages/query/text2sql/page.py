"""Text2SQL: a conversation about a table; the slots, the query, the rows, turn by turn."""

from __future__ import annotations

import datetime as dt

import streamlit as st

from lab.errors import LabError
from lab.ui import address, components, escape
from lab.ui.figures import charts
from lab.ui.i18n import _, _n, labelled, language, listed, say
from lab.ui.layout.page import Page
from lab_packs.text2sql.answer import restated
from lab_packs.text2sql.dialogue import Turn
from lab_packs.text2sql.pages.query.text2sql import databases, lessons, linked, modelled, teaching, understood
from lab_packs.text2sql.pages.query.text2sql.lessons import DB, SAID, TODAY
from lab_packs.text2sql.tree import pieces

# In narrow windows the chat comes first and the state below it, near enough: the examples are one row to scroll.
STYLE = """<style>
@media (max-width: 900px) {
  .st-key-text2sql-talk > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] {
    flex-direction: column;
    > [data-testid="stColumn"] { width: 100%; flex: 1 1 auto; }
  }
  .st-key-text2sql-examples { flex-flow: row nowrap; overflow-x: auto; > * { flex: none; width: auto; } }
  .st-key-text2sql-examples [data-testid="stElementContainer"]:has([data-testid="stCaptionContainer"]) { display: none; }
}
.st-key-text2sql-chat [data-testid="stChatMessage"] { padding-top: 0.5rem; padding-bottom: 0.5rem; }
</style>"""

p = Page(
    "text2sql",
    "Text2SQL",
    _("Which table, column and value does a question mean? From words to slots to a safe query."),
)
st.html(STYLE)
TURNS = "_text2sql_turns"
LAST_DAY = dt.date(2024, 6, 15)  # the day after the sample data; for one's own tables "today" is the real day

names = databases.names(p.frame.corpus)
if (asked_for := st.query_params.get(DB)) and DB not in st.session_state and asked_for not in names:
    st.warning(
        _(
            "This link needs the database “{name}”, which only its uploader can see. Upload the file to "
            "continue. Showing a sample instead.",
            name=databases.shown(asked_for, 60),
        ),
        icon=":material/link_off:",
    )
    address.put(SAID, [])
# the language chooses the database of a new visitor; switching it later changes no conversation
address.keep(
    DB,
    st.session_state.setdefault("_first_database", "candidates" if language() == "zh" else "store"),
    address.choice(names),
)
address.always(DB)
if st.session_state[DB] not in names:
    address.put(DB, names[0])
address.keep(TODAY, LAST_DAY.isoformat())


def another() -> None:
    """Another database: a new conversation, by the day of its data; of one's own tables today is the real day."""
    lessons.start_over()
    address.put(TODAY, (dt.date.today() if st.session_state[DB] in databases.own() else LAST_DAY).isoformat())


lessons.keep()
performed = lessons.draw(p)

row = p.row([2.0, 1.3, 1.3, 1.4, 1.7, 1.8])
with row[0]:
    name = st.selectbox(_("Database"), names, key=DB, format_func=databases.title, on_change=another)
with row[1]:
    today_text = st.text_input(
        _("Treat “today” as"), key=TODAY, help=_("The sample data ends in 2024: “last year” counts back from this day.")
    )
try:
    today = dt.date.fromisoformat(today_text.strip())
except ValueError:
    st.error(
        _("“{text}” is not a date. Write it as 2024-06-15.", text=databases.shown(today_text, 40)),
        icon=":material/calendar_today:",
    )
    today = LAST_DAY
with row[2], st.popover(_("Upload"), icon=":material/upload:", width="stretch"):
    databases.upload(p)
try:
    db = databases.opened(name, st.session_state[SAID], p.frame.corpus)
except LabError as error:
    escape.problem(error)
    p.stop()
with row[3], st.popover(_("Schema"), icon=":material/schema:", width="stretch"):
    databases.schema(p, name, db)
row[5].button(
    _("New conversation"), icon=":material/restart_alt:", on_click=lessons.start_over, width="stretch", key=p.key("new")
)

with row[4], st.popover(_("Weights of a reading"), icon=":material/tune:", width="stretch"):
    weights = linked.weights(p)
said: list[str] = st.session_state[SAID]
# until the visitor has asked, the page answers an example: most often the third, a number per group, by short SQL
moves = said or [text for _kind, text in databases.examples(db, today)[:3]][-1:]
of, turns = st.session_state.get(TURNS, (None, []))
if of != (name, db.schema, today, moves, weights):
    with st.spinner(_("Playing the conversation …")):
        turns = databases.replay(db, moves, today, weights)
    st.session_state[TURNS] = ((name, db.schema, today, list(moves), weights), turns)


def move(text: str, fresh: bool = False) -> None:
    """Adds a move: a sentence, a removed slot, or the answer to a clarification; ``fresh``: it is the first one."""
    before, so_far = ([], []) if fresh else (moves, turns)
    after = [*before, text]
    played = databases.step(db, so_far, text, today, weights)
    st.session_state[TURNS] = ((name, db.schema, today, after, weights), played)
    address.put(SAID, after)


def again(*instead: str) -> None:
    """Other moves in place of the last one."""
    address.put(SAID, [*moves[:-1], *filter(None, instead)])


def examples() -> None:
    """Draws the kinds of questions that are read, each with an example that works here and is not yet asked."""
    for kind, text in (x for x in databases.examples(db, today) if x[1] not in moves):
        line = st.container(horizontal=True, gap="small", vertical_alignment="center")
        line.caption(say(kind), width=130)
        key = p.key(f"example.{text}")
        line.button(text, key=key, on_click=move, args=(text, not said), type="tertiary", icon=":material/chat:")


def chat_turn(i: int, turn: Turn) -> None:
    """Draws a question and its reply: the answer, unknown words, clarification choices and slots."""
    if turn.question:
        st.chat_message("user", avatar=":material/person:").markdown(escape.plain(turn.question))
    with st.chat_message("assistant", avatar=":material/table_chart:"):
        if turn.late:
            st.warning(databases.shown(turn.answer, 400), icon=":material/timer_off:")
        elif turn.unknown:
            st.warning(
                _(
                    "Not understood, so no query was run: {words}",
                    words=databases.shown(" · ".join(turn.unknown), 300),
                ),
                icon=":material/help:",
            )
            if i == len(turns) - 1:
                teaching.draw(p, name, db, turn, again)
        else:
            st.markdown(escape.plain(turn.answer) or _("(changed by hand)"))
        if turn.assumed and i == len(turns) - 1:
            st.button(
                _("“{word}” does not mean the rows", word=databases.shown(turn.assumed, 40)),
                key=p.key(f"literal.{i}"),
                on_click=again,
                args=(f"{databases.LITERAL}{turn.question}",),
                icon=":material/undo:",
            )
        if turn.unknown and turn.asks and i == len(turns) - 1:
            st.caption(_("The words that were understood:"))
        for n, choice in enumerate(turn.asks if i == len(turns) - 1 else ()):
            st.button(
                databases.shown(restated(choice, db.schema, turn.language), 160),
                key=p.key(f"ask.{i}.{n}"),
                on_click=move,
                args=(f"?0.{n}",),
                type="primary",
            )
        with p.fold(f"slots.{i}", _("Slots of this turn"), ":material/data_object:") as seen:
            before, after = (_("before"), pieces(turn.before)), (_("after"), pieces(turn.after))
            told = (before, (_("new"), turn.new), (_("removed"), turn.removed), after)
            for label, slots in told if seen else ():
                text = " · ".join(databases.slot_label(s, db.schema, turn.language) for s in slots) or "–"
                st.markdown(labelled(f"**{label}**", text))


def chips(turn: Turn, last: Turn) -> None:
    """Draws the active slots as buttons that remove them, and the words that were not understood."""
    if pieces(turn.after):
        st.caption(_("Active conditions (click to remove)"))
    line = st.container(horizontal=True, gap="small", key="text2sql-chips")
    for n, slot in enumerate(pieces(turn.after)):
        line.button(
            databases.slot_label(slot, db.schema, turn.language) + "  ✕",
            key=p.key(f"chip.{len(moves)}.{n}"),
            on_click=move,
            args=(f"✕{n}",),
        )
    for word in last.unknown:
        line.badge(databases.shown(word, 40), icon=":material/help:", color="orange")


def rows_and_query(turn: Turn) -> None:
    """The parameters of the query, its rows, a chart, and how SQLite runs it."""
    query, result = turn.query, turn.result
    if query is None or result is None:
        return
    if query.parameters:
        st.caption(
            _(
                "with the parameters {values}",
                values=databases.shown(listed(f"{name} = {value!r}" for name, value in query.parameters.items()), 400),
            )
        )
    more = (
        _("rows: {n} of {total}", n=len(result.rows), total=turn.total if turn.total is not None else "?")
        if result.more
        else _n("{n:,} row", "{n:,} rows", len(result.rows), n=len(result.rows))
    )
    st.caption(f"{more} · " + _("{ms} ms", ms=f"{result.seconds * 1000:.1f}"))
    if result.rows:
        databases.rows(turn, db.schema, key=p.key("rows"))
        components.download(
            st,
            "CSV",
            lambda: "\ufeff" + escape.as_csv(databases.as_frame(result)),
            f"{name}.csv",
            "text/csv",
            key=p.key("csv"),
            icon=":material/download:",
        )
    order = list(pieces(turn.after))
    for f, n in turn.relaxed:
        st.button(
            _("Without “{condition}” there are {n}", condition=databases.slot_label(f, db.schema, turn.language), n=n),
            key=p.key(f"relax.{order.index(f)}"),
            icon=":material/filter_alt_off:",
            on_click=move,
            args=(f"✕{order.index(f)}",),
        )
    if plotted := databases.chart(turn, db.schema):
        st.caption(databases.shown(plotted[0]))
        charts.draw(plotted[1], p.key("chart"))
    with p.fold("plan", _("How SQLite runs it"), ":material/account_tree:") as seen:
        if seen:
            st.code(query.sql, language="sql", wrap_lines=True)
            if query.parameters:
                st.caption(_("With the values filled in, for reading only; the statement above is executed:"))
                st.code(query.bound, language="sql", wrap_lines=True)
            st.code("\n".join(result.plan) or "–", language=None)
            st.caption(
                _(
                    "Read-only connection; only SELECT over the tables of this database; stopped after three seconds; "
                    "at most 200 rows."
                )
            )


def first_rows(*, opened: bool) -> None:
    """Draws the fold of what there is to ask about, which is open where no query has run."""
    title, tables = _("The first rows of every table"), db.schema.tables
    with p.fold("first" if opened else "tables", title, ":material/table:", opened=opened) as seen:
        for table in tables[:4] if seen else ():
            rows = _n("{n:,} row", "{n:,} rows", table.rows, n=table.rows)
            st.markdown(f":material/table: {databases.shown(table.label(language()))} · {rows}")
            config = {c.name: st.column_config.Column(c.label(language()), help=c.name) for c in table.columns}
            with escape.problems():
                preview = databases.as_frame(db.preview(table.name, 5))
                st.dataframe(preview, hide_index=True, column_config=config, key=p.key(f"preview.{table.name}"))
        if seen and tables[4:]:
            names = databases.shown(listed(table.label(language()) for table in tables[4:]), 400)
            st.caption(_("and {n} more: {names}", n=len(tables) - 4, names=names))


def outcome() -> None:
    """What holds after the last sentence, what went wrong, and the rows."""
    holds, last = databases.standing(turns), turns[-1]
    chips(holds, last)
    if last.error is not None:
        escape.problem(last.error)
    if last.asks and not last.unknown:
        st.info(
            _("A clarification is needed: no query runs until it is answered in the chat."),
            icon=":material/contact_support:",
        )
    if last.kind != "overview" and (last.question or last.query is not None):
        understood.draw(p, last, db.schema)
    if holds is last or last.kind == "overview":
        rows_and_query(holds)
    elif holds.result is not None:  # rows beside a sentence that was not understood would be taken for its answer
        before = _("Rows of the previous turn; the last sentence returned no rows")
        with p.fold("before", before, ":material/history:") as seen:
            if seen:
                rows_and_query(holds)
    understood.readings(p, last, db.schema, weights)
    if last.question and last.kind != "overview":
        linked.draw(p, db, last)


with st.container(key="text2sql-talk"):
    chat, state = st.columns([1, 1.25], gap="large")
with chat:
    with st.container(border=True, height=560 if said else "content", autoscroll=bool(said), key="text2sql-chat"):
        if not said:
            st.caption(_("Ask about the table in your own words, then narrow the result turn by turn. For example:"))
        for i, turn in enumerate(turns):
            with st.container(key=p.key(f"turn-{i}")):
                chat_turn(i, turn)
        if not said or not turns or turns[-1].kind == "overview":
            with st.container(key="text2sql-examples"):
                examples()
    if (asked := st.chat_input(_("Ask, or narrow down …"), key=p.key("ask"), max_chars=1000)) and asked.strip():
        move(" ".join(asked.split()), not said)
        st.rerun()

with state:
    spoken = any(turn.kind != "overview" for turn in turns)
    if spoken:
        outcome()
    if not said or not spoken:
        first_rows(opened=not spoken)
lessons.close(performed, turns)
modelled.with_model(p, db, turns if said else [], today)
with p.exports() as seen:
    if seen and performed:
        lessons.home(performed[0])
