"""The lab inside a page of another site: uploads work and survive a reload, or the page says what to do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from browser.visitor import FINISHED, LIMIT, expect, serving

NOTES = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"A pelican sleeps on the pier."}


class Host(BaseHTTPRequestHandler):
    """A page with a frame, whose address is the query of its own."""

    def do_GET(self) -> None:
        page = f'<iframe src="{urlsplit(self.path).query}" width="1300" height="1500"></iframe>'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    """The address of another site than ``localhost``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/?"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a lab that is started as in a Space."""
    with serving(tmp_path_factory.mktemp("space"), more=["--server.enableXsrfProtection=false"]) as url:
        yield urlsplit(url).port


@pytest.fixture
def page(chromium):
    context = chromium.new_context(locale="en-US")
    context.set_default_timeout(LIMIT)
    yield context.new_page()
    context.close()


def framed(page, address: str):
    """Opens a page with the lab in a frame; returns the frame when it is drawn."""
    page.goto(address)
    frame = page.frames[1]
    frame.wait_for_function(FINISHED, polling=100)
    return frame


def add_birds(frame) -> None:
    """Uploads a file and makes it the corpus."""
    frame.locator('[data-testid="stFileUploader"] input[type="file"]').set_input_files([NOTES])
    frame.get_by_role("textbox", name="Name of the corpus").fill("Birds")
    frame.get_by_role("button", name="Search this corpus").click()
    see_birds(frame)


def see_birds(frame) -> None:
    corpus = frame.get_by_test_id("stSidebar").get_by_role("combobox", name="Corpus")
    expect(corpus).to_have_value("Birds · 1")


@pytest.mark.nightly
def test_an_upload_in_a_page_of_another_site_works_and_survives_a_reload(page, host: str, space: int):
    address = f"{host}http://localhost:{space}/corpus"
    add_birds(framed(page, address))
    frame = framed(page, address + "?corpus=Birds")
    see_birds(frame)
    expect(frame.get_by_role("link", name="Open in its own tab")).to_have_count(0)
    kept = [x for x in page.context.cookies() if x["name"] == f"retrieval_lab_{space}"]
    assert [x["sameSite"] for x in kept] == ["None"]


@pytest.mark.nightly
def test_without_cookies_the_memory_of_the_tab_keeps_the_visitor_over_a_reload(page, space: int):
    page.add_init_script("Object.defineProperty(document, 'cookie', { get: () => '', set: () => {} })")
    page.goto(f"http://localhost:{space}/corpus")
    page.wait_for_function(FINISHED, polling=100)
    add_birds(page)
    page.goto(f"http://localhost:{space}/corpus?corpus=Birds")
    see_birds(page)


def test_a_frame_in_which_files_cannot_be_uploaded_says_so_and_links_to_a_tab(page, host: str, server: str):
    port = urlsplit(server).port
    frame = framed(page, f"{host}http://localhost:{port}/corpus")
    link = frame.get_by_role("link", name="Open in its own tab")
    expect(link).to_have_attribute("href", f"http://localhost:{port}/corpus")


@pytest.mark.nightly
def test_a_browser_that_stores_nothing_here_is_told_how_long_uploads_last(page, host: str, space: int):
    refused = "function () { throw new DOMException('refused', 'SecurityError') }"
    page.add_init_script(f"Object.defineProperty(window, 'sessionStorage', {{ get: {refused} }})")
    frame = framed(page, f"{host}http://lab.example:{space}/corpus")
    expect(frame.get_by_text("last until you reload")).to_be_visible()
    expect(frame.get_by_role("link", name="Open in its own tab")).to_be_visible()
