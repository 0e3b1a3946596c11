"""The last question by a language model, beside the rules: its tree and its own SQL, held against theirs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from lab.algebra import Progress
from lab.models.answers import beginning
from lab.models.chat import LanguageModel, ask_many, messages, whole
from lab.ui import escape
from lab.ui.i18n import _, listed
from lab.ui.layout import tables
from lab.ui.models import language_model
from lab.ui.work import work
from lab_packs.text2sql.database import Database
from lab_packs.text2sql.dialogue import Turn, say
from lab_packs.text2sql.guard import Result
from lab_packs.text2sql.pages.query.text2sql.databases import as_frame, rows, shown, slot_label, thread
from lab_packs.text2sql.tree import pieces

if TYPE_CHECKING:
    from lab.ui.layout.page import Page
    from lab_packs.text2sql.free import FreeAnswer


@dataclass(frozen=True)
class Chat:
    """A language model in the form that the readers need: a system text and a prompt in, a whole text out.

    ``progress`` is called while waiting, and may raise to stop.
    """

    model: LanguageModel
    progress: Progress | None = None

    def ask(self, system: str, prompt: str) -> str:
        (answer,) = ask_many(self.model, [messages(prompt, system)], progress=self.progress)
        return whole(answer).text


_MODEL, _WANTED = "_text2sql_model", "_text2sql_wanted"


def ask_model(db: Database, spoken: Sequence[Turn], model: Chat, today: dt.date) -> tuple[Turn, FreeAnswer]:
    """The last spoken turn by a model: slots, which our builder turns into SQL, and SQL of the model's own.

    Free SQL gets the questions that it builds on (`thread`), too.
    """
    from lab_packs.text2sql.free import free_sql
    from lab_packs.text2sql.model_tree import ModelReader

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
    model = language_model.on_a_click()
    with st.expander(_("The same with a language model"), icon=":material/smart_toy:", key=page.key("model.box")):
        if model is None:
            st.caption(
                _(
                    "No language model is set (sidebar, “Language model”). With one, it fills the slots and "
                    "writes free SQL, which runs only if it parses as exactly one SELECT over these tables."
                )
            )
            return
        st.caption(
            _(
                "“{question}”: first as slots, checked against the schema and built into SQL here; then as the "
                "model's own SQL, checked before it runs.",
                question=shown(last.question, 200),
            )
        )
        questions = tuple(t.question for t in spoken)
        of = (db.fingerprint, db.schema, questions, last.before, today, model.label)
        if st.button(_("Ask the model"), key=page.key("model"), type="primary"):
            st.session_state.pop(_MODEL, None)
            st.session_state[_WANTED] = of
        if st.session_state.get(_WANTED) == of:

            def ask(progress: Progress) -> tuple[Turn, FreeAnswer]:
                return ask_model(db, spoken, Chat(model, progress), today)

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
    """Draws a badge that says whether the rows equal the rows of the rules."""
    if rules is None:
        return
    if same_rows(mine, rules):
        st.badge(_("same rows as by the rules"), icon=":material/check:", color="green")
    else:
        told = _("different rows: {a} here, {b} by the rules", a=_many(mine), b=_many(rules))
        st.badge(told, icon=":material/difference:", color="orange")


def _many(result: Result) -> str:
    return f"{len(result.rows)}{'+' if result.more else ''}"


def _model_slots(page: Page, db: Database, turn: Turn, rules: Turn) -> None:
    """Draws the slots, SQL and rows of the model, and the slots that differ from the rules."""
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
        st.warning(_("Not used: {words}", words=shown(" · ".join(turn.unknown), 300)), icon=":material/help:")
    if turn.query is not None:
        st.code(turn.query.sql, language="sql", wrap_lines=True)
        st.caption(_("with the parameters {values}", values=shown(list(turn.query.parameters.values()), 300)))
    if turn.result is not None:
        _agreement(turn.result, rules.result)
        st.markdown(escape.plain(turn.answer))
        rows(turn, db.schema, key=page.key("model.rows"))


def _free(page: Page, told: FreeAnswer, rules: Turn) -> None:
    """Draws every attempt of a model with the reason if it was refused, then the rows and the prompt."""
    for n, attempt in enumerate(told.attempts):
        st.caption(_("First try") if n == 0 else _("Repaired: the model received the reason and tried once more"))
        st.code(beginning(attempt.reply), language="sql", wrap_lines=True)
        if attempt.refusal is not None:
            text = listed((attempt.refusal.message, attempt.refusal.remedy), " ")
            st.warning(escape.plain(text), icon=":material/block:")
        elif " ".join(attempt.sql.split()) != " ".join(attempt.reply.split()):
            st.caption(_("Executed statement: “today” is the day above, and other dialects are translated."))
            st.code(attempt.sql, language="sql", wrap_lines=True)
    if told.error is not None and (not told.attempts or told.error is not told.attempts[-1].refusal):
        escape.problem(told.error)
    elif told.error is not None:
        st.error(_("Both attempts were refused; nothing was run."), icon=":material/block:")
    if told.result is not None:
        _agreement(told.result, rules.result)
        st.markdown(escape.plain(told.answer))
        with st.container(key=page.key("model.free.box")):
            tables.draw(_("Rows of the model's query"), as_frame(told.result), key=page.key("model.free"), columns={})
    with st.popover(_("The prompt"), icon=":material/article:"):
        links = shown(" · ".join(f"{x.words} → {x.target}" for x in told.links) or "–", 600)
        st.caption(_("Words linked to: {links}", links=links))
        st.code(f"{told.system}\n\n{told.prompt}", language=None, wrap_lines=True)
