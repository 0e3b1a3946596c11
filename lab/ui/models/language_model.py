"""The language model of a visitor: set in the sidebar, or by the environment of the server; usually there is none.

The key stays in the memory of the server for this visit.  Address and name of the model are found again after a reload
(`lab.ui.people.keeping.model`); a key has to be entered again.  A page is drawn with the model's earlier answers; new
requests are sent behind it, all at once, and the page is drawn again when they are answered (`go_on`).
Answers and failures are cached per visitor, so that redrawing a page does not ask again.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

import streamlit as st

from lab.errors import LabError, ModelError
from lab.kept import Kept
from lab.models.answers import beginning
from lab.models.chat import Completion, LanguageModel, Message, Shape, ask_many
from lab.models.endpoint import public, shown
from lab.models.endpoint_chat import EndpointModel, endpoint, from_environment
from lab.models.memory import AnswerCache, Asked, Deferred, Remembering
from lab.models.servers import SERVERS
from lab.ui import address, escape
from lab.ui.i18n import _, listed, say
from lab.ui.layout import settings
from lab.ui.people import keeping
from lab.ui.people.visitor import Visitor
from lab.ui.work import LATE

_MODEL, _CACHE, _FAILED, _RUN = (f"_language_model{part}" for part in ("", "_answers", "_failures", "_run"))
_JOB, _STOPPED = "_language_model_job", "_language_model_stopped"
_HIGHEST_PRICE = 10_000.0
GONE = 10.0
"""Seconds without a sign of the visitor's browser, after which no more requests are sent."""
_KEPT = "_language_model_kept"
"""The session key of the visitor's stored model, without its secret."""
_LINKED, _WANTED = "_language_model_linked", "_language_model_wanted"


@st.cache_resource(show_spinner=False)
def _of_the_server() -> EndpointModel | None:
    try:
        secrets = {k: str(v) for k, v in st.secrets.items() if str(k).startswith(("LAB_LLM_", "OPENAI_"))}
    except FileNotFoundError:  # no .streamlit/secrets.toml
        secrets = {}
    return from_environment({**os.environ, **secrets})


def _set() -> EndpointModel | None:
    """Returns the model that this visitor has set, now or before a reload, else that of the server."""
    if _MODEL in st.session_state:
        return cast("EndpointModel | None", st.session_state[_MODEL])
    saved: _SavedModel | None = st.session_state.get(_KEPT)
    return _of_the_server() if saved is None or saved.needs_key else saved.model


class _SavedModel(NamedTuple):
    """A model without its key, and whether it had one."""

    model: EndpointModel
    needs_key: bool


def restore(visitor: Visitor) -> None:
    """Begin a session with the address and the name of the model that the visitor had set in an earlier one.

    A description that cannot be used is ignored: the file may be damaged, or this lab may have become public.
    """
    described = keeping.model(visitor)
    with suppress(LabError, LookupError, TypeError, ValueError):
        sent, answers = described["prices"] or (0.0, 0.0)
        model = endpoint(
            str(described["base_url"]),
            str(described["model"]),
            temperature=float(described["temperature"]),
            timeout=float(described["timeout"]),
            retries=int(described["retries"]),
            prices=(float(sent), float(answers)) if sent or answers else None,
        )
        st.session_state[_KEPT] = _SavedModel(model, bool(described["needs_key"]))


def _describe(model: EndpointModel) -> dict[str, Any]:
    """Returns the stored description of a model: without its key, and without secrets in its address."""
    address = shown(model.base_url)
    return {
        "base_url": address,
        "model": model.model,
        "temperature": model.temperature,
        "timeout": model.timeout,
        "retries": model.retries,
        "prices": model.prices,
        "needs_key": bool(model.secret) or address != model.base_url,
    }


def _waits() -> bool:
    """Returns whether there is a model of the server that nobody has asked for in this session.

    A page asks a model while it is drawn, with the prompt that its link names.  The author of a link must not spend
    the owner's money: first the visitor has to type a question of their own, or press a button (`go_on`).
    """
    state, question = st.session_state, address.current().get(address.QUESTION, "")
    linked = state.setdefault(_LINKED, address.translated(st.query_params.to_dict()).get(address.QUESTION, ""))
    if question and not linked.startswith(question):
        state[_WANTED] = True
    return _WANTED not in state and not state.get(_MODEL) and _set() is not None


@dataclass(frozen=True)
class _Run:
    """The requests of one run of a page, the place for their progress, and answers that could not be read."""

    model: Deferred
    place: Any
    unread: set[str] = field(default_factory=set)


def begin() -> None:
    """Starts a run without requests."""
    st.session_state.pop(_RUN, None)


