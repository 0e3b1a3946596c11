"""The pictures of README.md and README.zh.md, taken from the running app.

    python docs/pictures.py

Starts the app, opens what a visitor would open in a real Chromium, and writes one WebP per picture and language beside
this file.  Needs the extra “test” and a Chromium on the PATH.
"""

from __future__ import annotations

import io
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
LANGUAGES = {"en": "devices", "zh": "handbook"}
SIZE = {"width": 1280, "height": 800}
PICTURES = {
    "home": "",
    "lesson": "fusion",
    "course": "course",
    "pipeline": "pipeline",
}
"""The pictures, and the page of each."""
LESSONS = {"en": "devices/equal-votes", "zh": "handbook/five-winners"}
"""The lesson that is performed, by language."""
READY = """() => document.querySelector('[data-testid="stMain"] h1')
    && document.querySelector('[data-testid="stApp"]').getAttribute('data-test-script-state') !== 'running'
    && !document.querySelector('[data-testid="stSkeleton"], [data-testid="stSpinner"]')"""


@contextmanager
def serving() -> Iterator[str]:
    """The app at a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = {"headless": "true", "address": "127.0.0.1", "port": str(port), "fileWatcherType": "none"}
    words = [word for name, value in options.items() for word in (f"--server.{name}", value)]
    process = subprocess.Popen([sys.executable, "-m", "lab", *words], cwd=HERE.parent, stdout=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}/"
        for _try in range(600):
            try:
                urllib.request.urlopen(f"{url}_stcore/health", timeout=5).read()
                break
            except OSError:
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait()


def settled(page: Page) -> None:
    page.wait_for_function(READY, timeout=60_000)
    page.wait_for_timeout(2500)  # charts are drawn after the script has run
    page.wait_for_function(READY, timeout=60_000)


def taken(page: Page, name: str, url: str, language: str) -> bytes:
    """A picture as PNG."""
    page.goto(url + PICTURES[name] + "?" + urlencode({"lang": language, "corpus": LANGUAGES[language]}))
    settled(page)
    if name == "lesson":
        page.locator(".st-key-fusion-lesson button").nth(_place(LESSONS[language])).click()
        settled(page)
    if name == "course":
        page.locator(".st-key-course-next button").click()
        settled(page)
        page.locator('[class*="st-key-course-option-"] button').nth(2).click()
        settled(page)
    return page.screenshot()


def _place(lesson: str) -> int:
    """The number of a lesson among those of its page: those of its own corpus come first."""
    from lab import lessons
    from lab.corpus import samples

    corpus, own = lesson.split("/")
    return [x.id for x in lessons.read(samples.folder(corpus)) if x.page == "fusion"].index(own)


def main() -> None:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with serving() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for language in LANGUAGES:
            context = browser.new_context(viewport=SIZE, locale=language, reduced_motion="reduce")
            page = context.new_page()
            for name in PICTURES:
                picture = Image.open(io.BytesIO(taken(page, name, url, language)))
                picture.save(HERE / f"{name}.{language}.webp", quality=82, method=6)
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
