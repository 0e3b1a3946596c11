"""What a file says is in the corpus, or it is named: counted apart from the reader, in every format."""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import openpyxl
import pytest
from making import docx, jsonl, pdf, xlsx, zipped
from night import NIGHT, for_each

from lab.corpus import beir
from lab.reading import formats
from lab.reading.account import Account
from lab.reading.format import Format
from lab.reading.read import ReadResult, read_file, read_files

COLLECTIONS = Path(os.environ.get("LAB_COLLECTIONS", "/nowhere"))
Rows = list[dict[str, str]]


def account(result: ReadResult) -> Account:
    (file,) = result.files
    assert file.account is not None
    return file.account


def law(found: Account) -> None:
    """Every character is somewhere."""
    assert found.said == found.searched + found.fields + sum(place.characters for place in found.places)
    assert min(found.searched, found.fields) >= 0
    assert all(place.characters > 0 for place in found.places)


def missing(result: ReadResult) -> dict[str, int]:
    law(account(result))
    return {place.name: place.characters for place in account(result).missing}


# ------------------------------------------------------------------------------------------------ drawn files


def word(rng: Random) -> str:
    chinese = rng.random() < 0.3
    letters = "电池充路由器重置打印机卡纸请假报销审批流程设备检查仓库窑炉釉陶泥" if chinese else "bcdfghklmnprstvw"
    return "".join(rng.choices(letters, k=rng.randint(2, 4) if chinese else rng.randint(5, 9)))


def sentence(rng: Random, low: int = 6, high: int = 14) -> str:
    return " ".join(word(rng) for _ in range(rng.randint(low, high))) + "."


def drawn_rows(rng: Random) -> Rows:
    return [
        {
            "id": f"d{i}",
            "title": sentence(rng, 2, 3),
            "text": sentence(rng),
            "place": word(rng),
            "count": str(i * 7 + 3),
        }
        for i in range(rng.randint(3, 12))
    ]


def as_table(rows: Rows, delimiter: str = ",") -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def as_xlsx(rows: Rows) -> bytes:
    return xlsx({"s": [list(rows[0]), *([int(v) if v.isdecimal() else v for v in row.values()] for row in rows)]})


def as_markdown(rows: Rows) -> bytes:
    return "\n".join(
        f"## {r['title']}\n\n{r['text']} **{r['place']}**, [{r['id']}](https://e.org)\n" for r in rows
    ).encode()


def as_html(rows: Rows) -> bytes:
    body = "".join(f"<h2>{r['title']}</h2><p>{r['text']} <b>{r['place']}</b></p><li>{r['id']}</li>" for r in rows)
    return f"<html><head><title>Log</title><script>var hidden = 1</script></head><body>{body}</body></html>".encode()


def as_xml(rows: Rows) -> bytes:
    items = "".join("<item>" + "".join(f"<{k}>{v}</{k}>" for k, v in row.items()) + "</item>" for row in rows)
    return f"<?xml version='1.0'?><rss><channel>{items}</channel></rss>".encode()


def as_docx(rows: Rows) -> bytes:
    return docx(*(text for r in rows for text in (f"# {r['title']}", r["text"], r["place"])))


def as_pdf(rows: Rows) -> bytes:
    return pdf(*(" ".join(filter(str.isascii, r["text"].split())) or "blank" for r in rows))


WRITERS: dict[str, Callable[[Rows], bytes]] = {
    "a.csv": as_table,
    "a.tsv": lambda rows: as_table(rows, "\t"),
    "a.xlsx": as_xlsx,
    "a.json": lambda rows: json.dumps({"data": rows}, ensure_ascii=False).encode(),
    "a.jsonl": lambda rows: jsonl(*rows),
    "corpus.jsonl": lambda rows: jsonl(*({"_id": r["id"], "title": r["title"], "text": r["text"]} for r in rows)),
    "a.txt": lambda rows: "\n\n".join(r["text"] for r in rows).encode(),
    "a.md": as_markdown,
    "a.html": as_html,
    "a.xml": as_xml,
    "a.docx": as_docx,
    "a.pdf": as_pdf,
    "a.ipynb": lambda rows: json.dumps(
        {"nbformat": 4, "cells": [{"cell_type": "markdown", "source": [as_markdown(rows).decode()]}]}
    ).encode(),
}


