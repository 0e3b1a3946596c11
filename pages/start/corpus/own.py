"""The visitor's own documents on the page Documents: a list of uploads and a summary of the open one."""

from __future__ import annotations

import math
import time

import streamlit as st

from lab.corpus.statistics import FieldSummary, Statistics
from lab.explain.overview import Overview, overview, promising, warnings
from lab.explain.questions import LARGE, suggest_questions
from lab.text import cut
from lab.ui import address, escape, navigation
from lab.ui.i18n import _, _n, labelled, listed, say
from lab.ui.layout import frame
from lab.ui.layout.page import Page
from lab.ui.people import keeping

QUESTIONS, NAME = 3, 60


def uploads(p: Page) -> None:
    """Draws the visitor's own corpora, if any, each with buttons to open and delete it."""
    listed, files = frame.uploads().listed(), keeping.users_files()
    if not listed and files is None:
        return
    with st.container(border=True, key="corpus-uploads"):
        st.subheader(_("Your uploads") if listed else _("Kept on this computer"), anchor=False)
        for i, upload in enumerate(listed):
            _row(p, i, upload)
        st.caption(keeping.full_retention_text())
        if files is not None:
            _delete_all(str(files))


def _delete_all(folder: str) -> None:
    """Draws a button that deletes everything in the user's own folder, after a confirmation."""
    with st.popover(_("Delete everything"), icon=":material/delete_forever:"):
        st.markdown(
            _(
                "This deletes {path}: all uploads, all grades and the address of the language model, including "
                "those from your other browsers. It cannot be undone.",
                path=escape.plain(folder),
            )
        )
        st.button(_("Delete for good"), key="corpus.delete.all", type="primary", on_click=frame.forget_all)


def _row(p: Page, i: int, upload: keeping.Listed) -> None:
    is_open = upload.name == p.frame.corpus.name
    text, buttons = st.columns([3, 1], vertical_alignment="center")
    with text:
        st.text(cut(upload.name, NAME))  # as it is: no Markdown
        if upload.sound:
            size = f"{upload.megabytes:.1f}" if upload.megabytes >= 0.1 else "< 0.1"
            facts = [_("passages: {n}", n=f"{upload.passages:,}"), f"{size} MB", _goes(upload)]
            st.caption(" · ".join([*facts, _("open")] if is_open else facts))
        else:
            st.caption(":material/warning: " + _("This upload is damaged. Please add the files again."))
    row = buttons.container(horizontal=True, horizontal_alignment="right", gap="small")
    if upload.sound and not is_open:
        row.button(
            _("Open"), on_click=_open, args=(upload.name,), key=f"corpus.open.{i}", icon=":material/folder_open:"
        )
    row.button(
        _("Delete"), on_click=frame.forget, args=(upload.name,), key=f"corpus.delete.{i}", icon=":material/delete:"
    )


def _open(name: str) -> None:
    address.put("corpus", name)
    address.put("doc", "")


def _goes(upload: keeping.Listed) -> str:
    """Describes when an upload is deleted."""
    if upload.until is None:
        return _("deleted when you leave")
    if math.isinf(upload.until):
        return _("kept until you delete it")
    days = (upload.until - time.time()) / 86_400
    if days >= 1.5:
        return _n("deleted in {n} day", "deleted in {n} days", round(days))
    return _n("deleted in {n} hour", "deleted in {n} hours", max(1, round(24 * days)))


# ------------------------------------------------------------------------------------- what was read of one


def summary(p: Page, stats: Statistics) -> None:
    """Draws a summary of the visitor's own corpus: its content, example questions, and suitable pages."""
    c = p.frame.collection
    if c.name not in frame.uploads():
        return
    content = c.corpus.once(("overview", c.fingerprint), lambda: overview(c, stats))
    with st.container(border=True, key="corpus-summary"):
        st.subheader(_("Content of “{name}”", name=escape.plain(c.name, 60)), anchor=False)
        st.markdown("  \n".join(_facts(content, len(c.judged))))
        if len(c.corpus) <= LARGE and (questions := suggest_questions(c, QUESTIONS)):
            st.markdown(_("**Questions to ask**"))
            row = st.container(horizontal=True, gap="small")
            for i, question in enumerate(questions):
                if row.button(escape.plain(question, 80), key=f"corpus.ask.{i}", icon=":material/search:"):
                    address.put(address.QUESTION, question)
                    st.switch_page(navigation.find("compare"))
        left, right = st.columns(2, gap="medium")
        with left:
            st.markdown(_("**Try it on these pages**"))
            for note in promising(content):
                page = navigation.listed(note.page)
                st.page_link(navigation.find(note.page), label=_(page.title), icon=f":material/{page.icon}:")
                st.caption(escape.plain(say(note.sentence)))
        with right:
            st.markdown(_("**Little to see here**"))
            notes = [escape.plain(say(note.sentence)) for note in warnings(content)]
            st.markdown("\n".join(f"- {text}" for text in notes) or _("None: every technique works on this corpus."))


def _facts(o: Overview, judged: int) -> list[str]:
    """Returns one line each for languages, lengths, sections, fields and questions."""
    names = {"zh": _("Chinese"), "en": _("English"), "other": _("other")}
    words = sum(o.scripts.values())
    shares = listed(f"{names[name]} {n / words:.0%}" for name, n in o.scripts.items()) or _("no words")
    low, middle, high = o.lengths
    lengths = _(
        "shortest {low}, median {middle}, longest {high} (characters)", low=low, middle=f"{middle:g}", high=high
    )
    parts = _("passages with a title: {n} of {m}", n=o.headings, m=o.passages)
    if o.documents != o.passages:
        parts = _("passages: {n}, of documents: {m}", n=o.passages, m=o.documents) + " · " + parts
    each = (
        _("{field} ({kind})", field=escape.plain(f.name, 30), kind=_("{kind}, values: {n}", kind=kind(f), n=f.distinct))
        for f in o.fields[:12]
    )
    fields = listed(each) or _("none")
    facts = {_("Languages"): shares, _("Lengths"): lengths, _("Sections"): parts, _("Fields"): fields}
    facts[_("Questions with judgments")] = f"{judged:,}"
    return [labelled(f"**{name}**", fact) for name, fact in facts.items()]


def kind(field: FieldSummary) -> str:
    kinds = {"int": _("whole numbers"), "float": _("numbers"), "bool": _("yes or no"), "list": _("lists")}
    return kinds.get(field.type, _("texts"))
