"""Two processes behind one address: what a visitor finds on the other one when theirs is killed."""

from __future__ import annotations

import os
import signal
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browser.test_memory import NAME, having, lost
from browser.test_uploads import NOTES
from browser.visitor import Visitor, expect, serving

pytestmark = pytest.mark.browser
QUESTION = "when does the kiln fire"


class Balancer(socketserver.ThreadingTCPServer):
    """One address for several processes: every connection goes to the one at the port ``to``."""

    daemon_threads = True
    to: int

    def finish_request(self, request: object, client_address: object) -> None:
        assert isinstance(request, socket.socket)
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.to)) as other:
            back = threading.Thread(target=self.pass_on, args=(other, request), daemon=True)
            back.start()
            self.pass_on(request, other)
            back.join()

    def pass_on(self, one: socket.socket, other: socket.socket) -> None:
        """What one says to the other, until one of them ends it."""
        with suppress(OSError):
            while data := one.recv(1 << 16):
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def balancing(*urls: str) -> Iterator[Balancer]:
    """A balancer that begins with the first of these."""
    with Balancer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as balancer:
        balancer.to = urlsplit(urls[0]).port or 0
        thread = threading.Thread(target=balancer.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield balancer
        finally:
            balancer.shutdown()
            thread.join()


def graded(me: Visitor) -> None:
    """See the grade of the first card."""
    expect(me.cards(0).first.locator("xpath=..").locator('.grade[aria-pressed="true"]')).to_have_text("2")


@pytest.mark.nightly
@pytest.mark.parametrize("folder", [True, False])
def test_a_visitor_of_a_killed_process_finds_everything_on_the_other_or_is_told_what_is_lost(
    arrive: Callable[..., Visitor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: bool
):
    monkeypatch.setenv("LAB_UPLOADS_DIR", str(tmp_path / "kept") if folder else "")
    monkeypatch.setenv("LAB_INDEX_DIR", str(tmp_path / "indexes"))
    with serving(tmp_path) as one, serving(tmp_path) as other, balancing(one, other) as balancer:
        me = arrive(f"http://127.0.0.1:{balancer.server_address[1]}/").open("corpus")
        me.upload({"studio.csv": NOTES})
        me.use(NAME)
        me.go("compare").ask(QUESTION)
        me.cards(0).first.focus()
        me.page.keyboard.press("2")
        graded(me)
        me.settle()
        balancer.to = urlsplit(other).port or 0
        os.kill(one.pid, signal.SIGKILL)
        me.page.wait_for_function(
            "() => document.querySelector('[data-testid=stApp]').dataset.testConnectionState !== 'CONNECTED'"
        )
        me.page.wait_for_function(
            "() => document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'CONNECTED'"
        )
        me.page.wait_for_timeout(1500)  # the page looks twice a second whether a server has come back
        me.settle()
        expect(me.field).to_have_value(QUESTION)
        if folder:
            graded(me)
            having(me.go("corpus"))
        else:
            notices = me.page.get_by_test_id("stAlertContentWarning")
            lost(me, "a restart of the lab deletes them")
            expect(notices.nth(1)).to_contain_text("Your grades (1) are no longer available")
            me.go("fusion")
            expect(notices).to_have_count(0)
