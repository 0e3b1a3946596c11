"""Uploads with ``LAB_UPLOADS_DIR``: over a restart, in a list of one's own, never seen by others."""

from __future__ import annotations

import errno
import threading
from functools import partial
from pathlib import Path

import pytest
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from lab.evaluate.judging import Judgments
from lab.ui import cache
from lab.ui.documents import uploading
from lab.ui.layout import frame
from lab.ui.people import keeping
from lab.ui.people.visitor import Visitor, Visitors, is_local
from ui.test_memory import arriving, corpora, notes, warned

ROOT = Path(__file__).parents[2]
TOKEN = "t" * 43


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
    keeping.change(me, lambda judgments: judgments.given("when?", corpus.documents[0], 2))
    again = restarted(monkeypatch, me.token, corpus="Pasted text")
    assert again.session_state[frame.VISITOR] is not me
    assert again.session_state["corpus"] == "Pasted text"
    assert "Pasted text · 2" in corpora(again)
    assert warned(again) == ""
    other = again.session_state[frame.VISITOR]
    assert [j.question for j in keeping.judgments(other).history] == ["when?"]
    assert "7 days after they were last used" in told(again)
    assert "minutes after the last tab" not in told(again)

    stranger = arriving(monkeypatch, "s" * 43, corpus="Pasted text")
    assert "Pasted text" not in "".join(corpora(stranger))
    assert stranger.session_state["corpus"] == "staff"
    assert "which only its uploader can see" in warned(stranger)
    assert "Your uploads" not in [s.value for s in stranger.subheader]

    again.button("corpus.delete.0").click().run()
    assert "Pasted text" not in "".join(corpora(again))
    assert not [*disk.rglob("corpus.jsonl")]
    gone = restarted(monkeypatch, me.token)
    assert "7 days after they were last used" in warned(gone)


def test_grades_that_another_process_has_taken_are_seen_by_this_one(disk: Path):
    one, other = Visitor("t" * 43), Visitor("t" * 43)
    document = notes().corpus.documents[0]
    keeping.change(one, lambda judgments: judgments.given("a?", document, 1))
    keeping.change(other, lambda judgments: judgments.given("b?", document, 2))
    assert [j.question for j in keeping.judgments(one).history] == ["a?", "b?"]
    (written,) = disk.rglob("note.txt")
    written.write_text("nonsense", "utf-8")
    assert keeping.judgments(Visitor("t" * 43)).history == ()  # and no error


def test_the_list_opens_and_deletes_each_upload(disk: Path, monkeypatch: pytest.MonkeyPatch):
    app = arriving(monkeypatch)
    own = keeping.OwnCorpora(app.session_state[frame.VISITOR])
    for name in ("one", "two"):
        own[name] = notes(name)
    app.run()
    assert [t.value for t in app.text] == ["one", "two"]
    assert "passages: 1 · < 0.1 MB · deleted in 7 days" in [c.value for c in app.caption]
    app.button("corpus.open.1").click().run()
    assert app.session_state["corpus"] == "two"
    app.button("corpus.delete.0").click().run()
    assert app.session_state["corpus"] == "two"  # the other one was deleted
    assert list(own) == ["two"]


def test_a_damaged_upload_is_said_skipped_and_can_be_deleted(disk: Path, monkeypatch: pytest.MonkeyPatch):
    app = arriving(monkeypatch)
    me = app.session_state[frame.VISITOR]
    for name in ("torn", "whole"):
        keeping.OwnCorpora(me)[name] = notes(name)
    for file in disk.rglob("corpus.jsonl"):
        if "torn" in (file.parent / "about.json").read_text("utf-8"):
            file.write_bytes(b"?" * file.stat().st_size)  # as long as it was: that shows when it is read
    again = restarted(monkeypatch, me.token, corpus="torn")
    assert again.session_state["corpus"] == "staff"
    assert "it cannot be opened" in told(again)
    assert "whole · 1" in corpora(again)
    assert "torn · 1" not in corpora(again)
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
    assert any("The lab's disk cannot store it" in t.value for t in app.toast)
    assert "deleted when you leave" in told(app)
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
    assert any("the limit per visitor is" in e.value.replace("\\", "") for e in app.error)
    assert list(keeping.OwnCorpora(app.session_state[frame.VISITOR])) == []


# ------------------------------------------------------------------------------------------------ several processes


def larger(name: str, passages: int) -> Collection:
    return Collection(Corpus(name, tuple(Document(str(i), f"Passage {i}.") for i in range(passages))))


def test_an_upload_that_another_process_has_replaced_is_read_again(disk: Path):
    """Each `Own` with a visitor of its own stands for a process."""
    a, b = keeping.OwnCorpora(Visitor(TOKEN)), keeping.OwnCorpora(Visitor(TOKEN))
    a["x"] = larger("x", 5)
    assert len(b["x"].corpus) == 5
    b["x"] = larger("x", 7)
    assert len(a["x"].corpus) == len(b["x"].corpus) == 7
    assert [one.passages for one in a.listed()] == [7]
    assert a["x"] is a["x"], "and only once"
    del b["x"]
    a.in_memory("y", larger("y", 1))
    assert list(a) == ["y"]
    b["x"] = larger("x", 7)  # the same text again, in another folder
    assert len(a["x"].corpus) == 7
    assert a["x"].corpus.keeper.home == b["x"].corpus.keeper.home, "its indexes are beside it"


