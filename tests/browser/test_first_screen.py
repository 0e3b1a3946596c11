"""The first screen in a real browser: the lists begin there, side by side, and no label lies on another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import places
import pytest
from browser.visitor import Visitor, expect
from night import sample

from lab import lessons
from lab.corpus import samples

pytestmark = pytest.mark.browser


def _pages(*names: str) -> list[str]:
    """Returns those of these pages that the core or a pack that is there has."""
    return [name for name in names if not name or any(path.parent.name == name for path in places.PAGES)]


LISTS = _pages(
    "compare", "fusion", "mmr", "rerank", "filter", "reorder", "rewrite", "dialogue", "routing", "granularity",
    "vector_store", "compression", "inside", "pipeline", "tokenizer", "",
)  # fmt: skip
"""Pages that show ranked lists as soon as they are opened, by their addresses."""
ROWS = """() => {
    const roots = [...document.querySelectorAll('[data-testid="stMain"] *')].map(x => x.shadowRoot).filter(Boolean);
    const grid = roots.flatMap(root => [...root.querySelectorAll('.lists .grid')]).find(x => x.getClientRects().length);
    const seen = [...grid.querySelectorAll('section.list')].filter(x => x.getClientRects().length);
    return seen.map(list => [...list.querySelectorAll('.card')].map(x => x.getBoundingClientRect()).map(
        ({ left, right, top, bottom }) => ({ left, right, top, bottom })));
}"""
"""The boxes of the rows of every list that is shown, in the window."""
OVERLAPS = """() => {
    const main = document.querySelector('[data-testid="stMain"]');
    const hit = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
    const pairs = found => {
        const all = found.filter(x => x.textContent.trim() && x.getClientRects().length
            && getComputedStyle(x).visibility !== 'hidden' && Number(getComputedStyle(x).opacity) > 0)
            .map(x => [x.textContent, x.getBoundingClientRect()]);
        return all.flatMap(([text, a], i) => all.slice(i + 1).filter(([, b]) => hit(a, b)).map(([x]) => [text, x]));
    };
    const drawings = [...main.querySelectorAll('*')].flatMap(x => [...x.shadowRoot?.querySelectorAll('svg') ?? []]);
    return [pairs([...main.querySelectorAll('.js-plotly-plot text, .lab-now span')]),
        ...drawings.map(svg => pairs([...svg.querySelectorAll('text')]))].flat();
}"""
"""Labels of the charts, and of the drawings of each component, that lie on each other, in pairs."""
ON_FORMULAS = """() => {
    const seen = [...document.querySelectorAll('[data-testid="stMain"] :is(.katex-html, p, .lab-sum, .lab-pairs)')]
        .filter(x => x.getClientRects().length && !x.closest('[class*=st-key-guide]'));
    const formulas = seen.filter(x => x.matches('.katex-html'));
    const boxes = new Map(seen.map(x => [x, x.getBoundingClientRect()]));
    const hit = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    const wide = [...document.querySelectorAll('[data-testid="stMain"] .katex-display')]
        .filter(x => x.scrollWidth > x.clientWidth + 1);
    const on = formula => seen.filter(x => x !== formula && !x.contains(formula) && !formula.contains(x)
        && hit(boxes.get(formula), boxes.get(x)));
    return [formulas.length, wide.map(x => x.textContent), formulas.flatMap(on).map(x => x.textContent)];
}"""
"""How many formulas are drawn, those that are cut at the right, and every line of text that lies on one of them."""
CUT = "all => all.filter(x => x.scrollWidth > x.clientWidth + 1).map(x => x.textContent)"
"""The texts that are wider than their place."""
LANGUAGES = "en", "zh"
EVERY = [x for name in samples.names() for x in lessons.read(samples.folder(name))]
ONE = {x.page: x for x in EVERY if x.query}
"""A lesson of each page."""


def high(me: Visitor, wanted: int) -> list[float]:
    """Where the third row of each of so many lists ends (of shorter lists, the last one)."""
    lists = [rows for rows in me.page.evaluate(ROWS) if rows]
    assert len(lists) >= wanted, f"{me.page.url}: {len(lists)} lists have rows"
    return sorted(rows[:3][-1]["bottom"] for rows in lists)[:wanted]


def open_page(me: Visitor, page: str, language: str, **link: str) -> Visitor:
    me.open(page, lang=language, **link)
    me.page.locator("section.list .card").first.wait_for()
    return me


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
def test_three_rows_of_two_lists_are_in_the_first_screen_of_every_page(language: str, visit: Callable[..., Visitor]):
    me, low = visit(width=1400), {}
    for page in [*sample(LISTS, 2), "pipeline"]:
        me.page.set_viewport_size({"width": 1400, "height": 900})
        open_page(me, page, language)
        wanted = 1 if page in ("routing", "tokenizer") else 2  # a route or a tokenizer may have found nothing
        low |= {f"{page} {bottom}": bottom for bottom in high(me, wanted) if bottom > 900}
        assert me.page.locator(".name .caption, .name .caption *").evaluate_all(CUT) == [], page
    assert low == {}


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["en", "zh"])
def test_so_are_they_while_a_lesson_is_performed(language: str, visit: Callable[..., Visitor]):
    me, low = visit(width=1400), {}
    for page in sample([page for page in LISTS if page in ONE and page != "dialogue"], 2):
        lesson = ONE[page]
        me.page.set_viewport_size({"width": 1400, "height": 900})
        open_page(me, page, language, corpus=lesson.corpus, q=lesson.query)
        me.play(lesson.title[language])
        with_rows = len([rows for rows in me.page.evaluate(ROWS) if rows])  # a lesson may be on a list that is empty
        low |= {f"{page} {x}": x for x in high(me, min(2, with_rows)) if x > 900}
    assert low == {}


def test_three_lists_stand_side_by_side_at_1024_and_one_with_tabs_on_a_phone(visit: Callable[..., Visitor]):
    me = open_page(visit(width=1024), "compare", "en", corpus="devices")
    first, second, third = (rows[0] for rows in me.page.evaluate(ROWS))
    assert first["top"] == second["top"] == third["top"]
    assert first["right"] < second["left"] < second["right"] < third["left"]
    me.page.set_viewport_size({"width": 390, "height": 844})
    expect(me.page.locator("button.tab")).to_have_count(3)
    me.page.wait_for_function(f"({ROWS})().length === 1")
    (rows,) = me.page.evaluate(ROWS)
    assert rows[0]["top"] < 900
    assert me.overflow() <= 1
    me.click(me.page.locator("button.tab").nth(2), expect(me.cards(2).first).to_be_visible)
    expect(me.cards(0).first).to_be_hidden()


@pytest.mark.nightly
@pytest.mark.parametrize("page", [page for page in LISTS if page])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_result_begins_within_900_pixels_on_a_phone(page: str, language: str, visit: Callable[..., Visitor]):
    me = open_page(visit(width=390), page, language)
    tops = [rows[0]["top"] for rows in me.page.evaluate(ROWS) if rows]
    assert min(tops) < 900


def overlaps(me: Visitor) -> list[Any]:
    """Labels that lie on each other in windows of three widths, each with the width."""
    found = list[Any]()
    for width, height in sample(((1400, 900), (390, 844), (1024, 768)), 2):
        me.page.set_viewport_size({"width": width, "height": height})
        me.settle()
        try:
            me.page.wait_for_function(f"({OVERLAPS})().length === 0", timeout=4000)
        except Exception:
            found += [(width, *pair) for pair in me.page.evaluate(OVERLAPS)]
    me.page.set_viewport_size({"width": 1400, "height": 900})
    return found


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("page", "language"),
    [(page, x) for page in (*LISTS, "answer", "evaluate", "corpus", "compress", "judge") for x in LANGUAGES],
)
def test_no_label_lies_on_another_in_a_picture(page: str, language: str, visit: Callable[..., Visitor]):
    assert overlaps(visit(width=1400).open(page, lang=language)) == []


@pytest.mark.nightly
@pytest.mark.parametrize("word", ["battery", "请假", "bank", "leave", "维修", "wireless keyboard"])
def test_no_word_lies_on_another_in_the_map_of_a_vocabulary(word: str, visit: Callable[..., Visitor]):
    me = visit(width=1400).open("vocabulary", lang="en", **{"vocabulary.q": word})
    me.page.locator(".st-key-vocabulary-map .js-plotly-plot").wait_for()
    assert overlaps(me) == []


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("page", dict.fromkeys(x.page for x in EVERY))
def test_no_label_lies_on_another_while_a_lesson_is_performed(page: str, language: str, visit: Callable[..., Visitor]):
    me, found = visit(width=1400), list[Any]()
    for lesson in EVERY:
        if lesson.page == page:
            me.open(page, lang=language, corpus=lesson.corpus)
            me.play(lesson.title[language])
            found += [(lesson.id, *pair) for pair in overlaps(me)]
    assert found == []


@pytest.mark.nightly
@pytest.mark.parametrize("page", ["compare", "fusion"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_formula_is_whole_and_no_text_lies_on_it(page: str, language: str, visit: Callable[..., Visitor]):
    me, found = open_page(visit(width=1400), page, language), list[Any]()
    me.page.locator(".katex-display").first.wait_for()
    for width in sample((1400, 1800, 390, 1024), 2):
        me.page.set_viewport_size({"width": width, "height": 900})
        me.settle()
        formulas, cut, texts = me.page.evaluate(ON_FORMULAS)
        assert formulas
        found += [(width, text) for text in (*cut, *texts)]
    assert found == []


def hold_curves(me: Visitor) -> None:
    """Curves link what neighbours show, and stubs mark what only one of them shows."""
    shown = [[str(x) for x in me.cards(i).evaluate_all("rows => rows.map(x => x.dataset.doc)")] for i in range(3)]
    linked = me.page.locator("svg.curves circle").evaluate_all("dots => dots.map(x => x.dataset.doc)")
    wanted = [doc for left, right in ((0, 1), (1, 2)) for doc in shown[left] if doc in shown[right]]
    assert sorted(linked) == sorted(wanted * 2)  # a dot at each end
    paths = me.page.locator("svg.curves path").evaluate_all("paths => paths.map(x => x.dataset.doc)")
    alone = [doc for a, b in ((0, 1), (1, 0), (1, 2), (2, 1)) for doc in shown[a] if doc not in shown[b]]
    assert sorted(paths) == sorted([*wanted, *alone * 3])


def test_a_click_opens_the_rank_in_every_list_and_the_keys_walk_grade_and_close(visit: Callable[..., Visitor]):
    me = open_page(visit(width=1400), "compare", "en", corpus="devices", q="printer code 0x80F4")
    hold_curves(me)
    row = me.cards(0).nth(2)
    doc = row.get_attribute("data-doc")
    me.click(row, me.says, "doc", doc)
    me.settle()
    opened = me.page.locator(".holder.open .card")
    expect(opened).to_have_count(3)
    assert [me.cards(i).nth(2).get_attribute("aria-expanded") for i in range(3)] == ["true"] * 3
    tops = [rows[2]["top"] for rows in me.page.evaluate(ROWS)]
    below = [rows[3]["top"] for rows in me.page.evaluate(ROWS)]
    assert max(tops) - min(tops) < 1
    assert max(below) - min(below) < 1  # as high in every list: no curve shows a rise that is none
    stops = me.page.locator('section.list .card[tabindex="0"]')
    expect(stops).to_have_count(1)
    stops.focus()
    me.page.keyboard.press("ArrowDown")
    expect(me.cards(0).nth(3)).to_be_focused()
    me.page.keyboard.press("2")
    expect(me.cards(0).nth(3).locator("xpath=..").locator('.grade[aria-pressed="true"]')).to_have_text("2")
    me.settle()
    expect(me.cards(0).nth(3)).to_be_focused()
    me.page.keyboard.press("ArrowRight")
    assert me.page.evaluate("document.activeElement.shadowRoot?.activeElement.closest('section').ariaLabel") == "TF-IDF"
    me.page.keyboard.press("Home")
    me.page.keyboard.press("Enter")
    me.says("doc", me.cards(1).first.get_attribute("data-doc"))
    me.settle()
    expect(me.cards(1).first).to_have_attribute("aria-expanded", "true")
    me.page.keyboard.press("Escape")
    expect(opened).to_have_count(0)


@pytest.mark.nightly
def test_the_menu_of_lessons_is_filtered_by_typing_and_walked_by_keys(visit: Callable[..., Visitor]):
    me = open_page(visit(width=1400), "compare", "en", corpus="devices")
    me.page.locator("body").press("l")
    panel = me.page.locator(".panel")
    expect(panel).to_be_visible()
    lesson = ONE["compare"]
    me.page.keyboard.type(lesson.title["en"][:12])
    expect(panel.locator(".item:visible").first).to_contain_text(lesson.title["en"])
    me.page.keyboard.press("ArrowDown")
    me.page.keyboard.press("ArrowDown")
    me.page.keyboard.press("Enter")
    me.settle()
    expect(me.page.locator(".st-key-claim-compare")).to_contain_text(lesson.title["en"])
    expect(panel).to_be_hidden()