def current(place: Any) -> LanguageModel | None:
    """Returns the model that a page may ask, or None: then rules do the work.

    A question without a cached answer raises `NotAsked`; it is sent as soon as the page is drawn, or when the
    visitor agrees, and ``place`` shows the progress.
    """
    model = _remembering(st.session_state.setdefault(_FAILED, Kept(1000)))
    if model is None:
        return None
    st.session_state[_RUN] = _Run(Deferred(model), place)
    return st.session_state[_RUN].model  # type: ignore[no-any-return]


def at_once(model: Any) -> Any:
    """Returns a model of a page that is asked as soon as it is used; failed requests are sent again."""
    return replace(model.model, failed=Kept(1000)) if isinstance(model, Deferred) else model


def asking() -> bool:
    """Returns whether this run needs answers that are not cached yet."""
    return _RUN in st.session_state and bool(st.session_state[_RUN].model.wanted)


def unread(answers: Iterable[str]) -> None:
    """Notes answers that could not be read: they are requested again if the visitor wants that."""
    if _RUN in st.session_state:
        st.session_state[_RUN].unread.update(map(beginning, answers))


class _Job:
    """Requests to a model that run behind a page already drawn."""

    def __init__(self, model: Remembering, questions: Iterable[Asked]) -> None:
        self.model, self.wanted = model, frozenset(questions)
        self.done, self.total, self.stopped, self.seen = 0, len(self.wanted), False, time.monotonic()
        self.over = threading.Event()
        threading.Thread(target=self._ask, args=(list(dict.fromkeys(questions)),), daemon=True).start()

    def _ask(self, questions: list[Asked]) -> None:
        by_shape: dict[Shape | None, list[tuple[Message, ...]]] = {}
        for prompt, shape in questions:
            by_shape.setdefault(shape, []).append(prompt)
        done_by_shape = dict.fromkeys(by_shape, 0)

        def ask(shape: Shape | None) -> None:
            def progress(done: int, _total: int) -> None:
                done_by_shape[shape] = done
                self.done = sum(done_by_shape.values())

            ask_many(self.model, by_shape[shape], shape=shape, progress=progress, cancel=self._ends)

        try:
            with ThreadPoolExecutor(max(len(by_shape), 1)) as pool:  # one shape does not wait for the other
                list(pool.map(ask, by_shape))
        finally:
            self.over.set()

    def _ends(self) -> bool:
        self.stopped |= time.monotonic() - self.seen > GONE
        return self.stopped


def go_on() -> None:
    """Sends the requests of the drawn page, all at once, or offers to repeat failed ones."""
    run: _Run | None = st.session_state.get(_RUN)
    if run is None:
        return
    job: _Job | None = st.session_state.get(_JOB)
    questions, seen = run.model.wanted, frozenset(run.model.seen)
    if questions and _waits():
        with run.place, st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(_("A language model is set up here. It is not asked until you agree."))
            st.button(
                _("Ask the model"),
                key="llm.ask",
                icon=":material/smart_toy:",
                on_click=st.session_state.update,
                kwargs={_WANTED: True},
            )
    elif questions and (st.session_state.get(_STOPPED) == seen or _in_vain(job, run)):
        with run.place, st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(":material/stop_circle: " + listed((_("Asking the language model …"), _("Stopped.")), " "))
            st.button(_("Continue"), key="llm.go_on", on_click=_start_again)
    elif questions:
        if job is None or job.model != run.model.model or not job.wanted >= questions.keys() or job.over.is_set():
            if job is not None:
                job.stopped = True
            st.session_state[_JOB] = _Job(run.model.model, questions)
        with run.place:
            st.fragment(_waiting, run_every=0.5)(seen)
    elif missing := len(run.model.failed) + len(run.unread):
        with run.place, st.container(border=True, horizontal=True, vertical_alignment="center"):
            counts = {"n": missing, "total": len(seen)}
            st.markdown(_("Missing answers of the language model: {n} of {total}.", **counts))
            st.button(_("Try again"), key="llm.again", icon=":material/refresh:", on_click=forget, args=(run.unread,))


def _in_vain(job: _Job | None, run: _Run) -> bool:
    """Returns whether these requests have ended without an answer: they would again."""
    if job is None or job.stopped or not job.over.is_set():
        return False
    return job.model == run.model.model and job.wanted == run.model.wanted.keys()


def _start_again() -> None:
    for name in (_STOPPED, _JOB):
        st.session_state.pop(name, None)


def _waiting(seen: frozenset[Asked]) -> None:
    """Draws the progress of the requests, and a button that stops them; the page is drawn again at their end."""
    job: _Job = st.session_state[_JOB]
    job.seen = time.monotonic()
    if job.over.wait(LATE) or job.stopped:  # short requests show no bar
        st.rerun()

    def stop() -> None:
        job.stopped = True
        st.session_state[_STOPPED] = seen

    doing = _("Asking the language model …")
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.progress(job.done / max(job.total, 1), f"{doing} {job.done} / {job.total}", width="stretch")
        st.button(_("Stop"), key="llm.stop", icon=":material/stop:", on_click=stop)


