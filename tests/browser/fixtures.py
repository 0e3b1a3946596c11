"""One server and one Chromium for all browser tests; every test gets visitors with browsers of their own."""

from __future__ import annotations

import gc
import shutil
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from browser.visitor import Visitor
    from playwright.sync_api import Browser, Page

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP lab.example 127.0.0.1",
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


@pytest.fixture(autouse=True)
def _left_sockets_are_collected(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a broken connection of a test leaves is collected here, and not in a later test, which would fail."""
    yield
    if request.node.get_closest_marker("browser"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app for all tests; started in another folder, where it must find pages and theme as well."""
    from browser.visitor import serving

    with serving(tmp_path_factory.mktemp("elsewhere")) as url:
        yield url


@pytest.fixture(scope="session")
def tabs(chromium: Browser) -> dict[str, list[Page]]:
    """Tabs that were left and emptied, by language: in one of these the app opens at a third of what it costs in a new
    one, since its scripts are compiled already.
    """
    return {}


def emptied(page: Page) -> bool:
    """Leave nothing of a visitor in a tab; False where it cannot be lent again."""
    context = page.context
    if page.is_closed():
        context.close()
        return False
    for other in context.pages:
        if other is not page:
            other.close()
    if page.url.startswith("http"):
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.goto("about:blank")
    context.clear_cookies()
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    return True


@pytest.fixture
def arrive(chromium: Browser, tabs: dict[str, list[Page]]) -> Iterator[Callable[..., Visitor]]:
    """Makes visitors of an app at an address: each has a browser in a language that knows of nobody else, with a window
    of a width.
    """
    from browser.visitor import LIMIT, Visitor

    came = list[tuple[str, Visitor]]()

    def make(url: str, *, locale: str = "en-US", width: int = 1400) -> Visitor:
        if left := tabs.setdefault(locale, []):
            page = left.pop()
        else:
            context = chromium.new_context(
                locale=locale,
                color_scheme="light",
                reduced_motion="reduce",
                permissions=["clipboard-read", "clipboard-write"],
            )
            context.set_default_timeout(LIMIT)
            page = context.new_page()
        page.set_viewport_size({"width": width, "height": 1000})
        came.append((locale, Visitor(page, url)))
        return came[-1][1]

    yield make
    for locale, visitor in came:
        visitor.leave()
        if emptied(visitor.page):
            tabs[locale].append(visitor.page)


@pytest.fixture
def visit(server: str, arrive: Callable[..., Visitor]) -> Callable[..., Visitor]:
    """Makes visitors of the server that all tests share."""
    return lambda **how: arrive(server, **how)
