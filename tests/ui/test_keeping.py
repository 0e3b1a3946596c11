"""Uploads with ``LAB_UPLOADS_DIR``: over a restart, in a list of one's own, never seen by others."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lab.evaluate.judging import Judgments
from lab.ui import cache, frame, keeping, uploading
from lab.ui.visitor import Visitor, Visitors
from ui.test_memory import arriving, corpora, notes, warned


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAB_UPLOADS_DIR", str(tmp_path / "kept"))
    monkeypatch.setattr(cache, "VISITORS", Visitors())
    return tmp_path / "kept"


def told(app: AppTest) -> str:
    return " ".join(m.value for m in (*app.markdown, *app.caption, *app.warning, *app.error)).replace("\\", "")


def pasted(app: AppTest, text: str) -> AppTest:
    next(a for a in app.text_area if a.key == "corpus.paste").set_value(text).run()
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    assert not app.exception
    return app


def restarted(monkeypatch: pytest.MonkeyPatch, token: str, **link: str) -> AppTest:
    """The browser with this token at a server that knows nobody."""
    monkeypatch.setattr(cache, "VISITORS", Visitors())
    return arriving(monkeypatch, token, "Pasted text", **link)


def test_an_upload_and_its_grades_are_found_again_after_a_restart_and_by_nobody_else(
    disk: Path, monkeypatch: pytest.MonkeyPatch
):
    app = pasted(arriving(monkeypatch), "The kiln fires on Tuesdays.\n\nThe mole digs at night.")
    me: Visitor = app.session_state[frame.VISITOR]
    corpus = me.store(frame.UPLOADS)["Pasted text"].corpus
    keeping.judged(me, Judgments().given("when?", corpus.documents[0], 2))
    again = restarted(monkeypatch, me.token, corpus="Pasted text")
    assert again.session_state[frame.VISITOR] is not me
    assert again.session_state["corpus"] == "Pasted text"
    assert "Pasted text (2)" in corpora(again)
    assert warned(again) == ""
    other = again.session_state[frame.VISITOR]
    assert [j.question for j in keeping.judgments(other).history] == ["when?"]
    assert "7 days after they were last used" in told(again)
    assert "minutes after the last tab" not in told(again)

    stranger = arriving(monkeypatch, "s" * 43, corpus="Pasted text")
    assert "Pasted text" not in "".join(corpora(stranger))
    assert stranger.session_state["corpus"] == "devices"
    assert "uploads are seen by their uploader alone" in warned(stranger)
    assert "Your uploads" not in [s.value for s in stranger.subheader]

    again.button("corpus.delete.0").click().run()
    assert "Pasted text" not in "".join(corpora(again))
    assert not [*disk.rglob("corpus.jsonl")]
    gone = restarted(monkeypatch, me.token)
    assert "7 days after they were last used" in warned(gone)


def test_grades_that_another_process_has_taken_are_seen_by_this_one(disk: Path):
    one, other = Visitor("t" * 43), Visitor("t" * 43)
    document = notes().corpus.documents[0]
    keeping.judged(one, keeping.judgments(one).given("a?", document, 1))
    keeping.judged(other, keeping.judgments(other).given("b?", document, 2))
    assert [j.question for j in keeping.judgments(one).history] == ["a?", "b?"]
    (written,) = disk.rglob("note.txt")
    written.write_text("nonsense", "utf-8")
    assert keeping.judgments(Visitor("t" * 43)).history == ()  # and no error


def test_the_list_opens_and_deletes_each_upload(disk: Path, monkeypatch: pytest.MonkeyPatch):
    app = arriving(monkeypatch)
    own = keeping.Own(app.session_state[frame.VISITOR])
    for name in ("one", "two"):
        own[name] = notes(name)
    app.run()
    assert [t.value for t in app.text] == ["one", "two"]
    assert "passages: 1 · < 0.1 MB · goes in 7 days" in [c.value for c in app.caption]
    app.button("corpus.open.1").click().run()
    assert app.session_state["corpus"] == "two"
    app.button("corpus.delete.0").click().run()
    assert app.session_state["corpus"] == "two"  # the other one was deleted
    assert list(own) == ["two"]


def test_a_damaged_upload_is_said_skipped_and_can_be_deleted(disk: Path, monkeypatch: pytest.MonkeyPatch):
    app = arriving(monkeypatch)
    me = app.session_state[frame.VISITOR]
    for name in ("torn", "whole"):
        keeping.Own(me)[name] = notes(name)
    for file in disk.rglob("corpus.jsonl"):
        if "torn" in (file.parent / "about.json").read_text("utf-8"):
            file.write_bytes(b"?" * file.stat().st_size)  # as long as it was: that shows when it is read
    again = restarted(monkeypatch, me.token, corpus="torn")
    assert again.session_state["corpus"] == "devices"
    assert "It is damaged and cannot be opened" in told(again)
    assert "whole (1)" in corpora(again)
    assert "torn (1)" not in corpora(again)
    assert str(disk) not in told(again)
    again.button("corpus.delete.0").click().run()
    assert "damaged" not in told(again)


def test_a_disk_that_takes_nothing_leaves_the_upload_in_memory_and_no_path_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").write_text("in the way", "utf-8")
    monkeypatch.setenv("LAB_UPLOADS_DIR", str(tmp_path / "file"))
    monkeypatch.setenv("LAB_PUBLIC", "1")
    app = pasted(arriving(monkeypatch), "The kiln fires on Tuesdays.")
    assert app.session_state["corpus"] == "Pasted text"
    assert any("The lab's disk does not take it" in t.value for t in app.toast)
    assert "goes with this visit" in told(app)
    assert str(tmp_path) not in told(app) + " ".join(t.value for t in app.toast)


def test_the_page_says_how_long_uploads_stay_by_the_settings(disk: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LAB_UPLOADS_DAYS", "2.5")
    assert "until 2.5 days after they were last used" in told(arriving(monkeypatch))
    monkeypatch.delenv("LAB_UPLOADS_DIR")
    monkeypatch.setenv("LAB_UPLOADS_MINUTES", "3")
    assert "until 3 minutes after the last tab is closed" in told(arriving(monkeypatch))


def test_an_upload_beyond_the_room_on_the_disk_is_refused_with_what_to_do(disk: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LAB_UPLOADS_MB", "0.5")
    monkeypatch.setattr(uploading, "_room", lambda _corpus: None)  # that in memory is another
    app = arriving(monkeypatch)
    next(a for a in app.text_area if a.key == "corpus.paste").set_value("word " * 60_000).run()
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    assert not app.exception
    assert any("given to one visitor" in e.value.replace("\\", "") for e in app.error)
    assert list(keeping.Own(app.session_state[frame.VISITOR])) == []
