"""An upload is its visitor's: their browser finds it again, no other one does, and it goes when they have gone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browser.test_uploads import NOTES
from browser.visitor import Visitor, expect, serving

pytestmark = pytest.mark.browser
NAME, SECRET = "Pottery 陶艺", "Kiln opening hours"


def having(me: Visitor) -> Visitor:
    """Look for the upload on a page that shows its texts."""
    expect(me.picker("Corpus")).to_have_value(f"{NAME} (5)")
    assert SECRET in me.text()
    return me


def lost(me: Visitor, why: str) -> None:
    """See the notice that names the lost corpus, and a sample."""
    notice = me.page.get_by_test_id("stAlertContentWarning")
    expect(notice).to_contain_text(f"Your corpus “{NAME}” is no longer here")
    expect(notice).to_contain_text(why)
    expect(me.picker("Corpus")).to_have_value("Device support (193)")
    assert SECRET not in me.text()


def test_an_upload_is_found_again_by_its_own_browser_alone_until_its_time_is_over(
    arrive: Callable[..., Visitor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LAB_UPLOADS_MINUTES", "0.05")
    with serving(tmp_path) as url:
        me, stranger = arrive(url).open("corpus"), arrive(url).open("corpus")
        me.upload({"studio.csv": NOTES})
        me.use(NAME)
        tab = Visitor(me.page.context.new_page(), url).open("corpus", corpus=NAME)
        having(tab)
        me.page.reload()
        having(me.settle()).go("compare").ask("when does the kiln fire")
        stranger.open("corpus")
        assert NAME not in stranger.text() + stranger.page.content()
        stranger.picker("Corpus").click()
        expect(stranger.page.get_by_role("option")).to_have_count(2)
        kept = {cookie["name"]: cookie["value"] for cookie in me.page.context.cookies()}
        token = kept[f"retrieval_lab_{urlsplit(url).port}"]
        assert token not in me.page.url + me.copied() + me.page.content()

        me.page.close()
        tab.page.close()
        stranger.page.wait_for_timeout(8000)
        back = Visitor(tab.page.context.new_page(), url).open("corpus")
        lost(back, "0.05 minutes after the last tab")
        back.go("compare")
        expect(back.page.get_by_test_id("stAlertContentWarning")).to_have_count(0)


def test_a_lab_that_is_away_says_so_and_names_what_a_restart_has_lost(arrive: Callable[..., Visitor], tmp_path: Path):
    with serving(tmp_path) as url:
        me = arrive(url).open("corpus")
        me.upload({"studio.csv": NOTES})
        me.use(NAME)
        me.go("compare").ask("when does the kiln fire")
    away = me.page.locator("#lab-away")
    expect(away).to_contain_text("server does not answer")
    with serving(tmp_path, port=urlsplit(url).port or 0):
        expect(away).to_have_count(0)
        lost(me.settle(), "not beyond a restart")
        expect(me.field).to_have_value("when does the kiln fire")
        me.says("corpus", "devices")