@for_each("name", list(WRITERS))
def test_nothing_of_a_drawn_file_is_missing(name: str) -> None:
    for seed in range(780 if NIGHT else 15):
        rows = drawn_rows(Random(seed))
        read = read_files([(name, WRITERS[name](rows))])
        assert missing(read) == {}, seed
        texts = sum(len("".join(r["text"].split())) for r in rows)
        assert name == "a.pdf" or account(read).said >= texts


@for_each("name", list(WRITERS))
def test_a_reader_that_drops_something_is_caught(name: str) -> None:
    """The faulty specimens: a document less, a sentence less, a title less, a field less."""
    format = next(f for f in formats.built_in() if name.split(".")[-1] in f.endings)
    for seed in range(96 if NIGHT else 2):
        rows = drawn_rows(Random(seed))
        data = WRITERS[name](rows)
        for drop in (_drop_document, _drop_words, _drop_titles, _drop_field):
            whole = read_files([(name, data)])
            if not _changes(drop, whole):
                continue
            with pytest.MonkeyPatch.context() as patch:
                _break(patch, format, drop)
                lost = missing(read_files([(name, data)]))
            assert sum(lost.values()) > 3, (drop, seed)


def _drop_document(documents: list) -> None:
    del documents[len(documents) // 2]


def _drop_words(documents: list) -> None:
    d = documents[0]
    object.__setattr__(d, "text", " ".join(d.text.split()[2:]) or "x")


def _drop_titles(documents: list) -> None:
    for d in documents:
        object.__setattr__(d, "title", "")


def _drop_field(documents: list) -> None:
    for d in documents:
        object.__setattr__(d, "metadata", {k: v for k, v in d.metadata.items() if k != "place"})


def _changes(drop: Callable[[list], None], whole: ReadResult) -> bool:
    """Whether there is something to drop that is written in the file."""
    if drop is _drop_document:
        return len(whole) > 2
    if drop is _drop_titles:
        return len(whole) > 2 and len({d.title for d in whole} - {"", "a"}) == len(whole)
    if drop is _drop_field:
        return all("place" in d.metadata for d in whole)
    return len(whole.documents[0].text.split()) > 5


def _break(patch: pytest.MonkeyPatch, format: Format, drop: Callable[[list], None]) -> None:
    def read(reading, data, columns):
        format.read(reading, data, columns)
        drop(reading.documents)

    def add_corpus(reading, data, real=beir.reading.add_corpus):
        real(reading, data)
        drop(reading.documents)

    faulty = Format(format.name, format.endings, read, format.looks_like, format.is_text, format.statements)
    patch.setattr(formats, "built_in", lambda: (faulty,))
    patch.setattr(beir.reading, "add_corpus", add_corpus)


# ------------------------------------------------------------------------------------------------ what is named

LONG = "Exchange the filter of pump {n}, close both valves, and write the time into the log of the station. "


def test_a_column_in_no_passage_is_named_with_its_size_and_the_click_takes_it_in() -> None:
    rows = [{"id": f"t{n}", "problem": f"Pump {n} is loud today.", "solution": LONG.format(n=n) * 3} for n in range(5)]
    data = as_table(rows)
    read = read_file("tickets.csv", data)
    chosen = read.tables[0].guess
    lost = next(name for name in ("problem", "solution") if name != chosen.text)
    without = read_file("tickets.csv", data, columns=replace(chosen, metadata=()))
    (remark,) = [str(r) for r in without.remarks]
    assert f"Column “{lost}”" in remark
    assert "in 5 rows" in remark or "in 6 rows" in remark
    assert "Choose it as the text" in remark
    assert missing(read_file("tickets.csv", data, columns=replace(chosen, metadata=(lost,)))) == {}


TWO_ROWS = (
    "<a><intro>second lost part</intro><row><name>n1</name><text>first one here</text></row>"
    "<row><name>n2</name><text>first two here</text></row></a>"
)


@for_each(
    "name, data, place",
    [
        ("a.csv", b'id,text\n1,two words here\n2,"unclosed text of the row\n3,more words\n', "text"),
        ("x.xml", b"<?xml version='1.0'?>" + TWO_ROWS.encode(), "intro"),
        ("c/corpus.jsonl", b'{"_id": "1", "text": "ten days", "note": "never read at all"}\n', "note"),
    ],
)
def test_what_a_reader_leaves_out_is_named_by_its_place(name: str, data: bytes, place: str) -> None:
    read = read_files([(name, data)])
    law(account(read))
    assert missing(read) == {} or place in missing(read)
    if name != "a.csv":
        assert place in missing(read)


def test_hidden_text_frames_and_outputs_are_left_out_with_their_count() -> None:
    page = b"<html><title>T</title><body><nav>Home Imprint</nav><p hidden>secret</p><p>The pier is closed.</p></body>"
    found = account(read_file("a.html", page))
    law(found)
    assert {(p.kind, p.characters) for p in found.left_out} == {("frame", 11), ("hidden", 6)}
    assert found.missing == ()
    book = {"nbformat": 4, "cells": [{"cell_type": "code", "source": ["print(1)"], "outputs": [{"text": ["one two"]}]}]}
    found = account(read_file("a.ipynb", json.dumps(book).encode()))
    assert [(p.name, p.characters) for p in found.left_out] == [("Outputs of cells", 6)]
    read = read_files([("a.html", page), ("b.html", page)])
    assert "Frame of the pages, left out. Characters: 22, files: 2." in map(str, read.remarks)


def test_every_file_of_an_archive_has_its_account() -> None:
    read = read_files([("a.zip", zipped({"a.txt": "one two", "b.csv": "id,text\n1,three words here\n"}))])
    assert [(f.file, f.account.said) for f in read.files if f.account] == [("a.zip/a.txt", 6), ("a.zip/b.csv", 21)]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_a_later_one_of_the_same_name_replaces_is_counted() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, text in (
            ("a.txt", "one two"),
            ("b.csv", "id,text\n1,three words"),
            ("a.txt", "new"),
            ("b.csv", "text\nx"),
        ):
            file.writestr(name, text)
    read = read_files([("a.zip", stream.getvalue())])
    counted = [(f.file, f.account.said, f.account.searched) for f in read.files if f.account]
    assert counted[2:] == [("a.zip/a.txt", 6, 0), ("a.zip/b.csv", 17, 0)]
    remark = "Replaced by a later file of the same name, left out. Characters: 23, files: 2."
    assert remark in map(str, read.remarks)
    assert [d.text for d in read] == ["new", "x"]


def test_a_counter_that_fails_costs_no_file(caplog: pytest.LogCaptureFixture) -> None:
    def fail(reading: object, data: bytes) -> list[object]:
        raise RuntimeError("cannot count")

    with pytest.MonkeyPatch.context() as patch:
        text = formats.named("txt")
        patch.setattr(formats, "brought", lambda: (Format("own", ("own",), text.read, statements=fail),))  # type: ignore[arg-type]
        (file,) = read_files([("a.own", b"a text")]).files
    assert file.account is None
    assert "not counted" in str(file.text)
    assert "cannot count" in caplog.text


def test_a_counter_that_finds_nothing_in_a_file_with_texts_says_that_it_was_not_counted() -> None:
    (file,) = read_files([("a.jsonl", b'{"text": "one two", "number": ' + b"9" * 5000 + b"}\n")]).files
    assert file.account is None
    assert "not counted" in str(file.text)


def test_the_command_line_names_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text("<?xml version='1.0'?>" + TWO_ROWS)
    assert any("Element “intro”: 14 characters" in str(problem) for problem in beir.load(tmp_path / "x.xml").problems)
    line = b'{"_id": "1", "text": "ten days", "note": "never read"}\n'
    for file in ("corpus.jsonl", "mine/corpus.jsonl"):
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(line)
    for place in (tmp_path / "corpus.jsonl", tmp_path / "mine"):
        (problem,) = beir.load(place).problems
        assert "Field “note”: 9 characters in 1 value" in problem


@pytest.mark.skipif(not COLLECTIONS.is_dir(), reason="the collections are not here")
def test_the_law_holds_on_the_cases_and_the_collections() -> None:
    for home in (COLLECTIONS.parent / "cases", COLLECTIONS):
        for folder in sorted(path for path in home.iterdir() if path.is_dir()):
            files = [(p.relative_to(folder).as_posix(), p) for p in sorted(folder.rglob("*")) if p.is_file()]
            data = [(name, path.read_bytes()) for name, path in files if path.stat().st_size < 25_000_000]
            for file in read_files(data).files:
                if file.account is not None:
                    law(file.account)


# ------------------------------------------------------------------------------------------------ taken in


def commented(*lines: str) -> bytes:
    def change(document: Any) -> None:
        for line in lines:
            paragraph = document.add_paragraph("The slipway is repaired in May.")
            document.add_comment(paragraph.runs, text=line, author="A", initials="A")

    return docx("The harbour opens at six.", change=change)


def hiding_docx(*lines: str) -> bytes:
    def change(document: Any) -> None:
        for line in lines:
            document.add_paragraph("Seen. ").add_run(line).font.hidden = True

    return docx("The harbour opens at six.", change=change)


def hiding_xlsx(hide: Callable[[Any], None]) -> bytes:
    book = openpyxl.Workbook()
    for row in (["id", "text", "remark"], ["a", "The pier is closed today.", "secret"], ["b", "secret", "x"]):
        book.active.append(row)
    hide(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _hidden_sheet(book: Any) -> None:
    sheet = book.create_sheet("more")
    for row in (["id", "text"], ["c", "secret of the sheet"]):
        sheet.append(row)
    sheet.sheet_state = "hidden"


def _hidden_row(book: Any) -> None:
    book.active.row_dimensions[3].hidden = True


def _hidden_column(book: Any) -> None:
    book.active.column_dimensions["C"].hidden = True


def book_of(*outputs: dict[str, Any]) -> bytes:
    cells = [{"cell_type": "code", "source": ["print(1)"], "outputs": list(outputs)}]
    return json.dumps({"nbformat": 4, "cells": cells}).encode()


SEEN = b"<p>The pier is closed today.</p>"


@for_each(
    "name, data, kind, place",
    [
        ("a.html", SEEN + b"<p hidden>secret words</p>", "hidden", "Hidden text"),
        ("a.html", SEEN + b"<div style='display: none'><ul><li>secret</li></ul></div>", "hidden", "Hidden text"),
        ("a.html", SEEN + b"<p>so <span style='visibility:hidden'>secret</span> on</p>", "hidden", "Hidden text"),
        ("a.html", b"<html><body>" + SEEN + b"<!-- the secret\nplan --></body></html>", "comments", "Comments"),
        ("a.html", b"<table><tr><td>pier<!--secret--></td></tr></table>", "comments", "Comments"),
        ("a.docx", hiding_docx("secret"), "hidden", "Hidden text"),
        ("a.docx", hiding_docx("the secret", "more of it"), "hidden", "Hidden text"),
        ("a.docx", commented("secret"), "comments", "Comments"),
        ("a.docx", commented("secret plan", "who knows"), "comments", "Comments"),
        ("a.md", b"# Pier\n\nIt is closed.\n\n<!-- secret\n\nwords -->\n\nMore.\n", "comments", "Comments"),
        ("a.md", b"It is closed <!-- secret --> today.\n", "comments", "Comments"),
        ("a.md", b"It is closed %%secret%% today.\n\n%%\nsecret lines\n\nof two\n%%\n", "comments", "Comments"),
        ("a.xlsx", hiding_xlsx(_hidden_sheet), "hidden", "Hidden sheets"),
        ("a.xlsx", hiding_xlsx(_hidden_row), "hidden", "Hidden rows and columns"),
        ("a.xlsx", hiding_xlsx(_hidden_column), "hidden", "Hidden rows and columns"),
        ("a.ipynb", book_of({"text": ["secret\n", "words"]}), "outputs", "Outputs of cells"),
        ("a.ipynb", book_of({"data": {"text/plain": "secret"}}, {"text": "```\nmore"}), "outputs", "Outputs of cells"),
        ("a.vtt", b"WEBVTT\n\nNOTE secret words\n\n00:01.000 --> 00:02.000\nThe pier.\n", "comments", "Comments"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_taken_in_on_demand(name: str, data: bytes, kind: str, place: str) -> None:
    def all_of(result: ReadResult) -> str:
        return " ".join(str(part) for d in result for part in (d.title, d.text, *d.metadata.values()))

    without, other = read_file(name, data), {"hidden": "comments", "comments": "outputs", "outputs": "hidden"}[kind]
    assert [(p.name, p.way_in) for p in account(without).left_out] == [(place, kind)]
    again = read_file(name, data, take_in={name: frozenset([other]), "b.txt": frozenset([kind])})
    assert again.documents == without.documents
    for chosen in ({name: frozenset([kind])}, {"": frozenset([kind, other])}):
        taken = read_files([(name, data)], take_in=chosen)
        law(account(taken))
        assert account(taken).places == ()
        assert account(taken).said == account(without).said
        assert all_of(taken).count("secret") > all_of(without).count("secret")


def test_code_that_looks_like_a_comment_stays_as_it_is() -> None:
    data = b"Text.\n\n```html\n<!-- shown -->\n```\n\nAnd `<!-- this -->` too.\n"
    read = [read_file("a.md", data, take_in={"": frozenset(kinds)}).documents for kinds in ([], ["comments"])]
    assert read[0] == read[1]
    page = b"<html><body><p>Seen.</p><!--[if IE]><p>old</p><![endif]--><script><!-- no words --></script></body></html>"
    assert read_file("a.html", page, take_in={"": frozenset(["comments"])}).documents[0].text == "Seen."


# ------------------------------------------------------------------------------------------------ numbers and codes

RECORDS = [{"id": f"r{n}", "text": f"The pier of harbour number {n} is closed."} for n in range(3)]


@for_each(
    "envelope, sentence",
    [
        ({"took": 3}, "1 value, 1 character."),
        ({"took": 31, "status": "ok"}, "2 values, 4 characters."),
        ({"took": 31, "type": "message", "version": "v2.0"}, "3 values, 12 characters."),
        ({"hash": "0be1f57ad31c", "next": "https://e.org/2", "total": 12}, None),
    ],
)
def test_numbers_and_codes_beside_the_records_are_one_sentence(envelope: dict[str, object], sentence: str) -> None:
    note = "Whoever reads this needs a key."
    found = account(read_file("a.json", json.dumps({**envelope, "note": note, "items": RECORDS}).encode()))
    law(found)
    remarks = [str(remark) for remark, _ in found.remarks]
    assert len(remarks) == 2
    assert "Field “note”" in remarks[0]
    assert remarks[1].startswith("Numbers, codes and names of types outside the records: ")
    assert sentence is None or remarks[1].endswith(sentence)
    assert {place.name for place in found.technical} == set(envelope)


def test_a_number_beside_the_records_that_equals_an_id_is_the_one_that_is_named() -> None:
    for records in ("items", "articles"):
        values = {records: [{"id": n, "text": r["text"]} for n, r in enumerate(RECORDS, 1)]}
        for data in ({**values, "count": 3}, {"count": 3, **values}):
            assert missing(read_file("a.json", json.dumps(data).encode())) == {"count": 1}


@for_each("around", ["<div id='head'><div class='toolbar'>{}</div></div>", "<nav><div id='nav'>{}</div></nav>", "{}"])
def test_a_title_that_the_frame_repeats_is_not_missing(around: str) -> None:
    heading = around.format("<h1>Boat rules</h1>")
    page = f"<html><head><title>Boat rules</title></head><body>{heading}<p>Wear a jacket.</p></body></html>"
    assert missing(read_file("a.html", page.encode())) == {}


@for_each("info", ['toml title="hybrid.toml"', "python grams.py", "js {1,3-4} linenos"])
def test_what_stands_behind_the_language_of_code_is_a_mark(info: str) -> None:
    for fence in ("```", "~~~~"):
        data = f"# Pier\n\nText.\n\n{fence}{info}\nshown = 1\n{fence}\n"
        found = account(read_file("a.md", data.encode()))
        law(found)
        assert [place.name for place in found.places] == ["Marks of the editor"]
