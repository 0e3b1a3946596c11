"""Uploads: codes stay codes, marks for nothing and signs beside numbers do not turn a column of numbers into text."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from made_of import made_of

from lab.algebra import Corpus, Document
from lab.corpus import samples
from lab.reading.uploads import Problem
from lab.text.naming import name_documents
from lab.text2sql.dialogue import say
from lab.text2sql.tree import Ref
from lab.text2sql.upload import of_passages, open_upload

TODAY = dt.date(2025, 9, 17)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "-", "3"], [1, None, 3]),
        (["1.5", "n/a", "2"], [1.5, None, 2]),
        (["12%", "7 %", "30%"], [12, 7, 30]),
        (["12 €", "1 200 €", "9 €"], [12, 1200, 9]),
        (["1 234 567", "12", "999 000"], [1234567, 12, 999000]),
        (["12,50 €", "1.234,00 €", "3,10 €"], [12.5, 1234.0, 3.1]),
        (["5", "无", "暂无"], [5, None, None]),
        (["£3", "N/A", "$4"], [3, None, 4]),
    ],
)
def test_a_column_of_numbers_stays_one_and_what_was_left_out_is_said(cells: list[str], values: list[object]) -> None:
    remarks: list[Problem] = []
    rows = "\n".join(f'r{i},"{cell}"' for i, cell in enumerate(cells))
    db = open_upload("t.csv", f"name,amount\n{rows}\n".encode(), remarks=remarks)
    assert db.schema.column(Ref("t", "amount")).kind == "number"
    assert [r[1] for r in db.preview("t").rows] == values
    left_out = [c for c, v in zip(cells, values, strict=True) if v is None]
    assert bool(remarks) == bool(left_out)
    assert all(c in str(remarks[0]) for c in left_out)


def test_raised_digits_make_a_column_of_text() -> None:
    db = open_upload("t.csv", "name,drops\na,10⁶\nb,10³\nc,7\n".encode())
    assert db.schema.column(Ref("t", "drops")).kind != "number"
    assert [r[1] for r in db.preview("t").rows] == ["10⁶", "10³", "7"]


def test_codes_keep_their_zeros_and_are_no_numbers() -> None:
    db = open_upload("parts.csv", b"code,part\n007,hinge\n7,lock\n012,bolt\n")
    assert db.schema.column(Ref("parts", "code")).kind != "number"
    turn = say(db, "parts with code 007", as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert [r[1] for r in turn.result.rows] == ["hinge"]


def test_a_text_column_keeps_its_marks() -> None:
    db = open_upload("t.csv", b"name,note\na,-\nb,good\nc,n/a\n")
    assert [r[1] for r in db.preview("t").rows] == ["-", "good", "n/a"]


def test_days_that_can_be_read_in_two_ways_are_said(tmp_path: Path) -> None:
    rows = "".join(f"INSERT INTO visits VALUES ({i},'0{i + 1}/0{9 - i}/2024');" for i in range(6))
    db = made_of("CREATE TABLE visits(id INTEGER PRIMARY KEY, visited_on TEXT);" + rows, tmp_path, "visits")
    assert db.schema.column(Ref("visits", "visited_on")).ambiguous
    turn = say(db, "visits since 2024-03-01", as_of=TODAY)
    assert turn.result is not None
    assert "month/day" in turn.answer
    zh = say(db, "2024年3月以来的visits", as_of=TODAY)
    assert zh.result is None or "月/日" in zh.answer


def test_a_view_of_columns_that_tables_have_is_left_out(tmp_path: Path) -> None:
    script = "CREATE TABLE pets(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO pets VALUES (1,'a'),(2,'b');"
    script += "CREATE VIEW named AS SELECT name FROM pets; CREATE VIEW counted AS SELECT count(*) AS n FROM pets;"
    db = made_of(script, tmp_path, "views")
    assert db.schema.names == ("pets", "counted")


def test_the_passages_of_a_corpus_are_a_table_with_a_column_for_each_field() -> None:
    documents = (
        Document("a", "one", "A", {"year": 2021, "tags": ["x", "y"], "day": "2021-05-01"}),
        Document("b", "two", "B", {"year": "2023", "id": "other"}),
        Document("c", "three"),
    )
    db = of_passages(Corpus("own", documents), ["year", "tags", "day", "id"])
    (table,) = db.schema.tables
    assert (table.name, table.rows) == ("passages", 3)
    assert [column.ref.column for column in db.schema.columns()] == [
        "id",
        "title",
        "text",
        "year",
        "tags",
        "day",
        "id 2",
    ]
    found = db.preview("passages", 5)
    assert [tuple(row) for row in found.rows] == [
        ("a", "A", "one", 2021, "x, y", "2021-05-01", None),
        ("b", "B", "two", 2023, None, None, "other"),
        ("c", None, "three", None, None, None, None),
    ]


def test_the_passages_of_a_sample_can_be_counted_by_a_question() -> None:
    corpus = samples.load("textbook-filter-en").corpus
    db = of_passages(corpus, ["rerank_score", "date", "source"])
    kind = str(corpus.documents[0].metadata["source"])
    turn = say(db, f"how many passages with source {kind}", as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert [tuple(row) for row in turn.result.rows] == [(sum(d.metadata["source"] == kind for d in corpus),)]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("passages with source tech_blog", "2 passages match: source is tech_blog. {first}, {second}"),
        ("来源是tech_blog的段落", "共 2 个段落符合：来源是tech_blog。{first}、{second}"),
    ],
)
@pytest.mark.parametrize("titled", [False, True])
def test_passages_without_a_title_are_named_by_first_words_and_place_or_by_their_id(
    question: str, answer: str, titled: bool
) -> None:
    texts = "The ferry leaves at nine. Dogs are welcome.", "The ferry leaves at nine. Tickets are sold on board."
    documents = [Document(f"d{i}", text, metadata={"source": "tech_blog"}) for i, text in enumerate(texts)]
    other = Document("d2", "Friday.", "Market day" if titled else "", {"source": "wiki"})
    corpus = Corpus("own", name_documents([*documents, other]))
    turn = say(of_passages(corpus, ["source"]), question, as_of=TODAY)
    first, second = ("d0", "d1") if titled else (str(d.label) for d in corpus.documents[:2])
    assert turn.answer.rstrip(".。") == answer.format(first=first, second=second)
    assert titled or "ferry leaves" in first


def test_the_passages_of_a_chinese_sample_are_called_so() -> None:
    corpus = samples.load("textbook-filter-zh").corpus
    turn = say(of_passages(corpus, ["rerank_score", "date", "source"]), "2023年的段落", as_of=TODAY)
    assert turn.result is not None, turn.answer
    expected = [d.id for d in corpus if str(d.metadata["date"]).startswith("2023")]
    assert sorted(str(row[0]) for row in turn.result.rows) == expected


@pytest.mark.parametrize("joined", ["red; blue", "red;blue", "red, blue", "red/blue", "red、blue", "red|blue"])
def test_a_value_that_joins_values_of_other_rows_makes_a_column_of_lists(joined: str) -> None:
    cells = ["red", "blue", "green", joined, "green", "blue", "red", "green", "blue", "red"]
    text = "shirt,colour,price\n" + "".join(f'S{i},"{cell}",{i + 10}\n' for i, cell in enumerate(cells))
    db = open_upload("shirts.csv", text.encode())
    turn = say(db, "how many red shirts", as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert [tuple(row) for row in turn.result.rows] == [(sum("red" in cell for cell in cells),)]


@pytest.mark.parametrize("odd", ["AC/DC", "Smith, John", "red/", "a;b"])
def test_a_sign_inside_a_value_makes_no_list_if_its_parts_are_no_values(odd: str) -> None:
    cells = ["red", "blue", "green", odd, "green", "blue", "red", "green", "blue", "red"]
    text = "shirt,colour\n" + "".join(f'S{i},"{cell}"\n' for i, cell in enumerate(cells))
    db = open_upload("shirts.csv", text.encode())
    assert db.schema.column(Ref("shirts", "colour")).kind != "list"


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        ("Oslo,12,3.5\nKiel,7,1.2\nBergen,9,2.2\n", ("Oslo", 12, 3.5)),
        ("A001,帐篷,3\nA002,渡轮,1\n", ("A001", "帐篷", 3)),
        ("2024-05-01,Tents are aired\n2024-05-02,The ferry leaves\n", ("2024-05-01", "Tents are aired")),
    ],
)
def test_a_table_without_names_keeps_its_first_row(rows: str, first: tuple[object, ...]) -> None:
    remarks: list[Problem] = []
    db = open_upload("t.csv", rows.encode(), remarks=remarks)
    preview = db.preview("t")
    assert tuple(preview.rows[0]) == first
    assert list(preview.columns) == [f"column {i}" for i in range(1, len(first) + 1)]
    assert "looks like data" in str(remarks[0])


@pytest.mark.parametrize(
    ("words", "cities"),
    [
        ("cities with a population over a million and a half", ["C", "D"]),
        ("cities with a population over one and a half million", ["C", "D"]),
        ("cities with a population under two and a half thousand", ["E"]),
        ("cities with a population over 1e6", ["B", "C", "D"]),
        ("cities with a population under 20'000", ["E"]),
        ("cities with a population over 1亿2000万", ["D"]),
        ("cities with a population under 3万6千", ["E"]),
        ("cities with a population over 三千多万", ["D"]),
    ],
)
def test_a_question_reads_a_large_number_whole(words: str, cities: list[str]) -> None:
    rows = b"name,population\nA,500000\nB,1200000\nC,1600000\nD,130000000\nE,2400\n"
    turn = say(open_upload("cities.csv", rows), words, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert [row[0] for row in turn.result.rows] == cities
