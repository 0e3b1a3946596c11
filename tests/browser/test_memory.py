"""An upload goes when its visitor has gone, or stays on the disk for them, as the settings say."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from browser.test_uploads import NOTES
from browser.visitor import LIMIT, Visitor, expect, serving

pytestmark = pytest.mark.browser
NAME, SECRET = "Pottery 陶艺", "Kiln opening hours"


def having(me: Visitor) -> Visitor:
    """Look for the upload on a page that shows its texts."""
    expect(me.picker("Corpus")).to_have_value(f"{NAME} · 5")
    assert SECRET in me.text()
    return me


def lost(me: Visitor, why: str) -> None:
    """See the notice that names the lost corpus, and a sample."""
    notice = me.page.get_by_test_id("stAlertContentWarning")
    expect(notice.first).to_contain_text(f"Your corpus “{NAME}” is no longer available")
    expect(notice.first).to_contain_text(why)
    expect(me.picker("Corpus")).to_have_value("Staff handbook (English) · 240")
    assert SECRET not in me.settle().text()


@pytest.mark.nightly
def test_an_upload_goes_when_its_time_is_over(
    arrive: Callable[..., Visitor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LAB_UPLOADS_MINUTES", "0.05")
    with serving(tmp_path) as url:
        me = arrive(url).open("corpus")
        me.upload({"studio.csv": NOTES})
        me.use(NAME)
        having(me).page.goto("about:blank")
        me.page.wait_for_timeout(5000)
        lost(me.open("corpus"), "0.05 minutes after the last tab")
        me.go("compare")
        expect(me.page.get_by_test_id("stAlertContentWarning")).to_have_count(0)


@pytest.mark.nightly
def test_an_upload_goes_when_the_lab_was_away(arrive: Callable[..., Visitor], tmp_path: Path):
    with serving(tmp_path) as url:
        me, stranger = arrive(url).open("corpus"), arrive(url).open("corpus")
        me.upload({"studio.csv": NOTES})
        me.use(NAME)
        having(me).go("compare").ask("when does the kiln fire")
        assert NAME not in stranger.text() + stranger.page.content()
    away = me.page.locator("#lab-away")
    expect(away).to_contain_text("server does not answer")
    with serving(tmp_path, port=urlsplit(url).port or 0):
        expect(away).to_have_count(0)
        lost(me.settle(), "a restart of the lab deletes them")
        expect(me.field).to_have_value("when does the kiln fire")
        me.says("corpus", "staff")


@pytest.mark.nightly
def test_with_a_folder_for_uploads_a_corpus_outlives_the_server_and_the_browsers_window(
    arrive: Callable[..., Visitor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LAB_UPLOADS_DIR", str(tmp_path / "kept"))
    monkeypatch.setenv("LAB_UPLOADS_MINUTES", "0.05")
    with serving(tmp_path) as url:
        me = arrive(url).open("corpus")
        me.upload({"studio.csv": NOTES})
        me.use(NAME)
        expect(me.page.locator(".st-key-corpus-uploads")).to_contain_text("deleted in 7 days")
        (token,) = (c for c in me.page.context.cookies() if c["name"] == f"retrieval_lab_{urlsplit(url).port}")
        assert abs(token["expires"] - time.time() - 7 * 86_400) < 600  # not a cookie of this window alone
        me.page.goto("about:blank")
        me.page.wait_for_timeout(5000)  # its minutes are over: the memory has let go of it
        having(me.open("corpus", corpus=NAME))
    with serving(tmp_path, port=urlsplit(url).port or 0):
        having(me.open("compare", corpus=NAME)).ask("when does the kiln fire")
        assert me.cards(0).first.locator(".title").inner_text() == "Kiln opening hours"
        stranger = arrive(url).open("corpus", corpus=NAME)
        assert "Kiln" not in stranger.text() + stranger.page.content()
        me.go("corpus")
        me.click(
            me.page.locator(".st-key-corpus-uploads").get_by_role("button", name="Delete"),
            expect(me.page.locator(".st-key-corpus-uploads")).to_have_count,
            0,
        )
    assert not [*(tmp_path / "kept").rglob("corpus.jsonl")]


def memory(pid: int) -> float:
    """Megabytes that a process takes."""
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def text(n: int, seed: int) -> bytes:
    """About ``n`` bytes of sentences in both languages, of words as frequent as in any language."""
    rng = np.random.default_rng(seed)
    latin = ["".join(map(chr, rng.integers(97, 123, k))) for k in rng.integers(2, 10, 20_000)]
    han = ["".join(map(chr, rng.integers(0x4E00, 0x4E00 + 3000, k))) for k in rng.integers(1, 4, 20_000)]
    lines, size = list[str](), 0
    while size < n:
        words = np.minimum(rng.zipf(1.2, 400), 20_000) - 1
        lines += [" ".join(latin[w] for w in words[:200]) + ".", "".join(han[w] for w in words[200:]) + "。", ""]
        size += sum(len(line.encode()) + 1 for line in lines[-3:])
    return "\n".join(lines).encode()


@pytest.mark.nightly
def test_the_memory_of_many_visitors_comes_back_when_their_time_is_over(
    arrive: Callable[..., Visitor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    visitors, size = (int(n) for n in os.environ.get("LAB_VISITORS", "6x20").split("x"))  # how many, megabytes
    monkeypatch.setenv("LAB_UPLOADS_MINUTES", "0.1")
    with serving(tmp_path) as url:

        def come(megabytes: float, seed: int) -> None:
            me = arrive(url)
            me.page.set_default_timeout(1_200_000)
            expect.set_options(timeout=1_200_000)
            me.open("corpus").upload({"book.txt": text(int(megabytes * 1e6), seed)})
            me.use(f"Book {seed}")
            for page in ("compare", "fusion", "rerank"):
                me.go(page).ask(f"ab cd {seed}")
            me.page.context.close()

        try:
            come(0.1, 0)
            time.sleep(20)
            before, after = memory(url.pid), list[float]()
            for seed in range(1, visitors + 1):
                come(size, seed)
                time.sleep(60 if seed == visitors else 15)  # twice as long as an upload is kept, and some more
                after.append(memory(url.pid))
                sys.stderr.write(f"visitor {seed}: {before:.0f} -> {after[-1]:.0f} MB\n")
        finally:
            expect.set_options(timeout=LIMIT)
        assert after[-1] < before + 300
