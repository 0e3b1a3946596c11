"""Formats as objects: what a plug-in brings, and what a reader that fails costs."""

from __future__ import annotations

import io
import logging
import tempfile
import time
import warnings
import zipfile
from pathlib import Path

import pytest
from making import changed, xlsx, zipped
from night import for_each

from lab import plugins
from lab.errors import PluginError
from lab.reading import formats, workbook
from lab.reading.format import Format, Sample
from lab.reading.read import read_file, read_files, read_folder

GOOD = ("good.txt", b"The printer shows E21.")


def twice(*members: tuple[str, str]) -> bytes:
    """An archive in which names occur again, as after appending."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")
        for name, text in members:
            archive.writestr(name, text)
    return out.getvalue()


@for_each(
    "members, texts",
    [
        ([("a.txt", "old"), ("a.txt", "new")], ["new"]),
        ([("b.txt", "b"), ("a.txt", "1"), ("a.txt", "2"), ("a.txt", "3")], ["3", "b"]),
        ([("d/a.txt", "old"), ("d\\a.txt", "new"), ("c.txt", "c")], ["c", "new"]),
    ],
)
def test_of_two_members_with_one_name_the_last_counts(members: list[tuple[str, str]], texts: list[str]) -> None:
    read = read_files([("a.zip", twice(*members)), GOOD])
    assert [d.text for d in read] == [*texts, "The printer shows E21."]
    assert {str(p.message) for p in read.problems} == {
        "The archive has several files with this name; only the last one was read."
    }


def fail(*_: object) -> None:
    raise RuntimeError("a bug")


@for_each("where", ["read", "looks_like", "layout"])
def test_a_reader_that_fails_takes_no_other_file_with_it(where: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        broken = Format("broken", ("bad",), fail) if where == "read" else Format("broken", ("bad",), fail, fail)
        if where == "looks_like":
            broken = Format("broken", ("bad",), fail, lambda s: fail() if s.ending == "bad" else False)  # type: ignore[func-returns-value]
        if where == "layout":
            broken = Format("broken", ("bad",), lambda r, d, c: setattr(r, "documents", None))
        patch.setattr(formats, "brought", lambda: (broken,))
        patch.setattr(logging.getLogger("retrieval_lab"), "disabled", True)
        for files in ([("x.bad", b"text"), GOOD], [("a.zip", zipped({"x.bad": b"text", GOOD[0]: GOOD[1]}))]):
            read = read_files(files)
            assert [d.text for d in read] == ["The printer shows E21."]
            (problem,) = read.problems
            assert "x.bad" in problem.file
            assert "x.bad" in problem.message
            assert problem.remedy


def test_a_failure_in_a_folder_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "x.bad").write_bytes(b"text")
    (tmp_path / GOOD[0]).write_bytes(GOOD[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "brought", lambda: (Format("broken", ("bad",), fail),))
        read = read_folder(tmp_path)
    assert len(read) == 1
    assert "x.bad" in caplog.text
    assert "a bug" in caplog.text


def test_a_plug_in_may_replace_a_format_and_take_what_is_refused_today() -> None:
    mail = b"From: a@b.org\nMIME-Version: 1.0\nSubject: Hello\n\nThe parcel is here.\n"
    assert read_files([("a.eml", mail)]).problems
    format = Format("mail", ("eml",), lambda r, d, _: r.add(r.decode(d).split("\n\n")[1], id=r.name))
    own_txt = Format("txt", ("txt",), lambda r, d, _: r.add("mine", id=r.name))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "brought", lambda: (format, own_txt))
        read = read_files([("a.eml", mail), GOOD])
        assert [d.text for d in read] == ["The parcel is here.", "mine"]
        assert "eml" in formats.extensions()


@for_each("source", ["FORMATS = 3", "FORMATS = [str]", "FORMATS = ({'name': 'x'},)"])
def test_formats_that_are_none_are_refused_in_words(source: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mine.py")
        path.write_text(source, "utf-8")
        loaded = plugins.load(str(path), dict, public=False)
    (problem,) = loaded.problems
    assert isinstance(problem, PluginError)
    assert "FORMATS of the plug-in mine.py is not a tuple of formats." in str(problem)


def test_every_format_has_a_name_and_endings_of_its_own() -> None:
    listed = formats.built_in()
    assert len({f.name for f in listed}) == len(listed)
    endings = [ending for f in listed for ending in f.endings]
    assert len(set(endings)) == len(endings)
    assert formats.named("txt").looks_like(Sample(b"a", "a", "txt", "txt")) is False


@for_each(
    "old, new",
    [("A2", "XFE2"), ("A2", "ZZZ2"), ('<row r="2"', '<row r="1048577"'), ('<row r="2"', '<row r="1000000000"')],
)
def test_a_cell_beyond_the_format_is_damage(old: str, new: str) -> None:
    data = changed(
        xlsx({"s": [["text"], ["a text"]]}),
        "xl/worksheets/sheet1.xml",
        lambda xml: xml.replace(old.encode(), new.encode()),
    )
    begin = time.process_time()
    read = read_files([("a.xlsx", data), GOOD])
    assert time.process_time() - begin < 2
    assert [d.text for d in read] == ["The printer shows E21."]
    assert "damaged" in read.problems[0].message
    assert workbook._MOST_ROWS == 2**20


def test_the_last_row_of_the_format_is_read() -> None:
    data = changed(
        xlsx({"s": [["text"], ["a text"]]}),
        "xl/worksheets/sheet1.xml",
        lambda xml: xml.replace(b'<row r="2"', b'<row r="1048576"').replace(b'"A2"', b'"A1048576"'),
    )
    assert [d.text for d in read_file("a.xlsx", data)] == ["a text"]
