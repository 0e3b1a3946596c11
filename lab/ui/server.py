"""What the lab asks of Streamlit beyond its documented commands: its sessions, and how its server was started.

Streamlit documents no command that says which tabs are connected or that ends a session, and ``st.cache_resource`` with
``scope="session"`` only says that a connection was lost: a tab that returns by itself runs nothing, so it would count
as gone.  So this module, and no other one, imports modules of Streamlit that its documentation does not list.  It uses
what they offer without a leading underscore; `tests/ui/test_streamlit_names.py` names each of them and the reason.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from contextlib import suppress
from typing import Any, cast

import streamlit as st
from streamlit import net_util
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeState, SessionClient, exists, get_instance
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.common import user_key_from_element_id

PATIENCE = 10.0
"""Seconds to wait for the thread in which Streamlit sends."""

# ---------------------------------------------------------------------------------------------- this run


def session_id() -> str:
    """Returns the id of the session that is being drawn; empty outside of one."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context is not None else ""


def has_browser() -> bool:
    """Returns whether the session that is being drawn has a browser; True outside of a server."""
    session = session_id()
    return not session or not _is_server() or get_instance().is_active_session(session)


def is_history_navigation() -> bool:
    """Returns whether the visitor went back or forward in the browser to come here."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def is_fragment_run() -> bool:
    """Returns whether a part of the page is drawn again, and not the whole page."""
    context = get_script_run_ctx()
    return context is not None and context.fragment_ids_this_run is not None


def query_string() -> str:
    """Returns the query of the address in the browser, unchanged."""
    context = get_script_run_ctx()
    return context.query_string if context is not None else ""


def replace_query(parameters: Mapping[str, str], query: str) -> None:
    """Sets the query parameters without an entry in the browser's history; ``query`` is what the browser will show."""
    context = get_script_run_ctx()
    if context is not None:
        with context.session_state.query_params() as present:
            present.clear_with_no_forward_msg(preserve_embed=True)
            for name, value in parameters.items():
                present.set_with_no_forward_msg(name, value)
        context.query_string = query


def keys_in_browser() -> frozenset[str]:
    """Returns the keys of the widgets whose values the browser has sent with this run: of all that it shows."""
    context = get_script_run_ctx()
    sent = context.session_state.get_widget_states() if context is not None else []
    return frozenset(key for widget in sent if (key := user_key_from_element_id(widget.id)))


# ---------------------------------------------------------------------------------------------- the server


def is_started() -> bool:
    """Returns whether Streamlit's server has started in this process."""
    return exists() and get_instance().state != RuntimeState.INITIAL


def stay_inside() -> None:
    """Keeps Streamlit from asking another machine for this one's address, when a page of another site knocks."""
    net_util.get_external_ip = lambda: None


def url(host: str) -> str:
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    folder = str(st.get_option("server.baseUrlPath")).strip("/")
    return f"{scheme}://{host.strip('/')}:{st.get_option('browser.serverPort')}{'/' if folder else ''}{folder}"


def import_early() -> None:
    """Imports what Streamlit imports when it draws the first page."""
    import streamlit.emojis  # noqa: F401


def ignore_pages_folder() -> None:
    """Keeps Streamlit from taking a folder named pages for the pages of an old-style app.

    ``st.navigation`` says so, too, but for the first visitor of a server, who opens a page by its address, it comes too
    late: the page is said not to exist.
    """
    PagesManager.uses_pages_directory = False


# ---------------------------------------------------------------------------------------------- all sessions


def _is_server() -> bool:
    return exists() and type(get_instance()) is Runtime  # in tests something stands in for it


def is_running() -> bool:
    """Returns whether Streamlit's server is at work in this process."""
    return _is_server() and get_instance().state not in (RuntimeState.INITIAL, RuntimeState.STOPPED)


def connected(sessions: Iterable[str]) -> Collection[str]:
    """Returns those of these sessions that have a browser at this moment."""
    return [session for session in sessions if get_instance().is_active_session(session)] if is_running() else []


def resumable() -> float:
    """Returns the seconds after which Streamlit forgets a session that has lost its browser."""
    return float(st.get_option("server.disconnectedSessionTTL"))


def reference(session: str) -> Callable[[], object]:
    """Returns a weak reference to a connected session: it gives None when the session is freed."""
    app_session = get_instance().get_app_session(session) if is_running() else None
    return weakref.ref(app_session) if app_session is not None else lambda: None


def end(sessions: Iterable[str]) -> None:
    """Ends these sessions, unless they have a browser again or Streamlit has forgotten them."""
    if not is_running():
        return
    runtime = get_instance()

    async def close() -> None:
        for session in sessions:
            if not runtime.is_active_session(session):
                runtime.close_session(session)

    _run(close())


class _Nobody(SessionClient):
    """A connection without a browser."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        self.reached.set()


def free_last_session() -> None:
    """Makes Streamlit release the session to which it has sent last, which it holds until it sends to another one.

    The other one is a connection without a browser, which asks for a sign of life and ends.
    """
    if not is_running():
        return
    runtime = get_instance()

    async def take_its_place() -> None:
        nobody = _Nobody()
        session = runtime.connect_session(nobody, {})
        try:
            runtime.handle_backmsg(session, BackMsg(app_heartbeat=True))
            async with asyncio.timeout(PATIENCE):
                await nobody.reached.wait()
        finally:
            runtime.close_session(session)

    _run(take_its_place())


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Runs a coroutine in the thread to which Streamlit's sessions belong, and waits for it, but not for long."""
    loop = cast("asyncio.Future[None]", get_instance().stopped).get_loop()
    with suppress(TimeoutError):
        asyncio.run_coroutine_threadsafe(work, loop).result(2 * PATIENCE)
