"""A visitor's own documents through the real file chooser: found again, searched, asked, and seen by nobody else."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browser.test_uploads import NOTES
from browser.visitor import Visitor, expect
from night import NIGHT, sample
from own_documents import SETS

from lab.ui.navigation import COURSE, PATH

pytestmark = pytest.mark.browser

SECRETS = {
    "novel.txt": "Tobiasson",
    "价目表.csv": "青瓷茶壶",
    "faq.md": "tile cutter",
    "minutes.docx": "quince",
    "manual.html": "CR2477",
    "swifts.pdf": "fledglings",
    "mails.json": "fire station",
    "clocks.xlsx": "gimbals",
    "Pottery 陶艺": "splash pan",
}
ASKING = [COURSE.name, *(page.name for *_section, pages in PATH for page in pages)]
"""Every page."""


def hidden(stranger: Visitor, asked: str) -> None:
    """Nothing of these documents is there but what was asked: no name of a set among the corpora, no text of one."""
    shown = stranger.text() + stranger.page.content()
    assert [secret for secret in SECRETS.values() if secret in shown and secret not in asked] == []
    options = stranger.page.get_by_role("option")
    for _ in range(5):  # what is drawn anew closes an open list
        stranger.picker("Corpus").click()
        stranger.page.wait_for_timeout(300)
        if options.count():
            break
        stranger.settle()
    assert options.count()
    assert [name for name in SECRETS if Path(name).stem in " ".join(options.all_inner_texts())] == []
    stranger.page.keyboard.press("Escape")


def listed(me: Visitor, names: list[str]) -> None:
    """These uploads stand on the page “Documents”."""
    for name in names:
        expect(me.page.locator(".st-key-corpus-uploads").get_by_text(name, exact=True)).to_be_visible()


def bring(me: Visitor, name: str, content: bytes) -> str:
    """Upload a file, and make it the corpus, under the name that it is given."""
    if not me.page.get_by_test_id("stFileUploader").is_visible():
        me.page.get_by_text("Add your own documents").first.click()
    me.upload({name: content})
    expect(me.page.get_by_role("textbox", name="Name of the corpus")).to_have_value(Path(name).stem)
    me.use(Path(name).stem)
    return Path(name).stem


def test_uploads_are_found_again_asked_explained_and_hidden_from_others(visit: Callable[..., Visitor]):
    me, stranger = visit().open("corpus"), visit(locale="zh-CN")
    if NIGHT:  # somebody who is there before
        stranger.open("corpus", lang="en")
    names = [bring(me, name, make()) for name, make in sample(SETS.items(), 1)]
    last = names[-1]
    listed(me, names)
    me.page.reload()
    me.settle()
    listed(me, names)
    expect(me.picker("Corpus")).to_have_value(re.compile(re.escape(last)))
    # what the page offers to ask finds the passage that it was made of
    questions = me.page.locator('[class*="st-key-corpus-ask"] button')
    question = questions.first.inner_text().removeprefix("search").strip()
    me.click(questions.first, expect(me.heading).to_have_text, "Compare")
    me.settle()
    expect(me.field).to_have_value(question)
    assert question in " ".join(me.cards(0).all_inner_texts()[:3])  # the title that it was made of
    for path in sample(ASKING, 1):
        me.go(path)
        assert me.page.locator('[data-testid="stAlertContentError"]').count() == 0
    if NIGHT:
        last = tables(me, names)
    question += " today"  # what a visitor has typed themselves is in their link
    me.go("compare").ask(question)
    card = me.cards(2).nth(1)
    title = card.locator(".title").inner_text()
    me.click(card, expect(me.why).to_contain_text, title[:20])
    me.settle()
    link = me.copied()
    assert "doc=" in link
    kept = {cookie["name"]: cookie["value"] for cookie in me.page.context.cookies()}
    assert kept[f"retrieval_lab_{urlsplit(me.url).port}"] not in me.page.url + link + me.page.content()

    if NIGHT:
        stranger.page.reload()
        stranger.settle()
        hidden(stranger, "")
    stranger.open(link + "&lang=en")
    warning = stranger.page.get_by_test_id("stAlertContentWarning")
    expect(warning).to_contain_text(last)
    expect(warning).to_contain_text("which only its uploader can see")
    expect(stranger.picker("Corpus")).to_have_value("Staff handbook (English) · 240")
    expect(stranger.field).to_have_value(question)
    hidden(stranger, question)
    stranger.open("corpus", lang="en", corpus=names[0])
    expect(warning).to_contain_text("which only its uploader can see")
    hidden(stranger, question)
    expect(stranger.page.locator(".st-key-corpus-uploads")).to_have_count(0)


def tables(me: Visitor, names: list[str]) -> str:
    """A table in two languages beside the other sets, searched, and seen in another tab; gives its name."""
    me.go("corpus")
    name = bring(me, "Pottery 陶艺.csv", NOTES)
    listed(me, [*names, name])
    me.go("compare").ask("when does the kiln fire")
    assert me.cards(0).first.locator(".title").inner_text() == "Kiln opening hours"
    me.click(
        me.cards(2).filter(has_text="窑炉的开放时间"), expect(me.why).to_have_text, "How “窑炉的开放时间” is scored"
    )
    me.settle()
    tab = Visitor(me.page.context.new_page(), me.url).open("corpus", corpus=name)  # another one of the same browser
    expect(tab.picker("Corpus")).to_have_value(f"{name} · 5")
    assert "Kiln opening hours" in tab.text()
    return name
