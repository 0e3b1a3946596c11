"""Eight sets of documents through the real file chooser: found again after a reload, asked, and seen by nobody else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from browser.visitor import Visitor, expect
from night import NIGHT, of_today
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
}
ASKING = [COURSE.name, *(page.name for *_section, pages in PATH for page in pages)]
"""Every page."""


def hidden(stranger: Visitor) -> None:
    """Nothing of the eight sets is there: no name of one in the list of corpora, no text of one."""
    shown = stranger.text() + stranger.page.content()
    assert [secret for secret in SECRETS.values() if secret in shown] == []
    stranger.picker("Corpus").click()
    options = " ".join(stranger.page.get_by_role("option").all_inner_texts())
    stranger.page.keyboard.press("Escape")
    assert [name for name in SECRETS if Path(name).stem in options] == []


def test_eight_sets_are_uploaded_found_again_asked_and_hidden_from_others(visit: Callable[..., Visitor]):
    me = visit().open("corpus")
    names = [Path(name).stem for name in SETS]
    for name, make in SETS.items():
        if not me.page.get_by_test_id("stFileUploader").is_visible():
            me.page.get_by_text("Add your own documents").first.click()
        me.upload({name: make()})
        expect(me.page.get_by_role("textbox", name="Name of the corpus")).to_have_value(Path(name).stem)
        me.use(Path(name).stem)
    for name in names:
        expect(me.page.locator(".st-key-corpus-uploads").get_by_text(name, exact=True)).to_be_visible()

    me.open("corpus", lang="en", corpus="clocks")  # a reload
    for name in names:
        expect(me.page.locator(".st-key-corpus-uploads").get_by_text(name, exact=True)).to_be_visible()
    questions = me.page.locator('[class*="st-key-corpus-ask"] button')
    question = questions.first.inner_text().removeprefix("search").strip()
    questions.first.click()
    expect(me.heading).to_have_text("Compare")
    me.settle()
    expect(me.field).to_have_value(question)
    assert question in " ".join(me.cards(0).all_inner_texts()[:3])  # the title that it was made of
    for path in ASKING if NIGHT else of_today(ASKING, 2):
        me.go(path)
        assert me.page.locator('[data-testid="stAlertContentError"]').count() == 0
    link = me.copied()

    stranger = visit()
    for address in (link, f"{stranger.url}corpus?lang=en&corpus=clocks", f"{stranger.url}compare?lang=en&corpus=faq"):
        stranger.open(address)
        if "corpus?" in address:
            expect(stranger.page.get_by_test_id("stAlertContentWarning")).to_contain_text("their uploader alone")
        hidden(stranger)
    expect(stranger.page.locator(".st-key-corpus-uploads")).to_have_count(0)
