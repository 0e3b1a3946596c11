"""Visitors without a browser: they speak Streamlit's protocol over the websocket, and hold what a browser would hold.

A browser runs a page's script by a `BackMsg` with the values of all its widgets, and is told what to draw in
`ForwardMsg`s.  A `Visitor` does the same: it knows every widget that is on its page by the key that the script gave
it, and gives all their values with every run.  Thirty of them cost next to nothing, thirty browsers two machines.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.cookies import SimpleCookie
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[1]
LIMIT = 120.0
"""Seconds that anybody waits for anything."""


def apart(work: Coroutine[Any, Any, T]) -> T:
    """What this work comes to, in a thread of its own: where a browser is at work, this one has a loop already."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


class Server(NamedTuple):
    url: str
    pid: int


@contextmanager
def serving(
    script: Path | None = None,
    *,
    log: IO[bytes] | int = subprocess.DEVNULL,
    start: Sequence[str] = ("-m", "lab"),
    **env: str,
) -> Iterator[Server]:
    """The lab on a free port of this machine until the end of the block; or a script, with Streamlit's own settings."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = {"headless": "true", "address": "127.0.0.1", "port": str(port)}
    server = subprocess.Popen(
        [sys.executable, *(["-m", "streamlit", "run", str(script)] if script else start)]
        + [word for name, value in options.items() for word in (f"--server.{name}", value)],
        stdout=log,
        stderr=subprocess.STDOUT if log is not subprocess.DEVNULL else log,
        cwd=script.parent if script else ROOT,  # a script beside which no settings stand
        env={**os.environ, **env},
    )
    url, end = f"http://127.0.0.1:{port}/", time.monotonic() + LIMIT
    try:
        while True:
            try:
                with urllib.request.urlopen(url + "_stcore/health", timeout=5) as answer:
                    answer.read()
                break
            except OSError:
                if server.poll() is not None or time.monotonic() > end:
                    raise RuntimeError("The server does not answer.") from None
                time.sleep(0.1)
        yield Server(url, server.pid)
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()


class Visitor:
    """One session.  ``elements`` is what is on the page by its place, ``widgets`` the widgets by their keys."""

    patience = LIMIT

    def __init__(self, url: str, page: str = "", **link: str) -> None:
        self.url, self.page, self.link = url, page, urlencode(link)
        self.widgets: dict[str, Any] = {}
        self.values: dict[str, WidgetState] = {}
        self.elements: dict[tuple[int, ...], Any] = {}
        self.received = self.messages = 0
        self.errors: list[str] = []
        self.session = ""
        self._hash = ""
        self._cached: dict[str, ForwardMsg] = {}

    async def __aenter__(self) -> Visitor:
        address = self.url.replace("http", "ws", 1) + "_stcore/stream"
        spoken = [Subprotocol("streamlit")]
        self._socket: ClientConnection = await connect(
            address, subprotocols=spoken, max_size=None, ping_interval=None, open_timeout=self.patience
        )
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._socket.close()

    async def open(self) -> float:
        """The first run of the page; gives its seconds."""
        return await self.run()

    async def go(self, page: str) -> float:
        """To another page, by the navigation."""
        self.page, self._hash, self.link = page, "", ""
        return await self.run()

    async def run(self, *triggers: WidgetState) -> float:
        """Run the script with what the widgets hold, and with what was pressed; gives the seconds until it ended."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_name, state.page_script_hash = self.link, self.page, self._hash
        state.widget_states.widgets.extend([*self.values.values(), *triggers])
        state.cached_message_hashes.extend(self._cached)
        start = time.perf_counter()
        await self._socket.send(message.SerializeToString())
        await asyncio.wait_for(self._finished(), self.patience)
        return time.perf_counter() - start

    async def set(self, key: str, value: Any) -> float:
        """Move a knob: the widget of this key has another value."""
        state = self.values[self.widgets[key].id]
        field = state.WhichOneof("value")
        if field and field.endswith("_array_value"):
            getattr(state, field).data[:] = value
        else:
            setattr(state, str(field), value)
        return await self.run()

    async def press(self, key: str) -> float:
        """Press a button."""
        return await self.run(WidgetState(id=self.widgets[key].id, trigger_value=True))

    async def type(self, key: str, text: str) -> float:
        """Type into a field of a form, and press Enter."""
        field = self.widgets[key]
        self.values[field.id].string_value = text
        form = next(
            w for w in self.widgets.values() if getattr(w, "is_form_submitter", False) and w.form_id == field.form_id
        )
        return await self.run(WidgetState(id=form.id, trigger_value=True))

    async def upload(self, key: str, name: str, content: bytes) -> float:
        """Give a file to the uploader of this key."""
        uploader = self.widgets[key]
        message = BackMsg()
        message.file_urls_request.request_id, message.file_urls_request.session_id = name, self.session
        message.file_urls_request.file_names.append(name)
        await self._socket.send(message.SerializeToString())
        (place,) = (
            await asyncio.wait_for(self._until("file_urls_response"), self.patience)
        ).file_urls_response.file_urls
        await asyncio.to_thread(self._put, place.upload_url, name, content)
        state = WidgetState(id=uploader.id)
        held = state.file_uploader_state_value.uploaded_file_info.add(file_id=place.file_id, name=name)
        held.size = len(content)
        held.file_urls.CopyFrom(place)
        self.values[uploader.id] = state
        return await self.run()

    def _put(self, path: str, name: str, content: bytes) -> None:
        with urllib.request.urlopen(self.url + "_stcore/health", timeout=LIMIT) as answer:
            cookies = SimpleCookie(answer.headers["Set-Cookie"])
        token, border = cookies["_streamlit_xsrf"].value, secrets.token_hex(16)
        disposition = f'Content-Disposition: form-data; name="{name}"; filename="{name}"'
        body = f"--{border}\r\n{disposition}\r\nContent-Type: text/plain\r\n\r\n".encode() + content
        headers = {"Cookie": f"_streamlit_xsrf={token}", "X-Xsrftoken": token}
        headers["Content-Type"] = f"multipart/form-data; boundary={border}"
        body += f"\r\n--{border}--\r\n".encode()
        asked = urllib.request.Request(self.url + path.lstrip("/"), body, headers, method="PUT")
        urllib.request.urlopen(asked, timeout=LIMIT).close()

    async def _until(self, kind: str) -> ForwardMsg:
        """The next message of this kind."""
        while True:
            message: ForwardMsg = ForwardMsg.FromString(await self._received())
            if message.WhichOneof("type") == kind:
                return message

    async def _received(self) -> bytes:
        data = await self._socket.recv(decode=False)
        self.received += len(data)
        self.messages += 1
        self.look(data)
        return data

    def look(self, data: bytes) -> None:
        """Called with every message as it came, for whoever wants to see all of them."""

    async def _finished(self) -> None:
        """Read what there is to draw until the script has run to its end."""
        while True:
            message = ForwardMsg.FromString(await self._received())
            kind = message.WhichOneof("type")
            if kind == "ref_hash":
                path = message.metadata.delta_path
                message = self._cached[message.ref_hash]
                self._draw(tuple(path), message.delta)
            elif kind == "delta":
                if message.metadata.cacheable:
                    self._cached[message.hash] = message
                self._draw(tuple(message.metadata.delta_path), message.delta)
            elif kind == "new_session":
                self._seen: set[tuple[int, ...]] = set()
                self._hash, self.session = (
                    message.new_session.page_script_hash,
                    message.new_session.initialize.session_id,
                )
            elif kind == "navigation":
                self._hash = message.navigation.page_script_hash
            elif kind == "page_info_changed":
                self.link = message.page_info_changed.query_string
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self._clean()
                return

    def _draw(self, path: tuple[int, ...], delta: Any) -> None:
        kind = delta.WhichOneof("type")
        element = delta.new_element if kind == "new_element" else delta.add_block if kind == "add_block" else None
        if element is None:
            return
        self._seen.add(path)
        self.elements[path] = element
        what = element.WhichOneof("type")
        if what == "exception":
            self.errors.append(element.exception.message)
        widget = getattr(element, what) if what and kind == "new_element" else element
        number = str(getattr(widget, "id", ""))
        if number.startswith("$$ID-"):
            key = number.split("-", 2)[2]
            self.widgets[key] = widget
            self._hold(str(what), widget)

    def _hold(self, what: str, widget: Any) -> None:
        """The value that a browser gives for this widget from now on."""
        made = WidgetState(id=widget.id)
        told = bool(getattr(widget, "set_value", False))
        match what:
            case "text_input" | "text_area":
                made.string_value = widget.value if told else widget.default
            case "number_input":
                made.double_value = widget.value if told else widget.default
            case "slider" if widget.type == widget.SELECT_SLIDER:
                made.string_array_value.data[:] = (
                    widget.raw_value if told else [widget.options[int(i)] for i in widget.default]
                )
            case "slider":
                made.double_array_value.data[:] = widget.value if told else widget.default
            case "checkbox":
                made.bool_value = widget.value if told else widget.default
            case "selectbox":
                raw = widget.raw_value if told else widget.options[widget.default] if widget.HasField("default") else ""
                made.string_value = raw
            case "multiselect":
                made.string_array_value.data[:] = (
                    widget.raw_values if told else [widget.options[i] for i in widget.default]
                )
            case "button_group":
                made.string_array_value.data[:] = (
                    widget.raw_values if told else [widget.options[i].content for i in widget.default]
                )
            case "expandable" | "popover":
                made.bool_value = what == "expandable" and widget.expandable.expanded
            case _:
                return
        if told or widget.id not in self.values:
            self.values[widget.id] = made

    def _clean(self) -> None:
        """What this run has not drawn is no longer there."""
        self.elements = {path: element for path, element in self.elements.items() if path in self._seen}
        there = set()
        for element in self.elements.values():
            what = element.WhichOneof("type")
            widget = getattr(element, what) if what and hasattr(element, what) else element
            there.add(getattr(widget, "id", ""))
        self.widgets = {key: widget for key, widget in self.widgets.items() if widget.id in there}
        self.values = {number: state for number, state in self.values.items() if number in there}
