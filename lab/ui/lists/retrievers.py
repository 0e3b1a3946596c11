"""External retrievers on the pages: those of plug-ins, and servers that the visitor adds in the settings.

Each is a list wherever lists are chosen.  An address is typed in the dialog and stays in the visitor's part of the
server's memory: it comes from no link and no file, and is written into none.  A public lab asks no address.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from lab import catalog
from lab.algebra import Corpus, Runner
from lab.errors import ModelError, ParameterError
from lab.kept import Kept
from lab.models.endpoint import public, shown
from lab.models.secrets import Secret
from lab.plugins import RESERVED, is_retriever_name
from lab.retrieve.external import Answered, External, Reply, ask
from lab.retrieve.http import BODY, HttpRetriever
from lab.ui import address, escape
from lab.ui.i18n import _, listed, say
from lab.ui.people.visitor import Visitor
from lab.words import Said

STORE = "retrievers"
"""The name of the visitor's store of servers, by the names of the retrievers."""
_ANSWERS = "retriever_answers"
KEPT = 300
"""Maximum number of answers in a visitor's cache."""
AGAIN = 20.0
"""Seconds after which a retriever that has failed for a question is asked for it again."""
LATE = 20.0
"""Seconds that a page waits for one answer."""
TRIED = 10
"""Results that a trial asks for."""
FIRST = 5
"""Results of a trial that are shown."""
BEGINNING = 2000
"""Characters of an answer that a trial shows."""


@dataclass(frozen=True)
class _Answer:
    """An answer in the cache, and when it came."""

    reply: Reply
    at: float


@dataclass(frozen=True)
class Remembering:
    """A retriever that a page asks once per question; a failure is an answer, so that the other lists stay."""

    name: str
    retriever: Any
    answers: Kept[_Answer] = field(compare=False, repr=False)

    @property
    def label(self) -> str:
        """What tells it from another of the same name, for caches."""
        return repr(self.retriever)

    def reply(self, question: str, k: int) -> Reply:
        """Returns the answer, from the cache if it is there."""
        key, now = (self.name, question, k), time.monotonic()
        cached = self.answers.get(key)
        if cached is not None and (cached.reply.problem is None or now - cached.at < AGAIN):
            return cached.reply
        try:
            reply = ask(self.retriever, question, k, name=self.name, progress=lambda *_: None, late=LATE)
        except ModelError as error:
            reply = Reply((), time.monotonic() - now, error)
        self.answers.put(key, _Answer(reply, time.monotonic()))
        return reply


def servers(visitor: Visitor) -> dict[str, HttpRetriever]:
    """Returns the servers that this visitor has added, by name; none in a public lab."""
    return {} if public() else visitor.store(STORE)


def known(visitor: Visitor) -> dict[str, Any]:
    """Returns every external retriever of this visitor by its name: those of plug-ins, then the servers."""
    return {**servers(visitor), **catalog.plugins().retrievers}


def models(visitor: Visitor) -> dict[str, Remembering]:
    """Returns the external retrievers of this visitor as a run knows them."""
    answers = visitor.store(_ANSWERS).setdefault("answers", Kept(KEPT))
    return {name: Remembering(name, retriever, answers) for name, retriever in known(visitor).items()}


def searches(visitor: Visitor) -> dict[str, External]:
    """Returns the search of every external retriever by its key on a page."""
    return {
        f"{External.key}-{name}": External(name, lower=bool(getattr(retriever, "lower", False)))
        for name, retriever in known(visitor).items()
    }


def written(visitor: Visitor) -> dict[str, str]:
    """Returns the visitor's servers as Python, without their addresses and keys."""
    return {name: server.written(f"ADDRESS_{i}") for i, (name, server) in enumerate(servers(visitor).items(), 1)}


# --------------------------------------------------------------------------------------------------- settings


def button(visitor: Visitor, corpus: Callable[[], Corpus]) -> None:
    """Draws the button that opens the dialog; a public lab without plug-ins has none."""
    names = known(visitor)
    if public() and not names:
        return
    label = _("External retrievers: {n}", n=len(names)) if names else _("Add an external retriever …")
    if st.button(label, key="retriever.open", type="tertiary", icon=":material/dns:"):
        st.dialog(_("External retrievers"), width="large")(_form)(visitor, corpus)