def test_an_upload_that_was_damaged_can_be_opened_when_another_process_has_replaced_it(disk: Path):
    a, b = keeping.OwnCorpora(Visitor(TOKEN)), keeping.OwnCorpora(Visitor(TOKEN))
    b["x"] = larger("x", 5)
    (file,) = disk.rglob("corpus.jsonl")
    file.write_bytes(file.read_bytes().replace(b"Passage", b"Postage"))
    assert "x" in a  # nobody has looked yet
    assert a.get("x") is None
    assert "x" not in a
    assert "damaged" in str(a.damage("x"))
    b["x"] = larger("x", 6)
    assert len(a["x"].corpus) == 6
    assert a.damage("x") is None


def test_the_grades_of_two_visitors_who_turn_out_to_be_one_are_joined(disk: Path, monkeypatch: pytest.MonkeyPatch):
    document = notes().corpus.documents[0]
    for folder in (str(disk), ""):
        monkeypatch.setenv("LAB_UPLOADS_DIR", folder)
        one, other = Visitor("1" * 43), Visitor("2" * 43)
        keeping.change(one, lambda judgments: judgments.given("a?", document, 1))
        keeping.change(other, lambda judgments: judgments.given("b?", document, 2))
        keeping.same(one, other)
        assert [j.question for j in keeping.judgments(one).history] == ["a?", "b?"]
        if folder:
            assert [j.question for j in keeping.judgments(Visitor("1" * 43)).history] == ["a?", "b?"]
            assert keeping.judgments(Visitor("2" * 43)).history == ()


# --------------------------------------------------------------------------------- a disk that is full or read-only


