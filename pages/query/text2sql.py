"""Text2SQL: a conversation about a table; the slots, the query, the rows, turn by turn."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pandas as pd
import streamlit as st

from lab.errors import LabError
from lab.text2sql.answer import describe
from lab.text2sql.dialogue import Turn, choose, edit, say
from lab.text2sql.lessons import read as read_lessons
from lab.text2sql.slots import Slots
from lab.ui import address, charts, databases, settings
from lab.ui.i18n import _, both, language
from lab.ui.page import Page

p = Page("text2sql", "Text2SQL", _("From a sentence to slots to a safe query: what was understood, what was asked, what came back?"))
TURNS, SAID = "_text2sql_turns", p.key("said")


def start_over() -> None:
    """Forget the conversation."""
    address.put(SAID, [])
    st.session_state.pop(TURNS, None)


lessons = {x.id: x for x in read_lessons()}
if lessons:
    address.keep(p.key("lesson"), None, address.choice(list(lessons)))

    def take() -> None:
        lesson = lessons.get(st.session_state[p.key("lesson")] or "")
        if lesson:
            address.put(p.key("db"), lesson.database)
            address.put(p.key("today"), lesson.today.isoformat())
            address.put(SAID, list(lesson.turns))
            st.session_state.pop(TURNS, None)

    st.pills(_("Lessons"), list(lessons), key=p.key("lesson"), format_func=lambda n: both(dict(lessons[n].title)), on_change=take, label_visibility="collapsed")
    lesson = lessons.get(st.session_state[p.key("lesson")] or "")
    if lesson:
        with st.container(border=True, key="claim-text2sql"):
            st.markdown(both(dict(lesson.claim)))

names = databases.names()
row = st.columns([2.4, 1.6, 1.5, 1.5, 1.4], vertical_alignment="bottom")
address.keep(p.key("db"), "candidates" if language() == "zh" else "shop", address.choice(names))
address.keep(p.key("today"), "2024-06-15")
address.keep(SAID, [], address.lines)
with row[0]:
    name = st.selectbox(_("Database"), names, key=p.key("db"), format_func=databases.title, on_change=start_over)
with row[1]:
    today_text = st.text_input(_("“Today” is"), key=p.key("today"), help=_("The sample data ends in 2024: “last year” counts back from this day."), on_change=lambda: st.session_state.pop(TURNS, None))
try:
    today = dt.date.fromisoformat(today_text.strip())
except ValueError:
    st.error(_("“{text}” is no day. Write it as 2024-06-15.", text=charts.safe(today_text, 40)), icon=":material/calendar_today:")
    today = dt.date(2024, 6, 15)
with row[2], st.popover(_("Upload"), icon=":material/upload:", width="stretch"):
    databases.upload(p)
try:
    db = databases.opened(name)
except LabError as error:
    settings.problem(error)
    st.stop()
with row[3], st.popover(_("Schema"), icon=":material/schema:", width="stretch"):
    databases.schema(p, db)
row[4].button(_("New conversation"), icon=":material/restart_alt:", on_click=start_over, width="stretch")

turns: list[Turn] = st.session_state.get(TURNS) or []
if not turns and st.session_state[SAID]:
    with st.spinner(_("Playing the conversation …")):
        for text in st.session_state[SAID]:
            turns.append(say(db, text, as_of=today, before=turns[-1].after if turns else Slots()))
    st.session_state[TURNS] = turns


def tell(text: str) -> None:
    """One more turn."""
    turn = say(db, text, as_of=today, before=turns[-1].after if turns else Slots())
    st.session_state[TURNS] = [*turns, turn]
    address.put(SAID, [*st.session_state[SAID], text])


def take_away(key: str) -> None:
    """A chip was clicked: its slot goes."""
    before = turns[-1].after
    st.session_state[TURNS] = [*turns, edit(db, before, before.without(key), language=turns[-1].language)]


def answer(ask: int, choice: int) -> None:
    """A question back was answered by a button."""
    st.session_state[TURNS] = [*turns[:-1], choose(db, turns[-1], ask, choice)]


chat, state = st.columns([1, 1.25], gap="large")
with chat:
    box = st.container(border=True, height=560, autoscroll=True)
    with box:
        if not turns:
            st.caption(_("Ask about the table in your own words, then narrow down, turn by turn. For example:"))
            for text in databases.examples(name):
                st.button(text, key=p.key(f"example.{text}"), on_click=tell, args=(text,), type="tertiary", icon=":material/chat:")
        for i, turn in enumerate(turns):
            if turn.question:
                st.chat_message("user", avatar=":material/person:").markdown(settings.plain(turn.question))
            with st.chat_message("assistant", avatar=":material/table_chart:"):
                st.markdown(settings.plain(turn.answer) or _("(changed by hand)"))
                if turn.unknown:
                    st.caption(_("Not understood: {words}", words=settings.plain(", ".join(turn.unknown))))
                last = i == len(turns) - 1
                for n, ask in enumerate(turn.asks):
                    if last:
                        line = st.container(horizontal=True)
                        for m, slot in enumerate(ask.choices):
                            line.button(settings.plain(describe(slot, db.schema, turn.language)), key=p.key(f"ask.{i}.{n}.{m}"), on_click=answer, args=(n, m))
                with st.expander(_("Slots of this turn"), icon=":material/data_object:"):
                    for label, slots in ((_("before"), tuple(turn.before)), (_("new"), turn.new), (_("removed"), turn.removed), (_("after"), tuple(turn.after))):
                        text = " · ".join(settings.plain(describe(s, db.schema, turn.language)) for s in slots) or "–"
                        st.markdown(f"**{label}**: {text}")
    asked = st.chat_input(_("Ask, or narrow down …"), key=p.key("ask"), max_chars=1000)
    if asked and asked.strip():
        tell(asked.strip())
        st.rerun()

with state:
    if not turns:
        st.caption(_("The first rows of every table:"))
        for table in db.schema.tables[:4]:
            st.markdown(f"**{settings.plain(table.label(language()))}** · " + _("{n} rows", n=f"{table.rows:,}"))
            preview = db.preview(table.name, 5)
            st.dataframe(pd.DataFrame(preview.rows, columns=databases.unique(preview.columns)), hide_index=True, key=p.key(f"preview.{table.name}"))
    else:
        turn = turns[-1]
        st.caption(_("What holds now: click a slot to take it away"))
        chips = st.container(horizontal=True, gap="small")
        for slot in turn.after:
            chips.button(settings.plain(describe(slot, db.schema, turn.language)) + "  ✕", key=p.key(f"chip.{len(turns)}.{slot.key}"), on_click=take_away, args=(slot.key,))
        if not tuple(turn.after):
            chips.caption(_("nothing yet"))
        if turn.error is not None:
            settings.problem(turn.error)
        if turn.query is not None:
            st.code(turn.query.sql, language="sql", wrap_lines=True)
            if turn.query.parameters:
                st.caption(_("with the parameters {values}", values=settings.plain(repr(list(turn.query.parameters)))))
        if turn.result is not None:
            result = turn.result
            frame = pd.DataFrame(result.rows, columns=databases.unique(result.columns))
            more = _("{n} rows, of {total}", n=len(frame), total=turn.total if turn.total is not None else "?") if result.more else _("{n} rows", n=len(frame))
            st.caption(f"{more} · {result.seconds * 1000:.1f} ms")
            st.dataframe(frame, hide_index=True, key=p.key("rows"))
            figure = databases.chart(frame)
            if figure is not None:
                st.plotly_chart(figure, key=p.key("chart"), config=charts.CONFIG)
            for f, n in turn.relaxed:
                relaxed = replace(turn.after, filters=tuple(x for x in turn.after.filters if x != f))
                st.button(
                    _("Without “{condition}” there are {n}", condition=settings.plain(describe(f, db.schema, turn.language)), n=n), key=p.key(f"relax.{f.key}"), icon=":material/filter_alt_off:",
                    on_click=lambda relaxed=relaxed, turn=turn: st.session_state.__setitem__(TURNS, [*turns, edit(db, turn.after, relaxed, language=turn.language)]),
                )
            with st.expander(_("How SQLite runs it"), icon=":material/account_tree:"):
                st.code("\n".join(result.plan) or "–", language=None)
                st.caption(_("Read-only connection; only SELECT over the tables of this database; stopped after three seconds; at most 200 rows."))
            if len(frame):
                st.download_button("CSV", lambda: "\ufeff" + frame.to_csv(index=False), f"{name}.csv", "text/csv", key=p.key("csv"), on_click="ignore", icon=":material/download:")
        if any(t.question for t in turns):
            databases.with_model(p, db, next(t.question for t in reversed(turns) if t.question), today)
