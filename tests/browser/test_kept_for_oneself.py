"""What is kept on the user's own machine, seen in a browser at real labs: over a restart, and never by a server."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from browser.test_memory import NAME, having
from browser.test_uploads import NOTES
from browser.visitor import Visitor, expect, serving
from models.server import Server

pytestmark = pytest.mark.browser
KEY = "sk-nobody-else-sees-this-0123456789"
SHARED = """
import sys
from lab import cli
from lab.ui import launch
launch.EVERYWHERE, launch.network_address = "127.0.0.1", lambda: ""  # a test opens nothing to a network
sys.exit(cli.main(["--share", *sys.argv[1:]]))
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's data, which is not the real one."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("LAB_KEEP", "")  # as whoever starts a lab for themselves has it
    return tmp_path / "home" / "retrieval-lab"


def uploaded(me: Visitor) -> Visitor:
    me.upload({"studio.csv": NOTES})
    me.use(NAME)
    return having(me)


def connect(me: Visitor, server: Server, key: str) -> None:
    """Set up a language model in the dialog."""
    dialog = me.page.get_by_role("dialog")
    me.click(me.page.get_by_role("button", name="Language model:"), expect(dialog).to_be_visible)
    dialog.get_by_role("combobox", name="Server").click()
    me.page.get_by_role("option", name="another").click()
    for label, text in (("Address", server.url), ("Model", "m-7"), ("Key", key)):
        dialog.get_by_role("textbox", name=label, exact=True).fill(text)
        dialog.get_by_role("textbox", name=label, exact=True).press("Enter")
        me.settle()
    me.click(dialog.get_by_role("button", name="Try and use"), expect(dialog).to_have_count, 0)
    me.settle()


@pytest.mark.nightly  # without a browser: tests/ui/test_user_folder.py
def test_a_lab_for_oneself_keeps_uploads_and_the_models_address_over_a_restart_at_another_port(
    arrive: Callable[..., Visitor], home: Path, tmp_path: Path
):
    with Server("ready") as server:
        with serving(tmp_path) as url:
            me = uploaded(arrive(url).open("corpus"))
            connect(me, server, KEY)
            me.page.reload()
            me.settle()
            expect(me.page.get_by_role("button", name="Language model: m-7, key missing")).to_be_visible()
        with serving(tmp_path) as again:
            me = Visitor(me.page.context.new_page(), again)  # the same browser, another tab
            having(me.open("corpus", corpus=NAME))
            button = me.page.get_by_role("button", name="Language model: m-7, key missing")
            dialog = me.page.get_by_role("dialog")
            me.click(button, expect(dialog).to_be_visible)
            expect(dialog.get_by_role("textbox", name="Address")).to_have_value(server.url)
            expect(dialog.get_by_role("textbox", name="Model", exact=True)).to_have_value("m-7")
            expect(dialog.get_by_role("textbox", name="Key")).to_have_value("")
            me.page.keyboard.press("Escape")
            assert list(home.rglob("corpus.jsonl"))
            written = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
            assert server.url.encode() in written
            assert KEY.encode() not in written
            expect(me.page.locator(".st-key-corpus-uploads")).to_contain_text(str(home))
            sure = me.page.get_by_role("button", name="Delete for good")
            me.click(me.page.get_by_role("button", name="Delete everything"), expect(sure).to_be_visible)
            me.click(
                sure,
                expect(me.page.locator(".st-key-corpus-uploads")).to_have_count,
                0,
            )
            assert not home.exists()


@pytest.mark.nightly
@pytest.mark.parametrize("way", ["shared", "public", "name"])
def test_a_server_writes_nothing_into_the_users_folder(
    arrive: Callable[..., Visitor], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
):
    if way == "public":
        monkeypatch.setenv("LAB_PUBLIC", "1")
    if way == "shared":
        (tmp_path / "shared.py").write_text(SHARED, "utf-8")
    command = [sys.executable, "shared.py"] if way == "shared" else None
    with serving(tmp_path, command=command, address=way != "shared") as url:
        me = arrive(url.replace("127.0.0.1", "lab.example") if way == "name" else url)
        uploaded(me.open("corpus"))
        expect(me.page.locator(".st-key-corpus-uploads")).to_contain_text("deleted when you leave")
        expect(me.page.get_by_role("button", name="Delete everything")).to_have_count(0)
    assert {x.name for x in home.glob("*")} <= {"samples"}, "the counted words of the samples are nobody's documents"