def refusing(*_args: object, **_named: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def judging_page(monkeypatch: pytest.MonkeyPatch, lang: str = "en") -> AppTest:
    app = arriving(monkeypatch, TOKEN, corpus="devices", lang=lang, q="battery empty in the morning")
    app.switch_page("pages/whole/judge/page.py").run()
    assert not app.exception
    return app


def test_grades_that_a_full_disk_does_not_take_are_kept_for_the_visit_and_that_is_said(
    disk: Path, monkeypatch: pytest.MonkeyPatch
):
    app = judging_page(monkeypatch)
    me, documents = app.session_state[frame.VISITOR], larger("x", 3).corpus.documents
    keeping.change(me, lambda judgments: judgments.given("first?", documents[0], 1))
    assert "disk" not in warned(app.run())
    with monkeypatch.context() as full:
        full.setattr("lab.corpus.disk.write_whole", refusing)
        for document in documents[1:]:
            keeping.change(me, partial(Judgments.given, question="full?", document=document, grade=2))
        assert "The lab's disk cannot be written: your latest grades are kept for this visit only" in warned(app.run())
        assert len(keeping.judgments(me)) == 3
        assert len(keeping.judgments(Visitor(TOKEN))) == 1  # as another process knows them
        keeping.change(me, partial(Judgments.without, rater=""))
        assert "cannot be written" in warned(app.run()), "what was forgotten is still there"
        keeping.change(me, partial(Judgments.given, question="full?", document=documents[2], grade=2))
    other = Visitor(TOKEN)
    keeping.change(other, lambda judgments: judgments.given("other?", documents[0], 3, "other"))
    assert [j.question for j in keeping.judgments(me).history] == ["other?", "full?"], "done again to what is there now"
    keeping.change(me, lambda judgments: judgments.given("last?", documents[0], 1))
    assert "cannot be written" not in warned(app.run())
    assert [j.question for j in keeping.judgments(Visitor(TOKEN)).history] == ["other?", "full?", "last?"]


def test_a_disk_that_can_only_be_read_is_told_while_judging_in_both_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").write_text("in the way", "utf-8")
    monkeypatch.setenv("LAB_UPLOADS_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(cache, "VISITORS", Visitors())
    app = judging_page(monkeypatch, "zh")
    me = app.session_state[frame.VISITOR]
    keeping.change(me, lambda judgments: judgments.given("何时？", notes().corpus.documents[0], 1))
    assert "服务器磁盘无法写入" in warned(app.run())
    assert len(keeping.judgments(me)) == 1
    assert str(tmp_path) not in told(app)


@pytest.mark.parametrize("where", ["rename", "files"])
def test_an_upload_that_the_disk_does_not_let_go_is_said_to_be_still_there(
    disk: Path, monkeypatch: pytest.MonkeyPatch, where: str
):
    app = arriving(monkeypatch)
    own = keeping.OwnCorpora(app.session_state[frame.VISITOR])
    own["mine"] = notes("mine")
    app.run()
    with monkeypatch.context() as read_only:
        if where == "rename":
            read_only.setattr(Path, "rename", refusing)
        read_only.setattr("shutil.rmtree", lambda *_args, **_named: None)  # it lets every file go by
        app.button("corpus.delete.0").click().run()
        assert not app.exception
        assert "“mine” could not be deleted because the lab's disk is not writable" in told(app)
        assert str(disk) not in told(app)
        assert [*disk.rglob("corpus.jsonl")]
    assert "mine" in own
    app.button("corpus.delete.0").click().run()
    assert "could not be deleted" not in told(app)
    assert not [*disk.rglob("corpus.jsonl")]


# ------------------------------------------------------------------------------------- grades that cannot be used


def test_unreadable_grades_are_deleted_by_a_click_and_the_others_stay(disk: Path, monkeypatch: pytest.MonkeyPatch):
    keeping.change(Visitor(TOKEN), lambda judgments: judgments.given("when?", notes().corpus.documents[0], 1))
    (file,) = disk.rglob("note.txt")
    file.write_bytes(b"\xff\n" + file.read_bytes() + b'{"question": 3}\n')
    app = arriving(monkeypatch, TOKEN)
    assert "Saved grades that cannot be read: 2 (first: line 1)" in warned(app)
    assert "cannot be read: 2" in warned(app.run()), "as long as they are there"
    app.button("grades.unreadable").click().run()
    assert warned(app) == ""
    assert [j.question for j in Judgments.from_jsonl(file.read_text("utf-8")).history] == ["when?"]


def test_saved_grades_that_the_disk_does_not_give_are_said_and_never_overwritten(
    disk: Path, monkeypatch: pytest.MonkeyPatch
):
    document = notes().corpus.documents[0]
    keeping.change(Visitor(TOKEN), lambda judgments: judgments.given("when?", document, 1))
    with monkeypatch.context() as torn:
        torn.setattr("lab.corpus.disk.read_text", refusing)
        app = arriving(monkeypatch, TOKEN)
        assert "The lab's disk cannot be read: your saved grades are left out" in warned(app)
        me = app.session_state[frame.VISITOR]
        keeping.change(me, lambda judgments: judgments.given("later?", document, 2))
        assert [j.question for j in keeping.judgments(me).history] == ["later?"]
        assert "your latest grades are kept for this visit only" in warned(app.run())
    app.run()
    assert [j.question for j in keeping.judgments(me).history] == ["when?", "later?"]
    keeping.change(me, lambda judgments: judgments.given("last?", document, 3))
    assert warned(app.run()) == ""
    assert [j.question for j in keeping.judgments(Visitor(TOKEN)).history] == ["when?", "later?", "last?"]


def test_grades_that_no_corpus_can_place_cost_no_page(disk: Path, monkeypatch: pytest.MonkeyPatch):
    keeping.change(Visitor(TOKEN), lambda judgments: judgments.given("when?", notes().corpus.documents[0], 1))
    (file,) = disk.rglob("note.txt")
    before = file.read_bytes()
    monkeypatch.setattr(frame, "with_judgments", lambda *_args: 1 / 0)  # whatever may be wrong with them
    app = arriving(monkeypatch, TOKEN)
    assert "Saved grades that cannot be used: 1. They are left out." in warned(app)
    for page in ("whole/judge", "retrieve/compare", "start/home"):
        app.switch_page(f"pages/{page}/page.py").run()
        assert not app.exception
    assert file.read_bytes() == before


@pytest.mark.parametrize(("n", "said"), [("1", "until 1 minute after"), ("2", "until 2 minutes after")])
def test_uploads_are_kept_for_one_minute_or_for_several(monkeypatch: pytest.MonkeyPatch, n: str, said: str) -> None:
    monkeypatch.setattr(keeping, "is_users_own", lambda: False)
    monkeypatch.setattr(keeping, "folder", lambda: None)
    monkeypatch.setenv("LAB_UPLOADS_MINUTES", n)
    assert said in keeping.retention_text()


@pytest.mark.parametrize("named", ["", "kept"])
def test_checks_without_a_browser_do_not_fill_the_log(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """They run in a thread of their own, four times a minute."""
    monkeypatch.setenv("LAB_KEEP", "1")
    monkeypatch.setenv("LAB_UPLOADS_DIR", str(tmp_path / named) if named else "")
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_a, **_k: tmp_path)
    told: list[str] = []
    monkeypatch.setattr(script_run_context._LOGGER, "warning", lambda text, *_args: told.append(text))
    for check in (keeping.sweep, keeping.days, keeping.is_users_own, is_local):
        thread = threading.Thread(target=check, name="visitors")
        thread.start()
        thread.join()
    assert told == []


@pytest.mark.parametrize(
    ("page", "lang"), [(p, lang) for p in ("start/corpus", "whole/judge") for lang in ("en", "zh")]
)
def test_the_guides_say_that_a_lab_of_ones_own_keeps_what_it_is_given(page: str, lang: str):
    guide = (ROOT / f"pages/{page}/guide.{lang}.md").read_text("utf-8")
    (line,) = [line for line in guide.splitlines() if {"en": "few minutes after", "zh": "几分钟后删除"}[lang] in line]
    before = line.partition({"en": "few minutes after", "zh": "几分钟后删除"}[lang])[0]
    assert {"en": "until you delete them", "zh": "直到你删除"}[lang] in before
