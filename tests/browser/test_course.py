"""The course in a real browser: guessed, kept over a reload, held as a class, projected, printed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest
from browser.visitor import Visitor, expect
from pypdf import PdfReader

from lab import lessons
from lab.corpus import samples
from lab.lessons.course import course
from lab.ui import handout, performing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

OPTION = '[class*="st-key-course-option-"] button'
CUT = """() => [...document.querySelectorAll('[data-testid="stMain"] :is(button, h1, h2, h3, label)')]
    .filter(x => x.getClientRects().length && (x.scrollWidth > x.clientWidth + 1
        || x.getBoundingClientRect().right > innerWidth + 1)).map(x => x.textContent)"""
"""What is cut, or stands beyond the window."""


RADICALS = str.maketrans(
    "⺠⻄⻅⻆⻉⻋⻓⻔⻘⻙⻚⻛⻜⻝⻢⻤⻥⻦⻧⻨⻩⻬⻮⻰⻳", "民西见角贝车长门青韦页风飞食马鬼鱼鸟卤麦黄齐齿龙龟"
)
"""What a PDF may hold in the place of characters, and NFKC leaves."""


def plain(text: str) -> str:
    """The letters and digits of a text: what a PDF holds of it for certain."""
    return "".join(c for c in normalize("NFKC", text).translate(RADICALS) if c.isalnum())


def guess(me: Visitor, option: int = 0) -> bool:
    """Guess, and whether that was right."""
    me.page.locator(OPTION).nth(option).click()
    expect(me.page.locator(".st-key-course-ask [data-testid='stAlert']")).to_be_visible()
    me.settle()
    return me.page.locator(".st-key-course-ask [data-testid='stAlertContentSuccess']").count() == 1


def cut_pictures(sheet: Page, folder: Path) -> list[str]:
    """Print a handout on A4: the pictures whose first and last texts do not stand on one page."""
    texts = "els => els.map(e => [...e.querySelectorAll('text')].map(t => t.textContent).filter(t => t.trim()))"
    labels = sheet.locator(".picture").evaluate_all(texts)
    sheet.pdf(path=folder / "handout.pdf", prefer_css_page_size=True)
    read = PdfReader(folder / "handout.pdf").pages
    assert {round(float(page.mediabox.width)) for page in read} <= {595, 596}  # A4 in points
    pages = [plain(page.extract_text()) for page in read]
    ends = [[plain(text)[:14] for text in (own[0], own[-1])] for own in labels]
    return [str(both) for both in ends if not any(all(end in page for end in both) for page in pages)]


@pytest.mark.nightly
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_whole_course_is_walked_by_next_and_its_guesses_are_kept(lang: str, visit: Callable[..., Visitor]):
    me = visit(width=1024).open("course", lang=lang)
    right = 0
    for n in range(1, len(course()) + 1):
        expect(me.page.get_by_role("heading", name=re.compile(f"^{n} · "))).to_be_visible()
        me.settle()
        assert me.page.evaluate(CUT) == []
        assert me.page.locator("ul.verdicts").count() == 0
        right += guess(me)
        assert me.page.locator("ul.verdicts .held").count() >= 1
        assert me.page.locator("ul.verdicts .failed").count() == 0
        assert me.page.evaluate(CUT) == []
        if n < len(course()):
            me.page.locator(".st-key-course-next button").click()
    score = re.compile(f"{right} (of|/) 12")
    expect(me.page.locator(".st-key-course-head")).to_contain_text(score)
    me.page.reload()
    me.settle()
    expect(me.page.locator(".st-key-course-head")).to_contain_text(score)
    expect(me.page.locator(".st-key-course-ask [data-testid='stAlert']")).to_be_visible()
    assert me.page.locator(OPTION).count() == 0


@pytest.mark.nightly
def test_two_browsers_guess_in_one_class_and_a_third_sees_nothing(visit: Callable[..., Visitor]):
    teacher, pupil, stranger = (visit().open("course", lang="en") for _ in range(3))
    teacher.page.get_by_role("button", name="Class").click()
    teacher.page.get_by_role("button", name="Begin a class").click()
    expect(teacher.page.locator(".st-key-course-class")).to_contain_text("0 of 1 have guessed")
    teacher.page.wait_for_url(re.compile("course.class="))
    pupil.open(teacher.page.url)
    expect(teacher.page.locator(".st-key-course-class")).to_contain_text("0 of 2 have guessed")
    guess(teacher, 0)
    guess(stranger, 2)
    guess(pupil, 1)
    for one in (teacher, pupil):
        expect(one.page.locator(".st-key-course-class")).to_contain_text("2 of 2 have guessed", timeout=5000)
        bars = one.page.locator(".st-key-course-class .bartext")
        expect(bars).to_have_text(["1", "1", "0"])
    assert stranger.page.locator(".st-key-course-class").count() == 0


def test_before_a_projector_keys_turn_and_only_the_step_is_there(visit: Callable[..., Visitor]):
    me = visit(width=1024).open("course", lang="en")
    me.page.get_by_text("Projector", exact=True).click()
    expect(me.page.locator('[data-testid="stSidebar"]')).to_be_hidden()
    me.settle()
    for key, n in (("ArrowRight", 2), ("PageDown", 3), ("ArrowLeft", 2)):
        me.page.keyboard.press(key)
        expect(me.page.get_by_role("heading", name=re.compile(f"^{n} · "))).to_be_visible()
        me.settle()
    guess(me)
    expect(me.page.locator(".st-key-course-picture")).to_be_visible()
    assert me.page.locator(".st-key-course-sentences").count() == 0
    assert me.page.evaluate(CUT) == []
    me.page.keyboard.press("Escape")
    expect(me.page.locator('[data-testid="stSidebar"]')).to_be_visible()


@pytest.mark.nightly
def test_a_handout_prints_without_a_cut_picture_and_saves_itself_with_its_pictures(
    visit: Callable[..., Visitor], tmp_path: Path
):
    me = visit().open("course", lang="en")
    me.page.get_by_role("button", name="Handout").click()
    me.page.get_by_text("The whole course").click()
    button = me.page.locator(".st-key-course-handout-get button")
    expect(button).to_be_visible()
    me.settle()
    with me.page.expect_download() as taken:
        button.click()
    file = tmp_path / "course.html"
    taken.value.save_as(file)
    sheet = me.page.context.new_page()
    asked: list[str] = []
    sheet.on("request", lambda request: asked.append(request.url))
    sheet.goto(file.as_uri())
    sheet.wait_for_selector("body[data-drawn]", timeout=60_000)
    assert [url for url in asked if url.startswith("http")] == []
    pictures = sheet.locator(".picture").count()
    assert pictures == len(course())
    assert cut_pictures(sheet, tmp_path) == []
    with sheet.expect_download() as saved:
        sheet.get_by_role("button", name="Save as Markdown").click()
    text = Path(saved.value.path()).read_text("utf-8")
    assert text.count("](data:image/svg+xml") == pictures
    assert "](picture-" not in text
    sheet.close()


@pytest.mark.nightly
def test_the_handout_of_each_lesson_prints_without_a_cut_picture(chromium: Browser, tmp_path: Path):
    found, sheet = [], chromium.new_page()
    for name in samples.names():
        for lesson in lessons.read(samples.folder(name)):
            spoken = {name for one in lesson.expect for name in lessons.spoken_of(one)}
            lists = [own for own in lesson.lists if own in spoken]
            seen = handout.carried_out(lesson, samples.load(name), performing.called(lesson), lists)
            (tmp_path / "lesson.html").write_text(
                handout.of([(lesson.title["en"], seen)], "A lesson", "lesson"), "utf-8"
            )
            sheet.goto((tmp_path / "lesson.html").as_uri())
            sheet.wait_for_selector("body[data-drawn]", timeout=60_000)
            found += [f"{name}/{lesson.id}: {told}" for told in cut_pictures(sheet, tmp_path)]
    sheet.close()
    assert found == []
