"""Somebody at the app with a browser of their own: what they do, and what they see.

Cards, passages and tokens live in shadow roots; Playwright's locators look into them.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (it is part of the extra “test”)")
expect = api.expect

ROOT = Path(__file__).parents[2]
LIMIT = 60_000  # milliseconds for any one wait: machines that run tests can be slow
expect.set_options(timeout=LIMIT)

# Finished: the script has run, and nothing has been loading for three looks in a row.
FINISHED = """() => {
    const app = document.querySelector('[data-testid="stApp"]');
    const busy = !app || app.getAttribute('data-test-script-state') === 'running'
        || ['stStatusWidget', 'stSkeleton', 'stAppSkeleton', 'stSpinner'].some(
            id => document.querySelector(`[data-testid="${id}"]`))
        || !document.querySelector('[data-testid="stMain"] h1');
    window.__calm = busy ? 0 : (window.__calm || 0) + 1;
    return window.__calm >= 3;
}"""


class Address(str):
    """The address of a server that was started here, and the number of its process."""

    pid: int


@contextmanager
def serving(
    folder: Path,
    script: str = "",
    *,
    port: int = 0,
    command: Sequence[str] | None = None,
    address: bool = True,
    root: Path = ROOT,
    more: Sequence[str] = (),
) -> Iterator[Address]:
    """The app, started in a folder by the command line on a free port until the end of the block; gives its address.

    With a ``script`` of that folder, Streamlit runs this instead; with a ``port`` it is that one.  Another ``command``
    gets the same options, the one for the ``address`` if it is wanted, and ``more``.  ``root`` is the lab that is run.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        port = probe.getsockname()[1]
    options = [
        "--server.headless",
        "true",
        *(["--server.address", "127.0.0.1"] if address else []),
        "--server.port",
        str(port),
        *more,
    ]
    path = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [*(command or [sys.executable, "-m", *(["streamlit", "run", script] if script else ["lab"])]), *options],
        cwd=folder,
        env={"LAB_KEEP": "0", **os.environ, "PYTHONPATH": path},  # benchmarks start labs, too
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url, end = Address(f"http://127.0.0.1:{port}/"), time.monotonic() + LIMIT / 1000
        url.pid = process.pid
        while True:
            try:
                with urllib.request.urlopen(url + "_stcore/health", timeout=5) as answer:
                    answer.read()
                break
            except OSError:
                assert process.poll() is None, "the server stopped before it answered"
                assert time.monotonic() < end, "the server did not answer"
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


