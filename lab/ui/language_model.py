"""The language model of a visitor: set in the sidebar, or by the environment of the server; none is the usual case.

The key stays in the memory of the server for this visit.  Answers are remembered per visitor, so that a page
that is drawn again does not ask again.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import streamlit as st

from lab.models.chat import Completion, LanguageModel
from lab.models.endpoint import public
from lab.models.endpoint_chat import SERVERS, EndpointModel, endpoint, from_environment
from lab.models.memory import AnswerCache, Remembering
from lab.ui import address, escape, settings
from lab.ui.i18n import _

_MODEL, _CACHE = "_language_model", "_language_model_answers"
_LINKED, _WANTED = "_language_model_linked", "_language_model_wanted"


@st.cache_resource(show_spinner=False)
def _of_the_server() -> EndpointModel | None:
    try:
        secrets = {k: str(v) for k, v in st.secrets.items() if str(k).startswith(("LAB_LLM_", "OPENAI_"))}
    except FileNotFoundError:  # no .streamlit/secrets.toml
        secrets = {}
    return from_environment({**os.environ, **secrets})


def _set() -> EndpointModel | None:
    """The model that this visitor has set, else that of the server."""
    return st.session_state[_MODEL] if _MODEL in st.session_state else _of_the_server()


def waits() -> bool:
    """Whether there is a model of the server that nobody has asked for in this session.

    A page asks a model while it is drawn, with the prompt that its link names.  Whoever writes a link must not spend
    what belongs to the owner: the visitor has typed a question of their own before, or pressed a button (`offer`).
    """
    state, asked = st.session_state, address.current().get(address.QUESTION, "")
    linked = state.setdefault(_LINKED, address.translated(st.query_params.to_dict()).get(address.QUESTION, ""))
    if asked and not linked.startswith(asked):
        state[_WANTED] = True
    return _WANTED not in state and not state.get(_MODEL) and _set() is not None


def offer(key: str) -> None:
    """Where a model waits, the button that lets it be asked on every page of this visit."""
    if waits():
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(_("A language model is set up here. It is not asked until you say so."))
            wanted: dict[str, Any] = {"on_click": st.session_state.update, "kwargs": {_WANTED: True}}
            st.button(_("Ask the model"), key=key, icon=":material/smart_toy:", **wanted)


def current() -> LanguageModel | None:
    """The model that a page may ask, with a memory for its answers, or None: then rules do the work."""
    return None if waits() else _remembering()


def _remembering() -> LanguageModel | None:
    model = _set()
    return None if model is None else Remembering(model, st.session_state.setdefault(_CACHE, AnswerCache()))


@dataclass(frozen=True)
class Chat:
    """A language model as Text2SQL wants it: a system text and a prompt in, a text out."""

    model: LanguageModel

    def ask(self, system: str, prompt: str) -> str:
        return self.model.ask(prompt, system=system).text


def chat() -> Chat | None:
    """This visitor's model for Text2SQL, or None: it is asked after a click only."""
    model = _remembering()
    return None if model is None else Chat(model)


def button() -> None:
    """What is set, and the dialog to change it."""
    model = None
    waits()  # remembers with which question the visit began
    with escape.problems():
        model = _set()
    name = _("not set · rules") if model is None else model.label
    label = _("Language model: {name}", name=escape.plain(name))
    if st.button(label, key="llm.open", type="tertiary", icon=":material/smart_toy:"):
        st.dialog(_("Language model"), width="medium")(_form)()


def _form() -> None:
    """Server, model, key; a trial before it is used."""
    told = _(
        "Everything works without one: a rule does the work and says so. "
        "With a model, its answer stands beside the rule's."
    )
    st.caption(told)
    if public():
        closed = _(
            "This lab is open to the public (LAB_PUBLIC): only the servers in the list, no addresses of your own."
        )
        st.info(closed, icon=":material/public:")
    url, model, key = settings.server("llm", {name: s.model for name, s in SERVERS.items()})
    a, b, c = st.columns(3)
    temperature = a.number_input(_("Temperature"), 0.0, 2.0, 0.2, step=0.1, key="llm.temperature")
    timeout = b.number_input(_("Seconds to wait"), 1.0, 600.0, 60.0, step=5.0, key="llm.timeout")
    retries = c.number_input(_("Tries again"), 0, 10, 2, key="llm.retries")
    row = st.container(horizontal=True)
    if row.button(_("Try and use"), type="primary", key="llm.use", disabled=not (model and url)):
        with escape.problems():
            made = endpoint(url, model, key, temperature=temperature, timeout=timeout, retries=retries)
            with st.spinner(_("Asking for a first word …"), show_time=True):
                answer = made.ask("Answer with the single word: ready")
            st.toast(_("{model} answers: “{text}”", model=made.label, text=answer.text[:40]), icon=":material/check:")
            _use(made)
    if st.session_state.get(_MODEL) and row.button(_("Forget it"), key="llm.forget", icon=":material/delete:"):
        _use(None)


def _use(model: EndpointModel | None) -> None:
    """From now on this model, or none, and nothing of what another one has answered."""
    st.session_state[_MODEL] = model
    st.session_state.pop(_CACHE, None)
    st.rerun()


def usage(answer: Completion) -> str:
    """Tokens, cost and time of an answer in a few words."""
    parts = [f"{answer.seconds:.1f} s"]
    if answer.prompt_tokens is not None and answer.answer_tokens is not None:
        parts.append(_("{a} + {b} tokens", a=answer.prompt_tokens, b=answer.answer_tokens))
    if answer.cost is not None:
        parts.append(f"{answer.cost:.5f}")
    if answer.remembered:
        parts.append(_("remembered"))
    return " · ".join(parts)
