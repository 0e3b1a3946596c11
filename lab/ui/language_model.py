"""The language model of a visitor: set in the sidebar, or by the environment of the server; none is the usual case.

The key stays in the memory of the server for this visit.  Answers are remembered per visitor, so that a page
that is drawn again does not ask again.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from lab.errors import LabError
from lab.models.chat import LanguageModel
from lab.models.endpoint import public
from lab.models.endpoint_chat import SERVERS, EndpointModel, endpoint, from_environment
from lab.models.memory import AnswerCache, Remembering
from lab.ui import escape
from lab.ui.i18n import _

_MODEL, _CACHE = "_language_model", "_language_model_answers"


@st.cache_resource(show_spinner=False)
def _of_the_server() -> EndpointModel | None:
    try:
        secrets = {k: str(v) for k, v in st.secrets.items() if str(k).startswith(("LAB_LLM_", "OPENAI_"))}
    except FileNotFoundError:  # no .streamlit/secrets.toml
        secrets = {}
    import os

    return from_environment({**os.environ, **secrets})


def current() -> LanguageModel | None:
    """This visitor's model with a memory for its answers, or None: then rules do the work."""
    chosen = st.session_state.get(_MODEL, "unset")
    model = _of_the_server() if chosen == "unset" else chosen
    if model is None:
        return None
    return Remembering(model, st.session_state.setdefault(_CACHE, AnswerCache()))


@dataclass(frozen=True)
class Chat:
    """A language model as Text2SQL wants it: a system text and a prompt in, a text out."""

    model: LanguageModel

    def ask(self, system: str, prompt: str) -> str:
        return self.model.ask(prompt, system=system).text


def chat() -> Chat | None:
    """This visitor's model for Text2SQL, or None."""
    model = current()
    return None if model is None else Chat(model)


def button() -> None:
    """What is set, and the dialog to change it."""
    try:
        model = current()
    except LabError as error:
        escape.problem(error)
        model = None
    label = _("not set · rules") if model is None else model.label
    if st.button(
        _("Language model: {name}", name=escape.plain(label)),
        key="llm.open",
        type="tertiary",
        icon=":material/smart_toy:",
    ):
        dialog()


def dialog() -> None:
    """Server, model, key; a trial before it is used."""

    @st.dialog(_("Language model"), width="medium")
    def show() -> None:
        st.caption(
            _(
                "Everything works without one: a rule does the work and says so. With a model, its answer stands beside the rule's."
            )
        )
        closed = public()
        if closed:
            st.info(
                _(
                    "This lab is open to the public (LAB_PUBLIC): only the servers in the list, no addresses of your own."
                ),
                icon=":material/public:",
            )
        names = [n for n, p in SERVERS.items() if not (closed and p.local)]
        preset = st.selectbox(_("Server"), [*names, *([] if closed else [_("another")])], key="llm.preset")
        known = SERVERS.get(preset)
        url = st.text_input(
            _("Address"), value=known.base_url if known else "", key=f"llm.url.{preset}", disabled=closed
        )
        model = st.text_input(_("Model"), value=known.model if known else "", key=f"llm.model.{preset}")
        key = st.text_input(
            _("Key"),
            type="password",
            key="llm.key",
            help=_(
                "Stays in the memory of the server for this visit; it is in no link and no export. Local servers need none."
            ),
        )
        a, b, c = st.columns(3)
        temperature = a.number_input(_("Temperature"), 0.0, 2.0, 0.2, step=0.1, key="llm.temperature")
        timeout = b.number_input(_("Seconds to wait"), 1.0, 600.0, 60.0, step=5.0, key="llm.timeout")
        retries = c.number_input(_("Tries again"), 0, 10, 2, key="llm.retries")
        row = st.container(horizontal=True)
        if row.button(_("Try and use"), type="primary", key="llm.use", disabled=not (model and url)):
            try:
                made = endpoint(
                    known.base_url if closed and known else url,
                    model,
                    key,
                    temperature=temperature,
                    timeout=timeout,
                    retries=int(retries),
                )
                with st.spinner(_("Asking for a first word …"), show_time=True):
                    answer = made.ask("Answer with the single word: ready")
            except LabError as error:
                escape.problem(error)
                return
            st.session_state[_MODEL] = made
            st.session_state[_CACHE] = AnswerCache()
            st.toast(_("{model} answers: “{text}”", model=made.label, text=answer.text[:40]), icon=":material/check:")
            st.rerun()
        if st.session_state.get(_MODEL, "unset") not in ("unset", None) and row.button(
            _("Forget it"), key="llm.forget", icon=":material/delete:"
        ):
            st.session_state[_MODEL] = None
            st.session_state.pop(_CACHE, None)
            st.rerun()

    show()


def usage(answer: object) -> str:
    """Tokens, cost and time of an answer in a few words."""
    prompt, text = getattr(answer, "prompt_tokens", None), getattr(answer, "answer_tokens", None)
    parts = [f"{getattr(answer, 'seconds', 0.0):.1f} s"]
    if prompt is not None and text is not None:
        parts.append(_("{a} + {b} tokens", a=prompt, b=text))
    if getattr(answer, "cost", None) is not None:
        parts.append(f"{answer.cost:.5f}")  # type: ignore[attr-defined]
    if getattr(answer, "remembered", False):
        parts.append(_("remembered"))
    return " · ".join(parts)
