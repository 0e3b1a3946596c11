"""One server and one Chromium for all browser tests; every test gets visitors with browsers of their own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from browser.visitor import Visitor
    from playwright.sync_api import Browser

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The system's Chromium; skips where there is none."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("there is no Chromium on the PATH (Debian: apt-get install chromium fonts-noto-cjk)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app for all tests; started in another folder, where it must find pages and theme as well."""
    from browser.visitor import serving

    with serving(tmp_path_factory.mktemp("elsewhere")) as url:
        yield url


@pytest.fixture
def arrive(chromium: Browser) -> Iterator[Callable[..., Visitor]]:
    """Makes visitors of an app at an address: each has a fresh browser in a language, with a window of a width."""
    from browser.visitor import LIMIT, Visitor

    contexts = []

    def make(url: str, *, locale: str = "en-US", width: int = 1400) -> Visitor:
        context = chromium.new_context(
            locale=locale,
            viewport={"width": width, "height": 1000},
            color_scheme="light",
            reduced_motion="reduce",
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(LIMIT)
        contexts.append(context)
        return Visitor(context.new_page(), url)

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def visit(server: str, arrive: Callable[..., Visitor]) -> Callable[..., Visitor]:
    """Makes visitors of the server that all tests share."""
    return lambda **how: arrive(server, **how)
