"""The course in a real browser: guessed, kept over a reload, projected, printed."""

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
from lab.ui.lessons import handout, performing

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
    me.click(
        me.page.locator(OPTION).nth(option),
        expect(me.page.locator(".st-key-course-ask [data-testid='stAlert']")).to_be_visible,
    )
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


SMALL = """() => {
    const found = [];
    const walk = (root) => {
        for (const node of root.querySelectorAll('*')) {
            if (node.shadowRoot) walk(node.shadowRoot);
            const box = node.getBoundingClientRect(), look = getComputedStyle(node);
            const says = [...node.childNodes].some(c => c.nodeType === 3 && c.data.trim());
            if (!says || !box.width || !box.height || look.visibility === 'hidden') continue;
            if (node.closest('style, script, title, [data-testid=stIconMaterial]')) continue;
            if (parseFloat(look.fontSize) < 23.9) found.push([node.textContent.trim().slice(0, 40), look.fontSize]);
        }
    };
    walk(document.body);
    return found;
}"""
"""Texts on the screen that are smaller than 24 pixels, those in pictures as well."""
LAID = """() => {
    const box = (x) => x.getBoundingClientRect();
    const labels = '.columns :is(.title, .fall, .name span, .score), .js-plotly-plot text';
    const texts = [...document.querySelectorAll(labels)]
        .filter(x => x.textContent.trim()).map(x => [x.textContent, box(x)]);
    const on = texts.flatMap(([a, p], i) => texts.slice(i + 1).filter(([b, q]) =>
        Math.min(p.right, q.right) - Math.max(p.left, q.left) > 2
        && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 3).map(([b]) => [a, b]));
    const foot = box(document.querySelector('.st-key-course-foot'));
    const hidden = [...document.querySelectorAll('.columns .row, .js-plotly-plot, .st-key-course-options button')]
        .filter(x => box(x).bottom > foot.top + 1).map(x => x.textContent);
    const main = document.querySelector('[data-testid=stMain]');
    return [on, hidden, Math.max(0, main.scrollWidth - main.clientWidth - 1), foot.bottom > innerHeight + 1];
}"""
"""Labels that lie on each other, what the foot hides, by how much the slide is too wide, whether the foot is cut."""


def slide(me: Visitor) -> str:
    """Check the type and the places of a slide; gives what its head says."""
    me.settle()
    assert me.page.evaluate(SMALL) == []
    assert me.page.evaluate(LAID) == [[], [], 0, False]
    return me.page.locator(".st-key-course-slide .slide").first.inner_text()


@pytest.mark.nightly
def test_before_a_projector_each_key_says_one_thing_more_and_back(visit: Callable[..., Visitor]):
    me = visit(width=1024)
    me.page.set_viewport_size({"width": 1024, "height": 768})
    me.open("course", lang="en")
    me.click(
        me.page.get_by_text("Projector", exact=True), expect(me.page.locator('[data-testid="stSidebar"]')).to_be_hidden
    )
    expect(me.page.locator(".st-key-course-slide .asked")).to_contain_text("Which list ranks")
    assert "Step 1 of 12" in slide(me)
    assert not me.page.get_by_text("ninety minutes").first.is_visible(), "the course is not introduced on each slide"
    assert me.page.locator(".columns").count() == 0, "the answer is not shown"
    press, foot = me.page.keyboard.press, me.page.locator(".st-key-course-foot")
    press("ArrowRight")
    expect(foot).to_contain_text("BM25: rank 67 · Vectors: rank 1")
    expect(me.page.locator(".columns .name span")).to_have_text(["BM25", "Vectors"])
    assert me.page.locator(".columns img").evaluate("x => x.naturalWidth > 0"), "the curves are drawn"
    slide(me)
    press("Space")
    expect(foot.locator(".number")).to_have_text("A")
    expect(foot.locator(".ticks")).to_have_text("A ✓")
    slide(me)
    press("PageDown")
    expect(foot.locator(".number")).to_have_text("B")
    expect(foot.locator(".ticks")).to_have_text("A ✓B ✓")
    expect(me.page.locator(".columns .pin").first).to_have_text("B")
    assert foot.locator(".failed").count() == 0
    slide(me)
    press("PageUp")
    expect(foot.locator(".number")).to_have_text("A")
    for letter in "BC":
        press("ArrowRight")
        expect(foot.locator(".number")).to_have_text(letter)
    press("ArrowRight")
    expect(me.page.locator(".st-key-course-slide .asked")).to_contain_text("Which document is first")
    assert "Step 2 of 12" in slide(me)
    me.click(
        me.page.locator(OPTION).first,
        expect(foot.locator(".claim")).to_contain_text,
        re.compile("Your prediction is right|You predicted"),
    )
    slide(me)
    press("ArrowLeft")
    press("ArrowLeft")  # both count, although the page still runs for the first
    expect(foot.locator(".number")).to_have_text("C")
    press("Escape")
    expect(me.page.locator('[data-testid="stSidebar"]')).to_be_visible()


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("locale", "width", "height"), [("en-US", 1024, 768), ("zh-CN", 1024, 768), ("zh-CN", 1920, 1080)]
)
def test_every_slide_of_the_course_is_large_and_nothing_lies_on_anything(
    visit: Callable[..., Visitor], locale: str, width: int, height: int
):
    me = visit(width=width, locale=locale)
    me.page.set_viewport_size({"width": width, "height": height})
    me.open("course", **{"course.projector": "1"})
    heads = {slide(me).split("\n")[0]}
    for _ in range(90):
        if me.page.locator(".st-key-course-next button").is_disabled():
            break
        before = me.page.url
        me.page.keyboard.press("ArrowRight")
        me.page.wait_for_function("before => location.href !== before", arg=before)
        heads.add(slide(me).split("\n")[0])
    assert len(heads) == len(course())


@pytest.mark.nightly
def test_a_handout_prints_without_a_cut_picture_and_saves_itself_with_its_pictures(
    visit: Callable[..., Visitor], tmp_path: Path
):
    me = visit().open("course", lang="en")
    whole, button = me.page.get_by_text("The whole course"), me.page.locator(".st-key-course-handout-get button")
    me.click(me.page.get_by_role("button", name="Handout"), expect(whole).to_be_visible)
    me.click(whole, expect(button).to_be_visible)
    me.settle()
    file = tmp_path / "course.html"
    me.download(button).save_as(file)
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
            seen = handout.run_lesson(lesson, samples.load(name), performing.list_names(lesson), lists)
            (tmp_path / "lesson.html").write_text(
                handout.render([(lesson.title["en"], seen)], "A lesson", "lesson"), "utf-8"
            )
            sheet.goto((tmp_path / "lesson.html").as_uri())
            sheet.wait_for_selector("body[data-drawn]", timeout=60_000)
            found += [f"{name}/{lesson.id}: {told}" for told in cut_pictures(sheet, tmp_path)]
    sheet.close()
    assert found == []
