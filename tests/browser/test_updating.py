"""A lab whose files change while it runs, by an update for example: its visitors notice nothing."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from browser.visitor import ROOT, Visitor, expect, serving

pytestmark = pytest.mark.browser

CHANGED = ("lab/words.py", "lab/algebra/nouns.py", "lab/ui/i18n.py")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the lab whose files may be changed."""
    for name in ("lab", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "app.py", tmp_path)
    (tmp_path / "sample_corpora").symlink_to(ROOT / "sample_corpora")
    return tmp_path


@pytest.mark.nightly
@pytest.mark.parametrize("script", ["app.py", ""])
def test_pages_that_are_open_stay_right_in_both_languages_after_files_change(
    script: str, copy: Path, arrive: Callable[..., Visitor]
) -> None:
    command = [sys.executable, "-m", *(["streamlit", "run", script] if script else ["lab"])]
    with serving(copy, command=command, root=copy) as url:
        me = arrive(url, locale="zh-CN").open("fusion")
        for page in ("evaluate", "course"):
            me.go(page)
        for name in CHANGED:
            with (copy / name).open("a", encoding="utf-8") as file:
                file.write("# changed\n")
        me.page.wait_for_timeout(2500)  # a watcher looks every second
        for page in ("evaluate", "fusion", "course", "filter"):
            me.go(page)
            assert me.page.locator("[data-testid=stAlertContentError]").count() == 0
        expect(me.page.get_by_role("heading", level=1)).to_have_text("过滤")
        me.go("course")
        expect(me.page.locator(".st-key-course-ask")).to_contain_text("哪个结果列表")
