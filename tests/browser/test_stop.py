"""Long work can be stopped within a second, is not begun again by itself, and goes on by a click."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from browser.visitor import Visitor

pytest.importorskip("playwright")

from browser.visitor import serving
from playwright.sync_api import expect

PAGE = """
    import time
    import streamlit as st
    from lab.ui.work import work

    def slow(progress):
        for done in range(400):
            progress(done, 400)
            time.sleep(0.05)
        return "all of it"

    def quick(progress):
        progress(1, 1)
        return "at once"

    many = st.toggle("two")
    st.write(f"quick: {work('quick', 'Quick work', quick, about=1)}")
    st.write(f"slow: {work('slow', 'Counting', slow, about=many)}")
    st.write("The end")
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("slow")
    (folder / "slow.py").write_text(textwrap.dedent(PAGE), "utf-8")
    with serving(folder, "slow.py") as address:
        yield address


def test_a_click_on_stop_ends_long_work_which_goes_on_by_another_click(arrive: Callable[..., Visitor], url: str):
    page = arrive(url).page
    page.goto(url)
    main = page.get_by_role("main")  # Streamlit has a Stop of its own in its header, after which nothing is drawn
    stop, go_on = main.get_by_role("button", name="Stop", exact=True), page.get_by_role("button", name=("Continue"))
    expect(page.get_by_text("quick: at once")).to_be_visible()
    expect(stop).to_be_visible()
    assert stop.count() == 1  # the quick work never showed one
    expect(page.get_by_text("The end")).to_have_count(0)
    began = time.monotonic()
    stop.click()
    expect(page.get_by_text("slow: None")).to_be_visible()
    assert time.monotonic() - began < 10  # the work itself would take twenty
    expect(page.get_by_text("Counting Stopped.")).to_be_visible()
    expect(page.get_by_text("The end")).to_be_visible()
    page.reload()  # another session: nothing was stopped there
    expect(stop).to_be_visible()
    stop.click()
    expect(go_on).to_be_visible()
    go_on.click()
    expect(stop).to_be_visible()
    stop.click()
    expect(go_on).to_be_visible()
    page.get_by_text("two").click()  # something else is asked: that was not stopped
    expect(stop).to_be_visible()