class Visitor:
    """One browser window.  ``alarms`` collects what no page may cause: dialogs, requests that a document asked for;
    ``strangers`` every request to another host.
    """

    def __init__(self, page: api.Page, url: str) -> None:
        self.page, self.url = page, url
        self.alarms: list[str] = []
        self.strangers: list[str] = []

        def dialog(shown: api.Dialog) -> None:
            self.alarms.append(f"a dialog opened: {shown.message}")
            shown.dismiss()

        page.on("dialog", dialog)

        def request(asked: api.Request) -> None:
            at = urlsplit(asked.url)
            if "hostile" in at.path:
                self.alarms.append(f"a request was made: {asked.url}")
            if at.scheme in ("http", "https", "ws", "wss") and at.netloc != urlsplit(url).netloc:
                self.strangers.append(asked.url)

        page.on("request", request)
        self._watching: dict[Any, Any] = {"dialog": dialog, "request": request}

    def leave(self) -> None:
        """Look at the window no longer: another visitor may have it."""
        for event, watch in self._watching.items():
            self.page.remove_listener(event, watch)

    # ------------------------------------------------------------------------------------- going places

    def open(self, path: str = "", **params: str) -> Visitor:
        """Load a page by its path, or a whole address."""
        address = path if path.startswith("http") else self.url + path + ("?" + urlencode(params) if params else "")
        self.page.goto(address)
        return self.settle()

    def settle(self) -> Visitor:
        """Wait until the page has finished; it must not show an exception."""
        self.page.evaluate("window.__calm = 0")
        self.page.wait_for_function(FINISHED, polling=100)
        shown = self.page.locator('[data-testid="stException"]')
        assert shown.count() == 0, shown.first.text_content()
        assert self.strangers == [], "only the lab itself is asked for anything"
        return self

    def go(self, path: str) -> Visitor:
        """Go to a page by the menu at the side."""
        link = self.page.locator(f'[data-testid="stSidebar"] a[href$="{path}"]')
        fold = self.page.locator(".st-key-menu-path details:not([open]) summary")
        for _ in range(4):  # the fold may be closing at this moment
            if fold.count() and not link.is_visible():
                fold.click()
            with suppress(api.TimeoutError):
                link.click(timeout=LIMIT / 12)
                break
        self.page.wait_for_url(lambda url: urlsplit(url).path == f"/{path}")
        return self.settle()

    # ---------------------------------------------------------------------------------------- doing things

    def ask(self, query: str) -> Visitor:
        """Type a question and press Enter."""
        field = self.field
        field.fill(query)
        field.press("Enter")
        self.page.wait_for_function(
            "q => [...new URLSearchParams(location.search)].some(([k, v]) => k === 'q' && v === q)", arg=query
        )
        return self.settle()

    def play(self, title: str) -> Visitor:
        """Choose a lesson in the menu of the page by its title."""
        self.page.locator("button.opener").click()
        panel = self.page.locator(".panel")
        panel.locator("input").fill(title)
        panel.locator(".item:visible").filter(has_text=title).first.click()
        return self.settle()

    def choose(self, label: str | re.Pattern[str], option: str | re.Pattern[str]) -> None:
        """Choose from a list at the side."""
        wanted = self.page.get_by_role("option", name=option)
        for last in (False, False, False, True):
            self.picker(label).click()
            try:  # a list closes when the page moves below it
                wanted.click(timeout=LIMIT if last else 4000)
                return
            except api.TimeoutError:
                if last:
                    raise

    def click(self, what: api.Locator, effect: Callable[..., object], *wanted: object, force: bool = False) -> None:
        """Click, and again until ``effect(*wanted)`` is seen: a page that is drawn anew under a click swallows it.

        ``effect`` waits for as many milliseconds as its ``timeout``, as all of Playwright's do.
        """
        with suppress(api.TimeoutError):
            what.click(force=force, timeout=LIMIT / 2)
        for _ in range(2):  # what is only late is not clicked twice
            with suppress(AssertionError, api.TimeoutError):
                effect(*wanted, timeout=LIMIT / 8)
                return
            with suppress(api.TimeoutError):
                self.page.wait_for_function(FINISHED, polling=100, timeout=LIMIT / 4)
        what.click(force=force)
        effect(*wanted, timeout=LIMIT)

    def download(self, button: api.Locator) -> api.Download:
        """Click, and again until a file comes."""
        for wait in (LIMIT / 6, LIMIT / 3):
            with suppress(api.TimeoutError):
                with self.page.expect_download(timeout=wait) as coming:
                    button.click(timeout=wait)
                return coming.value
        with self.page.expect_download() as coming:
            button.click()
        return coming.value

    def copied(self) -> str:
        """Press the button that copies the link; gives what is in the clipboard then."""
        button = self.page.locator("button.copy")
        button.click()
        expect(button).to_have_class(re.compile("done"))
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def upload(self, files: Mapping[str, bytes]) -> None:
        """Hand files to the panel of the page “Documents”."""
        chosen = [
            {"name": name, "mimeType": "application/octet-stream", "buffer": content} for name, content in files.items()
        ]
        self.page.locator('[data-testid="stFileUploader"] input[type="file"]').set_input_files(chosen)

    def use(self, name: str) -> None:
        """Name what was uploaded, and make it the corpus."""
        self.page.get_by_role("textbox", name="Name of the corpus").fill(name)
        self.page.get_by_role("button", name="Search this corpus").click()
        expect(self.picker("Corpus")).to_have_value(re.compile(re.escape(name)))
        self.settle()

    # ------------------------------------------------------------------------------------- looking at things

    @property
    def field(self) -> api.Locator:
        """The field of the question."""
        return self.page.locator('[data-testid="stForm"] input[type="text"]').first

    @property
    def heading(self) -> api.Locator:
        return self.page.locator('[data-testid="stMain"] h1')

    def picker(self, label: str | re.Pattern[str]) -> api.Locator:
        """A choice at the side, by its label."""
        return self.page.get_by_test_id("stSidebar").get_by_role("combobox", name=label)

    def cards(self, which: int = 0) -> api.Locator:
        """The cards of one list."""
        return self.page.locator("section.list").nth(which).locator(".card")

    def card(self, doc: str) -> api.Locator:
        """The first card of a document."""
        return self.page.locator(f'.card[data-doc="{doc}"]').first

    @property
    def why(self) -> api.Locator:
        """The heading over the arithmetic of the selected document."""
        return self.page.locator(".st-key-compare-why h3")

    def selected(self) -> set[str]:
        """The documents whose cards are marked as selected."""
        return set(
            self.page.locator('.card[aria-pressed="true"]').evaluate_all("cards => cards.map(c => c.dataset.doc)")
        )

    def tops(self) -> list[str]:
        """The first document of every list."""
        return [
            str(self.cards(i).first.get_attribute("data-doc")) for i in range(self.page.locator("section.list").count())
        ]

    def slider(self, label: str) -> api.Locator:
        return self.page.get_by_role("slider", name=label)

    def parameters(self) -> dict[str, str]:
        """What the address bar says."""
        return dict(parse_qsl(urlsplit(self.page.url).query))

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window, once grids and charts have followed a new width."""
        wider = "document.querySelector('[data-testid=stMain]').scrollWidth - "
        wider += "document.querySelector('[data-testid=stMain]').clientWidth"
        with suppress(api.TimeoutError):
            self.page.wait_for_function(f"{wider} <= 1", timeout=LIMIT / 4)
        return int(self.page.evaluate(wider))

    def findings(self) -> list[Any]:
        """What axe-core finds serious.  Skips where axe is not there."""
        pytest.importorskip("axe_playwright_python")
        self.page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
        boxes = "[data-testid=stMain] :is(.katex-display, [data-testid=stElementContainer]):not([data-reached])"
        wide = "x.scrollWidth > x.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(x).overflowX)"
        reached = f"![...document.querySelectorAll('{boxes}')].some(x => {wide})"
        self.page.wait_for_function(reached)  # within half a second of the page's coming
        told = self.page.evaluate("axe.run({resultTypes: ['violations']})")
        found = [x for x in told["violations"] if x["impact"] in ("serious", "critical")]
        return [(x["id"], [n["html"][:120] for n in x["nodes"]]) for x in found]

    def says(self, name: str, value: str | None, *, timeout: float = LIMIT) -> None:
        """Wait until a parameter stands in the address bar with this value; None: does not stand there."""
        self.page.wait_for_function(
            "([name, value]) => new URLSearchParams(location.search).get(name) === value",
            arg=[name, value],
            timeout=timeout,
        )

    def text(self) -> str:
        """All the text of the page, of the side and of every component."""
        return str(
            self.page.evaluate("""() => {
            const inner = (node) => [...node.querySelectorAll('*')].filter(e => e.shadowRoot)
                .flatMap(e => [...e.shadowRoot.children].map(all));
            const all = (node) => [node.innerText || '', ...inner(node)].join('\\n');
            return all(document.body);
        }""")
        )


def unharmed(visitor: Visitor) -> None:
    """No document has become markup or script, whatever page this is."""
    page = visitor.page
    where = urlsplit(page.url).path
    assert page.evaluate("window.__pwned") is None, where
    assert visitor.alarms == [], where
    assert page.locator("[data-hostile]").count() == 0, f"{where}: a tag of a document is a tag of the page"
    assert page.locator('a[href^="javascript" i]').count() == 0, where
    made = (
        page.get_by_test_id("stMarkdownContainer")
        .locator("a, strong, em, del, img, code:not(pre code), .stMarkdownColoredText")
        .evaluate_all("nodes => nodes.map(n => n.outerHTML)")
    )
    formulas = page.locator(".katex annotation").all_text_contents()
    asis = "**hostile**", "[hostile](javascript:1)"  # what a page of its own accord says in bold has its markup as text
    carried_out = [x for x in made if "hostile" in x and not any(map(x.__contains__, asis))] + [
        x for x in formulas if r"\Omega" in x
    ]
    assert carried_out == [], f"{where}: {carried_out}"
