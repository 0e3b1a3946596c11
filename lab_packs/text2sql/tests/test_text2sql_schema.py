"""What is found out about a database by looking at it, and uploads."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import places
import pytest
from night import for_each

from lab.errors import QueryError, UnknownName, UploadError
from lab.reading.read import read_file
from lab.reading.uploads import Problem
from lab_packs.text2sql import inspecting
from lab_packs.text2sql.database import Database, open_database, open_sample, samples, sha256
from lab_packs.text2sql.hints import Hint, propose, read_hints
from lab_packs.text2sql.inspecting import inspect
from lab_packs.text2sql.tree import Ref
from lab_packs.text2sql.upload import open_upload


def built(path: Path, script: str) -> Path:
    db = sqlite3.connect(path)
    db.executescript(script)
    db.commit()
    db.close()
    return path


def test_kinds_are_told_from_the_values(tmp_path: Path) -> None:
    rows = ", ".join(
        f"({i}, 'n{i}', '{'AB'[i % 2]}x', {i * 1.5}, '2024-01-{i + 1:02d}', '{i + 1:02d}.03.2024',"
        f" {1_700_000_000 + i}, {i % 2}, 'a, b{i % 3}', '{i}.5', {2000 + i})"
        for i in range(20)
    )
    path = built(
        tmp_path / "a.sqlite",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, sort TEXT, amount REAL, day TEXT, german TEXT,"
        " created_at INTEGER, is_open INTEGER, tags TEXT, reading TEXT, year INTEGER);"
        f"INSERT INTO t VALUES {rows};",
    )
    columns = {c.name: c for c in inspect(path).columns()}
    assert {n: c.kind for n, c in columns.items()} == {
        "id": "number", "name": "text", "sort": "category", "amount": "number", "day": "date", "german": "date",
        "created_at": "date", "is_open": "boolean", "tags": "list", "reading": "number", "year": "number",
    }  # fmt: skip
    assert (columns["german"].style, columns["created_at"].style, columns["day"].style) == ("eu", "epoch", "iso")
    assert columns["tags"].values == ("a", "b0", "b1", "b2")
    assert columns["id"].key
    assert columns["year"].is_year
    assert (columns["amount"].low, columns["amount"].high) == (0.0, 19 * 1.5)
    assert (columns["reading"].low, columns["reading"].high) == (0.5, 19.5)


def test_undeclared_foreign_keys_are_found_by_names_and_values(tmp_path: Path) -> None:
    path = built(
        tmp_path / "a.sqlite",
        "CREATE TABLE authors (id INTEGER, name TEXT); CREATE TABLE books (id INTEGER, author_id INTEGER, title TEXT);"
        "CREATE TABLE loans (id INTEGER, author_id INTEGER);"
        "INSERT INTO authors VALUES (1, 'A'), (2, 'B'); INSERT INTO books VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, 'z');"
        "INSERT INTO loans VALUES (1, 77), (2, 78);",
    )
    keys = inspect(path).foreign_keys
    assert [(f.table, f.column, f.parent, f.key, f.declared) for f in keys] == [
        ("books", "author_id", "authors", "id", False)
    ]


def test_declared_foreign_keys_are_taken_as_they_are(shop: Database) -> None:
    assert {(f.table, f.parent) for f in shop.schema.foreign_keys} == {
        ("orders", "customers"),
        ("order_items", "orders"),
        ("order_items", "products"),
    }
    assert all(f.declared for f in shop.schema.foreign_keys)


def test_ways_between_tables_go_over_parents(shop: Database) -> None:
    way = shop.schema.path("order_items", "customers")
    assert way is not None
    assert [f.parent for f in way] == ["orders", "customers"]
    assert shop.schema.path("customers", "orders") is None
    link = shop.schema.link("customers", "products")
    assert link is not None
    assert link[0] == "order_items"


def test_a_view_that_cannot_be_read_is_skipped_with_its_reason(tmp_path: Path) -> None:
    path = built(
        tmp_path / "a.sqlite",
        "CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE VIEW same AS SELECT a FROM t; CREATE VIEW good AS SELECT count(*) AS n FROM t;"
        "CREATE VIEW bomb AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c;",
    )
    schema = inspect(path)
    assert schema.names == ("t", "good")
    assert "recursive" in schema.skipped["bomb"]
    assert "columns that the tables have" in schema.skipped["same"]


def test_a_database_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="no readable table"):
        inspect(built(tmp_path / "a.sqlite", "PRAGMA user_version = 1;"))


@for_each(
    "name, zh, tag",
    [
        ("expected_salary", "期望薪资", "salary"),
        ("unitPrice", "价格", "price"),
        ("ORDER_DATE", "下单日期", "date"),
        ("工作年限", "工作年限", "years"),
        ("city", "城市", ""),
    ],
)
def test_names_are_proposed_from_the_words_in_them(name: str, zh: str, tag: str) -> None:
    hint, tags = propose(name)
    assert hint.zh == zh
    assert not tag or tag in tags


def test_hints_can_be_edited_and_change_what_is_understood(candidates: Database) -> None:
    hints = candidates.schema.hints()
    hints["candidates.years"] = Hint(zh="年资", en="seniority", unit="年")
    edited = candidates.with_hints(hints)
    assert edited.schema.column(Ref("candidates", "years")).label("zh") == "年资"
    assert edited.schema.column(Ref("candidates", "city")).label("zh") == "城市"
    assert edited.documents.named(["年", "资"])
    assert candidates.documents.named(["年", "资"]) == []


def test_hints_with_an_unknown_field_are_refused_by_name() -> None:
    with pytest.raises(UploadError, match="colour"):
        read_hints("[t.a]\ncolour = 'red'")
    with pytest.raises(UploadError, match="not TOML"):
        read_hints("[t")


def test_an_unknown_sample_names_the_known_ones() -> None:
    assert samples() == ("applicants", "candidates", "shop", "store")
    with pytest.raises(UnknownName, match="applicants, candidates, shop, store"):
        open_sample("nothing")


# -------------------------------------------------------------------------------------------------- uploads


def test_a_csv_becomes_a_table_with_typed_columns() -> None:
    text = "姓名,薪资,入职日期,技能,在职,电话\n"
    text += '甲,"¥18,000",2024/3/1,"Python、SQL",是,13800000001\n'
    text += '乙,"9,500",2023年12月5日,"SQL、Go",否,13800000002\n'
    text += "丙,,,Python、Go,是,13800000003\n"
    for data in (text.encode(), text.encode("utf-8-sig"), text.encode("gb18030")):
        db = open_upload("staff.csv", data)
        assert db.schema.names == ("staff",)
        assert {c.name: c.kind for c in db.schema.columns()} == {
            "姓名": "text",
            "薪资": "number",
            "入职日期": "date",
            "技能": "list",
            "在职": "boolean",
            "电话": "text",
        }
        assert db.preview("staff").rows[0] == ("甲", 18000, "2024-03-01", "Python、SQL", "是", "13800000001")
        assert db.preview("staff").rows[2][1:3] == (None, None)


@for_each("separator", [",", ";", "\t", "|"])
def test_the_separator_of_a_csv_is_found_out(separator: str) -> None:
    db = open_upload("x.csv", f"a{separator}b\n1{separator}x\n2{separator}y\n".encode())
    assert db.preview("x").rows == ((1, "x"), (2, "y"))


@for_each(
    "codec, rows",
    [
        ("big5", ("名稱,說明", "電池,這個電池可以用三年", "耳機,無線的耳機")),
        ("gb18030", ("名称,说明", "电池,这个电池可以用三年", "耳机,无线的耳机")),
        ("utf-16", ("名称,说明", "电池,三年", "耳机,无线")),
        ("latin-1", ("name,city", "Müller,Köln")),
        ("latin-1", ("id,what", "1,Käse", "2,Brot")),
        ("latin-1", ("Größe,Gewürz", "groß,Kümmel und Möhren", "klein,Bärlauch für Soße")),
    ],
)
def test_a_table_in_another_encoding_is_read_right(codec: str, rows: tuple[str, ...]) -> None:
    db = open_upload("x.csv", "\n".join(rows).encode(codec))
    assert [c.name for c in db.schema.columns()] == rows[0].split(",")
    assert [",".join(map(str, row)) for row in db.preview("x").rows] == list(rows[1:])


def test_a_row_whose_quotation_marks_do_not_fit_is_named() -> None:
    with pytest.raises(UploadError, match="x.csv.*row 2.*quotation mark is opened and never closed"):
        open_upload("x.csv", b'a,b\n1,"x\n2,y\n')


def test_hidden_sheets_and_bombs_of_a_workbook_stay_outside() -> None:
    import openpyxl
    from making import zipped

    book = openpyxl.Workbook()
    for title in ("People", "secret"):
        sheet = book.create_sheet(title)
        sheet.append(("name", "pay"))
        sheet.append(("Ada", 10))
    book["secret"].sheet_state = "hidden"
    file = io.BytesIO()
    book.save(file)
    assert open_upload("team.xlsx", file.getvalue()).schema.names == ("People",)
    with pytest.raises(UploadError, match="bomb"):
        open_upload("a.xlsx", zipped({"xl/workbook.xml": b" " * 30_000_000}))


def workbook(**cells: object) -> bytes:
    """A workbook with a table of two columns and these cells, or with these alone in its XML."""
    import openpyxl

    book = openpyxl.Workbook()
    for row in (("name", "pay"), ("Ada", 10), ("Bob", 11)):
        book.active.append(row)
    for place, value in cells.items():
        book.active[place] = value
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_a_cell_far_away_from_the_table_is_left_out_and_named() -> None:
    remarks: list[Problem] = []
    start = time.perf_counter()
    db = open_upload("team.xlsx", workbook(XFD1048576="x"), remarks=remarks)
    assert time.perf_counter() - start < 5
    assert db.preview("Sheet").rows == (("Ada", 10), ("Bob", 11))
    assert ["XFD1048576" in str(remark.message) for remark in remarks] == [True]


def test_characters_that_cannot_be_read_are_remarked_on() -> None:
    remarks: list[Problem] = []
    open_upload("x.csv", b"a,b\n" + "你好世界，,1\n".encode() * 50 + b"\xff,2\n", remarks=remarks)
    assert "not valid UTF-8" in str(remarks[0].message)


def test_a_workbook_whose_sheet_is_cut_off_is_refused_in_words() -> None:
    from making import changed

    data = changed(workbook(), "xl/worksheets/sheet1.xml", lambda xml: xml[: len(xml) // 2])
    with pytest.raises(UploadError, match="not an Excel workbook that can be read"):
        open_upload("a.xlsx", data)


@for_each(
    "number",
    ["9" * 5000, "-" + "9" * 5000, "$" + "9" * 4400, "123,456,789,012,345,678,901", "1." + "0" * 400, "9" * 400 + ".5"],
)
def test_a_number_longer_than_a_database_keeps_stays_text(number: str) -> None:
    db = open_upload("x.csv", f'a,b\n"{number}",1\n"{number}",2\n'.encode())
    assert db.preview("x").rows[0] == (number, 1)


def test_a_whole_number_of_a_workbook_beyond_63_bits_stays_text() -> None:
    from making import changed

    long = b"123456789012345678901"
    data = changed(workbook(B2=77177), "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"77177", long))
    assert open_upload("x.xlsx", data).preview("Sheet").rows[0] == ("Ada", long.decode())


@pytest.mark.parametrize("kind", ["x.csv", "x.xlsx"])
def test_a_table_says_how_far_it_is_and_can_be_stopped(kind: str) -> None:
    data = workbook() if kind == "x.xlsx" else b"a,b\n" + b"1,x\n" * 5000
    seen: list[int] = []
    open_upload(kind, data, progress=lambda done, total: seen.append(done))
    assert seen == sorted(seen)
    assert seen[-1] == 70  # before the second of two columns
    assert kind == "x.xlsx" or 20 in seen  # half of the rows are read

    class Stopped(BaseException):
        """What the interface raises at a click."""

    def stop(done: int, total: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        open_upload(kind, data, progress=stop)


def test_a_column_is_days_or_numbers_where_every_cell_is() -> None:
    rows = b"day,n,code,mixed\n2024-03-01,1,007,3\n,2.5,008,2024-03-01\n2024/3/2,,009,4\n"
    db = open_upload("x.csv", rows)
    assert db.preview("x").rows == (
        ("2024-03-01", 1, "007", "3"),
        (None, 2.5, "008", "2024-03-01"),
        ("2024-03-02", None, "009", "4"),
    )


def test_reading_a_table_moves_no_limit_of_other_tables() -> None:
    before = csv.field_size_limit()
    open_upload("x.csv", b"a,b\n" + b"x" * 200_000 + b",1\n")
    read_file("y.csv", b"text,n\n" + b"x" * 200_000 + b",1\n")
    assert csv.field_size_limit() == before
    found = [p.name for p in places.code() if "field_size_limit" in p.read_text("utf-8")]
    assert found == ["delimited.py"]


def test_days_and_times_of_a_table_become_iso() -> None:
    db = open_upload("x.csv", "a,b\n1,2024年3月1日\n2,2024/3/2 9:05\n3,2024-03-03 9:05:30\n".encode())
    assert [row[1] for row in db.preview("x").rows] == ["2024-03-01", "2024-03-02 09:05", "2024-03-03 09:05:30"]


def test_odd_headers_get_usable_names() -> None:
    db = open_upload("sqlite_x.csv", b'a,A,,"say ""hi"", ok"\n1,2,3,4\n5,6,7,8\n')
    assert db.schema.names == ("t_sqlite_x",)
    assert [c.name for c in db.schema.columns()] == ["a", "A 2", "column 3", 'say "hi", ok']
    assert db.preview("t_sqlite_x").rows[1] == (5, 6, 7, 8)


def test_every_sheet_of_a_workbook_becomes_a_table() -> None:
    import datetime as dt

    import openpyxl

    book = openpyxl.Workbook()
    first = book.active
    first.title = "People"
    for row in (("name", "born"), ("Ada", dt.date(2000, 1, 2)), ("Bob", dt.date(2001, 3, 4))):
        first.append(row)
    second = book.create_sheet("Pay")
    for row in (("name", "pay"), ("Ada", 10.5), ("Bob", 11)):
        second.append(row)
    book.create_sheet("empty")
    file = io.BytesIO()
    book.save(file)
    db = open_upload("team.xlsx", file.getvalue())
    assert db.schema.names == ("People", "Pay")
    assert db.schema.column(Ref("People", "born")).kind == "date"
    assert db.preview("Pay").rows == (("Ada", 10.5), ("Bob", 11))


def test_a_sqlite_file_is_copied_and_cannot_be_written(tmp_path: Path) -> None:
    source = built(tmp_path / "a.db", "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    db = open_upload("a.db", source.read_bytes())
    assert db.path != source
    assert not os.access(db.path, os.W_OK) or os.geteuid() == 0
    assert db.preview("t").rows == ((1,),)


@for_each(
    "name, data, message",
    [
        ("a.sqlite", b"not a database at all, only text", "not a SQLite database"),
        ("a.sqlite", b"SQLite format 3\x00" + b"\x00" * 100, "not a SQLite database"),
        ("a.db", b"SQLite format 3\x00" + b"\xff" * 4000, "cannot be read|damaged"),
        ("a.csv", b"", "empty"),
        ("a.csv", b"only,a,header\n", "no rows"),
        ("a.csv", b"\x00\x01\x02,\x00\n\x00,\x00\n", "not a text file"),
        ("a.pdf", b"%PDF-1.7", "not a kind of file"),
        ("a.xlsx", b"PK\x03\x04 broken", "not an Excel workbook"),
        ("a.csv", b"a" * (50 * 2**20 + 1), "MB"),
        ("a.csv", (",".join(f"c{i}" for i in range(400)) + "\n" + ",".join("1" * 400) + "\n").encode(), "400 columns"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_name(name: str, data: bytes, message: str) -> None:
    with pytest.raises(UploadError, match=message):
        open_upload(name, data)


def test_the_copy_goes_when_the_database_goes() -> None:
    db = open_upload("x.csv", b"a,b\n1,2\n")
    path = db.path
    assert path.exists()
    del db
    import gc

    gc.collect()
    assert not path.exists()


def test_the_fingerprint_is_that_of_the_file(shop: Database) -> None:
    assert shop.fingerprint == sha256(shop.path)


@pytest.mark.skipif("LAB_COLLECTIONS" not in os.environ, reason="LAB_COLLECTIONS is not set")
def test_eleven_foreign_databases_open_and_their_schemas_are_inferred() -> None:
    folder = Path(os.environ["LAB_COLLECTIONS"]) / "text2sql_defog" / "db"
    if not folder.is_dir():
        pytest.skip("text2sql_defog is not there")
    for path in sorted(folder.glob("*.sqlite")):
        before = sha256(path)
        db = open_database(path)
        assert db.schema.tables
        assert not db.schema.skipped
        assert all(c.kind for c in db.schema.columns())
        assert sha256(path) == before


SIMPLE: list[tuple[str, str, str | None]] = [
    ("car_dealership", "cars with a cost over 30000", "SELECT id FROM cars WHERE cost > 30000"),
    ("car_dealership", "Toyota cars", "SELECT id FROM cars WHERE make = 'Toyota'"),
    ("car_dealership", "how many sales since 2023", "SELECT count(*) FROM sales WHERE sale_date >= '2023-01-01'"),
    ("derm_treatment", "doctors in immunology", "SELECT doc_id FROM doctors WHERE specialty = 'immunology'"),
    ("derm_treatment", "patients with a weight under 70", "SELECT patient_id FROM patients WHERE weight_kg < 70"),
    (
        "derm_treatment",
        "female patients born after 1990",
        "SELECT patient_id FROM patients WHERE gender = 'Female' AND date_of_birth >= '1991-01-01'",
    ),
    ("derm_treatment", "how many treatments are placebo", "SELECT count(*) FROM treatments WHERE is_placebo = 1"),
    ("geography", "states with a population under 100000", "SELECT state_name FROM state WHERE population < 100000"),
    ("geography", "the three longest rivers", "SELECT river_name FROM river ORDER BY length DESC LIMIT 3"),
    ("restaurants", "restaurants with a rating of at least 4", "SELECT id FROM restaurant WHERE rating >= 4"),
    ("restaurants", "Italian restaurants", "SELECT id FROM restaurant WHERE food_type = 'Italian'"),
    ("broker", "customers in CA", "SELECT sbCustId FROM sbCustomer WHERE sbCustState = 'CA'"),
    ("broker", "transactions with an amount above 10000", "SELECT sbTxId FROM sbTransaction WHERE sbTxAmount > 10000"),
    ("broker", "failed transactions", None),
    ("advising", "courses without exams", "SELECT course_id FROM course WHERE NOT has_exams"),
    (
        "advising",
        "courses in the Computer Science department",
        "SELECT course_id FROM course WHERE department = 'Computer Science'",
    ),
    ("yelp", "businesses in San Francisco", "SELECT bid FROM business WHERE city = 'San Francisco'"),
    ("yelp", "reviews with a rating under 3 in 2022", "SELECT rid FROM review WHERE rating < 3 AND year = 2022"),
    ("ewallet", "users in US", "SELECT uid FROM users WHERE country = 'US'"),
    ("academic", "publications since 2020", "SELECT pid FROM publication WHERE year >= 2020"),
]


@pytest.mark.skipif("LAB_COLLECTIONS" not in os.environ, reason="LAB_COLLECTIONS is not set")
@for_each("name, question, sql", SIMPLE)
def test_simple_filters_work_on_databases_that_nobody_described(name: str, question: str, sql: str | None) -> None:
    import datetime as dt

    from lab_packs.text2sql.dialogue import say

    path = Path(os.environ["LAB_COLLECTIONS"]) / "text2sql_defog" / "db" / f"{name}.sqlite"
    if not path.is_file():
        pytest.skip("text2sql_defog is not there")
    turn = say(open_database(path), question, as_of=dt.date(2024, 6, 15))
    if sql is None:  # "failed" is stored as "fail": asked, not guessed
        assert turn.unknown == ("failed",)
        return
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as plain, plain:
        expected = plain.execute(sql).fetchall()
    assert turn.unknown == ()
    assert turn.result is not None
    wanted = sorted(str(r[0]) for r in expected)
    assert any(sorted(str(r[i]) for r in turn.result.rows) == wanted for i in range(len(turn.result.columns)))


def test_a_day_that_many_rows_have_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ", ".join(f"({i}, '2024-01-{i % 3 + 10}', '{i % 4 + 10}.03.2024 8:15')" for i in range(2000))
    path = built(
        tmp_path / "days.sqlite", f"CREATE TABLE t (id INTEGER, day TEXT, at TEXT); INSERT INTO t VALUES {rows}"
    )
    reads, read_stamp = [], inspecting.read_stamp
    monkeypatch.setattr(inspecting, "read_stamp", lambda *args: reads.append(args) or read_stamp(*args))
    assert [c.kind for c in inspect(path).tables[0].columns] == ["number", "date", "date"]
    assert 0 < len(reads) <= 10


def test_no_module_is_over_400_lines_or_names_a_table_or_column_of_a_sample() -> None:
    folder = Path(inspecting.__file__).parent
    files = [path for path in places.code(folder) if not path.is_relative_to(folder / "pages")]
    modules = {path.name: path.read_text("utf-8") for path in files}
    assert {name: n for name, text in modules.items() if (n := len(text.splitlines())) > 400} == {}
    for name in samples():
        schema = open_sample(name).schema
        own = [c.name for c in schema.columns() if "_" in c.name] + [t.name for t in schema.tables if "_" in t.name]
        said = [(m, word) for m, text in modules.items() for word in own if re.search(rf"\b{word}\b", text)]
        assert said == []


COMPLEX = {
    "shaped": 28, "related": 19, "number": 25, "counted": 20, "_english_forms": 19, "rows": 19, "_pieces": 18,
    "superlative": 18, "measures": 18, "tree_of": 17, "grouped": 16, "compared": 17, "table_forms": 17,
    "keywords": 16, "measured": 16,
}  # fmt: skip
"""The functions of the room over the limit of all others, and their complexity: no number of this table may rise."""


def test_no_function_becomes_more_complex() -> None:
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "C901", "--output-format", "json"]
    command += ["--config", "lint.mccabe.max-complexity=15", str(Path(inspecting.__file__).parent)]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    named = [re.search(r"`(\w+)` is too complex \((\d+)", problem["message"]) for problem in found]
    assert {m[1]: int(m[2]) for m in named if m} == COMPLEX, "write down what fell, and make simpler what rose"