def forget(answers: Collection[str]) -> None:
    """Forgets failures and answers with these beginnings, so that they are requested again."""
    for name in (_FAILED, _JOB):
        st.session_state.pop(name, None)
    cache: AnswerCache = st.session_state.setdefault(_CACHE, AnswerCache())
    with cache.lock:
        for key in [key for key, answer in cache.kept.items() if beginning(answer.text) in answers]:
            del cache.kept[key]


def _remembering(failed: Kept[ModelError]) -> Remembering | None:
    model = _set()
    return None if model is None else Remembering(model, st.session_state.setdefault(_CACHE, AnswerCache()), failed)


def on_a_click() -> LanguageModel | None:
    """Returns this visitor's model for what it is asked only after a click, also after a failure; None without one."""
    return _remembering(Kept(1000))


def button(visitor: Visitor) -> None:
    """Draws the current setting, and the dialog to change it."""
    model = None
    _waits()  # remembers with which question the visit began
    with escape.problems():
        model = _set()
    name = _("not set · rules") if model is None else model.label
    saved: _SavedModel | None = st.session_state.get(_KEPT)
    if model is None and saved is not None and _MODEL not in st.session_state:
        name = _("{model}, key missing", model=saved.model.label)
    label = _("Language model: {name}", name=escape.plain(name))
    if st.button(label, key="llm.open", type="tertiary", icon=":material/smart_toy:"):
        st.dialog(_("Language model"), width="medium")(_form)(visitor)


def _form(visitor: Visitor) -> None:
    """Draws the form: server, model, key; a trial comes before its use."""
    intro = _(
        "Every page works without one: a rule is used and named. With a model, its answer appears beside the rule's."
    )
    st.caption(intro)
    if public():
        closed = _(
            "This lab is open to the public (LAB_PUBLIC): only the servers in the list can be used, no addresses "
            "of your own."
        )
        st.info(closed, icon=":material/public:")
    before = st.session_state.get(_MODEL)
    if before is None and _KEPT in st.session_state:
        before = st.session_state[_KEPT].model
        if st.session_state[_KEPT].needs_key:
            st.info(_("Address and model are as you left them. Enter the key again."), icon=":material/key:")
    known = (before.base_url, before.model) if before else None
    url, model, key = settings.server("llm", {name: s.model for name, s in SERVERS.items()}, known)
    shape = before or EndpointModel()
    a, b, c = st.columns(3)
    temperature = a.number_input(_("Temperature"), 0.0, 2.0, shape.temperature, step=0.1, key="llm.temperature")
    timeout = b.number_input(_("Time limit, seconds"), 1.0, 600.0, max(1.0, shape.timeout), step=5.0, key="llm.timeout")
    retries = c.number_input(_("Retries"), 0, 10, shape.retries, key="llm.retries")
    d, e = st.columns(2)
    help = _("Price per million tokens, in any currency. 0: no cost is shown.")
    sent, answers = shape.prices or (0.0, 0.0)
    prices = (
        d.number_input(_("Input price"), 0.0, _HIGHEST_PRICE, sent, key="llm.price.in", help=help),
        e.number_input(_("Output price"), 0.0, _HIGHEST_PRICE, answers, key="llm.price.out", help=help),
    )
    row = st.container(horizontal=True)
    if row.button(_("Try and use"), type="primary", key="llm.use", disabled=not (model and url)):
        with escape.problems():
            chosen = endpoint(
                url,
                model,
                key,
                prices=prices if any(prices) else None,
                temperature=temperature,
                timeout=timeout,
                retries=retries,
            )
            with st.spinner(_("Requesting a first word …"), show_time=True):
                answer = chosen.ask("Answer with the single word: ready")
            st.toast(_("{model} answers: “{text}”", model=chosen.label, text=answer.text[:40]), icon=":material/check:")
            _use(chosen, visitor)
    if before and row.button(_("Forget model"), key="llm.forget", icon=":material/delete:"):
        _use(None, visitor)


def _use(model: EndpointModel | None, visitor: Visitor) -> None:
    """Uses this model from now on, or none, and forgets the answers of the one before."""
    st.session_state[_MODEL] = model
    keeping.keep_model(visitor, {} if model is None else _describe(model))
    for key in (_KEPT, _CACHE, _FAILED):
        st.session_state.pop(key, None)
    st.rerun()


def usage(answer: Completion) -> str:
    """Returns tokens, cost and time of an answer in a few words."""
    parts = [f"{answer.seconds:.1f} s"]
    if answer.prompt_tokens is not None and answer.answer_tokens is not None:
        parts.append(_("{a} + {b} tokens", a=answer.prompt_tokens, b=answer.answer_tokens))
    if answer.cost is not None:
        parts.append(f"{answer.cost:.5f}")
    if answer.remembered:
        parts.append(_("from the cache"))
    return " · ".join([*parts, *map(say, answer.remarks)])
