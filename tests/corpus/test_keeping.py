"""Uploads on the disk: found again as they were, bounded in bytes and days, and no name ever becomes a path."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.algebra import Arrays, Corpus, Document, Query
from lab.corpus import beir, indexes
from lab.corpus.beir import Collection, collection, with_conversations
from lab.corpus.keeping import DAY, UploadFolder
from lab.errors import CorpusError, UploadError

NAMES = ["notes", "../../etc/passwd", "/", "a/b", "..", "", "con", "价目表", "a\x00b", "x" * 300, ".hidden", "a\nb"]


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def folder(home: Path, *, room: float = 1e9, days: float = 7.0) -> tuple[UploadFolder, Clock]:
    clock = Clock()
    return UploadFolder(home / "uploads", room, days, clock), clock


def notes(name: str = "notes", text: str = "The kiln fires on Tuesdays.") -> Collection:
    return Collection(Corpus(name, (Document("1", text),)))


def names(own: UploadFolder, token: str = "me") -> list[str]:
    return [one.name for one in own.of(token).kept() if one.sound]


metadata = st.dictionaries(
    st.text("abé 价\n\"'", min_size=1, max_size=3),
    st.text("ab\n价", max_size=3)
    | st.integers(-9, 9)
    | st.booleans()
    | st.floats(-1, 1)
    | st.lists(st.text(max_size=2)),
    max_size=3,
)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
documents = st.lists(st.tuples(texts, texts, metadata), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(NAMES), documents)
def test_what_was_kept_is_found_again_as_it_was_by_another_process(tmp_path: Path, name: str, drawn):
    made = tuple(Document(f"d/{i}", text, title, meta) for i, (text, title, meta) in enumerate(drawn))
    queries = (Query("how long?", id="q 1", metadata={"type": "x"}),)
    turns = [Query("and then?", id=f"t{i}", metadata={"conversation": "c", "turn": i}) for i in (1, 2)]
    kept = with_conversations(collection(Corpus(name, made), queries, {"q 1": {"d/0": 2}}), turns, {"t2": {"d/0": 1}})
    folder(tmp_path)[0].of("me").save(kept)
    found = folder(tmp_path)[0].of("me").load(name)
    assert found.corpus.name == name
    assert found.corpus.fingerprint == kept.corpus.fingerprint
    assert (found.queries, found.qrels, found.turn_qrels) == (kept.queries, kept.qrels, kept.turn_qrels)
    assert [[t.text for t in c] for c in found.conversations] == [["and then?"] * 2]


def test_no_name_and_no_token_becomes_part_of_a_path(tmp_path: Path):
    own, _clock = folder(tmp_path)
    for name in NAMES:
        own.of("secret-token").save(notes(name))
    assert sorted(names(own, "secret-token")) == sorted(NAMES)
    assert [entry.name for entry in tmp_path.iterdir()] == ["uploads"]
    told = "".join(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert not any(part in told for part in ("secret", "token", "etc", "notes", "价目表"))
    assert "secret" not in repr(own.of("secret-token"))
    for name in NAMES:
        own.of("secret-token").delete(name)
        own.of("secret-token").delete(name)  # and nothing more
    assert names(own, "secret-token") == []
    assert own.home.is_dir()


def test_others_see_nothing_and_delete_nothing(tmp_path: Path):
    own, _clock = folder(tmp_path)
    own.of("me").save(notes())
    assert own.of("somebody").kept() == ()
    own.of("somebody").delete("notes")
    with pytest.raises(CorpusError):
        own.of("somebody").load("notes")
    assert names(own) == ["notes"]


def test_a_visitor_gets_half_of_the_room_and_all_of_them_no_more_than_all(tmp_path: Path):
    own, _clock = folder(tmp_path, room=10_000)
    with pytest.raises(UploadError, match="the limit per visitor is"):
        own.of("me").save(notes("long", "x" * 5_000))
    for token in ("me", "you"):
        own.of(token).save(notes("own", "x" * 4_500))
    own.of("me").save(notes("own", "y" * 4_500))  # in the place of the one before: that makes room
    with pytest.raises(UploadError, match="Other visitors' uploads fill"):
        own.of("third").save(notes("own", "x" * 2_000))
    assert own.bytes < 10_000
    assert [names(own, token) for token in ("me", "you", "third")] == [["own"], ["own"], []]
    assert own.of("me").load("own").corpus.documents[0].text[0] == "y"


def test_an_upload_goes_some_days_after_its_last_use(tmp_path: Path):
    own, clock = folder(tmp_path, days=7)
    me = own.of("me")
    me.save(notes("used"))
    me.save(notes("left"))
    me.write_note("grades")
    clock.now += 6 * DAY
    assert own.sweep() == 0
    me.touch("used")
    clock.now += 2 * DAY
    assert names(own) == ["used"]  # also where nobody has swept
    assert own.sweep() == 1
    assert me.note()[1] == "grades"  # they are in use as long as a corpus is
    clock.now += 8 * DAY
    assert me.note() == ((), "")
    assert own.sweep() == 1
    assert not me.home.exists()


def test_sweeping_is_done_once_in_a_while_by_all_processes_together(tmp_path: Path):
    (one, clock), (other, other_clock) = folder(tmp_path), folder(tmp_path)
    one.of("me").save(notes())
    clock.now = other_clock.now = clock.now + 8 * DAY
    (one.of("me").home / ".halfway").mkdir()
    assert one.sweep(every=3600) == 1
    one.of("me").save(notes())
    clock.now = other_clock.now = clock.now + 8 * DAY
    assert one.sweep(every=9 * DAY) == other.sweep(every=9 * DAY) == 0
    assert other.sweep(every=3600) == 1


YEARS = 50 * 365 * DAY


def test_sweeping_goes_on_after_the_clock_was_once_wrong(tmp_path: Path):
    own, clock = folder(tmp_path)
    own.of("me").save(notes())
    clock.now += YEARS
    assert own.sweep(every=3600) == 1  # as if all had been away for years
    clock.now -= YEARS
    own.of("me").save(notes())
    for hours in (1, 100):
        clock.now += 3600 * hours
        assert own.sweep(every=3600) == 0
    clock.now += 7 * DAY
    assert own.sweep(every=3600) == 1
    assert own.sweep(every=3600) == 0


@pytest.mark.parametrize("ahead", [60.0, DAY, YEARS])
def test_a_date_of_the_last_sweep_that_lies_ahead_holds_nothing_up(tmp_path: Path, ahead: float):
    own, clock = folder(tmp_path)
    own.of("me").save(notes())
    clock.now += 8 * DAY
    (own.home / ".swept").touch()
    os.utime(own.home / ".swept", (clock.now + ahead,) * 2)
    assert own.sweep(every=3600) == 1


def test_what_was_kept_while_the_clock_was_ahead_goes_some_days_after_it_was_right_again(tmp_path: Path):
    own, clock = folder(tmp_path, days=7)
    me = own.of("me")
    clock.now += YEARS
    me.save(notes("left"))
    me.save(notes("used"))
    me.write_note("grades")
    (me.home / ".halfway").mkdir()
    os.utime(me.home / ".halfway", (clock.now, clock.now))
    clock.now -= YEARS
    assert own.sweep() == 0
    assert max(one.used for one in me.kept()) <= clock.now  # nothing is said to stay for years
    clock.now += 6 * DAY
    assert own.sweep() == 0
    assert not (me.home / ".halfway").exists()
    me.save(notes("left", "Later, and yet dated before."))
    assert me.load("left").corpus.documents[0].text == "Later, and yet dated before."
    os.utime(me.note_file, (clock.now + YEARS,) * 2)
    clock.now += 2 * DAY
    assert own.sweep() == 1  # "used", which nobody has used since
    assert names(own) == ["left"]
    clock.now += 7 * DAY
    assert own.sweep() == 1
    assert not me.home.exists()


def test_a_clock_that_is_behind_throws_nothing_away_when_it_is_right_again(tmp_path: Path):
    own, clock = folder(tmp_path)
    clock.now += YEARS
    own.of("me").save(notes())
    own.of("me").write_note("grades")
    clock.now -= YEARS  # a machine that has no battery begins at 1970
    for _ in range(3):
        clock.now += 3600
        assert own.sweep(every=3600) == 0
    clock.now += YEARS
    assert own.sweep(every=3600) == 0
    assert names(own) == ["notes"]
    assert own.of("me").note()[1] == "grades"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": "b"}', '{"a": 1e999}', "[" * 9999, "\x00"])
def test_a_damaged_note_about_the_last_sweep_hinders_no_sweep(tmp_path: Path, text: str):
    own, clock = folder(tmp_path)
    own.of("me").save(notes())
    (own.home / ".swept").write_text(text, "utf-8")
    os.utime(own.home / ".swept", (clock.now, clock.now))
    clock.now += 8 * DAY
    assert own.sweep(every=3600) == 1


def test_what_was_not_written_to_its_end_is_never_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    own, clock = folder(tmp_path)

    def broken(*_args: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "rename", broken)
    with pytest.raises(OSError, match="full"):
        own.of("me").save(notes())
    assert own.of("me").kept() == ()
    assert [*own.of("me").home.iterdir()] == []  # nothing of it is left
    left = own.of("me").home / ".0123456789abcdef"  # unless the process was ended
    left.mkdir()
    (left / "about.json").write_text("{}", "utf-8")
    assert own.of("me").kept() == ()
    clock.now += 1e11  # that folder has the machine's own date
    own.sweep()
    assert not left.exists()


class Killed(BaseException):
    """The process is ended, whatever it was about to do."""


def killed(*_args: object, **_named: object) -> None:
    raise Killed


@pytest.mark.parametrize(("before", "there"), [("_make_room", "old"), ("_remove_older", "new")])
def test_a_process_that_is_killed_while_it_replaces_an_upload_leaves_one_of_the_two_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, there: str
):
    own, clock = folder(tmp_path)
    own.of("me").save(notes("x", "old"))
    clock.now -= 1000  # and the clock went back meanwhile
    with monkeypatch.context() as end:
        end.setattr(f"lab.corpus.keeping.VisitorFolder.{before}", killed)
        with pytest.raises(Killed):
            own.of("me").save(notes("x", "new"))
    assert names(own) == ["x"]
    assert own.of("me").load("x").corpus.documents[0].text == there
    own.of("me").save(notes("x", "newest"))
    assert own.of("me").load("x").corpus.documents[0].text == "newest"
    assert len([*tmp_path.rglob("corpus.jsonl")]) == 1
    own.of("me").delete("x")
    assert names(own) == []


def test_an_upload_that_is_replaced_while_it_is_read_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    own, _clock = folder(tmp_path)
    own.of("me").save(notes("x", "old"))
    read, times = beir.load, iter(range(3))

    def slowly(home: Path) -> Collection:
        for i in times:
            own.of("me").save(notes("x", f"new {i}"))
            break
        return read(home)

    monkeypatch.setattr(beir, "load", slowly)
    assert own.of("me").load("x").corpus.documents[0].text == "new 2"


@pytest.mark.parametrize("damage", ["cut", "gone", "about", "other", "same length", "format"])
def test_a_damaged_folder_is_named_skipped_and_can_be_removed_and_tells_no_path(tmp_path: Path, damage: str):
    own, clock = folder(tmp_path)
    me = own.of("me")
    me.save(notes("good"))
    clock.now += 1
    me.save(notes("bad"))
    (home,) = (f.parent for f in me.home.rglob("about.json") if json.loads(f.read_text("utf-8"))["name"] == "bad")
    corpus, about = home / "corpus.jsonl", home / "about.json"
    if damage == "cut":
        corpus.write_bytes(corpus.read_bytes()[:-5])
    elif damage == "gone":
        corpus.unlink()
    elif damage == "about":
        about.write_text("{", "utf-8")
    elif damage == "other":
        about.write_text(about.read_text("utf-8").replace("bad", "good"), "utf-8")
    elif damage == "format":
        about.write_text(about.read_text("utf-8").replace('"format": 1', '"format": 2'), "utf-8")
    else:
        corpus.write_bytes(b"?" * corpus.stat().st_size)
    sound = [one.name for one in me.kept() if one.sound]
    assert sound == (["good", "bad"] if damage == "same length" else ["good"])  # that is found when it is read
    with pytest.raises(CorpusError) as raised:
        me.load("bad")
    assert str(tmp_path) not in f"{raised.value} {raised.value.message} {raised.value.remedy}"
    assert me.load("good").corpus.documents[0].id == "1"
    named = home.name if damage == "about" else "bad"
    if damage != "other":  # one that calls itself by another's name goes with that one's days
        me.delete(named)
        assert [one.name for one in me.kept()] == ["good"]


def test_two_visitors_who_turn_out_to_be_one_have_everything(tmp_path: Path):
    own, _clock = folder(tmp_path)
    own.of("first").save(notes("a"))
    own.of("second").save(notes("b"))
    own.of("second").write_note("grades")
    own.of("second").move(own.of("first"))
    assert sorted(names(own, "first")) == ["a", "b"]
    assert own.of("first").note()[1] == "grades"
    assert not own.of("second").home.exists()


# ------------------------------------------------------------------------------------------------ their indexes


def terms(*counts: int) -> Callable[[], Arrays]:
    return lambda: {"terms": np.array(counts)}


def never() -> Arrays:
    raise AssertionError("It lies on the disk.")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexes, "LARGE", 1)


@pytest.mark.usefixtures("small")
def test_the_index_of_an_upload_lies_beside_it_and_nobody_else_finds_it(tmp_path: Path):
    own, _clock = folder(tmp_path)
    for who in ("me", "you"):
        own.of(who).save(notes())
    own.of("me").load("notes").corpus.stored("terms", "1", terms(1))
    assert own.of("me").load("notes").corpus.stored("terms", "1", never)["terms"].tolist() == [1]
    made = own.of("you").load("notes").corpus.stored("terms", "1", terms(2))  # the very same text
    assert made["terms"].tolist() == [2]
    assert own.of("me").load("notes").corpus.stored("terms", "1", never)["terms"].tolist() == [1]
    own.of("me").save(notes("other"))
    assert own.of("me").load("other").corpus.stored("terms", "1", terms(3))["terms"].tolist() == [3]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("how", ["deleted", "written anew", "too old"])
def test_an_index_goes_with_its_upload(tmp_path: Path, how: str):
    own, clock = folder(tmp_path)
    own.of("me").save(notes())
    opened = own.of("me").load("notes").corpus
    opened.stored("terms", "1", terms(1))
    assert len([*tmp_path.rglob("terms.npy")]) == 1
    if how == "deleted":
        own.of("me").delete("notes")
    elif how == "written anew":
        own.of("me").save(notes(text="Something else."))
    else:
        clock.now += 8 * DAY
        own.sweep()
    assert [*tmp_path.rglob("terms.npy")] == []
    if how != "written anew":
        opened.stored("terms", "1", terms(1))  # by who still has it in memory: nothing comes back
        assert [*tmp_path.rglob("about.json")] == []


@pytest.mark.usefixtures("small")
def test_indexes_make_room_for_uploads_and_not_the_reverse(tmp_path: Path):
    own, _clock = folder(tmp_path, room=60_000)
    own.of("me").save(notes("one", "x" * 10_000))
    corpus = own.of("me").load("one").corpus
    corpus.stored("small", "1", terms(*range(1000)))
    corpus.stored("too large", "1", terms(*range(4000)))
    assert len([*tmp_path.rglob("terms.npy")]) == 1
    own.of("me").save(notes("two", "y" * 15_000))
    assert sorted(names(own)) == ["one", "two"]
    assert [*tmp_path.rglob("terms.npy")] == []
    with pytest.raises(UploadError):
        own.of("me").save(notes("three", "z" * 15_000))