def _form(visitor: Visitor, corpus: Callable[[], Corpus]) -> None:
    """Draws the retrievers that there are, and the fields of a new one with its trial."""
    intro = _(
        "The list of a search engine of your own, wherever lists are chosen. Python functions and LangChain "
        "retrievers come from a plug-in file."
    )
    st.caption(intro)
    _listed(visitor)
    if public():
        closed = _("This lab is open to the public (LAB_PUBLIC): it does not connect to addresses that visitors enter.")
        st.info(closed, icon=":material/public:")
        return
    name = st.text_input(_("Name"), key="retriever.name", max_chars=40).strip()
    help_text = _("Questions are sent here. The address can contain {question} and {k} (number of results).")
    url = st.text_input(_("Address"), key="retriever.address", placeholder="http://", help=_braces(help_text)).strip()
    help_text = _("JSON, sent by POST. Empty: the address is opened by GET and contains {question}.")
    body = st.text_area(_("Body"), BODY, key="retriever.body", height=70, help=_braces(help_text))
    paths = _("Names of fields and positions in lists, separated by dots: hits.hits, 0.id.")
    columns = st.columns(4)
    labels = {
        "results": (_("Results"), listed((paths, _("Empty: the whole answer.")), " ")),
        "id": (_("Id"), _("Within a result. Empty: passages are identified by their text.")),
        "score": (_("Score"), _("Within a result. Empty: the rank counts.")),
        "text": (_("Text"), _("Within a result. Empty: passages are identified by their id.")),
    }
    values = {
        field_name: column.text_input(label, field_name, key=f"retriever.{field_name}", help=text).strip()
        for column, (field_name, (label, text)) in zip(columns, labels.items(), strict=True)
    }
    a, b, c = st.columns([1.4, 1, 1], vertical_alignment="bottom")
    help_text = _("Kept in the server's memory for this visit, and not in links or exports. Empty: no key is sent.")
    key = a.text_input(_("Key"), type="password", key="retriever.key", help=help_text)
    timeout = b.number_input(_("Time limit, seconds"), 0.5, 60.0, 10.0, step=1.0, key="retriever.timeout")
    help_text = _("For distances: the smallest number comes first.")
    lower = c.toggle(say(Said("Lower is better")), key="retriever.lower", help=help_text)
    question = st.text_input(
        _("Question of the trial"), str(st.session_state.get(address.QUESTION) or ""), key="retriever.try"
    )
    row = st.container(horizontal=True)
    tried = row.button(_("Try"), key="retriever.trial", icon=":material/play_arrow:", disabled=not (url and question))
    used = row.button(_("Add"), type="primary", key="retriever.add", disabled=not (url and name))
    if tried or used:
        with escape.problems():
            made = HttpRetriever(url, body, **values, lower=lower, secret=Secret(key), timeout=timeout)
            if tried:
                _trial(made, name or "…", question, corpus())
            else:
                _add(visitor, name, made)


def _braces(text: str) -> str:
    return text.replace("{", "\\{")


def _listed(visitor: Visitor) -> None:
    """Draws a line for every retriever; a server can be removed."""
    plugged = catalog.plugins().retrievers
    for name, retriever in known(visitor).items():
        origin = _("from a plug-in") if name in plugged else escape.plain(shown(retriever.address), 80)
        row = st.container(horizontal=True, vertical_alignment="center")
        row.markdown(f"**{escape.plain(name)}** · {origin}", width="stretch")
        if name not in plugged:
            row.button(
                _("Remove"),
                key=f"retriever.remove.{name}",
                icon=":material/delete:",
                on_click=_remove,
                args=(visitor, name),
            )


def _remove(visitor: Visitor, name: str) -> None:
    servers(visitor).pop(name, None)
    visitor.store(_ANSWERS).clear()


def _add(visitor: Visitor, name: str, retriever: HttpRetriever) -> None:
    """Adds a server for this visitor, in place of one of the same name."""
    if not is_retriever_name(name):
        remedy = Said("Use up to 40 letters, digits, spaces, _, . and -; not {names}.", names=[*RESERVED])
        raise ParameterError(Said("A retriever cannot have the name “{name}”.", name=name), remedy)
    if name in catalog.plugins().retrievers:
        raise ParameterError(Said("A plug-in has a retriever “{name}”.", name=name), Said("Give it another name."))
    visitor.store(_ANSWERS).clear()
    servers(visitor)[name] = retriever
    st.rerun()


def _trial(retriever: HttpRetriever, name: str, question: str, corpus: Corpus) -> None:
    """Draws the first results of an answer, what of it is not in the corpus, and its beginning as it came."""
    with st.spinner(_("Waiting for {name} …", name=name), show_time=True):
        answer, seconds = retriever.answer(question, TRIED)
    beginning = json.dumps(answer, ensure_ascii=False, indent=1)[:BEGINNING]
    try:
        results = retriever.read(answer)
        search = External(name, lower=retriever.lower)
        ranking = Runner(corpus, models={name: lambda _question: results})(search, question)
    except ModelError as error:
        escape.problem(error)
    else:
        evidence = ranking.evidence_as(Answered)
        found = {"n": evidence.returned, "ms": f"{seconds * 1000:.0f}", "here": evidence.used}
        st.success(_("Results: {n}, in this corpus: {here}, time: {ms} ms.", **found), icon=":material/check:")
        for remark in evidence.remarks:
            st.caption(escape.plain(say(remark)))
        titles = [hit.document.label for hit in ranking.hits[:FIRST]]
        st.markdown("\n".join(f"{i}. {escape.plain(title, 80)}" for i, title in enumerate(titles, 1)))
        if not ranking.hits:
            st.caption(escape.plain(say(evidence.reason)))
    with st.expander(_("The answer as it came")):
        st.code(beginning, language="json", wrap_lines=True)
