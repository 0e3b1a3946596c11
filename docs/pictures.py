"""The pictures of README.md and README.zh.md, taken from the running app.

    python docs/pictures.py                  # all of them
    python docs/pictures.py minute           # the moving one of the first minute

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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
LANGUAGES = {"en": "staff", "zh": "handbook"}
SIZE = {"width": 1280, "height": 800}
PICTURES = {
    "home": "",
    "lesson": "fusion",
    "course": "course",
    "pipeline": "pipeline",
}
"""The pictures, and the page of each."""
LESSONS = {"en": "staff/equal-votes", "zh": "handbook/five-winners"}
"""The lesson that is performed, by language."""
READY = """() => document.querySelector('[data-testid="stMain"] h1')
    && document.querySelector('[data-testid="stApp"]').getAttribute('data-test-script-state') !== 'running'
    && !document.querySelector('[data-testid="stSkeleton"], [data-testid="stSpinner"]')"""


MINUTE = {"width": 1120, "height": 700}
"""The window of the moving picture."""
HOLD, SHORT = 1600, 450
"""Milliseconds for which a frame stays: one with something to read, and one of a movement."""
TYPED = {
    "en": ("jobs that ", "jobs that cannot be done ", "jobs that cannot be done from home"),
    "zh": ("年假", "年假有", "年假有几天"),
}
"""The question, as it is being typed."""


@contextmanager
def serving() -> Iterator[str]:
    """The app at a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = {"headless": "true", "address": "127.0.0.1", "port": str(port)}
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
        _play(page, language)
    if name == "course":
        page.locator(".st-key-course-next button").click()
        settled(page)
        page.locator('[class*="st-key-course-option-"] button').nth(2).click()
        settled(page)
    return page.screenshot()


def _play(page: Page, language: str) -> None:
    """Chooses the lesson of the language in the menu of the page."""
    from lab import lessons
    from lab.corpus import samples

    corpus, name = LESSONS[language].split("/")
    (title,) = (x.title[language] for x in lessons.read(samples.folder(corpus)) if x.id == name)
    page.locator("button.opener").click()
    page.locator(".panel input").fill(title)
    page.locator(".panel .item:visible").filter(has_text=title).first.click()
    settled(page)


def minute(page: Page, url: str, language: str) -> list[tuple[bytes, int]]:
    """Returns the frames of the first minute, each with its milliseconds: a question, two lists, a score, a weight."""
    frames = []

    def frame(hold: int) -> None:
        frames.append((page.screenshot(), hold))

    page.goto(url + "compare?" + urlencode({"lang": language, "corpus": LANGUAGES[language]}))
    settled(page)
    frame(HOLD)
    field = page.get_by_test_id("stMain").locator("input[type=text]").first
    for text in TYPED[language]:
        field.fill(text)
        frame(SHORT)
    field.press("Enter")
    settled(page)
    frame(HOLD)
    page.locator("section.list").first.locator(".card").nth(1).click()
    settled(page)
    frame(HOLD)
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 460)")
    page.wait_for_timeout(600)
    frame(HOLD)
    page.goto(url + "fusion?" + urlencode({"lang": language, "corpus": LANGUAGES[language], "q": TYPED[language][-1]}))
    settled(page)
    frame(HOLD)
    weight = page.get_by_test_id("stMain").get_by_role("slider").first
    for _move in range(4):
        for _step in range(4):
            weight.press("ArrowRight")
        settled(page)
        frame(SHORT * 2)
    _play(page, language)
    frame(2 * HOLD)
    return frames


def moving(frames: list[tuple[bytes, int]], path: Path) -> None:
    """Writes frames as a moving WebP."""
    first, *rest = (Image.open(io.BytesIO(png)).convert("RGB") for png, _ in frames)
    times = [hold for _, hold in frames]
    first.save(path, save_all=True, append_images=rest, duration=times, loop=0, quality=70, method=6)


def main(wanted: Sequence[str]) -> None:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with serving() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for language in LANGUAGES:
            context = browser.new_context(viewport=SIZE, locale=language, reduced_motion="reduce")
            page = context.new_page()
            for name in [name for name in PICTURES if name in wanted or not wanted]:
                picture = Image.open(io.BytesIO(taken(page, name, url, language)))
                picture.save(HERE / f"{name}.{language}.webp", quality=82, method=6)
            if "minute" in wanted or not wanted:
                page.set_viewport_size(MINUTE)
                moving(minute(page, url, language), HERE / f"minute.{language}.webp")
            context.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
